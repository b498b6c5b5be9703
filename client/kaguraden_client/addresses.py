"""Addresses of servers, as people type them."""

from __future__ import annotations

__all__ = ["full_url"]


def full_url(text: str) -> str:
    """Return a server's address from what people type: `192.168.1.5:8765`, `http://hall.lan`."""
    text = text.strip()
    scheme, found, rest = text.partition("://")
    if not found:
        scheme, rest = "ws", text
    scheme = {"http": "ws", "https": "wss"}.get(scheme.lower(), scheme.lower())
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host}/{path if slash and path else 'ws'}"
