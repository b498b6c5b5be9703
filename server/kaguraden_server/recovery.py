"""A house as its journal has it: users, rooms, and the games in them, move by move.

Every game is dealt again and every move made again; where a step told the digest of the position it
has to be the same. A room that cannot be rebuilt is set aside in the journal, with the reason, and
the others go on. The last step of a game may be torn, if a disk lied about what it had written; it
is dropped, and the game goes on from the step before.

That a game goes on is a step of its own. No room's task runs before those of all games are durable:
a later step without it would be a game that cannot be rebuilt.
"""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import trio
from attrs import define, field
from kaguraden_protocol import codec
from kaguraden_protocol import messages as m
from kaguraden_protocol.errors import RefusedError, RemoteProtocolError
from kaguraden_rules.kernel import BadOptions, SeatId

from .clocks import DAY_MS, Clocks
from .daily import Attempt
from .fairness import Deal
from .journal import store
from .journal.entries import Entry, RoomLost
from .journal.games import BAD_OPTIONS, Lost, Step, game_of, read_steps, replay, room_of
from .keeping import Chances, KeptBot, KeptRoom, KeptUser, read, step_entry
from .passwords import Hashed
from .room import Room
from .seats import Member
from .table import Table
from .users import User

if TYPE_CHECKING:
    from .journal.entries import LineSaid, StepTaken, UserKept
    from .journal.store import RoomRow
    from .lobby import Lobby

__all__ = ["recover"]

TELL_S = 2.0  # how often progress is told


@define
class _Found:
    """What was read from the journal in one go.

    Each room comes with the steps of its game, None where they cannot be read, and its last lines.
    """

    users: list[UserKept] = field(factory=list)
    rooms: list[tuple[RoomRow, list[StepTaken] | None, list[LineSaid]]] = field(factory=list)
    why_not: str | None = None  # nothing old could be deleted


async def recover(lobby: Lobby) -> None:
    """Rebuild what the journal has, in a house that has no rooms yet.

    Raises:
        StorageDown: The journal cannot be read or written.
    """
    journal = lobby.keeper.journal
    if journal is None:
        return
    data, most = lobby.config.data, lobby.config.limits.chat_history

    def look(connection: sqlite3.Connection) -> _Found:
        found = _Found()
        try:
            store.forget_closed(connection, days=data.closed_days, most=data.closed_rooms)
        except sqlite3.Error as error:
            found.why_not = type(error).__name__
        for row in store.open_rooms(connection):
            steps: list[StepTaken] | None = None
            lines: list[LineSaid] = []
            with suppress(sqlite3.DatabaseError):  # a damaged page is one room's, or a few rooms'
                steps = store.steps_of(connection, row.number)
                lines = store.chat_of(connection, row.number, most)
            found.rooms.append((row, steps, lines))
        found.users += store.users(connection)
        return found

    found: _Found = await journal.run(look)
    if found.why_not is not None:
        lobby.log.warning("closed_rooms_not_deleted", why=found.why_not)
    for user in found.users:
        try:
            lobby.users.restore(_user(lobby, user))
        except (ValueError, OverflowError):
            lobby.log.warning("user_not_restored", user=user.id)
    told = begun = time.monotonic()
    lost: list[Entry] = []
    again: list[Entry] = []
    rebuilt: list[tuple[Room, Mapping[SeatId, KeptBot]]] = []
    numbers = {row.code: row.number for row, _, _ in found.rooms}
    for number, (row, steps, lines) in enumerate(found.rooms, 1):
        try:
            if numbers[row.code] != row.number:
                raise Lost("a later room has its code")
            if steps is None:
                raise Lost("the file is damaged where its game is")
            room, bots, entry = _rebuild(lobby, row, steps, lines)
        except Exception as error:
            why = str(error) if isinstance(error, Lost) else type(error).__name__
            lobby.log.error("room_lost", room=row.code, why=why)
            _forget_members(lobby, row.code)
            lost.append(RoomLost(lobby.keeper.wall_ms(), why, row.number))
            continue
        if entry is not None:
            again.append(entry)
        rebuilt.append((room, bots))
        if time.monotonic() - told >= TELL_S:
            told = time.monotonic()
            lobby.log.info("recovering", done=number, rooms=len(found.rooms))
        await trio.lowlevel.checkpoint()
    await journal.write(*lost, *again)
    for room, bots in rebuilt:
        lobby.open(room)
        _put_bots(lobby, room, bots)
        await lobby.take_up(room)
    if found.rooms:
        seconds = round(time.monotonic() - begun, 1)
        lobby.log.info("recovered", rooms=len(found.rooms) - len(lost), lost=len(lost), s=seconds)


def _user(lobby: Lobby, entry: UserKept) -> User:
    if not isinstance(entry.id, str):
        raise ValueError("the id is damaged")
    kept = read(KeptUser, entry.doc)
    now, wall = trio.current_time(), lobby.keeper.wall_ms()
    grace_s = lobby.config.limits.token_grace_ms / 1000
    # Whose reply was lost with the process could not come back before.
    tokens = {
        bytes.fromhex(hashed): None if until == 0 else now + max((until - wall) / 1000, grace_s)
        for hashed, until in kept.tokens.items()
    }
    return User(entry.id, kept.name, kept.bot, kept.was_bot, kept.level, seen=now, tokens=tokens)


