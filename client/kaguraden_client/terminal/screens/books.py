"""Books of enbu: the list, one book in full, the book of the day.

From the list a book is played alone with Enter, looked at, offered for a race, or, where it is
one's own, changed and deleted. The folder is read whenever the list is opened or comes back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from attrs import evolve

from ..book_codes import BadCode, decode
from ..book_files import books_dir, delete_book, free_stem, write_book
from ..book_rules import all_cards, total
from ..books import WILDS, Book
from ..deck_files import BadDeckFile
from ..editor import Editor
from ..painters import Context
from ..painters.enbu_board import needs_of, points_of
from ..painters.enbu_names import book_name, card, cards, program, stars
from ..rehearse import (
    GAME,
    TODAY,
    Entry,
    ask_today,
    books_on,
    code_of,
    context_of,
    play_book,
    standings_lines,
)
from ..text import Fragment, Line, clean, cut, cut_line, pad, wrap_line
from .base import Body, Keys, Screen, input_body, scrolled
from .pages import Scrolling

if TYPE_CHECKING:
    from ..ui import Ui

__all__ = ["AskLine", "BookPage", "BooksScreen", "DailyPage", "book_lines"]


class AskLine(Screen):
    """A question for one line of text; `done` returns what is wrong with it, or nothing."""

    def __init__(
        self, label: str, text: str, limit: int, done: Callable[[Ui, str], str | None]
    ) -> None:
        self.label, self.done = label, done
        self.editor = Editor.of(text, limit)
        self.note = ""

    def title(self, ui: Ui) -> str:
        """Return what is asked."""
        return f"· {ui.say(self.label)}"

    def body(self, ui: Ui, width: int, height: int) -> Body:
        """Return the line that is typed into, and what was wrong with the last try."""
        more = wrap_line((("alert", " " + self.note),), width, 1) if self.note else []
        return input_body(ui.say(self.label), self.editor, width, more)

    def keys(self, ui: Ui) -> Keys:
        """Return the keys of a question."""
        return [("Enter", ui.say("key.ok")), ("Esc", ui.say("key.back"))]

    def press(self, ui: Ui, key: str) -> None:
        """Apply a key."""
        if key == "escape":
            ui.pop()
        elif key != "enter":
            self.editor, self.note = self.editor.press(key), ""
        elif text := self.editor.text.strip():
            ui.pop()
            problem = self.done(ui, text)
            if problem:
                self.note = problem
                ui.push(self)

    def paste(self, ui: Ui, text: str) -> None:
        """Put text in."""
        self.editor, self.note = self.editor.insert(text), ""


def book_lines(entry: Entry, ctx: Context, cells: int) -> list[Line]:
    """Return everything about a book (EN-4): sizes, rules, goal, cards, programs, code."""
    book = entry.book
    if entry.problem:
        return wrap_line((("alert", " " + entry.problem),), cells, 1)
    comma = ctx.say("list.comma")
    sizes = ctx.say(
        "books.figures",
        pages=book.pages,
        stage=book.stage,
        hand=book.hand,
        cards=book.size,
        programs=len(book.programs),
    )
    extras = [n for n in ("drop", "reshuffle", "wild") if getattr(book, n)]
    told = comma.join(ctx.say(f"books.extra.{n}") for n in extras) or ctx.say("none")
    most = book.total or total(book, ctx)
    goal = ctx.say("books.goal.all", total=most)
    if book.pass_mark is not None:
        goal = ctx.say("books.goal.pass", n=book.pass_mark, total=most)
    level = stars(book.id)
    hard = f"{ctx.say('books.level')} {level}" if level else ctx.say("books.level.unknown")
    listed = [c for c in all_cards(ctx.catalog) if c in book.cards] or list(book.cards)
    copies = [card(c, ctx) + (f" ×{n}" if (n := book.cards[c]) > 1 else "") for c in listed]
    copies += [card(c, ctx) for c in WILDS if book.wild]
    texts: list[Fragment] = [
        ("strong", book_name(book, ctx)),
        ("", sizes),
        ("", ctx.say("books.extras", what=told)),
        ("", goal),
        ("", hard),
        ("", f"{ctx.say('books.cards')}: {comma.join(copies)}"),
    ]
    for name, ids in (("first", book.first), ("rest", book.rest)):
        if ids:
            texts.append(("", f"{ctx.say(f'books.{name}')}:"))
        texts += [
            ("", f"  {program(p, ctx)} ({points_of(p, ctx)}) {cards(needs_of(p, ctx), ctx)}")
            for p in ids
        ]
    code = entry.code or code_of(book, ctx)
    shown = f"{ctx.say('books.code')}: {code}" if code else ctx.say("books.no_code")
    texts.append(("strong" if code else "alert", shown))
    return [line for style, text in texts for line in wrap_line(((style, " " + text),), cells, 3)]


class BookPage(Scrolling):
    """One book in full, with its share code."""

    heading = "books.title"

    def __init__(self, entry: Entry) -> None:
        super().__init__()
        self.entry = entry

    def lines(self, ui: Ui, width: int) -> list[Line]:
        """Return the book."""
        return [(), *book_lines(self.entry, context_of(ui), width)]

    def keys(self, ui: Ui) -> Keys:
        """Return the keys of a page, and that which plays."""
        return [("p", ui.say("key.play")), *super().keys(ui)]

    def press(self, ui: Ui, key: str) -> None:
        """Play, or apply a key of a page."""
        if key == "p" and not self.entry.problem:
            play_entry(ui, self.entry)
        else:
            super().press(ui, key)


class DailyPage(Scrolling):
    """The book of the day and how its players stand (EN-87, EN-89)."""

    heading = "daily.title"

    def __init__(self, ui: Ui) -> None:
        super().__init__()
        ask_today(ui)
        ui.fetch_catalog(GAME)

    def lines(self, ui: Ui, width: int) -> list[Line]:
        """Return what is played today, by what rule, and the standings."""
        lines: list[Line] = [()]
        if ui.shelf.refused or not ui.shelf.today:
            text = ui.shelf.refused or ui.say("daily.waiting")
            return lines + wrap_line((("dim", " " + text),), width, 1)
        head, *rest = standings_lines(ui)
        lines += wrap_line((("strong", " " + head),), width, 1)
        lines += wrap_line((("dim", " " + ui.say("daily.first")),), width, 1)
        lines.append(())
        return lines + [cut_line((("", " " + line),), width) for line in rest]

    def keys(self, ui: Ui) -> Keys:
        """Return the keys of a page, and that which plays."""
        play = [] if ui.room is not None else [("Enter", ui.say("key.play"))]
        return [*play, *super().keys(ui)]

    def press(self, ui: Ui, key: str) -> None:
        """Play, or apply a key of a page."""
        if key == "enter" and ui.room is None:
            play_book(ui, TODAY)
        else:
            super().press(ui, key)


def play_entry(ui: Ui, entry: Entry) -> None:
    """Play a book of the list alone."""
    play_book(ui, entry.book if entry.is_own else entry.name)


class BooksScreen(Screen):
    """The list of all books, that of the day first."""

    def __init__(self, ui: Ui) -> None:
        self.at = 0
        self.asking = ""  # the file that is to be deleted
        ui.fetch_catalog(GAME)

    def title(self, ui: Ui) -> str:
        """Return the screen's name."""
        return f"· {ui.game_name(GAME)} · {ui.say('books.title')}"

    def _here(self, ui: Ui) -> Entry | None:
        """Return the book at the cursor; None for that of the day."""
        entries = books_on(ui)
        self.at = max(0, min(self.at, len(entries)))
        return entries[self.at - 1] if self.at else None

    def body(self, ui: Ui, width: int, height: int) -> Body:
        """Return the books with how hard and how large they are."""
        ctx, entries = context_of(ui), books_on(ui)
        self.at = max(0, min(self.at, len(entries)))
        lines: list[Line] = [self._row(ui.say("books.today"), "", "", here=self.at == 0)]
        focus = 0
        lines.append((("rule.name", " " + ui.say("books.house")),))
        if not ctx.catalog.books:
            lines.append((("dim", "   " + ui.say("books.waiting")),))
        own = False
        names = min(30, max(12, width // 3))
        for i, entry in enumerate(entries, start=1):
            if entry.is_own and not own:
                own = True
                lines.append(self._own_head(ui))
            if i == self.at:
                focus = len(lines)
            lines.append(self._entry_row(entry, ctx, names, here=i == self.at))
        if not own:
            lines += [self._own_head(ui), (("dim", "   " + ui.say("books.none")),)]
        below: list[Line] = []
        if self.asking:
            text = ui.say("books.ask.delete", name=clean(self.asking))
            below = wrap_line((("alert", " " + text),), width, 1)
        room = max(1, height - len(below))
        lines = [cut_line(line, width) for line in lines]
        shown, _ = scrolled(lines, focus - room // 2, room)
        return Body((*shown, *((),) * (room - len(shown)), *below)[:height])

    def _own_head(self, ui: Ui) -> Line:
        return (("rule.name", " " + ui.say("books.own", folder=clean(books_dir()))),)

    def _row(self, name: str, level: str, figures: str, *, here: bool) -> Line:
        style = "menu.at" if here else ""
        return ((style, (" ❯ " if here else "   ") + name), ("", f" {level:<5} "), ("dim", figures))

    def _entry_row(self, entry: Entry, ctx: Context, names: int, *, here: bool) -> Line:
        book = entry.book
        figures = ctx.say(
            "books.brief",
            pages=book.pages,
            stage=book.stage,
            hand=book.hand,
            cards=book.size,
            programs=len(book.programs),
        )
        if book.pass_mark is not None:
            figures += "  " + ctx.say("enbu.goal.pass", n=book.pass_mark)
        if entry.is_own and not entry.code:
            figures = cut(entry.problem, 60) if entry.problem else ctx.say("books.no_code")
        return self._row(pad(book_name(book, ctx), names), stars(book.id), figures, here=here)

    def keys(self, ui: Ui) -> Keys:
        """Return the keys of the list."""
        say = ui.say
        if self.asking:
            return [("Enter", say("key.delete")), ("Esc", say("key.back"))]
        keys = [("Enter", say("key.play"))]
        if self.at:
            keys += [("v", say("key.view")), ("t", say("key.table")), ("e", say("key.edit"))]
        entry = self._here(ui)
        if entry is not None and entry.is_own:
            keys.append(("x", say("key.delete")))
        return [*keys, ("n", say("key.make")), ("i", say("key.import")), ("Esc", say("key.back")),
                ("F1", say("key.rules")), ("F2", say("key.language")), ("^C", say("key.quit"))]  # fmt: skip

    def press(self, ui: Ui, key: str) -> None:
        """Apply a key."""
        from .book_editor import BookEditor
        from .newroom import NewRoom
        from .pages import RulesPage

        if self.asking:
            self._answer(ui, key)
            return
        entry, ctx = self._here(ui), context_of(ui)
        match key:
            case "escape":
                ui.pop()
            case "up":
                self.at -= 1
            case "down":
                self.at += 1
            case "pageup" | "home":
                self.at = 0 if key == "home" else self.at - 10
            case "pagedown" | "end":
                self.at += 10 if key == "pagedown" else 1000
            case "f1":
                ui.push(RulesPage(GAME))
            case "enter" if entry is None:
                ui.push(DailyPage(ui))
            case "enter" | "p" if entry is not None and not entry.problem:
                play_entry(ui, entry)
            case "v" | "?" if entry is not None:
                ui.push(BookPage(entry))
            case "t" if entry is not None and (entry.code or not entry.is_own):
                ui.push(NewRoom(ui, GAME, {"book": entry.code if entry.is_own else entry.name}))
            case "t" if entry is not None:
                ui.note = ui.say("books.no_code")
            case "e" if entry is not None and not entry.problem and ctx.catalog.cards:
                ui.push(BookEditor(*_copy(entry, ctx)))
            case "n" if ctx.catalog.cards:
                ui.push(BookEditor(Book(name=ui.say("books.new_name")), ""))
            case "i" if ctx.catalog.cards:
                ui.push(AskLine("books.ask.code", "", 420, import_code))
            case "x" | "delete" if entry is not None and entry.is_own:
                self.asking = entry.name

    def _answer(self, ui: Ui, key: str) -> None:
        """Delete the book that was asked about, or not."""
        name, self.asking = self.asking, ""
        if key != "enter":
            return
        try:
            delete_book(name)
        except BadDeckFile as error:
            ui.note = error.text(ui.lang)
        else:
            ui.note = ui.say("books.deleted", name=clean(name))


def _copy(entry: Entry, ctx: Context) -> tuple[Book, str]:
    """Return the book to change and its file: one's own itself, another as a copy."""
    if entry.is_own:
        return entry.book, entry.name
    name = ctx.say("books.copy", name=entry.book.name)[:16]
    return evolve(entry.book, id="", family="yorozu", name=name, total=0), ""


def import_code(ui: Ui, text: str) -> str | None:
    """Save the book of a share code among one's own. Returns what is wrong."""
    ctx = context_of(ui)
    try:
        book = decode(text, ctx.catalog)
        path = write_book(book, ctx.catalog, free_stem(book.name))
    except BadCode as bad:
        return ui.say(f"fault.{bad.code}")
    except BadDeckFile as error:
        return error.text(ui.lang)
    ui.note = ui.say("books.saved", path=clean(path))
    return None
