"""What answers in odoriko are worth, by what a seat can see.

An answer's worth is what it does to the seat's hopes (`board.Judge`) less the average of the
others'. Cards in hand are worth most of what placing them would bring; drawing is worth an average
card; skills and events are worth what their lines do (`effects`). Everything is computed from the
view and from the card data in the catalog, so card sets that people make are played by the same
rule. What this leaves out is on purpose: plans of more than one step, and what the others hold.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Final

from attrs import define, field
from kaguraden_protocol.messages import CardsSpec, Decision, IntSpec, Option

from ...reading import Json, as_dict, as_int, as_str, as_texts, dicts_in, has_int
from ...table import Table
from ..policy import Catalog, Choice, any_value, usable
from .board import Board, Judge, read_board
from .cards import FACES, RESOURCES, ZONES, home_of, kind_of, plain_face, reward_of, terms_of
from .effects import HAND_SIZE, Effect, Labels, Named, carry_out, costs_in_vp, named_in
from .forecast import Lore

__all__ = ["Appraiser", "Look"]

LATER: Final = 0.8  # what a card in hand is worth of what placing it would bring
SPECIALS: Final = {"K": 1.1, "J": 0.6, "Q": 0.5, "A": 0.2}  # in hand, in VP
EVENT: Final = 0.3
ACTION: Final = 0.5
FIRST_CHARACTER: Final = 1.5  # without a character a tally is 0, and midway waits for it
ENDING: Final = 3.0  # to end the game as its winner
TEMPO: Final = 0.05  # a card on the table brings the half's end nearer
LONG: Final = 20.0  # resource cards that come to lie in a half


@define
class Appraiser:
    """Gives worths to answers; knows the cards of the room once it has seen them."""

    look: Callable[..., Look]
    _catalog: Catalog | None = field(default=None, init=False)
    _lore: Lore = field(factory=lambda: Lore({}, {}), init=False)

    def __call__(
        self, table: Table, decision: Decision, catalog: Catalog, rng: random.Random
    ) -> list[tuple[float, Choice]]:
        """Return the answers worth a look, with their worth in VP; passing is worth 0."""
        seats = dicts_in(table.view.get("seats"))
        if table.seat is None or not 0 <= table.seat < len(seats):  # there is nothing to look at
            return [(0.0, Choice(o.id, any_value(o.value, rng))) for o in usable(decision)]
        if self._catalog is not catalog:
            self._catalog = catalog
            self._lore = Lore(
                {card: terms_of(entry, catalog) for card, entry in catalog.items()},
                {card: reward for card, entry in catalog.items() if (reward := reward_of(entry))},
            )
        return self.look(table, table.seat, catalog, rng, self._lore).worths(decision)


@define(slots=False, eq=False)
class Look:
    """One look at the table, to answer one decision."""

    of: Table
    me: int
    catalog: Catalog
    rng: random.Random
    lore: Lore

    # --- the table, read once ---------------------------------------------------------------------

    @cached_property
    def view(self) -> Mapping[str, Json]:
        """The view."""
        return self.of.view

    @cached_property
    def table(self) -> Mapping[str, Json]:
        """What the view says of the table."""
        return as_dict(self.view.get("table"))

    @cached_property
    def board(self) -> Board:
        """The board."""
        return read_board(self.view, self.me)

    @cached_property
    def seats(self) -> list[dict[str, Json]]:
        """What the view says of the seats."""
        return dicts_in(self.view.get("seats"))

    @cached_property
    def others(self) -> list[int]:
        """The other seats."""
        return [seat for seat in range(len(self.seats)) if seat != self.me]

    @cached_property
    def options(self) -> Mapping[str, Json]:
        """The room's options, as far as they are known."""
        return self.of.info.options if self.of.info is not None else {}

    @cached_property
    def judge(self) -> Judge:
        """Who knows what boards are worth."""
        return Judge(self.lore.terms, self.options, len(self.seats), self.growth)

    @cached_property
    def now(self) -> float:
        """What the board is worth now."""
        return self.value(self.board, self.me)

    @cached_property
    def is_second_half(self) -> bool:
        """Whether midway is over."""
        return self.table.get("half") == 2

    @cached_property
    def to_the_end(self) -> int:
        """How many more cards end the game, after midway (OD-124)."""
        end = self.table.get("lying_end")
        return max(0, (end if has_int(end) else int(LONG)) - as_int(self.table.get("counted")))

    @cached_property
    def growth(self) -> float:
        """Guess how many resource cards come onto the fields before the next tally."""
        if self.is_second_half:
            return float(self.to_the_end)
        turns = self.table.get("midway_after")
        return float(turns if has_int(turns) else 2 * len(self.seats))

    # --- opinions ---------------------------------------------------------------------------------

    def value(self, board: Board, seat: int) -> float:
        """Return what a board is worth to a seat."""
        margin = self.judge.margin(board, seat=seat)
        if not board.fallen:
            return margin
        won = self.won(board)
        mine = won.pop(seat)
        return margin + mine - sum(won) / max(1, len(won))

    def won(self, board: Board) -> list[float]:
        """Return the VP that skills give each seat at once, for characters that fell."""
        fallen = board.fallen
        return [
            float(
                sum(
                    self.lore.rewards.get(card, 0) * (len(fallen) - fallen.count(card))
                    for card in board.zone("fields", seat)
                )
            )
            for seat in range(len(self.seats))
        ]

    def placed(self, card: str, zone: str | None = None) -> float:
        """Return what placing a card on the own field changes."""
        zone = zone or (home_of(card) if card in RESOURCES else ZONES[0])
        after = self.board.without_hand(card).with_card(zone, self.me, card)
        if card not in RESOURCES:
            gain = self.value(after, self.me) - self.now
            is_first = self._is_character(card) and not self._mine("fc_placed")
            return gain + TEMPO + (FIRST_CHARACTER if is_first else 0.0)
        growth = max(0.0, self.growth - 1) if self.is_second_half else self.growth
        gain = self.judge.margin(after, growth) - self.now
        if self.is_second_half and self.to_the_end <= 1:
            return gain + self._ending(after)
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

    def drawn(self, deck: str) -> float:
        """Return what a card from an own deck is worth on average, in a hand with room for it."""
        pool = self._unseen(deck)
        if not pool:
            return 0.0
        if deck == "character":
            has_one = any(self._is_character(card) for card in self.board.hand)
            if has_one or not self._has_room_for_character():
                return 0.02
        sample = self.rng.sample(pool, min(12, len(pool)))
        return 0.02 + LATER * sum(self.held(card) for card in sample) / len(sample)

    def shown(self, deck: str, number: int) -> tuple[str, ...]:
        """Return cards that may be on top of an own deck."""
        pool = self._unseen(deck)
        return tuple(self.rng.sample(pool, min(number, len(pool))))

    def _unseen(self, deck: str) -> list[str]:
        """Return what may still be in an own deck."""
        board = self.board
        if deck == "character":
            left = as_texts(as_dict(self.view.get("you")).get("deck"))
            for card in (*board.hand, *board.zone("fields", self.me), *board.piles[self.me]):
                if card in left:
                    left.remove(card)
            return left
        seen = set(board.hand)
        for seat in range(len(self.seats)):
            seen.update(board.zone("fields", seat), board.piles[seat])
        return [card for card in FACES if card not in seen]

    def _is_character(self, card: str) -> bool:
        return kind_of(card, self.catalog) == "character"

    def _has_room_for_character(self) -> bool:
        """Whether a field has no new character yet (OD-64, OD-65)."""
        mine = self.seats[self.me]
        return any(
            not any(
                self._is_character(plain_face(as_str(lying.get("card")))) and not lying.get("kept")
                for lying in dicts_in(mine.get(zone))
            )
            for zone in ZONES
        )

    def _mine(self, key: str) -> Json:
        return self.seats[self.me].get(key)

    def _ending(self, after: Board) -> float:
        """Return what it is worth that the game ends like this."""
        finals = [
            as_int(seat.get("vp")) + self.judge.tally(after, number, 0.0)
            for number, seat in enumerate(self.seats)
        ]
        return ENDING if finals[self.me] >= max(finals) else -ENDING

    def _worst(self, cards: Sequence[str], number: int) -> tuple[str, ...]:
        return tuple(sorted(cards, key=self.held)[:number])

    def _best(self, cards: Sequence[str], number: int) -> tuple[str, ...]:
        return tuple(sorted(cards, key=self.held, reverse=True)[:number])

    # --- options ----------------------------------------------------------------------------------

    def worths(self, decision: Decision) -> list[tuple[float, Choice]]:
        """Return the options' worths, each with the value to take it with."""
        found, bells = [], []
        for option in usable(decision):
            worth, choice, actions = self._worth(option)
            if actions:
                bells.append((worth, choice, actions))
            else:
                found.append((worth, choice))
        # More actions are worth what they are used for: the best that can be done, and then more.
        best = max((worth for worth, _ in found), default=0.0)
        for worth, choice, actions in bells:
            found.append((worth + max(best, ACTION) + ACTION * (actions - 1), choice))
        return found

    def _worth(self, option: Option) -> tuple[float, Choice, int]:
        if option.kind in ("use_skill", "use_event", "choose"):
            return self._used(option)
        return (*self.worth(option), 0)

    def worth(self, option: Option) -> tuple[float, Choice]:
        """Return the worth of an option that is no use of a skill or an event."""
        card = plain_face(as_str(option.args.get("card")))
        match option.kind, option.value:
            case "declare_bid", IntSpec(min=least):
                # The first declaration is due anyway; a place is not worth raising it.
                return (0.0 if self._mine("bid") is None else -1.0), Choice(option.id, least)
            case "place", _:
                return -0.01 * as_int(option.args.get("place")), Choice(option.id)
            case "draw", _:
                return self._draw(as_str(option.args.get("deck"))), Choice(option.id)
            case "place_character", _:
                return self.placed(card, as_str(option.args.get("zone"))), Choice(option.id)
            case "place_resource", _ if card in RESOURCES:
                return self.placed(card), Choice(option.id)
            case "discard", _:
                return self._discarded(option, card), Choice(option.id)
            case "use_k", _:
                return self._struck(option.args), Choice(option.id)
            case "use_q", _:
                return self._harm - SPECIALS["Q"], Choice(option.id)
            case "use_j", _:
                return self.held(as_str(option.args.get("takes"))) - 0.4, Choice(option.id)
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

    def _draw(self, deck: str) -> float:
        if len(self.board.hand) >= HAND_SIZE:
            return -0.5  # it would be lost, for anybody's J
        return self.drawn(deck)

    def _discarded(self, option: Option, card: str) -> float:
        zone = as_str(option.args.get("zone"))
        if zone in ZONES:
            after = self.board.without_card(zone, self.me, card)
            return self.value(after, self.me) - self.now - 0.3
        return self._freed() - self.held(card) - 0.1

    def _freed(self) -> float:
        """Return what it is worth that a card leaves the hand."""
        return 0.4 if len(self.board.hand) >= HAND_SIZE else 0.0

    def _struck(self, args: Mapping[str, Json]) -> float:
        """Return what K is worth on a target (OD-74)."""
        after = self._hit(self.board, {**args, "card": args.get("target")})
        return self.value(after, self.me) - self.now - 0.5 if after is not self.board else -1.0

    def _hit(self, board: Board, target: Mapping[str, Json]) -> Board:
        seat, zone = as_int(target.get("seat"), -1), as_str(target.get("zone"))
        if not 0 <= seat < len(self.seats) or zone not in ZONES:
            return board
        return board.without_card(zone, seat, plain_face(as_str(target.get("card"))))

    def _sold(self, option: Option, cards: Sequence[str]) -> tuple[float, Choice]:
        """Offer the worst card for any one card, where somebody could pay (OD-82)."""
        lot = self._worst(cards, 1)
        is_cheap = option.args.get("price") == 1 and option.args.get("price_kind") == "either"
        buyers = any(self.seats[seat].get("rb") for seat in self.others)
        worth = 0.25 - self.held(lot[0]) if lot and buyers and is_cheap else -1.0
        return worth, Choice(option.id, lot)

    def _bid(self, number: int) -> float:
        """Return what the lot is worth for so many of the worst cards in hand."""
        auction = as_dict(self.table.get("auction"))
        lot = as_texts(auction.get("lot"))
        kind = as_str(auction.get("price_kind"))
        payable = [card for card in self.board.hand if card in FACES and _pays(card, kind)]
        cost = self._worst(payable, number)
        room = HAND_SIZE - len(self.board.hand) + len(cost)
        gain = sum(self.held(card) for card in self._best(lot, room))
        return gain - sum(self.held(card) for card in cost) - 0.1

    def _kept(self, card: str) -> float:
        """Return what a character may hope for on an empty table with a whole half to come."""
        return self.judge.tally(self._alone(card), self.me, LONG)

    def _alone(self, card: str) -> Board:
        """Return a board that is empty but for a card on the own field."""
        empty = tuple(() for _ in self.seats)
        return Board(self.me, empty, empty, empty, ()).with_card("song", self.me, card)

    # --- skills and events ------------------------------------------------------------------------

    @cached_property
    def _window(self) -> Mapping[str, Json]:
        return as_dict(self.table.get("window"))

    @cached_property
    def _king_hits(self) -> Mapping[str, Json]:
        """The card that the K which is being answered will discard."""
        if self._window.get("name") != "k":
            return {}
        return as_dict(self._window.get("redirected")) or as_dict(self._window.get("target"))

    @cached_property
    def _harm(self) -> float:
        """Return what the card that is being answered takes away, to whom it answers."""
        if self._window.get("name") == "event":
            card, user = as_str(self._window.get("card")), as_int(self._window.get("seat"), -1)
            if not 0 <= user < len(self.seats) or user == self.me:
                return 0.0
            lines = dicts_in(as_dict(as_dict(self.catalog.get(card)).get("play")).get("do"))
            effect = carry_out(self, lines, self.board, user)
            gain = (effect.gain + ACTION * effect.actions) / max(1, len(self.others))
            return self.now - self.value(effect.board, self.me) + gain
        return self.now - self.value(self._hit(self.board, self._king_hits), self.me)

    def _used(self, option: Option) -> tuple[float, Choice, int]:
        """Return the worth of a use of a skill or an event, or of a choice that one leaves."""
        args = option.args
        label = as_str(args.get("card"))
        this = None
        if option.kind == "use_skill":
            this = Named(self.me, as_str(args.get("zone")), plain_face(label))
        user, does = self._doing(option)
        lines = dicts_in(does.get("do"))
        picks = named_in(args.get("picks"))
        board, gain, paid = self._paid(option, does)
        labels = None
        spec = option.value
        if isinstance(spec, CardsSpec) and paid is None:
            labels = Labels(spec.from_, spec.min, min(spec.max, len(spec.from_)))
        if option.kind == "choose":
            lines = self._line_asked(lines, picks, option)
            user = self.me
        effect = carry_out(
            self,
            lines,
            board,
            user,
            this=this,
            actor=self._actor,
            picks=[named for named in picks if self._is_named(named)],
            labels=labels,
            whose=next((v for v in (args.get("whose"), args.get("to")) if has_int(v)), None),
        )
        worth = gain + effect.gain + self._after(effect, this) - self.now
        return worth, Choice(option.id, self._taken(option, paid, effect)), effect.actions

    def _is_named(self, named: Named) -> bool:
        return self._is_seat(named.seat) and (named.to is None or self._is_seat(named.to[0]))

    def _is_seat(self, seat: int) -> bool:
        return 0 <= seat < len(self.seats)

    @cached_property
    def _actor(self) -> int | None:
        """The player of the card that is being answered."""
        for shown in (self._window, *reversed(dicts_in(self.table.get("stack"))[:-1])):
            seat = shown.get("seat")
            if has_int(seat) and self._is_seat(seat):
                return seat
        return None

    def _doing(self, option: Option) -> tuple[int, Mapping[str, Json]]:
        """Return who uses what, for a use or a choice."""
        user, card = self.me, plain_face(as_str(option.args.get("card")))
        if option.kind == "choose":
            picking = as_dict(self.table.get("picking"))
            card = as_str(picking.get("card"))
            user = as_int(picking.get("seat"), self.me)
        entry = as_dict(self.catalog.get(card))
        return user, as_dict(entry.get("skill")) or as_dict(entry.get("play"))

    def _paid(
        self, option: Option, does: Mapping[str, Json]
    ) -> tuple[Board, float, tuple[str, ...] | None]:
        """Return the board and the loss after payment, and what is paid out of the list on offer."""
        board = self.board
        if option.kind == "choose":
            return board, 0.0, None
        gain = -float(costs_in_vp(does))
        if option.kind == "use_event":
            gain -= self.held(plain_face(as_str(option.args.get("card"))))
            board = board.without_hand(plain_face(as_str(option.args.get("card"))))
        for named in named_in(option.args.get("pays")):
            if named.zone == "hand":
                gain -= self.held(named.card)
                board = board.without_hand(named.card)
            elif self._is_seat(named.seat):
                board = board.without_card(named.zone, named.seat, named.card)
        if option.args.get("list") != "pays" or not isinstance(option.value, CardsSpec):
            return board, gain, None
        paid: list[str] = []
        while len(paid) < min(option.value.min, len(option.value.from_)):
            left = [label for label in option.value.from_ if label not in paid]
            boards = {label: self._without_own(board, plain_face(label)) for label in left}
            cheapest = max(left, key=lambda label: self.value(boards[label], self.me))
            board = boards[cheapest]
            paid.append(cheapest)
        return board, gain, tuple(paid)

    def _without_own(self, board: Board, card: str) -> Board:
        zone = "song" if card in board.song[self.me] else "dance"
        return board.without_card(zone, self.me, card)

    def _line_asked(
        self, lines: list[dict[str, Json]], picks: Sequence[Named], option: Option
    ) -> list[dict[str, Json]]:
        """Return the line that leaves this choice: the first whose zone and aim fit what it names."""
        zones = {named.zone for named in picks}
        has_aim = any(named.to is not None for named in picks) or "to" in option.args
        for line in lines:
            pick = as_dict(line.get("pick")) or as_dict(line.get("a"))
            zone = {"fields": ZONES, "discard": ("pile",)}.get(
                as_str(pick.get("zone"), "fields"), (as_str(pick.get("zone")),)
            )
            if not pick and line.get("op") not in ("vp", "peek"):
                continue
            if zones <= {*zone, ""} and (not has_aim or line.get("op") == "place"):
                return (
                    [{**line, "pick": {**pick, "by": "user", "whose": "any"}}]
                    if pick and "pick" in line
                    else [line]
                )
        return []

    def _after(self, effect: Effect, this: Named | None) -> float:
        """Return the value of the board, with what becomes of the card that is being answered.

        To pass is worth 0; so what that card does when it is not cancelled counts for nothing.
        """
        value = self.value(effect.board, self.me)
        if self._window.get("name") == "event":
            return value + (self._harm if effect.cancels else 0.0)
        if not self._king_hits or self._actor is None:
            return value
        if not effect.cancels:
            hits = self._king_hits
            if effect.redirects and this is not None:
                hits = {"seat": this.seat, "zone": this.zone, "card": this.card}
            value = self.value(self._hit(effect.board, hits), self.me)
        return value + self._harm

    def _taken(
        self, option: Option, paid: tuple[str, ...] | None, effect: Effect
    ) -> tuple[str, ...] | None:
        """Return the value of an answer."""
        spec = option.value
        if not isinstance(spec, CardsSpec):
            return None
        taken = paid if paid is not None else effect.listed
        if taken is not None and spec.min <= len(taken) <= spec.max:
            return taken
        return self._worst(spec.from_, min(spec.min, len(spec.from_)))


def _pays(card: str, kind: str) -> bool:
    return kind == "either" or (kind == "resource") == (card in RESOURCES)
