"""Bots in the seats of the server (seams: entry points of group `kaguraden.bots`)."""

import json
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import define
from kaguraden_client.bots import random_bot
from kaguraden_rules.kernel import Act
from kaguraden_server.bots import Transport, find_bots
from trio.testing import MockClock

from .house import Player, choice, config, open_house, play_out
from .journals import SlowJournal


async def plain_bot(transport: Transport, *, token: str, room: str, name: str) -> None:
    """Take first options, knowing the protocol and nothing else."""
    player = Player(transport)
    await player.open(name, resume=token, bot=True)
    assert player.hello["resumed"] is True
    await player.ask("sync", room=room)
    while True:
        update = player.views.get(room)
        if update is not None and "outcome" in update["view"]:
            return
        if update is not None and update["decisions"]:
            option, value = choice(update["decisions"][0])
            fields: dict[str, Any] = {} if value is None else {"value": value}
            decision = update["decisions"][0]["id"]
            await player.send("act", room=room, decision=decision, option=option, **fields)
        await _until_news(player, room)


async def _until_news(player: Player, room: str) -> None:
    before = player.seqs.get(room)
    while player.seqs.get(room) == before:
        message = json.loads(await player.line.receive())
        if message["type"] == "update":
            player.views[room] = message
            player.seqs[room] = message["seq"]


async def silent_bot(transport: Transport, *, token: str, room: str, name: str) -> None:
    """Take the seat and never answer."""
    await Player(transport).open(name, resume=token, bot=True)
    await trio.sleep_forever()


async def broken_bot(transport: Transport, *, token: str, room: str, name: str) -> None:
    """Fail."""
    raise RuntimeError("this bot is broken")


@define
class _Slow:
    """A transport that takes longer than half a commit of a `SlowJournal`."""

    inner: Transport

    async def send(self, text: str) -> None:
        await trio.sleep(0.6)
        await self.inner.send(text)

    async def receive(self) -> str:
        return await self.inner.receive()

    async def aclose(self) -> None:
        await self.inner.aclose()


async def slow_bot(transport: Transport, *, token: str, room: str, name: str) -> None:
    """Say hello while a room is written, and speak of it afterwards."""
    await random_bot(_Slow(transport), token=token, room=room, name=name)


BOTS = {"plain": plain_bot, "silent": silent_bot, "broken": broken_bot}


async def test_a_person_plays_a_game_against_bots(autojump_clock: MockClock) -> None:
    async with open_house(bots=BOTS) as house:
        aki = await house.enter("Aki")
        room = (await aki.ask("create", game="ofuda", seats=3))["room"]
        assert (await aki.ask("bot", room=room))["seat"] == 1, "the first level that there is"
        assert (await aki.ask("bot", room=room, seat=2, level="plain"))["seat"] == 2
        await aki.ask("ready", room=room, ready=True)
        info = [p for p in await aki.quiet() if p["type"] == "room"][-1]["info"]
        assert [s.get("bot") for s in info["seats"]] == [None, "plain", "plain"]
        assert [s["ready"] for s in info["seats"]] == [True, True, True]
        assert len({s["name"] for s in info["seats"]}) == 3
        await aki.ask("start", room=room)
        await aki.update()
        (last,) = await play_out(room, [aki])
        assert last["view"]["seats"][1]["field"], "the bots did play"


