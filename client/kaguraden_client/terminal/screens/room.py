"""A room: who sits there before the game, the table during it, the ranking after it."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kaguraden_protocol import messages

from ...reading import Json, as_dict, as_str
from ...table import Table
from ..editor import Editor
from ..fairness import check_seed
from ..menu import Note
from ..style import grey
from ..text import Line, clean, cut, cut_line, line_width, wrap_line
from .base import Body, Keys, Screen, edit_line, rule
from .books import DailyPage
from .deck import DeckScreen, can_build, deck_line
from .menu_lines import menu_body
from .newroom import Options, example_text, option_name, option_value
from .notes import NotesPage
from .pages import ExplainPage, LeavePage, LogPage, RulesPage, SeatsPage, StandingPage, seat_line

if TYPE_CHECKING:
    from ..ui import Ui

__all__ = ["RoomScreen", "is_loopback", "is_nearby", "next_step"]

_MENU_KEYS = frozenset(
    [
        "0",
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
        "7",
        "8",
        "9",
        "-",
        "enter",
        "escape",
        "space",
        "up",
        "down",
        "left",
        "right",
        "pageup",
        "pagedown",
        "home",
        "end",
        "backspace",
        "delete",
    ]
)
_MENU_LINES = 4  # that are kept for the open decision, so that the rest stays where it is
_MENU_MOST = 6  # that it may take
_TALL = 34  # lines from which on both may be more
_VALUE_CELLS = 40  # of an option's value: a share code is longer
_LOG_LINES = 3  # that the log gets before the table is given more room


def is_loopback(url: str) -> bool:
    """Whether an address means the computer that one sits at."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def next_step(ui: Ui, table: Table, info: messages.RoomInfo) -> str:
    """Return what is to be done, or waited for, before the game begins."""
    mine = ui.seat_of(table)
    is_host = ui.is_host(table)
    waiting = [s for s in info.seats if s.user and not s.ready]
    if mine is not None and any(s.seat == mine for s in waiting):
        return ui.say("room.you_ready")
    if any(s.user is None for s in info.seats):
        return ui.say("room.wait_seats" if is_host else "room.wait_people")
    if waiting:
        names = ui.say("list.comma").join(clean(s.name or "") for s in waiting)
        return ui.say("room.wait_ready", who=names)
    return ui.say("room.all_ready" if is_host else "room.wait_host")


def is_nearby(url: str) -> bool:
    """Whether an address is of a network like those at home, where a table is found by its code."""
    try:
        ip = ipaddress.ip_address((urlsplit(url).hostname or "").partition("%")[0])
    except ValueError:
        return False
    return ip.is_private and not ip.is_loopback


def _value_text(ui: Ui, game: str, value: Json, name: str) -> str:
    """Return an option's value: by its name where it has one, and not at any length."""
    named = example_text(ui, game, value) if isinstance(value, str) else ""
    if isinstance(value, list | tuple):
        texts = (example_text(ui, game, as_str(one)) or clean(as_str(one)) for one in value)
        named = cut(ui.say("list.comma").join(texts), _VALUE_CELLS)
    return named or cut(option_value(ui, value, name), _VALUE_CELLS)


def _is_daily(table: Table) -> bool:
    return as_dict(table.view.get("table")).get("daily") is True


def _can_pause(table: Table) -> bool:
    """Whether there is a clock to stop: that of a book of the day is the day, which goes on."""
    return len(table.clocks) > (1 if _is_daily(table) else 0)


