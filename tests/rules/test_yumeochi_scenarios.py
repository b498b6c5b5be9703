"""The worked scenarios of the rulebook (§14): markers, openings, exchanges, items, life and marks."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve
from kaguraden_rules.kernel import CardId, IllegalOption
from kaguraden_rules.yumeochi import events as e
from kaguraden_rules.yumeochi import state as s
from kaguraden_rules.yumeochi.card import HOURS, Ability, Case, Damage, Heal
from kaguraden_rules.yumeochi.options import Options
from kaguraden_rules.yumeochi.revealing import ClockCard
from kaguraden_rules.yumeochi.sets import BASE

from tests.rules.yumeochi_positions import A, B, C, D, Table, at_turn, seat


def markers(table: Table) -> list[tuple[str, int | None, int | None, str]]:
    """Return how the markers have moved so far."""
    return [(x.which, x.old, x.new, x.cause) for x in table.told(e.MarkerMoved)]


# --- markers -----------------------------------------------------------------------------------


def test_s01_marker_twice() -> None:
    """S-1; YU-2, YU-21, YU-22, YU-23, YU-25, YU-26, YU-29, YU-37, YU-46: the last holder begins."""
    table = at_turn(hour=3, clock={3: "dew_umbrella"})
    table.act(A, "open").act(B, "take").act(C, "pass").act(D, "take")
    assert markers(table) == [
        ("start", A, B, "take"),
        ("start", B, D, "take"),
        ("origin", A, D, "phase"),
        ("current", 3, 4, "time"),
    ]
    assert (table.hour, table.start, table.origin) == (4, D, D)
    assert table.state.order == (D, A, B, C)
    assert table.asked == (D,)


def test_s01_the_holder_cannot_take_his_own_marker() -> None:
    """S-1; YU-38: it would be a second Pass, so it is not on the list."""
    table = at_turn(hour=3)
    assert "take" not in table.options(A)
    assert "take" in table.act(A, "pass").options(B)


def test_s02_marker_to_a_seat_that_has_acted() -> None:
    """S-2; YU-23, YU-24: the dial gives the marker away and looks ahead; the order stands."""
    table = at_turn(hour=3, clock={3: "reversed_dial", 4: "moon_shadow"})
    table.act(A, "pass").act(B, "open")
    assert (table.phase, table.options(B)) == ("marker", ["to:1", "to:2", "to:3", "to:0"])
    table.act(B, "to:0")
    assert [x.target for x in table.told(e.MarkerChosen)] == [A]
    for viewer in (A, C, D, None):
        assert table.told(e.Peeked, viewer) == [e.Peeked(3, B, "time", position=4)]
    (peeked,) = table.told(e.Peeked, B)
    assert peeked.cards == ("moon_shadow",)
    table.passes(C, D)
    assert (table.hour, table.asked) == (4, (A,))


def test_s03_holder_dies_in_his_turn() -> None:
    """S-3; YU-63, YU-64, YU-68, YU-70, YU-71: a dying opener gets nothing; both markers go left."""
    table = at_turn(seat("night_raven", life=2), hour=5, clock={5: "cracked_mirror"})
    table.act(A, "open")
    assert [(x.seat, x.card, x.cause) for x in table.told(e.RoleRevealed)] == [
        (A, "night_raven", "death")
    ]
    assert not table.seat(A).alive
    assert (table.seat(A).stock, table.state.discards) == ((), ("cracked_mirror",))
    assert (table.start, table.origin) == (B, B)
    table.passes(B, C, D)
    assert table.hour == 6
    table.passes(B, C, D)
    assert table.hour == 7


def test_s03_the_opener_may_keep_the_card() -> None:
    """S-3; YU-71: with `dying_opener = keep`."""
    options = Options(BASE, dying_opener="keep")
    table = at_turn(seat(life=2), hour=5, clock={5: "cracked_mirror"}, options=options)
    table.act(A, "open")
    assert not table.seat(A).alive
    assert table.seat(A).stock == ("cracked_mirror",)


def test_s04_holder_dies_after_the_left_neighbours_turn() -> None:
    """S-4; YU-24, YU-68, YU-70, YU-72: nobody acts twice and nobody is left out."""
    table = at_turn(seat(life=1), seat(), seat(skills="crows_talon"), hour=8)
    table.passes(A, B).act(C, "use:crows_talon:0")
    (died,) = table.told(e.Died)
    assert (died.seat, died.killer, died.skills) == (A, C, 1)
    assert [one.kills for one in table.state.seats] == [0, 0, 1, 0]
    assert (table.start, table.origin) == (B, B)
    assert table.asked == (D,)
    table.passes(D)
    assert (table.hour, table.asked) == (9, (B,))


def test_s05_left_neighbour_dead_too() -> None:
    """S-5; YU-69: the next living seat takes the markers; the phase goes on."""
    table = at_turn(seat(life=1), seat(dead=True), seat(skills="crows_talon"), hour=8)
    table.passes(A).act(C, "use:crows_talon:0")
    assert (table.start, table.origin) == (C, C)
    table.passes(D)
    assert table.hour == 9
    table.passes(C, D)
    assert table.hour == 10


# --- openings ----------------------------------------------------------------------------------


def test_s06_open_twice() -> None:
    """S-6; YU-30, YU-36, YU-101: refused to the sender alone; nothing changes."""
    table = at_turn(seat(), seat(skills="keyhole"), hour=2, clock={2: "black_quill"})
    table.act(A, "open")
    before, waits, told = table.state, table.waits, list(table.events)
    with pytest.raises(IllegalOption):
        table.act(B, "open")
    assert (table.state, table.waits, table.events) == (before, waits, told)
    assert table.options(B, "open") == table.options(B, "use:keyhole") == []


def test_s07_nobody_opens() -> None:
    """S-7; YU-19, YU-32: the card stays face down and unseen, and gives nobody stars."""
    table = at_turn(seat("night_raven"), hour=2, clock={2: "cracked_mirror"})
    while table.asked:
        assert "cracked_mirror" not in "".join(map(table.bytes_for, (A, B, C, D, None)))
        table.passes(*table.asked)
    assert table.state.clock[1] == s.Place(CardId("cracked_mirror"))
    (revealed,) = table.told(e.AllRevealed)
    assert revealed.clock is not None
    assert ClockCard(2, CardId("cracked_mirror")) in revealed.clock
    assert max(count.stars for count in table.result.counts) == 1


def test_s08_keyhole() -> None:
    """S-8; YU-30, YU-33, YU-100: shown at its first use; what was seen stays private."""
    table = at_turn(
        seat(), seat(skills="keyhole"), hour=2, clock={2: "moon_shadow", 3: "sheep_parade"}
    )
    table.act(A, "pass").act(B, "use:keyhole")
    assert [(x.seat, x.card) for x in table.told(e.SkillRevealed)] == [(B, "keyhole")]
    assert [(x.position, x.cards) for x in table.told(e.Peeked, B)] == [
        (2, ("moon_shadow",)),
        (3, ("sheep_parade",)),
    ]
    assert [(x.position, x.cards) for x in table.told(e.Peeked, C)] == [(2, None), (3, None)]
    assert (table.phase, table.options(B)) == ("may", ["no", "yes"])
    table.act(B, "no")
    (answer,) = table.told(e.MayAnswered)
    assert (answer.seat, answer.yes, answer.by) == (B, False, "player")
    assert table.state.clock[1].is_down
    assert "open" in table.options(C)


def test_s08_keyhole_may_open_the_card() -> None:
    """S-8; YU-30: it is not the Open action, but there is no Open after it."""
    table = at_turn(seat(), seat(skills="keyhole"), hour=2, clock={2: "moon_shadow"})
    table.act(A, "pass").act(B, "use:keyhole").act(B, "yes")
    assert table.seat(B).stock == ("moon_shadow",)
    assert table.seat(B).opened == 1
    assert table.options(C, "open") == []


def test_s09_skill_again() -> None:
    """S-9; YU-21, YU-34: the next phase allows the card again, without a second reveal."""
    table = at_turn(seat(), seat(skills="lullaby"), hour=1)
    table.act(A, "pass").act(B, "use:lullaby:0")
    assert table.asked == (C,)
    table.passes(C, D, A).act(B, "use:lullaby:2")
    assert [x.card for x in table.told(e.SkillRevealed)] == ["lullaby"]
    assert table.asked == (C,)


# --- exchanges ---------------------------------------------------------------------------------


def test_s10_exchange_agreed() -> None:
    """S-10; YU-14, YU-41, YU-42, YU-43, YU-45: faces stay; the two see what they received."""
    table = at_turn(seat(), seat(skills="keyhole"), seat(), seat(skills="lullaby*"), hour=3)
    table.act(A, "pass").act(B, "exchange:3:keyhole")
    assert table.told(e.ExchangeProposed, D) == [e.ExchangeProposed(3, B, D)]
    assert table.told(e.ExchangeProposed, B) == [
        e.ExchangeProposed(3, B, D, offered=CardId("keyhole"))
    ]
    assert (table.phase, table.options(D)) == ("consent", ["refuse", "agree:lullaby"])
    table.act(D, "agree:lullaby")
    for viewer in (A, C, None):
        (seen,) = table.told(e.SkillsExchanged, viewer)
        assert (seen.seat_gave, seen.target_gave) == (None, "lullaby")
        assert (seen.seat_card, seen.target_card) == (None, None)
    for viewer in (B, D):
        (seen,) = table.told(e.SkillsExchanged, viewer)
        assert (seen.seat_card, seen.target_card) == ("keyhole", "lullaby")
    assert (table.skills(B), table.skills(D)) == ("lullaby*", "keyhole")
    table.passes(C)  # D, who comes later, may use the card that it received in this phase
    assert table.options(D, "use") == ["use:keyhole"]


def test_s10_a_card_used_this_hour_stays_used() -> None:
    """S-10; YU-35: the bond is the card's, so nobody can use it again this hour."""
    table = at_turn(
        seat(), seat(skills="keyhole"), seat(), seat(skills="lullaby"), hour=3, origin=D, start=D
    )
    table.act(D, "use:lullaby:3").passes(A).act(B, "exchange:3:keyhole").act(D, "agree:lullaby")
    assert table.skills(B) == "lullaby*"
    assert table.state.used == ("lullaby",)
    bound = at_turn(seat(skills="lullaby*"), hour=3, used=(CardId("lullaby"),))
    assert bound.options(A, "use") == []
    bound.passes(A, B, C, D)
    assert "use:lullaby:0" in bound.options(A, "use")


