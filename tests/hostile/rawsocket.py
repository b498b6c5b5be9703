"""WebSocket frames by hand (RFC 6455): to send what no library would, and to read what comes."""

from __future__ import annotations

import random
import socket
import struct
from typing import Final

import trio
from attrs import define, field, frozen

__all__ = [
    "BINARY",
    "CLOSE",
    "CONTINUATION",
    "HANDSHAKE",
    "PING",
    "PONG",
    "TEXT",
    "Frame",
    "RawSocket",
    "encode",
    "head_of",
]

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA

HANDSHAKE: Final = (
    b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Protocol: kaguraden.v1\r\n\r\n"
)


@frozen
class Frame:
    """A frame that came."""

    opcode: int
    payload: bytes

    @property
    def close_code(self) -> int | None:
        """Return the code of a close frame."""
        return struct.unpack_from("!H", self.payload)[0] if len(self.payload) >= 2 else None


def head_of(
    opcode: int,
    length: int,
    *,
    fin: bool = True,
    rsv: int = 0,
    mask: bytes | None = b"\0\0\0\0",
    size: int | None = None,
) -> bytes:
    """Return the head of a frame; `size` is in how many bytes the length is told: 0, 2 or 8."""
    if size is None:
        size = 0 if length < 126 else 2 if length < 1 << 16 else 8
    first = (fin << 7) | (rsv << 4) | opcode
    bit = 0 if mask is None else 0x80
    match size:
        case 0:
            told = bytes([first, bit | (length & 0x7F)])
        case 2:
            told = struct.pack("!BBH", first, bit | 126, length & 0xFFFF)
        case _:
            told = struct.pack("!BBQ", first, bit | 127, length & (2**64 - 1))
    return told + (mask or b"")


def encode(payload: bytes, opcode: int = TEXT, *, rng: random.Random | None = None) -> bytes:
    """Return a whole frame; with `rng` under a mask that changes something."""
    if rng is None:
        return head_of(opcode, len(payload)) + payload
    mask = rng.randbytes(4)
    masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
    return head_of(opcode, len(payload), mask=mask) + masked


@define(eq=False)
class RawSocket:
    """A TCP connection to the server that can be used in every wrong way."""

    stream: trio.SocketStream
    _buffer: bytearray = field(factory=bytearray)

    @classmethod
    async def dial(cls, port: int, source: str = "127.0.0.2") -> RawSocket:
        """Connect, from an address of one's own."""
        sock = trio.socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            await sock.bind((source, 0))
            await sock.connect(("127.0.0.1", port))
        except BaseException:
            sock.close()
            raise
        return cls(trio.SocketStream(sock))

    async def shake_hands(self) -> bool:
        """Do the opening handshake; tell whether it was granted."""
        await self.send(HANDSHAKE)
        head = await self.read_head()
        return head.startswith(b"HTTP/1.1 101 ")

    async def send(self, data: bytes) -> None:
        """Send bytes. Raises trio.BrokenResourceError if nobody takes them."""
        await self.stream.send_all(data)

    async def read_head(self) -> bytes:
        """Return the head of an HTTP response; what there is if the connection ends before."""
        while (end := self._buffer.find(b"\r\n\r\n")) < 0:
            if not await self._fill():
                break
        size = len(self._buffer) if end < 0 else end + 4
        head = bytes(self._buffer[:size])
        del self._buffer[:size]
        return head

    async def read(self) -> Frame | None:
        """Return the next frame, None at the end of the connection."""
        while (frame := self._pop()) is None:
            if not await self._fill():
                return None
        return frame

    async def drain(self) -> bytes:
        """Return all that comes until the other end hangs up."""
        while await self._fill():
            pass
        return bytes(self._buffer)

    async def hang_up(self, *, reset: bool = False) -> None:
        """Close, in order or with a reset."""
        if reset:
            linger = struct.pack("ii", 1, 0)
            self.stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        await trio.aclose_forcefully(self.stream)

    async def _fill(self) -> bool:
        try:
            data = await self.stream.receive_some(65_536)
        except trio.BrokenResourceError:
            return False
        self._buffer += data
        return bool(data)

    def _pop(self) -> Frame | None:
        data = self._buffer
        if len(data) < 2:
            return None
        length, at = data[1] & 0x7F, 2
        if length == 126:
            if len(data) < 4:
                return None
            length, at = struct.unpack_from("!H", data, 2)[0], 4
        elif length == 127:
            if len(data) < 10:
                return None
            length, at = struct.unpack_from("!Q", data, 2)[0], 10
        if len(data) < at + length:
            return None
        frame = Frame(data[0] & 0x0F, bytes(data[at : at + length]))
        del data[: at + length]
        return frame
