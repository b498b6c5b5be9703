"""The `book` and `daily` commands of line mode: enbu's books, one's own, and that of the day."""

from __future__ import annotations

from .book_codes import BadCode, decode, is_code
from .book_files import books_dir, delete_book, free_stem, write_book
from .books import Book
from .deck_files import BadDeckFile
from .painters.enbu_names import book_name, stars
from .rehearse import (
    GAME,
    TODAY,
    Entry,
    ask_today,
    books_on,
    code_of,
    context_of,
    find,
    play_book,
    standings_lines,
)
from .screens.books import book_lines
from .text import clean, line_text
from .ui import Ui

__all__ = ["book_catalog_known", "book_help", "daily_lines", "typed_book", "typed_daily"]

_WIDTH = 100_000


def book_help(ui: Ui) -> list[str]:
    """Return how books are listed and played, where there are any."""
    return [ui.say("book.plain.help")] if ui.game(GAME) is not None and ui.table is None else []


def typed_book(ui: Ui, rest: str) -> list[str]:
    """Do what was typed after `book`, and return the lines that answer it."""
    if ui.game(GAME) is None:
        return [ui.say("books.no_game")]
    word, _, name = rest.partition(" ")
    name = name.strip()
    if not context_of(ui).catalog.cards:
        ui.fetch_catalog(GAME)
        if word != "play":
            ui.shelf.typed.append(rest)
            return []
    match word:
        case "":
            return _list(ui)
        case "play" if name:
            return _play(ui, name)
        case "show" | "code" | "save" | "delete" if name:
            return _with(ui, word, name)
    return [ui.say("book.plain.help")]


def book_catalog_known(ui: Ui) -> list[str]:
    """Return the answer to what was typed before the cards of the game were known."""
    typed, ui.shelf.typed = ui.shelf.typed, []
    if not context_of(ui).catalog.cards:
        return [ui.say("book.plain.no_cards")]
    return [line for rest in typed for line in typed_book(ui, rest)]


def _list(ui: Ui) -> list[str]:
    ctx = context_of(ui)
    lines = []
    for entry in books_on(ui):
        book = entry.book
        figures = entry.problem or ui.say(
            "books.figures",
            pages=book.pages,
            stage=book.stage,
            hand=book.hand,
            cards=book.size,
            programs=len(book.programs),
        )
        line = ui.say(
            "book.plain.line",
            id=clean(entry.name),
            name=book_name(book, ctx),
            figures=figures,
            stars=stars(book.id),
        )
        lines.append(line.rstrip())
    return [*lines, ui.say("books.own", folder=clean(books_dir())), ui.say("book.plain.help")]


def _play(ui: Ui, name: str) -> list[str]:
    if is_code(name):
        play_book(ui, name)
        return []
    entry = find(ui, name)
    if entry is not None and entry.problem:
        return [entry.problem]
    play_book(ui, entry.book if entry is not None and entry.is_own else name)
    return []


def _with(ui: Ui, word: str, name: str) -> list[str]:
    """Show, export, save or delete a book."""
    ctx = context_of(ui)
    entry = find(ui, name)
    if entry is None and is_code(name):
        try:
            entry = Entry("", decode(name, ctx.catalog))
        except BadCode as bad:
            return [ui.say(f"fault.{bad.code}")]
    if entry is None:
        return [ui.say("book.file.missing", what=clean(name))]
    match word:
        case "show":
            return [line_text(line).strip() for line in book_lines(entry, ctx, _WIDTH)]
        case "code":
            code = entry.code or code_of(entry.book, ctx)
            return [code] if code else [ui.say("books.no_code")]
        case "save":
            return [_save(ui, entry.book)]
    if not entry.is_own:
        return [ui.say("book.file.missing", what=clean(name))]
    try:
        delete_book(entry.name)
    except BadDeckFile as error:
        return [error.text(ui.lang)]
    return [ui.say("books.deleted", name=clean(entry.name))]


def _save(ui: Ui, book: Book) -> str:
    try:
        path = write_book(book, context_of(ui).catalog, free_stem(book.name))
    except BadDeckFile as error:
        return error.text(ui.lang)
    return ui.say("books.saved", path=clean(path))


def typed_daily(ui: Ui, rest: str) -> list[str]:
    """Do what was typed after `daily`."""
    if ui.game(GAME) is None:
        return [ui.say("books.no_game")]
    ui.fetch_catalog(GAME)
    if rest == "play":
        play_book(ui, TODAY)
    else:
        ui.shelf.tell = True
        ask_today(ui)
    return []


def daily_lines(ui: Ui) -> list[str]:
    """Return the standings of the day, as the server has just told them."""
    return [ui.say("daily.first"), *standings_lines(ui)]
