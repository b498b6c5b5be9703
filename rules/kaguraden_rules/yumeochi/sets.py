"""The card sets that come with the game."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from importlib import resources
from types import MappingProxyType
from typing import Final

from kaguraden_rules.yumeochi.card import CardSet
from kaguraden_rules.yumeochi.making import make_set

__all__ = ["BASE", "SETS"]


def _own(name: str) -> CardSet:
    data = resources.files("kaguraden_rules.yumeochi").joinpath("packs", name).read_bytes()
    return make_set(tomllib.loads(data.decode("utf-8")), hashlib.sha256(data).hexdigest())


BASE: Final = _own("base.toml")
SETS: Final[Mapping[str, CardSet]] = MappingProxyType({BASE.id: BASE})
