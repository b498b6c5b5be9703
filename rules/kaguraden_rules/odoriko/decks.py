"""Which twelve cards a seat may bring (OD-21 to OD-24, OD-198)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from attrs import frozen

from kaguraden_rules.kernel import CardId, Problem
from kaguraden_rules.odoriko.card import Card, Kind

__all__ = [
    "DECK_SIZE",
    "STARTER",
    "STARTER_WITHOUT_EVENTS",
    "DeckLimits",
    "deck_problems",
    "room_cards",
    "starter_deck",
]

DECK_SIZE = 12  # OD-21

_NINE = tuple(CardId(f"cc00{n}") for n in range(1, 10))
STARTER = (*_NINE, CardId("ev_yukidoke"), CardId("ev_akatsuki"), CardId("ev_kodama"))  # OD-23
STARTER_WITHOUT_EVENTS = (*_NINE, CardId("cc001"), CardId("cc002"), CardId("cc004"))  # OD-24


@frozen
class DeckLimits:
    """How many copies of one id a deck may hold (OD-22)."""

    characters: int = 1
    events: int = 2

    def of(self, card: Card) -> int:
        """Return the most copies of a card."""
        return self.characters if card.kind is Kind.CHARACTER else self.events


def room_cards(cards: Mapping[CardId, Card], *, events: bool) -> Mapping[CardId, Card]:
    """Return the cards that a room plays with: without events, the characters (OD-24)."""
    if events:
        return cards
    return {i: card for i, card in cards.items() if card.kind is Kind.CHARACTER}


def deck_problems(
    deck: Sequence[CardId], cards: Mapping[CardId, Card], limits: DeckLimits
) -> tuple[Problem, ...]:
    """Return every fault of a deck, none for a legal one (OD-22; V-14).

    Args:
        deck: The ids, in any order.
        cards: The cards of the room, by id.
        limits: The copies that the room's options allow.
    """
    problems: list[Problem] = []
    if len(deck) != DECK_SIZE:
        problems.append(
            Problem("$.cards", f"a deck holds exactly {DECK_SIZE} cards, this one {len(deck)}")
        )
    counts = Counter(deck)
    for i, card_id in enumerate(deck):
        if card_id not in cards:
            problems.append(
                Problem(f"$.cards[{i}]", f"{card_id!r} is not a card of this room's sets")
            )
    for card_id, copies in counts.items():
        card = cards.get(card_id)
        if card is not None and copies > (most := limits.of(card)):
            problems.append(
                Problem("$.cards", f"{copies} copies of {card_id}; the room allows {most}")
            )
    known = [cards[card_id] for card_id in counts if card_id in cards]
    if not any(card.kind is Kind.CHARACTER for card in known):
        problems.append(Problem("$.cards", "a deck holds at least one character"))
    return tuple(problems)


def starter_deck(cards: Mapping[CardId, Card], limits: DeckLimits) -> tuple[CardId, ...] | None:
    """Return the deck of a seat that brings none; None where no legal deck exists (OD-198).

    It is the starter of OD-23 or, where that is not legal, that of OD-24; else the first legal
    twelve in card-set order: every card once, then second copies, and so on.
    """
    for deck in (STARTER, STARTER_WITHOUT_EVENTS):
        if not deck_problems(deck, cards, limits):
            return deck
    chosen: list[CardId] = []
    for copy in range(1, DECK_SIZE + 1):
        chosen += [card_id for card_id, card in cards.items() if copy <= limits.of(card)]
    deck = tuple(chosen[:DECK_SIZE])
    if not deck_problems(deck, cards, limits):
        return deck
    # Twelve events came first: give the last place to the first character there is.
    for card_id, card in cards.items():
        if card.kind is Kind.CHARACTER:
            deck = (*deck[: DECK_SIZE - 1], card_id)
            return None if deck_problems(deck, cards, limits) else deck
    return None
