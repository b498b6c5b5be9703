"""The records of finished games as files: `DIR/replays/<time>-<game>-<room>.json`.

Each is written whole or not at all (a temporary file that is synced and then renamed), in a worker
thread, and the oldest beyond the number to keep are deleted. A record is public when its game is
over, so the files hold no secret; those of a day's challenge come here when the day is closed
(`daily`).
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import trio
from attrs import frozen

if TYPE_CHECKING:
    from kaguraden_protocol.messages import Json

__all__ = ["ReplayFiles", "keep_newest"]

FOLDER = "replays"
UNFINISHED = ".tmp"


@frozen
class ReplayFiles:
    """The folder of the records; `keep` of the newest stay."""

    folder: Path
    keep: int

    @classmethod
    def within(cls, data: Path, keep: int) -> ReplayFiles:
        """Return the folder within the data folder, made if it is not there.

        What a process that was killed had not finished is removed.

        Raises:
            OSError: It cannot be made.
        """
        folder = data / FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        for unfinished in folder.glob(f"*{UNFINISHED}"):
            unfinished.unlink(missing_ok=True)
        return cls(folder, keep)

    def name_of(self, room: str, replay: Mapping[str, Json]) -> str:
        """Return the name of the file for a record that is made now."""
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        return f"{stamp}-{replay['game']}-{room}.json"

    def has(self, room: str) -> bool:
        """Tell whether there is a record of a room's game."""
        return any(self.folder.glob(f"*-{room}.json"))

    async def save(self, room: str, replay: Mapping[str, Json]) -> Path:
        """Write a record; return its file.

        Raises:
            OSError: It cannot be written.
        """
        path = self.folder / self.name_of(room, replay)
        await trio.to_thread.run_sync(self._write, path, replay)
        return path

    def _write(self, path: Path, replay: Mapping[str, Json]) -> None:
        unfinished = path.with_suffix(UNFINISHED)
        with unfinished.open("w", encoding="utf-8") as file:
            json.dump(replay, file, ensure_ascii=False, separators=(",", ":"))
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
        keep_newest(self.folder, self.keep)

    async def forget(self) -> None:
        """Delete the oldest beyond the number to keep.

        Raises:
            OSError: They cannot be deleted.
        """
        await trio.to_thread.run_sync(keep_newest, self.folder, self.keep)


def keep_newest(folder: Path, keep: int) -> None:
    """Delete the JSON files of a folder but the last ones; their names begin with the time."""
    for old in sorted(folder.glob("*.json"))[:-keep]:
        old.unlink(missing_ok=True)
