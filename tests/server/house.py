"""A house without sockets, and players who speak nothing but the protocol's JSON."""

from __future__ import annotations

import itertools
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Protocol

import trio
from attrs import define, evolve, field
from kaguraden_protocol.limits import Limits
from kaguraden_rules.kernel import Game
from kaguraden_server.bots import BotFunction
from kaguraden_server.clocks import ClockOptions
from kaguraden_server.config import Config, RoomSettings
from kaguraden_server.daily import Daily
from kaguraden_server.journal.writer import Journal
from kaguraden_server.keeper import Keeper
from kaguraden_server.lobby import Lobby
from kaguraden_server.logs import Log
from kaguraden_server.passwords import Hashed
from kaguraden_server.replays import ReplayFiles
from kaguraden_server.wires import InsideWire, inside_pair

from tests.fakes import OFUDA

__all__ = ["House", "Player", "Refused", "config", "open_house", "play_out"]

Message = dict[str, Any]


class Line(Protocol):
    """What a player speaks over."""

    async def send(self, text: str) -> None: ...

    async def receive(self) -> str: ...

    async def aclose(self) -> None: ...


class Refused(Exception):
    """An error came back."""

    def __init__(self, error: Message) -> None:
        super().__init__(f"{error['code']}: {error['message']} {error['details']}")
        self.code: str = error["code"]
        self.message: str = error["message"]
        self.details: Message = error["details"]


def config(
    limits: Mapping[str, int] | None = None,
    rooms: Mapping[str, int] | None = None,
    clocks: Mapping[str, int] | None = None,
) -> Config:
    """Return settings that differ from the defaults in these."""
    return Config(
        limits=Limits(**(limits or {})),
        rooms=RoomSettings(**(rooms or {})),
        clocks=ClockOptions(**(clocks or {})),
    )


@define(eq=False)
class Player:
    """Somebody on a connection. Pushes that come before a reply are kept in order."""

    line: Line
    wire: InsideWire | None = None
    hello: Message = field(factory=dict)
    pushes: deque[Message] = field(factory=deque)
    views: dict[str, Message] = field(factory=dict)
    seqs: dict[str, int] = field(factory=dict)
    ids: Iterator[int] = field(factory=lambda: itertools.count(1))

    @property
    def user(self) -> str:
        user: str = self.hello["user"]
        return user

    async def open(self, name: str, **fields: Any) -> Player:
        fields.setdefault("client", {"name": "test", "version": "1"})
        self.hello = await self.ask("hello", name=name, **fields)
        return self

    async def send(self, kind: str, **fields: Any) -> int:
        number = next(self.ids)
        await self.line.send(json.dumps({"type": kind, "id": number, **fields}))
        return number

    async def ask(self, kind: str, **fields: Any) -> Message:
        return await self.reply(await self.send(kind, **fields))

    async def reply(self, number: int) -> Message:
        with trio.fail_after(100):
            while True:
                message = await self._receive()
                if message["type"] not in {"ok", "error"}:
                    self.pushes.append(message)
                    continue
                assert message["re"] == number
                if message["type"] == "error":
                    raise Refused(message)
                result: Message = message["result"]
                return result

    async def refused(self, kind: str, **fields: Any) -> Refused:
        try:
            result = await self.ask(kind, **fields)
        except Refused as refused:
            return refused
        raise AssertionError(f"{kind} was granted: {result}")

    async def _receive(self) -> Message:
        message: Message = json.loads(await self.line.receive())
        if message["type"] == "update":
            self._follow(message)
        return message

    def _follow(self, update: Message) -> None:
        room, seq = update["room"], update["seq"]
        if not update["full"] and room in self.seqs:
            if seq <= self.seqs[room]:
                return  # on its way when `sync` asked for it
            assert seq == self.seqs[room] + 1, "a gap in seq"
        self.seqs[room] = seq
        self.views[room] = update

    async def next(self, kind: str) -> Message:
        """Return the next push of a kind, dropping others before it."""
        while self.pushes:
            message = self.pushes.popleft()
            if message["type"] == kind:
                return message
        with trio.fail_after(100):
            while True:
                message = await self._receive()
                if message["type"] == kind:
                    return message

    async def quiet(self) -> list[Message]:
        """Return all pushes that have come, when nothing more is under way."""
        await trio.testing.wait_all_tasks_blocked(0.001)
        await self.ask("ping")
        taken, self.pushes = list(self.pushes), deque()
        return taken

    async def update(self) -> Message:
        return await self.next("update")

    async def act(self, room: str, option: str, value: Any = None) -> int:
        """Answer the open decision of the last update."""
        (decision,) = self.views[room]["decisions"]
        fields = {} if value is None else {"value": value}
        result = await self.ask("act", room=room, decision=decision["id"], option=option, **fields)
        seq: int = result["seq"]
        return seq

    async def leave_line(self) -> None:
        await self.line.aclose()


