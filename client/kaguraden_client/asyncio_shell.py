"""The session over a WebSocket under asyncio. See `shell` for the interface."""

from __future__ import annotations

import asyncio
import contextlib
import random
import ssl
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TypeAlias

from attrs import define, field
from kaguraden_protocol import messages
from kaguraden_protocol.versions import SUBPROTOCOL
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException
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
    RequestFailed,
    SessionStopped,
    explain,
    proxy_for,
    without_zone,
)
from .table import Json

__all__ = ["Client", "Connect", "open_client"]

Connect: TypeAlias = Callable[[], AbstractAsyncContextManager[ClientConnection]]


def _now() -> float:
    return asyncio.get_running_loop().time()


@define(eq=False)
class Client:
    """A session with a connection under it. Made by `open_client`."""

    url: str
    session: Session
    _connect: Connect
    _delay: Callable[[int, ComeBack], float]
    _events: asyncio.Queue[Event | None] = field(
        factory=lambda: asyncio.Queue(EVENTS_BUFFER), init=False
    )
    _waiters: dict[int, asyncio.Future[Answered | Failed | None]] = field(factory=dict, init=False)
    _kick: asyncio.Event = field(factory=asyncio.Event, init=False)
    _closing: asyncio.Event = field(factory=asyncio.Event, init=False)
    _stopped: Stopped | None = field(default=None, init=False)
    _done: bool = field(default=False, init=False)
    fault: BaseException | None = field(default=None, init=False)
    """What broke in here and so ended the session, if that is how it ended."""

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
        self._kick.set()

    def events(self) -> AsyncIterator[Event]:
        """Iterate over what happens, except replies to `request`, until the session is over."""
        return self

    def __aiter__(self) -> Client:
        return self

    async def __anext__(self) -> Event:
        if self._done and self._events.empty():
            raise StopAsyncIteration
        event = await self._events.get()
        if event is None:
            raise StopAsyncIteration
        return event

    async def aclose(self) -> None:
        """Close the connection and end the session, within `CLOSE_SECONDS`."""
        self._closing.set()

    # --- inside ----------------------------------------------------------------------------------

    async def _wait_for(self, ask: Callable[[], int]) -> Mapping[str, Json]:
        if self._done or self.session.state is State.STOPPED:
            raise SessionStopped(self._stopped, self.fault)
        request_id = ask()
        # Several may wait for one answer, so who is cancelled leaves the waiter to the others.
        reply = self._waiters.get(request_id)
        if reply is None:
            reply = self._waiters[request_id] = asyncio.get_running_loop().create_future()
        self.flush()
        match await asyncio.shield(reply):
            case Answered(result=result):
                return result
            case Failed() as failed:
                raise RequestFailed(failed)
            case None:
                raise SessionStopped(self._stopped, self.fault)

    async def _run(self, started: asyncio.Future[CannotConnect | None]) -> None:
        """Keep a connection until the session stops or the owner closes.

        Sets `started` to None once there is a connection, or to why there is none.
        """
        keeping = asyncio.create_task(self._keep_connected(started))
        closing = asyncio.create_task(self._closing.wait())
        try:
            await asyncio.wait((keeping, closing), return_when=asyncio.FIRST_COMPLETED)
            if not keeping.done() and started.done():  # else there is nobody to say goodbye to
                await asyncio.wait((keeping,), timeout=CLOSE_SECONDS)
        finally:
            await _cancel(closing)
            await _cancel(keeping)
            self._done = True
            self.fault = None if keeping.cancelled() else keeping.exception()
            for reply in self._waiters.values():
                reply.set_result(None)
            with contextlib.suppress(asyncio.QueueFull):
                self._events.put_nowait(None)
        if not keeping.cancelled():
            keeping.result()  # a bug in the shell must not pass silently

    async def _keep_connected(self, started: asyncio.Future[CannotConnect | None]) -> None:
        attempt = 0  # since a connection was good for something
        verdict = ComeBack()
        while self.session.state is not State.STOPPED:
            if self.session.waits:
                await self._wait_for_introduction()
                attempt = 0
            if attempt:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self._delay(attempt, verdict)):
                        await self._closing.wait()
            if self._closing.is_set():
                return
            attempt += 1
            async with AsyncExitStack() as stack:
                try:
                    ws = await stack.enter_async_context(self._connect())
                except (OSError, WebSocketException, ValueError, EOFError) as error:
                    if not started.done():
                        started.set_result(CannotConnect.because(error, self.url))
                        return
                    failure = explain(error, self.url)
                    if failure.final:
                        await self._deliver(self.session.stop(failure.ja, failure.en))
                    continue
                if not started.done():
                    started.set_result(None)
                if await self._converse(ws):
                    attempt = 1
            code, reason = ws.close_code or ABNORMAL, ws.close_reason or ""
            came = after_close(code, reason)
            verdict = came if isinstance(came, ComeBack) else ComeBack()
            if not self._closing.is_set():
                await self._deliver(self.session.lost(code, reason, _now()))

    async def _wait_for_introduction(self) -> None:
        """Return when the user has said a better name or password, or closes."""
        closing = asyncio.create_task(self._closing.wait())
        while self.session.waits and not closing.done():
            self._kick.clear()
            kick = asyncio.create_task(self._kick.wait())
            await asyncio.wait((kick, closing), return_when=asyncio.FIRST_COMPLETED)
            await _cancel(kick)
        await _cancel(closing)

    async def _converse(self, ws: ClientConnection) -> bool:
        """Read and write until the connection ends; return whether hello was answered."""
        self.session.connected(_now())
        self.flush()
        helpers = [
            asyncio.create_task(self._write(ws)),
            asyncio.create_task(self._close_when_closing(ws)),
        ]
        try:
            await self._read(ws)
        finally:
            for helper in helpers:
                await _cancel(helper)
        return self.session.state is State.OPEN

    async def _read(self, ws: ClientConnection) -> None:
        while self.session.state is not State.STOPPED:
            try:
                data = await ws.recv()
            except ConnectionClosed:
                return
            text = data if isinstance(data, str) else ""  # binary frames mean nothing here
            await self._deliver(self.session.receive(text, _now()))
            self.flush()

    async def _write(self, ws: ClientConnection) -> None:
        while True:
            self._kick.clear()  # before looking, so that no kick is missed
            for text in self.session.outgoing(_now()):
                try:
                    async with asyncio.timeout(SEND_SECONDS):
                        await ws.send(text)
                except ConnectionClosed:
                    return  # the reader sees it too
                except TimeoutError:  # nobody reads at the other end
                    ws.transport.abort()
                    return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(self.session.wake_at):
                    await self._kick.wait()

    async def _close_when_closing(self, ws: ClientConnection) -> None:
        await self._closing.wait()
        await ws.close()

    async def _deliver(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Stopped):
                self._stopped = event
            if isinstance(event, Answered | Failed):
                reply = self._waiters.pop(event.id, None)
                if reply is not None:
                    reply.set_result(event)
                    continue
            await self._events.put(event)


