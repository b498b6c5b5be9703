"""Skills, events and their windows, rule by rule, where no scenario shows them."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve
from kaguraden_rules.kernel import BadValue, CardsValue, IllegalOption, Pace, SeatId
from kaguraden_rules.odoriko import events as e
from kaguraden_rules.odoriko import state as s
from kaguraden_rules.odoriko.game import Odoriko
from kaguraden_rules.odoriko.options import Options
from kaguraden_rules.odoriko.packs import builtin_sets, load_set
from kaguraden_rules.odoriko.refs import Field
from kaguraden_rules.plain import structure, to_plain

from tests.rules.odoriko_positions import ODORIKO, A, B, C, Table, at_turn, seat

# --- timing, conditions, costs -----------------------------------------------------------------


def test_a_skill_is_not_offered_outside_its_timing() -> None:
    """OD-66, OD-69: of all nine only cc002 (at 12 VP) and the free ones are for action points."""
    for number in range(1, 10):
        t = at_turn(
            seat("QH 2C", song=f"cc00{number}*", dance="9S", vp=12), seat(dance="10C", song="3H")
        )
        offered = bool(t.options(A, "use_skill"))
        assert offered is (number in (2, 6, 7, 8, 9))


def test_a_skill_works_while_its_character_lies_there() -> None:
    """OD-63: first character, kept or neither; not out of hand or pile."""
    for mark in ("", "*", "^", "*^"):
        t = at_turn(seat(song=f"cc006{mark}"), seat(), half=2)
        assert t.options(A, "use_skill") == ["use_skill:song:cc006"]
        (option,) = [o for o in t.decisions[A].options if o.kind == "use_skill"]
        assert ("kept" in option.args) is ("^" in mark)
    assert at_turn(seat("cc006", pile="cc007"), seat()).options(A, "use_skill") == []


def test_an_event_is_an_action_and_goes_to_the_pile() -> None:
    """OD-7, OD-44, OD-160: used out of hand; it lies on the stack until its effect is done."""
    t = at_turn(seat("ev_kodama", pile="2S 3S"), seat("JS"))
    t.act(A, "use_event:ev_kodama")
    (lying,) = t.view(None).table.stack
    assert (lying.card, lying.seat) == ("ev_kodama", A)
    assert t.view(None).seats[A].cb == 0
    t.act(A, "choose:0:pile:2S")
    assert (t.pile(A), t.actions_left) == (["3S", "ev_kodama"], 1)
    assert not t.told(e.WindowOpened)  # an event that is put away is no batch


def test_vp_are_paid_at_any_vp_and_a_leaf_is_ones_own() -> None:
    """OD-67, OD-68, OD-147: of the fields' leaves of 8 or more the owner pays one of its own."""
    t = at_turn(
        seat("ev_mikagami", song="10H"), seat(song="cc001* 8H", dance="10S 7S"), seat(dance="9C")
    )
    t.act(A, "use_event:ev_mikagami")
    assert t.options(B) == [
        "pass",
        "use_skill:song:cc001:1:song:8H",
        "use_skill:song:cc001:1:dance:10S",
    ]
    option = t.decisions[B].options[1]
    assert option.args == {
        "zone": "song",
        "card": "cc001",
        "pays": [{"seat": B, "zone": "song", "card": "8H"}],
    }


def test_a_cancelled_event_is_paid_and_spent() -> None:
    """OD-78, OD-172: the VP stay paid, the action is used up, nothing is picked."""
    t = at_turn(seat("ev_tabijitaku", song="cc002*"), seat(song="cc001* 8H"))
    t.act(A, "use_event:ev_tabijitaku")
    assert t.vp()[A] == -1  # paid before it can be answered
    t.act(B, "use_skill:song:cc001:1:song:8H").expire()
    assert (t.vp()[A], t.song(A), t.pile(A), t.actions_left) == (
        -1,
        ["cc002"],
        ["ev_tabijitaku"],
        1,
    )
    assert [c.card for c in t.told(e.EffectCancelled)] == ["ev_tabijitaku"]


# --- K answered ----------------------------------------------------------------------------------


