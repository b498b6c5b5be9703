"""What a seed makes of a run: the rooms, the people, the settings, and how much goes wrong."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from attrs import frozen
from kaguraden_protocol.limits import Limits
from kaguraden_rules.catalogue import GAMES
from kaguraden_server.clocks import ClockOptions
from kaguraden_server.config import Config, DataSettings, RoomSettings, UserSettings

from tests.fakes import OFUDA

from .running import chance

__all__ = ["Plan", "TablePlan", "plan_of"]

LONG_S = 86_400
LONG_GAMES = 0.02  # of games that take hundreds of moves, how many are played to their end


@frozen
class TablePlan:
    """A table of people who play one game after another in a room of theirs."""

    game: str
    seats: int
    options: Mapping[str, Any]
    people: int
    watchers: int
    bots: int
    ends: bool = True  # whether its last game is played to its end


@frozen
class Plan:
    """A run. `span_s` is how long things go wrong; then everything is played to its end."""

    seed: int
    tables: tuple[TablePlan, ...]
    config: Config
    span_s: float
    pause_s: float  # between two faults, on average
    kinds: tuple[str, ...]  # of faults
    haste_s: float  # between two things that a person does, on average


FAULTS = ("drop", "stall", "slow", "clock", "storage", "unsure", "sluggish", "kill", "drain")


def plan_of(seed: int) -> Plan:
    """Return the plan of a seed."""
    rng = chance(seed, "plan")
    return Plan(
        seed=seed,
        tables=tuple(_table(rng) for _ in range(rng.choice((1, 1, 1, 2)))),
        config=_config(rng),
        span_s=rng.uniform(8, 32),
        pause_s=rng.choice((0.7, 2.0, 5.0)),
        kinds=tuple(sorted(rng.sample(FAULTS, rng.randint(2, len(FAULTS))))),
        haste_s=rng.choice((0.5, 1.0, 1.5)),
    )


def _table(rng: random.Random) -> TablePlan:
    # The small game takes the fewest steps to go through everything that a room does.
    game = OFUDA.id if rng.random() < 0.5 else rng.choice(sorted(GAMES))
    ends = True
    options: dict[str, Any] = {}
    match game:
        case OFUDA.id:
            seats, options = rng.randint(2, 4), {"turns": rng.randint(1, 2)}
        case "enbu":
            seats = rng.choice((1, 1, 2, 3))
            options = {"watch": rng.random() < 0.7, "race_turn_s": 30, "solo_turn_s": 30}
        case _:
            least, most = GAMES[game].seats
            seats = max(least, rng.choice((2, 2, 3, min(4, most))))
            ends = rng.random() < LONG_GAMES
    bots = rng.choice((0, 0, 1)) if seats > 1 else 0
    return TablePlan(game, seats, options, seats - bots, rng.choice((0, 0, 1)), bots, ends)


def _config(rng: random.Random) -> Config:
    return Config(
        limits=Limits(
            queue_messages=rng.choice((24, 32, 64, 256)),  # less is refused: see the settings
            queue_bytes=rng.choice((65_536, 524_288)),
            write_ms=rng.choice((1_000, 5_000)),
            resume_updates=rng.choice((1, 3, 64)),
            token_grace_ms=600_000,  # so that whoever comes back in time gets its place
            connections_per_user=100,
            connections_per_address=10_000,
            chat_messages=rng.choice((1, 5)),
        ),
        rooms=RoomSettings(
            empty_lobby_s=rng.choice((20, 120)),
            empty_playing_s=rng.choice((30, 90)),
            empty_over_s=rng.choice((20, 120)),
            over_s=3_600,
            away_lobby_s=rng.choice((20, 90)),
            host_away_s=rng.choice((5, 60)),
            grace_s=rng.choice((0, 2, 15)),
        ),
        users=UserSettings(keep_s=LONG_S),
        clocks=ClockOptions(
            turn_ms=rng.choice((3_000, 10_000, 60_000)),
            choice_ms=rng.choice((2_000, 10_000)),
            window_ms=rng.choice((1_000, 5_000)),
            auction_ms=rng.choice((1_000, 4_000)),
            bank_ms=rng.choice((0, 10_000)),
            window_min_ms=rng.choice((50, 300)),
        ),
        data=DataSettings(chat=rng.random() < 0.5),
    )
