"""The scenes that a client under test is played, in order.

Each scene ends with a decision that the client answers, which shows that it got over what was done
to it. Those that cost a connection come last, because a client need not come back.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

import trio
from attrs import evolve
from kaguraden_protocol.errors import CloseCode

from ..texts import Json, canonical_hash
from .diary import Beat
from .host import ROOM, SEED, Judge

__all__ = ["DROPS", "SCENES", "play"]

RETRY_MS: Final = 700
QUIET: Final = 1.5  # seconds in which nothing may be done
PONG: Final = 5.0
STAYS_AWAY: Final = 8.0

WAIT: Final[Json] = {"id": "wait", "kind": "wait"}
GO: Final[Json] = {"id": "go:north", "kind": "go", "args": {"to": "north"}}
BID: Final[Json] = {"id": "bid", "kind": "bid", "value": {"type": "int", "min": 3, "max": 5}}
PAY: Final[Json] = {
    "id": "pay",
    "kind": "pay",
    "value": {"type": "cards", "from": ["9D", "QH", "2S"], "min": 2, "max": 2},
}
SORT: Final[Json] = {"id": "sort", "kind": "sort", "value": {"type": "order", "of": ["9D", "QH"]}}
PAINT: Final[Json] = {
    "id": "paint",
    "kind": "kit_paint",
    "args": {"with": {"any": ["thing"]}},
    "value": {"type": "kit_colour", "among": {"red": 1, "blue": 2}},
}
WILD_NAMES: Final = (
    "\x1b[2J\u202eevil\u200b\x07" + "舞" * 120,
    "e" + "\u0301" * 60 + "\n\r" + "W" * 400,
)


class Over(Exception):
    """The script cannot go on: the client is gone, or says nothing any more."""


async def answered(judge: Judge, decision: Json, seconds: float | None = None) -> bool:
    """Wait until a decision is answered; return whether it was, and take its default if not."""
    patience = judge.settings.patience if seconds is None else seconds
    name = decision["id"]
    gone = judge.link is None

    def test() -> bool:
        return name in judge.answers or (judge.link is None and not gone)

    await judge.until(test, patience)
    if name in judge.answers:
        return True
    judge.on_act = None
    if judge.link is None:
        raise Over
    await judge.update(events=[{"kind": "kit_moved", "by": "clock"}])
    return False


async def ask(
    judge: Judge, beat: Beat, options: Sequence[Json] = (GO, WAIT), **update: Any
) -> bool:
    """Ask the client something; whether it answered is noted in the beat."""
    kind = update.pop("kind", "kit_step")
    seconds = update.pop("seconds", None)
    decision = judge.decision(options, kind)
    await judge.update([decision], **update)
    beat.is_answered = await answered(judge, decision, seconds)
    return beat.is_answered


# --- what a client has to get over ----------------------------------------------------------------


async def _plain(judge: Judge, beat: Beat) -> None:
    for _ in range(judge.settings.rounds):
        for options in ((GO, WAIT), (BID,), (PAY,), (SORT,)):
            if not await ask(judge, beat, options):
                return


async def _unknown_kinds(judge: Judge, beat: Beat) -> None:
    event = {"kind": "kit_comet", "tail": {"long": True}}
    strange = {"id": "kit:~strange/1", "kind": "kit_strange", "args": {"x": [1, None]}}
    await ask(judge, beat, (strange, WAIT), kind="kit_riddle", events=[event])


async def _unknown_values(judge: Judge, beat: Beat) -> None:
    for _ in range(4):
        if not await ask(judge, beat, (PAINT, {**PAINT, "id": "paint:2"}, GO)):
            return


async def _unknown_pushes(judge: Judge, beat: Beat) -> None:
    await judge.send({"type": "kit_weather", "room": ROOM, "wind": [1, {"from": "north"}]})
    await judge.send({"type": "kit_silence"})
    notice = {"code": "kit_tea_time", "message": "tea", "details": {"cups": 3}}
    await judge.send({"type": "notice", **notice})
    await ask(judge, beat)


async def _unknown_code(judge: Judge, beat: Beat) -> None:
    async def refuse(request: Json, _: Json) -> None:
        await judge.refuse(request, "kit_too_windy", {"gusts": [7]})
        await trio.sleep(0.2)
        beat.facts["refused"] = True
        await judge.update()
        judge.wake()

    judge.on_act = refuse
    first = judge.decision((GO, WAIT))
    await judge.update([first])
    await judge.until(lambda: "refused" in beat.facts, judge.settings.patience)
    await ask(judge, beat)


async def _wild_names(judge: Judge, beat: Beat) -> None:
    judge.names = list(WILD_NAMES)
    await judge.push_room()
    sender = {"user": "a11ce0000001", "name": WILD_NAMES[0], "seat": None}
    await judge.send({"type": "chat", "room": ROOM, "n": 1, "from": sender, "text": WILD_NAMES[1]})
    await ask(judge, beat)
    judge.names = ["Kit", "Kit"]
    await judge.push_room()


async def _pings(judge: Judge, beat: Beat) -> None:
    await judge.update(asked=[1 - (judge.seat or 0)])
    beat.facts["pong"] = await judge.ping(PONG)
    await ask(judge, beat)


async def _waits(judge: Judge, beat: Beat) -> None:
    """Somebody else is asked for a while."""
    await judge.update(asked=[1 - (judge.seat or 0)], events=[{"kind": "kit_moved", "seat": 0}])
    await trio.sleep(QUIET)
    await ask(judge, beat)


async def _withdrawn(judge: Judge, beat: Beat) -> None:
    """A decision is taken back before it can be answered; what was told of it comes once more."""
    first = judge.decision((GO, WAIT))
    told = await judge.update([first])
    await judge.update()
    await trio.sleep(QUIET)
    beat.facts["old"] = first["id"]
    await judge.send({"type": "update", "room": ROOM, **told})  # old: the number has been
    await trio.sleep(QUIET)
    await ask(judge, beat)


async def _replaced(judge: Judge, beat: Beat) -> None:
    """A decision is replaced while the answer is on its way."""
    second = judge.decision((BID, WAIT))

    async def replace(request: Json, _: Json) -> None:
        beat.facts["asked"] = True
        await judge.update([second])
        await judge.refuse(request, "stale", {"current": [second["id"]]})
        judge.wake()

    judge.on_act = replace
    first = judge.decision((GO, WAIT))
    await judge.update([first])
    await judge.until(lambda: "asked" in beat.facts, judge.settings.patience)
    if "asked" in beat.facts:
        beat.is_answered = await answered(judge, second)


async def _again(judge: Judge, beat: Beat, code: str, details: Json) -> None:
    """Refuse an act in a way that asks for the same again."""

    async def refuse(request: Json, fields: Json) -> None:
        beat.facts |= {"refused_at": trio.current_time(), "fields": fields}
        judge.on_act = again
        await judge.refuse(request, code, details)
        judge.wake()

    async def again(request: Json, fields: Json) -> None:
        beat.facts |= {"again_at": trio.current_time(), "again": fields}
        await judge.answer_act(request, fields)

    judge.on_act = refuse
    first = judge.decision((GO, BID, PAY))
    await judge.update([first])
    await judge.until(lambda: "refused_at" in beat.facts, judge.settings.patience)
    await answered(judge, first, judge.settings.soon)
    judge.on_act = None
    await ask(judge, beat)


async def _too_many(judge: Judge, beat: Beat) -> None:
    await _again(judge, beat, "too_many_requests", {"retry_after_ms": RETRY_MS, "limit": 20})


async def _unavailable(judge: Judge, beat: Beat) -> None:
    await _again(judge, beat, "unavailable", {})


async def _gap(judge: Judge, beat: Beat) -> None:
    last = judge.history[-1]["seq"]
    if judge.link is None:
        raise Over
    link, before = judge.link, len(judge.link.synced)
    await judge.update(silent=True)
    decision = judge.decision((GO, WAIT))
    await judge.update([decision])
    await judge.until(lambda: len(link.synced) > before, judge.settings.soon)
    beat.facts |= {"last": last, "synced": link.synced[before:]}
    beat.is_answered = decision["id"] in judge.answers or await answered(judge, decision)


async def _full(judge: Judge, beat: Beat) -> None:
    """The numbers begin anew, as after a restart."""
    judge.history.clear()
    await ask(judge, beat, full=True, seq=3)
    beat.is_answered = beat.is_answered and await ask(judge, beat)


async def _patched(judge: Judge, beat: Beat) -> None:
    """A client that asked for patches gets them, and one whose hash is another's."""
    if "patch" not in judge.diary.capabilities or judge.link is None:
        return
    beat.facts["tried"] = True
    link = judge.link
    update = await judge.update(silent=True)
    view = {k: v for k, v in judge.history[-2]["view"].items() if k != "table"}
    changed = {**view, "table": update["view"]["table"]}
    patch = [{"op": "replace", "path": "/table", "value": update["view"]["table"]}]
    patch += [{"op": "replace", "path": "/asked", "value": update["view"]["asked"]}]
    changed["asked"] = update["view"]["asked"]
    judge.history[-1] = {**update, "view": changed}
    told = {k: v for k, v in update.items() if k != "view"}
    before = len(link.synced)
    await judge.send(
        {"type": "update", "room": ROOM, **told, "patch": patch, "hash": canonical_hash(changed)}
    )
    await trio.sleep(QUIET)
    beat.facts["right"] = link.synced[before:]
    update = await judge.update(silent=True)
    told = {k: v for k, v in update.items() if k != "view"}
    await judge.send({"type": "update", "room": ROOM, **told, "patch": [], "hash": "0" * 64})
    await judge.until(lambda: len(link.synced) > before, judge.settings.soon)
    beat.facts["wrong"] = link.synced[before:]
    await ask(judge, beat)


