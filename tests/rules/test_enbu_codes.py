"""Share codes of enbu: what they hold, how they are read, and what is refused (EN-98 to EN-105)."""

from __future__ import annotations

import hashlib

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from kaguraden_rules.enbu.book import Book, Family
from kaguraden_rules.enbu.books import BOOKS, CATALOGUE, read_book, write_book
from kaguraden_rules.enbu.codes import BadCode, check_code, decode, encode
from kaguraden_rules.enbu.payload import SYMBOLS, base32, digest, payload

from tests.rules.enbu_made_books import code_of, made_books

KYU_3 = "ENBU1-049H04Z7PJDE9FCDX2N8VSDEK8GE9E49WYT9M1G20C2GJ2GB00002082081Q1YFW3M"


def refused(text: str) -> BadCode:
    with pytest.raises(BadCode) as caught:
        decode(text)
    assert caught.value.ja
    assert caught.value.en
    return caught.value


# --- the scenario W25 ------------------------------------------------------------------------------


def test_the_code_of_the_third_grade() -> None:
    """EN-100, EN-105, W25."""
    assert encode(BOOKS["kyu-3"]) == KYU_3
    assert digest(BOOKS["kyu-3"]).startswith("688f634f")
    made = decode(KYU_3)
    assert made == evolve(BOOKS["kyu-3"], id="u-d27p6kxr", family=Family.YOROZU)


def test_the_bytes_of_the_payload() -> None:
    """EN-100, written out by hand for two books."""
    name = "級位認定 三級".encode()
    by_hand = bytes([1, 0x13, 0x10, len(name), *name, 6, 2, 3, 5, 9, 10, 11, 0, 0, 1, 1, 2, 2, 3])
    assert payload(BOOKS["kyu-3"]) == by_hand
    name = "段位認定 初段".encode()
    cards = [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 17, 18, 19, 21, 23]
    rest = [1, 2, 3, 5, 6, 11, 12, 13, 14, 31]
    head = [1, 0x24, 0x1F, 0, 20, len(name), *name]
    assert payload(BOOKS["dan-1"]) == bytes([*head, len(cards), *cards, 0, 0, 0, len(rest), *rest])


def test_copies_stand_in_the_list_of_their_number() -> None:
    """EN-100: `kyu-2` has two of ushi (2) and uma (7)."""
    name = "級位認定 二級".encode()
    tail = payload(BOOKS["kyu-2"])[4 + len(name) :]
    assert tail == bytes([6, 5, 6, 8, 9, 10, 11, 2, 2, 7, 0, 1, 4, 4, 1, 5, 6, 7])


@pytest.mark.parametrize(
    "text",
    [
        KYU_3.lower(),
        " ".join(KYU_3),
        KYU_3.replace("0", "O"),
        KYU_3.replace("0", "o"),
        KYU_3[:6] + KYU_3[6:].replace("1", "I"),
        KYU_3[:6] + KYU_3[6:].replace("1", "l"),
        KYU_3.replace("-", ""),
        f"\n{KYU_3[:30]}-\n\u3000{KYU_3[30:]}\t",
        KYU_3.replace("-", "\u2010"),
    ],
)
def test_case_blanks_hyphens_and_lookalikes_do_not_matter(text: str) -> None:
    """EN-102, EN-132, W25."""
    assert decode(text).id == "u-d27p6kxr"


def test_a_changed_last_symbol_is_refused() -> None:
    """W25."""
    codes = {refused(KYU_3[:-1] + symbol).code for symbol in SYMBOLS if symbol != KYU_3[-1]}
    assert codes <= {"SC-PAD", "SC-SUM"}


def test_a_changed_symbol_in_the_middle_is_refused() -> None:
    """W25."""
    assert refused(f"{KYU_3[:40]}Z{KYU_3[41:]}").code == "SC-SUM"


# --- what is refused, and in which order -------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x" * 401, "SC-LONG"),
        (KYU_3 + " " * 400, "SC-LONG"),
        ("", "SC-PREFIX"),
        ("kyu-3", "SC-PREFIX"),
        ("ENBU", "SC-PREFIX"),
        ("ENBUI-00", "SC-PREFIX"),
        ("ENBU²-00", "SC-PREFIX"),
        ("ＥNBU1-00", "SC-PREFIX"),
        (KYU_3.replace("ENBU1", "ENBU2"), "SC-VERSION"),
        ("ENBU2-?", "SC-VERSION"),
        (KYU_3[:20] + "U" + KYU_3[21:], "SC-CHAR"),
        (KYU_3 + "!", "SC-CHAR"),
        (KYU_3[:20] + "０" + KYU_3[21:], "SC-CHAR"),
        (KYU_3[:-1], "SC-PAD"),
        (KYU_3[:-2], "SC-SUM"),
        (KYU_3 + "0", "SC-PAD"),
        ("ENBU1-", "SC-PAD"),
        ("ENBU1-00000", "SC-PAD"),
    ],
)
def test_what_is_no_code_is_refused_by_its_first_fault(text: str, code: str) -> None:
    """EN-101, EN-102, EN-133."""
    assert refused(text).code == code


