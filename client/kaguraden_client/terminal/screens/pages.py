"""Pages over a screen: a question, leaving, the log, the seats, standing answers, explanations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaguraden_protocol import messages
from kaguraden_protocol.limits import MAX_PASSWORD_CHARACTERS, MAX_WORD_CHARACTERS

from .. import markdown
from ..editor import Editor
from ..painters import Context, painter_for, paragraphs
from ..text import Fragment, Line, clean, cut_line, line_text, pad, wrap_line
from ..text import width as cells_of
from ..words import has
from .base import Body, Keys, Screen, input_body, rule, scrolled

if TYPE_CHECKING:
    from ..ui import Ui

__all__ = [
    "Ask",
    "ExplainPage",
    "LeavePage",
    "LogPage",
    "RulesPage",
    "Scrolling",
    "SeatsPage",
    "StandingPage",
]


class Ask(Screen):
    """A question that takes a line of text: a code, a name, a password."""

    def __init__(
        self,
        purpose: str,
        label: str,
        text: str = "",
        *,
        note: str = "",
        room: str = "",
        role: messages.Role | None = None,
    ) -> None:
        limit = MAX_PASSWORD_CHARACTERS if purpose in ("hall", "password") else MAX_WORD_CHARACTERS
        self.purpose, self.label, self.note = purpose, label, note
        self.room, self.role = room, role
        self.editor = Editor.of(text, limit)

    def title(self, ui: Ui) -> str:
        """Return what is asked."""
        return f"· {ui.say(self.label)}"

    def body(self, ui: Ui, width: int, height: int) -> Body:
        """Return the line that is typed into; a password shows as dots."""
        editor = self.editor
        if self.purpose in ("hall", "password"):
            editor = Editor("*" * len(editor.text), editor.at, editor.limit)
        more = wrap_line((("alert", " " + self.note),), width, 1) if self.note else []
        return input_body(ui.say(self.label), editor, width, more)

    def keys(self, ui: Ui) -> Keys:
        """Return the keys of a question."""
        return [
            ("Enter", ui.say("key.ok")),
            ("Esc", ui.say("key.back")),
            ("^C", ui.say("key.quit")),
        ]

    def press(self, ui: Ui, key: str) -> None:
        """Apply a key."""
        if key == "escape":
            if self.purpose not in ("hall", "name"):
                ui.pop()
            return
        if key != "enter":
            self.editor = self.editor.press(key)
            return
        text = self.editor.text.strip()
        if not text:
            return
        ui.pop()
        match self.purpose:
            case "code":
                ui.ask(messages.Join(id=0, room=text.upper(), as_=self.role))
            case "password":
                ui.ask(messages.Join(id=0, room=self.room, as_=self.role, password=text))
            case "hall":
                ui.session.introduce(password=text)
            case "name":
                ui.session.introduce(name=text)

    def paste(self, ui: Ui, text: str) -> None:
        """Put text in."""
        self.editor = self.editor.insert(text)


class LeavePage(Screen):
    """Leaving: the program, or the table."""

    def title(self, ui: Ui) -> str:
        """Return the page's name."""
        return f"· {ui.say('leave.title')}"

    def body(self, ui: Ui, width: int, height: int) -> Body:
        """Say what leaving means here."""
        in_room = ui.room is not None
        text = "leave.quit"
        if ui.embedded and in_room:
            text = "leave.quit_embedded"
        elif in_room:
            text = "leave.quit_kept"
        keys = "leave.keys" if in_room else "leave.keys_lobby"
        lines: list[Line] = [()]
        lines += wrap_line((("strong", " " + ui.say(text)),), width, 1)
        lines += [(), *wrap_line((("", " " + ui.say(keys)),), width, 1)]
        return Body(tuple(lines[:height]))

    def keys(self, ui: Ui) -> Keys:
        """Return the ways out."""
        keys = [("Enter", ui.say("key.quit")), ("Esc", ui.say("key.stay"))]
        if ui.room is not None:
            keys.insert(1, ("l", ui.say("key.lobby")))
        return keys

    def press(self, ui: Ui, key: str) -> None:
        """Apply a key."""
        from ..ui import Quit

        match key:
            case "enter":
                ui.effects.append(Quit())
            case "escape":
                ui.pop()
            case "l" if ui.room is not None:
                room = ui.room
                ui.to_lobby()
                ui.ask(messages.Leave(id=0, room=room))


