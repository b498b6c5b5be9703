"""What is written to the journal: one class for each kind, one row for each entry.

Entries are whole: a user or a room is written anew when it changed, a step of a game is added.
Writing the same step again replaces it, which happens only where the first was never acknowledged.
Documents are JSON text. Times are milliseconds since 1970 by the wall clock.
"""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from attrs import frozen

__all__ = [
    "Entry",
    "LineSaid",
    "RoomClosed",
    "RoomKept",
    "RoomLost",
    "StepTaken",
    "UserGone",
    "UserKept",
]


@frozen
class UserKept:
    """A user, with the hashes of its tokens."""

    SQL: ClassVar[str] = "INSERT OR REPLACE INTO users (id, seen_ms, doc) VALUES (?, ?, ?)"

    id: str
    seen_ms: int
    doc: str


@frozen
class UserGone:
    """A user who is forgotten."""

    SQL: ClassVar[str] = "DELETE FROM users WHERE id = ?"

    id: str


@frozen
class RoomKept:
    """A room: who is in it, its options, its secret seed; not the moves of its game.

    `number` is the room's for ever; a code may be used again by another room later.
    """

    SQL: ClassVar[str] = (
        "INSERT INTO rooms (number, code, game, rules, phase, opened_ms, doc)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (number) DO UPDATE SET phase = excluded.phase, doc = excluded.doc"
    )

    number: int
    code: str
    game: str
    rules: str
    phase: str
    opened_ms: int
    doc: str


@frozen
class RoomClosed:
    """A room that is no more. Its game can still be read until it is deleted by age."""

    SQL: ClassVar[str] = "UPDATE rooms SET closed_ms = ?, reason = ? WHERE number = ?"

    closed_ms: int
    reason: str
    number: int


@frozen
class RoomLost:
    """A room that could not be rebuilt: it is kept as it is for who looks into it."""

    SQL: ClassVar[str] = "UPDATE rooms SET closed_ms = ?, lost = ? WHERE number = ?"

    closed_ms: int
    why: str
    number: int


@frozen
class StepTaken:
    """A step of a room's game, from 0, the deal.

    `inputs` are the lines of `records`; `after` tells what the rules do not: the numbers of the
    viewers' streams, the clocks and whose answer it was. `digest` is the SHA-256 of the position in
    hexadecimal, at every so many steps.
    """

    SQL: ClassVar[str] = (
        "INSERT OR REPLACE INTO steps (room, n, at_ms, inputs, after, digest)"
        " VALUES (?, ?, ?, ?, ?, ?)"
    )

    room: int
    n: int
    at_ms: int
    inputs: str
    after: str
    digest: str | None


@frozen
class LineSaid:
    """A line of chat."""

    SQL: ClassVar[str] = "INSERT OR REPLACE INTO chat (room, n, at_ms, doc) VALUES (?, ?, ?, ?)"

    room: int
    n: int
    at_ms: int
    doc: str


Entry: TypeAlias = UserKept | UserGone | RoomKept | RoomClosed | RoomLost | StepTaken | LineSaid
