"""The bot that plays anything: a random kind of option, then a random option of that kind.

By kind first, because a hand of four cards gives some forty ways to sell and one way to draw. In
enbu it goes on to the end: one choice in five would else be to give up.
"""

from __future__ import annotations

import random

from attrs import frozen
from kaguraden_protocol.messages import Decision

from ..table import Table
from . import enbu
from .policy import Catalog, Choice, any_value, usable

__all__ = ["RandomPolicy"]


@frozen
class RandomPolicy:
    """Answers at random, and never what it may not."""

    rng: random.Random

    def decide(self, table: Table, decision: Decision, catalog: Catalog) -> Choice | None:
        """Return a random answer, None if no option can be taken."""
        if table.view.get("game") == "enbu":
            answer = enbu.random_player(self.rng)(table.view, decision, catalog)
            return None if answer is None else Choice(*answer)
        options = usable(decision)
        if not options:
            return None
        kind = self.rng.choice(sorted({option.kind for option in options}))
        option = self.rng.choice([option for option in options if option.kind == kind])
        return Choice(option.id, any_value(option.value, self.rng))
