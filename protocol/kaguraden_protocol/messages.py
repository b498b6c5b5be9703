"""Every message of version 1, as values.

A request, reply or push is a frozen class whose `type` is its tag on the wire; the parts that
messages are made of have no tag. Attributes are named as on the wire, but for those in `RENAMED`.
None means that a field is absent; the few fields that are null on the wire instead are defined
with `NULLABLE`. Requests check their bounds when they are made, so one that exists may be sent.

Views and events are a game's own and stay plain JSON objects here.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeAlias

from attrs import Attribute, field, frozen

from kaguraden_protocol import limits
from kaguraden_protocol._checks import (
    BadField,
    Integer,
    Items,
    Matching,
    RequestIdCheck,
    Size,
)
from kaguraden_protocol.limits import Limits

if TYPE_CHECKING:
    Json: TypeAlias = "bool | int | str | list[Json] | dict[str, Json] | None"
else:
    Json = Any  # all that is known at run time: plain JSON, handed on as it is

__all__ = [
    "NULLABLE",
    "PUSHES",
    "RENAMED",
    "REQUESTS",
    "RESULTS",
    "Act",
    "ActResult",
    "Auto",
    "Bot",
    "BotResult",
    "CardsSpec",
    "Catalog",
    "CatalogResult",
    "Chat",
    "ChatFrom",
    "ChatPush",
    "ClientInfo",
    "Clock",
    "Closed",
    "Configure",
    "Create",
    "CreateResult",
    "Daily",
    "DailyResult",
    "Decision",
    "Deck",
    "Error",
    "GameInfo",
    "Hello",
    "HelloResult",
    "Host",
    "IntSpec",
    "Join",
    "JoinResult",
    "Json",
    "Kick",
    "Leave",
    "LobbyPush",
    "Locale",
    "Mode",
    "MyRoom",
    "Notice",
    "Ok",
    "Option",
    "OrderSpec",
    "Pause",
    "Phase",
    "Ping",
    "Push",
    "Ready",
    "Rematch",
    "RematchResult",
    "Replay",
    "ReplayResult",
    "Reply",
    "Request",
    "RequestId",
    "Result",
    "Role",
    "RoomInfo",
    "RoomPush",
    "RoomRequest",
    "Rooms",
    "RoomsResult",
    "SeatInfo",
    "SeatRange",
    "ServerInfo",
    "ServerMessage",
    "Start",
    "Sync",
    "SyncResult",
    "Text",
    "Unknown",
    "UnknownSpec",
    "Update",
    "Value",
    "ValueSpec",
    "WindowInfo",
]

RequestId: TypeAlias = int | str
Value: TypeAlias = int | tuple[str, ...] | None  # what an answer brings along

RENAMED = MappingProxyType({"as_": "as", "from_": "from"})  # words that Python keeps to itself
NULLABLE = MappingProxyType({"nullable": True})  # always there, null where it does not apply

_WORD = Size(1, limits.MAX_WORD_CHARACTERS)
_SEAT = Integer(0, limits.MAX_SEATS - 1)
_PASSWORD = Size(0, limits.MAX_PASSWORD_CHARACTERS)


# Bounds of what a server sends: they are published and not checked, as clients take what comes.
_Count: TypeAlias = Annotated[int, Integer(0, limits.MAX_INTEGER)]
_Number: TypeAlias = Annotated[int, Integer(1, limits.MAX_INTEGER)]
_SeatNumber: TypeAlias = Annotated[int, Integer(0, limits.MAX_SEATS - 1)]


def _lower(text: str | None) -> str | None:
    return None if text is None else text.lower()


class Locale(enum.StrEnum):
    """A language that the server has texts in."""

    JA = "ja"
    EN = "en"


class Role(enum.StrEnum):
    """What one is in a room."""

    PLAYER = "player"
    SPECTATOR = "spectator"


class Mode(enum.StrEnum):
    """What is done for a seat when a kind of window opens."""

    ASK = "ask"
    PASS = "pass"  # noqa: S105 - not a password


class Phase(enum.StrEnum):
    """How far a room is. More may be added, so messages hold it as text."""

    LOBBY = "lobby"
    PLAYING = "playing"
    OVER = "over"


# --- parts -----------------------------------------------------------------------------------


@frozen
class Text:
    """A text for people, in both languages."""

    ja: str
    en: str


@frozen
class ClientInfo:
    """The client program, for the server's log and for compatibility."""

    name: str = field(validator=_WORD)
    version: str = field(validator=_WORD)


