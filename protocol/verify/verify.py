"""Check the record of a game of Kaguraden, without Kaguraden.

    python3 verify.py RECORD.json [CARDS.toml ...]

It follows protocol/replay.md and rules/docs/entropy.md; README.md here says what it cannot check.
The status is 0 if nothing is wrong, 1 if something is, 2 if a file cannot be read.
"""

# fmt: off
import hashlib
import hmac
import json
import re
import sys
import tomllib
from collections import Counter
from typing import Any

LINE = re.compile("expire (?P<wait>[ -~]+)|(?P<seat>[0-9]+) (?P<of>[0-9]+)[.](?P<n>[0-9]+) (?P<option>[ -~]+?)( = (?P<value>[ -~]+))?")

def need(condition: object, otherwise: str) -> None:
    if not condition:
        raise ValueError(otherwise)

class Stream:
    def __init__(self, key: bytes) -> None:
        self.key, self.k = key, 0

    def pick(self, n: int) -> int:
        number = hmac.digest(self.key, self.k.to_bytes(8, "big"), "sha256")
        self.k += 1
        return int.from_bytes(number, "big") * n >> 256

    def shuffle(self, things: Any) -> list[Any]:
        order = list(things)
        for i in range(len(order) - 1, 0, -1):
            j = self.pick(i + 1)
            order[i], order[j] = order[j], order[i]
        return order

