"""The lines of effects, carried out one by one (OD-97 step R4, OD-187).

What a use does is a list of lines. Characters and events bring theirs as data; the special cards'
are built in and written in the same words, with two of their own. What a line acts on stands in
`Use.picks`: named when the card was declared, or chosen since. Each line does as much as can be
done (OD-98); a card that is no longer where it was named is not followed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from attrs import evolve, frozen

from kaguraden_rules.kernel import SeatId
from kaguraden_rules.odoriko import card as c
from kaguraden_rules.odoriko import events
from kaguraden_rules.odoriko.gains import receive
from kaguraden_rules.odoriko.marks import put_frost, put_shelter, set_first_character
from kaguraden_rules.odoriko.moves import (
    as_target,
    change_vp,
    discard,
    draw,
    land,
    lift,
    move,
    place,
    take_out,
)
from kaguraden_rules.odoriko.picks import Look, is_there, look_at, may_enter, may_exchange, owners
from kaguraden_rules.odoriko.refs import Back, Field, back, face, faces
from kaguraden_rules.odoriko.state import (
    Discarding,
    Frame,
    Lying,
    Named,
    Purpose,
    Sale,
    Taker,
    Turn,
    Use,
)
from kaguraden_rules.odoriko.table import Table
from kaguraden_rules.odoriko.zones import deck, domain, field, find, room_in_hand

__all__ = ["ACTION_CAP", "LINES", "Line", "Recover", "Swap", "carry_out", "lines_of", "look_of"]

ACTION_CAP = 8  # actions in one turn (OD-111)


@frozen
class Recover:
    """The unsold lot goes back into the seller's hand (OD-70)."""


@frozen
class Swap:
    """One own character moves to the other own field, or two change places (OD-75)."""


Line: TypeAlias = c.Op | Recover | Swap

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


def lines_of(table: Table, use: Use) -> tuple[Line, ...]:
    """Return what a use does: the built-in lines, or those of the card's data."""
    if use.does not in (Purpose.SKILL, Purpose.EVENT):
        return LINES[use.does]
    card = table.cards[face(use.card)]
    if isinstance(card, c.EventCard):
        return card.play.do
    return card.skill.do if card.skill is not None else ()


def look_of(table: Table, at: int = -1) -> Look:
    """Return the position as the user of a use meets it; `at` is its place in the stack."""
    use, answered = table.stack[at], answered_by(table, at)
    if not isinstance(use, Use):
        raise TypeError("no use lies there")
    return look_at(
        table,
        use.seat,
        this=None if use.at is None else use.at.since,
        actor=answered.seat if isinstance(answered, Use) else None,
        shown=use.shown,
    )


def answered_by(table: Table, at: int = -1) -> Frame | None:
    """Return the frame that a use answers: it lies below the window. None: it is no answer."""
    below = at % len(table.stack) - 2
    return table.stack[below] if below >= 0 else None


def _change_answered(table: Table, frame: Frame) -> None:
    """Replace the frame that the use on top answers; the window lies between them."""
    table.stack[-3] = frame


def carry_out(table: Table, use: Use, number: int) -> None:
    """Carry out a line of the use on top of the stack."""
    line = lines_of(table, use)[number]
    _DOING[type(line)](table, use, line, use.named(number) or ())


# --- cards that move ----------------------------------------------------------------------------


def _discard(table: Table, use: Use, line: c.Discard, named: Sequence[Named]) -> None:
    """Discard what was named; K a character that stands in for its target (OD-79, OD-107)."""
    if line.pick is None:
        named = () if use.at is None else (use.at,)
    elif use.redirected is not None:
        named = (use.redirected,)
    gone = [take_out(table, one) for one in named if is_there(look_of(table), one)]
    if named and not gone:
        table.tell(events.EffectFizzled(face(use.card)))
    discard(table, gone, "effect")


def _place(table: Table, use: Use, line: c.Place, named: Sequence[Named]) -> None:
    """Put cards on fields, those that may lie there; a card named twice where first (OD-218)."""
    for one in named:
        look = look_of(table)
        if one.to_seat is None or one.to_zone is None or not is_there(look, one):
            continue
        zone = Field(one.to_zone)
        if not may_enter(look, one.card, one.to_seat, zone):
            continue
        if one.zone in ("song", "dance"):
            move(table, one, one.to_seat, zone, by=use.seat)
        else:
            card = take_out(table, one).card
            owner = None if one.seat == use.seat else one.seat
            place(table, one.to_seat, zone, card, by=use.seat, source=one.zone, owner=owner)


