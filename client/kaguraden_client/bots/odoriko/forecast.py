"""How odoriko may end: the tallies that the seats can expect, by what lies open and one own hand.

A tally counts what lies on the fields now and what will come to lie there. What will come is cards
out of the pool that nobody sees; each seat puts there what helps its own characters more than those
of the others, so cards are weighted by that (`PICKY`). A field without a new character may still
get one. A seat's own characters in hand count as placed, but for a part.

Cards that no scoring term tells apart are of one class, and everything is computed by classes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from attrs import define, field, frozen

from .board import Board, Counts
from .cards import RESOURCES, ZONES, Term, home_of

__all__ = ["Forecast", "Lore"]


PICKY: Final = 0.2  # how much seats choose what they place; 0: by chance
FALLS: Final = 0.04  # characters that fall for each seat and each card to come


@frozen(eq=False)
class Lore:
    """The scoring terms of all cards, and the classes of resource cards that they tell apart.

    `rewards` are the VP that a character brings when another falls.
    """

    terms: Mapping[str, tuple[Term, ...]]
    rewards: Mapping[str, int]
    class_of: Mapping[str, int] = field(init=False)
    counts: Mapping[Term, tuple[float, ...]] = field(init=False)  # by class: what one card counts

    def __attrs_post_init__(self) -> None:
        every = [term for terms in self.terms.values() for term in terms]
        kinds: dict[tuple[object, ...], list[str]] = {}
        for card in sorted(RESOURCES):
            marks = tuple(_counts(term, card) for term in every)
            kinds.setdefault((home_of(card), *marks), []).append(card)
        classes = list(kinds.values())
        of_card = {card: number for number, cards in enumerate(classes) for card in cards}
        object.__setattr__(self, "class_of", of_card)
        counts = {
            term: tuple(float(_counts(term, cards[0])) for cards in classes) for term in every
        }
        object.__setattr__(self, "counts", counts)


def _counts(term: Term, card: str) -> int:
    if term.zone not in (home_of(card), "fields") or not (term.cards is None or card in term.cards):
        return 0
    return int(card[:-1]) if term.is_tree else 1


@frozen
class Coming:
    """What will come, for one set of characters: per seat, how one more card adds to each class."""

    weights: tuple[tuple[float, ...], ...]
    rises: dict[tuple[Term, int], float] = field(factory=dict)


@define(eq=False)
class Forecast:
    """Expects tallies.

    Args:
        lore: The cards.
        counts: Who counts what lies on the fields.
        me: The seat that thinks.
        pool: Cards that may still come, all seats taken together.
        growth: How many resource cards will come to lie before the tally.
        kept: The faces of characters that do not count for the limit, by seat.
        fill: The chance that a field without a new character gets one, by seat.
        strangers: The characters that may still be placed, by seat.
        pending: The chance that a character in the own hand is placed in time.
    """

    lore: Lore
    counts: Counts
    me: int
    pool: Sequence[str]
    growth: float
    kept: Sequence[str | None]
    fill: Sequence[float]
    strangers: Sequence[Sequence[str]]
    pending: float
    _pool: tuple[float, ...] = field(init=False)
    _coming: dict[tuple[tuple[str, ...], ...], Coming] = field(factory=dict, init=False)
    _slots: dict[int, float] = field(factory=dict, init=False)

    @property
    def seats(self) -> int:
        """How many seats there are."""
        return self.counts.seats

    def __attrs_post_init__(self) -> None:
        number = Counter(self.lore.class_of[card] for card in self.pool if card in RESOURCES)
        classes = 1 + max(self.lore.class_of.values(), default=0)
        total = sum(number.values()) or 1
        self._pool = tuple(number[k] / total for k in range(classes))

    # --- tallies ----------------------------------------------------------------------------------

    def tallies(self, board: Board, growth: float | None = None) -> list[float]:
        """Return what each seat can expect."""
        growth = self.growth if growth is None else growth
        characters = [self.characters(board, seat) for seat in range(self.seats)]
        free = [self.free_fields(board, seat) for seat in range(self.seats)]
        coming = self._of(tuple(characters))
        found = [
            sum(self._scores(card, board, seat, growth, coming) for card in characters[seat])
            for seat in range(self.seats)
        ]
        if growth > 0:
            mine = [
                self._scores(card, board, self.me, growth, coming)
                for card in dict.fromkeys(board.hand)
                if card in self.lore.terms and card not in RESOURCES and self.lore.terms[card]
            ]
            for score in sorted(mine, reverse=True):
                if free[self.me] and score > 0:
                    free[self.me] -= 1
                    found[self.me] += self.pending * score
            for seat in range(self.seats):
                if free[seat]:
                    found[seat] += self.fill[seat] * free[seat] * self._slot(seat, board, coming)
        return found

    def characters(self, board: Board, seat: int) -> tuple[str, ...]:
        """Return the characters on a seat's fields."""
        return tuple(c for c in board.song[seat] + board.dance[seat] if c not in RESOURCES)

    def free_fields(self, board: Board, seat: int) -> int:
        """Return how many fields of a seat have no new character."""
        kept = self.kept[seat]
        free = 0
        for zone in ZONES:
            new = [c for c in board.zone(zone, seat) if c not in RESOURCES and c != kept]
            free += not new
        return free

    def score(self, card: str, board: Board, seat: int) -> float:
        """Return what one character can expect on a seat's field."""
        coming = self._of(tuple(self.characters(board, s) for s in range(self.seats)))
        return self._scores(card, board, seat, self.growth, coming)

    def _slot(self, seat: int, board: Board, coming: Coming) -> float:
        if seat not in self._slots:
            scores = [
                max(0.0, self._scores(card, board, seat, self.growth, coming))
                for card in self.strangers[seat]
            ]
            self._slots[seat] = sum(scores) / len(scores) if scores else 0.0
        return self._slots[seat]

    def _scores(self, card: str, board: Board, owner: int, growth: float, coming: Coming) -> float:
        total = FALLS * self.seats * growth * self.lore.rewards.get(card, 0)
        for term in self.lore.terms.get(card, ()):
            counts = self.counts.by_seat(term, board, owner)
            rise = growth * self._rise(term, owner, coming) if growth else 0.0
            if term.each is not None:
                total += term.each * (sum(counts) + rise)
            else:
                total += term.vp * _chance(term.at_least - sum(counts), rise, term.is_tree)
        return total

    # --- what will come ---------------------------------------------------------------------------

    def _of(self, characters: tuple[tuple[str, ...], ...]) -> Coming:
        found = self._coming.get(characters)
        if found is None:
            found = self._coming[characters] = Coming(
                tuple(self._weights(seat, characters) for seat in range(self.seats))
            )
        return found

    def gains(self, seat: int, characters: Sequence[Sequence[str]]) -> list[float]:
        """Return by class what a card on a seat's field gives it more than the others."""
        total = [0.0] * len(self._pool)
        for owner in range(self.seats):
            share = 1.0 if owner == seat else -1.0 / (self.seats - 1)
            for card in characters[owner]:
                for term in self.lore.terms.get(card, ()):
                    if seat not in self.counts.scope(term, owner):
                        continue
                    each = (
                        term.each if term.each is not None else term.vp / max(1, term.at_least) / 2
                    )
                    factor = share * each
                    for k, count in enumerate(self.lore.counts[term]):
                        if count:
                            total[k] += factor * count
        return total

    def _weights(self, seat: int, characters: Sequence[Sequence[str]]) -> tuple[float, ...]:
        gains = self.gains(seat, characters)
        weights = [
            part * math.exp(PICKY * max(-6.0, min(6.0, gain)))
            for part, gain in zip(self._pool, gains, strict=True)
        ]
        total = sum(weights) or 1.0
        return tuple(weight / total / self.seats for weight in weights)

    def _rise(self, term: Term, owner: int, coming: Coming) -> float:
        found = coming.rises.get((term, owner))
        if found is None:
            counts = self.lore.counts[term]
            found = 0.0
            for seat in self.counts.scope(term, owner):
                weights = coming.weights[seat]
                found += sum(w * c for w, c in zip(weights, counts, strict=True) if c)
            coming.rises[term, owner] = found
        return found


def _chance(missing: float, rise: float, is_tree: bool) -> float:
    """Return the chance that so many more come, when `rise` are expected."""
    if missing <= 0:
        return 1.0
    if rise <= 0:
        return 0.0
    if is_tree or missing > 12:
        return min(1.0, rise / missing) ** 3
    part = math.exp(-rise)
    below = part
    for k in range(1, math.ceil(missing)):
        part *= rise / k
        below += part
    return max(0.0, 1.0 - below)
