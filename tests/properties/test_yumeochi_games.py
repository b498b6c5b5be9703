"""Properties of whole random games of yumeochi (§13): any set, any options, any play."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from kaguraden_rules.kernel import Act, Answer, Event, Expire, SeatId, apply, replay
from kaguraden_rules.plain import structure, to_plain
from kaguraden_rules.yumeochi import events
from kaguraden_rules.yumeochi.card import CardSet, Window
from kaguraden_rules.yumeochi.options import Options
from kaguraden_rules.yumeochi.state import Phase, State, Turn

from tests.properties.sizes import games
from tests.properties.yumeochi_invariants import Referee
from tests.properties.yumeochi_play import (
    BASE,
    SEATS,
    WORKSHOP,
    YUMEOCHI,
    Room,
    Taken,
    play,
    random_room,
)
from tests.properties.yumeochi_sets import random_set

SEEDS = st.integers(0, 2**48)


def watch_game(seed: int, cards: CardSet | None) -> Referee:
    """Watch a game with a set, None for a random one."""
    rng = random.Random(seed)
    referee = Referee()
    for taken in play(random_room(rng, cards or random_set(rng)), rng):
        referee.watch(taken)
    return referee


@pytest.mark.parametrize("cards", [BASE, WORKSHOP, None], ids=["base", "workshop", "random"])
def test_invariants_hold_in_every_position(cards: CardSet | None) -> None:
    """Invariants 1 to 9, 12 and 14, against the model, and the view against the events.

    YU-11, YU-24, YU-27, YU-28, YU-36, YU-56, YU-80, YU-83, YU-88, YU-100, YU-106, YU-107, YU-110, YU-112.
    """

    @games(20)
    @given(SEEDS)
    def games_of(seed: int) -> None:
        watch_game(seed, cards)

    games_of()


@games(6)
@given(SEEDS)
def test_what_is_listed_is_taken_and_nothing_else(seed: int) -> None:
    """Invariant 9, YU-101: a refusal changes nothing."""
    rng = random.Random(seed)
    referee = Referee()
    steps = list(play(random_room(rng), rng))
    for taken in steps:
        referee.watch(taken)
    for taken in rng.sample(steps, min(6, len(steps))):
        referee.check_refusals(taken.state)


def test_games_reach_everything() -> None:
    """The random players leave nothing untried, or the other properties would prove little."""
    ends = ("first", "stars", "origin", "cards", "dream", "survivor")
    actions = ("open", "use", "take", "give", "role_action", "pass")
    told = [event for event in vars(events).values() if isinstance(event, type)]
    missing = {
        *(event.kind for event in told if issubclass(event, Event) and "kind" in vars(event)),
        *(f"result {end}" for end in ends),
        *(f"window {window.value}" for window in Window),
        *(f"action {action}" for action in actions),
        *(f"asked {phase.value}" for phase in Phase if phase is not Phase.OVER),
        *("by player", "by clock"),
    } - {"event"}
    for seed in range(1000):
        if not missing:
            break
        rng = random.Random(seed)
        for taken in play(random_room(rng), rng):
            missing -= {f"asked {d.kind}" for d in YUMEOCHI.decisions(taken.state).values()}
            for event in taken.events:
                plain: Any = to_plain(event)
                parts = ("result", "window", "action", "by")
                missing -= {f"{part} {plain[part]}" for part in parts if part in plain}
                missing.discard(event.kind)
    assert not missing


@games(20)
@given(SEEDS)
def test_a_journal_replays(seed: int) -> None:
    """Invariant 10, YU-11: the same inputs give the same; a saved game goes on as it would have."""
    rng = random.Random(seed)
    room = random_room(rng, worn=0)
    steps = list(play(room, rng))
    inputs = [taken.input for taken in steps if taken.input is not None]
    assert replay(YUMEOCHI, room.options, ((),) * 4, room.entropy, inputs) == steps[-1].state
    assert room.open().events == steps[0].events
    for taken in rng.sample(steps[1:], min(8, len(steps) - 1)):
        assert taken.before is not None
        assert taken.input is not None
        loaded = structure(State, to_plain(taken.before))
        assert loaded == taken.before
        again = apply(YUMEOCHI, loaded, taken.input)
        assert again.events == taken.events
        assert to_plain(again.state) == to_plain(taken.state)


# --- rotation --------------------------------------------------------------------------------------

SEAT_KEYS = {
    "seat", "target", "giver", "receiver", "holder", "start", "origin", "source", "killer",
}  # fmt: skip
SEAT_LISTS = {"order", "winners", "seats"}
BY_SEAT = {"roles", "skills", "answers"}


def turned(event: Any, by: int) -> Any:
    """Return a plain event as it is when all seats are turned by `by`."""

    def turn(value: Any) -> Any:
        return (value + by) % 4 if isinstance(value, int) else value

    def rolled(values: list[Any]) -> list[Any]:
        return [values[(seat - by) % 4] for seat in SEATS]

    found = {}
    for key, value in event.items():
        moved_seat = key in ("old", "new") and event.get("which") in ("start", "origin")
        if key in SEAT_KEYS or moved_seat:
            found[key] = turn(value)
        elif key in SEAT_LISTS:
            found[key] = sorted(map(turn, value)) if key != "order" else list(map(turn, value))
        elif key in BY_SEAT and isinstance(value, list):
            found[key] = rolled(value)
        elif key == "counts":
            found[key] = sorted(
                ({**count, "seat": turn(count["seat"])} for count in value), key=str
            )
        else:
            found[key] = value
    return found


def _turned_start(state: State, by: int) -> State:
    def turn(seat: int | None) -> SeatId | None:
        return None if seat is None else SeatId((seat + by) % 4)

    assert isinstance(state.stage, Turn)
    first = turn(state.stage.seat)
    assert first is not None
    return evolve(
        state,
        seats=tuple(state.seats[(seat - by) % 4] for seat in SEATS),
        stage=evolve(state.stage, seat=first),
        start=turn(state.start),
        origin=turn(state.origin),
        order=tuple(SeatId((seat + by) % 4) for seat in state.order),
        decisions=(),
    )


def _normal(event: Any) -> Any:
    return turned(event, 0)


@games(20)
@given(SEEDS, st.integers(1, 3))
def test_turning_the_seats_turns_the_game(seed: int, by: int) -> None:
    """Invariant 11: with the same cards before them, the seats are alike."""
    rng = random.Random(seed)
    steps = list(play(random_room(rng, first_holder="random", replay="off"), rng))
    state = YUMEOCHI.begin(_turned_start(steps[0].state, by)).state
    for taken in steps[1:]:
        assert taken.before is not None
        before = YUMEOCHI.decisions(taken.before)
        if isinstance(taken.input, Act):
            seat = SeatId((taken.input.seat + by) % 4)
            decision = YUMEOCHI.decisions(state)[seat]
            old = before[taken.input.seat]
            number = [option.id for option in old.options].index(taken.input.answer.option)
            wanted = old.options[number]
            args = turned(dict(wanted.args), by)
            (option,) = (o for o in decision.options if (o.kind, o.args) == (wanted.kind, args))
            assert len(decision.options) == len(old.options)
            step = YUMEOCHI.act(state, seat, Answer(decision.id, option.id))
        else:
            (wait,) = (wait for wait in YUMEOCHI.waits(state) if not wait.held)
            step = YUMEOCHI.expire(state, wait.id)
        wanted_events = [turned(to_plain(event), by) for event in taken.events]
        assert [_normal(to_plain(event)) for event in step.events] == wanted_events
        state = step.state


# --- silence ---------------------------------------------------------------------------------------


@games(30)
@given(SEEDS)
def test_silence_alone_ends_every_game(seed: int) -> None:
    """Invariant 15, S-24: twelve rounds with no card opened, whoever is first."""
    room = Room(Options(BASE, replay="off"), random.Random(seed).randbytes(32))
    referee = Referee()
    step = room.open()
    referee.watch(Taken(None, None, step.state, step.events))
    state, rounds = step.state, 1
    while waits := YUMEOCHI.waits(state):
        (wait,) = waits
        before, step = state, YUMEOCHI.expire(state, wait.id)
        state = step.state
        referee.watch(Taken(before, Expire(wait.id), state, step.events))
        rounds += sum(event.kind == "phase_began" for event in step.events)
        assert not any(event.kind == "card_opened" for event in step.events)
    assert rounds <= 12
    gentleman = next(n for n, seat in enumerate(state.seats) if seat.role == "gentleman")
    assert state.result is not None
    assert state.result.winners == (gentleman,)
    assert (state.result.result == "first") is (state.origin == gentleman)
    assert all(place.is_down for place in state.clock)


def test_the_command_plays_many_games() -> None:
    """`python -m tests.properties.yumeochi_games` reports how they went."""
    command = [sys.executable, "-m", "tests.properties.yumeochi_games", "--games", "6"]
    done = subprocess.run([*command, "--first", "7"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 games with all invariants on: 0 failed" in done.stdout
    assert "pairs:" in done.stdout
