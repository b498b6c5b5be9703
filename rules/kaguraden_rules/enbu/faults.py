"""What is said about a book or a catalogue that is not right (EN-97)."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

__all__ = ["BadBook", "Fault", "shown"]

_SHOWN = 40  # characters of what stands in a file; longer values are cut
_SHOWN_DIGITS = 12
_HUGE = 10**12


@frozen
class Fault:
    """One fault, or one warning where `code` starts with W: where it is and what would be right."""

    code: str
    path: str  # programs.rest[2]; "" for the whole file
    ja: str
    en: str
    line: int | None = None  # from 1, where known

    @property
    def is_warning(self) -> bool:
        """Whether the book may be played all the same."""
        return self.code.startswith("W-")


class BadBook(Exception):
    """A book or a catalogue with faults; it cannot be used. `warnings` were found besides."""

    def __init__(self, faults: Iterable[Fault], warnings: Iterable[Fault] = ()) -> None:
        self.faults = tuple(faults)
        self.warnings = tuple(warnings)
        super().__init__("; ".join(f"{f.code} {f.path}: {f.en}" for f in self.faults))


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
