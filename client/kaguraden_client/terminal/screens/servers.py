"""The list of servers, in front of the lobby: those in the network, those of before, one's own."""

from __future__ import annotations

from attrs import define, evolve, field, frozen

from ...discovery import Search, Seen
from ...links import read_link
from ..editor import Editor
from ..finding import Own, Target, open_rooms, reach_lines, room_line, server_line
from ..text import Line, clean, cut_line, wrap_line
from ..words import Lang, say
from .base import Body, Keys, compose, input_body, key_line, scrolled

__all__ = ["Code", "Servers"]

SWAP_SECONDS = 0.4  # how long a digit is not taken after it came to stand for something else
MAX_TYPED = 300  # a join link with a fingerprint has some 120 characters


@frozen
class Code:
    """To look for a table by its code."""

    code: str


@frozen
class _Entry:
    text: str
    target: Target
    indent: int = 1
    is_there: bool = True


@define(eq=False)
class Servers:
    """The screen. `choice` is set when the user has chosen; `is_over` also when one leaves."""

    lang: Lang
    program: str
    search: Search
    note: str = ""
    choice: Target | Code | None = None
    is_over: bool = False
    wants_look: bool = False  # the user asks for another look
    at: int | None = None  # None until the user moves: the first that is there, or one's own
    _now: list[Target] = field(factory=list, init=False)  # what is listed, as drawn
    _before: list[Target] = field(factory=list, init=False)  # and what was, before it changed
    _changed_at: float = field(default=-1e9, init=False)
    _asks: str = field(default="", init=False)  # for a "code" or an "address"
    _editor: Editor = field(factory=Editor, init=False)

    def _say(self, key: str, **values: object) -> str:
        return say(self.lang, key, **values)

    def _groups(self) -> list[tuple[str, list[_Entry]]]:
        near: list[_Entry] = []
        before: list[_Entry] = []
        for seen in self.search.seen.values():
            group = before if seen.server.announcement is None else near
            group += self._of(seen)
        own = [_Entry(self._say("find.own"), Own())]
        return [
            (self._say("find.lan"), near),
            (self._say("find.before"), before),
            ("", own),
        ]

    def _of(self, seen: Seen) -> list[_Entry]:
        rooms = [
            _Entry(room_line(room, self.lang), evolve(seen.best, room=room.room), 3)
            for room in open_rooms(seen)
        ]
        is_there = seen.link is not None
        return [_Entry(server_line(seen, self.lang), seen.best, is_there=is_there), *rooms]

    def _entries(self) -> list[_Entry]:
        return [entry for _, entries in self._groups() for entry in entries]

    # --- drawing ----------------------------------------------------------------------------------

    def paint(self, cells: int, height: int, now: float) -> Body:
        """Return the whole screen: `height` lines of `cells` cells."""
        targets = [entry.target for entry in self._entries()]
        if targets != self._now:
            self._before, self._now, self._changed_at = self._now, targets, now
        cells, height = max(1, cells), max(1, height)
        title: Line = (("title", f" {self._say('app.name')} · {self._say('find.title')}"),)
        keys = key_line(self._keys(), cells)
        if self._asks:
            label = self._say("lobby.code" if self._asks == "code" else "find.address")
            hint = self._say("find.address_like") if self._asks == "address" else ""
            told = [("alert", self.note), ("dim", hint)]
            more = [
                line
                for style, text in told
                if text
                for line in wrap_line(((style, " " + text),), cells, 1)
            ]
            return compose(title, input_body(label, self._editor, cells, more), keys, cells, height)
        lines, focus = self._lines(cells)
        room = max(0, height - 2)
        shown, _ = scrolled(lines, focus - room // 2 if len(lines) > room else 0, room)
        return compose(title, Body(shown), keys, cells, height)

    def _lines(self, cells: int) -> tuple[list[Line], int]:
        lines: list[Line] = [()]
        number, focus = 0, 0
        entries = self._entries()
        at = self._cursor(entries)
        for head, group in self._groups():
            if group and head:
                lines.append((("rule.name", f" {head}"),))
            for entry in group:
                here = number == at
                if here:
                    focus = len(lines)
                line: Line = (
                    ("menu.at" if here else "", " ❯" if here else "  "),
                    ("menu.key", str(number + 1) if number < 9 else " "),
                    ("strong" if entry.indent == 1 else "", " " * entry.indent + entry.text),
                )
                lines.append(cut_line(line, cells))
                number += 1
            if group:
                lines.append(())
        if not self.search.is_over:
            lines += wrap_line((("dim", " " + self._say("find.looking")),), cells, 1)
        for text in reach_lines(self.search, self.lang, self.program):
            lines += wrap_line((("", " " + text),), cells, 1)
        if self.note:
            lines += wrap_line((("alert", " " + self.note),), cells, 1)
        return lines, focus

    def _cursor(self, entries: list[_Entry]) -> int:
        if self.at is None:
            return next(i for i, entry in enumerate(entries) if entry.is_there)
        return max(0, min(self.at, len(entries) - 1))

    def _keys(self) -> Keys:
        if self._asks:
            return [("Enter", self._say("key.ok")), ("Esc", self._say("key.back"))]
        return [
            ("1-9", self._say("key.choose")), ("c", self._say("key.code")),
            ("a", self._say("key.address")), ("o", self._say("key.own")),
            ("r", self._say("key.look")), ("F2", self._say("key.language")),
            ("^C", self._say("key.quit")),
        ]  # fmt: skip

    # --- keys -------------------------------------------------------------------------------------

    def press(self, key: str, now: float) -> None:
        """Take a key."""
        if key == "c-c":
            self.is_over = True
        elif key == "f2":
            self.lang = self.lang.other
        elif self._asks:
            self._press_editor(key)
        else:
            self.note = ""
            if not self._was_other(key, now):
                self._press(key)

    def _was_other(self, key: str, now: float) -> bool:
        """Tell whether a digit stood for something else until a moment ago, as servers came in."""
        if now - self._changed_at > SWAP_SECONDS or key not in "123456789":
            return False
        here = slice(int(key) - 1, int(key))
        return bool(self._before[here]) and self._before[here] != self._now[here]

    def _press(self, key: str) -> None:
        entries = self._entries()
        at = self._cursor(entries)
        match key:
            case "up" | "down":
                self.at = max(0, min(len(entries) - 1, at + (1 if key == "down" else -1)))
            case "enter":
                self._choose(entries[at].target)
            case "o":
                self._choose(Own())
            case "r":
                self.wants_look = True
            case "q":
                self.is_over = True
            case "c" | "a":
                self._asks, self._editor = (
                    "code" if key == "c" else "address",
                    Editor(limit=MAX_TYPED),
                )
            case _ if len(key) == 1 and key in "123456789" and int(key) <= len(entries):
                self._choose(entries[int(key) - 1].target)

    def _press_editor(self, key: str) -> None:
        if key == "escape":
            self._asks = self.note = ""
            return
        if key != "enter":
            self._editor = self._editor.press(key)
            return
        text = self._editor.text.strip()
        if not text:
            return
        if self._asks == "code":
            self._choose(Code(text.upper()))
            return
        try:
            self._choose(read_link(text))
        except ValueError as error:
            self.note = self._say("find.bad_address", why=clean(error))

    def _choose(self, choice: Target | Code) -> None:
        self.choice, self.is_over = choice, True

    def paste(self, text: str, now: float) -> None:
        """Take pasted text, where something is typed."""
        del now
        if self._asks:
            self._editor = self._editor.insert(text)
