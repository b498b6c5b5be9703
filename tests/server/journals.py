"""A journal without a thread: on a clock that jumps, nothing may wait for one.

The file is a real one, and so is every commit; only the group commit of many rooms is not there.
`drop` is what the end of the process does to it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import trio
from kaguraden_server.journal import store
from kaguraden_server.journal.entries import Entry
from kaguraden_server.journal.writer import Journal, StorageDown, Work
from kaguraden_server.logs import Log

__all__ = ["InlineJournal", "SlowJournal"]


class InlineJournal(Journal):
    """Commits in the task that writes."""

    def __init__(self, folder: Path, log: Log | None = None) -> None:
        super().__init__(folder, store.Lock(folder), log or Log())
        self._connection = store.open_for_writing(folder)
        self.next_number = store.next_number(self._connection)
        self.fault: sqlite3.Error | None = None  # what every commit fails with
        self.commits = 0

    async def write(self, *entries: Entry) -> None:
        await trio.lowlevel.checkpoint()
        if entries:
            self._try(lambda connection: self.commit(connection, entries))

    async def run(self, work: Work) -> Any:
        await trio.lowlevel.checkpoint()
        return self._try(work)

    def commit(self, connection: sqlite3.Connection, entries: Sequence[Entry]) -> None:
        if self.fault is not None:
            raise self.fault
        super().commit(connection, entries)
        self.commits += 1

    def _try(self, work: Work) -> Any:
        try:
            result = work(self._opened())
        except sqlite3.Error as error:
            self._give_up()
            self._is_down = True
            raise StorageDown("SQLITE_TEST") from error
        self._is_down = False
        return result

    def drop(self) -> None:
        """End as a killed process does: nothing is written any more, and the lock is free."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
        self._lock.release()


class SlowJournal(InlineJournal):
    """A journal whose commits take a second."""

    async def write(self, *entries: Entry) -> None:
        await trio.sleep(1 if entries else 0)
        await super().write(*entries)
