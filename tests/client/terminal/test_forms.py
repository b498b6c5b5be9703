"""Typing: the line editor, and the form made from a game's options."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from kaguraden_client.terminal.editor import Editor
from kaguraden_client.terminal.form import Form, fields_of
from kaguraden_client.terminal.text import width
from kaguraden_rules.odoriko.options import Options, options_schema, parse_options

KEYS = st.one_of(
    st.sampled_from(
        [
            "up",
            "down",
            "left",
            "right",
            "tab",
            "backtab",
            "enter",
            "home",
            "end",
            "pageup",
            "pagedown",
            "backspace",
            "delete",
            "space",
            "c-u",
            "c-w",
            "c-k",
            "c-a",
            "c-e",
            "f7",
            "escape",
        ]
    ),
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]),
)


def typed(keys: str | list[str], editor: Editor | None = None) -> Editor:
    editor = editor or Editor()
    for key in keys:
        editor = editor.press(key)
    return editor


def test_text_is_typed_and_corrected() -> None:
    editor = typed([*"kagura", "space", *"den", "home", "delete", "K", "end", "backspace", "!"])
    assert editor.text == "Kagura de!"
    assert typed(["c-w"], editor).text == "Kagura "
    assert typed(["c-u", "x"], editor).text == "x"
    assert typed(["home", "right", "c-k"], editor).text == "K"


def test_pasted_text_loses_what_no_line_holds() -> None:
    assert Editor().insert("歌\x1b[31m\n踊").text == "歌[31m 踊"
    assert Editor(limit=3).insert("abcdef").text == "abc"


@given(st.lists(KEYS, max_size=30), st.integers(1, 20))
def test_the_cursor_is_always_in_the_window(keys: list[str], cells: int) -> None:
    editor = typed(keys)
    shown, at = editor.window(cells)
    assert 0 <= editor.at <= len(editor.text)
    assert 0 <= at <= max(cells, 2)
    assert width(shown) <= max(cells, width(editor.text[: editor.at]))


def test_every_option_of_odoriko_has_a_field_with_its_default() -> None:
    form = Form(fields_of(options_schema()))
    parsed = parse_options({f.name: form.value(f.name) for f in form.fields})
    assert parsed == Options()
    assert form.changed(f.name for f in form.fields) == {}


@given(st.lists(KEYS, max_size=60))
def test_whatever_is_typed_only_values_of_the_schema_come_out(keys: list[str]) -> None:
    form = Form(fields_of(options_schema()))
    for key in keys:
        form, _ = form.press(key)
    form = form.settled()
    parse_options({f.name: form.value(f.name) for f in form.fields})


def test_a_form_is_filled_in_with_arrows_and_digits() -> None:
    schema: dict[str, Any] = {
        "properties": {
            "mode": {"enum": ["outcry", "polled"], "default": "outcry"},
            "most": {"type": "integer", "minimum": 1, "maximum": 99, "default": 20},
            "open": {"type": "boolean", "default": False},
            "note": {"type": "string", "maxLength": 5},
            "shape": {"type": "array"},
        }
    }
    form, done = Form(fields_of(schema)), False
    keys = ["right", "down", "c-u", "7", "x", "down", "space", "down", *"歌と踊りを", "!", "enter"]
    for key in [*keys, "enter"]:
        assert not done
        form, done = form.press(key)
    assert done
    names = [f.name for f in form.fields]
    assert names == ["mode", "most", "open", "note"]
    assert form.changed(names) == {"mode": "polled", "most": 7, "open": True, "note": "歌と踊りを"}


def test_a_number_out_of_range_becomes_the_nearest() -> None:
    schema: dict[str, Any] = {
        "properties": {"most": {"type": "integer", "minimum": 1, "maximum": 99, "default": 20}}
    }
    form = Form(fields_of(schema))
    for key in ["c-u", *"500", "enter"]:
        form, _ = form.press(key)
    assert form.value("most") == 99


def schema(**properties: Any) -> Form:
    return Form(fields_of({"properties": properties}))


MOST = {"type": "integer", "minimum": 1, "maximum": 99, "default": 20}
TIME = {"type": "integer", "minimum": 500, "maximum": 86_400_000, "default": 90_000}


def press(form: Form, *keys: str) -> Form:
    for key in keys:
        form, _ = form.press(key)
    return form


def test_the_first_digit_takes_the_place_of_the_number() -> None:
    form = press(schema(most=MOST), "4", "3")
    assert press(form, "enter").value("most") == 43
    assert press(schema(most=MOST), "backspace", "5", "enter").value("most") == 25, "editing"


def test_a_number_that_was_made_to_fit_is_told_until_the_next_key() -> None:
    form = press(schema(most=MOST, other=MOST), *"500", "down")
    assert (form.value("most"), form.clamped) == (99, "most")
    assert press(form, "down").clamped is None
    assert press(schema(most=MOST), *"50", "down").clamped is None


def test_times_are_typed_in_seconds() -> None:
    form = schema(turn_ms=TIME)
    editor = form.editor()
    assert editor is not None
    assert editor.text == "90"
    assert press(form, *"2.5", "down").value("turn_ms") == 2_500
    assert press(form, "right").value("turn_ms") == 91_000
    assert press(form, *"0.1", "down").value("turn_ms") == 500
    assert press(form, ".", "down").value("turn_ms") == 90_000
    short = {"type": "integer", "minimum": 50, "maximum": 5_000, "default": 300}
    assert press(schema(window_min_ms=short), "left").value("window_min_ms") == 200
