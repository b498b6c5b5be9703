"""The bot that plans: it plays for how the game may end, not for what is worth most at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from . import odoriko
from .greedy import Appraiser, GreedyPolicy

__all__ = ["HeuristicPolicy"]


class HeuristicPolicy(GreedyPolicy):
    """Answers with what brings it nearest to winning; games that it does not know as greedy does."""

    appraisers: ClassVar[Mapping[str, Callable[[], Appraiser]]] = {
        "odoriko": lambda: odoriko.Appraiser(odoriko.Strategist)
    }
