"""Many pairs of games of odoriko that a viewer cannot tell apart (I-13).

`python -m tests.properties.odoriko_secrets [--pairs N] [--pack NAME] [--first SEED] [--workers N]`
makes at least so many pairs, five a random game, with windows, skills, events, standing passes and
minimum window times in them, and plays each on until a card in which the two differ is rightly
shown. The exit status is 1 when a viewer was shown something else that differs.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from functools import partial

from tests.properties.odoriko_packs import TABLES
from tests.properties.odoriko_pairs import pairs_of_a_game

__all__ = ["main"]

PAIRS_A_GAME, STEPS = 5, 80


def count_one(seed: int, pack: str) -> tuple[Counter[str], str | None]:
    """Play the pairs of one game; return what was counted, and what leaked."""
    table = TABLES[pack]
    counted: Counter[str] = Counter()
    try:
        pairs = pairs_of_a_game(seed, PAIRS_A_GAME, STEPS, table.game, table.seats, **table.fixed)
        for pair in pairs:
            counted["pairs"] += 1
            counted["steps"] += pair.steps
            counted["revealed"] += pair.revealed
            counted["spectators"] += pair.viewer is None
    except Exception:
        return counted, f"game {seed}\n{traceback.format_exc(limit=-3)}"
    return counted, None


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the pairs and print what was counted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pairs", type=int, default=2_000)
    parser.add_argument("--pack", choices=sorted(TABLES), default="builtin")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--workers", type=int, default=1)
    chosen = parser.parse_args(arguments)
    begun = time.perf_counter()
    counted: Counter[str] = Counter()
    leaks = 0
    with multiprocessing.Pool(chosen.workers) as pool:
        seeds = itertools.count(chosen.first)
        work = partial(count_one, pack=chosen.pack)
        while counted["pairs"] < chosen.pairs:
            some = list(itertools.islice(seeds, 20 * chosen.workers))
            for counts, leak in pool.imap_unordered(work, some, chunksize=5):
                counted += counts
                if leak is not None:
                    leaks += 1
                    print(leak, flush=True)
    print(
        f"{counted['pairs']} pairs of {chosen.pack}: {leaks} leaks, {counted['steps']} steps, "
        f"{counted['revealed']} ended by a card rightly shown, {counted['spectators']} watched by "
        f"spectators, {time.perf_counter() - begun:.1f} s"
    )
    return 1 if leaks else 0


if __name__ == "__main__":
    raise SystemExit(main())
