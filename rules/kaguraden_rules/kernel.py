"""What every game is: a pure machine over plain values.

A game in play is a state value. It moves in two ways only: a seat answers a *decision* that is
open to it (`Game.act`), or a *wait* ends (`Game.expire`), because its time is up or because every
answer it waited for is in. Both return a `Step`, the new state and the events that led to it, or
raise a `RuleError` and change nothing. There is no clock, no I/O and no randomness but the stream
in the state (`entropy`), so the same options, decks, entropy and inputs give the same game
anywhere.

Decisions are the only way in: each lists every option that it would accept, and an answer that is
not among them is refused. A decision's id changes whenever its options change and never repeats,
so that an answer to what is no longer open is refused as `Stale` and never misapplied.

A wait is what a table waits for in public: a turn, a window, an auction. Which seats it asks is
public; which of them have answered is not, unless the rules say so. Some waits may not end before
a minimum time, so that a quick end tells nothing; the kernel leaves such a wait open when all the
answers are in, and whoever keeps the clock ends it with `expire`.

Hiding is part of writing: a field of an event is private where it is defined (`private`), and
`redact` drops it for everybody else. Views are built field by field for one viewer.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Final,
    Generic,
    NewType,
    Protocol,
    TypeAlias,
    TypeVar,
)

import attrs
from attrs import field, frozen

from kaguraden_rules.wire import Ordinal

__all__ = [
    "AUDIENCE",
    "Act",
    "Answer",
    "BadDeck",
    "BadOptions",
    "BadValue",
    "CardId",
    "CardsValue",
    "Decision",
    "Event",
    "Expire",
    "Game",
    "Games",
    "IllegalOption",
    "Input",
    "IntValue",
    "Json",
    "NotYourDecision",
    "Option",
    "OptionShape",
    "OrderValue",
    "Outcome",
    "Pace",
    "Problem",
    "Rank",
    "RuleError",
    "SeatId",
    "Shapes",
    "Stale",
    "Step",
    "Text",
    "Value",
    "ValueSpec",
    "View",
    "Viewer",
    "Wait",
    "Window",
    "apply",
    "choose",
    "describe",
    "number_decisions",
    "private",
    "redact",
    "replay",
]

if TYPE_CHECKING:
    Json: TypeAlias = "bool | int | str | list[Json] | dict[str, Json] | None"
else:
    Json = Any  # all that is known at run time: plain JSON
SeatId = NewType("SeatId", int)  # 0..n-1, fixed for the room; not the place in the turn order
CardId = NewType("CardId", str)  # a card's face: "9D", "QH", "cc001"
Viewer: TypeAlias = SeatId | None  # None is a spectator


@frozen
class Text:
    """A short text for people, in both languages."""

    ja: str
    en: str


# --- decisions and answers -------------------------------------------------------------------


@frozen
class IntValue:
    """The option takes a whole number, `min` to `max` inclusive."""

    min: int
    max: int


@frozen
class CardsValue:
    """The option takes `min` to `max` different entries of `among`, in any order."""

    among: tuple[str, ...]
    min: int
    max: int


@frozen
class OrderValue:
    """The option takes all of `of`, in an order."""

    of: tuple[str, ...]


ValueSpec: TypeAlias = IntValue | CardsValue | OrderValue
Value: TypeAlias = int | tuple[str, ...] | None


@frozen
class Option:
    """One thing that a seat may answer. `id` is unique within its decision."""

    id: str
    kind: str
    args: Mapping[str, Json] = field(factory=dict)
    value: ValueSpec | None = None


@frozen
class Decision:
    """What one seat is asked, with every answer it may give.

    `default` is the id of the option that is taken when the time is up; where that option has a
    value, the game picks it. `leaving` is the one taken when the seat is given up for good; None
    leaves the seat to its defaults. The answer to a `sealed` decision is told to nobody until the
    rules show it.
    """

    id: str
    kind: str
    options: tuple[Option, ...]
    default: str
    sealed: bool = False
    prompt: Text | None = None
    leaving: str | None = None


@frozen
class Answer:
    """A seat's answer: a decision, one of its options and, where that has one, a value."""

    decision: str
    option: str
    value: Value = None


class Pace(enum.StrEnum):
    """How long a wait is meant to last; the server keeps a time for each."""

    TURN = "turn"  # one seat thinks about its turn; its bank is used
    CHOICE = "choice"  # a choice on the way, by one seat or by several at once
    WINDOW = "window"  # a reaction window
    AUCTION = "auction"  # open outcry; every accepted bid starts it anew
    GAME = "game"  # the whole game, above turns with clocks of their own (EN-127)
    DAY = "day"  # until the day's challenge is over, whenever the game began (EN-89)


