"""A real nginx with the example's configuration in front of a real server."""

from __future__ import annotations

import json
import re
import shutil
import signal
import socket
import ssl
import subprocess
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest
import trio
from attrs import frozen
from kaguraden_client.session import Lost, Opened, Session
from kaguraden_client.trio_shell import WebSocketTransport, open_client
from kaguraden_protocol import messages
from kaguraden_protocol.errors import CloseCode
from websockets.exceptions import InvalidStatus
from websockets.trio.client import connect
from websockets.typing import Subprotocol

from tests.certificates import make
from tests.server.house import Player
from tests.server.test_sockets import SocketLine

from .manager import Manager, Served, managed

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin")
EXAMPLE = Path(__file__).parents[2] / "deploy" / "nginx" / "kaguraden.conf"
SETTINGS = """\
[server]
trusted_proxies = ["127.0.0.1"]

[limits]
connections_per_address = 1
"""
AROUND = """\
daemon off;
pid {folder}/nginx.pid;
error_log stderr notice;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/1;
    proxy_temp_path {folder}/2;
    fastcgi_temp_path {folder}/3;
    uwsgi_temp_path {folder}/4;
    scgi_temp_path {folder}/5;
    include {folder}/kaguraden.conf;
}}
"""

pytestmark = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")


@frozen
class Front:
    """An nginx on two ports, and how to trust its certificate."""

    plain: int
    port: int
    trust: ssl.SSLContext

    def connect(self, source: str, **fields: Any) -> connect:
        """Connect from an address of the loopback."""
        return connect(
            f"wss://localhost:{self.port}/ws",
            subprotocols=[Subprotocol("kaguraden.v1")],
            compression=None,
            proxy=None,
            ssl=self.trust,
            local_address=source,
            **fields,
        )

    async def get(self, path: str) -> tuple[int, str]:
        """Return status and body of a page."""
        return await trio.to_thread.run_sync(self._get, path)

    def _get(self, path: str) -> tuple[int, str]:
        try:
            url = f"https://localhost:{self.port}{path}"
            with urllib.request.urlopen(url, context=self.trust, timeout=20) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            with error:
                return error.code, error.read().decode()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        return int(sock.getsockname()[1])


def substituted(text: str, changes: dict[str, str]) -> str:
    """Return the example with ports, names and paths of the test; each of them is in it."""
    for old, new in changes.items():
        assert old in text, f"the example has no {old!r} any more"
        text = text.replace(old, new)
    return text


@asynccontextmanager
async def front(folder: Path, upstream: int) -> AsyncIterator[Front]:
    """Run nginx in front of a port."""
    assert NGINX is not None
    made = make(folder)
    plain, port = free_port(), free_port()
    names = "/etc/letsencrypt/live/play.example.org"
    changes = {
        "server 127.0.0.1:8765;": f"server 127.0.0.1:{upstream};",
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen [::]:80;": "",
        "listen 443 ssl http2;": f"listen 127.0.0.1:{port} ssl http2;",
        "listen [::]:443 ssl http2;": "",
        "server_name play.example.org;": "server_name localhost;",
        f"{names}/fullchain.pem": str(made.cert),
        f"{names}/privkey.pem": str(made.key),
    }
    text = substituted(EXAMPLE.read_text("utf-8"), changes)
    (folder / "kaguraden.conf").write_text(text, "utf-8")
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder), "utf-8")
    command = [NGINX, "-e", "stderr", "-p", str(folder), "-c", str(folder / "nginx.conf")]
    process = await trio.lowlevel.open_process(command, stderr=subprocess.PIPE)
    try:
        assert process.stderr is not None
        said = b""
        while b"start worker process " not in said:
            part = await process.stderr.receive_some()
            assert part, said.decode()
            said += part
        yield Front(plain, port, ssl.create_default_context(cafile=made.cert))
    finally:
        process.terminate()
        with trio.CancelScope(shield=True):
            await process.wait()


@asynccontextmanager
async def both(folder: Path) -> AsyncIterator[tuple[Manager, Served, Front]]:
    with trio.fail_after(60):
        async with (
            managed(folder) as manager,
            front(folder, manager.port) as nginx,
            manager.serve(SETTINGS) as served,
        ):
            yield manager, served, nginx


def addresses(log: Path) -> list[str]:
    entries = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    return [entry["address"] for entry in entries if entry["event"] == "connected"]


async def test_the_clients_own_address_is_kept_and_counted(tmp_path: Path) -> None:
    async with both(tmp_path) as (_, served, nginx), nginx.connect("127.0.0.2") as ws:
        await Player(SocketLine(ws)).open("Aki")
        assert ws.subprotocol == "kaguraden.v1"
        made_up = {"X-Forwarded-For": "198.51.100.7", "Forwarded": "for=198.51.100.7"}
        with pytest.raises(InvalidStatus) as caught:
            async with nginx.connect("127.0.0.2", additional_headers=made_up):
                raise AssertionError("let in")
        assert caught.value.response.status_code == 429
        async with nginx.connect("127.0.0.3", additional_headers=made_up) as other:
            await Player(SocketLine(other)).open("Ben")
            assert addresses(served.log) == ["127.0.0.2", "127.0.0.3"]


async def test_pages_work_through_it_and_the_metrics_are_not_there(tmp_path: Path) -> None:
    async with both(tmp_path) as (_, _, nginx):
        status, page = await nginx.get("/")
        assert status == 200
        assert f"kaguraden play wss://localhost:{nginx.port}/ws" in page
        assert (await nginx.get("/play"))[0] == 200
        assert (await nginx.get("/healthz")) == (200, "ok\n")
        for path in ("/metrics", "/metrics?x=1", "//metrics", "/x/../metrics", "/%6detrics"):
            status, body = await nginx.get(path)
            assert status in {403, 404}, path
            assert "kaguraden_" not in body
        async with await trio.open_tcp_stream("127.0.0.1", nginx.plain) as stream:
            await stream.send_all(
                b"GET /play HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            )
            head = b"".join([part async for part in stream])
        assert re.match(
            rb"HTTP/1.1 308 .*\r\nLocation: https://localhost/play\r\n", head, re.DOTALL
        )


async def test_clients_come_back_through_it_after_a_restart(tmp_path: Path) -> None:
    session = Session("Aki", bot=True)
    async with both(tmp_path) as (manager, served, nginx):

        @asynccontextmanager
        async def through() -> AsyncIterator[WebSocketTransport]:
            async with nginx.connect("127.0.0.2") as ws:
                yield WebSocketTransport(ws)

        opened = partial(open_client, "wss://localhost/ws", session, connect_with=through)
        async with opened(delay=lambda *_: 0.01) as client:
            room = (await client.request(messages.Create(id=0, game="odoriko")))["room"]
            served.process.send_signal(signal.SIGTERM)
            assert await served.process.wait() == 0
            async with manager.serve(SETTINGS) as again:
                codes: list[int] = []
                async for event in client.events():
                    match event:
                        case Lost(code=code):
                            codes.append(code)
                        case Opened(again=True, resumed=True, hello=hello):
                            assert [mine.room for mine in hello.rooms] == [room]
                            break
                        case _:
                            pass
                assert codes[0] == CloseCode.RESTARTING
                assert addresses(again.log) == ["127.0.0.2"]
