"""enbu as text: the table in every size, what a choice is called, what is asked before an end."""

from __future__ import annotations

import random
from typing import Any

import pytest
from kaguraden_client.reading import as_texts
from kaguraden_client.terminal.books import book_of
from kaguraden_client.terminal.menu import Answer, Menu
from kaguraden_client.terminal.painters import painter_for
from kaguraden_client.terminal.painters.enbu_board import board_of
from kaguraden_client.terminal.painters.enbu_events import SENTENCES
from kaguraden_client.terminal.screens.menu_lines import menu_body
from kaguraden_client.terminal.text import line_text, line_width, plain_text
from kaguraden_client.terminal.words import Lang
from kaguraden_protocol.messages import Clock
from kaguraden_rules.enbu import events
from kaguraden_rules.enbu.board import Phase
from kaguraden_rules.enbu.codes import encode
from kaguraden_rules.kernel import CardId, Event

from tests.properties.enbu_play import random_book

from .enbu_tables import CATALOG, ENBU, Game, context

Json = Any
PAINTER = painter_for("enbu")
# K of the specification's scenarios, seed zero: deck ushi tatsu inu saru tora tori (EN-73).
SIZES = [(80, 13), (80, 8), (120, 30), (60, 13), (40, 12), (30, 6), (20, 3), (9, 2), (2, 1)]


def table(game: Game, lang: str = "ja", seat: int | None = 0, w: int = 80, h: int = 13, **k: Any) -> str:  # fmt: skip
    ctx = context(lang, seat, game.seats, **k)
    return plain_text(PAINTER.table(game.view(seat), ctx, w, h))


def menu(game: Game, seat: int = 0) -> Menu:
    return Menu().updated([game.decision(seat)], PAINTER.path, "", PAINTER.slot, PAINTER.shy)


def told(game: Game, lang: str = "en") -> dict[str, str]:
    """Return the entries of the menu by their keys."""
    ctx = context(lang)
    view = game.view()
    return {e.digit: PAINTER.entry(e.node, view, ctx) for e in menu(game).entries()}


def press(game: Game, keys: str) -> tuple[Menu, Answer | None]:
    """Press keys on the menu as the room does."""
    now, answer = menu(game), None
    view, ctx = game.view(), context()
    for key in keys.replace("\n", "E"):
        now, answer = now.press(
            "enter" if key == "E" else key,
            lambda d, o: bool(PAINTER.warning(view, d, o, ctx)),
        )
    return now, answer


# --- the table -----------------------------------------------------------------------------------


def test_the_first_table_of_the_third_grade() -> None:
    """EN-8, EN-9, EN-32, EN-36: page, needs, stage, what is to come and what is in the deck."""
    assert table(Game()) == "\n".join(
        [
            " 1手目 · 0/6点 · 全演目で成功 · 山札5 · 待った10",
            "",
            " 開いた頁（右ほど古い）",
            "   鶏口牛後 2点",
            "   ○鶏 ◇牛",
            "",
            " 1 [ 空き ]                     │ 次の演目 竜虎相搏つ › 犬猿",
            " 2 [ 空き ]                     │ 山札の中 虎 竜 猿 鶏 犬",
            " 3 [ 空き ]                     │ 披露した演目 0",
            " ◆披露できる ●使える ◇めくった札 ▼下敷き ○山札 △捨て札 ×もうない",
        ]
    )
    own = PAINTER.own(Game().view(), context("ja"), 80)
    assert plain_text(own) == " めくった札 [牛]   手札 なし"


def test_a_long_name_has_the_room_that_there_is() -> None:
    """One page has the width to itself; two of them share it, and then names are cut."""
    whole = "better the beak of a rooster than the rump of an ox 2"
    assert whole in table(Game(), "en")
    narrow = table(Game(), "en", w=48)
    assert whole not in narrow
    assert "better the beak" in narrow


def test_needs_are_told_apart_without_colour() -> None:
    """Usable, buried, in the deck; what can be performed is marked; tops stand before the rest."""
    game = Game().play("stage:1", "next", "stage:1", "next", "stage:2", "next", "take")
    text = table(game, "en")
    assert "○鶏 rooster ▼牛 ox" in text
    assert "1 [竜 dragon] ▼牛" in text
    assert "2 [犬 dog]" in text
    assert "◆ better" not in text
    assert "hand 猿 monkey  1/1" in plain_text(PAINTER.own(game.view(), context(), 80))
    assert "◇鶏 ●牛" in table(last_card())
    assert "●鶏 ●牛" in table(last_card().play("stage:2"))


