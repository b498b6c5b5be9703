"""The log: one line a record, for people or for programs, and quiet about what others provoke."""

import io
import json
import logging
from collections.abc import Iterator

import pytest
import trio
from kaguraden_server.logs import BURST, PER_SECOND, Log, _Rate, set_up
from trio.testing import MockClock

from .house import open_house, play_out

# What is of the whole house, and of no room or connection.
HOUSE_WIDE = {"draining", "listening", "stopped", "recovered", "recovering"}


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


@pytest.mark.parametrize("style", ["console", "json"])
def test_a_flood_of_one_event_is_bounded_and_told_of(style: str, stream: io.StringIO) -> None:
    set_up(style, "info", stream)
    now = [0.0]
    logging.getLogger("kaguraden").filters = [_Rate(lambda: now[0])]
    log = Log()
    for n in range(10 * BURST):
        log.info("connected", conn=n)
        now[0] += 0.001
    seconds = now[0]
    log.info("room_opened", room="KAGU-7Q2F")
    told = stream.getvalue().splitlines()
    assert len(told) <= BURST + seconds * PER_SECOND + 2
    assert "room_opened" in told[-1], "another event is told"
    now[0] += 1
    log.info("connected", conn=-1)
    last = stream.getvalue().splitlines()[-1]
    untold = 10 * BURST - (len(told) - 1)
    assert (json.loads(last)["untold"] if style == "json" else int(last.split("untold=")[1])) >= 1
    flood = [line for line in stream.getvalue().splitlines() if "connected" in line]
    sums = [json.loads(line).get("untold", 0) for line in flood] if style == "json" else []
    assert not sums or sum(sums) == untold


async def test_a_flood_of_refusals_is_no_flood_of_lines(
    stream: io.StringIO, autojump_clock: MockClock
) -> None:
    set_up("json", "info", stream)
    async with open_house() as house:
        aki = await house.enter()
        before = len(stream.getvalue().splitlines())
        for n in range(100):
            await aki.refused("join", room=f"KAGU-{n:04}")
            await trio.sleep(0.2)
        assert len(stream.getvalue().splitlines()) == before


async def test_every_line_of_a_room_or_a_connection_has_its_id(
    stream: io.StringIO, autojump_clock: MockClock
) -> None:
    set_up("json", "debug", stream)
    async with open_house() as house:
        room, players = await house.started(("Aki", "Ben"))
        await play_out(room, players)
        await players[0].ask("rematch", room=room)
        await players[1].leave_line()
        silent = await house.connect()
        await trio.sleep(4_000)
        del silent
        house.lobby.drain()
    entries = [json.loads(line) for line in stream.getvalue().splitlines()]
    events = {entry["event"] for entry in entries}
    assert {"connected", "hello", "game_started", "game_over", "room_closed", "no_hello"} <= events
    nameless = {e["event"] for e in entries if "room" not in e and "conn" not in e}
    assert nameless <= HOUSE_WIDE
