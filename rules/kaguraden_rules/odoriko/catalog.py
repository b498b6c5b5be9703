"""All cards of a room with their names and texts, and the players' rulebook (`catalog`).

Clients look a card up by its face: `cc001`, `ev_kodama`; a card of the pack by its rank where it is
special (`QH` is explained at `Q`); resource cards need no words. What a skill or an event does is
here in the words of its data (§20). Decks and hands are not: what a room may play with is public
(OD-174, OD-189).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Literal

from kaguraden_rules.kernel import CardId, Json, Text
from kaguraden_rules.odoriko.card import Card, EventCard
from kaguraden_rules.odoriko.wording import term_text
from kaguraden_rules.odoriko.writing import play_data, skill_data, term_data

__all__ = ["SPECIALS", "catalog", "rulebook"]

_VERSION_LENGTH = 16  # hexadecimal digits; enough to tell two catalogues apart

SPECIALS: Mapping[str, tuple[Text, Text]] = {
    "A": (
        Text("エース", "Ace"),
        Text(
            "自分のオークションが売れずに終わった時：売れなかったカードを手札に戻す。",
            "When your own auction has ended unsold: take the lot back into your hand.",
        ),
    ),
    "J": (
        Text("ジャック", "Jack"),
        Text(
            "資源カードが捨て札に送られた時：その1枚を手札に加える。",
            "When resource cards have been discarded: take one of them into your hand.",
        ),
    ),
    "Q": (
        Text("クイーン", "Queen"),
        Text(
            "Kの効果を打ち消す。または自分の手番に、自分のキャラクターの場を入れ替える。",
            "Cancel a K. Or, in your turn, move or exchange your characters between your fields.",
        ),
    ),
    "K": (
        Text("キング", "King"),
        Text(
            "手番行動：場のカード1枚を捨て札にする。ファーストキャラクターは選べない。",
            "Action: discard any one card on a field, except a first character.",
        ),
    ),
}  # OD-70, OD-71, OD-73, OD-74, OD-75


def catalog(
    cards: Mapping[CardId, Card], sets: Mapping[str, tuple[CardId, ...]]
) -> dict[str, Json]:
    """Return `{version, packs, cards, rulebook}`, as they go over the wire.

    Args:
        cards: The cards of the room, by id.
        sets: The ids of each card set; sets without a card in the room are left out.
    """
    packs: list[Json] = []
    for set_id, members in sets.items():
        ids: list[Json] = [i for i in members if i in cards]
        if ids:
            packs.append({"id": set_id, "cards": ids})
    entries: dict[str, Json] = {}
    for rank, (name, text) in SPECIALS.items():
        entries[rank] = {"kind": "special", "name": _plain(name), "text": _plain(text)}
    for card_id, card in cards.items():
        entries[card_id] = _entry(card)
    book: dict[str, Json] = {"ja": rulebook("ja"), "en": rulebook("en")}
    content: dict[str, Json] = {"packs": packs, "cards": entries, "rulebook": book}
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode())
    return {"version": digest.hexdigest()[:_VERSION_LENGTH], **content}


@cache
def rulebook(language: Literal["ja", "en"]) -> str:
    """Return how the game is played, for players: Markdown that cites the rules by their ids."""
    folder = resources.files("kaguraden_rules.odoriko").joinpath("rulebook")
    return folder.joinpath(f"{language}.md").read_text("utf-8")


def _plain(text: Text) -> dict[str, Json]:
    return {"ja": text.ja, "en": text.en}


def _entry(card: Card) -> dict[str, Json]:
    entry: dict[str, Json] = {"kind": card.kind.value, "name": _plain(card.name.text)}
    if card.no is not None:
        entry["no"] = card.no
    entry["text"] = _plain(card.text or Text("", ""))
    if isinstance(card, EventCard):
        entry["play"] = play_data(card.play)
        return entry
    entry["score"] = [{**term_data(term), "text": _plain(term_text(term))} for term in card.score]
    if card.skill is not None:
        entry["skill"] = {"name": _plain(card.skill.name.text), **skill_data(card.skill)}
    return entry
