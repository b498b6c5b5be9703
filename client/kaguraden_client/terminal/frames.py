"""The frames of a record: `kaguraden frames FILE --ask`, a process of its own that knows the rules.

The client shows positions and knows no rules, so the positions of a recorded game come from the
server's package, through a pipe, one at a time (protocol/replay.md). A frame takes a few
milliseconds; those that were asked for are kept.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Final, Literal, Protocol, TypeAlias

from attrs import define, field, frozen
from kaguraden_protocol import codec, messages
from kaguraden_protocol.errors import RemoteProtocolError

from ..reading import Json, as_dict, as_int, as_str, dicts_in, has_int
from .painters import Catalog

__all__ = ["ALL", "Frame", "FrameSource", "Head", "NoFrames", "Viewer", "open_frames", "read_head"]

COMMAND: Final = (sys.executable, "-m", "kaguraden_server", "frames")
ALL: Final = "all"
END_SECONDS: Final = 5.0
_TOO_LONG: Final = 2**24 + 1  # bytes; no record is so long
_KEPT: Final = 1_000  # frames; some tens of megabytes of the largest views

Viewer: TypeAlias = int | Literal["all"] | None  # a seat, everything open, or a spectator


class NoFrames(Exception):
    """The record cannot be shown. The text is what the other process said, `status` how it ended."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


@frozen
class Head:
    """What a record is of. `fault` says in both languages why it stops before its end."""

    game: str
    name: messages.Text
    seats: int
    steps: int
    catalog: Catalog = field(repr=False)
    fault: messages.Text | None = None


@frozen
class Frame:
    """A position as a viewer saw it, with what happened on the way to it.

    `by` is the seat whose answer led here, as far as the viewer knows; `views` has one for each seat
    where everything is open.
    """

    step: int
    by: int | None
    input: str
    update: messages.Update
    views: tuple[dict[str, Json], ...] = ()


class FrameSource(Protocol):
    """Where frames come from."""

    @property
    def head(self) -> Head:
        """What the record is of."""

    def get(self, step: int, viewer: Viewer) -> Frame:
        """Return a frame; step 0 is the deal.

        Raises:
            NoFrames: There are no more.
        """


def _text(told: Json) -> messages.Text | None:
    both = as_dict(told)
    ja, en = as_str(both.get("ja")), as_str(both.get("en"))
    return messages.Text(ja or en, en or ja) if ja or en else None


def read_head(line: str | bytes) -> Head:
    """Return the head of a line.

    Raises:
        ValueError: It is none.
    """
    told = as_dict(json.loads(line))
    if told.get("kind") != "record":
        raise ValueError("no record")
    game, cards = as_str(told.get("game")), as_dict(told.get("catalog"))
    catalog = Catalog.of(as_dict(cards.get("cards")), _text(cards.get("rulebook")))
    catalog = catalog.with_packs(dicts_in(cards.get("packs")))
    return Head(
        game=game,
        name=_text(told.get("name")) or messages.Text(game, game),
        seats=as_int(told.get("seats")),
        steps=as_int(told.get("steps")),
        catalog=catalog.with_books(as_dict(cards.get("books"))),
        fault=_text(told.get("fault")),
    )


def read_frame(line: str | bytes) -> Frame:
    """Return the frame of a line.

    Raises:
        ValueError: It is none.
    """
    told = as_dict(json.loads(line))
    try:
        update = codec.decode_push_or_reply(json.dumps(told.get("update"), ensure_ascii=False))
    except RemoteProtocolError as error:
        raise ValueError(str(error)) from None
    if not isinstance(update, messages.Update):
        raise ValueError("no frame")
    by = told.get("by")
    return Frame(
        step=as_int(told.get("step")),
        by=by if has_int(by) else None,
        input=as_str(told.get("input")),
        update=update,
        views=tuple(dicts_in(told.get("seats"))),
    )


@define(eq=False)
class _Pipe:
    """The frames of a running process. Each is asked for and waited for: it takes milliseconds."""

    head: Head
    _asks: IO[bytes]
    _says: IO[bytes]
    _kept: dict[tuple[int, Viewer], Frame] = field(factory=dict, repr=False)

    def get(self, step: int, viewer: Viewer) -> Frame:
        """Return a frame; see `FrameSource`."""
        found = self._kept.pop((step, viewer), None)
        if found is None:
            word = "watch" if viewer is None else viewer
            try:
                self._asks.write(f"{step} {word}\n".encode())
                self._asks.flush()
                found = read_frame(self._says.readline())
            except (OSError, ValueError) as error:  # the other process is gone, or says nonsense
                raise NoFrames(f"kaguraden frames: {error}", 1) from None
            if len(self._kept) >= _KEPT:
                del self._kept[next(iter(self._kept))]
        self._kept[step, viewer] = found  # the newest is the last
        return found


@contextmanager
def open_frames(
    file: str, *options: str, command: tuple[str, ...] = COMMAND
) -> Iterator[FrameSource]:
    """Play a record in a process of its own, and yield its frames.

    Raises:
        NoFrames: It cannot be shown.
    """
    with tempfile.TemporaryFile() as errors, contextlib.ExitStack() as opened:
        ours: tuple[int, ...] = ()
        with contextlib.suppress(OSError, ValueError):  # the other process says what is wrong
            source = opened.enter_context(open(file, "rb"))
            if not stat.S_ISREG(os.fstat(source.fileno()).st_mode):  # /dev/stdin would be its own
                copy = opened.enter_context(tempfile.TemporaryFile())
                copy.write(source.read(_TOO_LONG))
                copy.seek(0)
                file, ours = f"/dev/fd/{copy.fileno()}", (copy.fileno(),)
        process = subprocess.Popen(  # noqa: S603 - our own program
            [*command, "--ask", *options, "--", file],
            pass_fds=ours,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,  # Ctrl-C in the terminal is the client's
        )
        if process.stdin is None or process.stdout is None:
            raise NoFrames("no pipe", 1)
        try:
            first = process.stdout.readline()
            if not first:
                status = process.wait()
                errors.seek(0)
                raise NoFrames(errors.read().decode("utf-8", "replace").strip(), status)
            yield _Pipe(read_head(first), process.stdin, process.stdout)
        finally:
            with contextlib.suppress(OSError):  # it ends when nothing more is asked
                process.stdin.close()
            process.stdout.close()
            try:
                process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
