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
from kaguraden_protocol.messages import RoomInfo

from ..links import is_here
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
from .books import Book
from .decks import Desk, Draft
from .fairness import check_deal
from .menu import Answer, Menu, Note
from .notes import Notes
from .painters import Catalog, Context, Painter, painter_for
from .refusals import problems_in, refusal
from .rehearse import (
    Shelf,
    catalog_known,
    catalog_refused,
    daily_answered,
    daily_refused,
    play_book,
)
from .screens.base import Body, Screen, compose, key_line, time_text
from .screens.deck import DeckScreen, send_deck
from .screens.lobby import LobbyScreen
from .screens.pages import Ask, LeavePage
from .screens.room import RoomScreen
from .text import Line, clean, cut_line, fit_line, line_text, line_width, wrap_line
from .words import Lang, name_problem

__all__ = ["UNHURRIED", "Plan", "Quit", "RememberName", "RememberToken", "Ui"]

NOTE_SECONDS: Final = 12.0  # that a notice stays: to read two lines, not to look like news later
# For a server of one's own, where nobody waits but bots: half an hour for everything.
UNHURRIED: Final[Mapping[str, Json]] = {
    **dict.fromkeys(("turn_ms", "choice_ms", "window_ms", "auction_ms"), 30 * 60 * 1000),
    "clock_turn": 600,  # seconds; the most that there are (YU-102)
    "clock_consent": 300,
    "clock_followup": 300,
}
SWAP_SECONDS: Final = 0.4  # how long digits are not taken after a question changed by itself

_PEOPLE_KEPT: Final = 200  # changes of who sits at a table that the log tells of


@frozen
class Quit:
    """For the shell: leave the terminal."""


@frozen
class RememberToken:
    """For the shell: keep the token that takes this user's place back."""

    token: str
    name: str


@frozen
class RememberName:
    """For the shell: keep the name for the next time."""

    name: str


Effect: TypeAlias = Quit | RememberToken | RememberName


@frozen
class _People:
    """Who sat at a room's table from a moment on, and what changed then, as keys of `words`."""

    since: float
    seats: tuple[messages.SeatInfo, ...]
    news: tuple[tuple[str, Mapping[str, object]], ...] = ()

    def names(self) -> dict[int, str]:
        """Return the names by seat."""
        return {seat.seat: seat.name for seat in self.seats if seat.name}


