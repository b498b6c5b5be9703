"""The real server over real sockets: handshakes, frames that break rules, stuck readers."""

import json
import socket
import ssl
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
from attrs import evolve
from kaguraden_protocol.errors import CLOSE_REASONS, CloseCode
from kaguraden_server.app import App, Running
from kaguraden_server.config import Config
from kaguraden_server.wires import Socket
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol
from websockets.trio.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from tests.fakes import OFUDA

from .house import Player, config, play_out

HELLO = {"type": "hello", "id": 0, "name": "Aki", "client": {"name": "t", "version": "1"}}


class SocketLine:
    """A player's line over a WebSocket."""

    def __init__(self, ws: ClientConnection) -> None:
        self.ws = ws

    async def send(self, text: str) -> None:
        await self.ws.send(text)

    async def receive(self) -> str:
        try:
            return await self.ws.recv(decode=True)
        except ConnectionClosed:
            raise EOFError from None

    async def aclose(self) -> None:
        await self.ws.aclose()


@asynccontextmanager
async def served(settings: Config | None = None) -> AsyncIterator[Running]:
    """Run the whole application on a free port."""
    settings = settings or Config()
    settings = evolve(settings, server=evolve(settings.server, port=0))
    app = App(settings, games={"ofuda": OFUDA}, bots={})
    with trio.fail_after(20):
        async with trio.open_nursery() as nursery:
            running: Running = await nursery.start(app.run)
            yield running
            app.stop.set()


def dial(running: Running, **fields: Any) -> connect:
    return connect(
        running.url,
        subprotocols=[Subprotocol("kaguraden.v1")],
        compression=None,
        proxy=None,
        max_size=None,
        **fields,
    )


async def close_of(ws: ClientConnection) -> tuple[int | None, str | None]:
    """Read to the end; return the close code and reason."""
    with trio.fail_after(10):
        try:
            while True:
                await ws.recv()
        except ConnectionClosed:
            return ws.close_code, ws.close_reason


def told(code: CloseCode) -> tuple[int, str]:
    return int(code), CLOSE_REASONS[code]


async def http(running: Running, text: str) -> str:
    """Send a request by hand; return all that comes back."""
    stream = await trio.open_tcp_stream("127.0.0.1", running.port)
    async with stream:
        await stream.send_all(text.replace("\n", "\r\n").encode())
        answer = b""
        with trio.fail_after(5):
            async for part in stream:
                answer += part
    return answer.decode()


# --- handshakes -----------------------------------------------------------------------------------


async def test_two_clients_play_a_game_over_sockets() -> None:
    async with served() as running, dial(running) as one, dial(running) as two:
        assert one.subprotocol == "kaguraden.v1"
        assert "Server" not in one.response.headers  # type: ignore[union-attr]
        aki, ben = Player(SocketLine(one)), Player(SocketLine(two))
        await aki.open("Aki")
        await ben.open("Ben")
        made = await aki.ask(
            "create", game="ofuda", seats=2, options={"window_min_ms": 50, "auction_ms": 500}
        )
        room = made["room"]
        await ben.ask("join", room=room)
        for player in (aki, ben):
            await player.ask("ready", room=room, ready=True)
        await aki.ask("start", room=room)
        for player in (aki, ben):
            if room not in player.views:
                await player.update()
        last = await play_out(room, [aki, ben])
        assert [update["view"]["phase"] for update in last] == ["over", "over"]


@pytest.mark.parametrize("offered", [None, ["kaguraden.v0", "chat"]])
async def test_a_client_without_a_known_subprotocol_is_refused(offered: list[str] | None) -> None:
    names = None if offered is None else [Subprotocol(name) for name in offered]
    async with served() as running:
        with pytest.raises(InvalidStatus) as caught:
            async with connect(running.url, subprotocols=names, proxy=None):
                raise AssertionError("let in")
        response = caught.value.response
        assert response.status_code == 400
        assert b"kaguraden.v1" in response.body


