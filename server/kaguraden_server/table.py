"""A game in play: its state, its clocks, its viewers' streams and its record.

A table changes in two moves. `begin`, `act`, `expire`, `stand` and `tell` work out what would
follow, with everything that every viewer would be sent, and change nothing; `commit` adopts it.
Whoever drives the table makes the record durable in between, so nothing is told that could be lost,
and an error in the rules or in a view leaves the table as it was.

Standing answers belong to the step that opened their window: a seat that passes beforehand is never
asked, and the step's updates are made only when all such answers are in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen
from kaguraden_protocol.limits import Limits
from kaguraden_rules.kernel import (
    Act,
    Answer,
    CardId,
    Decision,
    Event,
    Expire,
    Game,
    Input,
    Outcome,
    SeatId,
    Stale,
    Step,
    Viewer,
    apply,
)
from kaguraden_rules.plain import to_plain

from . import records
from .clocks import Clocks
from .fairness import Deal
from .streams import Seen, Stream, Update, events_to_wire

if TYPE_CHECKING:
    from kaguraden_rules.kernel import Json

__all__ = ["Played", "Table", "TooManyAnswers", "packs_of"]

MAX_STANDING = 1_000  # standing answers in one step; a game that asks more often never stops


class TooManyAnswers(Exception):
    """The game opened windows without end; a fault of its rules."""


@frozen
class Played:
    """What a step would bring.

    `inputs` are those of the step itself and the standing answers after it. `shown` has an entry for
    each viewer, the seats in order and then the spectators: what it would see, and the update that
    says so, None where there is no news for it.
    """

    state: Any
    inputs: tuple[Input, ...]
    clocks: Clocks
    shown: tuple[tuple[Stream, Seen, Update | None], ...]


@define(eq=False)
class Table:
    """One game, from the deal (`begin`) to its outcome. Only the room's own task touches it.

    `decks` has one entry a seat, and so has `nonces` where any enter; `passes` tells whether a seat
    has a standing pass for a kind of window.
    """

    room: str
    game: Game[Any, Any]
    options: Any
    decks: tuple[tuple[CardId, ...], ...]
    deal: Deal = field(repr=False)
    nonces: tuple[str, ...]
    clocks: Clocks
    passes: Callable[[SeatId, str], bool]
    limits: Limits
    may_reveal: Callable[[], bool] = lambda: True  # whether the seed may be told after the end
    state: Any = field(default=None, repr=False)
    inputs: list[Input] = field(factory=list, repr=False)
    accepted: dict[tuple[SeatId, str], tuple[Answer, int]] = field(factory=dict, repr=False)
    streams: dict[Viewer, Stream] = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        viewers: tuple[Viewer, ...] = (*self.seats, None)
        self.streams = {v: Stream(self.room, v, self.limits) for v in viewers}

    @property
    def seats(self) -> tuple[SeatId, ...]:
        """Return all seats, in order."""
        return tuple(SeatId(s) for s in range(len(self.decks)))

    @property
    def outcome(self) -> Outcome | None:
        """Return how the game ended, or None while it goes on."""
        return None if self.state is None else self.game.outcome(self.state)

    def open_ids(self, seat: SeatId) -> list[str]:
        """Return the ids of the decisions that are open for a seat."""
        decision = self.game.decisions(self.state).get(seat)
        return [] if decision is None else [decision.id]

    # --- moves -------------------------------------------------------------------------------

    def begin(self, now: float) -> Played:
        """Deal."""
        step = self._dealt()
        told: dict[str, Json] = {
            "kind": "fairness",
            "commitment": self.deal.commitment,
            "nonces": list(self.nonces),
        }
        return self._played(step, (), now, now, before=(told,))

    def deal_again(self) -> None:
        """Take the deal as the position, when a game is rebuilt."""
        self.state = self._dealt().state

    def _dealt(self) -> Step[Any]:
        key = self.deal.entropy(self.nonces)
        return self.game.setup(self.options, len(self.decks), self.decks, key)

    def apply_again(self, inputs: Sequence[Input], seqs: Sequence[int]) -> None:
        """Take the position after a step that was recorded.

        Args:
            inputs: The step's.
            seqs: The numbers of the last updates after it, one a seat and then the spectators'.

        Raises:
            RuleError: The rules do not take an input.
        """
        for entry in inputs:
            self.state = apply(self.game, self.state, entry).state
            if isinstance(entry, Act):
                self.accepted[entry.seat, entry.answer.decision] = (entry.answer, seqs[entry.seat])
        self.inputs.extend(inputs)
        for stream, seq in zip(self.streams.values(), seqs, strict=True):
            stream.seq = seq

    def act(self, seat: SeatId, answer: Answer, *, stamp: float, now: float) -> Played:
        """Answer a seat's decision; `stamp` is when the answer was read.

        Raises:
            RuleError: The rules refuse it.
        """
        step = self.game.act(self.state, seat, answer)
        return self._played(step, (Act(seat, answer),), stamp, now)

    def expire(self, wait: str, now: float) -> Played:
        """End a wait."""
        return self._played(self.game.expire(self.state, wait), (Expire(wait),), now, now)

    def stand(self, now: float) -> Played:
        """Give the standing answers to what is open now."""
        return self._played(Step(self.state, ()), (), now, now)

    def tell(self, clocks: Clocks) -> Played:
        """Show the position again: under other clocks, or when more may be told of it."""
        return self._show(self.state, (), clocks, [])

    def commit(self, played: Played) -> list[tuple[Stream, Update]]:
        """Adopt a move; return the updates to send."""
        self.state = played.state
        self.inputs.extend(played.inputs)
        self.clocks = played.clocks
        for stream, seen, update in played.shown:
            stream.commit(seen, update)
        return [(stream, update) for stream, _, update in played.shown if update is not None]

    def _played(
        self,
        step: Step[Any],
        inputs: tuple[Input, ...],
        answered: float,
        now: float,
        before: Sequence[Json] = (),
    ) -> Played:
        state, events, inputs = self._stand(step, inputs)
        clocks = self.clocks.follow(self.game.waits(state), answered=answered, now=now)
        return self._show(state, inputs, clocks, events, before)

    def _stand(
        self, step: Step[Any], inputs: tuple[Input, ...]
    ) -> tuple[Any, list[Event], tuple[Input, ...]]:
        state, events = step.state, list(step.events)
        for _ in range(MAX_STANDING):
            found = self._standing(self.game.decisions(state))
            if found is None:
                return state, events, inputs
            seat, answer = found
            after = self.game.act(state, seat, answer)
            state, inputs = after.state, (*inputs, Act(seat, answer))
            events += after.events
        raise TooManyAnswers(f"more than {MAX_STANDING} standing answers in one step")

    def _standing(self, decisions: Mapping[SeatId, Decision]) -> tuple[SeatId, Answer] | None:
        for seat, decision in sorted(decisions.items()):
            if self.passes(seat, decision.kind):
                default = next(o for o in decision.options if o.id == decision.default)
                if default.value is None:
                    return seat, Answer(decision.id, default.id)
        return None

    def _show(
        self,
        state: Any,  # noqa: ANN401
        inputs: tuple[Input, ...],
        clocks: Clocks,
        events: Sequence[Event],
        before: Sequence[Json] = (),
    ) -> Played:
        decisions = self.game.decisions(state)
        over = self.game.outcome(state) is not None
        told = over and self.may_reveal()
        reveal: dict[str, Json] | None = {"seed": self.deal.seed.hex()} if told else None
        shown = []
        for viewer, stream in self.streams.items():
            decision = None if viewer is None else decisions.get(viewer)
            seen, update = stream.advance(
                self.game.view(state, viewer),
                decision,
                clocks.marks(viewer, None if decision is None else decision.id),
                [*before, *events_to_wire(events, viewer)],
                reveal,
            )
            shown.append((stream, seen, update))
        return Played(state, inputs, clocks, tuple(shown))

    # --- answers already given ---------------------------------------------------------------

    def repeated(self, seat: SeatId, answer: Answer) -> int | None:
        """Return the number that this very answer was given before, or None if it is new.

        Raises:
            Stale: The decision was answered otherwise, and is no longer open.
        """
        given = self.accepted.get((seat, answer.decision))
        if given is None:
            return None
        if given[0] == answer:
            return given[1]
        current = tuple(self.open_ids(seat))
        if answer.decision in current:
            return None  # the game asks the same again
        raise Stale(answer.decision, current)

    def remember(self, seat: SeatId, answer: Answer) -> int:
        """Note an answer that was accepted; return the number of the update that shows it."""
        seq = self.streams[seat].seq
        self.accepted[seat, answer.decision] = (answer, seq)
        return seq

    # --- the record ----------------------------------------------------------------------------

    def replay(self) -> dict[str, Json]:
        """Return everything that is needed to deal and play the game again."""
        record: dict[str, Json] = {
            "format": records.FORMAT,
            "game": self.game.id,
            "rules": self.game.rules,
            "packs": packs_of(self.game, self.options),
            "options": self.game.format_options(self.options),
            "seats": len(self.decks),
            "decks": [list(deck) for deck in self.decks],
            "seed": self.deal.seed.hex(),
            "nonces": list(self.nonces),
            "commitment": self.deal.commitment,
            "entropy": self.deal.entropy(self.nonces).hex(),
            "inputs": [records.format_input(entry) for entry in self.inputs],
            "outcome": to_plain(self.outcome),
        }
        return records.sealed(record)


def packs_of(game: Game[Any, Any], options: Any) -> list[Json]:  # noqa: ANN401 - the game's own
    """Return the ids of the card packs that a game is played with."""
    packs = game.catalog(options).get("packs")
    return (
        [pack["id"] for pack in packs if isinstance(pack, dict)] if isinstance(packs, list) else []
    )
