"""For authors of bots: play a seat with an ordinary loop, no `async` needed.

    from kaguraden_client import connect

    with connect("ws://192.168.1.5:8765/ws", "Aki") as house:
        table = house.open("enbu")  # or house.join("KAGU-7Q2F")
        for decision in table.decisions():
            table.answer(decision, decision.options[0])
        print(table.outcome)

The loop gives each decision that this seat is asked, once, and ends when the game is over. Who
does not answer leaves it to the clock. While it waits, `table.view`, `table.events` and
`table.clocks` stay as they were when the decision came, however long the bot thinks.

**What happens beneath the loop.** Lost connections and restarts of the server (the seat is taken
back, what was missed is caught up, an answer without a reply is sent again), rate limits, a full
disk of the server, getting ready and starting. An answer that came too late is no error: `answer`
returns False, and the loop gives what is asked now.

**What a bot author sees**, as exceptions, all of them `ClientError`s:

- `CannotConnect`: no server answers at the address, or none that takes the hello in time; from
  `connect`.
- `RequestFailed`, with `code`, `message`, `details`: the server refused a request (protocol
  section 12), the hello (`bad_name`, `bad_password`) from `connect` included.
- `TableClosed`, with `reason`: the room is gone, or this seat was put out of it; from the loop.
  After a restart of a server without a data folder the reason is `gone`.
- `SessionStopped`: there is no coming back, as another connection has taken this place over; or
  a fault in here, which is then its `__cause__`.
- `NotSent`, a `ValueError`: the program asks for what cannot be sent, and nothing was: an option
  that is not the decision's, a name of half a character. What found it is the `__cause__`.
- `NoValue`, a `NotSent`: no value fits what the option takes, since it is of a kind that is new or
  its bounds clash. `usable` leaves such options out.

Only the messages for `House.request` are made by the program itself: their classes raise
`ValueError` and `TypeError` for fields that they do not take.

**Why a thread.** The asyncio shell keeps the connection in a thread of its own: it answers pings
and comes back after a loss also while the bot thinks for a minute, which a loop that reads only
when it is asked to could not. All state is touched in that thread; a bot gets values that do not
change. Several tables, each with a loop in a thread of its own, may share one house.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import secrets
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import takewhile
from typing import Any, Final, TypeVar

from attrs import define, field, frozen
from kaguraden_protocol import messages
from kaguraden_protocol.errors import ErrorCode, LocalProtocolError
from kaguraden_protocol.messages import Decision, HelloResult, Locale, Option, Phase, RoomInfo
from kaguraden_protocol.text import for_terminal

from .asyncio_shell import Client, open_client
from .comeback import ComeBack
from .errors import ClientError, NotSent
from .links import read_fingerprint, read_link
from .pins import check_pin
from .session import Event, HelloRefused, RoomLeft, Session, Stopped
from .shell import CannotConnect, RequestFailed, SessionStopped
from .table import Json, LogEntry, Table, TimedClock
from .values import least_value

__all__ = ["BotTable", "House", "TableClosed", "connect"]

T = TypeVar("T")

# From an open connection to the answer to hello. A server that is too busy may ask to come back
# after 30 to 60 seconds (protocol section 13), and that is an answer to wait for.
HELLO_SECONDS: Final = 60.0
HEAR_SECONDS: Final = 0.2  # how late Ctrl-C may be heard

# Somebody was quicker, or it all has ended: the loop will tell, by what is asked now or by raising.
_TOO_LATE: Final = (
    *("stale", "not_your_decision"),
    *("not_member", "not_seated", "room_not_found"),
    "lost",  # the session is over: an answer is sent again for as long as it is not
)
# A refusal of an answer with one of these is raised. A reason that only a later version knows cannot
# be the bot's mistake, nor could the bot do anything about it: it is taken as too late.
_KNOWN: Final = frozenset(code.value for code in ErrorCode)
# Getting ready and starting race with the others at the table: who joined, left or started just
# before makes the server refuse. The next news of the room tells whether to try again.
_NOT_YET: Final = (*_TOO_LATE, "not_ready", "not_host", "room_started", "room_over")


class TableClosed(ClientError):
    """This client is no longer at the table; `reason` is a word such as `kicked` or `gone`."""

    def __init__(self, room: str, reason: str) -> None:
        super().__init__(f"no longer at table {room}: {for_terminal(reason)}")
        self.room = room
        self.reason = reason


@frozen
class _Moment:
    """What a bot is shown at once: a decision, None at the end, and the table at that time."""

    decision: Decision | None
    view: Mapping[str, Json]
    events: tuple[Mapping[str, Json], ...]
    clocks: tuple[TimedClock, ...]


@contextmanager
def _sending() -> Iterator[None]:
    """Tell of what cannot be sent in one way, whoever finds it while a request is made."""
    try:
        yield
    except (LocalProtocolError, TypeError, ValueError) as error:
        raise NotSent(str(error)) from error


@define(eq=False)
class House:
    """A server that one is connected to. Made by `connect`; what is asked of it blocks."""

    session: Session
    _url: str
    _delay: Callable[[int, ComeBack], float] | None
    _loop: asyncio.AbstractEventLoop
    _pin: str | None = None
    _closing: asyncio.Event = field(factory=asyncio.Event, init=False)
    _changed: asyncio.Event = field(factory=asyncio.Event, init=False)
    _left: dict[str, str] = field(factory=dict, init=False)  # room to the reason
    _problem: ClientError | None = field(default=None, init=False)  # nothing more will happen
    _opening: asyncio.Task[None] | None = field(default=None, init=False)  # until there is one
    _client: Client = field(init=False)

    @property
    def hello(self) -> HelloResult:
        """What the server said of itself: its games with their options and seats, its limits."""
        assert self.session.hello is not None  # noqa: S101 - `connect` waited for it
        return self.session.hello

    @property
    def token(self) -> str:
        """The secret to come back with after this program has ended, see `connect`."""
        return self.session.token or ""

    def open(
        self,
        game: str,
        *,
        seats: int | None = None,
        bots: str | Sequence[str] = (),
        options: Mapping[str, Json] | None = None,
        title: str | None = None,
        password: str | None = None,
        listed: bool | None = None,
    ) -> BotTable:
        """Open a table and sit down. The game starts when all seats are filled and ready.

        Args:
            game: `odoriko`, `enbu`, `yumeochi`, or what else the server has.
            seats: How many play; by default as few as the game allows, but enough for the bots.
            bots: Levels of the server's bots, such as `["random", "greedy"]`, for so many seats;
                one level alone, `"random"`, is for all seats but this. The rest is for others.
            options: The room's, by name; what is left out has its default.
            title: What people see in the lobby.
            password: Who joins is asked for it.
            listed: Whether the lobby shows the table; it does by default.

        Raises:
            RequestFailed: The server refused it, for its options or since it is full.
            TableClosed: It was closed at once.
            SessionStopped: There is no way back to the server.
            NotSent: A field is of the wrong type or too long.
        """
        with _sending():
            if seats is None:
                least = next((g.seats.min for g in self.hello.games if g.id == game), 1)
                seats = least if isinstance(bots, str) else max(least, 1 + len(bots))
            levels = [bots] * (seats - 1) if isinstance(bots, str) else bots
            create = messages.Create(
                id=0,
                game=game,
                options=None if options is None else dict(options),
                title=title,
                password=password,
                listed=listed,
                seats=seats,
            )
        table = self._run(self._sit(create))
        for level in levels:
            with _sending():
                bot = messages.Bot(id=0, room=table.room, level=level)
            self.request(bot)
        return table

    def join(self, room: str, *, seat: int | None = None, password: str | None = None) -> BotTable:
        """Sit down at a table, by its code; by default in the first free seat.

        Where this user sits already, after coming back with a token, it is the same place.
        Raises as `open`; `room_not_found` and `room_full` are codes of `RequestFailed`.
        """
        with _sending():
            join = messages.Join(
                id=0, room=room, as_=messages.Role.PLAYER, seat=seat, password=password
            )
        return self._run(self._sit(join))

    def request(self, request: messages.Request) -> Mapping[str, Json]:
        """Send any request of the protocol and return its result, as on the wire.

        Its `id` is replaced: `house.request(messages.Catalog(id=0, game="enbu"))["cards"]`.

        Raises:
            RequestFailed: The server refused it, or (`lost`) nobody knows what became of it.
            SessionStopped: There is no way back to the server.
            NotSent: It holds what may not be sent.
        """
        return self._run(self._client.request(request))

    # --- in the thread of the connection -----------------------------------------------------------

    async def _live(self, started: concurrent.futures.Future[None]) -> None:
        """Keep the connection until `_closing`; `started` is done once there is one, or fails."""
        if self._closing.is_set():
            return
        self._opening = asyncio.current_task()
        try:
            async with open_client(
                self._url, self.session, pin=self._pin, delay=self._delay
            ) as self._client:
                self._opening = None
                listening = asyncio.create_task(self._listen())
                started.set_result(None)
                await self._closing.wait()
                await self._client.aclose()
                await listening
        except asyncio.CancelledError:
            pass  # nobody waits for a connection any more
        except Exception as error:  # in a thread nobody would catch it: the bot is told
            self._end(error)
            if not started.done():
                started.set_exception(self._ended())

    async def _listen(self) -> None:
        stopped: Stopped | None = None
        try:
            async for event in self._client.events():
                self._take(event)
                stopped = event if isinstance(event, Stopped) else stopped
                self._wake()
        except Exception as error:  # a fault of ours must not leave the bot waiting
            self._end(error)
        self._end(SessionStopped(stopped, self._client.fault))

    def _take(self, event: Event) -> None:
        match event:
            case HelloRefused():
                self._end(RequestFailed(event))
            case RoomLeft(room=room, reason=reason):
                self._left[room] = reason
            case _:
                pass

    def _shut(self) -> None:
        self._closing.set()
        if self._opening is not None:
            self._opening.cancel()

    def _end(self, problem: Exception) -> None:
        """Note what ends the session. The first is the cause of the others."""
        if not isinstance(problem, ClientError):
            problem = SessionStopped(None, problem)
        self._problem = self._problem or problem
        self._wake()

    def _ended(self) -> ClientError:
        return self._problem or SessionStopped(None)

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def _wait_open(self, seconds: float) -> None:
        """Wait for the answer to hello."""
        try:
            async with asyncio.timeout(seconds):
                while self.session.hello is None:
                    if self._problem is not None:
                        raise self._problem
                    await self._changed.wait()
        except TimeoutError:
            raise CannotConnect(
                self._url,
                f"接続しましたが、{seconds:g} 秒以内に挨拶への返事がありません",
                f"connected, but no answer to hello within {seconds:g} s",
            ) from None

    async def _sit(self, request: messages.Create | messages.Join) -> BotTable:
        code = request.room.strip().upper() if isinstance(request, messages.Join) else ""
        if code not in self.session.rooms:
            code = str((await self._client.request(request)).get("room"))
        table = self.session.rooms.get(code)
        if table is None:  # closed already; the reason is on its way to `_listen`
            while code not in self._left and self._problem is None:
                await self._changed.wait()
            raise TableClosed(code, self._left.get(code, "gone"))
        self._left.pop(code, None)
        return BotTable(self, table)

    # --- in the thread of the bot ------------------------------------------------------------------

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something in the thread of the connection and wait for it."""
        if self._loop.is_closed():
            work.close()
            raise self._ended()
        doing = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return _wait(doing)
        except LocalProtocolError as error:
            raise NotSent(str(error)) from error
        except concurrent.futures.CancelledError:
            pass  # the connection was closed meanwhile; what is raised below has its own cause
        finally:
            doing.cancel()  # Ctrl-C: nobody waits for it any more
        raise self._ended()

    def _close(self) -> None:
        with suppress(RuntimeError):  # it has ended already: the loop is closed
            self._loop.call_soon_threadsafe(self._shut)


