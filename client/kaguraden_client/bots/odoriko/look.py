"""What answers in odoriko are worth, by what a seat can see (odoriko rules, section 12).

The measure is the tally that the seat may hope for, less that of the others on average. A tally
counts the cards on the fields now, and its share of those that may still come to lie there before
the half ends; so a character is worth something on an empty table, and more the longer the half
lasts. Everything is computed from the view and from the scoring terms in the catalog, so card sets
that people make are played by the same rule.

An answer's worth is what it does to that measure. Cards in hand are worth most of what placing
them would bring; drawing is worth an average card. What this leaves out is on purpose: plans of
more than one step, and what the others hold.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

from attrs import evolve, field, frozen
from kaguraden_protocol.messages import (
    CardsSpec,
    Decision,
    IntSpec,
    Option,
)

from ..reading import Json, as_dict, as_texts, dicts_in, has_int
from ..table import Table
from .policy import Catalog, Choice, any_value, usable

__all__ = ["Board", "Judge", "Term", "appraise", "read_board", "terms_of"]

SUITS: Final = {"S": "black", "H": "red", "D": "red", "C": "black"}
RANKS: Final = (*(str(value) for value in range(2, 11)), "J", "Q", "K", "A")
FACES: Final = tuple(rank + suit for rank in RANKS for suit in SUITS)
RESOURCES: Final = frozenset(face for face in FACES if face[:-1].isdigit())
HAND_SIZE: Final = 4  # OD-51
ZONES: Final = ("song", "dance")

LATER: Final = 0.8  # what a card in hand is worth of what placing it would bring
SPECIALS: Final = {"K": 1.1, "J": 0.6, "Q": 0.5, "A": 0.2}  # in hand, in VP
EVENT: Final = 0.05
FIRST_CHARACTER: Final = 1.5  # without a character a tally is 0, and midway waits for it
ENDING: Final = 3.0  # to end the game as its winner
TEMPO: Final = 0.05  # a card on the table brings the half's end nearer


# --- what scores -----------------------------------------------------------------------------------


@frozen
class Term:
    """A scoring term. `cards` are the cards it counts, None for all of its zone."""

    scope: str
    zone: str
    cards: frozenset[str] | None
    each: int | None
    at_least: int
    vp: int
    is_tree: bool


def terms_of(entry: Json, catalog: Catalog) -> tuple[Term, ...]:
    """Return the scoring terms of a catalog entry; those that it does not understand are left out."""
    if not isinstance(entry, dict) or not isinstance(entry.get("score"), list):
        return ()
    terms = []
    for raw in dicts_in(entry["score"]):
        match = raw.get("match")
        each, at_least, vp = (_int(raw.get(key)) for key in ("each", "at_least", "vp"))
        if each is None and (at_least is None or vp is None):
            continue
        terms.append(
            Term(
                scope=str(raw.get("scope")),
                zone=str(raw.get("zone")),
                cards=_matching(match, catalog) if isinstance(match, dict) and match else None,
                each=each,
                at_least=at_least or 0,
                vp=vp or 0,
                is_tree=raw.get("measure") == "tree",
            )
        )
    return tuple(terms)


def _matching(match: Mapping[str, Json], catalog: Catalog) -> frozenset[str]:
    """Return the faces that pass a filter of card data."""
    return frozenset(
        face
        for face in (*FACES, *(card for card in catalog if card not in SPECIALS))
        if _passes(match, face, catalog)
    )


def _passes(match: Mapping[str, Json], face: str, catalog: Catalog) -> bool:
    is_pack = face in FACES
    value = int(face[:-1]) if face in RESOURCES else None
    entry = catalog.get(face)
    kind = (
        "resource"
        if value
        else "special"
        if is_pack
        else (entry.get("kind") if isinstance(entry, dict) else None)
    )
    tests: dict[str, Callable[[Json], bool]] = {
        "kind": lambda kinds: kind in as_texts(kinds),
        "suit": lambda suits: is_pack and face[-1] in as_texts(suits),
        "colour": lambda colour: is_pack and SUITS[face[-1]] == colour,
        "rank": lambda ranks: is_pack and face[:-1] in as_texts(ranks),
        "min": lambda least: value is not None and value >= (_int(least) or 0),
        "max": lambda most: value is not None and value <= (_int(most) or 0),
        "id": lambda ids: face in as_texts(ids),
    }
    return all(tests[key](wanted) for key, wanted in match.items() if key in tests)


# --- the position ------------------------------------------------------------------------------------


@frozen
class Board:
    """What a tally reads, as one seat sees it: cards by face, one entry a seat."""

    me: int
    song: tuple[tuple[str, ...], ...]
    dance: tuple[tuple[str, ...], ...]
    piles: tuple[tuple[str, ...], ...]
    hand: tuple[str, ...]

    def zone(self, zone: str, seat: int) -> tuple[str, ...]:
        """Return the cards of a seat's zone; other seats' hands count as empty."""
        match zone:
            case "song":
                return self.song[seat]
            case "dance":
                return self.dance[seat]
            case "fields":
                return self.song[seat] + self.dance[seat]
            case "discard":
                return self.piles[seat]
            case "hand":
                return self.hand if seat == self.me else ()
            case _:
                return ()

    def with_card(self, zone: str, seat: int, card: str) -> Board:
        """Return the board with a card more on a field."""
        return self._with(zone, seat, (*self.zone(zone, seat), card))

    def without_card(self, zone: str, seat: int, card: str) -> Board:
        """Return the board with a card less on a field, and in the seat's pile."""
        cards = list(self.zone(zone, seat))
        if card not in cards:
            return self
        cards.remove(card)
        piles = _replaced(self.piles, seat, (*self.piles[seat], card))
        return evolve(self._with(zone, seat, tuple(cards)), piles=piles)

    def without_hand(self, *cards: str) -> Board:
        """Return the board without some cards in hand."""
        hand = list(self.hand)
        for card in cards:
            if card in hand:
                hand.remove(card)
        return evolve(self, hand=tuple(hand))

    def _with(self, zone: str, seat: int, cards: tuple[str, ...]) -> Board:
        if zone == "song":
            return evolve(self, song=_replaced(self.song, seat, cards))
        return evolve(self, dance=_replaced(self.dance, seat, cards))


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
class Judge:
    """Knows what a position is worth to a seat.

    `growth` is how many resource cards may still come onto the fields in this half.
    """

    terms: Mapping[str, tuple[Term, ...]]
    options: Mapping[str, Json]
    seats: int
    growth: float
    _shares: dict[tuple[frozenset[str] | None, str], float] = field(factory=dict, eq=False)

    def tally(self, board: Board, seat: int, growth: float | None = None) -> float:
        """Return what a seat's characters score, with what they may hope for."""
        hoped = self.growth if growth is None else growth
        return sum(
            self._score(term, board, seat, hoped)
            for card in board.zone("fields", seat)
            for term in self.terms.get(card, ())
        )

    def margin(self, board: Board, growth: float | None = None) -> float:
        """Return the own tally less the average of the others'."""
        tallies = [self.tally(board, seat, growth) for seat in range(self.seats)]
        mine = tallies.pop(board.me)
        return mine - sum(tallies) / max(1, len(tallies))

    def _score(self, term: Term, board: Board, owner: int, growth: float) -> float:
        match term.scope:
            case "own":
                seats: Iterable[int] = (owner,)
            case "others":
                seats = (seat for seat in range(self.seats) if seat != owner)
            case "unscoped" if self.options.get("unscoped") == "own":
                seats = (owner,)
            case _:
                seats = range(self.seats)
        counts = [self._count(term, board.zone(term.zone, seat)) for seat in seats]
        single = self.options.get("others_threshold") == "single"
        if single and term.each is None and term.scope == "others":
            counts = [max(counts, default=0)]
        hope = growth * self._share(term) * len(counts) / self.seats
        if term.each is not None:
            return term.each * (sum(counts) + hope)
        amount = sum(counts) + hope
        if sum(counts) >= term.at_least:
            return term.vp
        return term.vp * min(1.0, amount / term.at_least) ** 3 if hope else 0.0

    def _count(self, term: Term, cards: Sequence[str]) -> int:
        if term.cards is None:
            only = RESOURCES if self.options.get("field_cards") == "resource" else None
            counted = [card for card in cards if only is None or card in only]
        else:
            counted = [card for card in cards if card in term.cards]
        if term.is_tree:
            return sum(int(card[:-1]) for card in counted if card in RESOURCES)
        return len(counted)

    def _share(self, term: Term) -> float:
        """Return what part of the resource cards a term counts, in its zone."""
        if term.zone not in ("song", "dance", "fields"):
            return 0.0
        key = (term.cards, term.zone)
        if key not in self._shares:
            colour = {"song": "red", "dance": "black"}.get(term.zone)
            self._shares[key] = (
                sum(
                    1
                    for card in RESOURCES
                    if (term.cards is None or card in term.cards)
                    and colour in (None, SUITS[card[-1]])
                )
                / len(RESOURCES)
                * (6 if term.is_tree else 1)
            )
        return self._shares[key]


