"""The worked scenarios of the rulebook (§14): victories, death and the end, and who may know what."""

from __future__ import annotations

from typing import Any

import pytest
from kaguraden_rules.kernel import CardId, Event, Outcome, Rank, SeatId
from kaguraden_rules.plain import to_plain
from kaguraden_rules.yumeochi import events as e
from kaguraden_rules.yumeochi import state as s
from kaguraden_rules.yumeochi.options import Options
from kaguraden_rules.yumeochi.sets import BASE

from tests.rules.yumeochi_positions import (
    YUMEOCHI,
    A,
    B,
    C,
    D,
    Table,
    at_turn,
    entropy,
    position,
    seat,
)


def winners(table: Table) -> tuple[str, tuple[SeatId, ...]]:
    """Return how the game ended and who has won it."""
    (ended,) = table.told(e.GameEnded)
    return ended.result, ended.winners


def stars(table: Table) -> list[int]:
    """Return what the seats had in the final count."""
    (count,) = table.told(e.FinalCount)
    return [entry.stars for entry in count.counts]


# --- the first victory -------------------------------------------------------------------------


def test_s18_gentleman_at_12() -> None:
    """S-18; YU-27, YU-76, YU-77, YU-78, YU-79, YU-82: he wins at the stroke, before all else."""
    table = at_turn(seat("gentleman", life=3, items="alarm_clock"), hour=11, start=B, origin=B)
    table.passes(B, C, D).act(A, "take")
    assert table.kinds() == [
        "action_taken",
        "marker_moved",  # start to A
        "phase_ended",
        "marker_moved",  # origin to A
        "marker_moved",  # current to 12
        "hour_became",
        "role_revealed",
        "first_victory",
        "game_ended",
        "all_revealed",
    ]
    (victory,) = table.told(e.FirstVictory)
    assert (victory.hour, victory.seats, victory.window) == (12, (A,), "hour_becomes")
    assert (table.asked, table.waits) == ((), ())
    assert table.result == s.Result("first", (A,), "hour_becomes")
    assert table.origin == A


@pytest.mark.parametrize(("life", "up"), [(3, True), (2, False)])
def test_s19_gentleman_thwarted(life: int, up: bool) -> None:
    """S-19; YU-82, YU-83, YU-92: shown, or with too little life, he has to play hour 12."""
    table = at_turn(seat("gentleman", life=life, up=up), hour=11, start=B, origin=B)
    table.passes(B, C, D).act(A, "take")
    assert table.told(e.FirstVictory) == []
    assert (table.hour, table.asked) == (12, (A,))
    table.passes(A, B, C, D)
    assert stars(table) == [1, 0, 0, 0]
    assert winners(table) == ("stars", (A,))


def test_s19_somebody_takes_the_marker_after_him() -> None:
    """S-19; YU-23, YU-82."""
    table = at_turn(seat("gentleman"), hour=11)
    table.passes(A).act(B, "take").passes(C, D)
    assert table.told(e.FirstVictory) == []
    assert (table.hour, table.asked) == (12, (B,))


def test_s19_he_used_afternoon_tea() -> None:
    """S-19; YU-47, YU-61, YU-92: his additional action shows him."""
    table = at_turn(seat("gentleman", life=2), seat(life=3), hour=4, start=B, origin=B)
    table.passes(B, C, D).act(A, "action:1")
    assert table.seat(A).role_up
    assert table.lives() == [4, 4, 5, 5]
    assert table.start == A
    assert table.options(A, "action") == []


def test_s19_his_star_counts_when_he_is_dead() -> None:
    """S-19; YU-65, YU-66, YU-81, YU-82, YU-84."""
    table = at_turn(seat("gentleman", dead=True), hour=12, start=B, origin=B)
    table.passes(B, C, D)
    assert stars(table) == [1, 0, 0, 0]
    assert winners(table) == ("stars", (A,))


def two_at_once(*, up: bool = False, **options: Any) -> Table:
    table = at_turn(
        seat("gentleman", life=3),
        seat("night_raven"),
        seat("mainspring_maker", life=3),
        seat("moon_hare", life=3, up=up, items="dew_umbrella black_quill"),
        hour=9,
        options=Options(BASE, **options),
    )
    return table.passes(A, B, C).act(D, "take")


