"""What an option takes along: values that fit its spec (protocol section 8)."""

from __future__ import annotations

import random
from typing import Final

from kaguraden_protocol.messages import (
    CardsSpec,
    Decision,
    IntSpec,
    Option,
    OrderSpec,
    UnknownSpec,
    Value,
    ValueSpec,
)

from .errors import NoValue

__all__ = ["any_value", "least_value", "usable"]

CHANCE: Final = random.Random()  # noqa: S311 - a way to play, no secret


def usable(decision: Decision) -> list[Option]:
    """Return the options that this client knows how to take: those with a `least_value`."""
    return [option for option in decision.options if _fault(option.value) is None]


def any_value(spec: ValueSpec | None, rng: random.Random = CHANCE) -> Value:
    """Return a random value that the option takes.

    Raises:
        NoValue: There is none: it is of a kind that a later version added, or its bounds clash.
    """
    match _possible(spec):
        case None:
            return None
        case IntSpec(min=least, max=most):
            return rng.randint(least, most)
        case CardsSpec(from_=cards, min=least, max=most):
            return tuple(rng.sample(cards, rng.randint(least, min(most, len(cards)))))
        case OrderSpec(of=cards):
            return tuple(rng.sample(cards, len(cards)))


def least_value(spec: ValueSpec | None) -> Value:
    """Return the least that the option takes: the least number, the first few cards, their order.

    Raises:
        NoValue: There is none: it is of a kind that a later version added, or its bounds clash.
    """
    match _possible(spec):
        case None:
            return None
        case IntSpec(min=least):
            return least
        case CardsSpec(from_=cards, min=least):
            return cards[:least]
        case OrderSpec(of=cards):
            return cards


def _fault(spec: ValueSpec | None) -> str | None:
    """Return why no value fits, None if one does. A server may send anything."""
    match spec:
        case UnknownSpec():
            return f"no value of kind {spec.type} is known"
        case IntSpec(min=least, max=most) if least > most:
            return f"no number is from {least} to {most}"
        case CardsSpec(from_=cards, min=least, max=most) if least > min(most, len(cards)):
            return f"{least} to {most} of {len(cards)} cards cannot be chosen"
        case _:
            return None


def _possible(spec: ValueSpec | None) -> IntSpec | CardsSpec | OrderSpec | None:
    fault = _fault(spec)
    if fault is not None or isinstance(spec, UnknownSpec):
        raise NoValue(fault)
    return spec
