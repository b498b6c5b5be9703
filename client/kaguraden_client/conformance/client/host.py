"""A server with a script, which a client under test connects to.

It has one room with one game of its own, whatever room or game is asked for, and plays the scenes
of `script` on the client: what it sends is what protocol/README.md allows a server, if not always
what a good day looks like. What the client does goes into a `Diary`.

Frames are read as they come; each is answered a moment later, so that requests that were sent
together are there together.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from http import HTTPStatus
from typing import Any, Final

import trio
from attrs import define, field, frozen
from kaguraden_protocol import codec
from kaguraden_protocol.errors import CLOSE_REASONS, CloseCode, RefusedError, RemoteProtocolError
from kaguraden_protocol.limits import Limits
from kaguraden_protocol.text import check_name
from kaguraden_protocol.versions import SUBPROTOCOL
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.trio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from ..clause import Result
from ..texts import Json, dump
from .diary import Came, Diary, Link

__all__ = ["Judge", "Settings", "scripted_server"]

MAX_FRAMES: Final = 50_000  # that a client may send in all
MAX_SIZE: Final = 8_000_000  # characters in all of them; the values may take up 25 bytes for each
MAX_LINKS: Final = 500  # connections that it may open in all
MAX_OPEN: Final = 8  # at the same time
SEND_SECONDS: Final = 5.0  # for one text; whoever does not read is cut off
LATENCY: Final = 0.02  # seconds before a reply
GRACE: Final = 1.0  # seconds in which an answer may have crossed the news
ROOM: Final = "KITS-0001"
GAME: Final = "kit_toy"
OTHER: Final = "a11ce0000001"
ME: Final = "c11e40000001"
LIMITS: Final = Limits(frame_in_bytes=8192)
SEED: Final = b"the kit deals nothing by chance."
COMMITMENT: Final = hashlib.sha256(SEED).hexdigest()
EXTRA: Final[Json] = {"kit_extra": {"new": ["in", "1.9"], "n": 7}}
KNOWN_VALUES: Final = ("int", "cards", "order")
GONE: Final = (ConnectionClosed, trio.BrokenResourceError)


@frozen
class Settings:
    """How a client is tried.

    `patience` is how long it may think about an answer, `comeback` how long it may take to come
    back, `soon` how long what it should do, but need not, is waited for, `timeout` how long all of
    it may take, all in seconds. `end` is how it ends: 0 with the outcome, or with a close code after
    which a client must not come back.
    """

    rounds: int = 6
    patience: float = 20.0
    comeback: float = 12.0
    soon: float = 4.0
    timeout: float = 180.0
    drops: bool = True
    end: int = 0


@define(eq=False)
class Judge:
    """The scripted server, and what it makes of the client."""

    settings: Settings = Settings()
    url: str = ""
    diary: Diary = field(factory=Diary)
    done: trio.Event = field(factory=trio.Event)
    # the room
    game: str = GAME
    seat: int | None = None
    seats: int = 2
    is_ready: bool = False
    nonce: str = ""
    phase: str = "lobby"
    names: list[str] = field(factory=lambda: ["Kit", "Kit"])
    # the stream
    history: list[Json] = field(factory=list)
    told: dict[str, Json] = field(factory=dict)
    closed_at: dict[str, float] = field(factory=dict)
    open: Json | None = None
    answers: dict[str, tuple[Json, Json]] = field(factory=dict)  # act fields, result
    on_act: Any = None  # what happens to the next act in place of an answer
    decorate: bool = True
    view: Json = field(factory=dict)
    # the connections
    link: Link | None = None  # the one that the client said hello on last
    attending: int = 0
    scope: trio.CancelScope = field(factory=trio.CancelScope)  # of the script
    _ws: ServerConnection | None = field(default=None, init=False)
    _token: str = field(default="", init=False)
    _tokens: int = field(default=0, init=False)
    _is_synced: bool = field(default=True, init=False)
    _changed: trio.Event = field(factory=trio.Event, init=False)
    _bucket: float = field(default=float(LIMITS.burst_requests), init=False)
    _bucket_at: float = field(default=-math.inf, init=False)
    _numbers: int = field(default=0, init=False)
    _patches: bool = field(default=False, init=False)

    # --- the verdict -----------------------------------------------------------------------------

    def results(self) -> list[Result]:
        """Return what came of each clause."""
        from .clauses import judge

        return judge(self.diary)

    # --- waiting ---------------------------------------------------------------------------------

    def wake(self) -> None:
        """Tell whoever waits that something changed."""
        changed, self._changed = self._changed, trio.Event()
        changed.set()

    async def until(self, test: Any, seconds: float) -> bool:
        """Wait until a test is true; return whether it was in time."""
        with trio.move_on_after(seconds):
            while not test():
                await self._changed.wait()
            return True
        return bool(test())

    # --- connections -----------------------------------------------------------------------------

    async def attend(self, ws: ServerConnection) -> None:
        """Serve one connection to its end."""
        offered = tuple(ws.request.headers.get_all("Sec-WebSocket-Protocol")) if ws.request else ()
        link = Link(len(self.diary.links) + 1, offered)
        self.diary.links.append(link)
        self._look_for_flood()
        self.attending += 1
        try:
            await self._serve(ws, link)
        finally:
            self.attending -= 1

    async def _serve(self, ws: ServerConnection, link: Link) -> None:
        to_dispatcher, frames = trio.open_memory_channel[str](64)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._wait_hello, ws, link)
            async with trio.open_nursery() as workers:
                workers.start_soon(self._dispatch, ws, link, frames)
                with to_dispatcher:
                    await self._read(ws, link, to_dispatcher)
                if not link.ended_by:
                    link.ended_by = "client"
                link.code = ws.close_code
            if self.link is link:
                self.link = self._ws = None
            self.wake()
            nursery.cancel_scope.cancel()

    async def _read(
        self, ws: ServerConnection, link: Link, to_dispatcher: trio.MemorySendChannel[str]
    ) -> None:
        with suppress(trio.BrokenResourceError):
            while True:
                try:
                    data = await ws.recv()
                except ConnectionClosed as end:
                    self._look_at_end(link, end)
                    return
                self.diary.frames += 1
                self.diary.size += len(data)
                self._look_for_flood()
                if isinstance(data, bytes):
                    self.diary.fault("text-frames", "text frames only", f"binary: {data[:80]!r}")
                    link.ended_by = "server"
                    await self.close(ws, CloseCode.BINARY)
                    return
                self._note(data)
                await to_dispatcher.send(data)

    def _look_for_flood(self) -> None:
        frames, size, links = self.diary.frames, self.diary.size, len(self.diary.links)
        if frames > MAX_FRAMES or size > MAX_SIZE or links > MAX_LINKS:
            most = f"{MAX_FRAMES} frames, {MAX_SIZE} characters and {MAX_LINKS} connections at most"
            came = f"{frames} frames of {size} characters on {links} connections"
            self.diary.fault("goes-on", most, f"{came}, which ended the script")
            self.scope.cancel()

    def _look_at_end(self, link: Link, end: ConnectionClosed) -> None:
        """Note what the library, which reads the frames, closes a connection for."""
        if link.ended_by or end.sent is None or end.rcvd_then_sent:
            return
        link.ended_by = "server"
        if end.sent.code == CloseCode.TOO_LARGE:
            self.diary.fault("frame-size", f"at most {LIMITS.frame_in_bytes} bytes", "far more")
        else:
            self.diary.fault("text-frames", "text frames in UTF-8", f"{end.sent}")

    def _note(self, text: str) -> None:
        """Look at a frame as it comes: its form, its id, the rate."""
        now = trio.current_time()
        self._bucket = min(
            LIMITS.burst_requests,
            self._bucket + (now - self._bucket_at) * LIMITS.requests_per_second,
        )
        self._bucket_at = now
        self._bucket -= 1
        if self._bucket < 0:
            most = f"{LIMITS.burst_requests} at once, {LIMITS.requests_per_second} a second"
            self.diary.fault("rate", f"at most {most}", text)
        if len(text.encode()) > LIMITS.frame_in_bytes:
            most = f"at most {LIMITS.frame_in_bytes} bytes, by the limits in the reply to hello"
            self.diary.fault("frame-size", most, f"{len(text.encode())} bytes")

    async def _wait_hello(self, ws: ServerConnection, link: Link) -> None:
        await trio.sleep(LIMITS.hello_ms / 1000)
        if link.hello_at is None:
            self.diary.fault("hello-first", "hello within 10 s", "none")
            link.ended_by = "server"
            await self.close(ws, CloseCode.NO_HELLO)

    async def _dispatch(
        self, ws: ServerConnection, link: Link, frames: trio.MemoryReceiveChannel[str]
    ) -> None:
        waiting: list[str] = []
        async for text in frames:
            waiting.append(text)
            await trio.sleep(LATENCY)
            with suppress(trio.WouldBlock, trio.EndOfChannel):
                while True:
                    waiting.append(frames.receive_nowait())
            self._check_ids(waiting)
            for entry in waiting:
                await self._answer(ws, link, entry)
            waiting.clear()

    def _check_ids(self, texts: Sequence[str]) -> None:
        seen: set[object] = set()
        for text in texts:
            with suppress(RemoteProtocolError):
                name = codec.decode_request(text).id
                if name in seen:
                    self.diary.fault("ids", "an id that no open request has", text)
                seen.add(name)

    async def _answer(self, ws: ServerConnection, link: Link, text: str) -> None:
        try:
            request = codec.to_wire(codec.decode_request(text))
        except RemoteProtocolError as error:
            self.diary.fault("requests", "a request of section 5", str(error), text)
            fields = {"code": str(error.code), "message": str(error), "details": {}}
            await self.send({"type": "error", "re": error.re, **fields}, ws)
            return
        self.diary.requests.append(Came(trio.current_time(), link.number, request))
        kind = request["type"]
        if link.hello_at is None and kind != "hello":
            self.diary.fault("hello-first", "hello before any other request", text)
            await self.refuse(request, "hello_required", ws=ws)
            return
        if kind == "hello":
            await self._hello(ws, link, request)
            return
        if self.link is link:
            await getattr(self, f"_on_{kind}", self._on_other)(request)
            self.wake()

    async def _hello(self, ws: ServerConnection, link: Link, request: Json) -> None:
        if link.hello_at is not None:
            self.diary.fault("hello-first", "hello once", dump(request))
            await self.refuse(request, "already_open", ws=ws)
            return
        try:
            check_name(str(request["name"]))
        except RefusedError as error:
            self.diary.fault("name", "a name by the rules of section 4", dump(request["name"]))
            await self.refuse(request, "bad_name", error.details, ws=ws)
            return
        link.hello_at = trio.current_time()
        came_back = len(self.diary.links) > 1 and self.phase != "lobby"
        token = request.get("resume")
        link.is_resumed = token is not None and token == self._token
        if came_back and not link.is_resumed:
            expected = f"resume with the newest token {self._token!r}"
            self.diary.fault("resume", expected, dump({"resume": token}))
        self.diary.capabilities = tuple(request.get("capabilities", ()))
        self._patches = "patch" in self.diary.capabilities
        self._tokens += 1
        self._token = f"kit-token-{self._tokens}-0123456789abcdef"
        self.link, self._ws = link, ws
        link.seen_before = self._last_seen()
        in_room = self.seat is not None and (link.is_resumed or not came_back)
        self._is_synced = not (in_room and self.history)
        mine = {"room": ROOM, "seat": self.seat, "last_seq": len(self.history)}
        if self.history:
            mine["last_seq"] = self.history[-1]["seq"]
        result: Json = {
            "user": ME,
            "token": self._token,
            "resumed": link.is_resumed,
            "server": {"name": "Kaguraden conformance kit", "version": "1"},
            "protocol": "1.9",
            "capabilities": ["patch"] if self._patches else [],
            "limits": {**codec.to_wire(LIMITS), "kit_limit": 7},
            "games": [self._game_info()],
            "rooms": [mine] if in_room else [],
        }
        await self.ok(request, result)
        if in_room:
            await self.push_room()
        self.wake()

    def _last_seen(self) -> int:
        before = [link.told_seq for link in self.diary.links[:-1] if link.told_seq]
        return before[-1] if before else 0

    def _game_info(self) -> Json:
        return {
            "id": self.game,
            "rules": "1.0",
            "seats": {"min": 1, "max": 6},
            "name": {"ja": "試しの遊び", "en": "Toy of the kit"},
            "options": {"type": "object", "properties": {}},
            "windows": [],
        }

    # --- sending ---------------------------------------------------------------------------------

    async def send(self, message: Json, ws: ServerConnection | None = None) -> None:
        """Send a message, if there is a connection."""
        ws = ws or self._ws
        if ws is None:
            return
        if self.decorate:
            message = {**message, **EXTRA}
        with trio.move_on_after(SEND_SECONDS) as scope, suppress(*GONE):
            await ws.send(dump(message))
        if scope.cancelled_caught:  # a frame is half sent
            self.diary.fault("goes-on", f"all is read within {SEND_SECONDS:g} s", "it was not")
            await trio.aclose_forcefully(ws.stream)

    async def ok(self, request: Json, result: Json | None = None) -> None:
        """Grant a request."""
        result = dict(result or {})
        if self.decorate:
            result |= EXTRA
        await self.send({"type": "ok", "re": request["id"], "result": result})

    async def refuse(
        self,
        request: Json,
        code: str,
        details: Json | None = None,
        ws: ServerConnection | None = None,
    ) -> None:
        """Refuse a request."""
        fields = {"code": code, "message": code.replace("_", " "), "details": details or {}}
        await self.send({"type": "error", "re": request["id"], **fields}, ws)

    async def ping(self, seconds: float) -> bool:
        """Send a ping of WebSocket; return whether it was answered in time."""
        if self._ws is None:
            return False
        with trio.move_on_after(seconds), suppress(*GONE):
            pong = await self._ws.ping()
            await pong.wait()
            return True
        return False

    async def close(self, ws: ServerConnection, code: int) -> None:
        """Close with a code and the reason that belongs to it."""
        with trio.move_on_after(3), suppress(*GONE):
            await ws.aclose(code, CLOSE_REASONS[CloseCode(code)])
        await trio.aclose_forcefully(ws.stream)

    async def drop(self, code: int | None = None) -> bool:
        """End the connection, with a close frame or without, and wait for the client to come back."""
        ws, link = self._ws, self.link
        if ws is not None and link is not None:
            link.ended_by = "server"
            self.link = self._ws = None
            if code is None:
                await trio.aclose_forcefully(ws.stream)
            else:
                await self.close(ws, code)
        return await self.is_back()

    async def is_back(self) -> bool:
        """Wait for the client to come back; return whether it did, and asked for what it missed."""
        back = await self.until(lambda: self.link is not None, self.settings.comeback)
        if back and self.history:
            await self.until(lambda: self._is_synced, self.settings.patience)
        self.diary.is_gone = not back
        return back

    # --- the room --------------------------------------------------------------------------------

    def info(self) -> Json:
        """Return the RoomInfo."""
        seats: list[Json] = []
        for n in range(self.seats):
            seat: Json = {
                "seat": n,
                "user": f"{OTHER}{n}",
                "name": self.names[n % 2],
                "ready": True,
            }
            if n == self.seat:
                seat |= {"user": ME, "ready": self.is_ready}
            if n == 0:
                seat["host"] = True
            seats.append(seat)
        return {
            "room": ROOM,
            "game": self.game,
            "phase": self.phase,
            "seats": seats,
            "spectators": 0,
            "options": {},
            "locked": False,
            "created_ms_ago": 1000,
            "commitment": COMMITMENT,
            **(EXTRA if self.decorate else {}),
        }

    async def push_room(self) -> None:
        """Tell of the room."""
        await self.send({"type": "room", "room": ROOM, "info": self.info()})

    async def _on_other(self, request: Json) -> None:
        await self.ok(request)

    async def _on_rooms(self, request: Json) -> None:
        await self.ok(request, {"rooms": [self.info()]})

    async def _on_catalog(self, request: Json) -> None:
        await self.ok(request, {"version": "1", "packs": [], "cards": {}})

    async def _on_replay(self, request: Json) -> None:
        await self.refuse(request, "not_over", {"room": ROOM})

    _on_rematch = _on_replay

    async def _on_daily(self, request: Json) -> None:
        await self.refuse(request, "unsupported")

    async def _on_create(self, request: Json) -> None:
        self.seat, self.game = 0, str(request["game"])
        self.seats = int(request.get("seats", 2))
        await self.push_room()
        await self.ok(request, {"room": ROOM, "seat": 0})

    async def _on_join(self, request: Json) -> None:
        if self.seat is None:
            self.seat = 1
        await self.push_room()
        await self.ok(request, {"room": ROOM, "seat": self.seat})

    async def _on_bot(self, request: Json) -> None:
        await self.ok(request, {"seat": 1})

    async def _on_ready(self, request: Json) -> None:
        self.is_ready = bool(request["ready"])
        self.nonce = str(request.get("nonce", self.nonce))
        await self.push_room()
        await self.ok(request)
        if self.seat == 1 and self.is_ready:  # the host is the kit's
            await self._begin()

    async def _on_start(self, request: Json) -> None:
        if not self.is_ready:
            await self.refuse(request, "not_ready", {"empty": [], "unready": [0]})
            return
        await self.ok(request)
        await self._begin()

    async def _begin(self) -> None:
        self.phase = "playing"
        await self.push_room()
        self.diary.is_started = True

    def fairness(self) -> Json:
        """Return the event with which a game begins."""
        nonces = [self.nonce if n == self.seat else "" for n in range(self.seats)]
        return {"kind": "fairness", "commitment": COMMITMENT, "nonces": nonces}

    async def _on_leave(self, request: Json) -> None:
        await self.ok(request)
        await self.send({"type": "closed", "room": ROOM, "reason": "left"})

    async def _on_sync(self, request: Json) -> None:
        since = request.get("seq")
        if self.link is not None:
            self.link.synced.append(since)
        last = self.history[-1]["seq"] if self.history else 0
        if self.history and since is None:
            await self._tell({**self.history[-1], "full": True, "events": []})
        elif since is not None:
            for update in [u for u in self.history if u["seq"] > since]:
                await self._tell(update)
        self._is_synced = True
        await self.ok(request, {"seq": last})

    # --- updates ---------------------------------------------------------------------------------

    async def _tell(self, update: Json) -> None:
        if self.link is not None:
            self.link.told_seq = update["seq"]
        await self.send({"type": "update", "room": ROOM, **update})

    async def update(
        self,
        decisions: Sequence[Json] = (),
        *,
        events: Sequence[Json] = (),
        asked: Sequence[int] | None = None,
        silent: bool = False,
        seq: int | None = None,
        full: bool = False,
        **view: Any,
    ) -> Json:
        """Move the stream on: what is asked now is asked, what was is closed.

        Args:
            decisions: What the client is asked; each becomes the open one.
            events: What happened.
            asked: Who is waited for; by default the client, if there is a decision.
            silent: Keep it to oneself for now.
            seq: Another number than the next.
            full: Whether it stands on its own.
            view: Fields of the view.
        """
        now = trio.current_time()
        if self.open is not None:
            self.closed_at[self.open["id"]] = now
        self.open = None
        for decision in decisions:
            self.open = decision
            self.told[decision["id"]] = decision
            self.closed_at.pop(decision["id"], None)
        mine = [] if self.seat is None else [self.seat]
        last = self.history[-1]["seq"] if self.history else 0
        self.view = {
            "game": self.game,
            "phase": "turns",
            "turn": self.seat or 0,
            "seats": [{"seat": n, "score": 0} for n in range(self.seats)],
            "table": {"round": last + 1},
            "asked": list(asked) if asked is not None else (mine if decisions else []),
            "you": {"hand": ["c1", "c2", "c3"]},
            **view,
            **(EXTRA if self.decorate else {}),
        }
        update: Json = {
            "seq": last + 1 if seq is None else seq,
            "full": full or not self.history,
            "events": list(events),
            "view": self.view,
            "decisions": list(decisions),
            "clock": [
                {
                    "seat": self.seat,
                    "left_ms": 600_000,
                    "total_ms": 600_000,
                    "decision": decision["id"],
                    **(EXTRA if self.decorate else {}),
                }
                for decision in decisions
            ],
        }
        self.history.append(update)
        if not silent and self._is_synced:
            await self._tell(update)
        self.wake()
        return update

    def decision(self, options: Sequence[Json], kind: str = "kit_step") -> Json:
        """Return a fresh decision."""
        self._numbers += 1
        extra = EXTRA if self.decorate else {}
        return {
            "id": f"{self.seat}.{self._numbers}",
            "kind": kind,
            "prompt": {"ja": "どうしますか", "en": "What do you do?"},
            "options": [{"args": {}, **option, **extra} for option in options],
            "default": options[-1]["id"],
            "sealed": False,
            **extra,
        }

    # --- acting ----------------------------------------------------------------------------------

    async def _on_act(self, request: Json) -> None:
        fields = {k: v for k, v in request.items() if k not in ("type", "id")}
        known = self._look_at(request, fields)
        hook, self.on_act = self.on_act, None
        if hook is not None and known:
            await hook(request, fields)
            return
        if hook is not None:
            self.on_act = hook
        await self.answer_act(request, fields)

    async def answer_act(self, request: Json, fields: Json) -> None:
        """Do what a server does with an act."""
        name = fields["decision"]
        if name in self.answers and self.answers[name][0] == fields:
            await self.ok(request, self.answers[name][1])
        elif self.open is None or self.open["id"] != name:
            current = [self.open["id"]] if self.open else []
            await self.refuse(request, "stale", {"current": current})
        else:
            problem = misfit(self.open, fields)
            if problem:
                await self.refuse(request, problem[0])
            else:
                await self.accept(request, fields)

    async def accept(self, request: Json, fields: Json, *, silent: bool = False) -> None:
        """Carry out an answer: the update, then the ok, or neither is told."""
        update = await self.update(silent=silent, events=[{"kind": "kit_moved", "seat": self.seat}])
        result = {"seq": update["seq"]}
        self.answers[fields["decision"]] = (fields, result)
        if not silent:
            await self.ok(request, result)
        self.wake()

    def _look_at(self, request: Json, fields: Json) -> bool:
        """Note what is wrong with an act; return whether it answers the open decision."""
        name, told = fields["decision"], self.told.get(fields["decision"])
        sent = f"decisions {sorted(self.told)}"
        if told is None or fields["room"] != ROOM:
            self.diary.fault(
                "own-decisions", "an act on a decision that was told", dump(request), sent
            )
            return False
        problem = misfit(told, fields)
        if problem:
            self.diary.fault(problem[1], problem[2], dump(request), dump(told))
        given = self.answers.get(name)
        if given is not None and given[0] != fields:
            self.diary.fault(
                "one-answer", f"the same answer as before: {dump(given[0])}", dump(request)
            )
        closed = self.closed_at.get(name)
        late = closed is not None and trio.current_time() - closed > GRACE
        if late and given is None:
            expected = f"no act on {name}, which was closed {GRACE:g} s ago or more"
            withdrawn = self.diary.beats.get("withdrawn")
            is_old = withdrawn is not None and withdrawn.facts.get("old") == name
            kind = "old-updates" if is_old else "stale-state"
            self.diary.fault(kind, expected, dump(request), dump(self.history[-1]))
        if self.diary.is_over:
            self.diary.fault("after-the-end", "no act after the outcome", dump(request))
        return self.open is not None and self.open["id"] == name and not problem


def misfit(decision: Json, fields: Json) -> tuple[str, str, str] | None:
    """Return the code, the clause and what was expected if an answer does not fit a decision."""
    option = next((o for o in decision["options"] if o["id"] == fields["option"]), None)
    ids = [o["id"] for o in decision["options"]]
    if option is None:
        return "illegal_option", "listed-options", f"one of {ids}"
    spec, value = option.get("value"), fields.get("value")
    if spec is not None and spec["type"] not in KNOWN_VALUES:
        return "bad_value", "unknown-values", "an option whose value the client knows"
    if not _fits(spec, value):
        return "bad_value", "values", f"a value that fits {dump(spec)}"
    return None


def _fits(spec: Json | None, value: Any) -> bool:
    match spec:
        case None:
            return value is None
        case {"type": "int"}:
            return isinstance(value, int) and spec["min"] <= value <= spec["max"]
        case {"type": "cards"}:
            return (
                isinstance(value, list)
                and spec["min"] <= len(value) <= spec["max"]
                and len(set(value)) == len(value)
                and set(value) <= set(spec["from"])
            )
        case _:
            return isinstance(value, list) and sorted(value) == sorted(spec["of"])


def _door(judge: Judge, _ws: ServerConnection, request: Request) -> Response | None:
    if "websocket" not in ",".join(request.headers.get_all("Upgrade")).lower():
        is_health = request.path in ("/healthz", "/readyz")
        status = HTTPStatus.OK if is_health else HTTPStatus.NOT_FOUND
        return _text(status, "a server with a script, for one client\n")
    if judge.attending >= MAX_OPEN:
        return _text(HTTPStatus.TOO_MANY_REQUESTS, f"at most {MAX_OPEN} connections\n")
    offered = ",".join(request.headers.get_all("Sec-WebSocket-Protocol"))
    if SUBPROTOCOL in [name.strip() for name in offered.split(",")]:
        return None
    expected = f"Sec-WebSocket-Protocol: {SUBPROTOCOL}"
    judge.diary.fault("subprotocol", expected, offered or "none", "a handshake")
    return _text(HTTPStatus.BAD_REQUEST, f"offer a WebSocket subprotocol of: {SUBPROTOCOL}\n")


def _text(status: HTTPStatus, text: str) -> Response:
    body = text.encode()
    headers = Headers([("Content-Length", str(len(body))), ("Connection", "close")])
    return Response(status.value, status.phrase, headers, body)


@asynccontextmanager
async def scripted_server(
    settings: Settings | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    listeners: list[trio.SocketListener] | None = None,
) -> AsyncIterator[Judge]:
    """Run a scripted server for one client; `judge.done` is set when the script is over.

    Args:
        settings: How the client is tried.
        host: The address to listen on.
        port: The port; 0 picks a free one, which `judge.url` tells.
        listeners: What to listen on in place of that.
    """
    from .script import play

    judge = Judge(settings or Settings())
    if listeners is None:
        listeners = await trio.open_tcp_listeners(port, host=host)
    name = listeners[0].socket.getsockname()
    judge.url = f"ws://{f'[{host}]' if ':' in host else host}:{name[1]}/ws"
    async with trio.open_nursery() as nursery:
        await nursery.start(
            partial(
                serve,
                judge.attend,
                listeners=listeners,
                process_request=partial(_door, judge),
                subprotocols=[Subprotocol(SUBPROTOCOL)],
                compression=None,
                server_header=None,
                ping_interval=None,
                close_timeout=3,
                max_size=256 * 1024,
            )
        )
        nursery.start_soon(play, judge)
        try:
            yield judge
        finally:
            nursery.cancel_scope.cancel()
