"""The bot that takes what is worth most at once, as far as its own view shows.

What an answer is worth is a matter of the game: an appraiser gives a worth to answers of a
decision, or a player picks one outright. A game without either is played at random, but a pass is
only taken where there is nothing else.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, TypeAlias

from attrs import define, field
from kaguraden_protocol.messages import Decision

from ..table import Table
from . import enbu, odoriko, yumeochi
from .policy import Catalog, Choice, Play, any_value, by_view, usable

__all__ = ["Appraiser", "GreedyPolicy"]

Appraiser: TypeAlias = Callable[
    [Table, Decision, Catalog, random.Random], Sequence[tuple[float, Choice]]
]
"""Returns answers to a decision with their worth; an answer that does nothing is worth 0."""


def _unknown_game(
    _table: Table, decision: Decision, _catalog: Catalog, rng: random.Random
) -> list[tuple[float, Choice]]:
    return [
        (
            0.0 if option.id == decision.default else 1.0,
            Choice(option.id, any_value(option.value, rng)),
        )
        for option in usable(decision)
    ]


@define
class GreedyPolicy:
    """Answers with what is worth most; equal worths are decided by chance."""

    appraisers: ClassVar[Mapping[str, Callable[[], Appraiser]]] = {
        "odoriko": lambda: odoriko.Appraiser(odoriko.Look)
    }
    players: ClassVar[Mapping[str, Callable[[random.Random], Play]]] = {
        "enbu": lambda rng: by_view(enbu.greedy_player(rng)),
        "yumeochi": lambda rng: yumeochi.by_table(yumeochi.greedy_player(rng)),
    }

    rng: random.Random
    _made: dict[str, Appraiser] = field(factory=dict, init=False)
    _playing: dict[str, Play] = field(factory=dict, init=False)

    def decide(self, table: Table, decision: Decision, catalog: Catalog) -> Choice | None:
        """Return the best answer, None if no option can be taken."""
        game = str(table.view.get("game"))
        if game in self.players:
            if game not in self._playing:
                self._playing[game] = self.players[game](self.rng)
            answer = self._playing[game](table, decision, catalog)
            return None if answer is None else Choice(*answer)
        worths = self._appraiser(game)(table, decision, catalog, self.rng)
        if not worths:
            return None
        best = max(worth for worth, _ in worths)
        return self.rng.choice([choice for worth, choice in worths if worth == best])

    def _appraiser(self, game: str) -> Appraiser:
        if game not in self.appraisers:
            return _unknown_game
        if game not in self._made:
            self._made[game] = self.appraisers[game]()
        return self._made[game]
