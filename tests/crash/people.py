"""People at tables who do not mind that the server dies: they come back and go on.

They speak the protocol with websockets and json alone (`tests.end_to_end.raw`), and watch for what
it promises: a token that resumes, seats that are kept, streams without a gap, the same position
after a restart, the same reply to an act that is sent again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import trio
from attrs import define, field
from websockets.exceptions import WebSocketException
from websockets.trio.client import connect
from websockets.typing import Subprotocol

from tests.crash.ledger import Figures, Json, Ledger, Torn, act_line
from tests.end_to_end.raw import Client, Place, Refused, random_value

__all__ = ["Person", "Plot", "Stage", "TableOf"]

LOST_LINE = (
    OSError,
    EOFError,
    WebSocketException,
    trio.BrokenResourceError,
    trio.ClosedResourceError,
)
CHATTY = 0.04  # how often something is said between two acts
RESTLESS = 0.06  # how often a standing answer or a wish to pause changes


@define(eq=False)
class Stage:
    """The server as the clients know it: where it is, and which one since the first."""

    port: int = 0
    life: int = 0
    up: trio.Event = field(factory=trio.Event)
    down: trio.Event = field(factory=trio.Event)
    ending: bool = False
    day: str = ""  # of the challenge that is played: the one in Japan when all began
    beat: Callable[[], None] = lambda: None  # called at each acknowledgement

    @property
    def url(self) -> str:
        """Return its address."""
        return f"ws://127.0.0.1:{self.port}/ws"

    def rise(self) -> None:
        """Note that a server listens."""
        self.life += 1
        self.down = trio.Event()
        self.up.set()

    def fall(self) -> None:
        """Note that it does no longer."""
        self.up = trio.Event()
        self.down.set()


@define(eq=False)
class Plot:
    """One room after another that the same people play in: here the one now."""

    room: str | None = None
    opened: trio.Event = field(factory=trio.Event)
    following: Plot | None = None
    follows: trio.Event = field(factory=trio.Event)

    def open(self, room: str) -> None:
        """Tell the guests which room it is."""
        self.room = room
        self.opened.set()

    def then(self) -> Plot:
        """Have the next one come, and return it."""
        self.following = Plot()
        self.follows.set()
        return self.following


@define(eq=False)
class TableOf:
    """What is played at a table, by how many people, with how many bots."""

    game: str
    people: int
    bots: int = 0
    options: Json = field(factory=dict)

    @property
    def seats(self) -> int:
        """Return the number of seats."""
        return self.people + self.bots

    @property
    def is_daily(self) -> bool:
        """Tell whether it is the challenge of the day."""
        return str(self.options.get("book", "")).startswith("daily:")


class _Line(Client):
    """One connection of a person; the streams go on from the connection before."""

    person: Person
    life: int

    def _take_push(self, push: Json) -> None:
        if push["type"] == "update":
            self.person.take_update(push, self.life)
        super()._take_push(push)


@define(eq=False)
class Person:
    """One client over all its connections."""

    name: str
    rng: random.Random
    stage: Stage
    figures: Figures
    table: TableOf
    seat: int
    plot: Plot
    ledger: Ledger = field(init=False)
    places: dict[str, Place] = field(factory=dict)
    token: str | None = None
    seen_in: dict[str, int] = field(factory=dict)  # the server that a room's last update came from
    pending: tuple[str, Json] | None = None  # an act without a reply: its room, its fields
    acts: dict[str, list[Json]] = field(factory=dict)  # acknowledged
    acted: int = 0
    has_attempted: bool = False  # the challenge of `stage.day`, to the end, on that day
    _words: int = 0

    def __attrs_post_init__(self) -> None:
        self.ledger = Ledger(self.name)

    async def live(self) -> None:
        """Connect again and again, and play, until the end."""
        while not self.stage.ending:
            await self.stage.up.wait()
            life = self.stage.life
            try:
                async with connect(
                    self.stage.url,
                    subprotocols=[Subprotocol("kaguraden.v1")],
                    compression=None,
                    proxy=None,
                    max_size=None,
                ) as ws:
                    line = _Line(ws, self.name, self.rng, places=self.places)
                    line.person, line.life = self, life
                    if self.stage.life == life:
                        await self._come_back(line)
                        await self._play(line)
            except LOST_LINE:
                await self._until_dead(life)
            except Refused as refused:
                if refused.code != "draining":
                    raise
                await self._until_dead(life)

    async def _until_dead(self, life: int) -> None:
        if self.stage.life == life and self.stage.up.is_set():
            await self.stage.down.wait()

    # --- coming back -------------------------------------------------------------------------------

    async def _come_back(self, line: _Line) -> None:
        hello = {"resume": self.token} if self.token else {}
        await line.say_hello(bot=False, **hello)
        if self.token and not line.hello["resumed"]:
            self.figures.lost += 1
            raise Torn(f"{self.name}: the token no longer resumes")
        self.token, self.ledger.user = line.hello["token"], line.hello["user"]
        self.figures.resumed += bool(hello)
        seats = {entry["room"]: entry["seat"] for entry in line.hello["rooms"]}
        for room, seat in self.ledger.seats.items():
            if room not in self.ledger.left and seats.get(room, -1) != seat:
                self.figures.lost += 1
                raise Torn(f"{self.name}: seat {seat} of {room} is {seats.get(room, 'gone')}")
        for room in self.ledger.left & set(seats):
            raise Torn(f"{self.name} left {room} and is in it again")
        for entry in line.hello["rooms"]:
            await self._catch_up(line, entry)
        if self.pending is not None:
            self.figures.resent += 1
            await self._send_act(line, *self.pending)
        for room in self.places.keys() & seats.keys():
            await self._end_pause(line, room)
        for room, acts in self.acts.items():
            if room in seats:
                await self._ask_again(line, room, self.rng.choice(acts))
        for room in self.ledger.unsure & seats.keys():
            await self._ask_to_leave(line, room)

    async def _catch_up(self, line: _Line, entry: Json) -> None:
        room = entry["room"]
        place = self.places.setdefault(room, Place(room, entry["seat"]))
        place.seat = entry["seat"]
        seq = {"seq": place.seq} if place.seq else {}
        told = (await line.ask("sync", room=room, **seq))["seq"]
        if place.seq < told:
            raise Torn(f"{self.name}: synced {room} to {told}, and saw {place.seq}")

    def take_update(self, push: Json, life: int) -> None:
        """Mind the numbers of a stream, and that a restart changed nothing.

        Raises:
            Torn: There is a gap that was not told, or the position is another.
        """
        room = push["room"]
        place = self.places.setdefault(room, Place(room, None))
        is_next = push["seq"] == place.seq + 1
        if place.seq and not is_next and not push["full"]:
            raise Torn(f"{self.name}: a gap in {room}: {place.seq}, {push['seq']}")
        if place.seq and push["seq"] < place.seq:
            raise Torn(f"{self.name}: {room} went back from {place.seq} to {push['seq']}")
        is_another = self.seen_in.get(room, life) != life
        if place.seq and is_another and is_next and push["full"]:
            # The first update of a new server tells the position anew, whatever comes after.
            self.figures.views += 1
            if push["view"] != place.view or push["decisions"] != place.decisions:
                raise Torn(f"{self.name}: the position in {room} is another at {push['seq']}")
        self.seen_in[room] = life
        place.seq = 0  # judged here

    async def _ask_again(self, line: _Line, room: str, act: Json) -> None:
        """Send an act again that was acknowledged before; the reply has to be the same."""
        seat = self.ledger.seats[room]
        result = await line.ask("act", room=room, **act)
        self.ledger.note_acked(room, act_line(seat, act), result["seq"])
        self.figures.same_again += 1

    # --- playing -----------------------------------------------------------------------------------

    async def _play(self, line: _Line) -> None:
        while not self.stage.ending:
            if self.seat == 0:
                await self._open(line)
            await self.plot.opened.wait()
            room = self.plot.room
            assert room is not None
            if room not in self.ledger.seats:
                await self._sit_down(line, room)
            place = self.places[room]
            try:
                while not self.stage.ending and "outcome" not in place.view:
                    if not await self._move(line, place):
                        await line.read()
            except Refused as refused:
                if refused.code != "bad_options" or not self.table.is_daily:
                    raise
                following = self.plot.then()  # its day ended before it began
                await self._leave(line, room, following)
                self.plot = following
                continue
            if self.stage.ending:
                return
            await self._go_on(line, place)

    async def _open(self, line: _Line) -> None:
        """Make a room, if the one of now is not made; one that was made unacknowledged will do."""
        if self.plot.room is not None:
            return
        known = {*self.ledger.seats, *self.ledger.left, *self.ledger.unsure}
        made = [e["room"] for e in line.hello["rooms"] if e["room"] not in known]
        if made:
            room: str = made[0]
        else:
            table = self.table
            title = f"{self.name} {self.rng.randrange(10**6)}"
            fields: Json = {"game": table.game, "seats": table.seats, "options": table.options}
            room = (await line.ask("create", title=title, **fields))["room"]
            self._promised(room, "title", lambda game: game.doc["title"] == title)
        self._seated(room, 0)
        self.plot.open(room)

    async def _sit_down(self, line: _Line, room: str) -> None:
        result = await line.ask("join", room=room, seat=self.seat)
        assert result["seat"] == self.seat, result
        self._seated(room, self.seat)

    def _seated(self, room: str, seat: int) -> None:
        self.ledger.seats[room] = seat
        self.places.setdefault(room, Place(room, seat)).seat = seat
        user = self.ledger.user
        self._promised(room, "the seat", lambda game: _owner(game.doc, seat) == user)

    def _promised(self, room: str, what: str, holds: Any) -> None:
        self.figures.other_acks += 1
        self.ledger.facts[room, what] = holds
        self.stage.beat()

    async def _do(
        self,
        line: _Line,
        what: str,
        holds: Any,
        kind: str,
        room: str,
        tolerate: Sequence[str] = (),
        **fields: Any,
    ) -> bool:
        """Ask for something; from the reply on it has to be so."""
        self.ledger.facts.pop((room, what), None)
        try:
            await line.ask(kind, room=room, **fields)
        except Refused as refused:
            if refused.code not in tolerate:
                raise
            return False
        self._promised(room, what, holds)
        return True

    async def _move(self, line: _Line, place: Place) -> bool:
        """Do one thing, if there is one to do."""
        phase = place.info.get("phase")
        if self.rng.random() < CHATTY:
            await self._say(line, place)
            return True
        if phase == "lobby":
            return await self._prepare(line, place)
        if phase != "playing" or place.seat not in place.view.get("asked", []):
            return False
        decision = next((d for d in place.decisions if d["id"] not in place.answered), None)
        if decision is None:
            return False
        if self.rng.random() < RESTLESS:
            await self._fidget(line, place)
            return True
        await self._act(line, place, decision)
        return True

    async def _say(self, line: _Line, place: Place) -> None:
        self._words += 1
        text = f"{self.name} {self._words}"
        try:
            await line.ask("chat", room=place.room, text=text)
        except Refused as refused:
            if refused.code != "room_started":  # who plays a race is quiet
                raise
            return
        self.figures.other_acks += 1
        self.ledger.said.setdefault(place.room, set()).add(text)

    async def _prepare(self, line: _Line, place: Place) -> bool:
        room, seats = place.room, place.info["seats"]
        mine = seats[self.seat]
        if self.seat == 0 and self.table.bots:
            free = [s["seat"] for s in seats if s["seat"] >= self.table.people and "bot" not in s]
            if free:
                seat = free[0]
                holds = lambda game: (  # noqa: E731 - once a game is over its bots have gone
                    game.phase == "over" or _seat(game.doc, seat).get("bot") is not None
                )
                await self._do(
                    line,
                    f"bot {seat}",
                    holds,
                    "bot",
                    room,
                    ("seat_taken",),
                    seat=seat,
                    level="random",
                )
                return True
        if not mine.get("ready"):
            nonce = self.rng.randbytes(16).hex()
            said = {"ready": True, "nonce": nonce}
            await self._do(
                line,
                "nonce",
                lambda game: _nonce(game.doc, self.seat) == nonce,
                "ready",
                room,
                (),
                **said,
            )
            self._promised(room, "ready", lambda game: _seat(game.doc, self.seat)["ready"])
            return True
        if self.seat == 0 and all(s.get("ready") for s in seats):
            begun = lambda game: game.phase != "lobby"  # noqa: E731
            return await self._do(
                line, "start", begun, "start", room, ("not_ready", "room_started")
            )
        return False

    async def _fidget(self, line: _Line, place: Place) -> None:
        """Change a standing answer, or ask for a pause and go on at once."""
        game = next(g for g in line.hello["games"] if g["id"] == self.table.game)
        windows = [window["kind"] for window in game.get("windows", [])]
        seat = self.seat
        if windows and self.rng.random() < 0.5:
            kind, mode = self.rng.choice(windows), self.rng.choice(("ask", "pass"))
            await self._do(
                line,
                f"auto {kind}",
                lambda game: _seat(game.doc, seat)["passes"].get(kind) == (mode == "pass"),
                "auto",
                place.room,
                window=kind,
                mode=mode,
            )
            return
        for on in (True, False):
            self.ledger.facts.pop((place.room, "pause"), None)
            await line.ask("pause", room=place.room, on=on)
            if not on:  # who goes on withdraws everybody's wish
                self._promised(
                    place.room, "pause", lambda game: not _seat(game.doc, seat)["wants_pause"]
                )

    async def _end_pause(self, line: _Line, room: str) -> None:
        """Take back a wish whose other half was lost with the server."""
        not_now = ("not_ready", "not_seated", "room_over")
        holds = lambda game: not _seat(game.doc, self.seat)["wants_pause"]  # noqa: E731
        await self._do(line, "pause", holds, "pause", room, not_now, on=False)

    async def _act(self, line: _Line, place: Place, decision: Json) -> None:
        place.answered.add(decision["id"])
        option = self.rng.choice(decision["options"])
        value = {"value": random_value(option["value"], self.rng)} if "value" in option else {}
        act = {"decision": decision["id"], "option": option["id"], **value}
        self.pending = place.room, act
        await self._send_act(line, place.room, act)

    async def _send_act(self, line: _Line, room: str, act: Json) -> None:
        told = act_line(self.ledger.seats[room], act)
        self.ledger.note_sent(room, told)
        try:
            result = await line.ask("act", room=room, **act)
        except Refused as refused:
            if refused.code not in {"stale", "not_your_decision"}:
                raise
            self.figures.stale += 1
            self.ledger.refused.setdefault(room, set()).add(told)
        else:
            self.figures.acked += 1
            self.ledger.note_acked(room, told, result["seq"])
            self.acts.setdefault(room, []).append(act)
            self.acted += 1
            self.stage.beat()
        self.pending = None

    # --- afterwards --------------------------------------------------------------------------------

    async def _go_on(self, line: _Line, place: Place) -> None:
        """Compare the record, and go to the next room."""
        if self.table.is_daily:  # its record is told when the day is over
            # After midnight in Japan its book is no longer the ranked one.
            today = (await line.ask("daily", book="today"))["date"]
            self.has_attempted |= today == self.stage.day
        else:
            await self._compare(line, place)
        room = place.room
        if self.seat == 0:
            opening = self.plot.following or self.plot.then()
            self.figures.games += 1
            if opening.room is None and self.rng.random() < 0.5:
                again = (await line.ask("rematch", room=room))["room"]
                self._seated(again, 0)
                opening.open(again)
        await self.plot.follows.wait()
        following = self.plot.following
        assert following is not None
        await self._leave(line, room, following)
        self.plot = following

    async def _compare(self, line: _Line, place: Place) -> None:
        record = (await line.ask("replay", room=place.room))["replay"]
        for told in self.ledger.acked.get(place.room, {}):
            n = record["inputs"].count(told)
            if n != 1:
                self.figures.lost += n == 0
                self.figures.doubled += n > 1
                raise Torn(f"{self.name}: {told} is in the record of {place.room} {n} times")

    async def _leave(self, line: _Line, room: str, following: Plot) -> None:
        ledger = self.ledger
        ledger.seats.pop(room)
        self.acts.pop(room, None)
        for key in [key for key in ledger.facts if key[0] == room]:
            del ledger.facts[key]
        ledger.unsure.add(room)
        try:
            await self._ask_to_leave(line, room)
        except LOST_LINE:
            self.plot = following
            raise

    async def _ask_to_leave(self, line: _Line, room: str) -> None:
        ledger = self.ledger
        try:
            await line.ask("leave", room=room)
        except Refused as refused:
            if refused.code not in {"not_member", "room_not_found"}:
                raise
        user = ledger.user
        ledger.unsure.remove(room)
        ledger.left.add(room)
        self._promised(room, "leave", lambda g: g.closed or user not in _members(g.doc))


def _seat(doc: Json, number: int) -> Json:
    seat: Json = doc["seats"][number]
    return seat


def _owner(doc: Json, number: int) -> str | None:
    owner: str | None = _seat(doc, number).get("owner")
    return owner


def _nonce(doc: Json, number: int) -> str:
    nonce: str = _seat(doc, number)["nonce"]
    return nonce


def _members(doc: Json) -> set[str]:
    return {member["user"] for member in doc["members"]}
