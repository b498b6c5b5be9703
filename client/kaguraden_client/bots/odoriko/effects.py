"""What skills and events do, as far as a seat can foresee it, from their data (odoriko rules, section 20).

`carry_out` goes through the lines of an effect and returns the board after them and what they are
worth beside the board: cards won or lost, VP, actions. What a line leaves to choose is chosen by
what is best for the user, card by card; what chance or hidden cards decide is taken at its average.
So any card set that is made of the operations of the rules is played, by no rule of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Protocol

from attrs import define, evolve, field, frozen

from ...reading import Json, as_dict, as_int, as_str, dicts_in
from ..policy import Catalog
from .board import Board
from .cards import RESOURCES, ZONES, home_of, passes, plain_face

__all__ = ["Effect", "Labels", "Named", "Scene", "carry_out", "costs_in_vp", "named_in"]

HAND_SIZE: Final = 4  # OD-51
UNSEEN: Final = 0.5  # an average card in a hand that nobody sees, in VP
WORST_UNSEEN: Final = 0.3
RISK: Final = 0.15  # that a K strikes a character before its owner's next turn
PEEK: Final = 0.1
FROZEN: Final = 0.3  # a field that one's opponent may not use for a turn


class Scene(Protocol):
    """The table as the seat that thinks sees it, and its opinion of it."""

    @property
    def me(self) -> int:
        """The seat that thinks."""

    @property
    def seats(self) -> Sequence[Mapping[str, Json]]:
        """The seats, as the view has them."""

    @property
    def catalog(self) -> Catalog:
        """The cards of the room."""

    def value(self, board: Board, seat: int) -> float:
        """Return what a board is worth to a seat, compared with the others."""

    def held(self, card: str) -> float:
        """Return what a card in the own hand is worth."""

    def drawn(self, deck: str) -> float:
        """Return what an average card of an own deck is worth."""

    def shown(self, deck: str, number: int) -> tuple[str, ...]:
        """Return cards that may be on top of an own deck."""


@frozen
class Named:
    """A card in a zone, a field or a seat; `to` is the field that a card is to be put on."""

    seat: int
    zone: str = ""
    card: str = ""
    to: tuple[int, str] | None = None


@frozen
class Effect:
    """What came of an effect: the board, and what it is worth beside that to the user."""

    board: Board
    gain: float = 0.0
    cancels: bool = False
    redirects: bool = False
    actions: int = 0
    shown: tuple[str, ...] = ()
    listed: tuple[str, ...] | None = None  # what was taken of the labels on offer


def named_in(value: Json | None) -> tuple[Named, ...]:
    """Return the cards that an option's args name."""
    return tuple(_named(entry) for entry in dicts_in(value))


def _named(entry: Mapping[str, Json]) -> Named:
    to = as_dict(entry.get("to"))
    return Named(
        as_int(entry.get("seat"), -1),
        as_str(entry.get("zone")),
        plain_face(as_str(entry.get("card"))),
        (as_int(to.get("seat"), -1), as_str(to.get("zone"))) if to else None,
    )


def costs_in_vp(does: Mapping[str, Json]) -> int:
    """Return the VP that a skill or an event costs (OD-185)."""
    return sum(as_int(entry.get("vp")) for entry in dicts_in(does.get("cost")))


@frozen
class Labels:
    """A list out of which so many labels are to be taken."""

    of: tuple[str, ...]
    least: int
    most: int


def carry_out(
    scene: Scene,
    lines: Sequence[Mapping[str, Json]],
    board: Board,
    user: int,
    *,
    this: Named | None = None,
    actor: int | None = None,
    picks: Sequence[Named] = (),
    labels: Labels | None = None,
    whose: int | None = None,
) -> Effect:
    """Return what comes of the lines of an effect.

    Args:
        scene: The table.
        lines: The lines, as the catalog has them.
        board: The position before.
        user: Who uses the effect.
        this: The character whose skill it is.
        actor: The player of the card that it answers.
        picks: What its lines name already, in their order.
        labels: The cards on offer beside that, and how many of them to take.
        whose: The one seat that they are to be taken from, or put to.
    """
    doing = _Doing(scene, user, this, actor, list(picks), labels, whose)
    effect = Effect(board)
    for line in lines:
        effect = doing.line(line, effect)
    return effect


