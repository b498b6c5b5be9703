"""For every clause about servers a server that breaks it, and what the kit says then.

Each entry is the real server with one fault in front of it; `wants` is in what was expected or came,
so that a clause cannot fail for another reason than the fault.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

from attrs import frozen
from kaguraden_client.conformance.server.line import Ended, HttpReply

from .house import Message, Mutant

__all__ = ["MUTANTS", "Entry"]

Down = Callable[[Message, Message], Any]


@frozen
class Entry:
    """A mutant, and words that the report about it must hold."""

    mutant: Mutant
    wants: str
    game: str = "ofuda"
    password: str = ""


def grants(*codes: str, wants: str = "error", result: Message | None = None) -> Entry:
    """A server that does not refuse something."""

    def down(m: Message, _: Message) -> Message:
        if m.get("code") in codes and m["type"] == "error":
            return {"type": "ok", "re": m["re"], "result": result or {}}
        return m

    return Entry(Mutant(down), wants)


def says(code: str, other: str = "internal") -> Entry:
    """A server that refuses with another code."""

    def down(m: Message, _: Message) -> Message:
        return {**m, "code": other} if m.get("code") == code else m

    return Entry(Mutant(down), code)


def refuses(code: str = "internal", wants: str = "ok", **fields: Any) -> Entry:
    """A server that refuses requests which have these fields."""

    def up(text: bytes, _: Message) -> Any:
        try:
            m = json.loads(text)
        except ValueError:
            return text
        if not isinstance(m, dict) or any(m.get(k) != v for k, v in fields.items()):
            return text
        return {"type": "error", "re": m["id"], "code": code, "message": "no", "details": {}}

    return Entry(Mutant(up=up), wants)


def edits(kind: str, change: Callable[[Message], Any], wants: str, game: str = "ofuda") -> Entry:
    """A server whose messages of a type are changed in place."""

    def down(m: Message, _: Message) -> Message:
        if m["type"] == kind:
            change(m)
        return m

    return Entry(Mutant(down), wants, game)


def results(field: str, change: Callable[[Message], Any], wants: str) -> Entry:
    """A server whose results with a field are changed in place."""

    def down(m: Message, _: Message) -> Message:
        if m["type"] == "ok" and field in m["result"]:
            change(m["result"])
        return m

    return Entry(Mutant(down), wants)


def details(code: str, wants: str, **changed: Any) -> Entry:
    """A server whose errors of a code have other details."""

    def down(m: Message, _: Message) -> Message:
        return {**m, "details": {**m["details"], **changed}} if m.get("code") == code else m

    return Entry(Mutant(down), wants)


def ups(change: Callable[[bytes], bytes], wants: str) -> Entry:
    """A server that understands something else than what was sent."""
    return Entry(Mutant(up=lambda text, _: change(text)), wants)


def swaps(old: str, new: str, wants: str) -> Entry:
    """A server that reads one text as another."""
    return ups(lambda text: text.replace(old.encode(), new.encode()), wants)


def closes(old: int, new: int | None, reason: str = "") -> Entry:
    """A server that closes with another code, or not at all."""

    def ends(end: Ended) -> Ended | None:
        if end.code != old:
            return end
        return None if new is None else Ended(new, reason or end.reason)

    return Entry(Mutant(ends=ends), f"close {old}" if new not in (None, old) else "")


def drops(kind: str, wants: str, **fields: Any) -> Entry:
    """A server that does not send some pushes."""

    def down(m: Message, _: Message) -> Message | None:
        fits = m["type"] == kind and all(m.get(k) == v for k, v in fields.items())
        return None if fits else m

    return Entry(Mutant(down), wants)


def updates(change: Callable[[Message], Any], wants: str, game: str = "ofuda") -> Entry:
    """A server with other updates."""
    return edits("update", change, wants, game)


def views(change: Callable[[Message], Any], wants: str) -> Entry:
    """A server with other views."""

    def edit(m: Message) -> None:
        if "view" in m:
            change(m["view"])

    return updates(edit, wants)


def decisions(change: Callable[[Message], Any], wants: str) -> Entry:
    """A server with other decisions."""
    return updates(lambda m: [change(d) for d in m["decisions"]], wants)


def infos(change: Callable[[Message], Any], wants: str) -> Entry:
    """A server with other RoomInfo."""
    return edits("room", lambda m: change(m["info"]), wants)


def http(path: str, reply: HttpReply, wants: str) -> Entry:
    """A server that answers a path over HTTP in another way."""
    return Entry(Mutant(http=lambda asked, real: reply if asked == path else real), wants)


def seats(change: Callable[[list[Message]], Any], wants: str) -> Entry:
    """A server that shows the seats of a room otherwise."""
    return infos(lambda info: change(info["seats"]), wants)


def texts(old: str, new: str) -> Callable[[Message], Any]:
    def edit(m: Message) -> None:
        changed = json.loads(json.dumps(m).replace(old, new))
        m.clear()
        m.update(changed)

    return edit


# --- faults that take more than a line --------------------------------------------------------------


def _never_over(view: Message) -> None:
    view.pop("outcome", None)


def _twice_in_a_row(m: Message, memory: Message) -> Any:
    """Replies change places."""
    if "re" not in m or not str(m["re"]).startswith("r"):
        return m
    held = memory.pop("held", None)
    if held is None:
        memory["held"] = m
        return None
    return [m, held]


def _hold_early_push(m: Message, memory: Message) -> Any:
    if m["type"] == "ok" and "token" in m["result"] and not memory.get("told"):
        memory["told"] = True
        return [{"type": "lobby", "rooms": []}, m]
    return m


def _abuse(text: bytes, memory: Message) -> Any:
    """The count of bad texts does not begin anew."""
    memory["bad"] = memory.get("bad") or text == b"?"
    return b"?" if memory["bad"] else text


def _asks_again(m: Message, memory: Message) -> Any:
    """A decision that was answered is listed again later."""
    if m["type"] == "update":
        first = memory.setdefault(f"first {memory['me']}", m["decisions"][:1])
        if m["seq"] > 4 and not m["decisions"]:
            m["decisions"] = first
    return m


def _lags(m: Message, memory: Message) -> Any:
    """The actor's update comes after its ok."""
    if m["type"] == "update":
        if memory.get("armed"):
            memory.setdefault("late", []).append(m)
            return None
        return m
    if m["type"] == "ok" and "seq" in m["result"] and memory.pop("armed", False):
        return [m, *memory.pop("late", [])]
    return m


