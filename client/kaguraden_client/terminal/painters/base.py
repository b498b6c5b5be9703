"""What every painter is given besides the view: the language, names of people and of cards."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from attrs import evolve, field, frozen
from kaguraden_protocol import messages

from ...reading import Json, as_dict, as_str, as_texts, dicts_in
from ..notes import Notes
from ..text import Fragment, clean, cut
from ..words import Lang, say

__all__ = ["Card", "Catalog", "Context"]

_FACE: Final = re.compile(r"(A|[2-9]|10|J|Q|K)([SHDC])")
_SUITS: Final = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
_EPITHET: Final = re.compile(r"^[”“\"][^”“\"]*[”“\"]\s*")  # in front of a Japanese name
_BYNAME: Final = re.compile(r"(?:,| of | that | who ).*$")  # behind an English one


@frozen
class Card:
    """A card's names and texts in both languages, as told by the server, cleaned.

    `more` are the sentences of its other parts, such as what it scores; `told` is the entry as the
    server sent it, not cleaned, for what only its own game knows.
    """

    name: Mapping[Lang, str]
    text: Mapping[Lang, str]
    kind: str = ""
    more: Mapping[Lang, tuple[str, ...]] = field(factory=lambda: dict.fromkeys(Lang, ()))
    told: Mapping[str, Json] = field(factory=dict, repr=False)

    def short(self, lang: Lang) -> str:
        """Return the name without its epithet."""
        name = self.name[lang]
        if self.kind != "character":
            return name
        bare = _EPITHET.sub("", name) if lang is Lang.JA else _BYNAME.sub("", name)
        return bare or name


@frozen
class Catalog:
    """The cards of a game, by id, and its rulebook. Empty until the server has answered.

    `packs` are the card sets that decks are made of: their ids, each with those of its cards.
    `rulebook` is Markdown as the server sent it, not cleaned; empty where a game has none.
    `books` are what a game of books can be played with, as the server told them, by id.
    """

    cards: Mapping[str, Card] = field(factory=dict)
    rulebook: Mapping[Lang, str] = field(factory=lambda: dict.fromkeys(Lang, ""), repr=False)
    packs: tuple[tuple[str, tuple[str, ...]], ...] = ()
    books: Mapping[str, Mapping[str, Json]] = field(factory=dict, repr=False)

    @classmethod
    def of(cls, cards: Mapping[str, Json], rulebook: messages.Text | None = None) -> Catalog:
        """Return the catalog of a `catalog` result; cards that make no sense are left out."""
        out = {}
        for card_id, raw in cards.items():
            told = as_dict(raw)
            name = _both(told.get("name"))
            if any(name.values()):
                text = _both(told.get("text"))
                skill = _both(as_dict(told.get("skill")).get("name"))
                if any(skill.values()):
                    text = {lang: f"{skill[lang]}: {text[lang]}" for lang in Lang}
                terms = [_both(term.get("text")) for term in dicts_in(told.get("score"))]
                more = {lang: tuple(t[lang] for t in terms if t[lang]) for lang in Lang}
                out[clean(card_id)] = Card(name, text, as_str(told.get("kind")), more, told)
        if rulebook is None:
            return cls(out)
        return cls(
            out,
            {Lang.JA: rulebook.ja or rulebook.en, Lang.EN: rulebook.en or rulebook.ja},
        )

    def with_packs(self, packs: Iterable[Json]) -> Catalog:
        """Return the catalog with the card sets that decks are made of, as the server told them."""
        told = [as_dict(pack) for pack in packs]
        found = ((as_str(pack.get("id")), as_texts(pack.get("cards"))) for pack in told)
        return evolve(self, packs=tuple((clean(i), tuple(map(clean, c))) for i, c in found))

    def with_books(self, books: Mapping[str, Json]) -> Catalog:
        """Return the catalog with the books that the server has."""
        return evolve(self, books={clean(name): as_dict(book) for name, book in books.items()})


def _both(raw: Json) -> Mapping[Lang, str]:
    """Return a text in both languages; one that is missing is taken from the other."""
    told = as_dict(raw)
    texts = {lang: clean(as_str(told.get(lang.value))) for lang in Lang}
    other = next((text for text in texts.values() if text), "")
    return {lang: text or other for lang, text in texts.items()}


@frozen
class Context:
    """Who looks, in which language, and what things are called.

    `names` are the seats' names as told; `me` is the viewer's seat, None for a spectator. With
    `shade` the viewer's secrets are not drawn; with `veiled` no card is named at all. `look` is the
    seat whose table is shown, where a view has one for every seat; `notes` are the viewer's own.
    """

    lang: Lang = Lang.EN
    me: int | None = None
    names: Mapping[int, str] = field(factory=dict)
    away: frozenset[int] = frozenset()
    bots: frozenset[int] = frozenset()
    catalog: Catalog = field(factory=Catalog)
    shade: bool = False
    veiled: bool = False
    look: int | None = None
    notes: Notes = field(factory=Notes)

    def say(self, key: str, **values: object) -> str:
        """Return a text of ours in the viewer's language."""
        return say(self.lang, key, **values)

    def name(self, seat: int, cells: int = 24) -> str:
        """Return what a seat's player is called."""
        told = clean(self.names.get(seat, ""))
        return cut(told or self.say("seat.numbered", n=seat + 1), cells)

    def people(self, seats: list[int]) -> str:
        """Return several seats' names as a list in words."""
        return self.say("list.comma").join(self.name(seat) for seat in seats)

    def card(self, card: str, *, short: bool = True) -> Fragment:
        """Return a card's name with its style: `9♥`, `‹イル・アリエル›`."""
        if self.veiled:
            return ("dim", f"‹{self.say('shade.card')}›")
        card, _, copy = card.partition("#")  # the second of two alike is `cc001#2`
        copy = f" #{clean(copy)}" if copy else ""
        face = _FACE.fullmatch(card)
        if face is not None:
            red = face[2] in "HD"
            return ("card.red" if red else "card.black", face[1] + _SUITS[face[2]])
        known = self.catalog.cards.get(card)
        if known is None:
            return ("card.other", f"‹{clean(card)}{copy}›")
        name = known.short(self.lang) if short else known.name[self.lang]
        return ("card.other", f"‹{name}{copy}›")

    def card_text(self, card: str, *, short: bool = True) -> str:
        """Return a card's name."""
        return self.card(card, short=short)[1]

    def cards_text(self, cards: list[str]) -> str:
        """Return several cards' names."""
        return " ".join(self.card_text(card) for card in cards)

    def is_card(self, word: str) -> bool:
        """Whether the word names a card."""
        bare = word.partition("#")[0]
        return bare in self.catalog.cards or _FACE.fullmatch(bare) is not None
