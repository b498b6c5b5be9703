"""The tally: board Beta of the rulebook, each term's reading, and a recomputation by hand."""

from __future__ import annotations

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from kaguraden_rules.kernel import CardId
from kaguraden_rules.odoriko.card import CardSet, Character
from kaguraden_rules.odoriko.faces import PACK, is_resource
from kaguraden_rules.odoriko.options import Options
from kaguraden_rules.odoriko.packs import builtin_cards, load_set, merge_sets
from kaguraden_rules.odoriko.scoring import Lying, SeatTally, Side, tally, tree

from tests.rules.naive_tally import Seat, naive_total, naive_vp

CARDS = builtin_cards()
DEFAULT = Options()


def ids(text: str) -> tuple[CardId, ...]:
    return tuple(CardId(card) for card in text.split())


def side(song: str = "", dance: str = "", pile: str = "", hand: str = "") -> Side:
    """Write a side down; `*` after a card marks the first character."""

    def lying(text: str) -> tuple[Lying, ...]:
        return tuple(
            Lying(CardId(card.rstrip("*")), fc=card.endswith("*")) for card in text.split()
        )

    return Side(lying(song), lying(dance), ids(pile), ids(hand))


BETA = (
    side("3H 9D cc001*", "8S 2S 10C cc006", "cc009 KD", "JH 4D"),
    side("8H 5H 2D cc003*", "9S 4C"),
    side("10D 6H", "5S 6S 10S 3C cc005*", "cc002 ev_kodama QH"),
)


def vp_of(
    card: str, owner: int, options: Options = DEFAULT, board: tuple[Side, ...] = BETA
) -> list[int]:
    """Return what each term of a card on the board would score if `owner` owned it.

    The card counts nowhere but as the scorer: the board keeps its own characters.
    """
    return _terms(tally((*_without_owner(board, owner, card),), CARDS, options)[owner], card)


def _without_owner(board: tuple[Side, ...], owner: int, card: str) -> tuple[Side, ...]:
    """Put the card on a dance field, where characters change no count of Beta."""
    mine = board[owner]
    return (
        *board[:owner],
        evolve(mine, dance=(*mine.dance, Lying(CardId(card)))),
        *board[owner + 1 :],
    )


def _terms(seat: SeatTally, card: str) -> list[int]:
    return [term.vp for term in [c for c in seat.characters if c.card == card][-1].terms]


BETA_TABLE = {  # the table of §21, term by term, for A, B and C as owner
    "cc001": ([7, 1, -4], [7, 0, -5], [7, 0, -5]),
    "cc002": ([0, 0, -3], [0, 2, -2], [0, 0, -3]),
    "cc003": ([4, -7, 3], [4, -7, 3], [4, -7, 3]),
    "cc004": ([6, -5], [6, -4], [6, -5]),
    "cc005": ([6, -5, 2], [6, -4, 2], [6, -5, 2]),
    "cc006": ([9, -5], [9, -4], [9, -5]),
    "cc007": ([6, -3], [6, -2], [6, -3]),
    "cc008": ([6, 3, -6], [6, 3, -4], [6, 3, -6]),
    "cc009": ([9, -5], [9, -4], [9, -5]),
}


@pytest.mark.parametrize("owner", [0, 1, 2])
@pytest.mark.parametrize("card", BETA_TABLE)
def test_beta_every_card_for_every_owner(card: str, owner: int) -> None:
    """OD-134, OD-135, OD-136, OD-138, OD-140, OD-142, OD-147, OD-148, OD-149, OD-150, OD-151,
    OD-155, OD-156, OD-157, OD-158: the table of board Beta."""
    assert vp_of(card, owner) == BETA_TABLE[card][owner]


BETA_OPTIONS = [
    (Options(unscoped="own"), "cc001", 0, [3, 1, -4]),  # OD-137
    (Options(unscoped="own"), "cc005", 2, [6, -5, 1]),
    (Options(others_threshold="single"), "cc002", 1, [0, 0, -2]),  # OD-136
    (Options(field_cards="resource"), "cc003", 1, [4, -7, 0]),  # OD-139
]


