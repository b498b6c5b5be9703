"""The machine of odoriko: questions, waits, caps, marks and the plain form of positions."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve
from kaguraden_rules.catalogue import GAMES
from kaguraden_rules.kernel import (
    Answer,
    BadDeck,
    BadOptions,
    BadValue,
    CardId,
    IllegalOption,
    NotYourDecision,
    Pace,
    Stale,
)
from kaguraden_rules.odoriko import events as e
from kaguraden_rules.odoriko import state as s
from kaguraden_rules.odoriko.decks import STARTER
from kaguraden_rules.odoriko.marks import set_first_character
from kaguraden_rules.odoriko.options import Options
from kaguraden_rules.odoriko.order import opening
from kaguraden_rules.odoriko.refs import CardRef, Field, labels
from kaguraden_rules.odoriko.table import Table as Working
from kaguraden_rules.odoriko.windows import CHAIN_CAP
from kaguraden_rules.plain import structure, to_plain

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


def at_bidding(seats: int = 3, **options: Any) -> Table:
    zones = [seat("2S", vp=0), seat("3S"), seat("4S"), seat("5S")][:seats]
    return Table(position(*zones, stage=opening(seats), options=Options(**options)))


# --- declarations, janken, places ----------------------------------------------------------------


def test_a_declaration_takes_all_locks_and_starts_the_clock_anew() -> None:
    """OD-31, OD-194, OD-203."""
    t = at_bidding().act(A, "declare_bid", 0).act(A, "lock_bid")
    assert t.asked == (B, C)
    (before,) = ODORIKO.waits(t.state)
    t.act(B, "declare_bid", 1)
    (after,) = ODORIKO.waits(t.state)
    assert t.asked == after.pending == (A, B, C)
    assert after.pace is Pace.CHOICE
    assert after.id != before.id
    assert not after.minimum


def test_a_lock_leaves_the_clock_alone() -> None:
    """OD-203."""
    t = at_bidding().act(A, "declare_bid", 0)
    (before,) = ODORIKO.waits(t.state)
    (after,) = ODORIKO.waits(t.act(A, "lock_bid").state)
    assert before.id == after.id


def test_a_locked_seat_may_lock_again_or_declare_more() -> None:
    """OD-204: the second lock changes nothing; a declaration unlocks the seat itself too."""
    t = at_bidding().act(A, "declare_bid", 0).act(A, "lock_bid")
    again = ODORIKO.act(t.state, A, Answer(t.decisions[A].id, "lock_bid"))
    assert again.state == t.state
    assert again.events == ()
    t.act(A, "declare_bid", 5)
    assert t.asked == (A, B, C)


def test_a_declaration_is_higher_than_the_last_and_at_most_the_maximum() -> None:
    """OD-30, OD-32: with the maximum declared there is nothing left but the lock."""
    t = at_bidding(bid_max=4).act(A, "declare_bid", 2)
    for wrong in (2, 1, 5):
        with pytest.raises(BadValue):
            t.act(A, "declare_bid", wrong)
    t.act(A, "declare_bid", 4)
    assert t.options(A) == ["lock_bid"]


def test_a_locked_seat_that_cannot_declare_more_is_offered_nothing() -> None:
    """OD-204: else a client that answers whatever is open would answer for ever."""
    t = at_bidding(bid_max=4).act(A, "declare_bid", 4).act(A, "lock_bid")
    assert A not in t.decisions
    assert t.asked == (B, C)


def test_when_time_is_up_the_silent_declare_nothing() -> None:
    """OD-31, OD-33: a seat without a declaration declares 0; what was declared is paid."""
    t = at_bidding().act(B, "declare_bid", 3).expire()
    assert t.vp() == [0, -3, 0]
    assert t.told(e.BidDeclared)[1:] == [e.BidDeclared(A, 0), e.BidDeclared(C, 0)]
    assert isinstance(t.state.stage, s.Janken)
    assert t.state.stage.groups == ((A, C), (B,))


def janken(*groups: tuple[int, ...], repeat: int = 0) -> Table:
    zones = [seat(f"{n}S") for n in (2, 3, 4, 5)]
    stage = s.Janken(groups, repeat)  # type: ignore[arg-type]
    return Table(position(*zones, stage=stage))


def test_arrival_of_sealed_answers_leaves_no_trace() -> None:
    """OD-35, OD-101 in the small: the same answers in another order give the same position."""
    first, second = janken((0, 1, 2), (3,)), janken((0, 1, 2), (3,))
    first.act(A, "rock").act(B, "paper")
    second.act(B, "paper").act(A, "rock")
    assert first.state.stage == second.state.stage
    assert first.act(C, "random").state.stage == second.act(C, "random").state.stage


def test_random_hands_take_one_number_each_and_are_shown_as_such() -> None:
    """OD-201: by seat number, when the round is shown; the answer itself takes none."""
    t = janken((0, 1), (2,), (3,)).act(B, "random")
    assert t.state.entropy.taken == 0
    t.act(A, "rock")
    assert t.state.entropy.taken == 1
    (shown,) = t.told(e.JankenShown)
    assert [(c.seat, c.random) for c in shown.choices] == [(A, None), (B, True)]


def test_random_is_the_default_hand() -> None:
    """OD-201: whoever is late is shown as random."""
    t = janken((0, 1), (2,), (3,)).act(A, "rock").expire()
    (shown,) = t.told(e.JankenShown)
    assert [c.random for c in shown.choices] == [None, True]
    assert t.state.entropy.taken == 1


def test_the_generator_orders_a_group_after_ten_repeats() -> None:
    """OD-35, OD-202: the tenth repeat is played; when it decides nothing the lot does."""
    t = janken((2, 3), (0,), (1,))
    for repeat in range(11):
        (view,) = [t.view(None).table.janken]
        assert (view.group, view.repeat) == ((2, 3), repeat)
        t.act(C, "rock").act(D, "rock")
    (drawn,) = t.told(e.JankenDrawn)
    assert set(drawn.order) == {2, 3}
    assert t.state.entropy.taken == 1  # a shuffle of two
    assert t.state.stage == s.Placing((*drawn.order, A, B), wait=t.state.waits)


def test_tied_groups_play_in_the_order_in_which_they_choose() -> None:
    """OD-193."""
    t = janken((3, 1), (0, 2))
    assert t.asked == (3, 1)
    t.act(B, "rock").act(D, "paper")
    assert t.asked == (0, 2)


def test_a_late_seat_gets_the_smallest_free_place() -> None:
    """OD-36: and the last place is given."""
    zones = [seat(f"{n}S") for n in (2, 3, 4)]
    t = Table(position(*zones, stage=s.Placing((C, A, B))))
    assert t.options(C) == ["place:1", "place:2", "place:3"]
    t.act(C, "place:2").expire()
    assert t.state.order == (A, C, B)
    assert t.turn == A


# --- actions ---------------------------------------------------------------------------------


def test_a_turn_may_be_ended_and_is_when_time_is_up() -> None:
    """OD-38, OD-112."""
    t = at_turn(seat("2S"), seat("3S")).expire()
    assert t.turn == B
    assert t.told(e.TurnEnded) == [e.TurnEnded(A, barren=True)]


def test_an_empty_deck_cannot_be_drawn_from() -> None:
    """OD-50."""
    t = at_turn(seat("2S", resource_deck=0, no_characters=True), seat("3S"))
    assert t.options(A, "draw") == []


def test_own_cards_can_be_discarded_wherever_they_lie() -> None:
    """OD-48, OD-49: hand and domain, the first character too, but nobody else's cards."""
    t = at_turn(seat("2S ev_kodama", "cc001* 9H", "7S"), seat("3S", "8H"))
    assert t.options(A, "discard") == [
        "discard:hand:2S",
        "discard:hand:ev_kodama",
        "discard:song:cc001",
        "discard:song:9H",
        "discard:dance:7S",
    ]


