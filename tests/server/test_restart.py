"""A server that is started again goes on where it was (protocol §6, §7 and §16)."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from kaguraden_rules.kernel import CardId, SeatId, Step
from kaguraden_server.config import Config, DataSettings
from kaguraden_server.journal import store
from trio.testing import MockClock

from tests.fakes import OFUDA, Ofuda, State

from .house import House, Player, config, open_house, play_out
from .journals import InlineJournal
from .test_bots import BOTS

WORD = "himitsu"
NO_TEXT = "CAST(CAST({} AS BLOB) || x'FF' AS TEXT)"  # as a damaged file may have it


@asynccontextmanager
async def running(folder: Path, settings: Config | None = None, **kw: Any) -> AsyncIterator[House]:
    """Run a house until the block ends; then it is gone as if it had been killed."""
    journal = InlineJournal(folder)
    try:
        async with open_house(settings, journal=journal, **kw) as house:
            yield house
    finally:
        journal.drop()


async def back(house: House, player: Player, name: str) -> Player:
    again = await house.enter(name, resume=player.hello["token"])
    assert again.hello["resumed"] is True
    assert again.user == player.user
    return again


async def test_seats_and_positions_are_there_again(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with running(tmp_path) as house:
        room, (aki, ben) = await house.started()
        await aki.act(room, "rest")
        await ben.quiet()
        seen = [player.views[room] for player in (aki, ben)]
    async with running(tmp_path) as house:
        for number, (player, name) in enumerate(((aki, "Aki"), (ben, "Ben"))):
            again = await back(house, player, name)
            (mine,) = again.hello["rooms"]
            assert (mine["room"], mine["seat"]) == (room, number)
            assert mine["last_seq"] == seen[number]["seq"] + 1
            await again.ask("sync", room=room, seq=seen[number]["seq"])
            update = again.views[room]
            assert update["full"] is True
            assert update["view"] == seen[number]["view"]
            assert update["decisions"] == seen[number]["decisions"]


async def test_a_game_goes_on_to_its_end(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with running(tmp_path) as house:
        room, players = await house.started()
        await players[0].act(room, "rest")
    async with running(tmp_path) as house:
        again = [await back(house, p, n) for p, n in zip(players, ("Aki", "Ben"), strict=True)]
        for player in again:
            await player.ask("sync", room=room)
        last = await play_out(room, again)
        assert all("outcome" in update["view"] for update in last)
        replay = (await again[0].ask("replay", room=room))["replay"]
        assert replay["inputs"][0] == "0 0.1 rest"


async def test_an_accepted_act_is_answered_the_same_again(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with running(tmp_path) as house:
        room, (aki, _) = await house.started()
        (decision,) = aki.views[room]["decisions"]
        act = {"room": room, "decision": decision["id"], "option": "rest"}
        result = await aki.ask("act", **act)
    async with running(tmp_path) as house:
        again = await back(house, aki, "Aki")
        assert await again.ask("act", **act) == result
        await again.ask("sync", room=room)
        assert len(house.lobby.rooms[room].table.inputs) == 1  # type: ignore[union-attr]


async def test_clocks_go_on_after_a_grace(tmp_path: Path, autojump_clock: MockClock) -> None:
    settings = config(clocks={"turn_ms": 60_000, "bank_ms": 0})
    async with running(tmp_path, settings) as house:
        room, (aki, ben) = await house.started()
        (clock,) = ben.views[room]["clock"]
        assert clock["left_ms"] == 60_000
        await trio.sleep(20)
        await aki.ask("pause", room=room, on=True)
        await ben.ask("pause", room=room, on=True)
        await aki.ask("pause", room=room, on=False)
    async with running(tmp_path, settings) as house:
        again = await back(house, aki, "Aki")
        await again.ask("sync", room=room)
        (clock,) = again.views[room]["clock"]
        assert clock["left_ms"] == 40_000 + 15_000
        await trio.sleep(54)
        await again.quiet()
        assert again.views[room]["decisions"]
        await trio.sleep(2)
        await again.quiet()
        assert not again.views[room]["decisions"], "the turn ran out"


async def test_a_paused_game_stays_so(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with running(tmp_path) as house:
        room, players = await house.started()
        for player in players:
            await player.ask("pause", room=room, on=True)
    async with running(tmp_path) as house:
        again = [await back(house, p, n) for p, n in zip(players, ("Aki", "Ben"), strict=True)]
        await trio.sleep(1_000)
        await again[0].ask("sync", room=room)
        assert again[0].views[room]["clock"][0]["paused"] is True


async def test_a_room_before_its_game_is_there_again(tmp_path: Path) -> None:
    async with running(tmp_path) as house:
        aki, ben = await house.enter("Aki"), await house.enter("Ben")
        made = await aki.ask(
            "create", game="ofuda", seats=3, title="夜の部", password=WORD, listed=False
        )
        room = made["room"]
        await ben.ask("join", room=room, password=WORD)
    async with running(tmp_path) as house:
        again = await back(house, ben, "Ben")
        info = (await again.next("room"))["info"]
        assert [seat.get("name") for seat in info["seats"]] == ["Aki", "Ben", None]
        assert (info["title"], info["locked"]) == ("夜の部", True)
        other = await house.enter("Cho")
        assert (await other.refused("join", room=room, password=WORD + "!")).code == "bad_password"
        assert (await other.ask("join", room=room, password=WORD))["seat"] == 2
        assert (await other.ask("rooms"))["rooms"] == []
        host = await back(house, aki, "Aki")
        await host.ask("kick", room=room, seat=2)


async def test_bots_play_on(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with running(tmp_path, bots=BOTS) as house:
        aki = await house.enter("Aki")
        room = (await aki.ask("create", game="ofuda", seats=2))["room"]
        await aki.ask("bot", room=room, level="plain")
        await aki.ask("ready", room=room, ready=True)
        await aki.ask("start", room=room)
    async with running(tmp_path, bots=BOTS) as house:
        again = await back(house, aki, "Aki")
        await again.ask("sync", room=room)
        (last,) = await play_out(room, [again])
        assert "outcome" in last["view"]


async def test_a_rematch_after_a_restart_has_its_bots(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with running(tmp_path, bots=BOTS) as house:
        aki = await house.enter("Aki")
        room = (await aki.ask("create", game="ofuda", seats=2))["room"]
        await aki.ask("bot", room=room, level="plain")
        await aki.ask("ready", room=room, ready=True)
        await aki.ask("start", room=room)
        await play_out(room, [aki])
    for _ in range(2):
        async with running(tmp_path, bots=BOTS) as house:
            aki = await back(house, aki, "Aki")
            await trio.sleep(1)
            seat = house.lobby.rooms[room].seats[1]
            assert seat.bot is not None
            assert seat.bot.has_ended, "its game is over"
    async with running(tmp_path, bots=BOTS) as house:
        aki = await back(house, aki, "Aki")
        again = (await aki.ask("rematch", room=room))["room"]
        await aki.ask("ready", room=again, ready=True)
        await aki.ask("start", room=again)
        await play_out(again, [aki])


async def test_a_closed_room_stays_closed(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with running(tmp_path) as house:
        room, (aki, ben) = await house.started()
        await aki.ask("leave", room=room)
        await ben.ask("leave", room=room)
        await trio.sleep(1)
    async with running(tmp_path) as house:
        assert room not in house.lobby.rooms
        assert (await back(house, aki, "Aki")).hello["rooms"] == []


async def test_tokens_of_before_end_when_they_would_have(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with running(tmp_path) as house:
        first = await house.enter("Aki")
        second = await back(house, first, "Aki")
    async with running(tmp_path) as house:
        await trio.sleep(40)
        old = await house.enter("Aki", resume=first.hello["token"])
        assert old.hello["resumed"] is False
        await back(house, second, "Aki")


async def test_chat_is_kept_if_it_is_to_be(tmp_path: Path, autojump_clock: MockClock) -> None:
    for chat, expected in ((False, []), (True, ["やあ"])):
        folder = tmp_path / str(chat)
        folder.mkdir()
        settings = Config(data=DataSettings(chat=chat))
        async with running(folder, settings) as house:
            room, (aki, _) = await house.started()
            await aki.ask("chat", room=room, text="やあ")
        async with running(folder, settings) as house:
            again = await back(house, aki, "Aki")
            lines = [p["text"] for p in await again.quiet() if p["type"] == "chat"]
            assert lines == expected


# --- what goes wrong -----------------------------------------------------------------------------


def spoil(folder: Path, statement: str, *values: object) -> None:
    with sqlite3.connect(folder / store.FILE) as connection:
        connection.execute(statement, values)
    connection.close()


async def two_rooms(folder: Path) -> tuple[str, Player, str, Player]:
    async with running(folder) as house:
        one, (aki, _) = await house.started()
        await aki.act(one, "rest")
        two, (cho, _) = await house.started(("Cho", "Dai"))
        await cho.act(two, "rest")
    return one, aki, two, cho


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("UPDATE steps SET inputs = '0 0.1 fly' WHERE room = 1 AND n = 1", "the rules refuse"),
        ("UPDATE steps SET digest = 'no' WHERE room = 1 AND n = 0", "another position"),
        ("DELETE FROM steps WHERE room = 1 AND n = 0", "step 0 of its game is missing"),
        ("UPDATE steps SET after = '{' WHERE room = 1 AND n = 0", "cannot be read"),
        ("UPDATE rooms SET doc = '{}' WHERE number = 1", "KeptRoom"),
        ("UPDATE rooms SET rules = '0.9' WHERE number = 1", "rules 0.9"),
        ("UPDATE rooms SET game = 'shogi' WHERE number = 1", "no game shogi"),
        (f"UPDATE rooms SET doc = {NO_TEXT.format('doc')} WHERE number = 1", "can't decode"),  # noqa: S608
        ("UPDATE rooms SET opened_ms = -1 WHERE number = 1", "opening is damaged"),
        (f"UPDATE steps SET inputs = {NO_TEXT.format('inputs')} WHERE room = 1 AND n = 0", "read"),  # noqa: S608
    ],
)
async def test_a_room_that_cannot_be_rebuilt_is_set_aside(
    statement: str, why: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    one, aki, two, cho = await two_rooms(tmp_path)
    spoil(tmp_path, statement)
    async with running(tmp_path) as house:
        assert set(house.lobby.rooms) == {two}
        assert (await back(house, aki, "Aki")).hello["rooms"] == []
        assert len((await back(house, cho, "Cho")).hello["rooms"]) == 1
    connection = store.read_only(tmp_path)
    (row,) = store.room_rows(connection, one)
    connection.close()
    assert why in (row.lost or "")
    async with running(tmp_path) as house:
        assert set(house.lobby.rooms) == {two}


@pytest.mark.parametrize(
    "code", [NO_TEXT.format("code"), "'\x1b[2J'", "''", "hex(zeroblob(99999))"]
)
async def test_a_room_without_a_code_is_set_aside(
    code: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    _, aki, two, _ = await two_rooms(tmp_path)
    spoil(tmp_path, f"UPDATE rooms SET code = {code} WHERE number = 1")  # noqa: S608
    async with running(tmp_path) as house:
        assert set(house.lobby.rooms) == {two}
        again = await back(house, aki, "Aki")
        assert [info["room"] for info in (await again.ask("rooms"))["rooms"]] == [two]


@pytest.mark.parametrize("damage", ["id = {id}", "doc = {doc}", "doc = {late}"])
async def test_a_user_who_is_damaged_is_not_known_again(
    damage: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    one, aki, two, cho = await two_rooms(tmp_path)
    late = f"replace(doc, ':0}}', ':1{'0' * 400}}}')"  # until when a token is good
    values = damage.format(id=NO_TEXT.format("id"), doc=NO_TEXT.format("doc"), late=late)
    spoil(tmp_path, f"UPDATE users SET {values} WHERE id = ?", aki.user)  # noqa: S608
    async with running(tmp_path) as house:
        assert set(house.lobby.rooms) == {one, two}
        assert (await house.enter("Aki", resume=aki.hello["token"])).hello["resumed"] is False
        await back(house, cho, "Cho")


class Lavish(Ofuda):
    """As with another pack, in which the same cards do something else."""

    def _lay(self, state: State, seat: SeatId, cards: tuple[CardId, ...]) -> Step[State]:
        return self._end_turn(state, ())


async def test_a_game_whose_cards_are_others_is_set_aside(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    settings = Config(data=DataSettings(packs="cards"))
    async with running(tmp_path, settings) as house:
        room, (aki, _) = await house.started()
        (decision,) = aki.views[room]["decisions"]
        (lay,) = [o["value"]["from"][:1] for o in decision["options"] if o["kind"] == "lay"]
        await aki.act(room, "lay", lay)
    async with running(tmp_path, settings, games=(Lavish(),)) as house:
        assert not house.lobby.rooms
    connection = store.read_only(tmp_path)
    (row,) = store.room_rows(connection, room)
    connection.close()
    assert row.lost == "step 1 of its game comes to another position"


async def test_a_torn_last_step_is_dropped(tmp_path: Path, autojump_clock: MockClock) -> None:
    one, aki, _, _ = await two_rooms(tmp_path)
    spoil(tmp_path, "UPDATE steps SET after = '{\"seqs' WHERE room = 1 AND n = 1")
    async with running(tmp_path) as house:
        again = await back(house, aki, "Aki")
        await again.ask("sync", room=one)
        assert await again.act(one, "rest") > 0
    async with running(tmp_path) as house:
        table = house.lobby.rooms[one].table
        assert table is not None
        assert len(table.inputs) == 1


@pytest.mark.parametrize("error", [sqlite3.OperationalError("full"), sqlite3.DatabaseError("bad")])
async def test_nothing_is_half_done_while_the_storage_is_down(
    error: sqlite3.Error, tmp_path: Path, autojump_clock: MockClock
) -> None:
    journal = InlineJournal(tmp_path)
    async with open_house(journal=journal) as house:
        room, (aki, ben) = await house.started()
        await ben.quiet()
        journal.fault = error
        (decision,) = aki.views[room]["decisions"]
        act = {"room": room, "decision": decision["id"], "option": "rest"}
        for _ in range(5):
            assert (await aki.refused("act", **act)).code == "unavailable"
        assert [p for p in await ben.quiet() if p["type"] == "update"] == []
        cho = await house.connect()
        refused = await cho.refused("hello", name="Cho", client={"name": "t", "version": "1"})
        assert refused.code == "unavailable"
        assert (await ben.refused("auto", room=room, window="glance", mode="pass")).code in {
            "unavailable",
            "bad_message",
        }
        assert (await aki.refused("create", game="ofuda")).code == "unavailable"
        assert list(house.lobby.rooms) == [room]
        assert (await aki.ask("sync", room=room))["seq"] == 1
        await trio.sleep(500)  # the turn runs out meanwhile, and cannot
        assert house.lobby.rooms[room].table.inputs == []  # type: ignore[union-attr]
        journal.fault = None
        await trio.sleep(2)
        await aki.quiet()
        assert len(house.lobby.rooms[room].table.inputs) >= 1  # type: ignore[union-attr]
        await house.enter("Cho")
    journal.drop()


async def test_the_journal_holds_no_password_and_no_token(tmp_path: Path) -> None:
    async with running(tmp_path) as house:
        aki = await house.enter("Aki")
        await aki.ask("create", game="ofuda", password=WORD)
    for file in list(tmp_path.iterdir()):  # noqa: ASYNC240 - all is over
        data = file.read_bytes()
        assert WORD.encode() not in data
        assert aki.hello["token"].encode() not in data


async def test_the_game_is_the_one_that_was_dealt(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    """The commitment that was told before holds after a restart."""
    async with running(tmp_path) as house:
        room, (aki, _) = await house.table()
        await aki.ask("ready", room=room, ready=True, nonce="ab" * 16)
        await aki.ask("start", room=room)
        commitment = (await aki.next("room"))["info"]["commitment"]
    async with running(tmp_path) as house:
        again = await back(house, aki, "Aki")
        info = (await again.next("room"))["info"]
        assert info["commitment"] == commitment
        table = house.lobby.rooms[room].table
        assert table is not None
        assert table.nonces[0] == "ab" * 16
        assert OFUDA.outcome(table.state) is None
