"""Reaction windows, K, Q, J and A, rule by rule, where no scenario shows them."""

from __future__ import annotations

import pytest
from attrs import evolve
from kaguraden_rules.kernel import NotYourDecision, Pace
from kaguraden_rules.odoriko import events as e
from kaguraden_rules.odoriko import state as s
from kaguraden_rules.odoriko.options import Options
from kaguraden_rules.odoriko.refs import Field
from kaguraden_rules.odoriko.windows import CHAIN_CAP

from tests.rules.odoriko_positions import ODORIKO, A, B, C, D, Table, at_turn, seat


def test_the_player_of_k_is_not_asked_in_its_own_window() -> None:
    """OD-108, OD-104: every other seat with rb >= 1 is, whatever K aims at."""
    table = at_turn(seat("KD QD"), seat("2D"), seat("cc001"), seat("3D", song="4H"))
    table.act(A, "use_k:KD:3:song:4H")
    assert table.asked == (B, D)


def test_own_cards_and_characters_are_targets_of_k() -> None:
    """OD-74: any one card lying on any field but an FC, with each K held."""
    table = at_turn(
        seat("KD KS", song="2H cc001*", dance="cc002"), seat(dance="9S cc003"), seat(pile="3D")
    )
    targets = ["0:song:2H", "0:dance:cc002", "1:dance:9S", "1:dance:cc003"]
    assert set(table.options(A, "use_k")) == {
        f"use_k:{king}:{target}" for king in ("KD", "KS") for target in targets
    }


def test_k_goes_to_its_players_pile_and_its_victim_to_the_fields_owner() -> None:
    """OD-4, OD-11, OD-46, OD-97: also where the card lies on one's own field."""
    table = at_turn(seat("KD", song="2H"), seat("2D"))
    table.act(A, "use_k:KD:0:song:2H").close()
    assert table.pile(A) == ["2H", "KD"]
    causes = [
        (event.cause, [d.card for d in event.cards]) for event in table.told(e.CardsDiscarded)
    ]
    assert causes == [("effect", ["2H"]), ("played", ["KD"])]


def test_k_whose_target_is_gone_does_nothing() -> None:
    """OD-79, OD-98: the named card has left its field before K is carried out."""
    table = at_turn(seat("KD"), seat("2D", song="2H 3H"))
    table.act(A, "use_k:KD:1:song:2H")
    owner = table.seat(B)
    gone = evolve(owner, song=owner.song[1:], pile=(owner.song[0].card,))
    table.state = evolve(table.state, seats=(table.seat(A), gone))
    table.close()
    assert [event.card for event in table.told(e.EffectFizzled)] == ["KD"]
    assert (table.song(B), table.pile(B), table.pile(A)) == (["3H"], ["2H"], ["KD"])


def test_q_cannot_be_answered() -> None:
    """OD-77, OD-100: Q's frame ends before K's goes on; nothing opens for it, nor for K any more."""
    table = at_turn(seat("KD"), seat("QD", song="2H"), seat("QS"))
    table.act(A, "use_k:KD:1:song:2H").act(B, "use_q:QD").act(C, "use_q:QS").expire()
    assert len(table.told(e.WindowOpened)) == 1  # cancelled, so no second round
    assert table.hand(C) == {"QS"}  # dropped unseen, at no cost
    assert (table.song(B), table.pile(B), table.pile(A)) == (["2H"], ["QD"], ["KD"])


def test_a_window_stays_open_when_all_have_answered() -> None:
    """OD-101, OD-106: it lasts its minimum time; answers and their times are seen by nobody."""
    table = at_turn(seat("KD"), seat("QD", song="2H"), seat("2S"))
    table.act(A, "use_k:KD:1:song:2H")
    (wait,) = ODORIKO.waits(table.state)
    assert (wait.pace, wait.minimum, wait.seats, wait.pending) == (
        Pace.WINDOW,
        True,
        (B, C),
        (B, C),
    )
    before = [table.bytes_for(viewer) for viewer in (A, C, None)]
    table.act(B, "use_q:QD")
    assert [table.bytes_for(viewer) for viewer in (A, C, None)] == before
    assert table.view(B).you.answered.option == "use_q:QD"
    table.act(C, "pass")
    (wait,) = ODORIKO.waits(table.state)
    assert (wait.seats, wait.pending) == ((B, C), ())
    assert (table.bytes_for(A), table.bytes_for(None)) == (before[0], before[2])
    table.expire()
    assert table.hand(B) == set()


def test_a_seat_answers_once() -> None:
    """OD-101: a sealed answer is not changed."""
    table = at_turn(seat("KD"), seat("QD", song="2H"), seat("2S"))
    table.act(A, "use_k:KD:1:song:2H").act(B, "pass")
    with pytest.raises(NotYourDecision):
        table.act_anyway(B, "use_q:QD")


def test_who_does_not_answer_passes() -> None:
    """OD-101, OD-112: and the answers that are in count."""
    table = at_turn(seat("KD"), seat("QD", song="2H"), seat("2S"))
    table.act(A, "use_k:KD:1:song:2H").act(B, "use_q:QD").expire()
    assert table.song(B) == ["2H"]
    table = at_turn(seat("KD"), seat("QD", song="2H"), seat("2S"))
    table.act(A, "use_k:KD:1:song:2H").expire().close()
    assert table.song(B) == []