def fields(
    *,
    version: int = 1,
    sizes: bytes = b"\x13\x10",
    mark: bytes = b"",
    name: bytes = b"\x03abc",
    one: bytes = b"\x06\x02\x03\x05\x09\x0a\x0b",
    two: bytes = b"\x00",
    three: bytes = b"\x00",
    first: bytes = b"\x01\x01",
    rest: bytes = b"\x02\x02\x03",
) -> bytes:
    """The fields of a book like the third grade."""
    return bytes([version]) + sizes + mark + name + one + two + three + first + rest


def test_the_fields_of_these_tests_are_a_book() -> None:
    assert decode(code_of(fields())).name == "abc"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (fields(version=2), "SC-VERSION"),
        (fields(version=0, rest=b""), "SC-VERSION"),
        (b"\x01", "SC-SHORT"),
        (fields()[:-1], "SC-SHORT"),
        (fields(name=b"\xff"), "SC-SHORT"),
        (fields(sizes=b"\x13\x18", mark=b"\x00"), "SC-SHORT"),
        (fields() + b"\x00", "SC-TRAIL"),
        (fields(one=b"\x01\xff") + b"\x00", "SC-TRAIL"),
        (fields(one=b"\x07\x02\x03\x05\x09\x0a\x0b\x21"), "SC-UNKNOWN"),
        (fields(one=b"\x07\x02\x03\x05\x09\x0a\x0b\x00"), "SC-UNKNOWN"),
        (fields(rest=b"\x03\x02\x03\x25"), "SC-UNKNOWN"),
        (fields(first=b"\x01\xff"), "SC-UNKNOWN"),
        (fields(one=b"\x06\x03\x02\x05\x09\x0a\x0b"), "SC-CANON"),
        (fields(one=b"\x07\x02\x02\x03\x05\x09\x0a\x0b"), "SC-CANON"),
        (fields(two=b"\x01\x02"), "SC-CANON"),
        (fields(rest=b"\x02\x03\x02"), "SC-CANON"),
        (fields(rest=b"\x03\x02\x03\x03"), "SC-CANON"),
        (fields(name=b"\x01\xff"), "SC-CANON"),
        (fields(name=b"\x03\xed\xa0\x80"), "SC-CANON"),  # half a pair is not UTF-8
        (fields(name=b"\x00"), "E-NAME"),
        (fields(name=b"\x02a\n"), "E-NAME"),
        (fields(name=b"\x01 "), "E-NAME"),
        (fields(name=b"\x03e\xcc\x81"), "E-NAME"),  # not NFC
        (fields(sizes=b"\x03\x10"), "E-SIZE"),
        (fields(sizes=b"\x63\x10"), "E-SIZE"),
        (fields(sizes=b"\x1f\x10"), "E-SIZE"),
        (fields(sizes=b"\x13\xf0"), "E-SIZE"),
        (fields(one=b"\x07\x02\x03\x05\x09\x0a\x0b\x1f"), "E-WILD"),
        (fields(three=b"\x01\x0d"), "E-COPIES"),
        (fields(rest=b"\x03\x01\x02\x03"), "E-DUP"),
        (fields(first=b"\x00", rest=b"\x00"), "E-COUNT"),
        (fields(rest=b"\x03\x02\x03\x0b"), "E-NEED"),
        (fields(sizes=b"\x11\x00"), "E-REACH"),
        (fields(rest=b"\x03\x02\x03\x09"), "E-SUPPLY"),
        (fields(sizes=b"\x13\x18", mark=b"\x00\x00"), "E-GOAL"),
        (fields(sizes=b"\x13\x18", mark=b"\xff\xff"), "E-GOAL"),
    ],
)
def test_a_code_that_was_made_badly_is_refused(data: bytes, code: str) -> None:
    """EN-97, EN-102, EN-129."""
    assert refused(code_of(data)).code == code


def test_several_faults_of_a_book_are_told_together() -> None:
    """EN-97, EN-102."""
    bad = refused(code_of(fields(sizes=b"\x03\xf0", name=b"\x00")))
    assert {fault.code for fault in bad.faults} == {"E-NAME", "E-SIZE"}
    assert [fault.path for fault in bad.faults if fault.code == "E-SIZE"] == [
        "table.pages",
        "table.hand",
    ]
    assert "table.hand" in bad.ja
    assert "table.hand" in bad.en


