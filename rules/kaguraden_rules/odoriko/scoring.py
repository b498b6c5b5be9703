"""The tally: what every character scores in a frozen position (OD-132 to OD-146).

A term counts cards in the zones of its scope, from the owner's side, and turns the number into VP.
Terms do not see each other, copies of a card all score, and nothing here changes anything. Trees
score only where a card says so (OD-144).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never

from attrs import frozen

from kaguraden_rules.kernel import CardId, SeatId
from kaguraden_rules.odoriko.card import (
    Card,
    Character,
    Each,
    Kind,
    Match,
    Measure,
    Scope,
    ScoreTerm,
    Threshold,
    Zone,
)
from kaguraden_rules.odoriko.faces import FACES
from kaguraden_rules.odoriko.options import Options

__all__ = [
    "CharacterTally",
    "Lying",
    "SeatTally",
    "Side",
    "TermTally",
    "kind_of",
    "matches",
    "tally",
    "tree",
]


@frozen
class Lying:
    """A card on a field; `fc` marks a first character."""

    card: CardId
    fc: bool = False


@frozen
class Side:
    """The cards of one seat that a tally may read."""

    song: tuple[Lying, ...] = ()
    dance: tuple[Lying, ...] = ()
    pile: tuple[CardId, ...] = ()
    hand: tuple[CardId, ...] = ()

    @property
    def domain(self) -> tuple[Lying, ...]:
        """The cards of the domain, song field first."""
        return self.song + self.dance


@frozen
class TermTally:
    """What one term came to, and the cards it counted.

    A threshold that one seat must reach alone (OD-136) counts the cards of the seat that has most.
    """

    cards: tuple[CardId, ...]
    vp: int


@frozen
class CharacterTally:
    """What one character scored, with one entry a term in the card's order (OD-145)."""

    card: CardId
    terms: tuple[TermTally, ...]

    @property
    def vp(self) -> int:
        """The sum of the terms."""
        return sum(term.vp for term in self.terms)


@frozen
class SeatTally:
    """What one seat scored: its characters, song field first, and the hand cards that show it."""

    seat: SeatId
    characters: tuple[CharacterTally, ...]
    shown: tuple[CardId, ...]  # hand cards that a term counted, in the hand's order (OD-146)

    @property
    def total(self) -> int:
        """The seat's sum; 0 without characters (OD-143)."""
        return sum(character.vp for character in self.characters)


def tally(
    sides: Sequence[Side], cards: Mapping[CardId, Card], options: Options
) -> tuple[SeatTally, ...]:
    """Score every character of every seat (OD-132, OD-133).

    Args:
        sides: The position, one side a seat.
        cards: The cards of the room, by id.
        options: The room's options; those of OD-136, OD-137 and OD-139 are read.
    """
    results = []
    for owner, side in enumerate(sides):
        characters: list[CharacterTally] = []
        shown: set[int] = set()
        for lying in side.domain:
            card = cards.get(lying.card)
            if not isinstance(card, Character):
                continue
            scorer = _Scorer(sides, cards, options, owner, lying)
            characters.append(CharacterTally(card.id, tuple(map(scorer.score, card.score))))
            for term in card.score:
                if term.zone is Zone.HAND:
                    shown |= {i for i, held in enumerate(side.hand) if scorer.counts(term, held)}
        hand = tuple(side.hand[i] for i in sorted(shown))
        results.append(SeatTally(SeatId(owner), tuple(characters), hand))
    return tuple(results)


