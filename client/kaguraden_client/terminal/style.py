"""How the named styles of the painters look.

Painters name what a text *is* (`card.red`, `turn`, `alert`); this module says how that looks.
Every meaning that a style carries is in the text too (a suit's sign, a word, a mark), so the
screens read the same with 256 colours, with 16, and with none. prompt_toolkit fits the colours to
what the terminal has, and honours NO_COLOR.
"""

from __future__ import annotations

from prompt_toolkit.styles import Style

from .text import Line

__all__ = ["STYLE", "grey", "prompt_fragments"]

_LOOKS = {
    "title": "reverse",
    "title.alert": "reverse bold",
    "rule": "#808080",
    "rule.name": "bold",
    "dim": "#808080",
    "strong": "bold",
    "turn": "bold",
    "you": "underline",
    "away": "italic",
    "asked": "bold",
    "card.red": "ansired bold",
    "card.black": "bold",
    "card.other": "bold",
    "field": "#808080",
    "vp": "bold",
    "menu.key": "bold",
    "menu.at": "reverse",
    "menu.default": "#808080",
    "menu.message": "italic",
    "input": "underline",
    "alert": "bold ansired",
    "good": "ansigreen",
    "keys": "reverse",
    "keys.key": "reverse bold",
    "log.new": "bold",
    "log.chat": "ansicyan",
    "found": "reverse",
    "grey": "#808080 nobold nounderline",
}

# A style name such as `card.red` is the class of the same name.
STYLE = Style(list(_LOOKS.items()))


def prompt_fragments(line: Line) -> list[tuple[str, str]]:
    """Return a line with its style names as prompt_toolkit's classes."""
    return [(" ".join(f"class:{name}" for name in style.split()), text) for style, text in line]


def grey(line: Line) -> Line:
    """Return a line in the look of what may be out of date."""
    return tuple(("grey", text) for _, text in line)
