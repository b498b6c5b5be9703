"""Our server keeps every clause of the kit, and a server that breaks one is found out."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from kaguraden_client.conformance.clause import Level, Verdict
from kaguraden_client.conformance.commands import conformance
from kaguraden_client.conformance.server import SERVER
from kaguraden_client.conformance.server.kit import Kit
from kaguraden_client.conformance.server.run import try_clause, try_clauses
from kaguraden_rules.catalogue import GAMES as CATALOGUE
from trio.testing import MockClock

from tests.end_to_end.house import open_house
from tests.published import check

from .house import Mutant, MutantDoor, open_door
from .server_mutants import MUTANTS

GAME_SECONDS = 60.0

# What a house without a password does not have, or a game of two.
ELSEWHERE = {"S-server-password", "S-sealed"}


def test_no_clause_is_without_a_mutant() -> None:
    assert sorted(MUTANTS) == sorted(SERVER.clauses)


async def test_our_server_keeps_every_clause(autojump_clock: MockClock) -> None:
    async with open_door() as door:
        results = await try_clauses(SERVER.clauses.values(), Kit(door, only_game="ofuda"), _ignore)
    not_passed = {r.clause.id: (r.verdict, r.expected, r.came) for r in results}
    not_passed = {k: v for k, v in not_passed.items() if v[0] is not Verdict.PASSED}
    assert not_passed.keys() == ELSEWHERE, not_passed
    assert {v[0] for v in not_passed.values()} == {Verdict.SKIPPED}


async def test_our_server_keeps_the_clauses_of_hello_with_a_password(
    autojump_clock: MockClock,
) -> None:
    says_hello = ("S-server-password", "S-hello-again", "S-bad-names", "S-no-push-before")
    async with open_door("maple") as door:
        kit = Kit(door, only_game="ofuda", password="maple")  # noqa: S106
        results = await try_clauses([SERVER.clauses[n] for n in says_hello], kit, _ignore)
    assert {r.verdict for r in results} == {Verdict.PASSED}, results


async def test_every_frame_of_a_run_is_as_published(autojump_clock: MockClock) -> None:
    told: list[Any] = []

    def note(message: Any, _memory: Any) -> Any:
        told.append(copy.deepcopy(message))
        return message

    async with open_door(games=CATALOGUE) as door:
        kit = Kit(MutantDoor(door, Mutant(down=note)))
        await try_clauses(SERVER.clauses.values(), kit, _ignore)
    played: dict[str, str] = {}
    for message in told:
        if message.get("type") == "update" and "view" in message:
            played[message["room"]] = message["view"]["game"]
        check(message, game=played.get(message.get("room", "")))
    assert set(played.values()) == set(CATALOGUE)
    assert len(told) > 1_000


async def test_our_server_tells_nothing_of_sealed_answers(autojump_clock: MockClock) -> None:
    async with open_door() as door:
        result = await try_clause(SERVER.clauses["S-sealed"], Kit(door, only_game="ofuda3"))
    assert result.verdict is Verdict.PASSED, result


@pytest.mark.parametrize("name", SERVER.clauses)
async def test_a_server_that_breaks_a_clause_is_found_out(
    name: str, autojump_clock: MockClock
) -> None:
    clause, entry = SERVER.clauses[name], MUTANTS[name]
    async with open_door(entry.password) as door:
        mutant = MutantDoor(door, entry.mutant)
        kit = Kit(
            mutant,
            only_game=entry.game,
            password=entry.password or None,
            game_seconds=GAME_SECONDS,
        )
        result = await try_clause(clause, kit)
    broken = Verdict.FAILED if clause.level is Level.MUST else Verdict.NOT_DONE
    assert result.verdict is broken, result
    assert entry.wants in f"{result.expected} {result.came}", result


def _ignore(_result: object) -> None:
    """Show nothing."""


SETTINGS = """\
[limits]
burst_requests = 10000
requests_per_second = 10000
hello_ms = 1000
"""

# Over the rate of a server that asks nobody to slow down is nothing; in memory they are tried.
TOO_FAST = {"S-rate", "S-rate-abuse"}


def test_a_real_server_keeps_every_clause_in_all_three_games(tmp_path: Path) -> None:
    with open_house(tmp_path, SETTINGS) as house:
        run = CliRunner().invoke(conformance, ["server", house.url, "--json"])
    told = json.loads(run.stdout.splitlines()[-1])
    not_passed = {c["id"]: c for c in told["clauses"] if c["verdict"] != "passed"}
    assert not_passed.keys() == {"S-server-password", *TOO_FAST}, not_passed
    assert {c["verdict"] for c in not_passed.values()} == {"skipped"}, not_passed
    assert (run.exit_code, told["failed"]) == (0, 0)


def test_the_table_is_for_people(tmp_path: Path) -> None:
    chosen = ["S-replies", "S-binary", "S-utf-8"]
    only = [word for name in chosen for word in ("--only", name)]
    with open_house(tmp_path) as house:
        run = CliRunner().invoke(conformance, ["server", house.url, "--lang", "ja", *only])
    assert run.exit_code == 0, run.output
    assert run.output.count("合格  ") == len(chosen)
    assert "§2   S-binary" in run.output
    assert "仕様どおりです" in run.output


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:1",
        "",
        "ws://",
        "ws://[::1",
        "ws://h:99999",
        "ws://\udcff",
        "ftp://h",
        "ws://a..b",
    ],
)
def test_the_command_says_in_a_line_that_nothing_can_be_tried_there(url: str) -> None:
    run = CliRunner().invoke(conformance, ["server", "--lang", "en", "--", url])
    assert (run.exit_code, run.output.count("\n")) == (2, 1), run.output
    told = {
        "127.0.0.1:1": "the connection was refused",
        "ws://\udcff": "nothing that cannot be shown",
    }
    assert told.get(url, "this is no WebSocket address") in run.output


def test_a_game_that_the_server_has_not_is_no_game_without_faults(tmp_path: Path) -> None:
    with open_house(tmp_path) as house:
        run = CliRunner().invoke(
            conformance, ["server", house.url, "--game", "shogi", "--lang", "en"]
        )
    assert run.exit_code == 2
    assert run.output == f"Error: {house.url}: the server does not offer that game\n"


def test_who_tried_nothing_found_nothing_right(tmp_path: Path) -> None:
    only = ["--only", "S-server-password"]
    with open_house(tmp_path) as house:
        run = CliRunner().invoke(conformance, ["server", house.url, "--lang", "en", *only])
    assert run.exit_code == 2
    assert run.output.endswith("1 skipped\nNothing could be tried.\n")


def test_the_command_lists_its_clauses_without_a_server() -> None:
    run = CliRunner().invoke(conformance, ["server", "--list"])
    assert (run.exit_code, len(run.output.splitlines())) == (0, len(SERVER.clauses))
    run = CliRunner().invoke(conformance, ["server"])
    assert run.exit_code == 2
    assert "Missing argument URL" in run.output