async def test_other_origins_and_names_are_refused() -> None:
    async with served() as running:
        with pytest.raises(InvalidStatus) as caught:
            async with dial(running, origin=Origin("https://evil.example")):
                raise AssertionError("let in")
        assert caught.value.response.status_code == 403
        own = Origin(f"http://127.0.0.1:{running.port}")
        async with dial(running, origin=own) as ws:
            await Player(SocketLine(ws)).open("Aki")
        answer = await http(running, "GET /healthz HTTP/1.1\nHost: evil.example\n\n")
        assert answer.startswith("HTTP/1.1 421 ")


async def test_plain_http_on_the_same_port() -> None:
    async with served() as running:
        host = f"Host: 127.0.0.1:{running.port}\n\n"
        health = await http(running, "GET /healthz HTTP/1.1\n" + host)
        assert health.startswith("HTTP/1.1 200 OK\r\n")
        assert health.endswith("\r\n\r\nok\n")
        head = await http(running, "HEAD /protocol/v1/schema.json HTTP/1.1\n" + host)
        assert head.startswith("HTTP/1.1 200 ")
        assert head.endswith("\r\n\r\n"), "no body"
        schema = await http(running, "GET /protocol/v1/schema.json HTTP/1.1\n" + host)
        assert json.loads(schema.partition("\r\n\r\n")[2])["$defs"]["Hello"]
        upgrade = await http(running, "GET /ws HTTP/1.1\n" + host)
        assert upgrade.startswith("HTTP/1.1 426 ")
        assert (await http(running, "GET /favicon.ico HTTP/1.1\n" + host)).startswith(
            "HTTP/1.1 404 "
        )
        await http(running, "nonsense\n\n")
        assert "ok" in await http(running, "GET /healthz HTTP/1.1\n" + host), "it lives on"


async def test_connections_of_one_address_are_limited() -> None:
    async with served(config({"connections_per_address": 1})) as running, dial(running) as ws:
        await Player(SocketLine(ws)).open("Aki")
        with pytest.raises(InvalidStatus) as caught:
            async with dial(running):
                raise AssertionError("let in")
        assert caught.value.response.status_code == 429


# --- frames that break rules --------------------------------------------------------------------------


async def test_20_bad_messages_close_with_4000() -> None:
    async with served() as running, dial(running) as ws:
        await Player(SocketLine(ws)).open("Aki")
        for _ in range(20):
            await ws.send("nonsense")
        replies = [json.loads(await ws.recv()) for _ in range(20)]
        assert {r["code"] for r in replies} == {"bad_json"}
        assert {r["re"] for r in replies} == {None}
        assert await close_of(ws) == told(CloseCode.ABUSE)


async def test_an_oversized_frame_closes_with_1009() -> None:
    async with served() as running, dial(running) as ws:
        await Player(SocketLine(ws)).open("Aki")
        fits = json.dumps({"type": "ping", "id": 7, "x_filler": ""})
        await ws.send(fits.replace('""', '"' + "y" * (16 * 1024 - len(fits)) + '"'))
        assert json.loads(await ws.recv())["re"] == 7
        await ws.send("y" * (16 * 1024 + 1))
        assert await close_of(ws) == told(CloseCode.TOO_LARGE)


async def test_a_binary_frame_closes_with_1003() -> None:
    async with served() as running, dial(running) as ws:
        await ws.send(json.dumps(HELLO))
        await ws.send(b"{}")
        await ws.recv()
        assert await close_of(ws) == told(CloseCode.BINARY)


async def test_text_that_is_not_utf_8_closes_with_1007() -> None:
    async with served() as running, dial(running) as ws:
        await ws.send(json.dumps(HELLO))
        await ws.send(b'{"type":"ping\xff"}', text=True)
        await ws.recv()
        assert await close_of(ws) == told(CloseCode.INVALID_UTF8)


async def test_a_broken_frame_closes_without_quoting_it() -> None:
    async with served() as running, dial(running) as ws:
        await Player(SocketLine(ws)).open("Aki")
        await ws.stream.send_all(b"\x83\x80abcd")  # a reserved opcode
        code, reason = await close_of(ws)
        assert (code, reason) == (1002, "protocol error")


