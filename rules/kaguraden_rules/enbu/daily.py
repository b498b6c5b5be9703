"""The book and the seed of a day (EN-87, EN-88). The date is that of Japan; nobody here asks a clock."""

from __future__ import annotations

import datetime
import hmac
import re
from typing import Final

__all__ = ["DAILY_BOOKS", "book_of_the_day", "daily_entropy"]

DAILY_BOOKS: Final = (
    *(f"kamiari-{n}" for n in range(1, 7)),
    *(f"dan-{n}" for n in range(1, 6)),
)  # EN-87

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def book_of_the_day(date: str) -> str:
    """Return the id of the book of a day, YYYY-MM-DD (EN-87).

    Raises:
        ValueError: There is no such day.
    """
    return DAILY_BOOKS[_day(date).toordinal() % len(DAILY_BOOKS)]


def daily_entropy(key: bytes, date: str, book_id: str, digest_hex: str) -> bytes:
    """Return the entropy, 32 bytes, of everybody's game on this book and day (EN-88).

    Args:
        key: 32 secret bytes of the server.
        date: The day, YYYY-MM-DD.
        book_id: The id of the book.
        digest_hex: Its digest (EN-105).

    Raises:
        ValueError: There is no such day.
    """
    _day(date)
    text = f"enbu1|daily|{date}|{book_id}|{digest_hex}"
    return hmac.digest(key, text.encode(), "sha256")


def _day(date: str) -> datetime.date:
    if not _DATE.fullmatch(date):  # other ways of ISO 8601 would give other seeds
        raise ValueError(f"not a date of the form YYYY-MM-DD: {date[:20]!r}")
    return datetime.date.fromisoformat(date)
