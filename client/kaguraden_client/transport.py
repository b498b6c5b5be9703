"""What carries texts between a session and a server: a WebSocket, or a pair of channels."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Transport"]


class Transport(Protocol):
    """One connection. A server that runs bots in its own process hands them one of these."""

    async def send(self, text: str) -> None:
        """Send a text. On a connection that has ended this does nothing or raises EOFError."""

    async def receive(self) -> str:
        """Return the next text.

        Raises:
            EOFError: The connection has ended.
        """

    async def aclose(self) -> None:
        """End the connection."""
