"""Who may read `/metrics`: who names the token, or who is on this machine itself.

What makes the text takes a while to load, and most servers are never asked.
"""

from __future__ import annotations

import hmac
import ipaddress
from functools import cached_property
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from websockets.datastructures import Headers

    from .lobby import Lobby
    from .metrics import Metrics

__all__ = ["Scrapes", "may_read"]

_FORWARDED: Final = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")


class Scrapes:
    """The metrics of a house, for those who may read them."""

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby

    def may_read(self, headers: Headers, peer: str) -> bool:
        """Tell whether a request from `peer` may read them."""
        server = self._lobby.config.server
        behind_proxy = bool(server.trusted_proxies)
        return may_read(headers, peer, server.metrics_token, behind_proxy=behind_proxy)

    def note(self, status: int) -> None:
        """Count an answer to plain HTTP."""
        self._lobby.counts.answers[status] += 1

    def read(self) -> tuple[str, str]:
        """Return the text of the metrics as they are now, and its content type."""
        from .metrics import CONTENT_TYPE

        return self._metrics.text(), CONTENT_TYPE

    @cached_property
    def _metrics(self) -> Metrics:
        from .metrics import Metrics

        return Metrics(self._lobby)


def may_read(headers: Headers, peer: str, token: str, *, behind_proxy: bool = False) -> bool:
    """Tell whether a request may read the metrics.

    Args:
        headers: The request's.
        peer: The address at the other end of its stream, whatever its headers say.
        token: What it may name as a bearer; none if empty.
        behind_proxy: Whether a proxy is trusted to hand requests on; from a proxy on this machine
            everybody's come from here.
    """
    scheme, _, given = ",".join(headers.get_all("Authorization")).partition(" ")
    if token and scheme.lower() == "bearer":
        named = given.strip().encode("iso-8859-1", "replace")  # as websockets read it
        return hmac.compare_digest(named, token.encode())
    return _is_loopback(peer) and not behind_proxy and not any(n in headers for n in _FORWARDED)


def _is_loopback(peer: str) -> bool:
    try:
        address = ipaddress.ip_address(peer.partition("%")[0])
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback
