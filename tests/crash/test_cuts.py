"""A log that is cut or damaged after its last sync is read up to there (`cuts`)."""

from __future__ import annotations

from tests.crash import cuts

CUTS = 2_000


def test_a_cut_log_has_every_acknowledged_step() -> None:
    counts = cuts.run(CUTS, 6, commits=120)
    assert counts["cuts"] == CUTS
    assert counts["a prefix"] > CUTS // 2
    assert counts["whole"] > 0
    assert counts["games replayed"] > 0
