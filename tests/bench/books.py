"""How hard the books of enbu are: every player of EN-110 at every book, beside what the rules say.

    python -m tests.bench.books --games 2000 --players random,novice,greedy
    python -m tests.bench.books --games 60 --players search kyu-1 kamiari-5

`kaguraden books rate` measures any book; this compares the game's own with the table of EN-110 in
rules/docs/enbu.md, by which they were made. Change a book or a player, and the table and this have
to be measured anew (EN-111).
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Mapping
from multiprocessing import get_context
from pathlib import Path

from kaguraden_rules.enbu.books import BOOKS, total
from kaguraden_server.rating import Rate, jobs, wilson, work

DOCUMENT = Path(__file__).parents[2] / "rules" / "docs" / "enbu.md"
COLUMNS = ("random", "novice", "greedy", "search")


def table_of_the_rules() -> Mapping[str, Mapping[str, float]]:
    """Return the success rates of EN-110, in percent, by book and player."""
    section = DOCUMENT.read_text("utf-8").split("**EN-110**")[1].split("**EN-111**")[0]
    rows = re.findall(
        r"^\| `([a-z0-9-]+)` \| ([0-9.]+) \| ([0-9.]+) \| ([0-9.]+) \| ([0-9.]+) \|", section, re.M
    )
    return {book: dict(zip(COLUMNS, map(float, rates), strict=True)) for book, *rates in rows}


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("books", nargs="*", default=list(BOOKS), metavar="BOOK")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--players", default="random,novice,greedy")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_intermixed_args()
    rules = table_of_the_rules()
    with get_context("spawn").Pool(args.workers) as pool:
        for book in args.books or BOOKS:
            for player in args.players.split(","):
                begun = time.perf_counter()
                asked = jobs(book, player, args.games, args.seed)
                rate = sum(pool.imap_unordered(work, asked), Rate())
                seconds = time.perf_counter() - begun
                low, high = (100 * end for end in wilson(rate.successes, rate.games))
                print(
                    f"{book:10} {player:7} {100 * rate.successes / rate.games:5.1f} %"
                    f" ({low:4.1f} to {high:5.1f}; rules {rules[book][player]:4.1f})"
                    f"  total {rate.total / rate.games:4.1f} of {total(BOOKS[book])}"
                    f"  turns {rate.turns / rate.games:4.1f}"
                    f"  {rate.games} games, {1000 * seconds / rate.games:.0f} ms each",
                    flush=True,
                )


if __name__ == "__main__":
    main()
