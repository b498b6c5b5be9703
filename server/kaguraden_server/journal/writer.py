"""The journal's writer: one thread that commits what everybody wrote since its last commit.

Rooms and connections wait in `write` until their entries are on the disk; nothing that the entries
tell of leaves the server before. While a commit is under way more entries gather, and the next
commit takes them all, so a hundred rooms cost hardly more than one.

Who was in a commit that failed gets `StorageDown`, and the next write is a new attempt, with the
file opened anew. So the journal heals by itself when its disk does. Where it was one write that
could not be made, not the file, the others of its commit are made without it.

Failed means: not as far as is known. A disk that fails while it makes a commit durable may have it
all the same, so whoever was told so writes the whole of what holds with the next entry.
"""

from __future__ import annotations

import os
import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs
import trio
from attrs import define, field

from . import store
from .entries import Entry

if TYPE_CHECKING:
    from kaguraden_server.logs import Log

__all__ = ["Journal", "StorageDown"]

GROUP: Final = 512  # writes in one commit
QUIET_S: Final = 60.0  # a file that comes and goes is complained of once in this time


class StorageDown(Exception):
    """The journal cannot be written now. `why` is SQLite's name for the fault."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@define(eq=False)
class _Write:
    """What somebody waits for."""

    entries: Sequence[Entry]
    done: trio.Event = field(factory=trio.Event)
    failed: str | None = None


Work = Callable[[sqlite3.Connection], Any]


@define(eq=False)
class _Job:
    """Something else to be done with the file, between two commits."""

    work: Work
    done: trio.Event = field(factory=trio.Event)
    result: Any = None
    failed: str | None = None


class Journal:
    """The journal of a server; made by `open_journal`, used from trio's thread alone."""

    def __init__(self, folder: Path, lock: store.Lock, log: Log) -> None:
        self.folder = folder
        self._lock = lock
        self._log = log
        self._connection: sqlite3.Connection | None = None
        self._token = trio.lowlevel.current_trio_token()
        self._queue: queue.SimpleQueue[_Write | _Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
        self._inode: int | None = None  # of the file, since the first commit
        self._is_down = False
        self._told_at: float | None = None  # when it was told that the file is down
        self._is_told = False  # and not yet that it healed
        self.next_number = 1  # of the next new room

    @classmethod
    async def open(cls, folder: Path, log: Log) -> Journal:
        """Open the journal of a data folder.

        Raises:
            JournalError: It cannot be used, or another server uses it.
            OSError, sqlite3.Error: It cannot be opened.
        """
        journal = cls(folder, store.Lock(folder), log)
        try:
            journal._connection = await trio.to_thread.run_sync(store.open_for_writing, folder)
            journal.next_number = store.next_number(journal._connection)
        except BaseException:
            journal._lock.release()
            raise
        journal._thread.start()
        return journal

    @property
    def is_down(self) -> bool:
        """Tell whether the last commit failed."""
        return self._is_down

    async def write(self, *entries: Entry) -> None:
        """Return when the entries are durable, all of them or none.

        Cancelling does not undo what is on its way.

        Raises:
            StorageDown: They are not, as far as is known.
        """
        if not entries:
            await trio.lowlevel.checkpoint()
            return
        write = _Write(entries)
        self._queue.put(write)
        await write.done.wait()
        if write.failed is not None:
            raise StorageDown(write.failed)

    async def run(self, work: Work) -> Any:  # noqa: ANN401 - whatever the work returns
        """Do something with the file in the writer's thread; return what it returned.

        Raises:
            StorageDown: It could not be done.
        """
        job = _Job(work)
        self._queue.put(job)
        await job.done.wait()
        if job.failed is not None:
            raise StorageDown(job.failed)
        return job.result

    async def aclose(self) -> None:
        """Commit what is on its way, and close the file."""
        self._queue.put(None)
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(self._thread.join)
        self._lock.release()

    # --- the thread ------------------------------------------------------------------------------

    def _work(self) -> None:
        while (entry := self._queue.get()) is not None:
            if isinstance(entry, _Job):
                self._do(entry)
                continue
            group, after = self._gather(entry)
            self._commit(group)
            if isinstance(after, _Job):
                self._do(after)
            elif after is _END:
                break
        self._close()

    def _gather(self, first: _Write) -> tuple[list[_Write], _Job | object | None]:
        """Return the writes that wait, and what came after them that is none."""
        group = [first]
        with suppress(queue.Empty):
            while len(group) < GROUP:
                entry = self._queue.get_nowait()
                if not isinstance(entry, _Write):
                    return group, _END if entry is None else entry
                group.append(entry)
        return group, None

    def _commit(self, group: list[_Write]) -> None:
        failed: str | None = None
        try:
            self.commit(self._opened(), [entry for write in group for entry in write.entries])
        except Exception as error:
            self._give_up()
            if len(group) > 1 and not isinstance(error, sqlite3.OperationalError):
                for write in group:
                    self._commit([write])
                return
            failed = _name_of(error)
        self._tell(group, failed)

    def commit(self, connection: sqlite3.Connection, entries: Sequence[Entry]) -> None:
        """Write entries and make them durable, in the writer's thread.

        Raises:
            OSError: The file is gone or another one, so what is in the one that is open is lost.
            sqlite3.Error: They cannot be written.
        """
        connection.execute("BEGIN IMMEDIATE")
        for statement, same in groupby(entries, key=lambda entry: entry.SQL):
            connection.executemany(statement, [attrs.astuple(entry) for entry in same])
        connection.execute("COMMIT")
        here = os.stat(self.folder / store.FILE).st_ino
        if self._inode not in (None, here):
            raise FileNotFoundError("the journal was replaced")
        self._inode = here

    def _do(self, job: _Job) -> None:
        try:
            job.result = job.work(self._opened())
        except Exception as error:
            job.failed = _name_of(error)
            self._give_up()
        self._tell([job], job.failed)

    def _tell(self, group: Sequence[_Write | _Job], failed: str | None) -> None:
        def tell() -> None:
            self._note(failed)
            for write in group:
                write.failed = failed
                write.done.set()

        with suppress(trio.RunFinishedError):
            self._token.run_sync_soon(tell)

    def _note(self, failed: str | None) -> None:
        """Tell of a change, in trio's thread."""
        if (failed is not None) == self._is_down:
            return
        self._is_down = failed is not None
        now = trio.current_time()
        if failed is None:
            if self._is_told:
                self._log.warning("journal_healed")
            self._is_told = False
        elif self._told_at is None or now - self._told_at >= QUIET_S:
            self._log.error("journal_down", why=failed)
            self._told_at, self._is_told = now, True

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = store.connect(self.folder / store.FILE, writes=True)
        return self._connection

    def _give_up(self) -> None:
        """Close the file, whatever state it is in; the next write opens it anew."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.rollback()
            with suppress(sqlite3.Error):
                connection.close()

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            with suppress(sqlite3.Error):
                connection.close()


_END: Final = object()


def _name_of(error: Exception) -> str:
    """Return SQLite's name of a fault, such as `SQLITE_FULL`; its text may quote what was written."""
    return getattr(error, "sqlite_errorname", type(error).__name__)
