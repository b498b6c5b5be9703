"""Turns (OD-37): how one begins and ends, and what follows it.

A turn is at an action point when nothing lies on the stack: the active seat chooses an action, a
free play or the end of its turn (OD-96). The choice puts an action frame on the stack and begins to
carry it out; what it sets going lies above it. When all that is finished the action frame opens the
windows of its own batches, looks whether the game is over, opens the `free` window and makes way for
the next action point or, with no action left, for the end of the turn (OD-191).
"""

from __future__ import annotations

from attrs import evolve

from kaguraden_rules.kernel import Decision, Option, Pace, SeatId, Value
from kaguraden_rules.odoriko import events
from kaguraden_rules.odoriko.actions import END_TURN, action_options, perform
from kaguraden_rules.odoriko.activity import Activity, Question
from kaguraden_rules.odoriko.ending import ends_now
from kaguraden_rules.odoriko.marks import end_marks
from kaguraden_rules.odoriko.state import Action, Keeping, Over, Turn, WindowName
from kaguraden_rules.odoriko.table import Table
from kaguraden_rules.odoriko.windows import open_window, serve_batch
from kaguraden_rules.odoriko.words import PROMPTS

__all__ = ["ACTION", "TURN"]


# --- turns -------------------------------------------------------------------------------------


def _turn_goes_on(table: Table, turn: Turn) -> bool:
    if not turn.begun:
        _begin(table, turn)
    elif turn.wait is not None:
        return False
    elif turn.actions_left > 0:
        table.stage = evolve(turn, wait=table.next_wait())
    else:
        _end(table, turn)
    return True


def _begin(table: Table, turn: Turn) -> None:
    if turn.number == 1:
        table.tell(events.HalfStarted(table.half))
    end_marks(table, by=turn.seat)
    actions = table.options.actions_per_turn
    table.stage = evolve(turn, begun=True, actions_left=actions)
    table.tell(events.TurnStarted(turn.seat, actions))


def _question(turn: Turn) -> Question:
    return Question(Pace.TURN, (turn.seat,), (turn.seat,))


def _decide(table: Table, turn: Turn, seat: SeatId) -> Decision:
    options = action_options(table, seat)
    return Decision("", "action", options, END_TURN.id, prompt=PROMPTS["action"])


def _answer(table: Table, turn: Turn, seat: SeatId, option: Option, value: Value) -> None:
    """Begin an action, or a free play, which costs none (OD-76, OD-109); or end the turn (OD-38)."""
    if option == END_TURN:
        _end(table, turn)
        return
    is_free = option.kind == "q_swap" and table.options.q_swap == "free"
    is_action = not (is_free or "free" in option.args)
    left = turn.actions_left - is_action
    taken = turn.actions_taken + is_action
    table.stage = evolve(turn, wait=None, actions_left=left, actions_taken=taken)
    if is_action:
        table.tell(events.ActionsChanged(seat, left))
    table.stack.append(Action(seat))
    perform(table, seat, option, value, action=is_action)


def _end(table: Table, turn: Turn) -> None:
    """End a turn: midway, a stalemate, or the next seat's turn (OD-37, OD-113, OD-128, OD-129).

    Midway that is due comes before a stalemate (OD-210).
    """
    table.tell(events.TurnEnded(turn.seat, turn.barren))
    table.barren = table.barren + 1 if turn.barren else 0
    seats = len(table.seats)
    if table.half == 1 and turn.number == table.midway_due:
        table.stage = Keeping()
    elif table.barren >= seats:
        _break_off(table, "barren")
    elif turn.number >= seats * table.options.circuit_limit:
        _break_off(table, "circuit_limit")
    else:
        table.stage = Turn(table.from_left_of(turn.seat)[0], turn.number + 1)


def _break_off(table: Table, reason: str) -> None:
    """End a half that would not end: midway follows, or the final tally (OD-128, OD-129).

    With the built-in cards every turn that is not barren uses something up, so a half ends even
    without the limit (OD-130).
    """
    table.tell(events.Stalemate(table.half, reason))
    table.stage = Keeping() if table.half == 1 else Over(reason)


# --- actions -----------------------------------------------------------------------------------


def _action_goes_on(table: Table, action: Action) -> bool:
    """Finish an action: its windows, the end of the game, the `free` window, the way back."""
    if serve_batch(table, action):
        return True
    if ends_now(table):
        return True
    if action.freed:
        table.stack.pop()
    else:
        table.update(freed=True)
        open_window(table, WindowName.FREE)
    return True


TURN = Activity(
    go_on=_turn_goes_on,
    question=_question,
    decide=_decide,
    answer=_answer,
    expire=lambda table, turn: _end(table, turn),
)
ACTION = Activity(go_on=_action_goes_on)
