"""What answers are worth to a seat that plans: by how the game may end, not by the cards alone.

Beside what `look` does, a strategist

- expects tallies by what each seat will want to place, its own hand included (`forecast`);
- fears the strongest opponent most, and the more the nearer the end is;
- hurries when it is ahead and holds back when it is behind;
- lets midway wait for its first character until that pays;
- uses up its actions, and keeps room in its hand.

The constants are what won most games against the greedy bot (`python -m tests.bench.duel`). Two
plans were given up because they won less: to keep a K for a better target than today's, and to
prefer a place in the turn order (of 80 games of equals, 41.5 were won from the second place).
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Final

from attrs import define
from kaguraden_protocol.messages import Option

from ...reading import as_int, as_str, dicts_in, has_int
from ..policy import Choice
from .board import Board, Counts
from .cards import FACES, RESOURCES, ZONES, home_of, kind_of, plain_face
from .effects import HAND_SIZE
from .forecast import Forecast
from .look import Look

__all__ = ["Strategist"]

LATER: Final = 0.85  # what a card in hand counts of what it would bring, with time enough
PENDING: Final = 0.95  # the same for characters
SPREAD: Final = 1.5  # how far off a forecast is, in VP for the root of each card to come
TEMPO: Final = 0.5  # how much it matters to be ahead near the end
RISK: Final = 0.2  # that one's best character is named by a K
OPEN: Final = 0.5  # the chance that others put a character on a free field
OWN_OPEN: Final = 0.1  # and oneself, beside those in hand
IDLE: Final = 1.0  # what an unused action costs
CROWD: Final = (0.0, 0.0, 0.075, 0.3, 0.9)  # what cards in hand stand in the way, by number
SPECIALS: Final = {"K": 0.4, "Q": 0.4, "J": 0.6, "A": 0.2}  # in hand, in VP
ENDING: Final = 20.0  # to end the game as its winner
MIDWAY: Final = 12.0  # the lead that is worth letting midway come
WAIT: Final = 3.0  # what it is worth to place the first character last
DECK: Final = 3  # resource cards in the deck, when there is nothing left to wait for
CIRCUITS: Final = 24  # circuits after which not to wait any longer

_HAND_CHANGES: Final = {
    "place_resource": -1,
    "place_character": -1,
    "discard": -1,
    "use_k": -1,
    "use_event": -1,
    "draw": 1,
}


@define(slots=False, eq=False)
class Strategist(Look):
    """One look at the table, by who plans."""

    @cached_property
    def forecast(self) -> Forecast:
        """The forecast of the next tally."""
        seats = range(len(self.seats))
        kept = [
            next(
                (
                    plain_face(as_str(lying.get("card")))
                    for zone in ZONES
                    for lying in dicts_in(seat.get(zone))
                    if lying.get("kept")
                ),
                None,
            )
            for seat in self.seats
        ]
        everybody = [card for card in self.catalog if kind_of(card, self.catalog) == "character"]
        own = [c for c in self._unseen("character") if kind_of(c, self.catalog) == "character"]
        return Forecast(
            self.lore,
            self.counts,
            self.me,
            self._unseen("resource"),
            self.growth,
            kept,
            [min(1.0, self.turns / 4) * (OWN_OPEN if s == self.me else OPEN) for s in seats],
            [own if seat == self.me else everybody for seat in seats],
            PENDING * self.in_time,
        )

    @cached_property
    def counts(self) -> Counts:
        """Who counts what lies on the fields."""
        return Counts(self.options, len(self.seats))

    @cached_property
    def vp(self) -> list[int]:
        """The VP so far."""
        return [as_int(seat.get("vp")) for seat in self.seats]

    @cached_property
    def growth(self) -> float:
        """Guess how many resource cards come onto the fields before the next tally."""
        if self.is_second_half:
            return float(self.to_the_end)
        turns = self.table.get("midway_after")
        if has_int(turns):
            return 0.7 * turns
        return 1.4 * len(self.seats)

    @cached_property
    def turns(self) -> float:
        """Guess how many more turns the own seat has before the next tally."""
        turns = self.table.get("midway_after")
        if not self.is_second_half:
            return (turns if has_int(turns) else 5 * len(self.seats)) / len(self.seats)
        return 1.3 * self.growth / len(self.seats)

    @cached_property
    def in_time(self) -> float:
        """The chance that something can still be done before the next tally."""
        return 1 - math.exp(-self.turns)

    def _spread(self, growth: float) -> float:
        later = 0.0 if self.is_second_half else 20.0
        return SPREAD * math.sqrt(growth + later + 0.5)

    def finals(self, board: Board, growth: float | None = None) -> list[float]:
        """Return the VP that each seat can expect after the next tally."""
        tallies = self.forecast.tallies(board, growth)
        if board.fallen:
            tallies = [t + won for t, won in zip(tallies, self.won(board), strict=True)]
        return [vp + tally for vp, tally in zip(self.vp, tallies, strict=True)]

    def lead(self, finals: list[float], seat: int, growth: float) -> float:
        """Return how far a seat is ahead of the others, of whom the strongest count most."""
        rest = [final for number, final in enumerate(finals) if number != seat]
        if len(rest) < 2:
            return finals[seat] - sum(rest)
        scale = self._spread(growth)
        top = max(rest)
        soft = top + scale * math.log(sum(math.exp((f - top) / scale) for f in rest) / len(rest))
        return finals[seat] - soft

    def value(self, board: Board, seat: int) -> float:
        """Return what a board is worth to a seat."""
        return self.lead(self.finals(board), seat, self.growth)

    # --- cards ------------------------------------------------------------------------------------

    def placed(self, card: str, zone: str | None = None) -> float:
        """Return what placing a card on the own field changes."""
        zone = zone or (home_of(card) if card in RESOURCES else ZONES[0])
        after = self.board.without_hand(card).with_card(zone, self.me, card)
        if card not in RESOURCES:
            return self.value(after, self.me) - self.now + self._first()
        growth = max(0.0, self.growth - 1) if self.is_second_half else self.growth
        lead = self.lead(self.finals(after, growth), self.me, growth)
        if not self.is_second_half:
            return lead - self.now
        if growth == 0:
            return lead - self.now + (ENDING if lead >= 0 else -ENDING)
        faster = self._spread(self.growth) / self._spread(growth)
        return lead * (1 + TEMPO * (faster - 1)) - self.now

    def _worth(self, option: Option) -> tuple[float, Choice, int]:
        worth, choice, actions = super()._worth(option)
        if option.kind == "end_turn":
            return -IDLE, choice, 0
        more = _HAND_CHANGES.get(option.kind, 0)
        if option.kind == "discard" and option.args.get("zone") != "hand":
            more = 0
        if not more:
            return worth, choice, actions
        size = min(HAND_SIZE, len(self.board.hand))
        after = max(0, min(HAND_SIZE, size + more))
        return worth + CROWD[size] - CROWD[after], choice, actions

    def _freed(self) -> float:
        return 0.0  # `_worth` counts it for whatever changes the hand

    def _first(self) -> float:
        """Return what it is worth to let midway come, by placing the first character."""
        if self._mine("fc_placed") or self.is_second_half:
            return 0.0
        seats, limit = len(self.seats), as_int(self.options.get("circuit_limit"), 60)
        late = as_int(self.table.get("turn_number")) > seats * min(CIRCUITS, limit // 2)
        if late or as_int(self._mine("resource_deck")) <= DECK:
            return WAIT
        if all(self.seats[seat].get("fc_placed") for seat in self.others):
            return self.now - MIDWAY
        return -WAIT

    def held(self, card: str) -> float:
        """Return what a card in hand is worth."""
        if card in RESOURCES:
            return LATER * self.in_time * max(0.0, self.placed(card))
        if card in FACES:
            return max(SPECIALS[card[:-1]], RISK * self._at_stake if card[0] == "Q" else 0.0)
        if kind_of(card, self.catalog) == "character":
            with_it = self.board if card in self.board.hand else self._with_hand(card)
            without = with_it.without_hand(card)
            return max(0.1, self.value(with_it, self.me) - self.value(without, self.me))
        return 0.3

    def _with_hand(self, card: str) -> Board:
        return self.board.with_card("hand", self.me, card)

    @cached_property
    def _at_stake(self) -> float:
        """Return what a K would take away."""
        losses = [
            self.now - self.value(self.board.without_card(zone, self.me, card), self.me)
            for zone in ZONES
            for card, is_safe in self._lying(self.me, zone)
            if not is_safe
        ]
        return max(losses, default=0.0)

    def _lying(self, seat: int, zone: str) -> list[tuple[str, bool]]:
        return [
            (plain_face(as_str(y.get("card"))), bool(y.get("fc") or y.get("sheltered")))
            for y in dicts_in(self.seats[seat].get(zone))
        ]

    def drawn(self, deck: str) -> float:
        """Return what a card from an own deck is worth on average, in a hand with room for it."""
        pool = self._unseen(deck)
        if not pool:
            return 0.0
        if deck != "character":
            return 0.02 + sum(self._class_held(card) for card in pool) / len(pool)
        return 0.02 + sum(self.held(card) for card in pool) / len(pool)

    def _class_held(self, card: str) -> float:
        if card not in RESOURCES:
            return self.held(card)
        number = self.lore.class_of[card]
        if number not in self._held_by_class:
            self._held_by_class[number] = self.held(card)
        return self._held_by_class[number]

    @cached_property
    def _held_by_class(self) -> dict[int, float]:
        return {}

    def _kept(self, card: str) -> float:
        """Return what a character may hope for on an empty table with a whole half to come."""
        nobody = [0.0] * len(self.seats)
        later = Forecast(
            self.lore, self.counts, self.me, FACES, 20.0, [None for _ in nobody], nobody, [()], 0.0
        )
        return later.score(card, self._alone(card), self.me)
