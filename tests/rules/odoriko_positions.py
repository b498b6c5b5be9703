"""Positions of odoriko written down in a few words, and a table to play them at.

A position names what matters; all other cards of the pack lie in the resource decks, and what is
left of each seat's twelve in its character deck, so that every position is one that could be. A
card of another seat is written with its supplier, `cc001@2`. On a field `*` marks the first
character, `^` the one kept at midway.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from attrs import evolve, frozen
from kaguraden_rules.entropy import Entropy
from kaguraden_rules.kernel import Answer, CardId, Decision, Event, SeatId, Value, redact
from kaguraden_rules.odoriko import state as s
from kaguraden_rules.odoriko.decks import DECK_SIZE, STARTER
from kaguraden_rules.odoriko.faces import FACES, PACK
from kaguraden_rules.odoriko.game import Odoriko
from kaguraden_rules.odoriko.options import Options
from kaguraden_rules.odoriko.refs import CardRef, supplied_by
from kaguraden_rules.plain import to_plain

__all__ = ["ODORIKO", "A", "B", "C", "D", "Table", "at_turn", "entropy", "position", "seat"]

ODORIKO = Odoriko()
A, B, C, D = (SeatId(i) for i in range(4))
E = TypeVar("E", bound=Event)


def entropy(word: str = "kagura") -> bytes:
    """Return 32 bytes that a word stands for."""
    return hashlib.sha256(word.encode()).digest()


@frozen
class Zones:
    """A seat's zones in words; `deck` and `characters` are the tops of its decks."""

    hand: str = ""
    song: str = ""
    dance: str = ""
    pile: str = ""
    deck: str = ""
    characters: str = ""
    vp: int = 0
    fc_placed: bool | None = None  # None: it has one on a field now
    resource_deck: int | None = None  # cards in the deck; None: an even share
    no_characters: bool = False  # an empty character deck: what is left lies in the pile


def seat(hand: str = "", song: str = "", dance: str = "", **more: Any) -> Zones:
    """Write down a seat."""
    return Zones(hand, song, dance, **more)


def _reference(word: str, owner: int) -> CardRef:
    word = word.rstrip("*^")
    if "@" in word or word in FACES:
        return CardRef(word)
    return supplied_by(SeatId(owner), CardId(word))


