"""Sections 8, 9 and 15: updates, decisions, acting, secrets. Most look at whole recorded games."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import trio
from kaguraden_protocol.codec import decode_push_or_reply
from kaguraden_protocol.errors import RemoteProtocolError
from kaguraden_protocol.limits import Limits

from ..clause import Failed, Skipped
from ..texts import Json, dump
from .guest import PAUSE, Place, act_fields
from .kit import KNOWN_VALUES, RACES, Kit, Record, fitting
from .registry import clause


@clause(
    "game",
    1,
    ja="ゲームの規則を知らなくても、示された手から選んで対局を終局まで進められる。",
    en="Every game can be played to its end by taking listed options, without knowing its rules.",
    seconds=300,
)
async def _game(kit: Kit) -> None:
    try:
        records = await kit.records()
    except Skipped as skipped:
        if isinstance(skipped.__cause__, Failed):
            raise skipped.__cause__ from None
        raise
    for record in records:
        if not record.is_over:
            came = f"{len(record.steps)} answers in {kit.game_seconds:g} s, and no outcome"
            raise Failed(f"the end of {record.game}", came)


def _fail(record: Record, expected: str, came: object, sent: object = "") -> Failed:
    shown = came if isinstance(came, str) else dump(came)
    return Failed(expected, shown, sent or f"a game of {record.game}")


@clause(
    "frames",
    2,
    ja="どのメッセージも仕様どおりの JSON で、フィールドの型が合い、上限の大きさを超えない。",
    en="Every message is JSON within the bounds, has its fields with their types, and is within the "
    "limits.",
)
async def _frames(kit: Kit) -> None:
    for record in await kit.records():
        for guest in record.guests:
            limits = Limits(frame_out_bytes=guest.limit("frame_out_bytes", 262_144))
            for text in guest.frames:
                try:
                    decode_push_or_reply(text, limits)
                except RemoteProtocolError as error:
                    raise _fail(record, f"a message without faults: {error}", text) from None


@clause(
    "first-update",
    8,
    ja="最初の update の seq は 1 で、view がある。",
    en="A stream is numbered from 1, and its first update has a view.",
)
async def _first_update(kit: Kit) -> None:
    for record in await kit.records():
        for place in record.places:
            first = place.updates[0] if place.updates else {}
            if first.get("seq") != 1 or not isinstance(first.get("view"), dict):
                raise _fail(record, "an update with seq 1 and a view", first)


@clause(
    "seq",
    8,
    ja="update の seq は一つずつ増え、抜けない。",
    en="The numbers of a stream have no gap.",
)
async def _seq(kit: Kit) -> None:
    for record in await kit.records():
        for place in record.places:
            for one, two in pairwise(place.updates):
                if two["seq"] != one["seq"] + 1:
                    raise _fail(record, f"seq {one['seq'] + 1}", two)


@clause(
    "view",
    8,
    ja="view には game、phase、席の順の seats、table、asked がある。",
    en="A view has game, phase, seats in order, table and asked.",
)
async def _view(kit: Kit) -> None:
    for record in await kit.records():
        count = len(record.guests) - 1
        for place in record.places:
            for view in place.views:
                seats, asked = view.get("seats"), view.get("asked")
                fine = (
                    view.get("game") == record.game
                    and isinstance(view.get("phase"), str)
                    and isinstance(view.get("table"), dict)
                    and isinstance(seats, list)
                    and [seat.get("seat") for seat in seats] == list(range(count))
                    and isinstance(asked, list)
                    and set(asked) <= set(range(count))
                )
                if not fine:
                    raise _fail(record, "game, phase, seats in order, table, asked", view)


@clause(
    "you",
    8,
    ja="観戦者の view に you はない。",
    en="The view of a spectator has no you.",
)
async def _you(kit: Kit) -> None:
    for record in await kit.records():
        for view in record.places[-1].views:
            if "you" in view:
                raise _fail(record, "no you for a spectator", view["you"])


@clause(
    "events",
    8,
    ja="どの event にも kind がある。",
    en="Every event has its kind.",
)
async def _events(kit: Kit) -> None:
    for record in await kit.records():
        for _, update in record.updates:
            for event in update["events"]:
                if not isinstance(event, dict) or not isinstance(event.get("kind"), str):
                    raise _fail(record, "an event {kind, …}", event)


@clause(
    "own-decisions",
    8,
    ja="decisions は自分のものだけで、観戦者には来ない。",
    en="Decisions are the receiver's own only: a spectator gets none, two seats never the same.",
)
async def _own_decisions(kit: Kit) -> None:
    for record in await kit.records():
        owners: dict[str, int] = {}
        for n, update in record.updates:
            for decision in update["decisions"]:
                if n == len(record.guests) - 1:
                    raise _fail(record, "no decisions for a spectator", decision)
                if owners.setdefault(decision["id"], n) != n:
                    raise _fail(record, "decisions of one's own seat only", decision)


def _is_fitting_spec(spec: Any) -> bool:
    match spec:
        case {"type": "int", "min": int(least), "max": int(most)}:
            return least <= most
        case {"type": "cards", "from": list(among), "min": int(least), "max": int(most)}:
            return 0 <= least <= most <= len(among) and len(set(among)) == len(among)
        case {"type": "order", "of": list(among)}:
            return all(isinstance(card, str) for card in among)
        case {"type": str(kind)}:
            return kind not in KNOWN_VALUES
        case _:
            return False


@clause(
    "decision",
    8,
    ja="decision には id、kind、重複のない options、その一つである default、sealed がある。",
    en="A decision has id, kind, options with different ids, a default that is one of them, and "
    "sealed; a value is one of the table.",
)
async def _decision(kit: Kit) -> None:
    for record in await kit.records():
        for _, update in record.updates:
            for decision in update["decisions"]:
                options = decision.get("options") or []
                ids = [option.get("id") for option in options]
                fine = (
                    isinstance(decision.get("id"), str)
                    and isinstance(decision.get("kind"), str)
                    and isinstance(decision.get("sealed"), bool)
                    and decision.get("default") in ids
                    and len(set(ids)) == len(ids)
                )
                if not fine:
                    raise _fail(record, "id, kind, options, default, sealed", decision)
                for option in options:
                    args, kind = option.get("args"), option.get("kind")
                    spec = option.get("value", {"type": "none"})
                    if not (isinstance(args, dict) and isinstance(kind, str)):
                        raise _fail(record, "id, kind and args of an option", option)
                    if not _is_fitting_spec(spec):
                        raise _fail(
                            record, "a value of a type of section 8 that can be met", option
                        )


@clause(
    "decision-ids",
    8,
    ja="decision の id は選択肢が変われば変わり、部屋の中で二度と使われない。",
    en="The id of a decision changes whenever its options change, and never comes back.",
)
async def _decision_ids(kit: Kit) -> None:
    for record in await kit.records():
        for place in record.places:
            known: dict[str, object] = {}
            gone: set[str] = set()
            last: set[str] = set()
            for update in place.updates:
                now = {decision["id"]: decision["options"] for decision in update["decisions"]}
                for name, options in now.items():
                    if name in gone:
                        raise _fail(record, f"{name} never again", update["decisions"])
                    if known.setdefault(name, options) != options:
                        raise _fail(record, f"another id than {name}", update["decisions"])
                gone |= last - now.keys()
                last = set(now)


@clause(
    "clock",
    8,
    ja="clock は長さだけで表され、0 ≤ left_ms ≤ total_ms。decision は自分のもの。",
    en="Clocks are durations: 0 ≤ left_ms ≤ total_ms, and no more than a day; decision is one's own.",
)
async def _clock(kit: Kit) -> None:
    for record in await kit.records():
        for _, update in record.updates:
            own = {decision["id"] for decision in update["decisions"]}
            for clock in update["clock"]:
                left, total = clock.get("left_ms"), clock.get("total_ms")
                fine = (
                    type(left) is int
                    and type(total) is int
                    and 0 <= left <= total <= 366 * 86_400_000
                    and "seat" in clock
                    and clock.get("decision", None) in {None, *own}
                )
                if not fine:
                    raise _fail(record, "seat, 0 ≤ left_ms ≤ total_ms, decision", clock)


@clause(
    "clock-runs",
    8,
    ja="left_ms は送る時点の残りで、時がたてば減る。",
    en="left_ms is what is left at the moment of sending: it grows less as time goes by.",
)
async def _clock_runs(kit: Kit) -> None:
    async with kit.table() as table:
        guest, place = table.guests[0], table.place(0)

        def running() -> list[int]:
            return [c["left_ms"] + c.get("bank_ms", 0) for c in place.clock if not c.get("paused")]

        await table.until(running, "時計がありません", "there is no clock")
        await guest.ask("sync", room=table.room)
        before = running()
        await trio.sleep(PAUSE)
        await guest.ask("sync", room=table.room)
        after = running()
        if len(before) == len(after):
            for one, two in zip(before, after, strict=True):
                if not 0 < one - two < 20 * PAUSE * 1000:
                    raise guest.failed(f"about {PAUSE * 1000:.0f} ms less", [before, after])


@clause(
    "outcome",
    8,
    ja="終局の outcome には全席の順位があり、良い順で、同順位は同点。そのあと decisions はない。",
    en="The outcome ranks every seat, the best first, and equal ranks have equal scores; nothing is "
    "asked any more.",
)
async def _outcome(kit: Kit) -> None:
    for record in await kit.ended():
        for place in record.places:
            outcome = place.view["outcome"]
            ranking = outcome.get("ranking")
            if not isinstance(ranking, list) or not isinstance(outcome.get("reason"), str):
                raise _fail(record, "ranking and reason", outcome)
            ranks = [entry["rank"] for entry in ranking]
            seats = sorted(entry["seat"] for entry in ranking)
            if (
                seats != list(range(len(record.guests) - 1))
                or ranks != sorted(ranks)
                or ranks[0] != 1
            ):
                raise _fail(record, "every seat, the best first", ranking)
            for one, two in pairwise(ranking):
                if one["rank"] == two["rank"] and one["score"] != two["score"]:
                    raise _fail(record, "equal scores where ranks are equal", ranking)
            if place.decisions:
                raise _fail(record, "no decisions after the outcome", place.decisions)


# --- acting --------------------------------------------------------------------------------------


@clause(
    "listed-options",
    8,
    ja="示された手は、値が合えばすべて受け取る。",
    en="An answer that is listed and whose value fits is accepted.",
)
async def _listed_options(kit: Kit) -> None:
    for record in await kit.records():
        for step in record.steps:
            reply = step.reply
            if reply["type"] == "error" and reply.get("code") not in RACES:
                sent = dump(act_fields(record.room, step.decision, step.option, step.value))
                raise _fail(record, "ok", reply, sent)


@clause(
    "lost-races",
    9,
    ja="stale の details.current は今開いている decision で、断られたものは含まない。",
    en="details.current of stale are the decisions that are open, without the refused one.",
)
async def _lost_races(kit: Kit) -> None:
    async with kit.table() as table:

        def old() -> tuple[Place, Json] | None:
            for place in table.places:
                gone = [
                    d for u in place.updates for d in u["decisions"] if d["id"] not in _open(place)
                ]
                # One that was answered is answered the same again.
                fresh = [d for d in gone if d["id"] not in place.answered]
                if _open(place):
                    return place, (fresh or [{"id": "0.999999", "options": [{"id": "?"}]}])[0]
            return None

        await table.until(old, "誰も問われていません", "nobody is asked")
        found = old()
        if found is not None:
            place, decision = found
            guest = table.guests[table.places.index(place)]
            fields = act_fields(table.room, decision, decision["options"][0])
            details = await guest.refused("stale", "act", **fields)
            if sorted(details.get("current", [])) != sorted(_open(place)):
                raise guest.failed(f"details.current {_open(place)}", details)


def _open(place: Place) -> list[str]:
    return [decision["id"] for decision in place.decisions]


@clause(
    "own-update-first",
    9,
    ja="自分の手の update は ok より先に届き、seq はその番号。",
    en="One's own updates come before the ok, and its seq is the number of the last.",
)
async def _own_update_first(kit: Kit) -> None:
    for record in await kit.records():
        for step in record.steps:
            if step.reply["type"] != "ok":
                continue
            seq = step.reply["result"].get("seq")
            if seq != step.seqs[1]:
                expected = f"seq {step.seqs[1]}, the last update before the ok"
                raise _fail(record, expected, step.reply, f"act {step.option['id']}")
            if any(u["seq"] <= seq for u in step.told[step.seat][len(step.own) :]):
                raise _fail(record, "the updates before the ok", step.told[step.seat])


@clause(
    "answered-is-gone",
    8,
    ja="答えた sealed の decision は、ほかの人を待つ間も decisions から消えている。",
    en="After a sealed decision is answered it is gone from decisions.",
)
async def _answered_is_gone(kit: Kit) -> None:
    tried = False
    for record in await kit.records():
        for step in record.steps:
            if step.decision["sealed"] and step.reply["type"] == "ok":
                tried = True
                last = step.own[-1]["decisions"] if step.own else [step.decision]
                if step.decision["id"] in [d["id"] for d in last]:
                    raise _fail(record, f"{step.decision['id']} gone", last)
    if not tried:
        raise Skipped("sealed の decision がありません", "no decision was sealed")


@clause(
    "sealed",
    15,
    ja="sealed の答えは、規則が明かすまでほかの人に何も知らせない。",
    en="A sealed answer tells the others nothing, not even that it was given.",
)
async def _sealed(kit: Kit) -> None:
    tried = False
    for record in await kit.records():
        for step in record.steps:
            # While another has still to answer what it was asked, nothing public has happened.
            waits = any(n != step.seat and step.open[n] for n in range(len(step.open)))
            if not (step.decision["sealed"] and step.reply["type"] == "ok" and waits):
                continue
            tried = True
            for n, told in enumerate(step.told):
                if n != step.seat and told:
                    raise _fail(record, "no update for others", told, f"seat {step.seat} answered")
    if not tried:
        raise Skipped(
            "複数の席が同時に伏せて答える場面がありません",
            "no position had several seats answer in secret",
        )


@clause(
    "illegal-option",
    9,
    ja="示されていない手は illegal_option。",
    en="An option that is not listed is refused with illegal_option.",
)
async def _illegal_option(kit: Kit) -> None:
    async with kit.table() as table:
        await table.until(table.deciding, "誰も問われていません", "nobody is asked")
        guest, place, decision = _found(table.deciding())
        for option in ("no_such_option", decision["options"][0]["id"] + " "):
            await guest.refused(
                "illegal_option", "act", room=place.room, decision=decision["id"], option=option
            )


def _found(found: Any) -> Any:
    return found


@clause(
    "bad-value",
    9,
    ja="値がない、要らない、合わない act は bad_value。",
    en="A value that is missing, not wanted, or does not fit is refused with bad_value.",
)
async def _bad_value(kit: Kit) -> None:
    async with kit.table() as table:

        def valued() -> tuple[Any, ...] | None:
            for guest, place in zip(table.guests, table.places, strict=True):
                due = place.due()
                for option in due["options"] if due else ():
                    if option.get("value", {}).get("type") in KNOWN_VALUES:
                        return guest, place, due, option
            return None

        await table.until(table.deciding, "誰も問われていません", "nobody is asked")
        guest, _, decision = _found(table.deciding())
        plain = [option for option in decision["options"] if "value" not in option]
        if plain:
            fields = act_fields(table.room, decision, plain[0])
            await guest.refused("bad_value", "act", **fields, value=1)
        await table.until(valued, "値の付く手がありません", "no option takes a value")
        guest, _, decision, option = _found(valued())
        fields = act_fields(table.room, decision, option)
        await guest.refused("bad_value", "act", **fields)
        for value in _misfits(option["value"]):
            await guest.refused("bad_value", "act", **fields, value=value)


def _misfits(spec: Json) -> list[object]:
    """Return values that a spec does not take."""
    if spec["type"] == "int":
        return [spec["min"] - 1, spec["max"] + 1, ["1"]]
    if spec["type"] == "order":
        return [[], ["no such card"], 1]
    among = spec["from"]
    few = max(1, min(spec["min"], len(among)))  # a server may say any number
    wrong: list[object] = [["no such card"] * few, 1]
    if among and spec["max"] >= 2:
        wrong.append([among[0], among[0]])
    if spec["max"] < len(among):
        wrong.append(among[: spec["max"] + 1])
    if spec["min"] > 0:
        wrong.append(among[: spec["min"] - 1])
    return wrong


@clause(
    "not-your-decision",
    9,
    ja="何も問われていない席の act は not_your_decision か stale。",
    en="An act by a seat that has nothing to decide is refused with not_your_decision, or stale.",
)
async def _not_your_decision(kit: Kit) -> None:
    async with kit.table() as table:

        def idle() -> Any:
            asker = next((p for p in table.places if p.decisions), None)
            other = next((p for p in table.places if not p.decisions and not p.is_over), None)
            return (asker, other) if asker and other else None

        await table.until(idle, "皆が問われています", "everybody is asked at the same time")
        asker, other = _found(idle())
        guest = table.guests[table.places.index(other)]
        decision = asker.decisions[0]
        option = decision["options"][0]
        fields = act_fields(table.room, decision, option, fitting(option, table.rng))
        await guest.refused(RACES, "act", **fields)
        await table.flush()
        if decision["id"] not in _open(asker):
            raise guest.failed(f"{decision['id']} open still", asker.decisions)


@clause(
    "spectator-acts",
    12,
    ja="観戦者の act は not_seated。",
    en="An act by a spectator is refused with not_seated.",
)
async def _spectator_acts(kit: Kit) -> None:
    async with kit.table() as table, kit.guest() as watcher:
        await watcher.ask("join", room=table.room, **{"as": "spectator"})
        fields = {"room": table.room, "decision": "0.1", "option": "?"}
        await watcher.refused("not_seated", "act", **fields)


@clause(
    "refusal-changes-nothing",
    9,
    ja="断られた act は何も変えず、ほかの人は何も知らない。",
    en="A refusal changes nothing, and nobody else hears of it.",
)
async def _refusal_changes_nothing(kit: Kit) -> None:
    async with kit.table() as table:
        await table.until(table.deciding, "誰も問われていません", "nobody is asked")
        guest, place, decision = _found(table.deciding())
        await table.flush()
        numbers = [p.seq for p in table.places]
        view = place.view
        await guest.refused(
            "illegal_option", "act", room=place.room, decision=decision["id"], option="no_such"
        )
        await guest.refused("stale", "act", room=place.room, decision="0.999999", option="no_such")
        await trio.sleep(PAUSE)
        await table.flush()
        if [p.seq for p in table.places] != numbers:
            raise guest.failed("no update for anybody", [p.updates[-1] for p in table.places])
        await guest.ask("sync", room=place.room)
        if place.view != view or decision["id"] not in _open(place):
            raise guest.failed("the same view and decision", place.updates[-1])


@clause(
    "act-again",
    9,
    ja="同じ decision への同じ答えには、同じ ok が返る。",
    en="The same answer to the same decision gets the same ok.",
)
async def _act_again(kit: Kit) -> None:
    async with kit.table() as table:
        guest, place, fields, result = await _acted(table)
        again = await guest.ask("act", **fields)
        if again != result:
            raise guest.failed(f"the same result {dump(result)}", again)
        if place.answered:
            await guest.flush()


async def _acted(table: Any) -> tuple[Any, Place, Json, Json]:
    """Answer a decision and return who did, where, with what, and the result."""
    await table.until(table.deciding, "誰も問われていません", "nobody is asked")
    guest, place, decision = _found(table.deciding())
    option = table.pick(decision)
    fields = act_fields(place.room, decision, option, fitting(option, table.rng))
    place.answered.add(decision["id"])
    return guest, place, fields, await guest.ask("act", **fields)


@clause(
    "act-again-elsewhere",
    9,
    ja="別の接続からもう一度送っても同じ ok が返る。",
    en="So does it on another connection, after coming back.",
)
async def _act_again_elsewhere(kit: Kit) -> None:
    async with kit.table() as table:
        guest, place, fields, result = await _acted(table)
        await guest.line.cut()
        async with kit.stranger(guest.name) as back:
            await kit.reopen(back, resume=guest.hello["token"])
            await back.ask("sync", room=place.room, seq=place.seq)
            again = await back.ask("act", **fields)
            if again != result:
                raise back.failed(f"the same result {dump(result)}", again)


@clause(
    "other-answer",
    9,
    ja="答えた decision への別の答えは断る（stale か not_your_decision）。",
    en="Another answer to a decision that is answered is refused (stale or not_your_decision).",
)
async def _other_answer(kit: Kit) -> None:
    async with kit.table() as table:

        def choosing() -> Any:
            found = table.deciding()
            return found if found and len(found[2]["options"]) > 1 else None

        await table.until(choosing, "選べる場面がありません", "nobody has a choice")
        guest, place, decision = _found(choosing())
        first, second = decision["options"][:2]
        value = fitting(first, table.rng)
        await guest.act(place, decision, first, value)
        fields = act_fields(place.room, decision, second, fitting(second, table.rng))
        await guest.refused(RACES, "act", **fields)


@clause(
    "not-over",
    12,
    ja="終局前の replay と rematch は not_over。",
    en="replay and rematch before the end are refused with not_over.",
)
async def _not_over(kit: Kit) -> None:
    for record in await kit.records():
        for reply in record.early:
            record.guests[0].sent = "replay, rematch before the end"
            details = record.guests[0].check_error(reply, "not_over")
            if details.get("room") != record.room:
                raise _fail(record, "details with room", reply)


@clause(
    "rematch",
    5,
    ja="rematch は同じ席の新しい部屋を作り、皆に notice で知らせる。",
    en="rematch opens a new room, and all are told by the notice rematch.",
)
async def _rematch(kit: Kit) -> None:
    for record in await kit.ended():
        if record.rematch.get("type") != "ok":
            raise _fail(record, "ok", record.rematch, "rematch")
        room = record.rematch["result"].get("room")
        for guest in record.guests[1:-1]:
            notices = [p for p in guest.pushes if p.get("type") == "notice"]
            told = [p for p in notices if p.get("code") == "rematch"]
            if not told or told[-1].get("details", {}).get("to") != room:
                raise _fail(record, f"a notice rematch to {room}", notices, "rematch")
            if room not in guest.places:
                raise _fail(record, "a push room of the new room", list(guest.places), "rematch")


@clause(
    "pause",
    5,
    ja="席の人が皆 pause を求めると時計が止まり、一人が解くとまた動く。",
    en="The clocks stand when all people in the seats ask for a pause, and run again when one ends "
    "it.",
)
async def _pause(kit: Kit) -> None:
    async with kit.table() as table:
        host, place = table.guests[0], table.place(0)
        await table.until(lambda: place.clock, "時計がありません", "there is no clock")
        for guest in table.guests:
            await guest.ask("pause", room=table.room, on=True)
        await host.push("notice", code="paused")
        await host.ask("sync", room=table.room)
        if not place.clock or not all(clock.get("paused") for clock in place.clock):
            raise host.failed("clocks with paused: true", place.clock)
        await host.ask("pause", room=table.room, on=False)
        await host.push("notice", code="unpaused")
        await host.ask("sync", room=table.room)
        if any(clock.get("paused") for clock in place.clock):
            raise host.failed("clocks that run", place.clock)
