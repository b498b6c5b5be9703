"""Choosing an answer by keys: groups, values, confirming, and questions that close meanwhile."""

from __future__ import annotations

import pytest
from attrs import evolve
from kaguraden_client.terminal.menu import Answer, Menu, Note, tree
from kaguraden_client.terminal.painters import painter_for
from kaguraden_protocol.messages import Decision, Option, OrderSpec, UnknownSpec

from .tables import action_decision, as_decision, auction_decision, context, view

ODORIKO = painter_for("odoriko")


def opened(*decisions: Decision) -> Menu:
    return Menu().updated(decisions, ODORIKO.path)


def press(menu: Menu, *keys: str, careful: bool = False) -> tuple[Menu, Answer | None]:
    answer = None
    for key in keys:
        assert answer is None, "an answer was given before the last key"
        menu, answer = menu.press(key, lambda _d, _o: careful)
    return menu, answer


def labels(menu: Menu) -> list[str]:
    ctx, table = context(), view()
    return [f"{e.digit} {ODORIKO.entry(e.node, table, ctx)}" for e in menu.entries()]


def simple(count: int, *, default: str = "pass", sealed: bool = False) -> Decision:
    options = [
        {"id": f"take:{n}S", "kind": "take", "args": {"card": f"{n}S"}} for n in range(2, 2 + count)
    ]
    options.append({"id": "pass", "kind": "pass", "args": {}})
    return as_decision(
        {"id": "0.1", "kind": "j", "options": options, "default": default, "sealed": sealed}
    )


def test_options_that_share_an_action_share_an_entry() -> None:
    assert labels(opened(action_decision())) == [
        "1 draw from the resource deck",
        "2 draw from the character deck",
        "3 place…",
        "4 sell…",
        "5 discard…",
        "0 end the turn with 2 actions left",
    ]


def test_place_asks_for_the_card_and_then_for_the_field() -> None:
    menu, _ = press(opened(action_decision()), "3")
    assert labels(menu) == ["1 ‹Krilkritol›…", "2 4♠"]
    menu, _ = press(menu, "1")
    assert labels(menu) == ["1 song field", "2 dance field"]
    assert press(menu, "1")[1] == Answer("0.7", "place_character:cc003:song")


@pytest.mark.parametrize(
    ("kind", "japanese", "english"),
    [
        ("resource", "4♠を資源2枚以上と引き換えに売る", "sell 4♠ for 2 or more resource cards"),
        ("special", "4♠を特殊2枚以上と引き換えに売る", "sell 4♠ for 2 or more special cards"),
        (
            "either",
            "4♠を資源か特殊2枚以上と引き換えに売る",
            "sell 4♠ for 2 or more cards of either kind",
        ),
    ],
)
def test_a_sale_says_what_it_is_for(kind: str, japanese: str, english: str) -> None:
    decision = action_decision()
    option = next(o for o in decision.options if o.id == f"sell:{kind}:2")
    for lang, said in (("ja", japanese), ("en", english)):
        assert ODORIKO.sentence(decision, option, ("4S",), view(3), context(lang)) == said


def test_escape_goes_back_one_step_to_where_one_came_from() -> None:
    menu, _ = press(opened(action_decision()), "4", "2")
    assert [step.value for step in menu.here.steps] == ["special"]
    menu, _ = press(menu, "escape")
    assert menu.at == 1
    menu, _ = press(menu, "escape")
    assert menu.way == ()
    assert menu.at == 3
    menu, answer = press(menu, "escape")
    assert (menu.way, answer) == ((), None)


def test_the_way_to_a_sale_ends_with_ticked_cards() -> None:
    menu, _ = press(opened(action_decision()), "4", "1", "2")
    assert menu.choices() == ("4S", "QD")
    menu, answer = press(menu, "enter")
    assert answer is None
    assert menu.note == Note("menu.tick_range", {"min": 1, "n": 2, "have": 0})
    menu, answer = press(menu, "space", "down", "space", "1", "enter")
    assert answer == Answer("0.7", "sell:resource:2", ("QD",))


