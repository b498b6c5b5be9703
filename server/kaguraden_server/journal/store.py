"""The file of the journal: its layout, its versions, and what is read from it.

`DIR/journal.sqlite3` is in WAL mode with `synchronous=FULL`, so what a commit returned from survives
the end of the process and of the machine. Only one server writes: it holds a lock on
`DIR/journal.lock`. Others may read meanwhile.

The number of the layout is SQLite's `user_version`. An older file is brought up to date when a
server opens it; a newer one is refused.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from attrs import frozen

from .entries import LineSaid, StepTaken, UserKept

__all__ = [
    "FILE",
    "VERSION",
    "JournalError",
    "Lock",
    "RoomRow",
    "chat_of",
    "connect",
    "copy",
    "forget_closed",
    "next_number",
    "open_for_writing",
    "open_rooms",
    "read_only",
    "room_rows",
    "size_of",
    "steps_of",
    "users",
]

FILE: Final = "journal.sqlite3"
LOCK_FILE: Final = "journal.lock"
APPLICATION_ID: Final = 0x4B475244  # "KGRD"
BUSY_S: Final = 1.0  # how long another program's lock is waited for
COPY_PAGES: Final = 1_024  # at a time: 4 MiB

# One script a version; the last is the newest. A script runs in one transaction.
MIGRATIONS: Final[Sequence[str]] = (
    """
    CREATE TABLE users (id TEXT PRIMARY KEY, seen_ms INTEGER NOT NULL, doc TEXT NOT NULL);
    CREATE TABLE rooms (
        number INTEGER PRIMARY KEY, code TEXT NOT NULL, game TEXT NOT NULL, rules TEXT NOT NULL,
        phase TEXT NOT NULL, opened_ms INTEGER NOT NULL, doc TEXT NOT NULL,
        closed_ms INTEGER, reason TEXT, lost TEXT
    );
    CREATE INDEX rooms_closed ON rooms (closed_ms);
    CREATE TABLE steps (
        room INTEGER NOT NULL, n INTEGER NOT NULL, at_ms INTEGER NOT NULL,
        inputs TEXT NOT NULL, after TEXT NOT NULL, digest TEXT, PRIMARY KEY (room, n)
    ) WITHOUT ROWID;
    CREATE TABLE chat (
        room INTEGER NOT NULL, n INTEGER NOT NULL, at_ms INTEGER NOT NULL, doc TEXT NOT NULL,
        PRIMARY KEY (room, n)
    ) WITHOUT ROWID;
    """,
)
VERSION: Final = len(MIGRATIONS)


class JournalError(Exception):
    """The journal cannot be used; the text says why, and what to do."""


@frozen
class RoomRow:
    """A room as it was last written. `lost` says why it could not be rebuilt."""

    number: int
    code: str
    game: str
    rules: str
    phase: str
    opened_ms: int
    doc: str
    closed_ms: int | None
    reason: str | None
    lost: str | None


class Lock:
    """The right to write a journal; the system takes it back when the process ends.

    Raises:
        JournalError: Another server has it.
    """

    def __init__(self, folder: Path) -> None:
        self._file = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._file)
            raise JournalError(f"another server uses the journal in {folder}") from None

    def release(self) -> None:
        """Give it back."""
        os.close(self._file)


def connect(path: Path, *, writes: bool) -> sqlite3.Connection:
    """Open the file, without a look at what is in it.

    Raises:
        sqlite3.Error: It cannot be opened.
    """
    mode = "rw" if writes else "ro"
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_S,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.text_factory = _text
    try:
        if writes:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    return connection


def _text(data: bytes) -> str | bytes:
    """Return a text, or its bytes where it is damaged: that is for whoever reads the row to tell.

    SQLite's own error would end the reading of all rows, and quote what may be secret.
    """
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def open_for_writing(folder: Path) -> sqlite3.Connection:
    """Open the journal of a data folder, made or brought up to date as need be.

    Raises:
        JournalError: It is of a newer version, damaged or no journal.
        sqlite3.Error: It cannot be opened now.
    """
    path = folder / FILE
    if not path.exists():
        log = path.with_name(f"{FILE}-wal")
        if log.exists():  # SQLite would take it for the new file's
            raise JournalError(f"{log} is there without {path}; restore that, or move both away")
        _make(folder)
    try:
        _refuse_empty(path)
        connection = connect(path, writes=True)
        try:
            _check_version(connection, path)
            _migrate(connection)
        except BaseException:
            connection.close()
            raise
    except sqlite3.DatabaseError as error:
        raise _unusable(path, error) from error
    return connection


def _make(folder: Path) -> None:
    """Make a journal under another name, so that there is never half of one."""
    path = folder / f"{FILE}.new"
    path.unlink(missing_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # it holds secrets
    connection = connect(path, writes=True)
    try:
        _migrate(connection)
    finally:
        connection.close()
    path.rename(folder / FILE)
    _sync(folder)


def read_only(folder: Path) -> sqlite3.Connection:
    """Open the journal of a data folder to read it; a server may be writing meanwhile.

    Raises:
        JournalError: There is none, or it is of another version, damaged or no journal.
    """
    path = folder / FILE
    if not path.exists():
        raise JournalError(f"there is no journal in {folder}")
    try:
        _refuse_empty(path)
        connection = connect(path, writes=False)
        try:
            version = _check_version(connection, path)
        except BaseException:
            connection.close()
            raise
    except sqlite3.DatabaseError as error:
        raise _unusable(path, error) from error
    if version < VERSION:
        connection.close()
        raise JournalError(f"{path} is of version {version}; start the server once to renew it")
    return connection


def _unusable(path: Path, error: sqlite3.DatabaseError) -> Exception:
    """Return an error that will not pass by itself in plain words, any other as it is."""
    if isinstance(error, sqlite3.OperationalError):
        return error
    return JournalError(
        f"{path} is damaged or no journal ({error}); move it and its -wal away, or restore both"
    )


def _refuse_empty(path: Path) -> None:
    if path.stat().st_size == 0:  # SQLite would take it for a new one
        raise sqlite3.DatabaseError("the file is empty")


def _check_version(connection: sqlite3.Connection, path: Path) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (kind,) = connection.execute("PRAGMA application_id").fetchone()
    if kind != APPLICATION_ID:
        raise JournalError(f"{path} belongs to another program")
    if version > VERSION:
        raise JournalError(
            f"{path} is of version {version}, and this program knows up to {VERSION}; "
            "use the newer program, or another data folder"
        )
    return int(version)


def _migrate(connection: sqlite3.Connection) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    for number, script in enumerate(MIGRATIONS[version:], version + 1):
        connection.executescript(
            f"BEGIN IMMEDIATE; {script}; PRAGMA application_id = {APPLICATION_ID};"
            f" PRAGMA user_version = {number}; COMMIT;"
        )


def copy(folder: Path, to: Path, go_on: Callable[[], None] = lambda: None) -> int:
    """Copy the journal of a data folder into a new file, as it is after one commit or another.

    A server may be writing meanwhile and does not wait. The file holds secrets, as the journal does.

    Args:
        folder: The data folder.
        to: The file.
        go_on: Called now and then; what it raises ends the copying, and nothing is left of it.

    Returns:
        The size of the file in bytes.

    Raises:
        FileExistsError: There is one of this name.
        OSError, sqlite3.Error: It cannot be written.
    """
    if to.exists():
        raise FileExistsError(to)
    handle, name = tempfile.mkstemp(dir=to.parent, prefix=".snapshot-")  # mode 0600, and its own
    os.close(handle)
    part = Path(name)
    try:
        with (
            closing(connect(folder / FILE, writes=False)) as source,
            closing(sqlite3.connect(part)) as target,
        ):
            source.execute("BEGIN")
            source.execute("SELECT 1 FROM sqlite_schema").fetchone()  # from here on of one moment
            source.backup(target, pages=COPY_PAGES, progress=lambda *_: go_on())
        _sync(part)
        part.rename(to)
    finally:
        part.unlink(missing_ok=True)
    _sync(to.parent)
    return to.stat().st_size


def _sync(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def size_of(folder: Path) -> int:
    """Return how many bytes the journal of a data folder takes, its log included.

    Raises:
        OSError: There is none.
    """
    path = folder / FILE
    log = path.with_name(f"{FILE}-wal")
    return path.stat().st_size + (log.stat().st_size if log.exists() else 0)


# --- reading -------------------------------------------------------------------------------------

_ROOM: Final = "number, code, game, rules, phase, opened_ms, doc, closed_ms, reason, lost"


def users(connection: sqlite3.Connection) -> Iterator[UserKept]:
    """Yield all users."""
    for row in connection.execute("SELECT id, seen_ms, doc FROM users ORDER BY id"):
        yield UserKept(*row)


def open_rooms(connection: sqlite3.Connection) -> list[RoomRow]:
    """Return the rooms that were not closed."""
    query = f"SELECT {_ROOM} FROM rooms WHERE closed_ms IS NULL ORDER BY number"  # noqa: S608
    return [RoomRow(*row) for row in connection.execute(query)]


def room_rows(connection: sqlite3.Connection, code: str | None = None) -> Iterator[RoomRow]:
    """Yield all rooms, or those that had a code, the oldest first."""
    query = f"SELECT {_ROOM} FROM rooms WHERE ?1 IS NULL OR code = ?1 ORDER BY number"  # noqa: S608
    for row in connection.execute(query, (code,)):
        yield RoomRow(*row)


def steps_of(connection: sqlite3.Connection, room: int) -> list[StepTaken]:
    """Return the steps of a room's game, in order."""
    query = "SELECT room, n, at_ms, inputs, after, digest FROM steps WHERE room = ? ORDER BY n"
    return [StepTaken(*row) for row in connection.execute(query, (room,))]