# --- what an answer is worth ---------------------------------------------------------------------------


def appraise(
    table: Table, decision: Decision, catalog: Catalog, rng: random.Random
) -> list[tuple[float, Choice]]:
    """Return the answers worth a look, with their worth in VP; passing is worth 0."""
    seats = dicts_in(table.view.get("seats"))
    if table.seat is None or not 0 <= table.seat < len(seats):  # there is nothing to look at
        return [(0.0, Choice(o.id, any_value(o.value, rng))) for o in usable(decision)]
    look = _Look(table, table.seat, catalog, rng)
    return [look.worth(option) for option in usable(decision)]


@frozen
class _Look:
    """One look at the table, to answer one decision."""

    of: Table
    me: int
    catalog: Catalog
    rng: random.Random

    # --- the table, read once ------------------------------------------------------------------

    @cached_property
    def view(self) -> Mapping[str, Json]:
        return self.of.view

    @cached_property
    def table(self) -> Mapping[str, Json]:
        return as_dict(self.view.get("table"))

    @cached_property
    def board(self) -> Board:
        return read_board(self.view, self.me)

    @cached_property
    def seats(self) -> list[dict[str, Json]]:
        return dicts_in(self.view.get("seats"))

    @cached_property
    def judge(self) -> Judge:
        terms = {card: terms_of(entry, self.catalog) for card, entry in self.catalog.items()}
        options = self.of.info.options if self.of.info is not None else {}
        return Judge(terms, options, len(self.seats), self._growth())

    @cached_property
    def now(self) -> float:
        return self.judge.margin(self.board)

    def _growth(self) -> float:
        """Guess how many resource cards come onto the fields before the next tally."""
        if _int(self.table.get("half")) == 2:
            end, counted = _int(self.table.get("lying_end")), _int(self.table.get("counted"))
            return float(max(0, (end or 20) - (counted or 0)))
        turns = _int(self.table.get("midway_after"))
        return float(turns if turns is not None else 2 * len(self.seats))

    # --- cards --------------------------------------------------------------------------------------

    def _is_character(self, card: str) -> bool:
        return as_dict(self.catalog.get(card)).get("kind") == "character"

    def _has_room_for_character(self) -> bool:
        """Whether a field has no new character yet (OD-64, OD-65)."""
        mine = self.seats[self.me]
        return any(
            not any(
                self._is_character(str(lying.get("card"))) and not lying.get("kept")
                for lying in dicts_in(mine.get(zone))
            )
            for zone in ZONES
        )

    def placed(self, card: str, zone: str | None = None) -> float:
        """Return what placing a card on the own field changes."""
        zone = zone or ("dance" if card in RESOURCES and SUITS[card[-1]] == "black" else "song")
        growth = self.judge.growth
        if card in RESOURCES and _int(self.table.get("half")) == 2:
            growth = max(0.0, growth - 1)
        after = self.board.without_hand(card).with_card(zone, self.me, card)
        gain = self.judge.margin(after, growth) - self.now
        if card in RESOURCES and self._would_end():
            return gain + self._ending(after)
        if self._is_character(card) and not self._mine("fc_placed"):
            gain += FIRST_CHARACTER
        return gain + TEMPO

    def held(self, card: str) -> float:
        """Return what a card in hand is worth."""
        if card in FACES and card not in RESOURCES:
            return SPECIALS[card[:-1]]
        if card in RESOURCES:
            return LATER * max(0.0, self.placed(card))
        if self._is_character(card):
            return LATER * max(0.1, self.placed(card)) if self._has_room_for_character() else 0.1
        return EVENT

    def _mine(self, key: str) -> Json:
        return self.seats[self.me].get(key)

    def _would_end(self) -> bool:
        """Whether one more resource card ends the game (OD-124)."""
        end, counted = _int(self.table.get("lying_end")), _int(self.table.get("counted"))
        is_second = _int(self.table.get("half")) == 2
        return is_second and end is not None and counted is not None and counted + 1 >= end

    def _ending(self, after: Board) -> float:
        """Return what it is worth that the game ends like this."""
        finals = [
            (_int(seat.get("vp")) or 0) + self.judge.tally(after, number, 0.0)
            for number, seat in enumerate(self.seats)
        ]
        return ENDING if finals[self.me] >= max(finals) else -ENDING

    def _drawn(self, deck: str) -> float:
        """Return what a card from the top of an own deck is worth on average."""
        if len(self.board.hand) >= HAND_SIZE:
            return -0.5  # it would be lost, for anybody's J
        if deck == "character":
            mine = as_texts(as_dict(self.view.get("you")).get("deck"))
            seen = {
                *self.board.hand,
                *self.board.zone("fields", self.me),
                *self.board.piles[self.me],
            }
            pool = [card for card in mine if card not in seen]
            has_one = any(self._is_character(card) for card in self.board.hand)
            if has_one or not self._has_room_for_character():
                return 0.02
        else:
            seen = {
                card for seat in range(len(self.seats)) for card in self.board.zone("fields", seat)
            }
            pool = [card for card in FACES if card not in seen and card not in self.board.hand]
        if not pool:
            return 0.0
        sample = self.rng.sample(pool, min(12, len(pool)))
        return 0.02 + LATER * sum(self.held(card) for card in sample) / len(sample)

    def _worst(self, cards: Sequence[str], number: int) -> tuple[str, ...]:
        return tuple(sorted(cards, key=self.held)[:number])

    def _best(self, cards: Sequence[str], number: int) -> tuple[str, ...]:
        return tuple(sorted(cards, key=self.held, reverse=True)[:number])

    # --- options --------------------------------------------------------------------------------------

    def worth(self, option: Option) -> tuple[float, Choice]:
        """Return an option's worth, with the value to take it with."""
        card = str(option.args.get("card"))
        match option.kind, option.value:
            case "declare_bid", IntSpec(min=least):
                # The first declaration is due anyway; a place is not worth raising it.
                return (0.0 if self._mine("bid") is None else -1.0), Choice(option.id, least)
            case "place", _:
                return -0.01 * (_int(option.args.get("place")) or 0), Choice(option.id)
            case "draw", _:
                return self._drawn(str(option.args.get("deck"))), Choice(option.id)
            case "place_character", _:
                return self.placed(card, str(option.args.get("zone"))), Choice(option.id)
            case "place_resource", _:
                return self.placed(card), Choice(option.id)
            case "discard", _:
                return self._discarded(option, card), Choice(option.id)
            case "use_k", _:
                return self._struck(option.args), Choice(option.id)
            case "use_q", _:
                return self._saved(), Choice(option.id)
            case "use_j", _:
                return self.held(str(option.args.get("takes"))) - 0.4, Choice(option.id)
            case "use_a", _:
                lot = as_texts(as_dict(self.table.get("window")).get("lot"))
                return sum(map(self.held, lot)) - SPECIALS["A"], Choice(option.id)
            case "q_swap", _:
                return -SPECIALS["Q"], Choice(option.id)
            case "sell", CardsSpec(from_=cards):
                return self._sold(option, cards)
            case "bid", IntSpec(min=least):
                return self._bid(least), Choice(option.id, least)
            case "pay", CardsSpec(from_=cards, min=number):
                return 1.0, Choice(option.id, self._worst(cards, number))
            case "keep", CardsSpec(from_=cards, max=number):
                return 1.0, Choice(option.id, self._best(cards, number))
            case "keep_character", _:
                return self._kept(card), Choice(option.id)
            case "end_turn" | "pass" | "done" | "lock_bid", _:
                return 0.0, Choice(option.id)
            case _:  # a kind of a later version: rather than nothing, by chance
                return 0.01 * self.rng.random(), Choice(
                    option.id, any_value(option.value, self.rng)
                )

    def _discarded(self, option: Option, card: str) -> float:
        zone = str(option.args.get("zone"))
        if zone in ZONES:
            return self.judge.margin(self.board.without_card(zone, self.me, card)) - self.now - 0.3
        makes_room = 0.4 if len(self.board.hand) >= HAND_SIZE else 0.0
        return makes_room - self.held(card) - 0.1

    def _struck(self, target: Mapping[str, Json]) -> float:
        """Return what K is worth on a target (OD-74)."""
        after = self._hit(target)
        return self.judge.margin(after) - self.now - 0.5 if after is not self.board else -1.0

    def _hit(self, target: Mapping[str, Json]) -> Board:
        named = as_dict(target.get("target")) or target
        seat, zone, card = _int(named.get("seat")), str(named.get("zone")), named.get("target")
        face = card if isinstance(card, str) else str(named.get("card"))
        if seat is None or not 0 <= seat < len(self.seats) or zone not in ZONES:
            return self.board
        return self.board.without_card(zone, seat, face)

    def _saved(self) -> float:
        """Return what it is worth to cancel the K that is being used (OD-73)."""
        after = self._hit(as_dict(self.table.get("window")))
        return self.now - self.judge.margin(after) - SPECIALS["Q"]

    def _sold(self, option: Option, cards: Sequence[str]) -> tuple[float, Choice]:
        """Offer the worst card for any one card, where somebody could pay (OD-82)."""
        lot = self._worst(cards, 1)
        is_cheap = option.args.get("price") == 1 and option.args.get("price_kind") == "either"
        buyers = sum(1 for seat in self.seats if seat.get("seat") != self.me and seat.get("rb"))
        worth = 0.25 - self.held(lot[0]) if lot and buyers and is_cheap else -1.0
        return worth, Choice(option.id, lot)

    def _bid(self, number: int) -> float:
        """Return what the lot is worth for so many of the worst cards in hand."""
        auction = as_dict(self.table.get("auction"))
        lot = as_texts(auction.get("lot"))
        payable = [
            card
            for card in self.board.hand
            if card in FACES and _pays(card, str(auction.get("price_kind")))
        ]
        cost = self._worst(payable, number)
        room = HAND_SIZE - len(self.board.hand) + len(cost)
        gain = sum(self.held(card) for card in self._best(lot, room))
        return gain - sum(self.held(card) for card in cost) - 0.1

    def _kept(self, card: str) -> float:
        """Return what a character may hope for on an empty table with a whole half to come."""
        empty = tuple(() for _ in self.seats)
        board = Board(self.me, empty, empty, empty, ()).with_card("song", self.me, card)
        return self.judge.tally(board, self.me, 20.0)


def _pays(card: str, kind: str) -> bool:
    return kind == "either" or (kind == "resource") == (card in RESOURCES)


# --- reading what may be anything --------------------------------------------------------------------


def _int(value: Json | None) -> int | None:
    return value if has_int(value) else None


def _lying(value: Json | None) -> tuple[str, ...]:
    return tuple(str(entry.get("card")) for entry in dicts_in(value))


def _replaced(
    values: tuple[tuple[str, ...], ...], at: int, value: tuple[str, ...]
) -> tuple[tuple[str, ...], ...]:
    return (*values[:at], value, *values[at + 1 :])
