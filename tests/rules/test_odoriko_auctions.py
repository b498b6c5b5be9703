"""Auctions, rule by rule, where no scenario shows them (§8)."""

from __future__ import annotations

import pytest
from kaguraden_rules.kernel import BadValue, CardsValue, IntValue, Pace
from kaguraden_rules.odoriko import events as e
from kaguraden_rules.odoriko.options import Options

from tests.rules.odoriko_positions import ODORIKO, A, B, C, D, at_turn, seat


def test_a_lot_is_any_resource_and_special_cards_of_the_hand() -> None:
    """OD-47, OD-80, OD-81, OD-82, OD-95: not the domain, not characters or events; 1 to 4 cards."""
    table = at_turn(seat("2D QC cc001 ev_kodama", song="3H"), seat())
    offers = table.options(A, "sell")
    assert len(offers) == 12  # three kinds, prices 1 to 4
    for offer in offers:
        assert table.among(A, offer) == CardsValue(("2D", "QC"), 1, 2)
    for lot in (["cc001"], ["3H"], [], ["2D", "2D"]):
        with pytest.raises(BadValue):
            table.act(A, "sell:either:1", lot)


def test_nobody_can_sell_without_cards_of_the_pack() -> None:
    """OD-80, OD-95: a hand of characters and events offers no sale."""
    assert at_turn(seat("cc001 ev_kodama"), seat()).options(A, "sell") == []


def test_lot_and_price_are_shown() -> None:
    """OD-54, OD-82: the lot has left the hand and lies in the open."""
    table = at_turn(seat("2D QC KS"), seat("3D"), seat())
    table.act(A, "sell:special:1", ["2D", "QC"])
    auction = table.view(None).table.auction
    assert (auction.lot, auction.price_kind, auction.price) == (("2D", "QC"), "special", 1)
    assert table.view(None).seats[A].rb == 1
    assert table.hand(A) == {"KS"}


@pytest.mark.parametrize(("kind", "most"), [("resource", 2), ("special", 1), ("either", 3)])
def test_bids_are_bounded_by_what_the_hand_can_pay(kind: str, most: int) -> None:
    """OD-82, OD-84, OD-87, OD-95: cards of the named kind, jumps allowed; others see no bound."""
    table = at_turn(seat("9H"), seat("2D 3D QS cc001"), seat("4D"))
    table.act(A, f"sell:{kind}:1", ["9H"])
    assert table.among(B, "bid") == IntValue(1, most)
    assert table.view(B).you.payable == most
    assert table.view(C).you.payable in (0, 1)
    assert table.view(A).you.payable is None
    table.act(B, "bid", most)
    if table.asked == (C,):  # C may outbid 1 but not pay 2
        table.act(C, "done").expire()
    assert len(table.among(B, "pay").among) == most


def test_nothing_can_be_used_during_an_auction() -> None:
    """OD-86, OD-93: only bidding and being done; nothing is withdrawn; the seller is not asked."""
    table = at_turn(seat("9H KD"), seat("2D JS QS", song="3H"), seat("4D 5D 6D"))
    table.act(A, "sell:either:1", ["9H"])
    assert set(table.options(B)) == {"done", "bid"}
    table.act(B, "bid", 2)
    assert set(table.decisions) == {C}
    assert set(table.options(C)) == {"done", "bid"}
    table.act(C, "done").expire()
    assert table.told(e.WindowOpened) == []
    assert table.view(None).table.auction.leader == B


def test_done_is_private_and_cleared_by_a_higher_bid() -> None:
    """OD-88: others do not see it, and after a higher bid the seat is asked again."""
    table = at_turn(seat("9H"), seat("2D 3D 4D"), seat("5D 6D 7D"), seat("8D 2S 3S"))
    table.act(A, "sell:resource:1", ["9H"])
    before = [table.bytes_for(viewer) for viewer in (A, C, D, None)]
    table.act(B, "done")
    assert [table.bytes_for(viewer) for viewer in (A, C, D, None)] == before
    assert table.view(B).you.done is True
    assert B not in table.decisions
    table.act(C, "bid", 1)
    assert set(table.asked) == {B, D}
    assert B in table.decisions


def test_every_bid_starts_the_clock_anew_and_the_end_has_a_minimum() -> None:
    """OD-88, OD-106: with all done it stays open until the keeper of the clock ends it."""
    table = at_turn(seat("9H"), seat("2D 3D 4D"), seat("5D 6D 7D"))
    table.act(A, "sell:resource:1", ["9H"])
    (first,) = ODORIKO.waits(table.state)
    table.act(B, "bid", 1)
    (second,) = ODORIKO.waits(table.state)
    assert first.id != second.id
    assert (second.pace, second.minimum, second.seats) == (Pace.AUCTION, True, (C,))
    table.act(C, "done")
    (third,) = ODORIKO.waits(table.state)
    assert (third.id, third.pending) == (second.id, ())
    table.expire()
    assert table.view(None).table.auction.step == "payment"


def test_equal_numbers_the_earlier_stands() -> None:
    """OD-85: a later bid must be higher than the best."""
    table = at_turn(seat("9H"), seat("2D 3D 4D"), seat("5D 6D 7D"))
    table.act(A, "sell:resource:1", ["9H"]).act(C, "bid", 2)
    assert table.among(B, "bid") == IntValue(3, 3)


