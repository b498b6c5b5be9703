"""How long a server takes to rebuild its rooms.

`python -m tests.crash.recoveries [--rooms N] [--steps N]` plays one game of each kind for so many
steps, copies the rooms in the journal until there are N, and prints how long the next server takes
to have them all. The exit status is 1 when a room is not there.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import trio
from kaguraden_rules.catalogue import GAMES
from kaguraden_server.config import Config
from kaguraden_server.journal import store
from kaguraden_server.journal.entries import Entry
from trio.testing import MockClock

from tests.crash.cuts import play_games
from tests.server.house import open_house
from tests.server.journals import InlineJournal

__all__ = ["main", "run"]


class _Counting(InlineJournal):
    most = 0
    is_enough: trio.Event

    def commit(self, connection: sqlite3.Connection, entries: Sequence[Entry]) -> None:
        super().commit(connection, entries)
        if self.commits == self.most:
            self.is_enough.set()


CODE = "{:04X}"  # none that a server makes


def copied(folder: Path, rooms: int) -> int:
    """Copy the rooms of a journal until there are so many; return how many steps there are."""
    connection = sqlite3.connect(folder / store.FILE)
    with connection:
        numbers = [
            n for (n,) in connection.execute("SELECT number FROM rooms WHERE phase='playing'")
        ]
        connection.execute("DELETE FROM rooms WHERE phase != 'playing'")
        for new in range(len(numbers), rooms):
            old, number = numbers[new % len(numbers)], 1_000 + new
            connection.execute(
                "INSERT INTO rooms SELECT ?, ?, game, rules, phase, opened_ms, doc, NULL, NULL, NULL"
                " FROM rooms WHERE number = ?",
                (number, f"COPY-{CODE.format(new)}", old),
            )
            connection.execute(
                "INSERT INTO steps SELECT ?, n, at_ms, inputs, after, digest FROM steps WHERE room = ?",
                (number, old),
            )
        (steps,) = connection.execute(
            "SELECT count(*) FROM steps JOIN rooms ON room = number"
        ).fetchone()
    connection.close()
    return int(steps)


def run(rooms: int, steps: int) -> tuple[float, int]:
    """Return how long it took to rebuild so many rooms, and of how many steps they were."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        async def play() -> None:
            journal = _Counting(folder)
            journal.most, journal.is_enough = steps * len(GAMES), trio.Event()
            async with open_house(games=GAMES.values(), journal=journal) as house:
                await play_games(house, "recoveries", journal.is_enough)
            journal.drop()

        async def rebuild() -> float:
            journal = InlineJournal(folder)
            begun = time.perf_counter()
            async with open_house(Config(), games=GAMES.values(), journal=journal) as house:
                seconds = time.perf_counter() - begun
                assert len(house.lobby.rooms) == rooms, len(house.lobby.rooms)
            journal.drop()
            return seconds

        trio.run(play, clock=MockClock(autojump_threshold=0))
        taken = copied(folder, rooms)
        return trio.run(rebuild), taken


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rooms", type=int, default=300)
    parser.add_argument("--steps", type=int, default=100)
    chosen = parser.parse_args(arguments)
    try:
        seconds, steps = run(chosen.rooms, chosen.steps)
    except AssertionError as error:
        print(f"only {error} rooms are there")
        return 1
    print(f"{chosen.rooms} rooms of {steps} steps in all rebuilt in {seconds:.2f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
