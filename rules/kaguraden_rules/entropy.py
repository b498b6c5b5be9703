"""The stream that all chance of a game comes from.

Number k of a game, k = 0, 1, 2, ..., is the HMAC-SHA-256 (RFC 2104) of k, written as 8 bytes in
big-endian order, under the game's 32 bytes of entropy as the key; its 32 bytes are read as one
unsigned big-endian integer N, 0 <= N < 2^256. A pick among n things is floor(N * n / 2^256): it
takes one number whatever n is, and favours no thing by more than n / 2^256.

A shuffle of a list of length m walks i from m - 1 down to 1, picks j among i + 1 things, and
exchanges the entries i and j (Fisher-Yates, Durstenfeld's form): m - 1 numbers.

Another language reproduces a deal from this text; `rules/docs/entropy.md` has test vectors.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from typing import TypeVar

from attrs import frozen

__all__ = ["ENTROPY_BYTES", "Entropy"]

ENTROPY_BYTES = 32

T = TypeVar("T")


@frozen
class Entropy:
    """A place in the stream: the key, and how many numbers have been taken."""

    key: bytes
    taken: int = 0

    def pick(self, n: int) -> tuple[int, Entropy]:
        """Return a number from 0 to n - 1 and the stream after it.

        Raises:
            ValueError: n is less than 1.
        """
        if n < 1:
            raise ValueError(f"cannot pick among {n} things")
        digest = hmac.digest(self.key, self.taken.to_bytes(8, "big"), "sha256")
        number = int.from_bytes(digest, "big")
        return number * n >> 256, Entropy(self.key, self.taken + 1)

    def shuffle(self, cards: Sequence[T]) -> tuple[tuple[T, ...], Entropy]:
        """Return the cards in a new order and the stream after it."""
        order, stream = list(cards), self
        for i in range(len(order) - 1, 0, -1):
            j, stream = stream.pick(i + 1)
            order[i], order[j] = order[j], order[i]
        return tuple(order), stream