def chat_of(connection: sqlite3.Connection, room: int, most: int) -> list[LineSaid]:
    """Return the last lines of a room's chat, in order."""
    query = "SELECT room, n, at_ms, doc FROM chat WHERE room = ? ORDER BY n DESC LIMIT ?"
    return [LineSaid(*row) for row in connection.execute(query, (room, most))][::-1]


def next_number(connection: sqlite3.Connection) -> int:
    """Return the number that the next new room gets."""
    (last,) = connection.execute("SELECT coalesce(max(number), 0) FROM rooms").fetchone()
    return int(last) + 1


def forget_closed(
    connection: sqlite3.Connection, *, days: int, most: int, at_once: int = -1
) -> int:
    """Delete rooms that were closed long ago, or beyond a number, with all that is theirs.

    Args:
        connection: A journal opened for writing.
        days: How long a closed room is kept.
        most: How many of the newest closed ones are kept.
        at_once: How many are deleted at most; all if it is negative.

    Returns:
        How many were deleted.
    """
    before = round((time.time() - days * 86_400) * 1000)
    query = (
        "SELECT number FROM rooms WHERE closed_ms < ? UNION SELECT number FROM"
        " (SELECT number FROM rooms WHERE closed_ms IS NOT NULL"
        " ORDER BY closed_ms DESC LIMIT -1 OFFSET ?) LIMIT ?"
    )
    numbers = [(number,) for (number,) in connection.execute(query, (before, most, at_once))]
    connection.execute("BEGIN IMMEDIATE")
    try:
        for table, column in (("steps", "room"), ("chat", "room"), ("rooms", "number")):
            connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", numbers)  # noqa: S608
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    return len(numbers)
