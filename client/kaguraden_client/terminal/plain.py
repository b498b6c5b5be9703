"""Line mode: everything as sentences, for scripts, pipes and screen readers.

`Talk` is the whole of it without I/O: events of the session go in and lines to print come out,
typed lines go in and requests are asked of the session. It leans on a `Ui` for what both clients
share: plans, rooms, names, the log's sentences. `run` puts it on standard input and output.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from typing import Final

from attrs import define, field
from kaguraden_protocol import messages
from kaguraden_protocol.messages import (
    CardsSpec,
    Decision,
    IntSpec,
    Option,
    OrderSpec,
    UnknownSpec,
    Value,
)

from ..asyncio_shell import Client
from ..session import (
    Answered,
    Chatted,
    Event,
    HelloRefused,
    LobbyChanged,
    Lost,
    Opened,
    RoomChanged,
    Stopped,
    Updated,
)
from ..table import Table
from .markdown import page
from .memory import Memory
from .menu import Answer, Node
from .painters import Context, Painter, painter_for
from .plain_books import book_catalog_known, book_help, daily_lines, typed_book, typed_daily
from .plain_deck import deck_help, deck_problems, typed_deck
from .rehearse import GAME
from .screens.base import time_text
from .screens.notes import typed_note
from .screens.room import next_step
from .text import clean, line_text
from .ui import Quit, RememberName, RememberToken, Ui
from .words import name_problem

__all__ = ["Talk", "run"]

_WIDTH: Final = 100_000  # sentences are not cut: the terminal or the reader wraps them


@define(eq=False)
class Talk:
    """A conversation in lines. `failed` is set when the session could not be opened."""

    ui: Ui
    is_over: bool = False
    failed: bool = False
    _room: str | None = field(default=None, init=False)
    _asked: tuple[Decision, ...] = field(default=(), init=False)
    _seated: str = field(default="", init=False)
    _listed: str = field(default="", init=False)
    _ended: bool = field(default=False, init=False)
    _drawn: bool = field(default=False, init=False)  # whether the table was told since arriving
    _warned: Answer | None = field(default=None, init=False)  # what was asked about once

    # --- what happens -----------------------------------------------------------------------

    def happened(self, event: Event, now: float) -> list[str]:
        """Take an event of the session and return the lines that tell of it."""
        ui = self.ui
        ui.happened(event, now)
        lines: list[str] = []
        if ui.note:
            lines.append(ui.note)
            ui.note = ""
        lines += deck_problems(ui)
        match event:
            case Opened(again=False):
                lines.insert(0, ui.say("plain.welcome"))
            case Lost():
                lines.append(ui.say("net.lost"))
            case HelloRefused(code=code, message=message):
                why = name_problem(ui.lang, event.details)
                why = why or ui.refusal(code, message, event.details)
                lines = [ui.say("failed", why=why)]
                if code == "bad_password" and ui.session.password is None:
                    lines = [ui.say("start.password")]
                self.is_over = self.failed = True
            case Stopped():
                self.is_over = True
            case Answered(request=messages.Daily()) if ui.shelf.tell:
                ui.shelf.tell = False
                lines += daily_lines(ui)
            case Answered(request=messages.Catalog(game=game)) if game == GAME and ui.shelf.typed:
                lines += book_catalog_known(ui)
            case Chatted(room=room, line=line) if room == ui.room:
                lines.append(ui.say("chat.line", name=clean(line.name), text=clean(line.text)))
        lines += self._arrival()
        table = ui.table
        if table is not None and isinstance(event, Updated) and event.room == table.room:
            ctx = ui.context(table)
            told = (ui.sentence(table, entry, ctx) for entry in event.events)
            lines += [line for line in told if line]
            if event.full:
                lines += self.table_lines(table)
                self._drawn, self._asked = True, ()  # what is asked is told with the table
        if table is not None and isinstance(event, RoomChanged | Opened | Updated):
            lines += self._seats_changed(table)
        if table is None and isinstance(event, LobbyChanged | Opened) and ui.plan.create is None:
            lines += self._rooms_changed()
        if table is not None:
            # The table's own news may still be on its way: what is asked comes after it.
            if self._drawn or not isinstance(event, RoomChanged | Opened | Answered):
                lines += self._questions(table)
            lines += self._ending(table)
        return lines

    def _arrival(self) -> list[str]:
        ui = self.ui
        if ui.room == self._room:
            return []
        self._room = ui.room
        self._asked, self._seated, self._ended, self._drawn = (), "", False, False
        table = ui.table
        if table is None:
            return [*self._rooms_changed(again=True), ui.say("plain.lobby_help")]
        seat = ui.seat_of(table)
        where = ui.say("spectator") if seat is None else ui.say("seat.numbered", n=seat + 1)
        entered = ui.say("plain.entered", room=clean(table.room), seat=where)
        return [entered, *self._seats_changed(table)]

    def _rooms_changed(self, *, again: bool = False) -> list[str]:
        ui = self.ui
        rooms = ui.say("list.comma").join(
            f"{clean(r.room)} {ui.game_name(r.game)} {sum(s.user is not None for s in r.seats)}/{len(r.seats)}"
            for r in ui.rooms
            if r.phase != "over"
        )
        text = ui.say("plain.rooms", rooms=rooms) if rooms else ui.say("lobby.no_rooms")
        if text == self._listed and not again:
            return []
        self._listed = text
        return [text]

    def _seats_changed(self, table: Table) -> list[str]:
        """Tell who sits where, before the game whenever that changes, later those who left."""
        ui, info = self.ui, table.info
        if info is None:
            return []
        ctx = ui.context(table)
        parts = []
        for seat in info.seats:
            if seat.user is None:
                parts.append(f"{seat.seat + 1} {ui.say('seat.empty')}")
                continue
            marks = [ui.say("bot")] if seat.bot else []
            if seat.away:
                marks.append(ui.say("away"))
            if info.phase == "lobby":
                marks.append(ui.say("ready" if seat.ready else "not_ready"))
            told = ui.say("in_brackets", what=ui.say("list.comma").join(marks)) if marks else ""
            parts.append(f"{seat.seat + 1} {ctx.name(seat.seat)}{told}")
        text = f"{ui.say('seats.title')}: {ui.say('list.comma').join(parts)}"
        if text == self._seated:
            return []
        self._seated = text
        if info.phase == "lobby" and ui.seat_of(table) is not None:
            return [text, next_step(ui, table, info)]
        return [text]

    def _questions(self, table: Table) -> list[str]:
        """Tell the open decisions, if they changed."""
        if table.decisions == self._asked:
            return []
        self._asked = table.decisions
        return self.question_lines(table)

    def question_lines(self, table: Table) -> list[str]:
        """Return every open decision with its options, numbered through."""
        ui, ctx, painter = self.ui, self.ui.context(table), self.ui.painter
        lines: list[str] = []
        number = 0
        for decision in table.decisions:
            parts = [painter.question(decision, ctx)]
            default = next((o for o in decision.options if o.id == decision.default), None)
            timed = painter.is_timed(table.view, [c.clock for c in table.clocks])
            if default is not None and timed:
                what = painter.default(decision, default, table.view, ctx)
                parts.append(ui.say("menu.default", what=what))
            clock = next((c for c in table.clocks if c.clock.decision == decision.id), None)
            if clock is not None:
                parts.append(ui.say("plain.time", time=time_text(clock.left_ms(ui.now))))
            if decision.sealed:
                parts.append(ui.say("menu.sealed"))
            lines.append(ui.say("plain.asked", what=" · ".join(parts)))
            for option in decision.options:
                number += 1
                if not isinstance(option.value, UnknownSpec):
                    what = painter.sentence(decision, option, None, table.view, ctx)
                    lines.append(
                        ui.say("plain.option", n=number, what=what + self._wanted(option, ctx))
                    )
        return lines

    def _wanted(self, option: Option, ctx: Context) -> str:
        """Say what value an option takes, with the cards by the names that are typed."""
        match option.value:
            case IntSpec(min=low, max=high):
                if low == high:
                    return ctx.say("plain.value_int_exact", value=low)
                return ctx.say("plain.value_int", min=low, max=high)
            case CardsSpec(from_=cards, min=low, max=high):
                named = _named(cards, ctx, self.ui.painter)
                if low == high:
                    return ctx.say("plain.value_cards_exact", count=low, cards=named)
                return ctx.say("plain.value_cards", min=low, max=high, cards=named)
            case OrderSpec(of=cards):
                return ctx.say("plain.value_order", cards=_named(cards, ctx, self.ui.painter))
        return ""

    def _ending(self, table: Table) -> list[str]:
        if not table.is_over or self._ended:
            return []
        self._ended = True
        ranking = self.ui.painter.outcome(table.view, self.ui.context(table), _WIDTH)
        return [self.ui.say("over"), *(line_text(line).strip() for line in ranking)]

    def table_lines(self, table: Table) -> list[str]:
        """Return the table in sentences."""
        spoken = self.ui.painter.spoken(table.view, self.ui.context(table))
        return [*spoken, *self.hand_lines(table)]

    def hand_lines(self, table: Table) -> list[str]:
        """Return what the viewer alone knows."""
        return [
            line_text(line).strip()
            for line in self.ui.painter.own(table.view, self.ui.context(table), _WIDTH)
        ]

    # --- what is typed ----------------------------------------------------------------------

    def typed(self, text: str, now: float) -> list[str]:
        """Take a typed line and return the lines that answer it."""
        ui = self.ui
        ui.now = now
        text = clean(text).strip()
        if not text:
            return []
        word, _, rest = text.partition(" ")
        rest = rest.strip()
        table = ui.table
        before = ui.note
        lines = self._common(word, rest)
        if lines is None:
            lines = (
                self._in_lobby(word, rest) if table is None else self._at_table(table, word, rest)
            )
        if lines is None:
            lines = [ui.say("plain.unknown", what=text)]
        if ui.note and ui.note != before:
            lines.append(ui.note)
        ui.note = ""
        return lines + self._arrival()

    def _common(self, word: str, rest: str) -> list[str] | None:
        ui = self.ui
        match word:
            case "q" | "quit":
                self.is_over = True
                return []
            case "?" | "help":
                told = ui.say("plain.help" if ui.table is not None else "plain.lobby_help")
                return [told, *deck_help(ui), *book_help(ui), *_notes_help(ui)]
            case "lang":
                ui.lang = ui.lang.other
                return [ui.say("plain.welcome")]
            case "k":
                game = (
                    ui.table.info.game if ui.table is not None and ui.table.info else ui.quick_game
                )
                return self._how_to_play(game, rest)
        return None

    def _how_to_play(self, game: str, section: str) -> list[str]:
        """Return the game in short and the rulebook's sections, or one of these."""
        ui = self.ui
        if any(offered.id == game for offered in ui.games):
            ui.fetch_catalog(game)
        book = page(ui.catalog_of(game).rulebook[ui.lang], _WIDTH)
        texts = [line_text(line) for line in book.lines]
        if section:
            is_number = section.isdecimal() and len(section) <= 3
            if not is_number or int(section) >= len(book.sections):
                return [ui.say("plain.no_section", what=section)]
            begin, *after = [*book.sections[int(section) :], len(texts)]
            return [text for text in texts[begin : after[0]] if text]
        lines = [line for line in painter_for(game).page(ui.context(ui.table)) if line]
        if book.sections[1:]:
            names = ui.say("list.comma").join(texts[line][2:] for line in book.sections[1:])
            lines.append(ui.say("plain.book", sections=names))
        return lines

    def _in_lobby(self, word: str, rest: str) -> list[str] | None:
        ui = self.ui
        match word:
            case "n" if rest == "bots":
                ui.quick()
            case "n":
                ui.create(messages.Create(id=0, game=rest or ui.quick_game), 0, None, start=False)
            case "j" | "x" if rest:
                role = messages.Role.PLAYER if word == "j" else messages.Role.SPECTATOR
                ui.ask(messages.Join(id=0, room=rest.upper()[:64], as_=role))
            case "v" | "o":
                return self._rooms_changed(again=True)
            case "book" | "books":
                return typed_book(ui, rest)
            case "daily":
                return typed_daily(ui, rest)
            case _:
                return None
        return []

    def _at_table(self, table: Table, word: str, rest: str) -> list[str] | None:
        ui = self.ui
        match word:
            case "v":
                return self.table_lines(table)
            case "h":
                return self.hand_lines(table)
            case "o":
                return self.question_lines(table) or [ui.say("menu.none")]
            case "w":
                self._seated = ""
                return self._seats_changed(table)
            case "e":
                return self._explain(table, rest)
            case "n" if table.view and _has_notes(ui, table):
                return typed_note(ui, table, rest)
            case "a":
                return self._standing(table, rest)
            case "deck":
                return typed_deck(ui, rest)
            case "daily" if rest != "play":
                return typed_daily(ui, rest)
            case "c" if rest:
                ui.ask(messages.Chat(id=0, room=table.room, text=rest[:500]))
            case "r" if table.is_over:
                ui.ask(messages.Rematch(id=0, room=table.room))
            case "r":
                mine = ui.seat_of(table)
                seats = table.info.seats if table.info is not None else ()
                ui.ready(table, on=not any(s.seat == mine and s.ready for s in seats))
            case "s":
                ui.ask(messages.Start(id=0, room=table.room))
            case "b":
                ui.ask(messages.Bot(id=0, room=table.room, level=rest or ui.quick_level))
            case "p":
                ui.ask(messages.Pause(id=0, room=table.room, on=rest != "off"))
            case "l":
                ui.to_lobby()
                ui.ask(messages.Leave(id=0, room=table.room))
            case _:
                return self._answer(table, word, rest)
        return []

    def _find(self, table: Table, word: str) -> tuple[Decision, Option] | None:
        options = [(d, o) for d in table.decisions for o in d.options]
        if word.isdecimal():
            return options[int(word) - 1] if 1 <= int(word) <= len(options) else None
        return next(((d, o) for d, o in options if o.id == word), None)

    def _answer(self, table: Table, word: str, rest: str) -> list[str] | None:
        ui = self.ui
        found = self._find(table, word)
        if found is None:
            if word.isdecimal():
                return [ui.say("plain.no_such" if table.decisions else "menu.none", what=word)]
            return None
        decision, option = found
        try:
            value = read_value(option, rest)
        except ValueError:
            what = rest or "–"
            return [ui.say("plain.bad_value", what=what) + self._wanted(option, ui.context(table))]
        answer = Answer(decision.id, option.id, value)
        warning = ui.painter.warning(table.view, decision, option, ui.context(table))
        if warning and self._warned != answer:
            self._warned = answer
            return [ui.say("book.plain.again", warning=warning)]
        self._warned = None
        ui.answer(table, answer)
        return []

    def _explain(self, table: Table, rest: str) -> list[str]:
        ui = self.ui
        painter, ctx = ui.painter, ui.context(table)
        found = self._find(table, rest)
        if found is None:
            page = painter.card_page(rest, ctx) or painter.explain(None, table.view, ctx)
            return [line for line in page if line] or [ui.say("explain.nothing")]
        decision, option = found
        node = Node(painter.path(decision, option), (), decision, option)
        return [line for line in painter.explain(node, table.view, ctx) if line] or [
            ui.say("explain.nothing")
        ]

    def _standing(self, table: Table, rest: str) -> list[str]:
        ui = self.ui
        game = ui.game(table.info.game) if table.info is not None else None
        windows = {w.kind: w for w in game.windows} if game is not None else {}
        kind, _, mode = rest.partition(" ")
        if kind in windows and mode.strip() in ("ask", "pass"):
            ui.ask(
                messages.Auto(id=0, room=table.room, window=kind, mode=messages.Mode(mode.strip()))
            )
            return []
        if not windows:
            return [ui.say("auto.none")]
        lines = [ui.say("auto.text")]
        for window in windows.values():
            told = table.modes.get(window.kind) or ("pass" if window.passes else "ask")
            text = window.text.ja if ui.lang.value == "ja" else window.text.en
            known = told if told in ("ask", "pass") else "ask"
            lines.append(f"{clean(window.kind)} [{ui.say(f'auto.{known}')}] {clean(text)}")
        return lines