def test_two_copies_on_a_field_are_told_apart() -> None:
    """OD-65: a kept character and a new one of the same face."""
    cards = (CardRef("cc001@0"), CardRef("cc001@0"), CardRef("9D"))
    assert list(labels(cards)) == ["cc001", "cc001#2", "9D"]
    state = position(seat("KS", "cc001^"), seat("3S"), stage=s.Turn(A, 1, True, 2), half=2)
    song = (*state.seats[0].song, s.Lying(CardRef("cc001@0"), 9))
    state = evolve(state, seats=(evolve(state.seats[0], song=song), state.seats[1]))
    t = Table(state)
    assert t.options(A, "use_k") == ["use_k:KS:0:song:cc001", "use_k:KS:0:song:cc001#2"]
    t.act(A, "discard:song:cc001#2")
    assert [lying.kept for lying in t.seat(A).song] == [True]
    assert t.told(e.CardsDiscarded)[0].cards == (e.Discarded(CardId("cc001"), A, "song"),)


def test_a_second_first_character_takes_the_mark_of_the_former() -> None:
    """OD-57, OD-61."""
    state = position(seat("", "cc001*", "cc005"), seat(""), stage=s.Turn(A, 1, True, 2))
    table = Working.lay(state, ODORIKO.cards)
    (aisha,) = state.seats[0].dance
    set_first_character(table, A, Field.DANCE, aisha)
    assert [lying.fc for lying in (*table.seats[0].song, *table.seats[0].dance)] == [False, True]
    assert [event.kind for event in table.events] == ["fc_lost", "fc_set"]
    set_first_character(table, A, Field.DANCE, table.seats[0].dance[0])
    assert len(table.events) == 2