@define(eq=False)
class BotTable:
    """A seat at a table. Made by `House.open` and `House.join`.

    `view`, `events` and `clocks` are as they were when the loop gave its last decision, and at its
    end those of the end; before that they are empty.
    """

    _house: House
    _table: Table
    view: Mapping[str, Json] = field(factory=dict, init=False)
    """The position, as this seat may know it (protocol section 8, and 18 to 20 for each game)."""
    events: tuple[Mapping[str, Json], ...] = field(default=(), init=False)
    """What happened since the decision before, in order; at most the last 2000."""
    clocks: tuple[TimedClock, ...] = field(default=(), init=False)
    """The clocks that run. `clock.left_ms(time.monotonic())` is what one has left now."""
    _told: LogEntry | None = field(default=None, init=False)  # the last event that was shown
    _given: set[str] = field(factory=set, init=False)  # ids of decisions
    _settled: RoomInfo | None = field(default=None, init=False)  # for this one all was asked

    @property
    def room(self) -> str:
        """The code by which others join, such as `KAGU-7Q2F`."""
        return self._table.room

    @property
    def seat(self) -> int | None:
        """The number of this seat, from 0. It may change when the game starts."""
        return self._table.seat

    @property
    def info(self) -> RoomInfo | None:
        """The game, its options, and who sits where, now."""
        return self._table.info

    @property
    def outcome(self) -> Mapping[str, Json] | None:
        """How the game ended: `ranking`, `reason` and more; None while it is played."""
        outcome = self.view.get("outcome")
        return outcome if isinstance(outcome, dict) else None

    def decisions(self) -> Iterator[Decision]:
        """Get ready, start if this is the host, and give each decision, until the game is over.

        A deck is chosen before: `house.request(messages.Deck(id=0, room=table.room, …))`.

        Raises:
            RequestFailed: The server refused to start.
            TableClosed: The room is gone, or this seat was put out of it.
            SessionStopped: There is no way back to the server.
        """
        while True:
            moment = self._house._run(self._next())
            self.view, self.events, self.clocks = moment.view, moment.events, moment.clocks
            if moment.decision is None:
                return
            yield moment.decision

    def answer(
        self,
        decision: Decision,
        option: Option | str,
        value: int | Sequence[str] | None = None,
    ) -> bool:
        """Answer a decision; return whether it counted.

        It does not if it came too late, nor if a later version of the server has a reason against
        it that nobody could know of (a code that is not in `ErrorCode`): go by the next decision.

        Args:
            decision: What the loop gave.
            option: One of its options, or the id of one.
            value: What the option takes along; by default the least that fits (`least_value`).

        Raises:
            RequestFailed: The server refused it for a reason that is known, such as `bad_value`.
            SessionStopped: There is no way back to the server.
            NotSent: The decision has no such option, `value` is neither a number nor a list of
                texts, or this decision is being answered in another way just now.
            NoValue: Without a `value`: none fits.
        """
        chosen = next((o for o in decision.options if option in (o, o.id)), None)
        if chosen is None:
            raise NotSent(f"decision {decision.id} has no option {option}")
        if value is None:
            value = least_value(chosen.value)
        try:
            self._house._run(self._house._client.act(self.room, decision.id, chosen.id, value))
        except RequestFailed as refusal:
            if refusal.code in _KNOWN and refusal.code not in _TOO_LATE:
                raise
            return False
        return True

    def leave(self) -> None:
        """Give the seat up, for good if the game has begun."""
        self._house.request(messages.Leave(id=0, room=self.room))

    # --- in the thread of the connection -----------------------------------------------------------

    async def _next(self) -> _Moment:
        """Wait until this seat is asked something, or the game is over."""
        house = self._house
        while True:
            changed = house._changed  # taken before looking, so that no change is missed
            if self._table.is_over:
                return self._moment(None)
            if house._problem is not None:
                raise house._problem
            if self.room in house._left:
                raise TableClosed(self.room, house._left[self.room])
            for decision in self._table.decisions:
                if self._table.current and decision.id not in self._given:
                    self._given.add(decision.id)
                    return self._moment(decision)
            if not await self._settle():
                await changed.wait()

    def _moment(self, decision: Decision | None) -> _Moment:
        log = self._table.log
        new = list(takewhile(lambda entry: entry is not self._told, reversed(log)))[::-1]
        self._told = log[-1] if log else None
        events = tuple(entry.event for entry in new)
        return _Moment(decision, self._table.view, events, self._table.clocks)

    async def _settle(self) -> bool:
        """Do what the room waits for before the game; return whether that changed anything."""
        info = self._table.info
        if info is None or info is self._settled or info.phase != Phase.LOBBY:
            return False
        self._settled = info
        me = self._house.hello.user
        mine = next((seat for seat in info.seats if seat.user == me), None)
        request: messages.Request
        if mine is None:
            return False
        if not mine.ready:
            nonce = secrets.token_hex(16)  # this seat's share in the deal (protocol section 16)
            request = messages.Ready(id=0, room=self.room, ready=True, nonce=nonce)
        elif mine.host and all(seat.ready for seat in info.seats):
            request = messages.Start(id=0, room=self.room)
        else:
            return False
        try:
            await self._house._client.request(request)
        except RequestFailed as refusal:
            if refusal.code not in _NOT_YET:
                raise
            if refusal.code == "lost":
                self._settled = None  # nobody knows whether it was heard: once more
        return True


