"""The people of a simulation: each runs the real client session, and does what people do.

A person belongs to a table. It makes or joins the table's room, plays by random listed options,
talks, pauses, sets standing answers, leaves and comes back, asks for what was answered before, and
ends its program now and then, to start it anew with nothing but its token.
"""

from __future__ import annotations

import json
import random
from functools import partial
from typing import Any

import trio
from attrs import define, field
from kaguraden_client.bots.policy import any_value, usable
from kaguraden_client.session import Event, Lost, Noticed, Opened, RoomLeft, Session, Stopped
from kaguraden_client.shell import CannotConnect, RequestFailed, SessionStopped
from kaguraden_client.table import Table
from kaguraden_client.trio_shell import Client, open_client
from kaguraden_protocol import messages as m
from kaguraden_protocol.errors import CloseCode, LocalProtocolError

from .ledger import Ledger, Reader, Sent
from .plan import TablePlan
from .world import World

__all__ = ["Party", "Person"]

GOOD_REFUSALS = frozenset(
    {
        *("stale", "not_your_decision", "not_member", "not_seated", "not_host", "not_ready"),
        *("not_over", "room_not_found", "room_started", "room_over", "room_full", "seat_taken"),
        *("lost", "unavailable", "draining", "too_many_requests", "limit_reached"),
    }
)
SURE_REFUSALS = frozenset({"stale", "not_your_decision"})


@define(eq=False)
class Party:
    """A table's people, who tell each other the room's code, and the games they finished."""

    plan: TablePlan
    room: str | None = None
    finished: set[str] = field(factory=set)
    wants_more: bool = True


