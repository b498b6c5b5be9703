"""Inviting people who stand around the host's screen: links, and QR codes of them."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import click
from kaguraden_protocol.links import join_link

from .qr import qr_lines

if TYPE_CHECKING:
    from .lobby import Lobby

__all__ = ["invite"]


def invite(lobby: Lobby, address: str, pin: str = "") -> None:
    """Show the link of the join page on stderr, and that of each room that is opened.

    Args:
        lobby: The house.
        address: The WebSocket address by which others reach it.
        pin: The fingerprint of its certificate, for the link.
    """
    link = join_link(address, pin=pin)
    lines = ["ブラウザで入る / join in a browser:", f"  {link}", *_code(link), ""]
    lines += ["端末で入る / join in a terminal:", "  kaguraden play", ""]
    click.echo("\n".join(lines), err=True)

    def show(room: str) -> None:
        link = join_link(address, room, pin)
        # In a file each would be thirty lines that nobody can scan.
        code = _code(link) if sys.stderr.isatty() else []
        lines = [*code, f"  {link}", f"  kaguraden join {room}"]
        click.echo("\n".join(lines), err=True)

    lobby.show_room = show


def _code(link: str) -> list[str]:
    can_show = "utf" in (sys.stderr.encoding or "").lower() and os.environ.get("TERM") != "dumb"
    columns = shutil.get_terminal_size().columns
    return qr_lines(link, columns, colour=sys.stderr.isatty() and can_show)
