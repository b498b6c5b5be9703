"""Everything the full-screen client knows and does, without a terminal and without a connection.

`Ui` stands between a session and its user. The shell (`app`) hands it keys and the session's
events, sends what it asks of the session, and draws `paint`. Nothing here waits or reads a clock:
times are seconds of the shell's monotonic clock.

The screens form a stack. At the bottom is the lobby; over it the room one is in, before, during
and after its game; over that pages (log, seats, help) and questions. The top one has the keys,
but for a few that work everywhere: F2 the language, F9 the shade, Ctrl-C leaving.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from attrs import define, evolve, field, frozen
from kaguraden_protocol import codec, messages
from kaguraden_protocol.errors import LocalProtocolError, RemoteProtocolError

from ..reading import Json, as_dict, as_str
from ..session import (
    Answered,
    Chatted,
    Event,
    Failed,
    Garbled,
    HelloRefused,
    LobbyChanged,
    Lost,
    Noticed,
    Opened,
    RoomChanged,
    RoomLeft,
    Session,
    State,
    Stopped,
    Updated,
)
from ..table import Table
from .decks import Desk, Draft
from .fairness import check_deal
from .menu import Answer, Menu, Note
from .painters import Catalog, Context, Painter, painter_for
from .screens.base import Body, Screen, compose, key_line, time_text
from .screens.deck import DeckScreen, send_deck
from .screens.lobby import LobbyScreen
from .screens.pages import Ask, LeavePage
from .screens.room import RoomScreen
from .text import Line, clean, cut_line, fit_line, line_width
from .words import Lang, has

__all__ = ["Plan", "Quit", "RememberName", "RememberToken", "Ui"]

SWAP_SECONDS: Final = 0.4  # how long digits are not taken after a question changed by itself


@frozen
class Quit:
    """For the shell: leave the terminal."""


@frozen
class RememberToken:
    """For the shell: keep the token that takes this user's place back."""

    token: str


@frozen
class RememberName:
    """For the shell: keep the name for the next time."""

    name: str


Effect: TypeAlias = Quit | RememberToken | RememberName


@define
class Plan:
    """What to do at once: make a table, or go to one. Each part is done once."""

    create: messages.Create | None = None
    bots: int = 0
    level: str | None = None
    room: str | None = None
    watch: bool = False
    start: bool = False  # be ready, and start when everybody is


