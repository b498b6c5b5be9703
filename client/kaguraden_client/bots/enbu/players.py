"""The players of EN-110: who rehearses how.

A player answers from what its seat sees, the decision that is open and the catalog. It never undoes,
and it finishes only where nothing can be gained any more.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from kaguraden_protocol.messages import Decision, Option, Value

from ..policy import Catalog, usable
from .judge import Judge
from .model import HELD, Move, Position
from .read import Reader, move_of
from .search import Search

__all__ = [
    "Choose",
    "Greedy",
    "Novice",
    "Random",
    "Searcher",
    "greedy_player",
    "novice_player",
    "random_player",
    "search_player",
]

Choose: TypeAlias = Callable[[Mapping[str, Any], Decision, Catalog], "tuple[str, Value] | None"]
"""How the entry points of group `kaguraden.policies` answer: an option's id and its value."""

SHORT_OF: Final = ("undo", "finish")  # what is not looked at
NOVICE_SLIPS: Final = 0.25  # every fourth placement


class Greedy:
    """Makes what looks best one step ahead; performs what it can; drops only when stuck."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.judge = Judge()
        self.reader = Reader()

    def choose(
        self, view: Mapping[str, Any], decision: Decision, catalog: Catalog
    ) -> tuple[str, Value] | None:
        """Return the answer, None if no option can be taken."""
        options = [option for option in usable(decision) if option.kind not in SHORT_OF]
        if not options:
            return _any(decision)
        if len(options) == 1 and options[0].kind != "drop":
            return options[0].id, None
        try:
            position, unseen = self.reader.position(view, catalog)
            moves = {
                move: option
                for option in options
                if (move := move_of(option, position)) is not None
            }
            move = self.pick(position, moves, unseen)
        except (ValueError, LookupError, TypeError):  # a view that no rehearsal has
            return _any(decision)
        if move is None:
            return _end(decision)
        return moves[move].id, None

    def pick(
        self, position: Position, moves: Mapping[Move, Option], unseen: list[int]
    ) -> Move | None:
        """Return one of the moves, None to end the game because nothing can be gained."""
        if position.flipped >= 0:
            return self.place(position, moves, unseen)
        return self.act(position, moves, unseen)

    def place(
        self, position: Position, moves: Mapping[Move, Option], unseen: list[int]
    ) -> Move | None:
        """Return a placement."""
        del unseen
        return self.ranked(position, moves)[0]

    def ranked(self, position: Position, moves: Mapping[Move, Option]) -> list[Move]:
        """Return the placements offered, the best-looking first."""
        ranked = [move for _, move in sorted(self.judge.placements(position)) if move in moves]
        if not ranked:
            raise ValueError("no placement is offered")
        return ranked

    def act(
        self, position: Position, moves: Mapping[Move, Option], unseen: list[int]
    ) -> Move | None:
        """Perform if possible, else go on, else drop."""
        del unseen
        move = self.judge.performance(position)
        if move is not None and move in moves:
            return move
        for wanted in ("perform", "next"):
            for move in moves:
                if move[0] == wanted:
                    return move
        if _nothing_to_gain(position):
            return None
        for move in self.judge.sacrifices(position):
            if move in moves:
                return move
        raise ValueError("no move is offered")


class Novice(Greedy):
    """Plays as greedy does, but every fourth placement is random."""

    def place(
        self, position: Position, moves: Mapping[Move, Option], unseen: list[int]
    ) -> Move | None:
        """Return a placement."""
        if self.rng.random() < NOVICE_SLIPS:
            return self.rng.choice(list(moves))
        return super().place(position, moves, unseen)


class Random(Greedy):
    """Does anything; drops only when nothing else is left."""

    def choose(
        self, view: Mapping[str, Any], decision: Decision, catalog: Catalog
    ) -> tuple[str, Value] | None:
        """Return the answer, None if no option can be taken."""
        options = [option for option in usable(decision) if option.kind not in SHORT_OF]
        kept = [option for option in options if option.kind != "drop"] or options
        if not kept:
            return _any(decision)
        return self.rng.choice(kept).id, None


class Searcher(Greedy):
    """Tries what looks best in imagined deals before it answers."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.search = Search(self.judge, rng)

    def place(
        self, position: Position, moves: Mapping[Move, Option], unseen: list[int]
    ) -> Move | None:
        """Return a placement."""
        unlike: dict[object, Move] = {}
        for move in self.ranked(position, moves):  # piles of the same cards are one choice
            kind, slot, held = move
            pile = None if kind == "take" else tuple(position.piles[slot])
            unlike.setdefault((kind, held, pile), move)
        return self.search.best(position, list(unlike.values()), unseen)

    def act(
        self, position: Position, moves: Mapping[Move, Option], unseen: list[int]
    ) -> Move | None:
        """Perform, go on or drop."""
        drops = self.judge.sacrifices(position)
        others = [move for move in moves if move[0] == "perform"]
        others.sort(key=lambda move: _wilds_in(position, move))
        if ("next", 0, 0) in moves:
            others = [*others[: self.search.choices - 1], ("next", 0, 0)]
        if not others and _nothing_to_gain(position):
            return None
        if not others or position.lore.mark is not None:
            others += [move for move in drops if move in moves]
        if not others:
            raise ValueError("no move is offered")
        return self.search.best(position, others, unseen)


def _wilds_in(position: Position, move: Move) -> int:
    """Return how many wilds a performance uses up."""
    sources = move[2]
    first_wild = position.lore.first_wild
    tops = sum(
        1
        for slot, pile in enumerate(position.piles)
        if sources >> slot & 1 and pile[-1] >= first_wild
    )
    return tops + sum(
        1
        for number, card in enumerate(position.hand)
        if sources // HELD >> number & 1 and card >= first_wild
    )


def _nothing_to_gain(position: Position) -> bool:
    """Tell whether the only way on is to drop the last program."""
    return len(position.outlook.pages) + len(position.outlook.stack) <= 1


def _any(decision: Decision) -> tuple[str, Value] | None:
    return (decision.default, None) if usable(decision) else None


def _end(decision: Decision) -> tuple[str, Value] | None:
    for option in usable(decision):
        if option.kind == "finish":
            return option.id, None
    return _any(decision)


def random_player(rng: random.Random) -> Choose:
    """Return a player that does anything. An entry point of group `kaguraden.policies`."""
    return Random(rng).choose


def novice_player(rng: random.Random) -> Choose:
    """Return a player that slips. An entry point of group `kaguraden.policies`."""
    return Novice(rng).choose


def greedy_player(rng: random.Random) -> Choose:
    """Return a player that looks one step ahead. An entry point of group `kaguraden.policies`."""
    return Greedy(rng).choose


def search_player(rng: random.Random) -> Choose:
    """Return a player that tries ahead. An entry point of group `kaguraden.policies`."""
    return Searcher(rng).choose
