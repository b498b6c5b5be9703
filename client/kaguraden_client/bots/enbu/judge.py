"""The hand-made judgement of enbu: what a placement costs, what to perform, what to give up.

A card on a pile waits until all above it have left, so a card must not lie on one that is due sooner
(`Outlook.due`: by an open page, later, or never). A placement is judged by what it spoils:

- It *blocks* the cards of the pile that are due sooner, and those that are due together with it; the
  more so the more they matter, less where they are blocked already, and more where no program
  requires the new card any more, as it would never leave.
- Where it blocks nothing it takes *room*: a free slot, or a pile of cards that nobody waits for, is
  best kept for a card that would block elsewhere.
- A card in the hand blocks nothing, but the hand is small.
- A card that completes an open page leaves at once, and is welcome wherever it does not cover the
  others of that page.

The stack is open, so one could foresee much more. This judgement does not tell the programs of the
stack apart, which makes it play about as greedy did when the books were made (EN-110), and a search
that plays games out by it as well as search did then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .model import HELD, NEVER, NOW, Move, Outlook, Position

__all__ = ["Judge"]

TOGETHER: Final = 2.0  # blocking what one of the same time needs, by blocking what is due sooner
AGAIN: Final = 0.22  # blocking what is blocked already
FOR_EVER: Final = 1.5  # blocking by a card that no program requires
ROOM: Final = 0.03  # of a free slot, for each program that is to come
HAND: Final = 0.88  # the last free place in the hand
HOLD: Final = 0.007  # to hold a card that is needed sooner than the one put out
WILD: Final = 0.8  # a wild on the stage, where others may come to lie on it
COMPLETE: Final = 1.15  # a page can be performed
LEAVES: Final = 0.3  # what it costs to lie where one leaves at once


class Judge:
    """Judges one step ahead."""

    # --- placing ---------------------------------------------------------------------------------

    def on(self, outlook: Outlook, pile: Sequence[int], card: int) -> float:
        """Return what it costs to lay a card on a pile."""
        due = outlook.due
        time = due[card]
        late = outlook.late
        if not pile:
            return ROOM * (late - time) if time < late else 0.0
        weight = outlook.weight
        blocked = 0.0
        above = -1
        first = late
        for other in reversed(pile):
            when = due[other]
            if when <= time and when != NEVER:
                add = weight[other]
                if when == time and (when == NOW or outlook.mates[card] & outlook.lore.bits[other]):
                    add *= TOGETHER
                blocked += add * AGAIN if above >= when else add
            if when > above:
                above = when
            if when < first:
                first = when
        if blocked:
            return blocked * FOR_EVER if time == NEVER else blocked
        return ROOM * (first - time) if time < first else 0.0

    def placements(self, position: Position) -> list[tuple[float, Move]]:
        """Return every way to place the flipped card with its cost."""
        outlook = position.outlook
        lore = position.lore
        bits = lore.bits
        first_wild = lore.first_wild
        card = position.flipped
        piles = position.piles
        hand = position.hand
        tops = [bits[pile[-1]] if pile else 0 for pile in piles]
        held = bits[card]
        for other in hand:
            held |= bits[other]
        needs = [need for need, _ in outlook.open if need & bits[card]]
        # The open pages that each slot's top is not needed for, with the card itself.
        completes = [False] * len(piles)
        if needs:
            for slot in range(len(piles)):
                mask = held
                for other_slot, top in enumerate(tops):
                    if other_slot != slot:
                        mask |= top
                completes[slot] = any(not need & ~mask for need in needs)
        result: list[tuple[float, Move]] = []
        for slot, pile in enumerate(piles):
            cost = self.on(outlook, pile, card)
            if completes[slot]:
                cost = cost * LEAVES - COMPLETE
            result.append((cost, ("stage", slot, 0)))
        if len(hand) < lore.hand:
            cost = HAND
            if needs:
                mask = held
                for top in tops:
                    mask |= top
                if any(not need & ~mask for need in needs):
                    cost = cost * LEAVES - COMPLETE
            result.append((cost, ("take", 0, 0)))
            return result
        due = outlook.due
        for at, other in enumerate(hand):
            if other == card:
                continue
            hold = HOLD * (min(due[other], 15) - min(due[card], 15))
            if other >= first_wild:
                hold += WILD
            if card >= first_wild:
                hold -= WILD
            for slot, pile in enumerate(piles):
                cost = self.on(outlook, pile, other)
                if completes[slot]:
                    cost = cost * LEAVES - COMPLETE
                result.append((cost + hold, ("swap", slot, at)))
        return result

    def place(self, position: Position) -> Move:
        """Return the cheapest placement."""
        return min(self.placements(position))[1]

    # --- acting ----------------------------------------------------------------------------------

    def sources(self, position: Position, at: int) -> tuple[int, int]:
        """Return what to perform a page with, and how many of that are wilds.

        Tops before hand cards, wilds only for what is missing.
        """
        lore = position.lore
        piles = position.piles
        hand = position.hand
        chosen = missing = 0
        for card in lore.needs[position.outlook.pages[at]]:
            for slot, pile in enumerate(piles):
                if pile and pile[-1] == card:
                    chosen |= 1 << slot
                    break
            else:
                if card in hand:
                    chosen |= HELD << hand.index(card)
                else:
                    missing += 1
        if missing:
            wilds = missing
            first_wild = lore.first_wild
            for slot, pile in enumerate(piles):
                if missing and pile and pile[-1] >= first_wild:
                    chosen |= 1 << slot
                    missing -= 1
            for number, card in enumerate(hand):
                if missing and card >= first_wild:
                    chosen |= HELD << number
                    missing -= 1
            return chosen, wilds
        return chosen, 0

    def performance(self, position: Position) -> Move | None:
        """Return what to perform: without wilds if it can be, then what is worth most."""
        points = position.lore.points
        pages = position.outlook.pages
        best: tuple[int, int, int, int] | None = None
        for at in position.performable():
            chosen, wilds = self.sources(position, at)
            key = (-wilds, points[pages[at]], at, chosen)
            if best is None or key > best:
                best = key
        return None if best is None else ("perform", best[2], best[3])

    def sacrifices(self, position: Position) -> list[Move]:
        """Return the drops there are, that of the top that lies worst first."""
        outlook = position.outlook.without(len(position.outlook.pages) - 1)
        first_wild = position.lore.first_wild
        drops = [
            (self.on(outlook, pile[:-1], pile[-1]) - (pile[-1] >= first_wild), -slot)
            for slot, pile in enumerate(position.piles)
            if pile
        ]
        drops.sort(reverse=True)
        return [("drop", -slot, 0) for _, slot in drops]

    # --- playing to the end ----------------------------------------------------------------------

    def play_out(self, position: Position, ranks: Sequence[Sequence[int]]) -> None:
        """Play to the end; `ranks` order the cards of a reshuffle, the lowest on top."""
        lore = position.lore
        while True:
            if position.flipped >= 0:
                position.make(self.place(position))
            while (move := self.performance(position)) is not None:
                position.make(move)
            if not position.outlook.pages:
                return
            if position.deck:
                position.flip()
            elif lore.can_reshuffle and position.discard:
                position.reshuffle(ranks[position.reshuffles % len(ranks)])
                position.flip()
            elif lore.can_drop and (drops := self.sacrifices(position)):
                position.make(drops[0])
            else:
                return