def test_discarded_cards_come_back_only_where_they_are_reshuffled() -> None:
    """EN-24, EN-56: the sign for the discard in a full book, for gone in a grade book."""
    book = book_of(CATALOG.books["kyu-3"])
    full = book_of(CATALOG.books["kamiari-1"])
    board = board_of({"discard": ["inu"], "stage": [[], []], "hand": []})
    assert board is not None
    assert board.where("inu", book).value == "×"
    assert board.where("inu", full).value == "△"


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_every_book_fits_80_by_24_with_all_its_needs(lang: str) -> None:
    """13 lines are what the room leaves the table there; no page and no slot is left out."""
    for book in CATALOG.books:
        game = Game(book)
        for _ in range(100):
            if ENBU.outcome(game.state) is not None:
                break
            view = game.view()
            lines = PAINTER.table(view, context(lang), 80, 13)
            text = plain_text(lines)
            assert len(lines) <= 13, (book, text)
            assert max(map(line_width, lines)) <= 80
            board = board_of(view["you"]["board"])
            assert board is not None
            assert all(f" {i} [" in text for i in range(1, len(board.stage) + 1))
            for page in board.pages:
                for need in as_texts(CATALOG.cards[page].told["cards"]):
                    assert str(CATALOG.cards[need].told["glyph"]) in text
            game.default()


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_any_table_fits_any_size(lang: str) -> None:
    rng = random.Random(5)
    for number in range(25):
        game = Game(encode(random_book(rng)), seats=rng.choice((1, 1, 2, 8)))
        for seat in range(game.seats):
            game.default(rng.randrange(60), seat)
        for seat in (None, *range(game.seats)):
            view, ctx = game.view(seat), context(lang, seat, game.seats)
            for width, height in SIZES:
                lines = PAINTER.table(view, ctx, width, height)
                lines += PAINTER.own(view, ctx, width) + PAINTER.outcome(view, ctx, width)
                lines += PAINTER.seat_details(view, 0, ctx, width)
                assert all(line_width(line) <= width for line in lines), (number, width)
            assert len(PAINTER.table(view, ctx, 80, 13)) <= 13, number
            assert PAINTER.spoken(view, ctx)
            assert PAINTER.headline(view, ctx)
            assert PAINTER.explain(None, view, ctx) or game.seats > 1


def test_a_view_that_makes_no_sense_is_drawn_all_the_same() -> None:
    ctx = context()
    strange: Json = {
        "you": {"board": {"pages": ["?"], "stage": ["x", 3, ["y"]], "unseen": {"a": "b"}}}
    }
    views: list[Json] = [
        {},
        strange,
        {"seats": [3, {"board": {"hand": 4}}], "outcome": {"ranking": [1]}},
    ]
    for view in views:
        lines = PAINTER.table(view, ctx, 40, 12) + PAINTER.own(view, ctx, 40)
        assert all(line_width(line) <= 40 for line in lines)
        PAINTER.spoken(view, ctx)
        PAINTER.outcome(view, ctx, 40)
        PAINTER.explain(None, view, ctx)


def test_the_shade_hides_the_own_table() -> None:
    game = Game().play("stage:1")
    assert table(game, shade=True) == " 伏せています（F9）"
    assert "牛" not in plain_text(PAINTER.own(game.view(), context("ja", shade=True), 80))
    spoken = PAINTER.spoken(game.view(), context("ja", shade=True))
    assert not any("牛" in line for line in spoken)
    assert all(PAINTER.event(e, context("ja", shade=True)) is None for e in game.events)


def test_everything_may_be_inspected_in_order() -> None:
    """EN-32, EN-33, EN-35: the stack in order, the piles, what was used."""
    game = Game().play("stage:1", "next", "stage:1")
    texts = PAINTER.explain(None, game.view(), context("ja"))
    at = texts.index("演目帖（次から順に）:")
    assert texts[at + 1 : at + 3] == [
        "  1. 竜虎相搏つ (2点) ●竜 ○虎",
        "  2. 犬猿 (2点) ○犬 ○猿",
    ]
    assert "  1. 竜、牛" in texts
    assert "鶏口牛後  けいこうぎゅうご" in texts


