"""Non-interference over the wire (protocol §15): 100 pairs of every game, and that a leak is found.

`python -m tests.hostile.pairs` plays more.
"""

from __future__ import annotations

import itertools
from collections import Counter
from hashlib import sha256
from typing import Any

import pytest
from attrs import evolve
from kaguraden_rules.kernel import Viewer
from kaguraden_server import streams

from . import stage
from .pairs import count_game
from .twins import GAMES

PAIRS = 100
FIRST = 1_000_000


def play(game: str, pairs: int) -> tuple[Counter[str], list[str]]:
    counted: Counter[str] = Counter()
    leaks: list[str] = []
    seeds = itertools.count(FIRST)
    while counted["pairs"] < pairs and not leaks:
        counts, leaks = count_game(next(seeds), game)
        counted += counts
    return counted, leaks


@pytest.mark.parametrize("game", GAMES)
def test_who_may_not_know_is_sent_the_same_bytes_at_the_same_times(game: str) -> None:
    counted, leaks = play(game, PAIRS)
    assert not leaks, leaks[0]
    # It would prove little if hardly anything happened, or if all was soon shown.
    assert counted["steps"] >= 5 * PAIRS
    assert counted["frames"] >= 20 * PAIRS
    assert counted["probes"] >= 2 * PAIRS
    assert counted["spectators"] >= PAIRS / 10
    assert counted["shown"] <= 0.8 * PAIRS


@pytest.mark.parametrize("game", GAMES)
def test_what_a_view_tells_of_the_whole_position_is_found(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def blurt(staged: Any, state: Any, viewer: Viewer) -> Any:
        return evolve(
            staged._game.view(state, viewer), phase=sha256(repr(state).encode()).hexdigest()
        )

    monkeypatch.setattr(stage._Staged, "view", blurt, raising=False)
    _, leaks = play(game, PAIRS)
    assert "is sent other things" in leaks[0]


@pytest.mark.parametrize("game", ["enbu", "odoriko"])  # in yumeochi every step is public
def test_an_update_for_each_step_of_others_would_be_found(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "_same", lambda before, seen: False)
    _, leaks = play(game, PAIRS)
    assert "is sent other things" in leaks[0]
