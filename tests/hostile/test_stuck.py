"""Stuck readers are cut and nobody waits for them, with few; `python -m tests.hostile.stuck` has more."""

from __future__ import annotations

from pathlib import Path

from .stuck import Plan, run


def test_stuck_readers_are_cut_and_the_others_get_everything_in_order(tmp_path: Path) -> None:
    report = run(tmp_path, Plan(readers=12, stuck=6, write_ms=1_000))
    assert report.problems == []
    assert report.cut == sum(report.endings.values()) == 6
    assert report.updates > 2
    assert report.lines > 10
