"""The fourteen books that come with the game (EN-8, EN-109), and all that reads and writes books."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from types import MappingProxyType
from typing import Final

from kaguraden_rules.enbu.book import Book
from kaguraden_rules.enbu.cards import CATALOGUE
from kaguraden_rules.enbu.faults import BadBook, Fault
from kaguraden_rules.enbu.payload import digest
from kaguraden_rules.enbu.reading import MAX_BYTES, check_book, read_book
from kaguraden_rules.enbu.writing import write_book

__all__ = [
    "BOOKS",
    "CATALOGUE",
    "MAX_BYTES",
    "BadBook",
    "Book",
    "Fault",
    "bound",
    "check_book",
    "digest",
    "read_book",
    "total",
    "write_book",
]

_OWN: Final = (
    *(f"kyu-{n}" for n in (3, 2, 1)),  # the third grade is the easiest
    *(f"kamiari-{n}" for n in range(1, 7)),
    *(f"dan-{n}" for n in range(1, 6)),
)


def _own_books() -> Mapping[str, Book]:
    folder = resources.files("kaguraden_rules.enbu").joinpath("packs", "books")
    books: dict[str, Book] = {}
    for name in _OWN:
        book = read_book(folder.joinpath(f"{name}.toml").read_bytes(), taken=books)
        books[book.id] = book
    return MappingProxyType(books)


def bound(book: Book) -> int:
    """Return the most turns that a game of this book can have (EN-68)."""
    sizes = [len(CATALOGUE.programs[program].cards) for program in book.programs]
    returned = sum(sizes) - min(sizes) if book.reshuffle else 0
    return len(book.deck) + returned


def total(book: Book) -> int:
    """Return the points of all programs of a book (EN-61)."""
    return sum(CATALOGUE.programs[program].points for program in book.programs)


BOOKS: Final = _own_books()
