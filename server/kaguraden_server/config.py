"""All settings of a server, read from one TOML file and from flags over it.

Each section is a frozen class; each setting says its default, unit, bounds and meaning where it is
defined. Reading finds every fault at once. `kaguraden serve` prints one line for each.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import attrs
from attrs import field, frozen
from kaguraden_protocol.limits import Limits

from .clocks import ClockOptions
from .logs import LEVELS
from .settings import About, about, faults, setting, suggestion

__all__ = [
    "EVERY",
    "LIMITS",
    "AdminSettings",
    "Config",
    "ConfigError",
    "DailySettings",
    "DataSettings",
    "LogSettings",
    "RoomSettings",
    "ServerSettings",
    "UserSettings",
    "read_config",
    "read_file",
]

DAY_S: Final = 24 * 60 * 60
EVERY: Final = "*"  # as a host: all addresses of the machine


@frozen
class ServerSettings:
    """Where the server listens and whom it lets in."""

    host: str = setting("127.0.0.1", "the address to listen on; * for all of them", low=1, high=255)
    port: int = setting(8765, "the port to listen on; 0 picks a free one", high=65_535)
    name: str = setting("Kaguraden", "what the server calls itself", low=1, high=64)
    password: str = setting("", "who says hello must know it; none if empty", high=128)
    allowed_hosts: tuple[str, ...] = setting(
        (), "names by which clients may call the server, besides its addresses and its own name"
    )
    allowed_origins: tuple[str, ...] = setting(
        (), "origins of web pages that may connect, such as https://example.org, besides its own"
    )
    compression: bool = setting(
        False, "compress messages; for slow links, at up to 60 kB of memory a connection"
    )
    drain_s: int = setting(
        4, "how long clients may take to hang up when the server stops", unit="s", low=1, high=60
    )
    metrics_token: str = setting(
        "",
        "who names it as a bearer token may read /metrics from anywhere; if empty only this machine",
        high=256,
    )


@frozen
class RoomSettings:
    """How long rooms and seats are kept."""

    empty_lobby_s: int = setting(
        120, "a room that has not begun, with nobody there", unit="s", low=1, high=DAY_S
    )
    empty_playing_s: int = setting(
        1_800, "a game in play, with nobody there", unit="s", low=1, high=7 * DAY_S
    )
    empty_over_s: int = setting(
        120, "a game that is over, with nobody there", unit="s", low=1, high=DAY_S
    )
    idle_lobby_s: int = setting(
        7_200, "a room that has not begun, with nobody doing anything", unit="s", low=10, high=DAY_S
    )
    over_s: int = setting(
        3_600, "a game that is over, though somebody is there", unit="s", low=10, high=DAY_S
    )
    away_lobby_s: int = setting(
        90, "the seat of somebody away, before the game", unit="s", low=1, high=DAY_S
    )
    grace_s: int = setting(
        15, "after a restart, before the clocks of a game run on", unit="s", high=3_600
    )
    host_away_s: int = setting(
        60, "the host's powers while it is away; then another gets them", unit="s", high=DAY_S
    )
    bots: int = setting(64, "bots that the server runs at the same time", high=10_000)
    bots_per_user: int = setting(16, "those of them that one user has put in", high=10_000)


@frozen
class UserSettings:
    """How long users are remembered."""

    keep_s: int = setting(
        3_600, "a user who is away and in no room", unit="s", low=1, high=30 * DAY_S
    )
    most: int = setting(20_000, "users that are remembered", low=10, high=1_000_000)


@frozen
class DailySettings:
    """The challenge of the day, of enbu."""

    by_address: bool = setting(
        False, "rank one attempt an address, besides one a user; for a server open to the world"
    )
    days: int = setting(60, "days whose standings are kept", low=2, high=3_660)
    entries: int = setting(
        1_000, "ranked attempts a day; further ones are practice", low=1, high=10_000
    )


@frozen
class DataSettings:
    """What is written to disk, and read from there."""

    dir: str = setting(
        "",
        "the folder for the journal, records of finished games and the daily challenge; none if empty",
        high=4096,
    )
    replays: int = setting(1_000, "how many of the newest are kept", low=1, high=1_000_000)
    journal: bool = setting(
        True, "keep rooms and moves in a journal there, so that a restart loses nothing"
    )
    chat: bool = setting(False, "keep what is said in rooms in the journal too")
    closed_days: int = setting(
        30, "closed rooms in the journal, with their games", unit="days", low=1, high=3_660
    )
    closed_rooms: int = setting(
        10_000, "how many closed rooms the journal keeps at most", low=0, high=10_000_000
    )
    packs: str = setting(
        "",
        "the folder of card packs and books, *.toml, added to the games' own; none if empty",
        high=4096,
    )


@frozen
class AdminSettings:
    """How who runs the server speaks to it: kaguraden admin."""

    socket: str = setting(
        "",
        "the Unix socket to listen on; if empty, admin.sock in the data folder, "
        "else in $RUNTIME_DIRECTORY, else none",
        high=107,
    )


@frozen
class LogSettings:
    """What is told on stderr."""

    format: str = setting("console", "for people or for programs", choices=("console", "json"))
    level: str = setting("info", "how much is told", choices=LEVELS)


LIMITS: Final[Mapping[str, About]] = MappingProxyType(
    {
        "frame_in_bytes": About("a request", "bytes", 1_024, 1_048_576),
        "frame_out_bytes": About("a reply or push", "bytes", 65_536, 4_194_304),
        "pending_requests": About("requests without a reply, a connection", "", 1, 256),
        "burst_requests": About("requests at once, a connection", "", 5, 100_000),
        "requests_per_second": About("requests sustained, a connection", "", 1, 100_000),
        "abuse_buckets": About("refused bursts within abuse_ms that end it", "", 1, 1_000),
        "abuse_ms": About("in what time they count", "ms", 1_000, 600_000),
        "chat_messages": About("lines of chat within chat_ms, a user", "", 1, 1_000),
        "chat_ms": About("in what time they count", "ms", 1_000, 600_000),
        "connections_per_address": About("connections of one address", "", 1, 1_000_000),
        "connections_per_user": About("connections of one user, closing ones too", "", 2, 100),
        "connections": About("connections in all", "", 1, 1_000_000),
        "rooms_per_user": About("rooms not yet over that a user is in", "", 1, 1_000),
        "rooms_per_address": About("rooms opened from one address", "", 1, 1_000_000),
        "rooms": About("rooms in all", "", 1, 1_000_000),
        "spectators_per_room": About("spectators of a room", "", 0, 100_000),
        "queue_messages": About("messages that wait for a reader", "", 24, 100_000),
        "queue_bytes": About("bytes that wait for a reader", "bytes", 65_536, 1_073_741_824),
        "write_ms": About("one write; a reader that takes longer is cut", "ms", 100, 60_000),
        "hello_ms": About("from the handshake to hello", "ms", 50, 600_000),
        "token_grace_ms": About("a token after the next was given", "ms", 0, 600_000),
        "resume_updates": About("updates kept for who comes back, a viewer", "", 1, 10_000),
        "chat_history": About("lines of chat kept, a room", "", 0, 1_000),
    }
)
"""What the limits of the protocol mean to an operator, and their bounds."""


@frozen
class Config:
    """A server's settings."""

    server: ServerSettings = field(factory=ServerSettings)
    rooms: RoomSettings = field(factory=RoomSettings)
    clocks: ClockOptions = field(factory=ClockOptions)
    users: UserSettings = field(factory=UserSettings)
    limits: Limits = field(factory=Limits)
    daily: DailySettings = field(factory=DailySettings)
    data: DataSettings = field(factory=DataSettings)
    admin: AdminSettings = field(factory=AdminSettings)
    log: LogSettings = field(factory=LogSettings)


