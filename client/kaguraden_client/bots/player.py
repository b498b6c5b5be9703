"""A bot at a table: it gets ready, and answers what its seat is asked, until the game is over.

The player knows no game. It looks at its session after every event and says what it would do now;
how to choose is the policy's business. An open decision is answered once, and only while the view
says that the seat is asked: in open biddings a decision stays open to a seat that is done.

A policy that is slow chooses in another thread, one bot at a time, so that neither its own session
nor the server that it runs in has to wait for it. What it chose is sent if the decision is still
open by then.

A game may give the bots of a room a pace, so that timing tells nothing of what they hold (YU-102):
each decision is then answered that long after it was asked, however long the choice took.
"""

from __future__ import annotations

import copy
import secrets
from collections.abc import Callable
from functools import partial
from typing import Final

import trio
from attrs import define, field
from kaguraden_protocol import messages
from kaguraden_protocol.codec import decode_result
from kaguraden_protocol.errors import RemoteProtocolError
from kaguraden_protocol.messages import CatalogResult, Decision, Phase

from ..session import (
    Answered,
    Event,
    Failed,
    HelloRefused,
    Opened,
    RoomChanged,
    RoomLeft,
    Session,
    Stopped,
)
from ..table import Json, Table
from ..trio_shell import Client
from .policy import Catalog, Choice, Policy, SlowPolicy

__all__ = ["MAX_ANSWERED", "Player", "Think", "no_thought"]

MAX_ANSWERED: Final = 256  # decision ids remembered; only the newest can be open still

MAX_PACE_S: Final = 600  # no server may have a bot wait for ever

THINKERS: Final = 1  # one core at most goes to bots; threads of Python share one anyhow

Think = Callable[[Table, Decision], float]


_limiter: trio.lowlevel.RunVar[trio.CapacityLimiter] = trio.lowlevel.RunVar("slow bots")


def _thinkers() -> trio.CapacityLimiter:
    """Return what all slow bots of this event loop share."""
    try:
        return _limiter.get()
    except LookupError:
        limiter = trio.CapacityLimiter(THINKERS)
        _limiter.set(limiter)
        return limiter


def no_thought(_table: Table, _decision: Decision) -> float:
    """Answer at once."""
    return 0.0