def _notes_help(ui: Ui) -> list[str]:
    """Return how notes are asked for, where there are some."""
    table = ui.table
    return [ui.say("notes.plain")] if table is not None and _has_notes(ui, table) else []


def _has_notes(ui: Ui, table: Table) -> bool:
    """Whether there is something to deduce at a table."""
    return ui.painter.sheet(table.view, ui.context(table)) is not None


def _named(cards: tuple[str, ...], ctx: Context, painter: Painter) -> str:
    """Return cards by the names that are typed, with what they are called where that differs."""
    return " ".join(
        clean(card)
        if (card[:1].isdigit() or len(card) <= 3) and ">" not in card
        else f"{clean(card)}={painter.choice(card, ctx)}"
        for card in cards
    )


def read_value(option: Option, text: str) -> Value:
    """Return the value that an option takes, from what was typed after it.

    Raises:
        ValueError: It does not fit.
    """
    words = text.replace(",", " ").split()
    match option.value:
        case None if not words:
            return None
        case IntSpec(min=low, max=high) if len(words) == 1 and low <= int(words[0]) <= high:
            return int(words[0])
        case CardsSpec(from_=cards, min=low, max=high):
            picked = tuple(_one_of(cards, word) for word in words)
            if low <= len(picked) <= high and len(set(picked)) == len(picked):
                return picked
        case OrderSpec(of=cards):
            picked = tuple(_one_of(cards, word) for word in words)
            if sorted(picked) == sorted(cards):
                return picked
    raise ValueError(text or "no value")


