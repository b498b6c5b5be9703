"""Random games of odoriko: rooms, decks, temperaments, and a player who takes any legal option.

One number gives one game, so a failing game is named by its number and can be played again.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field, frozen
from kaguraden_rules.kernel import (
    Act,
    Answer,
    CardId,
    CardsValue,
    Decision,
    Event,
    Expire,
    Input,
    IntValue,
    Option,
    OrderValue,
    SeatId,
    Value,
    Wait,
    apply,
)
from kaguraden_rules.odoriko.card import Kind
from kaguraden_rules.odoriko.decks import DeckLimits, room_cards, starter_deck
from kaguraden_rules.odoriko.game import Odoriko
from kaguraden_rules.odoriko.options import Options
from kaguraden_rules.odoriko.state import State

__all__ = ["MAX_STEPS", "ODORIKO", "Player", "Room", "Taken", "play", "random_room", "sample_value"]

ODORIKO = Odoriko()
MAX_STEPS = 100_000  # a game that is not over by then does not end


@frozen
class Room:
    """What a game is dealt from."""

    options: Options
    decks: tuple[tuple[CardId, ...], ...]
    entropy: bytes
    game: Odoriko = ODORIKO


@frozen
class Taken:
    """One step of a game: what went in and what came out."""

    before: State
    input: Input
    state: State
    events: tuple[Event, ...]


def random_room(
    rng: random.Random, seats: int | None = None, game: Odoriko = ODORIKO, **fixed: Any
) -> Room:
    """Return a room with random options and decks; each option is its default half the time."""
    schema = game.options_schema()["properties"]
    assert isinstance(schema, dict)
    raw: dict[str, Any] = {}
    for name, spec in schema.items():
        assert isinstance(spec, dict)
        if rng.random() < 0.5:
            continue
        match spec:
            case {"enum": list(values)}:
                raw[name] = rng.choice(values)
            case {"minimum": int(least), "maximum": int(most)}:
                raw[name] = rng.randint(least, min(most, least + 12))
    raw.setdefault("circuit_limit", 60)
    if raw.get("events") == "none" or raw.get("max_copies_event", 2) < 2:
        raw["max_copies_character"] = max(2, raw.get("max_copies_character", 2))
    options = game.parse_options(raw | fixed)
    count = rng.randint(2, 6) if seats is None else seats
    decks = tuple(_random_deck(rng, options, game) for _ in range(count))
    return Room(options, decks, rng.randbytes(32), game)


def _random_deck(rng: random.Random, options: Options, game: Odoriko) -> tuple[CardId, ...]:
    events = options.events == "house"
    cards = room_cards(game.cards, events=events)
    least = 1 if events else 2
    limits = DeckLimits(max(least, options.max_copies_character), options.max_copies_event)
    if rng.random() < 0.3:
        starter = starter_deck(cards, limits)
        assert starter is not None
        return game.check_deck(options, starter)
    box = [card_id for card_id, card in cards.items() for _ in range(limits.of(card))]
    rng.shuffle(box)
    deck = box[:12]
    if not any(cards[card].kind is Kind.CHARACTER for card in deck):
        deck[0] = next(i for i, card in cards.items() if card.kind is Kind.CHARACTER)
    return game.check_deck(options, deck)


# What ends or empties things is liked less, or nearly every game would be one of idle seats.
_LIKINGS = {
    "end_turn": (0.001, 0.01, 0.1, 0.1, 1.0),
    "discard": (0.05, 0.05, 0.2, 1.0),
    "pass": (0.1, 0.3, 1.0),
    "lock_bid": (1.0, 3.0, 6.0),
    "place_resource": (1.0, 4.0, 8.0),
    "place_character": (1.0, 4.0),
    "use_k": (1.0, 4.0, 10.0),
    "use_skill": (0.03, 0.3, 1.0, 4.0),
    "use_event": (0.3, 1.0, 4.0),
}


# --- players -------------------------------------------------------------------------------------


@define
class Player:
    """Takes any option that is open, some kinds more often than others, and lets time run out.

    The likings are drawn once a game, so games differ: some seats sell, some sit idle, some build.
    """

    rng: random.Random
    likings: dict[str, float] = field(factory=dict)
    expires: float = 0.0  # how often time runs out
    builds: float = 0.0  # how often a card is put on a field where one can be

    @classmethod
    def of(cls, rng: random.Random) -> Player:
        return cls(
            rng,
            expires=rng.choice([0.0, 0.0, 0.02, 0.2]),
            builds=rng.choice([0.0, 0.3, 0.8]),
        )

    def liking(self, kind: str, decision: str = "action") -> float:
        """Return how much a kind of option is liked; in windows apart from action points."""
        key = kind if decision == "action" else f"{decision}:{kind}"
        if key not in self.likings:
            self.likings[key] = self.rng.choice(_LIKINGS.get(kind, (0.1, 1.0, 1.0, 1.0, 6.0)))
        return self.likings[key]

    def choose(self, decisions: Mapping[SeatId, Decision], waits: Sequence[Wait]) -> Input:
        """Return the next input for a position that is not over."""
        idle = [wait for wait in waits if not wait.pending]
        if not decisions or (idle and self.rng.random() < 0.5) or self.rng.random() < self.expires:
            return Expire(self.rng.choice(idle or list(waits)).id)
        seat = self.rng.choice(sorted(decisions))
        return Act(seat, self.answer(decisions[seat]))

    def answer(self, decision: Decision) -> Answer:
        by_kind: dict[str, list[Option]] = {}
        for option in decision.options:
            by_kind.setdefault(option.kind, []).append(option)
        kinds = sorted(by_kind)
        if self.rng.random() < self.builds:
            placing = [kind for kind in kinds if kind.startswith("place_")]
            kinds = placing or [kind for kind in kinds if kind == "draw"] or kinds
        kind = self.rng.choices(kinds, [self.liking(k, decision.kind) for k in kinds])[0]
        options = by_kind[kind]
        if kind == "use_k" and self.rng.random() < 0.5:  # characters are few, and can be answered
            options = [o for o in options if str(o.args["target"])[0].islower()] or options
        option = self.rng.choice(options)
        return Answer(decision.id, option.id, sample_value(self.rng, option))


def sample_value(rng: random.Random, option: Option) -> Value:
    """Return one of the values that an option takes."""
    match option.value:
        case None:
            return None
        case IntValue(least, most):
            return least if rng.random() < 0.5 else rng.randint(least, most)
        case CardsValue(among, least, most):
            return tuple(rng.sample(among, rng.randint(least, most)))
        case OrderValue(of):
            return tuple(rng.sample(of, len(of)))


def play(room: Room, rng: random.Random) -> Iterator[Taken]:
    """Play a game to its end, step by step; the first step has no input but is the deal."""
    game = room.game
    player = Player.of(rng)
    step = game.setup(room.options, len(room.decks), room.decks, room.entropy)
    yield Taken(step.state, Expire("deal"), step.state, step.events)
    state = step.state
    for _ in range(MAX_STEPS):
        waits = game.waits(state)
        if not waits:
            assert game.outcome(state) is not None, "nobody is asked and the game is not over"
            return
        entry = player.choose(game.decisions(state), waits)
        step = apply(game, state, entry)
        yield Taken(state, entry, step.state, step.events)
        state = step.state
    raise AssertionError(f"no end after {MAX_STEPS} steps")


def seed_of(*parts: object) -> int:
    """Return a number for a random.Random that depends on all parts and on no hash seed."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:8], "big")
