"""How yumeochi looks on the wire: its kinds of option, and everything else by name (§10, §11)."""

from __future__ import annotations

from typing import ClassVar, Final, Literal, get_args

import attrs
from attrs import frozen

from kaguraden_rules.kernel import CardId, Event, OptionShape, SeatId, Shapes
from kaguraden_rules.yumeochi import events
from kaguraden_rules.yumeochi.state import Phase, Position, Won
from kaguraden_rules.yumeochi.view import YumeochiView

__all__ = ["SHAPES"]

# --- the turn (DP-1) -----------------------------------------------------------------------------


@frozen(kw_only=True)
class _Picks(OptionShape):
    """The picks of YU-96; `target_skill` is a card that lies face up, or `face_down`."""

    seat: SeatId | None = None
    item: CardId | None = None
    own_item: CardId | None = None
    role: CardId | None = None
    position: Position | None = None
    position2: Position | None = None
    skill: CardId | None = None
    target_skill: CardId | None = None


@frozen
class Open(OptionShape):
    """Open the card of the hour."""

    kind: ClassVar[str] = "open"


@frozen(kw_only=True)
class Use(_Picks):
    """Use a skill or an item, with these picks."""

    kind: ClassVar[str] = "use"
    card: CardId
    source: Literal["skill", "item"]


@frozen
class Take(OptionShape):
    """Take the start marker."""

    kind: ClassVar[str] = "take"


@frozen
class Give(OptionShape):
    """Give an item away."""

    kind: ClassVar[str] = "give"
    card: CardId
    seat: SeatId


@frozen
class Exchange(OptionShape):
    """Propose an exchange of a skill of one's own."""

    kind: ClassVar[str] = "exchange"
    seat: SeatId
    card: CardId


@frozen(kw_only=True)
class Action(_Picks):
    """Carry out the additional action of one's role, with these picks."""

    kind: ClassVar[str] = "action"


@frozen
class Pass(OptionShape):
    """Do nothing."""

    kind: ClassVar[str] = "pass"


# --- what follows --------------------------------------------------------------------------------


@frozen
class Refuse(OptionShape):
    """Refuse the exchange."""

    kind: ClassVar[str] = "refuse"


@frozen
class Agree(OptionShape):
    """Agree to the exchange, with this card."""

    kind: ClassVar[str] = "agree"
    card: CardId


@frozen
class No(OptionShape):
    """Say no."""

    kind: ClassVar[str] = "no"


@frozen
class Yes(OptionShape):
    """Say yes."""

    kind: ClassVar[str] = "yes"


@frozen
class To(OptionShape):
    """Give the start marker to a seat."""

    kind: ClassVar[str] = "to"
    seat: SeatId


@frozen
class Yield(OptionShape):
    """Hand over a face-down skill."""

    kind: ClassVar[str] = "yield"
    card: CardId


@frozen
class Keep(OptionShape):
    """Exchange nothing with the leftover."""

    kind: ClassVar[str] = "keep"


@frozen
class Draw(OptionShape):
    """Exchange the skill `own` for the `card` of the leftover."""

    kind: ClassVar[str] = "draw"
    own: CardId
    card: CardId


@frozen
class Seat(OptionShape):
    """Name a seat as the first holder."""

    kind: ClassVar[str] = "seat"
    seat: SeatId


@frozen
class Random(OptionShape):
    """Leave it to chance."""

    kind: ClassVar[str] = "random"


_TOLD = (getattr(events, name) for name in events.__all__)

SHAPES: Final = Shapes(
    view=YumeochiView,
    phases=tuple(Phase),
    reasons=get_args(Won),
    events=tuple(t for t in _TOLD if isinstance(t, type) and attrs.has(t) and issubclass(t, Event)),
    decisions={
        Phase.TURN: (Open, Use, Take, Give, Exchange, Action, Pass),
        Phase.CONSENT: (Refuse, Agree),
        Phase.MAY: (No, Yes),
        Phase.MARKER: (To,),
        Phase.YIELD: (Yield,),
        Phase.DRAW: (Keep, Draw),
        Phase.REMATCH: (No, Yes),
        Phase.FIRST_HOLDER: (Random, Seat),
    },
)
