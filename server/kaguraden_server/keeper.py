"""Who writes the journal for the house: everything durable goes through here.

Without a data folder there is no journal: rooms then live as long as the process, and keeping
something costs nothing.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import trio
from kaguraden_protocol.errors import ErrorCode, RefusedError

from .counts import COMMITS_S, Durations
from .journal.writer import StorageDown

if TYPE_CHECKING:
    from .journal.entries import Entry
    from .journal.writer import Journal

__all__ = ["RETRY_S", "Keeper"]

RETRY_S = 1.0  # before something that could not be written is tried again


class Keeper:
    """The journal of a house, if it has one, and the wall clock that it is written by."""

    def __init__(
        self, journal: Journal | None = None, wall: Callable[[], float] = time.time
    ) -> None:
        self.journal = journal
        self._wall = wall
        self.commits = Durations(COMMITS_S)  # how long they took
        self._numbers = itertools.count(1 if journal is None else journal.next_number)

    def wall_ms(self) -> int:
        """Return the time by the wall clock, in milliseconds since 1970."""
        return round(self._wall() * 1000)

    def new_number(self) -> int:
        """Return a number for a new room."""
        return next(self._numbers)

    async def keep(self, *entries: Entry) -> None:
        """Return when the entries are durable.

        Raises:
            RefusedError: They may not be: `unavailable`.
        """
        if self.journal is None:
            await trio.lowlevel.checkpoint()
            return
        begun = trio.current_time()
        try:
            await self.journal.write(*entries)
        except StorageDown:
            raise RefusedError(ErrorCode.UNAVAILABLE) from None
        if entries:
            self.commits.note(trio.current_time() - begun)

    async def keep_sometime(self, *entries: Entry) -> None:
        """Write entries that nobody waits for, again and again until they are durable."""
        while True:
            try:
                return await self.keep(*entries)
            except RefusedError:
                await trio.sleep(RETRY_S)
