"""yumeochi as a game of the hall: the kernel's interface over the rounds of the clock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve, field, frozen

from kaguraden_rules.entropy import ENTROPY_BYTES
from kaguraden_rules.kernel import (
    Answer,
    BadDeck,
    CardId,
    Decision,
    Json,
    Outcome,
    Pace,
    Problem,
    SeatId,
    Shapes,
    Stale,
    Step,
    Text,
    Viewer,
    Wait,
    Window,
    choose,
    number_decisions,
)
from kaguraden_rules.yumeochi import setup
from kaguraden_rules.yumeochi.actions import answer as take_answer
from kaguraden_rules.yumeochi.card import CardSet
from kaguraden_rules.yumeochi.catalog import catalog
from kaguraden_rules.yumeochi.offers import decide
from kaguraden_rules.yumeochi.options import (
    Options,
    format_options,
    options_schema,
    parse_options,
)
from kaguraden_rules.yumeochi.sets import SETS
from kaguraden_rules.yumeochi.shapes import SHAPES
from kaguraden_rules.yumeochi.state import Over, Phase, Rematch, State, Turn
from kaguraden_rules.yumeochi.table import EVERYBODY, Table
from kaguraden_rules.yumeochi.turns import move_on
from kaguraden_rules.yumeochi.victory import answer_rematch, outcome_of
from kaguraden_rules.yumeochi.view import YumeochiView, look

__all__ = ["Yumeochi"]


@frozen
class Yumeochi:
    """The game with the card sets that are known by their ids."""

    sets: Mapping[str, CardSet] = field(default=SETS, repr=False)

    id: str = field(default="yumeochi", init=False)
    rules: str = field(default="1.0", init=False)
    name: Text = field(default=Text("夢ヲチ", "Yumeochi"), init=False)
    seats: tuple[int, int] = field(default=(4, 4), init=False)  # YU-1
    windows: tuple[Window, ...] = field(default=(), init=False)
    paces: tuple[Pace, ...] = field(default=(), init=False)  # all clocks are of the room options

    @property
    def shapes(self) -> Shapes:
        """How the game looks on the wire."""
        return SHAPES

    def options_schema(self) -> dict[str, Json]:
        """Return the JSON Schema of the room options (§16)."""
        return options_schema(self.sets)

    def parse_options(self, raw: Mapping[str, Json]) -> Options:
        """Return the room options; see `kernel.Game`."""
        return parse_options(raw, self.sets)

    def format_options(self, options: Options) -> dict[str, Json]:
        """Return the JSON object of the options."""
        return format_options(options)

    def check_deck(self, options: Options, deck: Sequence[CardId] | None) -> tuple[CardId, ...]:
        """Return no cards: the set of the room has them; see `kernel.Game`."""
        if deck is not None:
            raise BadDeck([Problem("$", "no deck; the card set of the room has the cards")])
        return ()

    def setup(
        self,
        options: Options,
        seats: int,
        decks: Sequence[tuple[CardId, ...]],
        entropy: bytes,
    ) -> Step[State]:
        """Deal a game; see `kernel.Game`.

        Raises:
            ValueError: Not four seats with one empty deck each, or entropy of another length.
        """
        least, most = self.seats
        if not least <= seats <= most or len(decks) != seats or len(entropy) != ENTROPY_BYTES:
            raise ValueError(f"{least} seats, one deck each, {ENTROPY_BYTES} bytes")
        return _settle(setup.deal(options, entropy))

    def begin(self, state: State) -> Step[State]:
        """Play a position written by hand on to its next question."""
        return _settle(Table.lay(state))

    def decisions(self, state: State) -> Mapping[SeatId, Decision]:
        """Return the open decisions."""
        return dict(state.decisions)

    def waits(self, state: State) -> tuple[Wait, ...]:
        """Return what the table waits for (YU-102, YU-103, YU-116, YU-141).

        The clock of a turn is the same when the seat is asked again, and stands still while its
        proposal is open.
        """
        options = state.options
        pending = tuple(seat for seat, _ in state.decisions)
        number = f"{state.phase.value}:{state.questions}"
        match state.phase:
            case Phase.OVER:
                return ()
            case Phase.TURN:
                return (_turn_wait(state),)
            case Phase.CONSENT:
                limit = options.clock_consent
                consent = _choice(number, pending, pending, limit, options.clock_absent)
                return (evolve(_turn_wait(state), held=True), consent)
            case Phase.REMATCH:
                asked = EVERYBODY
            case _:
                asked = pending
        return (_choice(number, asked, pending, options.clock_followup, options.clock_absent),)

    def act(self, state: State, seat: SeatId, answer: Answer) -> Step[State]:
        """Apply an answer; what is not listed is refused and changes nothing (YU-101)."""
        before = dict(state.decisions)
        if seat not in before and _has_lapsed(state, seat, answer.decision):
            raise Stale(answer.decision, ())
        option = choose(before, seat, answer)
        table = Table.lay(state)
        take_answer(table, state.phase, seat, option, by="player")
        del before[seat]
        return _settle(table, before)

    def expire(self, state: State, wait: str) -> Step[State]:
        """End a wait: who has not answered gets the default (YU-102)."""
        current = tuple(w.id for w in self.waits(state) if not w.held)
        if wait not in current:
            raise Stale(wait, current)
        table = Table.lay(state)
        if isinstance(state.stage, Rematch):
            answer_rematch(table, {seat: False for seat, _ in state.decisions})
        else:
            (seat, decision), *_ = state.decisions
            default = next(o for o in decision.options if o.id == decision.default)
            take_answer(table, state.phase, seat, default, by="clock")
        return _settle(table)

    def view(self, state: State, viewer: Viewer) -> YumeochiView:
        """Return what a viewer may know (YU-106 to YU-108)."""
        return look(state, viewer)

    def outcome(self, state: State) -> Outcome | None:
        """Return who has won when the match is over."""
        return outcome_of(state.stage.result) if isinstance(state.stage, Over) else None

    def is_quiet(self, state: State) -> bool:
        """Return False: talk is free and binds nobody (YU-17)."""
        return False

    def day_entropy(self, options: Options, key: bytes, date: str) -> None:
        """Return None: each room has its own cards."""

    def catalog(self, options: Options | None = None) -> dict[str, Json]:
        """Return the cards of a room's set in words, and the players' rulebook."""
        sets = tuple(self.sets.values())
        return catalog(sets[0] if options is None else options.cards, sets)


def _turn_wait(state: State) -> Wait:
    if not isinstance(state.stage, Turn):
        raise ValueError("it is nobody's turn")
    seat, options = state.stage.seat, state.options
    return Wait(
        f"turn:{state.game_no}:{state.hour}:{seat}",
        Pace.TURN,
        (seat,),
        (seat,),
        limit_s=options.clock_turn,
        absent_s=options.clock_absent,
    )


def _has_lapsed(state: State, seat: SeatId, decision: str) -> bool:
    """Tell whether a seat was asked this before, as an offer that is no longer open (YU-112)."""
    return decision in {f"{seat}.{number + 1}" for number in range(state.asked[seat])}


def _choice(
    number: str, seats: tuple[SeatId, ...], pending: tuple[SeatId, ...], limit: int, absent: int
) -> Wait:
    return Wait(number, Pace.CHOICE, seats, pending, limit_s=limit, absent_s=absent)


def _settle(table: Table, before: Mapping[SeatId, Decision] | None = None) -> Step[State]:
    """Play on to the next question and write down what is open then.

    Args:
        table: The position, after an answer or the end of a wait.
        before: The decisions that were open and were not answered.
    """
    move_on(table)
    fresh, table.asked = number_decisions(before or {}, decide(table), table.asked)
    return Step(table.state(fresh), tuple(table.events))
