"""What can happen in yumeochi (§11).

Each class says who may see what by itself: a field marked `private` is for the seats that its owners
name, everything else is public. Every event has the hour. Where a card is public only if it lies
face up, it has two fields: `card` for everybody, None if it is face down, and a private one that is
always filled. An event is a real change (YU-105), or a decision that was made; `by` tells whether a
seat or the clock made it. What everybody sees comes before what it does (YU-124).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, TypeAlias

from attrs import frozen

from kaguraden_rules.kernel import CardId, Event, Json, SeatId, private
from kaguraden_rules.wire import Natural, Ordinal
from kaguraden_rules.yumeochi.revealing import ClockCard
from kaguraden_rules.yumeochi.state import Count, Hour, Position, VictoryWindow, Won

__all__ = [
    "ActionTaken",
    "AllRevealed",
    "By",
    "CardDiscarded",
    "CardKept",
    "CardOpened",
    "Dealt",
    "Died",
    "ExchangeAnswered",
    "ExchangeProposed",
    "FinalCount",
    "FirstHolderNamed",
    "FirstVictory",
    "GameEnded",
    "GameStarted",
    "GuessMade",
    "HourBecame",
    "ItemMoved",
    "LeftoverTaken",
    "LifeChanged",
    "LivesSwapped",
    "Marked",
    "MarkerChosen",
    "MarkerMoved",
    "MatchDrawn",
    "MayAnswered",
    "Peeked",
    "PhaseBegan",
    "PhaseEnded",
    "RematchAnswered",
    "RoleRevealed",
    "SkillDrawn",
    "SkillRevealed",
    "SkillsExchanged",
    "SkillsLaidAside",
    "SkillsSwapped",
    "TimeCardsSwapped",
    "Triggered",
    "TurnLost",
    "Unmarked",
]

By: TypeAlias = Literal["player", "clock"]
Which: TypeAlias = Literal["start", "origin", "current"]


# --- the course of the game ----------------------------------------------------------------------


@frozen
class GameStarted(Event):
    """A game of the match begins. `holder` gets both markers; None while it is to be named."""

    kind: ClassVar[str] = "game_started"
    hour: Hour
    game_no: Ordinal
    set: str
    digest: str
    options: Mapping[str, Json]
    pool: tuple[CardId, ...]
    holder: SeatId | None = None


@frozen
class Dealt(Event):
    """A seat was dealt its cards and chips (YU-3, YU-6)."""

    kind: ClassVar[str] = "dealt"
    hour: Hour
    seat: SeatId
    roles: Natural
    skills: Natural
    life: Natural
    role: CardId | None = private("seat")
    skill: CardId | None = private("seat")


@frozen
class FirstHolderNamed(Event):
    """The host named the first holder, or left it to chance (DP-8)."""

    kind: ClassVar[str] = "first_holder_named"
    hour: Hour
    holder: SeatId
    drawn: bool
    by: By


@frozen
class PhaseBegan(Event):
    """An action phase begins (YU-24)."""

    kind: ClassVar[str] = "phase_began"
    hour: Hour
    order: tuple[SeatId, ...]
    start: SeatId
    origin: SeatId


@frozen
class PhaseEnded(Event):
    """All places of the order are over (YU-22)."""

    kind: ClassVar[str] = "phase_ended"
    hour: Hour


@frozen
class TurnLost(Event):
    """A seat's turn was lost to its mark (YU-91)."""

    kind: ClassVar[str] = "turn_lost"
    hour: Hour
    seat: SeatId


@frozen
class ActionTaken(Event):
    """A seat carries out an action (§4); an exchange has events of its own instead.

    `card` is what is used, or the item given; the other fields are the picks, `skill` of which is
    public only if it lies face up, while `own_skill` is for the seat itself.
    """

    kind: ClassVar[str] = "action_taken"
    hour: Hour
    seat: SeatId
    action: Literal["open", "use", "take", "give", "role_action", "pass"]
    by: By
    card: CardId | None = None
    source: Literal["skill", "item"] | None = None
    target: SeatId | None = None
    item: CardId | None = None
    own_item: CardId | None = None
    role: CardId | None = None
    position: Position | None = None
    position2: Position | None = None
    skill: CardId | None = None
    target_skill: str | None = None
    own_skill: CardId | None = private("seat")


@frozen
class HourBecame(Event):
    """Time passes (YU-26); `hour` is the new one."""

    kind: ClassVar[str] = "hour_became"
    hour: Hour


