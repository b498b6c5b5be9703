"""The real thing: `kaguraden play` in a pseudo-terminal and in a pipe, against real bots."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from .terminal import COMMAND, Terminal

FAST = ("--option", "window_min_ms=250", "--option", "auction_ms=3000")
RULE = "─ "


@pytest.fixture
def started(tmp_path: Path) -> Iterator[list[Terminal]]:
    """Yield a list for terminals; what is in it is closed at the end."""
    terminals: list[Terminal] = []
    yield terminals
    for terminal in terminals:
        terminal.close()


def is_asking(text: str) -> bool:
    """Whether the screen shows something to decide, or the end of the game."""
    marks = ("❯", "Enter はい", "Enter 決定", "終局", "枚（いま")
    return f"\n{RULE}" in text and any(mark in text for mark in marks)


def entries(text: str) -> dict[str, str]:
    """Return the numbered entries of the menu that is on the screen."""
    lines = text.splitlines()
    rule = max(i for i, line in enumerate(lines) if line.startswith(RULE))
    found: dict[str, str] = {}
    for line in lines[rule + 1 : -1]:
        for piece in re.split(r"\s{2,}(?=\d )", line.lstrip("❯ ")):
            if match := re.match(r"(\d) (.+)", piece.lstrip("❯ ")):
                found[match[1]] = match[2].strip()
    return found


def next_key(text: str, *, sell: bool) -> str:
    """Return a key that goes on with the game: sell if wished, else place, draw, answer."""
    if "Enter はい" in text:
        return "\r"
    if ticks := re.search(r"(\d)(?:〜\d)?枚（いま(\d)枚）", text):
        if int(ticks[2]) >= int(ticks[1]):
            return "\r"
        return str(re.findall(r"(\d) \[ \]", text)[0])
    if "数（" in text and "〜" in text.split("数（")[1]:
        return "1\r"
    choices = entries(text)
    if not choices:
        return "\r"
    wishes = ("売る", "資源…", "1枚から") if sell else ()
    for wish in (*wishes, "確定", "場に置", "置く", "入札", "取る", "資源デッキ"):
        for digit, label in choices.items():
            if wish in label:
                return digit
    return "0" if "0" in choices else min(choices)


def assert_aligned(terminal: Terminal, names: list[str]) -> None:
    """Every seat's line has its columns at the same cells."""
    for word in ("VP", "手札", "山", "捨"):
        columns = {
            terminal.column(y, word)
            for y, line in enumerate(terminal.lines()[1:16], 1)
            if any(re.match(rf"^[ ▶]\d? ?\s*{re.escape(name)}\s+VP", line) for name in names)
        }
        assert len(columns) == 1, (word, columns, terminal.text())
        assert columns.pop() > 0


def test_a_game_against_bots_is_finished_in_a_terminal(
    tmp_path: Path, started: list[Terminal]
) -> None:
    """From one command to the ranking, by digits alone, at 80x24 in Japanese."""
    line = shlex.join([*COMMAND, "--bots", "2", "--name", "歌い手Aki", "--lang", "ja", *FAST])
    terminal = Terminal(["/bin/sh", "-c", f"{line} 2>/dev/null; echo status=$?; stty -a"], tmp_path)
    started.append(terminal)
    terminal.wait(is_asking)
    saw: set[str] = set()
    sold = False
    for _ in range(600):
        text = terminal.wait(lambda t: is_asking(t) or "競り" in t)
        for y, row in enumerate(terminal.lines()):
            if row.startswith(RULE):
                assert row.endswith("─"), row
                assert terminal.column(y, "─") == 0
                assert len(terminal.screen.buffer[y][79].data) == 1
        if "終局" in text:
            break
        if "あなたの手番" in text and "VP" in text:
            saw.add("turn")
            people = re.findall(r"^[ ▶]\d?\s+(\S.*?)\s+VP", text, re.M)
            assert len(people) == 3, text
            assert "歌い手Aki" in people
            assert_aligned(terminal, people)
        if auction := re.search(r"^ 競り  (.+) · 1枚から（資源） · 出品 歌い手Aki", text, re.M):
            saw.add("auction")
            assert re.search(
                r"^─ 競り  \S+ · (入札なし|最高 \d|売れ残り|.*を支払う)", text, re.M
            ), text
            assert auction[1].split(" ")[0][-1] in "♠♥♦♣"
        if not is_asking(text):
            terminal.wait_change(text)
            continue
        key = next_key(text, sell=not sold)
        if "1枚から" in text and "売る › 資源" in text:
            sold = True
        terminal.press(key)
        terminal.wait_change(text)
    text = terminal.wait(lambda t: len(re.findall(r"^ [123]位  ", t, re.M)) == 3)
    assert saw == {"turn", "auction"}
    assert re.search(r"^ 1位  \S+  −?\d+点$", text, re.M), text
    assert "公開された種は、最初の約束と一致します。" in text
    terminal.press("\x1b[12~")  # F2
    terminal.wait_for("the game is over", "1. ", "points")
    terminal.resize(120, 40)
    terminal.wait(lambda t: len(t.splitlines()) == 40 and "to the lobby" in t.splitlines()[-1])
    terminal.press("\x03\x03")
    text = terminal.wait(lambda t: "status=0" in t)
    assert terminal.raw.rindex(b"\x1b[?1049l") > terminal.raw.rindex(b"\x1b[?1049h")
    assert terminal.raw.rindex(b"\x1b[?25h") > terminal.raw.rindex(b"\x1b[?1049h")
    text = terminal.wait_for("icanon", "echo ")
    assert " -icanon" not in text
    assert " -echo " not in text