@frozen
class ServerInfo:
    """The server program."""

    name: str
    version: str


@frozen
class SeatRange:
    """The least and the most seats of a game."""

    min: _Number
    max: _Number


@frozen
class WindowInfo:
    """A kind of window that takes a standing answer (`auto`)."""

    kind: str
    name: Text
    text: Text
    passes: bool  # what holds for a seat that said nothing


@frozen
class GameInfo:
    """A game that the server offers. `rules` is the version of its rules."""

    id: str
    rules: str
    seats: SeatRange
    name: Text
    options: dict[str, Json]  # a JSON Schema of the room options
    windows: tuple[WindowInfo, ...] = ()


@frozen
class SeatInfo:
    """A seat of a room, as everybody sees it. An empty seat has its number only."""

    seat: _SeatNumber
    user: str | None = None
    name: str | None = None
    bot: str | None = None  # the bot's level
    ready: bool | None = None
    away: bool | None = None
    host: bool | None = None
    pause: bool | None = None  # asks for a pause


@frozen
class RoomInfo:
    """A room, as everybody sees it."""

    room: str
    game: str
    phase: str  # a `Phase`
    seats: tuple[SeatInfo, ...]
    spectators: _Count
    options: dict[str, Json]
    locked: bool  # it has a password
    created_ms_ago: _Count
    commitment: str  # SHA-256 of the secret seed, in hex
    title: str | None = None


@frozen
class MyRoom:
    """A room that one is a member of. `last_seq` is the number of the stream's last update."""

    room: str
    last_seq: _Count
    seat: _SeatNumber | None = field(metadata=NULLABLE)  # null for a spectator


@frozen
class ChatFrom:
    """Who said something."""

    user: str
    name: str
    seat: _SeatNumber | None = field(metadata=NULLABLE)  # null for a spectator


@frozen
class IntSpec:
    """The option takes a whole number from `min` to `max`."""

    type: ClassVar[str] = "int"
    min: int
    max: int


@frozen
class CardsSpec:
    """The option takes `min` to `max` different entries of `from`, in any order."""

    type: ClassVar[str] = "cards"
    from_: tuple[str, ...]
    min: _Count
    max: _Count


@frozen
class OrderSpec:
    """The option takes all of `of`, in an order."""

    type: ClassVar[str] = "order"
    of: tuple[str, ...]


@frozen
class UnknownSpec:
    """A value of a kind that a later version added. A client cannot take such an option."""

    data: dict[str, Json]

    @property
    def type(self) -> str:
        """Return the tag on the wire."""
        return str(self.data.get("type"))


ValueSpec: TypeAlias = IntSpec | CardsSpec | OrderSpec | UnknownSpec


@frozen
class Option:
    """One thing that a seat may answer."""

    id: str
    kind: str
    args: dict[str, Json] = field(factory=dict)
    value: ValueSpec | None = None


@frozen
class Decision:
    """What the receiver is asked, with every answer that is accepted.

    `default` is the option that is taken when the time is up. A `sealed` decision is answered
    once, and nobody else learns when or how.
    """

    id: str
    kind: str
    options: tuple[Option, ...]
    default: str
    sealed: bool
    prompt: Text | None = None


@frozen
class Clock:
    """A time that runs, in milliseconds from the moment of sending.

    `seat` is null for a clock that several seats share; `decision` is there if it ends one of the
    receiver's own decisions.
    """

    left_ms: _Count
    total_ms: _Count
    seat: _SeatNumber | None = field(metadata=NULLABLE)
    decision: str | None = None
    bank_ms: _Count | None = None
    paused: bool | None = None


# --- requests --------------------------------------------------------------------------------