class Scrolling(Screen):
    """A page of lines that scrolls."""

    heading = ""

    def __init__(self) -> None:
        self.offset = 0

    def title(self, ui: Ui) -> str:
        """Return the page's name."""
        return f"· {ui.say(self.heading)}"

    def lines(self, ui: Ui, width: int) -> list[Line]:
        """Return the whole page."""
        raise NotImplementedError

    def body(self, ui: Ui, width: int, height: int) -> Body:
        """Return the part of the page that shows."""
        self._height = height
        shown, self.offset = scrolled(self.lines(ui, width), self.offset, height)
        return Body(shown)

    def keys(self, ui: Ui) -> Keys:
        """Return the keys of a page."""
        return [
            ("Esc", ui.say("key.close")),
            ("↑↓ PgUp PgDn", ui.say("key.scroll")),
            ("F2", ui.say("key.language")),
        ]

    def press(self, ui: Ui, key: str) -> None:
        """Apply a key."""
        page = max(1, getattr(self, "_height", 10) - 1)
        match key:
            case "escape" | "q" | "enter":
                ui.pop()
            case "up":
                self.offset -= 1
            case "down":
                self.offset += 1
            case "pageup":
                self.offset -= page
            case "pagedown" | "space":
                self.offset += page
            case "home":
                self.offset = 0
            case "end":
                self.offset = 1_000_000


class RulesPage(Scrolling):
    """How a game is played: its rulebook, or in short with the signs and keys; and its cards."""

    heading = "rules.title"

    def __init__(self, game: str) -> None:
        super().__init__()
        self.game = game
        self.short = False  # whether the short account was asked for
        self._sections: tuple[int, ...] = ()  # the lines where they begin, as drawn last

    def _book(self, ui: Ui) -> str:
        """Return the rulebook; empty where the server has none, or has not answered yet."""
        return ui.catalog_of(self.game).rulebook[ui.lang]

    def lines(self, ui: Ui, width: int) -> list[Line]:
        """Return the account of the game, then every card that is known."""
        painter = painter_for(self.game)
        catalog = ui.catalog_of(self.game)
        ctx = Context(lang=ui.lang, catalog=catalog)
        cells = max(10, width - 2)
        book = self._book(ui)
        if book and not self.short:
            told = markdown.page(book, cells)
            lines = [_indented(line) for line in told.lines]
            sections = list(told.sections)
        else:
            lines = [_indented(line) for line in paragraphs(painter.page(ctx), cells)]
            sections = [0]
        if catalog.cards:
            sections.append(len(lines) + 1)
            lines += [(), rule((("rule.name", ui.say("rules.cards")),), width)]
            for card in catalog.cards:
                lines += _card_lines(painter.card_page(card, ctx), width)
        self._sections = tuple(sections)
        return lines

    def body(self, ui: Ui, width: int, height: int) -> Body:
        """Return the part that shows; in the other language, or wider, it is the same section."""
        before = self._sections
        lines = self.lines(ui, width)
        if before != self._sections and len(before) == len(self._sections):
            passed = [i for i, line in enumerate(before) if line <= self.offset]
            self.offset = self._sections[passed[-1]] if passed else self.offset
        self._height = height
        shown, self.offset = scrolled(lines, self.offset, height)
        return Body(shown)

    def keys(self, ui: Ui) -> Keys:
        """Return the keys of a page, and those of a rulebook."""
        close, scroll, language = super().keys(ui)
        keys = [close, scroll, ("←→", ui.say("key.section"))]
        if self._book(ui):
            keys.append(("Tab", ui.say("key.book" if self.short else "key.short")))
        return [*keys, language]

    def press(self, ui: Ui, key: str) -> None:
        """Close with F1 as well."""
        match key:
            case "tab" if self._book(ui):
                self.short = not self.short
                self.offset = 0
            case "left":
                self.offset = max((s for s in self._sections if s < self.offset), default=0)
            case "right":
                after = (s for s in self._sections if s > self.offset)
                self.offset = min(after, default=self.offset)
            case "f1":
                super().press(ui, "escape")
            case _:
                super().press(ui, key)


