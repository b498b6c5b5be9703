"""What things are called in yumeochi: cards, hours, life, marks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...reading import Json, as_dict, as_int, as_str, dicts_in
from ..text import clean, cut
from . import yumeochi_words  # noqa: F401 - adds its words
from .base import Context
from .yumeochi_board import HOURS, MOST_LIFE, Hour, Seat

__all__ = [
    "ORIGIN",
    "START",
    "ability_of",
    "action_name",
    "card",
    "cards",
    "chips",
    "hour",
    "marks",
    "stars_of",
    "unopened_text",
    "went",
]

START = "◆"  # the start marker's holder
ORIGIN = "◎"  # the origin marker's holder


def card(card_id: str, ctx: Context, cells: int = 0) -> str:
    """Return a card's name, cut to `cells` unless that is 0; one that is not known by its id."""
    if ctx.veiled:
        return ctx.say("shade.card")
    known = ctx.catalog.cards.get(card_id)
    name = known.name[ctx.lang] if known is not None else clean(card_id).replace("_", " ")
    return cut(name, cells) if cells else name


def cards(ids: Iterable[str], ctx: Context) -> str:
    """Return cards as a list in words."""
    return ctx.say("list.comma").join(card(card_id, ctx) for card_id in ids)


def stars_of(card_id: str, ctx: Context) -> int:
    """Return the ☆ that a card bears."""
    known = ctx.catalog.cards.get(card_id)
    return max(0, as_int(known.told.get("stars"))) if known is not None else 0


def action_name(role: str, ctx: Context) -> str:
    """Return the name of a role's additional action."""
    told = ability_of(role, "action", ctx)
    name = clean(as_str(told.get(f"name_{ctx.lang.value}")) or as_str(told.get("name_en")))
    return name or ctx.say("yume.action.unnamed")


def ability_of(card_id: str, part: str, ctx: Context) -> dict[str, Json]:
    """Return a part of a card's table: a role's `action`, an item's `use`; "" for all of it."""
    known = ctx.catalog.cards.get(card_id)
    plain = as_dict(known.told.get("plain")) if known is not None else {}
    return as_dict(plain.get(part)) if part else plain


def chips(seat: Seat) -> str:
    """Return the life chips as signs and as a number: `♥♥♥♡♡ 3`."""
    life = max(0, min(MOST_LIFE, seat.life))
    return f"{'♥' * life}{'♡' * (MOST_LIFE - life)} {seat.life}"


def hour(number: int, ctx: Context) -> str:
    """Return an hour in words; "" where there is none."""
    return ctx.say("yume.hour", n=number) if 1 <= number <= HOURS else ""


def marks(seat: Seat, ctx: Context) -> list[str]:
    """Return what lies on a seat: skip, protected (YU-91)."""
    found = [("skip", seat.skip), ("protect", seat.protected)]
    return [ctx.say(f"yume.mark.{name}") for name, lies in found if lies and seat.alive]


def went(at: Hour, ctx: Context) -> str:
    """Return where an opened card went; "" where that is not known."""
    known = at.went in ("stock", "item", "discard")
    return ctx.say(f"yume.went.{at.went}") if known else at.went


def unopened_text(revealed: Mapping[str, Json], ctx: Context) -> str:
    """Return the hours that nobody opened with their cards, as they are shown at the end."""
    return ctx.say("list.comma").join(
        f"{as_int(one.get('position'))} {card(clean(as_str(one.get('card'))), ctx)}"
        for one in dicts_in(revealed.get("clock"))
    )
