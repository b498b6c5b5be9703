"""yumeochi as text: the table in every size, choices, events, the end, in both languages."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from kaguraden_client.terminal.menu import Answer, Menu
from kaguraden_client.terminal.painters import Catalog, painter_for
from kaguraden_client.terminal.painters.yumeochi_board import board_of
from kaguraden_client.terminal.painters.yumeochi_events import SENTENCES
from kaguraden_client.terminal.painters.yumeochi_rules import card_rules
from kaguraden_client.terminal.screens.menu_lines import menu_body
from kaguraden_client.terminal.text import line_text, line_width, plain_text
from kaguraden_client.terminal.words import Lang
from kaguraden_rules.kernel import CardId, Event, SeatId
from kaguraden_rules.plain import to_plain
from kaguraden_rules.yumeochi import events
from kaguraden_rules.yumeochi.catalog import catalog
from kaguraden_rules.yumeochi.options import parse_options
from kaguraden_rules.yumeochi.reading import read_set
from kaguraden_rules.yumeochi.sets import SETS

from tests.rules.yumeochi_positions import A, B, C, D, Table, at_turn, seat

from .tables import as_decision
from .yumeochi_tables import CATALOG, TOLD, begun, context, decision_of, events_of, view_of

Json = Any
PAINTER = painter_for("yumeochi")
SETS_FOLDER = Path(__file__).parents[2] / "rules" / "yumeochi_sets"
SIZES = [(80, 13), (80, 9), (120, 30), (100, 19), (60, 13), (40, 12), (30, 6), (20, 3), (9, 2), (2, 1)]  # fmt: skip
LANGS = ["ja", "en"]


def busy(**more: Any) -> Table:
    """Return a table in the middle of things: A asked, B face up, D dead."""
    return at_turn(
        seat("gentleman", "keyhole lullaby*", items="stopped_watch alarm_clock", life=3),
        seat("night_raven", "sleight", stock="cracked_mirror", life=4, up=True, skip=True),
        seat("moon_hare", "naming*", items="dew_umbrella", life=1, protected=True),
        seat("mainspring_maker", dead=True),
        hour=8,
        opened="crow_flock",
        start=C,
        **more,
    )


def table(at: Table, lang: str = "en", me: int | None = 0, w: int = 80, h: int = 13, **k: Any) -> str:  # fmt: skip
    return plain_text(PAINTER.table(view_of(at, me), context(lang, me, **k), w, h))


def own(at: Table, lang: str = "en", me: int = 0, w: int = 80, **k: Any) -> str:
    return plain_text(PAINTER.own(view_of(at, me), context(lang, me, **k), w))


def menu(at: Table, seat: int = 0) -> Menu:
    return Menu().updated([decision_of(at, seat)], PAINTER.path, "", PAINTER.slot, PAINTER.shy)


def told(at: Table, keys: str = "", lang: str = "en", seat: int = 0) -> dict[str, str]:
    """Return the entries of the menu by their digits, after some keys."""
    now, _ = press(at, keys, seat)
    ctx, view = context(lang, seat), view_of(at, seat)
    return {e.digit: PAINTER.entry(e.node, view, ctx) for e in now.entries()}


def press(at: Table, keys: str, seat: int = 0) -> tuple[Menu, Answer | None]:
    """Press keys on the menu as the room does; a line break is Enter."""
    now, answer = menu(at, seat), None
    view, ctx = view_of(at, seat), context("en", seat)
    for key in keys:
        now, answer = now.press(
            "enter" if key == "\n" else key,
            lambda d, o: bool(PAINTER.warning(view, d, o, ctx)),
        )
    return now, answer


def log(at: Table, lang: str = "en", me: int | None = 0, since: int = 0, **k: Any) -> list[str]:
    """Return the sentences of what happened, as a viewer is told."""
    ctx = context(lang, me, **k)
    found = (PAINTER.event(event, ctx) for event in events_of(at, me, since))
    return [text for text in found if text]


# --- the table -----------------------------------------------------------------------------------


def test_the_clock_is_a_circle_beside_the_seats() -> None:
    """YU-7, YU-106: 12 at the top, 6 at the bottom, both sideways; opened cards by their names."""
    assert table(busy(), "ja") == "\n".join(
        [
            "                ▬12               │❯ ◎Aki  ♥♥♥♡♡ 3  ☆4  開3",
            "          11▮        ▯ 1 止まった…│    役 ? · 技 子守唄 ▮",
            "        10▮            ▯ 2 目覚ま…│    品 止まった懐中時計☆3 目覚まし時計☆1",
            "        9▮     8時      ▯ 3 割れ… │   Bea  ♥♥♥♥♡ 4  ☆5  開1  休み",
            "         8▮❮           ▯ 4 夜露の…│    役 夜鴉 · 技 ▮",
            "           7▮        ▯ 5 鴉の群れ │    蔵 割れた鏡☆5",
            "                ▬ 6               │ ◆ Cho  ♥♡♡♡♡ 1  ☆0  開1  守り",
            " 順番 ❯Aki › Bea › Cho › †Dai     │    役 ? · 技 名指し",
            " 捨て札 鴉の群れ（Aki）           │    品 夜露の傘",
            " 余ったスキル 1枚（伏せ）         │†  Dai  ♡♡♡♡♡ 0  ☆0  開0  死亡",
            " 除外 伏せたまま1枚               │    役 ぜんまい師 · 技 —",
            "                                  │    —",
        ]
    )


def test_a_wide_circle_says_who_opened_a_card_and_where_it_went() -> None:
    text = table(busy(), w=120, h=19)
    for piece in (
        "1 Stopped Watch Aki→item",
        "3 Cracked Mirror Bea",
        "5 Flock of Crows Aki",
        "▬12",
        "▬ 6",
    ):
        assert piece in text


def test_a_narrow_terminal_has_a_row_of_hours() -> None:
    lines = table(busy(), w=60, h=20).splitlines()
    assert lines[0] == " 1▯ 2▯ 3▯ 4▯ 5▯ 6▬ 7▮ [8▮] 9▮ 10▮ 11▮ 12▬"
    assert "3 Cracked Mirror (Bea, stock)" in " ".join(lines[1:4]).replace("\n", " ")
    assert table(busy(), w=20, h=3).splitlines()[0] == "8h ▯▯▯▯▯▬▮▮▮▮▮▬"


def test_the_smallest_form_still_has_all_seats() -> None:
    assert table(busy(), w=40, h=2).splitlines() == [
        "❯ ◎Aki ♥3 ☆4     Bea ♥4 ☆5   ◆ Cho ♥1 ☆0",
        "†  Dai ♥0 ☆0",
    ]
    assert table(busy(), w=40, h=3).splitlines()[0].startswith(" 1▯2▯")


def test_markers_turn_death_and_marks_are_told_by_signs_and_words() -> None:
    """YU-23, YU-91: the start and origin markers have signs of their own, nothing hangs on colour."""
    text = table(busy(), w=60, h=20)
    assert "❯ ◎Aki  ♥♥♥♡♡ 3  ☆4  opened 3" in text
    assert " ◆ Cho  ♥♡♡♡♡ 1  ☆0  opened 1  protected" in text
    assert "   Bea  ♥♥♥♥♡ 4  ☆5  opened 1  skip" in text
    assert "†  Dai  ♡♡♡♡♡ 0  ☆0  opened 0  dead" in text
    assert "role Night Raven · skill ▮ · stock Cracked Mirror☆5" in text
    assert "offline" in table(busy(), w=60, h=20, away=frozenset([2]))


def test_who_has_acted_stands_in_the_order_and_at_the_seats() -> None:
    """YU-24."""
    at = at_turn(start=B, origin=C, hour=2).passes(C)
    text = table(at)
    assert "order ✓Cho › ❯Dai › Aki › Bea" in text
    assert "✓ ◎Cho" in text


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(("w", "h"), SIZES)
def test_every_size_has_whole_lines(lang: str, w: int, h: int) -> None:
    for at in (busy(), at_turn()):
        for me in (0, 3, None):
            lines = PAINTER.table(view_of(at, me), context(lang, me), w, h)
            assert len(lines) <= max(2, h)
            assert all(line_width(line) <= w for line in lines)


@pytest.mark.parametrize("lang", LANGS)
def test_all_four_seats_and_the_clock_fit_80_by_24(lang: str) -> None:
    """13 lines are what the room leaves the table there."""
    text = table(busy(), lang)
    assert len(text.splitlines()) <= 13
    assert all(name in text for name in ("Aki", "Bea", "Cho", "Dai"))
    assert all(f"{hour}" in text for hour in range(1, 13))


def test_the_bar_between_clock_and_seats_is_straight() -> None:
    """Wide characters are measured: the seats begin at the same cell in each line."""
    for lang in LANGS:
        lines = PAINTER.table(view_of(busy()), context(lang), 80, 13)
        cells = {line_width(line[: [t for _, t in line].index("│")]) for line in lines}
        assert cells == {34}


def test_an_open_offer_is_on_the_table_without_the_hidden_card() -> None:
    """YU-43, YU-106: who offers what to whom; of a face-down card only that it is one."""
    at = at_turn(seat("gentleman", "keyhole"), seat("moon_hare", "lullaby*")).act(
        A, "exchange:1:keyhole"
    )
    left = " ".join(line.split("│")[0].strip() for line in table(at, me=2).splitlines())
    assert "offer Aki offers a face-down skill to Bea" in left
    situation = PAINTER.situation(view_of(at, 2), None, context(me=2))
    assert line_text(situation) == "waiting for Bea: Aki offers a face-down skill in exchange"
    at = at_turn(seat("gentleman", "keyhole*"), seat("moon_hare", "lullaby")).act(
        A, "exchange:1:keyhole"
    )
    assert "Keyhole" in line_text(PAINTER.situation(view_of(at, 2), None, context(me=2)))


# --- what the viewer alone knows ---------------------------------------------------------------


def test_each_own_card_is_told_with_who_knows_it() -> None:
    """YU-13, YU-14."""
    assert own(busy()) == (
        " you  role English Gentleman (secret)  skill Keyhole (secret), Lullaby (open)"
    )
    assert own(busy(), me=1) == " you  role Night Raven (open)  skill Sleight (secret)"


def test_a_skill_from_an_exchange_is_known_to_its_giver() -> None:
    """YU-43: the giver knows the card, and what was given stays told."""
    at = at_turn(seat("gentleman", "keyhole"), seat("moon_hare", "lullaby"))
    at.act(A, "exchange:1:keyhole").act(B, "agree:lullaby")
    text = own(at)
    assert "skill Lullaby (Bea knows it)" in text
    assert "you alone saw  gave Bea Keyhole for Lullaby" in text
    assert "Lullaby" not in own(at, me=2)


def test_what_was_seen_is_told_until_all_have_seen_it() -> None:
    """YU-107, S-8."""
    at = at_turn(
        seat("gentleman", "keyhole"), hour=2, clock={2: "cracked_mirror", 3: "dew_umbrella"}
    )
    at.act(A, at.options(A, "use:keyhole")[0])
    assert "2 o'clock is Cracked Mirror" in own(at)
    assert "3 o'clock is Night-dew Umbrella" in own(at)
    at.act(A, "yes")
    assert "2 o'clock" not in own(at)
    assert "3 o'clock is Night-dew Umbrella" in own(at)


def test_skills_of_the_rabbit_are_locked_until_the_next_phase() -> None:
    """YU-60."""
    at = at_turn(
        seat("gentleman", "keyhole", items="rabbit_figurine"),
        seat(skills="sleight"),
        seat(skills="naming"),
        seat(skills="hand_shadow"),
        hour=7,
    )
    (use,) = at.options(A, "use:rabbit_figurine")
    at.act(A, use)
    assert "Crow's Talon (secret, usable next phase)" in own(at, w=200)
    assert "Crow's Talon" not in table(at, me=1)


def test_the_shade_hides_what_the_viewer_alone_knows() -> None:
    at = busy()
    assert own(at, shade=True).strip() == "your cards are hidden (F9 shows them)"
    dealt = [e for e in events_of(begun(), 0) if e["kind"] == "dealt"]
    assert PAINTER.event(dealt[0], context(shade=True)) is None


# --- choices -------------------------------------------------------------------------------------


def test_actions_keep_their_digits() -> None:
    """YU-29 to YU-47: open 1, use 2, marker 3, give 4, exchange 5, role 6, pass 0."""
    assert told(busy()) == {
        "1": "open 8 o'clock",
        "2": "use…",
        "3": "take the start marker",
        "4": "give…",
        "5": "exchange…",
        "0": "pass",
    }
    holder = at_turn(seat("gentleman", "naming"), hour=3, start=A)
    assert told(holder)["6"] == "role: Afternoon Tea…"
    assert "3" not in told(holder)
    assert "4" not in told(holder)


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        ("2", {"1": "Keyhole", "2": "Lullaby…", "3": "Stopped Watch…"}),
        ("22", {"1": "Aki (you)", "2": "Bea", "3": "Cho"}),
        ("4", {"1": "Stopped Watch…", "2": "Alarm Clock…"}),
        ("41", {"1": "Bea", "2": "Cho"}),
        ("5", {"1": "Bea…", "2": "Cho…"}),
        ("51", {"1": "giving Keyhole", "2": "giving Lullaby"}),
    ],
)
def test_choices_are_made_one_after_the_other(keys: str, wanted: dict[str, str]) -> None:
    """Card, then target."""
    assert told(busy(), keys) == wanted


def test_keys_send_what_they_say() -> None:
    at = busy()
    _, answer = press(at, "223")
    assert answer is not None
    option = next(o for o in decision_of(at).options if o.id == answer.option)
    assert option.args["card"] == "lullaby"
    assert option.args["seat"] == 2
    view, ctx = view_of(at), context("ja")
    decision = decision_of(at)
    assert PAINTER.sentence(decision, option, None, view, ctx) == "子守唄を使う → Cho"


def test_naming_goes_by_seat_and_role() -> None:
    """S-30: the candidates are roles that are face up nowhere, the own one as a bluff too."""
    at = at_turn(seat("gentleman", "naming"), seat("moon_hare", up=True), hour=2)
    assert told(at, "2") == {"1": "Cho…", "2": "Dai…"}
    assert told(at, "21") == {
        "1": "as English Gentleman",
        "2": "as Night Raven",
        "3": "as Mainspring Maker",
    }


def test_showing_the_own_role_asks_first() -> None:
    """YU-47, YU-92: the Gentleman's victory needs the face-down card."""
    at = at_turn(seat("gentleman", "keyhole"), hour=3)
    now, answer = press(at, "61")
    assert answer is None
    shown = plain_text(menu_body(now, view_of(at), PAINTER, context(), 80, 6, online=True).lines)
    assert "your first victory needs it face down" in shown
    _, answer = press(at, "61\n")
    assert answer is not None
    raven = at_turn(seat("night_raven", "keyhole"), hour=9)
    option = next(o for o in decision_of(raven).options if o.kind == "action")
    warning = PAINTER.warning(view_of(raven), decision_of(raven), option, context())
    assert "everybody will know" in warning
    face_up = at_turn(seat("night_raven", "keyhole", up=True), hour=9)
    assert not PAINTER.warning(view_of(face_up), decision_of(face_up), option, context())


