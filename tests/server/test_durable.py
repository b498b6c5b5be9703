"""What an `ok` says is durable before it leaves, whatever fails and whenever the process ends."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import trio
from kaguraden_server.config import Config, DataSettings
from kaguraden_server.journal import store
from kaguraden_server.journal.entries import Entry, RoomKept, StepTaken
from kaguraden_server.journal.writer import Journal, StorageDown
from kaguraden_server.keeper import Keeper
from kaguraden_server.lobby import Lobby
from kaguraden_server.logs import Log
from kaguraden_server.replays import ReplayFiles
from trio.testing import MockClock

from tests.fakes import OFUDA

from . import test_daily as daily
from .house import House, Player, Refused, config, open_house, play_out
from .journals import InlineJournal
from .test_bots import BOTS
from .test_restart import back, running, spoil, two_rooms

FULL = sqlite3.OperationalError("full")
CHAT = Config(data=DataSettings(chat=True))


class LyingJournal(InlineJournal):
    """Commits and, while it `lies`, says that it did not: a disk that fails at the very end."""

    lies = False

    def commit(self, connection: sqlite3.Connection, entries: Sequence[Entry]) -> None:
        super().commit(connection, entries)
        if self.lies:
            raise FULL


class SlowJournal(InlineJournal):
    """Waits for `gate` before each commit."""

    gate = trio.Event()

    async def write(self, *entries: Entry) -> None:
        await self.gate.wait()
        await super().write(*entries)


# --- what leaves, and when -------------------------------------------------------------------------


async def test_who_left_the_last_seat_has_left(tmp_path: Path, autojump_clock: MockClock) -> None:
    """The room is closed with it, and the end of a room is written by a task of its own."""
    journal = InlineJournal(tmp_path)
    async with open_house(journal=journal) as house:
        aki = await house.enter("Aki")
        room = (await aki.ask("create", game="ofuda"))["room"]
        journal.fault = FULL
        assert (await aki.refused("leave", room=room)).code == "unavailable"
        journal.fault = None
        other = (await aki.ask("create", game="ofuda"))["room"]
        await aki.ask("leave", room=other)
        journal.drop()
    connection = store.read_only(tmp_path)
    assert other not in [row.code for row in store.open_rooms(connection)]
    connection.close()


async def test_no_room_goes_on_before_all_are_known_to(
    tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot's move would be there without the step before it, had the process ended meanwhile."""
    for _ in range(3):
        async with running(tmp_path, bots=BOTS) as house:
            aki = await house.enter("Aki")
            room = (await aki.ask("create", game="ofuda", seats=2))["room"]
            await aki.ask("bot", room=room, level="plain")
            await aki.ask("ready", room=room, ready=True)
            await aki.ask("start", room=room)
    commits: list[int] = []
    opened = Lobby.open

    def note(self: Lobby, room: Any) -> None:
        journal = self.keeper.journal
        assert isinstance(journal, InlineJournal)
        commits.append(journal.commits)
        opened(self, room)

    monkeypatch.setattr(Lobby, "open", note)
    async with running(tmp_path, bots=BOTS):
        pass
    assert len(commits) == 3
    assert min(commits) == 1


