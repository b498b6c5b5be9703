"""Cards as values: roles, skills and time cards, and the vocabulary they are written in (§9).

A set is read from TOML (`reading`) into these classes and carried out by `effects`. `case_at` is how
a card's contents by the hour (YU-49) are found; an ability without cases has one for all hours.
Effects and picks name their `kind`, the word of the set, so that they are told apart as JSON too.
"""

from __future__ import annotations

import enum
import operator
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import ClassVar, Final, Literal, TypeAlias

from attrs import field, frozen

from kaguraden_rules.kernel import CardId, Json, Text

__all__ = [
    "HOURS",
    "Ability",
    "CardSet",
    "Case",
    "Condition",
    "Damage",
    "Discard",
    "Draw",
    "Effect",
    "Gain",
    "Guess",
    "Heal",
    "If",
    "May",
    "MoveMarker",
    "Open",
    "Peek",
    "Pick",
    "PickHour",
    "PickItem",
    "PickRole",
    "PickSeat",
    "PickSkill",
    "Protect",
    "Reveal",
    "Role",
    "Skill",
    "Skip",
    "Swap",
    "Take",
    "TimeCard",
    "TimeKind",
    "To",
    "Trigger",
    "Win",
    "Window",
]

HOURS: Final = tuple(range(1, 13))

To: TypeAlias = Literal["self", "target", "all", "others", "left", "right"]
Place: TypeAlias = Literal["current", "next", "picked"]

_COMPARE: Final[Mapping[str, Callable[[int, int], bool]]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "<": operator.lt,
    ">": operator.gt,
    "==": operator.eq,
}


class TimeKind(enum.StrEnum):
    """What becomes of an opened time card (YU-51 to YU-53)."""

    EVENT = "event"
    EVENT_STOCK = "event_stock"
    ITEM = "item"


class Window(enum.StrEnum):
    """When a first victory is checked (YU-78)."""

    AFTER_ACTION = "after_action"
    ON_DEATH = "on_death"
    PHASE_END = "phase_end"
    HOUR_BECOMES = "hour_becomes"


@frozen
class Condition:
    """A test of public facts (YU-95). Which of the fields count depends on `test`.

    `op` and `n` compare a number, `among` lists hours (`in`), `holds` is the wanted truth (`is`),
    `which` names a marker, `at` a place on the clock.
    """

    test: str
    who: Literal["self", "target", "others"] = "self"
    op: Literal[">=", "<=", "<", ">", "=="] | None = None
    n: int | None = None
    among: tuple[int, ...] | None = None
    holds: bool = True
    which: Literal["start", "origin"] | None = None
    at: Literal["current", "next", "past"] | None = None

    def is_met_by(self, number: int) -> bool:
        """Tell whether a number compares as it should, or is one of the hours.

        Raises:
            ValueError: The condition is no test of a number.
        """
        if self.among is not None:
            return number in self.among
        if self.op is None or self.n is None:
            raise ValueError(f"{self} compares with nothing")
        return _COMPARE[self.op](number, self.n)


# --- picks (YU-96) -------------------------------------------------------------------------------


@frozen
class PickSeat:
    """A living seat, the target of the ability."""

    kind: ClassVar[str] = "seat"
    who: Literal["other", "any"]
    where: tuple[Condition, ...] = ()


@frozen
class PickItem:
    """An item in front of the target or of the acting seat."""

    kind: ClassVar[str] = "item"
    of: Literal["target", "self"]


@frozen
class PickRole:
    """A role of the pool that is face up nowhere."""

    kind: ClassVar[str] = "role"


@frozen
class PickHour:
    """A face-down position of the clock; `later` includes the current hour."""

    kind: ClassVar[str] = "hour"
    when: Literal["later", "past", "any"]


@frozen
class PickSkill:
    """A skill card of the acting seat or of the target."""

    kind: ClassVar[str] = "skill"
    of: Literal["target", "self"]


Pick: TypeAlias = PickSeat | PickItem | PickRole | PickHour | PickSkill


# --- effects (YU-97) -----------------------------------------------------------------------------


@frozen
class Damage:
    """Life −n."""

    kind: ClassVar[str] = "damage"
    n: int
    to: To
    where: tuple[Condition, ...] = ()


@frozen
class Heal:
    """Life +n, up to 5."""

    kind: ClassVar[str] = "heal"
    n: int
    to: To
    where: tuple[Condition, ...] = ()


@frozen
class MoveMarker:
    """The start marker moves; `choose` asks the acting seat (DP-4)."""

    kind: ClassVar[str] = "marker"
    to: Literal["self", "target", "left", "right", "choose"]


@frozen
class Peek:
    """The acting seat alone looks at a card; `at` is for time cards."""

    kind: ClassVar[str] = "peek"
    what: Literal["time", "role", "skill", "leftover"]
    at: Place | None = None


@frozen
class Open:
    """The acting seat opens a face-down time card."""

    kind: ClassVar[str] = "open"
    at: Place


