"""A restart under a full house: everybody is told, nobody is refused, and the games go on."""

from __future__ import annotations

import json
import random
import signal
import socket
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from pathlib import Path

import trio
from attrs import define, field
from kaguraden_client.bots.player import Player
from kaguraden_client.bots.random import RandomPolicy
from kaguraden_client.session import Event, Lost, Noticed, Opened, RoomChanged, Session, Updated
from kaguraden_client.transport import Transport
from kaguraden_client.trio_shell import Client, _connect_tcp, open_client
from kaguraden_protocol import messages
from kaguraden_protocol.errors import CloseCode

from tests.hostile.rawsocket import RawSocket, encode

from .manager import Manager, managed

ROOMS, STUCK, CONNECTIONS = 20, 10, 200
SEATS = 2
ONLOOKERS = CONNECTIONS - ROOMS * SEATS - STUCK
WATCHING = 60  # of the onlookers; the others are in the lobby
THINK_S = 1.0  # games last long, and all 20 are in play at every moment
GONE_S, BACK_S = 5.0, 6.0
DRAIN_S = 4.0
SETTINGS = """\
[server]
handshakes_per_minute = 100000

[limits]
connections_per_address = 1000
burst_requests = 1000
requests_per_second = 1000
write_ms = 60000
queue_bytes = 67108864
queue_messages = 10000
"""  # who is stuck is still there when the server stops: nothing else cuts it
SMALL_BUFFER = 4_096
FLOOD = 60  # catalogs, of some 100 kB each: more than all buffers hold


@define(eq=False)
class Guest:
    """Somebody with the package's client: it comes back by itself."""

    name: str
    told: int = 0  # how often that the server stops
    codes: list[int] = field(factory=list)  # with which its connections ended
    failures: list[str] = field(factory=list)  # attempts to come back that failed
    resumed_at: float | None = None
    updates: int = 0  # since then
    on_change: Callable[[], None] = lambda: None
    session: Session = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.session = Session(self.name, bot=True)

    def take(self, event: Event) -> None:
        """Take note of what happens."""
        match event:
            case Noticed(code="draining"):
                self.told += 1
            case Lost(code=code):
                self.codes.append(code)
            case Opened(again=True, resumed=resumed):
                assert resumed, f"{self.name} is nobody any more"
                self.resumed_at = trio.current_time()
                self.updates = 0
            case Updated():
                self.updates += 1
            case _:
                pass
        self.on_change()

    @asynccontextmanager
    async def connect(self, url: str) -> AsyncIterator[Client]:
        """Keep connected, and count the attempts that fail."""

        @asynccontextmanager
        async def counting() -> AsyncIterator[Transport]:
            try:
                transport = _connect_tcp(url, None)
                opened = await transport.__aenter__()
            except BaseException as error:
                self.failures.append(repr(error))
                raise
            try:
                yield opened
            finally:
                await transport.__aexit__(None, None, None)

        async with open_client(url, self.session, connect_with=counting) as client:
            yield client


@define(eq=False)
class Hall:
    """Everybody, and what they are waiting for."""

    url: str
    guests: list[Guest] = field(factory=list)
    rooms: list[str] = field(factory=list)
    _changed: trio.Event = field(factory=trio.Event)

    def guest(self, name: str) -> Guest:
        """Return somebody new."""
        made = Guest(name, on_change=self._wake)
        self.guests.append(made)
        return made

    def _wake(self) -> None:
        self._changed.set()

    async def until(self, holds: Callable[[], bool]) -> float:
        """Wait until something holds of the guests; return when."""
        while not holds():
            self._changed = trio.Event()
            await self._changed.wait()
        return trio.current_time()

    async def play(self, number: int, *, task_status: trio.TaskStatus[None]) -> None:
        """Open a room and play at it, as host."""
        guest = self.guest(f"Host {number}")
        async with guest.connect(self.url) as client:
            create = messages.Create(id=0, game="odoriko", seats=SEATS)
            room = str((await client.request(create))["room"])
            self.rooms.append(room)
            is_started = False

            def take(event: Event) -> None:
                nonlocal is_started
                guest.take(event)
                match event:
                    case RoomChanged(info=info) if not is_started:
                        if all(seat.ready for seat in info.seats):
                            is_started = True
                            guest.session.request(messages.Start(id=0, room=room))
                    case _:
                        pass

            task_status.started()
            await self._sit(guest, room, number, take).play(client)

    async def join(self, room: str, number: int) -> None:
        """Play at somebody's room."""
        guest = self.guest(f"Player {number}")
        async with guest.connect(self.url) as client:
            await self._sit(guest, room, number, guest.take).play(client)

    def _sit(self, guest: Guest, room: str, seed: int, take: Callable[[Event], None]) -> Player:
        policy = RandomPolicy(random.Random(f"{seed} {guest.name}"))
        return Player(guest.session, room, policy, lambda *_: THINK_S, on_event=take)

    async def look_on(self, number: int, room: str | None) -> None:
        """Watch a game, or just be there."""
        guest = self.guest(f"Guest {number}")
        async with guest.connect(self.url) as client:
            if room is not None:
                await client.request(messages.Join(id=0, room=room, as_=messages.Role.SPECTATOR))
            async for event in client.events():
                guest.take(event)


