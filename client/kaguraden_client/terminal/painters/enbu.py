"""The painter of enbu: pages with what they need, the stage, the hand, and what is still to come.

Where a needed card is stands beside it as a sign (`Where`), so nothing is told by colour alone. The
table is drawn in the roomiest of several forms that has the height it is given; the page of `?`
has everything, also the order of the programs to come (EN-32) and what lies in the piles (EN-33).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Final

from kaguraden_protocol.messages import Clock, Decision, Option

from ...reading import Json, as_dict, as_int, as_str, as_texts, dicts_in, has_int, ints_in
from ..books import WILDS, Book, book_of
from ..menu import Node, Step
from ..text import Fragment, Line, clean, cut, cut_line, fit_line, line_width, pad, wrap_line
from ..words import Lang
from . import enbu_words  # noqa: F401 - adds its words
from .base import Context
from .enbu_board import Board, Where, board_of, needs_of, points_of
from .enbu_events import sentence
from .enbu_names import book_name, brief, card, cards, glyph, glyphs, program, stars
from .enbu_results import outcome_lines
from .generic import Lines, Painter

__all__ = ["EnbuPainter"]

_BESIDE: Final = 60  # columns from which on the stage and the rest stand beside each other
_COLUMN: Final = 12  # cells that a page needs to stand beside others
_WORDED: Final = 18  # cells from which on its needs have words beside their characters
_KEYS: Final = {"take": 7, "swap": 7, "drop": 7, "undo": 8, "finish": 9}
_READY: Final = "◆"


class EnbuPainter(Painter):
    """Draws enbu."""

    game: ClassVar[str] = "enbu"
    has_decks: ClassVar[bool] = False
    has_own_tables: ClassVar[bool] = True
    over_lines: ClassVar[int] = 11

    # --- reading ----------------------------------------------------------------------------

    def _book(self, view: Mapping[str, Json]) -> Book:
        return book_of(as_dict(as_dict(view.get("table")).get("book")))

    def _boards(self, view: Mapping[str, Json]) -> dict[int, Board]:
        """Return the tables that the viewer may see besides the one played at."""
        found = ((s.get("seat"), board_of(s.get("board"))) for s in dicts_in(view.get("seats")))
        return {seat: board for seat, board in found if has_int(seat) and board is not None}

    def _own(self, view: Mapping[str, Json]) -> Board | None:
        return board_of(as_dict(view.get("you")).get("board"))

    def shown_seat(self, view: Mapping[str, Json], ctx: Context) -> int | None:
        """Return the seat whose table is drawn: the one looked at, one's own, or the first."""
        boards = self._boards(view)
        for seat in (ctx.look, ctx.me, *boards):
            if seat is not None and (seat in boards or (seat == ctx.me and self._own(view))):
                return seat
        return None

    def example(self, value: str, ctx: Context) -> str:
        """Return the name of a book and how hard it is."""
        told = ctx.catalog.books.get(value.removeprefix("daily:"))
        if told is None:
            return ""
        name = book_name(book_of(told), ctx)
        if value.startswith("daily:"):
            name = f"{ctx.say('enbu.daily')} {name}"
        return f"{name} {stars(value)}".rstrip()

    def looks(self, view: Mapping[str, Json]) -> list[int]:
        """Return the seats whose tables can be looked at."""
        return sorted(self._boards(view))

    def _shown(self, view: Mapping[str, Json], ctx: Context) -> Board | None:
        seat = self.shown_seat(view, ctx)
        if seat is None:
            return None
        return self._boards(view).get(seat) or self._own(view)

    # --- the table --------------------------------------------------------------------------

    def headline(self, view: Mapping[str, Json], ctx: Context) -> str:
        """Return the book, and the turn or that it is over."""
        parts = [book_name(self._book(view), ctx)]
        if as_dict(view.get("table")).get("daily") is True:
            parts.insert(0, ctx.say("enbu.daily"))
        phase, board = as_str(view.get("phase")), self._shown(view, ctx)
        if phase in ("race", "ended", "over"):
            parts.append(ctx.say(f"enbu.phase.{phase}"))
        elif board is not None:
            parts.append(ctx.say("enbu.turn", n=board.turn))
        return " · ".join(parts)

    def situation(self, view: Mapping[str, Json], decision: Decision | None, ctx: Context) -> Line:
        """Return what is to be done, or who is waited for."""
        if decision is not None or as_dict(view.get("outcome")):
            return super().situation(view, decision, ctx)
        asked = ints_in(view.get("asked"))
        match as_str(view.get("phase")):
            case "race":
                text = ctx.say("enbu.sit.race")
            case "ended":
                text = ctx.say("enbu.sit.ended", who=ctx.people(asked))
            case _ if ctx.me is None and len(asked) == 1:
                text = ctx.say("enbu.sit.rehearsing", who=ctx.name(asked[0]))
            case _:
                return super().situation(view, decision, ctx)
        return (("rule.name", text),)

    def table(self, view: Mapping[str, Json], ctx: Context, width: int, height: int) -> Lines:
        """Return the table in the roomiest form that has at most `height` lines."""
        board, book = self._shown(view, ctx), self._book(view)
        rivals = self._rivals(view, ctx, width, max(1, height - 9))
        if board is None:
            return rivals
        if ctx.shade and self.shown_seat(view, ctx) == ctx.me:
            return [*rivals, cut_line((("dim", " " + ctx.say("enbu.hidden")),), width)]
        lines: Lines = []
        for level in range(4):
            lines = [*rivals, *self._form(view, board, book, ctx, width, level)]
            if len(lines) <= height:
                break
        else:
            lines = [*self._smallest(view, board, book, ctx, width), *rivals][: max(2, height)]
        return [cut_line(line, width) for line in lines]

    def _form(
        self,
        view: Mapping[str, Json],
        board: Board,
        book: Book,
        ctx: Context,
        width: int,
        level: int,
    ) -> Lines:
        """Return the table in a form: 0 is the roomiest, 3 the closest."""
        lines: Lines = [*self._whose(view, ctx), self._status(view, board, book, ctx)]
        if level == 0:
            key = "enbu.pages_drop" if book.drop else "enbu.pages"
            lines += [(), (("dim", " " + ctx.say(key)),)] if board.pages else [()]
        lines += self._pages(board, book, ctx, width, level)
        if level == 0:
            lines.append(())
        stage = self._stage(board, ctx, level)
        if level == 3:
            lines += _flowed(stage, width)
            return lines + self._rest(view, board, book, ctx, width, 1, 1)
        if width < _BESIDE:
            most = 2 if level == 0 else 1
            return [*lines, *stage, *self._rest(view, board, book, ctx, width, most, most)]
        cells = self._stage_cells(stage, width)
        rows = max(len(stage), 4 if level == 2 else 5)
        right = self._rest(view, board, book, ctx, width - cells - 1, 4 - level, 2)
        for i in range(max(len(stage), min(len(right), rows + (2 if level == 0 else 0)))):
            left = fit_line(stage[i] if i < len(stage) else (), cells)
            lines.append((*left, ("rule", "│"), *(right[i] if i < len(right) else ())))
        if level == 0:
            lines.append((("dim", " " + ctx.say("enbu.legend")),))
        return lines

    def _smallest(
        self, view: Mapping[str, Json], board: Board, book: Book, ctx: Context, width: int
    ) -> Lines:
        """Return the needs of the pages and the tops of the stage first, each in a line or two."""
        pages: Lines = []
        for page in board.pages:
            mark = _READY if self._is_ready(page, board, ctx) else ""
            needs = self._needs(page, board, book, ctx, words=False)
            told = tuple(piece for piece in needs if piece[1] != " ")
            pages.append((("strong", f" {mark}"), *told, ("", " ")))
        slots: Lines = []
        for i, pile in enumerate(board.stage, start=1):
            under = f"▼{len(pile) - 1}" if len(pile) > 1 else ""
            top = glyph(pile[-1], ctx) if pile else "–"
            slots.append((("menu.key", f" {i}"), ("card.other", top), ("dim", under)))
        rest = self._rest(view, board, book, ctx, width, 1, 1)
        status = self._status(view, board, book, ctx)
        whose = self._whose(view, ctx)
        return [*whose, *_flowed(pages, width), *_flowed(slots, width), status, *rest]

    def _whose(self, view: Mapping[str, Json], ctx: Context) -> Lines:
        """Return whose table is drawn, where one can look at several."""
        seat = self.shown_seat(view, ctx)
        if seat is None or len(self._boards(view)) < 2:
            return []
        who = ctx.say("enbu.board_of", who=ctx.name(seat))
        return [(("strong", " " + who), ("dim", "  " + ctx.say("enbu.look")))]

    def _stage_cells(self, stage: Lines, width: int) -> int:
        longest = max((line_width(line) for line in stage), default=0) + 2
        return max(width * 2 // 5, min(longest, width * 3 // 5))

    def _status(self, view: Mapping[str, Json], board: Board, book: Book, ctx: Context) -> Line:
        parts = [
            ctx.say("enbu.turn", n=board.turn),
            ctx.say("enbu.points_of", n=board.total, total=book.total),
        ]
        goal = ctx.say("enbu.goal.all")
        if book.pass_mark is not None:
            goal = ctx.say("enbu.goal.pass", n=book.pass_mark)
        if board.goal in ("reached", "lost"):
            goal += f" ({ctx.say(f'enbu.goal.{board.goal}')})"
        parts += [goal, ctx.say("enbu.deck", n=board.deck)]
        left = as_dict(view.get("you")).get("undo_left")
        if has_int(left) and board.phase != "over":
            parts.append(ctx.say("enbu.undo_left", n=left))
        return (("strong", " " + " · ".join(parts[:2])), ("", " · " + " · ".join(parts[2:])))

    # --- pages ------------------------------------------------------------------------------

    def _is_ready(self, page: str, board: Board, ctx: Context) -> bool:
        return board.phase == "act" and board.can_perform(needs_of(page, ctx))

    def _need(self, need: str, board: Board, book: Book, ctx: Context, *, words: bool) -> Fragment:
        where = board.where(need, book)
        style = {Where.OPEN: "good", Where.FLIPPED: "strong", Where.GONE: "alert"}.get(where, "")
        text = card(need, ctx) if words else glyph(need, ctx)
        return (style, where.value + text)

    def _needs(
        self, page: str, board: Board, book: Book, ctx: Context, *, words: bool
    ) -> Iterator[Fragment]:
        for i, need in enumerate(needs_of(page, ctx)):
            if i:
                yield ("", " ")
            yield self._need(need, board, book, ctx, words=words)

    def _title(self, page: str, board: Board, ctx: Context, cells: int) -> Line:
        ready = self._is_ready(page, board, ctx)
        points = ctx.say("enbu.pts", n=points_of(page, ctx))
        name = cut(self._name(page, ctx), max(2, cells - 4 - len_cells(points)))
        style = "strong" if ready else ""
        return (
            ("strong", _READY if ready else " "),
            ("", " "),
            (style, name),
            ("dim", f" {points}"),
        )

    def _title_cells(self, page: str, ctx: Context) -> int:
        points = ctx.say("enbu.pts", n=points_of(page, ctx))
        return len_cells(self._name(page, ctx)) + len_cells(points) + 4

    def _pages(self, board: Board, book: Book, ctx: Context, width: int, level: int) -> Lines:
        if not board.pages:
            return [(("dim", " " + ctx.say("enbu.no_pages")),)]
        cells = (width - 1) // max(1, len(board.pages))
        if level == 3 or cells < _COLUMN:
            lines: Lines = []
            for page in board.pages:
                title = self._title(page, board, ctx, max(10, width // 2))
                needs = tuple(self._needs(page, board, book, ctx, words=False))
                lines.append((("", " "), *title, ("", "  "), *needs))
            return lines
        cells = min(cells, max(36, *(self._title_cells(page, ctx) for page in board.pages)))
        columns: list[Lines] = []
        for page in board.pages:
            needs = tuple(
                self._needs(page, board, book, ctx, words=level <= 1 and cells >= _WORDED)
            )
            wrapped = [(("", "  "), *line) for line in wrap_needs(needs, cells - 3)]
            columns.append([self._title(page, board, ctx, cells), *wrapped])
        out: Lines = []
        for i in range(max(map(len, columns))):
            line: list[Fragment] = [("", " ")]
            for column in columns:
                line += fit_line(column[i] if i < len(column) else (), cells)
            out.append(tuple(line))
        return out

    # --- stage and the rest -----------------------------------------------------------------

    def _stage(self, board: Board, ctx: Context, level: int) -> Lines:
        lines: Lines = []
        for i, pile in enumerate(board.stage, start=1):
            line: list[Fragment] = [("menu.key", f" {i} ")]
            if not pile:
                line.append(("dim", f"[ {ctx.say('enbu.empty')} ]"))
            else:
                top = card(pile[-1], ctx) if level < 3 else glyph(pile[-1], ctx)
                line.append(("card.other", f"[{top}]"))
                if pile[:-1]:
                    line.append(("dim", " ▼" + glyphs(reversed(pile[:-1]), ctx)))
            lines.append(tuple(line))
        return lines

    def _rest(
        self,
        view: Mapping[str, Json],
        board: Board,
        book: Book,
        ctx: Context,
        width: int,
        most: int,
        stack: int,
    ) -> Lines:
        """Return what is neither page nor stage; each part in at most so many lines."""
        parts: list[tuple[str, str, int]] = []
        if self.shown_seat(view, ctx) != ctx.me or board.phase == "over":
            parts.append(("hand", glyphs(board.hand, ctx) or ctx.say("enbu.hand.none"), 1))
            if board.flipped:
                parts.append(("flipped", card(board.flipped, ctx), 1))
        names = [brief(p, ctx) for p in board.stack]
        parts.append(("next", " › ".join(names) or ctx.say("enbu.next.none"), stack))
        if board.rest is None:
            told = " ".join(
                glyph(c, ctx) + (str(n) if n > 1 else "") for c, n in board.unseen.items()
            )
            parts.append(("unseen", told or ctx.say("enbu.unseen.none"), most))
        elif board.rest:
            parts.append(("rest", glyphs(board.rest, ctx), most))
        if board.discard:
            parts.append(("discard", glyphs(board.discard, ctx), max(1, most - 1)))
        done = [f"{ctx.say('enbu.gained')} {len(board.gained)}"]
        if book.drop:
            done.append(f"{ctx.say('enbu.dropped')} {len(board.dropped)}")
        if board.wilds:
            done.append(f"{ctx.say('enbu.wilds')} {glyphs(board.wilds, ctx)}")
        lines: Lines = []
        for name, text, limit in parts:
            lines += _limited(f"{ctx.say(f'enbu.{name}')} ", text, width, limit)
        return lines + _limited("", " · ".join(done), width, 2)

    # --- rivals -----------------------------------------------------------------------------

    def _figures(self, entry: Mapping[str, Json], ctx: Context, name_cells: int = 0) -> str:
        name = ctx.name(as_int(entry.get("seat"), -1), 14)
        return f"{pad(name, name_cells) if name_cells else name}  {self._standing(entry, ctx)}"

    def _standing(self, entry: Mapping[str, Json], ctx: Context) -> str:
        text = ctx.say(
            "enbu.figures",
            n=f"{as_int(entry.get('turn')):>2}",
            points=f"{as_int(entry.get('total')):>2}",
            programs=f"{as_int(entry.get('gained')):>2}",
        )
        return text + (f" · {ctx.say('enbu.ended')}" if entry.get("ended") is True else "")

    def _rivals(self, view: Mapping[str, Json], ctx: Context, width: int, most: int) -> Lines:
        """Return how everybody stands: a line each if there is room, else what fits."""
        if as_dict(view.get("table")).get("race") is not True or as_dict(view.get("outcome")):
            return []
        seats = sorted(
            dicts_in(view.get("seats")),
            key=lambda s: (-as_int(s.get("total")), as_int(s.get("turn"))),
        )
        if ctx.me is None:
            note = "enbu.race.watch"
        else:
            note = "enbu.race.live" if view.get("phase") == "ended" else "enbu.race.behind"
        people = [ctx.name(as_int(s.get("seat"), -1), 14) for s in seats]
        names = max(map(len_cells, people), default=0)
        texts = [self._figures(entry, ctx, names) for entry in seats]
        text = ctx.say(note)
        if len(texts) >= most and len(texts) > 2:  # a line each would be too many
            text += ctx.say("enbu.figures.how")
            texts = [
                f"{pad(name, min(names, 10))} {self._short_figures(entry, ctx)}"
                for name, entry in zip(people, seats, strict=True)
            ]
        cell = max(map(len_cells, texts), default=0) + 3
        across = max(1, min(4, (width + 1) // cell)) if len(texts) >= most else 1
        rows: Lines = []
        for i in range(0, len(texts), across):
            line: list[Fragment] = [("", " ")]
            for entry, told in zip(seats[i : i + across], texts[i : i + across], strict=True):
                mine = entry.get("seat") == ctx.me and ctx.me is not None
                line += [("you" if mine else "", told), ("", " " * (cell - len_cells(told)))]
            rows.append(cut_line(tuple(line), width))
        return [cut_line((("dim", " " + text),), width), *rows][: max(2, most)]

    def _short_figures(self, entry: Mapping[str, Json], ctx: Context) -> str:
        return ctx.say(
            "enbu.figures.short_ended" if entry.get("ended") is True else "enbu.figures.short",
            n=as_int(entry.get("turn")),
            points=f"{as_int(entry.get('total')):>2}",
            programs=as_int(entry.get("gained")),
        )

    def seat_details(self, view: Mapping[str, Json], seat: int, ctx: Context, width: int) -> Lines:
        """Return a seat's figures, and its table where it may be seen."""
        lines: Lines = []
        for entry in dicts_in(view.get("seats")):
            if entry.get("seat") == seat:
                lines.append((("", "   " + self._standing(entry, ctx)),))
                board = board_of(entry.get("board"))
                if board is not None and not ctx.shade:
                    for text in self._told(board, self._book(view), ctx):
                        lines += wrap_line((("", "   " + text),), width, 5)
        return [cut_line(line, width) for line in lines]

    # --- one's own --------------------------------------------------------------------------

    def own(self, view: Mapping[str, Json], ctx: Context, width: int) -> Lines:
        """Return the flipped card and the hand."""
        board, book = self._own(view), self._book(view)
        if board is None or board.phase == "over":
            return []
        if ctx.shade:
            return [cut_line((("dim", " " + ctx.say("shade.on")),), width)]
        line: list[Fragment] = [("", " ")]
        if board.flipped:
            flipped = card(board.flipped, ctx)
            line += [
                ("field", f"{ctx.say('enbu.flipped')} "),
                ("card.other", f"[{flipped}]"),
                ("", "   "),
            ]
        line.append(("field", f"{ctx.say('enbu.hand')} "))
        if board.hand:
            line.append(("card.other", "  ".join(card(c, ctx) for c in board.hand)))
            line.append(("dim", f"  {len(board.hand)}/{book.hand}"))
        else:
            line.append(("dim", ctx.say("enbu.hand.none" if book.hand else "enbu.hand.no")))
        return [cut_line(tuple(line), width)]

    # --- in sentences -----------------------------------------------------------------------

    def spoken(self, view: Mapping[str, Json], ctx: Context) -> list[str]:
        """Return the table in sentences, for line mode."""
        board = self._shown(view, ctx)
        lines = [self.headline(view, ctx)]
        if as_dict(view.get("table")).get("race") is True:
            lines += [self._figures(entry, ctx) for entry in dicts_in(view.get("seats"))]
        if board is None:
            return lines
        if ctx.shade and self.shown_seat(view, ctx) == ctx.me:
            return [*lines, ctx.say("enbu.hidden")]
        status = "".join(text for _, text in self._status(view, board, self._book(view), ctx))
        return [*lines, status.strip(), *self._told(board, self._book(view), ctx)]

    def _told(self, board: Board, book: Book, ctx: Context) -> list[str]:
        """Return everything that may be looked at (EN-32, EN-33, EN-35), a sentence each."""
        out = [f"{ctx.say('enbu.pages')}:"]
        out += [f"  {self._page_text(page, board, book, ctx)}" for page in board.pages] or [
            "  " + ctx.say("enbu.no_pages")
        ]
        if board.stack:
            out.append(f"{ctx.say('enbu.stack_all')}:")
            out += [
                f"  {i}. {self._page_text(page, board, book, ctx)}"
                for i, page in enumerate(board.stack, start=1)
            ]
        out.append(f"{ctx.say('enbu.stage')}:")
        for i, pile in enumerate(board.stage, start=1):
            out.append(f"  {i}. {cards(reversed(pile), ctx) or ctx.say('enbu.empty')}")
        lists: list[tuple[str, str]] = []
        if board.flipped:
            lists.append(("flipped", card(board.flipped, ctx)))
        if book.hand:
            lists.append(("hand", cards(board.hand, ctx) or ctx.say("enbu.hand.none")))
        if board.rest is None:
            unseen = (
                f"{card(c, ctx)} ×{n}" if n > 1 else card(c, ctx) for c, n in board.unseen.items()
            )
            told = ctx.say("list.comma").join(unseen)
            lists.append(("unseen", told or ctx.say("enbu.unseen.none")))
        elif board.rest:
            lists.append(("rest", cards(board.rest, ctx)))
        lists += [
            (name, cards(ids, ctx))
            for name, ids in (("discard", board.discard), ("wilds", board.wilds))
            if ids
        ]
        lists += [
            (name, ctx.say("list.comma").join(program(p, ctx) for p in ids))
            for name, ids in (("gained", board.gained), ("dropped", board.dropped))
            if ids
        ]
        return out + [f"{ctx.say(f'enbu.{name}')}: {text}" for name, text in lists]

    def _page_text(self, page: str, board: Board, book: Book, ctx: Context) -> str:
        mark = f"{_READY} " if page in board.pages and self._is_ready(page, board, ctx) else ""
        needs = " ".join(
            text for _, text in self._needs(page, board, book, ctx, words=True) if text != " "
        )
        points = ctx.say("rank.points", score=points_of(page, ctx))
        return f"{mark}{self._name(page, ctx)} ({points}) {needs}"

    def _name(self, page: str, ctx: Context) -> str:
        known = ctx.catalog.cards.get(page)
        if known is None or ctx.lang is Lang.JA:
            return program(page, ctx)
        return known.name[Lang.EN].partition(":")[0]

    def outcome(self, view: Mapping[str, Json], ctx: Context, width: int) -> Lines:
        """Return the result, and in a race the ranking."""
        boards = {**self._boards(view)}
        own = self._own(view)
        if own is not None and ctx.me is not None:
            boards.setdefault(ctx.me, own)
        return outcome_lines(view, self._book(view), boards, ctx, width)

    # --- deciding ---------------------------------------------------------------------------

    def path(self, decision: Decision, option: Option) -> tuple[Step, ...]:
        """Return by which choices an option is reached: a slot at once, a program before its cards."""
        args = option.args
        match option.kind:
            case "stage":
                return (Step("stage", args.get("slot")),)
            case "swap":
                return (
                    Step("kind", "swap"),
                    Step("out", args.get("hand")),
                    Step("slot", args.get("slot")),
                )
            case "perform":
                sources = "+".join(as_texts(args.get("sources")))
                return (Step("program", args.get("program")), Step("sources", sources))
            case "drop":
                return (Step("kind", "drop"), Step("slot", args.get("slot")))
        return (Step("kind", option.kind),)

    def slot(self, node: Node) -> int | None:
        """Return the digit of a slot, of a program that can be performed, or of what else there is."""
        step = node.steps[0] if node.steps else Step("", None)
        match step.key:
            case "stage" | "slot" | "out":
                return as_int(step.value) or None
            case "program" if node.decision is not None:
                told = (o.args.get("program") for o in node.decision.options if o.kind == "perform")
                order = list(dict.fromkeys(told))
                return order.index(step.value) + 1 if step.value in order else None
            case "kind":
                return _KEYS.get(as_str(step.value))
        return None

    def is_timed(self, view: Mapping[str, Json], clocks: Sequence[Clock]) -> bool:
        """Whether a turn's clock runs (EN-76); that of a race or a day ends everything instead."""
        if as_dict(view.get("table")).get("daily") is True:
            return len(clocks) > 1
        return any(clock.seat is not None for clock in clocks)

    def shy(self, node: Node) -> bool:
        """Keep Enter from taking back, dropping or ending by itself."""
        return node.kind in ("undo", "drop", "finish")

    def entry(self, node: Node, view: Mapping[str, Json], ctx: Context) -> str:
        """Return an entry in the few words that it needs beside the others."""
        board = self._own(view) or Board()
        if node.option is not None and not node.children:
            kind = node.steps[0].key if node.steps else ""
            if kind == "stage":
                return self._slot_text(as_int(node.option.args.get("slot")), board, ctx)
            if kind == "slot" and node.option.kind == "swap":
                return self._slot_text(as_int(node.option.args.get("slot")), board, ctx)
            if kind == "slot":
                slot, top = node.option.args.get("slot"), as_str(node.option.args.get("card"))
                return ctx.say("enbu.do.drop_slot", slot=slot, card=card(top, ctx))
            if kind == "sources":
                return self._sources_text(node.option, ctx)
            return self._option_text(node.option, board, ctx, brief=True)
        step = node.steps[0] if node.steps else Step("", None)
        if step.key == "program":
            name = as_str(step.value)
            text = ctx.say("enbu.do.perform", what=self._name(name, ctx), n=points_of(name, ctx))
        elif step.key == "out":
            at = as_int(step.value) - 1
            out = card(board.hand[at], ctx) if 0 <= at < len(board.hand) else "?"
            text = ctx.say("enbu.do.swap_out", card=out)
        elif as_str(step.value) in ("swap", "drop"):
            text = ctx.say(f"enbu.do.{step.value}")
        else:
            return super().entry(node, view, ctx)
        return text + "…" if node.children else text

    def sentence(
        self,
        decision: Decision,
        option: Option,
        value: int | tuple[str, ...] | None,
        view: Mapping[str, Json],
        ctx: Context,
    ) -> str:
        """Return an option as a whole."""
        return self._option_text(option, self._own(view) or Board(), ctx, brief=False)

    def _slot_text(self, slot: int, board: Board, ctx: Context) -> str:
        pile = board.stage[slot - 1] if 0 < slot <= len(board.stage) else ()
        if not pile:
            return ctx.say("enbu.do.stage", slot=slot)
        return ctx.say("enbu.do.stage_on", slot=slot, on=card(pile[-1], ctx))

    def _option_text(self, option: Option, board: Board, ctx: Context, *, brief: bool) -> str:
        args = option.args
        slot = as_int(args.get("slot"))
        told = card(as_str(args.get("card")), ctx)
        pile = board.stage[slot - 1] if 0 < slot <= len(board.stage) else ()
        match option.kind:
            case "stage":
                if pile:
                    on = card(pile[-1], ctx)
                    return ctx.say("enbu.do.stage.long_on", card=told, slot=slot, on=on)
                return ctx.say("enbu.do.stage.long", card=told, slot=slot)
            case "swap":
                out = card(as_str(args.get("out")), ctx)
                return ctx.say("enbu.do.swap.long", out=out, slot=slot, card=told)
            case "perform":
                name = as_str(args.get("program"))
                what, n = self._name(name, ctx), as_int(args.get("points"))
                if brief:
                    return ctx.say("enbu.do.perform", what=what, n=n)
                return ctx.say(
                    "enbu.do.perform.with", what=what, n=n, cards=self._sources_text(option, ctx)
                )
            case "drop":
                what = self._name(as_str(args.get("program")), ctx)
                return ctx.say("enbu.do.drop.long", what=what, slot=slot, card=told)
            case "next" if board.deck == 0 and board.phase == "act":
                return ctx.say("enbu.do.next.reshuffle")
            case "take" | "next" | "finish" | "undo":
                return ctx.say(f"enbu.do.{option.kind}")
        return clean(option.id)

    def _sources_text(self, option: Option, ctx: Context) -> str:
        """Return where the cards of a performance come from."""
        stands = as_dict(option.args.get("stands_for"))
        pieces: list[str] = []
        for source, name in zip(
            as_texts(option.args.get("sources")), as_texts(option.args.get("cards")), strict=False
        ):
            text = card(name, ctx)
            if isinstance(to := stands.get(source), str):
                text = ctx.say("enbu.do.from.as", card=text, to=card(to, ctx))
            key = "enbu.do.from.s" if source[:1] == "s" else "enbu.do.from.h"
            pieces.append(ctx.say(key, card=text, n=clean(source[1:])))
        return ctx.say("list.comma").join(pieces)

    def warning(
        self, view: Mapping[str, Json], decision: Decision, option: Option, ctx: Context
    ) -> str:
        """Say that an option ends the rehearsal short of its book (EN-44, EN-46)."""
        board, book = self._own(view), self._book(view)
        if board is None:
            return ""
        if option.kind == "finish":
            reached = board.total >= (book.total if book.pass_mark is None else book.pass_mark)
            key = "enbu.warn.finish" if reached else "enbu.warn.finish_lost"
            return ctx.say(key, n=board.total)
        after = board.after(option)
        if after != board and after.phase == "act" and after.is_stuck(book, ctx):
            return ctx.say("enbu.warn.stuck")
        return ""

    def help(self, decision: Decision, view: Mapping[str, Json], ctx: Context) -> str:
        """Return what a decision of this kind is about."""
        return ctx.say(f"enbu.help.{decision.kind}") if decision.kind in ("place", "act") else ""

    # --- explaining -------------------------------------------------------------------------

    def event(self, event: Mapping[str, Json], ctx: Context) -> str | None:
        """Return an event as a sentence."""
        return sentence(event, ctx)

    def explain(self, node: Node | None, view: Mapping[str, Json], ctx: Context) -> list[str]:
        """Return what an entry means, its cards, and everything that may be looked at."""
        texts: list[str] = []
        if node is not None:
            kind = node.kind
            board = self._own(view)
            if kind == "next" and board is not None and board.deck == 0:
                texts.append(ctx.say("enbu.why.next.reshuffle"))
            elif kind in ("stage", "take", "swap", "perform", "drop", "next", "finish", "undo"):
                texts.append(ctx.say(f"enbu.why.{kind}"))
            for name in self.cards_of(node):
                texts += ["", *self.card_page(name, ctx)]
        shown = self._shown(view, ctx)
        if shown is None or (ctx.shade and self.shown_seat(view, ctx) == ctx.me):
            return texts
        told = self._told(shown, self._book(view), ctx)
        about = [line for page in shown.pages for line in ("", *self.card_page(page, ctx))]
        return [*texts, *([""] if texts else []), *told, "", ctx.say("enbu.legend"), *about]

    def cards_of(self, node: Node) -> list[str]:
        """Return the program and the cards that an entry is about."""
        option = node.option
        while option is None and node.children:
            node = node.children[0]
            option = node.option
        if option is None:
            return []
        args = option.args
        found = [as_str(args.get(name)) for name in ("program", "card", "out")]
        return list(dict.fromkeys(filter(None, [*found, *as_texts(args.get("cards"))])))

    def card_page(self, card_id: str, ctx: Context) -> list[str]:
        """Return a card or program with its reading, its sense and its rule."""
        known = ctx.catalog.cards.get(card_id)
        if known is None:
            return []
        if known.kind != "program":
            lines = [
                f"{glyph(card_id, ctx)}  {known.name[Lang.JA]} {known.text[Lang.JA]} ({known.name[Lang.EN]})"
            ]
            if card_id in WILDS:
                lines.append(ctx.say("enbu.wild"))
            return lines
        needs = needs_of(card_id, ctx)
        return [
            f"{known.name[Lang.JA]}  {known.text[Lang.JA].partition('。')[0]}",
            known.text[Lang.EN],
            ctx.say("enbu.needs", cards=cards(needs, ctx), n=points_of(card_id, ctx)),
        ]

    def page(self, ctx: Context) -> list[str]:
        """Return how enbu is played, in short."""
        texts = [
            ctx.say("enbu.page.turn"),
            ctx.say("enbu.page.pile"),
            ctx.say("enbu.page.signs", legend=ctx.say("enbu.legend")),
            ctx.say("enbu.page.keys"),
        ]
        return [line for text in texts for line in (text, "")][:-1]


def len_cells(text: str) -> int:
    """Return the cells of a text."""
    return line_width((("", text),))


def _flowed(pieces: Lines, width: int) -> Lines:
    """Return lines behind each other in as few as they need."""
    lines: Lines = []
    for piece in pieces:
        if lines and line_width(lines[-1]) + line_width(piece) + 1 <= width:
            lines[-1] = (*lines[-1], ("", " "), *piece)
        else:
            lines.append(piece)
    return lines


def _limited(label: str, text: str, width: int, most: int) -> Lines:
    """Return a labelled text in at most so many lines, the last one cut where there is more."""
    lines = wrap_line((("field", " " + label), ("", text)), width, 3)
    if len(lines) > most:
        last = lines[most - 1]
        cut_last = cut_line((*last, ("", " " * width)), max(1, min(width, line_width(last) + 2)))
        lines = [*lines[: most - 1], cut_line(cut_last, width)]
    return lines


def wrap_needs(needs: Sequence[Fragment], cells: int) -> Lines:
    """Return needs in lines that break between them, never inside one that fits."""
    lines: Lines = []
    line: list[Fragment] = []
    used = 0
    for style, text in needs:
        if text == " ":
            continue
        size = len_cells(text)
        if line and used + 1 + size > cells:
            lines.append(tuple(line))
            line, used = [], 0
        if line:
            line.append(("", " "))
            used += 1
        line.append((style, cut(text, max(3, cells))))
        used += size
    return [*lines, tuple(line)] if line else lines
