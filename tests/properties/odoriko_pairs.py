"""Pairs of positions that look the same to one viewer, and what the viewer may learn (I-13).

A pair is made by exchanging cards that the viewer cannot see: among the others' hands, all decks
(the viewer's own too: its order is unknown) and the leftovers, backs respected; by giving other
seats other characters and events than they brought, as long as those are hidden; and by another
order of the viewer's own character deck. Both positions are then played on with the same inputs.
Whatever the viewer is shown must stay the same to the byte, until a step shows it a card in which
the two differ, and that only by an event that the rules let show it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from attrs import define, evolve, frozen
from kaguraden_rules.kernel import (
    Answer,
    CardId,
    CardsValue,
    Decision,
    Event,
    IntValue,
    Json,
    Option,
    OrderValue,
    SeatId,
    Step,
    Value,
    Viewer,
    redact,
)
from kaguraden_rules.odoriko import events as e
from kaguraden_rules.odoriko import state as s
from kaguraden_rules.odoriko.auction import payable
from kaguraden_rules.odoriko.decks import room_cards
from kaguraden_rules.odoriko.game import Odoriko
from kaguraden_rules.odoriko.refs import Back, CardRef, back, face, supplied_by, supplier
from kaguraden_rules.plain import to_plain

from tests.properties.odoriko_play import ODORIKO, Player, play, random_room, sample_value

__all__ = ["Leak", "Pair", "difference", "make_pair", "pairs_of_a_game", "play_pair"]


class Leak(AssertionError):
    """The viewer was shown something that depends on what it may not know."""


# --- making a pair -------------------------------------------------------------------------------

_Place = tuple[str, int, int]  # zone name, seat, index


def _hidden(state: s.State, viewer: Viewer) -> tuple[list[_Place], list[list[_Place]]]:
    """Return the places of cards that the viewer cannot see.

    First those of resource backs, which may all be exchanged; then, for each supplier, those of
    its character backs.
    """
    resource: list[_Place] = [("removed", 0, i) for i in range(len(state.removed))]
    character: list[list[_Place]] = []
    for seat, owner in enumerate(state.seats):
        resource += [("resource_deck", seat, i) for i in range(len(owner.resource_deck))]
        mine: list[_Place] = [("character_deck", seat, i) for i in range(len(owner.character_deck))]
        if seat != viewer:
            for i, card in enumerate(owner.hand):
                if back(card) is Back.CHARACTER:
                    if supplier(card) == seat:  # others' cards are nowhere else
                        mine.append(("hand", seat, i))
                else:
                    resource.append(("hand", seat, i))
        character.append(mine)
    return resource, character


def _at(state: s.State, place: _Place) -> CardRef:
    zone, seat, index = place
    cards: tuple[CardRef, ...]
    cards = state.removed if zone == "removed" else getattr(state.seats[seat], zone)
    return cards[index]


def _put(state: s.State, cards: dict[_Place, CardRef]) -> s.State:
    removed = list(state.removed)
    seats = [
        {zone: list(getattr(seat, zone)) for zone in ("hand", "resource_deck", "character_deck")}
        for seat in state.seats
    ]
    for (zone, seat, index), card in cards.items():
        if zone == "removed":
            removed[index] = card
        else:
            seats[seat][zone][index] = card
    return evolve(
        state,
        removed=tuple(removed),
        seats=tuple(
            evolve(
                seat,
                hand=tuple(zones["hand"]),
                resource_deck=tuple(zones["resource_deck"]),
                character_deck=tuple(zones["character_deck"]),
            )
            for seat, zones in zip(state.seats, seats, strict=True)
        ),
    )


def make_pair(
    state: s.State, viewer: Viewer, rng: random.Random, game: Odoriko = ODORIKO
) -> s.State | None:
    """Return a position that the viewer cannot tell from this one, None where there is none.

    Positions with sealed answers of others in them are left alone: those answers name cards.
    """
    top = state.stack[-1] if state.stack else state.stage
    if any(isinstance(frame, s.Use) and _names_hand_cards(frame) for frame in state.stack):
        return None
    if getattr(top, "answers", ()) or any(isinstance(frame, s.Gain) for frame in state.stack):
        return None
    resource, character = _hidden(state, viewer)
    changed: dict[_Place, CardRef] = {}
    _exchange(state, resource, rng, changed)
    for mine in character:
        if rng.random() < 0.6:
            _exchange(state, mine, rng, changed)
    other = _put(state, changed)
    for seat in range(len(state.seats)):
        if seat != viewer and rng.random() < 0.4:
            other = _resupply(other, seat, character[seat], rng, game)
    return None if other == state or not _bid_is_good(other) else other


def _bid_is_good(state: s.State) -> bool:
    """Whether the leader of an auction can pay, as it always can (OD-87)."""
    for frame in state.stack:
        if isinstance(frame, s.Sale) and frame.leader is not None:
            able = payable(frame, state.seats[frame.leader].hand)
            return len(able) >= (frame.best or 0)
    return True


def _names_hand_cards(use: s.Use) -> bool:
    return any(named.zone == "hand" for picked in use.picks for named in picked or ())


def _exchange(
    state: s.State, places: list[_Place], rng: random.Random, changed: dict[_Place, CardRef]
) -> None:
    """Permute the cards of some of the places.

    Either a card in the hand of a seat that is to decide something and one of another kind, which
    changes what the seat may do; or a few; or all.
    """
    deciding = set(ODORIKO.decisions(state))
    hands = [p for p in places if p[0] == "hand" and p[1] in deciding]
    hands = hands or [p for p in places if p[0] == "hand"]
    match rng.randint(0, 3):
        case 0 | 1 if hands:
            one = rng.choice(hands)
            is_special = _at(state, one)[0] in "AJQK"
            unlike = [p for p in places if (_at(state, p)[0] in "AJQK") is not is_special]
            chosen = [one, rng.choice(unlike or places)]
        case 2 if len(places) > 1:
            chosen = rng.sample(places, min(len(places), rng.randint(2, 4)))
        case _:
            chosen = list(places)
    chosen = list(dict.fromkeys(chosen))
    cards = [_at(state, place) for place in chosen]
    if len(cards) == 2:
        cards.reverse()
    else:
        rng.shuffle(cards)
    changed |= dict(zip(chosen, cards, strict=True))


def _resupply(
    state: s.State, seat: int, hidden: list[_Place], rng: random.Random, game: Odoriko
) -> s.State:
    """Let a seat have brought another card in place of one that is hidden."""
    if not hidden:
        return state
    place = rng.choice(hidden)
    old = face(_at(state, place))
    cards = room_cards(game.cards, events=state.options.events == "house")
    new = rng.choice(list(cards))
    supplied = list(state.seats[seat].supplied)
    supplied[supplied.index(old)] = new
    state = _put(state, {place: supplied_by(SeatId(seat), new)})
    owner = evolve(state.seats[seat], supplied=tuple(sorted(supplied)))
    return evolve(state, seats=(*state.seats[:seat], owner, *state.seats[seat + 1 :]))


def difference(one: s.State, two: s.State, *, alike: bool = True) -> set[CardId]:
    """Return the faces that lie somewhere in one position and elsewhere in the other.

    Positions that look `alike` have equally many cards in every zone; others differ in more.
    """
    found: set[CardId] = set()
    for a, b in ((one.removed, two.removed), *_zones(one, two)):
        if len(a) != len(b):
            assert not alike, "the positions differ in what is public"
            found |= {face(card) for card in (*a, *b)}
            continue
        for x, y in zip(a, b, strict=True):
            if x != y:
                found |= {face(x), face(y)}
    return found


def _zones(one: s.State, two: s.State) -> Iterator[tuple[tuple[CardRef, ...], tuple[CardRef, ...]]]:
    for a, b in zip(one.seats, two.seats, strict=True):
        for zone in ("hand", "resource_deck", "character_deck"):
            yield getattr(a, zone), getattr(b, zone)


_HIDDEN = (
    "payment",
    "order_gain",
    "holder_pick",
)  # kinds of decision whose answers others may never see


# --- playing a pair ------------------------------------------------------------------------------


@frozen
class Shown:
    """Everything that one step and the position after it give a viewer."""

    events: tuple[Json, ...]
    view: Json
    decision: Json
    waits: Json

    @classmethod
    def to(cls, game: Odoriko, viewer: Viewer, state: s.State, events: tuple[Event, ...]) -> Shown:
        decision = None if viewer is None else game.decisions(state).get(viewer)
        return cls(
            tuple(to_plain(redact(event, viewer)) for event in events),
            to_plain(game.view(state, viewer)),
            to_plain(decision),
            [
                [wait.id, wait.pace.value, list(wait.seats), wait.minimum]
                for wait in game.waits(state)
            ],
        )


@define
class Pair:
    """Two positions that a viewer cannot tell apart."""

    viewer: Viewer
    one: s.State
    two: s.State
    game: Odoriko = ODORIKO
    standing: frozenset[tuple[SeatId, str]] = frozenset()  # who passes beforehand in which windows
    steps: int = 0
    revealed: bool = False

    def __attrs_post_init__(self) -> None:
        self.compare(
            Shown.to(self.game, self.viewer, self.one, ()),
            Shown.to(self.game, self.viewer, self.two, ()),
        )

    def compare(self, a: Shown, b: Shown) -> None:
        """Raise Leak where two showings are not the same bytes."""
        for part in ("events", "view", "decision", "waits"):
            x, y = json.dumps(getattr(a, part)), json.dumps(getattr(b, part))
            if x != y:
                raise Leak(f"viewer {self.viewer} sees different {part}:\n{x}\n{y}")

    def step(self, player: Player) -> bool:
        """Play both on with one input; False when the pair is over."""
        if self.revealed or not (waits := self.game.waits(self.one)):
            return False
        choice = self.choose(player)
        if choice is None:
            return False
        seat, one, two = choice
        if seat is None:
            wait = player.rng.choice([w for w in waits if not w.pending] or list(waits)).id
            first, second = self.game.expire(self.one, wait), self.game.expire(self.two, wait)
        else:
            assert one is not None
            assert two is not None
            first = self.game.act(self.one, seat, one)
            second = self.game.act(self.two, seat, two)
        return self.follow(self._stand(first), self._stand(second))

    def follow(self, first: Step[s.State], second: Step[s.State]) -> bool:
        """Go on to a step of each game; False when it rightly showed where they differ.

        Raises:
            Leak: The viewer is shown something else that differs.
        """
        differing = difference(self.one, self.two)
        if any(event.kind in ("zones_returned", "deck_shuffled") for event in first.events):
            # Decks were shuffled and drawn from in this step: what differs now is as unknown.
            differing |= difference(first.state, second.state, alike=False)
        a = Shown.to(self.game, self.viewer, first.state, first.events)
        b = Shown.to(self.game, self.viewer, second.state, second.events)
        if self._reveals(first.events, second.events, differing):
            self.revealed = True
        else:
            self.compare(a, b)
            if first.state.entropy != second.state.entropy:
                raise Leak("how many numbers were used depends on what is hidden (OD-27)")
        self.one, self.two = first.state, second.state
        self.steps += 1
        return not self.revealed

    def _stand(self, step: Step[s.State]) -> Step[s.State]:
        """Answer for those who pass beforehand, as whoever keeps the clock does (OD-106)."""
        state, events = step.state, list(step.events)
        while True:
            passing = [
                (seat, decision)
                for seat, decision in self.game.decisions(state).items()
                if (seat, decision.kind) in self.standing
            ]
            if not passing:
                return Step(state, tuple(events))
            seat, decision = passing[0]
            more = self.game.act(state, seat, Answer(decision.id, decision.default))
            state = more.state
            events += more.events

    def choose(self, player: Player) -> tuple[SeatId | None, Answer | None, Answer | None] | None:
        """Choose a seat and its answers in both positions, or the end of a wait (None).

        The viewer answers the same. Others answer the same where both positions let them; only
        what stays hidden may differ.
        """
        rng = player.rng
        one, two = self.game.decisions(self.one), self.game.decisions(self.two)
        if set(one) != set(two):
            raise Leak(f"different seats may answer: {sorted(one)}, {sorted(two)}")
        waits = self.game.waits(self.one)
        picks = any(decision.kind in _HIDDEN for decision in one.values())  # with the generator
        late = rng.random() < max(player.expires, 0.3 * picks)
        if not one or late or any(not w.pending for w in waits):
            return None, None, None
        seat = rng.choice(sorted(one))
        common = _common(one[seat], two[seat])
        if not common:
            return None
        kinds = sorted({a.kind for a, _ in common})
        kind = rng.choices(kinds, [player.liking(k, one[seat].kind) for k in kinds])[0]
        a, b = rng.choice([pair for pair in common if pair[0].kind == kind])
        values = _values(rng, a, b, hidden=one[seat].kind in _HIDDEN)
        if values is None:
            return None
        return (
            seat,
            Answer(one[seat].id, a.id, values[0]),
            Answer(two[seat].id, b.id, values[1]),
        )

    def _reveals(
        self, one: tuple[Event, ...], two: tuple[Event, ...], differing: set[CardId]
    ) -> bool:
        """Whether the first event that differs for the viewer rightly shows a differing card."""
        for x, y in zip(one, two, strict=False):
            a = to_plain(redact(x, self.viewer))
            b = to_plain(redact(y, self.viewer))
            if a == b:
                continue
            shown = {*self._shown_cards(x), *self._shown_cards(y)}
            if self._tells_of_a_hand(x) or self._tells_of_a_hand(y):
                return True
            return type(x) is type(y) and bool(shown & differing)
        return False

    def _tells_of_a_hand(self, event: Event) -> bool:
        """Whether a card was given up because it fits: that one has such a card is shown then.

        Who must choose among its own cards may give none only if none fits (OD-186). Who does not
        pay in time pays with a card of chance (D-13): which one follows from all that the hand has.
        """
        match event:
            case e.CardsExchanged(winner=seat) if self._sees_payment(event):
                pass
            case e.HandPassed(giver):
                seat = giver
            case e.CardPlaced(source="hand", owner=int() as owner):
                seat = owner
            case _:
                return False
        one, two = (state.seats[seat].hand for state in (self.one, self.two))
        return set(one) != set(two)

    def _sees_payment(self, event: e.CardsExchanged) -> bool:
        open_to_all = self.one.options.payment_view == "public"
        return open_to_all or self.viewer in (event.seller, event.winner)

    def _shown_cards(self, event: Event) -> set[str]:
        """Return the cards that an event rightly shows to the viewer for the first time."""
        plain: Any = to_plain(redact(event, self.viewer))
        match event.kind:
            case "card_drawn" if plain["seat"] == self.viewer or "overflow" in plain:
                return {str(plain.get("overflow", plain.get("card")))}
            case "card_placed" | "card_declared":
                return {str(plain["card"])}
            case "cards_discarded":
                return {entry["card"] for entry in plain["cards"]}
            case "auction_opened":
                return set(plain["lot"])
            case "cards_exchanged":
                assert isinstance(event, e.CardsExchanged)
                if not self._sees_payment(event):
                    return set()
                seen = [plain.get("shown"), plain.get("payment")]
                return {card for part in seen if part for card in part}
            case "deck_shown":
                return set(plain["cards"])
            case "hand_shown" | "hand_passed":
                return set(plain.get("cards", ()))
            case "tally":
                counted = {card for term in plain["terms"] for card in term["cards"]}
                return counted & set(plain["shown"])
            case _:
                return set()


def _common(one: Decision, two: Decision) -> list[tuple[Option, Option]]:
    others = {option.id: option for option in two.options}
    return [(option, others[option.id]) for option in one.options if option.id in others]


def _values(
    rng: random.Random, one: Option, two: Option, *, hidden: bool
) -> tuple[Value, Value] | None:
    """Return a value for each position, the same unless it stays hidden; None if there is none."""
    match one.value, two.value:
        case None, None:
            return None, None
        case IntValue(a, b), IntValue(c, d):
            least, most = max(a, c), min(b, d)
            if least > most:
                return None
            number = sample_value(rng, evolve(one, value=IntValue(least, most)))
            return number, number
        case CardsValue(a, least, most), CardsValue(c, other_least, other_most):
            both = tuple(card for card in a if card in c)
            low, high = max(least, other_least), min(most, other_most, len(both))
            if low <= high:
                cards = sample_value(rng, evolve(one, value=CardsValue(both, low, high)))
                return cards, cards
            return (sample_value(rng, one), sample_value(rng, two)) if hidden else None
        case OrderValue(a), OrderValue(c) if a == c:
            order = sample_value(rng, one)
            return order, order
        case _:
            return (sample_value(rng, one), sample_value(rng, two)) if hidden else None


def play_pair(
    state: s.State,
    viewer: Viewer,
    rng: random.Random,
    steps: int,
    game: Odoriko = ODORIKO,
) -> Pair | None:
    """Make a pair of a position and play it for so many steps at most."""
    other = make_pair(state, viewer, rng, game)
    if other is None:
        return None
    # What the others are offered follows from their hands, so both positions ask anew.
    standing = frozenset(
        (SeatId(seat), window.kind)
        for seat in range(len(state.seats))
        for window in game.windows
        if rng.random() < (0.5 if window.passes else 0.15)
    )
    pair = Pair(viewer, game.begin(state).state, game.begin(other).state, game, standing)
    player = Player.of(rng)
    for _ in range(steps):
        if not pair.step(player):
            break
    return pair


def pairs_of_a_game(
    seed: int,
    number: int,
    steps: int,
    game: Odoriko = ODORIKO,
    seats: int | None = None,
    **fixed: Any,
) -> list[Pair]:
    """Play a game, stop at some positions of it, and play a pair on from each."""
    rng = random.Random(seed)
    room = random_room(rng, seats, game, **fixed)
    states = [taken.state for taken in play(room, rng)][:-1]
    by_kind: dict[str, list[s.State]] = {}
    for state in states:
        kinds = {decision.kind for decision in game.decisions(state).values()}
        by_kind.setdefault(min(kinds, default=""), []).append(state)
    pairs = []
    for _ in range(number):
        state = rng.choice(by_kind[rng.choice(sorted(by_kind))])
        viewers: list[Viewer] = [None, *(SeatId(seat) for seat in range(len(room.decks)))]
        pair = play_pair(state, rng.choice(viewers), rng, steps, game)
        if pair is not None:
            pairs.append(pair)
    return pairs
