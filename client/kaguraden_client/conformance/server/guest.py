"""Somebody on a connection, in the kit's hands: sends anything, and keeps all that comes.

Everything happens in the task that calls. What does not come as it must raises `Failed`, with the last
request that was sent. A guest keeps to the server's rate unless told not to.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import trio
from attrs import define, field

from ..clause import Failed
from ..texts import Json, dump
from .line import Ended, Line

__all__ = ["Allowance", "Flooded", "Guest", "Place", "Silent", "act_fields", "apply_patch"]

PATIENCE: Final = 10.0  # seconds for anything that must come
PAUSE: Final = 0.3  # seconds in which what must not come would have come
MAX_KEPT: Final = 256 * 1024 * 1024  # bytes that what one clause was told may take up
CLIENT: Final = {"name": "kaguraden-conformance", "version": "1"}


class Silent(Failed):
    """Nothing came that had to come."""


class Flooded(Failed):
    """More came than the kit can keep."""


@define(eq=False)
class Allowance:
    """What the guests of a clause may still keep, all together, in bytes of memory (about)."""

    left: int = MAX_KEPT

    def take(self, text: str) -> None:
        """Take for a text and what is read from it.

        Raises:
            Flooded: That is more than is left.
        """
        values = 1 + text.count(",") + text.count("[") + text.count("{")
        self.left -= 2000 + 4 * len(text) + 80 * values
        if self.left < 0:
            raise Flooded(f"at most {MAX_KEPT >> 20} MiB in a clause", f"more, at last {text}")


def parse(text: str) -> Json:
    """Return the object in a text of the server.

    Raises:
        Failed: It holds none.
    """
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise Failed("a text frame with one JSON object", text)
    return message


def apply_patch(view: Json, patch: Sequence[Json]) -> Json:
    """Return a view after a JSON Patch of `add`, `remove` and `replace`.

    Raises:
        Failed: The patch does not fit.
    """
    whole: Any = {"": json.loads(json.dumps(view))}
    for step in patch:
        keys = ["", *map(_unescape, str(step.get("path")).split("/")[1:])]
        try:
            at: Any = whole
            for key in keys[:-1]:
                at = at[int(key)] if isinstance(at, list) else at[key]
            _change(at, keys[-1], step)
        except (KeyError, IndexError, ValueError, TypeError):
            raise Failed("a patch that fits the view before", step) from None
    result: Json = whole[""]
    return result


def _unescape(key: str) -> str:
    return key.replace("~1", "/").replace("~0", "~")


def _change(at: Any, key: str, step: Json) -> None:
    op = step.get("op")
    if isinstance(at, list):
        index = len(at) if key == "-" else int(key)
        if op == "add":
            if index > len(at):
                raise IndexError
            at.insert(index, step["value"])
        elif op == "remove":
            del at[index]
        elif op == "replace":
            at[index] = step["value"]
        else:
            raise ValueError
    elif op == "remove":
        del at[key]
    elif op == "add" or (op == "replace" and key in at):
        at[key] = step["value"]
    else:
        raise ValueError


@define(eq=False)
class Place:
    """What a guest was told of a room."""

    room: str
    seat: int | None = None
    info: Json = field(factory=dict)
    infos: list[Json] = field(factory=list)
    seq: int = 0
    view: Json = field(factory=dict)
    decisions: list[Json] = field(factory=list)
    clock: list[Json] = field(factory=list)
    updates: list[Json] = field(factory=list)
    views: list[Json] = field(factory=list)  # after each of `updates`
    answered: set[str] = field(factory=set)
    closed: str | None = None

    @property
    def is_over(self) -> bool:
        """Whether the view has an outcome."""
        return "outcome" in self.view

    def due(self) -> Json | None:
        """Return an open decision that has not been answered, if the seat is asked."""
        if self.seat not in self.view.get("asked", [self.seat]):
            return None
        return next((d for d in self.decisions if d["id"] not in self.answered), None)

    def take(self, update: Json) -> None:
        """Fold an update. Whether its number is right is for clauses to say."""
        for name, kind in (("seq", int), ("events", list), ("decisions", list), ("clock", list)):
            if not isinstance(update.get(name), kind) or not isinstance(update.get("full"), bool):
                raise Failed("an update with seq, full, events, decisions and clock", dump(update))
        self.seq = update["seq"]
        if "view" in update:
            self.view = update["view"]
        elif "patch" in update:
            self.view = apply_patch(self.view, update["patch"])
        self.decisions = update["decisions"]
        self.clock = update["clock"]
        self.updates.append(update)
        self.views.append(self.view)


@define(eq=False)
class Guest:
    """One connection. `frames` are all texts that came, in order."""

    line: Line
    name: str
    allowance: Allowance = field(factory=Allowance)
    paced: bool = True
    hello: Json = field(factory=dict)
    places: dict[str, Place] = field(factory=dict)
    pushes: deque[Json] = field(factory=deque)
    frames: list[str] = field(factory=list)
    sent: str = ""
    _last_id: int = field(default=0, init=False)
    _burst: float = field(default=20.0, init=False)
    _rate: float = field(default=10.0, init=False)
    _tokens: float = field(default=20.0, init=False)
    _at: float = field(factory=trio.current_time, init=False)

    # --- sending ---------------------------------------------------------------------------------

    async def send(self, kind: str, **fields: Any) -> int:
        """Send a request and return its id."""
        self._last_id += 1
        await self.send_text(dump({"type": kind, "id": self._last_id, **fields}))
        return self._last_id

    async def send_text(self, text: str | bytes) -> None:
        """Send a text frame as it is."""
        if self.paced:
            await self._keep_pace()
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        self.sent = data[:2000].decode("utf-8", "replace")
        try:
            with trio.fail_after(PATIENCE):
                await self.line.send(data)
        except trio.TooSlowError:
            await self.line.cut()  # a frame is half sent
            raise self.failed("the server reads", f"nothing was read in {PATIENCE:g} s") from None

    async def _keep_pace(self) -> None:
        now = trio.current_time()
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now
        if self._tokens < 1:
            await trio.sleep((1 - self._tokens) / self._rate)
            self._tokens, self._at = 1, trio.current_time()
        self._tokens -= 1

    def failed(self, expected: str, came: object) -> Failed:
        """Return a failure after what was sent last."""
        return Failed(expected, came if isinstance(came, str) else dump(came), self.sent)

    # --- receiving -------------------------------------------------------------------------------

    async def read(self, expected: str = "a message", seconds: float = PATIENCE) -> Json:
        """Return the next message, noted and folded.

        Raises:
            Silent: None came in time.
            Failed: The connection ended, or what came is no message.
        """
        try:
            with trio.fail_after(seconds):
                text = await self.line.receive()
        except trio.TooSlowError:
            raise Silent(expected, f"nothing within {seconds:g} s", self.sent) from None
        except Ended as end:
            raise self.failed(expected, str(end)) from None
        self._keep(text)
        message = parse(text)
        if "re" not in message:
            self._take_push(message)
        return message

    def _keep(self, text: str) -> None:
        self.allowance.take(text)
        self.frames.append(text)

    def place(self, room: str) -> Place:
        """Return what is known of a room."""
        return self.places.setdefault(room, Place(room))

    def _take_push(self, push: Json) -> None:
        self.pushes.append(push)
        room = push.get("room")
        if not isinstance(room, str):
            return
        place = self.place(room)
        match push.get("type"):
            case "update":
                place.take(push)
                if "patch" in push:  # a short one makes another whole view
                    self.allowance.take(dump(place.view))
            case "room" if isinstance(push.get("info"), dict):
                place.info = push["info"]
                place.infos.append(push["info"])
            case "closed":
                place.closed = str(push.get("reason"))

    async def reply(self, re: object, expected: str = "a reply") -> Json:
        """Read up to the reply to a request."""
        while True:
            message = await self.read(f"{expected} with re {dump(re)}")
            if "re" in message:
                if message["re"] != re:
                    raise self.failed(f"{expected} with re {dump(re)}", message)
                return message

    async def answer(self, kind: str, **fields: Any) -> Json:
        """Send a request and return its reply, an ok or an error."""
        return await self.reply(await self.send(kind, **fields))

    async def ask(self, kind: str, **fields: Any) -> Json:
        """Send a request and return its result.

        Raises:
            Failed: It was refused.
        """
        reply = await self.answer(kind, **fields)
        result = reply.get("result")
        if reply.get("type") != "ok" or not isinstance(result, dict):
            raise self.failed("ok", reply)
        return result

    async def refused(self, code: str | Iterable[str], kind: str, **fields: Any) -> Json:
        """Send a request that must be refused with one of these codes; return the details."""
        return self.check_error(await self.answer(kind, **fields), code)

    def check_error(self, reply: Json, code: str | Iterable[str]) -> Json:
        """Return the details of an error of one of these codes.

        Raises:
            Failed: It is none.
        """
        codes = [code] if isinstance(code, str) else list(code)
        if reply.get("type") != "error" or reply.get("code") not in codes:
            raise self.failed(f"error {' or '.join(codes)}", reply)
        details = reply.get("details", {})
        if not isinstance(details, dict):
            raise self.failed("details that are an object", reply)
        return details

    async def open(self, **fields: Any) -> Guest:
        """Say hello."""
        self.hello = await self.ask("hello", **{"name": self.name, "client": CLIENT, **fields})
        limits = self.hello.get("limits") or {}
        # A little less than is allowed: the server's clock is not ours.
        self._burst = max(1.0, 0.9 * limits.get("burst_requests", 40))
        self._rate = max(0.1, 0.9 * limits.get("requests_per_second", 20))
        self._tokens = self._burst - 2
        for entry in self.hello.get("rooms", []):
            self.place(entry["room"]).seat = entry["seat"]
        return self

    def limit(self, name: str, usual: int) -> int:
        """Return one of the server's limits."""
        value = (self.hello.get("limits") or {}).get(name, usual)
        return value if isinstance(value, int) else usual

    async def flush(self) -> None:
        """Read all that the server had to say by now."""
        await self.ask("ping")

    async def settle(self) -> list[Json]:
        """Read for a while, and return the pushes that came in it."""
        before = len(self.pushes)
        await trio.sleep(PAUSE)
        await self.flush()
        return list(self.pushes)[before:]

    async def push(self, kind: str, room: str | None = None, **wanted: object) -> Json:
        """Return the next push of a kind that has these fields; those before it are dropped."""
        while True:
            while self.pushes:
                push = self.pushes.popleft()
                fits = all(push.get(name) == value for name, value in wanted.items())
                if push.get("type") == kind and room in (None, push.get("room")) and fits:
                    return push
            await self.read(f"a push {kind} {dump(wanted) if wanted else ''}".strip())

    async def wait_info(self, room: str, what: str, test: Any) -> Json:
        """Read until the RoomInfo of a room is as it must be, and return it."""
        place = self.place(room)
        with trio.move_on_after(PATIENCE):
            while not (place.info and test(place.info)):
                await self.read(f"a push room with {what}")
            return place.info
        raise self.failed(f"a push room with {what}", place.info)

    async def end(self, seconds: float = PATIENCE) -> Ended:
        """Read up to the end of the connection."""
        with trio.move_on_after(seconds):
            while True:
                try:
                    text = await self.line.receive()
                except Ended as end:
                    return end
                self._keep(text)
        raise self.failed("the connection ends", f"it was open after {seconds:g} s")

    async def closed_with(self, code: int, seconds: float = PATIENCE) -> None:
        """Check that the connection ends with a code, and its reason with what section 13 asks."""
        end = await self.end(seconds)
        reason = end.reason
        comes_back = code in (1011, 1012, 4003, 4006)
        if end.code != code:
            raise self.failed(f"close {code}", str(end))
        if not reason.isascii() or len(reason) > 60 or reason.startswith("resumable") != comes_back:
            begins = "that begins with resumable" if comes_back else "without resumable"
            raise self.failed(f"a reason of at most 60 ASCII bytes {begins}", str(end))

    # --- playing ---------------------------------------------------------------------------------

    async def act(self, place: Place, decision: Json, option: Json, value: object = None) -> Json:
        """Answer a decision and return the reply."""
        place.answered.add(decision["id"])
        return await self.answer("act", **act_fields(place.room, decision, option, value))


def act_fields(
    room: str, decision: Mapping[str, Any], option: Mapping[str, Any], value: object = None
) -> Json:
    """Return the fields of an act."""
    fields: Json = {"room": room, "decision": decision["id"], "option": option["id"]}
    return fields if value is None else {**fields, "value": value}
