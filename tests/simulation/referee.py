"""What has to hold: the journal against what people know, and against the server's memory.

Every game is played again from the journal by the rules alone (`kernel`): dealt, then input by
input. What people were shown has to be, byte for byte, what a rebuilt position shows that viewer:
so nobody was told of anything that is not durable, nor of anything that its seat may not know.
"""

from __future__ import annotations

import bisect
import math
import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from attrs import define, frozen
from kaguraden_rules.kernel import Act, Answer, Event, Game, Input, SeatId, Viewer, redact
from kaguraden_rules.plain import to_plain
from kaguraden_server.clocks import ClockOptions
from kaguraden_server.fairness import commitment, entropy
from kaguraden_server.gathering import parse_options
from kaguraden_server.journal import store
from kaguraden_server.journal.entries import StepTaken
from kaguraden_server.keeping import After, KeptRoom, read
from kaguraden_server.lobby import Lobby
from kaguraden_server.records import parse_input
from kaguraden_server.streams import decision_to_wire

from .ledger import Ledger, Sent, Shown, dump
from .world import World

__all__ = ["Referee"]


@frozen
class Position:
    """A step of a game that was played again: where it led, and what happened on the way."""

    state: Any
    events: tuple[Event, ...]
    seqs: tuple[int, ...]


@define(eq=False)
class Rebuilt:
    """A game as the journal has it."""

    code: str
    game: Game[Any, Any]
    kept: KeptRoom
    inputs: list[Input]
    positions: list[Position]

    def showing(self, viewer: Viewer, seq: int) -> Position | None:
        """Return the position that an update of this number has shown a viewer."""
        column = len(self.positions[0].seqs) - 1 if viewer is None else int(viewer)
        n = bisect.bisect_left([position.seqs[column] for position in self.positions], seq)
        if n == len(self.positions) or self.positions[n].seqs[column] != seq:
            return None
        return self.positions[n]