def test_a_small_range_is_chosen_and_not_typed() -> None:
    menu = opened(auction_decision(3, 4))
    assert labels(menu) == ["1 bid 3", "2 bid 4", "0 done bidding"]
    assert press(menu, "2")[1] == Answer("0.3", "bid", 4)


def test_a_large_range_is_typed_and_checked() -> None:
    menu, _ = press(opened(auction_decision(1, 20)), "1")
    menu, answer = press(menu, "2", "5", "enter")
    assert answer is None
    assert menu.note == Note("menu.range", {"min": 1, "max": 20})
    assert press(menu, "2", "enter")[1] == Answer("0.1", "bid", 2)


def test_arrows_change_a_number_within_its_range() -> None:
    menu, _ = press(opened(auction_decision(1, 20)), "1", "up", "up", "down", "down", "down")
    assert menu.number.text == "1"
    assert press(menu, "up", "enter")[1] == Answer("0.1", "bid", 2)


def test_an_order_is_made_one_by_one() -> None:
    spec = OrderSpec(("a", "b", "c"))
    decision = Decision("0.1", "sort", (Option("sort", "sort", {}, spec),), "sort", False)
    menu, answer = press(opened(decision), "3", "1", "enter")
    assert answer is None
    assert press(menu, "2", "enter")[1] == Answer("0.1", "sort", ("c", "a", "b"))


def test_all_cards_are_ticked_where_all_must_be() -> None:
    decision = as_decision(
        {
            "id": "0.1",
            "kind": "payment",
            "options": [
                {
                    "id": "pay",
                    "kind": "pay",
                    "args": {},
                    "value": {"type": "cards", "from": ["9D", "3C"], "min": 2, "max": 2},
                }
            ],
            "default": "pay",
        }
    )
    menu = opened(decision)
    assert not menu.is_begun, "nobody has chosen anything yet"
    assert press(menu, "enter")[1] == Answer("0.1", "pay", ("9D", "3C"))
    assert press(menu, "escape", "1", "enter")[1] == Answer("0.1", "pay", ("9D", "3C"))
    assert press(menu, "space")[0].is_begun


def test_actions_keep_their_digits_from_turn_to_turn() -> None:
    decision = action_decision()

    def at(*kinds: str) -> list[str]:
        options = tuple(o for o in decision.options if o.kind in kinds)
        menu = Menu().updated([evolve(decision, options=options)], ODORIKO.path, slot=ODORIKO.slot)
        return labels(menu)

    assert at("draw", "place_character", "sell", "discard", "end_turn") == [
        "1 draw from the resource deck",
        "2 draw from the character deck",
        "3 place ‹Krilkritol›…",
        "5 sell…",
        "6 discard…",
        "0 end the turn with 2 actions left",
    ]
    assert at("sell", "end_turn")[0] == "5 sell…"
    assert at("place_resource", "end_turn")[0] == "3 place 4♠"
    menu = Menu().updated([decision], ODORIKO.path, slot=ODORIKO.slot)
    assert press(menu, "5")[0].way
    assert press(menu, "4") == (menu, None)


def test_entries_without_a_digit_of_their_own_take_the_last_free_ones() -> None:
    decision = action_decision()
    options = (Option("sing", "sing", {}), *decision.options, Option("shout", "shout", {}))
    menu = Menu().updated([evolve(decision, options=options)], ODORIKO.path, slot=ODORIKO.slot)
    digits = [label[0] for label in labels(menu)]
    assert digits == ["1", "2", "3", "5", "6", "8", "9", "0"]
    assert press(menu, "9")[1] == Answer("0.7", "shout")
    assert press(menu, *["down"] * 5, "enter")[1] == Answer("0.7", "sing")


def test_what_cannot_be_undone_waits_for_enter() -> None:
    menu, answer = press(opened(action_decision()), "0", careful=True)
    assert answer is None
    menu, answer = press(menu, "1", careful=True)
    assert answer is None
    assert menu.note == Note("menu.enter_or_esc")
    back, answer = press(menu, "escape", careful=True)
    assert (back.confirming, answer) == (None, None)
    assert press(menu, "enter", careful=True)[1] == Answer("0.7", "end_turn")


