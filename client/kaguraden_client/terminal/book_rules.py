"""What makes a book of enbu playable, as far as a client can tell. The server has the last word.

The rules' codes (EN-97) name the faults, so that those the server finds are told in the same words.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from attrs import evolve, field, frozen

from ..reading import as_int
from . import book_words  # noqa: F401 - adds its words
from .books import WILDS, Book
from .painters import Catalog, Context
from .painters.enbu_board import needs_of, points_of
from .painters.enbu_names import card as card_text
from .painters.enbu_names import program as program_text

__all__ = ["BookFault", "all_cards", "all_programs", "book_faults", "fault_text", "filled", "total"]

_MAX_NAME: Final = (16, 48)  # code points, bytes
_MAX_CARDS: Final = 80
_MAX_KINDS: Final = 40
_MAX_PROGRAMS: Final = 24
_UNFIT: Final = frozenset(["Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"])


@frozen
class BookFault:
    """Something that is wrong with a book; `cards` and `programs` are those it is about."""

    code: str
    values: Mapping[str, object] = field(factory=dict)
    cards: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()

    @property
    def is_warning(self) -> bool:
        """Whether the book can be played all the same."""
        return self.code.startswith("W-")


def fault_text(fault: BookFault, ctx: Context) -> str:
    """Return a fault in words."""
    named = [card_text(card, ctx) for card in fault.cards]
    named += [program_text(program, ctx) for program in fault.programs]
    what = ctx.say("list.comma").join(named)
    return ctx.say(f"fault.{fault.code}", what=what, **fault.values)


def all_cards(catalog: Catalog) -> tuple[str, ...]:
    """Return the cards that books are made of, in the catalogue's order, without wilds."""
    return _by_number(catalog, (c for c, k in catalog.cards.items() if k.kind == "card" and c not in WILDS))  # fmt: skip


def all_programs(catalog: Catalog) -> tuple[str, ...]:
    """Return all programs in the catalogue's order."""
    return _by_number(catalog, (p for p, known in catalog.cards.items() if known.kind == "program"))


def _by_number(catalog: Catalog, ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(ids, key=lambda name: as_int(catalog.cards[name].told.get("no"))))


def total(book: Book, ctx: Context) -> int:
    """Return the points of all programs of a book."""
    return sum(points_of(program, ctx) for program in book.programs)


def filled(book: Book, ctx: Context) -> Book:
    """Return the book with as many copies as its programs ask for, and no card besides."""
    wanted = Counter(need for program in book.programs for need in needs_of(program, ctx))
    cards = {c: min(_box(c, ctx), wanted[c]) for c in all_cards(ctx.catalog) if wanted[c]}
    return evolve(book, cards=cards)


def _box(card: str, ctx: Context) -> int:
    known = ctx.catalog.cards.get(card)
    return as_int(known.told.get("box"), 1) if known is not None else 0


def book_faults(book: Book, ctx: Context) -> list[BookFault]:
    """Return everything that is wrong with a book, warnings last."""
    found: list[BookFault] = []
    programs, known = book.programs, ctx.catalog.cards
    if not _is_name(book.name):
        found.append(BookFault("E-NAME"))
    sizes = 1 <= book.pages <= max(1, min(6, len(programs))) and 1 <= book.stage <= 6
    if not (sizes and 0 <= book.hand <= 4):
        found.append(BookFault("E-SIZE"))
    cards = all_cards(ctx.catalog)
    if unknown := tuple(c for c in book.cards if c not in cards and c not in WILDS):
        found.append(BookFault("E-CARD", cards=unknown))
    if any(card in WILDS for card in book.cards):
        found.append(BookFault("E-WILD"))
    if many := tuple(c for c, n in book.cards.items() if c in cards and not 1 <= n <= _box(c, ctx)):
        found.append(BookFault("E-COPIES", cards=many))
    if not 2 <= book.size <= _MAX_CARDS or len(book.cards) > _MAX_KINDS:
        found.append(BookFault("E-DECK", {"n": book.size}))
    if strange := tuple(p for p in programs if p not in known or known[p].kind != "program"):
        found.append(BookFault("E-PROG", programs=strange))
    if twice := tuple(p for p, n in Counter(programs).items() if n > 1):
        found.append(BookFault("E-DUP", programs=twice))
    if not 1 <= len(programs) <= _MAX_PROGRAMS:
        found.append(BookFault("E-COUNT", {"n": len(programs)}))
    wanted = Counter(need for program in set(programs) for need in needs_of(program, ctx))
    if missing := tuple(card for card in wanted if not book.cards.get(card)):
        found.append(BookFault("E-NEED", cards=missing))
    room = book.stage + book.hand
    if wide := tuple(p for p in programs if len(needs_of(p, ctx)) > room):
        found.append(BookFault("E-REACH", programs=wide))
    short = sum(max(0, n - book.cards[card]) for card, n in wanted.items() if card in book.cards)
    lacks = not book.reshuffle and short > (len(WILDS) if book.wild else 0)
    most = total(book, ctx)
    if book.pass_mark is None:
        found += [BookFault("E-SUPPLY")] if lacks else []
    elif not 1 <= book.pass_mark <= most:
        found.append(BookFault("E-GOAL", {"total": most}))
    if unused := tuple(c for c in book.cards if c in cards and not wanted[c]):
        found.append(BookFault("W-UNUSED", cards=unused))
    if lacks and book.pass_mark is not None:
        found.append(BookFault("W-SUPPLY"))
    return found


def _is_name(name: str) -> bool:
    most, most_bytes = _MAX_NAME
    return (
        1 <= len(name) <= most
        and len(name.encode(errors="replace")) <= most_bytes
        and name == unicodedata.normalize("NFC", name).strip()
        and not any(c in '"\\' or unicodedata.category(c) in _UNFIT for c in name)
    )