@frozen
class Wait:
    """What the table waits for.

    `id` changes when the clock is to start anew. `seats` are asked in public; `pending`, those
    still to answer, is for the keeper of the clock alone. With `minimum` the wait may not end
    before the room's minimum time, even when nobody is pending. `limit_s` is set where the game's
    own options say how many seconds the wait lasts; 0 is for ever. The clock of a `private` wait
    is for the seats that are asked alone, as there is nothing that the others wait for.

    The clock of a `held` wait stands still, as while another decision of the same turn is open
    (YU-102), and goes on from there when the wait is no longer held. With `absent_s`, a wait whose
    pending seats are all away lasts that many seconds at most (YU-103). Both may depend on what is
    public alone.
    """

    id: str
    pace: Pace
    seats: tuple[SeatId, ...]
    pending: tuple[SeatId, ...]
    minimum: bool = False
    limit_s: int | None = None
    private: bool = False
    held: bool = False
    absent_s: int | None = None


@frozen
class Window:
    """A kind of decision that a seat may answer beforehand with a standing pass."""

    kind: str  # the `Decision.kind` it stands for; its pass is the decision's default
    name: Text
    text: Text  # what it means, in a sentence
    passes: bool = False  # whether a seat that said nothing passes


# --- events ----------------------------------------------------------------------------------


def private(*owners: str) -> Any:  # noqa: ANN401 - attrs fields are typed by their annotation
    """Define an event's field that only the seats in the fields `owners` may see.

    Each owner names another field of the event that holds a seat, a tuple of seats or None.
    """
    return field(default=None, kw_only=True, metadata={"owners": owners})


# Metadata of an event's field that says who is told of it at all: a tuple of viewers, or None for
# everybody. A viewer who is not in the audience does not learn that anything happened.
AUDIENCE: Final[Mapping[str, bool]] = MappingProxyType({"audience": True})


@frozen
class Event:
    """Something that happened. `kind` is its name on the wire."""

    kind: ClassVar[str] = "event"


E = TypeVar("E", bound=Event)


def redact(event: E, viewer: Viewer) -> E | None:
    """Return the event as `viewer` may see it, None if it may not know of it.

    Private fields of others are None, and so is the audience.
    """
    hidden: dict[str, None] = {}
    for attribute in attrs.fields(type(event)):
        owners: Iterable[str] | None = attribute.metadata.get("owners")
        if owners is not None and not any(_holds(getattr(event, o), viewer) for o in owners):
            hidden[attribute.name] = None
        elif AUDIENCE.items() <= attribute.metadata.items():
            told: tuple[Viewer, ...] | None = getattr(event, attribute.name)
            if told is not None and viewer not in told:
                return None
            hidden[attribute.name] = None
    return attrs.evolve(event, **hidden) if hidden else event


def _holds(owner: object, viewer: Viewer) -> bool:
    if viewer is None:
        return False
    return viewer in owner if isinstance(owner, tuple) else owner == viewer


# --- views and outcomes ------------------------------------------------------------------------


@frozen
class Rank:
    """A seat's place at the end; equal scores share a rank."""

    seat: SeatId
    rank: Ordinal
    score: int


@frozen
class Outcome:
    """How a game ended: the best first."""

    ranking: tuple[Rank, ...]
    reason: str


@frozen
class View:
    """What one viewer may know, and nothing else. Games narrow the types of the parts.

    Fields that are None are left out on the wire.
    """

    game: str
    phase: str
    seats: tuple[Any, ...]  # public, one a seat, each with its `seat`
    table: Any  # public
    asked: tuple[SeatId, ...]  # the seats that the game publicly waits for
    turn: SeatId | None = None
    you: Any = None  # private to the viewing seat
    outcome: Outcome | None = None


# --- shapes --------------------------------------------------------------------------------------


@frozen
class OptionShape:
    """The `args` of a kind of option: its fields, of which those that are None are left out.

    `values` are the specs of the value that it may come with; None says that it may come without.
    """

    kind: ClassVar[str]
    values: ClassVar[tuple[type[ValueSpec] | None, ...]] = (None,)


@frozen
class Shapes:
    """How a game looks on the wire. The published schema is made of it, and nothing else.

    `phases` are the words of `View.phase`, `reasons` those of `Outcome.reason`, and `decisions` has
    the kinds of option of each kind of decision.
    """

    view: type[View]
    phases: tuple[str, ...]
    reasons: tuple[str, ...]
    events: tuple[type[Event], ...]
    decisions: Mapping[str, tuple[type[OptionShape], ...]]
    rank: type[Rank] = Rank  # of the outcome's ranking


