"""How many games the properties play.

`make test` plays what each property names. `KAGURADEN_GAMES=N` multiplies every number by N, for
the long runs; the seeds are new in each run, so a long run is not the short one over again.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from hypothesis import HealthCheck, Phase, settings

__all__ = ["games"]

T = TypeVar("T")


def games(number: int) -> Callable[[T], T]:
    """Return hypothesis settings for a property that plays a whole game for each example.

    A game is named by one number, which nothing would be gained by shrinking.
    """
    scale = int(os.environ.get("KAGURADEN_GAMES", "1"))
    return settings(
        max_examples=number * scale,
        deadline=None,
        phases=(Phase.explicit, Phase.reuse, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
