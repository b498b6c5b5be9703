"""Backup and restore as the README tells it, with real servers: play, copy, kill, go on elsewhere."""

import re
import shlex
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import trio
from websockets.trio.client import connect
from websockets.typing import Subprotocol

from tests.server.house import Player, choice
from tests.server.test_process import process
from tests.server.test_sockets import SocketLine

README = Path(__file__).parents[2] / "README.md"
KAGURADEN = f"{shlex.quote(sys.executable)} -m kaguraden_server"


def commands(after: str, names: dict[str, Path]) -> list[str]:
    """Return the lines of the README's code that follows a sentence, with folders of our own."""
    text = README.read_text("utf-8").partition(after)[2]
    found = re.search(r"\n\n((?:    .+\n)+)", text)
    assert found, f"the README has no commands after {after!r}"
    lines = [line.strip() for line in found[1].splitlines()]
    for name, path in names.items():
        lines = [re.sub(rf"\b{name}\b", shlex.quote(str(path)), line) for line in lines]
    return [line.replace(".venv/bin/kaguraden", KAGURADEN) for line in lines]


async def shell(line: str) -> str:
    done = await trio.run_process(
        ["sh", "-c", line], capture_stdout=True, capture_stderr=True, check=False
    )
    assert done.returncode == 0, f"{line}: {done.stderr.decode()}"
    return done.stdout.decode()


@asynccontextmanager
async def guests(
    url: str, names: tuple[str, ...], tokens: list[str]
) -> AsyncIterator[list[Player]]:
    spoken = [Subprotocol("kaguraden.v1")]
    async with (
        connect(url, subprotocols=spoken, proxy=None, max_size=None) as one,
        connect(url, subprotocols=spoken, proxy=None, max_size=None) as two,
    ):
        players = []
        for n, (name, ws) in enumerate(zip(names, (one, two), strict=True)):
            fields = {"resume": tokens[n]} if tokens else {}
            players.append(await Player(SocketLine(ws)).open(name, **fields))
        yield players


async def move(room: str, players: list[Player], steps: int) -> None:
    """Answer so many decisions, whoever has one."""
    while steps:
        for player in players:
            while "decisions" not in player.views.get(room, {}):
                await player.update()
            await player.ask("sync", room=room)
            for decision in player.views[room]["decisions"][:1]:
                option, value = choice(decision)
                await player.act(room, option, value)
                steps -= 1
                break
            if not steps:
                return


async def test_seats_and_games_are_there_again_from_a_backup(tmp_path: Path) -> None:
    names = {name: tmp_path / name.lower() for name in ("DIR", "BACKUP", "NEW")}
    with trio.fail_after(120):
        async with (
            process("--port", "0", "--data", str(names["DIR"])) as (server, url),
            guests(url, ("Aki", "Ben"), []) as players,
        ):
            aki, ben = players
            room = (await aki.ask("create", game="odoriko", seats=2))["room"]
            await ben.ask("join", room=room)
            for player in players:
                await player.ask("ready", room=room, ready=True)
            await aki.ask("start", room=room)
            await move(room, players, 3)
            for player in players:
                await player.ask("sync", room=room)
            seen = [player.views[room]["view"] for player in players]
            for line in commands("A backup is taken while games go on.", names):
                await shell(line)
            await move(room, players, 2)  # lost
            tokens = [player.hello["token"] for player in players]
            server.kill()
            await server.wait()
        *before, serve = commands("To go on from there,", names)
        checked = [await shell(line) for line in before]
        assert "faults: 0" in checked[-1]
        assert serve == f"{KAGURADEN} serve --data {names['NEW']}"
        async with (
            process("--port", "0", *shlex.split(serve)[4:]) as (_, url),
            guests(url, ("Aki", "Ben"), tokens) as players,
        ):
            for n, player in enumerate(players):
                assert player.hello["resumed"]
                (place,) = player.hello["rooms"]
                assert (place["room"], place["seat"]) == (room, n)
                await player.ask("sync", room=room)
                assert player.views[room]["view"] == seen[n]
            await move(room, players, 3)
    assert (names["NEW"] / "daily.key").read_bytes() == (names["DIR"] / "daily.key").read_bytes()
    assert stat.S_IMODE((names["NEW"] / "journal.sqlite3").stat().st_mode) == 0o600