def test_what_may_kill_oneself_asks_first() -> None:
    """YU-63, S-30: a wrong name costs a life."""
    at = at_turn(seat("gentleman", "naming", life=1), hour=2)
    _, answer = press(at, "211")
    assert answer is None
    safe = at_turn(seat("gentleman", "naming", life=2), hour=2)
    _, answer = press(safe, "211")
    assert answer is not None


def test_enter_alone_agrees_to_nothing() -> None:
    """DP-2."""
    at = at_turn(seat("gentleman", "keyhole"), seat("moon_hare", "lullaby"))
    at.act(A, "exchange:1:keyhole")
    _, answer = press(at, "\n", B)
    assert answer is not None
    assert answer.option == "refuse"
    assert told(at, seat=B) == {"1": "agree, giving Lullaby", "0": "refuse"}


def test_follow_ups_are_asked_in_words() -> None:
    """DP-3, DP-4."""
    at = at_turn(seat("gentleman", "keyhole"), hour=2, clock={2: "reversed_dial"})
    at.act(A, "open")
    ctx = context()
    assert line_text(PAINTER.situation(view_of(at), decision_of(at), ctx)) == (
        "Who gets the start marker?"
    )
    assert set(told(at).values()) == {"Aki (you)", "Bea", "Cho", "Dai"}
    assert "under way Aki: Reversed Dial" in table(at, me=1)
    at = at_turn(seat("gentleman", "hand_shadow"), hour=2)
    at.act(A, at.options(A, "use:")[0])
    assert told(at) == {"1": "yes", "0": "no"}


