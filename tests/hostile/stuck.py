"""Readers that are stuck: the others get everything in order, and the stuck are cut.

`python -m tests.hostile.stuck [--readers N] [--stuck N] [--write-ms MS]`

Spectators of one game on a real server, each on a connection of its own. Some of them stop to read:
half of those keep asking for the whole position meanwhile, as somebody would who means harm. The
game and the talk go on until the server has cut all the stuck. The others hold every update against
its number and, in the end, against what the others got. The exit status is 1 if somebody missed
something, if a stuck reader was not cut, or if the server kept more for them than its queues may.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import socket
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
from attrs import define, field, frozen

from tests.end_to_end.raw import Client, Place, connected

from .process import Server, open_server
from .rawsocket import PONG, RawSocket, encode
from .talkers import Broken

__all__ = ["Plan", "Report", "main", "run"]

SETTINGS = """\
[limits]
burst_requests = 100000
requests_per_second = 100000
chat_messages = 1000
write_ms = {write_ms}

[rooms]
empty_over_s = 5

[clocks]
window_min_ms = 50
"""
OPTIONS = {"auction_ms": 1_000}
QUEUE_KIB = 512  # `queue_bytes`, which waits for a reader at most
SPARE_KIB = 256  # a connection more: one message on its way, and what the libraries hold
HOUSE_KIB = 12 * 1024  # what a server that plays games may take anyway
SMALL_BUFFER = 4_096
PATIENCE_S = 240.0
TALK_S = 0.1
LOOK_S = 0.2
LAST = 10_000_000  # the id of the last request
LINE = "長" * 480


@frozen
class Plan:
    """How many readers there are, and how long a write may take."""

    readers: int = 100
    stuck: int = 50
    write_ms: int = 5_000


@define
class Report:
    """What came of it."""

    updates: int = 0  # that each of those who read got
    lines: int = 0  # of talk
    frames: int = 0  # in all that were read
    cut: int = 0  # of the stuck
    cut_s: float = 0.0  # until the last was
    before_kib: int = 0
    peak_kib: int = 0
    after_kib: int = 0
    endings: Counter[str] = field(factory=Counter)
    problems: list[str] = field(factory=list)


@define(eq=False)
class Reader:
    """A spectator on a socket of its own."""

    number: int
    socket: RawSocket
    seqs: dict[str, int] = field(factory=dict)  # of the last update, by room
    lines: int = 0
    frames: int = 0
    digest: Any = field(factory=hashlib.sha256)  # of all updates but their clocks
    caught_up: trio.Event = field(factory=trio.Event)  # the reply to a last ping came
    is_over: bool = False

    @classmethod
    async def enter(cls, port: int, number: int, *, small: bool) -> Reader:
        """Connect and say hello; with `small` the kernel holds little for who does not read."""
        sock = trio.socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if small:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BUFFER)
        await sock.bind((f"127.0.0.{2 + number // 25}", 0))
        await sock.connect(("127.0.0.1", port))
        reader = cls(number, RawSocket(trio.SocketStream(sock)))
        if not await reader.socket.shake_hands():
            raise Broken("no handshake")
        client = {"name": "reader", "version": "1"}
        await reader.ask({"type": "hello", "id": 0, "name": f"R{number}", "client": client})
        return reader

    async def ask(self, request: dict[str, Any]) -> None:
        """Send a request and wait for the reply."""
        await self.say(request)
        while True:
            frame = await self.socket.read()
            if frame is None:
                raise Broken("a reader was sent away before it was stuck")
            if b'"re"' in frame.payload:
                if not frame.payload.startswith(b'{"type":"ok"'):
                    raise Broken(f"{request} is answered {frame.payload!r}")
                return
            self._take(frame.payload)

    async def say(self, request: dict[str, Any]) -> None:
        """Send a request."""
        await self.socket.send(encode(json.dumps(request).encode()))

    async def read_on(self) -> None:
        """Take what comes, and look at it."""
        while (frame := await self.socket.read()) is not None:
            match frame.opcode:
                case 1:  # text
                    self._take(frame.payload)
                case 8:  # close
                    break
                case 9:  # ping
                    await self.socket.send(encode(frame.payload, PONG))
        self.is_over = True

    def _take(self, text: bytes) -> None:
        self.frames += 1
        if text.startswith(b'{"type":"ok"') and json.loads(text)["re"] == LAST:
            self.caught_up.set()
        if text.startswith(b'{"type":"chat"'):
            self.lines += 1
            number = json.loads(text)["n"]
            if number != self.lines:
                raise Broken(f"reader {self.number} got line {number} where {self.lines} was next")
        if not text.startswith(b'{"type":"update"'):
            return
        body = text.rpartition(b',"clock":')[0]
        room, seq, full = _head(text)
        if full != (room not in self.seqs) or seq != self.seqs.get(room, 0) + 1:
            raise Broken(f"reader {self.number} got {seq} after {self.seqs.get(room)}: {full=}")
        self.seqs[room] = seq
        self.digest.update(body)


def _head(update: bytes) -> tuple[str, int, bool]:
    """Return room, number and fullness of an update, which are told first."""
    head = json.loads(update[: update.index(b',"events":')] + b"}")
    return head["room"], head["seq"], head["full"]


def run(folder: Path, plan: Plan) -> Report:
    """Do it, and return what came of it."""
    report = Report()
    settings = SETTINGS.format(write_ms=plan.write_ms)
    with open_server(folder, settings) as server:
        try:
            trio.run(_run, server, plan, report)
        except* (Broken, AssertionError, trio.TooSlowError) as group:
            report.problems += [repr(error) for error in group.exceptions]
        if not server.is_healthy():
            report.problems.append("/healthz does not answer")
        if server.stop() != 0:
            report.problems.append("the server does not stop in order")
        report.problems += [f"logged: {line}" for line in server.judge().faults]
    most = plan.stuck * (QUEUE_KIB + SPARE_KIB) + HOUSE_KIB
    if report.peak_kib - report.before_kib > most:
        report.problems.append(f"it took {report.peak_kib - report.before_kib} KiB; {most} may be")
    return report


async def _run(server: Server, plan: Plan, report: Report) -> None:
    with trio.fail_after(PATIENCE_S):
        async with connected(server.url, "Aki", 1) as aki, connected(server.url, "Ben", 2) as ben:
            place = await aki.create(2, **OPTIONS)
            places = [place, await ben.join(place.room)]
            async with open_readers(server.port, plan) as readers:
                await _run_among(readers, server, plan, report, (aki, ben), places)


@asynccontextmanager
async def open_readers(port: int, plan: Plan) -> AsyncIterator[list[Reader]]:
    """Have the readers come in; those who will be stuck first."""
    readers: list[Reader] = []
    try:
        for number in range(plan.readers):
            readers.append(await Reader.enter(port, number, small=number < plan.stuck))  # noqa: PERF401 - whoever came in leaves
        yield readers
    finally:
        for reader in readers:
            await reader.socket.hang_up()


async def _run_among(
    readers: list[Reader],
    server: Server,
    plan: Plan,
    report: Report,
    players: tuple[Client, Client],
    places: list[Place],
) -> None:
    room = places[0].room
    for reader in readers:
        await reader.ask({"type": "join", "id": 1, "room": room, "as": "spectator"})
    stuck, others = readers[: plan.stuck], readers[plan.stuck :]
    report.before_kib = server.rss_kib()
    async with trio.open_nursery() as nursery:
        for reader in others:
            nursery.start_soon(reader.read_on)
        async with trio.open_nursery() as goings_on:
            goings_on.start_soon(_play, players, places)
            goings_on.start_soon(_talk, others, room)
            for reader in stuck[::2]:
                goings_on.start_soon(_pester, reader, room)
            await _wait_cut(server, plan, others, report)
            goings_on.cancel_scope.cancel()
        await _compare(others, room, report)
        nursery.cancel_scope.cancel()
    async with trio.open_nursery() as nursery:
        for reader in stuck:
            nursery.start_soon(_end, reader, report)
    report.after_kib = server.rss_kib()


async def _wait_cut(server: Server, plan: Plan, others: list[Reader], report: Report) -> None:
    """Wait until the server has cut all the stuck, and look at its memory meanwhile."""
    begun = trio.current_time()
    while (cut := _disconnected(server)) < plan.stuck:
        report.peak_kib = max(report.peak_kib, server.rss_kib())
        report.cut = cut
        if any(reader.is_over for reader in others):
            raise Broken("somebody who reads was sent away")
        await trio.sleep(LOOK_S)
    report.cut, report.cut_s = plan.stuck, trio.current_time() - begun


async def _play(clients: tuple[Client, Client], places: list[Place]) -> None:
    """Play, and when the game is over another one in a room that nobody else sees."""
    for client, place in zip(clients, places, strict=True):
        await client.get_ready(place)
    await clients[0].ask("start", room=places[0].room)
    async with trio.open_nursery() as nursery:
        for client, place in zip(clients, places, strict=True):
            nursery.start_soon(client.play, place)


async def _talk(readers: list[Reader], room: str) -> None:
    """Have those who read say something in turn, so that there is much to be read."""
    for number, reader in zip(itertools.count(100), itertools.cycle(readers)):
        await reader.say({"type": "chat", "id": number, "room": room, "text": LINE})
        await trio.sleep(TALK_S)


async def _pester(reader: Reader, room: str) -> None:
    """Ask for the whole position again and again without reading it."""
    try:
        for number in itertools.count(100):
            await reader.say({"type": "sync", "id": number, "room": room})
            await trio.sleep(0.1)
    except trio.BrokenResourceError:
        pass  # it is cut


def _disconnected(server: Server) -> int:
    return server.log.read_text("utf-8").count('"event": "disconnected"')


async def _compare(others: list[Reader], room: str, report: Report) -> None:
    """Wait until each who reads has what was sent, and hold that against what the others have."""
    for reader in others:
        await reader.say({"type": "ping", "id": LAST})
    for reader in others:
        await reader.caught_up.wait()
    seqs = {reader.seqs.get(room) for reader in others}
    report.frames = sum(reader.frames for reader in others)
    report.updates = max((seq or 0 for seq in seqs), default=0)
    report.lines = max(reader.lines for reader in others)
    digests = {(reader.seqs.get(room), reader.digest.hexdigest()) for reader in others}
    if len(digests) > len(seqs):
        report.problems.append("those who read did not get the same")


async def _end(reader: Reader, report: Report) -> None:
    """Read what is left for a stuck reader, to its end."""
    code: int | None = None
    while (frame := await reader.socket.read()) is not None:
        if frame.opcode == 8:
            code = frame.close_code
    if code not in (None, 4003):
        raise Broken(f"a stuck reader was closed with {code}")
    report.endings["cut" if code is None else str(code)] += 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Have readers be stuck, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--readers", type=int, default=100)
    parser.add_argument("--stuck", type=int, default=50)
    parser.add_argument("--write-ms", type=int, default=5_000)
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        report = run(Path(folder), Plan(chosen.readers, chosen.stuck, chosen.write_ms))
    for problem in report.problems:
        print(f"PROBLEM {problem}")
    print(
        f"{chosen.readers} readers, {chosen.stuck} stuck: {len(report.problems)} problems; the others "
        f"read {report.updates} updates and {report.lines} lines each ({report.frames} frames in all); "
        f"{report.cut} cut within {report.cut_s:.1f} s ({dict(report.endings)}); memory "
        f"{report.before_kib / 1024:.1f} MiB before, {report.peak_kib / 1024:.1f} at most, "
        f"{report.after_kib / 1024:.1f} after"
    )
    return 1 if report.problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
