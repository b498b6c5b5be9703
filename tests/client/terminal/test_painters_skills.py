"""Skills and events as text: uses and their targets, windows, the stack, marks, what happened."""

from __future__ import annotations

import random
from typing import Any

import pytest
from attrs import evolve
from kaguraden_client.terminal.menu import Menu, Node
from kaguraden_client.terminal.painters import painter_for
from kaguraden_client.terminal.screens.menu_lines import menu_body
from kaguraden_client.terminal.text import line_width, plain_text
from kaguraden_client.terminal.words import Lang
from kaguraden_protocol import messages
from kaguraden_rules.kernel import Answer, SeatId
from kaguraden_rules.plain import to_plain

from .tables import GAME, as_decision, context, lying, seat, view, wire_decision
from .test_painters import assert_fits, everything, some_value
from .test_ui import playing

Json = Any
ODORIKO = painter_for("odoriko")
SIZES = [(80, 24), (120, 40)]


def skill(card: str, zone: str, tail: str = "", **args: Json) -> dict[str, Json]:
    """Return an option that uses a skill, as on the wire."""
    value = args.pop("value", None)
    ident = f"use_skill:{zone}:{card}{tail}"
    told: dict[str, Json] = {"zone": zone, "card": card, **args}
    option: dict[str, Json] = {"id": ident, "kind": "use_skill", "args": told}
    return option if value is None else {**option, "value": value}


def window(kind: str, *options: dict[str, Json]) -> messages.Decision:
    """Return a sealed question with a pass in front."""
    a_pass: dict[str, Json] = {"id": "pass", "kind": "pass", "args": {}}
    told = {"id": "0.9", "kind": kind, "options": [a_pass, *options], "default": "pass"}
    return as_decision({**told, "sealed": True})


def lord_slaying() -> messages.Decision:
    """Return the answers of cc003 to a K of Bea: either Q pays, any card of Bea's is discarded."""
    targets = [("song", "2H"), ("song", "cc002"), ("dance", "10C"), ("dance", "3S")]
    options = [
        skill(
            "cc003",
            "dance",
            f":{queen}:1:{zone}:{card}",
            pays=[{"seat": 0, "zone": "hand", "card": queen}],
            picks=[{"seat": 1, "zone": zone, "card": card}],
        )
        for queen in ("QD", "QH")
        for zone, card in targets
    ]
    queens = [{"id": f"use_q:{q}", "kind": "use_q", "args": {"card": q}} for q in ("QD", "QH")]
    return window("k", *queens, *options)


def entries(menu: Menu, lang: str = "en", cells: int = 80) -> str:
    shown = menu_body(menu, view(3), ODORIKO, context(lang), cells, 9, online=True)
    assert_fits(list(shown.lines), cells)
    return plain_text(shown.lines)


def test_cards_to_tick_say_on_whose_fields_they_lie() -> None:
    def ticked(cards: list[str]) -> str:
        value = {"type": "cards", "from": cards, "min": 1, "max": 2}
        option = {"id": "choose", "kind": "choose", "args": {}, "value": value}
        told = {"id": "0.9", "kind": "pick", "options": [option], "default": "choose"}
        return entries(Menu().updated((as_decision(told),), ODORIKO.path))

    text = ticked(["9H", "2H", "6D"])
    assert "1 [ ] 9♥ (Aki)" in text
    assert "2 [ ] 2♥ (Bea)" in text
    assert "3 [ ] 6♦ (Cho)" in text
    assert "(" not in ticked(["9H", "10D"]).splitlines()[1], "one's own need no name"
    assert "(" not in ticked(["4S", "QD"]).splitlines()[1], "nor do cards of the hand"


def test_the_many_targets_of_a_skill_are_reached_a_few_at_a_time() -> None:
    menu = Menu().updated((lord_slaying(),), ODORIKO.path)
    text = entries(menu)
    assert "1 cancel with Q♦" in text
    assert "3 ‹Krilkritol›'s skill (dance field)…" in text
    menu, _ = menu.press("3")
    assert "1 Q♦ Bea…   2 Q♥ Bea…" in entries(menu)
    menu, _ = menu.press("2")
    assert "1 song field 2♥" not in entries(menu)
    assert "1 song field…   2 dance field…" in entries(menu)
    menu, _ = menu.press("2")
    assert "1 10♣   2 3♠" in entries(menu)
    menu, answer = menu.press("1")
    assert answer is not None
    assert answer.option == "use_skill:dance:cc003:QH:1:dance:10C"
    assert "sent: ‹Krilkritol›'s skill, paying Q♥: Bea's 10♣" in entries(menu)


