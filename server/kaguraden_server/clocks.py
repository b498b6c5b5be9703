"""The time a room gives: one clock for each thing that its game waits for.

Rules know no time. The game names its waits (`kernel.Wait`); the room keeps `Clocks`, a value that
`follow` carries from one position to the next. A wait whose id is new starts anew; one that is
still there goes on; one that is gone has ended, and if it was one seat's turn, what the seat took
over its limit comes out of its bank. A clock is over (`due`)

* at the end of its limit and, for a single seat's turn, of that seat's bank; or
* as soon as nobody's answer is missing, but for a wait that lasts at least the room's minimum
  never before that. A seat that nobody holds any more is not waited for.

What others see of a clock (`marks`) is made of what is public: the wait, who is asked, and when it
began, never who has answered. So two marks are equal exactly when a viewer has nothing new to
learn, and a mark becomes the durations on the wire at the moment of sending (`to_wire`).

Times are seconds of trio's clock; what people set is whole milliseconds.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import attrs
from attrs import evolve, frozen
from kaguraden_protocol.messages import Clock
from kaguraden_rules.kernel import BadOptions, Pace, Problem, SeatId, Viewer, Wait

from .settings import about, faults, setting

if TYPE_CHECKING:
    from kaguraden_rules.kernel import Json

__all__ = ["ClockOptions", "Clocks", "Mark", "Timer", "clock_schema", "parse_clock_options"]

DAY_MS = 24 * 60 * 60 * 1000  # the longest limit: play by post, in effect no limit


@frozen
class ClockOptions:
    """How long a room gives; options of every game."""

    turn_ms: int = setting(
        90_000, "one seat thinks about its turn", unit="ms", low=500, high=DAY_MS
    )
    choice_ms: int = setting(45_000, "a choice on the way", unit="ms", low=500, high=DAY_MS)
    window_ms: int = setting(20_000, "a reaction window", unit="ms", low=500, high=DAY_MS)
    auction_ms: int = setting(
        15_000, "an auction after the last bid", unit="ms", low=500, high=DAY_MS
    )
    bank_ms: int = setting(
        120_000, "each seat's spare time for its turns, for the whole game", unit="ms", high=DAY_MS
    )
    window_min_ms: int = setting(
        300,
        "how long a reaction window or an auction lasts at least, so that a quick end tells nothing",
        unit="ms",
        low=50,
        high=5_000,
    )

    def limit_ms(self, pace: Pace) -> int:
        """Return how long a wait of this pace lasts, without the bank."""
        match pace:
            case Pace.TURN:
                return self.turn_ms
            case Pace.CHOICE:
                return self.choice_ms
            case Pace.WINDOW:
                return self.window_ms
            case Pace.AUCTION:
                return self.auction_ms
            case Pace.DAY:
                return DAY_MS


CLOCK_OPTIONS = tuple(a.name for a in attrs.fields(ClockOptions))


def clock_schema(defaults: ClockOptions) -> dict[str, Json]:
    """Return the JSON Schema `properties` of the clock options."""
    properties: dict[str, Json] = {}
    for attribute in attrs.fields(ClockOptions):
        note = about(attribute)
        properties[attribute.name] = {
            "type": "integer",
            "minimum": note.low or 0,
            "maximum": note.high or DAY_MS,
            "default": getattr(defaults, attribute.name),
            "description": f"{note.meaning} ({note.unit})",
        }
    return properties


def parse_clock_options(raw: Mapping[str, Json], base: ClockOptions) -> ClockOptions:
    """Return `base` with the clock options of a JSON object; its other keys are the game's.

    Raises:
        BadOptions: With every problem found.
    """
    mine = {name: value for name, value in raw.items() if name in CLOCK_OPTIONS}
    wrong = [Problem(f"$.{name}", problem) for name, problem in faults(mine, ClockOptions)]
    if wrong:
        raise BadOptions(wrong)
    checked: dict[str, Any] = mine
    return evolve(base, **checked)


@frozen
class Timer:
    """The clock of one wait. `bank_ms` is the seat's bank when it started, for a single turn."""

    wait: Wait
    started: float
    limit_ms: int
    bank_ms: int | None = None

    @property
    def ends(self) -> float:
        """Return when the limit and the bank are used up."""
        return self.started + (self.limit_ms + (self.bank_ms or 0)) / 1000


