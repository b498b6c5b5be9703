"""Share codes: a whole book as a line of text that fits one post (EN-98 to EN-105).

`ENBU1-` is followed by the payload and its CRC-32 in Crockford's Base32. The checksum finds every
change of a single symbol, since a symbol is a run of five bits. A code is read strictly, so that
every book has one code: lists ascend and the fill is zero.
"""

from __future__ import annotations

import unicodedata
import zlib
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Final

from attrs import define

from kaguraden_rules.enbu.book import Book, Family, Goal
from kaguraden_rules.enbu.cards import CATALOGUE
from kaguraden_rules.enbu.faults import Fault
from kaguraden_rules.enbu.payload import (
    COPIES,
    SYMBOLS,
    VERSION,
    base32,
    made_id_of,
    payload,
)
from kaguraden_rules.enbu.reading import check_data

__all__ = ["MAX_CODE", "MAX_TEXT", "BadCode", "check_code", "decode", "encode"]

MAX_TEXT: Final = 400  # characters that a decoder looks at (EN-101)
MAX_CODE: Final = 210  # characters of the longest code (EN-101)
_PREFIX: Final = "ENBU"
_CRC: Final = 4  # bytes
# What a symbol is worth: either case, and the letters that are taken for digits (EN-102).
_WORTH: Final[Mapping[str, int]] = {
    **{symbol: worth for worth, symbol in enumerate(SYMBOLS)},
    **{symbol.lower(): worth for worth, symbol in enumerate(SYMBOLS)},
    **dict.fromkeys("Oo", 0),
    **dict.fromkeys("IiLl", 1),
}
_DIGITS: Final = frozenset("0123456789")


class BadCode(Exception):
    """A text that is no share code, or a code of a book with faults.

    `code` is the first thing that is wrong: an SC code, or the code of the first of `faults` of
    the book (EN-97).
    """

    def __init__(self, code: str, ja: str, en: str, faults: Iterable[Fault] = ()) -> None:
        super().__init__(f"{code}: {en}")
        self.code = code
        self.ja = ja
        self.en = en
        self.faults = tuple(faults)


def encode(book: Book) -> str:
    """Return the share code of a book (EN-100); its id and its family are not carried (EN-103)."""
    data = payload(book)
    return f"{_PREFIX}{VERSION}-{base32(data + zlib.crc32(data).to_bytes(_CRC, 'big'))}"


def decode(text: str) -> Book:
    """Return the book of a share code, with the id of a user-made book (EN-103, EN-104).

    Raises:
        BadCode: It is no code, damaged, newer than this program, or its book has faults (EN-102).
    """
    book, faults, _ = check_data(_data_of(text), CATALOGUE)
    if book is None:
        raise BadCode(
            faults[0].code,
            "この演目帖は使えません: " + " / ".join(f"{f.path}: {f.ja}" for f in faults),
            "this book cannot be used: " + "; ".join(f"{f.path}: {f.en}" for f in faults),
            faults,
        )
    return book


def check_code(text: str) -> tuple[Book | None, tuple[Fault, ...], tuple[Fault, ...]]:
    """Return the book of a code (None if it is refused), what is wrong, and the warnings."""
    try:
        data = _data_of(text)
    except BadCode as bad:
        return None, (Fault(bad.code, "", bad.ja, bad.en),), ()
    return check_data(data, CATALOGUE)


def _data_of(text: str) -> dict[str, object]:
    """Return the plain values of the book of a code, which may yet have faults."""
    return _Fields(_bytes_of(_symbols(text))).read()


def _symbols(text: str) -> str:
    """Return what follows the prefix, without white space and hyphens (EN-102, EN-132)."""
    if len(text) > MAX_TEXT:
        raise BadCode(
            "SC-LONG",
            f"長すぎます（{len(text)} 字）。共有コードは {MAX_CODE} 字までです",
            f"too long: {len(text)} characters; a share code has at most {MAX_CODE}",
        )
    text = "".join(c for c in text if not c.isspace() and unicodedata.category(c) != "Pd")
    prefix, version, rest = text[:4], text[4:5], text[5:]
    if not (prefix.isascii() and prefix.upper() == _PREFIX and version in _DIGITS):
        raise BadCode(
            "SC-PREFIX",
            "ENBU1- で始まる共有コードではありません。先頭から写してください",
            "not a share code: it begins with ENBU1-; copy it from its start",
        )
    if version != str(VERSION):
        raise _newer(version)
    return rest


def _newer(version: str) -> BadCode:
    return BadCode(
        "SC-VERSION",
        f"版 {version} の共有コードは読めません（読めるのは版 {VERSION}）。新しい版の神楽殿が要ります",
        f"a share code of version {version}; version {VERSION} is read here, "
        "so a newer Kaguraden is needed",
    )


