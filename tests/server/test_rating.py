"""`kaguraden books rate`: what it measures, and what it prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from kaguraden_rules.enbu.books import BOOKS, write_book
from kaguraden_rules.enbu.codes import encode
from kaguraden_server import rating
from kaguraden_server.books import books
from kaguraden_server.rating import Rate, find_players, jobs, rate_book, wilson


def run(*arguments: str | Path, **env: str) -> Result:
    command = ["rate", "--workers", "1", *map(str, arguments)]
    return CliRunner().invoke(books, command, env={"LC_ALL": "C", **env})


def test_players_are_found_by_their_entry_points_the_weakest_first() -> None:
    assert list(find_players())[:4] == ["random", "novice", "greedy", "search"]


def test_games_are_split_into_jobs_that_leave_none_out() -> None:
    for games in (1, 15, 16, 17, 1000):
        played = [
            n for job in jobs("kyu-3", "greedy", games, 1) for n in range(job.first, job.last)
        ]
        assert played == list(range(games))


def test_the_same_seed_gives_the_same_figures() -> None:
    first = rate_book("kyu-3", "novice", games=30, seed=1)
    assert first.games == 30
    assert first == rate_book("kyu-3", "novice", games=30, seed=1)
    assert first != rate_book("kyu-3", "novice", games=30, seed=2)


def test_every_player_gets_the_same_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, list[bytes]] = {"novice": [], "greedy": []}
    for name, deals in seen.items():

        def note(book: str, choose: object, entropy: bytes, deals: list[bytes] = deals) -> Rate:
            deals.append(entropy)
            return Rate(1)

        monkeypatch.setattr(rating, "play", note)
        rate_book("kyu-3", name, games=20, seed=5)
    assert seen["novice"] == seen["greedy"]
    assert len(set(seen["greedy"])) == 20


def test_an_interval_is_wilsons() -> None:
    assert [round(x, 3) for x in wilson(50, 100)] == [0.404, 0.596]
    assert [round(x, 3) for x in wilson(10, 10)] == [0.722, 1.0]
    assert wilson(0, 10)[0] == 0.0


def test_a_line_is_printed_for_each_player_of_each_book(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text(write_book(BOOKS["kyu-2"]), "utf-8")
    code = encode(BOOKS["dan-1"])
    result = run("kyu-3", mine, code, "--games", "3", "--players", "random,greedy")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert [line.split(" (")[0] for line in lines[::3]] == [
        BOOKS[book].name for book in ("kyu-3", "kyu-2", "dan-1")
    ]
    assert [line.split()[0] for line in lines if line.startswith("  ")] == ["random", "greedy"] * 3
    assert lines[6].endswith("pass mark 20")
    assert re.fullmatch(
        r"  greedy   success +[\d.]+ % \( *[\d.]+– *[\d.]+\)  mean total +[\d.]+ of 6"
        r"  mean turns +[\d.]+  \(3 games\)",
        lines[2],
    )


def test_it_speaks_japanese() -> None:
    result = run("kyu-3", "--games", "2", "--players", "greedy", "--lang", "ja")
    head, line = result.stdout.splitlines()
    assert head == "級位認定 三級 (kyu-3): 全演目"
    assert re.match(r"  greedy   成功 .* 平均合計 .* / 6  平均手番 +6\.0  \(2 局\)$", line)


def test_what_cannot_be_rated_is_said(tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text(write_book(BOOKS["kyu-2"]).replace("pages = 2", "pages = 9"), "utf-8")
    for arguments, status, said in (
        ((tmp_path / "none.toml",), 2, "none.toml"),
        ((bad,), 1, "E-SIZE"),
        (("ENBU1-049H",), 1, "SC-"),
        (("ENBU1-" + "0" * 300,), 1, "SC-"),  # longer than the name of a file may be
        (("kyu-3", "--players", "genius"), 2, "random, novice, greedy, search"),
        (("kyu-3", "--players", ","), 2, "random, novice, greedy, search"),
        ((), 2, "FILE"),
    ):
        result = run(*arguments)
        assert result.exit_code == status
        assert result.stdout == ""
        assert said in result.stderr


def test_workers_give_the_figures_that_one_process_gives() -> None:
    arguments = ["rate", "kyu-3", "--games", "40", "--players", "greedy"]
    alone, together = (
        CliRunner().invoke(books, [*arguments, "--workers", workers]).stdout
        for workers in ("1", "2")
    )
    assert "(40 games)" in alone or "(40 局)" in alone
    assert alone == together