@define
class _Doing:
    """An effect being carried out; `picks` and `labels` are used up line by line."""

    scene: Scene
    user: int
    this: Named | None
    actor: int | None
    picks: list[Named]
    labels: Labels | None
    whose: int | None
    _others: tuple[int, ...] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._others = tuple(s for s in range(len(self.scene.seats)) if s != self.user)

    # --- lines ------------------------------------------------------------------------------------

    def line(self, line: Mapping[str, Json], effect: Effect) -> Effect:
        """Carry out a line."""
        pick = as_dict(line.get("pick"))
        number = as_int(line.get("n"), 1)
        match line.get("op"):
            case "discard" if line.get("this") is True:
                return self._apply(line, self.this, effect) if self.this else effect
            case "discard" | "place" | "take" if pick.get("by") == "holder":
                return self._by_holders(line, pick, effect)
            case "discard" | "place" | "take" | "mark":
                return self._picked(line, pick, effect)
            case "exchange":
                return self._exchanged(line, effect)
            case "draw":
                return evolve(effect, gain=effect.gain + self._drawn(line, number))
            case "show":
                return evolve(effect, shown=self._top(as_str(line.get("deck")), number))
            case "peek":
                return evolve(effect, gain=effect.gain + PEEK)
            case "vp":
                return evolve(effect, gain=effect.gain + self._vp(line.get("whose"), number))
            case "fc" if self.this is not None:
                return evolve(effect, gain=effect.gain + self._at_risk(self.this, effect.board))
            case "cancel":
                return evolve(effect, cancels=True)
            case "redirect":
                return evolve(effect, redirects=True)
            case "actions":
                return evolve(effect, actions=effect.actions + number)
            case _:
                return effect

    def _drawn(self, line: Mapping[str, Json], number: int) -> float:
        if self.user != self.scene.me:
            return UNSEEN * number
        seat = self.scene.seats[self.user]
        room = HAND_SIZE - as_int(seat.get("rb")) - as_int(seat.get("cb"))
        deck = as_str(line.get("deck"))
        return self.scene.drawn(deck) * max(0, min(number, room))

    def _top(self, deck: str, number: int) -> tuple[str, ...]:
        return self.scene.shown(deck, number) if self.user == self.scene.me else ()

    def _vp(self, whose: Json, number: int) -> float:
        share = number / max(1, len(self._others))
        match whose:
            case None | "self":
                return number
            case "each":
                return 0.0
            case "each_other":
                return -number
            case _:
                return -share

    def _at_risk(self, named: Named, board: Board) -> float:
        """Return what it is worth that K cannot name a card."""
        if named.card not in board.zone(named.zone, named.seat):
            return 0.0
        without = board.without_card(named.zone, named.seat, named.card)
        return RISK * (self.scene.value(board, self.user) - self.scene.value(without, self.user))

    def _by_holders(
        self, line: Mapping[str, Json], pick: Mapping[str, Json], effect: Effect
    ) -> Effect:
        """Everybody gives what it likes least; the user knows its own hand alone."""
        least = as_int(as_dict(pick.get("holders")).get("hand_at_least"))
        gain = 0.0
        for number, seat in enumerate(self.scene.seats):
            hand = as_int(seat.get("rb")) + as_int(seat.get("cb"))
            if pick.get("zone") == "hand" and (not hand or hand < least):
                continue
            if number != self.user:
                gain += WORST_UNSEEN / max(1, len(self._others))
            elif pick.get("whose") == "each":
                gain -= self._own_worst(pick, effect.board)
        if line.get("op") == "take":  # what the others lose, somebody gets
            gives = self._own_worst(pick, effect.board) if pick.get("whose") == "each" else 0.0
            gain = WORST_UNSEEN - gives
        return evolve(effect, gain=effect.gain + gain)

    def _own_worst(self, pick: Mapping[str, Json], board: Board) -> float:
        if self.user != self.scene.me:
            return WORST_UNSEEN
        match = as_dict(pick.get("match"))
        hand = [card for card in board.hand if passes(match, card, self.scene.catalog)]
        return min(map(self.scene.held, hand), default=0.0)

    # --- choosing ---------------------------------------------------------------------------------

    def _picked(self, line: Mapping[str, Json], pick: Mapping[str, Json], effect: Effect) -> Effect:
        """Carry a line out on what was named for it, or on what is best."""
        candidates = list(self._candidates(line, pick, effect))
        most = 99 if pick.get("n") == "any" else as_int(pick.get("n"), 1)
        taken = 0
        while self.picks and taken < most and self._is_of(self.picks[0], candidates):
            effect = self._apply(line, self.picks.pop(0), effect)
            taken += 1
        offered = self._offered(candidates)
        if offered is not None and self.labels is not None:
            labels, self.labels = self.labels, None
            return self._best(line, offered, effect, labels.least, labels.most, listing=True)
        if taken:
            return effect
        is_free = pick.get("n") == "any" or pick.get("upto") is True
        choices = [(candidate.card, candidate) for candidate in candidates]
        is_one = pick.get("whose") == "one_other"
        return self._best(line, choices, effect, 0 if is_free else most, most, one_seat=is_one)

    def _best(
        self,
        line: Mapping[str, Json],
        choices: Sequence[tuple[str, Named]],
        effect: Effect,
        least: int,
        most: int,
        *,
        listing: bool = False,
        one_seat: bool = False,
    ) -> Effect:
        """Take the best card, again and again while it helps or has to be."""
        left = list(choices)
        taken: list[str] = []
        now = self.worth(effect)
        while left and len(taken) < most:
            tried = [(self._apply(line, named, effect), label, named) for label, named in left]
            after, label, named = max(tried, key=lambda one: self.worth(one[0]))
            if self.worth(after) <= now and len(taken) >= least:
                break
            effect, now = after, self.worth(after)
            taken.append(label)
            left = [
                (other, more)
                for other, more in left
                if other != label
                and (other.split(">")[0] != label.split(">")[0] or not listing)
                and (not one_seat or more.seat == named.seat)
            ]
        return evolve(effect, listed=tuple(taken)) if listing else effect

    def worth(self, effect: Effect) -> float:
        """Return what an effect is worth to its user."""
        return self.scene.value(effect.board, self.user) + effect.gain

    def _is_of(self, named: Named, candidates: Sequence[Named]) -> bool:
        return any(
            (named.seat, named.zone, named.card) == (other.seat, other.zone, other.card)
            for other in candidates
        )

    def _offered(self, candidates: Sequence[Named]) -> list[tuple[str, Named]] | None:
        """Return what the labels on offer mean for a line, None if they are not for it."""
        if self.labels is None:
            return None
        found = []
        left = list(candidates)
        for label in self.labels.of:
            face, _, to = label.partition(">")
            seat, _, zone = to.partition(":")
            fitting = [
                named
                for named in left
                if named.card == plain_face(face)
                and (self.whose is None or self.whose in (named.seat, (named.to or (-1,))[0]))
                and (not to or (named.to is not None and str(named.to[0]) == seat))
                and (not zone or (named.to is not None and named.to[1] == zone))
            ]
            if not fitting:
                return None
            found.append((label, fitting[0]))
            left.remove(fitting[0])
        return found

    def _owners(self, whose: Json) -> tuple[int, ...]:
        match whose:
            case "self":
                return (self.user,)
            case "actor":
                return () if self.actor is None else (self.actor,)
            case "any" | "each":
                return (self.user, *self._others)
            case _:
                return self._others

    def _candidates(
        self, line: Mapping[str, Json], pick: Mapping[str, Json], effect: Effect
    ) -> Iterator[Named]:
        """Yield the cards that a line may take, each with every field that it may go to."""
        is_field = line.get("on") == "field"
        zone = as_str(pick.get("zone"), "fields")
        zones = ZONES if zone == "fields" else ("pile",) if zone == "discard" else (zone,)
        match = as_dict(pick.get("match"))
        for seat in self._owners(pick.get("whose")):
            for here in zones:
                if is_field:
                    yield Named(seat, here)
                    continue
                cards = effect.shown if here == "shown" else effect.board.zone(here, seat)
                for card in cards:
                    named = Named(seat, here, card)
                    if passes(match, card, self.scene.catalog, this=self._is_this(named)):
                        yield from self._with_aim(line, named)

    def _is_this(self, named: Named) -> bool:
        return self.this is not None and evolve(named, to=None) == self.this

    def _with_aim(self, line: Mapping[str, Json], named: Named) -> Iterator[Named]:
        if line.get("op") != "place":
            yield named
            return
        to = as_dict(line.get("to"))
        for seat in self._owners(to.get("whose")):
            for zone in (home_of(named.card),) if named.card in RESOURCES else ZONES:
                if to.get("zone") in (zone, "match") and (seat, zone) != (named.seat, named.zone):
                    yield evolve(named, to=(seat, zone))

    # --- one card ---------------------------------------------------------------------------------

    def _apply(self, line: Mapping[str, Json], named: Named, effect: Effect) -> Effect:
        """Do to one card what a line does."""
        match line.get("op"):
            case "discard":
                return self._removed(named, effect, to_pile=True)
            case "place":
                to_seat, to_zone = self._aim(line, named)
                effect = self._removed(named, effect, to_pile=False, keeps=True)
                return evolve(effect, board=effect.board.with_card(to_zone, to_seat, named.card))
            case "take":
                effect = self._removed(named, effect, to_pile=False)
                gainer = named.seat if line.get("to") == "holder" else self.user
                return evolve(effect, gain=effect.gain + self._gained(named.card, gainer))
            case "mark" if not named.card:
                return evolve(effect, gain=effect.gain + self._frozen(named, effect.board))
            case "mark":
                risk = 0.0 if self._is_first(named) else self._at_risk(named, effect.board)
                helped = risk if named.seat == self.user else -abs(risk)
                return evolve(effect, gain=effect.gain + helped)
            case _:
                return effect

    def _removed(
        self, named: Named, effect: Effect, *, to_pile: bool, keeps: bool = False
    ) -> Effect:
        if named.zone == "shown":
            shown = list(effect.shown)
            if named.card in shown:
                shown.remove(named.card)
            return evolve(effect, shown=tuple(shown))
        is_own_hand = named.zone == "hand" and named.seat == self.scene.me
        loss = self.scene.held(named.card) if is_own_hand and not keeps else 0.0
        board = effect.board.without_card(
            named.zone, named.seat, named.card, to_pile=to_pile and named.zone != "pile"
        )
        return evolve(effect, board=board, gain=effect.gain - loss)

    def _gained(self, card: str, gainer: int) -> float:
        if gainer != self.user:
            return -UNSEEN / max(1, len(self._others))
        return self.scene.held(card) if self.user == self.scene.me else UNSEEN

    def _aim(self, line: Mapping[str, Json], named: Named) -> tuple[int, str]:
        """Return the field that a card goes to."""
        if named.to is not None and named.to[1]:
            return named.to
        seats = self._owners(as_dict(line.get("to")).get("whose"))
        seat = named.to[0] if named.to is not None else seats[0] if seats else self.user
        if named.card in RESOURCES:
            return seat, home_of(named.card)
        zone = as_str(as_dict(line.get("to")).get("zone"))
        return seat, zone if zone in ZONES else ZONES[0]

    def _is_first(self, named: Named) -> bool:
        lying = dicts_in(self.scene.seats[named.seat].get(named.zone))
        return any(y.get("fc") and plain_face(as_str(y.get("card"))) == named.card for y in lying)

    def _frozen(self, named: Named, board: Board) -> float:
        """Return what it is worth that nothing enters a field for a circuit."""
        if named.seat == self.user:
            return -FROZEN
        now = self.scene.value(board, named.seat)
        after = (board.with_card(named.zone, named.seat, card) for card in _SAMPLES[named.zone])
        return FROZEN * max(0.0, *(self.scene.value(other, named.seat) - now for other in after))

    def _exchanged(self, line: Mapping[str, Json], effect: Effect) -> Effect:
        """Let two cards on fields change places."""
        firsts, seconds = (
            list(self._candidates({}, as_dict(line.get(side)), effect)) for side in ("a", "b")
        )
        if self.picks and self._is_of(self.picks[0], firsts):
            firsts = [self.picks.pop(0)]
        if self.picks and self._is_of(self.picks[0], seconds):
            seconds = [self.picks.pop(0)]
        by_label: Mapping[str, Named] = {}
        if self.labels is not None and len(firsts) == 1:
            by_label = dict(self._offered(seconds) or ())
            if by_label:
                seconds, self.labels = list(by_label.values()), None
        best = effect
        for a in firsts:
            for b in seconds:
                if self._may_exchange(line, a, b):
                    board = _swapped(effect.board, a, b)
                    after = evolve(effect, board=board)
                    if best is effect or self.worth(after) > self.worth(best):
                        label = next((key for key, named in by_label.items() if named == b), None)
                        best = evolve(after, listed=None if label is None else (label,))
        return best

    def _may_exchange(self, line: Mapping[str, Json], a: Named, b: Named) -> bool:
        if (a.seat, a.zone) == (b.seat, b.zone):
            return False
        if line.get("same_zone") is True and a.zone != b.zone:
            return False
        return all(
            card not in RESOURCES or home_of(card) == zone
            for card, zone in ((a.card, b.zone), (b.card, a.zone))
        )


_SAMPLES: Final = {"song": ("3H", "9D"), "dance": ("5S", "9C")}  # what may come to lie there


def _swapped(board: Board, a: Named, b: Named) -> Board:
    board = board.without_card(a.zone, a.seat, a.card, to_pile=False)
    board = board.without_card(b.zone, b.seat, b.card, to_pile=False)
    return board.with_card(a.zone, a.seat, b.card).with_card(b.zone, b.seat, a.card)
