"""How cards move: drawing, placing, lifting, discarding, and what each move brings with it.

A card leaves one zone and enters another in two steps, as what takes it out need not know where it
goes: `draw`, `take_from_hand`, `lift` and `take_out` take it out; `place`, `land`, `discard` and
`put_away` put it down and tell of it. First characters and batches are seen to here alone. Cards in
use or on offer are in no zone: they lie on the stack, in a frame (OD-54). What one part of the game
alone does, such as dealing, midway, payment or Q's exchange, is there.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from kaguraden_rules.kernel import SeatId
from kaguraden_rules.odoriko import events
from kaguraden_rules.odoriko.faces import is_resource
from kaguraden_rules.odoriko.marks import note_first_character
from kaguraden_rules.odoriko.refs import Back, CardRef, Field, face, faces
from kaguraden_rules.odoriko.state import Action, Batch, Discarding, Lying, Named, Use
from kaguraden_rules.odoriko.table import Table
from kaguraden_rules.odoriko.zones import deck, field, held, room_in_hand

__all__ = [
    "as_target",
    "change_vp",
    "discard",
    "draw",
    "first_hands",
    "land",
    "lift",
    "move",
    "place",
    "put_away",
    "shown",
    "take_from_hand",
    "take_out",
]

# --- victory points ------------------------------------------------------------------------------


def change_vp(table: Table, seat: SeatId, delta: int, cause: str) -> None:
    """Change a seat's VP; they are public and may be negative (OD-17)."""
    if delta:
        total = table.seats[seat].vp + delta
        table.change(seat, vp=total)
        table.tell(events.VpChanged(seat, delta, total, cause))


# --- drawing -------------------------------------------------------------------------------------


def draw(table: Table, seat: SeatId, which: Back) -> tuple[Discarding, ...]:
    """Draw the top card of a deck that is not empty (OD-40, OD-41).

    Of several draws each is a draw of its own (OD-195).

    Returns:
        What overflows: the card, where the hand was full already (OD-51, OD-53). It has left the
        deck and is on its way to the pile, as a card that is sent there (OD-55).
    """
    owner = table.seats[seat]
    card, *rest = deck(owner, which)
    table.change(seat, **{f"{which.value}_deck": tuple(rest)})
    table.stir()
    if room_in_hand(owner) > 0:
        table.change(seat, hand=(*owner.hand, card))
        table.tell(events.CardDrawn(seat, which.value, len(rest), card=face(card)))
        return ()
    drawn = face(card)
    table.tell(events.CardDrawn(seat, which.value, len(rest), overflow=drawn, card=drawn))
    return (Discarding(card, seat, "deck"),)


def first_hands(table: Table) -> None:
    """Let each seat draw one card from each deck that is not empty (OD-26, OD-120)."""
    for seat in table.everybody():
        for which in (Back.CHARACTER, Back.RESOURCE):
            if deck(table.seats[seat], which):
                draw(table, seat, which)


# --- hands and fields --------------------------------------------------------------------------------------


def take_from_hand(table: Table, seat: SeatId, label: str) -> CardRef:
    """Take a card with this face out of a hand."""
    hand = list(table.seats[seat].hand)
    card = held(table.seats[seat], label)
    hand.remove(card)
    table.change(seat, hand=tuple(hand))
    return card


def place(
    table: Table,
    seat: SeatId,
    zone: Field,
    card: CardRef,
    *,
    by: SeatId,
    source: str = "hand",
    owner: SeatId | None = None,
) -> None:
    """Put a card that has left its zone on a field, face up (OD-42, OD-43, OD-12).

    `source` is where it came from: the "hand" or "pile" of `by`, or of `owner` if that is another
    seat, or "shown" off a deck.
    """
    lying = _put(table, seat, zone, card)
    table.tell(events.CardPlaced(by, seat, zone.value, face(card), source, owner))
    table.stir()
    if is_resource(face(card)):
        table.placed += table.half == 2 and source != "pile"
    elif by == seat:
        note_first_character(table, seat, zone, lying)


def _put(table: Table, seat: SeatId, zone: Field, card: CardRef) -> Lying:
    owner = table.seats[seat]
    table.lain += 1
    lying = Lying(card, since=table.lain)
    table.change(seat, **{zone.value: (*field(owner, zone), lying)})
    return lying


def move(table: Table, named: Named, seat: SeatId, zone: Field, *, by: SeatId) -> None:
    """Put a card from one field on another, without its marks (OD-156, OD-197)."""
    lift(table, named)
    land(table, named, seat, zone, by=by)


def land(table: Table, named: Named, seat: SeatId, zone: Field, *, by: SeatId) -> None:
    """Let a card that was lifted off a field come to lie on another.

    A character that a seat brings into its own domain counts as placed there (OD-57, OD-219).
    """
    lying = _put(table, seat, zone, named.card)
    spots = events.Spot(named.seat, named.zone), events.Spot(seat, zone.value)
    kept = named.kept or None
    table.tell(events.CardMoved(face(named.card), *spots, kept=kept, unmarked=True))
    table.stir()
    if not is_resource(face(named.card)) and by == seat != named.seat:
        note_first_character(table, seat, zone, lying)


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
    return Discarding(lying.card, named.seat, named.zone, lying.kept, lying.fc)


def take_out(table: Table, named: Named) -> Discarding:
    """Take a card out of the zone that it was named in; it is in no zone then.

    Off the fields that is the first card with its face (OD-215).

    Returns:
        The card, on its way to the pile of the seat in whose zone it was (OD-10, OD-11).
    """
    if named.zone in ("song", "dance"):
        return lift(table, named)
    use = table.stack[-1]
    if named.zone == "shown":
        cards: tuple[CardRef, ...] = use.shown if isinstance(use, Use) else ()
    else:
        cards = getattr(table.seats[named.seat], named.zone)
    at = faces(cards).index(face(named.card))
    rest = cards[:at] + cards[at + 1 :]
    if named.zone == "shown":
        table.update(shown=rest)
    else:
        table.change(named.seat, **{named.zone: rest})
    return Discarding(cards[at], named.seat, named.zone)


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


def as_target(named: Named) -> events.Target:
    """Return a card on a field as everybody sees it."""
    return events.Target(named.seat, named.zone, face(named.card), named.kept or None)


def _to_piles(table: Table, cards: Sequence[Discarding]) -> None:
    for discarding in cards:
        pile = table.seats[discarding.pile].pile
        table.change(discarding.pile, pile=(*pile, discarding.card))
    table.stir()