def _forget_members(lobby: Lobby, code: str) -> None:
    for user in lobby.users:
        user.rooms.discard(code)


def _rebuild(
    lobby: Lobby, row: RoomRow, steps: Sequence[StepTaken], lines: Sequence[LineSaid]
) -> tuple[Room, Mapping[SeatId, KeptBot], Entry | None]:
    """Return a room, the bots that are to play in it, and the entry that its game goes on, if any.

    Raises:
        Lost: It cannot be rebuilt.
    """
    game, kept = game_of(row, lobby.games), room_of(row)
    password = None
    if kept.salt is not None and kept.password is not None:
        password = Hashed(kept.salt, kept.password)
    try:
        room = Room(
            lobby,
            row.code,
            game,
            options=kept.options,
            seats=len(kept.seats),
            title=kept.title,
            password=password,
            is_listed=kept.is_listed,
            address=kept.address,
        )
    except BadOptions:
        raise Lost(BAD_OPTIONS) from None
    room.number, room.opened_ms = row.number, row.opened_ms
    room.created = trio.current_time() - max(0, lobby.keeper.wall_ms() - row.opened_ms) / 1000
    room.deal = Deal(kept.seed, kept.day)
    room.is_open_ended = kept.is_open_ended
    room.rematch, room.left, room.lines = kept.rematch, set(kept.left), kept.lines
    if kept.attempt is not None:
        room.attempt = Attempt(kept.attempt.day, kept.attempt.name, kept.attempt.marks)
    bots = _seat_people(room, kept)
    for line in lines:
        with suppress(RemoteProtocolError):
            pushed = codec.decode_push_or_reply(line.doc)
            if isinstance(pushed, m.ChatPush):
                room.chat.append(pushed)
                room.lines = max(room.lines, pushed.n)
    if kept.chances is None:
        room.restored(kept, 0)
        return room, bots, None
    recorded, is_torn = read_steps(steps, len(room.seats))
    if is_torn:
        room.log.warning("torn_step_dropped", step=len(recorded))
    table = _table(room, kept.chances)
    replay(table, recorded)
    entry = _go_on(room, table, recorded)
    room.table = table
    room.phase = m.Phase.PLAYING if table.outcome is None else m.Phase.OVER
    room.restored(kept, len(recorded) + 1)
    return room, bots, entry


def _seat_people(room: Room, kept: KeptRoom) -> dict[SeatId, KeptBot]:
    """Seat the members who are still known; return the bots that are to be seated."""
    bots: dict[SeatId, KeptBot] = {}
    for member in kept.members:
        user = room.lobby.users.get(member.user)
        if user is not None:
            room.members[user.id] = Member(user, member.name)
            user.rooms.add(room.code)
    for seat, was in zip(room.seats, kept.seats, strict=True):
        if was.bot is not None:
            bots[seat.number] = was.bot
        if was.owner in room.members:
            seat.owner = was.owner
            seat.ready, seat.nonce, seat.deck = was.ready, was.nonce, was.deck
            seat.passes, seat.wants_pause = dict(was.passes), was.wants_pause
    if kept.host in room.members:
        room.host = kept.host
    return bots


def _put_bots(lobby: Lobby, room: Room, bots: Mapping[SeatId, KeptBot]) -> None:
    for number, bot in bots.items():
        user = lobby.users.get(bot.host) or next((o.user for o in room.members.values()), None)
        if user is None:
            continue
        try:
            room.put_bot(room.seats[number], bot.level, bot.name, user)
        except RefusedError as refused:
            room.log.warning("bot_not_restarted", seat=number, code=refused.code.value)


def _table(room: Room, chances: Chances) -> Table:
    """Return the table of a room as `start` makes it, before the deal."""
    daily, day = room.lobby.daily, room.deal.day
    seats = room.seats
    day_ms = DAY_MS if day is None else max(0, math.ceil(daily.left_s(day) * 1000))
    return Table(
        room=room.code,
        game=room.game,
        options=room.options,
        decks=chances.decks,
        deal=room.deal,
        nonces=chances.nonces,
        clocks=Clocks.start(room.clock_options, len(seats), day_ms),
        passes=lambda number, kind: room.passes(seats[number], kind),
        limits=room.lobby.config.limits,
        may_reveal=lambda: day is None or daily.is_closed(day),
    )


def _go_on(room: Room, table: Table, steps: Sequence[Step]) -> Entry:
    """Have a game's clocks go on, and tell everybody its position anew; return the entry of that."""
    after, now = steps[-1].after, trio.current_time()
    spent: Mapping[str, int] = {entry.wait: entry.ms for entry in after.spent}
    clocks = table.clocks.again(
        table.game.waits(table.state),
        banks_ms=after.banks_ms,
        spent_ms=spent,
        paused=after.paused,
        now=now,
        grace_s=room.lobby.config.rooms.grace_s,
    )
    played = table.tell(clocks)
    wall = room.lobby.keeper.wall_ms()
    entry = step_entry(room.number, len(steps), table, played, wall, now)
    table.commit(played)
    return entry
