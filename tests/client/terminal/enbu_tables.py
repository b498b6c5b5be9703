"""Games of enbu as the terminal client sees them: real views and decisions, as over the wire."""

from __future__ import annotations

from typing import Any

from attrs import define, field
from kaguraden_client.terminal.painters import Catalog, Context
from kaguraden_client.terminal.words import Lang
from kaguraden_protocol import messages
from kaguraden_rules.enbu.game import Enbu
from kaguraden_rules.kernel import Answer, SeatId
from kaguraden_rules.plain import to_plain

from .tables import NAMES, wire_decision

Json = Any
ENBU = Enbu()
TOLD: dict[str, Json] = ENBU.catalog()
CATALOG = Catalog.of(TOLD["cards"]).with_books(TOLD["books"])
SEED = bytes(32)


def context(lang: str = "en", me: int | None = 0, seats: int = 1, **changes: Any) -> Context:
    """Return what a painter is given."""
    return Context(
        lang=Lang(lang),
        me=me,
        names=changes.pop("names", dict(enumerate(NAMES[:seats]))),
        catalog=changes.pop("catalog", CATALOG),
        **changes,
    )


@define
class Game:
    """A game that is played by options' ids."""

    book: str = "kyu-3"
    seats: int = 1
    entropy: bytes = SEED
    state: Any = field(init=False)
    events: list[dict[str, Json]] = field(factory=list, init=False)

    def __attrs_post_init__(self) -> None:
        options = ENBU.parse_options({"book": self.book})
        step = ENBU.setup(options, self.seats, ((),) * self.seats, self.entropy)
        self._take(step)

    def _take(self, step: Any) -> None:
        self.state = step.state
        for event in step.events:
            plain = to_plain(event)
            assert isinstance(plain, dict)
            self.events.append({"kind": event.kind, **plain})

    def play(self, *choices: str, seat: int = 0) -> Game:
        """Answer with these options, one after the other."""
        for choice in choices:
            decision = ENBU.decisions(self.state)[SeatId(seat)]
            self._take(ENBU.act(self.state, SeatId(seat), Answer(decision.id, choice)))
        return self

    def default(self, times: int = 1, seat: int = 0) -> Game:
        """Answer with the default so many times, as far as the game goes."""
        for _ in range(times):
            decision = ENBU.decisions(self.state).get(SeatId(seat))
            if decision is None:
                break
            self.play(decision.default, seat=seat)
        return self

    def view(self, seat: int | None = 0) -> dict[str, Json]:
        """Return the view of a seat, or of a watcher."""
        plain = to_plain(ENBU.view(self.state, None if seat is None else SeatId(seat)))
        assert isinstance(plain, dict)
        return plain

    def decision(self, seat: int = 0) -> messages.Decision:
        """Return a seat's open decision."""
        return wire_decision(ENBU.decisions(self.state)[SeatId(seat)])
