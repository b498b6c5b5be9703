"""Share codes of enbu's books, written and read here (EN-100 to EN-105).

The client does this itself because a book of one's own reaches a server as a code, on any server
and before there is a table; the catalogue tells the numbers. The server checks the book again.
"""

from __future__ import annotations

import hashlib
import unicodedata
import zlib
from typing import Final

from ..reading import as_int
from .books import Book
from .painters import Catalog

__all__ = ["BadCode", "book_id", "decode", "encode", "is_code"]

_SYMBOLS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ALIKE: Final = {"O": "0", "I": "1", "L": "1"}
_PREFIX: Final = "ENBU1"
_MAX_TEXT: Final = 400
_COPIES: Final = (1, 2, 3)
_CRC: Final = 4


class BadCode(Exception):
    """A text that is no share code; the rules' code says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def is_code(text: str) -> bool:
    """Whether a text is meant as a share code."""
    return text.lstrip()[:4].upper() == "ENBU"


def _numbers(catalog: Catalog, kind: str) -> dict[str, int]:
    return {
        name: as_int(known.told.get("no"))
        for name, known in catalog.cards.items()
        if known.kind == kind
    }


def _payload(book: Book, catalog: Catalog) -> bytes:
    cards, programs = _numbers(catalog, "card"), _numbers(catalog, "program")
    flags = book.drop | book.reshuffle << 1 | book.wild << 2 | (book.pass_mark is not None) << 3
    mark = b"" if book.pass_mark is None else book.pass_mark.to_bytes(2, "big")
    name = book.name.encode()
    lists = [sorted(cards[c] for c, n in book.cards.items() if n == count) for count in _COPIES]
    lists += [[programs[p] for p in book.first], sorted(programs[p] for p in book.rest)]
    head = bytes((1, book.pages << 4 | book.stage, book.hand << 4 | flags))
    return head + mark + bytes((len(name),)) + name + b"".join(bytes((len(x), *x)) for x in lists)


def _base32(data: bytes) -> str:
    bits = int.from_bytes(data, "big")
    count = -(-len(data) * 8 // 5)
    bits <<= count * 5 - len(data) * 8
    return "".join(_SYMBOLS[bits >> 5 * i & 31] for i in reversed(range(count)))


def encode(book: Book, catalog: Catalog) -> str:
    """Return the share code of a book without faults.

    Raises:
        ValueError: It has faults that keep it from having one.
    """
    try:
        data = _payload(book, catalog)
    except (KeyError, OverflowError, ValueError) as error:
        raise ValueError(str(error)) from None
    return f"{_PREFIX}-{_base32(data + zlib.crc32(data).to_bytes(_CRC, 'big'))}"


def book_id(book: Book, catalog: Catalog) -> str:
    """Return the id of a user-made book (EN-104).

    Raises:
        ValueError: It has faults that keep it from having one.
    """
    try:
        data = _payload(book, catalog)
    except (KeyError, OverflowError, ValueError) as error:
        raise ValueError(str(error)) from None
    return f"u-{_base32(hashlib.sha256(data).digest())[:8].lower()}"


def decode(text: str, catalog: Catalog) -> Book:
    """Return the book of a share code.

    Raises:
        BadCode: It is none, or damaged, or of a newer version (EN-102).
    """
    if len(text) > _MAX_TEXT:
        raise BadCode("SC-LONG")
    bare = "".join(c for c in text if not c.isspace() and unicodedata.category(c) != "Pd").upper()
    if bare[:4] != _PREFIX[:4] or bare[4:5] not in "0123456789" or len(bare) < 5:
        raise BadCode("SC-PREFIX")
    if bare[:5] != _PREFIX:
        raise BadCode("SC-VERSION")
    symbols = "".join(_ALIKE.get(c, c) for c in bare[5:])
    if any(c not in _SYMBOLS for c in symbols):
        raise BadCode("SC-CHAR")
    size, fill = divmod(len(symbols) * 5, 8)
    bits = 0
    for symbol in symbols:
        bits = bits << 5 | _SYMBOLS.index(symbol)
    if size <= _CRC or fill >= 5 or bits & (1 << fill) - 1:
        raise BadCode("SC-PAD")
    data = (bits >> fill).to_bytes(size, "big")
    if zlib.crc32(data[:-_CRC]).to_bytes(_CRC, "big") != data[-_CRC:]:
        raise BadCode("SC-SUM")
    if data[0] != 1:
        raise BadCode("SC-VERSION")
    return _read(data[1:-_CRC], catalog)


def _read(data: bytes, catalog: Catalog) -> Book:
    cards = {no: name for name, no in _numbers(catalog, "card").items()}
    programs = {no: name for name, no in _numbers(catalog, "program").items()}
    at = 0

    def take(size: int) -> bytes:
        nonlocal at
        at += size
        if at > len(data):
            raise BadCode("SC-SHORT")
        return data[at - size : at]

    def take_list() -> bytes:
        return take(take(1)[0])

    pages, stage = divmod(take(1)[0], 16)
    hand, flags = divmod(take(1)[0], 16)
    mark = int.from_bytes(take(2), "big") if flags & 8 else None
    name = take_list()
    copies = {count: take_list() for count in _COPIES}
    first, rest = take_list(), take_list()
    if at < len(data):
        raise BadCode("SC-TRAIL")
    if any(no not in cards for listed in copies.values() for no in listed):
        raise BadCode("SC-UNKNOWN")
    if any(no not in programs for no in first + rest):
        raise BadCode("SC-UNKNOWN")
    listed = [no for one in copies.values() for no in one]
    ascending = all(list(one) == sorted(set(one)) for one in (*copies.values(), rest))
    if not ascending or len(set(listed)) < len(listed):
        raise BadCode("SC-CANON")
    try:
        written = name.decode()
    except UnicodeDecodeError:
        raise BadCode("SC-CANON") from None
    counts = {no: count for count, one in copies.items() for no in one}
    return Book(
        name=written,
        pages=pages,
        stage=stage,
        hand=hand,
        drop=bool(flags & 1),
        reshuffle=bool(flags & 2),
        wild=bool(flags & 4),
        pass_mark=mark,
        cards={cards[no]: counts[no] for no in sorted(counts)},
        first=tuple(programs[no] for no in first),
        rest=tuple(programs[no] for no in rest),
    )
