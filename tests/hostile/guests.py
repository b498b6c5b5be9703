"""People on memory lines whose every frame is written down, with the virtual time of its sending."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import trio
from attrs import define, field
from kaguraden_protocol.errors import CloseCode
from kaguraden_server.lobby import Lobby
from kaguraden_server.wires import Inside, InsideWire, inside_pair

__all__ = ["Guest", "Json", "Sent"]

Json = dict[str, Any]
Sent = tuple[float, bytes]

FRAMES = 4_096  # on the line; nobody here is slow


class _TapedWire(InsideWire):
    """The server's end of a line, which writes down what is sent, and how it ends."""

    def __init__(self, wire: InsideWire, tape: list[Sent]) -> None:
        super().__init__(wire._sender, wire._receiver)
        self._tape = tape

    async def send(self, text: bytes) -> None:
        self._tape.append((trio.current_time(), text))
        await super().send(text)

    async def close(self, code: CloseCode) -> None:
        self._tape.append((trio.current_time(), f"close {code}".encode()))
        await super().close(code)


@define(eq=False)
class Guest:
    """Somebody at the house. `tape` has all that was ever sent to it, over all its connections."""

    lobby: Lobby
    nursery: trio.Nursery
    name: str
    address: str = ""
    tape: list[Sent] = field(factory=list)
    hello: Json = field(factory=dict)
    update: bytes = b""  # the last one
    is_connected: bool = False
    _line: Inside | None = None
    _ids: Iterator[int] = field(factory=lambda: itertools.count(1))
    _replies: dict[int, Json] = field(factory=dict)
    _news: trio.Event = field(factory=trio.Event)

    async def connect(self) -> None:
        """Open a line, without a word."""
        wire, line = inside_pair(FRAMES)
        taped = _TapedWire(wire, self.tape)
        taped.address = self.address
        self._line, self.is_connected = line, True
        self.nursery.start_soon(self.lobby.attend, taped)
        self.nursery.start_soon(self._listen, line)
        await trio.lowlevel.checkpoint()

    async def enter(self, **fields: Any) -> Guest:
        """Connect and say hello; with the token of before, if there is one and none is given."""
        await self.connect()
        fields.setdefault("client", {"name": "guest", "version": "1"})
        if self.hello:
            fields.setdefault("resume", self.hello["token"])
        self.hello = await self.ask("hello", name=self.name, **fields)
        return self

    async def hang_up(self) -> None:
        """Close the line."""
        assert self._line is not None
        await self._line.aclose()
        self.is_connected = False

    async def say(self, text: str) -> None:
        """Send any text."""
        assert self._line is not None
        await self._line.send(text)

    async def request(self, kind: str, **fields: Any) -> Json:
        """Send a request; return the reply, an ok or an error."""
        number = next(self._ids)
        await self.say(json.dumps({"type": kind, "id": number, **fields}))
        with trio.fail_after(600):
            while number not in self._replies:
                if not self.is_connected:
                    return {"type": "closed"}
                await self._news.wait()
        return self._replies.pop(number)

    async def ask(self, kind: str, **fields: Any) -> Json:
        """Send a request that is granted; return its result."""
        reply = await self.request(kind, **fields)
        assert reply["type"] == "ok", (kind, fields, reply)
        result: Json = reply["result"]
        return result

    def last_update(self) -> Json:
        """Return the last update, {} if there was none."""
        return json.loads(self.update) if self.update else {}

    async def _listen(self, line: Inside) -> None:
        while True:
            try:
                text = (await line.receive()).encode()
            except EOFError:
                break
            if text.startswith(b'{"type":"update"'):
                self.update = text
                continue
            message = json.loads(text)
            if message["type"] in ("ok", "error"):
                self._replies[message["re"]] = message
                self._tell()
        if line is self._line:
            self.is_connected = False
            self._tell()

    def _tell(self) -> None:
        self._news.set()
        self._news = trio.Event()
