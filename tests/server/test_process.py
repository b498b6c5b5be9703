"""The command as people start it: a process, its output, its end."""

import json
import re
import signal
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


async def test_all_addresses_are_told_on_stderr() -> None:
    async with process("--port", "0", "--lan") as (server, line):
        assert line.startswith("ws://127.0.0.1:")
        server.terminate()
        told_to_people = await rest(server.stderr)
        assert "listening host=0.0.0.0" in told_to_people
        assert "join with" in told_to_people or "no address" in told_to_people
        assert "ws://[" not in told_to_people, "it does not listen on those"


async def test_a_port_in_use_is_a_line_and_status_1() -> None:
    async with process("--port", "0") as (_, line):
        port = line.removesuffix("/ws").rpartition(":")[2]
        second = await trio.run_process(
            [*SERVE, "--port", port], capture_stdout=True, capture_stderr=True, check=False
        )
        assert second.returncode == 1
        assert second.stdout == b""
        last = second.stderr.decode().splitlines()[-1]
        assert last.startswith("kaguraden serve: cannot start: ")
        assert "Traceback" not in second.stderr.decode()
