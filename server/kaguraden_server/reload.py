"""Settings that a running server takes over: on SIGHUP it reads them again.

They hold for what begins from then on: a connection keeps the limits that it was told in the reply
to `hello`, a game the clocks that it began with. Rooms and users are kept by the new times at once.
A faulty file changes nothing, and every fault of it is logged. What needs a restart stays as it was
and is named in the log, which has no value of a setting but in a fault, and never one of a secret.

A terminal that is closed sends SIGHUP too. Whoever ran a server in it wants it to end.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any

import trio
from attrs import evolve, frozen

from . import passwords
from .config import Config, ConfigError, describe
from .http import Door
from .lobby import Lobby
from .logs import Log, set_level
from .tls import Tls, TlsError

__all__ = ["Change", "Reloader", "change"]


@frozen
class Change:
    """What becomes of the settings of a running server.

    `config` are those to go on with; `changed` are the names of what differs in them from before,
    `waiting` of what was changed and waits for a restart.
    """

    config: Config
    changed: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()


def change(now: Config, new: Config) -> Change:
    """Return what settings that were read again change in those that a server runs with."""
    taken: dict[str, dict[str, Any]] = {}
    changed: list[str] = []
    waiting: list[str] = []
    for section, key, _, note in describe():
        value = getattr(getattr(new, section), key)
        if value == getattr(getattr(now, section), key):
            continue
        (changed if note.reload else waiting).append(f"{section}.{key}")
        if note.reload:
            taken.setdefault(section, {})[key] = value
    sections: dict[str, Any] = {
        section: evolve(getattr(now, section), **values) for section, values in taken.items()
    }
    return Change(evolve(now, **sections), tuple(changed), tuple(waiting))


@frozen
class Reloader:
    """Takes settings over into a lobby and its door.

    Args:
        read: Reads the settings; raises ConfigError.
        lobby: The house.
        door: What answers requests before it.
        tls: The certificate, which may have been renewed; None without.
        log: Where it tells what changed.
        around: Makes what is entered while settings are read and taken over: the place to tell a
            service manager that the server reloads, and then that it is ready again.
    """

    read: Callable[[], Config]
    lobby: Lobby
    door: Door
    tls: Tls | None
    log: Log
    around: Callable[[], AbstractContextManager[object]]

    async def run(self, hang_ups: AsyncIterator[int], stop: trio.Event) -> None:
        """Reload on each SIGHUP; where it says that the terminal is gone, set `stop`."""
        terminals = [fd for fd in (0, 1, 2) if _is_terminal(fd)]
        async for _ in hang_ups:
            if not all(map(_is_terminal, terminals)):
                if not stop.is_set():  # the shell and the system both send it
                    self.log.info("terminal_gone")
                stop.set()
                continue
            try:
                await self.reload()
            except Exception as error:  # the server goes on as it is
                self.log.fault("reload_failed", error)

    async def reload(self) -> None:
        """Read the settings again and take over what can be."""
        with self.around():
            try:
                # A file may be a pipe that nobody writes to: it must not hold up the end.
                new = await trio.to_thread.run_sync(self.read, abandon_on_cancel=True)
            except ConfigError as error:
                self._refuse(error.faults)
                return
            lobby = self.lobby
            made = change(lobby.config, new)
            password = lobby.password
            if "server.password" in made.changed:
                secret = made.config.server.password
                password = await passwords.hash_password(secret) if secret else None
            lobby.adopt(made.config, password)
            self.door.adopt(made.config)
            if "log.level" in made.changed:
                set_level(made.config.log.level)
            if self.tls is not None:
                self._renew(self.tls)
            self.log.info("reloaded", changed=",".join(made.changed) or "nothing")
            if made.waiting:
                self.log.warning("restart_needed", changed=",".join(made.waiting))

    def _renew(self, tls: Tls) -> None:
        before = tls.fingerprint
        try:
            tls.reload()
        except TlsError as error:
            self.log.error("certificate_not_renewed", why=str(error))
            return
        if tls.fingerprint != before:
            self.log.info("certificate", fingerprint=tls.fingerprint)

    def _refuse(self, faults: Iterable[str]) -> None:
        for fault in faults:
            self.log.error("wrong_setting", fault=fault)
        self.log.error("not_reloaded", why="the settings have faults; those of before hold")


def _is_terminal(fd: int) -> bool:
    # One that has hung up is none any more.
    return os.isatty(fd)
