"""What may not stand in a text for people that a stranger wrote: it would spoil a line of a table."""

from __future__ import annotations

import itertools
import unicodedata
from typing import Final

__all__ = ["MAX_MARKS", "has_unprintable", "has_visible", "longest_run_of_marks"]

MAX_MARKS: Final = (
    4  # more than any script needs; piled up, they run into the lines above and below
)
_UNPRINTABLE: Final = frozenset({"Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"})
_BLANKS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0\U0001d159")  # called letters or symbols


def has_unprintable(text: str) -> bool:
    """Whether there are control, format or line characters, or such that nobody has defined."""
    return any(unicodedata.category(c) in _UNPRINTABLE for c in text)


def has_visible(text: str) -> bool:
    """Whether something is to be seen of a character by itself: no space, no mark."""
    return any(unicodedata.category(c)[0] in "LNPS" and c not in _BLANKS for c in text)


def longest_run_of_marks(text: str) -> int:
    """Return how many combining marks stand in a row at most."""
    kinds = itertools.groupby(unicodedata.category(character)[0] for character in text)
    return max((len(list(run)) for kind, run in kinds if kind == "M"), default=0)