@frozen
class Mark:
    """A clock as one viewer sees it, not yet turned into durations."""

    seat: SeatId | None
    started: float
    total_ms: int
    bank_ms: int | None
    stopped: float | None  # when the pause began
    decision: str | None

    def to_wire(self, now: float) -> Clock:
        """Return the durations that are left at `now`: first the limit runs down, then the bank."""
        passed = ((now if self.stopped is None else self.stopped) - self.started) * 1000
        left = math.ceil(self.total_ms - passed)
        bank = None if self.bank_ms is None else min(self.bank_ms, self.bank_ms + left)
        return Clock(
            left_ms=max(0, min(self.total_ms, left)),
            total_ms=self.total_ms,
            seat=self.seat,
            decision=self.decision,
            bank_ms=None if bank is None else max(0, bank),
            paused=None if self.stopped is None else True,
        )


@frozen
class Clocks:
    """The clocks of a position. `banks_ms` has one entry a seat."""

    options: ClockOptions
    banks_ms: tuple[int, ...]
    timers: tuple[Timer, ...] = ()
    stopped: float | None = None  # since when the game is paused

    @classmethod
    def start(cls, options: ClockOptions, seats: int) -> Clocks:
        """Return the clocks of a game that waits for nothing yet."""
        return cls(options, (options.bank_ms,) * seats)

    def follow(self, waits: Iterable[Wait], *, answered: float, now: float) -> Clocks:
        """Return the clocks after a step.

        Args:
            waits: What the new position waits for.
            answered: When the answer that ended a wait was read; a seat's thinking ends there.
            now: When new clocks start.
        """
        banks = list(self.banks_ms)
        fresh = {wait.id: wait for wait in waits}
        going: dict[str, Timer] = {}
        for timer in self.timers:
            if timer.wait.id in fresh:
                going[timer.wait.id] = evolve(timer, wait=fresh[timer.wait.id])
            elif timer.bank_ms is not None:
                (seat,) = timer.wait.seats
                until = answered if self.stopped is None else min(answered, self.stopped)
                over = math.floor((until - timer.started) * 1000) - timer.limit_ms
                banks[seat] = max(0, timer.bank_ms - max(0, over))
        # While the game is paused, a clock that starts stands at its full time.
        begin = now if self.stopped is None else self.stopped
        timers = tuple(
            going.get(wait.id) or self._timer(wait, banks, begin) for wait in fresh.values()
        )
        return evolve(self, banks_ms=tuple(banks), timers=timers)

    def _timer(self, wait: Wait, banks: list[int], begin: float) -> Timer:
        alone = wait.pace is Pace.TURN and len(wait.seats) == 1
        bank = banks[wait.seats[0]] if alone else None
        return Timer(wait, begin, self.options.limit_ms(wait.pace), bank)

    def pause(self, now: float) -> Clocks:
        """Return the clocks standing still."""
        return self if self.stopped is not None else evolve(self, stopped=now)

    def resume(self, now: float) -> Clocks:
        """Return the clocks running on from where they stood."""
        if self.stopped is None:
            return self
        passed = now - self.stopped
        timers = tuple(evolve(t, started=t.started + passed) for t in self.timers)
        return evolve(self, timers=timers, stopped=None)

    def due(self, vacant: Collection[SeatId] = ()) -> tuple[float, str] | None:
        """Return when the next wait is over, and its id; None while nothing runs.

        `vacant` are the seats that nobody holds: their answers are not waited for.
        """
        if self.stopped is not None or not self.timers:
            return None
        return min((self._due(timer, vacant), timer.wait.id) for timer in self.timers)

    def _due(self, timer: Timer, vacant: Collection[SeatId]) -> float:
        earliest = timer.started + self.options.window_min_ms / 1000
        if all(seat in vacant for seat in timer.wait.pending):
            return earliest
        return max(earliest, timer.ends) if timer.wait.minimum else timer.ends

    def marks(self, viewer: Viewer, decision: str | None) -> tuple[Mark, ...]:
        """Return the clocks as a viewer sees them. `decision` is the viewer's own open one."""
        return tuple(
            Mark(
                seat=timer.wait.seats[0] if len(timer.wait.seats) == 1 else None,
                started=timer.started,
                total_ms=timer.limit_ms,
                bank_ms=timer.bank_ms,
                stopped=self.stopped,
                decision=decision if viewer in timer.wait.pending else None,
            )
            for timer in self.timers
        )
