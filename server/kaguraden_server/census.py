"""What there is in a house at this moment, in numbers: for the metrics and for who runs it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from attrs import frozen

if TYPE_CHECKING:
    from .lobby import Lobby

__all__ = ["Census", "take_census"]


@frozen
class Census:
    """A house in numbers.

    `connections` are those from outside, `bots` those that the server runs; `users` are all that
    are remembered, `here` those of them who are connected and no bots of the server. `rooms` are
    counted by game and phase. `waiting` are messages and `waiting_bytes` their size in all
    outboxes, `most_…` in the fullest. `journal` is "none", "up" or "down".
    """

    connections: int
    bots: int
    users: int
    here: int
    rooms: Mapping[tuple[str, str], int]
    waiting: int
    waiting_bytes: int
    most_waiting: int
    most_waiting_bytes: int
    journal: str
    is_draining: bool


def take_census(lobby: Lobby) -> Census:
    """Count what is in a house."""
    outside = [c for c in lobby.connections if not c.inside]
    sizes = [len(c.outbox) for c in lobby.connections]
    weights = [c.outbox.size for c in lobby.connections]
    journal = lobby.keeper.journal
    state = "none" if journal is None else "down" if journal.is_down else "up"
    return Census(
        connections=len(outside),
        bots=lobby.bots_running,
        users=len(lobby.users),
        here=sum(c.user is not None and c.user.connection is c for c in outside),
        rooms=Counter((room.game.id, room.phase.value) for room in lobby.rooms.values()),
        waiting=sum(sizes),
        waiting_bytes=sum(weights),
        most_waiting=max(sizes, default=0),
        most_waiting_bytes=max(weights, default=0),
        journal=state,
        is_draining=lobby.is_draining,
    )
