"""Tables as text: what is on them, in both languages, and never wider than the screen."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kaguraden_client.terminal.menu import Menu, Node, Step
from kaguraden_client.terminal.painters import Catalog, Lines, Painter, painter_for
from kaguraden_client.terminal.screens.menu_lines import menu_body
from kaguraden_client.terminal.text import line_width, plain_text
from kaguraden_rules.kernel import Answer, CardsValue, IntValue, Option, OrderValue, SeatId
from kaguraden_rules.plain import to_plain

from tests.fakes import OFUDA

from .tables import (
    CATALOG,
    GAME,
    NAMES,
    action_decision,
    auction_decision,
    context,
    lying,
    seat,
    view,
    wire_decision,
)

ODORIKO, GENERIC = painter_for("odoriko"), painter_for("a game never heard of")
SIZES = [(80, 13), (80, 24), (120, 40), (20, 5), (40, 12)]
LANGUAGES = ["ja", "en"]
HOSTILE = (
    "\x1b[2J\x1b]0;pwned\x07",
    "\u202egnp.exe",
    "a\u0301\u0302\u0303\u0304\u0305\u0306",
    "ㅤ\u200b\u200d\ufe0f",
    "｟踊り子の長い長い長い名前｠" * 4,
    "\r\n\t\x00",
)


def assert_fits(lines: Lines, cells: int) -> None:
    for line in lines:
        assert line_width(line) <= cells, line
        for _, text in line:
            assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in text), line
            assert not set(text) & set("\u202e\u202a\u2066\u200b\u200d\u200e\u200f\ufeff"), line


def everything(painter: Painter, table: dict[str, Any], ctx: Any, cells: int, height: int) -> None:
    """Draw all that a painter draws of a view, and check that it fits."""
    assert_fits(painter.table(table, ctx, cells, height), cells)
    assert_fits(painter.own(table, ctx, cells), cells)
    assert_fits(painter.outcome(table, ctx, cells), cells)
    for number in range(6):
        assert_fits(painter.seat_details(table, number, ctx, cells), cells)
    assert_fits([painter.situation(table, None, ctx)], 10_000)
    assert_fits([(("", painter.headline(table, ctx)),)], 10_000)
    assert_fits([(("", line),) for line in painter.spoken(table, ctx)], 1_000_000)


# --- odoriko, looked at -------------------------------------------------------------------------


def test_four_seats_at_80_columns_in_english() -> None:
    table = view(
        4,
        table={
            "stack": [
                {"card": "KD", "seat": 1, "target": {"seat": 0, "zone": "song", "card": "9H"}}
            ]
        },
    )
    assert (
        plain_text(ODORIKO.table(table, context("en", away=frozenset({3})), 80, 13))
        == """\
 on fields 9 of 20
 in play K♦ by Bea → 9♥ (Aki's song field)
▶1 Aki    VP   3  hand ▮▮▯   decks 11+10  pile  4 4♥  you
   song  tree 19  9♥ 10♦ ‹Il Ariel ★FC›
   dance tree 15  7♠ 8♣
 2 Bea    VP  −2  hand ▮▮▮▯  decks 12+9   pile  1 Q♦
   song  tree 2   2♥ ‹Romage ★FC ◆kept›
   dance tree 13  10♣ 3♠ ‹Annie›
 3 Cho    VP  12  hand ▮▯    decks 11+10  pile  0
   song  tree 6   ‹Heliodia ◆kept› 6♦
   dance tree 2   2♣
 4 Dai    VP   0  hand       decks 0+10   pile  1 ‹Valley Echo›  offline
   song  tree 0   ‹Hypstrinik›
   dance tree 0   –"""
    )


def test_four_seats_at_80_columns_in_japanese() -> None:
    assert (
        plain_text(ODORIKO.table(view(4), context("ja"), 80, 13))
        == """\
 場の資源 9/20
▶1 Aki    VP   3  手札 ▮▮▯   山 11+10  捨  4 4♥  あなた
   歌 樹19  9♥ 10♦ ‹イル・アリエル ★FC›
   踊 樹15  7♠ 8♣
 2 Bea    VP  −2  手札 ▮▮▮▯  山 12+9   捨  1 Q♦
   歌 樹2   2♥ ‹ロマージュ ★FC ◆残›
   踊 樹13  10♣ 3♠ ‹アニー›
 3 Cho    VP  12  手札 ▮▯    山 11+10  捨  0
   歌 樹6   ‹ヘリオーディア ◆残› 6♦
   踊 樹2   2♣
 4 Dai    VP   0  手札       山 0+10   捨  1 ‹谷のこだま›
   歌 樹0   ‹ヒプストリニク›
   踊 樹0   –"""
    )


def test_a_sale_whose_cards_have_changed_hands_is_no_blank() -> None:
    sale = {"seller": 1, "lot": [], "price_kind": "either", "price": 1, "step": "receiving"}
    line = ODORIKO.situation(view(table={"auction": sale}, asked=[2]), None, context("en"))
    assert plain_text([line]) == "AUCTION · choosing which cards stay · asked: Cho"


@pytest.mark.parametrize(("number", "words"), [(1, "for 1 card."), (2, "for 2 cards.")])
def test_one_card_is_not_several(number: int, words: str) -> None:
    event: dict[str, Any] = {
        "kind": "cards_exchanged", "seller": 1, "winner": 2, "lot": ["9H"], "number": number,
    }  # fmt: skip
    assert (ODORIKO.event(event, context("en")) or "").endswith(words)


def test_six_seats_at_80_columns_take_two_lines_each() -> None:
    assert (
        plain_text(ODORIKO.table(view(6), context("en"), 80, 13))
        == """\
 on fields 9 of 20 · set aside 4
▶1 Aki    VP   3  hand ▮▮▯   decks 11+10  pile  4 4♥  you
   song 19 9♥ 10♦ ‹Il Ariel★›             dance 15 7♠ 8♣
 2 Bea    VP  −2  hand ▮▮▮▯  decks 12+9   pile  1 Q♦
   song  2 2♥ ‹Romage★◆›                  dance 13 10♣ 3♠ ‹Annie›
 3 Cho    VP  12  hand ▮▯    decks 11+10  pile  0
   song  6 ‹Heliodia◆› 6♦                 dance  2 2♣
 4 Dai    VP   0  hand       decks 0+10   pile  1 ‹Valley Echo›
   song  0 ‹Hypstrinik›                   dance  0 –
 5 Eve    VP   0  hand ▮▯    decks 11+10  pile  0
   song  0 –                              dance 21 ‹Aisha★› 6♠ 6♣ 9♠
 6 Fay    VP −12  hand ▮▮▮▮  decks 11+10  pile  0
   song 23 3♥ 5♦ 8♥ 7♦                    dance  0 –"""
    )


def test_a_wide_screen_tells_hands_in_numbers_too() -> None:
    lines = plain_text(ODORIKO.table(view(4), context("en"), 120, 30)).splitlines()
    assert lines[2] == "▶1 Aki    VP   3  hand ▮▮▯  (2 res. 1 char.)  decks 11+10  pile  4 4♥  you"
    assert lines[1] == lines[5] == ""


def test_a_full_field_is_told_by_suit_and_then_counted() -> None:
    song = [lying(f"{n}{s}") for s in "HD" for n in range(2, 11)]
    table = view(5)
    table["seats"][0] = seat(0, song=song, dance=[lying("cc002"), lying("7S")])
    lines = ODORIKO.table(table, context("en"), 80, 13)
    assert plain_text(lines).splitlines()[2] == (
        "   song 108 ♥2 3 4 5 6 7 8 9 10 ♦2 3 4 5 6 7 8 9 10        dance  7 ‹Romage› 7♠"
    )
    table["seats"][0] = seat(
        0,
        song=song,
        dance=[lying(f"{n}S") for n in range(2, 11)] + [lying(f"{n}C") for n in range(2, 11)],
    )
    narrow = ODORIKO.table(table, context("en"), 60, 13)
    assert_fits(narrow, 60)
    assert "+1" in plain_text(narrow)


def test_the_order_phase_shows_who_declared_what() -> None:
    table = view(3, phase="order", asked=[0, 1, 2])
    del table["turn"]
    for entry, told in zip(
        table["seats"], ({}, {"bid": 3}, {"bid": 0, "locked": True}), strict=True
    ):
        entry.pop("place")
        entry |= told
    text = plain_text(ODORIKO.table(table, context("en"), 80, 13))
    assert [line.partition("pile ")[2] for line in text.splitlines() if "VP" in line] == [
        " 4 4♥  you  declared –",
        " 1 Q♦  declared 3",
        " 0  declared 0  done",
    ]


def auction(**changes: Any) -> dict[str, Any]:
    sale = {
        "seller": 1,
        "lot": ["8D", "JC"],
        "price_kind": "either",
        "price": 2,
        "step": "bidding",
        **changes,
    }
    return view(3, turn=1, asked=[0, 2], table={"auction": sale})


@pytest.mark.parametrize(
    ("lang", "changes", "line"),
    [
        ("en", {}, "AUCTION  8♦ J♣ · no bid yet · asked: you, Cho"),
        ("en", {"best": 2, "leader": 2}, "AUCTION  8♦ J♣ · best 2 by Cho · asked: you, Cho"),
        ("ja", {"best": 2, "leader": 2}, "競り  8♦ J♣ · 最高 2 Cho · 回答中: あなた、Cho"),
        (
            "en",
            {"step": "payment", "best": 3, "leader": 2},
            "AUCTION  8♦ J♣ · Cho pays 3 cards · asked: you, Cho",
        ),
    ],
)
def test_the_auction_line(lang: str, changes: dict[str, Any], line: str) -> None:
    table = auction(**changes)
    situation = ODORIKO.situation(table, auction_decision(), context(lang))
    assert plain_text([situation]) == line
    assert plain_text([ODORIKO.situation(table, None, context(lang, me=None))]).startswith(
        line.partition(" · ")[0]
    )


def test_the_table_tells_the_terms_of_a_sale() -> None:
    assert " AUCTION  8♦ J♣ · best 2 by Cho · from 2 (either kind) · sold by Bea" in plain_text(
        ODORIKO.table(auction(best=2, leader=2), context("en"), 80, 13)
    )


@pytest.mark.parametrize(
    ("table", "line"),
    [
        (view(3), "your turn · 2 actions left"),
        (view(3, turn=2, asked=[2]), "Cho's turn · 2 actions left"),
        (
            view(3, phase="midway", asked=[1, 2]),
            "each seat chooses the character it keeps · asked: Bea, Cho",
        ),
        (
            view(
                3,
                asked=[0, 2],
                table={
                    "window": {
                        "window": 1,
                        "name": "j",
                        "round": 1,
                        "candidates": [{"card": "9D", "pile": 1}],
                    }
                },
            ),
            "CHANCE FOR J  9♦ · asked: you, Cho",
        ),
        (
            view(
                3,
                asked=[0],
                table={
                    "window": {
                        "window": 1,
                        "name": "k",
                        "round": 1,
                        "card": "KS",
                        "seat": 1,
                        "target": {"seat": 0, "zone": "song", "card": "9H"},
                    }
                },
            ),
            "ANSWER TO K  K♠ → 9♥",
        ),
        (view(3, outcome={"ranking": [], "reason": "final"}), "the game is over"),
    ],
)
def test_what_the_table_waits_for(table: dict[str, Any], line: str) -> None:
    assert plain_text([ODORIKO.situation(table, action_decision(), context("en"))]) == line


def test_the_menu_shows_the_default_and_what_is_sealed() -> None:
    menu = Menu().updated((action_decision(),), ODORIKO.path)
    shown = menu_body(menu, view(), ODORIKO, context("en"), 80, 6, online=True)
    assert (
        plain_text(shown.lines)
        == """\
❯1 draw from the resource deck           2 draw from the character deck
 3 place…                                4 sell…
 5 discard…                              0 end the turn with 2 actions left
 at 0:00: end the turn with 2 actions left"""
    )


def test_the_shade_hides_what_is_secret() -> None:
    table, shaded = view(), context("en", shade=True)
    assert "4♠" not in plain_text(ODORIKO.own(table, shaded, 80))
    assert "4S" not in plain_text(GENERIC.own(table, shaded, 80))
    drawn: dict[str, Any] = {
        "kind": "card_drawn",
        "seat": 0,
        "deck": "resource",
        "left": 3,
        "card": "4S",
    }
    assert ODORIKO.event(drawn, context("en")) == "Aki draws 4♠ from the resource deck."
    assert "4♠" not in (ODORIKO.event(drawn, shaded) or "")


@pytest.mark.parametrize(
    ("steps", "japanese", "english"),
    [
        ({"kind": "discard", "zone": "hand"}, "手札から捨てる", "discard from the hand"),
        ({"kind": "use_k", "card": "KD"}, "K♦を使う", "use K♦"),
        ({"kind": "use_k", "card": "KD", "seat": 2}, "K♦を使う Cho", "use K♦ Cho"),
        ({"kind": "place_card", "card": "4S"}, "4♠を置く", "place 4♠"),
        ({"seat": 2}, "Cho", "Cho"),
        ({"seat": 2, "zone": "song"}, "Choの歌の場", "Cho: song field"),
        ({"seat": 2, "zone": "song", "card": "6D"}, "Choの歌の場 6♦", "Cho: song field 6♦"),
        ({"kind": "discard"}, "捨てる", "discard"),
        ({"price_kind": "either"}, "資源か特殊と引き換え", "for cards of either kind"),
    ],
)
def test_an_entry_that_leads_on_reads_like_the_sentence_it_begins(
    steps: dict[str, Any], japanese: str, english: str
) -> None:
    group = Node(steps=tuple(Step(key, value) for key, value in steps.items()), children=(Node(),))
    assert ODORIKO.entry(group, view(3), context("ja")) == japanese + "…"
    assert ODORIKO.entry(group, view(3), context("en")) == english + "…"


def test_the_final_ranking() -> None:
    ranking = [
        {"seat": 2, "rank": 1, "score": 12},
        {"seat": 0, "rank": 2, "score": 3},
        {"seat": 1, "rank": 3, "score": -2},
    ]
    table = view(3, outcome={"ranking": ranking, "reason": "final"})
    assert (
        plain_text(ODORIKO.outcome(table, context("en"), 80))
        == " 1.  Cho  12 points\n 2.  Aki   3 points  ← you\n 3.  Bea  −2 points"
    )
    assert (
        plain_text(ODORIKO.outcome(table, context("ja"), 80)).splitlines()[0] == " 1位  Cho  12点"
    )


def test_line_mode_tells_the_table_without_signs() -> None:
    spoken = "\n".join(ODORIKO.spoken(view(2), context("en")))
    assert (
        "Aki (you): 3 VP, hand 2 resource and 1 character cards, decks 11 resource and 10 character, pile 4 (top 4♥), place 1"
        in spoken
    )
    assert not set(spoken) & set("▮▯▶❯")


def test_an_explanation_names_the_rule_and_the_card() -> None:
    menu = Menu().updated((action_decision(),), ODORIKO.path)
    menu, _ = menu.press("3")
    text = "\n".join(ODORIKO.explain(menu.under_cursor(), view(), context("en")))
    assert "OD-42" in text
    assert "Krilkritol, the one who receives" in text
    assert "for each" in text  # what it scores
    assert "King" not in text
    everything_shown = "\n".join(ODORIKO.explain(None, view(), context("ja")))
    assert "イル・アリエル" in everything_shown
    assert "クイーン" not in everything_shown.splitlines()[0]


# --- whole games of odoriko --------------------------------------------------------------------


def some_value(option: Option, rng: random.Random) -> Any:
    match option.value:
        case IntValue(low, high):
            return rng.randint(low, min(high, low + 2))
        case CardsValue(among, low, high):
            return tuple(rng.sample(among, rng.randint(low, high)))
        case OrderValue(of):
            return tuple(rng.sample(of, len(of)))
    return None


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_every_position_of_a_game_fits_and_every_event_is_told(seats: int) -> None:
    rng = random.Random(seats)
    options = GAME.parse_options({})
    deck = GAME.check_deck(options, None)
    step = GAME.setup(options, seats, [deck] * seats, bytes([seats]) * 32)
    ctx = {lang: context(lang, me=0) for lang in LANGUAGES}
    for move in range(400):
        for event in step.events:
            told: Any = to_plain(event)
            for lang in LANGUAGES:
                sentence = ODORIKO.event(told, ctx[lang])
                assert sentence is None or (
                    sentence and "{" not in sentence and "odoriko." not in sentence
                )
        asked = GAME.decisions(step.state)
        if not asked:
            break
        if move % 7 == 0:
            table: Any = to_plain(GAME.view(step.state, SeatId(0)))
            lang = LANGUAGES[move % 2]
            for cells, height in SIZES:
                everything(ODORIKO, table, ctx[lang], cells, height)
            mine = asked.get(SeatId(0))
            if mine is not None:
                menu = Menu().updated((wire_decision(mine),), ODORIKO.path)
                for cells in (80, 20):
                    shown = menu_body(menu, table, ODORIKO, ctx[lang], cells, 6, online=True)
                    assert_fits(list(shown.lines), cells)
        who = rng.choice(sorted(asked))
        option = rng.choice(asked[who].options)
        answer = Answer(asked[who].id, option.id, some_value(option, rng))
        step = GAME.act(step.state, who, answer)
        if not GAME.decisions(step.state) and (waits := GAME.waits(step.state)):
            step = GAME.expire(step.state, waits[0].id)


# --- games never heard of ------------------------------------------------------------------------


def test_a_game_never_heard_of_is_drawn_by_names_and_values() -> None:
    options = OFUDA.parse_options({})
    decks = [OFUDA.check_deck(options, None)] * 3
    state = OFUDA.setup(options, 3, decks, bytes(32)).state
    table: Any = to_plain(OFUDA.view(state, SeatId(0)))
    ctx = context("en", catalog=Catalog.of(OFUDA.catalog()["cards"]))  # type: ignore[arg-type]
    text = plain_text(GENERIC.table(table, ctx, 80, 24))
    for name in NAMES[:3]:
        assert name in text
    assert plain_text(GENERIC.own(table, ctx, 80)).strip()
    for decision in OFUDA.decisions(state).values():
        menu = Menu().updated((wire_decision(decision),), GENERIC.path)
        shown = menu_body(menu, table, GENERIC, ctx, 80, 6, online=True)
        assert "❯" in plain_text(shown.lines)


def test_an_unknown_event_is_told_by_names_and_values() -> None:
    told = GENERIC.event({"kind": "lantern_sold", "seat": 1, "price": 3}, context("en"))
    assert told == "lantern sold: seat Bea, price 3"


JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**53), 2**53),
        st.text(max_size=8),
        st.sampled_from([*HOSTILE, "9D", "KS", "cc001", "cc001#2", "hand", "song"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.dictionaries(
            st.one_of(
                st.text(max_size=6),
                st.sampled_from(
                    [
                        "seat",
                        "card",
                        "song",
                        "dance",
                        "pile",
                        "stack",
                        "auction",
                        "window",
                        "lot",
                        "target",
                        "candidates",
                        "name",
                        "step",
                        "best",
                        "leader",
                        "vp",
                        "rb",
                        "cb",
                        "hand",
                        "deck",
                        "asked",
                        "order",
                        "fc",
                        "kept",
                        "janken",
                        "placing",
                        "group",
                        "queue",
                    ]
                ),
            ),
            inner,
            max_size=6,
        ),
    ),
    max_leaves=25,
)
VIEWS = st.fixed_dictionaries(
    {},
    optional={
        "game": JSON,
        "phase": st.one_of(JSON, st.sampled_from(["order", "turns", "midway", "over"])),
        "turn": st.one_of(st.integers(-2, 7), JSON),
        "seats": st.one_of(
            st.lists(
                st.dictionaries(
                    st.sampled_from(
                        [
                            "seat",
                            "vp",
                            "rb",
                            "cb",
                            "song",
                            "dance",
                            "pile",
                            "bid",
                            "locked",
                            "place",
                            "frozen",
                            "song_tree",
                        ]
                    ),
                    JSON,
                ),
                max_size=8,
            ),
            JSON,
        ),
        "you": JSON,
        "table": st.one_of(
            st.dictionaries(
                st.sampled_from(
                    [
                        "half",
                        "stack",
                        "auction",
                        "window",
                        "janken",
                        "placing",
                        "barren",
                        "removed",
                        "actions_left",
                        "midway_after",
                        "lying",
                        "counted",
                    ]
                ),
                JSON,
            ),
            JSON,
        ),
        "asked": JSON,
        "outcome": JSON,
        "extra": JSON,
    },
)


@pytest.mark.parametrize("painter", [ODORIKO, GENERIC], ids=["odoriko", "generic"])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    table=VIEWS, size=st.sampled_from(SIZES), lang=st.sampled_from(LANGUAGES), shade=st.booleans()
)
def test_any_view_is_drawn_within_the_screen(
    painter: Painter, table: dict[str, Any], size: tuple[int, int], lang: str, shade: bool
) -> None:
    everything(painter, table, context(lang, names=dict(enumerate(HOSTILE)), shade=shade), *size)


@pytest.mark.parametrize("painter", [ODORIKO, GENERIC], ids=["odoriko", "generic"])
@settings(max_examples=60, deadline=None)
@given(
    kind=st.one_of(
        st.text(max_size=8),
        st.sampled_from(
            sorted(
                {
                    "card_drawn",
                    "tally",
                    "cards_discarded",
                    "janken_shown",
                    "card_declared",
                    "vp_changed",
                    "ranked",
                }
            )
        ),
    ),
    event=st.dictionaries(
        st.text(max_size=8)
        | st.sampled_from(["seat", "cards", "card", "terms", "target", "total", "choices"]),
        JSON,
        max_size=5,
    ),
)
def test_any_event_is_told(painter: Painter, kind: str, event: dict[str, Any]) -> None:
    told = painter.event({**event, "kind": kind}, context("en", names=dict(enumerate(HOSTILE))))
    if told is not None:
        assert_fits([(("", told),)], 1_000_000)


def test_the_catalog_keeps_only_what_makes_sense() -> None:
    catalog = Catalog.of(
        {
            "a": {"name": {"en": "A\x1b[1m"}},
            "b": {"name": 3},
            "c": None,
            "d": {"name": {"ja": "歌"}},
        }
    )
    assert sorted(catalog.cards) == ["a", "d"]
    assert catalog.cards["a"].name == {"ja": "A[1m", "en": "A[1m"}
    assert len(Catalog.of(CATALOG["cards"]).cards) == len(CATALOG["cards"])
