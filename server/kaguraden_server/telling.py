"""What commands say to a person: texts of both languages, of which one is printed."""

from __future__ import annotations

import locale
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click
from kaguraden_protocol.text import for_terminal

if TYPE_CHECKING:
    from kaguraden_rules.kernel import Text

__all__ = ["FAULTS", "UNREADABLE", "locale_language", "tell"]

FAULTS = 1  # the status of a command that checks: in what could be read
UNREADABLE = 2  # as click says of wrong usage


def tell(lines: Iterable[Text], language: str, *, err: bool = False) -> None:
    """Print each text in a language, on a line of its own, without what could harm a terminal."""
    for line in lines:
        click.echo(for_terminal(line.ja if language == "ja" else line.en), err=err)


def locale_language() -> str:
    """Return the language of the locale: Japanese if it is that, else English."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if os.environ.get(name):
            return "ja" if os.environ[name].lower().startswith("ja") else "en"
    return "ja" if (locale.getlocale()[0] or "").lower().startswith("ja") else "en"