@pytest.mark.parametrize("by", ["player", "clock"])
def test_s11_exchange_refused(by: str) -> None:
    """S-11; YU-44, YU-102, YU-112: a refusal costs nothing but the proposal."""
    table = at_turn(seat(), seat(skills="keyhole"), hour=3)
    table.act(A, "pass")
    turn = table.waits
    first = table.decisions[B].id
    table.act(B, "exchange:2:keyhole")
    assert [(wait.held, wait.seats) for wait in table.waits] == [(True, (B,)), (False, (C,))]
    assert table.waits[0].id == turn[0].id
    if by == "player":
        table.act(C, "refuse")
    else:
        table.expire()
    assert [(x.seat, x.agreed, x.by) for x in table.told(e.ExchangeAnswered)] == [(C, False, by)]
    assert (table.asked, table.waits) == ((B,), turn)
    assert table.decisions[B].id != first
    assert table.options(B, "exchange") == []
    table.act(B, "take")
    assert table.start == B


def test_s11_a_refusal_may_be_the_turn() -> None:
    """S-11; YU-44: with `exchange_refused = spends`."""
    options = Options(BASE, exchange_refused="spends", exchange_proposals=3)
    table = at_turn(seat(), seat(skills="keyhole"), hour=3, options=options)
    table.act(A, "pass").act(B, "exchange:2:keyhole").act(C, "refuse")
    assert table.asked == (C,)


