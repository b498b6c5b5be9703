"""The position of a game, written down.

A `State` is a plain value: it can be compared, copied, put into a test by hand and written as JSON
(`plain`). What happens now is one of two things. The *stage* is the part of the game that is being
played: naming the first holder, a turn, the stroke of an hour, a rematch, the end. The *stack* is
what is being carried out: the ability that an action or a trigger set going at the bottom, and above
it the time cards that it opened. A frame holds the effects that are still to come, so nothing of a
resolution is held anywhere else; the stack is empty between resolutions.

`phase` says what is asked. With an empty stack it belongs to the stage, else to the first effect of
the top frame, and `decisions` holds what is open, ready made.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Annotated, ClassVar, Literal, TypeAlias

from attrs import frozen

from kaguraden_rules.entropy import Entropy
from kaguraden_rules.kernel import CardId, Decision, SeatId
from kaguraden_rules.wire import Natural, OneOf, Within
from kaguraden_rules.yumeochi.card import Effect, Window
from kaguraden_rules.yumeochi.options import Options

__all__ = [
    "FACE_DOWN",
    "LIFE",
    "SEATS",
    "Action",
    "Count",
    "Due",
    "FirstHolder",
    "Frame",
    "Gained",
    "Held",
    "Hour",
    "Over",
    "Peeked",
    "Phase",
    "Picks",
    "Place",
    "Position",
    "Proposal",
    "Received",
    "Rematch",
    "Result",
    "Seat",
    "Seen",
    "Source",
    "Stage",
    "State",
    "Stroke",
    "Turn",
    "VictoryWindow",
    "Won",
    "face_down",
    "face_up",
]

SEATS = 4  # YU-1
LIFE = 5  # chips at the start, and the most there can be (YU-6)
Hour: TypeAlias = Annotated[int, Within(1, 12)]
Position: TypeAlias = Annotated[int, Within(1, 12)]  # on the clock
Won: TypeAlias = Literal["first", "stars", "origin", "cards", "dream", "survivor"]
VictoryWindow: TypeAlias = Annotated[str, OneOf(Window)]  # (YU-78)
FACE_DOWN = "face_down"  # a picked skill card of another seat that only that seat knows (YU-96)


class Phase(enum.StrEnum):
    """What is asked now (§10), in the words of the wire."""

    FIRST_HOLDER = "first_holder"  # DP-8
    TURN = "turn"  # DP-1
    CONSENT = "consent"  # DP-2
    MAY = "may"  # DP-3
    MARKER = "marker"  # DP-4
    YIELD = "yield"  # DP-5
    DRAW = "draw"  # DP-6
    REMATCH = "rematch"  # DP-7
    OVER = "over"


# --- what a seat alone was shown -----------------------------------------------------------------


@frozen
class Peeked:
    """Cards that a seat looked at; a time card has its `position`, others may have their `seat`."""

    kind: ClassVar[str] = "peeked"
    hour: Hour
    what: Literal["time", "role", "skill", "leftover"]
    position: Position | None = None
    seat: SeatId | None = None
    card: CardId | None = None  # a time card
    cards: tuple[CardId, ...] | None = None  # all others


@frozen
class Received:
    """A skill card that came from another seat, or from the leftover, for one of its own."""

    kind: ClassVar[str] = "received"
    hour: Hour
    card: CardId
    gave: CardId
    giver: SeatId | None = None  # None: the leftover


@frozen
class Gained:
    """Skill cards that came from the leftover (YU-58)."""

    kind: ClassVar[str] = "gained"
    hour: Hour
    cards: tuple[CardId, ...]


Seen: TypeAlias = Peeked | Received | Gained


# --- what lies on the table ----------------------------------------------------------------------


@frozen
class Held:
    """A skill card and whether it lies face up."""

    card: CardId
    up: bool = False


def face_up(skills: Iterable[Held]) -> tuple[CardId, ...]:
    """Return the skill cards that lie face up, in their order."""
    return tuple(held.card for held in skills if held.up)


def face_down(skills: Iterable[Held]) -> tuple[CardId, ...]:
    """Return the skill cards that lie face down, in their order."""
    return tuple(held.card for held in skills if not held.up)


@frozen
class Seat:
    """What lies in front of a seat, and what it has done.

    Skills are in set order, so that their order tells nothing (YU-16); items and stock are in the
    order in which they came, face up for all (YU-15).
    """

    role: CardId
    skills: tuple[Held, ...]
    role_up: bool = False
    life: int = LIFE
    alive: bool = True  # a seat without life that is still alive is dying (YU-56)
    items: tuple[CardId, ...] = ()
    stock: tuple[CardId, ...] = ()
    opened: int = 0  # time cards, by any means
    kills: int = 0
    killer: SeatId | None = None  # whose attack took its last life (YU-72)
    uses: tuple[CardId, ...] = ()  # cards it has used, in order; by its role for an action (YU-135)
    skip: bool = False
    protected: bool = False
    seen: tuple[Seen, ...] = ()  # the oldest first (YU-137)

    @property
    def role_uses(self) -> int:
        """How often it has carried out its additional action."""
        return self.uses.count(self.role)

    @property
    def skills_up(self) -> tuple[CardId, ...]:
        """Its face-up skills, in set order."""
        return face_up(self.skills)

    @property
    def skills_down(self) -> tuple[CardId, ...]:
        """Its face-down skills, in set order."""
        return face_down(self.skills)

    @property
    def is_dying(self) -> bool:
        """Whether it dies when the resolution ends (YU-56)."""
        return self.alive and self.life == 0

    @property
    def is_well(self) -> bool:
        """Whether it lives and is not dying."""
        return self.life > 0


@frozen
class Place:
    """A position of the clock. It is face down as long as nobody has opened it."""

    card: CardId
    opener: SeatId | None = None
    case: tuple[int, ...] | None = None  # hours of the contents that applied, if they differ
    went: Literal["stock", "item", "discard"] | None = None  # None: being carried out

    @property
    def is_down(self) -> bool:
        """Whether it lies face down."""
        return self.opener is None


# --- stages --------------------------------------------------------------------------------------


@frozen
class Picks:
    """The choices made with an action (YU-96); None where it has no such choice."""

    seat: SeatId | None = None
    item: CardId | None = None  # of the target
    own_item: CardId | None = None
    role: CardId | None = None
    position: int | None = None
    position2: int | None = None  # where two are picked
    skill: CardId | None = None  # own
    target_skill: str | None = None  # a card that is face up, or FACE_DOWN


@frozen
class Action:
    """The action of a turn, as everybody saw it.

    `card` is the card used, or the item given; a face-down skill of the acting seat among the
    `picks` is private to it.
    """

    action: Literal["open", "use", "take", "give", "exchange", "role_action", "pass"]
    card: CardId | None = None
    picks: Picks = Picks()


@frozen
class Proposal:
    """An exchange that waits for consent (YU-42)."""

    target: SeatId
    card: CardId


@frozen
class FirstHolder:
    """The host is asked who met the crow (YU-10)."""

    kind: ClassVar[str] = "first_holder"


@frozen
class Turn:
    """A seat's place in the order (YU-28). It is over when its `action` has been carried out."""

    kind: ClassVar[str] = "turn"
    seat: SeatId
    begun: bool = False  # its marks have had their effect
    tried: tuple[SeatId, ...] = ()  # who has refused an exchange in this turn
    proposal: Proposal | None = None
    action: Action | None = None


