"""Reading TOML of strangers, and on which line each key of it stands, for faults (OD-188, EN-97).

The standard reader of TOML tells values, not places. `key_lines` is no second reader: it takes a
text that the first one has read, walks over it once, and notes the line of each table header, of
each key at the start of a line and of each entry of a list. What it does not understand it skips,
so a fault below such a place is told with the line of the nearest place above that is known.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from typing import Any

__all__ = ["key_lines", "line_of", "read_toml"]

# Possessive, and begun at the start of a part, so that it takes linear time.
_DEEP_KEY = re.compile(
    r"""(?<![\w-])(?:(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){32}"""
)
_NAME = r"([A-Za-z0-9_-]+(?:\s*\.\s*[A-Za-z0-9_-]+)*)"
_HEADER = re.compile(rf"\s*(\[\[?)\s*{_NAME}\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(rf"\s*{_NAME}\s*=\s*")
_TOKEN = re.compile(
    r'"""|\'\'\'|"(?:[^"\\]|\\.)*"|\'[^\']*\'|#[^\n]*|[\[\]{},\n]'
)  # what a value can be made of that matters here


def read_toml(text: str) -> dict[str, Any]:
    """Read TOML; the standard reader takes most of a minute for a key with some ten thousand dots.

    Raises:
        ValueError: It is not TOML, or it has a number or a key that is far too long.
        RecursionError: Its values are nested too deep.
    """
    if found := _DEEP_KEY.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise ValueError(f"a key of too many parts (at line {line})")
    return tomllib.loads(text)


def key_lines(text: str) -> dict[str, int]:
    """Return the line, counted from 1, of every path such as `card[2].skill.do[0]` that it finds."""
    found: dict[str, int] = {}
    table, numbers = "", Counter[str]()
    at, line = 0, 1
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        here = text[at:end]
        if header := _HEADER.match(here):
            table = _table(header[2], header[1] == "[[", numbers)
            found.setdefault(table, line)
        elif key := _KEY.match(here):
            path = ".".join(part.strip() for part in key[1].split("."))
            path = f"{table}.{path}" if table else path
            found.setdefault(path, line)
            entry_lines, end = _entries(text, at + key.end(), line)
            for entry, entry_line in enumerate(entry_lines):
                found.setdefault(f"{path}[{entry}]", entry_line)
            end = text.find("\n", end)
            end = len(text) if end < 0 else end
        line += text.count("\n", at, end) + 1
        at = end + 1
    return found


def _table(name: str, is_list: bool, numbers: Counter[str]) -> str:
    """Return the path of a header: `card.score` is `card[1].score[0]` under the second card."""
    parts = [part.strip() for part in name.split(".")]
    path = ""
    for depth, part in enumerate(parts):
        path = f"{path}.{part}" if path else part
        is_last = depth == len(parts) - 1
        if is_last and is_list:
            numbers[path] += 1
        if numbers[path] and (is_list or not is_last):
            path = f"{path}[{numbers[path] - 1}]"
    return path


def _entries(text: str, at: int, line: int) -> tuple[list[int], int]:
    """Return the lines of the entries of the list that a value is, and where the value ends."""
    entries: list[int] = []
    open_brackets: list[str] = []
    is_fresh = True  # no part of the next entry has come yet
    while token := _TOKEN.search(text, at):
        gap, word = text[at : token.start()], token[0]
        in_list = open_brackets == ["["]
        if in_list and is_fresh and (gap.strip() or word[0] in "[{\"'"):
            entries.append(line)
            is_fresh = False
        at = token.end()
        match word:
            case '"""' | "'''":
                close = text.find(word, at)
                close = len(text) if close < 0 else close + 3
                line += text.count("\n", at, close)
                at = close
            case "\n":
                if not open_brackets:
                    return entries, token.start()
                line += 1
            case "[" | "{":
                open_brackets.append(word)
            case "]" | "}":
                if open_brackets:
                    open_brackets.pop()
            case "," if in_list:
                is_fresh = True
    return entries, len(text)


def line_of(path: str, lines: Mapping[str, int]) -> int | None:
    """Return the line of a path, or of the nearest place above it that is known."""
    while path:
        if path in lines:
            return lines[path]
        above = re.search(r"(?:\[\d+\]|\.[^.\[\]]*)$", path)
        path = "" if above is None else path[: above.start()]
    return None
