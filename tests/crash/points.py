"""Named points at which a server process kills itself. Only the starter arms them.

Each is a wrapper around a function of the server: at its n-th call from then on the process sends
itself SIGKILL, so nothing more of it happens. The server itself knows nothing of this.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from kaguraden_server import recovery
from kaguraden_server.connection import Connection
from kaguraden_server.journal import store
from kaguraden_server.journal.writer import Journal
from kaguraden_server.lobby import Lobby
from kaguraden_server.room import Room

__all__ = ["POINTS", "arm"]

AUTOCHECKPOINT: Final = 6  # pages, so that there is a checkpoint every few commits


def arm(point: str, nth: int) -> None:
    """Have this process kill itself at the n-th time that it comes to a point."""
    POINTS[point](_Fuse(nth))


class _Fuse:
    """Kills the process at its n-th spark."""

    def __init__(self, nth: int) -> None:
        self._left = nth

    def __call__(self) -> None:
        self._left -= 1
        if self._left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)


def _before(owner: Any, name: str, fuse: Callable[[], None]) -> None:
    wrapped = getattr(owner, name)

    def before(*args: Any, **kw: Any) -> Any:
        fuse()
        return wrapped(*args, **kw)

    setattr(owner, name, before)


def _after(owner: Any, name: str, fuse: Callable[[], None]) -> None:
    wrapped = getattr(owner, name)

    def after(*args: Any, **kw: Any) -> Any:
        result = wrapped(*args, **kw)
        fuse()
        return result

    setattr(owner, name, after)


class _Watched:
    """A connection to the file that burns the fuse before each COMMIT."""

    def __init__(self, connection: sqlite3.Connection, fuse: Callable[[], None]) -> None:
        self._connection = connection
        self._fuse = fuse

    def execute(self, statement: str) -> sqlite3.Cursor:
        if statement == "COMMIT":
            self._fuse()
        return self._connection.execute(statement)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def _inside_commit(fuse: Callable[[], None]) -> None:
    commit: Any = Journal.commit

    def inside(self: Journal, connection: Any, entries: Any) -> None:
        commit(self, _Watched(connection, fuse), entries)

    Journal.commit = inside  # type: ignore[method-assign]


def _checkpoint(fuse: Callable[[], None]) -> None:
    """Burn when the main file changes, which it does in a checkpoint alone."""
    connect = store.connect

    def small(path: Path, *, writes: bool) -> sqlite3.Connection:
        connection = connect(path, writes=writes)
        connection.execute(f"PRAGMA wal_autocheckpoint = {AUTOCHECKPOINT}")
        return connection

    store.connect = small
    opened = Lobby.open

    def then_watch(self: Lobby, room: Room) -> None:
        opened(self, room)
        if self.keeper.journal is not None:
            _watch(self.keeper.journal.folder / store.FILE, fuse)

    Lobby.open = then_watch  # type: ignore[method-assign]


_watchers: list[threading.Thread] = []


def _watch(file: Path, fuse: Callable[[], None]) -> None:
    if _watchers:
        return

    def watch() -> None:
        last = file.stat().st_mtime_ns
        while True:
            now = file.stat().st_mtime_ns
            if now != last:
                fuse()
                last = now

    sys.setswitchinterval(1e-4)
    thread = threading.Thread(target=watch, daemon=True)
    _watchers.append(thread)
    thread.start()


def _when_draining(arm_it: Callable[[], None]) -> None:
    _before(Lobby, "drain", arm_it)


def _drain_checkpoint(fuse: Callable[[], None]) -> None:
    """Burn while the whole log is put into the file at the end."""
    close: Any = Journal._close

    def then_close(self: Journal) -> None:
        _watch(self.folder / store.FILE, fuse)
        close(self)

    Journal._close = then_close  # type: ignore[method-assign]


POINTS: Final[Mapping[str, Callable[[Callable[[], None]], None]]] = {
    "before_commit": lambda fuse: _before(Journal, "commit", fuse),
    "inside_commit": _inside_commit,
    "after_commit": lambda fuse: _after(Journal, "commit", fuse),
    "before_update": lambda fuse: _before(Room, "publish", fuse),
    "after_update": lambda fuse: _after(Room, "publish", fuse),
    "before_reply": lambda fuse: _before(Connection, "_reply", fuse),
    "after_reply": lambda fuse: _after(Connection, "_reply", fuse),
    "checkpoint": _checkpoint,
    "drain_begins": lambda fuse: _before(Lobby, "drain", fuse),
    "drain_commit": lambda fuse: _when_draining(lambda: _after(Journal, "commit", fuse)),
    "drain_close": lambda fuse: _before(Journal, "_close", fuse),
    "drain_checkpoint": _drain_checkpoint,
    "recovery_file": lambda fuse: _after(store, "open_for_writing", fuse),
    "recovery_room": lambda fuse: _before(recovery, "_rebuild", fuse),
    "recovery_begins_commit": lambda fuse: _before(Journal, "commit", fuse),
    "recovery_ends_commit": lambda fuse: _after(Journal, "commit", fuse),
    "recovery_opens": lambda fuse: _after(Lobby, "open", fuse),
}
