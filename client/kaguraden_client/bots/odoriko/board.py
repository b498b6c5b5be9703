"""A position of odoriko as a tally reads it, and what it is worth (odoriko rules, section 12).

The measure is the tally that a seat may hope for. A tally counts the cards on the fields now, and
its share of those that may still come to lie there before the half ends; so a character is worth
something on an empty table, and more the longer the half lasts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from attrs import evolve, field, frozen

from ...reading import Json, as_dict, as_texts, dicts_in
from .cards import RESOURCES, SUITS, ZONES, Term, plain_face

__all__ = ["Board", "Counts", "Judge", "read_board"]

TREE_LEAF: Final = 6  # the value of an average resource card


@frozen
class Board:
    """What a tally reads, as one seat sees it: cards by face, one entry a seat."""

    me: int
    song: tuple[tuple[str, ...], ...]
    dance: tuple[tuple[str, ...], ...]
    piles: tuple[tuple[str, ...], ...]
    hand: tuple[str, ...]
    fallen: tuple[str, ...] = ()  # characters that went from a field to a pile in thought

    def zone(self, zone: str, seat: int) -> tuple[str, ...]:
        """Return the cards of a seat's zone; other seats' hands count as empty."""
        match zone:
            case "song":
                return self.song[seat]
            case "dance":
                return self.dance[seat]
            case "fields":
                return self.song[seat] + self.dance[seat]
            case "discard" | "pile":
                return self.piles[seat]
            case "hand":
                return self.hand if seat == self.me else ()
            case _:
                return ()

    def with_card(self, zone: str, seat: int, card: str) -> Board:
        """Return the board with a card more in a zone."""
        return self._with(zone, seat, (*self.zone(zone, seat), card))

    def without_card(self, zone: str, seat: int, card: str, *, to_pile: bool = True) -> Board:
        """Return the board with a card less in a zone, and in the seat's pile."""
        cards = list(self.zone(zone, seat))
        if card not in cards:
            return self
        cards.remove(card)
        board = self._with(zone, seat, tuple(cards))
        if not to_pile:
            return board
        if zone in ZONES and card not in RESOURCES:
            board = evolve(board, fallen=(*board.fallen, card))
        return board.with_card("pile", seat, card)

    def without_hand(self, *cards: str) -> Board:
        """Return the board without some cards in hand."""
        hand = list(self.hand)
        for card in cards:
            if card in hand:
                hand.remove(card)
        return evolve(self, hand=tuple(hand))

    def _with(self, zone: str, seat: int, cards: tuple[str, ...]) -> Board:
        match zone:
            case "song":
                return evolve(self, song=_replaced(self.song, seat, cards))
            case "dance":
                return evolve(self, dance=_replaced(self.dance, seat, cards))
            case "discard" | "pile":
                return evolve(self, piles=_replaced(self.piles, seat, cards))
            case _:
                return evolve(self, hand=cards) if seat == self.me else self


def read_board(view: Mapping[str, Json], me: int) -> Board:
    """Return the board of a view; what is not there counts as empty."""
    seats = dicts_in(view.get("seats"))
    return Board(
        me=me,
        song=tuple(_lying(seat.get("song")) for seat in seats),
        dance=tuple(_lying(seat.get("dance")) for seat in seats),
        piles=tuple(tuple(as_texts(seat.get("pile"))) for seat in seats),
        hand=tuple(as_texts(as_dict(view.get("you")).get("hand"))),
    )


