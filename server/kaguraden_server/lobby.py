"""The house: its rooms, its users, its connections, and the tasks that keep them.

The lobby owns the nursery of the rooms and of the server's own bots, so that a room outlives the
connection that asked for it. It finds rooms by code, keeps the house's limits, and tells those who
watch which rooms there are. A room's inside is its own task's business.

An error in one of the lobby's own tasks ends that piece of work, not the house: `_supervised` logs
it, and the next round goes on.
"""

from __future__ import annotations

import gc
import itertools
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import trio
from attrs import evolve
from kaguraden_protocol import codec
from kaguraden_protocol import messages as m
from kaguraden_protocol.errors import CloseCode, ErrorCode, NoticeCode, RefusedError
from kaguraden_protocol.limits import MAX_NODES
from kaguraden_protocol.text import clean_title
from kaguraden_rules.kernel import Game, Games, RuleError

from . import passwords
from .bots import BotFunction, BotRun, run_bot
from .clocks import clock_schema
from .codes import normal_code, random_code
from .connection import Connection
from .counts import BY_THE_OTHER_END, Counts
from .daily import GAME, Daily
from .gathering import Gathering, parse_options
from .journal import store
from .journal.entries import RoomClosed, UserGone
from .journal.writer import StorageDown
from .keeper import Keeper
from .keeping import user_entry
from .neighbours import counted
from .packs import catalog_of
from .recovery import recover
from .refusals import bad_field, refusal
from .room import Room
from .streams import count_nodes, dump
from .users import User, Users

if TYPE_CHECKING:
    from kaguraden_rules.kernel import Input, Outcome

    from .config import Config
    from .daily import Attempt
    from .logs import Log
    from .passwords import Hashed
    from .replays import ReplayFiles
    from .table import Table
    from .wires import Wire

__all__ = ["Lobby"]

LOBBY_PUSH_S = 0.5  # the lobby is told at most twice a second
SWEEP_S = 30.0
FEW_ENDED = 200  # connections and rooms, a few kilobytes each: not worth the collector
CLOSE_DAYS_S = 300.0
FORGET_S = 3_600.0
FORGET_AT_ONCE = 50
CLOSE_S = 1.0
MAX_LISTED = 100  # rooms in one list; the newest that can be joined come first
NODES_TO_SPARE = 64  # for what is around the list
BYTES_TO_SPARE = 256


