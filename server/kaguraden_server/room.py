"""One room: a task that owns its state and does one thing at a time.

Whoever wants something of a room puts it into the room's mailbox and waits for the answer (`ask`);
what merely may have changed (somebody came or went, a bot ended) is a `nudge`. The task takes one
entry after another; what an entry means is in `orders`. Between entries it looks after the game's
clock and after the room itself: who is away, who is host, whether anybody is left.

In time is what was read in time. Each request carries the stamp of its frame, and the clock that
ended before that stamp is run out first. When a clock ends, requests of members that were read
before its end but are still on their way are waited for, a short while at most.

A move is worked out, then recorded, then adopted and told (`play`): no update and no reply that a
step causes is queued before `record` returns. The updates come before the reply.

An error in the rules ends that one request with `internal` and leaves the table as it was. The
third closes the room, and no other room notices.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import attrs
import trio
from attrs import define, field
from kaguraden_protocol import codec
from kaguraden_protocol import messages as m
from kaguraden_protocol.errors import ErrorCode, NoticeCode, RefusedError
from kaguraden_protocol.text import distinct_name
from kaguraden_rules.kernel import Game, Input, RuleError, SeatId

from .clocks import CLOCK_OPTIONS, ClockOptions, parse_clock_options
from .fairness import Deal
from .orders import carry_out
from .refusals import refusal
from .seats import Member, Seat, host_after
from .table import Played, Table

if TYPE_CHECKING:
    from .bots import BotRun
    from .connection import Connection
    from .lobby import Lobby
    from .passwords import Hashed
    from .streams import Stream
    from .users import User

__all__ = ["Asked", "Room"]

MAILBOX = 64  # requests; a connection has one at a time in it, the others wait outside
MAX_FAULTS = 3
FAULT_PAUSE_S = 1.0  # before a clock that the rules could not run out is tried again
PUNCTUAL_S = 0.5  # how long requests read in time may still be on their way
PUNCTUAL_STEP_S = 0.01
CLOSING_NOTICE_S = 60


@define(eq=False)
class Asked:
    """A request in a room's mailbox, and where its answer goes."""

    request: m.Request
    user: User
    connection: Connection
    stamp: float
    result: m.Result | None = None
    refused: RefusedError | None = None
    done: trio.Event = field(factory=trio.Event)

    def succeed(self, result: m.Result | None) -> None:
        """Answer with a result."""
        self.result = result
        self.done.set()

    def fail(self, refused: RefusedError) -> None:
        """Answer with a refusal."""
        self.refused = refused
        self.done.set()


