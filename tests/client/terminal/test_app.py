"""prompt_toolkit around the `Ui`: keys as terminals send them, and the screen that is drawn."""

from __future__ import annotations

import asyncio
import io
import re

import pytest
from kaguraden_client.session import Session
from kaguraden_client.terminal.app import build_app
from kaguraden_client.terminal.ui import Quit, Ui
from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from prompt_toolkit.output.color_depth import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output


class KeyLog(Ui):
    """A `Ui` that writes down what reaches it, and ends at a key."""

    def __init__(self, end: str) -> None:
        super().__init__(Session("Aki"))
        self.taken: list[str] = []
        self.end = end
        self.app: Application[None] | None = None

    def press(self, key: str, now: float) -> None:
        self.taken.append(key)
        if key == self.end and self.app is not None:
            self.app.exit()

    def paste(self, text: str, now: float) -> None:
        self.taken.append(f"paste {text}")


def run(sent: str, end: str) -> list[str]:
    """Send raw input to the application and return the keys that it took, the last one excepted."""
    ui = KeyLog(end)

    async def main() -> None:
        with create_pipe_input() as pipe:
            ui.app = build_app(ui, lambda: 0.0, lambda: None, input=pipe, output=DummyOutput())
            pipe.send_text(sent)
            async with asyncio.timeout(10):
                await ui.app.run_async()

    asyncio.run(main())
    assert ui.taken.pop() == end
    return ui.taken


@pytest.mark.parametrize(
    ("sent", "keys"),
    [
        ("10 a?", ["1", "0", "space", "a", "?"]),
        ("\r\n", ["enter", "enter"]),
        ("\t\x7f\x1b[Z", ["tab", "backspace", "backtab"]),
        ("\x1b[A\x1b[B\x1b[C\x1b[D", ["up", "down", "right", "left"]),
        ("\x1bOP\x1bOQ\x1b[13~\x1bOS\x1b[20~", ["f1", "f2", "f3", "f4", "f9"]),
        ("\x1b[5~\x1b[6~\x1b[H\x1b[F\x1b[3~", ["pageup", "pagedown", "home", "end", "delete"]),
        ("\x03\x15\x17", ["c-c", "c-u", "c-w"]),
        ("歌é", ["歌", "é"]),
        ("\x1b[200~KAGU-7Q2F\x1b[201~", ["paste KAGU-7Q2F"]),
    ],
)
def test_keys_reach_the_ui_by_name(sent: str, keys: list[str]) -> None:
    assert run(sent + "Q", "Q") == keys


def test_escape_alone_is_a_key() -> None:
    assert run("1\x1b", "escape") == ["1"]


@pytest.mark.parametrize(
    "depth", [ColorDepth.DEPTH_1_BIT, ColorDepth.DEPTH_4_BIT, ColorDepth.DEPTH_8_BIT]
)
def test_it_draws_with_any_number_of_colours_and_leaves_the_screen(depth: ColorDepth) -> None:
    written = io.StringIO()
    output = Vt100_Output(
        written, lambda: Size(rows=24, columns=80), term="xterm", default_color_depth=depth
    )
    ui = Ui(Session("Aki"))

    async def main() -> None:
        with create_pipe_input() as pipe:

            def settle() -> None:
                if Quit() in ui.effects:
                    app.exit()

            app = build_app(ui, lambda: 0.0, settle, input=pipe, output=output)
            pipe.send_text("\x03\x03")
            async with asyncio.timeout(10):
                await app.run_async()

    asyncio.run(main())
    text = written.getvalue()
    assert "\x1b[?1049h" in text
    assert text.rindex("\x1b[?1049l") > text.rindex("\x1b[?1049h")
    looks = {
        int(n or 0) for sgr in re.findall(r"\x1b\[([\d;]*)m", text) for n in sgr.split(";")[:2]
    }
    has_colour = bool(looks & {*range(30, 39), *range(90, 98)})
    assert has_colour == (depth is not ColorDepth.DEPTH_1_BIT)
