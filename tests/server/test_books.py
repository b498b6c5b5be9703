"""`kaguraden books`: what it prints and returns for files and for share codes."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from kaguraden_rules.enbu.books import BOOKS, write_book
from kaguraden_rules.enbu.codes import encode
from kaguraden_server.books import books

KYU_3 = write_book(BOOKS["kyu-3"])
MINE = KYU_3.replace('"kyu-3"', '"mine"').replace('"kyu"', '"yorozu"')
CODE = "ENBU1-049H04Z7PJDE9FCDX2N8VSDEK8GE9E49WYT9M1G20C2GJ2GB00002082081Q1YFW3M"


def run(*arguments: str | Path, **env: str) -> Result:
    return CliRunner().invoke(books, [*map(str, arguments)], env={"LC_ALL": "C", **env})


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


# --- check -----------------------------------------------------------------------------------------


def test_a_good_file_takes_one_line(tmp_path: Path) -> None:
    mine = put(tmp_path, "mine.toml", MINE)
    result = run("check", mine)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f'{mine}: mine "級位認定 三級", 3 programs, no faults\n'
    for japanese in (run("check", mine, "--lang", "ja"), run("check", mine, LC_ALL="ja_JP.UTF-8")):
        assert japanese.stdout == f"{mine}: mine「級位認定 三級」演目 3、誤りなし\n"


def test_faults_are_lines_in_the_order_of_the_file(tmp_path: Path) -> None:
    """EN-97: all of them at once, in the language of choice, with what would be right."""
    mine = put(
        tmp_path,
        "mine.toml",
        MINE.replace("pages = 1", "pages = 9")
        .replace("tora = 1\n", "")
        .replace("ushi = 1", "usi = 1"),
    )
    result = run("check", "--lang", "en", mine)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        f"{mine}:7: E-SIZE table.pages: pages: 1 to 6, not 9",
        f'{mine}:20: E-CARD cards.usi: there is no card "usi"; did you mean ushi?',
        f"{mine}:27: E-NEED programs.first[0]: keiko-gyugo requires ushi; "
        "list what is missing in [cards]",
        f"{mine}:28: E-NEED programs.rest[1]: ryuko requires tora; list what is missing in [cards]",
        f"{mine}: 4 faults",
    ]
    japanese = run("check", "--lang", "ja", mine).stdout.splitlines()
    assert japanese[0] == f"{mine}:7: E-SIZE table.pages: 開いた頁は 1～6 です（9）"
    assert japanese[-1] == f"{mine}: 誤り 4 件"


def test_a_warning_is_told_and_the_status_is_0(tmp_path: Path) -> None:
    """W-UNUSED."""
    mine = put(tmp_path, "mine.toml", MINE.replace("inu = 1", "inu = 1\nneko = 1"))
    result = run("check", mine)
    assert result.exit_code == 0
    assert "W-UNUSED cards.neko" in result.stdout.splitlines()[0]


def test_files_are_checked_together_and_against_the_games_books(tmp_path: Path) -> None:
    """E-ID."""
    files = [put(tmp_path, name, MINE) for name in ("a.toml", "b.toml")]
    own = put(tmp_path, "c.toml", KYU_3)
    result = run("check", *files, own)
    assert result.exit_code == 1
    assert [line.split(": ")[1] for line in result.stdout.splitlines()] == [
        'mine "級位認定 三級", 3 programs, no faults',
        "E-ID id",
        "1 fault",
        "E-ID id",
        "1 fault",
    ]


def test_a_file_that_cannot_be_read_is_told_beside_the_others(tmp_path: Path) -> None:
    mine = put(tmp_path, "mine.toml", MINE)
    result = run("check", tmp_path / "none.toml", mine, tmp_path)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 2
    assert result.stdout == f'{mine}: mine "級位認定 三級", 3 programs, no faults\n'


def test_a_file_with_many_faults_is_told_in_part(tmp_path: Path) -> None:
    text = "schema = 1\n[cards]\n" + "".join(f"c{i} = 1\n" for i in range(200))
    lines = run("check", put(tmp_path, "a.toml", text)).stdout.splitlines()
    assert len(lines) == 52


def test_codes_are_checked_too(tmp_path: Path) -> None:
    """EN-102."""
    result = run("check", "--code", CODE, "--code", CODE.replace("X2N", "X2M"), "--code", "x\n")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == 'ENBU1-049H04Z7PJ…: u-d27p6kxr "級位認定 三級", 3 programs, no faults'
    assert lines[1].startswith("ENBU1-049H04Z7PJ…: SC-SUM: the checksum does not fit")
    assert lines[3].startswith("x…: SC-PREFIX: ")
    mine = put(tmp_path, "mine.toml", MINE)
    assert run("check", mine, "--code", f" {CODE.lower()} ").exit_code == 0


def test_nothing_to_check_is_wrong_usage() -> None:
    result = run("check")
    assert result.exit_code == 2
    assert "--code" in result.stderr


# --- code and show -----------------------------------------------------------------------------------


def test_a_file_gives_its_code(tmp_path: Path) -> None:
    """EN-103: id, family and comments are not carried."""
    mine = put(tmp_path, "mine.toml", "# mine\n" + MINE)
    result = run("code", mine)
    assert (result.exit_code, result.stdout, result.stderr) == (0, CODE + "\n", "")


def test_a_book_of_the_game_gives_its_code_by_its_id() -> None:
    """What `show` takes, `code` takes too."""
    result = run("code", "kyu-3")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == encode(BOOKS["kyu-3"]) + "\n"


def test_a_file_with_faults_gives_no_code(tmp_path: Path) -> None:
    mine = put(tmp_path, "mine.toml", MINE.replace("pages = 1", "pages = 9"))
    result = run("code", mine, "--lang", "ja")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines()[-1] == f"{mine}: 誤り 1 件"
    missing = run("code", tmp_path / "none.toml")
    assert (missing.exit_code, missing.stdout) == (2, "")
    assert "none.toml" in missing.stderr


def test_warnings_do_not_mix_with_the_code(tmp_path: Path) -> None:
    mine = put(tmp_path, "mine.toml", MINE.replace("inu = 1", "inu = 1\nneko = 1"))
    result = run("code", mine)
    assert result.exit_code == 0
    assert result.stdout.startswith("ENBU1-")
    assert len(result.stdout.splitlines()) == 1
    assert "W-UNUSED" in result.stderr


def test_a_code_gives_its_file() -> None:
    """EN-96, EN-103."""
    result = run("show", CODE)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == MINE.replace('"mine"', '"u-d27p6kxr"')


@pytest.mark.parametrize("book_id", BOOKS)
def test_a_shown_book_has_the_code_again(book_id: str, tmp_path: Path) -> None:
    """EN-103: what is shown is a file that may be kept, checked and shared."""
    own = run("show", book_id)
    assert own.stdout == write_book(BOOKS[book_id])
    code = encode(BOOKS[book_id])
    shown = put(tmp_path, "shown.toml", run("show", code).stdout)
    assert run("check", shown).exit_code == 0
    assert run("code", shown).stdout == code + "\n"


def test_a_refused_code_shows_nothing() -> None:
    result = run("show", CODE[:-3], "--lang", "ja")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "SC-" in result.stderr
    assert "写し" in result.stderr
