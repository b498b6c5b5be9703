"""Starting: the command's arguments, the server of one's own, and what is kept between runs."""

from __future__ import annotations

import asyncio
import io
import json
import os
import stat
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from kaguraden_client.bots import LEVELS
from kaguraden_client.links import full_url
from kaguraden_client.terminal.commands import play, program, server_log
from kaguraden_client.terminal.embedded import ServerFailed, embedded_server
from kaguraden_client.terminal.memory import Memory, login_name
from kaguraden_protocol.text import check_name

SERVER = """
import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: (open(sys.argv[1], "w").write("ended"), sys.exit()))
print("ws://127.0.0.1:4711/ws", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("192.168.1.5:8765", "ws://192.168.1.5:8765/ws"),
        ("192.168.1.5", "ws://192.168.1.5:8765/ws"),
        (" 192.168.1.5/ ", "ws://192.168.1.5:8765/ws"),
        ("fd00::5", "ws://[fd00::5]:8765/ws"),
        ("[fd00::5]", "ws://[fd00::5]:8765/ws"),
        ("[fd00::5]:80", "ws://[fd00::5]:80/ws"),
        ("ws://192.168.1.5", "ws://192.168.1.5/ws"),
        ("hall.lan", "ws://hall.lan/ws"),
        ("https://hall.example/", "wss://hall.example/ws"),
        ("ws://hall:1/ws", "ws://hall:1/ws"),
        ("wss://hall/games/ws", "wss://hall/games/ws"),
    ],
)
def test_addresses_are_completed(typed: str, url: str) -> None:
    assert full_url(typed) == url


def test_a_wrong_address_and_a_bad_name_are_told_in_the_language(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KAGURADEN_HOME", str(tmp_path))
    result = CliRunner().invoke(play, ["127.0.0.1:1", "--lang", "en", "--plain"])
    assert result.exit_code == 1
    assert "cannot connect to ws://127.0.0.1:1/ws: the connection was refused" in result.output
    result = CliRunner().invoke(play, ["127.0.0.1:1", "--lang", "ja", "--plain"])
    assert "接続できません" in result.output
    result = CliRunner().invoke(play, ["--name", " x", "--lang", "en"])
    assert result.exit_code == 2
    assert "that name cannot be used: a space at the start" in result.output
    result = CliRunner().invoke(play, ["--name", "あ" * 13, "--lang", "ja"])
    assert "その名前は使えません: 長すぎます（半角24字、全角12字まで）" in result.output
    result = CliRunner().invoke(play, ["127.0.0.1:1", "--watch", "--lang", "en"])
    assert result.exit_code == 2
    assert "--watch needs --room" in result.output
    result = CliRunner().invoke(play, ["--option", "bid_max"])
    assert "NAME=VALUE" in result.output


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_what_goes_wrong_is_broken_between_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KAGURADEN_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "40")
    for stream, lines in ((_Terminal(), 3), (io.StringIO(), 1)):
        monkeypatch.setattr(sys, "stderr", stream)
        with pytest.raises(SystemExit):
            play.main(["127.0.0.1:1", "--lang", "en", "--plain"], standalone_mode=False)
        told = stream.getvalue().splitlines()
        assert len(told) == lines
        assert " ".join(told) == (
            "cannot connect to ws://127.0.0.1:1/ws: "
            "the connection was refused: is the server running there?"
        )


def test_the_help_names_the_levels() -> None:
    assert f"--level [{'|'.join(LEVELS)}]" in CliRunner().invoke(play, ["--help"]).output


def test_of_the_logs_of_servers_before_the_newest_five_stay(tmp_path: Path) -> None:
    assert server_log(tmp_path / "new").name == f"server-{os.getpid()}.log"
    for number in range(8):
        log = tmp_path / f"server-{number}.log"
        log.touch()
        os.utime(log, (number, number))
    server_log(tmp_path)
    assert {log.name for log in tmp_path.iterdir()} == {f"server-{n}.log" for n in range(3, 8)}


def test_the_embedded_server_tells_its_address_and_is_ended(tmp_path: Path) -> None:
    command = (sys.executable, "-c", SERVER, str(tmp_path / "ended"))

    async def main() -> str:
        async with embedded_server(tmp_path / "logs" / "server.log", command) as url:
            return url

    assert asyncio.run(main()) == "ws://127.0.0.1:4711/ws"
    assert (tmp_path / "ended").read_text() == "ended"


def test_a_server_that_does_not_start_tells_the_end_of_its_log(tmp_path: Path) -> None:
    command = (sys.executable, "-c", "import sys; sys.exit('no free port')")

    async def main() -> None:
        async with embedded_server(tmp_path / "server.log", command):
            raise AssertionError("it did not start")

    with pytest.raises(ServerFailed, match="no free port"):
        asyncio.run(main())


def test_tokens_are_kept_for_the_owner_alone(tmp_path: Path) -> None:
    memory = kept(tmp_path, "ws://hall/ws", "Aki", "secret")
    memory.rename("Aki")
    again = Memory.load(tmp_path)
    assert again.name == "Aki"
    assert again.take("ws://hall/ws").token == "secret"  # noqa: S105
    assert again.take("ws://other/ws").token is None
    again.release()
    assert stat.S_IMODE((tmp_path / "client.json").stat().st_mode) == 0o600
    assert not list(tmp_path.glob(".client-*"))


def kept(folder: Path, url: str, name: str, token: str) -> Memory:
    """Return the memory of a client that was there as a new player, and has ended."""
    memory = Memory.load(folder)
    memory.take(url, name, new=True)
    memory.remember(token, name)
    memory.release()
    return memory


def test_a_place_in_use_is_not_taken_from_another_terminal(tmp_path: Path) -> None:
    kept(tmp_path, "ws://hall/ws", "Haru", "h")
    first, second, third = (Memory.load(tmp_path) for _ in range(3))
    assert first.take("ws://hall/ws").token == "h"  # noqa: S105
    assert second.take("ws://hall/ws").token is None
    assert third.take("ws://hall/ws", "Haru").token is None
    first.release()
    assert third.take("ws://hall/ws", "Haru").token == "h"  # noqa: S105
    second.release()
    third.release()


def test_two_players_at_one_machine_have_a_place_each(tmp_path: Path) -> None:
    haru, mio = Memory.load(tmp_path), Memory.load(tmp_path)
    haru.take("ws://hall/ws", "Haru")
    mio.take("ws://hall/ws", "Mio")
    mio.remember("m", "Mio")
    haru.remember("h", "Haru")
    mio.remember("m2", "Mio")
    haru.release()
    mio.release()
    again = Memory.load(tmp_path)
    places = [again.take("ws://hall/ws", name) for name in ("Haru", "Mio", None, "Yui")]
    assert [place.token for place in places] == ["h", "m2", "m2", None]
    assert again.take("ws://hall/ws", "Haru", new=True).token is None
    again.release()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"places": 3, "name": 4}',
        '{"places": [3, {"url": 1, "token": "t"}]}',
        "\ud800",
    ],
)
def test_a_file_that_makes_no_sense_is_as_good_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "client.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    assert Memory.load(tmp_path).places == []


def test_only_the_newest_places_are_kept(tmp_path: Path) -> None:
    for n in range(60):
        kept(tmp_path, f"ws://{n}/ws", "Aki", "t")
    places = json.loads((tmp_path / "client.json").read_text())["places"]
    assert len(places) == 50
    assert places[-1]["url"] == "ws://59/ws"


def test_the_login_name_makes_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "  \u202e ")
    assert login_name() == "Player"
    check_name(login_name())


def test_the_program_is_named_as_it_can_be_typed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    installed = tmp_path / "bin" / "kaguraden"
    installed.parent.mkdir()
    installed.write_text("#!/bin/sh\n")
    installed.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(installed)])
    monkeypatch.setenv("PATH", str(installed.parent))
    assert program() == "kaguraden"
    monkeypatch.setenv("PATH", "/nowhere")
    assert program() == str(installed)
    monkeypatch.setattr(sys, "argv", [".venv/bin/kaguraden"])
    assert program() == ".venv/bin/kaguraden"
    monkeypatch.setattr(sys, "argv", ["/lib/kaguraden_server/__main__.py"])
    assert program().endswith(" -m kaguraden_server")
