"""The room options of enbu: the book, the clocks, and who may watch and talk.

A book is named by its id, by a share code, or as the challenge of a day, `daily:ID` (EN-128).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from attrs import frozen

from kaguraden_rules.enbu.book import Book
from kaguraden_rules.enbu.codes import BadCode, decode, encode
from kaguraden_rules.kernel import BadOptions, Json, Problem

__all__ = ["Options", "format_options", "options_schema", "parse_options"]

_BOOK: Final = "kyu-3"
_MAX_BOOK: Final = 420  # characters; a share code is refused beyond 400 (EN-101)
_DAILY: Final = "daily:"
_TURN_S: Final = (30, 300)  # or 0, which is off (EN-77)
_RACE_MIN: Final = (5, 60)  # EN-86


@frozen
class Options:
    """What the players agreed on before the first card was flipped."""

    book: Book
    is_daily: bool = False  # the challenge of a day (EN-87)
    race_turn_s: int = 90  # EN-77
    solo_turn_s: int = 0  # EN-77
    race_min: int = 20  # EN-86
    watch: bool = True  # watchers see the table of a solo game (EN-91)
    chat: bool = False  # players may talk during a race (EN-85)


def options_schema(books: Mapping[str, Book]) -> dict[str, Json]:
    """Return a JSON Schema of the options, each with its default."""
    examples: list[Json] = list(books)
    off_or: dict[str, Json] = {"not": {"minimum": 1, "maximum": _TURN_S[0] - 1}}
    turn_s: dict[str, Json] = {"type": "integer", "minimum": 0, "maximum": _TURN_S[1], **off_or}
    properties: dict[str, Json] = {
        "book": {
            "type": "string",
            "maxLength": _MAX_BOOK,
            "default": _BOOK,
            "examples": examples,
        },
        "race_turn_s": {**turn_s, "default": 90},
        "solo_turn_s": {**turn_s, "default": 0},
        "race_min": {
            "type": "integer",
            "minimum": _RACE_MIN[0],
            "maximum": _RACE_MIN[1],
            "default": 20,
        },
        "watch": {"type": "boolean", "default": True},
        "chat": {"type": "boolean", "default": False},
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}


def parse_options(raw: Mapping[str, Json], books: Mapping[str, Book]) -> Options:
    """Return the options of a JSON object; what is left out takes its default.

    Args:
        raw: What the room was given.
        books: The books that are known by their ids.

    Raises:
        BadOptions: With one problem for each option that is unknown or has a wrong value.
    """
    properties = options_schema(books)["properties"]
    known = list(properties) if isinstance(properties, dict) else []
    problems = [
        Problem(f"$.{name}", f"no such option; there are {', '.join(known)}")
        for name in raw
        if name not in known
    ]
    parsed: dict[str, Any] = {}
    try:
        parsed["book"], parsed["is_daily"] = _book(raw.get("book", _BOOK), books)
    except ValueError as error:
        problems.append(Problem("$.book", str(error)))
    for name in ("race_turn_s", "solo_turn_s", "race_min", "watch", "chat"):
        if name in raw:
            parsed[name] = raw[name]
            if right := _wanted(name, raw[name]):
                problems.append(Problem(f"$.{name}", right))
    if problems:
        raise BadOptions(problems)
    return Options(**parsed)


def _wanted(name: str, value: Json) -> str | None:
    """Say what an option should be where it is not."""
    if name in ("watch", "chat"):
        return None if isinstance(value, bool) else "true or false"
    least, most = _RACE_MIN if name == "race_min" else _TURN_S
    if type(value) is int and (least <= value <= most or (value == 0 and name != "race_min")):
        return None
    off = "" if name == "race_min" else "0 (no clock) or "
    return f"{off}a whole number from {least} to {most}"


def _book(value: Json, books: Mapping[str, Book]) -> tuple[Book, bool]:
    """Return the book that an option names, and whether it is that of a day.

    Raises:
        ValueError: There is no such book; the text tells what is wrong.
    """
    if not isinstance(value, str):
        raise ValueError("the id of a book, a share code, or daily: and an id")
    if value in books:
        return books[value], False
    if value.startswith(_DAILY):
        book = books.get(value.removeprefix(_DAILY))
        if book is None:
            raise ValueError(f"no such book for a day; there are {', '.join(books)}")
        return book, True
    if not value.lstrip()[:4].upper().startswith("ENBU"):
        raise ValueError(f"no such book; there are {', '.join(books)}, or take a share code")
    try:
        return decode(value), False
    except BadCode as bad:
        raise ValueError(f"{bad.code}: {bad.en}") from None


def format_options(options: Options, books: Mapping[str, Book]) -> dict[str, Json]:
    """Return the JSON object of the options; its `book` is read as the same book again."""
    book = options.book
    named = book.id if books.get(book.id) == book else encode(book)
    return {
        "book": f"{_DAILY}{named}" if options.is_daily else named,
        "race_turn_s": options.race_turn_s,
        "solo_turn_s": options.solo_turn_s,
        "race_min": options.race_min,
        "watch": options.watch,
        "chat": options.chat,
    }
