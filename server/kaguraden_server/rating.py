"""`kaguraden books rate`: how hard a book of enbu is, by how often players of known skill succeed.

The players are entry points of group `kaguraden.policies`: a function of a random generator that
returns a player, which is a function of the view, the open decision and the catalog that returns an
option's id and value, as any client could. The games are played in the kernel, without a server.
Every player gets the same deals, and the same seed gives the same figures with any number of
workers.
"""

from __future__ import annotations

import hashlib
import math
import os
import random
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, TypeAlias

import click
from attrs import field, frozen
from kaguraden_protocol import messages
from kaguraden_rules.catalogue import GAMES
from kaguraden_rules.enbu.book import Book
from kaguraden_rules.enbu.books import BOOKS, total
from kaguraden_rules.enbu.codes import encode
from kaguraden_rules.kernel import Answer, Decision, SeatId
from kaguraden_rules.plain import to_plain

from .books import check_code, check_file
from .telling import FAULTS, tell

__all__ = [
    "Choose",
    "Rate",
    "find_players",
    "leave_interrupts",
    "play",
    "progress",
    "rate",
    "rate_book",
    "to_message",
    "wilson",
]

Choose: TypeAlias = Callable[
    [Mapping[str, Any], messages.Decision, Mapping[str, Any]],
    "tuple[str, messages.Value] | None",
]

GROUP: Final = "kaguraden.policies"
PLAYERS: Final = ("random", "novice", "greedy", "search")  # EN-110, the weakest first
SLOW: Final = frozenset({"search"})
GAMES_FAST: Final = 1000  # the interval is then within 3.1 points
GAMES_SLOW: Final = 50  # within 13.5; some minutes of a core for a big book
JOBS: Final = 16  # a book and player; each is a step of the progress shown
MOST_ANSWERS: Final = 2_000  # twice what the largest book can take (EN-68)
PROGRESS: Final = 40  # columns


@frozen
class Rate:
    """What came out of some games of one player on one book."""

    games: int = 0
    successes: int = 0
    total: int = 0
    turns: int = 0

    def __add__(self, other: Rate) -> Rate:
        return Rate(
            self.games + other.games,
            self.successes + other.successes,
            self.total + other.total,
            self.turns + other.turns,
        )


@frozen
class Job:
    """Some games to be played: those numbered from `first` to before `last`."""

    book: str  # as the room's option: an id or a share code
    player: str
    seed: int
    first: int
    last: int


@frozen
class Rated:
    """A book as it is asked for."""

    option: str
    book: Book = field(repr=False)


def wilson(successes: float, games: int, z: float = 1.96) -> tuple[float, float]:
    """Return the confidence interval of a share: Wilson's score interval, of 95 % for this `z`.

    Unlike the usual one it is right near 0 and 1 too, where books for beginners and the fifth dan are.
    """
    share = successes / games
    spread = z * math.sqrt(share * (1 - share) / games + (z / games) ** 2 / 4)
    middle, whole = share + z * z / games / 2, 1 + z * z / games
    return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)


def find_players(
    group: str = GROUP, order: Sequence[str] = PLAYERS
) -> dict[str, Callable[[random.Random], Choose]]:
    """Return the players of a group that are installed, those of `order` first."""
    found = {point.name: point for point in entry_points(group=group)}
    known = [name for name in order if name in found]
    others = sorted(set(found) - set(known))
    return {name: _loader(found[name].load) for name in (*known, *others)}


def _loader(load: Callable[[], Callable[[random.Random], Choose]]) -> Callable[..., Choose]:
    return lambda rng: load()(rng)


# --- playing -------------------------------------------------------------------------------------


@cache
def _prepared(book: str) -> tuple[Any, Any, Mapping[str, Any]]:
    """Return the game, its options and its catalog, in which players remember books."""
    game: Any = GAMES["enbu"]
    options = game.parse_options({"book": book})
    return game, options, game.catalog(options)["cards"]


def play(book: str, choose: Choose, entropy: bytes) -> Rate:
    """Play a game of a book, alone.

    Raises:
        RuntimeError: It did not end.
    """
    game, options, catalog = _prepared(book)
    deck = game.check_deck(options, None)
    state = game.setup(options, 1, [deck], entropy).state
    seat = SeatId(0)
    for _ in range(MOST_ANSWERS):
        outcome = game.outcome(state)
        if outcome is not None:
            place = outcome.ranking[0]
            return Rate(1, int(place.success), place.score, place.turns)
        decision = game.decisions(state)[seat]
        view: Any = to_plain(game.view(state, seat))
        chosen = choose(view, to_message(decision), catalog)
        option, value = (decision.default, None) if chosen is None else chosen
        state = game.act(state, seat, Answer(decision.id, option, value)).state
    raise RuntimeError(f"no end after {MOST_ANSWERS} answers")


