"""SIGHUP: what can change takes effect in the running server; a faulty file changes nothing."""

import json
import os
import pty
import signal
import sqlite3
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import define, evolve, field
from kaguraden_protocol.errors import CloseCode
from kaguraden_rules.kernel import Text
from kaguraden_server import passwords
from kaguraden_server.config import (
    Config,
    ConfigError,
    DailySettings,
    DataSettings,
    LogSettings,
    ServerSettings,
    TlsSettings,
    UserSettings,
    describe,
)
from kaguraden_server.http import Door
from kaguraden_server.journal.store import FILE
from kaguraden_server.logs import Log
from kaguraden_server.reload import Change, Reloader, change
from kaguraden_server.replays import ReplayFiles
from kaguraden_server.tls import open_tls
from trio.testing import MockClock
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.trio.client import connect
from websockets.typing import Origin, Subprotocol

from tests.certificates import make

from .house import Player, Refused, config, open_house
from .journals import InlineJournal
from .test_process import SERVE, process
from .test_sockets import Mute, SocketLine, close_of, told

OLD, WORD = "kagura", "geheim"

# --- what changes --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("section", "key", "is_taken"), [(s, key, note.reload) for s, key, _, note in describe()]
)
def test_what_is_marked_is_taken_over_and_the_rest_waits(
    section: str, key: str, is_taken: bool
) -> None:
    now = Config()
    value: Any = getattr(getattr(now, section), key)
    other: Any = {bool: True, int: 77, str: "json", tuple: ("a",)}[type(value)]
    if other == value:
        other = False
    new = evolve(now, **{section: evolve(getattr(now, section), **{key: other})})
    name = f"{section}.{key}"
    assert change(now, new) == (
        Change(new, changed=(name,)) if is_taken else Change(now, waiting=(name,))
    )


def test_settings_that_are_the_same_change_nothing() -> None:
    assert change(Config(), Config()) == Change(Config())


# --- in a house ----------------------------------------------------------------------------------


async def test_rooms_are_kept_by_the_new_times_at_once(autojump_clock: MockClock) -> None:
    async with open_house(config(rooms={"empty_lobby_s": 80_000})) as house:
        aki = await house.enter("Aki")
        await aki.ask("create", game="ofuda")
        await aki.leave_line()
        await trio.sleep(20)
        assert house.lobby.rooms, "its time is far away"
        shorter = evolve(house.lobby.config, rooms=config(rooms={"empty_lobby_s": 30}).rooms)
        house.lobby.adopt(shorter, None)
        await trio.sleep(20)
        assert not house.lobby.rooms


