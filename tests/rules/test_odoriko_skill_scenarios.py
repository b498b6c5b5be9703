"""The worked scenarios of the rulebook (§21) with skills and event cards."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve
from kaguraden_rules.kernel import CardsValue, IllegalOption
from kaguraden_rules.odoriko import events as e
from kaguraden_rules.odoriko import state as s
from kaguraden_rules.odoriko.options import Options

from tests.rules.odoriko_positions import A, B, C, Table, at_turn, seat

# --- cc001 and the `event` window --------------------------------------------------------------


def yukidoke(leaves: str, **more: Any) -> Table:
    return at_turn(
        seat("ev_yukidoke", deck="2C 3C"),
        seat(song=f"cc001* {leaves}"),
        seat("JC"),
        **more,
    )


def test_s08_an_event_is_cancelled_for_a_leaf_that_j_takes() -> None:
    """S-08; OD-147, OD-160, OD-100, OD-78: the leaf's `j` window lies inside the `event` window."""
    t = yukidoke("9D").act(A, "use_event:ev_yukidoke")
    assert (t.window, t.asked) == (("event", 1), (B,))
    t.act(B, "use_skill:song:cc001:1:song:9D").expire()
    assert (t.window, t.asked) == (("j", 1), (C,))
    assert t.pile(B) == ["9D"]
    t.act(C, "use_j:JC:9D").close()
    assert (t.hand(C), t.pile(C)) == ({"9D"}, ["JC"])
    assert (t.pile(A), t.hand(A)) == (["ev_yukidoke"], set())
    assert t.actions_left == 1
    assert t.song(B) == ["cc001"]
    closed = [event.name for event in t.told(e.WindowClosed)]
    assert closed == ["j", "event"]


def test_s09_without_a_leaf_of_eight_nobody_is_asked() -> None:
    """S-09; OD-104: what cc001 costs is public, so there is no `event` window."""
    t = yukidoke("7D 3H").act(A, "use_event:ev_yukidoke")
    assert t.told(e.WindowOpened) == []
    assert t.hand(A) == {"2C", "3C"}


# --- cc003, cc004 and the `k` window -------------------------------------------------------------


def test_s13_cc003_cancels_k_and_discards_an_fc_which_sets_off_cc005() -> None:
    """S-13; OD-59, OD-61, OD-149, OD-151: the Q is paid; the FC is safe from K alone."""
    t = at_turn(
        seat(song="cc001*", dance="cc005"),
        seat("KD", song="cc002*"),
        seat("QH", song="cc003*", dance="7S"),
        active=B,
    )
    t.act(B, "use_k:KD:2:dance:7S")
    assert set(t.asked) == {C}
    (option,) = [o for o in t.decisions[C].options if o.kind == "use_skill"]
    assert option.args["picks"] == [{"seat": B, "zone": "song", "card": "cc002"}]
    t.act(C, "use_skill:song:cc003:QH").expire()
    assert t.pile(C) == ["QH"]
    assert (t.song(B), t.pile(B), t.fc(B)) == ([], ["cc002"], None)
    assert (t.window, t.asked) == (("trigger", 1), (A,))
    t.act(A, "use_skill:dance:cc005").close()
    assert t.vp() == [2, 0, 0]
    assert t.fc(A) == "cc005"
    assert t.pile(B) == ["cc002", "KD"]
    assert t.dance(C) == ["7S"]


def redirecting(fc: str = "", **more: Any) -> Table:
    return at_turn(
        seat("KS"),
        seat("QD" if not fc else "2D", song="cc006"),
        seat(song=f"cc004{fc}", dance="9C"),
        **more,
    ).act(A, "use_k:KS:1:song:cc006")


