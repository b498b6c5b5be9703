"""WebSocket frames and HTTP heads that break rules, and bytes that come when they should not.

Each attack is one connection. Whatever is sent, the server may answer or close as it likes, but what
it sends must be frames (or HTTP), never `internal`, and it must be there for the next one.
"""

from __future__ import annotations

import json
import random
import struct
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Final

import trio
from attrs import define, field

from .grammar import Grammar
from .rawsocket import (
    BINARY,
    CLOSE,
    CONTINUATION,
    HANDSHAKE,
    PING,
    PONG,
    TEXT,
    RawSocket,
    encode,
    head_of,
)
from .talkers import Broken

__all__ = ["Breaker"]

LISTEN_S = 0.3  # for what is said to frames
PATIENCE_S = 60.0
HELLO: Final = json.dumps(
    {"type": "hello", "id": 0, "name": "Fuzz", "client": {"name": "f", "version": "1"}}
).encode()
CODES: Final = (0, 1, 999, 1000, 1001, 1002, 1004, 1005, 1006, 1011, 1015, 2999, 3000, 4000, 4999)
LINES: Final = (
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"HEAD /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil\r\n\r\n",
    b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET /../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET /ws?token=%00%ff HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"POST /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\nhello",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET /ws HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET /ws HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
    b"\r\n\r\n\r\n\r\n",
    b"\0" * 500,
    b"GET  /ws\r\n\r\n",
    b"GET /ws HTTP/1.1\nHost: 127.0.0.1\n\n",
    b"GET /ws HTTP/1.1\r\nHost 127.0.0.1\r\n\r\n",
    b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nX:\x00\x01\xff\r\n\r\n",
    b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X-A: b\r\n" * 2_000 + b"\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: " + b"c" * 30_000 + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: [::1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1:99999999999999999999\r\n\r\n",
    HANDSHAKE.replace(b"kaguraden.v1", b"kaguraden.v9, chat"),
    HANDSHAKE.replace(b"dGhlIHNhbXBsZSBub25jZQ==", b"short"),
    HANDSHAKE.replace(b"Version: 13", b"Version: 7"),
    HANDSHAKE.replace(b"Version: 13", b"Version: x\xff"),
    HANDSHAKE.replace(b"Upgrade: websocket", b"Upgrade: h2c"),
    HANDSHAKE.replace(b"\r\n\r\n", b"\r\nOrigin: https://evil.example\r\n\r\n"),
    HANDSHAKE.replace(b"\r\n\r\n", b"\r\nOrigin: null\r\nOrigin: a\r\n\r\n"),
    HANDSHAKE.replace(b"\r\n\r\n", b"\r\nSec-WebSocket-Extensions: permessage-deflate; x=\r\n\r\n"),
    HANDSHAKE.replace(b"\r\n\r\n", b"\r\nSec-WebSocket-Protocol: " + b"a," * 2_000 + b"b\r\n\r\n"),
    HANDSHAKE.replace(b"\r\n\r\n", b"\r\nContent-Length: 99999999999\r\n\r\n"),
    HANDSHAKE + HANDSHAKE,
)