class ExplainPage(Scrolling):
    """What the entry under the cursor means, or the cards that lie on the table."""

    heading = "explain.title"

    def lines(self, ui: Ui, width: int) -> list[Line]:
        """Return the explanation; it follows the language, and what is under the cursor."""
        table = ui.table
        if table is None:
            return []
        ctx = ui.context(table)
        choosing = ui.menu.is_open and ui.menu.sent is None and not ui.shade
        node = ui.menu.under_cursor() if choosing else None
        texts = ui.painter.explain(node, table.view, ctx) or [ui.say("explain.nothing")]
        card = ui.menu.card_under_cursor() if choosing else None
        page = ui.painter.card_page(card, ctx) if card is not None else []
        if page:
            texts = [*page, "", *texts]
        return [(), *(_indented(line) for line in paragraphs(texts, max(10, width - 2)))]

    def press(self, ui: Ui, key: str) -> None:
        """Close with the key that opened it as well."""
        super().press(ui, "escape" if key == "?" else key)


class LogPage(Scrolling):
    """Everything that happened, with search."""

    heading = "log.title"

    def __init__(self) -> None:
        super().__init__()
        self.offset = 1_000_000  # the end
        self.search: Editor | None = None
        self.word = ""
        self._width = 80  # as drawn last: places in the log depend on it

    def lines(self, ui: Ui, width: int) -> list[Line]:
        """Return the log, the oldest first, with what was looked for marked."""
        table = ui.table
        lines: list[Line] = []
        for line in reversed(list(ui.log_lines(table) if table is not None else ())):
            lines += [self._marked(one) for one in wrap_line(line, width, 3)]
        return lines or [(("dim", " " + ui.say("log.empty")),)]

    def _marked(self, line: Line) -> Line:
        word = self.word.casefold()
        if not word or word not in line_text(line).casefold():
            return line
        return tuple(("found", text) for _, text in line)

    def _found(self, lines: list[Line]) -> list[int]:
        return [i for i, line in enumerate(lines) if line and line[0][0] == "found"]

    def body(self, ui: Ui, width: int, height: int) -> Body:
        """Return the part that shows, and the search line."""
        self._width = width
        if self.search is None and not self.word:
            return super().body(ui, width, height)
        lines = self.lines(ui, width)
        self._height = height - 1
        shown, self.offset = scrolled(lines, self.offset, max(0, height - 1))
        shown += ((),) * (height - 1 - len(shown))
        if self.search is None:
            text = f" {ui.say('log.search')}: {self.word} · {ui.say('log.found', n=len(self._found(lines)))}"
            return Body((*shown, cut_line((("dim", text),), width)))
        text, at = self.search.window(max(1, width - 20))
        label = f" {ui.say('log.search')}: "
        return Body(
            (*shown, (("field", label), ("input", text + " "))), (cells_of(label) + at, height - 1)
        )

    def keys(self, ui: Ui) -> Keys:
        """Return the keys of the log."""
        if self.search is not None:
            return [("Enter", ui.say("key.search")), ("Esc", ui.say("key.back"))]
        return [("Esc", ui.say("key.close")), ("↑↓ PgUp PgDn", ui.say("key.scroll")), ("/", ui.say("key.search")),
                ("n N", ui.say("key.next")), ("F2", ui.say("key.language"))]  # fmt: skip

    def press(self, ui: Ui, key: str) -> None:
        """Apply a key."""
        if self.search is not None:
            if key == "escape":
                self.search = None
            elif key == "enter":
                self.word, self.search = self.search.text.strip(), None
                self._jump(ui, -1)
            else:
                self.search = self.search.press(key)
            return
        match key:
            case "/":
                self.search = Editor.of("", 60)
            case "n":
                self._jump(ui, 1)
            case "N":
                self._jump(ui, -1)
            case "f3":
                ui.pop()
            case "escape" if self.word:
                self.word = ""
            case _:
                super().press(ui, key)

    def paste(self, ui: Ui, text: str) -> None:
        """Put text into the search."""
        if self.search is not None:
            self.search = self.search.insert(text)

    def _jump(self, ui: Ui, step: int) -> None:
        found = self._found(self.lines(ui, self._width))
        if not found:
            return
        after = [i for i in found if (i > self.offset if step > 0 else i < self.offset)]
        at = 0 if step > 0 else -1
        self.offset = after[at] if after else found[at]


