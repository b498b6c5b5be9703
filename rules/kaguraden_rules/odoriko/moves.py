"""How cards move: drawing, placing, lifting, discarding, and what each move brings with it.

Every change of a zone goes through here, with its event. Cards in use or on offer are in no zone:
they lie on the stack, in a frame (OD-54).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import evolve

from kaguraden_rules.kernel import SeatId
from kaguraden_rules.odoriko import events
from kaguraden_rules.odoriko.card import Kind
from kaguraden_rules.odoriko.faces import is_resource
from kaguraden_rules.odoriko.refs import Back, CardRef, Field, back, face, labels, leaf
from kaguraden_rules.odoriko.scoring import kind_of
from kaguraden_rules.odoriko.state import (
    Action,
    Batch,
    Discarding,
    Lying,
    Named,
    Seat,
    Turn,
    Use,
)
from kaguraden_rules.odoriko.table import Table

__all__ = [
    "HAND_LIMIT",
    "change_vp",
    "counted_resources",
    "discard",
    "domain",
    "draw",
    "end_marks",
    "field",
    "find",
    "first_hands",
    "has_room_for_character",
    "held",
    "is_character",
    "is_frozen",
    "lift",
    "lying_labels",
    "lying_resources",
    "place",
    "put_away",
    "resource_backs",
    "room_in_hand",
    "set_first_character",
    "shown",
    "take_from_hand",
    "tree",
]

HAND_LIMIT = 4  # OD-51


# --- reading -----------------------------------------------------------------------------------


def field(seat: Seat, zone: Field) -> tuple[Lying, ...]:
    """Return the cards on one of a seat's fields."""
    return seat.song if zone is Field.SONG else seat.dance


def domain(seat: Seat) -> tuple[tuple[Field, Lying], ...]:
    """Return the cards of a seat's domain with their fields, song first (OD-8)."""
    song = tuple((Field.SONG, lying) for lying in seat.song)
    return song + tuple((Field.DANCE, lying) for lying in seat.dance)


def tree(lying: Iterable[Lying]) -> int:
    """Return the sum of the leaves on a field (OD-14)."""
    return sum(leaf(entry.card) for entry in lying)


def lying_resources(seats: Iterable[Seat]) -> int:
    """Return how many resource cards lie on fields; characters do not count (OD-124)."""
    return sum(leaf(y.card) > 0 for seat in seats for y in (*seat.song, *seat.dance))


def counted_resources(table: Table) -> int:
    """Return how many resource cards count towards the end (OD-124).

    With `final_count = placed` those that were put on a field since midway, gone or not.
    """
    if table.options.final_count == "placed":
        return table.placed
    return lying_resources(table.seats)


def resource_backs(seat: Seat) -> int:
    """Return how many resource-back cards a seat holds, which is public (OD-13)."""
    return sum(back(card) is Back.RESOURCE for card in seat.hand)


def room_in_hand(seat: Seat) -> int:
    """Return how many cards a hand can still take (OD-51)."""
    return HAND_LIMIT - len(seat.hand)


def lying_labels(seat: Seat, zone: Field) -> dict[str, Lying]:
    """Return the cards on a field by names that tell them apart: `labels` of their references."""
    lies = field(seat, zone)
    return dict(zip(labels(lying.card for lying in lies), lies, strict=True))


def held(seat: Seat, label: str) -> CardRef:
    """Return the card of a hand that has this face; of several, the first."""
    return next(card for card in seat.hand if face(card) == label)


def is_character(table: Table, card: CardRef) -> bool:
    """Whether a card is a character (OD-5)."""
    return back(card) is Back.CHARACTER and kind_of(face(card), table.cards) is Kind.CHARACTER


def is_frozen(seat: Seat, zone: Field) -> bool:
    """Whether no card may enter a field (OD-173)."""
    return any(frost.zone is zone for frost in seat.frosts)


def has_room_for_character(table: Table, seat: SeatId, zone: Field) -> bool:
    """Whether a field may take a new character: it holds none but the kept one (OD-64, OD-65)."""
    owner = table.seats[seat]
    return not is_frozen(owner, zone) and not any(
        is_character(table, lying.card) and not lying.kept for lying in field(owner, zone)
    )


def take_from_hand(table: Table, seat: SeatId, label: str) -> CardRef:
    """Take a card with this face out of a hand."""
    hand = list(table.seats[seat].hand)
    card = held(table.seats[seat], label)
    hand.remove(card)
    table.change(seat, hand=tuple(hand))
    return card


# --- victory points ------------------------------------------------------------------------------


def change_vp(table: Table, seat: SeatId, delta: int, cause: str) -> None:
    """Change a seat's VP; they are public and may be negative (OD-17)."""
    if delta:
        total = table.seats[seat].vp + delta
        table.change(seat, vp=total)
        table.tell(events.VpChanged(seat, delta, total, cause))


# --- drawing -------------------------------------------------------------------------------------