def test_the_player_of_k_may_let_its_own_cc004_stand_in() -> None:
    """OD-108, OD-199: only that; neither its Q nor its free skill is offered."""
    t = at_turn(seat("KS QH", song="cc004", dance="cc006*"), seat(song="cc007"))
    t.act(A, "use_k:KS:1:song:cc007")
    assert t.asked == (B, A)
    assert t.options(A) == ["pass", "use_skill:song:cc004"]
    t.act(A, "use_skill:song:cc004").expire().close()
    assert (t.song(A), t.song(B), t.pile(A)) == ([], ["cc007"], ["cc004", "KS"])
    for target in ("1:song:2H", "0:song:cc004"):
        t = at_turn(seat("KS", song="cc004", dance="cc001*"), seat(song="2H"))
        t.act(A, f"use_k:KS:{target}")
        assert t.told(e.WindowOpened) == []


def test_one_redirection_for_each_k() -> None:
    """OD-107, OD-150: a second cc004 is not asked; nor is any for a card that is no character."""
    t = at_turn(seat("KS"), seat(song="cc007"), seat(dance="cc004"), seat(dance="cc004"))
    t.act(A, "use_k:KS:1:song:cc007")
    assert t.asked == (B, C, 3)
    t.act(C, "use_skill:dance:cc004").act(SeatId(3), "use_skill:dance:cc004").expire()
    assert t.asked == (B,)  # for its free skill
    t.close()
    assert (t.dance(C), t.dance(SeatId(3)), t.song(B)) == ([], ["cc004"], ["cc007"])


def test_if_the_stand_in_is_gone_nothing_is_discarded() -> None:
    """OD-107: the first target stays saved."""
    t = at_turn(seat("KS"), seat("2D", song="cc001"), seat(dance="cc004"))
    t.act(A, "use_k:KS:1:song:cc001").act(C, "use_skill:dance:cc004").expire()
    assert t.window == ("k", 2)
    t.state = evolve(t.state, seats=(*t.state.seats[:2], evolve(t.seat(C), dance=())))
    t.close()
    assert (t.song(B), t.pile(A)) == (["cc001"], ["KS"])
    assert [event.card for event in t.told(e.EffectFizzled)] == ["KS"]


def test_cc003_cancels_only_where_ks_player_has_no_card() -> None:
    """OD-149: usable against a K aimed at anybody; with nothing on K's player's fields it cancels."""
    t = at_turn(seat("KS"), seat(song="2H"), seat("QC QD", song="cc003*"))
    t.act(A, "use_k:KS:1:song:2H")
    assert t.options(C, "use_skill") == ["use_skill:song:cc003:QC", "use_skill:song:cc003:QD"]
    t.act(C, "use_skill:song:cc003:QD").expire()
    t.close()
    assert (t.song(B), t.pile(C), t.hand(C)) == (["2H"], ["QD"], {"QC"})


def test_cc003_chooses_out_of_a_list() -> None:
    """OD-59, OD-149, OD-212: the Q by the option, the card by its list; the FC too."""
    t = at_turn(
        seat("KS", song="cc001* 5D", dance="cc001@1 9S"), seat(song="2H"), seat("QC", song="cc003*")
    )
    t.act(A, "use_k:KS:1:song:2H")
    option = "use_skill:song:cc003:QC"
    assert t.among(C, option) == CardsValue(("cc001", "5D", "cc001#2", "9S"), 1, 1)
    t.act(C, option, ["cc001#2"]).expire().close()
    assert (t.song(A), t.dance(A)) == (["cc001", "5D"], ["9S"])


# --- cc005 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("other", "asked"), [("card", {A, B}), ("seat", {B})])
def test_whose_characters_set_cc005_off(other: str, asked: set[SeatId]) -> None:
    """OD-152: of any seat, its owner's included; by option only those of other seats."""
    t = at_turn(
        seat(song="cc005*", dance="cc002"),
        seat(song="cc005*"),
        options=Options(aisha_other=other),  # type: ignore[arg-type]
    )
    t.act(A, "discard:dance:cc002")
    assert set(t.asked) == asked


