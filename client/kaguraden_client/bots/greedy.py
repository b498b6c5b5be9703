"""The bot that takes what is worth most at once, as far as its own view shows.

What an answer is worth is a matter of the game: an appraiser gives a worth to answers of a
decision. A game without an appraiser is played at random, but a pass is only taken where there is
nothing else.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from attrs import frozen
from kaguraden_protocol.messages import Decision

from ..table import Table
from . import odoriko
from .policy import Catalog, Choice, any_value, usable

__all__ = ["APPRAISERS", "Appraiser", "GreedyPolicy"]

Appraiser: TypeAlias = Callable[
    [Table, Decision, Catalog, random.Random], Sequence[tuple[float, Choice]]
]
"""Returns answers to a decision with their worth; an answer that does nothing is worth 0."""

APPRAISERS: Final[Mapping[str, Appraiser]] = {"odoriko": odoriko.appraise}


@frozen
class GreedyPolicy:
    """Answers with what is worth most; equal worths are decided by chance."""

    rng: random.Random

    def decide(self, table: Table, decision: Decision, catalog: Catalog) -> Choice | None:
        """Return the best answer, None if no option can be taken."""
        appraiser = APPRAISERS.get(str(table.view.get("game")), self._unknown_game)
        worths = appraiser(table, decision, catalog, self.rng)
        if not worths:
            return None
        best = max(worth for worth, _ in worths)
        return self.rng.choice([choice for worth, choice in worths if worth == best])

    def _unknown_game(
        self, _table: Table, decision: Decision, _catalog: Catalog, rng: random.Random
    ) -> list[tuple[float, Choice]]:
        return [
            (
                0.0 if option.id == decision.default else 1.0,
                Choice(option.id, any_value(option.value, rng)),
            )
            for option in usable(decision)
        ]
