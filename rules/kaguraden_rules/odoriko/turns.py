"""Turns (OD-37): how one begins and ends, and what follows it.

A turn is at an action point when nothing lies on the stack: the active seat chooses an action, a
free play or the end of its turn (OD-96). The choice puts an action frame on the stack and begins to
carry it out; what it sets going lies above it. When all that is finished the action frame opens the
windows of its own batches, looks whether the game is over, and makes way for the next action point
or, with no action left, for the end of the turn (OD-191).
"""

from __future__ import annotations

from attrs import evolve

from kaguraden_rules.kernel import Decision, Option, Pace, SeatId, Value
from kaguraden_rules.odoriko import events
from kaguraden_rules.odoriko.actions import END_TURN, action_options, perform
from kaguraden_rules.odoriko.activity import Activity, Question
from kaguraden_rules.odoriko.marks import end_marks
from kaguraden_rules.odoriko.state import Action, Keeping, Over, Turn
from kaguraden_rules.odoriko.table import Table
from kaguraden_rules.odoriko.windows import serve_batch
from kaguraden_rules.odoriko.words import PROMPTS
from kaguraden_rules.odoriko.zones import lying_resources

__all__ = ["ACTION", "FINAL_COUNT", "TURN"]

FINAL_COUNT = 20  # resource cards that end the game (OD-124)


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
    """Begin an action, or a free play, which costs none (OD-76); or end the turn (OD-38)."""
    if option == END_TURN:
        _end(table, turn)
        return
    is_action = option.kind != "q_swap" or table.options.q_swap == "action"
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


def _counted_resources(table: Table) -> int:
    """Return how many resource cards count towards the end of the game (OD-124).

    Those that lie on fields; with `final_count = placed` those that were put on one since midway,
    gone or not.
    """
    if table.options.final_count == "placed":
        return table.placed
    return lying_resources(table.seats)


# --- actions -----------------------------------------------------------------------------------


def _action_goes_on(table: Table, action: Action) -> bool:
    """Finish an action: its windows, then the end of the game or the way back (OD-110)."""
    if serve_batch(table, action):
        return True
    count = _counted_resources(table)
    if table.half == 2 and count >= FINAL_COUNT:  # what is left of the turn is lost (OD-125)
        table.stack.clear()
        table.tell(events.FinalTriggered(count))
        table.stage = Over("final")
    else:
        table.stack.pop()
    return True


TURN = Activity(
    go_on=_turn_goes_on,
    question=_question,
    decide=_decide,
    answer=_answer,
    expire=lambda table, turn: _end(table, turn),
)
ACTION = Activity(go_on=_action_goes_on)