async def _cancel(task: asyncio.Task[object]) -> None:
    """Cancel a task and wait until it has ended."""
    task.cancel()
    await asyncio.wait((task,))


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
    client = Client(
        url,
        session,
        connect_with or partial(_connect_tcp, url, pin),
        delay or (lambda attempt, verdict: delay_before(attempt, verdict, random.random())),  # noqa: S311 - spreads load, hides nothing
    )
    started: asyncio.Future[CannotConnect | None] = asyncio.get_running_loop().create_future()
    running = asyncio.create_task(client._run(started))
    try:
        await asyncio.wait((started, running), return_when=asyncio.FIRST_COMPLETED)
        if not started.done():
            running.result()  # it broke before it came to a connection
        error = await started
        if error is not None:
            raise error
        yield client
    finally:
        await client.aclose()
        await asyncio.wait((running,))
    running.result()


@asynccontextmanager
async def _connect_tcp(url: str, pin: str | None) -> AsyncIterator[ClientConnection]:
    async with AsyncExitStack() as stack:
        try:
            ws = await stack.enter_async_context(_dial(url, pin))
        except ssl.SSLCertVerificationError as error:
            try:
                await _dial(url, NO_PIN_FITS)
            except CertificateRefused as refused:
                raise refused.unpinned(error) from None
            raise  # never: no pin fits
        yield ws


def _dial(url: str, pin: str | None) -> connect:
    bare, host = without_zone(url)
    return connect(
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
