"""The loop for authors of bots, against a server that says what a script tells it to."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from random import Random
from typing import Any

import pytest
from kaguraden_client import (
    CannotConnect,
    ClientError,
    House,
    NotSent,
    NoValue,
    RequestFailed,
    SessionStopped,
    TableClosed,
    any_value,
    connect,
    least_value,
    play,
    usable,
)
from kaguraden_client.session import Session
from kaguraden_protocol import messages
from kaguraden_protocol.messages import (
    CardsSpec,
    Decision,
    IntSpec,
    Option,
    OrderSpec,
    UnknownSpec,
    ValueSpec,
)
from websockets.exceptions import ConnectionClosed

from tests.client.peer import Peer, Server, serving
from tests.client.scripts import ROOM, TOKEN, decision, hello_result, info, update

Json = Any
OVER = {"game": "odoriko", "phase": "over", "outcome": {"ranking": [], "reason": "done"}}
PLAYING = info(phase="playing")


def house_of(server: Server) -> AbstractContextManager[House]:
    return connect(server.url, "Aki", delay=lambda *_: 0.01)


@contextmanager
def ends_its_thread() -> Iterator[None]:
    yield
    assert "kaguraden" not in [thread.name for thread in threading.enumerate()]


def sit(peer: Peer, room: Json = PLAYING) -> None:
    """Greet and let the client open a table that is in this state."""
    peer.greet()
    create = peer.read()
    peer.say({"type": "room", "room": ROOM, "info": room})
    peer.ok(create, room=ROOM, seat=0)


def refuse(peer: Peer, code: str, **details: Json) -> None:
    request = peer.read()
    error = {"type": "error", "re": request["id"], "code": code, "message": "no"}
    peer.say({**error, "details": details})


def options(*specs: Json) -> list[Json]:
    given = [{} if spec is None else {"value": spec} for spec in specs]
    return [{"id": f"o{n}", "kind": "o", "args": {}, **value} for n, value in enumerate(given)]


# --- the loop ------------------------------------------------------------------------------------


def test_the_loop_gives_each_decision_once_with_what_happened_before_it() -> None:
    def script(peer: Peer) -> None:
        sit(peer)
        peer.say(update(1, full=True))
        peer.say(update(2, decisions=[decision(1)]))
        act = peer.read()
        assert (act["decision"], act["option"]) == ("0.1", "draw:resource")
        assert "value" not in act
        peer.say(update(3, decisions=[decision(2)]))
        peer.ok(act, seq=3)
        act = peer.read()
        assert (act["decision"], act["option"]) == ("0.2", "end_turn")
        peer.say(update(4, decisions=[decision(2)]))  # as before, the answer is still on its way
        peer.say(update(5))
        peer.ok(act, seq=5)
        peer.say(update(6, view=OVER))
        peer.wait_end()

    seen = []
    with serving(script) as server, ends_its_thread(), house_of(server) as house:
        table = house.open("odoriko", seats=2)
        assert (table.room, table.seat, table.outcome) == (ROOM, 0, None)
        for asked in table.decisions():
            seen.append((asked.id, table.view["seen"], [event["n"] for event in table.events]))
            assert table.answer(asked, asked.options[0] if asked.id == "0.1" else "end_turn")
        assert table.outcome == OVER["outcome"]
        assert [event["n"] for event in table.events] == [4, 5, 6]
        assert list(table.decisions()) == []
    assert seen == [("0.1", 2, [1, 2]), ("0.2", 3, [3])]


def test_what_a_bot_sees_stays_as_it_is_while_it_thinks() -> None:
    def script(peer: Peer) -> None:
        sit(peer)
        clock = {"left_ms": 9000, "total_ms": 9000, "seat": 0, "decision": "0.1"}
        peer.say(update(1, full=True, decisions=[decision(1)], clock=[clock]))
        ping = peer.read()
        peer.say(update(2, decisions=[decision(2)]))
        peer.ok(ping)
        refuse(peer, "stale", current=["0.2"])
        peer.ok(peer.read(), seq=2)
        peer.wait_end()

    with serving(script) as server, house_of(server) as house:
        table = house.open("odoriko")
        decisions = table.decisions()
        first = next(decisions)
        house.request(messages.Ping(id=0))  # when this is answered the update has come in
        assert (table.view["seen"], len(table.events)) == (1, 1)
        assert 0 < table.clocks[0].left_ms(time.monotonic()) <= 9000
        assert table.answer(first, "end_turn") is False
        second = next(decisions)
        assert (second.id, table.view["seen"], table.clocks) == ("0.2", 2, ())
        assert table.answer(second, "end_turn") is True


def test_a_decision_that_the_bot_leaves_alone_is_not_given_again() -> None:
    def script(peer: Peer) -> None:
        sit(peer)
        peer.say(update(1, full=True, decisions=[decision(1)]))
        ping = peer.read()
        peer.say(update(2, decisions=[decision(1), decision(2)]))
        peer.ok(ping)
        peer.wait_end()

    with serving(script) as server, house_of(server) as house:
        decisions = house.open("odoriko").decisions()
        assert next(decisions).id == "0.1"
        house.request(messages.Ping(id=0))
        assert next(decisions).id == "0.2"


@pytest.mark.parametrize("code", ["not_your_decision", "not_member"])
def test_an_answer_that_was_too_late_is_no_error(code: str) -> None:
    def script(peer: Peer) -> None:
        sit(peer)
        peer.say(update(1, full=True, decisions=[decision(1)]))
        refuse(peer, code)
        peer.wait_end()

    with serving(script) as server, house_of(server) as house:
        table = house.open("odoriko")
        assert not table.answer(next(table.decisions()), "end_turn")


def test_a_refusal_that_matters_is_raised_and_a_slip_of_the_bot_is_not_sent() -> None:
    def script(peer: Peer) -> None:
        sit(peer)
        new = {"type": "colour"}
        cards = {"type": "cards", "from": ["9D", "QH"], "min": 1, "max": 2}
        asked = decision(1, options=options(cards, new), default="o0")
        peer.say(update(1, full=True, decisions=[asked]))
        refuse(peer, "bad_value", problems=[])
        act = peer.read()
        assert act["value"] == ["9D"]
        peer.ok(act, seq=1)
        peer.wait_end()

    with serving(script) as server, house_of(server) as house:
        table = house.open("odoriko")
        asked = next(table.decisions())
        with pytest.raises(RequestFailed) as refusal:
            table.answer(asked, "o0", ["QH", "QH"])
        assert (refusal.value.code, refusal.value.details) == ("bad_value", {"problems": []})
        with pytest.raises(NotSent, match="no option end_turn"):
            table.answer(asked, "end_turn")
        with pytest.raises(NoValue, match="colour"):
            table.answer(asked, "o1")
        for value in ("9D", 2.5, [""], ["9" * 65], ["\ud83d"], [9], 2**53):
            with pytest.raises(NotSent) as slip:
                table.answer(asked, "o0", value)  # type: ignore[arg-type]
            assert isinstance(slip.value, ClientError)
            assert slip.value.__cause__ is not None
        assert table.answer(asked, "o0")


# --- before the game -----------------------------------------------------------------------------


def test_the_loop_gets_ready_again_and_starts_when_everybody_is() -> None:
    me = {"seat": 0, "user": "u0", "name": "Aki", "host": True}
    you = {"seat": 1, "user": "u1", "name": "Rin"}

    def push(peer: Peer, *ready: bool) -> None:
        seats = [
            {**seat, "ready": is_ready} for seat, is_ready in zip((me, you), ready, strict=False)
        ]
        seats += [{"seat": 1}] * (len(seats) < 2)
        peer.say({"type": "room", "room": ROOM, "info": info(seats=seats)})

    def script(peer: Peer) -> None:
        sit(peer, info(seats=[{**me, "ready": False}, {"seat": 1}]))
        for others in ([], [True]):  # who joins has changed the options: everybody is unready
            ready = peer.read()
            assert ready["type"] == "ready"
            assert len(ready["nonce"]) == 32
            push(peer, True, *others)
            peer.ok(ready)
            if not others:
                push(peer, False, False)
        start = peer.read()
        assert start["type"] == "start"
        push(peer, True, False)
        peer.say({"type": "error", "re": start["id"], "code": "not_ready", "message": "wait"})
        push(peer, True, True)
        refuse(peer, "not_ready")
        refused.set()
        for _ in range(2):  # without news of the room it is not tried again
            ping = peer.read()
            assert ping["type"] == "ping"
            peer.ok(ping)
        peer.say({"type": "room", "room": ROOM, "info": PLAYING})
        peer.say(update(1, full=True, view=OVER))
        peer.wait_end()

    refused = threading.Event()
    with (
        serving(script) as server,
        house_of(server) as house,
        ThreadPoolExecutor() as threads,
    ):
        table = house.open("odoriko")
        playing = threads.submit(lambda: list(table.decisions()))
        assert refused.wait(20)
        for _ in range(2):
            house.request(messages.Ping(id=0))
        assert playing.result(20) == []


@pytest.mark.parametrize(
    ("given", "levels"),
    [
        ({"bots": ["random", "greedy"]}, ["random", "greedy"]),
        ({"bots": "greedy", "seats": 4}, ["greedy"] * 3),
        ({"bots": "greedy", "seats": 1}, []),
        ({}, []),
    ],
)
def test_bots_of_the_server_take_seats(given: Json, levels: list[str]) -> None:
    def script(peer: Peer) -> None:
        sit(peer)
        for number, level in enumerate(levels, 1):
            request = peer.read()
            assert (request["type"], request["level"]) == ("bot", level)
            peer.ok(request, seat=number)
        peer.wait_end()

    with serving(script) as server, house_of(server) as house:
        house.open("odoriko", **given)
    (create,) = (message for message in server.heard if message["type"] == "create")
    assert create["seats"] == given.get("seats", 1 + len(levels))


def test_a_token_takes_the_seat_of_an_earlier_run_back() -> None:
    def script(peer: Peer) -> None:
        hello = peer.read()
        assert hello["resume"] == "f" * 32
        assert hello["bot"] is True
        rooms = [{"room": ROOM, "seat": 1, "last_seq": 7}]
        peer.ok(hello, **hello_result(resumed=True, rooms=rooms))
        sync = peer.read()
        peer.say(update(7, full=True, decisions=[decision(9)]))
        peer.ok(sync, seq=7)
        peer.ok(peer.read())
        peer.wait_end()

    with serving(script) as server, connect(server.url, "Aki", token="f" * 32) as house:
        assert house.token == TOKEN
        table = house.join(f" {ROOM.lower()} ")
        assert next(table.decisions()).id == "0.9"
        assert table.seat == 1
        house.request(messages.Ping(id=0))
    assert [message["type"] for message in server.heard] == ["hello", "sync", "ping"]


# --- lost connections and ends -------------------------------------------------------------------


def test_a_lost_connection_is_not_seen_by_the_loop() -> None:
    def first(peer: Peer) -> None:
        sit(peer)
        peer.say(update(1, full=True, decisions=[decision(1)]))
        peer.read()  # the act: the line breaks before it is answered
        peer.drop()

    def second(peer: Peer) -> None:
        assert peer.greet([{"room": ROOM, "seat": 0, "last_seq": 2}])["resume"] == TOKEN
        sync = peer.read()
        assert (sync["type"], sync["seq"]) == ("sync", 1)
        peer.say(update(2, decisions=[decision(2)]))
        peer.ok(sync, seq=2)
        peer.ok(peer.read(), seq=2)
        peer.ws.close(1012, "resumable: restarting, come back in 0-5 s")

    def third(peer: Peer) -> None:
        peer.greet([{"room": ROOM, "seat": 0, "last_seq": 1}])
        sync = peer.read()
        peer.say(update(1, full=True, decisions=[decision(2)]))  # a restarted one counts anew
        peer.ok(sync, seq=1)
        act = peer.read()
        assert act["decision"] == "0.2"
        peer.say(update(2, view=OVER))
        peer.ok(act, seq=2)
        peer.wait_end()

    with serving(first, second, third) as server, house_of(server) as house:
        table = house.open("odoriko")
        asked = [
            (decision.id, table.answer(decision, "end_turn")) for decision in table.decisions()
        ]
        assert asked == [("0.1", True), ("0.2", True)]
    first_act, again, _ = (message for message in server.heard if message["type"] == "act")
    assert first_act == again


def test_after_coming_back_nothing_is_given_before_what_was_missed_is_there() -> None:
    def first(peer: Peer) -> None:
        sit(peer)
        peer.say(update(1, full=True, decisions=[decision(1)]))
        peer.ok(peer.read())
        peer.drop()

    def second(peer: Peer) -> None:
        peer.greet([{"room": ROOM, "seat": 0, "last_seq": 2}])
        requests = [peer.read() for _ in range(3)]
        for ping in requests:
            if ping["type"] == "ping":
                peer.ok(ping)
        assert asked.wait(20)
        peer.say(update(2, decisions=[decision(2)]))
        peer.wait_end()

    asked = threading.Event()
    with serving(first, second) as server, house_of(server) as house:
        table = house.open("odoriko")
        house.request(messages.Ping(id=0))
        with ThreadPoolExecutor() as threads:
            lost = [threads.submit(house.request, messages.Ping(id=0)) for _ in range(2)]
            assert [ping.result(20) for ping in lost] == [{}, {}]
        # What `decisions` waits for, without waiting for it here.
        moment = asyncio.run_coroutine_threadsafe(table._next(), house._loop)
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0), house._loop).result(20)
        assert not moment.done()
        asked.set()
        given = moment.result(20).decision
        assert given is not None
        assert given.id == "0.2"


def kicked(peer: Peer) -> None:
    sit(peer)
    peer.say({"type": "closed", "room": ROOM, "reason": "kicked"})
    peer.wait_end()


def restarted(peer: Peer) -> None:
    sit(peer)
    peer.say(update(1, full=True))
    peer.drop()


def forgetful(peer: Peer) -> None:
    peer.greet()
    peer.wait_end()


@pytest.mark.parametrize(
    ("scripts", "reason"), [([kicked], "kicked"), ([restarted, forgetful], "gone")]
)
def test_a_lost_table_ends_the_loop_with_the_reason(
    scripts: list[Callable[[Peer], None]], reason: str
) -> None:
    with serving(*scripts) as server, house_of(server) as house:
        with pytest.raises(TableClosed) as closed:  # where the reader is quick, by `open` already
            list(house.open("odoriko").decisions())
        assert (closed.value.room, closed.value.reason) == (ROOM, reason)


def test_what_a_traceback_shows_of_a_server_moves_no_cursor() -> None:
    closed = TableClosed(ROOM, "gone\x1b[2J")
    assert closed.reason == "gone\x1b[2J"
    assert "\x1b" not in str(closed)


def test_a_room_that_closes_after_the_game_takes_nothing_from_its_end() -> None:
    def script(peer: Peer) -> None:
        sit(peer)
        peer.say(update(1, full=True, view=OVER))
        ping = peer.read()
        peer.say({"type": "closed", "room": ROOM, "reason": "over"})
        peer.ok(ping)
        peer.wait_end()

    with serving(script) as server, house_of(server) as house:
        table = house.open("odoriko")
        house.request(messages.Ping(id=0))
        assert list(table.decisions()) == []
        assert table.outcome == OVER["outcome"]


def test_a_place_that_was_taken_over_ends_the_session() -> None:
    def script(peer: Peer) -> None:
        sit(peer)
        peer.say(update(1, full=True, decisions=[decision(1)]))
        peer.read()
        peer.ws.close(4004, "resumed on another connection")

    with serving(script) as server, ends_its_thread(), house_of(server) as house:
        table = house.open("odoriko")
        decisions = table.decisions()
        assert not table.answer(next(decisions), "end_turn")
        with pytest.raises(SessionStopped, match="took this place over"):
            next(decisions)
        with pytest.raises(SessionStopped):
            house.open("odoriko")


def test_a_refused_hello_and_a_wrong_address_are_told_at_once() -> None:
    with (
        ends_its_thread(),
        serving(lambda peer: refuse(peer, "bad_password")) as server,
        pytest.raises(RequestFailed, match="bad_password"),
        house_of(server),
    ):
        raise AssertionError("not connected")
    with ends_its_thread(), pytest.raises(CannotConnect), connect("ws://127.0.0.1:9/ws"):
        raise AssertionError("not connected")


def test_an_error_of_the_bot_comes_out_and_the_connection_is_closed() -> None:
    codes: list[int | None] = []

    def script(peer: Peer) -> None:
        try:
            peer.greet()
            peer.wait_end()
        except ConnectionClosed as closed:
            codes.append(closed.rcvd.code if closed.rcvd else None)

    with (
        ends_its_thread(),
        serving(script) as server,
        pytest.raises(ZeroDivisionError),
        house_of(server) as house,
    ):
        raise ZeroDivisionError
    assert codes == [1000]
    with pytest.raises(SessionStopped):
        house.open("odoriko")


class Hangup(Exception):
    """What a signal raises in place of KeyboardInterrupt, which would end the tests too."""


@pytest.fixture
def interrupt() -> Iterator[Callable[[], None]]:
    """Give a function that interrupts the main thread as Ctrl-C would."""

    def raise_it(*_: object) -> None:
        raise Hangup

    before = signal.signal(signal.SIGUSR1, raise_it)
    yield lambda: os.kill(os.getpid(), signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, before)


def test_a_server_that_does_not_answer_the_hello_is_told_apart() -> None:
    with (
        ends_its_thread(),
        serving(Peer.wait_end) as server,
        pytest.raises(CannotConnect, match=r"no answer to hello within 0\.05 s") as error,
        connect(server.url, "Aki", hello_seconds=0.05),
    ):
        raise AssertionError("not connected")
    assert "0.05 秒" in error.value.ja


def test_an_interrupt_while_connecting_is_heard_at_once(interrupt: Callable[[], None]) -> None:
    """The server takes the connection and then says nothing, not even HTTP."""

    def press() -> None:
        connection, _ = listener.accept()
        connection.recv(1)
        began.append(time.monotonic())
        interrupt()
        taken.append(connection)

    began: list[float] = []
    taken: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as listener, ends_its_thread():
        presser = threading.Thread(target=press)
        presser.start()
        url = f"ws://127.0.0.1:{listener.getsockname()[1]}/ws"
        with pytest.raises(Hangup), connect(url, "Aki"):
            raise AssertionError("not connected")
        # Far less than a goodbye may take (2 s) or a handshake (10 s).
        assert time.monotonic() - began[0] < 1.5
        presser.join()
        taken[0].close()


def test_a_connection_that_is_closed_before_it_began_is_not_made() -> None:
    loop = asyncio.new_event_loop()
    house = House(Session("Aki"), "ws://127.0.0.1:9/ws", None, loop)
    house._close()
    loop.run_until_complete(house._live(Future()))
    loop.close()
    with pytest.raises(SessionStopped, match="the client was closed"):
        house._run(house._wait_open(1))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"name": "Aki\ud83d"}, "surrogate"),
        ({"name": "Aki", "password": "x" * 1000}, "password: expected"),
        ({"name": "Aki", "token": "\udc00"}, "surrogate"),
        ({"name": "Aki", "locale": "fr"}, "fr"),
    ],
)
def test_what_cannot_be_said_in_a_hello_is_told_at_once(given: Json, said: str) -> None:
    with (
        ends_its_thread(),
        pytest.raises(NotSent, match=said) as slip,
        connect("ws://x/ws", **given),
    ):
        raise AssertionError("not connected")
    assert slip.value.__cause__ is not None


def test_what_cannot_be_sent_is_told_in_one_way_and_harms_nothing() -> None:
    def script(peer: Peer) -> None:
        assert peer.read()["locale"] == "ja"
        peer.ok({"id": 1}, **hello_result())
        peer.ok(peer.read())
        peer.wait_end()

    wrong: list[Callable[[House], object]] = [
        lambda house: house.open("x" * 1000),
        lambda house: house.open(5),  # type: ignore[arg-type]
        lambda house: house.open("enbu", title="\ud83d"),
        lambda house: house.open("enbu", options={"pace": 0.5}),  # type: ignore[dict-item]
        lambda house: house.open("enbu", options=5),  # type: ignore[arg-type]
        lambda house: house.open("enbu", bots=5),  # type: ignore[arg-type]
        lambda house: house.open("enbu", bots="random", seats="2"),  # type: ignore[arg-type]
        lambda house: house.join(""),
        lambda house: house.join("KAGU", seat=-1),
        lambda house: house.request(5),  # type: ignore[arg-type]
        lambda house: house.request(messages.Hello(0, "Aki", messages.ClientInfo("x", "1"))),
    ]
    with serving(script) as server, connect(server.url, "Aki", locale="ja") as house:
        for ask in wrong:
            with pytest.raises(NotSent):
                ask(house)
        house.request(messages.Ping(id=0))
    assert [message["type"] for message in server.heard] == ["hello", "ping"]


def test_a_fault_of_the_client_ends_the_session_and_is_the_cause(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(self: Session, text: str, now: float) -> None:
        raise ZeroDivisionError("no \x1b[31m way")

    def script(peer: Peer) -> None:
        sit(peer)
        peer.ok(peer.read())
        peer.wait_end()

    with serving(script) as server, ends_its_thread(), house_of(server) as house:
        table = house.open("odoriko")
        monkeypatch.setattr(Session, "receive", broken)
        asks: list[Callable[[], object]] = [
            lambda: house.request(messages.Ping(id=0)),
            lambda: next(table.decisions()),
            lambda: house.join(ROOM[::-1]),
        ]
        for ask in asks:
            with pytest.raises(SessionStopped, match="ZeroDivisionError: no ") as stopped:
                ask()
            assert isinstance(stopped.value.__cause__, ZeroDivisionError)
            assert "\x1b" not in str(stopped.value)
    with pytest.raises(SessionStopped, match="ZeroDivisionError"):  # after the end, too
        asks[0]()
    assert capsys.readouterr().err == ""


def test_a_fault_before_there_is_a_connection_comes_out_of_connect(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_args: object, **_fields: object) -> object:
        raise ZeroDivisionError("no way")

    monkeypatch.setattr(play, "open_client", broken)
    with (
        ends_its_thread(),
        pytest.raises(SessionStopped, match="ZeroDivisionError") as stopped,
        connect("ws://127.0.0.1:1/ws"),
    ):
        raise AssertionError("not connected")
    assert isinstance(stopped.value.__cause__, ZeroDivisionError)


# --- values --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "least"),
    [
        (None, None),
        (IntSpec(2, 5), 2),
        (CardsSpec(("9D", "QH", "QS"), 2, 3), ("9D", "QH")),
        (CardsSpec(("9D",), 0, 1), ()),
        (OrderSpec(("QH", "9D")), ("QH", "9D")),
    ],
)
def test_the_least_value_fits_and_so_does_any(spec: ValueSpec | None, least: Any) -> None:
    assert least_value(spec) == least
    for seed in range(20):
        value = any_value(spec, Random(seed))
        match spec:
            case IntSpec():
                assert value in range(2, 6)
            case CardsSpec():
                assert isinstance(value, tuple)
                assert set(value) <= set(spec.from_)
                assert spec.min <= len(set(value)) == len(value) <= spec.max
            case OrderSpec():
                assert isinstance(value, tuple)
                assert sorted(value) == sorted(spec.of)
            case _:
                assert value is None


def test_a_value_of_a_new_kind_is_not_guessed() -> None:
    for choose in (least_value, any_value):
        with pytest.raises(NoValue, match="colour"):
            choose(UnknownSpec({"type": "colour"}))


@pytest.mark.parametrize(
    "spec",
    [
        IntSpec(3, 2),
        CardsSpec(("9D", "QH"), 3, 4),
        CardsSpec(("9D", "QH"), 2, 1),
        CardsSpec((), 1, 1),
    ],
)
def test_where_no_value_fits_none_is_made_up(spec: ValueSpec) -> None:
    for choose in (least_value, any_value):
        with pytest.raises(NoValue, match=r"no number|cannot be chosen"):
            choose(spec)
    possible = Option("o1", "o", value=IntSpec(2, 2))
    asked = Decision("0.1", "o", (Option("o0", "o", value=spec), possible), "o0", sealed=False)
    assert usable(asked) == [possible]
