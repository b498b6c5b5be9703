"""What was hidden, shown when a game ends (YU-19, YU-120)."""

from __future__ import annotations

from attrs import frozen

from kaguraden_rules.kernel import CardId
from kaguraden_rules.yumeochi.state import Position, State
from kaguraden_rules.yumeochi.table import Table

__all__ = ["ClockCard", "Revealed", "reveal"]


@frozen
class ClockCard:
    """A card of the clock that nobody opened."""

    position: Position
    card: CardId


@frozen
class Revealed:
    """What was hidden; None where the room shows the cards of seats only."""

    roles: tuple[CardId, ...]
    skills: tuple[tuple[CardId, ...], ...]
    removed: tuple[CardId, ...]  # skills of the dead
    leftover: tuple[CardId, ...] | None = None
    clock: tuple[ClockCard, ...] | None = None
    undealt: tuple[CardId, ...] | None = None


def reveal(game: State | Table) -> Revealed:
    """Return what the room shows of a game that is over."""
    is_all = game.options.end_reveal == "all"
    down = (
        ClockCard(position, place.card)
        for position, place in enumerate(game.clock, 1)
        if place.is_down
    )
    return Revealed(
        roles=tuple(seat.role for seat in game.seats),
        skills=tuple(tuple(held.card for held in seat.skills) for seat in game.seats),
        removed=tuple(held.card for held in game.removed),
        leftover=tuple(held.card for held in game.leftover) if is_all else None,
        clock=tuple(down) if is_all else None,
        undealt=game.undealt if is_all else None,
    )
