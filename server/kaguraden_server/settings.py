"""One setting: its default, unit, bounds and meaning, kept where the setting is defined."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Final

import attrs
from attrs import Attribute, frozen
from kaguraden_rules.kernel import Text

__all__ = ["About", "about", "faults", "from_text", "setting", "suggestion"]

_KEY = "about"
_WHOLE: Final = re.compile(r"[+-]?[0-9]+(?:_[0-9]+)*")  # as in TOML
MAX_DIGITS: Final = 30  # Python refuses numbers of some thousand
HIDDEN: Final = Text("(表示しません)", "something that is not shown")
_WRONG_CHARACTERS: Final = {"Cc", "Cs"}  # control characters, and what was no UTF-8


@frozen
class About:
    """What a setting means and what it may be.

    `unit` is "" for counts, names and switches; `low` and `high` bound numbers, inclusive, and the
    length of texts; `choices` lists what a text may be; `each` tells whether an entry of a list is
    as it should be, such as `like`. `reload` says that a running server can take it over, for what
    begins after that; `secret` that it is shown to nobody; `flag` names the option of `serve` that
    sets it.
    """

    meaning: str
    unit: str = ""
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()
    ja: str = ""
    reload: bool = False
    secret: bool = False
    flag: str = ""
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
    secret: bool = False,
    flag: str = "",
    each: Callable[[str], bool] | None = None,
    like: str = "",
) -> Any:  # noqa: ANN401
    """Define a setting of a frozen attrs class; see `About`."""
    told = About(
        meaning, unit, low, high, tuple(choices), ja, reload, secret, flag, each=each, like=like
    )
    return attrs.field(default=default, metadata={_KEY: told})


def about(attribute: Attribute[Any]) -> About:
    """Return what is said about a setting."""
    told = attribute.metadata.get(_KEY)
    return told if isinstance(told, About) else About("")


def suggestion(
    name: str, known: Iterable[str], spelled: Callable[[str], str] = str
) -> tuple[str, str]:
    """Return "; did you mean …?" in Japanese and English if a known name is near, else "" twice."""
    near = get_close_matches(name, list(known), n=1)
    return meant(spelled(near[0])) if near else ("", "")


def meant(name: str) -> tuple[str, str]:
    """Return "; did you mean NAME?" in Japanese and English."""
    return f"。{name} のことですか", f"; did you mean {name}?"


def from_text(text: str, default: object) -> object:
    """Return what a text of the environment or the command line stands for, by the default's type.

    Lists are separated by commas. What is not right stays a text, for `faults` to tell.
    """
    match default:
        case bool():
            return {"true": True, "false": False}.get(text, text)
        case int():
            right = _WHOLE.fullmatch(text) and len(text) <= MAX_DIGITS
            return int(text) if right else text
        case tuple():
            return [entry.strip() for entry in text.split(",") if entry.strip(" ")]
        case _:
            return text


def faults(
    values: Mapping[str, object],
    section: type,
    told: Mapping[str, About] | None = None,
    spelled: Callable[[str], str] = str,
) -> Iterator[tuple[str, Text]]:
    """Yield `(name, what is wrong)` for each value that is no setting or not allowed.

    Args:
        values: As read from a file, by name.
        section: The attrs class whose settings they are; it decides on types by its defaults.
        told: What each setting means, where the class itself does not say.
        spelled: Returns how a setting's name is written where the values come from.
    """
    known = attrs.fields_dict(section)
    for name, value in values.items():
        if name not in known:
            ja, en = suggestion(name, known, spelled)
            yield name, Text(f"そのような設定はありません{ja}", f"unknown setting{en}")
            continue
        note = (told or {}).get(name) or about(known[name])
        expected = _expected(value, known[name].default, note)
        if expected is None:
            continue
        got = HIDDEN if note.secret else Text(_show(value), _show(value))
        near = suggestion(value, note.choices) if isinstance(value, str) else ("", "")
        yield (
            name,
            Text(
                f"{expected.ja}。今の値: {got.ja}{near[0]}",
                f"expected {expected.en}, got {got.en}{near[1]}",
            ),
        )


def _expected(value: object, default: object, note: About) -> Text | None:
    """Return what a value should be, or None if it is that."""
    match default:
        case bool():
            right = isinstance(value, bool)
            return None if right else Text("true か false にしてください", "true or false")
        case int():
            return _expected_number(value, note)
        case tuple():
            return _expected_list(value, note)
        case _:
            return _expected_text(value, note)


def _expected_number(value: object, note: About) -> Text | None:
    low, high = note.low or 0, math.inf if note.high is None else note.high
    if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
        return None
    most = ("", " up") if note.high is None else (f"{note.high}まで", f" to {note.high}")
    unit = f" ({note.unit})" if note.unit else ""
    return Text(
        f"{low}から{most[0]}の整数{unit}にしてください", f"a whole number from {low}{most[1]}{unit}"
    )


def _expected_list(value: object, note: About) -> Text | None:
    if not isinstance(value, (list, tuple)) or not all(isinstance(v, str) for v in value):
        return Text("文字列の並びにしてください", "a list of texts")
    if any(_is_unclean(entry) for entry in value):
        return Text("制御文字は使えません", "texts without control characters")
    if note.each is not None and not all(map(note.each, value)):
        return Text(f"{note.like} のように書いてください", f"entries such as {note.like}")
    return None


def _expected_text(value: object, note: About) -> Text | None:
    if not isinstance(value, str):
        return Text("文字列にしてください", "a text")
    if note.choices and value not in note.choices:
        names = ", ".join(note.choices)
        return Text(f"次のどれかにしてください: {names}", f"one of {names}")
    if _is_unclean(value):
        return Text("制御文字は使えません", "a text without control characters")
    low, high = note.low or 0, math.inf if note.high is None else note.high
    if not low <= len(value) <= high:
        length = len(value)
        return Text(
            f"{low}から{note.high}文字にしてください ({length}文字あります)",
            f"{low} to {note.high} characters, not {length}",
        )
    return None


def _is_unclean(text: str) -> bool:
    return any(unicodedata.category(character) in _WRONG_CHARACTERS for character in text)


def _show(value: object) -> str:
    shown = {True: "true", False: "false"}.get(value) if isinstance(value, bool) else repr(value)
    text = str(shown)
    return text if len(text) <= 40 else text[:37] + "…"
