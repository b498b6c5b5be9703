"""A whole server: everything is built here, started, and stopped in order.

A stop is an event. It announces itself, takes nothing new in, closes every connection with 1012
within a bounded time and cuts those that do not hang up; then the rooms and the listeners end.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import cast

import trio
from attrs import frozen
from kaguraden_protocol.announcement import Announcement
from kaguraden_protocol.versions import SUBPROTOCOLS
from kaguraden_rules.kernel import Games
from websockets.http11 import Request, Response
from websockets.trio.server import Server, ServerConnection, serve
from websockets.typing import Subprotocol

from . import activation, passwords
from .admin.deeds import Keys
from .admin.server import listen_to_admin
from .announce import Service, announce
from .bots import BotFunction, find_bots
from .config import Config
from .counts import LoopWatch
from .crowd import Crowd, GuardedListener
from .daily import Daily
from .http import Door
from .journal.writer import Journal
from .keeper import Keeper
from .listening import in_url, open_listeners
from .lobby import Lobby
from .logs import Log
from .packs import load_games
from .reload import Reloader
from .replays import ReplayFiles
from .scrapes import Scrapes
from .tls import Tls, open_tls
from .wires import Socket, SocketWire

__all__ = ["App", "Running", "run_app"]

HANDSHAKE_S = 10.0
PING_S = 20.0
CLOSE_S = 5.0
LAST_S = 2.0  # for the handlers of streams that were cut
# Default collection stops the world for tens of milliseconds with some hundred rooms.
GC_THRESHOLDS = (50_000, 50, 100)

Bots = Mapping[str, Callable[[], BotFunction]]


@frozen
class Running:
    """A server that listens. `hosts` are what it listens on, all on one port.

    `keys` are for who runs it; `tls` is its certificate, None if connections are not encrypted.
    """

    hosts: tuple[str, ...]
    port: int
    lobby: Lobby
    keys: Keys
    tls: Tls | None = None

    @property
    def url(self) -> str:
        """Return the WebSocket address, for this machine if the server listens on all."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.hosts[0], self.hosts[0])  # noqa: S104
        return f"{self.scheme}://{in_url(host)}:{self.port}/ws"

    @property
    def scheme(self) -> str:
        """Return the scheme of its addresses."""
        return "ws" if self.tls is None else "wss"


