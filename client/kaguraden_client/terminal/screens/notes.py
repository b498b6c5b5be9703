"""The notes pane: a grid of seats and roles to mark, and a line of text for each seat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...table import Table
from .. import note_words  # noqa: F401 - adds its words
from ..editor import Editor
from ..notes import TEXT_LIMIT, Guess, Notes, Sheet
from ..painters import Context
from ..text import Fragment, Line, clean, cut, cut_line, pad, width, wrap_line
from .base import Body, Keys, Screen, edit_line

if TYPE_CHECKING:
    from ..ui import Ui

__all__ = ["NotesPage", "notes_spoken", "role_name", "typed_note"]

_SIGNS: Final = {
    Guess.UNKNOWN: "·",
    Guess.EXCLUDED: "×",
    Guess.SUSPECTED: "?",
    Guess.SURE: "●",
}
_KNOWN: Final = "■"
_KNOWN_NOT: Final = "×"
_MARKS: Final = {
    "?": Guess.UNKNOWN,
    "x": Guess.EXCLUDED,
    "s": Guess.SUSPECTED,
    "o": Guess.SURE,
}
_NAME_CELLS: Final = 12


def role_name(role: str, ctx: Context) -> str:
    """Return what a role is called."""
    known = ctx.catalog.cards.get(role)
    return known.name[ctx.lang] if known is not None else clean(role).replace("_", " ")


def _sheet(ui: Ui, table: Table) -> tuple[Sheet, Notes, Context] | None:
    """Return the sheet of a table with the notes on it."""
    ctx = ui.context(table)
    sheet = ui.painter.sheet(table.view, ctx) if table.view else None
    if sheet is None:
        return None
    return sheet, ui.notes.get(table.room, Notes(sheet.number)).of(sheet.number), ctx


def _mark_word(sheet: Sheet, notes: Notes, seat: int, role: str, ctx: Context) -> str:
    fact = sheet.fact(seat, role)
    if fact is not None:
        return ctx.say("notes.mark.known" if fact else "notes.mark.known_not")
    return ctx.say(f"notes.mark.{notes.mark(seat, role).value}")


class NotesPage(Screen):
    """The pane. The cursor goes through the cells; the marks are changed at the cursor."""

    def __init__(self) -> None:
        self.row = 0
        self.column = 0
        self.editor: Editor | None = None

    def title(self, ui: Ui) -> str:
        """Return the page's name."""
        return f"· {ui.say('notes.title')}"

    def body(self, ui: Ui, cells: int, height: int) -> Body:
        """Return the grid, what the cell at the cursor says, and the lines."""
        table = ui.table
        found = _sheet(ui, table) if table is not None else None
        if found is None:
            return Body(((), cut_line((("dim", " " + ui.say("notes.none")),), cells)))
        sheet, notes, ctx = found
        self._keep_within(sheet)
        seat, role = sheet.seats[self.row], sheet.roles[self.column]
        lines = self._grid(sheet, notes, ctx, cells)
        about = ctx.say(
            "notes.cell",
            who=ctx.name(seat),
            role=role_name(role, ctx),
            mark=_mark_word(sheet, notes, seat, role, ctx),
        )
        lines.append(cut_line((("strong", f" {about}"),), cells))
        cursor: tuple[int, int] | None = None
        if self.editor is not None:
            line, column = edit_line(ctx.say("notes.line", who=ctx.name(seat)), self.editor, cells)
            cursor = (column, len(lines))
            lines.append(line)
        for other in sheet.seats:
            text = notes.line(other)
            if text and not (self.editor is not None and other == seat):
                told = ctx.say("notes.said", who=ctx.name(other), what=clean(text))
                lines += wrap_line((("", f" {told}"),), cells, 3)
        spare = height - len(lines)
        for key in ("notes.legend", "notes.private"):
            told_lines = wrap_line((("dim", " " + ui.say(key)),), cells, 1)
            if spare > len(told_lines):
                lines += told_lines
                spare -= len(told_lines)
        begin = 0
        if cursor is not None and cursor[1] >= height:  # what is typed must be seen
            begin = cursor[1] - height + 1
            cursor = (cursor[0], height - 1)
        elif len(lines) > height:
            begin = min(self.row, max(0, len(lines) - height))
        return Body(tuple(lines[begin : begin + height]), cursor)

    def _grid(self, sheet: Sheet, notes: Notes, ctx: Context, cells: int) -> list[Line]:
        names = [ctx.name(seat, _NAME_CELLS) for seat in sheet.seats]
        name_cells = min(max(map(width, names)), max(3, cells // 4))
        columns = max(1, len(sheet.roles))
        room = max(2, (cells - name_cells - 4) // columns)
        wanted = max(width(role_name(role, ctx)) for role in sheet.roles) + 2
        size = min(room, max(5, wanted))
        head: list[Fragment] = [("", " " * (name_cells + 4))]
        for i, role in enumerate(sheet.roles):
            style = "strong" if i == self.column else "field"
            mark = "" if size < 4 else " "
            text = cut(role_name(role, ctx), size - len(mark), "" if size < 6 else "…")
            head.append((style, pad(text, size - len(mark)) + mark))
        lines: list[Line] = [cut_line(tuple(head), cells)]
        for r, seat in enumerate(sheet.seats):
            line: list[Fragment] = [
                ("menu.at" if r == self.row else "", "❯" if r == self.row else " "),
                ("menu.key", f"{seat + 1} "),
                ("strong" if r == self.row else "", pad(names[r], name_cells)),
                ("", " "),
            ]
            for c, role in enumerate(sheet.roles):
                line += self._cell(sheet, notes, seat, role, size, at=(r, c))
            lines.append(cut_line(tuple(line), cells))
        return lines

    def _cell(
        self,
        sheet: Sheet,
        notes: Notes,
        seat: int,
        role: str,
        size: int,
        *,
        at: tuple[int, int],
    ) -> list[Fragment]:
        fact = sheet.fact(seat, role)
        sign = _SIGNS[notes.mark(seat, role)] if fact is None else _KNOWN if fact else _KNOWN_NOT
        style = "dim" if fact is not None or sign == "·" else "strong"
        if at != (self.row, self.column):
            return [("", " "), (style, sign), ("", " " * (size - 2))]
        if size < 3:
            return [("menu.at", f"{sign}❮"[:size]), ("", " " * max(0, size - 2))]
        return [("menu.at", f"[{sign}]"), ("", " " * (size - 3))]

    def _keep_within(self, sheet: Sheet) -> None:
        self.row = max(0, min(self.row, len(sheet.seats) - 1))
        self.column = max(0, min(self.column, len(sheet.roles) - 1))

    def keys(self, ui: Ui) -> Keys:
        """Return the pane's keys."""
        say = ui.say
        if self.editor is not None:
            return [("Enter", say("key.ok")), ("Esc", say("key.back"))]
        return [("Esc", say("key.close")), ("Space", say("key.mark")), ("Enter", say("key.write")),
                ("0", say("key.unmark")), ("↑↓←→", say("key.move")), ("F2", say("key.language"))]  # fmt: skip

    def press(self, ui: Ui, key: str) -> None:
        """Apply a key."""
        table = ui.table
        found = _sheet(ui, table) if table is not None else None
        if table is None or found is None:
            if key in ("escape", "n", "q"):
                ui.pop()
            return
        sheet, notes, _ = found
        self._keep_within(sheet)
        seat, role = sheet.seats[self.row], sheet.roles[self.column]
        if self.editor is not None:
            self._write(ui, table.room, notes, seat, self.editor, key)
            return
        match key:
            case "escape" | "n" | "q":
                ui.pop()
            case "up":
                self.row = max(0, self.row - 1)
            case "down":
                self.row = min(len(sheet.seats) - 1, self.row + 1)
            case "left":
                self.column = max(0, self.column - 1)
            case "right":
                self.column = min(len(sheet.roles) - 1, self.column + 1)
            case "enter" | "t":
                self.editor = Editor.of(notes.line(seat), TEXT_LIMIT)
            case _ if len(key) == 1 and key.isdecimal() and 1 <= int(key) <= len(sheet.seats):
                self.row = int(key) - 1
            case "space" if sheet.fact(seat, role) is None:
                guess = notes.mark(seat, role).next
                ui.notes[table.room] = notes.marked(seat, role, guess)
            case "0" | "backspace" | "delete":
                ui.notes[table.room] = notes.marked(seat, role, Guess.UNKNOWN)
            case "?" | "x" | "s" | "o" if sheet.fact(seat, role) is None:
                ui.notes[table.room] = notes.marked(seat, role, _MARKS[key])

    def _write(self, ui: Ui, room: str, notes: Notes, seat: int, editor: Editor, key: str) -> None:
        match key:
            case "escape":
                self.editor = None
            case "enter":
                ui.notes[room] = notes.written(seat, editor.text.strip())
                self.editor = None
            case _:
                self.editor = editor.press(key)

    def paste(self, ui: Ui, text: str) -> None:
        """Put text into the line."""
        if self.editor is not None:
            self.editor = self.editor.insert(text)


# --- line mode -----------------------------------------------------------------------------------


def notes_spoken(ui: Ui, table: Table) -> list[str]:
    """Return the notes in sentences, and how to add to them."""
    found = _sheet(ui, table)
    if found is None:
        return [ui.say("notes.none")]
    sheet, notes, ctx = found
    lines: list[str] = []
    for seat in sheet.seats:
        parts = [
            f"{role_name(role, ctx)} {_mark_word(sheet, notes, seat, role, ctx)}"
            for role in sheet.roles
            if sheet.fact(seat, role) is True
            or (sheet.fact(seat, role) is None and notes.mark(seat, role) is not Guess.UNKNOWN)
        ]
        if notes.line(seat):
            parts.append(clean(notes.line(seat)))
        what = ctx.say("list.comma").join(parts) or ctx.say("notes.mark.unknown")
        lines.append(f"{seat + 1} " + ctx.say("notes.said", who=ctx.name(seat), what=what))
    roles = ctx.say("list.comma").join(
        f"{i} {role_name(role, ctx)}" for i, role in enumerate(sheet.roles, start=1)
    )
    return [*lines, ctx.say("notes.plain.help", roles=roles)]


def typed_note(ui: Ui, table: Table, text: str) -> list[str]:
    """Take `2 3 x` or `2 = text` into the notes and return them."""
    found = _sheet(ui, table)
    if found is None or not text:
        return notes_spoken(ui, table)
    sheet, notes, ctx = found
    words = text.split()
    number = int(words[0]) if words[0].isdecimal() and len(words[0]) < 4 else 0
    seat = number - 1
    if seat not in sheet.seats:
        return [ctx.say("notes.plain.bad", what=text)]
    head, equals, line = text.partition("=")
    if equals and head.strip() == words[0]:
        ui.notes[table.room] = notes.written(seat, line.strip())
        return notes_spoken(ui, table)
    role = _role_of(words[1], sheet, ctx) if len(words) == 3 else None
    guess = _MARKS.get(words[2]) if len(words) == 3 else None
    if role is None or guess is None:
        return [ctx.say("notes.plain.bad", what=text)]
    if sheet.fact(seat, role) is not None:
        told = ctx.say(
            "notes.cell",
            who=ctx.name(seat),
            role=role_name(role, ctx),
            mark=_mark_word(sheet, notes, seat, role, ctx),
        )
        return [ctx.say("notes.plain.fixed", what=told)]
    ui.notes[table.room] = notes.marked(seat, role, guess)
    return notes_spoken(ui, table)


def _role_of(word: str, sheet: Sheet, ctx: Context) -> str | None:
    """Return the role that a word means: its number, its id or its name."""
    if word.isdecimal() and len(word) < 4:
        return sheet.roles[int(word) - 1] if 1 <= int(word) <= len(sheet.roles) else None
    for role in sheet.roles:
        if word.casefold() in (role.casefold(), role_name(role, ctx).casefold()):
            return role
    return None
