"""The clocks of a room, as a value."""

import pytest
from attrs import evolve, fields
from kaguraden_rules.kernel import BadOptions, Json, Pace, SeatId, Wait
from kaguraden_server.clocks import (
    ClockOptions,
    Clocks,
    clock_names,
    clock_schema,
    parse_clock_options,
)

OPTIONS = ClockOptions(
    turn_ms=10_000, choice_ms=5_000, window_ms=4_000, auction_ms=3_000, bank_ms=7_000
)
A, B, C = SeatId(0), SeatId(1), SeatId(2)


def turn(number: int, seat: SeatId = A) -> Wait:
    return Wait(f"turn:{number}", Pace.TURN, (seat,), (seat,))


def window(pending: tuple[SeatId, ...]) -> Wait:
    return Wait("window:1", Pace.WINDOW, (B, C), pending, minimum=True)


def started(*waits: Wait, now: float = 100.0) -> Clocks:
    return Clocks.start(OPTIONS, 3).follow(waits, answered=now, now=now)


def test_a_turn_lasts_its_limit_and_then_the_bank() -> None:
    assert started(turn(1)).due() == (117.0, "turn:1")


def test_what_a_turn_takes_over_its_limit_comes_out_of_the_seats_bank() -> None:
    clocks = started(turn(1)).follow([turn(2, B)], answered=112.5, now=112.5)
    assert clocks.banks_ms == (4_500, 7_000, 7_000)
    clocks = clocks.follow([turn(3)], answered=113, now=113)
    assert clocks.banks_ms == (4_500, 7_000, 7_000)
    assert clocks.due() == (113 + 10 + 4.5, "turn:3")


def test_a_seat_is_charged_until_its_answer_was_read_not_until_the_room_got_to_it() -> None:
    clocks = started(turn(1)).follow([turn(2, B)], answered=109.0, now=112.0)
    assert clocks.banks_ms == (7_000, 7_000, 7_000)
    assert clocks.due() == (129.0, "turn:2")


def test_a_wait_that_is_still_there_goes_on() -> None:
    clocks = started(window((B, C))).follow([window((C,))], answered=101, now=101)
    assert clocks.due() == (104.0, "window:1")


def test_a_window_ends_at_its_minimum_when_every_answer_is_in() -> None:
    clocks = started(window((B, C))).follow([window(())], answered=100.1, now=100.1)
    assert clocks.due() == (100.3, "window:1")


def test_a_limit_shorter_than_the_minimum_is_no_way_around_it() -> None:
    options = evolve(OPTIONS, window_ms=500, window_min_ms=900)
    clocks = Clocks.start(options, 3).follow([window((B, C))], answered=100, now=100)
    assert clocks.due() == (100.9, "window:1")


def test_of_several_waits_the_first_to_end_is_due_and_each_names_its_own_decision() -> None:
    clocks = started(turn(1), window((B, C)))
    assert clocks.due() == (104.0, "window:1")
    assert [mark.decision for mark in clocks.marks(A, "0.1")] == ["0.1", None]
    assert [mark.decision for mark in clocks.marks(B, "1.1")] == [None, "1.1"]


def test_a_wait_for_vacant_seats_alone_ends_at_the_minimum() -> None:
    assert started(window((B, C))).due(vacant=[B, C]) == (100.3, "window:1")
    assert started(window((B, C))).due(vacant=[B]) == (104.0, "window:1")
    assert started(turn(1)).due(vacant=[A]) == (100.3, "turn:1")


def test_others_see_no_difference_when_a_sealed_answer_comes_in() -> None:
    before = started(window((B, C)))
    after = before.follow([window((B,))], answered=101, now=101)
    for viewer in (A, None, B):
        assert before.marks(viewer, None) == after.marks(viewer, None)
    assert before.marks(C, "2.1") != after.marks(C, None)


def test_a_mark_becomes_the_durations_left_at_the_moment_of_sending() -> None:
    (mark,) = started(turn(1)).marks(A, "0.1")
    early = mark.to_wire(102.25)
    assert (early.seat, early.decision, early.left_ms, early.total_ms) == (0, "0.1", 7_750, 10_000)
    assert early.bank_ms == 7_000
    late = mark.to_wire(113.0)
    assert (late.left_ms, late.bank_ms) == (0, 4_000)
    over = mark.to_wire(200.0)
    assert (over.left_ms, over.bank_ms) == (0, 0)