async def test_a_frame_that_comes_after_the_end_is_no_error() -> None:
    stream, _ = trio.testing.memory_stream_pair()
    async with trio.open_nursery() as nursery:
        server: Any = None
        ended = Socket(nursery, stream, ServerProtocol(), server)
        ended.request = Request("/ws", Headers())
        ended.recv_messages.close()
        ended.process_event(Frame(Opcode.TEXT, b"{}"))
        nursery.cancel_scope.cancel()


async def test_no_hello_in_time_closes_with_4001() -> None:
    async with served(config({"hello_ms": 60})) as running, dial(running) as ws:
        assert await close_of(ws) == told(CloseCode.NO_HELLO)


async def test_resuming_elsewhere_closes_with_4004() -> None:
    async with served() as running, dial(running) as one, dial(running) as two:
        aki = await Player(SocketLine(one)).open("Aki")
        again = await Player(SocketLine(two)).open("Aki", resume=aki.hello["token"])
        assert again.hello["resumed"] is True
        assert await close_of(one) == told(CloseCode.TAKEN_OVER)


async def test_a_flood_closes_with_4006() -> None:
    async with served(config({"burst_requests": 5})) as running, dial(running) as ws:
        await Player(SocketLine(ws)).open("Aki")
        try:
            for _ in range(200):
                await ws.send('{"type":"ping","id":1}')
        except ConnectionClosed:
            pass
        with trio.fail_after(1.5):  # the close is in order, not one that has to be forced
            assert await close_of(ws) == told(CloseCode.RATE)


async def test_the_connection_lives_through_other_nonsense_on_the_wire() -> None:
    async with served() as running, dial(running) as ws:
        aki = await Player(SocketLine(ws)).open("Aki")
        for text in ("", "[" * 16_000, '{"type":"ping","id":{}}', '{"id":1}', "\u202e", "NaN"):
            await ws.send(text)
            assert json.loads(await ws.recv())["type"] == "error"
            await aki.ask("ping")
        await ws.ping(b"x" * 125)
        await ws.send(["{", '"type":"ping"', ',"id":99}'])
        assert json.loads(await ws.recv())["re"] == 99, "a message may come in fragments"
        await ws.pong(b"unasked")
        await aki.ask("ping")


# --- readers that do not read ------------------------------------------------------------------------------


class Mute:
    """A client that speaks and never listens, over a socket with small buffers."""

    def __init__(self, sock: trio.socket.SocketType, stream: trio.abc.Stream) -> None:
        self.socket = sock
        self.stream = stream

    @classmethod
    async def dial(cls, port: int, tls: ssl.SSLContext | None = None) -> "Mute":
        sock = trio.socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        await sock.connect(("127.0.0.1", port))
        stream: trio.abc.Stream = trio.SocketStream(sock)
        if tls is not None:
            stream = trio.SSLStream(stream, tls, server_hostname="x", https_compatible=True)
        head = (
            f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"
            "Sec-WebSocket-Protocol: kaguraden.v1\r\n\r\n"
        )
        await stream.send_all(head.encode())
        return cls(sock, stream)

    async def send(self, **fields: Any) -> None:
        text = json.dumps(fields).encode()
        mask = b"\0\0\0\0"
        length = bytes([0x80 | 126]) + len(text).to_bytes(2, "big")
        await self.stream.send_all(b"\x81" + length + mask + text)


