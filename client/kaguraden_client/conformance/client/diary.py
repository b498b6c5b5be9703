"""What a client under test did, for the clauses to judge."""

from __future__ import annotations

from typing import Any

from attrs import define, field, frozen

from ..clause import clip
from ..texts import Json

__all__ = ["Beat", "Came", "Diary", "Fault", "Link"]


@frozen
class Fault:
    """Something that a client must not do. `kind` is the clause that says so, without `C-`."""

    kind: str
    expected: str
    came: str
    sent: str = ""


@frozen
class Came:
    """A request, when it came, and on which connection."""

    at: float
    link: int
    request: Json


@define(eq=False)
class Link:
    """One connection: how it began, and how it ended."""

    number: int
    offered: tuple[str, ...]
    is_resumed: bool = False
    hello_at: float | None = None
    told_seq: int = 0  # the last number told here
    synced: list[int | None] = field(factory=list)  # the `seq` of each `sync`; None without
    ended_by: str = ""  # "client" or "server"
    code: int | None = None
    seen_before: int = 0  # the last number that the client has surely seen when it came back


@define(eq=False)
class Beat:
    """One scene of the script. `facts` are what a clause about it looks at."""

    name: str
    is_answered: bool = False  # the client went on
    is_done: bool = False  # the scene is over
    facts: dict[str, Any] = field(factory=dict)


@define(eq=False)
class Diary:
    """All of it."""

    links: list[Link] = field(factory=list)
    requests: list[Came] = field(factory=list)
    beats: dict[str, Beat] = field(factory=dict)
    frames: int = 0
    size: int = 0  # of all frames, in characters
    faults: dict[str, Fault] = field(factory=dict)  # the first of each kind
    is_started: bool = False
    is_over: bool = False  # the outcome was told
    is_gone: bool = False  # the client did not come back
    is_slow: bool = False  # the time ran out, or it answered nothing any more
    capabilities: tuple[str, ...] = ()

    def of(self, kind: str) -> list[Came]:
        """Return the requests of a type."""
        return [came for came in self.requests if came.request.get("type") == kind]

    def fault(self, kind: str, expected: str, came: object, sent: object = "") -> None:
        """Note something that must not be, if it is the first of its kind."""
        self.faults.setdefault(kind, Fault(kind, expected, clip(came), clip(sent)))
