"""The worked scenarios of the rules of enbu (§21), by their ids."""

from __future__ import annotations

from collections import Counter

import pytest
from attrs import evolve
from kaguraden_rules.enbu import race
from kaguraden_rules.enbu.board import Board, Phase, Reason, Result
from kaguraden_rules.enbu.books import BOOKS, bound
from kaguraden_rules.enbu.race import Closed
from kaguraden_rules.enbu.shuffle import shuffle_deck, shuffle_programs
from kaguraden_rules.kernel import CardId, IllegalOption, SeatId

from tests.rules.enbu_positions import ENBU, SEED, K, Q, R, T, book, lay

W4_DECK = "inu tatsu saru tora tori ushi"
W4_PROGRAMS = ("keiko-gyugo", "kenen", "ryuko")


def test_w1_start() -> None:
    """W1: EN-9, EN-14, EN-31, EN-73."""
    hall = lay(K)
    board = hall.board
    assert (board.turn, board.flipped, len(board.deck)) == (1, "ushi", 5)
    assert board.pages == ("keiko-gyugo",)
    assert board.stack == ("ryuko", "kenen")
    assert hall.options() == ["stage:1", "stage:2", "stage:3", "take", "finish"]
    assert (board.flipped, *board.deck) == ("ushi", "tatsu", "inu", "saru", "tora", "tori")
    assert hall.kinds() == ["setup", "flip"]


def test_w2_stacking() -> None:
    """W2: EN-12, EN-13, EN-20."""
    hall = lay(K, "inu saru tora tatsu tori ushi", ("kenen", "ryuko", "keiko-gyugo"))
    hall.do("stage:1 next stage:1")
    assert hall.stage() == ["inu saru", "", ""]
    assert hall.choices() == ["next", "finish"]  # inu lies under saru
    hall.do("next stage:2")
    assert not any(text.startswith("perform") for text in hall.choices())


def test_w3_swap() -> None:
    """W3: EN-15, EN-16."""
    hall = lay(K, "inu tatsu saru tora tori ushi").do("take next")
    assert hall.choices() == [
        *("stage:1", "stage:2", "stage:3"),
        *("swap:1:1", "swap:1:2", "swap:1:3"),
        "finish",
    ]
    hall.do("swap:1:2")
    assert hall.stage() == ["", "inu", ""]
    assert hall.board.hand == ("tatsu",)
    swapped = hall.heard()[-1]
    assert swapped == {
        "kind": "swap", "seat": 0, "card": "tatsu", "hand": 1, "out": "inu", "slot": 2,
    }  # fmt: skip


def test_w4_chain() -> None:
    """W4: EN-25, EN-27, EN-28, EN-39, EN-43, EN-62."""
    hall = lay(K, W4_DECK, W4_PROGRAMS)
    hall.do("stage:1 next stage:2 next stage:3 next take next stage:2 next stage:3")
    assert hall.stage() == ["inu", "tatsu tori", "saru ushi"]
    assert hall.board.hand == ("tora",)
    assert not hall.board.deck
    assert hall.choices() == ["perform:keiko-gyugo:s2+s3", "finish"]
    hall.do("perform:keiko-gyugo:s2+s3")
    assert hall.stage() == ["inu", "tatsu", "saru"]
    assert list(hall.board.pages) == ["kenen"]
    hall.do("perform:kenen:s1+s3")
    assert list(hall.board.pages) == ["ryuko"]
    hall.do("perform:ryuko:s2+h1")
    assert hall.board.result == Result(Reason.DONE, True, 6, 6, 3, 0, 0, 6, 0)
    assert hall.kinds()[-5:] == ["perform", "slide", "goal", "end", "reveal"]
    assert hall.options() == []


def test_w5_stuck() -> None:
    """W5: EN-41, EN-42, EN-47."""
    hall = lay(K, W4_DECK, W4_PROGRAMS)
    hall.do("stage:1 next stage:2 next stage:3 next take next stage:1 next stage:1")
    assert hall.stage() == ["inu tori ushi", "tatsu", "saru"]
    assert hall.board.result == Result(Reason.STUCK, False, 0, 6, 0, 0, 3, 6, 0)
    assert hall.kinds()[-3:] == ["stage", "end", "reveal"]


W6_CARDS = "inu saru tatsu hebi tori ushi hitsuji uma"