def test_the_lot_is_sold_whole_to_one_buyer_for_the_number_bid() -> None:
    """OD-83, OD-89, OD-91: the winner pays exactly that many cards of the kind."""
    table = at_turn(seat("9H 8H JC"), seat("2D 3D 4D"), seat())
    table.act(A, "sell:resource:1", ["9H", "8H", "JC"]).act(B, "bid", 2)
    assert table.among(B, "pay") == CardsValue(("2D", "3D", "4D"), 2, 2)
    with pytest.raises(BadValue):
        table.act(B, "pay", ["2D"])
    table.act(B, "pay", ["2D", "4D"])
    assert table.hand(B) == {"3D", "9H", "8H", "JC"}
    assert table.hand(A) == {"2D", "4D"}


def test_who_is_late_pays_by_one_pick() -> None:
    """OD-27, OD-89: the generator picks among what can pay."""
    table = at_turn(seat("9H"), seat("2D 3D QD"), seat())
    table.act(A, "sell:resource:1", ["9H"]).act(B, "bid", 1)
    taken = table.state.entropy.taken
    table.expire()
    assert table.state.entropy.taken == taken + 1
    assert len(table.hand(A)) == 1
    assert table.hand(A) < {"2D", "3D"}


def test_payment_in_the_open_by_option() -> None:
    """OD-90: `payment_view = public` shows it to everybody."""
    options = Options(payment_view="public")
    table = at_turn(seat("9H"), seat("2D 3D"), seat(), options=options)
    table.act(A, "sell:resource:1", ["9H"]).act(B, "bid", 1).act(B, "pay", ["3D"])
    assert [event.shown for event in table.told(e.CardsExchanged, C)] == [("3D",)]


def test_overflow_of_both_sides_is_one_batch() -> None:
    """OD-91, OD-103: both choose in secret, then one window opens for all that overflowed."""
    table = at_turn(seat("9H 8H 7H cc001"), seat("2D 3D cc002 cc003"), seat("JD"), seat("2S"))
    table.act(A, "sell:resource:2", ["9H", "8H", "7H"]).act(B, "bid", 2)
    table.act(B, "pay", ["2D", "3D"])
    # A has room for 3 and takes 2; B has room for 2 and is to take 3
    assert table.asked == (B,)
    before = [table.bytes_for(viewer) for viewer in (A, C, None)]
    table.act(B, "keep", ["9H", "7H"])
    assert table.pile(B) == ["8H"]
    assert table.hand(A) == {"cc001", "2D", "3D"}
    assert before != [table.bytes_for(viewer) for viewer in (A, C, None)]
    assert [d.card for d in table.view(None).table.window.candidates] == ["8H"]


def test_both_sides_choose_at_once_and_in_secret() -> None:
    """OD-91, D-14: A's choice is not seen before B's."""
    table = at_turn(seat("9H 8H cc001 cc004"), seat("2D 3D 4D cc002"), seat("JD"))
    table.act(A, "sell:resource:3", ["9H", "8H"]).act(B, "bid", 3)
    table.act(B, "pay", ["2D", "3D", "4D"])
    assert table.asked == (A,)  # B has room for 3
    table.act(A, "keep", ["2D", "4D"])
    assert table.pile(A) == ["3D"]
    kept_by_a = {"2D", "4D"}
    assert not any(f"'{card}'" in table.bytes_for(C) for card in kept_by_a)


def test_decision_ids_tell_nothing_about_what_others_can_pay() -> None:
    """OD-88, OD-175: after a bid B's decision changes if it can pay more; D's id is the same."""
    shown = []
    for hand in ("2D 3D 4D", "JD QD KD"):
        table = at_turn(seat("9H"), seat(hand), seat("5C 6C 7C"), seat("5S 6S 7S"))
        table.act(A, "sell:resource:1", ["9H"]).act(C, "bid", 1)
        shown.append((table.decisions[D], ODORIKO.waits(table.state)))
    assert shown[0] == shown[1]


# --- polled --------------------------------------------------------------------------------------


def polled() -> Options:
    return Options(auction_mode="polled")


def test_polled_seats_are_asked_one_by_one_from_the_sellers_left() -> None:
    """OD-85: a pass is public and final; it goes on until all but the leader have passed."""
    table = at_turn(
        seat("9H"), seat("2D 3D 4D"), seat("5D 6D 7D"), seat("8D 2S 3S"), options=polled()
    )
    table.act(A, "sell:resource:1", ["9H"])
    assert table.asked == (B,)
    assert set(table.options(B)) == {"pass", "bid"}
    table.act(B, "bid", 1)
    assert table.asked == (C,)
    table.act(C, "pass")
    assert table.view(None).table.auction.passed == (C,)
    table.act(D, "bid", 2)
    assert table.asked == (B,)  # C is out for good
    table.expire()  # the clock passes
    assert [event.seat for event in table.told(e.AuctionPassed)] == [C, B]
    assert table.view(None).table.auction.leader == D


def test_polled_with_all_passing_is_unsold() -> None:
    """OD-85, OD-92, OD-94: the lot goes to the seller's pile, as rb is 0 and A is not asked."""
    table = at_turn(seat("9H"), seat("2D"), seat("5D"), options=polled())
    table.act(A, "sell:resource:1", ["9H"]).act(B, "pass").act(C, "pass")
    assert table.pile(A) == ["9H"]
    assert table.told(e.WindowOpened)[0].name == "j"


def test_a_is_not_asked_after_a_sale() -> None:
    """OD-94: with a sold lot A has no use."""
    table = at_turn(seat("9H AS"), seat("2D"), seat())
    table.act(A, "sell:resource:1", ["9H"]).act(B, "bid", 1).act(B, "pay", ["2D"])
    assert table.told(e.WindowOpened) == []
