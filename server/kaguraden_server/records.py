"""The record of a game: all that is needed to deal it and to play it again (protocol/replay.md).

    {format, game, rules, packs, options, seats, decks, seed, nonces, commitment, entropy, inputs,
     outcome, sum}

`inputs` has one line of text for each input of the kernel, in order, so that the record of the
longest game is a small message:

    0 0.17 draw:resource            seat 0 answers its decision 0.17 with an option
    2 2.4 bid = 3                   with a value, in JSON
    1 1.9 pay = ["9D","10S"]
    expire w12                      a wait ended

Ids of decisions hold no space, and ids of options no " = ".

What is read here may come from anybody: `read_record` takes any bytes and says what is wrong.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from attrs import frozen
from kaguraden_rules.kernel import Act, Answer, CardId, Expire, Input, SeatId, Text

if TYPE_CHECKING:
    from kaguraden_rules.kernel import Json, Value

__all__ = [
    "FORMAT",
    "MAX_BYTES",
    "BadRecord",
    "Record",
    "canonical",
    "format_input",
    "parse_input",
    "read_record",
    "sealed",
    "sum_of",
]

FORMAT = 1
MAX_BYTES: Final = 16 * 2**20  # a game of a hundred thousand moves has less than 4 MiB
EXPIRE = "expire "
EQUALS = " = "

_MOST_SEATS: Final = 16
_MOST_PROBLEMS: Final = 8  # told of one file; more help nobody
_WORD: Final = re.compile(r"[!-~]{1,64}")
_KEY: Final = re.compile(r"[0-9a-f]{64}")
_NONCE: Final = re.compile(r"|([0-9a-f]{2}){16,64}")


class BadRecord(Exception):
    """This is no record. `problems` has one text for each fault, at most eight."""

    def __init__(self, problems: Iterable[Text]) -> None:
        self.problems = tuple(problems)[:_MOST_PROBLEMS]
        super().__init__("; ".join(problem.en for problem in self.problems))


@frozen
class Record:
    """A record whose form is right; whether it is true is not known."""

    plain: Mapping[str, Any]  # as it was read
    game: str
    rules: str
    packs: tuple[str, ...] | None  # None where it does not tell them
    options: Mapping[str, Any]
    decks: tuple[tuple[CardId, ...], ...]  # one a seat
    seed: bytes
    nonces: tuple[str, ...]
    commitment: str
    entropy: bytes
    inputs: tuple[Input, ...]
    outcome: Mapping[str, Any] | None  # None of a game that was not over
    sum: str | None

    @property
    def seats(self) -> int:
        """Return how many seats played."""
        return len(self.decks)


# --- inputs as lines ---------------------------------------------------------------------------


def format_input(entry: Input) -> str:
    """Return an input as a line of the record."""
    match entry:
        case Expire(wait):
            return EXPIRE + wait
        case Act(seat, answer):
            line = f"{seat} {answer.decision} {answer.option}"
            if answer.value is None:
                return line
            return line + EQUALS + _dump(answer.value)


def parse_input(line: str) -> Input:
    """Return the input of a line.

    Raises:
        ValueError: It is no such line.
    """
    if line.startswith(EXPIRE):
        return Expire(line.removeprefix(EXPIRE))
    seat, decision, rest = line.split(" ", 2)
    option, equals, told = rest.partition(EQUALS)
    entry = Act(SeatId(int(seat)), Answer(decision, option, _value(told) if equals else None))
    if format_input(entry) != line:
        raise ValueError("not as it is written")
    return entry


def _value(told: str) -> Value:
    try:
        value = json.loads(told)
    except RecursionError:
        raise ValueError("lists in lists") from None
    if type(value) is int:
        return value
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return tuple(value)
    raise ValueError("neither a whole number nor a list of texts")


# --- the sum -----------------------------------------------------------------------------------


def canonical(value: object) -> str:
    """Return a value as canonical JSON: keys sorted by code point, no spaces, no needless escapes."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def sum_of(plain: Mapping[str, Any]) -> str:
    """Return the SHA-256 in hex of a record without its `sum`, in canonical form.

    It finds what was damaged or changed in passing, and two people can compare it to see whether
    they have the same record. Who changes a record on purpose can write another sum as well.
    """
    rest = {name: value for name, value in plain.items() if name != "sum"}
    return hashlib.sha256(canonical(rest).encode()).hexdigest()


def sealed(plain: dict[str, Json]) -> dict[str, Json]:
    """Return a record with its sum."""
    return {**plain, "sum": sum_of(plain)}


# --- reading -----------------------------------------------------------------------------------


def read_record(data: bytes) -> Record:
    """Return the record that a file holds.

    Raises:
        BadRecord: It holds none.
    """
    plain = _read_json(data)
    problems = list(_problems(plain))
    if problems:
        raise BadRecord(problems)
    packs = plain.get("packs")
    return Record(
        plain=plain,
        game=plain["game"],
        rules=plain["rules"],
        packs=None if packs is None else tuple(packs),
        options=plain["options"],
        decks=tuple(tuple(map(CardId, deck)) for deck in plain["decks"]),
        seed=bytes.fromhex(plain["seed"]),
        nonces=tuple(plain["nonces"]),
        commitment=plain["commitment"],
        entropy=bytes.fromhex(plain["entropy"]),
        inputs=tuple(map(parse_input, plain["inputs"])),
        outcome=plain["outcome"],
        sum=plain.get("sum"),
    )


