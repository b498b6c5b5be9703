"""enbu as a game of the hall: preparation, options, clocks, decisions, events and views."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from attrs import evolve
from kaguraden_protocol.limits import MAX_NODES
from kaguraden_rules.catalogue import GAMES, BadPack, check_packs, games
from kaguraden_rules.enbu import choices as choices_module
from kaguraden_rules.enbu import play, race
from kaguraden_rules.enbu.board import Phase, Reason
from kaguraden_rules.enbu.book import Family
from kaguraden_rules.enbu.books import BOOKS, CATALOGUE, write_book
from kaguraden_rules.enbu.choices import parse_choice
from kaguraden_rules.enbu.codes import encode
from kaguraden_rules.enbu.options import Options
from kaguraden_rules.kernel import (
    Answer,
    BadDeck,
    BadOptions,
    CardId,
    IllegalOption,
    NotYourDecision,
    Pace,
    SeatId,
    Stale,
    Wait,
)
from kaguraden_rules.plain import to_plain

from tests.rules.enbu_positions import ENBU, SEED, Hall, K, R, T, book, lay

MADE = evolve(K, id="asobi", family=Family.YOROZU, name="遊び", hand=2)


# --- preparation and turns -----------------------------------------------------------------------


def test_the_game_is_one_of_the_hall() -> None:
    """EN-1, EN-80: alone or up to eight."""
    game = GAMES["enbu"]
    assert (game.id, game.rules, game.name.ja, game.seats) == ("enbu", "1.0", "演舞", (1, 8))
    assert game.windows == ()
    assert game.paces == ()


def test_first_programs_keep_their_order() -> None:
    """EN-4, EN-5, EN-7, EN-8: those named come first, the others in the order of the seed."""
    orders = set()
    for n in range(20):
        board = lay(K, seed=bytes([n]) * 32).board
        assert board.pages == ("keiko-gyugo",)
        orders.add(board.stack)
        lying = (board.flipped, *board.deck)
        assert sorted(map(str, lying)) == sorted(K.deck)
        assert (len(board.stage), board.hand, board.discard) == (3, (), ())
    assert orders == {("kenen", "ryuko"), ("ryuko", "kenen")}


def test_book_without_a_hand_has_only_the_stage() -> None:
    """EN-11, EN-17."""
    hall = lay(book((1, 2, 0), "inu saru", "kenen"), "inu saru")
    assert hall.choices() == ["stage:1", "stage:2", "finish"]
    assert hall.do("stage:1 next").choices() == ["stage:1", "stage:2", "finish"]


def test_a_turn_flips_one_card() -> None:
    """EN-10: the top of the deck, and `next` is the only way to it."""
    hall = lay(K, "inu tatsu saru tora tori ushi")
    assert (hall.board.flipped, len(hall.board.deck)) == ("inu", 5)
    hall.do("take next")
    assert (hall.board.flipped, len(hall.board.deck), hall.board.turn) == ("tatsu", 4, 2)


def test_swap_appends_to_the_hand() -> None:
    """EN-2, EN-15: hand cards are numbered by the time they came."""
    hall = lay(MADE, "inu tatsu saru tora tori ushi").do("take next take next swap:1:3")
    assert list(hall.board.hand) == ["tatsu", "saru"]
    assert hall.stage() == ["", "", "inu"]


def test_a_gained_program_scores_its_points() -> None:
    """EN-23, EN-61, EN-66."""
    hall = lay(T, "inu saru tori ushi tatsu tora bakedanuki kyubi")
    hall.do("stage:1 next stage:2 perform:kenen:s1+s2")
    assert list(hall.board.gained) == ["kenen"]
    assert hall.board.total == CATALOGUE.programs["kenen"].points == 2
    performed = next(event for event in hall.heard() if event["kind"] == "perform")
    assert performed == {
        "kind": "perform", "seat": 0, "program": "kenen", "sources": ["s1", "s2"],
        "cards": ["inu", "saru"], "points": 2, "total": 2,
    }  # fmt: skip


def test_open_information_is_shown_also_between_flip_and_placement() -> None:
    """EN-32, EN-33, EN-35, EN-36, EN-37."""
    hall = lay(R, "inu saru usagi").do("stage:1 next stage:2 perform:kenen:s1+s2 next")
    shown = hall.view()["you"]["board"]
    assert shown == {
        "phase": "place", "turn": 3, "total": 2, "flipped": "usagi", "pages": ["kento"],
        "stack": [], "stage": [[], [], []], "hand": [], "discard": ["inu", "saru"],
        "gained": ["kenen"], "dropped": [], "wilds": [], "deck": 0, "unseen": {}, "goal": "open",
    }  # fmt: skip
    assert lay(K).view()["you"]["board"]["stack"] == ["ryuko", "kenen"]


def test_a_hopeless_game_goes_on() -> None:
    """EN-38, EN-45: only the used up book and being stuck end it."""
    hall = lay(K, "tori ushi inu saru tora tatsu", ("keiko-gyugo", "kenen", "ryuko"))
    hall.do("stage:1 next stage:2 next stage:1 next stage:1 next stage:1")  # tori lies buried
    assert hall.board.phase is Phase.ACT
    assert hall.board.result is None
    assert hall.choices() == ["next", "finish"]


def test_an_end_is_final() -> None:
    """EN-46, EN-78: nothing is open after it, not even an undo."""
    hall = lay(K, "inu saru tora tatsu tori ushi").do("stage:1")
    (decision,) = ENBU.decisions(hall.state).values()
    hall.do("finish")
    assert ENBU.decisions(hall.state) == {}
    assert ENBU.waits(hall.state) == ()
    with pytest.raises(NotYourDecision):
        ENBU.act(hall.state, SeatId(0), Answer(decision.id, "undo"))
    with pytest.raises(Stale):
        ENBU.expire(hall.state, "turn:0:1")


# --- decisions -------------------------------------------------------------------------------------


def test_what_a_decision_says() -> None:
    """EN-74, EN-85: kinds, arguments, default, and what is done for who leaves."""
    hall = lay(T, "bakedanuki saru tori inu ushi tatsu tora kyubi").do("take next")
    decision = ENBU.decisions(hall.state)[SeatId(0)]
    assert (decision.kind, decision.default, decision.leaving) == ("place", "stage:1", "finish")
    assert decision.prompt is not None
    assert "猿" in decision.prompt.ja
    told: Any = to_plain(decision)
    assert told["options"][0] == {
        "id": "stage:1", "kind": "stage", "args": {"slot": 1, "card": "saru"},
    }  # fmt: skip
    assert told["options"][3] == {
        "id": "swap:1:1", "kind": "swap",
        "args": {"hand": 1, "slot": 1, "out": "bakedanuki", "card": "saru"},
    }  # fmt: skip
    told = to_plain(ENBU.decisions(hall.do("stage:1").state)[SeatId(0)])
    assert told["kind"] == "act"
    assert told["options"][0]["args"] == {
        "program": "kenen", "sources": ["s1", "h1"], "cards": ["saru", "bakedanuki"],
        "stands_for": {"h1": "inu"}, "points": 2,
    }  # fmt: skip
    assert told["options"][1] == {
        "id": "drop:1", "kind": "drop", "args": {"slot": 1, "card": "saru", "program": "kenen"},
    }  # fmt: skip
    assert [option["id"] for option in told["options"][2:]] == ["next", "finish", "undo"]
    assert lay(K).do("stage:1").view()["phase"] == "act"


def test_an_answered_decision_is_stale() -> None:
    """EN-124: a late or repeated answer is never taken for another; an undo asks anew."""
    hall = lay(K)
    first = ENBU.decisions(hall.state)[SeatId(0)]
    hall.do("stage:1 undo")
    again = ENBU.decisions(hall.state)[SeatId(0)]
    assert (first.id, again.id) == ("0.1", "0.3")
    assert first.options == again.options
    with pytest.raises(Stale):
        ENBU.act(hall.state, SeatId(0), Answer(first.id, "stage:1"))
    with pytest.raises(IllegalOption):
        ENBU.act(hall.state, SeatId(0), Answer(again.id, "stage:4"))


@pytest.mark.parametrize(
    "text",
    ["", "stage", "stage:0", "stage:01", "Stage:1", "swap:1", "perform:kenen:", "undo", "next "],
)
def test_no_other_text_is_a_choice(text: str) -> None:
    """EN-74."""
    with pytest.raises(ValueError, match="not a choice"):
        parse_choice(text)


def test_only_the_next_flip_needs_the_order_of_the_deck() -> None:
    """EN-3, EN-40: abilities are judged on open information."""
    board = lay(T, "inu saru tori ushi tatsu tora bakedanuki kyubi").do("stage:1").board
    other = evolve(board, deck=tuple(reversed(board.deck)), seed=bytes(range(32)))
    assert play.choices(board) == play.choices(other)
    assert play.default(board) == play.default(other)
    assert "random" not in inspect.getsource(choices_module)


# --- clocks -----------------------------------------------------------------------------------------


def test_a_solo_game_has_no_turn_clock_by_default() -> None:
    """EN-77: races have 90 seconds; the room may set others."""
    hall = lay(K)
    assert ENBU.waits(hall.state) == (
        Wait("turn:0:1", Pace.TURN, (SeatId(0),), (SeatId(0),), limit_s=0, private=True),
    )
    assert ENBU.waits(lay(K, solo_turn_s=40).state)[0].limit_s == 40
    race_waits = ENBU.waits(lay(K, seats=2).state)
    assert [wait.limit_s for wait in race_waits] == [90, 90, 1200]
    assert ENBU.waits(lay(K, seats=2, race_turn_s=30).state)[0].limit_s == 30


def test_an_undo_gives_no_time_back() -> None:
    """EN-77: the wait is the same from the flip to `next`."""
    hall = lay(K)
    for texts in ("stage:1", "undo", "stage:2"):
        hall.do(texts)
        assert ENBU.waits(hall.state)[0].id == "turn:0:1"
    assert ENBU.waits(hall.do("next").state)[0].id == "turn:0:2"


def test_the_turn_clock_completes_the_turn() -> None:
    """EN-76, EN-90: what was placed stays; each default is told before its own event."""
    hall = lay(K, "inu tatsu saru tora tori ushi").do("stage:3")
    before = len(hall.told)
    hall.run_out()
    assert hall.kinds(before) == ["default", "flip"]
    assert hall.board.turn == 2
    before = len(hall.told)
    hall.run_out()
    assert hall.kinds(before) == ["default", "stage", "default", "flip"]
    assert hall.stage() == ["tatsu", "", "inu"]
    with pytest.raises(Stale):
        hall.expire("turn:0:2")


def test_the_turn_clock_ends_a_game_that_only_drops_could_go_on() -> None:
    """EN-76, EN-126, EN-143: the default is never a drop, and the end is the clock's."""
    hall = lay(R, "inu saru usagi").do("stage:1 next stage:1 next stage:1")
    assert hall.choices() == ["drop:1", "finish"]
    hall.run_out()
    assert hall.kinds()[-3:] == ["default", "end", "reveal"]
    assert hall.board.result is not None
    assert hall.board.result.reason is Reason.CLOCK


