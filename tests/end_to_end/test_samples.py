"""The samples for people who write clients: each plays a whole game of each game of the house.

They need Node.js and Chromium. Where those are missing their tests are skipped, and fail where the
environment has CI=true.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
import trio

from tests.end_to_end.house import House
from tests.end_to_end.raw import connected
from tests.end_to_end.test_programs import start_when_ready

EXAMPLES = Path(__file__).parents[2] / "client" / "examples"
SECONDS = 60  # for a whole game; it takes one or two, and some more while others use the machine

every_game = pytest.mark.parametrize("game", ["odoriko", "enbu", "yumeochi"])


def installed(program: str, package: str) -> str:
    """Return the path of a program that the machine has to have."""
    path = shutil.which(program)
    if path is None:
        missing = f"{program} is not installed (apt-get install {package})"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return path


async def run(*command: str) -> str:
    """Run a sample to its end and return what it printed."""
    with trio.fail_after(SECONDS):
        done = await trio.run_process(
            command, capture_stdout=True, capture_stderr=True, check=False
        )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


@pytest.fixture(scope="module")
def node_bot(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Install what the sample's lock file names into a copy, and return how to start that."""
    node, npm = installed("node", "nodejs"), installed("npm", "npm")
    copy = tmp_path_factory.mktemp("samples") / "node"
    shutil.copytree(EXAMPLES / "node", copy, ignore=shutil.ignore_patterns("node_modules"))
    install = (npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    done = subprocess.run(install, cwd=copy, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    return node, str(copy / "bot.mjs")


@every_game
@pytest.mark.parametrize("sample", ["minimal_bot.py", "sdk_bot.py"])
async def test_a_sample_in_python_plays_a_whole_game(house: House, sample: str, game: str) -> None:
    assert "'ranking'" in await run(sys.executable, str(EXAMPLES / sample), house.url, game)


@every_game
async def test_the_sample_for_node_plays_a_whole_game(
    house: House, node_bot: tuple[str, str], game: str
) -> None:
    assert '"ranking"' in await run(*node_bot, house.url, game)


async def test_the_sample_for_node_joins_a_room(house: House, node_bot: tuple[str, str]) -> None:
    with trio.fail_after(SECONDS):
        async with connected(house.url, "Aki", 2) as host, trio.open_nursery() as nursery:
            place = await host.create(2)
            nursery.start_soon(partial(run, *node_bot, house.url, place.room))
            await start_when_ready(host, place, 2)
            await host.play(place)


def test_samples_are_short_and_need_nothing_but_what_they_say() -> None:
    bot = (EXAMPLES / "sdk_bot.py").read_text("utf-8")
    assert len(bot.splitlines()) <= 15
    imported = re.findall(r'from "(.*)";', (EXAMPLES / "node" / "bot.mjs").read_text("utf-8"))
    assert imported == ["ws"]
    assert '"resolved"' not in (EXAMPLES / "node" / "package-lock.json").read_text("utf-8")
