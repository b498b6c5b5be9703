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
from kaguraden_server import streams, table
from kaguraden_server.room import Room
from kaguraden_server.streams import events_to_wire

from .simulate import simulate

SEEDS = 200
WORKERS = 2


def again(seed: int) -> str:
    return f"python -m tests.simulation --seed {seed}"


def test_nothing_is_lost_and_nothing_leaks() -> None:
    with multiprocessing.get_context("spawn").Pool(WORKERS) as pool:
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


async def told_first(self: Room, played: table.Played) -> None:
    """`Room.play`, which tells of a move before it is recorded."""
    assert self.table is not None
    self.publish(self.table, played)
    await self.record(self.table, played)


REMEMBER = table.Table.apply_again
SHOW = table.Table._show
RECORD = Room.record
SAVE = Room.save


def forgets_answers(self: table.Table, inputs: Any, seqs: Any) -> None:
    REMEMBER(self, inputs, seqs)
    self.accepted.clear()


def numbers_anew(self: table.Table, inputs: Any, seqs: Any) -> None:
    REMEMBER(self, inputs, [0 for _ in seqs])


def shows_a_hand(self: table.Table, state: Any, *rest: Any) -> table.Played:
    """`Table._show`, where spectators see what the first seat sees."""

    class Leaky:
        def __getattr__(self, name: str) -> Any:
            return getattr(game, name)

        def view(self, state: Any, viewer: Any) -> Any:
            return game.view(state, 0 if viewer is None else viewer)

    game = self.game
    self.game = Leaky()  # type: ignore[assignment]
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


BUGS: dict[str, tuple[object, str, object]] = {
    "updates before the record": (Room, "play", told_first),
    "accepted answers forgotten at recovery": (table.Table, "apply_again", forgets_answers),
    "numbers not restored": (table.Table, "apply_again", numbers_anew),
    "spectators see a hand": (table.Table, "_show", shows_a_hand),
    "events told to everybody": (table, "events_to_wire", lambda e, _: events_to_wire(e, 0)),
    "a step counted that was not written": (Room, "record", leaves_a_hole),
    "a save left out": (Room, "save", saves_no_lobby),
    "an answer taken twice": (table.Table, "repeated", lambda *_: None),
    "updates skipped for who comes back": (streams.Stream, "since", lambda *_: []),
}
MOST_SEEDS = 25


@pytest.mark.parametrize("bug", BUGS)
def test_planted_faults_are_found(bug: str) -> None:
    with patch.object(*BUGS[bug]):
        found = next((seed for seed in range(MOST_SEEDS) if simulate(seed).failure), None)
    assert found is not None, f"{MOST_SEEDS} seeds did not find: {bug}"
