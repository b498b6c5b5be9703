"""The journal's file and its writer: versions, groups, faults, and the commands that look into it."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import attrs
import pytest
import trio
from click.testing import CliRunner
from kaguraden_server.journal import store
from kaguraden_server.journal.commands import journal as command
from kaguraden_server.journal.entries import Entry, RoomClosed, RoomKept, StepTaken
from kaguraden_server.journal.writer import Journal, StorageDown
from kaguraden_server.logs import Log

from .test_process import SERVE


def step(room: int, n: int, inputs: str = "") -> StepTaken:
    return StepTaken(room, n, 0, inputs, "{}", None)


def kept(number: int, code: str = "KAGU-2222") -> RoomKept:
    return RoomKept(number, code, "odoriko", "1.0", "lobby", 1_000, "{}")


def read_steps(folder: Path, room: int) -> list[int]:
    connection = store.read_only(folder)
    try:
        return [entry.n for entry in store.steps_of(connection, room)]
    finally:
        connection.close()


async def test_what_was_written_is_there(tmp_path: Path) -> None:
    journal = await Journal.open(tmp_path, Log())
    await journal.write(kept(1), step(1, 0), step(1, 1))
    assert read_steps(tmp_path, 1) == [0, 1]
    await journal.aclose()
    again = await Journal.open(tmp_path, Log())
    assert again.next_number == 2
    await again.aclose()


async def test_writes_that_come_together_are_committed_together(tmp_path: Path) -> None:
    journal = await Journal.open(tmp_path, Log())
    held, groups = threading.Event(), []
    commit = journal.commit

    def slow(connection: sqlite3.Connection, entries: Sequence[Entry]) -> None:
        held.wait(10)
        groups.append(len(entries))
        commit(connection, entries)

    journal.commit = slow  # type: ignore[method-assign]
    async with trio.open_nursery() as nursery:
        for room in range(50):
            nursery.start_soon(journal.write, step(room, 0))
        await trio.testing.wait_all_tasks_blocked(0.05)
        held.set()
    assert len(groups) <= 2
    assert sum(groups) == 50
    await journal.aclose()


async def test_a_failed_commit_leaves_nothing_and_the_next_works(tmp_path: Path) -> None:
    journal = await Journal.open(tmp_path, Log())
    await journal.write(step(1, 0))
    other = sqlite3.connect(tmp_path / store.FILE, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StorageDown) as down:
        await journal.write(step(1, 1), kept(7))
    assert down.value.why == "SQLITE_BUSY"
    assert journal.is_down
    other.execute("ROLLBACK")
    other.close()
    assert read_steps(tmp_path, 1) == [0]
    await journal.write(step(1, 1, "again"))
    assert not journal.is_down
    assert read_steps(tmp_path, 1) == [0, 1]
    await journal.aclose()


async def test_a_full_disk_heals(tmp_path: Path) -> None:
    journal = await Journal.open(tmp_path, Log())
    await journal.write(step(1, 0))

    def least(connection: sqlite3.Connection) -> None:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")

    await journal.run(least)
    with pytest.raises(StorageDown) as down:
        await journal.write(step(1, 1, "x" * 100_000))
    assert down.value.why == "SQLITE_FULL"
    await journal.write(step(1, 1, "y" * 100_000))  # opened anew, the limit is gone
    assert read_steps(tmp_path, 1) == [0, 1]
    await journal.aclose()


async def test_one_server_at_a_time(tmp_path: Path) -> None:
    journal = await Journal.open(tmp_path, Log())
    with pytest.raises(store.JournalError, match="another server"):
        await Journal.open(tmp_path, Log())
    await journal.aclose()
    await (await Journal.open(tmp_path, Log())).aclose()


def test_a_newer_journal_is_refused(tmp_path: Path) -> None:
    store.open_for_writing(tmp_path).close()
    with sqlite3.connect(tmp_path / store.FILE) as connection:
        connection.execute(f"PRAGMA user_version = {store.VERSION + 1}")
    connection.close()
    for opened in (store.open_for_writing, store.read_only):
        with pytest.raises(store.JournalError, match=f"version {store.VERSION + 1}"):
            opened(tmp_path)


def test_an_older_journal_is_renewed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = store.open_for_writing(tmp_path)
    connection.execute(kept(3).SQL, (3, "KAGU-2222", "odoriko", "1.0", "lobby", 0, "{}"))
    connection.close()
    more = "ALTER TABLE rooms ADD COLUMN more TEXT"
    monkeypatch.setattr(store, "MIGRATIONS", (*store.MIGRATIONS, more))
    monkeypatch.setattr(store, "VERSION", store.VERSION + 1)
    with pytest.raises(store.JournalError, match="start the server once"):
        store.read_only(tmp_path)
    store.open_for_writing(tmp_path).close()
    connection = store.read_only(tmp_path)
    assert connection.execute("SELECT number, more FROM rooms").fetchall() == [(3, None)]
    connection.close()


@pytest.mark.parametrize("data", [b"no database at all, but a text" * 100, b"\x00" * 8192])
def test_a_file_that_is_no_journal_is_refused_and_left_alone(data: bytes, tmp_path: Path) -> None:
    (tmp_path / store.FILE).write_bytes(data)
    with pytest.raises(store.JournalError, match="move it and its -wal away"):
        store.open_for_writing(tmp_path)
    assert (tmp_path / store.FILE).read_bytes() == data


@pytest.mark.parametrize("version", [0, 1])
def test_another_programs_database_is_refused(version: int, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / store.FILE) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    with pytest.raises(store.JournalError, match="another program"):
        store.open_for_writing(tmp_path)


def test_old_rooms_are_forgotten_with_all_that_is_theirs(tmp_path: Path) -> None:
    connection = store.open_for_writing(tmp_path)
    entries: list[Entry] = []
    for number in range(1, 6):
        entries += [kept(number), step(number, 0)]
    entries += [RoomClosed(1_000, "over", 1)]
    entries += [RoomClosed(10**14 + n, "over", n) for n in (2, 3, 4)]
    for entry in entries:
        connection.execute(entry.SQL, attrs.astuple(entry))
    assert store.forget_closed(connection, days=30, most=2) == 2
    assert [row.number for row in store.room_rows(connection)] == [3, 4, 5]
    assert connection.execute("SELECT DISTINCT room FROM steps").fetchall() == [(3,), (4,), (5,)]
    connection.close()


# --- the commands --------------------------------------------------------------------------------


def run(*arguments: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(command, [str(a) for a in arguments])
    return result.exit_code, result.output


def test_the_commands_say_what_is_wrong(tmp_path: Path) -> None:
    assert run("list", "--data", tmp_path) == (
        2,
        f"kaguraden journal: there is no journal in {tmp_path}\n",
    )
    connection = store.open_for_writing(tmp_path)
    connection.execute(kept(3).SQL, (3, "KAGU-2222", "odoriko", "1.0", "lobby", 0, "{}"))
    connection.close()
    code, output = run("check", "--data", tmp_path, "--lang", "en")
    assert code == 1
    assert "KAGU-2222 (3): not a KeptRoom" in output
    assert output.endswith("rooms checked: 1, faults: 1\n")
    assert run("show", "--data", tmp_path, "KAGU-7777")[0] == 1
    packs = tmp_path / "packs"
    packs.mkdir()
    (packs / "bad.toml").write_text("format = 1\n")
    code, output = run("check", "--data", tmp_path, "--packs", packs, "--lang", "ja")
    assert code == 2
    assert "キーが足りません" in output
    code, output = run("list", "--data", tmp_path, "--lang", "ja")
    assert code == 0
    assert "KAGU-2222" in output
    assert "開始前" in output
    lock = store.Lock(tmp_path)
    assert run("vacuum", "--data", tmp_path)[0] == 2
    lock.release()
    assert run("vacuum", "--data", tmp_path, "--lang", "en")[1].startswith("rooms deleted: 0")


def test_where_no_room_is_open_the_list_says_so(tmp_path: Path) -> None:
    connection = store.open_for_writing(tmp_path)
    connection.execute(kept(3).SQL, attrs.astuple(kept(3)))
    connection.execute(RoomClosed.SQL, attrs.astuple(RoomClosed(1_000, "over", 3)))
    connection.close()
    status, output = run("list", "--data", tmp_path, "--lang", "en")
    assert (status, output) == (0, "no room is open; --all lists the closed ones\n")
    assert "KAGU-2222" in run("list", "--data", tmp_path, "--all")[1]


def test_a_vacuum_counts_what_is_only_in_the_log(tmp_path: Path) -> None:
    connection = store.open_for_writing(tmp_path)
    connection.execute("BEGIN")
    for n in range(1_000):
        entry = step(1, n, "x" * 1_000)
        connection.execute(entry.SQL, attrs.astuple(entry))
    connection.execute("DELETE FROM steps")
    connection.execute("COMMIT")
    files = [tmp_path / store.FILE, tmp_path / f"{store.FILE}-wal"]
    size = sum(path.stat().st_size for path in files)
    assert size > 1_000_000
    (tmp_path / f"{store.FILE}.bak").write_text("a copy that somebody made")
    _, output = run("vacuum", "--data", tmp_path, "--lang", "en")
    connection.close()
    assert output == f"rooms deleted: 0, bytes: {size:,} to {files[0].stat().st_size:,}\n"


@pytest.mark.parametrize(
    "damage",
    [
        "doc = CAST(x'22736563726574FF' AS TEXT)",  # "secret and no end
        "phase = 'x'",
        "opened_ms = 9e18",
        "opened_ms = 'x'",
        "game = x'FF'",
        "code = CAST(x'1B5B324AFF' AS TEXT)",
    ],
)
def test_a_damaged_room_is_told_of_with_the_others(damage: str, tmp_path: Path) -> None:
    connection = store.open_for_writing(tmp_path)
    for number, code in ((1, "KAGU-2222"), (2, "KAGU-3333")):
        connection.execute(kept(1).SQL, (number, code, "odoriko", "1.0", "lobby", 0, "{}"))
    connection.execute(f"UPDATE rooms SET {damage} WHERE number = 1")  # noqa: S608
    connection.close()
    for arguments in (("list",), ("show", "1"), ("check",), ("export", "1")):
        status, output = run(*arguments, "--data", tmp_path, "--lang", "en")
        assert status in (0, 1)
        assert "KAGU-3333" in output or arguments[-1] == "1"
        assert "secret" not in output
        assert "\x1b" not in output


def test_a_server_does_not_start_on_a_journal_it_cannot_use(tmp_path: Path) -> None:
    import subprocess

    store.open_for_writing(tmp_path).close()
    lock = store.Lock(tmp_path)
    ended = subprocess.run(
        [*SERVE, "--port", "0", "--data", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    lock.release()
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1] == (
        f"kaguraden serve: another server uses the journal in {tmp_path}"
    )


async def test_a_game_can_be_taken_out(tmp_path: Path) -> None:
    from kaguraden_rules.odoriko.game import Odoriko

    from .house import open_house
    from .journals import InlineJournal

    journal = InlineJournal(tmp_path)
    async with open_house(journal=journal, games=(Odoriko(),)) as house:
        aki, ben = await house.enter("Aki"), await house.enter("Ben")
        room = (await aki.ask("create", game="odoriko", seats=2))["room"]
        await ben.ask("join", room=room)
        for player in (aki, ben):
            await player.ask("ready", room=room, ready=True)
        early = run("export", "--data", tmp_path, room, "--secrets", "--lang", "en")
        assert early == (1, "its game has not begun\n")
        await aki.ask("start", room=room)
        table = house.lobby.rooms[room].table
        assert table is not None
        secret = table.deal.seed.hex()
        code, output = run("export", "--data", tmp_path, room, "--lang", "en")
        assert code == 1
        assert output.startswith("the game is not over")
        code, output = run("export", "--data", tmp_path, room, "--secrets")
        assert code == 0
        assert json.loads(output) == table.replay()
        there = tmp_path / "game.json"
        assert run("export", "--data", tmp_path, room, "--secrets", "--to", there) == (0, "")
        assert json.loads(there.read_text("utf-8")) == table.replay()
        assert there.stat().st_mode & 0o077 == 0, "it holds secrets"
        nowhere = tmp_path / "none" / "game.json"
        code, output = run("export", "--data", tmp_path, room, "--secrets", "--to", nowhere)
        assert (code, output) == (2, f"kaguraden journal: {nowhere}: No such file or directory\n")
        code, output = run("show", "--data", tmp_path, room.lower())
        assert code == 0
        assert "Aki" in output
        assert secret not in output
        assert run("check", "--data", tmp_path, "--lang", "en") == (
            0,
            "rooms checked: 1, faults: 0\n",
        )
    journal.drop()
    connection = store.connect(tmp_path / store.FILE, writes=True)
    connection.execute("UPDATE rooms SET doc = json_set(doc, '$.chances.decks', 'x')")
    connection.close()
    assert run("export", "--data", tmp_path, room) == (1, f"{room}: ValueError\n")


async def test_a_game_of_a_day_is_not_taken_out_before_the_day_is_closed(tmp_path: Path) -> None:
    """EN-128: its seed is everybody's until then."""
    from kaguraden_rules.enbu.game import Enbu

    from .house import open_house
    from .journals import InlineJournal

    journal = InlineJournal(tmp_path)
    async with open_house(journal=journal, games=(Enbu(),)) as house:
        aki = await house.enter("Aki")
        room = (await aki.ask("create", game="enbu", options={"book": "daily:kyu-3"}))["room"]
        await aki.ask("ready", room=room, ready=True)
        await aki.ask("start", room=room)
        await aki.quiet()
        await aki.act(room, "finish")
        table = house.lobby.rooms[room].table
        assert table is not None
        assert table.outcome is not None
        secret = table.deal.seed.hex()
        code, output = run("export", "--data", tmp_path, room, "--lang", "en")
        assert (code, output) == (1, f"the day {table.deal.day} is not closed yet\n")
        code, output = run("export", "--data", tmp_path, room, "--secrets")
        assert code == 0
        assert secret in output
    journal.drop()


