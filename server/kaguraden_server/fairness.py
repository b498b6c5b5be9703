"""Deals that nobody can have arranged (protocol/README.md, section 16).

The server commits itself to a secret seed when a room is made, before it has seen any nonce; the
seats' nonces come in while they get ready. The game's entropy depends on both: whoever gave a
nonce knows that the deal was not chosen, by the server or by anybody else. When the game is over
the seed is told, and everybody can compute the commitment and the deal again.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Sequence

from attrs import field, frozen

__all__ = ["SEED_BYTES", "Deal", "commitment", "entropy"]

SEED_BYTES = 32


def commitment(seed: bytes) -> str:
    """Return the SHA-256 of the seed in hex."""
    return hashlib.sha256(seed).hexdigest()


def entropy(seed: bytes, nonces: Sequence[str]) -> bytes:
    """Return the 32 bytes that a game's chance comes from.

    HMAC-SHA-256 under the seed of the JSON list of the nonces, one a seat in the order of the
    seats, each in lower-case hex or "" for a seat that gave none, in UTF-8 without spaces:
    `["00ff…","",…]`.
    """
    listed = json.dumps(list(nonces), separators=(",", ":"))
    return hmac.digest(seed, listed.encode(), "sha256")


@frozen
class Deal:
    """A room's secret seed, made with the room.

    That of a `day` (its date) is the same in all rooms for it, and is the entropy itself: no nonces
    enter (EN-88).
    """

    seed: bytes = field(factory=lambda: secrets.token_bytes(SEED_BYTES), repr=False)
    day: str | None = None

    @property
    def commitment(self) -> str:
        """Return what may be known of the seed before the game is over."""
        return commitment(self.seed)

    def entropy(self, nonces: Sequence[str]) -> bytes:
        """Return the entropy of the game; `nonces` are empty for a day's."""
        return entropy(self.seed, nonces) if self.day is None else self.seed
