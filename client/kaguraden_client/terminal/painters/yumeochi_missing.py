"""What cannot be done in a turn of yumeochi, and why: for whoever misses an action in the menu."""

from __future__ import annotations

from kaguraden_protocol.messages import Decision

from ...reading import as_str
from ..menu import Node
from ..text import clean
from . import yumeochi_words  # noqa: F401 - adds its words
from .base import Context
from .yumeochi_board import Board, Seat
from .yumeochi_names import ability_of, action_name, card
from .yumeochi_rules import needs

__all__ = ["decision_of", "missing"]


def decision_of(node: Node) -> Decision | None:
    """Return the decision that an entry belongs to; of a group, that of its first entry."""
    while node.decision is None and node.children:
        node = node.children[0]
    return node.decision


def missing(decision: Decision, board: Board, ctx: Context) -> list[str]:
    """Return the actions of a turn that are not offered, each with its reason.

    The server alone knows what can be done; the reasons are told from the viewer's own cards and from
    what lies on the table, so they say nothing that the viewer does not see.
    """
    seat = board.at(ctx.me)
    if decision.kind != "turn" or seat is None or board.own is None:
        return []
    offered = {option.kind for option in decision.options}
    usable = {clean(as_str(o.args.get("card"))) for o in decision.options if o.kind == "use"}
    role = board.own.role or seat.role
    reasons = []
    if "open" not in offered:
        reasons.append(ctx.say("yume.cannot.open"))
    own = (*board.own.skills_down, *seat.skills_up, *seat.items)
    reasons += [_unused(name, seat, board, ctx) for name in own if name not in usable]
    if "take" not in offered:
        reasons.append(ctx.say("yume.cannot.take"))
    if "give" not in offered:
        reasons.append(ctx.say("yume.cannot.give"))
    if "exchange" not in offered:
        asked = board.proposals_left == 0
        reasons.append(ctx.say("yume.cannot.exchange" if asked else "yume.cannot.exchange.nobody"))
    action = ability_of(role, "action", ctx)
    if "action" not in offered and action:
        reasons.append(
            ctx.say("yume.cannot.action", what=action_name(role, ctx), needs=needs(action, ctx))
        )
    return [ctx.say("yume.cannot"), *(f"· {reason}" for reason in reasons)] if reasons else []


def _unused(name: str, seat: Seat, board: Board, ctx: Context) -> str:
    """Return why an own skill or item is not offered."""
    told = card(name, ctx)
    if name in board.used:
        return ctx.say("yume.cannot.used", card=told)
    if name in board.locked or (board.own is not None and name in board.own.locked):
        return ctx.say("yume.cannot.locked", card=told)
    ability = ability_of(name, "use" if name in seat.items else "", ctx)
    if not ability:
        return ctx.say("yume.cannot.no_use", card=told)
    return ctx.say("yume.cannot.use", card=told, needs=needs(ability, ctx))
