"""The lines of effects, carried out one by one (OD-97 step R4).

What a use does is a list of lines. Characters and events bring theirs as data; the special cards'
are built in and written in the same words, with two of their own. What a line acts on was named
when the card was declared and stands in `Use.picks`. Each line does as much as can be done (OD-98).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, assert_never

from attrs import evolve, frozen

from kaguraden_rules.kernel import SeatId
from kaguraden_rules.odoriko import card as c
from kaguraden_rules.odoriko import events
from kaguraden_rules.odoriko.moves import discard, lift
from kaguraden_rules.odoriko.refs import Field, face
from kaguraden_rules.odoriko.state import Lying, Named, Purpose, Sale, Use
from kaguraden_rules.odoriko.table import Table
from kaguraden_rules.odoriko.zones import domain, field, find

__all__ = ["LINES", "Line", "Recover", "Swap", "carry_out"]


@frozen
class Recover:
    """The unsold lot goes back into the seller's hand (OD-70)."""


@frozen
class Swap:
    """One own character moves to the other own field, or two change places (OD-75)."""


Line: TypeAlias = c.Discard | c.Cancel | c.Take | Recover | Swap

_ANY_ON_FIELDS = c.Pick(c.Whose.ANY, c.Zone.FIELDS, c.Match(fc=False))
_DISCARDED_RESOURCE = c.Pick(c.Whose.ANY, c.Zone.DISCARD, c.Match(kind=(c.Kind.RESOURCE,)))

LINES: Mapping[Purpose, tuple[Line, ...]] = {
    Purpose.DISCARD: (c.Discard(_ANY_ON_FIELDS),),  # OD-74
    Purpose.CANCEL: (c.Cancel(),),  # OD-73
    Purpose.SWAP: (Swap(),),  # OD-75
    Purpose.TAKE: (c.Take(_DISCARDED_RESOURCE, c.GainTo.SELF),),  # OD-71
    Purpose.RECOVER: (Recover(),),  # OD-70
}
"""What each use of a special card does."""


def carry_out(table: Table, use: Use, line: Line) -> None:
    """Carry out one line of the use on top of the stack."""
    named = use.picks[use.line] if use.line < len(use.picks) else ()
    match line:
        case c.Discard():
            _discard(table, use, named)
        case c.Cancel():
            _cancel(table, use)
        case c.Take():
            _take(table, use, named)
        case Recover():
            _recover(table, use)
        case Swap():
            _swap(table, use.seat, named)
        case _:
            assert_never(line)


def _discard(table: Table, use: Use, named: tuple[Named, ...]) -> None:
    """Discard what was named; what has left its field since is not followed (OD-79)."""
    there = [target for target in named if find(table.seats, target) is not None]
    gone = [lift(table, target) for target in there]
    if not gone:
        table.tell(events.EffectFizzled(face(use.card)))
    discard(table, gone, "effect")


def _answered(table: Table) -> int:
    """Return the index of the frame that the use on top answers: it lies below the window."""
    return len(table.stack) - 3


def _cancel(table: Table, use: Use) -> None:
    at = _answered(table)
    answered = table.stack[at]
    if isinstance(answered, Use):
        table.stack[at] = evolve(answered, cancelled=True)
        table.tell(events.EffectCancelled(face(answered.card), use.seat))


def _take(table: Table, use: Use, named: tuple[Named, ...]) -> None:
    """Take the named card out of its pile into the user's hand, which has room: J left it (OD-54)."""
    for taken in named:
        pile = list(table.seats[taken.seat].pile)
        pile.remove(taken.card)
        table.change(taken.seat, pile=tuple(pile))
        table.change(use.seat, hand=(*table.seats[use.seat].hand, taken.card))
        source = events.Spot(taken.seat, taken.zone)
        table.tell(events.CardMoved(face(taken.card), source, events.Spot(use.seat, "hand")))


def _recover(table: Table, use: Use) -> None:
    at = _answered(table)
    sale = table.stack[at]
    if isinstance(sale, Sale):
        table.change(use.seat, hand=(*table.seats[use.seat].hand, *sale.lot))
        table.tell(events.LotRecovered(use.seat, tuple(face(card) for card in sale.lot)))
        table.stack[at] = evolve(sale, lot=())


def _swap(table: Table, seat: SeatId, named: tuple[Named, ...]) -> None:
    """Move the named characters to the other field, with all their marks."""
    moving = {target.since for target in named}
    owner = table.seats[seat]
    lies: dict[Field, tuple[Lying, ...]] = {}
    for here, there in ((Field.SONG, Field.DANCE), (Field.DANCE, Field.SONG)):
        stay = tuple(y for y in field(owner, here) if y.since not in moving)
        come = tuple(y for y in field(owner, there) if y.since in moving)
        lies[here] = stay + come
    table.change(seat, song=lies[Field.SONG], dance=lies[Field.DANCE])
    for target in named:
        lying = next(y for _, y in domain(table.seats[seat]) if y.since == target.since)
        to = Field.DANCE if target.zone == Field.SONG else Field.SONG
        spots = events.Spot(seat, target.zone), events.Spot(seat, to.value)
        table.tell(events.CardMoved(face(target.card), *spots, kept=lying.kept or None))
    table.stir()
