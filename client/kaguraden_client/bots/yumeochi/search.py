"""The player that deduces: it plays what it might do out in imagined games (YU-109).

Who has which role is drawn by what the seat believes, every other hidden card evenly from those that
it has not seen. The imagined players play by habit. All choices meet the same draws, and the better
half of them is tried in as many more, until two are left. As so few games are noisy, what a choice
looks worth beforehand counts like some games of their own.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from .beliefs import Belief, Evidence, worlds
from .habits import Habits
from .lore import SEATS, Lore, Move
from .model import Position
from .read import Sight

__all__ = ["Search"]

T = TypeVar("T")

DREAM: Final = 0.1  # what a rematch is worth
STAR: Final = 0.06  # of a win, a star of what looks worth
LOOKS: Final = 4  # draws for that
TRUST: Final = 10.0  # games that the look counts for


class Search:
    """Tries choices for one seat.

    Args:
        turns: How many imagined turns may be spent on a decision.
        choices: How many choices are tried.
    """

    def __init__(self, lore: Lore, rng: random.Random, turns: int = 1600, choices: int = 8) -> None:
        self.lore = lore
        self.rng = rng
        self.turns = turns
        self.choices = choices
        self.habits = Habits(lore, rng)
        self.watcher = Habits(lore, rng)  # knows nobody
        self.evidence = Evidence(lore, self.watcher)

    def believe(self, sight: Sight) -> tuple[Belief, list[float]]:
        """Return what the seat believes, and how far each other seat has guessed its own role."""
        p, lore = sight.position, sight.position.lore
        known = {seat: p.role[seat] for seat in SEATS if p.role[seat] >= 0} | sight.roles
        belief = worlds(lore, known, self.evidence)
        public = {seat: p.role[seat] for seat in SEATS if p.shown[seat]}
        guessed = [0.0] * 4
        if sight.me in public:
            guessed = [1.0] * 4
        else:
            chance = worlds(lore, public, self.evidence).chance(sight.me, p.role[sight.me])
            guessed = [chance] * 4
        return belief, guessed

    def looks(self, sight: Sight, moves: Sequence[Move]) -> list[float]:
        """Return what moves look worth, on average over some draws."""
        belief, guessed = self.believe(sight)
        looks = [0.0] * len(moves)
        for _ in range(LOOKS):
            p = self.draw(sight, belief, guessed)
            w = self.habits.wants(p, sight.me)
            for at, move in enumerate(moves):
                looks[at] += self.habits.move_worth(p, sight.me, w, move) / LOOKS
        return looks

    def draw(self, sight: Sight, belief: Belief, guessed: Sequence[float]) -> Position:
        """Return an imagined position, and settle who takes whose role for granted in it."""
        chance = self.rng.random
        deal = self.rng.choices(belief.deals, belief.weights)[0]
        p = sight.imagine(self.rng, deal)
        me = sight.me
        for seat in SEATS:
            for other in SEATS:
                if other == me:
                    likely = guessed[seat]
                elif seat == other:
                    likely = 0.0
                else:
                    likely = belief.chance(other, deal[other])
                self.habits.knows[seat][other] = chance() < likely
        return p

    def best(
        self,
        sight: Sight,
        choices: Sequence[T],
        looks: Sequence[float],
        start: Callable[[Position, T], None],
    ) -> T:
        """Return the choice that does best.

        Args:
            sight: What the seat sees.
            choices: What it may do.
            looks: What each looks worth beforehand, in stars.
            start: Makes a choice in an imagined position.
        """
        order = sorted(range(len(choices)), key=lambda at: -looks[at])[: self.choices]
        belief, guessed = self.believe(sight)
        left = order
        wins = dict.fromkeys(left, 0.0)
        tried = 0
        ahead = max(8, 4 * (12 - sight.position.hour) + 4 - sight.position.at)
        games = max(8 * len(left), self.turns // ahead)
        rounds = max(1, (len(left) - 1).bit_length())
        while len(left) > 1:
            deals = max(2, games // (rounds * len(left)))
            tried += deals
            for _ in range(deals):
                world = self.draw(sight, belief, guessed)
                for at in left:
                    twin = world.copy()
                    start(twin, choices[at])
                    self.habits.play_out(twin)
                    wins[at] += self.value(twin, sight.me)
            left.sort(key=lambda at: -(wins[at] + TRUST * STAR * looks[at]))
            if len(left) == 2:
                break
            del left[(len(left) + 1) // 2 :]
        return choices[left[0]]

    def value(self, p: Position, me: int) -> float:
        """Return what the end of a game is worth to a seat."""
        winners = p.winners
        if not winners:
            return DREAM
        return 1 / len(winners) if me in winners else 0.0