def one(option: dict[str, Json], lang: str, kind: str = "free") -> str:
    decision = window(kind, option)
    return ODORIKO.sentence(decision, decision.options[1], None, view(3), context(lang))


@pytest.mark.parametrize(
    ("option", "english", "japanese"),
    [
        (skill("cc005", "dance"), "‹Aisha›'s skill", "‹アイーシャ›の特技"),
        (
            skill(
                "cc001", "song", ":0:song:9H", pays=[{"seat": 0, "zone": "song", "card": "9H"}]
            ),
            "‹Il Ariel›'s skill, paying 9♥",
            "‹イル・アリエル›の特技（9♥を消費）",
        ),
        (
            skill(
                "cc007",
                "song",
                ":1:dance:10C",
                picks=[
                    {
                        "seat": 1,
                        "zone": "dance",
                        "card": "10C",
                        "to": {"seat": 0, "zone": "dance"},
                    }
                ],
            ),
            "‹Crownsazer›'s skill: Bea's 10♣",
            "‹クラウンセイザー›の特技: Beaの10♣",
        ),
        (
            skill(
                "cc009",
                "dance",
                list="picks",
                value={"type": "cards", "from": ["6C>1", "6C>2"], "min": 0, "max": 1},
            ),
            "‹Hypstrinik›'s skill: cards of your choice",
            "‹ヒプストリニク›の特技: 選ぶ札",
        ),
        (
            {"id": "choose:1:song", "kind": "choose", "args": {"picks": [{"seat": 1, "zone": "song"}]}},
            "Bea's song field",
            "Beaの歌の場",
        ),
        ({"id": "choose:2", "kind": "choose", "args": {"picks": [{"seat": 2}]}}, "Cho", "Cho"),
        ({"id": "choose", "kind": "choose", "args": {}}, "nothing", "何も選ばない"),
        (
            {
                "id": "choose:0:pile:4S",
                "kind": "choose",
                "args": {"picks": [{"seat": 0, "zone": "pile", "card": "4S"}]},
            },
            "4♠ in the pile",
            "捨て札の4♠",
        ),
        (
            {
                "id": "choose:1",
                "kind": "choose",
                "args": {"whose": 1, "list": "picks"},
                "value": {"type": "cards", "from": ["2H", "10C"], "min": 0, "max": 2},
            },
            "Bea's cards of your choice",
            "Beaの選ぶ札",
        ),
        (
            {"id": "use_event:ev_shimo", "kind": "use_event", "args": {"card": "ev_shimo"}},
            "play ‹Gate of Frost›",
            "‹霜の門›を使う",
        ),
    ],
)  # fmt: skip
def test_a_use_is_told_with_what_it_pays_and_picks(
    option: dict[str, Json], english: str, japanese: str
) -> None:
    assert one(option, "en") == english
    assert one(option, "ja") == japanese


def test_a_card_that_may_go_to_several_fields_is_ticked_for_one_of_them() -> None:
    cards = ["6C>1", "6C>2", "cc003>1:song", "cc003>1:dance"]
    value: Json = {"type": "cards", "from": cards, "min": 0, "max": 2}
    decision = window("free", skill("cc009", "dance", list="picks", value=value))
    menu, _ = Menu().updated((decision,), ODORIKO.path).press("1")
    assert "1 [ ] 6♣ → Bea" in entries(menu)
    assert "4 [ ] ‹Krilkritol› → Bea's dance field" in entries(menu)
    menu, _ = menu.press("1")
    menu, _ = menu.press("4")
    menu, _ = menu.press("2")
    assert "[x] 6♣ → Cho" in entries(menu)
    assert "[ ] 6♣ → Bea" in entries(menu)
    assert "1 [x] 6♣ → Bea" not in entries(menu)
    menu, answer = menu.press("enter")
    assert answer is not None
    assert answer.value == ("cc003>1:dance", "6C>2")
    text = entries(menu, "ja")
    assert "送信: ‹ヒプストリニク›の特技: ‹クリルクリトル› → Beaの踊りの場、6♣ → Cho" in text


def test_a_free_skill_that_names_nothing_is_asked_about_again() -> None:
    nothing = skill("cc006", "song", free=True)
    something = skill("cc006", "song", ":x", free=True, picks=[{"seat": 1}])
    decision = window("action", nothing, something, skill("cc005", "dance"))
    asks = [ODORIKO.careful(view(3), decision, option) for option in decision.options[1:]]
    assert asks == [True, False, False]


