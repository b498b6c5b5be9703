"""The time a room gives: one clock for each thing that its game waits for.

Rules know no time. The game names its waits (`kernel.Wait`); the room keeps `Clocks`, a value that
`follow` carries from one position to the next. A wait whose id is new starts anew; one that is
still there goes on; one that is gone has ended, and if it was one seat's turn, what the seat took
over its limit comes out of its bank. A clock is over (`due`)

* at the end of its limit and, for a single seat's turn, of that seat's bank (where the game's own
  options set the limit there is no bank, and a limit of 0 never ends); or
* as soon as nobody's answer is missing, but for a wait that lasts at least the room's minimum
  never before that. A seat that nobody holds any more is not waited for; in a race and in a day's
  challenge its turns then end one by one, not the whole of it (EN-154); or
* where the game says how long the absent are waited for, that long after everybody whose answer is
  missing was away and the clock ran (YU-103, YU-141). Who comes back has what is left of the whole limit.

The clock of a held wait stands, and goes on from there (YU-102).

What others see of a clock (`marks`) is made of what is public: the wait, who is asked, and when it
began, never who has answered; a private wait is shown to those who are asked alone. So two marks are
equal exactly when a viewer has nothing new to learn, and a mark becomes the durations on the wire at
the moment of sending (`to_wire`).

The clock of a day's challenge ends when the day does, so that no pause stops it (EN-150).

Times are seconds of trio's clock; what people set is whole milliseconds.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import attrs
from attrs import evolve, frozen
from kaguraden_protocol.messages import Clock
from kaguraden_rules.kernel import BadOptions, Pace, Problem, SeatId, Viewer, Wait

from .settings import about, faults, setting

if TYPE_CHECKING:
    from kaguraden_rules.kernel import Json

__all__ = [
    "DAY_MS",
    "ClockOptions",
    "Clocks",
    "Mark",
    "Timer",
    "clock_names",
    "clock_schema",
    "parse_clock_options",
]

DAY_MS = 24 * 60 * 60 * 1000  # the longest limit: play by post, in effect no limit


@frozen
class ClockOptions:
    """How long a room gives; options of every game."""

    turn_ms: int = setting(
        90_000,
        "one seat thinks about its turn",
        ja="1人が手番を考える時間",
        unit="ms",
        low=500,
        high=DAY_MS,
        reload=True,
    )
    choice_ms: int = setting(
        45_000,
        "a choice on the way",
        ja="途中で選ぶ時間",
        unit="ms",
        low=500,
        high=DAY_MS,
        reload=True,
    )
    window_ms: int = setting(
        20_000,
        "a reaction window",
        ja="割り込みを待つ時間",
        unit="ms",
        low=500,
        high=DAY_MS,
        reload=True,
    )
    auction_ms: int = setting(
        15_000,
        "an auction after the last bid",
        ja="競りで最後の入札のあと待つ時間",
        unit="ms",
        low=500,
        high=DAY_MS,
        reload=True,
    )
    bank_ms: int = setting(
        120_000,
        "each seat's spare time for its turns, for the whole game",
        ja="1対局を通して席ごとにある、手番の持ち時間",
        unit="ms",
        high=DAY_MS,
        reload=True,
    )
    window_min_ms: int = setting(
        300,
        "how long a reaction window or an auction lasts at least, so that a quick end tells nothing",
        ja="割り込みや競りが最低限続く時間。早く終わることから何も読めないように",
        unit="ms",
        low=50,
        high=5_000,
        reload=True,
    )

    def limit_ms(self, pace: Pace) -> int:
        """Return how long a wait of this pace lasts at most, without the bank."""
        match pace:
            case Pace.TURN:
                return self.turn_ms
            case Pace.CHOICE:
                return self.choice_ms
            case Pace.WINDOW:
                return self.window_ms
            case Pace.AUCTION:
                return self.auction_ms
            case Pace.GAME | Pace.DAY:
                return DAY_MS


_NAMES: Final[Mapping[Pace, tuple[str, ...]]] = MappingProxyType(
    {
        Pace.TURN: ("turn_ms", "bank_ms"),
        Pace.CHOICE: ("choice_ms",),
        Pace.WINDOW: ("window_ms", "window_min_ms"),
        Pace.AUCTION: ("auction_ms", "window_min_ms"),
    }
)


_NOBODY: Final[Mapping[SeatId, float]] = MappingProxyType({})


def clock_names(paces: Iterable[Pace]) -> tuple[str, ...]:
    """Return the clock options that a room has whose game leaves these paces to it."""
    wanted = {name for pace in paces for name in _NAMES.get(pace, ())}
    return tuple(a.name for a in attrs.fields(ClockOptions) if a.name in wanted)


def clock_schema(defaults: ClockOptions, paces: Iterable[Pace]) -> dict[str, Json]:
    """Return the JSON Schema `properties` of the clock options for these paces."""
    properties: dict[str, Json] = {}
    known = attrs.fields_dict(ClockOptions)
    for name in clock_names(paces):
        note = about(known[name])
        properties[name] = {
            "type": "integer",
            "minimum": note.low or 0,
            "maximum": note.high or DAY_MS,
            "default": getattr(defaults, name),
            "description": f"{note.meaning} ({note.unit})",
        }
    return properties


def parse_clock_options(
    raw: Mapping[str, Json], base: ClockOptions, paces: Iterable[Pace]
) -> ClockOptions:
    """Return `base` with the clock options for these paces; other keys of `raw` are the game's.

    Raises:
        BadOptions: With every problem found.
    """
    names = clock_names(paces)
    mine = {name: value for name, value in raw.items() if name in names}
    wrong = [Problem(f"$.{name}", why.en) for name, why in faults(mine, ClockOptions)]
    if wrong:
        raise BadOptions(wrong)
    checked: dict[str, Any] = mine
    return evolve(base, **checked)


@frozen
class Timer:
    """The clock of one wait. `bank_ms` is the seat's bank when it started, for a single turn.

    Without a limit the wait lasts until it is answered. `started` is moved on by the time that the
    clock stood still; `going` is when it began to run or last went on, and `held` since when its
    wait is held.
    """

    wait: Wait
    started: float
    going: float
    limit_ms: int | None
    bank_ms: int | None = None
    held: float | None = None

    @property
    def ends(self) -> float:
        """Return when the limit and the bank are used up."""
        if self.limit_ms is None:
            return math.inf
        return self.started + (self.limit_ms + (self.bank_ms or 0)) / 1000

    def follow(self, wait: Wait, *, stops: float, goes: float) -> Timer:
        """Return the clock of the same wait in a new position.

        Args:
            wait: As the new position has it.
            stops: When the clock stands still from, if the wait is held now.
            goes: When it goes on, if the wait is no longer held.
        """
        timer = evolve(self, wait=wait)
        if wait.held and self.held is None:
            return evolve(timer, held=max(self.started, stops))
        if not wait.held and self.held is not None:
            return evolve(timer.moved(goes - self.held, goes), held=None)
        return timer

    def moved(self, passed: float, going: float) -> Timer:
        """Return the clock as it goes on at `going`, after it stood for `passed` seconds."""
        return evolve(self, started=self.started + passed, going=going)


@frozen
class Mark:
    """A clock as one viewer sees it, not yet turned into durations."""

    seat: SeatId | None
    started: float
    total_ms: int
    bank_ms: int | None
    stopped: float | None  # since when it stands
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
    day_ms: int = DAY_MS  # how long a day lasts that the game waits for, from the start
    timers: tuple[Timer, ...] = ()
    stopped: float | None = None  # since when the game is paused

    @classmethod
    def start(cls, options: ClockOptions, seats: int, day_ms: int = DAY_MS) -> Clocks:
        """Return the clocks of a game that waits for nothing yet.

        Args:
            options: What the room gives.
            seats: How many seats there are.
            day_ms: How long it is until the end of the day whose challenge is played (EN-89).
        """
        return cls(options, (options.bank_ms,) * seats, day_ms)

    def follow(self, waits: Iterable[Wait], *, answered: float, now: float) -> Clocks:
        """Return the clocks after a step.

        Args:
            waits: What the new position waits for.
            answered: When the answer that ended a wait was read; a seat's thinking ends there.
            now: When new clocks start.
        """
        banks = list(self.banks_ms)
        # While the game is paused, a clock that starts stands at its full time.
        begin = now if self.stopped is None else self.stopped
        until = answered if self.stopped is None else min(answered, self.stopped)
        fresh = {wait.id: wait for wait in waits}
        going: dict[str, Timer] = {}
        for timer in self.timers:
            if timer.wait.id in fresh:
                wait = fresh[timer.wait.id]
                going[wait.id] = timer.follow(wait, stops=until, goes=begin)
            elif timer.bank_ms is not None and timer.limit_ms is not None:
                (seat,) = timer.wait.seats
                end = until if timer.held is None else timer.held
                over = math.floor((end - timer.started) * 1000) - timer.limit_ms
                banks[seat] = max(0, timer.bank_ms - max(0, over))
        timers = tuple(
            going.get(wait.id) or self._timer(wait, banks, now if wait.pace is Pace.DAY else begin)
            for wait in fresh.values()
        )
        return evolve(self, banks_ms=tuple(banks), timers=timers)

    def _timer(self, wait: Wait, banks: list[int], begin: float) -> Timer:
        limit_ms: int | None = self.options.limit_ms(wait.pace)
        bank_ms: int | None = None
        if wait.limit_s is not None:
            limit_ms = wait.limit_s * 1000 or None
        elif wait.pace is Pace.DAY:
            limit_ms = self.day_ms
        elif wait.pace is Pace.TURN and len(wait.seats) == 1:
            bank_ms = banks[wait.seats[0]]
        return Timer(wait, begin, begin, limit_ms, bank_ms, begin if wait.held else None)

    def spent_ms(self, timer: Timer, now: float) -> int:
        """Return how long one of these clocks has run, in milliseconds."""
        stopped = self._stopped(timer)
        until = now if stopped is None else min(now, stopped)
        return max(0, round((until - timer.started) * 1000))

    def again(
        self,
        waits: Iterable[Wait],
        *,
        banks_ms: tuple[int, ...],
        spent_ms: Mapping[str, int],
        paused: bool,
        now: float,
        grace_s: float,
    ) -> Clocks:
        """Return clocks that go on where those of another process stood.

        Args:
            waits: What the position waits for.
            banks_ms: One bank a seat.
            spent_ms: How long the clock of a wait had run, by its id.
            paused: Whether the game is paused.
            now: The time.
            grace_s: After how long they run on, so that people can come back.
        """
        begin = now if paused else now + grace_s
        timers = []
        for wait in waits:
            if wait.pace is Pace.DAY:
                timers.append(self._timer(wait, list(banks_ms), now))
                continue
            timer = self._timer(wait, list(banks_ms), begin)
            timers.append(evolve(timer, started=begin - spent_ms.get(wait.id, 0) / 1000))
        stopped = now if paused else None
        return evolve(self, banks_ms=banks_ms, timers=tuple(timers), stopped=stopped)

    def pause(self, now: float) -> Clocks:
        """Return the clocks standing still."""
        return self if self.stopped is not None else evolve(self, stopped=now)

    def resume(self, now: float) -> Clocks:
        """Return the clocks running on from where they stood."""
        if self.stopped is None:
            return self
        passed = now - self.stopped
        timers = tuple(
            t if t.wait.pace is Pace.DAY or t.held is not None else t.moved(passed, now)
            for t in self.timers
        )
        return evolve(self, timers=timers, stopped=None)

    @property
    def day(self) -> Timer | None:
        """Return the clock of a day's challenge, if one is played."""
        return next((timer for timer in self.timers if timer.wait.pace is Pace.DAY), None)

    def due(
        self, vacant: Collection[SeatId] = (), away: Mapping[SeatId, float] = _NOBODY
    ) -> tuple[float, str] | None:
        """Return when the next wait is over, and its id; None while nothing runs.

        Args:
            vacant: The seats that nobody holds: their answers are not waited for.
            away: The seats whose player is not there, and since when.
        """
        running = [t for t in self.timers if self.stopped is None or t.wait.pace is Pace.DAY]
        ends = [(self._due(timer, vacant, away), timer.wait.id) for timer in running]
        return min((end for end in ends if end[0] < math.inf), default=None)

    def _due(self, timer: Timer, vacant: Collection[SeatId], away: Mapping[SeatId, float]) -> float:
        if timer.held is not None:
            return math.inf
        wait, ends = timer.wait, timer.ends
        earliest = timer.started + self.options.window_min_ms / 1000
        if not _is_rooms(wait):
            if wait.absent_s is not None and wait.pending:
                since = [-math.inf if s in vacant else away.get(s, math.inf) for s in wait.pending]
                ends = min(ends, max(timer.going, *since) + wait.absent_s)
            elif all(seat in vacant for seat in wait.pending):
                return earliest
        return max(earliest, ends) if wait.minimum else ends

    def marks(self, viewer: Viewer, decision: str | None) -> tuple[Mark, ...]:
        """Return the clocks as a viewer sees them. `decision` is the viewer's own open one."""
        return tuple(
            Mark(
                seat=timer.wait.seats[0] if len(timer.wait.seats) == 1 else None,
                started=timer.started,
                total_ms=timer.limit_ms,
                bank_ms=timer.bank_ms,
                stopped=self._stopped(timer),
                decision=decision if viewer in timer.wait.pending else None,
            )
            for timer in self.timers
            if timer.limit_ms is not None and (viewer in timer.wait.seats or not timer.wait.private)
        )

    def _stopped(self, timer: Timer) -> float | None:
        """Return since when a clock stands; None while it runs."""
        if timer.held is not None:
            return timer.held
        return None if timer.wait.pace is Pace.DAY else self.stopped


def _is_rooms(wait: Wait) -> bool:
    """Tell whether a clock is the whole room's, above turns with clocks of their own (EN-127)."""
    return wait.pace in (Pace.GAME, Pace.DAY)