@define(eq=False)
class House:
    lobby: Lobby
    nursery: trio.Nursery

    async def connect(self, address: str = "") -> Player:
        wire, line = inside_pair(4_096)
        wire.address = address
        self.nursery.start_soon(self.lobby.attend, wire)
        await trio.lowlevel.checkpoint()
        return Player(line, wire)

    async def enter(self, name: str = "Aki", **fields: Any) -> Player:
        return await (await self.connect()).open(name, **fields)

    async def table(
        self, names: tuple[str, ...] = ("Aki", "Ben"), **options: Any
    ) -> tuple[str, list[Player]]:
        """Return a room with everybody seated and ready, and the players."""
        players = [await self.enter(name) for name in names]
        made = await players[0].ask("create", game="ofuda", seats=len(names), options=options)
        room: str = made["room"]
        for player in players[1:]:
            await player.ask("join", room=room)
        for player in players:
            await player.ask("ready", room=room, ready=True)
        return room, players

    async def started(
        self, names: tuple[str, ...] = ("Aki", "Ben"), **options: Any
    ) -> tuple[str, list[Player]]:
        """Return a room whose game has begun; everybody has seen update 1."""
        room, players = await self.table(names, **options)
        await players[0].ask("start", room=room)
        for player in players:
            if room not in player.views:
                await player.update()
        return room, players


@asynccontextmanager
async def open_house(
    settings: Config | None = None,
    *,
    bots: Mapping[str, BotFunction] | None = None,
    password: Hashed | None = None,
    replays: ReplayFiles | None = None,
    daily: Daily | None = None,
    games: Iterable[Game[Any, Any]] = (OFUDA,),
    journal: Journal | None = None,
) -> AsyncIterator[House]:
    """Run a house that offers the tiny game, or others."""
    levels: dict[str, Callable[[], BotFunction]] = {
        level: partial(_given, bot) for level, bot in (bots or {}).items()
    }
    # In a test's process many clients share one address.
    settings = settings or Config()
    limits = evolve(settings.limits, connections_per_address=10_000)
    settings = evolve(settings, limits=limits)
    lobby = Lobby(
        settings,
        {game.id: game for game in games},
        levels,
        Log(),
        password=password,
        replays=replays,
        daily=daily,
        keeper=Keeper(journal),
    )
    async with trio.open_nursery() as nursery:
        await nursery.start(lobby.run)
        yield House(lobby, nursery)
        nursery.cancel_scope.cancel()


def _given(bot: BotFunction) -> BotFunction:
    return bot


def choice(decision: Message) -> tuple[str, Any]:
    """Return the first option of a decision, with the least value that fits."""
    option = decision["options"][0]
    match option.get("value"):
        case None:
            return option["id"], None
        case {"type": "int", "min": least}:
            return option["id"], least
        case {"type": "cards", "from": among, "min": least}:
            return option["id"], among[:least]
        case spec:
            raise AssertionError(f"what is {spec}?")


async def play_out(room: str, players: list[Player]) -> list[Message]:
    """Have every player take first options until the game is over; return the last updates."""
    async with trio.open_nursery() as nursery:
        for player in players:
            nursery.start_soon(_play, room, player)
    return [player.views[room] for player in players]


async def _play(room: str, player: Player) -> None:
    while "outcome" not in player.views[room]["view"]:
        decisions = player.views[room]["decisions"]
        if decisions:
            option, value = choice(decisions[0])
            try:
                await player.act(room, option, value)
            except Refused as refused:
                if refused.code not in {"stale", "not_your_decision"}:
                    raise
                if player.views[room]["decisions"] == decisions:
                    await player.update()
        else:
            await player.update()