async def be_stuck(port: int, number: int, stack: AsyncExitStack) -> None:
    """Connect, ask for much, and read nothing of it."""
    sock = trio.socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BUFFER)
    await sock.connect(("127.0.0.1", port))
    raw = RawSocket(await stack.enter_async_context(trio.SocketStream(sock)))
    assert await raw.shake_hands()
    client = {"name": "stuck", "version": "1"}
    hello = {"type": "hello", "id": 0, "name": f"Stuck {number}", "client": client}
    await raw.send(encode(json.dumps(hello).encode()))
    for n in range(1, FLOOD + 1):
        ask = {"type": "catalog", "id": n, "game": "odoriko"}
        await raw.send(encode(json.dumps(ask).encode()))


async def fill(hall: Hall, manager: Manager, nursery: trio.Nursery) -> None:
    """Have 200 connections, with 20 games in play."""
    for n in range(ROOMS):
        await nursery.start(hall.play, n)
    numbers = count()
    for room in hall.rooms:
        for _ in range(SEATS - 1):
            nursery.start_soon(hall.join, room, next(numbers))
    for n in range(ONLOOKERS):
        nursery.start_soon(hall.look_on, n, hall.rooms[n % ROOMS] if n < WATCHING else None)
    players = hall.guests[:ROOMS]
    await hall.until(lambda: len(hall.guests) == CONNECTIONS - STUCK)
    await hall.until(lambda: all(guest.updates > 3 for guest in players))
    await hall.until(lambda: all(guest.session.hello is not None for guest in hall.guests))


async def test_a_full_house_is_told_and_comes_back_and_plays_on(tmp_path: Path) -> None:
    with trio.fail_after(110):
        async with (
            managed(tmp_path) as manager,
            AsyncExitStack() as stuck,
            trio.open_nursery() as nursery,
        ):
            hall = Hall(manager.url)
            async with manager.serve(SETTINGS) as first:
                await fill(hall, manager, nursery)
                for n in range(STUCK):
                    await be_stuck(manager.port, n, stuck)
                before = [guest.updates for guest in hall.guests[:ROOMS]]
                await hall.until(
                    lambda: all(
                        guest.updates > n
                        for guest, n in zip(hall.guests[:ROOMS], before, strict=True)
                    )
                )
                asked_at = trio.current_time()
                first.process.send_signal(signal.SIGTERM)
                assert await first.process.wait() == 0
                gone_s = trio.current_time() - asked_at
            assert [guest.name for guest in hall.guests if guest.told != 1] == []
            assert Counter(str(guest.codes) for guest in hall.guests) == {
                str([int(CloseCode.RESTARTING)]): CONNECTIONS - STUCK
            }
            async with manager.serve(SETTINGS):
                ready_at = trio.current_time()
                back_at = await hall.until(lambda: all(g.resumed_at for g in hall.guests))
                # Each table has had an answer more, from somebody at it.
                await hall.until(lambda: all(guest.updates > 2 for guest in hall.guests[:ROOMS]))
                plays_at = trio.current_time()
                assert {f for guest in hall.guests for f in guest.failures} == set()
                nursery.cancel_scope.cancel()
    took = (gone_s, back_at - ready_at, plays_at - ready_at)
    print(
        "gone after {:.1f} s; ready, all back after {:.1f} s and at play after {:.1f} s".format(
            *took
        )
    )
    assert gone_s < GONE_S
    assert back_at - ready_at < BACK_S
    check_stuck(first.log)


def check_stuck(log: Path) -> None:
    """See that the last who came were there until they were cut: they were stuck indeed."""
    entries = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    came = [entry["conn"] for entry in entries if entry["event"] == "connected"]
    (begun,) = (entry for entry in entries if entry["event"] == "draining")
    assert (begun["connections"], begun["rooms"], len(came)) == (CONNECTIONS, ROOMS, CONNECTIONS)
    went = {e["conn"]: _second(e["time"]) for e in entries if e["event"] == "disconnected"}
    stayed_s = [(went[conn] - _second(begun["time"])) % 60 for conn in came[-STUCK:]]
    assert min(stayed_s) > DRAIN_S - 0.5


def _second(time: str) -> float:
    return float(time.rstrip("Z").rpartition(":")[2])