def test_marks_end_when_the_turn_of_their_maker_begins() -> None:
    """OD-173, OD-197: frozen fields take nothing, K names no sheltered card; both end."""
    t = at_turn(seat("KS 9D cc002", "cc001*"), seat("QC", "cc003", "cc004*"))
    state = t.state
    frost = s.Frost(Field.SONG, by=B)
    shelter = tuple(evolve(y, sheltered=(B,)) for y in state.seats[1].song)
    seats = (evolve(state.seats[0], frosts=(frost,)), evolve(state.seats[1], song=shelter))
    t = Table(evolve(state, seats=seats, stage=s.Turn(A, 1, True, 2), decisions=()))
    assert t.options(A, "place") == ["place_character:cc002:dance"]
    assert t.options(A, "use_k") == []
    assert t.view(None).seats[0].frozen == ("song",)
    assert t.view(None).seats[1].song[0].sheltered
    t.act(A, "end_turn")
    assert t.told(e.MarkEnded) == [
        e.MarkEnded("frozen", A, "song"),
        e.MarkEnded("sheltered", B, "song", CardId("cc003")),
    ]
    assert t.view(None).seats[0].frozen is None
    assert not t.seat(B).song[0].sheltered


def test_a_frozen_field_takes_no_exchange() -> None:
    """OD-75, OD-173."""
    t = at_turn(seat("QC", "cc003", "cc004*"), seat("9D"))
    assert len(t.options(A, "q_swap")) == 1  # only the exchange: each field has a new one
    frozen = evolve(t.state.seats[0], frosts=(s.Frost(Field.DANCE, by=B),))
    state = evolve(t.state, seats=(frozen, t.state.seats[1]), stage=s.Turn(A, 1, True, 2))
    assert Table(evolve(state, decisions=())).options(A, "q_swap") == []


def test_all_marks_for_a_time_end_at_midway() -> None:
    """OD-121."""
    state = position(seat("2S", "cc001*"), seat("3S", "cc002*"), stage=s.Keeping())
    sheltered = tuple(evolve(y, sheltered=(B,)) for y in state.seats[0].song)
    owner = evolve(state.seats[0], song=sheltered, frosts=(s.Frost(Field.DANCE, by=A),))
    t = Table(evolve(state, seats=(owner, state.seats[1]))).expire()
    assert t.state.half == 2
    assert t.seat(A).frosts == ()
    assert t.seat(A).song[0].sheltered == ()
    assert len(t.told(e.MarkEnded)) == 2


