"""That the greedy bot plays better than chance. `python -m tests.bench.duel` measures by how much."""

from __future__ import annotations

import pytest

from tests.bench.duel import duel


@pytest.mark.parametrize(("seats", "games"), [(2, 4), (4, 2)])
def test_greedy_beats_random(seats: int, games: int) -> None:
    # Of a hundred games for two, greedy won a hundred; here it must be better on average.
    results = duel(["greedy", "random"], games=games, seats=seats, seed=1)
    assert results.mean_rank("greedy") < results.mean_rank("random")
    assert results.mean_score("greedy") > results.mean_score("random")
