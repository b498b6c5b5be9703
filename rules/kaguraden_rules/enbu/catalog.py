"""All cards, programs and books with their names and texts, and the players' rulebook (`catalog`)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Literal

from kaguraden_rules.enbu.book import Book, Card, Program
from kaguraden_rules.enbu.books import CATALOGUE
from kaguraden_rules.enbu.codes import encode
from kaguraden_rules.enbu.view import book_info
from kaguraden_rules.kernel import Json

__all__ = ["catalog", "rulebook"]

_VERSION_LENGTH = 16  # hexadecimal digits; enough to tell two catalogues apart


def catalog(books: Iterable[Book]) -> dict[str, Json]:
    """Return `{version, packs, cards, books, rulebook}`, as they go over the wire (EN-94).

    `cards` has the programs too; no id is one of both.
    """
    cards: dict[str, Json] = {card.id: _card(card) for card in CATALOGUE.cards.values()}
    programs: dict[str, Json] = {p.id: _program(p) for p in CATALOGUE.programs.values()}
    packs: list[Json] = [
        {"id": "cards", "cards": list(cards)},
        {"id": "programs", "cards": list(programs)},
    ]
    shown: dict[str, Json] = {book.id: {**book_info(book), "code": encode(book)} for book in books}
    content: dict[str, Json] = {
        "packs": packs,
        "cards": cards | programs,
        "books": shown,
        "rulebook": {"ja": rulebook("ja"), "en": rulebook("en")},
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode())
    return {"version": digest.hexdigest()[:_VERSION_LENGTH], **content}


@cache
def rulebook(language: Literal["ja", "en"]) -> str:
    """Return how the game is played, for players: Markdown that cites the rules by their ids."""
    folder = resources.files("kaguraden_rules.enbu").joinpath("rulebook")
    return folder.joinpath(f"{language}.md").read_text("utf-8")


def _card(card: Card) -> dict[str, Json]:
    entry: dict[str, Json] = {
        "kind": "card",
        "no": card.no,
        "name": {"ja": card.name, "en": card.gloss},
        "text": {"ja": card.reading, "en": card.gloss},
        "glyph": card.glyph,
        "group": card.group.value,
        "box": card.box,
    }
    if card.emoji is not None:
        entry["emoji"] = card.emoji
    return entry


def _program(program: Program) -> dict[str, Json]:
    return {
        "kind": "program",
        "no": program.no,
        "name": {"ja": program.name, "en": program.gloss},
        "text": {"ja": f"{program.reading}。{program.gloss}", "en": program.gloss},
        "cards": list(program.cards),
        "points": program.points,
    }
