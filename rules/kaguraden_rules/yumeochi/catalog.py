"""All cards of a room's set with their names and texts, and the players' rulebook (`catalog`).

Clients look a card up by its id, which is unique over a set (YU-93). What a card does is told in the
words of its set, `plain`, for those who compute with it, and in free text where the set has some.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Final, Literal

from kaguraden_rules.kernel import Json, Text
from kaguraden_rules.yumeochi.card import Card, CardSet, Role, TimeCard

__all__ = ["catalog", "rulebook"]

_VERSION_LENGTH: Final = 16  # hexadecimal digits; enough to tell two catalogues apart
_TOLD_APART: Final = frozenset({"id", "name_ja", "name_en", "text_ja", "text_en"})


def catalog(cards: CardSet, sets: Iterable[CardSet]) -> dict[str, Json]:
    """Return `{version, packs, cards, rulebook}`, as they go over the wire.

    Args:
        cards: The set of the room, whose cards are told in full.
        sets: All sets that there are; each is a pack.
    """
    packs: list[Json] = [
        {
            "id": known.id,
            "version": known.version,
            "digest": known.digest,
            "name": _plain(known.name),
            "cards": [card.id for card in _cards(known)],
        }
        for known in sets
    ]
    content: dict[str, Json] = {
        "packs": packs,
        "cards": {card.id: _entry(card, cards) for card in _cards(cards)},
        "rulebook": {"ja": rulebook("ja"), "en": rulebook("en")},
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode())
    return {"version": digest.hexdigest()[:_VERSION_LENGTH], **content}


@cache
def rulebook(language: Literal["ja", "en"]) -> str:
    """Return how the game is played, for players: Markdown that cites the rules by their ids."""
    folder = resources.files("kaguraden_rules.yumeochi").joinpath("rulebook")
    return folder.joinpath(f"{language}.md").read_text("utf-8")


def _cards(cards: CardSet) -> tuple[Card, ...]:
    return (*cards.roles, *cards.skills, *cards.times)


def _plain(text: Text) -> dict[str, Json]:
    return {"ja": text.ja, "en": text.en}


def _entry(card: Card, cards: CardSet) -> dict[str, Json]:
    entry: dict[str, Json] = {
        "kind": "skill",
        "name": _plain(card.name),
        "text": _plain(card.text or Text("", "")),
        "set": cards.id,
        "stars": card.stars,
        "plain": {key: value for key, value in card.plain.items() if key not in _TOLD_APART},
    }
    match card:
        case Role():
            entry |= {"kind": "role", "base": card.is_base}
        case TimeCard():
            entry |= {"kind": "time", "time_kind": card.time_kind.value}
        case _:
            pass
    return entry