S = TypeVar("S")


@frozen
class Step(Generic[S]):
    """A new state and what happened on the way to it, in order."""

    state: S
    events: tuple[Event, ...]


# --- refusals ----------------------------------------------------------------------------------


@frozen
class Problem:
    """One fault in options or in a deck: where (`$.cards[3]`), and what would be right."""

    path: str
    problem: str


class RuleError(Exception):
    """The rules refuse this; the state is as before. `code` is the one on the wire."""

    code: ClassVar[str] = "internal"


class NotYourDecision(RuleError):
    """No decision is open for this seat."""

    code = "not_your_decision"


class Stale(RuleError):
    """The decision answered is not the one open for this seat. `current` are the open ids."""

    code = "stale"

    def __init__(self, decision: str, current: tuple[str, ...]) -> None:
        super().__init__(f"decision {decision} is not open; open: {', '.join(current)}")
        self.current = current


class IllegalOption(RuleError):
    """The decision does not list this option."""

    code = "illegal_option"


class BadValue(RuleError):
    """The option's value is missing, not wanted, or outside what it lists."""

    code = "bad_value"


class BadOptions(RuleError):
    """Room options that the game does not take."""

    code = "bad_options"

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(f"{p.path}: {p.problem}" for p in problems))
        self.problems = tuple(problems)


class BadDeck(RuleError):
    """A deck that the room's options do not allow."""

    code = "bad_deck"

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(f"{p.path}: {p.problem}" for p in problems))
        self.problems = tuple(problems)


# --- the game interface ------------------------------------------------------------------------

O = TypeVar("O")  # noqa: E741 - options, as S is the state


class Game(Protocol[S, O]):
    """A game: state `S`, room options `O`. All methods are pure."""

    @property
    def id(self) -> str:
        """The name on the wire, such as `odoriko`."""

    @property
    def rules(self) -> str:
        """The version of the rules; a game is replayed under the one it was played by."""

    @property
    def name(self) -> Text:
        """The name for people."""

    @property
    def seats(self) -> tuple[int, int]:
        """The least and the most seats."""

    @property
    def windows(self) -> tuple[Window, ...]:
        """The kinds of decision that take a standing pass."""

    @property
    def paces(self) -> tuple[Pace, ...]:
        """The paces whose times the room sets; a game with clocks of its own leaves them out."""

    @property
    def shapes(self) -> Shapes:
        """How views, events and decisions look on the wire."""

    def options_schema(self) -> dict[str, Json]:
        """Return a JSON Schema object: `properties` with defaults, one for each room option."""

    def parse_options(self, raw: Mapping[str, Json]) -> O:
        """Return the room options of a JSON object; what is left out takes its default.

        Raises:
            BadOptions: With every problem found.
        """

    def format_options(self, options: O) -> dict[str, Json]:
        """Return the JSON object of the options, defaults included."""

    def check_deck(self, options: O, deck: Sequence[CardId] | None) -> tuple[CardId, ...]:
        """Return the deck that a seat plays; None asks for the starter deck.

        Raises:
            BadDeck: With one problem a fault. Also where the game takes no deck.
        """

    def setup(
        self, options: O, seats: int, decks: Sequence[tuple[CardId, ...]], entropy: bytes
    ) -> Step[S]:
        """Deal a game. `decks` holds one checked deck a seat, `entropy` is 32 bytes."""

    def decisions(self, state: S) -> Mapping[SeatId, Decision]:
        """Return the open decision of each seat that has one."""

    def waits(self, state: S) -> tuple[Wait, ...]:
        """Return what the table waits for; empty when the game is over."""

    def act(self, state: S, seat: SeatId, answer: Answer) -> Step[S]:
        """Apply a seat's answer.

        Raises:
            NotYourDecision, Stale, IllegalOption, BadValue: The state is as before.
        """

    def expire(self, state: S, wait: str) -> Step[S]:
        """End a wait: every seat still pending gets its default.

        Raises:
            Stale: The wait is over.
        """

    def view(self, state: S, viewer: Viewer) -> View:
        """Return what `viewer` may know."""

    def outcome(self, state: S) -> Outcome | None:
        """Return how the game ended, or None while it goes on."""

    def is_quiet(self, state: S) -> bool:
        """Tell whether the players are not to talk to each other now (EN-85)."""

    def day_entropy(self, options: O, key: bytes, date: str) -> bytes | None:
        """Return the entropy that these options fix for a day; None where each room has its own.

        Args:
            options: The room's.
            key: The server's secret for its days, 32 bytes.
            date: The day, `YYYY-MM-DD`.
        """

    def catalog(self, options: O | None = None) -> dict[str, Json]:
        """Return `{version, packs, cards}`: names and texts of all cards, as on the wire.

        A game that has a rulebook for players adds `rulebook`: `{ja, en}`, each in Markdown.
        """


