"""Non-interference (invariants 13 and 14, YU-13, YU-100, YU-108): what is sent depends on nothing hidden."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from kaguraden_rules.kernel import SeatId

from tests.properties.sizes import games
from tests.properties.yumeochi_pairs import Exchanged, Leak, Pair, make_pair, pairs_of_a_game
from tests.properties.yumeochi_play import BASE, YUMEOCHI, play, random_room

SEEDS = st.integers(0, 2**48)


def test_hidden_cards_show_nowhere() -> None:
    """Invariants 13 and 14, S-32, YU-43, YU-102: nothing sent differs until a card is rightly shown."""
    counted: Counter[str] = Counter()

    @games(40)
    @given(SEEDS)
    def pairs(seed: int) -> None:
        for pair in pairs_of_a_game(seed, 4, 60):
            counted["pairs"] += 1
            counted["steps"] += pair.steps
            counted["revealed"] += pair.revealed_by is not None
            counted["spectators"] += pair.viewer is None
            for part in ("skills", "roles", "times"):
                counted[part] += bool(getattr(pair.exchanged, part))
            counted["end"] += pair.revealed_by in ("first_victory", "all_revealed", "final_count")

    pairs()
    # The property would prove little if pairs were few, or ended at once.
    assert counted["pairs"] >= 60, counted
    assert counted["steps"] >= 4 * counted["pairs"], counted
    for what in ("revealed", "spectators", "skills", "roles", "times"):
        assert counted[what] >= 10, (what, counted)


def test_a_pair_that_differs_in_what_is_shown_is_told() -> None:
    """The comparison itself: a position in which something public differs is no pair."""
    rng = random.Random(5)
    room = random_room(rng, BASE)
    state = room.open().state
    other = evolve(state, seats=(evolve(state.seats[0], life=4), *state.seats[1:]))
    with pytest.raises(Leak, match="view"):
        Pair(SeatId(1), state, other, Exchanged({}, {}, {}))


def test_pairs_do_differ() -> None:
    """What is exchanged lies elsewhere, and the viewer's own cards stay."""
    for seed in range(30):
        rng = random.Random(seed)
        states = [taken.state for taken in play(random_room(rng), rng)]
        state = rng.choice(states)
        made = make_pair(state, SeatId(2), rng)
        if made is None:
            continue
        other, _ = made
        assert other != state
        assert other.seats[2] == state.seats[2]
        assert YUMEOCHI.view(other, SeatId(2)) == YUMEOCHI.view(state, SeatId(2))
