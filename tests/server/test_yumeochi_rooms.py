"""Rooms of yumeochi: its clocks, offers, seats that are away, bots, and what the others are told."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import define
from kaguraden_client.bots import random_bot
from kaguraden_rules.kernel import SeatId, replay
from kaguraden_rules.plain import to_plain
from kaguraden_rules.yumeochi.game import Yumeochi
from kaguraden_rules.yumeochi.reading import read_set
from kaguraden_rules.yumeochi.sets import SETS
from kaguraden_server.fairness import Deal
from kaguraden_server.records import parse_input
from kaguraden_server.users import User
from trio.testing import MockClock

from tests.server.house import House, Player, open_house, play_out

GAME = Yumeochi()
NAMES = ("Aki", "Ben", "Chi", "Dan")
NO_NONCES = [""] * 4

Json = Any


def dealt(seed: bytes, **options: Json) -> Json:
    """Return the first position of a room with this seed in which nobody gives a nonce."""
    parsed = GAME.parse_options(options)
    return GAME.setup(parsed, 4, [()] * 4, Deal(seed).entropy(NO_NONCES)).state


def seeds(wanted: Callable[[Json], bool], count: int = 1) -> list[bytes]:
    """Return seeds of deals that are as wanted."""
    numbers = (number.to_bytes(32, "big") for number in itertools.count())
    return list(itertools.islice((seed for seed in numbers if wanted(dealt(seed))), count))


(FIRST,) = seeds(lambda state: state.start == 0)  # Aki holds both markers


@define(eq=False)
class Sitting:
    """A room whose game has begun; everybody has seen all there is."""

    house: House
    room: str
    players: list[Player]
    watcher: Player

    @property
    def everybody(self) -> list[Player]:
        return [*self.players, self.watcher]

    def view(self, seat: int | None = None) -> Json:
        player = self.watcher if seat is None else self.players[seat]
        return player.views[self.room]["view"]

    def update(self, seat: int | None = None) -> Json:
        player = self.watcher if seat is None else self.players[seat]
        return player.views[self.room]

    def decision(self, seat: int) -> Json:
        (decision,) = self.update(seat)["decisions"]
        return decision

    def options(self, seat: int, kind: str) -> list[str]:
        return [o["id"] for o in self.decision(seat)["options"] if o["kind"] == kind]

    def clocks(self, seat: int | None = None) -> list[tuple[int, int, int, bool]]:
        """Return seat, whole seconds left, all seconds, and whether it stands, of each clock."""
        return [
            (c["seat"], round(c["left_ms"] / 1000), c["total_ms"] // 1000, c.get("paused", False))
            for c in self.update(seat)["clock"]
        ]

    async def settle(self) -> list[list[Json]]:
        """Return the events that each is told of, the watcher last, until all is quiet."""
        told = []
        for player in self.everybody:
            pushes = await player.quiet() if player.line is not None else []
            updates = [push for push in pushes if push["type"] == "update"]
            told.append([event for update in updates for event in update["events"]])
        return told

    async def do(self, seat: int, option: str) -> list[list[Json]]:
        """Have a seat answer; return what each is told of it."""
        await self.players[seat].act(self.room, option)
        return await self.settle()

    async def answer(self, seat: int, decision: str, option: str) -> Json:
        player = self.players[seat]
        return await player.ask("act", room=self.room, decision=decision, option=option)

    async def come_back(self, seat: int) -> None:
        """Have a player who hung up return."""
        token = self.players[seat].hello["token"]
        back = await self.house.enter(NAMES[seat], resume=token)
        await back.ask("sync", room=self.room)
        self.players[seat] = back


async def sit_down(house: House, seed: bytes = FIRST, **options: Json) -> Sitting:
    players = [await house.enter(name) for name in NAMES]
    made = await players[0].ask("create", game="yumeochi", options=options)
    room: str = made["room"]
    watcher = await house.enter("Wat")
    for player in players[1:]:
        await player.ask("join", room=room)
    await watcher.ask("join", room=room, **{"as": "spectator"})
    house.lobby.rooms[room].deal = Deal(seed)
    for player in players:
        await player.ask("ready", room=room, ready=True)
    await players[0].ask("start", room=room)
    sitting = Sitting(house, room, players, watcher)
    await sitting.settle()
    return sitting


async def offer(sitting: Sitting, seat: int, partner: int) -> list[list[Json]]:
    """Have a seat propose an exchange of its first skill; return what each is told of it."""
    to_partner = (
        o for o in sitting.options(seat, "exchange") if o.startswith(f"exchange:{partner}:")
    )
    return await sitting.do(seat, next(to_partner))


def told_as(events: list[Json]) -> list[str]:
    return [event["kind"] for event in events]


# --- options -----------------------------------------------------------------------------------


async def test_a_room_has_the_options_of_the_rules_and_no_clocks_of_the_servers(
    autojump_clock: MockClock,
) -> None:
    async with open_house(games=[GAME]) as house:
        aki = await house.enter("Aki")
        (told,) = aki.hello["games"]
        assert (told["id"], told["seats"]) == ("yumeochi", {"min": 4, "max": 4})
        properties = told["options"]["properties"]
        assert set(properties) == {
            *("set", "roles", "first_holder", "exchange_proposals", "exchange_refused"),
            *("time_reference", "rabbit_price", "death_shows_skill", "dying_opener", "all_dead"),
            *("last_survivor", "simultaneous_win", "card_count", "replay", "replay_limit"),
            *("end_reveal", "clock_turn", "clock_consent", "clock_followup", "clock_absent"),
            "bot_pace",
        }
        await aki.ask("create", game="yumeochi")
        info = (await aki.next("room"))["info"]
        assert len(info["seats"]) == 4
        assert info["options"] == {name: spec["default"] for name, spec in properties.items()}
        wrong = {"clock_turn": 9, "bot_pace": 31, "turn_ms": 60_000, "roles": ["gentleman"]}
        refused = await aki.refused("create", game="yumeochi", options=wrong)
        assert refused.code == "bad_options"
        assert {p["path"] for p in refused.details["problems"]} == {f"$.{name}" for name in wrong}


async def test_there_is_no_table_of_three(autojump_clock: MockClock) -> None:
    """YU-1."""
    async with open_house(games=[GAME]) as house:
        aki = await house.enter("Aki")
        assert (await aki.refused("create", game="yumeochi", seats=3)).code == "bad_options"


async def test_a_room_is_told_the_cards_of_its_own_set(autojump_clock: MockClock) -> None:
    """YU-93: ids are unique within a set alone."""
    data = (Path(__file__).parents[1] / "rules/yumeochi_sets/workshop.toml").read_bytes()
    other = read_set("workshop.toml", data).cards
    assert other is not None
    game = Yumeochi({**SETS, other.id: other})
    async with open_house(games=[game]) as house:
        aki = await house.enter("Aki")
        plain = await aki.ask("catalog", game="yumeochi")
        assert [pack["id"] for pack in plain["packs"]] == [*SETS, other.id]
        assert "gentleman" in plain["cards"]
        await aki.ask("create", game="yumeochi", options={"set": other.id})
        options = (await aki.next("room"))["info"]["options"]
        told = (await aki.ask("catalog", game="yumeochi", options=options))["cards"]
        assert set(told) == {c.id for c in (*other.roles, *other.skills, *other.times)}
        assert {card["set"] for card in told.values()} == {other.id}


# --- clocks --------------------------------------------------------------------------------------


async def test_everybody_sees_the_clock_of_a_turn_which_ends_in_a_pass(
    autojump_clock: MockClock,
) -> None:
    """YU-102, S-24."""
    async with open_house(games=[GAME]) as house:
        sitting = await sit_down(house)
        for seat in (0, 1, 2, 3, None):
            assert sitting.clocks(seat) == [(0, 75, 75, False)]
        assert sitting.update(0)["clock"][0]["decision"] == sitting.decision(0)["id"]
        assert all("decision" not in sitting.update(s)["clock"][0] for s in (1, None))
        await trio.sleep(75)
        told = await sitting.settle()
        for events in told:
            (action,) = [e for e in events if e["kind"] == "action_taken"]
            assert (action["seat"], action["action"], action["by"]) == (0, "pass", "clock")
        assert sitting.clocks() == [(1, 75, 75, False)]


async def test_a_refused_answer_touches_no_clock_and_is_told_to_nobody(
    autojump_clock: MockClock,
) -> None:
    """YU-101, S-6: tries neither probe nor signal."""
    async with open_house(games=[GAME]) as house:
        sitting = await sit_down(house)
        before = sitting.update(0)["seq"]
        await trio.sleep(10)
        decision = sitting.decision(0)["id"]
        refused = await sitting.players[0].refused(
            "act", room=sitting.room, decision=decision, option="use:keyhole:skill:no"
        )
        assert refused.code == "illegal_option"
        assert await sitting.settle() == [[]] * 5
        assert sitting.update(0)["seq"] == before
        await trio.sleep(64.5)
        assert await sitting.settle() == [[]] * 5
        await trio.sleep(1)
        assert sitting.view(0)["turn"] == 0
        await sitting.settle()
        assert sitting.view(0)["turn"] == 1, "75 seconds after it was asked"


# --- offers ------------------------------------------------------------------------------------


async def test_an_offer_is_two_decisions_and_the_clock_of_the_turn_stands_meanwhile(
    autojump_clock: MockClock,
) -> None:
    """YU-42, YU-102, YU-112."""
    async with open_house(games=[GAME]) as house:
        sitting = await sit_down(house)
        await trio.sleep(10)
        first = sitting.decision(0)
        await offer(sitting, 0, 2)
        for seat in (0, 1, 2, 3, None):
            view = sitting.view(seat)
            assert (view["phase"], view["turn"], view["asked"]) == ("consent", 0, [2])
            assert sorted(sitting.clocks(seat)) == [(0, 65, 75, True), (2, 30, 30, False)]
            assert len(sitting.update(seat)["decisions"]) == (seat == 2)
        consent = sitting.decision(2)
        own = sitting.view(2)["you"]["skills_down"]
        assert [o["id"] for o in consent["options"]] == ["refuse", *(f"agree:{c}" for c in own)]
        assert consent["default"] == "refuse"
        await trio.sleep(20)
        told = await sitting.do(2, "refuse")
        assert all(told_as(events) == ["exchange_answered"] for events in told)
        again = sitting.decision(0)
        assert again["id"] != first["id"]
        assert [o for o in first["options"] if o["kind"] != "exchange"] == again["options"]
        assert sitting.clocks() == [(0, 65, 75, False)]
        await trio.sleep(64)
        assert await sitting.settle() == [[]] * 5
        await trio.sleep(2)
        (passed,) = [e for e in (await sitting.settle())[4] if e["kind"] == "action_taken"]
        assert (passed["seat"], passed["by"]) == (0, "clock")


async def test_who_does_not_answer_an_offer_refuses_it(autojump_clock: MockClock) -> None:
    """YU-102, S-11."""
    async with open_house(games=[GAME]) as house:
        sitting = await sit_down(house)
        await offer(sitting, 0, 1)
        await trio.sleep(30)
        (answered,) = (await sitting.settle())[4]
        assert answered["kind"] == "exchange_answered"
        assert (answered["seat"], answered["agreed"], answered["by"]) == (1, False, "clock")
        assert sitting.view()["asked"] == [0]


async def test_an_answer_to_an_offer_that_has_lapsed_is_stale(autojump_clock: MockClock) -> None:
    """YU-112: also when the same partner is asked again."""
    async with open_house(games=[GAME]) as house:
        sitting = await sit_down(house, exchange_proposals=2)
        await offer(sitting, 0, 1)
        lapsed = sitting.decision(1)
        agree = lapsed["options"][1]["id"]
        await trio.sleep(30)
        await sitting.settle()
        refused = await sitting.players[1].refused(
            "act", room=sitting.room, decision=lapsed["id"], option=agree
        )
        assert (refused.code, refused.details["current"]) == ("stale", [])
        offers = sitting.options(0, "exchange")
        assert offers
        assert all(not o.startswith("exchange:1:") for o in offers), "another partner"
        for seat in range(4):
            await sitting.do(seat, "pass")
        await offer(sitting, 0, 1)
        again = sitting.decision(1)
        assert again["id"] != lapsed["id"]
        assert again["options"] == lapsed["options"]
        refused = await sitting.players[1].refused(
            "act", room=sitting.room, decision=lapsed["id"], option=agree
        )
        assert (refused.code, refused.details["current"]) == ("stale", [again["id"]])
        assert sitting.view()["phase"] == "consent"
        told = await sitting.do(1, agree)
        assert "skills_exchanged" in told_as(told[4])
        seq = await sitting.answer(1, again["id"], agree)
        assert seq["seq"] <= sitting.update(1)["seq"], "sent again, done once"


async def test_of_an_offer_the_others_learn_what_the_rules_make_public(
    autojump_clock: MockClock,
) -> None:
    """YU-43: who asks whom and the answer, and no card that lies face down."""
    async with open_house(games=[GAME]) as house:
        sitting = await sit_down(house)
        (own,) = sitting.view(0)["you"]["skills_down"]
        (theirs,) = sitting.view(1)["you"]["skills_down"]
        proposal = {"kind": "exchange_proposed", "hour": 1, "seat": 0, "target": 1}
        told = await sitting.do(0, f"exchange:1:{own}")
        assert told[0] == [{**proposal, "offered": own}]
        assert told[1:] == [[proposal]] * 4
        assert own not in json.dumps(sitting.update(1)), "nor does the partner see it"
        answer = {"kind": "exchange_answered", "hour": 1, "seat": 1, "target": 0, "by": "player"}
        assert await sitting.do(1, "refuse") == [[{**answer, "agreed": False}]] * 5
        await sitting.do(0, "pass")
        told = await sitting.do(1, f"exchange:0:{theirs}")
        told = await sitting.do(0, f"agree:{own}")
        crossed = {"kind": "skills_exchanged", "hour": 1, "seat": 1, "target": 0}
        for events in told[:2]:
            assert events[1] == {**crossed, "seat_card": theirs, "target_card": own}
        for events in told[2:]:
            assert events[1] == crossed
        assert sitting.view(0)["you"]["skills_down"] == [theirs]
        for seat in (2, 3, None):
            text = json.dumps(sitting.update(seat))
            assert own not in text
            assert theirs not in text


# --- seats that are away -----------------------------------------------------------------------


async def pass_to(sitting: Sitting, seat: int) -> None:
    while sitting.view()["turn"] != seat:
        await sitting.do(sitting.view()["turn"], "pass")


async def test_a_seat_that_is_away_passes_after_a_constant_time(autojump_clock: MockClock) -> None:
    """YU-103, S-33: and it refuses every offer; the others play on."""
    async with open_house(games=[GAME]) as house:
        sitting = await sit_down(house)
        await sitting.players[3].leave_line()
        sitting.players[3] = sitting.watcher  # nobody listens there any more
        await offer(sitting, 0, 3)
        await trio.sleep(4.9)
        assert (await sitting.settle())[1] == []
        await trio.sleep(0.2)
        (refused,) = (await sitting.settle())[1]
        assert (refused["agreed"], refused["by"]) == (False, "clock")
        for seat in (0, 1, 2):
            await sitting.do(seat, "pass")
        assert sitting.view()["turn"] == 3
        await trio.sleep(4.9)
        assert (await sitting.settle())[1] == []
        await trio.sleep(0.2)
        (passed,) = [e for e in (await sitting.settle())[1] if e["kind"] == "action_taken"]
        assert (passed["seat"], passed["action"], passed["by"]) == (3, "pass", "clock")
        assert sitting.view()["table"]["hour"] == 2


async def test_who_leaves_during_its_turn_is_waited_for_as_long(autojump_clock: MockClock) -> None:
    """YU-103."""
    async with open_house(games=[GAME]) as house:
        sitting = await sit_down(house, clock_absent=9)
        await trio.sleep(20)
        await sitting.players[0].leave_line()
        sitting.players[0] = sitting.watcher
        await trio.sleep(8.9)
        assert (await sitting.settle())[1] == []
        await trio.sleep(0.2)
        assert "action_taken" in told_as((await sitting.settle())[1])


async def test_who_comes_back_in_time_has_what_is_left_of_the_whole_clock(
    autojump_clock: MockClock,
) -> None:
    """YU-103: it may return at any time."""
    async with open_house(games=[GAME]) as house:
        sitting = await sit_down(house)
        await sitting.players[0].leave_line()
        await trio.sleep(4)
        await sitting.come_back(0)
        await trio.sleep(70)
        assert await sitting.settle() == [[]] * 5
        assert sitting.clocks(0)[0][2:] == (75, False)
        await trio.sleep(2)
        (passed,) = [e for e in (await sitting.settle())[4] if e["kind"] == "action_taken"]
        assert (passed["seat"], passed["by"]) == (0, "clock")


async def test_who_comes_back_in_time_is_in_time_however_busy_the_room_is(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """YU-103."""
    async with open_house(games=[GAME]) as house:
        sitting = await sit_down(house)
        await sitting.players[0].leave_line()
        await trio.sleep(4.5)
        tell = house.lobby.presence_changed

        def tell_late(user: User) -> None:
            tell(user)
            autojump_clock.jump(1)  # before the room's task gets to it

        monkeypatch.setattr(house.lobby, "presence_changed", tell_late)
        await sitting.come_back(0)
        assert await sitting.settle() == [[]] * 5
        await sitting.do(0, "pass")


async def test_who_comes_back_later_has_its_next_turn(autojump_clock: MockClock) -> None:
    """YU-103, YU-107: and what it alone knows."""
    async with open_house(games=[GAME]) as house:
        sitting = await sit_down(house)
        you = sitting.view(3)["you"]
        await pass_to(sitting, 2)
        await sitting.players[3].leave_line()
        gone, sitting.players[3] = sitting.players[3], sitting.watcher
        await sitting.do(2, "pass")
        await trio.sleep(6)
        await sitting.settle()
        assert sitting.view()["table"]["hour"] == 2
        sitting.players[3] = gone
        await sitting.come_back(3)
        assert sitting.view(3)["you"] == you
        await pass_to(sitting, 3)
        await trio.sleep(60)
        await sitting.do(3, "pass")


async def test_a_seat_that_is_given_up_is_played_like_one_that_is_away(
    autojump_clock: MockClock,
) -> None:
    """YU-103, YU-104: nobody can resign it away."""
    async with open_house(games=[GAME]) as house:
        sitting = await sit_down(house)
        await sitting.players[3].ask("leave", room=sitting.room)
        sitting.players[3] = sitting.watcher
        await pass_to(sitting, 3)
        assert sitting.view()["asked"] == [3]
        await trio.sleep(4.9)
        assert (await sitting.settle())[1] == []
        await trio.sleep(0.2)
        assert "action_taken" in told_as((await sitting.settle())[1])
        assert sitting.view()["table"]["order"] == [0, 1, 2, 3]


async def test_all_clocks_stand_in_a_pause_and_go_on_from_there(autojump_clock: MockClock) -> None:
    async with open_house(games=[GAME]) as house:
        sitting = await sit_down(house)
        await trio.sleep(10)
        await offer(sitting, 0, 1)
        await trio.sleep(5)
        for player in sitting.players:
            await player.ask("pause", room=sitting.room, on=True)
        await sitting.settle()
        assert sorted(sitting.clocks()) == [(0, 65, 75, True), (1, 25, 30, True)]
        await trio.sleep(1_000)
        assert await sitting.settle() == [[]] * 5
        await sitting.players[0].ask("pause", room=sitting.room, on=False)
        await sitting.settle()
        assert sorted(sitting.clocks()) == [(0, 65, 75, True), (1, 25, 30, False)]
        await sitting.do(1, "refuse")
        assert sitting.clocks() == [(0, 65, 75, False)]


# --- bots --------------------------------------------------------------------------------------


@pytest.mark.parametrize("pace", [0, 2, 7])
async def test_bots_answer_at_the_pace_of_the_room(
    pace: int, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """YU-102: whatever they hold and whatever they are asked."""
    monkeypatch.delenv("KAGURADEN_BOT_THINK_MS", raising=False)
    async with open_house(games=[GAME], bots={"random": random_bot}) as house:
        aki = await house.enter("Aki")
        room = (await aki.ask("create", game="yumeochi", options={"bot_pace": pace}))["room"]
        for seat in (1, 2, 3):
            await aki.ask("bot", room=room, seat=seat, level="random")
        await aki.ask("ready", room=room, ready=True)
        await aki.ask("start", room=room)
        if room not in aki.views:
            await aki.update()
        took: list[float] = []
        asked: list[int] = []
        since = trio.current_time()
        while (
            aki.views[room]["view"]["table"]["hour"] < 5
            and "outcome" not in aki.views[room]["view"]
        ):
            if asked and asked != [0]:
                took.append(trio.current_time() - since)
            asked, since = aki.views[room]["view"]["asked"], trio.current_time()
            aki.pushes.clear()
            if asked == [0]:
                (decision,) = aki.views[room]["decisions"]
                await aki.act(room, decision["default"])
            else:
                await aki.update()
        assert len(took) > 8
        assert took == pytest.approx([pace] * len(took), abs=0.001)


# --- secrets -----------------------------------------------------------------------------------


class Tap:
    """Writes down which updates somebody is sent, and when."""

    def __init__(self, house: House, player: Player, room: str) -> None:
        user = house.lobby.users.get(player.user)
        assert user is not None
        assert user.connection is not None
        self.sent: list[tuple[float, bytes]] = []
        wire = user.connection.wire
        send = wire.send

        async def tapped(text: bytes) -> None:
            if b'"type":"update"' in text:
                self.sent.append((round(trio.current_time(), 6), text.replace(room.encode(), b"")))
            await send(text)

        setattr(wire, "send", tapped)  # noqa: B010


async def scene(seed: bytes) -> tuple[list[tuple[float, bytes]], list[tuple[float, bytes]]]:
    """Play two hours in which nothing is turned up; return what Aki and the watcher were sent."""
    async with open_house(games=[GAME]) as house:
        players = [await house.enter(name) for name in NAMES]
        room = (await players[0].ask("create", game="yumeochi"))["room"]
        watcher = await house.enter("Wat")
        for player in players[1:]:
            await player.ask("join", room=room)
        await watcher.ask("join", room=room, **{"as": "spectator"})
        house.lobby.rooms[room].deal = deal = Deal(seed)
        for player in players:
            await player.ask("ready", room=room, ready=True)
        taps = [Tap(house, players[0], room), Tap(house, watcher, room)]
        await players[0].ask("start", room=room)
        sitting = Sitting(house, room, players, watcher)
        await sitting.settle()
        while sitting.view()["table"]["hour"] < 3:
            seat = sitting.view()["turn"]
            take = [*sitting.options(seat, "take"), "pass"][0]
            match seat:
                case 0:
                    await offer(sitting, 0, 1)
                    await sitting.do(1, "refuse")
                    await trio.sleep(3)
                    await sitting.do(0, take)
                case 1:
                    await offer(sitting, 1, 2)
                    await trio.sleep(2)
                    await sitting.do(2, sitting.options(2, "agree")[-1])
                case 2:
                    await sitting.do(2, take)
                case _:
                    await trio.sleep(76)  # Dan's time runs out
                    await sitting.settle()
        commitment = deal.commitment.encode()
        aki, wat = ([(at, text.replace(commitment, b"")) for at, text in tap.sent] for tap in taps)
        return aki, wat


def run(seed: bytes) -> tuple[list[tuple[float, bytes]], list[tuple[float, bytes]]]:
    return trio.run(scene, seed, clock=MockClock(autojump_threshold=0))


def test_what_a_seat_is_sent_depends_on_nothing_that_it_cannot_see() -> None:
    """YU-108, invariants 13 and 14: byte for byte, and at the same times.

    The deals differ in the skills of all others, in the leftover and in the clock.
    """
    base = dealt(FIRST)
    mine = base.seats[0]

    def looks_the_same(state: Json) -> bool:
        same = (state.start, state.seats[0]) == (0, mine)
        return same and all(
            theirs.skills != other.skills
            for theirs, other in zip(state.seats[1:], base.seats[1:], strict=True)
        )

    aki, wat = run(FIRST)
    assert len(aki) > 12
    others = seeds(looks_the_same, 2)
    assert all(dealt(seed).clock != base.clock for seed in others)
    for seed in others:
        assert run(seed) == (aki, wat)
    # What a spectator is sent does not depend on Aki's cards either.
    (stranger,) = seeds(lambda s: s.start == 0 and s.seats[0].skills != mine.skills)
    assert run(stranger)[1] == wat


# --- whole games -------------------------------------------------------------------------------


async def test_a_game_is_played_to_its_end_and_its_record_tells_it_again(
    autojump_clock: MockClock,
) -> None:
    """YU-19, YU-111."""
    async with open_house(games=[GAME]) as house:
        sitting = await sit_down(house)
        last = await play_out(sitting.room, sitting.players)
        record = (await sitting.players[0].ask("replay", room=sitting.room))["replay"]
        state = replay(
            GAME,
            GAME.parse_options(record["options"]),
            [()] * record["seats"],
            bytes.fromhex(record["entropy"]),
            [parse_input(line) for line in record["inputs"]],
        )
        assert record["seed"] == FIRST.hex()
        for seat, update in enumerate(last):
            view = json.loads(json.dumps(update["view"]))
            assert view["outcome"].pop("fairness") == {"seed": FIRST.hex()}
            assert to_plain(GAME.view(state, SeatId(seat))) == view
        revealed = last[0]["view"]["table"]["revealed"]
        assert revealed["roles"] == [seat.role for seat in state.seats]


async def test_nobody_answers_and_the_game_ends_all_the_same(autojump_clock: MockClock) -> None:
    """S-24, invariant 15."""
    async with open_house(games=[GAME]) as house:
        sitting = await sit_down(house, replay="off")
        await trio.sleep(12 * 4 * 75 + 60)
        events = (await sitting.settle())[4]
        assert "card_opened" not in told_as(events)
        assert {e["by"] for e in events if e["kind"] == "action_taken"} == {"clock"}
        assert sitting.view()["phase"] == "over"
        assert "outcome" in sitting.view()