def test_ending_a_turn_early_and_discarding_the_fc_are_careful_and_others_are_not() -> None:
    decision, table = action_decision(), view()
    careful = [o.id for o in decision.options if ODORIKO.careful(table, decision, o)]
    assert careful == ["discard:song:cc001", "end_turn"]
    table["table"]["actions_left"] = 0
    assert not ODORIKO.careful(table, decision, decision.options[-1])


def test_nothing_is_sent_twice() -> None:
    menu, answer = press(opened(simple(2)), "1")
    assert answer is not None
    again, answer = press(menu, "1")
    assert answer is None
    assert again.sent == Answer("0.1", "take:2S")


def test_a_refused_answer_can_be_given_again() -> None:
    menu, _ = press(opened(simple(2)), "1")
    menu = menu.refused(Note("menu.refused", {"why": "no"}))
    assert menu.note is not None
    assert press(menu, "0")[1] == Answer("0.1", "pass")


def test_a_decision_that_closes_while_choosing_says_what_happened() -> None:
    menu, _ = press(opened(auction_decision(1, 20)), "1", "1")
    menu = menu.updated((auction_decision(5, 20),), ODORIKO.path, "Cho bids 4.")
    assert menu.note == Note("menu.closed", {"why": "Cho bids 4."})
    assert not menu.is_begun
    assert menu.updated((), ODORIKO.path).note is None


def test_the_same_decisions_leave_a_half_made_choice_alone() -> None:
    menu, _ = press(opened(action_decision()), "4", "1")
    assert menu.updated((action_decision(),), ODORIKO.path) is menu


def test_more_than_nine_entries_come_in_pages_and_the_default_is_on_each() -> None:
    decision = simple(9)
    many = evolve(
        decision,
        options=tuple(evolve(o, kind=f"k{i}") for i, o in enumerate(decision.options[:-1]))
        + tuple(Option(f"more:{n}", f"more{n}") for n in range(3))
        + decision.options[-1:],
    )
    menu = Menu().updated((many,))
    assert [e.digit for e in menu.entries()] == list("1234567890")
    assert menu.page == (0, 2)
    menu, _ = press(menu, "pagedown")
    assert [e.digit for e in menu.entries()] == list("1230")
    assert press(menu, "2")[1] == Answer("0.1", "more:1")
    assert press(menu, "0")[1] == Answer("0.1", "pass")


def test_the_arrows_and_enter_choose_as_well() -> None:
    menu = opened(simple(2))
    assert press(menu, "down", "enter")[1] == Answer("0.1", "take:3S")
    assert press(menu, "end", "enter")[1] == Answer("0.1", "pass")


def test_several_open_decisions_are_a_list_of_their_own() -> None:
    first, second = simple(1), evolve(auction_decision(), id="0.9")
    menu = opened(first, second)
    assert len(menu.entries()) == 2
    menu, _ = press(menu, "2")
    assert menu.decision == second
    assert press(menu, "0")[1] == Answer("0.9", "done")


def test_options_with_an_unknown_kind_of_value_are_not_offered() -> None:
    option = Option("new", "new", {}, UnknownSpec({"type": "colour"}))
    decision = Decision("0.1", "x", (option, Option("pass", "pass")), "pass", False)
    assert [n.option.id for n in tree(decision).children if n.option] == ["pass"]


def test_keys_mean_nothing_without_a_decision() -> None:
    assert press(Menu(), "1", "enter") == (Menu(), None)


def test_a_default_that_is_one_of_many_alike_keeps_its_number() -> None:
    options = [{"id": f"place:{n}", "kind": "place", "args": {"place": n}} for n in (2, 4)]
    decision = as_decision({"id": "0.1", "kind": "place", "options": options, "default": "place:2"})
    assert labels(opened(decision)) == ["1 take place 2", "2 take place 4"]