def test_the_clock_of_a_race_ends_all_running_games() -> None:
    """EN-86, EN-127: totals count; the flipped card stays unplaced."""
    hall = lay(K, "inu saru tora tatsu tori ushi", ("kenen", "ryuko", "keiko-gyugo"), seats=3)
    hall.do("stage:1 next stage:2 perform:kenen:s1+s2", seat=1).do("finish", seat=2)
    assert [wait.id for wait in ENBU.waits(hall.state)] == ["turn:0:1", "turn:1:2", "race"]
    race_wait = ENBU.waits(hall.state)[-1]
    assert race_wait.seats == (0, 1, 2)  # all, always: a shrinking list would tell who has ended
    assert race_wait.pending == (0, 1)
    hall.expire("race")
    outcome = ENBU.outcome(hall.state)
    assert outcome is not None
    assert outcome.reason == "race"
    assert [(rank.seat, rank.rank, rank.score) for rank in outcome.ranking] == [
        (1, 1, 2), (0, 2, 0), (2, 2, 0),
    ]  # fmt: skip
    reasons = [r.board.result.reason.value for r in hall.state.racers if r.board.result]
    assert reasons == ["clock", "clock", "finish"]
    assert hall.state.racers[0].board.flipped == "inu"


def test_the_day_ends_a_daily() -> None:
    """EN-89, EN-127, EN-128: one seat, a wait for the day, and no deck shown afterwards."""
    hall = lay(K, is_daily=True)
    turn, day = ENBU.waits(hall.state)
    assert (turn.id, day) == (
        "turn:0:1",
        Wait("day", Pace.DAY, (SeatId(0),), (SeatId(0),)),
    )
    hall.expire("day")
    assert hall.kinds()[-1] == "figures"  # for watchers, who were aligned
    assert "reveal" not in hall.kinds()
    shown = hall.view(0)
    assert shown["you"]["board"]["result"]["reason"] == "clock"
    assert "rest" not in shown["you"]["board"]
    entry = {"seat": 0, "total": 0, "gained": 0, "turn": 1, "ended": True}
    assert hall.view(None)["seats"] == [entry]  # others may yet play on this deck
    with pytest.raises(BadOptions, match="one seat"):
        ENBU.setup(Options(K, is_daily=True), 2, ((), ()), SEED)