async def test_bots_keep_their_seats_when_the_server_stops(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with running(tmp_path, bots=BOTS) as house:
        aki = await house.enter("Aki")
        room = (await aki.ask("create", game="ofuda", seats=2))["room"]
        await aki.ask("bot", room=room, level="plain")
        house.lobby.drain()
        await trio.sleep(1)
    async with running(tmp_path, bots=BOTS) as house:
        seat = house.lobby.rooms[room].seats[1]
        assert seat.bot is not None
        assert seat.bot.level == "plain"


async def test_a_line_of_chat_is_said_once_it_is_kept(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    journal = InlineJournal(tmp_path)
    async with open_house(CHAT, journal=journal) as house:
        room, (aki, ben) = await house.started()
        await ben.quiet()
        journal.fault = FULL
        for _ in range(3):
            assert (await aki.refused("chat", room=room, text="やあ")).code == "unavailable"
        assert [p for p in await ben.quiet() if p["type"] == "chat"] == []
        journal.fault = None
        await aki.ask("chat", room=room, text="やあ")
        (line,) = [p for p in await ben.quiet() if p["type"] == "chat"]
        assert line["n"] == 1
    journal.drop()


async def test_a_room_that_is_asked_for_as_the_house_closes_is_refused(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """The journal may be through with it only when nothing runs any more."""
    journal = SlowJournal(tmp_path)
    journal.gate = trio.Event()
    refused: list[Refused] = []

    async def ask(player: Player) -> None:
        refused.append(await player.refused("create", game="ofuda"))

    async with trio.open_nursery() as nursery:
        lobby = Lobby(config(), {OFUDA.id: OFUDA}, {}, Log(), keeper=Keeper(journal))
        closing = trio.CancelScope()

        async def keep_house(task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
            with closing:
                await lobby.run(task_status=task_status)

        journal.gate.set()
        await nursery.start(keep_house)
        aki = await House(lobby, nursery).enter("Aki")
        journal.gate = trio.Event()
        nursery.start_soon(ask, aki)
        await trio.testing.wait_all_tasks_blocked()
        closing.cancel()
        await trio.testing.wait_all_tasks_blocked()
        journal.gate.set()
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert [error.code for error in refused] == ["draining"]
    journal.drop()


# --- unavailable, and then the same again ----------------------------------------------------------


async def test_what_is_sent_again_is_not_done_twice(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    journal = InlineJournal(tmp_path)
    async with open_house(journal=journal, bots=BOTS) as house:
        aki, ben = await house.enter("Aki"), await house.enter("Ben")
        room = (await aki.ask("create", game="ofuda", seats=4))["room"]
        await ben.ask("join", room=room)

        async def twice(player: Player, kind: str, **fields: Any) -> dict[str, Any]:
            journal.fault = FULL
            assert (await player.refused(kind, room=room, **fields)).code == "unavailable"
            journal.fault = None
            return await player.ask(kind, room=room, **fields)

        assert (await twice(aki, "bot", level="silent")) == {"seat": 2}
        assert house.lobby.rooms[room].seats[3].is_empty
        await twice(aki, "host", seat=1)
        assert house.lobby.rooms[room].host == ben.user
        await twice(ben, "kick", seat=0)
        assert (await aki.refused("ready", room=room, ready=True)).code == "not_member"
        await twice(ben, "configure", options={"turn_ms": 60_000})
    journal.drop()


async def test_what_did_not_last_is_done_again(tmp_path: Path, autojump_clock: MockClock) -> None:
    """Who goes away is ready no more, so `ready` sent again has to make it ready again."""
    journal = InlineJournal(tmp_path)
    async with open_house(journal=journal) as house:
        aki = await house.enter("Aki")
        room = (await aki.ask("create", game="ofuda"))["room"]
        journal.fault = FULL
        assert (await aki.refused("ready", room=room, ready=True)).code == "unavailable"
        await aki.leave_line()
        await trio.sleep(1)
        journal.fault = None
        again = await back(house, aki, "Aki")
        await again.ask("ready", room=room, ready=True)
        assert house.lobby.rooms[room].seats[0].ready
    journal.drop()


async def test_a_commit_that_is_there_though_it_failed_is_written_over(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    journal = LyingJournal(tmp_path)
    async with open_house(journal=journal) as house:
        aki = await house.enter("Aki")
        room = (await aki.ask("create", game="ofuda", options={"turn_ms": 50_000}))["room"]
        journal.lies = True
        refused = await aki.refused("configure", room=room, options={"turn_ms": 60_000})
        assert refused.code == "unavailable"
        journal.lies = False
        await aki.ask("configure", room=room, options={"turn_ms": 50_000})
        journal.drop()
    async with running(tmp_path) as house:
        assert house.lobby.rooms[room].clock_options.turn_ms == 50_000


async def test_a_deal_that_is_there_though_it_failed_is_dealt_again(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    journal = LyingJournal(tmp_path)
    async with open_house(journal=journal) as house:
        room, (aki, ben) = await house.table()
        await ben.quiet()
        journal.lies = True
        assert (await aki.refused("start", room=room)).code == "unavailable"
        journal.lies = False
        await ben.ask("ready", room=room, ready=True, nonce="cd" * 16)
        await aki.ask("start", room=room)
        await aki.act(room, "rest")
        journal.drop()
    async with running(tmp_path) as house:
        table = house.lobby.rooms[room].table
        assert table is not None
        assert len(table.inputs) == 1
        assert table.nonces[1] == "cd" * 16


# --- who comes back --------------------------------------------------------------------------------


async def test_a_token_outlasts_a_journal_that_is_down(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    journal = InlineJournal(tmp_path)
    async with open_house(journal=journal) as house:
        aki = await house.enter("Aki")
        await aki.leave_line()
        journal.fault = FULL
        known = len(house.lobby.users)
        for n in range(20):
            line = await house.connect()
            hello: dict[str, Any] = {"name": "Aki", "client": {"name": "test", "version": "1"}}
            if n % 2:
                hello["resume"] = aki.hello["token"]
            assert (await line.refused("hello", **hello)).code == "unavailable"
            await line.leave_line()
            await trio.sleep(10)
        assert len(house.lobby.users) == known, "nobody is known who was not let in"
        assert house.lobby.users.gone == []
        journal.fault = None
        await back(house, aki, "Aki")
    journal.drop()


async def test_who_is_there_stays_there_while_nobody_can_come(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    journal = InlineJournal(tmp_path)
    async with open_house(journal=journal) as house:
        room, (aki, ben) = await house.started()
        journal.fault = FULL
        assert (await ben.refused("chat", room=room, text="?")).code == "unavailable"
        line = await house.connect()
        hello: dict[str, Any] = {"name": "Aki", "client": {"name": "test", "version": "1"}}
        refused = await line.refused("hello", resume=aki.hello["token"], **hello)
        assert refused.code == "unavailable"
        await aki.ask("ping")
        user = house.lobby.users.get(aki.user)
        assert user is not None
        assert user.is_here
    journal.drop()


async def test_who_is_sent_away_while_it_is_let_in_takes_no_place(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    journal = SlowJournal(tmp_path)
    journal.gate.set()
    async with open_house(journal=journal) as house:
        aki = await house.enter("Aki")
        user = house.lobby.users.get(aki.user)
        assert user is not None
        journal.gate = trio.Event()
        hello = {"name": "Aki", "client": {"name": "t", "version": "1"}}
        for _ in range(3):
            line = await house.connect()
            await line.send("hello", resume=aki.hello["token"], **hello)
            await trio.testing.wait_all_tasks_blocked()
        journal.gate.set()
        await trio.sleep(5)
        assert user.open_connections == 1
        assert user.is_here
        assert len([t for t, until in user.tokens.items() if until is None]) == 1
    journal.drop()


async def test_a_token_whose_successor_was_lost_with_the_process_resumes_later(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """The 30 s of the token before do not run while nobody can come."""
    async with running(tmp_path) as house:
        aki = await house.enter("Aki")
        await back(house, aki, "Aki")  # and suppose that the reply never came
    spoil(
        tmp_path,
        "UPDATE users SET doc = json_replace(doc, '$.tokens', json(("
        "SELECT json_group_object(key, iif(value = 0, 0, value - 3600000))"
        " FROM json_each(doc, '$.tokens'))))",
    )
    async with running(tmp_path) as house:
        await trio.sleep(20)
        await back(house, aki, "Aki")


# --- rooms one after another -----------------------------------------------------------------------


async def test_a_code_is_free_when_the_journal_knows_it(
    tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = InlineJournal(tmp_path)
    async with open_house(journal=journal) as house:
        aki = await house.enter("Aki")
        room = (await aki.ask("create", game="ofuda"))["room"]
        codes = iter([room, "KAGU-2222", room])
        monkeypatch.setattr("kaguraden_server.lobby.random_code", lambda: next(codes))
        journal.fault = FULL
        await aki.refused("leave", room=room)
        assert house.lobby.free_code() == "KAGU-2222"
        journal.fault = None
        await trio.sleep(2)
        assert house.lobby.free_code() == room
    journal.drop()


async def test_of_two_rooms_with_one_code_the_later_is_opened(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    one, aki, two, cho = await two_rooms(tmp_path)
    spoil(tmp_path, "UPDATE rooms SET code = ? WHERE code = ?", two, one)
    async with running(tmp_path) as house:
        assert list(house.lobby.rooms) == [two]
        assert (await back(house, aki, "Aki")).hello["rooms"] == []
        assert len((await back(house, cho, "Cho")).hello["rooms"]) == 1


async def test_a_room_on_a_damaged_page_is_set_aside(
    tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, _, two, _ = await two_rooms(tmp_path)
    steps_of = store.steps_of

    def broken(connection: sqlite3.Connection, room: int) -> list[StepTaken]:
        if room == 1:
            raise sqlite3.DatabaseError("database disk image is malformed")
        return steps_of(connection, room)

    monkeypatch.setattr(store, "steps_of", broken)
    async with running(tmp_path) as house:
        assert list(house.lobby.rooms) == [two]
    connection = store.read_only(tmp_path)
    (row,) = store.room_rows(connection, one)
    connection.close()
    assert row.lost == "the file is damaged where its game is"


# --- after the game --------------------------------------------------------------------------------


async def test_a_record_that_was_not_written_is_written_later(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with running(tmp_path) as house:
        room, players = await house.started()
        await play_out(room, players)
    files = ReplayFiles.within(tmp_path, 10)
    for _ in range(2):
        async with running(tmp_path, replays=files):
            await trio.sleep(1)
        assert files.has(room)
        assert len(list(files.folder.iterdir())) == 1


async def test_a_ranked_attempt_counts_over_a_restart(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """Though the process ended before it wrote that the attempt had begun."""
    async with daily_house(tmp_path) as house:
        aki = await house.enter("Aki")
        room = await daily.begin(aki)
    async with daily_house(tmp_path) as house:
        again = await back(house, aki, "Aki")
        await again.ask("sync", room=room)
        other = await daily.begin(again)
        await daily.play(again, other)
        assert await daily.standings(again) == [], "the second is practice"
        total = await daily.play(again, room)
        await trio.sleep(1)
        assert await daily.standings(again) == [(1, "Aki", total)]
    folder = tmp_path / "daily"
    folder.mkdir()
    for _ in range(3):
        async with daily_house(tmp_path, folder) as house:
            await trio.sleep(1)
            again = await back(house, again, "Aki")
            assert await daily.standings(again) == [(1, "Aki", total)], "once"


async def test_an_attempt_that_could_not_begin_is_given_back(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    journal = InlineJournal(tmp_path)
    async with daily.open_house(journal=journal, daily=daily.days()) as house:
        aki = await house.enter("Aki")
        room = await daily.open_room(aki)
        journal.fault = FULL
        assert (await aki.refused("start", room=room)).code == "unavailable"
        assert house.lobby.rooms[room].attempt is None
        journal.fault = None
        await aki.ask("start", room=room)
        assert house.lobby.rooms[room].attempt is not None
    journal.drop()


async def test_a_days_challenge_goes_on_over_midnight_and_a_restart(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with daily_house(tmp_path, start=daily.LATE) as house:
        aki = await house.enter("Aki")
        room = await daily.begin(aki)
        seen = aki.views[room]["view"]
    half_past = daily.LATE + 25 * 60
    async with daily_house(tmp_path, start=half_past) as house:
        again = await back(house, aki, "Aki")
        await again.ask("sync", room=room)
        assert again.views[room]["view"] == seen
        (clock,) = [c for c in again.views[room]["clock"] if c["total_ms"] <= 15 * 60_000]
        assert clock["left_ms"] <= 15 * 60_000, "the day is closed at half past midnight"
        await trio.sleep(16 * 60)
        await again.quiet()
        assert "outcome" in again.views[room]["view"]
    async with daily_house(tmp_path, start=daily.LATE + 3_600) as house:
        again = await back(house, again, "Aki")
        await again.ask("sync", room=room)
        assert "seed" in again.views[room]["view"]["outcome"]["fairness"]


async def test_a_days_challenge_that_is_over_is_told_when_the_day_is(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with daily_house(tmp_path, start=daily.LATE) as house:
        aki = await house.enter("Aki")
        room = await daily.begin(aki)
        await daily.play(aki, room)
    async with daily_house(tmp_path, start=daily.LATE + 60) as house:
        again = await back(house, aki, "Aki")
        await again.ask("sync", room=room)
        assert "fairness" not in again.views[room]["view"]["outcome"]
        await trio.sleep(40 * 60)
        await again.quiet()
        assert "seed" in again.views[room]["view"]["outcome"]["fairness"]


def daily_house(folder: Path, days: Path | None = None, start: float = daily.NOON) -> Any:
    settings = config(daily.FAST, {"over_s": 86_400, "empty_over_s": 86_400})
    kept = daily.days(start, days)
    return running(folder, settings, games=[daily.ENBU], daily=kept)


# --- the writer ------------------------------------------------------------------------------------


def step(room: int, n: int, at_ms: int = 0) -> StepTaken:
    return StepTaken(room, n, at_ms, "", "{}", None)


async def test_what_cannot_be_written_spoils_nothing_else(tmp_path: Path) -> None:
    """Nor does it end the writer: everybody would wait for ever."""
    journal = await Journal.open(tmp_path, Log())
    failed: list[str] = []

    async def write(entry: Entry) -> None:
        try:
            await journal.write(entry)
        except StorageDown as down:
            failed.append(down.why)

    with trio.fail_after(20):
        async with trio.open_nursery() as nursery:
            for n in range(20):
                nursery.start_soon(write, step(1, n, 2**70 if n == 7 else 0))
        await journal.write(RoomKept(1, "KAGU-2222", "ofuda", "1", "lobby", 0, "{}"))
    assert failed == ["OverflowError"]
    assert not journal.is_down
    await journal.aclose()
    connection = store.read_only(tmp_path)
    assert [s.n for s in store.steps_of(connection, 1)] == [n for n in range(20) if n != 7]
    connection.close()


async def test_a_file_that_comes_and_goes_is_told_of_once(tmp_path: Path) -> None:
    told: list[str] = []

    class Ear(Log):
        def error(self, event: str, **_: object) -> None:
            told.append(event)

        warning = error

    journal = await Journal.open(tmp_path, Ear())
    with trio.fail_after(20):
        for n in range(10):
            with pytest.raises(StorageDown):
                await journal.write(step(1, n, 2**70))
            with pytest.raises(StorageDown):
                await journal.write(step(1, n, 2**70))
            await journal.write(step(1, n))
    await journal.aclose()
    assert told == ["journal_down", "journal_healed"]
