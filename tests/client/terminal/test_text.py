"""Text in cells: what was measured is what is drawn, and no cut leaves half a character."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaguraden_client.terminal.text import (
    clean,
    cut,
    cut_line,
    fit_line,
    line_text,
    line_width,
    narrow,
    pad,
    width,
    wrap,
    wrap_line,
)
from prompt_toolkit.utils import get_cwidth
from wcwidth import wcwidth

TEXTS = st.text(st.one_of(st.characters(), st.sampled_from("歌踊樹‹›♥★●́̂がﾊﾟ 　ab")))


@given(TEXTS)
def test_widths_are_those_that_prompt_toolkit_draws_with(text: str) -> None:
    text = clean(text)
    assert width(text) == sum(get_cwidth(c) for c in text)


@given(TEXTS)
def test_cleaned_text_has_no_control_and_does_not_begin_with_a_mark(text: str) -> None:
    cleaned = clean(text)
    assert not any(wcwidth(c) < 0 for c in cleaned)
    assert not cleaned or wcwidth(cleaned[0]) > 0


@given(TEXTS, st.integers(0, 30))
def test_a_cut_fits_and_keeps_whole_characters_with_their_marks(text: str, cells: int) -> None:
    text = clean(text)
    short = cut(text, cells)
    assert width(short) <= cells
    if short != text:
        kept = short.removesuffix("…")
        assert text.startswith(kept)
        rest = text[len(kept) :]
        assert not kept or not rest or wcwidth(rest[0]) > 0


@given(TEXTS, st.integers(0, 30), st.sampled_from(["left", "right", "centre"]))
def test_padding_fills_to_exactly_the_cells(text: str, cells: int, align: str) -> None:
    assert width(pad(clean(text), cells, align)) == cells  # type: ignore[arg-type]


@given(st.lists(st.tuples(st.sampled_from(["", "strong"]), TEXTS), max_size=6), st.integers(1, 40))
def test_lines_of_fragments_fit_exactly(parts: list[tuple[str, str]], cells: int) -> None:
    line = tuple((style, clean(text)) for style, text in parts)
    assert line_width(cut_line(line, cells)) <= cells
    assert line_width(fit_line(line, cells)) == cells


@given(TEXTS, st.integers(2, 40), st.integers(0, 6))
def test_wrapping_fits_and_loses_nothing_but_spaces(text: str, cells: int, indent: int) -> None:
    text = clean(text)
    lines = wrap_line((("", text),), cells, indent)
    assert all(line_width(line) <= cells for line in lines)
    assert "".join("".join(map(line_text, lines)).split()) == "".join(text.split())


def test_japanese_breaks_between_characters_but_not_before_a_full_stop() -> None:
    assert wrap("歌と踊りを捧げる。", 10) == ["歌と踊りを", "捧げる。"]
    assert wrap("歌と踊りを。捧げる", 10) == ["歌と踊り", "を。捧げる"]


def test_a_sign_stays_with_its_card() -> None:
    assert wrap("needs ○鶏 ▼牛", 11) == ["needs ○鶏", "▼牛"]
    assert wrap("needs ○鶏 ▼牛", 8) == ["needs", "○鶏 ▼牛"]


def test_english_breaks_at_spaces() -> None:
    assert wrap("song and dance", 9) == ["song and", "dance"]


@pytest.mark.parametrize(
    ("text", "narrowed"), [("9♥ ★…", "9h *~"), ("歌 樹19", "歌 樹19"), ("plain", "plain")]
)
def test_narrow_replaces_what_east_asian_terminals_double(text: str, narrowed: str) -> None:
    assert narrow(text) == narrowed
    assert width(narrowed) == width(text)
