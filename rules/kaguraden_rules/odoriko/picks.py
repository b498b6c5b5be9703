"""What the lines of an effect may choose, in the position where they choose it (OD-186).

A line that leaves a choice offers one or more *ways* to make it. A way may fix cards by itself, and
it may hold a list out of which so many more are chosen. A choice of one card has a way for each card;
a choice of several has one way with a list; two cards that change places have a way for each first
card, with the list of those that it may be exchanged for. That is the shape of an answer: one
option, with a list of cards at most.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import evolve, frozen

from kaguraden_rules.kernel import CardId, SeatId
from kaguraden_rules.odoriko import card as c
from kaguraden_rules.odoriko.refs import Back, CardRef, Field, back, face, faces, field_of
from kaguraden_rules.odoriko.scoring import kind_of, matches
from kaguraden_rules.odoriko.state import Lying, Named, Seat
from kaguraden_rules.odoriko.table import Table
from kaguraden_rules.odoriko.zones import field as lies_on
from kaguraden_rules.odoriko.zones import find, is_frozen

__all__ = [
    "Form",
    "Look",
    "Way",
    "cards_in",
    "form_of",
    "holders_of",
    "is_there",
    "look_at",
    "may_back",
    "may_enter",
    "may_exchange",
    "owners",
    "ways",
]


@frozen
class Look:
    """A position as the user of an effect meets it."""

    seats: Sequence[Seat]
    cards: Mapping[CardId, c.Card]
    user: SeatId
    this: int | None = None  # `since` of the character whose skill it is
    actor: SeatId | None = None  # the player of the answered card
    shown: tuple[CardRef, ...] = ()
    unscoped: str = "whole"
    half: int = 1

    def without(self, named: Named, *, to_pile: bool = True) -> Look:
        """Return the position as it is when a card has left a hand or field, for its seat's pile."""
        seats = list(self.seats)
        seat = seats[named.seat]
        pile = (*seat.pile, named.card) if to_pile else seat.pile
        match named.zone:
            case "hand":
                hand = list(seat.hand)
                hand.remove(named.card)
                seats[named.seat] = evolve(seat, hand=tuple(hand), pile=pile)
            case "song":
                stay = tuple(y for y in seat.song if y.since != named.since)
                seats[named.seat] = evolve(seat, song=stay, pile=pile)
            case "dance":
                stay = tuple(y for y in seat.dance if y.since != named.since)
                seats[named.seat] = evolve(seat, dance=stay, pile=pile)
            case _:
                return self
        return evolve(self, seats=seats)


def look_at(
    table: Table,
    user: SeatId,
    *,
    this: int | None = None,
    actor: SeatId | None = None,
    shown: tuple[CardRef, ...] = (),
) -> Look:
    """Return the position on the table as the user of an effect meets it."""
    return Look(
        table.seats, table.cards, user, this, actor, shown, table.options.unscoped, table.half
    )


class Form(enum.Enum):
    """How much of an answer the user's choice for a line takes up, by the card's data alone."""

    NONE = "none"  # nothing is chosen
    ONE = "one"  # an option for each way
    LIST = "list"  # a list of cards
    BOTH = "both"
    HOLDERS = "holders"  # chosen by those who hold the cards


@frozen
class Way:
    """One way to choose: what it fixes, and what more is chosen out of a list.

    `whose` and `to` are the one other seat that all cards of the list are taken from, or go to.
    """

    fixed: tuple[Named, ...] = ()
    among: tuple[Named, ...] = ()
    least: int = 0
    most: int = 0
    whose: SeatId | None = None
    to: SeatId | None = None


def form_of(line: c.Op) -> Form:
    """Return what the choice of a line takes up."""
    match line:
        case c.Discard(pick=None):
            return Form.NONE
        case (
            c.Discard(pick=c.Pick() as pick) | c.Take(pick=pick) | c.PutMark(pick=c.Pick() as pick)
        ):
            return _form_of_pick(pick)
        case c.Place(pick=pick, to=to):
            form = _form_of_pick(pick)
            if form is not Form.HOLDERS and to.whose in (c.Whose.OTHERS, c.Whose.ONE_OTHER):
                is_one_seat = to.whose is c.Whose.ONE_OTHER and pick.n != 1
                return Form.BOTH if is_one_seat or form is Form.BOTH else Form.LIST
            return form
        case c.Exchange():
            return Form.BOTH
        case c.PutMark():
            return Form.ONE
        case c.Peek(whose=whose) | c.AddVp(whose=whose) if whose is c.Whose.ONE_OTHER:
            return Form.ONE
        case _:
            return Form.NONE


def _form_of_pick(pick: c.Pick) -> Form:
    if pick.by is c.By.HOLDER:
        return Form.HOLDERS
    if pick.n == 1 and not pick.upto:
        return Form.ONE
    return Form.BOTH if _is_one_seats(pick) else Form.LIST


# --- cards --------------------------------------------------------------------------------------


