"""The client's half of the protocol, without I/O and without a clock.

A shell owns the connection. It tells the session what happens to it and hands over what it reads;
the session answers with events, and keeps the texts that are to be written:

    session.connected(now)           a connection is open: `hello` is queued
    session.receive(text, now)       a text came in
    session.lost(code, reason, now)  the connection ended
    session.tick(now)                `session.wake_at` has come
    session.outgoing(now)            texts to write now, in order; each is handed out once

States:

    closed ──connected──▶ opening ──ok to hello──▶ open ──lost──▶ closed   (to come back)
                             └──────lost or nonsense─┴──────────▶ stopped  (for good)

*Requests.* A request waits in the queue until the session is open and fewer than 16 are pending;
its reply gives one `Answered` or `Failed`. What was pending when the connection was lost is either
safe to send again, and is, word for word (an `act` above all: the server answers an equal one
with the result it had), or fails with the code `lost`, because nobody knows what became of it.
What was still queued is sent when the session is open again. So nothing is lost or done twice.
A `too_many_requests` holds everything back for as long as the server says, and an `unavailable`
for a second; then the same request goes again, `hello` too. Nobody hears of either.

*A refused hello.* Servers close a connection on which they refused it. A `patient` session, whose
user can be asked for another name or password, then `waits` for `introduce` before it connects
again; others stop.

*Rooms.* `rooms` has one `Table` for every room that this user is in: by the reply to `create`,
`join` or `rematch`, by the list in the reply to `hello`, or because the server pushed something
about it. A gap in a table's numbers, and every new connection, asks the server for what is missing
(`sync`); until that is in, the table is not `current`.

*Trust.* The server may send anything. What cannot be understood is a `Garbled` event and changes
nothing; twenty in a row end the session. Texts are as they came: whoever prints one cleans it with
`kaguraden_protocol.text.for_terminal`.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import Final, TypeAlias

from attrs import define, evolve, field, frozen
from kaguraden_protocol import codec, messages
from kaguraden_protocol.errors import CloseCode, LocalProtocolError, RemoteProtocolError
from kaguraden_protocol.limits import MAX_WORD_CHARACTERS, Limits
from kaguraden_protocol.messages import (
    Act,
    Auto,
    ChatPush,
    Closed,
    CreateResult,
    Error,
    Hello,
    HelloResult,
    Join,
    JoinResult,
    LobbyPush,
    Locale,
    Notice,
    Ok,
    Ready,
    RematchResult,
    RoomInfo,
    RoomPush,
    Sync,
    SyncResult,
    Update,
)

from .comeback import ABNORMAL, PROTOCOL_ERROR, ComeBack, Stop, after_close
from .table import ChatLine, Folded, Json, Table

__all__ = [
    "Answered",
    "Chatted",
    "Event",
    "Failed",
    "Garbled",
    "HelloRefused",
    "LobbyChanged",
    "Lost",
    "Noticed",
    "Opened",
    "RoomChanged",
    "RoomLeft",
    "Session",
    "State",
    "Stopped",
    "Updated",
]

CLIENT: Final = messages.ClientInfo("kaguraden-client", version("kaguraden"))
MAX_PENDING: Final = 16  # protocol section 3
MAX_QUEUED: Final = 256  # requests; a person cannot, so a program that does is told
MAX_GARBLED: Final = 20  # in a row: the other end speaks something else
MAX_ROOMS: Final = 64  # a user may be in 8; a server that pushes more is not believed
UNAVAILABLE_WAIT: Final = 1.0  # seconds before a request whose outcome is unknown goes again

# How a server ends a connection on which it refused hello: at once, or when nothing better comes.
_AFTER_REFUSAL: Final = (CloseCode.REFUSED, CloseCode.NO_HELLO)

# Requests that may be sent again without having an effect twice.
_REPEATABLE: Final = (
    Act,
    Auto,
    Ready,
    messages.Ping,
    messages.Rooms,
    Join,
    messages.Configure,
    messages.Deck,
    messages.Catalog,
    messages.Replay,
    messages.Daily,
    messages.Pause,
)


class State(enum.StrEnum):
    """Where the session stands; see the module's text."""

    CLOSED = "closed"
    OPENING = "opening"
    OPEN = "open"
    STOPPED = "stopped"


# --- events --------------------------------------------------------------------------------------


@frozen
class Opened:
    """The server answered `hello`. `again`: not for the first time; `resumed`: the place is kept."""

    hello: HelloResult
    resumed: bool
    again: bool


