"""The player that deduces: it plays what it might do out in imagined games (YU-109).

Who has which role is drawn by what the seat believes, every other hidden card evenly from those that
it has not seen. The imagined players play by habit. All choices meet the same draws, and the better
half of them is tried in as many more, until two are left. As so few games are noisy, what a choice
looks worth beforehand counts like some games of their own.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Final, NamedTuple, TypeVar

from .beliefs import Evidence, worlds
from .habits import Habits
from .lore import SEATS, Lore, Move
from .model import Position
from .outlook import chances
from .read import Sight

__all__ = ["Search"]

T = TypeVar("T")

DREAM: Final = 0.1  # what a rematch is worth
STAR: Final = 0.06  # of a win, a star of what looks worth
LOOKS: Final = 4  # draws for that
TRUST: Final = 6.0  # games that the look counts for
JUDGED: Final = 4  # turns that it takes to begin and to judge an imagined game
LATE: Final = 11  # from this hour on games are played to their end


class Mood(NamedTuple):
    """What a seat believes at a decision.

    `bounds` are the weights of the deals, added up; `likely[seat][role]` is how likely a seat has a
    role, and `guessed` how likely others have guessed the own one.
    """

    deals: list[tuple[int, ...]]
    bounds: list[float]
    likely: list[list[float]]
    guessed: float


class Search:
    """Tries choices for one seat.

    Args:
        turns: How many imagined turns may be spent on a decision.
        choices: How many choices are tried.
        ahead: How many phases after the running one are played out.
    """

    def __init__(
        self, lore: Lore, rng: random.Random, turns: int = 1000, choices: int = 8, ahead: int = 1
    ) -> None:
        self.lore = lore
        self.rng = rng
        self.turns = turns
        self.choices = choices
        self.ahead = ahead
        self.trust = TRUST
        self.habits = Habits(lore, rng)
        self.watcher = Habits(lore, rng)  # knows nobody
        self.evidence = Evidence(lore, self.watcher)

    def believe(self, sight: Sight) -> Mood:
        """Return what the seat believes, and how far others may have guessed its own role."""
        p, lore, me = sight.position, sight.position.lore, sight.me
        known = {seat: p.role[seat] for seat in SEATS if p.role[seat] >= 0} | sight.roles
        belief = worlds(lore, known, self.evidence)
        public = {seat: p.role[seat] for seat in SEATS if p.shown[seat]}
        likely = [
            [belief.chance(seat, role.number) for role in lore.roles] if seat != me else []
            for seat in SEATS
        ]
        guessed = (
            1.0 if me in public else worlds(lore, public, self.evidence).chance(me, p.role[me])
        )
        return Mood(belief.deals, list(accumulate(belief.weights)), likely, guessed)

    def looks(self, sight: Sight, moves: Sequence[Move]) -> list[float]:
        """Return what moves look worth, on average over some draws."""
        mood = self.believe(sight)
        looks = [0.0] * len(moves)
        for _ in range(LOOKS):
            p = self.draw(sight, mood)
            w = self.habits.wants(p, sight.me)
            for at, move in enumerate(moves):
                looks[at] += self.habits.move_worth(p, sight.me, w, move) / LOOKS
        return looks

    def draw(self, sight: Sight, mood: Mood) -> Position:
        """Return an imagined position, and settle who takes whose role for granted in it."""
        chance = self.rng.random
        at = bisect(mood.bounds, chance() * mood.bounds[-1])
        deal = mood.deals[min(at, len(mood.deals) - 1)]
        p = sight.imagine(self.rng, deal)
        me = sight.me
        for seat, knows in enumerate(self.habits.knows):
            for other in SEATS:
                likely = mood.guessed if other == me else mood.likely[other][deal[other]]
                knows[other] = seat != other and chance() < likely
        return p

    def best(
        self,
        sight: Sight,
        choices: Sequence[T],
        looks: Sequence[float],
        start: Callable[[Position, T], None],
        keep: Sequence[int] = (),
    ) -> T:
        """Return the choice that does best.

        Args:
            sight: What the seat sees.
            choices: What it may do.
            looks: What each looks worth beforehand, in stars.
            start: Makes a choice in an imagined position.
            keep: What is tried however it looks, by the places in `choices`.
        """
        order = sorted(range(len(choices)), key=lambda at: (at not in keep, -looks[at]))
        order = order[: self.choices]
        mood = self.believe(sight)
        left = order
        wins = dict.fromkeys(left, 0.0)
        tried = 0
        hour = sight.position.hour
        last = min(12, hour + self.ahead) if hour < LATE else 12
        turns = 4 * (last - hour) + 4 - sight.position.at + JUDGED
        games = max(8 * len(left), self.turns // turns)
        rounds = max(1, (len(left) - 1).bit_length())
        while len(left) > 1:
            deals = max(2, games // (rounds * len(left)))
            tried += deals
            for _ in range(deals):
                world = self.draw(sight, mood)
                for at in left:
                    twin = world.copy()
                    start(twin, choices[at])
                    self.habits.play_out(twin, last)
                    wins[at] += self.value(twin, sight.me)
            left.sort(key=lambda at: -(wins[at] + self.trust * STAR * looks[at]))
            if len(left) == 2:
                break
            del left[(len(left) + 1) // 2 :]
        return choices[left[0]]

    def value(self, p: Position, me: int) -> float:
        """Return what the end of a game is worth to a seat."""
        winners = p.winners
        if winners is None:
            return chances(p)[me]
        if not winners:
            return DREAM
        return 1 / len(winners) if me in winners else 0.0
