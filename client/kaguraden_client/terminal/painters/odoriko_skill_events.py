"""What happened through skills and events, in sentences. The rest of odoriko is in `odoriko_events`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from attrs import evolve

from ...reading import Json, as_dict, as_int, as_str, as_texts, dicts_in, has_int, ints_in
from ..words import add
from .base import Context
from .odoriko_uses import named_text

__all__ = ["SKILL_SENTENCES", "placed_from"]

E: TypeAlias = Mapping[str, Json]
Sentence: TypeAlias = Callable[[E, Context], "str | None"]


def _who(e: E, ctx: Context, key: str = "seat") -> str:
    return ctx.name(as_int(e.get(key), -1))


def _card(e: E, ctx: Context, key: str = "card") -> str:
    return ctx.card_text(as_str(e.get(key)))


def _field(e: E, ctx: Context) -> str:
    """Return a field with its owner."""
    told = {"seat": e.get("seat"), "zone": e.get("zone")}
    return named_text(told, _from_outside(ctx))


def _from_outside(ctx: Context) -> Context:
    """Return the context of somebody who has no cards of their own, so that every owner is named."""
    return evolve(ctx, me=None)


def _deck(e: E, ctx: Context) -> str:
    return ctx.say(f"odoriko.deck.{'character' if e.get('deck') == 'character' else 'resource'}")


def _skill_declared(e: E, ctx: Context) -> str:
    picks = [named_text(named, _from_outside(ctx)) for named in dicts_in(e.get("picks"))]
    text = ctx.say("odoriko.ev.skill", who=_who(e, ctx), card=_card(e, ctx))
    if picks:
        return text + ctx.say("odoriko.ev.skill_picks", cards=ctx.say("list.comma").join(picks))
    return text + ctx.say("odoriko.ev.stop")


def _nothing(e: E, ctx: Context) -> None:
    return None


def _pick_opened(e: E, ctx: Context) -> str | None:
    if not e.get("holders"):
        return None  # the line above the menu says who chooses
    who = ctx.people(ints_in(e.get("asked")))
    return ctx.say("odoriko.ev.holders", who=who, card=_card(e, ctx))


def _cards_taken(e: E, ctx: Context) -> str:
    cards = ctx.cards_text([as_str(c.get("card")) for c in dicts_in(e.get("cards"))])
    return ctx.say("odoriko.ev.taken", who=_who(e, ctx), cards=cards)


def _hand_passed(e: E, ctx: Context) -> str:
    giver, receiver = _who(e, ctx, "giver"), _who(e, ctx, "receiver")
    cards = [] if ctx.shade else as_texts(e.get("cards"))
    if cards:
        return ctx.say(
            "odoriko.ev.passed_cards", giver=giver, receiver=receiver, cards=ctx.cards_text(cards)
        )
    n = as_int(e.get("resource")) + as_int(e.get("character"))
    return ctx.say("odoriko.ev.passed", giver=giver, receiver=receiver, n=n)


def _hand_shown(e: E, ctx: Context) -> str:
    viewer, who = _who(e, ctx, "viewer"), _who(e, ctx)
    cards = as_texts(e.get("cards"))
    if not cards or ctx.shade:
        return ctx.say("odoriko.ev.hand_shown", viewer=viewer, who=who)
    return ctx.say(
        "odoriko.ev.hand_shown_cards", viewer=viewer, who=who, cards=ctx.cards_text(cards)
    )


def _deck_shown(e: E, ctx: Context) -> str:
    cards = ctx.cards_text(as_texts(e.get("cards"))) or ctx.say("none")
    return ctx.say("odoriko.ev.deck_shown", who=_who(e, ctx), deck=_deck(e, ctx), cards=cards)


def _deck_shuffled(e: E, ctx: Context) -> str:
    return ctx.say("odoriko.ev.shuffled", who=_who(e, ctx), deck=_deck(e, ctx))


def _mark_set(e: E, ctx: Context) -> str:
    if e.get("mark") == "sheltered":
        return ctx.say("odoriko.ev.sheltered", who=_who(e, ctx), card=_card(e, ctx))
    by = _who(e, ctx, "by")
    if e.get("mark") == "frozen":
        return ctx.say("odoriko.ev.frozen", by=by, field=_field(e, ctx))
    return ctx.say("odoriko.ev.marked", by=by, field=_field(e, ctx))


def _mark_ended(e: E, ctx: Context) -> str:
    if e.get("mark") == "sheltered":
        return ctx.say("odoriko.ev.unsheltered", who=_who(e, ctx), card=_card(e, ctx))
    if e.get("mark") == "frozen":
        return ctx.say("odoriko.ev.thawed", field=_field(e, ctx))
    return ctx.say("odoriko.ev.unmarked", field=_field(e, ctx))


def _effect_redirected(e: E, ctx: Context) -> str:
    old, new = as_dict(e.get("old")), as_dict(e.get("new"))
    return ctx.say(
        "odoriko.ev.redirected",
        who=_who(e, ctx, "by"), old=_card(old, ctx), new=_card(new, ctx), card=_card(e, ctx),
    )  # fmt: skip


def _actions_capped(e: E, ctx: Context) -> str:
    return ctx.say("odoriko.ev.actions_capped", n=as_int(e.get("cap")))


def placed_from(e: E, ctx: Context) -> str:
    """Return where a card that was placed came from, if not out of the placer's own hand."""
    source = as_str(e.get("source"))
    owner = e.get("owner")
    if has_int(owner) and source in ("hand", "pile"):
        where = ctx.say(f"odoriko.zone.{source}")
        where = ctx.say("odoriko.use.of", who=ctx.name(owner), what=where)
    elif source == "pile":
        where = ctx.say("odoriko.zone.pile")
    else:
        return ""
    return ctx.say("odoriko.ev.from", where=where)