def to_message(decision: Decision) -> messages.Decision:
    """Return a decision as a client gets it; no option of these games takes a value."""
    options = tuple(
        messages.Option(option.id, option.kind, dict(option.args)) for option in decision.options
    )
    return messages.Decision(
        decision.id, decision.kind, options, decision.default, sealed=decision.sealed
    )


def work(job: Job) -> Rate:
    """Play the games of a job."""
    player = find_players()[job.player]
    done = Rate()
    for number in range(job.first, job.last):
        entropy = hashlib.sha256(f"{job.seed} {number}".encode()).digest()
        rng = random.Random(f"{job.seed} {job.player} {number}")  # noqa: S311 - no secret
        done += play(job.book, player(rng), entropy)
    return done


def jobs(book: str, player: str, games: int, seed: int) -> Iterator[Job]:
    """Split games into jobs."""
    size = max(1, -(-games // JOBS))
    for first in range(0, games, size):
        yield Job(book, player, seed, first, min(games, first + size))


def rate_book(book: str, player: str, *, games: int, seed: int) -> Rate:
    """Play games of a book in this process."""
    return sum(map(work, jobs(book, player, games, seed)), Rate())


# --- the command ---------------------------------------------------------------------------------


def rate(
    books: Sequence[str],
    players: Sequence[str],
    *,
    games: int | None,
    seed: int,
    workers: int | None,
    language: str,
) -> None:
    """Play and print: for each book a line of its own, then one for each player.

    Ends the process with status 2 where a book cannot be read, 1 where one has faults.
    """
    plan = [
        (rated, name, games or (GAMES_SLOW if name in SLOW else GAMES_FAST))
        for rated in [_find(text, language) for text in books]
        for name in players
    ]
    results = _run(plan, seed, workers or os.cpu_count() or 1)
    last = None
    for (rated, name, _), result in zip(plan, results, strict=False):
        if rated is not last:
            _head(rated.book, language)
            last = rated
        click.echo(_line(name, result, total(rated.book), language))
        sys.stdout.flush()


def _find(text: str, language: str) -> Rated:
    """Return the book of an id, a file or a share code."""
    if text in BOOKS:
        return Rated(text, BOOKS[text])
    # Not Path.exists: that fails where a long code can be no file's name.
    is_code = text.strip().upper().startswith("ENBU") and not os.path.exists(text)
    checked = check_code(text) if is_code else check_file(Path(text), language)
    if checked.book is None:
        tell(checked.lines, language, err=True)
        sys.exit(FAULTS)
    return Rated(encode(checked.book), checked.book)


def _run(plan: Sequence[tuple[Rated, str, int]], seed: int, workers: int) -> Iterator[Rate]:
    """Yield a result for each part of the plan, in its order."""
    split = [list(jobs(rated.option, name, games, seed)) for rated, name, games in plan]
    everything = [job for part in split for job in part]
    if min(workers, len(everything)) == 1:
        yield from _collect(split, map(work, everything))
        return
    with get_context("spawn").Pool(workers, leave_interrupts) as pool:  # ends them on the way out
        yield from _collect(split, pool.imap(work, everything))


def leave_interrupts() -> None:
    """Leave Ctrl-C to the parent process; what begins a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the command itself


def _collect(split: Sequence[Sequence[Job]], done: Iterator[Rate]) -> Iterator[Rate]:
    """Yield the sum of each part, and show on a terminal how far it is."""
    for part in split:
        result = Rate()
        for job, more in zip(part, done, strict=False):
            result += more
            progress(f"{job.player} {result.games}/{part[-1].last}")
        progress("")
        yield result


def progress(text: str) -> None:
    """Show on a terminal how far it is."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{text:{PROGRESS}}\r")
        sys.stderr.flush()


def _head(book: Book, language: str) -> None:
    goal = (
        ("全演目" if language == "ja" else "all programs")
        if book.pass_mark is None
        else (f"及第点 {book.pass_mark}" if language == "ja" else f"pass mark {book.pass_mark}")
    )
    click.echo(f"{book.name} ({book.id}): {goal}")


def _line(player: str, result: Rate, of: int, language: str) -> str:
    low, high = wilson(result.successes, result.games)
    share = f"{100 * result.successes / result.games:5.1f} % ({100 * low:4.1f}–{100 * high:5.1f})"
    mean, turns = result.total / result.games, result.turns / result.games
    if language == "ja":
        return (
            f"  {player:8} 成功 {share}  平均合計 {mean:5.1f} / {of}"
            f"  平均手番 {turns:4.1f}  ({result.games} 局)"
        )
    return (
        f"  {player:8} success {share}  mean total {mean:5.1f} of {of}"
        f"  mean turns {turns:4.1f}  ({result.games} games)"
    )
