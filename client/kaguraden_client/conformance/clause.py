"""What the kit asks of a server or a client, one by one.

A clause is a sentence of protocol/README.md that can be tried, with a function that tries it. The
function returns if it holds and raises `Failed` or `Skipped` if not. The texts are in Japanese and in
English; what was sent, expected and got is for developers and in the words of the protocol.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import Any, Final, Generic, TypeVar

from attrs import define, field, frozen

__all__ = ["Clause", "Failed", "Level", "Registry", "Result", "Skipped", "Verdict", "clip"]

MAX_SHOWN: Final = 600  # characters of a message in a report

F = TypeVar("F")


class Level(enum.StrEnum):
    """What RFC 2119 calls it."""

    MUST = "must"
    SHOULD = "should"


class Verdict(enum.StrEnum):
    """What came of a clause."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_DONE = "not done"  # a `SHOULD` that does not hold: allowed
    SKIPPED = "skipped"  # it could not be tried


class Failed(Exception):
    """A clause does not hold: after `sent`, `expected` should have come, and `came` came."""

    def __init__(self, expected: str, came: object, sent: object = "") -> None:
        self.sent = clip(sent)
        self.expected = expected
        self.came = clip(came)
        super().__init__(f"expected {expected}; came {self.came}")


class Skipped(Exception):
    """A clause cannot be tried here."""

    def __init__(self, ja: str, en: str) -> None:
        self.ja = ja
        self.en = en
        super().__init__(en)


def clip(value: object) -> str:
    """Return a text for a report, not too long."""
    text = str(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}… ({len(text)})"


@frozen
class Clause(Generic[F]):
    """One clause. `section` is that of protocol/README.md; `seconds` is the most it may take."""

    id: str
    section: int
    ja: str
    en: str
    try_it: F
    level: Level = Level.MUST
    seconds: float = 30.0


@frozen
class Result:
    """What came of one clause, and the details if it failed or was skipped."""

    clause: Clause[Any]
    verdict: Verdict
    seconds: float = 0.0
    sent: str = ""
    expected: str = ""
    came: str = ""
    why: tuple[str, str] = ("", "")  # ja, en: why it was skipped


@define
class Registry(Generic[F]):
    """Clauses by their ids."""

    prefix: str
    _clauses: dict[str, Clause[F]] = field(factory=dict)

    @property
    def clauses(self) -> Mapping[str, Clause[F]]:
        """All of them, by the sections of the specification."""
        return dict(sorted(self._clauses.items(), key=lambda entry: entry[1].section))

    def clause(
        self,
        name: str,
        section: int,
        *,
        ja: str,
        en: str,
        level: Level = Level.MUST,
        seconds: float = 30.0,
    ) -> Callable[[F], F]:
        """Enter the function below as a clause.

        Raises:
            ValueError: There is one of this name.
        """
        key = f"{self.prefix}-{name}"
        if key in self._clauses:
            raise ValueError(f"{key} is there twice")

        def enter(try_it: F) -> F:
            self._clauses[key] = Clause(key, section, ja, en, try_it, level, seconds)
            return try_it

        return enter
