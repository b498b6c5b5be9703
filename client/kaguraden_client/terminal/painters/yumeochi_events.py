"""The events of yumeochi in sentences (§11)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from ...reading import Json, as_int, as_list, as_str, as_texts, dicts_in, has_int, ints_in
from ..text import clean
from ..words import has
from . import yumeochi_event_words  # noqa: F401 - adds its words
from .base import Context
from .yumeochi_choices import picks_text
from .yumeochi_names import action_name, card, cards, stars_of, unopened_text
from .yumeochi_rules import hours_text, wish

__all__ = ["MOMENTS", "SENTENCES", "sentence"]

_Event = Mapping[str, Json]

# What nobody should miss in the log.
MOMENTS: Final = frozenset(
    ["role_revealed", "died", "guess_made", "first_victory", "final_count", "game_ended", "dealt"]
)
# What only some are told, by the event's kind; the shade keeps it from the eye.
_PRIVATE: Final[Mapping[str, tuple[str, ...]]] = {
    "exchange_proposed": ("offered",),
    "skills_exchanged": ("seat_card", "target_card"),
    "skills_swapped": ("seat_card", "target_card"),
    "peeked": ("cards",),
    "leftover_taken": ("cards",),
    "skills_laid_aside": ("cards",),
    "skill_drawn": ("own", "card"),
    "action_taken": ("own_skill",),
}


def _who(event: _Event, field: str, ctx: Context) -> str:
    seat = event.get(field)
    return ctx.name(seat) if has_int(seat) else ctx.say("yume.ev.marker.nobody")


def _card(event: _Event, field: str, ctx: Context) -> str:
    return card(clean(as_str(event.get(field))), ctx)


def _shown(ids: list[str], ctx: Context) -> str:
    """Return cards that were shown, behind a colon; "" where they were not shown to the viewer."""
    return ctx.say("yume.ev.shown", card=cards(map(clean, ids), ctx)) if ids else ""


def _late(event: _Event, ctx: Context) -> str:
    return ctx.say("yume.ev.clock") if event.get("by") == "clock" else ""


# --- the course of the game ----------------------------------------------------------------------


def _game_started(event: _Event, ctx: Context) -> str:
    n = as_int(event.get("game_no"), 1)
    key = "yume.ev.game_started.again" if n > 1 else "yume.ev.game_started"
    told = ctx.say(key, pool=cards(map(clean, as_texts(event.get("pool"))), ctx), n=n)
    if not has_int(event.get("holder")):  # it is named later (DP-8)
        return told
    return ctx.say("yume.ev.game_started.held", told=told, holder=_first_holder(event, ctx))


def _dealt(event: _Event, ctx: Context) -> str | None:
    role, skill = as_str(event.get("role")), as_str(event.get("skill"))
    if not role or event.get("seat") != ctx.me:
        return None
    known = ctx.catalog.cards.get(role)
    wanted = wish(known.told, ctx) if known is not None else ""
    key = "yume.ev.dealt.wish" if wanted else "yume.ev.dealt"
    return ctx.say(key, role=card(role, ctx), skill=card(skill, ctx), wish=wanted)


def _first_holder(event: _Event, ctx: Context) -> str:
    return ctx.say("yume.ev.first_holder", who=_who(event, "holder", ctx))


def _phase_began(event: _Event, ctx: Context) -> str:
    order = " › ".join(ctx.name(seat) for seat in ints_in(event.get("order")))
    return ctx.say("yume.ev.phase_began", n=as_int(event.get("hour")), order=order)


def _nothing(_event: _Event, _ctx: Context) -> None:
    """Tell of nothing: another event says it."""


def _hour_became(event: _Event, ctx: Context) -> str:
    return ctx.say("yume.ev.hour_became", n=as_int(event.get("hour")))


def _turn_lost(event: _Event, ctx: Context) -> str:
    return ctx.say("yume.ev.turn_lost", who=_who(event, "seat", ctx))


def _triggered(event: _Event, ctx: Context) -> str:
    return ctx.say(
        "yume.ev.triggered", who=_who(event, "seat", ctx), card=_card(event, "card", ctx)
    )


def _action_taken(event: _Event, ctx: Context) -> str | None:
    """Tell of an action; what is opened, taken and given is told by the event that follows."""
    who = _who(event, "seat", ctx)
    match event.get("action"):
        case "pass":
            return ctx.say("yume.ev.pass", who=who) + _late(event, ctx)
        case "use":
            what = _card(event, "card", ctx)
            return ctx.say("yume.ev.use", who=who, card=what, picks=_picks(event, ctx))
        case "role_action":
            role = as_str(event.get("card"))
            name = action_name(role, ctx) if role else ctx.say("yume.action.unnamed")
            return ctx.say("yume.ev.role_action", who=who, card=name, picks=_picks(event, ctx))
    return None


def _picks(event: _Event, ctx: Context) -> str:
    skill = event.get("skill") or event.get("own_skill")
    text = picks_text({**event, "skill": skill}, ctx)
    return ctx.say("yume.ev.picks", what=text) if text else ""


# --- cards ---------------------------------------------------------------------------------------


def _role_revealed(event: _Event, ctx: Context) -> str:
    key = "yume.ev.role_revealed"
    key += ".death" if event.get("cause") == "death" else ""
    return ctx.say(key, who=_who(event, "seat", ctx), card=_card(event, "card", ctx))


def _skill_revealed(event: _Event, ctx: Context) -> str:
    return ctx.say(
        "yume.ev.skill_revealed", who=_who(event, "seat", ctx), card=_card(event, "card", ctx)
    )


def _card_opened(event: _Event, ctx: Context) -> str:
    hours = ints_in(event.get("case"))
    case = ctx.say("yume.ev.case", hours=hours_text(hours, ctx)) if hours else ""
    return ctx.say(
        "yume.ev.card_opened",
        who=_who(event, "seat", ctx),
        n=as_int(event.get("position")),
        card=_card(event, "card", ctx),
        case=case,
    )


def _card_kept(event: _Event, ctx: Context) -> str:
    kept = as_str(event.get("card"))
    stars = stars_of(kept, ctx)
    return ctx.say(
        f"yume.ev.card_kept.{'item' if event.get('cause') == 'item' else 'stock'}",
        who=_who(event, "seat", ctx),
        card=card(clean(kept), ctx),
        stars=f" ☆{stars}" if stars else "",
    )


def _card_discarded(event: _Event, ctx: Context) -> str | None:
    if event.get("cause") in ("event", "use"):  # it goes without saying
        return None
    return ctx.say("yume.ev.card_discarded", card=_card(event, "card", ctx))


def _item_moved(event: _Event, ctx: Context) -> str:
    cause = as_str(event.get("cause"))
    return ctx.say(
        f"yume.ev.item.{cause if cause in ('give', 'take') else 'swap'}",
        who=_who(event, "giver", ctx),
        to=_who(event, "receiver", ctx),
        card=_card(event, "card", ctx),
    )


def _skill(event: _Event, public: str, private: str, ctx: Context) -> str:
    """Return a skill that is face up or was shown to the viewer, else that one lies face down."""
    told = as_str(event.get(public)) or as_str(event.get(private))
    return card(clean(told), ctx) if told else ctx.say("yume.ev.unknown_skill")


def _proposed(event: _Event, ctx: Context) -> str:
    return ctx.say(
        "yume.ev.proposed",
        who=_who(event, "seat", ctx),
        to=_who(event, "target", ctx),
        what=_skill(event, "card", "offered", ctx),
    )


def _answered(event: _Event, ctx: Context) -> str:
    key = "yume.ev.agreed" if event.get("agreed") is True else "yume.ev.refused"
    return ctx.say(key, who=_who(event, "seat", ctx)) + _late(event, ctx)


def _crossed(key: str) -> Callable[[_Event, Context], str]:
    def told(event: _Event, ctx: Context) -> str:
        return ctx.say(
            key,
            who=_who(event, "seat", ctx),
            to=_who(event, "target", ctx),
            gave=_skill(event, "seat_gave", "seat_card", ctx),
            got=_skill(event, "target_gave", "target_card", ctx),
        )

    return told


def _peeked(event: _Event, ctx: Context) -> str | None:
    what = as_str(event.get("what"))
    if not has(f"yume.ev.peeked.{what}"):
        return None
    return ctx.say(
        f"yume.ev.peeked.{what}",
        who=_who(event, "seat", ctx),
        card=_shown(as_texts(event.get("cards")), ctx),
        **({"n": as_int(event.get("position"))} if what == "time" else {}),
        **({"to": _who(event, "target", ctx)} if what in ("role", "skill") else {}),
    )


def _moved_skills(key: str) -> Callable[[_Event, Context], str]:
    def told(event: _Event, ctx: Context) -> str:
        ids = as_texts(event.get("cards")) or as_texts(event.get("shown"))
        return ctx.say(
            key,
            who=_who(event, "seat", ctx),
            n=as_int(event.get("number")),
            card=_shown(ids, ctx),
        )

    return told


def _drawn(event: _Event, ctx: Context) -> str:
    who = _who(event, "seat", ctx)
    if event.get("exchanged") is not True:
        return ctx.say("yume.ev.kept", who=who) + _late(event, ctx)
    return ctx.say(
        "yume.ev.drawn",
        who=who,
        gave=_skill(event, "gave", "own", ctx),
        got=_skill(event, "got", "card", ctx),
    )


def _time_cards(event: _Event, ctx: Context) -> str:
    return ctx.say(
        "yume.ev.time_cards_swapped",
        who=_who(event, "seat", ctx),
        n=as_int(event.get("position")),
        other=as_int(event.get("position2")),
    )


# --- life and markers ----------------------------------------------------------------------------


def _life(event: _Event, ctx: Context) -> str:
    old, new = as_int(event.get("old")), as_int(event.get("new"))
    cause = _card(event, "cause", ctx)
    if event.get("attack") is True:
        cause = ctx.say("yume.ev.life.attack", who=_who(event, "source", ctx), card=cause)
    key = "yume.ev.life.down" if new < old else "yume.ev.life.up"
    return ctx.say(key, who=_who(event, "seat", ctx), old=old, new=new, cause=cause)


def _lives_swapped(event: _Event, ctx: Context) -> str:
    return ctx.say(
        "yume.ev.lives_swapped", who=_who(event, "seat", ctx), to=_who(event, "target", ctx)
    )


def _marker(event: _Event, ctx: Context) -> str | None:
    which, cause = as_str(event.get("which")), as_str(event.get("cause"))
    who, to = _who(event, "old", ctx), _who(event, "new", ctx)
    if which not in ("start", "origin") or event.get("old") == event.get("new"):
        return None
    key = "yume.ev.marker.take" if cause == "take" else f"yume.ev.marker.{which}"
    return ctx.say(key, who=who, to=to)


def _marked(event: _Event, ctx: Context) -> str | None:
    key = f"yume.ev.marked.{as_str(event.get('mark'))}"
    return ctx.say(key, who=_who(event, "seat", ctx)) if has(key) else None


def _unmarked(event: _Event, ctx: Context) -> str | None:
    """Tell of protection that ends; a lost turn has an event of its own."""
    key = f"yume.ev.unmarked.{as_str(event.get('mark'))}"
    return ctx.say(key, who=_who(event, "seat", ctx)) if has(key) else None


def _died(event: _Event, ctx: Context) -> str:
    who = _who(event, "seat", ctx)
    if has_int(event.get("killer")):
        return ctx.say("yume.ev.died.killer", who=who, by=_who(event, "killer", ctx))
    return ctx.say("yume.ev.died", who=who)


# --- answers and the end -------------------------------------------------------------------------


def _may(event: _Event, ctx: Context) -> str:
    key = "yume.ev.may.yes" if event.get("yes") is True else "yume.ev.may.no"
    told = ctx.say(key, who=_who(event, "seat", ctx), card=_card(event, "card", ctx))
    return told + _late(event, ctx)


def _marker_chosen(event: _Event, ctx: Context) -> str:
    who, to = _who(event, "seat", ctx), _who(event, "target", ctx)
    key = "yume.ev.marker_chosen"
    if event.get("seat") == event.get("target"):
        key += ".self"
    return ctx.say(key, who=who, to=to) + _late(event, ctx)


def _guess(event: _Event, ctx: Context) -> str:
    return ctx.say(
        f"yume.ev.guess.{'right' if event.get('right') is True else 'wrong'}",
        who=_who(event, "seat", ctx),
        to=_who(event, "target", ctx),
        card=_card(event, "role", ctx),
    )


def _first_victory(event: _Event, ctx: Context) -> str:
    window = f"yume.window.{as_str(event.get('window'))}"
    return ctx.say(
        "yume.ev.first_victory",
        who=ctx.people(ints_in(event.get("seats"))),
        when=ctx.say(window) if has(window) else clean(as_str(event.get("window"))),
    )


def _final_count(event: _Event, ctx: Context) -> str:
    seats = [
        ctx.say(
            "yume.ev.final_count.seat",
            who=_who(count, "seat", ctx),
            stars=as_int(count.get("stars")),
            cards=as_int(count.get("cards")),
        )
        for count in dicts_in(event.get("counts"))
    ]
    return ctx.say("yume.ev.final_count", what=ctx.say("list.comma").join(seats))


def _game_ended(event: _Event, ctx: Context) -> str:
    """Tell who won; of a dream, what it was like."""
    if event.get("result") == "dream":
        what, wake = ctx.say("yume.end.dream"), ctx.say("yume.end.dream.wake")
        return ctx.say("yume.ev.dream", what=what, wake=wake)
    winners = ctx.people(ints_in(event.get("winners")))
    return ctx.say("yume.end.other", who=winners or ctx.say("none"))


def _all_revealed(event: _Event, ctx: Context) -> str:
    roles = [clean(role) for role in as_texts(event.get("roles"))]
    skills = [as_texts(ids) for ids in as_list(event.get("skills"))]
    parts: list[str] = []
    for seat, role in enumerate(roles):
        own = cards(map(clean, skills[seat]), ctx) if seat < len(skills) else ""
        parts.append(
            ctx.say(
                "yume.ev.revealed.seat",
                who=ctx.name(seat),
                role=card(role, ctx),
                skills=own or ctx.say("yume.f.none"),
            )
        )
    lists = [(name, as_texts(event.get(name))) for name in ("leftover", "undealt")]
    parts += [
        ctx.say("yume.say.line", name=ctx.say(f"yume.end.{name}"), what=cards(map(clean, ids), ctx))
        for name, ids in lists
        if ids
    ]
    if clock := unopened_text(event, ctx):
        parts.append(ctx.say("yume.say.line", name=ctx.say("yume.end.clock"), what=clock))
    return ctx.say("yume.ev.revealed", what=ctx.say("yume.rule.also").join(parts))


def _rematch(event: _Event, ctx: Context) -> str:
    answers = as_list(event.get("answers"))
    against = [seat for seat, yes in enumerate(answers) if yes is not True]
    if not against:
        return ctx.say("yume.ev.rematch.yes")
    return ctx.say("yume.ev.rematch.no", who=ctx.people(against))


def _match_drawn(_event: _Event, ctx: Context) -> str:
    return ctx.say("yume.ev.match_drawn")


SENTENCES: Final[Mapping[str, Callable[[_Event, Context], str | None]]] = {
    "game_started": _game_started,
    "dealt": _dealt,
    "first_holder_named": _first_holder,
    "phase_began": _phase_began,
    "phase_ended": _nothing,
    "turn_lost": _turn_lost,
    "action_taken": _action_taken,
    "hour_became": _hour_became,
    "triggered": _triggered,
    "role_revealed": _role_revealed,
    "skill_revealed": _skill_revealed,
    "card_opened": _card_opened,
    "card_kept": _card_kept,
    "card_discarded": _card_discarded,
    "item_moved": _item_moved,
    "exchange_proposed": _proposed,
    "exchange_answered": _answered,
    "skills_exchanged": _crossed("yume.ev.exchanged"),
    "skills_swapped": _crossed("yume.ev.swapped"),
    "peeked": _peeked,
    "leftover_taken": _moved_skills("yume.ev.leftover_taken"),
    "skills_laid_aside": _moved_skills("yume.ev.laid_aside"),
    "skill_drawn": _drawn,
    "time_cards_swapped": _time_cards,
    "life_changed": _life,
    "lives_swapped": _lives_swapped,
    "marker_moved": _marker,
    "marked": _marked,
    "unmarked": _unmarked,
    "died": _died,
    "may_answered": _may,
    "marker_chosen": _marker_chosen,
    "guess_made": _guess,
    "first_victory": _first_victory,
    "final_count": _final_count,
    "game_ended": _game_ended,
    "all_revealed": _all_revealed,
    "rematch_answered": _rematch,
    "match_drawn": _match_drawn,
}


def sentence(event: _Event, ctx: Context) -> str | None:
    """Return an event as a sentence; None for one that is not worth a line, or not to be shown."""
    kind = as_str(event.get("kind"))
    make = SENTENCES.get(kind)
    if make is None:
        return None
    if ctx.shade:
        if kind == "dealt":
            return None
        hidden = _PRIVATE.get(kind, ())
        event = {name: value for name, value in event.items() if name not in hidden}
    return make(event, ctx)
