"""Connections that have not asked for anything yet: how many there may be from one address.

A connection is accepted before it has said what it wants, and with TLS its handshake comes first,
which costs the most. Those that never go on are cut after a while (`HANDSHAKE_S` in `app`); until
then they count here, against the limit for connections of an address.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import trio
from attrs import define, field

__all__ = ["Doorstep", "GuardedListener"]

MANY = 1_000  # addresses; then it is looked for those whose time is over


@define(eq=False)
class Doorstep:
    """Who has come and not said why.

    Args:
        most: How many may wait from one address.
        patience_s: How long one can wait before it is cut, in seconds.
    """

    _most: Callable[[], int]
    _patience_s: float
    _came: dict[str, deque[float]] = field(factory=dict, init=False)

    def admits(self, address: str) -> bool:
        """Tell whether one more from this address may wait, and count it if so.

        One that hangs up meanwhile counts until its time would have been over.
        """
        now = trio.current_time()
        over = now - self._patience_s
        if len(self._came) > MANY:
            self._came = {who: came for who, came in self._came.items() if came[-1] > over}
        came = self._came.get(address, deque())
        while came and came[0] <= over:
            came.popleft()
        if len(came) >= self._most():
            return False
        came.append(now)
        self._came[address] = came
        return True

    def asked(self, address: str) -> None:
        """Note that one from this address has said what it wants."""
        came = self._came.get(address)
        if came:
            came.popleft()
        if not came:
            self._came.pop(address, None)


class GuardedListener(trio.abc.Listener[trio.SocketStream]):
    """A listener that hangs up at once on who finds no place on the doorstep."""

    def __init__(self, listener: trio.SocketListener, doorstep: Doorstep) -> None:
        self._listener = listener
        self._doorstep = doorstep
        self.socket = listener.socket

    async def accept(self) -> trio.SocketStream:
        """Return the next connection."""
        while True:
            stream = await self._listener.accept()
            if self._doorstep.admits(peer_of(stream)):
                return stream
            await trio.aclose_forcefully(stream)

    async def aclose(self) -> None:
        """Stop listening."""
        await self._listener.aclose()


def peer_of(stream: trio.SocketStream) -> str:
    """Return the other end's address without the port, "" if it has none."""
    try:
        name = stream.socket.getpeername()
    except OSError:  # it is gone already
        return ""
    return str(name[0]) if isinstance(name, tuple) and name else ""