def test_s11_there_may_be_more_proposals() -> None:
    """S-11; YU-44: `exchange_proposals` allows as many, each to a different partner."""
    options = Options(BASE, exchange_proposals=2)
    table = at_turn(seat(), seat(skills="keyhole"), hour=3, options=options)
    table.act(A, "pass").act(B, "exchange:2:keyhole").act(C, "refuse")
    assert table.options(B, "exchange") == ["exchange:3:keyhole", "exchange:0:keyhole"]
    table.act(B, "exchange:0:keyhole").act(A, "refuse")
    assert table.options(B, "exchange") == []


def test_s11_a_partner_may_agree_with_any_own_skill() -> None:
    """S-11; YU-125: also with one that was used in this phase, or is locked in it."""
    used, locked = (CardId("naming"),), (CardId("sleight"),)
    table = at_turn(
        seat(skills="keyhole"), seat(skills="naming* sleight"), hour=7, used=used, locked=locked
    )
    table.act(A, "exchange:1:keyhole")
    assert table.options(B) == ["refuse", "agree:sleight", "agree:naming"]


# --- items and time cards ----------------------------------------------------------------------


def test_s12_give_as_an_attack() -> None:
    """S-12; YU-39, YU-40, YU-94: an item cannot be declined, and it rings with its holder."""
    table = at_turn(seat(items="alarm_clock"), seat(stock="moon_shadow"), hour=5)
    assert table.options(A, "give") == [f"give:alarm_clock:{to}" for to in (1, 2, 3)]
    table.act(A, "give:alarm_clock:2")
    (moved,) = table.told(e.ItemMoved)
    assert (moved.giver, moved.receiver, moved.cause) == (A, C, "give")
    assert table.options(B, "give") == []  # event-stock is not to be given
    table.passes(B, C, D)
    assert table.hour == 6
    assert table.lives() == [5, 5, 3, 5]
    assert [(x.seat, x.card) for x in table.told(e.Triggered)] == [(C, "alarm_clock")]
    assert table.state.discards == ("alarm_clock",)


