"""The machine: which activity plays what is on top, and how far the table moves on by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kaguraden_rules.odoriko.activity import Activity, Question
from kaguraden_rules.odoriko.auction import SALE
from kaguraden_rules.odoriko.gains import GAIN
from kaguraden_rules.odoriko.midway import KEEPING, OVER
from kaguraden_rules.odoriko.order import BIDDING, JANKEN, PLACING
from kaguraden_rules.odoriko.reactions import WINDOW
from kaguraden_rules.odoriko.state import (
    Action,
    Bidding,
    Gain,
    Janken,
    Keeping,
    Over,
    Placing,
    Sale,
    State,
    Turn,
    Use,
    Window,
)
from kaguraden_rules.odoriko.table import Table, Top
from kaguraden_rules.odoriko.turns import ACTION, TURN
from kaguraden_rules.odoriko.uses import USE

__all__ = ["activity_of", "move_on", "question_of"]

_ACTIVITIES: Mapping[type, Activity[Any]] = {
    Bidding: BIDDING,
    Janken: JANKEN,
    Placing: PLACING,
    Turn: TURN,
    Keeping: KEEPING,
    Over: OVER,
    Action: ACTION,
    Use: USE,
    Window: WINDOW,
    Sale: SALE,
    Gain: GAIN,
}


def activity_of(top: Top) -> Activity[Any]:
    """Return the activity that plays a stage or a frame."""
    return _ACTIVITIES[type(top)]


def move_on(table: Table) -> None:
    """Play on until an answer is needed or the game is over."""
    while activity_of(table.top).go_on(table, table.top):
        pass


def question_of(state: State) -> Question | None:
    """Return what a position waits for; None when the game is over."""
    top = state.stack[-1] if state.stack else state.stage
    return activity_of(top).question(top)
