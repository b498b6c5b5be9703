"""How fast the parts are, on this machine: `make bench` or `python -m tests.bench [--seconds N]`.

`make bench ARGS=load` measures the server under load instead (`tests.bench.load`). Prints a line a measurement. Only figures of one run on one machine can be compared.
"""

from __future__ import annotations

import argparse
import platform
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import count, cycle, islice
from typing import Any, TypeVar

from kaguraden_protocol import jsontext
from kaguraden_protocol.limits import Limits
from kaguraden_rules.catalogue import GAMES
from kaguraden_rules.kernel import Answer, CardsValue, Decision, IntValue, SeatId, Value
from kaguraden_rules.plain import to_plain

from tests.bench import load

SEATS = 4

T = TypeVar("T")


def random_answer(decision: Decision, chance: random.Random) -> Answer:
    """Pick any option that a decision lists, with any value that fits it."""
    option = chance.choice(decision.options)
    value: Value = None
    match option.value:
        case IntValue(low, high):
            value = chance.randint(low, high)
        case CardsValue(among, low, high):
            value = tuple(chance.sample(among, chance.randint(low, high)))
    return Answer(decision.id, option.id, value)


def positions(game: Any, chance: random.Random) -> Iterator[Any]:
    """Yield the positions of random games, one after another, without end."""
    options = game.parse_options({})
    deck = game.check_deck(options, None)
    for number in count():
        entropy = number.to_bytes(32, "big")
        state = game.setup(options, SEATS, [deck] * SEATS, entropy).state
        while waits := game.waits(state):
            yield state
            pending = waits[0].pending
            if not pending:
                state = game.expire(state, waits[0].id).state
                continue
            seat = chance.choice(pending)
            answer = random_answer(game.decisions(state)[seat], chance)
            state = game.act(state, seat, answer).state


def rate(work: Callable[[T], object], things: Iterable[T], seconds: float) -> float:
    """Return how many microseconds the work on one thing takes, over at least `seconds`."""
    begun = now = time.perf_counter()
    calls = 0
    for thing in things:
        if now - begun >= seconds:
            break
        work(thing)
        calls += 1
        now = time.perf_counter()
    return (now - begun) / calls * 1e6


def measure(game: Any, seconds: float, seed: int) -> Iterator[tuple[str, float, str]]:
    """Yield what was measured of a game: what, how much, the unit."""
    walk = positions(game, random.Random(seed))
    yield "a random answer", rate(lambda _: None, walk, seconds), "µs"
    sample = [(state, SeatId(n % SEATS)) for n, state in enumerate(islice(walk, 1000))]
    views: list[Any] = [to_plain(game.view(state, seat)) for state, seat in sample]
    seen = rate(lambda pair: to_plain(game.view(*pair)), cycle(sample), seconds)
    yield "a seat's view", seen, "µs"
    text: Callable[[Any], str] = partial(jsontext.write, max_bytes=Limits().frame_out_bytes)
    yield "a view as text", rate(text, cycle(views), seconds), "µs"
    yield "a view's size", sum(len(text(view)) for view in views) / len(views), "characters"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="for each measurement")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    print(f"Python {platform.python_version()} on {platform.machine()}, {SEATS} seats")
    for game_id, game in GAMES.items():
        for what, how_much, unit in measure(game, args.seconds, args.seed):
            print(f"{game_id}: {what:20} {how_much:8.1f} {unit}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["load"]:
        load.main(sys.argv[2:])
    else:
        main()
