"""Properties of whole random games of odoriko (§19): 2 to 6 seats, any room options, any play."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from itertools import chain
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from kaguraden_rules.kernel import (
    Answer,
    CardsValue,
    Decision,
    Event,
    IntValue,
    Option,
    OrderValue,
    RuleError,
    SeatId,
    Value,
    apply,
    replay,
)
from kaguraden_rules.odoriko import events as e
from kaguraden_rules.odoriko import state as s
from kaguraden_rules.plain import structure, to_plain

from tests.properties.odoriko_invariants import Referee
from tests.properties.odoriko_play import ODORIKO, Player, play, random_room, sample_value
from tests.properties.sizes import games

SEEDS = st.integers(0, 2**48)
LONG = os.environ.get("KAGURADEN_GAMES") is not None


def watch_game(seed: int, seats: int, **fixed: Any) -> Referee:
    rng = random.Random(seed)
    referee = Referee()
    for taken in play(random_room(rng, seats, **fixed), rng):
        referee.watch(taken)
    assert referee.halves == [1, 2]  # midway comes exactly once
    finals = [seat for half, seat, _ in referee.tallied if half == 2]
    assert finals == list(range(seats))
    return referee


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_invariants_hold_in_every_position(seats: int) -> None:
    """I-1 to I-10, I-12, I-15 to I-17, I-19; OD-99, OD-130, OD-177: see the referee's parts.

    That is: I-1, I-2, I-3, I-4, I-5, I-6, I-7, I-8, I-9, I-10, I-12, I-15, I-16, I-17, I-19.
    """

    @games(14)
    @given(SEEDS)
    def games_of(seed: int) -> None:
        watch_game(seed, seats)

    games_of()


def test_games_reach_every_kind_of_event() -> None:
    """The random player leaves nothing untried, or the other properties would prove little."""
    kinds: set[str] = set()
    reasons: set[str] = set()
    for seed in range(400):
        rng = random.Random(seed)
        for taken in play(random_room(rng), rng):
            kinds |= {event.kind for event in taken.events}
            outcome = ODORIKO.outcome(taken.state)
            if outcome is not None:
                reasons.add(outcome.reason)
        if len(reasons) == 3 and kinds >= BUILTIN_EVENTS:
            break
    assert kinds >= BUILTIN_EVENTS
    assert reasons == {"final", "barren", "circuit_limit"}


BUILTIN_EVENTS = {
    getattr(e, name).kind
    for name in e.__all__
    if isinstance(getattr(e, name), type) and issubclass(getattr(e, name), Event)
} - {"chain_capped", "actions_capped", "cards_taken"}  # only other cards can set them off


# --- options -------------------------------------------------------------------------------------


def extreme_values(rng: random.Random, option: Option) -> list[Value]:
    """Return values that an option takes: the least, the most, and one between."""
    match option.value:
        case None:
            return [None]
        case IntValue(least, most):
            return [least, most, rng.randint(least, most)]
        case CardsValue(among, least, most):
            return [among[:least], among[-most:] if most else (), sample_value(rng, option)]
        case OrderValue(of):
            return [of, of[::-1]]


def wrong_values(option: Option) -> list[Value]:
    """Return values that an option does not take."""
    match option.value:
        case None:
            return [0, (), ("9D",)]
        case IntValue(least, most):
            return [None, least - 1, most + 1, ("9D",), True]
        case CardsValue(among, least, most):
            doubled = (among[0],) * max(2, least)
            rest = [among[: least - 1]] if least else []
            return [None, 1, doubled, (*among, "nothing")[-max(1, least) :], *rest]
        case OrderValue(of):
            return [None, of[1:], (*of[1:], "nothing")]


def accept_all(state: s.State, rng: random.Random) -> None:
    for seat, decision in ODORIKO.decisions(state).items():
        for option in decision.options:
            for value in extreme_values(rng, option):
                ODORIKO.act(state, seat, Answer(decision.id, option.id, value))
    for wait in ODORIKO.waits(state):
        ODORIKO.expire(state, wait.id)


def refuse_the_rest(state: s.State, seen: list[str], rng: random.Random) -> None:
    """Send answers that are not listed: other options, values, seats, decisions and waits."""
    decisions = ODORIKO.decisions(state)
    attempts: list[tuple[int, Answer]] = []
    for seat in range(-1, len(state.seats) + 1):
        decision = decisions.get(SeatId(seat))
        if decision is None:
            attempts += [(seat, Answer(d.id, d.default)) for d in decisions.values()]
            attempts.append((seat, Answer(f"{seat}.1", "pass")))
            continue
        listed = {option.id for option in decision.options}
        others = chain.from_iterable(d.options for d in decisions.values())
        foreign = {option.id for option in others} | set(rng.sample(seen, min(40, len(seen))))
        attempts += [
            (seat, Answer(decision.id, option)) for option in sorted((foreign | {""}) - listed)
        ]
        for option in decision.options:
            attempts += [
                (seat, Answer(decision.id, option.id, value)) for value in wrong_values(option)
            ]
        stale = (f"{seat}.0", f"{seat}.99999", "", *(d.id for d in decisions.values()))
        attempts += [(seat, Answer(i, decision.default)) for i in stale if i != decision.id]
    before = to_plain(state)
    for who, answer in attempts:
        with pytest.raises(RuleError):
            ODORIKO.act(state, SeatId(who), answer)
    for wait in ("", "w0", "w99999", "1.1"):
        with pytest.raises(RuleError):
            ODORIKO.expire(state, wait)
    assert to_plain(state) == before


@games(10)
@given(SEEDS)
def test_options_are_complete(seed: int) -> None:
    """I-14, I-18; OD-176: all that is listed is accepted; all else is refused and changes nothing."""
    rng = random.Random(seed)
    seen: list[str] = []
    for number, taken in enumerate(play(random_room(rng), rng)):
        decisions = ODORIKO.decisions(taken.state)
        seen += [o.id for decision in decisions.values() for o in decision.options]
        is_rare = any(decision.kind != "action" for decision in decisions.values())
        if is_rare or number % 10 == 0:
            accept_all(taken.state, rng)
            refuse_the_rest(taken.state, seen, rng)


@games(10)
@given(SEEDS)
def test_every_legal_action_is_offered(seed: int) -> None:
    """I-18; OD-39: the options of an action point are those counted from the position by hand."""
    rng = random.Random(seed)
    for taken in play(random_room(rng), rng):
        for seat, decision in ODORIKO.decisions(taken.state).items():
            if decision.kind == "action":
                offered = {option.id for option in decision.options}
                assert offered == set(actions_by_hand(taken.state, seat))


def actions_by_hand(state: s.State, seat: SeatId) -> list[str]:
    """Return the option ids of an action point, by the table of §4, OD-74, OD-75, OD-82, OD-109."""
    own = state.seats[seat]
    hand = [card.partition("@")[0] for card in own.hand]
    found = ["end_turn"]
    found += ["draw:resource"] if own.resource_deck else []
    found += ["draw:character"] if own.character_deck else []
    fields = {"song": own.song, "dance": own.dance}
    frozen = {frost.zone.value for frost in own.frosts}
    open_fields = [
        zone
        for zone, lying in fields.items()
        if zone not in frozen
        and not any(card.card.startswith("cc") and not card.kept for card in lying)
    ]
    for card in hand:
        found.append(f"discard:hand:{card}")
        home = "song" if card[-1] in "HD" else "dance"
        if card[:-1].isdigit() and home not in frozen:
            found.append(f"place_resource:{card}")
        if card.startswith("ev_") and may_use_event(card, own):
            found.append(f"use_event:{card}")
        if card.startswith("cc"):
            found += [f"place_character:{card}:{zone}" for zone in open_fields]
    named: list[tuple[int, str, str, s.Lying]] = [
        (who, zone, label, card)
        for who, other in enumerate(state.seats)
        for zone in ("song", "dance")
        for label, card in labelled(getattr(other, zone))
    ]
    found += [f"discard:{zone}:{label}" for who, zone, label, _ in named if who == seat]
    for who, zone, label, lying in named:
        if who == seat and lying.card.startswith("cc"):
            found += skill_by_hand(f"use_skill:{zone}:{label}", lying, own, named)
    for card in hand:
        if card in ("KS", "KH", "KD", "KC"):
            found += [
                f"use_k:{card}:{who}:{zone}:{label}"
                for who, zone, label, y in named
                if not y.fc and not y.sheltered
            ]
        if card in ("QS", "QH", "QD", "QC"):
            found += [f"q_swap:{card}:{move}" for move in swaps_by_hand(own)]
    if any(card[-1] in "SHDC" and not card.startswith(("cc", "ev")) for card in hand):
        kinds = ("resource", "special", "either")
        found += [f"sell:{kind}:{price}" for kind in kinds for price in (1, 2, 3, 4)]
    return found


def may_use_event(card: str, own: s.Seat) -> bool:
    """Only one event has a condition: a tree of 20."""
    trees = [sum(value_of(y.card) for y in lying) for lying in (own.song, own.dance)]
    return card != "ev_morimatsuri" or max(trees) >= 20


def value_of(card: str) -> int:
    return int(card[:-1]) if card[:-1].isdigit() else 0


def skill_by_hand(
    start: str, card: s.Lying, own: s.Seat, named: list[tuple[int, str, str, s.Lying]]
) -> list[str]:
    """Return the uses of one of the nine at an action point."""
    hand = [held.partition("@")[0] for held in own.hand]
    mine = {id(y) for y in own.song + own.dance}
    match card.card.partition("@")[0]:
        case "cc002" if own.vp >= 12 and own.resource_deck:
            return [f"{start}:{held}" for held in dict.fromkeys(hand)]
        case "cc006" | "cc008" | "cc009":
            return [start]  # what they choose is a list
        case "cc007":
            frozen = any(frost.zone == "dance" for frost in own.frosts)
            theirs = [
                f"{start}:{who}:{zone}:{label}"
                for who, zone, label, y in named
                if id(y) not in mine and y.card[-1] in "SC" and not frozen
            ]
            return theirs or [start]
    return []


def labelled(lying: tuple[s.Lying, ...]) -> list[tuple[str, s.Lying]]:
    found: list[tuple[str, s.Lying]] = []
    for card in lying:
        face = card.card.partition("@")[0]
        copies = sum(label.partition("#")[0] == face for label, _ in found)
        found.append((face if not copies else f"{face}#{copies + 1}", card))
    return found


def swaps_by_hand(own: s.Seat) -> list[str]:
    """Try every move and exchange; no field may end with two new characters or be entered frozen."""
    frozen = {frost.zone.value for frost in own.frosts}
    song = [(n, c) for n, c in labelled(own.song) if c.card.startswith("cc")]
    dance = [(n, c) for n, c in labelled(own.dance) if c.card.startswith("cc")]
    found = []
    for a in (None, *song):
        for b in (None, *dance):
            new_song = [c for _, c in song if a is None or c is not a[1]] + ([b[1]] if b else [])
            new_dance = [c for _, c in dance if b is None or c is not b[1]] + ([a[1]] if a else [])
            if (a and "dance" in frozen) or (b and "song" in frozen):
                continue
            if (a or b) and all(sum(not c.kept for c in f) <= 1 for f in (new_song, new_dance)):
                parts = [f"song:{a[0]}"] if a else []
                parts += [f"dance:{b[0]}"] if b else []
                found.append(":".join(parts))
    return found


# --- replays and arrival -------------------------------------------------------------------------


@games(20)
@given(SEEDS)
def test_a_journal_replays_to_the_same_game(seed: int) -> None:
    """I-11; OD-27, OD-112: same options, decks, entropy and inputs, same states and events.

    A state that went through JSON plays on as if nothing had happened.
    """
    rng = random.Random(seed)
    room = random_room(rng)
    steps = list(play(room, rng))
    inputs = [taken.input for taken in steps[1:]]
    assert replay(ODORIKO, room.options, room.decks, room.entropy, inputs) == steps[-1].state
    at = rng.randrange(len(steps))
    state = structure(s.State, to_plain(steps[at].state))
    assert state == steps[at].state
    for taken in steps[at + 1 : at + 40]:
        step = apply(ODORIKO, state, taken.input)
        assert (step.state, step.events) == (taken.state, taken.events)
        state = step.state


DIGEST = """
import hashlib, json, random
from kaguraden_rules.plain import to_plain
from tests.properties.odoriko_play import play, random_room
digest = hashlib.sha256()
for seed in range(6):
    rng = random.Random(seed)
    for taken in play(random_room(rng), rng):
        digest.update(json.dumps([to_plain(event) for event in taken.events]).encode())
    digest.update(json.dumps(to_plain(taken.state)).encode())