@pytest.mark.parametrize("lang", LANGS)
def test_every_option_of_random_games_is_told_in_words(lang: str) -> None:
    """Nothing of the wire is left in a sentence or an entry: no id, no underscore."""
    rng = random.Random(5)
    for n in range(3):
        at = begun(rng.randbytes(32), replay="off", roles=["dream_eater"] if n else [])
        ctx = context(lang)
        while (asked := dict(at.decisions)) and len(at.events) < 600:
            who, decision = rng.choice(list(asked.items()))
            wired, view = decision_of(at, who), view_of(at, who)
            mine = context(lang, who)
            for option in wired.options:
                text = PAINTER.sentence(wired, option, None, view, mine)
                assert text
                assert "_" not in text
                assert "?" not in text
            assert line_text(PAINTER.situation(view, wired, mine))
            at.act(who, rng.choice(decision.options).id)
        for me in (0, None):
            assert all("_" not in text for text in log(at, lang, me))
            outcome = plain_text(PAINTER.outcome(view_of(at, me), ctx, 80))
            assert "_" not in outcome
            assert outcome or at.result is None


# --- explaining ----------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_a_choice_is_explained_with_its_card_and_rule(lang: str) -> None:
    at, ctx = busy(), context(lang)
    for digit, rule in {"1": "YU-29", "2": "YU-33", "3": "YU-37", "4": "YU-39", "5": "YU-41", "0": "YU-46"}.items():  # fmt: skip
        entry = next(e for e in menu(at).entries() if e.digit == digit)
        assert rule in PAINTER.explain(entry.node, view_of(at), ctx)[0]
    now, _ = press(at, "2")
    lines = PAINTER.explain(now.entries()[1].node, view_of(at), ctx)
    lullaby = CATALOG.cards["lullaby"]
    assert lullaby.text[ctx.lang] in lines


