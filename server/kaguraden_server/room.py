"""One room: a task that owns its state and does one thing at a time.

Whoever wants something of a room puts it into the room's mailbox and waits for the answer (`ask`);
what merely may have changed (somebody came or went, a bot ended) is a `nudge`. The task takes one
entry after another; what an entry means is in `orders`. Between entries it looks after the game's
clock, and after the people in it (`gathering`).

In time is what was read in time. Each request carries the stamp of its frame, and the clocks that
ended before that stamp are run out first. When a clock ends, what those who are asked had sent
before its end and is still on its way is waited for, a short while at most; what comes meanwhile
and was read later is served afterwards, in the order of the stamps.

A move is worked out, then recorded, then adopted and told (`play`): no update and no reply that a
step causes is queued before `record` returns. The updates come before the reply.

An error in the rules ends that one request with `internal` and leaves the table as it was. The
third closes the room, and no other room notices.
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import attrs
import trio
from attrs import define, field
from kaguraden_protocol import messages as m
from kaguraden_protocol.errors import ErrorCode, NoticeCode, RefusedError
from kaguraden_rules.kernel import RuleError, SeatId

from .gathering import Gathering
from .keeper import RETRY_S
from .keeping import keep_room, line_entry, room_entry, step_entry
from .orders import carry_out
from .refusals import refusal
from .table import Played, Table

if TYPE_CHECKING:
    from .connection import Connection
    from .journal.entries import Entry
    from .keeping import KeptRoom
    from .users import User

__all__ = ["Asked", "Errand", "Room"]

MAILBOX = 64  # requests; a connection has one at a time in it, the others wait outside
MAX_FAULTS = 3
FAULT_PAUSE_S = 1.0  # before a clock that the rules could not run out is tried again
PUNCTUAL_S = 0.5  # how long requests read in time may still be on their way
PUNCTUAL_STEP_S = 0.01
READS = (m.Sync, m.Replay)  # requests that change nothing that is kept
# Requests that may be done again: then what they ask for holds, whatever happened meanwhile.
REPEATABLE = (m.Join, m.Deck, m.Ready, m.Auto, m.Pause, m.Act)
CLOSED_S = 1.0  # how far the clock of a day's challenge may lag behind the day


@define(eq=False)
class _Waits:
    """An entry of a room's mailbox, and where its answer goes."""

    result: m.Result | None = field(default=None, init=False)
    refused: RefusedError | None = field(default=None, init=False)
    done: trio.Event = field(factory=trio.Event, init=False)

    def succeed(self, result: m.Result | None) -> None:
        """Answer with a result."""
        self.result = result
        self.done.set()

    def fail(self, refused: RefusedError) -> None:
        """Answer with a refusal."""
        self.refused = refused
        self.done.set()


@define(eq=False)
class Asked(_Waits):
    """A request of somebody."""

    request: m.Request
    user: User
    connection: Connection
    stamp: float


@define(eq=False)
class Errand(_Waits):
    """Something that who runs the server wants of a room."""

    work: Callable[[Room], Awaitable[None]]
    stamp: float


