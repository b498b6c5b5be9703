"""Hostile input beside an honest room, a small share of it; `python -m tests.hostile.fuzz` does more."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest
from kaguraden_protocol import codec
from kaguraden_protocol.errors import RemoteProtocolError

from .fuzz import Attack, attack
from .grammar import KINDS, Grammar
from .process import SETTINGS, STRICT

WORST_MS = 10_000  # whatever else the machine does


@pytest.mark.parametrize("settings", [SETTINGS, STRICT], ids=["no limits", "usual limits"])
def test_whatever_comes_no_fault_is_logged_and_an_honest_room_plays_on(
    tmp_path: Path, settings: str
) -> None:
    plan = Attack(2_000, 500, seed=1, talkers=4, breakers=6, settings=settings)
    result = attack(tmp_path, plan)
    assert result.problems == []
    assert result.served["beside"].acts > 0
    assert result.served["beside"].worst_ms < WORST_MS
    counted = result.counted
    assert counted["messages"] >= plan.messages
    assert counted["frames"] >= plan.frames
    assert counted["internal"] == 0
    if settings is STRICT:
        assert counted["too_many_requests"] > 0
    else:
        assert {"bad_json", "bad_message", "unknown_type", "ok", "acts accepted"} <= set(counted)


def test_the_grammar_makes_every_request_and_every_kind_of_fault() -> None:
    grammar = Grammar(random.Random(1))
    assert {codec.decode_request(_text(grammar)).type for _ in range(2_000)} == set(KINDS)
    counted: Counter[str] = Counter()
    for _ in range(3_000):
        try:
            codec.decode_request(grammar.text())
            counted["good"] += 1
        except RemoteProtocolError as error:
            counted[error.code] += 1
    assert min(counted[code] for code in ("good", "bad_json", "bad_message", "unknown_type")) > 60


def _text(grammar: Grammar) -> bytes:
    return json.dumps(grammar.valid()).encode()
