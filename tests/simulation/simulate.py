"""One run: a world, its people, what goes wrong, and what has to hold in the end."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

import trio
from attrs import field, frozen
from kaguraden_server.journal import store

from .ledger import Ledger
from .people import Party, Person
from .plan import Plan, plan_of
from .referee import Referee
from .running import Clock, Trace, chance, run_seeded
from .world import HOUSE, Broken, World

__all__ = ["Run", "simulate"]

MEMORY = Path("/dev/shm")  # noqa: S108 - only folders of our own are made there
CALM_S = 4_000.0  # within which every game has to end once nothing goes wrong any more
GOES_ON = 6  # inputs of a game that is too long to be played to its end
SETTLE_S = 4_000.0  # after which a house without people has to be empty


@frozen
class Run:
    """How a run went. `failure` says what does not hold."""

    seed: int
    digest: str
    virtual_s: float
    seconds: float
    figures: Counter[str] = field(factory=Counter)
    failure: str | None = None
    tail: tuple[str, ...] = ()


def simulate(seed: int, *, trace: bool = False) -> Run:
    """Run a seed; `trace` prints everything that happens."""
    begun = time.process_time()
    base = str(MEMORY) if os.access(MEMORY, os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="kaguraden-", dir=base))
    clock, told = Clock(), Trace(echo=trace)
    simulation = Simulation(folder, plan_of(seed), clock, told)
    failure: str | None = None
    try:
        run_seeded(seed, clock, simulation.run)
    except BaseExceptionGroup as group:
        failure = "".join(traceback.format_exception(group))
    except Exception:
        failure = traceback.format_exc()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    problems = simulation.world.problems
    if problems:
        failure = "\n".join(
            [*problems[:5], *([failure] if failure and not _is_broken(failure) else [])]
        )
    return Run(
        seed,
        told.digest,
        simulation.ended,
        time.process_time() - begun,
        simulation.world.figures,
        failure,
        tuple(told.lines) if failure else (),
    )


def _is_broken(failure: str) -> bool:
    return Broken.__name__ in failure


class Simulation:
    """All that takes part."""

    def __init__(self, folder: Path, plan: Plan, clock: Clock, trace: Trace) -> None:
        self.plan = plan
        self.ended = 0.0
        self.world = World.within(folder, plan, clock, trace)
        self.ledger = Ledger(self.world.fail)
        self.referee = Referee(self.world, self.ledger, HOUSE)
        self.rng = chance(plan.seed, "faults")
        self.parties = [Party(table) for table in plan.tables]
        self.people = [
            Person(
                self.world,
                self.ledger,
                party,
                f"{'w' if n >= party.plan.people else 'p'}{t}{n}",
                chance(plan.seed, f"person {t} {n}"),
                watches=n >= party.plan.people,
            )
            for t, party in enumerate(self.parties)
            for n in range(party.plan.people + party.plan.watchers)
        ]
        self.world.on_death = lambda lobby: self.referee.compare(lobby, self.world.disk.folder)

    async def run(self) -> None:
        """Play it."""
        world = self.world
        async with trio.open_nursery() as nursery:
            nursery.start_soon(world.run, name="server")
            async with trio.open_nursery() as crowd:
                for person in self.people:
                    crowd.start_soon(person.live, name=person.name)
                with trio.move_on_after(self.plan.span_s):
                    await self._spoil()
                await self._calm_down()
                self._stop_if_broken()
                await self._play_out()
                crowd.cancel_scope.cancel()
            self._stop_if_broken()
            await self._settle()
            self.referee.check(world.disk.folder)
            self.ended = trio.current_time()
            nursery.cancel_scope.cancel()
        world.figures["storage errors"] = world.disk.errors
        world.trace.note("figures", *sorted(world.figures.items()))
        self._stop_if_broken()

    def _stop_if_broken(self) -> None:
        self.ended = trio.current_time()
        if self.world.problems:
            raise Broken(self.world.problems[0])

    # --- what goes wrong -------------------------------------------------------------------------

    async def _spoil(self) -> None:
        while True:
            await trio.sleep(self.rng.expovariate(1 / self.plan.pause_s))
            self._stop_if_broken()
            self._go_wrong(self.rng.choice(self.plan.kinds))

    def _go_wrong(self, kind: str) -> None:
        world, rng, disk = self.world, self.rng, self.world.disk
        links = [link for link in world.links if not link.is_over]
        world.trace.note("FAULT", kind)
        match kind:
            case "drop" if links:
                world.figures["drops"] += 1
                rng.choice(links).lose()
            case "stall" if links:
                link = rng.choice(links)
                pipe = rng.choice((link.up, link.down))
                pipe.stall(trio.current_time() + rng.uniform(0.5, 15))
                world.figures["stalls"] += 1
            case "slow" if links:
                rng.choice(links).down.pace = rng.choice((0.05, 0.5, 2.0))
                world.figures["slow readers"] += 1
            case "clock":
                world.clock.offset += rng.choice((-120.0, -2.0, 2.0, 120.0))
                world.figures["clock jumps"] += 1
            case "storage":
                disk.failing = rng.choice((0.0, 0.3, 0.7, 1.0))
            case "unsure":
                disk.unsure = rng.choice((0.0, 0.2, 0.5))
            case "sluggish":
                disk.slow_s = rng.choice((0.0, 0.02, 0.5))
            case "kill":
                self._kill(rng)
            case "drain":
                world.drain()

    def _kill(self, rng: random.Random) -> None:
        world = self.world
        world.down_s = rng.choice((0.0, 0.0, 5.0, 40.0))
        world.dies_at_start = rng.random() < 0.2
        match rng.choice(("now", "commit", "frame")):
            case "now":
                world.die("at any time")
            case "commit":
                world.disk.dies_in = rng.randint(0, 3)
            case _:
                world.die_after_frames(rng.randint(0, 20))

    async def _calm_down(self) -> None:
        world = self.world
        world.trace.note("CALM")
        world.disk.heal()
        world.dies_at_start = False
        world.die_after_frames(1 << 60)
        world.is_calm = True
        for link in world.links:
            link.down.pace = 0.0

    # --- what has to hold in the end -------------------------------------------------------------

    async def _play_out(self) -> None:
        """Wait until every game is over, or of a long one until it has gone on for a while."""
        short = {party.room for party in self.parties if party.plan.ends}
        needed = self._inputs()
        until = trio.current_time() + CALM_S
        while trio.current_time() < until:
            await trio.sleep(2.0)
            self._stop_if_broken()
            if not any(
                code in short or inputs < needed.get(code, 0) + GOES_ON
                for code, inputs in self._inputs().items()
            ):
                return
        self.world.fail(f"these games do not go on: {self._inputs()}")

    def _inputs(self) -> dict[str, int]:
        """Return how far the games in play are."""
        lobby = self.world.lobby
        if lobby is None:
            return {"": 0}  # wait for the next
        rooms = lobby.rooms.values()
        return {r.code: len(r.table.inputs) for r in rooms if r.table and r.phase == "playing"}

    async def _settle(self) -> None:
        """Wait until everybody's absence has been noticed, and look for what is left."""
        world = self.world
        await trio.sleep(SETTLE_S)
        lobby = world.lobby
        if lobby is None:
            world.fail("there is no server")
            return
        left = {
            "rooms": list(lobby.rooms),
            "connections": len(lobby.connections),
            "addresses": dict(lobby.per_address),
            "bots": dict(lobby._bots),
            "members": [user.id for user in lobby.users if user.rooms or user.open_connections],
        }
        if any(left.values()):
            world.fail(f"left over: {left}")
        nursery = lobby._nursery
        tasks = [] if nursery is None else sorted(task.name for task in nursery.child_tasks)
        if over := [name for name in tasks if not name.endswith(".Lobby._rounds")]:
            world.fail(f"tasks left over: {over}")
        connection = store.connect(world.disk.folder / store.FILE, writes=True)
        open_rooms = [row.code for row in store.open_rooms(connection)]
        connection.close()
        if open_rooms:
            world.fail(f"open in the journal: {open_rooms}")
