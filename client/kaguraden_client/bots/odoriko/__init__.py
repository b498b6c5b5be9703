"""odoriko for bots: what cards, boards and answers are worth.

`cards` knows the cards by their data, `board` what a position may score, `effects` what skills and
events do to it, and `look` what an answer is worth for all that. `strategy` thinks further: by how
the game may end, which `forecast` expects.
"""

from __future__ import annotations

from .board import Board, Judge, read_board
from .cards import FACES, RESOURCES, SUITS, Term, terms_of
from .look import Appraiser, Look
from .strategy import Strategist

__all__ = [
    "FACES",
    "RESOURCES",
    "SUITS",
    "Appraiser",
    "Board",
    "Judge",
    "Look",
    "Strategist",
    "Term",
    "read_board",
    "terms_of",
]
