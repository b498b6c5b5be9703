"""Join links, as a server shows them and a client reads them, and fingerprints in them.

`https://192.168.1.5:8765/play?room=KAGU-7Q2F#tls=FINGERPRINT` is a page for browsers. For a client
it means the socket beside the page, a room there, and the only certificate to accept.
"""

from __future__ import annotations

__all__ = ["grouped", "join_link"]


def join_link(url: str, room: str | None = None, pin: str | None = None) -> str:
    """Return the link to a server, and to a room of it, as a person passes it on.

    Args:
        url: The WebSocket address, `ws://192.168.1.5:8765/ws`.
        room: The code of a room.
        pin: The fingerprint that clients shall insist on; a fragment is never sent over the net.
    """
    page = url.replace("ws", "http", 1).removesuffix("/ws") + "/play"
    return page + (f"?room={room}" if room else "") + (f"#tls={pin}" if pin else "")


def grouped(fingerprint: str) -> str:
    """Return a fingerprint as people compare it: `AA:BB:…`."""
    digits = fingerprint.upper()
    return ":".join(digits[i : i + 2] for i in range(0, len(digits), 2))
