"""The machine: which activity plays what is on top, and how far the table moves on by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kaguraden_rules.odoriko.activity import Activity, Question
from kaguraden_rules.odoriko.auction import SALE
from kaguraden_rules.odoriko.gains import GAIN
from kaguraden_rules.odoriko.midway import KEEPING, OVER
from kaguraden_rules.odoriko.order import BIDDING, JANKEN, PLACING
from kaguraden_rules.odoriko.picking import PICKING
from kaguraden_rules.odoriko.reactions import WINDOW
from kaguraden_rules.odoriko.state import (
    Action,
    Asking,
    Bidding,
    Gain,
    Janken,
    Keeping,
    Over,
    Picking,
    Placing,
    Sale,
    Turn,
    Use,
    Window,
)
from kaguraden_rules.odoriko.table import Table, Top
from kaguraden_rules.odoriko.turns import ACTION, TURN
from kaguraden_rules.odoriko.uses import USE

__all__ = ["activity_of", "asked_by", "move_on"]

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
    Picking: PICKING,
}


def activity_of(top: Top) -> Activity[Any]:
    """Return the activity that plays a stage or a frame."""
    return _ACTIVITIES[type(top)]


def move_on(table: Table) -> None:
    """Play on until an answer is needed or the game is over."""
    while activity_of(table.top).go_on(table, table.top):
        pass


def asked_by(top: Top) -> tuple[int, Question] | None:
    """Return the question that a stage or frame asks now and its number, if it asks."""
    if not isinstance(top, Asking) or top.wait is None:
        return None
    return top.wait, activity_of(top).question(top)
