"""What can happen in a rehearsal (EN-90).

A rehearsal makes its events for itself; `race` writes down whose they are and who is told of them
(EN-82, EN-91). `figures` and `reveal` come from the race.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from attrs import field, frozen

from kaguraden_rules.enbu.board import Reason
from kaguraden_rules.kernel import AUDIENCE, CardId, Event, SeatId, Viewer
from kaguraden_rules.wire import Natural, OneOf, Ordinal

__all__ = [
    "Defaulted",
    "Dropped",
    "Ended",
    "FiguresShown",
    "Flipped",
    "GoalChanged",
    "Performed",
    "Reshuffled",
    "Revealed",
    "SetUp",
    "Slid",
    "Staged",
    "Swapped",
    "Taken",
    "Told",
    "Undone",
]


@frozen
class Told(Event):
    """An event of one seat's rehearsal, for those who may know of it."""

    seat: SeatId = field(default=SeatId(0), kw_only=True)
    audience: tuple[Viewer, ...] | None = field(default=None, kw_only=True, metadata=AUDIENCE)


@frozen
class SetUp(Told):
    """The book is laid out and the deck shuffled (EN-6, EN-7)."""

    kind: ClassVar[str] = "setup"
    book: str
    digest: str
    pages: tuple[str, ...]
    stack: tuple[str, ...]
    deck: Natural


@frozen
class Flipped(Told):
    """A turn begins (EN-10)."""

    kind: ClassVar[str] = "flip"
    turn: Natural
    card: CardId
    deck: Natural


@frozen
class Staged(Told):
    """The flipped card went to the stage (EN-12)."""

    kind: ClassVar[str] = "stage"
    card: CardId
    slot: Ordinal


@frozen
class Taken(Told):
    """The flipped card went to the hand (EN-14)."""

    kind: ClassVar[str] = "take"
    card: CardId


@frozen
class Swapped(Told):
    """The flipped card went to the hand, and `out`, the `hand`-th card there, to the stage (EN-15)."""

    kind: ClassVar[str] = "swap"
    card: CardId
    hand: Ordinal
    out: CardId
    slot: Ordinal


@frozen
class Performed(Told):
    """A program was gained (EN-23). `stands_for` has the wilds, by where they lay (EN-58)."""

    kind: ClassVar[str] = "perform"
    program: str
    sources: tuple[str, ...]
    cards: tuple[CardId, ...]  # as they lay there
    points: Ordinal
    total: Natural
    stands_for: Mapping[str, CardId] | None = None


@frozen
class Dropped(Told):
    """A program was given up, and a stage top with it (EN-52)."""

    kind: ClassVar[str] = "drop"
    program: str
    slot: Ordinal
    card: CardId


@frozen
class Slid(Told):
    """Page `index` left the row; the row closed up and, if it could, opened a page (EN-29)."""

    kind: ClassVar[str] = "slide"
    index: Natural
    pages: tuple[str, ...]
    opened: str | None = None


@frozen
class GoalChanged(Told):
    """The goal is `reached` or `lost` (EN-125)."""

    kind: ClassVar[str] = "goal"
    goal: Annotated[str, OneOf(("reached", "lost"))]


@frozen
class Reshuffled(Told):
    """The discard became a new deck (EN-56)."""

    kind: ClassVar[str] = "reshuffle"
    number: Ordinal
    deck: Natural


@frozen
class Undone(Told):
    """A step was taken back (EN-78); what came after event `last` of this seat is void (EN-124)."""

    kind: ClassVar[str] = "undo"
    last: Natural


@frozen
class Defaulted(Told):
    """The clock chose; the choice's own events follow (EN-76)."""

    kind: ClassVar[str] = "default"
    choice: str


@frozen
class Ended(Told):
    """The rehearsal is over (EN-38). What counts programs and turns are numbers."""

    kind: ClassVar[str] = "end"
    reason: Annotated[str, OneOf(Reason)]
    success: bool
    total: Natural
    maximum: Natural
    gained: Natural
    dropped: Natural
    left: Natural
    turns: Natural
    reshuffles: Natural


@frozen
class Revealed(Told):
    """All is over; what was left of the deck, top first (EN-91)."""

    kind: ClassVar[str] = "reveal"
    rest: tuple[CardId, ...]


@frozen
class FiguresShown(Told):
    """A viewer now sees other figures of this seat (EN-83, EN-84)."""

    kind: ClassVar[str] = "figures"
    turn: Natural
    total: Natural
    gained: Natural
    ended: bool