SECTIONS: Final[Mapping[str, type]] = MappingProxyType(
    {
        "server": ServerSettings,
        "rooms": RoomSettings,
        "clocks": ClockOptions,
        "users": UserSettings,
        "limits": Limits,
        "daily": DailySettings,
        "data": DataSettings,
        "admin": AdminSettings,
        "log": LogSettings,
    }
)


class ConfigError(Exception):
    """The settings have faults. `faults` has one line for each."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


def read_file(path: Path) -> dict[str, Any]:
    """Return a TOML file as it is, unchecked.

    Raises:
        ConfigError: It cannot be read, or is no TOML.
    """
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigError([f"{path}: {error.strerror or error}"]) from None
    except RecursionError:
        raise ConfigError([f"{path}: not TOML: too deep"]) from None
    except ValueError as error:  # no TOML, no UTF-8, or a number of some thousand digits
        raise ConfigError([f"{path}: not TOML: {error}"]) from None


def read_config(
    raw: Mapping[str, Any], flags: Mapping[str, Mapping[str, Any]] | None = None
) -> Config:
    """Return the settings of a file with those of the flags over them.

    Args:
        raw: The file's tables, by section.
        flags: Settings by section; None is a flag that was not given.

    Raises:
        ConfigError: With every fault found.
    """
    wrong = [f"{name}: unknown section{_hint(name)}" for name in raw if name not in SECTIONS]
    sections: dict[str, Any] = {}
    for name, cls in SECTIONS.items():
        table = raw.get(name, {})
        if not isinstance(table, dict):
            wrong.append(f"{name}: expected a section [{name}]")
            continue
        given = {k: v for k, v in (flags or {}).get(name, {}).items() if v is not None}
        values = {**table, **given}
        told = LIMITS if cls is Limits else None
        found = [f"{name}.{key}: {problem}" for key, problem in faults(values, cls, told)]
        wrong += found
        if not found:
            made = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
            sections[name] = cls(**made)
    if wrong:
        raise ConfigError(wrong)
    return Config(**sections)


def _hint(name: str) -> str:
    for section, cls in SECTIONS.items():
        if name in attrs.fields_dict(cls):
            return f"; did you mean {name} in [{section}]?"
    return suggestion(name, SECTIONS)


def describe() -> list[tuple[str, str, Any, About]]:
    """Return every setting as `(section, name, default, what it means)`."""
    return [
        (section, a.name, a.default, LIMITS[a.name] if cls is Limits else about(a))
        for section, cls in SECTIONS.items()
        for a in attrs.fields(cls)
    ]
