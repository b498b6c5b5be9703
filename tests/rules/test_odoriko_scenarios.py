"""The worked scenarios of the rulebook (§21) that need no skill and no event card."""

from __future__ import annotations

import pytest
from kaguraden_rules.kernel import IllegalOption, NotYourDecision, Outcome, SeatId
from kaguraden_rules.odoriko import events as e
from kaguraden_rules.odoriko import state as s
from kaguraden_rules.odoriko.decks import STARTER
from kaguraden_rules.odoriko.midway import rank
from kaguraden_rules.odoriko.options import Options
from kaguraden_rules.odoriko.order import opening

from tests.rules.odoriko_positions import (
    ODORIKO,
    A,
    B,
    C,
    D,
    Table,
    at_turn,
    entropy,
    position,
    seat,
)

# --- setup and turn order --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seats", "deck", "removed"), [(2, 26, 0), (3, 17, 1), (4, 13, 0), (5, 10, 2), (6, 8, 4)]
)
def test_s01_deal(seats: int, deck: int, removed: int) -> None:
    """S-01; OD-1, OD-18, OD-19, OD-21, OD-25, OD-26: decks, leftovers and the first hand."""
    step = ODORIKO.setup(Options(), seats, [STARTER] * seats, entropy())
    (dealt,) = (event for event in step.events if isinstance(event, e.Dealt))
    assert [sizes.resource for sizes in dealt.decks] == [deck] * seats
    assert [sizes.character for sizes in dealt.decks] == [12] * seats
    assert dealt.removed == removed == len(step.state.removed)
    view = ODORIKO.view(step.state, None)
    for shown in view.seats:
        assert (shown.rb, shown.cb, shown.character_deck) == (1, 1, 11)
        assert shown.resource_deck == deck - 1
        assert (shown.song, shown.dance, shown.pile, shown.vp) == ((), (), (), 0)


