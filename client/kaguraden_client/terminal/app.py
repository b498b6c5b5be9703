"""The full-screen client: prompt_toolkit around `Ui`, over the asyncio shell.

One window shows what `Ui.paint` returns, at whatever size the terminal has; every key goes to
`Ui.press`. Two tasks run beside the application: one hands the session's events to the `Ui`, one
redraws twice a second while a clock runs. SIGTERM, SIGINT and SIGHUP end the application like a
key would, so the terminal is always left as it was found.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import signal
from collections.abc import Callable
from typing import Final, Protocol

from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Point
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import FormattedTextControl, Layout, UIContent, Window
from prompt_toolkit.output import Output

from ..asyncio_shell import Client
from .memory import Memory
from .screens.base import Body
from .style import STYLE, prompt_fragments
from .text import narrow
from .ui import Quit, RememberName, RememberToken, Ui

__all__ = ["Shown", "build_app", "run", "run_until_gone"]

_TICK_SECONDS: Final = 0.5  # between two looks at a running clock, which shows whole seconds
_NAMES: Final = {
    "c-m": "enter",
    "c-j": "enter",
    "c-i": "tab",
    "s-tab": "backtab",
    "c-h": "backspace",
    " ": "space",
}


class Shown(Protocol):
    """What the application draws and gives the keys to: `Ui`, or a recorded game."""

    def paint(self, cells: int, height: int, now: float) -> Body:
        """Return the whole screen."""

    def press(self, key: str, now: float) -> None:
        """Take a key."""

    def paste(self, text: str, now: float) -> None:
        """Take pasted text."""


def build_app(
    ui: Shown,
    now: Callable[[], float],
    after_key: Callable[[], None],
    *,
    plain_glyphs: bool = False,
    input: Input | None = None,  # noqa: A002 - prompt_toolkit's name
    output: Output | None = None,
) -> Application[None]:
    """Return the application that draws a `Ui`, or the like, and gives it the keys.

    Args:
        ui: What to show.
        now: The clock that it lives by.
        after_key: Called after every key, to send what it asked for.
        plain_glyphs: Whether to avoid characters of ambiguous width.
        input: Where keys come from; by default the terminal.
        output: Where to draw; by default the terminal.
    """

    def content(width: int, height: int) -> UIContent:
        body = ui.paint(width, height, now())
        lines = [
            prompt_fragments(tuple((s, narrow(t)) for s, t in line) if plain_glyphs else line)
            for line in body.lines
        ]
        cursor = Point(*body.cursor) if body.cursor is not None else None
        return UIContent(
            get_line=lambda i: [(style, text) for style, text in lines[i]],
            line_count=len(lines),
            cursor_position=cursor or Point(0, 0),
            show_cursor=cursor is not None,
        )

    class Painted(FormattedTextControl):
        def create_content(self, width: int, height: int | None) -> UIContent:
            return content(width, height or 24)

    bindings = KeyBindings()

    def take(event: KeyPressEvent) -> None:
        press = event.key_sequence[0]
        name = press.key.value if isinstance(press.key, Keys) else press.key
        if name == Keys.BracketedPaste.value:
            ui.paste(press.data, now())
        else:
            ui.press(_NAMES.get(name, name), now())
        after_key()

    bindings.add(Keys.Any, eager=True)(take)
    bindings.add(Keys.BracketedPaste, eager=True)(take)
    for key in ("c-c", "c-m", "c-j", "escape"):
        bindings.add(key, eager=key != "escape")(take)

    @bindings.add("<sigint>")
    def _(_event: KeyPressEvent) -> None:
        ui.press("c-c", now())
        after_key()

    app: Application[None] = Application(
        layout=Layout(Window(Painted("", focusable=True, show_cursor=True), wrap_lines=False)),
        key_bindings=bindings,
        style=STYLE,
        full_screen=True,
        mouse_support=False,
        input=input,
        output=output,
    )
    app.ttimeoutlen = 0.05  # Esc alone is taken at once; terminals send sequences in one go
    app.timeoutlen = 0.05
    return app


async def run_until_gone(app: Application[None], stop: Callable[[], None]) -> None:
    """Run an application until it ends; `stop` is called at SIGTERM and SIGHUP.

    A terminal that is gone ends it as well: there is nothing to leave clean.
    """
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(name, stop)
    try:
        await app.run_async()
    except EOFError:
        pass  # nobody is at the terminal any more
    except OSError as error:
        if error.errno != errno.EIO:
            raise
    finally:
        for name in (signal.SIGTERM, signal.SIGHUP):
            loop.remove_signal_handler(name)


async def run(client: Client, ui: Ui, memory: Memory, *, plain_glyphs: bool = False) -> None:
    """Show the client until its user quits."""
    loop = asyncio.get_running_loop()
    app: Application[None]

    def stop() -> None:
        if app.is_running and not (app.future and app.future.done()):
            app.exit()

    def settle() -> None:
        """Send what was asked for and carry out what is left to the shell."""
        client.flush()
        for effect in ui.effects:
            match effect:
                case Quit():
                    stop()
                case RememberToken(token=token, name=name):
                    memory.remember(token, name)
                case RememberName(name=name):
                    memory.rename(name)
        ui.effects.clear()
        app.invalidate()

    app = build_app(ui, loop.time, settle, plain_glyphs=plain_glyphs)

    async def listen() -> None:
        async for event in client.events():
            ui.happened(event, loop.time())
            settle()

    async def tick() -> None:
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            if ui.is_ticking:
                app.invalidate()

    def ended(task: asyncio.Task[None]) -> None:
        """Let a bug in a task end the application instead of leaving a dead screen."""
        if task.cancelled() or (error := task.exception()) is None:
            return
        if app.is_running and not (app.future and app.future.done()):
            app.exit(exception=error)

    tasks = [asyncio.create_task(listen()), asyncio.create_task(tick())]
    for task in tasks:
        task.add_done_callback(ended)
    try:
        await run_until_gone(app, stop)
    finally:
        for task in tasks:
            task.cancel()
        for task in tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task