def test_midway_that_is_due_is_no_stalemate() -> None:
    """OD-113, OD-210: also when the turn completes as many barren turns as there are seats."""
    turn = s.Turn(B, 4, begun=True, actions_left=2)
    zones = seat("2S", "cc001*"), seat("3S", "cc002*")
    t = Table(position(*zones, stage=turn, midway_due=4, barren=1)).act(B, "end_turn")
    assert isinstance(t.state.stage, s.Keeping)
    assert t.told(e.Stalemate) == []


# --- windows and the cap -----------------------------------------------------------------------


def test_a_window_waits_for_its_minimum_time() -> None:
    """OD-101, OD-106: all answers in, nobody pending, and still nothing has happened."""
    t = at_turn(seat("7D", "cc001*"), seat("JS"), seat("cc002"))
    t.act(A, "discard:hand:7D")
    (wait,) = ODORIKO.waits(t.state)
    assert (wait.pace, wait.seats, wait.minimum) == (Pace.WINDOW, (B,), True)
    before = t.view(A), t.view(C), t.view(None)
    t.act(B, "use_j:JS:7D")
    (closing,) = ODORIKO.waits(t.state)
    assert closing == evolve(wait, pending=())
    assert t.last == ()
    assert t.view(B).you.answered.option == "use_j:JS:7D"
    assert (t.view(A), t.view(C), t.view(None)) == before
    t.expire()
    assert t.hand(B) == {"7D"}


def test_answers_that_are_not_carried_out_are_forgotten() -> None:
    """OD-101, W4: the state after a window is the same whatever a later seat had answered."""
    states = []
    for answer in ("pass", "use_j:JC:7D"):
        t = at_turn(seat("7D", "cc001*"), seat("JS"), seat("JC"))
        t.act(A, "discard:hand:7D").act(B, "use_j:JS:7D").act(C, answer).expire()
        states.append(t.state)
    assert states[0] == states[1]


@pytest.mark.parametrize(("frames", "opens"), [(CHAIN_CAP - 1, True), (CHAIN_CAP, False)])
def test_beyond_the_cap_no_window_opens_in_an_action(frames: int, opens: bool) -> None:
    """OD-111, OD-196: the first window that does not open is told."""
    batch = s.Batch(1, (s.Discarding(CardRef("7D"), A, "hand"),))
    action = s.Action(A, batches=(batch,), frames=frames)
    turn = s.Turn(A, 1, begun=True, actions_left=1)
    zones = seat("2S", pile="7D"), seat("JC")
    t = Table(position(*zones, stage=turn, stack=(action,)))
    assert t.window == (("j", 1) if opens else None)
    assert t.told(e.ChainCapped) == ([] if opens else [e.ChainCapped(CHAIN_CAP)])
    if opens:
        t.act(B, "use_j:JC:7D").expire()
    assert t.state.stack == ()
    assert t.options(A)


def test_beyond_the_cap_no_round_opens_in_a_window() -> None:
    """OD-111, OD-196: what is on the stack is finished, here the 64th use."""
    cards = tuple(s.Discarding(CardRef(card), A, "hand") for card in ("7D", "9D"))
    action = s.Action(A, batches=(s.Batch(1, cards),), frames=CHAIN_CAP - 1)
    turn = s.Turn(A, 1, begun=True, actions_left=1)
    zones = seat("2S", pile="7D 9D"), seat("JC JS")
    t = Table(position(*zones, stage=turn, stack=(action,)))
    t.act(B, "use_j:JC:7D").expire()
    assert t.hand(B) == {"7D", "JS"}
    assert t.told(e.ChainCapped) == [e.ChainCapped(CHAIN_CAP)]
    assert t.window is None