def test_s14_redirected_then_cancelled() -> None:
    """S-14; OD-107, OD-150, OD-190: round 2 follows; K is cancelled, so both characters stay."""
    t = redirecting()
    assert t.asked == (B, C)
    t.act(B, "pass").act(C, "use_skill:song:cc004").expire()
    assert t.window == ("k", 2)
    redirected = t.view(None).table.window.redirected
    assert (redirected.seat, redirected.card) == (C, "cc004")
    assert t.options(C) == []  # no free skill, rb 0, and K is redirected
    t.act(B, "use_q:QD").expire()
    t.close()
    assert (t.song(B), t.song(C)) == (["cc006"], ["cc004"])
    assert (t.pile(A), t.pile(B), t.pile(C)) == (["KS"], ["QD"], [])


@pytest.mark.parametrize(("succession", "next_fc"), [("none", None), ("next", "cc002")])
def test_s15_cc004_is_discarded_by_its_own_skill_although_fc(
    succession: str, next_fc: str | None
) -> None:
    """S-15; OD-60, OD-150, OD-190: the FC mark protects from K, not from the skill."""
    t = redirecting("*", options=Options(fc_succession=succession))  # type: ignore[arg-type]
    t.act(C, "use_skill:song:cc004").expire().close()
    assert (t.song(B), t.song(C), t.pile(C)) == (["cc006"], [], ["cc004"])
    assert t.fc(C) is None
    owner = t.seat(C)
    t = Table(
        evolve(
            t.state,
            stage=s.Turn(C, 3, begun=True, actions_left=2),
            seats=(*t.state.seats[:2], evolve(owner, hand=(owner.character_deck[0],))),
            decisions=(),
            asked=(),
        )
    )
    placed = t.seat(C).hand[0].partition("@")[0]
    t.act(C, f"place_character:{placed}:song")
    assert t.fc(C) == (placed if next_fc else None)


def test_s16_the_target_uses_itself_up_before_k() -> None:
    """S-16; OD-79, OD-103, OD-109, OD-155: two batches, one `j` window; K has nothing to discard."""
    t = at_turn(seat("KD", song="8H 5D"), seat(song="cc006 2D"), seat("2S", song="3H"))
    t.act(A, "use_k:KD:1:song:cc006")
    assert t.asked == (B, C)
    option = "use_skill:song:cc006"
    assert t.among(B, option) == CardsValue(("8H", "5D", "3H"), 2, 2)
    t.act(B, option, ["8H", "3H"]).expire()
    assert (t.pile(A), t.pile(B), t.pile(C)) == (["8H"], ["cc006"], ["3H"])
    batches = [
        [d.card for d in event.cards]
        for event in t.told(e.CardsDiscarded)
        if event.batch is not None
    ]
    assert batches == [["cc006"], ["8H", "3H"]]
    assert t.window == ("j", 1)
    t.close()
    assert t.pile(A) == ["8H", "KD"]
    assert [event.card for event in t.told(e.EffectFizzled)] == ["KD"]
    assert [event.name for event in t.told(e.WindowOpened)] == ["k", "j"]


# --- cc005 and free skills ---------------------------------------------------------------------


def test_s17_cc005_takes_the_mark_and_the_free_play_costs_no_action() -> None:
    """S-17; OD-61, OD-109, OD-151, OD-158: the former FC can be named by K from then on."""
    t = at_turn(seat("KD", song="cc001*", dance="cc009"), seat(song="cc005", dance="cc002*"))
    assert "use_k:KD:1:dance:cc002" not in t.options(A)
    t.act(A, "use_skill:dance:cc009")
    assert (t.window, t.asked) == (("trigger", 1), (B,))
    t.act(B, "use_skill:song:cc005").close()
    assert (t.pile(A), t.vp(), t.fc(B)) == (["cc009"], [0, 2], "cc005")
    assert t.actions_left == 2
    assert "use_k:KD:1:dance:cc002" in t.options(A)
    assert "use_k:KD:1:song:cc005" not in t.options(A)


def test_s28_the_twentieth_card_leaves_no_window() -> None:
    """S-28; OD-110, OD-125: not even a `free` window follows the action that ends the game."""
    t = at_turn(
        seat("4D", song="2H 3H 4H 5H 6H 7H 8H", dance="2S 3S 5S 6S 7S"),
        seat("5C", song="2D 3D cc006", dance="2C 3C 4C 6C 7C"),
        half=2,
    )
    assert t.view(None).table.lying == 19
    t.act(A, "place_resource:4D")
    assert t.view(None).phase == "over"
    assert t.told(e.WindowOpened) == []


