"""Passwords of the server and of rooms: kept as scrypt hashes, tried in a few worker threads.

A try costs some 40 ms and 16 MiB, so no more than `WORKERS` run at a time; the others wait their
turn. Whoever was wrong is told after a random 250 to 500 ms, so that the time tells nothing and
guessing is slow.
"""

from __future__ import annotations

import hashlib
import hmac
import random
import secrets

import trio
from attrs import field, frozen

__all__ = ["Hashed", "hash_password", "is_right", "penalty"]

WORKERS = 2  # 32 MiB at a time
COST = 2**14  # 16 MiB with blocks of 8
PENALTY_S = (0.25, 0.5)

_limiter = trio.lowlevel.RunVar[trio.CapacityLimiter]("password workers")


@frozen
class Hashed:
    """A password that cannot be read back."""

    salt: bytes = field(repr=False)
    digest: bytes = field(repr=False)


async def hash_password(password: str) -> Hashed:
    """Return the hash to keep."""
    salt = secrets.token_bytes(16)
    return Hashed(salt, await _scrypt(password, salt))


async def is_right(password: str | None, kept: Hashed | None) -> bool:
    """Tell whether a password fits; with none kept, any does."""
    if kept is None:
        return True
    if password is None:
        return False
    return hmac.compare_digest(await _scrypt(password, kept.salt), kept.digest)


async def penalty() -> None:
    """Wait as long as whoever gave a wrong password has to."""
    await trio.sleep(random.uniform(*PENALTY_S))  # noqa: S311 - a delay, not a secret


async def _scrypt(password: str, salt: bytes) -> bytes:
    def work() -> bytes:
        return hashlib.scrypt(password.encode(), salt=salt, n=COST, r=8, p=1, dklen=32)

    return await trio.to_thread.run_sync(work, limiter=_workers())


def _workers() -> trio.CapacityLimiter:
    try:
        return _limiter.get()
    except LookupError:
        limiter = trio.CapacityLimiter(WORKERS)
        _limiter.set(limiter)
        return limiter
