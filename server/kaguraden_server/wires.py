"""What a connection runs over: a WebSocket, or the inside of the process for the server's bots.

A wire carries text frames. Sending may wait for ever on a peer that does not read and must not be
cancelled half-way: the writer gives each send a deadline, and after one that was missed only `cut`
is left (a cancelled send leaves a torn frame).
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

import trio
from kaguraden_protocol.errors import CLOSE_REASONS, CloseCode
from websockets.exceptions import ConcurrencyError, ConnectionClosed
from websockets.frames import Opcode
from websockets.protocol import Event
from websockets.trio.server import ServerConnection

__all__ = ["Binary", "Inside", "Socket", "SocketWire", "Wire", "WireClosed", "inside_pair"]

INSIDE_FRAMES = 64  # between the server and a bot of its own


class WireClosed(Exception):
    """The other end is gone."""


class Binary(Exception):
    """The other end sent a binary frame."""


class Wire(Protocol):
    """One end of a connection."""

    @property
    def address(self) -> str:
        """Return where the other end is, without a port; "" inside the process."""

    @property
    def failed_with(self) -> int | None:
        """Return the close code of one that ended because the other end broke its rules."""

    async def receive(self) -> bytes:
        """Return the next text frame. Cancelling loses nothing.

        Raises:
            WireClosed: The connection is over.
            Binary: A binary frame came.
        """

    async def send(self, text: bytes) -> None:
        """Send a text frame. After a cancellation the wire must be cut.

        Raises:
            WireClosed: The connection is over.
        """

    async def close(self, code: CloseCode) -> None:
        """Close in order, which waits for the other end."""

    async def cut(self) -> None:
        """Close at once, without a word."""


class Socket(ServerConnection):
    """A WebSocket that tells text from binary frames and gives reasons from the fixed list."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - the library's
        super().__init__(*args, **kwargs)
        self._opcodes: deque[Opcode] = deque()
        self.failed_with: int | None = None
        # The library closes by itself what breaks RFC 6455; its reasons would quote the input.
        setattr(self.protocol, "fail", partial(self._fail, self.protocol.fail))  # noqa: B010

    def _fail(self, fail: Any, code: int, reason: str = "") -> None:  # noqa: ANN401 - a bound method
        self.failed_with = int(code)
        known = code in set(CloseCode)
        fail(code, CLOSE_REASONS[CloseCode(code)] if known else "protocol error")

    def process_event(self, event: Event) -> None:
        """Note of each message whether it is text, and hand its frame on."""
        opcode = getattr(event, "opcode", None)
        if opcode in (Opcode.TEXT, Opcode.BINARY):
            self._opcodes.append(opcode)
        with suppress(EOFError):  # it came too late: the stream is already closed at this end
            super().process_event(event)

    async def close_stream(self) -> None:
        """Close, and let the library's reader end, which may wait until its frames are taken."""
        await super().close_stream()
        if self.recv_flow_control is not None:
            self.resume_reading()

    async def receive_text(self) -> bytes:
        """Return the next message, which may not be UTF-8.

        Raises:
            Binary: It was no text.
            ConnectionClosed: There is none.
        """
        data = await self.recv(decode=False)
        if self._opcodes.popleft() is Opcode.BINARY:
            raise Binary
        return data


class SocketWire:
    """A WebSocket as a wire."""

    def __init__(self, socket: Socket, address: str) -> None:
        self._socket = socket
        self.address = address

    @property
    def failed_with(self) -> int | None:
        """Return the code that the library closed with by itself."""
        return self._socket.failed_with

    async def receive(self) -> bytes:
        """Return the next text frame."""
        try:
            return await self._socket.receive_text()
        except ConnectionClosed:
            raise WireClosed from None

    async def send(self, text: bytes) -> None:
        """Send a text frame."""
        try:
            await self._socket.send(text, text=True)
        except ConnectionClosed:
            raise WireClosed from None

    async def close(self, code: CloseCode) -> None:
        """Close with the code and its fixed reason; what still comes in is dropped.

        The library stops reading while received frames wait, and would not see the answer.
        """
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._drop_frames)
            await self._socket.aclose(code, CLOSE_REASONS[code])
            nursery.cancel_scope.cancel()

    async def _drop_frames(self) -> None:
        with suppress(ConnectionClosed, ConcurrencyError):
            while True:
                await self._socket.recv(decode=False)

    async def cut(self) -> None:
        """Close the stream under the WebSocket."""
        await trio.aclose_forcefully(self._socket.stream)


class Inside:
    """The bot's end of a wire inside the process."""

    def __init__(
        self, sender: trio.MemorySendChannel[bytes], receiver: trio.MemoryReceiveChannel[bytes]
    ) -> None:
        self._sender = sender
        self._receiver = receiver

    async def send(self, text: str) -> None:
        """Send a frame; if the server has hung up it goes nowhere, and `receive` tells."""
        try:
            await self._sender.send(text.encode())
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            await trio.lowlevel.checkpoint()

    async def receive(self) -> str:
        """Return the next frame.

        Raises:
            EOFError: The server has hung up.
        """
        try:
            return (await self._receiver.receive()).decode()
        except (trio.EndOfChannel, trio.ClosedResourceError):
            raise EOFError("the server has closed this connection") from None

    async def aclose(self) -> None:
        """Hang up."""
        self._sender.close()
        self._receiver.close()
        await trio.lowlevel.checkpoint()


class InsideWire:
    """The server's end of a wire inside the process."""

    address = ""
    failed_with = None

    def __init__(
        self, sender: trio.MemorySendChannel[bytes], receiver: trio.MemoryReceiveChannel[bytes]
    ) -> None:
        self._sender = sender
        self._receiver = receiver
        self.closed_with: CloseCode | None = None  # where a WebSocket has its close frame

    async def receive(self) -> bytes:
        """Return the next frame."""
        try:
            return await self._receiver.receive()
        except (trio.EndOfChannel, trio.ClosedResourceError):
            raise WireClosed from None

    async def send(self, text: bytes) -> None:
        """Send a frame."""
        try:
            await self._sender.send(text)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise WireClosed from None

    async def close(self, code: CloseCode) -> None:
        """Hang up."""
        self.closed_with = code
        await self.cut()

    async def cut(self) -> None:
        """Hang up."""
        self._sender.close()
        self._receiver.close()
        await trio.lowlevel.checkpoint()


def inside_pair(frames: int = INSIDE_FRAMES) -> tuple[InsideWire, Inside]:
    """Return the server's and the other end of a new wire that holds so many frames each way."""
    to_bot, from_server = trio.open_memory_channel[bytes](frames)
    to_server, from_bot = trio.open_memory_channel[bytes](frames)
    return InsideWire(to_bot, from_bot), Inside(to_server, from_server)