@frozen
class Request:
    """What a client asks. `id` comes back in the reply and is not reused before it."""

    type: ClassVar[str]
    id: RequestId = field(validator=RequestIdCheck(limits.MAX_INTEGER, limits.MAX_ID_CHARACTERS))


@frozen
class RoomRequest(Request):
    """A request about one room."""

    room: str = field(validator=_WORD)


@frozen
class Hello(Request):
    """Open the session. A name that breaks the rules of names is refused as `bad_name`."""

    type: ClassVar[str] = "hello"
    name: str
    client: ClientInfo
    locale: Locale | None = None
    bot: bool | None = None
    capabilities: tuple[str, ...] | None = field(
        default=None, validator=Items(32, limits.MAX_WORD_CHARACTERS)
    )
    password: str | None = field(default=None, validator=_PASSWORD)
    resume: str | None = field(default=None, validator=Size(0, limits.MAX_TOKEN_CHARACTERS))


@frozen
class Ping(Request):
    """Ask whether the other end is there."""

    type: ClassVar[str] = "ping"


@frozen
class Rooms(Request):
    """List the listed rooms; with `watch` true `lobby` pushes follow, with false they stop."""

    type: ClassVar[str] = "rooms"
    game: str | None = field(default=None, validator=_WORD)
    watch: bool | None = None


@frozen
class Create(Request):
    """Make a room and take its seat 0 as host."""

    type: ClassVar[str] = "create"
    game: str = field(validator=_WORD)
    options: dict[str, Json] | None = None
    title: str | None = field(default=None, validator=Size(0, limits.MAX_TITLE_CHARACTERS))
    password: str | None = field(default=None, validator=_PASSWORD)
    listed: bool | None = None
    seats: int | None = field(default=None, validator=Integer(1, limits.MAX_SEATS))


@frozen
class Join(RoomRequest):
    """Enter a room: take a seat, or watch."""

    type: ClassVar[str] = "join"
    as_: Role | None = None
    seat: int | None = field(default=None, validator=_SEAT)
    password: str | None = field(default=None, validator=_PASSWORD)


@frozen
class Leave(RoomRequest):
    """Leave a room and give up the seat."""

    type: ClassVar[str] = "leave"


@frozen
class Configure(RoomRequest):
    """Set room options (host, before the start)."""

    type: ClassVar[str] = "configure"
    options: dict[str, Json]


@frozen
class Deck(RoomRequest):
    """Choose the deck to play: `cards`, or `starter` for the game's own."""

    type: ClassVar[str] = "deck"
    cards: tuple[str, ...] | None = field(
        default=None, validator=Items(limits.MAX_CARDS, limits.MAX_WORD_CHARACTERS)
    )
    starter: bool | None = field(default=None)

    @starter.validator
    def _one_of_two(self, _: Attribute[bool | None], starter: bool | None) -> None:
        if (self.cards is None) == (starter is None) or starter is False:
            raise BadField("", "expected either cards or starter: true")


@frozen
class Ready(RoomRequest):
    """Say that one is ready to start, or no longer is. The nonce is kept in lower case."""

    type: ClassVar[str] = "ready"
    ready: bool
    nonce: str | None = field(
        default=None,
        converter=_lower,
        validator=Matching(
            f"(?:[0-9a-fA-F]{{2}}){{{limits.MIN_NONCE_BYTES},{limits.MAX_NONCE_BYTES}}}",
            f"{limits.MIN_NONCE_BYTES} to {limits.MAX_NONCE_BYTES} bytes in hex",
        ),
    )


@frozen
class Start(RoomRequest):
    """Start the game (host)."""

    type: ClassVar[str] = "start"


@frozen
class Bot(RoomRequest):
    """Put a bot in a seat (host)."""

    type: ClassVar[str] = "bot"
    seat: int | None = field(default=None, validator=_SEAT)
    level: str | None = field(default=None, validator=_WORD)