def test_cc005_reacts_any_number_of_times_but_once_to_a_batch() -> None:
    """OD-104, OD-154: +2 each time, also as FC already; a round is asked again of who has not."""
    t = at_turn(seat(song="cc006*", dance="cc007"), seat(song="cc005*"), seat(dance="cc005"))
    t.act(A, "discard:song:cc006")
    assert t.asked == (B, C)
    t.act(B, "use_skill:song:cc005").act(C, "use_skill:dance:cc005").expire()
    assert (t.window, t.asked) == (
        ("trigger", 2),
        (C,),
    )  # C's answer was dropped, it is asked again
    assert t.fc(B) == "cc005"
    t.act(C, "use_skill:dance:cc005").close()
    assert t.vp() == [0, 2, 2]
    t.act(A, "discard:dance:cc007").act(B, "use_skill:song:cc005").expire().close()
    assert t.vp() == [0, 4, 2]
    assert len([event for event in t.told(e.FcSet) if event.seat == B]) == 0  # it was FC already


def test_a_discarded_cc005_does_not_react_to_itself() -> None:
    """OD-104, OD-151: it is in the batch, and no longer on a field."""
    t = at_turn(seat(song="cc005*"), seat())
    t.act(A, "discard:song:cc005")
    assert t.told(e.WindowOpened) == []


# --- free skills and the `free` window ---------------------------------------------------------------


def test_an_fc_may_send_itself_to_the_discard() -> None:
    """OD-159: only K may not name it."""
    t = at_turn(seat(song="cc006*"), seat(song="2H 3H"))
    t.act(A, "use_skill:song:cc006").close()
    assert (t.fc(A), t.pile(A), t.pile(B)) == (None, ["cc006"], ["2H", "3H"])


def test_free_skills_at_own_action_points_only_by_option() -> None:
    """OD-69, OD-192: then no `free` window opens, and `event` and `k` windows do not ask for them."""
    options = Options(special_timing="own_turn")
    t = at_turn(
        seat("KS ev_mikagami", dance="2S"), seat(song="cc006", dance="cc007*"), options=options
    )
    t.act(A, "use_event:ev_mikagami").act(A, "choose:1").act(A, "use_k:KS:0:dance:2S")
    assert t.told(e.WindowOpened) == []
    assert t.turn == B
    assert len(t.options(B, "use_skill")) == 2


def test_whom_a_free_window_asks() -> None:
    """OD-104, OD-109: seats with a face-up free skill; the active one when it has no action left."""
    t = at_turn(seat("2S 3S", song="cc006"), seat(dance="cc008*"), seat(song="cc001*"))
    t.act(A, "place_resource:2S")
    assert (t.window, t.asked) == (("free", 1), (B,))
    t.close().act(A, "place_resource:3S")
    assert (t.window, t.asked) == (("free", 2 - 1), (B, A))
    (wait,) = ODORIKO.waits(t.state)
    assert (wait.pace, wait.minimum) == (Pace.WINDOW, True)
    t.act(A, "use_skill:song:cc006").expire()
    assert (t.window, t.asked) == (("free", 2), (B,))
    t.close()
    assert t.turn == B


def test_the_end_is_looked_for_after_each_use_in_a_free_window() -> None:
    """OD-110, OD-124: with twenty cards lying no further round is asked."""
    t = at_turn(
        seat("9D", song="2H 3H 4H 5H 6H 7H 8H", dance="2S 3S 5S 6S 7S"),
        seat("8S", song="2D 3D", dance="2C 3C 4C cc008*"),
        seat("9S", song="4D 5D", dance="cc008*"),
        half=2,
    )
    assert t.view(None).table.lying == 19
    t.act(A, "draw:character")
    assert t.asked == (B, C)
    t.act(B, "use_skill:dance:cc008", ["8S"]).act(C, "use_skill:dance:cc008", ["9S"]).expire()
    assert t.view(None).phase == "over"
    assert t.dance(C) == ["cc008"]
    assert t.told(e.WindowClosed)[-1].name == "free"


def test_cc007_with_a_frozen_field_takes_nothing() -> None:
    """OD-98, OD-156, OD-173: it may be used all the same."""
    t = at_turn(seat("ev_shimo"), seat(song="cc007*"), seat(dance="9S"))
    t.act(A, "use_event:ev_shimo").close().act(A, "choose:1:dance")
    assert t.options(B, "use_skill") == ["use_skill:song:cc007"]
    t.act(B, "use_skill:song:cc007").expire().close()
    assert (t.dance(C), t.pile(B)) == (["9S"], ["cc007"])


