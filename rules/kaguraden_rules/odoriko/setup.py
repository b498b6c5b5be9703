"""The deal (OD-18 to OD-26).

The numbers of the entropy stream are used in this order, so that anybody can deal a game again: the
pack is shuffled; seat by seat the share of each is shuffled again; seat by seat the twelve cards of
each, sorted by id, are shuffled. The pack is dealt one card at a time, seat 0 first, and the first
card of a shuffled list is the top of a deck. That the seats prepare their cards one after another
makes no difference to anybody (OD-20). Fields and piles are empty (OD-25).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kaguraden_rules.entropy import Entropy
from kaguraden_rules.kernel import BadDeck, BadOptions, CardId, Problem, SeatId
from kaguraden_rules.odoriko import events
from kaguraden_rules.odoriko.card import Card, CardSet, Kind
from kaguraden_rules.odoriko.decks import DeckLimits, deck_problems, room_cards, starter_deck
from kaguraden_rules.odoriko.faces import PACK
from kaguraden_rules.odoriko.moves import first_hands
from kaguraden_rules.odoriko.options import Options, format_options
from kaguraden_rules.odoriko.order import opening
from kaguraden_rules.odoriko.packs import merge_sets
from kaguraden_rules.odoriko.refs import CardRef, supplied_by
from kaguraden_rules.odoriko.state import Seat, State
from kaguraden_rules.odoriko.table import Table

__all__ = ["check_deck", "check_options", "deal", "playable", "sets_in_play"]


def _limits(options: Options, cards: Mapping[CardId, Card]) -> DeckLimits:
    """Return how many copies a deck may hold; where there are no events, as without (OD-223)."""
    has_events = any(card.kind is Kind.EVENT for card in cards.values())
    characters = options.copies_of_character
    return DeckLimits(characters if has_events else max(2, characters), options.max_copies_event)


def playable(options: Options, cards: Mapping[CardId, Card]) -> Mapping[CardId, Card]:
    """Return the cards that a room plays with: without events, its characters (OD-24)."""
    return room_cards(cards, events=options.events != "none")


def sets_in_play(options: Options, sets: Sequence[CardSet]) -> Mapping[str, tuple[CardId, ...]]:
    """Return the card sets that a room plays with: the ids of each that has any (OD-189)."""
    usable = playable(options, merge_sets(sets))
    found = {s.id: tuple(card.id for card in s.cards if card.id in usable) for s in sets}
    return {set_id: cards for set_id, cards in found.items() if cards}


def check_options(options: Options, cards: Mapping[CardId, Card]) -> None:
    """Refuse options under which a seat could have no legal deck (OD-198).

    Raises:
        BadOptions: There are too few cards, or too few copies allowed.
    """
    if starter_deck(playable(options, cards), _limits(options, cards)) is None:
        problem = "with these options no legal deck of twelve cards exists"
        raise BadOptions([Problem("$.max_copies_character", problem)])


def check_deck(
    options: Options, cards: Mapping[CardId, Card], deck: Sequence[CardId] | None
) -> tuple[CardId, ...]:
    """Return the deck that a seat plays; None asks for the starter (OD-22, OD-23, OD-198).

    Raises:
        BadDeck: With one problem a fault.
    """
    usable, limits = playable(options, cards), _limits(options, cards)
    if deck is None:
        starter = starter_deck(usable, limits)
        if starter is None:
            raise BadDeck([Problem("$.cards", "no legal deck exists under these options")])
        return starter
    problems = deck_problems(deck, usable, limits)
    if problems:
        raise BadDeck(problems)
    return tuple(deck)


def deal(
    options: Options,
    sets: Sequence[CardSet],
    decks: Sequence[tuple[CardId, ...]],
    entropy: Entropy,
) -> Table:
    """Return a table with the decks dealt and the first hands drawn, before the turn order."""
    seats = len(decks)
    size = len(PACK) // seats
    pack, entropy = entropy.shuffle([CardRef(card) for card in PACK])
    shares: list[tuple[CardRef, ...]] = []
    for seat in range(seats):
        share, entropy = entropy.shuffle(pack[seat : size * seats : seats])
        shares.append(share)
    dealt: list[Seat] = []
    for seat, deck in enumerate(decks):
        supplied = tuple(sorted(deck))
        brought = [supplied_by(SeatId(seat), card) for card in supplied]
        characters, entropy = entropy.shuffle(brought)
        dealt.append(Seat(supplied, resource_deck=shares[seat], character_deck=characters))
    state = State(
        options, entropy, tuple(dealt), stage=opening(seats), removed=pack[size * seats :]
    )
    table = Table.lay(state, merge_sets(sets))
    everybody = table.everybody()
    played = tuple(sets_in_play(options, sets))
    table.tell(events.GameOpened(everybody, format_options(options), played))
    sizes = (
        events.DeckSizes(s, len(dealt[s].resource_deck), len(dealt[s].character_deck))
        for s in everybody
    )
    table.tell(events.Dealt(tuple(sizes), len(state.removed)))
    first_hands(table)
    return table