def test_what_cannot_be_done_is_told_with_its_reason() -> None:
    """YU-30, YU-35, YU-36, YU-38, YU-39, YU-44, YU-48: whoever misses an action learns why."""
    at = at_turn(
        seat("gentleman", "keyhole* sleight naming*", life=3),
        hour=8,
        clock={8: "crow_flock*"},
        used=(CardId("naming"),),
        start=A,
    )
    at.act(A, "exchange:1:sleight").act(B, "refuse")
    passing = next(e.node for e in menu(at).entries() if e.digit == "0")
    lines = PAINTER.explain(passing, view_of(at), context())
    first = lines.index("What you cannot do now:")
    assert lines[first + 1 : lines.index("", first)] == [
        "· open: this hour's card is open already (YU-30)",
        "· use Sleight: its condition does not hold, or there is nothing to choose "
        "(choose another player, an item of that player, an item of yours)",
        "· use Keyhole: its condition does not hold, or there is nothing to choose "
        "(the current card is face down)",
        "· use Naming: it was used this hour already (YU-35)",
        "· take the start marker: you hold it (YU-38)",
        "· give: you have no item to give (YU-39)",
        "· exchange: you have made your offer of this turn (YU-44)",
        "· Afternoon Tea: its condition does not hold now "
        "(hours 3–5, once a game → choose another player)",
    ]