def _arms(text: bytes, memory: Message) -> Any:
    if b'"type":"act"' in text:
        memory["armed"] = True
    return text


def _forgets_acts(text: bytes, memory: Message) -> Any:
    """The same act again is stale."""
    m = json.loads(text)
    if m.get("type") != "act":
        return text
    key = (m["room"], m["decision"], m["option"])
    if key in memory.setdefault("acts", set()):
        fields = {"code": "stale", "message": "no", "details": {"current": []}}
        return {"type": "error", "re": m["id"], **fields}
    memory["acts"].add(key)
    return text


def _forgets_acts_elsewhere(text: bytes, memory: Message) -> Any:
    if b'"resume"' in text:
        memory["elsewhere"] = True
    if memory.get("elsewhere"):
        return _forgets_acts(text, memory)
    _forgets_acts(text, memory)
    return text


def _takes_other_answers(m: Message, memory: Message) -> Any:
    if m["type"] == "error" and m["code"] in ("stale", "not_your_decision"):
        return {"type": "ok", "re": m["re"], "result": {"seq": 1}}
    return m


def _tells_of_refusals(m: Message, memory: Message) -> Any:
    if m["type"] == "update":
        memory["last"] = m
    if m["type"] == "error" and m["code"] == "illegal_option" and "last" in memory:
        last = memory["last"]
        return [{**last, "seq": last["seq"] + 1, "events": []}, m]
    return m


