"""A rulebook's Markdown as lines of a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaguraden_client.terminal.markdown import page, parts
from kaguraden_client.terminal.text import line_width, plain_text
from kaguraden_rules.odoriko.catalog import rulebook

TABLE = "| seat | field  |\n|------|--------|\n| Aki  | **9♦** |\n| Natsu |\n"


def shown(text: str, cells: int = 40) -> list[str]:
    return plain_text(page(text, cells).lines).split("\n")


def test_lines_of_a_paragraph_are_one_text() -> None:
    assert shown("One\ntwo\n\nthree") == ["One two", "", "three"]


def test_wide_characters_are_joined_without_a_space() -> None:
    assert shown("手番は\n2回です。\n- 引く、\n  置く") == ["手番は2回です。", "", "· 引く、置く"]


def test_entries_hang_below_their_marks_and_break_at_a_backslash() -> None:
    text = "- one two three\n- four\\\n  five\n\n10. six seven"
    assert shown(text, 10) == [
        "· one two",
        "  three",
        "· four",
        "  five",
        "",
        "10. six",
        "    seven",
    ]


def test_headings_are_sections() -> None:
    told = page("# A\ntext\n## B\n### C\n- x\n## D", 40)
    assert plain_text(told.lines).split("\n") == [
        "■ A", "", "text", "", "■ B", "", "C", "", "· x", "", "■ D"
    ]  # fmt: skip
    assert told.sections == (0, 4, 10)


def test_bold_code_and_links_lose_their_marks() -> None:
    ((before, bold, rest),) = page("a **b** `c_d` [e](http://f) 2 ** 3 * [g]", 60).lines
    assert (before, bold) == (("", "a "), ("strong", "b"))
    assert rest == ("", " c_d e 2 ** 3 * [g]")


def test_a_table_stands_in_columns_or_one_row_a_line_where_it_is_too_wide() -> None:
    assert shown(TABLE) == ["seat   field", "Aki    9♦", "Natsu"]
    assert shown(TABLE, 11) == ["seat: Aki ·", "  field: 9♦", "seat: Natsu", "  · field:"]


def test_what_another_sent_is_cleaned_and_cut() -> None:
    assert shown("a\x1b[31mb\u202e") == ["a[31mb"]
    assert len(parts("# x\n" * 100_000)) == 25_000


@given(
    st.text(st.sampled_from("ab歌 #-1.|*`[]()\\\n\x1b")), st.integers(2, 30)
)  # fmt: skip
def test_any_text_keeps_to_its_width(text: str, cells: int) -> None:
    told = page(text, cells)
    assert all(line_width(line) <= cells for line in told.lines)
    assert all(told.lines[line][0][0] == "strong" for line in told.sections)


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("cells", [30, 78, 120])
def test_the_rulebook_of_odoriko_is_drawn_without_marks(language: str, cells: int) -> None:
    told = page(rulebook(language), cells)
    text = plain_text(told.lines)
    assert len(told.sections) == 19
    assert all(line_width(line) <= cells for line in told.lines)
    assert not any(mark in text for mark in ("**", "`", "|", "\\", "#"))
    if cells >= 78:  # its tables stand in columns
        assert ("参加者  歌の場" if language == "ja" else "player  song field") in text