def test_w6_pages() -> None:
    """W6: EN-6, EN-29."""
    five = book((3, 4, 1), W6_CARDS, "kenen ryuto-dabi keiko-gyugo yoto-kuniku iba-shinen")
    hall = lay(five, "tatsu hebi inu saru tori ushi hitsuji uma")
    assert list(hall.board.pages) == ["keiko-gyugo", "ryuto-dabi", "kenen"]
    hall.do("stage:1 next stage:2 perform:ryuto-dabi:s1+s2")
    assert list(hall.board.pages) == ["yoto-kuniku", "keiko-gyugo", "kenen"]
    assert hall.heard()[-1] == {
        "kind": "slide", "seat": 0, "index": 1, "opened": "yoto-kuniku",
        "pages": ["yoto-kuniku", "keiko-gyugo", "kenen"],
    }  # fmt: skip


def test_w7_short_row() -> None:
    """W7: EN-30."""
    three = book((3, 4, 1), W6_CARDS, "kenen ryuto-dabi keiko-gyugo")
    hall = lay(three, "tatsu hebi inu saru tori ushi hitsuji uma")
    hall.do("stage:1 next stage:2 perform:ryuto-dabi:s1+s2")
    assert list(hall.board.pages) == ["keiko-gyugo", "kenen"]
    assert hall.heard()[-1] == {
        "kind": "slide", "seat": 0, "index": 1, "pages": ["keiko-gyugo", "kenen"],
    }  # fmt: skip


def test_w8_sources() -> None:
    """W8: EN-21, EN-22, EN-26, EN-75."""
    two = evolve(
        book((1, 3, 1), "inu saru tora", "kenen ryuko"),
        cards=tuple((CardId(c), n) for c, n in (("inu", 2), ("saru", 1), ("tora", 1))),
    )
    hall = lay(two, "inu saru inu tora").do("stage:1 next stage:2 next take")
    assert hall.choices() == ["perform:kenen:s1+s2", "perform:kenen:s2+h1", "next", "finish"]
    decision = ENBU.decisions(hall.state)[SeatId(0)]
    assert dict(decision.options[1].args) == {
        "program": "kenen", "sources": ["s2", "h1"], "cards": ["saru", "inu"], "points": 2,
    }  # fmt: skip
    hall.do("next")
    assert hall.board.phase is Phase.PLACE


def test_w9_no_early_use() -> None:
    """W9: EN-18."""
    hall = lay(K, "tori ushi inu saru tora tatsu", W4_PROGRAMS).do("take next")
    assert hall.board.flipped == "ushi"
    assert not any(text.startswith(("perform", "drop")) for text in hall.choices())
    hall.do("stage:1")
    assert "perform:keiko-gyugo:s1+h1" in hall.choices()


def test_w10_drop() -> None:
    """W10: EN-50, EN-51, EN-52, EN-53, EN-55, EN-65, EN-125."""
    hall = lay(T, "tatsu inu tora saru tori ushi bakedanuki kyubi")
    hall.do("stage:1 next stage:1 next stage:2")
    assert hall.stage() == ["tatsu inu", "tora", ""]
    assert list(hall.board.pages) == ["keiko-gyugo", "kenen"]
    before = len(hall.told)
    hall.do("drop:1")
    assert hall.board.dropped == ("kenen",)
    assert list(hall.board.discard) == ["inu"]
    assert list(hall.board.pages) == ["ryuko", "keiko-gyugo"]
    assert hall.kinds(before) == ["drop", "slide", "goal"]
    assert hall.heard()[-1]["goal"] == "lost"
    hall.do("perform:ryuko:s1+s2")
    assert hall.board.total == 2
    assert list(hall.board.pages) == ["keiko-gyugo"]
    assert "next" in hall.choices()
    hall.do("finish")
    assert hall.board.result is not None
    assert not hall.board.result.success


def test_w11_no_drop() -> None:
    """W11: EN-54."""
    hall = lay(T, "tatsu inu tora saru tori ushi bakedanuki kyubi").do("take")
    assert hall.choices() == ["next", "finish"]


W12_MOVES = (
    "stage:1 next stage:2 perform:kenen:s1+s2 next stage:1 next stage:2 next stage:3 "
    "next stage:3 next take next stage:3"
)


def test_w12_reshuffle_blocked() -> None:
    """W12: EN-40, EN-57, EN-59."""
    hall = lay(T, "inu saru tori ushi tatsu tora bakedanuki kyubi").do(W12_MOVES)
    assert hall.stage() == ["tori", "ushi", "tatsu tora kyubi"]
    assert hall.board.hand == ("bakedanuki",)
    assert list(hall.board.pages) == ["ryuko", "keiko-gyugo"]
    assert not hall.board.deck
    assert set(hall.board.discard) == {"saru", "inu"}
    pairs = ("s1+s2", "s1+s3", "s1+h1", "s2+s3", "s2+h1", "s3+h1")
    assert hall.choices() == [
        "perform:ryuko:s3+h1",
        *(f"perform:keiko-gyugo:{pair}" for pair in pairs),
        *("drop:1", "drop:2", "drop:3"),
        "finish",
    ]
    assert len(hall.choices()) == 11