def test_a_clock_of_several_seats_names_none() -> None:
    (mark,) = started(window((B, C))).marks(B, "1.1")
    assert (mark.seat, mark.decision, mark.bank_ms) == (None, "1.1", None)


def test_a_pause_stops_the_clocks_and_its_end_gives_all_time_back() -> None:
    paused = started(turn(1)).pause(103.0)
    assert paused.due() is None
    (mark,) = paused.marks(A, None)
    assert mark.to_wire(150.0).left_ms == 7_000
    assert mark.to_wire(150.0).paused is True
    resumed = paused.resume(160.0)
    assert resumed.due() == (174.0, "turn:1")


def test_a_clock_that_starts_during_a_pause_stands_at_its_full_time() -> None:
    clocks = started(turn(1)).pause(103.0).follow([turn(2, B)], answered=150, now=150)
    (mark,) = clocks.marks(B, None)
    assert mark.to_wire(155.0).left_ms == 10_000
    assert clocks.banks_ms == (7_000, 7_000, 7_000)
    assert clocks.resume(160.0).due() == (177.0, "turn:2")


def test_clock_options_are_checked_against_their_bounds() -> None:
    raw: dict[str, Json] = {"turn_ms": 10, "bank_ms": True, "window_min_ms": "x", "turns": 3}
    with pytest.raises(BadOptions) as caught:
        parse_clock_options(raw, OPTIONS, Pace)
    assert [p.path for p in caught.value.problems] == ["$.turn_ms", "$.bank_ms", "$.window_min_ms"]
    assert parse_clock_options({"bank_ms": 0}, OPTIONS, Pace) == evolve(OPTIONS, bank_ms=0)


def test_the_schema_of_the_clock_options_tells_their_bounds_and_defaults() -> None:
    schema = clock_schema(OPTIONS, Pace)
    assert schema["turn_ms"]["default"] == 10_000  # type: ignore[index,call-overload]
    assert schema["turn_ms"]["minimum"] == 500  # type: ignore[index,call-overload]


# --- clocks that are not the room's to set -----------------------------------------------------


def own_turn(limit_s: int | None, seat: SeatId = A) -> Wait:
    wait = turn(1, seat)
    return evolve(wait, limit_s=limit_s, private=True)


def test_a_game_may_set_the_time_itself_and_then_no_bank_is_used() -> None:
    """EN-77: the turn clock is an option of the game."""
    clocks = started(own_turn(90))
    assert clocks.due() == (190.0, "turn:1")
    (mark,) = clocks.marks(A, "0.1")
    assert (mark.total_ms, mark.bank_ms) == (90_000, None)
    assert clocks.follow([turn(2, B)], answered=185, now=185).banks_ms == (7_000, 7_000, 7_000)


def test_a_time_of_0_is_no_clock_at_all() -> None:
    """EN-77: a solo game without a clock is never ended by it."""
    clocks = started(own_turn(0))
    assert clocks.due() is None
    assert clocks.marks(A, "0.1") == ()
    assert clocks.due(vacant=[A]) == (100.3, "turn:1"), "but nobody waits for an empty seat"
    both = started(own_turn(0), window((B, C)))
    assert both.due() == (104.0, "window:1")


@pytest.mark.parametrize(
    "above",
    [Wait("race", Pace.GAME, (A, B), (A,), limit_s=1200), Wait("day", Pace.DAY, (A,), (A,))],
    ids=["race", "day"],
)
def test_of_a_seat_that_nobody_holds_the_turns_end_and_not_the_whole_game(above: Wait) -> None:
    """EN-154: what is left of its game is completed turn by turn."""
    clocks = started(above, own_turn(0))
    assert clocks.due(vacant=[A]) == (100.3, "turn:1")


def test_a_private_clock_is_shown_to_those_who_are_asked_alone() -> None:
    """EN-91: turn clocks go to their owner only."""
    clocks = started(own_turn(90))
    assert [len(clocks.marks(viewer, None)) for viewer in (A, B, C, None)] == [1, 0, 0, 0]