# --- choosing ------------------------------------------------------------------------------------


def test_a_card_is_placed_with_one_key() -> None:
    """EN-74: the slots have their numbers, the hand is 7, the end is 9."""
    game = Game()
    assert told(game) == {
        "1": "slot 1 (empty)",
        "2": "slot 2 (empty)",
        "3": "slot 3 (empty)",
        "7": "keep it in the hand",
        "9": "end the rehearsal",
    }
    for key, option in (("1", "stage:1"), ("3", "stage:3"), ("7", "take")):
        _, answer = press(game, key)
        assert answer is not None
        assert answer.option == option
    game.play("stage:2", "next")
    assert told(game)["2"] == "slot 2, on 牛 ox"


def test_a_full_hand_swaps_with_two_keys() -> None:
    """EN-15: the key of the hand, then the slot's number."""
    game = Game().play("take", "next")
    assert told(game)["7"] == "swap with the hand…"
    _, answer = press(game, "72")
    assert answer is not None
    assert answer.option == "swap:1:2"
    big = Game("dan-5").play("take", "next", "take", "next")
    now, _ = press(big, "7")
    assert [e.digit for e in now.entries()] == ["1", "2"]
    _, answer = press(big, "723")
    assert answer is not None
    assert answer.option == "swap:2:3"


def last_card() -> Game:
    """The third grade before its last card is placed: it can be won."""
    return Game().play(
        "stage:1", "next", "stage:2", "next", "stage:3", "next", "take", "next", "stage:3", "next"
    )  # fmt: skip


def test_programs_are_performed_by_their_number_and_the_next_card_is_0() -> None:
    game = last_card().play("stage:2")
    assert told(game) == {
        "1": "perform better the beak of a rooster than the rump of an ox (2)",
        "8": "take the last step back",
        "9": "end the rehearsal",
    }
    assert "◆ 鶏口牛後 2点" in table(game)
    _, answer = press(game, "1")
    assert answer is not None
    assert answer.option == "perform:keiko-gyugo:s1+s2"
    game.play(answer.option)
    assert "  竜虎相搏つ 2点" not in table(game)
    assert "◆ 竜虎相搏つ 2点" in table(game)
    now = menu(Game().play("stage:1"))
    assert [e.digit for e in now.entries()] == ["8", "9", "0"]
    under = now.under_cursor()
    assert under is not None
    assert under.kind == "next"  # Enter by itself neither takes back nor ends
    _, answer = press(Game().play("stage:1"), "8")
    assert answer is not None
    assert answer.option == "undo"


def test_the_places_of_a_performance_are_told_and_chosen() -> None:
    """EN-26: which copy is used decides what is uncovered."""
    code = encode(_two_dogs())
    game = Game(code)
    while not any(o.kind == "perform" for o in game.decision().options):
        game.default()
    option = next(o for o in game.decision().options if o.kind == "perform")
    text = PAINTER.sentence(game.decision(), option, None, game.view(), context())
    assert "dog and monkey (2) with " in text
    assert "(slot " in text


def _two_dogs() -> Any:
    from attrs import evolve
    from kaguraden_rules.enbu.book import Family
    from kaguraden_rules.enbu.books import BOOKS

    return evolve(
        BOOKS["kyu-3"],
        family=Family.YOROZU,
        stage=3,
        hand=1,
        cards=((CardId("saru"), 1), (CardId("inu"), 2)),
        first=(),
        rest=("kenen",),
    )


def test_finish_and_a_stuck_end_ask_first() -> None:
    """EN-44, EN-46: nothing that ends the rehearsal short is sent by one key."""
    game = Game()
    now, answer = press(game, "9")
    assert answer is None
    assert now.confirming is not None
    shown = plain_text(menu_body(now, game.view(), PAINTER, context(), 80, 6, online=True).lines)
    assert "a failure, with 0 points" in shown
    assert "Enter yes" in shown
    _, answer = press(game, "9\n")
    assert answer is not None
    assert answer.option == "finish"


