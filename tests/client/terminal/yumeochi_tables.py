"""Games of yumeochi as the terminal client sees them: real views and decisions, as over the wire."""

from __future__ import annotations

from typing import Any

from kaguraden_client.terminal.painters import Catalog, Context
from kaguraden_client.terminal.words import Lang
from kaguraden_protocol import messages
from kaguraden_rules.kernel import SeatId, redact
from kaguraden_rules.plain import to_plain

from tests.rules.yumeochi_positions import YUMEOCHI, Table

from .tables import NAMES, wire_decision

Json = Any
TOLD: dict[str, Json] = YUMEOCHI.catalog()
CATALOG = Catalog.of(TOLD["cards"])


def context(lang: str = "en", me: int | None = 0, **changes: Any) -> Context:
    """Return what a painter is given."""
    return Context(
        lang=Lang(lang),
        me=me,
        names=changes.pop("names", dict(enumerate(NAMES[:4]))),
        catalog=changes.pop("catalog", CATALOG),
        **changes,
    )


def begun(entropy: bytes = bytes(32), **options: Json) -> Table:
    """Return a game as it is dealt."""
    step = YUMEOCHI.setup(YUMEOCHI.parse_options(options), 4, ((),) * 4, entropy)
    table = Table.__new__(Table)
    table.game, table.state = YUMEOCHI, step.state
    table.events, table.last = list(step.events), step.events
    return table


def view_of(table: Table, viewer: int | None = 0) -> dict[str, Json]:
    """Return the view of a seat, or of a watcher, as the client gets it."""
    plain = to_plain(table.view(None if viewer is None else SeatId(viewer)))
    assert isinstance(plain, dict)
    return plain


def decision_of(table: Table, seat: int = 0) -> messages.Decision:
    """Return a seat's open decision."""
    return wire_decision(table.decisions[SeatId(seat)])


def events_of(table: Table, viewer: int | None = 0, since: int = 0) -> list[dict[str, Json]]:
    """Return the events so far as a viewer gets them."""
    told: list[dict[str, Json]] = []
    for event in table.events[since:]:
        seen = redact(event, None if viewer is None else SeatId(viewer))
        if seen is not None:
            plain = to_plain(seen)
            assert isinstance(plain, dict)
            told.append(plain)
    return told
