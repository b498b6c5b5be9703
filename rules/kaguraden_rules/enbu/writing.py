"""The canonical text of a book (EN-96)."""

from __future__ import annotations

from collections.abc import Iterable

from kaguraden_rules.enbu.book import Book

__all__ = ["write_book"]


def write_book(book: Book) -> str:
    """Return a book as canonical TOML (EN-96).

    A valid name has neither quotes nor backslashes nor control characters (EN-97), so that it can
    be written as it is.
    """
    lines = [
        "schema = 1",
        f'id = "{book.id}"',
        f'family = "{book.family}"',
        f'name = "{book.name}"',
        "",
        "[table]",
        f"pages = {book.pages}",
        f"stage = {book.stage}",
        f"hand = {book.hand}",
        "",
        "[extra]",
        f"drop = {_bool(book.drop)}",
        f"reshuffle = {_bool(book.reshuffle)}",
        f"wild = {_bool(book.wild)}",
        "",
        "[goal]",
        f'kind = "{book.goal}"',
        *([] if book.pass_mark is None else [f"pass = {book.pass_mark}"]),
        "",
        "[cards]",
        *(f"{card} = {copies}" for card, copies in book.cards),
        "",
        "[programs]",
        f"first = {_list(book.first)}",
        f"rest = {_list(book.rest)}",
    ]
    return "\n".join(lines) + "\n"


def _bool(value: bool) -> str:
    return "true" if value else "false"


def _list(ids: Iterable[str]) -> str:
    return "[" + ", ".join(f'"{entry}"' for entry in ids) + "]"
