"""A server that is killed 100 times loses nothing and does nothing twice (`kills`)."""

from __future__ import annotations

from pathlib import Path

from tests.crash import kills

KILLS = 100


async def test_kills_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    going = await kills.run(tmp_path, KILLS, 6)
    figures = going.figures
    assert figures.by_point.total() == KILLS
    assert (figures.lost, figures.doubled) == (0, 0)
    assert len(figures.by_point) >= 15, "the points are all there"
    # So much has to have happened between the kills that the comparison says something.
    assert figures.acked >= KILLS
    assert figures.resent > 0
    assert figures.views >= KILLS