def test_w13_two_wilds() -> None:
    """W13: EN-24, EN-58, EN-60, EN-141."""
    hall = lay(T, "inu saru tori ushi tatsu tora bakedanuki kyubi").do(W12_MOVES)
    hall.do("perform:keiko-gyugo:s1+s2 perform:ryuko:s3+h1")
    assert hall.board.result == Result(Reason.DONE, True, 6, 6, 3, 0, 0, 8, 0)
    assert set(hall.board.wilds) == {"bakedanuki", "kyubi"}
    assert Counter(hall.board.discard) == Counter(["saru", "inu", "ushi", "tori"])
    performed = [event for event in hall.heard() if event["kind"] == "perform"][-1]
    assert performed["cards"] == ["kyubi", "bakedanuki"]
    assert performed["stands_for"] == {"s3": "tatsu", "h1": "tora"}


def test_w13_tight_bound() -> None:
    """W13: EN-56, EN-68, EN-69."""
    assert bound(R) == 5
    hall = lay(R, "inu saru usagi")
    hall.do("stage:1 next stage:2 perform:kenen:s1+s2 next stage:1")
    assert not hall.board.deck
    assert set(hall.board.discard) == {"saru", "inu"}
    assert hall.choices() == ["drop:1", "next", "finish"]
    before = len(hall.told)
    hall.do("next")
    assert hall.kinds(before) == ["reshuffle", "flip"]
    assert (hall.board.flipped, *hall.board.deck) == ("saru", "inu")
    assert hall.board.turn == 4
    hall.do("stage:2 next stage:3 perform:kento:s1+s3")
    assert hall.board.result == Result(Reason.DONE, True, 4, 4, 2, 0, 0, 5, 1)


def test_w14_one_wild() -> None:
    """W14: EN-59, EN-60."""
    one = evolve(Q, cards=tuple((CardId(c), 1) for c in ("inu", "saru")), first=("kenen",))
    hall = lay(one, "inu bakedanuki saru kyubi")
    hall.do("stage:1 next stage:1 next take perform:kenen:s1+h1")
    assert list(hall.board.wilds) == ["bakedanuki"]
    assert list(hall.board.discard) == ["saru"]
    assert hall.stage() == ["inu"]
    assert hall.board.deck == ("kyubi",)
    assert hall.board.result is not None
    assert hall.board.result.reason is Reason.DONE
    performed = next(event for event in hall.heard() if event["kind"] == "perform")
    assert performed["stands_for"] == {"s1": "inu"}


def test_w15_dropped_wilds() -> None:
    """W15: EN-60."""
    hall = lay(Q, "usagi inu saru bakedanuki kyubi")
    hall.do("stage:1 next stage:1 next stage:1 next stage:1 next stage:1")
    assert hall.choices() == ["drop:1", "finish"]
    hall.do("drop:1")
    assert list(hall.board.wilds) == ["kyubi"]
    assert list(hall.board.pages) == ["kento"]
    assert list(hall.board.discard) == []
    assert "next" not in hall.choices()
    hall.do("drop:1")
    assert list(hall.board.wilds) == ["kyubi", "bakedanuki"]
    assert hall.board.result == Result(Reason.DONE, False, 0, 4, 0, 2, 0, 5, 0)


def test_w16_a_drop_feeds_the_deck() -> None:
    """W16: EN-57."""
    hall = lay(R, "inu saru usagi").do("stage:1 next stage:1 next stage:1")
    assert hall.stage() == ["inu saru usagi", "", ""]
    assert hall.choices() == ["drop:1", "finish"]
    hall.do("drop:1")
    assert list(hall.board.discard) == ["usagi"]
    assert list(hall.board.pages) == ["kento"]
    hall.do("next")
    assert hall.heard()[-2] == {"kind": "reshuffle", "seat": 0, "number": 1, "deck": 1}
    assert hall.board.flipped == "usagi"
    hall.do("stage:2")
    assert not any(text.startswith("perform") for text in hall.choices())
    hall.do("drop:1")
    assert hall.board.result is not None
    assert (hall.board.result.reason, hall.board.result.success) == (Reason.DONE, False)


