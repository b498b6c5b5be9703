"""Using a card: one frame from its declaration to its discard (OD-97).

**R1** `declare` takes the card out of the hand and puts the frame on the stack; K names its target
here, J its card. **R2**, costs, belongs to skills and events. **R3** K opens its window. **R4** the
lines of the effect are carried out one by one, unless the card was cancelled. **R5** the card goes
to its player's pile. **R6** the windows for what was discarded meanwhile open, the oldest batch
first, never in the middle of the effect (OD-99). **R7** the frame ends, and the one below goes on.

A window's answer is a frame of the same kind above that window, without R3: A, J and Q cannot be
answered (OD-77). Its own windows lie above it again, so what was declared last ends first (OD-100).
"""

from __future__ import annotations

from attrs import evolve

from kaguraden_rules.kernel import SeatId
from kaguraden_rules.odoriko import events
from kaguraden_rules.odoriko.activity import Activity
from kaguraden_rules.odoriko.lines import LINES, carry_out
from kaguraden_rules.odoriko.moves import put_away
from kaguraden_rules.odoriko.refs import CardRef, face
from kaguraden_rules.odoriko.state import Action, Named, Purpose, Use, UseStep, WindowName
from kaguraden_rules.odoriko.table import Table
from kaguraden_rules.odoriko.windows import open_window, serve_batch, takes_of, target_of

__all__ = ["USE", "declare"]


def declare(
    table: Table,
    seat: SeatId,
    card: CardRef,
    does: Purpose,
    *,
    picks: tuple[tuple[Named, ...], ...] = (),
    takes_action: bool = False,
) -> None:
    """Put a card from a hand to use: face up on the stack (R1), out of the hand (OD-54)."""
    hand = list(table.seats[seat].hand)
    hand.remove(card)
    table.change(seat, hand=tuple(hand))
    step = UseStep.WINDOW if does is Purpose.DISCARD else UseStep.EFFECT
    use = Use(seat, card, does, picks, step)
    action = table.stack[0]
    if isinstance(action, Action):
        table.stack[0] = evolve(action, frames=action.frames + 1)
    table.stack.append(use)
    target, takes = target_of(use), takes_of(use)
    table.tell(events.CardDeclared(seat, face(card), takes_action, target, takes))


def _go_on(table: Table, use: Use) -> bool:
    match use.step:
        case UseStep.WINDOW:  # R3
            table.update(step=UseStep.EFFECT)
            open_window(table, WindowName.K)
        case UseStep.EFFECT if not use.cancelled and use.line < len(LINES[use.does]):  # R4
            table.update(line=use.line + 1)  # first, as a line may put a frame on top
            carry_out(table, use, LINES[use.does][use.line])
        case UseStep.EFFECT:
            table.update(step=UseStep.AWAY)
        case UseStep.AWAY:  # R5; a cancelled card is spent too (OD-78)
            put_away(table, use.seat, use.card)
            table.update(step=UseStep.TRIGGERS)
        case UseStep.TRIGGERS:  # R6, R7
            if not serve_batch(table, use):
                table.stack.pop()
    return True


USE = Activity(go_on=_go_on)