@pytest.mark.parametrize("card", ["cc002", "9D"])
def test_a_pile_can_be_taken_from_only_when_a_resource_card_is_discarded(card: str) -> None:
    """OD-72, OD-209: then any resource card of that pile may be taken."""
    zones = seat("cc002 9D", pile="7D"), seat("JS")
    t = at_turn(*zones, options=Options(j_scope="pile")).act(A, f"discard:hand:{card}")
    opened = card == "9D"
    assert t.window == (("j", 1) if opened else None)
    assert t.options(B, "use_j") == (["use_j:JS:7D", "use_j:JS:9D"] if opened else [])


def test_k_does_nothing_when_its_target_is_gone() -> None:
    """OD-79, OD-98: nothing happens, and K goes to its player's pile."""
    gone = s.Named(B, "song", CardRef("9D"), since=99)
    king = s.Use(A, CardRef("KS"), s.Purpose.DISCARD, ((gone,),))
    turn = s.Turn(A, 1, begun=True, actions_left=1)
    zones = seat("2S"), seat("JC", "8H"), seat("", pile="9D")
    t = Table(position(*zones, stage=turn, stack=(s.Action(A, frames=1), king)))
    assert [event.kind for event in t.events] == ["effect_fizzled", "cards_discarded"]
    assert (t.pile(A), t.song(B), t.state.stack) == (["KS"], ["8H"], ())


def test_a_seat_sees_its_own_sealed_answer() -> None:
    """OD-178: at midway and when cards do not fit; the others see nothing of it."""
    state = position(seat("2S", "cc001*"), seat("3S", "cc002*"), stage=s.Keeping())
    t = Table(state).act(A, "keep_character:song:cc001")
    assert t.view(A).you.answered.kind == "keep"
    assert t.view(B).you.answered is None
    assert t.asked == (A, B)
    paid, lot = (CardRef("9D"), CardRef("3C")), (CardRef("8D"), CardRef("4C"))
    takers = (s.Taker(A, paid, hidden=True), s.Taker(B, lot, hidden=False))
    turn = s.Turn(A, 1, begun=True, actions_left=1)
    zones = seat("2S 2H 2D"), seat("3S 3H 3D")
    gain = s.Gain(takers, asked=(A, B), wait=1)
    t = Table(position(*zones, stage=turn, stack=(s.Action(A), gain), waits=1))
    t.act(B, "keep", ["4C"])
    assert t.view(B).you.answered.value == ("4C",)
    assert t.view(A).you.answered is None
    assert t.hand(B) == {"3S", "3H", "3D"}
    t.act(A, "keep", ["9D"])
    assert (t.hand(A), t.hand(B)) == ({"2S", "2H", "2D", "9D"}, {"3S", "3H", "3D", "4C"})
    assert [len(event.cards) for event in t.told(e.CardsDiscarded)] == [2]  # one batch


# --- auctions --------------------------------------------------------------------------------


def sale(**options: Any) -> Table:
    t = at_turn(
        seat("10H 4S", "cc001*"),
        seat("9D 3C 5H"),
        seat("2D 6S QC"),
        options=Options(**options),
    )
    return t.act(A, "sell:resource:1", ["10H", "4S"])


def test_done_is_private_and_cleared_by_a_higher_bid() -> None:
    """OD-88, OD-205: a seat that is done stays asked for others, and may bid no more."""
    t = sale()
    before = t.bytes_for(C)
    t.act(B, "done")
    assert t.bytes_for(C) == before
    assert t.asked == (B, C)
    assert B not in t.decisions
    assert t.view(B).you.done
    assert ODORIKO.waits(t.state)[0].pending == (C,)
    t.act(C, "bid", 1)
    assert t.options(B) == ["done", "bid"]
    assert not t.view(B).you.done


def test_a_bid_restarts_the_clock_and_excludes_the_leader() -> None:
    """OD-85, OD-88."""
    t = sale()
    (before,) = ODORIKO.waits(t.state)
    (after,) = ODORIKO.waits(t.act(B, "bid", 1).state)
    assert before.id != after.id
    assert after.pace is Pace.AUCTION
    assert after.minimum
    assert after.seats == (C,)
    with pytest.raises(NotYourDecision):
        t.act_anyway(B, "bid", 2)


