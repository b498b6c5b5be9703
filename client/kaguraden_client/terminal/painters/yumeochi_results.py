"""The end of yumeochi: who won and by what, the count, and everything that was hidden (YU-19)."""

from __future__ import annotations

from collections.abc import Mapping

from ...reading import Json, as_dict, as_int, as_str, as_texts, dicts_in, has_int, ints_in
from ..text import Line, clean, cut_line, pad, width, wrap_line
from ..words import has
from . import yumeochi_event_words  # noqa: F401 - adds its words
from .base import Context
from .yumeochi_board import Board, Seat
from .yumeochi_names import card, cards, chips, unopened_text
from .yumeochi_rules import win_conditions

__all__ = ["outcome_lines", "verdict"]

_NAME_CELLS = 14


def verdict(result: Mapping[str, Json], roles: Mapping[int, str], ctx: Context) -> str:
    """Return in a sentence how a game ended; `roles` are those that are known by now."""
    winners = ints_in(result.get("winners"))
    names = ctx.say("list.comma").join(
        _titled(ctx.name(seat), roles.get(seat, ""), ctx) for seat in winners
    )
    kind = as_str(result.get("result"))
    counts = {as_int(c.get("seat"), -1): c for c in dicts_in(result.get("counts"))}
    count = counts.get(winners[0], {}) if winners else {}
    window = as_str(result.get("window"))
    when = ctx.say(f"yume.window.{window}") if has(f"yume.window.{window}") else clean(window)
    key = f"yume.end.{kind}"
    if not has(key):
        return ctx.say("yume.end.other", who=names or ctx.say("none"))
    return ctx.say(
        key,
        who=names,
        when=when,
        stars=as_int(count.get("stars")),
        cards=as_int(count.get("cards")),
    )


def _titled(name: str, role: str, ctx: Context) -> str:
    return ctx.say("yume.end.titled", who=name, role=card(role, ctx)) if role else name


def outcome_lines(view: Mapping[str, Json], board: Board, ctx: Context, cells: int) -> list[Line]:
    """Return the verdict, why it is one, a line a seat, and what lay hidden."""
    result = board.result
    if not result:
        return []
    roles = {seat.seat: seat.role for seat in board.seats if seat.role}
    is_dream = result.get("result") == "dream"
    text = verdict(result, roles, ctx)
    lines = wrap_line((("alert" if is_dream else "good", f" {text}"),), cells, 1)
    lines += _reason(result, roles, ctx, cells)
    lines += _ranking(view, board, roles, ctx, cells)
    lines += _hidden(board, ctx, cells)
    return [cut_line(line, cells) for line in lines]


def _reason(
    result: Mapping[str, Json], roles: Mapping[int, str], ctx: Context, cells: int
) -> list[Line]:
    """Return the conditions that were fulfilled, or how a dream ends."""
    if result.get("result") == "dream":
        keys = ["level"] if result.get("counts") else []
        texts = [ctx.say(f"yume.end.dream.{key}") for key in (*keys, "wake")]
        return [line for text in texts for line in wrap_line((("", f" {text}"),), cells, 1)]
    lines: list[Line] = []
    if result.get("result") == "first":
        for seat in ints_in(result.get("winners")):
            known = ctx.catalog.cards.get(roles.get(seat, ""))
            text = win_conditions(known.told, ctx) if known is not None else ""
            if text:
                lines += wrap_line((("dim", f" {text}"),), cells, 1)
    return lines


def _ranking(
    view: Mapping[str, Json],
    board: Board,
    roles: Mapping[int, str],
    ctx: Context,
    cells: int,
) -> list[Line]:
    """Return a line for each seat: role, life, stars and cards, skills; the winners first."""
    winners = ints_in(board.result.get("winners"))
    ranked = dicts_in(as_dict(view.get("outcome")).get("ranking"))
    ranks = {as_int(r.get("seat"), -1): as_int(r.get("rank")) for r in ranked}
    counts = {as_int(c.get("seat"), -1): c for c in dicts_in(board.result.get("counts"))}
    seats = sorted(board.seats, key=lambda s: (s.seat not in winners, ranks.get(s.seat, 0), s.seat))
    role_cells = max([width(card(role, ctx)) for role in roles.values()], default=4)
    counted = {s.seat: _counted(s, counts.get(s.seat), ctx) for s in seats}
    count_cells = max(map(width, counted.values()), default=0)
    lines: list[Line] = []
    for seat in seats:
        mark = "★" if seat.seat in winners else "†" if not seat.alive else " "
        name = pad(ctx.name(seat.seat, _NAME_CELLS), min(_NAME_CELLS, max(4, cells // 5)))
        lines.append(
            (
                ("strong", f" {mark} "),
                ("you" if seat.seat == ctx.me else "strong", name),
                ("vp", f" {pad(counted[seat.seat], count_cells)}"),
                ("card.other", f" {pad(card(roles.get(seat.seat, '?'), ctx), role_cells)}"),
                ("", f" {chips(seat)}"),
                ("dim", f"  {cards(seat.skills_up, ctx)}" if seat.skills_up else ""),
            )
        )
    return lines


def _counted(seat: Seat, count: Mapping[str, Json] | None, ctx: Context) -> str:
    """Return stars and cards as they were counted; without a count the stars on the table."""
    if count is None or not has_int(count.get("stars")):
        return f"☆{seat.stars}"
    return ctx.say("yume.end.count", stars=count.get("stars"), cards=as_int(count.get("cards")))


def _hidden(board: Board, ctx: Context, cells: int) -> list[Line]:
    """Return the leftover, the hours that nobody opened, undealt roles and skills of the dead."""
    shown = board.revealed
    parts = {
        name: cards(map(clean, as_texts(shown.get(name))), ctx)
        for name in ("leftover", "removed", "undealt")
    }
    parts["clock"] = unopened_text(shown, ctx)
    lines: list[Line] = []
    for name, text in parts.items():
        if text:
            label = ctx.say(f"yume.end.{name}")
            lines += wrap_line((("field", f" {label} "), ("", text)), cells, 3)
    return lines
