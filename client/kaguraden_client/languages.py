"""The two languages that everything is said in, and which of them the system is set to."""

from __future__ import annotations

import enum
import locale
import os

__all__ = ["Lang", "system_lang"]


class Lang(enum.StrEnum):
    """A language that the client speaks."""

    JA = "ja"
    EN = "en"

    @property
    def other(self) -> Lang:
        """The one that F2 switches to."""
        return Lang.EN if self is Lang.JA else Lang.JA


def system_lang() -> Lang:
    """Return the language of the locale: Japanese if it is that, else English."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name)
        if value:
            return Lang.JA if value.lower().startswith("ja") else Lang.EN
    told = locale.getlocale()[0] or ""
    return Lang.JA if told.lower().startswith("ja") else Lang.EN