async def test_a_stuck_reader_is_cut_and_its_room_never_waits() -> None:
    limits = {
        "write_ms": 300,
        "burst_requests": 100_000,
        "requests_per_second": 100_000,
        "chat_messages": 1_000,
        "queue_bytes": 65_536,
    }
    async with served(config(limits)) as running, dial(running) as one, dial(running) as two:
        aki = await Player(SocketLine(one)).open("Aki")
        ben = await Player(SocketLine(two)).open("Ben")
        room = (await aki.ask("create", game="ofuda", seats=2))["room"]
        await ben.ask("join", room=room)
        mute = await Mute.dial(running.port)
        await mute.send(type="hello", id=0, name="Mute", client={"name": "t", "version": "1"})
        await mute.send(type="join", id=1, room=room, **{"as": "spectator"})
        while running.lobby.rooms[room].info().spectators == 0:
            await aki.next("room")
        slowest, said = 0.0, 0
        while len(running.lobby.connections) == 3:
            began = trio.current_time()
            await aki.ask("chat", room=room, text="神楽" * 250)
            slowest = max(slowest, trio.current_time() - began)
            said += 1
            assert (await ben.next("chat"))["n"] == said
        assert said >= 20, "it took more than the buffers hold"
        assert slowest < 0.25, "nobody else noticed"
        assert running.lobby.counts.ended == {"4003": 1}
        await aki.ask("chat", room=room, text="still here")
        await mute.stream.aclose()


# --- the end --------------------------------------------------------------------------------------------------


async def test_nothing_is_left_of_a_connection_that_broke_with_unread_frames() -> None:
    """The library's reader waits while frames are not taken, and after the end nobody takes them."""
    async with served() as running:
        before = readers()
        for _ in range(4):
            mute = await Mute.dial(running.port)
            await mute.send(**HELLO)
            for number in range(300):  # more than is served at once, and replies that are lost
                await mute.send(type="rooms", id=number + 1)
            linger = struct.pack("ii", 1, 0)  # no goodbye of TCP either
            mute.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            await mute.stream.aclose()
        while running.lobby.connections or readers() > before:  # noqa: ASYNC110 - no event tells
            await trio.sleep(0.01)


def readers() -> int:
    """Return how many tasks of the library read for connections of a server."""
    waiting, found = [trio.lowlevel.current_root_task()], 0
    while waiting:
        task = waiting.pop()
        if task is None:
            continue
        found += task.name.endswith("Connection.recv_events") and "server" in str(
            task.coro.cr_frame and task.coro.cr_frame.f_locals.get("self")
        )
        waiting += [child for nursery in task.child_nurseries for child in nursery.child_tasks]
    return found


async def test_a_stop_tells_everybody_and_closes_with_1012() -> None:
    async with trio.open_nursery() as nursery:
        settings = evolve(Config(), server=evolve(Config().server, port=0, drain_s=1))
        app = App(settings, games={"ofuda": OFUDA}, bots={})
        running: Running = await nursery.start(app.run)
        async with dial(running) as ws, dial(running) as silent:
            aki = await Player(SocketLine(ws)).open("Aki", locale="ja")
            mute = await Mute.dial(running.port)
            app.stop.set()
            with trio.fail_after(5):
                notice = json.loads(await ws.recv())
                assert (notice["type"], notice["code"]) == ("notice", "draining")
                assert "停止" in notice["message"]
                assert await close_of(ws) == told(CloseCode.RESTARTING)
                with pytest.raises(ConnectionClosed):  # it said no hello: it hears no notice
                    await silent.recv()
                assert silent.close_code == CloseCode.RESTARTING
            del aki
        with trio.fail_after(5):
            while running.lobby.connections:
                await trio.testing.wait_all_tasks_blocked(0.01)
        await mute.stream.aclose()


async def test_a_server_that_stops_opens_no_rooms() -> None:
    async with served() as running, dial(running) as ws:
        aki = await Player(SocketLine(ws)).open("Aki")
        running.lobby.is_draining = True
        assert (await aki.refused("create", game="ofuda")).code == "draining"
        host = f"Host: 127.0.0.1:{running.port}\n\n"
        ready = await http(running, "GET /readyz HTTP/1.1\n" + host)
        assert ready.startswith("HTTP/1.1 503 ")
        with pytest.raises(InvalidStatus) as caught:
            async with dial(running):
                raise AssertionError("let in")
        assert caught.value.response.status_code == 503
