"""The 52 cards of the common pack: rank, suit, value and colour of each (OD-2, OD-3, OD-4).

A card is named by its face: rank, then suit, such as `9D`, `10S`, `QH`. Everything that is not one
of these 52 names is a character or an event, told by the room's card sets.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType

from attrs import frozen

from kaguraden_rules.kernel import CardId

__all__ = [
    "FACES",
    "PACK",
    "Colour",
    "Face",
    "Rank",
    "Suit",
    "is_resource",
    "is_special",
]


class Suit(enum.StrEnum):
    """The four suits, in the order of the pack."""

    SPADE = "S"
    HEART = "H"
    DIAMOND = "D"
    CLUB = "C"


class Colour(enum.StrEnum):
    """Red lies on song fields only, black on dance fields only (OD-3)."""

    RED = "red"
    BLACK = "black"


class Rank(enum.StrEnum):
    """The ranks of special cards (OD-4)."""

    ACE = "A"
    JACK = "J"
    QUEEN = "Q"
    KING = "K"


@frozen
class Face:
    """One card of the pack. Exactly one of `value` (resource) and `rank` (special) is set."""

    card: CardId
    suit: Suit
    value: int | None  # 2..10
    rank: Rank | None

    @property
    def colour(self) -> Colour:
        """Hearts and diamonds are red."""
        return Colour.RED if self.suit in (Suit.HEART, Suit.DIAMOND) else Colour.BLACK


_LABELS = ("A", *(str(n) for n in range(2, 11)), "J", "Q", "K")

FACES: Mapping[CardId, Face] = MappingProxyType(
    {
        (card := CardId(label + suit)): Face(
            card,
            suit,
            int(label) if label.isdigit() else None,
            None if label.isdigit() else Rank(label),
        )
        for suit in Suit
        for label in _LABELS
    }
)

PACK: tuple[CardId, ...] = tuple(FACES)  # spades first, ace to king; the order before the shuffle


def is_resource(card: CardId) -> bool:
    """Whether the card is a 2 to 10 of the pack (OD-3)."""
    face = FACES.get(card)
    return face is not None and face.value is not None


def is_special(card: CardId) -> bool:
    """Whether the card is an A, J, Q or K of the pack (OD-4)."""
    face = FACES.get(card)
    return face is not None and face.rank is not None
