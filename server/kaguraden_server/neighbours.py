"""Who asks: the client's own address, behind proxies too, and what counts as one address.

A proxy that the operator trusts says in a header whom it speaks for, and only that header is
believed: the other one, if there is any, was written by the client itself. Each proxy adds the
address that it was reached from on the right, so the client is the rightmost that is no trusted
proxy; what stands left of it anybody may have made up.
"""

from __future__ import annotations

import functools
import ipaddress
import math
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from attrs import frozen
from websockets.datastructures import Headers

if TYPE_CHECKING:
    from .config import ServerSettings

__all__ = ["Client", "Neighbours", "Rates", "counted"]

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

MINUTE_S: Final = 60.0
MOST_ADDRESSES: Final = 65_536  # that `Rates` remembers: some 10 MB
MAX_FORWARDED: Final = 1_024  # characters; looking for the ends of quotes is quadratic
HOME_BITS: Final = 64  # of IPv6: everybody has as many addresses as they like within these
_ON_THE_LINK: Final = tuple(map(ipaddress.ip_network, ("::1/128", "fe80::/10", "fc00::/7")))
_PAIR: Final = re.compile(r'\s*([!#$%&\'*+.^_`|~0-9A-Za-z-]+)=("(?:[^"\\]|\\.)*"|[^\s",;]*)\s*')


@frozen
class Client:
    """Where a request comes from: the address, and whether it came over TLS.

    `address` is "" where there is none.
    """

    address: str
    is_secure: bool = False


@frozen
class Neighbours:
    """Whom a server believes, and whom it talks to at all."""

    proxies: tuple[Network, ...] = ()
    allowed: tuple[Network, ...] = ()
    header: str = "x-forwarded-for"

    @classmethod
    def of(cls, settings: ServerSettings) -> Neighbours:
        """Return those of the settings."""
        return cls(
            tuple(map(ipaddress.ip_network, settings.trusted_proxies)),
            tuple(map(ipaddress.ip_network, settings.allowed_networks)),
            settings.forwarded_header,
        )

    def is_proxy(self, peer: str) -> bool:
        """Tell whether an address is that of a proxy that is believed."""
        address = _read(peer)
        return address is not None and _within(address, self.proxies)

    def client(self, peer: str, headers: Headers) -> Client:
        """Return who asks, from the other end's address and what a trusted proxy says.

        A header that is missing or malformed leaves it at the other end.
        """
        address = _read(peer)
        if address is None or not self.is_proxy(peer):
            return Client(peer if address is None else str(address))
        if self.header == "forwarded":
            hops = _forwarded(headers.get_all("Forwarded"))
        else:
            is_secure = headers.get_all("X-Forwarded-Proto") == ["https"]
            values = ",".join(headers.get_all("X-Forwarded-For"))
            hops = [(hop, is_secure) for hop in values.split(",")] if values.strip() else []
        found = Client(str(address))
        for text, is_secure in reversed(hops):
            hop = _read_hop(text)
            if hop is None:
                return Client(str(address))
            found = Client(str(hop), is_secure)
            if not _within(hop, self.proxies):
                break
        return found

    def admits(self, address: str) -> bool:
        """Tell whether a client may connect at all."""
        if not self.allowed:
            return True
        read = _read(address)
        return read is not None and _within(read, self.allowed)


class Rates:
    """How often each address may come: so often at once, and so often a minute.

    Only the newest addresses are remembered, and of each only when it has all its turns again.
    """

    def __init__(self, most: int = MOST_ADDRESSES) -> None:
        self._full_at: dict[str, float] = {}  # the least recently seen first
        self._most = most

    def __len__(self) -> int:
        return len(self._full_at)

    def take(self, address: str, per_minute: int, now: float) -> int:
        """Take a turn at a time in seconds; return 0, or in how many there will be one."""
        full_at = max(self._full_at.pop(address, now), now)
        wait_s = full_at + MINUTE_S / per_minute - now - MINUTE_S
        is_due = wait_s <= 1e-6  # sums of fractions
        self._full_at[address] = full_at + MINUTE_S / per_minute if is_due else full_at
        if len(self._full_at) > self._most:
            del self._full_at[next(iter(self._full_at))]
        return 0 if is_due else math.ceil(wait_s)


@functools.lru_cache(maxsize=4_096)
def counted(address: str) -> str:
    """Return what the limits of one address go by: of IPv6 the /64 that a home has.

    On the link itself, where a home is the whole party, each address is one.
    """
    read = _read(address)
    if not isinstance(read, ipaddress.IPv6Address) or _within(read, _ON_THE_LINK):
        return address
    return str(ipaddress.ip_network((read, HOME_BITS), strict=False))


def _within(address: Address, networks: Iterable[Network]) -> bool:
    return any(address in network for network in networks)


def _read(text: str) -> Address | None:
    """Return an address, one of IPv4 where it is written as one of IPv6; None if it is none."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _read_hop(text: str) -> Address | None:
    """Return the address of a header's entry, which may have a port."""
    text = text.strip()
    if text.startswith("["):
        text, closed, port = text[1:].partition("]")
        if not closed or (port and not re.fullmatch(":[0-9]{1,5}", port)):
            return None
    elif text.count(":") == 1:
        text, _, port = text.partition(":")
        if not re.fullmatch("[0-9]{1,5}", port):
            return None
    return None if "%" in text else _read(text)


def _forwarded(values: list[str]) -> list[tuple[str, bool]]:
    """Return `for` of each element of `Forwarded` (RFC 7239), and whether its `proto` is https.

    One that is malformed has "", which is no address.
    """
    if sum(map(len, values)) > MAX_FORWARDED:
        return [("", False)]
    return [hop for value in values for hop in _elements(value)]


def _elements(value: str) -> Iterator[tuple[str, bool]]:
    for element in re.findall(r'(?:"(?:[^"\\]|\\.)*"|[^",])+', value):
        pairs: dict[str, str] = {}
        for part in re.findall(r'(?:"(?:[^"\\]|\\.)*"|[^";])+', element):
            match = _PAIR.fullmatch(part)
            name = match[1].lower() if match else "for"
            text = match[2] if match else ""
            if text.startswith('"'):
                text = re.sub(r"\\(.)", r"\1", text[1:-1])
            pairs[name] = "" if name in pairs else text  # twice is malformed
        yield pairs.get("for", ""), pairs.get("proto", "").lower() == "https"
