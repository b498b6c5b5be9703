"""The house goes on whatever becomes of its own tasks."""

import gc
import json
import logging
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import trio
from kaguraden_server.lobby import FEW_ENDED, SWEEP_S
from kaguraden_server.logs import JsonFormatter
from kaguraden_server.replays import ReplayFiles
from trio.testing import MockClock

from .house import open_house, play_out


class Kept(logging.Handler):
    """Keeps what is logged, as it would be written."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[dict[str, Any]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(json.loads(JsonFormatter().format(record)))

    def of(self, event: str) -> list[dict[str, Any]]:
        return [record for record in self.records if record["event"] == event]


@pytest.fixture
def log() -> Iterator[Kept]:
    kept = Kept()
    logger = logging.getLogger("kaguraden")
    logger.addHandler(kept)
    yield kept
    logger.removeHandler(kept)


async def test_watchers_who_could_not_be_told_are_told_the_next_time(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, log: Kept
) -> None:
    def fail(_: object) -> None:
        raise ZeroDivisionError

    async with open_house() as house:
        aki = await house.enter("Aki")
        await aki.ask("rooms", watch=True)
        with monkeypatch.context() as at_fault:
            at_fault.setattr(house.lobby, "listed", fail)
            await aki.ask("create", game="ofuda")
            await trio.sleep(1)
        (fault,) = log.of("lobby_not_told")
        assert fault["error"] == "ZeroDivisionError"
        assert fault["reference"]
        await aki.ask("create", game="ofuda")
        assert len((await aki.next("lobby"))["rooms"]) == 2


async def test_a_sweep_that_fails_is_tried_again(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, log: Kept
) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    async with open_house() as house:
        monkeypatch.setattr(house.lobby.users, "forget", fail)
        await trio.sleep(70)
        assert len(log.of("sweep_failed")) == 2
        await (await house.enter("Aki")).ask("ping")


async def test_a_record_that_cannot_be_made_costs_nobody_anything(
    autojump_clock: MockClock, tmp_path: Path, log: Kept
) -> None:
    class Faulty(ReplayFiles):
        async def save(self, room: str, replay: Mapping[str, Any]) -> Path:
            raise TypeError("no JSON")

    async with open_house(replays=Faulty.within(tmp_path, keep=5)) as house:
        room, players = await house.started()
        await play_out(room, players)
        assert await players[0].ask("replay", room=room)
        (fault,) = log.of("replay_failed")
        assert fault["error"] == "TypeError"


async def test_connections_that_ended_are_freed_when_they_are_many(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        gc.collect()
        gc.disable()
        try:
            ended = []
            for number in range(FEW_ENDED + 1):
                player = await house.enter(f"P{number}")
                (connection,) = house.lobby.connections
                connection.wire.itself = connection.wire  # type: ignore[attr-defined] # a cycle
                ended.append(weakref.ref(connection.wire))
                del connection
                await player.leave_line()
                del player
                await trio.testing.wait_all_tasks_blocked()
            assert not house.lobby.connections
            assert all(wire() is not None for wire in ended)
            await trio.sleep(SWEEP_S + 1)
            assert not any(wire() is not None for wire in ended)
        finally:
            gc.enable()