def test_s20_two_at_once() -> None:
    """S-20; YU-78, YU-79, YU-80, YU-118: both win together and share the first rank."""
    table = two_at_once()
    (victory,) = table.told(e.FirstVictory)
    assert (victory.seats, victory.window) == ((B, D), "phase_end")
    assert [x.seat for x in table.told(e.RoleRevealed)] == [B, D]
    assert winners(table) == ("first", (B, D))
    assert YUMEOCHI.outcome(table.state) == Outcome(
        (Rank(B, 1, 1), Rank(D, 1, 1), Rank(A, 3, 0), Rank(C, 3, 0)), "first"
    )


def test_s20_origin_first() -> None:
    """S-20; YU-80: with `origin_first` only the first clockwise from the origin holder."""
    table = two_at_once(simultaneous_win="origin_first")
    assert winners(table) == ("first", (B,))


def test_s20_with_the_hare_face_up() -> None:
    """S-20; YU-92: B alone."""
    assert winners(two_at_once(up=True)) == ("first", (B,))


# --- the second victory ------------------------------------------------------------------------


def test_s21_tie_origin() -> None:
    """S-21; YU-52, YU-83, YU-84, YU-85: among the tied the holder of the origin marker wins."""
    table = at_turn(
        seat("gentleman", stock="sheep_parade"),
        seat(items="stopped_watch"),
        seat(stock="moon_shadow"),
        hour=12,
        start=C,
        origin=C,
    )
    table.passes(C, D, A, B)
    assert stars(table) == [3, 3, 3, 0]
    assert [x.step for x in table.told(e.FinalCount)] == ["origin"]
    assert winners(table) == ("origin", (C,))


def test_s21_the_marker_moves_before_the_count() -> None:
    """S-21; YU-20, YU-27, YU-83: after hour 12 the origin marker moves, but no time passes."""
    table = at_turn(seat("gentleman", stock="sheep_parade"), seat(items="stopped_watch"), hour=12)
    table.passes(A).act(B, "take").passes(C, D)
    assert [(x.which, x.new) for x in table.told(e.MarkerMoved)] == [("start", B), ("origin", B)]
    assert winners(table) == ("origin", (B,))
    assert table.hour == 12


def tie(**options: Any) -> Table:
    table = at_turn(
        seat("gentleman", stock="sheep_parade", items="dew_umbrella"),
        seat(),
        seat(stock="moon_shadow"),
        hour=12,
        start=D,
        origin=D,
        options=Options(BASE, **options),
    )
    return table.passes(D, A, B, C)


def test_s22_tie_cards() -> None:
    """S-22; YU-86: all cards in front count, the face-down ones too."""
    table = tie()
    (count,) = table.told(e.FinalCount)
    assert (count.counts[A], count.counts[C]) == (s.Count(A, 3, 4), s.Count(C, 3, 3))
    assert winners(table) == ("cards", (A,))


def test_s22_only_cards_with_stars_may_count() -> None:
    """S-22; YU-86: with `card_count = starred` the umbrella and the skill are none."""
    (count,) = tie(card_count="starred").told(e.FinalCount)
    assert (count.counts[A], count.counts[C]) == (s.Count(A, 3, 2), s.Count(C, 3, 1))


def dream(**options: Any) -> Table:
    table = at_turn(
        seat("gentleman"),
        seat(items="stopped_watch"),
        seat(stock="moon_shadow"),
        seat(),
        hour=12,
        start=D,
        origin=D,
        options=Options(BASE, **options),
    )
    return table.passes(D, A, B, C)


def test_s23_dream() -> None:
    """S-23; YU-9, YU-19, YU-87, YU-88: nobody wins, all is shown, and the game begins again."""
    table = dream()
    assert winners(table) == ("dream", ())
    (count,) = table.told(e.FinalCount)
    assert [(x.stars, x.cards) for x in count.counts] == [(1, 2), (3, 3), (3, 3), (0, 2)]
    kinds = table.kinds()
    assert kinds.index("game_ended") < kinds.index("all_revealed") < kinds.index("game_started")
    (started,) = table.told(e.GameStarted)
    assert started.game_no == table.state.game_no == 2
    assert (table.hour, table.lives()) == (1, [5, 5, 5, 5])
    assert table.start == table.origin == started.holder
    assert table.asked == (started.holder,)
    assert all(one.seen == () and one.items == () for one in table.state.seats)


