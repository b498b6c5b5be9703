"""What a client knows of one room: the fold of everything the server pushed about it.

The fold is total: whatever order updates come in, and whatever fields or kinds are in them that
this version does not know, the table stays usable. Three cases of an update's number:

- it is full: the table is replaced, whatever the number (a server that restarted counts anew);
- it is the next one: it is applied;
- it is an old one: it is dropped; or it skips some: it is dropped too, the table is no longer
  `current`, and the session asks the server for what is missing.

Times are the shell's: seconds of a monotonic clock, handed in with every text.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Mapping
from typing import Final

from attrs import Factory, define, evolve, field, frozen
from kaguraden_protocol.messages import ChatPush, Clock, Decision, Json, RoomInfo, Update

__all__ = ["ChatLine", "Folded", "Json", "LogEntry", "Table", "TimedClock"]

LOG_LENGTH: Final = 2000  # events: several games of odoriko, under a megabyte
CHAT_LENGTH: Final = 300  # lines: three times what a server sends to who joins


@frozen
class LogEntry:
    """One event, the update it came with, and when."""

    seq: int
    event: Mapping[str, Json]
    received: float


@frozen
class ChatLine:
    """One line of a room's chat."""

    n: int
    user: str
    name: str
    seat: int | None
    text: str
    received: float
    earlier: bool = False  # said before this client was here


@frozen
class TimedClock:
    """A clock as it was told, and when it was told."""

    clock: Clock
    received: float

    def left_ms(self, now: float) -> int:
        """Return the milliseconds left now; a paused clock stands still."""
        if self.clock.paused:
            return self.clock.left_ms
        return max(0, self.clock.left_ms - int((now - self.received) * 1000))

    def bank_left_ms(self, now: float) -> int | None:
        """Return the milliseconds left of the seat's bank, which runs when the clock is at 0."""
        if self.clock.bank_ms is None or self.clock.paused:
            return self.clock.bank_ms
        over = int((now - self.received) * 1000) - self.clock.left_ms
        return max(0, self.clock.bank_ms - max(0, over))


class Folded(enum.Enum):
    """What became of an update."""

    APPLIED = "applied"
    OLD = "old"  # seen before
    GAP = "gap"  # one or more before it are missing


@define
class Table:
    """One room as this client sees it. `seq` is 0 before the first update."""

    room: str
    seat: int | None = None
    info: RoomInfo | None = None
    seq: int = 0
    view: dict[str, Json] = Factory(dict)
    decisions: tuple[Decision, ...] = ()
    clocks: tuple[TimedClock, ...] = ()
    log: deque[LogEntry] = field(factory=lambda: deque(maxlen=LOG_LENGTH))
    chat: deque[ChatLine] = field(factory=lambda: deque(maxlen=CHAT_LENGTH))
    modes: dict[str, str] = Factory(dict)  # window kind to "ask" or "pass", as asked for
    commitment: str | None = None  # as first told; a server that changes it later cheats
    nonce: str | None = None  # the one this client gave, to look for it in the fairness event
    current: bool = False  # whether the table is as the server has it, as far as is known

    @property
    def phase(self) -> str | None:
        """The game's phase by the view, or None before the first view."""
        phase = self.view.get("phase")
        return phase if isinstance(phase, str) else None

    @property
    def is_over(self) -> bool:
        """Whether the game has an outcome."""
        return isinstance(self.view.get("outcome"), dict)

    def decision(self, decision_id: str) -> Decision | None:
        """Return the open decision of this id, if it is still open."""
        return next((d for d in self.decisions if d.id == decision_id), None)

    def name_of(self, seat: int) -> str | None:
        """Return the name of who holds a seat, if known."""
        if self.info is None:
            return None
        return next((s.name for s in self.info.seats if s.seat == seat), None)

    def fold_info(self, info: RoomInfo) -> None:
        """Take the room's new public state."""
        self.info = info
        if self.commitment is None:
            self.commitment = info.commitment

    def fold(self, update: Update, now: float) -> Folded:
        """Take an update."""
        if not update.full:
            if update.seq <= self.seq:
                return Folded.OLD
            if update.seq != self.seq + 1 or (update.view is None and update.patch is not None):
                self.current = False
                return Folded.GAP
        elif update.view is None:
            self.current = False
            return Folded.GAP
        if update.seq != self.seq:  # a full one may repeat what is known
            self.log.extend(LogEntry(update.seq, event, now) for event in update.events)
        self.seq = update.seq
        if update.view is not None:
            self.view = update.view
        self.decisions = tuple(update.decisions)
        self.clocks = tuple(TimedClock(clock, now) for clock in update.clock)
        self.current = True
        return Folded.APPLIED

    def fold_chat(self, push: ChatPush, now: float, *, earlier: bool = False) -> ChatLine | None:
        """Take a line of chat; None if it was here already."""
        sender = push.from_
        line = ChatLine(push.n, sender.user, sender.name, sender.seat, push.text, now, earlier)
        # By number and content: a server that restarted may count anew.
        if any(
            evolve(old, received=now, earlier=earlier) == line
            for old in self.chat
            if old.n == line.n
        ):
            return None
        self.chat.append(line)
        return line
