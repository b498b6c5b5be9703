"""enbu for bots: a small model of a rehearsal, a judgement of positions, and players that use both.

`model` is the rehearsal, `read` makes one from a view, `judge` looks one step ahead, `search` plays
imagined deals to their end, and `players` are who rehearses.
"""

from __future__ import annotations

from .judge import Judge
from .model import Lore, Move, Outlook, Position
from .players import Choose, greedy_player, novice_player, random_player, search_player
from .read import Reader, move_of
from .search import Search

__all__ = [
    "Choose",
    "Judge",
    "Lore",
    "Move",
    "Outlook",
    "Position",
    "Reader",
    "Search",
    "greedy_player",
    "move_of",
    "novice_player",
    "random_player",
    "search_player",
]
