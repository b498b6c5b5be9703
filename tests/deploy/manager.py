"""A service manager: it holds a listening socket, starts servers on it, and hears how they are."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import trio
from attrs import define

__all__ = ["HAND_OVER", "Manager", "Served", "managed"]

BACKLOG = 4_096  # as in deploy/systemd/kaguraden.socket
# What systemd does: the socket is descriptor 3 of a process that knows that it is meant.
HAND_OVER = 'LISTEN_FDS=1 LISTEN_PID=$$ exec "$@" 3<&0 0</dev/null'
PATIENCE_S = 30.0


@define(eq=False)
class Served:
    """A server that said that it is ready; its log is in `log`."""

    process: trio.Process
    log: Path


@define(eq=False)
class Manager:
    """What all the servers of a test have in common: one socket, one folder."""

    folder: Path
    listening: socket.socket
    notified: trio.socket.SocketType
    lives: int = 0

    @property
    def port(self) -> int:
        """Return the port that is always listened on."""
        return int(self.listening.getsockname()[1])

    @property
    def url(self) -> str:
        """Return the address of the server, whichever it is."""
        return f"ws://127.0.0.1:{self.port}/ws"

    @asynccontextmanager
    async def serve(
        self, settings: str = "", *, before: Sequence[str] = (), **variables: str
    ) -> AsyncIterator[Served]:
        """Start a server and wait until it is ready; at the end it is gone, however it ends.

        Args:
            settings: Its configuration.
            before: What starts it, such as a sandbox that executes what follows.
            variables: More for its environment.
        """
        self.lives += 1
        config = self.folder / "kaguraden.toml"
        config.write_text(settings, "utf-8")
        log = self.folder / f"server-{self.lives}.log"
        with log.open("wb") as stderr:
            process = await trio.lowlevel.open_process(
                [
                    *("/bin/sh", "-c", HAND_OVER, "sh", *before),
                    *(sys.executable, "-m", "kaguraden_server", "serve", "--log-format", "json"),
                    *("--config", str(config), "--data", str(self.folder / "data")),
                ],
                stdin=self.listening.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                env={
                    **os.environ,
                    "NOTIFY_SOCKET": str(self.folder / "notify"),
                    "KAGURADEN_BOT_THINK_MS": "0",
                    **variables,
                },
            )
        try:
            with trio.move_on_after(PATIENCE_S) as waiting:
                await self.hear("READY=1")
            assert not waiting.cancelled_caught, log.read_text("utf-8")
            yield Served(process, log)
        finally:
            process.kill()
            with trio.CancelScope(shield=True):
                await process.wait()

    async def hear(self, line: str) -> None:
        """Wait until a server says a line."""
        while line not in (await self.notified.recv(4_096)).decode().split("\n"):
            pass


@asynccontextmanager
async def managed(folder: Path) -> AsyncIterator[Manager]:
    """Listen on a free port for servers to come."""
    notified = trio.socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    with socket.create_server(("127.0.0.1", 0), backlog=BACKLOG) as listening, notified:
        await notified.bind(str(folder / "notify"))
        yield Manager(folder, listening, notified)
