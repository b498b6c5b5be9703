"""Decks that a seat may bring, and what it is told about others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from kaguraden_rules.kernel import CardId
from kaguraden_rules.odoriko.card import Card
from kaguraden_rules.odoriko.decks import (
    STARTER,
    STARTER_WITHOUT_EVENTS,
    DeckLimits,
    deck_problems,
    room_cards,
    starter_deck,
)
from kaguraden_rules.odoriko.packs import builtin_cards

ALL = room_cards(builtin_cards(), events=True)
CHARACTERS = room_cards(builtin_cards(), events=False)
DEFAULT = DeckLimits()
NINE = [f"cc00{n}" for n in range(1, 10)]


def problems(
    deck: Sequence[str], limits: DeckLimits = DEFAULT, cards: Mapping[CardId, Card] = ALL
) -> list[tuple[str, str]]:
    return [(p.path, p.problem) for p in deck_problems([CardId(c) for c in deck], cards, limits)]


def test_starter_is_the_nine_and_three_events() -> None:
    """OD-23: the starter deck, legal under the default options."""
    assert [*NINE, "ev_yukidoke", "ev_akatsuki", "ev_kodama"] == list(STARTER)
    assert problems(STARTER) == []
    assert starter_deck(ALL, DEFAULT) == STARTER


def test_starter_without_events_has_second_copies() -> None:
    """OD-24: with `events = none` the nine and second copies of cc001, cc002, cc004."""
    limits = DeckLimits(characters=2)
    assert list(CHARACTERS) == NINE
    assert [*NINE, "cc001", "cc002", "cc004"] == list(STARTER_WITHOUT_EVENTS)
    assert starter_deck(CHARACTERS, limits) == STARTER_WITHOUT_EVENTS


@pytest.mark.parametrize(
    ("deck", "found"),
    [
        (NINE, [("$.cards", "a deck holds exactly 12 cards, this one 9")]),
        (
            [*NINE, "ev_kodama", "ev_kodama", "ev_kodama"],
            [("$.cards", "3 copies of ev_kodama; the room allows 2")],
        ),
        (
            [*NINE, "cc001", "ev_kodama", "ev_shimo"],
            [("$.cards", "2 copies of cc001; the room allows 1")],
        ),
        (
            [*NINE, "ev_kodama", "9D", "nobody"],
            [
                ("$.cards[10]", "'9D' is not a card of this room's sets"),
                ("$.cards[11]", "'nobody' is not a card of this room's sets"),
            ],
        ),
        (
            [card for card in ALL if card.startswith("ev_")],
            [("$.cards", "a deck holds at least one character")],
        ),
        (
            ["ev_kodama"] * 3,
            [
                ("$.cards", "a deck holds exactly 12 cards, this one 3"),
                ("$.cards", "3 copies of ev_kodama; the room allows 2"),
                ("$.cards", "a deck holds at least one character"),
            ],
        ),
    ],
)
def test_every_fault_of_a_deck_is_told(deck: list[str], found: list[tuple[str, str]]) -> None:
    """OD-22, OD-188 (V-14): twelve known cards, few enough copies, a character; one problem each."""
    assert problems(deck) == found


def test_events_are_unknown_in_a_room_without_them() -> None:
    """OD-24: with `events = none` the house events are no cards of the room."""
    found = problems(STARTER, DeckLimits(characters=2), CHARACTERS)
    assert [path for path, _ in found] == ["$.cards[9]", "$.cards[10]", "$.cards[11]"]


def test_copies_as_many_as_the_room_allows() -> None:
    """OD-22: the limits are the room's."""
    assert problems(["cc001"] * 12, DeckLimits(characters=12)) == []
    assert problems(["cc001"] + ["ev_kodama"] * 11, DeckLimits(events=11)) == []


def test_first_legal_twelve_stand_in_for_a_starter_that_is_not_legal() -> None:
    """OD-198: where events may not be brought, the twelve come from the characters in set order."""
    deck = starter_deck(ALL, DeckLimits(characters=2, events=0))
    assert deck == STARTER_WITHOUT_EVENTS
    only_two = {card: ALL[card] for card in (CardId("cc008"), CardId("cc003"))}
    assert starter_deck(only_two, DeckLimits(characters=6)) == ("cc008", "cc003") * 6
    events_first = {
        **{i: c for i, c in ALL.items() if i.startswith("ev_")},
        CardId("cc009"): ALL[CardId("cc009")],
    }
    found = starter_deck(events_first, DEFAULT)
    assert found is not None
    assert (found[-1], len(set(found))) == ("cc009", 12)


@pytest.mark.parametrize(
    ("cards", "limits"),
    [
        (CHARACTERS, DeckLimits(characters=1)),
        (ALL, DeckLimits(characters=1, events=0)),
        ({i: c for i, c in ALL.items() if i.startswith("ev_")}, DeckLimits()),
    ],
)
def test_no_starter_where_no_deck_is_legal(
    cards: Mapping[CardId, Card], limits: DeckLimits
) -> None:
    """OD-198: such options are refused; this is how they are told."""
    assert starter_deck(cards, limits) is None
