"""A client written from protocol/README.md alone: websockets and json, and nothing of ours.

It checks the protocol while it plays: replies come in the order of the requests, the numbers of
each stream have no gap, the actor's own update comes before the `ok`, and what is offered is
accepted.
"""

from __future__ import annotations

import json
import random
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from attrs import define, field
from websockets.trio.client import ClientConnection, connect
from websockets.typing import Subprotocol

__all__ = ["Client", "Place", "Refused", "connected", "random_value"]

Json = dict[str, Any]


def is_over(view: Json) -> bool:
    """Tell whether a view shows the end of the game."""
    return "outcome" in view


class Refused(Exception):
    """The server answered with an error."""

    def __init__(self, error: Json) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: str = error["code"]
        self.details: Json = error.get("details", {})


@define(eq=False)
class Place:
    """What a client knows of one room, and everything it was told about the game."""

    room: str
    seat: int | None
    info: Json = field(factory=dict)
    seq: int = 0
    view: Json = field(factory=dict)
    decisions: list[Json] = field(factory=list)
    events: list[Json] = field(factory=list)
    answered: set[str] = field(factory=set)
    accepted: int = 0
    stale: list[Json] = field(factory=list)
    kinds: set[str] = field(factory=set)  # of the options taken
    avoided: frozenset[str] = frozenset()  # kinds of options that are not taken


@define(eq=False)
class Client:
    """One connection. Everything happens in the task that calls."""

    ws: ClientConnection
    name: str
    rng: random.Random
    hello: Json = field(factory=dict)
    places: dict[str, Place] = field(factory=dict)
    _last_id: int = 0
    _pending: deque[Json] = field(factory=deque)

    async def send(self, kind: str, **fields: Any) -> Json:
        """Send a request and return it."""
        self._last_id += 1
        request = {"type": kind, "id": self._last_id, **fields}
        self._pending.append(request)
        await self.ws.send(json.dumps(request))
        return request

    async def ask(self, kind: str, **fields: Any) -> Json:
        """Send a request and return its result; what comes before it is noted.

        Raises:
            Refused: The server refused it.
        """
        reply = await self.reply_to(kind, **fields)
        if reply["type"] == "error":
            raise Refused(reply)
        result: Json = reply["result"]
        return result

    async def reply_to(self, kind: str, **fields: Any) -> Json:
        """Send a request and return its reply, an ok or an error."""
        request = await self.send(kind, **fields)
        while True:
            message = await self.read()
            if message.get("re") == request["id"]:
                return message

    async def say_hello(self, **fields: Any) -> None:
        """Open the session."""
        client = {"name": "raw", "version": "1"}
        fields = {"bot": True, **fields}
        self.hello = await self.ask("hello", name=self.name, client=client, **fields)

    async def create(self, seats: int, **options: Any) -> Place:
        """Open a room of odoriko and sit at its seat 0."""
        return await self.create_room("odoriko", seats, options)

    async def create_room(self, game: str, seats: int, options: Json) -> Place:
        """Open a room and sit at its seat 0."""
        made = await self.ask("create", game=game, seats=seats, options=options)
        return self._enter(made)

    async def join(self, room: str, role: str = "player") -> Place:
        """Enter a room."""
        return self._enter(await self.ask("join", room=room, **{"as": role}))

    async def get_ready(self, place: Place) -> str:
        """Say that one is ready; return the nonce given with it."""
        nonce = self.rng.randbytes(16).hex()
        await self.ask("ready", room=place.room, ready=True, nonce=nonce)
        return nonce

    async def play(self, place: Place, enough: Callable[[Json], bool] = is_over) -> None:
        """Answer whatever is asked with a random legal option, until a view is `enough`."""
        while not enough(place.view):
            decision = self._due(place)
            if decision is None:
                await self.read()
            else:
                await self._answer(place, decision)

    async def watch(self, place: Place) -> None:
        """Look on until the game is over."""
        while not is_over(place.view):
            await self.read()

    # --- inside ----------------------------------------------------------------------------------

    def _enter(self, result: Json) -> Place:
        place = self.places.setdefault(result["room"], Place(result["room"], result["seat"]))
        place.seat = result["seat"]
        return place

    def _due(self, place: Place) -> Json | None:
        if place.seat not in place.view.get("asked", []):
            return None
        return next((d for d in place.decisions if d["id"] not in place.answered), None)

    async def _answer(self, place: Place, decision: Json) -> None:
        place.answered.add(decision["id"])
        offered = {option["kind"] for option in decision["options"]}
        kind = self.rng.choice(sorted(offered - place.avoided or offered))
        option = self.rng.choice([o for o in decision["options"] if o["kind"] == kind])
        value = {"value": random_value(option["value"], self.rng)} if "value" in option else {}
        act = {"room": place.room, "decision": decision["id"], "option": option["id"], **value}
        reply = await self.reply_to("act", **act)
        assert decision["id"] not in [d["id"] for d in place.decisions], act
        if reply["type"] == "error":
            # A race that is lost is all that may refuse what was offered: the decision has changed.
            assert reply["code"] in {"stale", "not_your_decision"}, (reply, act)
            assert decision["id"] not in reply.get("details", {}).get("current", []), (reply, act)
            place.stale.append(act)
            return
        assert reply["result"]["seq"] <= place.seq, "the ok came before the update it speaks of"
        place.accepted += 1
        place.kinds.add(option["kind"])

    async def read(self) -> Json:
        """Read a message and take note of it."""
        data = await self.ws.recv()
        assert isinstance(data, str)
        message: Json = json.loads(data)
        if "re" in message:
            assert message["type"] in {"ok", "error"}
            request = self._pending.popleft()
            assert message["re"] == request["id"], "replies must come in the order of requests"
            assert message.get("code") != "internal", (request, message)
        else:
            self._take_push(message)
        return message

    def _take_push(self, push: Json) -> None:
        room = push.get("room")
        if room is None:
            return
        place = self.places.setdefault(room, Place(room, None))
        match push["type"]:
            case "room":
                place.info = push["info"]
            case "update":
                if place.seq:
                    assert push["seq"] == place.seq + 1, (
                        f"a gap in {room}: {place.seq}, {push['seq']}"
                    )
                place.seq = push["seq"]
                place.view = push.get("view", place.view)
                place.decisions = push["decisions"]
                place.events += push["events"]
            case "closed":
                del self.places[room]


def random_value(spec: Json, rng: random.Random) -> int | list[str]:
    """Return a value that an option takes."""
    match spec["type"]:
        case "int":
            return rng.randint(spec["min"], spec["max"])
        case "cards":
            return rng.sample(spec["from"], rng.randint(spec["min"], spec["max"]))
        case "order":
            return rng.sample(spec["of"], len(spec["of"]))
        case kind:
            raise AssertionError(f"a value of a kind that the protocol does not know: {kind}")


@asynccontextmanager
async def connected(url: str, name: str, seed: object, **hello: Any) -> AsyncIterator[Client]:
    """Connect and say hello."""
    async with connect(
        url, subprotocols=[Subprotocol("kaguraden.v1")], compression=None, proxy=None
    ) as ws:
        client = Client(ws, name, random.Random(f"{seed} {name}"))
        await client.say_hello(**hello)
        yield client
