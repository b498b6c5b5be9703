"""Codes, close reasons, and the exceptions that carry them."""

from __future__ import annotations

import pytest
from kaguraden_protocol.errors import (
    CLOSE_REASONS,
    CloseCode,
    ErrorCode,
    LocalProtocolError,
    Problem,
    ProtocolError,
    RefusedError,
    RemoteProtocolError,
)
from kaguraden_protocol.limits import MAX_REASON_BYTES

COME_BACK = {1011, 1012, 4003, 4006}


def test_the_codes_are_those_of_version_1() -> None:
    transport = {"bad_json", "bad_message", "unknown_type", "hello_required", "already_open"}
    session = {"bad_name", "bad_password", "too_many_requests", "limit_reached"}
    room = {"room_not_found", "room_full", "room_started", "room_over", "not_member", "not_seated"}
    host = {"not_host", "seat_taken", "not_ready", "bad_options", "bad_deck"}
    play = {"stale", "illegal_option", "bad_value", "not_your_decision", "not_over"}
    server = {"draining", "unavailable", "unsupported", "internal"}
    assert {code.value for code in ErrorCode} == transport | session | room | host | play | server


def test_the_close_codes_are_those_of_version_1() -> None:
    standard = {1000, 1003, 1007, 1009, 1011, 1012}
    assert {int(code) for code in CloseCode} == standard | {4000, 4001, 4003, 4004, 4005, 4006}


@pytest.mark.parametrize("code", CloseCode)
def test_every_close_code_has_a_short_ascii_reason(code: CloseCode) -> None:
    reason = CLOSE_REASONS[code]
    assert reason
    assert reason.isascii()
    assert reason.isprintable()
    assert len(reason) <= MAX_REASON_BYTES == 60


@pytest.mark.parametrize("code", CloseCode)
def test_a_reason_begins_with_resumable_where_coming_back_works(code: CloseCode) -> None:
    assert CLOSE_REASONS[code].startswith("resumable") == (code in COME_BACK)


def test_a_remote_error_says_what_and_where() -> None:
    error = RemoteProtocolError(ErrorCode.BAD_MESSAGE, "a", [Problem("$.seat", "missing")])
    assert isinstance(error, ProtocolError)
    assert str(error) == "bad_message: missing @ $.seat"
    assert (error.code, error.re) == ("bad_message", "a")
    assert error.problems == (Problem("$.seat", "missing"),)
    assert issubclass(LocalProtocolError, ProtocolError)


def test_a_refusal_carries_its_code_and_details() -> None:
    error = RefusedError(ErrorCode.LIMIT_REACHED, {"limit": 8})
    assert (error.code, error.details) == ("limit_reached", {"limit": 8})
    assert str(error) == "limit_reached {'limit': 8}"
    assert str(RefusedError(ErrorCode.NOT_HOST)) == "not_host"
    assert RefusedError(ErrorCode.NOT_HOST).details == {}
