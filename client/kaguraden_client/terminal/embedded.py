"""The server that `kaguraden play` starts for itself: a process of its own on the loopback.

It prints its address when it listens, one line on its standard output, and is asked to end with
SIGTERM when the client ends, or ends by itself when the client was killed; what it logs goes to a file, for the terminal is the client's.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

__all__ = ["COMMAND", "ServerFailed", "embedded_server"]

COMMAND: Final = (
    sys.executable,
    "-m",
    "kaguraden_server",
    "serve",
    "--host",
    "127.0.0.1",
    "--port",
    "0",
    "--until-eof",
)
START_SECONDS: Final = 20.0  # a slow machine imports for some seconds
STOP_SECONDS: Final = 5.0  # the server drains within less
_ADDRESS: Final = re.compile(r"wss?://[!-~]+/ws\b")


class ServerFailed(Exception):
    """The server did not come up; the text is the end of what it logged."""


@asynccontextmanager
async def embedded_server(log: Path, command: tuple[str, ...] = COMMAND) -> AsyncIterator[str]:
    """Run a server while the block runs, and yield its address.

    Args:
        log: The file that the server's log goes to.
        command: What to run.

    Raises:
        ServerFailed: It ended, or said no address in time.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as sink:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,  # it ends with us, even if we are killed
            stdout=asyncio.subprocess.PIPE,
            stderr=sink,
            start_new_session=True,  # Ctrl-C in the terminal is the client's
        )
    try:
        yield await _address(process, log)
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()


async def _address(process: asyncio.subprocess.Process, log: Path) -> str:
    if process.stdout is None:
        raise ServerFailed("no output")
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(START_SECONDS):
            while line := await process.stdout.readline():
                found = _ADDRESS.search(line.decode("utf-8", "replace"))
                if found is not None:
                    return found[0]
    lines = await asyncio.to_thread(_last_lines, log)
    raise ServerFailed(" / ".join(lines) or f"exit status {process.returncode}")


def _last_lines(log: Path) -> list[str]:
    return log.read_text("utf-8", "replace").strip().splitlines()[-3:]