def position(
    *zones: Zones,
    stage: s.Stage,
    options: Options | None = None,
    half: int = 1,
    order: Sequence[int] | None = None,
    **more: Any,
) -> s.State:
    """Build a state; cards that no seat names are dealt to the decks.

    Args:
        zones: One a seat.
        stage: What goes on.
        options: The room's; default: all defaults.
        half: 1 or 2.
        order: The turn order; default: by seat number.
        more: Other fields of the state.
    """
    order = tuple(range(len(zones))) if order is None else order
    if isinstance(stage, s.Bidding | s.Janken | s.Placing):
        order = ()
    named: list[dict[str, list[CardRef]]] = []
    for owner, zone in enumerate(zones):
        named.append(
            {
                name: [_reference(word, owner) for word in getattr(zone, name).split()]
                for name in ("hand", "song", "dance", "pile", "deck", "characters")
            }
        )
    everywhere = [card for seat_zones in named for cards in seat_zones.values() for card in cards]
    assert len(set(everywhere)) == len(everywhere), "a card is named twice"
    rest = [card for card in map(CardRef, PACK) if card not in everywhere]
    lain = 0
    seats: list[s.Seat] = []
    shares = [zone.resource_deck for zone in zones]
    for owner, zone in enumerate(zones):
        mine = [card for card in everywhere if card.endswith(f"@{owner}")]
        supplied = [CardId(card.partition("@")[0]) for card in mine]
        fill = [card for card in STARTER if card not in supplied]
        supplied += fill[: DECK_SIZE - len(supplied)]
        unnamed = [supplied_by(SeatId(owner), c) for c in supplied]
        unnamed = [card for card in unnamed if card not in everywhere]
        marks: dict[str, tuple[s.Lying, ...]] = {}
        for field in ("song", "dance"):
            lying = []
            for word, card in zip(getattr(zone, field).split(), named[owner][field], strict=True):
                lain += 1
                lying.append(s.Lying(card, lain, fc="*" in word, kept="^" in word))
            marks[field] = tuple(lying)
        top = named[owner]["deck"]
        share = shares[owner]
        if share is None:
            waiting = sum(1 for later in shares[owner:] if later is None)
            below = rest[: len(rest) // waiting]
        else:
            below = rest[: share - len(top)]
        rest = rest[len(below) :]
        has_fc = any(card.fc for cards in marks.values() for card in cards)
        spent = tuple(unnamed) if zone.no_characters else ()
        seats.append(
            s.Seat(
                supplied=tuple(sorted(supplied)),
                hand=tuple(named[owner]["hand"]),
                song=marks["song"],
                dance=marks["dance"],
                pile=(*spent, *named[owner]["pile"]),
                resource_deck=(*top, *below),
                character_deck=(*named[owner]["characters"], *(() if spent else unnamed)),
                vp=zone.vp,
                place=order.index(owner) + 1 if order else None,
                fc_placed=has_fc if zone.fc_placed is None else zone.fc_placed,
            )
        )
    return s.State(
        options=Options() if options is None else options,
        entropy=Entropy(entropy()),
        seats=tuple(seats),
        stage=stage,
        removed=tuple(rest),
        half=half,
        order=tuple(SeatId(i) for i in order),
        lain=lain,
        **more,
    )


class Table:
    """A game being played: it acts, notes all events, and tells what is asked."""

    def __init__(self, state: s.State, game: Odoriko = ODORIKO) -> None:
        self.game = game
        step = self.game.begin(state)
        self.state = step.state
        self.events: list[Event] = list(step.events)
        self.last: tuple[Event, ...] = step.events  # those of the last step

    # --- asking ----------------------------------------------------------------------------

    @property
    def decisions(self) -> Mapping[SeatId, Decision]:
        return self.game.decisions(self.state)

    def options(self, who: SeatId, start: str = "") -> list[str]:
        """Return the ids of the options that a seat has now, of those that begin with `start`."""
        decision = self.decisions.get(who)
        if decision is None:
            return []
        return [option.id for option in decision.options if option.id.startswith(start)]

    def among(self, who: SeatId, option: str) -> Any:
        """Return the value spec of an option."""
        return next(o.value for o in self.decisions[who].options if o.id == option)

    @property
    def asked(self) -> Any:  # any tuple, so that a type checker does not narrow it
        return self.game.view(self.state, None).asked

    @property
    def window(self) -> tuple[str, int] | None:
        """Return name and round of the open window."""
        window = self.game.view(self.state, None).table.window
        return None if window is None else (window.name, window.round)

    def seat(self, who: SeatId) -> s.Seat:
        return self.state.seats[who]

    def hand(self, who: SeatId) -> set[str]:
        return {card.partition("@")[0] for card in self.seat(who).hand}

    def pile(self, who: SeatId) -> list[str]:
        return [card.partition("@")[0] for card in self.seat(who).pile]

    def song(self, who: SeatId) -> list[str]:
        return [lying.card.partition("@")[0] for lying in self.seat(who).song]

    def dance(self, who: SeatId) -> list[str]:
        return [lying.card.partition("@")[0] for lying in self.seat(who).dance]

    def fc(self, who: SeatId) -> str | None:
        for lying in self.seat(who).song + self.seat(who).dance:
            if lying.fc:
                return lying.card.partition("@")[0]
        return None

    def vp(self) -> list[int]:
        return [seat.vp for seat in self.state.seats]

    @property
    def actions_left(self) -> int:
        assert isinstance(self.state.stage, s.Turn)
        return self.state.stage.actions_left

    @property
    def turn(self) -> SeatId:
        assert isinstance(self.state.stage, s.Turn)
        return self.state.stage.seat

    def view(self, who: SeatId | None) -> Any:
        return self.game.view(self.state, who)

    # --- playing ---------------------------------------------------------------------------

    def act(self, who: SeatId, option: str, value: Value | Sequence[str] = None) -> Table:
        if isinstance(value, list):
            value = tuple(value)
        assert value is None or isinstance(value, int | tuple)
        decision = self.decisions.get(who)
        assert decision is not None, f"seat {who} is not asked"
        step = self.game.act(self.state, who, Answer(decision.id, option, value))
        return self._take(step.state, step.events)

    def act_anyway(self, who: SeatId, option: str, value: Value = None) -> Table:
        """Send an answer although the seat is not asked."""
        step = self.game.act(self.state, who, Answer(f"{who}.0", option, value))
        return self._take(step.state, step.events)

    def expire(self) -> Table:
        """End the first wait."""
        step = self.game.expire(self.state, self.game.waits(self.state)[0].id)
        return self._take(step.state, step.events)

    def _take(self, state: s.State, events: tuple[Event, ...]) -> Table:
        self.state, self.last = state, events
        self.events += events
        return self

    def close(self) -> Table:
        """Let everybody who is asked in a window pass until no window is open."""
        while self.window is not None:
            self.expire()
        return self

    def told(self, kind: type[E], viewer: SeatId | None = None) -> list[E]:
        """Return all events of a kind so far, as a viewer sees them."""
        seen = (redact(event, viewer) for event in self.events if isinstance(event, kind))
        return [event for event in seen if event is not None]

    def bytes_for(self, viewer: SeatId | None) -> str:
        """Return all that a viewer was told so far and sees now."""
        return repr(
            (
                [to_plain(redact(event, viewer)) for event in self.events],
                to_plain(self.view(viewer)),
                to_plain(self.decisions.get(viewer)) if viewer is not None else None,
            )
        )


def at_turn(
    *zones: Zones,
    active: SeatId = A,
    actions: int = 2,
    number: int | None = None,
    game: Odoriko = ODORIKO,
    **more: Any,
) -> Table:
    """Sit down at an action point."""
    order = more.get("order") or tuple(range(len(zones)))
    turn = s.Turn(
        active,
        number=list(order).index(active) + 1 if number is None else number,
        actions_left=actions,
        actions_taken=2 - min(actions, 2),
        begun=True,
    )
    return Table(position(*zones, stage=turn, **more), game)


def with_options(state: s.State, **options: Any) -> s.State:
    """Return the position in a room with other options."""
    return evolve(state, options=evolve(state.options, **options), decisions=())