def owners(look: Look, whose: c.Whose) -> tuple[SeatId, ...]:
    """Return the seats that a pick looks at, by their numbers."""
    everybody = tuple(SeatId(seat) for seat in range(len(look.seats)))
    match whose:
        case c.Whose.SELF:
            return (look.user,)
        case c.Whose.ACTOR:
            return () if look.actor is None else (look.actor,)
        case c.Whose.ANY | c.Whose.EACH:
            return everybody
        case _:
            return tuple(seat for seat in everybody if seat != look.user)


def cards_in(look: Look, seat: SeatId, zone: c.Zone, match: c.Match) -> Iterator[Named]:
    """Yield the cards of a zone that pass a filter."""

    def passes(card: CardRef, lying: Lying | None = None) -> bool:
        if match.is_empty:
            return True
        shown = face(card)
        return matches(
            match,
            shown,
            kind_of(shown, look.cards),
            fc=lying is not None and lying.fc,
            this=lying is not None and lying.since == look.this,
        )

    loose = {
        c.Zone.DISCARD: ("pile", look.seats[seat].pile),
        c.Zone.HAND: ("hand", look.seats[seat].hand),
        c.Zone.SHOWN: ("shown", look.shown),
    }
    match zone:
        case c.Zone.DISCARD | c.Zone.HAND | c.Zone.SHOWN:
            name, cards = loose[zone]
            for i, card in enumerate(cards):
                if passes(card):
                    yield Named(seat, name, card, copy=cards[:i].count(card))
        case _:
            for here in Field:
                if zone in (c.Zone.FIELDS, here):
                    for y in lies_on(look.seats[seat], here):
                        if passes(y.card, y):
                            yield Named(seat, here.value, y.card, y.since, y.kept)


def may_back(match: c.Match, has: Back) -> bool:
    """Whether a card with this back can pass a filter in a hand, by what is public (OD-13)."""
    if match.fc or match.this:
        return False
    is_pack = bool(match.suit or match.colour or match.rank) or match.min is not None
    is_pack = is_pack or match.max is not None
    kinds = match.kind or tuple(c.Kind)
    if has is Back.RESOURCE:
        return not match.id and bool({c.Kind.RESOURCE, c.Kind.SPECIAL} & set(kinds))
    return not is_pack and bool({c.Kind.CHARACTER, c.Kind.EVENT} & set(kinds))


def may_enter(
    look: Look, card: CardRef, seat: SeatId, zone: Field, *, leaving: Iterable[int] = ()
) -> bool:
    """Whether a card may come to lie on a field: colour, limit and frost (OD-3, OD-65, OD-173).

    Args:
        look: The position.
        card: The card.
        seat: Whose field it is.
        zone: Which of the two.
        leaving: The cards (their `since`) that make way for it.
    """
    owner = look.seats[seat]
    if is_frozen(owner, zone):
        return False
    if back(card) is Back.RESOURCE:
        return kind_of(face(card), look.cards) is c.Kind.RESOURCE and field_of(card) is zone
    if kind_of(face(card), look.cards) is not c.Kind.CHARACTER:
        return False
    gone = set(leaving)
    return all(
        back(y.card) is Back.RESOURCE or y.kept or y.since in gone for y in lies_on(owner, zone)
    )


def is_there(look: Look, named: Named) -> bool:
    """Whether a named card still lies where it was named; a seat or field always does."""
    if not named.card:
        return True
    owner = look.seats[named.seat]
    match named.zone:
        case "hand":
            return face(named.card) in faces(owner.hand)
        case "pile":
            return face(named.card) in faces(owner.pile)
        case "shown":
            return face(named.card) in faces(look.shown)
        case _:
            return find(look.seats, named) is not None


# --- ways ---------------------------------------------------------------------------------------


def ways(look: Look, line: c.Op, holder: SeatId | None = None) -> tuple[Way, ...]:
    """Return the ways to make the choice of a line; with nothing to choose, one that is empty.

    Args:
        look: The position.
        line: A line whose form is not NONE.
        holder: Who chooses among its own cards, where the holders choose.
    """
    to_one = False
    match line:
        case (
            c.Discard(pick=c.Pick() as pick) | c.Take(pick=pick) | c.PutMark(pick=c.Pick() as pick)
        ):
            groups = _groups(look, pick, holder)
        case c.Place(pick=pick, to=to):
            to_one = to.whose is c.Whose.ONE_OTHER and pick.n != 1
            groups = [
                placed
                for group in _groups(look, pick, holder)
                for placed in _placings(look, group, to, apart=to_one)
            ]
        case c.Exchange():
            return _exchanges(look, line) or (Way(),)
        case c.PutMark(pick=c.FieldPick() as one):
            fields = tuple(
                Way((Named(seat, zone.value),))
                for seat in owners(look, one.whose)
                for zone in Field
                if one.zone in (c.Zone.FIELDS, zone)
            )
            return fields or (Way(),)
        case _:
            others = owners(look, c.Whose.ONE_OTHER)
            return tuple(Way((Named(seat),)) for seat in others)
    if pick.n == 1 and not pick.upto and form_of(line) is not Form.LIST:
        return tuple(Way((one,)) for group in groups for one in _different(group)) or (Way(),)
    found = tuple(_list(pick, group, to_one=to_one) for group in groups if group)
    return found or (Way(),)


