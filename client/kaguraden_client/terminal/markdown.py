"""Markdown from a server as lines of a terminal, as far as rulebooks use it.

Headings, paragraphs, lists, small tables, bold, code and links; anything else shows as it is written.
The text is another's: every line of it is cleaned, and what is too long is cut.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence
from typing import Final

from attrs import field, frozen

from .text import Line, clean, fit_line, line_width, width, wrap_line

__all__ = ["Page", "Part", "page", "parts"]

_MOST: Final = 100_000  # characters of a text that are read; a rulebook has some thousands
_BULLET: Final = "·"
_HEADING: Final = re.compile(r"(#{1,6}) +(.*)")
_ITEM: Final = re.compile(r"(?:[-*+]|(\d{1,3}[.)])) +(.*)")
_INLINE: Final = re.compile(
    r"\*\*([^*]{1,300})\*\*|`([^`]{1,300})`|\[([^][]{1,300})\]\([^()]{0,300}\)"
)
_DASHES: Final = re.compile(r"[\s|:-]*-[\s|:-]*")


@frozen
class Page:
    """A text as lines. `sections` are the lines at which its chapters (headings # and ##) begin."""

    lines: tuple[Line, ...]
    sections: tuple[int, ...]


@frozen
class Part:
    """A heading or a paragraph, a list's entry or a table: what stands together."""

    kind: str  # heading, text, item, table
    text: str = ""  # with line feeds where lines are to be broken
    mark: str = ""  # of an entry: what stands in front of it
    level: int = 0  # of a heading
    rows: tuple[tuple[str, ...], ...] = field(default=())  # of a table: the first is its head


def parts(text: str) -> list[Part]:
    """Return what a text consists of, in order."""
    out: list[Part] = []
    is_open = False  # whether the next line goes on with the last part
    for raw in text[:_MOST].split("\n"):
        line = clean(raw).strip()
        if not line:
            is_open = False
        elif heading := _HEADING.fullmatch(line):
            out.append(Part("heading", heading[2], level=len(heading[1])))
            is_open = False
        elif line.startswith("|"):
            row = tuple(cell.strip() for cell in line.strip("|").split("|"))
            if out and out[-1].kind == "table" and is_open:
                if not _DASHES.fullmatch(line):
                    out[-1] = Part("table", rows=(*out[-1].rows, row))
            else:
                out.append(Part("table", rows=(row,)))
            is_open = True
        elif item := _ITEM.fullmatch(line):
            out.append(Part("item", item[2], mark=item[1] or _BULLET))
            is_open = True
        elif is_open and out[-1].kind in ("text", "item"):
            last = out[-1]
            out[-1] = Part(last.kind, _joined(last.text, line), last.mark)
        else:
            out.append(Part("text", line))
            is_open = True
    return out


def _joined(text: str, line: str) -> str:
    """Put a line behind a text: broken where it ends with a backslash, else as one sentence.

    Between two wide characters, as in Japanese, there is no space.
    """
    if text.endswith("\\"):
        return f"{text[:-1].rstrip()}\n{line}"
    is_wide = width(text[-1:]) == 2 or width(line[:1]) == 2
    return f"{text}{'' if is_wide else ' '}{line}"


@functools.lru_cache(maxsize=8)  # screens are drawn anew at every key
def page(text: str, cells: int) -> Page:
    """Return a text in lines of at most `cells`."""
    lines: list[Line] = []
    sections: list[int] = []
    last: tuple[str, bool] | None = None
    for part in parts(text):
        this = part.kind, part.mark == _BULLET
        if lines and (part.kind != "item" or this != last):
            lines.append(())
        last = this
        match part.kind:
            case "heading":
                if part.level <= 2:
                    sections.append(len(lines))
                mark = "■ " if part.level <= 2 else ""
                lines += wrap_line((("strong", mark + _plain(part.text)),), cells)
            case "table":
                lines += _table(part.rows, cells)
            case _:
                lines += _flow(part, cells)
    return Page(tuple(lines), tuple(sections))


def _flow(part: Part, cells: int) -> list[Line]:
    """Return a paragraph, or an entry of a list with its mark in front."""
    mark = f"{part.mark} " if part.mark else ""
    indent = min(width(mark), max(0, cells - 2))
    lines = [
        line
        for piece in part.text.split("\n")
        for line in wrap_line(_styled(piece), max(2, cells - indent))
    ]
    if not indent:
        return lines
    fronts = [mark] + [" " * indent] * (len(lines) - 1)
    return [(("", front), *line) for front, line in zip(fronts, lines, strict=True)]


def _table(rows: Sequence[Sequence[str]], cells: int) -> list[Line]:
    """Return a table in columns, or an entry a row where it is too wide for that."""
    columns = max(map(len, rows))
    styled = [[_styled(cell) for cell in row] + [()] * (columns - len(row)) for row in rows]
    wide = [max(line_width(row[i]) for row in styled) for i in range(columns)]
    head, *body = styled
    bold: list[Line] = [tuple(("strong", text) for _, text in cell) for cell in head]
    if sum(wide) + 2 * (columns - 1) <= cells:
        return [_row(row, wide) for row in (bold, *body)]
    lines: list[Line] = []
    for row in body:
        line: Line = ()
        for name, cell in zip(bold, row, strict=True):
            line += ((("", " · "),) if line else ()) + (*name, ("", ": "), *cell)
        lines += wrap_line(line, cells, 2)
    return lines


def _row(row: Iterable[Line], wide: Sequence[int]) -> Line:
    line: Line = ()
    for cell, cells in zip(row, wide, strict=True):
        line += ((("", "  "),) if line else ()) + fit_line(cell, cells)
    return line


def _styled(text: str) -> Line:
    """Return a text with what is bold in it, and without the marks."""
    out: list[tuple[str, str]] = []
    at = 0
    for found in _INLINE.finditer(text):
        out.append(("", text[at : found.start()]))
        out.append(("strong" if found[1] else "", found[1] or found[2] or found[3]))
        at = found.end()
    out.append(("", text[at:]))
    return tuple(fragment for fragment in out if fragment[1])


def _plain(text: str) -> str:
    return "".join(piece for _, piece in _styled(text))
