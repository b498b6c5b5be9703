"""The card sets that are made for tests: one with every word of card data, one written to loop."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import frozen
from kaguraden_rules.odoriko.game import Odoriko
from kaguraden_rules.odoriko.packs import builtin_sets, load_set

from tests.properties.odoriko_play import ODORIKO

__all__ = ["FOLDER", "LOOPS", "TABLES", "WORKSHOP", "TestTable"]

FOLDER = Path(__file__).parent.parent / "rules" / "packs"
WORKSHOP, LOOPS = (
    load_set((FOLDER / name).read_text("utf-8"), name) for name in ("workshop.toml", "loops.toml")
)


@frozen
class TestTable:
    """A game with its card sets, and the room options that its rooms have in common."""

    __test__ = False

    game: Odoriko
    fixed: Mapping[str, Any] = {}
    seats: int | None = None  # None: 2 to 6


# Few circuits: a game of cards that give back what they take would last too long for tests.
TABLES: Mapping[str, TestTable] = {
    "builtin": TestTable(ODORIKO),
    "workshop": TestTable(
        Odoriko(sets=(WORKSHOP,)), {"max_copies_character": 2, "circuit_limit": 20}
    ),
    "loops": TestTable(
        Odoriko(sets=(LOOPS,)),
        {"max_copies_character": 4, "max_copies_event": 4, "circuit_limit": 10},
        seats=3,  # every action may go on for 64 uses
    ),
    "all": TestTable(Odoriko(sets=(*builtin_sets(), WORKSHOP, LOOPS)), {"circuit_limit": 30}),
}
