"""A complete tiny game for tests of everything around the rules.

Ofuda: each seat holds the cards of its own deck, in secret. In turn a seat lays one or two of them
or rests; after each turn all the others answer a sealed window, blessing or passing. When every
seat has had its turns, one lantern is sold by open outcry. Cards, blessings and the lantern count
points. It has all that a room must deal with: a turn, a sealed window that lasts at least its
minimum, a race of bids, private cards, decks, options, and an end after a few answers. With the
option `faulty` a seat may also raise an error from within the rules.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from attrs import evolve, field, frozen
from kaguraden_rules.entropy import Entropy
from kaguraden_rules.kernel import (
    Answer,
    BadDeck,
    BadOptions,
    CardId,
    CardsValue,
    Decision,
    Event,
    IntValue,
    Json,
    Option,
    Outcome,
    Pace,
    Problem,
    Rank,
    SeatId,
    Shapes,
    Stale,
    Step,
    Text,
    View,
    Viewer,
    Wait,
    Window,
    choose,
    number_decisions,
    private,
)

__all__ = ["OFUDA", "Ofuda", "OfudaOptions", "State"]

CARDS = tuple(CardId(f"o{n}") for n in range(1, 10))
STARTER = CARDS[:4]
DECK_SIZE = 4
TOP_BID = 20


class Phase(enum.StrEnum):
    TURNS = "turns"
    WINDOW = "window"
    RACE = "race"
    OVER = "over"


@frozen
class OfudaOptions:
    turns: int = 1
    faulty: bool = False


@frozen
class CardsLaid(Event):
    kind: ClassVar[str] = "cards_laid"
    seat: SeatId
    cards: tuple[CardId, ...]


@frozen
class Rested(Event):
    kind: ClassVar[str] = "rested"
    seat: SeatId


@frozen
class Dealt(Event):
    kind: ClassVar[str] = "dealt"
    seat: SeatId
    count: int
    cards: tuple[CardId, ...] | None = private("seat")


@frozen
class WindowOpened(Event):
    kind: ClassVar[str] = "window_opened"
    seats: tuple[SeatId, ...]


@frozen
class WindowClosed(Event):
    kind: ClassVar[str] = "window_closed"
    blessed: tuple[SeatId, ...]


@frozen
class BidMade(Event):
    kind: ClassVar[str] = "bid_made"
    seat: SeatId
    bid: int


@frozen
class LanternSold(Event):
    kind: ClassVar[str] = "lantern_sold"
    seat: SeatId | None
    bid: int


@frozen
class State:
    phase: Phase
    options: OfudaOptions
    hands: tuple[tuple[CardId, ...], ...]
    fields: tuple[tuple[CardId, ...], ...]
    blessings: tuple[int, ...]
    turn: int  # turns taken
    answers: tuple[bool | None, ...]  # of the window: True blesses
    done: tuple[bool, ...]  # of the race
    leader: SeatId | None
    bid: int
    bids: int  # accepted so far
    stream: Entropy
    open: Mapping[SeatId, Decision] = field(factory=dict)
    asked: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        return len(self.hands)

    @property
    def mover(self) -> SeatId:
        return SeatId(self.turn % self.count)


@frozen
class SeatView:
    seat: SeatId
    cards: int
    field: tuple[CardId, ...]
    blessings: int


@frozen
class TableView:
    turn: int
    bid: int
    leader: SeatId | None = None


@frozen
class YouView:
    hand: tuple[CardId, ...]
    answered: bool | None = None
    done: bool | None = None


class Ofuda:
    """The game; it holds no state of its own."""

    id = "ofuda"
    rules = "1"
    name = Text("お札", "Ofuda")
    seats = (2, 4)
    paces = (Pace.TURN, Pace.CHOICE, Pace.WINDOW, Pace.AUCTION)
    windows = (Window("bless", Text("祝福", "Blessing"), Text("手番を祝うか", "Bless a turn?")),)
    shapes = Shapes(View, tuple(Phase), ("lantern_sold",), (), {})

    def options_schema(self) -> dict[str, Json]:
        return {
            "type": "object",
            "properties": {
                "turns": {"type": "integer", "minimum": 1, "maximum": 50, "default": 1},
                "faulty": {"type": "boolean", "default": False},
            },
            "additionalProperties": False,
        }

    def parse_options(self, raw: Mapping[str, Json]) -> OfudaOptions:
        problems = [
            Problem(f"$.{name}", "unknown option")
            for name in raw
            if name not in {"turns", "faulty"}
        ]
        turns, faulty = raw.get("turns", 1), raw.get("faulty", False)
        if not isinstance(turns, int) or isinstance(turns, bool) or not 1 <= turns <= 50:
            problems.append(Problem("$.turns", "expected an integer from 1 to 50"))
        if not isinstance(faulty, bool):
            problems.append(Problem("$.faulty", "expected true or false"))
        if problems:
            raise BadOptions(problems)
        assert isinstance(turns, int)
        assert isinstance(faulty, bool)
        return OfudaOptions(turns, faulty)

    def format_options(self, options: OfudaOptions) -> dict[str, Json]:
        return {"turns": options.turns, "faulty": options.faulty}

    def check_deck(
        self, options: OfudaOptions, deck: Sequence[CardId] | None
    ) -> tuple[CardId, ...]:
        if deck is None:
            return STARTER
        problems = [
            Problem(f"$.cards[{i}]", f"unknown card {card}")
            for i, card in enumerate(deck)
            if card not in CARDS
        ]
        if len(deck) != DECK_SIZE:
            problems.append(Problem("$.cards", f"expected {DECK_SIZE} cards, got {len(deck)}"))
        if len(set(deck)) != len(deck):
            problems.append(Problem("$.cards", "a card is there twice"))
        if problems:
            raise BadDeck(problems)
        return tuple(deck)

    def setup(
        self,
        options: OfudaOptions,
        seats: int,
        decks: Sequence[tuple[CardId, ...]],
        entropy: bytes,
    ) -> Step[State]:
        stream = Entropy(entropy)
        hands = []
        for deck in decks:
            hand, stream = stream.shuffle(deck)
            hands.append(hand)
        state = State(
            Phase.TURNS,
            options,
            tuple(hands),
            ((),) * seats,
            (0,) * seats,
            0,
            (None,) * seats,
            (False,) * seats,
            None,
            0,
            0,
            stream,
            asked=(0,) * seats,
        )
        dealt = tuple(Dealt(SeatId(s), len(h), cards=h) for s, h in enumerate(hands))
        return Step(self._ask(state), dealt)

    def decisions(self, state: State) -> Mapping[SeatId, Decision]:
        return state.open

    def waits(self, state: State) -> tuple[Wait, ...]:
        everybody = tuple(SeatId(s) for s in range(state.count))
        pending = tuple(state.open)
        match state.phase:
            case Phase.TURNS:
                return (Wait(f"turn:{state.turn}", Pace.TURN, (state.mover,), pending),)
            case Phase.WINDOW:
                others = tuple(s for s in everybody if s != state.mover)
                return (Wait(f"window:{state.turn}", Pace.WINDOW, others, pending, minimum=True),)
            case Phase.RACE:
                asked = tuple(s for s in everybody if s != state.leader)
                return (Wait(f"race:{state.bids}", Pace.AUCTION, asked, pending, minimum=True),)
            case Phase.OVER:
                return ()

    def act(self, state: State, seat: SeatId, answer: Answer) -> Step[State]:
        option = choose(state.open, seat, answer)
        remaining = {s: d for s, d in state.open.items() if s != seat}
        state = evolve(state, open=remaining)
        match option.kind:
            case "lay":
                assert isinstance(answer.value, tuple)
                return self._lay(state, seat, tuple(CardId(c) for c in answer.value))
            case "rest":
                return self._end_turn(state, (Rested(seat),))
            case "explode":
                raise ZeroDivisionError("the rules are at fault")
            case "bless" | "pass":
                answers = _put(state.answers, seat, option.kind == "bless")
                return Step(evolve(state, answers=answers), ())
            case "bid":
                assert isinstance(answer.value, int)
                raised = evolve(
                    state,
                    leader=seat,
                    bid=answer.value,
                    bids=state.bids + 1,
                    done=(False,) * state.count,
                )
                return Step(self._ask(raised), (BidMade(seat, answer.value),))
            case _:
                return Step(self._ask(evolve(state, done=_put(state.done, seat, True))), ())

    def expire(self, state: State, wait: str) -> Step[State]:
        (current,) = self.waits(state) or (None,)
        if current is None or current.id != wait:
            raise Stale(wait, () if current is None else (current.id,))
        match state.phase:
            case Phase.TURNS:
                return self._end_turn(state, (Rested(state.mover),))
            case Phase.WINDOW:
                return self._close_window(state)
            case _:
                sold = LanternSold(state.leader, state.bid)
                return Step(evolve(state, phase=Phase.OVER, open={}), (sold,))

    def view(self, state: State, viewer: Viewer) -> View:
        seats = tuple(
            SeatView(SeatId(s), len(hand), state.fields[s], state.blessings[s])
            for s, hand in enumerate(state.hands)
        )
        you = None
        if viewer is not None:
            answered = state.answers[viewer] if state.phase is Phase.WINDOW else None
            done = state.done[viewer] or None
            you = YouView(tuple(sorted(state.hands[viewer])), answered, done)
        waits = self.waits(state)
        return View(
            self.id,
            state.phase.value,
            seats,
            TableView(state.turn, state.bid, state.leader),
            waits[0].seats if waits else (),
            state.mover if state.phase in {Phase.TURNS, Phase.WINDOW} else None,
            you,
            self.outcome(state),
        )

    def is_quiet(self, state: State) -> bool:
        return False

    def day_entropy(self, options: OfudaOptions, key: bytes, date: str) -> None:
        return None

    def outcome(self, state: State) -> Outcome | None:
        if state.phase is not Phase.OVER:
            return None
        scores = [
            len(state.fields[s]) + state.blessings[s] + (5 if s == state.leader else 0)
            for s in range(state.count)
        ]
        ranking = sorted(
            (Rank(SeatId(s), 1 + sum(o > x for o in scores), x) for s, x in enumerate(scores)),
            key=lambda rank: (rank.rank, rank.seat),
        )
        return Outcome(tuple(ranking), "lantern_sold")

    def catalog(self, options: OfudaOptions | None = None) -> dict[str, Json]:
        cards: dict[str, Json] = {
            card: {"name": {"ja": f"札{card[1:]}", "en": f"Ofuda {card[1:]}"}} for card in CARDS
        }
        return {"version": "1", "packs": ["ofuda"], "cards": cards}

    # --- the steps ---------------------------------------------------------------------------

    def _lay(self, state: State, seat: SeatId, cards: tuple[CardId, ...]) -> Step[State]:
        hand = tuple(c for c in state.hands[seat] if c not in cards)
        state = evolve(
            state,
            hands=_put(state.hands, seat, hand),
            fields=_put(state.fields, seat, state.fields[seat] + cards),
        )
        return self._end_turn(state, (CardsLaid(seat, cards),))

    def _end_turn(self, state: State, events: tuple[Event, ...]) -> Step[State]:
        opened = evolve(state, phase=Phase.WINDOW, answers=(None,) * state.count, open={})
        others = tuple(SeatId(s) for s in range(state.count) if s != state.mover)
        return Step(self._ask(opened), (*events, WindowOpened(others)))

    def _close_window(self, state: State) -> Step[State]:
        blessed = tuple(SeatId(s) for s, answer in enumerate(state.answers) if answer)
        blessings = _put(state.blessings, state.mover, state.blessings[state.mover] + len(blessed))
        turn = state.turn + 1
        phase = Phase.TURNS if turn < state.options.turns * state.count else Phase.RACE
        after = evolve(state, phase=phase, blessings=blessings, turn=turn, open={})
        return Step(self._ask(after), (WindowClosed(blessed),))

    def _ask(self, state: State) -> State:
        fresh: dict[SeatId, Decision] = {}
        for s in range(state.count):
            decision = self._decision(state, SeatId(s))
            if decision is not None:
                fresh[SeatId(s)] = decision
        numbered, asked = number_decisions(state.open, fresh, state.asked)
        return evolve(state, open=numbered, asked=asked)

    def _decision(self, state: State, seat: SeatId) -> Decision | None:
        match state.phase:
            case Phase.TURNS if seat == state.mover:
                hand = state.hands[seat]
                options = [Option("rest", "rest")]
                if hand:
                    cards = CardsValue(tuple(sorted(hand)), 1, min(2, len(hand)))
                    options.insert(0, Option("lay", "lay", value=cards))
                if state.options.faulty:
                    options.append(Option("explode", "explode"))
                return Decision("", "turn", tuple(options), "rest")
            case Phase.WINDOW if seat != state.mover and state.answers[seat] is None:
                both = (Option("pass", "pass"), Option("bless", "bless"))
                prompt = Text("祝いますか", "Bless this turn?")
                return Decision("", "bless", both, "pass", sealed=True, prompt=prompt)
            case Phase.RACE if seat != state.leader and not state.done[seat]:
                bids = IntValue(state.bid + 1, TOP_BID)
                options = [Option("done", "done")]
                if state.bid < TOP_BID:
                    options.insert(0, Option("bid", "bid", {"least": state.bid + 1}, bids))
                return Decision("", "race", tuple(options), "done")
            case _:
                return None


def _put(values: tuple[Any, ...], seat: SeatId, value: object) -> tuple[Any, ...]:
    return (*values[:seat], value, *values[seat + 1 :])


OFUDA = Ofuda()
