"""Host commands in the server's own terminal: a real one, with the log running beside them."""

import json
import os
import re
import shlex
import signal
import sys
import termios
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from kaguraden_server.admin.deeds import DEEDS, Refusal
from kaguraden_server.terminal.typed import COMMANDS, helped, parse
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.client.terminal.terminal import Terminal

PROMPT = "kaguraden> "


@contextmanager
def server(home: Path, lang: str = "C.UTF-8", *flags: str) -> Iterator[Terminal]:
    command = (sys.executable, "-m", "kaguraden_server", "serve", "--port", "0", *flags)
    # The emulator does not say where its cursor is when it is asked.
    env = {"PROMPT_TOOLKIT_NO_CPR": "1", "LANG": lang, "LC_ALL": lang}
    terminal = Terminal(command, home, columns=150, lines=30, env=env)
    try:
        yield terminal
    finally:
        terminal.close()


class Guest:
    """Somebody who plays, over a socket that waits."""

    def __init__(self, screen: str) -> None:
        found = re.search(r"ws://\S+/ws", screen)
        assert found
        self._line = ExitStack()
        spoken = [Subprotocol("kaguraden.v1")]
        self.ws = self._line.enter_context(connect(found[0], subprotocols=spoken, proxy=None))
        self.ask("hello", name="Aki", client={"name": "t", "version": "1"}, locale="en")

    def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        self.ws.send(json.dumps({"type": kind, "id": 1, **fields}))
        reply: dict[str, Any] = self.next("ok")["result"]
        return reply

    def close(self) -> None:
        self._line.close()

    def next(self, kind: str) -> dict[str, Any]:
        while True:
            message: dict[str, Any] = json.loads(self.ws.recv(timeout=20))
            assert message["type"] != "error", message
            if message["type"] == kind:
                return message


def last_line(text: str) -> str:
    return ([line for line in text.splitlines() if line] or [""])[-1]


def is_cooked(terminal: Terminal) -> bool:
    flags = termios.tcgetattr(terminal.child.child_fd)[3]
    return bool(flags & termios.ICANON and flags & termios.ECHO)


def test_what_is_typed_stays_whole_while_the_log_runs(tmp_path: Path) -> None:
    with server(tmp_path) as terminal:
        screen = terminal.wait(lambda text: last_line(text) == PROMPT.strip())
        terminal.press("say we stop")
        terminal.wait_for("say we stop")
        guest = Guest(screen)
        room = guest.ask("create", game="odoriko")["room"]
        screen = terminal.wait_for("connected", "hello", f"room_opened room={room}")
        terminal.wait(lambda text: last_line(text) == f"{PROMPT}say we stop")
        terminal.press(" at ten\r")
        assert guest.next("notice")["message"] == "from the server: we stop at ten"
        screen = terminal.wait_for("told to 1")
        assert f"{PROMPT}say we stop at ten" in screen
        terminal.wait(lambda text: last_line(text) == PROMPT.strip())
        logged = [line for line in screen.splitlines() if "INFO" in line]
        assert all(re.match(r"\d{4}-\d\d-\d\dT", line) for line in logged), "each begins a line"
        terminal.press("rooms\r")
        terminal.wait_for(f"{room}  odoriko  lobby   1/6")
        terminal.press(f"kick {room} Aki\r")
        assert guest.next("closed")["reason"] == "kicked"
        terminal.press("dance\r")
        terminal.wait_for("there are: rooms members kick")
        terminal.press(f"members {room}\r")
        terminal.wait_for(f"there is no table {room}")
        terminal.press("drain\r")
        assert guest.next("notice")["code"] == "draining"
        guest.close()
        assert terminal.wait_end() == 0


