"""From what the rules refuse to what is told about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kaguraden_protocol.errors import ErrorCode, RefusedError
from kaguraden_protocol.limits import MAX_PROBLEMS
from kaguraden_rules.kernel import (
    BadDeck,
    BadOptions,
    BadValue,
    Decision,
    Problem,
    RuleError,
    Stale,
)
from kaguraden_rules.kernel import describe as describe_value

if TYPE_CHECKING:
    from kaguraden_protocol.messages import Json

__all__ = ["bad_field", "refusal"]


def refusal(error: RuleError, decision: Decision | None = None, option: str = "") -> RefusedError:
    """Return the refusal that tells the asker, and nobody else, what the rules said.

    Args:
        error: What the rules raised.
        decision: The asker's own open decision, if it has one.
        option: The option that it chose.
    """
    details: dict[str, Json] = {}
    match error:
        case BadOptions():
            details["problems"] = _told(error.problems[:MAX_PROBLEMS])
        case BadDeck():  # one for each fault: a request has 200 cards at most
            details["problems"] = _told(error.problems)
        case Stale():
            details["current"] = list(error.current)
        case BadValue() if decision is not None:
            chosen = next((o for o in decision.options if o.id == option), None)
            if chosen is not None:
                wanted = f"expected {describe_value(chosen.value)}"
                details["problems"] = [{"path": "$.value", "problem": wanted}]
    return RefusedError(ErrorCode(error.code), details)


def _told(problems: Sequence[Problem]) -> list[Json]:
    return [{"path": p.path, "problem": p.problem} for p in problems]


def bad_field(path: str, problem: str, code: ErrorCode = ErrorCode.BAD_MESSAGE) -> RefusedError:
    """Return the refusal of a request whose field makes no sense here."""
    return RefusedError(code, {"problems": [{"path": path, "problem": problem}]})
