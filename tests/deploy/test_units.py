"""The systemd units: well formed, tight, and enough for the server."""

from __future__ import annotations

import configparser
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import trio
from click.testing import CliRunner
from kaguraden_server.__main__ import main
from kaguraden_server.commands import serve
from kaguraden_server.config import ServerSettings

from tests.end_to_end.raw import connected

from .manager import managed

UNITS = Path(__file__).parents[2] / "deploy" / "systemd"
PROGRAM = "/opt/kaguraden/bin/kaguraden"
ANALYZE = shutil.which("systemd-analyze")
MOST_EXPOSED = 1.0  # of 10, as `systemd-analyze security` counts; it is 0.5
LAST_S = 2  # of a drain, for who was cut


class Unit(configparser.ConfigParser):
    """A unit's text; of what is set more than once, all of it."""

    def __init__(self, path: Path) -> None:
        super().__init__(strict=False, interpolation=None, delimiters=("=",))
        self.optionxform = str  # type: ignore[assignment,method-assign]
        self.text = path.read_text("utf-8")
        self.read_string(self.text)


@pytest.fixture
def units(tmp_path: Path) -> list[Path]:
    """The units, with a program that there is on this machine."""
    copies = []
    for path in sorted(UNITS.iterdir()):
        text = path.read_text("utf-8")
        assert path.suffix != ".service" or PROGRAM in text
        copies.append(tmp_path / path.name)
        copies[-1].write_text(text.replace(PROGRAM, sys.executable), "utf-8")
    assert [path.name for path in copies] == ["kaguraden.service", "kaguraden.socket"]
    return copies


@pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not installed")
def test_systemd_finds_no_fault_with_the_units(units: list[Path]) -> None:
    assert ANALYZE is not None
    found = subprocess.run(
        [ANALYZE, "verify", "--man=no", *units], capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")


@pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not installed")
def test_the_service_is_exposed_to_little(units: list[Path]) -> None:
    assert ANALYZE is not None
    command = [ANALYZE, "security", "--offline=true", f"--threshold={MOST_EXPOSED * 10:.0f}"]
    found = subprocess.run([*command, units[0]], capture_output=True, text=True, check=False)
    last = found.stdout.strip().splitlines()[-1]
    print(last)
    assert found.returncode == 0, found.stdout + found.stderr
    assert "SAFE" in last
    table = subprocess.run(
        [*command, "--json=short", units[0]], capture_output=True, text=True, check=True
    )
    left = {entry["json_field"] for entry in json.loads(table.stdout) if entry["set"] is False}
    assert left <= {
        "RootDirectoryOrRootImage",
        "PrivateMounts",
        "RestrictAddressFamilies_AF_UNIX",
        "DeviceAllow",
        "IPAddressDeny",
    }


def test_the_command_of_the_service_is_one(tmp_path: Path) -> None:
    """Its flags are taken; what stops it is that the settings are not there."""
    command = Unit(UNITS / "kaguraden.service")["Service"]["ExecStart"].split()
    assert command[:2] == [PROGRAM, "serve"]
    flags = [flag.replace("${STATE_DIRECTORY}", str(tmp_path)) for flag in command[2:]]
    flags[flags.index("--config") + 1] = str(tmp_path / "none.toml")
    result = CliRunner().invoke(serve, flags)
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert "none.toml" in line


def test_the_way_to_the_running_server_is_one_that_works(tmp_path: Path) -> None:
    """What the unit says to type is taken; what stops it is that no server is there."""
    unit = Unit(UNITS / "kaguraden.service")
    (told,) = re.findall(rf"^# sudo {PROGRAM} (admin .*)$", unit.text, re.M)
    *command, socket = told.split()
    assert f"KAGURADEN_ADMIN_SOCKET=%t/{socket.removeprefix('/run/')}" in unit.text
    result = CliRunner().invoke(main, [*command, str(tmp_path / "none.sock")])
    assert result.exit_code == 2
    assert result.stderr.startswith(f"{tmp_path / 'none.sock'}: ")


def test_the_service_is_given_time_to_stop_in_order() -> None:
    service = Unit(UNITS / "kaguraden.service")["Service"]
    assert service["Type"] == "notify"
    assert service["ExecReload"] == "/bin/kill -HUP $MAINPID"
    assert service["RestartPreventExitStatus"] == "2"
    longest_s = 60  # of `drain_s`
    assert int(service["TimeoutStopSec"]) > longest_s + LAST_S > ServerSettings().drain_s


async def test_a_server_starts_with_the_variables_of_the_service(tmp_path: Path) -> None:
    lines = re.findall(r"^Environment=(\w+)=(.*)$", Unit(UNITS / "kaguraden.service").text, re.M)
    variables = {name: value.replace("%t/kaguraden", str(tmp_path)) for name, value in lines}
    assert len(variables) > 1
    with trio.fail_after(60):
        async with managed(tmp_path) as manager, manager.serve(**variables):
            pass


def may_unshare() -> bool:
    found = subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False)
    return found.returncode == 0


@pytest.mark.skipif(
    shutil.which("unshare") is None or not may_unshare(), reason="no network namespaces here"
)
async def test_the_server_needs_no_network_but_the_sockets_that_it_is_handed(
    tmp_path: Path,
) -> None:
    """`PrivateNetwork=` and `MemoryDenyWriteExecute=`, as far as the kernel has the latter."""
    no_new_code = "import ctypes, os, sys; ctypes.CDLL(None).prctl(65, 1, 0, 0, 0); os.execv(sys.argv[1], sys.argv[1:])"
    before = ["unshare", "--net", sys.executable, "-c", no_new_code]
    with trio.fail_after(60):
        async with (
            managed(tmp_path) as manager,
            manager.serve(before=before),
            connected(manager.url, "Aki", 1) as aki,
        ):
            place = await aki.create_room("enbu", 1, {"book": "kyu-3"})
            await aki.get_ready(place)
            await aki.ask("start", room=place.room)
            await aki.play(place)
            assert "outcome" in place.view