@define
class Plan:
    """What to do at once: make a table, or go to one. Each part is done once."""

    create: messages.Create | None = None
    bots: int = 0
    level: str | None = None
    room: str | None = None
    watch: bool = False
    start: bool = False  # be ready, and start when everybody is
    rehearse: str | Book | None = None  # a book to be played, alone or against bots
    password: str | None = None  # of the room


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
    shelf: Shelf = field(factory=Shelf)
    now: float = 0.0
    shade: bool = False
    note: str = ""
    program: str = "kaguraden"
    rooms: tuple[messages.RoomInfo, ...] = ()
    look: int | None = None  # the seat whose table is looked at
    notes: dict[str, Notes] = field(factory=dict)  # the user's own, by room; never sent
    stack: list[Screen] = field(init=False)
    menu: Menu = field(factory=Menu, init=False)
    effects: list[Effect] = field(factory=list, init=False)
    catalogs: dict[str, Catalog] = field(factory=dict, init=False)
    _sets: dict[tuple[str, str], Catalog] = field(factory=dict, init=False)  # by game and set
    _fetched: set[tuple[str, str]] = field(factory=set, init=False)
    _swapped_at: float = field(default=-1e9, init=False)
    _starting: str | None = field(default=None, init=False)  # the room that is to start by itself
    _start_asked: bool = field(default=False, init=False)
    _acting: dict[int, Answer] = field(factory=dict, init=False)
    note_lines: int = field(default=0, init=False)  # that the notice takes from a screen's body
    failed: bool = field(default=False, init=False)  # what the command line asked for
    stopped_early: bool = field(default=False, init=False)  # by something else than the user
    elsewhere: bool = field(default=False, init=False)  # the user wants to go to another server
    _why_stopped: tuple[str, str] | None = field(default=None, init=False)
    _noted: tuple[str, float] = field(default=("", 0.0), init=False)  # a notice, and since when
    _planned: set[int | None] = field(factory=set, init=False)  # the calls of plans
    _again: str | None = field(default=None, init=False)  # the room of the rematch asked for here
    _people: dict[str, list[_People]] = field(factory=dict, init=False)

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
            catalog=self._catalog_at(table.info),
            shade=self.shade,
            look=self.look,
            notes=self.notes.get(table.room, Notes()),
        )

    def look_on(self, step: int) -> None:
        """Look at the table of the next seat, where a painter can draw one seat's or another's."""
        table = self.table
        seats = self.painter.looks(table.view) if table is not None else []
        if table is None or len(seats) < 2:
            return
        here = self.look if self.look in seats else self.seat_of(table)
        at = seats.index(here) if here in seats else 0
        self.look = seats[(at + step) % len(seats)]

    def refusal(self, code: str, message: str, details: Mapping[str, Json] | None = None) -> str:
        """Return why something was refused, in the user's language if it is known."""
        return refusal(self.lang, code, message, details or {})

    def leave_server(self) -> None:
        """Quit, to choose among the servers again."""
        self.elsewhere = True
        self.effects.append(Quit())

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
        self.look = None
        self._refresh_menu()
        if table is not None and table.info is not None:
            self.fetch_catalog(table.info.game, self._card_set(table.info))

    @property
    def unhurried(self) -> bool:
        """Whether new tables get clocks that nobody has to look at."""
        return self.embedded

    def options_for(self, game: str, options: Mapping[str, Json] | None) -> dict[str, Json]:
        """Return the options of a new table: those given, and time enough on one's own server.

        A list that was typed on the command line, `a,b`, becomes one.
        """
        told = self.game(game)
        known = as_dict(told.options.get("properties")) if told is not None else {}
        unhurried = {k: v for k, v in UNHURRIED.items() if self.unhurried and k in known}
        given = dict(options or {})
        for name, value in given.items():
            if isinstance(value, str) and as_dict(known.get(name)).get("type") == "array":
                given[name] = [part for part in value.split(",") if part]
        return {**unhurried, **given}

    def seats_for(self, game: str, wanted: int) -> int:
        """Return how many seats a new table has: those that are wanted, more if the game needs them."""
        told = self.game(game)
        return max(told.seats.min, wanted) if told is not None else wanted

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
        seats = self.seats_for(self.quick_game, self.quick_bots + 1)
        request = messages.Create(
            id=0, game=self.quick_game, seats=seats, options=self.quick_options or None
        )
        self.create(request, seats - 1, self.quick_level, start=True)

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
        if plan.rehearse is not None:
            book, plan.rehearse = plan.rehearse, None
            play_book(self, book, plan.bots, plan.level)
        elif plan.create is not None:
            request, plan.create = plan.create, None
            options = self.options_for(request.game, request.options)
            seats = self.seats_for(request.game, request.seats) if request.seats else None
            request = evolve(request, options=options or None, seats=seats)
            self._planned.add(self.ask(request))
        elif plan.room is not None:
            room, plan.room = plan.room, None
            role = messages.Role.SPECTATOR if plan.watch else messages.Role.PLAYER
            call = self.ask(messages.Join(id=0, room=room, as_=role, password=plan.password))
            self._planned.add(call)

    def ask_planned(self, request: messages.Request) -> None:
        """Queue a request on which more is to follow: until its answer there is something to do."""
        self._planned.add(self.ask(request))

    @property
    def is_busy(self) -> bool:
        """Whether something that was asked for is not done yet."""
        plan = self.plan
        planned = self._planned or plan.create is not None or plan.room is not None
        planned = planned or plan.rehearse is not None or self.shelf.wanted is not None
        return bool(planned) or not self.session.is_idle

    def fetch_catalog(self, game: str, card_set: str = "") -> None:
        """Ask for the cards of a game's usual card set, or of another one, once."""
        if (game, card_set) not in self._fetched:
            self._fetched.add((game, card_set))
            options: dict[str, Json] | None = {"set": card_set} if card_set else None
            self.ask(messages.Catalog(id=0, game=game, options=options))

    def catalog_of(self, game: str) -> Catalog:
        """Return a game's cards: those of the table here if it is played there."""
        info = self.table.info if self.table is not None else None
        if info is not None and info.game == game:
            return self._catalog_at(info)
        return self.catalogs.get(game, Catalog())

    def _card_set(self, info: RoomInfo) -> str:
        """Return the card set of a room; "" if it is the game's usual one."""
        game = self.game(info.game)
        known = as_dict(as_dict(game.options.get("properties")).get("set")) if game else {}
        chosen = as_str(info.options.get("set"))
        return "" if not known or chosen == known.get("default") else chosen

    def _catalog_at(self, info: RoomInfo) -> Catalog:
        """Return the cards that a room is played with."""
        card_set = self._card_set(info)
        if card_set:
            return self._sets.get((info.game, card_set), Catalog())
        return self.catalogs.get(info.game, Catalog())

    # --- what the session tells -----------------------------------------------------------------

    def happened(self, event: Event, now: float) -> None:
        """Take an event of the session."""
        self.now = now
        if isinstance(event, Noticed) and event.code == "deck_dropped":
            self.decks.taken.pop(as_str(event.details.get("room")), None)
        match event:
            case Answered(id=call) | Failed(id=call) if call in self._planned:
                self._planned.discard(call)
                self.failed = self.failed or (
                    isinstance(event, Failed) and event.code != "room_started"
                )
            case _:
                pass
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
            case Noticed():
                self._noticed(event)
            case Garbled(problem=problem):
                self.note = self.say("garbled", why=clean(problem))
            case Stopped(ja=ja, en=en):
                self._why_stopped = (ja, en)
                self.note = self.why_stopped()
                self.stopped_early = True
            case Chatted() | Lost():
                pass

    def why_stopped(self) -> str:
        """Return why the session is over; "" while it is not."""
        if self._why_stopped is None:
            return ""
        return self.say("net.stopped", why=self._why_stopped[0 if self.lang is Lang.JA else 1])

    def _noticed(self, event: Noticed) -> None:
        key = f"notice.{event.code}"
        values = {
            name: clean(value)
            for name, value in event.details.items()
            if isinstance(value, str | int)
        }
        try:
            self.note = self.say(key, code=event.code, **values)
        except KeyError:  # no words for it, or the server does not say what they need
            self.note = self.say("notice", text=clean(event.message))

    def _opened(self, event: Opened) -> None:
        if not self.embedded:  # that server ends with this client, and its tokens with it
            self.effects.append(RememberToken(event.hello.token, self.session.name))
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
            and self.plan.rehearse is None
            and self.plan.room in (None, *mine)
        ):
            self.plan.room = None
            self.enter(mine[-1])
        else:
            self._carry_out()

    def _hello_refused(self, event: HelloRefused) -> None:
        if event.code == "bad_password":
            given = self.session.password is not None
            note = self.refusal(event.code, event.message) if given else ""
            self.push(Ask("hall", "lobby.hall_password", note=note))
        else:
            why = self.refusal(event.code, event.message, event.details)
            if problem := name_problem(self.lang, event.details):
                why = self.say("lobby.bad_name", why=problem)
            elif event.code != "bad_name":
                why = self.say("failed", why=why)
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
                    self._again = again.room
                    self._moved_on(again.room)
                case messages.Catalog(game=game, options=options):
                    told = codec.decode_result(messages.CatalogResult, dict(event.result))
                    catalog = Catalog.of(told.cards, told.rulebook)
                    catalog = catalog.with_packs(told.packs)
                    if options:
                        self._sets[game, as_str(options.get("set"))] = catalog
                    else:
                        books = as_dict(event.result.get("books"))
                        self.catalogs[game] = catalog.with_books(books)
                        catalog_known(self)
                case messages.Daily():
                    daily_answered(self, event.result)
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
            self._planned.add(self.ask(messages.Bot(id=0, room=room, level=level)))
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
        self.decks.refused(room, problems_in(self.lang, details) or [why])
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
        self._begin_again()

    def _begin_again(self) -> None:
        """Start the rematch that was asked for here, if there are only bots to wait for."""
        table = self.table
        if table is None or table.info is None or table.room != self._again:
            return
        mine = self.seat_of(table)
        if table.info.phase == "lobby" and self.is_host(table):
            self._again = None
            if all(seat.bot for seat in table.info.seats if seat.seat != mine):
                self._starting, self._start_asked = table.room, False
                self.ready(table, on=True)

    def _failed(self, event: Failed) -> None:
        why = self.refusal(event.code, event.message, event.details)
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
            case messages.Catalog(game=game, options=options):
                self._fetched.discard((game, as_str(as_dict(options).get("set"))))
                if not options:
                    catalog_refused(self, why)
            case messages.Daily():
                daily_refused(self, why)
            case messages.Deck(room=room) if event.code != "lost":
                self._deck_refused(room, why, event.details)
            case messages.Start() if event.code in ("not_ready", "lost"):
                self._start_asked = False
                if self._starting is None:
                    self.note = self.say("failed", why=why)
            case messages.Join() if event.code == "bad_password" and not isinstance(self.top, Ask):
                wrong = why if request.password else ""
                self.push(
                    Ask(
                        "password",
                        "lobby.password",
                        note=wrong,
                        room=request.room,
                        role=request.as_,
                    )
                )
            case messages.Join() if (
                event.code == "room_started" and request.as_ is not messages.Role.SPECTATOR
            ):
                self.ask(evolve(request, as_=messages.Role.SPECTATOR, seat=None))
                self.note = self.say("room.watch_started")
            case _ if event.code == "lost":
                if isinstance(request, messages.Deck):
                    self.decks.sent.pop(request.room, None)
                self.note = self.say("net.lost_request", what=type(request).type)
            case _:
                self.note = self.say("failed", why=why)

    def _room_changed(self, event: RoomChanged) -> None:
        info = event.info
        self._note_people(event.room, info)
        if event.room == self.room:
            self._begin_again()
            self.fetch_catalog(info.game, self._card_set(info))
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

    def _note_people(self, room: str, info: RoomInfo) -> None:
        """Keep who sat where from now on, and what is new about it."""
        history = self._people.setdefault(room, [])
        before = history[-1].seats if history else ()
        if before == info.seats:
            return
        news: list[tuple[str, Mapping[str, object]]] = []
        for old, new in zip(before, info.seats, strict=False):
            who, name = clean(old.name or ""), clean(new.name or "")
            if old.user != new.user:
                if old.user is not None:
                    news.append(("people.left", {"who": who}))
                if new.user is not None:
                    news.append(("people.sits", {"who": name, "n": new.seat + 1}))
            elif new.user is not None and bool(old.away) != bool(new.away):
                news.append(("people.away" if new.away else "people.back", {"who": name}))
        history.append(_People(self.now, info.seats, tuple(news)))
        del history[:-_PEOPLE_KEPT]

    def _refresh_menu(self) -> None:
        """Bring the menu up to the table's open decisions."""
        table = self.table
        decisions = table.decisions if table is not None else ()
        before = self.menu
        self.menu = before.updated(
            decisions,
            self.painter.path,
            self._last_sentence(),
            self.painter.slot,
            self.painter.shy,
        )
        if self.menu is not before and before.is_open and before.sent is None and self.menu.is_open:
            self._swapped_at = self.now

    # --- the log ----------------------------------------------------------------------------------

    def sentence(self, table: Table, event: Mapping[str, Json], ctx: Context) -> str | None:
        """Return an event in words; None if it is not worth a line."""
        if as_str(event.get("kind")) == "fairness":
            if not check_deal(table, event):
                return self.say("fair.bad")
            is_daily = as_dict(table.view.get("table")).get("daily") is True
            return self.say("daily.fair" if is_daily else "fair.ok")
        return painter_for(table.info.game if table.info else "").event(event, ctx)

    def log_lines(self, table: Table) -> Iterator[Line]:
        """Yield what happened and what was said, the newest first."""
        ctx = self.context(table)
        people = list(self._people.get(table.room, ()))
        events, chat = list(table.log), list(table.chat)
        while events or chat or people:
            event_at = events[-1].received if events else -1.0
            chat_at = chat[-1].received if chat else -1.0
            if people and people[-1].since >= max(event_at, chat_at):
                change = people.pop()
                if people:  # names of the events before are those of the people before
                    ctx = evolve(ctx, names=people[-1].names())
                for key, values in reversed(change.news):
                    yield (("dim", " " + self.say(key, **values)),)
            elif event_at >= chat_at:
                entry = events.pop()
                text = self.sentence(table, entry.event, ctx)
                if text:
                    style = "log.new" if entry.seq == table.seq else ""
                    if self.painter.is_moment(entry.event):
                        style = f"{style} strong".strip()
                    yield ((style, " " + text),)
            else:
                line = chat.pop()
                said = ctx.say("chat.line", name=clean(line.name), text=clean(line.text))
                if line.earlier:
                    yield (("dim", "» " + ctx.say("chat.earlier", line=said)),)
                else:
                    yield (("log.chat", "» " + said),)

    def farewell(self) -> list[str]:
        """Return what the terminal keeps after the client: the result, or the way back."""
        if self.stopped_early:
            return [self.note] if self.note else []
        table = self.table
        if table is None:
            return []
        if table.is_over:
            lines = self.painter.outcome(table.view, self.context(table), 1000)
            return [self.say("over"), *(line_text(line).rstrip() for line in lines)]
        if self.embedded or not self.session.rooms:
            return []
        return [self.say("bye.back"), f"  {self.program} play {self.url}"]

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
        if self.note and key != "f2":
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

    @property
    def is_overheard(self) -> bool:
        """Whether others on the way to the server can read along."""
        return self.url.startswith("ws:") and not is_here(self.url)

    def connection(self) -> tuple[str, str]:
        """Return the state of the connection: a style and words."""
        match self.session.state:
            case State.OPEN:
                table = self.table
                if table is not None and table.view and not table.current:
                    return "title.alert", self.say("net.catching_up")
                return "title", self.say("net.open_plain" if self.is_overheard else "net.open")
            case State.OPENING:
                return "title.alert", self.say("net.connecting")
            case State.STOPPED:
                return "title.alert", self.say("net.stopped", why="").rstrip(": ")
            case _ if self.session.waits:
                return "title.alert", self.say("net.held")
            case _:
                return "title.alert", self.say("net.lost")

    def clock_text(self, *, short: bool = False) -> str:
        """Return the time left for what matters most to the viewer, or nothing.

        `short` leaves out the spare time while it does not run.
        """
        table = self.table
        if table is None or not table.clocks or table.is_over or not self.online:
            return ""
        mine = {d.id for d in table.decisions}
        clocks = [c for c in table.clocks if c.clock.decision in mine] or list(table.clocks)
        clocks = [c for c in clocks if not c.clock.paused] or clocks  # one may stand for another
        clock = min(clocks, key=lambda c: c.left_ms(self.now) + (c.bank_left_ms(self.now) or 0))
        if clock.clock.paused:
            return self.say("paused")
        left, bank = clock.left_ms(self.now), clock.bank_left_ms(self.now)
        if not bank or (short and left > 0):
            return time_text(left)
        if left <= 0:
            return self.say("clock.bank", bank=time_text(bank))
        return self.say("clock.with_bank", time=time_text(left), bank=time_text(bank))

    @property
    def is_ticking(self) -> bool:
        """Whether the screen changes with the time: a clock runs, or a notice is to go away."""
        return bool(self.clock_text() or (self.note and self.note != self.why_stopped()))

    def paint(self, cells: int, height: int, now: float) -> Body:
        """Return the whole screen: `height` lines of `cells` cells."""
        self.now = now
        self._age_note()
        cells, height = max(1, cells), max(1, height)
        note: list[Line] = []
        if self.note and height > 5:
            note = wrap_line((("alert", " " + self.note),), cells, 1)[: 2 if height > 16 else 1]
        self.note_lines = len(note)
        room = max(0, height - 2 - len(note))
        body = self.top.body(self, cells, room)
        lines = list(body.lines[:room])
        if note:
            lines += [()] * (room - len(lines))
            lines += [cut_line(line, cells) for line in note]
        keys = key_line(self.top.keys(self), cells)
        return compose(self._title(cells), Body(tuple(lines), body.cursor), keys, cells, height)

    def _age_note(self) -> None:
        """Take a notice away when it is old news, unless it says that nothing goes on any more."""
        if self.note != self._noted[0]:
            self._noted = (self.note, self.now)
        elif self.note and self.now - self._noted[1] > NOTE_SECONDS:
            self.note = ""
        if not self.note:
            self.note = self.why_stopped()

    def _title(self, cells: int) -> Line:
        style, state = self.connection()
        clock = self.clock_text(short=True)
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
