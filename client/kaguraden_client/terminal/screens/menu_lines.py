"""The open decision as lines: numbered entries, ticked cards, a number being typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kaguraden_protocol.messages import CardsSpec, IntSpec

from ...reading import Json
from ..menu import PAGE, Answer, Menu
from ..painters import Context, Painter
from ..text import Fragment, Line, clean, cut_line, line_width, width, wrap_line
from .base import Body, edit_line

__all__ = ["answer_text", "flow", "menu_body"]


def menu_body(
    menu: Menu,
    view: Mapping[str, Json],
    painter: Painter,
    ctx: Context,
    cells: int,
    height: int,
    *,
    online: bool,
    timed: bool = True,
) -> Body:
    """Return the menu in at most `height` lines of at most `cells`; the highlighted entry shows."""
    lines: list[Line] = []
    cursor: tuple[int, int] | None = None
    focus = 0  # the line that must be seen
    if menu.note is not None:
        lines += wrap_line(
            (("menu.message", " " + ctx.say(menu.note.key, **menu.note.values)),), cells, 1
        )
    if ctx.shade and menu.is_open:  # even which moves there are tells of the hand
        key = "shade.sent" if menu.sent is not None else "shade.menu"
        lines = list(wrap_line((("menu.message", " " + ctx.say(key)),), cells, 1))
        return Body(tuple(cut_line(line, cells) for line in lines[:height]))
    if not online and menu.is_open and menu.sent is None:
        lines += wrap_line((("alert", " " + ctx.say("menu.offline")),), cells, 1)
    if menu.sent is not None and menu.is_open:
        key = "menu.sent" if online else "menu.queued"
        text = ctx.say(key, what=answer_text(menu, menu.sent, view, painter, ctx))
        lines += wrap_line((("menu.message", " " + text),), cells, 1)
    elif menu.confirming is not None:
        what = answer_text(menu, menu.confirming, view, painter, ctx)
        warned = _warning(menu, menu.confirming, view, painter, ctx)
        if warned:
            lines += wrap_line((("alert", " " + warned),), cells, 1)
        lines += wrap_line((("strong", " " + ctx.say("menu.confirm", what=what)),), cells, 1)
        focus = len(lines)
        lines.append(
            (
                ("menu.key", " Enter"),
                ("", " " + ctx.say("yes")),
                ("menu.key", "   Esc"),
                ("", " " + ctx.say("no")),
            )
        )
    elif menu.leaf is not None and menu.leaf.option is not None:
        what = painter.entry(menu.leaf, view, ctx).removesuffix("…")
        if menu.leaf.decision is not None:
            what = painter.sentence(menu.leaf.decision, menu.leaf.option, None, view, ctx)
        spec = menu.leaf.option.value
        if isinstance(spec, IntSpec):
            label = ctx.say("menu.number", what=what, min=spec.min, max=spec.max)
            line, column = edit_line(label, menu.number, cells)
            cursor, focus = (column, len(lines)), len(lines)
            lines.append(line)
        else:
            have = len(menu.picked)
            if isinstance(spec, CardsSpec):
                key = "menu.cards_exact" if spec.min == spec.max else "menu.cards"
                head = ctx.say(key, what=what, min=spec.min, n=spec.max, have=have)
            else:
                head = ctx.say("menu.order", what=what, max=len(menu.choices()), have=have)
            lines.append((("strong", " " + head),))
            cards, at = _ticks(menu, view, painter, ctx, cells)
            focus = len(lines) + at
            lines += cards
    elif menu.is_open:
        entries = _entries(menu, view, painter, ctx)
        if menu.way:
            way = " › ".join(painter.entry(node, view, ctx).removesuffix("…") for node in menu.way)
            lines.append((("strong", f" {way}:"),))
        flowed, at = flow(entries, cells, menu.at - menu.page[0] * PAGE if menu.at >= 0 else 0)
        focus = len(lines) + at
        lines += flowed
        page, pages = menu.page
        if pages > 1:
            lines.append((("dim", " " + ctx.say("menu.page", page=page + 1, pages=pages)),))
    if menu.is_open and menu.sent is None and menu.confirming is None:
        lines += wrap_line(_terms(menu, view, painter, ctx, timed=timed), cells, 1)
    begin = max(0, min(focus - height + 1, len(lines) - height)) if len(lines) > height else 0
    shown = tuple(cut_line(line, cells) for line in lines[begin : begin + height])
    if cursor is not None:
        cursor = (cursor[0], cursor[1] - begin)
        if not 0 <= cursor[1] < height:
            cursor = None
    return Body(shown, cursor)


def answer_text(
    menu: Menu, answer: Answer, view: Mapping[str, Json], painter: Painter, ctx: Context
) -> str:
    """Return an answer in words."""
    for decision in menu.decisions:
        for option in decision.options:
            if decision.id == answer.decision and option.id == answer.option:
                return painter.sentence(decision, option, answer.value, view, ctx)
    return clean(answer.option)


def _warning(
    menu: Menu, answer: Answer, view: Mapping[str, Json], painter: Painter, ctx: Context
) -> str:
    """Return what the painter has to say before an answer is sent."""
    for decision in menu.decisions:
        for option in decision.options:
            if decision.id == answer.decision and option.id == answer.option:
                return painter.warning(view, decision, option, ctx)
    return ""


def _terms(
    menu: Menu, view: Mapping[str, Json], painter: Painter, ctx: Context, *, timed: bool
) -> Line:
    """Return what happens when the time is up, and whether the answer is sealed."""
    decision = menu.decision
    if decision is None:
        return ()
    parts: list[Fragment] = []
    default = next((o for o in decision.options if o.id == decision.default), None)
    if default is not None and timed:
        what = painter.default(decision, default, view, ctx)
        parts.append(("menu.default", ctx.say("menu.default", what=what)))
    if decision.sealed:
        parts.append(("menu.default", ctx.say("menu.sealed")))
    out: list[Fragment] = [("", " ")]
    for part in parts:
        if len(out) > 1:
            out.append(("menu.default", " · "))
        out.append(part)
    return tuple(out) if parts else ()


def _entries(
    menu: Menu, view: Mapping[str, Json], painter: Painter, ctx: Context
) -> list[tuple[str, str]]:
    return [(entry.digit, painter.entry(entry.node, view, ctx)) for entry in menu.entries()]


def _ticks(
    menu: Menu, view: Mapping[str, Json], painter: Painter, ctx: Context, cells: int
) -> tuple[list[Line], int]:
    choices = menu.choices()
    owners = [painter.owner(card, view) for card in choices]
    told = any(owner not in (None, ctx.me) for owner in owners)  # one's own cards need no name
    at = min(menu.at, max(0, len(choices) - 1))
    page = at // PAGE
    here = choices[page * PAGE : (page + 1) * PAGE]
    is_order = (
        menu.leaf is not None
        and menu.leaf.option is not None
        and not isinstance(menu.leaf.option.value, CardsSpec)
    )
    entries: list[tuple[str, str]] = []
    for i, card in enumerate(here):
        if is_order:
            mark = str(menu.picked.index(card) + 1) if card in menu.picked else " "
        else:
            mark = "x" if card in menu.picked else " "
        text = f"[{mark}] {painter.choice(card, ctx)}"
        owner = owners[page * PAGE + i]
        if told and owner is not None:
            text += ctx.say("in_brackets", what=ctx.name(owner, 14))
        entries.append((str(i + 1), text))
    return flow(entries, cells, at - page * PAGE)


def flow(entries: Sequence[tuple[str, str]], cells: int, at: int) -> tuple[list[Line], int]:
    """Return entries side by side in as many lines as they need, and the line of the one at `at`."""
    lines: list[Line] = []
    line: list[Fragment] = []
    used, focus = 0, 0
    longest = max([width(text) for _, text in entries], default=0) + 4
    columns = max(1, cells // (longest + 2)) if len(entries) > 4 else 0
    cell = cells // columns if columns else 0
    for i, (digit, text) in enumerate(entries):
        here = i == at
        piece: list[Fragment] = [
            ("menu.at" if here else "", "❯" if here else " "),
            ("menu.key", digit),
            ("", " "),
            ("menu.at" if here else "", text),
        ]
        size = max(line_width(tuple(piece)) + 2, cell if columns > 1 else 0)
        if line and used + line_width(tuple(piece)) > cells:
            lines.append(tuple(line))
            line, used = [], 0
        if here:
            focus = len(lines)
        gap = min(size, max(0, cells - used)) - line_width(tuple(piece))  # none past the end
        line += [*piece, ("", " " * gap)]
        used += size
    if line:
        lines.append(tuple(line))
    return [cut_line(one, cells) for one in lines], focus
