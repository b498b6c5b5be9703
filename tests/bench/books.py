"""How hard the books of enbu are: every player of EN-110 at every book, beside what the rules say.

    python -m tests.bench.books --games 2000 --players random,novice,greedy
    python -m tests.bench.books --games 60 --players search kyu-1 kamiari-5

`kaguraden books rate` measures any book; this compares the game's own with the table of EN-110 in
rules/docs/enbu.md, by which they were made. Change a book or a player, and the table and this have
to be measured anew (EN-111, EN-135).

Measured in percent, beside the rules' in brackets. Games: 2000 each for kyu-3 and kyu-2, else 1000 for
novice and greedy, 500 for random; those of search are in the last column, with the 95 % interval.

    book        random       novice       greedy        search         games, interval
    kyu-3       13.2 (14)    66.5 (67)    96.5 (93)     100  (100)      40, 91 to 100
    kyu-2       10.0 (8.0)   59.0 (57)    83.9 (80)     100  (100)      40, 91 to 100
    kyu-1        0.4 (0.1)   17.5 (13)    40.4 (37)     98.3 (97)       60, 91 to 100
    kamiari-1    0   (0)     19.8 (14)    69.7 (67)     100  (99.7)     20, 84 to 100
    kamiari-2    0   (0)     11.6 (8.8)   52.4 (57)     100  (100)      20, 84 to 100
    kamiari-3    0   (0)      8.1 (5.6)   43.1 (42)     100  (98)       30, 89 to 100
    kamiari-4    0   (0)      5.2 (3.8)   31.8 (32)     96.7 (97)       60, 89 to 99
    kamiari-5    0   (0)      1.6 (0.6)   12.4 (11)     83.3 (82)       60, 72 to 91
    kamiari-6    0   (0)      0   (0.1)    2.6 (2.6)    59.1 (61)      110, 50 to 68
    dan-1        0.2 (0)     14.2 (6.4)   33.5 (34)     95.0 (99.5)     40, 84 to 99
    dan-2        0   (0)      2.7 (2.1)   13.2 (20)     95.0 (94)       40, 84 to 99
    dan-3        0   (0)      0.8 (0.2)    3.0 (4.4)    78.3 (78)       60, 66 to 87
    dan-4        0   (0)      0   (0)      0.1 (0.6)    50.0 (40)      110, 41 to 59
    dan-5        0   (0)      0   (0)      0.1 (0.2)     7.5 (9.0)      40, 3 to 20

Random and greedy are within seven points of the rules everywhere, which is what those say of their own
figures, and search is so within its interval (EN-135). Novice is more than that above them at dan-1.
Random succeeds as seldom as the rules say, but its mean total is 7 to 13 in books with drops, where
theirs is 3 to 8. A game of search took from 0.03 s (kyu-3) to 10 s (dan-5), on two busy cores.
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