@frozen
class Kick(RoomRequest):
    """Put somebody out of the room (host): by `seat`, or by `user`."""

    type: ClassVar[str] = "kick"
    seat: int | None = field(default=None, validator=_SEAT)
    user: str | None = field(default=None, validator=_WORD)

    @user.validator
    def _one_of_two(self, _: Attribute[str | None], user: str | None) -> None:
        if (self.seat is None) == (user is None):
            raise BadField("", "expected either seat or user")


@frozen
class Host(RoomRequest):
    """Make the member in `seat` the host."""

    type: ClassVar[str] = "host"
    seat: int = field(validator=_SEAT)


@frozen
class Act(RoomRequest):
    """Answer a decision."""

    type: ClassVar[str] = "act"
    decision: str = field(validator=_WORD)
    option: str = field(validator=Size(1, limits.MAX_OPTION_CHARACTERS))
    value: Value = field(default=None, validator=Items(limits.MAX_LIST, limits.MAX_WORD_CHARACTERS))


@frozen
class Auto(RoomRequest):
    """Set the standing answer to a kind of window."""

    type: ClassVar[str] = "auto"
    window: str = field(validator=_WORD)
    mode: Mode


@frozen
class Chat(RoomRequest):
    """Say something to the room."""

    type: ClassVar[str] = "chat"
    text: str = field(validator=Size(1, limits.MAX_CHAT_CHARACTERS))


@frozen
class Sync(RoomRequest):
    """Ask for the updates after `seq`, or without it for the whole position."""

    type: ClassVar[str] = "sync"
    seq: int | None = field(default=None, validator=Integer(0, limits.MAX_INTEGER))


@frozen
class Catalog(Request):
    """Ask for the names and texts of a game's cards; with a room's `options`, of the cards there."""

    type: ClassVar[str] = "catalog"
    game: str = field(validator=_WORD)
    options: dict[str, Json] | None = None


@frozen
class Replay(RoomRequest):
    """Ask for the record of a game that is over."""

    type: ClassVar[str] = "replay"


@frozen
class Daily(Request):
    """Ask for the standings of a day's challenge (EN-128)."""

    type: ClassVar[str] = "daily"
    book: str = field(validator=_WORD)
    date: str | None = field(
        default=None, validator=Matching("[0-9]{4}-[0-9]{2}-[0-9]{2}", "a date as YYYY-MM-DD")
    )


@frozen
class Rematch(RoomRequest):
    """Open a room with the same seats and options (seated, game over)."""

    type: ClassVar[str] = "rematch"


@frozen
class Pause(RoomRequest):
    """Ask for a pause, or for its end."""

    type: ClassVar[str] = "pause"
    on: bool


# --- results ---------------------------------------------------------------------------------


@frozen
class Result:
    """What a request brings. Requests without a class here have the result `{}`."""


@frozen
class HelloResult(Result):
    """The session is open. `token` is a secret; it replaces the one before."""

    user: str
    token: str
    resumed: bool
    server: ServerInfo
    protocol: str
    capabilities: tuple[str, ...]
    limits: Limits
    games: tuple[GameInfo, ...]
    rooms: tuple[MyRoom, ...]


@frozen
class RoomsResult(Result):
    """The listed rooms."""

    rooms: tuple[RoomInfo, ...]


@frozen
class CreateResult(Result):
    """The new room and the host's seat."""

    room: str
    seat: _SeatNumber


@frozen
class JoinResult(Result):
    """The room and one's seat in it."""

    room: str
    seat: _SeatNumber | None = field(metadata=NULLABLE)  # null for a spectator


@frozen
class BotResult(Result):
    """The seat that the bot got."""

    seat: _SeatNumber


@frozen
class ActResult(Result):
    """The number of the update that showed the answer's effect."""

    seq: _Count


@frozen
class SyncResult(Result):
    """The number of the stream's last update."""

    seq: _Count


@frozen
class CatalogResult(Result):
    """A game's cards: by id `{name: {ja, en}, text: {ja, en}, …}`.

    `rulebook` says in Markdown how the game is played; `books` are what can be played with the
    cards, by id. Both are absent where a game has none.
    """

    version: str
    packs: tuple[Json, ...]
    cards: dict[str, Json]
    rulebook: Text | None = None
    books: dict[str, Json] | None = None


