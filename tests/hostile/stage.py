"""A house with one room whose game begins at a given position, and everybody in it.

Two such houses in one virtual time, with the same seed and two positions that somebody cannot tell
apart, are what a pair is played on (`pairs`).
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import trio
from attrs import define, field
from kaguraden_rules.kernel import Act, Answer, CardId, Expire, Game, Input, SeatId, Step, Viewer
from kaguraden_server.room import Room
from kaguraden_server.table import Table

from tests.server.house import config, open_house
from tests.server.journals import InlineJournal

from .chance import draw_from
from .guests import Guest, Json

__all__ = ["MEMORY", "NAMES", "Scene", "open_scene"]

NAMES = ("Aki", "Ben", "Chi", "Dai", "Emi", "Fuji", "Gen", "Hana")
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - no disk to wait for


class _Staged:
    """A game that begins where it is told to, and notes what it is played with."""

    def __init__(self, game: Game[Any, Any], opening: Step[Any]) -> None:
        self._game = game
        self._opening = opening
        self.steps: list[tuple[Input, Step[Any]]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def check_deck(self, options: Any, deck: Sequence[CardId] | None) -> tuple[CardId, ...]:
        return ()

    def setup(self, *_: Any) -> Step[Any]:
        return self._opening

    def act(self, state: Any, seat: SeatId, answer: Answer) -> Step[Any]:
        step = self._game.act(state, seat, answer)
        self.steps.append((Act(seat, answer), step))
        return step

    def expire(self, state: Any, wait: str) -> Step[Any]:
        step = self._game.expire(state, wait)
        self.steps.append((Expire(wait), step))
        return step


@define(eq=False)
class Scene:
    """One house: its room, who sits there, who watches, and who only looks at the list of rooms."""

    rng: random.Random  # what the server's secrets are drawn from
    room: Room
    seats: list[Guest]
    watcher: Guest
    outsider: Guest
    steps: list[tuple[Input, Step[Any]]]
    noted: int = field(init=False, default=0)  # steps that were looked at

    @property
    def table(self) -> Table:
        """Return the game."""
        assert self.room.table is not None
        return self.room.table

    @property
    def now(self) -> float:
        """Return the time."""
        return trio.current_time()

    @property
    def state(self) -> Any:
        """Return the position."""
        return self.table.state

    def guest(self, who: Viewer) -> Guest:
        """Return who sees what a viewer sees."""
        return self.watcher if who is None else self.seats[who]

    def new_steps(self) -> list[tuple[Input, Step[Any]]]:
        """Return the steps since this was asked last."""
        fresh = self.steps[self.noted :]
        self.noted = len(self.steps)
        return fresh

    async def act(self, seat: SeatId, answer: Answer) -> Json:
        """Have a seat answer; return the reply."""
        value = list(answer.value) if isinstance(answer.value, tuple) else answer.value
        fields = {} if value is None else {"value": value}
        return await self.seats[seat].request(
            "act", room=self.room.code, decision=answer.decision, option=answer.option, **fields
        )


@asynccontextmanager
async def open_scene(
    game: Game[Any, Any],
    opening: Step[Any],
    *,
    seats: int,
    options: Json,
    seed: int,
    standing: Sequence[tuple[int, str, str]] = (),
    patch: bool = False,
) -> AsyncIterator[Scene]:
    """Open a house, bring the people in, and start the game at its opening.

    Args:
        game: The game.
        opening: The position to begin with, and what is told of it.
        seats: How many there are.
        options: The room's.
        seed: What the server's secrets come from.
        standing: Standing answers: seat, kind of window, mode.
        patch: Whether everybody takes patches.
    """
    rng = random.Random(seed)
    staged = _Staged(game, opening)
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        journal = InlineJournal(Path(folder))
        with draw_from(rng):
            limits = {"burst_requests": 100_000, "requests_per_second": 100_000}
            async with open_house(
                config(limits), games=(cast("Game[Any, Any]", staged),), journal=journal
            ) as house:
                hello: Json = {"capabilities": ["patch"]} if patch else {}
                people = [
                    await Guest(house.lobby, house.nursery, name).enter(**hello)
                    for name in (*NAMES[:seats], "Wat", "Out")
                ]
                players, watcher, outsider = people[:seats], people[-2], people[-1]
                await outsider.ask("rooms", watch=True)
                made = await players[0].ask("create", game=game.id, seats=seats, options=options)
                code = made["room"]
                for player in players[1:]:
                    await player.ask("join", room=code)
                await watcher.ask("join", room=code, **{"as": "spectator"})
                for number, player in enumerate(players):
                    nonce = f"{number:032x}"
                    await player.ask("ready", room=code, ready=True, nonce=nonce)
                for seat, window, mode in standing:
                    await players[seat].ask("auto", room=code, window=window, mode=mode)
                await players[0].ask("start", room=code)
                room = house.lobby.rooms[code]
                yield Scene(rng, room, players, watcher, outsider, staged.steps)
        journal.drop()
        await trio.lowlevel.checkpoint()