SKILL_SENTENCES: Mapping[str, Sentence] = {
    "actions_capped": _actions_capped,
    "cards_taken": _cards_taken,
    "deck_shown": _deck_shown,
    "deck_shuffled": _deck_shuffled,
    "effect_redirected": _effect_redirected,
    "hand_passed": _hand_passed,
    "hand_shown": _hand_shown,
    "mark_ended": _mark_ended,
    "mark_set": _mark_set,
    "pick_opened": _pick_opened,
    "skill_declared": _skill_declared,
    "skill_resolved": _nothing,
}

add(
    {
        "odoriko.ev.stop": ("。", "."),
        "odoriko.ev.from": ("（{where}から）", " (from {where})"),
        "odoriko.ev.skill": ("{who}: {card}の特技", "{who} uses {card}'s skill"),
        "odoriko.ev.skill_picks": (": {cards}。", ": {cards}."),
        "odoriko.ev.holders": (
            "{card}のため、{who}が伏せて札を選びます。",
            "For {card} these choose a card of theirs in secret: {who}.",
        ),
        "odoriko.ev.taken": ("{who}: {cards}を手札に取る。", "{who} takes {cards} into hand."),
        "odoriko.ev.passed": (
            "{giver}: {receiver}に{n}枚を渡す。",
            "{giver} passes {n} cards to {receiver}.",
        ),
        "odoriko.ev.passed.1": (
            "{giver}: {receiver}に1枚を渡す。",
            "{giver} passes a card to {receiver}.",
        ),
        "odoriko.ev.passed_cards": (
            "{giver}: {receiver}に{cards}を渡す。",
            "{giver} passes {cards} to {receiver}.",
        ),
        "odoriko.ev.hand_shown": (
            "{viewer}: {who}の手札を見る。",
            "{viewer} looks at {who}'s hand.",
        ),
        "odoriko.ev.hand_shown_cards": (
            "{viewer}: {who}の手札を見る: {cards}。",
            "{viewer} looks at {who}'s hand: {cards}.",
        ),
        "odoriko.ev.deck_shown": (
            "{who}: {deck}の上から公開: {cards}。",
            "{who} shows the top of the {deck}: {cards}.",
        ),
        "odoriko.ev.shuffled": (
            "{who}: 残りを{deck}に戻して切り直す。",
            "{who} shuffles the rest back into the {deck}.",
        ),
        "odoriko.ev.frozen": (
            "{by}: {field}を凍らせる。次の{by}の手番まで札は入れない。",
            "{by} freezes {field}: no card enters it until {by}'s next turn.",
        ),
        "odoriko.ev.sheltered": (
            "{who}の{card}は、次の{who}の手番までKに狙われない。",
            "No K may name {who}'s {card} until {who}'s next turn.",
        ),
        "odoriko.ev.marked": ("{by}: {field}に印をつける。", "{by} puts a mark on {field}."),
        "odoriko.ev.thawed": ("{field}の霜が解ける。", "{field} is no longer frozen."),
        "odoriko.ev.unsheltered": (
            "{who}の{card}はまたKに狙われる。",
            "A K may name {who}'s {card} again.",
        ),
        "odoriko.ev.unmarked": ("{field}の印が消える。", "A mark on {field} ends."),
        "odoriko.ev.redirected": (
            "{who}の{new}が{old}の身代わりに（{card}）。",
            "{who}'s {new} stands in for {old} ({card}).",
        ),
        "odoriko.ev.actions_capped": (
            "手番の行動は{n}回までです。",
            "A turn has no more than {n} actions.",
        ),
        "odoriko.ev.vp_effect": (
            "{who}: 効果で{delta} → {total} VP。",
            "{who}: {delta} by the effect, now {total} VP.",
        ),
        "odoriko.ev.vp_cost": (
            "{who}: 消費{delta} → {total} VP。",
            "{who} pays: {delta}, now {total} VP.",
        ),
        "odoriko.ev.window.event": (
            "{card}に特技で応じられる人: {who}。",
            "{who} may answer {card} with a skill.",
        ),
        "odoriko.ev.window.trigger": (
            "{cards}が捨てられたので特技を使える人: {who}。",
            "{who} may react with a skill as {cards} went to the pile.",
        ),
    }
)
