"""The games of the hall, by their names on the wire, and the cards that a host adds to them.

Who runs games hands card files in here as bytes and never asks which game they belong to.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from kaguraden_rules.kernel import Game
from kaguraden_rules.odoriko.custom import (
    MAX_BYTES,
    CheckedFile,
    check_files,
    custom_sets,
    in_lines,
)
from kaguraden_rules.odoriko.game import Odoriko
from kaguraden_rules.odoriko.packs import BadPack, builtin_sets
from kaguraden_rules.odoriko.reading import Fault

__all__ = [
    "GAMES",
    "MAX_BYTES",
    "BadPack",
    "CheckedFile",
    "Fault",
    "check_packs",
    "games",
    "in_lines",
]


def check_packs(files: Mapping[str, bytes]) -> tuple[CheckedFile, ...]:
    """Check card files, alone and together; return what was found, file by file (OD-188).

    Args:
        files: What each holds, by the name to give in faults.
    """
    return check_files(files)


def games(packs: Mapping[str, bytes] | None = None) -> Mapping[str, Game[Any, Any]]:
    """Return all games, with the card sets of these files besides their own (OD-189).

    Args:
        packs: What each file holds, by the name to give in faults; their order is that of the sets.

    Raises:
        BadPack: With every fault of every file; nothing is added then.
    """
    odoriko = Odoriko((*builtin_sets(), *custom_sets(packs or {})))
    return MappingProxyType({odoriko.id: odoriko})


GAMES: Mapping[str, Game[Any, Any]] = games()
