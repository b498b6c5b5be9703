"""What the client keeps between runs: its user's name, and for each server the token of the seat.

A token takes a user's place back, so the file is for its owner alone (mode 0600) and is replaced
as a whole. A file that cannot be read or makes no sense is as good as none.
"""

from __future__ import annotations

import contextlib
import getpass
import json
import os
import tempfile
from pathlib import Path
from typing import Final

import platformdirs
from attrs import define, field
from kaguraden_protocol.text import tidy_name

from ..reading import Json, as_dict, as_str

__all__ = ["Memory", "data_dir", "login_name"]

_SERVERS: Final = 50  # tokens kept, the newest


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


@define
class Memory:
    """The file and what is in it."""

    path: Path
    name: str | None = None
    tokens: dict[str, str] = field(factory=dict)

    @classmethod
    def load(cls, folder: Path | None = None) -> Memory:
        """Return what was kept."""
        memory = cls((folder or data_dir()) / "client.json")
        with contextlib.suppress(OSError, ValueError, RecursionError):
            raw: Json = json.loads(memory.path.read_text("utf-8"))
            told = as_dict(raw)
            memory.name = as_str(told.get("name")) or None
            memory.tokens = {
                k: v for k, v in as_dict(told.get("tokens")).items() if isinstance(v, str)
            }
        return memory

    def token(self, url: str) -> str | None:
        """Return the token for a server."""
        return self.tokens.get(url)

    def remember(self, url: str, token: str) -> None:
        """Keep a server's token, in place of the one before."""
        self.tokens.pop(url, None)
        self.tokens[url] = token
        while len(self.tokens) > _SERVERS:
            self.tokens.pop(next(iter(self.tokens)))
        self._save()

    def rename(self, name: str) -> None:
        """Keep the user's name."""
        if name != self.name:
            self.name = name
            self._save()

    def _save(self) -> None:
        """Write the file; a disk that does not let us costs the comfort only."""
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, temporary = tempfile.mkstemp(dir=self.path.parent, prefix=".client-")  # 0600
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump({"name": self.name, "tokens": self.tokens}, file, ensure_ascii=False)
            os.replace(temporary, self.path)
