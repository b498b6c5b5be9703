"""A disk that fails under a running server: nothing is half done, and play goes on when it heals.

A real server process with real clients; the faults come from outside: a full file system, a limit on
the size of files (which fails in the middle of a write), another program's lock, a damaged file.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path

import pytest
import trio
from attrs import define
from kaguraden_server.journal import store
from kaguraden_server.journal.writer import Journal, StorageDown
from kaguraden_server.logs import Log

from tests.crash.ledger import Json, act_line
from tests.end_to_end.house import SETTINGS, House, open_house
from tests.end_to_end.raw import Client, Place, Refused, connected, random_value
from tests.server.test_durable import step
from tests.server.test_process import SERVE
from tests.server.test_restart import two_rooms

LEAST_S = 1.2  # how long a fault lasts, so that clocks of half a second run out meanwhile
LEAST_ROUNDS = 100  # of requests; fewer where each waits for a lock
TICK_MS = 500
FOREVER_MS = 600_000
GROWTH_KB = 8_192  # of a server that refuses all those
SMALL = 4_096  # bytes: less than the log's first page takes
TMPFS = ("-t", "tmpfs", "-o", "size=8m", "none")
CLOCKS = ("turn_ms", "choice_ms", "window_ms", "auction_ms")


@define
class Players:
    """Two at a table where nobody is hurried. `acked` are the lines of what they did."""

    aki: Client
    ben: Client
    hers: Place
    his: Place
    acked: list[str]


@define
class Outage:
    """A fault that is to come: of which server, and a request that will not be granted."""

    house: House
    data: Path
    client: Client
    act: Json

    def signal(self, sent: signal.Signals) -> None:
        """Send the server a signal."""
        os.kill(self.house.process.pid, sent)


Fault = Callable[[Outage], AbstractAsyncContextManager[None]]


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, bool]]:
    """A small file system where we may mount one; and whether it is one."""
    folder = tmp_path_factory.mktemp("disk")
    mounted = subprocess.run(["mount", *TMPFS, str(folder)], capture_output=True, check=False)
    is_small = mounted.returncode == 0
    yield folder, is_small
    if is_small:
        subprocess.run(["umount", str(folder)], check=False)


# --- the faults ------------------------------------------------------------------------------------


@asynccontextmanager
async def full_disk(outage: Outage) -> AsyncIterator[None]:
    """Nothing more fits on the disk."""
    filler = outage.data / "filler"
    _fill(filler)
    await _refused(outage.client, **outage.act)
    _fill(filler)  # the journal was closed, and its log gave back what it took
    yield
    filler.unlink()


def _fill(filler: Path) -> None:
    with filler.open("ab", buffering=0) as file:
        for size in (65_536, 4_096, 1):
            with suppress(OSError):
                while file.write(bytes(size)):
                    pass


@asynccontextmanager
async def file_limit(outage: Outage) -> AsyncIterator[None]:
    """Writes fail in the middle of a page."""
    pid = outage.house.process.pid
    _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (SMALL, hard))
    yield
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, hard))


@asynccontextmanager
async def locked(outage: Outage) -> AsyncIterator[None]:
    """Another program writes, and does not come to an end."""
    other = sqlite3.connect(outage.data / store.FILE, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield
    other.execute("ROLLBACK")
    other.close()


@asynccontextmanager
async def damaged(outage: Outage) -> AsyncIterator[None]:
    """The file is overwritten, after something else had the server close it."""
    file = outage.data / store.FILE
    async with locked(outage):
        await _refused(outage.client, **outage.act)
        outage.signal(signal.SIGSTOP)
    good = file.read_bytes()
    file.write_bytes(good[:100] + bytes(len(good) - 100))
    outage.signal(signal.SIGCONT)
    yield
    outage.signal(signal.SIGSTOP)
    for end in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.unlink(f"{file}{end}")
    file.write_bytes(good)
    outage.signal(signal.SIGCONT)


FAULTS: tuple[Fault, ...] = (full_disk, file_limit, locked, damaged)


# --- what has to hold ------------------------------------------------------------------------------


async def test_faults_of_the_disk_heal(disk: tuple[Path, bool], tmp_path: Path) -> None:
    folder, is_small = disk
    data = folder / "data"
    log = '[log]\nformat = "json"\nlevel = "warning"\n'
    settings = f'{SETTINGS}\n[data]\ndir = "{data}"\nchat = true\n{log}'
    begun = time.monotonic()
    with trio.fail_after(240), open_house(tmp_path, settings) as house:
        async with connected(house.url, "Aki", 1) as aki, connected(house.url, "Ben", 1) as ben:
            players = await _sit_down(aki, ben)
            for fault in FAULTS:
                if fault is not full_disk or is_small:
                    await _suffer(house, data, players, fault)
            _check_journal(data, players)
    events = [json.loads(line)["event"] for line in house.log.read_text().splitlines()]
    down = events.count("journal_down")
    assert 1 <= down <= 1 + (time.monotonic() - begun) / 60, "not at each attempt"
    assert events == ["journal_down", "journal_healed"] * down


async def _sit_down(aki: Client, ben: Client) -> Players:
    hers, his = await _open(aki, ben, FOREVER_MS)
    players = Players(aki, ben, hers, his, [])
    for _ in range(3):
        await _act(players, *await _turn(players))
    return players


async def _open(aki: Client, ben: Client, clock_ms: int) -> tuple[Place, Place]:
    """Begin a game whose clocks give so much, and no spare time."""
    hers = await aki.create(2, **dict.fromkeys(CLOCKS, clock_ms), bank_ms=0)
    his = await ben.join(hers.room)
    for client, place in ((aki, hers), (ben, his)):
        await client.get_ready(place)
    await aki.ask("start", room=hers.room)
    return hers, his


async def _turn(players: Players) -> tuple[Client, Place, Json]:
    """Wait until somebody is asked; return who, where and an answer."""
    while True:
        for client, place in ((players.aki, players.hers), (players.ben, players.his)):
            await client.ask("ping")
            if place.decisions:
                decision = place.decisions[0]
                option = client.rng.choice(decision["options"])
                act = {"decision": decision["id"], "option": option["id"]}
                if "value" in option:
                    act["value"] = random_value(option["value"], client.rng)
                return client, place, {"kind": "act", "room": place.room, **act}


async def _act(players: Players, client: Client, place: Place, act: Json) -> None:
    result = await client.ask(**act)
    assert await client.ask(**act) == result
    players.acked.append(act_line(place.seat or 0, act))


async def _refused(client: Client, kind: str, **fields: object) -> None:
    with pytest.raises(Refused) as refused:
        await client.ask(kind, **fields)
    assert refused.value.code == "unavailable", (kind, refused.value)


async def _suffer(house: House, data: Path, players: Players, fault: Fault) -> None:
    """Have the disk fail for a while, with everything that is asked meanwhile."""
    aki, ben = players.aki, players.ben
    ticking = None if fault is damaged else (await _open(aki, ben, TICK_MS))[0]
    client, place, act = await _turn(players)
    other, others = (ben, players.his) if client is aki else (aki, players.hers)
    least = 2 if fault is locked else LEAST_ROUNDS
    async with fault(Outage(house, data, client, act)):
        await _refused(client, **act)
        for one in (aki, ben):
            await one.ask("ping")
        told = [(p.room, p.seq) for one in (aki, ben) for p in one.places.values()]
        until, rounds, rss = time.monotonic() + LEAST_S, 0, 0
        while time.monotonic() < until or rounds < least:
            await _refused(client, **act)
            await _refused(client, "create", game="odoriko")
            await _refused(other, "pause", room=others.room, on=True)
            await client.ask("sync", room=place.room, seq=place.seq)
            rounds += 1
            if rounds == least // 2:
                rss = _rss_kb(house)
        with pytest.raises(Refused):
            async with connected(house.url, "Cho", 1):
                pass
        assert _rss_kb(house) - rss < GROWTH_KB
        for one in (aki, ben):
            await one.ask("ping")
        after = [(p.room, p.seq) for one in (aki, ben) for p in one.places.values()]
        assert after == told, "nothing of it was told, and no clock ran out"
    while True:
        try:
            await client.ask(**act)
        except Refused as refused:
            assert refused.code == "unavailable"  # noqa: PT017 - the disk may heal in a moment
        else:
            break
    await _act(players, client, place, act)  # the same again, twice
    await _act(players, *await _turn(players))
    if ticking is not None:
        before = dict(told)[ticking.room]
        while aki.places[ticking.room].seq == before:
            await aki.read()
        for one in (aki, ben):
            await one.ask("leave", room=ticking.room)
            one.places.pop(ticking.room, None)


def _rss_kb(house: House) -> int:
    status = Path(f"/proc/{house.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


def _check_journal(data: Path, players: Players) -> None:
    connection = store.read_only(data)
    (row,) = store.room_rows(connection, players.hers.room)
    steps = store.steps_of(connection, row.number)
    connection.close()
    lines = Counter(line for s in steps for line in s.inputs.split("\n"))
    assert [lines[line] for line in players.acked] == [1] * len(players.acked)


# --- read-only, and at the start -------------------------------------------------------------------


async def test_a_file_that_may_not_be_written_heals(tmp_path: Path) -> None:
    journal = await Journal.open(tmp_path, Log())
    await journal.run(lambda connection: connection.execute("PRAGMA query_only = 1").fetchall())
    with pytest.raises(StorageDown) as down:
        await journal.write(step(1, 0))
    assert down.value.why == "SQLITE_READONLY"
    await journal.write(step(1, 0))
    await journal.aclose()


def serve(data: Path) -> subprocess.CompletedProcess[str]:
    """Start a server that is not to start."""
    return subprocess.run(
        [*SERVE, "--port", "0", "--data", str(data)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


async def test_a_file_damaged_inside_is_told_of_at_the_start(
    tmp_path: Path, autojump_clock: object
) -> None:
    await two_rooms(tmp_path)
    file = tmp_path / store.FILE
    page, rest = file.read_bytes()[:4096], len(file.read_bytes()) - 4096
    file.write_bytes(page + b"\x55" * rest)
    ended = await trio.to_thread.run_sync(serve, tmp_path)
    last = ended.stderr.splitlines()[-1]
    assert "Traceback" not in ended.stderr
    assert last == (
        "kaguraden serve: the journal cannot be opened: database disk image is malformed"
    )
    assert ended.returncode == 1
    assert file.read_bytes()[:4096] == page, "it is left as it is"


FULL_AT_THE_START = """
import sys
from kaguraden_server import commands, lobby
from kaguraden_server.journal.writer import StorageDown

async def recover(_):
    raise StorageDown("SQLITE_FULL")

lobby.recover = recover
commands.serve(["--port", "0", "--data", sys.argv[1]])
"""


def test_a_full_disk_at_the_start_is_told_of(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", FULL_AT_THE_START, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 1
    last = ended.stderr.splitlines()[-1]
    assert last.startswith("kaguraden serve: the journal cannot be used now: SQLITE_FULL; see that")
    assert "Traceback" not in ended.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="everything may be written by root")
def test_a_folder_that_may_not_be_written_is_told_of_at_the_start(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    ended = serve(tmp_path)
    tmp_path.chmod(0o700)
    assert ended.returncode == 1
    assert len(ended.stderr.splitlines()) == 1
