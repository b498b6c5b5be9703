"""Using a card or a skill: one frame from its declaration to its end (OD-97).

**R1** `declare` takes the card out of the hand and puts the frame on the stack; K names its target
here, J its card, a skill what its lines pick. **R2** the costs of a skill or an event are paid, in the
same breath. **R3** K and events open their windows. **R4** the lines of the effect are carried out
one by one, unless the card was cancelled; what a line still has to choose is asked before it. **R5**
the card goes to its player's pile. **R6** the windows for what was discarded meanwhile open, the
oldest batch first, never in the middle of the effect (OD-99). **R7** the frame ends, and the one
below goes on.

A window's answer is a frame of the same kind above that window, without R3: A, J, Q and skills cannot
be answered (OD-77). Its own windows lie above it again, so what was declared last ends first
(OD-100).
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from kaguraden_rules.kernel import SeatId, Value
from kaguraden_rules.odoriko import card as c
from kaguraden_rules.odoriko import events
from kaguraden_rules.odoriko.activity import Activity
from kaguraden_rules.odoriko.lines import carry_out, lines_of
from kaguraden_rules.odoriko.moves import change_vp, discard, put_away, take_out
from kaguraden_rules.odoriko.needs import vp_price
from kaguraden_rules.odoriko.offers import Offer
from kaguraden_rules.odoriko.picking import open_pick
from kaguraden_rules.odoriko.refs import Back, CardRef, Field, back, face
from kaguraden_rules.odoriko.skills import FaceUp
from kaguraden_rules.odoriko.state import Action, Named, Purpose, Turn, Use, UseStep, WindowName
from kaguraden_rules.odoriko.table import Table
from kaguraden_rules.odoriko.windows import open_window, serve_batch, takes_of, target_of
from kaguraden_rules.odoriko.zones import deck, field

__all__ = ["USE", "declare", "declare_event", "declare_skill"]


def declare(
    table: Table,
    seat: SeatId,
    card: CardRef,
    does: Purpose,
    *,
    picks: tuple[tuple[Named, ...] | None, ...] = (),
    takes_action: bool = False,
) -> None:
    """Put a card from a hand to use: face up on the stack (R1), out of the hand (OD-54)."""
    card = take_out(table, Named(seat, "hand", card)).card
    step = UseStep.WINDOW if does in (Purpose.DISCARD, Purpose.EVENT) else UseStep.EFFECT
    use = Use(seat, card, does, picks, step)
    _push(table, use)
    target, takes = target_of(use), takes_of(use)
    table.tell(events.CardDeclared(seat, face(card), takes_action, target, takes))


def declare_event(table: Table, seat: SeatId, card: CardRef, offer: Offer, value: Value) -> None:
    """Use an event from a hand (OD-44): R1, and R2 with the payment."""
    declare(table, seat, card, Purpose.EVENT, takes_action=True)
    event = table.cards[face(card)]
    if isinstance(event, c.EventCard):
        pays, _ = offer.taken(value)
        _pay(table, seat, event.play.cost, pays)


def declare_skill(
    table: Table, found: FaceUp, offer: Offer, value: Value, *, takes_action: bool = False
) -> None:
    """Use a skill (OD-45): R1, and R2 with the payment."""
    pays, picks = offer.taken(value)
    at, skill = found.at, found.skill
    use = Use(at.seat, at.card, Purpose.SKILL, picks, at=at)
    _push(table, use)
    if skill.limit is not None:
        _spend(table, found, skill.limit)
    table.tell(
        events.SkillDeclared(
            at.seat,
            at.zone,
            face(at.card),
            takes_action,
            at.kept or None,
            None if skill.limit is None else skill.limit.value,
            _picked_by(use),
        )
    )
    _pay(table, at.seat, skill.cost, pays)


def _push(table: Table, use: Use) -> None:
    action = table.stack[0]
    if isinstance(action, Action):
        table.stack[0] = evolve(action, frames=action.frames + 1)
    table.stack.append(use)


def _pay(table: Table, seat: SeatId, cost: Sequence[c.Cost], pays: tuple[Named, ...]) -> None:
    """Pay the costs (R2): cards of one's own as one batch, and VP, also below 0 (OD-67, OD-68)."""
    discard(table, [take_out(table, named) for named in pays], "cost")
    change_vp(table, seat, -vp_price(cost), "cost")


def _spend(table: Table, found: FaceUp, limit: c.Limit) -> None:
    """Note that a skill cannot be used again in this turn, or in this half (OD-184, OD-220)."""
    turn = table.stage
    if not isinstance(turn, Turn):
        raise TypeError("no turn is being played")
    last = len(table.seats) * table.options.circuit_limit  # a half has no turn after this one
    until = turn.number if limit is c.Limit.TURN else last
    zone = Field(found.at.zone)
    spent = (
        evolve(y, spent=until) if y.since == found.at.since else y
        for y in field(table.seats[found.at.seat], zone)
    )
    table.change(found.at.seat, **{zone.value: tuple(spent)})


def _picked_by(use: Use) -> tuple[events.Picked, ...] | None:
    """Return what a skill named in the open when it was declared; hand cards stay unsaid."""
    named = (one for picked in use.picks for one in picked or () if one.zone != "hand")
    return tuple(map(_picked, named)) or None


def _picked(named: Named) -> events.Picked:
    to = None
    if named.to_seat is not None and named.to_zone is not None:
        to = events.Spot(named.to_seat, named.to_zone)
    card = face(named.card) if named.card else None
    return events.Picked(named.seat, named.zone or None, card, named.kept or None, to)


# --- carrying out -------------------------------------------------------------------------------


def _go_on(table: Table, use: Use) -> bool:
    match use.step:
        case UseStep.WINDOW:  # R3
            table.update(step=UseStep.EFFECT)
            open_window(table, WindowName.K if use.does is Purpose.DISCARD else WindowName.EVENT)
        case UseStep.EFFECT if not use.cancelled and use.line < len(lines_of(table, use)):  # R4
            if not open_pick(table, use):
                table.update(line=use.line + 1)  # first, as a line may put a frame on top
                carry_out(table, use, use.line)
        case UseStep.EFFECT:
            _return_shown(table, use)
            table.update(step=UseStep.AWAY)
        case UseStep.AWAY if use.does is Purpose.SKILL:
            table.tell(events.SkillResolved(use.seat, face(use.card)))
            table.update(step=UseStep.TRIGGERS)
        case UseStep.AWAY:  # R5; a cancelled card is spent too (OD-78)
            put_away(table, use.seat, use.card)
            table.update(step=UseStep.TRIGGERS)
        case UseStep.TRIGGERS:  # R6, R7
            if not serve_batch(table, use):
                table.stack.pop()
    return True


def _return_shown(table: Table, use: Use) -> None:
    """Shuffle the shown cards that are left back into their decks (OD-171)."""
    for which in Back:
        rest = tuple(card for card in use.shown if back(card) is which)
        if rest:
            cards = sorted((*deck(table.seats[use.seat], which), *rest))
            shuffled, table.entropy = table.entropy.shuffle(cards)
            table.change(use.seat, **{f"{which.value}_deck": shuffled})
            table.tell(events.DeckShuffled(use.seat, which.value, len(shuffled)))
    if use.shown:
        table.update(shown=())


USE = Activity(go_on=_go_on)
