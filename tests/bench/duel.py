"""How strong the bots are: games of odoriko in the kernel, without a server or a network.

    python -m tests.bench.duel [--games 40] [--seats 4] [--seed 1] [greedy random …]

Seats take the named levels in turn and change places from game to game. Printed are the average
rank (1 is best) and VP of each level, and how long an answer took to choose.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from attrs import define, field, frozen
from kaguraden_client.bots import LEVELS
from kaguraden_client.bots.policy import Policy
from kaguraden_client.table import Table
from kaguraden_protocol import messages
from kaguraden_rules.catalogue import GAMES
from kaguraden_rules.kernel import (
    Answer,
    CardsValue,
    Decision,
    IntValue,
    OrderValue,
    Outcome,
    SeatId,
    ValueSpec,
)
from kaguraden_rules.plain import to_plain

__all__ = ["Played", "Results", "duel", "play", "to_message"]


@frozen
class Played:
    """A game that was played to its end."""

    outcome: Outcome
    answers: int


def play(
    policies: Sequence[Policy], entropy: bytes, game_id: str = "odoriko", most: int = 20_000
) -> Played:
    """Play a game, one policy a seat, in seat order where several are asked.

    Raises:
        RuntimeError: It took more than `most` answers.
    """
    game: Any = GAMES[game_id]
    options = game.parse_options({})
    deck = game.check_deck(options, None)
    catalog = game.catalog(options)["cards"]
    state = game.setup(options, len(policies), [deck] * len(policies), entropy).state
    tables = [Table("", seat=seat) for seat in range(len(policies))]
    for count in range(most):
        outcome = game.outcome(state)
        if outcome is not None:
            return Played(outcome, count)
        waits = game.waits(state)
        pending = [seat for wait in waits for seat in wait.pending]
        if not pending:
            state = game.expire(state, waits[0].id).state
            continue
        seat = pending[0]
        decision = game.decisions(state)[seat]
        view: Any = to_plain(game.view(state, SeatId(seat)))
        tables[seat].view = view
        choice = policies[seat].decide(tables[seat], to_message(decision), catalog)
        if choice is None:
            state = game.expire(state, waits[0].id).state
            continue
        answer = Answer(decision.id, choice.option, choice.value)
        state = game.act(state, SeatId(seat), answer).state
    raise RuntimeError(f"no end after {most} answers")


def to_message(decision: Decision) -> messages.Decision:
    """Return a decision as a client gets it."""
    options = tuple(
        messages.Option(option.id, option.kind, dict(option.args), _spec(option.value))
        for option in decision.options
    )
    return messages.Decision(
        decision.id, decision.kind, options, decision.default, sealed=decision.sealed
    )


def _spec(spec: ValueSpec | None) -> messages.ValueSpec | None:
    match spec:
        case IntValue():
            return messages.IntSpec(spec.min, spec.max)
        case CardsValue():
            return messages.CardsSpec(spec.among, spec.min, spec.max)
        case OrderValue():
            return messages.OrderSpec(spec.of)
        case None:
            return None


@define
class Results:
    """What came out, by level."""

    ranks: dict[str, list[float]] = field(factory=lambda: defaultdict(list))
    scores: dict[str, list[int]] = field(factory=lambda: defaultdict(list))
    answers: int = 0
    seconds: float = 0.0

    def mean_rank(self, level: str) -> float:
        """Return a level's average rank, in which tied seats share their places."""
        return sum(self.ranks[level]) / len(self.ranks[level])

    def mean_score(self, level: str) -> float:
        """Return a level's average VP."""
        return sum(self.scores[level]) / len(self.scores[level])


def duel(levels: Sequence[str], *, games: int, seats: int, seed: int) -> Results:
    """Let levels play against each other."""
    results = Results()
    for number in range(games):
        rng = random.Random(f"{seed} {number}")
        sitting = [levels[(seat + number) % len(levels)] for seat in range(seats)]
        start = time.perf_counter()
        played = play([LEVELS[level](rng) for level in sitting], rng.randbytes(32))
        results.seconds += time.perf_counter() - start
        results.answers += played.answers
        for rank in played.outcome.ranking:
            tied = sum(1 for other in played.outcome.ranking if other.rank == rank.rank)
            results.ranks[sitting[rank.seat]].append(rank.rank + (tied - 1) / 2)
            results.scores[sitting[rank.seat]].append(rank.score)
    return results


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("levels", nargs="*", default=["greedy", "random"])
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    results = duel(args.levels, games=args.games, seats=args.seats, seed=args.seed)
    print(
        f"{args.games} games of {args.seats} seats, {results.answers / args.games:.0f} answers each"
    )
    for level in dict.fromkeys(args.levels):
        print(
            f"{level:10} mean rank {results.mean_rank(level):.2f}  mean VP {results.mean_score(level):6.2f}"
        )
    print(f"{results.seconds / results.answers * 1000:.2f} ms an answer, rules included")


if __name__ == "__main__":
    main()
