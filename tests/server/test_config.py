"""Settings: every one documented, bounded, and refused with a clear line."""

import tomllib
from pathlib import Path
from typing import Any

import attrs
import pytest
from click.testing import CliRunner
from kaguraden_protocol.limits import Limits
from kaguraden_server.__main__ import main
from kaguraden_server.commands import serve
from kaguraden_server.config import (
    LIMITS,
    SECTIONS,
    Config,
    ConfigError,
    describe,
    read_config,
    read_file,
)

SAMPLE = Path(__file__).parents[2] / "deploy" / "kaguraden.toml"


def faults(raw: dict[str, Any]) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        read_config(raw)
    return caught.value.faults


def test_nothing_given_is_the_defaults() -> None:
    assert read_config({}) == Config()


def test_flags_go_over_the_file_and_flags_not_given_do_not() -> None:
    raw = {"server": {"port": 1000, "host": "::1"}}
    made = read_config(raw, {"server": {"port": 2000, "host": None}})
    assert (made.server.port, made.server.host) == (2000, "::1")


def test_every_setting_says_what_it_means_and_what_it_may_be() -> None:
    assert set(LIMITS) == set(attrs.fields_dict(Limits))
    for section, name, default, note in describe():
        assert note.meaning, f"{section}.{name}"
        if type(default) is int:
            assert (note.low or 0) <= default, f"{section}.{name}"
            assert note.high is not None, f"{section}.{name}"
            assert default <= note.high, f"{section}.{name}"


@pytest.mark.parametrize(
    ("section", "name"), [(section, name) for section, name, _, _ in describe()]
)
def test_a_bad_value_is_refused_for_every_setting(section: str, name: str) -> None:
    (fault,) = faults({section: {name: {"no": "such value"}}})
    assert fault.startswith(f"{section}.{name}: expected ")
    assert "got" in fault


def test_all_faults_are_told_at_once_with_bounds_and_suggestions() -> None:
    told = faults(
        {
            "server": {"prot": 1, "port": 99_999},
            "limit": {},
            "limits": {"hello_ms": 1, "rooms": True},
            "log": {"format": "jsn"},
            "burst_requests": 3,
        }
    )
    assert told == [
        "limit: unknown section; did you mean limits?",
        "burst_requests: unknown section; did you mean burst_requests in [limits]?",
        "server.prot: unknown setting; did you mean port?",
        "server.port: expected a whole number from 0 to 65535, got 99999",
        "limits.hello_ms: expected a whole number from 50 to 600000 (ms), got 1",
        "limits.rooms: expected a whole number from 1 to 1000000, got true",
        "log.format: expected one of console, json, got 'jsn'; did you mean json?",
    ]


def test_a_file_that_is_not_there_or_no_toml_says_so(tmp_path: Path) -> None:
    missing = tmp_path / "none.toml"
    with pytest.raises(ConfigError, match="No such file"):
        read_file(missing)
    broken = tmp_path / "broken.toml"
    broken.write_text("[server\nport = 1", "utf-8")
    with pytest.raises(ConfigError, match="not TOML"):
        read_file(broken)


@pytest.mark.parametrize(
    "text",
    ["[server]\nport = " + "9" * 5_000, "deep = " + "[" * 50_000, '[log]\nlevel = "\\ud800"'],
)
def test_a_file_that_python_cannot_take_is_no_toml_either(text: str, tmp_path: Path) -> None:
    file = tmp_path / "k.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match="not TOML"):
        read_file(file)


def test_texts_hold_no_control_characters() -> None:
    told = faults({"server": {"name": "a\nb", "host": "a\0b"}, "data": {"dir": "\x1b"}})
    assert told == [
        "server.name: expected a text without control characters, got 'a\\nb'",
        "server.host: expected a text without control characters, got 'a\\x00b'",
        "data.dir: expected a text without control characters, got '\\x1b'",
    ]


@pytest.mark.parametrize("host", ["a" * 200, "...", "a\u202eb"])
def test_a_host_that_can_be_no_name_is_told_in_a_line(host: str) -> None:
    result = CliRunner().invoke(serve, ["--host", host, "--port", "0"])
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith("kaguraden serve: cannot start: ")


def test_a_wrong_setting_ends_the_command_with_2_and_a_line_for_each(tmp_path: Path) -> None:
    file = tmp_path / "k.toml"
    file.write_text('[server]\nprot = 1\n[rooms]\nbots = "many"\n', "utf-8")
    result = CliRunner().invoke(serve, ["--config", str(file), "--port", "70000"])
    assert result.exit_code == 2
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("kaguraden serve: ") for line in lines)


def test_the_sample_config_has_every_setting_at_its_default_with_its_meaning() -> None:
    text = SAMPLE.read_text("utf-8")
    assert read_config(tomllib.loads(text)) == Config(), "as it is, it changes nothing"
    uncommented = "\n".join(
        line.removeprefix("#") if line.startswith("#") and not line.startswith("# ") else line
        for line in text.splitlines()
    )
    full = tomllib.loads(uncommented)
    assert read_config(full) == Config()
    for section, name, default, note in describe():
        told = full[section][name]
        assert told == (list(default) if isinstance(default, tuple) else default)
        assert note.meaning in text, f"{section}.{name}"
    assert set(full) == set(SECTIONS)


def test_the_command_line_lists_its_commands_and_explains_them() -> None:
    result = CliRunner().invoke(main, ["--help"])
    assert result.exit_code == 0
    listed = [line.split()[0] for line in result.stdout.split("Commands:")[1].splitlines() if line]
    assert listed[:4] == ["play", "join", "serve", "bot"]
    assert CliRunner().invoke(main, ["fly"]).exit_code == 2
    shown = CliRunner().invoke(main, ["serve", "--help"])
    for option in ("--host", "--port", "--data", "--config", "--log-format", "--lan"):
        assert option in shown.stdout