def test_cc009_puts_a_card_named_twice_where_it_was_named_first() -> None:
    """OD-158, OD-218: each card goes to one seat; frozen fields are not in the list."""
    t = at_turn(seat(), seat(), seat("6C 2S", dance="cc009"), active=C)
    t.act(C, "use_skill:dance:cc009", ["2S>1", "2S>0"])
    assert (t.dance(A), t.dance(B), t.hand(C)) == (["2S"], [], {"6C"})
    t = at_turn(seat(), seat("6C", dance="cc009"), active=B)
    assert t.among(B, "use_skill:dance:cc009") == CardsValue(("6C",), 0, 1)  # one place: the face
    frosted = evolve(t.seat(A), frosts=(s.Frost(Field.DANCE, A),))
    t = Table(evolve(t.state, seats=(frosted, t.seat(B)), decisions=()))
    assert t.among(B, "use_skill:dance:cc009") is None


def test_a_value_outside_the_list_is_refused() -> None:
    """OD-176: too few, too many, twice the same or others' cards."""
    t = at_turn(seat(song="cc006*"), seat(song="2H 3H 4D", dance="9S"))
    before = to_plain(t.state)
    for wrong in ((), ("2H",), ("2H", "3H", "4D"), ("2H", "2H"), ("2H", "9S"), None, 2):
        with pytest.raises(BadValue):
            t.act(A, "use_skill:song:cc006", wrong)
    with pytest.raises(IllegalOption):
        t.act(A, "use_skill:dance:cc006", ["2H", "3H"])
    assert to_plain(t.state) == before


# --- choices in R4 -------------------------------------------------------------------------------


def test_the_clock_chooses_by_one_number() -> None:
    """OD-27, D-15: as little as may be chosen; which is by the generator."""
    t = at_turn(seat("ev_kodama", pile="2S 3S 4S 9S"), seat())
    t.act(A, "use_event:ev_kodama")
    (wait,) = ODORIKO.waits(t.state)
    assert (wait.pace, wait.minimum, wait.seats) == (Pace.CHOICE, False, (A,))
    t.expire()
    assert t.state.entropy.taken == 1
    assert len(t.hand(A) & {"2S", "3S", "4S"}) == 1


def test_the_clock_chooses_for_every_holder_by_one_number_each() -> None:
    """OD-27, OD-166, D-16: whoever answered keeps its choice."""
    t = at_turn(seat("ev_shijima"), seat("2S 3S 4S"), seat("5S 6S 7S"), seat("8S"))
    t.act(A, "use_event:ev_shijima").act(B, "choose:2S")
    assert t.view(B).you.answered.option == "choose:2S"
    assert t.view(C).you.answered is None
    t.expire()
    assert t.state.entropy.taken == 1
    assert t.pile(B) == ["2S"]
    assert len(t.pile(C)) == 1
    (discarded,) = [d for d in t.told(e.CardsDiscarded) if d.cause == "effect"]
    assert [card.pile for card in discarded.cards] == [B, C]


def test_with_nothing_in_the_open_to_choose_nobody_is_asked() -> None:
    """OD-98, OD-214: the event does nothing and is spent."""
    t = at_turn(seat("ev_kodama", pile="9S"), seat())
    t.act(A, "use_event:ev_kodama")
    assert (t.told(e.PickOpened), t.pile(A), t.actions_left) == ([], ["9S", "ev_kodama"], 1)


def test_two_seats_pass_to_each_other_at_once() -> None:
    """OD-164: who gives makes room first; nobody else sees what went."""
    t = at_turn(seat("9H 2S 3S ev_geshi"), seat("KD 4S 5S 6S"), seat())
    t.act(A, "use_event:ev_geshi").act(B, "choose:KD").act(A, "choose:9H")
    assert "9H" not in t.hand(A)
    assert "KD" not in t.hand(B)
    assert "9H" in t.hand(B)
    assert t.hand(C) == {"KD"}
    assert [passed.cards for passed in t.told(e.HandPassed, None)] == [None, None]


@pytest.mark.parametrize(("seats", "left"), [(2, B), (3, B)])
def test_the_left_is_the_next_in_turn_order(seats: int, left: SeatId) -> None:
    """OD-164: cyclic, by the turn order and not by seat number."""
    t = at_turn(
        *(seat("ev_geshi 2S" if i == 0 else f"{3 + i}S") for i in range(seats)),
        order=tuple(range(seats))[::-1],
    )
    t.act(A, "use_event:ev_geshi").expire()
    gone = {passed.giver: passed.receiver for passed in t.told(e.HandPassed)}
    assert gone[A] == seats - 1
    assert gone[B] == A