# --- who sees what -----------------------------------------------------------------------------------


def test_watchers_of_a_solo_game_see_its_table() -> None:
    """EN-90, EN-91: if the owner allows it, which is the default."""
    hall = lay(K).do("stage:1 undo stage:2")
    assert hall.heard(None) == hall.heard(0)
    seen = hall.view(None)
    assert seen["phase"] == "act"
    assert seen["seats"][0]["board"] == hall.view(0)["you"]["board"]
    assert "you" not in seen


def test_watchers_of_a_hidden_solo_game_see_closed_turns() -> None:
    """EN-84, EN-91, EN-142."""
    hall = lay(K, "inu saru tora tatsu tori ushi", ("kenen", "ryuko", "keiko-gyugo"), watch=False)
    hall.do("stage:1 next stage:2 perform:kenen:s1+s2")
    entry = {"seat": 0, "total": 0, "gained": 0, "turn": 1, "ended": False}
    assert hall.heard(None) == [{"kind": "figures", **entry}]
    seen = hall.view(None)
    assert (seen["phase"], seen["seats"], seen["asked"]) == ("race", [entry], [0])
    hall.do("next")
    assert hall.view(None)["seats"][0] == entry | {"total": 2, "gained": 1, "turn": 2}
    hall.do("finish")
    assert hall.view(None)["phase"] == "over"
    assert hall.view(None)["seats"][0]["board"]["total"] == 2


