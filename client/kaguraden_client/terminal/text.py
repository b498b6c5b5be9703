"""Text in cells: measuring, cutting, padding and wrapping, and lines of styled fragments.

A terminal is a grid of cells. Most characters take one, Japanese ones two, combining marks none,
and nothing here assumes which: every width comes from wcwidth, summed a character at a time, as
prompt_toolkit draws. A cut never leaves half of a wide character nor a mark without its base.

What came from the network passes `clean` before it is measured; what is left holds no control,
format or bidirectional characters, so a width that was computed is the width that is drawn.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from kaguraden_protocol.text import for_terminal
from wcwidth import wcwidth

__all__ = [
    "Fragment",
    "Line",
    "clean",
    "cut",
    "cut_line",
    "fit_line",
    "join",
    "line_text",
    "line_width",
    "narrow",
    "pad",
    "plain_text",
    "width",
    "wrap",
    "wrap_line",
]

Fragment: TypeAlias = tuple[str, str]  # style names separated by spaces, text
Line: TypeAlias = tuple[Fragment, ...]

ELLIPSIS = "…"

# Characters that may not begin a line, and that may not end one (the usual Japanese rule).
_NOT_FIRST = frozenset(
    "、。，．・：；？！ー）」』】〕〉》”’々ぁぃぅぇぉっゃゅょァィゥェォッャュョ,.:;?!)]}%…"
)
_NOT_LAST = frozenset("（「『【〔〈《“‘([{◆●◇▼○△×")  # signs stand before what they are about

# What stands for characters whose width a terminal set up for East Asian text may double.
_NARROW = {
    "…": "~", "·": "-", "─": "-", "│": "|", "★": "*", "☆": "*", "♥": "h", "♦": "d", "♠": "s",
    "♣": "c", "▮": "#", "▯": "-", "‹": "<", "›": ">", "“": '"', "”": '"', "‘": "'", "’": "'",
    "→": ">", "←": "<", "↑": "^", "↓": "v", "−": "-", "–": "-", "—": "-", "×": "x", "❯": ">",
    "●": "*", "○": "o", "◆": "*", "■": "#", "□": "o", "▲": "^", "▼": "v", "█": "#", "░": ".",
    "✓": "v", "◇": "*", "△": "^", "▒": ".", "♡": ".", "◎": "@", "▬": "#", "▭": "-", "†": "+",
    "❮": "<",
}  # fmt: skip


@functools.lru_cache(maxsize=4096)
def _cell_width(character: str) -> int:
    return max(0, wcwidth(character))


def width(text: str) -> int:
    """Return how many cells the text takes."""
    if text.isascii():
        return len(text)
    return sum(map(_cell_width, text))


def clean(text: object) -> str:
    """Return text from elsewhere as one line that is safe to draw and to measure."""
    return for_terminal(str(text))


def narrow(text: str) -> str:
    """Replace the characters of ambiguous width, for terminals that draw them two cells wide."""
    return text if text.isascii() else "".join(_NARROW.get(c, c) for c in text)


def _clusters(text: str) -> Iterator[tuple[str, int]]:
    """Yield each base character with its marks, and its cells."""
    cluster, cells = "", 0
    for character in text:
        here = _cell_width(character)
        if here == 0 and cluster:
            cluster += character
            continue
        if cluster:
            yield cluster, cells
        cluster, cells = character, here
    if cluster:
        yield cluster, cells


def cut(text: str, cells: int, mark: str = ELLIPSIS) -> str:
    """Return the text, or as much of it as fits in `cells` with `mark` at its end."""
    if width(text) <= cells:
        return text
    room = cells - width(mark)
    if room < 0:
        return cut(text, cells, "") if mark else ""
    kept = ""
    for cluster, size in _clusters(text):
        if size > room:
            break
        kept += cluster
        room -= size
    return kept + mark


def pad(text: str, cells: int, align: Literal["left", "right", "centre"] = "left") -> str:
    """Return the text cut or filled with spaces to exactly `cells`."""
    text = cut(text, cells)
    missing = max(0, cells - width(text))
    if align == "right":
        return " " * missing + text
    if align == "centre":
        return " " * (missing // 2) + text + " " * (missing - missing // 2)
    return text + " " * missing


def wrap(text: str, cells: int) -> list[str]:
    """Return the text in lines of at most `cells`: broken at spaces or between wide characters."""
    return [line_text(line) for line in wrap_line((("", text),), cells)]


# --- lines of fragments ------------------------------------------------------------------------


def line_text(line: Line) -> str:
    """Return a line without its styles."""
    return "".join(text for _, text in line)


def plain_text(lines: Iterable[Line]) -> str:
    """Return lines as text, for tests and captures."""
    return "\n".join(line_text(line).rstrip() for line in lines)


def line_width(line: Line) -> int:
    """Return how many cells a line takes."""
    return sum(width(text) for _, text in line)


def cut_line(line: Line, cells: int, mark: str = ELLIPSIS) -> Line:
    """Return the line, or as much of it as fits in `cells`."""
    if line_width(line) <= cells:
        return line
    out: list[Fragment] = []
    room = cells - width(mark)
    if room < 0:
        return cut_line(line, cells, "") if mark else ()
    for style, text in line:
        size = width(text)
        if size <= room:
            out.append((style, text))
            room -= size
            continue
        out.append((style, cut(text, room, "") + mark))
        break
    return tuple(out)


def fit_line(line: Line, cells: int, style: str = "") -> Line:
    """Return the line cut or filled with spaces to exactly `cells`."""
    line = cut_line(line, cells)
    missing = cells - line_width(line)
    return (*line, (style, " " * missing)) if missing > 0 else line


def join(pieces: Iterable[Line], between: str = "  ", style: str = "") -> Line:
    """Return the pieces in one line with `between` them; empty pieces are left out."""
    out: list[Fragment] = []
    for piece in pieces:
        if not piece:
            continue
        if out:
            out.append((style, between))
        out.extend(piece)
    return tuple(out)


def wrap_line(line: Line, cells: int, indent: int = 0) -> list[Line]:
    """Return the line in lines of at most `cells`; those after the first are indented.

    Breaks at a space, or beside a wide character, unless the next line would begin with a
    closing mark or this one end with an opening mark. A word longer than a line is broken.
    """
    cells = max(2, cells)
    indent = min(indent, cells - 2)
    units = [(style, c, size) for style, text in line for c, size in _clusters(text)]
    lines: list[Line] = []
    begin = 0
    while begin < len(units):
        room = cells - (indent if lines else 0)
        end, used = begin, 0
        while end < len(units) and used + units[end][2] <= room:
            used += units[end][2]
            end += 1
        if end < len(units):
            end = _break_before(units, begin, end)
        stop = end
        while stop > begin and end < len(units) and units[stop - 1][1] == " ":
            stop -= 1
        prefix: Line = (("", " " * indent),) if lines and indent else ()
        lines.append(prefix + _merge(units[begin:stop]))
        begin = end
        while begin < len(units) and units[begin][1] == " ":
            begin += 1
    return lines or [()]


def _break_before(units: list[tuple[str, str, int]], begin: int, end: int) -> int:
    """Return the best place at or before `end` to begin the next line, after `begin`."""
    for at in range(end, begin, -1):
        before, after = units[at - 1], units[at]
        if before[1] == " " or after[1] == " ":
            return at
        if after[1] in _NOT_FIRST or before[1] in _NOT_LAST:
            continue
        if before[2] == 2 or after[2] == 2:
            return at
    return max(end, begin + 1)


def _merge(units: Iterable[tuple[str, str, int]]) -> Line:
    out: list[Fragment] = []
    for style, text, _ in units:
        if out and out[-1][0] == style:
            out[-1] = (style, out[-1][1] + text)
        else:
            out.append((style, text))
    return tuple(out)
