"""The real server over in-memory streams, and mutants of it: servers with one fault each.

A mutant is the real server with something in between that changes what is said, the way a server
with that fault would say it.
"""

from __future__ import annotations

import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import trio
from attrs import define, evolve, field
from kaguraden_client.bots import random_bot
from kaguraden_client.conformance.server.line import Ended, HttpReply, Line, NoHandshake, SocketDoor
from kaguraden_protocol.versions import SUBPROTOCOL
from kaguraden_rules.kernel import Game, Json
from kaguraden_server.app import App
from kaguraden_server.config import Config
from trio.testing import memory_stream_pair

from tests.fakes import Ofuda, OfudaOptions

__all__ = ["Mutant", "MutantDoor", "open_door", "open_listener"]

Message = dict[str, Any]
URL = "ws://127.0.0.1/ws"


class LongOfuda(Ofuda):
    """For two, and long enough for hashes of patched views."""

    seats = (2, 4)

    def options_schema(self) -> dict[str, Json]:
        schema = super().options_schema()
        turns: dict[str, Json] = {"type": "integer", "minimum": 1, "maximum": 50, "default": 8}
        return {**schema, "properties": {"turns": turns, "faulty": _FAULTY}}

    def parse_options(self, raw: Mapping[str, Json]) -> OfudaOptions:
        return super().parse_options({"turns": 8, **raw})


_FAULTY: dict[str, Json] = {"type": "boolean", "default": False}


class CrowdedOfuda(Ofuda):
    """For three: two of them answer each sealed window."""

    id = "ofuda3"
    seats = (3, 4)


GAMES: Mapping[str, Game[Any, Any]] = {"ofuda": LongOfuda(), "ofuda3": CrowdedOfuda()}


class _Name:
    """What stands for a listener's socket."""

    family = socket.AF_INET

    def getsockname(self) -> tuple[str, int]:
        return ("127.0.0.1", 1)


@define(eq=False)
class _Listener(trio.abc.Listener[trio.abc.Stream]):
    """Accepts what is put into a channel."""

    streams: trio.MemoryReceiveChannel[trio.abc.Stream]
    socket: _Name = field(factory=_Name)

    async def accept(self) -> trio.abc.Stream:
        return await self.streams.receive()

    async def aclose(self) -> None:
        await self.streams.aclose()


def open_listener(
    pair: Callable[[], tuple[trio.abc.Stream, trio.abc.Stream]] = memory_stream_pair,
) -> tuple[Any, Callable[[], Awaitable[trio.abc.Stream]]]:
    """Return what a server can listen on, and a function that opens a stream to it."""
    to_server, streams = trio.open_memory_channel[trio.abc.Stream](100)

    async def open_stream() -> trio.abc.Stream:
        near, far = pair()
        await to_server.send(far)
        return near

    return _Listener(streams), open_stream


@asynccontextmanager
async def open_door(
    password: str = "", games: Mapping[str, Game[Any, Any]] = GAMES
) -> AsyncIterator[SocketDoor]:
    """Run the whole server, without a socket, and return the way to it."""
    config = Config()
    config = evolve(
        config,
        server=evolve(config.server, password=password, drain_s=1),
        limits=evolve(config.limits, connections_per_address=1000, resume_updates=16),
    )
    listener, open_stream = open_listener()
    app = App(config, games=games, bots={"random": lambda: random_bot})
    async with trio.open_nursery() as nursery:
        await nursery.start(app.run, [listener])
        yield SocketDoor(URL, open_stream)
        nursery.cancel_scope.cancel()


# --- mutants ---------------------------------------------------------------------------------------


@define(eq=False)
class Mutant:
    """What is between a guest and the server, on one connection; `memory` is shared by all.

    `memory` knows in `me` which connection it is. `down` gets each message of the server and returns what the guest gets in its place, `up` each
    text of the guest, `ends` each close, `told` what the server says to a handshake.
    """

    down: Callable[[Message, Message], Any] = lambda message, _memory: message
    up: Callable[[bytes, Message], Any] = lambda text, _memory: text
    ends: Callable[[Ended], Ended | None] = lambda end: end
    refuses: Callable[[NoHandshake], NoHandshake | None] = lambda refused: refused
    http: Callable[[str, HttpReply], HttpReply] = lambda _path, reply: reply
    chooses: Callable[[str | None], str | None] = lambda subprotocol: subprotocol
    binary: bool = True  # whether binary frames get through
    quiet: bool = True  # whether the server waits for the first request


def _many(told: Any) -> list[Any]:
    if told is None:
        return []
    return list(told) if isinstance(told, list) else [told]


@define(eq=False)
class MutantLine:
    """A connection with a mutant in between. A close that it keeps to itself never comes."""

    inner: Line
    mutant: Mutant
    memory: Message
    _ready: list[str] = field(factory=list)

    @property
    def subprotocol(self) -> str | None:
        return self.mutant.chooses(self.inner.subprotocol)

    async def send(self, text: bytes) -> None:
        self.memory["me"] = id(self)
        for changed in _many(self.mutant.up(text, self.memory)):
            if isinstance(changed, dict):  # the answer of the mutant itself
                self._ready.append(json.dumps(changed))
            else:
                await self.inner.send(changed)
        await trio.lowlevel.checkpoint()

    async def send_binary(self, data: bytes) -> None:
        await trio.lowlevel.checkpoint()
        if self.mutant.binary:
            await self.inner.send_binary(data)

    async def receive(self) -> str:
        if not self.mutant.quiet and not self.memory.get("greeted"):
            self.memory["greeted"] = True
            return '{"type":"notice","code":"hi","message":"hi","details":{}}'
        while not self._ready:
            try:
                text = await self.inner.receive()
            except Ended as end:
                changed = self.mutant.ends(end)
                if changed is not None:
                    raise changed from None
                await trio.sleep_forever()
            self.memory["me"] = id(self)
            told = _many(self.mutant.down(json.loads(text), self.memory))
            self._ready += [m if isinstance(m, str) else json.dumps(m) for m in told]
        return self._ready.pop(0)

    async def cut(self) -> None:
        await self.inner.cut()


class _NoLine:
    """A connection that a mutant grants where the server refused it."""

    subprotocol = None

    async def send(self, text: bytes) -> None:
        await trio.lowlevel.checkpoint()

    send_binary = send

    async def receive(self) -> str:
        await trio.sleep_forever()
        raise AssertionError

    async def cut(self) -> None:
        await trio.lowlevel.checkpoint()


@define(eq=False)
class MutantDoor:
    """The way to a mutant."""

    inner: SocketDoor
    mutant: Mutant
    memory: Message = field(factory=dict)

    @asynccontextmanager
    async def dial(
        self,
        subprotocols: Sequence[str] = (SUBPROTOCOL,),
        headers: Mapping[str, str] | None = None,
    ) -> AsyncIterator[Line]:
        try:
            dialling = self.inner.dial(subprotocols, headers)
            line = await dialling.__aenter__()
        except NoHandshake as refused:
            changed = self.mutant.refuses(refused)
            if changed is not None:
                raise changed from None
            yield _NoLine()
            return
        try:
            yield MutantLine(line, self.mutant, self.memory)
        finally:
            await dialling.__aexit__(None, None, None)

    async def http(self, method: str, path: str, host: str | None = None) -> HttpReply:
        return self.mutant.http(path, await self.inner.http(method, path, host))