def declaring(seats: int, **options: str) -> Table:
    return Table(
        position(
            *(seat(deck="", resource_deck=52 // seats) for _ in range(seats)),
            stage=opening(seats),
            options=Options(**options),  # type: ignore[arg-type]
        )
    )


@pytest.mark.parametrize(("pick", "order"), [("lowest", (A, C, B)), ("highest", (B, C, A))])
def test_s02_declarations(pick: str, order: tuple[SeatId, ...]) -> None:
    """S-02; OD-28, OD-29, OD-30, OD-31, OD-33: raising is free, lowering refused, all are paid."""
    table = declaring(3, order_pick=pick)
    table.act(A, "declare_bid", 0).act(B, "declare_bid", 2).act(C, "declare_bid", 0)
    table.act(C, "declare_bid", 1)
    assert table.among(C, "declare_bid").min == 2  # 0 is not higher
    for who in (A, B, C):
        table.act(who, "lock_bid")
    assert table.vp() == [0, -2, -1]
    assert isinstance(table.state.stage, s.Placing)
    assert table.state.stage.queue == order


def test_s03_janken() -> None:
    """S-03; OD-34, OD-35, OD-193: the winners' part plays on first; a draw is repeated."""
    table = declaring(4)
    for who in (A, B, C, D):
        table.act(who, "declare_bid", 1)
    for who in (A, B, C, D):
        table.act(who, "lock_bid")
    assert table.vp() == [-1] * 4
    table.act(A, "rock").act(B, "rock").act(C, "paper").act(D, "paper")
    assert table.asked == (C, D)
    table.act(C, "rock").act(D, "rock")
    assert table.asked == (C, D)
    assert table.view(None).table.janken.repeat == 1
    table.act(C, "scissors").act(D, "paper")
    assert table.asked == (A, B)
    table.act(A, "rock").act(B, "scissors")
    assert isinstance(table.state.stage, s.Placing)
    assert table.state.stage.queue == (C, D, A, B)


# --- hand limit and J ------------------------------------------------------------------------


def test_s04_overflow_is_public_and_opens_a_j_window() -> None:
    """S-04; OD-51, OD-53, OD-55, OD-71, OD-104: the fifth card goes to the pile; rb asks for J."""
    table = at_turn(seat("4S 6H QD cc002", deck="9C"), seat("JS ev_kodama"), seat("cc003 cc004"))
    table.act(A, "draw:resource")
    assert table.pile(A) == ["9C"]
    drawn = table.told(e.CardDrawn, C)[-1]
    assert drawn.overflow == "9C"
    assert table.window == ("j", 1)
    assert set(table.asked) == {A, B}
    table.act(A, "pass").act(B, "use_j:JS:9C").expire()
    assert table.hand(B) == {"9C", "ev_kodama"}
    assert (table.pile(A), table.pile(B)) == ([], ["JS"])
    assert table.window is None
    assert table.actions_left == 1


def test_s05_own_j_takes_back_the_overflowed_card() -> None:
    """S-05; OD-54, OD-72: a J in use has left the hand, so what it takes fits."""
    table = at_turn(seat("JH 4S 6H cc002", deck="10D"), seat("cc003"), seat("cc004"))
    table.act(A, "draw:resource")
    assert table.asked == (A,)
    table.act(A, "use_j:JH:10D").close()
    assert table.hand(A) == {"4S", "6H", "cc002", "10D"}
    assert table.pile(A) == ["JH"]


def test_s06_only_the_first_of_two_answers_is_carried_out() -> None:
    """S-06; OD-101, OD-102: B is first from the active seat's left; C keeps its J, unseen."""
    table = at_turn(seat("7D 2S"), seat("JC"), seat("JD"))
    table.act(A, "discard:hand:7D")
    assert table.asked == (B, C, A)
    table.act(C, "use_j:JD:7D").act(B, "use_j:JC:7D").act(A, "pass").expire()
    assert table.hand(B) == {"7D"}
    assert table.hand(C) == {"JD"}
    assert table.window is None
    assert "JD" not in table.bytes_for(A) + table.bytes_for(B) + table.bytes_for(None)


def test_s07_a_batch_is_asked_round_by_round() -> None:
    """S-07; OD-94, OD-101, OD-103: two J take one card each; the second round asks the same test."""
    table = at_turn(seat("5S 8H AH"), seat("JC 2C"), seat("JD 2D"))
    table.act(A, "sell:special:4", ["5S", "8H"])
    assert table.window == ("a", 1)
    table.act(A, "pass").expire()
    assert table.window == ("j", 1)
    assert table.asked == (B, C, A)
    assert [d.card for d in table.view(None).table.window.candidates] == ["5S", "8H"]
    table.act(B, "use_j:JC:8H").act(C, "use_j:JD:8H").expire()
    assert table.window == ("j", 2)
    assert table.asked == (B, C, A)  # every seat with rb >= 1, who passed before too
    table.act(C, "use_j:JD:5S").expire()
    assert table.window is None
    assert table.hand(B) == {"8H", "2C"}
    assert table.hand(C) == {"5S", "2D"}


# --- K and Q ---------------------------------------------------------------------------------


def test_s10_k_then_j() -> None:
    """S-10; OD-11, OD-46, OD-97: the window for the discarded card opens after K's effect."""
    table = at_turn(seat("KD"), seat("cc003", dance="10S"), seat("JH 2H"))
    table.act(A, "use_k:KD:1:dance:10S")
    assert table.window == ("k", 1)
    assert table.asked == (C,)  # B holds no resource-back card
    table.act(C, "pass").expire()
    assert table.window == ("j", 1)
    assert table.pile(A) == ["KD"]
    assert table.pile(B) == ["10S"]
    table.act(C, "use_j:JH:10S").close()
    assert table.hand(C) == {"10S", "2H"}
    assert table.pile(B) == []


def test_s11_k_may_not_name_an_fc() -> None:
    """S-11; OD-58, OD-74: the options list cc007 only; another target is refused."""
    table = at_turn(seat("KD"), seat(song="cc003*", dance="cc007"), seat())
    assert table.options(A, "use_k") == ["use_k:KD:1:dance:cc007"]
    with pytest.raises(IllegalOption):
        table.act(A, "use_k:KD:1:song:cc003")


def test_s12_q_cancels_k() -> None:
    """S-12; OD-73, OD-78: both cards are spent, the target stays, the action is used up."""
    table = at_turn(seat("KD"), seat(dance="cc007"), seat("QS"))
    table.act(A, "use_k:KD:1:dance:cc007").act(C, "use_q:QS").close()
    assert table.pile(A) == ["KD"]
    assert table.pile(C) == ["QS"]
    assert table.dance(B) == ["cc007"]
    assert table.actions_left == 1
    assert [event.by for event in table.told(e.EffectCancelled)] == [C]


@pytest.mark.parametrize(("q_swap", "left"), [("free", 2), ("action", 1)])
def test_s18_q_exchanges_the_fields_of_characters(q_swap: str, left: int) -> None:
    """S-18; OD-75, OD-76: marks travel along; no action is spent, or one by option."""
    table = at_turn(
        seat("QC", song="cc001*", dance="cc006"),
        seat(),
        seat(),
        options=Options(q_swap=q_swap),  # type: ignore[arg-type]
    )
    table.act(A, "q_swap:QC:song:cc001:dance:cc006").close()
    assert table.song(A) == ["cc006"]
    assert table.dance(A) == ["cc001"]
    assert table.fc(A) == "cc001"
    assert table.pile(A) == ["QC"]
    assert table.actions_left == left


def test_s19_q_may_not_put_two_new_characters_on_one_field() -> None:
    """S-19; OD-65, OD-75: the kept one may join a new one; two new ones may not meet."""
    table = at_turn(seat("QC", song="cc001^ cc002", dance="cc003"), seat(), seat(), half=2)
    assert set(table.options(A, "q_swap")) == {
        "q_swap:QC:song:cc001",
        "q_swap:QC:song:cc002:dance:cc003",
    }


# --- auctions --------------------------------------------------------------------------------


def sale(**options: str) -> Table:
    return at_turn(
        seat("10H 4S JC KD"),
        seat("9D 3C 5H QS"),
        seat("2D 6S"),
        options=Options(**options),  # type: ignore[arg-type]
    )


def test_s20_an_auction() -> None:
    """S-20; OD-84, OD-85, OD-88, OD-89, OD-90, OD-91: outcry, the end, and a private payment."""
    table = sale().act(A, "sell:resource:1", ["10H", "4S"])
    assert set(table.asked) == {B, C}
    table.act(C, "bid", 1)
    assert table.asked == (B,)
    with pytest.raises(NotYourDecision):
        table.act_anyway(C, "bid", 2)  # the leader cannot raise itself
    table.act(B, "bid", 2)
    # C holds rb 2 < 3: nobody is left to ask, and the bidding is over
    assert table.view(None).table.auction.step == "payment"
    assert table.asked == (B,)
    table.act(B, "pay", ["3C", "5H"])
    assert table.hand(B) == {"9D", "QS", "10H", "4S"}
    assert table.hand(A) == {"JC", "KD", "3C", "5H"}
    for viewer, payment in ((A, ("3C", "5H")), (B, ("3C", "5H")), (C, None), (None, None)):
        (exchanged,) = table.told(e.CardsExchanged, viewer)
        assert exchanged.payment == payment
        assert (exchanged.number, exchanged.shown) == (2, None)


@pytest.mark.parametrize("overflow", ["excess", "batch"])
def test_s21_the_seller_cannot_hold_all_that_is_paid(overflow: str) -> None:
    """S-21; OD-52, OD-91: A keeps two of three; the third opens a `j` window. By batch: none stays."""
    table = sale(overflow=overflow).act(A, "sell:resource:3", ["10H", "4S"])
    table.act(B, "bid", 3)
    assert table.among(B, "pay").among == ("9D", "3C", "5H")
    table.act(B, "pay", ["9D", "3C", "5H"])
    if overflow == "batch":
        assert table.hand(B) == {"QS", "10H", "4S"}
        assert sorted(table.pile(A)) == ["3C", "5H", "9D"]
        assert table.hand(A) == {"JC", "KD"}
        return
    assert table.asked == (A,)
    assert table.decisions[A].kind == "order_gain"
    assert (table.among(A, "keep").min, table.among(A, "keep").max) == (2, 2)
    table.act(A, "keep", ["9D", "5H"])
    assert table.hand(B) == {"QS", "10H", "4S"}
    assert table.pile(A) == ["3C"]
    assert table.window == ("j", 1)
    table.act(A, "use_j:JC:3C").close()
    assert table.hand(A) == {"KD", "9D", "5H", "3C"}


def test_s22_bids_that_cannot_be_paid_or_are_not_higher() -> None:
    """S-22; OD-85, OD-87: both are refused to C alone; the public record stays as it is."""
    table = at_turn(seat("10H 4S"), seat("9D 3C"), seat("2D QC"))
    table.act(A, "sell:resource:1", ["10H"]).act(B, "bid", 1)
    assert table.asked == (C,)
    before, public = table.state, table.bytes_for(None)
    assert table.options(C) == ["done"]  # of two cards one is special: 2 cannot be paid
    for number in (2, 1):
        with pytest.raises(IllegalOption):
            table.act(C, "bid", number)
    assert table.state == before
    assert table.bytes_for(None) == public


@pytest.mark.parametrize("recovers", [True, False])
def test_s23_a_recovers_an_unsold_lot(recovers: bool) -> None:
    """S-23; OD-70, OD-88, OD-92, OD-94: nobody can be asked, so it ends at once; then A, or piles."""
    table = at_turn(seat("JH 8C AS"), seat("2D 3D 4D"), seat("5D 6D"))
    table.act(A, "sell:special:4", ["JH", "8C"])
    assert [event.winner for event in table.told(e.AuctionClosed)] == [None]
    assert table.window == ("a", 1)
    assert table.asked == (A,)
    table.act(A, "use_a:AS" if recovers else "pass").expire()
    if recovers:
        assert table.hand(A) == {"JH", "8C"}
        assert table.pile(A) == ["AS"]
        assert table.window is None
    else:
        assert table.pile(A) == ["JH", "8C"]
        assert table.window == ("j", 1)
        assert table.asked == (B, C, A)
        assert [d.card for d in table.view(None).table.window.candidates] == ["8C"]


# --- midway, end -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "circuit", "midway_after"),
    [
        ((1, 2, 6), "full", 9),
        ((1, 2, 6), "round_end", 6),
        ((4, 5, 3), "full", 8),
        ((4, 5, 3), "round_end", 6),
    ],
)
def test_s24_when_midway_comes(
    first: tuple[int, int, int], circuit: str, midway_after: int
) -> None:
    """S-24; OD-113: n full turns after the turn of the last first character, or the circuit's end."""
    table = at_turn(
        *(seat("cc001 2D 3D 4D".replace("D", suit)) for suit in "DHS"),
        options=Options(midway_circuit=circuit),  # type: ignore[arg-type]
    )
    for turn in range(1, 20):
        who = table.turn
        assert table.view(None).table.turn_number == turn
        if first[who] == turn:
            table.act(who, "place_character:cc001:song")
        else:
            table.act(who, "draw:character").close()  # so that no turn is barren
        if isinstance(table.state.stage, s.Turn) and table.actions_left and table.turn == who:
            table.act(who, "end_turn")
        if not isinstance(table.state.stage, s.Turn):
            break
    assert turn == midway_after
    assert isinstance(table.state.stage, s.Keeping)


def beta(**options: str) -> Table:
    """Return board Beta in the turn that midway follows."""
    return at_turn(
        seat("JH", song="3H 9D cc001*", dance="8S 2S 10C cc006", pile="cc002"),
        seat("QC", song="8H 5H 2D cc003*", dance="9S 4C", vp=-2),
        seat("KC cc007", song="10D 6H", dance="5S 6S 10S 3C cc005*", pile="cc008", vp=-1),
        active=C,
        number=6,
        midway_due=6,
        options=Options(**options),  # type: ignore[arg-type]
    )


def test_s25_the_tally_at_midway() -> None:
    """S-25; OD-91, OD-114, OD-145: +8, 0 and +3, published term by term."""
    table = beta().act(C, "end_turn")
    assert table.vp() == [8, -2, 2]
    first = table.told(e.Tallied, None)
    assert [(event.seat, event.total) for event in first] == [(A, 8), (B, 0), (C, 3)]
    assert [(t.character, t.vp) for t in first[0].terms] == [
        ("cc001", 7),
        ("cc001", 1),
        ("cc001", -4),
        ("cc006", 9),
        ("cc006", -5),
    ]
    assert first[0].shown == ("JH",)


def pack_cards(owner: s.Seat) -> int:
    """Return how many cards of the pack are in a seat's zones."""
    lying = [card.card for card in owner.song + owner.dance]
    zones = (*owner.hand, *owner.pile, *owner.resource_deck, *lying)
    return sum("@" not in card for card in zones)


@pytest.mark.parametrize(("succession", "fc"), [("none", None), ("kept", "cc006")])
def test_s26_what_is_kept_and_what_returns(succession: str, fc: str | None) -> None:
    """S-26; OD-60, OD-115, OD-116, OD-117, OD-118, OD-120: one character stays, decks are whole."""
    table = beta(fc_succession=succession)
    had = [pack_cards(owner) for owner in table.state.seats]
    table.act(C, "end_turn")
    assert table.asked == (A, B, C)
    table.act(A, "keep_character:dance:cc006")
    table.act(B, "keep_character:song:cc003").act(C, "keep_character:dance:cc005")
    assert [table.fc(who) for who in (A, B, C)] == [fc, "cc003", "cc005"]
    for who, kept in ((A, "cc006"), (B, "cc003"), (C, "cc005")):
        assert table.song(who) + table.dance(who) == [kept]
        assert table.pile(who) == []
        seat_now = table.seat(who)
        assert len(seat_now.hand) == 2
        assert len(seat_now.resource_deck) == had[who] - 1
        assert len(seat_now.character_deck) == 10
    assert isinstance(table.state.stage, s.Bidding)
    assert table.vp() == [8, -2, 2]
    for who in (A, B, C):  # new declarations are subtracted from these
        table.act(who, "declare_bid", who)
    for who in (A, B, C):
        table.act(who, "lock_bid")
    assert table.vp() == [8, -3, 0]


def test_s27_one_new_character_besides_the_kept_one() -> None:
    """S-27; OD-64, OD-65: the kept one does not count and is not replaced."""
    table = at_turn(seat("cc002 cc003", song="cc001^*"), seat(), seat(), half=2, actions=8)
    song = "place_character:cc003:song"
    table.act(A, "place_character:cc002:song")
    assert song not in table.options(A)
    table.act(A, "discard:song:cc001")
    assert song not in table.options(A)
    table.act(A, "discard:song:cc002")
    table.act(A, song)
    assert table.song(A) == ["cc003"]


SONG_18 = "2H 3H 4H 5H 6H 7H 8H 9H 10H 2D 3D 4D 5D 6D 7D 8D 9D 10D"


def test_s28_the_twentieth_card_ends_the_game_at_once() -> None:
    """S-28; OD-110, OD-124, OD-125, OD-126: the second action is lost and no window opens."""
    table = at_turn(seat("2S", song="cc001*"), seat("JS", song=SONG_18, dance="3S"), seat(), half=2)
    assert table.view(None).table.lying == 19
    table.act(A, "place_resource:2S")
    assert isinstance(table.state.stage, s.Over)
    assert [event.count for event in table.told(e.FinalTriggered)] == [20]
    assert table.told(e.WindowOpened) == []
    assert isinstance(ODORIKO.outcome(table.state), Outcome)


@pytest.mark.parametrize("half", [1, 2])
def test_s33_three_barren_turns_end_a_half(half: int) -> None:
    """S-33; OD-128: midway scoring follows in half 1, the final tally in half 2."""
    table = at_turn(seat("2D"), seat("3D"), seat("4D"), half=half)
    table.act(A, "end_turn").act(B, "end_turn").act(C, "end_turn")
    assert [(event.half, event.reason) for event in table.told(e.Stalemate)] == [(half, "barren")]
    assert len(table.told(e.Tallied)) == 3
    # nobody has a character to keep, so half 1 goes straight on to the new order
    assert isinstance(table.state.stage, s.Bidding if half == 1 else s.Over)


def test_s33_a_sold_auction_is_barren_and_a_draw_is_not() -> None:
    """S-33; OD-128: no card left a deck, entered a field or a pile in a sale without overflow."""
    table = at_turn(seat("2D"), seat("3D"), seat("4D"))
    table.act(A, "sell:resource:1", ["2D"]).act(B, "bid", 1)
    table.act(B, "pay", ["3D"]).act(A, "end_turn")
    assert table.state.barren == 1
    table.act(B, "draw:resource").act(B, "end_turn")
    assert table.state.barren == 0
    assert [event.barren for event in table.told(e.TurnEnded)] == [True, False]


def test_s34_ranks() -> None:
    """S-34; OD-127: 9, 7, 7 and -1 VP are ranks 1, 2, 2 and 4."""
    ranking = rank((7, 9, -1, 7))
    assert [(r.seat, r.rank, r.score) for r in ranking] == [
        (B, 1, 9),
        (A, 2, 7),
        (D, 2, 7),
        (C, 4, -1),
    ]


def test_s35_a_hidden_card_does_not_decide_who_is_asked() -> None:
    """S-35; OD-13, OD-105, OD-175: with QH or 3C, `k` asks B, and A and C see the same."""
    tables = [
        at_turn(seat("KD"), seat(card, dance="5S", deck=other), seat("4D"))
        for card, other in (("QH", "3C"), ("3C", "QH"))
    ]
    for table in tables:
        table.act(A, "use_k:KD:1:dance:5S")
        assert table.asked == (B, C)
    for viewer in (A, C, None):
        assert tables[0].bytes_for(viewer) == tables[1].bytes_for(viewer)
    assert [table.options(B) for table in tables] == [["pass", "use_q:QH"], ["pass"]]
    tables[0].act(B, "use_q:QH").expire()
    tables[1].act(B, "pass").expire()
    assert tables[0].bytes_for(A) != tables[1].bytes_for(A)


@pytest.mark.parametrize(("scope", "taken"), [("batch", {"5D"}), ("pile", {"2D", "5D"})])
def test_s41_what_j_may_take(scope: str, taken: set[str]) -> None:
    """S-41; OD-72, OD-103: a card of the batch, or by option of a pile that received one."""
    table = at_turn(
        seat("5D", pile="2D KS"),
        seat("JD", pile="9S"),
        seat(),
        options=Options(j_scope=scope),  # type: ignore[arg-type]
    )
    table.act(A, "discard:hand:5D")
    assert {d.card for d in table.view(None).table.window.candidates} == taken
    assert set(table.options(B, "use_j")) == {f"use_j:JD:{card}" for card in taken}
