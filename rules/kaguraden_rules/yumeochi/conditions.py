"""Conditions: tests of public facts (YU-95)."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from kaguraden_rules.kernel import CardId, SeatId
from kaguraden_rules.yumeochi.card import Condition
from kaguraden_rules.yumeochi.counting import public_stars
from kaguraden_rules.yumeochi.table import Table

__all__ = ["Asker", "all_hold", "holds"]


@frozen
class Asker:
    """Who tests a condition: the seat (`self`), the card that says so, and the hour it goes by."""

    seat: SeatId
    card: CardId
    hour: int


def all_hold(
    table: Table, conditions: Iterable[Condition], asker: Asker, target: SeatId | None = None
) -> bool:
    """Tell whether all conditions hold; none is no condition."""
    return all(holds(table, condition, asker, target) for condition in conditions)


def holds(table: Table, condition: Condition, asker: Asker, target: SeatId | None = None) -> bool:
    """Tell whether a condition holds."""
    who = asker.seat
    if condition.who == "target":
        if target is None:
            raise ValueError(f"{condition} has no target")
        who = target
    match condition.test:
        case "marker":
            holder = table.start if condition.which == "start" else table.origin
            return (holder == who) is condition.holds
        case "role_open":
            return table.seats[who].role_up is condition.holds
        case "card_down":
            return _is_card_down(table, condition.at) is condition.holds
        case _:
            return condition.is_met_by(_number(table, condition, asker, who))


def _is_card_down(table: Table, at: str | None) -> bool:
    match at:
        case "current":
            return table.is_down(table.hour)
        case "next":
            return table.is_down(table.hour + 1)
        case _:
            return any(place.is_down for place in table.clock[: table.hour - 1])


def _number(table: Table, condition: Condition, asker: Asker, who: SeatId) -> int:
    """Return the number that a condition compares."""
    seat = table.seats[who]
    match condition.test:
        case "hour":
            return asker.hour
        case "life":
            return seat.life
        case "items":
            return len(seat.items)
        case "event_stock":
            return len(seat.stock)
        case "stars":
            return public_stars(table.cards, seat)
        case "opened":
            return seat.opened
        case "kills":
            return seat.kills
        case "skills":
            return len(seat.skills)
        case "uses":
            return seat.uses.count(asker.card)
        case "life_lead":
            return seat.life - max((table.seats[s].life for s in table.others(who)), default=0)
        case "life_total":
            return sum(seat.life for seat in table.seats if seat.alive)
        case "roles_open":
            return sum(seat.role_up for s, seat in enumerate(table.seats) if s != who)
        case "alive":
            return sum(seat.alive for seat in table.seats)
        case test:
            raise ValueError(f"no such test: {test}")
