"""What a viewer of enbu may know (EN-91), built field by field.

The deck is a number and counts in the order of the catalogue (EN-36), the seed is nowhere. A table
is shown to its owner, to watchers of a solo game whose owner allows it, and to everybody when all
is over; of other seats there are figures only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated

from attrs import evolve, frozen

from kaguraden_rules.enbu.board import Board, GoalState, Phase, Result
from kaguraden_rules.enbu.book import WILDS, Book, Family, Goal
from kaguraden_rules.enbu.books import digest, total
from kaguraden_rules.enbu.race import (
    Racer,
    State,
    figures_for,
    is_over,
    outcome_of,
    sees_table,
)
from kaguraden_rules.kernel import CardId, Json, SeatId, View, Viewer
from kaguraden_rules.wire import Like, Natural, OneOf, Ordinal

__all__ = ["BoardView", "BookInfo", "EnbuView", "SeatView", "TableView", "You", "book_info", "look"]


@frozen
class BoardView:
    """A table with all that lies on it; `rest` is the deck in order, once it is revealed."""

    phase: Annotated[str, OneOf(Phase)]
    turn: Natural
    total: Natural
    pages: tuple[str, ...]  # left to right
    stack: tuple[str, ...]  # the next one first (EN-32)
    stage: tuple[tuple[CardId, ...], ...]  # bottom to top (EN-33)
    hand: tuple[CardId, ...]
    discard: tuple[CardId, ...]  # the oldest first (EN-35, EN-130)
    gained: tuple[str, ...]
    dropped: tuple[str, ...]
    wilds: tuple[CardId, ...]
    deck: Natural
    unseen: Mapping[CardId, Ordinal]
    goal: Annotated[str, OneOf(GoalState)]
    flipped: CardId | None = None
    result: Result | None = None
    rest: tuple[CardId, ...] | None = None


@frozen
class SeatView:
    """What this viewer sees of a seat."""

    seat: SeatId
    total: Natural
    gained: Natural
    turn: Natural
    ended: bool
    board: BoardView | None = None


@frozen
class BookInfo:
    """A book, as views and the catalogue show it; `pass` is the mark where the goal is that."""

    id: str
    family: Family
    name: str
    digest: str
    pages: Ordinal
    stage: Ordinal
    hand: Natural
    drop: bool
    reshuffle: bool
    wild: bool
    goal: Goal
    total: Natural
    cards: Mapping[CardId, Ordinal]
    first: tuple[str, ...]
    rest: tuple[str, ...]
    pass_: Ordinal | None = None


@frozen
class TableView:
    """What is played."""

    book: Annotated[Mapping[str, Json], Like(BookInfo)]
    race: bool
    daily: bool


@frozen
class You:
    """The viewing seat's own rehearsal."""

    board: BoardView
    undo_left: Natural


@frozen(kw_only=True)
class EnbuView(View):
    """A view of enbu."""

    seats: tuple[SeatView, ...]
    table: TableView
    you: You | None = None


def look(state: State, viewer: Viewer) -> EnbuView:
    """Return what a viewer may know."""
    over = is_over(state)
    seats = _seats(state, viewer, over=over)
    own = None if viewer is None else state.racers[viewer]
    options = state.options
    return EnbuView(
        game="enbu",
        phase=_phase(state, viewer, over=over),
        seats=seats,
        table=TableView(book_info(options.book), state.is_race, options.is_daily),
        asked=tuple(entry.seat for entry in seats if not entry.ended),
        you=None if own is None else You(_board(state, own, over=over), own.undo_left),
        outcome=outcome_of([racer.board for racer in state.racers]) if over else None,
    )


def _phase(state: State, viewer: Viewer, *, over: bool) -> str:
    if over:
        return "over"
    if viewer is not None:
        phase = state.racers[viewer].board.phase
        return "ended" if phase is Phase.OVER else phase.value
    if sees_table(state, None, SeatId(0)):
        return state.racers[0].board.phase.value
    return "race"


def _seats(state: State, viewer: Viewer, *, over: bool) -> tuple[SeatView, ...]:
    shown: list[SeatView] = []
    for figures, racer in zip(figures_for(state, viewer), state.racers, strict=True):
        seat, board = figures.seat, racer.board
        if not sees_table(state, viewer, seat):
            shown.append(SeatView(seat, figures.total, figures.gained, figures.turn, figures.ended))
            continue
        entry = SeatView(seat, board.total, len(board.gained), board.turn, racer.is_over)
        if viewer != seat or over:
            entry = evolve(entry, board=_board(state, racer, over=over))
        shown.append(entry)
    return tuple(shown)


def _board(state: State, racer: Racer, *, over: bool) -> BoardView:
    board = racer.board
    return BoardView(
        phase=board.phase.value,
        turn=board.turn,
        total=board.total,
        pages=board.pages,
        stack=board.stack,
        stage=board.stage,
        hand=board.hand,
        discard=board.discard,
        gained=board.gained,
        dropped=board.dropped,
        wilds=board.wilds,
        deck=len(board.deck),
        unseen=_unseen(board),
        goal=board.goal.value,
        flipped=board.flipped,
        result=board.result,
        rest=board.deck if over and not state.options.is_daily else None,
    )


def _unseen(board: Board) -> dict[CardId, int]:
    """Count the deck by cards. The order of the keys is the book's, it tells nothing (EN-92)."""
    counts = Counter(board.deck)
    kinds = [card for card, _ in board.book.cards]
    return {card: counts[card] for card in (*kinds, *WILDS) if counts[card]}


@lru_cache(maxsize=256)
def book_info(book: Book) -> Mapping[str, Json]:
    """Return a book in plain values, as views and the catalogue show it."""
    info: dict[str, Json] = {
        "id": book.id,
        "family": book.family.value,
        "name": book.name,
        "digest": digest(book),
        "pages": book.pages,
        "stage": book.stage,
        "hand": book.hand,
        "drop": book.drop,
        "reshuffle": book.reshuffle,
        "wild": book.wild,
        "goal": book.goal.value,
        "total": total(book),
        "cards": dict(book.cards),
        "first": list(book.first),
        "rest": list(book.rest),
    }
    if book.pass_mark is not None:
        info["pass"] = book.pass_mark
    return info
