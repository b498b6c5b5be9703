"""Many random games of enbu with all invariants on.

`python -m tests.properties.enbu_games [--games N] [--seats N] [--made SHARE] [--first SEED]
[--workers N] [--unwatched]` plays games of random rooms (1 to 8 seats, built-in and user-made
books, random options) to their ends. The referee of the invariants watches every step of them, or
with `--unwatched` nobody does, which measures the rules alone. Seeds go up from the first, so a
game that failed can be played again with `--first SEED --games 1`. The exit status is 1 when a game
failed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import time
import traceback
from collections import Counter
from collections.abc import Sequence

from attrs import field, frozen

from tests.properties.enbu_invariants import Referee
from tests.properties.enbu_play import ENBU, play, random_room

__all__ = ["main"]


@frozen
class Job:
    """One game to play."""

    seed: int
    seats: int | None
    made: float
    watched: bool


@frozen
class Played:
    """How a game went: its steps and how its rehearsals ended, or what failed."""

    seed: int
    steps: int
    seconds: float
    reasons: Counter[str] = field(factory=Counter)
    successes: int = 0
    failure: str | None = None


def play_one(job: Job) -> Played:
    """Play one game to its end."""
    rng = random.Random(job.seed)
    referee = Referee()
    steps = 0
    begun = time.process_time()
    try:
        for taken in play(random_room(rng, job.seats, job.made), rng):
            if job.watched:
                referee.watch(taken)
            steps += 1
        assert ENBU.outcome(taken.state) is not None
        results = [racer.board.result for racer in taken.state.racers]
        reasons = Counter(result.reason.value for result in results if result is not None)
        assert not job.watched or referee.reasons == reasons
        successes = sum(result is not None and result.success for result in results)
    except Exception:
        return Played(job.seed, steps, 0.0, failure=traceback.format_exc(limit=-4))
    return Played(job.seed, steps, time.process_time() - begun, reasons, successes)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the games and print how they went."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seats", type=int, choices=range(1, 9))
    parser.add_argument("--made", type=float, default=0.5, help="the share of user-made books")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--unwatched", action="store_true")
    chosen = parser.parse_args(arguments)
    seeds = range(chosen.first, chosen.first + chosen.games)
    jobs = (Job(seed, chosen.seats, chosen.made, not chosen.unwatched) for seed in seeds)
    begun = time.perf_counter()
    failures, steps, successes, cpu = 0, 0, 0, 0.0
    reasons: Counter[str] = Counter()
    with multiprocessing.Pool(chosen.workers) as pool:
        for number, played in enumerate(pool.imap_unordered(play_one, jobs, chunksize=8), 1):
            if played.failure is not None:
                failures += 1
                print(f"game {played.seed} failed after {played.steps} steps\n{played.failure}")
            steps += played.steps
            cpu += played.seconds
            reasons += played.reasons
            successes += played.successes
            if number % 1000 == 0:
                print(f"{number} games, {time.perf_counter() - begun:.0f} s", flush=True)
    seconds = time.perf_counter() - begun
    watched = "unwatched" if chosen.unwatched else "with all invariants on"
    print(
        f"{chosen.games} games {watched}: {failures} failed, {seconds:.1f} s, "
        f"{chosen.games / seconds:.1f} games/s, {steps} steps, "
        f"{cpu / max(1, steps) * 1e6:.0f} µs/step"
    )
    ended = ", ".join(f"{reason} {n}" for reason, n in reasons.most_common())
    print(f"{reasons.total()} rehearsals: {ended}; {successes} successes")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
