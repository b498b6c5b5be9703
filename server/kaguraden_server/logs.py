"""What the log says: events with fields, for people or for programs.

A record is an event name and fields; ids of rooms and connections are bound once and carried along.
Nothing that a person typed and no secret is ever written: no chat, passwords, tokens, seeds or
answers, and names (`Name`) only for the host of a LAN party, on the console. An error is told by
its type and its traceback, without its text, which may quote what the rules hide. Control
characters cannot get into a line.
"""

from __future__ import annotations

import json
import logging
import secrets
import sys
import time
import traceback
from collections.abc import Callable
from typing import TextIO

from kaguraden_protocol.text import for_terminal

__all__ = ["LEVELS", "Log", "Name", "set_level", "set_up"]

LEVELS = ("debug", "info", "warning", "error")
_NOISY = ("websockets", "websockets.server", "trio", "trio.serve_listeners")
NOISE_S = 60  # the same complaint of a library is told once in this time
BURST = 500  # records of one event at once; others can cause as many as they like
PER_SECOND = 10  # and after that


class Name(str):
    """What somebody is called: a field that is left out, but where names are asked for."""

    __slots__ = ()


class Log:
    """A logger with fields bound to it."""

    def __init__(self, logger: logging.Logger | None = None, **fields: object) -> None:
        self._logger = logger or logging.getLogger("kaguraden")
        self._fields = fields

    def bind(self, **fields: object) -> Log:
        """Return a log that adds these fields to every record."""
        return Log(self._logger, **{**self._fields, **fields})

    def debug(self, event: str, **fields: object) -> None:
        """Note what helps to find a fault."""
        self._write(logging.DEBUG, event, fields)

    def info(self, event: str, **fields: object) -> None:
        """Note what happened."""
        self._write(logging.INFO, event, fields)

    def warning(self, event: str, **fields: object) -> None:
        """Note what an operator may want to look at."""
        self._write(logging.WARNING, event, fields)

    def error(self, event: str, **fields: object) -> None:
        """Note what an operator must look at."""
        self._write(logging.ERROR, event, fields)

    def fault(self, event: str, error: BaseException) -> str:
        """Note an unexpected error with its traceback; return the reference that finds it."""
        reference = secrets.token_hex(4)
        found: dict[str, object] = {
            "reference": reference,
            "error": _kind(error),
            "traceback": _trace(error),
        }
        self._write(logging.ERROR, event, found)
        return reference

    def _write(self, level: int, event: str, fields: dict[str, object]) -> None:
        if self._logger.isEnabledFor(level):
            extra = {"fields": {**self._fields, **fields}}
            self._logger.log(level, "%s", event, extra=extra)


class _Formatter(logging.Formatter):
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    names = False  # whether they are written

    def __init__(self) -> None:
        super().__init__()
        self.converter = time.gmtime

    def _parts(self, record: logging.LogRecord) -> tuple[str, dict[str, object]]:
        fields = getattr(record, "fields", {})
        kept = {k: v for k, v in fields.items() if self.names or not isinstance(v, Name)}
        return record.getMessage(), kept


class ConsoleFormatter(_Formatter):
    """`time LEVEL event key=value …`, one line; a traceback follows, indented."""

    def __init__(self, *, names: bool = False) -> None:
        super().__init__()
        self.names = names

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text."""
        event, fields = self._parts(record)
        trace = fields.pop("traceback", None)
        shown = " ".join(f"{key}={_plain(value)}" for key, value in fields.items())
        line = f"{self.formatTime(record)} {record.levelname:<7} {_plain(event)} {shown}".rstrip()
        if isinstance(trace, list):
            line += "".join(f"\n    {_plain(frame)}" for frame in trace)
        return line


class JsonFormatter(_Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as JSON text."""
        event, fields = self._parts(record)
        entry = {"time": self.formatTime(record), "level": record.levelname.lower(), "event": event}
        return json.dumps({**entry, **fields}, default=str)


def _kind(error: BaseException) -> str:
    """Return an error's type, or those within a group."""
    if isinstance(error, BaseExceptionGroup):
        return ", ".join(_kind(inner) for inner in error.exceptions)
    return type(error).__name__


def _trace(error: BaseException) -> list[str]:
    """Return where an error was raised, the innermost last."""
    if isinstance(error, BaseExceptionGroup):
        return [line for inner in error.exceptions for line in _trace(inner)]
    frames = traceback.extract_tb(error.__traceback__)
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]


def _plain(value: object) -> str:
    text = for_terminal(value) if isinstance(value, Name) else str(value)
    return text if text.isprintable() and " " not in text else json.dumps(text)


class _Quiet(logging.Filter):
    """Of a library's records, lets each complaint through once a minute and without traceback.

    Other ends can cause as many as they like.
    """

    def __init__(self) -> None:
        super().__init__()
        self._told: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether the record is written."""
        record.exc_info = record.exc_text = None
        now = time.monotonic()
        if now - self._told.get(str(record.msg), -NOISE_S) < NOISE_S:
            return False
        if len(self._told) > 100:
            self._told.clear()
        self._told[str(record.msg)] = now
        return True


class _Rate(logging.Filter):
    """Of each event lets so many through at once, and so many a second.

    The next that comes through tells in `untold` how many did not. Events are named in our code, so
    there are few.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now = now
        self._left: dict[str, tuple[float, float]] = {}  # how many may come, as of when
        self._untold: dict[str, int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether the record is written."""
        event, now = record.getMessage(), self._now()
        left, at = self._left.get(event, (BURST, now))
        left = min(BURST, left + (now - at) * PER_SECOND)
        if left < 1:
            self._left[event] = left, now
            self._untold[event] = self._untold.get(event, 0) + 1
            return False
        self._left[event] = left - 1, now
        untold = self._untold.pop(event, 0)
        if untold:
            setattr(record, "fields", {**getattr(record, "fields", {}), "untold": untold})  # noqa: B010
        return True


def set_up(style: str, level: str, stream: TextIO | None = None, *, names: bool = False) -> None:
    """Send the log to `stream` (stderr), as `console`, with the `names` of people, or as `json`."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter() if style == "json" else ConsoleFormatter(names=names))
    set_level(level)
    ours = logging.getLogger("kaguraden")
    ours.filters = [_Rate()]
    libraries = [logging.getLogger(name) for name in ("websockets", "trio")]
    for library in libraries:
        library.setLevel(logging.WARNING)
    for logger in (ours, *libraries):
        logger.handlers = [handler]
        logger.propagate = False
    quiet = _Quiet()
    for name in _NOISY:
        logging.getLogger(name).filters = [quiet]


def set_level(level: str) -> None:
    """Tell as much from now on as a level of `LEVELS` says."""
    logging.getLogger("kaguraden").setLevel(level.upper())
