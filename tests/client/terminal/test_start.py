"""Starting: the command's arguments, the server of one's own, and what is kept between runs."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from kaguraden_client.terminal.commands import full_url, play, server_log
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
        ("192.168.1.5:8080", "ws://192.168.1.5:8080/ws"),
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
    assert "that name cannot be used" in result.output
    result = CliRunner().invoke(play, ["--option", "bid_max"])
    assert "NAME=VALUE" in result.output


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
    memory = Memory.load(tmp_path)
    memory.rename("Aki")
    memory.remember("ws://hall/ws", "secret")
    again = Memory.load(tmp_path)
    assert (again.name, again.token("ws://hall/ws")) == ("Aki", "secret")
    assert again.token("ws://other/ws") is None
    assert stat.S_IMODE((tmp_path / "client.json").stat().st_mode) == 0o600
    assert [p.name for p in tmp_path.iterdir()] == ["client.json"]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"tokens": 3, "name": 4}', "\ud800"])
def test_a_file_that_makes_no_sense_is_as_good_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "client.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    assert Memory.load(tmp_path).tokens == {}


def test_only_the_newest_tokens_are_kept(tmp_path: Path) -> None:
    memory = Memory.load(tmp_path)
    for n in range(60):
        memory.remember(f"ws://{n}/ws", "t")
    kept = json.loads((tmp_path / "client.json").read_text())["tokens"]
    assert len(kept) == 50
    assert "ws://59/ws" in kept


def test_the_login_name_makes_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "  \u202e ")
    assert login_name() == "Player"
    check_name(login_name())