class RoomScreen(Screen):
    """One room, whatever its phase."""

    def __init__(self, room: str) -> None:
        self.room = room
        self.chat: Editor | None = None
        self.scroll = 0  # of the table, where it does not fit
        self.notes = NotesPage()  # one for the room, so that its cursor stays

    def title(self, ui: Ui) -> str:
        """Return the code, the game and how far it is."""
        table = ui.table
        if table is None:
            return f"· {clean(self.room)}"
        name = ui.game_name(table.info.game) if table.info is not None else ""
        watching = ui.say("spectator") if ui.seat_of(table) is None else ""
        parts = [f"{clean(self.room)}", watching, name]
        if table.view:
            parts.append(ui.painter.headline(table.view, ui.context(table)))
        else:
            parts.append(ui.say("room.waiting"))
        return " · ".join(part for part in parts if part)

    # --- drawing --------------------------------------------------------------------------------

    def body(self, ui: Ui, width: int, height: int) -> Body:
        """Return the room."""
        table = ui.table
        if table is None:
            return Body(())
        if not table.view:
            return self._before(ui, table, width, height)
        return self._during(ui, table, width, height)

    def _before(self, ui: Ui, table: Table, width: int, height: int) -> Body:
        ctx = ui.context(table)
        lines: list[Line] = [()]
        info = table.info
        if info is not None:
            title = ui.say("room.title", title=clean(info.title)) if info.title else ""
            head: Line = (("strong", f" {ui.say('room.code', code=clean(info.room))}"),)
            head += (("", f"   {title}"),) if title else ()
            head += (("alert", f"   {ui.say('room.locked')}"),) if info.locked else ()
            lines.append(head)
            if not ui.embedded and ui.url:
                here = is_loopback(ui.url)
                told = [
                    ui.say("room.invite_here" if here else "room.invite"),
                    *([f"  {ui.program} join {clean(info.room)}"] if is_nearby(ui.url) else []),
                    # On a line of its own, so that it can be copied.
                    f"  {ui.program} play {ui.url} --room {clean(info.room)}",
                    *([ui.say("room.invite_elsewhere")] if here else []),
                ]
                for text in told:
                    lines += wrap_line((("dim", " " + text),), width, 1)
            lines.append(())
            lines += [seat_line(ui, ctx, seat) for seat in info.seats]
            lines.append(())
            lines += self._options(ui, info, width)
            if deck := deck_line(ui, info.room):
                lines.append((("dim", " " + deck),))
            lines.append(())
            lines += wrap_line((("strong", " " + next_step(ui, table, info)),), width, 1)
        return self._with_log(
            ui, table, [cut_line(line, width) for line in lines], [], width, height
        )

    def _options(self, ui: Ui, info: messages.RoomInfo, width: int) -> list[Line]:
        game = ui.game(info.game)
        properties = as_dict(game.options.get("properties")) if game is not None else {}
        changed = [
            f"{option_name(ui, name)} {_value_text(ui, info.game, value, name)}"
            for name, value in info.options.items()
            if name in properties and as_dict(properties[name]).get("default") != value
        ]
        if not changed:
            return [(("dim", " " + ui.say("room.options_standard")),)]
        text = f" {ui.say('room.options')}: {ui.say('list.comma').join(changed)}"
        return wrap_line((("dim", text),), width, 3)

    def _during(self, ui: Ui, table: Table, width: int, height: int) -> Body:
        ctx = ui.context(table)
        view, painter, menu = table.view, ui.painter, ui.menu
        decision = menu.decision
        tall = height >= _TALL
        keep = _MENU_LINES + (2 if tall else 0)
        # The form of the table must not hang on what one is asked, nor on a notice: it would jump.
        fixed = 2 + (painter.over_lines if table.is_over else keep + _LOG_LINES)
        top = painter.table(view, ctx, width, max(0, height + ui.note_lines - fixed))
        bottom: list[Line] = [self._situation(ui, table, width)]
        cursor: tuple[int, int] | None = None
        own = painter.own(view, ctx, width) if height > 6 and not table.is_over else []
        bottom += own[: 3 if tall else 2]
        room = max(keep, height - len(bottom) - len(top))
        room = max(1, min(_MENU_MOST + (4 if tall else 0), room, height - len(bottom)))
        begin = len(bottom)
        if table.is_over:
            bottom += self._over(ui, table, width)[: max(1, height - 2)]
        elif self.chat is None:
            shown = menu_body(
                menu,
                view,
                painter,
                ctx,
                width,
                room,
                online=ui.online,
                timed=painter.is_timed(view, [c.clock for c in table.clocks]),
            )
            if shown.cursor is not None:
                cursor = (shown.cursor[0], shown.cursor[1] + len(bottom))
            bottom += shown.lines
            if decision is not None and not menu.is_begun and not ui.shade and menu.sent is None:
                spare = height - len(bottom) - len(top) - _LOG_LINES - 2
                free = max(spare, keep - (len(bottom) - begin))
                text = painter.help(decision, view, ctx)
                told = wrap_line((("dim", " " + text),), width, 1) if text else []
                bottom += told if len(told) <= free else []
        if self.chat is not None:
            line, column = edit_line(ui.say("chat.prompt"), self.chat, width)
            cursor = (column, len(bottom))
            bottom.append(line)
        if height > 12:
            bottom += [()] * (keep - (len(bottom) - begin))
        bottom = bottom[:height]
        room = height - len(bottom)
        if len(top) > room:
            top = painter.table(view, ctx, width, room)
        if not table.current:
            top = [grey(line) for line in top]
        body = self._with_log(ui, table, top, bottom, width, height)
        if cursor is not None:
            cursor = (cursor[0], cursor[1] + len(body.lines) - len(bottom))
        return Body(body.lines, cursor)

    def _situation(self, ui: Ui, table: Table, width: int) -> Line:
        """Return the line between the table and the menu: what goes on, and the time for it."""
        name = ui.painter.situation(table.view, ui.menu.decision, ui.context(table))
        clock = ui.clock_text()
        right: Line = (("strong", clock),) if clock else ()
        mine = ui.seat_of(table)
        if clock and mine is not None and table.info is not None and _can_pause(table):
            asked = any(s.seat == mine and s.pause for s in table.info.seats)
            word = ui.say("key.unpause" if asked else "key.pause")
            more: Line = (("menu.key", "p"), ("dim", f" {word}  "), *right)
            if line_width(name) + line_width(more) + 8 <= width:
                right = more
        return rule(name, width, right)

    def _hint(self, ui: Ui, table: Table) -> Line:
        """Return what the host can do about a seat that everybody waits for."""
        info = table.info
        if info is None or info.phase != "playing" or not ui.is_host(table):
            return ()
        if any(s.user is None for s in info.seats):
            return (("alert", ui.say("room.free_seat")),)
        if any(s.away and not s.bot for s in info.seats):
            return (("alert", ui.say("room.away_seat")),)
        return ()

    def _over(self, ui: Ui, table: Table, width: int) -> list[Line]:
        lines = ui.painter.outcome(table.view, ui.context(table), width)
        kept = check_seed(table)
        if kept is not None:
            key = "fair.seed_ok" if kept else "fair.seed_bad"
            lines += wrap_line((("good" if kept else "alert", " " + ui.say(key)),), width, 1)
        return lines

    def _with_log(
        self, ui: Ui, table: Table, top: list[Line], bottom: list[Line], width: int, height: int
    ) -> Body:
        """Return the top, as much of the log as there is room for, and the bottom."""
        room = max(0, height - len(bottom))
        if len(top) > room:
            self.scroll = max(0, min(self.scroll, len(top) - room))
            shown = top[self.scroll : self.scroll + room]
            if shown and self.scroll + room < len(top):
                shown[-1] = (("dim", " ▼ PgDn"),)
            return Body((*shown, *bottom)[:height])
        self.scroll = 0
        left = room - len(top)
        log: list[Line] = []
        if left > 4:
            log = [rule((("rule.name", ui.say("log.title")),), width, self._hint(ui, table))]
        log += self._newest(ui, table, width, left - len(log))
        log += [()] * (left - len(log))
        return Body((*top, *log, *bottom)[:height])

    def _newest(self, ui: Ui, table: Table, width: int, count: int) -> list[Line]:
        """Return the newest of the log in at most `count` lines: no sentence without its beginning."""
        lines: list[Line] = []
        for line in ui.log_lines(table):
            wrapped = wrap_line(line, width, 3)
            if len(lines) + len(wrapped) > count:
                if not lines and count > 0:  # the newest alone is too long: F3 has it
                    lines = [
                        *wrapped[: count - 1],
                        cut_line((*wrapped[count - 1], ("", "…")), width),
                    ]
                break
            lines = [*wrapped, *lines]
        return lines

    # --- keys -----------------------------------------------------------------------------------

    def keys(self, ui: Ui) -> Keys:
        """Return the keys that do something now, the most important first."""
        say, table = ui.say, ui.table
        if self.chat is not None:
            return [("Enter", say("key.send")), ("Esc", say("key.back"))]
        common = [("Tab", say("key.chat")), ("F1", say("key.rules")), ("F2", say("key.language")),
                  ("F3", say("key.log")), ("F4", say("key.seats"))]  # fmt: skip
        if table is None:
            return common
        if not table.view:
            keys: Keys = [("r", say("key.ready"))] if ui.seat_of(table) is not None else []
            if can_build(ui):
                keys.append(("d", say("key.deck")))
            if ui.is_host(table):
                keys += [("s", say("key.start")), ("b", say("key.bot")), ("o", say("key.options"))]
            return [*keys, *common, ("^C", say("key.leave"))]
        if table.is_over:
            alone = table.info is not None and len(table.info.seats) == 1
            again = say("key.again" if alone else "key.rematch")
            seated = [("r", again)] if ui.seat_of(table) is not None else []
            if _is_daily(table):
                seated.append(("d", say("key.daily")))
            return [*seated, ("l", say("key.lobby")), *common, ("^C", say("key.quit"))]
        keys = []
        menu = ui.menu
        if menu.is_open and menu.sent is None and not ui.shade:
            if menu.confirming is not None:
                keys = [("Enter", say("key.ok")), ("Esc", say("key.back"))]
            elif menu.leaf is not None:
                tick = [("Space", say("key.tick"))] if menu.choices() else []
                keys = [*tick, ("Enter", say("key.ok")), ("Esc", say("key.back"))]
            elif menu.way:
                keys = [("Esc", say("key.back"))]
        if ui.seat_of(table) is None:
            watched = [("n", say("key.notes"))] if self._has_notes(ui, table) else []
            return [("?", say("key.explain")), *watched, *common, ("^C", say("key.leave"))]
        shade = say("key.show" if ui.shade else "key.hide")
        choose = [("0-9", say("key.choose"))] if menu.is_open and not ui.shade else []
        clocks = [("p", say("key.pause"))] if _can_pause(table) else []
        notes = [("n", say("key.notes"))] if self._has_notes(ui, table) else []
        return [*keys, ("?", say("key.explain")), *notes, ("a", say("key.auto")), ("F9", shade), *common,
                ("^C", say("key.leave")), *choose, *clocks]  # fmt: skip

    def press(self, ui: Ui, key: str) -> None:
        """Apply a key."""
        if self.chat is not None:
            self._press_chat(ui, self.chat, key)
            return
        match key:
            case "tab":
                self.chat = Editor.of("", 500)
                return
            case "f1":
                table = ui.table
                ui.push(
                    RulesPage(
                        table.info.game
                        if table is not None and table.info is not None
                        else ui.quick_game
                    )
                )
                return
            case "f3":
                ui.push(LogPage())
                return
            case "f4":
                ui.push(SeatsPage())
                return
        table = ui.table
        if table is None:
            return
        if not table.view:
            self._press_before(ui, table, key)
        elif table.is_over:
            self._press_after(ui, table, key)
        else:
            self._press_during(ui, table, key)

    def _press_before(self, ui: Ui, table: Table, key: str) -> None:
        is_host = ui.is_host(table)
        match key:
            case "r":
                mine = ui.seat_of(table)
                seats = table.info.seats if table.info is not None else ()
                if mine is not None:
                    ui.ready(table, on=not any(s.seat == mine and s.ready for s in seats))
            case "d" if can_build(ui):
                ui.push(DeckScreen(ui, table.room))
            case "s" if is_host:
                ui.ask(messages.Start(id=0, room=table.room))
            case "b" if is_host:
                ui.ask(messages.Bot(id=0, room=table.room, level=ui.quick_level))
            case "o" if is_host and table.info is not None:
                ui.push(Options(ui, table.info))
            case "?":
                ui.push(RulesPage(table.info.game if table.info is not None else ui.quick_game))

    def _press_during(self, ui: Ui, table: Table, key: str) -> None:
        menu = ui.menu
        match key:
            case "?":
                ui.push(ExplainPage())
                return
            case "a" if ui.seat_of(table) is not None:
                ui.push(StandingPage())
                return
            case "n" if self._has_notes(ui, table):
                ui.push(self.notes)
                return
            case "p" if _can_pause(table):
                mine = ui.seat_of(table)
                seats = table.info.seats if table.info is not None else ()
                paused = any(s.seat == mine and s.pause for s in seats)
                if mine is not None:
                    ui.ask(messages.Pause(id=0, room=table.room, on=not paused))
                return
        if not menu.is_open or menu.sent is not None:
            if key in ("pagedown", "down"):
                self.scroll += 5 if key == "pagedown" else 1
            elif key in ("pageup", "up"):
                self.scroll -= 5 if key == "pageup" else 1
            return
        if key not in _MENU_KEYS:
            return
        if ui.shade:  # the menu says so
            return
        if ui.just_swapped and (key.isdecimal() or key == "enter"):
            ui.menu = menu.with_note(Note("menu.swapped"))
            return
        if menu.page[1] == 1 and not menu.is_begun and key in ("pagedown", "pageup"):
            self.scroll += 5 if key == "pagedown" else -5
            return
        painter, view = ui.painter, table.view
        ctx = ui.context(table)
        ui.menu, answer = menu.press(
            key,
            lambda d, o: painter.careful(view, d, o) or bool(painter.warning(view, d, o, ctx)),
        )
        if answer is not None:
            ui.answer(table, answer)

    def _has_notes(self, ui: Ui, table: Table) -> bool:
        """Whether there is something to deduce here."""
        return ui.painter.sheet(table.view, ui.context(table)) is not None

    def _press_after(self, ui: Ui, table: Table, key: str) -> None:
        match key:
            case "r":
                if ui.seat_of(table) is not None:
                    ui.ask(messages.Rematch(id=0, room=table.room))
            case "l":
                ui.to_lobby()
                ui.ask(messages.Leave(id=0, room=table.room))
            case "?":
                ui.push(ExplainPage())
            case "escape":
                ui.push(LeavePage())
            case "n" if self._has_notes(ui, table):
                ui.push(self.notes)
            case "d" if as_dict(table.view.get("table")).get("daily") is True:
                ui.push(DailyPage(ui))
            case "left" | "right":
                ui.look_on(1 if key == "right" else -1)
            case "pagedown":
                self.scroll += 5
            case "pageup":
                self.scroll -= 5

    def _press_chat(self, ui: Ui, chat: Editor, key: str) -> None:
        match key:
            case "escape" | "tab":
                self.chat = None
            case "enter":
                text = chat.text.strip()
                self.chat = None
                if text:
                    ui.ask(messages.Chat(id=0, room=self.room, text=text))
            case _:
                self.chat = chat.press(key)

    def paste(self, ui: Ui, text: str) -> None:
        """Put text into the chat."""
        if self.chat is not None:
            self.chat = self.chat.insert(text)