def test_s29_cc008_ends_the_game_from_a_free_window() -> None:
    """S-29; OD-104, OD-110, OD-157: subsets of the black resource cards; both make twenty."""
    t = at_turn(
        seat("9D 10D", song="2H 3H 4H 9H 6H 7H 8H", dance="2S 3S 5S 6S 7S 8S"),
        seat("4S 7C KS 5H", song="2D 3D", dance="2C 3C 4C cc008"),
        half=2,
    )
    assert t.view(None).table.lying == 18
    t.act(A, "draw:resource")
    assert (t.window, t.asked) == (("free", 1), (B,))
    option = "use_skill:dance:cc008"
    assert t.among(B, option) == CardsValue(("4S", "7C"), 0, 2)
    t.act(B, option, ["4S", "7C"]).expire()
    assert t.view(None).phase == "over"
    assert [event.count for event in t.told(e.FinalTriggered)] == [20]
    assert t.hand(B) == {"KS", "5H"}


def test_s30_cc009_gives_each_card_to_a_different_seat() -> None:
    """S-30; OD-118, OD-158: from then on the cards belong to those zones."""
    t = at_turn(seat("9D"), seat(), seat("6C 2S QD", dance="cc009"))
    t.act(A, "draw:character")
    assert (t.window, t.asked) == (("free", 1), (C,))
    option = "use_skill:dance:cc009"
    assert t.among(C, option) == CardsValue(("6C>0", "6C>1", "2S>0", "2S>1"), 0, 2)
    t.act(C, option, ["6C>0", "2S>1"]).close()
    assert (t.dance(A), t.dance(B), t.pile(C), t.hand(C)) == (["6C"], ["2S"], ["cc009"], {"QD"})
    placed = [(p.by, p.seat, p.card) for p in t.told(e.CardPlaced)]
    assert placed == [(C, A, "6C"), (C, B, "2S")]


def test_s31_cc007_moves_a_card_from_field_to_field() -> None:
    """S-31; OD-156: no discard, so no `j` window; cc007 itself is discarded."""
    t = at_turn(seat("9D", dance="10C"), seat("2C", dance="cc007"), seat("JS"))
    t.act(A, "draw:character").act(B, "use_skill:dance:cc007:0:dance:10C").expire()
    t.close()
    assert (t.dance(A), t.dance(B), t.pile(B)) == ([], ["10C"], ["cc007"])
    assert "j" not in [event.name for event in t.told(e.WindowOpened)]


def test_s32_cc002_needs_twelve_vp() -> None:
    """S-32; OD-45, OD-67, OD-148: not offered at 11; at 12 it discards one card and draws one."""
    for vp in (11, 12):
        t = at_turn(seat(), seat("3D 8S", song="cc002*", deck="9C", vp=vp), active=B)
        assert bool(t.options(B, "use_skill")) is (vp == 12)
    with pytest.raises(IllegalOption):
        at_turn(seat(), seat("3D", song="cc002*", vp=11), active=B).act(
            B, "use_skill:song:cc002:3D"
        )
    assert t.options(B, "use_skill") == ["use_skill:song:cc002:3D", "use_skill:song:cc002:8S"]
    t.act(B, "use_skill:song:cc002:3D")
    assert (t.pile(B), t.hand(B), t.window) == (["3D"], {"8S", "9C"}, ("j", 1))
    t.close()
    assert t.actions_left == 1


# --- events ------------------------------------------------------------------------------------


