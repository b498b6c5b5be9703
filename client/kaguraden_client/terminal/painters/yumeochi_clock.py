"""The clock of yumeochi: a circle where there is room, else a row of hours.

As on the table, 12 is at the top and 6 at the bottom, and those two lie sideways (YU-7). A card that
is face down is a full sign, an opened one an empty sign with its name behind it.
"""

from __future__ import annotations

from typing import Final

from ..text import Fragment, Line, cut_line, fit_line, line_width, wrap_line
from . import yumeochi_words  # noqa: F401 - adds its words
from .base import Context
from .yumeochi_board import HOURS, Board, Hour
from .yumeochi_names import card, hour, went

__all__ = ["CIRCLE_LEAST", "CIRCLE_LINES", "circle", "face", "hour_texts", "opened_line", "row"]

CIRCLE_LINES: Final = 7
CIRCLE_LEAST: Final = 34  # cells
# The hours of each line of the circle, and how far from its middle they stand, of a hundred.
_ROWS: Final = (
    ((12,), 0),
    ((11, 1), 50),
    ((10, 2), 87),
    ((9, 3), 100),
    ((8, 4), 87),
    ((7, 5), 50),
    ((6,), 0),
)
_RADII: Final = (6, 8, 10)  # cells; the wider the clock, the more of them
_SIDEWAYS: Final = (6, 12)
_HERE: Final = "❯"


def face(at: Hour) -> str:
    """Return the sign of a card on the clock."""
    if at.position in _SIDEWAYS:
        return "▭" if at.card else "▬"
    return "▯" if at.card else "▮"


def circle(board: Board, ctx: Context, width: int, *, told: bool = False) -> list[Line]:
    """Return the clock in seven lines of `width` cells; `told` adds who opened a card."""
    half = width // 2
    radius = _RADII[0 if width < 46 else 1 if width < 60 else 2]
    lines: list[Line] = []
    for hours, out in _ROWS:
        if len(hours) == 1:
            piece = _position(board, hours[0], ctx, width - 4, told=told)
            size = line_width(piece)
            lead = half - _number_cells(piece) if size <= half else (width - size) // 2
            lead = max(0, min(lead, width - size))
            lines.append(fit_line((("", " " * lead), *piece), width))
            continue
        gap = radius * out // 100
        left = _position(board, hours[0], ctx, half - gap, told=told, mirrored=True)
        right = _position(board, hours[1], ctx, width - half - gap, told=told)
        lead = half - gap - line_width(left)
        between = 2 * gap
        middle: Line = (("", " " * between),)
        if hours == (9, 3):
            middle = _middle(board, ctx, between)
        lines.append(fit_line((("", " " * lead), *left, *middle, *right), width))
    return lines


def _number_cells(piece: Line) -> int:
    """Return how far the number of a position reaches into it, so that 12 and 6 stand in a line."""
    return line_width(piece[:2])


def _middle(board: Board, ctx: Context, cells: int) -> Line:
    """Return what time it is, for the middle of the clock."""
    text = cut_line((("strong", hour(board.hour, ctx)),), max(0, cells - 2))
    room = cells - line_width(text)
    return (("", " " * (room // 2)), *text, ("", " " * (room - room // 2)))


def _position(
    board: Board, position: int, ctx: Context, cells: int, *, told: bool, mirrored: bool = False
) -> Line:
    """Return a position in at most `cells`: sign, number, the card's name and what became of it."""
    at = board.hour_at(position)
    here = position == board.hour and not board.is_over
    style = "turn" if here else "card.other" if at.card else ""
    mark: Fragment = ("turn", _HERE if here else " ")
    sign: Fragment = (style, face(at))
    number: Fragment = (style or "field", f"{position:>2}")
    room = cells - 5
    name = _named(at, ctx, room, told=told)
    if mirrored:
        if here:
            mark = ("turn", "❮")
        return (*((name, ("", " ")) if name[1] else ()), number, sign, mark)
    return (mark, sign, number, *((("", " "), name) if name[1] else ()))


def _named(at: Hour, ctx: Context, cells: int, *, told: bool) -> Fragment:
    """Return an opened card's name with who opened it, as far as there is room."""
    if not at.card or cells < 3:
        return ("", "")
    whole = card(at.card, ctx)
    if told and at.opener is not None:
        who = f" {ctx.name(at.opener, 8)}"
        for tail in (f"{who}→{went(at, ctx)}" if at.went else who, who):
            if line_width((("", whole + tail),)) <= cells:
                return ("", whole + tail)
    if at.went == "discard" and line_width((("", whole),)) + 2 <= cells:
        return ("dim", f"{whole} ×")
    return ("dim" if at.went == "discard" else "", card(at.card, ctx, cells))


def row(board: Board, ctx: Context, width: int) -> Line:
    """Return the clock as a row of hours; close together where there is little room."""
    pieces: list[Line] = []
    for position in range(1, HOURS + 1):
        here = position == board.hour and not board.is_over
        text = f"{position}{face(board.hour_at(position))}"
        pieces.append((("turn" if here else "", f"[{text}]" if here else text),))
    for gap in (" ", ""):
        line: list[Fragment] = [("", " ")]
        for i, piece in enumerate(pieces):
            line += [("", gap if i else ""), *piece]
        if line_width(tuple(line)) <= width:
            return tuple(line)
    signs = "".join(face(board.hour_at(p)) for p in range(1, HOURS + 1))
    return cut_line((("turn", f"{board.hour}h "), ("", signs)), width)


def opened_line(board: Board, ctx: Context, width: int, most: int) -> list[Line]:
    """Return the opened cards with who opened them, in at most `most` lines, the newest kept."""
    texts = [_told(at, ctx) for at in board.clock if at.card]
    while texts:
        text = ctx.say("list.comma").join(texts)
        lines = wrap_line((("field", f" {ctx.say('yume.opened')} "), ("", text)), width, 3)
        if len(lines) <= most:
            return lines
        texts = ["…", *texts[2:]] if len(texts) > 2 else texts[1:]
    return []


def _told(at: Hour, ctx: Context) -> str:
    """Return an opened position in a few words: `3 Stopped Watch (Bea, item)`."""
    who = ctx.name(at.opener, 8) if at.opener is not None else ""
    parts = [part for part in (who, went(at, ctx)) if part]
    tail = ctx.say("in_brackets", what=ctx.say("list.comma").join(parts)) if parts else ""
    return f"{at.position} {card(at.card, ctx)}{tail}"


def hour_texts(board: Board, ctx: Context) -> list[str]:
    """Return every position as a sentence, for line mode and the page of `?`."""
    lines: list[str] = []
    down = [at.position for at in board.clock if not at.card]
    for at in board.clock:
        if at.card:
            now = ctx.say("yume.clock.now") if at.position == board.hour else ""
            lines.append(ctx.say("yume.clock.opened", n=at.position, what=_what(at, ctx)) + now)
    if down:
        hours = ctx.say("list.comma").join(
            f"{n}{ctx.say('yume.clock.now') if n == board.hour else ''}" for n in down
        )
        lines.append(ctx.say("yume.clock.down", hours=hours))
    return lines


def _what(at: Hour, ctx: Context) -> str:
    parts: list[str] = []
    if at.opener is not None:
        parts.append(ctx.say("yume.clock.by", who=ctx.name(at.opener)))
    if at.went:
        parts.append(went(at, ctx))
    tail = ctx.say("in_brackets", what=ctx.say("list.comma").join(parts)) if parts else ""
    return card(at.card, ctx) + tail
