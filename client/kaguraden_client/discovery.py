"""Finding servers in the local network, and asking them which rooms they have.

Servers announce themselves by mDNS (`kaguraden_protocol.announcement`). Anybody in the network can
announce anything, so all of it is bounded: how many servers, how many addresses each, how long all
of it takes; and an address that is not of one of this machine's own networks is not tried, be it
the loopback or somewhere far away. A server is asked as any client asks, over the protocol, under
a name that is nobody's; no token and no password is ever sent on the way.

A room is looked for with `leave`: who is not in it is refused as `not_member` where the room is and
as `room_not_found` where it is not, listed or not, and nothing changes for anybody.
"""

from __future__ import annotations

import asyncio
import contextlib
import enum
import logging
import socket
import struct
from collections.abc import Callable, Coroutine, Iterable, Sequence
from ipaddress import (
    IPv4Interface,
    IPv6Interface,
    ip_address,
    ip_interface,
)
from typing import TYPE_CHECKING, Final

from attrs import define, evolve, field, frozen
from kaguraden_protocol import codec, messages
from kaguraden_protocol.announcement import SERVICE, Announcement, read_txt
from kaguraden_protocol.errors import ErrorCode, RemoteProtocolError
from kaguraden_protocol.messages import RoomInfo

from .asyncio_shell import Client, open_client
from .links import Link
from .session import HelloRefused, Opened, Session
from .shell import CannotConnect, RequestFailed, SessionStopped

if TYPE_CHECKING:
    from zeroconf import ServiceStateChange, Zeroconf

__all__ = ["LOOK_S", "Network", "Reach", "Search", "Seen", "Server", "own_networks", "usable"]

LOOK_S: Final = 1.5  # a server answers within a tenth; a question that was lost is asked again
VISIT_S: Final = 2.0  # for all that one server is asked
MAX_SERVERS: Final = 32
MAX_NAMES: Final = 128  # announced ones, that turn out to be servers or not
MAX_ADDRESSES: Final = 6  # of one server
MAX_INTERFACES: Final = 16
NOBODY: Final = "looking"  # the name that servers are asked under
OTHERS: Final = "_services._dns-sd._udp.local."  # whatever else there is: multicast works then
_QUESTION: Final = (
    struct.pack("!6H", 0, 0, 1, 0, 0, 0)
    + b"".join(bytes([len(part)]) + part for part in b"_services._dns-sd._udp.local".split(b"."))
    + struct.pack("!BHH", 0, 12, 1)
)

_NO_ANSWER: Final = (CannotConnect, SessionStopped, RequestFailed, RemoteProtocolError)


class Reach(enum.StrEnum):
    """What became of the question to everybody in the network."""

    LOOKING = "looking"
    NO_NETWORK = "no_network"  # this machine is in none
    NOT_SENT = "not_sent"  # its own system does not let multicast out
    SILENT = "silent"  # nobody and nothing answered: perhaps the network drops multicast
    HEARD = "heard"  # somebody answered, a server or not


@frozen
class Network:
    """A network that this machine is in; `index` is that of the interface."""

    here: IPv4Interface | IPv6Interface
    index: int


@frozen
class Server:
    """A server that announces itself, or (without an announcement) one of before.

    `links` are the ways to it, the best first.
    """

    name: str
    links: tuple[Link, ...]
    announcement: Announcement | None = None


@frozen
class Seen:
    """A server, and what it answered.

    `link` is the way on which it did, None before or if it did not. `has_room`: whether it has the
    room that is looked for, None if it was not asked. `wants_password`: it tells nothing without.
    """

    server: Server
    link: Link | None = None
    rooms: tuple[RoomInfo, ...] = ()
    has_room: bool | None = None
    wants_password: bool = False
    is_asked: bool = True  # still

    @property
    def best(self) -> Link:
        """Return the way that it answered on, else the one to try first."""
        return self.link or self.server.links[0]


def own_networks() -> tuple[Network, ...]:
    """Return the networks that this machine is in, without the loopback."""
    import ifaddr  # only who looks for servers wants it

    found: list[Network] = []
    for adapter in ifaddr.get_adapters():
        for own in adapter.ips:
            text = own.ip if isinstance(own.ip, str) else own.ip[0]
            here = ip_interface(f"{text.partition('%')[0]}/{own.network_prefix}")
            if not (here.ip.is_loopback or here.ip.is_unspecified or here.ip.is_multicast):
                found.append(Network(here, adapter.index or 0))
    return tuple(found)