class Lobby:
    """One server's house."""

    def __init__(
        self,
        config: Config,
        games: Games,
        bots: Mapping[str, Callable[[], BotFunction]],
        log: Log,
        *,
        password: Hashed | None = None,
        replays: ReplayFiles | None = None,
        daily: Daily | None = None,
        keeper: Keeper | None = None,
    ) -> None:
        self.config = config
        self.games = games
        self.bots = bots
        self.log = log
        self.password = password
        self.replays = replays
        self.daily = daily or Daily(config.daily, log=log)
        self.keeper = keeper or Keeper()
        self.counts = Counts(self.keeper.commits)
        self.users = Users(
            grace_ms=config.limits.token_grace_ms,
            keep_s=config.users.keep_s,
            most=config.users.most,
        )
        self.rooms: dict[str, Room] = {}
        self.connections: set[Connection] = set()
        self.per_address: Counter[str] = Counter()
        self.is_draining = False
        self.told_address: str | None = None  # for people who read the log: where others join
        self.show_room: Callable[[str], None] | None = None  # called with the code of each new one
        self._describe()
        self._catalogs: dict[str, m.CatalogResult] = {}
        self._numbers = itertools.count(1)
        self._closing: set[str] = set()  # codes of closed rooms that the journal still has open
        self._changed = trio.Event()
        self._told_at = -LOBBY_PUSH_S  # when those who watch were last told
        self._ended = 0  # streams, connections and rooms since the collector came
        self._nursery: trio.Nursery | None = None
        self._bots: Counter[str] = Counter()  # that run, by who put them in

    def adopt(self, config: Config, password: Hashed | None) -> None:
        """Go by other settings from now on; `password` is the hash of the server's.

        What has begun keeps what it was told: connections their limits, games their clocks.
        """
        self.config = config
        self.password = password
        self.users.adopt(
            grace_ms=config.limits.token_grace_ms,
            keep_s=config.users.keep_s,
            most=config.users.most,
        )
        self.daily.settings = config.daily
        if self.replays is not None:
            self.replays = evolve(self.replays, keep=config.data.replays)
        self._describe()
        for room in self.rooms.values():
            room.nudge()  # it sleeps by the times of before
        self._start("closed_rooms_not_deleted", self._forget_closed)

    def _describe(self) -> None:
        """Make anew what is told of the server and its games."""
        self.server_info = m.ServerInfo(self.config.server.name, version("kaguraden"))
        self.game_infos = tuple(self._game_info(game) for game in self.games.values())

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Keep the house until cancelled."""
        try:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                nursery.start_soon(self._rounds, "lobby_not_told", self._tell_watchers)
                nursery.start_soon(self._rounds, "sweep_failed", self._sweep)
                nursery.start_soon(self._rounds, "daily_failed", self._close_days)
                await recover(self)
                nursery.start_soon(self._rounds, "closed_rooms_not_deleted", self._clear_journal)
                task_status.started()
        finally:
            self._nursery = None  # a request may still wait for the journal

    async def _rounds(self, failed: str, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            await self._supervised(failed, work)

    async def _supervised(
        self, failed: str, work: Callable[[], Awaitable[None]], log: Log | None = None
    ) -> None:
        """Do a piece of work; an error in it is logged as `failed` and ends nothing else."""
        try:
            await work()
        except Exception as error:
            (log or self.log).fault(failed, error)

    # --- connections -------------------------------------------------------------------------

    def has_place(self, address: str) -> bool:
        """Tell whether one more connection from this address is within the limits."""
        limits = self.config.limits
        return (
            len(self.connections) < limits.connections
            and self.per_address[counted(address)] < limits.connections_per_address
        )

    async def attend(self, wire: Wire, *, inside: bool = False) -> None:
        """Attend to one connection until it is over."""
        address = wire.address
        if not inside and (self.is_draining or not self.has_place(address)):
            code = CloseCode.RESTARTING if self.is_draining else CloseCode.REFUSED
            self.counts.ended[str(int(code))] += 1
            with trio.move_on_after(CLOSE_S):
                await wire.close(code)
            return
        connection = Connection(self, wire, next(self._numbers), inside=inside)
        tell = connection.log.debug if inside else connection.log.info
        tell("connected", address=address)
        self.connections.add(connection)
        self.per_address[counted(address)] += 1
        try:
            await connection.run()
        except Exception as error:
            connection.log.fault("connection_failed", error)
            with trio.move_on_after(CLOSE_S):
                await wire.close(CloseCode.INTERNAL)
        finally:
            self._gone(connection, address)
            tell("disconnected")

    def note_stream(self) -> None:
        """Note that a stream was opened: whatever becomes of it, something is left of it."""
        self._ended += 1

    def _gone(self, connection: Connection, address: str) -> None:
        self.connections.discard(connection)
        self._ended += 1
        if not connection.inside:
            code = connection.closed_with
            self.counts.ended[BY_THE_OTHER_END if code is None else str(code)] += 1
        home = counted(address)
        self.per_address[home] -= 1
        if not self.per_address[home]:
            del self.per_address[home]
        user = connection.user
        if user is None:
            return
        user.open_connections -= 1
        if user.connection is connection:
            user.connection = None
            user.seen = trio.current_time()
            self.presence_changed(user)

    def presence_changed(self, user: User) -> None:
        """Wake the rooms of a user who came or went."""
        for room in self._rooms_with(user):
            room.nudge()

    def drain(self) -> None:
        """Announce the end, take nothing new in, and send everybody away."""
        self.is_draining = True
        self.log.info("draining", connections=len(self.connections), rooms=len(self.rooms))
        for connection in list(self.connections):
            if connection.inside:
                continue  # our bots keep their seats: the next server goes on with them
            if connection.user is not None:  # before `hello` a connection is told nothing
                connection.notify(NoticeCode.DRAINING, {})
            connection.close(CloseCode.RESTARTING)

    async def cut(self) -> None:
        """Close the streams of all who have not hung up."""
        for connection in list(self.connections):
            await connection.wire.cut()

    def announce(self, text: str) -> int:
        """Tell a text to everybody who is here; return how many that are."""
        people = [c for c in self.connections if c.user is not None and not c.inside]
        for connection in people:
            connection.notify(NoticeCode.ANNOUNCEMENT, {"text": text})
        return len(people)

    # --- rooms -------------------------------------------------------------------------------

    def find(self, code: str) -> Room:
        """Return the room of a code, however it was typed.

        Raises:
            RefusedError: There is none.
        """
        room = self.rooms.get(normal_code(code))
        if room is None:
            raise RefusedError(ErrorCode.ROOM_NOT_FOUND, {"room": code})
        return room

    def rooms_of(self, user: User) -> tuple[m.MyRoom, ...]:
        """Return the rooms that a user is a member of."""
        return tuple(room.seen_by(user) for room in self._rooms_with(user))

    def _rooms_with(self, user: User) -> list[Room]:
        """Return the rooms that a user is in; one that is still being written is none yet."""
        return [self.rooms[code] for code in sorted(user.rooms) if code in self.rooms]

    def listed(self, game: str | None = None) -> tuple[m.RoomInfo, ...]:
        """Return the listed rooms: first those that can be joined, the newest first."""
        rooms = [r for r in self.rooms.values() if r.is_listed and game in (None, r.game.id)]
        rooms.sort(key=lambda r: (r.phase is not m.Phase.LOBBY, -r.created))
        infos: list[m.RoomInfo] = []
        nodes, size = NODES_TO_SPARE, BYTES_TO_SPARE
        for room in rooms[:MAX_LISTED]:
            info = room.info()
            wire = codec.to_wire(info)
            nodes += count_nodes(wire)
            size += len(dump(wire)) + 1
            if nodes > MAX_NODES or size > self.config.limits.frame_out_bytes:
                break
            infos.append(info)
        return tuple(infos)

    async def create(self, user: User, connection: Connection, request: m.Create) -> m.CreateResult:
        """Make a room whose host is the asker.

        Raises:
            RefusedError: It cannot be as it was asked for, or because of a limit.
        """
        game = self.games.get(request.game)
        if game is None:
            raise RefusedError(ErrorCode.UNSUPPORTED, {"games": list(self.games)})
        least, most = game.seats
        if request.seats is not None and not least <= request.seats <= most:
            problem = f"expected {least} to {most}"
            raise bad_field("$.seats", problem, ErrorCode.BAD_OPTIONS)
        address = counted(connection.wire.address)
        options = request.options or {}
        try:
            _, parsed = parse_options(game, options, self.config.clocks)
        except RuleError as error:
            raise refusal(error) from None
        if self.daily.deal(game, parsed).day is not None and request.seats not in {None, 1}:
            problem = "a day's challenge has exactly one seat"
            raise bad_field("$.seats", problem, ErrorCode.BAD_OPTIONS)
        self.check_room_limits(user, address)
        await self.be_writable(user)
        # Hashing is dear, so nothing is hashed for a room that will not be.
        password = await passwords.hash_password(request.password) if request.password else None
        self.check_room_limits(user, address)  # others may have made rooms meanwhile
        room = Room(
            self,
            self.free_code(),
            game,
            options=options,
            seats=request.seats,
            title=clean_title(request.title) if request.title else None,
            password=password,
            is_listed=request.listed is not False,
            address=address,
        )
        room.found(user)
        try:
            await room.save()
        except BaseException:
            room.close("failed")  # the journal may have it all the same
            raise
        room.greet_all()
        room.tell_changes()
        self.open(room)
        return m.CreateResult(room=room.code, seat=room.seats[0].number)

    async def be_writable(self, user: User) -> None:
        """Refuse at once what could not be kept.

        Raises:
            RefusedError: The journal cannot be written.
        """
        journal = self.keeper.journal
        if journal is not None and journal.is_down:
            now = trio.current_time()
            await self.keeper.keep(user_entry(user, self.keeper.wall_ms(), now))
        else:
            await trio.lowlevel.checkpoint()

    def check_room_limits(self, user: User, address: str) -> None:
        """Refuse a user one room more, opened from an address, than the limits allow.

        Raises:
            RefusedError: Because of a limit, or because the server is about to stop.
        """
        limits = self.config.limits
        if self.is_draining:
            raise RefusedError(ErrorCode.DRAINING)
        if len(self.rooms) >= limits.rooms:
            raise _limit("rooms", limits.rooms)
        if sum(room.address == address for room in self.rooms.values()) >= limits.rooms_per_address:
            raise _limit("rooms_per_address", limits.rooms_per_address)
        self.check_membership_limit(user)

    def check_membership_limit(self, user: User) -> None:
        """Refuse a user to be in more rooms than the limit allows.

        Raises:
            RefusedError: Because of the limit.
        """
        if not self.may_enter(user):
            raise _limit("rooms_per_user", self.config.limits.rooms_per_user)

    def may_enter(self, user: User) -> bool:
        """Tell whether a user may be in one room more; rooms whose game is over do not count."""
        rooms = sum(room.phase is not m.Phase.OVER for room in self._rooms_with(user))
        return rooms < self.config.limits.rooms_per_user

    def open(self, room: Room) -> None:
        """Start a room's task.

        Raises:
            RefusedError: The house is closed.
        """
        if self._nursery is None:
            raise RefusedError(ErrorCode.DRAINING)
        self.rooms[room.code] = room
        room.opened.set()
        told: dict[str, object] = {"room": room.code, "game": room.game.id}
        if self.told_address is not None:
            told["join"] = f"kaguraden play {self.told_address} --room {room.code}"
        self.log.info("room_opened", **told)
        if self.show_room is not None:
            self.show_room(room.code)
        self._nursery.start_soon(room.run, name=f"room {room.code}")
        self.rooms_changed()

    def room_closed(self, room: Room | Gathering, reason: str) -> RoomClosed:
        """Note that a room is closed; return the entry of that, which will be written in any case."""
        if self.rooms.get(room.code) is room:
            del self.rooms[room.code]
        self.rooms_changed()
        closed = RoomClosed(self.keeper.wall_ms(), reason, room.number)
        if self._nursery is not None:
            self._closing.add(room.code)
            keep = partial(self._keep_closed, room.code, closed)
            self._start("room_not_closed", keep, room.log)
        return closed

    async def _keep_closed(self, code: str, closed: RoomClosed) -> None:
        await self.keeper.keep_sometime(closed)
        self._closing.discard(code)

    def rooms_changed(self) -> None:
        """Note that those who watch the lobby have something to be told."""
        self._changed.set()

    def free_code(self) -> str:
        """Return a code that no room has, nor in the journal."""
        codes = iter(random_code, "")
        return next(c for c in codes if c not in self.rooms and c not in self._closing)

    async def _tell_watchers(self) -> None:
        """Wait until there is something to tell, and tell it to all who watch."""
        await trio.sleep_until(self._told_at + LOBBY_PUSH_S)
        await self._changed.wait()
        self._changed = trio.Event()
        self._told_at = trio.current_time()
        texts: dict[str, bytes] = {}
        for connection in self.connections:
            game = connection.watches
            if game is None:
                continue
            if game not in texts:
                push = m.LobbyPush(rooms=self.listed(game or None))
                texts[game] = codec.encode(push, self.config.limits).encode()
            connection.outbox.put_latest("lobby", texts[game])

    async def _sweep(self) -> None:
        """Wait a while, and forget who is gone."""
        await trio.sleep(SWEEP_S)
        self.users.forget()
        gone = self.users.gone[:]
        await self.keeper.keep_sometime(*map(UserGone, gone))
        del self.users.gone[: len(gone)]
        self._collect()

    def _collect(self) -> None:
        """Free what has ended, once there may be more of it than of what goes on.

        It is part of cycles and was there too long for the collector's usual rounds. This one stops
        everything for some tens of milliseconds, so it comes the less often, the more there is.
        """
        if self._ended > FEW_ENDED + len(self.connections) + len(self.rooms):
            self._ended = 0
            gc.collect()

    async def _close_days(self) -> None:
        """Put the records of the days that are closed to the others; wait a while."""
        try:
            if self.replays is not None:
                await self.daily.release(self.replays.folder)
                await self.replays.forget()
        finally:
            await trio.sleep(CLOSE_DAYS_S)

    async def _clear_journal(self) -> None:
        """Wait a while, and delete from the journal what was closed long ago."""
        await trio.sleep(FORGET_S)
        await self._forget_closed()

    async def _forget_closed(self) -> None:
        """Delete those rooms, a few at a time, so that no move waits long for its commit."""
        journal, data = self.keeper.journal, self.config.data
        if journal is None:
            return
        forget = partial(
            store.forget_closed,
            days=data.closed_days,
            most=data.closed_rooms,
            at_once=FORGET_AT_ONCE,
        )
        with suppress(StorageDown):  # the journal has told of that itself
            while await journal.run(forget) == FORGET_AT_ONCE:
                pass

    # --- bots and records --------------------------------------------------------------------

    def start_bot(
        self, room: str, level: str | None, name: str, host: User, opened: trio.Event
    ) -> BotRun:
        """Start a bot for a room, where `host` puts it in; it plays once the room is `opened`.

        Raises:
            RefusedError: There is no such level, no more bots may run, in all or for this host, or
                the house is closed.
        """
        chosen = level if level is not None else next(iter(self.bots), None)
        load = None if chosen is None else self.bots.get(chosen)
        if chosen is None or load is None:
            raise RefusedError(ErrorCode.UNSUPPORTED, {"levels": list(self.bots)})
        limits = self.config.rooms
        if self._bots.total() >= limits.bots:
            raise _limit("bots", limits.bots)
        if self._bots[host.id] >= limits.bots_per_user:
            raise _limit("bots_per_user", limits.bots_per_user)
        if self._nursery is None:
            raise RefusedError(ErrorCode.DRAINING)
        try:
            bot = load()
        except (ImportError, AttributeError) as error:
            self.log.bind(room=room).fault("bot_not_loaded", error)
            raise RefusedError(ErrorCode.UNSUPPORTED, {"level": chosen}) from None
        user = self.users.add(name, bot=True)
        run = BotRun(user, chosen, host.id)
        token = self.users.renew(user)
        self._bots[host.id] += 1
        self._nursery.start_soon(
            partial(run_bot, self, run, bot, token=token, room=room, name=name, opened=opened),
            name=f"bot {chosen} in {room}",
        )
        return run

    @property
    def bots_running(self) -> int:
        """Return how many bots run."""
        return self._bots.total()

    def bot_ended(self, run: BotRun, room: str) -> None:
        """Note that a bot's task is over."""
        self._bots[run.host] -= 1
        if not self._bots[run.host]:
            del self._bots[run.host]
        if not run.user.rooms:
            self.users.remove(run.user)
        if room in self.rooms:
            self.rooms[room].nudge()

    def game_over(self, room: Room, table: Table) -> None:
        """Write the record of a finished game, if there is a folder for it, and rank its day's."""
        if self.replays is not None:
            self._start("replay_failed", partial(self._save, self.replays, room, table), room.log)
        if room.attempt is not None and table.outcome is not None:
            rank = partial(self._rank, room.attempt, table.outcome, table.inputs)
            self._start("daily_failed", rank, room.log)

    async def take_up(self, room: Room) -> None:
        """Do for a room of a process before this what that may not have come to any more."""
        attempt, table = room.attempt, room.table
        if attempt is not None:
            try:
                await self.daily.again(attempt, room.deal)
            except OSError as error:
                room.log.error("daily_not_read", day=attempt.day, errno=error.errno)
            self.save_day(attempt)
        if table is None or table.outcome is None:
            return
        day = room.deal.day
        is_held = day is not None and self.daily.holds(day, room.code)
        if self.replays is not None and not is_held and not self.replays.has(room.code):
            self._start("replay_failed", partial(self._save, self.replays, room, table), room.log)
        if attempt is not None:
            rank = partial(self._rank, attempt, table.outcome, table.inputs)
            self._start("daily_failed", rank, room.log)

    def save_day(self, attempt: Attempt | None) -> None:
        """Write that an attempt began."""
        if attempt is not None:
            self._start("daily_failed", partial(self._save_day, attempt.day))

    def _start(
        self, failed: str, work: Callable[[], Awaitable[None]], log: Log | None = None
    ) -> None:
        if self._nursery is not None:
            self._nursery.start_soon(self._supervised, failed, work, log)

    async def _save(self, files: ReplayFiles, room: Room, table: Table) -> None:
        record, day = table.replay(), room.deal.day
        try:
            if day is not None and not self.daily.is_closed(day):
                await self.daily.hold(day, files.name_of(room.code, record), record, files.keep)
            else:
                await files.save(room.code, record)
        except OSError as error:
            room.log.error("replay_not_saved", errno=error.errno)

    async def _rank(self, attempt: Attempt, outcome: Outcome, inputs: list[Input]) -> None:
        await self.daily.finish(attempt, outcome, inputs)
        await self._save_day(attempt.day)

    async def _save_day(self, day: str) -> None:
        try:
            await self.daily.save(day)
        except OSError as error:
            self.log.error("daily_not_saved", day=day, errno=error.errno)

    # --- games -------------------------------------------------------------------------------

    async def standings(self, request: m.Daily) -> m.DailyResult:
        """Return the standings of a day's challenge.

        Raises:
            RefusedError: There is no such challenge.
        """
        game = self.games.get(GAME)
        if game is None:
            raise RefusedError(ErrorCode.UNSUPPORTED, {"request": request.type})
        return await self.daily.standings(game, request, self.config.limits.frame_out_bytes)

    def catalog(self, request: m.Catalog) -> m.CatalogResult:
        """Return the names and texts of a game's cards, and its rulebook.

        Raises:
            RefusedError: There is no such game, or no room has such options.
        """
        game = self.games.get(request.game)
        if game is None:
            raise RefusedError(ErrorCode.UNSUPPORTED, {"games": list(self.games)})
        if request.options is not None:
            try:
                _, options = parse_options(game, request.options, self.config.clocks)
            except RuleError as error:
                raise refusal(error) from None
            return catalog_of(game, options)
        if game.id not in self._catalogs:
            self._catalogs[game.id] = catalog_of(game)
        return self._catalogs[game.id]

    def _game_info(self, game: Game[Any, Any]) -> m.GameInfo:
        schema = dict(game.options_schema())
        own = schema.get("properties")
        clocks = clock_schema(self.config.clocks, game.paces)
        schema["properties"] = {**(own if isinstance(own, dict) else {}), **clocks}
        least, most = game.seats
        return m.GameInfo(
            id=game.id,
            rules=game.rules,
            seats=m.SeatRange(least, most),
            name=m.Text(game.name.ja, game.name.en),
            options=schema,
            windows=tuple(
                m.WindowInfo(
                    w.kind, m.Text(w.name.ja, w.name.en), m.Text(w.text.ja, w.text.en), w.passes
                )
                for w in game.windows
            ),
        )


def _limit(what: str, most: int) -> RefusedError:
    return RefusedError(ErrorCode.LIMIT_REACHED, {"limit": most, "what": what})
