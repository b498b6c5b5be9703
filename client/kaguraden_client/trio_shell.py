"""The session over a WebSocket under trio. See `shell` for the interface."""

from __future__ import annotations

import math
import random
import ssl
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TypeAlias

import trio
from attrs import define, field
from kaguraden_protocol import messages
from kaguraden_protocol.versions import SUBPROTOCOL
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.trio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from .comeback import ABNORMAL, ComeBack, after_close, delay_before
from .pins import NO_PIN_FITS, CertificateRefused, check_pin, tls_context
from .session import Answered, Event, Failed, Session, State, Stopped
from .shell import (
    CLOSE_SECONDS,
    EVENTS_BUFFER,
    MAX_TEXT_BYTES,
    OPEN_SECONDS,
    SEND_SECONDS,
    CannotConnect,
    NoWayBack,
    RequestFailed,
    SessionStopped,
    explain,
    proxy_for,
    without_zone,
)
from .table import Json
from .transport import Transport

__all__ = ["Client", "Connect", "WebSocketTransport", "open_client", "open_over"]

Connect: TypeAlias = Callable[[], AbstractAsyncContextManager[Transport]]


@define(eq=False)
class WebSocketTransport:
    """A WebSocket as a transport: every send has a deadline, the end has a close code."""

    ws: ClientConnection

    async def send(self, text: str) -> None:
        """Send a text, or cut the connection if the other end does not read.

        A send that is cancelled leaves a torn frame, so cancelling cuts the connection too.
        """
        done = False
        try:
            with trio.move_on_after(SEND_SECONDS):
                await self.ws.send(text)
                done = True
        except ConnectionClosed:
            raise EOFError from None
        finally:
            if not done:
                await trio.aclose_forcefully(self.ws.stream)
        if not done:
            raise EOFError

    async def receive(self) -> str:
        """Return the next text; a binary frame is an empty one, which means nothing."""
        try:
            data = await self.ws.recv()
        except ConnectionClosed:
            raise EOFError from None
        return data if isinstance(data, str) else ""

    async def aclose(self) -> None:
        """Say goodbye."""
        await self.ws.aclose()

    @property
    def close_code(self) -> int | None:
        """Return the close code, None before the end."""
        return self.ws.close_code

    @property
    def close_reason(self) -> str | None:
        """Return the close reason, None before the end."""
        return self.ws.close_reason


@define(eq=False)
class _Waiter:
    done: trio.Event = field(factory=trio.Event)
    reply: Answered | Failed | None = None