def test_the_auction_stays_open_until_its_minimum_time() -> None:
    """OD-88, OD-106: even when everybody is done."""
    t = sale().act(B, "done").act(C, "done")
    assert ODORIKO.waits(t.state)[0].pending == ()
    assert t.told(e.AuctionClosed) == []
    assert t.expire().told(e.AuctionClosed) == [e.AuctionClosed()]


def test_polled_seats_raise_or_pass_for_good() -> None:
    """OD-85, OD-206: from the seller's left; who cannot reach the number is passed over."""
    t = sale(auction_mode="polled")
    assert t.asked == (B,)
    (wait,) = ODORIKO.waits(t.state)
    assert (wait.pace, wait.minimum) == (Pace.CHOICE, False)
    t.act(B, "bid", 1)
    assert t.asked == (C,)
    t.act(C, "bid", 2)
    assert t.asked == (B,)
    t.act(B, "bid", 3)  # C holds 3: it cannot give 4
    assert t.told(e.AuctionPassed) == []
    assert t.told(e.AuctionClosed) == [e.AuctionClosed(B, 3)]


def test_a_polled_seat_that_is_late_has_passed() -> None:
    """OD-85, D-12."""
    t = sale(auction_mode="polled").act(B, "bid", 1).expire()
    assert t.told(e.AuctionPassed) == [e.AuctionPassed(C, asked=())]
    assert t.view(None).table.auction.passed == (C,)
    assert list(t.decisions) == [B]


def test_a_late_payment_takes_one_number_whatever_the_hand() -> None:
    """OD-27, OD-89: also where there is but one way to pay (OD-208)."""
    for bid in (1, 3):
        t = sale().act(B, "bid", bid)
        if bid == 1:
            t.expire()
        taken = t.state.entropy.taken
        assert t.options(B) == ["pay"]
        t.expire()
        assert t.state.entropy.taken == taken + 1
        (exchanged,) = t.told(e.CardsExchanged, B)
        assert exchanged.payment is not None
        assert len(exchanged.payment) == bid


def test_a_payment_is_seen_by_both_sides_alone() -> None:
    """OD-90."""
    t = sale().act(B, "bid", 1).expire().act(B, "pay", ["3C"])
    assert [t.told(e.CardsExchanged, v)[0].payment for v in (A, B, C, None)] == [
        ("3C",),
        ("3C",),
        None,
        None,
    ]
    t = sale(payment_view="public").act(B, "bid", 1).expire().act(B, "pay", ["3C"])
    assert t.told(e.CardsExchanged, None)[0].shown == ("3C",)


def crowded(**options: Any) -> Table:
    """B has bid 2 and paid; A has room for one of the two cards paid, B for one of the lot."""
    t = at_turn(
        seat("10H 4S cc002 cc003", "cc001*"),
        seat("9D 3C cc002 cc003"),
        seat("2D"),
        options=Options(**options),
    )
    t.act(A, "sell:resource:2", ["10H"]).act(B, "bid", 2)
    return t.act(B, "pay", ["9D", "3C"])


def test_cards_that_do_not_fit_are_chosen_in_secret() -> None:
    """OD-52: A has room for one of the two cards; what overflows is public."""
    t = crowded()
    assert t.told(e.GainOpened) == [e.GainOpened((A,))]
    assert t.view(A).you.incoming == ("9D", "3C")
    assert t.view(C).you.incoming is None
    t.act(A, "keep", ["3C"])
    assert t.hand(A) == {"4S", "cc002", "cc003", "3C"}
    assert t.pile(A) == ["9D"]


@pytest.mark.parametrize(("payments", "numbers"), [("private", 1), ("public", 0)])
def test_a_late_choice_takes_a_number_for_hidden_cards_only(payments: str, numbers: int) -> None:
    """OD-27, OD-207."""
    t = crowded(payment_view=payments)
    taken = t.state.entropy.taken
    t.expire()
    assert t.state.entropy.taken == taken + numbers
    if payments == "public":
        assert t.pile(A) == ["3C"]


# --- the kernel's interface --------------------------------------------------------------------