def test_a_choice_by_lot_is_told_for_the_end_of_the_time() -> None:
    fields = [(s, z) for s in range(3) for z in ("song", "dance")]
    options = [
        {
            "id": f"choose:{s}:{z}",
            "kind": "choose",
            "args": {"picks": [{"seat": s, "zone": z}]},
        }
        for s, z in fields
    ]
    plain = {"id": "0.9", "kind": "pick", "options": options, "default": "choose:0:song"}
    menu = Menu().updated((as_decision(plain),), ODORIKO.path)
    assert "at 0:00: chosen by lot" in entries(menu)
    assert "時間切れ: くじで選ぶ" in entries(menu, "ja")
    menu, answer = menu.press("4")
    if answer is None:  # grouped by seat
        menu, answer = menu.press("1")
    assert answer is not None


# --- the table ----------------------------------------------------------------------------------

USES = [
    {
        "card": "KD",
        "seat": 1,
        "target": {"seat": 0, "zone": "song", "card": "cc001"},
        "redirected": {"seat": 0, "zone": "dance", "card": "cc004"},
    },
    {"card": "cc003", "seat": 2, "skill": True},
]
SHOWN = [{"card": "ev_makuake", "seat": 0, "shown": ["4C", "QC", "KH"], "cancelled": True}]


@pytest.mark.parametrize(
    ("lang", "stack", "line"),
    [
        (
            "en",
            USES,
            " in play K♦ by Bea → ‹Il Ariel› (Aki's song field), ‹Annie› in its place  ‹ ‹Krilkritol›'s skill by Cho",
        ),
        (
            "ja",
            USES,
            " 使用中 K♦（Bea） → ‹イル・アリエル›（Akiの歌の場）、代わりに‹アニー›  ‹ ‹クリルクリトル›の特技（Cho）",
        ),
        ("en", SHOWN, " in play ‹Spring Curtain› by Aki shows 4♣ Q♣ K♥ (cancelled)"),
        ("ja", SHOWN, " 使用中 ‹春の幕開け›（Aki） 公開 4♣ Q♣ K♥（打消）"),
    ],
)
def test_the_stack_tells_skills_events_and_what_became_of_them(
    lang: str, stack: list[dict[str, Json]], line: str
) -> None:
    lines = plain_text(ODORIKO.table(view(3, table={"stack": stack}), context(lang), 200, 24))
    assert lines.splitlines()[1] == line


def test_marks_are_told_in_words_and_by_signs_where_there_is_no_room() -> None:
    table = view(3)
    table["seats"][0] = seat(
        0,
        song=[lying("cc001", fc=True, sheltered=True), lying("9H")],
        dance=[lying("cc002", kept=True, spent=True)],
        frozen=["dance"],
    )
    text = plain_text(ODORIKO.table(table, context("en"), 80, 13))
    assert "‹Il Ariel ★FC △veiled› 9♥" in text
    assert "frozen ‹Romage ◆kept ×used›" in text
    text = plain_text(ODORIKO.table(table, context("ja"), 80, 5))
    assert "‹イル・アリエル★△›" in text
    assert "霜 ‹ロマージュ◆×›" in text


TRIGGER = {"discarded": [{"card": "cc004", "pile": 1, "source": "song"}]}
EVENT = {"card": "ev_geshi", "seat": 1}
FIELD = {"seat": 2, "zone": "song", "card": "cc006"}


@pytest.mark.parametrize(
    ("name", "told", "english", "japanese"),
    [
        ("event", EVENT, "ANSWER TO EVENT  ‹Midsummer Round› by Bea", "イベントへの応答  ‹夏至の輪舞›（Bea）"),
        ("trigger", TRIGGER, "CHANCE FOR A SKILL  ‹Annie›", "特技の機会  ‹アニー›"),
        ("free", {}, "SKILLS FOR ANY TIME", "いつでも使える特技"),
        (
            "k",
            {"card": "KS", "seat": 1, "target": FIELD, "redirected": {**FIELD, "card": "cc004"}},
            "ANSWER TO K  K♠ → Cho's ‹Annie›",
            "Kへの応答  K♠ → Choの‹アニー›",
        ),
    ],
)  # fmt: skip
def test_a_window_says_what_may_be_answered(
    name: str, told: dict[str, Json], english: str, japanese: str
) -> None:
    table = view(3, asked=[0], table={"window": {"window": 1, "name": name, "round": 1, **told}})
    decision = window(name, skill("cc006", "song"))
    for lang, text in (("en", english), ("ja", japanese)):
        assert plain_text([ODORIKO.situation(table, decision, context(lang))]) == text