def test_s12_the_clock_of_the_dead_does_not_ring() -> None:
    """S-12; YU-67: nothing of a dead seat is given or triggered, and it is given nothing."""
    table = at_turn(seat(items="black_quill"), seat(), seat(dead=True, items="alarm_clock"), hour=5)
    assert table.options(A, "give") == ["give:black_quill:1", "give:black_quill:3"]
    table.passes(A, B, D)
    assert table.hour == 6
    assert table.told(e.Triggered) == []
    assert table.seat(C).items == ("alarm_clock",)


@pytest.mark.parametrize(
    ("hour", "lives"), [(3, [4, 5, 5, 5]), (7, [4, 4, 4, 4]), (10, [5, 4, 5, 4])]
)
def test_s13_time_dependent_event(hour: int, lives: list[int]) -> None:
    """S-13; YU-49, YU-51, YU-56: the part for the hour applies."""
    table = at_turn(
        seat(), seat(up=True), seat(), seat(up=True), hour=hour, clock={hour: "crow_flock"}
    )
    table.act(A, "open")
    assert table.lives() == lives
    assert table.state.discards == ("crow_flock",)
    (opened,) = table.told(e.CardOpened)
    assert opened.case is not None
    assert hour in opened.case


def test_s13_what_is_told_of_an_opening_comes_in_order() -> None:
    """S-13; YU-124: the action, the card, what it does, where it goes, deaths, the next turn."""
    table = at_turn(seat("night_raven", life=1), hour=3, clock={3: "crow_flock"}).act(A, "open")
    assert table.kinds() == [
        "action_taken",
        "card_opened",
        "life_changed",
        "card_discarded",
        "role_revealed",
        "died",
        "marker_moved",
        "marker_moved",
    ]