def test_a_window_with_nobody_to_ask_does_not_open() -> None:
    """OD-101, OD-104: rb is 0 everywhere, so K and the discarded card ask nobody."""
    table = at_turn(seat("KD"), seat("cc001", song="2H"))
    table.act(A, "use_k:KD:1:song:2H")
    assert table.told(e.WindowOpened) == []
    assert table.pile(B) == ["2H"]


def test_priority_goes_from_the_active_seats_left_in_turn_order() -> None:
    """OD-102: the active seat last, and not by seat number."""
    table = at_turn(seat("JS"), seat("JH"), seat("2C JC"), seat("JD"), active=C, order=(D, C, A, B))
    table.act(C, "discard:hand:2C")
    assert table.asked == (A, B, D, C)
    for who, jack in ((C, "JC"), (D, "JD"), (B, "JH")):
        table.act(who, f"use_j:{jack}:2C")
    table.act(A, "pass").expire()
    assert table.hand(B) == {"2C"}


def test_a_j_window_opens_for_a_placed_card_never_and_for_a_character_never() -> None:
    """OD-71, OD-103, OD-104: only for resource cards sent to a pile."""
    table = at_turn(seat("2C cc001 KC"), seat("JD"), actions=4)
    table.act(A, "place_resource:2C").act(A, "discard:hand:cc001").act(A, "discard:hand:KC")
    assert table.told(e.WindowOpened) == []


def test_no_window_opens_beyond_the_chain_cap() -> None:
    """OD-111, OD-196: what is on the stack is finished; it is told in public."""
    table = at_turn(seat("2C"), seat("JD JH"), seat("JS"))
    table.act(A, "discard:hand:2C")
    action = table.state.stack[0]
    assert isinstance(action, s.Action)
    table.state = evolve(
        table.state, stack=(evolve(action, frames=CHAIN_CAP - 1), *table.state.stack[1:])
    )
    table.act(B, "use_j:JD:2C").expire()
    assert table.hand(B) == {"2C", "JH"}
    assert table.window is None
    assert isinstance(table.state.stage, s.Turn)
    assert table.actions_left == 1
    capped = at_turn(seat("4S 2C AS"), seat("JD JH"))
    capped.act(A, "sell:special:4", ["4S", "2C"]).act(A, "pass").expire()
    action = capped.state.stack[0]
    assert isinstance(action, s.Action)
    capped.state = evolve(
        capped.state, stack=(evolve(action, frames=CHAIN_CAP - 1), *capped.state.stack[1:])
    )
    capped.act(B, "use_j:JD:2C").expire()
    assert capped.window is None  # 4S lies there still, but nobody is asked again
    assert [event.frames for event in capped.told(e.ChainCapped)] == [CHAIN_CAP]


def test_q_moves_one_character_to_the_other_field() -> None:
    """OD-75, OD-76, OD-191: at an action point only, with its owner's characters only."""
    table = at_turn(seat("QC 2D", song="cc001*"), seat(dance="cc002*"))
    assert table.options(A, "q_swap") == ["q_swap:QC:song:cc001"]
    table.act(A, "q_swap:QC:song:cc001")
    assert (table.song(A), table.dance(A), table.fc(A)) == ([], ["cc001"], "cc001")
    assert table.actions_left == 2


def with_frost(table: Table, field: Field) -> Table:
    owner = evolve(table.seat(A), frosts=(s.Frost(field, B),))
    state = evolve(table.state, seats=(owner, *table.state.seats[1:]), decisions=(), asked=())
    return Table(state)


def test_no_card_enters_a_frozen_field() -> None:
    """OD-173: placing and Q's second use are refused; cards may leave. The mark is public."""
    table = with_frost(at_turn(seat("2H 3S cc002 QC", dance="cc001*"), seat()), Field.SONG)
    assert table.view(None).seats[A].frozen == ("song",)
    assert table.options(A, "place") == ["place_resource:3S"]  # the dance field holds cc001
    assert table.options(A, "q_swap") == []


def test_k_may_not_name_a_sheltered_card_until_the_mark_ends() -> None:
    """OD-173, OD-197: the mark ends as the next turn of the seat that set it begins."""
    table = at_turn(seat("KD 2D 3D 4D"), seat(song="cc007"))
    owner = table.seat(B)
    marked = evolve(owner, song=(evolve(owner.song[0], sheltered=(B,)),))
    state = evolve(table.state, seats=(table.seat(A), marked))
    table = Table(evolve(state, decisions=(), asked=()))
    assert table.options(A, "use_k") == []
    table.act(A, "end_turn").act(B, "draw:character").act(B, "end_turn")
    assert [event.mark for event in table.told(e.MarkEnded)] == ["sheltered"]
    assert table.options(A, "use_k") == ["use_k:KD:1:song:cc007"]


def test_standing_passes_are_by_window_kind() -> None:
    """OD-106: a seat may pass beforehand by kind; `free` is preset to pass, the others to ask."""
    kinds = {window.kind: window.passes for window in ODORIKO.windows}
    assert set(kinds) == {name.value for name in s.WindowName}
    assert {kind for kind, passes in kinds.items() if passes} == {"free"}
    table = at_turn(seat("KD"), seat("QD", song="2H"))
    table.act(A, "use_k:KD:1:song:2H")
    assert table.decisions[B].kind == "k"
    assert table.decisions[B].default == "pass"


def test_the_last_action_ends_the_turn_after_its_windows() -> None:
    """OD-96, OD-110, OD-191: nobody acts while a window is open."""
    table = at_turn(seat("2C"), seat("JD"), actions=1, options=Options())
    table.act(A, "discard:hand:2C")
    assert A not in table.decisions
    assert table.turn == A
    table.close()
    assert table.turn == B