def draw(table: Table, seat: SeatId, deck: Back) -> tuple[Discarding, ...]:
    """Draw the top card of a deck that is not empty (OD-40, OD-41).

    Returns:
        What overflows: the card, where the hand was full already (OD-51, OD-53). It has left the
        deck and is on its way to the pile.
    """
    owner = table.seats[seat]
    name = "resource_deck" if deck is Back.RESOURCE else "character_deck"
    card, *rest = getattr(owner, name)
    table.change(seat, **{name: tuple(rest)})
    table.stir()
    if room_in_hand(owner) > 0:
        table.change(seat, hand=(*owner.hand, card))
        table.tell(events.CardDrawn(seat, deck.value, len(rest), card=face(card)))
        return ()
    drawn = face(card)
    table.tell(events.CardDrawn(seat, deck.value, len(rest), overflow=drawn, card=drawn))
    return (Discarding(card, seat, "deck"),)


def first_hands(table: Table) -> None:
    """Let each seat draw one card from each deck that is not empty (OD-26, OD-120)."""
    for seat in table.everybody():
        if table.seats[seat].character_deck:
            draw(table, seat, Back.CHARACTER)
        if table.seats[seat].resource_deck:
            draw(table, seat, Back.RESOURCE)


# --- fields --------------------------------------------------------------------------------------


def place(table: Table, seat: SeatId, zone: Field, card: CardRef, *, by: SeatId) -> None:
    """Put a card that has left the hand of `by` on a field, face up (OD-42, OD-43, OD-12)."""
    owner = table.seats[seat]
    table.lain += 1
    lying = Lying(card, since=table.lain)
    table.change(seat, **{zone.value: (*field(owner, zone), lying)})
    table.tell(events.CardPlaced(by, seat, zone.value, face(card), "hand"))
    table.stir()
    if is_resource(face(card)):
        table.placed += table.half == 2
    elif by == seat:
        _note_first_character(table, seat, zone, lying)


def _note_first_character(table: Table, seat: SeatId, zone: Field, lying: Lying) -> None:
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
    """Give a character that lies on a field the mark; the seat has no other (OD-57)."""
    lies = field(table.seats[seat], zone)
    marked = tuple(evolve(y, fc=True) if y.since == lying.since else y for y in lies)
    table.change(seat, **{zone.value: marked})
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


def find(seats: Sequence[Seat], named: Named) -> Lying | None:
    """Return the named card if it still lies on its field."""
    lies = field(seats[named.seat], Field(named.zone))
    return next((lying for lying in lies if lying.since == named.since), None)


def lift(table: Table, named: Named) -> Discarding:
    """Take a card that lies on a field off it, without its marks (OD-60, OD-197).

    Returns:
        The card, on its way to the pile of the seat on whose field it lay (OD-11).
    """
    lies = field(table.seats[named.seat], Field(named.zone))
    (lying,) = (y for y in lies if y.since == named.since)
    if lying.fc:
        table.tell(events.FcLost(named.seat, face(lying.card)))
    table.change(named.seat, **{named.zone: tuple(y for y in lies if y is not lying)})
    return Discarding(lying.card, named.seat, named.zone, lying.kept)


def end_marks(table: Table, by: SeatId | None) -> None:
    """End the duration marks that last until the next turn of `by`; None: all (OD-121)."""
    for seat in table.everybody():
        owner = table.seats[seat]
        ending = tuple(frost for frost in owner.frosts if by in (None, frost.by))
        if ending:
            table.change(seat, frosts=tuple(f for f in owner.frosts if f not in ending))
            for frost in ending:
                table.tell(events.MarkEnded("frozen", seat, frost.zone.value))
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


# --- discard piles -------------------------------------------------------------------------------


def discard(table: Table, cards: Sequence[Discarding], cause: str) -> None:
    """Send cards that have left their zones to discard piles, as one batch (OD-103).

    Windows for the batch open when the innermost use or action gets to them (OD-99). Each card
    names its pile: that of the seat in whose zone it was (OD-10, OD-11). Nothing happens where
    there are no cards.
    """
    if not cards:
        return
    _to_piles(table, cards)
    table.batches += 1
    batch = Batch(table.batches, tuple(cards))
    at = table.holder()
    holder = table.stack[at]
    if isinstance(holder, Action | Use):
        table.stack[at] = evolve(holder, batches=(*holder.batches, batch))
    table.tell(events.CardsDiscarded(tuple(map(shown, cards)), cause, table.batches))


def put_away(table: Table, seat: SeatId, card: CardRef) -> None:
    """Send a card that was played to its player's pile (OD-4, OD-11, OD-97 step R5).

    It is no batch: no window opens for it.
    """
    discarding = Discarding(card, seat, "stack")
    _to_piles(table, (discarding,))
    table.tell(events.CardsDiscarded((shown(discarding),), "played"))


def shown(discarding: Discarding) -> events.Discarded:
    """Return a discarded card as everybody sees it."""
    card, source = face(discarding.card), discarding.source
    return events.Discarded(card, discarding.pile, source, discarding.kept or None)


def _to_piles(table: Table, cards: Sequence[Discarding]) -> None:
    for discarding in cards:
        pile = table.seats[discarding.pile].pile
        table.change(discarding.pile, pile=(*pile, discarding.card))
    table.stir()