def test_an_empty_file_is_not_taken_for_a_new_journal(tmp_path: Path) -> None:
    """A disk that lost its data leaves one; what the server then wrote would bury the loss."""
    (tmp_path / store.FILE).touch()
    for opened in (store.open_for_writing, store.read_only):
        with pytest.raises(store.JournalError, match="the file is empty"):
            opened(tmp_path)


def test_a_journal_that_was_half_made_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / f"{store.FILE}.new").write_bytes(b"SQLite")
    store.open_for_writing(tmp_path).close()
    assert [path.name for path in tmp_path.iterdir()] == [store.FILE]


def test_the_log_of_a_journal_that_is_gone_is_not_taken_for_a_new_ones(tmp_path: Path) -> None:
    """A killed server leaves one; its pages would be read as those of the new file."""
    log = tmp_path / f"{store.FILE}-wal"
    log.write_bytes(b"acknowledged")
    with pytest.raises(store.JournalError, match="move both away"):
        store.open_for_writing(tmp_path)
    assert log.read_bytes() == b"acknowledged"


async def test_a_file_that_is_gone_keeps_nothing(tmp_path: Path) -> None:
    journal = await Journal.open(tmp_path, Log())
    await journal.write(step(1, 0))
    file, away = tmp_path / store.FILE, tmp_path / "away"
    file.rename(away)
    for n in range(2):
        with pytest.raises(StorageDown):
            await journal.write(step(1, 1 + n))
    file.write_bytes(away.read_bytes())  # an older one is no help: what follows would have holes
    with pytest.raises(StorageDown):
        await journal.write(step(1, 1))
    away.replace(file)
    await journal.write(step(1, 1))
    assert 1 in read_steps(tmp_path, 1)
    await journal.aclose()


