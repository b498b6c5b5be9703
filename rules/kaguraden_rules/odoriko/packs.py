"""Card sets from TOML: reading, checking, and the sets that come with the game (OD-180 to OD-189).

`load_set` turns the text of one file into a `CardSet` or raises `BadPack` with every fault found in
it; a file with faults adds no card. `builtin_cards` are the nine characters of the rulebook and the
house events. Ids are unique over all sets of a room: `merge_sets`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from types import MappingProxyType

from kaguraden_rules.kernel import CardId
from kaguraden_rules.odoriko.card import Card, CardSet
from kaguraden_rules.odoriko.grammar import read_file
from kaguraden_rules.odoriko.reading import Fault, Node, Report

__all__ = ["BadPack", "builtin_cards", "builtin_sets", "load_set", "merge_sets"]


class BadPack(Exception):
    """A file with faults; it adds no card."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults = tuple(faults)


# --- files and sets ----------------------------------------------------------------------------


def load_set(text: str, file: str) -> CardSet:
    """Read a card set (OD-180).

    Args:
        text: The TOML text.
        file: The name to give in faults.

    Raises:
        BadPack: With every fault of the file, in the order of the file's cards (OD-188).
    """
    report = Report(file)
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = re.search(r"at line (\d+)", str(error))
        line = int(found[1]) if found else None
        fault = Fault("V-01", file, "", "TOML", got=str(error) or "nesting too deep", line=line)
        raise BadPack([fault]) from None
    card_lines = _card_lines(text)
    listed = data.get("card")
    if isinstance(listed, list) and len(card_lines) == len(listed):
        report.card_lines = card_lines
    cards = read_file(Node(data, "", report))
    if report.faults:
        raise BadPack(report.faults)
    return cards


def _card_lines(text: str) -> tuple[int, ...]:
    """Return the line of each `[[card]]`, counted from 1.

    A text in triple quotes may hold such a line too; then the count is not that of the cards, and
    the caller goes without lines.
    """
    return tuple(
        number
        for number, line in enumerate(text.splitlines(), 1)
        if re.match(r"\s*\[\[\s*card\s*\]\]", line)
    )


def merge_sets(sets: Iterable[CardSet]) -> Mapping[CardId, Card]:
    """Return all cards by id, in the order of the sets.

    Raises:
        BadPack: Two sets, or two of their cards, have the same id.
    """
    cards: dict[CardId, Card] = {}
    faults: list[Fault] = []
    seen: set[str] = set()
    for card_set in sets:
        if card_set.id in seen:
            faults.append(Fault("V-05", card_set.id, "set", "a set id of its own", card_set.id))
        seen.add(card_set.id)
        for i, entry in enumerate(card_set.cards):
            if entry.id in cards:
                where = f"card[{i}].id"
                faults.append(
                    Fault("V-05", card_set.id, where, "an id no other set has", card=entry.id)
                )
            cards[entry.id] = entry
    if faults:
        raise BadPack(faults)
    return MappingProxyType(cards)


@cache
def builtin_sets() -> tuple[CardSet, ...]:
    """Return the sets that come with the game: `seed`, then `house`."""
    folder = resources.files("kaguraden_rules.odoriko").joinpath("packs")
    names = ("seed.toml", "house.toml")
    return tuple(load_set(folder.joinpath(n).read_text("utf-8"), n) for n in names)


@cache
def builtin_cards() -> Mapping[CardId, Card]:
    """Return the cards that come with the game, by id: `cc001` first, house events last."""
    return merge_sets(builtin_sets())
