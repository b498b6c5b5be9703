"""Runs a simulation so that equal seeds give equal runs, in any process.

Trio's scheduler, every source of chance and every clock are replaced while a run lasts: tasks take
their turns by a seeded shuffle, time is virtual and jumps when nobody has anything to do, what is
secret comes from a seeded source, and what would be done in another thread is done at once.
"""

from __future__ import annotations

import gc
import hashlib
import random
import secrets
import string
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from unittest.mock import patch

import kaguraden_client.bots
import trio
import trio._core._run as trio_run
from attrs import define, field
from kaguraden_server import passwords
from trio.testing import MockClock

__all__ = ["EPOCH", "Clock", "Trace", "chance", "run_seeded"]

T = TypeVar("T")

EPOCH = 1_790_000_000.0  # what the wall clock tells when a run begins: a day in 2026
KEPT_LINES = 60  # of a trace that nobody prints
URL_SAFE = string.ascii_letters + string.digits + "-_"


def chance(seed: int, what: str) -> random.Random:
    """Return a source of chance of its own for one part of a run."""
    return random.Random(f"{seed}/{what}")


@define(eq=False)
class Clock:
    """The wall clock of the machine that the server runs on; somebody may set it."""

    offset: float = EPOCH

    def now(self) -> float:
        """Return seconds since 1970."""
        return self.offset + trio.current_time()


@define(eq=False)
class Trace:
    """Everything that happened, in order: a digest of it, and the last lines as they are."""

    echo: bool = False
    lines: deque[str] = field(factory=lambda: deque(maxlen=KEPT_LINES))
    _sum: Any = field(factory=hashlib.sha256)

    def note(self, what: str, *parts: object) -> None:
        """Add a line."""
        line = f"{trio.current_time():.4f} {what} {' '.join(map(str, parts))}"
        self._sum.update(line.encode())
        self.lines.append(line)
        if self.echo:
            print(line)

    @property
    def digest(self) -> str:
        """Return what is equal for equal runs."""
        digest: str = self._sum.hexdigest()
        return digest


def run_seeded(seed: int, clock: Clock, main: Callable[[], Awaitable[T]]) -> T:
    """Run an async function on a virtual clock, with everything that is chance drawn from a seed."""
    gc.collect()  # what the run before held until it was over
    gc.freeze()
    gc.disable()  # when it comes is chance too, and a run is short
    try:
        with _no_other_chance(seed, clock):
            return trio.run(main, clock=MockClock(autojump_threshold=0))
    finally:
        gc.enable()
        gc.collect()
        gc.unfreeze()


@contextmanager
def _no_other_chance(seed: int, clock: Clock) -> Iterator[None]:
    source = chance(seed, "secrets")

    def token_hex(count: int = 32) -> str:
        return source.randbytes(count).hex()

    def token_urlsafe(count: int = 32) -> str:
        return "".join(source.choices(URL_SAFE, k=-(-count * 4 // 3)))

    async def run_sync(work: Callable[..., T], *args: Any, **_: Any) -> T:
        await trio.lowlevel.checkpoint()
        return work(*args)

    scheduler, chances = trio_run._r.getstate(), random.getstate()
    trio_run._r.seed(f"{seed}/tasks")
    random.seed(f"{seed}/random")
    try:
        with (
            patch.object(trio_run, "_ALLOW_DETERMINISTIC_SCHEDULING", True),
            patch.object(secrets, "token_hex", token_hex),
            patch.object(secrets, "token_bytes", lambda count=32: source.randbytes(count)),
            patch.object(secrets, "token_urlsafe", token_urlsafe),
            patch.object(secrets, "choice", source.choice),
            patch.object(kaguraden_client.bots, "Random", lambda: random.Random(source.random())),
            patch.object(trio.to_thread, "run_sync", run_sync),
            patch.object(passwords, "COST", 2),  # hashing is not what is looked at
            patch.object(time, "time", clock.now),
            patch.object(time, "monotonic", trio.current_time),
        ):
            yield
    finally:
        trio_run._r.setstate(scheduler)
        random.setstate(chances)
