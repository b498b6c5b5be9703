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

__all__ = ["any_value", "least_value", "usable"]

CHANCE: Final = random.Random()  # noqa: S311 - a way to play, no secret


def usable(decision: Decision) -> list[Option]:
    """Return the options that this client knows how to take."""
    return [option for option in decision.options if not isinstance(option.value, UnknownSpec)]


def any_value(spec: ValueSpec | None, rng: random.Random = CHANCE) -> Value:
    """Return a random value that the option takes.

    Raises:
        ValueError: The value is of a kind that a later version added.
    """
    match spec:
        case None:
            return None
        case IntSpec(min=least, max=most):
            return rng.randint(least, most)
        case CardsSpec(from_=cards, min=least, max=most):
            return tuple(rng.sample(cards, rng.randint(least, min(most, len(cards)))))
        case OrderSpec(of=cards):
            return tuple(rng.sample(cards, len(cards)))
        case UnknownSpec():
            raise _unknown(spec)


def least_value(spec: ValueSpec | None) -> Value:
    """Return the least that the option takes: the least number, the first few cards, their order.

    Raises:
        ValueError: The value is of a kind that a later version added.
    """
    match spec:
        case None:
            return None
        case IntSpec(min=least):
            return least
        case CardsSpec(from_=cards, min=least):
            return cards[:least]
        case OrderSpec(of=cards):
            return cards
        case UnknownSpec():
            raise _unknown(spec)


def _unknown(spec: UnknownSpec) -> ValueError:
    return ValueError(f"no value of kind {spec.type} is known")
