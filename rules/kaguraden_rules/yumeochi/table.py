"""A step in the making: the parts of a state while they change.

`Yumeochi.act` and `expire` lay a state out on a `Table`, let `turns` and `effects` move on, and take
the new state off it again. A refusal simply drops the table, so the state is as it was. Only the
big parts are loose here; seats, places, stages and frames are frozen values that are replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import attrs
from attrs import define, evolve, field

from kaguraden_rules.entropy import Entropy
from kaguraden_rules.kernel import CardId, Decision, Event, SeatId
from kaguraden_rules.yumeochi.card import CardSet
from kaguraden_rules.yumeochi.options import Options
from kaguraden_rules.yumeochi.state import (
    SEATS,
    Frame,
    Held,
    Phase,
    Place,
    Seat,
    Seen,
    Stage,
    State,
    Turn,
)

__all__ = ["EVERYBODY", "Table", "clockwise"]

EVERYBODY = tuple(SeatId(seat) for seat in range(SEATS))


@define
class Table:
    """A state laid out, and what has happened since. The fields are those of `State`.

    While things move on by themselves `phase` is None.
    """

    options: Options
    key: bytes
    entropy: Entropy
    seats: list[Seat]
    clock: list[Place]
    leftover: tuple[Held, ...]
    undealt: tuple[CardId, ...]
    stage: Stage
    phase: Phase | None
    stack: list[Frame]
    game_no: int
    hour: int
    start: SeatId | None
    origin: SeatId | None
    order: tuple[SeatId, ...]
    place: int
    used: tuple[CardId, ...]
    locked: tuple[CardId, ...]
    discards: tuple[CardId, ...]
    removed: tuple[Held, ...]
    questions: int
    asked: tuple[int, ...]
    events: list[Event] = field(factory=list)

    @classmethod
    def lay(cls, state: State) -> Table:
        """Lay a state out, to be moved on."""
        loose = {name: getattr(state, name) for name in _LOOSE}
        return cls(
            seats=list(state.seats),
            clock=list(state.clock),
            stack=list(state.stack),
            phase=None,
            **loose,
        )

    def lay_anew(self, fresh: Table) -> None:
        """Lay a new game out in place of this one; the counts of questions go on."""
        for name in _LOOSE:
            if name not in ("questions", "asked"):
                setattr(self, name, getattr(fresh, name))
        self.seats, self.clock, self.stack = fresh.seats, fresh.clock, []
        self.events += fresh.events
        self.phase = None

    def state(self, decisions: Mapping[SeatId, Decision]) -> State:
        """Return the position that lies here, with what is open in it."""
        if self.phase is None:
            raise ValueError("the table still moves")
        loose = {name: getattr(self, name) for name in _LOOSE}
        return State(
            seats=tuple(self.seats),
            clock=tuple(self.clock),
            stack=tuple(self.stack),
            phase=self.phase,
            decisions=tuple((seat, decisions[seat]) for seat in sorted(decisions)),
            **loose,
        )

    @property
    def cards(self) -> CardSet:
        """What the cards are."""
        return self.options.cards

    @property
    def turn(self) -> Turn:
        """The turn that is played.

        Raises:
            ValueError: It is nobody's turn.
        """
        if not isinstance(self.stage, Turn):
            raise ValueError("it is nobody's turn")
        return self.stage

    def tell(self, event: Event) -> None:
        """Note that something happened."""
        self.events.append(event)

    def ask(self, phase: Phase) -> None:
        """Stop for a decision."""
        self.phase = phase
        self.questions += 1

    # --- seats -------------------------------------------------------------------------------

    def change(self, seat: SeatId, **parts: Any) -> None:  # noqa: ANN401 - as attrs.evolve
        """Replace parts of what a seat has."""
        self.seats[seat] = evolve(self.seats[seat], **parts)

    def show(self, seat: SeatId, seen: Seen) -> None:
        """Note what a seat alone was shown (YU-107)."""
        self.change(seat, seen=(*self.seats[seat].seen, seen))

    def living(self, first: SeatId) -> list[SeatId]:
        """Return the living seats clockwise from `first`."""
        return [seat for seat in clockwise(first) if self.seats[seat].alive]

    def others(self, me: SeatId) -> list[SeatId]:
        """Return the other living seats clockwise from `me`."""
        return self.living(me)[1:] if self.seats[me].alive else self.living(me)

    # --- the clock ---------------------------------------------------------------------------

    def is_down(self, position: int | None) -> bool:
        """Whether the clock has a face-down card at a position."""
        return position is not None and position <= len(self.clock) and self.at(position).is_down

    def at(self, position: int) -> Place:
        """Return a position of the clock, 1 to 12."""
        return self.clock[position - 1]

    def set_place(self, position: int, **parts: Any) -> None:  # noqa: ANN401 - as attrs.evolve
        """Replace parts of a position of the clock."""
        self.clock[position - 1] = evolve(self.at(position), **parts)

    # --- skills ------------------------------------------------------------------------------

    def in_set_order(self, skills: Iterable[Held]) -> tuple[Held, ...]:
        """Return skills in the order of the set, which tells nothing (YU-16)."""
        ranks = {card.id: rank for rank, card in enumerate(self.cards.skills)}
        return tuple(sorted(skills, key=lambda held: ranks[held.card]))

    def held(self, seat: SeatId, card: CardId) -> Held:
        """Return a skill in front of a seat.

        Raises:
            StopIteration: The seat has no such skill.
        """
        return next(held for held in self.seats[seat].skills if held.card == card)


# The parts of a state that a table has as they are.
_LOOSE: Final = tuple(
    part.name
    for part in attrs.fields(Table)
    if part.name not in ("seats", "clock", "stack", "phase", "events")
)


def clockwise(first: SeatId) -> tuple[SeatId, ...]:
    """Return all seats clockwise from `first` (YU-2)."""
    return EVERYBODY[first:] + EVERYBODY[:first]
