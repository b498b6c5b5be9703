"""A book of enbu as the client knows it: from the server's account of it, or in the making.

A value without rules: what makes a book playable is `book_rules`, its share code `book_codes`, its
file `book_files`.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from ..reading import Json, as_dict, as_int, as_str, as_texts, has_int
from .text import clean

__all__ = ["WILDS", "Book", "book_of"]

WILDS = ("bakedanuki", "kyubi")  # 化け狸 and 九尾狐 (EN-58)


@frozen
class Book:
    """A book (EN-4). `cards` are the copies by card, without wilds; `pass_mark` None means all."""

    name: str = ""
    pages: int = 1
    stage: int = 3
    hand: int = 1
    drop: bool = False
    reshuffle: bool = False
    wild: bool = False
    pass_mark: int | None = None
    cards: Mapping[str, int] = field(factory=dict)
    first: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()
    id: str = ""
    family: str = "yorozu"
    total: int = 0  # as told; 0 for a book in the making

    @property
    def programs(self) -> tuple[str, ...]:
        """All its programs."""
        return self.first + self.rest

    @property
    def size(self) -> int:
        """How many cards its deck has, wilds included."""
        return sum(self.cards.values()) + (len(WILDS) if self.wild else 0)


def book_of(info: Mapping[str, Json]) -> Book:
    """Return the book of a `BookInfo` as views and the catalogue have it."""
    mark = info.get("pass")
    cards = {clean(card): n for card, n in as_dict(info.get("cards")).items() if has_int(n)}
    return Book(
        name=clean(as_str(info.get("name"))),
        pages=as_int(info.get("pages"), 1),
        stage=as_int(info.get("stage"), 1),
        hand=as_int(info.get("hand")),
        drop=info.get("drop") is True,
        reshuffle=info.get("reshuffle") is True,
        wild=info.get("wild") is True,
        pass_mark=mark if has_int(mark) and info.get("goal") == "pass" else None,
        cards=cards,
        first=tuple(map(clean, as_texts(info.get("first")))),
        rest=tuple(map(clean, as_texts(info.get("rest")))),
        id=clean(as_str(info.get("id"))),
        family=clean(as_str(info.get("family"))),
        total=as_int(info.get("total")),
    )
