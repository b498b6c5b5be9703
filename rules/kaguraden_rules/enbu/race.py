"""Several rehearsals of one book side by side; alone it is the solo game (EN-80).

No racer's play touches another's board. What the others see of it are figures, aligned by turns so
that nothing they tell is about cards that the viewer has yet to flip (EN-83, EN-84).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import evolve, frozen

from kaguraden_rules.enbu import events as e
from kaguraden_rules.enbu import play
from kaguraden_rules.enbu.board import Board, Phase, Reason
from kaguraden_rules.enbu.choices import Choice, Next, format_choice
from kaguraden_rules.enbu.options import Options
from kaguraden_rules.kernel import Decision, Outcome, Rank, SeatId, Viewer
from kaguraden_rules.wire import Natural

__all__ = [
    "UNDO_LIMIT",
    "Closed",
    "Figures",
    "Finisher",
    "Past",
    "Racer",
    "State",
    "advance",
    "end",
    "figures_changed",
    "figures_for",
    "is_over",
    "outcome_of",
    "run_out",
    "sees_table",
    "start",
    "tell",
    "undo",
]

UNDO_LIMIT = 10  # in a turn (EN-78)


@frozen
class Past:
    """Where an undo leads: the board before a step, and how many events had been told by then."""

    board: Board
    told: int


@frozen
class Closed:
    """The figures at the end of a turn."""

    total: int
    gained: int


@frozen
class Racer:
    """One seat's rehearsal."""

    board: Board
    past: tuple[Past, ...] = ()  # the steps of this turn, the oldest first
    undone: int = 0  # undos in this turn
    told: int = 0  # events of this rehearsal, which count from 1 (EN-90)
    closed: tuple[Closed, ...] = ()  # one a closed turn
    asked: int = 0  # decisions so far (EN-124)
    decision: Decision | None = None

    @property
    def is_over(self) -> bool:
        """Whether this rehearsal has ended."""
        return self.board.phase is Phase.OVER

    @property
    def undo_left(self) -> int:
        """How many undos this turn still allows."""
        return 0 if self.is_over else UNDO_LIMIT - self.undone

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to take back, and it may be (EN-78)."""
        return bool(self.past) and self.undo_left > 0


@frozen
class State:
    """A game in play: one racer a seat."""

    options: Options
    racers: tuple[Racer, ...]

    @property
    def is_race(self) -> bool:
        """Whether there are rivals."""
        return len(self.racers) > 1


def is_over(state: State) -> bool:
    """Tell whether every rehearsal has ended (EN-86)."""
    return all(racer.is_over for racer in state.racers)


# --- one racer --------------------------------------------------------------------------------------


def start(board: Board, events: tuple[e.Told, ...]) -> Racer:
    """Return a racer at the start of a rehearsal."""
    return Racer(board, told=len(events))


def advance(racer: Racer, choice: Choice) -> tuple[Racer, tuple[e.Told, ...]]:
    """Make a choice."""
    board, events = play.apply(racer.board, choice)
    return _moved(racer, board, events, flips=isinstance(choice, Next)), events


def end(racer: Racer, reason: Reason) -> tuple[Racer, tuple[e.Told, ...]]:
    """End a rehearsal from outside, as a clock does (EN-127)."""
    board, events = play.end(racer.board, reason)
    return _moved(racer, board, events, flips=False), events


def _moved(racer: Racer, board: Board, events: tuple[e.Told, ...], *, flips: bool) -> Racer:
    told = racer.told + len(events)
    if flips or board.phase is Phase.OVER:  # the turn is closed, for good (EN-78, EN-83)
        old = racer.board if flips else board
        closed = (*racer.closed, Closed(old.total, len(old.gained)))
        return evolve(racer, board=board, past=(), undone=0, told=told, closed=closed)
    return evolve(racer, board=board, past=(*racer.past, Past(racer.board, racer.told)), told=told)


def undo(racer: Racer) -> tuple[Racer, tuple[e.Told, ...]]:
    """Take back the last step of the turn (EN-78).

    The event stream only grows (EN-124); a goal that is open again has no event (EN-140).
    """
    last = racer.past[-1]
    taken_back = evolve(
        racer,
        board=last.board,
        past=racer.past[:-1],
        undone=racer.undone + 1,
        told=racer.told + 1,
    )
    return taken_back, (e.Undone(last.told),)


def run_out(racer: Racer) -> tuple[Racer, tuple[e.Told, ...]]:
    """Complete the turn by defaults, since its clock ran out (EN-76).

    An end that the default chooses is one by the clock (EN-126, EN-143).
    """
    events: list[e.Told] = []
    turn = racer.board.turn
    while not racer.is_over and racer.board.turn == turn:
        choice = play.default(racer.board)
        events.append(e.Defaulted(format_choice(choice)))
        racer = evolve(racer, told=racer.told + 1)
        if choice == play.FINISH:
            racer, told = end(racer, Reason.CLOCK)
        else:
            racer, told = advance(racer, choice)
        events += told
    return racer, tuple(events)


# --- who sees what ----------------------------------------------------------------------------------


def sees_table(state: State, viewer: Viewer, seat: SeatId) -> bool:
    """Tell whether a viewer sees the table of a seat, and is told its events (EN-82, EN-91).

    The table of a daily stays its player's alone: others may still be going to play on that deck.
    """
    if viewer == seat:
        return True
    if state.options.is_daily:
        return False
    return is_over(state) or (viewer is None and not state.is_race and state.options.watch)


def tell(state: State, seat: SeatId, events: Iterable[e.Told]) -> tuple[e.Told, ...]:
    """Write down whose events these are and who is told of them; `state` is one still played."""
    audience = None if sees_table(state, None, seat) else (seat,)
    return tuple(evolve(event, seat=seat, audience=audience) for event in events)


@frozen
class Figures:
    """What a viewer sees of a seat whose table is hidden (EN-83)."""

    seat: SeatId
    turn: int  # the closed turn that the figures are of
    total: int
    gained: int
    ended: bool


def figures_for(state: State, viewer: Viewer) -> tuple[Figures, ...]:
    """Return the figures that a viewer sees of each seat.

    A player sees its rivals as of the turns it has closed itself, one who has ended as of their
    last closed turns; watchers are aligned to the slowest running player (EN-84). Those of a daily
    may yet play on the same deck, so they see figures only when it is over (EN-142).
    """
    turns = _alignment(state, viewer)
    return tuple(_figures(SeatId(i), racer, turns) for i, racer in enumerate(state.racers))


def _alignment(state: State, viewer: Viewer) -> int | None:
    """Return how many closed turns a viewer may know of, None where there is no limit."""
    if viewer is None:
        running = [len(racer.closed) for racer in state.racers if not racer.is_over]
        if running and state.options.is_daily:
            return 0
        return min(running, default=None)
    own = state.racers[viewer]
    return None if own.is_over else len(own.closed)


def _figures(seat: SeatId, racer: Racer, turns: int | None) -> Figures:
    shown = len(racer.closed) if turns is None else min(turns, len(racer.closed))
    figures = racer.closed[shown - 1] if shown else Closed(0, 0)
    ended = racer.is_over and shown == len(racer.closed)
    return Figures(seat, shown, figures.total, figures.gained, ended)


def figures_changed(before: State, after: State) -> tuple[e.FiguresShown, ...]:
    """Return an event for each viewer and each seat of which it now sees other figures."""
    events: list[e.FiguresShown] = []
    seats = [SeatId(i) for i in range(len(after.racers))]
    for viewer in (*seats, None):
        hidden = [seat for seat in seats if not sees_table(before, viewer, seat)]
        if not hidden:
            continue
        old, new = figures_for(before, viewer), figures_for(after, viewer)
        events += (
            e.FiguresShown(
                turn=new[seat].turn,
                total=new[seat].total,
                gained=new[seat].gained,
                ended=new[seat].ended,
                seat=seat,
                audience=(viewer,),
            )
            for seat in hidden
            if new[seat] != old[seat]
        )
    return tuple(events)


# --- the ranking ------------------------------------------------------------------------------------


@frozen
class Finisher(Rank):
    """A seat's place at the end; `score` is its total."""

    dropped: Natural
    turns: Natural
    success: bool


def outcome_of(boards: Sequence[Board]) -> Outcome:
    """Rank rehearsals that have ended: total, then drops, then turns; never time (EN-66, EN-67)."""
    results = [(SeatId(i), board.result) for i, board in enumerate(boards)]
    keyed = sorted(
        ((-r.total, r.dropped, r.turns), seat, r) for seat, r in results if r is not None
    )
    if len(keyed) < len(boards):
        raise ValueError("a rehearsal is still played")
    ranking: list[Finisher] = []
    rank, last = 0, None
    for place, (key, seat, result) in enumerate(keyed, 1):
        if key != last:
            rank, last = place, key
        ranking.append(
            Finisher(seat, rank, result.total, result.dropped, result.turns, result.success)
        )
    reason = "race" if len(boards) > 1 else keyed[0][2].reason.value
    return Outcome(tuple(ranking), reason)
