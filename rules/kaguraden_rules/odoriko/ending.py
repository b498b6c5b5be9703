"""When the game ends: so many resource cards lie on the fields in the second half (OD-124)."""

from __future__ import annotations

from kaguraden_rules.odoriko import events
from kaguraden_rules.odoriko.state import Over
from kaguraden_rules.odoriko.table import Table
from kaguraden_rules.odoriko.zones import lying_resources

__all__ = ["FINAL_COUNT", "end_is_reached", "ends_now"]

FINAL_COUNT = 20  # resource cards that end the game (OD-124)


def ends_now(table: Table) -> bool:
    """End the game if enough cards count; what is left of the turn is lost (OD-110, OD-125).

    Returns:
        Whether that is so. Nothing else may happen then.
    """
    if not end_is_reached(table):
        return False
    table.stack.clear()
    table.tell(events.FinalTriggered(_counted_resources(table)))
    table.stage = Over("final")
    return True


def end_is_reached(table: Table) -> bool:
    """Whether enough resource cards count, in the second half."""
    return table.half == 2 and _counted_resources(table) >= FINAL_COUNT


def _counted_resources(table: Table) -> int:
    """Return how many resource cards count towards the end of the game (OD-124).

    Those that lie on fields; with `final_count = placed` those that were put on one since midway,
    gone or not.
    """
    if table.options.final_count == "placed":
        return table.placed
    return lying_resources(table.seats)