class SeatsPage(Scrolling):
    """Who sits where, with all that is public about a seat; and what the host may do."""

    heading = "seats.title"

    def __init__(self) -> None:
        super().__init__()
        self.at = 0
        self.asking: tuple[str, int] | None = None  # "kick" or "host", and whom

    def lines(self, ui: Ui, width: int) -> list[Line]:
        """Return every seat in full."""
        table = ui.table
        if table is None or table.info is None:
            return []
        ctx = ui.context(table)
        seats = table.info.seats
        self.at = max(0, min(self.at, len(seats) - 1))
        lines: list[Line] = []
        self._places = []
        for i, seat in enumerate(seats):
            self._places.append(len(lines))
            lines.append(cut_line(seat_line(ui, ctx, seat, here=i == self.at), width))
            if table.view:
                lines += ui.painter.seat_details(table.view, seat.seat, ctx, width)
        lines += [(), (("dim", " " + ui.say("room.spectators", n=table.info.spectators)),)]
        return lines

    def body(self, ui: Ui, width: int, height: int) -> Body:
        """Return the part with the seat at the cursor."""
        lines = self.lines(ui, width)
        place = self._places[self.at] if getattr(self, "_places", None) else 0
        if not self.offset <= place < self.offset + max(1, height - 3):
            self.offset = place
        question: list[Line] = []
        if self.asking is not None and ui.table is not None:
            what, seat = self.asking
            text = ui.say(f"seats.{what}", who=ui.context(ui.table).name(seat))
            question = wrap_line((("alert", " " + text),), width, 1)[:height]
        height -= len(question)
        shown, self.offset = scrolled(lines, self.offset, height)
        if question:
            shown += ((),) * (height - len(shown))
        return Body((*shown, *question))

    def keys(self, ui: Ui) -> Keys:
        """Return the host's keys as well, for the host."""
        if self.asking is not None:
            return [("Enter", ui.say("yes")), ("Esc", ui.say("no"))]
        keys = [("Esc", ui.say("key.close")), ("↑↓", ui.say("key.move"))]
        table = ui.table
        if table is not None and ui.is_host(table):
            keys += [("b", ui.say("key.bot")), ("k", ui.say("key.kick")), ("h", ui.say("key.host"))]
        return [*keys, ("F2", ui.say("key.language"))]

    def press(self, ui: Ui, key: str) -> None:
        """Apply a key."""
        table = ui.table
        if table is None or table.info is None or not table.info.seats:
            ui.pop()
            return
        seat = table.info.seats[min(self.at, len(table.info.seats) - 1)]
        if self.asking is not None:
            self._decide(ui, table.room, key)
            return
        match key:
            case "escape" | "f4" | "q" | "enter":
                ui.pop()
            case "up":
                self.at = max(0, self.at - 1)
            case "down":
                self.at = min(len(table.info.seats) - 1, self.at + 1)
            case "b" if ui.is_host(table):
                # On a seat that somebody holds: in any that is free.
                at = seat.seat if seat.user is None or seat.away else None
                ui.ask(messages.Bot(id=0, room=table.room, seat=at, level=ui.quick_level))
            case "k" if ui.is_host(table) and seat.user is not None:
                self.asking = ("kick", seat.seat)
            case "h" if ui.is_host(table) and seat.user is not None:
                self.asking = ("host", seat.seat)

    def _decide(self, ui: Ui, room: str, key: str) -> None:
        """Take the answer to a question about a seat."""
        if self.asking is None or key not in ("enter", "escape"):
            return
        (what, seat), self.asking = self.asking, None
        if key == "enter" and what == "kick":
            ui.ask(messages.Kick(id=0, room=room, seat=seat))
        elif key == "enter":
            ui.ask(messages.Host(id=0, room=room, seat=seat))