def test_s36_midsummer_round() -> None:
    """S-36; OD-164, D-16: everybody with rb passes one card to the left, unseen; one overflows."""
    t = at_turn(seat("9H ev_geshi"), seat("cc002 cc003 cc004 ev_kodama"), seat("2S KD"))
    t.act(A, "use_event:ev_geshi")
    assert t.asked == (A, C)
    assert {d.kind for d in t.decisions.values()} == {"holder_pick"}
    t.act(A, "choose:9H").act(C, "choose:2S")
    assert t.pile(B) == ["9H"]
    assert (t.window, set(t.asked)) == (("j", 1), {A, C})
    t.close()
    assert (t.hand(A), t.hand(C)) == ({"2S"}, {"KD"})
    passed = [(p.giver, p.receiver, p.cards) for p in t.told(e.HandPassed, B)]
    assert passed == [(A, B, ("9H",)), (C, A, None)]


def test_s37_a_frozen_field_takes_no_card_until_the_next_turn() -> None:
    """S-37; OD-163, OD-173: cc008 can place nothing; the mark ends as A's next turn begins."""
    t = at_turn(seat("ev_shimo"), seat("4S 9D", song="cc008*"))
    t.act(A, "use_event:ev_shimo")
    assert t.window == ("event", 1)
    t.close().act(A, "choose:1:dance").close().act(A, "end_turn")
    assert t.view(None).seats[B].frozen == ("dance",)
    assert t.options(B, "place_resource") == ["place_resource:9D"]
    with pytest.raises(IllegalOption):
        t.act(B, "place_resource:4S")
    t.act(B, "use_skill:song:cc008")
    assert (t.hand(B), t.pile(B)) == ({"4S", "9D"}, ["cc008"])
    t.close().act(B, "end_turn")
    assert t.view(None).seats[B].frozen is None
    assert [(m.mark, m.zone) for m in t.told(e.MarkEnded)] == [("frozen", "dance")]


@pytest.mark.parametrize("succession", ["none", "next"])
def test_s38_packing_for_the_road(succession: str) -> None:
    """S-38; OD-68, OD-172, OD-197: 1 VP is paid below zero; the mark does not come back."""
    t = at_turn(
        seat("ev_tabijitaku", song="cc001*", vp=-1),
        seat(),
        options=Options(fc_succession=succession),  # type: ignore[arg-type]
    )
    t.act(A, "use_event:ev_tabijitaku").act(A, "choose:0:song:cc001")
    assert (t.vp()[A], t.hand(A), t.fc(A)) == (-2, {"cc001"}, None)
    t.act(A, "place_character:cc001:dance")
    assert t.fc(A) == ("cc001" if succession == "next" else None)


def test_s39_feast_of_the_grove() -> None:
    """S-39; OD-14, OD-67, OD-169: a tree of 20 gives 3 VP; with 19 the event is not offered."""
    t = at_turn(seat("ev_morimatsuri", dance="10S 6C 4S"), seat())
    t.act(A, "use_event:ev_morimatsuri")
    assert t.vp() == [3, 0]
    t = at_turn(seat("ev_morimatsuri", dance="10S 6C 3S"), seat())
    assert t.options(A, "use_event") == []


def test_s40_veil_of_the_white_night() -> None:
    """S-40; OD-170, OD-173: K cannot name the sheltered card until its owner's next turn begins."""
    t = at_turn(seat("KS"), seat("ev_byakuya 2H", song="cc002*", dance="cc007"), active=B)
    t.act(B, "use_event:ev_byakuya").close().act(B, "choose:1:dance:cc007").close()
    t.act(B, "draw:character").close()
    assert t.turn == A
    assert t.options(A, "use_k") == []
    t.act(A, "draw:character").close().act(A, "end_turn").act(B, "end_turn")
    assert t.turn == A
    assert t.options(A, "use_k") == ["use_k:KS:1:dance:cc007"]


def test_s42_dawn_bell() -> None:
    """S-42; OD-162: one action left and two more; four in all."""
    t = at_turn(seat("ev_akatsuki"), seat())
    t.act(A, "use_event:ev_akatsuki")
    assert t.actions_left == 3
    for _ in range(3):
        assert t.turn == A
        t.act(A, "draw:resource")
    assert t.turn == B


