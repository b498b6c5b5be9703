"""A server process to be mistreated: its settings, its memory, its log, its health."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import define, frozen

__all__ = ["LIBRARY_COMPLAINTS", "SETTINGS", "STRICT", "Server", "Verdict", "open_server"]

# Whoever is gone is soon forgotten: what grows is then not what the settings ask to be kept. A server
# that the machine gives no time to cuts nobody who reads (`write_ms`).
STRICT = """\
[server]
handshakes_per_minute = 1000000

[limits]
token_grace_ms = 2000
hello_ms = 5000
write_ms = 30000

[rooms]
empty_lobby_s = 2
empty_playing_s = 2
empty_over_s = 2
away_lobby_s = 2
bots = 8

[users]
keep_s = 5
most = 2000

[clocks]
window_min_ms = 50

[data]
closed_rooms = 100
"""
MMAP_BYTES = 2**20  # what glibc maps by itself, and unmaps when it is freed
# Nobody is asked to slow down, so that what is sent is looked at.
SETTINGS = STRICT.replace(
    "[limits]\n", "[limits]\nburst_requests = 100000\nrequests_per_second = 100000\n"
)
# What websockets and trio say of the other end; they are told once a minute, without a traceback.
LIBRARY_COMPLAINTS = frozenset(
    {
        "opening handshake failed",
        "connection handler failed",
        "parser failed",
        "keepalive ping failed",
    }
)


@frozen
class Verdict:
    """What the log of a server says."""

    events: Counter[str]
    faults: list[str]
    complaints: Counter[str]


@define(eq=False)
class Server:
    """A server that listens at `url`."""

    process: subprocess.Popen[str]
    url: str
    log: Path

    @property
    def port(self) -> int:
        """Return its port."""
        return int(self.url.rsplit(":", 1)[1].split("/")[0])

    @property
    def is_alive(self) -> bool:
        """Tell whether the process runs."""
        return self.process.poll() is None

    def rss_kib(self) -> int:
        """Return how much memory it has, in KiB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text("ascii")
        return next(int(s.split()[1]) for s in status.splitlines() if s.startswith("VmRSS"))

    def cpu_s(self) -> float:
        """Return how long it has computed, in seconds."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text("ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def is_healthy(self) -> bool:
        """Tell whether `/healthz` says so."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=20) as answer:
            return bool(answer.status == 200 and answer.read() == b"ok\n")

    def stop(self) -> int:
        """Stop it as an operator would; return its exit status."""
        self.process.terminate()
        return self.process.wait(timeout=60)

    def judge(self) -> Verdict:
        """Read the log: whatever is an error there, or no record, is a fault."""
        faults: list[str] = []
        complaints: Counter[str] = Counter()
        events: Counter[str] = Counter()
        for line in self.log.read_text("utf-8").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                faults.append(line)
                continue
            events[entry["event"]] += 1
            if entry["event"] in LIBRARY_COMPLAINTS and "traceback" not in entry:
                complaints[entry["event"]] += 1
            elif entry["level"] == "error" or "traceback" in entry:
                faults.append(line)
        return Verdict(events, faults, complaints)


@contextmanager
def open_server(
    folder: Path, settings: str = SETTINGS, level: str = "info", style: str = "json"
) -> Iterator[Server]:
    """Start a server with a journal in `folder`; whatever happens, it is gone in the end."""
    config, log = folder / "kaguraden.toml", folder / "server.log"
    config.write_text(settings, "utf-8")
    command = [
        *(sys.executable, "-m", "kaguraden_server", "serve", "--host", "127.0.0.1", "--port", "0"),
        *("--config", str(config), "--data", str(folder / "data")),
        *("--log-format", style, "--log-level", level),
    ]
    # The 16 MiB of a password's hash are given back at once, and are not taken for a leak later on.
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": str(MMAP_BYTES)}
    with (
        log.open("w", encoding="utf-8") as stderr,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=stderr, text=True, env=environment
        ) as process,
    ):
        try:
            assert process.stdout is not None
            line = process.stdout.readline().strip()
            assert line.startswith("ws://"), f"it did not start: {line!r} {log.read_text('utf-8')}"
            yield Server(process, line, log)
        finally:
            if process.poll() is None:
                process.kill()
