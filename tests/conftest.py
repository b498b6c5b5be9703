"""What all tests share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import pytest
import trio
from hypothesis import HealthCheck, settings
from trio.testing import MockClock

T = TypeVar("T")

# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")


@pytest.fixture
def autojump_clock(autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch) -> MockClock:
    """A clock that jumps when all tasks wait, with the work of threads done at once.

    It would jump while a thread works, too, as no task runs then: over every limit of time.
    """

    async def run_sync(work: Callable[..., T], *args: Any, **_: Any) -> T:
        await trio.lowlevel.checkpoint()
        return work(*args)

    monkeypatch.setattr(trio.to_thread, "run_sync", run_sync)
    monkeypatch.setattr(trio.from_thread, "check_cancelled", lambda: None)
    return autojump_clock