def usable(addresses: Iterable[str], networks: Sequence[Network]) -> list[str]:
    """Return those of announced addresses that may be tried, as they stand in a URL.

    Args:
        addresses: Such as `192.168.1.5` or, with the interface on which it was heard, `fe80::1%2`.
        networks: This machine's own; the address must be in one of them.
    """
    found: list[tuple[int, str]] = []
    for text in addresses:
        try:
            bare, _, zone = text.partition("%")
            ip = ip_address(bare)
        except ValueError:
            continue
        if ip.is_loopback or ip.is_unspecified or ip.is_multicast:
            continue
        near = [n for n in networks if ip.version == n.here.version and ip in n.here.network]
        if not near:
            continue
        if ip.version == 4:
            found.append((0, str(ip)))
        elif not ip.is_link_local:
            found.append((1, f"[{ip}]"))
        else:  # means nothing without its interface; if that was not told it may be any
            zones = [zone] if zone else dict.fromkeys(str(n.index) for n in near)
            found += [(2, f"[{ip}%{z}]") for z in zones]
    return [host for _, host in sorted(set(found))][:MAX_ADDRESSES]


# --- listening ------------------------------------------------------------------------------------


@define(eq=False)
class Search:
    """One look around: call `run`, and read `seen` and `reach` whenever `changed` is called."""

    changed: Callable[[], None] = lambda: None
    room: str | None = None  # that servers are asked about
    networks: Callable[[], tuple[Network, ...]] = own_networks
    seen: dict[str, Seen] = field(factory=dict, init=False)  # by what they are called or where
    reach: Reach = field(default=Reach.LOOKING, init=False)
    is_over: bool = field(default=False, init=False)
    _visits: set[asyncio.Task[None]] = field(factory=set, init=False)
    _names: set[str] = field(factory=set, init=False)
    _news: asyncio.Event = field(factory=asyncio.Event, init=False)  # something has been read

    async def run(self, remembered: Iterable[Server] = (), seconds: float = LOOK_S) -> None:
        """Look around for some seconds, and ask everybody found and everybody remembered.

        Takes at most `VISIT_S` longer for servers that answer slowly.
        """
        for server in list(remembered)[:MAX_SERVERS]:
            self._meet(server.links[0].url, server)
        try:
            try:
                self.reach = await self._listen(seconds)
            except OSError:
                self.reach = Reach.NOT_SENT
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(VISIT_S):
                    while self._visits:
                        await asyncio.wait(self._visits)
        finally:
            for visit in self._visits:
                visit.cancel()
            self.is_over = True
            self.changed()

    def found(self) -> list[Seen]:
        """Return the servers that are there, those of this network first; for `room`, who has it."""
        there = [s for s in self.seen.values() if s.link is not None or s.wants_password]
        if self.room is not None:
            there = [seen for seen in there if seen.has_room]
        return sorted(there, key=lambda seen: seen.server.announcement is None)

    async def _listen(self, seconds: float) -> Reach:
        networks = await asyncio.to_thread(self.networks)
        networks = networks[:MAX_INTERFACES]
        if not networks:
            return Reach.NO_NETWORK
        from zeroconf.asyncio import AsyncServiceBrowser, AsyncZeroconf  # takes a while

        logging.getLogger("zeroconf").setLevel(logging.CRITICAL)  # others can cause its complaints
        is_sent = _ask_out(networks)
        interfaces: list[str | int] = [str(n.here.ip) for n in networks if n.here.version == 4]
        interfaces += {n.index: None for n in networks if n.here.version == 6}
        loop = asyncio.get_running_loop()

        def heard(
            zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange
        ) -> None:
            is_new = name not in self._names and len(self._names) < MAX_NAMES
            if service_type == SERVICE and state_change.name != "Removed" and is_new:
                self._names.add(name)
                self._start(self._read(zeroconf, name, networks))

        end = loop.time() + seconds
        async with AsyncZeroconf(interfaces=interfaces) as mdns:
            browser = AsyncServiceBrowser(mdns.zeroconf, [SERVICE, OTHERS], [heard])
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(end):
                    while not self._has_all():
                        self._news.clear()
                        await self._news.wait()
            await browser.async_cancel()
            somebody = bool(mdns.zeroconf.cache.names())
        if somebody:
            return Reach.HEARD
        return Reach.SILENT if is_sent else Reach.NOT_SENT

    def _has_all(self) -> bool:
        """Tell whether the room was found, and nobody is left who could say the same."""
        return (
            self.room is not None
            and not self._visits
            and any(seen.has_room for seen in self.seen.values())
        )

    async def _read(self, zeroconf: Zeroconf, name: str, networks: Sequence[Network]) -> None:
        """Find out what an announced name stands for, and ask it if it is a server."""
        from zeroconf import Error, IPVersion
        from zeroconf.asyncio import AsyncServiceInfo

        try:
            info = AsyncServiceInfo(SERVICE, name)
            if not await info.async_request(zeroconf, LOOK_S * 1000):
                return
            announcement = read_txt(info.properties)
            addresses = info.parsed_scoped_addresses(IPVersion.All)
        except (Error, ValueError, OSError):
            return
        hosts = usable(addresses, networks)
        port = info.port or 0
        if announcement is None or not hosts or not 0 < port < 65_536:
            return
        scheme, pin = ("wss" if announcement.tls else "ws"), announcement.fingerprint
        links = [Link(f"{scheme}://{host}:{port}{announcement.path}", None, pin) for host in hosts]
        server = Server(announcement.name, tuple(links), announcement)
        urls = {link.url for link in links}
        for key in [
            k for k, s in self.seen.items() if {link.url for link in s.server.links} & urls
        ]:
            del self.seen[key]  # the same, remembered
        self._meet(name, server)

    # --- asking -------------------------------------------------------------------------------------

    def _meet(self, key: str, server: Server) -> None:
        if len(self.seen) < MAX_SERVERS:
            self.seen[key] = Seen(server)
            self.changed()
            self._start(self._visit(key, server))

    def _start(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(work)
        self._visits.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, visit: asyncio.Task[None]) -> None:
        self._visits.discard(visit)
        self._news.set()

    async def _visit(self, key: str, server: Server) -> None:
        seen = Seen(server)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(VISIT_S):
                for link in server.links:
                    with contextlib.suppress(*_NO_ANSWER):
                        seen = await _ask(server, link, self.room)
                        break
        if self.seen.get(key, seen).server is server:
            self.seen[key] = evolve(seen, is_asked=False)
            self.changed()


