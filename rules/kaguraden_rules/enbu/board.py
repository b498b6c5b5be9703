"""One rehearsal as it lies on the table."""

from __future__ import annotations

import enum

from attrs import field, frozen

from kaguraden_rules.enbu.book import Book
from kaguraden_rules.kernel import CardId
from kaguraden_rules.wire import Natural

__all__ = ["Board", "GoalState", "Phase", "Reason", "Result"]


class Phase(enum.StrEnum):
    """What the player is to do (EN-74)."""

    PLACE = "place"  # a card is flipped
    ACT = "act"
    OVER = "over"


class GoalState(enum.StrEnum):
    """How the goal stands (EN-65, EN-125)."""

    OPEN = "open"
    REACHED = "reached"
    LOST = "lost"


class Reason(enum.StrEnum):
    """Why a rehearsal ended (EN-39, EN-42, EN-44, EN-126)."""

    DONE = "done"
    STUCK = "stuck"
    FINISH = "finish"
    CLOCK = "clock"


@frozen
class Result:
    """How a rehearsal ended."""

    reason: Reason
    success: bool
    total: Natural
    maximum: Natural  # the points of the whole book
    gained: Natural
    dropped: Natural
    left: Natural  # programs neither gained nor dropped
    turns: Natural
    reshuffles: Natural


@frozen
class Board:
    """The position of one rehearsal: all of EN-2, hidden parts included.

    `deck` and `seed` are hidden from everybody (EN-34, EN-72), so they are in no log either; all
    else is open to the player.
    """

    book: Book = field(repr=False)
    seed: bytes = field(repr=False)
    phase: Phase
    turn: int  # cards flipped so far
    flipped: CardId | None
    pages: tuple[str, ...]  # left to right (EN-29)
    stack: tuple[str, ...]  # the next one first
    stage: tuple[tuple[CardId, ...], ...]  # a pile a slot, bottom to top
    hand: tuple[CardId, ...]  # by time of arrival
    deck: tuple[CardId, ...] = field(repr=False)  # top first
    discard: tuple[CardId, ...]  # the oldest first (EN-130)
    gained: tuple[str, ...]
    dropped: tuple[str, ...]
    wilds: tuple[CardId, ...]  # spent (EN-60)
    total: int
    reshuffles: int
    goal: GoalState
    result: Result | None = None
