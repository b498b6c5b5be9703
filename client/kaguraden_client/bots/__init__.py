"""Bots: programs that play a seat through the same session as people do.

`random_bot` and `greedy_bot` are what a server runs in its own process, found by the entry points
of group `kaguraden.bots`; `commands.bot` runs the same players from outside.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.metadata import version
from random import Random
from typing import Final

from kaguraden_protocol.messages import ClientInfo, Decision

from ..session import Session
from ..table import Table
from ..transport import Transport
from ..trio_shell import open_over
from .deduce import DeducePolicy
from .greedy import GreedyPolicy
from .heuristic import HeuristicPolicy
from .player import Player, Think, no_thought
from .policy import Policy
from .random import RandomPolicy
from .search import SearchPolicy

__all__ = [
    "CLIENT",
    "LEVELS",
    "THINK_VARIABLE",
    "deduce_bot",
    "greedy_bot",
    "heuristic_bot",
    "polite",
    "random_bot",
    "run_bot",
    "search_bot",
]

CLIENT: Final = ClientInfo("kaguraden-bot", version("kaguraden"))
LEVELS: Final[dict[str, Callable[[Random], Policy]]] = {
    "random": RandomPolicy,
    "greedy": GreedyPolicy,
    "heuristic": HeuristicPolicy,
    "search": SearchPolicy,
    "deduce": DeducePolicy,
}

THINK_VARIABLE: Final = "KAGURADEN_BOT_THINK_MS"
"""Environment variable: how long bots think beside people, in milliseconds; 0 for not at all.

With 0 they do not keep to the pace of a room either, which is for measuring alone: how long they
take may then tell what they hold.
"""

THINK_MS: Final = 500  # long enough to see what the one before did, short enough not to wait for


def polite(think_ms: int, rng: Random) -> Think:
    """Return a way to think about `think_ms` (half to one and a half) where people play along.

    Among themselves bots answer at once.
    """
    if think_ms <= 0:
        return no_thought

    def think(table: Table, _decision: Decision) -> float:
        seats = table.info.seats if table.info is not None else ()
        if all(seat.bot or seat.user is None or seat.seat == table.seat for seat in seats):
            return 0.0
        return think_ms / 1000 * rng.uniform(0.5, 1.5)

    return think


async def run_bot(
    transport: Transport,
    policy: Policy,
    *,
    token: str,
    room: str,
    name: str,
    think: Think = no_thought,
    keeps_pace: bool = True,
) -> Player:
    """Play over a connection that is there already, as the user that the token stands for.

    Returns the player when the game is over, the room is left or the connection has ended.
    """
    session = Session(name, token=token, bot=True, client=CLIENT)
    player = Player(session, room, policy, think=think, keeps_pace=keeps_pace)
    async with open_over(transport, session) as client:
        await player.play(client)
    return player


async def random_bot(transport: Transport, *, token: str, room: str, name: str) -> None:
    """Play at random. An entry point of group `kaguraden.bots`."""
    await _enter("random", transport, token, room, name)


async def greedy_bot(transport: Transport, *, token: str, room: str, name: str) -> None:
    """Take what is worth most at once. An entry point of group `kaguraden.bots`."""
    await _enter("greedy", transport, token, room, name)


async def heuristic_bot(transport: Transport, *, token: str, room: str, name: str) -> None:
    """Plan for the end of the game. An entry point of group `kaguraden.bots`."""
    await _enter("heuristic", transport, token, room, name)


async def search_bot(transport: Transport, *, token: str, room: str, name: str) -> None:
    """Try what it might do in imagined deals. An entry point of group `kaguraden.bots`."""
    await _enter("search", transport, token, room, name)


async def deduce_bot(transport: Transport, *, token: str, room: str, name: str) -> None:
    """Deduce what others hide. An entry point of group `kaguraden.bots`."""
    await _enter("deduce", transport, token, room, name)


async def _enter(level: str, transport: Transport, token: str, room: str, name: str) -> None:
    rng = Random()  # noqa: S311 - a way to play, no secret
    think_ms = _think_ms()
    await run_bot(
        transport,
        LEVELS[level](rng),
        token=token,
        room=room,
        name=name,
        think=polite(think_ms, rng),
        keeps_pace=think_ms > 0,
    )


def _think_ms() -> int:
    try:
        return int(os.environ.get(THINK_VARIABLE, THINK_MS))
    except ValueError:
        return THINK_MS
