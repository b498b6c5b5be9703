"""The Containerfile and the compose file: what they say is so, as far as that shows without an engine."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import trio
import yaml
from click.testing import CliRunner
from kaguraden_server.__main__ import main

from tests.end_to_end.house import House, open_house

from .manager import managed

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the last stage."""
    text = (DEPLOY / "Containerfile").read_text("utf-8")
    lines = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)).splitlines()
    parts = [(line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in lines if line.strip()]
    stages = [n for n, (word, _) in enumerate(parts) if word == "FROM"]
    assert len(stages) == 2
    return parts[stages[-1] :]


def only(word: str) -> str:
    (value,) = (value for name, value in instructions() if name == word)
    return value


@pytest.fixture(scope="module")
def compose() -> Any:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))


def test_what_is_copied_is_there_and_makes_the_package() -> None:
    text = (DEPLOY / "Containerfile").read_text("utf-8")
    copied = {
        source
        for line in re.findall(r"^COPY (?!--from)(.*) \S+$", text, re.MULTILINE)
        for source in line.split()
    }
    assert all((ROOT / source).exists() for source in copied)
    packages = re.search(
        r"^packages = \[(.*?)\]", (ROOT / "pyproject.toml").read_text(), re.M | re.S
    )
    assert packages is not None
    assert {name.split("/")[0] for name in re.findall('"(.*?)"', packages[1])} <= copied


def test_it_runs_as_nobody_in_particular_and_is_stopped_in_order() -> None:
    user, _, group = only("USER").partition(":")
    assert int(user) > 1000 < int(group)
    assert only("STOPSIGNAL") == "SIGTERM"
    assert only("VOLUME") == "/data"
    assert json.loads(only("ENTRYPOINT")) == ["kaguraden"]


def test_the_command_is_taken_as_it_is() -> None:
    command = json.loads(only("CMD"))
    result = CliRunner().invoke(main, [*command, "--config", "/nowhere/none.toml"])
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert "none.toml" in line
    assert command[command.index("--port") + 1] == only("EXPOSE")
    assert command[command.index("--data") + 1] == only("VOLUME")


def test_the_health_check_tells_a_server_from_none(tmp_path: Path) -> None:
    check = json.loads(only("HEALTHCHECK").partition(" CMD ")[2])
    assert check[0] == "python"

    def healthy(port: int) -> bool:
        command = [sys.executable, *(part.replace(":8765/", f":{port}/") for part in check[1:])]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    with open_house(tmp_path) as house:
        port = _port(house)
        assert healthy(port)
        house.stop()
        assert not healthy(port)


def _port(house: House) -> int:
    return int(house.url.removesuffix("/ws").rpartition(":")[2])


def test_the_compose_file_has_what_it_speaks_of(compose: Any) -> None:
    assert set(compose) == {"services", "volumes", "networks"}
    for service in compose["services"].values():
        assert set(service["networks"]) <= set(compose["networks"])
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            there = (DEPLOY / source).exists() if source.startswith(".") else True
            assert there, source
            assert source.startswith(".") or source in compose["volumes"]
    build = compose["services"]["kaguraden"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).samefile(DEPLOY / "Containerfile")


def test_the_containers_may_do_little(compose: Any) -> None:
    for service in compose["services"].values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
    kaguraden = compose["services"]["kaguraden"]
    assert "ports" not in kaguraden, "only Caddy is reached from outside"
    assert "privileged" not in kaguraden
    assert kaguraden["volumes"] == [f"data:{only('VOLUME')}"]


def test_the_server_believes_the_address_of_its_proxy(compose: Any) -> None:
    kaguraden, caddy = compose["services"]["kaguraden"], compose["services"]["caddy"]
    address = caddy["networks"]["inside"]["ipv4_address"]
    assert kaguraden["environment"]["KAGURADEN_SERVER_TRUSTED_PROXIES"] == address
    assert caddy["environment"]["UPSTREAM"] == f"kaguraden:{only('EXPOSE')}"
    caddyfile = (DEPLOY / "caddy" / "Caddyfile").read_text("utf-8")
    for variable in ("SITE", "UPSTREAM"):
        assert f"{{${variable}:" in caddyfile


async def test_a_server_starts_with_the_variables_of_the_compose_file(
    compose: Any, tmp_path: Path
) -> None:
    given = compose["services"]["kaguraden"]["environment"]
    variables = {
        name: value.replace("${SITE:-localhost}", "localhost") for name, value in given.items()
    }
    assert len(variables) > 1
    with trio.fail_after(60):
        async with managed(tmp_path) as manager, manager.serve(**variables):
            pass
