"""Who runs the server speaks to it: every deed, over the socket and at its own risk alone."""

import json
import os
import random
import sqlite3
import stat
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import define
from click.testing import CliRunner
from kaguraden_server.admin import deeds
from kaguraden_server.admin.commands import admin
from kaguraden_server.admin.deeds import DEEDS, Keys, Refusal, carry_out
from kaguraden_server.admin.server import MAX_REQUEST, answer, open_socket, serve_admin
from kaguraden_server.admin.words import told
from kaguraden_server.bots import Transport
from kaguraden_server.census import take_census
from kaguraden_server.journal import store
from trio.testing import MockClock
from websockets.trio.client import connect
from websockets.typing import Subprotocol

from .house import House, Player, open_house, play_out
from .journals import InlineJournal
from .test_process import process, rest
from .test_sockets import SocketLine


@define(eq=False)
class Host:
    """Who runs a house."""

    house: House
    keys: Keys
    stops: list[bool]

    async def do(self, deed: str, **fields: Any) -> Any:
        return await carry_out(self.keys, deed, fields)

    async def refused(self, deed: str, **fields: Any) -> str:
        with pytest.raises(Refusal) as caught:
            await carry_out(self.keys, deed, fields)
        assert caught.value.why.ja
        assert caught.value.why.en
        return caught.value.code


async def idle_bot(transport: Transport, *, token: str, room: str, name: str) -> None:
    client = {"name": "idle", "version": "1"}
    hello = {"name": name, "client": client, "bot": True, "resume": token}
    await transport.send(json.dumps({"type": "hello", "id": 1, **hello}))
    await transport.send(json.dumps({"type": "sync", "id": 2, "room": room}))
    while True:
        await transport.receive()


@asynccontextmanager
async def hosted(**fields: Any) -> AsyncIterator[Host]:
    async with open_house(bots={"idle": idle_bot}, **fields) as house:
        stops: list[bool] = []
        keys = Keys(house.lobby, lambda: stops.append(True), trio.current_time())
        yield Host(house, keys, stops)


# --- looking --------------------------------------------------------------------------------------


