"""What of a user, a room and a game goes into the journal, and how it reads there.

The documents are small JSON texts of the classes here. A room's document holds everything but the
moves of its game, which are steps of their own: replayed over the deal they give the position, so
none is kept. Of the clocks, which the rules do not know, each step tells how long they had run.

Times of the server's clock mean nothing after a restart; what has to last is kept by the wall
clock, in milliseconds since 1970.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import evolve, field, frozen
from kaguraden_protocol import codec
from kaguraden_rules.kernel import CardId
from kaguraden_rules.plain import structure, to_plain

from . import records
from .journal.entries import LineSaid, RoomKept, StepTaken, UserKept

if TYPE_CHECKING:
    from kaguraden_protocol.messages import ChatPush, Phase

    from .gathering import Gathering
    from .seats import Seat
    from .table import Played, Table
    from .users import User

__all__ = [
    "After",
    "Chances",
    "KeptAttempt",
    "KeptBot",
    "KeptMember",
    "KeptRoom",
    "KeptSeat",
    "KeptUser",
    "Spent",
    "digest",
    "keep_begun",
    "keep_room",
    "line_entry",
    "read",
    "room_entry",
    "step_entry",
    "user_entry",
    "write",
]

T = TypeVar("T")

DIGEST_EVERY = 32  # steps; then a step also tells the digest of the position


@frozen
class KeptUser:
    """A user. `tokens` are hashes in hexadecimal, and until when each is good; 0 is for ever."""

    name: str
    bot: bool
    was_bot: bool
    tokens: Mapping[str, int] = field(repr=False)
    level: str | None = None


@frozen
class KeptBot:
    """A bot of this server in a seat, and the id of the user who put it there."""

    level: str
    name: str
    host: str


@frozen
class KeptSeat:
    """A seat; `owner` is a user's id."""

    ready: bool
    nonce: str = field(repr=False)
    passes: Mapping[str, bool]
    wants_pause: bool
    owner: str | None = None
    bot: KeptBot | None = None
    deck: tuple[CardId, ...] | None = field(default=None, repr=False)


@frozen
class KeptMember:
    """A member who is no bot of this server."""

    user: str
    name: str


@frozen
class KeptAttempt:
    """A ranked attempt at a day's challenge."""

    day: str
    name: str
    marks: tuple[str, ...] = ()


@frozen
class Chances:
    """What the deal was made from, besides the seed: one deck a seat, and the nonces."""

    decks: tuple[tuple[CardId, ...], ...] = field(repr=False)
    nonces: tuple[str, ...] = field(repr=False)


@frozen
class KeptRoom:
    """A room without the moves of its game. `seed` is the secret one of its deal."""

    is_listed: bool
    address: str
    options: Mapping[str, Any]
    is_open_ended: bool
    seats: tuple[KeptSeat, ...]
    members: tuple[KeptMember, ...]
    left: tuple[str, ...]
    lines: int
    seed: bytes = field(repr=False)
    title: str | None = None
    salt: bytes | None = field(default=None, repr=False)  # of the password
    password: bytes | None = field(default=None, repr=False)
    host: str | None = None
    rematch: str | None = None
    day: str | None = None
    attempt: KeptAttempt | None = None
    chances: Chances | None = None


@frozen
class Spent:
    """How long the clock of a wait had run."""

    wait: str
    ms: int


@frozen
class After:
    """What a step left behind that the rules do not know.

    `seqs` are the numbers of the last updates, one a seat and then the spectators'; `banks_ms` one
    a seat.
    """

    seqs: tuple[int, ...]
    banks_ms: tuple[int, ...]
    spent: tuple[Spent, ...]
    paused: bool = False


def write(kept: object) -> str:
    """Return the text of a document."""
    return json.dumps(to_plain(kept), ensure_ascii=False, separators=(",", ":"))


def read(cls: type[T], text: str) -> T:
    """Return the document that was written as a text.

    Raises:
        ValueError: It is none.
    """
    try:
        return structure(cls, json.loads(text))
    except ValueError:
        raise
    except Exception as error:  # whatever the classes make of it
        raise ValueError(f"not a {cls.__name__}: {type(error).__name__}") from error


