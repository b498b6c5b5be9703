"""Sockets from a service manager, and what it is told, with real processes."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
import trio
from kaguraden_server import activation
from websockets.trio.client import connect
from websockets.typing import Subprotocol

from tests.deploy.manager import HAND_OVER

from .house import Player
from .test_process import SERVE, has_ipv6
from .test_sockets import SocketLine

ACTIVATE = shutil.which("systemd-socket-activate")


class Manager:
    """The socket of a service manager, and what was told there."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.socket = trio.socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)

    async def hear(self) -> list[str]:
        """Return the lines of the next datagram."""
        with trio.fail_after(20):
            return (await self.socket.recv(4_096)).decode().split("\n")

    async def hear_of(self, line: str) -> list[str]:
        """Return the lines of the next datagram that has this one."""
        while line not in (lines := await self.hear()):
            pass
        return lines


@pytest.fixture
async def manager(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Manager]:
    is_abstract = getattr(request, "param", "path") == "abstract"
    name = f"@kaguraden-{os.getpid()}" if is_abstract else str(tmp_path / "notify")
    made = Manager(name)
    with made.socket:
        await made.socket.bind("\0" + name[1:] if name.startswith("@") else name)
        yield made


@asynccontextmanager
async def started(
    command: list[str],
    told: Mapping[str, str] | None = None,
    stdin: int = subprocess.DEVNULL,
    stderr: int = subprocess.DEVNULL,
) -> AsyncIterator[trio.Process]:
    process = await trio.lowlevel.open_process(
        command,
        stdin=stdin,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        env={**os.environ, **(told or {})},
    )
    try:
        yield process
    finally:
        process.kill()
        await process.wait()


async def play_at(url: str) -> None:
    async with connect(url, subprotocols=[Subprotocol("kaguraden.v1")], proxy=None) as ws:
        await Player(SocketLine(ws)).open("Aki")


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        yield sock