def test_the_clock_of_a_day_lasts_as_long_as_the_day_and_no_pause_stops_it() -> None:
    """EN-89, EN-150: an attempt ends at half past midnight, whatever happens."""
    day = Wait("day", Pace.DAY, (A,), (A,))
    clocks = Clocks.start(OPTIONS, 1, 3_600_000)
    clocks = clocks.follow([own_turn(90), day], answered=100, now=100)
    assert clocks.due() == (190.0, "turn:1")
    paused = clocks.pause(150)
    assert paused.due() == (3_700.0, "day")
    standing, running = paused.marks(A, "0.1")
    assert (standing.to_wire(160).paused, standing.to_wire(160).left_ms) == (True, 40_000)
    assert (running.to_wire(160).paused, running.to_wire(160).left_ms) == (None, 3_540_000)
    resumed = paused.resume(250)
    assert resumed.due() == (290.0, "turn:1")
    assert resumed.follow([day], answered=260, now=260).due() == (3_700.0, "day")


# --- clocks that stand, and seats that are away ------------------------------------------------


def own(limit_s: int = 75, *, held: bool = False, absent_s: int | None = 5) -> Wait:
    """Return a turn that everybody sees, with the times that the game's options set."""
    return evolve(turn(1), limit_s=limit_s, held=held, absent_s=absent_s)


def consent(pending: tuple[SeatId, ...] = (B,)) -> Wait:
    return Wait("consent:1", Pace.CHOICE, (B,), pending, limit_s=30, absent_s=5)


def test_the_clock_of_a_held_wait_stands_and_goes_on_from_there() -> None:
    """YU-102: a turn's while its consent is open."""
    clocks = started(own()).follow([own(held=True), consent()], answered=110, now=110)
    assert clocks.due() == (140.0, "consent:1")
    standing, running = clocks.marks(C, None)
    assert (standing.to_wire(125).left_ms, standing.to_wire(125).paused) == (65_000, True)
    assert (running.to_wire(125).left_ms, running.to_wire(125).paused) == (15_000, None)
    clocks = clocks.follow([own()], answered=125, now=125)
    assert clocks.due() == (190.0, "turn:1")
    (mark,) = clocks.marks(C, None)
    assert (mark.to_wire(126).left_ms, mark.to_wire(126).paused) == (64_000, None)


def test_a_clock_stands_from_when_the_answer_was_read_not_from_when_the_room_got_to_it() -> None:
    clocks = started(own()).follow([own(held=True), consent()], answered=110, now=113)
    assert clocks.marks(C, None)[0].to_wire(113).left_ms == 65_000
    assert clocks.due() == (143.0, "consent:1")


def test_an_answer_sent_before_its_question_gains_no_time() -> None:
    clocks = started(own()).follow([own(held=True), consent()], answered=90, now=101)
    assert clocks.follow([own()], answered=120, now=120).due() == (195.0, "turn:1")


def test_a_clock_may_be_held_twice() -> None:
    """YU-44: `exchange_proposals` may be more than one."""
    clocks = started(own())
    for at in (110, 130):
        clocks = clocks.follow([own(held=True), consent()], answered=at, now=at)
        clocks = clocks.follow([own()], answered=at + 10, now=at + 10)
    assert clocks.due() == (195.0, "turn:1")


def test_a_pause_neither_adds_to_a_held_clock_nor_takes_from_it() -> None:
    clocks = started(own()).follow([own(held=True), consent()], answered=110, now=110)
    clocks = clocks.pause(115)
    assert clocks.due() is None
    assert [mark.to_wire(150).left_ms for mark in clocks.marks(C, None)] == [65_000, 25_000]
    resumed = clocks.resume(200)
    assert resumed.due() == (225.0, "consent:1")
    assert resumed.follow([own()], answered=210, now=210).due() == (275.0, "turn:1")
    let_go = clocks.follow([own()], answered=150, now=150)
    assert let_go.due() is None
    assert let_go.marks(C, None)[0].to_wire(160).left_ms == 65_000
    assert let_go.resume(200).due() == (265.0, "turn:1")


def test_a_clock_that_is_held_during_a_pause_stands_where_it_was_paused() -> None:
    clocks = started(own()).pause(110)
    clocks = clocks.follow([own(held=True), consent()], answered=150, now=150)
    assert clocks.marks(C, None)[0].to_wire(160).left_ms == 65_000
    clocks = clocks.resume(200)
    assert clocks.due() == (230.0, "consent:1")
    assert clocks.follow([own()], answered=210, now=210).due() == (275.0, "turn:1")


