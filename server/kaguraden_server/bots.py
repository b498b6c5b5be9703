"""Bots in the seats of this server: clients like any other, over a wire inside the process.

A bot is an async function from the entry points of group `kaguraden.bots`, one a level. It gets a
transport, a token that makes it the seat's player, the room and its name; it says `hello` with the
token, `sync`s the room and plays. It sees what any client sees.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Protocol

import trio
from attrs import define, field

from .wires import inside_pair

if TYPE_CHECKING:
    from .lobby import Lobby
    from .users import User

__all__ = ["BotFunction", "BotRun", "Transport", "bot_name", "find_bots", "run_bot"]

PREFERRED = "greedy"
NAMES = ("Kitsune", "Tanuki", "Kodama", "Tengu", "Kappa", "Karasu", "Usagi", "Neko")


class Transport(Protocol):
    """A bot's end of its connection."""

    async def send(self, text: str) -> None:
        """Send a message."""

    async def receive(self) -> str:
        """Return the next message; EOFError when the connection is over."""

    async def aclose(self) -> None:
        """Hang up."""


class BotFunction(Protocol):
    """A bot of one level."""

    def __call__(
        self, transport: Transport, *, token: str, room: str, name: str
    ) -> Awaitable[None]:
        """Play in the room until its game is over or the connection is."""


def find_bots() -> Mapping[str, Callable[[], BotFunction]]:
    """Return the levels that are installed, each with a function that loads its bot."""
    found = {point.name: point.load for point in entry_points(group="kaguraden.bots")}
    return dict(sorted(found.items(), key=lambda entry: (entry[0] != PREFERRED, entry[0])))


def bot_name(number: int) -> str:
    """Return a name for the bot of seat `number`."""
    return NAMES[number % len(NAMES)]


@define(eq=False)
class BotRun:
    """A bot that plays a seat. `host` is the id of the user who put it in."""

    user: User
    level: str
    host: str
    scope: trio.CancelScope = field(factory=trio.CancelScope)
    has_ended: bool = False

    def stop(self) -> None:
        """Take the bot away."""
        self.scope.cancel()


async def run_bot(
    lobby: Lobby,
    run: BotRun,
    bot: BotFunction,
    *,
    token: str,
    room: str,
    name: str,
    opened: trio.Event,
) -> None:
    """Run a bot until its game is over, the seat is taken back, or it fails.

    It comes once its room is `opened`: a `hello` before that is not told of the room.
    """
    log = lobby.log.bind(room=room, bot=run.level)
    ours, theirs = inside_pair()
    with run.scope:
        await opened.wait()
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(partial(lobby.attend, ours, inside=True), name=f"bot in {room}")
                await bot(theirs, token=token, room=room, name=name)
                await theirs.aclose()
        except* Exception as group:
            log.fault("bot_failed", group)
    run.has_ended = True
    lobby.bot_ended(run, room)