def test_a_choice_says_for_which_card_it_is() -> None:
    table = view(3, asked=[1, 2], table={"picking": {"seat": 1, "card": "ev_geshi"}})
    line = plain_text([ODORIKO.situation(table, None, context("en"))])
    assert line == "CHOICE FOR  ‹Midsummer Round› by Bea · asked: Bea, Cho"


def test_an_own_sealed_answer_is_told_in_words() -> None:
    table = view(3)
    table["you"]["answered"] = {"kind": "k", "option": "use_skill:dance:cc003:QD:1:song:cc002"}
    text = plain_text(ODORIKO.own(table, context("en"), 100))
    assert "your sealed answer: ‹Krilkritol›'s skill: Q♦ Bea song field ‹Romage›" in text
    table["you"]["answered"] = {"kind": "free", "option": "use_skill:dance:cc003"}
    text = plain_text(ODORIKO.own(table, context("ja"), 100))
    assert "あなたの答え: ‹クリルクリトル›の特技（伏せてあります）" in text
    table["you"]["answered"] = {"kind": "keep", "option": "keep_character:dance:cc003"}
    text = plain_text(ODORIKO.own(table, context("en"), 100))
    assert "your sealed answer: keep ‹Krilkritol› on the dance field" in text
    table["you"]["answered"] = {"kind": "free", "option": "use_skill:song:cc009", "value": ["6C>1"]}
    assert "6♣ → Bea" in plain_text(ODORIKO.own(table, context("ja"), 100))


def test_the_explanation_has_the_texts_of_the_skill_and_of_what_it_answers() -> None:
    menu = Menu().updated((window("event", skill("cc001", "song")),), ODORIKO.path)
    told = {"window": 1, "name": "event", "round": 1, "card": "ev_geshi", "seat": 1}
    table = view(3, table={"window": told})
    text = "\n".join(ODORIKO.explain(menu.under_cursor(), table, context("en")))
    assert "OD-45" in text
    assert "Mad Tea Party: When an event card is declared" in text
    assert "Every seat that holds cards of a resource deck secretly chooses one" in text
    picked = window("free", skill("cc007", "song", picks=[{"seat": 1, "zone": "song", "card": "cc002#2"}]))  # fmt: skip
    node = Node(ODORIKO.path(picked, picked.options[1]), (), picked, picked.options[1])
    assert "幻想の守り" in "\n".join(ODORIKO.explain(node, view(3), context("ja")))


@pytest.mark.parametrize(
    ("event", "english"),
    [
        (
            {"kind": "hand_shown", "viewer": 0, "seat": 1, "cards": ["4S"]},
            "Aki looks at Bea's hand: 4♠.",
        ),
        ({"kind": "hand_shown", "viewer": 0, "seat": 1}, "Aki looks at Bea's hand."),
        (
            {"kind": "hand_passed", "giver": 2, "receiver": 0, "resource": 1, "character": 0},
            "Cho passes a card to Aki.",
        ),
        (
            {
                "kind": "hand_passed",
                "giver": 2,
                "receiver": 0,
                "resource": 1,
                "character": 0,
                "cards": ["4S"],
            },
            "Cho passes 4♠ to Aki.",
        ),
        (
            {
                "kind": "cards_taken",
                "seat": 1,
                "cards": [{"card": "7H", "seat": 1, "zone": "pile"}],
            },
            "Bea takes 7♥ into hand.",
        ),
        (
            {
                "kind": "card_placed",
                "by": 1,
                "seat": 1,
                "zone": "song",
                "card": "7H",
                "source": "pile",
                "owner": 2,
            },
            "Bea places 7♥ on the song field (from Cho's pile).",
        ),
        (
            {"kind": "vp_changed", "seat": 0, "delta": -1, "total": -2, "cause": "cost"},
            "Aki pays: −1, now −2 VP.",
        ),
        (
            {"kind": "mark_set", "mark": "frozen", "seat": 1, "zone": "song", "by": 0},
            "Aki freezes Bea's song field: no card enters it until Aki's next turn.",
        ),
        ({"kind": "actions_capped", "seat": 0, "cap": 12}, "A turn has no more than 12 actions."),
        ({"kind": "skill_resolved", "seat": 0, "card": "cc001"}, None),
        ({"kind": "pick_opened", "seat": 0, "card": "ev_shimo", "asked": [0]}, None),
    ],
)
def test_what_happened_is_told(event: dict[str, Json], english: str | None) -> None:
    assert ODORIKO.event(event, context("en")) == english
    assert (ODORIKO.event(event, context("ja")) is None) == (english is None)