def test_watchers_of_a_daily_see_its_figures_at_the_end() -> None:
    """EN-91, EN-142: they may yet play on the same deck."""
    hall = lay(K, "inu saru tora tatsu tori ushi", ("kenen", "ryuko", "keiko-gyugo"), is_daily=True)
    hall.do("stage:1 next stage:2 perform:kenen:s1+s2 next")
    entry = {"seat": 0, "total": 0, "gained": 0, "turn": 0, "ended": False}
    assert hall.heard(None) == []
    assert hall.view(None)["seats"] == [entry]
    assert hall.view(None)["phase"] == "race"
    hall.do("finish")
    last = entry | {"total": 2, "gained": 1, "turn": 3, "ended": True}
    assert hall.heard(None) == [{"kind": "figures", **last}]
    assert hall.view(None)["seats"] == [last]
    assert hall.view(None)["phase"] == "over"


def test_the_clock_performs_the_rightmost_page() -> None:
    """EN-76: lowest slots before hand cards, and wilds only for what is missing."""
    programs = "kenen keiko-gyugo ryuko"
    three = book((2, 4, 2), "inu saru tori ushi tatsu tora", programs, wild=True)
    hall = lay(three, "bakedanuki inu saru tori ushi tatsu tora kyubi").alter(
        phase=Phase.ACT,
        flipped=None,
        deck=(),
        stage=tuple((CardId(c),) for c in ("kyubi", "ushi", "tori", "inu")),
        hand=(CardId("inu"), CardId("bakedanuki")),
    )
    assert list(hall.board.pages) == ["keiko-gyugo", "kenen"]
    assert ENBU.decisions(hall.state)[SeatId(0)].default == "perform:kenen:s1+s4"
    hall.do("perform:keiko-gyugo:s2+s3")
    assert ENBU.decisions(hall.state)[SeatId(0)].default == "perform:kenen:s1+s4"


