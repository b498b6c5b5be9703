"""Non-interference (EN-92, EN-118, EN-120): what is shown depends on nothing that is hidden."""

from __future__ import annotations

import random
from collections import Counter

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from kaguraden_rules.enbu.books import BOOKS
from kaguraden_rules.enbu.shuffle import shuffle_deck, shuffle_programs
from kaguraden_rules.kernel import Act, SeatId, Viewer

from tests.properties.enbu_pairs import Course, another_future, shown, told
from tests.properties.enbu_play import ENBU, Room, play, random_room
from tests.properties.sizes import games

SEEDS = st.integers(0, 2**48)


def everybody(room: Room) -> tuple[Viewer, ...]:
    return (None, *(SeatId(seat) for seat in range(room.seats)))


def test_cards_to_come_show_nowhere() -> None:
    """EN-34, EN-92, EN-118: with other cards to come, everybody is shown the same up to a flip.

    In a daily the same holds after its end: the rest of the deck is not shown (EN-89).
    """
    counted: Counter[str] = Counter()

    @games(60)
    @given(SEEDS)
    def pairs(seed: int) -> None:
        rng = random.Random(seed)
        room = random_room(rng)
        steps = list(play(room, rng))
        start = rng.randrange(len(steps))
        one, two = steps[start].state, another_future(steps[start].state, rng)
        counted["different"] += one != two
        for taken in (None, *steps[start + 1 :]):
            if taken is not None:
                assert taken.input is not None
                if any(event.kind in ("flip", "reveal") for event in taken.events):
                    break
                if isinstance(taken.input, Act):
                    step = ENBU.act(two, taken.input.seat, taken.input.answer)
                else:
                    step = ENBU.expire(two, taken.input.wait)
                one, two = taken.state, step.state
                counted["steps"] += 1
                for viewer in everybody(room):
                    assert told(taken.events, viewer) == told(step.events, viewer)
            if ENBU.outcome(one) is None or room.options.is_daily:
                counted["daily over"] += ENBU.outcome(one) is not None
                for viewer in everybody(room):
                    assert shown(one, viewer) == shown(two, viewer)

    pairs()
    assert counted["different"] >= 30
    assert counted["steps"] >= 60


@games(25)
@given(SEEDS)
def test_two_seeds_that_agree_so_far_look_the_same(seed: int) -> None:
    """EN-118: two whole seeds with the same programs and the same first cards."""
    rng = random.Random(seed)
    room = random_room(rng, rng.choice((1, 2)), made=0.0)
    book = BOOKS["kyu-3"]
    room = evolve(room, options=evolve(room.options, book=book))
    agreed = rng.choice((1, 2, 3))

    def start(entropy: bytes) -> tuple[object, ...]:
        deck = shuffle_deck(entropy, 0, book.deck)
        return (*shuffle_programs(entropy, book.rest), *deck[:agreed])

    wanted = start(room.entropy)
    twin = next(s for s in iter(lambda: rng.randbytes(32), b"") if start(s) == wanted)
    step = evolve(room, entropy=twin).open()
    for taken in play(room, rng):
        if taken.input is not None:
            if isinstance(taken.input, Act):
                step = ENBU.act(step.state, taken.input.seat, taken.input.answer)
            else:
                step = ENBU.expire(step.state, taken.input.wait)
        if any(racer.board.turn > agreed for racer in taken.state.racers):
            return
        if ENBU.outcome(taken.state) is not None and not room.options.is_daily:
            return
        for viewer in everybody(room):
            assert told(taken.events, viewer) == told(step.events, viewer)
            assert shown(taken.state, viewer) == shown(step.state, viewer)


def test_later_turns_of_rivals_show_nowhere() -> None:
    """EN-82, EN-83, EN-84, EN-120: other cards and other play beyond the viewer's turns.

    For a seat: beyond the turns that it has closed. For watchers: beyond those of the slowest
    running player.
    """
    counted: Counter[str] = Counter()

    @games(120)
    @given(SEEDS)
    def pairs(seed: int) -> None:
        rng = random.Random(seed)
        room = random_room(rng, rng.choice((2, 3, 5)))
        steps = list(play(room, rng))
        viewer: Viewer = rng.choice(everybody(room))
        running = [
            at
            for at, taken in enumerate(steps)
            if any(
                not racer.is_over and viewer in (None, seat)
                for seat, racer in enumerate(taken.state.racers)
            )
        ]
        course = Course(room, steps[: rng.choice(running) + 1], viewer, rng)
        first, one, second, two = course.play()
        assert first == second
        assert one == two
        counted["strayed"] += course.strayed
        counted["pairs"] += course.strayed > 0
        counted["watchers"] += course.strayed > 0 and viewer is None
        counted["figures"] += any('"figures"' in text for text in first)

    pairs()
    # The property would prove little if rivals hardly ever were ahead.
    assert counted["pairs"] >= 40
    assert counted["strayed"] >= 400
    assert counted["watchers"] >= 8
    assert counted["figures"] >= 30
