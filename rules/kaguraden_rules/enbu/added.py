"""The books that a host adds, read together (EN-97, EN-99).

A file comes as its bytes: who reads it from a disk is not the rules' business. Each book has an id of
its own, which no other file and none of the game's books has; a book with faults keeps its id taken,
so that one run tells everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import frozen

from kaguraden_rules.enbu.book import Book
from kaguraden_rules.enbu.books import BOOKS
from kaguraden_rules.enbu.faults import Fault
from kaguraden_rules.enbu.reading import check_book
from kaguraden_rules.kernel import Text
from kaguraden_rules.reports import counted, first_lines
from kaguraden_rules.toml import read_toml

__all__ = ["CheckedBook", "check_books", "fault_line", "is_book"]


@frozen
class CheckedBook:
    """A book file and what was found in it; `book` is None where it has faults."""

    file: str
    book: Book | None
    faults: tuple[Fault, ...]
    warnings: tuple[Fault, ...]

    @property
    def lines(self) -> Iterator[Text]:
        """Say what was found, one line each, if it is not too much, and what the file is."""
        found = [fault_line(self.file, fault) for fault in (*self.faults, *self.warnings)]
        yield from first_lines(self.file, found)
        yield self.summary

    @property
    def summary(self) -> Text:
        """Say in a line what the file holds, or how many faults."""
        n, w = len(self.faults), len(self.warnings)
        noted_ja, noted_en = (f"、注意 {w} 件", f", {counted(w, 'warning')}") if w else ("", "")
        if self.book is None:
            return Text(
                f"{self.file}: 誤り {n} 件{noted_ja}",
                f"{self.file}: {counted(n, 'fault')}{noted_en}",
            )
        book, programs = self.book, len(self.book.programs)
        return Text(
            f"{self.file}: {book.id}「{book.name}」演目 {programs}、誤りなし{noted_ja}",
            f'{self.file}: {book.id} "{book.name}", {counted(programs, "program")}, '
            f"no faults{noted_en}",
        )


def fault_line(file: str, fault: Fault) -> Text:
    """Say a fault in a line, place first: `my.toml:7: E-SIZE table.pages: …`."""
    place = file if fault.line is None else f"{file}:{fault.line}"
    path = f" {fault.path}" if fault.path else ""
    start = f"{place}: {fault.code}{path}: "
    return Text(start + fault.ja, start + fault.en)


def check_books(files: Mapping[str, bytes]) -> tuple[CheckedBook, ...]:
    """Check book files; of two with the same id the later one is at fault.

    Args:
        files: What each holds, by the name to give in faults.
    """
    taken = set(BOOKS)
    checked: list[CheckedBook] = []
    for file, data in files.items():
        book, faults, warnings = check_book(data, taken=taken)
        checked.append(CheckedBook(file, book, faults, warnings))
        if book is not None:
            taken.add(book.id)
        elif isinstance(named := _table(data).get("id"), str):
            taken.add(named)
    return tuple(checked)


def is_book(data: bytes) -> bool:
    """Tell whether a file of a host is a book and no card set: it has a schema at its top (EN-95)."""
    return "schema" in _table(data)


def _table(data: bytes) -> Mapping[str, object]:
    try:
        return read_toml(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return {}
