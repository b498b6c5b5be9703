"""Records of random games, one a number: any game of the house, by anybody who takes any option."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from kaguraden_protocol.limits import Limits
from kaguraden_rules.catalogue import GAMES
from kaguraden_rules.kernel import (
    Act,
    Answer,
    CardsValue,
    Decision,
    Expire,
    Input,
    IntValue,
    OrderValue,
    SeatId,
    Value,
)
from kaguraden_server.clocks import ClockOptions, Clocks
from kaguraden_server.fairness import Deal
from kaguraden_server.table import Table

__all__ = ["KINDS", "made_record"]

MAX_STEPS = 20_000  # a game that is not over by then does not end

# What is recorded in tests: by a name, the game, the seats and the options.
_ALL: Final[Mapping[str, tuple[str, int, dict[str, Any]]]] = {
    "odoriko": ("odoriko", 3, {"circuit_limit": 20}),
    "enbu": ("enbu", 1, {"book": "dan-3"}),
    "race": ("enbu", 3, {"book": "kyu-2"}),
    "daily": ("enbu", 1, {"book": "daily:kamiari-2"}),
    "yumeochi": ("yumeochi", 4, {"roles": ["dream_eater"], "all_dead": "dream"}),
}
KINDS: Final = {name: kind for name, kind in _ALL.items() if kind[0] in GAMES}


def _value(decision: Decision, option: str, rng: random.Random) -> Value:
    match next(o for o in decision.options if o.id == option).value:
        case IntValue(low, high):
            return rng.randint(low, min(high, low + 5))
        case CardsValue(among, low, high):
            return tuple(rng.sample(among, rng.randint(low, high)))
        case OrderValue(of):
            return tuple(rng.sample(of, len(of)))
    return None


def _any_input(table: Table, rng: random.Random) -> Input:
    decisions, waits = table.game.decisions(table.state), table.game.waits(table.state)
    turns = [w.id for w in waits if w.id not in ("race", "day") and not w.held]
    if not decisions or (turns and rng.random() < 0.03):
        return Expire(rng.choice(turns))
    seat = rng.choice(sorted(decisions))
    decision = decisions[seat]
    ids = [o.id for o in decision.options]
    lasting = [i for i in ids if i not in ("finish", "undo")] or ids
    gaining = [i for i in ids if i.startswith("perform:")]
    option = rng.choice(ids if rng.random() < 0.02 else gaining or lasting)
    return Act(SeatId(seat), Answer(decision.id, option, _value(decision, option, rng)))


@cache
def _made(kind: str, number: int) -> Table:
    game_id, seats, raw = KINDS[kind]
    game, rng = GAMES[game_id], random.Random(f"{kind} {number}")
    options = game.parse_options(raw)
    is_daily = game.day_entropy(options, bytes(32), "2025-01-01") is not None
    nonces = ["" if rng.random() < 0.3 else rng.randbytes(16).hex() for _ in range(seats)]
    table = Table(
        room="KAGU-7Q2F",
        game=game,
        options=options,
        decks=tuple(game.check_deck(options, None) for _ in range(seats)),
        deal=Deal(rng.randbytes(32), "2025-01-01" if is_daily else None),
        nonces=() if is_daily else tuple(nonces),
        clocks=Clocks.start(ClockOptions(), seats),
        passes=lambda _seat, _kind: False,
        limits=Limits(),
    )
    table.deal_again()
    for _ in range(MAX_STEPS):
        if table.outcome is not None:
            return table
        table.apply_again([_any_input(table, rng)], (0,) * (seats + 1))
    raise AssertionError(f"{kind} {number} does not end")


def made_record(kind: str, number: int = 0) -> dict[str, Any]:
    """Return the record of a random game that is over."""
    return _made(kind, number).replay()
