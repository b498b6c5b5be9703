"""Rooms of enbu: clocks of the game's own, giving up, quiet, and what rivals are told."""

from __future__ import annotations

from typing import Any

import pytest
import trio
from kaguraden_rules.catalogue import GAMES
from kaguraden_rules.kernel import SeatId, replay
from kaguraden_rules.plain import to_plain
from kaguraden_server.records import parse_input
from trio.testing import MockClock

from tests.server.house import House, Player, open_house

ENBU = GAMES["enbu"]


async def race(
    house: House, names: tuple[str, ...] = ("Aki", "Ben"), **options: Any
) -> tuple[str, list[Player]]:
    """Return a room whose game has begun; everybody has seen update 1."""
    players = [await house.enter(name) for name in names]
    made = await players[0].ask("create", game="enbu", seats=len(names), options=options)
    room: str = made["room"]
    for player in players[1:]:
        await player.ask("join", room=room)
    for player in players:
        await player.ask("ready", room=room, ready=True)
    await players[0].ask("start", room=room)
    for player in players:
        if room not in player.views:
            await player.update()
    return room, players


def clocks(player: Player, room: str) -> list[tuple[int | None, int]]:
    return [(clock["seat"], clock["total_ms"]) for clock in player.views[room]["clock"]]


async def finish_turn(player: Player, room: str) -> None:
    """Place the flipped card and end the turn."""
    await player.act(room, "stage:1")
    await player.act(room, "next")


async def replayed(record: dict[str, Any]) -> Any:
    """Return the position that a record ends in."""
    options = ENBU.parse_options(record["options"])
    decks: list[tuple[Any, ...]] = [()] * record["seats"]
    inputs = [parse_input(line) for line in record["inputs"]]
    return replay(ENBU, options, decks, bytes.fromhex(record["entropy"]), inputs)


# --- options and catalogue ---------------------------------------------------------------------


async def test_a_room_has_no_clocks_but_those_of_the_games_own_options(
    autojump_clock: MockClock,
) -> None:
    """EN-77, EN-86."""
    async with open_house(games=GAMES.values()) as house:
        aki = await house.enter("Aki")
        told = {game["id"]: game["options"]["properties"] for game in aki.hello["games"]}
        assert set(told["enbu"]) == {
            *("book", "race_turn_s", "solo_turn_s", "race_min", "watch", "chat")
        }
        assert {"turn_ms", "bank_ms", "window_min_ms"} <= set(told["odoriko"])
        refused = await aki.refused("create", game="enbu", options={"turn_ms": 60_000})
        assert refused.code == "bad_options"
        assert [p["path"] for p in refused.details["problems"]] == ["$.turn_ms"]
        room = (await aki.ask("create", game="enbu", seats=1))["room"]
        info = (await aki.next("room"))["info"]
        assert room == info["room"]
        assert set(info["options"]) == set(told["enbu"])


async def test_the_catalogue_brings_the_books(autojump_clock: MockClock) -> None:
    async with open_house(games=GAMES.values()) as house:
        aki = await house.enter("Aki")
        books = (await aki.ask("catalog", game="enbu"))["books"]
        assert len(books) == 14
        assert books["kyu-3"]["total"] == 6
        assert books["kyu-3"]["code"].startswith("ENBU1-")
        assert "books" not in await aki.ask("catalog", game="odoriko")


async def test_the_catalogue_for_the_options_of_a_room_has_the_cards_there(
    autojump_clock: MockClock,
) -> None:
    async with open_house(games=GAMES.values()) as house:
        aki = await house.enter("Aki")
        everything = (await aki.ask("catalog", game="odoriko"))["cards"]
        await aki.ask("create", game="odoriko", options={"events": "none", "turn_ms": 60_000})
        options = (await aki.next("room"))["info"]["options"]
        there = (await aki.ask("catalog", game="odoriko", options=options))["cards"]
        gone = [card for name, card in everything.items() if name not in there]
        assert {card["kind"] for card in gone} == {"event"}
        refused = await aki.refused("catalog", game="odoriko", options={"events": 3, "turn_ms": 3})
        assert refused.code == "bad_options"
        assert [p["path"] for p in refused.details["problems"]] == ["$.turn_ms"]
        assert (await aki.ask("catalog", game="odoriko"))["cards"] == everything


