"""The journal's write-ahead log, cut anywhere and damaged after its last sync.

`python -m tests.crash.cuts [--cuts N] [--seed S] [--every]` lets games be played on a journal and notes
where its log ended at each acknowledgement. Copies of its files, taken on the way, are then cut: at
each byte of what was written after the last acknowledgement but one (what is not synced may be there
in part), at random bytes of the whole log, and with bytes after that sync flipped, zeroed or made
up. What a server opens then has to be the journal as it was after one of the commits, with every one
that was acknowledged by then, and every game of it has to be played again to the same position.
`--every` cuts at each byte of the last commit of each copy, however many those are. The exit status
is 1 when one of the cuts is not mended.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import shutil
import sqlite3
import struct
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import trio
from attrs import define, field, frozen
from kaguraden_rules.catalogue import GAMES
from kaguraden_server.config import Config, DataSettings
from kaguraden_server.journal import store
from kaguraden_server.journal.entries import Entry
from kaguraden_server.journal.games import table_of
from trio.testing import MockClock

from tests.end_to_end.raw import random_value
from tests.server.house import House, Player, Refused, open_house
from tests.server.journals import InlineJournal

__all__ = ["Cutter", "main", "make", "play_games"]

WAL_HEADER = 32
FRAME_HEADER = 24
TABLES = ("users", "rooms", "steps", "chat")
SMALL_PAGE, LARGE_PAGE = 512, 4096
MEMORY = Path("/dev/shm")  # noqa: S108 - thousands of copies need no disk
GARBAGE = 4  # kinds of damage


@frozen
class Snapshot:
    """The files of a journal after a commit; `ends` tell where its log ended after each since `base`."""

    page: int
    commit: int
    base: int
    ends: tuple[tuple[int, int], ...] = field(repr=False)
    main: bytes = field(repr=False)
    log: bytes = field(repr=False)

    @property
    def synced(self) -> int:
        """Return where the log ended at the last acknowledgement but one."""
        return self.ends[-2][1] if len(self.ends) > 1 else WAL_HEADER

    @property
    def end(self) -> int:
        """Return where it ended at the last; what follows is of before."""
        return self.ends[-1][1]

    def acknowledged(self, cut: int) -> int:
        """Return the last commit that is whole in so many bytes of the log."""
        return max((n for n, end in self.ends if end <= cut), default=self.base)


@define(eq=False)
class Made:
    """A journal as it grew: what it held after each commit, by the sum of that, and copies."""

    states: dict[str, list[int]] = field(factory=dict)  # sum: the commits that it was so after
    snapshots: list[Snapshot] = field(factory=list)
    commits: int = 0


class _Recorder(InlineJournal):
    """Notes what there is after each commit."""

    made: Made
    page = LARGE_PAGE
    checkpoint = 0
    every = 10**9
    base = 0
    salts = b""
    due = False  # a copy is to be taken

    def begin(self, made: Made, page: int, checkpoint: int, every: int, commits: int) -> None:
        self.made, self.page, self.checkpoint, self.every = made, page, checkpoint, every
        self.most, self.is_long = commits, trio.Event()
        self.ends: list[tuple[int, int]] = []
        assert self._connection is not None
        self._connection.execute(f"PRAGMA wal_autocheckpoint = {checkpoint}")

    def commit(self, connection: sqlite3.Connection, entries: Sequence[Entry]) -> None:
        super().commit(connection, entries)
        made = self.made
        made.commits += 1
        if made.commits == self.most:
            self.is_long.set()
        made.states.setdefault(sum_of(connection), []).append(made.commits)
        log = (self.folder / f"{store.FILE}-wal").read_bytes()
        if log[16:24] != self.salts:
            self.salts, self.base, self.ends = log[16:24], made.commits - 1, []
        end = end_of(log)
        has_grown = not self.ends or end > self.ends[-1][1]  # some change nothing
        self.ends.append((made.commits, end))
        frames = (end - WAL_HEADER) // (self.page + FRAME_HEADER)
        is_whole = self.checkpoint == 0 or frames < self.checkpoint  # nothing of it is in the file
        self.due = self.due or made.commits % self.every == 0
        if self.due and is_whole and has_grown:
            self.due = False
            main = (self.folder / store.FILE).read_bytes()
            made.snapshots.append(
                Snapshot(self.page, made.commits, self.base, tuple(self.ends), main, log)
            )


def end_of(log: bytes) -> int:
    """Return where the last commit of a log ends."""
    (page,) = struct.unpack(">I", log[8:12])
    end = at = WAL_HEADER
    while len(log) >= at + FRAME_HEADER + page and log[at + 8 : at + 16] == log[16:24]:
        is_commit = log[at + 4 : at + 8] != bytes(4)
        at += FRAME_HEADER + page
        end = at if is_commit else end
    return end


def sum_of(connection: sqlite3.Connection) -> str:
    """Return a sum over everything that a journal holds."""
    rows = [connection.execute(f"SELECT * FROM {t} ORDER BY 1, 2").fetchall() for t in TABLES]  # noqa: S608
    return hashlib.sha256(repr(rows).encode()).hexdigest()


# --- making one ------------------------------------------------------------------------------------


def make(
    folder: Path, seed: object, *, page: int, checkpoint: int, commits: int, every: int
) -> Made:
    """Play games on a new journal until it has so many commits; copy its files every so often.

    Args:
        folder: Where the journal is made.
        seed: For the moves.
        page: The size of its pages.
        checkpoint: After how many pages the log is put into the file; 0 for never.
        commits: How many.
        every: After how many of them.
    """
    connection = sqlite3.connect(folder / store.FILE)
    connection.execute(f"PRAGMA page_size = {page}")
    connection.execute(f"PRAGMA application_id = {store.APPLICATION_ID}")
    connection.execute("VACUUM")
    connection.close()
    made = Made()

    async def play() -> None:
        journal = _Recorder(folder)
        journal.begin(made, page, checkpoint, every, commits)
        made.states[sum_of(journal._opened())] = [0]
        settings = Config(data=DataSettings(chat=True))
        async with open_house(settings, games=GAMES.values(), journal=journal) as house:
            await play_games(house, seed, journal.is_long)
        journal.drop()

    trio.run(play, clock=MockClock(autojump_threshold=0))
    return made


async def play_games(house: House, seed: object, until: trio.Event) -> None:
    """Play games of every kind at the same time, one after another, until it is enough."""
    async with trio.open_nursery() as nursery:
        for number, game in enumerate(GAMES.values()):
            rng = random.Random(f"{seed} {number}")
            nursery.start_soon(_play, house, game.id, max(2, game.seats[0]), rng)
        await until.wait()
        nursery.cancel_scope.cancel()


async def _play(house: House, game: str, seats: int, rng: random.Random) -> None:
    """Play games of a kind for ever."""
    while True:
        players = [await house.enter(f"P{n}") for n in range(seats)]
        made = await players[0].ask("create", game=game, seats=seats)
        room: str = made["room"]
        for player in players[1:]:
            await player.ask("join", room=room)
        for player in players:
            await player.ask("ready", room=room, ready=True)
        await players[0].ask("start", room=room)
        while not all("outcome" in p.views.get(room, {"view": {}})["view"] for p in players):
            for player in players:
                await _move(player, room, rng)
        for player in players:
            await player.ask("leave", room=room)


async def _move(player: Player, room: str, rng: random.Random) -> None:
    await player.quiet()
    update = player.views.get(room)
    if update is None or not update["decisions"]:
        await trio.sleep(1)
        return
    decision = update["decisions"][0]
    option = rng.choice(decision["options"])
    fields: dict[str, Any] = {"decision": decision["id"], "option": option["id"]}
    if "value" in option:
        fields["value"] = random_value(option["value"], rng)
    try:
        await player.ask("act", room=room, **fields)
    except Refused as refused:
        if refused.code not in {"stale", "not_your_decision"}:
            raise


# --- cutting it ------------------------------------------------------------------------------------


@define(eq=False)
class Cutter:
    """Opens damaged copies of a journal, and compares what is there with what was."""

    made: Made
    counts: Counter[str] = field(factory=Counter)
    _replayed: set[int] = field(factory=set)

    def check(self, snapshot: Snapshot, log: bytes, at_least: int) -> None:
        """Open a copy with another log.

        Raises:
            AssertionError: What is there is not what was after a commit, or it lacks one.
        """
        with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as name:
            folder = Path(name)
            (folder / store.FILE).write_bytes(snapshot.main)
            (folder / f"{store.FILE}-wal").write_bytes(log)
            connection = store.open_for_writing(folder)
            try:
                after = self.made.states.get(sum_of(connection))
                assert after is not None, "the journal was never so"
                commit = max((n for n in after if n <= snapshot.commit), default=-1)
                assert commit >= at_least, f"it is as after {after}, not after {at_least}"
                self.counts["whole" if commit == snapshot.commit else "a prefix"] += 1
                if commit not in self._replayed:
                    self._replay(connection)
                    self._replayed.add(commit)
            finally:
                connection.close()

    def _replay(self, connection: sqlite3.Connection) -> None:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        for row in store.open_rooms(connection):
            table_of(row, store.steps_of(connection, row.number), GAMES)
            self.counts["games replayed"] += 1

    def cut(self, snapshot: Snapshot, at: int) -> None:
        """Cut the log at a byte."""
        self.counts["cuts"] += 1
        self.check(snapshot, snapshot.log[:at], snapshot.acknowledged(at))

    def damage(self, snapshot: Snapshot, rng: random.Random) -> None:
        """Damage what was written after the last sync but one."""
        self.counts["damages"] += 1
        log, tail = bytearray(snapshot.log), range(snapshot.synced, snapshot.end)
        match rng.randrange(GARBAGE):
            case 0:  # a bit; several can cancel out in the sums of SQLite's log, high ones easily
                if tail:
                    log[rng.choice(tail)] ^= 1 << rng.randrange(8)
            case 1:  # sectors that never came
                for _ in range(rng.randint(1, 4)):
                    at = rng.choice(tail)
                    first = max(snapshot.synced, at - at % 512)
                    last = min(at - at % 512 + 512, snapshot.end)
                    log[first:last] = bytes(last - first)
            case 2:  # something else from some byte on
                at = rng.choice(tail)
                log[at:] = rng.randbytes(len(log) - at)
            case _:  # more than there was
                log = log[: snapshot.end] + rng.randbytes(rng.randint(1, 2 * snapshot.page))
        self.check(snapshot, bytes(log), snapshot.acknowledged(snapshot.synced))


def cuts(
    snapshots: Sequence[Snapshot], n: int, rng: random.Random
) -> Iterator[tuple[Snapshot, int]]:
    """Yield where to cut: each byte after a sync first, then any byte of any copy."""
    tail = min(snapshots, key=lambda s: s.end - s.synced)
    for at in range(tail.synced, tail.end + 1)[: n // 2]:
        yield tail, at
        n -= 1
    for _ in range(n):
        snapshot = rng.choice(snapshots)
        yield snapshot, rng.randint(0, len(snapshot.log))


def run(n: int, seed: object, *, commits: int = 200, every: bool = False) -> Counter[str]:
    """Cut n times and damage half as often; return the figures.

    Raises:
        AssertionError: One was not mended; the text tells which.
    """
    rng = random.Random(f"cuts {seed}")
    counts: Counter[str] = Counter()
    kinds = ((SMALL_PAGE, 0), (SMALL_PAGE, 100), (LARGE_PAGE, 0), (LARGE_PAGE, 40))
    for page, checkpoint in kinds:
        folder = Path(tempfile.mkdtemp())
        try:
            made = make(
                folder, seed, page=page, checkpoint=checkpoint, commits=commits, every=commits // 8
            )
        finally:
            shutil.rmtree(folder)
        cutter = Cutter(made, counts)
        counts["copies"] += len(made.snapshots)
        counts["bytes of logs"] += sum(len(s.log) for s in made.snapshots)
        wanted = list(cuts(made.snapshots, n // len(kinds), rng))
        if every:
            wanted = [(s, at) for s in made.snapshots for at in range(s.synced, s.end + 1)]
        for snapshot, at in wanted:
            with _told(f"{snapshot} cut at {at}"):
                cutter.cut(snapshot, at)
        for _ in range(n // len(kinds) // 2):
            snapshot = rng.choice(made.snapshots)
            with _told(f"{snapshot} damaged"):
                cutter.damage(snapshot, rng)
    return counts


@contextmanager
def _told(what: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise AssertionError(f"{what}: {type(error).__name__}: {error}") from error


def main(arguments: Sequence[str] | None = None) -> int:
    """Cut, and print how it went."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cuts", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--commits", type=int, default=200)
    parser.add_argument("--every", action="store_true")
    chosen = parser.parse_args(arguments)
    begun = time.perf_counter()
    try:
        counts = run(chosen.cuts, chosen.seed, commits=chosen.commits, every=chosen.every)
    except AssertionError as error:
        print(f"seed {chosen.seed}: {error}")
        return 1
    seconds = time.perf_counter() - begun
    told = ", ".join(f"{n} {what}" for what, n in counts.items())
    print(f"0 failed: {told}; {seconds:.0f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
