"""What happened in odoriko, in sentences: one function for each kind of event.

A function returns None for what the table shows anyway and nobody wants a line for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from ...reading import Json, as_dict, as_int, as_str, as_texts, dicts_in, has_int, ints_in
from . import odoriko_words  # noqa: F401 - adds its words
from .base import Context
from .odoriko_skill_events import SKILL_SENTENCES, placed_from

__all__ = ["SENTENCES"]

E: TypeAlias = Mapping[str, Json]
Sentence: TypeAlias = Callable[[E, Context], "str | None"]


def _n(value: Json) -> str:
    return str(as_int(value)).replace("-", "−")


def _signed(value: Json) -> str:
    return f"{as_int(value):+d}".replace("-", "−")


def _who(e: E, ctx: Context, key: str = "seat") -> str:
    return ctx.name(as_int(e.get(key), -1))


def _card(e: E, ctx: Context, key: str = "card") -> str:
    return ctx.card_text(as_str(e.get(key)))


def _zone(zone: Json, ctx: Context) -> str:
    name = as_str(zone)
    known = name in ("hand", "pile", "song", "dance")
    return ctx.say(f"odoriko.zone.{name}") if known else name


def _deck(e: E, ctx: Context) -> str:
    return ctx.say(f"odoriko.deck.{'character' if e.get('deck') == 'character' else 'resource'}")


def _half(e: E, ctx: Context) -> str:
    return ctx.say("odoriko.half.second" if e.get("half") == 2 else "odoriko.half.first")


def _price(e: E, ctx: Context) -> str:
    kind = as_str(e.get("price_kind"))
    return ctx.say(f"odoriko.price.{kind if kind in ('resource', 'special') else 'either'}")


def _game_opened(e: E, ctx: Context) -> str:
    return ctx.say("odoriko.ev.game_opened", n=len(ints_in(e.get("seats"))))


def _dealt(e: E, ctx: Context) -> str:
    if as_int(e.get("removed")):
        return ctx.say("odoriko.ev.dealt_removed", n=as_int(e.get("removed")))
    return ctx.say("odoriko.ev.dealt")


def _order_opened(e: E, ctx: Context) -> str:
    return ctx.say("odoriko.ev.order_opened", half=_half(e, ctx))


def _bid_declared(e: E, ctx: Context) -> str:
    return ctx.say("odoriko.ev.bid_declared", who=_who(e, ctx), n=_n(e.get("value")))


def _bid_locked(e: E, ctx: Context) -> str:
    return ctx.say("odoriko.ev.bid_locked", who=_who(e, ctx))


def _order_closed(e: E, ctx: Context) -> str:
    bids = [f"{_who(bid, ctx)} {_n(bid.get('value'))}" for bid in dicts_in(e.get("bids"))]
    return ctx.say("odoriko.ev.order_closed", bids=ctx.say("list.comma").join(bids))


def _janken_opened(e: E, ctx: Context) -> str:
    who, repeat = ctx.people(ints_in(e.get("group"))), as_int(e.get("repeat"))
    if repeat:
        return ctx.say("odoriko.ev.janken_again", who=who, n=repeat)
    return ctx.say("odoriko.ev.janken_opened", who=who)


def _janken_shown(e: E, ctx: Context) -> str:
    choices = ctx.say("list.comma").join(
        f"{_who(shown, ctx)} {_choice(as_str(shown.get('choice')), ctx)}"
        for shown in dicts_in(e.get("choices"))
    )
    winners = ints_in(e.get("winners"))
    if winners:
        return ctx.say("odoriko.ev.janken_won", choices=choices, who=ctx.people(winners))
    return ctx.say("odoriko.ev.janken_tie", choices=choices)


def _choice(choice: str, ctx: Context) -> str:
    known = choice in ("rock", "paper", "scissors")
    return ctx.say(f"odoriko.w.{choice}") if known else choice


def _janken_drawn(e: E, ctx: Context) -> str:
    return ctx.say("odoriko.ev.janken_drawn", who=ctx.people(ints_in(e.get("order"))))


def _place_chosen(e: E, ctx: Context) -> str:
    return ctx.say("odoriko.ev.place_chosen", who=_who(e, ctx), n=_n(e.get("place")))


def _order_set(e: E, ctx: Context) -> str:
    return ctx.say("odoriko.ev.order_set", who=ctx.people(ints_in(e.get("order"))))


def _half_started(e: E, ctx: Context) -> str:
    return ctx.say("odoriko.ev.half_started", half=_half(e, ctx))


def _turn_started(e: E, ctx: Context) -> str:
    return ctx.say("odoriko.ev.turn_started", who=_who(e, ctx))


def _turn_ended(e: E, ctx: Context) -> str | None:
    return ctx.say("odoriko.ev.turn_barren", who=_who(e, ctx)) if e.get("barren") else None


def _card_drawn(e: E, ctx: Context) -> str:
    who, deck = _who(e, ctx), _deck(e, ctx)
    if as_str(e.get("overflow")):
        return ctx.say(
            "odoriko.ev.drawn_overflow", who=who, deck=deck, card=_card(e, ctx, "overflow")
        )
    if as_str(e.get("card")):
        card = ctx.say("shade.card") if ctx.shade else _card(e, ctx)
        return ctx.say("odoriko.ev.drawn_card", who=who, deck=deck, card=card)
    return ctx.say("odoriko.ev.drawn", who=who, deck=deck)


def _card_placed(e: E, ctx: Context) -> str:
    zone = _zone(e.get("zone"), ctx) + placed_from(e, ctx)
    if has_int(e.get("by")) and e.get("by") != e.get("seat"):
        return ctx.say(
            "odoriko.ev.placed_on",
            who=_who(e, ctx, "by"), owner=_who(e, ctx), card=_card(e, ctx), zone=zone,
        )  # fmt: skip
    return ctx.say("odoriko.ev.placed", who=_who(e, ctx), card=_card(e, ctx), zone=zone)


def _card_moved(e: E, ctx: Context) -> str:
    a, b = _spot(e.get("source"), ctx), _spot(e.get("to"), ctx)
    return ctx.say("odoriko.ev.moved", card=_card(e, ctx), a=a, b=b)


def _spot(spot: Json, ctx: Context) -> str:
    told = as_dict(spot)
    return ctx.say("odoriko.ev.spot", who=_who(told, ctx), zone=_zone(told.get("zone"), ctx))


def _card_declared(e: E, ctx: Context) -> str:
    target, takes = as_dict(e.get("target")), as_dict(e.get("takes"))
    if target:
        return ctx.say(
            "odoriko.ev.declared_target",
            who=_who(e, ctx), card=_card(e, ctx), owner=_who(target, ctx),
            zone=_zone(target.get("zone"), ctx), target=_card(target, ctx),
        )  # fmt: skip
    if takes:
        return ctx.say(
            "odoriko.ev.declared_takes",
            who=_who(e, ctx), card=_card(e, ctx), owner=_who(takes, ctx, "pile"),
            target=_card(takes, ctx),
        )  # fmt: skip
    return ctx.say("odoriko.ev.declared", who=_who(e, ctx), card=_card(e, ctx))


def _cards_discarded(e: E, ctx: Context) -> str | None:
    cause = as_str(e.get("cause"))
    told = dicts_in(e.get("cards"))
    if cause == "played" or (cause == "overflow" and all(c.get("source") == "deck" for c in told)):
        return None  # `card_drawn` told of a card that went from the deck to the pile
    if cause not in ("action", "cost", "overflow", "unsold"):
        cause = "effect"
    piles: dict[int, list[str]] = {}
    for card in told:
        piles.setdefault(as_int(card.get("pile"), -1), []).append(as_str(card.get("card")))
    return " ".join(
        ctx.say(f"odoriko.ev.discarded.{cause}", who=ctx.name(seat), cards=ctx.cards_text(cards))
        for seat, cards in piles.items()
    )


def _fc_set(e: E, ctx: Context) -> str:
    return ctx.say("odoriko.ev.fc_set", who=_who(e, ctx), card=_card(e, ctx))


def _fc_lost(e: E, ctx: Context) -> str:
    return ctx.say("odoriko.ev.fc_lost", who=_who(e, ctx), card=_card(e, ctx))


def _vp_changed(e: E, ctx: Context) -> str | None:
    cause = as_str(e.get("cause"))
    if cause == "bid" and not as_int(e.get("delta")):
        return None
    key = (
        f"odoriko.ev.vp_{cause}" if cause in ("bid", "tally", "effect", "cost") else "odoriko.ev.vp"
    )
    return ctx.say(key, who=_who(e, ctx), delta=_signed(e.get("delta")), total=_n(e.get("total")))


def _window_opened(e: E, ctx: Context) -> str | None:
    if as_int(e.get("round"), 1) > 1:
        return None
    who, name = ctx.people(ints_in(e.get("asked"))), as_str(e.get("name"))
    if name in ("k", "event"):
        return ctx.say(f"odoriko.ev.window.{name}", who=who, card=_card(e, ctx))
    if name == "trigger":
        cards = [as_str(c.get("card")) for c in dicts_in(e.get("discarded"))]
        return ctx.say("odoriko.ev.window.trigger", who=who, cards=ctx.cards_text(cards))
    if name == "j":
        cards = [as_str(c.get("card")) for c in dicts_in(e.get("candidates"))]
        return ctx.say("odoriko.ev.window.j", who=who, cards=ctx.cards_text(cards))
    if name == "a":
        return ctx.say("odoriko.ev.window.a", who=who, cards=ctx.cards_text(as_texts(e.get("lot"))))
    return None


def _nothing(e: E, ctx: Context) -> None:
    return None


def _effect_cancelled(e: E, ctx: Context) -> str:
    return ctx.say("odoriko.ev.cancelled", who=_who(e, ctx, "by"), card=_card(e, ctx))


def _effect_fizzled(e: E, ctx: Context) -> str:
    return ctx.say("odoriko.ev.fizzled", card=_card(e, ctx))


def _chain_capped(e: E, ctx: Context) -> str:
    return ctx.say("odoriko.ev.capped")


def _auction_opened(e: E, ctx: Context) -> str:
    lot = ctx.cards_text(as_texts(e.get("lot")))
    return ctx.say(
        "odoriko.ev.auction_opened",
        who=_who(e, ctx, "seller"), lot=lot, n=_n(e.get("price")), kind=_price(e, ctx),
    )  # fmt: skip


def _auction_bid(e: E, ctx: Context) -> str:
    return ctx.say("odoriko.ev.auction_bid", who=_who(e, ctx), n=_n(e.get("number")))


def _auction_passed(e: E, ctx: Context) -> str:
    return ctx.say("odoriko.ev.auction_passed", who=_who(e, ctx))


def _auction_closed(e: E, ctx: Context) -> str:
    if not has_int(e.get("winner")):
        return ctx.say("odoriko.ev.unsold")
    return ctx.say("odoriko.ev.sold", who=_who(e, ctx, "winner"), n=_n(e.get("number")))


def _cards_exchanged(e: E, ctx: Context) -> str:
    lot = ctx.cards_text(as_texts(e.get("lot")))
    seller, winner = _who(e, ctx, "seller"), _who(e, ctx, "winner")
    paid = as_texts(e.get("shown")) or ([] if ctx.shade else as_texts(e.get("payment")))
    if paid:
        cards = ctx.cards_text(paid)
        return ctx.say(
            "odoriko.ev.exchanged_cards", seller=seller, winner=winner, lot=lot, cards=cards
        )
    n = _n(e.get("number"))
    return ctx.say("odoriko.ev.exchanged", seller=seller, winner=winner, lot=lot, n=n)


def _gain_opened(e: E, ctx: Context) -> str:
    return ctx.say("odoriko.ev.gain", who=ctx.people(ints_in(e.get("asked"))))


def _lot_recovered(e: E, ctx: Context) -> str:
    cards = ctx.cards_text(as_texts(e.get("cards")))
    return ctx.say("odoriko.ev.recovered", who=_who(e, ctx, "seller"), cards=cards)


def _tally(e: E, ctx: Context) -> str:
    sums: dict[str, list[int]] = {}
    for term in dicts_in(e.get("terms")):
        sums.setdefault(as_str(term.get("character")), []).append(as_int(term.get("vp")))
    terms = ctx.say("list.comma").join(
        f"{ctx.card_text(card)} {' '.join(map(_signed, parts))}" for card, parts in sums.items()
    )
    key = "odoriko.ev.tally" if terms else "odoriko.ev.tally_none"
    text = ctx.say(key, who=_who(e, ctx), total=_signed(e.get("total")), terms=terms)
    shown = as_texts(e.get("shown"))
    return text + (ctx.say("odoriko.ev.tally_shown", cards=ctx.cards_text(shown)) if shown else "")


def _kept(e: E, ctx: Context) -> str:
    zone = _zone(e.get("zone"), ctx)
    return ctx.say("odoriko.ev.kept", who=_who(e, ctx), card=_card(e, ctx), zone=zone)


def _zones_returned(e: E, ctx: Context) -> str:
    a, b = _n(e.get("resource")), _n(e.get("character"))
    return ctx.say("odoriko.ev.returned", who=_who(e, ctx), a=a, b=b)


def _stalemate(e: E, ctx: Context) -> str:
    if e.get("reason") == "barren":
        return ctx.say("odoriko.ev.stalemate.barren", half=_half(e, ctx))
    why = as_str(e.get("reason")).replace("_", " ")
    return ctx.say("odoriko.ev.stalemate.other", half=_half(e, ctx), why=why)


def _final_triggered(e: E, ctx: Context) -> str:
    return ctx.say("odoriko.ev.final", n=_n(e.get("count")))


def _ranked(e: E, ctx: Context) -> str:
    ranks = [
        ctx.say(
            "odoriko.ev.rank", rank=_n(r.get("rank")), who=_who(r, ctx), score=_n(r.get("score"))
        )
        for r in dicts_in(e.get("ranking"))
    ]
    return ctx.say("odoriko.ev.ranked", ranks=ctx.say("list.comma").join(ranks))


SENTENCES: Mapping[str, Sentence] = {
    **SKILL_SENTENCES,
    "actions_changed": _nothing,
    "auction_bid": _auction_bid,
    "auction_closed": _auction_closed,
    "auction_opened": _auction_opened,
    "auction_passed": _auction_passed,
    "bid_declared": _bid_declared,
    "bid_locked": _bid_locked,
    "card_declared": _card_declared,
    "card_drawn": _card_drawn,
    "card_moved": _card_moved,
    "card_placed": _card_placed,
    "cards_discarded": _cards_discarded,
    "cards_exchanged": _cards_exchanged,
    "chain_capped": _chain_capped,
    "dealt": _dealt,
    "effect_cancelled": _effect_cancelled,
    "effect_fizzled": _effect_fizzled,
    "fc_lost": _fc_lost,
    "fc_set": _fc_set,
    "final_triggered": _final_triggered,
    "gain_opened": _gain_opened,
    "game_opened": _game_opened,
    "half_started": _half_started,
    "janken_drawn": _janken_drawn,
    "janken_opened": _janken_opened,
    "janken_shown": _janken_shown,
    "kept": _kept,
    "lot_recovered": _lot_recovered,
    "order_closed": _order_closed,
    "order_opened": _order_opened,
    "order_set": _order_set,
    "place_chosen": _place_chosen,
    "ranked": _ranked,
    "stalemate": _stalemate,
    "tally": _tally,
    "turn_ended": _turn_ended,
    "turn_started": _turn_started,
    "vp_changed": _vp_changed,
    "window_closed": _nothing,
    "window_opened": _window_opened,
    "zones_returned": _zones_returned,
}