def test_s23_the_match_may_end_there() -> None:
    """S-23; YU-88, YU-118: with `replay = off` it is a draw for all four."""
    table = dream(replay="off")
    assert [event.kind for event in table.events].count("match_drawn") == 1
    assert YUMEOCHI.outcome(table.state) == Outcome(
        tuple(Rank(SeatId(number), 1, 0) for number in range(4)), "dream"
    )
    assert table.state.game_no == 1


def test_s23_there_are_so_many_rematches() -> None:
    """S-23; YU-88: after `replay_limit` of them the match is a draw."""
    assert dream(replay_limit=1).state.game_no == 2
    assert dream(replay_limit=0).phase == "over"


def test_s23_the_players_may_be_asked() -> None:
    """S-23; YU-88, YU-117: with `replay = ask`; the answers show when all are in."""
    table = dream(replay="ask")
    assert (table.phase, table.asked) == ("rematch", (A, B, C, D))
    table.act(C, "yes").act(A, "yes").act(D, "yes")
    assert table.told(e.RematchAnswered) == []
    assert table.view(None).asked == (A, B, C, D)
    table.act(B, "yes")
    assert [x.answers for x in table.told(e.RematchAnswered)] == [(True,) * 4]
    assert (table.state.game_no, table.phase) == (2, "turn")


@pytest.mark.parametrize("by", ["player", "clock"])
def test_s23_one_no_ends_the_match(by: str) -> None:
    """S-23; YU-88, YU-117: also that of a clock."""
    table = dream(replay="ask")
    table.act(A, "yes").act(B, "yes").act(D, "yes")
    if by == "player":
        table.act(C, "no")
    else:
        table.expire()
    assert [x.answers for x in table.told(e.RematchAnswered)] == [(True, True, False, True)]
    assert (table.phase, table.result.result) == ("over", "dream")


def expired(word: str) -> Table:
    step = YUMEOCHI.setup(Options(BASE), 4, ((),) * 4, entropy(word))
    table = Table(step.state)
    while table.asked:
        table.expire()
    return table


def test_s24_all_clocks_run_out() -> None:
    """S-24; YU-20, YU-82, YU-83, YU-102: no card is opened; the Gentleman wins in any case."""
    ways = set()
    for number in range(12):
        table = expired(f"game {number}")
        assert all(place.is_down for place in table.state.clock)
        assert {x.by for x in table.told(e.ActionTaken)} == {"clock"}
        gentleman = [one.role for one in table.state.seats].index(CardId("gentleman"))
        is_first = table.origin == gentleman
        assert winners(table) == ("first" if is_first else "stars", (gentleman,))
        assert table.hour == 12
        ways.add(is_first)
    assert ways == {True, False}


# --- death and the end -------------------------------------------------------------------------


def all_dead(items: str = "", **options: Any) -> Table:
    table = at_turn(
        seat("gentleman", life=1, stock="midnight_party", items=items),
        seat(life=1),
        seat(life=1, stock="moon_shadow"),
        seat(life=1),
        hour=7,
        clock={7: "crow_flock"},
        options=Options(BASE, replay="off", **options),
    )
    return table.act(A, "open")


def test_s25_all_dead() -> None:
    """S-25; YU-65, YU-73, YU-74, YU-86, YU-87: they die together; no marker decides."""
    table = all_dead()
    assert [(x.seat, x.killer) for x in table.told(e.Died)] == [(x, None) for x in (A, B, C, D)]
    (count,) = table.told(e.FinalCount)
    assert (count.counts[A], count.counts[C]) == (s.Count(A, 3, 2), s.Count(C, 3, 2))
    assert winners(table) == ("dream", ())
    assert (table.start, table.origin) == (None, None)


def test_s25_had_a_an_umbrella() -> None:
    """S-25; YU-66, YU-86: one card more wins."""
    assert winners(all_dead("dew_umbrella")) == ("cards", (A,))


def test_s25_all_dead_may_be_a_dream() -> None:
    """S-25; YU-74: with `all_dead = dream`."""
    table = all_dead("dew_umbrella", all_dead="dream")
    assert winners(table) == ("dream", ())
    assert table.told(e.FinalCount) == []


def test_s26_a_dead_seat_wins() -> None:
    """S-26; YU-65, YU-66, YU-81: items and event-stock of the dead count."""
    table = at_turn(
        seat("gentleman", stock="moon_shadow"),
        seat(dead=True, items="stopped_watch rabbit_figurine", stock="midnight_party"),
        hour=12,
    )
    table.passes(A, C, D)
    assert stars(table) == [4, 6, 0, 0]
    assert winners(table) == ("stars", (B,))