@frozen
class Counts:
    """Counts what scoring terms count, and remembers it: thought meets the same fields again."""

    options: Mapping[str, Json]
    seats: int
    _found: dict[tuple[Term, tuple[str, ...]], int] = field(factory=dict, init=False, eq=False)

    def scope(self, term: Term, owner: int) -> Sequence[int]:
        """Return the seats whose zones a term of `owner` reads (OD-134, OD-137)."""
        match term.scope:
            case "own":
                return (owner,)
            case "others":
                return [seat for seat in range(self.seats) if seat != owner]
            case "unscoped" if self.options.get("unscoped") == "own":
                return (owner,)
            case _:
                return range(self.seats)

    def by_seat(self, term: Term, board: Board, owner: int) -> list[int]:
        """Return what a term counts, by seat of its scope; the one that counts (OD-136)."""
        counts = [self._count(term, board, seat) for seat in self.scope(term, owner)]
        single = self.options.get("others_threshold") == "single"
        if single and term.each is None and term.scope == "others":
            return [max(counts, default=0)]
        return counts

    def _count(self, term: Term, board: Board, seat: int) -> int:
        if term.zone == "fields":
            return self._counted(term, board.song[seat]) + self._counted(term, board.dance[seat])
        return self._counted(term, board.zone(term.zone, seat))

    def _counted(self, term: Term, cards: tuple[str, ...]) -> int:
        found = self._found.get((term, cards))
        if found is None:
            only = RESOURCES if self.options.get("field_cards") == "resource" else None
            if term.cards is not None:
                only = term.cards
            counted = [card for card in cards if only is None or card in only]
            found = len(counted)
            if term.is_tree:
                found = sum(int(card[:-1]) for card in counted if card in RESOURCES)
            self._found[term, cards] = found
        return found


@frozen
class Judge:
    """Knows what a position is worth to a seat.

    `growth` is how many resource cards may still come onto the fields in this half.
    """

    terms: Mapping[str, tuple[Term, ...]]
    options: Mapping[str, Json]
    seats: int
    growth: float
    _counts: Counts = field(init=False)
    _shares: dict[Term, float] = field(factory=dict, init=False, eq=False)

    @_counts.default
    def _count_alike(self) -> Counts:
        return Counts(self.options, self.seats)

    def tally(self, board: Board, seat: int, growth: float | None = None) -> float:
        """Return what a seat's characters score, with what they may hope for."""
        hoped = self.growth if growth is None else growth
        return sum(
            self._score(term, board, seat, hoped)
            for card in board.zone("fields", seat)
            if card not in RESOURCES
            for term in self.terms.get(card, ())
        )

    def margin(self, board: Board, growth: float | None = None, seat: int | None = None) -> float:
        """Return a seat's tally less the average of the others'; by default the own one's."""
        tallies = [self.tally(board, number, growth) for number in range(self.seats)]
        mine = tallies.pop(board.me if seat is None else seat)
        return mine - sum(tallies) / max(1, len(tallies))

    def _score(self, term: Term, board: Board, owner: int, growth: float) -> float:
        counts = self._counts.by_seat(term, board, owner)
        hope = growth * self._share(term) * len(counts) / self.seats
        if term.each is not None:
            return term.each * (sum(counts) + hope)
        if sum(counts) >= term.at_least:
            return term.vp
        amount = sum(counts) + hope
        return term.vp * min(1.0, amount / term.at_least) ** 3 if hope else 0.0

    def _share(self, term: Term) -> float:
        """Return what part of the resource cards a term counts, in its zone."""
        if term.zone not in (*ZONES, "fields"):
            return 0.0
        if term not in self._shares:
            colour = {"song": "red", "dance": "black"}.get(term.zone)
            counted = sum(
                1
                for card in RESOURCES
                if (term.cards is None or card in term.cards) and colour in (None, SUITS[card[-1]])
            )
            self._shares[term] = counted / len(RESOURCES) * (TREE_LEAF if term.is_tree else 1)
        return self._shares[term]


def _lying(value: Json | None) -> tuple[str, ...]:
    return tuple(plain_face(str(entry.get("card"))) for entry in dicts_in(value))


def _replaced(
    values: tuple[tuple[str, ...], ...], at: int, value: tuple[str, ...]
) -> tuple[tuple[str, ...], ...]:
    return (*values[:at], value, *values[at + 1 :])