# --- what costs a connection -----------------------------------------------------------------------


async def _dropped(judge: Judge, beat: Beat, code: int | None) -> None:
    decision = judge.decision((GO, PAY))
    await judge.update()
    await judge.ping(1)
    beat.facts["back"] = await judge.drop(code)
    if not beat.facts["back"]:
        raise Over
    await judge.update([decision])
    beat.is_answered = await answered(judge, decision)


async def _cut(judge: Judge, beat: Beat) -> None:
    await _dropped(judge, beat, None)


async def _restarting(judge: Judge, beat: Beat) -> None:
    await _dropped(judge, beat, CloseCode.RESTARTING)


async def _internal(judge: Judge, beat: Beat) -> None:
    await _dropped(judge, beat, CloseCode.INTERNAL)


async def _too_slow(judge: Judge, beat: Beat) -> None:
    await _dropped(judge, beat, CloseCode.TOO_SLOW)


async def _between(judge: Judge, beat: Beat) -> None:
    """The connection ends between an act and its ok; the act was carried out."""

    async def lose(request: Json, fields: Json) -> None:
        beat.facts |= {"fields": fields, "seq": judge.history[-1]["seq"]}
        await judge.accept(request, fields, silent=True)
        judge.wake()

    judge.on_act = lose
    decision = judge.decision((GO, BID, PAY))
    await judge.update([decision])
    await judge.until(lambda: "fields" in beat.facts, judge.settings.patience)
    if "fields" not in beat.facts:
        return
    beat.facts["back"] = await judge.drop()
    if not beat.facts["back"]:
        raise Over
    same = beat.facts["fields"]

    def resent() -> bool:
        acts = [c for c in judge.diary.of("act") if c.link == len(judge.diary.links)]
        return any(same.items() <= c.request.items() for c in acts)

    beat.facts["resent"] = await judge.until(resent, judge.settings.soon)
    judge.on_act = None
    await ask(judge, beat)


