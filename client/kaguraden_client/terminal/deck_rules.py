"""What makes a deck legal at a table, as far as a client can tell. The server has the last word.

A painter says it for its game, from the room's options; for a game never heard of only the limits
that its options name (`max_copies_character`) are known.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from ..reading import Json, has_int
from . import deck_words  # noqa: F401 - adds its words

__all__ = ["DeckRules", "copies_in"]

_COPIES = "max_copies_"


@frozen
class DeckRules:
    """The rules of a deck; what is None is not known, and not checked here.

    `copies` is by kind of card how many copies of one card there may be; `kinds` are the kinds that
    may be in a deck; of each of `needs` there must be at least one card.
    """

    size: int | None = None
    copies: Mapping[str, int] = field(factory=dict)
    kinds: frozenset[str] | None = None
    needs: tuple[str, ...] = ()

    def most(self, kind: str) -> int | None:
        """Return how many copies of a card of a kind there may be."""
        return self.copies.get(kind)


def copies_in(options: Mapping[str, Json]) -> dict[str, int]:
    """Return the limits of copies that a room's options name."""
    return {
        name.removeprefix(_COPIES): value
        for name, value in options.items()
        if name.startswith(_COPIES) and has_int(value)
    }