def test_a_code_is_checked_like_a_file() -> None:
    """EN-97, EN-102: its book, what is wrong, and the warnings."""
    assert check_code(KYU_3) == (decode(KYU_3), (), ())
    book, faults, warnings = check_code(code_of(fields(three=b"\x01\x04")))
    assert book is not None
    assert (faults, [(w.code, w.path) for w in warnings]) == ((), [("W-UNUSED", "cards.usagi")])
    assert [fault.code for fault in check_code("kyu-3")[1]] == ["SC-PREFIX"]
    assert [fault.code for fault in check_code(code_of(fields(name=b"\x00")))[1]] == ["E-NAME"]


# --- sizes -----------------------------------------------------------------------------------------


def test_the_longest_code_fits_a_post() -> None:
    """EN-101: a name of 48 bytes, a pass mark, all kinds of cards and 24 programs."""
    programs = list(CATALOGUE.programs)[12:]
    book = Book(
        id="longest",
        family=Family.YOROZU,
        name="鳳" * 16,
        pages=6,
        stage=6,
        hand=4,
        drop=True,
        reshuffle=True,
        wild=True,
        goal=BOOKS["dan-1"].goal,
        pass_mark=1,
        cards=tuple(
            (card.id, 1 + card.no % 2) for card in CATALOGUE.cards.values() if card.box > 1
        ),
        first=tuple(programs[:12]),
        rest=tuple(programs[12:]),
    )
    assert read_book(write_book(book).encode()) == book
    assert len(payload(book)) <= 123
    assert len(encode(book)) <= 210
    assert decode(encode(book)).name == book.name
    # Forty kinds are the most that any catalogue could have in a book.
    assert 6 + -(-(123 + 4) * 8 // 5) == 210


# --- properties ------------------------------------------------------------------------------------


@given(made_books())
def test_a_code_gives_its_book_again(book: Book) -> None:
    """EN-103, EN-122; the id follows from the payload (EN-104)."""
    code = encode(book)
    assert decode(code) == book
    assert encode(decode(code)) == code
    assert len(code) <= 210
    assert book.id[2:].upper() == base32(hashlib.sha256(payload(book)).digest())[:8]


@given(made_books())
def test_a_file_and_a_code_say_the_same(book: Book) -> None:
    """EN-96, EN-103, EN-122."""
    text = write_book(book)
    assert read_book(text.encode()) == book
    assert write_book(read_book(text.encode())) == text
    assert write_book(decode(encode(book))) == text


@given(made_books(), st.data())
def test_a_changed_symbol_is_refused(book: Book, data: st.DataObject) -> None:
    """EN-122."""
    code = encode(book)
    at = data.draw(st.integers(6, len(code) - 1))
    other = data.draw(st.sampled_from([symbol for symbol in SYMBOLS if symbol != code[at]]))
    assert refused(code[:at] + other + code[at + 1 :]).code in {"SC-PAD", "SC-SUM"}


@pytest.mark.parametrize("book", BOOKS.values(), ids=lambda book: book.id)
def test_every_change_of_a_symbol_in_the_codes_of_the_books_is_refused(book: Book) -> None:
    """EN-122, tried out whole."""
    code = encode(book)
    for at in range(6, len(code)):
        for other in SYMBOLS:
            if other != code[at]:
                refused(code[:at] + other + code[at + 1 :])


@given(st.one_of(st.text(), st.text(SYMBOLS + "oil -u").map(lambda text: "ENBU1-" + text)))
def test_any_text_is_read_or_refused(text: str) -> None:
    """EN-102, EN-122: what is read has this one canonical code."""
    try:
        book = decode(text)
    except BadCode:
        return
    assert decode(encode(book)) == book


@given(st.binary(max_size=140))
def test_any_payload_is_read_or_refused(data: bytes) -> None:
    """EN-102, EN-122: behind a good checksum too, only what would be written is read."""
    code = code_of(b"\x01" + data)
    try:
        book = decode(code)
    except BadCode:
        return
    assert encode(book) == code


@given(made_books(), st.data())
def test_a_payload_with_a_changed_byte_is_read_as_another_book_or_refused(
    book: Book, data: st.DataObject
) -> None:
    """EN-122."""
    body = bytearray(payload(book))
    at = data.draw(st.integers(0, len(body) - 1))
    body[at] = data.draw(st.integers(0, 255))
    code = code_of(bytes(body))
    try:
        other = decode(code)
    except BadCode:
        return
    assert encode(other) == code
    assert read_book(write_book(other).encode()) == other