async def test_rooms_and_members_are_listed(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hosted() as host:
        room, (aki, ben) = await host.house.table(("Aki", "Ben"))
        made = await aki.ask("create", game="ofuda", seats=2, title="一局", listed=False)
        await aki.ask("bot", room=made["room"], level="idle")
        wat = await host.house.enter("Wat")
        await wat.ask("join", room=room, **{"as": "spectator"})
        await ben.leave_line()
        await trio.testing.wait_all_tasks_blocked()
        await trio.sleep(61)
        one, two = (await host.do("rooms"))["rooms"]
        assert (one["room"], one["taken"], one["seats"], one["here"]) == (room, 2, 2, 2)
        assert (one["watching"], one["bots"], one["listed"], one["age_s"]) == (1, 0, True, 61)
        assert (two["title"], two["listed"], two["bots"], two["phase"]) == (
            "一局",
            False,
            1,
            "lobby",
        )
        shown = await host.do("members", room=room.lower().replace("-", " "))
        assert [seat["seat"] for seat in shown["seats"]] == [1, 2]
        assert shown["seats"][0] == {
            "seat": 1,
            "name": "Aki",
            "user": aki.user,
            "here": True,
            "host": True,
        }
        assert shown["seats"][1]["here"] is False
        assert [member["name"] for member in shown["watching"]] == ["Wat"]
        bots = (await host.do("members", room=made["room"]))["seats"][1]
        assert bots["bot"] == "idle"
        away = told("members", shown)[1].en
        assert away == f"2  Ben  {ben.user}  away"
        for line in told("members", await host.do("members", room=made["room"])):
            assert line.ja
            assert line.en.endswith(("  host", "  bot idle"))
        assert await host.refused("members", room="KAGU-0000") == "room_not_found"
        monkeypatch.setattr(deeds, "MAX_LISTED", 0)
        assert await host.do("rooms") == {"rooms": [], "more": 2}
        shown = await host.do("members", room=room)
        assert (shown["watching"], shown["more"]) == ([], 1)


async def test_the_status_is_the_census_that_the_metrics_tell(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    journal = InlineJournal(tmp_path)
    async with hosted(journal=journal) as host:
        await host.house.started(("Aki", "Ben"))
        await trio.sleep(5)
        now, status = take_census(host.house.lobby), await host.do("status")
        assert status["rooms"] == [{"game": "ofuda", "phase": "playing", "rooms": 1}]
        assert now.rooms == {("ofuda", "playing"): 1}
        same = ("connections", "here", "users", "bots", "journal")
        assert {k: status[k] for k in same} == {k: getattr(now, k) for k in same}
        assert (status["connections"], status["up_s"], status["journal"]) == (2, 5, "up")
        assert status["journal_bytes"] > 0
    journal.drop()


async def test_what_a_game_hides_is_in_no_listing(autojump_clock: MockClock) -> None:
    async with hosted() as host:
        room, players = await host.house.started(("Aki", "Ben"))
        table = host.house.lobby.rooms[room].table
        assert table is not None
        told = [await host.do(d) for d in ("rooms", "status")] + [
            await host.do("members", room=room)
        ]
        text = json.dumps(told)
        hands = [str(card) for hand in table.state.hands for card in hand]
        secrets = [table.deal.seed.hex(), *(p.hello["token"] for p in players), *hands]
        assert hands
        assert not [secret for secret in secrets if secret in text]


# --- doing ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("who", ["2", "２", "Ben", "BEN", "id"])
async def test_somebody_is_kicked(who: str, autojump_clock: MockClock) -> None:
    async with hosted() as host:
        room, (aki, ben) = await host.house.table(("Aki", "Ben"))
        meant = ben.user if who == "id" else who
        assert (await host.do("kick", room=room, who=meant))["name"] == "Ben"
        assert (await ben.next("closed"))["reason"] == "kicked"
        assert (await host.do("members", room=room))["seats"][1] == {"seat": 2}
        assert await host.refused("kick", room=room, who=meant) == "nobody"
        await aki.ask("bot", room=room, level="idle")
        name = (await host.do("members", room=room))["seats"][1]["name"]
        await host.do("kick", room=room, who=name if who == "Ben" else "2")
        assert (await host.do("members", room=room))["seats"][1] == {"seat": 2}


async def test_what_cannot_be_kept_is_told(tmp_path: Path, autojump_clock: MockClock) -> None:
    journal = InlineJournal(tmp_path)
    async with hosted(journal=journal) as host:
        room, _ = await host.house.table(("Aki", "Ben"))
        journal.fault = sqlite3.OperationalError("full")
        assert await host.refused("kick", room=room, who="2") == "unavailable"
        assert (await host.do("status"))["journal"] == "down"
        assert await host.refused("close", room=room) == "unavailable"
        journal.fault = None
        await host.do("close", room=room)
    journal.drop()


async def test_a_room_is_closed_and_all_are_told(tmp_path: Path, autojump_clock: MockClock) -> None:
    journal = InlineJournal(tmp_path)
    async with hosted(journal=journal) as host:
        room, players = await host.house.started(("Aki", "Ben"))
        await host.do("close", room=room)
        for player in players:
            assert (await player.next("closed"))["reason"] == "closed"
        assert (await host.do("rooms"))["rooms"] == []
        assert await host.refused("close", room=room) == "room_not_found"
    with closing(sqlite3.connect(tmp_path / "journal.sqlite3")) as kept:
        assert kept.execute("SELECT reason FROM rooms").fetchall() == [("closed",)]
    journal.drop()


async def test_clocks_are_stopped_and_run_again(autojump_clock: MockClock) -> None:
    async with hosted() as host:
        room, players = await host.house.table(("Aki", "Ben"), turn_ms=10_000, bank_ms=0)
        assert await host.refused("pause", room=room) == "not_playing"
        await players[0].ask("start", room=room)
        for on in (True, True):  # twice is once
            assert await host.do("pause", room=room, on=on) == {"room": room, "on": True}
        notices = [p["code"] for p in await players[1].quiet() if p["type"] == "notice"]
        assert notices.count("paused") == 1
        before = players[1].views[room]["seq"]
        await trio.sleep(600)
        await players[1].quiet()
        assert players[1].views[room]["seq"] == before, "nobody's time runs out"
        await host.do("pause", room=room, on=False)
        await trio.sleep(600)
        await players[1].quiet()
        assert players[1].views[room]["seq"] > before + 1


async def test_an_announcement_is_told_to_all_who_are_here(autojump_clock: MockClock) -> None:
    async with hosted() as host:
        aki = await host.house.enter("Aki", locale="ja")
        ben = await host.house.enter("Ben", locale="en")
        silent = await host.house.connect()
        reply = await host.do("announce", text=" We stop\tat 22:00 {x}\x1b[31m\u202e ")
        assert reply == {"told": 2}
        notices = [await player.next("notice") for player in (aki, ben)]
        said = "We stop at 22:00 {x}[31m"
        assert [n["message"] for n in notices] == [
            f"サーバーから: {said}",
            f"from the server: {said}",
        ]
        assert [n["details"] for n in notices] == [{"text": said}] * 2
        assert {n["code"] for n in notices} == {"announcement"}
        for text in ("", "\u200b", "x" * 501):
            assert await host.refused("announce", text=text) == "bad_text"
        assert await silent.open("Chi")


async def test_the_server_is_stopped(autojump_clock: MockClock) -> None:
    async with hosted() as host:
        assert await host.do("drain") == {}
        assert host.stops == [True]


async def test_a_journal_is_copied_while_a_game_is_played(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    journal = InlineJournal(data)
    async with hosted(journal=journal) as host:
        room, players = await host.house.started(("Aki", "Ben"))
        to = tmp_path / "copy.sqlite3"
        reply = await host.do("snapshot", to=str(to))
        assert reply == {"file": str(to), "bytes": to.stat().st_size}
        assert stat.S_IMODE(to.stat().st_mode) == 0o600
        assert await host.refused("snapshot", to=str(to)) == "exists"
        assert await host.refused("snapshot", to="copy.sqlite3") == "bad_field"
        assert await host.refused("snapshot", to=str(tmp_path / "no" / "x")) == "not_written"
        own = Path((await host.do("snapshot"))["file"])
        assert own.parent == data / "snapshots"
        await play_out(room, players)
        with (
            closing(sqlite3.connect(to)) as copy,
            closing(sqlite3.connect(data / "journal.sqlite3")) as now,
        ):
            query = "SELECT code, phase, (SELECT count(*) FROM steps) FROM rooms"
            (then,), (later,) = copy.execute(query).fetchall(), now.execute(query).fetchall()
            assert then[:2] == (room, "playing")
            assert 0 < then[2] < later[2]
        assert sorted(os.listdir(tmp_path)) == ["copy.sqlite3", "data"]
    journal.drop()


async def test_a_copy_that_takes_long_does_not_hold_up_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = threading.Event()

    def copy(_: Path, __: Path, go_on: Callable[[], None]) -> int:
        while True:
            begun.set()
            go_on()

    monkeypatch.setattr(store, "copy", copy)
    (tmp_path / "data").mkdir()
    journal = InlineJournal(tmp_path / "data")
    with trio.fail_after(20):
        async with hosted(journal=journal) as host, trio.open_nursery() as nursery:
            nursery.start_soon(partial(host.do, "snapshot", to=str(tmp_path / "copy")))
            await trio.to_thread.run_sync(begun.wait)
            nursery.cancel_scope.cancel()
    journal.drop()


async def test_without_a_journal_there_is_nothing_to_copy(autojump_clock: MockClock) -> None:
    async with hosted() as host:
        assert await host.refused("snapshot") == "no_journal"


@pytest.mark.parametrize(
    ("deed", "fields"),
    [
        ("rooms", {"room": "x"}),
        ("members", {}),
        ("members", {"room": 1}),
        ("members", {"room": ["x"]}),
        ("kick", {"room": "x"}),
        ("pause", {"room": "x", "on": "yes"}),
        ("drain", {"now": True}),
    ],
)
async def test_other_fields_are_refused(
    deed: str, fields: dict[str, Any], autojump_clock: MockClock
) -> None:
    async with hosted() as host:
        assert await host.refused(deed, **fields) == "bad_field"
        assert not host.stops


# --- the socket -----------------------------------------------------------------------------------


HOSTILE = [
    (b"", "bad_request"),
    (b"x", "bad_request"),
    (b"[]", "bad_request"),
    (b'{"do":1}', "bad_request"),
    (b'{"do":"rooms","do":"drain"}', "bad_request"),
    (b'{"do":"drain"', "bad_request"),
    (b'{"do":"no such"}', "unknown"),
    (b'{"do":"__class__"}', "unknown"),
    (b'{"do":"rooms","x":NaN}', "bad_request"),
    (b'{"do":"close","room":"\\ud800"}', "bad_request"),
    (b'{"do":"close","room":"\xff"}', "bad_request"),
    (b"[" * 5_000, "bad_request"),
    (b'{"do":"members","room":"' + b"9" * 9_000 + b'"}', "bad_request"),
    (b'{"do":"kick","room":"KAGU-0000","who":"' + b"9" * 6_000 + b'"}', "room_not_found"),
]


@pytest.mark.parametrize(("line", "code"), HOSTILE)
async def test_what_makes_no_sense_is_told_and_nothing_happens(
    line: bytes, code: str, autojump_clock: MockClock
) -> None:
    async with hosted() as host:
        reply = await answer(host.keys, line)
        assert reply["error"] == code
        assert len(json.dumps(reply)) < 7_000
        assert not host.stops


async def test_a_number_too_long_is_nobodys_seat(autojump_clock: MockClock) -> None:
    async with hosted() as host:
        room, _ = await host.house.table(("Aki", "Ben"))
        for who in ("9" * 6_000, "0", "3", "-1", ""):
            assert await host.refused("kick", room=room, who=who) == "nobody"


async def test_any_request_gets_a_reply_and_the_house_stays_well(
    autojump_clock: MockClock,
) -> None:
    rng = random.Random(8)
    async with hosted() as host:
        keep, _ = await host.house.started(("Aki", "Ben"))
        values: list[Any] = [
            None,
            True,
            0,
            -1,
            2**60,
            "",
            "1",
            "Aki",
            [],
            {},
            "x" * 2_000,
            "\u202e",
        ]
        names = ["room", "who", "text", "on", "to", "do", "\x1b"]
        codes: set[str] = set()
        for _ in range(1_000):
            if len(host.house.lobby.rooms) == 1 and rng.random() < 0.1:
                await host.house.table(("Chi", "Dai"))
            rooms = [code for code in host.house.lobby.rooms if code != keep]
            asked = {name: rng.choice([*values, *rooms]) for name in names if rng.random() < 0.1}
            asked["do"] = rng.choice([*DEEDS, asked.get("do")])
            for name in DEEDS[asked["do"]].needs if asked["do"] in list(DEEDS) else ():
                asked.setdefault(name, rng.choice(["1", "Aki", *rooms]))
            line = bytearray(json.dumps(asked).encode())
            if rng.random() < 0.2:
                line[rng.randrange(len(line))] = rng.randrange(256)
            reply = await answer(host.keys, bytes(line))
            json.dumps(reply)
            codes.add("ok" if "ok" in reply else str(reply["error"]))
        assert codes >= {"ok", "bad_request", "bad_field", "unknown", "room_not_found", "nobody"}
        assert "internal" not in codes
        assert keep in host.house.lobby.rooms
        await host.do("status")


@asynccontextmanager
async def listening(path: Path) -> AsyncIterator[Host]:
    async with hosted() as host, trio.open_nursery() as nursery:
        nursery.start_soon(serve_admin, host.keys, path, open_socket(path))
        yield host
        nursery.cancel_scope.cancel()


async def lines_of(path: Path, *sent: bytes, end: bool = True) -> list[Any]:
    """Return what comes back, until the server hangs up."""
    stream = await trio.open_unix_socket(str(path))
    with trio.fail_after(10):
        async with stream:
            for part in sent:
                await stream.send_all(part)
            if end:
                await stream.send_eof()
            got = b"".join([part async for part in stream])
    return [json.loads(line) for line in got.splitlines()]


async def test_a_line_each_way_for_the_own_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "admin.sock"
    async with listening(path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        asked = b'{"do":"rooms"}\n'
        replies = await lines_of(path, asked[:5], asked[5:] + asked, b"nonsense\n", asked)
        assert [list(reply) for reply in replies] == [["ok"], ["ok"], ["error", "message"], ["ok"]]
        assert await lines_of(path, asked[:-1]) == [], "half a line is no request"
        (reply,) = await lines_of(path, b"x" * (MAX_REQUEST + 100), end=False)
        assert reply["error"] == "bad_request"
    assert not path.exists()


async def test_the_socket_of_a_dead_server_is_replaced_and_a_living_one_is_not(
    tmp_path: Path,
) -> None:
    path = tmp_path / "admin.sock"
    open_socket(path).close()
    assert path.exists()
    async with listening(path):
        with pytest.raises(OSError, match="another server listens there"):
            open_socket(path)
        assert await lines_of(path, b'{"do":"rooms"}\n')
    path.write_text("mine")
    with pytest.raises(FileExistsError):
        open_socket(path)
    assert path.read_text() == "mine"


async def test_those_who_say_nothing_keep_nobody_out_for_long(tmp_path: Path) -> None:
    path = tmp_path / "admin.sock"
    async with listening(path):
        idle = [await trio.open_unix_socket(str(path)) for _ in range(20)]
        for stream in idle[16:]:  # one more than are let in is hung up on
            with trio.fail_after(5):
                assert await stream.receive_some() == b""
        for stream in idle:
            await stream.aclose()
        await trio.testing.wait_all_tasks_blocked()
        assert await lines_of(path, b'{"do":"rooms"}\n')


# --- the command ----------------------------------------------------------------------------------


def run(*arguments: str, **fields: Any) -> Any:
    return CliRunner().invoke(admin, list(arguments), **fields)


async def command(*arguments: str) -> tuple[int, str, str]:
    done = await trio.to_thread.run_sync(lambda: run(*arguments))
    return done.exit_code, done.stdout, done.stderr


async def test_the_command_finds_the_server_and_prints_what_it_tells(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with process("--port", "0", "--data", str(data), "--log-format", "json") as (server, url):
        async with connect(url, subprotocols=[Subprotocol("kaguraden.v1")], proxy=None) as ws:
            aki = await Player(SocketLine(ws)).open("Aki")
            room = (await aki.ask("create", game="odoriko", title="A table"))["room"]
            here = ("--data", str(data), "--lang", "en")
            status, out, _ = await command("rooms", *here)
            assert status == 0
            assert out.startswith(f"{room}  odoriko  lobby   1/6 0:00  here 1  A table")
            status, out, _ = await command("members", room, "--json", "--data", str(data))
            assert json.loads(out)["ok"]["seats"][0]["address"] == "127.0.0.1"
            _, out, _ = await command("rooms", "--data", str(data), "--lang", "ja")
            assert "準備中 1/6" in out
            status, out, _ = await command("announce", "back", "at", "nine", *here)
            assert (status, out) == (0, "told to 1\n")
            assert (await aki.next("notice"))["message"] == "from the server: back at nine"
            status, out, err = await command("kick", room, "Nobody\x1b[2J", *here)
            assert (status, out, err) == (1, "", "nobody like that is there\n")
            status, out, err = await command("close", "\x1b[2J", *here)
            assert (status, "\x1b" in err) == (1, False)
            _, out, _ = await command("status", *here)
            assert "rooms odoriko lobby 1" in out
            status, out, _ = await command("drain", *here)
            assert (status, out) == (0, "the server stops\n")
        with trio.fail_after(10):
            assert await server.wait() == 0
        log = [json.loads(line) for line in (await rest(server.stderr)).splitlines()]
        done = [(e["do"], e.get("room")) for e in log if e["event"] == "admin"]
        assert done == [("announce", None), ("kick", room), ("close", None), ("drain", None)]
    assert not (data / "admin.sock").exists()
    status, out, err = await command("rooms", *here)
    assert (status, out) == (2, "")
    assert "there is no server to ask" in err


def test_the_server_has_to_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    assert run("rooms", "--lang", "en").exit_code == 2
    file = tmp_path / "kaguraden.toml"
    file.write_text(f'[admin]\nsocket = "{tmp_path}/x.sock"\n')
    for arguments, place in (
        (["--config", str(file)], f"{tmp_path}/x.sock"),
        (["--data", str(tmp_path)], f"{tmp_path}/admin.sock"),
        (["--socket", f"{tmp_path}/y"], f"{tmp_path}/y"),
    ):
        done = run("rooms", "--lang", "en", *arguments)
        assert (done.exit_code, done.stderr.split(":")[0]) == (2, place)
    monkeypatch.setenv("RUNTIME_DIRECTORY", "/run/kaguraden")
    assert run("rooms").stderr.startswith("/run/kaguraden/admin.sock")


async def test_a_socket_that_was_asked_for_and_cannot_be_is_said_at_the_start(
    tmp_path: Path,
) -> None:
    file = tmp_path / "kaguraden.toml"
    file.write_text(f'[admin]\nsocket = "{tmp_path}/no/x.sock"\n')
    started = await trio.lowlevel.open_process(
        [*process_command(), "--port", "0", "--config", str(file)], stderr=-1, stdout=-1
    )
    with trio.fail_after(20):
        assert await started.wait() == 1
        assert "no/x.sock: No such file" in await rest(started.stderr)


def process_command() -> list[str]:
    from .test_process import SERVE

    return SERVE


@pytest.mark.parametrize("deed", list(DEEDS))
def test_every_deed_has_a_command_and_words(deed: str) -> None:
    assert deed in admin.commands
    replies: dict[str, Any] = {
        "status": {
            "name": "K",
            "version": "1",
            "up_s": 200_000,
            "connections": 1,
            "here": 1,
            "bots": 0,
            "rooms": [],
            "journal": "down",
            "draining": True,
        },
        "rooms": {"rooms": [], "more": 3},
        "members": {"seats": [{"seat": 1}], "watching": [], "more": 2},
        "kick": {"name": "Aki", "room": "R"},
        "close": {"room": "R"},
        "announce": {"told": 1},
        "pause": {"room": "R", "on": False},
        "snapshot": {"file": "f", "bytes": 1},
        "drain": {},
    }
    lines = told(deed, replies[deed])
    assert lines
    assert all(line.ja and line.en for line in lines)
