"""The journal's storage: a real SQLite file, written by the real journal's code without its thread.

Commits take time, fail for a while, and now and then fail after the data was really written, so
that nobody knows. `lose_power` is the end of the process: what is in the file stays, and nothing
else; the next process gets a copy of it as it was, with a write-ahead log that nobody closed.
"""

from __future__ import annotations

import queue
import random
import shutil
import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

import trio
from attrs import define
from kaguraden_server.journal import store
from kaguraden_server.journal.entries import Entry
from kaguraden_server.journal.writer import Journal, _Job, _Write
from kaguraden_server.logs import Log

__all__ = ["Disk", "SimulatedJournal"]


@define(eq=False)
class Disk:
    """What the storage is like just now, and what has happened to it."""

    rng: random.Random
    folder: Path  # of the process that runs
    told: Callable[[Sequence[Entry]], None]  # of every commit that is in the file
    slow_s: float = 0.0  # the most that a commit takes
    failing: float = 0.0  # how likely a commit fails
    unsure: float = 0.0  # how likely one that is written is said to have failed
    errors: int = 0
    commits: int = 0
    dies_in: int | None = None  # commits; then the process ends, before or after the write
    _lives: int = 0

    def is_hit(self, likely: float) -> bool:
        """Tell whether something that is so likely happens now."""
        return likely > 0 and self.rng.random() < likely

    def heal(self) -> None:
        """Be as storage should be."""
        self.slow_s = self.failing = self.unsure = 0.0
        self.dies_in = None

    def next_life(self) -> None:
        """Give the next process the file as the last one left it."""
        self._lives += 1
        folder = self.folder.with_name(f"life-{self._lives}")
        folder.mkdir()
        for name in (store.FILE, f"{store.FILE}-wal"):
            if (self.folder / name).exists():
                shutil.copy(self.folder / name, folder / name)
        shutil.rmtree(self.folder)
        self.folder = folder


class _Queue:
    """What the writer's thread has a queue for."""

    def __init__(self) -> None:
        self._entries: deque[_Write | _Job | None] = deque()
        self._changed = trio.Event()

    def put(self, entry: _Write | _Job | None) -> None:
        self._entries.append(entry)
        self._changed.set()

    def get_nowait(self) -> _Write | _Job | None:
        if not self._entries:
            raise queue.Empty
        return self._entries.popleft()

    async def wait(self) -> None:
        while not self._entries:
            self._changed = trio.Event()
            await self._changed.wait()


class _Here:
    """What other threads have trio's token for."""

    def run_sync_soon(self, work: Callable[[], None]) -> None:
        work()


class SimulatedJournal(Journal):
    """The journal with a task in place of its thread."""

    def __init__(self, disk: Disk, log: Log, die: Callable[[str], None]) -> None:
        if disk.is_hit(disk.failing):
            disk.errors += 1
            raise sqlite3.OperationalError("cannot be opened now")
        super().__init__(disk.folder, store.Lock(disk.folder), log)
        self._disk = disk
        self._die = die
        setattr(self, "_queue", _Queue())  # noqa: B010 - in place of one for threads
        setattr(self, "_token", _Here())  # noqa: B010
        self._connection = store.open_for_writing(disk.folder)
        # What survives the end of a machine is another test's business.
        self._connection.execute("PRAGMA synchronous = OFF")
        self.next_number = store.next_number(self._connection)

    async def serve(self) -> None:
        """Do what the thread does."""
        disk = self._disk
        waiting: _Queue = getattr(self, "_queue")  # noqa: B009
        while True:
            await waiting.wait()
            if disk.slow_s:
                await trio.sleep(disk.rng.uniform(0, disk.slow_s))
            entry = waiting.get_nowait()
            if isinstance(entry, _Job):
                self._do(entry)
                continue
            if entry is None:
                return
            if disk.dies_in is not None:
                disk.dies_in -= 1
                if disk.dies_in < 0 and disk.rng.random() < 0.5:
                    await self._end("before a commit")
            group, after = self._gather(entry)
            self._commit(group)
            if isinstance(after, _Job):
                self._do(after)

    def commit(self, connection: sqlite3.Connection, entries: Sequence[Entry]) -> None:
        """Write entries, or fail to."""
        disk = self._disk
        if disk.is_hit(disk.failing):
            disk.errors += 1
            raise sqlite3.OperationalError("disk full")
        super().commit(connection, entries)
        disk.commits += 1
        disk.told(entries)
        if disk.dies_in is not None and disk.dies_in < 0:
            self._die("after a commit")
        if disk.is_hit(disk.unsure):
            disk.errors += 1
            raise sqlite3.OperationalError("disk I/O error")

    async def _end(self, where: str) -> None:
        self._die(where)
        await trio.sleep_forever()  # nothing of a process that has ended goes on

    def lose_power(self) -> None:
        """End: the file stays as it is."""
        self._disk.next_life()
        self.close()

    def close(self) -> None:
        """End in order."""
        self._close()
        self._lock.release()