def check_chance(r: dict[str, Any]) -> bytes:
    need(r["format"] == 1 and type(r["seats"]) is int, "this is no record of format 1")
    for name in ("seed", "commitment", "entropy"):
        need(re.fullmatch("[0-9a-f]{64}", r[name]), f"{name} is not 64 digits of hex")
    rest = {name: value for name, value in r.items() if name != "sum"}
    text = json.dumps(rest, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    need(r.get("sum") in (None, hashlib.sha256(text.encode()).hexdigest()), "the sum is wrong")
    seed, nonces = bytes.fromhex(r["seed"]), r["nonces"]
    need(hashlib.sha256(seed).hexdigest() == r["commitment"], "the seed is not the promised one")
    is_day = str(r["options"].get("book")).startswith("daily:")
    need(len(nonces) == (0 if is_day else r["seats"]) and len(r["decks"]) == r["seats"], "not one a seat")
    need(all(re.fullmatch("|([0-9a-f]{2}){16,64}", nonce) for nonce in nonces), "a nonce is odd")
    listed = json.dumps(nonces, separators=(",", ":")).encode()
    entropy = seed if is_day else hmac.digest(seed, listed, "sha256")
    need(entropy.hex() == r["entropy"], "the entropy does not come from the seed and the nonces")
    print("The seed is the promised one. The entropy comes from it and the nonces", nonces)
    print("The first picks among 52:", *map(Stream(entropy).pick, [52] * 5))
    return entropy

def deal_odoriko(entropy: bytes, r: dict[str, Any]) -> None:
    stream, seats, size = Stream(entropy), r["seats"], 52 // r["seats"]
    pack = stream.shuffle(rank + suit for suit in "SHDC" for rank in "A 2 3 4 5 6 7 8 9 10 J Q K".split())
    shares = [stream.shuffle(pack[seat : size * seats : seats]) for seat in range(seats)]
    for seat, (share, deck) in enumerate(zip(shares, r["decks"], strict=True)):
        need(len(deck) == 12 and re.fullmatch("[!-~]+", "".join(deck)), f"seat {seat} has no deck of twelve")
        print(f"Seat {seat} from the top:", *share, "/", *stream.shuffle(sorted(deck)))
    print("Out of the game:", *pack[size * seats :])

def deal_yumeochi(entropy: bytes, r: dict[str, Any], cards: dict[str, Any]) -> None:
    roles = [c["id"] for c in cards["role"] if c["base"] or c["id"] in r["options"]["roles"]]
    for game in range(1, 2 + min(9, r["options"]["replay_limit"])):
        name = b"yumeochi game %d" % game
        stream = Stream(entropy if game == 1 else hmac.digest(entropy, name, "sha256"))
        print(f"Game {game}, if it was played: roles", *stream.shuffle(roles)[:4])
        print("  skills", *stream.shuffle(c["id"] for c in cards["skill"]))
        print("  clock", *stream.shuffle(c["id"] for c in cards["time"]))
        print("  first holder, if drawn:", stream.pick(4))

def ranked(seed: bytes, purpose: str, names: list[str]) -> list[str]:
    def rank(i: int) -> bytes:  # EN-70; further copies of a card have ranks of their own
        text = f"enbu1|{purpose}|0|{names[i]}|{names[:i].count(names[i]) + 1}"
        return hmac.digest(seed, text.encode(), "sha256")
    return [names[i] for i in sorted(range(len(names)), key=rank)]

def deal_enbu(entropy: bytes, r: dict[str, Any], moves: list[Any], book: dict[str, Any], cards: dict[str, Any]) -> None:
    """Deal, and count what each seat gained as far as it chose itself: a turn's clock has more rules."""
    deck = [*Counter(book["cards"]).elements(), *(("bakedanuki", "kyubi") if book["extra"]["wild"] else ())]
    names = book["programs"]["first"] + ranked(entropy, "book", book["programs"]["rest"])
    print("Programs:", *names, "/ deck from the top:", *ranked(entropy, "deck", deck))
    for end in r["outcome"]["ranking"] if r["outcome"] else ():
        seat, gained, dropped, turns, past = end["seat"], list[str](), 0, 1, list[Any]()
        if any((move["wait"] or "").startswith(f"turn:{seat}:") for move in moves):
            print(f"Seat {seat}: a clock played for it, so its result is not checked")
            continue
        for kind, _, rest in (m["option"].partition(":") for m in moves if m["seat"] == str(seat)):
            if kind == "undo":
                gained, dropped = past.pop()
            elif kind == "next":
                turns, past = turns + 1, []
            else:
                past.append((gained, dropped))
                gained, dropped = gained + [rest.partition(":")[0]] * (kind == "perform"), dropped + (kind == "drop")
        total = sum(cards[name]["points"] for name in gained)
        need(not Counter(gained) - Counter(names), f"seat {seat} performs what it cannot")
        need([end["score"], end["dropped"], end["turns"]] == [total, dropped, turns], f"seat {seat} made {total} points")
        print(f"Seat {seat} made {total} points in {turns} turns, as the outcome says")

def read_moves(r: dict[str, Any]) -> list[Any]:
    last, moves = [0] * r["seats"], []  # the last decision of each seat: its decisions come in order
    for number, line in enumerate(r["inputs"], 1):
        found = LINE.fullmatch(line)
        move = found.groupdict() if found else {}
        need(move and (move["wait"] or int(move["of"]) == int(move["seat"]) < r["seats"]), f"no move: {line!r}")
        value = json.loads(move["value"] or "0")
        need(type(value) is int or all(type(v) is str for v in value), f"an odd value: {line!r}")
        if move["seat"]:
            need(int(move["n"]) >= last[int(move["seat"])], f"move {number} comes too late: {line!r}")
            last[int(move["seat"])] = int(move["n"])
        moves.append(move)
        print(f"{number:5} {line}")
    return moves

def main(file: str, *card_files: str) -> None:
    cards: dict[str, Any] = {}  # books, card sets and programs, by their ids
    for name in card_files:
        with open(name, "rb") as opened:
            read = tomllib.load(opened)
        cards |= {entry["id"]: entry for entry in (read, *read.get("program", ())) if "id" in entry}
        cards |= {read["set"]["id"]: read} if "set" in read else {}
    with open(file, encoding="utf-8") as opened:
        r = json.loads(opened.read(2**24))  # no record is longer
    entropy, moves, outcome = check_chance(r), read_moves(r), r["outcome"]  # None if it was not over
    need(outcome is None or sorted(e["seat"] for e in outcome["ranking"]) == list(range(r["seats"])), "the ranking is not of all seats")
    of = str(r["options"].get("book") or r["options"].get("set")).removeprefix("daily:")
    if r["game"] == "odoriko":
        deal_odoriko(entropy, r)
    elif of not in cards or (r["game"] == "enbu" and "kenen" not in cards):
        print(f"Not dealt again: no file of {of!r}, or none of the programs, was given")
    elif r["game"] == "yumeochi":
        deal_yumeochi(entropy, r, cards[of])
    elif r["game"] == "enbu":
        deal_enbu(entropy, r, moves, cards[of], cards)
    print("Nothing is wrong, as far as this program looks.")

if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Exception as error:  # whatever a file may hold
        print(f"WRONG: {error or type(error).__name__}")
        sys.exit(2 if isinstance(error, OSError) else 1)
