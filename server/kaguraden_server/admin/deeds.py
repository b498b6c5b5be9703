"""What who runs a server can have it do. Nothing here tells what a game hides.

A deed takes the fields of a request, which are texts and switches, and returns a JSON object. Rooms
do what is asked of them in their own tasks. Seats count from 1, as people see them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import trio
from attrs import frozen
from kaguraden_protocol.errors import NoticeCode, RefusedError
from kaguraden_protocol.messages import Phase
from kaguraden_protocol.text import clean_chat, skeleton
from kaguraden_rules.kernel import Text

from kaguraden_server import texts
from kaguraden_server.census import take_census
from kaguraden_server.journal import store
from kaguraden_server.orders import throw_out

if TYPE_CHECKING:
    from kaguraden_protocol.messages import Json

    from kaguraden_server.lobby import Lobby
    from kaguraden_server.room import Room
    from kaguraden_server.seats import Member, Seat

__all__ = ["DEEDS", "Keys", "Refusal", "carry_out"]

MAX_LISTED: Final = 1_000  # rooms, or people who watch, in one listing
MAX_TEXT: Final = 500  # characters of an announcement, as of a line of chat
CLOSED: Final = "closed"  # why a room is no longer there

Fields = Mapping[str, Any]
Reply = dict[str, "Json"]


@frozen
class Keys:
    """What a deed works on.

    `stop` has the server stop as at a signal; `started` is when it began, by trio's clock.
    """

    lobby: Lobby
    stop: Callable[[], None]
    started: float


class Refusal(Exception):
    """A deed that cannot be done: a word for programs, and why, for people."""

    def __init__(self, code: str, why: Text) -> None:
        super().__init__(code)
        self.code = code
        self.why = why


async def carry_out(keys: Keys, do: str, fields: Fields) -> Reply:
    """Do a deed; return what there is to tell.

    Args:
        keys: The server.
        do: The deed's name.
        fields: What it is given, by name.

    Raises:
        Refusal: There is no such deed, it needs other fields, or it cannot be done.
    """
    deed = DEEDS.get(do)
    if deed is None:
        known = ", ".join(DEEDS)
        raise Refusal("unknown", Text(f"あるのは: {known}", f"there are: {known}"))
    for name, value in fields.items():
        kind = deed.fields.get(name)
        if kind is None or type(value) is not kind:
            raise Refusal("bad_field", Text(f"{name}: 使えません", f"{name}: cannot be used"))
    for name in deed.needs:
        if name not in fields:
            raise Refusal("bad_field", Text(f"{name}: 必要です", f"{name}: is needed"))
    try:
        return await deed.work(keys, fields)
    except RefusedError as refused:
        why = [texts.error(refused.code, refused.details, lang) for lang in ("ja", "en")]
        raise Refusal(refused.code.value, Text(*why)) from None


# --- looking -------------------------------------------------------------------------------------


async def _status(keys: Keys, _: Fields) -> Reply:
    lobby = keys.lobby
    await trio.lowlevel.checkpoint()
    now = take_census(lobby)
    rooms: list[Json] = [
        {"game": game, "phase": phase, "rooms": n} for (game, phase), n in sorted(now.rooms.items())
    ]
    status: Reply = {
        "name": lobby.server_info.name,
        "version": lobby.server_info.version,
        "up_s": round(trio.current_time() - keys.started),
        "connections": now.connections,
        "here": now.here,
        "users": now.users,
        "bots": now.bots,
        "rooms": rooms,
        "journal": now.journal,
        "draining": now.is_draining,
    }
    journal = lobby.keeper.journal
    if journal is not None:
        try:
            status["journal_bytes"] = store.size_of(journal.folder)
        except OSError:
            status["journal"] = "down"
    return status


async def _rooms(keys: Keys, _: Fields) -> Reply:
    await trio.lowlevel.checkpoint()
    rooms = sorted(keys.lobby.rooms.values(), key=lambda room: room.created)
    listed: list[Json] = [_room(room) for room in rooms[:MAX_LISTED]]
    return {"rooms": listed, "more": max(0, len(rooms) - MAX_LISTED)}


def _room(room: Room) -> Reply:
    people = [member for member in room.members.values() if not member.inside]
    told: Reply = {
        "room": room.code,
        "game": room.game.id,
        "phase": room.phase.value,
        "seats": len(room.seats),
        "taken": sum(not seat.is_empty for seat in room.seats),
        "bots": sum(seat.bot is not None for seat in room.seats),
        "here": sum(member.user.is_here for member in people),
        "watching": sum(room.seat_of(member.user) is None for member in people),
        "listed": room.is_listed,
        "locked": room.password is not None,
        "paused": room.table is not None and room.table.clocks.stopped is not None,
        "age_s": round(trio.current_time() - room.created),
    }
    if room.title is not None:
        told["title"] = room.title
    return told


async def _members(keys: Keys, fields: Fields) -> Reply:
    await trio.lowlevel.checkpoint()
    room = keys.lobby.find(fields["room"])
    seats: list[Json] = []
    for number, seat in enumerate(room.seats, 1):
        member = room.members.get(seat.owner or seat.player or "")
        told: Reply = {"seat": number}
        if member is not None:
            told |= _member(member)
            told["host"] = room.host == member.user.id
        if seat.bot is not None:
            told["bot"] = seat.bot.level
        seats.append(told)
    watching = [
        member
        for member in room.members.values()
        if not member.inside and room.seat_of(member.user) is None
    ]
    listed: list[Json] = [_member(member) for member in watching[:MAX_LISTED]]
    more = max(0, len(watching) - MAX_LISTED)
    return {"room": room.code, "seats": seats, "watching": listed, "more": more}


def _member(member: Member) -> Reply:
    told: Reply = {"name": member.name, "user": member.user.id, "here": member.user.is_here}
    connection = member.user.connection
    if connection is not None and connection.wire.address:
        told["address"] = connection.wire.address
    return told


# --- doing ---------------------------------------------------------------------------------------


async def _kick(keys: Keys, fields: Fields) -> Reply:
    room = keys.lobby.find(fields["room"])
    done: Reply = {"room": room.code}

    async def kick(room: Room) -> None:
        member, seat = _who(room, fields["who"])
        name = member or (
            None if seat is None or seat.player is None else room.members[seat.player]
        )
        if name is None:
            raise Refusal("nobody", Text("その人はいません", "nobody like that is there"))
        done["name"] = name.name
        await throw_out(room, member, seat)

    await _have(room, kick)
    return done


def _who(room: Room, who: str) -> tuple[Member | None, Seat | None]:
    """Return the member or the bot's seat that is meant: the number of a seat, an id, or a name."""
    alike = skeleton(who)
    seat = {str(n): seat for n, seat in enumerate(room.seats, 1)}.get(alike)
    if seat is not None:
        return room.members.get(seat.owner or ""), seat
    found = room.members.get(who) or next(
        (m for m in room.members.values() if skeleton(m.name) == alike), None
    )
    if found is None or not found.inside:
        return found, None
    return None, room.seat_of(found.user)