print(digest.hexdigest())
"""


def test_games_are_the_same_in_every_process() -> None:
    """I-11: nothing depends on the order of sets or on the process's hash seed."""
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("0", "4711")
    }
    assert len(digests) == 1


def sealed_now(state: s.State) -> dict[SeatId, Decision]:
    return {seat: d for seat, d in ODORIKO.decisions(state).items() if d.sealed}


def answer_all(state: s.State, answers: list[tuple[SeatId, Answer]]) -> tuple[s.State, list[Event]]:
    """Give sealed answers in this order, then let the time be up if the wait is still the same."""
    (wait,) = ODORIKO.waits(state)
    events: list[Event] = []
    for seat, answer in answers:
        step = ODORIKO.act(state, seat, answer)
        state = step.state
        events += step.events
    if wait.id in {w.id for w in ODORIKO.waits(state)}:
        step = ODORIKO.expire(state, wait.id)
        state = step.state
        events += step.events
    return state, events


@games(25)
@given(SEEDS)
def test_arrival_order_of_sealed_answers_changes_nothing(seed: int) -> None:
    """I-11, OD-101: whatever order they come in, some perhaps too late, the game is the same."""
    rng = random.Random(seed)
    player = Player.of(rng)
    for taken in play(random_room(rng), rng):
        sealed = sealed_now(taken.state)
        if len(sealed) < 2:
            continue
        answers = [(seat, player.answer(decision)) for seat, decision in sealed.items()]
        answers = answers[: rng.randint(1, len(answers))]
        rng.shuffle(answers)
        first = answer_all(taken.state, answers)
        rng.shuffle(answers)
        assert answer_all(taken.state, answers) == first


