"""Reading JSON that nobody has checked: views, events and options of games never heard of.

Each function returns what it is asked for, or the stand-in, and never raises: a painter draws and a
bot plays whatever comes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeGuard

from kaguraden_protocol.messages import Json

__all__ = [
    "Json",
    "as_dict",
    "as_int",
    "as_list",
    "as_str",
    "as_texts",
    "dicts_in",
    "has_int",
    "ints_in",
]


def has_int(value: object) -> TypeGuard[int]:
    """Whether the value is a number; true and false are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def as_int(value: object, missing: int = 0) -> int:
    """Return the number."""
    return value if has_int(value) else missing


def as_str(value: object, missing: str = "") -> str:
    """Return the string."""
    return value if isinstance(value, str) else missing


def as_list(value: object) -> list[Json]:
    """Return the list."""
    return list(value) if isinstance(value, list | tuple) else []


def as_dict(value: object) -> dict[str, Json]:
    """Return the object."""
    return dict(value) if isinstance(value, Mapping) else {}


def as_texts(value: object) -> list[str]:
    """Return the strings of a list."""
    return [item for item in as_list(value) if isinstance(item, str)]


def ints_in(value: object) -> list[int]:
    """Return the numbers of a list."""
    return [item for item in as_list(value) if has_int(item)]


def dicts_in(value: object) -> list[dict[str, Json]]:
    """Return the objects of a list."""
    return [as_dict(item) for item in as_list(value) if isinstance(item, Mapping)]
