"""What a pair needs from a game: two openings that somebody cannot tell apart, and how to go on.

Each game has a module `twins_<game>` here with a function `make(rng, number)` that returns the
`Plots` of one random game; a game is known by that module being there.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from attrs import field, frozen
from kaguraden_rules.kernel import Answer, Game, Input, SeatId, Step, Viewer

from .stage import Scene

__all__ = ["GAMES", "Beat", "Leak", "Opening", "Plot", "Timed", "plots_of"]

_PREFIX = "twins_"
GAMES = tuple(sorted(p.stem[len(_PREFIX) :] for p in Path(__file__).parent.glob(f"{_PREFIX}*.py")))

Steps = Sequence[tuple[Input, Step[Any]]]


class Leak(AssertionError):
    """Somebody was sent what depends on a thing that it may not know."""


@frozen
class Opening:
    """How both games begin."""

    game: Game[Any, Any]
    one: Step[Any]
    two: Step[Any]
    seats: int
    options: dict[str, Any]
    standing: tuple[tuple[int, str, str], ...] = ()


@frozen
class Timed:
    """An answer of a seat, so many seconds after the beat begins."""

    after: float
    seat: SeatId
    answer: Answer


@frozen
class Beat:
    """What is done in both houses, and how long it takes; what is sent is compared afterwards."""

    lasts: float
    one: tuple[Timed, ...] = ()
    two: tuple[Timed, ...] = field(factory=tuple)


class Plot(Protocol):
    """A pair in play."""

    viewer: Viewer  # who cannot tell them apart; spectators and outsiders cannot, either
    opening: Opening

    def next(self, one: Scene, two: Scene) -> Beat | None:
        """Return what comes next; None when the pair is over."""

    def shows(self, one: Steps, two: Steps) -> bool:
        """Tell whether these steps rightly show where the games differ: the pair is over then.

        Raises:
            AssertionError: They show it, and not rightly.
        """


def plots_of(game: str, seed: int) -> Iterable[Plot]:
    """Return the pairs of one random game."""
    module = importlib.import_module(f"{__package__}.{_PREFIX}{game}")
    plots: Iterable[Plot] = module.make(random.Random(seed))
    return plots
