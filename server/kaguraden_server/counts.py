"""What a server counts of what happens, for its metrics: plain numbers, cheap enough for every step."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from typing import Final

import trio
from attrs import define, field

__all__ = ["BY_THE_OTHER_END", "COMMITS_S", "Counts", "Durations", "LoopWatch"]

BY_THE_OTHER_END: Final = "client"  # in place of a close code of ours
COMMITS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
STALLS_S: Final = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)


@define(eq=False)
class Durations:
    """How long something took, each time: how often up to each bound, and all together.

    `counts` has one number for each of the `bounds` (seconds, rising, inclusive), not cumulated,
    and one for what was longer.
    """

    bounds: tuple[float, ...]
    counts: list[int] = field(init=False)
    total_s: float = 0.0

    def __attrs_post_init__(self) -> None:
        self.counts = [0] * (len(self.bounds) + 1)

    def note(self, seconds: float) -> None:
        """Count one."""
        self.counts[bisect_left(self.bounds, seconds)] += 1
        self.total_s += seconds


@define(eq=False)
class Counts:
    """What has happened since the start.

    Steps by game, refusals by error code, connections that ended by the close code they were sent
    away with, answers to plain HTTP by status; how long commits took, as who waits for one sees it,
    and for how long at a time the event loop attended to nobody else.
    """

    commits: Durations
    steps: Counter[str] = field(factory=Counter)
    refusals: Counter[str] = field(factory=Counter)
    ended: Counter[str] = field(factory=Counter)
    answers: Counter[int] = field(factory=Counter)
    stalls: Durations = field(factory=lambda: Durations(STALLS_S))


class LoopWatch(trio.abc.Instrument):
    """Measures each turn of the event loop: from when it was to go on until it waits again.

    It is late by what its tasks do without a pause, and by what the machine gives to others.
    """

    def __init__(self, stalls: Durations, clock: Callable[[], float] = time.perf_counter) -> None:
        self._stalls = stalls
        self._clock = clock
        self._until = self._since = clock()

    def before_io_wait(self, timeout: float) -> None:
        """Note the end of a turn, and when the next is due."""
        now = self._clock()
        self._stalls.note(now - self._since)
        self._until = now + timeout

    def after_io_wait(self, timeout: float) -> None:
        """Note when the turn should have begun: what came from outside comes in time."""
        del timeout
        self._since = min(self._clock(), self._until)
