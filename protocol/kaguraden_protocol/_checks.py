"""Validators for the fields of messages. A message is valid by existence.

Each says with `schema` what it takes, in the words of JSON Schema; None is taken by all, since it
stands for an absent field.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from attrs import Attribute, frozen

__all__ = ["BadField", "Integer", "Items", "Matching", "RequestIdCheck", "Size"]


class BadField(ValueError):
    """A field's value is outside its bounds. `name` is the attribute, "" the whole object."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name}: {problem}" if name else problem)
        self.name = name
        self.problem = problem


@frozen
class Size:
    """Text of `low` to `high` characters."""

    low: int
    high: int

    def __call__(self, _: object, attribute: Attribute[Any], value: str | None) -> None:
        if value is not None and not self.low <= len(value) <= self.high:
            problem = f"expected {self.low} to {self.high} characters, got {len(value)}"
            raise BadField(attribute.name, problem)

    @property
    def schema(self) -> dict[str, Any]:
        """Return the bounds as JSON Schema."""
        return {"minLength": self.low, "maxLength": self.high}


@frozen
class Integer:
    """A whole number from `low` to `high`."""

    low: int
    high: int

    def __call__(self, _: object, attribute: Attribute[Any], value: int | None) -> None:
        if value is not None and not self.low <= value <= self.high:
            problem = f"expected a whole number from {self.low} to {self.high}"
            raise BadField(attribute.name, problem)

    @property
    def schema(self) -> dict[str, Any]:
        """Return the bounds as JSON Schema."""
        return {"minimum": self.low, "maximum": self.high}


@frozen
class Items:
    """At most `high` texts of 1 to `longest` characters each; anything that is no tuple passes."""

    high: int
    longest: int

    def __call__(self, _: object, attribute: Attribute[Any], value: object) -> None:
        if not isinstance(value, tuple):
            return
        if len(value) > self.high:
            problem = f"expected at most {self.high} entries, got {len(value)}"
            raise BadField(attribute.name, problem)
        for i, entry in enumerate(value):
            if not 1 <= len(entry) <= self.longest:
                problem = f"expected 1 to {self.longest} characters, got {len(entry)}"
                raise BadField(f"{attribute.name}[{i}]", problem)

    @property
    def schema(self) -> dict[str, Any]:
        """Return the bounds as JSON Schema."""
        return {
            "maxItems": self.high,
            "items": {"type": "string", "minLength": 1, "maxLength": self.longest},
        }


@frozen(slots=False)
class Matching:
    """Text that matches `pattern` as a whole. `wanted` says what that means."""

    pattern: str
    wanted: str

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern)

    def __call__(self, _: object, attribute: Attribute[Any], value: str | None) -> None:
        if value is not None and not self._compiled.fullmatch(value):
            raise BadField(attribute.name, f"expected {self.wanted}")

    @property
    def schema(self) -> dict[str, Any]:
        """Return the bounds as JSON Schema."""
        return {"pattern": f"^{self.pattern}$"}


@frozen
class RequestIdCheck:
    """A whole number of at most `largest` either way, or text of 1 to `longest` characters."""

    largest: int
    longest: int

    def __call__(self, _: object, attribute: Attribute[Any], value: int | str) -> None:
        text = isinstance(value, str)
        size = len(value) if isinstance(value, str) else abs(value)
        if not (1 <= size <= self.longest if text else size <= self.largest):
            problem = f"expected a whole number or a text of 1 to {self.longest} characters"
            raise BadField(attribute.name, problem)

    @property
    def schema(self) -> dict[str, Any]:
        """Return the bounds as JSON Schema; each keyword speaks of one type only."""
        return {
            "minimum": -self.largest,
            "maximum": self.largest,
            "minLength": 1,
            "maxLength": self.longest,
        }