def _updates_before_sync(m: Message, memory: Message) -> Any:
    if m["type"] == "update":
        memory["last"] = m
    if m["type"] == "ok" and m["result"].get("resumed"):
        return [m, memory["last"]]
    return m


def _full_for_all(m: Message, memory: Message) -> Any:
    """`sync` brings what was missed as one full update."""
    if m["type"] == "update" and not m["full"] and memory.get("syncing"):
        memory["held"] = {**m, "full": True}
        return None
    if "re" in m and memory.pop("syncing", False):
        return [*([memory.pop("held")] if "held" in memory else []), m]
    return m


def _notes_sync(text: bytes, memory: Message) -> Any:
    memory["syncing"] = b'"sync"' in text and b'"seq"' in text
    return text


def _counts_answers(m: Message, memory: Message) -> Any:
    """While a window is open everybody is told again and again."""
    last = f"last {memory['me']}"
    if m["type"] == "update":
        memory[last] = m
    is_open = memory.get(last, {}).get("view", {}).get("phase") == "window"
    if m["type"] == "ok" and m["result"] == {} and is_open:
        return [memory[last], m]
    return m


def _half_a_patch(m: Message) -> None:
    if "patch" in m:
        m["patch"] = [step for step in m["patch"] if not step["path"].startswith("/table")]


def _leaks_seed(m: Message, memory: Message) -> Any:
    seed = memory.setdefault("seed", "ab" * 32)
    if m["type"] == "room":
        m["info"]["title"] = seed
    if m["type"] == "update":
        outcome = m.get("view", {}).get("outcome")
        if outcome:
            outcome["fairness"] = {"seed": seed}
        for step in m.get("patch", ()):
            if step["path"] == "/outcome":
                step["value"]["fairness"] = {"seed": seed}
    return m


def _commitments_differ(m: Message, memory: Message) -> Any:
    if m["type"] == "room":
        memory["n"] = memory.get("n", 0) + 1
        m["info"]["commitment"] = f"{memory['n']:064x}"
    return m


def _alternates_tokens(m: Message, memory: Message) -> Any:
    if m["type"] == "ok" and "token" in m["result"]:
        m["result"]["token"] = memory.setdefault("token", m["result"]["token"])
    return m


def _old_tokens_die(text: bytes, memory: Message) -> Any:
    m = json.loads(text)
    token = m.get("resume")
    used = memory.setdefault("used", set())
    if token is not None and token in used:
        return text.replace(token.encode(), b"gone")
    used.add(token)
    return text


def _rate_of_nothing(m: Message, _: Message) -> Any:
    return {**m, "details": {"limit": 20}} if m.get("code") == "too_many_requests" else m


def _lists_all(m: Message, memory: Message) -> Any:
    """Unlisted rooms are listed too."""
    if m["type"] == "room":
        memory.setdefault("rooms", {})[m["room"]] = m["info"]
    if m["type"] == "ok" and "rooms" in m["result"] and "token" not in m["result"]:
        m["result"]["rooms"] = list(memory.get("rooms", {}).values())
    return m


def _watches_for_ever(m: Message, memory: Message) -> Any:
    if m["type"] == "lobby":
        memory["lobby"] = m
    if m["type"] == "ok" and m["result"] == {} and "lobby" in memory:
        return [memory["lobby"], m]
    return m


def _ok_before_room(m: Message, memory: Message) -> Any:
    """The push `room` comes after the ok to `create`."""
    if m["type"] == "room" and "created" not in memory:
        memory["held"] = m
        return None
    if m["type"] == "ok" and set(m["result"]) == {"room", "seat"} and "held" in memory:
        memory["created"] = True
        return [m, memory.pop("held")]
    return m


def _stays_ready(m: Message, memory: Message) -> Any:
    if m["type"] == "room":
        for seat in m["info"]["seats"]:
            if "user" in seat:
                seat["ready"] = True
    return m


