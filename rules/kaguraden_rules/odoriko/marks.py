"""Marks: the first character, and what lasts until a seat's next turn begins.

A mark lies on a card on a field, or on the field, and is public. It is lost when the card leaves
(OD-197), which `moves.lift` sees to.
"""

from __future__ import annotations

from attrs import evolve

from kaguraden_rules.kernel import SeatId
from kaguraden_rules.odoriko import events
from kaguraden_rules.odoriko.refs import Field, face
from kaguraden_rules.odoriko.state import Frost, Lying, Named, Turn
from kaguraden_rules.odoriko.table import Table
from kaguraden_rules.odoriko.zones import domain, field, find

__all__ = [
    "end_marks",
    "note_first_character",
    "put_frost",
    "put_shelter",
    "set_first_character",
]


def note_first_character(table: Table, seat: SeatId, zone: Field, lying: Lying) -> None:
    """Mark the first character that a seat places in its domain (OD-57, OD-123).

    A seat that has lost its first character gets no other this way (OD-60), unless the room plays
    with `fc_succession = next`.
    """
    owner = table.seats[seat]
    if not owner.fc_placed:
        table.change(seat, fc_placed=True)
        _note_midway(table)
    elif table.options.fc_succession != "next" or any(y.fc for _, y in domain(owner)):
        return
    set_first_character(table, seat, zone, lying)


def set_first_character(table: Table, seat: SeatId, zone: Field, lying: Lying) -> None:
    """Give a character that lies on a field the mark; a former bearer loses it (OD-57, OD-61)."""
    if lying.fc:
        return
    for here in Field:
        lies = field(table.seats[seat], here)
        for former in lies:
            if former.fc:
                table.tell(events.FcLost(seat, face(former.card)))
        marked = tuple(evolve(y, fc=y.since == lying.since) for y in lies)
        table.change(seat, **{here.value: marked})
    table.tell(events.FcSet(seat, zone.value, face(lying.card), lying.kept or None))


def _note_midway(table: Table) -> None:
    """Once every seat has placed its first character, set when midway comes (OD-113).

    That is after n full turns, beginning with the turn after this one; by option
    `midway_circuit = round_end`, at the end of the circuit that is running. A first character
    counts as placed from its placing on, gone or not (OD-62).
    """
    seats = len(table.seats)
    if (
        table.half == 1
        and isinstance(table.stage, Turn)
        and all(seat.fc_placed for seat in table.seats)
    ):
        turn = table.stage.number
        circuits = -(-turn // seats)
        full = table.options.midway_circuit == "full"
        table.midway_due = turn + seats if full else circuits * seats


def put_frost(table: Table, seat: SeatId, zone: Field, by: SeatId) -> None:
    """Freeze a field until the next turn of `by` begins (OD-173)."""
    frost = Frost(zone, by)
    frosts = table.seats[seat].frosts
    if frost not in frosts:
        table.change(seat, frosts=(*frosts, frost))
        table.tell(events.MarkSet("frozen", seat, zone.value, by))


def put_shelter(table: Table, named: Named, by: SeatId) -> None:
    """Shelter a card on a field from K until the next turn of `by` begins (OD-173)."""
    lying = find(table.seats, named)
    if lying is None or by in lying.sheltered:
        return
    lies = field(table.seats[named.seat], Field(named.zone))
    marked = evolve(lying, sheltered=(*lying.sheltered, by))
    table.change(named.seat, **{named.zone: tuple(marked if y is lying else y for y in lies)})
    kept = lying.kept or None
    table.tell(events.MarkSet("sheltered", named.seat, named.zone, by, face(lying.card), kept))


def end_marks(table: Table, by: SeatId | None) -> None:
    """End the duration marks that last until the next turn of `by`; None: all (OD-121)."""
    for seat in table.everybody():
        owner = table.seats[seat]
        ending = tuple(frost for frost in owner.frosts if by in (None, frost.by))
        if ending:
            left = tuple(frost for frost in owner.frosts if frost not in ending)
            table.change(seat, frosts=left)
            thawed = {f.zone: None for f in ending if all(f.zone != g.zone for g in left)}
            for zone in thawed:
                table.tell(events.MarkEnded("frozen", seat, zone.value))
        for zone in Field:
            lies = field(table.seats[seat], zone)
            if any(y.sheltered for y in lies):
                table.change(seat, **{zone.value: _without_shelter(table, seat, zone, lies, by)})


def _without_shelter(
    table: Table, seat: SeatId, zone: Field, lies: tuple[Lying, ...], by: SeatId | None
) -> tuple[Lying, ...]:
    left = []
    for lying in lies:
        rest = () if by is None else tuple(s for s in lying.sheltered if s != by)
        if rest != lying.sheltered and not rest:
            kept = lying.kept or None
            table.tell(events.MarkEnded("sheltered", seat, zone.value, face(lying.card), kept))
        left.append(evolve(lying, sheltered=rest))
    return tuple(left)