def test_refusals_change_nothing() -> None:
    """OD-176: and each says what is wrong."""
    t = at_turn(seat("9D"), seat("3S"))
    state, decision = t.state, t.decisions[A].id
    copy = structure(s.State, to_plain(state))
    for who, answer, refusal in (
        (B, Answer("1.1", "end_turn"), NotYourDecision),
        (A, Answer("0.9", "end_turn"), Stale),
        (A, Answer(decision, "draw:tarot"), IllegalOption),
        (A, Answer(decision, "end_turn", 1), BadValue),
        (A, Answer(decision, "sell:resource:1", ("3S",)), BadValue),
    ):
        with pytest.raises(refusal):
            ODORIKO.act(state, who, answer)
    with pytest.raises(Stale):
        ODORIKO.expire(state, "w0")
    assert state == copy


def test_a_position_is_a_plain_value() -> None:
    """Every part of a state comes back from its plain form: stages, frames, decisions."""
    t = sale().act(B, "bid", 1).act(C, "done")
    assert structure(s.State, to_plain(t.state)) == t.state
    t = at_turn(seat("7D", "cc001*"), seat("JS"), seat("JC")).act(A, "discard:hand:7D")
    t.act(B, "use_j:JS:7D")
    assert structure(s.State, to_plain(t.state)) == t.state
    t = janken((0, 1), (2,), (3,)).act(A, "random")
    assert structure(s.State, to_plain(t.state)) == t.state


def test_options_are_parsed_strictly_and_told_back() -> None:
    """OD-174: every problem at once, with its path."""
    with pytest.raises(BadOptions) as refused:
        ODORIKO.parse_options(
            {"bid_max": True, "j_scope": "hand", "speed": 3, "overflow": ["batch"]}
        )
    paths = sorted(p.path for p in refused.value.problems)
    assert paths == ["$.bid_max", "$.j_scope", "$.overflow", "$.speed"]
    options = ODORIKO.parse_options({"bid_max": 7, "j_scope": "pile"})
    assert options == Options(bid_max=7, j_scope="pile")
    assert ODORIKO.parse_options(ODORIKO.format_options(options)) == options
    schema = ODORIKO.options_schema()["properties"]
    assert isinstance(schema, dict)
    assert {name: ODORIKO.format_options(Options())[name] for name in schema} == {
        name: entry["default"] for name, entry in schema.items() if isinstance(entry, dict)
    }


def test_without_events_characters_may_come_twice() -> None:
    """OD-24."""
    options = ODORIKO.parse_options({"events": "none"})
    assert ODORIKO.format_options(options)["max_copies_character"] == 2
    deck = ODORIKO.check_deck(options, None)
    assert len(deck) == 12
    assert not any(card.startswith("ev_") for card in deck)
    with pytest.raises(BadDeck):
        ODORIKO.check_deck(options, STARTER)
    assert ODORIKO.check_deck(Options(), STARTER) == STARTER
    cards = ODORIKO.catalog(options)["cards"]
    assert isinstance(cards, dict)
    assert "cc009" in cards
    assert "ev_kodama" not in cards


def test_options_without_any_legal_deck_are_refused() -> None:
    """OD-198."""
    with pytest.raises(BadOptions):
        ODORIKO.parse_options({"max_copies_event": 0})


def test_a_game_needs_two_to_six_seats() -> None:
    """OD-1."""
    assert GAMES["odoriko"].seats == (2, 6)
    for seats in (1, 7):
        with pytest.raises(ValueError, match="2 to 6"):
            ODORIKO.setup(Options(), seats, [STARTER] * seats, entropy())


def test_nothing_is_open_when_the_game_is_over() -> None:
    """OD-131."""
    t = Table(position(seat("2S"), seat("3S"), stage=s.Over("barren"), half=2))
    outcome = ODORIKO.outcome(t.state)
    assert outcome is not None
    assert outcome.reason == "barren"
    assert (t.decisions, ODORIKO.waits(t.state), t.asked) == ({}, (), ())
    assert t.view(None).phase == "over"
    assert t.view(None).outcome == outcome
