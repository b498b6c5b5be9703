"""yumeochi as a machine: what the worked scenarios of §14 do not say.

The deal, every room option of §16, every word of §9 (with the set of the workshop), clocks, refusals,
and positions as JSON.
"""

from __future__ import annotations

import hmac
import json
import random
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from kaguraden_rules.entropy import Entropy
from kaguraden_rules.kernel import (
    Answer,
    BadDeck,
    CardId,
    IllegalOption,
    NotYourDecision,
    Pace,
    SeatId,
    Stale,
)
from kaguraden_rules.plain import structure, to_plain
from kaguraden_rules.yumeochi import card as c
from kaguraden_rules.yumeochi import events as e
from kaguraden_rules.yumeochi import state as s
from kaguraden_rules.yumeochi.card import CardSet
from kaguraden_rules.yumeochi.game import Yumeochi
from kaguraden_rules.yumeochi.options import Options
from kaguraden_rules.yumeochi.reading import read_set
from kaguraden_rules.yumeochi.sets import BASE, SETS

from tests.rules.yumeochi_positions import (
    YUMEOCHI,
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


def _workshop() -> CardSet:
    file = Path(__file__).parent / "yumeochi_sets" / "workshop.toml"
    cards = read_set(file.name, file.read_bytes()).cards
    assert cards is not None
    return cards


WORKSHOP = _workshop()
GAME = Yumeochi({**SETS, WORKSHOP.id: WORKSHOP})


def room(cards: CardSet = BASE, **options: Any) -> Options:
    return Options(cards, **options)


def shop(**options: Any) -> Options:
    """Return a room that plays with the cards of the workshop."""
    return Options(WORKSHOP, **options)


def dealt(options: Options | None = None, word: str = "kagura") -> Table:
    """Sit down at a game from its deal."""
    step = GAME.setup(options or room(), 4, ((),) * 4, entropy(word))
    table = Table(position(options=options), GAME)
    table.state, table.events = step.state, list(step.events)
    return table


def skilled(*effects: c.Effect, picks: tuple[c.Pick, ...] = (), **options: Any) -> Options:
    """Return a room whose Lullaby does something else."""
    ability = c.Ability((c.Case(c.HOURS, effects),), picks=picks)
    skills = tuple(
        evolve(card, ability=ability) if card.id == "lullaby" else card for card in BASE.skills
    )
    return Options(evolve(BASE, skills=skills), **options)


def opening(*effects: c.Effect, **options: Any) -> Options:
    """Return a room whose Parade of Sheep does something else."""
    ability = c.Ability((c.Case(c.HOURS, effects),))
    times = tuple(
        evolve(card, opened=ability) if card.id == "sheep_parade" else card for card in BASE.times
    )
    return Options(evolve(BASE, times=times), **options)


OTHER = (c.PickSeat("other"),)


# --- the deal ------------------------------------------------------------------------------------


def test_the_deal_follows_the_order_of_chance() -> None:
    """YU-3, YU-4, YU-6, YU-7, YU-8, YU-9, YU-11, YU-113: all of it comes from one stream."""
    table = dealt()
    stream = Entropy(entropy())
    roles, stream = stream.shuffle([role.id for role in BASE.roles if role.is_base])
    skills, stream = stream.shuffle([skill.id for skill in BASE.skills])
    times, stream = stream.shuffle([time.id for time in BASE.times])
    first, stream = stream.pick(4)
    state = table.state
    assert [seat.role for seat in state.seats] == list(roles)
    assert [table.skills(who) for who in (A, B, C, D)] == list(skills[:4])
    assert {held.card for held in state.leftover} == set(skills[4:])
    assert [place.card for place in state.clock] == list(times)
    assert (state.start, state.origin, state.entropy) == (first, first, stream)
    assert table.lives() == [5, 5, 5, 5]
    assert (state.hour, state.undealt) == (1, ())
    assert state.order == tuple((first + step) % 4 for step in range(4))
    assert table.asked == (first,)


def test_what_is_dealt_is_told_to_its_owner_alone() -> None:
    """YU-13: role and skill are private fields of the event."""
    table = dealt()
    for viewer in (None, A, B):
        for event in table.told(e.Dealt, viewer):
            assert (event.role is None) is (event.skill is None) is (event.seat != viewer)


def test_extra_roles_join_the_pool_and_the_rest_is_undealt() -> None:
    """YU-5: the room names them; what is not dealt stays unseen."""
    options = GAME.parse_options({"roles": ["late_sleeper", "dream_eater"]})
    table = dealt(options)
    started = table.told(e.GameStarted)[0]
    assert started.pool[4:] == ("dream_eater", "late_sleeper")
    inside = {seat.role for seat in table.state.seats}
    assert len(inside) == 4
    assert inside | set(table.state.undealt) == set(started.pool)
    assert len(table.state.undealt) == 2


def test_only_four_seats_without_decks_play() -> None:
    """YU-1: four seats; the set has the cards."""
    with pytest.raises(ValueError, match="4 seats"):
        GAME.setup(room(), 3, ((),) * 3, entropy())
    assert GAME.check_deck(room(), None) == ()
    with pytest.raises(BadDeck):
        GAME.check_deck(room(), [CardId("keyhole")])


def test_the_host_names_the_first_holder() -> None:
    """YU-10, YU-115: with `named` seat 0 is asked, and both markers go to whom it names."""
    table = dealt(room(first_holder="named"))
    assert (table.phase, table.asked, table.start) == ("first_holder", (A,), None)
    assert table.options(A) == ["seat:0", "seat:1", "seat:2", "seat:3", "random"]
    assert not table.told(e.PhaseBegan)
    table.act(A, "seat:2")
    assert (table.start, table.origin, table.asked) == (C, C, (C,))
    named = table.told(e.FirstHolderNamed)
    assert [(event.holder, event.drawn, event.by) for event in named] == [(C, False, "player")]


def test_a_host_who_names_nobody_leaves_it_to_chance() -> None:
    """YU-113, YU-115: on expiry the first holder is drawn, by the number `random` would take."""
    table = dealt(room(first_holder="named"))
    table.expire()
    assert table.start == dealt().start
    named = table.told(e.FirstHolderNamed)[0]
    assert (named.drawn, named.by) == (True, "clock")


# --- the turn ------------------------------------------------------------------------------------


def test_the_options_of_a_turn_come_in_their_order() -> None:
    """DP-1: open, skills and items with their picks, take, give, exchange, role action, pass."""
    table = at_turn(
        seat("night_raven"),
        seat("gentleman", "sleight lullaby*", items="dew_umbrella black_quill"),
        seat("moon_hare", items="alarm_clock"),
        hour=5,
        turn=B,
    )
    assert table.options(B) == [
        "open",
        "use:lullaby:1",
        "use:lullaby:2",
        "use:lullaby:3",
        "use:lullaby:0",
        "use:sleight:2:alarm_clock:dew_umbrella",
        "use:sleight:2:alarm_clock:black_quill",
        "use:dew_umbrella",
        "use:black_quill:2",
        "use:black_quill:3",
        "use:black_quill:0",
        "take",
        "give:dew_umbrella:2",
        "give:dew_umbrella:3",
        "give:dew_umbrella:0",
        "give:black_quill:2",
        "give:black_quill:3",
        "give:black_quill:0",
        "exchange:2:lullaby",
        "exchange:2:sleight",
        "exchange:3:lullaby",
        "exchange:3:sleight",
        "exchange:0:lullaby",
        "exchange:0:sleight",
        "action:2",
        "action:3",
        "action:0",
        "pass",
    ]
    sleight = next(o for o in table.decisions[B].options if o.id.startswith("use:sleight"))
    assert sleight.args == {
        "card": "sleight",
        "source": "skill",
        "seat": 2,
        "item": "alarm_clock",
        "own_item": "dew_umbrella",
    }


def test_nothing_is_asked_of_a_dead_seat_nor_aimed_at_it() -> None:
    """YU-67: the dead are no target of a use, a gift or an exchange."""
    table = at_turn(
        seat(skills="crows_talon", items="black_quill"), seat(dead=True), seat(), seat(), hour=4
    )
    aimed = [option.args.get("seat") for option in table.decisions[A].options]
    assert B not in aimed
    table.passes(A, C, D)
    assert table.hour == 5


def test_a_used_skill_rests_until_the_next_phase_whoever_has_it() -> None:
    """YU-34, YU-35, YU-45, YU-60: it is the card that rests, then its new holder uses it."""
    table = at_turn(seat(skills="keyhole"), seat(skills="lullaby"), seat(), seat())
    table.passes(A).act(B, "use:lullaby:1").act(C, "exchange:1:" + table.skills(C))
    table.act(B, "agree:lullaby")
    assert table.skills(C) == "lullaby*"
    assert table.state.used == ("lullaby",)
    table.passes(D, A, B)
    assert table.options(C, "use:lullaby")
    assert not at_turn(seat(skills="lullaby*"), used=("lullaby",)).options(A, "use")
    assert not at_turn(seat(skills="lullaby*"), locked=("lullaby",)).options(A, "use")


def test_a_card_with_a_condition_that_fails_is_not_offered() -> None:
    """YU-36, YU-48: no use without condition and candidate."""
    table = at_turn(seat("moon_hare", "crows_talon"), seat(), seat(), seat(), hour=5)
    assert not table.options(A, "use:crows_talon")
    assert not table.options(A, "action")
    table = at_turn(
        seat("moon_hare", "crows_talon"), seat(items="dew_umbrella"), seat(), seat(), hour=4
    )
    assert len(table.options(A, "use:crows_talon")) == 3
    assert table.options(A, "action") == ["action:1:dew_umbrella"]


def test_a_role_action_shows_the_role_and_is_counted() -> None:
    """YU-47: the role is turned up, and its uses are public."""
    table = at_turn(seat("night_raven"), seat(), seat(), seat(), hour=9)
    table.act(A, "action:1")
    assert table.kinds()[:2] == ["action_taken", "role_revealed"]
    assert table.seat(A).role_up
    assert table.seat(A).role_uses == 1
    assert table.lives() == [5, 4, 5, 5]
    table.passes(B, C, D)
    assert not table.options(A, "action")


def test_refusals_change_nothing() -> None:
    """YU-101: what is not listed, stale or another's is refused, and the state is as before."""
    table = at_turn(seat(), seat(), seat(), seat(), clock={1: "cracked_mirror"})
    before, asked = table.state, table.decisions[A]
    with pytest.raises(IllegalOption):
        table.act(A, "take")
    with pytest.raises(NotYourDecision):
        table.act_anyway(B, "pass")
    with pytest.raises(Stale):
        YUMEOCHI.act(before, A, Answer("0.99", "pass"))
    with pytest.raises(Stale):
        YUMEOCHI.expire(before, "turn:1:2:0")
    assert table.state == before
    assert table.decisions[A] == asked
    assert len(table.events) == 0


# --- agreed exchange -----------------------------------------------------------------------------


def test_a_new_proposal_is_a_new_decision() -> None:
    """YU-112: equal options, another id; an answer to the lapsed proposal is stale."""
    table = at_turn(seat(), seat(skills="lullaby"), seat(), seat(skills="keyhole"))
    table.act(A, "exchange:1:" + table.skills(A))
    first = table.decisions[B]
    table.act(B, "refuse").passes(A, B, C).act(D, "exchange:1:keyhole")
    second = table.decisions[B]
    assert second.options == first.options
    assert second.id != first.id
    with pytest.raises(Stale):
        YUMEOCHI.act(table.state, B, Answer(first.id, "agree:lullaby"))


def test_further_proposals_go_to_other_partners() -> None:
    """YU-44: `exchange_proposals` counts proposals of one turn, each to a different seat."""
    table = at_turn(seat(skills="keyhole"), options=room(exchange_proposals=2))
    table.act(A, "exchange:1:keyhole").act(B, "refuse")
    assert table.options(A, "exchange") == ["exchange:2:keyhole", "exchange:3:keyhole"]
    table.act(A, "exchange:3:keyhole").act(D, "refuse")
    assert not table.options(A, "exchange")
    assert table.asked == (A,)


def test_a_refusal_spends_the_turn_where_the_room_says_so() -> None:
    """YU-44: `exchange_refused = spends`."""
    table = at_turn(seat(skills="keyhole"), options=room(exchange_refused="spends"))
    table.act(A, "exchange:1:keyhole").act(B, "refuse")
    assert table.asked == (B,)
    answered = table.told(e.ExchangeAnswered)[0]
    assert (answered.seat, answered.target, answered.agreed, answered.by) == (B, A, False, "player")


def test_who_sees_the_cards_of_an_exchange() -> None:
    """YU-43: the two see both cards, others those that lie face up."""
    table = at_turn(seat(skills="keyhole"), seat(skills="lullaby*"), seat(), seat())
    table.act(A, "exchange:1:keyhole")
    assert [x.offered for x in table.told(e.ExchangeProposed, A)] == ["keyhole"]
    assert [x.offered for x in table.told(e.ExchangeProposed, B)] == [None]
    table.act(B, "agree:lullaby")
    (mine,) = table.told(e.SkillsExchanged, A)
    (others,) = table.told(e.SkillsExchanged, C)
    assert (mine.seat_card, mine.target_card) == ("keyhole", "lullaby")
    assert (others.seat_card, others.target_card) == (None, None)
    assert (others.seat_gave, others.target_gave) == (None, "lullaby")
    assert table.seat(B).seen == (
        s.Received(1, CardId("keyhole"), gave=CardId("lullaby"), giver=A),
    )
    assert not table.seat(C).seen


def test_a_partner_may_agree_with_any_own_skill() -> None:
    """YU-125: also with one that rests in this phase; its use is what is bound."""
    table = at_turn(
        seat(skills="keyhole"),
        seat(skills="lullaby* naming sleight"),
        used=("lullaby",),
        locked=("naming",),
    )
    table.act(A, "exchange:1:keyhole")
    assert table.options(B) == ["refuse", "agree:lullaby", "agree:sleight", "agree:naming"]


# --- clocks --------------------------------------------------------------------------------------


def test_the_turn_clock_stands_while_consent_is_asked() -> None:
    """YU-102, YU-103: its wait is held, keeps its id, and goes on after a refusal."""
    table = at_turn(seat(skills="keyhole"), options=room(clock_turn=60, clock_consent=20))
    (turn,) = table.waits
    assert (turn.pace, turn.seats, turn.limit_s, turn.absent_s) == (Pace.TURN, (A,), 60, 5)
    assert not turn.held
    table.act(A, "exchange:1:keyhole")
    held, consent = table.waits
    assert held == evolve(turn, held=True)
    assert (consent.pace, consent.seats, consent.limit_s) == (Pace.CHOICE, (B,), 20)
    with pytest.raises(Stale):
        YUMEOCHI.expire(table.state, held.id)
    table.expire()
    assert table.waits == (turn,)
    assert [x.by for x in table.told(e.ExchangeAnswered)] == ["clock"]
    table.expire()
    assert [(x.action, x.by) for x in table.told(e.ActionTaken)] == [("pass", "clock")]
    assert table.waits[0].id != turn.id


def test_follow_ups_have_their_own_clock() -> None:
    """YU-102, YU-116: a question on the way gets `clock_followup`, and its default on expiry."""
    table = at_turn(seat(skills="keyhole"), options=room(clock_followup=12, clock_absent=3))
    table.act(A, "use:keyhole")
    (wait,) = table.waits
    assert (wait.pace, wait.seats, wait.limit_s, wait.absent_s) == (Pace.CHOICE, (A,), 12, 3)
    table.expire()
    assert [(x.yes, x.by) for x in table.told(e.MayAnswered)] == [(False, "clock")]
    assert table.asked == (B,)


def test_what_everybody_sees_comes_before_what_it_does() -> None:
    """YU-124: action, first use, opened card, effects, where the card goes, deaths, the next turn."""
    table = at_turn(
        seat(skills="keyhole"), seat(life=1), seat(skip=True), hour=5, clock={5: "crow_flock"}
    )
    table.act(A, "use:keyhole").act(A, "yes").act(D, "pass")
    assert [event.kind for event in table.events][:17] == [
        "action_taken",
        "skill_revealed",
        "peeked",
        "peeked",
        "may_answered",
        "card_opened",
        "life_changed",
        "life_changed",
        "life_changed",
        "life_changed",
        "card_discarded",
        "role_revealed",
        "died",
        "unmarked",
        "turn_lost",
        "action_taken",
        "phase_ended",
    ]
    (taken, _) = table.told(e.ActionTaken)
    assert (taken.action, taken.card, taken.source, taken.by) == (
        "use",
        "keyhole",
        "skill",
        "player",
    )


def test_a_seat_keeps_what_it_alone_was_shown() -> None:
    """YU-137: in order, in its own view."""
    table = at_turn(
        seat(skills="keyhole"),
        seat(skills="lullaby"),
        clock={1: "alarm_clock", 2: "crow_flock"},
    )
    table.act(A, "use:keyhole").act(A, "no").act(B, "exchange:0:lullaby").act(A, "agree:keyhole")
    assert table.view(A).you.seen == (
        s.Peeked(1, "time", position=1, card=CardId("alarm_clock")),
        s.Peeked(1, "time", position=2, card=CardId("crow_flock")),
        s.Received(1, CardId("lullaby"), gave=CardId("keyhole"), giver=B),
    )
    assert table.view(C).you.seen == ()


# --- time cards and items ------------------------------------------------------------------------


def test_what_becomes_of_opened_cards() -> None:
    """YU-51 to YU-53: events are discarded, event-stock and items stay with the opener."""
    table = at_turn(clock={1: "falling_dream", 2: "midnight_party", 3: "stopped_watch"})
    for hour in (1, 2, 3):
        table.act(A, "open").passes(B, C, D)
        assert table.hour == hour + 1
    me = table.seat(A)
    assert (me.items, me.stock, me.opened) == (("stopped_watch",), ("midnight_party",), 3)
    assert table.state.discards == ("falling_dream",)
    assert [place.went for place in table.state.clock[:3]] == ["discard", "stock", "item"]
    assert [x.case for x in table.told(e.CardOpened)] == [
        (1, 2, 3, 4, 5, 6),
        (1, 2, 6, 7, 8, 9, 10, 11, 12),
        None,
    ]


def test_the_position_tells_the_time_where_the_room_says_so() -> None:
    """YU-50, YU-136: `time_reference = position` matters for a card that is opened ahead."""
    for reference, life in (("hour", 3), ("position", 4)):
        table = at_turn(
            seat("mainspring_maker"),
            hour=6,
            clock={6: "crow_flock*", 7: "falling_dream"},
            options=room(time_reference=reference),
        )
        table.act(A, "action")
        assert table.lives()[0] == life
        table.passes(B, C, D)
        assert not table.options(A, "open")  # YU-31


def test_the_figurine_costs_the_own_skill_where_the_room_says_so() -> None:
    """YU-59: `rabbit_price = figurine_and_skill`; the skill is laid aside, its face unchanged."""
    table = at_turn(
        seat(skills="keyhole*", items="rabbit_figurine"),
        hour=7,
        leftover="naming sleight",
        options=room(rabbit_price="figurine_and_skill"),
    )
    table.act(A, "use:rabbit_figurine")
    assert table.skills(A) == "sleight naming"
    assert table.state.leftover == (s.Held(CardId("keyhole"), up=True),)
    assert [x.shown for x in table.told(e.SkillsLaidAside)] == [("keyhole",)]
    assert table.seat(A).seen == (s.Gained(7, (CardId("sleight"), CardId("naming"))),)
    assert [x.cards for x in table.told(e.LeftoverTaken, B)] == [None]


def test_gained_skills_are_locked_in_the_phase_for_anybody() -> None:
    """YU-58 to YU-60: they may be exchanged, but not used before the next phase."""
    table = at_turn(
        seat(skills="keyhole", items="rabbit_figurine"),
        seat(skills="crows_talon"),
        hour=7,
        leftover="naming lullaby",
    )
    table.act(A, "use:rabbit_figurine").act(B, "exchange:0:crows_talon").act(A, "agree:lullaby")
    assert set(table.state.locked) == {"lullaby", "naming"}
    assert table.view(A).you.locked == ("naming",)
    table.passes(C, D)
    assert table.state.locked == ()  # it is 8
    table.passes(A)
    assert len(table.options(B, "use:lullaby")) == 4
    assert table.state.discards == ("rabbit_figurine",)


def test_a_triggered_item_is_kept_where_its_card_says_so() -> None:
    """YU-94, YU-134: a trigger fires at the stroke with the holder as self."""
    table = at_turn(
        seat(life=3),
        seat(items="candle", life=5),
        seat(items="locket", life=2),
        options=shop(),
        game=GAME,
        hour=9,
        turn=D,
        start=B,
    )
    table.act(D, "pass")
    assert [(x.seat, x.card) for x in table.told(e.Triggered)] == [(B, "candle")]
    assert table.lives() == [2, 3, 1, 4]
    assert table.seat(B).items == ()
    table = at_turn(seat(), seat(items="locket", life=3), options=shop(), game=GAME, hour=7, turn=D)
    table.act(D, "pass")
    assert table.seat(B).items == ("locket",)
    assert table.lives()[1] == 4


def test_a_trigger_may_ask() -> None:
    """DP-3, DP-4: also at the stroke of an hour; the next phase begins after it."""
    table = at_turn(seat(items="whistle"), options=shop(), game=GAME, hour=2, turn=D)
    table.act(D, "pass")
    assert (table.hour, table.phase, table.asked) == (3, "may", (A,))
    table.act(A, "yes")
    assert (table.phase, table.seat(B).skip) == ("marker", True)
    table.act(A, "to:2")
    assert (table.start, table.origin, table.asked) == (C, A, (A,))
    assert table.seat(A).items == ("whistle",)


# --- effects -------------------------------------------------------------------------------------


def test_marker_choice_lists_the_living_and_leaves_it_by_default() -> None:
    """DP-4: living seats clockwise from self; on expiry the present holder keeps it."""
    table = at_turn(
        seat(), seat(), seat(dead=True), seat(), clock={1: "reversed_dial"}, turn=B, start=D
    )
    table.act(B, "open")
    assert (table.phase, table.options(B)) == ("marker", ["to:1", "to:3", "to:0"])
    table.expire()
    assert table.start == D
    assert [(x.seat, x.target, x.by) for x in table.told(e.MarkerChosen)] == [(B, D, "clock")]


def test_a_target_yields_one_of_several_face_down_skills() -> None:
    """YU-130: the target chooses (DP-5); the card is told to the two alone."""
    table = at_turn(
        seat("watchmaker", "tide"),
        seat(skills="ladder bluff"),
        options=shop(),
        game=GAME,
    )
    assert table.options(A, "action:1") == ["action:1:tide:face_down"]
    table.act(A, "action:1:tide:face_down")
    assert (table.phase, table.asked) == ("yield", (B,))
    assert table.options(B) == ["yield:ladder", "yield:bluff"]
    copy = structure(s.State, json.loads(json.dumps(to_plain(table.state))))
    assert copy == table.state
    table.act(B, "yield:bluff")
    assert (table.skills(A), table.skills(B)) == ("bluff", "ladder tide")
    assert [x.target_card for x in table.told(e.SkillsSwapped, B)] == ["bluff"]
    assert [x.target_card for x in table.told(e.SkillsSwapped, C)] == [None]


def test_one_face_down_skill_is_swapped_without_a_question() -> None:
    """DP-5: only one of several is asked for; face-up cards are named."""
    table = at_turn(
        seat("watchmaker", "tide"), seat(skills="ladder bluff*"), options=shop(), game=GAME
    )
    assert table.options(A, "action:1") == ["action:1:tide:bluff", "action:1:tide:face_down"]
    table.act(A, "action:1:tide:face_down")
    assert (table.skills(A), table.skills(B)) == ("ladder", "bluff* tide")
    assert table.asked == (B,)


def test_a_seat_draws_from_the_leftover() -> None:
    """YU-97, YU-132, YU-133: it looks at the leftover; what it exchanges is locked in this phase."""
    table = at_turn(seat("sleeper", "tide*"), leftover="ladder bluff*", options=shop(), game=GAME)
    table.act(A, "action")
    assert [x.cards for x in table.told(e.Peeked, A)] == [("ladder",)]
    assert table.options(A) == ["keep", "draw:tide:ladder", "draw:tide:bluff"]
    table.act(A, "draw:tide:ladder")
    assert table.skills(A) == "ladder"
    assert table.state.leftover == (
        s.Held(CardId("bluff"), up=True),
        s.Held(CardId("tide"), up=True),
    )
    assert table.state.locked == ("ladder",)
    (public,) = table.told(e.SkillDrawn, B)
    assert (public.exchanged, public.gave, public.got, public.card) == (True, "tide", None, None)


def test_keeping_the_own_skill_is_the_default_of_a_draw() -> None:
    """DP-6."""
    table = at_turn(seat("sleeper", "tide"), options=shop(), game=GAME)
    table.act(A, "action").expire()
    assert table.skills(A) == "tide"
    assert [(x.exchanged, x.by) for x in table.told(e.SkillDrawn)] == [(False, "clock")]


def test_peeks_show_one_seat_alone_what_is_face_down() -> None:
    """YU-97: time cards, roles, skills and the leftover; nothing where nothing is face down."""
    picks = (*OTHER, c.PickHour("later"))
    options = skilled(
        c.Peek("time", "picked"),
        c.Peek("time", "current"),
        c.Peek("role"),
        c.Peek("skill"),
        c.Peek("leftover"),
        picks=picks,
    )
    table = at_turn(
        seat(skills="lullaby"),
        seat("gentleman", "keyhole"),
        leftover="naming sleight",
        clock={12: "stopped_watch"},
        hour=12,
        options=options,
    )
    table.act(A, "use:lullaby:1:12")
    assert table.seat(A).seen == (
        s.Peeked(12, "time", position=12, card=CardId("stopped_watch")),
        s.Peeked(12, "time", position=12, card=CardId("stopped_watch")),
        s.Peeked(12, "role", seat=B, cards=(CardId("gentleman"),)),
        s.Peeked(12, "skill", seat=B, cards=(CardId("keyhole"),)),
        s.Peeked(12, "leftover", cards=(CardId("sleight"), CardId("naming"))),
    )
    assert all(event.cards is None for event in table.told(e.Peeked, B))
    table = at_turn(
        seat(skills="lullaby"), seat("gentleman", "keyhole*", up=True), hour=12, options=options
    )
    table.act(A, "use:lullaby:1:12")
    assert [x.what for x in table.told(e.Peeked)] == ["time", "time", "leftover"]


def test_picked_hours_are_face_down_positions() -> None:
    """YU-96, YU-131: later includes the current hour; two picks are two positions."""
    table = at_turn(
        seat(skills="ladder"), options=shop(), game=GAME, hour=11, unopened=(1, 2), opened="candle"
    )
    first = {
        option.args["position"]
        for option in table.decisions[A].options
        if option.args.get("card") == "ladder" and "position" in option.args
    }
    assert first == {11, 12}
    assert "use:ladder:11:1" in table.options(A)
    assert "use:ladder:11:3" not in table.options(A)  # the candle was opened there
    assert "use:ladder:11:11" not in table.options(A)
    before = table.state.clock
    table.act(A, "use:ladder:11:1")
    assert table.state.clock[10].card == before[0].card
    assert table.state.clock[0].card == before[10].card
    assert [(x.position, x.position2) for x in table.told(e.TimeCardsSwapped)] == [(11, 1)]


def test_a_past_card_is_opened_by_an_effect() -> None:
    """YU-32, YU-96: only effects touch a card that nobody opened in its hour."""
    table = at_turn(seat(skills="gleaning"), options=shop(), game=GAME, hour=3, clock={1: "candle"})
    assert table.options(A, "use:gleaning") == ["use:gleaning:1", "use:gleaning:2"]
    table.act(A, "use:gleaning:1")
    assert (table.seat(A).items, table.seat(A).opened) == (("candle",), 1)


def test_lives_are_swapped() -> None:
    """YU-97, YU-129: life totals change places, which is no attack."""
    table = at_turn(
        seat("mourner", life=2), seat(life=5), seat(life=4), options=shop(), game=GAME, origin=A
    )
    table.act(A, "action:2")
    assert table.lives()[:3] == [4, 4, 2]  # and the left neighbour takes 1
    swapped = [x for x in table.told(e.LifeChanged) if x.seat in (A, C)]
    assert [(x.old, x.new, x.attack) for x in swapped] == [(2, 4, False), (4, 2, False)]


def test_items_are_discarded_and_taken() -> None:
    """YU-97, YU-126: `discard` and `take` move the picked item; the one in use is none."""
    table = at_turn(
        seat(items="scissors locket"), seat(items="candle"), options=shop(), game=GAME, hour=2
    )
    assert table.options(A, "use:scissors") == ["use:scissors:0:locket", "use:scissors:1:candle"]
    table.act(A, "use:scissors:1:candle")
    assert table.state.discards == ("candle", "scissors")
    table = at_turn(seat(items="locket"), seat(items="candle"), options=shop(), game=GAME, hour=2)
    table.act(A, "use:locket:1:candle")
    assert (table.seat(A).items, table.seat(B).items) == (("candle",), ())
    assert table.state.discards == ("locket",)


def test_items_are_swapped() -> None:
    """YU-97: the two picked items change places."""
    table = at_turn(seat(skills="sleight", items="dew_umbrella"), seat(items="stopped_watch"))
    table.act(A, "use:sleight:1:stopped_watch:dew_umbrella")
    assert (table.seat(A).items, table.seat(B).items) == (("stopped_watch",), ("dew_umbrella",))
    assert [(x.giver, x.receiver, x.cause) for x in table.told(e.ItemMoved)] == [
        (A, B, "swap"),
        (B, A, "swap"),
    ]


def test_an_own_item_is_discarded() -> None:
    """YU-97: `discard` takes the own item where that is what is picked; nobody has it then."""
    options = skilled(c.Discard(), c.Discard(), picks=(c.PickItem("self"),))
    table = at_turn(seat(skills="lullaby", items="dew_umbrella alarm_clock"), options=options)
    table.act(A, "use:lullaby:alarm_clock")
    assert table.seat(A).items == ("dew_umbrella",)
    assert table.state.discards == ("alarm_clock",)


def test_a_condition_decides_between_effects() -> None:
    """YU-95, YU-97: `if` goes by public facts at the moment."""
    for life, lives in ((2, [4, 4]), (4, [4, 5])):
        table = at_turn(seat(skills="lullaby", life=4), seat(life=life))
        table.act(A, "use:lullaby:1")
        assert table.lives()[:2] == lives


def test_neighbours_are_left_and_right() -> None:
    """YU-2, YU-128: left is clockwise; nobody stands in for a dead neighbour."""
    options = skilled(c.Damage(1, "left"), c.Damage(2, "right"), c.MoveMarker("right"))
    table = at_turn(seat(skills="lullaby"), options=options)
    table.act(A, "use:lullaby")
    assert (table.lives(), table.start) == ([5, 4, 5, 3], D)
    table = at_turn(seat(skills="lullaby"), seat(), seat(), seat(dead=True), options=options)
    table.act(A, "use:lullaby")
    assert (table.lives(), table.start) == ([5, 4, 5, 0], A)


def test_an_uncovered_hour_makes_a_legal_use_come_to_nothing() -> None:
    """YU-36, YU-94: `otherwise = "nothing"`."""
    table = at_turn(seat(skills="tide"), options=shop(), game=GAME, hour=3)
    table.act(A, "use:tide")
    assert table.kinds() == ["action_taken", "skill_revealed"]
    assert table.state.used == ("tide",)


# --- life and death ------------------------------------------------------------------------------


def test_a_dying_seat_is_asked_nothing_and_does_nothing_more_for_itself() -> None:
    """YU-56, YU-70, YU-127: later effects pass it by; those on others are carried out."""
    options = skilled(
        c.Damage(5, "self"),
        c.Heal(2, "self"),
        c.May((c.Damage(1, "others"),)),
        c.MoveMarker("choose"),
        c.MoveMarker("self"),
        c.Peek("time", "current"),
        c.Open("current"),
        c.Draw(),
        c.Gain(),
        c.Protect("self"),
        c.Damage(1, "target"),
        picks=OTHER,
    )
    table = at_turn(seat(skills="lullaby"), options=options, origin=D, turn=A, start=D)
    table.act(A, "use:lullaby:2")
    assert table.lives() == [0, 5, 4, 5]
    assert not table.seat(A).alive
    assert table.kinds() == [
        "action_taken",
        "skill_revealed",
        "life_changed",
        "life_changed",
        "role_revealed",
        "died",
    ]
    assert (table.start, table.asked) == (D, (B,))


def test_a_dying_target_is_not_robbed() -> None:
    """YU-56, YU-127: what would be done to it after the fatal blow is not."""
    options = skilled(
        c.Damage(5, "target"),
        c.Take(),
        c.Swap("life"),
        c.Reveal("skill", "target"),
        c.Peek("role"),
        c.Skip("target"),
        picks=(*OTHER, c.PickItem("target")),
    )
    table = at_turn(seat(skills="lullaby"), seat(items="dew_umbrella"), options=options)
    table.act(A, "use:lullaby:1:dew_umbrella")
    assert table.seat(B).items == ("dew_umbrella",)
    assert (table.seat(A).items, table.lives()[:2]) == ((), [5, 0])
    assert not table.told(e.Peeked)


def test_an_attacker_is_credited_with_the_kill() -> None:
    """YU-72: damage by another seat's skill is an attack; that of an opened card is not."""
    table = at_turn(seat(skills="crows_talon"), seat(life=1), seat(), seat(), hour=4)
    table.act(A, "use:crows_talon:1")
    assert (table.seat(A).kills, table.seat(B).killer) == (1, A)
    assert [x.killer for x in table.told(e.Died)] == [A]
    table = at_turn(seat(), seat(life=1), seat(), seat(), hour=5, clock={5: "crow_flock"})
    table.act(A, "open")
    assert [x.attack for x in table.told(e.LifeChanged)] == [False] * 4
    assert (table.seat(A).kills, table.told(e.Died)[0].killer) == (0, None)


def test_the_marks_and_skills_of_the_dead_are_gone() -> None:
    """YU-64 to YU-67: the role is shown, skills are removed unseen, items stay."""
    table = at_turn(
        seat(skills="crows_talon"),
        seat("gentleman", "keyhole", life=1, items="dew_umbrella", skip=True),
        hour=4,
    )
    table.act(A, "use:crows_talon:1")
    dead = table.seat(B)
    assert (dead.skills, dead.items, dead.skip, dead.role_up) == (
        (),
        ("dew_umbrella",),
        False,
        True,
    )
    assert table.state.removed == (s.Held(CardId("keyhole")),)
    assert [x.mark for x in table.told(e.Unmarked)] == ["skip"]
    assert table.view(None).table.removed_up == ()


def test_death_shows_the_skill_where_the_room_says_so() -> None:
    """YU-66: `death_shows_skill`."""
    table = at_turn(
        seat(skills="crows_talon"),
        seat(skills="keyhole", life=1),
        hour=4,
        options=room(death_shows_skill=True),
    )
    table.act(A, "use:crows_talon:1")
    assert table.state.removed == (s.Held(CardId("keyhole"), up=True),)
    shown = [(x.seat, x.card, x.cause) for x in table.told(e.SkillRevealed)]
    assert shown == [(A, "crows_talon", "use"), (B, "keyhole", "death")]


def test_a_dying_opener_keeps_its_card_where_the_room_says_so() -> None:
    """YU-71: `dying_opener = keep`."""
    for option, stock in (("discard", ()), ("keep", ("cracked_mirror",))):
        table = at_turn(
            seat(life=2), clock={1: "cracked_mirror"}, options=room(dying_opener=option)
        )
        table.act(A, "open")
        assert table.seat(A).stock == stock
        assert not table.seat(A).alive


def test_seats_die_together_clockwise_from_the_acting_seat() -> None:
    """YU-69, YU-73: roles are shown in order, then the markers move once, to one who lives."""
    table = at_turn(
        seat("night_raven", life=1), seat("gentleman"), seat(life=1), seat(life=1),
        hour=5, turn=C, clock={5: "crow_flock"}, start=D, origin=A,
    )  # fmt: skip
    table.act(C, "open")
    assert [x.seat for x in table.told(e.Died)] == [C, D, A]
    assert [(x.which, x.old, x.new) for x in table.told(e.MarkerMoved)][:2] == [
        ("start", D, B),
        ("origin", A, B),
    ]
    assert (table.hour, table.asked) == (6, (B,))  # nobody is left in the order of hour 5


def test_nobody_is_left_and_it_was_a_dream_where_the_room_says_so() -> None:
    """YU-74: `all_dead = dream`; by default the dead are compared without the origin marker."""
    lives = [seat("gentleman", life=1), *[seat(life=1)] * 3]
    table = at_turn(*lives, hour=7, clock={7: "crow_flock"})
    table.act(A, "open")
    assert (table.result.result, table.result.winners) == ("stars", (A,))
    assert (table.start, table.origin) == (None, None)
    options = room(all_dead="dream", replay="off")
    table = at_turn(*lives, hour=7, clock={7: "crow_flock"}, options=options)
    table.act(A, "open")
    assert (table.result.result, table.result.winners) == ("dream", ())
    assert not table.told(e.FinalCount)


def test_the_last_survivor_wins_where_the_room_says_so() -> None:
    """YU-75: `last_survivor = wins`; by default the seat plays on."""
    for option, phase in (("play_on", "turn"), ("wins", "over")):
        table = at_turn(
            seat(skills="crows_talon"),
            seat(life=1),
            seat(dead=True),
            seat(dead=True),
            hour=4,
            options=room(last_survivor=option),
        )
        table.act(A, "use:crows_talon:1")
        assert table.phase == phase
    assert (table.result.result, table.result.winners) == ("survivor", (A,))


def test_protection_holds_off_what_other_seats_do() -> None:
    """YU-91, YU-129: also triggers of their items, but neither own damage nor a swap of lives."""
    table = at_turn(
        seat(items="candle"),
        seat(protected=True),
        seat(),
        seat(life=1),
        options=shop(),
        game=GAME,
        hour=9,
        turn=D,
    )
    table.act(D, "pass")
    assert table.lives() == [3, 5, 4, 0]
    assert [(x.seat, x.attack) for x in table.told(e.LifeChanged)] == [
        (C, True),
        (D, True),
        (A, False),
    ]
    assert table.seat(A).kills == 1
    options = skilled(c.Swap("life"), c.Damage(1, "self"), picks=OTHER)
    table = at_turn(seat(skills="lullaby", life=2), seat(life=4, protected=True), options=options)
    table.act(A, "use:lullaby:1")
    assert table.lives()[:2] == [3, 2]


def test_the_triggers_of_a_dying_seat_do_not_fire() -> None:
    """YU-134: all deaths of a stroke come after its last trigger."""
    table = at_turn(
        seat(items="candle"),
        seat(life=1),
        options=shop(),
        game=GAME,
        hour=9,
        turn=D,
    )
    table.act(D, "pass")
    assert table.kinds()[-2:] == ["died", "phase_began"]
    double = tuple(
        evolve(card, trigger=c.Trigger((6,), (c.Damage(1, "others"),)))
        if card.id == "dew_umbrella"
        else card
        for card in BASE.times
    )
    table = at_turn(
        seat(items="dew_umbrella"),
        seat(life=1, items="alarm_clock"),
        options=Options(evolve(BASE, times=double)),
        hour=5,
        turn=D,
    )
    table.act(D, "pass")
    assert [x.card for x in table.told(e.Triggered)] == ["dew_umbrella"]
    assert (table.lives(), table.seat(B).items) == ([5, 0, 4, 4], ("alarm_clock",))


def test_dead_seats_keep_their_places_in_the_order() -> None:
    """YU-122: the order names all four seats; a dead one is passed over without a word."""
    table = at_turn(seat(), seat(dead=True), start=C, turn=D)
    table.act(D, "pass")
    assert table.told(e.PhaseBegan)[0].order == (C, D, A, B)
    table.passes(C, D, A)
    assert table.hour == 3
    assert not table.told(e.TurnLost)


def test_uses_are_counted_for_seat_and_card() -> None:
    """YU-135: a skill that changes hands begins at 0; all uses are public."""
    table = at_turn(seat(skills="lullaby", uses="lullaby lullaby"), seat(skills="keyhole"))
    table.act(A, "use:lullaby:0").act(B, "exchange:0:keyhole").act(A, "agree:lullaby")
    table.passes(C, D, A).act(B, "use:lullaby:1")
    seats = table.view(None).seats
    assert [seats[who].uses.count("lullaby") for who in (A, B)] == [3, 1]


def test_public_stars_are_those_of_face_up_cards() -> None:
    """YU-18, YU-54, YU-119: a hidden role or skill adds its stars in the end."""
    table = at_turn(
        seat("tinker", "ladder", items="candle", stock="music_box"),
        seat("usher", "bluff", up=True),
        options=shop(roles=("usher",)),
        game=GAME,
    )
    assert [table.view(None).seats[who].stars for who in (A, B)] == [3, 1]
    table.act(A, "use:ladder:1:4")
    assert table.view(None).seats[A].stars == 4


# --- victory -------------------------------------------------------------------------------------


def test_a_condition_of_a_death_is_checked_after_deaths() -> None:
    """YU-78, YU-79: window `on_death`; the role is shown and the game is over."""
    table = at_turn(seat("mourner"), seat(life=1), options=shop(), game=GAME)
    table.act(A, "action:2")  # lives of A and C are equal; the left neighbour takes 1
    assert (table.result.result, table.result.window) == ("first", "on_death")
    assert table.result.winners == (A,)
    assert table.seat(A).role_up


def test_a_condition_of_an_action_is_checked_after_each_turn() -> None:
    """YU-78, YU-123: window `after_action`, also after the turn of another seat."""
    table = at_turn(
        seat(items="whistle"),
        seat("tinker", items="candle scissors", stock="broken_spring"),
        options=shop(),
        game=GAME,
    )
    table.act(A, "give:whistle:2")
    assert (table.result.window, table.result.winners) == ("after_action", (B,))


def test_only_the_first_of_several_wins_where_the_room_says_so() -> None:
    """YU-80, YU-118, YU-121: `simultaneous_win`; all who fulfil their conditions show their roles."""
    for option, winners in (("shared", (B, D)), ("origin_first", (B,))):
        table = at_turn(
            seat("gentleman", life=3),
            seat("night_raven", life=5),
            seat("mainspring_maker", life=3),
            seat("moon_hare", life=3, items="dew_umbrella black_quill"),
            hour=9,
            turn=D,
            options=room(simultaneous_win=option),
        )
        table.act(D, "take")
        assert table.result.winners == winners
        assert [x.seat for x in table.told(e.RoleRevealed)] == [B, D]
        outcome = table.game.outcome(table.state)
        assert outcome is not None
        ranks = {rank.seat: rank.rank for rank in outcome.ranking}
        assert ranks == {who: 1 if who in winners else len(winners) + 1 for who in (A, B, C, D)}


def _last_turn(*seats: Any, **options: Any) -> Table:
    """Sit down at the last turn of a game; D holds both markers in the end."""
    table = at_turn(*seats, hour=12, origin=D, start=D, turn=C, options=room(**options))
    return table.act(C, "pass")


def test_cards_with_stars_alone_count_where_the_room_says_so() -> None:
    """YU-86: `card_count`; markers and chips are no cards, a role and skills are."""
    seats = (
        seat("night_raven", items="dew_umbrella stopped_watch"),
        seat("gentleman", stock="midnight_party"),
        seat("moon_hare"),
        seat("mainspring_maker"),
    )
    table = _last_turn(*seats)
    assert (table.result.result, table.result.winners) == ("cards", (A,))
    counted = [(x.stars, x.cards) for x in table.result.counts]
    assert counted == [(3, 4), (3, 3), (0, 2), (0, 2)]
    table = _last_turn(*seats, card_count="starred")
    assert (table.result.result, table.result.winners) == ("cards", (B,))
    assert [x.cards for x in table.result.counts] == [1, 2, 0, 0]


DREAM = (
    seat("night_raven", stock="midnight_party"),
    seat("mainspring_maker", stock="sheep_parade"),
    seat("gentleman"),
    seat("moon_hare"),
)


def test_a_dream_is_played_again_with_all_new() -> None:
    """YU-87, YU-88, YU-114: game 2 comes from the same entropy; nothing is carried over."""
    table = _last_turn(*DREAM)
    assert table.kinds().count("game_ended") == 1
    assert table.told(e.GameEnded)[0].result == "dream"
    assert table.told(e.AllRevealed)
    state = table.state
    assert (state.game_no, state.hour, table.phase, table.lives()) == (2, 1, "turn", [5] * 4)
    assert state.discards == ()
    key = hmac.digest(entropy(), b"yumeochi game 2", "sha256")
    roles, _ = Entropy(key).shuffle([role.id for role in BASE.roles if role.is_base])
    assert [seat.role for seat in state.seats] == list(roles)
    assert table.waits[0].id.startswith("turn:2:1:")
    assert table.game.outcome(state) is None


def test_dreams_are_bounded() -> None:
    """YU-88, YU-118: after `replay_limit` rematches the match is a draw."""
    table = _last_turn(*DREAM, replay_limit=0)
    assert table.phase == "over"
    outcome = table.game.outcome(table.state)
    assert outcome is not None
    assert (outcome.reason, {rank.rank for rank in outcome.ranking}) == ("dream", {1})
    assert table.kinds()[-1] == "match_drawn"
    state = evolve(table.state, stage=s.Turn(C, begun=True), options=room(replay_limit=2))
    for game_no, goes_on in ((2, True), (3, False)):
        again = Table(evolve(state, game_no=game_no, place=3))
        again.act(C, "pass")
        assert (again.state.game_no == game_no + 1) is goes_on
    assert _last_turn(*DREAM, replay="off").phase == "over"


def test_a_rematch_is_played_if_all_want_it() -> None:
    """YU-88, YU-117: `replay = ask` (DP-7); answers are told when all are in."""
    table = _last_turn(*DREAM, replay="ask")
    assert (table.phase, table.asked) == ("rematch", (A, B, C, D))
    assert table.decisions[A].default == "no"
    ids = {who: decision.id for who, decision in table.decisions.items()}
    table.act(B, "yes")
    assert table.last == ()
    assert {who: decision.id for who, decision in table.decisions.items()} == {
        who: ids[who] for who in (A, C, D)
    }
    (wait,) = table.waits
    assert (wait.seats, wait.pending) == ((A, B, C, D), (A, C, D))
    for who in (A, C, D):
        table.act(who, "yes")
    assert [x.answers for x in table.told(e.RematchAnswered)] == [(True,) * 4]
    assert table.state.game_no == 2


def test_silence_ends_a_match() -> None:
    """YU-117: on expiry who has not answered says no."""
    table = _last_turn(*DREAM, replay="ask")
    table.act(A, "yes").expire()
    assert [x.answers for x in table.told(e.RematchAnswered)] == [(True, False, False, False)]
    assert table.phase == "over"
    assert table.waits == ()


def test_only_the_seats_are_shown_in_the_end_where_the_room_says_so() -> None:
    """YU-19: `end_reveal = seats_only` keeps leftover, clock and undealt roles hidden."""
    for option, is_shown in (("all", True), ("seats_only", False)):
        table = _last_turn(*DREAM, end_reveal=option, roles=("dream_eater",), replay="off")
        (shown,) = table.told(e.AllRevealed)
        assert shown.roles == ("night_raven", "mainspring_maker", "gentleman", "moon_hare")
        assert [len(skills) for skills in shown.skills] == [1, 1, 1, 1]
        assert shown.removed == ()
        parts = (shown.leftover, shown.clock, shown.undealt)
        assert [part is not None for part in parts] == [is_shown] * 3
        revealed = table.view(None).table.revealed
        assert (revealed.leftover is not None) is is_shown


def test_the_skills_of_the_dead_are_shown_in_the_end() -> None:
    """YU-120: they belonged to seats, so also with `seats_only`."""
    table = _last_turn(seat("gentleman", "naming", dead=True), end_reveal="seats_only")
    assert [x.removed for x in table.told(e.AllRevealed)] == [("naming",)]
    assert table.view(None).table.revealed.removed == ("naming",)


# --- whole games ---------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(6))
def test_a_position_is_the_same_after_a_way_through_json(number: int) -> None:
    """§13.10: saving and loading at any decision changes nothing."""
    rng = random.Random(number)
    options = Options(WORKSHOP if number % 2 else BASE, first_holder="named", replay="ask")
    state = GAME.setup(options, 4, ((),) * 4, rng.randbytes(32)).state
    while GAME.outcome(state) is None:
        state = structure(s.State, json.loads(json.dumps(to_plain(state))))
        open_now = GAME.decisions(state)
        who = rng.choice(list(open_now))
        option = rng.choice(open_now[who].options)
        state = GAME.act(state, who, Answer(open_now[who].id, option.id)).state
    assert structure(s.State, json.loads(json.dumps(to_plain(state)))) == state


@pytest.mark.parametrize("cards", [BASE, WORKSHOP], ids=["base", "workshop"])
def test_every_listed_option_is_accepted(cards: CardSet) -> None:
    """§13.9: on the way through a game each option of each decision is tried."""
    rng = random.Random(9)
    state = GAME.setup(Options(cards), 4, ((),) * 4, rng.randbytes(32)).state
    while GAME.outcome(state) is None:
        ((who, decision), *_) = GAME.decisions(state).items()
        after = [
            GAME.act(state, who, Answer(decision.id, option.id)).state
            for option in decision.options
        ]
        state = rng.choice(after)


def test_a_game_of_silence_ends() -> None:
    """§13.15, YU-100: every living seat is asked in its turn, and nobody opens anything."""
    table = dealt()
    turns = 0
    while table.phase != "over" and table.state.game_no == 1:
        assert table.phase == "turn"
        table.expire()
        turns += 1
    assert turns == 44 + 4 * (table.result.result != "first")
    assert not table.told(e.CardOpened)


def test_seats_are_alike() -> None:
    """§13.11: the same cards dealt one seat further give the same game one seat further."""
    plain = dealt().state
    turned = evolve(
        plain,
        seats=(plain.seats[-1], *plain.seats[:-1]),
        stage=s.FirstHolder(),
        start=SeatId(((plain.start or 0) + 1) % 4),
        origin=SeatId(((plain.origin or 0) + 1) % 4),
        decisions=(),
    )
    here, there = Table(evolve(plain, stage=s.FirstHolder(), decisions=())), Table(turned)
    rng = random.Random(3)
    while here.phase != "over" and here.state.game_no == 1:
        ((who, decision),) = here.decisions.items()
        number = rng.randrange(len(decision.options))
        here.act(who, decision.options[number].id)
        ((other, same),) = there.decisions.items()
        assert other == (who + 1) % 4
        assert len(same.options) == len(decision.options)
        there.act(other, same.options[number].id)
        assert here.kinds() == there.kinds()