@pytest.mark.parametrize(("reference", "damage"), [("hour", 2), ("position", 1)])
def test_s14_opened_ahead(reference: Any, damage: int) -> None:
    """S-14; YU-31, YU-47, YU-48, YU-50: the current hour governs, and hour 7 has no Open."""
    table = at_turn(
        seat("mainspring_maker", opened=0),
        hour=6,
        unopened={*range(1, 13)} - {6},
        opened="crow_flock",
        clock={7: "falling_dream"},
        options=Options(BASE, time_reference=reference),
    )
    table.act(A, "action")
    assert [(x.card, x.cause) for x in table.told(e.RoleRevealed)] == [
        ("mainspring_maker", "role_action")
    ]
    assert table.lives() == [5 - damage, 5, 5, 5]
    assert table.seat(A).opened == 1
    table.passes(B, C, D)
    assert table.hour == 7
    for who in (A, B, C, D):
        assert table.options(who, "open") == []
        table.passes(who)


def test_s14_the_condition_precedes_the_use() -> None:
    """S-14; YU-48: with the current card face down the action is not on offer; used, it is over."""
    table = at_turn(seat("mainspring_maker"), hour=6)
    assert table.options(A, "action") == []
    used = seat("mainspring_maker", up=True, uses="mainspring_maker")
    table = at_turn(used, hour=6, unopened={*range(1, 13)} - {6}, opened="crow_flock")
    assert table.options(A, "action") == []


def test_s14_a_cost_that_could_kill_is_not_on_offer() -> None:
    """S-14; YU-48, YU-90: the Detective asks twice at most, and not with the last life."""
    options = Options(BASE, roles=("sleeptalk_detective",))
    for life, uses, offers in ((2, 0, 3), (1, 0, 0), (5, 1, 3), (5, 2, 0)):
        detective = seat(
            "sleeptalk_detective",
            life=life,
            up=uses > 0,
            uses=" ".join(["sleeptalk_detective"] * uses),
        )
        table = at_turn(detective, hour=3, options=options)
        assert len(table.options(A, "action")) == offers


# --- the rabbit figurine -----------------------------------------------------------------------


def test_s15_rabbit_used() -> None:
    """S-15; YU-4, YU-34, YU-55, YU-57, YU-58, YU-59, YU-60: two hidden skills for the figurine."""
    table = at_turn(
        seat(skills="naming"),
        seat(skills="keyhole", items="rabbit_figurine"),
        seat(skills="sleight"),
        seat(skills="hand_shadow"),
        hour=7,
        leftover="crows_talon lullaby",
    )
    assert table.view(None).seats[B].stars == 1
    table.act(A, "pass").act(B, "use:rabbit_figurine")
    shown = table.view(None).seats[B]
    assert (shown.stars, shown.items, shown.skills_down) == (0, (), 3)
    assert table.state.discards == ("rabbit_figurine",)
    for viewer in (A, C, D, None):
        (taken,) = table.told(e.LeftoverTaken, viewer)
        assert (taken.number, taken.shown, taken.cards) == (2, (), None)
    (taken,) = table.told(e.LeftoverTaken, B)
    assert taken.cards == ("crows_talon", "lullaby")
    you = table.view(B).you
    assert you.skills_down == ("crows_talon", "keyhole", "lullaby")
    assert you.locked == ("crows_talon", "lullaby")
    table.passes(C, D, A).act(B, "use:crows_talon:0")
    assert [(x.hour, x.card) for x in table.told(e.SkillRevealed)] == [(8, "crows_talon")]
    table.passes(C, D, A)
    assert table.options(B, "use") == ["use:keyhole", *(f"use:lullaby:{to}" for to in (1, 2, 3, 0))]