@pytest.mark.parametrize(("source", "asked"), [("field", False), ("anywhere", True)])
def test_s43_a_character_discarded_from_hand(source: str, asked: bool) -> None:
    """S-43; OD-141, OD-153: by default only characters from fields set cc005 off."""
    t = at_turn(
        seat("cc003", song="cc005*"),
        seat(),
        options=Options(aisha_from=source),  # type: ignore[arg-type]
    )
    t.act(A, "discard:hand:cc003")
    assert (t.window == ("trigger", 1)) is asked
    if asked:
        t.act(A, "use_skill:song:cc005").close()
    assert t.vp() == [2 * asked, 0]


@pytest.mark.parametrize("song", ["2D", ""])
def test_s44_as_much_as_possible(song: str) -> None:
    """S-44; OD-98, OD-155: one song card where two are asked for, and none at all."""
    t = at_turn(seat("9D", song=song), seat(), seat(song="9H", dance="cc006"))
    t.act(A, "draw:character").act(C, "use_skill:dance:cc006").expire().close()
    assert (t.pile(A), t.pile(C), t.song(C)) == ([song] if song else [], ["cc006"], ["9H"])


def test_s45_matching_maples() -> None:
    """S-45; OD-165: leaves of fields of the same kind change places; no discard, no `j`."""
    t = at_turn(seat("ev_momiji", song="2D"), seat("JS", song="10H", dance="9S"))
    t.act(A, "use_event:ev_momiji")
    assert t.options(A) == ["choose:0:song:2D"]  # 9S would need a leaf on A's dance field
    t.act(A, "choose:0:song:2D")
    assert (t.song(A), t.song(B), t.dance(B)) == (["10H"], ["2D"], ["9S"])
    assert t.told(e.WindowOpened) == []


def test_s46_winter_hush() -> None:
    """S-46; OD-166, D-16: who holds three cards or more is asked, by public count."""
    t = at_turn(seat("ev_shijima"), seat("6D 7D 8D cc001"), seat("2C 3C"))
    t.act(A, "use_event:ev_shijima")
    assert t.asked == (B,)
    t.act(B, "choose:6D")
    assert (t.pile(B), t.window) == (["6D"], ("j", 1))
    t.close()
    assert t.hand(C) == {"2C", "3C"}


def test_s47_valley_echo() -> None:
    """S-47; OD-54, OD-167: value 7 or less; the event has left the hand, so the card fits."""
    t = at_turn(seat("ev_kodama 2C 3C 4C", pile="9C 7H"), seat())
    t.act(A, "use_event:ev_kodama")
    assert t.options(A) == ["choose:0:pile:7H"]
    t.act(A, "choose:0:pile:7H")
    assert t.hand(A) == {"2C", "3C", "4C", "7H"}
    assert t.pile(A) == ["9C", "ev_kodama"]


def test_s48_ice_mirror_and_spring_curtain() -> None:
    """S-48; OD-168, OD-171: a hand is shown to its viewer alone; shown deck cards to everybody."""
    t = at_turn(
        seat("ev_mikagami ev_makuake", deck="QS 8D 3S", resource_deck=10), seat("2C KD"), seat()
    )
    t.act(A, "use_event:ev_mikagami").act(A, "choose:1")
    for viewer, cards in ((A, {"2C", "KD"}), (B, None), (C, None), (None, None)):
        (shown,) = t.told(e.HandShown, viewer)
        assert (set(shown.cards) if shown.cards else None) == cards
    t.act(A, "use_event:ev_makuake")
    (deck,) = t.told(e.DeckShown, C)
    assert deck.cards == ("QS", "8D", "3S")
    assert t.options(A) == ["choose:8D", "choose:3S"]
    t.act(A, "choose:8D")
    assert t.song(A) == ["8D"]
    (shuffled,) = t.told(e.DeckShuffled)
    assert (shuffled.size, len(t.seat(A).resource_deck)) == (9, 9)
    assert {"QS", "3S"} <= set(t.seat(A).resource_deck)
