"""Non-interference (I-13): what a seat or a spectator is shown depends on nothing that is hidden."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from kaguraden_rules.kernel import SeatId

from tests.properties.odoriko_pairs import difference, make_pair, pairs_of_a_game
from tests.properties.odoriko_play import play, random_room
from tests.properties.sizes import games

SEEDS = st.integers(0, 2**48)


def test_a_viewer_learns_only_what_is_shown() -> None:
    """I-13; OD-12, OD-13, OD-19, OD-27, OD-56, OD-88, OD-90, OD-105, OD-106, OD-146, OD-175, OD-178.

    Views, events, decisions, and what is asked and how long: equal to the byte, for every seat and
    for spectators, until an event rightly shows a card in which the two games differ.
    """
    counted: Counter[str] = Counter()

    @games(200)
    @given(SEEDS)
    def pairs(seed: int) -> None:
        for pair in pairs_of_a_game(seed, 5, 80):
            counted["pairs"] += 1
            counted["steps"] += pair.steps
            counted["revealed"] += pair.revealed
            counted["spectators"] += pair.viewer is None

    pairs()
    # The property would prove little if pairs were few, or if they soon showed what differs.
    assert counted["pairs"] >= 600
    assert counted["steps"] >= 10 * counted["pairs"]
    assert counted["revealed"] <= 0.8 * counted["pairs"]
    assert counted["spectators"] >= 60


def test_pairs_differ_in_every_kind_of_hidden_zone() -> None:
    """The pairs exchange cards of hands, both decks and leftovers, and what seats brought along."""
    zones: Counter[str] = Counter()
    for seed in range(30):
        rng = random.Random(seed)
        room = random_room(rng, 3)
        states = [taken.state for taken in play(room, rng)][:-1]
        state = rng.choice(states)
        other = make_pair(state, SeatId(0), rng)
        if other is None:
            continue
        assert difference(state, other)
        zones["removed"] += state.removed != other.removed
        for seat, (a, b) in enumerate(zip(state.seats, other.seats, strict=True)):
            own = "own" if seat == 0 else "others'"
            zones[f"{own} hand"] += a.hand != b.hand
            zones[f"{own} resource deck"] += a.resource_deck != b.resource_deck
            zones[f"{own} character deck"] += a.character_deck != b.character_deck
            zones[f"{own} twelve"] += a.supplied != b.supplied
    assert zones.pop("own hand") == zones.pop("own twelve") == 0
    assert min(zones.values()) > 0
    assert len(zones) == 7
