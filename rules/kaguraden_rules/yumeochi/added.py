"""The card sets that a host adds, read together (YU-93, YU-99).

A file comes as its bytes: who reads it from a disk is not the rules' business. Each set has an id of
its own, which no other file and none of the game's sets has; a set with faults keeps its id taken, so
that one run tells everything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from kaguraden_rules.kernel import Text
from kaguraden_rules.toml import read_toml
from kaguraden_rules.yumeochi.reading import CheckedSet, read_set, set_id
from kaguraden_rules.yumeochi.sets import SETS

__all__ = ["check_sets", "is_set"]

_ARRAYS: Final = ("role", "skill", "time")
_HEADERS: Final = re.compile(rb"^[ \t]*(?:\[set\]|\[\[(?:role|skill|time)\]\])", re.MULTILINE)


def check_sets(files: Mapping[str, bytes]) -> tuple[CheckedSet, ...]:
    """Check card set files; of two with the same id the later one is at fault (YU-140).

    Args:
        files: What each holds, by the name to give in faults.
    """
    taken = dict.fromkeys(SETS, Text("ゲームのセット", "a set of the game"))
    checked: list[CheckedSet] = []
    for file, data in files.items():
        checked.append(read_set(file, data, taken))
        if (named := set_id(_table(data) or {})) is not None:
            taken.setdefault(named, Text(f" {file} ", file))
    return tuple(checked)


def is_set(data: bytes) -> bool:
    """Tell whether a file of a host is a card set of this game, by what stands at its top (YU-93).

    One that is no TOML is known by a line that begins a part of a set, so that its author is told
    what is wrong with it.
    """
    table = _table(data)
    if table is None:
        return _HEADERS.search(data) is not None
    return isinstance(table.get("set"), dict) or any(
        isinstance(table.get(array), list) for array in _ARRAYS
    )


def _table(data: bytes) -> dict[str, Any] | None:
    try:
        return read_toml(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
