"""yumeochi in the real thing: `kaguraden play` in a pseudo-terminal and in a pipe, with its server."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .terminal import COMMAND, Terminal
from .test_enbu_game import Talk, entries

WORDS = {
    "ja": {
        "over": "─ 終局 ─",
        "yes": "Enter はい",
        "sent": "送信: ",
        "ends": "第一勝利|第二勝利|夢ヲチ",
        "secret": "（秘密）",
        "notes": "この端末の中だけ",
    },
    "en": {
        "over": "─ the game is over ─",
        "yes": "Enter yes",
        "sent": "sent: ",
        "ends": "First victory|Second victory|夢ヲチ",
        "secret": "(secret)",
        "notes": "They stay in this terminal",
    },
}
FAST = ("--option", "bot_pace=0", "--option", "replay=off")


@pytest.fixture
def started(tmp_path: Path) -> Iterator[list[Terminal]]:
    """Yield a list for terminals; what is in it is closed at the end."""
    terminals: list[Terminal] = []
    yield terminals
    for terminal in terminals:
        terminal.close()


def start(started: list[Terminal], home: Path, *options: str, size: tuple[int, int] = (80, 24)) -> Terminal:  # fmt: skip
    command = [*COMMAND, "--game", "yumeochi", *FAST, *options, "--name", "Aki"]
    terminal = Terminal(command, home, *size)
    started.append(terminal)
    return terminal


def is_asked(text: str, words: dict[str, str]) -> bool:
    """Whether the screen asks something that is not answered yet, and is drawn to its end."""
    lines = text.splitlines()
    rules = [i for i, line in enumerate(lines) if line.startswith("─ ")]
    if not rules or "F1" not in lines[-1] or words["sent"] in text:
        return False
    return "❯" in "\n".join(lines[rules[-1] :])


def is_news(before: str, words: dict[str, str]) -> Callable[[str], bool]:
    """Return whether a screen asks something else than the one before, whatever its clock says."""
    old = re.sub(r"\d+:\d\d", "", before)

    def differs(now: str) -> bool:
        asks = words["over"] in now or words["yes"] in now or is_asked(now, words)
        return asks and re.sub(r"\d+:\d\d", "", now) != old

    return differs


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_a_game_is_played_to_its_end(tmp_path: Path, started: list[Terminal], lang: str) -> None:
    """One command to the table, digits to the result: open where one can, else pass."""
    words = WORDS[lang]
    terminal = start(started, tmp_path, "--lang", lang)
    text = terminal.wait(is_news("", words), 40)
    assert "▬12" in text
    assert "▬ 6" in text
    assert words["secret"] in text
    for _ in range(150):
        if words["over"] in text:
            break
        shown = entries(text)
        key = "\r" if words["yes"] in text else "1" if "1" in shown else "0"
        terminal.press(key)
        text = terminal.wait(is_news(text, words), 40)
    ends = re.compile(re.escape(words["over"]) + f".*({words['ends']}).*♥", re.DOTALL)
    terminal.wait(ends.search)
    assert not any("�" in line for line in terminal.lines())
    terminal.press("?")
    terminal.wait_for("YU-12")


def test_pages_notes_and_sizes(tmp_path: Path, started: list[Terminal]) -> None:
    """`?`, F1, F4, F2, the notes, and 20x5 and back, in the middle of a game."""
    words = WORDS["en"]
    terminal = start(started, tmp_path, "--lang", "en")
    terminal.wait(lambda now: is_asked(now, words), 40)
    terminal.press("?")
    terminal.wait_for("What you cannot do now", "· ")
    terminal.press("\x1b")
    terminal.wait(lambda now: is_asked(now, words))
    terminal.press("\x1bOP")  # F1
    terminal.wait_for("how to play", "YU-24")
    terminal.press("\x1b")
    terminal.wait(lambda now: is_asked(now, words))
    terminal.press("\x1bOS")  # F4
    terminal.wait_for("life ", "face-down skill", "Esc close")
    terminal.press("\x1b")
    terminal.wait(lambda now: is_asked(now, words))
    terminal.press("\x1bOQ")  # F2
    terminal.wait_for("推理メモ", "（秘密）")
    terminal.press("\x1bOQ")
    terminal.wait_for("(secret)")
    terminal.press("n")
    terminal.wait_for("your notes", "English Gentlem", "■", words["notes"])
    terminal.press("3")
    terminal.press("\r")
    terminal.wait_for("about ")
    terminal.press("bluffs\r")
    terminal.wait_for(": bluffs")
    terminal.resize(20, 5)
    terminal.wait(lambda now: "■" in now or "×" in now)
    terminal.press("n")
    terminal.wait(lambda now: "♥" in now or "❯" in now)
    terminal.resize(40, 12)
    terminal.wait(lambda now: re.search(r"\[\d+[▮▬▯▭]\]", now))
    terminal.resize(80, 24)
    terminal.press("n")
    terminal.wait_for(": bluffs")


LINES = {
    "ja": {
        "question": "質問: ",
        "over": "終局",
        "ends": "第一勝利|第二勝利|夢ヲチ",
        "notes": "メモの書き方",
    },
    "en": {
        "question": "Question: ",
        "over": "the game is over",
        "ends": "First victory|Second victory|夢ヲチ",
        "notes": "To note: ",
    },
}


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_line_mode_plays_a_whole_game(tmp_path: Path, lang: str) -> None:
    """Everything in sentences: the table, the own cards, notes, questions, and the end."""
    words = LINES[lang]
    with Talk(tmp_path, "--game", "yumeochi", *FAST, "--lang", lang) as talk:
        talk.hear(words["question"])
        talk.type("v")
        talk.hear("Aki")
        talk.type("e 1")
        talk.hear("YU-")
        talk.type("n 2 = うそつき")
        talk.hear(words["notes"])
        for _ in range(200):
            for answer in ("pass", "refuse", "no"):  # whichever of them is asked for
                talk.type(answer)
            if words["over"] in talk.hear(f"{words['question']}|{words['over']}"):
                break
        talk.hear(words["ends"])
