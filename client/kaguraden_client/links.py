"""Addresses of servers as people type, scan and pass them on; join links above all."""

from __future__ import annotations

import ipaddress
import re
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

from attrs import frozen

__all__ = ["Link", "full_url", "has_scheme", "is_here", "read_fingerprint", "read_link"]

PORT: Final = 8765  # of a server, unless its settings say another
_DIGITS: Final = re.compile(r"[0-9a-f]{64}")


@frozen
class Link:
    """A server, and perhaps a table and the fingerprint of the only certificate to accept.

    The fingerprint is the SHA-256 of the certificate's DER: 64 hexadecimal digits in lower case.
    """

    url: str
    room: str | None = None
    fingerprint: str | None = None


def read_link(text: str) -> Link:
    """Return what an address or a join link means.

    Args:
        text: `192.168.1.5:8765`, `wss://hall.lan/ws#tls=…`, a join link.

    Raises:
        ValueError: A fingerprint in it is none, or it wants one and is not encrypted; or there are
            characters in it that cannot be shown.
    """
    if not unquote(text).strip().isprintable():
        raise ValueError("an address holds nothing that cannot be shown")
    address, _, fragment = text.strip().partition("#")
    address, _, query = address.partition("?")
    url = full_url(address)
    if re.match("https?:", address, re.IGNORECASE) and url.endswith("/play"):
        url = url.removesuffix("/play") + "/ws"
    room = parse_qs(query).get("room", [""])[0].strip().upper()
    pins = parse_qs(fragment, keep_blank_values=True).get("tls", [])
    if pins and not url.startswith("wss:"):
        raise ValueError("a fingerprint is for https or wss")
    return Link(url, room or None, read_fingerprint(pins[0]) if pins else None)


def read_fingerprint(text: str) -> str:
    """Return a fingerprint as links have it, from digits of either case, with colons or without.

    Raises:
        ValueError: It is none.
    """
    digits = text.replace(":", "").replace(" ", "").lower()
    if not _DIGITS.fullmatch(digits):
        raise ValueError("a fingerprint has 64 hexadecimal digits")
    return digits


def has_scheme(text: str) -> bool:
    """Tell whether somebody said how to connect, and not only where."""
    return "://" in text


def full_url(text: str) -> str:
    """Return a server's address from what people type: `192.168.1.5`, `http://hall.lan`.

    A bare address of a machine means the port that servers listen on unless told otherwise.
    """
    text = text.strip()
    scheme, found, rest = text.partition("://")
    if not found:
        scheme, rest = "ws", _with_port(text)
    scheme = {"http": "ws", "https": "wss"}.get(scheme.lower(), scheme.lower())
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host}/{path if slash and path else 'ws'}"


def _with_port(text: str) -> str:
    host, slash, path = text.partition("/")
    try:
        ip = ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return text
    return f"{f'[{ip}]' if ip.version == 6 else ip}:{PORT}{slash}{path}"


def is_here(url: str) -> bool:
    """Tell whether an address is of this machine, so that nothing goes over a network."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
