"""The book and the seed of a day (EN-87, EN-88). The date is that of Japan; nobody here asks a clock."""

from __future__ import annotations

import hmac
import re
from typing import Final

__all__ = ["DAILY_BOOKS", "book_of_the_day", "daily_entropy"]

DAILY_BOOKS: Final = (
    *(f"kamiari-{n}" for n in range(1, 7)),
    *(f"dan-{n}" for n in range(1, 6)),
)  # EN-87

_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)  # of the months


def book_of_the_day(date: str) -> str:
    """Return the id of the book of a day, YYYY-MM-DD (EN-87).

    Raises:
        ValueError: There is no such day.
    """
    return DAILY_BOOKS[_ordinal(date) % len(DAILY_BOOKS)]


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
    _ordinal(date)
    text = f"enbu1|daily|{date}|{book_id}|{digest_hex}"
    return hmac.digest(key, text.encode(), "sha256")


def _ordinal(date: str) -> int:
    """Return the number of a day in the proleptic Gregorian calendar; 0001-01-01 is 1.

    Counted here because rules import no `datetime`, which has a clock.
    """
    found = _DATE.fullmatch(date)  # other ways to write a day would give it other seeds
    year, month, day = map(int, found.groups()) if found else (0, 0, 0)
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not (year and 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1] + (leap and month == 2)):
        raise ValueError(f"not a day of the form YYYY-MM-DD: {date[:20]!r}")
    before = year - 1
    days = before * 365 + before // 4 - before // 100 + before // 400
    return days + sum(_DAYS[: month - 1]) + (leap and month > 2) + day