def _bytes_of(symbols: str) -> bytes:
    """Return the payload that the symbols stand for, its checksum held against it (EN-133)."""
    for symbol in symbols:
        if symbol not in _WORTH:
            shown = symbol if symbol.isprintable() else f"U+{ord(symbol):04X}"
            raise BadCode(
                "SC-CHAR",
                f"使えない文字があります: {shown}。数字と U 以外の英字だけです",
                f"{shown} cannot stand in a share code: only digits and letters other than U",
            )
    size, fill = divmod(len(symbols) * 5, 8)
    number = 0
    for symbol in symbols:
        number = number << 5 | _WORTH[symbol]
    if size <= _CRC or fill >= 5 or number & (1 << fill) - 1:
        raise BadCode(
            "SC-PAD",
            "長さか最後の文字が違います。最後まで写してください",
            "wrong length or last symbol; copy the code to its end",
        )
    data = (number >> fill).to_bytes(size, "big")
    body, crc = data[:-_CRC], data[-_CRC:]
    if zlib.crc32(body).to_bytes(_CRC, "big") != crc:
        raise BadCode(
            "SC-SUM",
            "検査数が合いません。どこか一文字でも違うと読めないので、写し直してください",
            "the checksum does not fit: a symbol is wrong or missing; copy the code again",
        )
    if body[0] != VERSION:  # newer, not damaged (EN-129)
        raise _newer(str(body[0]))
    return body


@define
class _Fields:
    """The fields of a payload that are still to be read."""

    data: bytes
    at: int = 1  # the version is read

    def take(self, size: int) -> bytes:
        """Return the next bytes."""
        found = self.data[self.at : self.at + size]
        if len(found) < size:
            raise BadCode(
                "SC-SHORT",
                "途中で終わっています。このコードは正しく作られていません",
                "fields run over its end; this code was not made well",
            )
        self.at += size
        return found

    def take_list(self) -> bytes:
        """Return the next field that has its length before it."""
        return self.take(self.take(1)[0])

    def read(self) -> dict[str, object]:
        """Return the book as the plain values of a file, not yet checked (EN-103)."""
        pages, stage = divmod(self.take(1)[0], 16)
        hand, flags = divmod(self.take(1)[0], 16)
        goal: dict[str, object] = {"kind": Goal.ALL.value}
        if flags & 8:
            goal = {"kind": Goal.PASS.value, "pass": int.from_bytes(self.take(2), "big")}
        name = self.take_list()
        kinds = {copies: self.take_list() for copies in COPIES}
        first, rest = self.take_list(), self.take_list()
        if self.at < len(self.data):
            raise BadCode(
                "SC-TRAIL",
                "終わりに余分なものがあります。このコードは正しく作られていません",
                "something is left after its end; this code was not made well",
            )
        cards: dict[int, str] = {entry.no: entry.id for entry in CATALOGUE.cards.values()}
        programs: dict[int, str] = {entry.no: entry.id for entry in CATALOGUE.programs.values()}
        for no, known, ja, en in (
            *((no, cards, "カード", "card") for listed in kinds.values() for no in listed),
            *((no, programs, "演目", "program") for no in first + rest),
        ):
            if no not in known:
                raise BadCode(
                    "SC-UNKNOWN",
                    f"{no} 番の{ja}を知りません。新しい版の神楽殿が要ります",
                    f"there is no {en} number {no} here; a newer Kaguraden is needed",
                )
        numbers = sorted(no for listed in kinds.values() for no in listed)
        if len(set(numbers)) < len(numbers) or not all(map(_ascends, (*kinds.values(), rest))):
            raise _not_canonical("番号が昇順でないか、重なっています", "numbers do not ascend")
        try:
            written = name.decode()
        except UnicodeDecodeError:
            raise _not_canonical("名前が UTF-8 でありません", "the name is not UTF-8") from None
        copies_of = {cards[no]: copies for copies, listed in kinds.items() for no in listed}
        return {
            "schema": 1,
            "id": made_id_of(self.data),
            "family": Family.YOROZU.value,
            "name": written,
            "table": {"pages": pages, "stage": stage, "hand": hand},
            "extra": {
                "drop": bool(flags & 1),
                "reshuffle": bool(flags & 2),
                "wild": bool(flags & 4),
            },
            "goal": goal,
            "cards": copies_of,
            "programs": {
                "first": [programs[no] for no in first],
                "rest": [programs[no] for no in rest],
            },
        }


def _ascends(numbers: bytes) -> bool:
    return all(low < high for low, high in pairwise(numbers))


def _not_canonical(ja: str, en: str) -> BadCode:
    return BadCode(
        "SC-CANON",
        f"{ja}。このコードは正しく作られていません",
        f"{en}; this code was not made well",
    )
