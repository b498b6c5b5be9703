"""Pairs of yumeochi: cards and roles exchanged that the viewer cannot see.

(`tests.properties.yumeochi_pairs`.)
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from attrs import define, evolve
from kaguraden_rules.kernel import Answer, Game, SeatId, Step, Viewer
from kaguraden_rules.yumeochi.state import State

from tests.properties.yumeochi_pairs import Pair, make_pair
from tests.properties.yumeochi_play import SEATS, YUMEOCHI, Player, lives, play, random_room

from .stage import Scene
from .twins import Beat, Opening, Steps, Timed

__all__ = ["make"]

PLOTS = 5  # of a game
LENGTH = (8, 24)  # beats
SOON_S = (0.01, 0.7)


def make(rng: random.Random) -> Iterator[_Plot]:
    """Yield some pairs of one random game."""
    cards = YUMEOCHI.sets[rng.choice(sorted(YUMEOCHI.sets))]
    states = [taken.state for taken in play(random_room(rng, cards), rng)][:-1]
    by_phase: dict[str, list[State]] = {}
    for state in states:
        by_phase.setdefault(state.phase.value, []).append(state)
    for _ in range(PLOTS if by_phase else 0):
        state = rng.choice(by_phase[rng.choice(sorted(by_phase))])
        viewer: Viewer = rng.choice((None, *SEATS))
        made = make_pair(state, viewer, rng)
        if made is not None:
            one, two = [
                YUMEOCHI.begin(evolve(position, decisions=())).state
                for position in (state, made[0])
            ]
            yield _Plot.of(_Twin(viewer, one, two, made[1]), rng)


class _Twin(Pair):
    """A pair that rooms play on."""

    def choose(self, player: Player) -> tuple[SeatId, Answer, Answer] | None:
        """Return who answers, and what in either game; None to let time pass."""
        one, two = YUMEOCHI.decisions(self.one), YUMEOCHI.decisions(self.two)
        seat = player.rng.choice(sorted(one))
        common = list(self._common(seat, one[seat], two[seat]))
        options = tuple(a for a, _ in common)
        choice = (
            player.choose(evolve(one[seat], options=options), lives(self.one)) if common else None
        )
        if choice is None:
            return None
        other = next(b for a, b in common if a is choice)
        return seat, Answer(one[seat].id, choice.id), Answer(two[seat].id, other.id)

    def follow(self, first: Step[State], second: Step[State]) -> bool:
        """Go on to a step of each game; False when it rightly showed where they differ."""
        self.one, self.two = first.state, second.state
        if not self._reveals(first.events, second.events):
            self._compare(first.events, second.events)
        return self.revealed_by is None


@define(eq=False)
class _Plot:
    viewer: Viewer
    opening: Opening
    twin: _Twin
    player: Player
    left: int

    @classmethod
    def of(cls, twin: _Twin, rng: random.Random) -> _Plot:
        game: Game[Any, Any] = YUMEOCHI
        options = game.format_options(twin.one.options)
        one, two = Step(twin.one, ()), Step(twin.two, ())
        opening = Opening(game, one, two, len(SEATS), options)
        player = Player.of(rng)
        player.silence = rng.choice((0.0, 0.0, 0.1))
        return cls(twin.viewer, opening, twin, player, rng.randint(*LENGTH))

    def next(self, one: Scene, two: Scene) -> Beat | None:
        self.left -= 1
        if self.left < 0 or not one.table.game.decisions(one.state):
            return None
        chosen = self.twin.choose(self.player)
        if chosen is None:
            due = one.table.clocks.due()
            return None if due is None else Beat(due[0] - one.now + 0.01)
        seat, first, second = chosen
        lasts = self.player.rng.uniform(*SOON_S)
        return Beat(lasts, (Timed(0, seat, first),), (Timed(0, seat, second),))

    def shows(self, one: Steps, two: Steps) -> bool:
        assert len(one) == len(two), "another number of steps"
        return not all(self.twin.follow(a, b) for (_, a), (_, b) in zip(one, two, strict=True))
