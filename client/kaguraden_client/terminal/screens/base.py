"""What all screens share: a body between a title line and a line of keys, and the pieces of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from attrs import frozen

from ..editor import Editor
from ..text import Fragment, Line, cut_line, fit_line, line_width, pad, width

if TYPE_CHECKING:
    from ..ui import Ui

__all__ = [
    "Body",
    "Keys",
    "Screen",
    "compose",
    "edit_line",
    "input_body",
    "key_line",
    "rule",
    "scrolled",
    "time_text",
]

Keys: TypeAlias = "list[tuple[str, str]]"  # the key as it is named on keyboards, what it does


@frozen
class Body:
    """Lines to draw, and the cell of the cursor where something is typed."""

    lines: tuple[Line, ...]
    cursor: tuple[int, int] | None = None  # column, line


class Screen:
    """One screen, or a page over it. `Ui` keeps a stack of them; the top one has the keys."""

    def title(self, ui: Ui) -> str:
        """Return what the title line says."""
        return ""

    def body(self, ui: Ui, width: int, height: int) -> Body:
        """Return at most `height` lines of at most `width` cells."""
        raise NotImplementedError

    def keys(self, ui: Ui) -> Keys:
        """Return the keys that do something here."""
        raise NotImplementedError

    def press(self, ui: Ui, key: str) -> None:
        """Apply a key."""
        raise NotImplementedError

    def paste(self, ui: Ui, text: str) -> None:
        """Take pasted text; dropped where nothing is typed."""


def rule(name: Line, cells: int, right: Line = ()) -> Line:
    """Return a line across the screen with a name in it, and something at its end."""
    head: Line = (("rule", "─ "), *name, ("rule", " ")) if name else ()
    tail: Line = (("rule", " "), *right, ("rule", " ─")) if right else ()
    if line_width(head) + line_width(tail) + 2 > cells:
        head = (*cut_line(head, max(0, cells - line_width(tail) - 2)), ("rule", " "))
    fill = cells - line_width(head) - line_width(tail)
    return cut_line((*head, ("rule", "─" * max(0, fill)), *tail), cells)


def key_line(keys: Keys, cells: int) -> Line:
    """Return the line of keys: closer together if need be, and then without the last ones.

    The way out, ^C, is always there.
    """

    def build(shown: Keys, gap: str) -> Line:
        out: list[Fragment] = [("keys", " ")]
        for i, (key, word) in enumerate(shown):
            out += [("keys", gap if i else ""), ("keys.key", key), ("keys", f" {word}")]
        return tuple(out)

    for gap in ("   ", "  "):
        if line_width(build(keys, gap)) < cells:
            return fit_line(build(keys, gap), cells, "keys")
    shown = sorted(keys, key=lambda key: key[0] == "^C")
    while len(shown) > 1 and line_width(build(shown, " ")) > cells:
        shown.pop(-2 if shown[-1][0] == "^C" else -1)
    return fit_line(build(shown, " "), cells, "keys")


def time_text(left_ms: int) -> str:
    """Return a time left as `0:07`: rounded up, so that 0:00 is when it is over."""
    seconds = -(-max(0, left_ms) // 1000)
    hours, rest = divmod(seconds, 3600)
    if hours:
        return f"{hours}:{rest // 60:02}:{rest % 60:02}"
    return f"{rest // 60}:{rest % 60:02}"


def edit_line(label: str, editor: Editor, cells: int) -> tuple[Line, int]:
    """Return a line with a text being typed after a label, and the cursor's column."""
    label = f" {label}: "
    if width(label) > cells // 2:
        label = pad(label, max(0, cells // 2 - 1)) + " "
    room = max(1, cells - width(label) - 1)
    text, at = editor.window(room)
    return ((("field", label), ("input", pad(text, room))), width(label) + at)


def input_body(label: str, editor: Editor, cells: int, more: Sequence[Line] = ()) -> Body:
    """Return a body that asks for a text, with lines under it."""
    line, column = edit_line(label, editor, cells)
    return Body(((), line, (), *more), (column, 1))


def scrolled(lines: Sequence[Line], offset: int, height: int) -> tuple[tuple[Line, ...], int]:
    """Return the part of the lines that is shown, and the offset kept within them."""
    offset = max(0, min(offset, len(lines) - height))
    return tuple(lines[offset : offset + height]), offset


def compose(title: Line, body: Body, keys: Line, cells: int, height: int) -> Body:
    """Put a whole screen together: exactly `height` lines of exactly `cells`."""
    room = max(0, height - 2)
    lines = [fit_line(line, cells) for line in body.lines[:room]]
    lines += [fit_line((), cells)] * (room - len(lines))
    screen = [fit_line(title, cells, "title"), *lines, fit_line(keys, cells, "keys")][:height]
    cursor = body.cursor
    if cursor is not None:
        cursor = (min(cursor[0], cells - 1), cursor[1] + 1)
        if cursor[1] > room or height < 3:
            cursor = None
    return Body(tuple(screen), cursor)
