"""Many random games and pairs of yumeochi with all invariants on.

`python -m tests.properties.yumeochi_games [--games N] [--pairs N] [--set ID] [--first SEED]
[--workers N] [--unwatched]` plays games of random rooms (the base set, one for tests and
random ones, extra roles, random options, seats that fall silent) to their ends while the referee of the invariants
watches every step, and from each so many pairs of positions that a viewer cannot tell apart. With
`--unwatched` nobody watches and no pairs are made, which measures the rules alone. Seeds go up from
the first, so a game that failed can be played again with `--first SEED --games 1`. The exit status
is 1 when one failed.
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

from tests.properties.yumeochi_invariants import Referee
from tests.properties.yumeochi_pairs import pairs_of_a_game
from tests.properties.yumeochi_play import BASE, WORKSHOP, YUMEOCHI, play, random_room
from tests.properties.yumeochi_sets import random_set

__all__ = ["main"]

SETS = {cards.id: cards for cards in (BASE, WORKSHOP)}
RANDOM = "random"  # another set for each game
PAIR_STEPS = 40
REFUSALS = 0.02  # the share of positions in which everything is tried


@frozen
class Job:
    """One game to play."""

    seed: int
    pairs: int
    set: str | None
    watched: bool


@frozen
class Played:
    """How a game went, or what failed."""

    seed: int
    steps: int = 0
    seconds: float = 0.0
    seen: Counter[str] = field(factory=Counter)
    pairs: Counter[str] = field(factory=Counter)
    failure: str | None = None


def play_one(job: Job) -> Played:
    """Play one game to its end, then its pairs."""
    rng, chance = random.Random(job.seed), random.Random(f"refusals {job.seed}")
    referee = Referee()
    steps = 0
    begun = time.process_time()
    try:
        cards = random_set(rng) if job.set == RANDOM else SETS.get(job.set or "")
        for taken in play(random_room(rng, cards), rng):
            if job.watched:
                referee.watch(taken)
                if chance.random() < REFUSALS:
                    referee.check_refusals(taken.state)
            steps += 1
        assert YUMEOCHI.outcome(taken.state) is not None
        seconds = time.process_time() - begun
        pairs: Counter[str] = Counter()
        number = job.pairs if job.watched else 0
        for pair in pairs_of_a_game(job.seed, number, PAIR_STEPS, cards):
            pairs["pairs"] += 1
            pairs["steps"] += pair.steps
            pairs["spectators"] += pair.viewer is None
            pairs["revealed"] += pair.revealed_by is not None
    except Exception:
        return Played(job.seed, steps, failure=traceback.format_exc(limit=-4))
    return Played(job.seed, steps, seconds, referee.seen, pairs)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the games and print how they went."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=2_000)
    parser.add_argument("--pairs", type=int, default=3, help="so many for each game")
    parser.add_argument("--set", choices=(*SETS, RANDOM), help="instead of all of them")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--unwatched", action="store_true")
    chosen = parser.parse_args(arguments)
    seeds = range(chosen.first, chosen.first + chosen.games)
    jobs = (Job(seed, chosen.pairs, chosen.set, not chosen.unwatched) for seed in seeds)
    begun = time.perf_counter()
    failures, steps, cpu = 0, 0, 0.0
    seen: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    with multiprocessing.Pool(chosen.workers) as pool:
        for number, played in enumerate(pool.imap_unordered(play_one, jobs, chunksize=4), 1):
            if played.failure is not None:
                failures += 1
                print(f"game {played.seed} failed after {played.steps} steps\n{played.failure}")
            steps += played.steps
            cpu += played.seconds
            seen += played.seen
            pairs += played.pairs
            if number % 1000 == 0:
                print(f"{number} games, {time.perf_counter() - begun:.0f} s", flush=True)
    seconds = time.perf_counter() - begun
    watched = "unwatched" if chosen.unwatched else "with all invariants on"
    print(
        f"{chosen.games} games {watched}: {failures} failed, {seconds:.1f} s, "
        f"{chosen.games / seconds:.1f} games/s, {steps} steps, "
        f"{cpu / max(1, steps) * 1e6:.0f} µs/step"
    )
    if not chosen.unwatched:
        print(
            f"{pairs['pairs']} pairs: {pairs['steps']} steps, {pairs['revealed']} ended by what was "
            f"rightly shown, {pairs['spectators']} watched by spectators"
        )
        ended = {kind[4:]: n for kind, n in seen.most_common() if kind.startswith("end ")}
        told = ", ".join(f"{kind} {n}" for kind, n in ended.items())
        print(f"{sum(ended.values())} games ended: {told}; {seen['died']} deaths")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
