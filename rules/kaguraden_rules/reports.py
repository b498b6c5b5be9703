"""How what was found in a file of a host is told, be it of cards or a book (OD-188, EN-97)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kaguraden_rules.kernel import Text

__all__ = ["MAX_LINES", "counted", "first_lines", "shown"]

MAX_LINES: Final = 50  # told of one file; a file of another kind has thousands of faults
_SHOWN: Final = 40  # characters of what stands in a file; longer values are cut
_SHOWN_DIGITS: Final = 12
_HUGE: Final = 10**12


def first_lines(file: str, lines: Sequence[Text]) -> Iterator[Text]:
    """Yield the first MAX_LINES of what is to be told of a file, and how many more there are."""
    yield from lines[:MAX_LINES]
    if (more := len(lines) - MAX_LINES) > 0:
        yield Text(f"{file}: ほかに {more} 件", f"{file}: and {more} more")


def counted(n: int, word: str) -> str:
    """Return a number of things in English: `1 fault`, `2 faults`."""
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


def shown(value: object) -> str:
    """Write a value of a file so that it may be printed: short, and without control characters."""
    if isinstance(value, dict):
        return "{…}"
    if isinstance(value, list):
        return "[…]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and abs(value) >= _HUGE:
        return f"{value:#x}"[:_SHOWN_DIGITS] + "…"  # Python refuses to write thousands of decimals
    text = f'"{value}"' if isinstance(value, str) else str(value)
    text = "".join(c if c.isprintable() else "\ufffd" for c in text)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
