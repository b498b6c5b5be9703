"""What systemd and a server tell each other: sockets it hands over, and how the server is.

sd_notify(3) and sd_listen_fds(3), which are a datagram and two variables. Without a service manager
nothing is told, and there are no sockets. A socket that was handed over stays open there, so that
connections made during a restart wait for the next server and none is refused.
"""

from __future__ import annotations

import functools
import os
import re
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Final

import trio

__all__ = ["attend", "inherited", "notify", "reloading", "watchdog_s"]

FIRST_FD: Final = 3
MICRO: Final = 1_000_000
_INTERNET: Final = (socket.AF_INET, socket.AF_INET6)


def notify(*lines: str) -> None:
    """Tell the service manager something, such as `READY=1`; if nobody listens it goes nowhere."""
    path = os.environ.get("NOTIFY_SOCKET", "")
    if not path.startswith(("/", "@")):
        return
    address = "\0" + path[1:] if path.startswith("@") else path  # of Linux's abstract names
    with suppress(OSError):
        _mouth().sendto("\n".join(lines).encode(), address)


@functools.cache
def _mouth() -> socket.socket:
    """Return what is spoken through. It stays: with no descriptor free life is still to be shown."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    sock.setblocking(False)  # a manager that does not read stalls nobody's game
    return sock


@contextmanager
def reloading() -> Iterator[None]:
    """Tell that settings are read again while the block runs."""
    notify("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1_000}")
    try:
        yield
    finally:
        notify("READY=1")


def watchdog_s() -> float | None:
    """Return after how many seconds of silence the server counts as hung; None if never."""
    usec, pid = os.environ.get("WATCHDOG_USEC", ""), os.environ.get("WATCHDOG_PID")
    if (
        not re.fullmatch("[0-9]{1,18}", usec)
        or int(usec) == 0
        or pid not in {None, str(os.getpid())}
    ):
        return None
    return int(usec) / MICRO


async def attend(
    stop: trio.Event, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    """Show that the loop turns, twice in the time of the watchdog, and tell when `stop` is set.

    This is a task of the loop that everything runs on: when that stalls, nothing is sent.
    """
    silence_s = watchdog_s()
    async with trio.open_nursery() as nursery:
        if silence_s is not None:
            nursery.start_soon(_show_life, silence_s / 2)
        task_status.started()
        await stop.wait()
        notify("STOPPING=1", "STATUS=stopping")


async def _show_life(every_s: float) -> None:
    while True:
        notify("WATCHDOG=1")
        await trio.sleep(every_s)


def inherited() -> list[trio.SocketListener]:
    """Return listeners of the sockets that were handed over to this process; mostly none.

    They are taken once: what this process starts is not to take them for its own.

    Raises:
        OSError: One is no listening TCP socket.
    """
    if not _is_ours(os.environ):
        return []
    count = int(os.environ["LISTEN_FDS"])
    for name in ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"):
        os.environ.pop(name, None)
    return [_listener(fd) for fd in range(FIRST_FD, FIRST_FD + count)]


def _is_ours(environment: Mapping[str, str]) -> bool:
    is_ours = environment.get("LISTEN_PID") == str(os.getpid())
    return is_ours and bool(re.fullmatch("[0-9]{1,6}", environment.get("LISTEN_FDS", "")))


def _listener(fd: int) -> trio.SocketListener:
    try:
        sock = socket.socket(fileno=fd)
        listens = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    except OSError:
        listens = 0
    if not listens or sock.family not in _INTERNET or sock.type != socket.SOCK_STREAM:
        raise OSError(f"descriptor {fd}, from the service manager, is no listening TCP socket")
    sock.set_inheritable(False)
    return trio.SocketListener(trio.socket.from_stdlib_socket(sock))