@frozen
class HelloRefused:
    """The server did not take `hello`; `introduce` says it again, with another name or password."""

    code: str
    message: str
    details: Mapping[str, Json]


@frozen
class Answered:
    """A request was carried out. `result` as on the wire; see `codec.decode_result`."""

    id: int
    request: messages.Request
    result: Mapping[str, Json]


@frozen
class Failed:
    """A request was refused, or (code `lost`) nobody knows what became of it."""

    id: int
    request: messages.Request
    code: str
    message: str
    details: Mapping[str, Json]


@frozen
class Updated:
    """A game moved: the table has the new view; `events` say what happened, in order."""

    room: str
    seq: int
    events: tuple[Mapping[str, Json], ...]
    full: bool


@frozen
class RoomChanged:
    """Seats, names, options or the phase of a room changed; the table has them."""

    room: str
    info: RoomInfo


@frozen
class RoomLeft:
    """This user is no longer in a room; its table is gone."""

    room: str
    reason: str


@frozen
class Chatted:
    """Somebody spoke."""

    room: str
    line: ChatLine


@frozen
class LobbyChanged:
    """The open rooms changed (after `rooms` with `watch`)."""

    rooms: tuple[RoomInfo, ...]


@frozen
class Noticed:
    """The server has something to say."""

    code: str
    message: str
    details: Mapping[str, Json]


@frozen
class Garbled:
    """The server sent what this session does not understand; it changed nothing."""

    problem: str


@frozen
class Lost:
    """The connection ended; the shell comes back by itself (`comeback`)."""

    code: int
    reason: str


@frozen
class Stopped:
    """The session is over, for a reason that coming back would not mend."""

    code: int
    reason: str
    ja: str
    en: str


Event: TypeAlias = (
    Opened
    | HelloRefused
    | Answered
    | Failed
    | Updated
    | RoomChanged
    | RoomLeft
    | Chatted
    | LobbyChanged
    | Noticed
    | Garbled
    | Lost
    | Stopped
)


# --- the machine -----------------------------------------------------------------------------------


@define
class _Call:
    """A request on its way, and its text. `own`: the session's, nobody hears of its reply."""

    id: int
    request: messages.Request
    text: str
    own: bool = False


