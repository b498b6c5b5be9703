"""Pairs of odoriko: cards exchanged that the viewer cannot see (`tests.properties.odoriko_pairs`)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from attrs import define
from kaguraden_rules.kernel import SeatId, Step, Viewer

from tests.properties.odoriko_pairs import Pair, make_pair
from tests.properties.odoriko_play import Player, Room, play, random_room

from .stage import Scene
from .twins import Beat, Opening, Steps, Timed

__all__ = ["make"]

PLOTS = 5  # of a game
LENGTH = (8, 24)  # beats
WINDOW_MIN_MS = 2_000  # so long that a sealed answer can come earlier or later in it
SOON_S = (0.01, 0.7)


def make(rng: random.Random) -> Iterator[_Plot]:
    """Yield some pairs of one random game."""
    room = random_room(rng)
    by_kind: dict[str, list[Any]] = {}
    for taken in list(play(room, rng))[:-1]:
        kinds = {decision.kind for decision in room.game.decisions(taken.state).values()}
        by_kind.setdefault(min(kinds, default=""), []).append(taken.state)
    viewers: list[Viewer] = [None, *(SeatId(seat) for seat in range(len(room.decks)))]
    for _ in range(PLOTS):
        state, viewer = rng.choice(by_kind[rng.choice(sorted(by_kind))]), rng.choice(viewers)
        other = make_pair(state, viewer, rng, room.game)
        if other is not None:
            yield _Plot.between(room, state, other, viewer, rng)


@define(eq=False)
class _Plot:
    viewer: Viewer
    opening: Opening
    pair: Pair
    player: Player
    left: int

    @classmethod
    def between(cls, room: Room, one: Any, two: Any, viewer: Viewer, rng: random.Random) -> _Plot:
        game = room.game
        # What the others are offered follows from their hands, so both positions ask anew.
        first, second = game.begin(one).state, game.begin(two).state
        standing = tuple(
            (seat, window.kind, "pass" if rng.random() < 0.5 else "ask")
            for seat in range(len(room.decks))
            for window in game.windows
            if rng.random() < 0.4
        )
        options: dict[str, Any] = {
            **game.format_options(room.options),
            "window_min_ms": WINDOW_MIN_MS,
        }
        seats = len(room.decks)
        opening = Opening(game, Step(first, ()), Step(second, ()), seats, options, standing)
        pair = Pair(viewer, first, second, game)
        return cls(viewer, opening, pair, Player.of(rng), rng.randint(*LENGTH))

    def next(self, one: Scene, two: Scene) -> Beat | None:
        self.left -= 1
        if self.left < 0 or one.table.outcome is not None:
            return None
        rng = self.player.rng
        chosen = self.pair.choose(self.player)
        if chosen is None:
            return None
        seat, first, second = chosen
        due = one.table.clocks.due()
        now = one.now
        if seat is None or first is None or second is None:
            return None if due is None else Beat(due[0] - now + 0.01)
        after = rng.uniform(*SOON_S)
        spare = self._spare_s(one, seat)
        if spare > 0 and seat != self.viewer:  # nobody may learn when it was answered
            first_at, second_at = rng.uniform(0, spare), rng.uniform(0, spare)
            lasts = max(first_at, second_at) + 0.001
            return Beat(lasts, (Timed(first_at, seat, first),), (Timed(second_at, seat, second),))
        return Beat(after, (Timed(0, seat, first),), (Timed(0, seat, second),))

    def _spare_s(self, scene: Scene, seat: SeatId) -> float:
        """Return for how long yet it is nobody's business when a seat answers."""
        decision = scene.table.game.decisions(scene.state)[seat]
        timer = next(
            (t for t in scene.table.clocks.timers if seat in t.wait.pending and t.wait.minimum),
            None,
        )
        if not decision.sealed or timer is None:
            return 0.0
        return max(0.0, timer.started + WINDOW_MIN_MS / 1000 - scene.now - 0.01)

    def shows(self, one: Steps, two: Steps) -> bool:
        # What follows on a step that shows where they differ may be another number of steps.
        if not all(self.pair.follow(a, b) for (_, a), (_, b) in zip(one, two, strict=False)):
            return True
        assert len(one) == len(two), "another number of steps"
        return False
