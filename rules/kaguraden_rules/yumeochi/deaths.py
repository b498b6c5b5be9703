"""Deaths at the end of a resolution (YU-63 to YU-73)."""

from __future__ import annotations

from attrs import evolve

from kaguraden_rules.kernel import SeatId
from kaguraden_rules.yumeochi import events as e
from kaguraden_rules.yumeochi import moves
from kaguraden_rules.yumeochi.table import Table

__all__ = ["bury"]


def bury(table: Table, first: SeatId) -> bool:
    """Let all dying seats die together, clockwise from `first`; then markers move once (YU-73).

    Returns:
        Whether any seat died.
    """
    dying = [seat for seat in table.living(first) if table.seats[seat].is_dying]
    for seat in dying:
        _die(table, seat)
    if dying:
        _pass_markers_on(table)
    return bool(dying)


def _die(table: Table, number: SeatId) -> None:
    """Take a seat out of play; role, items and stock stay for the count (YU-64 to YU-67)."""
    moves.reveal_role(table, number, "death")
    if table.options.death_shows_skill:
        for card in table.seats[number].skills_down:
            moves.reveal_skill(table, number, card, "death")
    moves.unmark(table, number, "skip")
    moves.unmark(table, number, "protect")
    seat = table.seats[number]
    table.removed = table.in_set_order([*table.removed, *seat.skills])
    table.seats[number] = evolve(seat, alive=False, skills=())
    if seat.killer is not None:
        table.change(seat.killer, kills=table.seats[seat.killer].kills + 1)
    table.tell(e.Died(table.hour, number, seat.role, len(seat.skills), seat.killer))


def _pass_markers_on(table: Table) -> None:
    """Give the markers of the dead to the next living seat on the left (YU-68, YU-69)."""
    start, origin = _heir(table, table.start), _heir(table, table.origin)
    if start != table.start:
        table.tell(e.MarkerMoved(table.hour, "start", "death", table.start, start))
    if origin != table.origin:
        table.tell(e.MarkerMoved(table.hour, "origin", "death", table.origin, origin))
    table.start, table.origin = start, origin


def _heir(table: Table, holder: SeatId | None) -> SeatId | None:
    """Return who holds a marker after deaths; None when nobody lives."""
    return None if holder is None else next(iter(table.living(holder)), None)