def digest(state: object) -> str:
    """Return the SHA-256 of a game's position, as canonical JSON, in hexadecimal."""
    return hashlib.sha256(records.canonical(to_plain(state)).encode()).hexdigest()


def user_entry(user: User, wall_ms: int, now: float) -> UserKept:
    """Return the entry of a user.

    Args:
        user: Who it is.
        wall_ms: The time by the wall clock.
        now: The same moment by the server's clock.
    """
    tokens = {
        hashed.hex(): 0 if until is None else wall_ms + round((until - now) * 1000)
        for hashed, until in user.tokens.items()
    }
    kept = KeptUser(user.name, user.bot, user.was_bot, tokens, user.level)
    return UserKept(user.id, wall_ms, write(kept))


def step_entry(
    room: int,
    n: int,
    table: Table,
    played: Played,
    wall_ms: int,
    now: float,
    *,
    marked: bool = False,
) -> StepTaken:
    """Return the entry of a step of a game that is not yet adopted.

    Args:
        room: The room's number.
        n: The step's, from 0.
        table: The game.
        played: The step.
        wall_ms: The time by the wall clock.
        now: The same moment by the server's clock.
        marked: Whether it tells its position's digest in any case.
    """
    after = After(
        seqs=tuple(s.seq if update is None else update.seq for s, _, update in played.shown),
        banks_ms=played.clocks.banks_ms,
        spent=tuple(Spent(t.wait.id, played.clocks.spent_ms(t, now)) for t in played.clocks.timers),
        paused=played.clocks.stopped is not None,
    )
    is_marked = marked or n % DIGEST_EVERY == 0 or table.game.outcome(played.state) is not None
    return StepTaken(
        room,
        n,
        wall_ms,
        "\n".join(records.format_input(entry) for entry in played.inputs),
        write(after),
        digest(played.state) if is_marked else None,
    )


def line_entry(room: int, line: ChatPush, wall_ms: int) -> LineSaid:
    """Return the entry of a line of chat."""
    return LineSaid(room, line.n, wall_ms, codec.encode(line))


def keep_room(room: Gathering) -> KeptRoom:
    """Return a room as it is kept."""
    table, attempt, password = room.table, room.attempt, room.password
    return KeptRoom(
        is_listed=room.is_listed,
        address=room.address,
        options=room.all_options(),
        is_open_ended=room.is_open_ended,
        seats=tuple(_keep_seat(room, seat) for seat in room.seats),
        members=tuple(KeptMember(i, o.name) for i, o in room.members.items() if not o.inside),
        left=tuple(sorted(room.left)),
        lines=room.lines,
        seed=room.deal.seed,
        title=room.title,
        salt=None if password is None else password.salt,
        password=None if password is None else password.digest,
        host=room.host,
        rematch=room.rematch,
        day=room.deal.day,
        attempt=None if attempt is None else KeptAttempt(attempt.day, attempt.name, attempt.marks),
        chances=None if table is None else Chances(table.decks, table.nonces),
    )


def _keep_seat(room: Gathering, seat: Seat) -> KeptSeat:
    bot, run = None, seat.bot
    if run is not None:  # even one whose game is over: it is there for a rematch
        member = room.members.get(run.user.id)
        bot = KeptBot(run.level, run.user.name if member is None else member.name, run.host)
    return KeptSeat(
        ready=seat.ready,
        nonce=seat.nonce,
        passes=dict(seat.passes),
        wants_pause=seat.wants_pause,
        owner=seat.owner,
        bot=bot,
        deck=seat.deck,
    )


def keep_begun(room: Gathering, table: Table, seats: Sequence[Seat]) -> KeptRoom:
    """Return a room as it is kept once the game at a table has begun, with those seats."""
    return evolve(
        keep_room(room),
        seats=tuple(_keep_seat(room, seat) for seat in seats),
        chances=Chances(table.decks, table.nonces),
    )


def room_entry(room: Gathering, kept: KeptRoom, phase: Phase) -> RoomKept:
    """Return the entry of a room that is kept so."""
    return RoomKept(
        room.number,
        room.code,
        room.game.id,
        room.game.rules,
        phase.value,
        room.opened_ms,
        write(kept),
    )