# --- copies --------------------------------------------------------------------------------------


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[sqlite3.Connection]:
    """A journal that is copied in several steps, with one row in a table of its own."""
    monkeypatch.setattr(store, "COPY_PAGES", 1)
    with closing(store.open_for_writing(tmp_path)) as writer:
        writer.execute("CREATE TABLE told (n)")
        writer.execute("INSERT INTO told VALUES (0)")
        yield writer


def told_in(file: Path) -> list[tuple[int]]:
    with closing(sqlite3.connect(file)) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return copy.execute("SELECT n FROM told").fetchall()


def test_a_copy_is_of_one_moment_whatever_is_written_and_copied_meanwhile(
    tmp_path: Path, written: sqlite3.Connection
) -> None:
    to, others = tmp_path / "copy", tmp_path / "copy.part"
    others.write_text("of somebody else")
    steps = 0

    def go_on() -> None:
        nonlocal steps
        steps += 1
        written.execute("INSERT INTO told VALUES (1)")
        if steps == 3:
            assert store.copy(tmp_path, to) == to.stat().st_size
            assert len(told_in(to)) == 4

    assert store.copy(tmp_path, to, go_on) == to.stat().st_size > 0
    assert steps > 3
    assert told_in(to) == [(0,)]
    assert others.read_text() == "of somebody else"


def test_nothing_is_left_of_a_copy_that_is_broken_off(
    tmp_path: Path, written: sqlite3.Connection
) -> None:
    def go_on() -> None:
        raise KeyboardInterrupt

    before = set(os.listdir(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        store.copy(tmp_path, tmp_path / "copy", go_on)
    assert set(os.listdir(tmp_path)) - before <= {"journal.sqlite3-shm", "journal.sqlite3-wal"}
