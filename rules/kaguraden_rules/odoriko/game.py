"""odoriko as a game of the hall: the kernel's interface over the machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve, field, frozen

from kaguraden_rules.entropy import ENTROPY_BYTES, Entropy
from kaguraden_rules.kernel import (
    Answer,
    CardId,
    Decision,
    Json,
    Outcome,
    Pace,
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
from kaguraden_rules.odoriko import setup
from kaguraden_rules.odoriko.activity import NOTHING
from kaguraden_rules.odoriko.card import Card, CardSet
from kaguraden_rules.odoriko.catalog import catalog
from kaguraden_rules.odoriko.machine import activity_of, asked_by, move_on
from kaguraden_rules.odoriko.options import (
    Options,
    format_options,
    options_schema,
    parse_options,
)
from kaguraden_rules.odoriko.packs import builtin_sets, merge_sets
from kaguraden_rules.odoriko.shapes import SHAPES
from kaguraden_rules.odoriko.state import Over, State
from kaguraden_rules.odoriko.table import Table
from kaguraden_rules.odoriko.view import OdorikoView, look

__all__ = ["Odoriko"]

WINDOWS = (
    Window(
        "event",
        Text("イベントへの応答", "An event is played"),
        Text(
            "イベントカードが使われた時、特技で応じるかどうか。",
            "Whether to answer an event card with a skill when one is played.",
        ),
    ),
    Window(
        "k",
        Text("Kへの応答", "A king is played"),
        Text(
            "Kが使われた時、Qか特技で応じるかどうか。",
            "Whether to answer a king with a queen or a skill when one is played.",
        ),
    ),
    Window(
        "trigger",
        Text("捨て札への特技", "Cards are discarded"),
        Text(
            "カードが捨て札に送られた時、それに応じる特技を使うかどうか。",
            "Whether to use a skill that reacts to discarded cards.",
        ),
    ),
    Window(
        "j",
        Text("資源カードの捨て札", "Resource cards are discarded"),
        Text(
            "資源カードが捨てられた時、Jで取るかどうか。",
            "Whether to take a resource card with a jack when some are discarded.",
        ),
    ),
    Window(
        "a",
        Text("売れ残り", "Your lot is unsold"),
        Text(
            "自分の売りが売れ残った時、Aで手札に戻すかどうか。",
            "Whether to recover your own unsold lot with an ace.",
        ),
    ),
    Window(
        "free",
        Text("いつでも使える特技", "Skills for any time"),
        Text(
            "行動が終わるたびに、いつでも使える特技を使うかどうか。",
            "Whether to use a skill for any time when an action has ended.",
        ),
        passes=True,
    ),
)


@frozen
class Odoriko:
    """The game with the card sets that it is played with."""

    sets: tuple[CardSet, ...] = field(factory=builtin_sets, repr=False)
    cards: Mapping[CardId, Card] = field(init=False, eq=False, repr=False)

    id: str = field(default="odoriko", init=False)
    rules: str = field(default="1.0", init=False)
    name: Text = field(default=Text("踊り子", "Odoriko"), init=False)
    seats: tuple[int, int] = field(default=(2, 6), init=False)  # OD-1
    windows: tuple[Window, ...] = field(default=WINDOWS, init=False, repr=False)
    paces: tuple[Pace, ...] = field(
        default=(Pace.TURN, Pace.CHOICE, Pace.WINDOW, Pace.AUCTION), init=False, repr=False
    )

    @cards.default
    def _cards_of_the_sets(self) -> Mapping[CardId, Card]:
        return merge_sets(self.sets)

    @property
    def shapes(self) -> Shapes:
        """How the game looks on the wire."""
        return SHAPES

    def options_schema(self) -> dict[str, Json]:
        """Return the JSON Schema of the room options (OD-174)."""
        return options_schema()

    def parse_options(self, raw: Mapping[str, Json]) -> Options:
        """Return the room options; see `kernel.Game`."""
        options = parse_options(raw)
        setup.check_options(options, self.cards)
        return options

    def format_options(self, options: Options) -> dict[str, Json]:
        """Return the JSON object of the options."""
        return format_options(options)

    def check_deck(self, options: Options, deck: Sequence[CardId] | None) -> tuple[CardId, ...]:
        """Return the deck that a seat plays; see `kernel.Game`."""
        return setup.check_deck(options, self.cards, deck)

    def setup(
        self,
        options: Options,
        seats: int,
        decks: Sequence[tuple[CardId, ...]],
        entropy: bytes,
    ) -> Step[State]:
        """Deal a game; see `kernel.Game`.

        Raises:
            ValueError: Not 2 to 6 seats with one deck each, or entropy of another length.
        """
        least, most = self.seats
        if not least <= seats <= most or len(decks) != seats or len(entropy) != ENTROPY_BYTES:
            raise ValueError(f"{least} to {most} seats, one deck each, {ENTROPY_BYTES} bytes")
        table = setup.deal(options, self.sets, decks, Entropy(entropy))
        return self._settle(table, asked=(0,) * seats)

    def begin(self, state: State) -> Step[State]:
        """Play a position written by hand on to its next question."""
        asked = state.asked or (0,) * len(state.seats)
        return self._settle(Table.lay(state, self.cards), asked=asked)

    def decisions(self, state: State) -> Mapping[SeatId, Decision]:
        """Return the open decisions."""
        return dict(state.decisions)

    def waits(self, state: State) -> tuple[Wait, ...]:
        """Return what the table waits for: one thing at a time, nothing when the game is over."""
        asked = asked_by(state.top)
        if asked is None:
            return ()
        number, question = asked
        return (
            Wait(f"w{number}", question.pace, question.seats, question.pending, question.minimum),
        )

    def act(self, state: State, seat: SeatId, answer: Answer) -> Step[State]:
        """Apply an answer; what is not listed is refused (OD-176) and changes nothing."""
        before = dict(state.decisions)
        option = choose(before, seat, answer)
        table = Table.lay(state, self.cards)
        top = table.top
        activity_of(top).answer(table, top, seat, option, answer.value)
        if table.top is top and not table.events:
            return Step(state, ())  # it said what was said before, such as a second lock
        del before[seat]
        return self._settle(table, state.asked, before, wait=state.waits)

    def expire(self, state: State, wait: str) -> Step[State]:
        """End a wait: who has not answered gets the default (OD-112)."""
        current = tuple(w.id for w in self.waits(state))
        if wait not in current:
            raise Stale(wait, current)
        table = Table.lay(state, self.cards)
        activity_of(table.top).expire(table, table.top)
        return self._settle(table, state.asked)

    def view(self, state: State, viewer: Viewer) -> OdorikoView:
        """Return what a viewer may know (OD-178)."""
        return look(state, viewer)

    def outcome(self, state: State) -> Outcome | None:
        """Return the ranking when the game is over."""
        return state.stage.outcome if isinstance(state.stage, Over) else None

    def is_quiet(self, state: State) -> bool:
        """Return False: the players talk as they like."""
        return False

    def day_entropy(self, options: Options, key: bytes, date: str) -> None:
        """Return None: each room has its own cards."""

    def catalog(self, options: Options | None = None) -> dict[str, Json]:
        """Return the cards of the game, or of a room, in words, and the players' rulebook."""
        options = options or Options()
        cards = setup.playable(options, self.cards)
        return catalog(cards, setup.sets_in_play(options, self.sets))

    def _settle(
        self,
        table: Table,
        asked: tuple[int, ...],
        before: Mapping[SeatId, Decision] | None = None,
        wait: int | None = None,
    ) -> Step[State]:
        """Play on to the next question and write down what is open then.

        A sealed answer changes nothing for the others, so their decisions are not made anew.

        Args:
            table: The position, after an answer or the end of a wait.
            asked: How many decisions each seat has had.
            before: The decisions that were open and were not answered.
            wait: The number of the question that they belong to.
        """
        before = before or {}
        move_on(table)
        open_now: Mapping[SeatId, Decision] = {}
        top = table.top
        found = asked_by(top)
        if found is not None:
            number, question = found
            if question.sealed and number == wait:
                open_now = {seat: before[seat] for seat in question.deciding}
            else:
                decide = activity_of(top).decide
                offers = ((seat, decide(table, top, seat)) for seat in question.deciding)
                fresh = {seat: decision for seat, decision in offers if decision != NOTHING}
                open_now, asked = number_decisions(before, fresh, asked)
        decisions = tuple((seat, open_now[seat]) for seat in sorted(open_now))
        state = evolve(table.state(), asked=asked, decisions=decisions)
        return Step(state, tuple(table.events))
