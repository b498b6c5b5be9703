"""`kaguraden admin`: speak to a server that runs on this machine.

The server listens at a Unix socket that only its own user may open. The status is 1 if the server
will not do what it is asked, 2 if there is none to ask.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, Final

import click
from kaguraden_protocol.text import for_terminal
from kaguraden_rules.kernel import Text

from kaguraden_server.config import ConfigError
from kaguraden_server.sources import Sources
from kaguraden_server.telling import FAULTS, UNREADABLE, locale_language, tell

from .words import told

__all__ = ["admin"]

WAIT_S: Final = 120.0  # a snapshot may take a while
MAX_REPLY: Final = 4_194_304  # bytes


@click.group(short_help="Run a server: rooms, people, backup. サーバーを切り盛りする")
def admin() -> None:
    """Speak to a server that runs on this machine, as its user.

    It is found by its data folder (--data), by its settings (--config) or by its socket (--socket).
    """


def _deed(f: Callable[..., dict[str, Any]]) -> Callable[..., None]:
    """Make a command that has the server do what a function says, and prints the reply."""

    @click.option(
        "--data",
        type=click.Path(path_type=Path, file_okay=False),
        help="The data folder of the server, as for serve.",
    )
    @click.option(
        "--config",
        "file",
        type=click.Path(path_type=Path, dir_okay=False),
        help="The settings of the server, as for serve.",
    )
    @click.option("--socket", "path", type=click.Path(path_type=Path), help="The server's socket.")
    @click.option("--json", "plain", is_flag=True, help="Print the reply as a line of JSON.")
    @click.option(
        "--lang",
        type=click.Choice(["ja", "en"]),
        help="The language; by default the locale's. / 言語。",
    )
    @wraps(f)
    def command(
        *args: Any,  # noqa: ANN401 - the command's own
        data: Path | None,
        file: Path | None,
        path: Path | None,
        plain: bool,
        lang: str | None,
        **fields: Any,  # noqa: ANN401
    ) -> None:
        request = f(*args, **fields)
        language = lang or locale_language()
        reply = _ask(path or _socket(data, file, language), request, language)
        if plain:
            click.echo(json.dumps(reply))
        elif "ok" in reply:
            tell(told(request["do"], reply["ok"]), language)
        if "error" in reply:
            why = reply["message"]
            if not plain:
                tell([Text(why["ja"], why["en"])], language, err=True)
            sys.exit(FAULTS)

    return command


@admin.command(short_help="How the server is. 様子")
@_deed
def status() -> dict[str, Any]:
    """Tell how the server is: people, rooms, journal."""
    return {"do": "status"}


@admin.command(short_help="List the rooms. 部屋の一覧")
@_deed
def rooms() -> dict[str, Any]:
    """List the rooms, the oldest first: seats taken of all, and how long it is open (h:mm)."""
    return {"do": "rooms"}


@admin.command(short_help="Who is in a room. 部屋の人")
@click.argument("room")
@_deed
def members(room: str) -> dict[str, Any]:
    """List who is in a ROOM: seat, name, id, address."""
    return {"do": "members", "room": room}


@admin.command(short_help="Take somebody out of a room. 部屋から外す")
@click.argument("room")
@click.argument("who")
@_deed
def kick(room: str, who: str) -> dict[str, Any]:
    """Take somebody out of a ROOM: WHO is the number of a seat, a name or an id."""
    return {"do": "kick", "room": room, "who": who}


@admin.command(short_help="Close a room. 部屋を閉じる")
@click.argument("room")
@_deed
def close(room: str) -> dict[str, Any]:
    """Close a ROOM, with the game in it."""
    return {"do": "close", "room": room}


@admin.command(short_help="Tell everybody something. みなに知らせる")
@click.argument("text", nargs=-1, required=True)
@_deed
def announce(text: tuple[str, ...]) -> dict[str, Any]:
    """Tell everybody who is connected a TEXT."""
    return {"do": "announce", "text": " ".join(text)}


@admin.command(short_help="Stop the clocks of a room. 時計を止める")
@click.argument("room")
@click.option("--off", is_flag=True, help="Have them run again.")
@_deed
def pause(room: str, off: bool) -> dict[str, Any]:
    """Stop the clocks of the game in a ROOM."""
    return {"do": "pause", "room": room, "on": not off}


@admin.command(short_help="Copy the journal. 記録簿を写す")
@click.argument("to", type=click.Path(path_type=Path), required=False)
@_deed
def snapshot(to: Path | None) -> dict[str, Any]:
    """Copy the journal into a new file TO, while games go on.

    Without TO it goes into the folder snapshots of the data folder. It holds secrets of running
    games, and becomes journal.sqlite3 of another data folder to go on from there.
    """
    return {"do": "snapshot"} if to is None else {"do": "snapshot", "to": str(to.absolute())}


@admin.command(short_help="Stop the server. サーバーを止める")
@_deed
def drain() -> dict[str, Any]:
    """Stop the server in order, as SIGTERM does: everybody is told and may come back."""
    return {"do": "drain"}


def _socket(data: Path | None, file: Path | None, language: str) -> Path:
    """Return the socket of the server that is meant, or exit."""
    from .server import default_socket

    flags = {"data": {"dir": None if data is None else str(data)}}
    try:
        config = Sources(file, dict(os.environ), flags).read().config
    except ConfigError as error:
        for fault in error.faults:
            click.echo(f"kaguraden admin: {for_terminal(fault)}", err=True)
        sys.exit(UNREADABLE)
    path = Path(config.admin.socket) if config.admin.socket else default_socket(config)
    if path is None:
        which = Text("どのサーバーか --data DIR で示してください", "name the server by --data DIR")
        tell([which], language, err=True)
        sys.exit(UNREADABLE)
    return path


def _ask(path: Path, request: dict[str, Any], language: str) -> dict[str, Any]:
    """Return the reply to a request, or exit."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stream:
            stream.settimeout(WAIT_S)
            stream.connect(os.fspath(path))
            stream.sendall(json.dumps(request).encode() + b"\n")
            with stream.makefile("rb") as lines:
                reply = json.loads(lines.readline(MAX_REPLY))
        if isinstance(reply, dict):
            return reply
        raise ValueError
    except ValueError:
        why = "no answer"
    except OSError as error:
        why = error.strerror or str(error)
    nobody = Text(
        f"{path}: サーバーが答えません ({why})", f"{path}: there is no server to ask ({why})"
    )
    tell([nobody], language, err=True)
    sys.exit(UNREADABLE)
