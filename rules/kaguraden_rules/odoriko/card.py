"""What a card can say: the vocabulary of card data (OD-180 to OD-187) as plain values.

A card's text is for people; everything that a card does is written in these classes, read from TOML
by `packs` and carried out by the engine. Scoring terms are read by `scoring`.
"""

from __future__ import annotations

import enum
from typing import TypeAlias

from attrs import frozen

from kaguraden_rules.kernel import CardId, Text
from kaguraden_rules.odoriko.faces import Colour, Rank, Suit

__all__ = [
    "AddActions",
    "AddVp",
    "AnswerTo",
    "By",
    "Cancel",
    "Card",
    "CardSet",
    "Character",
    "Condition",
    "Cost",
    "CountAtLeast",
    "DeckName",
    "Discard",
    "DiscardCost",
    "Draw",
    "Each",
    "EventCard",
    "Exchange",
    "FieldPick",
    "GainTo",
    "HandAtLeast",
    "InHalf",
    "Kind",
    "Limit",
    "Mark",
    "Match",
    "Measure",
    "Name",
    "Op",
    "Peek",
    "Pick",
    "Place",
    "PlaceTo",
    "Play",
    "PutMark",
    "Redirect",
    "Scope",
    "ScoreTerm",
    "SetFirst",
    "Show",
    "Skill",
    "Take",
    "Threshold",
    "Timing",
    "TreeAtLeast",
    "VpAtLeast",
    "VpAtMost",
    "VpCost",
    "Whose",
    "Zone",
]


class Kind(enum.StrEnum):
    """The four kinds of card (OD-3, OD-4, OD-5, OD-7)."""

    RESOURCE = "resource"
    SPECIAL = "special"
    CHARACTER = "character"
    EVENT = "event"


class Scope(enum.StrEnum):
    """Whose zones a scoring term or a condition reads, from the owner's side (OD-134)."""

    OWN = "own"
    OTHERS = "others"
    WHOLE = "whole"
    UNSCOPED = "unscoped"  # the card names nobody: as `whole`, or as `own` by option (OD-137)


class Zone(enum.StrEnum):
    """Where cards are looked for."""

    SONG = "song"
    DANCE = "dance"
    FIELDS = "fields"  # song and dance together
    DISCARD = "discard"
    HAND = "hand"
    SHOWN = "shown"  # the cards that a `show` line of the same effect turned up
    ANY = "any"  # in a tree condition: song or dance, one of them


class Whose(enum.StrEnum):
    """Which seats a pick looks at, from the user's side (OD-186)."""

    SELF = "self"
    OTHERS = "others"  # may spread over seats
    ANY = "any"
    ONE_OTHER = "one_other"  # all from the same other seat
    ACTOR = "actor"  # the player of the answered card
    EACH = "each"
    EACH_OTHER = "each_other"


class By(enum.StrEnum):
    """Who picks."""

    USER = "user"
    HOLDER = "holder"  # every holder in secret


class DeckName(enum.StrEnum):
    """The two decks of a seat (OD-8)."""

    RESOURCE = "resource"
    CHARACTER = "character"


