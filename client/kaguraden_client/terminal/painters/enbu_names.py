"""What things are called in enbu: cards, programs, books, places."""

from __future__ import annotations

from collections.abc import Iterable

from ...reading import as_str
from ..books import Book
from ..text import clean, cut
from ..words import Lang
from . import enbu_words  # noqa: F401 - adds its words
from .base import Context
from .enbu_board import needs_of

__all__ = ["LEVELS", "book_name", "brief", "card", "cards", "glyph", "glyphs", "program", "stars"]

# How hard the books of the house are, by how often a careful player wins (EN-110): three times in
# four or more, two in five, one in five, one in fifty, less.
LEVELS = {
    "kyu-3": 1, "kyu-2": 1, "kyu-1": 3,
    "kamiari-1": 2, "kamiari-2": 2, "kamiari-3": 2, "kamiari-4": 3, "kamiari-5": 4, "kamiari-6": 4,
    "dan-1": 3, "dan-2": 3, "dan-3": 4, "dan-4": 5, "dan-5": 5,
}  # fmt: skip


def stars(book: str) -> str:
    """Return how hard a book is as signs; nothing where nobody has measured it."""
    level = LEVELS.get(book)
    return "★" * level + "☆" * (5 - level) if level else ""


def glyph(card_id: str, ctx: Context) -> str:
    """Return a card's one character."""
    known = ctx.catalog.cards.get(card_id)
    told = clean(as_str(known.told.get("glyph"))) if known is not None else ""
    return cut(told, 2, "") or cut(clean(card_id), 4)


def glyphs(ids: Iterable[str], ctx: Context) -> str:
    """Return cards by their characters."""
    return " ".join(glyph(card_id, ctx) for card_id in ids)


def card(card_id: str, ctx: Context) -> str:
    """Return a card with a word that the viewer can read: `虎`, `虎 tiger`."""
    known = ctx.catalog.cards.get(card_id)
    if known is None:
        return clean(card_id)
    if ctx.lang is Lang.JA:
        return known.name[Lang.JA]
    return f"{glyph(card_id, ctx)} {known.name[Lang.EN]}"


def cards(ids: Iterable[str], ctx: Context) -> str:
    """Return cards as a list in words."""
    return ctx.say("list.comma").join(card(card_id, ctx) for card_id in ids)


def program(program_id: str, ctx: Context) -> str:
    """Return a program's name; in English its sense, as far as the colon, with its characters."""
    known = ctx.catalog.cards.get(program_id)
    if known is None:
        return clean(program_id)
    if ctx.lang is Lang.JA:
        return known.name[Lang.JA]
    sense = known.name[Lang.EN].partition(":")[0]
    signs = "".join(glyph(need, ctx) for need in needs_of(program_id, ctx))
    return f"{signs} {sense}" if signs else sense


def brief(program_id: str, ctx: Context) -> str:
    """Return a program in few cells: its name, in English the characters that it needs."""
    needs = needs_of(program_id, ctx)
    if ctx.lang is Lang.JA or not needs:
        return program(program_id, ctx)
    return "".join(glyph(need, ctx) for need in needs)


def book_name(book: Book, ctx: Context) -> str:
    """Return what a book is called: those of the house by their grade or number."""
    family, _, number = book.id.partition("-")
    is_ours = family == book.family and number.isdecimal() and family in ("kyu", "kamiari", "dan")
    if is_ours and (ctx.lang is Lang.EN or not book.name):
        return ctx.say(f"enbu.named.{family}", n=number)
    return book.name or book.id
