"""A server of a few lines for the tests: it says what it is told to say."""

from __future__ import annotations

import json
from typing import Any

from kaguraden_client.session import Event, Session
from kaguraden_protocol import codec, messages

Json = Any
ROOM = "KAGU-7Q2F"
TOKEN = "t" * 32


def info(room: str = ROOM, **changes: Any) -> dict[str, Json]:
    """Return a RoomInfo as on the wire."""
    return {
        "room": room,
        "game": "odoriko",
        "phase": "lobby",
        "seats": [{"seat": 0, "user": "u0", "name": "Aki", "host": True}, {"seat": 1}],
        "spectators": 0,
        "options": {},
        "locked": False,
        "created_ms_ago": 5,
        "commitment": "c" * 64,
        **changes,
    }


def decision(number: int = 1, seat: int = 0, **changes: Any) -> dict[str, Json]:
    """Return an action point as on the wire."""
    return {
        "id": f"{seat}.{number}",
        "kind": "action",
        "options": [
            {"id": "draw:resource", "kind": "draw", "args": {"deck": "resource"}},
            {"id": "end_turn", "kind": "end_turn", "args": {}},
        ],
        "default": "end_turn",
        "sealed": False,
        **changes,
    }


def update(seq: int, room: str = ROOM, *, full: bool = False, **changes: Any) -> dict[str, Json]:
    """Return an update as on the wire."""
    return {
        "type": "update",
        "room": room,
        "seq": seq,
        "full": full,
        "events": [{"kind": "happened", "n": seq}],
        "view": {"game": "odoriko", "phase": "turns", "seen": seq},
        "decisions": [],
        "clock": [],
        **changes,
    }


def hello_result(**changes: Any) -> dict[str, Json]:
    """Return the result of hello as on the wire."""
    return {
        "user": "u0",
        "token": TOKEN,
        "resumed": False,
        "server": {"name": "kaguraden", "version": "0.1.0"},
        "protocol": "1.0",
        "capabilities": [],
        "limits": {},
        "games": [],
        "rooms": [],
        **changes,
    }


class Script:
    """A session and the other end of its connection, in one hand."""

    def __init__(self, session: Session | None = None) -> None:
        self.session = session or Session("Aki")
        self.now = 100.0
        self.told: list[Event] = []

    def connect(self) -> None:
        self.session.connected(self.now)

    def lose(self, code: int = 1006, reason: str = "") -> list[Event]:
        events = self.session.lost(code, reason, self.now)
        self.told += events
        return events

    def asked(self) -> list[messages.Request]:
        """Return the requests that the session wants to send now, as the server reads them."""
        return [codec.decode_request(text) for text in self.session.outgoing(self.now)]

    def say(self, message: dict[str, Json] | str) -> list[Event]:
        """Let the server say something."""
        text = message if isinstance(message, str) else json.dumps(message)
        events = self.session.receive(text, self.now)
        self.told += events
        return events

    def ok(self, request: messages.Request, **result: Json) -> list[Event]:
        return self.say({"type": "ok", "re": request.id, "result": result})

    def error(self, request: messages.Request, code: str, **details: Json) -> list[Event]:
        return self.say(
            {
                "type": "error",
                "re": request.id,
                "code": code,
                "message": code.replace("_", " "),
                "details": details,
            }
        )

    def greet(
        self,
        *,
        resumed: bool = False,
        rooms: list[dict[str, Json]] | None = None,
        token: str = TOKEN,
    ) -> list[Event]:
        """Answer the hello that the session just sent."""
        (hello,) = self.asked()
        assert isinstance(hello, messages.Hello)
        return self.ok(hello, **hello_result(token=token, resumed=resumed, rooms=rooms or []))

    def open(self) -> None:
        """Connect and be greeted."""
        self.connect()
        self.greet()

    def enter(self) -> None:
        """Open, create a room and play to the first update."""
        self.open()
        self.session.request(messages.Create(id=0, game="odoriko"))
        (create,) = self.asked()
        self.ok(create, room=ROOM, seat=0)
        self.say(update(1, full=True, decisions=[decision()]))

    def come_back(self, *, last_seq: int, seat: int | None = 0) -> list[Event]:
        """Connect again and find the place kept."""
        self.connect()
        return self.greet(
            resumed=True,
            rooms=[{"room": ROOM, "seat": seat, "last_seq": last_seq}],
            token="s" * 32,
        )
