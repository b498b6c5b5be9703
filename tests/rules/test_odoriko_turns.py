"""Turn order, turns, actions, hand and fields, rule by rule, where no scenario shows them."""

from __future__ import annotations

import pytest
from attrs import evolve
from kaguraden_rules.entropy import Entropy
from kaguraden_rules.kernel import Answer as KernelAnswer
from kaguraden_rules.kernel import BadValue, IllegalOption, IntValue, NotYourDecision, SeatId, Stale
from kaguraden_rules.odoriko import events as e
from kaguraden_rules.odoriko import state as s
from kaguraden_rules.odoriko.decks import STARTER
from kaguraden_rules.odoriko.options import Options
from kaguraden_rules.odoriko.order import MAX_REPEATS, opening

from tests.rules.odoriko_positions import (
    ODORIKO,
    A,
    B,
    C,
    Table,
    at_turn,
    entropy,
    position,
    seat,
)


def deal(seats: int = 3, options: Options | None = None, word: str = "kagura") -> Table:
    """Deal a game and sit down at it."""
    options = Options() if options is None else options
    step = ODORIKO.setup(options, seats, [STARTER] * seats, entropy(word))
    table = Table.__new__(Table)
    table.game, table.state = ODORIKO, step.state
    table.events, table.last = list(step.events), step.events
    return table


def declare(table: Table, *bids: int) -> Table:
    for who, bid in enumerate(bids):
        table.act(SeatId(who), "declare_bid", bid)
    for who in range(len(bids)):
        table.act(SeatId(who), "lock_bid")
    return table


# --- deal --------------------------------------------------------------------------------------


def test_the_deal_depends_on_the_entropy_alone() -> None:
    """OD-20, OD-27: same entropy, same deal; another one, another deal."""
    assert deal().state == deal().state
    assert deal(word="other").state.seats != deal().state.seats


def test_the_whole_pack_and_all_twelve_are_in_the_decks_after_the_deal() -> None:
    """OD-8, OD-18, OD-21: every card is dealt once; each seat's own twelve are its character deck."""
    table = deal(5)
    pack = list(table.state.removed)
    for owner in table.state.seats:
        mine = [c for c in owner.hand if "@" in c] + list(owner.character_deck)
        assert sorted(c.partition("@")[0] for c in mine) == sorted(STARTER) == list(owner.supplied)
        pack += [c for c in owner.hand if "@" not in c] + list(owner.resource_deck)
    assert len(pack) == len(set(pack)) == 52


def test_leftover_cards_are_never_seen() -> None:
    """OD-19: nobody's view or events name them, only their number is told."""
    table = deal(5)
    everything = [c for owner in table.state.seats for c in owner.hand]
    for viewer in (None, *map(SeatId, range(5))):
        shown = table.bytes_for(viewer)
        own = () if viewer is None else table.seat(viewer).hand
        for card in (*table.state.removed, *(c for c in everything if c not in own)):
            if "@" not in card:
                assert f"'{card}'" not in shown


# --- turn order --------------------------------------------------------------------------------


def test_declarations_are_bounded() -> None:
    """OD-32: 0 to bid_max; at the top nothing higher is offered."""
    table = deal(2, Options(bid_max=7))
    assert table.among(A, "declare_bid") == IntValue(0, 7)
    assert table.options(A) == ["declare_bid"]  # one who declared nothing cannot be done
    table.act(A, "declare_bid", 7)
    assert table.options(A) == ["lock_bid"]
    with pytest.raises(BadValue):
        table.act(B, "declare_bid", 8)


def test_a_declaration_takes_every_lock_away() -> None:
    """OD-31, OD-194: also the declaring seat's own; `done` is said again by all."""
    table = deal(3)
    for who in (A, B, C):
        table.act(who, "declare_bid", who)
    table.act(A, "lock_bid").act(B, "lock_bid")
    assert table.asked == (C,)
    table.act(A, "declare_bid", 9)
    assert table.asked == (A, B, C)


def test_who_declares_nothing_declares_zero_when_time_is_up() -> None:
    """OD-31, OD-112: the clock locks everybody."""
    table = deal(3).act(B, "declare_bid", 4).expire()
    assert table.vp() == [0, -4, 0]


def test_janken_is_sealed_until_all_have_chosen() -> None:
    """OD-34, OD-35: nobody sees a choice, or that it was made, before the round is shown."""
    table = declare(deal(3), 0, 0, 5)
    before = table.bytes_for(B), table.bytes_for(C), table.bytes_for(None)
    table.act(A, "rock")
    assert (table.bytes_for(B), table.bytes_for(C), table.bytes_for(None)) == before
    assert table.view(A).you.answered.option == "rock"
    table.act(B, "paper")
    (shown,) = table.told(e.JankenShown)
    assert {hand.seat: hand.choice for hand in shown.choices} == {A: "rock", B: "paper"}
    assert shown.winners == (B,)