@frozen
class Due:
    """An item whose trigger fires."""

    seat: SeatId
    card: CardId


@frozen
class Stroke:
    """The hour has changed (steps 6 and 7 of YU-27); `due` are the triggers still to come."""

    kind: ClassVar[str] = "stroke"
    due: tuple[Due, ...]


@frozen
class Count:
    """What a seat has in the second victory (YU-83, YU-86)."""

    seat: SeatId
    stars: int
    cards: Natural


@frozen
class Result:
    """How a game ended; no winners where it was all a dream."""

    result: Won
    winners: tuple[SeatId, ...]
    window: VictoryWindow | None = None  # of a first victory
    counts: tuple[Count, ...] | None = None  # of a second victory


@frozen
class Rematch:
    """Everybody is asked whether to play again (DP-7)."""

    kind: ClassVar[str] = "rematch"
    result: Result
    answers: tuple[bool | None, ...] = (None,) * SEATS


@frozen
class Over:
    """The end."""

    kind: ClassVar[str] = "over"
    result: Result


Stage: TypeAlias = FirstHolder | Turn | Stroke | Rematch | Over


# --- the stack -----------------------------------------------------------------------------------


class Source(enum.StrEnum):
    """What sets effects going."""

    SKILL = "skill"
    ITEM = "item"
    ROLE = "role"  # an additional action
    OPENED = "opened"  # a time card
    TRIGGER = "trigger"


@frozen
class Frame:
    """An ability that is being carried out by `actor`.

    The first of `effects` is next. `hour` is the one that its conditions go by (YU-50,
    YU-136), `position` that of an opened card.
    """

    actor: SeatId
    card: CardId
    source: Source
    effects: tuple[Effect, ...]
    hour: int
    picks: Picks = Picks()
    position: int | None = None

    @property
    def target(self) -> SeatId:
        """The picked seat.

        Raises:
            ValueError: No seat was picked; the set is not a valid one (E_TARGET of YU-99).
        """
        if self.picks.seat is None:
            raise ValueError(f"{self.card} has no target")
        return self.picks.seat


# --- the whole -----------------------------------------------------------------------------------


@frozen
class State:
    """A position of a game.

    A position written by hand leaves `decisions` out and goes through `Yumeochi.begin`, which plays
    it on to its next question.
    """

    options: Options
    key: bytes  # the 32 bytes that all chance of the match comes from
    entropy: Entropy  # the stream of this game
    seats: tuple[Seat, ...]
    clock: tuple[Place, ...]  # position 1 first
    leftover: tuple[Held, ...]  # skills, in set order
    undealt: tuple[CardId, ...]  # roles, in set order
    stage: Stage
    phase: Phase
    stack: tuple[Frame, ...] = ()  # the top last
    game_no: int = 1
    hour: int = 1
    start: SeatId | None = None  # who holds the start marker; None when nobody lives
    origin: SeatId | None = None  # who holds the origin marker
    order: tuple[SeatId, ...] = ()  # of this phase (YU-24)
    place: int = 0  # how many places of the order are over
    used: tuple[CardId, ...] = ()  # skills used in this phase (YU-35)
    locked: tuple[CardId, ...] = ()  # skills not to be used in this phase (YU-60, YU-133)
    discards: tuple[CardId, ...] = ()  # time cards, the oldest first
    removed: tuple[Held, ...] = ()  # skills of the dead, in set order
    questions: int = 0  # asked so far; whether something is asked is public (YU-100)
    asked: tuple[int, ...] = (0,) * SEATS  # the decisions that each seat has had
    decisions: tuple[tuple[SeatId, Decision], ...] = ()  # those open now, in seat order

    @property
    def result(self) -> Result | None:
        """How this game ended, if it has; it does so before anybody is asked for a rematch."""
        return self.stage.result if isinstance(self.stage, Rematch | Over) else None