def test_what_can_be_done_is_not_told_as_missing() -> None:
    """An alarm clock is held only (YU-53); all else that A has can be used."""
    at = busy()
    node = menu(at).entries()[0].node
    missing = [line for line in PAINTER.explain(node, view_of(at), context()) if line[:2] == "· "]
    assert [line.split(":")[0] for line in missing] == ["· use Alarm Clock", "· Afternoon Tea"]


def test_the_page_of_the_table_leaves_nothing_out() -> None:
    """YU-12, YU-106: the summary of actions, every seat, hour, card in front of somebody."""
    text = "\n".join(PAINTER.explain(None, view_of(busy()), context()))
    assert "A turn is one action" in text
    assert "3 o'clock: Cracked Mirror (opened by Bea, stock)" in text
    assert "face down: 6, 7, 8 (now), 9, 10, 11, 12" in text
    assert "Order of this phase: Aki (turn), Bea, Cho, Dai (dead)" in text
    assert "removed: 1 unseen" in text
    for card in ("night_raven", "lullaby", "stopped_watch", "cracked_mirror", "keyhole"):
        assert CATALOG.cards[card].text[Lang.EN] in text


def test_cards_without_text_are_told_from_their_table() -> None:
    """YU-93 to YU-97: condition, choice, effects, contents by the hour, window of the victory."""
    rules = {
        card: " / ".join(card_rules({**told, "text": {}}, context()))
        for card, told in TOLD["cards"].items()
    }
    assert rules["gentleman"].startswith(
        "First victory: at the stroke of the hour: hour 12, the start marker held, life 3 or more, "
        "role card still face down"
    )
    assert "Afternoon Tea: if hours 3–5, once a game → choose another player" in rules["gentleman"]
    assert "hours 7–12 — 1 damage to that player; take the start marker" in rules["black_quill"]
    assert rules["alarm_clock"] == (
        "It cannot be used / When it becomes hours 6, 12, its holder (you): 2 damage to you; "
        "then it is discarded"
    )
    assert all(rules.values())
    assert all("_" not in text for text in rules.values())


def test_a_set_that_uses_every_word_is_told_in_words() -> None:
    """The cards of other sets have no text of their own to lean on."""
    for path in sorted(SETS_FOLDER.glob("*.toml")):
        checked = read_set(path.name, path.read_bytes())
        if checked.cards is None:
            continue
        cards: dict[str, Json] = catalog(checked.cards, [checked.cards])["cards"]  # type: ignore[assignment]
        for language in LANGS:
            for told in cards.values():
                text = " ".join(card_rules(told, context(language)))
                assert "_" not in text


# --- events --------------------------------------------------------------------------------------


def test_whoever_is_dealt_a_role_is_told_its_wish() -> None:
    """YU-9, YU-76: who begins, who one is, and how one wins, before the first turn."""
    at = begun()
    start = ["Aki", "Bea", "Cho", "Dai"][at.state.start or 0]
    text = "\n".join(log(at))
    assert f"{start} was the last whose eye a crow met" in text
    role = CATALOG.cards[at.state.seats[A].role]
    assert f"Your role is {role.name[Lang.EN]}, your skill " in text
    assert card_rules(role.told, context())[0] + "." in text
    assert "First victory" not in "\n".join(log(at, me=None))