def test_three_kinds_are_a_draw_too() -> None:
    """OD-35: one kind or three kinds repeat the round."""
    table = declare(deal(3), 0, 0, 0)
    table.act(A, "rock").act(B, "paper").act(C, "scissors")
    assert table.asked == (A, B, C)
    assert table.view(None).table.janken.repeat == 1


def test_after_ten_repeats_the_generator_orders_the_group() -> None:
    """OD-35: a bound on janken."""
    table = declare(deal(2), 0, 0)
    for _ in range(MAX_REPEATS + 1):
        assert table.asked == (A, B)
        table.act(A, "rock").act(B, "rock")
    (drawn,) = table.told(e.JankenDrawn)
    assert isinstance(table.state.stage, s.Placing)
    assert table.state.stage.queue == drawn.order


def test_who_is_late_in_janken_gets_a_pick_of_the_generator() -> None:
    """OD-27, OD-35: one number for each late seat."""
    table = declare(deal(2), 0, 0)
    taken = table.state.entropy.taken
    table.act(A, "rock").expire()
    assert table.state.entropy.taken == taken + 1
    (shown,) = table.told(e.JankenShown)
    assert shown.choices[0].choice == "rock"
    assert shown.choices[1].random


def test_tied_groups_play_in_the_order_in_which_they_will_choose() -> None:
    """OD-35, OD-193: with 3, 1, 3, 1 declared, the two of 1 play first."""
    table = declare(deal(4), 3, 1, 3, 1)
    assert table.asked == (1, 3)
    table.act(SeatId(1), "rock").act(SeatId(3), "paper")
    assert table.asked == (0, 2)


def test_places_are_chosen_in_public_and_the_last_is_given() -> None:
    """OD-36, OD-37: any free place; the turn order follows the places."""
    table = declare(deal(3), 0, 1, 2)
    assert table.asked == (A,)
    assert table.options(A) == ["place:1", "place:2", "place:3"]
    table.act(A, "place:3")
    assert table.options(B) == ["place:1", "place:2"]
    table.act(B, "place:2")
    assert table.state.order == (C, B, A)
    assert table.turn == C
    assert [(p.seat, p.place) for p in table.told(e.PlaceChosen)] == [(A, 3), (B, 2), (C, 1)]


def test_who_is_late_takes_the_smallest_free_place() -> None:
    """OD-36, OD-112: the clock's choice."""
    table = declare(deal(3), 0, 1, 2).act(A, "place:1").expire()
    assert table.state.order == (A, B, C)


# --- turns and actions -------------------------------------------------------------------------


@pytest.mark.parametrize("actions", [1, 2, 4])
def test_a_turn_holds_so_many_actions(actions: int) -> None:
    """OD-37, OD-39, OD-191: the same action may be repeated; after the last the turn passes on."""
    stage = s.Turn(A, number=1)  # not begun
    table = Table(position(seat(), seat(), stage=stage, options=Options(actions_per_turn=actions)))
    for left in range(actions, 0, -1):
        assert (table.turn, table.actions_left) == (A, left)
        table.act(A, "draw:resource").close()
    assert (table.turn, table.actions_left) == (B, actions)


def test_a_turn_may_be_ended_with_actions_left() -> None:
    """OD-38, OD-37: the next in turn order is asked; the clock ends a turn too (OD-112)."""
    table = at_turn(seat(), seat(), seat(), order=(0, 2, 1))
    assert table.act(A, "end_turn").turn == C
    assert table.expire().turn == B


def test_the_list_of_actions_is_complete() -> None:
    """OD-39, OD-40, OD-41, OD-42, OD-43, OD-46, OD-47, OD-48, OD-96: what D-5 lists, nothing else."""
    table = at_turn(
        seat("9D 4S KH cc002", song="cc001*"), seat(dance="2C"), seat(no_characters=True)
    )
    sells = {f"sell:{kind}:{n}" for kind in ("resource", "special", "either") for n in (1, 2, 3, 4)}
    assert set(table.options(A)) == sells | {
        "draw:resource",
        "draw:character",
        "place_resource:9D",
        "place_resource:4S",
        "place_character:cc002:dance",  # the song field holds a character
        "use_k:KH:1:dance:2C",
        "discard:hand:9D",
        "discard:hand:4S",
        "discard:hand:KH",
        "discard:hand:cc002",
        "discard:song:cc001",
        "end_turn",
    }


