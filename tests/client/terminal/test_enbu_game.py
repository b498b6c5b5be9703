"""enbu in the real thing: `kaguraden play` in a pseudo-terminal and in a pipe, with its server."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest
from kaguraden_rules.enbu.books import BOOKS, write_book

from .terminal import COMMAND, Terminal

RULE = "─ "
WORDS = {
    "ja": {
        "place": "を置いてください",
        "over": "終局",
        "perform": "披露: ",
        "yes": "Enter はい",
        "ends": "演舞成功！|演舞失敗",
        "points": "点（満点6）",
        "again": "もう一度",
    },
    "en": {
        "place": "Place the card: ",
        "over": "the game is over",
        "perform": "perform ",
        "yes": "Enter yes",
        "ends": "is a success!|The rehearsal failed",
        "points": "of 6 points",
        "again": "r again",
    },
}


@pytest.fixture
def started(tmp_path: Path) -> Iterator[list[Terminal]]:
    """Yield a list for terminals; what is in it is closed at the end."""
    terminals: list[Terminal] = []
    yield terminals
    for terminal in terminals:
        terminal.close()


def start(started: list[Terminal], home: Path, *options: str, size: tuple[int, int] = (80, 24)) -> Terminal:  # fmt: skip
    terminal = Terminal([*COMMAND, *options, "--name", "Aki"], home, *size)
    started.append(terminal)
    return terminal


def entries(text: str) -> dict[str, str]:
    """Return the numbered entries of the menu on the screen."""
    lines = text.splitlines()
    begin = max(i for i, line in enumerate(lines) if line.startswith(RULE))
    found: dict[str, str] = {}
    for line in lines[begin + 1 : -1]:
        for digit, label in re.findall(r"(?:^| {2,}|❯| )(\d) ((?:(?! {2,}).)+)", line):
            found.setdefault(digit, label)
    return found


def turn_of(text: str) -> int:
    """Return the number of the turn in the line over the table."""
    return int(re.findall(r"^ (?:turn )?(\d+)(?:手目)? · ", text, re.MULTILINE)[0])


def state(text: str, words: dict[str, str]) -> tuple[object, ...] | None:
    """Return what the screen asks; None while it is half drawn or an answer is on its way."""
    if f"─ {words['over']} ─" in text and words["points"] in text:
        return ("over",)
    if words["yes"] in text:
        return ("yes",)
    lines = text.splitlines()
    rules = [i for i, line in enumerate(lines) if line.startswith(RULE)]
    if not rules or "❯" not in text or "F2" not in lines[-1]:
        return None
    shown = entries(text)
    whole = {"1", "2", "3", "7", "9"} if words["place"] in text else {"8", "9"}
    if not whole <= shown.keys() or not {"0", "1"} & shown.keys():
        return None
    return (lines[1], lines[rules[-1]], *shown.items())


def is_news(before: str, words: dict[str, str]) -> Callable[[str], bool]:
    """Return whether a screen asks something else than the one before."""
    old = state(before, words)
    return lambda now: state(now, words) not in (None, old)


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_the_third_grade_is_played_to_its_end(
    tmp_path: Path, started: list[Terminal], lang: str
) -> None:
    """One command to the table, digits to the result, one key to the next try."""
    words = WORDS[lang]
    terminal = start(started, tmp_path, "--game", "enbu", "--lang", lang)
    place, over = words["place"], words["over"]
    text = terminal.wait(lambda now: state(now, words))
    turns: list[int] = []
    while f"─ {over} ─" not in text:
        shown = entries(text)
        if words["yes"] in text:
            key = "\r"
        elif place in text:
            turns.append(turn_of(text))
            assert {"1", "2", "3", "7", "9"} <= shown.keys()
            free = [k for k in "123" if re.search("empty|空き", shown[k])]
            key = "7" if turns[-1] == 4 else free[0] if free else "1"
        else:
            key = "1" if "1" in shown else "0"
            assert key in shown
            assert shown[key].startswith(words["perform"]) == (key == "1")
        terminal.press(key)
        text = terminal.wait(is_news(text, words))
    assert sorted(set(turns)) == [1, 2, 3, 4, 5, 6]
    text = terminal.wait_for(words["points"], words["again"])
    assert len(re.findall(words["ends"], text)) == 1
    gained = int(re.findall(r"(?:披露|^ )(\d)(?: gained|、)", text, re.MULTILINE)[-1])
    assert re.search(rf"^ {2 * gained}\s?{words['points']}", text, re.MULTILINE)
    assert not any("�" in line for line in terminal.lines())
    terminal.press("r")
    terminal.wait_for(place)


def test_an_end_is_asked_about_and_enter_confirms_it(
    tmp_path: Path, started: list[Terminal]
) -> None:
    """EN-46: at 80x24 and at 40x12, with `?` in between."""
    terminal = start(started, tmp_path, "--book", "kamiari-6", "--lang", "en")
    terminal.wait_for("Place the card: ", " 5 [ empty ]", "in the deck")
    terminal.press("?")
    terminal.wait_for("goes on the stage", "EN-12", "programs to come, in order:")
    terminal.press("\x1b")
    terminal.wait_for("Place the card: ")
    terminal.resize(40, 12)
    terminal.wait_for("1– ", " 5–", "○")
    terminal.press("9")
    terminal.wait_for("Enter yes")
    terminal.press("\x1b")
    terminal.wait(lambda text: "Enter yes" not in text)
    terminal.resize(80, 24)
    terminal.press("9")
    terminal.wait_for("This ends the rehearsal for good", "Enter yes")
    terminal.press("\r")
    terminal.wait_for("The rehearsal failed", "0 of 59 points", "ended by choice")


def test_a_race_ends_with_a_ranking_and_every_table(
    tmp_path: Path, started: list[Terminal]
) -> None:
    """EN-83, EN-86."""
    terminal = start(started, tmp_path, "--book", "kyu-3", "--bots", "2", "--lang", "en")
    terminal.wait_for("the others as they were at your turn", "Place the card: ")
    terminal.press("9")
    terminal.wait_for("Enter yes")
    terminal.press("\r")
    text = terminal.wait_for("the game is over", "Aki's table", "← you", "dropped", seconds=30)
    ranks = [line for line in text.splitlines() if re.match(r" +\d\. ", line)]
    assert len(ranks) == 3
    terminal.press("\x1b[C")
    terminal.wait(lambda now: "'s table" in now and "Aki's table" not in now)


def test_the_book_of_the_day_is_played_and_its_standings_shown(
    tmp_path: Path, started: list[Terminal]
) -> None:
    """EN-87, EN-89."""
    terminal = start(started, tmp_path, "--book", "daily", "--lang", "ja")
    terminal.wait_for("今日の演目帖", "を置いてください")
    terminal.press("9")
    terminal.wait_for("Enter はい")
    terminal.press("\r")
    terminal.wait_for("一回目だけが順位に入ります", "終局")
    terminal.press("d")
    terminal.wait_for("（日本時間）", "1. Aki")


class Talk:
    """Line mode: what is said is waited for, then the next line is typed."""

    def __init__(self, home: Path, *options: str) -> None:
        command = [*COMMAND, "--plain", "--name", "Aki", *options]
        environment = {**os.environ, "KAGURADEN_HOME": str(home), "PYTHONUTF8": "1"}
        self.child = pexpect.spawn(
            command[0], command[1:], encoding="utf-8", timeout=30, env=environment, echo=False
        )

    def __enter__(self) -> Talk:
        return self

    def __exit__(self, *_: object) -> None:
        self.child.close(force=True)

    def hear(self, pattern: str) -> str:
        """Return what is said up to a pattern."""
        self.child.expect(pattern)
        return f"{self.child.before}{self.child.after}"

    def type(self, line: str) -> None:
        """Type a line."""
        self.child.sendline(line)


LINES = {
    "ja": {
        "place": "質問: めくった札「",
        "act": "質問: 演目を披露するか",
        "explained": "EN-12",
        "warned": "ここで終えると失敗です（0点）",
        "result": "演舞失敗  級位認定 三級",
        "points": "0点（満点6）",
    },
    "en": {
        "place": "Place the card: ",
        "act": "Perform a program, or",
        "explained": "EN-12",
        "warned": "a failure, with 0 points",
        "result": "The rehearsal failed  grade test, kyu 3",
        "points": "0 of 6 points",
    },
}


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_line_mode_plays_a_whole_rehearsal(tmp_path: Path, lang: str) -> None:
    """Every step in sentences; an end has to be said twice; then the way to the next try."""
    words = LINES[lang]
    with Talk(tmp_path, "--book", "kyu-3", "--lang", lang) as talk:
        for typed, heard in (
            ("", "place"), ("e 1", "explained"), ("stage:1", "act"), ("undo", "place"),
            ("take", "act"), ("next", "place"), ("finish", "warned"), ("finish", "result"),
        ):  # fmt: skip
            if typed:
                talk.type(typed)
            talk.hear(re.escape(words[heard]))
        talk.hear(re.escape(words["points"]))
        talk.type("r")
        talk.hear(re.escape(words["place"]))


def test_a_file_is_played_as_a_book(tmp_path: Path) -> None:
    """A book of one's own, from its file to its table."""
    text = write_book(BOOKS["kyu-2"]).replace("kyu-2", "mine").replace('"kyu"', '"yorozu"')
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(BOOKS["kyu-2"].name, "うちの本"), "utf-8")
    with Talk(tmp_path, "--book", str(path), "--lang", "en") as talk:
        talk.hear("Place the card: ")
        talk.type("v")
        assert "0/10 points" in talk.hear("in the deck: ")


def test_what_is_no_book_is_told(tmp_path: Path) -> None:
    """A code with a wrong symbol, in the words of the reader."""
    with Talk(tmp_path, "--book", "ENBU1-049H04Z7", "--lang", "ja") as talk:
        talk.hear("共有コードのどこかが違います")
