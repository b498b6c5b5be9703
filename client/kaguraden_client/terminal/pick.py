"""The list of servers on the screen, while they are looked for."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence

from prompt_toolkit.input import Input
from prompt_toolkit.output import Output

from ..discovery import Search, Server
from .app import build_app, run_until_gone
from .screens.servers import Servers

__all__ = ["pick_on_screen"]


async def pick_on_screen(
    screen: Servers,
    servers: Sequence[Server],
    search: Callable[[Callable[[], None]], Search],
    *,
    plain_glyphs: bool = False,
    input: Input | None = None,  # noqa: A002 - prompt_toolkit's name
    output: Output | None = None,
) -> None:
    """Show the list until the user has chosen from it, or leaves.

    Args:
        screen: What is shown, and gets the choice.
        servers: To be asked besides those in the network.
        search: Makes a search that calls its argument whenever there is something new.
        plain_glyphs: Whether to avoid characters of ambiguous width.
        input: Where keys come from; by default the terminal.
        output: Where to draw; by default the terminal.
    """
    loop = asyncio.get_running_loop()
    looks: set[asyncio.Task[None]] = set()

    def look() -> None:
        for task in looks:
            task.cancel()
        screen.wants_look = False
        screen.search = search(application.invalidate)
        looks.add(asyncio.create_task(screen.search.run(servers)))

    def after_key() -> None:
        if screen.wants_look:
            look()
        if screen.is_over and application.is_running and not _is_done():
            application.exit()
        application.invalidate()

    def _is_done() -> bool:
        return application.future is None or application.future.done()

    def stop() -> None:
        screen.is_over = True
        after_key()

    application = build_app(
        screen, loop.time, after_key, plain_glyphs=plain_glyphs, input=input, output=output
    )
    look()
    try:
        await run_until_gone(application, stop)
    finally:
        for task in looks:
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*looks, return_exceptions=True)
