"""yumeochi for bots.

`lore` reads the cards by their data, `model` is a game for thinking, and `habits` how imagined
players play it. `read` makes a position of what a seat sees, `beliefs` says who may have which role,
`search` tries what the seat may do in imagined games, and `players` are the levels.
"""

from __future__ import annotations

from .beliefs import Belief, Evidence, worlds
from .habits import Habits
from .lore import Lore, Move, read_lore
from .model import Position, Ways
from .players import (
    Deducer,
    Greedy,
    Player,
    Random,
    by_table,
    deduce_player,
    greedy_player,
    random_player,
)
from .read import Reader, Sight, move_of
from .search import Search

__all__ = [
    "Belief",
    "Deducer",
    "Evidence",
    "Greedy",
    "Habits",
    "Lore",
    "Move",
    "Player",
    "Position",
    "Random",
    "Reader",
    "Search",
    "Sight",
    "Ways",
    "by_table",
    "deduce_player",
    "greedy_player",
    "move_of",
    "random_player",
    "read_lore",
    "worlds",
]
