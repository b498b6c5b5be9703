"""Connections that say nothing: no address holds more of the door than its share."""

import gc
import socket
from contextlib import AsyncExitStack

import pytest
import trio
from kaguraden_server import app as app_module
from kaguraden_server import lobby as lobby_module
from kaguraden_server.config import Config, ServerSettings
from kaguraden_server.crowd import SWEEP_AT, Crowd
from trio.testing import open_stream_to_socket_listener

from .house import Player, config
from .test_sockets import SocketLine, dial, http, served

PAGE = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


async def silent(port: int, source: str) -> trio.SocketStream:
    sock = trio.socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    await sock.bind((source, 0))
    await sock.connect(("127.0.0.1", port))
    return trio.SocketStream(sock)


async def test_who_opens_and_says_nothing_keeps_nobody_else_out() -> None:
    async with served(config({"connections_per_address": 3})) as running, AsyncExitStack() as all_:
        mine = [
            await all_.enter_async_context(await silent(running.port, "127.0.0.9"))
            for _ in range(6)
        ]
        over = await all_.enter_async_context(await silent(running.port, "127.0.0.9"))
        with trio.fail_after(5):
            assert await over.receive_some() == b"", "closed at once"
        async with dial(running) as ws:
            await Player(SocketLine(ws)).open("Aki")
        # Who lets go of one has room for another, once the server has seen it go.
        await mine[0].aclose()
        with trio.fail_after(5):
            while b" 200 OK" not in await asked(await silent(running.port, "127.0.0.9")):
                pass


async def asked(stream: trio.SocketStream) -> bytes:
    async with stream:
        try:
            await stream.send_all(PAGE)
            return b"".join([part async for part in stream])
        except trio.BrokenResourceError:
            return b""


async def test_pages_are_not_counted_once_they_are_sent() -> None:
    async with served(config({"connections_per_address": 1})) as running:
        for _ in range(10):
            answer = await http(running, "GET /healthz HTTP/1.1\nHost: 127.0.0.1\n\n")
            assert answer.startswith("HTTP/1.1 200 ")


@pytest.mark.parametrize("proxies", [(), ("127.0.0.0/8",)], ids=["their own", "a proxy's"])
@pytest.mark.parametrize("said", [b"", b"GET /ws HTTP/1.1\r\nHost: ", PAGE], ids=len)
async def test_a_stop_waits_for_nobody_in_a_handshake_and_for_no_reader_of_a_page(
    said: bytes, proxies: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LAST_S", "HANDSHAKE_S", "CLOSE_S"):
        monkeypatch.setattr(app_module, name, 60.0)
    settings = Config(server=ServerSettings(drain_s=1, trusted_proxies=proxies))
    async with AsyncExitStack() as all_, served(settings) as running:
        stream = await all_.enter_async_context(await silent(running.port, "127.0.0.9"))
        await stream.send_all(said)
        if said == PAGE:
            await stream.receive_some(1)  # and does not hang up
        else:
            await trio.testing.wait_all_tasks_blocked(0.01)
    # That `served` ends within its time is the test.


async def test_what_is_left_of_streams_that_say_nothing_is_freed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lobby_module, "SWEEP_S", 0.01)
    monkeypatch.setattr(lobby_module, "FEW_ENDED", 5)
    async with served() as running:
        freed = trio.Event()
        monkeypatch.setattr(gc, "collect", freed.set)
        for number in range(6):
            assert not freed.is_set()
            await (await silent(running.port, f"127.0.0.{number + 9}")).aclose()
        with trio.fail_after(10):
            await freed.wait()


async def test_addresses_that_are_gone_are_forgotten() -> None:
    crowd = Crowd()
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with listener:
        open_one = await open_stream_to_socket_listener(listener)
        closed = await open_stream_to_socket_listener(listener)
        await closed.aclose()
        assert crowd.admits(open_one, "192.0.2.1", 1)
        assert not crowd.admits(open_one, "192.0.2.1", 1)
        for n in range(3 * SWEEP_AT):
            assert crowd.admits(closed, f"198.51.{n // 250}.{n % 250}", 1)
            assert len(crowd) <= SWEEP_AT + 1
        assert not crowd.admits(open_one, "192.0.2.1", 1)
        await open_one.aclose()


@pytest.mark.parametrize(("second", "admitted"), [("2001:db8::2", False), ("2001:db8:1::", True)])
async def test_a_home_has_one_share(second: str, admitted: bool) -> None:
    crowd = Crowd()
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with listener, await open_stream_to_socket_listener(listener) as stream:
        assert crowd.admits(stream, "2001:db8::1", 1)
        assert crowd.admits(stream, second, 1) is admitted
