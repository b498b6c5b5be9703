"""The server's side of a simulation: its processes, one after another, and how people reach them.

A process is a real lobby over the file of a `Disk`, and ends in one of three ways: it is killed
(`die`: no line of it has any effect any more), it drains as `app` has it, or it cannot start
because its storage is down. Some time later the next one starts.
"""

from __future__ import annotations

import logging
import random
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import trio
from attrs import define, field
from kaguraden_client.bots import greedy_bot, random_bot
from kaguraden_rules.catalogue import GAMES
from kaguraden_rules.kernel import Game
from kaguraden_server.bots import BotFunction
from kaguraden_server.daily import Daily
from kaguraden_server.journal.entries import Entry, RoomLost
from kaguraden_server.journal.writer import StorageDown
from kaguraden_server.keeper import Keeper
from kaguraden_server.lobby import Lobby
from kaguraden_server.logs import Log

from tests.fakes import OFUDA

from .durable import Durable
from .network import ClientEnd, Link, Pipe, ServerEnd
from .plan import Plan
from .running import Clock, Trace, chance
from .storage import Disk, SimulatedJournal

__all__ = ["Broken", "World"]

HOUSE: Mapping[str, Game[Any, Any]] = {OFUDA.id: OFUDA, **GAMES}
DRAIN_S = 4.0
LAST_S = 2.0


class Broken(Exception):
    """An invariant does not hold; the text says which and where."""


