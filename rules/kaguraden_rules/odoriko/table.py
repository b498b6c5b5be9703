"""A step in the making: the parts of a state while they change.

`act` and `expire` lay a state out on a `Table`, let the activities (see `activity`) move on, and
take the new state off it again. A refusal simply drops the table, so the state is as it was. Only
the big parts are loose here; seats, stages and frames are frozen values that are replaced.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from attrs import define, evolve, field

from kaguraden_rules.entropy import Entropy
from kaguraden_rules.kernel import CardId, Event, SeatId
from kaguraden_rules.odoriko.card import Card
from kaguraden_rules.odoriko.options import Options
from kaguraden_rules.odoriko.refs import CardRef
from kaguraden_rules.odoriko.state import Action, Frame, Seat, Stage, State, Turn, Use

__all__ = ["Table", "Top"]

Top: TypeAlias = Frame | Stage

_LOOSE = (
    "options",
    "entropy",
    "stage",
    "removed",
    "half",
    "order",
    "midway_due",
    "barren",
    "placed",
    "lain",
    "batches",
    "windows",
    "waits",
)


@define
class Table:
    """A state laid out, and what has happened since. The fields are those of `State`."""

    cards: Mapping[CardId, Card]  # what the room's characters and events are
    options: Options
    entropy: Entropy
    seats: list[Seat]
    stage: Stage
    removed: tuple[CardRef, ...]
    stack: list[Frame]
    half: int
    order: tuple[SeatId, ...]
    midway_due: int | None
    barren: int
    placed: int
    lain: int
    batches: int
    windows: int
    waits: int
    events: list[Event] = field(factory=list)

    @classmethod
    def lay(cls, state: State, cards: Mapping[CardId, Card]) -> Table:
        """Lay a state out."""
        loose = {name: getattr(state, name) for name in _LOOSE}
        return cls(cards=cards, seats=list(state.seats), stack=list(state.stack), **loose)

    def state(self) -> State:
        """Return the position that lies here; no decisions are written in."""
        loose = {name: getattr(self, name) for name in _LOOSE}
        return State(seats=tuple(self.seats), stack=tuple(self.stack), **loose)

    # --- what happens now --------------------------------------------------------------------

    @property
    def top(self) -> Top:
        """What goes on now: the last frame of the stack, or else the stage."""
        return self.stack[-1] if self.stack else self.stage

    def update(self, **parts: Any) -> None:  # noqa: ANN401 - as attrs.evolve
        """Replace parts of the top frame."""
        self.stack[-1] = evolve(self.stack[-1], **parts)

    def holder(self) -> int:
        """Return the index of the innermost frame that windows of new batches belong to."""
        for index in range(len(self.stack) - 1, -1, -1):
            if isinstance(self.stack[index], Action | Use):
                return index
        raise LookupError("no action is going on")

    def tell(self, event: Event) -> None:
        """Note that something happened."""
        self.events.append(event)

    def next_wait(self) -> int:
        """Return the number of a new question.

        Whether something is asked is public (OD-105), so the number tells nothing.
        """
        self.waits += 1
        return self.waits

    def stir(self) -> None:
        """Note that this turn is not barren: a card left a deck or came to a field or pile."""
        if isinstance(self.stage, Turn) and self.stage.barren:
            self.stage = evolve(self.stage, barren=False)

    # --- seats -------------------------------------------------------------------------------

    def change(self, seat: SeatId, **parts: Any) -> None:  # noqa: ANN401 - as attrs.evolve
        """Replace parts of what a seat owns."""
        self.seats[seat] = evolve(self.seats[seat], **parts)

    def everybody(self) -> tuple[SeatId, ...]:
        """Return all seats in the order of their numbers."""
        return tuple(SeatId(seat) for seat in range(len(self.seats)))

    def from_left_of(self, seat: SeatId) -> tuple[SeatId, ...]:
        """Return all seats in turn order, from the left of `seat` to `seat` itself."""
        at = self.order.index(seat) + 1
        return self.order[at:] + self.order[:at]