def _read_json(data: bytes) -> dict[str, Any]:
    if len(data) > MAX_BYTES:
        text = Text(
            f"ファイルが大きすぎます（{MAX_BYTES:,} バイトまで）",
            f"the file is too large; a record has at most {MAX_BYTES:,} bytes",
        )
        raise BadRecord([text])
    try:
        value = json.loads(
            data.decode(), object_pairs_hook=_once, parse_float=_whole, parse_constant=_whole
        )
        canonical(value).encode()  # no half of a surrogate pair anywhere
    except (ValueError, RecursionError) as error:
        why = "" if isinstance(error, UnicodeError) else f" ({_first_line(error)})"
        raise BadRecord([Text(f"JSON ではありません{why}", f"this is no JSON{why}")]) from None
    if not isinstance(value, dict):
        raise BadRecord([Text("JSON のオブジェクトではありません", "this is no JSON object")])
    return value


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:80]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("an object names a field twice")
    return made


def _whole(_: str) -> None:
    raise ValueError("a number that is not whole")


def _problems(plain: Mapping[str, Any]) -> Iterable[Text]:
    """Yield what is wrong with the fields."""
    if plain.get("format") != FORMAT or type(plain["format"]) is not int:
        yield Text(
            f"format は {FORMAT} のはずです。ほかの形式はこの版では読めません",
            f"format: {FORMAT} was expected; other forms are not known to this version",
        )
        return
    for name, (fits, ja, en) in _FIELDS.items():
        if name not in plain:
            if name not in _OPTIONAL:
                yield Text(f"{name} がありません", f"{name} is missing")
        elif not fits(plain[name]):
            yield Text(f"{name} は{ja}のはずです", f"{name}: {en} was expected")
    seats = plain.get("seats")
    if not _is_seats(seats):
        return
    for name, least in (("decks", seats), ("nonces", 0)):
        found = plain.get(name)
        if isinstance(found, list) and len(found) not in (seats, least):
            yield Text(
                f"{name} が {len(found)} 席分ありますが、席は {seats} です",
                f"{name}: there are {len(found)} for {seats} seats",
            )
    inputs = plain.get("inputs")
    for n, line in enumerate(inputs if isinstance(inputs, list) else (), 1):
        if not _is_input(line, seats):
            yield Text(f"inputs の {n} 行目が読めません", f"inputs: line {n} cannot be read")
            return


def _is_input(line: object, seats: int) -> bool:
    try:
        entry = parse_input(line) if isinstance(line, str) else None
    except ValueError:
        return False
    if isinstance(entry, Expire):
        return entry.wait != ""
    return (
        isinstance(entry, Act)
        and 0 <= entry.seat < seats
        and bool(entry.answer.decision and entry.answer.option)
    )


def _is_seats(value: object) -> TypeGuard[int]:
    return type(value) is int and 1 <= value <= _MOST_SEATS


def _is_word(value: object) -> bool:
    return isinstance(value, str) and _WORD.fullmatch(value) is not None


def _is_key(value: object) -> bool:
    return isinstance(value, str) and _KEY.fullmatch(value) is not None


def _are_words(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_word, value))


def _are_nonces(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(entry, str) and _NONCE.fullmatch(entry) for entry in value
    )


_FIELDS: Final = {
    "game": (_is_word, "ゲームの名前", "the name of a game"),
    "rules": (_is_word, "規則の版", "a version of rules"),
    "packs": (_are_words, "カードパックの名前の列", "a list of names of card packs"),
    "options": (lambda v: isinstance(v, dict), "オブジェクト", "an object"),
    "seats": (_is_seats, f" 1〜{_MOST_SEATS} の整数", f"a whole number from 1 to {_MOST_SEATS}"),
    "decks": (
        lambda v: isinstance(v, list) and all(map(_are_words, v)),
        "席ごとのカードの列",
        "a list of cards for each seat",
    ),
    "seed": (_is_key, " 64 桁の 16 進数（小文字）", "64 lower-case digits of hex"),
    "nonces": (
        _are_nonces,
        "席ごとの 16〜64 バイトの 16 進数（小文字）か空文字",
        "for each seat 16 to 64 bytes in lower-case hex, or an empty text",
    ),
    "commitment": (_is_key, " 64 桁の 16 進数（小文字）", "64 lower-case digits of hex"),
    "entropy": (_is_key, " 64 桁の 16 進数（小文字）", "64 lower-case digits of hex"),
    "inputs": (
        lambda v: isinstance(v, list) and all(isinstance(line, str) for line in v),
        "文字列の列",
        "a list of texts",
    ),
    "outcome": (lambda v: v is None or isinstance(v, dict), "オブジェクト", "an object"),
    "sum": (_is_key, " 64 桁の 16 進数（小文字）", "64 lower-case digits of hex"),
}
_OPTIONAL: Final = frozenset({"packs", "sum"})  # the first records of format 1 lack them