@pytest.mark.parametrize("seed", range(40))
def test_a_stuck_end_is_foreseen_exactly(seed: int) -> None:
    """EN-42, EN-46: a warning is given if and only if the rules end the game as stuck."""
    rng = random.Random(seed)
    game = Game(encode(random_book(rng)) if seed % 2 else "kyu-2", entropy=rng.randbytes(32))
    for _ in range(300):
        if ENBU.outcome(game.state) is not None:
            return
        decision, view = game.decision(), game.view()
        option = rng.choice([o for o in decision.options if o.kind != "finish"])
        warned = PAINTER.warning(view, decision, option, context())
        before = game.state.racers[0].board
        game.play(option.id)
        board = game.state.racers[0].board
        is_stuck = board.result is not None and board.result.reason.value == "stuck"
        assert bool(warned) == is_stuck, (option.id, before, board)
        if board.phase is Phase.OVER:
            return
        after = board_of(view["you"]["board"])
        assert after is not None
        if option.kind in ("stage", "take", "swap", "perform", "drop"):
            seen = board_of(game.view()["you"]["board"])
            foreseen = after.after(option)
            assert seen is not None
            for name in ("pages", "stack", "stage", "hand", "discard", "wilds", "dropped"):
                assert getattr(foreseen, name) == getattr(seen, name), name


def test_the_default_is_shown_only_where_a_turn_has_a_clock() -> None:
    """EN-76, EN-77, EN-87: the clocks of a race and of a day end everything instead."""
    turn, race = Clock(1, 2, 0, "0.1"), Clock(1, 2, None, "0.1")
    solo = Game().view()
    assert not PAINTER.is_timed(solo, [])
    assert PAINTER.is_timed(solo, [turn])
    assert not PAINTER.is_timed(Game(seats=2).view(), [race])
    daily: Json = {"table": {"daily": True}}
    assert not PAINTER.is_timed(daily, [turn])
    assert PAINTER.is_timed(daily, [turn, turn])


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_every_choice_is_explained_with_its_rule(lang: str) -> None:
    rng = random.Random(3)
    game = Game("kamiari-2", entropy=bytes([4]) * 32)
    seen = set()
    for _ in range(400):
        if ENBU.outcome(game.state) is not None:
            game = Game("kamiari-2", entropy=rng.randbytes(32))
        for entry in menu(game).entries():
            texts = PAINTER.explain(entry.node, game.view(), context(lang))
            assert "EN-" in texts[0], texts[0]
            seen.add(entry.node.kind)
        options = [o for o in game.decision().options if o.kind != "finish"]
        game.play(rng.choice(options).id)
    assert seen == {"stage", "take", "swap", "perform", "drop", "next", "finish", "undo"}


@pytest.mark.parametrize("lang", [Lang.JA, Lang.EN])
def test_cards_and_programs_have_their_pages(lang: Lang) -> None:
    """EN-106, EN-108: reading, sense, what is needed; wilds with their rule."""
    ctx = context(lang.value)
    assert PAINTER.card_page("kenen", ctx)[0] == "犬猿  けんえん"
    assert PAINTER.card_page("kenen", ctx)[1] == "dog and monkey: sworn enemies"
    assert "EN-58" in PAINTER.card_page("kyubi", ctx)[1]
    assert PAINTER.card_page("nobody", ctx) == []


# --- the end, and races --------------------------------------------------------------------------


def test_a_success_and_a_failure_are_told_in_full() -> None:
    """EN-46, EN-47: reason, points, programs, turns."""
    game = last_card()
    assert PAINTER.warning(game.view(), game.decision(), game.decision().options[0], context())
    won = last_card().play("stage:2", "perform:keiko-gyugo:s1+s2", "perform:ryuko:s2+s3")
    won.play("perform:kenen:s3+h1")
    assert plain_text(PAINTER.outcome(won.view(), context("ja"), 80)) == "\n".join(
        [
            " 演舞成功！  級位認定 三級",
            " 6点（満点6）",
            " 披露3、捨てた0、残り0 · 6手 · 演目帖を終えた",
            " 披露した演目 鶏口牛後 2、竜虎相搏つ 2、犬猿 2",
        ]
    )
    lost = plain_text(PAINTER.outcome(game.play("stage:1").view(), context("en"), 80))
    assert lost.startswith(" The rehearsal failed  grade test, kyu 3\n 0 of 6 points\n")
    assert "0 gained, 0 dropped, 3 left · 6 turns · stuck" in lost
    ended = plain_text(PAINTER.outcome(Game().play("finish").view(), context("ja"), 80))
    assert "披露0、捨てた0、残り3 · 1手 · 途中で終えた" in ended


