"""Announcing a server in the local network by mDNS/DNS-SD, as long as it runs.

zeroconf has an event loop in a thread of its own; what is asked of it blocks, so that is done in
worker threads, each call within a bounded time. A network that cannot be announced in is logged
and tried again: nobody has to wait for it, and people join by address meanwhile.
"""

from __future__ import annotations

import logging
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import trio
from attrs import frozen
from kaguraden_protocol.announcement import SERVICE, Announcement

from .listening import Address, own_addresses

if TYPE_CHECKING:
    from zeroconf import ServiceInfo, Zeroconf

    from .logs import Log

__all__ = ["Service", "announce"]

T = TypeVar("T")

LOOK_S: Final = 5.0  # between two looks at the machine's addresses
CALL_S: Final = 10.0  # registering takes about one: three questions whether the name is free
GOODBYE_S: Final = 1.5
MAX_LABEL: Final = 56  # bytes, of the 63 that DNS allows
MAX_ADDRESSES: Final = 16  # announced; a machine with more has bridges of its own


@frozen
class Service:
    """What is announced, and what it listens on: addresses, 0.0.0.0 and :: for all of a family."""

    announcement: Announcement
    hosts: tuple[str, ...]
    port: int

    def is_at(self, address: Address) -> bool:
        """Tell whether it is reached by an address of the machine."""
        everywhere = "0.0.0.0" if address.version == 4 else "::"  # noqa: S104 - no listening
        return everywhere in self.hosts or str(address.ip) in self.hosts


@frozen
class _Voice:
    """zeroconf, saying what it was given. Its methods block."""

    zeroconf: Zeroconf
    info: ServiceInfo

    @classmethod
    def start(cls, service: Service, here: tuple[Address, ...], tag: str) -> _Voice:
        """Announce a service at these addresses of the machine, on their networks.

        Raises:
            Exception: It cannot be; of what kind is zeroconf's business.
        """
        from zeroconf import ServiceInfo, Zeroconf  # takes a while, and only hosts want it

        interfaces: list[str | int] = [str(a.ip) for a in here if a.version == 4]
        interfaces += {a.index: None for a in here if a.version == 6}
        zeroconf = Zeroconf(interfaces=interfaces)
        host = socket.gethostname().partition(".")[0]
        info = ServiceInfo(
            SERVICE,
            f"{_label(service.announcement.name, host)}.{SERVICE}",
            port=service.port,
            properties=service.announcement.txt(),
            # Not the machine's own name, which another program may answer for.
            server=f"kaguraden-{tag}.local.",
            addresses=[a.ip.packed for a in here],
        )
        try:
            zeroconf.register_service(info, allow_name_change=True)
        except BaseException:
            zeroconf.close()
            raise
        return cls(zeroconf, info)

    @property
    def name(self) -> str:
        """Return the name it has in the network; another has a number behind it if it was taken."""
        return self.info.name.removesuffix(f".{SERVICE}")

    def stop(self) -> None:
        """Say goodbye, so that nobody is shown the server any more."""
        self.zeroconf.close()


def _label(name: str, host: str) -> str:
    """Return a name as one label of DNS: at most 63 bytes, with room for a number behind it."""
    text = f"{name} ({host})" if host else name
    return (
        text.replace(".", " ").encode()[:MAX_LABEL].decode(errors="ignore").strip() or "Kaguraden"
    )


async def announce(
    service: Service,
    log: Log,
    stop: trio.Event,
    addresses: Callable[[], tuple[Address, ...]] = own_addresses,
) -> None:
    """Announce a server until it stops, then take it back.

    Follows the machine's addresses: when they change, it is announced anew. What fails is logged,
    once until it is another failure, and tried again.
    """
    logging.getLogger("zeroconf").setLevel(logging.CRITICAL)  # others can cause its complaints
    tag = secrets.token_hex(3)  # two machines may have the same name
    voice: _Voice | None = None
    told: tuple[Address, ...] | None = None
    wrong = ""
    try:
        while not stop.is_set():
            try:
                here = tuple(filter(service.is_at, addresses()))[:MAX_ADDRESSES]
                if here != told:
                    told = None
                    if voice is not None:
                        gone, voice = voice, None
                        await _in_thread(gone.stop, CALL_S)
                    if here:
                        voice = await _in_thread(partial(_Voice.start, service, here, tag), CALL_S)
                        log.info("announced", name=voice.name, addresses=len(here))
                    told = here
                why = "" if here else "no network"
            except (
                Exception
            ) as error:  # zeroconf's are of many kinds; people are served all the same
                why = type(error).__name__
            if why not in ("", wrong):
                log.warning("not_announced", why=why)
            wrong = why
            with trio.move_on_after(LOOK_S):
                await stop.wait()
    finally:
        if voice is not None:
            with trio.CancelScope(shield=True), suppress(Exception):
                await _in_thread(voice.stop, GOODBYE_S)


async def _in_thread(work: Callable[[], T], seconds: float) -> T:
    """Do blocking work in a thread; what takes longer is left to itself.

    Raises:
        TooSlowError: It took longer.
    """
    with trio.fail_after(seconds):
        return await trio.to_thread.run_sync(work, abandon_on_cancel=True)
