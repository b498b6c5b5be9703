"""Rehearsing alone: from a book, whatever names it, to a table of one seat that has begun.

A book of one's own needs the catalogue's numbers before it has a code, and the book of the day is
known to the server only; `Shelf` keeps what is wanted until the answer is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from attrs import define, field, frozen
from kaguraden_protocol import messages

from ..reading import Json, as_int, as_str, dicts_in
from . import book_words  # noqa: F401 - adds its words
from .book_codes import encode
from .book_files import books_dir, read_book, saved_books
from .book_rules import book_faults, fault_text
from .books import Book, book_of
from .deck_files import BadDeckFile
from .painters import Context
from .painters.enbu_names import book_name, stars
from .text import clean, pad, width

if TYPE_CHECKING:
    from .ui import Ui

__all__ = [
    "FIRST_BOOK",
    "GAME",
    "TODAY",
    "Entry",
    "Shelf",
    "ask_today",
    "books_on",
    "catalog_known",
    "catalog_refused",
    "context_of",
    "daily_answered",
    "daily_refused",
    "find",
    "play_book",
    "standings_lines",
]

GAME: Final = "enbu"
FIRST_BOOK: Final = "kyu-3"  # for somebody who names none
TODAY: Final = "daily"  # that the book of the day is meant


@define
class Shelf:
    """What a client knows of books besides the catalogue."""

    wanted: str | Book | None = None  # to be played when what it needs is known
    bots: int = 0  # that it is to be played against
    level: str | None = None
    today: Mapping[str, Json] = field(factory=dict)  # the answer about the book of the day
    refused: str = ""  # why there is no answer
    tell: bool = False  # whether the answer is to be told in lines
    typed: list[str] = field(factory=list)  # after `book`, before the catalogue was known


@frozen
class Entry:
    """A book that can be played: from the server, or from a file of one's own."""

    name: str  # what is typed: an id, or the file's name
    book: Book
    code: str = ""
    is_own: bool = False
    problem: str = ""  # why the file cannot be read


def context_of(ui: Ui) -> Context:
    """Return a context for books, at a table or not."""
    catalog = ui.catalogs.get(GAME)
    return Context(lang=ui.lang) if catalog is None else Context(lang=ui.lang, catalog=catalog)


def books_on(ui: Ui) -> list[Entry]:
    """Return the server's books and then one's own."""
    ctx = context_of(ui)
    found = [
        Entry(name, book_of(told), clean(as_str(told.get("code"))))
        for name, told in ctx.catalog.books.items()
    ]
    for stem in saved_books():
        try:
            book = read_book(books_dir() / f"{stem}.toml")
        except BadDeckFile as error:
            found.append(Entry(stem, Book(name=clean(stem)), "", True, error.text(ui.lang)))
            continue
        found.append(Entry(stem, book, code_of(book, ctx), True))
    return found


def code_of(book: Book, ctx: Context) -> str:
    """Return the share code of a book, "" while it has faults."""
    if not ctx.catalog.cards or any(not f.is_warning for f in book_faults(book, ctx)):
        return ""
    try:
        return encode(book, ctx.catalog)
    except ValueError:
        return ""


def find(ui: Ui, name: str) -> Entry | None:
    """Return the book that a name means: an id of the server, or a file of one's own."""
    entries = books_on(ui)
    return next((e for e in entries if name.casefold() in (e.name.casefold(), e.book.id)), None)


def play_book(ui: Ui, book: str | Book, bots: int = 0, level: str | None = None) -> None:
    """Play a book at once, alone or against bots.

    Args:
        ui: The client.
        book: An id, a share code, `daily`, `daily:ID`, or a book of one's own.
        bots: How many bots race on it.
        level: Their level.
    """
    ui.shelf.wanted, ui.shelf.bots, ui.shelf.level = None, bots, level
    if book == TODAY:
        ui.shelf.wanted = book
        ask_today(ui)
        return
    if isinstance(book, Book):
        ctx = context_of(ui)
        if not ctx.catalog.cards:
            ui.shelf.wanted = book
            ui.fetch_catalog(GAME)
            return
        faults = [fault_text(f, ctx) for f in book_faults(book, ctx) if not f.is_warning]
        if faults:
            ui.note = ui.say("deck.not_yet", why=ui.say("list.comma").join(faults))
            ui.failed = True
            return
        book = encode(book, ctx.catalog)
    options = {**(ui.quick_options if ui.quick_game == GAME else {}), "book": book}
    request = messages.Create(id=0, game=GAME, seats=bots + 1, options=options)
    ui.create(request, bots, level, start=True)


def ask_today(ui: Ui) -> None:
    """Ask for the book of the day and how its players stand."""
    ui.shelf.refused = ""
    ui.ask_planned(messages.Daily(id=0, book="today"))


def daily_answered(ui: Ui, result: Mapping[str, Json]) -> None:
    """Take the answer about the book of the day, and play it if that was wanted."""
    ui.shelf.today = result
    if ui.shelf.wanted == TODAY:
        play_book(ui, f"daily:{as_str(result.get('book'))}")


def daily_refused(ui: Ui, why: str) -> None:
    """Take it that there is no book of the day."""
    ui.shelf.refused = ui.say("daily.refused", why=why)
    if ui.shelf.wanted == TODAY:
        ui.shelf.wanted = None
        ui.failed = True
    ui.note = ui.shelf.refused


def catalog_known(ui: Ui) -> None:
    """Play the book of one's own that waited for the catalogue."""
    if isinstance(ui.shelf.wanted, Book):
        play_book(ui, ui.shelf.wanted, ui.shelf.bots, ui.shelf.level)


def catalog_refused(ui: Ui, why: str) -> None:
    """Give up what waited for the catalogue."""
    if ui.shelf.typed:
        ui.shelf.typed.clear()
        ui.note = ui.say("failed", why=why)
    if isinstance(ui.shelf.wanted, Book):
        ui.shelf.wanted = None
        ui.note = ui.say("failed", why=why)
        ui.failed = True


def standings_lines(ui: Ui) -> list[str]:
    """Return the standings of the day in lines."""
    today, ctx = ui.shelf.today, context_of(ui)
    told = ctx.catalog.books.get(as_str(today.get("book")), {})
    book = book_of(told) if told else Book(id=clean(as_str(today.get("book"))))
    name = f"{book_name(book, ctx)} {stars(book.id)}".rstrip()
    lines = [ui.say("daily.head", date=clean(as_str(today.get("date"))), book=name)]
    if today.get("closed") is True:
        lines.append(ui.say("daily.closed"))
    entries = dicts_in(today.get("standings"))
    names = [clean(as_str(entry.get("name"))) for entry in entries]
    cells = max(map(width, names), default=0)
    lines += [
        ui.say(
            "daily.line",
            rank=as_int(entry.get("rank")),
            name=pad(called, cells),
            total=as_int(entry.get("total")),
            dropped=as_int(entry.get("dropped")),
            n=as_int(entry.get("turns")),
        )
        for called, entry in zip(names, entries, strict=True)
    ]
    return lines if entries else [*lines, ui.say("daily.none")]
