"""Runs simulations of the whole server: many seeds, or one to look at.

`python -m tests.simulation [--seeds N] [--first SEED] [--workers N]` runs seeds from the first on.
Each is a world of its own: rooms, people, faults and clocks follow from it, so a seed that failed
fails again in the same way, in any process: `python -m tests.simulation --seed SEED`, and with
`--trace` all that happened is printed. The exit status is 1 when a seed failed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections import Counter
from collections.abc import Iterator, Sequence

from .simulate import Run, simulate

__all__ = ["main"]

EVERY = 100  # seeds; then progress is told


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the seeds and print how they went."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=200, help="how many")
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seed", type=int, help="run this one only")
    parser.add_argument("--trace", action="store_true", help="print all that happens (one seed)")
    chosen = parser.parse_args(arguments)
    begun = time.perf_counter()
    if chosen.seed is not None:
        runs: Iterator[Run] = iter([simulate(chosen.seed, trace=chosen.trace)])
        return _tell(runs, begun)
    seeds = range(chosen.first, chosen.first + chosen.seeds)
    if chosen.workers == 1:
        return _tell(map(simulate, seeds), begun)
    with multiprocessing.Pool(chosen.workers) as pool:
        return _tell(pool.imap_unordered(simulate, seeds, chunksize=1), begun)


def _tell(runs: Iterator[Run], begun: float) -> int:
    figures: Counter[str] = Counter()
    failed, count, virtual_s, cpu_s = 0, 0, 0.0, 0.0
    for count, run in enumerate(runs, 1):
        figures += run.figures
        virtual_s += run.virtual_s
        cpu_s += run.seconds
        if run.failure is not None:
            failed += 1
            print(f"seed {run.seed} failed; again: python -m tests.simulation --seed {run.seed}")
            print(run.failure, flush=True)
        if count % EVERY == 0:
            print(f"{count} seeds, {time.perf_counter() - begun:.0f} s", flush=True)
    told = ", ".join(f"{figures[name]} {name}" for name in sorted(figures))
    print(
        f"{count} seeds: {failed} failed, {time.perf_counter() - begun:.1f} s"
        f" ({cpu_s / max(1, count):.2f} s of one core each), {virtual_s / 3600:.1f} virtual hours;"
        f" {told}"
    )
    return 1 if failed else 0
