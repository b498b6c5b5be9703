"""Random games of yumeochi: rooms, temperaments, and a player who takes any legal option.

One number gives one game, so a failing game is named by its number and can be played again.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from attrs import define, evolve, field, frozen
from kaguraden_rules.kernel import (
    Act,
    Answer,
    Decision,
    Event,
    Expire,
    Input,
    Option,
    SeatId,
    Step,
    Wait,
    apply,
)
from kaguraden_rules.yumeochi.card import CardSet
from kaguraden_rules.yumeochi.events import Dealt
from kaguraden_rules.yumeochi.game import Yumeochi
from kaguraden_rules.yumeochi.options import Options
from kaguraden_rules.yumeochi.reading import read_set
from kaguraden_rules.yumeochi.sets import SETS
from kaguraden_rules.yumeochi.state import State

from tests.properties.yumeochi_sets import random_set

__all__ = [
    "BASE",
    "MAX_STEPS",
    "SEATS",
    "WORKSHOP",
    "YUMEOCHI",
    "Player",
    "Room",
    "Taken",
    "play",
    "random_room",
]

SEATS: Final = tuple(SeatId(seat) for seat in range(4))
MAX_STEPS: Final = 4 * 12 * 12 * 10  # ten games of twelve hours, with room to spare
SETS_OF_TESTS: Final = Path(__file__).parents[1] / "rules" / "yumeochi_sets"


def _workshop() -> CardSet:
    file = SETS_OF_TESTS / "workshop.toml"
    checked = read_set(file.name, file.read_bytes())
    assert checked.cards is not None, checked.faults
    return checked.cards


BASE: Final = next(iter(SETS.values()))
WORKSHOP: Final = _workshop()  # a set that uses every word of the vocabulary
YUMEOCHI: Final = Yumeochi(MappingProxyType({**SETS, WORKSHOP.id: WORKSHOP}))


@frozen
class Room:
    """What a game is dealt from."""

    options: Options
    entropy: bytes
    lives: tuple[int, ...] = (5, 5, 5, 5)  # fewer than YU-6 gives, so that seats die more often

    def open(self) -> Step[State]:
        """Begin the game."""
        step = YUMEOCHI.setup(self.options, 4, ((),) * 4, self.entropy)
        worn = zip(step.state.seats, self.lives, strict=True)
        seats = tuple(evolve(seat, life=life) for seat, life in worn)
        events = [
            evolve(event, life=self.lives[event.seat]) if isinstance(event, Dealt) else event
            for event in step.events
        ]
        if seats == step.state.seats:
            return step
        state = YUMEOCHI.begin(evolve(step.state, seats=seats, decisions=())).state
        return Step(state, tuple(events))


@frozen
class Taken:
    """One step of a game: what went in and what came out; the first one has no input."""

    before: State | None
    input: Input | None
    state: State
    events: tuple[Event, ...]


def random_room(
    rng: random.Random, cards: CardSet | None = None, *, worn: float | None = None, **fixed: Any
) -> Room:
    """Return a room with random options; each is its default half the time.

    Args:
        rng: What decides.
        cards: The set, if it is to be a certain one.
        worn: How likely a seat begins with fewer chips than it should; by default sometimes.
        fixed: Options that are not random.
    """
    brink = worn is None and rng.random() < 0.2  # where all may die at once, or all but one
    worn = rng.choice((0.0, 0.0, 0.7, 1.0)) if worn is None else worn
    cards = cards or rng.choice((BASE, BASE, WORKSHOP, None)) or random_set(rng)
    game = YUMEOCHI if cards.id in YUMEOCHI.sets else Yumeochi({cards.id: cards})
    schema: Any = game.options_schema()["properties"]
    raw: dict[str, Any] = {"set": cards.id}
    extra = [role.id for role in cards.roles if not role.is_base]
    if extra and rng.random() < 0.5:
        raw["roles"] = rng.sample(extra, rng.randint(1, len(extra)))
    for name, spec in schema.items():
        if name in ("set", "roles") or rng.random() < 0.5:
            continue
        match spec:
            case {"enum": list(values)}:
                raw[name] = rng.choice(values)
            case {"type": "boolean"}:
                raw[name] = rng.random() < 0.5
            case {"minimum": int(least), "maximum": int(most)}:
                raw[name] = rng.randint(least, most)
    if brink:
        raw |= {"all_dead": "dream", "replay": rng.choice(("auto", "ask", "ask", "off"))}
        raw["last_survivor"] = rng.choice(("play_on", "wins"))
    options = game.parse_options(raw | fixed)
    if brink:
        return Room(options, rng.randbytes(32), (1, 1, 1, 1))
    lives = tuple(rng.choice((1, 1, 1, 2, 3)) if rng.random() < worn else 5 for _ in SEATS)
    return Room(options, rng.randbytes(32), lives)


# --- players -------------------------------------------------------------------------------------

# How much a kind of option may be liked; what is not named is liked as others are.
_LIKINGS: Final[Mapping[str, tuple[float, ...]]] = {
    "pass": (0.0, 0.1, 0.3, 1.0),
    "open": (0.3, 1.0, 6.0, 20.0),
    "exchange": (0.1, 0.3, 1.0, 4.0),
    "give": (0.0, 0.3, 1.0),
    "action": (0.1, 0.5, 3.0),
    "refuse": (0.2, 1.0),
    "yes": (1.0, 5.0, 20.0),
    "random": (0.2, 1.0),
}


@define
class Player:
    """Takes any option that is open, some kinds more often than others, or says nothing.

    Likings are drawn once a game: some seats open all they can, some fight, some sit idle.
    """

    rng: random.Random
    silence: float = 0.0  # how often it lets its time run out
    spite: float = 0.0  # how often it aims at the seat with the least life
    _likings: dict[str, float] = field(factory=dict, init=False)

    @classmethod
    def of(cls, rng: random.Random, warlike: bool = False) -> Player:
        """Return a new player; a warlike one opens, uses and aims whatever it can."""
        if warlike:
            player = cls(rng, spite=0.9)
            player._likings |= {"open": 6.0, "use": 6.0, "action": 6.0, "take": 0.3, "give": 0.3}
            return player
        return cls(
            rng,
            silence=rng.choice((0.0, 0.0, 0.0, 0.03, 0.2, 1.0 if rng.random() < 0.1 else 0.0)),
            spite=rng.choice((0.0, 0.0, 0.7)),
        )

    def liking(self, kind: str) -> float:
        """Return how much a kind of option is liked."""
        if kind not in self._likings:
            self._likings[kind] = self.rng.choice(_LIKINGS.get(kind, (0.3, 1.0, 1.0, 5.0)))
        return self._likings[kind]

    def choose(self, decision: Decision, lives: tuple[int, ...]) -> Option | None:
        """Return an option, None to say nothing."""
        if self.rng.random() < self.silence:
            return None
        by_kind: dict[str, list[Option]] = {}
        for option in decision.options:
            by_kind.setdefault(option.kind, []).append(option)
        weights = [self.liking(kind) for kind in by_kind]
        if not any(weights):
            weights = [1.0] * len(by_kind)
        options = by_kind[self.rng.choices(list(by_kind), weights)[0]]
        if self.rng.random() < self.spite:
            aimed = [o for o in options if "seat" in o.args]
            weak = min((lives[int(str(o.args["seat"]))] for o in aimed), default=0)
            options = [o for o in aimed if lives[int(str(o.args["seat"]))] == weak] or options
        return self.rng.choice(options)


def _wait_of(state: State, seat: SeatId) -> Wait:
    """Return the wait whose clock runs for a seat."""
    return next(w for w in YUMEOCHI.waits(state) if seat in w.pending and not w.held)


def lives(state: State) -> tuple[int, ...]:
    """Return the lives of the seats, as everybody sees them."""
    return tuple(seat.life for seat in YUMEOCHI.view(state, None).seats)


def play(room: Room, rng: random.Random) -> Iterator[Taken]:
    """Play a game to its end; what opens it comes first."""
    step = room.open()
    yield Taken(None, None, step.state, step.events)
    warlike = rng.random() < 0.3
    players = [Player.of(rng, warlike) for _ in SEATS]
    state = step.state
    for _ in range(MAX_STEPS):
        decisions = YUMEOCHI.decisions(state)
        if not decisions:
            assert YUMEOCHI.outcome(state) is not None, "nobody is asked and the game is not over"
            return
        seat = rng.choice(sorted(decisions))
        option = players[seat].choose(decisions[seat], lives(state))
        entry: Input
        if option is None:
            entry = Expire(_wait_of(state, seat).id)
        else:
            entry = Act(seat, Answer(decisions[seat].id, option.id))
        step = apply(YUMEOCHI, state, entry)
        yield Taken(state, entry, step.state, step.events)
        state = step.state
    raise AssertionError(f"no end after {MAX_STEPS} steps")
