"""Connections that say nothing: no address holds more of the door than its share."""

import socket
from contextlib import AsyncExitStack

import pytest
import trio
from kaguraden_server.crowd import SWEEP_AT, Crowd
from trio.testing import open_stream_to_socket_listener

from .house import Player, config
from .test_sockets import SocketLine, dial, http, served


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
            await stream.send_all(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            return b"".join([part async for part in stream])
        except trio.BrokenResourceError:
            return b""


async def test_pages_are_not_counted_once_they_are_sent() -> None:
    async with served(config({"connections_per_address": 1})) as running:
        for _ in range(10):
            answer = await http(running, "GET /healthz HTTP/1.1\nHost: 127.0.0.1\n\n")
            assert answer.startswith("HTTP/1.1 200 ")


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