@pytest.mark.parametrize("manager", ["path", "abstract"], indirect=True)
async def test_the_manager_is_told_of_the_start_of_life_and_of_the_end(manager: Manager) -> None:
    told = {"NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "200000"}
    async with started([*SERVE, "--port", "0"], told) as server:
        _, status = await manager.hear_of("READY=1")
        assert re.fullmatch(r"STATUS=listening at ws://127\.0\.0\.1:[0-9]+/ws", status)
        for _ in range(3):
            await manager.hear_of("WATCHDOG=1")
        server.terminate()
        await manager.hear_of("STOPPING=1")
        with trio.fail_after(10):
            assert await server.wait() == 0


async def test_a_server_that_can_open_nothing_more_still_shows_life(tmp_path: Path) -> None:
    manager = Manager(str(tmp_path / "notify"))
    told = {"NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "200000"}
    few = ["/bin/sh", "-c", 'ulimit -n 64; exec "$@"', "sh", *SERVE, "--port", "0"]
    with manager.socket:
        await manager.socket.bind(manager.name)
        async with started(few, told, stderr=subprocess.PIPE) as server, AsyncExitStack() as all_:
            _, status = await manager.hear_of("READY=1")
            port = int(status.rpartition(":")[2].removesuffix("/ws"))
            for number in range(80):  # of ten addresses: no one has more than its share
                sock = trio.socket.socket()
                all_.callback(sock.close)
                await sock.bind((f"127.0.0.{2 + number % 10}", 0))
                await sock.connect(("127.0.0.1", port))
            assert server.stderr is not None
            said = b""
            with trio.fail_after(20):
                while b"EMFILE" not in said:
                    part = await server.stderr.receive_some()
                    assert part, "it ended"
                    said += part
            for _ in range(5):  # two of them may have been on their way
                await manager.hear_of("WATCHDOG=1")


async def test_the_manager_is_told_of_a_reload(manager: Manager) -> None:
    told = {"NOTIFY_SOCKET": manager.name}
    async with started([*SERVE, "--port", "0"], told) as server:
        await manager.hear_of("READY=1")
        server.send_signal(signal.SIGHUP)
        await manager.hear_of("RELOADING=1")
        assert await manager.hear() == ["READY=1"]


async def test_a_loop_that_stalls_shows_no_life(manager: Manager) -> None:
    told = {"NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "200000"}
    program = (
        "import time, trio\n"
        "from kaguraden_server import activation\n"
        "async def main():\n"
        "    async with trio.open_nursery() as nursery:\n"
        "        await nursery.start(activation.attend, trio.Event())\n"
        "        await trio.sleep(0.5)\n"
        "        activation.notify('STATUS=stalls')\n"
        "        time.sleep(1)\n"
        "        activation.notify('STATUS=goes on')\n"
        "        await trio.sleep_forever()\n"
        "trio.run(main)\n"
    )
    async with started([sys.executable, "-c", program], told):
        await manager.hear_of("WATCHDOG=1")
        await manager.hear_of("STATUS=stalls")
        assert await manager.hear() == ["STATUS=goes on"]
        await manager.hear_of("WATCHDOG=1")


async def test_a_reload_is_told_with_its_time(
    manager: Manager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", manager.name)
    with activation.reloading():
        first, second = await manager.hear()
        assert first == "RELOADING=1"
        assert re.fullmatch("MONOTONIC_USEC=[0-9]+", second)
    assert await manager.hear() == ["READY=1"]


@pytest.mark.parametrize("name", ["", "relative", "/nowhere/at/all", "@nobody"])
def test_without_a_manager_nothing_is_told(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", name)
    activation.notify("READY=1")


@pytest.mark.parametrize(
    ("usec", "pid", "silence_s"),
    [
        ("3000000", None, 3.0),
        pytest.param("3000000", str(os.getpid()), 3.0, id="this process"),
        ("3000000", "1", None),
        ("0", None, None),
        ("x", None, None),
        pytest.param("9" * 5_000, None, None, id="too long"),
        (None, None, None),
    ],
)
def test_the_watchdog_may_be_meant_for_another_process(
    usec: str | None, pid: str | None, silence_s: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("WATCHDOG_USEC", usec), ("WATCHDOG_PID", pid)):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    assert activation.watchdog_s() == silence_s


def test_sockets_for_another_process_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LISTEN_FDS", "1")
    monkeypatch.setenv("LISTEN_PID", "1")
    assert activation.inherited() == []
    monkeypatch.delenv("LISTEN_PID")
    assert activation.inherited() == []


@pytest.mark.parametrize("count", ["", "-1", " 1", "x", pytest.param("9" * 5_000, id="too long")])
def test_what_is_no_number_of_sockets_is_none(count: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LISTEN_FDS", count)
    monkeypatch.setenv("LISTEN_PID", str(os.getpid()))
    assert activation.inherited() == []


@pytest.mark.skipif(ACTIVATE is None, reason="systemd-socket-activate is not installed")
async def test_the_sockets_of_systemd_are_served_all_of_them() -> None:
    ports = [free_port(family) for family in families()]
    assert ACTIVATE is not None
    hosts = ["127.0.0.1", "[::1]"][: len(ports)]
    flags = [f"--listen={host}:{port}" for host, port in [*zip(hosts, ports, strict=True)]]
    # `--port` is of no account: what is handed over is what it listens on.
    command = [
        *(ACTIVATE, *flags, "-E", f"PYTHONPATH={os.environ.get('PYTHONPATH', '')}"),
        *(*SERVE, "--port", "1"),
    ]
    async with started(command, stderr=subprocess.PIPE) as server:
        assert server.stderr is not None
        said = b""
        with trio.fail_after(20):
            while said.count(b"Listening on") < len(ports):
                said += await server.stderr.receive_some()
        for host, port in zip(hosts, ports, strict=True):
            with trio.fail_after(20):
                await play_at(f"ws://{host}:{port}/ws")
        server.terminate()
        with trio.fail_after(10):
            assert await server.wait() == 0


def families() -> list[socket.AddressFamily]:
    return [socket.AF_INET, socket.AF_INET6] if has_ipv6() else [socket.AF_INET]


def free_port(family: socket.AddressFamily) -> int:
    host = "::1" if family == socket.AF_INET6 else "127.0.0.1"
    with socket.create_server((host, 0), family=family) as sock:
        return int(sock.getsockname()[1])


async def test_what_connects_between_two_servers_waits_for_the_second(
    listening: socket.socket,
) -> None:
    port = listening.getsockname()[1]
    command = ["/bin/sh", "-c", HAND_OVER, "sh", *SERVE]
    url = f"ws://127.0.0.1:{port}/ws"
    async with started(command, stdin=listening.fileno()) as first:
        with trio.fail_after(20):
            await play_at(url)
        first.send_signal(signal.SIGTERM)
        with trio.fail_after(10):
            assert await first.wait() == 0
    async with AsyncExitStack() as stack:
        with trio.fail_after(20):
            async with trio.open_nursery() as nursery:
                for _ in range(5):
                    nursery.start_soon(play_at, url)
                waiting = await trio.open_tcp_stream("127.0.0.1", port)  # no refusal, no server
                await waiting.aclose()
                await stack.enter_async_context(started(command, stdin=listening.fileno()))


async def test_what_is_no_listening_socket_is_a_line_and_status_1() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as unbound:
        process = await trio.run_process(
            ["/bin/sh", "-c", HAND_OVER, "sh", *SERVE],
            stdin=unbound.fileno(),
            capture_stderr=True,
            check=False,
        )
    assert process.returncode == 1
    (line,) = process.stderr.decode().splitlines()
    assert line == (
        "kaguraden serve: cannot start: "
        "descriptor 3, from the service manager, is no listening TCP socket"
    )
