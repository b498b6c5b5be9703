"""The command as people start it: a process, its output, its end."""

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
from kaguraden_protocol.errors import CloseCode
from websockets.exceptions import ConnectionClosed
from websockets.trio.client import connect
from websockets.typing import Subprotocol

from .house import Player
from .test_sockets import SocketLine, close_of, told

SERVE = [sys.executable, "-m", "kaguraden_server", "serve"]


def has_ipv6() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


@asynccontextmanager
async def process(*flags: str) -> AsyncIterator[tuple[trio.Process, str]]:
    """Start the server; yield it and the first line that it printed."""
    started = await trio.lowlevel.open_process(
        [*SERVE, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        with trio.fail_after(20):
            assert started.stdout is not None
            line = b""
            while not line.endswith(b"\n"):
                part = await started.stdout.receive_some()
                assert part, "it ended without a line"
                line += part
            yield started, line.decode().strip()
    finally:
        started.kill()
        await started.wait()


async def rest(stream: trio.abc.ReceiveStream | None) -> str:
    assert stream is not None
    return b"".join([part async for part in stream]).decode()


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_drains_and_ends_with_0(sent: signal.Signals, tmp_path: Path) -> None:
    flags = ("--port", "0", "--log-format", "json", "--data", str(tmp_path / "data"))
    async with process(*flags) as (server, line):
        assert re.fullmatch(r"ws://127\.0\.0\.1:[0-9]+/ws", line)
        async with connect(
            line, subprotocols=[Subprotocol("kaguraden.v1")], proxy=None, max_size=None
        ) as ws:
            aki = await Player(SocketLine(ws)).open("Aki")
            made = await aki.ask("create", game="odoriko")
            assert re.fullmatch("[A-Z]{4}-[A-Z0-9]{4}", made["room"])
            server.send_signal(sent)
            try:
                while json.loads(await ws.recv()).get("code") != "draining":
                    pass
            except ConnectionClosed:
                raise AssertionError("no notice came") from None
            assert await close_of(ws) == told(CloseCode.RESTARTING)
        with trio.fail_after(5):
            assert await server.wait() == 0
        assert await rest(server.stdout) == "", "one line and no more"
        log = [json.loads(entry) for entry in (await rest(server.stderr)).splitlines()]
        assert [log[0]["event"], log[-1]["event"]] == ["listening", "stopped"]
        assert (tmp_path / "data" / "replays").is_dir()


async def test_for_the_local_network_all_addresses_are_told_and_each_room() -> None:
    async with process("--port", "0", "--lan") as (server, line):
        assert line.startswith("ws://127.0.0.1:")
        async with connect(line, subprotocols=[Subprotocol("kaguraden.v1")], proxy=None) as ws:
            aki = await Player(SocketLine(ws)).open("Aki")
            room = (await aki.ask("create", game="odoriko"))["room"]
        server.terminate()
        log = await rest(server.stderr)
        assert "listening host=0.0.0.0" in log
        block = re.search(r"\n\n(.*(?:join with|no address).*\n(?:  .*\n)*)\n", log)
        assert block, "it stands apart"
        opened = re.search(rf"room_opened room={room} .*", log)
        assert opened
        for told in re.findall("kaguraden play .*", block[1])[:1]:
            assert f"{told} --room {room}" in opened[0]


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
async def test_for_the_local_network_it_listens_on_ipv6_too() -> None:
    async with process("--port", "0", "--lan") as (_, line):
        six = line.replace("127.0.0.1", "[::1]")
        for url in (line, six):
            async with connect(url, subprotocols=[Subprotocol("kaguraden.v1")], proxy=None) as ws:
                await Player(SocketLine(ws)).open("Aki")


async def test_a_port_in_use_is_a_line_and_status_1() -> None:
    async with process("--port", "0") as (_, line):
        port = line.removesuffix("/ws").rpartition(":")[2]
        second = await trio.run_process(
            [*SERVE, "--port", port], capture_stdout=True, capture_stderr=True, check=False
        )
        assert second.returncode == 1
        assert second.stdout == b""
        (last,) = second.stderr.decode().splitlines()
        assert last == (
            f"kaguraden serve: cannot start: port {port} on 127.0.0.1 is in use by another program; "
            "choose another with --port"
        )
        assert "Traceback" not in second.stderr.decode()


async def test_a_server_ends_with_the_program_that_started_it_for_itself() -> None:
    """Also where that program was killed and could tell nothing."""
    started = await trio.lowlevel.open_process(
        [*SERVE, "--port", "0", "--until-eof"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert started.stdin is not None
    assert started.stdout is not None
    with trio.fail_after(20):
        assert b"ws://" in await started.stdout.receive_some()
        await started.stdin.aclose()
        assert await started.wait() == 0
