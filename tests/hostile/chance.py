"""Server secrets from a seed: the same ids, tokens, codes and seeds in two houses of one process.

The server draws them from `secrets`. Inside `seeded_secrets` each task draws from the generator that
it, or whoever started it, was given with `draw_from`; a task without one draws as ever.
"""

from __future__ import annotations

import base64
import random
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar
from unittest.mock import patch

__all__ = ["draw_from", "seeded_secrets"]

T = TypeVar("T")

_source: ContextVar[random.Random | None] = ContextVar("source of secrets", default=None)


@contextmanager
def draw_from(source: random.Random) -> Iterator[None]:
    """Have this task, and what it starts meanwhile, draw from a generator."""
    token = _source.set(source)
    try:
        yield
    finally:
        _source.reset(token)


@contextmanager
def seeded_secrets() -> Iterator[None]:
    """Let `secrets` be drawn from the task's generator."""
    real_bytes, real_choice = secrets.token_bytes, secrets.choice

    def token_bytes(nbytes: int | None = None) -> bytes:
        source = _source.get()
        return real_bytes(nbytes) if source is None else source.randbytes(nbytes or 32)

    def token_hex(nbytes: int | None = None) -> str:
        return token_bytes(nbytes).hex()

    def token_urlsafe(nbytes: int | None = None) -> str:
        return base64.urlsafe_b64encode(token_bytes(nbytes)).rstrip(b"=").decode()

    def choice(among: Sequence[T]) -> T:
        source = _source.get()
        return real_choice(among) if source is None else source.choice(among)

    fakes: dict[str, Any] = {
        "token_bytes": token_bytes,
        "token_hex": token_hex,
        "token_urlsafe": token_urlsafe,
        "choice": choice,
    }
    with patch.multiple(secrets, **fakes):
        yield
