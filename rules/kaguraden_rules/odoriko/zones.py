"""Reading a position: what lies where, and what may lie there.

Functions of a seat or of several; nothing here changes anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kaguraden_rules.kernel import CardId
from kaguraden_rules.odoriko.card import Card, Kind
from kaguraden_rules.odoriko.faces import FACES, Rank
from kaguraden_rules.odoriko.refs import Back, CardRef, Field, back, face, labels, leaf
from kaguraden_rules.odoriko.scoring import kind_of
from kaguraden_rules.odoriko.state import Lying, Named, Seat

__all__ = [
    "HAND_LIMIT",
    "by_face",
    "deck",
    "domain",
    "field",
    "find",
    "has_room_for_character",
    "held",
    "is_character",
    "is_frozen",
    "lying_labels",
    "lying_resources",
    "resource_backs",
    "room_in_hand",
    "tree",
    "with_rank",
]

HAND_LIMIT = 4  # OD-51


def field(seat: Seat, zone: Field) -> tuple[Lying, ...]:
    """Return the cards on one of a seat's fields."""
    return seat.song if zone is Field.SONG else seat.dance


def deck(seat: Seat, which: Back) -> tuple[CardRef, ...]:
    """Return one of a seat's decks, the top first."""
    return seat.resource_deck if which is Back.RESOURCE else seat.character_deck


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


def by_face(cards: Iterable[CardRef]) -> dict[CardId, CardRef]:
    """Return the faces among the cards, in their order; of several with one face, the first."""
    found: dict[CardId, CardRef] = {}
    for card in cards:
        found.setdefault(face(card), card)
    return found


def held(seat: Seat, label: str) -> CardRef:
    """Return the card of a hand that has this face; of several, the first."""
    return next(card for card in seat.hand if face(card) == label)


def is_character(cards: Mapping[CardId, Card], card: CardRef) -> bool:
    """Whether a card is a character (OD-5)."""
    return back(card) is Back.CHARACTER and kind_of(face(card), cards) is Kind.CHARACTER


def with_rank(hand: Iterable[CardRef], rank: Rank) -> tuple[CardRef, ...]:
    """Return the special cards of this rank among the cards (OD-4)."""
    return tuple(
        card for card in hand if (printed := FACES.get(face(card))) and printed.rank is rank
    )


def is_frozen(seat: Seat, zone: Field) -> bool:
    """Whether no card may enter a field (OD-173)."""
    return any(frost.zone is zone for frost in seat.frosts)


def has_room_for_character(seat: Seat, zone: Field, cards: Mapping[CardId, Card]) -> bool:
    """Whether a field may take a new character: it holds none but the kept one (OD-64, OD-65)."""
    return not is_frozen(seat, zone) and not any(
        is_character(cards, lying.card) and not lying.kept for lying in field(seat, zone)
    )


def find(seats: Sequence[Seat], named: Named) -> Lying | None:
    """Return the named card if it still lies on its field."""
    lies = field(seats[named.seat], Field(named.zone))
    return next((lying for lying in lies if lying.since == named.since), None)
