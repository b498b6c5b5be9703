"""The room options of enbu: the book, the clocks, and who may watch and talk.

A book is named by its id, by a share code, or as the challenge of a day, `daily:ID` (EN-128). Every
other option is a field of `Options` whose metadata say what it may be; schema, parsing and formatting
all follow from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import attrs
from attrs import frozen

from kaguraden_rules.enbu.book import Book
from kaguraden_rules.enbu.codes import BadCode, decode, encode
from kaguraden_rules.kernel import BadOptions, Json, Problem

__all__ = ["Options", "format_options", "options_schema", "parse_options"]

_BOOK: Final = "kyu-3"
_MAX_BOOK: Final = 420  # characters; a share code is refused beyond 400 (EN-101)
_DAILY: Final = "daily:"


def _number(  # attrs fields are typed by their annotation
    default: int, least: int, most: int, *, off: bool = False
) -> Any:  # noqa: ANN401
    """Define an option that is a number, `least` to `most`, or 0 where it may be off."""
    return attrs.field(default=default, metadata={"range": (least, most), "off": off})


def _switch(*, default: bool) -> Any:  # noqa: ANN401 - as above
    """Define an option that is true or false."""
    return attrs.field(default=default, metadata={"range": None})


@frozen
class Options:
    """What the players agreed on before the first card was flipped."""

    book: Book
    is_daily: bool = False  # the challenge of a day (EN-87)
    race_turn_s: int = _number(90, 30, 300, off=True)  # EN-77
    solo_turn_s: int = _number(0, 30, 300, off=True)  # EN-77
    race_min: int = _number(20, 5, 60)  # EN-86
    watch: bool = _switch(default=True)  # watchers see the table of a solo game (EN-91)
    chat: bool = _switch(default=False)  # players may talk during a race (EN-85)


_OTHERS: Final = {option.name: option for option in attrs.fields(Options) if option.metadata}


def options_schema(books: Mapping[str, Book]) -> dict[str, Json]:
    """Return a JSON Schema of the options, each with its default."""
    properties: dict[str, Json] = {
        "book": {
            "type": "string",
            "maxLength": _MAX_BOOK,
            "default": _BOOK,
            "examples": list[Json](books),
        },
        **{name: _schema_of(option) for name, option in _OTHERS.items()},
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _schema_of(option: attrs.Attribute[Any]) -> dict[str, Json]:
    if option.metadata["range"] is None:
        return {"type": "boolean", "default": option.default}
    least, most = option.metadata["range"]
    bounds: dict[str, Json] = {"minimum": least, "maximum": most}
    if option.metadata["off"]:
        bounds = {"minimum": 0, "maximum": most, "not": {"minimum": 1, "maximum": least - 1}}
    return {"type": "integer", **bounds, "default": option.default}


def parse_options(raw: Mapping[str, Json], books: Mapping[str, Book]) -> Options:
    """Return the options of a JSON object; what is left out takes its default.

    Args:
        raw: What the room was given.
        books: The books that are known by their ids.

    Raises:
        BadOptions: With one problem for each option that is unknown or has a wrong value.
    """
    known = ("book", *_OTHERS)
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
    for name, option in _OTHERS.items():
        if name in raw:
            parsed[name] = raw[name]
            if right := _wanted(option, raw[name]):
                problems.append(Problem(f"$.{name}", right))
    if problems:
        raise BadOptions(problems)
    return Options(**parsed)


def _wanted(option: attrs.Attribute[Any], value: Json) -> str | None:
    """Say what an option should be where it is not."""
    if option.metadata["range"] is None:
        return None if isinstance(value, bool) else "true or false"
    (least, most), may_be_off = option.metadata["range"], option.metadata["off"]
    if type(value) is int and (least <= value <= most or (value == 0 and may_be_off)):
        return None
    off = "0 (no clock) or " if may_be_off else ""
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
        **{name: getattr(options, name) for name in _OTHERS},
    }
