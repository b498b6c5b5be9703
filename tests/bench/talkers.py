"""The load: rooms of four at a server, over real WebSockets, from one process.

Prints one line of JSON. It speaks to the server (`--kind product`) or to the yardstick (`--kind
bare`), and does one after another

- set-up: connects everybody; at the server that is the handshake, hello, and create or join;
- idle: asks for the server's memory;
- start: has each room play, at the server;
- saturate: each room has one act on its way, the next follows when all four have its update;
- pace: `--rate` acts a second in all, in gaps by chance.

The acts are bids of odoriko: raises, and locks between them, so that the seats take turns. Of what
comes it reads no more than it must: the frames' heads, and the id of the decision to answer.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import os
import random
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from attrs import define, field

from tests.bench.processes import cpu_s, rss_kib
from tests.bench.sample import GAME, OPTIONS, SEATS

__all__ = ["main"]

Json = dict[str, Any]

TEXT, PONG = 1, 10
AT_ONCE = 32  # connections that are set up at the same time
MOST_BIDS = OPTIONS["bid_max"] + 1
SETTLE_S = 0.5
now = time.perf_counter


def frame(opcode: int, payload: bytes) -> bytes:
    """Return a client's frame, under a mask of zeros."""
    size = len(payload)
    head = bytes([0x80 | opcode, 0x80 | (size if size < 126 else 126)])
    return head + (b"" if size < 126 else size.to_bytes(2, "big")) + bytes(4) + payload


