"""What is said about a book or a catalogue that is not right (EN-97)."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from kaguraden_rules.reports import shown

__all__ = ["BadBook", "Fault", "shown"]


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