async def test_new_rooms_get_the_new_clocks_and_old_ones_keep_theirs(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        aki = await house.enter("Aki")
        old = (await aki.ask("create", game="ofuda"))["room"]
        clocks = config(clocks={"window_ms": 7_000}).clocks
        house.lobby.adopt(evolve(house.lobby.config, clocks=clocks), None)
        new = (await aki.ask("create", game="ofuda"))["room"]
        given = {code: house.lobby.rooms[code].clock_options.window_ms for code in (old, new)}
        assert given == {old: 20_000, new: 7_000}
        ben = await house.enter("Ben")
        (ofuda,) = ben.hello["games"]
        assert ofuda["options"]["properties"]["window_ms"]["default"] == 7_000


async def test_limits_are_read_on_use_and_a_connection_keeps_what_it_was_told(
    autojump_clock: MockClock,
) -> None:
    async with open_house(config({"burst_requests": 100})) as house:
        aki, carl = await house.enter("Aki"), await house.connect()
        await trio.testing.wait_all_tasks_blocked()  # the house has seen him come
        fewer = {"rooms": 1, "burst_requests": 5, "connections_per_address": 10_000}
        house.lobby.adopt(evolve(house.lobby.config, limits=config(fewer).limits), None)
        for _ in range(20):
            await aki.ask("ping")
        await aki.ask("create", game="ofuda")
        refused = await aki.refused("create", game="ofuda")
        assert refused.details == {"limit": 1, "what": "rooms"}
        await carl.open("Carl")
        assert carl.hello["limits"]["burst_requests"] == 100, "by which it is counted"
        ben = await house.enter("Ben")
        assert ben.hello["limits"]["burst_requests"] == 5
        numbers = [await ben.send("ping") for _ in range(10)]
        for number in numbers[:4]:
            await ben.reply(number)
        with pytest.raises(Refused, match="too_many_requests"):
            await ben.reply(numbers[4])


async def test_users_are_remembered_by_the_new_times(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        aki = await house.enter("Aki")
        await aki.leave_line()
        house.lobby.adopt(evolve(house.lobby.config, users=UserSettings(keep_s=10)), None)
        await trio.sleep(100)
        assert not len(house.lobby.users)


async def test_the_daily_challenge_and_the_records_go_by_the_new_numbers(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async with open_house(replays=ReplayFiles.within(tmp_path, 9)) as house:
        new = evolve(
            house.lobby.config,
            daily=DailySettings(entries=1, by_address=True),
            data=DataSettings(replays=2),
        )
        house.lobby.adopt(new, None)
        assert house.lobby.daily.settings == new.daily
        assert house.lobby.replays == ReplayFiles(tmp_path / "replays", 2)


async def test_a_password_that_changed_lets_nobody_in_with_the_old_one(
    autojump_clock: MockClock,
) -> None:
    before, after = [await passwords.hash_password(word) for word in (OLD, WORD)]
    async with open_house(password=before) as house:
        house.lobby.adopt(house.lobby.config, after)
        with pytest.raises(Refused, match="bad_password"):
            await house.enter("Aki", password=OLD)
        await house.enter("Aki", password=WORD)


def closed_rooms(folder: Path) -> int:
    with sqlite3.connect(folder / FILE) as journal:
        (count,) = journal.execute("SELECT count(*) FROM rooms WHERE closed_ms > 0").fetchone()
    journal.close()
    return int(count)


async def test_closed_rooms_leave_the_journal_when_fewer_are_kept_and_each_hour(
    autojump_clock: MockClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kaguraden_server.lobby.FORGET_AT_ONCE", 2)
    settings = evolve(Config(), data=DataSettings(dir=str(tmp_path), closed_rooms=5))
    async with open_house(settings, journal=InlineJournal(tmp_path)) as house:
        aki = await house.enter("Aki")

        async def close_rooms(many: int) -> None:
            for _ in range(many):
                room = (await aki.ask("create", game="ofuda"))["room"]
                await aki.ask("leave", room=room)
                await trio.sleep(200)
            assert not house.lobby.rooms

        await close_rooms(5)
        assert closed_rooms(tmp_path) == 5
        new = evolve(house.lobby.config, data=evolve(settings.data, closed_rooms=0))
        house.lobby.adopt(new, None)
        await trio.sleep(1)
        assert closed_rooms(tmp_path) == 0
        await close_rooms(1)
        await trio.sleep(3_600)
        assert closed_rooms(tmp_path) == 0


# --- reading again -------------------------------------------------------------------------------


@define
class Notes(Log):
    """A log that keeps what it was told."""

    told: list[tuple[str, dict[str, object]]] = field(factory=list)

    def _write(self, level: int, event: str, fields: dict[str, object]) -> None:
        self.told.append((event, fields))


@asynccontextmanager
async def reloader(*read: Config | Exception) -> AsyncIterator[tuple[Reloader, Notes, list[str]]]:
    """Make a reloader that reads these settings, one after another."""
    again, notes, around = iter(read), Notes(), list[str]()

    def read_next() -> Config:
        next_read = next(again)
        if isinstance(next_read, Exception):
            raise next_read
        return next_read

    @contextmanager
    def told_around() -> Iterator[None]:
        around.append("reloading")
        try:
            yield
        finally:
            around.append("ready")

    async with open_house() as house:
        door = Door(house.lobby.config, lambda: True, house.lobby.has_place)
        yield Reloader(read_next, house.lobby, door, None, notes, told_around), notes, around


async def test_a_faulty_file_changes_nothing_and_every_fault_is_logged() -> None:
    wrong = ConfigError([Text("一", "one"), Text("二", "two")])
    async with reloader(wrong) as (made, notes, around):
        before = made.lobby.config
        await made.reload()
        assert made.lobby.config is before
        assert around == ["reloading", "ready"]
        assert notes.told[:2] == [
            ("wrong_setting", {"fault": "one"}),
            ("wrong_setting", {"fault": "two"}),
        ]
        assert [event for event, _ in notes.told[2:]] == ["not_reloaded"]


async def test_what_changed_and_what_waits_is_logged_by_name_alone() -> None:
    server = ServerSettings(name="Kura", password=WORD, port=1_234)
    async with reloader() as (made, notes, _):
        new = evolve(made.lobby.config, server=server, log=LogSettings(format="json"))
        made = evolve(made, read=lambda: new)
        for _ in range(2):
            await made.reload()
        assert notes.told == [
            ("reloaded", {"changed": "server.name,server.password"}),
            ("restart_needed", {"changed": "server.port,log.format"}),
            ("reloaded", {"changed": "nothing"}),
            ("restart_needed", {"changed": "server.port,log.format"}),
        ]
        assert made.lobby.config.server == evolve(server, port=8765)
        assert await passwords.is_right(WORD, made.lobby.password)
        assert made.lobby.server_info.name == "Kura"


async def test_an_unexpected_error_ends_neither_the_server_nor_later_reloads() -> None:
    async with reloader(ValueError("a fault of ours"), Config()) as (made, notes, around):
        with trio.open_signal_receiver(signal.SIGHUP) as hang_ups:
            async with trio.open_nursery() as nursery:
                stop = trio.Event()
                nursery.start_soon(made.run, hang_ups, stop)
                with trio.fail_after(20):
                    for done in (1, 2):
                        os.kill(os.getpid(), signal.SIGHUP)
                        while around.count("ready") < done or len(notes.told) < done:
                            await trio.lowlevel.checkpoint()
                assert not stop.is_set()
                nursery.cancel_scope.cancel()
        assert [event for event, _ in notes.told] == ["reload_failed", "reloaded"]


# --- a process -----------------------------------------------------------------------------------


@define
class Running:
    """A server, its file of settings and its log."""

    server: trio.Process
    url: str
    file: Path
    _rest: bytes = b""

    async def log(self, *events: str) -> list[dict[str, Any]]:
        """Return the entries of the log up to the first with one of these events."""
        found: list[dict[str, Any]] = []
        assert self.server.stderr is not None
        with trio.fail_after(20):
            while True:
                while b"\n" not in self._rest:
                    self._rest += await self.server.stderr.receive_some()
                line, _, self._rest = self._rest.partition(b"\n")
                found.append(json.loads(line))
                if found[-1]["event"] in events:
                    return found

    async def reload(self, text: str) -> list[dict[str, Any]]:
        """Change the file, send the signal, and return what is logged up to the end of it."""
        self.file.write_text(text, "utf-8")
        self.server.send_signal(signal.SIGHUP)
        return await self.log("reloaded", "not_reloaded")

    def dial(self, **fields: Any) -> connect:
        spoken = [Subprotocol("kaguraden.v1")]
        return connect(self.url, subprotocols=spoken, proxy=None, max_size=None, **fields)

    async def enter(self, ws: Any, **fields: Any) -> Player:
        return await Player(SocketLine(ws)).open("Aki", **fields)


@asynccontextmanager
async def running(file: Path, text: str, *flags: str) -> AsyncIterator[Running]:
    await trio.Path(file).write_text(text, "utf-8")
    named = ("--config", str(file), "--port", "0", "--log-format", "json", *flags)
    async with process(*named) as (server, url):
        yield Running(server, url, file)


async def test_name_password_and_origins_change_in_a_running_server(tmp_path: Path) -> None:
    async with running(tmp_path / "k.toml", '[server]\nname = "Old"\n') as house:
        page = Origin("https://example.org")
        async with house.dial() as first:
            aki = await house.enter(first)
            assert aki.hello["server"]["name"] == "Old"
            with pytest.raises(InvalidStatus):
                async with house.dial(origin=page):
                    pass
            (*_, told_) = await house.reload(
                f'[server]\nname = "New"\npassword = "{WORD}"\n'
                'allowed_origins = ["https://example.org"]\nport = 1\n'
            )
            assert told_["changed"] == "server.name,server.password,server.allowed_origins"
            await aki.ask("ping")  # who is there stays
        async with house.dial(origin=page) as second:
            with pytest.raises(Refused, match="bad_password"):
                await house.enter(second)
        async with house.dial(origin=page) as third:
            ben = await house.enter(third, password=WORD)
            assert ben.hello["server"]["name"] == "New"
        house.server.terminate()
        assert await house.server.wait() == 0


async def test_limits_rooms_and_clocks_change_in_a_running_server(tmp_path: Path) -> None:
    async with running(tmp_path / "k.toml", "") as house, house.dial() as first:
        aki = await house.enter(first)
        await house.reload(
            "[limits]\nrooms = 1\nframe_in_bytes = 1024\n[rooms]\nbots = 0\n"
            "[clocks]\nturn_ms = 1_234\n"
        )
        room = (await aki.ask("create", game="odoriko"))["room"]
        assert (await aki.refused("create", game="odoriko")).details["what"] == "rooms"
        assert (await aki.refused("bot", room=room)).details == {"limit": 0, "what": "bots"}
        async with house.dial() as second:
            ben = await house.enter(second)
            assert ben.hello["limits"]["frame_in_bytes"] == 1_024
            (info,) = (await ben.ask("rooms"))["rooms"]
            assert info["options"]["turn_ms"] == 1_234
            await second.send(" " * 1_025)
            with suppress(ConnectionClosed):
                while True:
                    await second.recv()
            assert await close_of(second) == told(CloseCode.TOO_LARGE)
        await first.send(" " * 10_000)
        assert json.loads(await first.recv())["code"] == "bad_json", "it keeps its own limits"


async def test_the_level_of_the_log_changes_and_flags_stay_over_the_file(tmp_path: Path) -> None:
    async with running(tmp_path / "k.toml", '[log]\nlevel = "error"\n') as house:
        (*_, told_) = await house.reload('[log]\nlevel = "info"\nformat = "console"\n')
        assert told_ == {**told_, "event": "reloaded", "changed": "log.level"}
        async with house.dial():
            assert (await house.log("connected"))[-1]["event"] == "connected"


async def test_how_long_a_stop_takes_changes_in_a_running_server(tmp_path: Path) -> None:
    """Somebody who reads nothing holds it up for so long."""
    patient = "[limits]\nwrite_ms = 60_000\nqueue_bytes = 1_000_000_000\n[server]\n"
    async with running(tmp_path / "k.toml", patient + "drain_s = 60\n") as house:
        mute = await Mute.dial(int(house.url.removesuffix("/ws").rpartition(":")[2]))
        await mute.send(type="hello", id=0, name="Mute", client={"name": "t", "version": "1"})
        for number in range(1, 36):  # some 8 MB, more than the system holds for it
            await mute.send(type="catalog", id=number, game="odoriko")
        await house.log("hello")
        (*_, told_) = await house.reload(patient + "drain_s = 1\n")
        assert told_["changed"] == "server.drain_s"
        house.server.terminate()
        with trio.fail_after(10):
            assert await house.server.wait() == 0
        await mute.stream.aclose()


async def test_a_faulty_file_changes_nothing_in_a_running_server(tmp_path: Path) -> None:
    async with running(tmp_path / "k.toml", '[server]\nname = "Old"\n') as house:
        found = await house.reload(
            '[server]\nname = "New"\nprot = 1\npassword = 12345\n[log]\nlevel = "silent"\n'
        )
        faults = [entry["fault"] for entry in found if entry["event"] == "wrong_setting"]
        assert [fault.partition(": ")[2].partition(":")[0] for fault in faults] == [
            "server.prot",
            "server.password",
            "log.level",
        ]
        assert "12345" not in json.dumps(found)
        async with house.dial() as ws:
            assert (await house.enter(ws)).hello["server"]["name"] == "Old"
        house.file.unlink()
        house.server.send_signal(signal.SIGHUP)
        assert "No such file" in (await house.log("not_reloaded"))[-2]["fault"]


async def test_a_file_that_cannot_be_read_to_its_end_holds_nothing_up(tmp_path: Path) -> None:
    async with running(tmp_path / "k.toml", '[server]\nname = "Old"\n') as house:
        house.file.unlink()
        house.file.symlink_to("/dev/zero")
        house.server.send_signal(signal.SIGHUP)
        assert "not TOML: more than" in (await house.log("not_reloaded"))[-2]["fault"]
        house.file.unlink()
        os.mkfifo(house.file)
        house.server.send_signal(signal.SIGHUP)
        with trio.fail_after(20):  # until it is open there
            writer = await trio.to_thread.run_sync(os.open, house.file, os.O_WRONLY)
        house.server.terminate()
        with trio.fail_after(10):
            assert await house.server.wait() == 0
        os.close(writer)


async def test_a_signal_during_a_recovery_is_answered_after_it(tmp_path: Path) -> None:
    file, data = tmp_path / "k.toml", tmp_path / "data"
    data.mkdir()
    # What takes long is that the server waits for a pipe; it has come as far as that.
    os.mkfifo(data / "daily.key")
    file.write_text('[server]\nname = "Old"\n')
    named = ("--config", str(file), "--port", "0", "--log-format", "json", "--data", str(data))
    server = await trio.lowlevel.open_process(
        [*SERVE, *named], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    house = Running(server, "", file)
    try:
        with trio.fail_after(20):
            writer = await trio.to_thread.run_sync(os.open, data / "daily.key", os.O_WRONLY)
        file.write_text('[server]\nname = "New"\n')
        server.send_signal(signal.SIGHUP)
        os.write(writer, bytes(32))
        os.close(writer)
        assert (await house.log("reloaded"))[-1]["changed"] == "server.name"
    finally:
        server.kill()
        await server.wait()


async def test_a_server_ends_when_the_terminal_that_it_ran_in_is_closed(tmp_path: Path) -> None:
    """That is a SIGHUP, too."""
    ours, theirs = pty.openpty()

    def take_terminal() -> None:
        os.setsid()
        fd = os.open(os.ttyname(0), os.O_RDWR)  # the first that a leader opens is its own
        os.close(fd)

    log = (tmp_path / "log").open("wb")
    with log:
        server = await trio.lowlevel.open_process(
            [*SERVE, "--port", "0"],
            stdin=theirs,
            stdout=theirs,
            stderr=log,
            preexec_fn=take_terminal,
        )
    os.close(theirs)
    try:
        with trio.fail_after(20):
            first = await trio.to_thread.run_sync(os.read, ours, 100)
            assert first.startswith(b"ws://")
            os.close(ours)
            server.send_signal(signal.SIGHUP)  # as the shell does besides
            assert await server.wait() == 0
    finally:
        with suppress(ProcessLookupError):
            server.kill()
        await server.wait()
    assert "terminal_gone" in (tmp_path / "log").read_text("utf-8")


async def test_a_renewed_certificate_is_shown_and_a_faulty_one_is_not(tmp_path: Path) -> None:
    first, second = (
        made.cert.read_text() + made.key.read_text()
        for made in (make(tmp_path, "first"), make(tmp_path, "second"))
    )
    file = tmp_path / "both.pem"
    file.write_text(first)
    async with reloader(Config(), Config()) as (made, notes, _):
        tls = open_tls(Config(tls=TlsSettings("files", str(file))))
        assert tls is not None
        made = evolve(made, tls=tls)
        before = tls.fingerprint
        file.write_text("none")
        await made.reload()
        assert tls.fingerprint == before
        assert "certificate_not_renewed" in [event for event, _ in notes.told]
        file.write_text(second)
        await made.reload()
        assert tls.fingerprint != before
        assert ("certificate", {"fingerprint": tls.fingerprint}) in notes.told