# --- what all games share ------------------------------------------------------------------------


def choose(decisions: Mapping[SeatId, Decision], seat: SeatId, answer: Answer) -> Option:
    """Return the option that a seat's answer takes. An answer is accepted if it is listed.

    Raises:
        NotYourDecision: The seat has no open decision.
        Stale: Its open decision is another one.
        IllegalOption: The decision has no such option.
        BadValue: The value does not fit the option.
    """
    decision = decisions.get(seat)
    if decision is None:
        raise NotYourDecision(f"seat {seat} has nothing to decide now")
    if decision.id != answer.decision:
        raise Stale(answer.decision, (decision.id,))
    option = next((o for o in decision.options if o.id == answer.option), None)
    if option is None:
        raise IllegalOption(f"decision {decision.id} has no option {answer.option!r}")
    _check_value(option, answer.value)
    return option


def _check_value(option: Option, value: Value) -> None:
    spec = option.value
    match spec, value:
        case None, None:
            return
        case IntValue(), int() if not isinstance(value, bool) and spec.min <= value <= spec.max:
            return
        case CardsValue(), tuple() if (
            spec.min <= len(value) <= spec.max
            and len(set(value)) == len(value)
            and set(value) <= set(spec.among)
        ):
            return
        case OrderValue(), tuple() if sorted(value) == sorted(spec.of):
            return
        case _:
            raise BadValue(f"option {option.id} takes {describe(spec)}")


def describe(spec: ValueSpec | None) -> str:
    """Say in English what value an option takes."""
    match spec:
        case None:
            return "no value"
        case IntValue():
            return f"a whole number from {spec.min} to {spec.max}"
        case CardsValue():
            return f"a list of {spec.min} to {spec.max} different entries of {list(spec.among)}"
        case OrderValue():
            return f"a list of all of {list(spec.of)} in an order"


def number_decisions(
    before: Mapping[SeatId, Decision],
    fresh: Mapping[SeatId, Decision],
    asked: tuple[int, ...],
) -> tuple[dict[SeatId, Decision], tuple[int, ...]]:
    """Give the decisions of a new position their ids.

    A decision that is still open and offers just what it did keeps its id; any other gets the
    seat's next number. Numbers count what that seat alone was asked, so an id tells nothing about
    the other seats.

    Args:
        before: The decisions that were open, without those answered or ended since.
        fresh: The decisions that are open now; their ids are ignored.
        asked: One count a seat of the decisions it has been asked so far.

    Returns:
        The decisions with ids such as `2.17` (seat, number), and the new counts.
    """
    counts = list(asked)
    numbered: dict[SeatId, Decision] = {}
    for seat, decision in fresh.items():
        old = before.get(seat)
        if old is not None and attrs.evolve(decision, id=old.id) == old:
            numbered[seat] = old
            continue
        counts[seat] += 1
        numbered[seat] = attrs.evolve(decision, id=f"{seat}.{counts[seat]}")
    return numbered, tuple(counts)


@frozen
class Act:
    """An input of a game's journal: a seat's accepted answer."""

    seat: SeatId
    answer: Answer


@frozen
class Expire:
    """An input of a game's journal: a wait that ended."""

    wait: str


Input: TypeAlias = Act | Expire
Games: TypeAlias = Mapping[str, Game[Any, Any]]  # by their ids


def apply(game: Game[S, O], state: S, entry: Input) -> Step[S]:
    """Return the step that an input makes.

    Raises:
        RuleError: The input does not fit the position.
    """
    match entry:
        case Act(seat, answer):
            return game.act(state, seat, answer)
        case Expire(wait):
            return game.expire(state, wait)


def replay(
    game: Game[S, O],
    options: O,
    decks: Sequence[tuple[CardId, ...]],
    entropy: bytes,
    inputs: Iterable[Input],
) -> S:
    """Play a journal again and return the position it ends in.

    Raises:
        RuleError: An input does not fit; the journal is of other rules or was altered.
    """
    state = game.setup(options, len(decks), decks, entropy).state
    for entry in inputs:
        state = apply(game, state, entry).state
    return state