Scene = Callable[[Judge, Beat], Awaitable[None]]

SCENES: Final[Mapping[str, Scene]] = {
    "plain": _plain,
    "unknown-kinds": _unknown_kinds,
    "unknown-values": _unknown_values,
    "unknown-pushes": _unknown_pushes,
    "unknown-code": _unknown_code,
    "wild-names": _wild_names,
    "pings": _pings,
    "waits": _waits,
    "withdrawn": _withdrawn,
    "replaced": _replaced,
    "too-many": _too_many,
    "unavailable": _unavailable,
    "gap": _gap,
    "full": _full,
    "patched": _patched,
}
DROPS: Final[Mapping[str, Scene]] = {
    "cut": _cut,
    "between": _between,
    "restarting": _restarting,
    "internal": _internal,
    "too-slow": _too_slow,
}


async def play(judge: Judge) -> None:
    """Play all scenes, then end the game."""
    try:
        with judge.scope:
            judge.scope.deadline = trio.current_time() + judge.settings.timeout
            await _play(judge)
        judge.diary.is_slow = judge.diary.is_slow or judge.scope.cancelled_caught
    except Over:
        pass
    judge.done.set()
    judge.wake()


async def _play(judge: Judge) -> None:
    diary = judge.diary
    await judge.until(lambda: diary.is_started, judge.settings.timeout)
    await judge.update(events=[judge.fairness()])
    scenes = {**SCENES, **(DROPS if judge.settings.drops else {})}
    silent = 0
    for name, scene in scenes.items():
        beat = diary.beats[name] = Beat(name)
        await scene(judge, beat)
        beat.is_done = True
        silent = 0 if beat.is_answered or name == "patched" else silent + 1
        if silent > 2:
            diary.is_slow = True
            return
    if judge.settings.end:
        beat = diary.beats["sent-away"] = Beat("sent-away")
        links = len(diary.links)
        judge.settings = evolve(judge.settings, comeback=0.0)
        await judge.drop(judge.settings.end)
        await trio.sleep(STAYS_AWAY)
        beat.facts["links"] = len(diary.links) - links
        beat.is_done = True
        return
    await _end(judge)


async def _end(judge: Judge) -> None:
    ranking = [{"seat": n, "rank": 1 + n, "score": -n} for n in range(judge.seats)]
    judge.phase = "over"
    judge.diary.is_over = True
    fairness = {"seed": SEED.hex()}
    outcome = {"ranking": ranking, "reason": "kit_done", "fairness": fairness}
    await judge.update(phase="over", outcome=outcome)
    await judge.push_room()
    link = judge.link
    await judge.until(lambda: judge.link is None, QUIET * 2)
    if link is not None and link.ended_by != "client":
        link.ended_by = ""