@frozen
class May:
    """The acting seat may have these effects or not (DP-3)."""

    kind: ClassVar[str] = "may"
    effects: tuple[Effect, ...]


@frozen
class If:
    """One or the other, by a public condition."""

    kind: ClassVar[str] = "if"
    cond: Condition
    then: tuple[Effect, ...]
    otherwise: tuple[Effect, ...] = ()


@frozen
class Guess:
    """One or the other, by whether the picked role is the target's."""

    kind: ClassVar[str] = "guess"
    then: tuple[Effect, ...]
    otherwise: tuple[Effect, ...] = ()


@frozen
class Reveal:
    """A role or the skills are turned face up."""

    kind: ClassVar[str] = "reveal"
    what: Literal["role", "skill"]
    to: To
    where: tuple[Condition, ...] = ()


@frozen
class Take:
    """The picked item of the target goes to the acting seat."""

    kind: ClassVar[str] = "take"


@frozen
class Swap:
    """Two picked things change places."""

    kind: ClassVar[str] = "swap"
    what: Literal["items", "skills", "life", "time_cards"]


@frozen
class Gain:
    """All leftover skills go to the acting seat (YU-58)."""

    kind: ClassVar[str] = "gain"


@frozen
class Draw:
    """The acting seat looks at the leftover and may exchange a skill for one of it (DP-6)."""

    kind: ClassVar[str] = "draw"


@frozen
class Discard:
    """The picked item is discarded."""

    kind: ClassVar[str] = "discard"


@frozen
class Skip:
    """Marked `skip` (YU-91)."""

    kind: ClassVar[str] = "skip"
    to: To
    where: tuple[Condition, ...] = ()


@frozen
class Protect:
    """Marked `protect` (YU-91)."""

    kind: ClassVar[str] = "protect"
    to: To
    where: tuple[Condition, ...] = ()


Effect: TypeAlias = (
    Damage
    | Heal
    | MoveMarker
    | Peek
    | Open
    | May
    | If
    | Guess
    | Reveal
    | Take
    | Swap
    | Gain
    | Draw
    | Discard
    | Skip
    | Protect
)


# --- abilities and cards -------------------------------------------------------------------------


@frozen
class Case:
    """What happens in these hours (YU-49)."""

    hours: tuple[int, ...]
    effects: tuple[Effect, ...]


@frozen
class Ability:
    """Conditions, choices made with the action, and effects by the hour (YU-93).

    `is_timed` tells contents that differ by the hour from those that hold always.
    """

    cases: tuple[Case, ...]
    when: tuple[Condition, ...] = ()
    picks: tuple[Pick, ...] = ()
    is_timed: bool = False

    def case_at(self, hour: int) -> Case | None:
        """Return the contents for an hour; None where the card says nothing of it."""
        return next((case for case in self.cases if hour in case.hours), None)


@frozen
class Trigger:
    """What an item does by itself when an hour begins (YU-94)."""

    hours: tuple[int, ...]
    effects: tuple[Effect, ...]
    is_kept: bool = False


@frozen
class Win:
    """The first victory of a role: its window and what must hold there."""

    check: Window
    conditions: tuple[Condition, ...]


@frozen(kw_only=True)
class Card:
    """What all cards have. `plain` is the card as its set writes it, for the catalogue."""

    id: CardId
    name: Text
    text: Text | None = None
    stars: int = 0
    plain: Mapping[str, Json] = field(factory=dict, eq=False, repr=False)


@frozen(kw_only=True)
class Role(Card):
    """A role; `action` is its additional action."""

    is_base: bool
    win: Win
    action: Ability | None = None
    action_name: Text | None = None


@frozen(kw_only=True)
class Skill(Card):
    """A skill card."""

    ability: Ability


@frozen(kw_only=True)
class TimeCard(Card):
    """A card of the clock. `opened` is carried out at once; items have `use` and `trigger`."""

    time_kind: TimeKind
    opened: Ability | None = None
    use: Ability | None = None
    trigger: Trigger | None = None


@frozen
class CardSet:
    """A set of cards, each array in the order of the file ("set order").

    `digest` is the SHA-256 of the file in hexadecimal (YU-99).
    """

    id: str
    version: int
    name: Text
    digest: str
    roles: tuple[Role, ...] = field(repr=False)
    skills: tuple[Skill, ...] = field(repr=False)
    times: tuple[TimeCard, ...] = field(repr=False)

    @cached_property
    def role_of(self) -> Mapping[CardId, Role]:
        """The roles by their ids."""
        return {card.id: card for card in self.roles}

    @cached_property
    def skill_of(self) -> Mapping[CardId, Skill]:
        """The skills by their ids."""
        return {card.id: card for card in self.skills}

    @cached_property
    def time_of(self) -> Mapping[CardId, TimeCard]:
        """The time cards by their ids."""
        return {card.id: card for card in self.times}