def _groups(look: Look, pick: c.Pick, holder: SeatId | None) -> list[tuple[Named, ...]]:
    """Return the lists out of which a pick may be made: one, or one a seat (OD-186)."""
    seats = owners(look, pick.whose) if holder is None else (holder,)
    by_seat = [tuple(cards_in(look, seat, pick.zone, pick.match)) for seat in seats]
    if _is_one_seats(pick):
        return by_seat
    return [tuple(named for cards in by_seat for named in cards)]


def _different(group: tuple[Named, ...]) -> Iterator[Named]:
    """Yield the cards that are not alike: off the fields a card is its face, however many lie there.

    Who supplied which of them is for midway alone (OD-118); the first of them leaves (OD-215).
    """
    seen: set[tuple[object, ...]] = set()
    for named in group:
        alike = (named.seat, named.zone, face(named.card), named.to_seat, named.to_zone)
        if named.since is not None or alike not in seen:
            seen.add(alike)
            yield named


def _is_one_seats(pick: c.Pick) -> bool:
    """Whether a pick of several cards must take them all from one other seat."""
    return pick.whose is c.Whose.ONE_OTHER and pick.n != 1


def _list(pick: c.Pick, group: tuple[Named, ...], *, to_one: bool) -> Way:
    available = len({named.itself for named in group})
    most = available if pick.n is None else min(pick.n, available)
    least = 0 if pick.upto or pick.n is None else most
    whose = group[0].seat if _is_one_seats(pick) else None
    return Way((), group, least, most, whose, group[0].to_seat if to_one else None)


def _placings(
    look: Look, group: tuple[Named, ...], to: c.PlaceTo, *, apart: bool
) -> Iterator[tuple[Named, ...]]:
    """Yield lists of cards with the fields that they may be put on."""
    match to.whose:
        case c.Whose.SELF:
            seats: tuple[SeatId, ...] = (look.user,)
        case c.Whose.ACTOR:
            seats = owners(look, c.Whose.ACTOR)
        case _:
            seats = owners(look, c.Whose.OTHERS)
    each = [
        [evolve(named, to_seat=seat, to_zone=zone.value) for seat, zone in _fields(look, named, to, seats)]
        for named in group
    ]  # fmt: skip
    every = tuple(placed for placings in each for placed in placings)
    if apart:
        for seat in seats:
            yield tuple(placed for placed in every if placed.to_seat == seat)
    else:
        yield every


def _fields(
    look: Look, named: Named, to: c.PlaceTo, seats: tuple[SeatId, ...]
) -> Iterator[tuple[SeatId, Field]]:
    for seat in seats:
        for zone in Field:
            is_elsewhere = (seat, zone.value) != (named.seat, named.zone)
            fits = to.zone is None or to.zone.value == zone.value
            if fits and is_elsewhere and may_enter(look, named.card, seat, zone):
                yield seat, zone


def _exchanges(look: Look, line: c.Exchange) -> tuple[Way, ...]:
    """Return for each first card the second cards that it may change places with."""
    found = []
    firsts = [named for group in _groups(look, line.a, None) for named in group]
    seconds = [named for group in _groups(look, line.b, None) for named in group]
    for a in firsts:
        fitting = tuple(b for b in seconds if may_exchange(look, a, b, line))
        if fitting:
            found.append(Way((a,), fitting, 1, 1))
    return tuple(found)


def may_exchange(look: Look, a: Named, b: Named, line: c.Exchange) -> bool:
    """Whether two cards on different fields may change places (OD-65, OD-173, OD-187)."""
    if a.since is None or b.since is None or (a.seat, a.zone) == (b.seat, b.zone):
        return False
    leaving = (a.since, b.since)
    return (
        (not line.same_zone or a.zone == b.zone)
        and may_enter(look, a.card, b.seat, Field(b.zone), leaving=leaving)
        and may_enter(look, b.card, a.seat, Field(a.zone), leaving=leaving)
    )


def holders_of(look: Look, line: c.Op) -> tuple[SeatId, ...]:
    """Return the seats that are asked to choose among their own cards, by public facts (D-16)."""
    if not isinstance(line, c.Discard | c.Place | c.Take) or line.pick is None:
        return ()
    pick = line.pick
    found = []
    for seat in owners(look, pick.whose):
        owner = look.seats[seat]
        if len(owner.hand) < pick.hand_at_least:
            continue
        if pick.zone is c.Zone.HAND:
            has_some = any(may_back(pick.match, back(card)) for card in owner.hand)
        else:
            has_some = any(way.fixed or way.among for way in ways(look, line, seat))
        if has_some:
            found.append(seat)
    return tuple(found)
