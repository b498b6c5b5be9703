"""What follows from an answer: the actions of §4, consent, and the follow-ups of effects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

from attrs import evolve

from kaguraden_rules.kernel import CardId, Option, SeatId
from kaguraden_rules.yumeochi import card as c
from kaguraden_rules.yumeochi import effects, moves, setup, victory
from kaguraden_rules.yumeochi import events as e
from kaguraden_rules.yumeochi.offers import picks_of
from kaguraden_rules.yumeochi.state import (
    Action,
    Frame,
    Phase,
    Picks,
    Proposal,
    Source,
)
from kaguraden_rules.yumeochi.table import Table

__all__ = ["answer"]


def answer(table: Table, phase: Phase, seat: SeatId, option: Option, by: e.By) -> None:
    """Do what a seat chose; `turns.move_on` plays on from there.

    Args:
        table: A table that moves.
        phase: What was asked.
        seat: Who answers.
        option: One of those that were listed.
        by: Who chose it.
    """
    args: Mapping[str, Any] = option.args
    match phase:
        case Phase.FIRST_HOLDER:
            _name_first_holder(table, args.get("seat"), by)
        case Phase.TURN:
            _act(table, option.kind, args, by)
        case Phase.CONSENT:
            _consent(table, args.get("card"), by)
        case Phase.MAY:
            effects.answer_may(table, yes=option.kind == "yes", by=by)
        case Phase.MARKER:
            effects.answer_marker(table, args["seat"], by)
        case Phase.YIELD:
            effects.answer_yield(table, args["card"])
        case Phase.DRAW:
            drawn = (args["own"], args["card"]) if option.kind == "draw" else None
            effects.answer_draw(table, drawn, by)
        case Phase.REMATCH:
            victory.answer_rematch(table, {seat: option.kind == "yes"})
        case Phase.OVER:
            raise ValueError("nothing is asked any more")
        case _:
            assert_never(phase)


def _name_first_holder(table: Table, named: SeatId | None, by: e.By) -> None:
    """Give both markers to the seat that was named, or draw one (DP-8)."""
    holder = setup.draw_first_holder(table) if named is None else named
    table.start = table.origin = holder
    table.tell(e.FirstHolderNamed(table.hour, holder, drawn=named is None, by=by))


# --- the turn ------------------------------------------------------------------------------------


def _begin_action(table: Table, action: Action, by: e.By) -> None:
    turn = table.turn
    table.stage = evolve(turn, action=action)
    moves.tell_action(table, turn.seat, action, by)


def _act(table: Table, kind: str, args: Mapping[str, Any], by: e.By) -> None:
    me = table.turn.seat
    match kind:
        case "open":  # YU-29
            _begin_action(table, Action("open"), by)
            moves.open_card(table, me, table.hour)
        case "use":
            _use(table, me, Action("use", args["card"], picks_of(args)), by)
        case "take":  # YU-37
            _begin_action(table, Action("take"), by)
            moves.move_start(table, me, "take")
        case "give":  # YU-39
            card, to = args["card"], args["seat"]
            _begin_action(table, Action("give", card, Picks(seat=to)), by)
            moves.move_item(table, me, to, card, "give")
        case "exchange":
            _propose(table, args["seat"], args["card"])
        case "action":
            _carry_out_role(table, me, Action("role_action", picks=picks_of(args)), by)
        case _:  # YU-46
            _begin_action(table, Action("pass"), by)


def _use(table: Table, me: SeatId, action: Action, by: e.By) -> None:
    """Use a skill or an item (YU-33); a skill is shown when it is first used."""
    card = action.card
    if card is None:
        raise ValueError("nothing is used")
    _begin_action(table, action, by)
    if card in table.cards.skill_of:
        moves.reveal_skill(table, me, card, "use")
        table.used += (card,)
        _carry_out(table, me, card, Source.SKILL, table.cards.skill_of[card].ability, action.picks)
    else:
        _carry_out(table, me, card, Source.ITEM, table.cards.time_of[card].use, action.picks)


def _carry_out_role(table: Table, me: SeatId, action: Action, by: e.By) -> None:
    """Turn the role up and carry out its additional action (YU-47)."""
    role = table.seats[me].role
    _begin_action(table, evolve(action, card=role), by)
    moves.reveal_role(table, me, "role_action")
    _carry_out(table, me, role, Source.ROLE, table.cards.role_of[role].action, action.picks)


def _carry_out(
    table: Table, me: SeatId, card: CardId, source: Source, ability: c.Ability | None, picks: Picks
) -> None:
    """Set an ability going, with its contents for the current hour (YU-50)."""
    if ability is None:
        raise ValueError(f"{card} cannot be used")
    table.change(me, uses=(*table.seats[me].uses, card))
    case = ability.case_at(table.hour)
    todo = () if case is None else case.effects
    table.stack.append(Frame(me, card, source, todo, hour=table.hour, picks=picks))


# --- agreed exchange -----------------------------------------------------------------------------


def _propose(table: Table, target: SeatId, card: CardId) -> None:
    """Propose an exchange, and ask the partner (YU-41, YU-42)."""
    turn = table.turn
    table.stage = evolve(turn, proposal=Proposal(target, card))
    shown = card if table.held(turn.seat, card).up else None
    table.tell(e.ExchangeProposed(table.hour, turn.seat, target, shown, offered=card))
    table.ask(Phase.CONSENT)


def _consent(table: Table, card: CardId | None, by: e.By) -> None:
    """Exchange the cards, or let the proposer choose another action (YU-42 to YU-44)."""
    turn = table.turn
    proposal = turn.proposal
    if proposal is None:
        raise ValueError("no exchange is proposed")
    agreed, target = card is not None, proposal.target
    table.tell(e.ExchangeAnswered(table.hour, target, turn.seat, agreed, by))
    table.stage = turn = evolve(turn, proposal=None)
    if not agreed:
        table.stage = turn = evolve(turn, tried=(*turn.tried, target))
    else:
        mine, theirs = (turn.seat, proposal.card), (target, CardId(card or ""))
        moves.cross_skills(table, e.SkillsExchanged, mine, theirs)
    if agreed or table.options.exchange_refused == "spends":
        exchange = Action("exchange", picks=Picks(seat=target))
        table.stage = evolve(turn, action=exchange)
