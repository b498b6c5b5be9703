"""How enbu looks on the wire: its kinds of option, and everything else by name (EN-74, EN-90)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from attrs import frozen

from kaguraden_rules.enbu import events as e
from kaguraden_rules.enbu.board import Phase, Reason
from kaguraden_rules.enbu.race import Finisher
from kaguraden_rules.enbu.view import EnbuView
from kaguraden_rules.kernel import CardId, OptionShape, Shapes
from kaguraden_rules.wire import Ordinal

__all__ = ["SHAPES"]


@frozen
class Stage(OptionShape):
    """Put the flipped card on a slot."""

    kind: ClassVar[str] = "stage"
    slot: Ordinal
    card: CardId


@frozen
class Take(OptionShape):
    """Keep the flipped card in hand."""

    kind: ClassVar[str] = "take"
    card: CardId


@frozen
class Swap(OptionShape):
    """Keep the flipped `card` and put `out`, the `hand`-th card in hand, on a slot."""

    kind: ClassVar[str] = "swap"
    hand: Ordinal
    slot: Ordinal
    out: CardId
    card: CardId


@frozen
class Perform(OptionShape):
    """Gain an open program with the cards at these places; `stands_for` has the wilds by place."""

    kind: ClassVar[str] = "perform"
    program: str
    sources: tuple[str, ...]
    cards: tuple[CardId, ...]
    points: Ordinal
    stands_for: Mapping[str, CardId] | None = None


@frozen
class Drop(OptionShape):
    """Give up the rightmost page, and the top card of a slot with it."""

    kind: ClassVar[str] = "drop"
    slot: Ordinal
    card: CardId
    program: str


@frozen
class Next(OptionShape):
    """End the turn."""

    kind: ClassVar[str] = "next"


@frozen
class Finish(OptionShape):
    """End the game."""

    kind: ClassVar[str] = "finish"


@frozen
class Undo(OptionShape):
    """Take back the last step of this turn."""

    kind: ClassVar[str] = "undo"


SHAPES: Final = Shapes(
    view=EnbuView,
    phases=(*Phase, "ended", "race"),
    reasons=(*Reason, "race"),
    events=(
        *(e.SetUp, e.Flipped, e.Staged, e.Taken, e.Swapped, e.Performed, e.Dropped, e.Slid),
        *(e.GoalChanged, e.Reshuffled, e.Undone, e.Defaulted, e.Ended, e.Revealed),
        e.FiguresShown,
    ),
    decisions={
        "place": (Stage, Take, Swap, Finish, Undo),
        "act": (Perform, Drop, Next, Finish, Undo),
    },
    rank=Finisher,
)