def _one_of(cards: tuple[str, ...], word: str) -> str:
    for card in cards:
        if card.casefold() == word.casefold():
            return card
    raise ValueError(word)


# --- standard input and output ------------------------------------------------------------------


def _read_lines(loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[str | None]) -> None:
    """Put every line of standard input into the queue, and None at its end.

    It reads the bare descriptor: a thread that waits in a buffered read would hold its lock while
    the interpreter ends.
    """
    rest = b""
    with contextlib.suppress(OSError, RuntimeError):  # RuntimeError: the loop is closed
        while data := os.read(0, 65536):
            *whole, rest = (rest + data).split(b"\n")
            for line in whole:
                loop.call_soon_threadsafe(lines.put_nowait, line.decode("utf-8", "replace"))
        if rest:
            loop.call_soon_threadsafe(lines.put_nowait, rest.decode("utf-8", "replace"))
        loop.call_soon_threadsafe(lines.put_nowait, None)


def _print(lines: list[str]) -> None:
    for line in lines:
        sys.stdout.write(line + "\n")
    sys.stdout.flush()


async def run(client: Client, ui: Ui, memory: Memory) -> bool:
    """Talk until the user quits, or standard input or the session ends.

    False if the session could not be opened or was ended by the server, or if what the command
    line asked for (a table, bots, a room) was refused.
    """
    loop = asyncio.get_running_loop()
    talk = Talk(ui)
    typed: asyncio.Queue[str | None] = asyncio.Queue()
    threading.Thread(target=_read_lines, args=(loop, typed), daemon=True, name="stdin").start()
    stop = asyncio.Event()
    opened = asyncio.Event()  # from when on lines mean something
    idle = asyncio.Event()  # everything that was asked for is done
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop.set)

    def settle() -> None:
        client.flush()
        for effect in ui.effects:
            match effect:
                case Quit():
                    talk.is_over = True
                case RememberToken(token=token, name=name):
                    memory.remember(token, name)
                case RememberName(name=name):
                    memory.rename(name)
        ui.effects.clear()
        (idle.clear if ui.is_busy else idle.set)()
        if talk.is_over:
            stop.set()

    async def listen() -> None:
        async for event in client.events():
            _print(talk.happened(event, loop.time()))
            if not isinstance(event, Lost):
                opened.set()
            settle()
        stop.set()

    async def read() -> None:
        await opened.wait()
        while (line := await typed.get()) is not None:
            _print(talk.typed(line, loop.time()))
            settle()
        await idle.wait()  # what the last lines asked for, and the command line, is answered first
        stop.set()

    tasks = [asyncio.create_task(job) for job in (listen(), read(), stop.wait())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if not stop.is_set():
            await asyncio.gather(*(task for task in tasks if task.done()))  # raises what went wrong
            await stop.wait()
    finally:
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(name)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    with contextlib.suppress(OSError):
        _print([ui.say("plain.bye")])
    return not (talk.failed or ui.failed or ui.stopped_early)
