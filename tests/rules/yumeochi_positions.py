"""Positions of yumeochi written down in a few words, and a table to play them at.

A position names what matters; all other cards of the set are dealt to where they may be, so that
every position is one that could be. A skill card in words is face up with a `*`: "keyhole*". The
clock is written as `{3: "cracked_mirror"}`, with a `*` for a card that A opened and that was
discarded; what lies at the other positions are the rest of the
time cards in set order, face down, and the cards in front of seats and the discards were opened at
the earliest free positions before the hour, or at the latest after it if there are too many.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from attrs import evolve, frozen
from kaguraden_rules.entropy import Entropy
from kaguraden_rules.kernel import Answer, CardId, Decision, Event, SeatId, Wait, redact
from kaguraden_rules.plain import to_plain
from kaguraden_rules.yumeochi import state as s
from kaguraden_rules.yumeochi.card import CardSet, TimeKind
from kaguraden_rules.yumeochi.game import Yumeochi
from kaguraden_rules.yumeochi.options import Options
from kaguraden_rules.yumeochi.sets import BASE

__all__ = ["YUMEOCHI", "A", "B", "C", "D", "Table", "at_turn", "entropy", "position", "seat"]

YUMEOCHI = Yumeochi()
A, B, C, D = (SeatId(i) for i in range(4))
E = TypeVar("E", bound=Event)


def entropy(word: str = "kagura") -> bytes:
    """Return 32 bytes that a word stands for."""
    return hashlib.sha256(word.encode()).digest()


@frozen
class Sitting:
    """A seat in words."""

    role: str = ""  # "": any that is left
    skills: str | None = None  # None: any one that is left
    items: str = ""
    stock: str = ""
    life: int = 5
    dead: bool = False
    up: bool = False  # the role lies face up
    opened: int | None = None  # None: as many as lie in front of it
    kills: int = 0
    uses: str = ""
    skip: bool = False
    protected: bool = False


def seat(role: str = "", skills: str | None = None, **more: Any) -> Sitting:
    """Write down a seat."""
    return Sitting(role, skills, **more)


def _held(words: Iterable[str]) -> list[s.Held]:
    return [s.Held(CardId(word.rstrip("*")), up=word.endswith("*")) for word in words]


def _skills(
    cards: CardSet, seats: list[Sitting], leftover: str | None
) -> tuple[list[list[s.Held]], list[s.Held], list[s.Held]]:
    """Return the skills of the seats, the leftover, and those removed."""
    named = [None if sit.skills is None else _held(sit.skills.split()) for sit in seats]
    aside = None if leftover is None else _held(leftover.split())
    taken = {held.card for some in [*named, aside] for held in some or ()}
    free = [s.Held(card.id) for card in cards.skills if card.id not in taken]
    removed: list[s.Held] = []
    dealt: list[list[s.Held]] = []
    for sit, own in zip(seats, named, strict=True):
        if sit.dead:
            dealt.append([])
            removed += own if own is not None else [free.pop(0)]
        else:
            dealt.append(own if own is not None else [free.pop(0)])
    if aside is None:
        return dealt, free, removed
    assert not free, f"{[held.card for held in free]} lie nowhere"
    return dealt, aside, removed


def _clock(
    cards: CardSet,
    hour: int,
    written: Mapping[int, str],
    lying: list[tuple[str, SeatId]],
    unopened: Iterable[int],
) -> list[s.Place]:
    """Lay the clock: cards that were opened (with their openers) and cards that were not."""
    places: dict[int, s.Place] = {}
    names = {card for card, _ in lying}
    for at, word in written.items():
        card = word.rstrip("*")
        assert card not in names, f"{card} lies elsewhere"
        is_up = card != word
        places[at] = s.Place(CardId(card), A if is_up else None, went="discard" if is_up else None)
    past_first = [*range(1, hour), *range(12, hour - 1, -1)]  # later ones were opened ahead
    open_places = [at for at in past_first if at not in places and at not in unopened]
    for (card, opener), at in zip(lying, open_places[: len(lying)], strict=True):
        kind = cards.time_of[CardId(card)].time_kind
        places[at] = s.Place(
            CardId(card), opener=opener, went="item" if kind is TimeKind.ITEM else "discard"
        )
        if kind is TimeKind.EVENT_STOCK:
            places[at] = evolve(places[at], went="stock")
    used = {place.card for place in places.values()}
    rest = iter([card.id for card in cards.times if card.id not in used])
    return [places[at] if at in places else s.Place(next(rest)) for at in range(1, 13)]


def position(
    *seats: Sitting,
    hour: int = 1,
    start: SeatId | None = A,
    origin: SeatId | None = A,
    turn: SeatId | None = None,
    clock: Mapping[int, str] | None = None,
    opened: str = "",
    unopened: Iterable[int] = (),
    leftover: str | None = None,
    options: Options | None = None,
    **more: Any,
) -> s.State:
    """Build a state in which a turn is about to begin; cards that no seat names are dealt.

    Args:
        seats: One a seat; those that are left out are as dealt.
        hour: The hour.
        start: Who holds the start marker.
        origin: Who holds the origin marker; the order is clockwise from it.
        turn: Whose place it is; default: the first of the order.
        clock: Cards at positions.
        opened: Time cards that were opened and are discarded.
        unopened: Positions that stay face down although their hour is over.
        leftover: The skills laid aside; default: those that are left.
        options: The room's; default: all defaults with the base set.
        more: Other fields of the state.
    """
    options = options or Options(BASE)
    cards = options.cards
    sitting = list(seats) + [Sitting()] * (4 - len(seats))
    roles = {sit.role for sit in sitting}
    free = [role.id for role in options.pool if role.id not in roles]
    skills, aside, removed = _skills(cards, sitting, leftover)
    lying = [
        (card, SeatId(number))
        for number, sit in enumerate(sitting)
        for card in (*sit.items.split(), *sit.stock.split())
    ]
    lying += [(card, A) for card in opened.split()]
    ranks = {card.id: rank for rank, card in enumerate(cards.skills)}

    def in_order(held: list[s.Held]) -> tuple[s.Held, ...]:
        return tuple(sorted(held, key=lambda one: ranks[one.card]))

    built: list[s.Seat] = []
    for number, sit in enumerate(sitting):
        owned = sum(1 for _, opener in lying if opener == number)
        built.append(
            s.Seat(
                role=CardId(sit.role) if sit.role else free.pop(0),
                skills=in_order(skills[number]),
                role_up=sit.up or sit.dead,
                life=0 if sit.dead else sit.life,
                alive=not sit.dead,
                items=tuple(map(CardId, sit.items.split())),
                stock=tuple(map(CardId, sit.stock.split())),
                opened=owned if sit.opened is None else sit.opened,
                kills=sit.kills,
                uses=tuple(map(CardId, sit.uses.split())),
                skip=sit.skip,
                protected=sit.protected,
            )
        )
    gone = [word.rstrip("*") for word in (clock or {}).values() if word.endswith("*")]
    first = origin if origin is not None else A
    order = tuple(SeatId((first + step) % 4) for step in range(4))
    at = first if turn is None else turn
    return s.State(
        options=options,
        key=entropy(),
        entropy=Entropy(entropy()),
        seats=tuple(built),
        clock=tuple(_clock(cards, hour, clock or {}, lying, tuple(unopened))),
        leftover=in_order(aside),
        undealt=tuple(free),
        stage=s.Turn(at),
        phase=s.Phase.TURN,
        hour=hour,
        start=start,
        origin=origin,
        order=order,
        place=order.index(at),
        discards=tuple(map(CardId, [*opened.split(), *gone])),
        removed=in_order(removed),
        **more,
    )


class Table:
    """A game being played: it acts, notes all events, and tells what is asked."""

    def __init__(self, state: s.State, game: Yumeochi = YUMEOCHI) -> None:
        self.game = game
        step = self.game.begin(state)
        self.state = step.state
        self.events: list[Event] = list(step.events)
        self.last: tuple[Event, ...] = step.events  # those of the last step

    # --- asking ----------------------------------------------------------------------------

    @property
    def decisions(self) -> Mapping[SeatId, Decision]:
        return self.game.decisions(self.state)

    @property
    def phase(self) -> Any:  # so that a type checker does not narrow it
        return self.state.phase.value

    @property
    def asked(self) -> Any:  # as above
        return tuple(self.decisions)

    @property
    def hour(self) -> Any:  # as above
        return self.state.hour

    @property
    def start(self) -> Any:
        return self.state.start

    @property
    def origin(self) -> Any:
        return self.state.origin

    @property
    def result(self) -> Any:
        return self.state.result

    @property
    def waits(self) -> tuple[Wait, ...]:
        return self.game.waits(self.state)

    def options(self, who: SeatId, start: str = "") -> list[str]:
        """Return the ids of the options that a seat has now, of those that begin with `start`."""
        decision = self.decisions.get(who)
        if decision is None:
            return []
        return [option.id for option in decision.options if option.id.startswith(start)]

    def seat(self, who: SeatId) -> s.Seat:
        return self.state.seats[who]

    def skills(self, who: SeatId) -> str:
        """Return the skills of a seat in words, face-up ones with a `*`."""
        return " ".join(held.card + "*" * held.up for held in self.seat(who).skills)

    def lives(self) -> list[int]:
        return [seat.life for seat in self.state.seats]

    def view(self, who: SeatId | None) -> Any:
        return self.game.view(self.state, who)

    # --- playing ---------------------------------------------------------------------------

    def act(self, who: SeatId, option: str) -> Table:
        decision = self.decisions.get(who)
        assert decision is not None, f"seat {who} is not asked"
        step = self.game.act(self.state, who, Answer(decision.id, option))
        return self._take(step.state, step.events)

    def act_anyway(self, who: SeatId, option: str) -> Table:
        """Send an answer although the seat is not asked."""
        step = self.game.act(self.state, who, Answer(f"{who}.0", option))
        return self._take(step.state, step.events)

    def passes(self, *seats: SeatId) -> Table:
        """Let seats pass, one after another."""
        for who in seats:
            self.act(who, "pass")
        return self

    def expire(self) -> Table:
        """End the wait whose clock runs."""
        running = next(wait for wait in self.waits if not wait.held)
        step = self.game.expire(self.state, running.id)
        return self._take(step.state, step.events)

    def _take(self, state: s.State, events: tuple[Event, ...]) -> Table:
        self.state, self.last = state, events
        self.events += events
        return self

    def told(self, kind: type[E], viewer: SeatId | None = None) -> list[E]:
        """Return all events of a kind so far, as a viewer sees them."""
        seen = (redact(event, viewer) for event in self.events if isinstance(event, kind))
        return [event for event in seen if event is not None]

    def kinds(self) -> list[str]:
        """Return the kinds of the events of the last step."""
        return [event.kind for event in self.last]

    def bytes_for(self, viewer: SeatId | None) -> str:
        """Return all that a viewer was told so far and sees now."""
        return repr(
            (
                [to_plain(redact(event, viewer)) for event in self.events],
                to_plain(self.view(viewer)),
                to_plain(self.decisions.get(viewer)) if viewer is not None else None,
            )
        )


def at_turn(*seats: Sitting, game: Yumeochi = YUMEOCHI, **more: Any) -> Table:
    """Sit down at a turn; the arguments are those of `position`."""
    return Table(position(*seats, **more), game)