@frozen(eq=False)
class _Scorer:
    """One character in one position. `lying` is told apart from copies of it by identity."""

    sides: Sequence[Side]
    cards: Mapping[CardId, Card]
    options: Options
    owner: int
    lying: Lying

    def score(self, term: ScoreTerm) -> TermTally:
        counted = [self._counted(term, seat) for seat in self._seats(term.scope)]
        if self._by_one_seat(term):
            counted = [max(counted, key=lambda cards: _measured(term, cards), default=())]
        cards = tuple(card for part in counted for card in part)
        amount = _measured(term, cards)
        match term.worth:
            case Each(vp):
                return TermTally(cards, amount * vp)
            case Threshold(at_least, vp):
                return TermTally(cards, vp if amount >= at_least else 0)
            case _:
                assert_never(term.worth)

    def _by_one_seat(self, term: ScoreTerm) -> bool:
        is_threshold = isinstance(term.worth, Threshold)
        single = self.options.others_threshold == "single"
        return single and is_threshold and term.scope is Scope.OTHERS

    def _seats(self, scope: Scope) -> tuple[int, ...]:
        """Return the seats whose zones the scope takes in (OD-134, OD-137)."""
        everybody = tuple(range(len(self.sides)))
        match scope:
            case Scope.OWN:
                return (self.owner,)
            case Scope.OTHERS:
                return tuple(seat for seat in everybody if seat != self.owner)
            case Scope.WHOLE:
                return everybody
            case Scope.UNSCOPED:
                return (self.owner,) if self.options.unscoped == "own" else everybody
            case _:
                assert_never(scope)

    def _counted(self, term: ScoreTerm, seat: int) -> tuple[CardId, ...]:
        zone = _cards_in(self.sides[seat], term.zone)
        return tuple(_face(card) for card in zone if self.counts(term, card))

    def counts(self, term: ScoreTerm, card: Lying | CardId) -> bool:
        """Whether a card of the term's zone is one that it counts."""
        on_field = isinstance(card, Lying)
        face = _face(card)
        if on_field and term.match.is_empty and self.options.field_cards == "resource":
            return kind_of(face, self.cards) is Kind.RESOURCE
        return matches(
            term.match,
            face,
            kind_of(face, self.cards),
            fc=isinstance(card, Lying) and card.fc,
            this=card is self.lying,
        )


def _cards_in(side: Side, zone: Zone) -> Sequence[Lying | CardId]:
    match zone:
        case Zone.SONG:
            return side.song
        case Zone.DANCE:
            return side.dance
        case Zone.FIELDS:
            return side.domain
        case Zone.DISCARD:
            return side.pile
        case Zone.HAND:  # as it is at the tally (OD-142)
            return side.hand
        case _:
            raise ValueError(f"no term counts cards in zone {zone}")


def _face(card: Lying | CardId) -> CardId:
    return card.card if isinstance(card, Lying) else card


def _measured(term: ScoreTerm, cards: Sequence[CardId]) -> int:
    if isinstance(term.worth, Threshold) and term.worth.measure is Measure.TREE:
        return tree(cards)
    return len(cards)


def kind_of(card: CardId, cards: Mapping[CardId, Card]) -> Kind:
    """Return the kind of any card of a game."""
    face = FACES.get(card)
    if face is not None:
        return Kind.SPECIAL if face.value is None else Kind.RESOURCE
    return cards[card].kind


def matches(
    match: Match, card: CardId, kind: Kind, *, fc: bool = False, this: bool = False
) -> bool:
    """Whether a card passes a filter: every part that is given must hold (OD-183).

    Values and suits are those of the pack's cards; a value makes it a resource card (OD-140). So a
    song card is one of a red suit, never a character on a song field (OD-138), and a filter on
    characters passes no event (OD-141).

    Args:
        match: The filter.
        card: The card's face.
        kind: Its kind, as `kind_of` tells.
        fc: Whether it is a first character.
        this: Whether it is the very card that the filter is written on.
    """
    face = FACES.get(card)
    value = None if face is None else face.value
    if match.min is not None and (value is None or value < match.min):
        return False
    if match.max is not None and (value is None or value > match.max):
        return False
    if match.suit and (face is None or face.suit not in match.suit):
        return False
    if match.colour is not None and (face is None or face.colour is not match.colour):
        return False
    if match.rank and (face is None or face.rank not in match.rank):
        return False
    return (
        (not match.kind or kind in match.kind)
        and match.fc in (None, fc)
        and match.this in (None, this)
        and (not match.id or card in match.id)
    )


def tree(cards: Iterable[CardId]) -> int:
    """Return the sum of the leaves among cards, those of one field say (OD-14)."""
    return sum(FACES[card].value or 0 for card in cards if card in FACES)
