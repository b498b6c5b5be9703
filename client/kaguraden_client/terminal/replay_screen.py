"""A recorded game on the screen: which step, whose view, and how it is drawn.

`Player` is the whole of it without a terminal: keys go in, lines come out. What a seat did not know
is not in its frames, so nothing has to be hidden here. With everything open the table has what every
seat held under it; where each seat has a table of its own, it is that of the seat that acted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

from attrs import define, field
from kaguraden_protocol.messages import Value

from ..reading import Json, as_dict, as_texts, has_int, ints_in
from . import replay_words as _words  # noqa: F401 - adds them
from .frames import ALL, Frame, FrameSource, Viewer
from .painters import Context, Painter, painter_for, paragraphs
from .screens.base import Body, Keys, compose, key_line, rule, scrolled
from .text import Line, clean, cut_line, fit_line, line_text, line_width, wrap_line
from .words import Lang, say

__all__ = ["Player", "sentences"]

TEN: Final = 10
_LOG_LINES: Final = 4  # that the table leaves to what happened, if it can
_WIDE: Final = 100_000  # sentences are not cut


@define(eq=False)
class Player:
    """A record, the step that is shown, and who looks. Mutable; nothing here waits for the user."""

    frames: FrameSource
    lang: Lang = Lang.EN
    viewer: Viewer = ALL
    step: int = 0
    is_over: bool = False
    explains: bool = field(default=False, init=False)
    scroll: int = field(default=0, init=False)  # of the table where it is too long, or of the page
    note: str = field(default="", init=False)

    # --- what is shown --------------------------------------------------------------------------

    @property
    def painter(self) -> Painter:
        """The painter of the game."""
        return painter_for(self.frames.head.game)

    def say(self, key: str, **values: object) -> str:
        """Return a text of ours."""
        return say(self.lang, key, **values)

    def name(self, seat: int) -> str:
        """Return what a seat is called; records know no names of people."""
        return self.say("seat.numbered", n=seat + 1)

    def context(self, me: int | None) -> Context:
        """Return what a painter needs to know, for a seat or for none."""
        head = self.frames.head
        names = {seat: self.name(seat) for seat in range(head.seats)}
        return Context(lang=self.lang, me=me, names=names, catalog=head.catalog, look=me)

    def frame(self, step: int | None = None) -> Frame:
        """Return the frame of a step, that of now without one."""
        return self.frames.get(self.step if step is None else step, self.viewer)

    def seat(self, frame: Frame) -> int | None:
        """Return the seat whose table is drawn, None for the one that all see."""
        if self.viewer != ALL:
            return self.viewer if has_int(self.viewer) else None
        if not self.painter.has_own_tables:
            return None
        if frame.by is not None:
            return frame.by
        asked = ints_in(as_dict(frame.update.view).get("asked"))
        return asked[0] if asked and asked[0] < len(frame.views) else 0

    def view(self, frame: Frame) -> Mapping[str, Json]:
        """Return the view that the table is drawn from."""
        seat = self.seat(frame)
        if self.viewer == ALL and seat is not None and seat < len(frame.views):
            return frame.views[seat]
        return as_dict(frame.update.view)

    def whose(self) -> str:
        """Say whose view it is."""
        if self.viewer == ALL:
            return self.say("replay.all")
        if self.viewer is None:
            return self.say("replay.watch")
        return self.say("replay.of", who=self.name(self.viewer))

    def where(self, step: int) -> str:
        """Say which step it is."""
        return self.say("replay.step", n=step, of=self.frames.head.steps)

    # --- sentences ------------------------------------------------------------------------------

    def told(self, step: int) -> Iterator[str]:
        """Yield what happened on the way to a step, as far as the viewer knows, in sentences."""
        frame = self.frame(step)
        ctx = self.context(self.viewer if has_int(self.viewer) else None)
        told = [self.painter.event(event, ctx) for event in frame.update.events]
        # A sealed answer makes nothing happen yet: then the answer itself is told.
        yield from filter(None, told if any(told) else [self.chosen(frame)])
        fault = self.frames.head.fault
        if fault is not None and step == self.frames.head.steps:
            why = fault.ja if self.lang is Lang.JA else fault.en
            yield self.say("replay.fault", why=clean(why))

    def chosen(self, frame: Frame) -> str:
        """Return in words what was answered, where the viewer knows it."""
        if not frame.input:
            return ""
        if frame.by is None:
            return self.say("replay.clock")
        _, _, rest = frame.input.partition(" ")
        decision_id, _, answer = rest.partition(" ")
        option_id, _, told = answer.partition(" = ")
        before = self.frames.get(frame.step - 1, frame.by)
        view, ctx = as_dict(before.update.view), self.context(frame.by)
        what = clean(answer)
        for decision in before.update.decisions:
            for option in decision.options:
                if decision.id == decision_id and option.id == option_id:
                    what = self.painter.sentence(decision, option, _value(told), view, ctx)
        return self.say("replay.chose", who=self.name(frame.by), what=what)

    def log(self, width: int, count: int) -> list[Line]:
        """Return the newest of what happened, in at most `count` lines."""
        lines: list[Line] = []
        for step in range(self.step, -1, -1):
            style = "log.new" if step == self.step else ""
            block: list[Line] = []
            for text in self.told(step):
                block += wrap_line(((style, f" {text}"),), width, 3)
            lines = [*block, *lines]
            if len(lines) >= count:
                break
        return lines[-count:] if count > 0 else []

    def own(self, frame: Frame, width: int) -> list[Line]:
        """Return what the viewer alone held, or what every seat did."""
        if self.viewer != ALL:
            return self.painter.own(self.view(frame), self.context(self.seat(frame)), width)
        lines: list[Line] = []
        for seat, view in enumerate(frame.views):
            mine = self.painter.own(view, self.context(seat), width)
            head = (("strong", f" {self.name(seat)}"),)
            lines += [cut_line((*head, *line), width) for line in mine[:1]]
            lines += mine[1:]
        return lines

    # --- drawing --------------------------------------------------------------------------------

    def paint(self, cells: int, height: int, now: float) -> Body:
        """Return the whole screen: `height` lines of `cells` cells."""
        del now  # nothing here runs by itself
        cells, height = max(1, cells), max(1, height)
        frame = self.frame()
        room = max(0, height - 2)
        lines = self._page(frame, cells, room) if self.explains else self._table(frame, cells, room)
        keys = key_line(self._keys(), cells)
        return compose(self._title(frame, cells), Body(tuple(lines)), keys, cells, height)

    def _title(self, frame: Frame, cells: int) -> Line:
        right: Line = (("title", f"{self.where(self.step)} · {self.whose()} "),)
        ctx = self.context(self.seat(frame))
        left = f" {self.say('app.name')} {self.painter.headline(self.view(frame), ctx)}"
        shown = cut_line((("title", left),), max(0, cells - line_width(right) - 1))
        gap = max(0, cells - line_width(shown) - line_width(right))
        return fit_line((*shown, ("title", " " * gap), *right), cells, "title")

    def _page(self, frame: Frame, width: int, height: int) -> list[Line]:
        texts = self.painter.explain(None, self.view(frame), self.context(self.seat(frame)))
        texts = texts or [self.say("explain.nothing")]
        lines = [(("", " "), *line) for line in paragraphs(texts, max(10, width - 2))]
        shown, self.scroll = scrolled([(), *lines], self.scroll, height)
        return list(shown)

    def _table(self, frame: Frame, width: int, height: int) -> list[Line]:
        view, ctx = self.view(frame), self.context(self.seat(frame))
        decision = next(iter(frame.update.decisions), None)
        bottom = [rule(self.painter.situation(view, decision, ctx), width)]
        if as_dict(view.get("outcome")):
            bottom += self.painter.outcome(view, ctx, width)
        else:
            bottom += self.own(frame, width)
        if self.note:
            bottom.append(cut_line((("alert", f" {self.note}"),), width))
        bottom = bottom[: max(1, height - 3)]
        most = max(0, height - len(bottom))
        top = self.painter.table(view, ctx, width, max(0, most - _LOG_LINES - 1))
        if len(top) > most:
            shown, self.scroll = scrolled(top, self.scroll, most)
            return [*shown, *bottom]
        self.scroll = 0
        left = most - len(top)
        log = [rule((("rule.name", self.say("log.title")),), width)] if left > 2 else []
        log += self.log(width, left - len(log))
        return [*top, *log, *[()] * (left - len(log)), *bottom]

    def _keys(self) -> Keys:
        if self.explains:
            return [("↑↓", self.say("replay.key.scroll")), ("Esc", self.say("key.back"))]
        return [
            ("←→", self.say("replay.key.step")),
            ("q", self.say("key.quit")),
            ("1-9", self.say("replay.key.seat")),
            ("w", self.say("replay.key.watch")),
            ("a", self.say("replay.key.all")),
            ("PgUp PgDn", self.say("replay.key.ten")),
            ("?", self.say("key.explain")),
            ("Home End", self.say("replay.key.ends")),
            ("F2", self.say("key.language")),
        ]

    # --- keys -----------------------------------------------------------------------------------

    def press(self, key: str, now: float) -> None:
        """Take a key: one character, or a name such as `left`, `f2`, `c-c`."""
        del now
        self.note = ""
        match key:
            case "c-c" | "q" if key == "c-c" or not self.explains:
                self.is_over = True
            case "f2":
                self.lang = self.lang.other
            case "up" | "down":
                self.scroll = max(0, self.scroll + (1 if key == "down" else -1))
            case "?" | "escape" | "q":
                self.explains = key == "?" and not self.explains
                self.scroll = 0
            case "pagedown" | "pageup" if self.explains:
                self.scroll = max(0, self.scroll + (TEN if key == "pagedown" else -TEN))
            case _ if not self.explains:
                self._press(key)

    def _press(self, key: str) -> None:
        match key:
            case "right" | "space" | "enter":
                self._go(self.step + 1)
            case "left" | "backspace":
                self._go(self.step - 1)
            case "pagedown":
                self._go(self.step + TEN)
            case "pageup":
                self._go(self.step - TEN)
            case "home":
                self._go(0)
            case "end":
                self._go(self.frames.head.steps)
            case "w":
                self.viewer = None
            case "a":
                self.viewer = ALL
            case _ if len(key) == 1 and key in "0123456789":
                self._look(int(key) - 1 if key != "0" else 9)

    def _go(self, step: int) -> None:
        self.step = max(0, min(step, self.frames.head.steps))

    def _look(self, seat: int) -> None:
        if seat < self.frames.head.seats:
            self.viewer = seat
        else:
            self.note = self.say("replay.no_seat", most=self.frames.head.seats)

    def paste(self, text: str, now: float) -> None:
        """Take pasted text: nothing is typed here."""


def _value(told: str) -> Value:
    """Return the value at the end of an input line."""
    try:
        value: Json = json.loads(told) if told else None
    except ValueError:
        return None
    return value if has_int(value) else tuple(as_texts(value)) or None


def sentences(player: Player) -> Iterator[str]:
    """Yield a whole game in sentences, from the table at the deal to the result."""
    head = player.frames.head
    yield f"{clean(head.name.ja if player.lang is Lang.JA else head.name.en)} · {player.whose()}"
    first = player.frame(0)
    yield from player.painter.spoken(player.view(first), player.context(player.seat(first)))
    yield from (line_text(line).strip() for line in player.own(first, _WIDE))
    for step in range(head.steps + 1):
        for text in player.told(step):
            yield f"{step}. {text}"
    last = player.frame(head.steps)
    view, ctx = player.view(last), player.context(player.seat(last))
    if as_dict(view.get("outcome")):
        yield player.say("over")
        yield from (line_text(line).strip() for line in player.painter.outcome(view, ctx, _WIDE))