@games(25)
@given(SEEDS)
def test_dropped_answers_leave_no_trace(seed: int) -> None:
    """I-16, OD-101: once a window's first use is known, it is the same what the others answered."""
    rng = random.Random(seed)
    windows = 0
    for taken in play(random_room(rng), rng):
        top = taken.state.stack[-1] if taken.state.stack else None
        sealed = sealed_now(taken.state)
        if not isinstance(top, s.Window) or set(sealed) != set(top.asked):
            continue
        users = [seat for seat in top.asked if len(sealed[seat].options) > 1]
        if not users:
            continue
        first = users[0]
        chosen = rng.choice(sealed[first].options[1:])
        use = Answer(sealed[first].id, chosen.id, sample_value(rng, chosen))
        results = []
        for _ in range(3):
            answers = [(first, use)]
            for seat in top.asked[top.asked.index(first) + 1 :]:
                option = rng.choice(sealed[seat].options)
                value = sample_value(rng, option)
                answers.append((seat, Answer(sealed[seat].id, option.id, value)))
            results.append(answer_all(taken.state, answers))
        windows += 1
        assert results[0] == results[1] == results[2]


def test_a_table_of_absent_seats_comes_to_its_end() -> None:
    """OD-112, OD-128: with nothing but clocks running out a game ends by stalemate, VP all 0."""
    for seats in range(2, 7):
        room = random_room(random.Random(seats), seats)
        room = evolve(room, options=ODORIKO.parse_options({}), decks=room.decks)
        decks = [ODORIKO.check_deck(room.options, None)] * seats
        state = ODORIKO.setup(room.options, seats, decks, room.entropy).state
        while waits := ODORIKO.waits(state):
            state = ODORIKO.expire(state, waits[0].id).state
        outcome = ODORIKO.outcome(state)
        assert outcome is not None
        assert outcome.reason == "barren"
        assert {(rank.rank, rank.score) for rank in outcome.ranking} == {(1, 0)}