class Line(asyncio.Protocol):
    """A WebSocket connection that hands on each text."""

    transport: asyncio.Transport

    def __init__(self, path: str, host: str, take: Callable[[bytes], None]) -> None:
        self.open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._path, self._host, self._take = path, host, take
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for a WebSocket."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        key = base64.b64encode(os.urandom(16)).decode()
        self.transport.write(
            f"GET {self._path} HTTP/1.1\r\nHost: {self._host}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Protocol: kaguraden.v1\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        """Cut what came into frames."""
        data = self._buffer + data if self._buffer else data
        at = 0
        if not self.open.done():
            end = data.find(b"\r\n\r\n")
            if end < 0:
                self._buffer = data
                return
            assert data.startswith(b"HTTP/1.1 101 "), data[:200]
            self.open.set_result(None)
            at = end + 4
        while len(data) - at >= 4:
            size, body = data[at + 1], at + 2
            if size == 126:
                size, body = int.from_bytes(data[at + 2 : at + 4], "big"), at + 4
            elif size == 127:
                size, body = int.from_bytes(data[at + 2 : at + 10], "big"), at + 10
            if len(data) < body + size:
                break
            self._deal_with(data[at] & 15, data[body : body + size])
            at = body + size
        self._buffer = data[at:]

    def _deal_with(self, opcode: int, payload: bytes) -> None:
        match opcode:
            case 1:
                self._take(payload)
            case 9:
                self.transport.write(frame(PONG, payload))
            case 8:
                raise AssertionError(f"the server hung up: {payload!r}")

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody hangs up before the end, which this process does not wait for."""
        raise ConnectionError("the server hung up") from exc

    def send(self, text: bytes) -> None:
        """Send a text."""
        self.transport.write(frame(TEXT, text))


@define(eq=False)
class Tally:
    """What is counted while it is measured."""

    is_measuring: bool = False
    is_stopping: bool = False
    latencies: list[float] = field(factory=list)  # seconds
    updates: int = 0
    update_bytes: int = 0


@define(eq=False)
class Member:
    """Somebody in a room."""

    room: Room
    seat: int
    line: Line = field(init=False)
    last: bytes = b""  # the update
    waiting: deque[asyncio.Future[Json] | None] = field(factory=deque)

    async def connect(self, port: int, path: str) -> None:
        """Open the connection."""
        host = f"127.0.0.1:{port}"
        loop = asyncio.get_running_loop()
        _, self.line = await loop.create_connection(
            lambda: Line(path, host, self.take), "127.0.0.1", port
        )
        await self.line.open

    async def ask(self, kind: str, **fields: object) -> Json:
        """Send a request and return its result."""
        reply: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self.waiting.append(reply)
        self.line.send(json.dumps({"type": kind, "id": 1, **fields}).encode())
        answer = await reply
        assert answer["type"] == "ok", answer
        result: Json = answer["result"]
        return result

    def take(self, text: bytes) -> None:
        """Take a message."""
        if text.startswith(b'{"type":"update"'):
            self.last = text
            self.room.saw(len(text))
        elif text.startswith((b'{"type":"ok"', b'{"type":"error"')):
            reply = self.waiting.popleft()
            if reply is not None:
                reply.set_result(json.loads(text))
            else:
                assert text.startswith(b'{"type":"ok"'), text


@define(eq=False)
class Room:
    """Four members, who bid one after another."""

    kind: str
    tally: Tally
    goes_on: bool = True  # with the next act when all have seen one
    code: str = ""
    members: list[Member] = field(init=False)
    acts: int = 0
    bid: int = 0
    unseen: int = 0  # updates of the act on its way, or of the start
    sent_at: float = 0.0
    queue: deque[float] = field(factory=deque)  # acts that are due
    seen: asyncio.Event = field(factory=asyncio.Event)

    def __attrs_post_init__(self) -> None:
        self.members = [Member(self, seat) for seat in range(SEATS)]

    async def set_up(self, port: int, number: int) -> None:
        """Connect everybody; at the server they say hello and sit down."""
        for member in self.members:
            if self.kind == "bare":
                await member.connect(port, f"/{number}/{member.seat}")
                continue
            await member.connect(port, "/ws")
            client = {"name": "bench", "version": "1"}
            await member.ask("hello", name=f"P{member.seat}", client=client, bot=True)
            if member.seat:
                await member.ask("join", room=self.code, **{"as": "player"})
            else:
                made = await member.ask("create", game=GAME, seats=SEATS, options=OPTIONS)
                self.code = made["room"]
        self.code = self.code or "KAGU-7Q2F"

    async def start(self) -> None:
        """Have the server deal."""
        if self.kind == "bare":
            return
        for member in self.members:
            await member.ask("ready", room=self.code, ready=True)
        self.unseen = SEATS
        await self.members[0].ask("start", room=self.code)
        await self.seen.wait()

    def act(self, due: float) -> None:
        """Bid as the next seat: raise, or lock the bid until another raises."""
        member = self.members[self.acts % SEATS]
        raises = self.acts < SEATS or (self.acts - SEATS) % 3 == 2
        assert self.kind == "bare" or self.bid < MOST_BIDS, "no more bids; measure a shorter time"
        at = member.last.rfind(b'"decisions":[{"id":"') + 20
        decision = member.last[at : member.last.find(b'"', at)].decode()
        what = f'"declare_bid","value":{self.bid}' if raises else '"lock_bid"'
        self.bid += raises
        self.acts += 1
        self.unseen, self.sent_at = SEATS, due
        if self.kind != "bare":
            member.waiting.append(None)
        member.line.send(
            f'{{"type":"act","id":{self.acts},"room":"{self.code}","decision":"{decision}"'
            f',"option":{what}}}'.encode()
        )

    def saw(self, size: int) -> None:
        """Note that a member has its update."""
        self.unseen -= 1
        if self.tally.is_measuring:
            self.tally.updates += 1
            self.tally.update_bytes += size
        if self.unseen:
            return
        if not self.acts:
            self.seen.set()
            return
        if self.tally.is_measuring:
            self.tally.latencies.append(now() - self.sent_at)
        if self.tally.is_stopping:
            self.seen.set()
        elif self.goes_on:
            self.act(now())
        elif self.queue:
            self.act(self.queue.popleft())

    async def settle(self) -> None:
        """Wait until nothing is on its way."""
        while self.unseen > 0:
            self.seen.clear()
            await self.seen.wait()
        self.queue.clear()


def quantile(values: Sequence[float], part: float) -> float | None:
    """Return a quantile, in milliseconds."""
    ordered = sorted(values)
    return round(ordered[int(len(ordered) * part)] * 1000, 3) if ordered else None


async def measure(rooms: list[Room], tally: Tally, pid: int, warm: float, secs: float) -> Json:
    """Return what happened in so many seconds, after a while to warm up."""
    tally.is_stopping = False
    await asyncio.sleep(warm)
    tally.latencies, tally.updates, tally.update_bytes = [], 0, 0
    load, server, begun = time.process_time(), cpu_s(pid), now()
    tally.is_measuring = True
    await asyncio.sleep(secs)
    tally.is_measuring = False
    took = now() - begun
    found = {
        "acts_per_s": round(len(tally.latencies) / took, 1),
        "p50_ms": quantile(tally.latencies, 0.5),
        "p99_ms": quantile(tally.latencies, 0.99),
        "server_cpu": round((cpu_s(pid) - server) / took, 3),
        "load_cpu": round((time.process_time() - load) / took, 3),
        "bytes_per_update": round(tally.update_bytes / max(tally.updates, 1)),
    }
    tally.is_stopping = True
    for room in rooms:
        await room.settle()
    return found


async def pace(rooms: Sequence[Room], rate: float, tally: Tally) -> None:
    """Have the rooms act in turn, so many times a second in all."""
    chance = random.Random(1)
    due, turn = now(), 0
    while not tally.is_stopping:
        while due <= now():
            room = rooms[turn % len(rooms)]
            turn += 1
            if room.unseen > 0:
                room.queue.append(due)
            else:
                room.act(now())
            due += chance.expovariate(rate)
        await asyncio.sleep(max(0.0, due - now()))


def give_up(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """End the process: what went wrong on one connection makes all figures wrong."""
    loop.default_exception_handler(context)
    os._exit(1)


async def run(args: argparse.Namespace) -> Json:
    """Do all of it; return what was found."""
    asyncio.get_running_loop().set_exception_handler(give_up)
    tally = Tally()
    rooms = [Room(args.kind, tally) for _ in range(args.rooms)]
    found: Json = {}
    memory, cpu, begun = rss_kib(args.pid), cpu_s(args.pid), now()
    to_do = iter(enumerate(rooms))

    async def set_up() -> None:
        for number, room in to_do:
            await room.set_up(args.port, number)

    await asyncio.gather(*(set_up() for _ in range(AT_ONCE)))
    took, people = now() - begun, SEATS * len(rooms)
    found["setups_per_s"] = round(people / took, 1)
    found["setups_per_cpu_s"] = round(people / max(cpu_s(args.pid) - cpu, 0.01), 1)
    await asyncio.sleep(SETTLE_S)
    found["idle_kib"] = round((rss_kib(args.pid) - memory) / people, 2)
    for room in rooms:
        await room.start()
    if args.saturate:
        for room in rooms:
            room.act(now())
        found["saturated"] = await measure(rooms, tally, args.pid, args.warm, args.saturate)
        found["used_kib"] = round((rss_kib(args.pid) - memory) / people, 2)
    if args.pace:
        for room in rooms:
            room.goes_on = False
        tally.is_stopping = False
        pacing = asyncio.create_task(pace(rooms, args.rate, tally))
        found["paced"] = await measure(rooms, tally, args.pid, args.warm, args.pace)
        await pacing
    return found


def main() -> None:
    """Make the load, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", choices=("product", "bare"), required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--pid", type=int, required=True, help="the server's process")
    parser.add_argument("--rooms", type=int, default=50)
    parser.add_argument("--warm", type=float, default=0.5)
    parser.add_argument("--saturate", type=float, default=0.0, help="for so many seconds")
    parser.add_argument("--pace", type=float, default=0.0, help="for so many seconds")
    parser.add_argument("--rate", type=float, default=300.0, help="acts a second")
    print(json.dumps(asyncio.run(run(parser.parse_args()))), flush=True)


if __name__ == "__main__":
    main()