class Room:
    """A room of the house, with or without a game in play."""

    def __init__(
        self,
        lobby: Lobby,
        code: str,
        game: Game[Any, Any],
        *,
        options: Mapping[str, m.Json],
        seats: int | None,
        title: str | None,
        password: Hashed | None,
        is_listed: bool,
    ) -> None:
        """Make an empty room; `seats` None leaves their number open until the start.

        Raises:
            BadOptions: The game or the clocks do not take the options.
        """
        self.lobby = lobby
        self.code = code
        self.game = game
        self.log = lobby.log.bind(room=code)
        self.title = title
        self.password = password
        self.is_listed = is_listed
        self.is_open_ended = seats is None
        self.clock_options, self.options = self.parse_options(options, lobby.config.clocks)
        self.seats = [Seat(SeatId(n)) for n in range(seats or game.seats[1])]
        self.members: dict[str, Member] = {}
        self.host: str | None = None
        self.phase = m.Phase.LOBBY
        self.deal = Deal()
        self.table: Table | None = None
        self.chat: deque[m.ChatPush] = deque(maxlen=lobby.config.limits.chat_history)
        self.lines = 0  # of chat, in all
        self.rematch: str | None = None
        self.created = trio.current_time()
        self.is_closed = False
        self._standing = {window.kind: window.passes for window in game.windows}
        self._send, self._mailbox = trio.open_memory_channel[Asked | None](MAILBOX)
        self._deferred: deque[Asked] = deque()
        self._is_nudged = False
        self._told: m.RoomInfo | None = None
        self._faults = 0
        self._not_before = 0.0  # no clock is run out before; after a fault of the rules
        self._active = self.created
        self._empty_since: float | None = None
        self._over_at = 0.0
        self._looked_at = self.created
        self._is_closing_told = False

    def parse_options(
        self, raw: Mapping[str, m.Json], clocks: ClockOptions
    ) -> tuple[ClockOptions, Any]:
        """Return the clock options and the game's own of a JSON object.

        Raises:
            BadOptions: With the problems of either.
        """
        mine = {name: value for name, value in raw.items() if name not in CLOCK_OPTIONS}
        return parse_clock_options(raw, clocks), self.game.parse_options(mine)

    # --- from outside --------------------------------------------------------------------------

    async def ask(
        self, request: m.Request, user: User, connection: Connection, stamp: float
    ) -> m.Result | None:
        """Have the room do something. Cancelling does not undo what was asked.

        Raises:
            RefusedError: The room refuses, or is closed.
        """
        asked = Asked(request, user, connection, stamp)
        try:
            await self._send.send(asked)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise self._gone() from None
        await asked.done.wait()
        if asked.refused is not None:
            raise asked.refused
        return asked.result

    def nudge(self) -> None:
        """Have the room look at who is there."""
        if not self._is_nudged and not self.is_closed:
            self._is_nudged = True
            try:
                self._send.send_nowait(None)
            except (trio.WouldBlock, trio.ClosedResourceError):
                self._is_nudged = False  # it is about to look anyway, or never will again

    def has_member(self, user: User) -> bool:
        """Tell whether the user is in the room."""
        return user.id in self.members

    def seen_by(self, user: User) -> m.MyRoom:
        """Return the room as one of a user's own."""
        seat = self.seat_of(user)
        number = None if seat is None else seat.number
        seq = 0 if self.table is None else self.table.streams[number].seq
        return m.MyRoom(room=self.code, last_seq=seq, seat=number)

    def info(self) -> m.RoomInfo:
        """Return the room as everybody sees it."""
        seats = []
        for seat in self.seats:
            member = self.members.get(seat.owner or seat.player or "")
            is_host = seat.owner is not None and seat.owner == self.host
            seats.append(seat.info(member, host=is_host, playing=self.phase is m.Phase.PLAYING))
        return m.RoomInfo(
            room=self.code,
            game=self.game.id,
            phase=self.phase.value,
            seats=tuple(seats),
            spectators=sum(self.seat_of(member.user) is None for member in self.members.values()),
            options=self.all_options(),
            locked=self.password is not None,
            created_ms_ago=round((trio.current_time() - self.created) * 1000),
            commitment=self.deal.commitment,
            title=self.title,
        )

    def all_options(self) -> dict[str, m.Json]:
        """Return the game's options and the clocks' as one JSON object."""
        return {**self.game.format_options(self.options), **attrs.asdict(self.clock_options)}

    def found(self, user: User, connection: Connection) -> SeatId:
        """Seat the creator of a new room as its host. Only before the room's task runs."""
        member = self.enter(user)
        self.seats[0].owner = user.id
        self.host = user.id
        self.greet(member, connection)
        self.tell_changes()
        return self.seats[0].number

    def found_again(self, user: User) -> Room:
        """Open a room with the same seats and options for those who are still here.

        Raises:
            RefusedError: There may be no more rooms, or the asker may be in no more.
        """
        self.lobby.check_room_limits(user)
        again = Room(
            self.lobby,
            self.lobby.free_code(),
            self.game,
            options=self.all_options(),
            seats=len(self.seats),
            title=self.title,
            password=self.password,
            is_listed=self.is_listed,
        )
        for old, seat in zip(self.seats, again.seats, strict=True):
            if old.owner is None and old.bot is not None:
                with suppress(RefusedError):  # no more bots may run; the host sees an empty seat
                    again.put_bot(seat, old.bot.level, old.bot.user.name)
                continue
            member = self.members.get(old.owner or "")
            if member is None or member.connection is None:
                continue
            seat.owner = member.user.id
            seat.deck = old.deck
            seat.passes = dict(old.passes)
            again.enter(member.user)
        still_here = self.host in again.members
        again.host = self.host if still_here else user.id
        for member in self.members.values():
            if member.connection is not None and member.user.id in again.members:
                again.greet(again.members[member.user.id], member.connection)
        again.tell_changes()
        self.lobby.open(again)
        return again

    # --- the task ------------------------------------------------------------------------------

    async def run(self) -> None:
        """Do what is asked until the room is closed."""
        with self._send, self._mailbox:
            try:
                self._look()
                while not self.is_closed:
                    await self._turn()
            except Exception as error:
                self.log.fault("room_failed", error)
                self.close("failed")
            finally:
                self._refuse_the_rest()

    async def _turn(self) -> None:
        entry: Asked | None = None
        try:
            if self._deferred:
                entry = self._deferred.popleft()
                await self._serve(entry)
                return
            with trio.move_on_at(self._next_time()):
                entry = await self._mailbox.receive()
            if entry is None:
                self._is_nudged = False
                await self._run_clocks(math.nextafter(trio.current_time(), math.inf))
                await self._look_again()
            else:
                await self._run_clocks(entry.stamp)
                await self._serve(entry)
        finally:
            if entry is not None and not entry.done.is_set():
                entry.fail(self._gone())  # nobody waits for ever

    async def _serve(self, asked: Asked) -> None:
        try:
            result = await carry_out(self, asked)
            await self._look_again()
        except RefusedError as refused:
            asked.fail(refused)
        except RuleError as error:
            asked.fail(refusal(error))
        except Exception as error:
            asked.fail(RefusedError(ErrorCode.INTERNAL, {"reference": self._fault(error)}))
        else:
            self._active = trio.current_time()
            asked.succeed(result)

    def _fault(self, error: Exception) -> str:
        """Note an error in the rules; the third closes the room."""
        self._faults += 1
        reference = self.log.fault("rules_failed", error)
        if self._faults >= MAX_FAULTS:
            self.close("failed")
        return reference

    def _refuse_the_rest(self) -> None:
        while True:
            try:
                entry = (
                    self._deferred.popleft() if self._deferred else self._mailbox.receive_nowait()
                )
            except (trio.WouldBlock, trio.EndOfChannel):
                return
            if entry is not None:
                entry.fail(self._gone())

    def _gone(self) -> RefusedError:
        return RefusedError(ErrorCode.ROOM_NOT_FOUND, {"room": self.code})

    # --- the game's clock ----------------------------------------------------------------------

    def _due(self) -> tuple[float, str] | None:
        if self.table is None or self.phase is not m.Phase.PLAYING:
            return None
        vacant = [seat.number for seat in self.seats if seat.is_vacant]
        due = self.table.due(vacant)
        return None if due is None else (max(due[0], self._not_before), due[1])

    async def _run_clocks(self, until: float) -> None:
        """Run out the clocks that ended before `until`."""
        while (due := self._due()) is not None and due[0] < until and not self.is_closed:
            await self._let_punctual_in(due[0])
            if self._due() == due:
                await self._expire(due[1])

    async def _let_punctual_in(self, end: float) -> None:
        """Serve what members had sent by `end` and is still on its way."""
        with trio.move_on_after(PUNCTUAL_S):
            while self._is_somebody_on_the_way(end):
                entry: Asked | None = None
                with trio.move_on_after(PUNCTUAL_STEP_S):
                    entry = await self._mailbox.receive()
                if entry is None:
                    self._is_nudged = False
                elif entry.stamp <= end:
                    with trio.CancelScope(shield=True):  # a move is done or not done
                        await self._serve(entry)
                else:
                    self._deferred.append(entry)

    def _is_somebody_on_the_way(self, end: float) -> bool:
        for member in self.members.values():
            connection = member.user.connection
            since = None if connection is None else connection.waiting_since
            if since is not None and since <= end:
                return True
        return False

    async def _expire(self, wait: str) -> None:
        if self.table is None:
            return
        try:
            await self.play(self.table.expire(wait, trio.current_time()))
        except Exception as error:
            self._not_before = trio.current_time() + FAULT_PAUSE_S
            self._fault(error)

    # --- moves ---------------------------------------------------------------------------------

    async def play(self, played: Played) -> None:
        """Record a move, adopt it and tell everybody."""
        table = self.table
        if table is None:
            raise RuntimeError("there is no game to play")
        await self.record(played.inputs)
        self.publish(table, played)

    async def record(self, inputs: tuple[Input, ...]) -> None:
        """Make a step durable; whatever it causes is told only afterwards."""
        await trio.lowlevel.checkpoint()

    def publish(self, table: Table, played: Played) -> None:
        """Adopt a move and queue the updates of those who are there."""
        updates = dict(table.commit(played))
        for member in self.members.values():
            if member.connection is None or not member.is_synced:
                continue
            stream = self.stream_of(table, member)
            update = updates.get(stream)
            if update is not None:
                member.connection.outbox.put_update(stream, update)
        if self.phase is m.Phase.PLAYING and table.outcome is not None:
            self.phase = m.Phase.OVER
            self._over_at = trio.current_time()
            self.log.info("game_over", inputs=len(table.inputs))
            self.lobby.save_replay(self, table.replay())

    def passes(self, seat: SeatId, kind: str) -> bool:
        """Tell whether a seat has a standing pass for a kind of window."""
        return self.seats[seat].passes.get(kind, self._standing.get(kind, False))

    # --- members -------------------------------------------------------------------------------

    def seat_of(self, user: User) -> Seat | None:
        """Return the seat that a user holds or plays."""
        return next((seat for seat in self.seats if seat.is_held_by(user)), None)

    def stream_of(self, table: Table, member: Member) -> Stream:
        """Return the stream that a member is sent."""
        seat = self.seat_of(member.user)
        return table.streams[None if seat is None else seat.number]

    def enter(self, user: User, *, inside: bool = False) -> Member:
        """Make the user a member, under a name that looks like no other's."""
        name = distinct_name(user.name, [member.name for member in self.members.values()])
        member = Member(user, name, inside)
        self.members[user.id] = member
        user.rooms.add(self.code)
        return member

    def greet(self, member: Member, connection: Connection) -> None:
        """Have a member on a new connection be told about the room, and send it updates."""
        member.connection = connection
        member.is_synced = True
        member.is_told = False

    def sync(self, member: Member, seq: int | None) -> int:
        """Queue what a member has not seen since update `seq`; return the last one's number."""
        connection = member.connection
        if connection is None:
            return 0
        member.is_synced = True
        table = self.table
        if table is None:
            return 0
        stream = self.stream_of(table, member)
        if connection.outbox.patch:
            stream.patches = True
        connection.outbox.forget(stream)
        missed = None if seq is None else stream.since(seq)
        if missed is None:
            connection.outbox.put_full(stream)
        else:
            for update in missed:
                connection.outbox.put_update(stream, update)
        return stream.seq

    def remove(self, member: Member, reason: str | None) -> None:
        """Take somebody out of the room; `reason` is told unless it is None."""
        user = member.user
        seat = next((s for s in self.seats if s.owner == user.id), None)
        if self.table is not None and member.connection is not None:
            member.connection.outbox.forget(self.stream_of(self.table, member))
        if seat is not None:
            seat.vacate()
        self.members.pop(user.id, None)
        user.rooms.discard(self.code)
        if member.connection is not None and reason is not None:
            member.connection.push(m.Closed(room=self.code, reason=reason))
        if self.host == user.id:
            self.host = None
            self.pass_on_host()
        if all(other.inside for other in self.members.values()):
            self.close("empty")

    def pass_on_host(self) -> None:
        """Make somebody else host."""
        self.host = host_after(self.seats, self.members.values()) or self.host
        if self.host is not None and self.host in self.members:
            details: dict[str, m.Json] = {"room": self.code, "name": self.members[self.host].name}
            self.notify_all("host_changed", details)

    def put_bot(self, seat: Seat, level: str | None, name: str) -> BotRun:
        """Have a bot play a seat.

        Raises:
            RefusedError: There is no such bot, or no more may run.
        """
        run = self.lobby.start_bot(self.code, level, name)
        self.enter(run.user, inside=True)
        seat.bot = run
        return run

    def dismiss_bot(self, seat: Seat) -> None:
        """Take the bot out of a seat."""
        run, seat.bot = seat.bot, None
        if run is not None:
            run.stop()
            self.members.pop(run.user.id, None)
            run.user.rooms.discard(self.code)

    def notify_all(self, code: str, details: dict[str, m.Json]) -> None:
        """Send a notice to everybody who is there."""
        for member in self.members.values():
            if member.connection is not None:
                member.connection.notify(code, details)

    # --- the room itself -------------------------------------------------------------------------

    async def _look_again(self) -> None:
        """Bring the room up to date with who is there, and tell what changed."""
        if self.is_closed:
            return
        self._look()
        if self.is_closed:
            return
        await self._pause_if_all_ask()
        self.tell_changes()

    def _look(self) -> None:
        now = trio.current_time()
        for member in list(self.members.values()):
            connection = member.user.connection
            if connection is not member.connection:
                member.connection = None
                member.is_synced = False
                if connection is not None and not member.inside:
                    self._welcome_back(member, connection)
                else:
                    member.connection = connection
        for seat in self.seats:
            if seat.owner is not None:
                self._look_at(seat, self.members[seat.owner], now)
        self._keep_house(now)

    def _welcome_back(self, member: Member, connection: Connection) -> None:
        seat = self.seat_of(member.user)
        if seat is not None and seat.bot is not None and seat.owner == member.user.id:
            self.dismiss_bot(seat)
        self.greet(member, connection)
        member.is_synced = False  # the updates wait for `sync`

    def _look_at(self, seat: Seat, owner: Member, now: float) -> None:
        if owner.user.is_here:
            seat.away_since = None
        elif seat.away_since is None:
            seat.away_since = now
            if self.phase is m.Phase.LOBBY:
                seat.ready = False

    def _keep_house(self, now: float) -> None:
        """Do what is due for the room: seats given up, the host's powers, the end."""
        self._looked_at = now
        rooms = self.lobby.config.rooms
        for member in list(self.members.values()):
            given_up = self._given_up_at(member)
            if given_up is not None and given_up <= now:
                self.remove(member, "away")
        if self.is_closed:
            return
        host = self.members.get(self.host or "")
        if host is None or (not host.user.is_here and host.user.seen + rooms.host_away_s <= now):
            others = host_after(self.seats, self.members.values())
            if others is not None and others != self.host and self.members[others].user.is_here:
                self.pass_on_host()
        is_empty = not any(
            member.user.is_here for member in self.members.values() if not member.inside
        )
        if not is_empty:
            self._empty_since = None
        elif self._empty_since is None:
            self._empty_since = now
        end, reason = self._end()
        is_near = self.phase is m.Phase.OVER and end - CLOSING_NOTICE_S <= now
        if is_near and not self._is_closing_told:
            self._is_closing_told = True
            left = max(0, round(end - now))
            self.notify_all(NoticeCode.ROOM_CLOSING, {"room": self.code, "seconds": left})
        if end <= now:
            self.close(reason)

    def _given_up_at(self, member: Member) -> float | None:
        """Return when somebody who is away loses its place, if ever."""
        if member.inside or member.user.is_here:
            return None
        if self.phase is not m.Phase.LOBBY and self.seat_of(member.user) is not None:
            return None
        return member.user.seen + self.lobby.config.rooms.away_lobby_s

    def _end(self) -> tuple[float, str]:
        """Return when the room closes if nothing happens, and why."""
        rooms = self.lobby.config.rooms
        ends: list[tuple[float, str]] = []
        empty_s = rooms.empty_playing_s
        if self.phase is m.Phase.LOBBY:
            empty_s = rooms.empty_lobby_s
            ends.append((self._active + rooms.idle_lobby_s, "idle"))
        elif self.phase is m.Phase.OVER:
            empty_s = rooms.empty_over_s
            ends.append((self._over_at + rooms.over_s, "over"))
        if self._empty_since is not None:
            ends.append((self._empty_since + empty_s, "empty"))
        return min(ends, default=(math.inf, ""))

    def _next_time(self) -> float:
        """Return when the room has to look after something next."""
        end, _ = self._end()
        times = [end, end - CLOSING_NOTICE_S]
        times += [t for t in map(self._given_up_at, self.members.values()) if t is not None]
        host = self.members.get(self.host or "")
        if host is not None and not host.user.is_here:
            times.append(host.user.seen + self.lobby.config.rooms.host_away_s)
        # What was due at the last look was done, or could not be.
        ahead = min((t for t in times if t > self._looked_at), default=math.inf)
        due = self._due()
        return ahead if due is None else min(ahead, due[0])

    async def _pause_if_all_ask(self) -> None:
        table = self.table
        if table is None or self.phase is not m.Phase.PLAYING or table.clocks.stopped is not None:
            return
        asked = [seat for seat in self.seats if self._is_person_here(seat)]
        if asked and all(seat.wants_pause for seat in asked):
            await self.play(table.tell(table.clocks.pause(trio.current_time())))
            self.notify_all("paused", {"room": self.code})

    def _is_person_here(self, seat: Seat) -> bool:
        member = self.members.get(seat.owner or "")
        return member is not None and member.user.is_here and not member.user.bot

    def people_here(self) -> int:
        """Return how many seats are held by people who are there."""
        return sum(self._is_person_here(seat) for seat in self.seats)

    def tell_changes(self) -> None:
        """Send the room to its members if it is no longer as they were told.

        Who is on a new connection gets it anyway, and what was said of late.
        """
        info = self.info()
        lasting = attrs.evolve(info, created_ms_ago=0)
        is_news = lasting != self._told
        self._told = lasting
        for member in self.members.values():
            if is_news or not member.is_told:
                self._tell(member, info)
            if member.connection is not None and not member.is_told:
                member.is_told = True
                for line in self.chat:
                    member.connection.push(line)
        if is_news and self.is_listed:
            self.lobby.rooms_changed()

    def _tell(self, member: Member, info: m.RoomInfo) -> None:
        if member.connection is not None:
            push = m.RoomPush(room=self.code, info=info)
            text = codec.encode(push, self.lobby.config.limits).encode()
            member.connection.outbox.put_latest(("room", self.code), text)

    def close(self, reason: str) -> None:
        """Close the room; everybody is told why."""
        if self.is_closed:
            return
        self.is_closed = True
        self.log.info("room_closed", reason=reason)
        for seat in self.seats:
            self.dismiss_bot(seat)
        for member in self.members.values():
            member.user.rooms.discard(self.code)
            if member.connection is not None:
                member.connection.push(m.Closed(room=self.code, reason=reason))
        self.members.clear()
        self.lobby.forget_room(self)
