"""Files of one's own books of enbu: TOML in the user's data folder, `books/NAME.toml`.

They are written in the canonical form (EN-96), so `kaguraden books` and a server's `--packs` read
them too. A book in the making may have faults; the file keeps them.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ..reading import Json, as_dict, as_int, as_list, as_str, as_texts, has_int
from . import book_words  # noqa: F401 - adds its words
from .book_codes import book_id
from .book_rules import all_cards, all_programs
from .books import Book
from .deck_files import BadDeckFile, file_name
from .memory import data_dir
from .painters import Catalog
from .text import clean

__all__ = [
    "BadBookFile",
    "books_dir",
    "delete_book",
    "find_book",
    "format_book",
    "free_stem",
    "parse_book",
    "read_book",
    "saved_books",
    "write_book",
]

_MAX_BYTES: Final = 8 * 1024  # EN-97


class BadBookFile(BadDeckFile):
    """A file that cannot be used as a book: a key of `words` and what to fill in."""


def books_dir() -> Path:
    """Return the folder of the user's books."""
    return data_dir() / "books"


def saved_books(folder: Path | None = None) -> list[str]:
    """Return the names of the files of the user's books."""
    try:
        return [path.stem for path in sorted((folder or books_dir()).glob("*.toml"))]
    except OSError:
        return []


def find_book(what: str, folder: Path | None = None) -> Path | None:
    """Return the file that is meant by a path or by the name of a saved book, if there is one."""
    path = Path(what).expanduser()
    with contextlib.suppress(OSError):
        if path.is_file():
            return path
    with contextlib.suppress(BadDeckFile, OSError):
        saved = (folder or books_dir()) / f"{file_name(what.removesuffix('.toml'))}.toml"
        if saved.is_file():
            return saved
    return None


def free_stem(name: str, folder: Path | None = None) -> str:
    """Return a name for the file of a book of this name that no saved book has.

    Raises:
        BadBookFile: No file can have that name.
    """
    try:
        stem = first = file_name(name)
    except BadDeckFile:
        raise BadBookFile("book.file.name", what=name) from None
    taken = {saved.casefold() for saved in saved_books(folder)}
    number = 2
    while stem.casefold() in taken:
        stem, number = f"{first}-{number}", number + 1
    return stem


def read_book(path: Path) -> Book:
    """Return the book of a file.

    Raises:
        BadBookFile: It cannot be read, or is no book.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise BadBookFile("book.file.unreadable", path=path, why=error.strerror or error) from None
    if len(data) > _MAX_BYTES:
        raise BadBookFile("book.file.big", path=path)
    try:
        return parse_book(data.decode("utf-8-sig"), str(path))
    except UnicodeDecodeError:
        raise BadBookFile("book.file.toml", path=path, why="UTF-8") from None


def parse_book(text: str, path: str) -> Book:
    """Return the book of a file's text; its id and family are not kept (EN-103).

    Raises:
        BadBookFile: It is no book; `path` is named in what it says.
    """
    try:
        told = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadBookFile("book.file.toml", path=path, why=error) from None
    for name, kind in (("name", str), ("table", dict), ("extra", dict), ("goal", dict), ("cards", dict), ("programs", dict)):  # fmt: skip
        if not isinstance(told.get(name), kind):
            raise BadBookFile("book.file.field", path=path, field=name)
    table, extra, goal = told["table"], told["extra"], told["goal"]
    for field in ("pages", "stage", "hand"):
        if not has_int(table.get(field)):
            raise BadBookFile("book.file.field", path=path, field=f"table.{field}")
    for field in ("drop", "reshuffle", "wild"):
        if not isinstance(extra.get(field), bool):
            raise BadBookFile("book.file.field", path=path, field=f"extra.{field}")
    if goal.get("kind") not in ("all", "pass"):
        raise BadBookFile("book.file.field", path=path, field="goal.kind")
    if not all(has_int(n) for n in told["cards"].values()):
        raise BadBookFile("book.file.field", path=path, field="cards")
    programs: Mapping[str, Json] = as_dict(told["programs"])
    for field in ("first", "rest"):
        if len(as_texts(programs.get(field))) != len(as_list(programs.get(field))):
            raise BadBookFile("book.file.field", path=path, field=f"programs.{field}")
    return Book(
        name=clean(as_str(told["name"])),
        pages=table["pages"],
        stage=table["stage"],
        hand=table["hand"],
        drop=extra["drop"],
        reshuffle=extra["reshuffle"],
        wild=extra["wild"],
        pass_mark=as_int(goal.get("pass")) if goal["kind"] == "pass" else None,
        cards={clean(card): n for card, n in told["cards"].items()},
        first=tuple(map(clean, as_texts(programs.get("first")))),
        rest=tuple(map(clean, as_texts(programs.get("rest")))),
    )


def format_book(book: Book, catalog: Catalog) -> str:
    """Return a book in the canonical form of its file (EN-96)."""
    try:
        made = book_id(book, catalog)
    except ValueError:  # a book in the making
        made = "u-00000000"
    order = {name: i for i, name in enumerate((*all_cards(catalog), *all_programs(catalog)))}
    cards = sorted(book.cards, key=lambda name: order.get(name, len(order)))
    rest = sorted(book.rest, key=lambda name: order.get(name, len(order)))
    goal = ['kind = "all"'] if book.pass_mark is None else ['kind = "pass"', f"pass = {book.pass_mark}"]  # fmt: skip
    flags = {"drop": book.drop, "reshuffle": book.reshuffle, "wild": book.wild}
    return "\n".join(
        [
            "schema = 1",
            f'id = "{made}"',
            'family = "yorozu"',
            f"name = {_quoted(book.name)}",
            "",
            "[table]",
            f"pages = {book.pages}",
            f"stage = {book.stage}",
            f"hand = {book.hand}",
            "",
            "[extra]",
            *(f"{name} = {str(on).lower()}" for name, on in flags.items()),
            "",
            "[goal]",
            *goal,
            "",
            "[cards]",
            *(
                f"{card if _is_bare(card) else _quoted(card)} = {book.cards[card]}"
                for card in cards
            ),
            "",
            "[programs]",
            f"first = [{', '.join(map(_quoted, book.first))}]",
            f"rest = [{', '.join(map(_quoted, rest))}]",
            "",
        ]
    )


def _is_bare(key: str) -> bool:
    return bool(key) and key.isascii() and key.replace("-", "").replace("_", "").isalnum()


def _quoted(text: str) -> str:
    safe = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{safe}"'


def write_book(book: Book, catalog: Catalog, stem: str, folder: Path | None = None) -> Path:
    """Write a book to its file, as a whole, and return the file.

    Args:
        book: The book.
        catalog: For the order and the numbers of cards and programs.
        stem: The file's name without its ending.
        folder: Where; by default the folder of the user's books.

    Raises:
        BadBookFile: It cannot be written.
    """
    folder = folder or books_dir()
    path = folder / f"{stem}.toml"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=".book-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(format_book(book, catalog))
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise BadBookFile("book.file.unwritable", path=path, why=error.strerror or error) from None
    return path


def delete_book(stem: str, folder: Path | None = None) -> None:
    """Delete a saved book.

    Raises:
        BadBookFile: It cannot be.
    """
    path = (folder or books_dir()) / f"{stem}.toml"
    try:
        path.unlink()
    except OSError as error:
        raise BadBookFile("book.file.unwritable", path=path, why=error.strerror or error) from None
