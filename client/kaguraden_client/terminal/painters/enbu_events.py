"""The events of enbu in sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from ...reading import Json, as_dict, as_int, as_str, as_texts
from ..books import book_of
from . import enbu_words  # noqa: F401 - adds its words
from .base import Context
from .enbu_names import book_name, card, cards, program

__all__ = ["SENTENCES", "sentence"]

_Event = Mapping[str, Json]


def _name(event: _Event, field: str, ctx: Context) -> str:
    return card(as_str(event.get(field)), ctx)


def _setup(event: _Event, ctx: Context) -> str:
    known = ctx.catalog.books.get(as_str(event.get("book")))
    if known is None:  # a shared book: its id says nothing, and its name stands at the top
        return ctx.say("enbu.ev.setup.shared", n=as_int(event.get("deck")))
    book = book_name(book_of(known), ctx)
    return ctx.say("enbu.ev.setup", book=book, n=as_int(event.get("deck")))


def _flip(event: _Event, ctx: Context) -> str:
    return ctx.say("enbu.ev.flip", turn=as_int(event.get("turn")), card=_name(event, "card", ctx))


def _stage(event: _Event, ctx: Context) -> str:
    return ctx.say("enbu.ev.stage", card=_name(event, "card", ctx), slot=as_int(event.get("slot")))


def _take(event: _Event, ctx: Context) -> str:
    return ctx.say("enbu.ev.take", card=_name(event, "card", ctx))


def _swap(event: _Event, ctx: Context) -> str:
    out, inward = _name(event, "out", ctx), _name(event, "card", ctx)
    return ctx.say("enbu.ev.swap", out=out, card=inward, slot=as_int(event.get("slot")))


def _perform(event: _Event, ctx: Context) -> str:
    text = ctx.say(
        "enbu.ev.perform",
        what=program(as_str(event.get("program")), ctx),
        n=as_int(event.get("points")),
        total=as_int(event.get("total")),
    )
    by_source = dict(
        zip(as_texts(event.get("sources")), as_texts(event.get("cards")), strict=False)
    )
    for source, stands in as_dict(event.get("stands_for")).items():
        wild, to = card(by_source.get(source, "?"), ctx), card(as_str(stands), ctx)
        text += " " + ctx.say("enbu.ev.perform.wild", card=wild, to=to)
    return text


def _drop(event: _Event, ctx: Context) -> str:
    what = program(as_str(event.get("program")), ctx)
    return ctx.say("enbu.ev.drop", what=what, card=_name(event, "card", ctx))


def _slide(event: _Event, ctx: Context) -> str | None:
    opened = as_str(event.get("opened"))
    return ctx.say("enbu.ev.slide", what=program(opened, ctx)) if opened else None


def _goal(event: _Event, ctx: Context) -> str:
    reached = event.get("goal") == "reached"
    return ctx.say("enbu.ev.goal.reached" if reached else "enbu.ev.goal.lost")


def _reshuffle(event: _Event, ctx: Context) -> str:
    return ctx.say("enbu.ev.reshuffle", n=as_int(event.get("deck")))


def _undo(_event: _Event, ctx: Context) -> str:
    return ctx.say("enbu.ev.undo")


def _default(_event: _Event, ctx: Context) -> str:
    return ctx.say("enbu.ev.default")


def _end(event: _Event, ctx: Context) -> str:
    reason = as_str(event.get("reason"))
    why = ctx.say(f"enbu.end.by.{reason}") if reason in ("done", "stuck", "finish", "clock") else ""
    result = ctx.say("enbu.rank.success" if event.get("success") is True else "enbu.rank.failure")
    return ctx.say("enbu.ev.end", why=why, result=result, n=as_int(event.get("total")))


def _reveal(event: _Event, ctx: Context) -> str | None:
    rest = as_texts(event.get("rest"))
    if not rest:  # of interest at one's own table only
        return ctx.say("enbu.ev.reveal.none") if len(ctx.names) < 2 else None
    return ctx.say("enbu.ev.reveal", cards=cards(rest, ctx))


def _figures(event: _Event, ctx: Context) -> str:
    key = "enbu.ev.figures.ended" if event.get("ended") is True else "enbu.ev.figures"
    return ctx.say(
        key,
        who=ctx.name(as_int(event.get("seat"), -1)),
        n=as_int(event.get("turn")),
        points=as_int(event.get("total")),
        programs=as_int(event.get("gained")),
    )


SENTENCES: Final[Mapping[str, Callable[[_Event, Context], str | None]]] = {
    "setup": _setup,
    "flip": _flip,
    "stage": _stage,
    "take": _take,
    "swap": _swap,
    "perform": _perform,
    "drop": _drop,
    "slide": _slide,
    "goal": _goal,
    "reshuffle": _reshuffle,
    "undo": _undo,
    "default": _default,
    "end": _end,
    "reveal": _reveal,
    "figures": _figures,
}


def sentence(event: _Event, ctx: Context) -> str | None:
    """Return an event as a sentence; None for one that is not worth a line, or not to be shown."""
    kind = as_str(event.get("kind"))
    seat = as_int(event.get("seat"), -1)
    make = SENTENCES.get(kind)
    if make is None or (ctx.shade and kind != "figures"):
        return None
    text = make(event, ctx)
    if text is None or kind == "figures" or seat == ctx.me or len(ctx.names) < 2:
        return text
    return ctx.say("enbu.ev.who", who=ctx.name(seat), text=text)
