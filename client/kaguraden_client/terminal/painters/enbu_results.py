"""The end of enbu: success or failure, what was gained, and in a race who came where."""

from __future__ import annotations

from collections.abc import Mapping

from ...reading import Json, as_dict, as_int, as_str, dicts_in
from ..books import Book
from ..text import Line, cut_line, pad, width, wrap_line
from . import enbu_words  # noqa: F401 - adds its words
from .base import Context
from .enbu_board import Board, points_of
from .enbu_names import book_name, brief, program

__all__ = ["outcome_lines", "result_lines", "verdict"]

_NAMED = 3  # programs that are told by their senses where there are no more


def verdict(result: Mapping[str, Json], book: Book, ctx: Context) -> str:
    """Return whether a rehearsal succeeded, in the words of its kind of book."""
    kind = "all" if book.pass_mark is None else "pass"
    return ctx.say(f"enbu.end.{'success' if result.get('success') is True else 'failure'}.{kind}")


def result_lines(
    board: Board, book: Book, ctx: Context, cells: int, *, lists: bool = True
) -> list[Line]:
    """Return how one rehearsal ended, with its programs unless `lists` is off."""
    result = board.result
    if not result:
        return []
    total, most = as_int(result.get("total")), as_int(result.get("maximum"), book.total)
    points = ctx.say("enbu.end.points", n=total, total=most)
    if book.pass_mark is not None:
        points = ctx.say("enbu.end.points.pass", n=total, total=most, mark=book.pass_mark)
    programs = ctx.say(
        "enbu.end.programs",
        gained=as_int(result.get("gained")),
        dropped=as_int(result.get("dropped")),
        left=as_int(result.get("left")),
    )
    parts = [programs, ctx.say("enbu.end.turns", n=as_int(result.get("turns")))]
    if as_int(result.get("reshuffles")):
        parts.append(ctx.say("enbu.end.reshuffles", n=as_int(result.get("reshuffles"))))
    reason = as_str(result.get("reason"))
    if reason in ("done", "stuck", "finish", "clock"):
        parts.append(ctx.say(f"enbu.end.by.{reason}"))
    style = "good" if result.get("success") is True else "alert"
    lines: list[Line] = [
        ((style, f" {verdict(result, book, ctx)}"), ("strong", f"  {book_name(book, ctx)}")),
        (("strong", f" {points}"),),
        (("", " " + " · ".join(parts)),),
    ]
    left = (*board.pages, *board.stack)
    for name, ids in (("gained", board.gained), ("dropped", board.dropped), ("left", left)):
        if ids and lists:
            what = program if len(ids) <= _NAMED else brief
            told = ctx.say("list.comma").join(f"{what(p, ctx)} {points_of(p, ctx)}" for p in ids)
            lines += wrap_line((("field", f" {ctx.say(f'enbu.{name}')} "), ("", told)), cells, 3)
    return lines


def outcome_lines(
    view: Mapping[str, Json], book: Book, boards: Mapping[int, Board], ctx: Context, cells: int
) -> list[Line]:
    """Return the ranking of a race with one's own result after it; alone, the result."""
    ranking = dicts_in(as_dict(view.get("outcome")).get("ranking"))
    table = as_dict(view.get("table"))
    lines: list[Line] = []
    if len(ranking) > 1:
        lines += _ranking(ranking, book, ctx)
    seat = ctx.me if ctx.me is not None else as_int(ranking[0].get("seat")) if ranking else 0
    board = boards.get(seat)
    if board is not None:
        lines += result_lines(board, book, ctx, cells, lists=len(ranking) == 1)
    if table.get("daily") is True:
        lines += wrap_line((("", " " + ctx.say("enbu.end.daily")),), cells, 1)
    return [cut_line(line, cells) for line in lines]


def _ranking(ranking: list[dict[str, Json]], book: Book, ctx: Context) -> list[Line]:
    """Return who came where, with figures below each other."""
    passing = book.pass_mark is not None
    good = ctx.say("enbu.rank.passed" if passing else "enbu.rank.success")
    bad = ctx.say("enbu.rank.failed" if passing else "enbu.rank.failure")
    heads = [ctx.say(f"enbu.rank.head.{name}") for name in ("score", "dropped", "turns")]
    columns = [max(width(head), 4) + 2 for head in heads]
    names = [ctx.name(as_int(entry.get("seat"), -1), 16) for entry in ranking]
    name_cells = max([width(ctx.say("enbu.rank.head.name")), *map(width, names)])
    head = pad(ctx.say("enbu.rank.head.name"), name_cells)
    head += "".join(pad(text, size, "right") for text, size in zip(heads, columns, strict=True))
    lines: list[Line] = [(("dim", f"     {head}"),)]
    for name, entry in zip(names, ranking, strict=True):
        figures = (entry.get("score"), entry.get("dropped"), entry.get("turns"))
        text = f" {as_int(entry.get('rank')):>2}. {pad(name, name_cells)}" + "".join(
            pad(str(as_int(value)), size, "right")
            for value, size in zip(figures, columns, strict=True)
        )
        text += "  " + (good if entry.get("success") is True else bad)
        mine = ctx.me is not None and entry.get("seat") == ctx.me
        lines.append((("you" if mine else "", text + (ctx.say("rank.you") if mine else "")),))
    return lines
