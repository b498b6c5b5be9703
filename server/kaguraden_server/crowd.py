"""Who has connected and said nothing yet: no address may hold more of the door than its share.

Until a request has come nothing is known but the other end. Whoever opens connections and stays
silent has each for the seconds that a handshake may take, and would in the end have all that the
process can open. What is over an address's share is closed at once, without an answer. At the end
the server cuts all of them, as nobody else knows those that are in a handshake.
"""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakSet

import trio

from .neighbours import counted

__all__ = ["Crowd", "GuardedListener"]

SWEEP_AT = 1_024  # addresses, at least; then those without an open connection are forgotten


class Crowd:
    """The open streams of each address, on all listeners; `note_one` is called for each."""

    def __init__(self, note_one: Callable[[], None] = lambda: None) -> None:
        self._note_one = note_one
        self._all: WeakSet[trio.SocketStream] = WeakSet()
        self._streams: dict[str, list[trio.SocketStream]] = {}
        self._sweep_at = SWEEP_AT

    def __len__(self) -> int:
        return len(self._streams)

    def note(self, stream: trio.SocketStream) -> None:
        """Note a stream that was accepted, whosever it is."""
        self._all.add(stream)
        self._note_one()

    async def cut(self) -> None:
        """Close every stream at once, without a word."""
        for stream in list(self._all):
            await trio.aclose_forcefully(stream)

    def admits(self, stream: trio.SocketStream, address: str, most: int) -> bool:
        """Note a stream that was opened from an address, unless that has `most` already."""
        home = counted(address)
        theirs = _open(self._streams.get(home, []))
        self._streams[home] = theirs
        if len(theirs) >= most:
            return False
        theirs.append(stream)
        if len(self._streams) > self._sweep_at:
            kept = {home: _open(streams) for home, streams in self._streams.items()}
            self._streams = {home: streams for home, streams in kept.items() if streams}
            self._sweep_at = max(SWEEP_AT, 2 * len(self._streams))
        return True


def _open(streams: list[trio.SocketStream]) -> list[trio.SocketStream]:
    return [stream for stream in streams if stream.socket.fileno() >= 0]


class GuardedListener(trio.abc.Listener[trio.SocketStream]):
    """Accepts a stream only if its address has less than its share.

    Args:
        listener: The listener, which this one takes the place of.
        crowd: What all listeners have accepted.
        share: Returns how many streams an address may have; None if it may have any number.
    """

    def __init__(
        self, listener: trio.SocketListener, crowd: Crowd, share: Callable[[str], int | None]
    ) -> None:
        self.socket = listener.socket
        self._listener = listener
        self._crowd = crowd
        self._share = share

    async def accept(self) -> trio.SocketStream:
        """Accept a connection; those that are over a share are closed."""
        while True:
            stream = await self._listener.accept()
            if self._admits(stream):
                self._crowd.note(stream)
                return stream
            await trio.aclose_forcefully(stream)

    async def aclose(self) -> None:
        """Stop listening."""
        await self._listener.aclose()

    def _admits(self, stream: trio.SocketStream) -> bool:
        try:
            address = str(stream.socket.getpeername()[0])
        except OSError:  # it is gone already
            return False
        share = self._share(address)
        return share is None or self._crowd.admits(stream, address, share)
