"""What the clients were told, and the comparison with what the journal has.

Every acknowledgement is noted: acts one by one, and of everything else what it promised (`Fact`).
While a request is on its way what it is about may be either way, so the fact is taken off the list
before it is sent. `Audit` reads a copy of the journal's files, so the next server finds them as the
killed one left them.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attrs import define, field, frozen
from kaguraden_rules.kernel import Act, Answer, SeatId
from kaguraden_server.journal import store
from kaguraden_server.records import format_input, parse_input

__all__ = ["Audit", "Figures", "Ledger", "Torn", "act_line"]

Json = dict[str, Any]
STANDING = " pass"  # what a standing answer says
Key = tuple[str, str]  # a room, and what of it


class Torn(AssertionError):
    """Something that was acknowledged is not so, or something happened twice."""


@define
class Figures:
    """What is told at the end."""

    acked: int = 0
    other_acks: int = 0
    resent: int = 0
    same_again: int = 0  # acks asked for again and answered the same
    stale: int = 0
    resumed: int = 0
    views: int = 0  # compared over a restart
    games: int = 0
    half_checkpoints: int = 0
    lost: int = 0
    doubled: int = 0
    by_point: Counter[str] = field(factory=Counter)


def act_line(seat: int, act: Json) -> str:
    """Return an act as the record has it."""
    value = act.get("value")
    told = tuple(value) if isinstance(value, list) else value
    return format_input(Act(SeatId(seat), Answer(act["decision"], act["option"], told)))


@frozen
class KeptGame:
    """A room in the journal."""

    number: int
    code: str
    phase: str
    closed: bool
    lost: str | None
    doc: Json
    lines: tuple[str, ...]  # of the record
    chat: Counter[str]


Fact = Callable[[KeptGame], bool]


@define(eq=False)
class Ledger:
    """What one client was told. `seat` and the acts are by room."""

    name: str
    user: str = ""
    seats: dict[str, int] = field(factory=dict)
    sent: dict[str, set[str]] = field(factory=dict)  # lines of acts, accepted or not
    acked: dict[str, dict[str, int]] = field(factory=dict)  # line: the number in the reply
    refused: dict[str, set[str]] = field(factory=dict)
    facts: dict[Key, Fact] = field(factory=dict)
    left: set[str] = field(factory=set)
    unsure: set[str] = field(factory=set)  # rooms that it may have left
    said: dict[str, set[str]] = field(factory=dict)

    def forget_fleeting(self) -> None:
        """Forget what the end of every connection undoes: before a game nobody away is ready."""
        for key in [key for key in self.facts if key[1] == "ready"]:
            del self.facts[key]

    def note_sent(self, room: str, line: str) -> None:
        """Note that an act is on its way."""
        self.sent.setdefault(room, set()).add(line)

    def note_acked(self, room: str, line: str, seq: int) -> None:
        """Note that an act was accepted; an act that was so before has the same number.

        Raises:
            Torn: It has another.
        """
        before = self.acked.setdefault(room, {}).setdefault(line, seq)
        if before != seq:
            raise Torn(f"{self.name}: {line} in {room} was answered {before}, and now {seq}")


@define(eq=False)
class Audit:
    """The journal of a folder, against the ledgers of all clients."""

    folder: Path
    ledgers: list[Ledger]
    figures: Figures

    def forget_fleeting(self) -> None:
        """Forget what everybody loses who is away."""
        for ledger in self.ledgers:
            ledger.forget_fleeting()

    def check(self, point: str) -> None:
        """Compare.

        Raises:
            Torn: They do not agree.
        """
        games = self._read()
        problems: list[str] = []
        for game in games.values():
            if game.lost is not None:
                problems.append(f"{game.code} was set aside: {game.lost}")
            twice = _acts_given_twice(game.lines)
            self.figures.doubled += len(twice)
            problems += [f"{game.code}: {act} was done twice" for act in twice]
            problems += [
                f"{game.code}: {text!r} was said {n} times"
                for text, n in game.chat.items()
                if n > 1
            ]
        for ledger in self.ledgers:
            problems += self._of_client(ledger, games)
        if problems:
            raise Torn(f"after {point}:\n" + "\n".join(problems[:20]))

    def _of_client(self, ledger: Ledger, games: dict[str, KeptGame]) -> list[str]:
        problems: list[str] = []
        who = ledger.name
        for room, acks in ledger.acked.items():
            game = games.get(room)
            lines = Counter(() if game is None else game.lines)
            for line in acks:
                if lines[line] != 1:
                    self.figures.lost += lines[line] == 0
                    self.figures.doubled += lines[line] > 1
                    problems.append(f"{who}: {line} in {room} is there {lines[line]} times")
        for room, refused in ledger.refused.items():
            if room in games:
                done = refused & set(games[room].lines) - set(ledger.acked.get(room, ()))
                problems += [f"{who}: {line} in {room} was refused and done" for line in done]
        for room, seat in ledger.seats.items():
            if room not in games:
                continue
            own = {line for line in games[room].lines if line.startswith(f"{seat} ")}
            own -= {line for line in own if line.endswith(STANDING)}
            unasked = own - ledger.sent.get(room, set())
            problems += [f"{who}: {line} in {room} was never sent" for line in unasked]
        for (room, what), holds in ledger.facts.items():
            game = games.get(room)
            if game is None or not holds(game):
                self.figures.lost += 1
                doc = None if game is None else (game.phase, game.closed, game.doc)
                problems.append(f"{who} in {room}: {what} was promised: {doc}")
        for room, texts in ledger.said.items():
            for text in texts:
                if room not in games or games[room].chat[text] != 1:
                    self.figures.lost += 1
                    problems.append(f"{who} said {text!r} in {room}, and it is not there")
        return problems

    def _read(self) -> dict[str, KeptGame]:
        with tempfile.TemporaryDirectory() as copy:
            for end in ("", "-wal"):
                file = self.folder / (store.FILE + end)
                if file.exists():
                    shutil.copy(file, copy)
            try:
                connection = store.open_for_writing(Path(copy))
            except store.JournalError:
                raise Torn("the journal cannot be opened") from None
            try:
                (well,) = connection.execute("PRAGMA integrity_check").fetchone()
                if well != "ok":
                    raise Torn(f"the journal is damaged: {well}")
                return {row.code: _game(connection, row) for row in store.room_rows(connection)}
            finally:
                connection.close()


def _game(connection: Any, row: store.RoomRow) -> KeptGame:
    lines: list[str] = []
    doc = json.loads(row.doc)
    steps = store.steps_of(connection, row.number) if doc.get("chances") else []
    for n, step in enumerate(steps):
        if step.n != n:
            raise Torn(f"{row.code}: step {n} is missing")
        lines += step.inputs.split("\n") if step.inputs else []
    chat = Counter(
        json.loads(line.doc)["text"] for line in store.chat_of(connection, row.number, 10**6)
    )
    closed = row.closed_ms is not None
    return KeptGame(row.number, row.code, row.phase, closed, row.lost, doc, tuple(lines), chat)


def _acts_given_twice(lines: tuple[str, ...]) -> list[str]:
    answered: Counter[str] = Counter()
    for line in lines:
        entry = parse_input(line)
        if isinstance(entry, Act):
            answered[f"{entry.seat} {entry.answer.decision}"] += 1
    return [what for what, n in answered.items() if n > 1]
