"""The whole server in simulated worlds: nothing acknowledged is lost, nothing hidden is told."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from typing import Any
from unittest.mock import patch

import pytest
from kaguraden_protocol.errors import RefusedError
from kaguraden_rules.kernel import SeatId
from kaguraden_server import table
from kaguraden_server.room import Room
from kaguraden_server.streams import Stream, events_to_wire
from kaguraden_server.table import Played, Table

from .simulate import simulate

SEEDS = 200
WORKERS = 2


def again(seed: int) -> str:
    return f"python -m tests.simulation --seed {seed}"


def test_nothing_is_lost_and_nothing_leaks() -> None:
    with multiprocessing.Pool(WORKERS) as pool:
        runs = pool.map(simulate, range(SEEDS), chunksize=4)
    broken = [f"{again(run.seed)}\n{run.failure}" for run in runs if run.failure is not None]
    assert not broken, "\n".join(broken)
    total: Any = sum((run.figures for run in runs), start=type(runs[0].figures)())
    for what in ("acts", "repeated acts", "kills", "drains", "drops", "storage errors"):
        assert total[what] >= 50, f"the seeds hardly try {what}: {total}"
    assert total["games finished"] >= SEEDS / 2


DIGESTS = """
import sys
from tests.simulation.simulate import simulate
print(*(simulate(int(seed)).digest for seed in sys.argv[1:]))
"""


def digests(hash_seed: str, *seeds: int) -> list[str]:
    """Return the digests of runs in a process of their own."""
    done = subprocess.run(
        [sys.executable, "-c", DIGESTS, *map(str, seeds)],
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_equal_seeds_give_equal_runs_in_any_process() -> None:
    seeds = (2, 5, 7)
    first = digests("0", *seeds)
    assert len(set(first)) == len(seeds)
    assert digests("77", *reversed(seeds)) == first[::-1]
    assert [simulate(seed).digest for seed in seeds] == first


# --- planted faults ------------------------------------------------------------------------------


async def told_first(self: Room, played: Played) -> None:
    """`Room.play`, which tells of a move before it is recorded."""
    assert self.table is not None
    self.publish(self.table, played)
    await self.record(self.table, played)


REMEMBER = Table.apply_again
SHOW = Table._show
RECORD = Room.record
SAVE = Room.save


def forgets_answers(self: Table, inputs: Any, seqs: Any) -> None:
    REMEMBER(self, inputs, seqs)
    self.accepted.clear()


def numbers_anew(self: Table, inputs: Any, seqs: Any) -> None:
    REMEMBER(self, inputs, [0 for _ in seqs])


def shows_a_hand(self: Table, state: Any, *rest: Any) -> Played:
    """`Table._show`, where spectators see what the first seat sees."""

    class Leaky:
        def __getattr__(self, name: str) -> Any:
            return getattr(game, name)

        def view(self, state: Any, viewer: Any) -> Any:
            return game.view(state, SeatId(0) if viewer is None else viewer)

    game = self.game
    self.game = Leaky()
    try:
        return SHOW(self, state, *rest)
    finally:
        self.game = game


async def leaves_a_hole(self: Room, *args: Any) -> None:
    """`Room.record`, which counts a step that failed."""
    try:
        await RECORD(self, *args)
    except RefusedError:
        self._steps += 1
        raise


async def saves_no_lobby(self: Room) -> None:
    """`Room.save`, which leaves out what happens before the game."""
    if self.phase != "lobby":
        await SAVE(self)


# What is planted, where, and what the simulation has to say of it.
BUGS: dict[str, tuple[object, str, object, str]] = {
    "updates before the record": (Room, "play", told_first, "leaves before it is durable"),
    "answers forgotten at recovery": (Table, "apply_again", forgets_answers, "was accepted, and"),
    "numbers not restored": (Table, "apply_again", numbers_anew, "goes back from"),
    "spectators see a hand": (Table, "_show", shows_a_hand, "the view of None is"),
    "events told to everybody": (
        table,
        "events_to_wire",
        lambda events, _: events_to_wire(events, SeatId(0)),
        "the events of",
    ),
    "a step counted that is not there": (Room, "record", leaves_a_hole, "is missing"),
    "a save left out": (Room, "save", saves_no_lobby, "ok before it is durable"),
    "an answer not known again": (Table, "repeated", lambda *_: None, "was accepted, and now"),
    "updates left out for who is back": (Stream, "since", lambda *_: [], "a gap before"),
}
MOST_SEEDS = 25


@pytest.mark.parametrize("bug", BUGS)
def test_planted_faults_are_found(bug: str) -> None:
    where, name, planted, said = BUGS[bug]
    with patch.object(where, name, planted):
        found = next(filter(None, (simulate(seed).failure for seed in range(MOST_SEEDS))), None)
    assert found is not None, f"{MOST_SEEDS} seeds did not find: {bug}"
    assert said in found