def test_w17_stuck_with_drops_on() -> None:
    """W17: EN-54, EN-63."""
    hall = lay(
        book((1, 3, 1), "inu saru usagi", "kenen kento", drop=True, pass_mark=2), "inu saru usagi"
    )
    hall.do("stage:1 next stage:2 next take perform:kenen:s1+s2")
    assert hall.board.hand == ("usagi",)
    assert list(hall.board.pages) == ["kento"]
    assert hall.board.result == Result(Reason.STUCK, True, 2, 4, 1, 0, 1, 3, 0)


def _dan_1(total: int) -> race.State:
    """dan-1 with ryuko in reach and a total written by hand."""
    return (
        lay(BOOKS["dan-1"])
        .alter(
            phase=Phase.ACT,
            flipped=None,
            total=total,
            pages=("ryuko", "kenen"),
            stack=(),
            stage=((CardId("tatsu"),), (CardId("tora"),), (), ()),
        )
        .state
    )


def test_w18_pass_mark() -> None:
    """W18: EN-63, EN-65, EN-125."""
    hall = lay(BOOKS["dan-1"])
    hall.state = _dan_1(19)
    before = len(hall.told)
    hall.do("perform:ryuko:s1+s2")
    assert hall.kinds(before) == ["perform", "slide", "goal"]
    assert hall.heard()[-1]["goal"] == "reached"
    assert "next" in hall.choices()
    hall.do("finish")
    assert hall.board.result is not None
    assert (hall.board.result.success, hall.board.result.total) == (True, 21)


def test_w18_below_the_mark() -> None:
    """W18: EN-63: failed by one point, but the total ranks."""
    hall = lay(BOOKS["dan-1"])
    hall.state = _dan_1(19)
    hall.do("drop:1")  # kenen; ryuko would still do
    assert hall.view()["you"]["board"]["goal"] == "open"
    before = len(hall.told)
    hall.do("drop:2")
    assert hall.kinds(before) == ["drop", "slide", "goal", "end", "reveal"]
    assert hall.view()["you"]["board"]["goal"] == "lost"
    outcome = ENBU.outcome(hall.state)
    assert outcome is not None
    (rank,) = outcome.ranking
    assert isinstance(rank, race.Finisher)
    assert (rank.rank, rank.score, rank.success, outcome.reason) == (1, 19, False, "done")


def test_w19_finish() -> None:
    """W19: EN-44, EN-48, EN-61."""
    hall = lay(BOOKS["kyu-1"])
    programs = BOOKS["kyu-1"].programs
    hall.alter(gained=programs[:5], pages=programs[5:], stack=(), total=14).do("finish")
    assert hall.board.flipped is not None  # it stays unplaced
    assert hall.board.result is not None
    assert (hall.board.result.reason, hall.board.result.success) == (Reason.FINISH, False)
    assert (hall.board.result.total, hall.board.result.gained) == (14, 5)


def test_w20_undo() -> None:
    """W20: EN-78, EN-79, EN-121."""
    hall = lay(K)
    before = hall.board
    assert "undo" not in hall.options()
    hall.do("stage:2")
    assert hall.options()[-1] == "undo"
    hall.do("undo")
    assert hall.board == before
    assert hall.view()["you"]["undo_left"] == 9
    hall.do("stage:2 next")
    with pytest.raises(IllegalOption):
        hall.do("undo")  # a card was flipped


def test_w20_two_undos() -> None:
    """W20: EN-78, EN-124: page, stack and placement come back; the stream only grows."""
    hall = lay(K, W4_DECK, ("kenen", "ryuko", "keiko-gyugo"))
    hall.do("stage:1 next stage:2 next")
    flipped = hall.board
    hall.do("stage:3")
    placed = hall.board
    hall.do("perform:kenen:s1+s3")
    assert list(hall.board.pages) == ["ryuko"]
    hall.do("undo")
    assert hall.board == placed
    assert list(hall.board.pages) == ["kenen"]
    assert hall.heard()[-1] == {"kind": "undo", "seat": 0, "last": 7}
    assert [event["kind"] for event in hall.heard()[:7]] == [
        *("setup", "flip", "stage", "flip", "stage", "flip", "stage"),
    ]  # fmt: skip
    hall.do("undo")
    assert hall.heard()[-1] == {"kind": "undo", "seat": 0, "last": 6}
    assert hall.board == flipped


def test_w20_eleventh_undo() -> None:
    """W20: EN-78: ten in a turn; the option is not listed then, and a new turn has ten again."""
    hall = lay(K).do("stage:1 undo " * 10 + "stage:1")
    assert hall.view()["you"]["undo_left"] == 0
    with pytest.raises(IllegalOption):
        hall.do("undo")
    hall.do("next stage:1 undo")


