"""How people are invited: QR codes, and names in the log of a LAN party's host."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from ipaddress import ip_address

import pytest
import segno
import trio
from kaguraden_protocol.announcement import Announcement
from kaguraden_server.announce import Service, announce
from kaguraden_server.listening import Address
from kaguraden_server.logs import Log, Name, set_up
from kaguraden_server.qr import BORDER, qr_lines
from trio.testing import MockClock

LINK = "http://192.168.1.20:8765/play?room=KAGU-7Q2F"
HALVES = {" ": (0, 0), "▀": (1, 0), "▄": (0, 1), "█": (1, 1)}


def matrix() -> list[tuple[int, ...]]:
    return [tuple(row) for row in segno.make_qr(LINK, error="l").matrix_iter(border=BORDER)]


def test_a_terminal_shows_the_code_in_half_blocks_black_on_white() -> None:
    lines = qr_lines(LINK, len(matrix()), colour=True)
    assert qr_lines(LINK, len(matrix()) - 1, colour=True) == [], "no room for it"
    assert all(line.startswith("\x1b[30;107m") and line.endswith("\x1b[0m") for line in lines)
    rows: list[tuple[int, ...]] = []
    for line in lines:
        pairs = [HALVES[c] for c in line.removeprefix("\x1b[30;107m").removesuffix("\x1b[0m")]
        rows += [tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)]
    assert rows[: len(matrix())] == matrix()
    assert len(lines) <= 18, "a screen has 24"


def test_elsewhere_the_code_is_ascii_and_the_ground_is_what_is_printed() -> None:
    lines = qr_lines(LINK, 2 * len(matrix()), colour=False)
    assert qr_lines(LINK, 2 * len(matrix()) - 1, colour=False) == []
    assert [
        tuple(int(line[i] == " ") for i in range(0, len(line), 2)) for line in lines
    ] == matrix()
    assert all(line.isascii() and line[::2] == line[1::2] for line in lines)
    assert set(lines[0]) == {"#"}


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    ours = logging.getLogger("kaguraden")
    before = ours.handlers, ours.level, ours.propagate
    yield io.StringIO()
    ours.handlers, ours.level, ours.propagate = before


@pytest.mark.parametrize(
    ("style", "names", "told"),
    [("console", True, True), ("console", False, False), ("json", True, False)],
)
def test_names_are_for_the_host_at_the_console_alone(
    stream: io.StringIO, style: str, names: bool, told: bool
) -> None:
    set_up(style, "info", stream, names=names)
    Log().info("hello", user="u1", name=Name("Aki"))
    assert ("Aki" in stream.getvalue()) is told
    assert "u1" in stream.getvalue()


def test_a_name_is_cleaned_before_the_console_shows_it(stream: io.StringIO) -> None:
    set_up("console", "info", stream, names=True)
    Log().info("hello", name=Name("A\x1b[2Jki\u202e\u200b\n2"))
    (line,) = stream.getvalue().splitlines()
    assert line.endswith('hello name="A[2Jki 2"')


async def test_what_cannot_be_announced_is_told_once_and_tried_again(
    stream: io.StringIO, autojump_clock: MockClock
) -> None:
    set_up("console", "info", stream)
    stop = trio.Event()
    looks: list[int] = []

    def addresses() -> tuple[Address, ...]:
        looks.append(1)
        if len(looks) < 3:
            raise OSError("no such thing")
        if len(looks) == 6:
            stop.set()
        return ()

    service = Service(Announcement("Hall", "1", ()), ("0.0.0.0", "::"), 8765)  # noqa: S104
    await announce(service, Log(), stop, addresses)
    told = [line.partition("WARNING ")[2] for line in stream.getvalue().splitlines()]
    assert told == ["not_announced why=OSError", 'not_announced why="no network"']
    assert len(looks) == 6


def test_a_service_is_at_the_addresses_that_it_listens_on() -> None:
    here = [Address(ip_address(text), 2) for text in ("192.168.1.5", "fd00::5")]

    def at(*hosts: str) -> list[bool]:
        service = Service(Announcement("Hall", "1", ()), hosts, 8765)
        return [service.is_at(address) for address in here]

    assert at("0.0.0.0", "::") == [True, True]  # noqa: S104
    assert at("::") == [False, True]
    assert at("192.168.1.5") == [True, False]
    assert at("127.0.0.1") == [False, False]
