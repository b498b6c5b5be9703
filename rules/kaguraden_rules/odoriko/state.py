"""The position of a game, written down.

A `State` is a plain value: it can be compared, copied, put into a test by hand and written as JSON
(`plain`). What happens now is one of two things. The *stage* is the part of the game that is being
played: declaring, janken, choosing places, a turn, keeping a character, the end (OD-96). The
*stack* is what a turn action has set going and is not finished: the action at the bottom, the card
it uses, the window that answers the card, the answer, and so on; the last frame is carried out
first, and the stack is empty at every action point. A frame knows how far it has come, so nothing
of a game is held anywhere else.

Whoever is on top, a frame or else the stage, may ask seats. Then its `wait` is the number of that
question (None until it asks), `answers` are the sealed answers that are in, and `State.decisions`
holds what is open, ready made.
"""

from __future__ import annotations

import enum
from typing import ClassVar, TypeAlias

from attrs import evolve, frozen

from kaguraden_rules.entropy import Entropy
from kaguraden_rules.kernel import CardId, Decision, Option, Outcome, SeatId, Value
from kaguraden_rules.odoriko.options import Options
from kaguraden_rules.odoriko.refs import CardRef, Field

__all__ = [
    "Action",
    "Asking",
    "Batch",
    "Bidding",
    "Discarding",
    "Frame",
    "Frost",
    "Gain",
    "Janken",
    "Keeping",
    "Lying",
    "Named",
    "Over",
    "Picking",
    "Placing",
    "Purpose",
    "Sale",
    "SaleStep",
    "Sealed",
    "Seat",
    "Stage",
    "State",
    "Taker",
    "Turn",
    "Use",
    "UseStep",
    "Window",
    "WindowName",
]


NO_CARD = CardRef("")

# --- seats and what lies before them ---------------------------------------------------------


@frozen
class Lying:
    """A card on a field, with its marks; they are lost when it leaves (OD-197)."""

    card: CardRef
    since: int  # the how-manieth card put on a field in this game: earlier is smaller
    fc: bool = False
    kept: bool = False
    sheltered: tuple[SeatId, ...] = ()  # by whom; each ends as that seat's next turn begins
    spent: int | None = None  # its skill may not be used again up to this turn of the half


@frozen
class Frost:
    """A field that no card may enter until the next turn of `by` begins."""

    zone: Field
    by: SeatId


@frozen
class Seat:
    """What a seat owns (OD-8): six zones that never mix, VP, and what it has done."""

    supplied: tuple[CardId, ...]  # its twelve cards, sorted (OD-21)
    hand: tuple[CardRef, ...] = ()
    song: tuple[Lying, ...] = ()
    dance: tuple[Lying, ...] = ()
    pile: tuple[CardRef, ...] = ()  # the oldest first
    resource_deck: tuple[CardRef, ...] = ()  # the top first
    character_deck: tuple[CardRef, ...] = ()  # the top first
    vp: int = 0  # may be negative (OD-17)
    place: int | None = None  # in the turn order of this half
    fc_placed: bool = False  # has placed its first character, gone or not (OD-62)
    frosts: tuple[Frost, ...] = ()


@frozen
class Sealed:
    """A seat's answer to a sealed decision. option None: its time ran out (OD-112)."""

    seat: SeatId
    option: Option | None = None
    value: Value = None


# --- stages ----------------------------------------------------------------------------------


@frozen
class Bidding:
    """Seats declare what they give for their place (OD-31)."""

    kind: ClassVar[str] = "bidding"
    bids: tuple[int | None, ...]
    locked: tuple[bool, ...]
    wait: int | None = None


@frozen
class Janken:
    """Tied seats play for who chooses first (OD-35).

    `groups` are in the order of choosing; the first with several seats plays.
    """

    kind: ClassVar[str] = "janken"
    groups: tuple[tuple[SeatId, ...], ...]
    repeat: int = 0  # draws in a row
    answers: tuple[Sealed, ...] = ()
    wait: int | None = None


@frozen
class Placing:
    """Seats choose their places, the first of `queue` now (OD-36)."""

    kind: ClassVar[str] = "placing"
    queue: tuple[SeatId, ...]
    wait: int | None = None