def test_a_clock_that_stands_from_its_start_has_its_whole_time_later() -> None:
    clocks = started(own(held=True), consent())
    assert clocks.follow([own()], answered=120, now=120).due() == (195.0, "turn:1")


def test_the_bank_pays_for_no_time_that_a_clock_stood() -> None:
    held = evolve(turn(1), held=True)
    clocks = started(turn(1)).follow([held, consent()], answered=109, now=109)
    assert clocks.follow([turn(2, B)], answered=130, now=130).banks_ms[A] == 7_000
    late = started(turn(1)).follow([held, consent()], answered=112, now=112)
    assert late.follow([turn(2, B)], answered=130, now=130).banks_ms[A] == 5_000


def test_the_absent_are_waited_for_as_long_as_the_game_says() -> None:
    """YU-103, YU-141: from when the clock began, or from when they left if that is later."""
    clocks = started(own())
    assert clocks.due(away={A: 90.0}) == (105.0, "turn:1")
    assert clocks.due(away={A: 120.0}) == (125.0, "turn:1")
    assert clocks.due(away={A: 172.0}) == (175.0, "turn:1"), "the limit ends all the same"
    assert clocks.due(away={B: 90.0}) == (175.0, "turn:1")
    assert clocks.due() == (175.0, "turn:1"), "who comes back has the whole limit"


def test_the_absent_are_waited_for_no_longer_where_the_game_does_not_say() -> None:
    assert started(turn(1)).due(away={A: 90.0}) == (117.0, "turn:1")


def test_of_several_the_last_to_leave_is_waited_for() -> None:
    """YU-103, YU-141: and all who are there."""
    both = Wait("rematch", Pace.CHOICE, (A, B, C), (B, C), limit_s=30, absent_s=5)
    assert started(both).due(away={B: 102.0, C: 110.0}) == (115.0, "rematch")
    assert started(both).due(away={A: 90.0, B: 90.0}) == (130.0, "rematch")


def test_a_seat_that_nobody_holds_is_waited_for_like_the_absent() -> None:
    """YU-103, YU-141: whether a seat has been given up or is away, its turns last the same."""
    assert started(own()).due(vacant=[A]) == (105.0, "turn:1")
    assert started(own(absent_s=None)).due(vacant=[A]) == (100.3, "turn:1")
    both = Wait("rematch", Pace.CHOICE, (B, C), (B, C), limit_s=30, absent_s=5)
    assert started(both).due(vacant=[B], away={C: 110.0}) == (115.0, "rematch")


def test_a_window_with_all_answers_in_waits_for_none_of_the_absent() -> None:
    done = Wait("w", Pace.WINDOW, (B,), (), minimum=True, limit_s=30, absent_s=5)
    assert started(done).due(away={B: 90.0}) == (100.3, "w")
    short = Clocks.start(evolve(OPTIONS, window_min_ms=5_000), 3)
    asked = Wait("w", Pace.WINDOW, (B,), (B,), minimum=True, limit_s=30, absent_s=1)
    assert short.follow([asked], answered=100, now=100).due(away={B: 90.0}) == (105.0, "w")


def test_a_clock_that_goes_on_gives_the_absent_their_time_again() -> None:
    """YU-103, YU-141: how long they are waited for does not depend on what came before."""
    clocks = started(own()).follow([own(held=True), consent()], answered=110, now=110)
    assert clocks.due(away={A: 112.0}) == (140.0, "consent:1")
    clocks = clocks.follow([own()], answered=125, now=125)
    assert clocks.due(away={A: 112.0}) == (130.0, "turn:1")
    resumed = clocks.pause(127).resume(200)
    assert resumed.due(away={A: 112.0}) == (205.0, "turn:1")
    assert resumed.due() == (263.0, "turn:1")


def test_a_room_has_the_clock_options_of_the_paces_that_its_game_leaves_to_it() -> None:
    assert clock_names(()) == ()
    assert clock_names([Pace.GAME, Pace.DAY]) == ()
    assert clock_names([Pace.TURN]) == ("turn_ms", "bank_ms")
    assert clock_names([Pace.CHOICE, Pace.AUCTION]) == ("choice_ms", "auction_ms", "window_min_ms")
    assert clock_names(Pace) == tuple(field.name for field in fields(ClockOptions))
    assert clock_schema(OPTIONS, ()) == {}
    assert parse_clock_options({"turn_ms": 10}, OPTIONS, [Pace.CHOICE]) == OPTIONS, "the game's"