def test_the_shade_hides_cards_that_were_seen_or_passed() -> None:
    shaded = context("en", shade=True)
    events: tuple[dict[str, Json], ...] = (
        {"kind": "hand_shown", "viewer": 0, "seat": 1, "cards": ["4S"]},
        {"kind": "hand_passed", "giver": 0, "receiver": 1, "resource": 1, "cards": ["4S"]},
    )
    for event in events:
        assert "4♠" not in (ODORIKO.event(event, shaded) or "4♠")


# --- whole screens -------------------------------------------------------------------------------


@pytest.mark.parametrize(("columns", "lines"), SIZES)
@pytest.mark.parametrize("lang", list(Lang))
def test_a_screen_with_a_window_a_stack_and_marks(lang: Lang, columns: int, lines: int) -> None:
    told = {"window": 4, "name": "k", "round": 1, "card": "KD", "seat": 1, "target": FIELD}
    player = playing(
        lord_slaying(),
        view={"turn": 1, "asked": [0], "table": {"window": told, "stack": USES}},
        events=[{"kind": "skill_declared", "seat": 2, "zone": "song", "card": "cc003", "action": False}],
    )  # fmt: skip
    player.ui.lang = lang
    screen = player.screen(columns, lines)
    wanted = {
        Lang.EN: ("in play K♦ by Bea", "ANSWER TO K  K♦ → Cho's ‹Heliodia›", "Krilkritol",
                  "3 ‹Krilkritol›'s skill (dance field)…", "0 pass", "Cho uses ‹Krilkritol›'s skill."),
        Lang.JA: ("使用中 K♦（Bea）", "Kへの応答  K♦ → Choの‹ヘリオーディア›", "クリルクリトル",
                  "3 ‹クリルクリトル›の特技（踊りの場）…", "0 見送る", "Cho: ‹クリルクリトル›の特技。"),
    }[lang]  # fmt: skip
    for text in wanted:
        assert text in screen, screen
    player.press("down", "down", "?")
    page = player.screen(columns, lines)
    assert ("Lord-Slaying" if lang is Lang.EN else "主殺し") in page


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_games_full_of_skills_fit_and_are_told(seats: int) -> None:
    rng = random.Random(seats)
    options = GAME.parse_options({"bid_max": 1, "max_copies_event": 12, "fc_succession": "next"})
    events = [card for card in GAME.cards if card.startswith("ev_")]
    characters = [card for card in GAME.cards if card.startswith("cc")]
    liked = {"use_skill", "use_event", "choose", "place_character", "place_resource"}
    told: set[str] = set()
    for game in range(3):
        decks = [
            GAME.check_deck(options, (*rng.sample(characters, 6), *rng.sample(events, 6)))
            for _ in range(seats)
        ]
        step = GAME.setup(options, seats, decks, bytes([seats, game]) * 16)
        for _ in range(250):
            for event in step.events:
                plain: Json = to_plain(event)
                told.add(plain["kind"])
                for lang in ("ja", "en"):
                    sentence = ODORIKO.event(plain, context(lang))
                    assert sentence is None or ("{" not in sentence and "odoriko." not in sentence)
            asked = GAME.decisions(step.state)
            if not asked:
                waits = GAME.waits(step.state)
                if not waits:
                    break
                step = GAME.expire(step.state, waits[0].id)
                continue
            who = rng.choice(sorted(asked))
            table: Json = to_plain(GAME.view(step.state, who))
            uses = [o for o in asked[who].options if o.kind in liked]
            if table["table"]["stack"] or any(o.kind == "use_skill" for o in uses):
                look(table, wire_decision(asked[who]), who, rng)
            option = rng.choice(uses if uses and rng.random() < 0.8 else asked[who].options)
            answer = Answer(asked[who].id, option.id, some_value(option, rng))
            step = GAME.act(step.state, who, answer)
    assert {"skill_declared", "skill_resolved", "pick_opened"} <= told


def look(table: dict[str, Json], decision: messages.Decision, who: SeatId, rng: random.Random) -> None:  # fmt: skip
    """Check that a position and every entry of its menu fit at both sizes."""
    ctx = context(rng.choice(["ja", "en"]), me=who)
    cells, height = rng.choice(SIZES)
    everything(ODORIKO, table, ctx, cells, height)
    menu = Menu().updated((decision,), ODORIKO.path)
    for at in range(len(menu.ordered())):
        inner, _ = evolve(menu, at=at).press("enter")
        shown = menu_body(inner, table, ODORIKO, ctx, cells, 9, online=True)
        assert_fits(list(shown.lines), cells)
        text = plain_text(shown.lines)
        assert not {"{", "}", "_"} & set(text), text
        assert ODORIKO.explain(inner.under_cursor(), table, ctx)
        assert all(line_width(line) <= cells for line in shown.lines)
