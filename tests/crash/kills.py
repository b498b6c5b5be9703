"""A real server that is killed again and again under real clients.

`python -m tests.crash.kills [--kills N] [--seed S] [--data DIR] [--fresh SHARE]` starts a server on
a data folder, has people play at several tables over WebSockets, kills the server with SIGKILL, at a
random moment or at a named point (`points`), looks whether the journal has everything that was
acknowledged, once, and starts the next server on the same folder; the people come back by their
tokens and go on. The last line tells the figures; the exit status is 1 when something was lost,
done twice or different. The order of the kills follows from the seed, the moments do not quite.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import trio
from attrs import define, field, frozen
from kaguraden_server.journal import store

from tests.crash.ledger import Audit, Figures, Json, Torn
from tests.crash.people import Person, Plot, Stage, TableOf
from tests.end_to_end.raw import connected

__all__ = ["Run", "main", "run"]

SETTINGS = """\
[limits]
burst_requests = 100000
requests_per_second = 100000
chat_messages = 1000
rooms_per_user = 50
rooms_per_address = 10000

[clocks]
window_min_ms = 50
turn_ms = 4000
choice_ms = 4000
window_ms = 1000
auction_ms = 1500

[rooms]
grace_s = 1

[data]
chat = true

[log]
format = "json"
"""
STUCK_S = 60.0  # a server that neither listens nor ends
PATIENCE_S = 4.0  # until a point must have come
NAMED = (
    ("before_commit", 40),
    ("inside_commit", 40),
    ("after_commit", 40),
    ("before_update", 25),
    ("after_update", 25),
    ("before_reply", 60),
    ("after_reply", 60),
    ("checkpoint", 4),
    ("drain_begins", 1),
    ("drain_commit", 3),
    ("drain_close", 1),
    ("drain_checkpoint", 1),
    ("recovery_file", 1),
    ("recovery_room", 8),
    ("recovery_begins_commit", 1),
    ("recovery_ends_commit", 1),
    ("recovery_opens", 8),
)
RANDOM = "random"
DRAINING = "drain_random"


@frozen
class Kill:
    """How a server is to die: at the n-th time at a point, or after so many acknowledgements.

    Before a drain there are as many; `then_s` later the signal comes.
    """

    point: str
    nth: int = 0
    acks: int = 0
    then_s: float = 0.0
    fresh: bool = False

    @property
    def drains(self) -> bool:
        """Tell whether the server is asked to stop before."""
        return self.point.startswith("drain")


def kills(seed: object, n: int, fresh: float) -> list[Kill]:
    """Return the kills of a run: a third at random moments, the others at the points in turn."""
    rng = random.Random(f"kills {seed}")
    chosen: list[Kill] = []
    points: list[tuple[str, int]] = []
    for _ in range(n):
        acks, then_s = rng.randint(0, 40), rng.uniform(0, 0.03)
        if rng.random() < 0.25:
            chosen.append(Kill(RANDOM, 0, acks, then_s, rng.random() < fresh))
        elif rng.random() < 0.08:
            chosen.append(Kill(DRAINING, 0, acks, then_s, rng.random() < fresh))
        else:
            if not points:
                points = rng.sample(NAMED, len(NAMED))
            point, most = points.pop()
            chosen.append(Kill(point, rng.randint(1, most), acks, then_s))
    return chosen


@define(eq=False)
class Starter:
    """The process that starts servers."""

    process: trio.Process
    folder: Path
    port: int
    server: int | None = None  # a handle of the process of now
    _buffer: bytes = b""

    async def start(self, kill: Kill | None) -> None:
        """Start a server; it is to have ended before the next."""
        self.close()
        order: Json = {
            "args": [
                *("--host", "127.0.0.1", "--port", str(self.port)),
                *("--data", str(self.folder / "data")),
                *("--config", str(self.folder / "kaguraden.toml")),
            ],
            "log": str(self.log),
        }
        if kill is not None:
            order["fresh"] = kill.fresh
            if kill.nth:
                order |= {"point": kill.point, "nth": kill.nth}
        assert self.process.stdin is not None
        self.log.write_bytes(b"")
        await self.process.stdin.send_all(json.dumps(order).encode() + b"\n")
        line = await self.line()
        assert line.startswith("started "), line
        with suppress(ProcessLookupError):
            self.server = os.pidfd_open(int(line.split()[1]))

    def signal(self, sent: signal.Signals) -> None:
        """Send the server of now a signal, if it lives."""
        if self.server is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.server, sent)

    async def where(self) -> str:
        """Return what the server of now logged, and where its threads are."""
        self.signal(signal.SIGUSR1)
        with trio.move_on_after(1):
            await self.line()
        return self.log.read_text()

    def close(self) -> None:
        """Let go of the server of now."""
        handle, self.server = self.server, None
        if handle is not None:
            os.close(handle)

    @property
    def log(self) -> Path:
        """Return the log of the server of now."""
        return self.folder / "server.log"

    async def line(self) -> str:
        """Return the next line of the starter or of its server."""
        assert self.process.stdout is not None
        while b"\n" not in self._buffer:
            part = await self.process.stdout.receive_some()
            assert part, f"the starter ended\n{self.log.read_text()}"
            self._buffer += part
        line, self._buffer = self._buffer.split(b"\n", 1)
        return line.decode()


@asynccontextmanager
async def starter(folder: Path) -> AsyncIterator[Starter]:
    """Run a starter for servers on a data folder, on one port for all of them."""
    (folder / "kaguraden.toml").write_text(SETTINGS, "utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = await trio.lowlevel.open_process(
        [sys.executable, "-m", "tests.crash.starter"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "KAGURADEN_BOT_THINK_MS": "0"},
    )
    started = Starter(process, folder, port)
    try:
        yield started
    finally:
        started.signal(signal.SIGKILL)
        started.close()
        process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()


@define(eq=False)
class Run:
    """One data folder, its people, and the servers that come and go."""

    starter: Starter
    stage: Stage
    people: list[Person]
    audit: Audit
    figures: Figures
    downtimes_s: list[float] = field(factory=list)

    async def life(self, kill: Kill | None) -> str:
        """Have a server live until it is dead; return where it died.

        Without a kill it lives until everybody has played on, and is stopped in order.
        """
        begun = time.perf_counter()
        await self.starter.start(kill)
        line = ""
        with trio.move_on_after(STUCK_S):
            line = await self.starter.line()
        if line.startswith("ws://"):
            self.downtimes_s.append(time.perf_counter() - begun)
            self.stage.rise()
            line = ""
            with trio.move_on_after(STUCK_S * 2):
                line = await self._until_dead(kill)
            self.stage.fall()
        if not line:
            raise Torn(f"the server is stuck, to die at {kill}\n{await self.starter.where()}")
        return self._died(kill, line)

    async def _until_dead(self, kill: Kill | None) -> str:
        if kill is None:
            await self._all_play_on()
            await self._check_standings()
            self.stage.ending = True
            self.starter.signal(signal.SIGTERM)
            return await self.starter.line()
        if kill.drains or not kill.nth:
            with trio.move_on_after(PATIENCE_S):
                await self._acknowledged(kill.acks)
            await trio.sleep(kill.then_s)
        if kill.drains:
            self.starter.signal(signal.SIGTERM)
        line = ""
        with trio.move_on_after(PATIENCE_S if kill.nth else kill.then_s * kill.drains):
            line = await self.starter.line()
        if not line:
            self.starter.signal(signal.SIGKILL)
            line = await self.starter.line()
        return line

    async def _acknowledged(self, n: int) -> None:
        """Wait until so many requests more have been granted."""
        done = trio.Event()
        left = n

        def beat() -> None:
            nonlocal left
            left -= 1
            if left <= 0:
                done.set()

        self.stage.beat = beat
        if n:
            await done.wait()

    async def _all_play_on(self) -> None:
        """Wait until everybody has come back and done something more."""
        before = {person.name: person.acted for person in self.people}
        while any(person.acted == before[person.name] for person in self.people):
            await self._acknowledged(1)

    async def _check_standings(self) -> None:
        """See that of everybody the first attempt at the challenge of the day counts, and no other."""
        async with connected(self.stage.url, "Guest", 0) as guest:
            told = await guest.ask("daily", book="today", date=self.stage.day)
        names = Counter(entry["name"] for entry in told["standings"])
        for person in self.people:
            n = names[person.name]
            if n > 1 or n < person.has_attempted:
                raise Torn(f"{person.name} is {n} times in the standings of the day")

    def _died(self, kill: Kill | None, line: str) -> str:
        status = line.removeprefix("ended ")
        log = self.starter.log.read_text()
        point = "the last stop" if kill is None else kill.point
        self.figures.half_checkpoints += is_half_checkpointed(self.starter.folder / "data")
        allowed = {"-9"} if kill is not None and not kill.drains else {"-9", "0"}
        if status not in ({"0"} if kill is None else allowed):
            raise Torn(f"the server ended with {line!r}, to die at {point}\n{log}")
        for event in log.splitlines():
            if "Traceback" in event or json.loads(event)["level"] in {"error", "warning"}:
                raise Torn(f"logged before {point}: {event}")
        return point


def is_half_checkpointed(data: Path) -> bool:
    """Tell whether the log was being put into the file, which then is the newer of the two.

    SQLite's index of the log tells how many pages the log has, how many are in the file, and how
    many of them were to be.
    """
    file, log, index = (data / f"{store.FILE}{end}" for end in ("", "-wal", "-shm"))
    if not log.exists() or not index.exists() or index.stat().st_size < 132:
        return False
    told = index.read_bytes()[:132]
    pages, done, begun = (int.from_bytes(told[at : at + 4], sys.byteorder) for at in (16, 96, 128))
    is_newer = file.stat().st_mtime_ns >= log.stat().st_mtime_ns
    return done < pages == begun and is_newer


def tables(games: Sequence[Json], today: str) -> list[TableOf]:
    """Return what is played: every game of the server, alone and together, with bots and without.

    Args:
        games: As `hello` tells them.
        today: The book of the day.
    """
    chosen: list[TableOf] = []
    for game in games:
        least, most = game["seats"]["min"], game["seats"]["max"]
        if game["id"] == "enbu":
            chosen += [
                TableOf("enbu", 1, options={"book": "kyu-3"}),
                TableOf("enbu", 1, options={"book": f"daily:{today}"}),
                TableOf("enbu", 2, options={"book": "dan-3", "race_turn_s": 30}),
            ]
            continue
        chosen.append(TableOf(game["id"], max(2, least)))
        if most >= 3:
            chosen.append(TableOf(game["id"], 2, bots=max(1, least - 2)))
    return chosen


async def run(folder: Path, n: int, seed: object, *, fresh: float = 0.0, tell: bool = False) -> Run:
    """Have n servers killed, and one more go on to an orderly end.

    Raises:
        Torn: Something was lost, done twice or different.
    """
    (folder / "data").mkdir(exist_ok=True)
    async with starter(folder) as started:
        figures = Figures()
        stage = Stage(started.port)
        people = await _people(started, stage, figures, seed)
        audit = Audit(folder / "data", [person.ledger for person in people], figures)
        going = Run(started, stage, people, audit, figures)
        begun = time.perf_counter()
        async with trio.open_nursery() as nursery:
            for person in people:
                nursery.start_soon(person.live, name=person.name)
            for number, kill in enumerate(kills(seed, n, fresh), 1):
                point = await going.life(kill)
                figures.by_point[point] += 1
                if kill.drains:  # the server may have seen everybody go
                    audit.forget_fleeting()
                audit.check(f"kill {number} ({kill})")
                audit.forget_fleeting()
                if tell and number % 20 == 0:
                    seconds = time.perf_counter() - begun
                    print(f"{number} kills, {figures.acked} acts, {seconds:.0f} s", flush=True)
            await going.life(None)
            nursery.cancel_scope.cancel()
        audit.forget_fleeting()
        audit.check("the end")
        return going


async def _people(started: Starter, stage: Stage, figures: Figures, seed: object) -> list[Person]:
    """Ask a first server for its games, and bring people for them."""
    await started.start(None)
    line = await started.line()
    assert line.startswith("ws://"), f"{line}\n{started.log.read_text()}"
    async with connected(line, "Guest", seed) as guest:
        games: list[Json] = guest.hello["games"]
        today = await guest.ask("daily", book="today")
    stage.day = today["date"]
    started.signal(signal.SIGTERM)
    assert await started.line() == "ended 0"
    people: list[Person] = []
    for number, table in enumerate(tables(games, today["book"]), 1):
        plot = Plot()
        for seat in range(table.people):
            name = f"{'ABCDEFGH'[seat]}{number}"
            rng = random.Random(f"{seed} {name}")
            people.append(Person(name, rng, stage, figures, table, seat, plot))
    return people


def told(going: Run, seconds: float) -> str:
    """Return the figures of a run as one line."""
    f = going.figures
    points = ", ".join(f"{point} {n}" for point, n in sorted(f.by_point.items()))
    mean = sum(going.downtimes_s) / max(1, len(going.downtimes_s))
    return (
        f"{f.by_point.total()} kills ({points}): {f.lost} lost, {f.doubled} doubled; {f.acked} acts and "
        f"{f.other_acks} other requests acknowledged, {f.resent} acts resent, {f.same_again} asked again "
        f"and answered the same, {f.stale} stale, {f.resumed} resumed, {f.views} positions compared, "
        f"{f.games} games over, {f.half_checkpoints} "
        f"killed in a checkpoint; restart {mean * 1000:.0f} ms in the mean, "
        f"{max(going.downtimes_s, default=0) * 1000:.0f} ms at most; {seconds:.0f} s"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Kill, compare, and print how it went."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--data", type=Path, help="a folder to keep what is left in")
    parser.add_argument("--fresh", type=float, default=0.1, help="the share of new interpreters")
    chosen = parser.parse_args(arguments)
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.data or Path(temporary)
        folder.mkdir(exist_ok=True)
        try:
            going = trio.run(_run_to_tell, folder, chosen)
        except (BaseExceptionGroup, Torn, AssertionError) as error:
            traceback.print_exception(error)
            print(f"seed {chosen.seed} failed after {time.perf_counter() - begun:.0f} s")
            return 1
    print(told(going, time.perf_counter() - begun))
    return 0


async def _run_to_tell(folder: Path, chosen: argparse.Namespace) -> Run:
    return await run(folder, chosen.kills, chosen.seed, fresh=chosen.fresh, tell=True)


if __name__ == "__main__":
    raise SystemExit(main())
