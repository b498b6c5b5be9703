"""One setting: its default, unit, bounds and meaning, kept where the setting is defined."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

import attrs
from attrs import Attribute, frozen

__all__ = ["About", "about", "faults", "setting", "suggestion"]

_KEY = "about"


@frozen
class About:
    """What a setting means and what it may be.

    `unit` is "" for counts, names and switches; `low` and `high` bound numbers, inclusive, and the
    length of texts; `choices` lists what a text may be; `each` tells whether an entry of a list is
    as it should be, such as `like`. `reload` says that a running server can take it over.
    """

    meaning: str
    unit: str = ""
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()
    ja: str = ""
    reload: bool = False
    each: Callable[[str], bool] | None = None
    like: str = ""


def setting(
    default: Any,  # noqa: ANN401 - the field is typed by its annotation
    meaning: str,
    *,
    unit: str = "",
    low: int | None = None,
    high: int | None = None,
    choices: Iterable[str] = (),
    ja: str = "",
    reload: bool = False,
    each: Callable[[str], bool] | None = None,
    like: str = "",
) -> Any:  # noqa: ANN401
    """Define a setting of a frozen attrs class."""
    told = About(meaning, unit, low, high, tuple(choices), ja, reload, each, like)
    return attrs.field(default=default, metadata={_KEY: told})


def about(attribute: Attribute[Any]) -> About:
    """Return what is said about a setting."""
    told = attribute.metadata.get(_KEY)
    return told if isinstance(told, About) else About("")


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return "; did you mean …?" if a known name is near, else ""."""
    near = get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def faults(
    values: Mapping[str, object], section: type, told: Mapping[str, About] | None = None
) -> Iterator[tuple[str, str]]:
    """Yield `(name, what is wrong)` for each value that is no setting or not allowed.

    Args:
        values: As read from a file, by name.
        section: The attrs class whose settings they are; it decides on types by its defaults.
        told: What each setting means, where the class itself does not say.
    """
    known = attrs.fields_dict(section)
    for name, value in values.items():
        if name not in known:
            yield name, f"unknown setting{suggestion(name, known)}"
            continue
        note = (told or {}).get(name) or about(known[name])
        wrong = _fault(value, known[name].default, note)
        if wrong:
            yield name, wrong


def _fault(value: object, default: object, note: About) -> str:
    match default:
        case bool():
            return "" if isinstance(value, bool) else f"expected true or false, got {_show(value)}"
        case int():
            return _number_fault(value, note)
        case tuple():
            return _list_fault(value, note)
        case _:
            return _text_fault(value, note)


def _number_fault(value: object, note: About) -> str:
    low, high = note.low or 0, math.inf if note.high is None else note.high
    if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
        return ""
    most = "up" if note.high is None else f"to {note.high}"
    unit = f" ({note.unit})" if note.unit else ""
    return f"expected a whole number from {low} {most}{unit}, got {_show(value)}"


def _list_fault(value: object, note: About) -> str:
    if not isinstance(value, (list, tuple)) or not all(isinstance(v, str) for v in value):
        return f"expected a list of texts, got {_show(value)}"
    if note.each is not None and not all(map(note.each, value)):
        return f"expected entries such as {note.like}, got {_show(value)}"
    return ""


def _text_fault(value: object, note: About) -> str:
    if not isinstance(value, str):
        return f"expected a text, got {_show(value)}"
    if note.choices and value not in note.choices:
        near = suggestion(value, note.choices)
        return f"expected one of {', '.join(note.choices)}, got {_show(value)}{near}"
    if any(unicodedata.category(character) == "Cc" for character in value):
        return f"expected a text without control characters, got {_show(value)}"
    low, high = note.low or 0, math.inf if note.high is None else note.high
    if not low <= len(value) <= high:
        return f"expected {low} to {note.high} characters, got {len(value)}"
    return ""


def _show(value: object) -> str:
    shown = {True: "true", False: "false"}.get(value) if isinstance(value, bool) else repr(value)
    text = str(shown)
    return text if len(text) <= 40 else text[:37] + "…"
