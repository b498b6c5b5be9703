"""Our clients keep every clause of the kit, and a client that breaks one is found out."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
from click.testing import CliRunner
from kaguraden_client.conformance.clause import Level, Result, Verdict
from kaguraden_client.conformance.client import CLIENT, Settings, scripted_server
from kaguraden_client.conformance.commands import conformance
from trio.testing import MockClock

from .client_mutants import MUTANTS
from .house import open_listener
from .small_client import SmallClient

ROOT = Path(__file__).parents[2]


async def judged(client: type[SmallClient], end: int = 0) -> dict[str, Result]:
    """Return what the kit says of a client, over streams in memory."""
    settings = Settings(rounds=1, patience=5, comeback=8, end=end)
    listener, open_stream = open_listener()
    async with (
        scripted_server(settings, listeners=[listener]) as judge,
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(client(open_stream).run)
        await judge.done.wait()
        results = judge.results()
        nursery.cancel_scope.cancel()
    return {result.clause.id: result for result in results}


def verdicts(results: dict[str, Result]) -> dict[str, Result]:
    """Return what is not passed."""
    return {name: r for name, r in results.items() if r.verdict is not Verdict.PASSED}


def test_no_clause_is_without_a_mutant() -> None:
    assert sorted(MUTANTS) == sorted(CLIENT.clauses)


async def test_a_client_that_does_what_is_asked_passes(autojump_clock: MockClock) -> None:
    assert set(verdicts(await judged(SmallClient))) == {"C-stays-away"}
    assert not verdicts(await judged(SmallClient, 4004))


@pytest.mark.parametrize("name", CLIENT.clauses)
async def test_a_client_that_breaks_a_clause_is_found_out(
    name: str, autojump_clock: MockClock
) -> None:
    entry = MUTANTS[name]
    result = (await judged(entry.client, entry.end))[name]
    broken = Verdict.FAILED if result.clause.level is Level.MUST else Verdict.NOT_DONE
    assert result.verdict is broken, result
    assert entry.wants in f"{result.expected} {result.came}", result


# --- our own clients, as people start them ---------------------------------------------------------


@asynccontextmanager
async def running(command: Sequence[str], folder: Path) -> AsyncIterator[None]:
    """Run a client until the block ends."""
    env = {**os.environ, "KAGURADEN_HOME": str(folder)}
    process = await trio.lowlevel.open_process(
        command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    try:
        yield
        with trio.move_on_after(10):
            await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def results_of(command: Sequence[str], folder: Path, settings: Settings) -> dict[str, Result]:
    async with scripted_server(settings) as judge:
        words = [word.replace("{url}", judge.url) for word in command]
        async with running(words, folder):
            await judge.done.wait()
        return {result.clause.id: result for result in judge.results()}


async def test_our_bot_command_passes(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "kaguraden_server", "bot", "{url}")
    options = ("--room", "KITS-0001", "--think", "0", "--lang", "en")
    found = verdicts(await results_of((*command, *options), tmp_path, Settings(rounds=2)))
    # It asks for no patches, and comes to the outcome.
    assert found.keys() == {"C-patch-hash", "C-stays-away"}, found


async def test_the_minimal_bot_does_all_that_a_client_must(tmp_path: Path) -> None:
    command = (sys.executable, str(ROOT / "client/examples/minimal_bot.py"), "{url}")
    settings = Settings(rounds=2, soon=1.0, drops=False)
    found = verdicts(await results_of(command, tmp_path, settings))
    assert {name for name, r in found.items() if r.verdict is Verdict.NOT_DONE} == {
        "C-gap",
        "C-again-later",
        "C-again-unavailable",
    }
    assert {r.verdict for r in found.values()} == {Verdict.NOT_DONE, Verdict.SKIPPED}, found


async def test_the_terminal_client_passes_line_by_line(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "kaguraden_server", "play")
    options = ("--room", "KITS-0001", "--name", "Aki", "--plain", "--lang", "en")
    env = {**os.environ, "KAGURADEN_HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    async with scripted_server(Settings(rounds=2)) as judge:
        process = await trio.lowlevel.open_process(
            (*command, judge.url, *options),
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_sit_and_answer, process)
                await judge.done.wait()
                nursery.cancel_scope.cancel()
            assert process.stdin is not None
            await process.stdin.aclose()
            with trio.move_on_after(10):
                await process.wait()
        finally:
            process.kill()
            await process.wait()
    found = verdicts({result.clause.id: result for result in judge.results()})
    assert found.keys() == {"C-patch-hash", "C-stays-away"}, found


async def _sit_and_answer(process: trio.Process) -> None:
    """Type as a person does who reads the questions: the first option that is understood."""
    assert process.stdin is not None
    assert process.stdout is not None
    unread, is_asked = b"", False
    async for data in process.stdout:
        *lines, unread = (unread + data).split(b"\n")
        for line in map(bytes.decode, lines):
            typed = None
            if line.startswith("You are at table"):
                typed = "r"
            elif line.startswith("Question:"):
                is_asked = True
            elif is_asked and (option := re.match(r"(\d+)\. (.*)", line)):
                typed = _typed(option[1], option[2])
                is_asked = typed is None
            if typed is not None:
                await process.stdin.send_all(f"{typed}\n".encode())


def _typed(number: str, text: str) -> str | None:
    if match := re.search(r"\(add a number from (\d+) to", text):
        return f"{number} {match[1]}"
    if match := re.search(r"\(add (\d+) of: (.*)\)", text):
        return " ".join([number, *match[2].split()[: int(match[1])]])
    if match := re.search(r"\(add all of these in order: (.*)\)", text):
        return f"{number} {match[1]}"
    return None if "(" in text else number


def test_the_command_lists_its_clauses() -> None:
    run = CliRunner().invoke(conformance, ["client", "--list", "--lang", "ja"])
    assert run.exit_code == 0
    assert len(run.output.splitlines()) == len(CLIENT.clauses)
    assert "kaguraden.v1" in run.output


def test_the_command_fails_a_client_that_never_comes() -> None:
    run = CliRunner().invoke(
        conformance, ["client", "--port", "0", "--timeout", "1", "--json", "--lang", "en"]
    )
    told = json.loads(run.stdout.splitlines()[-1])
    failed = [c["id"] for c in told["clauses"] if c["verdict"] == "failed"]
    assert (run.exit_code, failed) == (1, ["C-plays"])


async def test_the_command_says_that_its_port_is_in_use() -> None:
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with listener:
        port = str(listener.socket.getsockname()[1])
        run = await trio.to_thread.run_sync(
            lambda: CliRunner().invoke(conformance, ["client", "--port", port])
        )
    assert (run.exit_code, run.output.count("\n")) == (2, 1)
    assert run.output.startswith(f"Error: 127.0.0.1:{port}: ")


@pytest.mark.parametrize("host", ["a..b", "\udcff", "x" * 300, "192.0.2.1"])
def test_the_command_says_that_it_cannot_listen_there(host: str) -> None:
    run = CliRunner().invoke(conformance, ["client", "--host", host, "--port", "0"])
    assert (run.exit_code, run.output.count("\n")) == (2, 1), run.output
    assert run.output.startswith("Error: ")
