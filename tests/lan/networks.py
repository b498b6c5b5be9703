"""Networks made for a test: hosts are network namespaces, joined by bridges.

Needs root and the `ip` and `bridge` of iproute2, as in the checks; elsewhere the tests are skipped.
"""

from __future__ import annotations

import contextlib
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

__all__ = ["KAGURADEN", "Host", "Networks", "Spoken", "networks"]

KAGURADEN = (sys.executable, "-m", "kaguraden_server")


def ip(*arguments: str, program: str = "ip") -> str:
    """Run `ip`, or `bridge`, and return what it printed."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{program} {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


class Spoken:
    """A process in a host, its output read line by line."""

    def __init__(self, process: subprocess.Popen[str], name: str) -> None:
        self.process = process
        self.name = name
        self.heard: list[str] = []
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def line(self, seconds: float = 30) -> str | None:
        """Return the next line, None at the end."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise AssertionError(f"{self.name} said nothing in {seconds} s: {self.heard}") from None
        if line is not None:
            self.heard.append(line)
        return line

    def soon(self) -> str | None:
        """Return the next line if there is one within a moment."""
        with contextlib.suppress(queue.Empty):
            line = self._lines.get(timeout=0.05)
            assert line is not None, f"{self.name} ended: {self.heard}"
            self.heard.append(line)
            return line
        return None

    def until(self, pattern: str, seconds: float = 30) -> re.Match[str]:
        """Read until a line fits, and return the match."""
        end = time.monotonic() + seconds
        while (line := self.line(max(0.1, end - time.monotonic()))) is not None:
            if found := re.search(pattern, line):
                return found
        raise AssertionError(f"{self.name} ended without {pattern!r}: {self.heard}")

    def say(self, line: str) -> None:
        """Type a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def end(self) -> int:
        """Ask it to end, and return its exit status."""
        self.process.terminate()
        while self.line() is not None:
            pass
        return self.process.wait(30)

    def close(self) -> None:
        """End it, and let go of its pipes."""
        self.process.kill()
        self.process.wait()
        self._reader.join()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()


class Host:
    """A machine: a network namespace with its own addresses, and a home folder."""

    def __init__(self, name: str, home: Path) -> None:
        self.name = name
        self.home = home
        self.links = 0
        self._started: list[Spoken] = []
        ip("netns", "add", name)
        # No waiting for duplicates of addresses: the first test would be over before.
        script = (
            "ip link set lo up; for i in all default; do "
            "echo 0 >/proc/sys/net/ipv6/conf/$i/accept_dad; "
            "echo 0 >/proc/sys/net/ipv6/conf/$i/router_solicitations; done"
        )
        self.run("sh", "-c", script)

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a program to its end, and return what it printed, stderr with stdout."""
        return subprocess.run(
            ["ip", "netns", "exec", self.name, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=self._environment(),
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )

    def kaguraden(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return self.run(*KAGURADEN, *arguments)

    def start(self, *arguments: str, home: str = "") -> Spoken:
        """Start a command; `home` tells people at one machine apart."""
        return self._start(arguments[0], [*KAGURADEN, *arguments], home)

    def _start(self, what: str, command: Sequence[str], home: str) -> Spoken:
        process = subprocess.Popen(
            ["ip", "netns", "exec", self.name, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=self._environment(home),
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        spoken = Spoken(process, f"{what} in {self.name}")
        self._started.append(spoken)
        return spoken

    def serve(self, *arguments: str) -> Spoken:
        """Start a server for the network, and return when it is announced."""
        server = self.start("serve", "--lan", *arguments)
        server.until(" announced ")
        return server

    def python(self, script: str, *arguments: str) -> Spoken:
        """Start a Python program."""
        return self._start("python", [sys.executable, "-c", script, *arguments], "")

    def _environment(self, home: str = "") -> dict[str, str]:
        return {
            **os.environ,
            "KAGURADEN_HOME": str(self.home / home),
            "KAGURADEN_BOT_THINK_MS": "0",
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "PYTHONUTF8": "1",
            "PYTHONUNBUFFERED": "1",
        }

    def close(self) -> None:
        for spoken in self._started:
            spoken.close()
        ip("netns", "del", self.name)


class Networks:
    """Hosts, and bridges between them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tag = f"kg{os.getpid()}"
        self._hosts: list[Host] = []
        self.middle = self.host("mid")
        self.bridges = 0

    def host(self, name: str) -> Host:
        """Add a machine that is in no network."""
        home = self._folder / name
        home.mkdir()
        host = Host(f"{self._tag}{name}", home)
        self._hosts.append(host)
        return host

    def bridge(self) -> str:
        """Add a network without anybody in it."""
        name = f"br{self.bridges}"
        self.bridges += 1
        ip("-n", self.middle.name, "link", "add", name, "type", "bridge")
        ip("-n", self.middle.name, "link", "set", name, "up")
        return name

    def join(self, host: Host, bridge: str, *addresses: str) -> str:
        """Put a machine into a network; return the name of its port there."""
        device, port = f"e{host.links}", f"{bridge}p{len(self._hosts)}{host.name[-3:]}"
        host.links += 1
        ip(
            *("link", "add", device, "netns", host.name, "type", "veth"),
            *("peer", "name", port, "netns", self.middle.name),
        )
        ip("-n", self.middle.name, "link", "set", port, "master", bridge, "up")
        for address in addresses:
            ip("-n", host.name, "addr", "add", address, "dev", device)
        ip("-n", host.name, "link", "set", device, "up")
        return port

    def drop_multicast(self, *ports: str) -> None:
        """Have the bridge pass no multicast on to these ports, as some access points do."""
        for port in ports:
            arguments = ("link", "set", "dev", port, "mcast_flood", "off")
            ip("-n", self.middle.name, *arguments, program="bridge")

    def close(self) -> None:
        for host in self._hosts:
            with contextlib.suppress(RuntimeError):
                host.close()


@contextlib.contextmanager
def networks(folder: Path) -> Iterator[Networks]:
    """Make networks for a test, or skip it where that is not allowed."""
    if shutil.which("ip") is None or shutil.which("bridge") is None:
        pytest.skip("needs ip and bridge (iproute2)")
    try:
        made = Networks(folder)
        try:
            made.bridge()
        except RuntimeError:
            made.close()
            raise
    except RuntimeError as error:
        pytest.skip(f"no network namespaces here: {error}")
    try:
        yield made
    finally:
        made.close()
