"""The bot that tries what it might do in imagined deals, where it knows how.

That takes a while, so it asks to think beside the event loop. Games that it cannot imagine it plays
as the bot that plans.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import ClassVar

from attrs import define

from ..table import Table
from . import enbu, yumeochi
from .heuristic import HeuristicPolicy
from .policy import Play, by_view

__all__ = ["SearchPolicy"]


@define
class SearchPolicy(HeuristicPolicy):
    """Answers with what came out best in imagined deals."""

    players: ClassVar[Mapping[str, Callable[[Random], Play]]] = {
        "enbu": lambda rng: by_view(enbu.search_player(rng)),
        "yumeochi": lambda rng: yumeochi.by_table(yumeochi.deduce_player(rng)),
    }

    def is_slow(self, table: Table) -> bool:
        """Tell whether an answer takes long enough to keep others waiting."""
        return table.view.get("game") in self.players
