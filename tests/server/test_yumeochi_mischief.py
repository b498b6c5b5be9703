"""Rooms of yumeochi in disorder: offers while people come and go, and the answers after 夢ヲチ."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import trio
from attrs import evolve
from kaguraden_client.bots import random_bot
from kaguraden_rules.kernel import Step, replay
from kaguraden_rules.yumeochi.game import Yumeochi
from kaguraden_rules.yumeochi.options import Options
from kaguraden_rules.yumeochi.sets import BASE
from kaguraden_server.records import parse_input
from kaguraden_server.room import Room
from trio.testing import MockClock

from tests.properties.yumeochi_play import WORKSHOP, YUMEOCHI, random_room
from tests.rules.yumeochi_positions import A, position, seat

from .house import House, Player, Refused, config, open_house

NAMES = ("Aki", "Ben", "Chi", "Dan")
MOST = 1_500  # things that happen in a game
UNHURRIED = config(limits={"requests_per_second": 10_000, "burst_requests": 10_000})


class Crowd:
    """Four players, who may go and come back, and one who watches."""

    def __init__(self, house: House, chance: random.Random) -> None:
        self.house = house
        self.chance = chance
        self.players: list[Player] = []
        self.here = set(range(4))
        self.away: set[int] = set()
        self.given: list[tuple[int, str, str]] = []  # answers, to be sent again
        self.faults: list[Exception] = []

    async def sit_down(self, game: Yumeochi, options: dict[str, Any]) -> Room:
        self.players = [await self.house.enter(name) for name in NAMES]
        host, *others = self.players
        self.code: str = (await host.ask("create", game=game.id, options=options))["room"]
        self.watcher = await self.house.enter("Wat")
        await self.watcher.ask("join", room=self.code, **{"as": "spectator"})
        for player in others:
            await player.ask("join", room=self.code)
        for player in self.players:
            await player.ask("ready", room=self.code, ready=True)
        await host.ask("start", room=self.code)
        await self.settle()
        return self.house.lobby.rooms[self.code]

    async def settle(self) -> None:
        for player in (*(self.players[n] for n in sorted(self.here)), self.watcher):
            await player.quiet()

    async def ask(self, number: int, kind: str, **fields: Any) -> bool:
        try:
            await self.players[number].ask(kind, room=self.code, **fields)
        except Refused as refused:
            if refused.code == "internal":
                raise
            return False
        return True

    async def act(self, number: int) -> None:
        """Have a seat answer, now and then at the very moment at which its time is over."""
        update = self.players[number].views[self.code]
        decision, chance = update["decisions"][0], self.chance
        offers = [o for o in decision["options"] if o["kind"] == "exchange"]
        liked = offers if offers and chance.random() < 0.4 else decision["options"]
        option = chance.choice(liked)["id"]
        if chance.random() < 0.1:
            due = self.house.lobby.rooms[self.code]._due()
            await trio.sleep_until(trio.current_time() if due is None else due[0])
        await self.ask(number, "act", decision=decision["id"], option=option)
        self.given.append((number, decision["id"], option))

    async def disturb(self, number: int) -> None:
        """Let something happen to a seat."""
        tricks: list[Callable[[], Awaitable[None]]] = [
            *(lambda: self.hang_up(number), lambda: self.come_back(number)),
            *(lambda: self.lose(number, "leave"), lambda: self.lose(number, "kick")),
            *(lambda: self.stand_in(number), self.pause, self.pause, self.wait),
        ]
        await self.chance.choice(tricks)()

    async def hang_up(self, number: int) -> None:
        if number in self.here and number != 0:
            await self.players[number].leave_line()
            self.here.discard(number)
            self.away.add(number)

    async def come_back(self, number: int) -> None:
        if number in self.away:
            self.away.discard(number)
            token = self.players[number].hello["token"]
            self.players[number] = await self.house.enter(NAMES[number], resume=token)
            if await self.ask(number, "sync", seq=self.chance.randrange(30)):
                self.here.add(number)

    async def lose(self, number: int, how: str) -> None:
        if number == 0 or self.chance.random() < 0.6:
            return
        if how == "kick":
            lost = await self.ask(0, "kick", seat=number)
        else:
            lost = number in self.here and await self.ask(number, "leave")
        if lost:
            self.here.discard(number)
            self.away.discard(number)

    async def stand_in(self, number: int) -> None:
        await self.ask(0, "bot", seat=number, level="random")

    async def pause(self) -> None:
        on = self.chance.random() < 0.6
        for number in sorted(self.here):
            await self.ask(number, "pause", on=on)

    async def wait(self) -> None:
        await trio.sleep(self.chance.choice((0.1, 1, 5, 30, 75)))

    async def go_on(self, room: Room) -> None:
        """Do the next thing: mostly answer, rather disturb while an offer is open."""
        assert room.table is not None
        state, chance = room.table.state, self.chance
        offer = getattr(state.stage, "proposal", None)
        if chance.random() < (0.05 if offer is None else 0.5):
            among = range(4) if offer is None else (state.stage.seat, offer.target)
            await self.disturb(chance.choice(among))
        elif self.given and chance.random() < 0.2:
            number, decision, option = chance.choice(self.given)
            if number in self.here:
                await self.ask(number, "act", decision=decision, option=option)
        elif asked := [
            n for n in sorted(self.here) if self.players[n].views[self.code]["decisions"]
        ]:
            await self.act(chance.choice(asked))
        elif room.table.clocks.stopped is not None:
            for number in sorted(self.here):
                await self.ask(number, "pause", on=False)
        else:
            await self.wait()


@pytest.mark.parametrize("number", range(4))
async def test_offers_in_disorder_break_nothing(number: int, autojump_clock: MockClock) -> None:
    """YU-103, YU-112: whoever goes, is sent away or stands in, the game goes on to its end."""
    chance = random.Random(number)
    options = random_room(chance, (BASE, WORKSHOP)[number % 2]).options
    options = evolve(options, exchange_proposals=chance.choice((1, 3)), bot_pace=1)
    raw = YUMEOCHI.format_options(options)
    async with open_house(UNHURRIED, games=[YUMEOCHI], bots={"random": random_bot}) as house:
        crowd = Crowd(house, chance)
        room = await crowd.sit_down(YUMEOCHI, raw)
        assert room.table is not None
        for _ in range(MOST):
            await crowd.settle()
            if room.table.outcome is not None:
                break
            await crowd.go_on(room)
        assert room._faults == 0
        told: Any = (await crowd.players[0].ask("replay", room=crowd.code))["replay"]
        inputs = [parse_input(entry) for entry in told["inputs"]]
        end = replay(YUMEOCHI, options, [()] * 4, bytes.fromhex(told["entropy"]), inputs)
        assert YUMEOCHI.outcome(end) == room.table.outcome


async def test_nobody_sees_who_has_answered_for_a_rematch(autojump_clock: MockClock) -> None:
    """DP-7, YU-114, YU-117: an answer is told to nobody, nor is the seed as long as it may be used."""
    options = Options(BASE, all_dead="dream", replay="ask")
    dying = [seat(life=1) for _ in NAMES]
    brink = position(*dying, hour=7, turn=A, clock={7: "crow_flock"}, options=options)
    game = Yumeochi()
    async with open_house(games=[game]) as house:
        crowd = Crowd(house, random.Random(0))
        room = await crowd.sit_down(game, game.format_options(options))
        assert room.table is not None
        now = trio.current_time()
        await room.play(room.table._played(Step(game.begin(brink).state, ()), (), now, now))
        await crowd.settle()
        await crowd.players[0].act(crowd.code, "open")
        await crowd.settle()
        everybody = [*crowd.players, crowd.watcher]
        for number in (2, 0, 3):
            before = [player.seqs[crowd.code] for player in everybody]
            await crowd.players[number].act(crowd.code, "yes")
            await crowd.settle()
            after = [player.seqs[crowd.code] for player in everybody]
            assert [n for n, (a, b) in enumerate(zip(before, after, strict=True)) if a != b] == [
                number
            ]
            for player in everybody:
                update = player.views[crowd.code]
                assert update["view"]["asked"] == [0, 1, 2, 3]
                assert "outcome" not in update["view"]
        assert (await crowd.watcher.refused("replay", room=crowd.code)).code == "not_over"
        await crowd.players[1].act(crowd.code, "yes")
        await crowd.settle()
        for number, player in enumerate(everybody):
            update = player.views[crowd.code]
            assert update["view"]["table"]["game_no"] == 2
            assert "revealed" not in update["view"]["table"]
            dealt = [event for event in update["events"] if event["kind"] == "dealt"]
            assert [event["seat"] for event in dealt if "role" in event] == (
                [number] if number < len(NAMES) else []
            )
        assert (await crowd.watcher.refused("replay", room=crowd.code)).code == "not_over"
