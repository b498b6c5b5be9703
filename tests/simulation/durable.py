"""What the journal holds at this moment, to hold against what leaves the server at this moment.

Nothing that a step causes leaves before it is durable, and no reply before what it grants is: so
whenever the server sends something, what it tells of has to be in a commit already.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from attrs import define, field
from kaguraden_server.journal.entries import Entry, RoomClosed, RoomKept, StepTaken, UserKept
from kaguraden_server.keeping import After, KeptRoom, KeptSeat, read

__all__ = ["Durable"]


@define(eq=False)
class Durable:
    """All commits so far. `owners` are the seats of each room at its deal."""

    fail: Callable[[str], None]
    rooms: dict[str, KeptRoom] = field(factory=dict)
    owners: dict[str, dict[str, int]] = field(factory=dict)
    users: set[str] = field(factory=set)
    _codes: dict[int, str] = field(factory=dict)
    _answered: defaultdict[str, set[str]] = field(factory=lambda: defaultdict(set))
    _seqs: dict[str, tuple[int, ...]] = field(factory=dict)

    def add(self, entries: Sequence[Entry]) -> None:
        """Take a commit."""
        for entry in entries:
            match entry:
                case UserKept(id=user):
                    self.users.add(user)
                case RoomKept(number=number, code=code, doc=doc):
                    self._codes[number] = code
                    self.rooms[code] = read(KeptRoom, doc)
                case RoomClosed(number=number):
                    self.rooms.pop(self._codes.get(number, ""), None)  # it may never have been
                case _:
                    pass
        for entry in entries:
            if isinstance(entry, StepTaken):
                self._step(self._codes[entry.room], entry)

    def _step(self, code: str, step: StepTaken) -> None:
        if step.n == 0:
            seats = enumerate(self.rooms[code].seats)
            self.owners[code] = {seat.owner: n for n, seat in seats if seat.owner is not None}
        self._seqs[code] = read(After, step.after).seqs
        for line in step.inputs.split("\n"):
            if not line.startswith("expire "):
                self._answered[code].update(line.split(" ")[1:2])

    # --- what the server sends -------------------------------------------------------------------

    def check_update(self, user: str, room: str, seq: int) -> None:
        """An update leaves: its step has to be in the journal."""
        seqs = self._seqs.get(room)
        seat = self.owners.get(room, {}).get(user)
        if (
            seqs is None
            or seq > max(seqs)
            or (seat is not None and seq > max(seqs[seat], seqs[-1]))
        ):
            self.fail(f"update {seq} of {room} leaves before it is durable: {seqs}")

    def check_ok(self, user: str, request: dict[str, Any], result: dict[str, Any]) -> None:
        """A request was granted: what it changed has to be in the journal."""
        match request["type"]:
            case "hello":
                kept = result["user"] in self.users
            case "create" | "join" | "rematch":
                room = self.rooms.get(result["room"])
                kept = room is not None and any(member.user == user for member in room.members)
                seat = result.get("seat")
                if kept and room is not None and seat is not None and room.chances is None:
                    kept = room.seats[seat].owner == user
            case "leave":
                room = self.rooms.get(request["room"])
                kept = room is None or all(member.user != user for member in room.members)
            case "ready":
                mine = self._seats(request["room"], user)
                nonce = request.get("nonce")
                kept = any(seat.ready == request["ready"] for seat in mine)
                kept = kept and (nonce is None or any(seat.nonce == nonce for seat in mine))
            case "auto":
                mine = self._seats(request["room"], user)
                passes = request["mode"] == "pass"
                kept = any(seat.passes.get(request["window"]) is passes for seat in mine)
            case "act":
                kept = request["decision"] in self._answered[request["room"]]
            case _:
                kept = True
        if not kept:
            self.fail(f"{user} has an ok before it is durable: {json.dumps(request)} {result}")

    def _seats(self, code: str, user: str) -> list[KeptSeat]:
        room = self.rooms.get(code)
        return [] if room is None else [seat for seat in room.seats if seat.owner == user]
