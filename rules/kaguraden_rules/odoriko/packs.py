"""Card sets from TOML: reading, checking, and the sets that come with the game (OD-180 to OD-189).

`load_set` turns the text of one file into a `CardSet` or raises `BadPack` with every fault found in
it; a file with faults adds no card. `builtin_cards` are the nine characters of the rulebook and the
house events. Ids are unique over all sets of a room: `merge_sets`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from types import MappingProxyType

from kaguraden_rules.kernel import CardId
from kaguraden_rules.odoriko.card import Card, CardSet
from kaguraden_rules.odoriko.grammar import read_file
from kaguraden_rules.odoriko.reading import Fault, Node, Report
from kaguraden_rules.toml import key_lines, read_toml

__all__ = [
    "BadPack",
    "builtin_cards",
    "builtin_sets",
    "load_folder",
    "load_set",
    "merge_sets",
]


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
        BadPack: With every fault of the file, sorted by its place (OD-188).
    """
    report = Report(file)
    try:
        data = read_toml(text)
    except (ValueError, RecursionError) as error:  # also a number of some thousand digits
        found = re.search(r"at line (\d+)", str(error))
        line = int(found[1]) if found else None
        fault = Fault("V-01", file, "", "TOML", got=str(error) or "nesting too deep", line=line)
        raise BadPack([fault]) from None
    report.lines = key_lines(text)
    cards = read_file(Node(data, "", report))
    if report.faults:
        raise BadPack(sorted(report.faults, key=lambda fault: fault.line or 0))
    return cards


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


def load_folder(folder: Traversable) -> tuple[CardSet, ...]:
    """Read the card sets of a folder, one a `.toml` file: `seed` first, then by name.

    Raises:
        BadPack: With the faults of all its files.
    """
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".toml"))
    sets: list[CardSet] = []
    faults: list[Fault] = []
    for name in sorted(names, key=lambda name: name != "seed.toml"):
        try:
            sets.append(load_set(folder.joinpath(name).read_text("utf-8"), name))
        except BadPack as bad:
            faults += bad.faults
        except UnicodeDecodeError as error:
            faults.append(Fault("V-01", name, "", "TOML in UTF-8", got=error.reason))
    if faults:
        raise BadPack(faults)
    return tuple(sets)


@cache
def builtin_sets() -> tuple[CardSet, ...]:
    """Return the sets that come with the game: `seed`, then `house`."""
    return load_folder(resources.files("kaguraden_rules.odoriko").joinpath("packs"))


@cache
def builtin_cards() -> Mapping[CardId, Card]:
    """Return the cards that come with the game, by id: `cc001` first, house events last."""
    return merge_sets(builtin_sets())