def test_the_largest_decision_fits_a_frame() -> None:
    """EN-75: every source set of a program of four cards, two of each kind, and both wilds."""
    tops = ("saru", "saru", "tanuki", "tanuki", "tora", "tora")
    hand = ("hebi", "hebi", "bakedanuki", "kyubi")
    pages = ("nue", "sarukani", "kokkuri", "tora-no-i", "hebi-kaeru", "kenen")
    hall = lay(BOOKS["kamiari-6"]).alter(
        phase=Phase.ACT,
        flipped=None,
        pages=pages,
        stage=tuple((CardId(c),) for c in tops),
        hand=tuple(CardId(c) for c in hand),
    )
    decision = ENBU.decisions(hall.state)[SeatId(0)]
    # 16 without a wild, 4 * 2 * 8 with one, 6 * 4 with two
    assert sum(option.id.startswith("perform:nue:") for option in decision.options) == 104

    def nodes(value: Any) -> int:
        if isinstance(value, dict):
            return 1 + sum(map(nodes, value.values()))
        return 1 + sum(map(nodes, value)) if isinstance(value, list) else 1

    assert nodes(to_plain(decision)) < 0.75 * MAX_NODES


def test_a_race_shows_figures_only() -> None:
    """EN-82, EN-83, EN-84, EN-91: until all is over; then all tables and what was left."""
    hall = lay(K, "inu saru tora tatsu tori ushi", ("kenen", "ryuko", "keiko-gyugo"), seats=2)
    hall.do("stage:1 next stage:2 perform:kenen:s1+s2 next", seat=0)
    rival = {"seat": 0, "total": 0, "gained": 0, "turn": 0, "ended": False}
    assert hall.view(1)["seats"][0] == rival  # nothing closed yet: nothing seen
    assert not [event for event in hall.heard(1) if event["kind"] == "figures"]
    assert not [event for event in hall.heard(1) if event["seat"] == 0]
    before = len(hall.heard(1))
    hall.do("stage:1 next", seat=1)
    assert [event["kind"] for event in hall.heard(1)[before:]] == ["stage", "flip", "figures"]
    hall.do("stage:1 next", seat=1)
    assert hall.heard(1)[-1] == {
        "kind": "figures", "seat": 0, "turn": 2, "total": 2, "gained": 1, "ended": False,
    }  # fmt: skip
    assert [event["seat"] for event in hall.heard(None)] == [0, 1, 0, 1]
    hall.do("finish", seat=0)
    assert hall.view(0)["phase"] == "ended"
    assert hall.view(0)["asked"] == [1]
    assert hall.view(1)["asked"] == [0, 1]  # not shown as ended yet
    assert hall.view(1)["table"]["race"] is True
    hall.do("finish", seat=1)
    for viewer in (0, 1, None):
        seen = hall.view(viewer)
        assert seen["phase"] == "over"
        assert [len(entry["board"]["rest"]) for entry in seen["seats"]] == [3, 3]
        assert seen["outcome"]["ranking"][0] == {
            "seat": 0, "rank": 1, "score": 2, "dropped": 0, "turns": 3, "success": False,
        }  # fmt: skip
        assert [event["kind"] for event in hall.heard(viewer)[-2:]] == ["reveal", "reveal"]
    assert hall.heard(1)[-1]["rest"] == ["tatsu", "tori", "ushi"]


