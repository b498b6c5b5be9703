"""Games with card sets that nobody has seen before: the promise that cards are data (§20).

`python -m tests.properties.odoriko_games --pack workshop --games 500` plays many more.
"""

from __future__ import annotations

import enum
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaguraden_rules.kernel import Event
from kaguraden_rules.odoriko import card as c
from kaguraden_rules.odoriko import events as e
from kaguraden_rules.odoriko.grammar import read_file
from kaguraden_rules.odoriko.reading import Node, Report
from kaguraden_rules.odoriko.windows import CHAIN_CAP
from kaguraden_rules.odoriko.writing import card_data

from tests.properties.odoriko_invariants import Referee
from tests.properties.odoriko_packs import LOOPS, TABLES, WORKSHOP
from tests.properties.odoriko_pairs import pairs_of_a_game
from tests.properties.odoriko_play import Taken, play, random_room
from tests.properties.sizes import games

SEEDS = st.integers(0, 2**48)


def watched(pack: str, seed: int) -> Iterator[Taken]:
    table, rng = TABLES[pack], random.Random(seed)
    referee = Referee(game=table.game)
    for taken in play(random_room(rng, table.seats, table.game, **table.fixed), rng):
        referee.watch(taken)
        yield taken
    assert referee.halves == [1, 2]


@pytest.mark.parametrize(("pack", "number"), [("workshop", 6), ("loops", 2), ("all", 6)])
def test_invariants_hold_with_any_cards(pack: str, number: int) -> None:
    """I-1 to I-18; OD-180, OD-185, OD-186, OD-187, OD-196: cards are data, and bounded."""

    @games(number)
    @given(SEEDS)
    def games_of(seed: int) -> None:
        for _ in watched(pack, seed):
            pass

    games_of()


def test_the_caps_hold_against_cards_that_loop() -> None:
    """OD-111, OD-196: no action has more than 64 frames, no turn more than 8 actions; it is told."""
    kinds: Counter[str] = Counter()
    for seed in range(40):
        table, rng = TABLES["loops"], random.Random(seed)
        for taken in play(random_room(rng, table.seats, table.game, **table.fixed), rng):
            kinds.update(event.kind for event in taken.events)
            for event in taken.events:
                if isinstance(event, e.ChainCapped):
                    assert event.frames == CHAIN_CAP
        if kinds["chain_capped"] and kinds["actions_capped"]:
            break
    assert kinds["chain_capped"]
    assert kinds["actions_capped"]


def test_games_of_the_workshop_reach_every_kind_of_event() -> None:
    """The pack is played with all its words: nothing of the engine is left untried."""
    wanted = {
        getattr(e, name).kind
        for name in e.__all__
        if isinstance(getattr(e, name), type) and issubclass(getattr(e, name), Event)
    } - {"actions_capped", "chain_capped", "effect_fizzled", "auction_passed", "janken_drawn"}
    kinds: set[str] = set()
    for seed in range(200):
        table, rng = TABLES["workshop"], random.Random(seed)
        for taken in play(random_room(rng, table.seats, table.game, **table.fixed), rng):
            kinds |= {event.kind for event in taken.events}
        if kinds >= wanted:
            break
    assert wanted - kinds == set()


@pytest.mark.parametrize("pack", ["workshop", "all"])
def test_a_viewer_learns_only_what_is_shown_by_any_cards(pack: str) -> None:
    """I-13; OD-105, OD-175: also with skills that pass, show and choose hidden cards."""
    counted: Counter[str] = Counter()

    @games(14)
    @given(SEEDS)
    def pairs(seed: int) -> None:
        table = TABLES[pack]
        for pair in pairs_of_a_game(seed, 5, 60, table.game, table.seats, **table.fixed):
            counted["pairs"] += 1
            counted["steps"] += pair.steps

    pairs()
    assert counted["pairs"] >= 25
    assert counted["steps"] >= 8 * counted["pairs"]


# --- the pack itself -----------------------------------------------------------------------------


def words_of(value: Any) -> Iterator[Any]:
    """Yield the classes, words and keys that a card's data uses."""
    if attrs.has(type(value)):
        yield type(value)
        for attribute in attrs.fields(type(value)):
            part = getattr(value, attribute.name)
            if part not in (attribute.default, None, (), False):
                yield f"{type(value).__name__}.{attribute.name}"
            yield from words_of(part)
    elif isinstance(value, enum.Enum):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from words_of(part)


def test_the_workshop_uses_every_word_of_card_data() -> None:
    """OD-182, OD-183, OD-184, OD-185, OD-186, OD-187: operations, conditions, costs, picks."""
    used = set(words_of(WORKSHOP.cards))
    operations = set(c.Op.__args__)
    conditions = set(c.Condition.__args__)
    assert used >= {*operations, *conditions, c.VpCost, c.DiscardCost, c.FieldPick}
    for words in (c.Whose, c.By, c.DeckName, c.GainTo, c.Mark, c.Measure, c.Limit, c.Timing):
        assert used >= set(words)
    assert used >= {*c.AnswerTo, *c.Scope, *c.Kind, *c.Zone}
    assert used >= {f"Match.{attribute.name}" for attribute in attrs.fields(c.Match)}
    assert used >= {"Pick.upto", "Pick.hand_at_least", "Exchange.same_zone", "Skill.limit"}


@pytest.mark.parametrize("card_set", [WORKSHOP, LOOPS], ids=["workshop", "loops"])
def test_test_packs_read_back_as_they_were_written(card_set: c.CardSet) -> None:
    """OD-180: the catalogue's words for any card are its data."""
    report = Report("again")
    plain = {"format": 1, "set": card_set.id, "card": [card_data(card) for card in card_set.cards]}
    assert read_file(Node(plain, "", report)) == card_set
    assert report.faults == []
