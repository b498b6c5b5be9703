"""What a card of yumeochi does, in words made from its table (YU-93 to YU-97).

A set may say it in free text too; these sentences are for every card of every set, and they are what
the rules carry out. A word that this client does not know is told as it is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ...reading import Json, as_dict, as_int, as_str, dicts_in, has_int, ints_in
from ..text import clean
from ..words import has
from . import yumeochi_rule_words  # noqa: F401 - adds its words
from .base import Context

__all__ = [
    "card_rules",
    "hours_text",
    "needs",
    "own_damage",
    "wants_secret",
    "win_conditions",
    "wish",
]

_DEPTH: Final = 4  # effects in each other that are worth telling


def card_rules(told: Mapping[str, Json], ctx: Context) -> list[str]:
    """Return the sentences of a catalogue's card: its victory, its action, its contents by the hour."""
    plain = as_dict(told.get("plain"))
    match as_str(told.get("kind")):
        case "role":
            return _role(plain, ctx)
        case "skill":
            lines = _ability(plain, ctx)
            return [ctx.say("yume.rule.use", what=lines[0]), *lines[1:]] if lines else []
        case "time":
            return _time(plain, as_str(told.get("time_kind"), as_str(plain.get("kind"))), ctx)
    return []


def win_conditions(told: Mapping[str, Json], ctx: Context) -> str:
    """Return what must hold for a role to win (YU-76); "" where its table does not say."""
    return _conditions(as_dict(as_dict(told.get("plain")).get("win")).get("all"), ctx)


def wish(told: Mapping[str, Json], ctx: Context) -> str:
    """Return the first victory of a role in a sentence (YU-76); "" where its table does not say."""
    return _win(as_dict(told.get("plain")), ctx)


def needs(ability: Mapping[str, Json], ctx: Context) -> str:
    """Return what an ability needs before it can be used (YU-36): its conditions, its choices."""
    parts = [_conditions(ability.get("when"), ctx), *_picks(ability, ctx)]
    return ctx.say("yume.rule.then").join(part for part in parts if part)


def _win(plain: Mapping[str, Json], ctx: Context) -> str:
    win = as_dict(plain.get("win"))
    if not win:
        return ""
    check = as_str(win.get("check"))
    key = f"yume.window.{check}"
    when = ctx.say(key) if has(key) else clean(check)
    return ctx.say("yume.rule.win", when=when, what=_conditions(win.get("all"), ctx))


def wants_secret(told: Mapping[str, Json]) -> bool:
    """Whether a role wins face down only."""
    win = as_dict(as_dict(told.get("plain")).get("win"))
    return any(
        c.get("test") == "role_open" and c.get("who", "self") == "self" and c.get("is") is False
        for c in dicts_in(win.get("all"))
    )


def own_damage(ability: Mapping[str, Json], hour: int) -> int:
    """Return how much damage an ability may do at most to the one who uses it, at an hour."""
    effects = ability.get("effects")
    for case in dicts_in(ability.get("cases")):
        if hour in ints_in(case.get("hours")):
            effects = case.get("effects")
    return _own_damage(effects, _DEPTH)


def _own_damage(effects: Json, depth: int) -> int:
    total = 0
    for effect in dicts_in(effects) if depth else ():
        if effect.get("do") == "damage" and effect.get("to") in ("self", "all"):
            total += as_int(effect.get("n"))
        branches = [effect.get(name) for name in ("then", "else", "effects")]
        total += max(_own_damage(branch, depth - 1) for branch in branches)
    return total


