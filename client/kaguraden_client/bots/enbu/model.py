"""A rehearsal for thinking: small, quick, and nothing but what the rules need.

Cards are numbers of their kinds, the wilds last; what lies open is a set of bits. A position is
changed in place and copied where two futures part. Programs leave in few different orders, so what
a row of pages and a stack mean for the cards is worked out once each (`Outlook`) and remembered.

The rules are those of the rules document (EN-10 and on). The model refuses nothing: it is asked to
do only what is legal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

__all__ = ["HELD", "LATER", "MAX_OUTLOOKS", "NEVER", "NOW", "Lore", "Move", "Outlook", "Position"]

HELD: Final = 64
"""The bit of the first hand card where the sources of a performance are bits; slots come first."""

Move: TypeAlias = tuple[str, int, int]
"""A choice of EN-74 in numbers: (stage, slot, 0), (take, 0, 0), (swap, slot, hand card),
(perform, page, sources), (drop, slot, 0), (next, 0, 0); all counted from 0."""

NOW: Final = 0
LATER: Final = 1
NEVER: Final = 99

FORESIGHT: Final = 0.9
"""How much it matters to have a card for a program of the stack, by one for an open page."""

OFTEN: Final = 0.35
"""How much more it matters for each further program that requires it."""

MAX_OUTLOOKS: Final = 20_000  # remembered a book; a game meets a few hundred


class Lore:
    """What does not change in a rehearsal: the book, its cards and programs as numbers.

    Args:
        cards: Each ordinary card of the book with its copies.
        programs: Each program with its cards and points.
        wilds: The wilds of the book.
        table: Pages, stage slots and hand cards.
        mark: The pass mark; None where every program is to be gained.

    Attributes:
        kinds: The name of each card by its number; `number` is the other way round, and `first_wild`
            the number of the first wild.
        bits: One bit a card, by its number; `all_wilds` are those of the wilds together.
        programs: The name of each program by its number; `program_number` is the other way round.
        needs: The cards that each program requires, by its number, in the order it names them;
            `masks` are the same as bits.
        points: Of each program, by its number; `whole` is their sum.
        outlooks: Those met so far, by pages and stack.
    """

    __slots__ = (
        "all_wilds",
        "bits",
        "can_drop",
        "can_reshuffle",
        "first_wild",
        "hand",
        "kinds",
        "mark",
        "masks",
        "needs",
        "number",
        "outlooks",
        "pages",
        "points",
        "program_number",
        "programs",
        "stage",
        "whole",
    )

    def __init__(
        self,
        cards: Mapping[str, int],
        programs: Mapping[str, tuple[Sequence[str], int]],
        wilds: Sequence[str] = (),
        *,
        table: tuple[int, int, int],
        can_drop: bool = False,
        can_reshuffle: bool = False,
        mark: int | None = None,
    ) -> None:
        self.kinds = (*(card for card in cards if card not in wilds), *wilds)
        self.number = {card: number for number, card in enumerate(self.kinds)}
        self.first_wild = len(self.kinds) - len(wilds)
        self.bits = [1 << number for number in range(len(self.kinds))]
        self.all_wilds = sum(self.bits[self.first_wild :])
        self.programs = tuple(programs)
        self.program_number = {program: number for number, program in enumerate(self.programs)}
        self.needs = [
            tuple(self.number[card] for card in needed) for needed, _ in programs.values()
        ]
        self.masks = [sum(self.bits[card] for card in needed) for needed in self.needs]
        self.points = [points for _, points in programs.values()]
        self.whole = sum(self.points)
        self.pages, self.stage, self.hand = table
        self.can_drop = can_drop
        self.can_reshuffle = can_reshuffle
        self.mark = mark
        self.outlooks: dict[tuple[tuple[int, ...], tuple[int, ...]], Outlook] = {}

    def outlook(self, pages: tuple[int, ...], stack: tuple[int, ...]) -> Outlook:
        """Return what these pages, left to right, and this stack, next first, mean."""
        key = (pages, stack)
        found = self.outlooks.get(key)
        if found is None:
            if len(self.outlooks) >= MAX_OUTLOOKS:
                self.outlooks.clear()
            found = self.outlooks[key] = Outlook(self, pages, stack)
        return found


class Outlook:
    """What is still to be performed, and what that means for each card.

    `due`, `mates` and `weight` have one entry a card. `due` tells when it is needed next: `NOW` by an
    open page, `LATER` by a program of the stack, `NEVER` by none. `mates` are the cards that it is
    needed together with then, as bits. `weight` says how much it matters to have it; a wild is of use
    at any time. `open` has the required cards, as bits, and the place of each page; `late` is one more
    than the programs of the stack.
    """

    __slots__ = ("_after", "due", "late", "lore", "mates", "open", "pages", "stack", "weight")

    def __init__(self, lore: Lore, pages: tuple[int, ...], stack: tuple[int, ...]) -> None:
        self.lore = lore
        self.pages = pages
        self.stack = stack
        self.late = len(stack) + 1
        self.open = [(lore.masks[program], at) for at, program in enumerate(pages)]
        wilds = len(lore.kinds) - lore.first_wild
        self.due = [NEVER] * lore.first_wild + [NOW] * wilds
        self.mates = [0] * len(lore.kinds)
        wanted = [0] * len(lore.kinds)
        for programs, time in ((pages, NOW), (stack, LATER)):
            for program in programs:
                for card in lore.needs[program]:
                    wanted[card] += 1
                    if self.due[card] >= time:
                        self.due[card] = time
                        self.mates[card] |= lore.masks[program] & ~lore.bits[card]
        urgency = {NOW: 1.0, LATER: FORESIGHT, NEVER: 0.0}
        self.weight = [
            urgency[due] * (1 + OFTEN * max(0, often - 1))
            for due, often in zip(self.due, wanted, strict=True)
        ]
        self._after: list[Outlook | None] = [None] * len(pages)

    def without(self, at: int) -> Outlook:
        """Return the outlook when the page at `at` has left and the next is open (EN-29)."""
        after = self._after[at]
        if after is None:
            pages = self.pages[:at] + self.pages[at + 1 :]
            if self.stack:
                after = self.lore.outlook((self.stack[0], *pages), self.stack[1:])
            else:
                after = self.lore.outlook(pages, ())
            self._after[at] = after
        return after


class Position:
    """Where a rehearsal stands. `deck` is imagined, or empty where nothing is to be flipped.

    The top of a pile, of the deck and of the discard is its last card; `flipped` is -1 where no card
    waits for its place.
    """

    __slots__ = (
        "deck",
        "discard",
        "dropped",
        "flipped",
        "hand",
        "lore",
        "outlook",
        "piles",
        "reshuffles",
        "total",
        "turn",
    )

    def __init__(self, lore: Lore, outlook: Outlook) -> None:
        self.lore = lore
        self.outlook = outlook
        self.piles: list[list[int]] = [[] for _ in range(lore.stage)]
        self.hand: list[int] = []
        self.deck: list[int] = []
        self.discard: list[int] = []
        self.flipped = -1
        self.total = 0
        self.turn = 0
        self.dropped = 0
        self.reshuffles = 0

    def copy(self) -> Position:
        """Return a position that can be changed apart from this one."""
        twin = Position.__new__(Position)
        twin.lore = self.lore
        twin.outlook = self.outlook
        twin.piles = [pile[:] for pile in self.piles]
        twin.hand = self.hand[:]
        twin.deck = self.deck[:]
        twin.discard = self.discard[:]
        twin.flipped = self.flipped
        twin.total = self.total
        twin.turn = self.turn
        twin.dropped = self.dropped
        twin.reshuffles = self.reshuffles
        return twin

    @property
    def succeeded(self) -> bool:
        """Whether the game, were it over, would be a success (EN-62, EN-63)."""
        if self.lore.mark is not None:
            return self.total >= self.lore.mark
        return not self.outlook.pages and not self.dropped

    def available(self) -> int:
        """Return the cards that a performance could use, as bits."""
        bits = self.lore.bits
        mask = 0
        for pile in self.piles:
            if pile:
                mask |= bits[pile[-1]]
        for card in self.hand:
            mask |= bits[card]
        return mask

    def performable(self) -> list[int]:
        """Return the places of the open pages that can be performed, wilds included."""
        mask = self.available()
        wilds = (mask & self.lore.all_wilds).bit_count()
        return [at for need, at in self.outlook.open if (need & ~mask).bit_count() <= wilds]

    # --- what may be done ------------------------------------------------------------------------

    def make(self, move: Move) -> None:
        """Make a move; not `next`, as it needs to know what is flipped."""
        kind, first, second = move
        match kind:
            case "stage":
                self.piles[first].append(self.flipped)
                self.flipped = -1
            case "take":
                self.hand.append(self.flipped)
                self.flipped = -1
            case "swap":
                self.piles[first].append(self.hand.pop(second))
                self.hand.append(self.flipped)
                self.flipped = -1
            case "perform":
                self._perform(first, second)
            case "drop":
                card = self.piles[first].pop()
                if card < self.lore.first_wild:
                    self.discard.append(card)
                self.dropped += 1
                self.outlook = self.outlook.without(len(self.outlook.pages) - 1)

    def _perform(self, at: int, sources: int) -> None:
        used = []
        for slot, pile in enumerate(self.piles):
            if sources >> slot & 1:
                used.append(pile.pop())
        held = sources // HELD
        if held:
            used += [card for number, card in enumerate(self.hand) if held >> number & 1]
            self.hand = [card for number, card in enumerate(self.hand) if not held >> number & 1]
        first_wild = self.lore.first_wild
        self.discard += [card for card in used if card < first_wild]
        self.total += self.lore.points[self.outlook.pages[at]]
        self.outlook = self.outlook.without(at)

    def reshuffle(self, rank: Sequence[int]) -> None:
        """Make the discard the new deck, in the order of ranks by card, the lowest on top."""
        self.deck = sorted(self.discard, key=rank.__getitem__, reverse=True)
        self.discard = []
        self.reshuffles += 1

    def flip(self) -> None:
        """Flip the next card."""
        self.flipped = self.deck.pop()
        self.turn += 1