@frozen
class ReplayResult(Result):
    """The record of a game."""

    replay: dict[str, Json]


@frozen
class DailyResult(Result):
    """The standings of a day: `{rank, name, total, dropped, turns}` each, the best first.

    When the day is closed each has also its `choices`, and `seed` is there.
    """

    date: str
    book: str
    closed: bool
    standings: tuple[dict[str, Json], ...]
    seed: str | None = None


@frozen
class RematchResult(Result):
    """The new room."""

    room: str


# --- replies ---------------------------------------------------------------------------------


@frozen
class Reply:
    """The answer to one request."""

    type: ClassVar[str]


@frozen
class Ok(Reply):
    """The request was done. `codec.to_wire` makes the result of a `Result`."""

    type: ClassVar[str] = "ok"
    re: RequestId
    result: dict[str, Json] = field(factory=dict)


@frozen
class Error(Reply):
    """The request was refused and changed nothing. `code` is an `ErrorCode` or a later one."""

    type: ClassVar[str] = "error"
    re: RequestId | None = field(metadata=NULLABLE)  # null if no id could be read
    code: str
    message: str
    details: dict[str, Json] = field(factory=dict)


# --- pushes ----------------------------------------------------------------------------------


@frozen
class Push:
    """What the server tells unasked."""

    type: ClassVar[str]


@frozen
class RoomPush(Push):
    """A room changed."""

    type: ClassVar[str] = "room"
    room: str
    info: RoomInfo


@frozen
class LobbyPush(Push):
    """The listed rooms, to those who watch."""

    type: ClassVar[str] = "lobby"
    rooms: tuple[RoomInfo, ...]


@frozen
class Update(Push):
    """What changed for one viewer of a game. A `full` one is the whole position.

    With neither `view` nor `patch` the view is as before.
    """

    type: ClassVar[str] = "update"
    room: str
    seq: _Count
    full: bool
    events: tuple[dict[str, Json], ...]
    decisions: tuple[Decision, ...]
    clock: tuple[Clock, ...]
    view: dict[str, Json] | None = None
    patch: tuple[dict[str, Json], ...] | None = None  # capability `patch`: RFC 6902
    hash: str | None = None  # of the view, now and then, with `patch`


@frozen
class ChatPush(Push):
    """Somebody said something. `n` numbers the lines of a room."""

    type: ClassVar[str] = "chat"
    room: str
    n: _Number
    from_: ChatFrom
    text: str


@frozen
class Notice(Push):
    """Something people should know. `code` is a `NoticeCode` or a later one."""

    type: ClassVar[str] = "notice"
    code: str
    message: str
    details: dict[str, Json] = field(factory=dict)


@frozen
class Closed(Push):
    """One is no longer in the room. `reason` is a word for programs."""

    type: ClassVar[str] = "closed"
    room: str
    reason: str


@frozen
class Unknown(Push):
    """A push that a later version added; to be ignored."""

    type: ClassVar[str] = ""
    data: dict[str, Json]


ServerMessage: TypeAlias = Ok | Error | Push

REQUESTS: Mapping[str, type[Request]] = MappingProxyType(
    {
        cls.type: cls
        for cls in (
            *(Hello, Ping, Rooms, Create, Join, Leave, Configure, Deck, Ready, Start, Bot, Kick),
            *(Host, Act, Auto, Chat, Sync, Catalog, Replay, Daily, Rematch, Pause),
        )
    }
)
PUSHES: Mapping[str, type[Push]] = MappingProxyType(
    {cls.type: cls for cls in (RoomPush, LobbyPush, Update, ChatPush, Notice, Closed)}
)
RESULTS: Mapping[type[Request], type[Result]] = MappingProxyType(
    {
        Hello: HelloResult,
        Rooms: RoomsResult,
        Create: CreateResult,
        Join: JoinResult,
        Bot: BotResult,
        Act: ActResult,
        Sync: SyncResult,
        Catalog: CatalogResult,
        Replay: ReplayResult,
        Daily: DailyResult,
        Rematch: RematchResult,
    }
)
"""The result class of each request that has a non-empty result."""