@frozen
class Triggered(Event):
    """An item does something by itself at the stroke of an hour (YU-94)."""

    kind: ClassVar[str] = "triggered"
    hour: Hour
    seat: SeatId
    card: CardId


# --- cards -----------------------------------------------------------------------------------------


@frozen
class RoleRevealed(Event):
    """A role was turned face up. `cause` is a card, "death", "victory" or "role_action"."""

    kind: ClassVar[str] = "role_revealed"
    hour: Hour
    seat: SeatId
    card: CardId
    cause: str


@frozen
class SkillRevealed(Event):
    """A skill was turned face up. `cause` is a card, "death" or "use"."""

    kind: ClassVar[str] = "skill_revealed"
    hour: Hour
    seat: SeatId
    card: CardId
    cause: str


@frozen
class CardOpened(Event):
    """A time card was turned up. `case` are the hours of the contents that apply (YU-49)."""

    kind: ClassVar[str] = "card_opened"
    hour: Hour
    seat: SeatId
    position: Position
    card: CardId
    case: tuple[Hour, ...] | None = None


@frozen
class CardKept(Event):
    """A time card stays in front of its opener, as "stock" or "item" (YU-52, YU-53)."""

    kind: ClassVar[str] = "card_kept"
    hour: Hour
    seat: SeatId
    card: CardId
    cause: Literal["stock", "item"]


@frozen
class CardDiscarded(Event):
    """A time card was discarded.

    `cause` is "event", "dying" (YU-71), "use", "trigger", or the card that made it so.
    """

    kind: ClassVar[str] = "card_discarded"
    hour: Hour
    seat: SeatId
    card: CardId
    cause: str


@frozen
class ItemMoved(Event):
    """An item changed hands; `cause` is "give", "take" or "swap"."""

    kind: ClassVar[str] = "item_moved"
    hour: Hour
    giver: SeatId
    receiver: SeatId
    card: CardId
    cause: Literal["give", "take", "swap"]


@frozen
class ExchangeProposed(Event):
    """A seat proposes an exchange of skills (YU-42)."""

    kind: ClassVar[str] = "exchange_proposed"
    hour: Hour
    seat: SeatId
    target: SeatId
    card: CardId | None = None
    offered: CardId | None = private("seat")


@frozen
class ExchangeAnswered(Event):
    """The partner, `seat`, answered the proposal of `target`."""

    kind: ClassVar[str] = "exchange_answered"
    hour: Hour
    seat: SeatId
    target: SeatId
    agreed: bool
    by: By


@frozen
class _Crossed(Event):
    """A skill of `seat` and one of `target` change places; the two of them see both cards."""

    hour: Hour
    seat: SeatId
    target: SeatId
    seat_gave: CardId | None = None
    target_gave: CardId | None = None
    seat_card: CardId | None = private("seat", "target")
    target_card: CardId | None = private("seat", "target")


@frozen
class SkillsExchanged(_Crossed):
    """Two seats exchanged skills by agreement (YU-43)."""

    kind: ClassVar[str] = "skills_exchanged"


@frozen
class SkillsSwapped(_Crossed):
    """`seat` swapped skills with `target` without consent (YU-97)."""

    kind: ClassVar[str] = "skills_swapped"


@frozen
class Peeked(Event):
    """A seat looked at face-down cards: at a `position`, of a `target`, or at the leftover."""

    kind: ClassVar[str] = "peeked"
    hour: Hour
    seat: SeatId
    what: Literal["time", "role", "skill", "leftover"]
    position: Position | None = None
    target: SeatId | None = None
    cards: tuple[CardId, ...] | None = private("seat")


@frozen
class LeftoverTaken(Event):
    """A seat took the leftover skills (YU-58); `shown` are those that lie face up."""

    kind: ClassVar[str] = "leftover_taken"
    hour: Hour
    seat: SeatId
    number: Natural
    shown: tuple[CardId, ...]
    cards: tuple[CardId, ...] | None = private("seat")


@frozen
class SkillsLaidAside(Event):
    """A seat's own skills went to the leftover place as the price (YU-59)."""

    kind: ClassVar[str] = "skills_laid_aside"
    hour: Hour
    seat: SeatId
    number: Natural
    shown: tuple[CardId, ...]
    cards: tuple[CardId, ...] | None = private("seat")


@frozen
class SkillDrawn(Event):
    """A seat exchanged a skill for one of the leftover, or kept its own (DP-6)."""

    kind: ClassVar[str] = "skill_drawn"
    hour: Hour
    seat: SeatId
    exchanged: bool
    by: By
    gave: CardId | None = None  # if face up
    got: CardId | None = None  # if face up
    own: CardId | None = private("seat")
    card: CardId | None = private("seat")