# --- marks ---------------------------------------------------------------------------------------------


def test_frost_of_two_seats_ends_with_the_later_turn() -> None:
    """OD-163, OD-173: the mark is shown once; it ends when the last of them ends."""
    t = at_turn(seat("ev_shimo"), seat("ev_shimo"), seat())
    t.act(A, "use_event:ev_shimo").act(A, "choose:2:song").act(A, "end_turn")
    t.act(B, "use_event:ev_shimo").act(B, "choose:2:song")
    assert t.view(None).seats[C].frozen == ("song",)
    assert [(m.by, m.seat, m.zone) for m in t.told(e.MarkSet)] == [(A, C, "song"), (B, C, "song")]
    t.act(B, "end_turn").act(C, "draw:character").act(C, "end_turn")
    assert t.turn == A
    assert t.view(None).seats[C].frozen == ("song",)
    t.act(A, "draw:character").act(A, "end_turn")
    assert t.view(None).seats[C].frozen is None
    assert len(t.told(e.MarkEnded)) == 1


def test_a_sheltered_card_loses_the_mark_with_its_field() -> None:
    """OD-170, OD-197: back in hand it is an ordinary card."""
    t = at_turn(seat("ev_byakuya ev_tabijitaku", song="cc002*"), seat())
    t.act(A, "use_event:ev_byakuya").act(A, "choose:0:song:cc002")
    assert t.view(None).seats[A].song[0].sheltered
    t.act(A, "use_event:ev_tabijitaku").act(A, "choose:0:song:cc002")
    t.act(B, "end_turn").act(A, "place_character:cc002:song")
    assert t.view(None).seats[A].song[0].sheltered is None
    assert t.told(e.MarkEnded) == []


# --- cards of one's own -----------------------------------------------------------------------------

MINE = """
format = 1
set = "mine"
[[card]]
id = "my_card"
kind = "{kind}"
name = {{ en = "Mine" }}
{rest}
"""


def own(rest: str, kind: str = "character") -> Odoriko:
    """Return the game with one more card, `my_card`."""
    return Odoriko(sets=(*builtin_sets(), load_set(MINE.format(kind=kind, rest=rest), "mine.toml")))


def skill(lines: str) -> Odoriko:
    return own(f'[card.skill]\nname = {{ en = "S" }}\n{lines}')


def event(lines: str) -> Odoriko:
    return own(f"[card.play]\n{lines}", "event")


def play(game: Odoriko, *zones: Any, **more: Any) -> Table:
    return at_turn(*zones, game=game, **more)


def test_a_skill_with_a_limit_is_spent_for_the_turn() -> None:
    """OD-184: it may be used again in the next turn; the view shows it."""
    game = skill('timing = "special"\nlimit = "turn"\ndo = [ { op = "vp", n = 1 } ]')
    t = play(game, seat(song="my_card*"), seat("2S"))
    t.act(A, "use_skill:song:my_card")
    assert t.told(e.SkillDeclared)[-1].spent == "turn"
    assert t.options(A, "use_skill") == []
    assert t.view(None).seats[A].song[0].spent
    t.act(A, "draw:resource")
    assert t.told(e.WindowOpened) == []  # by what is public it cannot be used (OD-216)
    t.act(A, "end_turn")
    assert t.view(None).seats[A].song[0].spent is None
    t.act(B, "place_resource:2S")
    assert (t.window, t.asked) == (("free", 1), (A,))


def test_a_skill_with_a_limit_is_spent_for_the_half() -> None:
    """OD-184, OD-197: until midway, or until its character leaves the field."""
    game = skill('timing = "action"\nlimit = "half"\ndo = [ { op = "vp", n = 1 } ]')
    t = play(game, seat("ev_tabijitaku", song="my_card*"), seat())
    t.act(A, "use_skill:song:my_card").act(A, "draw:resource").act(B, "end_turn")
    assert t.options(A, "use_skill") == []
    t.act(A, "use_event:ev_tabijitaku").act(A, "choose:0:song:my_card")
    t.act(A, "place_character:my_card:dance").act(B, "end_turn")
    assert t.options(A, "use_skill") == ["use_skill:dance:my_card"]
    t.act(A, "use_skill:dance:my_card")
    t.state = evolve(t.state, midway_due=t.state.stage.number, decisions=t.state.decisions)  # type: ignore[union-attr]
    t.act(A, "end_turn")
    assert t.view(None).phase == "midway"
    t.expire()
    lying = t.seat(A).dance[0]
    assert lying.kept
    assert lying.spent is None


