"""The log: one line a record, for people or for programs, and quiet about what others provoke."""

import io
import json
import logging
from collections.abc import Iterator

import pytest
from kaguraden_server.logs import Log, set_up


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    names = ("kaguraden", "websockets", "websockets.server", "trio", "trio.serve_listeners")
    loggers = [logging.getLogger(name) for name in names]
    before = [(lg.handlers, lg.level, lg.propagate, lg.filters) for lg in loggers]
    yield io.StringIO()
    for logger, kept in zip(loggers, before, strict=True):
        logger.handlers, level, logger.propagate, logger.filters = kept
        logger.setLevel(level)


def test_a_console_line_is_an_event_with_fields(stream: io.StringIO) -> None:
    set_up("console", "info", stream)
    log = Log().bind(room="KAGU-7Q2F").bind(conn=3)
    log.info("game_started", seats=2)
    log.debug("not told")
    (line,) = stream.getvalue().splitlines()
    assert line.endswith("INFO    game_started room=KAGU-7Q2F conn=3 seats=2")


def test_nothing_can_break_out_of_a_line(stream: io.StringIO) -> None:
    set_up("console", "info", stream)
    Log().info("odd", value="a\nb \x1b[31m\u202e", name="two words")
    (line,) = stream.getvalue().splitlines()
    assert line.isprintable()
    assert 'name="two words"' in line


def test_a_json_line_has_the_same_fields(stream: io.StringIO) -> None:
    set_up("json", "debug", stream)
    Log().bind(conn=3).warning("odd", value="a\nb")
    entry = json.loads(stream.getvalue())
    assert entry.pop("time").endswith("Z")
    assert entry == {"level": "warning", "event": "odd", "conn": 3, "value": "a\nb"}


@pytest.mark.parametrize("style", ["console", "json"])
def test_a_fault_is_found_by_its_reference_and_does_not_quote(
    style: str, stream: io.StringIO
) -> None:
    set_up(style, "info", stream)
    try:
        raise ValueError("the hidden card is QH")
    except ValueError as error:
        reference = Log().fault("rules_failed", ExceptionGroup("secret", [error]))
    text = stream.getvalue()
    assert reference in text
    assert "ValueError" in text
    assert "test_logs.py" in text
    assert "QH" not in text
    assert "secret" not in text


@pytest.mark.parametrize("name", ["websockets.server", "trio.serve_listeners"])
def test_what_others_make_a_library_complain_of_is_told_once(
    name: str, stream: io.StringIO
) -> None:
    set_up("console", "info", stream)
    library = logging.getLogger(name)
    for n in range(50):
        try:
            raise ValueError(f"bad request {n}")
        except ValueError:
            library.error("opening handshake failed", exc_info=True)
    library.info("server listening on %s", "x")
    (line,) = stream.getvalue().splitlines()
    assert "opening handshake failed" in line
    assert "bad request" not in line
