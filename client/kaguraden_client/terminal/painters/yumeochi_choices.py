"""The decisions of yumeochi (§10): how options are grouped, what they are called, what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kaguraden_protocol.messages import Decision, Option

from ...reading import Json, as_dict, as_int, as_str, has_int
from ..menu import Node, Step
from ..text import clean
from ..words import has
from . import yumeochi_words  # noqa: F401 - adds its words
from .base import Context
from .yumeochi_board import Board
from .yumeochi_names import ability_of, action_name, card
from .yumeochi_rules import own_damage, wants_secret

__all__ = [
    "cards_of",
    "entry",
    "path",
    "picks_text",
    "question",
    "sentence",
    "slot",
    "steps_text",
    "warning",
    "why",
]

# The digits that the actions of a turn keep, whatever else can be done (YU-29 to YU-47).
_SLOTS: Final = {"open": 1, "use": 2, "take": 3, "give": 4, "exchange": 5, "action": 6}
_FACE_DOWN: Final = "face_down"
# The choices of an option, in the order in which they are made.
_PICKS: Final = (
    "seat",
    "item",
    "own_item",
    "role",
    "position",
    "position2",
    "target_skill",
    "skill",
)
_ARGS: Final = {
    "use": ("card", *_PICKS),
    "give": ("card", "seat"),
    "exchange": ("seat", "card"),
    "action": _PICKS,
    "agree": ("card",),
    "to": ("seat",),
    "seat": ("seat",),
    "yield": ("card",),
    "draw": ("own", "card"),
}


def path(option: Option) -> tuple[Step, ...]:
    """Return by which choices an option is reached: the action, its card, its target."""
    args = option.args
    order = _ARGS.get(option.kind, ())
    steps = [Step(key, args[key]) for key in order if args.get(key) is not None]
    if option.kind == "exchange":  # the card is what one gives, not what one is given
        steps = [Step("gives", s.value) if s.key == "card" else s for s in steps]
    known = {*order, "source"}
    steps += [Step(key, value) for key, value in args.items() if key not in known]
    if option.kind in ("to", "seat", "yield") and steps:  # the only thing that is asked
        return tuple(steps)
    return (Step("kind", option.kind), *steps)


def slot(node: Node) -> int | None:
    """Return the digit of an action of a turn."""
    step = node.steps[0] if node.steps else Step("", None)
    return _SLOTS.get(as_str(step.value)) if step.key == "kind" else None


def question(decision: Decision, board: Board, ctx: Context) -> str:
    """Return what is asked, in our words; "" for a decision of a kind that is not known here."""
    key = f"yume.ask.{decision.kind}"
    if not has(key):
        return ""
    proposer = board.proposal.get("seat")
    who = ctx.name(proposer, 14) if has_int(proposer) else "?"
    return ctx.say(key, who=who) if decision.kind == "consent" else ctx.say(key)


# --- in words ------------------------------------------------------------------------------------


def entry(node: Node, board: Board, ctx: Context) -> str:
    """Return an entry of the menu in the few words that it needs where it stands."""
    if not node.steps:
        return clean(node.option.id) if node.option is not None else "…"
    first, *rest = node.steps
    if first.key != "kind":
        text = steps_text(node.steps, ctx)
    elif node.option is not None and not node.children:
        text = _option_text(node.option, board, ctx, brief=True)
    else:
        text = _group_text(as_str(first.value), rest, node, board, ctx)
    return f"{text}…" if node.children else text


def _group_text(kind: str, rest: list[Step], node: Node, board: Board, ctx: Context) -> str:
    """Return a group of options by what is chosen so far."""
    if kind == "action":
        head = _action_text(board, ctx)
    elif kind in ("use", "give", "exchange", "agree", "draw"):
        chosen = rest[0] if rest else None
        key = {"exchange": "yume.do.exchange.seat", "draw": "yume.do.draw.own"}.get(kind)
        key = key or f"yume.do.{kind}.card"
        if chosen is None:
            return ctx.say(f"yume.do.{kind}") if has(f"yume.do.{kind}") else clean(kind)
        value = as_str(chosen.value)
        who = ctx.name(as_int(chosen.value, -1), 14)
        head = ctx.say(key, card=card(value, ctx), own=card(value, ctx), who=who)
        rest = rest[1:]
    else:
        head = clean(kind)
    tail = steps_text(tuple(rest), ctx)
    return f"{head} → {tail}" if tail else head


def steps_text(steps: tuple[Step, ...], ctx: Context) -> str:
    """Return choices in words, one after the other."""
    words = [_step_text(step, ctx) for step in steps]
    return " → ".join(word for word in words if word)


def _step_text(step: Step, ctx: Context) -> str:
    value = clean(as_str(step.value))
    match step.key:
        case "seat" if has_int(step.value):
            mine = step.value == ctx.me
            name = ctx.name(step.value, 14)
            return name + (ctx.say("in_brackets", what=ctx.say("yume.pick.me")) if mine else "")
        case "position" if has_int(step.value):
            return ctx.say("yume.pick.position", n=step.value)
        case "position2" if has_int(step.value):
            return ctx.say("yume.pick.position.2", n=step.value)
        case "item":
            return ctx.say("yume.pick.item", card=card(value, ctx))
        case "own_item":
            return ctx.say("yume.pick.mine", card=card(value, ctx))
        case "role":
            return ctx.say("yume.pick.role", card=card(value, ctx))
        case "skill":
            return ctx.say("yume.pick.skill", card=card(value, ctx))
        case "target_skill" if value == _FACE_DOWN:
            return ctx.say("yume.pick.down")
        case "target_skill":
            return ctx.say("yume.pick.target_skill", card=card(value, ctx))
        case "gives":
            return ctx.say("yume.pick.gives", card=card(value, ctx))
        case "card" | "own":
            return card(value, ctx)
        case "kind":
            key = f"yume.do.{value}"
            return ctx.say(key) if has(key) else value
    return value or clean(step.value if step.value is not None else "")


def picks_text(told: Mapping[str, Json], ctx: Context) -> str:
    """Return the picks of an action that somebody carries out, for everybody at the table."""
    seat, target = told.get("seat"), told.get("target")
    actor = ctx.name(seat) if has_int(seat) else "?"
    other = ctx.name(target) if has_int(target) else "?"
    texts = [other] if has_int(target) else []
    owners = (("item", other), ("target_skill", other), ("own_item", actor), ("skill", actor))
    texts += [
        _step_text(Step(name, told[name]), ctx)
        for name in ("role", "position", "position2")
        if told.get(name) is not None
    ]
    for name, whose in owners:
        value = clean(as_str(told.get(name)))
        if value == _FACE_DOWN:
            texts.append(ctx.say("yume.pick.whose_down", who=whose))
        elif value:
            texts.append(ctx.say("yume.pick.whose", who=whose, card=card(value, ctx)))
    return " → ".join(texts)


def sentence(option: Option, board: Board, ctx: Context) -> str:
    """Return an option as a whole."""
    return _option_text(option, board, ctx, brief=False)


def _action_text(board: Board, ctx: Context) -> str:
    own = board.own
    name = action_name(own.role, ctx) if own is not None else ctx.say("yume.action.unnamed")
    return ctx.say("yume.do.action", what=name)


def _option_text(option: Option, board: Board, ctx: Context, *, brief: bool) -> str:
    args = option.args
    told = card(as_str(args.get("card")), ctx)
    seat = args.get("seat")
    who = ctx.name(seat, 14) if has_int(seat) else "?"
    picks = tuple(Step(key, args[key]) for key in _PICKS if args.get(key) is not None)
    match option.kind:
        case "open":
            return ctx.say("yume.do.open.short" if brief else "yume.do.open", n=board.hour)
        case "use" | "action":
            head = (
                ctx.say("yume.do.use.card", card=told)
                if option.kind == "use"
                else _action_text(board, ctx)
            )
            tail = steps_text(picks, ctx)
            return f"{head} → {tail}" if tail else head
        case "take":
            return ctx.say("yume.do.take_marker")
        case "give":
            return ctx.say("yume.do.give.full", card=told, who=who)
        case "exchange":
            return ctx.say("yume.do.exchange.full", card=told, who=who)
        case "agree":
            return ctx.say("yume.do.agree.card", card=told)
        case "yield":
            return ctx.say("yume.do.yield", card=told)
        case "draw":
            return ctx.say("yume.do.draw", own=card(as_str(args.get("own")), ctx), card=told)
        case "to" | "seat" if has_int(seat):
            return _step_text(Step("seat", seat), ctx)
        case "pass" | "refuse" | "yes" | "no" | "keep" | "random":
            return ctx.say(f"yume.do.{option.kind}")
    tail = steps_text(path(option)[1:], ctx)
    return " ".join(part for part in (clean(option.kind).replace("_", " "), tail) if part)


# --- before it is sent, and what it means --------------------------------------------------------


def warning(option: Option, board: Board, ctx: Context) -> str:
    """Say that an option shows the own role (YU-47) or may cost the last life (YU-63)."""
    own, seat = board.own, board.at(ctx.me)
    if own is None or seat is None:
        return ""
    texts: list[str] = []
    ability: Mapping[str, Json] = {}
    if option.kind == "action":
        ability = ability_of(own.role, "action", ctx)
        known = ctx.catalog.cards.get(own.role)
        if not seat.role:
            is_lost = known is not None and wants_secret(known.told)
            texts.append(ctx.say("yume.warn.action_secret" if is_lost else "yume.warn.action"))
    elif option.kind == "use":
        used = as_str(option.args.get("card"))
        part = "use" if option.args.get("source") == "item" else ""
        ability = ability_of(used, part, ctx)
    if 0 < seat.life <= own_damage(as_dict(ability), board.hour):
        texts.append(ctx.say("yume.warn.death", n=seat.life))
    return " ".join(texts)


def why(kind: str, ctx: Context) -> str:
    """Return what an action or an answer means, with its rules; "" where a card says it."""
    if not has(f"yume.why.{kind}"):
        return ""
    return ctx.say(f"yume.why.{kind}")


def cards_of(node: Node) -> list[str]:
    """Return the cards that an entry is about, the one used first."""
    found = [s.value for s in node.steps if isinstance(s.value, str) and s.key != "kind"]
    option = node.option
    if option is not None and not node.children:
        names = ("card", "own", "item", "own_item", "role", "skill", "target_skill")
        found += [as_str(option.args.get(name)) for name in names]
    if not found:  # a group: the cards that can be chosen below it
        for child in node.children:
            found += cards_of(child)
    return list(dict.fromkeys(one for one in found if one and one != _FACE_DOWN))