class Room(Gathering):
    """A room of the house, with the task that owns it."""

    def __init__(self, *args: Any, **fields: Any) -> None:  # noqa: ANN401 - as a gathering's
        super().__init__(*args, **fields)
        self._send, self._mailbox = trio.open_memory_channel[Asked | Errand | None](MAILBOX)
        self._deferred: list[Asked | Errand] = []  # taken from the mailbox, by stamp
        self._is_nudged = False  # a nudge is in the mailbox
        self._is_changed = False  # somebody came or went since the last look
        self._faults = 0
        self._steps = 0  # of the game, in the journal
        self._kept: tuple[m.Phase, KeptRoom] | None = None  # as the journal has it
        self._unkept: dict[str, tuple[m.Request, m.Result | None]] = {}  # by user: done, not kept
        self._save_at = math.inf  # when what could not be written is tried again
        self._reveals_at = math.inf  # when a day's challenge that is over here may be told of
        self._not_before = -math.inf  # no clock is run out before; after a fault of the rules

    # --- from outside ----------------------------------------------------------------------------

    async def ask(
        self, request: m.Request, user: User, connection: Connection, stamp: float
    ) -> m.Result | None:
        """Have the room do something. Cancelling does not undo what was asked.

        Raises:
            RefusedError: The room refuses, or is closed.
        """
        asked = Asked(request, user, connection, stamp)
        await self._wait_for(asked)
        return asked.result

    async def have(self, work: Callable[[Room], Awaitable[None]]) -> None:
        """Have the room's task do something at the word of who runs the server, and keep it.

        Raises:
            RefusedError: The room is closed, or it may not be kept; or the work refuses.
        """
        await self._wait_for(Errand(work, trio.current_time()))

    async def _wait_for(self, entry: Asked | Errand) -> None:
        try:
            await self._send.send(entry)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise self._gone() from None
        await entry.done.wait()
        if entry.refused is not None:
            raise entry.refused

    def nudge(self) -> None:
        """Have the room look at who is there."""
        self._is_changed = True
        if not self._is_nudged and not self.is_closed:
            self._is_nudged = True
            try:
                self._send.send_nowait(None)
            except (trio.WouldBlock, trio.ClosedResourceError):
                self._is_nudged = False  # it looks before the next request, or never will again

    async def found_again(self, user: User, address: str) -> Room:
        """Open a room with the same seats and options, and seat those who are still here.

        Their seats are theirs without asking: a table of friends goes on, and whoever does not
        want to leaves. Somebody who may be in no more rooms is not seated.

        Args:
            user: Who asks for it.
            address: Where from.

        Raises:
            RefusedError: There may be no more rooms, the asker may be in no more, or the journal
                cannot be written.
        """
        self.lobby.check_room_limits(user, address)
        again = Room(
            self.lobby,
            self.lobby.free_code(),
            self.game,
            options=self.all_options(),
            seats=len(self.seats),
            title=self.title,
            password=self.password,
            is_listed=self.is_listed,
            address=address,
        )
        for old, seat in zip(self.seats, again.seats, strict=True):
            if old.owner is None and old.bot is not None:
                with suppress(RefusedError):  # no more bots may run; the host sees an empty seat
                    again.put_bot(seat, old.bot.level, old.bot.user.name, user)
                continue
            member = self.members.get(old.owner or "")
            if member is None or member.connection is None:
                continue
            if not self.lobby.may_enter(member.user):
                continue
            seat.owner = member.user.id
            seat.deck = old.deck
            seat.passes = dict(old.passes)
            again.enter(member.user)
        still_here = self.host in again.members
        again.host = self.host if still_here else user.id
        try:
            await again.save()
        except BaseException:
            again.close("failed")
            raise
        again.greet_all()
        again.tell_changes()
        self.lobby.open(again)
        return again

    def restored(self, kept: KeptRoom, steps: int) -> None:
        """Note what the journal has of the room, which was rebuilt from it.

        Args:
            kept: Its document.
            steps: How many steps of its game there are.
        """
        self._kept = self.phase, kept
        self._steps = steps
        if self.phase is m.Phase.OVER:
            self._note_over()

    # --- the task --------------------------------------------------------------------------------

    async def run(self) -> None:
        """Do what is asked until the room is closed."""
        with self._send, self._mailbox:
            try:
                self.look()
                while not self.is_closed:
                    await self._turn()
            except Exception as error:
                self.log.fault("room_failed", error)
                self.close("failed")
            finally:
                self._refuse_the_rest()
                # A room is part of cycles, and the collector comes seldom: what is big goes now.
                self.table = None
                self.chat.clear()

    async def _turn(self) -> None:
        if not self._deferred:
            entry: Asked | Errand | None = None
            with trio.move_on_at(self.next_time()):
                entry = await self._mailbox.receive()
            if entry is None:
                self._is_nudged = False
                await self._run_clocks(math.nextafter(trio.current_time(), math.inf))
                await self._look_again()
                return
            self._defer(entry)
        await self._run_clocks(self._deferred[0].stamp)
        await self._serve(self._deferred.pop(0))

    def _defer(self, entry: Asked | Errand) -> None:
        """Keep a request for its turn: they are served in the order of their stamps."""
        insort(self._deferred, entry, key=lambda asked: asked.stamp)

    async def _serve(self, asked: Asked | Errand) -> None:
        try:
            if self._is_changed:
                await self._look_again()
            if self.is_closed:
                raise self._gone()
            await self._be_writable(asked)
            result = await self._do(asked)
        except RefusedError as refused:
            self._mind_refusal(refused)
            asked.fail(refused)
        except RuleError as error:
            asked.fail(refusal(error))
        except Exception as error:
            asked.fail(RefusedError(ErrorCode.INTERNAL, {"reference": self.note_fault(error)}))
        else:
            self._active = trio.current_time()
            await self._look_after()
            asked.succeed(result)
        finally:
            if not asked.done.is_set():
                asked.fail(self._gone())  # nobody waits for ever

    async def _do(self, asked: Asked | Errand) -> m.Result | None:
        """Do what is asked and keep it, or only keep it if it was done before and could not be.

        Raises:
            RefusedError, RuleError: It is refused, or may not be kept.
        """
        if isinstance(asked, Errand):
            await asked.work(self)
            await self.save()
            return None
        if isinstance(asked.request, READS):
            return await carry_out(self, asked)
        user, what = asked.user.id, attrs.evolve(asked.request, id=0)
        before = self._unkept.pop(user, None)
        if before is not None and before[0] == what and not isinstance(what, REPEATABLE):
            result = before[1]
        else:
            result = await carry_out(self, asked)
        try:
            await self.save()
        except RefusedError:
            self._unkept[user] = what, result
            raise
        return result

    async def _look_again(self) -> None:
        """Bring the room up to date with who is there, and tell what changed."""
        if self.is_closed:
            return
        self._is_changed = False
        self.look()
        if self.is_closed:
            return
        try:
            await self._mind_pauses()
            await self._mind_reveal()
            await self.save()
        except RefusedError as refused:
            self._mind_refusal(refused)
        self.tell_changes()

    async def _look_after(self) -> None:
        """Look again after what was done; a fault in that does not undo it."""
        try:
            await self._look_again()
        except Exception as error:
            self.note_fault(error)

    def note_fault(self, error: Exception) -> str:
        """Note an error in the rules; the third closes the room."""
        self._faults += 1
        reference = self.log.fault("rules_failed", error)
        if self._faults >= MAX_FAULTS:
            self.close("failed")
        return reference

    def _refuse_the_rest(self) -> None:
        while True:
            try:
                entry = self._deferred.pop(0) if self._deferred else self._mailbox.receive_nowait()
            except (trio.WouldBlock, trio.EndOfChannel):
                return
            if entry is not None:
                entry.fail(self._gone())

    def _gone(self) -> RefusedError:
        return RefusedError(ErrorCode.ROOM_NOT_FOUND, {"room": self.code})

    def next_time(self) -> float:
        """Return when the room has to look after something next, its game's clock included."""
        due = self._due()
        ends = math.inf if due is None else due[0]
        return min(super().next_time(), self._reveals_at, self._save_at, ends)

    # --- the game's clock ------------------------------------------------------------------------

    def _due(self) -> tuple[float, str] | None:
        if self.table is None or self.phase is not m.Phase.PLAYING:
            return None
        clocks = self.table.clocks
        day = clocks.day
        if day is not None and self._is_long_closed():
            return self._not_before, day.wait.id
        vacant = [seat.number for seat in self.seats if seat.is_vacant]
        due = clocks.due(vacant, self._away())
        return None if due is None else (max(due[0], self._not_before), due[1])

    def _away(self) -> dict[SeatId, float]:
        """Return the seats whose player is not there, and since when (YU-103)."""
        away: dict[SeatId, float] = {}
        for seat in self.seats:
            owner = self.members.get(seat.owner or "")
            if owner is None or owner.user.is_here or seat.away_since is None:
                continue
            if seat.bot is None or seat.bot.has_ended:  # nobody stands in
                away[seat.number] = seat.away_since
        return away

    async def _run_clocks(self, until: float) -> None:
        """Run out the clocks that ended before `until`."""
        while (due := self._due()) is not None and due[0] < until and not self.is_closed:
            await self._let_punctual_in(due[0])
            if self._due() == due:
                await self._expire(due[1])

    async def _let_punctual_in(self, end: float) -> None:
        """Serve what was read by `end`: what is here already, and what is still on its way."""
        give_up = trio.current_time() + PUNCTUAL_S
        while not self.is_closed:
            if self._deferred and self._deferred[0].stamp <= end:
                await self._serve(self._deferred.pop(0))
            elif trio.current_time() >= give_up or not self._is_somebody_on_the_way(end):
                return
            else:
                with trio.move_on_after(PUNCTUAL_STEP_S):
                    entry = await self._mailbox.receive()
                    if entry is None:
                        self._is_nudged = False
                    else:
                        self._defer(entry)

    def _is_somebody_on_the_way(self, end: float) -> bool:
        # Nobody else is waited for: a spectator could make every clock of the game last longer.
        asked = {} if self.table is None else self.table.game.decisions(self.table.state)
        for seat in self.seats:
            member = self.members.get(seat.player or "")
            connection = None if member is None else member.user.connection
            since = None if connection is None else connection.waiting_since
            if seat.number in asked and since is not None and since <= end:
                return True
        return False

    async def _expire(self, wait: str) -> None:
        if self.table is None:
            return
        try:
            await self.play(self.table.expire(wait, trio.current_time()))
        except RefusedError as refused:
            self._mind_refusal(refused)
            self._not_before = self._save_at
        except Exception as error:
            self._not_before = trio.current_time() + FAULT_PAUSE_S
            self.note_fault(error)

    async def _mind_pauses(self) -> None:
        """Pause the game when all people who are there ask, go on when no seat has its person."""
        table = self.table
        if table is None or self.phase is not m.Phase.PLAYING:
            return
        if table.clocks.stopped is not None:
            if not any(self.is_persons(seat) for seat in self.seats):
                await self.end_pause(table)
            return
        asked = [seat for seat in self.seats if self.is_person_here(seat)]
        if asked and all(seat.wants_pause for seat in asked):
            await self.play(table.tell(table.clocks.pause(trio.current_time())))
            self.notify_all(NoticeCode.PAUSED, {"room": self.code})

    async def _mind_reveal(self) -> None:
        """Tell the seed of a day's challenge once the day is closed (EN-128)."""
        if self._reveals_at > trio.current_time() or self.table is None:
            return
        left = self._closed_in_s()
        self._reveals_at = trio.current_time() + left if left > 0 else math.inf
        if left <= 0:
            await self.play(self.table.tell(self.table.clocks))

    def _note_over(self) -> None:
        self._over_at = trio.current_time()
        left = self._closed_in_s()
        if left > 0:
            self._reveals_at = self._over_at + left

    def _closed_in_s(self) -> float:
        """Return how long it is until everything of this game may be told."""
        return 0.0 if self.deal.day is None else max(0.0, self.lobby.daily.left_s(self.deal.day))

    def _is_long_closed(self) -> bool:
        """Tell whether the day of this game is closed though its clock has not run out.

        trio's clock may stand while the machine sleeps, and who plays on then may know the deal.
        """
        day = self.deal.day
        return day is not None and self.lobby.daily.left_s(day) < -CLOSED_S

    async def end_pause(self, table: Table) -> None:
        """Have the clocks run on."""
        await self.play(table.tell(table.clocks.resume(trio.current_time())))
        for seat in self.seats:
            seat.wants_pause = False
        self.notify_all(NoticeCode.UNPAUSED, {"room": self.code})

    # --- moves -----------------------------------------------------------------------------------

    async def play(self, played: Played) -> None:
        """Record a move, adopt it and tell everybody."""
        table = self.table
        if table is None:
            raise RuntimeError("there is no game to play")
        await self.record(table, played)
        self.publish(table, played)

    async def record(self, table: Table, played: Played, begun: KeptRoom | None = None) -> None:
        """Make a step durable; whatever it causes is told only afterwards.

        Args:
            table: The game.
            played: The step.
            begun: The room as it will be, where the step is the deal.

        Raises:
            RefusedError: It may not be; the step is not to be adopted.
        """
        keeper = self.lobby.keeper
        if keeper.journal is None:
            await trio.lowlevel.checkpoint()
            return
        now, wall = trio.current_time(), keeper.wall_ms()
        n = self._steps if begun is None else 0
        # Cards that are added may be others after a restart, under the same ids.
        marked = self.lobby.config.data.packs != ""
        entries: list[Entry] = [step_entry(self.number, n, table, played, wall, now, marked=marked)]
        if begun is not None:
            entries.append(room_entry(self, begun, m.Phase.PLAYING))
        await self._keep(*entries)
        self._steps = n + 1

    async def save(self, *more: Entry) -> None:
        """Make durable what has changed of the room and its people, or that it is closed.

        Args:
            more: What else is to be kept with it.

        Raises:
            RefusedError: It may not be.
        """
        if self.lobby.keeper.journal is None:
            await trio.lowlevel.checkpoint()
            return
        if self.closed is not None:
            await self._keep(self.closed)
            return
        phase, kept = self.phase, keep_room(self)
        entries = list(more)
        if (phase, kept) != self._kept:
            entries.append(room_entry(self, kept, phase))
        await self._keep(*entries)
        self._kept = phase, kept
        self._save_at = math.inf

    async def _keep(self, *entries: Entry) -> None:
        try:
            await self.lobby.keeper.keep(*entries)
        except BaseException:
            self._kept = None  # they may be there all the same
            raise

    async def say(self, line: m.ChatPush) -> None:
        """Tell everybody a line of chat, once it is durable if it is to be.

        Raises:
            RefusedError: It may not be, and nobody was told.
        """
        keeper = self.lobby.keeper
        entries: list[Entry] = []
        if self.lobby.config.data.chat:
            entries.append(line_entry(self.number, line, keeper.wall_ms()))
        before, self.lines = self.lines, line.n
        try:
            await self.save(*entries)
        except RefusedError:
            self.lines = before
            raise
        self.chat.append(line)
        for other in self.members.values():
            if other.connection is not None:
                other.connection.push(line)

    async def _be_writable(self, asked: Asked | Errand) -> None:
        """Refuse at once what could not be kept, before it changes anything.

        Raises:
            RefusedError: The journal cannot be written.
        """
        journal = self.lobby.keeper.journal
        is_read = isinstance(asked, Asked) and isinstance(asked.request, READS)
        if journal is not None and journal.is_down and not is_read:
            await self.lobby.keeper.keep(room_entry(self, keep_room(self), self.phase))

    def _mind_refusal(self, refused: RefusedError) -> None:
        """Try again later what could not be written."""
        if refused.code is ErrorCode.UNAVAILABLE:
            self._save_at = trio.current_time() + RETRY_S

    def publish(self, table: Table, played: Played) -> None:
        """Adopt a move and queue the updates of those who are there."""
        updates = dict(table.commit(played))
        self.lobby.counts.steps[self.game.id] += 1
        for member in self.members.values():
            if member.connection is None or not member.is_synced:
                continue
            stream = self.stream_of(table, member)
            update = updates.get(stream)
            if update is not None:
                member.connection.outbox.put_update(stream, update)
        if self.phase is m.Phase.PLAYING and table.outcome is not None:
            self.phase = m.Phase.OVER
            self._note_over()
            self.log.info("game_over", inputs=len(table.inputs))
            self.lobby.game_over(self, table)
