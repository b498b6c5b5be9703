"""Where a server listens, and by which addresses others reach it.

`EVERY` stands for all addresses of the machine, of IPv4 and of IPv6, on one port. Each family has a
listener of its own, so that an address is shown as what it is, and a machine with only one of the
two is served as well.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address

import trio
from attrs import frozen

from .config import EVERY

__all__ = [
    "Address",
    "in_url",
    "open_listeners",
    "own_addresses",
    "reachable_addresses",
    "why_not",
]

_FAMILIES = ("0.0.0.0", "::")  # noqa: S104
_NO_FAMILY = frozenset({errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL})  # this machine has none of it


async def open_listeners(host: str, port: int) -> list[trio.SocketListener]:
    """Listen on a host's addresses, or on `EVERY`; port 0 picks a free one, the same for all.

    Raises:
        OSError: It cannot be listened there.
    """
    if host == EVERY:
        return await _listen_everywhere(port)
    try:
        listeners = await trio.open_tcp_listeners(port, host=host)
    except UnicodeError:  # a label that is empty, too long, or holds what names do not
        raise OSError(f"{host!r} is not the name of a host") from None
    if port == 0:  # a name with several addresses got a free port for each; one is told
        for listener in listeners[1:]:
            await listener.aclose()
        del listeners[1:]
    return listeners


async def _listen_everywhere(port: int) -> list[trio.SocketListener]:
    listeners: list[trio.SocketListener] = []
    for host in _FAMILIES:
        try:
            found = await trio.open_tcp_listeners(port, host=host)
        except OSError as error:
            # With IPv4 everybody at home is served, whoever has the port of IPv6.
            if not listeners and error.errno not in _NO_FAMILY:
                raise
            continue
        listeners += found
        port = int(found[0].socket.getsockname()[1])
    if not listeners:
        raise OSError("this machine has neither IPv4 nor IPv6")
    return listeners


def why_not(error: BaseException, host: str, port: int) -> str:
    """Return why a server cannot start, in a line."""
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        where = "" if host == EVERY else f" on {host}"
        return f"port {port}{where} is in use by another program; choose another with --port"
    return str(error)


def in_url(host: str) -> str:
    """Return a host as it stands in a URL."""
    return f"[{host}]" if ":" in host else host


def reachable_addresses(hosts: Iterable[str], port: int, scheme: str = "ws") -> list[str]:
    """Return the WebSocket addresses by which others in the network may reach the server.

    Args:
        hosts: What it listens on: all addresses of one family, or of both.
        port: The port.
        scheme: `ws`, or `wss` with TLS.
    """
    found: list[str] = []
    for family, probe in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as udp:
                udp.connect((probe, 9))  # sends nothing; picks the outgoing address
                found.append(str(udp.getsockname()[0]))
        except OSError:
            continue
    # The other addresses of IPv6 change by the day, and those of a link need its name with them.
    rest = [a for a in own_addresses() if a.version == 4 or not a.ip.is_link_local]
    known = {":" in address for address in found}
    found += [str(a.ip) for a in rest if a.version == 4 or True not in known]
    served = {":" in host for host in hosts}
    usable = [
        address
        for address in dict.fromkeys(found)
        if (":" in address) in served and not address.startswith(("127.", "fe80:", "::1"))
    ]
    return [f"{scheme}://{in_url(address)}:{port}/ws" for address in usable]


@frozen
class Address:
    """An address of this machine; `index` is that of its interface."""

    ip: IPv4Address | IPv6Address
    index: int

    @property
    def version(self) -> int:
        """Return 4 or 6."""
        return self.ip.version


def own_addresses() -> tuple[Address, ...]:
    """Return the addresses by which machines in the same networks may reach this one."""
    import ifaddr  # only hosts of a network want it

    found: set[Address] = set()
    for adapter in ifaddr.get_adapters():
        for own in adapter.ips:
            text = own.ip if isinstance(own.ip, str) else own.ip[0]
            ip = ip_address(text.partition("%")[0])
            if not (ip.is_loopback or ip.is_unspecified or ip.is_multicast):
                found.add(Address(ip, adapter.index or 0))
    return tuple(sorted(found, key=lambda a: (a.version, a.index, a.ip.packed)))