@frozen
class Turn:
    """A seat's turn (OD-37); with an empty stack it is at an action point (OD-96)."""

    kind: ClassVar[str] = "turn"
    seat: SeatId
    number: int  # in this half, from 1
    begun: bool = False
    actions_left: int = 0
    actions_taken: int = 0
    barren: bool = True  # nothing that counts against a stalemate has happened in it (OD-128)
    wait: int | None = None


@frozen
class Keeping:
    """Midway: each seat chooses the character that stays (OD-115)."""

    kind: ClassVar[str] = "keeping"
    tallied: bool = False
    asked: tuple[SeatId, ...] = ()
    answers: tuple[Sealed, ...] = ()
    wait: int | None = None


@frozen
class Over:
    """The end (OD-131). `outcome` is None until the final tally is made, at once."""

    kind: ClassVar[str] = "over"
    reason: str  # "final", "barren" or "circuit_limit"
    outcome: Outcome | None = None


Stage: TypeAlias = Bidding | Janken | Placing | Turn | Keeping | Over


# --- frames ----------------------------------------------------------------------------------


@frozen
class Named:
    """What a use names: a card in a zone of a seat, a field (no card), or a seat (no zone).

    For a card on a field `since` tells which; else it is None. Elsewhere `copy` tells the second
    of two copies of a card from the first. `kept` is True for the character kept at midway. A card
    that is to be put on a field says on which.
    """

    seat: SeatId
    zone: str = ""  # "song", "dance", "pile", "hand" or "shown"
    card: CardRef = NO_CARD
    since: int | None = None
    kept: bool = False
    copy: int = 0
    to_seat: SeatId | None = None
    to_zone: str | None = None

    @property
    def itself(self) -> Named:
        """The same without the field that it is to be put on."""
        return self if self.to_seat is None else evolve(self, to_seat=None, to_zone=None)


@frozen
class Discarding:
    """A card of a batch: what, into whose pile, and out of which zone."""

    card: CardRef
    pile: SeatId
    source: str  # as in `events.Discarded`
    kept: bool = False
    fc: bool = False  # was a first character


@frozen
class Batch:
    """Cards sent to discard piles at one moment (OD-103)."""

    number: int
    cards: tuple[Discarding, ...]
    opened: int = 0  # how many of the kinds of window for batches have had their chance
    used: tuple[int, ...] = ()  # the characters (their `since`) that have reacted to it


@frozen
class Action:
    """One action or free play of the active seat: the bottom of the stack.

    Its own batches are those of no use: a discard, an overflow, an unsold lot. When they are
    served, the `free` window follows, once.
    """

    kind: ClassVar[str] = "action"
    seat: SeatId
    batches: tuple[Batch, ...] = ()
    frames: int = 0  # uses so far (OD-111)
    capped: bool = False
    freed: bool = False  # the `free` window has had its chance


class Purpose(enum.StrEnum):
    """What a card is used for; Q has two uses. Skills and events do what their data say."""

    DISCARD = "k"  # K
    CANCEL = "cancel"  # Q against K
    SWAP = "swap"  # Q for one's own characters
    TAKE = "j"  # J
    RECOVER = "a"  # A
    EVENT = "event"
    SKILL = "skill"


class UseStep(enum.StrEnum):
    """How far a use has come (OD-97). R1 and R2 are done when the frame is put on the stack."""

    WINDOW = "window"  # R3
    EFFECT = "effect"  # R4
    AWAY = "away"  # R5
    TRIGGERS = "triggers"  # R6, then R7


@frozen
class Use:
    """A card or a skill in use (OD-97).

    Its effect is a list of lines, found by purpose and face; `line` is the next to carry out.
    `picks` has what each line names, None where it is still to be asked.
    """

    kind: ClassVar[str] = "use"
    seat: SeatId
    card: CardRef
    does: Purpose
    picks: tuple[tuple[Named, ...] | None, ...] = ()
    step: UseStep = UseStep.EFFECT
    line: int = 0
    cancelled: bool = False
    batches: tuple[Batch, ...] = ()
    at: Named | None = None  # a skill: where its character lay when it was declared
    redirected: Named | None = None  # K: the character that stands in for its target (OD-107)
    shown: tuple[CardRef, ...] = ()  # cards of the user's decks that a line turned up

    def named(self, line: int) -> tuple[Named, ...] | None:
        """Return what a line names; None where it is still to be asked."""
        return self.picks[line] if line < len(self.picks) else None


