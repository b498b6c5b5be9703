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


def test_a_room_has_the_clock_options_of_the_paces_that_its_game_leaves_to_it() -> None:
    assert clock_names(()) == ()
    assert clock_names([Pace.DAY]) == ()
    assert clock_names([Pace.TURN]) == ("turn_ms", "bank_ms")
    assert clock_names([Pace.CHOICE, Pace.AUCTION]) == ("choice_ms", "auction_ms", "window_min_ms")
    assert clock_names(Pace) == tuple(field.name for field in fields(ClockOptions))
    assert clock_schema(OPTIONS, ()) == {}
    assert parse_clock_options({"turn_ms": 10}, OPTIONS, [Pace.CHOICE]) == OPTIONS, "the game's"
