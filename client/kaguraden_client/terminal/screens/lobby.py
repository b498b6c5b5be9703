"""The lobby: one's own tables, the open ones, and the ways to a new one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaguraden_protocol import messages

from ..rehearse import GAME
from ..style import grey
from ..text import Fragment, Line, clean, cut_line, pad, wrap_line
from .base import Body, Keys, Screen, scrolled
from .books import BooksScreen
from .newroom import NewRoom
from .pages import Ask, RulesPage

if TYPE_CHECKING:
    from ..ui import Ui

__all__ = ["LobbyScreen"]


class LobbyScreen(Screen):
    """The list of tables, with the cursor on one."""

    def __init__(self) -> None:
        self.at = 0

    def title(self, ui: Ui) -> str:
        """Return the server's address."""
        server = ui.session.hello.server.name if ui.session.hello is not None else ""
        return f"· {ui.say('lobby.title')} · {clean(server)} {ui.url}"

    def _entries(self, ui: Ui) -> list[tuple[str, messages.RoomInfo | None]]:
        """Return one's own tables and then the listed ones that are not over, each once."""
        mine = [(code, table.info) for code, table in ui.session.rooms.items()]
        others = (r for r in ui.rooms if r.room not in ui.session.rooms)
        listed = [(r.room, r) for r in others if r.phase != "over"]
        return [*mine, *listed]

    def body(self, ui: Ui, width: int, height: int) -> Body:
        """Return the tables with who sits there."""
        entries = self._entries(ui)
        self.at = max(0, min(self.at, len(entries) - 1))
        lines: list[Line] = [()]
        focus = 0
        mine = len(ui.session.rooms)
        for i, (code, info) in enumerate(entries):
            if i in (0, mine):
                lines.append(
                    (("rule.name", " " + ui.say("lobby.mine" if i < mine else "lobby.rooms")),)
                )
            if i == self.at:
                focus = len(lines)
            lines.append(self._room_line(ui, i, code, info, width))
        if not ui.online:
            lines = [grey(line) for line in lines]
            said = ui.why_stopped() or ui.say(
                "net.offline" if ui.session.hello is not None else "net.connecting"
            )
            lines += wrap_line((("alert", " " + said),), width, 1)
        elif mine == len(entries):
            lines += wrap_line((("dim", " " + ui.say("lobby.no_rooms")),), width, 1)
        lines.append(())
        lines += wrap_line((("", " " + ui.say("lobby.first", n=ui.quick_bots)),), width, 1)
        if ui.game(GAME) is not None:
            lines += wrap_line((("", " " + ui.say("books.lobby")),), width, 1)
        shown, _ = scrolled(lines, focus - height // 2 if len(lines) > height else 0, height)
        return Body(shown)

    def _room_line(
        self, ui: Ui, i: int, code: str, info: messages.RoomInfo | None, width: int
    ) -> Line:
        here = i == self.at
        line: list[Fragment] = [
            ("menu.at" if here else "", " ❯" if here else "  "),
            ("menu.key", str(i + 1) if i < 9 else " "),
            ("menu.at" if here else "strong", f" {clean(code)} "),
        ]
        if info is not None:
            free = sum(1 for s in info.seats if s.user is None)
            state = {
                "playing": ui.say("lobby.playing"),
                "over": ui.say("lobby.over"),
            }.get(info.phase, ui.say("lobby.room", free=free) if free else ui.say("lobby.full"))
            line.append(("", f" {pad(ui.game_name(info.game), 12)} "))
            line.append(("strong", pad(state, 10)))
            if info.locked:
                line.append(("alert", f" {ui.say('lobby.locked')}"))
            if info.title:
                line.append(("", f" {clean(info.title)}"))
            names = [clean(s.name) for s in info.seats if s.name]
            line.append(("dim", "  " + ui.say("list.comma").join(names)))
        return cut_line(tuple(line), width)

    def keys(self, ui: Ui) -> Keys:
        """Return the lobby's keys."""
        say = ui.say
        alone = [("e", say("key.rehearse"))] if ui.game(GAME) is not None else []
        return [
            ("b", say("key.quick")), *alone, ("n", say("key.new")), ("1-9", say("key.enter_room")),
            ("w", say("key.watch")), ("c", say("key.code")), ("s", say("key.servers")),
            ("F1", say("key.rules")),
            ("F2", say("key.language")), ("^C", say("key.quit")),
        ]  # fmt: skip

    def press(self, ui: Ui, key: str) -> None:
        """Apply a key."""
        entries = self._entries(ui)
        if not ui.online and (key in ("b", "n", "c", "w", "enter") or key.isdecimal()):
            ui.note = ui.why_stopped() or ui.say("net.offline")
            return
        match key:
            case "up":
                self.at = max(0, self.at - 1)
            case "down":
                self.at = min(max(0, len(entries) - 1), self.at + 1)
            case "b":
                ui.quick()
            case "s":
                ui.leave_server()
            case "e" if ui.game(GAME) is not None:
                ui.push(BooksScreen(ui))
            case "n":
                if ui.games:
                    ui.push(NewRoom(ui))
            case "c":
                ui.push(Ask("code", "lobby.code", role=messages.Role.PLAYER))
            case "w":
                if entries:
                    self._go(ui, entries[self.at][0], watch=True)
                else:
                    ui.push(Ask("code", "lobby.code_watch", role=messages.Role.SPECTATOR))
            case "f1" | "?":
                if any(game.id == ui.quick_game for game in ui.games):
                    ui.fetch_catalog(ui.quick_game)
                ui.push(RulesPage(ui.quick_game))
            case "enter" if entries:
                self._go(ui, entries[self.at][0])
            case _ if len(key) == 1 and key in "123456789" and int(key) <= len(entries):
                self.at = int(key) - 1
                self._go(ui, entries[self.at][0])

    def _go(self, ui: Ui, room: str, *, watch: bool = False) -> None:
        if room in ui.session.rooms:
            ui.enter(room)
            return
        role = messages.Role.SPECTATOR if watch else messages.Role.PLAYER
        ui.ask(messages.Join(id=0, room=room, as_=role))
