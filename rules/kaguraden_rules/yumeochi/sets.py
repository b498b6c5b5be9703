"""The card sets that come with the game; the base set is the file that YU-98 names."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from types import MappingProxyType
from typing import Final

from kaguraden_rules.yumeochi.card import CardSet
from kaguraden_rules.yumeochi.reading import read_set

__all__ = ["BASE", "SETS"]


def _own(name: str) -> CardSet:
    data = resources.files("kaguraden_rules.yumeochi").joinpath("packs", name).read_bytes()
    checked = read_set(name, data)
    if checked.cards is None:
        raise ValueError("\n".join(fault.sentence.en for fault in checked.faults))
    return checked.cards


BASE: Final = _own("base.toml")
SETS: Final[Mapping[str, CardSet]] = MappingProxyType({BASE.id: BASE})