@define(eq=False)
class Ui:
    """The client's state. Mutable; every method is synchronous."""

    session: Session
    lang: Lang = Lang.EN
    url: str = ""
    embedded: bool = False
    plan: Plan = field(factory=Plan)
    quick_bots: int = 3
    quick_game: str = "odoriko"
    quick_level: str | None = None
    quick_options: dict[str, Json] = field(factory=dict)
    decks: Desk = field(factory=Desk)
    now: float = 0.0
    shade: bool = False
    note: str = ""
    rooms: tuple[messages.RoomInfo, ...] = ()
    stack: list[Screen] = field(init=False)
    menu: Menu = field(factory=Menu, init=False)
    effects: list[Effect] = field(factory=list, init=False)
    catalogs: dict[str, Catalog] = field(factory=dict, init=False)
    _fetched: set[str] = field(factory=set, init=False)
    _swapped_at: float = field(default=-1e9, init=False)
    _starting: str | None = field(default=None, init=False)  # the room that is to start by itself
    _start_asked: bool = field(default=False, init=False)
    _acting: dict[int, Answer] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        self.stack = [LobbyScreen()]

    # --- words ------------------------------------------------------------------------------

    def say(self, key: str, **values: object) -> str:
        """Return a text in the language of the moment."""
        return self.context().say(key, **values)

    def context(self, table: Table | None = None) -> Context:
        """Return what a painter needs to know besides the view."""
        if table is None or table.info is None:
            return Context(lang=self.lang, shade=self.shade)
        seats = table.info.seats
        return Context(
            lang=self.lang,
            me=self.seat_of(table),
            names={s.seat: s.name for s in seats if s.name},
            away=frozenset(s.seat for s in seats if s.away),
            bots=frozenset(s.seat for s in seats if s.bot),
            catalog=self.catalogs.get(table.info.game, Catalog()),
            shade=self.shade,
        )

    def refusal(self, code: str, message: str) -> str:
        """Return why something was refused, in the user's language if it is known."""
        key = f"code.{code}"
        return self.say(key) if has(key) else clean(message)

    # --- where one is -----------------------------------------------------------------------

    @property
    def top(self) -> Screen:
        """The screen that has the keys."""
        return self.stack[-1]

    @property
    def room(self) -> str | None:
        """The room that is shown."""
        return next((s.room for s in self.stack if isinstance(s, RoomScreen)), None)

    @property
    def table(self) -> Table | None:
        """The table of the room that is shown."""
        return self.session.rooms.get(self.room) if self.room is not None else None

    @property
    def painter(self) -> Painter:
        """The painter of the game at the table."""
        table = self.table
        game = table.info.game if table is not None and table.info is not None else ""
        return painter_for(game)

    @property
    def games(self) -> tuple[messages.GameInfo, ...]:
        """The games that the server offers."""
        return self.session.hello.games if self.session.hello is not None else ()

    @property
    def online(self) -> bool:
        """Whether the session is open."""
        return self.session.state is State.OPEN

    def game(self, name: str) -> messages.GameInfo | None:
        """Return a game of the server."""
        return next((g for g in self.games if g.id == name), None)

    def game_name(self, name: str) -> str:
        """Return a game's name."""
        game = self.game(name)
        return (
            clean(game.name.ja if self.lang is Lang.JA else game.name.en) if game else clean(name)
        )

    def seat_of(self, table: Table) -> int | None:
        """Return this user's seat at a table."""
        if table.seat is not None:
            return table.seat
        hello = self.session.hello
        if table.info is None or hello is None:
            return None
        return next((s.seat for s in table.info.seats if s.user == hello.user), None)

    def is_host(self, table: Table) -> bool:
        """Whether this user is the table's host."""
        seat = self.seat_of(table)
        return table.info is not None and any(s.seat == seat and s.host for s in table.info.seats)

    def push(self, screen: Screen) -> None:
        """Show a screen over the others."""
        self.stack.append(screen)

    def pop(self) -> None:
        """Close the screen that has the keys."""
        if len(self.stack) > 1:
            self.stack.pop()

    def enter(self, room: str) -> None:
        """Show a room, instead of the one shown so far."""
        self.stack = [self.stack[0], RoomScreen(room)]
        table = self.session.rooms.get(room)
        self.menu = Menu()
        self._refresh_menu()
        if table is not None and table.info is not None:
            self.fetch_catalog(table.info.game)

    def to_lobby(self, note: str = "") -> None:
        """Show the lobby."""
        del self.stack[1:]
        self.menu = Menu()
        self._starting = None
        if note:
            self.note = note

    # --- asking the server -------------------------------------------------------------------

    def ask(self, request: messages.Request) -> int | None:
        """Queue a request; what becomes of it comes as an event."""
        try:
            return self.session.request(request)
        except LocalProtocolError as error:
            self.note = self.say("failed", why=clean(str(error)))
            return None

    def create(
        self, request: messages.Create, bots: int, level: str | None, *, start: bool
    ) -> None:
        """Make a table with bots, and begin as soon as everybody is ready if `start`."""
        self.plan = Plan(create=request, bots=bots, level=level, start=start)
        self._carry_out()

    def quick(self) -> None:
        """Start a game against bots."""
        seats = self.quick_bots + 1
        request = messages.Create(
            id=0, game=self.quick_game, seats=seats, options=self.quick_options or None
        )
        self.create(request, self.quick_bots, self.quick_level, start=True)

    def ready(self, table: Table, *, on: bool) -> None:
        """Say that one is ready, with a number for the deal."""
        nonce = secrets.token_hex(16) if on else None
        self.ask(messages.Ready(id=0, room=table.room, ready=on, nonce=nonce))

    def answer(self, table: Table, answer: Answer) -> None:
        """Send an answer to a decision."""
        try:
            call = self.session.act(table.room, answer.decision, answer.option, answer.value)
        except LocalProtocolError as error:
            self.menu = self.menu.refused(Note("menu.refused", {"why": clean(str(error))}))
            return
        self._acting[call] = answer

    def _carry_out(self) -> None:
        """Do the next part of the plan."""
        plan = self.plan
        if plan.create is not None:
            request, plan.create = plan.create, None
            self.ask(request)
        elif plan.room is not None:
            room, plan.room = plan.room, None
            role = messages.Role.SPECTATOR if plan.watch else messages.Role.PLAYER
            self.ask(messages.Join(id=0, room=room, as_=role))

    def fetch_catalog(self, game: str) -> None:
        """Ask for a game's cards, once."""
        if game not in self._fetched:
            self._fetched.add(game)
            self.ask(messages.Catalog(id=0, game=game))

    # --- what the session tells -----------------------------------------------------------------

    def happened(self, event: Event, now: float) -> None:
        """Take an event of the session."""
        self.now = now
        if isinstance(event, Noticed) and event.code == "deck_dropped":
            self.decks.taken.pop(as_str(event.details.get("room")), None)
        match event:
            case Opened():
                self._opened(event)
            case HelloRefused():
                self._hello_refused(event)
            case Answered():
                self._answered(event)
            case Failed():
                self._failed(event)
            case Updated(room=room):
                if room == self.room:
                    self._refresh_menu()
            case RoomChanged():
                self._room_changed(event)
            case RoomLeft(room=room, reason=reason):
                if room == self.room:
                    why = self.refusal(reason, reason)
                    self.to_lobby("" if reason == "left" else self.say("room.left", why=why))
            case LobbyChanged(rooms=rooms):
                self.rooms = rooms
            case Noticed(code=code, message=message):
                key = f"notice.{code}"
                self.note = self.say(key) if has(key) else self.say("notice", text=clean(message))
            case Garbled(problem=problem):
                self.note = self.say("garbled", why=clean(problem))
            case Stopped(ja=ja, en=en):
                self.note = self.say("net.stopped", why=ja if self.lang is Lang.JA else en)
            case Chatted() | Lost():
                pass

    def _opened(self, event: Opened) -> None:
        if not self.embedded:  # that server ends with this client, and its tokens with it
            self.effects.append(RememberToken(event.hello.token))
        self.effects.append(RememberName(self.session.name))
        self.ask(messages.Rooms(id=0, watch=True))
        if event.again:
            self.note = self.say("net.again")
        if any(
            isinstance(screen, Ask) and screen.purpose in ("name", "hall") for screen in self.stack
        ):
            self.stack = [
                s for s in self.stack if not (isinstance(s, Ask) and s.purpose in ("name", "hall"))
            ]
        mine = [place.room for place in event.hello.rooms]
        if (
            self.room is None
            and len(mine) >= 1
            and not event.again
            and self.plan.create is None
            and self.plan.room in (None, *mine)
        ):
            self.plan.room = None
            self.enter(mine[-1])
        else:
            self._carry_out()

    def _hello_refused(self, event: HelloRefused) -> None:
        if event.code == "bad_password":
            self.push(
                Ask("hall", "lobby.hall_password", note=self.refusal(event.code, event.message))
            )
        else:
            why = self.say("lobby.bad_name", why=self.refusal(event.code, event.message))
            self.push(Ask("name", "lobby.your_name", self.session.name, note=why))

    def _answered(self, event: Answered) -> None:
        request = event.request
        try:
            match request:
                case messages.Rooms():
                    self.rooms = codec.decode_result(messages.RoomsResult, dict(event.result)).rooms
                case messages.Create():
                    made = codec.decode_result(messages.CreateResult, dict(event.result))
                    self._entered(made.room)
                case messages.Join():
                    joined = codec.decode_result(messages.JoinResult, dict(event.result))
                    self._entered(joined.room)
                case messages.Rematch():
                    again = codec.decode_result(messages.RematchResult, dict(event.result))
                    self._moved_on(again.room)
                case messages.Catalog(game=game):
                    told = codec.decode_result(messages.CatalogResult, dict(event.result))
                    catalog = Catalog.of(told.cards, told.rulebook)
                    self.catalogs[game] = catalog.with_packs(told.packs)
                case messages.Deck(room=room):
                    self._deck_taken(room, self.decks.accepted(room))
                case messages.Act():
                    self._acting.pop(event.id, None)
                    self._refresh_menu()
                case _:
                    pass
        except RemoteProtocolError as error:
            self.note = self.say("garbled", why=clean(str(error)))

    def _entered(self, room: str) -> None:
        bots, level, start = self.plan.bots, self.plan.level, self.plan.start
        self.plan = Plan()
        self.enter(room)
        for _ in range(bots):
            self.ask(messages.Bot(id=0, room=room, level=level))
        if start:
            self._starting, self._start_asked = room, False
            table = self.session.rooms.get(room)
            if table is not None and self.decks.bring is None:
                self.ready(table, on=True)  # else when it is clear which deck is played
        self._bring_deck(room)

    def _bring_deck(self, room: str) -> None:
        """Choose the deck that is to be brought along, once in every room; then one is ready."""
        table = self.session.rooms.get(room)
        info = table.info if table is not None else None
        if table is None or info is None or self.decks.bring is None or info.phase != "lobby":
            return
        is_new = room not in self.decks.brought
        draft = self.decks.takes_along(room, info.game) if self.seat_of(table) is not None else None
        if draft is not None:
            send_deck(self, room, draft)
        elif is_new and self._starting == room and info.game != self.decks.bring_game:
            self.decks.brought.add(room)
            self.ready(table, on=True)

    def _deck_taken(self, room: str, draft: Draft | None) -> None:
        if isinstance(self.top, DeckScreen) and self.top.room == room:
            self.pop()
        what = draft.name if draft is not None and draft.name else self.say("deck.own")
        key = "deck.taken" if draft is not None else "deck.taken_starter"
        self.note = self.say(key, **({"what": clean(what)} if draft is not None else {}))
        table = self.session.rooms.get(room)
        if self._starting == room and table is not None and self.decks.bring is not None:
            self.ready(table, on=True)

    def _deck_refused(self, room: str, why: str, details: Mapping[str, Json]) -> None:
        """Show what the server has against a deck, where it can be mended."""
        draft = self.decks.sent.get(room)
        self.decks.refused(room, _problems(details) or [why])
        if room != self.room:
            return
        self._starting = None
        if draft is not None:
            self.decks.latest = draft
        if not any(isinstance(screen, DeckScreen) for screen in self.stack):
            self.push(DeckScreen(self, room))

    def _moved_on(self, room: str) -> None:
        """Go to the table of the next game."""
        self.enter(room)
        self.note = self.say("rematch.waiting", room=room)

    def _failed(self, event: Failed) -> None:
        why = self.refusal(event.code, event.message)
        request = event.request
        match request:
            case messages.Act():
                answer = self._acting.pop(event.id, None)
                note = Note("menu.refused", {"why": why})
                if event.code == "stale":
                    note = Note("menu.refused.stale", {"why": self._last_sentence()})
                if answer is not None and self.menu.sent == answer:
                    self.menu = self.menu.refused(note)
                else:  # the question is gone already
                    self.note = self.say(note.key, **note.values)
            case messages.Catalog(game=game):
                self._fetched.discard(game)
            case messages.Deck(room=room) if event.code != "lost":
                self._deck_refused(room, why, event.details)
            case messages.Start() if event.code in ("not_ready", "lost"):
                self._start_asked = False
                if self._starting is None:
                    self.note = self.say("failed", why=why)
            case messages.Join() if event.code == "bad_password" and not isinstance(self.top, Ask):
                self.push(Ask("password", "lobby.password", room=request.room, role=request.as_))
            case messages.Join() if (
                event.code == "room_started" and request.as_ is not messages.Role.SPECTATOR
            ):
                self.ask(evolve(request, as_=messages.Role.SPECTATOR, seat=None))
            case _ if event.code == "lost":
                if isinstance(request, messages.Deck):
                    self.decks.sent.pop(request.room, None)
                self.note = self.say("net.lost_request", what=type(request).type)
            case _:
                problems = "; ".join(_problems(event.details))
                self.note = self.say("failed", why=f"{why} {problems}".strip())

    def _room_changed(self, event: RoomChanged) -> None:
        info = event.info
        if event.room == self.room:
            self.fetch_catalog(info.game)
            self._bring_deck(event.room)
            if self._starting == event.room and not self._start_asked and info.phase == "lobby":
                seated = [s for s in info.seats if s.user]
                if len(seated) == len(info.seats) and all(s.ready for s in seated):
                    self._start_asked = True
                    self.ask(messages.Start(id=0, room=event.room))
            if info.phase != "lobby":
                self._starting = None
            return
        table, here = self.session.rooms.get(event.room), self.table
        if table is None or info.phase == "over" or self.seat_of(table) is None:
            return
        if (
            here is not None
            and here.is_over
            and here.info is not None
            and here.info.game == info.game
        ):
            self._moved_on(event.room)

    def _refresh_menu(self) -> None:
        """Bring the menu up to the table's open decisions."""
        table = self.table
        decisions = table.decisions if table is not None else ()
        before = self.menu
        self.menu = before.updated(decisions, self.painter.path, self._last_sentence())
        if self.menu is not before and before.is_open and before.sent is None and self.menu.is_open:
            self._swapped_at = self.now

    # --- the log ----------------------------------------------------------------------------------

    def sentence(self, table: Table, event: Mapping[str, Json], ctx: Context) -> str | None:
        """Return an event in words; None if it is not worth a line."""
        if as_str(event.get("kind")) == "fairness":
            return self.say("fair.ok" if check_deal(table, event) else "fair.bad")
        return painter_for(table.info.game if table.info else "").event(event, ctx)

    def log_lines(self, table: Table) -> Iterator[Line]:
        """Yield what happened and what was said, the newest first."""
        ctx = self.context(table)
        events, chat = list(table.log), list(table.chat)
        while events or chat:
            if events and (not chat or events[-1].received >= chat[-1].received):
                entry = events.pop()
                text = self.sentence(table, entry.event, ctx)
                if text:
                    style = "log.new" if entry.seq == table.seq else ""
                    yield ((style, " " + text),)
            else:
                line = chat.pop()
                said = ctx.say("chat.line", name=clean(line.name), text=clean(line.text))
                yield (("log.chat", "» " + said),)

    def _last_sentence(self) -> str:
        """Return the newest event in words, for somebody who was choosing meanwhile."""
        table = self.table
        if table is None:
            return ""
        ctx = self.context(table)
        for entry in reversed(table.log):
            text = self.sentence(table, entry.event, ctx)
            if text:
                return text
        return ""

    # --- keys -------------------------------------------------------------------------------------

    def press(self, key: str, now: float) -> None:
        """Take a key: one character, or a name such as `enter`, `f2`, `c-c`."""
        self.now = now
        if self.note and key not in ("f2", "f9"):
            self.note = ""
        match key:
            case "c-c":
                if isinstance(self.top, LeavePage):
                    self.effects.append(Quit())
                else:
                    self.push(LeavePage())
            case "f2":
                self.lang = self.lang.other
            case "f9":
                self.shade = not self.shade
            case _:
                self.top.press(self, key)

    def paste(self, text: str, now: float) -> None:
        """Take pasted text."""
        self.now = now
        self.top.paste(self, text)

    @property
    def just_swapped(self) -> bool:
        """Whether the question changed so recently that a digit was meant for the one before."""
        return self.now - self._swapped_at < SWAP_SECONDS

    # --- drawing ------------------------------------------------------------------------------------

    def connection(self) -> tuple[str, str]:
        """Return the state of the connection: a style and words."""
        match self.session.state:
            case State.OPEN:
                table = self.table
                if table is not None and table.view and not table.current:
                    return "title.alert", self.say("net.catching_up")
                return "title", self.say("net.open")
            case State.OPENING:
                return "title.alert", self.say("net.connecting")
            case State.STOPPED:
                return "title.alert", self.say("net.stopped", why="").rstrip(": ")
            case _:
                return "title.alert", self.say("net.lost")

    def clock_text(self) -> str:
        """Return the time left for what matters most to the viewer, or nothing."""
        table = self.table
        if table is None or not table.clocks or table.is_over:
            return ""
        mine = {d.id for d in table.decisions}
        clocks = [c for c in table.clocks if c.clock.decision in mine] or list(table.clocks)
        clock = min(clocks, key=lambda c: c.left_ms(self.now))
        text = time_text(clock.left_ms(self.now))
        return self.say("paused") if clock.clock.paused else text

    def paint(self, cells: int, height: int, now: float) -> Body:
        """Return the whole screen: `height` lines of `cells` cells."""
        self.now = now
        cells, height = max(1, cells), max(1, height)
        room = max(0, height - 2 - (1 if self.note and height > 5 else 0))
        body = self.top.body(self, cells, room)
        lines = list(body.lines[:room])
        if self.note and height > 5:
            lines += [()] * (room - len(lines))
            lines.append(cut_line((("alert", " " + self.note),), cells))
        keys = key_line(self.top.keys(self), cells)
        return compose(self._title(cells), Body(tuple(lines), body.cursor), keys, cells, height)

    def _title(self, cells: int) -> Line:
        style, state = self.connection()
        clock = self.clock_text()
        if self.menu.is_open and self.menu.sent is None and not isinstance(self.top, RoomScreen):
            style, state = (
                "title.alert",
                self.say("net.your_move"),
            )  # under a page one might miss it
        right: Line = ((style, state), ("title", f"  {clock} " if clock else " "))
        left = f" {self.say('app.name')} {self.top.title(self)}"
        left_line = cut_line((("title", left),), max(0, cells - line_width(right) - 1))
        gap = cells - line_width(left_line) - line_width(right)
        return fit_line((*left_line, ("title", " " * max(0, gap)), *right), cells, "title")


def _problems(details: Mapping[str, Json]) -> list[str]:
    problems = details.get("problems")
    out = []
    for problem in problems if isinstance(problems, list) else []:
        told = as_dict(problem)
        out.append(clean(f"{as_str(told.get('path'))} {as_str(told.get('problem'))}"))
    return out