def hours_text(hours: Sequence[int], ctx: Context) -> str:
    """Return hours in words, neighbours joined: `1–6`, `3–5, 12`."""
    runs: list[list[int]] = []
    for hour in sorted(set(hours)):
        if runs and hour == runs[-1][-1] + 1:
            runs[-1].append(hour)
        else:
            runs.append([hour])
    texts = [f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    if ctx.lang.value == "en" and len(hours) == 1:
        return ctx.say("yume.rule.hour", hours=texts[0])
    return ctx.say("yume.rule.hours", hours=ctx.say("list.comma").join(texts))


# --- cards ---------------------------------------------------------------------------------------


def _role(plain: Mapping[str, Json], ctx: Context) -> list[str]:
    lines = [text] if (text := _win(plain, ctx)) else []
    action = as_dict(plain.get("action"))
    if action:
        name = clean(as_str(action.get(f"name_{ctx.lang.value}")))
        told = _ability(action, ctx)
        first = told[0] if told else ""
        lines += [ctx.say("yume.rule.action", name=name, what=first), *told[1:]]
    return lines


def _time(plain: Mapping[str, Json], kind: str, ctx: Context) -> list[str]:
    lines: list[str] = []
    opened = _contents(plain, ctx)
    if opened:
        lines += [ctx.say("yume.rule.opened", what=opened[0]), *opened[1:]]
    use = as_dict(plain.get("use"))
    if use:
        told = _ability(use, ctx)
        lines += [ctx.say("yume.rule.use", what=told[0]), *told[1:]] if told else []
    elif kind == "item":
        lines.append(ctx.say("yume.rule.no_use"))
    trigger = as_dict(plain.get("trigger"))
    if trigger:
        after = "kept" if trigger.get("after") == "keep" else "discarded"
        lines.append(
            ctx.say(
                f"yume.rule.trigger.{after}",
                hours=hours_text(ints_in(trigger.get("hours")), ctx),
                what=_effects(trigger.get("effects"), ctx),
            )
        )
    return lines


def _picks(ability: Mapping[str, Json], ctx: Context) -> list[str]:
    picks = [_pick(pick, ctx) for pick in dicts_in(ability.get("pick"))]
    return [ctx.say("yume.rule.pick", what=ctx.say("list.comma").join(picks))] if picks else []


def _ability(ability: Mapping[str, Json], ctx: Context) -> list[str]:
    """Return an ability: its conditions and choices with its effects; contents by the hour below."""
    parts: list[str] = []
    if ability.get("when"):
        parts.append(ctx.say("yume.rule.when", what=_conditions(ability.get("when"), ctx)))
    parts += _picks(ability, ctx)
    contents = _contents(ability, ctx)
    if len(contents) == 1:
        parts, contents = [*parts, contents[0]], []
    head = ctx.say("yume.rule.then").join(parts)
    return [line for line in (head, *contents) if line]


def _contents(ability: Mapping[str, Json], ctx: Context) -> list[str]:
    """Return the effects in one sentence, or one for each of the cases (YU-49)."""
    cases = dicts_in(ability.get("cases"))
    if not cases:
        text = _effects(ability.get("effects"), ctx)
        return [text] if text else []
    return [
        ctx.say(
            "yume.rule.case",
            hours=hours_text(ints_in(case.get("hours")), ctx),
            what=_effects(case.get("effects"), ctx),
        )
        for case in cases
    ]


# --- conditions ----------------------------------------------------------------------------------


def _conditions(raw: Json, ctx: Context) -> str:
    return ctx.say("yume.rule.and").join(_condition(one, ctx) for one in dicts_in(raw))


def _condition(told: Mapping[str, Json], ctx: Context) -> str:
    test, who = as_str(told.get("test")), as_str(told.get("who"), "self")
    holds = told.get("is") is not False
    sign = "yes" if holds else "no"
    if test == "hour" and ints_in(told.get("in")):
        return hours_text(ints_in(told.get("in")), ctx)
    if test == "hour" and told.get("op") in (">=", "<="):
        return ctx.say(f"yume.cond.hour.{told['op']}", n=as_int(told.get("n")))
    match test:
        case "marker":
            which = "origin" if told.get("which") == "origin" else "start"
            return _subject(who, ctx) + ctx.say(f"yume.cond.marker.{which}.{sign}")
        case "role_open":
            return _subject(who, ctx) + ctx.say(f"yume.cond.role_open.{sign}")
        case "card_down":
            at = as_str(told.get("at"))
            key = f"yume.cond.card_down.{at}.{sign}"
            return ctx.say(key) if has(key) else clean(at)
        case "uses" if told.get("op") == "<":
            return ctx.say("yume.cond.uses_most", n=as_int(told.get("n")))
        case "uses" if told.get("op") == "<=":
            return ctx.say("yume.cond.uses_most", n=as_int(told.get("n")) + 1)
    compared = _compared(told, ctx)
    key = f"yume.cond.{test}"
    text = ctx.say(key, n=compared) if has(key) else f"{clean(test)} {compared}"
    return _subject(who if test != "roles_open" else "self", ctx) + text


def _subject(who: str, ctx: Context) -> str:
    return ctx.say(f"yume.cond.who.{who}") if who in ("target", "others") else ""


def _compared(told: Mapping[str, Json], ctx: Context) -> str:
    op, n = as_str(told.get("op")), told.get("n")
    key = f"yume.op.{op}"
    return ctx.say(key, n=as_int(n)) if has(key) and has_int(n) else clean(op)


# --- choices and effects -------------------------------------------------------------------------


def _pick(told: Mapping[str, Json], ctx: Context) -> str:
    for what in ("seat", "item", "role", "hour", "skill"):
        value = as_str(told.get(what))
        key = f"yume.pick.{what}.{value}"
        if value:
            text = ctx.say(key) if has(key) else f"{clean(what)} {clean(value)}"
            return text + _where(told, ctx)
    return ""


def _where(told: Mapping[str, Json], ctx: Context) -> str:
    text = _conditions(told.get("where"), ctx)
    return ctx.say("in_brackets", what=text) if text else ""


def _effects(raw: Json, ctx: Context, depth: int = _DEPTH) -> str:
    if depth <= 0:
        return "…"
    return ctx.say("yume.rule.also").join(_effect(one, ctx, depth) for one in dicts_in(raw))


def _effect(told: Mapping[str, Json], ctx: Context, depth: int) -> str:
    do, to, what = (as_str(told.get(name)) for name in ("do", "to", "what"))
    at = as_str(told.get("at"))
    n = as_int(told.get("n"))
    match do:
        case "damage" | "heal" | "skip" | "protect":
            return ctx.say(f"yume.eff.{do}", n=n, to=_to(to, ctx)) + _where(told, ctx)
        case "reveal" if what in ("role", "skill"):
            return ctx.say(f"yume.eff.reveal.{what}", to=_to(to, ctx)) + _where(told, ctx)
        case "marker" if to in ("self", "choose"):
            return ctx.say(f"yume.eff.marker.{to}")
        case "marker":
            return ctx.say("yume.eff.marker.to", to=_to(to, ctx))
        case "may":
            inner = _effects(told.get("effects"), ctx, depth - 1)
            return ctx.say("yume.eff.may", what=inner)
        case "if" | "guess":
            then, other = (_effects(told.get(name), ctx, depth - 1) for name in ("then", "else"))
            cond = _condition(as_dict(told.get("cond")), ctx) if do == "if" else ""
            nothing = ctx.say("yume.eff.nothing")
            return ctx.say(
                f"yume.eff.{do}", cond=cond, then=then or nothing, other=other or nothing
            )
    part = at if do in ("peek", "open") and at else what
    key = f"yume.eff.{do}.{part}" if part and do != "gain" else f"yume.eff.{do}"
    return ctx.say(key) if has(key) else clean(f"{do} {part}")


def _to(to: str, ctx: Context) -> str:
    key = f"yume.to.{to}"
    return ctx.say(key) if has(key) else clean(to)