def test_s15_what_is_told_of_a_use_comes_in_order() -> None:
    """S-15; YU-124: a used item goes after its effects; a skill is turned up before them."""
    table = at_turn(seat(items="rabbit_figurine"), seat(skills="lullaby"), seat(life=4), hour=7)
    table.act(A, "use:rabbit_figurine")
    assert table.kinds() == ["action_taken", "leftover_taken", "card_discarded"]
    table.act(B, "use:lullaby:2")
    assert table.kinds() == ["action_taken", "skill_revealed", "life_changed"]


def test_s15_the_card_count_rises() -> None:
    """S-15; YU-59, YU-86: one card given up, two received."""
    counted = []
    for first in ("use:rabbit_figurine", "pass"):
        table = at_turn(seat("night_raven", items="rabbit_figurine"), hour=7).act(A, first)
        while table.asked:
            table.expire()
        counted.append(table.result.counts[A].cards)
    assert counted == [4, 3]


def test_s15_the_skill_may_be_a_part_of_the_price() -> None:
    """S-15; YU-59: with `rabbit_price = figurine_and_skill` the own skill goes to the leftover."""
    table = at_turn(
        seat(skills="keyhole*", items="rabbit_figurine"),
        hour=7,
        leftover="crows_talon lullaby",
        options=Options(BASE, rabbit_price="figurine_and_skill"),
    )
    table.act(A, "use:rabbit_figurine")
    assert table.skills(A) == "crows_talon lullaby"
    assert table.state.leftover == (s.Held(CardId("keyhole"), up=True),)
    (paid,) = table.told(e.SkillsLaidAside)
    assert (paid.seat, paid.number, paid.shown) == (A, 1, ("keyhole",))


def test_s16_rabbit_at_8() -> None:
    """S-16; YU-54, YU-57, YU-61: after 7 only its star is left."""
    table = at_turn(seat(), seat(items="rabbit_figurine"), hour=8)
    table.act(A, "pass")
    assert table.options(B, "use:rabbit_figurine") == []
    assert table.view(None).seats[B].stars == 1


def test_s17_rabbit_handed_on_at_7() -> None:
    """S-17; YU-60, YU-61: a seat still to act may use it; its opener is too late."""
    table = at_turn(seat(items="rabbit_figurine"), seat(), seat(), hour=7, leftover=None)
    table.act(A, "give:rabbit_figurine:2").act(B, "pass")
    assert table.options(C, "use:rabbit_figurine") == ["use:rabbit_figurine"]
    gained = [held.card for held in table.state.leftover]
    table.act(C, "use:rabbit_figurine").act(D, f"exchange:2:{table.skills(D)}")
    table.act(C, f"agree:{gained[0]}")  # what C received is a skill card like others
    assert table.skills(D) == gained[0]
    assert not any(option.startswith(f"use:{gained[0]}") for option in table.options(D))


def test_s17_its_opener_is_too_late() -> None:
    """S-17; YU-61: the turn is spent, and at 8 it cannot be used."""
    table = at_turn(hour=7, clock={7: "rabbit_figurine"})
    table.act(A, "open")
    assert table.seat(A).items == ("rabbit_figurine",)
    table.passes(B, C, D)
    assert (table.hour, table.asked) == (8, (A,))
    assert table.options(A, "use:rabbit_figurine") == []


# --- skip, protection, naming, order of effects ------------------------------------------------


def test_s28_skip() -> None:
    """S-28; YU-28, YU-53, YU-91: the next turn is lost, in this phase or in the next."""
    table = at_turn(seat(), seat(), seat(items="stopped_watch"), hour=6)
    table.passes(A, B).act(C, "use:stopped_watch:3")
    assert [(x.hour, x.seat) for x in table.told(e.TurnLost)] == [(6, D)]
    assert table.hour == 7


