"""What a bot knows of odoriko's cards: the pack by heart, all others by their data in the catalog."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from attrs import frozen

from ...reading import Json, as_dict, as_int, as_texts, dicts_in, has_int
from ..policy import Catalog

__all__ = [
    "FACES",
    "RESOURCES",
    "SPECIALS",
    "SUITS",
    "ZONES",
    "Term",
    "home_of",
    "kind_of",
    "passes",
    "plain_face",
    "reward_of",
    "terms_of",
]

SUITS: Final = {"S": "black", "H": "red", "D": "red", "C": "black"}
SPECIALS: Final = ("J", "Q", "K", "A")
RANKS: Final = (*(str(value) for value in range(2, 11)), *SPECIALS)
FACES: Final = tuple(rank + suit for rank in RANKS for suit in SUITS)
RESOURCES: Final = frozenset(face for face in FACES if face[:-1].isdigit())
ZONES: Final = ("song", "dance")

_PACK: Final = frozenset(FACES)


def plain_face(label: str) -> str:
    """Return the face in a label such as `cc001#2` or `6C>1`."""
    return label.split(">")[0].split("#")[0]


def home_of(card: str) -> str:
    """Return the field on which a resource card lies (OD-3)."""
    return "song" if SUITS[card[-1]] == "red" else "dance"


def kind_of(card: str, catalog: Catalog) -> str:
    """Return the kind that filters ask for; empty for a card that nobody told of."""
    if card in RESOURCES:
        return "resource"
    if card in _PACK:
        return "special"
    kind = as_dict(catalog.get(card)).get("kind")
    return kind if isinstance(kind, str) else ""


def passes(match: Mapping[str, Json], card: str, catalog: Catalog, *, this: bool = False) -> bool:
    """Whether a card passes a filter of card data (OD-183); keys of later versions let pass."""
    value = int(card[:-1]) if card in RESOURCES else None
    is_pack = card in _PACK
    tests: dict[str, Callable[[Json], bool]] = {
        "kind": lambda kinds: kind_of(card, catalog) in as_texts(kinds),
        "suit": lambda suits: is_pack and card[-1] in as_texts(suits),
        "colour": lambda colour: is_pack and SUITS[card[-1]] == colour,
        "rank": lambda ranks: is_pack and card[:-1] in as_texts(ranks),
        "min": lambda least: value is not None and value >= as_int(least),
        "max": lambda most: value is not None and value <= as_int(most),
        "id": lambda ids: card in as_texts(ids),
        "this": lambda wanted: this == (wanted is True),
    }
    return all(tests[key](wanted) for key, wanted in match.items() if key in tests)


# --- what scores -----------------------------------------------------------------------------------


@frozen(eq=False)
class Term:
    """A scoring term. `cards` are the cards it counts, None for all of its zone."""

    scope: str
    zone: str
    cards: frozenset[str] | None
    each: int | None
    at_least: int
    vp: int
    is_tree: bool


def terms_of(entry: Json, catalog: Catalog) -> tuple[Term, ...]:
    """Return the scoring terms of a catalog entry; those that it does not understand are left out."""
    if not isinstance(entry, dict) or not isinstance(entry.get("score"), list):
        return ()
    terms = []
    for raw in dicts_in(entry["score"]):
        match = raw.get("match")
        each, at_least, vp = (
            value if has_int(value) else None
            for value in (raw.get(key) for key in ("each", "at_least", "vp"))
        )
        if each is None and (at_least is None or vp is None):
            continue
        terms.append(
            Term(
                scope=str(raw.get("scope")),
                zone=str(raw.get("zone")),
                cards=_matching(match, catalog) if isinstance(match, dict) and match else None,
                each=each,
                at_least=at_least or 0,
                vp=vp or 0,
                is_tree=raw.get("measure") == "tree",
            )
        )
    return tuple(terms)


def reward_of(entry: Json) -> int:
    """Return the VP that a character's skill brings when another character falls."""
    skill = as_dict(as_dict(entry).get("skill"))
    if skill.get("on") != "character_discarded":
        return 0
    return sum(
        as_int(line.get("n"))
        for line in dicts_in(skill.get("do"))
        if line.get("op") == "vp" and line.get("whose") in (None, "self")
    )


def _matching(match: Mapping[str, Json], catalog: Catalog) -> frozenset[str]:
    """Return the faces that pass a filter, whatever their marks."""
    of_the_face = {key: wanted for key, wanted in match.items() if key != "this"}
    cards = (*FACES, *(card for card in catalog if card not in SPECIALS))
    return frozenset(card for card in cards if passes(of_the_face, card, catalog))