def test_draws_name_their_deck_in_public_and_the_card_in_private() -> None:
    """OD-12, OD-13, OD-40, OD-41, OD-56: others see rb and cb, the owner the card."""
    table = at_turn(seat(deck="9C", characters="cc005"), seat())
    table.act(A, "draw:resource").act(A, "draw:character")
    drawn = table.told(e.CardDrawn, B)
    assert [(d.deck, d.card, d.overflow) for d in drawn] == [
        ("resource", None, None),
        ("character", None, None),
    ]
    assert [d.card for d in table.told(e.CardDrawn, A)] == ["9C", "cc005"]
    shown = table.view(B).seats[A]
    assert (shown.rb, shown.cb) == (1, 1)
    assert table.view(A).you.hand == ("9C", "cc005")


def test_an_empty_deck_is_not_refilled() -> None:
    """OD-50: no draw is offered although the pile holds cards."""
    table = at_turn(seat(pile="2D 3D", resource_deck=0, no_characters=True), seat())
    assert table.options(A, "draw") == []


def test_resource_cards_lie_on_the_field_of_their_colour_without_limit() -> None:
    """OD-3, OD-43, OD-10: red on one's own song, black on one's own dance field."""
    table = at_turn(seat("9D 4S", song="2H 3H 4H 5H", dance="2S"), seat())
    table.act(A, "place_resource:9D").act(A, "place_resource:4S")
    assert table.song(A) == ["2H", "3H", "4H", "5H", "9D"]
    assert table.dance(A) == ["2S", "4S"]
    assert (table.song(B), table.dance(B)) == ([], [])


def test_trees_are_shown() -> None:
    """OD-14, OD-178: the sum of the leaves of a field; characters add nothing."""
    table = at_turn(seat(dance="7S cc001* 8C 10S"), seat())
    shown = table.view(None).seats[A]
    assert (shown.song_tree, shown.dance_tree) == (0, 25)


def test_court_cards_and_events_lie_on_no_field() -> None:
    """OD-3, OD-4, OD-7: no option places an A, J, Q, K or event."""
    table = at_turn(seat("AS JS QS ev_kodama"), seat())
    assert table.options(A, "place") == []


def test_first_character() -> None:
    """OD-5, OD-42, OD-57, OD-62: the first one placed gets the mark, the second does not."""
    table = at_turn(seat("cc001 cc002"), seat())
    assert set(table.options(A, "place_character")) == {
        f"place_character:{card}:{field}"
        for card in ("cc001", "cc002")
        for field in ("song", "dance")
    }
    table.act(A, "place_character:cc001:dance").act(A, "place_character:cc002:song")
    assert table.fc(A) == "cc001"
    assert [(event.seat, event.card) for event in table.told(e.FcSet)] == [(A, "cc001")]
    assert table.view(None).seats[A].fc_placed is True


@pytest.mark.parametrize(("succession", "fc"), [("none", None), ("kept", None), ("next", "cc002")])
def test_a_lost_fc_is_not_replaced(succession: str, fc: str | None) -> None:
    """OD-59, OD-60, OD-62, OD-197: its owner may discard it; only `next` marks another one."""
    table = at_turn(
        seat("cc002", song="cc001*"),
        seat(),
        options=Options(fc_succession=succession),  # type: ignore[arg-type]
    )
    table.act(A, "discard:song:cc001")
    assert table.fc(A) is None
    assert [event.card for event in table.told(e.FcLost)] == ["cc001"]
    assert table.view(None).seats[A].fc_placed is True  # still counts for midway
    table.act(A, "place_character:cc002:song")
    assert table.fc(A) == fc


def test_the_owner_may_discard_any_card_of_its_hand_and_domain() -> None:
    """OD-10, OD-48, OD-49: the FC and cards that another seat brought included."""
    table = at_turn(seat("2D", song="cc001*", dance="4S cc009@1"), seat(), actions=4)
    for option in ("song:cc001", "dance:4S", "dance:cc009", "hand:2D"):
        table.act(A, f"discard:{option}").close()
    assert table.pile(A) == ["cc001", "4S", "cc009", "2D"]


def test_piles_are_public_and_ordered_and_no_field() -> None:
    """OD-9, OD-12: K may not name a card of a pile, and everybody sees the pile."""
    table = at_turn(seat("KD", pile="2D 9S"), seat(pile="3C"))
    assert table.options(A, "use_k") == []
    assert table.view(None).seats[A].pile == ("2D", "9S")


def test_vp_are_public_and_may_be_negative() -> None:
    """OD-16, OD-17: everybody sees everybody's VP, below zero too."""
    table = at_turn(seat(vp=-3), seat(vp=5))
    for viewer in (A, B, None):
        assert [shown.vp for shown in table.view(viewer).seats] == [-3, 5]