def _take(table: Table, use: Use, line: c.Take, named: Sequence[Named]) -> None:
    """Take cards into hands; those of hands go unseen (OD-164), all others in the open."""
    going: dict[SeatId, list[Named]] = {}
    for one in named:
        receiver = _receiver(table, use, line.to, one.seat)
        if is_there(look_of(table), one) and (one.zone, one.seat) != ("hand", receiver):
            card = take_out(table, one).card
            going.setdefault(receiver, []).append(evolve(one, card=card))
    hidden = any(one.zone == "hand" for one in named)
    if hidden:
        _tell_passing(table, going)
    elif all(room_in_hand(table.seats[to]) >= len(cards) for to, cards in going.items()):
        _take_in(table, going)
        return
    else:
        for to, cards in going.items():
            table.tell(events.CardsTaken(to, tuple(_origin(one) for one in cards)))
    if going:
        receive(
            table,
            *(Taker(to, tuple(n.card for n in going[to]), hidden) for to in sorted(going)),
        )


def _receiver(table: Table, use: Use, to: c.GainTo, holder: SeatId) -> SeatId:
    match to:
        case c.GainTo.SELF:
            return use.seat
        case c.GainTo.LEFT:
            return table.from_left_of(holder)[0]
        case c.GainTo.HOLDER:
            return holder


def _tell_passing(table: Table, going: Mapping[SeatId, Sequence[Named]]) -> None:
    pairs = [(one.seat, to) for to, cards in going.items() for one in cards]
    for giver, receiver in sorted(set(pairs)):
        passed = [one.card for one in going[receiver] if one.seat == giver]
        resource = sum(back(card) is Back.RESOURCE for card in passed)
        cards = faces(passed)
        table.tell(
            events.HandPassed(giver, receiver, resource, len(passed) - resource, cards=cards)
        )


def _take_in(table: Table, going: Mapping[SeatId, Sequence[Named]]) -> None:
    """Let cards that all fit go straight into hands."""
    for to, cards in going.items():
        for one in cards:
            table.change(to, hand=(*table.seats[to].hand, one.card))
            spots = events.Spot(one.seat, one.zone), events.Spot(to, "hand")
            table.tell(events.CardMoved(face(one.card), *spots, kept=one.kept or None))


def _origin(named: Named) -> events.Origin:
    return events.Origin(face(named.card), named.seat, named.zone, named.kept or None)


def _exchange(table: Table, use: Use, line: c.Exchange, named: Sequence[Named]) -> None:
    """Let two cards on fields change places (OD-165)."""
    if len(named) != 2:
        return
    a, b = named
    look = look_of(table)
    if not (is_there(look, a) and is_there(look, b) and may_exchange(look, a, b, line)):
        return
    lift(table, a)
    lift(table, b)
    land(table, a, b.seat, Field(b.zone), by=use.seat)
    land(table, b, a.seat, Field(a.zone), by=use.seat)


def _draw(table: Table, use: Use, line: c.Draw, named: Sequence[Named]) -> None:
    """Draw one by one (OD-195); what overflows is one batch (OD-103)."""
    which = Back(line.deck.value)
    overflow: list[Discarding] = []
    for _ in range(line.n):
        if deck(table.seats[use.seat], which):
            overflow += draw(table, use.seat, which)
    discard(table, overflow, "overflow")


def _show(table: Table, use: Use, line: c.Show, named: Sequence[Named]) -> None:
    """Turn up the top cards of a deck; what is left of them is shuffled back at the end."""
    cards = deck(table.seats[use.seat], Back(line.deck.value))
    shown, left = cards[: line.n], cards[line.n :]
    if shown:
        table.change(use.seat, **{f"{line.deck.value}_deck": left})
        table.update(shown=(*use.shown, *shown))
        table.tell(events.DeckShown(use.seat, line.deck.value, faces(shown), len(left)))
        table.stir()


# --- what does not move -------------------------------------------------------------------------


def _seats(table: Table, use: Use, whose: c.Whose, named: Sequence[Named]) -> tuple[SeatId, ...]:
    """Return the seats that a line is about; one other seat was named."""
    if whose is c.Whose.ONE_OTHER:
        return tuple(one.seat for one in named)
    return owners(look_of(table), whose)


def _peek(table: Table, use: Use, line: c.Peek, named: Sequence[Named]) -> None:
    for seat in _seats(table, use, line.whose, named):
        if seat != use.seat:
            held = faces(table.seats[seat].hand)
            table.tell(events.HandShown(use.seat, seat, cards=held))


