"""`/metrics`: who may read it, what it counts, and that it names nobody."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
import trio.lowlevel
from attrs import evolve
from kaguraden_server.config import Config, ServerSettings
from kaguraden_server.counts import Durations, LoopWatch
from kaguraden_server.metrics import Metrics
from kaguraden_server.scrapes import may_read
from prometheus_client.parser import text_string_to_metric_families
from trio.testing import MockClock
from websockets.datastructures import Headers

from .house import Player, open_house, play_out
from .journals import InlineJournal
from .test_sockets import SocketLine, close_of, dial, http, served

TOKEN = "a canary of a token: 鍵"  # noqa: S105
SENT = TOKEN.encode().decode("iso-8859-1")  # as websockets reads it
GET = "GET /metrics HTTP/1.1\nHost: localhost\n\n"
Values = dict[tuple[str, tuple[str, ...]], float]


def read(text: str) -> Values:
    """Return each sample by its name and the values of its labels."""
    return {
        (sample.name, tuple(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


# --- who may read it ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("peer", "headers", "token", "may"),
    [
        ("127.0.0.1", {}, "", True),
        ("127.8.8.8", {}, "", True),
        ("::1", {}, "", True),
        ("::ffff:127.0.0.1", {}, "", True),
        ("192.0.2.7", {}, "", False),
        ("fe80::1%eth0", {}, "", False),
        ("", {}, "", False),
        ("127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}, "", False),
        ("127.0.0.1", {"Forwarded": "for=127.0.0.1"}, "", False),
        ("192.0.2.7", {"X-Forwarded-For": "127.0.0.1"}, TOKEN, False),
        ("192.0.2.7", {"Authorization": f"Bearer {SENT}"}, TOKEN, True),
        ("127.0.0.1", {"Authorization": f"bearer {SENT}", "Via": "1.1 x"}, TOKEN, True),
        ("192.0.2.7", {"Authorization": f"Bearer {SENT}x"}, TOKEN, False),
        ("192.0.2.7", {"Authorization": f"Basic {SENT}"}, TOKEN, False),
        ("192.0.2.7", {"Authorization": "Bearer"}, TOKEN, False),
        ("192.0.2.7", {"Authorization": "Bearer "}, "", False),
    ],
)
def test_this_machine_and_who_has_the_token_may_read(
    peer: str, headers: dict[str, str], token: str, may: bool
) -> None:
    assert may_read(Headers(headers), peer, token) is may


def test_behind_a_proxy_only_the_token_counts() -> None:
    assert not may_read(Headers(), "127.0.0.1", TOKEN, behind_proxy=True)
    given = Headers({"Authorization": f"Bearer {SENT}"})
    assert may_read(given, "127.0.0.1", TOKEN, behind_proxy=True)
    twice = Headers([("Authorization", f"Bearer {SENT}"), ("Authorization", "Bearer x")])
    assert not may_read(twice, "192.0.2.7", TOKEN)


async def test_the_port_answers_with_metrics_or_403() -> None:
    settings = evolve(Config(), server=ServerSettings(metrics_token=TOKEN))
    async with served(settings) as running:
        answer = await http(running, GET)
        head, _, body = answer.partition("\r\n\r\n")
        assert head.startswith("HTTP/1.1 200 OK")
        assert "Content-Type: text/plain; version=0.0.4" in head
        assert read(body)["kaguraden_connections", ()] == 0
        proxied = "GET /metrics HTTP/1.1\nHost: localhost\nX-Forwarded-For: 127.0.0.1\n"
        assert (await http(running, f"{proxied}\n")).startswith("HTTP/1.1 403 ")
        answer = await http(running, f"{proxied}Authorization: Bearer {TOKEN}é\n\n")
        assert answer.startswith("HTTP/1.1 403 ")
        answer = await http(running, f"{proxied}Authorization: Bearer {TOKEN}\n\n")
        assert answer.startswith("HTTP/1.1 200 ")
        answer = await http(running, "HEAD /metrics HTTP/1.1\nHost: localhost\n\n")
        assert answer.endswith("\r\n\r\n")
        elsewhere = await http(running, "GET /metrics HTTP/1.1\nHost: evil.example\n\n")
        assert elsewhere.startswith("HTTP/1.1 421 ")
        now = read((await http(running, GET)).partition("\r\n\r\n")[2])
        assert now["kaguraden_http_responses_total", ("200",)] == 3
        assert now["kaguraden_http_responses_total", ("403",)] == 2


# --- what it counts -------------------------------------------------------------------------------


async def test_what_happens_in_a_house_is_counted(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    journal = InlineJournal(tmp_path)
    async with open_house(journal=journal) as house:
        metrics = Metrics(house.lobby)
        room, players = await house.started(("Aki", "Ben"))
        await players[0].ask("create", game="ofuda", title="secret-title", listed=False)
        await players[0].refused("start", room=room)
        await players[0].refused("join", room="KAGU-0000")
        now = read(metrics.text())
        assert now["kaguraden_connections", ()] == 2
        assert now["kaguraden_users", ()] == now["kaguraden_users_here", ()] == 2
        assert now["kaguraden_rooms", ("ofuda", "playing")] == 1
        assert now["kaguraden_rooms", ("ofuda", "lobby")] == 1
        assert now["kaguraden_rooms", ("ofuda", "over")] == 0
        assert now["kaguraden_refusals_total", ("room_started",)] == 1
        assert now["kaguraden_refusals_total", ("room_not_found",)] == 1
        assert now["kaguraden_refusals_total", ("stale",)] == 0
        assert now["kaguraden_journal", ("up",)] == 1
        assert now["kaguraden_journal", ("down",)] == 0
        assert now["kaguraden_commit_seconds_count", ()] >= 5
        assert (
            now["kaguraden_commit_seconds_bucket", ("+Inf",)]
            == (now["kaguraden_commit_seconds_count", ()])
        )
        await play_out(room, players)
        over = read(metrics.text())
        assert over["kaguraden_rooms", ("ofuda", "over")] == 1
        table = house.lobby.rooms[room].table
        assert table is not None
        taken = over["kaguraden_steps_total", ("ofuda",)]
        assert taken >= len([entry for entry in table.inputs if entry]) > 0
        assert over["kaguraden_commit_seconds_count", ()] >= taken
        await players[1].leave_line()
        await trio.testing.wait_all_tasks_blocked()
        gone = read(metrics.text())
        assert gone["kaguraden_connections", ()] == 1
        assert gone["kaguraden_connections_ended_total", ("client",)] == 1
        text = metrics.text()
        assert all(name not in text for name in (room, "Aki", "secret-title", players[0].user))
    journal.drop()


async def test_a_reader_that_is_cut_is_counted_by_its_close_code() -> None:
    async with served() as running:
        metrics = Metrics(running.lobby)
        async with dial(running) as ws:
            await ws.send(b"binary")
            assert (await close_of(ws))[0] == 1003
        async with dial(running) as ws:
            await ws.send("x" * 1_000_000)
            assert (await close_of(ws))[0] == 1009
        async with dial(running) as one, dial(running) as two:
            aki = Player(SocketLine(one))
            await aki.open("Aki")
            await Player(SocketLine(two)).open("Aki", resume=aki.hello["token"])
            assert (await close_of(one))[0] == 4004
        with trio.fail_after(5):
            while running.lobby.connections:  # noqa: ASYNC110 - nothing tells of it
                await trio.sleep(0.01)
        now = read(metrics.text())
        ended = {code: n for (name, code), n in now.items() if name.endswith("ended_total") and n}
        assert ended == {("1003",): 1, ("1009",): 1, ("4004",): 1, ("client",): 1}


def families(text: str) -> Iterator[tuple[str, str]]:
    for family in text_string_to_metric_families(text):
        yield family.name, family.documentation


async def test_every_metric_says_what_it_means_and_labels_are_few(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        text = Metrics(house.lobby).text()
        ours = [name for name, meaning in families(text) if name.startswith("kaguraden_")]
        assert len(ours) == 18
        assert all(meaning for _, meaning in families(text))
        labels = set(re.findall(r"([a-z_]+)=\"", text))
        assert labels <= {"le", "game", "phase", "code", "status", "state"} | {
            "version",
            "protocol",
            "python",
        }
        assert "process_resident_memory_bytes" in text


def test_durations_are_counted_up_to_each_bound_inclusive() -> None:
    durations = Durations((0.1, 1.0))
    for seconds in (0.0, 0.1, 0.2, 1.0, 1.1):
        durations.note(seconds)
    assert durations.counts == [2, 2, 1]
    assert durations.total_s == pytest.approx(2.4)


def test_a_turn_lasts_from_when_it_was_due() -> None:
    now = [0.0]
    stalls = Durations((10.0,))
    watch = LoopWatch(stalls, lambda: now[0])
    turns = [
        (3.0, 60.0, 5.0, 0.5),  # something came from outside, long before a deadline
        (7.0, 1.0, 10.0, 2.25),  # late: it was due at 8
        (20.0, 5.0, 25.0, 0.0),
    ]
    lasted = []
    for waits, timeout, wakes, works in turns:
        now[0] = waits
        watch.before_io_wait(timeout)
        before = stalls.total_s
        now[0] = wakes
        watch.after_io_wait(timeout)
        now[0] = wakes + works
        watch.before_io_wait(0)
        lasted.append(stalls.total_s - before)
        watch.after_io_wait(0)
    assert lasted == [0.5, 4.25, 0.0]


async def test_a_task_that_does_not_pause_stalls_the_loop() -> None:
    stalls = Durations((0.04, 10.0))
    watch = LoopWatch(stalls)
    trio.lowlevel.add_instrument(watch)
    try:
        await trio.lowlevel.checkpoint()
        before = stalls.counts[1]
        until = time.perf_counter() + 0.05
        while time.perf_counter() < until:
            pass
        await trio.lowlevel.checkpoint()
        assert stalls.counts[1] > before
    finally:
        trio.lowlevel.remove_instrument(watch)
