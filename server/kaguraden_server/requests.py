"""What each request brings: the house's own are answered here, a room's by the room's task."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio
from kaguraden_protocol import messages as m
from kaguraden_protocol.errors import CloseCode, ErrorCode, RefusedError
from kaguraden_protocol.text import check_name, clean_title
from kaguraden_protocol.versions import PROTOCOL, Capability

from . import passwords
from .keeping import user_entry
from .logs import Name

if TYPE_CHECKING:
    from .connection import Connection
    from .users import User

__all__ = ["answer"]

NAMELESS_BOT = "bot"  # the level of one whose program's name has nothing to show


async def answer(connection: Connection, request: m.Request, stamp: float) -> m.Result | None:
    """Do what a request asks; return its result, None for an empty one.

    Args:
        connection: Whose request it is.
        request: One that is allowed now.
        stamp: When its frame was read.

    Raises:
        RefusedError: It is refused and changed nothing.
    """
    lobby = connection.lobby
    if isinstance(request, m.Hello):
        return await _hello(connection, request)
    user = connection.user
    if user is None:
        raise RefusedError(ErrorCode.HELLO_REQUIRED)
    match request:
        case m.Ping():
            await trio.lowlevel.checkpoint()
            return None
        case m.Rooms():
            if request.watch is not None:
                connection.watches = (request.game or "") if request.watch else None
            return m.RoomsResult(rooms=lobby.listed(request.game))
        case m.Create():
            return await lobby.create(user, connection, request)
        case m.Catalog():
            return lobby.catalog(request)
        case m.Daily():
            return await lobby.standings(request)
        case m.Join():
            room = lobby.find(request.room)
            if not room.has_member(user) and not await passwords.is_right(
                request.password, room.password
            ):
                await passwords.penalty()
                raise RefusedError(ErrorCode.BAD_PASSWORD, {"room": room.code})
            return await room.ask(request, user, connection, stamp)
        case m.RoomRequest():
            return await lobby.find(request.room).ask(request, user, connection, stamp)
    raise RefusedError(ErrorCode.UNSUPPORTED, {"request": request.type})


async def _hello(connection: Connection, hello: m.Hello) -> m.HelloResult:
    lobby = connection.lobby
    if hello.locale is not None:
        connection.locale = hello.locale.value
    if not connection.inside and not await passwords.is_right(hello.password, lobby.password):
        await passwords.penalty()
        raise RefusedError(ErrorCode.BAD_PASSWORD)
    name = check_name(hello.name)
    user = lobby.users.resume(hello.resume) if hello.resume else None
    resumed = user is not None
    if user is not None and not connection.inside:
        await lobby.be_writable(user)  # or its connection of now would be sent away for nothing
    if user is None:
        user = lobby.users.add(name)
    _take_place(connection, user)
    user.name = name
    user.bot = bool(hello.bot)
    user.was_bot = user.was_bot or user.bot
    user.level = (clean_title(hello.client.name) or NAMELESS_BOT) if hello.bot else None
    granted = tuple(sorted(set(hello.capabilities or ()) & {c.value for c in Capability}))
    connection.outbox.patch = Capability.PATCH in granted
    token = lobby.users.renew(user)
    if not connection.inside:  # the server's own bots are started anew
        await _keep(connection, user, token)
    connection.open(user)
    connection.log.info("hello", user=user.id, resumed=resumed, bot=user.bot, name=Name(user.name))
    # The reply is queued before any room's task runs, so what rooms tell comes after it.
    lobby.presence_changed(user)
    return m.HelloResult(
        user=user.id,
        token=token,
        resumed=resumed,
        server=lobby.server_info,
        protocol=PROTOCOL,
        capabilities=granted,
        limits=connection.limits,
        games=lobby.game_infos,
        rooms=lobby.rooms_of(user),
    )


async def _keep(connection: Connection, user: User, token: str) -> None:
    """Make a user durable before its token is told; without that the connection is not its.

    The token that it came with stays good then, however long nothing can be written.

    Raises:
        RefusedError: It may not be, or another connection has become the user's meanwhile.
    """
    lobby = connection.lobby
    keeper, users = lobby.keeper, lobby.users
    try:
        await keeper.keep(user_entry(user, keeper.wall_ms(), trio.current_time()))
        user.is_kept = True
        if user.connection is not connection:
            raise RefusedError(ErrorCode.UNAVAILABLE)
    except BaseException:  # the connection may be sent away meanwhile
        user.open_connections -= 1
        users.take_back(user, token)
        if user.connection is connection:
            user.connection = None
            user.seen = trio.current_time()
            lobby.presence_changed(user)
        if not user.tokens:  # it is new, and nobody will ever come back as it
            users.remove(user)
        raise


def _take_place(connection: Connection, user: User) -> None:
    """Make the connection the user's; the one before is sent away."""
    most = connection.lobby.config.limits.connections_per_user
    if user.open_connections >= most:
        details: dict[str, m.Json] = {"limit": most, "what": "connections_per_user"}
        raise RefusedError(ErrorCode.LIMIT_REACHED, details)
    before = user.connection
    user.connection = connection
    user.open_connections += 1
    if before is not None:
        before.log.info("taken_over", by=connection.number)
        before.close(CloseCode.TAKEN_OVER)