@define(eq=False)
class World:
    """What is there besides the people."""

    plan: Plan
    clock: Clock
    trace: Trace
    disk: Disk = field(init=False)
    durable: Durable = field(init=False)
    figures: Counter[str] = field(factory=Counter)
    lobby: Lobby | None = None
    links: list[Link] = field(factory=list)
    is_calm: bool = False  # no faults any more
    dies_at_start: bool = False  # the process after the next end, while it still recovers
    on_death: Callable[[Lobby], None] = lambda _lobby: None
    problems: list[str] = field(factory=list)
    down_s: float = 0.0  # how long the next process lets people wait
    _rng: random.Random = field(init=False)
    _scope: trio.CancelScope | None = None
    _handlers: trio.Nursery | None = None
    _drain: trio.Event = field(factory=trio.Event)
    _journal: SimulatedJournal | None = None
    _ear: _Ear | None = None
    _dies_in: int | None = None  # frames; then the process ends
    _addresses: int = 0

    @classmethod
    def within(cls, folder: Path, plan: Plan, clock: Clock, trace: Trace) -> World:
        """Return a world whose first process finds nothing in its folder."""
        first = folder / "life-0"
        first.mkdir()
        world = cls(plan, clock, trace)
        world.disk = Disk(chance(plan.seed, "disk"), first, world._committed)
        world.durable = Durable(world.fail)
        world._rng = chance(plan.seed, "world")
        return world

    def fail(self, problem: str) -> None:
        """Note that something is not as it has to be."""
        self.trace.note("BROKEN", problem)
        self.problems.append(problem)

    def _committed(self, entries: Sequence[Entry]) -> None:
        self.trace.note("commit", *entries)
        self.durable.add(entries)
        for entry in entries:
            self.figures[type(entry).__name__] += 1
            if isinstance(entry, RoomLost):
                self.fail(f"a room is lost: {entry.why}")

    # --- the processes ---------------------------------------------------------------------------

    async def run(self) -> None:
        """Keep a server running."""
        while True:
            await self._live()
            await trio.sleep(self.down_s or self._rng.uniform(0.05, 2.0))
            self.down_s = 0.0

    async def _live(self) -> None:
        self._drain = trio.Event()
        self._dies_in = None
        with trio.CancelScope() as scope:
            self._scope = scope
            try:
                await self._process()
            except* (StorageDown, sqlite3.OperationalError):
                self.trace.note("the storage is down, and the server does not start")
        if self._journal is not None:  # it was killed while it started
            self._journal.lose_power()
        self.lobby = self._scope = self._journal = self._handlers = None

    async def _process(self) -> None:
        self._ear = _Ear(self)
        logger = logging.Logger("simulated", logging.INFO)
        logger.addHandler(self._ear)
        log = Log(logger)
        self._journal = journal = SimulatedJournal(self.disk, log, self.die)
        lobby = Lobby(
            self.plan.config,
            HOUSE,
            {"random": partial(_given, random_bot), "greedy": partial(_given, greedy_bot)},
            log,
            daily=Daily(self.plan.config.daily, key=bytes(32), wall=self.clock.now),
            keeper=Keeper(journal, wall=self.clock.now),
        )
        async with trio.open_nursery() as nursery:
            nursery.start_soon(journal.serve, name="journal")
            try:
                await nursery.start(lobby.run, name="lobby")
            except BaseException:
                nursery.cancel_scope.cancel()
                raise
            async with trio.open_nursery() as self._handlers:
                self.lobby = lobby
                self.trace.note("the server runs", *sorted(lobby.rooms))
                await self._drain.wait()
                self._handlers.start_soon(self._say_goodbye, lobby)
            self.on_death(lobby)
            nursery.cancel_scope.cancel()
        self.lobby = None
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    async def _say_goodbye(self, lobby: Lobby) -> None:
        """Drain as the app does."""
        lobby.drain()
        with trio.move_on_after(DRAIN_S):
            while any(not connection.inside for connection in lobby.connections):  # noqa: ASYNC110
                await trio.sleep(0.05)
        await lobby.cut()
        await trio.sleep(LAST_S)

    def die(self, where: str) -> None:
        """End the process as SIGKILL does."""
        if self._scope is None or self._journal is None:
            return
        self.trace.note("KILL", where)
        self.figures["kills"] += 1
        for link in self.links:
            link.die()
        self.links.clear()
        lobby, self.lobby = self.lobby, None
        if self._ear is not None:
            self._ear.is_deaf = True  # what it would still say, a killed process does not
        self._journal.lose_power()
        self._journal = None
        self._scope.cancel()
        self.disk.dies_in = 0 if self.dies_at_start else None
        self.dies_at_start = False
        if lobby is not None:
            self.on_death(lobby)

    def die_after_frames(self, count: int) -> None:
        """Have the process end when it is about to send so many frames more."""
        self._dies_in = count

    def drain(self) -> None:
        """Have the process end as SIGTERM does."""
        if self.lobby is not None and not self.lobby.is_draining:
            self.trace.note("drain")
            self.figures["drains"] += 1
            self._drain.set()

    def _before_sending(self) -> None:
        if self._dies_in is not None:
            self._dies_in -= 1
            if self._dies_in < 0:
                self.die("before a frame")

    # --- connections -----------------------------------------------------------------------------

    @asynccontextmanager
    async def connect(self, told: Callable[[str, bytes], None]) -> AsyncIterator[ClientEnd]:
        """Connect to the server.

        Raises:
            ConnectionRefusedError: There is none.
        """
        rng = self._rng
        await trio.sleep(rng.uniform(0.001, 0.1))
        lobby, handlers = self.lobby, self._handlers
        if lobby is None or handlers is None or (lobby.is_draining and rng.random() < 0.5):
            raise ConnectionRefusedError
        latency = 0.002 if self.is_calm else rng.choice((0.001, 0.02, rng.uniform(0.02, 0.4)))
        window = rng.choice((2_000, 8_000, 64_000))
        link = Link(rng, Pipe(latency, window), Pipe(latency, window), told)
        self._addresses += 1
        end = ServerEnd(link, f"10.0.{self._addresses // 250}.{self._addresses % 250}")
        end.on_send = self._before_sending
        self.links = [other for other in self.links if not other.is_over]
        self.links.append(link)
        self.figures["connections"] += 1
        handlers.start_soon(lobby.attend, end, name="connection")
        try:
            yield ClientEnd(link)
        finally:
            if not link.is_over:
                link.hang_up()


def _given(bot: BotFunction) -> BotFunction:
    return bot


class _Ear(logging.Handler):
    """Hears what one process logs, and notes faults."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self._world = world
        self.is_deaf = False

    def emit(self, record: logging.LogRecord) -> None:
        world, fields = self._world, getattr(record, "fields", {})
        event = record.getMessage()
        if self.is_deaf:
            return
        world.trace.note("log", event, *(v for k, v in fields.items() if k != "traceback"))
        if event == "journal_down":
            return
        if event == "cut":
            world.figures["readers cut"] += 1
        if record.levelno >= logging.WARNING and event != "journal_healed":
            world.fail(f"the log says {event}: {fields}")
