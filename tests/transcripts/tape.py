"""What goes over a connection, both ways, as lines of JSON."""

from __future__ import annotations

import json
from typing import Any

import trio
from attrs import define, field
from kaguraden_server.wires import Inside, InsideWire, WireClosed

from tests.server.house import House, Player

__all__ = ["Tape", "Who", "taped"]

Line = dict[str, Any]


@define(eq=False)
class Tape:
    """The lines of a transcript, in the order in which its clients sent and read them."""

    lines: list[Line] = field(factory=list)
    begun: float = field(factory=trio.current_time)

    def note(self, who: str, **what: Any) -> None:
        """Add a line; it has one of `sent`, `got`, `text` (sent as it is) and `event`."""
        at_ms = round((trio.current_time() - self.begun) * 1000)
        self.lines.append({"at_ms": at_ms, "who": who, **what})

    def text(self) -> str:
        """Return all lines as they are kept."""
        dumps = [json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in self.lines]
        return "".join(f"{line}\n" for line in dumps)


@define(eq=False)
class _Line:
    """A client's end of a connection that notes what goes over it."""

    tape: Tape
    who: str
    line: Inside
    wire: InsideWire

    async def send(self, text: str) -> None:
        """Send a message, and note it."""
        try:
            self.tape.note(self.who, sent=json.loads(text))
        except ValueError:
            self.tape.note(self.who, text=text)
        await self.line.send(text)

    async def receive(self) -> str:
        """Return the next message, noted; EOFError, noted with its code, at the end."""
        try:
            text = await self.line.receive()
        except EOFError:
            code = self.wire.closed_with
            closed = {"event": "lost"} if code is None else {"event": "closed", "code": code}
            self.tape.note(self.who, **closed)
            raise
        self.tape.note(self.who, got=json.loads(text))
        return text

    async def aclose(self) -> None:
        """Lose the connection."""
        self.tape.note(self.who, event="lost")
        await self.line.aclose()


@define(eq=False)
class Who(Player):
    """A player whose connections are noted."""

    answered: set[str] = field(factory=set)  # the ids of decisions

    async def say(self, text: str) -> dict[str, Any]:
        """Send what may be no message; return the reply."""
        await self.line.send(text)
        while True:
            message: dict[str, Any] = json.loads(await self.line.receive())
            if message["type"] in ("ok", "error"):
                return message
            self.pushes.append(message)

    async def read_to_end(self) -> None:
        """Read until the server closes."""
        try:
            while True:
                await self.line.receive()
        except (EOFError, WireClosed):
            pass


async def taped(house: House, tape: Tape, name: str) -> Who:
    """Connect somebody."""
    player = await house.connect()
    line, wire = player.line, player.wire
    assert isinstance(line, Inside)
    assert wire is not None
    tape.note(name, event="open")
    return Who(_Line(tape, name, line, wire), wire)
