"""Settings: every one documented, bounded, and refused with a clear line."""

import json
import tomllib
from pathlib import Path
from typing import Any

import attrs
import pytest
from click.testing import CliRunner
from kaguraden_protocol.limits import Limits
from kaguraden_server import commands
from kaguraden_server.__main__ import main
from kaguraden_server.commands import serve
from kaguraden_server.config import (
    LIMITS,
    SECTIONS,
    Config,
    ConfigError,
    Layer,
    describe,
    read_file,
    read_layers,
)
from kaguraden_server.config_command import config
from kaguraden_server.settings import About
from kaguraden_server.sources import Sources

SAMPLE = Path(__file__).parents[2] / "deploy" / "kaguraden.toml"


def read_config(raw: dict[str, Any]) -> Config:
    return read_layers([Layer(raw)])[0]


def faults(raw: dict[str, Any]) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        read_config(raw)
    return caught.value.faults


def test_nothing_given_is_the_defaults() -> None:
    assert read_config({}) == Config()


def test_every_setting_says_what_it_means_and_what_it_may_be() -> None:
    assert set(LIMITS) == set(attrs.fields_dict(Limits))
    for section, name, default, note in describe():
        assert note.meaning, f"{section}.{name}"
        assert note.ja, f"{section}.{name}"
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


def test_the_sample_config_is_what_the_command_shows_of_the_defaults() -> None:
    text = SAMPLE.read_text("utf-8")
    assert read_config(tomllib.loads(text)) == Config(), "as it is, it changes nothing"
    shown = CliRunner().invoke(config, ["show", "--defaults", "--lang", "en"])
    assert shown.stdout == text, (
        "kaguraden config show --defaults --lang en > deploy/kaguraden.toml"
    )


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_defaults_are_shown_with_every_setting_and_its_meaning(language: str) -> None:
    text = CliRunner().invoke(config, ["show", "--defaults", "--lang", language]).stdout
    uncommented = "\n".join(
        line.removeprefix("#") if line.startswith("#") and not line.startswith("# ") else line
        for line in text.splitlines()
    )
    full = tomllib.loads(uncommented)
    assert read_config(full) == Config()
    assert set(full) == set(SECTIONS)
    flowing = text.replace("\n# ", " ")
    for section, name, default, note in describe():
        told = full[section][name]
        assert told == (list(default) if isinstance(default, tuple) else default)
        assert (note.ja if language == "ja" else note.meaning) in flowing, f"{section}.{name}"
        if type(default) is int and language == "en":
            assert f"[{note.low or 0} to {note.high}" in flowing


# --- every setting, from every place -----------------------------------------------------------


def bad_text(section: str, name: str, default: object, note: About) -> str:
    """Return a text that is wrong for a setting, whatever it is read from."""
    if type(default) is int:
        return str((note.high or 0) + 1)
    if isinstance(default, str) and not note.choices:
        return "a" * ((note.high or 0) + 1)
    return "\x1b" if isinstance(default, tuple) else "perhaps"


def refusal(
    monkeypatch: pytest.MonkeyPatch, *arguments: str, environ: dict[str, str] | None = None
) -> list[str]:
    """Start a server that must not begin; return what it says."""
    monkeypatch.setattr(commands, "_serve", lambda *given, **more: pytest.fail("it began"))
    result = CliRunner().invoke(serve, arguments, env={"LANG": "C", **(environ or {})})
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert all(line.startswith("kaguraden serve: ") for line in lines)
    return [line.removeprefix("kaguraden serve: ") for line in lines]


def toml_of(text: str, default: object) -> str:
    if type(default) is int:
        return text
    quoted = json.dumps(text)
    return f"[{quoted}]" if isinstance(default, tuple) else quoted


