"""A book as bytes: what its digest, its id and its share code are made from (EN-100)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Final

from kaguraden_rules.enbu.book import Book, Catalogue, Goal
from kaguraden_rules.enbu.cards import CATALOGUE

__all__ = ["COPIES", "SYMBOLS", "VERSION", "base32", "digest", "made_id", "made_id_of", "payload"]

SYMBOLS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's Base32
VERSION: Final = 1
COPIES: Final = (1, 2, 3)


def payload(book: Book, catalogue: Catalogue = CATALOGUE) -> bytes:
    """Return what a book is, without its id and its family (EN-100)."""
    flags = book.drop * 1 + book.reshuffle * 2 + book.wild * 4 + (book.goal is Goal.PASS) * 8
    out = bytearray((VERSION, book.pages * 16 + book.stage, book.hand * 16 + flags))
    if book.pass_mark is not None:
        out += book.pass_mark.to_bytes(2, "big")
    _put(out, book.name.encode())
    for copies in COPIES:
        _put(out, sorted(catalogue.cards[card].no for card, n in book.cards if n == copies))
    _put(out, [catalogue.programs[program].no for program in book.first])
    _put(out, sorted(catalogue.programs[program].no for program in book.rest))
    return bytes(out)


def _put(out: bytearray, values: Iterable[int]) -> None:
    listed = bytes(values)
    out.append(len(listed))
    out += listed


def digest(book: Book, catalogue: Catalogue = CATALOGUE) -> str:
    """Return the digest of a book in lower-case hex (EN-105)."""
    return hashlib.sha256(payload(book, catalogue)).hexdigest()


def made_id(book: Book, catalogue: Catalogue = CATALOGUE) -> str:
    """Return the id that a user-made book has by its contents (EN-104)."""
    return made_id_of(payload(book, catalogue))


def made_id_of(data: bytes) -> str:
    """Return the id of the user-made book that has this payload (EN-104)."""
    return "u-" + base32(hashlib.sha256(data).digest()[:5]).lower()  # 40 bits are 8 symbols


def base32(data: bytes) -> str:
    """Write bytes in Crockford's Base32, the last group filled with zero bits (EN-100)."""
    bits = len(data) * 8
    fill = -bits % 5
    number = int.from_bytes(data, "big") << fill
    return "".join(SYMBOLS[number >> shift & 31] for shift in range(bits + fill - 5, -1, -5))