@pytest.mark.parametrize(("options", "card", "owner", "terms"), BETA_OPTIONS)
def test_beta_under_the_other_readings(
    options: Options, card: str, owner: int, terms: list[int]
) -> None:
    """OD-136, OD-137, OD-139: the options lines below the table of board Beta."""
    assert vp_of(card, owner, options) == terms


def test_s25_beta_at_midway() -> None:
    """S-25; OD-114, OD-132, OD-145: A scores 4 + 4, B 0, C 3, published term by term."""
    a, b, c = tally(BETA, CARDS, DEFAULT)
    assert [(t.card, t.vp) for t in a.characters] == [("cc001", 4), ("cc006", 4)]
    assert (a.total, b.total, c.total) == (8, 0, 3)
    # the VP before the tally are 0, -2, -1
    assert [vp + t.total for vp, t in zip((0, -2, -1), (a, b, c), strict=True)] == [8, -2, 2]
    high = a.characters[0].terms[0]
    assert (sorted(high.cards), high.vp) == (sorted(ids("9D 8S 10C 8H 9S 10D 10S")), 7)


def test_cards_of_a_hand_term_are_shown_and_no_others() -> None:
    """OD-142, OD-146: cc001 shows every J of its owner's hand; nobody else shows anything."""
    board = (side("cc001", hand="JH 4D JS QS"), side("cc002", hand="JD"))
    a, b = tally(board, CARDS, DEFAULT)
    assert a.shown == ("JH", "JS")
    assert a.characters[0].terms[1].vp == 2
    assert b.shown == ()


def test_without_the_character_no_hand_card_is_shown() -> None:
    """OD-143, OD-146: cc001 in the pile or hand scores nothing and shows nothing."""
    (a,) = tally((side("9D", pile="cc001", hand="JH cc001"),), CARDS, DEFAULT)
    assert (a.total, a.characters, a.shown) == (0, (), ())


def test_every_character_of_a_domain_scores_kept_or_not_and_copies_too() -> None:
    """OD-132, OD-133: two copies both score, FC or not."""
    board = (side("cc004*", "2C cc004"), side("2H"))
    a, b = tally(board, CARDS, DEFAULT)
    assert [character.vp for character in a.characters] == [1, 1]
    assert b.total == 0


def test_threshold_scores_once_and_flat() -> None:
    """OD-136: five spades or more give +4, never more."""
    for number, vp in ((4, 0), (5, 4), (6, 4)):
        board = (side("cc002", " ".join(f"{n}S" for n in range(2, 2 + number))), side())
        assert _terms(tally(board, CARDS, DEFAULT)[0], "cc002")[0] == vp


def test_single_threshold_needs_one_seat_to_reach_it_alone() -> None:
    """OD-136: 3 + 2 spades of two others reach it together; alone only 5 of one seat do."""
    single = Options(others_threshold="single")
    split = (side("cc002"), side("", "2S 3S 4S"), side("", "5S 6S"))
    alone = (side("cc002"), side("", "2S 3S 4S 5S 6S"), side())
    for board, options, vp in (
        (split, DEFAULT, 2),
        (split, single, 0),
        (alone, single, 2),
        (alone, DEFAULT, 2),
    ):
        assert _terms(tally(board, CARDS, options)[0], "cc002")[1] == vp


def test_song_cards_are_resource_cards_by_suit_not_characters_on_a_song_field() -> None:
    """OD-15, OD-138, OD-140: characters have neither suit nor value."""
    board = (side("cc004"), side("cc001 2H", "cc002"))
    assert _terms(tally(board, CARDS, DEFAULT)[0], "cc004") == [0, -1]


def test_characters_in_any_pile_count_and_events_do_not() -> None:
    """OD-141, OD-151: however they got there; events and resource cards do not count."""
    board = (side("cc005", pile="ev_kodama 9H KS"), side(pile="cc001 cc002"))
    assert _terms(tally(board, CARDS, DEFAULT)[0], "cc005")[2] == 2


def test_tree_is_the_sum_of_the_leaves_of_a_field() -> None:
    """OD-14: 7 + 8 + 10 = 25; characters add nothing."""
    assert tree(ids("7S 8C 10S")) == 25
    assert tree(ids("7S cc001")) == 7
    assert tree(()) == 0


