"""Processes that are measured: the server, the yardstick, who loads them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import frozen

__all__ = ["Served", "cpu_s", "load", "open_bare", "open_product", "rss_kib"]

TICKS = os.sysconf("SC_CLK_TCK")
LOAD_S = 120  # a load that takes longer is stuck

# The load comes from one address, and asks as fast as it is answered.
SETTINGS = """\
[server]
handshakes_per_minute = 1000000

[limits]
burst_requests = 100000
requests_per_second = 100000
connections_per_address = 100000
rooms_per_address = 10000
"""


@frozen
class Served:
    """A server at a port of this machine."""

    kind: str
    pid: int
    port: int


def cpu_s(pid: int) -> float:
    """Return how long a process has computed, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def rss_kib(pid: int) -> int:
    """Return how much memory a process has, in KiB."""
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    return next(int(s.split()[1]) for s in status.splitlines() if s.startswith("VmRSS"))


@contextmanager
def _served(kind: str, command: Sequence[str], log: Path) -> Iterator[Served]:
    with (
        log.open("w", encoding="utf-8") as stderr,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True) as process,
    ):
        try:
            _pin(process.pid, 0)
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            assert url.startswith("ws://"), f"it did not start: {url!r} {log.read_text('utf-8')}"
            yield Served(kind, process.pid, int(url.split(":")[2].split("/")[0]))
        finally:
            process.kill()


@contextmanager
def open_product(folder: Path, *, journal: bool) -> Iterator[Served]:
    """Start the server, with a journal in `folder` or without one; kill it in the end."""
    config = folder / "kaguraden.toml"
    config.write_text(SETTINGS, "utf-8")
    command = [
        *(sys.executable, "-m", "kaguraden_server", "serve", "--host", "127.0.0.1", "--port", "0"),
        *("--config", str(config), "--log-level", "warning"),
        *(("--data", str(folder / "data")) if journal else ()),
    ]
    with _served("product", command, folder / "server.log") as served:
        yield served


@contextmanager
def open_bare(folder: Path) -> Iterator[Served]:
    """Start the yardstick; kill it in the end."""
    with _served("bare", [sys.executable, "-m", "tests.bench.bare"], folder / "bare.log") as served:
        yield served


def load(served: Served, **options: float) -> dict[str, Any]:
    """Load a server, and return what was found. The options are those of `talkers`."""
    command = [
        *(sys.executable, "-m", "tests.bench.talkers", "--kind", served.kind),
        *("--port", str(served.port), "--pid", str(served.pid)),
        *(word for name, value in options.items() for word in (f"--{name}", str(value))),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        _pin(process.pid, 1)
        try:
            out, _ = process.communicate(timeout=LOAD_S)
        finally:
            process.kill()
    assert process.returncode == 0, "the load failed"
    found: dict[str, Any] = json.loads(out)
    return found


def _pin(pid: int, number: int) -> None:
    """Give a process one core of its own, where there are at least two."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > 1:
        os.sched_setaffinity(pid, {cores[number]})
