"""What answers are worth to a seat that plans: by how the game may end, not by the cards alone.

Beside what `look` does, a strategist

- expects tallies by what each seat will want to place, its own hand included (`forecast`);
- fears the strongest opponent most, and the more the nearer the end is;
- hurries when it is ahead and holds back when it is behind;
- lets midway wait for its first character until that pays;
- keeps K, Q and J while they may do more later.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Final

from attrs import define
from kaguraden_protocol.messages import IntSpec, Option

from ...reading import Json, as_dict, as_int, as_str, dicts_in, has_int
from ..policy import Choice
from .board import Board
from .cards import FACES, RESOURCES, ZONES, home_of, kind_of, plain_face
from .effects import HAND_SIZE
from .forecast import Forecast
from .look import Look

__all__ = ["Strategist"]

import os
def P(name: str, default: float) -> float:
    return float(os.environ.get("H_" + name, default))

LATER = P("LATER", 0.85)
PENDING = P("PENDING", 0.95)
ACTION = P("ACTION", 0.4)  # what an action is worth that nothing particular is done with
SPREAD = P("SPREAD", 1.5)  # how far off a forecast is, in VP for the root of each card to come
FEAR = P("FEAR", 1.0)
TEMPO = P("TEMPO", 1.0)
HOLD = P("HOLD", 1.0)
K_KEPT = P("K_KEPT", 1.0)
K_HELD = P("K_HELD", 0.5)
RISK = P("RISK", 0.2)
FILL = P("FILL", 0.5)
FIRST = P("FIRST", 8)
DECKLEFT = P("DECKLEFT", 8)
WAITED = P("WAITED", 24)
DRAWMORE = P("DRAWMORE", 0.02)


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
            self.options,
            len(self.seats),
            self.me,
            self._unseen("resource"),
            self.growth,
            kept,
            FILL * min(1.0, self.turns / 4),
            [own if seat == self.me else everybody for seat in seats],
            PENDING * self.in_time,
        )

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
        if len(rest) == 1:
            return finals[seat] - rest[0]
        scale = FEAR * self._spread(growth)
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
            return lead - self.now + (20.0 if lead >= 0 else -20.0)
        faster = self._spread(self.growth) / self._spread(growth)
        return lead * (1 + TEMPO * (faster - 1)) - self.now

    def _first(self) -> float:
        """Return what it is worth to let midway come, by placing the first character."""
        if self._mine("fc_placed"):
            return 0.0
        if HOLD <= 0:
            return 1.5
        others = sum(1 for seat in self.others if not self.seats[seat].get("fc_placed"))
        deck = as_int(self._mine("resource_deck"))
        if self.is_second_half:
            return 1.0
        if deck <= DECKLEFT or as_int(self.table.get("turn_number")) > WAITED * len(self.seats):
            return 3.0
        if others:
            return -3.0
        return self.now - FIRST

    def held(self, card: str) -> float:
        """Return what a card in hand is worth."""
        if card in RESOURCES:
            return LATER * self.in_time * max(0.0, self.placed(card))
        if card in FACES:
            return self._special[card[:-1]]
        if kind_of(card, self.catalog) == "character":
            with_it = self.board if card in self.board.hand else self._with_hand(card)
            without = with_it.without_hand(card)
            return max(0.1, self.value(with_it, self.me) - self.value(without, self.me))
        return 0.3

    def _with_hand(self, card: str) -> Board:
        return self.board.with_card("hand", self.me, card)

    @cached_property
    def _special(self) -> Mapping[str, float]:
        """What special cards are worth in hand."""
        strikes = [
            self.value(self.board.without_card(zone, seat, card), self.me) - self.now
            for seat in self.others
            for zone in ZONES
            for card, is_safe in self._lying(seat, zone)
            if not is_safe
        ]
        losses = [
            self.now - self.value(self.board.without_card(zone, self.me, card), self.me)
            for zone in ZONES
            for card, is_safe in self._lying(self.me, zone)
            if not is_safe
        ]
        return {
            "K": max(K_KEPT, K_HELD * max(strikes, default=0.0)),
            "Q": max(0.4, RISK * max(losses, default=0.0)),
            "J": 0.6,
            "A": 0.2,
        }

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
            return DRAWMORE + sum(self._class_held(card) for card in pool) / len(pool)
        return DRAWMORE + sum(self.held(card) for card in pool) / len(pool)

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

    def _struck(self, args: Mapping[str, Json]) -> float:
        after = self._hit(self.board, {**args, "card": args.get("target")})
        if after is self.board:
            return -1.0
        gain = self.value(after, self.me) - self.now
        share = min(1.0, self.growth / 10) if self.is_second_half else 1.0
        return gain - 0.5 - K_KEPT * share

    def _kept(self, card: str) -> float:
        """Return what a character may hope for on an empty table with a whole half to come."""
        empty = tuple(() for _ in self.seats)
        board = Board(self.me, empty, empty, empty, ()).with_card("song", self.me, card)
        whole = self.forecast
        later = Forecast(
            self.lore,
            self.options,
            whole.seats,
            self.me,
            [card for card in FACES],
            20.0,
            [None] * whole.seats,
            0.0,
            [[] for _ in range(whole.seats)],
            0.0,
        )
        return later.score(card, board, self.me)