async def test_what_a_bot_from_outside_calls_itself_is_cleaned(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        for name, level in [("g\u202er\x1b[31mee\u200bdy", "gr[31meedy"), ("\x07\u3164", "bot")]:
            bot = await house.enter("Kitsune", client={"name": name, "version": "1"}, bot=True)
            await bot.ask("create", game="ofuda")
            told = await bot.next("room")
            assert told["info"]["seats"][0]["bot"] == level


async def test_bots_are_refused_with_the_levels_that_there_are(autojump_clock: MockClock) -> None:
    async with open_house(config(rooms={"bots": 1}), bots=BOTS) as house:
        aki = await house.enter("Aki")
        room = (await aki.ask("create", game="ofuda", seats=3))["room"]
        refused = await aki.refused("bot", room=room, level="genius")
        assert refused.code == "unsupported"
        assert refused.details == {"levels": ["plain", "silent", "broken"]}
        assert (await aki.refused("bot", room=room, seat=0)).code == "seat_taken"
        await aki.ask("bot", room=room)
        refused = await aki.refused("bot", room=room)
        assert (refused.code, refused.details["limit"]) == ("limit_reached", 1)


async def test_nobody_takes_all_the_bots(autojump_clock: MockClock) -> None:
    async with open_house(config(rooms={"bots": 4, "bots_per_user": 2}), bots=BOTS) as house:
        aki, ben = await house.enter("Aki"), await house.enter("Ben")
        rooms = [(await p.ask("create", game="ofuda"))["room"] for p in (aki, aki, ben)]
        for room in rooms[:2]:
            await aki.ask("bot", room=room, level="silent")
        refused = await aki.refused("bot", room=rooms[1])
        assert refused.code == "limit_reached"
        assert refused.details == {"limit": 2, "what": "bots_per_user"}
        await ben.ask("bot", room=rooms[2])
        await aki.ask("kick", room=rooms[0], seat=1)
        await trio.sleep(1)
        await aki.ask("bot", room=rooms[1])


async def test_a_bot_can_be_taken_out_before_the_game(autojump_clock: MockClock) -> None:
    async with open_house(bots=BOTS) as house:
        aki = await house.enter("Aki")
        room = (await aki.ask("create", game="ofuda", seats=2))["room"]
        await aki.ask("bot", room=room)
        await trio.sleep(1)
        await aki.ask("kick", room=room, seat=1)
        info = [p for p in await aki.quiet() if p["type"] == "room"][-1]["info"]
        assert info["seats"][1] == {"seat": 1}
        await trio.sleep(1)
        assert len(house.lobby.connections) == 1, "the bot has gone"
        assert (await aki.ask("bot", room=room))["seat"] == 1


async def test_a_bot_stands_in_for_who_is_away_until_the_owner_is_back(
    autojump_clock: MockClock,
) -> None:
    async with open_house(bots=BOTS) as house:
        room, (aki, ben) = await house.started(turns=30, turn_ms=600_000, window_min_ms=1_000)
        assert (await aki.refused("bot", room=room, seat=1)).code == "seat_taken"
        assert (await aki.refused("bot", room=room)).code == "seat_taken"
        await ben.leave_line()
        await trio.sleep(0.1)
        assert (await aki.ask("bot", room=room, level="plain"))["seat"] == 1
        info = [p for p in await aki.quiet() if p["type"] == "room"][-1]["info"]
        seat = info["seats"][1]
        assert (seat["user"], seat["name"], seat["bot"]) == (ben.user, "Ben", "plain")
        assert seat["away"] is True
        await aki.act(room, "rest")
        while "blessed" not in (await aki.update())["events"][0]:
            pass
        turn = aki.views[room]["view"]["table"]["turn"]
        assert turn == 1
        await trio.sleep(3)
        await aki.quiet()
        assert aki.views[room]["view"]["phase"] == "window", "the bot has taken Ben's turn"
        again = await house.enter("Ben", resume=ben.hello["token"])
        await again.ask("sync", room=room)
        info = [p for p in await aki.quiet() if p["type"] == "room"][-1]["info"]
        assert "bot" not in info["seats"][1]
        assert "away" not in info["seats"][1]
        assert len(house.lobby.connections) == 2, "the bot has gone"
        await aki.act(room, "pass")
        await trio.sleep(2)
        await aki.quiet()
        await aki.act(room, "rest")
        await again.quiet()
        assert again.views[room]["decisions"], "the owner answers again"
        await again.act(room, "bless")


async def test_a_bot_that_fails_costs_its_seat_its_time_and_nothing_else(
    autojump_clock: MockClock,
) -> None:
    async with open_house(bots=BOTS) as house:
        aki = await house.enter("Aki")
        room = (await aki.ask("create", game="ofuda", seats=2))["room"]
        await aki.ask("bot", room=room, level="broken")
        await aki.ask("ready", room=room, ready=True)
        await aki.ask("start", room=room)
        await aki.update()
        await play_out(room, [aki])
        info = house.lobby.rooms[room].info()
        assert info.phase == "over"
        assert info.seats[1].bot == "broken"


@pytest.mark.parametrize("level", ["plain", "random", "slow"])
async def test_bots_play_in_a_rematch_that_took_long_to_write(
    level: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    bots = {"plain": plain_bot, "random": random_bot, "slow": slow_bot}
    journal = SlowJournal(tmp_path)
    async with open_house(bots=bots, journal=journal) as house:
        aki = await house.enter("Aki")
        room = (await aki.ask("create", game="ofuda", seats=2))["room"]
        await aki.ask("bot", room=room, level=level)
        for _ in range(2):
            await aki.ask("ready", room=room, ready=True)
            await aki.ask("start", room=room)
            await play_out(room, [aki])
            table = house.lobby.rooms[room].table
            assert table is not None
            assert any(isinstance(entry, Act) and entry.seat == 1 for entry in table.inputs)
            room = (await aki.ask("rematch", room=room))["room"]
    journal.drop()


async def test_bots_do_not_keep_a_room_open(autojump_clock: MockClock) -> None:
    async with open_house(bots=BOTS) as house:
        aki = await house.enter("Aki")
        room = (await aki.ask("create", game="ofuda", seats=2))["room"]
        await aki.ask("bot", room=room, level="silent")
        await trio.sleep(1)
        await aki.ask("leave", room=room)
        await trio.sleep(1)
        assert house.lobby.rooms == {}
        assert len(house.lobby.connections) == 1
        assert len(house.lobby.users) == 1


async def test_a_bot_from_outside_is_shown_as_one(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        aki = await house.enter("Aki")
        room = (await aki.ask("create", game="ofuda", seats=2))["room"]
        bot = await house.enter("Robo", bot=True)
        await bot.ask("join", room=room)
        assert house.lobby.rooms[room].info().seats[1].bot == "test"


def test_the_installed_levels_are_found_the_preferred_one_first() -> None:
    levels = list(find_bots())
    assert levels[0] == "greedy"
    assert {"heuristic", "random"} <= set(levels)
