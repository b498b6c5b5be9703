"""Pairs of enbu: other cards to come, and rivals who play otherwise ahead of who looks on.

(EN-118, EN-120; `tests.properties.enbu_pairs`.)
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from attrs import define, evolve
from kaguraden_rules.kernel import Answer, Decision, Game, SeatId, Step, Viewer

from tests.properties.enbu_pairs import another_future, with_deck
from tests.properties.enbu_play import ENBU, Player, Room, play, random_room

from .stage import Scene
from .twins import Beat, Opening, Steps, Timed

__all__ = ["make"]

LENGTH = (15, 50)  # beats
ENDS_TURN = ("next", "finish")
LATE = 0.03  # how often turns are let run out
SOON_S = (0.01, 0.7)


def make(rng: random.Random) -> Iterator[_Plot]:
    """Yield the pair of one random game."""
    room = random_room(rng, rng.choice((1, 2, 3, 5)))
    room = evolve(room, options=evolve(room.options, is_daily=False))
    if room.seats == 1 or rng.random() < 0.3:
        yield from _cards_to_come(room, rng)
    else:
        yield _Race.of(room, rng)


def _opening(room: Room, one: Step[Any], two: Step[Any]) -> Opening:
    game: Game[Any, Any] = ENBU
    return Opening(game, one, two, room.seats, game.format_options(room.options))


def _cards_to_come(room: Room, rng: random.Random) -> Iterator[_Plot]:
    states = [taken.state for taken in play(room, rng)][:-1]
    state = rng.choice(states)
    other = another_future(state, rng)
    if other != state:
        yield _ToTheFlip(
            rng.choice([None, *(SeatId(seat) for seat in range(room.seats))]),
            _opening(room, Step(state, ()), Step(other, ())),
            rng,
            [Player(rng) for _ in range(room.seats)],
        )


@define(eq=False)
class _Plot:
    viewer: Viewer
    opening: Opening
    rng: random.Random
    players: list[Player]

    def next(self, one: Scene, two: Scene) -> Beat | None:
        raise NotImplementedError

    def shows(self, one: Steps, two: Steps) -> bool:
        return False

    def soon(self) -> float:
        return self.rng.uniform(*SOON_S)


@define(eq=False)
class _ToTheFlip(_Plot):
    """The same inputs until the next card is turned up."""

    def next(self, one: Scene, two: Scene) -> Beat | None:
        decisions = ENBU.decisions(one.state)
        if not decisions:
            return None
        due = one.table.clocks.due()
        if due is not None and self.rng.random() < LATE:
            return Beat(due[0] - one.now + 0.01)
        seat = self.rng.choice(sorted(decisions))
        decision = decisions[seat]
        answer = Answer(decision.id, self.players[seat].choose(decision))
        return Beat(self.soon(), (Timed(0, seat, answer),), (Timed(0, seat, answer),))

    def shows(self, one: Steps, two: Steps) -> bool:
        kinds = {event.kind for _, step in (*one, *two) for event in step.events}
        return bool(kinds & {"flip", "reveal"})


@define(eq=False)
class _Race(_Plot):
    """Rivals are beyond what is known here once they have closed `limit` turns.

    The viewer of a pair never closes more than these turns, and for watchers `slow` does not: then
    nobody who looks on may know what comes later, neither cards nor what others do with them.
    """

    limit: int
    slow: SeatId
    left: int
    paces: list[float]

    @classmethod
    def of(cls, room: Room, rng: random.Random) -> _Race:
        viewer: Viewer = rng.choice([None, *(SeatId(seat) for seat in range(room.seats))])
        slow = SeatId(rng.randrange(room.seats)) if viewer is None else viewer
        limit = rng.choice((0, 1, 1, 2, 3))
        keep = limit + (viewer is not None)  # a player sees its own flipped card
        return cls(
            viewer,
            _opening(room, room.open(), with_deck(room, keep, rng)),
            rng,
            [Player(rng) for _ in range(room.seats)],
            limit,
            slow,
            rng.randint(*LENGTH),
            [rng.choice((0.2, 1.0, 5.0)) for _ in range(room.seats)],
        )

    def next(self, one: Scene, two: Scene) -> Beat | None:
        self.left -= 1
        both = [ENBU.decisions(scene.state) for scene in (one, two)]
        asked = sorted(set(both[0]) | set(both[1]))
        if self.left < 0 or self.slow not in asked:
            return None
        lasts = self.soon()
        if self._is_beyond(one, self.slow):
            if self._left_s(one) < 2:
                return None
        elif self.rng.random() < LATE and (due := one.table.clocks.due()) is not None:
            lasts = due[0] - one.now + 0.01
            return Beat(lasts) if lasts < self._left_s(one) else None
        seat = self.rng.choices(asked, [self.paces[seat] for seat in asked])[0]
        if not self._is_beyond(one, seat):
            answer = self._answer(one, seat, both[0][seat])
            acts = () if answer is None else (Timed(0, seat, answer),)
            return Beat(lasts, acts, acts)
        if seat == self.viewer:
            answer = self._answer(one, seat, both[0][seat])
            acts = () if answer is None else (Timed(0, seat, answer),)
            return Beat(lasts, acts, acts)
        return Beat(lasts, self._stray(one, seat, lasts), self._stray(two, seat, lasts))

    def shows(self, one: Steps, two: Steps) -> bool:
        """Whether the slow one has ended: it then sees how far its rivals are (EN-83, EN-84)."""
        return any(step.state.racers[self.slow].is_over for _, step in (*one, *two))

    def _is_beyond(self, scene: Scene, seat: SeatId) -> bool:
        return len(scene.state.racers[seat].closed) >= self.limit

    def _left_s(self, scene: Scene) -> float:
        """Return how long the slow one's turn and the race can last yet."""
        ends = [t.ends for t in scene.table.clocks.timers if self.slow in t.wait.seats]
        return min(ends) - scene.now

    def _stray(self, scene: Scene, seat: SeatId, lasts: float) -> tuple[Timed, ...]:
        """Return what a rival does there; one thing at most, as its next decision is another."""
        decision = ENBU.decisions(scene.state).get(seat)
        if decision is None or self.rng.random() < 0.3:
            return ()
        answer = self._answer(scene, seat, decision)
        return () if answer is None else (Timed(self.rng.uniform(0, lasts), seat, answer),)

    def _answer(self, scene: Scene, seat: SeatId, decision: Decision) -> Answer | None:
        if seat != self.slow or not self._is_beyond(scene, seat):
            return Answer(decision.id, self.players[seat].choose(decision))
        stays = [
            option
            for option in decision.options
            if option.id not in ENDS_TURN and not self._ends(scene, seat, decision, option.id)
        ]
        if not stays:
            return None
        return Answer(decision.id, self.rng.choice(stays).id)

    def _ends(self, scene: Scene, seat: SeatId, decision: Decision, option: str) -> bool:
        racer = ENBU.act(scene.state, seat, Answer(decision.id, option)).state.racers[seat]
        return bool(racer.is_over)