def test_the_seed_is_in_no_view_and_no_event() -> None:
    """EN-72, EN-92: it is shown by the reveal of the room alone."""
    seed = bytes(range(200, 232))
    hall = lay(K, seed=seed, seats=2).do("finish", seat=0).do("finish", seat=1)
    seen = repr([hall.view(v) for v in (0, 1, None)] + [hall.heard(v) for v in (0, 1, None)])
    assert seed.hex() not in seen
    assert "audience" not in seen


def test_players_of_a_race_are_quiet() -> None:
    """EN-85: while it runs, unless the room lets them talk."""
    assert ENBU.is_quiet(lay(K, seats=2).state)
    assert not ENBU.is_quiet(lay(K, seats=2, chat=True).state)
    assert not ENBU.is_quiet(lay(K).state)
    over = lay(K, seats=2).do("finish", seat=0)
    assert ENBU.is_quiet(over.state)
    assert not ENBU.is_quiet(over.do("finish", seat=1).state)


def test_what_the_setup_tells() -> None:
    """EN-90."""
    setup, flip = lay(K).heard()
    assert setup == {
        "kind": "setup", "seat": 0, "book": "kyu-3",
        "digest": "688f634fb8aed36a722103f49b41ea0bab6b60493736b6307d0c565ff3b981ad",
        "pages": ["keiko-gyugo"], "stack": ["ryuko", "kenen"], "deck": 6,
    }  # fmt: skip
    assert flip == {"kind": "flip", "seat": 0, "turn": 1, "card": "ushi", "deck": 5}


def test_a_goal_is_told_again_after_an_undo() -> None:
    """EN-124, EN-140: the undo itself brings the goal back without an event."""
    hall = lay(T, "tatsu inu tora saru tori ushi bakedanuki kyubi")
    hall.do("stage:1 drop:1")
    assert hall.kinds()[-1] == "goal"
    hall.do("undo")
    assert hall.kinds()[-1] == "undo"
    assert hall.view()["you"]["board"]["goal"] == "open"
    hall.do("drop:1")
    assert hall.kinds()[-1] == "goal"


# --- options and books -------------------------------------------------------------------------------


def test_options_have_defaults() -> None:
    """EN-77, EN-85, EN-86, EN-91."""
    options = ENBU.parse_options({})
    assert options == Options(K, False, 90, 0, 20, True, False)
    assert ENBU.format_options(options) == {
        "book": "kyu-3", "race_turn_s": 90, "solo_turn_s": 0, "race_min": 20, "watch": True,
        "chat": False,
    }  # fmt: skip
    schema: Any = ENBU.options_schema()
    assert {name: entry["default"] for name, entry in schema["properties"].items()} == (
        ENBU.format_options(options)
    )
    assert schema["properties"]["book"]["examples"] == list(BOOKS)


@pytest.mark.parametrize("text", [*BOOKS, "daily:dan-3", encode(MADE)])
def test_a_book_is_written_as_it_is_read(text: str) -> None:
    """EN-103, EN-128."""
    options = ENBU.parse_options({"book": text})
    assert options.is_daily is text.startswith("daily:")
    written = ENBU.format_options(options)
    assert written["book"] == text
    assert ENBU.parse_options(written) == options


@pytest.mark.parametrize(
    ("raw", "path", "text"),
    [
        ({"book": "kyu-9"}, "$.book", "no such book"),
        ({"book": 3}, "$.book", "share code"),
        ({"book": "daily:kyu-9"}, "$.book", "no such book for a day"),
        ({"book": encode(K)[:-1] + "0"}, "$.book", "SC-"),
        ({"book": "ENBU2-00"}, "$.book", "SC-VERSION: "),
        ({"book": "ENBU1-" + "0" * 400}, "$.book", "SC-LONG: "),
        ({"race_turn_s": 29}, "$.race_turn_s", "0 (no clock) or a whole number from 30 to 300"),
        ({"solo_turn_s": 301}, "$.solo_turn_s", "whole number"),
        ({"race_turn_s": True}, "$.race_turn_s", "whole number"),
        ({"race_min": 4}, "$.race_min", "a whole number from 5 to 60"),
        ({"race_min": 0}, "$.race_min", "a whole number from 5 to 60"),
        ({"watch": 1}, "$.watch", "true or false"),
        ({"chat": "no"}, "$.chat", "true or false"),
        ({"hands": 3}, "$.hands", "no such option"),
    ],
)
def test_wrong_options_are_refused(raw: dict[str, Any], path: str, text: str) -> None:
    """EN-77, EN-86, EN-102."""
    with pytest.raises(BadOptions) as bad:
        ENBU.parse_options(raw)
    (problem,) = bad.value.problems
    assert problem.path == path
    assert text in problem.problem


