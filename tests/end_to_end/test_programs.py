"""The programs that play: bots inside the server, `kaguraden bot`, and the example in 40 lines."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
import trio

from tests.end_to_end.house import House
from tests.end_to_end.raw import Client, Place, connected

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "client" / "examples" / "minimal_bot.py"


async def run(*args: str) -> subprocess.CompletedProcess[str]:
    """Run a Python program to its end."""
    done = await trio.run_process(
        [sys.executable, *args], capture_stdout=True, capture_stderr=True, check=False
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


run_bot = partial(run, "-m", "kaguraden_server", "bot", "--lang", "en")


async def start_when_ready(host: Client, place: Place, seats: int) -> None:
    """Start once everybody else is ready."""
    await host.get_ready(place)
    while sum(seat.get("ready", False) for seat in place.info["seats"]) < seats:
        await host.read()
    await host.ask("start", room=place.room)


@pytest.mark.parametrize("level", ["random", "greedy"])
async def test_bots_of_the_server_finish_a_game(house: House, level: str) -> None:
    with trio.fail_after(60):
        async with connected(house.url, "Aki", level) as host:
            place = await host.create(4)
            for _ in range(3):
                await host.ask("bot", room=place.room, level=level)
            await host.get_ready(place)
            assert [seat.get("bot") for seat in place.info["seats"]][1:] == [level] * 3
            await host.ask("start", room=place.room)
            await host.play(place)
            assert len(place.view["outcome"]["ranking"]) == 4


async def test_bots_of_the_server_play_a_rematch(house: House) -> None:
    with trio.fail_after(60):
        async with connected(house.url, "Aki", 3) as host:
            first = await host.create(2)
            await host.ask("bot", room=first.room, level="greedy")
            await host.get_ready(first)
            await host.ask("start", room=first.room)
            await host.play(first)
            again = (await host.ask("rematch", room=first.room))["room"]
            second = host.places[again]
            second.seat = 0
            assert second.info["seats"][1]["bot"] == "greedy"
            await host.get_ready(second)
            await host.ask("start", room=again)
            await host.play(second)


async def test_a_bot_from_outside_joins_plays_and_tells_what_happens(house: House) -> None:
    with trio.fail_after(60):
        async with connected(house.url, "Aki", 1) as host, trio.open_nursery() as nursery:
            place = await host.create(2)

            async def play_bot() -> None:
                # Codes may be typed in small letters.
                done = await run_bot(
                    *(house.url, "--room", place.room.lower(), "--level", "greedy"),
                    *("--name", "Rin", "--seed", "4", "--think", "0"),
                )
                assert done.returncode == 0, done.stdout + done.stderr
                lines = done.stdout.splitlines()
                assert re.fullmatch("connected to .* as Rin", lines[0])
                assert lines[1] == f"sitting at seat 1 of {place.room}"
                assert any(line.startswith("turn_started seat=1") for line in lines)
                assert any(line.startswith("→ draw:") for line in lines)
                assert lines[-1].startswith("game over: 1. ")

            nursery.start_soon(play_bot)
            await start_when_ready(host, place, 2)
            await host.play(place)


async def test_a_bot_that_cannot_join_says_why_and_what_to_do(house: House) -> None:
    with trio.fail_after(60):
        unknown = await run_bot(house.url, "--room", "KAGU-0000")
        assert unknown.returncode == 1
        assert "refused: room_not_found" in unknown.stderr
        assert "check the table's code" in unknown.stderr
        nobody = await run_bot("ws://127.0.0.1:9/ws", "--room", "KAGU-0000")
        assert nobody.returncode == 1
        assert "cannot connect to ws://127.0.0.1:9/ws" in nobody.stderr
        assert "is the server running there?" in nobody.stderr
        path = await run_bot(house.url.removesuffix("/ws") + "/nowhere", "--room", "KAGU-0000")
        assert path.returncode == 1
        assert "cannot connect" in path.stderr
        name = await run_bot(house.url, "--room", "KAGU-0000", "--name", "  ")
        assert name.returncode == 1
        assert "--name" in name.stderr
        usage = await run_bot(house.url)
        assert usage.returncode == 2
        assert "--room" in usage.stderr
        ja = await run("-m", "kaguraden_server", "bot", house.url, "--room", "X", "--lang", "ja")
        assert ja.returncode == 1
        assert "卓のコード" in ja.stderr


async def test_a_bot_that_is_put_out_of_its_room_ends_early(house: House) -> None:
    with trio.fail_after(60):
        async with connected(house.url, "Aki", 1) as host, trio.open_nursery() as nursery:
            place = await host.create(2)

            async def play_bot() -> None:
                done = await run_bot(house.url, "--room", place.room)
                assert done.returncode == 3
                assert f"left {place.room}: " in done.stdout

            nursery.start_soon(play_bot)
            while not place.info["seats"][1].get("ready"):
                await host.read()
            await host.ask("kick", room=place.room, seat=1)


async def test_the_example_is_at_most_forty_lines_and_uses_nothing_of_ours() -> None:
    text = EXAMPLE.read_text("utf-8")
    assert len(text.splitlines()) <= 40
    imported = set(re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE))
    assert imported <= {"json", "random", "sys", "time", "websockets"}


async def test_the_example_joins_a_room_and_plays_to_the_end(house: House) -> None:
    with trio.fail_after(120):
        async with connected(house.url, "Aki", 2) as host, trio.open_nursery() as nursery:
            place = await host.create(2)

            async def play_example() -> None:
                done = await run(str(EXAMPLE), house.url, place.room)
                assert done.returncode == 0, done.stderr
                assert "'ranking'" in done.stdout

            nursery.start_soon(play_example)
            await start_when_ready(host, place, 2)
            await host.play(place)
