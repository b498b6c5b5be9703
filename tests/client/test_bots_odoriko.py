"""How bots use skills and events of odoriko, in positions that the rules lay out."""

from __future__ import annotations

import random
from typing import Any

import pytest
from kaguraden_client.bots.greedy import GreedyPolicy
from kaguraden_client.bots.heuristic import HeuristicPolicy
from kaguraden_client.bots.policy import Choice
from kaguraden_client.table import Table as Seen
from kaguraden_rules.kernel import SeatId
from kaguraden_rules.odoriko.game import Odoriko
from kaguraden_rules.odoriko.packs import builtin_sets, load_set
from kaguraden_rules.plain import to_plain

from tests.bench.duel import play, to_message
from tests.properties.odoriko_packs import TABLES
from tests.rules.odoriko_positions import A, B, C, Table, at_turn, seat

POLICIES = [GreedyPolicy, HeuristicPolicy]
both = pytest.mark.parametrize("policy", POLICIES)


def answer(table: Table, who: SeatId, policy: Any = GreedyPolicy) -> Choice:
    """Return what a bot answers, from what its seat sees alone."""
    view: Any = to_plain(table.view(who))
    catalog = table.game.catalog(table.state.options)["cards"]
    seen = Seen("KAGU-TEST", seat=who, view=view)
    choice = policy(random.Random(1)).decide(seen, to_message(table.decisions[who]), catalog)
    assert isinstance(choice, Choice)
    return choice


def played(table: Table, who: SeatId, policy: Any = GreedyPolicy) -> Choice:
    """Let a bot answer, and carry its answer out."""
    choice = answer(table, who, policy)
    table.act(who, choice.option, choice.value)
    return choice


# --- windows -------------------------------------------------------------------------------------


@both
def test_a_character_that_a_king_takes_anyway_does_its_work_first(policy: Any) -> None:
    t = at_turn(
        seat("KD", song="cc001* 9D 8H", dance="10S"),
        seat(song="cc002*", dance="cc006 4C"),
    ).act(A, "use_k:KD:1:dance:cc006")
    choice = answer(t, B, policy)
    assert choice.option.startswith("use_skill:dance:cc006")


@both
def test_a_king_is_taken_on_for_a_character_that_is_worth_more(policy: Any) -> None:
    rich = "2C 3C 4C 5C 6C 7C"
    t = at_turn(
        seat("KD", song="cc001*"),
        seat(song="cc002*", dance=f"cc008 {rich}"),
        seat(song="cc003*", dance="cc004"),
    ).act(A, "use_k:KD:1:dance:cc008")
    assert answer(t, B, policy) == Choice("pass")  # it has no other character to offer
    t = at_turn(
        seat("KD", song="cc001* 2H 3H 4D 5D 6D 7H"),
        seat(song="cc002* cc004^", dance="cc008 2S 3S 4S 5S 6S 7S"),
        half=2,
    ).act(A, "use_k:KD:1:dance:cc008")
    assert answer(t, B, policy).option.startswith("use_skill:song:cc004")


@both
def test_two_vp_for_a_fallen_character_are_taken(policy: Any) -> None:
    t = at_turn(
        seat(song="cc001*", dance="cc002"),
        seat(song="cc005*"),
    ).act(A, "discard:dance:cc002")
    assert t.window == ("trigger", 1)
    assert answer(t, B, policy) == Choice("use_skill:song:cc005")


@both
def test_nobody_gives_a_leaf_to_cancel_what_does_no_harm(policy: Any) -> None:
    t = at_turn(
        seat("ev_kodama", pile="2S"),
        seat(song="cc001* 9D 8H 10H"),
    ).act(A, "use_event:ev_kodama")
    assert answer(t, B, policy) == Choice("pass")


@both
def test_free_skills_are_kept_while_their_character_scores(policy: Any) -> None:
    t = at_turn(
        seat("2H", song="cc003*"),
        seat(song="cc002*", dance="cc008 2S 3S 4S 5S 6C 7C"),
    ).act(A, "discard:hand:2H")
    while t.window and t.window[0] != "free":
        t.expire()
    assert answer(t, B, policy) == Choice("pass")


# --- events --------------------------------------------------------------------------------------


@both
def test_vp_that_are_for_the_taking_are_taken(policy: Any) -> None:
    t = at_turn(seat("ev_morimatsuri", song="cc001*", dance="10S 6C 4S"), seat(song="cc002*"))
    assert answer(t, A, policy) == Choice("use_event:ev_morimatsuri")


@both
def test_two_more_actions_are_taken_before_they_are_used(policy: Any) -> None:
    t = at_turn(seat("ev_akatsuki 5S 6S", dance="cc007*"), seat(song="cc002*"))
    assert answer(t, A, policy) == Choice("use_event:ev_akatsuki")


@both
def test_two_cards_are_better_than_one(policy: Any) -> None:
    t = at_turn(seat("ev_yukidoke", dance="cc008*", deck="5S 6S"), seat(song="cc002*"), half=2)
    choice = answer(t, A, policy)
    assert choice == Choice("use_event:ev_yukidoke") or choice.option == "draw:character"
    without = at_turn(seat("ev_kodama", dance="cc008*", pile="KS"), seat(song="cc002*"), half=2)
    assert answer(without, A, policy).option != "use_event:ev_kodama"  # there is nothing to take


# --- picks ---------------------------------------------------------------------------------------


@both
def test_the_card_that_helps_most_is_taken_back(policy: Any) -> None:
    t = at_turn(seat("ev_kodama", dance="cc007*", pile="3D 4S 5D"), seat(song="cc002*"))
    t.act(A, "use_event:ev_kodama").close()
    assert played(t, A, policy).option.endswith("4S")
    assert t.hand(A) == {"4S"}