def test_lines_that_must_be_done_in_full_decide_whether_a_use_is_legal() -> None:
    """OD-187, OD-217: measured when it is declared, the payment and the card itself taken off."""
    must = (
        'do = [ { op = "discard", pick = { whose = "self", zone = "hand", n = 2 }, must = true } ]'
    )
    game = skill('timing = "action"\ncost = [ { discard = { zone = "hand", n = 1 } } ]\n' + must)
    for hand, legal in (("2S 3S", False), ("2S 3S 4S", True)):
        t = play(game, seat(hand, song="my_card*"), seat())
        assert bool(t.options(A, "use_skill")) is legal
    draws = skill(
        'timing = "action"\ndo = [ { op = "draw", deck = "character", n = 2, must = true } ]'
    )
    for characters in (1, 2):
        t = play(draws, seat(song="my_card*"), seat())
        owner = t.seat(A)
        owner = evolve(owner, character_deck=owner.character_deck[:characters])
        t = Table(evolve(t.state, seats=(owner, t.seat(B)), decisions=()), game=draws)
        assert bool(t.options(A, "use_skill")) is (characters == 2)


def test_windows_ask_by_what_is_public_of_costs_and_conditions() -> None:
    """OD-104, OD-105, OD-216: backs and numbers of hand cards, never what they are."""
    game = skill(
        'timing = "event"\n'
        'if = [ { count = { scope = "own", zone = "hand", match = { rank = ["Q"] }, at_least = 1 } } ]\n'
        'cost = [ { discard = { zone = "hand", match = { kind = ["event"] }, n = 1 } } ]\n'
        'do = [ { op = "cancel" } ]'
    )
    for hand, asked, able in (
        ("QS ev_kodama", True, True),
        ("2S ev_kodama", True, False),
        ("QS cc002", True, False),
        ("QS 2S", False, False),
        ("cc002 ev_kodama", False, False),
    ):
        t = play(game, seat("ev_mikagami"), seat(hand, song="my_card*"))
        t.act(A, "use_event:ev_mikagami")
        assert (t.window is not None) is asked, hand
        if asked:
            assert bool(t.options(B, "use_skill")) is able, hand


def test_a_pick_among_hand_cards_is_asked_by_their_backs() -> None:
    """OD-105, OD-214, D-15: who has none that fits is asked and can only choose none."""
    game = event(
        'do = [ { op = "discard", pick = { whose = "self", zone = "hand", match = { rank = ["A"] }, n = 1 } } ]'
    )
    t = play(game, seat("my_card 2S"), seat())
    t.act(A, "use_event:my_card")
    assert (t.asked, t.options(A)) == ((A,), ["choose"])
    t.act(A, "choose")
    assert t.hand(A) == {"2S"}
    t = play(game, seat("my_card cc001"), seat())
    t.act(A, "use_event:my_card")
    assert t.told(e.PickOpened) == []


def test_a_use_carries_one_pick_by_option_and_one_by_list() -> None:
    """OD-97, OD-212: the third is asked when its line comes."""
    game = skill(
        'timing = "action"\ncost = [ { discard = { zone = "fields", match = { max = 9 }, n = 2 } } ]\n'
        'do = [ { op = "discard", pick = { whose = "others", zone = "fields", n = 1 } },'
        ' { op = "take", pick = { whose = "any", zone = "discard", match = { min = 2 }, n = 1 }, to = "self" } ]'
    )
    t = play(game, seat(song="my_card* 2H 3H 4H"), seat(song="5H", dance="cc001*"))
    assert t.options(A, "use_skill") == [
        "use_skill:song:my_card:1:song:5H",
        "use_skill:song:my_card:1:dance:cc001",
    ]
    option = t.decisions[A].options
    (first, _) = [o for o in option if o.kind == "use_skill"]
    assert first.args["list"] == "pays"
    assert first.value == CardsValue(("2H", "3H", "4H"), 2, 2)
    t.act(A, first.id, ["2H", "4H"])
    assert (t.pile(A), t.pile(B)) == (["2H", "4H"], ["5H"])
    assert t.decisions[A].kind == "pick"
    t.act(A, "choose:1:pile:5H")
    assert t.hand(A) == {"5H"}