@frozen
class Match:
    """A filter on cards; all parts that are given must hold (OD-183). Empty means any card."""

    kind: tuple[Kind, ...] = ()
    suit: tuple[Suit, ...] = ()
    colour: Colour | None = None
    rank: tuple[Rank, ...] = ()
    min: int | None = None  # value; a filter on values matches resource cards only
    max: int | None = None
    fc: bool | None = None
    this: bool | None = None  # the card that the filter is written on
    id: tuple[CardId, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether any card at all matches."""
        return self == Match()


# --- scoring terms (OD-182) --------------------------------------------------------------------


class Measure(enum.StrEnum):
    """What a threshold is compared with."""

    COUNT = "count"  # the number of cards
    TREE = "tree"  # the sum of their values (OD-14)


@frozen
class Each:
    """`n` cards score `n * vp` (OD-135)."""

    vp: int


@frozen
class Threshold:
    """`at_least` cards, or a tree of that size, score `vp` once (OD-136)."""

    at_least: int
    vp: int
    measure: Measure = Measure.COUNT


@frozen
class ScoreTerm:
    """One scoring condition (勝利条件) of a character."""

    scope: Scope
    zone: Zone
    match: Match
    worth: Each | Threshold


# --- conditions and costs (OD-185) -------------------------------------------------------------


@frozen
class VpAtLeast:
    """The user has at least `n` VP."""

    n: int


@frozen
class VpAtMost:
    """The user has at most `n` VP."""

    n: int


@frozen
class TreeAtLeast:
    """The tree of the user's own field is at least so large; zone ANY: one of both fields is."""

    zone: Zone
    at_least: int


@frozen
class CountAtLeast:
    """At least so many cards match."""

    scope: Scope
    zone: Zone
    match: Match
    at_least: int


@frozen
class HandAtLeast:
    """The user holds at least `n` cards."""

    n: int


@frozen
class InHalf:
    """It is half 1 or half 2."""

    half: int


Condition: TypeAlias = VpAtLeast | VpAtMost | TreeAtLeast | CountAtLeast | HandAtLeast | InHalf


@frozen
class DiscardCost:
    """The user sends `n` matching cards of its own hand or fields to the discard (OD-68)."""

    zone: Zone  # HAND or FIELDS
    match: Match
    n: int


@frozen
class VpCost:
    """`n` VP are subtracted from the user's; it may go below zero (OD-68)."""

    n: int


Cost: TypeAlias = DiscardCost | VpCost


# --- picks and effect lines (OD-186, OD-187) ---------------------------------------------------


@frozen
class Pick:
    """A choice of cards. `n` None: any number. `upto`: fewer than `n` may be chosen."""

    whose: Whose
    zone: Zone
    match: Match = Match()
    n: int | None = 1
    upto: bool = False
    by: By = By.USER
    hand_at_least: int = 0  # only holders with so many hand cards choose; a public test


@frozen
class FieldPick:
    """A choice of one field (OD-200); zone FIELDS leaves song or dance to the user."""

    whose: Whose
    zone: Zone = Zone.FIELDS


@frozen
class PlaceTo:
    """Where placed cards go. zone None: red to song, black to dance (`match`)."""

    whose: Whose  # with OTHERS the seat is chosen for each card
    zone: Zone | None


class GainTo(enum.StrEnum):
    """Into whose hand a card is taken."""

    SELF = "self"
    LEFT = "left"  # the seat left of the card's holder
    HOLDER = "holder"  # the seat in whose zone it lies


class Mark(enum.StrEnum):
    """Duration marks (OD-173)."""

    FROZEN = "frozen"  # on a field: no card may enter
    SHELTERED = "sheltered"  # on a card: K may not name it


@frozen
class Discard:
    """Send cards to the discard piles, one batch. pick None: this card itself."""

    pick: Pick | None
    must: bool = False


@frozen
class Place:
    """Put cards onto fields that may take them."""

    pick: Pick
    to: PlaceTo
    must: bool = False


@frozen
class Take:
    """Take cards into a hand."""

    pick: Pick
    to: GainTo
    must: bool = False


@frozen
class Exchange:
    """Two field cards change places; `same_zone`: song with song or dance with dance."""

    a: Pick
    b: Pick
    same_zone: bool = False
    must: bool = False


@frozen
class Draw:
    """Draw `n` from a deck of the user, one by one."""

    deck: DeckName
    n: int
    must: bool = False


@frozen
class Show:
    """Turn up the top `n` cards of a deck of the user; what is left is shuffled back."""

    deck: DeckName
    n: int
    must: bool = False


@frozen
class Peek:
    """The user alone sees a hand."""

    whose: Whose
    must: bool = False


@frozen
class AddVp:
    """VP change at once."""

    n: int
    whose: Whose = Whose.SELF
    must: bool = False


@frozen
class SetFirst:
    """This character becomes its seat's first character (OD-61)."""

    must: bool = False


@frozen
class Cancel:
    """The answered card has no effect."""

    must: bool = False


@frozen
class Redirect:
    """This character is discarded in place of the one the answered K names (OD-107)."""

    must: bool = False


@frozen
class AddActions:
    """So many more actions this turn."""

    n: int
    must: bool = False


@frozen
class PutMark:
    """Put a duration mark on a field or on a card until the user's next turn begins."""

    pick: Pick | FieldPick
    mark: Mark
    must: bool = False


Op: TypeAlias = (
    Discard
    | Place
    | Take
    | Exchange
    | Draw
    | Show
    | Peek
    | AddVp
    | SetFirst
    | Cancel
    | Redirect
    | AddActions
    | PutMark
)


# --- cards (OD-181, OD-184) --------------------------------------------------------------------


class Timing(enum.StrEnum):
    """When a skill may be used (OD-69)."""

    ACTION = "action"
    EVENT = "event"
    SPECIAL_CARD = "special_card"
    SPECIAL = "special"


class AnswerTo(enum.StrEnum):
    """What a skill that is no action answers."""

    EVENT_DECLARED = "event_declared"
    K_DECLARED = "k_declared"
    CHARACTER_DISCARDED = "character_discarded"
    RESOURCE_DISCARDED = "resource_discarded"


class Limit(enum.StrEnum):
    """How long a used skill stays used; skills of the common sets have no limit."""

    TURN = "turn"
    HALF = "half"


@frozen
class Name:
    """A name for people; `roman` is a plain form for logs."""

    ja: str
    en: str
    roman: str | None = None

    @property
    def text(self) -> Text:
        """The name in both languages."""
        return Text(self.ja, self.en)


@frozen
class Skill:
    """A character's skill (特技), usable while the character lies on a field (OD-63).

    It is used at its timing and under its conditions only (OD-66); `conditions` must hold when it
    is declared, `cost` is paid before it is carried out (OD-67).
    """

    name: Name
    timing: Timing
    do: tuple[Op, ...]
    on: AnswerTo | None = None
    match: Match = Match()  # on K's target or on the card that triggers it
    conditions: tuple[Condition, ...] = ()
    cost: tuple[Cost, ...] = ()
    limit: Limit | None = None

    @property
    def is_free(self) -> bool:
        """Whether it may be used at any orderly moment (OD-109)."""
        return self.timing is Timing.SPECIAL and self.on is None


@frozen
class Play:
    """What an event does when it is used (OD-44)."""

    do: tuple[Op, ...]
    conditions: tuple[Condition, ...] = ()
    cost: tuple[Cost, ...] = ()


@frozen
class Character:
    """A character card (OD-5)."""

    id: CardId
    name: Name
    text: Text | None = None
    score: tuple[ScoreTerm, ...] = ()
    skill: Skill | None = None
    no: int | None = None

    @property
    def kind(self) -> Kind:
        """Always CHARACTER."""
        return Kind.CHARACTER


@frozen
class EventCard:
    """An event card (OD-7)."""

    id: CardId
    name: Name
    play: Play
    text: Text | None = None
    no: int | None = None

    @property
    def kind(self) -> Kind:
        """Always EVENT."""
        return Kind.EVENT


Card: TypeAlias = Character | EventCard


@frozen
class CardSet:
    """The cards of one file, in its order."""

    id: str
    cards: tuple[Card, ...]
