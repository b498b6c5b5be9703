"""What is wrong with a name or an option, for people, in Japanese and English.

Problems travel as English text for developers, `{path, problem}`. Those that people run into are
known here by their wording; any other is told as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kaguraden_protocol.messages import Json

__all__ = ["of_fields", "of_message", "of_name"]

MAX_TOLD = 3  # in one message; `details` has the others

_NAMES: Final[Mapping[str, tuple[str, str]]] = {
    r"empty": ("空です", "it is empty"),
    r"wider than (\d+) cells": (
        "長すぎます(半角{0}字まで)",
        "it is too long, over {0} columns",
    ),
    r"more than (\d+) marks on a letter": ("1文字に結合文字が{0}個より多くあります", ""),
    r"a control character": ("制御文字があります", ""),
    r"a format character": ("書式用の文字があります", ""),
    r"an unassigned character": ("割り当てのない文字があります", ""),
    r"a private-use character": ("外字があります", ""),
    r"half of a surrogate pair": ("半端な文字があります", ""),
    r"a (?:line|paragraph) separator": ("改行があります", ""),
    r"a character that shows nothing": ("見えない文字があります", ""),
    r"a space at the start": ("空白で始まっています", ""),
    r"a space at the end": ("空白で終わっています", ""),
    r"two spaces together": ("空白が続いています", ""),
    r"a mark without a letter": ("結合文字だけがあります", ""),
    r"not in composed form \(NFC\)": (
        "合成された形(NFC)ではありません",
        "it is not in composed form (NFC)",
    ),
}
_VALUES: Final[Mapping[str, tuple[str, str]]] = {
    r"(?:no such option|unknown (?:option|setting)).*": (
        "そのような設定はありません",
        "there is no such option",
    ),
    r".*\b(\d+) to (\d+) \(ms\).*": ("{0}から{1}ミリ秒まで", "{0} to {1} ms"),
    r"(?:expected )?(?:an? (?:whole number|integer) )?(?:from )?(\d+) to (\d+)": (
        "{0}から{1}まで",
        "{0} to {1}",
    ),
    r"(?:expected )?one of (.*)": ("次のどれか: {0}", "one of {0}"),
    r"expected true or false": ("true か false", "true or false"),
    r"a day's challenge is a room of its own; open one": (
        "今日の演目帖は専用の部屋で遊びます。新しい部屋を開いてください",
        "",
    ),
    r"a day's challenge has exactly one seat": ("今日の演目帖は一人用です", ""),
    r"the day (\S+) is over; open a new room for today's challenge": (
        "{0} は終わりました。今日の演目帖は新しい部屋で開いてください",
        "",
    ),
    r"this day is yet to come; in Japan it is (\S+)": (
        "まだ来ていない日です(日本では {0})",
        "",
    ),
    r"no such day": ("その日付はありません", ""),
    r"no book of this id, nor today": ("その演目帖はありません", ""),
}


def of_name(details: Mapping[str, Json], locale: str) -> str:
    """Return what is wrong with a name, and where; "" if `details` do not say."""
    told = next((problem for _, problem in _pairs(details)), "")
    said = _say(_NAMES, told, locale)
    position = details.get("position")
    if not said or not isinstance(position, int) or told == "empty":
        return said
    nth = position + 1  # as people count
    return f"{said}({nth}文字目)" if locale == "ja" else f"{said} (character {nth})"


def of_fields(details: Mapping[str, Json], locale: str) -> list[str]:
    """Return what is wrong with options or a deck, one text for each fault."""
    return _distinct(
        f"{name}: {_say(_VALUES, problem, locale)}" if name else problem
        for name, problem in ((p.removeprefix("$").lstrip("."), q) for p, q in _pairs(details))
    )


def of_message(details: Mapping[str, Json]) -> list[str]:
    """Return what is wrong with a message, for who writes the client: paths and all."""
    return _distinct(f"{path} {problem}" for path, problem in _pairs(details))


def _pairs(details: Mapping[str, Json]) -> list[tuple[str, str]]:
    problems = details.get("problems")
    found = problems if isinstance(problems, list) else []
    return [(str(p.get("path")), str(p.get("problem"))) for p in found if isinstance(p, dict)]


def _distinct(told: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(told))[:MAX_TOLD]


def _say(known: Mapping[str, tuple[str, str]], problem: str, locale: str) -> str:
    for pattern, (ja, en) in known.items():
        found = re.fullmatch(pattern, problem)
        if found is not None:
            text = ja if locale == "ja" else en
            return text.format(*found.groups()) if text else problem
    return problem
