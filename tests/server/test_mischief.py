"""Random requests by people who come, go and come back: nothing fails, no stream has a gap."""

import logging
import random
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from .house import House, Player, Refused, choice, config, open_house
from .test_bots import BOTS

STEPS = 400
KINDS = (
    *("join", "leave", "configure", "deck", "ready", "start", "bot", "kick", "host"),
    *("chat", "sync", "replay", "rematch", "pause", "auto", "rooms", "create", "ping"),
    *("act",) * 12,
    *("hang up", "come back", "wait", "set up") * 2,
)


class Crowd:
    """Some players, each with rooms that it has heard of."""

    def __init__(self, house: House, chance: random.Random) -> None:
        self.house = house
        self.chance = chance
        self.players: list[Player] = []
        self.here: list[bool] = []
        self.rooms: list[str] = ["KAGU-0000"]
        self.codes: set[str] = set()

    async def fill(self, count: int) -> None:
        for n in range(count):
            self.players.append(await self.house.enter(f"P{n}"))
            self.here.append(True)

    async def step(self) -> None:
        chance = self.chance
        index = chance.randrange(len(self.players))
        player, kind = self.players[index], chance.choice(KINDS)
        match kind:
            case "wait":
                await trio.sleep(chance.choice([0.1, 1, 5, 30]))
            case "hang up" if self.here[index] and chance.random() < 0.5:
                self.here[index] = False
                await player.leave_line()
            case "come back":
                token = player.hello["token"]
                self.players[index] = await self.house.enter(f"P{index}", resume=token)
                self.here[index] = True
                for room in self.players[index].hello["rooms"]:
                    await self.ask(self.players[index], "sync", room=room["room"])
            case "set up" if self.here[index]:
                await self.set_up(player)
            case "act" if self.here[index]:
                await self.act(player)
            case "hang up" | "set up" | "act":
                pass
            case _ if self.here[index]:
                await self.ask(player, kind, **self.fields(kind))

    async def set_up(self, host: Player) -> None:
        """Bring a game about, which random requests hardly ever would."""
        made = await self.ask(host, "create", **self.fields("create"))
        if made is None:
            return
        room = made["room"]
        for player, here in zip(self.players, self.here, strict=True):
            if here and self.chance.random() < 0.7:
                await self.ask(player, "join", room=room)
                await self.ask(player, "ready", room=room, ready=True)
        while await self.ask(host, "bot", room=room, level="plain") is not None:
            pass
        await self.ask(host, "start", room=room)

    async def act(self, player: Player) -> None:
        await player.quiet()
        open_rooms = [room for room, update in player.views.items() if update["decisions"]]
        if not open_rooms:
            return
        room = self.chance.choice(open_rooms)
        decision = player.views[room]["decisions"][0]
        option, value = choice(decision)
        if self.chance.random() < 0.3:
            option, value = decision["default"], None
        fields = {} if value is None else {"value": value}
        await self.ask(player, "act", room=room, decision=decision["id"], option=option, **fields)

    def fields(self, kind: str) -> dict[str, Any]:
        chance = self.chance
        options = {"turns": chance.choice([1, 1, 2, 0]), "window_min_ms": 100, "turn_ms": 5_000}
        room, seat = {"room": chance.choice(self.rooms[-4:])}, chance.randrange(5)
        match kind:
            case "create":
                seats: list[dict[str, Any]] = [{}, {"seats": 2}, {"seats": 3}, {"seats": 9}]
                return {"game": "ofuda", "options": options, **chance.choice(seats)}
            case "join":
                more: list[dict[str, Any]] = [
                    {},
                    {"as": "spectator"},
                    {"seat": seat},
                    {"as": "player"},
                ]
                return {**room, **chance.choice(more)}
            case "configure":
                return {**room, "options": options}
            case "deck":
                cards = chance.sample([f"o{n}" for n in range(12)], 4)
                return {**room, **chance.choice([{"starter": True}, {"cards": cards}])}
            case "ready":
                return {**room, "ready": chance.random() < 0.8, "nonce": "ab" * 16}
            case "bot":
                level = chance.choice(["plain", "silent", "broken", "none"])
                return {**room, **chance.choice([{}, {"seat": seat}, {"level": level}])}
            case "kick":
                user = chance.choice(self.players).user
                return {**room, **chance.choice([{"seat": seat}, {"user": user}])}
            case "host":
                return {**room, "seat": seat}
            case "chat":
                return {**room, "text": "x"}
            case "sync":
                return room
            case "pause":
                return {**room, "on": chance.random() < 0.5}
            case "auto":
                return {**room, "window": "bless", "mode": chance.choice(["ask", "pass"])}
            case "rooms":
                return {"watch": chance.random() < 0.5}
            case "ping":
                return {}
            case _:
                return room

    async def ask(self, player: Player, kind: str, **fields: Any) -> Any:
        if kind == "sync" and self.chance.random() < 0.5:
            fields["seq"] = player.seqs.get(fields["room"], 0)
        try:
            result = await player.ask(kind, **fields)
        except Refused as refused:
            self.codes.add(refused.code)
            return None
        if "room" in result and result["room"] not in self.rooms:
            self.rooms.append(result["room"])
        return result


@pytest.mark.parametrize("seed", range(6))
async def test_nothing_fails_whatever_people_do(
    seed: int, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "kaguraden")
    limits = {"burst_requests": 100_000, "requests_per_second": 100_000, "chat_messages": 1_000}
    rooms = {"empty_playing_s": 60, "away_lobby_s": 20, "host_away_s": 5, "over_s": 70}
    async with open_house(config(limits, rooms), bots=BOTS) as house:
        crowd = Crowd(house, random.Random(seed))
        await crowd.fill(5)
        for _ in range(STEPS):
            await crowd.step()
        for player, here in zip(crowd.players, crowd.here, strict=True):
            if here:
                await player.quiet()
        assert "internal" not in crowd.codes
        events = [record.message for record in caplog.records]
        faults = [r for r in caplog.records if r.levelno >= logging.WARNING]
        # One of the bots is there to fail.
        assert {r.message for r in faults} <= {"bot_failed"}
        assert events.count("game_started") >= 1
        for player, here in zip(crowd.players, crowd.here, strict=True):
            if here:
                await player.leave_line()
        await trio.sleep(10_000)
        assert house.lobby.rooms == {}, "rooms do not stay when everybody has gone"
        assert not house.lobby.connections
        assert len(house.lobby.users) == 0