def test_a_marker_that_its_chooser_wants_is_told_so() -> None:
    event: dict[str, Json] = {
        "kind": "marker_chosen",
        "hour": 2,
        "seat": 1,
        "target": 1,
        "by": "player",
    }
    assert PAINTER.event(event, context()) == "Bea chooses to have the start marker."
    assert (
        PAINTER.event({**event, "target": 2}, context()) == "Bea chooses Cho for the start marker."
    )


def test_every_event_of_yumeochi_has_a_sentence() -> None:
    kinds = {
        kind.kind
        for kind in vars(events).values()
        if isinstance(kind, type)
        and issubclass(kind, Event)
        and kind is not Event
        and not kind.__name__.startswith("_")
    }
    assert kinds == set(SENTENCES)


def test_an_hour_is_told_in_sentences() -> None:
    """S-1."""
    at = at_turn(hour=3, clock={3: "cracked_mirror", 4: "dew_umbrella"})
    begin = len(at.events)
    at.act(A, "open").act(B, "take").passes(C).act(D, "take")
    assert log(at, since=begin) == [
        "Aki opens 3 o'clock: Cracked Mirror",
        "Aki: life 5 → 3 (Cracked Mirror)",
        "Aki keeps Cracked Mirror ☆5 as event-stock.",
        "Bea takes the start marker ◆ from Aki.",
        "Cho passes.",
        "Dai takes the start marker ◆ from Bea.",
        "The origin marker ◎ goes from Aki to Dai.",
        "It becomes 4 o'clock.",
        "— 4 o'clock — order Dai › Aki › Bea › Cho",
    ]


def test_a_role_that_is_shown_stands_out() -> None:
    """YU-47: the sentence has a sign of its own, and the log a style for it."""
    at = at_turn(seat("gentleman", "keyhole"), hour=3)
    begin = len(at.events)
    at.act(A, at.options(A, "action")[0])
    assert "★ Aki is the English Gentleman!" in log(at, since=begin)
    (shown,) = [e for e in events_of(at) if e["kind"] == "role_revealed"]
    assert PAINTER.is_moment(shown)
    assert not PAINTER.is_moment({"kind": "marker_moved"})


def test_an_exchange_is_told_to_each_as_far_as_it_may_know() -> None:
    """YU-43, S-10."""
    at = at_turn(seat("gentleman", "keyhole"), seat(), seat(), seat("moon_hare", "lullaby*"))
    begin = len(at.events)
    at.act(A, "exchange:3:keyhole").act(D, "agree:lullaby")
    assert log(at, me=0, since=begin)[:3] == [
        "Aki offers Dai an exchange (Keyhole).",
        "Dai agrees.",
        "Skills exchanged: Aki gave Keyhole, Dai gave Lullaby.",
    ]
    assert "Skills exchanged: Aki gave Keyhole, Dai gave Lullaby." in log(at, me=3, since=begin)
    told_to_others = log(at, me=1, since=begin)
    assert told_to_others[0] == "Aki offers Dai an exchange (a face-down skill)."
    assert told_to_others[2] == ("Skills exchanged: Aki gave a face-down skill, Dai gave Lullaby.")
    shaded = log(at, me=0, since=begin, shade=True)
    assert not any("Keyhole" in text for text in shaded)


def test_a_death_and_a_guess_are_told() -> None:
    """YU-64, YU-68, S-30."""
    at = at_turn(seat("gentleman", "naming", life=1), seat("moon_hare", "keyhole"), hour=2)
    begin = len(at.events)
    wrong = next(o for o in at.options(A, "use:naming") if "night_raven" in o and ":1" in o)
    at.act(A, wrong)
    assert log(at, "ja", since=begin) == [
        "Akiは名指しを使った → Bea → 「夜鴉」と名指す。",
        "Akiが伏せていたスキルは「名指し」。",
        "★ AkiがBeaを「夜鴉」と名指した — 外れ。",
        "Akiのライフ 1 → 0（名指し）",
        "★ 死亡したAkiのロールは「英国紳士」だった。",
        "† Akiが死亡した。",
        "スタートマーカー◆がAkiからBeaに移った。",
        "起点マーカー◎がAkiからBeaに移った。",
    ]


def test_picks_are_told_by_the_names_of_their_owners() -> None:
    """S-28, Sleight: whoever reads it, the words are the same."""
    at = at_turn(
        seat("gentleman", "sleight", items="dew_umbrella"),
        seat("moon_hare", "keyhole", items="stopped_watch"),
        hour=3,
    )
    begin = len(at.events)
    at.act(A, at.options(A, "use:sleight")[0])
    for me in (0, 1, None):
        assert "Aki uses Sleight → Bea → Bea's Stopped Watch → Aki's Night-dew Umbrella." in log(
            at, me=me, since=begin
        )