@define(eq=False)
class Player:
    """Plays one seat of one room.

    Args:
        room: The room's code.
        policy: How to choose.
        think: Seconds to wait before an answer, for the people at the table; a room with a pace for
            its bots asks nobody to think.
        keeps_pace: Whether to keep to that pace, rather than to answer as soon as may be.
        on_event: Is told every event, after the session has folded it.
        leaves: Whether to end when the game is over, rather than when the connection is.
        password: The room's, to join one that is locked.
    """

    session: Session
    room: str
    policy: Policy
    think: Think = no_thought
    keeps_pace: bool = True
    on_event: Callable[[Event], None] = lambda _event: None
    leaves: bool = True
    password: str | None = None
    refusals: list[Failed] = field(factory=list, init=False)  # of answers; a good server has none
    _catalog: Catalog | None = field(default=None, init=False)
    _cards_of: tuple[str, dict[str, Json] | None] | None = field(default=None, init=False)
    _nonce: str = field(factory=lambda: secrets.token_hex(16), init=False)
    _answered: dict[str, None] = field(factory=dict, init=False)
    _over: bool = field(default=False, init=False)
    _changed: trio.Event = field(factory=trio.Event, init=False)

    @property
    def table(self) -> Table | None:
        """The table, once the session knows it."""
        return self.session.rooms.get(self.room)

    async def play(self, client: Client) -> None:
        """Play until the game is over, the room is left or the session ends."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._listen, client)
            while not self._over:
                changed = self._changed
                decision = self.due()
                if decision is None or self.table is None:
                    await changed.wait()
                    continue
                pace = self._pace(self.table)
                if pace is None:
                    await self._linger(decision, self.think(self.table, decision))
                    await self._respond(decision)
                else:
                    await self._respond(decision, trio.current_time() + pace)
                client.flush()
                await trio.lowlevel.checkpoint()
            nursery.cancel_scope.cancel()

    async def _listen(self, client: Client) -> None:
        async for event in client.events():
            self.take(event)
            client.flush()
            self._wake()
        self._over = True
        self._wake()

    def _wake(self) -> None:
        changed, self._changed = self._changed, trio.Event()
        changed.set()

    def _pace(self, table: Table) -> float | None:
        """Return how long after being asked the bots of this room answer, if it says so."""
        pace = None if table.info is None else table.info.options.get("bot_pace")
        if not self.keeps_pace or not isinstance(pace, int) or isinstance(pace, bool):
            return None
        return max(0, min(pace, MAX_PACE_S))

    async def _linger(self, decision: Decision, seconds: float) -> None:
        """Wait so long, or until the decision is no longer due."""
        if seconds > 0:
            with trio.move_on_after(seconds):
                await self._wait_gone(decision)

    async def _wait_gone(self, decision: Decision) -> None:
        while self.due() == decision:
            await self._changed.wait()

    async def _respond(self, decision: Decision, not_before: float = 0) -> None:
        """Choose and answer, if the decision is due by then; cancelling leaves it unanswered."""
        if self.table is None or self.due() != decision:
            return
        if isinstance(self.policy, SlowPolicy) and self.policy.is_slow(self.table):
            choice = await self._ponder(self.policy, self.table, decision)
        else:
            choice = self.choose(self.table, decision)
        await self._linger(decision, not_before - trio.current_time())
        self.answer(decision, choice)

    async def _ponder(self, policy: SlowPolicy, table: Table, decision: Decision) -> Choice | None:
        """Choose in another thread. That of a cancelled bot ends by itself, and others wait for it."""
        still = copy.copy(table)
        still.log = table.log.copy()
        work = partial(policy.decide, still, decision, self._catalog or {})
        return await trio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=_thinkers())

    # --- the part without waiting ----------------------------------------------------------------

    def take(self, event: Event) -> None:
        """Take note of what happened; what that asks for is queued in the session."""
        match event:
            case Opened(hello=hello):
                if not any(place.room == self.room for place in hello.rooms):
                    join = messages.Join(
                        id=0, room=self.room, as_=messages.Role.PLAYER, password=self.password
                    )
                    self.session.request(join)
            case RoomChanged(room=self.room):
                self._get_ready()
            case RoomLeft(room=self.room) | Stopped():
                self._over = True
            case Failed(request=messages.Act()):
                if event.code not in ("stale", "not_your_decision"):
                    self.refusals.append(event)
            case Failed(request=messages.Catalog() as asked):
                if self._is_wanted(asked):
                    self._catalog = {}  # then the policy does without
            case Failed(request=messages.Join()) | HelloRefused():
                self._over = True
            case Answered(request=messages.Join(), result=result) if result.get("seat") is None:
                self._over = True  # only a spectator's place: nothing to play
            case Answered(request=messages.Join(), result=result):
                self.room = str(result.get("room"))  # as the server writes the code
                self._get_ready()  # the room was told before the seat in it
            case Answered(request=messages.Catalog() as asked):
                if self._is_wanted(asked):
                    try:
                        self._catalog = decode_result(CatalogResult, dict(event.result)).cards
                    except RemoteProtocolError:
                        self._catalog = {}
            case _:
                pass
        self._ask_for_catalog()
        if self.leaves and self.table is not None and self.table.is_over:
            self._over = True
        self.on_event(event)

    def _ask_for_catalog(self) -> None:
        """Ask for the cards of the room, and again when its host has chosen other options.

        If nobody has told of the room yet, the view says which game it is.
        """
        table = self.table
        if table is None:
            return
        game, options = table.view.get("game"), None
        if table.info is not None:
            game, options = table.info.game, table.info.options
        elif self._cards_of is not None:
            return
        if isinstance(game, str) and (game, options) != self._cards_of:
            self._cards_of = game, options
            self._catalog = None
            self.session.request(messages.Catalog(id=0, game=game, options=options))

    def _is_wanted(self, asked: messages.Catalog) -> bool:
        """Tell whether these are still the cards of the room."""
        return (asked.game, asked.options) == self._cards_of

    def _get_ready(self) -> None:
        table = self.table
        if table is None or table.info is None or table.info.phase != Phase.LOBBY:
            return
        mine = next((seat for seat in table.info.seats if seat.seat == table.seat), None)
        if mine is not None and mine.user is not None and not mine.ready:
            self.session.request(
                messages.Ready(id=0, room=self.room, ready=True, nonce=self._nonce)
            )

    def due(self) -> Decision | None:
        """Return a decision that is to be answered now."""
        table = self.table
        if table is None or not table.current or self._catalog is None or self._over:
            return None
        asked = table.view.get("asked")
        if isinstance(asked, list) and table.seat not in asked:
            return None
        return next((d for d in table.decisions if d.id not in self._answered), None)

    def choose(self, table: Table, decision: Decision) -> Choice | None:
        """Return what the policy answers, at once."""
        return self.policy.decide(table, decision, self._catalog or {})

    def answer(self, decision: Decision, choice: Choice | None) -> None:
        """Send what was chosen, if the decision is still to be answered."""
        if self.due() != decision:
            return
        self._answered[decision.id] = None
        if len(self._answered) > MAX_ANSWERED:
            del self._answered[next(iter(self._answered))]
        if choice is not None:
            self.session.act(self.room, decision.id, choice.option, choice.value)