def test_s28_skip_in_the_next_phase() -> None:
    """S-28; YU-24, YU-91: also where the seat begins it; the order stands."""
    table = at_turn(seat(), seat(), seat(items="stopped_watch"), hour=6)
    table.act(A, "pass").act(B, "take").act(C, "use:stopped_watch:1")
    assert table.told(e.TurnLost) == []
    table.passes(D)
    assert (table.hour, table.state.order) == (7, (B, C, D, A))
    assert [(x.hour, x.seat) for x in table.told(e.TurnLost)] == [(7, B)]
    assert table.asked == (C,)


def test_s29_protection() -> None:
    """S-29; YU-28, YU-36, YU-91: no damage from others up to its next place."""
    table = at_turn(
        seat(skills="crows_talon"),
        seat(life=3, items="dew_umbrella"),
        seat(items="black_quill"),
        hour=3,
    )
    table.act(A, "pass").act(B, "use:dew_umbrella")
    assert table.lives() == [5, 5, 5, 5]
    assert table.seat(B).protected
    table.passes(C, D).act(A, "use:crows_talon:1")
    assert table.lives() == [5, 5, 5, 5]
    assert [(x.old, x.new) for x in table.told(e.LifeChanged)] == [(3, 5)]  # the umbrella's alone
    assert table.asked == (B,)
    assert not table.seat(B).protected
    table.passes(B).act(C, "use:black_quill:1")
    assert table.lives() == [5, 4, 5, 5]


def naming(life: int = 5) -> Table:
    return at_turn(
        seat("gentleman", skills="naming", life=life),
        seat("moon_hare"),
        seat("night_raven"),
        seat("mainspring_maker"),
        hour=3,
    )


def test_s30_naming_right() -> None:
    """S-30; YU-62, YU-105: the role is turned up; a heal at 5 is no event."""
    table = naming().act(A, "use:naming:1:moon_hare")
    (guess,) = table.told(e.GuessMade)
    assert (guess.target, guess.role, guess.right) == (B, "moon_hare", True)
    assert table.view(None).seats[B].role == "moon_hare"
    assert [(x.seat, x.old, x.new) for x in table.told(e.LifeChanged)] == [(B, 5, 4)]
    assert table.lives() == [5, 4, 5, 5]


def test_s30_naming_wrong() -> None:
    """S-30; YU-105: the target stays hidden, and all know that it is not the Hare."""
    table = naming().act(A, "use:naming:2:moon_hare")
    (guess,) = table.told(e.GuessMade)  # as a spectator sees it
    assert (guess.target, guess.role, guess.right) == (C, "moon_hare", False)
    assert table.told(e.RoleRevealed) == []
    assert table.lives() == [4, 5, 5, 5]


def test_s30_naming_wrong_may_kill() -> None:
    """S-30; YU-63, YU-70: an own cost counts as well; one's own role may be named as a bluff."""
    table = naming(life=1).act(A, "use:naming:2:gentleman")
    (died,) = table.told(e.Died)
    assert (died.seat, died.killer) == (A, None)
    assert table.asked == (B,)


@pytest.mark.parametrize(("life", "after"), [(2, 0), (3, 3)])
def test_s31_no_rescue_in_the_same_resolution(life: int, after: int) -> None:
    """S-31; YU-56, YU-63: who is brought to 0 is passed by by what follows."""
    effects = Case(HOURS, (Damage(2, "self"), Heal(2, "self")))
    times = [
        evolve(card, opened=Ability((effects,))) if card.id == "falling_dream" else card
        for card in BASE.times
    ]
    options = Options(evolve(BASE, times=tuple(times)))
    table = at_turn(seat(life=life), hour=3, clock={3: "falling_dream"}, options=options)
    table.act(A, "open")
    assert table.lives()[A] == after
    assert table.seat(A).alive is (after > 0)
