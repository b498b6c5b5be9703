"""The difference of two views as a JSON Patch (RFC 6902) of add, remove and replace.

Both views were made for the same viewer, so the patch tells nothing that they do not. Lists are
compared from the front and from the back: what lies between is replaced, added or removed entry by
entry, which is short for the piles and fields that a game changes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .records import canonical

if TYPE_CHECKING:
    from kaguraden_rules.kernel import Json

__all__ = ["diff", "view_hash"]


def diff(before: Json, after: Json) -> list[Json]:
    """Return the operations that turn `before` into `after`; they are to be done in order."""
    return list(_diff(before, after, ""))


def view_hash(view: Json) -> str:
    """Return the SHA-256 in hex of a view as canonical JSON in UTF-8."""
    return hashlib.sha256(canonical(view).encode()).hexdigest()


def _diff(before: Json, after: Json, path: str) -> Iterator[Json]:
    if before == after and _deep_same(before, after):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _diff_objects(before, after, path)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _diff_lists(before, after, path)
    else:
        yield {"op": "replace", "path": path, "value": after}


def _deep_same(before: Json, after: Json) -> bool:
    # true == 1 in Python and not in JSON.
    return json.dumps(before, sort_keys=True) == json.dumps(after, sort_keys=True)


def _diff_objects(before: dict[str, Json], after: dict[str, Json], path: str) -> Iterator[Json]:
    for name in before:
        if name not in after:
            yield {"op": "remove", "path": f"{path}/{_escape(name)}"}
    for name, value in after.items():
        step = f"{path}/{_escape(name)}"
        if name in before:
            yield from _diff(before[name], value, step)
        else:
            yield {"op": "add", "path": step, "value": value}


def _diff_lists(before: list[Json], after: list[Json], path: str) -> Iterator[Json]:
    start = 0
    shorter = min(len(before), len(after))
    while start < shorter and _deep_same(before[start], after[start]):
        start += 1
    end = 0
    while end < shorter - start and _deep_same(before[-1 - end], after[-1 - end]):
        end += 1
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    for i in range(min(len(old), len(new))):
        yield from _diff(old[i], new[i], f"{path}/{start + i}")
    at = start + min(len(old), len(new))
    for _ in old[len(new) :]:
        yield {"op": "remove", "path": f"{path}/{at}"}
    for i, value in enumerate(new[len(old) :]):
        yield {"op": "add", "path": f"{path}/{at + i}", "value": value}


def _escape(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
