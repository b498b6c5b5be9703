"""What one connection is still to be sent, in order and within bounds.

Putting never waits, so whoever publishes never waits for a reader. Each entry is one of

* a text that must arrive: a reply, a line of chat, a notice;
* a series of texts that are there anyway, such as what was said of late: one entry, however many
  they are, because each is made only when its turn has come;
* the latest of its kind: a room's description, the lobby's list; a newer one takes its place;
* an update of a room's stream, turned into text only when its turn has come, so that its clocks
  are those of the moment of sending.

When more waits than is allowed, the updates of each stream collapse into one full update, made
when its turn has come: it stands where the first of them stood, so that an `ok` still comes after
the effect that it tells of. Replies never collapse. If that does not help, the reader is too slow:
everything is dropped and the connection ends with 4003.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from typing import Protocol

import trio
from attrs import define, frozen
from kaguraden_protocol.errors import CloseCode

__all__ = ["Goodbye", "Outbox", "Renderable", "Source"]


class Renderable(Protocol):
    """An update that waits."""

    @property
    def size(self) -> int:
        """About how many bytes it will be."""

    def render(self, now: float, *, patch: bool) -> bytes:
        """Return the text to send at `now`; with `patch` the short form, if there is one."""


class Source(Protocol):
    """A stream of updates, to ask for the whole position."""

    def full(self) -> Renderable:
        """Return the position as it is now."""


@frozen
class Goodbye:
    """Nothing follows: close the connection."""

    code: CloseCode


@define(eq=False)
class _Text:
    text: bytes | None  # None: a newer one of its kind has taken its place
    size: int


@define(eq=False)
class _Series:
    texts: Iterator[bytes]
    size: int = 0


@define(eq=False)
class _Update:
    source: Source
    update: Renderable | None  # None: the whole position
    size: int


class Outbox:
    """The queue of one connection. One task puts to it at a time; one takes from it."""

    def __init__(self, *, most: int, most_bytes: int, patch: bool = False) -> None:
        self.patch = patch
        self._most = most
        self._most_bytes = most_bytes
        self._queue: deque[_Text | _Series | _Update] = deque()
        self._latest: dict[Hashable, _Text] = {}
        self._whole: set[int] = set()  # ids of sources whose whole position waits
        self._bytes = 0
        self._goodbye: Goodbye | None = None
        self._wake = trio.Event()

    def __len__(self) -> int:
        return len(self._queue)

    @property
    def size(self) -> int:
        """Return about how many bytes wait."""
        return self._bytes

    @property
    def closes_with(self) -> CloseCode | None:
        """Return the code that the connection is closed with after what waits, if it is."""
        return None if self._goodbye is None else self._goodbye.code

    @property
    def is_closing(self) -> bool:
        """Tell whether nothing more is taken."""
        return self._goodbye is not None

    def put(self, text: bytes) -> None:
        """Add a text that must arrive."""
        self._add(_Text(text, len(text)))

    def put_series(self, texts: Iterable[bytes]) -> None:
        """Add texts that must arrive, each made when its turn has come."""
        self._add(_Series(iter(texts)))

    def put_latest(self, key: Hashable, text: bytes) -> None:
        """Add a text in place of one of the same `key` that still waits."""
        if self._goodbye is not None:
            return
        old = self._latest.get(key)
        if old is not None and old.text is not None:
            old.text = None
            self._queue.remove(old)
            self._bytes -= old.size
        entry = _Text(text, len(text))
        self._latest[key] = entry
        self._add(entry)

    def put_update(self, source: Source, update: Renderable) -> None:
        """Add a stream's next update."""
        if id(source) not in self._whole:
            self._add(_Update(source, update, update.size))

    def put_full(self, source: Source) -> None:
        """Add the whole position of a stream, as it will be when its turn has come.

        It stands where the first of the stream's updates stood that still wait.
        """
        whole = _Update(source, None, source.full().size)
        first = next((e for e in self._queue if self._is_of(e, source)), None)
        self._whole.add(id(source))
        if first is None:
            self._add(whole)
        else:
            here = (whole if entry is first else entry for entry in self._queue)
            self._keep(e for e in here if e is whole or not self._is_of(e, source))

    def holds(self, source: Source) -> bool:
        """Tell whether updates of a stream still wait."""
        return any(self._is_of(entry, source) for entry in self._queue)

    def forget(self, source: Source) -> None:
        """Drop the updates of a stream that still wait."""
        self._keep(entry for entry in self._queue if not self._is_of(entry, source))
        self._whole.discard(id(source))

    def close(self, code: CloseCode, *, drop: bool = False) -> None:
        """End with a close frame after what waits, or at once with `drop`. The first code holds."""
        if drop:
            self._keep(())
        if self._goodbye is None:
            self._goodbye = Goodbye(code)
        self._wake.set()

    async def get(self) -> bytes | Goodbye:
        """Wait for the next text to send. Cancelling loses nothing."""
        while True:
            await trio.lowlevel.checkpoint()
            if self._queue:
                text = self._pop()
                if text is None:
                    continue
                return text
            if self._goodbye is not None:
                return self._goodbye
            self._wake = trio.Event()
            await self._wake.wait()

    def _pop(self) -> bytes | None:
        """Return the next text, None if a series has come to its end."""
        entry = self._queue[0]
        if isinstance(entry, _Series):
            following = next(entry.texts, None)
            if following is None:
                self._queue.popleft()
            return following
        self._queue.popleft()
        self._bytes -= entry.size
        if isinstance(entry, _Text):
            text, entry.text = entry.text, None
            return text or b""
        update = entry.update
        if update is None:
            self._whole.discard(id(entry.source))
            update = entry.source.full()
            return update.render(trio.current_time(), patch=False)
        return update.render(trio.current_time(), patch=self.patch)

    @staticmethod
    def _is_of(entry: _Text | _Series | _Update, source: Source) -> bool:
        return isinstance(entry, _Update) and entry.source is source

    def _add(self, entry: _Text | _Series | _Update) -> None:
        if self._goodbye is not None:
            return
        self._queue.append(entry)
        self._bytes += entry.size
        if self._is_over():
            self._collapse()
            if self._is_over():
                self.close(CloseCode.TOO_SLOW, drop=True)
        self._wake.set()

    def _is_over(self) -> bool:
        return len(self._queue) > self._most or self._bytes > self._most_bytes

    def _collapse(self) -> None:
        kept: list[_Text | _Series | _Update] = []
        first: dict[int, _Update] = {}
        for entry in self._queue:
            if isinstance(entry, (_Text, _Series)):
                kept.append(entry)
            elif id(entry.source) not in first:
                whole = _Update(entry.source, None, entry.source.full().size)
                first[id(entry.source)] = whole
                kept.append(whole)
        self._whole = set(first)
        self._keep(kept)

    def _keep(self, entries: Iterable[_Text | _Series | _Update]) -> None:
        self._queue = deque(entries)
        self._bytes = sum(entry.size for entry in self._queue)
        if not self._queue:
            self._whole.clear()
