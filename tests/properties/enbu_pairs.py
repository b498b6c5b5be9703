"""Pairs of games of enbu that a viewer cannot tell apart, and what it is shown in both (EN-118, EN-120).

Two ways to make a pair: another order of all cards still to come, played on with the same inputs to
the next flip; and, for one viewer of a race, another deck beyond the viewer's turns and other play
of everybody beyond them. Whatever the viewer is shown must be the same to the byte.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable

from attrs import evolve
from kaguraden_rules.enbu import play as rehearsal
from kaguraden_rules.enbu import race
from kaguraden_rules.enbu.race import State
from kaguraden_rules.kernel import Act, Answer, Event, Input, SeatId, Step, Viewer, apply, redact
from kaguraden_rules.plain import to_plain

from tests.properties.enbu_play import ENBU, Room, Taken

__all__ = ["Course", "another_future", "shown", "told", "with_deck"]


def told(events: Iterable[Event], viewer: Viewer) -> list[str]:
    """Return what a viewer is told, byte for byte."""
    seen = (redact(event, viewer) for event in events)
    return [json.dumps(to_plain(event)) for event in seen if event is not None]


def shown(state: State, viewer: Viewer) -> str:
    """Return what a viewer is shown of a position: view, decision, and what is waited for."""
    decision = None if viewer is None else ENBU.decisions(state).get(viewer)
    waits = [
        (wait.id, wait.pace, wait.seats, wait.limit_s, wait.minimum)
        for wait in ENBU.waits(state)
        if not wait.private or viewer in wait.seats
    ]
    view = to_plain(ENBU.view(state, viewer))
    return json.dumps([view, to_plain(decision), waits, ENBU.is_quiet(state)])


def another_future(state: State, rng: random.Random) -> State:
    """Return the position with other cards to come: decks in another order, another seed."""
    seed = rng.randbytes(32)
    racers = []
    for racer in state.racers:
        deck = tuple(rng.sample(racer.board.deck, len(racer.board.deck)))
        past = tuple(evolve(p, board=evolve(p.board, deck=deck, seed=seed)) for p in racer.past)
        racers.append(evolve(racer, board=evolve(racer.board, deck=deck, seed=seed), past=past))
    return evolve(state, racers=tuple(racers))


def with_deck(room: Room, keep: int, rng: random.Random) -> Step[State]:
    """Begin the game of a room with other cards after the first `keep`.

    Reshuffles are others too, unless the whole deck is kept.
    """
    board, _ = rehearsal.start(room.options.book, room.entropy)
    deck = (*((board.flipped,) if board.flipped else ()), *board.deck)
    programs = (*reversed(board.pages), *board.stack)
    rest = deck[keep:]
    seed = rng.randbytes(32) if rest else room.entropy
    board, events = rehearsal.lay_out(
        room.options.book, seed, programs, deck[:keep] + tuple(rng.sample(rest, len(rest)))
    )
    racers = (race.start(board, events),) * room.seats
    return ENBU.begin(State(room.options, racers), events)


class Course:
    """A race played twice: as it went, and with other play where `viewer` may not know of it."""

    def __init__(self, room: Room, steps: list[Taken], viewer: Viewer, rng: random.Random) -> None:
        """Take the steps up to the moment that is compared."""
        self.room, self.steps, self.viewer, self.rng = room, steps, viewer, rng
        racers = steps[-1].state.racers
        running = [seat for seat, racer in enumerate(racers) if not racer.is_over]
        self.limit = min(len(racers[s].closed) for s in (running if viewer is None else [viewer]))
        # Whoever holds the alignment may not close a turn in the other game either.
        self.slowest = {s for s in running if len(racers[s].closed) == self.limit}
        self.strayed = 0  # inputs that are others in the second game

    def play(self) -> tuple[list[str], str, list[str], str]:
        """Return what the viewer was told and shown in both games."""
        first = [text for taken in self.steps for text in told(taken.events, self.viewer)]
        keep = self.limit + (self.viewer is not None)  # a player sees its own flipped card
        step = with_deck(self.room, keep, self.rng)
        state, second = step.state, told(step.events, self.viewer)
        for taken in self.steps[1:]:
            assert taken.input is not None
            entry = taken.input
            seat = entry.seat if isinstance(entry, Act) else SeatId(int(entry.wait.split(":")[1]))
            if seat == self.viewer or len(state.racers[seat].closed) < self.limit:
                state = self._enter(state, entry, second)
                continue
            self.strayed += 1
            for _ in range(self.rng.choice((0, 1, 1, 3))):
                if (other := self._stray(state, seat)) is not None:
                    state = self._enter(state, other, second)
        return first, shown(self.steps[-1].state, self.viewer), second, shown(state, self.viewer)

    def _enter(self, state: State, entry: Input, heard: list[str]) -> State:
        step = apply(ENBU, state, entry)
        heard += told(step.events, self.viewer)
        return step.state

    def _stray(self, state: State, seat: SeatId) -> Input | None:
        """Return another input of a seat that is beyond what the viewer may know."""
        decision = state.racers[seat].decision
        if decision is None:
            return None
        texts = [option.id for option in decision.options]
        if self.viewer is None and seat in self.slowest:
            free = [text for text in texts if text not in ("next", "finish")]
            texts = [text for text in free if not _ends(state, seat, text)]
        return Act(seat, Answer(decision.id, self.rng.choice(texts))) if texts else None


def _ends(state: State, seat: SeatId, text: str) -> bool:
    decision = ENBU.decisions(state)[seat]
    return ENBU.act(state, seat, Answer(decision.id, text)).state.racers[seat].is_over