def _ask_out(networks: Sequence[Network]) -> bool:
    """Ask in every network who is there; return whether the question went out in any.

    zeroconf asks as well, but does not say that it could not.
    """
    is_sent = False
    for network in networks:
        with contextlib.suppress(OSError):
            if network.here.version == 4:
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
                    own = network.here.ip.packed
                    udp.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, own)
                    udp.sendto(_QUESTION, ("224.0.0.251", 5353))
            else:
                with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as udp:
                    udp.sendto(_QUESTION, ("ff02::fb", 5353, 0, network.index))
            is_sent = True
    return is_sent


async def _ask(server: Server, link: Link, room: str | None) -> Seen:
    """Ask a server for its rooms, and whether it has this one.

    Raises:
        CannotConnect, SessionStopped, RequestFailed, RemoteProtocolError: It does not answer as a
            server does.
    """
    session = Session(NOBODY)
    async with open_client(link.url, session, pin=link.fingerprint) as client:
        if not await _is_welcome(client):
            return Seen(server, link, wants_password=True)
        result = await client.request(messages.Rooms(id=0))
        listed = codec.decode_result(messages.RoomsResult, dict(result)).rooms
        has_room = None if room is None else await _has(client, room)
        return Seen(server, link, listed, has_room)


async def _is_welcome(client: Client) -> bool:
    """Wait for the answer to hello; False if it takes a password."""
    async for event in client.events():
        match event:
            case Opened():
                return True
            case HelloRefused(code=ErrorCode.BAD_PASSWORD):
                return False
            case HelloRefused():
                break
    raise SessionStopped(None)


async def _has(client: Client, room: str) -> bool:
    try:
        await client.request(messages.Leave(id=0, room=room))
    except RequestFailed as failed:
        return failed.code == ErrorCode.NOT_MEMBER
    return True  # it says that we were in