@define(eq=False)
class Client:
    """A session with a connection under it. Made by `open_client`."""

    url: str
    session: Session
    _connect: Connect
    _delay: Callable[[int, ComeBack], float]
    _send_events: trio.MemorySendChannel[Event]
    _events: trio.MemoryReceiveChannel[Event]
    _waiters: dict[int, _Waiter] = field(factory=dict, init=False)
    _kick: trio.Event = field(factory=trio.Event, init=False)
    _closing: trio.Event = field(factory=trio.Event, init=False)
    _stopped: Stopped | None = field(default=None, init=False)
    _done: bool = field(default=False, init=False)

    async def request(self, request: messages.Request) -> Mapping[str, Json]:
        """Send a request and return its result.

        Cancelling does not take the request back; nobody hears of its reply then.

        Raises:
            RequestFailed: The server refused it, or the connection was lost on the way.
            SessionStopped: The session ended.
        """
        return await self._wait_for(lambda: self.session.request(request))

    async def act(
        self, room: str, decision: str, option: str, value: int | Sequence[str] | None = None
    ) -> Mapping[str, Json]:
        """Answer a decision and return when the table shows it. Raises as `request`."""
        return await self._wait_for(lambda: self.session.act(room, decision, option, value))

    def flush(self) -> None:
        """Send what was asked of the session itself: `client.session.act(…); client.flush()`."""
        kick, self._kick = self._kick, trio.Event()
        kick.set()

    def events(self) -> AsyncIterator[Event]:
        """Iterate over what happens, except replies to `request`, until the session is over."""
        return self._events

    async def aclose(self) -> None:
        """Close the connection and end the session, within `CLOSE_SECONDS`."""
        self._closing.set()
        await trio.lowlevel.checkpoint()

    # --- inside ----------------------------------------------------------------------------------

    async def _wait_for(self, ask: Callable[[], int]) -> Mapping[str, Json]:
        if self._done or self.session.state is State.STOPPED:
            raise SessionStopped(self._stopped)
        request_id = ask()
        # Several may wait for one answer, so who is cancelled leaves the waiter to the others.
        waiter = self._waiters.setdefault(request_id, _Waiter())
        self.flush()
        await waiter.done.wait()
        match waiter.reply:
            case Answered(result=result):
                return result
            case Failed() as failed:
                raise RequestFailed(failed)
            case None:
                raise SessionStopped(self._stopped)

    async def _run(self, *, task_status: trio.TaskStatus[CannotConnect | None]) -> None:
        """Keep a connection until the session stops or the owner closes.

        Starts with None once there is a connection, or with why there is none.
        """
        try:
            with self._send_events:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._cancel_when_closing, nursery.cancel_scope)
                    await self._keep_connected(task_status)
                    nursery.cancel_scope.cancel()
        finally:
            self._done = True
            for waiter in self._waiters.values():
                waiter.done.set()

    async def _cancel_when_closing(self, scope: trio.CancelScope) -> None:
        await self._closing.wait()
        scope.deadline = min(scope.deadline, trio.current_time() + CLOSE_SECONDS)

    async def _keep_connected(self, task_status: trio.TaskStatus[CannotConnect | None]) -> None:
        attempt = 0  # since a connection was good for something
        verdict = ComeBack()
        is_first = True
        while self.session.state is not State.STOPPED:
            if self.session.waits:
                await self._wait_for_introduction()
                attempt = 0
            if attempt:
                with trio.move_on_after(self._delay(attempt, verdict)):
                    await self._closing.wait()
            if self._closing.is_set():
                return
            attempt += 1
            async with AsyncExitStack() as stack:
                try:
                    transport = await stack.enter_async_context(self._connect())
                except (OSError, WebSocketException, ValueError, EOFError) as error:
                    if is_first:
                        task_status.started(CannotConnect.because(error, self.url))
                        return
                    failure = explain(error, self.url)
                    if failure.final:
                        await self._deliver(self.session.stop(failure.ja, failure.en))
                    continue
                if is_first:
                    task_status.started(None)
                    is_first = False
                if await self._converse(transport):
                    attempt = 1
            code = getattr(transport, "close_code", None) or ABNORMAL
            reason = getattr(transport, "close_reason", None) or ""
            came = after_close(code, reason)
            verdict = came if isinstance(came, ComeBack) else ComeBack()
            if not self._closing.is_set():
                await self._deliver(self.session.lost(code, reason, trio.current_time()))

    async def _wait_for_introduction(self) -> None:
        """Return when the user has said a better name or password, or closes."""
        async with trio.open_nursery() as nursery:

            async def look_at_closing() -> None:
                await self._closing.wait()
                nursery.cancel_scope.cancel()

            nursery.start_soon(look_at_closing)
            while self.session.waits:
                await self._kick.wait()
            nursery.cancel_scope.cancel()

    async def _converse(self, transport: Transport) -> bool:
        """Read and write until the connection ends; return whether hello was answered."""
        self.session.connected(trio.current_time())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._write, transport)
            nursery.start_soon(self._close_when_closing, transport)
            await self._read(transport)
            nursery.cancel_scope.cancel()
        return self.session.state is State.OPEN

    async def _read(self, transport: Transport) -> None:
        while self.session.state is not State.STOPPED:
            try:
                text = await transport.receive()
            except EOFError:
                return
            await self._deliver(self.session.receive(text, trio.current_time()))
            self.flush()

    async def _write(self, transport: Transport) -> None:
        while True:
            kick = self._kick  # taken before looking, so that no kick is missed
            for text in self.session.outgoing(trio.current_time()):
                try:
                    await transport.send(text)
                except EOFError:
                    return  # the reader sees it too
            wake_at = self.session.wake_at
            with trio.CancelScope(deadline=math.inf if wake_at is None else wake_at):
                await kick.wait()

    async def _close_when_closing(self, transport: Transport) -> None:
        await self._closing.wait()
        await transport.aclose()

    async def _deliver(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Stopped):
                self._stopped = event
            if isinstance(event, Answered | Failed):
                waiter = self._waiters.pop(event.id, None)
                if waiter is not None:
                    waiter.reply = event
                    waiter.done.set()
                    continue
            await self._send_events.send(event)