CUSTOM = """
format = 1
set = "custom"
[[card]]
id = "grove"
kind = "character"
name = { en = "Grove" }
[[card.score]]
scope = "own"
zone = "dance"
measure = "tree"
at_least = 20
vp = 5
match = { kind = ["resource"] }
[[card.score]]
scope = "others"
zone = "song"
measure = "tree"
at_least = 15
vp = -3
[[card.score]]
scope = "whole"
zone = "fields"
match = { kind = ["character"], this = false }
each = 1
[[card.score]]
scope = "whole"
zone = "fields"
match = { fc = true }
each = 2
[[card.score]]
scope = "own"
zone = "hand"
match = { kind = ["event"], id = ["ev_kodama"] }
each = 3
[[card.score]]
scope = "own"
zone = "discard"
match = { kind = ["resource"], min = 4, max = 6 }
each = 1
"""


def test_custom_terms_trees_marks_and_ids() -> None:
    """OD-144, OD-182, OD-183: trees, `this`, `fc`, `id` and ranges of values score as they say."""
    cards = merge_sets([CardSet("seed", tuple(CARDS.values())), load_set(CUSTOM, "custom.toml")])
    board = (
        side("grove*", "10S 8C 2S grove", "3H 4H 6D 7D", "ev_kodama ev_shimo JS"),
        side("9H", "cc001*"),
        side("6H cc002"),
    )
    assert isinstance(cards[CardId("grove")], Character)
    first, second = tally(board, cards, DEFAULT)[0].characters
    assert [term.vp for term in first.terms] == [5, -3, 3, 4, 3, 2]
    assert [term.vp for term in second.terms] == [5, -3, 3, 4, 3, 2]
    assert tally(board, cards, DEFAULT)[0].shown == ("ev_kodama",)
    single = tally(board, cards, Options(others_threshold="single"))[0].characters[0]
    assert single.terms[1].vp == 0  # neither 9 nor 6 is 15


# --- recomputed by hand (I-19) -------------------------------------------------------------------

READINGS = st.builds(
    Options,
    unscoped=st.sampled_from(["whole", "own"]),
    others_threshold=st.sampled_from(["total", "single"]),
    field_cards=st.sampled_from(["all", "resource"]),
)


@st.composite
def boards(draw: st.DrawFn) -> tuple[Side, ...]:
    """Deal the pack and some characters and events over 2 to 6 seats' zones."""
    seats = draw(st.integers(2, 6))
    zones: list[list[list[str]]] = [[[], [], [], []] for _ in range(seats)]
    for card in PACK:
        home = draw(st.integers(0, seats * 3 - 1))
        seat, where = divmod(home, 3)
        if where == 0 and is_resource(card):
            zones[seat][0 if card[-1] in "HD" else 1].append(card)
        elif where == 1:
            zones[seat][2].append(card)
        elif len(zones[seat][3]) < 4:
            zones[seat][3].append(card)
    own_cards = st.sampled_from([*CARDS])
    for seat in range(seats):
        for card in draw(st.lists(own_cards, max_size=4)):
            where = draw(st.integers(0, 3))
            if where < 2 and not card.startswith("cc"):
                where = 2
            zones[seat][where].append(card)
    return tuple(side(*(" ".join(zone) for zone in seat)) for seat in zones)


@given(boards(), READINGS)
def test_tally_equals_the_sum_by_hand(board: tuple[Side, ...], options: Options) -> None:
    """I-19; OD-132, OD-133, OD-143: the tally of card data is the naive sum over the nine cards."""
    seats = [
        Seat(
            tuple(card.card for card in s.song),
            tuple(card.card for card in s.dance),
            s.pile,
            s.hand,
        )
        for s in board
    ]
    single, own, resource = (
        options.others_threshold == "single",
        options.unscoped == "own",
        options.field_cards == "resource",
    )
    for owner, result in enumerate(tally(board, CARDS, options)):
        assert result.total == naive_total(seats, owner, single=single, own=own, resource=resource)
        for character in result.characters:
            by_hand = naive_vp(
                character.card, seats, owner, single=single, own=own, resource=resource
            )
            assert character.vp == by_hand
