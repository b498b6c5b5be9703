"""Many random games of odoriko with all invariants on.

`python -m tests.properties.odoriko_games [--games N] [--pack NAME] [--seats N] [--first SEED]
[--workers N] [--unwatched]` plays games of random rooms (2 to 6 seats, random room options, random
decks) to their ends. The referee of the invariants watches every step of them, or with `--unwatched`
nobody does, which measures the rules alone. Seeds go up from the first, so a game that failed can
be played again with `--first SEED --games 1`. The exit status is 1 when a game failed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import time
import traceback
from collections import Counter
from collections.abc import Sequence

from attrs import frozen

from tests.properties.odoriko_invariants import Referee
from tests.properties.odoriko_packs import TABLES
from tests.properties.odoriko_play import play, random_room

__all__ = ["main"]


@frozen
class Job:
    """One game to play."""

    seed: int
    pack: str
    seats: int | None
    watched: bool


@frozen
class Played:
    """How a game went: its steps and how it ended, or what failed."""

    seed: int
    steps: int
    reason: str
    seconds: float
    failure: str | None = None


def play_one(job: Job) -> Played:
    """Play one game to its end."""
    table, rng = TABLES[job.pack], random.Random(job.seed)
    referee = Referee(game=table.game)
    steps, reason = 0, ""
    begun = time.process_time()
    try:
        for taken in play(
            random_room(rng, job.seats or table.seats, table.game, **table.fixed), rng
        ):
            if job.watched:
                referee.watch(taken)
            steps += 1
        outcome = table.game.outcome(taken.state)
        assert outcome is not None
        assert not job.watched or referee.halves == [1, 2]
        reason = outcome.reason
    except Exception:
        return Played(job.seed, steps, reason, 0.0, traceback.format_exc(limit=-4))
    return Played(job.seed, steps, reason, time.process_time() - begun)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the games and print how they went."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--pack", choices=sorted(TABLES), default="builtin")
    parser.add_argument("--seats", type=int, choices=range(2, 7))
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--unwatched", action="store_true")
    chosen = parser.parse_args(arguments)
    seeds = range(chosen.first, chosen.first + chosen.games)
    jobs = (Job(seed, chosen.pack, chosen.seats, not chosen.unwatched) for seed in seeds)
    begun = time.perf_counter()
    failures, steps, cpu = 0, 0, 0.0
    reasons: Counter[str] = Counter()
    with multiprocessing.Pool(chosen.workers) as pool:
        for number, played in enumerate(pool.imap_unordered(play_one, jobs, chunksize=8), 1):
            if played.failure is not None:
                failures += 1
                print(f"game {played.seed} failed after {played.steps} steps\n{played.failure}")
            steps += played.steps
            cpu += played.seconds
            reasons[played.reason] += 1
            if number % 1000 == 0:
                print(f"{number} games, {time.perf_counter() - begun:.0f} s", flush=True)
    seconds = time.perf_counter() - begun
    watched = "unwatched" if chosen.unwatched else "with all invariants on"
    print(
        f"{chosen.games} games of {chosen.pack} {watched}: {failures} failed, {seconds:.1f} s, "
        f"{chosen.games / seconds:.1f} games/s, {steps} steps, {cpu / max(1, steps) * 1e6:.0f} µs/step"
    )
    print(
        "ended by", ", ".join(f"{reason or 'failure'} {n}" for reason, n in reasons.most_common())
    )
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