def test_all_problems_of_options_are_told_together() -> None:
    """EN-97: also those of the book."""
    with pytest.raises(BadOptions) as bad:
        ENBU.parse_options({"book": "x", "watch": 1, "race_min": 99})
    assert {problem.path for problem in bad.value.problems} == {"$.book", "$.watch", "$.race_min"}


def test_the_game_takes_no_deck() -> None:
    """EN-4: the book has the cards."""
    assert ENBU.check_deck(Options(K), None) == ()
    with pytest.raises(BadDeck):
        ENBU.check_deck(Options(K), [CardId("inu")])
    with pytest.raises(ValueError, match="1 to 8 seats"):
        ENBU.setup(Options(K), 9, ((),) * 9, SEED)


def test_the_catalogue_has_cards_programs_and_books() -> None:
    """EN-94: what clients can tell their players."""
    told: Any = ENBU.catalog()
    cards = told["cards"]
    assert len(cards) == len(CATALOGUE.cards) + len(CATALOGUE.programs)
    assert cards["ushi"] == {
        "kind": "card", "no": 2, "name": {"ja": "牛", "en": "ox"},
        "text": {"ja": CATALOGUE.cards[CardId("ushi")].reading, "en": "ox"},
        "glyph": "牛", "emoji": "🐮", "group": "zodiac", "box": 3,
    }  # fmt: skip
    assert cards["kenen"]["cards"] == ["inu", "saru"]
    assert cards["kenen"]["points"] == 2
    assert list(told["books"]) == list(BOOKS)
    assert told["books"]["kyu-3"]["code"] == encode(K)
    assert told["books"]["dan-1"]["pass"] == 20
    assert "pass" not in told["books"]["kyu-3"]
    with_made: Any = ENBU.catalog(ENBU.parse_options({"book": encode(MADE)}))
    assert len(with_made["books"]) == len(BOOKS) + 1
    assert with_made["version"] != told["version"]


def test_a_host_adds_books() -> None:
    """EN-95, EN-99: a file with a schema is a book, any other a card set; faults stop all."""
    files = {"my.toml": write_book(MADE).encode()}
    (checked,) = check_packs(files)
    assert checked.faults == ()
    assert "遊び" in checked.summary.ja
    game: Any = games(files)["enbu"]
    options = game.parse_options({"book": "asobi"})
    assert options.book == MADE
    assert game.format_options(options)["book"] == "asobi"
    assert game.setup(options, 1, ((),), SEED).state.racers[0].board.book == MADE
    broken = {"my.toml": files["my.toml"].replace(b"hand = 2", b"hand = 9"), "b.toml": b""}
    with pytest.raises(BadPack) as bad:
        games(broken)
    sentences = [fault.sentence.en for fault in bad.value.faults]
    assert any("my.toml" in text and "E-SIZE" in text for text in sentences)
    assert any("b.toml" in text for text in sentences)
    assert [file.file for file in check_packs(broken)] == ["my.toml", "b.toml"]


def test_a_beaten_bound_is_a_defect() -> None:
    """EN-69."""
    hall: Hall = lay(R, "inu saru usagi")
    board = evolve(hall.board, turn=5, phase=Phase.ACT)
    with pytest.raises(RuntimeError, match="beyond the bound"):
        play.apply(board, parse_choice("next"))
    assert race.UNDO_LIMIT == 10