# --- clocks ------------------------------------------------------------------------------------


async def test_a_solo_game_without_a_clock_waits_for_its_player(autojump_clock: MockClock) -> None:
    """EN-77: the keeper of the clocks never ends it."""
    async with open_house(games=[ENBU]) as house:
        room, (aki,) = await race(house, ("Aki",))
        assert aki.views[room]["clock"] == []
        await aki.quiet()
        await trio.sleep(20 * 3_600)
        assert await aki.quiet() == []
        await finish_turn(aki, room)
        assert aki.views[room]["view"]["you"]["board"]["turn"] == 2


async def test_a_solo_game_may_have_a_turn_clock(autojump_clock: MockClock) -> None:
    """EN-76, EN-77: the turn is completed by defaults."""
    async with open_house(games=[ENBU]) as house:
        room, (aki,) = await race(house, ("Aki",), solo_turn_s=30)
        assert clocks(aki, room) == [(0, 30_000)]
        await aki.act(room, "take")
        assert aki.views[room]["clock"][0]["left_ms"] <= 30_000
        await trio.sleep(31)
        update = await aki.update()
        while update["view"]["you"]["board"]["turn"] == 1:
            update = await aki.update()
        assert [e["choice"] for e in update["events"] if e["kind"] == "default"] == ["next"]


async def test_the_clock_of_a_turn_is_its_owners_and_that_of_the_race_is_everybodys(
    autojump_clock: MockClock,
) -> None:
    """EN-86, EN-91: a rival's new clock would tell that it closed a turn."""
    async with open_house(games=[ENBU]) as house:
        room, (aki, ben) = await race(house, race_turn_s=60, race_min=5)
        watcher = await house.enter("Eve")
        await watcher.ask("join", room=room, **{"as": "spectator"})
        await watcher.update()
        assert clocks(aki, room) == [(0, 60_000), (None, 300_000)]
        assert clocks(ben, room) == [(1, 60_000), (None, 300_000)]
        assert clocks(watcher, room) == [(None, 300_000)]


async def test_the_clock_of_a_race_ends_it_for_all_who_play(autojump_clock: MockClock) -> None:
    """EN-86, EN-127: totals count, and the end is the clock's."""
    async with open_house(games=[ENBU]) as house:
        room, (aki, ben) = await race(house, book="dan-5", race_turn_s=0, race_min=5)
        await finish_turn(aki, room)
        await trio.sleep(301)
        for player in (aki, ben):
            while "outcome" not in player.views[room]["view"]:
                await player.update()
        view = aki.views[room]["view"]
        assert [seat["board"]["result"]["reason"] for seat in view["seats"]] == ["clock", "clock"]
        assert view["outcome"]["reason"] == "race"
        record = (await aki.ask("replay", room=room))["replay"]
        assert record["inputs"][-1] == "expire race"


# --- what rivals are told ----------------------------------------------------------------------


async def test_a_rival_is_told_nothing_of_a_turn_before_it_is_closed(
    autojump_clock: MockClock,
) -> None:
    """EN-79, EN-83, EN-92: not even that something happened."""
    async with open_house(games=[ENBU]) as house:
        room, (aki, ben) = await race(house, race_turn_s=0)
        await ben.quiet()
        seen = ben.seqs[room]
        for option in ("stage:2", "undo", "take", "undo", "stage:1"):
            await aki.act(room, option)
            assert (await ben.quiet(), ben.seqs[room]) == ([], seen)
        await aki.act(room, "next")
        assert await ben.quiet() == [], "it has closed no turn itself: it may know of none"
        await finish_turn(ben, room)
        seats = ben.views[room]["view"]["seats"]
        assert [seat["turn"] for seat in seats] == [1, 2], "a closed one, and its own in play"