@both
def test_what_is_exchanged_helps_more_than_what_is_given(policy: Any) -> None:
    t = at_turn(
        seat("ev_momiji", song="cc001* 2D 10H"),
        seat(song="cc002* 9D 3H"),
    )
    t.act(A, "use_event:ev_momiji").close()
    played(t, A, policy)
    assert set(t.song(A)) == {"cc001", "10H", "9D"}


@both
def test_what_is_given_away_is_what_helps_least(policy: Any) -> None:
    t = at_turn(
        seat("ev_shijima", song="cc001*"),
        seat("5S 6S 3H", dance="cc007*"),
    ).act(A, "use_event:ev_shijima")
    t.close()
    assert played(t, B, policy).option.endswith("3H")


@both
def test_frost_falls_on_a_field_of_somebody_else(policy: Any) -> None:
    t = at_turn(seat("ev_shimo", dance="cc007*"), seat(dance="cc008*"), seat(song="cc002*"))
    t.act(A, "use_event:ev_shimo").close()
    assert not answer(t, A, policy).option.startswith("choose:0:")


@both
def test_cards_go_to_whom_they_help_least(policy: Any) -> None:
    # cc009 puts black cards on others' fields; its user's cc007 likes them anywhere, and spades on
    # the fields of B, whose cc002 asks for five of its own, help B most.
    t = at_turn(
        seat("6S", song="cc007*", dance="cc009"),
        seat(song="cc002*", dance="2S 3S 4S 5S"),
        seat(song="cc003*"),
    )
    option = next(o for o in t.decisions[A].options if o.kind == "use_skill" and o.value)
    assert option.args["list"] == "picks"
    choices = {label.partition(">")[2] for label in option.value.among}  # type: ignore[union-attr]
    assert choices == {"1", "2"}
    taken = _skill_value(t, A, option.id, policy)
    assert "6S>1" not in taken


def _skill_value(table: Table, who: SeatId, option: str, policy: Any) -> Any:
    """Return the value with which a bot takes an option, were it the only one."""
    view: Any = to_plain(table.view(who))
    catalog = table.game.catalog(table.state.options)["cards"]
    asked = to_message(table.decisions[who])
    only = type(asked)(
        asked.id,
        asked.kind,
        tuple(o for o in asked.options if o.id == option),
        option,
        sealed=False,
    )
    choice = policy(random.Random(1)).decide(Seen("KAGU-TEST", seat=who, view=view), only, catalog)
    assert choice is not None
    return choice.value


# --- cards that nobody has seen before -------------------------------------------------------------

HERMIT = """
format = 1
set = "hermitage"
[[card]]
id = "hm_hermit"
kind = "character"
name = { en = "Hermit" }
[card.skill]
name = { en = "Alms" }
timing = "action"
limit = "turn"
cost = [ { discard = { zone = "hand", match = { kind = ["resource"] }, n = 1 } } ]
do = [ { op = "vp", n = 4 }, { op = "vp", n = -1, whose = "each_other" } ]
[[card.score]]
scope = "own"
zone = "song"
match = { kind = ["resource"] }
each = 1
[[card]]
id = "hm_curse"
kind = "event"
name = { en = "Curse" }
[card.play]
do = [ { op = "vp", n = -3 } ]
"""


@both
def test_cards_of_any_set_are_played_by_their_data(policy: Any) -> None:
    game = Odoriko(sets=(*builtin_sets(), load_set(HERMIT, "hermitage.toml")))
    t = at_turn(seat("hm_curse 2S 9H", song="hm_hermit*"), seat(song="cc002*"), game=game)
    assert answer(t, A, policy) == Choice("use_skill:song:hm_hermit:2S")
    t.act(A, "use_skill:song:hm_hermit:2S").close()
    for _ in range(3):
        if A in t.decisions and t.turn == A:
            assert played(t, A, policy).option != "use_event:hm_curse"
            t.close()


@pytest.mark.parametrize("pack", sorted(TABLES))
def test_bots_play_games_of_any_pack_to_the_end(pack: str) -> None:
    table = TABLES[pack]
    rng = random.Random(5)
    policies = [policy(random.Random(rng.random())) for policy in (*POLICIES, *POLICIES[:1])]
    game = play(policies, rng.randbytes(32), table.game, table.fixed)  # refuses what is not listed
    assert len(game.outcome.ranking) == 3
    assert C in [place.seat for place in game.outcome.ranking]


# --- plans ---------------------------------------------------------------------------------------


def test_who_plans_lets_midway_wait_for_its_first_character() -> None:
    waiting = at_turn(seat("cc007 5S"), seat(song="cc002*"))
    assert answer(waiting, A).option.startswith("place_character")
    assert not answer(waiting, A, HeuristicPolicy).option.startswith("place_character")
    late = at_turn(seat("cc007 5S", resource_deck=2), seat(song="cc002*"))
    assert answer(late, A, HeuristicPolicy).option.startswith("place_character")


def test_who_plans_hurries_when_it_is_ahead_and_not_when_it_is_behind() -> None:
    def last_card(vp: int) -> Choice:
        t = at_turn(
            seat("2D", song="cc001* 3D", dance="2S 3S 4S 5S 6S 7S 8S 9S 10S", vp=vp),
            seat(song="cc003*", dance="2C 3C 4C 5C 6C 7C 8C 9C 10C"),
            half=2,
            actions=1,
        )
        return answer(t, A, HeuristicPolicy)

    assert last_card(20) == Choice("place_resource:2D")
    assert last_card(-20) != Choice("place_resource:2D")
