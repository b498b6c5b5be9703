"""An honest room that plays beside what is done to the server, and measures how it is served.

`python -m tests.hostile.honest URL` plays game after game of odoriko, two people and a spectator who
check the protocol while they play (`tests.end_to_end.raw`). Each line on stdin is the name of what
begins now; at its end the program prints, as one JSON object, how long the replies to acts took
meanwhile, and how much was played. The exit status is 1 if anything was not as it has to be.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import trio
from attrs import define, field, frozen

from tests.end_to_end.raw import Client, Json, Place, connected

__all__ = ["Company", "Served", "honest_room"]

THINK_S = 0.02
OPTIONS = {"circuit_limit": 10, "window_min_ms": 50, "auction_ms": 2_000}
IDLE = frozenset({"end_turn"})


@frozen
class Served:
    """How people were served in one part of the time."""

    acts: int
    games: int
    p50_ms: float
    p99_ms: float
    worst_ms: float

    @classmethod
    def of(cls, times: list[float], games: int) -> Served:
        """Return the figures of the times that replies took, in seconds."""
        ranked = sorted(time * 1000 for time in times) or [0.0]
        at = [ranked[min(len(ranked) - 1, int(len(ranked) * share))] for share in (0.5, 0.99)]
        return cls(len(times), games, at[0], at[1], ranked[-1])


@define(eq=False)
class Clock:
    """What happens in which part of the time."""

    part: str = "alone"
    times: dict[str, list[float]] = field(factory=lambda: defaultdict(list))
    games: dict[str, int] = field(factory=lambda: defaultdict(int))
    over: trio.Event = field(factory=trio.Event)


class _Calm(Client):
    """Thinks a little, and notes how long the replies to its acts take."""

    clock: Clock

    async def reply_to(self, kind: str, **fields: Any) -> Json:
        if kind != "act":
            return await super().reply_to(kind, **fields)
        await trio.sleep(THINK_S)
        begun = trio.current_time()
        reply = await super().reply_to(kind, **fields)
        self.clock.times[self.clock.part].append(trio.current_time() - begun)
        return reply


async def _play_on(url: str, clock: Clock) -> None:
    number = 0
    while not clock.over.is_set():
        number += 1
        async with (
            connected(url, "Aki", number) as aki,
            connected(url, "Ben", number) as ben,
            connected(url, "Wat", number) as wat,
        ):
            calm = [_calm(aki, clock), _calm(ben, clock)]
            place = await calm[0].create(2, **OPTIONS)
            places = [place, await calm[1].join(place.room)]
            watched = await wat.join(place.room, "spectator")
            for client, mine in zip(calm, places, strict=True):
                await client.get_ready(mine)
            await calm[0].ask("start", room=place.room)
            with trio.CancelScope() as scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(_stop, clock, scope)
                    await _game(calm, places, wat, watched)
                    nursery.cancel_scope.cancel()
                clock.games[clock.part] += 1


async def _game(calm: list[Client], places: list[Place], wat: Client, watched: Place) -> None:
    async with trio.open_nursery() as nursery:
        for client, place in zip(calm, places, strict=True):
            nursery.start_soon(client.play, place)
        nursery.start_soon(wat.watch, watched)
    outcomes = [place.view["outcome"] for place in (*places, watched)]
    assert outcomes[0] == outcomes[1] == outcomes[2]


async def _stop(clock: Clock, scope: trio.CancelScope) -> None:
    await clock.over.wait()
    scope.cancel()


def _calm(client: Client, clock: Clock) -> Client:
    calm = _Calm(client.ws, client.name, client.rng, client.hello)
    calm.clock = clock
    calm._last_id = client._last_id
    return calm


async def _main(url: str) -> None:
    clock = Clock()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_play_on, url, clock)
        async with trio.lowlevel.FdStream(0) as stdin:
            async for part in stdin:
                clock.part = part.decode().split()[-1]
        clock.over.set()
    parts = {part: [times, clock.games[part]] for part, times in clock.times.items()}
    print(json.dumps(parts))


@define(eq=False)
class Company:
    """The program as a process."""

    process: subprocess.Popen[str]

    @property
    def is_well(self) -> bool:
        """Tell whether it plays."""
        return self.process.poll() is None

    def begin(self, part: str) -> None:
        """Say what begins now."""
        assert self.process.stdin is not None
        self.process.stdin.write(part + "\n")
        self.process.stdin.flush()

    def end(self) -> dict[str, Served]:
        """End it; return how it was served in each part.

        Raises:
            AssertionError: Something was not as it has to be.
        """
        out, err = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, f"the honest room broke:\n{err}"
        parts: dict[str, Any] = json.loads(out)
        return {part: Served.of(times, games) for part, (times, games) in parts.items()}


@contextmanager
def honest_room(url: str) -> Iterator[Company]:
    """Have an honest room play at a server."""
    command = [sys.executable, "-m", "tests.hostile.honest", url]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield Company(process)
        finally:
            if process.poll() is None:
                process.kill()


if __name__ == "__main__":
    trio.run(_main, sys.argv[1])