async def _close(keys: Keys, fields: Fields) -> Reply:
    room = keys.lobby.find(fields["room"])

    async def close(room: Room) -> None:
        await trio.lowlevel.checkpoint()
        room.close(CLOSED)

    await _have(room, close)
    return {"room": room.code}


async def _pause(keys: Keys, fields: Fields) -> Reply:
    room, on = keys.lobby.find(fields["room"]), fields.get("on", True)

    async def pause(room: Room) -> None:
        table = room.table
        if table is None or room.phase is not Phase.PLAYING:
            raise Refusal("not_playing", Text("対局中ではありません", "no game is in play there"))
        if on and table.clocks.stopped is None:
            await room.play(table.tell(table.clocks.pause(trio.current_time())))
            room.notify_all(NoticeCode.PAUSED, {"room": room.code})
        elif not on and table.clocks.stopped is not None:
            await room.end_pause(table)

    await _have(room, pause)
    return {"room": room.code, "on": on}


async def _have(room: Room, work: Callable[[Room], Awaitable[None]]) -> None:
    """Have a room's task do something; what it cannot do is no fault of the room."""
    refusals: list[Refusal] = []

    async def errand(room: Room) -> None:
        try:
            await work(room)
        except Refusal as refusal:
            refusals.append(refusal)

    await room.have(errand)
    if refusals:
        raise refusals[0]


async def _announce(keys: Keys, fields: Fields) -> Reply:
    await trio.lowlevel.checkpoint()
    text = clean_chat(fields["text"])
    if not 0 < len(text) <= MAX_TEXT:
        why = Text(f"1〜{MAX_TEXT} 文字で", f"1 to {MAX_TEXT} characters that can be shown")
        raise Refusal("bad_text", why)
    return {"told": keys.lobby.announce(text)}


async def _drain(keys: Keys, _: Fields) -> Reply:
    await trio.lowlevel.checkpoint()
    keys.stop()
    return {}


async def _snapshot(keys: Keys, fields: Fields) -> Reply:
    journal = keys.lobby.keeper.journal
    if journal is None:
        raise Refusal("no_journal", Text("記録簿がありません", "the server has no journal"))
    if "to" in fields:
        to = Path(fields["to"])
    else:
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        to = journal.folder.absolute() / "snapshots" / f"journal-{stamp}.sqlite3"
    if not to.is_absolute() or "\0" in str(to):
        raise Refusal("bad_field", Text("to: 絶対パスで", "to: expected an absolute path"))
    try:
        if "to" not in fields:
            to.parent.mkdir(mode=0o700, exist_ok=True)
        # The server may be stopped meanwhile, and does not wait for it.
        copy = partial(store.copy, journal.folder, to, trio.from_thread.check_cancelled)
        size = await trio.to_thread.run_sync(copy)
    except FileExistsError:
        raise Refusal("exists", Text(f"{to} はもうあります", f"{to} is there already")) from None
    except OSError as error:
        raise Refusal("not_written", Text(*[f"{to}: {error.strerror or error}"] * 2)) from None
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", type(error).__name__)
        raise Refusal("not_written", Text(f"{to}: {name}", f"{to}: {name}")) from None
    return {"file": str(to), "bytes": size}


@frozen
class _Deed:
    work: Callable[[Keys, Fields], Awaitable[Reply]]
    needs: tuple[str, ...] = ()
    may: Mapping[str, type] = MappingProxyType({})

    @property
    def fields(self) -> Mapping[str, type]:
        return {**dict.fromkeys(self.needs, str), **self.may}


DEEDS: Final[Mapping[str, _Deed]] = MappingProxyType(
    {
        "status": _Deed(_status),
        "rooms": _Deed(_rooms),
        "members": _Deed(_members, ("room",)),
        "kick": _Deed(_kick, ("room", "who")),
        "close": _Deed(_close, ("room",)),
        "announce": _Deed(_announce, ("text",)),
        "pause": _Deed(_pause, ("room",), {"on": bool}),
        "snapshot": _Deed(_snapshot, (), {"to": str}),
        "drain": _Deed(_drain),
    }
)
