"""Names, titles, chat, and what a terminal may be given."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kaguraden_protocol.errors import RefusedError
from kaguraden_protocol.text import (
    check_name,
    clean_chat,
    clean_title,
    cut,
    distinct_name,
    for_terminal,
    skeleton,
    tidy_name,
)
from wcwidth import wcwidth

any_text = st.text(st.characters(), max_size=40)

GOOD = [
    "A",
    "Aki",
    "秋",
    "山田 太郎",
    "山田　太郎",  # with an ideographic space
    "x" * 24,
    "舞" * 12,
    "Zoë",
    "Nguyễn",
    "עֵדֶן",
    "ไก่ย่าง",
    "한글",
    "🎴神楽",
    "葛\U000e0100城",  # a variant of an ideograph
    "a_b-c.d!",
    "q̇̌",  # two marks without a composed form
]

BAD = [
    ("", 0, "empty"),
    (" Aki", 0, "a space at the start"),
    ("　秋", 0, "a space at the start"),
    ("Aki ", 3, "a space at the end"),
    ("A  b", 2, "two spaces together"),
    ("A 　b", 2, "two spaces together"),
    (" ", 0, "a space at the start"),
    ("A\x00", 1, "a control character"),
    ("A\x1b[2J", 1, "a control character"),
    ("A\n", 1, "a control character"),
    ("A\x85", 1, "a control character"),
    ("\u202eevil", 0, "a format character"),
    ("a\u2066b", 1, "a format character"),
    ("a\u200bb", 1, "a format character"),
    ("a\u200db", 1, "a format character"),
    ("a\u00adb", 1, "a format character"),
    ("a\ufeff", 1, "a format character"),
    ("a\U000e0041", 1, "a format character"),
    ("a\ue000", 1, "a private-use character"),
    ("a\U000f0000", 1, "a private-use character"),
    ("a\u0378", 1, "an unassigned character"),
    ("a\uffff", 1, "an unassigned character"),
    ("a\ud800", 1, "half of a surrogate pair"),
    ("a\u2028b", 1, "a line separator"),
    ("a\u2029b", 1, "a paragraph separator"),
    ("a\u3164", 1, "a character that shows nothing"),
    ("\u115f", 0, "a character that shows nothing"),
    ("a\u1160", 1, "a character that shows nothing"),
    ("\uffa0", 0, "a character that shows nothing"),
    ("\u2800", 0, "a character that shows nothing"),
    ("a\u034f", 1, "a character that shows nothing"),
    ("x\u030c\u0307\u0308", 3, "more than 2 marks on a letter"),
    ("\u0301a", 0, "a mark without a letter"),
    ("a \u0301", 2, "a mark without a letter"),
    ("\u1161" * 30, 0, "a mark without a letter"),
    ("ᄀ" + "\u1161" * 30, 3, "more than 2 marks on a letter"),
    ("x" * 25, 24, "wider than 24 cells"),
    ("舞" * 13, 12, "wider than 24 cells"),
    ("x" * 23 + "舞", 23, "wider than 24 cells"),
    ("abe\u0301", 2, "not in composed form (NFC)"),
    ("K\u212a", 1, "not in composed form (NFC)"),  # the Kelvin sign
]


@pytest.mark.parametrize("name", GOOD)
def test_a_good_name_is_taken_as_it_is(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize(("name", "position", "problem"), BAD, ids=range(len(BAD)))
def test_a_bad_name_is_refused_with_the_position_of_the_fault(
    name: str, position: int, problem: str
) -> None:
    with pytest.raises(RefusedError) as caught:
        check_name(name)
    assert caught.value.code == "bad_name"
    assert caught.value.details == {
        "position": position,
        "problems": [{"path": "$.name", "problem": problem}],
    }


def test_a_very_long_name_is_refused_soon() -> None:
    for name in ("x" * 1_000_000, "\u1161" * 1_000_000, "a\u0301" * 500_000):
        with pytest.raises(RefusedError):
            check_name(name)


@settings(max_examples=300, deadline=None)
@given(any_text)
def test_a_name_that_is_taken_is_composed_visible_and_narrow(name: str) -> None:
    try:
        check_name(name)
    except RefusedError:
        return
    assert unicodedata.is_normalized("NFC", name)
    assert 1 <= sum(max(wcwidth(c), 0) for c in name) <= 24
    assert name == name.strip()
    assert for_terminal(name).replace("\ufe0f", "") == "".join(
        c for c in name if not "\ufe00" <= c <= "\ufe0f"
    )


@settings(max_examples=200, deadline=None)
@given(any_text)
def test_a_tidied_name_is_a_good_one(text: str) -> None:
    check_name(tidy_name(text, "guest"))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("  Aki  no\tko ", "Aki no ko"),
        ("abe\u0301", "abé"),
        ("x" * 30, "x" * 24),
        ("\u202e", "guest"),
        ("", "guest"),
        ("舞" * 13, "舞" * 12),
        ("x" * 23 + " y", "x" * 23),
    ],
)
def test_tidying_keeps_what_it_can(text: str, name: str) -> None:
    assert tidy_name(text, "guest") == name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Aki", "aki"),
        ("Aki", "Ａｋｉ"),
        ("ｱｷ", "アキ"),
        ("Straße", "STRASSE"),
        ("①", "1"),
        ("山田　太郎", "山田 太郎"),
        ("葛城", "葛\U000e0100城"),
        ("❤", "❤\ufe0f"),
        ("ﬁn", "FIN"),
    ],
)
def test_names_that_look_alike_have_the_same_skeleton(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


def test_names_that_differ_have_different_skeletons() -> None:
    assert len({skeleton(name) for name in ("Aki", "Aki 2", "秋", "あき", "Akı")}) == 5


def test_the_later_of_two_names_that_look_alike_gets_a_number() -> None:
    assert distinct_name("Aki", []) == "Aki"
    assert distinct_name("Aki", ["Yuki"]) == "Aki"
    assert distinct_name("Aki", ["aki"]) == "Aki 2"
    assert distinct_name("Ａｋｉ", ["Aki", "aki 2"]) == "Ａｋｉ 3"
    assert distinct_name("x" * 24, ["x" * 24]) == "x" * 22 + " 2"


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(GOOD), st.lists(st.sampled_from(GOOD), max_size=5))
def test_a_numbered_name_is_still_a_good_one(name: str, taken: list[str]) -> None:
    for _ in range(12):
        taken.append(check_name(distinct_name(name, taken)))
    assert len({skeleton(other) for other in taken[-12:]}) == 12


def test_a_title_is_cleaned_to_one_line() -> None:
    assert clean_title("  秋の\n夜  \x1b[31m会 ") == "秋の 夜 [31m会"
    assert clean_title("x" * 60) == "x" * 48
    assert clean_title("題" * 60) == "題" * 24
    assert clean_title("a\u3000\u3000b") == "a b"
    assert clean_title("\u200b \u202e") is None
    assert clean_title("") is None


def test_chat_is_cleaned_to_one_line() -> None:
    assert clean_chat(" よろしく\r\nおねがい  します\x07 ") == "よろしく  おねがい  します"
    assert clean_chat("cafe\u0301") == "café"
    assert clean_chat("\u2066\u200f") == ""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ASCII ~!", "plain ASCII ~!"),
        ("神楽 ｶｸﾞﾗ 🎴", "神楽 ｶｸﾞﾗ 🎴"),
        ("\x1b]0;title\x07", "]0;title"),
        ("a\x9b31mb", "a31mb"),
        ("a\nb\tc\rd\x85e\u2028f\u2029g", "a b c d e f g"),
        ("a\u202eb\u2066c\u200fd\u061ce", "abcde"),
        ("a\u200bb\u200cc\u200dd\u2060e\ufefff\u00adg", "abcdefg"),
        ("a\u3164b\u115fc\u1160d\uffa0e\u2800f", "abcdef"),
        ("a\ue000b\U00100000c\u0378d\uffffe\ud800f", "abcdef"),
        ("❤\ufe0f", "❤"),
        ("x" + "\u0301" * 50 + "y", "x\u0301\u0301y"),
        ("\u0301a", "a"),
        (" \u0301", " "),
        ("ᄀ" + "\u1161" * 5, "ᄀ\u1161\u1161"),
        ("\U000e0041\U000e0042", ""),
    ],
)
def test_what_could_harm_a_terminal_is_dropped(text: str, shown: str) -> None:
    assert for_terminal(text) == shown


@settings(max_examples=300, deadline=None)
@given(any_text)
def test_a_terminal_gets_one_line_of_characters_that_it_shows(text: str) -> None:
    shown = for_terminal(text)
    assert not any(
        unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for c in shown
    )
    assert all(wcwidth(c) >= 0 for c in shown)
    assert for_terminal(shown) == shown


def test_text_is_cut_by_cells() -> None:
    assert cut("神楽殿", 6) == "神楽殿"
    assert cut("神楽殿", 5) == "神楽"
    assert cut("ab cd", 3) == "ab"
    assert cut("e\u0301f", 1) == "e\u0301"
