"""The real thing: a deck is built and saved with keys, and played to the end with what it can do."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from .terminal import COMMAND, Terminal
from .test_game import NAME, entries, is_asking, next_key

FAST = ("window_min_ms=50", "auction_ms=2000", "circuit_limit=10", "fc_succession=next")
OPTIONS = [part for option in FAST for part in ("--option", option)]
DECK = ["cc006", "cc007", "cc008", "cc009"]
DECK += ["ev_yukidoke", "ev_yukidoke", "ev_akatsuki", "ev_akatsuki"]
DECK += ["ev_geshi", "ev_geshi", "ev_kodama", "ev_kodama"]
DOWN = "\x1b[B"
USE = re.compile(r"‹.+›(の特技|を使う)|(イベント|特技)を使う")


@pytest.fixture
def started(tmp_path: Path) -> Iterator[list[Terminal]]:
    """Yield a list for terminals; what is in it is closed at the end."""
    terminals: list[Terminal] = []
    yield terminals
    for terminal in terminals:
        terminal.close()


def choose(terminal: Terminal, moves: list[tuple[int, int]]) -> None:
    """Go down so many cards, and take so many copies, again and again."""
    chosen = 0
    for down, copies in moves:
        terminal.press(DOWN * down + " " * copies)
        chosen += copies
        terminal.wait_for(f"{chosen} of 12 cards")


def use_first(text: str, *, characters: bool) -> str:
    """Return a key that uses a skill or an event if one is offered, else one that goes on."""
    if "Enter はい" in text or "枚（いま" in text:
        return next_key(text, sell=False)
    wishes = [USE, re.compile("置く"), *([re.compile("キャラデッキ")] if characters else [])]
    for wish in wishes:
        for digit, label in entries(text).items():
            if wish.search(label):
                return digit
    return next_key(text, sell=False)


def test_a_deck_is_built_saved_and_played_to_the_end(
    tmp_path: Path, started: list[Terminal]
) -> None:
    builder = Terminal([*COMMAND, "--alone", "--lang", "en", "--name", NAME], tmp_path)
    started.append(builder)
    builder.wait_for("No table is open")
    builder.press("n")
    builder.wait_for("a new table", "‹ Odoriko ›")
    builder.press("\x1b[6~\r")  # PageDown: to the end of the form
    builder.wait_for("your deck: the starter (d changes it)", "d deck")
    builder.press("d")
    builder.wait_for("0 of 12 cards", "Mad Tea Party")
    choose(builder, [(5, 1), (1, 1), (1, 1), (1, 1), (1, 2), (1, 2), (2, 2), (3, 2)])
    builder.wait_for("This deck can be played")
    builder.press("s")
    builder.wait_for("the deck's name")
    builder.press("冬/Winter\r")
    builder.wait_for("saved as", "“冬-Winter”")
    saved = tomllib.loads((tmp_path / "decks" / "冬-Winter.toml").read_text("utf-8"))
    assert (saved["game"], saved["cards"]) == ("odoriko", DECK)
    builder.press("\r")
    builder.wait_for("your deck is chosen (冬-Winter)", "your deck: 冬-Winter")
    builder.press("\x03\x03")
    assert builder.wait_end() == 0

    player = Terminal(
        [*COMMAND, "--lang", "ja", "--name", NAME, "--bots", "1", "--deck", "冬-Winter", *OPTIONS],
        tmp_path,
    )
    started.append(player)
    player.wait(is_asking)
    seen: set[str] = set()
    offered = used = False
    for move in range(600):
        text = player.wait(is_asking)
        if "終局" in text:
            break
        if hand := re.search(r"^ 手札  (.+)$", text, re.M):
            seen |= set(re.findall(r"‹([^›]+)›", hand[1]))
        used = used or bool(re.search(rf"^ {NAME}: ‹.+›(を使う|の特技)", text, re.M))
        offered = offered or any(USE.search(label) for label in entries(text).values())
        player.press(use_first(text, characters=move % 2 == 0))
        player.wait_change(text)
    text = player.wait(lambda t: len(re.findall(r"^ [12]位  ", t, re.M)) == 2)
    assert used or not offered
    assert seen
    mine = {"ヘリオーディア", "クラウンセイザー", "サイレン", "ヒプストリニク"}
    mine |= {"雪解けの雫", "暁の鐘", "夏至の輪舞", "谷のこだま"}
    assert seen <= mine, "the hand holds cards that are not in the deck"
    player.press("\x03\x03")
    assert player.wait_end() == 0
