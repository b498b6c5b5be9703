"""The round: turns, the end of a phase, and the stroke of the next hour (§3).

`go_on` moves the stage on when nothing is being carried out; the steps are those of YU-27 and
YU-28, in their order.
"""

from __future__ import annotations

from typing import assert_never

from attrs import evolve

from kaguraden_rules.kernel import SeatId
from kaguraden_rules.yumeochi import deaths, moves, victory
from kaguraden_rules.yumeochi import events as e
from kaguraden_rules.yumeochi.card import HOURS, Window
from kaguraden_rules.yumeochi.effects import carry_on
from kaguraden_rules.yumeochi.state import (
    Due,
    FirstHolder,
    Frame,
    Over,
    Phase,
    Rematch,
    Source,
    Stroke,
    Turn,
)
from kaguraden_rules.yumeochi.table import Table, clockwise

__all__ = ["move_on"]


def move_on(table: Table) -> None:
    """Play on until something is asked or the game is over."""
    while table.phase is None:
        if table.stack:
            carry_on(table)
        else:
            _go_on(table)


def _go_on(table: Table) -> None:
    stage = table.stage
    match stage:
        case FirstHolder():
            if table.start is None:
                table.ask(Phase.FIRST_HOLDER)
            else:
                _begin_phase(table)
        case Turn():
            _play_turn(table, stage)
        case Stroke():
            _strike(table, stage)
        case Rematch():
            table.ask(Phase.REMATCH)
        case Over():
            table.phase = Phase.OVER
        case _:
            assert_never(stage)


def _origin(table: Table) -> SeatId:
    if table.origin is None:
        raise ValueError("nobody holds the origin marker")
    return table.origin


# --- turns (YU-28) -------------------------------------------------------------------------------


def _begin_phase(table: Table) -> None:
    """Fix the order of a phase: the four seats clockwise from the origin holder (YU-24, YU-122)."""
    origin = _origin(table)
    table.order = clockwise(origin)
    table.place = 0
    table.used = table.locked = ()
    start = origin if table.start is None else table.start
    table.tell(e.PhaseBegan(table.hour, table.order, start, origin))
    table.stage = Turn(table.order[0])


def _play_turn(table: Table, turn: Turn) -> None:
    if turn.action is not None:
        _end_turn(table, turn)
    elif turn.begun:
        table.ask(Phase.TURN)  # again, after a refused exchange
    elif _begins(table, turn.seat):
        table.stage = evolve(turn, begun=True)
        table.ask(Phase.TURN)
    else:
        _next_place(table)


def _begins(table: Table, seat: SeatId) -> bool:
    """End the marks of a seat whose place has come, and tell whether it has a turn (YU-91)."""
    if not table.seats[seat].alive:
        return False
    moves.unmark(table, seat, "protect")
    if not table.seats[seat].skip:
        return True
    moves.unmark(table, seat, "skip")
    table.tell(e.TurnLost(table.hour, seat))
    return False


def _end_turn(table: Table, turn: Turn) -> None:
    if _after_resolution(table, turn.seat):
        return
    if not victory.check(table, Window.AFTER_ACTION):
        _next_place(table)


def _after_resolution(table: Table, acting: SeatId) -> bool:
    """Carry out deaths and what follows from them (YU-123).

    Returns:
        Whether the game is over.
    """
    if not deaths.bury(table, acting):
        return False
    return victory.check(table, Window.ON_DEATH) or victory.end_without_rivals(table)


def _next_place(table: Table) -> None:
    table.place += 1
    if table.place < len(table.order):
        table.stage = Turn(table.order[table.place])
    else:
        _end_phase(table)


# --- between the hours (YU-27) -------------------------------------------------------------------


def _end_phase(table: Table) -> None:
    """Go from the last turn of an hour to the stroke of the next one (steps 1 to 5)."""
    table.tell(e.PhaseEnded(table.hour))
    if victory.check(table, Window.PHASE_END):
        return
    if table.origin != table.start:  # YU-25
        table.tell(e.MarkerMoved(table.hour, "origin", "phase", table.origin, table.start))
        table.origin = table.start
    if table.hour == HOURS[-1]:
        victory.count_up(table)
        return
    old, table.hour = table.hour, table.hour + 1
    table.tell(e.MarkerMoved(table.hour, "current", "time", old, table.hour))
    table.tell(e.HourBecame(table.hour))
    if not victory.check(table, Window.HOUR_BECOMES):
        table.stage = Stroke(_due(table))


def _due(table: Table) -> tuple[Due, ...]:
    """Return the triggers of this hour, by seat clockwise from the origin holder (step 6)."""
    return tuple(
        Due(seat, card)
        for seat in table.living(_origin(table))
        for card in table.seats[seat].items
        if (trigger := table.cards.time_of[card].trigger) and table.hour in trigger.hours
    )


def _strike(table: Table, stroke: Stroke) -> None:
    """Set the next trigger going, or begin the next phase when there is none (steps 6 to 8, YU-134)."""
    if not stroke.due:
        if not _after_resolution(table, _origin(table)):
            _begin_phase(table)
        return
    due = stroke.due[0]
    table.stage = Stroke(stroke.due[1:])
    seat, trigger = table.seats[due.seat], table.cards.time_of[due.card].trigger
    if trigger is None or not seat.is_well or due.card not in seat.items:
        return  # a dying seat is passed by (YU-56), and a card may have gone
    table.tell(e.Triggered(table.hour, due.seat, due.card))
    table.stack.append(Frame(due.seat, due.card, Source.TRIGGER, trigger.effects, hour=table.hour))
