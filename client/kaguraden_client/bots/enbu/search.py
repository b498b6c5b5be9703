"""The player that searches: it tries its best-looking choices in imagined deals (EN-110).

What is still in the deck is known, its order is not. So each choice is tried in a number of shuffles
of those cards, and greedy plays each to its end (determinization with rollouts). All choices meet the
same shuffles, so that the luck of a deal does not count for one of them (common random numbers). The
better half of the choices is tried in as many more, until two are left (successive halving): most of
the time goes to telling the best ones apart.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from .judge import Judge
from .model import Move, Position

__all__ = ["CHOICES", "CLEAR", "DEALS", "Deal", "Search", "worth_of"]

CHOICES: Final = 8
DEALS: Final = 24
ORDERS: Final = 3  # reshuffles that a deal foresees; a further one begins again with the first
CLEAR: Final = 0.07  # what a drop must bring more than going on, in parts of the total of the book


class Deal:
    """An imagined order of the deck, and of what will be shuffled into it later (EN-71)."""

    __slots__ = ("deck", "ranks")

    def __init__(self, unseen: Sequence[int], kinds: int, rng: random.Random) -> None:
        self.deck = list(unseen)
        rng.shuffle(self.deck)
        self.ranks = [rng.sample(range(kinds), kinds) for _ in range(ORDERS)]


class Search:
    """Searches for one seat.

    Args:
        judge: Greedy's judgement, by which games are played out.
        rng: Where the imagined deals come from.
        choices: How many choices are tried.
        deals: In how many deals, each time.
    """

    def __init__(
        self, judge: Judge, rng: random.Random, choices: int = CHOICES, deals: int = DEALS
    ) -> None:
        self.judge = judge
        self.rng = rng
        self.choices = choices
        self.deals = deals

    def best(self, position: Position, moves: Sequence[Move], unseen: Sequence[int]) -> Move:
        """Return the move that does best; `moves` are in the order of how good they look."""
        left = list(moves[: self.choices])
        worth = dict.fromkeys(left, 0.0)
        kinds = len(position.lore.kinds)
        deals = 0
        while len(left) > 1:
            deals += self.deals
            for _ in range(self.deals):
                deal = Deal(unseen, kinds, self.rng)
                for move in left:
                    worth[move] += self.try_out(position, move, deal)
            price = CLEAR * deals
            left.sort(key=lambda m: worth[m] - price * (m[0] == "drop"), reverse=True)
            if len(left) == 2:
                break
            del left[(len(left) + 1) // 2 :]
        return left[0]

    def try_out(self, position: Position, move: Move, deal: Deal) -> float:
        """Return what comes of a move when greedy plays on from it in a deal."""
        twin = position.copy()
        twin.deck = deal.deck[:]
        if move[0] != "next":
            twin.make(move)
        else:
            if not twin.deck:
                twin.reshuffle(deal.ranks[0])
            twin.flip()
        self.judge.play_out(twin, deal.ranks)
        return worth_of(twin)


def worth_of(position: Position) -> float:
    """Return what a game that came out so is worth: the success, then the total."""
    return position.succeeded + position.total / position.lore.whole - 0.001 * position.dropped
