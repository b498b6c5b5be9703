"""How the kit reaches a server: raw WebSocket connections and raw HTTP, with everything visible.

A `Door` can be another thing than a socket: tests put one in between that changes messages.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Final, Protocol
from urllib.parse import urlsplit

import trio
from attrs import define, frozen
from kaguraden_protocol.versions import SUBPROTOCOL
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.trio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from ...pins import tls_context
from ...shell import MAX_TEXT_BYTES, proxy_for

__all__ = ["Door", "Ended", "HttpReply", "Line", "NoHandshake", "SocketDoor"]

OPEN_SECONDS: Final = 10.0
CLOSE_SECONDS: Final = 1.0
MAX_HTTP_BYTES: Final = 8 * 1024 * 1024
MAX_UNREAD: Final = 16  # frames; a server that sends more has to wait until they are read


class Ended(Exception):
    """The connection has ended; `code` is 1006 if without a close frame."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"close {code} {reason!r}")
        self.code = code
        self.reason = reason


class NoHandshake(Exception):
    """The server did not upgrade. `status` is 0 if it answered no HTTP; `why` is the error itself."""

    def __init__(self, status: int, body: str, why: Exception | None = None) -> None:
        super().__init__(f"HTTP {status} {body!r}" if status else body)
        self.status = status
        self.body = body
        self.why = why or self


@frozen
class HttpReply:
    """An answer to a plain HTTP request. Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Line(Protocol):
    """One connection."""

    @property
    def subprotocol(self) -> str | None:
        """The one that the server chose."""

    async def send(self, text: bytes) -> None:
        """Send a text frame, which may hold anything. On an ended connection: nothing."""

    async def send_binary(self, data: bytes) -> None:
        """Send a binary frame."""

    async def receive(self) -> str:
        """Return the next text. Cancelling loses nothing.

        Raises:
            Ended: The connection has ended.
        """

    async def cut(self) -> None:
        """End without a close frame."""


class Door(Protocol):
    """A way to a server."""

    def dial(
        self,
        subprotocols: Sequence[str] = (SUBPROTOCOL,),
        headers: Mapping[str, str] | None = None,
    ) -> AbstractAsyncContextManager[Line]:
        """Open a connection, with these headers besides.

        Raises:
            NoHandshake: There is none.
        """

    async def http(self, method: str, path: str, host: str | None = None) -> HttpReply:
        """Ask the same port something over HTTP, calling the server by its name or another.

        Raises:
            OSError: There is no answer.
        """


@define(eq=False)
class SocketLine:
    """A WebSocket."""

    ws: ClientConnection

    @property
    def subprotocol(self) -> str | None:
        """The one that the server chose."""
        return self.ws.subprotocol

    async def send(self, text: bytes) -> None:
        """Send a text frame."""
        try:
            await self.ws.send(text, text=True)
        except ConnectionClosed:
            await trio.lowlevel.checkpoint()

    async def send_binary(self, data: bytes) -> None:
        """Send a binary frame."""
        try:
            await self.ws.send(data, text=False)
        except ConnectionClosed:
            await trio.lowlevel.checkpoint()

    async def receive(self) -> str:
        """Return the next text."""
        try:
            data = await self.ws.recv()
        except ConnectionClosed:
            raise Ended(self.ws.close_code or 1006, self.ws.close_reason or "") from None
        return data if isinstance(data, str) else f"(binary) {data.hex()}"

    async def cut(self) -> None:
        """End without a close frame."""
        await trio.aclose_forcefully(self.ws.stream)


@define(eq=False)
class SocketDoor:
    """A server at a URL such as `ws://127.0.0.1:8765/ws`.

    Args:
        url: Where it is.
        open_stream: Opens a stream to it in another way than over TCP.
        pin: The fingerprint of the only certificate to accept.
    """

    url: str
    open_stream: Callable[[], Awaitable[trio.abc.Stream]] | None = None
    pin: str | None = None

    @asynccontextmanager
    async def dial(
        self,
        subprotocols: Sequence[str] = (SUBPROTOCOL,),
        headers: Mapping[str, str] | None = None,
    ) -> AsyncIterator[Line]:
        """Open a connection."""
        # The library waits for ever for a task that has stopped reading.
        with trio.CancelScope() as closing:
            async with AsyncExitStack() as stack:
                try:
                    connecting = connect(
                        self.url,
                        stream=None if self.open_stream is None else await self.open_stream(),
                        ssl=tls_context(self.pin) if self.url.startswith("wss:") else None,
                        subprotocols=[Subprotocol(name) for name in subprotocols] or None,
                        additional_headers=dict(headers or {}),
                        compression=None,
                        proxy=proxy_for(self.url),
                        open_timeout=OPEN_SECONDS,
                        close_timeout=CLOSE_SECONDS,
                        max_size=MAX_TEXT_BYTES,
                        max_queue=MAX_UNREAD,
                        ping_interval=None,
                    )
                    ws = await stack.enter_async_context(connecting)
                except InvalidStatus as error:
                    body = bytes(error.response.body or b"").decode("utf-8", "replace")
                    raise NoHandshake(error.response.status_code, body, error) from None
                except (  # a ValueError is about the address, or one that it was sent on to
                    WebSocketException,
                    OSError,
                    EOFError,
                    ValueError,
                    trio.BrokenResourceError,
                ) as error:
                    cause = error.__cause__ or error  # trio says of all faults of TLS the same
                    raise NoHandshake(0, f"{type(cause).__name__}: {cause}", error) from None
                try:
                    yield SocketLine(ws)
                finally:
                    closing.deadline = trio.current_time() + 2 * CLOSE_SECONDS

    async def http(self, method: str, path: str, host: str | None = None) -> HttpReply:
        """Ask the same port something over HTTP."""
        named_host = host or urlsplit(self.url).netloc
        request = f"{method} {path} HTTP/1.1\r\nHost: {named_host}\r\nConnection: close\r\n\r\n"
        stream = await self._stream()
        async with stream:
            await stream.send_all(request.encode())
            data = b""
            while len(data) < MAX_HTTP_BYTES:
                try:
                    part = await stream.receive_some(65_536)
                except trio.BrokenResourceError:
                    break
                if not part:
                    break
                data += part
        head, _, body = data.partition(b"\r\n\r\n")
        first, *rest = head.decode("latin-1").split("\r\n")
        words = first.split(" ")
        if len(words) < 2 or not words[1].isdecimal():
            raise OSError(f"no HTTP: {first!r}")
        named = (line.partition(":") for line in rest)
        headers = {name.strip().lower(): value.strip() for name, _, value in named}
        return HttpReply(int(words[1]), headers, body)

    async def _stream(self) -> trio.abc.Stream:
        if self.open_stream is not None:
            return await self.open_stream()
        parts = urlsplit(self.url)
        secure = parts.scheme == "wss"
        host, port = parts.hostname or "", parts.port or (443 if secure else 80)
        tcp = await trio.open_tcp_stream(host, port)
        if not secure:
            return tcp
        context = tls_context(self.pin)
        return trio.SSLStream(tcp, context, server_hostname=host, https_compatible=True)
