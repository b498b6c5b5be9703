"""Our server keeps every clause of the kit, and a server that breaks one is found out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from kaguraden_client.conformance.clause import Level, Verdict
from kaguraden_client.conformance.commands import conformance
from kaguraden_client.conformance.kit import Kit
from kaguraden_client.conformance.run import try_clause, try_clauses
from kaguraden_client.conformance.server import SERVER
from trio.testing import MockClock

from tests.end_to_end.house import open_house

from .house import MutantDoor, open_door
from .server_mutants import MUTANTS

GAME_SECONDS = 60.0

# What no game of a house without a password, or none with two at a table, has.
ELSEWHERE = {"S-server-password": ("ofuda", "maple"), "S-sealed": ("ofuda3", "")}


def test_no_clause_is_without_a_mutant() -> None:
    assert sorted(MUTANTS) == sorted(SERVER.clauses)


async def test_our_server_keeps_every_clause(autojump_clock: MockClock) -> None:
    async with open_door() as door:
        results = await try_clauses(SERVER.clauses.values(), Kit(door, only_game="ofuda"), _ignore)
    not_passed = {r.clause.id: (r.verdict, r.expected, r.came) for r in results}
    not_passed = {k: v for k, v in not_passed.items() if v[0] is not Verdict.PASSED}
    assert not_passed.keys() == ELSEWHERE.keys(), not_passed
    assert {v[0] for v in not_passed.values()} == {Verdict.SKIPPED}


@pytest.mark.parametrize("name", ELSEWHERE)
async def test_our_server_keeps_the_clauses_that_need_another_house(
    name: str, autojump_clock: MockClock
) -> None:
    game, password = ELSEWHERE[name]
    async with open_door(password) as door:
        kit = Kit(door, only_game=game, password=password or None)
        result = await try_clause(SERVER.clauses[name], kit)
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


def test_the_command_ends_with_1_where_nothing_listens() -> None:
    run = CliRunner().invoke(
        conformance, ["server", "127.0.0.1:1", "--lang", "en", "--only", "S-replies"]
    )
    assert run.exit_code == 1
    assert "FAILED" in run.output
    assert "expected  101" in run.output