def _wait(future: concurrent.futures.Future[T]) -> T:
    """Wait for the result of another thread, and hear a signal meanwhile.

    One that comes in the moment before a wait begins is heard only when the wait is over.
    """
    while not concurrent.futures.wait([future], HEAR_SECONDS).done:
        pass
    return future.result()


@contextmanager
def connect(
    url: str,
    name: str = "Bot",
    *,
    password: str | None = None,
    token: str | None = None,
    pin: str | None = None,
    locale: Locale | str | None = None,
    bot: bool = True,
    delay: Callable[[int, ComeBack], float] | None = None,
    hello_seconds: float = HELLO_SECONDS,
) -> Iterator[House]:
    """Connect to a server, and stay connected while the block runs.

    Args:
        url: Such as `ws://192.168.1.5:8765/ws`, or a join link.
        name: What others call this player.
        password: The server's, if it has one.
        token: `House.token` of an earlier run, to take its seats back.
        pin: The fingerprint of the only certificate to accept, if the link has none; without any
            an authority must vouch for the certificate of a wss address.
        locale: The language of the server's messages, "ja" or "en"; English by default.
        bot: Whether a program plays, which others are shown.
        delay: Seconds before an attempt to come back, as for `open_client`.
        hello_seconds: How long the server has for its answer to hello once there is a connection,
            with all that it asks to wait meanwhile. For the connection it has 10.

    Raises:
        CannotConnect: No server answers there, or it says nothing to the hello in time.
        RequestFailed: It did not take the hello, for its name or password.
        SessionStopped: It ended the connection for good.
        NotSent: The name, the password or the token cannot be sent.
        ValueError: The pin is none, or is for a connection without TLS; or the address holds what
            cannot be shown.
    """
    link = read_link(url)
    pinned = link.fingerprint if pin is None else read_fingerprint(pin)
    check_pin(link.url, pinned)
    with _sending():
        locale = None if locale is None else Locale(locale)
        session = Session(name, token=token, locale=locale, bot=bot, password=password)
        session.check()
    # The loop is there before its thread, so that Ctrl-C can end what has hardly begun.
    runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
    house = House(session, link.url, delay, runner.get_loop(), pinned)
    started: concurrent.futures.Future[None] = concurrent.futures.Future()

    def live() -> None:
        with runner:
            runner.run(house._live(started))

    thread = threading.Thread(target=live, name="kaguraden", daemon=True)
    try:
        thread.start()
        _wait(started)
        house._run(house._wait_open(hello_seconds))
        yield house
    finally:
        house._close()
        thread.join()