@pytest.mark.parametrize("end", ["sigterm", "ctrl-c"])
def test_the_terminal_is_left_clean_and_no_server_stays(
    tmp_path: Path, started: list[Terminal], end: str
) -> None:
    terminal = Terminal([*COMMAND, "--lang", "en"], tmp_path)
    started.append(terminal)
    text = terminal.wait_for("lobby", "No table is open")
    address = re.search(r"127\.0\.0\.1:(\d+)", text)
    assert address is not None
    if end == "sigterm":
        terminal.child.kill(signal.SIGTERM)
    else:
        terminal.press("\x03")
        terminal.wait_for("Quit?")
        terminal.press("\r")
    assert terminal.wait_end() == 0
    assert terminal.raw.rindex(b"\x1b[?1049l") > terminal.raw.rindex(b"\x1b[?1049h")
    (log,) = tmp_path.glob("server-*.log")
    assert "stopped" in log.read_text().splitlines()[-1]


def test_a_client_that_is_started_again_has_its_seat_back(
    tmp_path: Path, started: list[Terminal]
) -> None:
    serve = [
        *COMMAND[:-1],
        "serve",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--data",
        str(tmp_path / "data"),
    ]
    with subprocess.Popen(
        serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            first = Terminal(
                [*COMMAND, url, "--lang", "en", "--name", "Aki", "--bots", "1"], tmp_path
            )
            started.append(first)
            first.wait_for("declare…")
            code = first.text().split()[1]
            first.press("\x03\x03")
            assert first.wait_end() == 0
            again = Terminal([*COMMAND, url, "--lang", "en"], tmp_path)
            started.append(again)
            text = again.wait_for(code, "your hand")
            assert "Aki" in text
            again.press("\x03\x03")
            assert again.wait_end() == 0
        finally:
            server.terminate()


ANSWERS = (
    ("Declare", "declare_bid 0"),
    ("Janken", "rock"),
    ("Choose your place", "1"),
    ("Your turn", "end_turn"),
    ("king is played", "pass"),
    ("Resource cards were", "pass"),
    ("unsold", "pass"),
    ("Bid in", "done"),
    ("that stays", "1"),
    ("event is played", "pass"),
    ("React with a skill", "pass"),
    ("any time", "pass"),
    ("your own cards", "1"),
)


def test_a_script_finishes_a_game_in_line_mode(tmp_path: Path) -> None:
    """Without a terminal it talks in sentences, and answers are lines."""
    command = [
        *COMMAND,
        "--bots",
        "1",
        "--lang",
        "en",
        "--name",
        "Aki",
        "--option",
        "window_min_ms=50",
    ]
    environment = {
        "KAGURADEN_HOME": str(tmp_path),
        "KAGURADEN_BOT_THINK_MS": "0",
        "PATH": "/usr/bin:/bin",
    }
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, encoding="utf-8", env={**environment, "LANG": "C.UTF-8", "PYTHONUTF8": "1"},
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        heard: list[str] = []
        declared = False
        try:
            for line in process.stdout:
                heard.append(line.rstrip("\n"))
                if line.startswith("Question: "):
                    answer = next(a for words, a in ANSWERS if words in line)
                    if answer.startswith("declare") and declared:
                        answer = "lock_bid"
                    declared = answer.startswith("declare")
                    process.stdin.write(answer + "\n")
                    process.stdin.flush()
                if line.startswith("2.  "):
                    process.stdin.write("q\n")
                    process.stdin.flush()
        finally:
            process.kill()
    assert "the game is over" in heard, heard[-20:]
    assert heard[-1] == "Good-bye."
    assert any(re.fullmatch(r"Tally for Aki: [+−]\d+.*", line) for line in heard)
    assert any(re.fullmatch(r"Aki \(you\): −?\d+ VP, hand .*", line) for line in heard)
    assert not any(re.search(r"[\x00-\x1f]", line) for line in heard)
