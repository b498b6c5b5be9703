"""What people know for sure: what they asked, what was acknowledged, and what they were shown.

The ledger is kept on the far side of the network, so nothing in it comes from the server's memory.
`check` compares it with the journal when all is over.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import trio
from attrs import define, field
from kaguraden_rules.kernel import Value

from .durable import Durable

__all__ = ["Ledger", "Reader", "Sent", "Shown", "dump"]

UPDATE = re.compile(rb'\{"type":"update","room":"([^"]+)","seq":(\d+),')
CHANGES = frozenset({"join", "leave", "ready", "auto", "rematch"})


def dump(value: object) -> str:
    """Return JSON text as the server writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@define(eq=False)
class Sent:
    """An answer that somebody gave."""

    room: str
    user: str
    seat: int | None
    decision: str
    option: str
    value: Value
    at: float
    acked: float | None = None
    seq: int | None = None
    refused: str | None = None


@define(eq=False)
class Shown:
    """An update that somebody got. `full` ones tell no events."""

    room: str
    user: str
    seq: int
    full: bool
    events: str
    view: str
    decisions: str
    may_watch: bool  # whether it may be a spectator's by now


@define(eq=False)
class Ledger:
    """Everybody's."""

    fail: Callable[[str], None]
    sent: list[Sent] = field(factory=list)
    shown: dict[tuple[str, str, int, str], Shown] = field(factory=dict)
    left: set[tuple[str, str]] = field(factory=set)  # (room, user): gave a seat up, or lost it
    autos: set[tuple[str, str]] = field(factory=set)  # (room, user): set a standing answer
    said: dict[str, set[tuple[str, int]]] = field(factory=lambda: defaultdict(set))
    replays: dict[str, str] = field(factory=dict)
    highest: dict[tuple[str, str], int] = field(factory=dict)  # (room, user): the last number

    def send(
        self, room: str, user: str, seat: int | None, decision: str, option: str, value: Value
    ) -> Sent:
        """Note an answer that is about to be given."""
        sent = Sent(room, user, seat, decision, option, value, trio.current_time())
        self.sent.append(sent)
        return sent

    def leave(self, room: str, user: str) -> None:
        """Note that a user may be no longer in the seat that it had."""
        self.left.add((room, user))
        self.highest.pop((room, user), None)

    def show(self, user: str, update: dict[str, Any]) -> None:
        """Note an update; what is told twice has to be the same."""
        room, seq, full = update["room"], update["seq"], update["full"]
        shown = Shown(
            room,
            user,
            seq,
            full,
            dump(update["events"]),
            dump(update["view"]),
            dump(update["decisions"]),
            (room, user) in self.left,
        )
        key = (room, user, seq, "full" if full and not update["events"] else "")
        before = self.shown.setdefault(key, shown)
        same = (before.events, before.view, before.decisions) == (
            shown.events,
            shown.view,
            shown.decisions,
        )
        if not same and not shown.may_watch:
            self.fail(f"update {seq} of {room} is told to {user} in two ways")

    def hear(self, room: str, n: int, text: str) -> None:
        """Note a line of chat; every text is said once."""
        lines = self.said[text]
        lines.add((room, n))
        if len(lines) > 1:
            self.fail(f"a line was said twice: {sorted(lines)}")

    def acknowledged(self) -> Iterator[Sent]:
        """Yield the answers that were accepted for sure."""
        return (sent for sent in self.sent if sent.acked is not None)


@define(eq=False)
class Reader:
    """Reads what one client's process gets, frame by frame, and minds the numbers.

    `last` is per room the last update that this process has got.
    """

    ledger: Ledger
    durable: Durable
    name: str
    user: str | None = None
    last: dict[str, int] = field(factory=dict)
    _asked: dict[int, dict[str, Any]] = field(factory=dict)

    def ask(self, text: bytes) -> None:
        """Take a frame of the client."""
        request = json.loads(text)
        self._asked[request["id"]] = request

    def leaves(self, text: bytes) -> None:
        """Take a frame that the server is sending just now: it has to be durable already."""
        if update := UPDATE.match(text):
            room, seq = update[1].decode(), int(update[2])
            if self.user is not None and (room, self.user) not in self.ledger.left:
                self.durable.check_update(self.user, room, seq)
        elif text.startswith(b'{"type":"ok"'):
            reply = json.loads(text)
            request = self._asked.get(reply["re"])
            if request is None or self._is_overtaken(request):
                return
            user = self.user or reply["result"].get("user", "")
            self.durable.check_ok(user, request, reply["result"])

    def _is_overtaken(self, request: dict[str, Any]) -> bool:
        """Tell whether something asked later may have changed again what this one changed."""
        room, kind = request.get("room"), request["type"]
        if kind in {"act", "hello"} or room is None:
            return False
        return any(
            other["id"] != request["id"] and other.get("room") == room and other["type"] in CHANGES
            for other in self._asked.values()
        )

    def read(self, text: bytes) -> dict[str, Any]:
        """Take a frame of the server."""
        message: dict[str, Any] = json.loads(text)
        match message["type"]:
            case "update":
                self._update(message)
            case "error" if message["code"] == "internal":
                self.ledger.fail(f"{self.name} was told of an internal error")
            case "chat":
                self.ledger.hear(message["room"], message["n"], message["text"])
            case "closed" if self.user is not None:
                self.forget(message["room"])
            case "ok" if "token" in message["result"]:
                self.user = message["result"]["user"]
        if message["type"] in {"ok", "error"}:
            self._asked.pop(message["re"], None)
        return message

    def forget(self, room: str) -> None:
        """Note that the place in a room may be lost."""
        self.last.pop(room, None)
        if self.user is not None:
            self.ledger.leave(room, self.user)

    def _update(self, update: dict[str, Any]) -> None:
        room, seq = update["room"], update["seq"]
        if self.user is None:
            self.ledger.fail(f"{self.name} got an update before it was anybody")
            return
        highest = self.ledger.highest.get((room, self.user), 0)
        if update["full"]:
            if seq < highest:
                self.ledger.fail(f"{self.name}: {room} goes back from {highest} to {seq}")
        elif seq > self.last.get(room, 0) + 1:
            self.ledger.fail(f"{self.name}: a gap before {seq} of {room}")
        elif seq <= self.last.get(room, 0):
            self.ledger.show(self.user, update)
            return  # on its way when it was asked for again
        self.last[room] = seq
        self.ledger.highest[room, self.user] = max(seq, highest)
        self.ledger.show(self.user, update)
