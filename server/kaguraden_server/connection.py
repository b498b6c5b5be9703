"""One connection: a reader, a dispatcher and a writer, each ending with the others.

The reader takes a frame, stamps it with the time, counts it against the rate limit and queues it;
when as many wait as a client may have pending it stops reading, and TCP holds the client back. The
dispatcher decodes and answers them one at a time, so replies come in the order of the requests. The
writer takes what is in the outbox and gives each send a deadline. Nobody but the writer ever waits
for the other end.

How it ends: the other end hangs up; or `outbox.close` was called, and the writer sends what still
waits, then the close frame; or a send missed its deadline, and the stream is cut, because a torn
frame must not be followed by anything. Closing in order has a deadline of its own.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import trio
from attrs import frozen
from kaguraden_protocol import codec
from kaguraden_protocol.errors import (
    CloseCode,
    ErrorCode,
    LocalProtocolError,
    NoticeCode,
    RefusedError,
    RemoteProtocolError,
)
from kaguraden_protocol.handshake import Listener
from kaguraden_protocol.messages import (
    Error,
    Json,
    Notice,
    Ok,
    Push,
    Reply,
    Request,
    RequestId,
    Result,
)

from . import texts
from .outbox import Goodbye, Outbox
from .requests import answer
from .wires import Binary, WireClosed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .lobby import Lobby
    from .users import User
    from .wires import Wire

__all__ = ["Connection", "TokenBucket"]

CLOSE_S = 2.0  # for the other end to answer a close frame; then the stream is cut
RETRY_SHARE = 0.25  # of a burst, that there is room for again when a refused client is to come back


class TokenBucket:
    """So many at once, so many a second; and how often somebody was over it of late."""

    def __init__(self, burst: int, per_second: int, *, abuse: int, abuse_s: float) -> None:
        self._burst = burst
        self._rate = per_second
        self._tokens = float(burst)
        self._at = -1.0
        self._refused: deque[float] = deque(maxlen=abuse)
        self._abuse_s = abuse_s

    def take(self, now: float) -> int:
        """Take one; return 0, or after how many milliseconds there will be some again.

        That is a share of the burst: whoever waits so long each time is never taken for abusive.
        """
        if self._at >= 0:
            self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now
        if self._tokens >= 1:
            self._tokens -= 1
            return 0
        self._refused.append(now)
        some = max(1.0, self._burst * RETRY_SHARE)
        return max(1, round((some - self._tokens) / self._rate * 1000))

    def is_abused(self, now: float) -> bool:
        """Tell whether so many were refused within the time that it is no accident."""
        full = len(self._refused) == self._refused.maxlen
        return full and now - self._refused[0] <= self._abuse_s


@frozen
class _Frame:
    """A frame that waits for its reply. `retry_ms` is not 0 if it is over the rate."""

    data: bytes
    stamp: float
    retry_ms: int = 0
    close: CloseCode | None = None  # after the reply
    is_void: bool = False  # no reply, only the close


class Connection:
    """The server's end of one connection. `user` is None until `hello` is granted."""

    def __init__(self, lobby: Lobby, wire: Wire, number: int, *, inside: bool = False) -> None:
        limits = lobby.config.limits
        self.lobby = lobby
        self.number = number
        self.inside = inside  # a bot of this server's own: it is not limited
        self.user: User | None = None
        self.locale = "en"
        self.watches: str | None = None  # the game whose rooms it watches, "" for all
        self.wire = wire
        self.log = lobby.log.bind(conn=number)
        self.outbox = Outbox(most=limits.queue_messages, most_bytes=limits.queue_bytes)
        self.listener = Listener(limits)
        self.limits = limits  # for as long as it lasts: they are told in the reply to `hello`
        self._bucket = TokenBucket(
            limits.burst_requests,
            limits.requests_per_second,
            abuse=limits.abuse_buckets * limits.burst_requests,
            abuse_s=limits.abuse_ms / 1000,
        )
        self._work = trio.CancelScope()  # the reader and the dispatcher
        self._opened = trio.Event()
        self._waiting: deque[float] = deque()  # stamps of frames without a reply

    @property
    def waiting_since(self) -> float | None:
        """Return the stamp of the oldest frame that has no reply yet."""
        return self._waiting[0] if self._waiting else None

    @property
    def closed_with(self) -> int | None:
        """Return the code with which this end closed it; None if the other end hung up."""
        code = self.outbox.closes_with
        return self.wire.failed_with if code in {None, CloseCode.NORMAL} else code

    async def run(self) -> None:
        """Attend to the other end until it is gone or sent away."""
        to_dispatcher, frames = trio.open_memory_channel[_Frame](self.limits.pending_requests)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._write)
            with self._work:
                async with trio.open_nursery() as workers:
                    workers.start_soon(self._read, to_dispatcher)
                    workers.start_soon(self._dispatch, frames)
                    workers.start_soon(self._wait_hello)
            if not self.outbox.is_closing:
                nursery.cancel_scope.cancel()  # the other end hung up

    def open(self, user: User) -> None:
        """Note that `hello` was granted: the connection is this user's."""
        self.user = user
        self._opened.set()

    def close(self, code: CloseCode) -> None:
        """Send the other end away, after what it is still to be told; take no more requests."""
        self.outbox.close(code)
        self._work.cancel()

    # --- telling -----------------------------------------------------------------------------

    def push(self, message: Push) -> None:
        """Queue a push that must arrive."""
        self.outbox.put(codec.encode(message, self.limits).encode())

    def push_all(self, messages: Iterable[Push]) -> None:
        """Queue pushes that must arrive and are kept elsewhere: they count as one that waits."""
        self.outbox.put_series(codec.encode(m, self.limits).encode() for m in messages)

    def notify(self, code: NoticeCode, details: dict[str, Json]) -> None:
        """Queue a notice in the session's language."""
        message = texts.notice(code, details, self.locale)
        self.push(Notice(code=code, message=message, details=details))

    def _reply(self, reply: Reply) -> None:
        try:
            text = codec.encode(reply, self.limits)
        except LocalProtocolError as error:
            re = getattr(reply, "re", None)
            reference = self.log.fault("reply_not_sendable", error)
            text = codec.encode(self._error(re, ErrorCode.INTERNAL, {"reference": reference}))
        self.outbox.put(text.encode())

    def _error(self, re: RequestId | None, code: ErrorCode, details: dict[str, Json]) -> Error:
        self.lobby.counts.refusals[code] += 1
        message = texts.error(code, details, self.locale)
        return Error(re=re, code=code, message=message, details=details)

    # --- the three tasks ---------------------------------------------------------------------

    async def _wait_hello(self) -> None:
        with trio.move_on_after(self.limits.hello_ms / 1000):
            await self._opened.wait()
            return
        self.log.info("no_hello")
        self.close(CloseCode.NO_HELLO)

    async def _read(self, to_dispatcher: trio.MemorySendChannel[_Frame]) -> None:
        with to_dispatcher:
            while True:
                try:
                    data = await self.wire.receive()
                except WireClosed:
                    break
                except Binary:
                    await to_dispatcher.send(_Frame(b"", 0, close=CloseCode.BINARY, is_void=True))
                    return
                frame = self._stamp(data)
                self._waiting.append(frame.stamp)
                await to_dispatcher.send(frame)
                if frame.close is not None:
                    return

    def _stamp(self, data: bytes) -> _Frame:
        now = trio.current_time()
        if self.inside:
            return _Frame(data, now)
        if not _is_utf8(data):
            return _Frame(data, now, close=CloseCode.INVALID_UTF8, is_void=True)
        retry_ms = self._bucket.take(now)
        abused = retry_ms > 0 and self._bucket.is_abused(now)
        return _Frame(data, now, retry_ms, CloseCode.RATE if abused else None)

    async def _dispatch(self, frames: trio.MemoryReceiveChannel[_Frame]) -> None:
        async for frame in frames:
            code = frame.close
            if not frame.is_void:
                reply, wanted = await self._answer(frame)
                self._reply(reply)
                code = code or wanted
            if self._waiting:
                self._waiting.popleft()
            if code is not None:
                self.log.info("sent_away", code=int(code))
                self.close(code)
                return
        self._work.cancel()  # the other end hung up, and what it had asked is done

    async def _answer(self, frame: _Frame) -> tuple[Reply, CloseCode | None]:
        """Return the reply to a frame, and the code to close with after it, if any."""
        if frame.retry_ms:
            details: dict[str, Json] = {
                "retry_after_ms": frame.retry_ms,
                "limit": self.limits.requests_per_second,
            }
            return self._error(_id_of(frame.data), ErrorCode.TOO_MANY_REQUESTS, details), None
        try:
            request = self.listener.receive(frame.data)
        except RemoteProtocolError as error:
            problems: list[Json] = [codec.to_wire(problem) for problem in error.problems]
            refused = self._error(error.re, error.code, {"problems": problems})
            return refused, self.listener.close_code
        reply, code = await self._do(request, frame.stamp)
        self.listener.answered(request, granted=isinstance(reply, Ok))
        return reply, code

    async def _do(self, request: Request, stamp: float) -> tuple[Reply, CloseCode | None]:
        try:
            result: Result | None = await answer(self, request, stamp)
        except RefusedError as refusal:
            at_the_door = self.user is None and refusal.code is ErrorCode.BAD_PASSWORD
            code = CloseCode.REFUSED if at_the_door else None
            return self._error(request.id, refusal.code, refusal.details), code
        except Exception as error:
            reference = self.log.fault("request_failed", error)
            return self._error(request.id, ErrorCode.INTERNAL, {"reference": reference}), None
        return Ok(re=request.id, result={} if result is None else codec.to_wire(result)), None

    async def _write(self) -> None:
        while True:
            entry = await self.outbox.get()
            if isinstance(entry, Goodbye):
                with trio.move_on_after(CLOSE_S) as closing:
                    await self.wire.close(entry.code)
                if closing.cancelled_caught:
                    await self.wire.cut()
                return
            with trio.move_on_after(self.limits.write_ms / 1000) as sending:
                try:
                    await self.wire.send(entry)
                except WireClosed:
                    self.outbox.close(CloseCode.NORMAL, drop=True)
                    return
            if sending.cancelled_caught:
                self.log.info("cut", waiting=len(self.outbox))
                self.outbox.close(CloseCode.TOO_SLOW, drop=True)
                await self.wire.cut()
                return


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _id_of(data: bytes) -> RequestId | None:
    """Return the id of a request that will not be done."""
    try:
        return codec.decode_request(data).id
    except RemoteProtocolError as error:
        return error.re