# --- hand --------------------------------------------------------------------------------------


@pytest.mark.parametrize("overflow", ["excess", "batch"])
def test_a_hand_card_may_not_be_given_up_for_an_overflowing_one(overflow: str) -> None:
    """OD-51, OD-195: the card drawn as the fifth goes, not one of the hand; nobody is asked."""
    options = Options(overflow=overflow)  # type: ignore[arg-type]
    table = at_turn(seat("2D 3D 4D 5D", characters="cc004"), seat(), options=options)
    table.act(A, "draw:character")
    assert table.hand(A) == {"2D", "3D", "4D", "5D"}
    assert table.pile(A) == ["cc004"]
    assert table.window is None  # no resource card, so no J window


def test_who_is_late_to_choose_what_stays_keeps_a_lot_in_its_order() -> None:
    """OD-52, OD-112: of a lot, which is public, the first cards stay (D-14)."""
    table = at_turn(seat("2D 3D 4D"), seat("cc001 cc002 5D"))
    table.act(A, "sell:resource:1", ["2D", "3D", "4D"]).act(B, "bid", 1)
    table.act(B, "pay", ["5D"])
    assert table.asked == (B,)
    assert table.view(B).you.incoming == ("2D", "3D", "4D")
    taken = table.state.entropy.taken
    table.expire()
    assert table.hand(B) == {"cc001", "cc002", "2D", "3D"}
    assert table.pile(B) == ["4D"]
    assert table.state.entropy.taken == taken


def test_who_is_late_to_choose_among_hidden_cards_gets_a_pick() -> None:
    """OD-27, OD-52: of a private payment the generator picks what stays, with one number."""
    table = at_turn(seat("2D cc001 cc002 cc003"), seat("3D 4D 5D"))
    table.act(A, "sell:resource:2", ["2D"]).act(B, "bid", 2).act(B, "pay", ["3D", "4D"])
    assert table.asked == (A,)
    taken = table.state.entropy.taken
    table.expire()
    assert table.state.entropy.taken == taken + 1
    assert len(table.hand(A) & {"3D", "4D"}) == 1


# --- refusals and options ----------------------------------------------------------------------


def test_answers_that_are_not_asked_for_change_nothing() -> None:
    """OD-176: not asked, stale, unknown option, wrong value: refused, and the state is as it was."""
    table = at_turn(seat("2D"), seat("3D"))
    before = table.state
    current = table.decisions[A].id
    refused = [
        (B, KernelAnswer("1.1", "end_turn"), NotYourDecision),
        (A, KernelAnswer("0.0", "end_turn"), Stale),
        (A, KernelAnswer(current, "place_resource:3D"), IllegalOption),
        (A, KernelAnswer(current, "sell:resource:1"), BadValue),
        (A, KernelAnswer(current, "sell:resource:1", ("3D",)), BadValue),
        (A, KernelAnswer(current, "end_turn", 1), BadValue),
    ]
    for who, answer, error in refused:
        with pytest.raises(error):
            ODORIKO.act(table.state, who, answer)
        assert table.state == before
    with pytest.raises(Stale):
        ODORIKO.expire(table.state, "w0")


def test_options_are_fixed_and_public_from_the_start() -> None:
    """OD-174: the first event tells them all; nothing in a state can change them."""
    table = deal(2, Options(bid_max=9))
    opened = table.events[0]
    assert isinstance(opened, e.GameOpened)
    assert opened.options["bid_max"] == 9
    assert set(opened.options) == set(ODORIKO.format_options(Options()))


def test_no_view_or_option_names_an_instance() -> None:
    """OD-179: cards go by face; a supplier or a place in a deck is nowhere to be read."""
    table = at_turn(seat("9D cc002", song="cc001*"), seat("3D cc003"))
    for viewer in (A, B, None):
        assert "@" not in table.bytes_for(viewer)


def test_another_stream_gives_another_pick() -> None:
    """OD-27: all chance comes from the stream in the state."""
    table = declare(deal(2), 0, 0)
    other = evolve(table.state, entropy=Entropy(entropy("other"), table.state.entropy.taken))
    picks = set()
    for state in (table.state, other):
        step = ODORIKO.expire(state, ODORIKO.waits(state)[0].id)
        shown = next(event for event in step.events if isinstance(event, e.JankenShown))
        picks.add(tuple(hand.choice for hand in shown.choices))
    assert len(picks) == 2


def test_the_opening_asks_every_seat_at_once() -> None:
    """OD-26, OD-28: after the first hands, all seats may declare; VP are 0."""
    table = Table(position(seat(), seat(), stage=opening(2)))
    assert table.asked == (A, B)
    assert table.vp() == [0, 0]