def survivor(hour: int, **options: Any) -> Table:
    return at_turn(
        seat("mainspring_maker", skills="crows_talon", stock="sheep_parade"),
        seat("night_raven", life=1, stock="midnight_party"),
        seat("gentleman", dead=True),
        seat(dead=True),
        hour=hour,
        options=Options(BASE, **options),
    )


def test_s27_sole_survivor() -> None:
    """S-27; YU-69, YU-75: A plays on alone, and holds the origin marker in the end."""
    table = survivor(8).act(A, "use:crows_talon:1")
    assert (table.seat(A).kills, table.hour, table.asked) == (1, 9, (A,))
    table.passes(A, A, A, A)
    assert stars(table) == [2, 2, 1, 0]
    assert winners(table) == ("origin", (A,))
    assert table.hour == 12


def test_s27_the_last_survivor_may_win() -> None:
    """S-27; YU-75: with `last_survivor = wins`."""
    table = survivor(8, last_survivor="wins").act(A, "use:crows_talon:1")
    assert winners(table) == ("survivor", (A,))


# --- who may know what -------------------------------------------------------------------------


def test_s32_equal_views() -> None:
    """S-32; YU-13, YU-100, YU-101, YU-106, YU-108: hidden cards of others change nothing."""
    hands = (("sleight", "crows_talon"), ("naming", "hand_shadow"))
    tables = [
        Table(
            position(
                seat("gentleman", skills="keyhole"),
                seat("night_raven", skills="lullaby"),
                seat("moon_hare", skills=hands[0][which]),
                seat("mainspring_maker", skills=hands[1][which]),
                leftover=f"{hands[0][1 - which]} {hands[1][1 - which]}",
            )
        )
        for which in (0, 1)
    ]
    inputs = ["use:keyhole", "no", "use:lullaby:2", "open", "take", "pass"]
    inputs += ["exchange:1:keyhole", "agree:lullaby", "use:keyhole", "no", "take"]
    while tables[0].asked:
        for table in tables:
            (who,) = table.asked
            wanted = inputs[0] if inputs else "pass"
            table.act(who, wanted)
        if tables[0].told(e.AllRevealed):
            break
        inputs = inputs[1:]
        assert tables[0].asked == tables[1].asked
        assert tables[0].waits == tables[1].waits
        for viewer in (A, B, None):
            assert tables[0].bytes_for(viewer) == tables[1].bytes_for(viewer)
        for viewer in (C, D):
            assert tables[0].bytes_for(viewer) != tables[1].bytes_for(viewer)
    assert tables[0].told(e.AllRevealed) != tables[1].told(e.AllRevealed)


def test_s32_players_may_talk_and_nothing_shows_a_card() -> None:
    """S-32; YU-17: no option does; talk is free at any time."""
    table = at_turn(seat(skills="keyhole", items="black_quill"), hour=3)
    kinds = {option.kind for option in table.decisions[A].options}
    assert kinds == {"open", "use", "give", "exchange", "action", "pass"}
    assert not YUMEOCHI.is_quiet(table.state)


def without_by(table: Table, viewer: SeatId | None) -> list[Any]:
    """Return what a viewer was told, without who made the decisions."""
    told: list[Any] = [to_plain(event) for event in table.told(Event, viewer)]
    return [{key: part for key, part in entry.items() if key != "by"} for entry in told]


def test_s33_absent_seat() -> None:
    """S-33; YU-102, YU-103, YU-104: it is asked as before; its defaults are as if it chose them."""
    away, there = at_turn(seat(skills="keyhole"), hour=4), at_turn(seat(skills="keyhole"), hour=4)
    for table in (away, there):
        table.act(A, "exchange:3:keyhole")
        assert [wait.absent_s for wait in table.waits] == [5, 5]
    away.expire()
    there.act(D, "refuse")
    for table in (away, there):
        table.passes(A, B, C)
        assert table.asked == (D,)
        (wait,) = table.waits
        assert (wait.pending, wait.limit_s, wait.absent_s) == ((D,), 75, 5)
    away.expire()
    there.act(D, "pass")
    assert [(x.seat, x.by) for x in away.told(e.ActionTaken)][-1] == (D, "clock")
    assert away.state == there.state
    for viewer in (A, B, C, D, None):
        assert away.view(viewer) == there.view(viewer)
        assert without_by(away, viewer) == without_by(there, viewer)