def seat_line(ui: Ui, ctx: Context, seat: messages.SeatInfo, *, here: bool = False) -> Line:
    """Return a seat's line: number, name, what it is, whether it is ready."""
    line: list[Fragment] = [
        ("menu.at" if here else "", " ❯" if here else "  "),
        ("menu.key", f"{seat.seat + 1} "),
    ]
    if seat.user is None:
        return (*line, ("dim", ui.say("seat.empty")))
    line.append(("menu.at" if here else "strong", pad(ctx.name(seat.seat), 20)))
    marks: list[Fragment] = []
    if seat.seat == ctx.me:
        marks.append(("you", ui.say("you")))
    if seat.bot:
        level = f"level.{seat.bot}"
        told = ui.say(level) if has(level) else clean(seat.bot)
        marks.append(("dim", ui.say("bot") + ui.say("in_brackets", what=told)))
    if seat.host:
        marks.append(("strong", ui.say("host")))
    if seat.away:
        marks.append(("away", ui.say("away")))
    if ui.table is not None and ui.table.info is not None and ui.table.info.phase == "lobby":
        marks.append(("good", ui.say("ready")) if seat.ready else ("dim", ui.say("not_ready")))
    if seat.pause:
        marks.append(("dim", ui.say("pause.asked")))
    for mark in marks:
        line += [("", "  "), mark]
    return tuple(line)


class StandingPage(Scrolling):
    """Standing answers: for which questions one is asked, and which one always passes."""

    heading = "auto.title"

    def __init__(self) -> None:
        super().__init__()
        self.at = 0

    def _windows(self, ui: Ui) -> tuple[messages.WindowInfo, ...]:
        table = ui.table
        game = ui.game(table.info.game) if table is not None and table.info is not None else None
        return game.windows if game is not None else ()

    def _mode(self, ui: Ui, window: messages.WindowInfo) -> messages.Mode:
        table = ui.table
        told = table.modes.get(window.kind) if table is not None else None
        return (
            messages.Mode(told)
            if told
            else messages.Mode.PASS
            if window.passes
            else messages.Mode.ASK
        )

    def lines(self, ui: Ui, width: int) -> list[Line]:
        """Return each kind of question, what it means, and what is done."""
        windows = self._windows(ui)
        if not windows:
            return [(("dim", " " + ui.say("auto.none")),)]
        lines = [(), *wrap_line((("dim", " " + ui.say("auto.text")),), width, 1), ()]
        ja = ui.lang.value == "ja"
        for i, window in enumerate(windows):
            here = i == self.at
            mode = ui.say(f"auto.{self._mode(ui, window).value}")
            name, text = (
                (window.name.ja, window.text.ja) if ja else (window.name.en, window.text.en)
            )
            lines.append((
                ("menu.at" if here else "", " ❯" if here else "  "),
                ("menu.key", f"{i + 1} "),
                ("strong", f"[{mode}] "),
                ("strong", clean(name)),
            ))  # fmt: skip
            lines += [
                (("", "     "), *line)
                for line in wrap_line((("", clean(text)),), max(4, width - 5))
            ]
        return [cut_line(line, width) for line in lines]

    def keys(self, ui: Ui) -> Keys:
        """Return the keys of standing answers."""
        return [("1-9", ui.say("key.change")), ("↑↓", ui.say("key.move")), ("Space", ui.say("key.change")),
                ("Esc", ui.say("key.close")), ("F2", ui.say("key.language"))]  # fmt: skip

    def press(self, ui: Ui, key: str) -> None:
        """Apply a key."""
        windows = self._windows(ui)
        match key:
            case "escape" | "a" | "q":
                ui.pop()
            case "up":
                self.at = max(0, self.at - 1)
            case "down":
                self.at = min(max(0, len(windows) - 1), self.at + 1)
            case "space" | "enter" | "left" | "right" if windows:
                self._switch(ui, windows[min(self.at, len(windows) - 1)])
            case _ if len(key) == 1 and key in "123456789" and int(key) <= len(windows):
                self.at = int(key) - 1
                self._switch(ui, windows[self.at])

    def _switch(self, ui: Ui, window: messages.WindowInfo) -> None:
        table = ui.table
        if table is None:
            return
        other = (
            messages.Mode.ASK
            if self._mode(ui, window) is messages.Mode.PASS
            else messages.Mode.PASS
        )
        ui.ask(messages.Auto(id=0, room=table.room, window=window.kind, mode=other))


def _indented(line: Line) -> Line:
    return (("", " "), *line)


def _card_lines(texts: list[str], width: int) -> list[Line]:
    if not texts:
        return []
    name, *rest = texts
    lines: list[Line] = [(), (("strong", f" {name}"),)]
    for text in rest:
        lines += [(("", "   "), *line) for line in wrap_line((("", text),), max(4, width - 4))]
    return [cut_line(line, width) for line in lines]
