"""How a bot chooses: a policy sees what its seat sees, and picks one of the listed options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias, runtime_checkable

from attrs import frozen
from kaguraden_protocol.messages import Decision, Value

from ..table import Json, Table
from ..values import any_value, usable

__all__ = ["Catalog", "Choice", "Play", "Policy", "SlowPolicy", "any_value", "by_view", "usable"]

Catalog: TypeAlias = Mapping[str, Json]  # card id to its entry, as in the reply to `catalog`


@frozen
class Choice:
    """An option of a decision, and the value that it takes."""

    option: str
    value: Value = None


class Policy(Protocol):
    """A way to play."""

    def decide(self, table: Table, decision: Decision, catalog: Catalog) -> Choice | None:
        """Return the answer, or None to leave it to the clock."""


@runtime_checkable
class SlowPolicy(Protocol):
    """A way to play that may think for long.

    Where `is_slow` says so, `decide` is called in another thread, with a table of its own that does
    not change meanwhile. It must touch nothing else that does.
    """

    def decide(self, table: Table, decision: Decision, catalog: Catalog) -> Choice | None:
        """Return the answer, or None to leave it to the clock."""

    def is_slow(self, table: Table) -> bool:
        """Tell whether an answer takes long enough to keep others waiting."""


Play: TypeAlias = Callable[[Table, Decision, Catalog], "tuple[str, Value] | None"]
"""How a player of one game answers: an option's id and its value, or None for no answer."""


def by_view(
    choose: Callable[[Mapping[str, Json], Decision, Catalog], tuple[str, Value] | None],
) -> Play:
    """Return a player that goes by the view alone."""
    return lambda table, decision, catalog: choose(table.view, decision, catalog)
