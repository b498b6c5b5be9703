"""Servers and clients that are not merely wrong: the kit keeps its head, its memory and its time."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial

import pytest
import trio
from click.testing import CliRunner
from kaguraden_client.conformance.clause import Result, Verdict
from kaguraden_client.conformance.client import Settings, host, scripted_server
from kaguraden_client.conformance.commands import conformance
from kaguraden_client.conformance.server import SERVER, playing
from kaguraden_client.conformance.server.kit import Kit
from kaguraden_client.conformance.server.line import MAX_UNREAD, SocketDoor, SocketLine
from kaguraden_client.conformance.server.run import try_clauses
from kaguraden_client.conformance.texts import Json
from kaguraden_protocol.versions import SUBPROTOCOL
from trio.testing import MockClock, memory_stream_pair, wait_all_tasks_blocked
from websockets.exceptions import ConnectionClosed
from websockets.trio.client import ClientConnection, connect
from websockets.trio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from .house import URL, open_listener

DEEP = "[" * 100_000 + "]" * 100_000
HELLO = '{"type":"hello","id":1,"name":"Kit","client":{"name":"x","version":"1"}}'

Pair = Callable[[], tuple[trio.abc.Stream, trio.abc.Stream]]
Attend = Callable[[ServerConnection], Awaitable[None]]


@asynccontextmanager
async def served(attend: Attend) -> AsyncIterator[SocketDoor]:
    """Run a server that does whatever it likes with its connections."""
    listener, open_stream = open_listener()
    async with trio.open_nursery() as nursery:
        await nursery.start(
            partial(
                serve,
                attend,
                listeners=[listener],
                subprotocols=[Subprotocol(SUBPROTOCOL)],
                compression=None,
                ping_interval=None,
            )
        )
        yield SocketDoor(URL, open_stream)
        nursery.cancel_scope.cancel()


async def tried(attend: Attend) -> list[Result]:
    """Return what comes of all clauses but those about HTTP."""
    clauses = [c for c in SERVER.clauses.values() if c.id not in ("S-http", "S-http-schema")]
    async with served(attend) as door:
        return await try_clauses(clauses, Kit(door), lambda _: None)


def ids(results: list[Result], verdict: Verdict) -> set[str]:
    return {result.clause.id for result in results if result.verdict is verdict}


async def test_a_server_that_closes_at_once_fails(autojump_clock: MockClock) -> None:
    async def attend(ws: ServerConnection) -> None:
        await ws.aclose()

    results = await tried(attend)
    assert len(ids(results, Verdict.FAILED)) > 70
    assert {"S-game", "S-silent", "S-replies"} <= ids(results, Verdict.FAILED)


async def test_a_server_that_answers_with_deep_json_fails(autojump_clock: MockClock) -> None:
    async def attend(ws: ServerConnection) -> None:
        with suppress(ConnectionClosed):
            async for _ in ws:
                await ws.send(f'{{"type":"ok","re":1,"result":{DEEP}}}')

    results = await tried(attend)
    assert {"S-game", "S-hello-result", "S-replies"} <= ids(results, Verdict.FAILED)


async def test_the_run_ends_where_the_first_hello_is_not_answered(
    autojump_clock: MockClock,
) -> None:
    async def attend(ws: ServerConnection) -> None:
        async for _ in ws:
            pass

    began = trio.current_time()
    results = await tried(attend)
    first, others = results[0], results[1:]
    assert (first.clause.id, first.verdict) == ("S-game", Verdict.FAILED)
    assert first.came == "nothing within 10 s"
    assert {r.verdict for r in others} == {Verdict.SKIPPED}
    assert all("first hello was not answered" in r.why[1] for r in others)
    assert trio.current_time() - began < 15


async def test_the_run_ends_where_only_a_clause_of_records_meets_the_silence(
    autojump_clock: MockClock,
) -> None:
    async with served(lambda ws: ws.wait_closed()) as door:
        kit = Kit(door)
        (result,) = await try_clauses([SERVER.clauses["S-frames"]], kit, lambda _: None)
    assert result.verdict is Verdict.FAILED


async def test_the_run_ends_where_the_server_floods(autojump_clock: MockClock) -> None:
    crowded = '{"type":"notice","details":[' + "[]," * 100_000 + "1]}"  # 16 MiB, once read

    async def attend(ws: ServerConnection) -> None:
        with suppress(ConnectionClosed, trio.BrokenResourceError):
            await ws.recv()
            for _ in range(30):
                await ws.send(crowded)

    results = await tried(attend)
    first, others = results[0], results[1:]
    assert (first.verdict, first.expected) == (Verdict.FAILED, "at most 256 MiB in a clause")
    assert {r.why[1] for r in others} == {"the server sends too much, so the run ends here"}


async def test_what_nobody_reads_waits_at_the_server(autojump_clock: MockClock) -> None:
    async def attend(ws: ServerConnection) -> None:
        with suppress(ConnectionClosed, trio.BrokenResourceError):
            for _ in range(100):
                await ws.send("x" * 70_000)  # more than is read at a time

    async with served(attend) as door, door.dial() as line:
        await wait_all_tasks_blocked()
        assert isinstance(line, SocketLine)
        waiting = line.ws.recv_messages.recv_frames.statistics().current_buffer_used
        assert 0 < waiting < 2 * MAX_UNREAD


def granting(result: Json) -> Attend:
    """Return a server that grants everything, and every time with this result."""

    async def attend(ws: ServerConnection) -> None:
        with suppress(ConnectionClosed, trio.BrokenResourceError):
            async for text in ws:
                reply = {"type": "ok", "re": json.loads(text)["id"], "result": result}
                await ws.send(json.dumps(reply))

    return attend


async def test_a_game_with_seats_for_a_crowd_is_not_filled(autojump_clock: MockClock) -> None:
    connections = 0
    crowd = {"id": "g", "seats": {"min": 1_000_000, "max": 1_000_000}}
    grant = granting({"games": [crowd]})

    async def attend(ws: ServerConnection) -> None:
        nonlocal connections
        connections += 1
        await grant(ws)

    async with served(attend) as door:
        (result,) = await try_clauses([SERVER.clauses["S-room-info"]], Kit(door), lambda _: None)
    assert (result.verdict, result.expected) == (Verdict.FAILED, "1 to 16 seats")
    assert connections == 1


async def test_a_frame_beyond_all_bounds_is_not_made(autojump_clock: MockClock) -> None:
    clauses = [SERVER.clauses[name] for name in ("S-frame-limit", "S-frame-too-large")]
    async with served(granting({"limits": {"frame_in_bytes": 10**9}})) as door:
        results = await try_clauses(clauses, Kit(door), lambda _: None)
    assert {r.verdict for r in results} == {Verdict.SKIPPED}


def test_a_choice_of_more_cards_than_there_are_makes_no_long_answer() -> None:
    wrong = playing._misfits({"type": "cards", "from": ["a"], "min": 10**18, "max": 10**18})
    assert wrong[0] == ["no such card"]


async def test_a_server_that_speaks_http_alone_is_none() -> None:
    async def answer(stream: trio.SocketStream) -> None:
        async with stream:
            await stream.receive_some(65_536)
            await stream.send_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")

    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.serve_listeners, answer, [listener])
        url = f"127.0.0.1:{listener.socket.getsockname()[1]}"
        run = await trio.to_thread.run_sync(
            lambda: CliRunner().invoke(conformance, ["server", url, "--lang", "en"])
        )
        nursery.cancel_scope.cancel()
    assert run.exit_code == 2
    assert run.output == f"Error: {url}: the server answered HTTP 200: hello\n"


# --- clients -----------------------------------------------------------------------------------------


async def judged(
    behave: Callable[[ClientConnection], Awaitable[None]], pair: Pair = memory_stream_pair
) -> dict[str, Result]:
    """Return what the kit says of a client that does whatever it likes on its connection."""
    listener, open_stream = open_listener(pair)
    settings = Settings(rounds=1, patience=5, comeback=8, timeout=60)
    async with (
        scripted_server(settings, listeners=[listener]) as judge,
        trio.open_nursery() as nursery,
    ):

        async def run() -> None:
            with suppress(ConnectionClosed, trio.BrokenResourceError):
                async with connect(
                    URL,
                    stream=await open_stream(),
                    subprotocols=[Subprotocol(SUBPROTOCOL)],
                    compression=None,
                ) as ws:
                    await behave(ws)

        nursery.start_soon(run)
        await judge.done.wait()
        nursery.cancel_scope.cancel()
    return {result.clause.id: result for result in judge.results()}


async def test_a_client_that_floods_ends_the_script(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "MAX_FRAMES", 300)

    async def behave(ws: ClientConnection) -> None:
        await ws.send(HELLO)
        for n in range(2, 1000):
            await ws.send(json.dumps({"type": "ping", "id": n}))

    began = trio.current_time()
    results = await judged(behave)
    assert results["C-rate"].verdict is Verdict.FAILED
    assert results["C-goes-on"].verdict is Verdict.FAILED
    assert results["C-goes-on"].came.startswith("301 frames of ")
    assert trio.current_time() - began < 10


async def test_a_client_that_sends_too_much_ends_the_script(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "MAX_SIZE", 100_000)

    async def behave(ws: ClientConnection) -> None:
        await ws.send(HELLO)
        for n in range(2, 100):
            create = {"type": "create", "id": n, "game": "x", "options": {"a": "x" * 12_000}}
            await ws.send(json.dumps(create))
            await ws.recv()

    results = await judged(behave)
    assert results["C-goes-on"].came.startswith("10 frames of ")


def clogged() -> tuple[trio.abc.Stream, trio.abc.Stream]:
    """Return a pair of streams whose second end can send a handshake, and not much more."""
    near, far = memory_stream_pair()
    pump, room = far.send_stream.send_all_hook, iter(range(4))

    async def clog() -> None:
        if next(room, None) is None:
            await trio.sleep_forever()
        assert pump is not None
        await pump()

    far.send_stream.send_all_hook = clog
    return near, far


async def test_a_client_that_never_reads_is_cut_off(autojump_clock: MockClock) -> None:
    async def behave(ws: ClientConnection) -> None:
        await ws.send(HELLO)
        await ws.send('{"type":"create","id":2,"game":"x"}')
        await ws.send('{"type":"ready","id":3,"room":"KITS-0001","ready":true}')
        await ws.send('{"type":"start","id":4,"room":"KITS-0001"}')
        await ws.wait_closed()

    began = trio.current_time()
    results = await judged(behave, clogged)
    assert results["C-goes-on"].expected == "all is read within 5 s"
    assert trio.current_time() - began < 61


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (DEEP, "C-requests"),
        ("x" * 300_000, "C-frame-size"),
        (b"\xff", "C-text-frames"),
    ],
)
async def test_what_no_client_may_send_is_told(
    data: str | bytes, name: str, autojump_clock: MockClock
) -> None:
    async def behave(ws: ClientConnection) -> None:
        await ws.send(HELLO)
        await ws.send(data, text=True)
        await ws.wait_closed()

    results = await judged(behave)
    assert results[name].verdict is Verdict.FAILED
    if name != "C-requests":  # it is the kit that closed the connection
        assert results["C-ends-well"].verdict is Verdict.PASSED
