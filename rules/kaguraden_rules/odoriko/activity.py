"""How stages and frames move, ask and take answers.

Each kind of stage or frame is played by one `Activity`, a set of functions of the module that is
about it; `machine` knows which. The table is moved on by whatever is on top until that has a
question. Then answers come one by one, or the wait is ended.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NoReturn, TypeVar

from attrs import field, frozen

from kaguraden_rules.kernel import Decision, Option, Pace, SeatId, Value
from kaguraden_rules.odoriko.state import Sealed
from kaguraden_rules.odoriko.table import Table, Top

__all__ = [
    "NOTHING",
    "Activity",
    "Question",
    "arg",
    "as_cards",
    "as_number",
    "missing",
    "number_arg",
    "sealed",
]

NOTHING = Decision("", "nothing", (), "")
"""What `decide` returns for a seat that could answer nothing: no decision opens."""

T = TypeVar("T", bound=Top)


@frozen
class Question:
    """What an activity asks, read off its stage or frame alone.

    `seats` are asked in public. `pending` still owe an answer, which is nobody's business.
    `deciding` may give one: those pending, and in open biddings some that need not.
    """

    pace: Pace
    seats: tuple[SeatId, ...]
    pending: tuple[SeatId, ...]
    deciding: tuple[SeatId, ...] = field()
    minimum: bool = False  # may not end before the minimum time, even with nobody pending
    sealed: bool = False  # one answer each, which changes nothing for the others

    @deciding.default
    def _those_pending(self) -> tuple[SeatId, ...]:
        return self.pending


def _unasked(*_: object) -> NoReturn:
    raise LookupError("nobody is asked")


@frozen
class Activity(Generic[T]):
    """The functions that play one kind of stage or frame; the last four for those that ask."""

    go_on: Callable[[Table, T], bool]
    """Do the next thing; False where there is nothing to do before an answer comes."""

    question: Callable[[T], Question] = _unasked
    """Return what it asks, while it has a `wait`."""

    decide: Callable[[Table, T, SeatId], Decision] = _unasked
    """Return what a seat that may answer is asked; the decision has no id yet."""

    answer: Callable[[Table, T, SeatId, Option, Value], None] = _unasked
    """Take an answer, which is one of those that were listed."""

    expire: Callable[[Table, T], None] = _unasked
    """End the wait: who has not answered gets the default."""


# --- sealed answers --------------------------------------------------------------------------


def sealed(answers: tuple[Sealed, ...], *more: Sealed) -> tuple[Sealed, ...]:
    """Return the answers with others added. They are kept by seat, so arrival leaves no trace."""
    return tuple(sorted((*answers, *more), key=lambda answer: answer.seat))


def missing(asked: tuple[SeatId, ...], answers: tuple[Sealed, ...]) -> tuple[SeatId, ...]:
    """Return the seats that have not answered yet."""
    there = {answer.seat for answer in answers}
    return tuple(seat for seat in asked if seat not in there)


# --- what answers say ------------------------------------------------------------------------


def arg(option: Option, name: str) -> str:
    """Return a part of an option that is a text."""
    return str(option.args[name])


def number_arg(option: Option, name: str) -> int:
    """Return a part of an option that is a number."""
    number = option.args[name]
    if not isinstance(number, int):
        raise TypeError(f"{name} of {option.id} is no number")
    return number


def as_number(value: Value) -> int:
    """Return the value of an option that takes a number."""
    if not isinstance(value, int):
        raise TypeError(f"{value!r} is no number")
    return value


def as_cards(value: Value) -> tuple[str, ...]:
    """Return the value of an option that takes cards."""
    if not isinstance(value, tuple):
        raise TypeError(f"{value!r} is no list of cards")
    return value