class WindowName(enum.StrEnum):
    """The kinds of reaction window that open (OD-104)."""

    EVENT = "event"
    K = "k"
    TRIGGER = "trigger"
    J = "j"
    A = "a"
    FREE = "free"


@frozen
class Window:
    """A reaction window (OD-101) about the frame below it.

    While `wait` is None an answer is being carried out above it.
    """

    kind: ClassVar[str] = "window"
    name: WindowName
    number: int
    round: int
    asked: tuple[SeatId, ...]
    answers: tuple[Sealed, ...] = ()
    wait: int | None = None


class SaleStep(enum.StrEnum):
    """How far a sale has come."""

    BIDDING = "bidding"
    PAYMENT = "payment"
    RECEIVING = "receiving"
    UNSOLD = "unsold"


@frozen
class Sale:
    """A sale by auction (OD-80)."""

    kind: ClassVar[str] = "sale"
    seller: SeatId
    lot: tuple[CardRef, ...]
    price_kind: str  # "resource", "special" or "either" (OD-82)
    price: int
    polled: bool = False  # whether seats are asked one after another
    step: SaleStep = SaleStep.BIDDING
    best: int | None = None
    leader: SeatId | None = None
    asked: tuple[SeatId, ...] = ()  # who may bid now, by what is public; nobody: it is over
    done: tuple[SeatId, ...] = ()  # outcry: said in private
    passed: tuple[SeatId, ...] = ()  # polled: said in public
    wait: int | None = None


@frozen
class Taker:
    """A seat and the cards that it is to take into its hand."""

    seat: SeatId
    cards: tuple[CardRef, ...]
    hidden: bool  # whether others may not see them


@frozen
class Gain:
    """Cards on their way into hands (OD-52); seats choose which stay where not all fit."""

    kind: ClassVar[str] = "gain"
    takers: tuple[Taker, ...]
    asked: tuple[SeatId, ...] = ()
    answers: tuple[Sealed, ...] = ()
    wait: int | None = None


@frozen
class Picking:
    """What the line of the use below chooses, asked when it is carried out.

    Of the user of the card (D-15), or of those who hold the cards, in secret (D-16).
    """

    kind: ClassVar[str] = "picking"
    asked: tuple[SeatId, ...]
    holders: bool = False
    answers: tuple[Sealed, ...] = ()
    wait: int | None = None


Frame: TypeAlias = Action | Use | Window | Sale | Gain | Picking


Asking: TypeAlias = Bidding | Janken | Placing | Turn | Keeping | Window | Sale | Gain | Picking
"""The stages and frames that may ask seats: those with a `wait`."""


# --- the whole -------------------------------------------------------------------------------


@frozen
class State:
    """A position of a game.

    A position written by hand leaves `decisions` and `asked` out and goes through
    `Odoriko.begin`, which plays it on to its next question.
    """

    options: Options
    entropy: Entropy
    seats: tuple[Seat, ...]
    stage: Stage
    removed: tuple[CardRef, ...] = ()  # left over from the deal (OD-19)
    stack: tuple[Frame, ...] = ()  # the top last
    half: int = 1
    order: tuple[SeatId, ...] = ()  # the turn order
    midway_due: int | None = None  # midway follows the turn of this number (OD-113)
    barren: int = 0  # barren turns in a row
    placed: int = 0  # resource cards put on a field from hand or deck since midway (OD-124)
    lain: int = 0  # cards put on a field so far
    batches: int = 0
    windows: int = 0
    waits: int = 0
    asked: tuple[int, ...] = ()  # one count a seat of the decisions it had
    decisions: tuple[tuple[SeatId, Decision], ...] = ()  # those open now, in seat order

    @property
    def top(self) -> Frame | Stage:
        """What goes on now: the last frame of the stack, or else the stage."""
        return self.stack[-1] if self.stack else self.stage
