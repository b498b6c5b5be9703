"""Properties of whole random games of enbu (§20): any book, any seats, any play."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaguraden_rules.enbu import play as rehearsal
from kaguraden_rules.enbu import race
from kaguraden_rules.enbu.board import Phase
from kaguraden_rules.enbu.book import Book
from kaguraden_rules.enbu.books import BOOKS, bound
from kaguraden_rules.enbu.choices import Drop, Perform, format_choice, parse_choice
from kaguraden_rules.enbu.options import Options
from kaguraden_rules.enbu.race import State
from kaguraden_rules.enbu.shuffle import shuffle_deck
from kaguraden_rules.kernel import Act, Answer, CardId, SeatId, replay
from kaguraden_rules.plain import structure, to_plain

from tests.properties.enbu_invariants import Referee
from tests.properties.enbu_play import ENBU, Player, Room, play, random_book, random_room
from tests.properties.sizes import games
from tests.rules.enbu_made_books import made_books

SEEDS = st.integers(0, 2**48)


def watch_game(seed: int, seats: int | None = None, made: float = 0.5) -> Referee:
    rng = random.Random(seed)
    referee = Referee()
    for taken in play(random_room(rng, seats, made), rng):
        referee.watch(taken)
    return referee


@pytest.mark.parametrize("seats", [1, 2, 8])
def test_invariants_hold_in_every_position(seats: int) -> None:
    """EN-112, EN-113, EN-114, EN-115, EN-116, EN-117, EN-124; EN-36, EN-74, EN-91, EN-130.

    The events alone rebuild the owner's view, so they hold after every event.
    """

    @games(60 // seats)
    @given(SEEDS)
    def games_of(seed: int) -> None:
        watch_game(seed, seats)

    games_of()


@games(40)
@given(made_books(), SEEDS)
def test_invariants_hold_with_any_made_book(book: Book, seed: int) -> None:
    """EN-99, EN-115: what the checks of books let through can be played to its end."""
    rng = random.Random(seed)
    referee = Referee()
    for taken in play(Room(Options(book), 1, rng.randbytes(32)), rng):
        referee.watch(taken)
    assert referee.reasons.total() == 1


@games(12)
@given(SEEDS)
def test_what_is_listed_is_taken_and_nothing_else(seed: int) -> None:
    """EN-19, EN-74, EN-116."""
    rng = random.Random(seed)
    referee = Referee()
    steps = list(play(random_room(rng, rng.choice((1, 2))), rng))
    for taken in rng.sample(steps, min(8, len(steps))):
        before = to_plain(taken.state)
        referee.check_refusals(taken.state)
        assert to_plain(taken.state) == before


def test_games_reach_everything() -> None:
    """The random player leaves nothing untried, or the other properties would prove little."""
    seen: Counter[str] = Counter()
    for seed in range(150):
        rng = random.Random(seed)
        for taken in play(random_room(rng, rng.choice((1, 1, 2))), rng):
            seen.update(event.kind for event in taken.events)
            for event in taken.events:
                if event.kind == "end":
                    plain: Any = to_plain(event)
                    seen[plain["reason"]] += 1
                    seen["success" if plain["success"] else "failure"] += 1
                elif event.kind == "perform":
                    seen["wild"] += getattr(event, "stands_for", None) is not None
    assert set(seen) == {
        *("setup", "flip", "stage", "take", "swap", "perform", "drop", "slide", "goal"),
        *("reshuffle", "undo", "default", "end", "reveal", "figures", "wild"),
        *("done", "stuck", "finish", "clock", "success", "failure"),
    }
    assert min(seen.values()) >= 10, seen


@games(30)
@given(SEEDS)
def test_a_journal_replays(seed: int) -> None:
    """EN-3, EN-93, EN-121: the same inputs give the same events and the same position."""
    rng = random.Random(seed)
    room = random_room(rng)
    steps = list(play(room, rng))
    inputs = [taken.input for taken in steps if taken.input is not None]
    decks: tuple[tuple[CardId, ...], ...] = ((),) * room.seats
    last = steps[-1].state
    assert replay(ENBU, room.options, decks, room.entropy, inputs) == last
    step = room.open()
    again = [step.events]
    for entry in inputs:
        if isinstance(entry, Act):
            step = ENBU.act(step.state, entry.seat, entry.answer)
        else:
            step = ENBU.expire(step.state, entry.wait)
        again.append(step.events)
    assert again == [taken.events for taken in steps]
    middle = rng.choice(steps).state
    assert structure(State, to_plain(middle)) == middle


@games(30)
@given(SEEDS)
def test_undo_takes_back_exactly_one_step(seed: int) -> None:
    """EN-78, EN-121: undo and the same step again give the same board; it never crosses a flip."""
    rng = random.Random(seed)
    for taken in play(random_room(rng), rng):
        match taken.input:
            case Act(seat, answer) if taken.before is not None and answer.option != "undo":
                old, new = taken.before.racers[seat], taken.state.racers[seat]
                if new.decision is None or answer.option == "next":
                    assert not new.past
                    continue
                if not new.can_undo:
                    assert new.undone == race.UNDO_LIMIT
                    continue
                back = ENBU.act(taken.state, seat, Answer(new.decision.id, "undo")).state
                undone = back.racers[seat]
                assert undone.board == old.board
                assert undone.board.turn == new.board.turn
                assert undone.past == old.past
                assert undone.decision is not None
                again = ENBU.act(back, seat, Answer(undone.decision.id, answer.option)).state
                assert again.racers[seat].board == new.board


@games(60)
@given(SEEDS)
def test_defaults_alone_end_every_game(seed: int) -> None:
    """EN-76, EN-123: within the bound, and without a drop."""
    rng = random.Random(seed)
    room = random_room(rng)
    state = room.open().state
    turns = 0
    while waits := [wait for wait in ENBU.waits(state) if wait.private]:
        state = ENBU.expire(state, rng.choice(waits).id).state
        turns += 1
    assert turns <= room.seats * bound(room.options.book)
    for racer in state.racers:
        assert racer.board.dropped == ()
        assert racer.board.result is not None


@games(60)
@given(SEEDS)
def test_the_default_of_any_position_is_no_drop(seed: int) -> None:
    """EN-76, EN-123: `next` where it is legal, else what is needed to go on."""
    rng = random.Random(seed)
    for taken in play(random_room(rng, 1), rng):
        board = taken.state.racers[0].board
        if board.phase is Phase.OVER:
            continue
        choices, default = rehearsal.choices(board), rehearsal.default(board)
        assert default in choices
        assert not isinstance(default, Drop)
        kinds = {format_choice(choice).partition(":")[0] for choice in choices}
        if board.phase is Phase.ACT:
            for kind in ("next", "perform", "finish"):
                if kind in kinds:
                    assert format_choice(default).startswith(kind)
                    break
        if isinstance(default, Perform):  # the rightmost page that can be performed
            able = {choice.program for choice in choices if isinstance(choice, Perform)}
            assert default.program == [page for page in board.pages if page in able][-1]


@games(60)
@given(SEEDS)
def test_choices_and_their_texts(seed: int) -> None:
    """EN-74, EN-75: one text a choice, and it is read as the same choice."""
    rng = random.Random(seed)
    for taken in play(random_room(rng, 1), rng):
        for choice in rehearsal.choices(taken.state.racers[0].board):
            assert parse_choice(format_choice(choice)) == choice


@games(200)
@given(SEEDS)
def test_equal_reshuffles(seed: int) -> None:
    """EN-71, EN-119: cards common to two r-th decks keep their order, copies of equal number too."""
    rng = random.Random(seed)
    book = random_book(rng)
    entropy, number = rng.randbytes(32), rng.randrange(6)
    deck = list(book.deck)
    piles = [rng.sample(deck, rng.randint(1, len(deck))) for _ in range(2)]
    shuffled = [shuffle_deck(entropy, number, pile) for pile in piles]
    for pile, result in zip(piles, shuffled, strict=True):
        assert Counter(pile) == Counter(result)
        assert shuffle_deck(entropy, number, rng.sample(pile, len(pile))) == result
    least = Counter(piles[0]) & Counter(piles[1])
    # Cards whose copies are all common have the same copy numbers in both piles.
    same = {card for card in least if piles[0].count(card) == piles[1].count(card)}
    assert [c for c in shuffled[0] if c in same] == [c for c in shuffled[1] if c in same]


@games(40)
@given(SEEDS)
def test_racers_get_the_same_cards(seed: int) -> None:
    """EN-80, EN-81, EN-119: equal programs and first decks; equal discards give equal decks."""
    rng = random.Random(seed)
    room = random_room(rng, 3)
    flips: dict[int, set[str]] = {}
    decks: dict[tuple[int, tuple[CardId, ...]], set[tuple[CardId, ...]]] = {}
    first = len(room.options.book.deck)
    for taken in play(room, rng):
        for event in taken.events:
            if event.kind == "flip" and event.turn <= first:  # type: ignore[attr-defined]
                flips.setdefault(event.turn, set()).add(event.card)  # type: ignore[attr-defined]
            if event.kind == "reshuffle" and taken.before is not None:
                seat = event.seat  # type: ignore[attr-defined]
                old, new = taken.before.racers[seat].board, taken.state.racers[seat].board
                if isinstance(taken.input, Act) and new.flipped is not None:
                    pile = tuple(sorted(old.discard))
                    deck = (new.flipped, *new.deck)
                    decks.setdefault((new.reshuffles, pile), set()).add(deck)
    assert all(len(cards) == 1 for cards in flips.values())
    assert all(len(found) == 1 for found in decks.values())


def test_choices_are_quick() -> None:
    """A solver and the server ask for them often: the largest books stay far below a millisecond."""
    import time

    rng = random.Random(3)
    boards = []
    for _ in range(20):
        room = Room(Options(BOOKS["dan-5"]), 1, rng.randbytes(32))
        player, state = Player(rng), room.open().state
        while decisions := ENBU.decisions(state):
            decision = decisions[SeatId(0)]
            text = player.choose(decision)
            state = ENBU.act(state, SeatId(0), Answer(decision.id, text)).state
            boards.append(state.racers[0].board)
    begun = time.process_time()
    for board in boards:
        rehearsal.choices(board)
    assert (time.process_time() - begun) / len(boards) < 500e-6


def test_the_command_plays_many_games() -> None:
    """`python -m tests.properties.enbu_games` reports how they went."""
    command = [sys.executable, "-m", "tests.properties.enbu_games", "--games", "30", "--first", "7"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "30 games" in done.stdout
    assert "0 failed" in done.stdout