def test_w21_clock() -> None:
    """W21: EN-76, EN-126, EN-143."""
    hall = lay(K, W4_DECK, W4_PROGRAMS)
    turns = 0
    while hall.options():
        hall.run_out()
        turns += 1
    made = [event["choice"] for event in hall.heard() if event["kind"] == "default"]
    assert turns == 6
    assert [text for text in made if text != "next"] == [
        *("stage:1", "stage:2", "stage:3", "take", "stage:1", "stage:2"),
        "perform:keiko-gyugo:s1+s2",
        "perform:kenen:s1+s3",
        "perform:ryuko:s2+h1",
    ]
    assert hall.board.result == Result(Reason.DONE, True, 6, 6, 3, 0, 0, 6, 0)


def test_w22_aligned_figures() -> None:
    """W22: EN-83, EN-84."""
    hall = lay(K, seats=3)

    def closed(*figures: tuple[int, int]) -> tuple[Closed, ...]:
        return tuple(Closed(total, gained) for total, gained in figures)

    a = closed(*[(0, 0)] * 3, (2, 1), *[(4, 2)] * 3, (7, 3), (7, 3))
    b = closed(*[(0, 0)] * 5)
    racers = list(hall.state.racers)
    racers[0] = evolve(racers[0], closed=a)
    racers[1] = evolve(racers[1], closed=b)
    racers[2] = race.end(racers[2], Reason.FINISH)[0]
    state = evolve(hall.state, racers=tuple(racers))

    def shown(viewer: int | None) -> tuple[int, int, int, bool]:
        figures = race.figures_for(state, viewer if viewer is None else SeatId(viewer))[0]
        return figures.turn, figures.total, figures.gained, figures.ended

    assert shown(1) == (5, 4, 2, False)
    assert shown(2) == (9, 7, 3, False)  # C has ended
    assert shown(None) == (5, 4, 2, False)  # B is the slowest who plays
    # A ends at turn 9; B learns it when B closes turn 9.
    racers[0] = evolve(racers[0], board=evolve(racers[0].board, phase=Phase.OVER))
    for turns in (5, 8, 9):
        racers[1] = evolve(racers[1], closed=closed(*[(0, 0)] * turns))
        state = evolve(state, racers=tuple(racers))
        assert shown(1)[3] is (turns == 9)
        assert ENBU.view(state, SeatId(1)).asked == ((0, 1) if turns < 9 else (1,))


def test_w23_ranking() -> None:
    """W23: EN-67."""
    board = lay(K).board

    def ended(total: int, dropped: int, turns: int) -> Board:
        result = Result(Reason.DONE, False, total, 40, 1, dropped, 0, turns, 0)
        return evolve(board, phase=Phase.OVER, result=result)

    a, b, c, d = ended(31, 1, 36), ended(31, 2, 30), ended(31, 1, 34), ended(28, 0, 20)
    ranking = race.outcome_of([a, b, c, d])
    assert [(rank.seat, rank.rank) for rank in ranking.ranking] == [(2, 1), (0, 2), (1, 3), (3, 4)]
    assert ranking.reason == "race"
    shared = race.outcome_of([d, a, a, c])
    assert [(rank.seat, rank.rank) for rank in shared.ranking] == [(3, 1), (1, 2), (2, 2), (0, 4)]


def test_w24_equal_reshuffle() -> None:
    """W24: EN-70, EN-71."""
    inu, saru, tatsu, tora = (CardId(c) for c in ("inu", "saru", "tatsu", "tora"))
    assert shuffle_deck(SEED, 1, (inu, saru)) == (saru, inu)
    assert shuffle_deck(SEED, 1, (tora, inu, tatsu, saru)) == (saru, inu, tatsu, tora)


def test_w27_daily() -> None:
    """W27: EN-87, EN-88: the seed, the deck and the programs of a day."""
    options = ENBU.parse_options({"book": "daily:kyu-3"})
    seed = ENBU.day_entropy(options, SEED, "2025-01-01")
    assert seed is not None
    assert seed.hex().startswith("756fe733")
    assert seed.hex().endswith("b21aefd4")
    board = ENBU.setup(options, 1, ((),), seed).state.racers[0].board
    assert (board.flipped, *board.deck) == ("saru", "tori", "tora", "inu", "tatsu", "ushi")
    assert (*board.pages, *board.stack) == ("keiko-gyugo", "ryuko", "kenen")
    assert shuffle_programs(seed, K.rest) == ("ryuko", "kenen")
    assert ENBU.day_entropy(ENBU.parse_options({"book": "kyu-3"}), SEED, "2025-01-01") is None
