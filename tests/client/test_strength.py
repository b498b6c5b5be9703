"""That each level of bot plays better than the one below. `python -m tests.bench.duel` measures by how much."""

from __future__ import annotations

import pytest

from tests.bench.duel import duel, wilson


@pytest.mark.parametrize(("seats", "games"), [(2, 4), (4, 4)])
def test_greedy_beats_random(seats: int, games: int) -> None:
    # Of a hundred games for two, greedy won a hundred; here it must be better on average.
    results = duel(["greedy", "random"], games=games, seats=seats, seed=1)
    assert results.mean_rank("greedy") < results.mean_rank("random")
    assert results.mean_score("greedy") > results.mean_score("random")


def test_who_plans_beats_greedy() -> None:
    # It wins some four of five games; the games are always the same ones, so this is no chance.
    results = duel(["heuristic", "greedy"], games=12, seats=2, seed=1)
    assert results.win_share("heuristic") > results.fair_share("heuristic")
    assert results.mean_score("heuristic") > results.mean_score("greedy")


def test_an_interval_is_wilsons() -> None:
    low, high = wilson(0.5, 100)  # by the textbook: 0.404 to 0.596
    assert (round(low, 3), round(high, 3)) == (0.404, 0.596)
    low, high = wilson(1.0, 10)
    assert (round(low, 3), round(high, 3)) == (0.722, 1.0)
