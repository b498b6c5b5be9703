"""Whether and when a client comes back."""

from __future__ import annotations

import pytest
from kaguraden_client.comeback import MAX_DELAY, ComeBack, Stop, after_close, delay_before
from kaguraden_protocol.errors import CLOSE_REASONS, CloseCode


@pytest.mark.parametrize("code", list(CloseCode))
def test_the_table_agrees_with_the_protocol_on_every_close_code(code: CloseCode) -> None:
    comes_back = CLOSE_REASONS[code].startswith("resumable")
    assert isinstance(after_close(code, CLOSE_REASONS[code]), ComeBack) == comes_back
    assert isinstance(after_close(code), ComeBack) == comes_back


@pytest.mark.parametrize("code", [1001, 1005, 1006, 1015])
def test_a_line_that_broke_is_come_back_to(code: int) -> None:
    assert isinstance(after_close(code), ComeBack)


def test_a_code_of_a_later_version_is_decided_by_its_reason() -> None:
    assert isinstance(after_close(4099, "resumable: moved"), ComeBack)
    assert isinstance(after_close(4099, "gone"), Stop)


def test_every_stop_says_why_in_both_languages() -> None:
    for code in (*CloseCode, 4099):
        verdict = after_close(code)
        if isinstance(verdict, Stop):
            assert verdict.ja
            assert verdict.en


def test_delays_grow_to_a_bound_and_are_drawn_below_it() -> None:
    bounds = [delay_before(attempt, ComeBack(), 1.0) for attempt in range(1, 40)]
    assert bounds[0] == 0.5
    assert bounds == sorted(bounds)
    assert bounds[-1] == MAX_DELAY
    assert all(delay_before(attempt, ComeBack(), 0.0) == 0 for attempt in range(1, 40))


def test_a_restart_is_spread_over_five_seconds_and_rate_abuse_waits_thirty() -> None:
    restart, abuse = after_close(1012), after_close(4006)
    assert isinstance(restart, ComeBack)
    assert isinstance(abuse, ComeBack)
    assert delay_before(1, restart, 1.0) == 5.0
    assert delay_before(1, abuse, 0.0) == 30.0