# --- the end -------------------------------------------------------------------------------------


def ended(at: Table, lang: str = "en", me: int | None = 0, w: int = 80) -> str:
    return plain_text(PAINTER.outcome(view_of(at, me), context(lang, me), w))


def test_a_first_victory_names_its_role_and_why() -> None:
    """S-18, YU-82."""
    at = at_turn(seat("gentleman", "keyhole", life=3), hour=11, origin=B, start=D, turn=B).passes(
        B, C, D
    )
    at.act(A, "take")
    text = ended(at)
    assert text.splitlines()[0].startswith(
        " First victory, at the stroke of the hour: Aki, the English Gentleman."
    )
    assert "life 3 or more" in text
    assert " ★ Aki" in text
    assert "leftover skills" in text
    assert "hours never opened" in text
    assert "第一勝利！ 時刻が変わった時に、Aki（英国紳士）の願いがかなった。" in ended(at, "ja")


def last_hour(**more: Any) -> Table:
    """Return the tie of S-23, played to its end, without a replay unless `more` says so."""
    options = parse_options({"replay": "off", **more}, SETS)
    at = at_turn(
        seat("gentleman", "keyhole"),
        seat("night_raven", "lullaby", items="stopped_watch"),
        seat("mainspring_maker", "sleight", stock="moon_shadow"),
        seat("moon_hare", "naming"),
        hour=12,
        origin=D,
        start=D,
        options=options,
    )
    return at.passes(D, A, B, C)


@pytest.mark.parametrize("lang", LANGS)
def test_a_dream_is_told_well(lang: str) -> None:
    """YU-87, S-23."""
    at = last_hour()
    text = ended(at, lang)
    assert "夢ヲチ" in text
    assert ("すべては夢だった" if lang == "ja" else "it was all a dream") in text
    assert ("鴉が一羽" if lang == "ja" else "a crow is looking at you") in text
    assert "☆3" in text
    assert any("夢ヲチ" in line for line in log(at, lang))


def test_after_a_dream_the_next_one_has_its_number() -> None:
    """YU-88."""
    at = last_hour(replay="auto")
    assert PAINTER.headline(view_of(at), context()).startswith("dream 2 · 1 o'clock")
    assert "Asleep again: dream 2." in " ".join(log(at))


def test_a_dream_may_be_asked_about() -> None:
    """DP-7."""
    at = last_hour(replay="ask")
    ctx = context()
    assert "Sleep again?" in line_text(PAINTER.situation(view_of(at), decision_of(at), ctx))
    assert set(told(at).values()) == {"yes", "no"}
    node = menu(at).entries()[0].node
    assert "YU-87" in PAINTER.explain(node, view_of(at), ctx)[0]


def test_a_second_victory_shows_stars_and_cards() -> None:
    """S-22."""
    at = at_turn(
        seat("gentleman", "keyhole", stock="sheep_parade", items="dew_umbrella"),
        seat("night_raven", "lullaby"),
        seat("mainspring_maker", "sleight", stock="moon_shadow"),
        seat("moon_hare", "naming"),
        hour=12,
        origin=D,
        start=D,
        options=parse_options({"replay": "off"}, SETS),
    ).passes(D, A, B, C)
    text = ended(at)
    assert "Second victory: Aki, the English Gentleman. Tied at ☆3; 4 cards decide." in text
    assert "☆3, 4 cards" in text
    assert len(text.splitlines()) <= PAINTER.over_lines


@pytest.mark.parametrize("w", [80, 40, 20, 9])
def test_the_end_fits_every_width(w: int) -> None:
    lines = PAINTER.outcome(view_of(last_hour()), context("ja"), w)
    assert all(line_width(line) <= w for line in lines)


# --- line mode, and what may come over the wire -----------------------------------------------


def test_line_mode_has_no_sign_that_must_be_seen() -> None:
    lines = PAINTER.spoken(view_of(busy()), context())
    text = "\n".join(lines)
    assert "Cho: life 1, start marker, role face down, face-up skills Naming" in text
    assert not any(sign in text for sign in "▮▯◆◎❯†✓♥")