@frozen
class TimeCardsSwapped(Event):
    """Two face-down time cards changed places, unseen (YU-97)."""

    kind: ClassVar[str] = "time_cards_swapped"
    hour: Hour
    seat: SeatId
    position: Position
    position2: Position


# --- life, marks and markers ---------------------------------------------------------------------


@frozen
class LifeChanged(Event):
    """A seat's life changed; `cause` is a card and `source` the seat that acts by it (YU-72)."""

    kind: ClassVar[str] = "life_changed"
    hour: Hour
    seat: SeatId
    old: Natural
    new: Natural
    cause: CardId
    source: SeatId
    attack: bool


@frozen
class LivesSwapped(Event):
    """Two seats exchanged their life totals; what changed is told after it."""

    kind: ClassVar[str] = "lives_swapped"
    hour: Hour
    seat: SeatId
    target: SeatId


@frozen
class MarkerMoved(Event):
    """A marker moved between seats, None if nobody holds it; the current one between hours.

    `cause` is "take", "phase", "time", "death", or a card.
    """

    kind: ClassVar[str] = "marker_moved"
    hour: Hour
    which: Which
    cause: str
    old: Natural | None = None
    new: Natural | None = None


@frozen
class Marked(Event):
    """A seat was marked (YU-91)."""

    kind: ClassVar[str] = "marked"
    hour: Hour
    seat: SeatId
    mark: Literal["skip", "protect"]


@frozen
class Unmarked(Event):
    """A mark ended."""

    kind: ClassVar[str] = "unmarked"
    hour: Hour
    seat: SeatId
    mark: Literal["skip", "protect"]


@frozen
class Died(Event):
    """A seat is dead: its role, how many skills were removed, whose attack it was (YU-64)."""

    kind: ClassVar[str] = "died"
    hour: Hour
    seat: SeatId
    role: CardId
    skills: Natural
    killer: SeatId | None = None


# --- answers to follow-up questions --------------------------------------------------------------


@frozen
class MayAnswered(Event):
    """A seat said whether an effect is carried out (DP-3)."""

    kind: ClassVar[str] = "may_answered"
    hour: Hour
    seat: SeatId
    card: CardId
    yes: bool
    by: By


@frozen
class MarkerChosen(Event):
    """A seat chose who gets the start marker (DP-4)."""

    kind: ClassVar[str] = "marker_chosen"
    hour: Hour
    seat: SeatId
    target: SeatId
    by: By


@frozen
class GuessMade(Event):
    """A seat named the role of another (YU-97)."""

    kind: ClassVar[str] = "guess_made"
    hour: Hour
    seat: SeatId
    target: SeatId
    role: CardId
    right: bool


# --- the end -------------------------------------------------------------------------------------


@frozen
class FirstVictory(Event):
    """Seats fulfil the conditions of their roles (YU-79)."""

    kind: ClassVar[str] = "first_victory"
    hour: Hour
    seats: tuple[SeatId, ...]
    window: VictoryWindow


@frozen
class FinalCount(Event):
    """The second victory is counted; `step` decided it (YU-83, YU-85 to YU-87)."""

    kind: ClassVar[str] = "final_count"
    hour: Hour
    counts: tuple[Count, ...]
    step: Literal["stars", "origin", "cards", "dream"]


@frozen
class GameEnded(Event):
    """A game of the match is over."""

    kind: ClassVar[str] = "game_ended"
    hour: Hour
    result: Won
    winners: tuple[SeatId, ...]


@frozen
class AllRevealed(Event):
    """What was hidden in the game (YU-19); only cards of seats where the room says so (YU-120)."""

    kind: ClassVar[str] = "all_revealed"
    hour: Hour
    roles: tuple[CardId, ...]
    skills: tuple[tuple[CardId, ...], ...]
    removed: tuple[CardId, ...]  # skills of the dead
    leftover: tuple[CardId, ...] | None = None
    clock: tuple[ClockCard, ...] | None = None
    undealt: tuple[CardId, ...] | None = None


@frozen
class RematchAnswered(Event):
    """All have said whether to play again (DP-7); one answer a seat."""

    kind: ClassVar[str] = "rematch_answered"
    hour: Hour
    answers: tuple[bool, ...]


@frozen
class MatchDrawn(Event):
    """It was all a dream and is not played again (YU-88)."""

    kind: ClassVar[str] = "match_drawn"
    hour: Hour
