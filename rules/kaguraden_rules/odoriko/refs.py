"""References: how a state names the cards of its game.

A card of the common pack is named by its face: `9D`, `10S`, `QH`. A character or event card is
named by its face and the seat that supplied it, `cc001@2`, because it goes back to that seat's
deck wherever it lies (OD-118), and two seats may supply the same face (OD-22). References stay
inside the state; on the wire a card is its face alone, and there are no instance ids that could
tell where a card came from (OD-179).
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import NewType

from kaguraden_rules.kernel import CardId, SeatId
from kaguraden_rules.odoriko.faces import FACES, Colour

__all__ = [
    "Back",
    "CardRef",
    "Field",
    "back",
    "face",
    "faces",
    "field_of",
    "labels",
    "leaf",
    "supplied_by",
    "supplier",
]

CardRef = NewType("CardRef", str)


class Back(enum.StrEnum):
    """The two backs of cards (OD-13), and so the two decks of a seat (OD-8)."""

    RESOURCE = "resource"
    CHARACTER = "character"


class Field(enum.StrEnum):
    """The two fields of a domain (OD-8); the discard pile is none (OD-9)."""

    SONG = "song"
    DANCE = "dance"


def supplied_by(seat: SeatId, card: CardId) -> CardRef:
    """Return the reference of a character or event card that a seat brought along."""
    return CardRef(f"{card}@{seat}")


def face(card: CardRef) -> CardId:
    """Return what the card shows."""
    return CardId(card.partition("@")[0])


def faces(cards: Iterable[CardRef]) -> tuple[CardId, ...]:
    """Return what the cards show, in their order."""
    return tuple(CardId(card.partition("@")[0]) for card in cards)


def supplier(card: CardRef) -> SeatId | None:
    """Return the seat that supplied the card, or None for a card of the pack."""
    seat = card.partition("@")[2]
    return SeatId(int(seat)) if seat else None


def back(card: CardRef) -> Back:
    """Return the card's back: the pack has one, characters and events share the other (OD-13)."""
    return Back.CHARACTER if "@" in card else Back.RESOURCE


def leaf(card: CardRef) -> int:
    """Return the value of a resource card (OD-14); 0 for any other card."""
    shown = FACES.get(CardId(card))
    return (shown.value or 0) if shown else 0


def field_of(card: CardRef) -> Field:
    """Return the one field that a resource card may lie on: red song, black dance (OD-3, OD-15)."""
    return Field.SONG if FACES[CardId(card)].colour is Colour.RED else Field.DANCE


def labels(cards: Iterable[CardRef]) -> dict[str, CardRef]:
    """Return names by which cards can be told apart among themselves, each with its card.

    That is the face; of several cards with one face the second is `cc001#2`, and so on.
    """
    named: dict[str, CardRef] = {}
    for card in cards:
        label, copies = str(face(card)), 1
        while label in named:
            copies += 1
            label = f"{face(card)}#{copies}"
        named[label] = card
    return named