class App:
    """A server that can be run once.

    Args:
        config: Its settings.
        games: The games it offers, by id; if None all that are installed, with the card packs of
            the configured folder.
        bots: The bots it can run, by level; all that are installed if None.
        log: Where it tells what happens.
        read: Reads its settings again, on SIGHUP; if None it leaves that signal alone.

    Raises:
        PackError: The card packs of the folder cannot be used.
        TlsError: The certificate cannot be used.
    """

    def __init__(
        self,
        config: Config,
        games: Games | None = None,
        bots: Bots | None = None,
        log: Log | None = None,
        read: Callable[[], Config] | None = None,
    ) -> None:
        self.config = config
        self.read = read
        # Entered while settings are read again, to tell a service manager of it.
        self.reloading: Callable[[], AbstractContextManager[object]] = nullcontext
        self.games: Games = load_games(config.data.packs, config.limits) if games is None else games
        self.tls = open_tls(config)
        self.bots = find_bots() if bots is None else bots
        self.log = log or Log()
        self.stop = trio.Event()
        self._hang_ups: AsyncIterator[int] | None = None

    async def run(
        self,
        listeners: list[trio.SocketListener] | None = None,
        *,
        task_status: trio.TaskStatus[Running] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Serve until `stop` is set.

        Args:
            listeners: What to listen on in place of the configured address.
            task_status: Gets the `Running` server once it listens.

        Raises:
            OSError: The address cannot be listened on, or the data folder cannot be made.
            JournalError: The journal there cannot be used.
        """
        if self.read is None:
            await self._open(listeners, task_status)
            return
        # From here on: a recovery may take long, and the settings may change meanwhile.
        with trio.open_signal_receiver(signal.SIGHUP) as self._hang_ups:
            await self._open(listeners, task_status)

    async def _open(
        self, listeners: list[trio.SocketListener] | None, task_status: trio.TaskStatus[Running]
    ) -> None:
        config = self.config
        data = config.data
        replays = daily = journal = None
        if data.dir:
            replays = ReplayFiles.within(Path(data.dir), data.replays)
            daily = Daily.within(Path(data.dir), config.daily, log=self.log)
            if data.journal:
                journal = await Journal.open(Path(data.dir), self.log)
        try:
            await self._run(listeners, task_status, replays, daily, journal)
        finally:
            if journal is not None:
                await journal.aclose()

    async def _run(
        self,
        listeners: list[trio.SocketListener] | None,
        task_status: trio.TaskStatus[Running],
        replays: ReplayFiles | None,
        daily: Daily | None,
        journal: Journal | None,
    ) -> None:
        config = self.config
        secret = config.server.password
        password = await passwords.hash_password(secret) if secret else None
        if listeners is None:
            listeners = await open_listeners(config.server.host, config.server.port)
        lobby = Lobby(
            config,
            self.games,
            self.bots,
            self.log,
            password=password,
            replays=replays,
            daily=daily,
            keeper=Keeper(journal),
        )
        watch = LoopWatch(lobby.counts.stalls)
        trio.lowlevel.add_instrument(watch)
        try:
            await self._keep(lobby, listeners, task_status)
        finally:
            trio.lowlevel.remove_instrument(watch)
        self.log.info("stopped")

    async def _keep(
        self,
        lobby: Lobby,
        listeners: list[trio.SocketListener],
        task_status: trio.TaskStatus[Running],
    ) -> None:
        async with trio.open_nursery() as nursery:
            await nursery.start(lobby.run)
            door = Door(
                self.config,
                lambda: not lobby.is_draining,
                lobby.has_place,
                self.tls,
                Scrapes(lobby),
            )
            if self.read is not None and self._hang_ups is not None:
                reloader = Reloader(self.read, lobby, door, self.tls, self.log, self.reloading)
                nursery.start_soon(reloader.run, self._hang_ups, self.stop)
            crowd = Crowd(lobby.note_stream)
            serving = partial(self._serve, lobby, door, crowd, listeners)
            server: Server = await nursery.start(serving)
            names = [_name_of(listener) for listener in listeners]
            hosts, port = tuple(name[0] for name in names), names[0][1]
            gc.collect()
            gc.freeze()
            gc.set_threshold(*GC_THRESHOLDS)
            self.log.info("listening", host=",".join(hosts), port=port, games=",".join(self.games))
            keys = Keys(lobby, self.stop.set, trio.current_time())
            listen_to_admin(keys, nursery)
            task_status.started(Running(hosts, port, lobby, keys, self.tls))
            if lobby.config.lan.announce:
                nursery.start_soon(announce, self._service(hosts, port), self.log, self.stop)
            await self.stop.wait()
            await _drain(lobby, server, crowd, lobby.config.server.drain_s)
            nursery.cancel_scope.cancel()

    def _service(self, hosts: tuple[str, ...], port: int) -> Service:
        """Return what is announced."""
        announcement = Announcement(
            self.config.server.name,
            version("kaguraden"),
            tuple(self.games),
            tls=self.tls is not None,
            fingerprint=(self.tls.pin or None) if self.tls is not None else None,
        )
        return Service(announcement, hosts, port)

    async def _serve(
        self,
        lobby: Lobby,
        door: Door,
        crowd: Crowd,
        listeners: list[trio.SocketListener],
        *,
        task_status: trio.TaskStatus[Server] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        guarded = [_guarded(listener, crowd, door) for listener in listeners]

        def process_request(socket: ServerConnection, request: Request) -> Response | None:
            # `max_size` below is that of the start.
            socket.protocol.max_message_size = lobby.config.limits.frame_in_bytes
            return door.answer(request, _address(socket, local=True), _address(socket))

        async def handle(socket: ServerConnection) -> None:
            if not isinstance(socket, Socket):
                raise TypeError("not one of our sockets")
            remote = _address(socket)
            client = (
                remote if socket.request is None else door.client(socket.request, remote).address
            )
            await lobby.attend(SocketWire(socket, client))

        await serve(
            handle,
            listeners=guarded,
            ssl=None if self.tls is None else self.tls.context,
            process_request=process_request,
            create_connection=Socket,
            subprotocols=[Subprotocol(name) for name in SUBPROTOCOLS],
            compression="deflate" if self.config.server.compression else None,
            server_header=None,
            open_timeout=HANDSHAKE_S,
            ping_interval=PING_S,
            ping_timeout=PING_S,
            close_timeout=CLOSE_S,
            max_size=self.config.limits.frame_in_bytes,
            task_status=task_status,
        )


async def run_app(
    app: App,
    started: Callable[[Running], None],
    *,
    until_eof: bool = False,
    beside: Callable[[Running], Awaitable[None]] | None = None,
) -> None:
    """Run a server until SIGTERM or SIGINT; a second signal ends it at once.

    Args:
        app: The server.
        started: Called when it listens.
        until_eof: Whether it also ends when standard input does.
        beside: What runs beside it, from when it listens.
    """
    listeners = activation.inherited()
    app.reloading = activation.reloading
    async with trio.open_nursery() as watch:
        await watch.start(_stop_on_signal, app, watch.cancel_scope)
        await watch.start(activation.attend, app.stop)
        if until_eof:
            watch.start_soon(_stop_at_eof, app)
        async with trio.open_nursery() as nursery:
            running: Running = await nursery.start(app.run, listeners or None)
            started(running)
            activation.notify("READY=1", f"STATUS=listening at {running.url}")
            if beside is not None:
                watch.start_soon(beside, running)
        watch.cancel_scope.cancel()


async def _drain(lobby: Lobby, server: Server, crowd: Crowd, drain_s: float) -> None:
    lobby.drain()
    # Our writers close the connections, each after what it is still to be told.
    with trio.move_on_after(drain_s):
        await server.aclose(close_connections=False)
    await lobby.cut()
    await crowd.cut()  # those in a handshake too, and who does not hang up after a page
    with trio.move_on_after(LAST_S):
        await server.aclose(close_connections=False)


def _guarded(listener: trio.SocketListener, crowd: Crowd, door: Door) -> trio.SocketListener:
    if not isinstance(listener, trio.SocketListener):
        return listener  # of streams inside the process
    return cast(trio.SocketListener, GuardedListener(listener, crowd, door.share))


def _name_of(listener: trio.SocketListener) -> tuple[str, int]:
    name = listener.socket.getsockname()
    return str(name[0]), int(name[1])


def _address(connection: ServerConnection, *, local: bool = False) -> str:
    """Return one end's address without the port, "" for a stream that has none."""
    try:
        name = connection.local_address if local else connection.remote_address
    except (NotImplementedError, OSError):
        return ""
    return str(name[0]) if isinstance(name, tuple) and name else ""


async def _stop_at_eof(app: App) -> None:
    # Whoever started the server holds the other end, and lets go of it however it ends.
    async with trio.lowlevel.FdStream(os.dup(sys.stdin.fileno())) as stream:
        while await stream.receive_some():
            pass
    app.stop.set()


async def _stop_on_signal(
    app: App,
    at_once: trio.CancelScope,
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        task_status.started()
        async for _ in signals:
            if app.stop.is_set():
                at_once.cancel()
                return
            app.stop.set()