HOSTILE: list[Json] = [
    {},
    {"seats": "x", "table": [], "you": 3},
    {"seats": [{}], "table": {"clock": [{}], "pool": [1], "order": [9], "hour": 99}, "you": {}},
    {
        "phase": "turn",
        "turn": 7,
        "seats": [{"seat": 0, "life": 99, "role": "\x1b[31mx", "items": ["\x07bell"], "skills_down": 10**9}],
        "table": {"hour": 3, "clock": [{"position": 3, "card": "a\nb", "opener": 9, "went": "\x1b"}],
                  "order": [0], "proposal": {"seat": 0, "target": 5, "card": "\x1b[2J"},
                  "result": {"result": "\x1b", "winners": [3], "window": "\x1b"},
                  "revealed": {"roles": [1, "\x1b"], "skills": [["\x1b"], 3], "clock": [{}]}},
        "you": {"role": "\x1b]0;t", "skills_down": ["\x9b"], "seen": [{"kind": "peeked"}, {}, {"what": "time", "kind": "peeked", "card": "\x1b"}]},
        "outcome": {"ranking": [{"seat": 0}]},
    },
]  # fmt: skip


@pytest.mark.parametrize("view", HOSTILE)
@pytest.mark.parametrize("lang", LANGS)
def test_any_view_is_drawn_and_cleaned(view: dict[str, Json], lang: str) -> None:
    ctx = context(lang)
    lines = [
        *PAINTER.table(view, ctx, 80, 13),
        *PAINTER.table(view, ctx, 20, 3),
        *PAINTER.own(view, ctx, 80),
        *PAINTER.outcome(view, ctx, 80),
        *PAINTER.seat_details(view, 0, ctx, 80),
    ]
    texts = [line_text(line) for line in lines]
    texts += PAINTER.spoken(view, ctx) + PAINTER.explain(None, view, ctx)
    texts.append(PAINTER.headline(view, ctx))
    texts.append(line_text(PAINTER.situation(view, None, ctx)))
    assert all(c.isprintable() for text in texts for c in text)


STRANGE: list[dict[str, Json]] = [
    {},
    {"seat": "x", "card": 3, "seats": 1, "counts": [1], "by": 1},
    {
        **dict.fromkeys(("card", "role", "cause", "mark", "window", "target_skill"), "\x1b[31m"),
        "seat": 0,
        "cards": ["\x1b"],
        "order": "x",
        "what": "time",
        "action": "use",
    },
]


@pytest.mark.parametrize("kind", sorted(SENTENCES))
def test_any_event_is_told_and_cleaned(kind: str) -> None:
    for fields in STRANGE:
        text = PAINTER.event({"kind": kind, **fields}, context())
        assert text is None or text.isprintable()


def test_an_option_of_a_newer_server_can_be_chosen() -> None:
    decision = as_decision(
        {
            "id": "0.1",
            "kind": "newer",
            "options": [
                {"id": "fly:2", "kind": "fly", "args": {"seat": 2, "how": "\x1b[31mhigh"}},
                {"id": "pass", "kind": "pass", "args": {}},
            ],
            "default": "pass",
            "prompt": {"ja": "?", "en": "What now?"},
        }
    )
    view, ctx = view_of(busy()), context()
    text = PAINTER.sentence(decision, decision.options[0], None, view, ctx)
    assert text.startswith("fly Cho")
    assert text.isprintable()
    assert line_text(PAINTER.situation(view, decision, ctx)) == "What now?"


def test_a_card_that_is_not_known_is_told_by_its_id() -> None:
    """A room of another set, before its cards have come."""
    ctx = context(catalog=Catalog())
    text = plain_text(PAINTER.table(view_of(busy()), ctx, 80, 13))
    assert "stopped watch" in text


# --- the sheet -----------------------------------------------------------------------------------


def test_the_sheet_knows_the_own_role_and_those_face_up() -> None:
    at = busy()
    sheet = PAINTER.sheet(view_of(at), context())
    assert sheet is not None
    assert sheet.roles == ("gentleman", "night_raven", "mainspring_maker", "moon_hare")
    assert sheet.known == {0: "gentleman", 1: "night_raven", 3: "mainspring_maker"}
    assert sheet.fact(2, "gentleman") is False
    assert sheet.fact(2, "moon_hare") is None
    watched = PAINTER.sheet(view_of(at, None), context(me=None))
    assert watched is not None
    assert 0 not in watched.known
    shaded = PAINTER.sheet(view_of(at), context(shade=True))
    assert shaded is not None
    assert 0 not in shaded.known


def test_a_board_reads_what_the_rules_write() -> None:
    """The view of the rules and what is read of it, seat by seat."""
    at = busy()
    board = board_of(view_of(at))
    assert [s.life for s in board.seats] == at.lives()
    assert board.order == tuple(int(s) for s in at.state.order)
    assert board.start == C
    assert board.own is not None
    assert board.own.skills_down == ("keyhole",)
    plain = to_plain(at.view(SeatId(0)))
    assert isinstance(plain, dict)
    assert board.pool == tuple(plain["table"]["pool"])  # type: ignore[index,call-overload,arg-type]