@define(eq=False)
class Breaker:
    """Somebody who breaks rules, one connection after another."""

    port: int
    number: int
    seed: int
    counted: Counter[str]
    most: int  # frames in all, of all of them together
    rng: random.Random = field(init=False)
    grammar: Grammar = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.rng = random.Random(f"breaker {self.seed} {self.number}")
        self.grammar = Grammar(self.rng)

    async def run(self) -> None:
        """Break rules until so many frames were sent."""
        attacks = [attack for attack, weight in _ATTACKS for _ in range(weight)]
        while self.counted["frames"] < self.most:
            attack = self.rng.choice(attacks)
            socket = await RawSocket.dial(self.port, f"127.0.0.{10 + self.number % 8}")
            self.counted["attacks"] += 1
            self.counted[attack.__name__.strip("_")] += 1
            try:
                with trio.move_on_after(PATIENCE_S) as waiting:
                    await attack(self, socket)
                if waiting.cancelled_caught:
                    raise Broken(f"{attack.__name__}: the server neither answers nor hangs up")
            except trio.BrokenResourceError:
                self.counted["reset"] += 1
            finally:
                await socket.hang_up(reset=self.rng.random() < 0.5)

    # --- heads -----------------------------------------------------------------------------------

    async def _garbage_head(self, socket: RawSocket) -> None:
        rng = self.rng
        head = rng.choice(LINES)
        if rng.random() < 0.3:
            spoiled = bytearray(head)
            for _ in range(rng.randrange(1, 6)):
                spoiled[rng.randrange(len(spoiled))] = rng.randrange(256)
            head = bytes(spoiled)
        await socket.send(head)
        if rng.random() < 0.5:
            await socket.stream.send_eof()
        with trio.move_on_after(LISTEN_S):
            answer = await socket.drain()
            if answer and not answer.startswith(b"HTTP/1.1 "):
                raise Broken(f"answered {answer[:100]!r} to {head[:100]!r}")
            if b"Traceback" in answer or b".py" in answer:
                raise Broken(f"an answer tells of the inside: {answer[:500]!r}")

    async def _half_a_head(self, socket: RawSocket) -> None:
        await socket.send(HANDSHAKE[: self.rng.randrange(len(HANDSHAKE))])
        await trio.sleep(self.rng.choice((0, 0, 0.05)))

    # --- frames ----------------------------------------------------------------------------------

    async def _frames(self, socket: RawSocket) -> None:
        await self._open(socket)
        for _ in range(self.rng.randint(1, 24)):
            data = self._any_frames()
            await socket.send(data)
            if self.rng.random() < 0.3:
                await trio.lowlevel.checkpoint()
        await self._listen(socket)

    async def _good_but_odd(self, socket: RawSocket) -> None:
        """Frames that RFC 6455 allows: the server must take them all."""
        await self._open(socket, greets=True)
        wanted = pings = 0
        for _ in range(self.rng.randint(4, 24)):
            if self.rng.random() < 0.3:
                await socket.send(self._count(encode(bytes(125), PING, rng=self.rng)))
                pings += 1
                continue
            text = json.dumps({"type": "ping", "id": wanted, "x_": "あ" * 40}).encode()
            await socket.send(self._fragments(text, self.rng.randint(1, 6)))
            wanted += 1
        while wanted or pings:
            frame = await socket.read()
            if frame is None or frame.opcode == CLOSE:
                raise Broken(f"frames that are allowed were refused: {frame}")
            if frame.opcode == PONG:
                pings -= len(frame.payload) == 125  # those within messages are shorter
            elif b'"re"' in frame.payload:
                wanted -= 1

    async def _open(self, socket: RawSocket, *, greets: bool = False) -> None:
        if not await socket.shake_hands():
            raise Broken("no handshake")
        if greets or self.rng.random() < 0.8:
            await socket.send(self._count(encode(HELLO)))
            frame = await socket.read()
            if frame is None or b'"ok"' not in frame.payload:
                raise Broken(f"hello is answered {frame}")

    async def _listen(self, socket: RawSocket) -> None:
        """Take what comes for a short while; it must be frames."""
        with trio.move_on_after(LISTEN_S):
            while (frame := await socket.read()) is not None:
                if frame.opcode == TEXT:
                    message = json.loads(frame.payload)
                    if message.get("code") == "internal":
                        raise Broken(f"internal: {message}")
                elif frame.opcode == CLOSE:
                    frame.payload[2:].decode("ascii")
                    self.counted[f"closed {frame.close_code}"] += 1
                    return
                elif frame.opcode not in (PING, PONG):
                    raise Broken(f"no frame of the protocol: {frame}")

    def _count(self, frame: bytes) -> bytes:
        self.counted["frames"] += 1
        return frame

    def _any_frames(self) -> bytes:
        rng = self.rng
        if rng.random() < 0.7:
            text = self.grammar.text()
            if rng.random() < 0.5:
                return self._fragments(text, rng.randint(1, 5))
            return self._count(encode(text, rng=rng))
        return self._count(self._bad_frame())

    def _fragments(self, text: bytes, count: int) -> bytes:
        """Return a message in fragments, cut anywhere, with pings between them."""
        rng = self.rng
        cuts = sorted(rng.randint(0, len(text)) for _ in range(count - 1))
        parts = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        found = b""
        for i, part in enumerate(parts):
            opcode = TEXT if i == 0 else CONTINUATION
            found += self._count(head_of(opcode, len(part), fin=i == len(parts) - 1) + part)
            if i < len(parts) - 1 and rng.random() < 0.2:
                found += self._count(encode(b"?", PING))
        return found

    def _bad_frame(self) -> bytes:
        rng = self.rng
        text = self.grammar.text()
        size = len(text)
        frames: tuple[Callable[[], bytes], ...] = (
            lambda: head_of(TEXT, size, rsv=rng.randint(1, 7)) + text,
            lambda: head_of(rng.choice((3, 4, 5, 6, 7, 11, 12, 13, 14, 15)), size) + text,
            lambda: head_of(TEXT, size, mask=None) + text,
            lambda: head_of(PING, 126) + bytes(126),
            lambda: head_of(PING, 1, fin=False) + b"x",
            lambda: head_of(CLOSE, 200) + bytes(200),
            lambda: head_of(CONTINUATION, size) + text,
            lambda: head_of(TEXT, size, fin=False) + text + encode(text),
            lambda: head_of(TEXT, 5, size=2) + b"{   }",
            lambda: head_of(TEXT, 5, size=8) + b"{   }",
            lambda: head_of(TEXT, 2**63 + 5, size=8) + text,
            lambda: head_of(TEXT, 2**63 - 1, size=8) + text,
            lambda: head_of(TEXT, 16_385) + b" " * 16_385,
            lambda: head_of(TEXT, 1 << 24) + text,
            lambda: head_of(TEXT, size + rng.randint(1, 100)) + text,
            lambda: head_of(TEXT, max(0, size - rng.randint(1, 9))) + text,
            lambda: head_of(BINARY, size) + text,
            lambda: encode(text[: size // 2] + b"\xff\xfe"),
            lambda: encode(b""),
            lambda: encode(struct.pack("!H", rng.choice(CODES)) + b"bye", CLOSE),
            lambda: encode(b"\x03", CLOSE),
            lambda: encode(b"", CLOSE),
            lambda: encode(struct.pack("!H", 1000) + b"\xff\xff", CLOSE),
            lambda: encode(b"unasked", PONG) * rng.randint(1, 20),
            lambda: encode(bytes(125), PING) * rng.randint(1, 50),
            lambda: rng.randbytes(rng.randint(1, 40)),
        )
        return rng.choice(frames)()

    # --- timing ----------------------------------------------------------------------------------

    async def _cut_anywhere(self, socket: RawSocket) -> None:
        """Hang up at any byte of a session."""
        session = HANDSHAKE + encode(HELLO)
        for kind in ("create", "rooms", "ready", "start", "act"):
            text = json.dumps(self.grammar.valid(kind)).encode()
            session += encode(text, rng=self.rng)
        self.counted["frames"] += 6
        await socket.send(session[: self.rng.randrange(len(session))])
        await trio.sleep(self.rng.choice((0, 0.001, 0.02)))

    async def _trickle(self, socket: RawSocket) -> None:
        """Send a session byte by byte."""
        session = HANDSHAKE + self._count(encode(HELLO))
        for byte in session:
            await socket.send(bytes([byte]))
            await trio.lowlevel.checkpoint()
        head = await socket.read_head()
        frame = await socket.read()
        if not head.startswith(b"HTTP/1.1 101") or frame is None or b'"ok"' not in frame.payload:
            raise Broken(f"a slow session is answered {head!r} {frame}")

    async def _stall(self, socket: RawSocket) -> None:
        """Stop in the middle of something and wait."""
        await self._open(socket)
        data = self._count(encode(self.grammar.text()))
        await socket.send(data[: self.rng.randrange(len(data))])
        await trio.sleep(self.rng.uniform(0.1, 3))

    async def _silence(self, socket: RawSocket) -> None:
        """Never say hello: the server hangs up."""
        if not await socket.shake_hands():
            raise Broken("no handshake")
        frame = await socket.read()
        if frame is None or frame.close_code != 4001:
            raise Broken(f"silence is answered {frame}")

    async def _half_closed(self, socket: RawSocket) -> None:
        """Ask, and close one's own half at once: what was asked is answered, or not."""
        await self._open(socket)
        await socket.send(self._count(encode(json.dumps(self.grammar.valid("rooms")).encode())))
        await socket.stream.send_eof()
        await self._listen(socket)

    async def _flood(self, socket: RawSocket) -> None:
        """Send much at once without reading any of the replies."""
        await self._open(socket)
        text = json.dumps({"type": "catalog", "id": 1, "game": "odoriko"}).encode()
        await socket.send(encode(text) * 30)
        self.counted["frames"] += 30
        await trio.sleep(self.rng.uniform(0, 0.5))


Attack = Callable[[Breaker, RawSocket], Awaitable[None]]
_ATTACKS: Final[tuple[tuple[Attack, int], ...]] = (
    (Breaker._garbage_head, 6),
    (Breaker._half_a_head, 4),
    (Breaker._frames, 60),
    (Breaker._good_but_odd, 20),
    (Breaker._cut_anywhere, 14),
    (Breaker._trickle, 1),
    (Breaker._stall, 2),
    (Breaker._silence, 1),
    (Breaker._half_closed, 3),
    (Breaker._flood, 2),
)
