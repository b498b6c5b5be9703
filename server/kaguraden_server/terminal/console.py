"""The prompt in the server's terminal, beside its log.

prompt_toolkit needs a loop of asyncio, which runs in a thread of its own; what is typed is done in
trio's. While the prompt is there, all that the process writes goes through it, so that no line of
the log breaks into what is being typed.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Final, TextIO

import trio
from kaguraden_protocol.text import for_terminal
from prompt_toolkit import PromptSession
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.patch_stdout import patch_stdout

from kaguraden_server.admin.deeds import Refusal, carry_out
from kaguraden_server.admin.words import told

from .typed import COMMANDS, helped, parse

if TYPE_CHECKING:
    from kaguraden_rules.kernel import Text

    from kaguraden_server.admin.deeds import Keys

__all__ = ["Console"]

PROMPT: Final = "kaguraden> "
MAX_TYPED: Final = 1_000  # characters


class _Interrupt(Exception):
    """Ctrl-C was typed."""


class Console:
    """The prompt of one server."""

    def __init__(self, keys: Keys, language: str) -> None:
        self._keys = keys
        self._language = language
        self._loop: asyncio.AbstractEventLoop | None = None
        self._token = trio.lowlevel.current_trio_token()
        self._end = asyncio.Event()
        self._is_ending = False

    async def run(self) -> None:
        """Do what is typed until cancelled, or until nobody can type any more."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._end_with_this)
                await trio.to_thread.run_sync(self._read)
                nursery.cancel_scope.cancel()
        except* Exception as group:  # whatever becomes of the terminal, the server goes on
            self._keys.lobby.log.fault("console_failed", group)

    async def _end_with_this(self) -> None:
        try:
            await trio.sleep_forever()
        finally:
            self._is_ending = True
            if self._loop is not None:
                with suppress(RuntimeError):  # it has ended
                    self._loop.call_soon_threadsafe(self._end.set)

    # --- in the thread ---------------------------------------------------------------------------

    def _read(self) -> None:
        with patch_stdout(raw=True), _log_to(sys.stderr):
            asyncio.run(self._read_lines())

    async def _read_lines(self) -> None:
        self._loop = asyncio.get_running_loop()
        typed: asyncio.Queue[str] = asyncio.Queue()
        session: PromptSession[str] = PromptSession(
            PROMPT,
            completer=WordCompleter(list(COMMANDS), sentence=True),
            complete_while_typing=False,
            interrupt_exception=_Interrupt,
        )

        def accept(buffer: Buffer) -> bool:
            typed.put_nowait(buffer.text[:MAX_TYPED])
            return False

        # One prompt that stays: between two of them what is written would run into the second.
        session.default_buffer.accept_handler = accept
        prompt = asyncio.create_task(session.prompt_async(handle_sigint=False))
        others = [asyncio.create_task(self._end.wait()), asyncio.create_task(self._obey_all(typed))]
        if not self._is_ending:
            await asyncio.wait({prompt, *others}, return_when=asyncio.FIRST_COMPLETED)
        for task in (prompt, *others):
            task.cancel()
        ends = await asyncio.gather(prompt, *others, return_exceptions=True)
        if isinstance(ends[0], _Interrupt):
            self._token.run_sync_soon(self._keys.stop)  # the next one is a signal again

    async def _obey_all(self, typed: asyncio.Queue[str]) -> None:
        while True:
            line = await typed.get()
            print(PROMPT + for_terminal(line))  # noqa: T201
            try:
                await self._obey(line)
            except Refusal as refusal:
                self._say([refusal.why])
            except Exception as error:
                self._keys.lobby.log.fault("console_failed", error)

    async def _obey(self, line: str) -> None:
        do, fields = parse(line)
        if do == "help":
            self._say(helped())
        elif do:
            work = partial(carry_out, self._keys, do, fields)
            done = partial(trio.from_thread.run, work, trio_token=self._token)
            self._say(told(do, await asyncio.to_thread(done)))

    def _say(self, lines: list[Text]) -> None:
        for line in lines:
            print(for_terminal(line.ja if self._language == "ja" else line.en))  # noqa: T201


@contextmanager
def _log_to(stream: TextIO) -> Iterator[None]:
    """Have the log written to a stream for a while."""
    found = logging.getLogger("kaguraden").handlers
    handlers = [handler for handler in found if isinstance(handler, logging.StreamHandler)]
    before = [handler.setStream(stream) for handler in handlers]
    try:
        yield
    finally:
        for handler, old in zip(handlers, before, strict=True):
            if old is not None:
                handler.setStream(old)
