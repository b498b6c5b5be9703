"""The measurements themselves, at the smallest size: they run, and count what happened."""

from __future__ import annotations

from pathlib import Path

from tests.bench.load import ROWS, codec_us, commit_ms, rows, shares
from tests.bench.processes import load, open_bare, open_product
from tests.bench.sample import updates


def test_every_row_is_measured(tmp_path: Path) -> None:
    sizes = {"rooms": 2, "warm": 0.1, "saturate": 0.2, "pace": 0.4, "rate": 50.0}
    with open_product(tmp_path, journal=True) as served:
        server = load(served, **sizes)
    with open_bare(tmp_path) as served:
        bare = load(served, **sizes)
    for found in (server, bare):
        assert found["saturated"]["acts_per_s"] > 0
        assert 1_300 < found["saturated"]["bytes_per_update"] < 1_700
        assert 0 < found["saturated"]["p50_ms"] <= found["saturated"]["p99_ms"]
        assert 0 < found["paced"]["acts_per_s"] < 120
        assert found["setups_per_s"] > 0
    a_round = {
        **{f"{name} {size}": server for name in ("on", "off") for size in ("few", "many", "one")},
        "bare few": bare,
        "bare many": bare,
        "commit_ms": commit_ms(tmp_path, 3),
        "paced_commit_ms": commit_ms(tmp_path, 3, 0.001),
        "codec": codec_us(10),
    }
    for found in bare, server:
        found["idle_kib"] = found["used_kib"] = 1.0  # of so few too little to be told apart
    assert len(rows([a_round])) == len(ROWS) + 2
    assert len(shares([a_round])) == 8


def test_the_yardstick_sends_what_the_server_sends() -> None:
    for seat, update in enumerate(updates()):
        assert update["decisions"][0]["id"] == update["clock"][0]["decision"]
        assert update["view"]["seats"][seat]["bid"] == seat