# --- giving up ---------------------------------------------------------------------------------


async def test_leaving_a_race_is_finish_and_the_others_play_on(autojump_clock: MockClock) -> None:
    """EN-85: the answer is part of the record."""
    async with open_house(games=[ENBU]) as house:
        room, (aki, ben, chi) = await race(house, ("Aki", "Ben", "Chi"))
        await finish_turn(ben, room)
        await ben.ask("leave", room=room)
        for player in (aki, chi):
            await player.quiet()
            assert "outcome" not in player.views[room]["view"]
            # Ended at turn 2: nobody who has closed fewer turns is told (EN-83).
            assert 1 in player.views[room]["view"]["asked"]
            await player.act(room, "finish")
        while "outcome" not in aki.views[room]["view"]:
            await aki.update()
        ends = [s["board"]["result"]["reason"] for s in aki.views[room]["view"]["seats"]]
        assert ends == ["finish"] * 3
        record = (await aki.ask("replay", room=room))["replay"]
        assert [line.split()[0] for line in record["inputs"]] == ["1", "1", "1", "0", "2"]
        assert record["inputs"][2].endswith(" finish")
        state = await replayed(record)
        assert to_plain(ENBU.outcome(state)) == record["outcome"]
        seen = chi.views[room]["view"]
        while "outcome" not in seen:
            seen = (await chi.update())["view"]
        del seen["outcome"]["fairness"]
        assert to_plain(ENBU.view(state, SeatId(2))) == seen


async def test_being_put_out_of_a_race_is_finish(autojump_clock: MockClock) -> None:
    """EN-85."""
    async with open_house(games=[ENBU]) as house:
        room, (aki, ben) = await race(house)
        await aki.ask("kick", room=room, seat=1)
        await aki.act(room, "finish")
        assert "outcome" in aki.views[room]["view"]
        record = (await aki.ask("replay", room=room))["replay"]
        assert [line.split()[::2] for line in record["inputs"]] == [
            ["1", "finish"],
            ["0", "finish"],
        ]
        assert (await ben.next("closed"))["reason"] == "kicked"


async def test_leaving_a_solo_game_ends_it_for_those_who_watch(autojump_clock: MockClock) -> None:
    """EN-85."""
    async with open_house(games=[ENBU]) as house:
        room, (aki,) = await race(house, ("Aki",))
        eve = await house.enter("Eve")
        await eve.ask("join", room=room, **{"as": "spectator"})
        await eve.update()
        await aki.ask("leave", room=room)
        await eve.quiet()
        outcome = eve.views[room]["view"]["outcome"]
        assert outcome["reason"] == "finish"
        assert (await eve.ask("replay", room=room))["replay"]["inputs"] == ["0 0.1 finish"]


async def test_a_bot_that_is_put_out_of_a_race_gives_up_its_seat(autojump_clock: MockClock) -> None:
    """EN-85."""

    async def dull(*_: Any, **__: Any) -> None:
        await trio.sleep_forever()

    async with open_house(games=[ENBU], bots={"dull": dull}) as house:
        aki = await house.enter("Aki")
        room = (await aki.ask("create", game="enbu", seats=2))["room"]
        await aki.ask("bot", room=room, seat=1, level="dull")
        await aki.ask("ready", room=room, ready=True)
        await aki.ask("start", room=room)
        await aki.update()
        await aki.ask("kick", room=room, seat=1)
        await aki.act(room, "finish")
        assert aki.views[room]["view"]["seats"][1]["board"]["result"]["reason"] == "finish"


