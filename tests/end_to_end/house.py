"""A real server process for the tests: started on a free port, stopped with SIGTERM."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import frozen

__all__ = ["House", "open_house"]

SETTINGS = """\
[limits]
burst_requests = 100000
requests_per_second = 100000

[clocks]
window_min_ms = 50
"""


@frozen
class House:
    """A server that listens at `url`; its log is in `log`."""

    url: str
    log: Path
    process: subprocess.Popen[str]

    def stop(self) -> int:
        """Stop it as an operator would, and return its exit status."""
        self.process.terminate()
        return self.process.wait(timeout=30)


@contextmanager
def open_house(folder: Path, settings: str = SETTINGS, think_ms: int = 0) -> Iterator[House]:
    """Start a server; when the block ends it must stop in order and have logged no fault."""
    config = folder / "kaguraden.toml"
    config.write_text(settings, "utf-8")
    log = folder / "server.log"
    command = (
        *(sys.executable, "-m", "kaguraden_server", "serve"),
        *("--host", "127.0.0.1", "--port", "0", "--config", str(config)),
    )
    with (
        log.open("w") as stderr,
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            env={**os.environ, "KAGURADEN_BOT_THINK_MS": str(think_ms)},
        ) as process,
    ):
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            url = next(
                (word for word in line.split() if word.startswith(("ws://", "wss://"))), None
            )
            assert url is not None, f"the server did not start: {line!r}\n{log.read_text()}"
            house = House(url, log, process)
            yield house
            if process.poll() is None:
                assert house.stop() == 0, log.read_text()
        finally:
            if process.poll() is None:
                process.kill()
    text = log.read_text()
    assert "Traceback" not in text, text
    assert "fault" not in text, text