@pytest.mark.parametrize(("section", "name", "default", "note"), describe())
def test_a_bad_value_of_every_setting_is_a_line_wherever_it_comes_from(
    section: str,
    name: str,
    default: object,
    note: About,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bad = bad_text(section, name, default, note)
    file = tmp_path / "k.toml"
    file.write_text(f"[{section}]\n{name} = {toml_of(bad, default)}\n", "utf-8")
    variable = f"KAGURADEN_{section}_{name}".upper()
    told = refusal(monkeypatch, "--config", str(file))
    told += refusal(monkeypatch, environ={variable: bad})
    told += refusal(monkeypatch, environ={"KAGURADEN_CONFIG": str(file)})
    told += refusal(monkeypatch, note.flag, bad) if note.flag else []
    whys = {line.partition(": expected ")[2] for line in told}
    assert len(whys) == 1, "it is told in the same words"
    assert ", got " in whys.pop()
    named = [line.partition(": expected ")[0] for line in told]
    in_file = f"{file}: {section}.{name}"
    assert named == [in_file, variable, in_file, *([note.flag] if note.flag else [])]
    if note.secret:
        assert not [line for line in told if bad[:10] in line]


def test_the_flags_that_settings_name_are_those_of_the_command() -> None:
    known = {option for parameter in serve.params for option in parameter.opts}
    named = {note.flag for _, _, _, note in describe() if note.flag}
    assert named <= known
    assert {"--host", "--port", "--data", "--packs", "--log-format", "--log-level"} <= named


def test_flags_go_over_variables_and_variables_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "k.toml"
    file.write_text(
        '[server]\nhost = "::1"\nport = 1\nname = "a"\ndrain_s = 9\n[limits]\nrooms = 7\n', "utf-8"
    )
    environ = {
        "KAGURADEN_SERVER_PORT": "2",
        "KAGURADEN_SERVER_NAME": "b",
        "KAGURADEN_SERVER_ALLOWED_HOSTS": "a.example, b.example,",
        "KAGURADEN_DATA_JOURNAL": "false",
        "KAGURADEN_LIMITS_CONNECTIONS": "1_000",
        "KAGURADEN_HOME": "/nowhere",
        "KAGURADEN_BOT_THINK_MS": "0",
        "KAGURADEN_CONFIG": "/not/this/one",
    }
    settings = Sources(file, environ, {"server": {"port": "3", "host": None}}).read()
    made = settings.config
    assert (made.server.port, made.server.name, made.server.drain_s) == (3, "b", 9)
    assert made.server.host == "::1", "a flag that was not given covers nothing"
    assert made.server.allowed_hosts == ("a.example", "b.example")
    assert made.data.journal is False
    assert (made.limits.connections, made.limits.rooms) == (1_000, 7)
    assert settings.origins == {
        ("server", "host"): str(file),
        ("server", "port"): "--port",
        ("server", "name"): "KAGURADEN_SERVER_NAME",
        ("server", "drain_s"): str(file),
        ("server", "allowed_hosts"): "KAGURADEN_SERVER_ALLOWED_HOSTS",
        ("data", "journal"): "KAGURADEN_DATA_JOURNAL",
        ("limits", "connections"): "KAGURADEN_LIMITS_CONNECTIONS",
        ("limits", "rooms"): str(file),
    }


def test_faults_of_all_places_are_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "k.toml"
    file.write_text('[server]\nprot = 1\n[limit]\n"a\\nb" = 1\n', "utf-8")
    environ = {"KAGURADEN_LIMITS_ROOM": "3", "KAGURADEN_DATA_CHAT": "yes"}
    assert refusal(
        monkeypatch, "--config", str(file), "--port", "many", "--log-level", "inf", environ=environ
    ) == [
        f"{file}: limit: unknown section; did you mean limits?",
        f"{file}: server.prot: unknown setting; did you mean port?",
        "KAGURADEN_LIMITS_ROOM: unknown setting; did you mean KAGURADEN_LIMITS_ROOMS?",
        "KAGURADEN_DATA_CHAT: expected true or false, got 'yes'",
        "--port: expected a whole number from 0 to 65535, got 'many'",
        "--log-level: expected one of debug, info, warning, error, got 'inf'; did you mean info?",
    ]


def test_a_variable_that_is_all_but_a_setting_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    slips = {"KAGURADEN_SEVER_PORT": "1", "KAGURADEN_LOGLEVEL": "info", "KAGURADEN_CONFG": "x"}
    others = {"KAGURADEN_HOME": "x", "KAGURADEN_BOT_THINK_MS": "1", "KAGURADEN_SERVICE_PORT": "1"}
    assert refusal(monkeypatch, environ=slips | others) == [
        "KAGURADEN_CONFG: unknown setting; did you mean KAGURADEN_CONFIG?",
        "KAGURADEN_LOGLEVEL: unknown setting; did you mean KAGURADEN_LOG_LEVEL?",
        "KAGURADEN_SEVER_PORT: unknown setting; did you mean KAGURADEN_SERVER_PORT?",
    ]


def test_a_file_that_a_variable_names_and_that_is_not_there_is_told_with_the_other_faults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = tmp_path / "none.toml"
    environ = {"KAGURADEN_CONFIG": str(missing), "KAGURADEN_LOG_LEVEL": "all"}
    first, second = refusal(monkeypatch, environ=environ)
    assert first == f"KAGURADEN_CONFIG: {missing}: No such file or directory"
    assert second.startswith("KAGURADEN_LOG_LEVEL: expected one of ")


def test_a_server_that_a_program_starts_for_itself_heeds_no_variables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[Config] = []
    monkeypatch.setattr(commands, "_serve", lambda config, *given, **more: begun.append(config))
    environ = {"KAGURADEN_DATA_DIR": "/srv/kaguraden", "KAGURADEN_SERVER_NAME": "theirs"}
    for flags, name in (["--until-eof"], "Kaguraden"), ([], "theirs"):
        assert CliRunner().invoke(serve, flags, env=environ).exit_code == 0
        assert begun.pop().server.name == name


@pytest.mark.parametrize("origin", ["example.org", "https://example.org/play", "ws://example.org"])
def test_an_origin_that_no_browser_sends_is_refused(origin: str) -> None:
    (fault,) = faults(
        {"server": {"allowed_origins": ["https://example.org:8443/", "null", origin]}}
    )
    assert fault.startswith("server.allowed_origins: expected entries such as https://example.org")


@pytest.mark.parametrize("host", ["https://example.org", "example.org:443", "a/b", ""])
def test_a_name_that_no_client_can_call_is_refused(host: str) -> None:
    (fault,) = faults({"server": {"allowed_hosts": ["2001:db8::1", "192.0.2.1", "a.b", host]}})
    assert fault.startswith("server.allowed_hosts: expected entries such as play.example.org")


def test_a_password_is_shown_in_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    assert faults({"server": {"password": 20_491_231}}) == [
        "server.password: expected a text, got something that is not shown"
    ]
    for given in (["geheim"], {"geheim": "geheim"}):
        (line,) = faults({"server": {"metrics_token": given}})
        assert "geheim" not in line
    environ = {"KAGURADEN_SERVER_PASSWORD": "geheim\n"}
    (line,) = refusal(monkeypatch, environ=environ)
    assert "geheim" not in line


# --- the command that checks and shows -----------------------------------------------------------


def test_settings_are_checked_in_both_languages(tmp_path: Path) -> None:
    file = tmp_path / "k.toml"
    file.write_text('[server]\nport = "x"\n', "utf-8")
    environ = {"KAGURADEN_ROOMS_BOT": "1"}
    told = {
        language: CliRunner().invoke(config, ["check", str(file), "--lang", language], env=environ)
        for language in ("ja", "en")
    }
    assert [result.exit_code for result in told.values()] == [2, 2]
    assert told["en"].stderr.splitlines() == [
        f"{file}: server.port: expected a whole number from 0 to 65535, got 'x'",
        "KAGURADEN_ROOMS_BOT: unknown setting; did you mean KAGURADEN_ROOMS_BOTS?",
    ]
    assert told["ja"].stderr.splitlines() == [
        f"{file}: server.port: 0から65535までの整数にしてください。今の値: 'x'",
        "KAGURADEN_ROOMS_BOT: そのような設定はありません。KAGURADEN_ROOMS_BOTS のことですか",
    ]
    file.write_text("[server]\nport = 1\n", "utf-8")
    right = CliRunner().invoke(
        config, ["check", "--lang", "en"], env={"KAGURADEN_CONFIG": str(file)}
    )
    assert (right.exit_code, right.stdout) == (0, f"{file}: no faults\n")


def test_settings_are_shown_with_where_they_come_from_and_can_be_read_again(
    tmp_path: Path,
) -> None:
    file = tmp_path / "k.toml"
    file.write_text('[server]\nport = 1\npassword = "geheim"\n[data]\ndir = "a\\"b"\n', "utf-8")
    environ = {"KAGURADEN_LIMITS_ROOMS": "12_345"}
    result = CliRunner().invoke(config, ["show", str(file), "--lang", "en"], env=environ)
    assert result.exit_code == 0
    flowing = result.stdout.replace("\n# ", " ")
    assert f"default 8765; from {file}]\nport = 1 " in flowing
    assert "from KAGURADEN_LIMITS_ROOMS]\nrooms = 12_345 " in flowing
    assert f'from {file}]\n#password = "********" ' in flowing
    assert "geheim" not in result.stdout
    again = read_config(tomllib.loads(result.stdout))
    assert again == read_config(
        {"server": {"port": 1}, "data": {"dir": 'a"b'}, "limits": {"rooms": 12_345}}
    )
    file.write_text("[server]\nport = -1\n", "utf-8")
    wrong = CliRunner().invoke(config, ["show", str(file), "--lang", "en"])
    assert (wrong.exit_code, wrong.stdout, len(wrong.stderr.splitlines())) == (2, "", 1)


def test_the_command_line_lists_its_commands_and_explains_them() -> None:
    result = CliRunner().invoke(main, ["--help"])
    assert result.exit_code == 0
    listed = [line.split()[0] for line in result.stdout.split("Commands:")[1].splitlines() if line]
    assert listed[:4] == ["play", "join", "serve", "bot"]
    assert CliRunner().invoke(main, ["fly"]).exit_code == 2
    shown = CliRunner().invoke(main, ["serve", "--help"])
    for option in ("--host", "--port", "--data", "--config", "--log-format", "--lan"):
        assert option in shown.stdout


def test_settings_that_do_not_fit_together_are_found_by_the_check_too(tmp_path: Path) -> None:
    (tmp_path / "hall.toml").write_text('[tls]\ncert = "hall.pem"\n')
    checked = CliRunner().invoke(config, ["check", str(tmp_path / "hall.toml")])
    assert checked.exit_code == 2
    assert checked.output.startswith('tls.mode: "files" is wanted')
