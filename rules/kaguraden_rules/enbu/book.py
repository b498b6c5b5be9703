"""What a rehearsal is made of: cards, programs and the book that picks among them."""

from __future__ import annotations

import enum
from collections.abc import Mapping

from attrs import frozen

from kaguraden_rules.kernel import CardId

__all__ = ["WILDS", "Book", "Card", "Catalogue", "Family", "Goal", "Group", "Program"]

WILDS: tuple[CardId, ...] = (CardId("bakedanuki"), CardId("kyubi"))  # EN-58


class Group(enum.StrEnum):
    """What kind of animal a card shows (EN-94)."""

    ZODIAC = "zodiac"
    OTHER = "other"
    WILD = "wild"


class Family(enum.StrEnum):
    """What a book belongs to (EN-95)."""

    KYU = "kyu"
    KAMIARI = "kamiari"
    DAN = "dan"
    YOROZU = "yorozu"  # made by a player


class Goal(enum.StrEnum):
    """What makes a rehearsal a success."""

    ALL = "all"  # every program gained (EN-62)
    PASS = "pass"  # noqa: S105 - the total reaches the pass mark (EN-63)


@frozen
class Card:
    """An animal card (EN-94). `no` is 1 to 255; `box` is the most copies a book may use."""

    no: int
    id: CardId
    name: str
    reading: str
    gloss: str  # in English
    glyph: str  # one kanji
    group: Group
    box: int
    emoji: str | None = None


@frozen
class Program:
    """A program: the cards it requires, all different, and its points (EN-94)."""

    no: int
    id: str
    name: str
    reading: str
    gloss: str
    cards: tuple[CardId, ...]
    points: int


@frozen
class Catalogue:
    """All cards and programs that books pick from, by id, in the order of their numbers."""

    cards: Mapping[CardId, Card]
    programs: Mapping[str, Program]


@frozen
class Book:
    """One book (EN-4, EN-95): the table, the cards, the programs and the goal.

    `cards` lists each ordinary card with its copies, in the order of the catalogue; wilds are
    not listed (EN-58). `first` come first in this order; `rest`, in the order of the catalogue, is
    shuffled under them (EN-5).
    """

    id: str
    family: Family
    name: str
    pages: int
    stage: int
    hand: int
    drop: bool
    reshuffle: bool
    wild: bool
    goal: Goal
    pass_mark: int | None
    cards: tuple[tuple[CardId, int], ...]
    first: tuple[str, ...]
    rest: tuple[str, ...]

    @property
    def deck(self) -> tuple[CardId, ...]:
        """Every card of the first deck, wilds included, unshuffled."""
        ordinary = tuple(card for card, copies in self.cards for _ in range(copies))
        return ordinary + (WILDS if self.wild else ())

    @property
    def programs(self) -> tuple[str, ...]:
        """Every program, those that come first first."""
        return self.first + self.rest
