"""How a seed orders cards and programs: by ranks under a key (EN-70, EN-71).

A rank depends on the seed, the pile and the card alone, not on what else is in the pile. So at the
same reshuffle any two cards lie in the same relative order for everybody on this seed (EN-119).
EN-73 is a vector.
"""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Iterable, Sequence

from kaguraden_rules.kernel import CardId

__all__ = ["shuffle_deck", "shuffle_programs"]


def _rank(seed: bytes, purpose: str, number: int, name: str, copy: int) -> bytes:
    return hmac.digest(seed, f"enbu1|{purpose}|{number}|{name}|{copy}".encode(), "sha256")


def shuffle_programs(seed: bytes, programs: Iterable[str]) -> tuple[str, ...]:
    """Return the programs in the order of this seed, the next one first (EN-5)."""
    return tuple(sorted(programs, key=lambda name: _rank(seed, "book", 0, name, 1)))


def shuffle_deck(seed: bytes, number: int, cards: Sequence[CardId]) -> tuple[CardId, ...]:
    """Return the cards in the order of this seed, top first.

    Args:
        seed: 32 bytes.
        number: 0 for the first deck, r for the r-th reshuffle.
        cards: The pile; its order means nothing.
    """
    seen: Counter[CardId] = Counter()
    ranked = []
    for card in cards:
        seen[card] += 1
        ranked.append((_rank(seed, "deck", number, card, seen[card]), card))
    return tuple(card for _, card in sorted(ranked))
