"""Both shells against a real WebSocket server on a real socket, by one set of tests."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest
import trio
import trio.testing
from kaguraden_client import asyncio_shell, shell, trio_shell
from kaguraden_client import session as s
from kaguraden_client.session import Session
from kaguraden_protocol import messages
from kaguraden_protocol.errors import LocalProtocolError
from websockets.exceptions import ConnectionClosed

from tests.client.peer import Peer, serving, table_with_a_turn
from tests.client.scripts import ROOM, TOKEN, update

Client = trio_shell.Client | asyncio_shell.Client
Body = Callable[[Callable[..., Any]], Awaitable[None]]


def under_trio(body: Body) -> None:
    async def main() -> None:
        with trio.fail_after(20):
            await body(partial(trio_shell.open_client, delay=lambda *_: 0.01))

    trio.run(main)


def under_asyncio(body: Body) -> None:
    async def main() -> None:
        async with asyncio.timeout(20):
            await body(partial(asyncio_shell.open_client, delay=lambda *_: 0.01))

    asyncio.run(main())


both = pytest.mark.parametrize("under", [under_trio, under_asyncio])


async def until(client: Client, kind: type[s.Event]) -> Any:
    async for event in client.events():
        if isinstance(event, kind):
            return event
    raise AssertionError(f"the session ended without {kind.__name__}")


# --- talking -------------------------------------------------------------------------------------


@both
def test_requests_are_answered_and_pushes_come_out_as_events(
    under: Callable[[Body], None],
) -> None:
    def script(peer: Peer) -> None:
        table_with_a_turn(peer)
        act = peer.read()
        peer.say(update(2))
        peer.ok(act, seq=2)
        refused = peer.read()
        peer.say({"type": "error", "re": refused["id"], "code": "not_host", "message": "no"})
        peer.wait_end()

    async def body(open_client: Any) -> None:
        async with open_client(server.url, Session("Aki")) as client:
            result = await client.request(messages.Create(id=0, game="odoriko"))
            assert result == {"room": ROOM, "seat": 0}
            updated = await until(client, s.Updated)
            assert updated.seq == 1
            assert await client.act(ROOM, "0.1", "end_turn") == {"seq": 2}
            assert client.session.rooms[ROOM].seq == 2
            with pytest.raises(shell.RequestFailed) as refusal:
                await client.request(messages.Start(id=0, room=ROOM))
            assert refusal.value.code == "not_host"

    with serving(script) as server:
        under(body)


@both
def test_an_error_of_the_caller_comes_out_as_it_is(under: Callable[[Body], None]) -> None:
    async def body(open_client: Any) -> None:
        with pytest.raises(KeyError):
            async with open_client(server.url, Session("Aki")):
                raise KeyError

    with serving(lambda peer: peer.wait_end()) as server:
        under(body)


@both
def test_leaving_the_block_says_goodbye_to_the_server(under: Callable[[Body], None]) -> None:
    codes: list[int | None] = []

    def script(peer: Peer) -> None:
        try:
            peer.greet()
            peer.wait_end()
        except ConnectionClosed as closed:
            codes.append(closed.rcvd.code if closed.rcvd else None)

    async def body(open_client: Any) -> None:
        async with open_client(server.url, Session("Aki")) as client:
            await until(client, s.Opened)
        with pytest.raises(shell.SessionStopped):
            await client.request(messages.Ping(id=0))
        assert [event async for event in client.events()] == []

    with serving(script) as server:
        under(body)
    assert codes == [1000]


@both
def test_binary_frames_are_nonsense_and_not_the_end(under: Callable[[Body], None]) -> None:
    def script(peer: Peer) -> None:
        peer.greet()
        peer.ws.send(b"\x00\xff")
        peer.ok(peer.read())
        peer.wait_end()

    async def body(open_client: Any) -> None:
        async with open_client(server.url, Session("Aki")) as client:
            await until(client, s.Garbled)
            assert await client.request(messages.Ping(id=0)) == {}

    with serving(script) as server:
        under(body)


# --- coming back ---------------------------------------------------------------------------------


@both
def test_an_act_under_way_when_the_line_breaks_is_answered_after_coming_back(
    under: Callable[[Body], None],
) -> None:
    def first(peer: Peer) -> None:
        table_with_a_turn(peer)
        peer.read()  # the act: the line breaks before it is answered
        peer.drop()

    def second(peer: Peer) -> None:
        assert peer.greet([{"room": ROOM, "seat": 0, "last_seq": 2}])["resume"] == TOKEN
        sync = peer.read()
        assert (sync["type"], sync["seq"]) == ("sync", 1)
        peer.say(update(2))
        peer.ok(sync, seq=2)
        peer.ok(peer.read(), seq=2)
        peer.wait_end()

    async def body(open_client: Any) -> None:
        async with open_client(server.url, Session("Aki")) as client:
            await client.request(messages.Create(id=0, game="odoriko"))
            await until(client, s.Updated)
            assert await client.act(ROOM, "0.1", "end_turn") == {"seq": 2}
            assert client.session.rooms[ROOM].current

    with serving(first, second) as server:
        under(body)
    acts = [message for message in server.heard if message["type"] == "act"]
    assert len(acts) == 2
    assert acts[0] == acts[1]


def test_of_two_who_wait_for_one_answer_the_second_gets_it_though_the_first_is_cancelled() -> None:
    cancelled = threading.Event()

    def script(peer: Peer) -> None:
        table_with_a_turn(peer)
        act = peer.read()
        assert cancelled.wait(20)
        peer.ok(act, seq=1)
        peer.wait_end()

    async def seated(client: Client) -> None:
        await client.request(messages.Create(id=0, game="odoriko"))
        await until(client, s.Updated)

    async def body_of_trio(open_client: Any) -> None:
        answers: list[Any] = []

        async def answer(client: Client, scope: trio.CancelScope) -> None:
            with scope:
                answers.append(await client.act(ROOM, "0.1", "end_turn"))

        async with open_client(server.url, Session("Aki")) as client, trio.open_nursery() as both:
            await seated(client)
            first = trio.CancelScope()
            both.start_soon(answer, client, first)
            both.start_soon(answer, client, trio.CancelScope())
            await trio.testing.wait_all_tasks_blocked(0.01)
            first.cancel()
            await trio.testing.wait_all_tasks_blocked(0.01)
            cancelled.set()
        assert answers == [{"seq": 1}]

    async def body_of_asyncio(open_client: Any) -> None:
        async with open_client(server.url, Session("Aki")) as client:
            await seated(client)
            first, second = (
                asyncio.create_task(client.act(ROOM, "0.1", "end_turn")) for _ in range(2)
            )
            await asyncio.sleep(0)
            first.cancel()
            await asyncio.wait((first,))
            assert first.cancelled()
            cancelled.set()
            assert await second == {"seq": 1}

    with serving(script) as server:
        under_trio(body_of_trio)
    cancelled.clear()
    with serving(script) as server:
        under_asyncio(body_of_asyncio)


@both
def test_a_restarting_server_is_come_back_to(under: Callable[[Body], None]) -> None:
    def first(peer: Peer) -> None:
        peer.greet()
        peer.ws.close(1012, "resumable: restarting, come back in 0-5 s")

    def second(peer: Peer) -> None:
        peer.greet()
        peer.wait_end()

    async def body(open_client: Any) -> None:
        async with open_client(server.url, Session("Aki")) as client:
            assert not (await until(client, s.Opened)).again
            assert (await until(client, s.Lost)).code == 1012
            opened = await until(client, s.Opened)
            assert opened.again
            assert opened.resumed

    with serving(first, second) as server:
        under(body)


@both
@pytest.mark.parametrize("code", [4000, 4001, 4004, 4005])
def test_a_close_for_good_ends_the_session_and_says_why(
    under: Callable[[Body], None], code: int
) -> None:
    def script(peer: Peer) -> None:
        peer.greet()
        peer.read()
        peer.ws.close(code, "for good")

    async def body(open_client: Any) -> None:
        async with open_client(server.url, Session("Aki")) as client:
            with pytest.raises((shell.RequestFailed, shell.SessionStopped)):
                await client.request(messages.Ping(id=0))
            stopped = await until(client, s.Stopped)
            assert (stopped.code, stopped.reason) == (code, "for good")
            with pytest.raises((shell.SessionStopped, LocalProtocolError)):
                await client.request(messages.Ping(id=0))

    with serving(script) as server:
        under(body)


@both
def test_a_refused_password_is_said_again_on_a_new_connection(
    under: Callable[[Body], None],
) -> None:
    def refuse(peer: Peer) -> None:
        hello = peer.read()
        peer.say({"type": "error", "re": hello["id"], "code": "bad_password", "message": "no"})
        peer.ws.close(4005, "refused")

    def take(peer: Peer) -> None:
        assert peer.greet()["password"] == "sesame"  # noqa: S105
        peer.wait_end()

    with serving(refuse, take) as server:

        async def body(open_client: Callable[..., Any]) -> None:
            async with open_client(server.url, Session("Aki", patient=True)) as client:
                await until(client, s.HelloRefused)
                await until(client, s.Lost)
                client.session.introduce(password="sesame")  # noqa: S106
                client.flush()
                await until(client, s.Opened)

        under(body)


@both
def test_leaving_while_a_password_is_asked_for_ends_at_once(under: Callable[[Body], None]) -> None:
    def refuse(peer: Peer) -> None:
        hello = peer.read()
        peer.say({"type": "error", "re": hello["id"], "code": "bad_password", "message": "no"})
        peer.ws.close(4005, "refused")

    with serving(refuse) as server:

        async def body(open_client: Callable[..., Any]) -> None:
            async with open_client(server.url, Session("Aki", patient=True)) as client:
                await until(client, s.Lost)

        under(body)


@both
def test_a_server_that_only_talks_nonsense_is_left(under: Callable[[Body], None]) -> None:
    def script(peer: Peer) -> None:
        for _ in range(20):
            peer.say({"type": "ok", "re": 99})
        peer.wait_end()

    async def body(open_client: Any) -> None:
        async with open_client(server.url, Session("Aki")) as client:
            await until(client, s.Stopped)

    with serving(script) as server:
        under(body)


# --- not getting there ---------------------------------------------------------------------------


@both
def test_the_first_connection_fails_with_a_reason_to_act_on(
    under: Callable[[Body], None],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    async def body(open_client: Any) -> None:
        for url, says in (
            (f"ws://127.0.0.1:{port}/ws", "is the server running there"),
            ("http://127.0.0.1/ws", "no WebSocket address"),
            ("ws://", "no WebSocket address"),
        ):
            with pytest.raises(shell.CannotConnect) as failed:
                async with open_client(url, Session("Aki")):
                    pass
            assert says in failed.value.en
            assert failed.value.ja

    under(body)


@both
def test_an_address_that_is_no_websocket_is_told_apart(under: Callable[[Body], None]) -> None:
    answers = [
        b"HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\nConnection: close\r\n\r\n\x1b[2Jx",
        b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
    ]
    listener = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        for text in answers:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(text)

    thread = threading.Thread(target=answer)
    thread.start()
    url = f"ws://127.0.0.1:{listener.getsockname()[1]}/ws"
    said: list[str] = []

    async def body(open_client: Any) -> None:
        for _ in answers:
            with pytest.raises(shell.CannotConnect) as failed:
                async with open_client(url, Session("Aki")):
                    pass
            said.append(failed.value.en)

    with listener:
        under(body)
        thread.join()
    assert "nothing is served at this path" in said[0]
    assert "\x1b" not in said[0]
    assert "HTTP 200" in said[1]
    assert "no WebSocket server" in said[2]


# --- stuck peers ---------------------------------------------------------------------------------


class StuckWebSocket:
    """A connection whose other end does not read: send never returns."""

    def __init__(self) -> None:
        self.stream = StuckStream()

    async def send(self, _text: str) -> None:
        await trio.sleep_forever()


class StuckStream:
    closed = False

    async def aclose(self) -> None:
        self.closed = True


async def test_a_send_that_takes_too_long_cuts_the_connection(
    autojump_clock: trio.testing.MockClock,
) -> None:
    ws = StuckWebSocket()
    transport = trio_shell.WebSocketTransport(ws)  # type: ignore[arg-type]
    with pytest.raises(EOFError):
        await transport.send("{}")
    assert ws.stream.closed
    assert trio.current_time() == pytest.approx(shell.SEND_SECONDS)


async def test_a_cancelled_send_cuts_the_connection_because_its_frame_is_torn(
    autojump_clock: trio.testing.MockClock,
) -> None:
    ws = StuckWebSocket()
    transport = trio_shell.WebSocketTransport(ws)  # type: ignore[arg-type]
    with trio.move_on_after(1):
        await transport.send("{}")
    assert ws.stream.closed


@both
def test_a_peer_that_does_not_say_goodbye_is_not_waited_for(
    under: Callable[[Body], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (trio_shell, asyncio_shell):
        monkeypatch.setattr(module, "CLOSE_SECONDS", 0.2)
    done = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def accept_and_sleep() -> None:
        """Shake hands by hand, then never read again."""
        import base64
        import hashlib

        connection, _ = listener.accept()
        with connection:
            request = connection.recv(65536).decode()
            key = next(
                line.split(": ")[1] for line in request.split("\r\n") if "Sec-WebSocket-Key" in line
            )
            guid = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
            accept = base64.b64encode(hashlib.sha1(key.encode() + guid).digest()).decode()  # noqa: S324
            connection.sendall(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Accept: {accept}\r\nSec-WebSocket-Protocol: kaguraden.v1\r\n\r\n".encode()
            )
            done.wait(20)

    thread = threading.Thread(target=accept_and_sleep)
    thread.start()
    url = f"ws://127.0.0.1:{listener.getsockname()[1]}/ws"

    async def body(open_client: Any) -> None:
        async with open_client(url, Session("Aki")):
            pass

    with listener:
        under(body)
        done.set()
        thread.join()


@pytest.mark.parametrize(
    ("url", "direct"),
    [
        ("ws://127.0.0.1:1/ws", True),
        ("ws://localhost/ws", True),
        ("ws://192.168.1.5:8080/ws", True),
        ("ws://[::1]:8080/ws", True),
        ("ws://gamebox/ws", True),
        ("ws://gamebox.local/ws", True),
        ("wss://play.example.org/ws", False),
        ("ws://8.8.8.8/ws", False),
    ],
)
def test_hosts_of_the_same_network_are_reached_without_a_proxy(url: str, direct: bool) -> None:
    assert (shell.proxy_for(url) is None) == direct


@both
def test_a_server_without_tls_is_told_from_one_that_is_not_there(
    under: Callable[[Body], None],
) -> None:
    with serving() as server:

        async def body(open_client: Callable[..., Any]) -> None:
            with pytest.raises(shell.CannotConnect, match="TLS") as caught:
                async with open_client(server.url.replace("ws:", "wss:"), Session("Aki")):
                    pass
            assert "ws://" in caught.value.ja

        under(body)


def _untrusted() -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError(1, "certificate verify failed")
    error.verify_message = "self-signed certificate"
    return error


@pytest.mark.parametrize("is_wrapped", [False, True])
def test_a_certificate_that_is_not_trusted_is_no_fault_of_the_address(is_wrapped: bool) -> None:
    error: Exception = _untrusted()
    if is_wrapped:  # as trio does
        error = trio.BrokenResourceError()
        error.__cause__ = _untrusted()
    failure = shell.explain(error, "wss://play.example.org/ws")
    assert failure.en == "the server's certificate is not trusted: self-signed certificate"
    assert not failure.final  # it may be renewed
