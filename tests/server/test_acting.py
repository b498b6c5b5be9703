"""Acting: who may answer what, when it counts, and what others learn of it (protocol §9)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest
import trio
from attrs import evolve
from kaguraden_rules.kernel import Answer, Pace, SeatId, Step, View, Wait
from kaguraden_server import passwords
from kaguraden_server.passwords import Hashed
from kaguraden_server.room import Room
from trio.testing import MockClock

from tests.fakes import OFUDA, Ofuda, Phase, State

from .house import House, Message, Player, Refused, config, open_house

ANY = "any"


def decision(player: Player, room: str) -> Message:
    (only,) = player.views[room]["decisions"]
    assert isinstance(only, dict)
    return only


async def settle(*players: Player) -> None:
    """Take in whatever is under way."""
    for player in players:
        await player.quiet()


# --- refusals ------------------------------------------------------------------------------------


async def test_an_answer_to_another_decision_is_stale_and_tells_what_is_open(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        room, (aki, _) = await house.started()
        refused = await aki.refused("act", room=room, decision="0.99", option="rest")
        assert refused.code == "stale"
        assert refused.details == {"current": [decision(aki, room)["id"]]}


async def test_what_is_not_listed_is_refused_to_the_asker_alone(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.started()
        await settle(aki, ben)
        asked = {"room": room, "decision": decision(aki, room)["id"]}
        assert (await aki.refused("act", option="fly", **asked)).code == "illegal_option"
        for value in (None, 3, [], ["zz"], ["o1", "o1"], ["o1", "o2", "o3"]):
            fields: dict[str, Any] = {} if value is None else {"value": value}
            refused = await aki.refused("act", option="lay", **asked, **fields)
            assert refused.code == "bad_value"
            (problem,) = refused.details["problems"]
            assert problem["problem"].startswith("expected a list of 1 to 2 different entries of")
        assert (await aki.refused("act", option="rest", value=1, **asked)).code == "bad_value"
        assert await aki.quiet() == []
        assert await ben.quiet() == []


async def test_a_seat_that_is_not_asked_has_nothing_to_answer(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.started()
        refused = await ben.refused(
            "act", room=room, decision=decision(aki, room)["id"], option="rest"
        )
        assert refused.code == "not_your_decision"
        lobby_room, (chi, _) = await house.table(("Chi", "Dan"))
        refused = await chi.refused("act", room=lobby_room, decision="0.1", option="rest")
        assert refused.code == "not_your_decision"


# --- the order of things ----------------------------------------------------------------------------


async def test_the_actors_own_update_comes_before_its_ok(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.started()
        await settle(aki, ben)
        seq = await aki.act(room, "lay", ["o1"])
        (update,) = [p for p in aki.pushes if p["type"] == "update"]
        assert update["seq"] == seq == 2
        assert [event["kind"] for event in update["events"]] == ["cards_laid", "window_opened"]
        assert update["view"]["seats"][0]["field"] == ["o1"]
        assert (await ben.update())["events"] == update["events"]


async def test_a_repeated_answer_is_ok_with_the_same_result_for_the_life_of_the_room(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.started()
        first = {"room": room, "decision": decision(aki, room)["id"], "option": "lay"}
        seq = (await aki.ask("act", **first, value=["o1"]))["seq"]
        assert (await aki.ask("act", **first, value=["o1"]))["seq"] == seq
        back = await house.enter("Aki", resume=aki.hello["token"])
        assert (await back.ask("act", **first, value=["o1"]))["seq"] == seq
        other = await back.refused("act", **first, value=["o2"])
        assert other.code == "stale"
        assert other.details == {"current": []}
        await settle(ben)
        assert ben.views[room]["view"]["seats"][0]["field"] == ["o1"], "it was applied once"


class Storage:
    """A slow storage: what a room records is durable only when `opened` is set."""

    def __init__(self, room: Room) -> None:
        self.opened = trio.Event()
        self._record = room.record
        setattr(room, "record", self.record)  # noqa: B010

    async def record(self, *step: Any) -> None:
        await self.opened.wait()
        await self._record(*step)


async def test_nothing_that_a_step_causes_is_sent_before_it_is_recorded(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.started()
        await settle(aki, ben)
        storage = Storage(house.lobby.rooms[room])
        act = await aki.send(
            "act", room=room, decision=decision(aki, room)["id"], option="lay", value=["o1"]
        )
        await trio.sleep(1)
        assert await ben.quiet() == []
        watcher = await house.enter("Wat")
        join = await watcher.send("join", room=room, **{"as": "spectator"})
        await trio.sleep(1)
        storage.opened.set()
        await aki.reply(act)
        await watcher.reply(join)
        assert (await ben.update())["seq"] == 2
        assert watcher.views[room]["view"]["seats"][0]["field"] == ["o1"]


# --- sealed answers -----------------------------------------------------------------------------------


async def test_nobody_learns_that_a_sealed_answer_was_given(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben, chi) = await house.started(("Aki", "Ben", "Chi"))
        watcher = await house.enter("Wat")
        await watcher.ask("join", room=room, **{"as": "spectator"})
        await aki.act(room, "rest")
        await settle(aki, ben, chi, watcher)
        assert decision(ben, room)["sealed"] is True
        seq = await ben.act(room, "bless")
        (update,) = [p for p in await ben.quiet() if p["type"] == "update"]
        assert update["seq"] == seq
        assert update["decisions"] == []
        assert update["view"]["you"]["answered"] is True
        assert update["view"]["asked"] == [1, 2], "who is asked stays public"
        assert [await player.quiet() for player in (aki, chi, watcher)] == [[], [], []]


async def test_a_window_ends_no_sooner_than_its_minimum(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.started(window_min_ms=800)
        await aki.act(room, "rest")
        opened = trio.current_time()
        await settle(aki, ben)
        await ben.act(room, "pass")
        update = await aki.update()
        assert [event["kind"] for event in update["events"]] == ["window_closed"]
        assert 0.8 <= trio.current_time() - opened <= 0.82


async def test_a_window_that_nobody_answers_ends_with_its_time(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.started(window_ms=4_000)
        await aki.act(room, "rest")
        opened = trio.current_time()
        await settle(aki, ben)
        (clock,) = ben.views[room]["clock"]
        assert clock["seat"] is None or clock["seat"] == 1
        assert clock["total_ms"] == 4_000
        assert clock["decision"] == decision(ben, room)["id"]
        assert "decision" not in aki.views[room]["clock"][0]
        await aki.update()
        assert 4.0 <= trio.current_time() - opened <= 4.02


async def test_a_standing_pass_answers_in_the_step_that_opens_the_window(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        room, (aki, ben, chi) = await house.started(("Aki", "Ben", "Chi"))
        refused = await ben.refused("auto", room=room, window="tea", mode="pass")
        assert refused.code == "bad_message"
        for player in (ben, chi):
            await player.ask("auto", room=room, window="bless", mode="pass")
        await settle(aki, ben, chi)
        await aki.act(room, "rest")
        opened = trio.current_time()
        update = await ben.update()
        assert update["decisions"] == [], "it was never asked"
        assert update["view"]["you"]["answered"] is False
        closed = await ben.update()
        assert closed["events"][0] == {"kind": "window_closed", "blessed": []}
        assert 0.3 <= trio.current_time() - opened <= 0.32, "the minimum holds all the same"
        record = house.lobby.rooms[room].table
        assert record is not None
        assert len(record.inputs) == 4, "standing answers and expiries are steps like any other"


async def test_a_pass_given_while_a_window_is_open_answers_it(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.started()
        await aki.act(room, "rest")
        await settle(aki, ben)
        await ben.ask("auto", room=room, window="bless", mode="pass")
        updates = [p for p in ben.pushes if p["type"] == "update"]
        assert updates[0]["decisions"] == []
        await settle(aki)
        await ben.ask("auto", room=room, window="bless", mode="ask")
        await trio.sleep(0.5)
        await ben.quiet()
        await ben.act(room, "rest")
        await aki.quiet()
        await aki.act(room, "pass")


# --- the race ---------------------------------------------------------------------------------------------


async def test_in_an_open_outcry_the_first_bid_counts_and_starts_the_clock_anew(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.started(auction_ms=5_000)
        for mover, other in ((aki, ben), (ben, aki)):
            await settle(aki, ben)
            await mover.act(room, "rest")
            await settle(aki, ben)
            await other.act(room, "pass")
            await trio.sleep(0.4)
        await settle(aki, ben)
        stale = decision(ben, room)["id"]
        await trio.sleep(3)
        await aki.act(room, "bid", 3)
        refused = await ben.refused("act", room=room, decision=stale, option="bid", value=3)
        assert refused.code == "stale"
        await settle(aki, ben)
        assert 4_900 <= ben.views[room]["clock"][0]["left_ms"] <= 5_000
        assert decision(ben, room)["options"][0]["value"] == {"type": "int", "min": 4, "max": 20}
        await trio.sleep(6)
        await settle(aki, ben)
        outcome = ben.views[room]["view"]["outcome"]
        assert outcome["ranking"][0] == {"seat": 0, "rank": 1, "score": 5}


# --- time --------------------------------------------------------------------------------------------------


async def test_a_turn_that_takes_too_long_gets_its_default(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (_, ben) = await house.started(turn_ms=2_000, bank_ms=3_000)
        began = trio.current_time()
        update = await ben.update()
        assert update["events"][0] == {"kind": "rested", "seat": 0}
        assert 5.0 <= trio.current_time() - began <= 5.02
        assert room in house.lobby.rooms


async def test_no_update_is_sent_because_time_passes(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.started(turn_ms=60_000)
        await settle(aki, ben)
        await trio.sleep(50)
        assert await aki.quiet() == []
        assert await ben.quiet() == []
        await ben.ask("sync", room=room)
        full = await ben.update()
        assert full["full"] is True
        assert full["clock"][0]["left_ms"] <= 10_000, "durations are those of the sending"


async def test_an_answer_counts_by_when_it_was_read_not_by_when_the_room_gets_to_it(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.started(turn_ms=2_000, bank_ms=1_000)
        await settle(aki, ben)
        storage = Storage(house.lobby.rooms[room])
        await trio.sleep(1.9)
        # Ben's standing answer occupies the room, and while it does Aki's time ends.
        auto = await ben.send("auto", room=room, window="bless", mode="pass")
        act = await aki.send(
            "act", room=room, decision=decision(aki, room)["id"], option="lay", value=["o1"]
        )
        await trio.sleep(5)
        storage.opened.set()
        await ben.reply(auto)
        await aki.reply(act)
        await settle(aki, ben)
        assert aki.views[room]["view"]["seats"][0]["field"] == ["o1"]
        table = house.lobby.rooms[room].table
        assert table is not None
        assert table.clocks.banks_ms == (1_000, 1_000), "nor does it cost any spare time"


async def test_an_answer_read_after_the_end_is_too_late_though_the_room_was_slow(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.started(turn_ms=2_000, bank_ms=0)
        await settle(aki, ben)
        storage = Storage(house.lobby.rooms[room])
        await trio.sleep(1.9)
        auto = await ben.send("auto", room=room, window="bless", mode="pass")
        await trio.sleep(0.2)
        act = await aki.send("act", room=room, decision=decision(aki, room)["id"], option="rest")
        await trio.sleep(1)
        storage.opened.set()
        await ben.reply(auto)
        with pytest.raises(Refused, match="not_your_decision"):
            await aki.reply(act)


@pytest.mark.parametrize(("delay", "counts"), [(0.3, True), (0.8, False)])
async def test_a_request_held_up_on_its_way_is_waited_for_a_short_while(
    delay: float, counts: bool, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow_hash(_: str) -> Hashed:
        await trio.sleep(delay)
        return Hashed(b"", b"")

    monkeypatch.setattr(passwords, "hash_password", slow_hash)
    async with open_house() as house:
        room, (aki, ben) = await house.started(turn_ms=2_000, bank_ms=0)
        await settle(aki, ben)
        await trio.sleep(1.9)
        created = await aki.send("create", game="ofuda", password=ANY)
        asked = {"room": room, "decision": decision(aki, room)["id"], "option": "lay"}
        acted = await aki.send("act", **asked, value=["o1"])
        await aki.reply(created)
        if counts:
            await aki.reply(acted)
        else:
            with pytest.raises(Refused, match="not_your_decision"):
                await aki.reply(acted)
        await settle(aki, ben)
        laid = ben.views[room]["view"]["seats"][0]["field"]
        assert laid == (["o1"] if counts else [])


async def test_a_clock_waits_for_nobody_who_is_not_asked(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow_hash(_: str) -> Hashed:
        await trio.sleep(5)
        return Hashed(b"", b"")

    monkeypatch.setattr(passwords, "hash_password", slow_hash)
    async with open_house() as house:
        room, (aki, ben) = await house.started(turn_ms=2_000, bank_ms=0)
        chi = await house.enter("Chi")
        await chi.ask("join", room=room, **{"as": "spectator"})
        await settle(aki, ben, chi)
        start = trio.current_time()
        for player in (ben, chi):
            await player.send("create", game="ofuda", password=ANY)
        await aki.update()
        assert trio.current_time() - start < 2.1


class Apart(Ofuda):
    """Ofuda where each seat that a window asks has a clock of its own, seat 2 the slower one."""

    def waits(self, state: State) -> tuple[Wait, ...]:
        if state.phase is not Phase.WINDOW:
            return super().waits(state)
        paces = {SeatId(1): Pace.WINDOW, SeatId(2): Pace.CHOICE}
        return tuple(Wait(f"apart:{s}", paces[s], (s,), (s,)) for s in state.open)

    def expire(self, state: State, wait: str) -> Step[State]:
        if not wait.startswith("apart:"):
            return super().expire(state, wait)
        seat = SeatId(int(wait.removeprefix("apart:")))
        decision = state.open[seat]
        return self.act(state, seat, Answer(decision.id, decision.default))


@asynccontextmanager
async def two_clocks(
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[tuple[House, str, list[Player]]]:
    """Open a window whose clocks end after 1 s for Ben and after 1.1 s for Chi."""

    async def slow_hash(_: str) -> Hashed:
        await trio.sleep(0.45)
        return Hashed(b"", b"")

    monkeypatch.setattr(passwords, "hash_password", slow_hash)
    async with open_house() as house:
        monkeypatch.setitem(cast("dict[str, Any]", house.lobby.games), "ofuda", Apart())
        clocks = {"window_ms": 1_000, "choice_ms": 1_100}
        room, players = await house.started(("Aki", "Ben", "Chi"), **clocks)
        await players[0].act(room, "rest")
        await settle(*players)
        yield house, room, players


async def test_a_request_that_waited_for_another_seats_clock_can_still_be_too_late(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two_clocks(monkeypatch) as (_, room, (_, ben, chi)):
        await trio.sleep(0.9)
        await ben.send("create", game="ofuda", password=ANY)  # Ben's clock waits for him
        await trio.sleep(0.3)
        asked = {"room": room, "decision": decision(chi, room)["id"], "option": "bless"}
        assert (await chi.refused("act", **asked)).code == "not_your_decision"


async def test_a_clock_does_not_wait_for_a_request_that_has_come(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two_clocks(monkeypatch) as (house, room, (aki, ben, chi)):
        storage = Storage(house.lobby.rooms[room])
        await trio.sleep(0.9)
        await ben.send("create", game="ofuda", password=ANY)
        await aki.send("auto", room=room, window="bless", mode="pass")  # the room is busy
        await trio.sleep(0.15)
        asked = {"room": room, "decision": decision(chi, room)["id"], "option": "bless"}
        act = await chi.send("act", **asked)
        await trio.sleep(0.15)
        storage.opened.set()
        await chi.reply(act)


# --- pause ---------------------------------------------------------------------------------------------------


async def test_a_pause_takes_effect_when_everybody_asks_and_ends_when_one_wants_on(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.started(turn_ms=10_000, bank_ms=0)
        await settle(aki, ben)
        await trio.sleep(4)
        await aki.ask("pause", room=room, on=True)
        (room_push,) = [p for p in await ben.quiet() if p["type"] == "room"]
        assert room_push["info"]["seats"][0]["pause"] is True
        await ben.ask("pause", room=room, on=True)
        (update,) = [p for p in ben.pushes if p["type"] == "update"]
        assert update["clock"][0]["paused"] is True
        assert 5_900 <= update["clock"][0]["left_ms"] <= 6_000
        await trio.sleep(100)
        assert aki.views[room]["view"]["phase"] == "turns", "nobody's time ran out"
        await aki.ask("pause", room=room, on=False)
        await settle(aki, ben)
        clock = ben.views[room]["clock"][0]
        assert "paused" not in clock
        assert 5_800 <= clock["left_ms"] <= 6_000
        assert [s.pause for s in house.lobby.rooms[room].info().seats] == [None, None]
        await trio.sleep(7)
        await settle(ben)
        assert ben.views[room]["view"]["phase"] == "window"


async def test_a_pause_ends_when_only_bots_are_left(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        aki, bot = await house.enter("Aki"), await house.enter("Kitsune", bot=True)
        made = await aki.ask("create", game="ofuda", seats=2, options={"turn_ms": 2_000})
        room = made["room"]
        await bot.ask("join", room=room)
        for player in (aki, bot):
            await player.ask("ready", room=room, ready=True)
        await aki.ask("start", room=room)
        await aki.ask("pause", room=room, on=True)
        await settle(aki, bot)
        assert bot.views[room]["clock"][0]["paused"] is True
        await aki.ask("leave", room=room)
        await settle(bot)
        assert "paused" not in bot.views[room]["clock"][0]
        await trio.sleep(3)
        await settle(bot)
        assert bot.views[room]["view"]["phase"] != "turns", (
            "nobody holds the seat whose turn it was"
        )


async def test_who_is_away_does_not_stand_in_the_way_of_a_pause(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.started()
        await aki.ask("pause", room=room, on=True)
        await ben.leave_line()
        await trio.sleep(1)
        assert "paused" in [p["code"] for p in await aki.quiet() if p["type"] == "notice"]
        back = await house.enter("Ben", resume=ben.hello["token"])
        await back.ask("sync", room=room)
        assert (await back.update())["clock"][0]["paused"] is True, "coming back does not end it"


# --- faults of the rules ----------------------------------------------------------------------------------------


async def test_an_error_in_the_rules_ends_the_request_and_the_third_the_room(
    autojump_clock: MockClock,
) -> None:
    async with open_house(config()) as house:
        other, (chi, dan) = await house.started(("Chi", "Dan"))
        room, (aki, ben) = await house.started(faulty=True)
        await settle(aki, ben, chi, dan)
        asked = {"room": room, "decision": decision(aki, room)["id"], "option": "explode"}
        references = set()
        for _ in range(2):
            refused = await aki.refused("act", **asked)
            assert refused.code == "internal"
            assert set(refused.details) == {"reference"}
            references.add(refused.details["reference"])
        assert len(references) == 2
        await aki.act(room, "rest")
        assert (await ben.update())["events"][0]["kind"] == "rested", "the room survives"
        await settle(aki, ben)
        await ben.act(room, "pass")
        await trio.sleep(0.4)
        await settle(ben)
        await ben.refused("act", room=room, decision=decision(ben, room)["id"], option="explode")
        assert (await ben.next("closed"))["reason"] == "failed"
        assert (await aki.next("closed"))["reason"] == "failed"
        await chi.act(other, "rest")


async def test_an_error_after_a_step_does_not_take_it_back(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    async with open_house() as house:
        room, (aki, ben) = await house.started()
        await settle(aki, ben)
        inside = house.lobby.rooms[room]
        with monkeypatch.context() as at_fault:
            at_fault.setattr(inside, "tell_changes", fail)
            await aki.act(room, "rest")
        assert (await ben.update())["events"][0]["kind"] == "rested"
        with monkeypatch.context() as at_fault:
            at_fault.setattr(inside, "tell_changes", fail)
            for _ in range(2):
                await aki.ask("chat", room=room, text="hi")
        assert (await ben.next("closed"))["reason"] == "failed", "such faults count"


async def test_a_room_whose_task_fails_ends_alone_and_leaves_nobody_waiting(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        other, (chi, _) = await house.started(("Chi", "Dan"))
        room, (aki, ben) = await house.started()

        async def fail(_: float) -> None:
            raise RuntimeError("the room itself is at fault")

        setattr(house.lobby.rooms[room], "_run_clocks", fail)  # noqa: B010
        assert (await aki.refused("ready", room=room, ready=True)).code == "room_not_found"
        assert (await ben.next("closed"))["reason"] == "failed"
        await chi.act(other, "rest")


async def test_an_error_in_running_out_a_clock_is_tried_again_and_closes_the_room_at_last(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(state: object, wait: str) -> None:
        raise ZeroDivisionError

    async with open_house() as house:
        _, (aki, _) = await house.started(turn_ms=1_000, bank_ms=0)
        monkeypatch.setattr(OFUDA, "expire", fail)
        began = trio.current_time()
        assert (await aki.next("closed"))["reason"] == "failed"
        assert 3 <= trio.current_time() - began <= 3.1


async def test_a_view_that_fits_no_frame_is_a_fault_and_not_sent(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.started()
        await settle(aki, ben)
        view = OFUDA.view

        def vast(state: Any, viewer: Any) -> View:
            found = view(state, viewer)
            return evolve(found, table=[list(range(50)) for _ in range(90)])

        monkeypatch.setattr(OFUDA, "view", vast)
        asked = {"room": room, "decision": decision(aki, room)["id"], "option": "rest"}
        assert (await aki.refused("act", **asked)).code == "internal"
        assert await ben.quiet() == []
        monkeypatch.undo()
        await aki.ask("act", **asked)