@define
class Session:
    """One user's connection to a server, over as many connections as it takes.

    Args:
        name: What the others call this user.
        token: A secret of an earlier session, to take its place back.
        locale: "ja" or "en": the language of the server's messages.
        bot: Whether a program plays.
        password: The server's.
        patient: Whether a refused `hello` is said again after `introduce`.
    """

    name: str
    token: str | None = None
    locale: Locale | None = None
    bot: bool | None = None
    password: str | None = None
    client: messages.ClientInfo = CLIENT
    patient: bool = False
    state: State = field(default=State.CLOSED, init=False)
    hello: HelloResult | None = field(default=None, init=False)
    rooms: dict[str, Table] = field(factory=dict, init=False)
    lobby: tuple[RoomInfo, ...] = field(default=(), init=False)
    wake_at: float | None = field(default=None, init=False)
    _last_id: int = field(default=0, init=False)
    _queue: deque[_Call] = field(factory=deque, init=False)
    _pending: dict[int, _Call] = field(factory=dict, init=False)
    _texts: list[str] = field(factory=list, init=False)
    _garbled: int = field(default=0, init=False)
    _refused: bool = field(default=False, init=False)  # the hello of this or the last connection
    _introduced: bool = field(default=False, init=False)  # since that was refused
    _held: bool = field(default=False, init=False)  # hello is to be said again at `wake_at`

    # --- what the program asks -------------------------------------------------------------------

    def request(self, request: messages.Request) -> int:
        """Queue a request and return the id that its `Answered` or `Failed` will have.

        The request's own `id` is replaced. `hello` is the session's business, see `introduce`.

        Raises:
            LocalProtocolError: The session is stopped, far too much is queued, or the request
                holds what may not be sent.
        """
        if self.state is State.STOPPED:
            raise LocalProtocolError("the session is stopped")
        if isinstance(request, Hello):
            raise LocalProtocolError("the session says hello by itself")
        if len(self._queue) >= MAX_QUEUED:
            raise LocalProtocolError(f"{MAX_QUEUED} requests are waiting already")
        with _sendable():
            call = self._call(request)
        self._queue.append(call)
        return call.id

    def act(
        self, room: str, decision: str, option: str, value: int | Sequence[str] | None = None
    ) -> int:
        """Answer an open decision, once: the same answer asked for again is the same request.

        Raises:
            LocalProtocolError: Another answer to this decision is on its way, or as `request`.
        """
        if isinstance(value, str):  # its characters would be taken for cards
            raise LocalProtocolError("expected a whole number or a list of texts, got a text")
        with _sendable():
            if value is not None and not isinstance(value, int):
                value = tuple(value)
            act = Act(id=0, room=room, decision=decision, option=option, value=value)
        for call in (*self._pending.values(), *self._queue):
            old = call.request
            if isinstance(old, Act) and (old.room, old.decision) == (room, decision):
                if (old.option, old.value) == (option, value):
                    return call.id
                raise LocalProtocolError(f"decision {decision} is answered already")
        return self.request(act)

    def check(self) -> None:
        """Raise LocalProtocolError if `hello` cannot be said with this name, token and password."""
        with _sendable():
            codec.encode(self._introduction(), self._limits())

    def introduce(self, *, name: str | None = None, password: str | None = None) -> None:
        """Say hello again after `HelloRefused`, with what is changed."""
        if name is not None:
            self.name = name
        if password is not None:
            self.password = password
        self._introduced = True
        if self.state is State.OPENING and not self._pending:
            self._say_hello()

    @property
    def waits(self) -> bool:
        """Whether there is no use in connecting before `introduce`."""
        return self.patient and self._refused and not self._introduced

    @property
    def is_idle(self) -> bool:
        """Whether no request waits for its reply."""
        return not self._pending and not self._queue

    # --- what the shell tells --------------------------------------------------------------------

    def connected(self, now: float) -> None:
        """A connection is open.

        Raises:
            LocalProtocolError: The last one has not been `lost`, the session is stopped, or `check`
                would have found something.
        """
        if self.state is not State.CLOSED:
            raise LocalProtocolError(f"cannot connect while {self.state}")
        self.state = State.OPENING
        self._garbled = 0
        self._refused = self._introduced = False
        self._say_hello()

    def receive(self, text: str, now: float) -> list[Event]:
        """Take a text that came in and return what it means."""
        if self.state not in (State.OPENING, State.OPEN):
            return []
        try:
            message = codec.decode_push_or_reply(text, self._limits())
        except RemoteProtocolError as error:
            return self._garble(str(error), now)
        events: list[Event]
        match message:
            case Ok():
                events = self._take_ok(message, now)
            case Error():
                events = self._take_error(message, now)
            case Update():
                events = self._take_update(message, now)
            case RoomPush():
                events = self._take_room(message)
            case ChatPush():
                events = self._take_chat(message, now)
            case LobbyPush():
                self.lobby = tuple(message.rooms)
                events = [LobbyChanged(self.lobby)]
            case Notice():
                events = [Noticed(message.code, message.message, message.details)]
            case Closed():
                events = self._drop_room(message.room, message.reason)
            case _:  # a push of a later version: ignored (protocol section 3)
                events = []
        if not any(isinstance(event, Garbled | Stopped) for event in events):
            self._garbled = 0
        return events

    def lost(self, code: int, reason: str, now: float) -> list[Event]:
        """The connection ended, with a close code (1006 if without one)."""
        if self.state in (State.CLOSED, State.STOPPED):
            return []
        verdict = after_close(code, reason)
        if code == CloseCode.NO_HELLO and self.state is State.OPENING and not self._refused:
            verdict = ComeBack()  # it was said, and was lost or slow on its way
        asks = self.patient and self._refused and code in _AFTER_REFUSAL
        if isinstance(verdict, Stop) and not asks:
            return self._stop(code, reason, verdict)
        self.state = State.CLOSED
        self.wake_at = None
        self._texts.clear()
        for table in self.rooms.values():
            table.current = False
        events: list[Event] = [Lost(code, reason)]
        again: list[_Call] = []
        for call in self._pending.values():
            if call.own:
                continue
            if isinstance(call.request, _REPEATABLE):
                again.append(call)
            else:
                events.append(_fail_lost(call))
        self._pending.clear()
        self._queue.extendleft(reversed(again))
        self._queue = deque(call for call in self._queue if not call.own)
        return events

    def stop(self, ja: str, en: str) -> list[Event]:
        """End the session: the server does not let this client connect any more."""
        if self.state is State.STOPPED:
            return []
        return self._stop(ABNORMAL, "", Stop(ja, en))

    def tick(self, now: float) -> None:
        """The time `wake_at` has come: what was held back may go."""
        if self.wake_at is not None and now >= self.wake_at:
            self.wake_at = None

    def outgoing(self, now: float) -> list[str]:
        """Return the texts to write now, in order. Each is returned once."""
        self.tick(now)
        if self.state is State.OPENING and self._held and self.wake_at is None:
            self._say_hello()
        if self.state is State.OPEN and self.wake_at is None:
            most = min(MAX_PENDING, self._limits().pending_requests)
            while self._queue and len(self._pending) < max(1, most):
                self._write(self._queue.popleft())
        texts = self._texts
        self._texts = []
        return texts

    # --- requests and replies ----------------------------------------------------------------------

    def _limits(self) -> Limits:
        """Return what the server told of its limits, or what the protocol says."""
        return Limits() if self.hello is None else self.hello.limits

    def _call(self, request: messages.Request, *, own: bool = False) -> _Call:
        self._last_id += 1
        request = evolve(request, id=self._last_id)
        return _Call(self._last_id, request, codec.encode(request, self._limits()), own)

    def _write(self, call: _Call) -> None:
        self._pending[call.id] = call
        self._texts.append(call.text)

    def _say_hello(self) -> None:
        self._held = False
        with _sendable():
            self._write(self._call(self._introduction(), own=True))

    def _introduction(self) -> Hello:
        return Hello(
            id=0,
            name=self.name,
            client=self.client,
            locale=self.locale,
            bot=self.bot,
            password=self.password,
            resume=self.token,
        )

    def _sync(self, table: Table, seq: int | None) -> None:
        """Ask for what is missing, unless that is asked already."""
        if self._is_syncing(table.room):
            return
        self._queue.appendleft(self._call(Sync(id=0, room=table.room, seq=seq), own=True))

    def _is_syncing(self, room: str) -> bool:
        return any(
            isinstance(call.request, Sync) and call.request.room == room and call.own
            for call in (*self._pending.values(), *self._queue)
        )

    def _take_ok(self, ok: Ok, now: float) -> list[Event]:
        call = self._pending.pop(ok.re, None) if isinstance(ok.re, int) else None
        if call is None:
            return self._garble(f"a reply to a request that is not pending: {ok.re!r}", now)
        request = call.request
        events: list[Event] = []
        try:
            match request:
                case Hello():
                    events += self._open(codec.decode_result(HelloResult, ok.result))
                case messages.Create():
                    created = codec.decode_result(CreateResult, ok.result)
                    self._enter(created.room, created.seat)
                case Join():
                    joined = codec.decode_result(JoinResult, ok.result)
                    self._enter(joined.room, joined.seat)
                case messages.Rematch():
                    again = codec.decode_result(RematchResult, ok.result)
                    # Its seat is told with the room; until then it is most likely the old one.
                    told, old = self.rooms.get(again.room), self.rooms.get(request.room)
                    known = old if told is None or told.seat is None else told
                    self._enter(again.room, known.seat if known else None)
                case messages.Leave():
                    events += self._drop_room(request.room, "left")
                case Auto():
                    if (table := self.rooms.get(request.room)) is not None:
                        table.modes[request.window] = request.mode
                case Ready():
                    if (table := self.rooms.get(request.room)) is not None and request.nonce:
                        table.nonce = request.nonce
                case Sync():
                    self._synced(request, codec.decode_result(SyncResult, ok.result))
                case _:
                    pass
        except RemoteProtocolError as error:
            return self._garble(f"result of {type(request).__name__}: {error}", now)
        if not call.own:
            events.append(Answered(call.id, request, ok.result))
        return events

    def _take_error(self, error: Error, now: float) -> list[Event]:
        call = self._pending.pop(error.re, None) if isinstance(error.re, int) else None
        details = error.details
        if call is None:
            return self._garble(f"the server complains: {error.code} {error.message}", now)
        wait: float | None = None
        if error.code == "too_many_requests":
            told = details.get("retry_after_ms")
            wait = told / 1000 if isinstance(told, int) else UNAVAILABLE_WAIT
        elif error.code == "unavailable" and (call.own or isinstance(call.request, _REPEATABLE)):
            wait = UNAVAILABLE_WAIT
        if isinstance(call.request, Hello):
            if wait is not None:
                self.wake_at, self._held = now + max(0.0, wait), True
                return []
            self._refused, self._introduced = True, False
            return [HelloRefused(error.code, error.message, details)]
        if wait is not None:
            # Those pending after it were refused as well or will be: their order is kept by id.
            self.wake_at = max(self.wake_at or 0.0, now + max(0.0, wait))
            after = [other for other in self._queue if other.id > call.id]
            before = [other for other in self._queue if other.id <= call.id]
            self._queue = deque([*before, call, *after])
            return []
        if isinstance(call.request, Sync) and call.own:
            if error.code in ("not_member", "room_not_found"):
                return self._drop_room(call.request.room, error.code)
            return []
        return [Failed(call.id, call.request, error.code, error.message, details)]

    # --- opening and closing -------------------------------------------------------------------------

    def _open(self, hello: HelloResult) -> list[Event]:
        again = self.hello is not None
        self.hello = hello
        self.token = hello.token
        self.state = State.OPEN
        events: list[Event] = [Opened(hello, hello.resumed, again)]
        mine = {place.room: place for place in hello.rooms}
        for room in [room for room in self.rooms if room not in mine]:
            events += self._drop_room(room, "gone")
        for place in mine.values():
            table = self._enter(place.room, place.seat)
            if table is not None:
                self._sync(table, max(table.seq, 0) or None)
        return events

    def _stop(self, code: int, reason: str, verdict: Stop) -> list[Event]:
        self.state = State.STOPPED
        self.wake_at = None
        self._texts.clear()
        calls = [call for call in (*self._pending.values(), *self._queue) if not call.own]
        self._pending.clear()
        self._queue.clear()
        return [*map(_fail_lost, calls), Stopped(code, reason, verdict.ja, verdict.en)]

    def _garble(self, problem: str, now: float) -> list[Event]:
        self._garbled += 1
        if self._garbled >= MAX_GARBLED:
            return self._stop(
                PROTOCOL_ERROR,
                problem,
                Stop("サーバーの言葉がわかりません", "the server makes no sense"),
            )
        return [Garbled(problem)]

    # --- rooms ---------------------------------------------------------------------------------------

    def _enter(self, room: str, seat: int | None) -> Table | None:
        table = self._table(room)
        if table is not None:
            table.seat = seat
        return table

    def _table(self, room: str) -> Table | None:
        """Return the room's table, made now if need be.

        None if there are too many, or if it is no code that a request could name.
        """
        table = self.rooms.get(room)
        nameable = 1 <= len(room) <= MAX_WORD_CHARACTERS
        if table is None and nameable and len(self.rooms) < MAX_ROOMS:
            table = self.rooms[room] = Table(room)
        return table

    def _drop_room(self, room: str, reason: str) -> list[Event]:
        if self.rooms.pop(room, None) is None:
            return []
        events: list[Event] = [RoomLeft(room, reason)]
        kept: deque[_Call] = deque()
        for call in self._queue:
            if getattr(call.request, "room", None) != room or isinstance(call.request, Join):
                kept.append(call)
            elif not call.own:
                events.append(
                    Failed(call.id, call.request, "not_member", f"no longer in {room}", {})
                )
        self._queue = kept
        return events

    def _synced(self, request: Sync, result: SyncResult) -> None:
        table = self.rooms.get(request.room)
        if table is None:
            return
        if table.seq == result.seq:
            table.current = True
        elif request.seq is not None:  # the server did not have it all: everything, then
            self._sync(table, None)

    def _take_update(self, update: Update, now: float) -> list[Event]:
        table = self._table(update.room)
        if table is None:
            return []
        match table.fold(update, now):
            case Folded.APPLIED:
                events = tuple(update.events)
                return [Updated(update.room, update.seq, events, update.full)]
            case Folded.GAP:
                self._sync(table, max(table.seq, 0) or None)
                return []
            case Folded.OLD:
                return []

    def _take_room(self, push: RoomPush) -> list[Event]:
        table = self._table(push.room)
        if table is None:
            return []
        table.fold_info(push.info)
        # Seats move when a game begins with empty ones between, or at a rematch. A bot that stands
        # in for somebody is in no seat of the description, and keeps the one it was told.
        me = None if self.hello is None else self.hello.user
        table.seat = next((s.seat for s in push.info.seats if s.user == me), table.seat)
        return [RoomChanged(push.room, push.info)]

    def _take_chat(self, push: ChatPush, now: float) -> list[Event]:
        table = self._table(push.room)
        if table is None:
            return []
        # What comes before the first answer to `sync` was said while this client was not running.
        earlier = table.seq == 0 and self._is_syncing(table.room)
        line = table.fold_chat(push, now, earlier=earlier)
        return [Chatted(push.room, line)] if line is not None else []


@contextmanager
def _sendable() -> Iterator[None]:
    """Say that a request cannot be sent: messages and codec have other errors for wrong fields."""
    try:
        yield
    except (AttributeError, TypeError, ValueError) as error:
        raise LocalProtocolError(f"the request cannot be sent: {error}") from error


def _fail_lost(call: _Call) -> Failed:
    message = "the connection was lost before the reply came"
    return Failed(call.id, call.request, "lost", message, {})