def test_actions_are_added_to_ones_own_turn_only_and_up_to_the_cap() -> None:
    """OD-111, OD-213: eight in all; what is cut is told."""
    game = event('do = [ { op = "actions", n = 4 } ]')
    t = play(game, seat("my_card", pile=""), seat(), options=Options(actions_per_turn=4), actions=4)
    owner = evolve(t.seat(A), hand=(t.seat(A).hand[0], t.seat(A).hand[0]))
    t = Table(evolve(t.state, seats=(owner, t.seat(B)), decisions=()), game=game)
    t.act(A, "use_event:my_card")
    assert (t.actions_left, t.told(e.ActionsCapped)) == (7, [])
    t.act(A, "use_event:my_card")
    assert t.actions_left == 6  # two taken
    (capped,) = t.told(e.ActionsCapped)
    assert capped.cap == 8
    free = skill('timing = "special"\nlimit = "turn"\ndo = [ { op = "actions", n = 1 } ]')
    t = play(free, seat(), seat(song="my_card*"))
    t.act(A, "draw:resource").act(B, "use_skill:song:my_card").expire().close()
    assert t.actions_left == 1


def test_taken_cards_that_do_not_fit_overflow_at_the_takers_choice() -> None:
    """OD-52, OD-55, D-14: those of others' fields go to the taker's pile, and open a `j` window."""
    game = event(
        'do = [ { op = "take", pick = { whose = "others", zone = "fields",'
        ' match = { kind = ["resource"] }, n = 3 }, to = "self" } ]'
    )
    t = play(game, seat("my_card 2S 3S"), seat("JD", song="5H 6H", dance="7S"))
    t.act(A, "use_event:my_card").act(A, "choose")
    assert t.told(e.CardsTaken)[0].seat == A
    assert (t.asked, t.decisions[A].kind) == ((A,), "order_gain")
    assert t.view(None).seats[B].song == ()
    assert t.view(A).you.incoming == ("5H", "6H", "7S")
    t.act(A, "keep", ["5H", "7S"])
    assert (t.hand(A), t.pile(A)) == ({"2S", "3S", "5H", "7S"}, ["6H", "my_card"])
    assert (t.window, t.asked) == (("j", 1), (B, A))


def test_a_skill_that_reacts_to_resource_cards() -> None:
    """OD-104, OD-184: its window comes before the `j` window of the batch (OD-103)."""
    game = skill(
        'timing = "special"\non = "resource_discarded"\nmatch = { colour = "red" }\n'
        'do = [ { op = "take", pick = { whose = "any", zone = "discard", match = { colour = "red" }, n = 1 }, to = "self" } ]'
    )
    t = play(game, seat("2H 3S"), seat("JD", song="my_card*"))
    t.act(A, "discard:hand:2H")
    assert (t.window, t.asked) == (("trigger", 1), (B,))
    t.act(B, "use_skill:song:my_card:0:pile:2H").expire()
    assert t.hand(B) == {"JD", "2H"}
    assert t.window is None  # no card of the batch is left for J
    t.act(A, "discard:hand:3S")
    assert t.window == ("j", 1)


def test_exchanged_characters_lose_their_marks() -> None:
    """OD-197, OD-219: each is new where it comes to lie; who brings one in has placed it."""
    game = event(
        'do = [ { op = "exchange", a = { whose = "self", zone = "fields", match = { kind = ["character"] }, n = 1 },'
        ' b = { whose = "one_other", zone = "fields", match = { kind = ["character"] }, n = 1 } } ]'
    )
    t = play(game, seat("my_card", song="cc001*"), seat(dance="cc002*"))
    t.act(A, "use_event:my_card").act(A, "choose:0:song:cc001")
    assert (t.song(A), t.dance(B), t.fc(A), t.fc(B)) == (["cc002"], ["cc001"], None, None)
    assert all(moved.unmarked for moved in t.told(e.CardMoved))
    assert structure(s.State, to_plain(t.state)) == t.state


