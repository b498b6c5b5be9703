"""The real thing: `kaguraden play` in a pseudo-terminal and in a pipe, against real bots."""

from __future__ import annotations

import contextlib
import re
import shlex
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from .terminal import COMMAND, Terminal

FAST = ("--option", "window_min_ms=50", "--option", "auction_ms=3000")
RULE = "─ "
NAME = "歌い手Aki"
PEOPLE = re.compile(r"^[ ▶]\d?\s+(\S.*?)\s+VP", re.M)


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
    """Return a key that goes on with the game: sell if wished, else place, draw, answer.

    Nothing where the others are waited for.
    A character comes first, for without everybody's first one the half lasts as long as the decks.
    """
    if "Enter はい" in text:
        return "\r"
    if ticks := re.search(r"(\d)(?:〜\d)?枚（いま(\d)枚）", text):
        if int(ticks[2]) >= int(ticks[1]):
            return "\r"
        return str(re.findall(r"(\d) \[ \]", text)[0])
    if number := re.search(r": 数（(\d+)〜", text):
        return number[1] + "\r"
    choices = entries(text)
    if "宣言する…" in choices.values():
        return "0" if "0" in choices else "" if "確定" in own_line(text) else "1"
    wishes = [r"確定", r"‹.*場に置く", r"置く…", r"場に置く", r"入札", r"取る", r"資源デッキ"]
    if sell:
        wishes = [r"売る", r"^資源と", r"^1枚から", *wishes]
    elif "\n 置く:" in text:
        wishes = [r"^‹", *wishes]
    elif not has_character(text):
        wishes = [r"‹.*場に置く", r"置く…", r"キャラデッキ", *wishes]
    for wish in wishes:
        for digit, label in choices.items():
            if re.search(wish, label):
                return digit
    return "0" if "0" in choices else min(choices, default="\r")


def is_whole(text: str) -> bool:
    """Whether every rule goes from edge to edge: while a screen is being drawn one may not."""
    return all(row.endswith("─") for row in text.splitlines() if row.startswith(RULE))


def own_line(text: str) -> str:
    """Return the line of the player's own seat."""
    lines = text.splitlines()
    return next(line for line in lines if re.match(rf"^[ ▶]\d? ?\s*{NAME}\s+VP", line))


def has_character(text: str) -> bool:
    """Whether the player's own fields hold a character."""
    lines = text.splitlines()
    at = lines.index(own_line(text))
    return any("‹" in field for field in lines[at + 1 : at + 3])


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
    line = shlex.join([*COMMAND, "--bots", "2", "--name", NAME, "--lang", "ja", *FAST])
    terminal = Terminal(["/bin/sh", "-c", f"{line} 2>/dev/null; echo status=$?; stty -a"], tmp_path)
    started.append(terminal)
    terminal.wait(is_asking)
    saw: set[str] = set()
    for _ in range(600):
        text = terminal.wait(lambda t: is_whole(t) and (is_asking(t) or "競り" in t))
        for y, row in enumerate(terminal.lines()):
            if row.startswith(RULE):
                assert terminal.column(y, "─") == 0
                assert len(terminal.screen.buffer[y][79].data) == 1
        if "終局" in text:
            break
        if "あなたの手番" in text and "VP" in text:
            saw.add("turn")
            people = PEOPLE.findall(text)
            if len(people) != 3:  # the screen was read while it was drawn anew; the next is whole
                text = terminal.wait(lambda t: len(PEOPLE.findall(t)) == 3)
                people = PEOPLE.findall(text)
            assert NAME in people
            assert_aligned(terminal, people)
        if auction := re.search(rf"^ 競り  (.+) · 1枚から（資源） · 出品 {NAME}", text, re.M):
            saw.add("auction")
            told = r"^─ (競り  .+ · (入札なし|最高 \d|売れ残り|.+を支払う)|Aを使う機会  \S)"
            assert re.search(told, text, re.M), text
            assert auction[1].split(" ")[0][-1] in "♠♥♦♣"
        if not is_asking(text):
            terminal.wait_change(text)
            continue
        key = next_key(text, sell="auction" not in saw)
        if key:
            terminal.press(key)
        terminal.wait_change(text)
    text = terminal.wait(lambda t: len(re.findall(r"^ [123]位  ", t, re.M)) == 3)
    assert saw == {"turn", "auction"}
    assert re.search(r"^ 1位  \S+ +−?\d+点(  ← あなた)?$", text, re.M), text
    assert "公開されたシードは開始前のハッシュ値と一致しました" in text
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
    terminal = Terminal([*COMMAND, "--alone", "--lang", "en"], tmp_path)
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


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[str]:
    """Run a server with a password on a free port, and yield its address."""
    with serving(tmp_path, password="sesame") as url:  # noqa: S106
        yield url


@contextlib.contextmanager
def serving(folder: Path, password: str) -> Iterator[str]:
    settings = folder / "hall.toml"
    settings.write_text(f'[server]\npassword = "{password}"\n')
    command = [*COMMAND[:-1], "serve", "--port", "0", "--config", str(settings)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def test_a_server_with_a_password_is_entered(
    tmp_path: Path, started: list[Terminal], hall: str
) -> None:
    terminal = Terminal([*COMMAND, hall, "--lang", "en"], tmp_path)
    started.append(terminal)
    text = terminal.wait_for("the server's password:", "waiting for you")
    assert "wrong" not in text
    terminal.press("sesam\r")
    terminal.wait_for("the password is wrong", "waiting for you")
    terminal.press("sesame\r")
    terminal.wait_for("No table is open", "online")
    direct = Terminal([*COMMAND, hall, "--lang", "en", "--new", "--password", "sesame"], tmp_path)
    started.append(direct)
    direct.wait_for("No table is open", "online")


def test_two_terminals_of_one_user_are_two_players(
    tmp_path: Path, started: list[Terminal], hall: str
) -> None:
    command = [*COMMAND, hall, "--lang", "en", "--password", "sesame"]
    haru = Terminal([*command, "--name", "Haru", "--bots", "1"], tmp_path)
    started.append(haru)
    code = haru.wait_for("Haru", "DECLARE").split()[1]
    mio = Terminal([*command, "--name", "Mio"], tmp_path)
    started.append(mio)
    mio.wait_for("lobby", code, "Haru")
    haru.press("\x03\x03")
    haru.wait_end()
    again = Terminal([*command, "--name", "Haru"], tmp_path)
    started.append(again)
    again.wait_for(code, "your hand")


@pytest.mark.parametrize(
    ("arguments", "said", "status"),
    [
        (["--alone", "--room", "NOPE-2222"], "that did not work: there is no such table", 1),
        (["--bots", "1", "--option", "foo=1"], "there is no option foo", 1),
        (["--bots", "1", "--level", "hard"], "levels of bots: ", 1),
        (["--bots", "1", "--game", "chess"], "games: odoriko", 1),
        (["--alone"], "No table is open at the moment.", 0),
    ],
)
def test_line_mode_does_what_the_command_line_asks_and_tells_by_its_status_if_it_failed(
    tmp_path: Path, arguments: list[str], said: str, status: int
) -> None:
    """Also where standard input is at its end from the beginning."""
    ended = subprocess.run(
        [*COMMAND, "--lang", "en", "--plain", *arguments],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8",
        env={"KAGURADEN_HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "PYTHONUTF8": "1"},
        timeout=60, check=False,
    )  # fmt: skip
    assert said in ended.stdout
    assert ended.stdout.splitlines()[-1] == "Good-bye."
    assert ended.returncode == status
