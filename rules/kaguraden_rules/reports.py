"""How what was found in a file of a host is told, be it of cards or a book (OD-188, EN-97)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kaguraden_rules.kernel import Text

__all__ = ["MAX_LINES", "counted", "first_lines"]

MAX_LINES: Final = 50  # told of one file; a file of another kind has thousands of faults


def first_lines(file: str, lines: Sequence[Text]) -> Iterator[Text]:
    """Yield the first MAX_LINES of what is to be told of a file, and how many more there are."""
    yield from lines[:MAX_LINES]
    if (more := len(lines) - MAX_LINES) > 0:
        yield Text(f"{file}: ほかに {more} 件", f"{file}: and {more} more")


def counted(n: int, word: str) -> str:
    """Return a number of things in English: `1 fault`, `2 faults`."""
    return f"{n} {word}" if n == 1 else f"{n} {word}s"