def _keeps_holes(m: Message, _: Message) -> Any:
    if m["type"] == "room" and m["info"]["phase"] == "playing":
        m["info"]["seats"][-1]["seat"] += 1
    return m


def _chat_forgets(m: Message, memory: Message) -> Any:
    """Whoever joins is not told what was said."""
    if m["type"] == "chat" and memory.get("said", 0) >= 1:
        return None
    if m["type"] == "chat":
        memory["said"] = 1
    return m


def _names_alike(m: Message, _: Message) -> Any:
    if m["type"] == "room":
        for seat in m["info"]["seats"]:
            if "name" in seat:
                seat["name"] = seat["name"].rstrip("0123456789 ")
    return m


def _never_away(m: Message, _: Message) -> Any:
    if m["type"] == "room":
        for seat in m["info"]["seats"]:
            seat.pop("away", None)
    return m


def _clock_stands(m: Message, memory: Message) -> Any:
    if m["type"] == "update":
        for clock in m["clock"]:
            clock["left_ms"] = clock["total_ms"]
    return m


def _forgets_limit(m: Message, memory: Message) -> Any:
    if m["type"] == "error" and m["code"] == "limit_reached":
        return {"type": "ok", "re": m["re"], "result": {"room": "KAGU-0000", "seat": 0}}
    return m


def _unlocked(text: bytes, _: Message) -> Any:
    return text.replace(b'"password":"oak"', b'"password":"maple"')


def _as_html(text: str) -> HttpReply:
    return HttpReply(200, {"content-type": "text/html"}, text.encode())


_DECISION: Message = {
    "id": "9.9",
    "kind": "turn",
    "options": [{"id": "rest", "kind": "rest", "args": {}}],
    "default": "rest",
    "sealed": False,
}


def _never_ends(m: Message, _: Message) -> Message:
    if m["type"] == "update":
        m.get("view", {}).pop("outcome", None)
        m["patch"] = [s for s in m.get("patch", ()) if s["path"] != "/outcome"]
        if not m["patch"]:
            del m["patch"]
    return m


def _strict_codes(text: bytes, memory: Message) -> Any:
    """Codes are read only as they are written."""
    m = json.loads(text)
    if m["type"] == "join" and m["room"] not in memory.get("codes", ()):
        fields = {"code": "room_not_found", "message": "no", "details": {"room": m["room"]}}
        return {"type": "error", "re": m["id"], **fields}
    return text


def _knows_codes(m: Message, memory: Message) -> Message:
    if m["type"] == "room":
        memory.setdefault("codes", set()).add(m["room"])
    return m


def _keeps_sealed(m: Message, memory: Message) -> Message:
    """A sealed decision stays among the open ones after it is answered."""
    if m["type"] == "update":
        sealed = [d for d in m["decisions"] if d["sealed"]]
        for decision in sealed:
            memory[decision["id"]] = decision
        if not m["decisions"] and m.get("view", {}).get("phase") == "window":
            you = m["view"].get("you", {})
            m["decisions"] = [d for d in memory.values() if "answered" in you][-1:]
    return m


BAD = "bad_json"


