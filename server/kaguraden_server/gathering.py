"""Who is in a room, and the room itself: seats, members, host, what everybody is told, and its end.

Everything here is a plain function, done at once; it is called by the room's own task (`room`).
`look` is called again and again: it notes who came and went, does what is due (a seat is given up,
the host's powers move on, an empty room closes), and leaves it to `next_time` to say when there
will be something to do again. `tell_changes` then tells everybody what has become of the room.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs
import trio
from kaguraden_protocol import codec
from kaguraden_protocol import messages as m
from kaguraden_protocol.errors import NoticeCode
from kaguraden_protocol.text import distinct_name
from kaguraden_rules.kernel import Game, SeatId

from .clocks import ClockOptions, clock_names, parse_clock_options
from .logs import Name
from .seats import Member, Seat, host_after
from .table import Table

if TYPE_CHECKING:
    from .bots import BotRun
    from .daily import Attempt
    from .journal.entries import RoomClosed
    from .lobby import Lobby
    from .passwords import Hashed
    from .streams import Stream
    from .users import User

__all__ = ["Gathering", "parse_options"]

CLOSING_NOTICE_S = 60


class Gathering:
    """The people of a room, with or without a game in play."""

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
        address: str,
    ) -> None:
        """Make an empty room; `seats` None leaves their number open until the start.

        `address` is where it was opened from, as the limits count it.

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
        self.address = address
        self.clock_options, self.options = self.parse_options(options, lobby.config.clocks)
        self.deal = lobby.daily.deal(game, self.options)
        if self.deal.day is not None:
            seats = 1  # a day's challenge is everybody's own (EN-128)
        self.is_open_ended = seats is None
        self.seats = [Seat(SeatId(n)) for n in range(seats or game.seats[1])]
        self.members: dict[str, Member] = {}
        self.number = lobby.keeper.new_number()  # in the journal
        self.opened_ms = lobby.keeper.wall_ms()
        self.host: str | None = None
        self.phase: m.Phase = m.Phase.LOBBY
        self.attempt: Attempt | None = None  # ranked, at the day's challenge
        self.table: Table | None = None
        self.chat: deque[m.ChatPush] = deque(maxlen=lobby.config.limits.chat_history)
        self.lines = 0  # of chat, in all
        self.left: set[str] = set()  # users who gave up a seat in play
        self.rematch: str | None = None
        self.created = trio.current_time()
        self.opened = trio.Event()
        self.is_closed = False
        self.closed: RoomClosed | None = None  # the entry of its end
        self._standing = {window.kind: window.passes for window in game.windows}
        self._told: m.RoomInfo | None = None
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
        return parse_options(self.game, raw, clocks)

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
        clocks = attrs.asdict(self.clock_options)
        mine = {name: clocks[name] for name in clock_names(self.game.paces)}
        return {**self.game.format_options(self.options), **mine}

    def passes(self, seat: Seat, kind: str) -> bool:
        """Tell whether a seat has a standing pass for a kind of window."""
        return seat.passes.get(kind, self._standing.get(kind, False))

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

    def greet(self, member: Member) -> None:
        """Have a member be told about the room, on its connection of now, and send it updates.

        One whose `hello` is not answered yet is told by that, and the room looks again then.
        """
        connection = member.user.connection
        if connection is None or connection.user is None:
            return
        member.connection = connection
        member.is_synced = True
        member.is_told = False

    def greet_all(self) -> None:
        """Greet who is here as the room opens: no `hello` before that was told of it."""
        for member in self.members.values():
            self.greet(member)

    def found(self, user: User) -> None:
        """Seat the creator of a new room as its host. Only before the room's task runs."""
        self.enter(user)
        self.seats[0].owner = user.id
        self.host = user.id

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
        # An `ok` to an act may wait behind the update that it tells of, which has to stay before it.
        is_under_way = connection.outbox.holds(stream)
        missed = None if seq is None or is_under_way else stream.since(seq)
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
            if self.phase is m.Phase.PLAYING:
                self.left.add(user.id)
            seat.vacate()
        self.members.pop(user.id, None)
        user.rooms.discard(self.code)
        self.log.info("left", user=user.id, reason=reason or "", name=Name(member.name))
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
            self.notify_all(NoticeCode.HOST_CHANGED, details)

    def give_back_attempt(self) -> None:
        """Have the attempt not count that could not begin."""
        if self.attempt is not None:
            self.lobby.daily.give_back(self.attempt)
            self.attempt = None

    def put_bot(self, seat: Seat, level: str | None, name: str, host: User) -> BotRun:
        """Have a bot play a seat, at the request of `host`.

        Raises:
            RefusedError: There is no such bot, or no more may run.
        """
        run = self.lobby.start_bot(self.code, level, name, host, self.opened)
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

    # --- telling -------------------------------------------------------------------------------

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
                member.connection.push_all(tuple(self.chat))
        if is_news and self.is_listed:
            self.lobby.rooms_changed()

    def _tell(self, member: Member, info: m.RoomInfo) -> None:
        if member.connection is not None:
            push = m.RoomPush(room=self.code, info=info)
            text = codec.encode(push, self.lobby.config.limits).encode()
            member.connection.outbox.put_latest(("room", self.code), text)

    def notify_all(self, code: NoticeCode, details: dict[str, m.Json]) -> None:
        """Send a notice to everybody who is there."""
        for member in self.members.values():
            if member.connection is not None:
                member.connection.notify(code, details)

    # --- keeping house -------------------------------------------------------------------------

    def look(self) -> None:
        """Note who came and went, and do what is due for the room."""
        now = trio.current_time()
        for member in list(self.members.values()):
            connection = member.user.connection
            if connection is not None and connection.user is None:
                connection = None  # its hello is not answered yet, and that comes first
            if connection is not member.connection:
                member.connection = None
                member.is_synced = False
                if connection is not None and not member.inside:
                    self._welcome_back(member)
                else:
                    member.connection = connection
        for seat in self.seats:
            if seat.owner is not None:
                self._look_at(seat, self.members[seat.owner], now)
        self._keep_house(now)

    def _welcome_back(self, member: Member) -> None:
        seat = self.seat_of(member.user)
        if seat is not None and seat.bot is not None and seat.owner == member.user.id:
            self.dismiss_bot(seat)
        self.greet(member)
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

    def next_time(self) -> float:
        """Return when there will be something to do for the room itself."""
        end, _ = self._end()
        times = [end, end - CLOSING_NOTICE_S]
        times += [t for t in map(self._given_up_at, self.members.values()) if t is not None]
        host = self.members.get(self.host or "")
        if host is not None and not host.user.is_here:
            times.append(host.user.seen + self.lobby.config.rooms.host_away_s)
        # What was due at the last look was done, or could not be.
        return min((t for t in times if t > self._looked_at), default=math.inf)

    def is_persons(self, seat: Seat) -> bool:
        """Tell whether a person holds the seat, connected or not."""
        member = self.members.get(seat.owner or "")
        return member is not None and not member.user.bot

    def is_person_here(self, seat: Seat) -> bool:
        """Tell whether a person holds the seat and is connected."""
        member = self.members.get(seat.owner or "")
        return member is not None and member.user.is_here and not member.user.bot

    def people_here(self) -> int:
        """Return how many seats are held by people who are there."""
        return sum(self.is_person_here(seat) for seat in self.seats)

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
        self.closed = self.lobby.room_closed(self, reason)


def parse_options(
    game: Game[Any, Any], raw: Mapping[str, m.Json], clocks: ClockOptions
) -> tuple[ClockOptions, Any]:
    """Return the clock options, over `clocks`, and a game's own of a JSON object.

    Raises:
        BadOptions: With the problems of either.
    """
    names = clock_names(game.paces)
    mine = {name: value for name, value in raw.items() if name not in names}
    return parse_clock_options(raw, clocks, game.paces), game.parse_options(mine)
