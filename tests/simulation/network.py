"""A network in memory that loses, delays and breaks.

A `Link` is one connection: two pipes with latency, a window like TCP's (who does not read makes the
other end wait), and ends that may learn of a break at different times. Frames arrive whole and in
order; when a link breaks, some of what was on its way may still arrive, and the rest does not.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Callable
from typing import Final

import trio
from attrs import define, field, frozen
from kaguraden_client.shell import SEND_SECONDS
from kaguraden_protocol.errors import CLOSE_REASONS, CloseCode
from kaguraden_server.wires import WireClosed

__all__ = ["ClientEnd", "Link", "ServerEnd"]

NEVER: Final = math.inf
PING_S: Final = 40.0  # by when a server has noticed that nobody answers its pings


@frozen
class _Goodbye:
    """A close frame."""

    code: int


@define(eq=False)
class Pipe:
    """One direction of a connection."""

    latency: float
    window: int  # bytes on their way or unread, before the sender has to wait
    pace: float = 0.0  # seconds that the reader takes for a kilobyte
    stalled: float = 0.0  # until when nothing arrives
    ends: float = NEVER  # when the reader learns that the connection is gone
    is_shut: bool = False  # nothing more is taken
    _queue: deque[tuple[float, bytes | _Goodbye]] = field(factory=deque)
    _bytes: int = 0
    _last: float = 0.0
    _changed: trio.Event = field(factory=trio.Event)

    def _wake(self) -> None:
        changed, self._changed = self._changed, trio.Event()
        changed.set()

    def put(self, entry: bytes | _Goodbye) -> None:
        """Send something off; into a connection that is gone it goes nowhere."""
        if self.is_shut:
            return
        size = len(entry) if isinstance(entry, bytes) else 0
        self._last = max(self._last + self.pace * size / 1000, trio.current_time() + self.latency)
        self._queue.append((self._last, entry))
        self._bytes += size
        self._wake()

    async def wait_for_room(self) -> bool:
        """Wait until more fits; return whether the connection is still there."""
        await trio.lowlevel.checkpoint()
        while self._bytes >= self.window and trio.current_time() < self.ends:
            with trio.move_on_at(self.ends):
                await self._changed.wait()
        return trio.current_time() < self.ends

    async def get(self) -> bytes | _Goodbye | None:
        """Return what arrives next; None when the connection is over. Cancelling loses nothing."""
        await trio.lowlevel.checkpoint()
        while True:
            at = max(self._queue[0][0], self.stalled) if self._queue else NEVER
            now = trio.current_time()
            if at <= now and at <= self.ends:
                _, entry = self._queue.popleft()
                self._bytes -= len(entry) if isinstance(entry, bytes) else 0
                self._wake()
                return entry
            if now >= self.ends:
                return None
            with trio.move_on_at(min(at, self.ends)):
                await self._changed.wait()

    def stall(self, until: float) -> None:
        """Let nothing arrive for a while."""
        self.stalled = max(self.stalled, until)
        self._wake()

    def shut(self, ends: float, lost: int = 0) -> None:
        """Take nothing more; the reader gets what is on its way but the last, until it `ends`."""
        self.is_shut = True
        for _ in range(min(lost, len(self._queue))):
            _, entry = self._queue.pop()
            self._bytes -= len(entry) if isinstance(entry, bytes) else 0
        self.ends = min(self.ends, ends)
        self._wake()

    def __len__(self) -> int:
        return len(self._queue)


@define(eq=False)
class Link:
    """One connection between a client and the server."""

    rng: random.Random
    up: Pipe
    down: Pipe
    told: Callable[[str, bytes], None]  # of every frame that is sent or arrives
    is_over: bool = False
    closed_with: int | None = None

    def lose(self) -> None:
        """Break: what is on its way is lost in part, and either end may learn of it late."""
        if self.is_over:
            return
        self.is_over = True
        now, rng = trio.current_time(), self.rng
        self.up.shut(now + rng.choice((0.0, 0.1, rng.uniform(0, PING_S))), self._lost(self.up))
        self.down.shut(now + rng.choice((0.0, 0.1, rng.uniform(0, 5.0))), self._lost(self.down))

    def _lost(self, pipe: Pipe) -> int:
        return self.rng.choice((0, len(pipe), self.rng.randint(0, len(pipe))))

    def die(self) -> None:
        """Break because the server's process ended: nothing more gets in, part of it gets out."""
        self.is_over = True
        now = trio.current_time()
        self.up.shut(now, len(self.up))
        self.down.shut(now + self.rng.choice((0.01, 0.5)), self._lost(self.down))

    def hang_up(self) -> None:
        """End from the client's side: what it sent still arrives."""
        self.is_over = True
        now = trio.current_time()
        self.up.shut(now + self.up.latency + 0.001)
        self.down.shut(now)

    def cut(self) -> None:
        """End from the server's side, at once."""
        self.is_over = True
        now = trio.current_time()
        self.up.shut(now)
        self.down.shut(now + self.down.latency + 0.001, self._lost(self.down))


@define(eq=False)
class ServerEnd:
    """The server's end: a `Wire`."""

    link: Link
    address: str
    on_send: Callable[[], None] = lambda: None

    @property
    def failed_with(self) -> int | None:
        """Return None: nobody here breaks the rules of WebSocket."""
        return None

    async def receive(self) -> bytes:
        """Return the next text frame."""
        entry = await self.link.up.get()
        if not isinstance(entry, bytes):
            raise WireClosed
        return entry

    async def send(self, text: bytes) -> None:
        """Send a text frame, when there is room for it."""
        self.on_send()
        if not await self.link.down.wait_for_room():
            raise WireClosed
        self.link.told("server sends", text)
        self.link.down.put(text)

    async def close(self, code: CloseCode) -> None:
        """Close in order: the client has to answer."""
        self.link.down.put(_Goodbye(int(code)))
        while await self.link.up.get() is not None:
            pass
        await self.cut()

    async def cut(self) -> None:
        """Close at once."""
        self.link.cut()
        await trio.lowlevel.checkpoint()


@define(eq=False)
class ClientEnd:
    """The client's end: a `Transport`."""

    link: Link
    close_code: int | None = None
    close_reason: str | None = None

    async def send(self, text: str) -> None:
        """Send a text, or give the connection up if the other end does not read."""
        done = False
        try:
            with trio.move_on_after(SEND_SECONDS):
                done = await self.link.up.wait_for_room()
        finally:
            if not done:
                self.link.hang_up()
        if not done:
            raise EOFError
        self.link.told("client sends", text.encode())
        self.link.up.put(text.encode())

    async def receive(self) -> str:
        """Return the next text."""
        entry = await self.link.down.get()
        if isinstance(entry, bytes):
            self.link.told("client gets", entry)
            return entry.decode()
        if isinstance(entry, _Goodbye):
            self.close_code = entry.code
            self.close_reason = CLOSE_REASONS.get(CloseCode(entry.code), "")
        self.link.hang_up()
        raise EOFError

    async def aclose(self) -> None:
        """Hang up."""
        self.link.hang_up()
        await trio.lowlevel.checkpoint()
