"""Random games of enbu: books, rooms, temperaments, and a player who takes any legal option.

One number gives one game, so a failing game is named by its number and can be played again.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

from attrs import evolve, frozen
from kaguraden_rules.enbu.book import Book, Family, Goal, Group
from kaguraden_rules.enbu.books import BOOKS, CATALOGUE, check_book, total, write_book
from kaguraden_rules.enbu.game import Enbu
from kaguraden_rules.enbu.options import Options
from kaguraden_rules.enbu.payload import made_id
from kaguraden_rules.enbu.race import State
from kaguraden_rules.kernel import Act, Answer, Decision, Event, Expire, Input, SeatId, Step

__all__ = ["ENBU", "MAX_STEPS", "Player", "Room", "Taken", "play", "random_book", "random_room"]

ENBU = Enbu()
MAX_STEPS = 20_000  # a game that is not over by then does not end
_ORDINARY = tuple(card for card in CATALOGUE.cards.values() if card.group is not Group.WILD)


@frozen
class Room:
    """What a game is played from."""

    options: Options
    seats: int
    entropy: bytes

    def open(self) -> Step[State]:
        """Begin the game."""
        return ENBU.setup(self.options, self.seats, ((),) * self.seats, self.entropy)


@frozen
class Taken:
    """One step of a game: what went in and what came out; the first one has no input."""

    before: State | None
    input: Input | None
    state: State
    events: tuple[Event, ...]


def random_book(rng: random.Random) -> Book:
    """Return a valid user-made book (EN-97, EN-99): small and large ones, tight and generous."""
    number = rng.choice((1, 2, 3, 5, 8, 13, 24))
    chosen = rng.sample(list(CATALOGUE.programs), number)
    split = rng.choice((0, 0, number, rng.randrange(number + 1)))
    wanted = Counter(card for p in chosen for card in CATALOGUE.programs[p].cards)
    spare, many = rng.choice((0.0, 0.1, 0.5)), rng.choice((0.0, 0.3, 1.0))
    copies: dict[str, int] = {}
    for card in _ORDINARY:
        if wanted[card.id] or rng.random() < spare:
            copies[card.id] = rng.randint(1, card.box) if rng.random() < many else 1
    hand = rng.choice((0, 1, 1, 2, 4))
    needed = max(len(CATALOGUE.programs[p].cards) for p in chosen)
    wild = rng.random() < 0.6
    goal = rng.choice(list(Goal))
    short = sum(max(0, n - copies[card]) for card, n in wanted.items())
    tight = goal is Goal.ALL and short > 2 * wild  # E-SUPPLY without reshuffles
    book = Book(
        id="",
        family=Family.YOROZU,
        name="よろず",
        pages=rng.randint(1, min(6, number)),
        stage=rng.randint(max(1, needed - hand), 6),
        hand=hand,
        drop=rng.random() < 0.6,
        reshuffle=tight or rng.random() < 0.6,
        wild=wild,
        goal=goal,
        pass_mark=None,
        cards=tuple((card.id, copies[card.id]) for card in _ORDINARY if card.id in copies),
        first=tuple(chosen[:split]),
        rest=tuple(p for p in CATALOGUE.programs if p in chosen[split:]),
    )
    if goal is Goal.PASS:
        book = evolve(book, pass_mark=rng.randint(1, total(book)))
    book = evolve(book, id=made_id(book))
    read, faults, _ = check_book(write_book(book).encode())
    assert not faults
    assert read == book
    return book


def random_room(rng: random.Random, seats: int | None = None, made: float = 0.5) -> Room:
    """Return a room; `made` is the share of user-made books."""
    book = random_book(rng) if rng.random() < made else rng.choice(list(BOOKS.values()))
    number = seats or rng.choice((1, 1, 1, 2, 3, 8))
    options = Options(
        book=book,
        is_daily=number == 1 and rng.random() < 0.2,
        race_turn_s=rng.choice((0, 30, 90)),
        solo_turn_s=rng.choice((0, 300)),
        watch=rng.random() < 0.6,
        chat=rng.random() < 0.5,
    )
    return Room(options, number, rng.randbytes(32))


class Player:
    """A temperament: how much it likes each kind of option."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.liking = {
            "stage": 1.0,
            "take": rng.choice((0.2, 1.0, 5.0)),
            "swap": rng.choice((0.2, 1.0)),
            "perform": rng.choice((0.3, 5.0, 50.0)),
            "drop": rng.choice((0.0, 0.05, 0.5, 3.0)),
            "next": rng.choice((1.0, 3.0)),
            "undo": rng.choice((0.0, 0.1, 1.0, 3.0)),
            "finish": rng.choice((0.0, 0.0, 0.005, 0.05)),
        }

    def choose(self, decision: Decision) -> str:
        """Return the id of an option."""
        kinds = sorted({option.kind for option in decision.options})
        weights = [self.liking[kind] for kind in kinds]
        if not any(weights):
            weights = [1.0] * len(kinds)
        kind = self.rng.choices(kinds, weights)[0]
        return self.rng.choice([o.id for o in decision.options if o.kind == kind])


def play(room: Room, rng: random.Random) -> Iterator[Taken]:
    """Play a game to its end; what opens it comes first."""
    step = room.open()
    yield Taken(None, None, step.state, step.events)
    players = [Player(rng) for _ in range(room.seats)]
    paces = [rng.choice((0.2, 1.0, 5.0)) for _ in range(room.seats)]  # some seats are faster
    impatience = rng.choice((0.0, 0.0, 0.02, 0.3))
    state = step.state
    for _ in range(MAX_STEPS):
        decisions = ENBU.decisions(state)
        if not decisions:
            return
        entry: Input
        if rng.random() < impatience:
            waits = ENBU.waits(state)
            rooms = [wait.id for wait in waits if not wait.private]
            turns = [wait.id for wait in waits if wait.private]
            entry = Expire(rng.choice(rooms if rooms and rng.random() < 0.02 else turns))
            after = ENBU.expire(state, entry.wait)
        else:
            seats = list(decisions)
            seat = rng.choices(seats, [paces[s] for s in seats])[0]
            decision = decisions[seat]
            entry = Act(SeatId(seat), Answer(decision.id, players[seat].choose(decision)))
            after = ENBU.act(state, entry.seat, entry.answer)
        yield Taken(state, entry, after.state, after.events)
        state = after.state
    raise AssertionError("a game does not end")
