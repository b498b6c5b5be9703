"""The book and the seed of a day (EN-87, EN-88)."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaguraden_rules.enbu.books import BOOKS, digest
from kaguraden_rules.enbu.daily import DAILY_BOOKS, book_of_the_day, daily_entropy


def test_the_books_of_the_days_take_turns() -> None:
    """EN-87: eleven books, each once in eleven days."""
    assert book_of_the_day("2025-01-01") == "dan-3"
    start = datetime.date(2025, 1, 1)
    days = [(start + datetime.timedelta(days=n)).isoformat() for n in range(11)]
    assert [book_of_the_day(day) for day in days] == [
        "dan-3",
        "dan-4",
        "dan-5",
        *(f"kamiari-{n}" for n in range(1, 7)),
        "dan-1",
        "dan-2",
    ]
    assert set(DAILY_BOOKS) <= set(BOOKS)


@given(st.dates())
def test_the_book_follows_from_the_ordinal_of_the_day(day: datetime.date) -> None:
    """EN-87, over every day that can be written."""
    assert book_of_the_day(day.isoformat()) == DAILY_BOOKS[day.toordinal() % 11]


@given(st.integers(0, 9999), st.integers(0, 13), st.integers(0, 32))
def test_a_day_has_a_book_if_the_calendar_has_it(year: int, month: int, day: int) -> None:
    """EN-87."""
    text = f"{year:04}-{month:02}-{day:02}"
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        with pytest.raises(ValueError, match="not a day"):
            book_of_the_day(text)
    else:
        assert book_of_the_day(text) in DAILY_BOOKS


def test_the_seed_of_a_day() -> None:
    """EN-88, W27."""
    seed = daily_entropy(bytes(32), "2025-01-01", "kyu-3", digest(BOOKS["kyu-3"]))
    assert len(seed) == 32
    assert seed.hex().startswith("756fe733")
    assert seed.hex().endswith("b21aefd4")


def test_key_day_and_book_each_change_the_seed() -> None:
    """EN-88."""
    seeds = {
        daily_entropy(key, day, id_, digest(BOOKS[id_]))
        for key in (bytes(32), b"\x01" + bytes(31))
        for day in ("2025-01-01", "2025-01-02")
        for id_ in ("kyu-3", "dan-3")
    }
    assert len(seeds) == 8


@pytest.mark.parametrize(
    "date",
    [
        "",
        "today",
        "2025-1-1",
        "20250101",
        "2025-W01-1",
        "2025-02-29",
        "1900-02-29",
        "0000-01-01",
        "2025-01-01\n",
        "２０２５-01-01",
    ],
)
def test_what_is_no_day_has_no_book_and_no_seed(date: str) -> None:
    """EN-87, EN-88: each day is written in one way, or its seed would not be one."""
    with pytest.raises(ValueError, match="not a day"):
        book_of_the_day(date)
    with pytest.raises(ValueError, match="not a day"):
        daily_entropy(bytes(32), date, "kyu-3", "")
