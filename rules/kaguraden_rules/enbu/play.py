"""One rehearsal: what may be chosen, what a choice does, and what the clock would choose.

All of it is pure: a board in, a board and its events out. Nobody but `start` and `Next` looks at the
order of the deck, and choices are judged on open information only (EN-40, EN-92).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import Final, TypeAlias

from attrs import evolve, frozen

from kaguraden_rules.enbu import events as e
from kaguraden_rules.enbu.board import Board, GoalState, Phase, Reason, Result
from kaguraden_rules.enbu.book import WILDS, Book, Goal
from kaguraden_rules.enbu.books import CATALOGUE, bound, digest, total
from kaguraden_rules.enbu.choices import (
    Choice,
    Drop,
    Finish,
    Next,
    Perform,
    Stage,
    Swap,
    Take,
)
from kaguraden_rules.enbu.shuffle import shuffle_deck, shuffle_programs
from kaguraden_rules.kernel import CardId

__all__ = [
    "FINISH",
    "Moved",
    "apply",
    "can_drop",
    "can_next",
    "can_perform",
    "choices",
    "default",
    "end",
    "lay_out",
    "stands_for",
    "start",
    "taken_cards",
]

Moved: TypeAlias = tuple[Board, tuple[e.Told, ...]]

FINISH: Final = Finish()
_PROGRAMS = CATALOGUE.programs
_SLOTS: Final = tuple(f"s{n}" for n in range(1, 7))  # as many as a book may have (EN-97)
_HELD: Final = tuple(f"h{n}" for n in range(1, 5))


# --- the start -----------------------------------------------------------------------------------


def start(book: Book, seed: bytes) -> Moved:
    """Shuffle, lay out the book and flip the first card (EN-7, EN-9)."""
    programs = book.first + shuffle_programs(seed, book.rest)  # EN-5
    return lay_out(book, seed, programs, shuffle_deck(seed, 0, book.deck))


def lay_out(book: Book, seed: bytes, programs: Sequence[str], deck: tuple[CardId, ...]) -> Moved:
    """Begin with programs and a deck in this order (EN-6); the seed is for reshuffles."""
    board = Board(
        book=book,
        seed=seed,
        phase=Phase.ACT,
        turn=0,
        flipped=None,
        pages=tuple(reversed(programs[: book.pages])),
        stack=tuple(programs[book.pages :]),
        stage=((),) * book.stage,
        hand=(),
        deck=deck,
        discard=(),
        gained=(),
        dropped=(),
        wilds=(),
        total=0,
        reshuffles=0,
        goal=GoalState.OPEN,
    )
    told = e.SetUp(book.id, digest(book), board.pages, board.stack, len(deck))
    board, events = _flip(board)
    return board, (told, *events)


# --- what may be done ------------------------------------------------------------------------------


@frozen
class _InPlay:
    """The stage tops and the hand (EN-20): where each ordinary card lies, and the wilds."""

    slots: int
    where: dict[CardId, list[int]]  # slots from 0, then hand cards
    wilds: list[int]

    @classmethod
    def of(cls, board: Board) -> _InPlay:
        """Look over a board."""
        where: dict[CardId, list[int]] = {}
        wilds: list[int] = []
        tops = [pile[-1] if pile else None for pile in board.stage]
        for at, card in enumerate((*tops, *board.hand)):
            if card in WILDS:
                wilds.append(at)
            elif card is not None:
                where.setdefault(card, []).append(at)
        return cls(len(board.stage), where, wilds)

    def names(self, places: Iterable[int]) -> tuple[str, ...]:
        """Write down a set of places: slots ascending, then hand cards ascending (EN-75)."""
        all_names = _SLOTS[: self.slots] + _HELD
        return tuple(all_names[at] for at in sorted(places))

    def suffices(self, program: str) -> bool:
        """Tell whether a program can be performed; wilds fill what is missing (EN-59)."""
        return self.missing(program) <= len(self.wilds)

    def missing(self, program: str) -> int:
        """Count the cards that a program requires and that do not lie here."""
        return sum(card not in self.where for card in _PROGRAMS[program].cards)

    def source_sets(self, program: str) -> list[tuple[int, ...]]:
        """Return every legal set of sources for a program, in order: any mix (EN-21, EN-26, EN-75)."""
        required = _PROGRAMS[program].cards
        found: list[tuple[int, ...]] = []
        for spent in range(self.missing(program), min(len(self.wilds), len(required)) + 1):
            for wilds in combinations(self.wilds, spent):
                for kept in combinations(required, len(required) - spent):
                    places = [self.where.get(card, ()) for card in kept]
                    found += (tuple(sorted(picked + wilds)) for picked in product(*places))
        found.sort()
        return found


def can_perform(board: Board) -> bool:
    """Tell whether some open program can be performed with what lies open now (EN-25, EN-40)."""
    in_play = _InPlay.of(board)
    return any(in_play.suffices(program) for program in board.pages)


def can_next(board: Board) -> bool:
    """Tell whether the next card can be flipped, by a reshuffle if need be (EN-40, EN-57)."""
    return bool(board.deck) or (_could_reshuffle(board) and not can_perform(board))


def _could_reshuffle(board: Board) -> bool:
    """Tell whether there is something to shuffle; an open program may still bar it (EN-57)."""
    return board.book.reshuffle and bool(board.discard)


def can_drop(board: Board) -> bool:
    """Tell whether the rightmost page may be dropped (EN-40, EN-54)."""
    return board.book.drop and bool(board.pages) and any(board.stage)


def choices(board: Board) -> tuple[Choice, ...]:
    """Return every legal choice, in the order of the table of EN-74; none when it is over."""
    match board.phase:
        case Phase.PLACE:
            return tuple(_placements(board))
        case Phase.ACT:
            return tuple(_acts(board))
        case Phase.OVER:
            return ()


def _placements(board: Board) -> Iterator[Choice]:
    """Flip and placement leave nothing between them but the end (EN-18)."""
    slots = range(1, len(board.stage) + 1)
    for slot in slots:
        yield Stage(slot)  # free or not (EN-13)
    if len(board.hand) < board.book.hand:
        yield Take()
    else:
        for held in range(1, len(board.hand) + 1):  # none with a hand of no cards (EN-17)
            for slot in slots:
                yield Swap(held, slot)
    yield FINISH


def _acts(board: Board) -> Iterator[Choice]:
    """Any number of performances and drops, in any order, or none (EN-22, EN-27, EN-43, EN-50)."""
    in_play = _InPlay.of(board)
    performable = False
    for program in board.pages:
        if in_play.suffices(program):
            performable = True
            for sources in in_play.source_sets(program):
                yield Perform(program, in_play.names(sources))
    if can_drop(board):
        for slot, pile in enumerate(board.stage, 1):
            if pile:
                yield Drop(slot)
    if board.deck or (_could_reshuffle(board) and not performable):
        yield Next()
    yield FINISH


def taken_cards(board: Board, sources: Sequence[str]) -> tuple[CardId, ...]:
    """Return the cards that lie at these places."""
    return tuple(
        board.stage[int(s[1:]) - 1][-1] if s[0] == "s" else board.hand[int(s[1:]) - 1]
        for s in sources
    )


def stands_for(
    program: str, sources: Sequence[str], cards: Sequence[CardId]
) -> dict[str, CardId] | None:
    """Return which card each wild stands for, by where it lies; None without wilds (EN-75).

    Of two wilds the first stands for the card that the program names first (EN-141).
    """
    missing = [card for card in _PROGRAMS[program].cards if card not in cards]
    wilds = [source for source, card in zip(sources, cards, strict=True) if card in WILDS]
    return dict(zip(wilds, missing, strict=True)) or None


# --- what the clock chooses --------------------------------------------------------------------------


def default(board: Board) -> Choice:
    """Return what is chosen when the time is up: never a drop, nothing beyond need (EN-76)."""
    return _default_place(board) if board.phase is Phase.PLACE else _default_act(board)


def _default_place(board: Board) -> Choice:
    piles = board.stage
    fewest = min(range(len(piles)), key=lambda at: (len(piles[at]), at))
    if piles[fewest] and len(board.hand) < board.book.hand:
        return Take()
    return Stage(fewest + 1)


def _default_act(board: Board) -> Choice:
    if can_next(board):
        return Next()
    in_play = _InPlay.of(board)
    for program in reversed(board.pages):
        if in_play.suffices(program):
            required = _PROGRAMS[program].cards
            taken = [in_play.where[card][0] for card in required if card in in_play.where]
            taken += in_play.wilds[: len(required) - len(taken)]
            return Perform(program, in_play.names(taken))
    return FINISH


# --- what a choice does --------------------------------------------------------------------------------


def apply(board: Board, choice: Choice) -> Moved:
    """Return the board after one of its `choices`, and what happened. Others are not looked for."""
    match choice:
        case Stage(slot):
            card = _flipped(board)
            stage = _put(board.stage, slot, card)
            placed = evolve(board, phase=Phase.ACT, flipped=None, stage=stage)
            return _judge(placed, (e.Staged(card, slot),))
        case Take():
            card = _flipped(board)
            held = evolve(board, phase=Phase.ACT, flipped=None, hand=(*board.hand, card))
            return _judge(held, (e.Taken(card),))
        case Swap(hand, slot):
            return _swap(board, hand, slot)
        case Perform(program, sources):
            return _perform(board, program, sources)
        case Drop(slot):
            return _drop(board, slot)
        case Next():
            return _next(board)
        case Finish():
            return end(board, Reason.FINISH)


def end(board: Board, reason: Reason) -> Moved:
    """End the rehearsal; a flipped card stays unplaced (EN-44, EN-46)."""
    return _end(board, reason, ())


def _flipped(board: Board) -> CardId:
    if board.flipped is None:
        raise ValueError("no card is flipped")
    return board.flipped


def _put(
    stage: tuple[tuple[CardId, ...], ...], slot: int, card: CardId
) -> tuple[tuple[CardId, ...], ...]:
    return (*stage[: slot - 1], (*stage[slot - 1], card), *stage[slot:])


def _swap(board: Board, hand: int, slot: int) -> Moved:
    card, out = _flipped(board), board.hand[hand - 1]
    swapped = evolve(
        board,
        phase=Phase.ACT,
        flipped=None,
        hand=(*board.hand[: hand - 1], *board.hand[hand:], card),
        stage=_put(board.stage, slot, out),
    )
    return _judge(swapped, (e.Swapped(card, hand, out, slot),))


def _perform(board: Board, program: str, sources: tuple[str, ...]) -> Moved:
    """Gain a program: its cards to the discard, wilds to the spent pile (EN-23, EN-24, EN-60)."""
    cards = taken_cards(board, sources)
    gain = _PROGRAMS[program].points
    performed = evolve(
        board,
        stage=tuple(
            pile[:-1] if name in sources else pile
            for name, pile in zip(_SLOTS, board.stage, strict=False)
        ),
        hand=tuple(
            card for name, card in zip(_HELD, board.hand, strict=False) if name not in sources
        ),
        discard=board.discard + tuple(card for card in cards if card not in WILDS),
        wilds=board.wilds + tuple(card for card in cards if card in WILDS),
        gained=(*board.gained, program),
        total=board.total + gain,
    )
    told = e.Performed(
        program, sources, cards, gain, performed.total, stands_for(program, sources, cards)
    )
    return _leave(performed, board.pages.index(program), told)


def _drop(board: Board, slot: int) -> Moved:
    """Give up the rightmost page, and a stage top for it (EN-51, EN-52, EN-53, EN-60)."""
    program, pile = board.pages[-1], board.stage[slot - 1]
    card = pile[-1]
    wild = card in WILDS
    dropped = evolve(
        board,
        stage=(*board.stage[: slot - 1], pile[:-1], *board.stage[slot:]),
        discard=board.discard if wild else (*board.discard, card),
        wilds=(*board.wilds, card) if wild else board.wilds,
        dropped=(*board.dropped, program),
    )
    return _leave(dropped, len(board.pages) - 1, e.Dropped(program, slot, card))


def _leave(board: Board, index: int, told: e.Told) -> Moved:
    """Close up the row to the right and open a page at its left end (EN-28, EN-29, EN-30, EN-55)."""
    opened = board.stack[0] if board.stack else None
    pages = (*board.stack[:1], *board.pages[:index], *board.pages[index + 1 :])
    slid = evolve(board, pages=pages, stack=board.stack[1:])
    events: tuple[e.Told, ...] = (told, e.Slid(index, pages, opened))
    goal = _goal(slid)
    if goal is not board.goal:
        slid = evolve(slid, goal=goal)
        events = (*events, e.GoalChanged(goal.value))
    return _judge(slid, events)


def _goal(board: Board) -> GoalState:
    """Say how the goal stands, on open information (EN-62, EN-63, EN-64, EN-65, EN-125)."""
    left = board.pages + board.stack
    if board.book.goal is Goal.ALL:
        if board.dropped:
            return GoalState.LOST
        return GoalState.OPEN if left else GoalState.REACHED
    mark = board.book.pass_mark or 0
    if board.total >= mark:
        return GoalState.REACHED
    in_reach = board.total + sum(_PROGRAMS[program].points for program in left)
    return GoalState.OPEN if in_reach >= mark else GoalState.LOST


def _next(board: Board) -> Moved:
    """Flip the next card, from a new deck if the old one is used up (EN-31, EN-56, EN-57)."""
    if board.deck:
        return _flip(board)
    number = board.reshuffles + 1
    deck = shuffle_deck(board.seed, number, board.discard)
    shuffled = evolve(board, deck=deck, discard=(), reshuffles=number)
    flipped, events = _flip(shuffled)
    return flipped, (e.Reshuffled(number, len(deck)), *events)


def _flip(board: Board) -> Moved:
    """Begin a turn with the top of the deck (EN-10).

    Raises:
        RuntimeError: The proof of EN-68 does not hold; a defect (EN-69).
    """
    turn = board.turn + 1
    if turn > bound(board.book):
        raise RuntimeError(f"turn {turn} is beyond the bound of book {board.book.id}")
    card, rest = board.deck[0], board.deck[1:]
    flipped = evolve(board, phase=Phase.PLACE, turn=turn, flipped=card, deck=rest)
    return flipped, (e.Flipped(turn, card, len(rest)),)


def _judge(board: Board, events: tuple[e.Told, ...]) -> Moved:
    """End the rehearsal if the book is used up or nothing can change any more (EN-39, EN-42).

    That is judged after every change of what lies open (EN-41). A goal out of reach ends nothing
    (EN-45).
    """
    if not board.pages:
        return _end(board, Reason.DONE, events)
    if board.deck or can_drop(board) or can_perform(board) or can_next(board):
        return board, events
    return _end(board, Reason.STUCK, events)


def _end(board: Board, reason: Reason, events: tuple[e.Told, ...]) -> Moved:
    """Write down the result: success is the goal and nothing else (EN-47, EN-48, EN-61)."""
    result = Result(
        reason=reason,
        success=board.goal is GoalState.REACHED,
        total=board.total,
        maximum=total(board.book),
        gained=len(board.gained),
        dropped=len(board.dropped),
        left=len(board.pages) + len(board.stack),
        turns=board.turn,
        reshuffles=board.reshuffles,
    )
    told = e.Ended(
        reason=reason.value,
        success=result.success,
        total=result.total,
        maximum=result.maximum,
        gained=result.gained,
        dropped=result.dropped,
        left=result.left,
        turns=result.turns,
        reshuffles=result.reshuffles,
    )
    return evolve(board, phase=Phase.OVER, result=result), (*events, told)