@asynccontextmanager
async def open_client(
    url: str,
    session: Session,
    *,
    pin: str | None = None,
    connect_with: Connect | None = None,
    delay: Callable[[int, ComeBack], float] | None = None,
) -> AsyncIterator[Client]:
    """Connect to a server and keep connected while the block runs.

    Args:
        url: Such as `ws://192.168.1.5:8765/ws`.
        session: A fresh session.
        pin: The fingerprint of the only certificate to accept, 64 hexadecimal digits; by default
            one that an authority vouches for.
        connect_with: Opens one connection; by default over TCP to `url`.
        delay: Seconds before an attempt to come back, from its number and what the close asks.

    Raises:
        CannotConnect: The first attempt failed.
        ValueError: There is a pin, but `url` is not wss.
    """
    check_pin(url, pin)
    send_events, events = trio.open_memory_channel[Event](EVENTS_BUFFER)
    client = Client(
        url,
        session,
        connect_with or partial(_connect_tcp, url, pin),
        delay or (lambda attempt, verdict: delay_before(attempt, verdict, random.random())),  # noqa: S311 - spreads load, hides nothing
        send_events,
        events,
    )
    error: Exception | None = None
    async with trio.open_nursery() as nursery:
        error = await nursery.start(client._run)
        if error is None:
            try:
                yield client
            except Exception as raised:
                error = raised
            await client.aclose()
    if error is not None:
        raise error


@asynccontextmanager
async def _connect_tcp(url: str, pin: str | None) -> AsyncIterator[Transport]:
    async with AsyncExitStack() as stack:
        try:
            ws = await stack.enter_async_context(_dial(url, pin))
        except ssl.SSLCertVerificationError as error:
            try:
                async with _dial(url, NO_PIN_FITS):
                    raise  # never: no pin fits
            except CertificateRefused as refused:
                raise refused.unpinned(error) from None
        yield WebSocketTransport(ws)


@asynccontextmanager
async def _dial(url: str, pin: str | None) -> AsyncIterator[ClientConnection]:
    async with AsyncExitStack() as stack:
        bare, host = without_zone(url)
        connecting = connect(
            bare,
            host=host,
            ssl=tls_context(pin) if url.startswith("wss:") else None,
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            compression=None,
            max_size=MAX_TEXT_BYTES,
            proxy=proxy_for(url),
            open_timeout=OPEN_SECONDS,
            close_timeout=CLOSE_SECONDS,
        )
        try:
            ws = await stack.enter_async_context(connecting)
        except trio.BrokenResourceError as error:  # during the TLS handshake
            if isinstance(error.__cause__, ssl.SSLError):
                raise error.__cause__ from None
            raise ConnectionResetError from error
        yield ws


@asynccontextmanager
async def open_over(transport: Transport, session: Session) -> AsyncIterator[Client]:
    """Like `open_client` over a connection that is there already; when it ends, the session does."""
    unused = [transport]

    @asynccontextmanager
    async def once() -> AsyncIterator[Transport]:
        if not unused:
            raise NoWayBack
        yield unused.pop()

    async with open_client("", session, connect_with=once, delay=lambda *_: 0.0) as client:
        yield client
