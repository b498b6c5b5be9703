"""A terminal that tests can look at: a pseudo-terminal with pexpect, read by the emulator pyte."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pexpect
import pyte
from wcwidth import wcwidth

COMMAND = (sys.executable, "-m", "kaguraden_server", "play")


class Terminal:
    """A program in a terminal of so many columns and lines. Waits for contents, never for time."""

    def __init__(
        self,
        command: Sequence[str],
        home: Path,
        columns: int = 80,
        lines: int = 24,
        env: dict[str, str] | None = None,
    ) -> None:
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.home = home
        environment = {
            **os.environ,
            "KAGURADEN_HOME": str(home),
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "TERM": "xterm-256color",
            "KAGURADEN_BOT_THINK_MS": "0",
            **(env or {}),
        }
        self.child = pexpect.spawn(
            command[0], list(command[1:]), dimensions=(lines, columns), env=environment, timeout=30
        )

    def read(self, seconds: float = 0.05) -> bool:
        """Take what the program wrote by now, waiting at most so long for some. False at its end."""
        try:
            data = self.child.read_nonblocking(65536, seconds)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += data
        self.stream.feed(data)
        return True

    def lines(self) -> list[str]:
        """Return the screen's lines as they are seen."""
        return ["".join(self._row(y)).rstrip() for y in range(self.screen.lines)]

    def _row(self, y: int) -> Iterator[str]:
        """Yield what each cell of a line adds to it: nothing for the second of a wide character."""
        was_wide = False
        for x in range(self.screen.columns):
            data = self.screen.buffer[y][x].data
            if data == "" and not was_wide:
                yield " "  # half of a wide character that was written over
            else:
                yield data
            was_wide = bool(data) and wcwidth(data[0]) == 2

    def column(self, y: int, text: str) -> int:
        """Return the cell at which a text begins in a line; -1 if it is not there."""
        cells = list(self._row(y))
        at = "".join(cells).find(text)
        if at < 0:
            return -1
        seen = 0
        for x, cell in enumerate(cells):
            if seen == at and cell:
                return x
            seen += len(cell)
        return -1

    def text(self) -> str:
        """Return the screen as text."""
        return "\n".join(self.lines())

    def wait(self, condition: Callable[[str], object], seconds: float = 20) -> str:
        """Read until the screen fulfils a condition, and return it."""
        end = time.monotonic() + seconds
        while True:
            text = self.text()
            if condition(text):
                return text
            if time.monotonic() > end:
                raise AssertionError(f"not seen in {seconds} s; {self._state()}")
            if not self.read():
                text = self.text()
                if condition(text):
                    return text
                raise AssertionError(f"the program ended; {self._state()}")

    def _state(self) -> str:
        """Return the screen, and what its server logged last."""
        logs = [path.read_text("utf-8") for path in self.home.glob("server-*.log")]
        tails = ["\n".join(log.splitlines()[-10:]) for log in logs]
        return "\n".join(["the screen:", self.text(), *tails])

    def wait_for(self, *words: str, seconds: float = 20) -> str:
        """Read until all the words are on the screen."""
        return self.wait(lambda text: all(word in text for word in words), seconds)

    def wait_change(self, before: str, seconds: float = 20) -> str:
        """Read until the screen is another one."""
        return self.wait(lambda text: text != before, seconds)

    def press(self, keys: str) -> None:
        """Type keys."""
        self.child.send(keys)

    def resize(self, columns: int, lines: int) -> None:
        """Change the terminal's size."""
        self.screen.resize(lines, columns)
        self.child.setwinsize(lines, columns)

    def wait_end(self, seconds: float = 20) -> int:
        """Read until the program has ended, and return its exit status."""
        end = time.monotonic() + seconds
        while self.read() and time.monotonic() < end:
            pass
        self.child.close()
        status: int = self.child.exitstatus if self.child.exitstatus is not None else -1
        return status

    def close(self) -> None:
        """End the program if it still runs."""
        if self.child.isalive():
            self.child.terminate()
        self.child.close(force=True)
