"""The bots of yumeochi: legal answers in whole games, what they believe, and plain tactics."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from kaguraden_client.bots.yumeochi import (
    Deducer,
    Greedy,
    Player,
    Random,
)
from kaguraden_protocol.messages import Decision
from kaguraden_rules.kernel import Answer, SeatId, redact
from kaguraden_rules.plain import to_plain
from kaguraden_rules.yumeochi.game import Yumeochi
from kaguraden_rules.yumeochi.reading import read_set
from kaguraden_rules.yumeochi.sets import SETS

from tests.bench.duel import to_message

Json = Any

SETS_OF_TESTS = Path(__file__).parents[1] / "rules" / "yumeochi_sets"
EXTRA = ["dream_eater", "sleeptalk_detective", "late_sleeper"]


def workshop() -> Yumeochi:
    """Return the game with the set that uses every word of the vocabulary."""
    file = SETS_OF_TESTS / "workshop.toml"
    cards = read_set(file.name, file.read_bytes()).cards
    assert cards is not None
    return Yumeochi(MappingProxyType({**SETS, cards.id: cards}))


class Game:
    """A game in the kernel, as its four seats see it."""

    def __init__(self, seed: int, game: Yumeochi | None = None, **options: Json) -> None:
        self.game: Any = game or Yumeochi()
        parsed = self.game.parse_options(options)
        self.catalog: Json = self.game.catalog(parsed)["cards"]
        entropy = random.Random(seed).randbytes(32)
        step = self.game.setup(parsed, 4, ((),) * 4, entropy)
        self.told: list[list[Json]] = [[], [], [], []]
        self.take(step)

    def take(self, step: Any) -> None:
        self.state = step.state
        for event in step.events:
            for seat in range(4):
                seen = redact(event, SeatId(seat))
                if seen is not None:
                    self.told[seat].append(to_plain(seen))

    def view(self, seat: int) -> Json:
        return to_plain(self.game.view(self.state, SeatId(seat)))

    def asked(self) -> Iterator[tuple[int, Decision]]:
        for seat, decision in self.game.decisions(self.state).items():
            yield int(seat), to_message(decision)

    def act(self, seat: int, decision: Decision, option: str) -> None:
        self.take(self.game.act(self.state, SeatId(seat), Answer(decision.id, option)))

    @property
    def is_over(self) -> bool:
        return self.game.outcome(self.state) is not None


class Strict:
    """A player that may not fall back on defaults because of an error."""

    def __init__(self, player: Player) -> None:
        self.player = player

    def __call__(self, view: Json, decision: Decision, catalog: Json, events: Json) -> str:
        options = list(decision.options)
        if len(options) == 1:
            return options[0].id
        option = self.player.answer(view, decision, options, catalog, events)
        return decision.default if option is None else option.id


def finish(game: Game, players: list[Player]) -> int:
    """Play to the end; return how many answers it took. Every answer is legal, or `act` raises."""
    strict = [Strict(player) for player in players]
    for number in range(3000):
        if game.is_over:
            return number
        seat, decision = next(game.asked())
        option = strict[seat](game.view(seat), decision, game.catalog, game.told[seat])
        game.act(seat, decision, option)
    raise AssertionError("no end")


def some(rng: random.Random, kinds: str) -> list[Player]:
    """Return four players by their letters."""
    makers: dict[str, Callable[[random.Random], Player]] = {
        "r": Random,
        "g": Greedy,
        "d": lambda rng: Deducer(rng, turns=60),
    }
    return [makers[kind](random.Random(rng.random())) for kind in kinds]


@pytest.mark.parametrize("seed", range(4))
def test_players_answer_legally_in_whole_games(seed: int) -> None:
    finish(Game(seed), some(random.Random(seed), "rdgd"))


@pytest.mark.parametrize("seed", range(4))
def test_players_answer_legally_with_extra_roles(seed: int) -> None:
    finish(Game(seed, roles=EXTRA), some(random.Random(seed), "drdg"))


@pytest.mark.parametrize("seed", range(6))
def test_players_answer_legally_with_a_set_they_never_saw(seed: int) -> None:
    game = Game(seed, workshop(), set="workshop", roles=["usher", "lodger"] if seed % 2 else [])
    finish(game, some(random.Random(seed), "drdr" if seed % 3 else "rgrd"))


@pytest.mark.parametrize(
    "options",
    [
        {"rabbit_price": "figurine_and_skill", "first_holder": "named"},
        {"time_reference": "position", "death_shows_skill": True, "dying_opener": "keep"},
        {"exchange_proposals": 3, "exchange_refused": "spends", "replay": "ask"},
        {"simultaneous_win": "origin_first", "card_count": "starred", "end_reveal": "seats_only"},
    ],
)
def test_players_answer_legally_under_every_option(options: Json) -> None:
    for seed in range(3):
        finish(Game(seed, **options), some(random.Random(seed), "drgr"))