def _vp(table: Table, use: Use, line: c.AddVp, named: Sequence[Named]) -> None:
    for seat in _seats(table, use, line.whose, named):
        change_vp(table, seat, line.n, "effect")


def _first(table: Table, use: Use, line: c.SetFirst, named: Sequence[Named]) -> None:
    lying = None if use.at is None else find(table.seats, use.at)
    if use.at is not None and lying is not None:
        set_first_character(table, use.seat, Field(use.at.zone), lying)


def _cancel(table: Table, use: Use, line: c.Cancel, named: Sequence[Named]) -> None:
    answered = answered_by(table)
    if isinstance(answered, Use) and not answered.cancelled:
        _change_answered(table, evolve(answered, cancelled=True))
        table.tell(events.EffectCancelled(face(answered.card), use.seat))


def _redirect(table: Table, use: Use, line: c.Redirect, named: Sequence[Named]) -> None:
    """Let this character stand in for K's target; once for each K (OD-107, OD-190)."""
    answered = answered_by(table)
    if not isinstance(answered, Use) or answered.redirected is not None or use.at is None:
        return
    if find(table.seats, use.at) is None:
        return
    _change_answered(table, evolve(answered, redirected=use.at))
    (old,) = answered.named(0) or ()
    card = face(answered.card)
    table.tell(events.EffectRedirected(card, use.seat, as_target(old), as_target(use.at)))


def _actions(table: Table, use: Use, line: c.AddActions, named: Sequence[Named]) -> None:
    """Add actions to one's own turn, up to the cap (OD-111); to another's turn none (OD-213)."""
    turn = table.stage
    if not isinstance(turn, Turn) or turn.seat != use.seat:
        return
    room = ACTION_CAP - turn.actions_taken - turn.actions_left
    added = min(line.n, max(0, room))
    if added:
        table.stage = evolve(turn, actions_left=turn.actions_left + added)
        table.tell(events.ActionsChanged(use.seat, turn.actions_left + added))
    if added < line.n:
        table.tell(events.ActionsCapped(use.seat, ACTION_CAP))


def _mark(table: Table, use: Use, line: c.PutMark, named: Sequence[Named]) -> None:
    for one in named:
        if line.mark is c.Mark.FROZEN:
            put_frost(table, one.seat, Field(one.zone), by=use.seat)
        elif find(table.seats, one) is not None:
            put_shelter(table, one, by=use.seat)


# --- the special cards' own ---------------------------------------------------------------------


def _recover(table: Table, use: Use, line: Recover, named: Sequence[Named]) -> None:
    sale = answered_by(table)
    if isinstance(sale, Sale):
        table.change(use.seat, hand=(*table.seats[use.seat].hand, *sale.lot))
        table.tell(events.LotRecovered(use.seat, tuple(face(card) for card in sale.lot)))
        _change_answered(table, evolve(sale, lot=()))


def _swap(table: Table, use: Use, line: Swap, named: Sequence[Named]) -> None:
    """Move the named characters to the other field, with all their marks."""
    seat = use.seat
    moving = {one.since for one in named}
    owner = table.seats[seat]
    lies: dict[Field, tuple[Lying, ...]] = {}
    for here, there in ((Field.SONG, Field.DANCE), (Field.DANCE, Field.SONG)):
        stay = tuple(y for y in field(owner, here) if y.since not in moving)
        come = tuple(y for y in field(owner, there) if y.since in moving)
        lies[here] = stay + come
    table.change(seat, song=lies[Field.SONG], dance=lies[Field.DANCE])
    for one in named:
        lying = next(y for _, y in domain(table.seats[seat]) if y.since == one.since)
        to = Field.DANCE if one.zone == Field.SONG else Field.SONG
        spots = events.Spot(seat, one.zone), events.Spot(seat, to.value)
        table.tell(events.CardMoved(face(one.card), *spots, kept=lying.kept or None))
    table.stir()


_DOING: Mapping[type, Callable[[Table, Use, Any, Sequence[Named]], None]] = {
    c.Discard: _discard,
    c.Place: _place,
    c.Take: _take,
    c.Exchange: _exchange,
    c.Draw: _draw,
    c.Show: _show,
    c.Peek: _peek,
    c.AddVp: _vp,
    c.SetFirst: _first,
    c.Cancel: _cancel,
    c.Redirect: _redirect,
    c.AddActions: _actions,
    c.PutMark: _mark,
    Recover: _recover,
    Swap: _swap,
}