def test_characters_may_be_placed_on_either_field() -> None:
    """OD-64, OD-173, OD-219: `match` leaves the field open for a character; the limit holds."""
    game = event(
        'do = [ { op = "place", pick = { whose = "self", zone = "hand",'
        ' match = { kind = ["character", "resource"] }, n = "any" }, to = { whose = "self", zone = "match" } } ]'
    )
    t = play(game, seat("my_card cc001 cc002 2H"), seat())
    t.act(A, "use_event:my_card")
    assert t.among(A, "choose").among == (
        "cc001>0:song",
        "cc001>0:dance",
        "cc002>0:song",
        "cc002>0:dance",
        "2H>0:song",
    )
    t.act(A, "choose", ["cc001>0:song", "cc002>0:song", "2H>0:song"])
    assert (t.song(A), t.hand(A), t.fc(A)) == (["cc001", "2H"], {"cc002"}, "cc001")


def test_two_copies_in_a_pile_are_one_thing_to_take() -> None:
    """OD-118, OD-215: alike off the fields; the first leaves, and goes home to its supplier later."""
    game = event(
        'do = [ { op = "take", pick = { whose = "any", zone = "discard", match = { kind = ["character"] }, n = 1 }, to = "self" } ]'
    )
    t = play(game, seat("my_card", pile="cc001 cc001@1"), seat(pile="cc002"))
    t.act(A, "use_event:my_card")
    assert t.options(A) == ["choose:0:pile:cc001", "choose:1:pile:cc002"]
    t.act(A, "choose:0:pile:cc001")
    assert t.seat(A).hand == ("cc001@0",)


def test_a_skill_tells_in_the_open_what_it_names_and_when_it_is_done() -> None:
    """OD-97, OD-211, OD-222: picks of hand cards stay unsaid until they are seen."""
    t = at_turn(seat("6S", dance="10C"), seat("7C", song="cc007", dance="cc008*"))
    t.act(A, "draw:character").act(B, "use_skill:song:cc007:0:dance:10C").expire()
    (declared,) = t.told(e.SkillDeclared)
    assert declared.picks is not None
    (picked,) = declared.picks
    assert (picked.seat, picked.card, picked.to) == (A, "10C", e.Spot(B, "dance"))
    assert [done.card for done in t.told(e.SkillResolved)] == ["cc007"]
    t.act(B, "use_skill:dance:cc008", ["7C"]).expire()
    assert t.told(e.SkillDeclared)[-1].picks is None


def test_what_a_reaction_matches_is_the_card_as_it_lay() -> None:
    """OD-183, OD-220: a first character is one to the filter, although it lost the mark."""
    game = skill(
        'timing = "special"\non = "character_discarded"\nmatch = { fc = true }\n'
        'do = [ { op = "vp", n = 1 } ]'
    )
    t = play(game, seat(song="cc001*", dance="cc002"), seat(song="my_card*"))
    t.act(A, "discard:dance:cc002")
    assert t.told(e.WindowOpened) == []
    t.act(A, "discard:song:cc001")
    assert t.window == ("trigger", 1)


@pytest.mark.parametrize(
    ("line", "whose", "asked_at_once"), [(5, "others", True), (25, "any", False)]
)
def test_on_a_full_board_the_second_pick_is_asked_later(
    line: int, whose: str, asked_at_once: bool
) -> None:
    """OD-212: where options times entries would be more than 400, by the cards that lie open."""
    lines = (
        f'{{ op = "discard", pick = {{ whose = "{whose}", zone = "fields", n = 1 }} }}, '
        f'{{ op = "discard", pick = {{ whose = "{whose}", zone = "fields", n = 2 }} }}'
    )
    game = skill(f'timing = "action"\ndo = [ {lines} ]')
    black = [f"{n}{suit}" for suit in "SC" for n in range(2, 11)]
    red = [f"{n}{suit}" for suit in "HD" for n in range(2, 11)]
    t = play(
        game,
        seat(song="my_card* " + " ".join(red[: line - 1]) if line > 5 else "my_card*"),
        seat(dance=" ".join(black[:line])),
    )
    options = [o for o in t.decisions[A].options if o.kind == "use_skill"]
    assert all((o.value is not None) is asked_at_once for o in options)
    t.act(A, options[0].id, ["3S", "4S"] if asked_at_once else None)
    assert (t.decisions[A].kind == "pick") is not asked_at_once