def test_it_speaks_japanese_and_ctrl_c_stops_the_server(tmp_path: Path) -> None:
    with server(tmp_path, "ja_JP.UTF-8", "--data", str(tmp_path / "data")) as terminal:
        screen = terminal.wait(lambda text: last_line(text) == PROMPT.strip())
        guest = Guest(screen)
        terminal.press("help\r")
        terminal.wait_for("みなに知らせる", "サーバーを止める")
        terminal.press("say 今夜は十時まで\r")
        assert guest.next("notice")["details"] == {"text": "今夜は十時まで"}
        terminal.wait_for("1 人に伝えました")
        terminal.press("snapshot\r")
        terminal.wait_for("data/snapshots/journal-")
        terminal.press("half a line\x03")
        guest.close()
        terminal.wait_for("stopped")
        while terminal.read():
            pass
        assert is_cooked(terminal)
        assert terminal.wait_end() == 0


def test_a_signal_ends_it_and_gives_the_terminal_back(tmp_path: Path) -> None:
    with server(tmp_path) as terminal:
        terminal.wait(lambda text: last_line(text) == PROMPT.strip())
        assert not is_cooked(terminal)
        terminal.press("half")
        terminal.wait_for("half")
        terminal.child.kill(signal.SIGTERM)
        terminal.wait_for("stopped")
        while terminal.read():
            pass
        assert is_cooked(terminal)
        assert terminal.wait_end() == 0


def test_who_hangs_up_leaves_the_server_running(tmp_path: Path) -> None:
    with server(tmp_path) as terminal:
        screen = terminal.wait(lambda text: last_line(text) == PROMPT.strip())
        terminal.press("\x04")
        guest = Guest(screen)
        terminal.wait_for("connected")
        assert guest.ask("ping") == {}
        guest.close()


def test_json_is_for_programs_and_there_is_no_prompt(tmp_path: Path) -> None:
    with server(tmp_path, "C.UTF-8", "--log-format", "json") as terminal:
        guest = Guest(terminal.wait_for("/ws"))
        screen = terminal.wait_for("connected")
        assert PROMPT.strip() not in screen
        guest.close()


def test_in_the_background_it_asks_for_nothing_and_is_not_stopped(tmp_path: Path) -> None:
    serve = f"{shlex.quote(sys.executable)} -m kaguraden_server serve --port 0"
    terminal = Terminal(
        ["bash", "-c", f"set -m; {serve} & echo pid $!; wait"], tmp_path, columns=150
    )
    try:
        screen = terminal.wait_for("pid ", "/ws")
        guest = Guest(screen)
        screen = terminal.wait_for("connected")
        assert PROMPT.strip() not in screen
        assert guest.ask("ping") == {}
        guest.close()
    finally:
        pid = re.search(r"pid (\d+)", terminal.text())
        if pid is not None:
            os.kill(int(pid[1]), signal.SIGTERM)
        assert terminal.wait_end() == 0


# --- what is typed --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "do", "fields"),
    [
        ("", "", {}),
        ("  ", "", {}),
        ("rooms", "rooms", {}),
        (" ROOMS ", "rooms", {}),
        (
            "kick KAGU-7Q2F Aki of the hills ",
            "kick",
            {"room": "KAGU-7Q2F", "who": "Aki of the hills"},
        ),
        ("say  so  it is", "announce", {"text": "so  it is"}),
        ("pause KAGU-7Q2F", "pause", {"room": "KAGU-7Q2F"}),
        ("go KAGU-7Q2F", "pause", {"room": "KAGU-7Q2F", "on": False}),
        ("snapshot", "snapshot", {}),
        ("snapshot /a b", "snapshot", {"to": "/a b"}),
    ],
)
def test_a_line_is_a_deed(line: str, do: str, fields: dict[str, Any]) -> None:
    assert parse(line) == (do, fields)


@pytest.mark.parametrize("line", ["dance", "kick", "kick KAGU-7Q2F", "say", "rooms all", "pause"])
def test_what_is_no_command_is_told(line: str) -> None:
    with pytest.raises(Refusal):
        parse(line)


def test_every_deed_can_be_typed_and_every_command_is_explained() -> None:
    assert {command.do for command in COMMANDS.values()} == {*DEEDS, "help"}
    lines = helped()
    assert [line.en.split()[0] for line in lines] == list(COMMANDS)
    assert all(line.ja != line.en for line in lines)