def test_a_passed_test_is_called_so() -> None:
    """EN-63: the words of a test with a pass mark."""
    from kaguraden_client.terminal.painters.enbu_results import verdict

    dan = book_of(CATALOG.books["dan-1"])
    words = [verdict({"success": won}, dan, context("ja")) for won in (True, False)]
    assert words == ["合格！", "落第"]
    kyu = book_of(CATALOG.books["kyu-3"])
    words = [verdict({"success": won}, kyu, context("ja")) for won in (True, False)]
    assert words == ["演舞成功！", "演舞失敗"]


def test_a_race_shows_aligned_figures_and_no_rivals_cards() -> None:
    """EN-82, EN-83: figures below each other, nothing of the others' tables."""
    game = Game("kamiari-2", seats=3).default(11, 0).default(4, 1)
    text = table(game, "en")
    rows = [line for line in text.splitlines() if " points, " in line and "programs" in line][:3]
    assert len({row.index("turn") for row in rows}) == 1
    assert len({row.index("points") for row in rows}) == 1
    watcher = table(game, "en", None)
    assert "During a race watchers see figures only" in watcher
    assert "stage" not in watcher
    eight = table(Game("kamiari-2", seats=8), "ja")
    assert eight.count("手") >= 8
    assert " 4 [ 空き ]" in eight


def test_after_a_race_every_table_can_be_looked_at() -> None:
    """EN-86: the ranking, and all tables one after the other."""
    game = Game("kyu-3", seats=2).play("stage:1", "finish").play("take", "finish", seat=1)
    view = game.view()
    assert PAINTER.looks(view) == [0, 1]
    assert "Aki's table" in table(game, "en")
    assert "[牛 ox]" in table(game, "en")
    other = table(game, "en", look=1)
    assert "Bea's table" in other
    assert "hand 牛" in other
    ranking = plain_text(PAINTER.outcome(view, context("en", seats=2), 80))
    assert "  1. Aki        0        0      1  failure  ← you" in ranking
    details = PAINTER.seat_details(view, 1, context("en", seats=2), 80)
    assert any("hand: 牛 ox" in line_text(line) for line in details)


# --- the log -------------------------------------------------------------------------------------


def test_every_event_of_enbu_has_a_sentence() -> None:
    kinds = {
        kind.kind
        for kind in vars(events).values()
        if isinstance(kind, type) and issubclass(kind, Event)
    }
    assert kinds - {Event.kind} == set(SENTENCES)


def test_a_shared_book_is_not_called_by_its_id() -> None:
    """EN-103: the id of a share code is made up; the name stands at the top of the table."""
    setup: dict[str, Json] = {"kind": "setup", "book": "u-tsq84ggz", "deck": 4}
    assert PAINTER.event(setup, context("en")) == "The deck has 4 cards."
    named = PAINTER.event({**setup, "book": "kyu-3"}, context("en"))
    assert named == "The book grade test, kyu 3; the deck has 4 cards."


def test_an_empty_deck_is_told_of_at_ones_own_table_alone() -> None:
    reveal: dict[str, Json] = {"kind": "reveal", "seat": 1, "rest": []}
    assert PAINTER.event(reveal, context("en", seats=2)) is None
    assert PAINTER.event({**reveal, "seat": 0}, context("en")) == "No card was left in the deck."


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_a_game_reads_as_a_story(lang: str) -> None:
    game = Game(seats=2).play("stage:1", "next", "take", "undo", "stage:1", "finish")
    game.play("stage:1", "finish", seat=1)
    ctx = context(lang, 0, 2)
    texts = [PAINTER.event(event, ctx) for event in game.events]
    assert None not in texts
    assert len(set(texts)) > 8
    other: Json = {"kind": "flip", "seat": 1, "turn": 3, "card": "inu"}
    assert str(PAINTER.event(other, ctx)).startswith("Bea: ")
    assert PAINTER.event({"kind": "strange"}, ctx) is None


def test_the_smallest_table_still_has_the_needs_and_the_tops() -> None:
    """Two lines: what the pages need with where it is, and the tops with how many lie under them."""
    game = Game().play("stage:1", "next", "stage:1", "next", "stage:3")
    assert table(game, "en", w=40, h=2).splitlines() == [" ○鶏▼牛", " 1竜▼1  2–  3犬"]
    assert table(last_card().play("stage:2"), w=20, h=2).splitlines() == [
        " ◆●鶏●牛",
        " 1牛  2鶏▼1  3虎▼1",
    ]
