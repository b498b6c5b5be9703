"""What the client keeps between runs: its user's name, its places on servers, and their pins.

A place is the token that takes a user's seats back, and the name it goes by. One user of the
machine may have several on a server (two people at one keyboard after the other, or in two
terminals), so each has a lock file that the client holds while it runs: a place in use is never
taken from another terminal.

A pin is the fingerprint of the certificate that a server showed first, see `pins`.

A token is a secret, so the file is for its owner alone (mode 0600) and is replaced as a whole,
under a lock, from what it holds at that moment. A file that cannot be read or makes no sense is as
good as none.
"""

from __future__ import annotations

import contextlib
import fcntl
import getpass
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import platformdirs
from attrs import define, field, frozen
from kaguraden_protocol.text import tidy_name

from ..reading import Json, as_dict, as_list, as_str

__all__ = ["Memory", "Place", "data_dir", "login_name"]

_PLACES: Final = 50  # kept, the newest
_PINS: Final = 200  # kept, the newest
_NUMBERS: Final = 64  # places on one server; more terminals than that are not open at once


def data_dir() -> Path:
    """Return the folder for the user's data; KAGURADEN_HOME overrides it."""
    home = os.environ.get("KAGURADEN_HOME")
    return Path(home) if home else Path(platformdirs.user_data_dir("kaguraden", appauthor=False))


def login_name() -> str:
    """Return a name to begin with, made of the login name."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError, ImportError):
        name = ""
    return tidy_name(name, "Player")


@frozen
class Place:
    """A user on a server: the token that takes it back, and what it is called."""

    url: str
    number: int
    name: str = ""
    token: str | None = None


@define
class Memory:
    """The file and what is in it. `places` are the oldest first; `place` is this client's."""

    path: Path
    name: str | None = None
    places: list[Place] = field(factory=list)
    pins: dict[str, str] = field(factory=dict)  # a server's address to a fingerprint
    place: Place | None = None
    _lock: int | None = field(default=None, init=False)  # the descriptor that holds the place

    @classmethod
    def load(cls, folder: Path | None = None) -> Memory:
        """Return what was kept."""
        memory = cls((folder or data_dir()) / "client.json")
        memory._read()
        return memory

    def take(self, url: str, name: str | None = None, *, new: bool = False) -> Place:
        """Choose this client's place on a server and hold it until the process ends.

        Args:
            url: The server.
            name: What the user wants to be called; a place of that name is looked for. None for
                the place that was used last.
            new: Whether to take none of the places that are kept.
        """
        self.release()
        if not new:
            for place in reversed(self.places):
                if place.url == url and name in (None, place.name) and self._hold(place):
                    self.place = place
                    return place
        taken = {place.number for place in self.places if place.url == url}
        for number in range(1, _NUMBERS):
            fresh = Place(url, number)
            if number not in taken and self._hold(fresh):
                self.place = fresh
                return fresh
        self.place = None  # played all the same, and forgotten afterwards
        return Place(url, 0)

    def release(self) -> None:
        """Give the place free for another client."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def remember(self, token: str, name: str) -> None:
        """Keep the token and the name of this client's place."""
        if self.place is None:
            return
        self.place = place = Place(self.place.url, self.place.number, name, token)
        with self._changing():
            self.places = [p for p in self.places if (p.url, p.number) != (place.url, place.number)]
            self.places = [*self.places, place][-_PLACES:]

    def rename(self, name: str) -> None:
        """Keep the user's name."""
        if name != self.name:
            with self._changing():
                self.name = name

    def trust(self, url: str, pin: str | None) -> None:
        """Keep the fingerprint of a server's certificate; None forgets it."""
        if self.pins.get(url) == pin:
            return
        with self._changing():
            self.pins.pop(url, None)
            if pin is not None:
                self.pins = dict([*self.pins.items(), (url, pin)][-_PINS:])

    # --- the files ------------------------------------------------------------------------------

    def _hold(self, place: Place) -> bool:
        """Lock a place. False if another client has it."""
        digest = hashlib.sha256(place.url.encode()).hexdigest()[:12]
        path = self.path.parent / f"place-{digest}-{place.number}.lock"
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except OSError:
            return True  # a disk that keeps nothing has nothing to be taken from it
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            return False
        self._lock = lock
        return True

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError, RecursionError):
            raw: Json = json.loads(self.path.read_text("utf-8"))
            told = as_dict(raw)
            self.name = as_str(told.get("name")) or None
            self.pins = {url: as_str(pin) for url, pin in as_dict(told.get("pins")).items()}
            self.places = [
                Place(as_str(p.get("url")), number, as_str(p.get("name")), as_str(p.get("token")))
                for p in map(as_dict, as_list(told.get("places")))
                if isinstance(number := p.get("number"), int) and as_str(p.get("token"))
            ]

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        """Change what is in the file; a disk that does not let us costs the comfort only."""
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(OSError):
                self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                lock = stack.enter_context(self.path.with_suffix(".lock").open("ab"))
                fcntl.flock(lock, fcntl.LOCK_EX)
            self._read()  # another client may have written meanwhile
            yield
            with contextlib.suppress(OSError):
                self._write()

    def _write(self) -> None:
        places = [
            {"url": p.url, "number": p.number, "name": p.name, "token": p.token}
            for p in self.places
        ]
        handle, temporary = tempfile.mkstemp(dir=self.path.parent, prefix=".client-")  # 0600
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            kept = {"name": self.name, "places": places, "pins": self.pins}
            json.dump(kept, file, ensure_ascii=False)
        os.replace(temporary, self.path)
