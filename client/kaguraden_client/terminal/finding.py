"""Finding a server to play on: the list of them in sentences, and the way to a table's code."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Final
from urllib.parse import urlsplit

from attrs import evolve, frozen
from kaguraden_protocol.messages import RoomInfo

from ..discovery import Reach, Search, Seen, Server
from ..links import Link
from . import find_words as find_words
from .memory import Memory
from .text import clean, cut
from .words import Lang, say

__all__ = [
    "NotFound",
    "Own",
    "Target",
    "find_room",
    "free_seats",
    "open_rooms",
    "pick_in_lines",
    "reach_lines",
    "remembered",
    "server_line",
    "where",
]

MAX_REMEMBERED: Final = 8
MAX_ROOMS: Final = 5  # shown of one server
MAX_LINE: Final = 200  # typed


@frozen
class Own:
    """To play on a server of one's own."""


Target = Link | Own


class NotFound(Exception):
    """The table was not found; `lines` say why, and what to do."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = tuple(lines)


def remembered(memory: Memory) -> list[Server]:
    """Return the servers that one has been to, the last first."""
    urls = dict.fromkeys(place.url for place in reversed(memory.places))
    return [
        Server(where(url), (Link(url, None, memory.pins.get(url)),))
        for url in list(urls)[:MAX_REMEMBERED]
    ]


def where(url: str) -> str:
    """Return the host and port of an address."""
    return clean(urlsplit(url).netloc or url)


def open_rooms(seen: Seen) -> list[RoomInfo]:
    """Return a server's tables that one can join, at most `MAX_ROOMS`."""
    return [r for r in seen.rooms if r.phase == "lobby" and free_seats(r)][:MAX_ROOMS]


def free_seats(room: RoomInfo) -> int:
    """Return how many seats nobody has."""
    return sum(seat.user is None for seat in room.seats)


def server_line(seen: Seen, lang: Lang) -> str:
    """Return a server in a line: its name, where it is, and what it has."""
    at = where(seen.best.url)
    name = cut(clean(seen.server.name), 40)
    parts = [name if name == at else f"{name} {at}"]
    if seen.best.url.startswith("wss:"):
        parts.append(say(lang, "find.tls"))
    if seen.wants_password:
        parts.append(say(lang, "find.password"))
    elif seen.link is not None:
        rooms = [room for room in seen.rooms if room.phase == "lobby"]
        free = sum(map(free_seats, rooms))
        parts.append(say(lang, "find.rooms", rooms=len(rooms), free=free))
    else:
        parts.append(say(lang, "find.asked" if seen.is_asked else "find.away"))
    return " · ".join(parts)


def room_line(room: RoomInfo, lang: Lang) -> str:
    """Return a table in a line."""
    names = [cut(clean(seat.name), 24) for seat in room.seats[:8] if seat.name]
    parts = [cut(clean(room.room), 12), cut(clean(room.game), 16)]
    parts.append(say(lang, "lobby.room", free=free_seats(room)))
    if room.locked:
        parts.append(say(lang, "lobby.locked"))
    if room.title:
        parts.append(cut(clean(room.title), 40))
    parts.append(say(lang, "list.comma").join(names))
    return " ".join(part for part in parts if part)


def reach_lines(search: Search, lang: Lang, program: str) -> list[str]:
    """Return what to say when no server was found in the network: why, and the way without."""
    if search.reach is Reach.LOOKING:
        return []
    if any(seen.server.announcement is not None for seen in search.seen.values()):
        return []
    return [say(lang, f"find.{search.reach}"), say(lang, "find.by_address", program=program)]


# --- a table by its code --------------------------------------------------------------------------


async def find_room(
    code: str, search: Search, servers: Iterable[Server], lang: Lang, program: str, *, knows: bool
) -> Link:
    """Look for the server that has a table.

    Args:
        code: The table's.
        search: A fresh one, that asks for it.
        servers: Which to ask besides those in the network.
        lang: The language of what is said.
        program: What people type to start this program.
        knows: Whether a password for the server was given. It is for one server that wants one, and
            is not tried on several.

    Raises:
        NotFound: None has it, or more than one says so.
    """
    await search.run(servers)
    has = search.found()
    if len(has) == 1:
        return evolve(has[0].best, room=code)
    shown = say(lang, "list.comma").join(
        cut(where(seen.best.url), 48)
        for seen in has or search.seen.values()
        if seen.wants_password or has
    )
    told = {"code": clean(code), "servers": shown, "program": program}
    if has:
        raise NotFound([say(lang, "find.many_have", **told)])
    asked = [seen for seen in search.seen.values() if seen.link is not None]
    locked = [seen for seen in asked if seen.wants_password]
    if len(locked) == 1 and knows:
        return evolve(locked[0].best, room=code)
    lines = reach_lines(search, lang, program)
    if len(asked) > len(locked):
        none = say(lang, "find.none_has", n=len(asked) - len(locked), code=clean(code))
        lines = [none, *lines]
    if locked:
        lines.append(say(lang, "find.locked" if len(locked) == 1 else "find.locked_many", **told))
    raise NotFound(lines)


# --- in lines -------------------------------------------------------------------------------------


async def pick_in_lines(
    search: Search, servers: Iterable[Server], lang: Lang, program: str, tell: Callable[[str], None]
) -> Target | None:
    """Look for servers, list them and ask which. None if nobody is there to answer."""
    tell(say(lang, "find.looking"))
    await search.run(servers)
    for line in reach_lines(search, lang, program):
        tell(line)
    targets: list[Link] = []
    for seen in search.found():
        targets.append(seen.best)
        tell(f"{len(targets)}. {server_line(seen, lang)}")
        for room in open_rooms(seen):
            targets.append(evolve(seen.best, room=room.room))
            tell(f"{len(targets)}.   {room_line(room, lang)}")
    if not targets:
        return Own()
    tell(say(lang, "find.pick"))
    while True:
        answer = await _typed_line()
        if answer is None:
            return None
        typed = answer.strip()
        if typed in ("", "0"):
            return Own()
        if typed.isdecimal() and len(typed) < 4 and 1 <= int(typed) <= len(targets):
            return targets[int(typed) - 1]
        tell(say(lang, "find.no_such", what=cut(clean(typed), 20)))


async def _typed_line() -> str | None:
    """Return the next line of standard input, None at its end.

    What follows stays where it is, for the session that will read it.
    """
    loop = asyncio.get_running_loop()
    data = bytearray()
    while True:
        with contextlib.suppress(OSError):
            if not (one := await loop.run_in_executor(None, os.read, 0, 1)):
                return data.decode("utf-8", "replace") if data else None
            if one == b"\n":
                return data.decode("utf-8", "replace")
            if len(data) < MAX_LINE:
                data += one
            continue
        return None
