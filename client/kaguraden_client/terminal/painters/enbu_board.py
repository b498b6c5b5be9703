"""A table of enbu as it lies, and what follows from it: all of it is open information.

Nothing here decides anything: the server says what is legal. This says where a card is that a
program needs, and what a choice would leave, so that a client can ask before an end (EN-46).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence

from attrs import evolve, field, frozen
from kaguraden_protocol.messages import Option

from ...reading import Json, as_dict, as_int, as_list, as_str, as_texts, has_int
from ..books import WILDS, Book
from ..text import clean
from .base import Context

__all__ = ["Board", "Where", "board_of", "needs_of", "points_of"]


class Where(enum.Enum):
    """Where the best copy of a card is, with the sign for it."""

    OPEN = "●"  # on top of a pile or in the hand
    FLIPPED = "◇"  # about to be placed
    BURIED = "▼"  # under another card
    DECK = "○"
    DISCARD = "△"  # but it can come back
    GONE = "×"


def needs_of(program: str, ctx: Context) -> tuple[str, ...]:
    """Return the cards that a program requires, as far as the catalogue is known."""
    known = ctx.catalog.cards.get(program)
    return tuple(as_texts(known.told.get("cards"))) if known is not None else ()


def points_of(program: str, ctx: Context) -> int:
    """Return a program's points."""
    known = ctx.catalog.cards.get(program)
    return as_int(known.told.get("points")) if known is not None else 0


@frozen
class Board:
    """One rehearsal's table, read from a view."""

    phase: str = ""
    turn: int = 0
    total: int = 0
    flipped: str = ""
    pages: tuple[str, ...] = ()
    stack: tuple[str, ...] = ()
    stage: tuple[tuple[str, ...], ...] = ()
    hand: tuple[str, ...] = ()
    discard: tuple[str, ...] = ()
    gained: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    wilds: tuple[str, ...] = ()
    deck: int = 0
    unseen: Mapping[str, int] = field(factory=dict)
    goal: str = "open"
    result: Mapping[str, Json] = field(factory=dict)
    rest: tuple[str, ...] | None = None

    @property
    def open_cards(self) -> list[str]:
        """The cards that a performance can take: the tops of the piles, and the hand."""
        return [pile[-1] for pile in self.stage if pile] + list(self.hand)

    def where(self, card: str, book: Book) -> Where:
        """Return where the most useful copy of a card is."""
        if card in self.open_cards:
            return Where.OPEN
        if card == self.flipped:
            return Where.FLIPPED
        if any(card in pile for pile in self.stage):
            return Where.BURIED
        if self.unseen.get(card):
            return Where.DECK
        return Where.DISCARD if book.reshuffle and card in self.discard else Where.GONE

    def can_perform(self, needs: Sequence[str]) -> bool:
        """Whether a program with these needs can be performed with what lies open (EN-20, EN-58)."""
        cards = self.open_cards
        wilds = sum(card in WILDS for card in cards)
        return bool(needs) and sum(card not in cards for card in needs) <= wilds

    def after(self, option: Option) -> Board:
        """Return the table after a choice; the same for one that only time can answer."""
        args = option.args
        slot = as_int(args.get("slot"))
        match option.kind:
            case "stage":
                return evolve(self._put(slot, self.flipped), flipped="", phase="act")
            case "take":
                return evolve(self, hand=(*self.hand, self.flipped), flipped="", phase="act")
            case "swap":
                at = as_int(args.get("hand")) - 1
                if not 0 <= at < len(self.hand):
                    return self
                hand = (*self.hand[:at], *self.hand[at + 1 :], self.flipped)
                placed = self._put(slot, self.hand[at])
                return evolve(placed, hand=hand, flipped="", phase="act")
            case "perform":
                return self._perform(as_str(args.get("program")), as_texts(args.get("sources")))
            case "drop" if self.pages:
                left = self._spent([f"s{slot}"])._without(len(self.pages) - 1)
                return evolve(left, dropped=(*self.dropped, self.pages[-1]))
        return self

    def _put(self, slot: int, card: str) -> Board:
        stage = tuple(
            (*pile, card) if i == slot else pile for i, pile in enumerate(self.stage, start=1)
        )
        return evolve(self, stage=stage)

    def _perform(self, program: str, sources: Sequence[str]) -> Board:
        if program not in self.pages:
            return self
        left = self._spent(sources)._without(self.pages.index(program))
        return evolve(left, gained=(*self.gained, program))

    def _spent(self, sources: Sequence[str]) -> Board:
        """Return the table without the cards at some places: discarded, wilds for good (EN-60)."""
        stage = [list(pile) for pile in self.stage]
        hand: list[str | None] = list(self.hand)
        out: list[str] = []
        for source in sources:
            place = int(source[1:]) - 1 if source[1:].isdecimal() else -1
            if source[:1] == "s" and 0 <= place < len(stage) and stage[place]:
                out.append(stage[place].pop())
            elif source[:1] == "h" and 0 <= place < len(hand) and hand[place] is not None:
                out.append(hand[place] or "")
                hand[place] = None
        return evolve(
            self,
            stage=tuple(map(tuple, stage)),
            hand=tuple(card for card in hand if card is not None),
            discard=(*self.discard, *(card for card in out if card not in WILDS)),
            wilds=(*self.wilds, *(card for card in out if card in WILDS)),
        )

    def _without(self, page: int) -> Board:
        """Return the table with a page gone and the next one opened at the left (EN-29)."""
        pages = (*self.stack[:1], *self.pages[:page], *self.pages[page + 1 :])
        return evolve(self, pages=pages, stack=self.stack[1:])

    def is_stuck(self, book: Book, ctx: Context) -> bool:
        """Whether the rehearsal ends here although programs are left (EN-40, EN-42)."""
        if not self.pages:
            return False
        if any(
            self.can_perform(needs_of(page, ctx)) or not needs_of(page, ctx) for page in self.pages
        ):
            return False
        if self.deck or (book.reshuffle and self.discard):
            return False
        return not (book.drop and any(self.stage))


def board_of(raw: Json) -> Board | None:
    """Return the table of a view's `board`; None where there is none."""
    told = as_dict(raw)
    if not told:
        return None

    def ids(name: str) -> tuple[str, ...]:
        return tuple(map(clean, as_texts(told.get(name))))

    unseen = as_dict(told.get("unseen"))
    return Board(
        phase=as_str(told.get("phase")),
        turn=as_int(told.get("turn")),
        total=as_int(told.get("total")),
        flipped=clean(as_str(told.get("flipped"))),
        pages=ids("pages"),
        stack=ids("stack"),
        stage=tuple(tuple(map(clean, as_texts(pile))) for pile in as_list(told.get("stage"))),
        hand=ids("hand"),
        discard=ids("discard"),
        gained=ids("gained"),
        dropped=ids("dropped"),
        wilds=ids("wilds"),
        deck=as_int(told.get("deck")),
        unseen={clean(card): n for card, n in unseen.items() if has_int(n)},
        goal=as_str(told.get("goal"), "open"),
        result=as_dict(told.get("result")),
        rest=ids("rest") if isinstance(told.get("rest"), list | tuple) else None,
    )
