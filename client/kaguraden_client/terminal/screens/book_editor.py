"""Making a book of enbu: sizes, extra rules, goal, cards with copies, programs; faults below.

Every row is changed with left and right; what is wrong is said after every change, in the words of
the rules, and a book with faults can be saved all the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from attrs import evolve, field, frozen

from ..book_files import free_stem, write_book
from ..book_rules import all_cards, all_programs, book_faults, fault_text, filled, total
from ..books import Book
from ..deck_files import BadDeckFile
from ..painters import Context
from ..painters.enbu_board import needs_of, points_of
from ..painters.enbu_names import card, glyph, program
from ..rehearse import Entry, code_of, context_of, play_book
from ..text import Line, clean, cut_line, pad, wrap_line
from .base import Body, Keys, Screen, rule, scrolled
from .books import AskLine, BookPage

if TYPE_CHECKING:
    from ..ui import Ui

__all__ = ["BookEditor", "changed", "rows"]

_SIZES: Final = {"pages": (1, 6), "stage": (1, 6), "hand": (0, 4)}
_FLAGS: Final = ("drop", "reshuffle", "wild")


@frozen
class Row:
    """One line of the editor: what it is about, and the card or program where it is about one."""

    kind: str
    name: str = ""
    heading: str = field(default="")


def rows(ctx: Context) -> list[Row]:
    """Return the lines that can be changed, in order."""
    out = [Row("name"), *map(Row, _SIZES), *map(Row, _FLAGS), Row("goal")]
    for i, name in enumerate(all_programs(ctx.catalog)):
        out.append(Row("program", name, "" if i else "bookedit.programs"))
    for i, name in enumerate(all_cards(ctx.catalog)):
        out.append(Row("card", name, "" if i else "bookedit.cards"))
    return out


def changed(book: Book, row: Row, step: int, ctx: Context) -> Book:
    """Return the book with a row one step further; sizes stay within their bounds."""
    match row.kind:
        case "pages" | "stage" | "hand":
            low, high = _SIZES[row.kind]
            value = max(low, min(high, getattr(book, row.kind) + step))
            return evolve(book, **{row.kind: value})
        case "drop":
            return evolve(book, drop=not book.drop)
        case "reshuffle":
            return evolve(book, reshuffle=not book.reshuffle)
        case "wild":
            return evolve(book, wild=not book.wild)
        case "goal":
            most = total(book, ctx)
            mark = (book.pass_mark or 0) + step  # 0 stands for all programs
            if mark < 0:
                mark = most
            return evolve(book, pass_mark=mark if 0 < mark <= most else None)
        case "card":
            known = ctx.catalog.cards.get(row.name)
            box = known.told.get("box") if known is not None else 1
            most = box if isinstance(box, int) else 1
            count = max(0, min(most, book.cards.get(row.name, 0) + step))
            cards = {c: n for c, n in book.cards.items() if c != row.name}
            return evolve(book, cards={**cards, row.name: count} if count else cards)
        case "program":
            return _program(book, row.name, step)
    return book


def _program(book: Book, name: str, step: int) -> Book:
    """Return the book with a program out, in, or among the first ones: in this order."""
    uses = ("no", "rest", "first")
    use = uses[(uses.index(_use(book, name)) + step) % 3]
    first = tuple(p for p in book.first if p != name)
    rest = tuple(p for p in book.rest if p != name)
    if use == "first":
        first = (*first, name)
    elif use == "rest":
        rest = (*rest, name)
    return evolve(book, first=first, rest=rest)


def _use(book: Book, name: str) -> str:
    return "first" if name in book.first else "rest" if name in book.rest else "no"


class BookEditor(Screen):
    """One book that is being made."""

    def __init__(self, book: Book, stem: str) -> None:
        self.book, self.stem = book, stem  # the file, once there is one
        self.at = 0
        self.is_dirty = not stem
        self.leaving = False

    def title(self, ui: Ui) -> str:
        """Return what is made."""
        return f"· {ui.say('bookedit.title')} · {clean(self.book.name)}"

    def _value(self, row: Row, ctx: Context) -> str:
        book = self.book
        match row.kind:
            case "name":
                return clean(book.name)
            case "pages" | "stage" | "hand":
                return str(getattr(book, row.kind))
            case "drop" | "reshuffle" | "wild":
                return ctx.say("yes" if getattr(book, row.kind) else "no")
            case "goal" if book.pass_mark is None:
                return ctx.say("bookedit.goal.all")
            case "goal":
                return ctx.say("bookedit.goal.pass", n=book.pass_mark)
            case "card":
                return str(book.cards.get(row.name, 0) or "–")
        use = _use(book, row.name)
        place = book.first.index(row.name) + 1 if use == "first" else 0
        return ctx.say(f"bookedit.use.{use}", **({"n": place} if place else {}))

    def _line(self, row: Row, ctx: Context, width: int, *, here: bool) -> Line:
        label = ctx.say(f"bookedit.{row.kind}") if not row.name else ""
        about = ""
        if row.kind == "card":
            label = card(row.name, ctx)
        elif row.kind == "program":
            known = ctx.catalog.cards.get(row.name)
            label = known.name[ctx.lang].partition(":")[0] if known else program(row.name, ctx)
            needs = "".join(glyph(need, ctx) for need in needs_of(row.name, ctx))
            about = f" {needs} {ctx.say('rank.points', score=points_of(row.name, ctx))}"
        cells = min(36, max(14, width // 2))
        value = self._value(row, ctx)
        shown = f"‹ {value} ›" if here and row.kind != "name" else value
        in_book = value not in ("–", ctx.say("bookedit.use.no"))
        return (
            ("menu.at" if here else "strong" if in_book and row.name else "",
             (" ❯ " if here else "   ") + pad(label, cells)),
            ("menu.at" if here else "", f" {pad(shown, 12)}" if row.name else f" {shown}"),
            ("dim", about),
        )  # fmt: skip

    def body(self, ui: Ui, width: int, height: int) -> Body:
        """Return the rows, and below them what is wrong with the book."""
        ctx = context_of(ui)
        lines: list[Line] = []
        focus = 0
        for i, row in enumerate(rows(ctx)):
            if row.heading:
                lines.append((("rule.name", " " + ui.say(row.heading)),))
            if i == self.at:
                focus = len(lines)
            lines.append(cut_line(self._line(row, ctx, width, here=i == self.at), width))
        below = self._verdict(ui, ctx, width)[: max(1, height // 3)]
        room = max(1, height - len(below))
        shown, _ = scrolled(lines, focus - room // 2, room)
        return Body((*shown, *((),) * (room - len(shown)), *below)[:height])

    def _verdict(self, ui: Ui, ctx: Context, width: int) -> list[Line]:
        book = self.book
        figures = ui.say(
            "books.brief",
            pages=book.pages,
            stage=book.stage,
            hand=book.hand,
            cards=book.size,
            programs=len(book.programs),
        )
        points = ui.say("rank.points", score=total(book, ctx))
        lines = [rule((("rule.name", f"{figures} {points}"),), width)]
        if self.leaving:
            return lines + wrap_line((("alert", " " + ui.say("bookedit.leave")),), width, 1)
        found = book_faults(book, ctx)
        if not any(not fault.is_warning for fault in found):
            lines.append((("good", " " + ui.say("bookedit.good")),))
        for fault in found:
            style = "dim" if fault.is_warning else "alert"
            text = f" {fault.code} {fault_text(fault, ctx)}"
            lines += wrap_line(((style, text),), width, 3)
        return lines

    def keys(self, ui: Ui) -> Keys:
        """Return the editor's keys."""
        say = ui.say
        if self.leaving:
            return [("Enter", say("key.ok")), ("Esc", say("key.back"))]
        return [("↑↓", say("key.move")), ("←→", say("key.change")), ("s", say("key.save")),
                ("p", say("key.play")), ("f", say("key.fill")), ("v", say("key.view")),
                ("Esc", say("key.back")), ("F2", say("key.language")), ("^C", say("key.quit"))]  # fmt: skip

    def press(self, ui: Ui, key: str) -> None:
        """Apply a key."""
        ctx = context_of(ui)
        if self.leaving:
            self.leaving = False
            if key == "enter":
                ui.pop()
            return
        all_rows = rows(ctx)
        row = all_rows[min(self.at, len(all_rows) - 1)]
        match key:
            case "escape" if self.is_dirty:
                self.leaving = True
            case "escape":
                ui.pop()
            case "up" | "down":
                self._move(1 if key == "down" else -1, len(all_rows))
            case "pageup" | "pagedown":
                self._move(10 if key == "pagedown" else -10, len(all_rows))
            case "home" | "end":
                self.at = 0 if key == "home" else len(all_rows) - 1
            case "enter" | "left" | "right" | "space" if row.kind == "name":
                ui.push(AskLine("books.ask.name", self.book.name, 16, self._named))
            case "left" | "right" | "space" | "enter":
                self._set(changed(self.book, row, -1 if key == "left" else 1, ctx))
            case _ if key.isdecimal() and row.kind == "card":
                step = int(key) - self.book.cards.get(row.name, 0)
                self._set(changed(self.book, row, step, ctx))
            case "f":
                self._set(filled(self.book, ctx))
            case "s":
                self._save(ui, ctx)
            case "p":
                play_book(ui, self.book)
            case "v":
                ui.push(BookPage(Entry(self.stem, self.book, code_of(self.book, ctx), True)))

    def _move(self, step: int, count: int) -> None:
        self.at = max(0, min(count - 1, self.at + step))

    def _set(self, book: Book) -> None:
        if book != self.book:
            self.book, self.is_dirty = book, True

    def _named(self, ui: Ui, text: str) -> str | None:
        self._set(evolve(self.book, name=text))
        return None

    def _save(self, ui: Ui, ctx: Context) -> None:
        """Save the book; a new one never takes the place of another file."""
        try:
            stem = self.stem or free_stem(self.book.name)
            path = write_book(self.book, ctx.catalog, stem)
        except BadDeckFile as error:
            ui.note = error.text(ui.lang)
            return
        self.stem, self.is_dirty = stem, False
        ui.note = ui.say("books.saved", path=clean(path))
