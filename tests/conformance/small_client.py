"""A whole client of a page, which does all that the specification asks, and clients with one fault.

It speaks over in-memory streams; every fault is a subclass that overrides one thing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

import trio
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import Opcode
from websockets.trio.client import ClientConnection, connect
from websockets.typing import Subprotocol

__all__ = ["Crash", "SmallClient", "fitting"]

Message = dict[str, Any]
BACK = {1006, 1011, 1012, 4003}


class Crash(Exception):
    """A client that did not get over something."""


def fitting(spec: Message | None) -> Any:
    """Return a value that an option takes."""
    match spec:
        case None:
            return None
        case {"type": "int"}:
            return spec["min"]
        case {"type": "cards"}:
            return spec["from"][: spec["min"]]
        case _:
            return spec["of"]


class SmallClient:
    """See above. `run` returns when there is nothing left to do."""

    offers: ClassVar[list[str]] = ["kaguraden.v1"]
    name = "Small"
    answers_pings = True

    def __init__(self, open_stream: Callable[[], Awaitable[trio.abc.Stream]]) -> None:
        self.open_stream = open_stream
        self.tokens: list[str] = []
        self.room = ""
        self.seq = 0
        self.view: Message = {}
        self.acts: dict[str, Message] = {}  # by decision: what was answered, once
        self.pending: dict[Any, Message] = {}  # requests without a reply
        self.lost: list[Message] = []  # acts whose connection broke
        self.last_id = 0
        self.is_over = False
        self.links = 0

    # --- connections -------------------------------------------------------------------------

    async def run(self) -> None:
        while not self.is_over:
            code = await self.connect_once()
            if self.is_over or not self.comes_back(code):
                return
            await trio.sleep(0.5)

    def comes_back(self, code: int) -> bool:
        return code in BACK

    async def connect_once(self) -> int:
        offers = [Subprotocol(name) for name in self.offers]
        try:
            async with connect(
                "ws://127.0.0.1/ws",
                stream=await self.open_stream(),
                subprotocols=offers or None,
                compression=None,
                proxy=None,
                ping_interval=None,
                close_timeout=1,
            ) as ws:
                if not self.answers_pings:
                    _mute_pongs(ws)
                self.ws = ws
                self.links += 1
                try:
                    async with trio.open_nursery() as self.nursery:
                        await self.converse()
                        self.nursery.cancel_scope.cancel()
                except* (ConnectionClosed, Crash, trio.BrokenResourceError):
                    pass
                await self.hang_up()
            return ws.close_code or 1006
        except InvalidStatus:
            return 1000

    async def hang_up(self) -> None:
        await self.ws.aclose()

    async def converse(self) -> None:
        self.lost += [act for act in self.pending.values() if act["type"] == "act"]
        self.pending.clear()
        await self.greet()
        while not self.is_over:
            await self.take(json.loads(await self.ws.recv()))

    async def send(self, kind: str, **fields: Any) -> None:
        request = {"type": kind, "id": self.next_id(), **fields}
        self.pending[request["id"]] = request
        await self.write(json.dumps(request))

    async def write(self, text: str) -> None:
        await self.ws.send(text)

    def next_id(self) -> int:
        self.last_id += 1
        return self.last_id

    async def greet(self) -> None:
        fields: Message = {"name": self.name, "client": {"name": "small", "version": "1"}}
        if self.tokens:
            fields["resume"] = self.token()
        await self.send("hello", capabilities=["patch"], **fields)

    def token(self) -> str:
        return self.tokens[-1]

    # --- messages ----------------------------------------------------------------------------

    async def take(self, message: Message) -> None:
        match message["type"]:
            case "ok":
                await self.take_ok(self.pending.pop(message["re"]), message["result"])
            case "error":
                await self.take_error(self.pending.pop(message["re"]), message)
            case "update":
                await self.take_update(message)
            case "room" | "chat":
                self.show(message)
            case "notice":
                self.take_notice(message)
            case _:
                self.take_unknown(message)

    def show(self, message: Message) -> None:
        """Print names and chat, cleaned."""

    def take_notice(self, message: Message) -> None:
        """Print it."""

    def take_unknown(self, message: Message) -> None:
        """Ignore it."""

    async def take_ok(self, request: Message, result: Message) -> None:
        match request["type"]:
            case "hello":
                self.tokens.append(result["token"])
                if result["rooms"]:
                    await self.come_back()
                else:
                    await self.send("create", game="kit_toy", seats=2)
            case "create":
                self.room = result["room"]
                await self.get_ready()

    async def get_ready(self) -> None:
        await self.send("bot", room=self.room)
        await self.send("ready", room=self.room, ready=True)
        await self.send("start", room=self.room)

    async def come_back(self) -> None:
        await self.sync(self.seq)
        lost, self.lost = self.lost, []
        for act in lost:
            await self.again(act)

    async def sync(self, seq: int | None) -> None:
        await self.send("sync", room=self.room, **({} if seq is None else {"seq": seq}))

    async def again(self, act: Message) -> None:
        fields = {k: v for k, v in act.items() if k not in ("type", "id")}
        await self.send("act", **fields)

    async def take_error(self, request: Message, error: Message) -> None:
        match error["code"]:
            case "too_many_requests":
                await self.later(request, error["details"]["retry_after_ms"] / 1000)
            case "unavailable":
                await self.later(request, 0.5)
            case "stale":
                self.take_stale()
            case _:
                self.take_unknown_code(error)

    def take_stale(self) -> None:
        """The next update says what is asked now."""

    def take_unknown_code(self, error: Message) -> None:
        """It was refused, and that is all."""

    async def later(self, request: Message, seconds: float) -> None:
        async def wait() -> None:
            await trio.sleep(seconds)
            await self.again(request)

        self.nursery.start_soon(wait)

    # --- playing -----------------------------------------------------------------------------

    async def take_update(self, update: Message) -> None:
        if not self.is_news(update):
            return
        if not update["full"] and update["seq"] > self.seq + 1 and self.seq:
            await self.sync(self.seq)
            return
        self.seq = update["seq"]
        self.look_at_events(update["events"])
        self.fold(update)
        if "hash" in update and not self.fits(update["hash"]):
            await self.sync(None)
            return
        if "outcome" in self.view:
            await self.take_outcome()
            return
        for decision in update["decisions"]:
            if decision["id"] not in self.acts:
                await self.decide(decision)

    def is_news(self, update: Message) -> bool:
        return bool(update["full"]) or update["seq"] > self.seq

    def look_at_events(self, events: list[Message]) -> None:
        """Tell them."""

    def fold(self, update: Message) -> None:
        if "view" in update:
            self.view = update["view"]
        for step in update.get("patch", ()):
            self.view = {**self.view, step["path"].strip("/"): step["value"]}

    def fits(self, told: str) -> bool:
        text = json.dumps(self.view, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest() == told

    async def take_outcome(self) -> None:
        self.is_over = True

    async def decide(self, decision: Message) -> None:
        option, value = self.choose(decision)
        fields = {"room": self.room, "decision": decision["id"], "option": option}
        if value is not None:
            fields["value"] = value
        self.acts[decision["id"]] = fields
        await self.act(fields)

    async def act(self, fields: Message) -> None:
        await self.send("act", **fields)

    def choose(self, decision: Message) -> tuple[str, Any]:
        known = ("int", "cards", "order", "none")
        options = [
            o for o in decision["options"] if o.get("value", {"type": "none"})["type"] in known
        ]
        return options[0]["id"], fitting(options[0].get("value"))


def _mute_pongs(ws: ClientConnection) -> None:
    send = ws.protocol.send_frame

    def send_frame(frame: Any) -> None:
        if frame.opcode is not Opcode.PONG:
            send(frame)

    ws.protocol.send_frame = send_frame  # type: ignore[method-assign]
