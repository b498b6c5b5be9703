"""What a server says of itself in the local network, by mDNS and DNS-SD (RFC 6762, RFC 6763).

The entries of a TXT record come from whoever is in the network: `read_txt` takes any and returns
what fits, cleaned and bounded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from attrs import frozen

from kaguraden_protocol.text import clean_title, for_terminal
from kaguraden_protocol.versions import SUBPROTOCOL

__all__ = ["SERVICE", "Announcement", "read_txt"]

SERVICE: Final = "_kaguraden._tcp.local."
MAX_ENTRY: Final = 255  # bytes of `key=value`, by RFC 6763
MAX_GAMES: Final = 16
_GAME: Final = re.compile(r"[a-z0-9_-]{1,32}")
_FINGERPRINT: Final = re.compile(r"[0-9a-f]{64}")
_PATH: Final = re.compile(r"/[A-Za-z0-9_./-]{0,63}")


@frozen
class Announcement:
    """A server as it announces itself; `fingerprint` is that of its certificate, None without."""

    name: str
    version: str
    games: tuple[str, ...]
    tls: bool = False
    fingerprint: str | None = None
    path: str = "/ws"

    def txt(self) -> dict[str, str]:
        """Return the entries of the TXT record."""
        entries = {
            "name": self.name,
            "version": self.version,
            "protocol": SUBPROTOCOL,
            "games": ",".join(self.games[:MAX_GAMES]),
            "tls": "1" if self.tls else "0",
            "fp": self.fingerprint if self.tls and self.fingerprint else "",
            "path": self.path,
        }
        return {key: _cut(key, value) for key, value in entries.items() if value}


def _cut(key: str, value: str) -> str:
    return value.encode()[: MAX_ENTRY - len(key) - 1].decode(errors="ignore")


def read_txt(entries: Mapping[bytes, bytes | None]) -> Announcement | None:
    """Return what a TXT record says; None if it is no server of this protocol."""

    def text(key: str) -> str:
        return (entries.get(key.encode()) or b"")[:MAX_ENTRY].decode("utf-8", "replace")

    if text("protocol") != SUBPROTOCOL:
        return None
    path, fingerprint = text("path") or "/ws", text("fp").lower()
    if not _PATH.fullmatch(path):
        return None
    tls = text("tls") == "1"
    games = [game for game in text("games").split(",") if _GAME.fullmatch(game)]
    return Announcement(
        name=clean_title(text("name")) or "?",
        version=for_terminal(text("version"))[:32],
        games=tuple(games[:MAX_GAMES]),
        tls=tls,
        fingerprint=fingerprint if tls and _FINGERPRINT.fullmatch(fingerprint) else None,
        path=path,
    )