MUTANTS: dict[str, Entry] = {
    # 1
    "S-game": Entry(Mutant(_never_ends), "the end of ofuda"),
    # 2: the handshake
    "S-no-subprotocol": Entry(Mutant(refuses=lambda _: None), "HTTP 400 and a text"),
    "S-unknown-subprotocol": Entry(
        Mutant(refuses=lambda r: type(r)(r.status, "bad request")), "HTTP 400 and a text"
    ),
    "S-subprotocol": Entry(Mutant(chooses=lambda _: "kaguraden.v999"), "kaguraden.v1"),
    "S-origin": Entry(Mutant(refuses=lambda _: None), "HTTP 403"),
    "S-host": http("/healthz", _as_html("ok"), "HTTP 421"),
    "S-http": http("/readyz", HttpReply(404, {}, b""), "HTTP 404"),
    "S-http-schema": http("/protocol/v1/schema.json", _as_html("<html>"), "$schema"),
    # 2: JSON
    "S-json-syntax": ups(lambda t: t if t != b"ping" else b'{"type":"ping","id":7}', BAD),
    "S-json-object": says(BAD),
    "S-json-duplicate": swaps(',"id":7}', "}", BAD),
    "S-json-fraction": swaps("1.0", "1", BAD),
    "S-json-nan": swaps("NaN", "null", BAD),
    "S-json-range": swaps("9007199254740992", "0", BAD),
    "S-json-surrogate": swaps("\\ud800", "?", BAD),
    "S-json-nul": swaps("\\u0000", "?", BAD),
    "S-json-bom": ups(lambda t: t.removeprefix(b"\xef\xbb\xbf"), BAD),
    "S-json-depth": swaps("[" * 31, "[" * 32, "reply with re 7"),
    "S-json-values": swaps("1,1,1,1", "1,1,1", BAD),
    # 2: frames
    "S-frame-limit": swaps("aaaa", "aaaaaa", "reply with re 7"),
    "S-frame-too-large": swaps("aa", "a", "connection ends"),
    "S-binary": Entry(Mutant(binary=False), "connection ends"),
    "S-utf-8": ups(lambda t: t.replace(b"\xff", b"?"), "connection ends"),
    "S-bad-messages": closes(4000, 1000),
    "S-bad-messages-apart": Entry(Mutant(up=_abuse), "a reply with re"),
    "S-bad-value-is-none": says("bad_value", "bad_message"),
    "S-frames": updates(lambda m: m.update(kit=0.5), "bad_json"),
    "S-no-push-before": Entry(Mutant(_hold_early_push), "replies only"),
    # 3
    "S-replies": Entry(Mutant(_twice_in_a_row), "one reply for each"),
    "S-id-forms": edits(
        "ok", lambda m: m["result"] == {} and m.update(re=str(m["re"])), "with re 0"
    ),
    "S-bad-ids": says("bad_message"),
    "S-unknown-field": swaps(',"speed":9', "", "bad_message"),
    "S-x-field": swaps('"x_note"', '"note"', "unknown field"),
    "S-null-field": swaps(',"game":null', "", "bad_message"),
    "S-types": swaps('"seats":"2"', '"seats":2', "bad_message"),
    "S-missing-field": says("bad_message"),
    "S-locale": edits("error", lambda m: m.update(message="no"), "a message in Japanese"),
    # 4
    "S-no-hello": closes(4001, None),
    "S-hello-required": says("hello_required"),
    "S-already-open": grants("already_open"),
    "S-hello-result": results("token", lambda r: r.pop("server"), "server of type dict"),
    "S-games": results("token", lambda r: r["games"][0].pop("rules"), "rules of type str"),
    "S-token": results("token", lambda r: r.update(token=r["token"][:8]), "128 bits"),
    "S-capabilities": results(
        "token", lambda r: r.update(capabilities=["patch", "kit.none"]), "no capabilities"
    ),
    "S-hello-again": refuses(name="Kit 1"),
    "S-bad-names": details("bad_name", "details.position", position=99),
    "S-good-names": refuses("bad_name", name="é"),
    "S-alike-names": Entry(Mutant(_names_alike), "with a number"),
    "S-server-password": Entry(closes(4005, 1000).mutant, "close 4005", password="maple"),  # noqa: S106
    "S-silent": Entry(Mutant(quiet=False), "nothing before hello"),
    # 5
    "S-rematch": drops("notice", "a notice rematch", code="rematch"),
    "S-pause": updates(lambda m: [c.pop("paused", 0) for c in m["clock"]], "paused: true"),
    "S-create": Entry(Mutant(_ok_before_room), "a push room, then seat 0"),
    "S-listed": Entry(Mutant(_lists_all), "and not"),
    "S-rooms-of-a-game": swaps('"game":"no_such_game"', '"game":"ofuda"', "no rooms of a game"),
    "S-watch": Entry(Mutant(_watches_for_ever), "no lobby push"),
    "S-codes": Entry(Mutant(_knows_codes, _strict_codes), "room_not_found"),
    "S-room-password": Entry(Mutant(up=_unlocked), "bad_password"),
    "S-join": says("seat_taken"),
    "S-join-again": edits("ok", lambda m: m["result"].update(seat=0), "seat null"),
    "S-leave": grants("not_member"),
    "S-spectator": says("not_seated"),
    "S-options": infos(lambda i: i["options"].update(turns=3), "turns = 8"),
    "S-bad-options": grants("bad_options", result={"room": "KAGU-0000", "seat": 0}),
    "S-configure": Entry(Mutant(_stays_ready), "nobody ready"),
    "S-start": details("not_ready", "unready with seat 0", unready=[]),
    "S-started": says("room_started"),
    "S-nonce": swaps("00" * 15 + '"', "00" * 16 + '"', "bad_message"),
    "S-open-seats": Entry(Mutant(_keeps_holes), "numbered from 0"),
    "S-bot": details("unsupported", "details.levels", levels=None),
    "S-kick": edits("closed", lambda m: m.update(reason=""), "a reason"),
    "S-host-powers": seats(lambda s: s[0].update(host=True), "one host"),
    "S-catalog": results(
        "cards", lambda r: next(iter(r["cards"].values()))["name"].pop("ja"), "name: {ja, en}"
    ),
    "S-chat-cleaned": edits("chat", lambda m: m.update(text="a\x1b[2Jbc"), "control characters"),
    "S-chat-length": says("bad_message"),
    "S-auto": grants("bad_message", "unsupported", wants="an error"),
    # 6, 7
    "S-away": Entry(Mutant(_never_away), "seat 1 away"),
    "S-room-info": infos(lambda i: i.pop("commitment"), "commitment in RoomInfo"),
    "S-room-push": seats(lambda s: [x.pop("ready", 0) for x in s], "ready"),
    "S-chat": edits("chat", lambda m: m.update(n=2 * m["n"]), "n and n + 1"),
    "S-chat-history": Entry(Mutant(_chat_forgets), "a push chat"),
    # 8
    "S-first-update": updates(lambda m: m.update(seq=m["seq"] + 4), "seq 1 and a view"),
    "S-seq": updates(lambda m: m.update(seq=m["seq"] + m["seq"] // 5), "seq 5"),
    "S-view": views(lambda v: v["seats"].reverse(), "seats in order"),
    "S-you": views(lambda v: v.setdefault("you", {}), "no you for a spectator"),
    "S-events": updates(lambda m: [e.pop("kind") for e in m["events"]], "an event {kind"),
    "S-own-decisions": updates(
        lambda m: m["decisions"] or m.update(decisions=[copy.deepcopy(_DECISION)]), "own"
    ),
    "S-decision": decisions(lambda d: d.update(default="no_such"), "default"),
    "S-decision-ids": Entry(Mutant(_asks_again), "never again"),
    "S-clock": updates(
        lambda m: [c.update(left_ms=c["total_ms"] + 1) for c in m["clock"]], "left_ms"
    ),
    "S-clock-runs": Entry(Mutant(_clock_stands), "less"),
    "S-outcome": views(
        lambda v: "outcome" in v and v["outcome"]["ranking"].reverse(), "the best first"
    ),
    "S-listed-options": refuses("illegal_option", option="rest"),
    "S-answered-is-gone": Entry(Mutant(_keeps_sealed), "gone"),
    "S-full-is-the-same": edits(
        "update", lambda m: m["full"] and m["view"].update(phase="?"), "outcome"
    ),
    # 9
    "S-lost-races": details("stale", "details.current", current=[]),
    "S-own-update-first": Entry(Mutant(_lags, _arms), "the last update before the ok"),
    "S-illegal-option": says("illegal_option", "bad_message"),
    "S-bad-value": grants("bad_value"),
    "S-not-your-decision": Entry(Mutant(_takes_other_answers), "not_your_decision"),
    "S-refusal-changes-nothing": Entry(Mutant(_tells_of_refusals), "no update for anybody"),
    "S-act-again": Entry(Mutant(up=_forgets_acts), "stale"),
    "S-act-again-elsewhere": Entry(Mutant(up=_forgets_acts_elsewhere), "stale"),
    "S-other-answer": Entry(Mutant(_takes_other_answers), "stale or not_your_decision"),
    # 10
    "S-resume": results("token", lambda r: r.update(resumed=False), "resumed: true"),
    "S-resume-lobby": results("token", lambda r: r.update(rooms=[]), "the room"),
    "S-unknown-token": refuses("bad_password", resume="no-such-token-0123456789abcdef"),
    "S-new-token": Entry(Mutant(_alternates_tokens), "another token"),
    "S-old-token": Entry(Mutant(up=_old_tokens_die), "resumed: true"),
    "S-taken-over": closes(4004, 1000),
    "S-silent-before-sync": Entry(Mutant(_updates_before_sync), "no update before sync"),
    "S-sync-missed": Entry(Mutant(_full_for_all, _notes_sync), "the update as it was"),
    "S-sync-ring": Entry(Mutant(_full_for_all, _notes_sync), "none full"),
    "S-sync-full": updates(lambda m: m.update(full=False), "full: true"),
    # 11
    "S-patch-asked": updates(lambda m: m.update(hash="00" * 32), "no patch and no hash"),
    "S-patch": updates(_half_a_patch, "ofuda"),
    "S-patch-hash": updates(lambda m: "hash" in m and m.update(hash="00" * 32), "00" * 32),
    # 12
    "S-spectator-acts": says("not_seated"),
    "S-not-over": says("not_over"),
    "S-unknown-type": says("unknown_type"),
    "S-problems": details("bad_message", "1 to 8", problems=[{"path": "$.a", "problem": "?"}] * 9),
    "S-error-form": edits("error", lambda m: m.update(message=""), "a message"),
    "S-join-nowhere": details("room_not_found", "details with room", room=None),
    "S-not-member": details("not_member", "details with room", room=None),
    "S-unsupported": says("unsupported", "bad_message"),
    # 14
    "S-limits": results("token", lambda r: r["limits"].update(write_ms=-1), "above 0"),
    "S-rooms-per-user": Entry(Mutant(_forgets_limit), "limit_reached"),
    "S-rate": Entry(Mutant(_rate_of_nothing), "retry_after_ms"),
    "S-rate-abuse": closes(4006, 4000, "too many bad messages in a row"),
    "S-chat-rate": says("too_many_requests"),
    # 15, 16
    "S-seed-hidden": Entry(Mutant(_leaks_seed), "no seed before the outcome"),
    "S-sealed": Entry(Mutant(_counts_answers), "no update for others", game="ofuda3"),
    "S-fairness": updates(
        lambda m: [e.update(commitment="00") for e in m["events"] if e["kind"] == "fairness"],
        "commitment",
    ),
    "S-nonces": updates(
        lambda m: [e["nonces"].reverse() for e in m["events"] if e["kind"] == "fairness"], "nonces"
    ),
    "S-commitment-stays": Entry(Mutant(_commitments_differ), "commitment"),
    "S-seed": edits("update", texts('"seed": "', '"seed": "00'), "outcome.fairness"),
    "S-replay": results("replay", lambda r: r["replay"].update(seats=9), "seats 2"),
    "S-entropy": results("replay", lambda r: r["replay"].update(entropy="00"), "entropy"),
    "S-replay-sum": results("replay", lambda r: r["replay"].update(sum="00"), "sum"),
    "S-protocol-version": results("token", lambda r: r.update(protocol="2.0"), "1.x"),
}