async def test_a_bot_that_stands_in_plays_on_when_its_owner_is_put_out(
    autojump_clock: MockClock,
) -> None:
    """EN-154: the seat is not given up, somebody plays it."""

    async def dull(*_: Any, **__: Any) -> None:
        await trio.sleep_forever()

    async with open_house(games=[ENBU], bots={"dull": dull}) as house:
        room, (aki, ben) = await race(house)
        await ben.leave_line()
        await aki.quiet()
        await aki.ask("bot", room=room, seat=1, level="dull")
        await aki.ask("kick", room=room, user=ben.user)
        await aki.act(room, "finish")
        assert "outcome" not in aki.views[room]["view"]
        await aki.ask("kick", room=room, seat=1)
        await aki.quiet()
        assert aki.views[room]["view"]["outcome"]["reason"] == "race"


async def test_there_is_no_window_to_answer_beforehand(autojump_clock: MockClock) -> None:
    async with open_house(games=[ENBU]) as house:
        room, (aki,) = await race(house, ("Aki",))
        refused = await aki.refused("auto", room=room, window="act", mode="pass")
        problem = {"path": "$.window", "problem": "this game has no windows"}
        assert refused.details == {"problems": [problem]}


# --- quiet -------------------------------------------------------------------------------------


async def test_who_left_a_race_does_not_come_back_to_talk(autojump_clock: MockClock) -> None:
    """EN-156: it knows more of the deck than those who only watch."""
    async with open_house(games=[ENBU]) as house:
        room, players = await race(house, ("Aki", "Ben", "Cho", "Dan"))
        aki, ben, cho, _ = players
        await cho.ask("leave", room=room)
        await aki.ask("kick", room=room, seat=1)
        for gone in (cho, ben):
            await gone.ask("join", room=room, **{"as": "spectator"})
            refused = await gone.refused("chat", room=room, text="a dog comes next")
            assert refused.details == {"room": room, "quiet": True}


@pytest.mark.parametrize(
    ("locale", "said"), [("ja", "競演のあいだ"), ("en", "players of a running race cannot talk")]
)
async def test_players_of_a_running_race_cannot_talk_but_watchers_can(
    autojump_clock: MockClock, locale: str, said: str
) -> None:
    """EN-85: until every rehearsal is over, also for one that has ended."""
    async with open_house(games=[ENBU]) as house:
        room, (aki, ben) = await race(house)
        cho = await house.enter("Cho", locale=locale)
        await cho.ask("join", room=room, **{"as": "spectator"})
        await cho.ask("chat", room=room, text="good luck")
        await aki.act(room, "finish")
        for player in (aki, ben):
            refused = await player.refused("chat", room=room, text="the tiger comes next")
            assert refused.code == "room_started"
            assert refused.details == {"room": room, "quiet": True}
        await ben.ask("leave", room=room)
        await aki.ask("chat", room=room, text="well played")
        lines = [push["text"] for push in await cho.quiet() if push["type"] == "chat"]
        assert lines == ["good luck", "well played"]
        other, (dan, _) = await race(house, ("Dan", "Emi"))
        await dan.ask("leave", room=other)
        third, (fuu, _) = await race(house, ("Fuu", "Gin"))
        await fuu.leave_line()
        fuu = await house.enter("Fuu", locale=locale, resume=fuu.hello["token"])
        refused = await fuu.refused("chat", room=third, text="hm")
        assert refused.message.startswith(said)


async def test_players_may_talk_before_a_race_and_where_the_room_lets_them(
    autojump_clock: MockClock,
) -> None:
    """EN-85."""
    async with open_house(games=[ENBU]) as house:
        room, (aki, _) = await race(house, chat=True)
        await aki.ask("chat", room=room, text="hello")
        solo, (chi,) = await race(house, ("Chi",))
        await chi.ask("chat", room=solo, text="alone")
        lobby = (await aki.ask("create", game="enbu", seats=2))["room"]
        await aki.ask("chat", room=lobby, text="ready?")
