"""Validators for the fields of messages. A message is valid by existence."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from attrs import Attribute

__all__ = ["BadField", "count", "integer", "items", "matching", "request_id", "size"]

Validator = Callable[[Any, "Attribute[Any]", Any], None]


class BadField(ValueError):
    """A field's value is outside its bounds. `name` is the attribute, "" the whole object."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(problem)
        self.name = name
        self.problem = problem


def size(low: int, high: int) -> Validator:
    """Take text of `low` to `high` characters, or None."""

    def check(_: object, attribute: Attribute[Any], value: str | None) -> None:
        if value is not None and not low <= len(value) <= high:
            raise BadField(attribute.name, f"expected {low} to {high} characters, got {len(value)}")

    return check


def integer(low: int, high: int) -> Validator:
    """Take a whole number from `low` to `high`, or None."""

    def check(_: object, attribute: Attribute[Any], value: int | None) -> None:
        if value is not None and not low <= value <= high:
            raise BadField(attribute.name, f"expected a whole number from {low} to {high}")

    return check


def count(high: int) -> Validator:
    """Take at most `high` entries, or None."""

    def check(_: object, attribute: Attribute[Any], value: tuple[object, ...] | None) -> None:
        if value is not None and len(value) > high:
            raise BadField(attribute.name, f"expected at most {high} entries, got {len(value)}")

    return check


def items(high: int, longest: int) -> Validator:
    """Take at most `high` texts of 1 to `longest` characters each, or None."""

    def check(_: object, attribute: Attribute[Any], value: tuple[str, ...] | None) -> None:
        if value is None:
            return
        if len(value) > high:
            raise BadField(attribute.name, f"expected at most {high} entries, got {len(value)}")
        for i, entry in enumerate(value):
            if not 1 <= len(entry) <= longest:
                problem = f"expected 1 to {longest} characters, got {len(entry)}"
                raise BadField(f"{attribute.name}[{i}]", problem)

    return check


def matching(pattern: str, wanted: str) -> Validator:
    """Take text that matches `pattern` as a whole, or None. `wanted` says what that means."""
    compiled = re.compile(pattern)

    def check(_: object, attribute: Attribute[Any], value: str | None) -> None:
        if value is not None and not compiled.fullmatch(value):
            raise BadField(attribute.name, f"expected {wanted}")

    return check


def request_id(largest: int, longest: int) -> Validator:
    """Take a whole number of at most `largest` either way, or text of 1 to `longest` characters."""

    def check(_: object, attribute: Attribute[Any], value: int | str) -> None:
        fits = 1 <= len(value) <= longest if isinstance(value, str) else abs(value) <= largest
        if not fits:
            problem = f"expected a whole number or a text of 1 to {longest} characters"
            raise BadField(attribute.name, problem)

    return check