@define(eq=False)
class Referee:
    """Looks at a journal."""

    world: World
    ledger: Ledger
    games: Mapping[str, Game[Any, Any]]

    # --- when a process ends ---------------------------------------------------------------------

    def compare(self, lobby: Lobby, folder: Path) -> None:
        """Compare what a process had in its memory with what it left behind.

        A step may be in the journal that the process had not adopted yet; none may be missing.
        """
        connection = store.connect(folder / store.FILE, writes=True)
        try:
            for room in lobby.rooms.values():
                if room.table is None:
                    continue
                steps = store.steps_of(connection, room.number)
                lines = [line for step in steps for line in step.inputs.split("\n") if line]
                inputs = [parse_input(line) for line in lines]
                told = room.table.inputs
                if inputs[: len(told)] != told:
                    self.world.fail(f"{room.code} was at {told[-1:]}, its journal is not")
                last = len(steps[-1].inputs.split("\n")) if steps else 0
                if len(inputs) - len(told) > last:
                    self.world.fail(f"{room.code} had adopted {len(told)} of {len(inputs)} inputs")
        finally:
            connection.close()

    # --- when all is over ------------------------------------------------------------------------

    def check(self, folder: Path) -> None:
        """Compare the journal with what people know."""
        connection = store.connect(folder / store.FILE, writes=True)
        try:
            rebuilt = dict(self._rebuild_all(connection))
        finally:
            connection.close()
        self._check_acts(rebuilt)
        for shown in self.ledger.shown.values():
            if shown.room not in rebuilt:
                self.world.fail(f"the journal has no game of {shown.room}")
                continue
            self._check_shown(rebuilt[shown.room], shown)

    def _rebuild_all(self, connection: sqlite3.Connection) -> Any:
        for row in store.room_rows(connection):
            steps = store.steps_of(connection, row.number)
            kept = read(KeptRoom, row.doc)
            if row.lost is not None:
                self.world.fail(f"{row.code} is lost: {row.lost}")
            if kept.chances is not None and steps:
                yield row.code, self._rebuild(row, kept, steps)

    def _rebuild(self, row: store.RoomRow, kept: KeptRoom, steps: Sequence[StepTaken]) -> Rebuilt:
        chances = kept.chances
        assert chances is not None
        game = self.games[row.game]
        _, options = parse_options(game, kept.options, ClockOptions())
        key = entropy(kept.seed, chances.nonces)
        dealt = game.setup(options, len(chances.decks), chances.decks, key)
        state, events = dealt.state, list(dealt.events)
        positions: list[Position] = []
        inputs: list[Input] = []
        for n, step in enumerate(steps):
            if step.n != n:
                self.world.fail(f"step {n} of {row.code} is missing")
            for line in filter(None, step.inputs.split("\n")):
                entry = parse_input(line)
                inputs.append(entry)
                if isinstance(entry, Act):
                    after = game.act(state, entry.seat, entry.answer)
                else:
                    after = game.expire(state, entry.wait)
                state = after.state
                events += after.events
            seqs = read(After, step.after).seqs
            if positions and any(a > b for a, b in zip(positions[-1].seqs, seqs, strict=True)):
                self.world.fail(f"step {n} of {row.code} goes back to {seqs}")
            positions.append(Position(state, tuple(events), seqs))
            events = []
        return Rebuilt(row.code, game, kept, inputs, positions)

    def _check_acts(self, rebuilt: Mapping[str, Rebuilt]) -> None:
        places: dict[str, dict[tuple[int, str], tuple[int, Answer]]] = {}
        for code, game in rebuilt.items():
            places[code] = at = {}
            for n, entry in enumerate(game.inputs):
                if isinstance(entry, Act):
                    key = entry.seat, entry.answer.decision
                    if key in at:
                        self.world.fail(f"{code}: decision {key} was answered twice")
                    at[key] = n, entry.answer
        by_room: defaultdict[str, list[tuple[int, Sent]]] = defaultdict(list)
        for sent in self.ledger.sent:
            found = places.get(sent.room, {}).get((sent.seat or 0, sent.decision))
            same = found is not None and found[1] == Answer(sent.decision, sent.option, sent.value)
            if sent.acked is not None and not same:
                self.world.fail(f"acknowledged, and not in the journal: {sent}")
            elif sent.refused in {"illegal_option", "bad_value"}:
                self.world.fail(f"listed, and refused: {sent}")
            is_automatic = (sent.room, sent.user) in self.ledger.autos | self.ledger.left
            if same and sent.refused == "stale" and not is_automatic:
                self.world.fail(f"refused, and in the journal: {sent}")
            if same and found is not None and not is_automatic:
                by_room[sent.room].append((found[0], sent))
        for acts in by_room.values():
            self._check_order(sorted(acts, key=lambda act: act[0]))

    def _check_order(self, acts: list[tuple[int, Sent]]) -> None:
        """What was acknowledged before another was sent has to stand before it."""
        latest = 0.0
        for _, same in groupby(acts, key=lambda act: act[0]):
            sents = [sent for _, sent in same]  # an answer may be given again
            acked = min((s.acked for s in sents if s.acked is not None), default=math.inf)
            if acked < latest:
                self.world.fail(f"not in the order of acknowledgement: {sents[0]}")
            latest = max(latest, min(sent.at for sent in sents))

    def _check_shown(self, game: Rebuilt, shown: Shown) -> None:
        seat = self.world.durable.owners.get(game.code, {}).get(shown.user)
        viewers: list[Viewer] = [None if seat is None else SeatId(seat)]
        if seat is not None and shown.may_watch:
            viewers.append(None)
        wrong = [self._differs(game, viewer, shown) for viewer in viewers]
        if all(wrong):
            self.world.fail(f"update {shown.seq} of {game.code} to {shown.user}: {wrong}")

    def _differs(self, game: Rebuilt, viewer: Viewer, shown: Shown) -> str | None:
        """Return what of an update a viewer should not have been shown so, if anything."""
        position = game.showing(viewer, shown.seq)
        if position is None:
            return f"no step of the journal made it for {viewer}"
        state, rules = position.state, game.game
        view: Any = to_plain(rules.view(state, viewer))
        if rules.outcome(state) is not None:
            view["outcome"]["fairness"] = {"seed": game.kept.seed.hex()}
        if dump(view) != shown.view:
            return f"the view of {viewer} is {dump(view)}, and was {shown.view}"
        decision = None if viewer is None else rules.decisions(state).get(viewer)
        decisions = dump([] if decision is None else [decision_to_wire(decision)])
        if decisions != shown.decisions:
            return f"the decisions of {viewer} are {decisions}, and were {shown.decisions}"
        told: list[Any] = [to_plain(e) for e in (redact(e, viewer) for e in position.events) if e]
        if position is game.positions[0]:
            chances = game.kept.chances
            nonces = list(chances.nonces) if chances is not None else []
            promise = commitment(game.kept.seed)
            told.insert(0, {"kind": "fairness", "commitment": promise, "nonces": nonces})
        if shown.events not in (dump(told), "[]" if shown.full else None):
            return f"the events of {viewer} are {dump(told)}, and were {shown.events}"
        return None