@define(eq=False)
class Person:
    """One of them. `watches` only; else it wants a seat."""

    world: World
    ledger: Ledger
    party: Party
    name: str
    rng: random.Random
    watches: bool = False
    token: str | None = None
    user: str | None = None
    accepted: list[Sent] = field(factory=list)
    places: dict[str, int] = field(factory=dict)  # seats in games that were in play when last seen
    _lines: int = 0

    # --- the program -----------------------------------------------------------------------------

    async def live(self) -> None:
        """Start the program again and again."""
        while True:
            session = Session(self.name, token=self.token, locale=m.Locale.JA)
            reader = Reader(self.ledger, self.world.durable, self.name, self.user)
            try:
                async with open_client(
                    "sim", session, connect_with=partial(self.world.connect, self._tell(reader))
                ) as client:
                    await self._use(client, reader)
            except (CannotConnect, SessionStopped):
                pass
            self.world.trace.note(self.name, "ends its program", session.state)
            await trio.sleep(self.rng.uniform(0.1, 1.0 if self.world.is_calm else 12.0))

    def _tell(self, reader: Reader) -> Any:
        def told(what: str, text: bytes) -> None:
            if what == "server sends":
                reader.leaves(text)
                self.world.trace.note(self.name, what, len(text), "bytes")
                return
            self.world.trace.note(self.name, what, text.decode())
            if what == "client sends":
                reader.ask(text)
            else:
                message = reader.read(text)
                if message["type"] == "ok" and "token" in message["result"]:
                    self.token = message["result"]["token"]
                    self.user = message["result"]["user"]

        return told

    async def _use(self, client: Client, reader: Reader) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._listen, client, reader, nursery.cancel_scope)
            lasts = float("inf") if self.rng.random() < 0.5 else self.rng.uniform(5, 60)
            until = trio.current_time() + lasts
            while self.world.is_calm or trio.current_time() < until:
                haste = self.world.plan.haste_s
                if self.world.is_calm:
                    haste = 0.1 if any(map(_due, client.session.rooms.values())) else 1.5
                await trio.sleep(self.rng.expovariate(1 / haste))
                if client.session.hello is None or len(nursery.child_tasks) > 8:
                    continue
                self._do(client, reader, nursery)
            nursery.cancel_scope.cancel()

    async def _listen(self, client: Client, reader: Reader, scope: trio.CancelScope) -> None:
        async for event in client.events():
            self._take(event, client, reader)
        scope.cancel()  # the session has stopped

    def _take(self, event: Event, client: Client, reader: Reader) -> None:
        match event:
            case Opened(resumed=resumed, hello=hello):
                self._check_place(resumed, hello, client)
            case RoomLeft(room=room):
                reader.forget(room)
                self.places.pop(room, None)
                if self.party.room == room and room not in self._rooms_of_house():
                    self.party.room = None
            case Noticed(code="rematch", details=details):
                self.party.room = str(details["to"])
            case Lost(code=CloseCode.TOO_SLOW):
                self.world.figures["readers sent away"] += 1
            case Stopped(code=code) if code != CloseCode.TAKEN_OVER:
                self.world.fail(f"{self.name} is sent away for good: {event}")
            case _:
                pass

    def _rooms_of_house(self) -> set[str]:
        lobby = self.world.lobby
        return set() if lobby is None else set(lobby.rooms)

    def _check_place(self, resumed: bool, hello: m.HelloResult, client: Client) -> None:
        """Whoever comes back has its seats in games that are in play."""
        if not resumed and self.places and self.accepted:
            self.world.fail(f"{self.name} came back and was a stranger")
        mine = {place.room: place.seat for place in hello.rooms}
        rooms = self._rooms_of_house()
        for room, seat in self.places.items():
            is_left = (room, hello.user) in self.ledger.left
            if room in rooms and mine.get(room, -1) != seat and not is_left:
                self.world.fail(f"{self.name} lost seat {seat} of {room}: {mine}")

    # --- what a person does ----------------------------------------------------------------------

    def _do(self, client: Client, reader: Reader, nursery: trio.Nursery) -> None:
        session = client.session
        room = self.party.room
        for table in session.rooms.values():
            is_left = self.user is None or (table.room, self.user) in self.ledger.left
            if table.seat is None or is_left:
                continue
            if table.view and table.current and not table.is_over:
                self.places.setdefault(table.room, table.seat)
            elif table.is_over:
                self.places.pop(table.room, None)
        due = [found for table in session.rooms.values() if (found := _due(table)) is not None]
        likely = 0.95 if self.world.is_calm else 0.8
        if due and self.rng.random() < likely:
            nursery.start_soon(self._act, client, reader, *self.rng.choice(due))
        elif room is None or room not in session.rooms:
            nursery.start_soon(self._get_in, client, room)
        else:
            self._mind(client, reader, session.rooms[room], nursery)

    def _mind(self, client: Client, reader: Reader, table: Table, nursery: trio.Nursery) -> None:
        """Do something about the room besides answering."""
        info, rng = table.info, self.rng
        if info is None:
            return
        if info.phase == m.Phase.LOBBY:
            nursery.start_soon(self._before_start, client, table, info)
        elif table.is_over:
            nursery.start_soon(self._after, client, reader, table)
        elif not self.world.is_calm or rng.random() < 0.05:
            nursery.start_soon(self._meanwhile, client, reader, table, info)

    async def _ask(self, client: Client, request: m.Request) -> dict[str, Any] | None:
        """Ask; return the result, or None if it was refused for a reason that may be."""
        try:
            return dict(await client.request(request))
        except RequestFailed as failed:
            self._mind_refusal(request, failed)
        except (SessionStopped, LocalProtocolError):
            pass
        return None

    def _mind_refusal(self, request: m.Request, failed: RequestFailed) -> None:
        is_late = isinstance(request, m.Host) and failed.code == "bad_message"  # nobody is there
        if failed.code not in GOOD_REFUSALS and not is_late:
            self.world.fail(f"{self.name}: {request.type} is refused: {failed.code} {failed}")

    async def _get_in(self, client: Client, room: str | None) -> None:
        party = self.party
        if room is not None:
            role = m.Role.SPECTATOR if self.watches else None
            try:
                await client.request(m.Join(id=0, room=room, as_=role))
            except RequestFailed as failed:
                if failed.code == "room_not_found" and party.room == room:
                    party.room = None
                elif failed.code in {"room_started", "room_over", "room_full"}:
                    watch = m.Join(id=0, room=room, as_=m.Role.SPECTATOR)
                    await self._ask(client, watch)
                else:
                    self._mind_refusal(m.Join(id=0, room=room), failed)
            except (SessionStopped, LocalProtocolError):
                pass
        elif not self.watches and party.wants_more and not self.world.is_calm:
            plan = party.plan
            create = m.Create(id=0, game=plan.game, options=dict(plan.options), seats=plan.seats)
            made = await self._ask(client, create)
            if made is not None and party.room is None:
                party.room = made["room"]
                self.world.figures["rooms"] += 1

    async def _before_start(self, client: Client, table: Table, info: m.RoomInfo) -> None:
        rng, room = self.rng, table.room
        me = next((s for s in info.seats if s.user == self.user), None)
        if me is None:
            if not self.watches:
                await self._ask(client, m.Join(id=0, room=room, as_=m.Role.PLAYER))
            return
        if not me.ready:
            nonce = rng.randbytes(16).hex() if rng.random() < 0.7 else None
            await self._ask(client, m.Ready(id=0, room=room, ready=True, nonce=nonce))
            return
        if me.host:
            bots = sum(seat.bot is not None and seat.user is not None for seat in info.seats)
            if bots < self.party.plan.bots:
                level = rng.choice(("random", "greedy"))
                await self._ask(client, m.Bot(id=0, room=room, level=level))
            elif all(seat.ready for seat in info.seats):
                await self._ask(client, m.Start(id=0, room=room))
                return
        match rng.choice(("chat", "host", "unready", "leave", "nothing", "nothing")):
            case "chat":
                await self._chat(client, room)
            case "host" if me.host:
                other = rng.choice([s.seat for s in info.seats if s.user and not s.bot])
                await self._ask(client, m.Host(id=0, room=room, seat=other))
            case "unready" if rng.random() < 0.2:
                await self._ask(client, m.Ready(id=0, room=room, ready=False))
            case "leave" if rng.random() < 0.05:
                await self._leave(client, room)

    async def _meanwhile(
        self, client: Client, reader: Reader, table: Table, info: m.RoomInfo
    ) -> None:
        rng, room = self.rng, table.room
        if table.seat is not None and not self.world.is_calm:
            kinds: tuple[str, ...] = ("chat", "pause", "resume", "auto", "again", "again", "bot")
        elif table.seat is not None:
            kinds = ("resume",)
        else:
            kinds = ("chat",)
        match rng.choice((*kinds, "sync", "rooms", "leave")):
            case "chat":
                await self._chat(client, room)
            case "pause" if rng.random() < 0.3:
                await self._ask(client, m.Pause(id=0, room=room, on=True))
            case "resume":
                await self._ask(client, m.Pause(id=0, room=room, on=False))
            case "auto":
                await self._auto(client, room, info)
            case "again":
                await self._again(client, room)
            case "bot":
                away = [s.seat for s in info.seats if s.away and s.bot is None]
                if away and info.seats[table.seat or 0].host:
                    await self._ask(client, m.Bot(id=0, room=room, seat=away[0], level="random"))
            case "sync" if not self.world.is_calm:
                await self._ask(client, m.Sync(id=0, room=room))
            case "rooms":
                await self._ask(client, m.Rooms(id=0, watch=rng.random() < 0.5))
            case "leave" if not self.world.is_calm and rng.random() < 0.03:
                await self._leave(client, room)

    async def _after(self, client: Client, reader: Reader, table: Table) -> None:
        rng, room, party = self.rng, table.room, self.party
        if room not in party.finished:
            party.finished.add(room)
            self.world.figures["games finished"] += 1
        match rng.choice(("replay", "rematch", "chat", "again", "leave")):
            case "replay":
                told = await self._ask(client, m.Replay(id=0, room=room))
                if told is not None:
                    self._check_replay(room, json.dumps(told["replay"], sort_keys=True))
            case "rematch" if not self.world.is_calm and table.seat is not None:
                made = await self._ask(client, m.Rematch(id=0, room=room))
                if made is not None:
                    party.room = made["room"]
            case "chat":
                await self._chat(client, room)
            case "again":
                await self._again(client, room)
            case "leave" if rng.random() < 0.1:
                await self._leave(client, room)

    def _check_replay(self, room: str, text: str) -> None:
        if self.ledger.replays.setdefault(room, text) != text:
            self.world.fail(f"the record of {room} has changed")

    async def _chat(self, client: Client, room: str) -> None:
        self._lines += 1
        await self._ask(client, m.Chat(id=0, room=room, text=f"{self.name} {self._lines}"))

    async def _leave(self, client: Client, room: str) -> None:
        if self.user is not None:
            self.ledger.leave(room, self.user)
            self.places.pop(room, None)
            await self._ask(client, m.Leave(id=0, room=room))
            self.ledger.leave(room, self.user)

    async def _auto(self, client: Client, room: str, info: m.RoomInfo) -> None:
        hello = client.session.hello
        kinds = [
            w.kind for g in (hello.games if hello else ()) if g.id == info.game for w in g.windows
        ]
        if kinds and self.user is not None:
            self.ledger.autos.add((room, self.user))
            mode = self.rng.choice((m.Mode.ASK, m.Mode.PASS))
            await self._ask(
                client, m.Auto(id=0, room=room, window=self.rng.choice(kinds), mode=mode)
            )

    # --- answers ---------------------------------------------------------------------------------

    async def _act(
        self, client: Client, reader: Reader, table: Table, decision: m.Decision
    ) -> None:
        options = usable(decision)
        if not options or self.user is None:
            return
        option = self._choose(table, decision)
        value = any_value(option.value, self.rng)
        room = table.room
        sent = self.ledger.send(room, self.user, table.seat, decision.id, option.id, value)
        try:
            result = await client.act(room, decision.id, option.id, value)
        except RequestFailed as failed:
            sent.refused = failed.code
            self._mind_refusal(m.Ping(id=0), failed)
            return
        except LocalProtocolError:
            self.ledger.sent.remove(sent)  # another answer is on its way
            return
        except SessionStopped:
            return
        sent.acked, sent.seq = trio.current_time(), int(str(result["seq"]))
        self.world.figures["acts"] += 1
        self.accepted.append(sent)
        if (room, sent.user) not in self.ledger.left and reader.last.get(room, 0) < sent.seq:
            self.world.fail(f"{self.name} has an ok before update {sent.seq} of {room}")

    def _choose(self, table: Table, decision: m.Decision) -> m.Option:
        options = usable(decision)
        going_on = [o for o in options if o.kind not in {"stop", "give_up", "undo"}]
        kinds = sorted({option.kind for option in going_on or options})
        kind = self.rng.choice(kinds)
        return self.rng.choice([o for o in going_on or options if o.kind == kind])

    async def _again(self, client: Client, room: str) -> None:
        """Ask again for what was accepted before: the reply has to be the same."""
        mine = [sent for sent in self.accepted if sent.room == room and sent.user == self.user]
        if not mine or (room, self.user) in self.ledger.left:
            return
        sent = self.rng.choice(mine[-8:])
        act = m.Act(id=0, room=room, decision=sent.decision, option=sent.option, value=sent.value)
        self.world.figures["repeated acts"] += 1
        try:
            result = await client.request(act)
        except RequestFailed as failed:
            gone = {"room_not_found", "not_member", "lost"}
            if failed.code not in gone and (room, self.user) not in self.ledger.left:
                self.world.fail(f"{self.name}: act {sent} was accepted, and now: {failed.code}")
            return
        except (SessionStopped, LocalProtocolError):
            return
        if result["seq"] != sent.seq:
            self.world.fail(f"{self.name}: act {sent} now has number {result['seq']}")


def _due(table: Table) -> tuple[Table, m.Decision] | None:
    """Return what a seat is to answer at a table, if anything."""
    asked = table.view.get("asked")
    if not table.current or table.is_over or not table.decisions:
        return None
    if isinstance(asked, list) and table.seat not in asked:
        return None
    return table, table.decisions[0]
