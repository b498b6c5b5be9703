"""Text that people type and others see: names, titles, chat; and what a terminal may be given.

Names are refused when they break a rule, because a name that changes silently is not the one that
was typed. Titles and chat are cleaned instead. Whatever came from the network goes through
`for_terminal` before it is drawn, whoever sent it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from wcwidth import wcwidth

from kaguraden_protocol.errors import ErrorCode, RefusedError
from kaguraden_protocol.limits import MAX_NAME_CELLS, MAX_TITLE_CELLS

__all__ = [
    "check_name",
    "clean_chat",
    "clean_title",
    "cut",
    "distinct_name",
    "for_terminal",
    "skeleton",
    "tidy_name",
]

MAX_MARKS: Final = 2  # combining marks on a base; more run into the lines above and below
_MISSING_GLYPHS: Final = {
    "Cc": "a control character",
    "Cf": "a format character",
    "Cn": "an unassigned character",
    "Co": "a private-use character",
    "Cs": "half of a surrogate pair",
    "Zl": "a line separator",
    "Zp": "a paragraph separator",
}
# Letters and marks that show nothing: Hangul and Braille blanks, Khmer inherent vowels, Mongolian
# variation selectors, the grapheme joiner.
_BLANKS: Final = frozenset(
    "\u3164\u115f\u1160\uffa0\u2800\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f"
)
# The selectors of emoji and text style make the width of the character before them uncertain.
_STYLES: Final = frozenset(chr(c) for c in range(0xFE00, 0xFE10))
# What changes a glyph but not what it reads as: those, and the variants of ideographs.
_VARIANTS: Final = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_SPACES: Final = re.compile(" {2,}")
_EASY: Final = re.compile("[ -~]*")


def check_name(name: str) -> str:
    """Return the name, which follows the rules of names.

    Raises:
        RefusedError: `bad_name`, with the `position` of the first character at fault, counted in
            code points from 0, and the problem in English.
    """
    fault = _name_fault(name)
    if fault is None:
        return name
    position, problem = fault
    raise RefusedError(
        ErrorCode.BAD_NAME,
        {"position": position, "problems": [{"path": "$.name", "problem": problem}]},
    )


def _name_fault(name: str) -> tuple[int, str] | None:
    if not name:
        return 0, "empty"
    marks = MAX_MARKS  # nothing to put a mark on yet
    spaced = True
    width = 0
    for i, character in enumerate(name):
        category = unicodedata.category(character)
        if category in _MISSING_GLYPHS:
            return i, _MISSING_GLYPHS[category]
        if character in _BLANKS:
            return i, "a character that shows nothing"
        if category == "Zs":
            if spaced:
                return i, "a space at the start" if i == 0 else "two spaces together"
            spaced, marks = True, MAX_MARKS
        elif _is_mark(character, category):
            if spaced:
                return i, "a mark without a letter"
            if marks == MAX_MARKS:
                return i, f"more than {MAX_MARKS} marks on a letter"
            marks += 1
        else:
            spaced, marks = False, 0
        width += wcwidth(character)
        if width > MAX_NAME_CELLS:
            return i, f"wider than {MAX_NAME_CELLS} cells"
    if spaced:
        return len(name) - 1, "a space at the end"
    composed = unicodedata.normalize("NFC", name)
    if composed != name:
        pairs = enumerate(zip(name, composed, strict=False))
        position = next((i for i, (a, b) in pairs if a != b), min(len(name), len(composed)))
        return position, "not in composed form (NFC)"
    return None


def _is_mark(character: str, category: str) -> bool:
    """Tell whether a character is drawn on the one before it, as marks and some letters are."""
    return category[0] == "M" or wcwidth(character) == 0


def tidy_name(text: str, otherwise: str) -> str:
    """Return a good name made of any text, such as a login name; `otherwise` if none is left."""
    name = cut(_single_spaces(unicodedata.normalize("NFC", for_terminal(text))), MAX_NAME_CELLS)
    return name if _name_fault(name) is None else otherwise


def skeleton(name: str) -> str:
    """Return what two names have in common that look alike."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return _VARIANTS.sub("", unicodedata.normalize("NFKC", folded))


def distinct_name(name: str, taken: Iterable[str]) -> str:
    """Return the name, with a number added if it looks like one of those taken."""
    skeletons = {skeleton(other) for other in taken}
    candidate, number = name, 1
    while skeleton(candidate) in skeletons:
        number += 1
        ending = f" {number}"
        candidate = cut(name, MAX_NAME_CELLS - len(ending)) + ending
    return candidate


def clean_title(title: str) -> str | None:
    """Return a room's title fit for a line of a list, or None if nothing is left of it."""
    return cut(_single_spaces(for_terminal(title)), MAX_TITLE_CELLS) or None


def clean_chat(text: str) -> str:
    """Return a line of chat fit to be sent on; empty if nothing is left of it."""
    return unicodedata.normalize("NFC", for_terminal(text)).strip()


def _single_spaces(text: str) -> str:
    spaced = "".join(" " if unicodedata.category(c) == "Zs" else c for c in text)
    return _SPACES.sub(" ", spaced).strip()


def cut(text: str, cells: int) -> str:
    """Return as much of clean text as fits into so many cells, without a space at the end."""
    width = 0
    for i, character in enumerate(text):
        width += wcwidth(character)
        if width > cells:
            return text[:i].rstrip()
    return text


@lru_cache(4_096)
def for_terminal(text: str) -> str:
    """Return one line of text that a terminal can be given: what could harm is gone.

    Line ends and tabs become spaces. Control, format (bidi overrides, joiners, zero widths),
    private-use and unassigned characters, blank letters and style selectors are dropped, and so
    are marks beyond two on a base.
    """
    if _EASY.fullmatch(text):
        return text
    kept: list[str] = []
    marks = MAX_MARKS  # nothing to put a mark on yet
    for character in text:
        category = unicodedata.category(character)
        if character in "\t\n\r\v\f\x1c\x1d\x1e\x85" or category in ("Zl", "Zp"):
            kept.append(" ")
            marks = MAX_MARKS
        elif category in _MISSING_GLYPHS or character in _BLANKS or character in _STYLES:
            continue
        elif _is_mark(character, category):
            if marks < MAX_MARKS:
                kept.append(character)
                marks += 1
        else:
            kept.append(character)
            marks = MAX_MARKS if category == "Zs" else 0
    return "".join(kept)
