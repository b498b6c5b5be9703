"""The clauses for servers. Each module of this package enters some."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from ..clause import Registry
from .kit import Kit

__all__ = ["SERVER", "Check", "clause"]

Check: TypeAlias = Callable[[Kit], Awaitable[None]]

SERVER: Final[Registry[Check]] = Registry("S")
clause = SERVER.clause
