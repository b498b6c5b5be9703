"""`kaguraden replay`: steps, views and sentences, without a terminal and in one."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from attrs import define
from kaguraden_client.terminal.frames import (
    ALL,
    Frame,
    Head,
    NoFrames,
    Viewer,
    open_frames,
    read_frame,
    read_head,
)
from kaguraden_client.terminal.replay_screen import Player, sentences
from kaguraden_client.terminal.text import line_width, plain_text
from kaguraden_client.terminal.words import Lang
from kaguraden_rules.catalogue import GAMES
from kaguraden_rules.kernel import SeatId
from kaguraden_server.frames import Film

from tests.made_records import KINDS, made_record

from .terminal import Terminal

COMMAND = (sys.executable, "-m", "kaguraden_server", "replay")


@define
class Projector:
    """The frames of a film, without a process between."""

    film: Film
    head: Head

    def get(self, step: int, viewer: Viewer) -> Frame:
        looker = SeatId(viewer) if isinstance(viewer, int) else viewer
        return read_frame(json.dumps(self.film.frame(step, looker)))


def record_text(kind: str) -> str:
    return json.dumps(made_record(kind, 1), ensure_ascii=False)


@cache
def projector(kind: str) -> Projector:
    film = Film.of(record_text(kind).encode(), GAMES)
    return Projector(film, read_head(json.dumps(film.head())))


def player(kind: str, lang: Lang = Lang.EN, viewer: Viewer = ALL) -> Player:
    return Player(projector(kind), lang, viewer)


def screen(shown: Player, cells: int = 80, height: int = 24) -> str:
    return plain_text(shown.paint(cells, height, 0.0).lines)


def press(shown: Player, *keys: str) -> None:
    for key in keys:
        shown.press(key, 0.0)


def test_keys_step_through_the_game_and_stop_at_its_ends() -> None:
    shown = player("race")
    last = shown.frames.head.steps
    steps = []
    for key in ("left", "right", "space", "pagedown", "pageup", "end", "right", "pageup", "home"):
        press(shown, key)
        steps.append(shown.step)
    assert steps == [0, 1, 2, 12, 2, last, last, last - 10, 0]
    press(shown, "q")
    assert shown.is_over


def test_keys_choose_whose_view_it_is() -> None:
    shown = player("odoriko")
    assert "everything open" in screen(shown)
    for key, viewer, told in (
        ("2", 1, "as seat 2 saw it"),
        ("w", None, "as a spectator saw it"),
        ("a", ALL, "everything open"),
    ):
        press(shown, key)
        assert shown.viewer == viewer
        assert told in screen(shown)
    press(shown, "9")
    assert shown.viewer == ALL
    assert "there are 3 seats" in screen(shown)
    press(shown, "f2")
    assert "すべて公開" in screen(shown)


def hands(state: object) -> list[list[str]]:
    return [[ref.partition("@")[0] for ref in seat.hand] for seat in state.seats]  # type: ignore[attr-defined]


def test_a_seat_sees_its_own_hand_and_everything_open_shows_all() -> None:
    shown = player("odoriko")
    film = projector("odoriko").film
    names = [
        [shown.context(None).card_text(card) for card in hand]
        for hand in hands(film.shots[0].state)
    ]
    text = screen(shown, 100, 40)
    assert all(card in text for hand in names for card in hand)
    for seat, hand in enumerate(names):
        press(shown, str(seat + 1))
        text = screen(shown, 100, 40)
        assert all(card in text for card in hand)
        others = {card for n, cards in enumerate(names) if n != seat for card in cards} - set(hand)
        assert not any(card in text for card in others)
    press(shown, "w")
    text = screen(shown, 100, 40)
    assert not any(card in text for hand in names for card in hand)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lang", list(Lang))
def test_every_step_is_drawn_at_every_size(kind: str, lang: Lang) -> None:
    shown = player(kind, lang)
    last = shown.frames.head.steps
    for cells, height in ((80, 24), (40, 12), (120, 50), (12, 3)):
        for step in (0, 1, last // 2, last):
            shown.step = step
            for key in ("a", "1", "w"):
                press(shown, key)
                lines = shown.paint(cells, height, 0.0).lines
                assert len(lines) == height
                assert {line_width(line) for line in lines} == {cells}
                press(shown, "?")
                assert len(shown.paint(cells, height, 0.0).lines) == height
                press(shown, "?")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lang", list(Lang))
def test_a_whole_game_is_told_in_sentences(kind: str, lang: Lang) -> None:
    for viewer in (ALL, 0, None):
        lines = list(sentences(player(kind, lang, viewer)))
        told = lines[: lines.index({"ja": "終局", "en": "the game is over"}[lang.value])]
        steps = [
            int(line.partition(".")[0]) for line in told if line.partition(". ")[0].isdecimal()
        ]
        assert 0 in steps or viewer is None  # who watches a race is not told of its deal
        assert steps == sorted(steps)
        assert not any("\x1b" in line for line in lines)


def test_a_sealed_answer_is_told_where_it_is_known() -> None:
    """Nothing happens yet, so the answer itself is what there is to tell."""
    shown = player("odoriko")
    silent = [
        step
        for step in range(1, shown.frames.head.steps + 1)
        if not shown.frame(step).update.events and shown.frame(step).by is not None
    ]
    assert silent
    by = shown.frame(silent[0]).by
    assert by is not None
    (told,) = shown.told(silent[0])
    assert told.startswith(f"seat {by + 1}: ")
    other = player("odoriko", viewer=(by + 1) % 3)
    assert list(other.told(silent[0])) == []


def test_a_record_that_breaks_off_says_so(tmp_path: Path) -> None:
    record = json.loads(record_text("enbu"))
    record["inputs"][5] = "0 0.6 nothing"
    path = tmp_path / "record.json"
    path.write_text(json.dumps(record), "utf-8")
    done = subprocess.run(
        [*COMMAND, str(path), "--lang", "en"],
        capture_output=True, text=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "The record stops here" in done.stderr


def test_a_record_comes_through_a_pipe() -> None:
    done = subprocess.run(
        [*COMMAND, "/dev/stdin", "--lang", "en"],
        input=record_text("enbu"),
        capture_output=True, text=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == list(sentences(player("enbu")))


@pytest.mark.parametrize("where", ["inputs", "options"])
def test_what_could_harm_a_terminal_is_not_told(where: str, tmp_path: Path) -> None:
    record, harm = json.loads(record_text("enbu")), "\x1b]0;x\x07\x9b2J\u202e\x7f"
    if where == "inputs":
        record["inputs"].insert(0, f"expire {harm}")
    else:
        record["options"][harm] = 1
    path = tmp_path / "record.json"
    path.write_text(json.dumps(record), "utf-8")
    done = subprocess.run(
        [*COMMAND, str(path), "--lang", "en"],
        capture_output=True, text=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "]0;x2J" in done.stderr
    assert not set(harm) - set("]0;x2J") & set(done.stdout + done.stderr)


def test_what_is_no_record_is_told_by_the_other_process(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text("{}", "utf-8")
    for file, status in ((path, 1), (tmp_path / "none", 2)):
        with pytest.raises(NoFrames) as error, open_frames(str(file), "--lang", "en"):
            pass
        assert error.value.status == status
        assert str(error.value)
        assert "Traceback" not in str(error.value)


def test_a_process_that_ends_is_told_as_such(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    head = json.dumps(projector("enbu").film.head(), ensure_ascii=False)
    path.write_text(head, "utf-8")
    code = "import sys; print(open(sys.argv[-1], encoding='utf-8').read())"
    command = (sys.executable, "-X", "utf8", "-c", code)
    with open_frames(str(path), command=command) as frames:
        assert frames.head == projector("enbu").head
        with pytest.raises(NoFrames):
            frames.get(0, None)


# --- in a terminal ---------------------------------------------------------------------------------


@pytest.fixture
def started() -> Iterator[list[Terminal]]:
    """Yield a list for terminals; what is in it is closed at the end."""
    terminals: list[Terminal] = []
    yield terminals
    for terminal in terminals:
        terminal.close()


WORDS = {
    "en": ("everything open", "step {n}/", "as seat 2 saw it", "as a spectator saw it", "the game is over"),
    "ja": ("すべて公開", "{n}/", "席2の視点", "観戦者の視点", "終局"),
}  # fmt: skip


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_a_record_is_looked_through_in_a_terminal(
    tmp_path: Path, started: list[Terminal], lang: str
) -> None:
    path = tmp_path / "record.json"
    path.write_text(record_text("race"), "utf-8")
    terminal = Terminal([*COMMAND, str(path), "--lang", lang], tmp_path)
    started.append(terminal)
    everything, step, seat, watch, over = WORDS[lang]
    terminal.wait_for(everything, step.format(n=0))
    terminal.press("\x1b[C")
    terminal.wait_for(step.format(n=1))
    terminal.press("\x1b[6~")
    terminal.wait_for(step.format(n=11))
    terminal.press("2")
    terminal.wait_for(seat, step.format(n=11))
    terminal.press("?")
    terminal.wait(lambda text: "Esc" in text)
    terminal.press("?")
    terminal.wait(lambda text: "Esc" not in text)
    terminal.press("w")
    terminal.wait_for(watch)
    terminal.press("\x1b[F")
    terminal.wait_for(f"─ {over} ─")
    terminal.press("\x1b[H")
    terminal.wait_for(step.format(n=0))
    terminal.press("q")
    assert terminal.wait_end() == 0


def test_a_terminal_is_left_as_it_was(tmp_path: Path, started: list[Terminal]) -> None:
    path = tmp_path / "record.json"
    path.write_text(record_text("enbu"), "utf-8")
    terminal = Terminal([*COMMAND, str(path), "--lang", "en"], tmp_path)
    started.append(terminal)
    terminal.wait_for("everything open")
    terminal.child.kill(signal.SIGTERM)
    assert terminal.wait_end() == 0
    assert b"\x1b[?1049l" in terminal.raw  # the screen before is back
