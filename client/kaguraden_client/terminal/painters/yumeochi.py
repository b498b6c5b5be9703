"""The painter of yumeochi: the clock, the four seats, what the viewer alone knows.

The table is drawn in the roomiest of several forms that has the height it is given: the clock as a
circle beside the seats, over them, or as a row of hours. Everything that is cut there is told in full
on the page of `?`, on that of the seats, and in line mode. The modules beside this one draw the clock
(`yumeochi_clock`) and the seats (`yumeochi_seats`), tell choices (`yumeochi_choices`), events
(`yumeochi_events`), cards (`yumeochi_rules`) and the end (`yumeochi_results`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from kaguraden_protocol.messages import Decision, Option

from ...reading import Json, as_dict, as_int, as_str, has_int
from ..menu import Node, Step
from ..notes import Sheet
from ..text import Line, clean, cut_line, fit_line, line_width, wrap_line
from . import yumeochi_choices as choices
from . import yumeochi_option_words  # noqa: F401 - adds its words
from .base import Context
from .generic import Lines, Painter
from .yumeochi_board import Board, board_of, round_of
from .yumeochi_clock import CIRCLE_LEAST, CIRCLE_LINES, circle, hour_texts, opened_line, row
from .yumeochi_events import MOMENTS, sentence
from .yumeochi_missing import decision_of, missing
from .yumeochi_names import action_name, card, cards, hour, stars_of
from .yumeochi_results import outcome_lines
from .yumeochi_rules import card_rules
from .yumeochi_seats import (
    order_line,
    order_text,
    own_lines,
    seat_lines,
    seat_piece,
    seat_sentence,
    seen_texts,
)

__all__ = ["YumeochiPainter"]

_BESIDE: Final = 72  # columns from which on the clock and the seats stand beside each other
_TOLD: Final = 100  # columns from which on the circle says who opened a card
_LEVELS: Final = 6


class YumeochiPainter(Painter):
    """Draws yumeochi."""

    game: ClassVar[str] = "yumeochi"
    has_decks: ClassVar[bool] = False
    over_lines: ClassVar[int] = 13

    # --- the table --------------------------------------------------------------------------

    def headline(self, view: Mapping[str, Json], ctx: Context) -> str:
        """Return what time it is and whose turn."""
        board = board_of(view)
        parts = [ctx.say("yume.game_no", n=board.game_no)] if board.game_no > 1 else []
        if board.phase in ("first_holder", "rematch", "over"):
            parts.append(ctx.say(f"yume.phase.{board.phase}"))
        else:
            parts.append(hour(board.hour, ctx))
            if board.turn is not None:
                parts.append(ctx.say("yume.turn", who=ctx.name(board.turn, 14)))
        return " · ".join(part for part in parts if part)

    def situation(self, view: Mapping[str, Json], decision: Decision | None, ctx: Context) -> Line:
        """Return what is asked, or who is waited for and why."""
        board = board_of(view)
        if decision is not None and not as_dict(view.get("outcome")):
            text = choices.question(decision, board, ctx)
            return (("rule.name", text),) if text else super().situation(view, decision, ctx)
        if board.phase == "consent" and has_int(to := board.proposal.get("target")):
            text = ctx.say(
                "yume.wait.consent",
                who=ctx.name(as_int(board.proposal.get("seat"), -1), 14),
                to=ctx.name(to, 14),
                what=self._offered(board, ctx),
            )
            return (("rule.name", text),)
        if board.phase == "turn" and board.turn is not None:
            return (("rule.name", ctx.say("yume.wait.turn", who=ctx.name(board.turn, 14))),)
        return super().situation(view, decision, ctx)

    def question(self, decision: Decision, ctx: Context) -> str:
        """Return what is asked, for line mode."""
        text = choices.question(decision, Board(), ctx) if decision.kind != "consent" else ""
        return text or super().question(decision, ctx)

    def table(self, view: Mapping[str, Json], ctx: Context, width: int, height: int) -> Lines:
        """Return the table in the roomiest form that has at most `height` lines."""
        board = board_of(view)
        lines: Lines = []
        for level in range(_LEVELS):
            if (level < 2 and width < _BESIDE) or (level == 2 and width < 2 * CIRCLE_LINES):
                continue
            lines = self._form(board, ctx, width, level, height)
            if len(lines) <= height:
                break
        else:
            lines = self._smallest(board, ctx, width, height)
        return [cut_line(line, width) for line in lines]

    def _form(self, board: Board, ctx: Context, width: int, level: int, height: int) -> Lines:
        """Return the table in a form: 0 is the roomiest, 5 the closest."""
        if level <= 1:
            return self._beside(board, ctx, width, spread=level == 0)
        if level == 2:
            lines = circle(board, ctx, width)
            lines += self._news(board, ctx, width, most=2)
            for seat in board.seats:
                lines += seat_lines(seat, board, ctx, width, 3)
            return lines
        lines = [row(board, ctx, width)]
        if level == 3:
            spare = max(1, height - 3 * len(board.seats) - 3)
            lines += opened_line(board, ctx, width, min(3, spare))
            lines += self._news(board, ctx, width, most=2)
            for seat in board.seats:
                lines += seat_lines(seat, board, ctx, width, 2)
            return lines
        if level == 4:
            lines += self._news(board, ctx, width, most=1)
        for seat in board.seats:
            lines += seat_lines(seat, board, ctx, width, 1)
        return lines

    def _smallest(self, board: Board, ctx: Context, width: int, height: int) -> Lines:
        """Return the seats side by side, with the hours over them if there is a line for these."""
        seats: Lines = []
        for seat in board.seats:
            piece = seat_piece(seat, board, ctx, width)
            if seats and line_width(seats[-1]) + line_width(piece) + 2 <= width:
                seats[-1] = (*seats[-1], ("", "  "), *piece)
            else:
                seats.append(piece)
        if len(seats) == height:
            return seats
        return [row(board, ctx, width), *seats][: max(2, height)]

    def _beside(self, board: Board, ctx: Context, width: int, *, spread: bool) -> Lines:
        """Return the clock with what goes on below it, and the seats to its right."""
        cells = max(CIRCLE_LEAST, min(72, width - 46))
        told = width >= _TOLD
        clock = circle(board, ctx, cells, told=told)
        if spread:
            clock = [line for one in clock for line in (one, ())][:-1]
        left = [*clock, *self._news(board, ctx, cells, most=5 if not spread else 8)]
        right: Lines = []
        for i, seat in enumerate(board.seats):
            if spread and i:
                right.append(())
            right += seat_lines(seat, board, ctx, width - cells - 1, 3)
        size = max(len(right), min(len(left), len(right) + 2))
        lines: Lines = []
        for i in range(size):
            begin = fit_line(left[i] if i < len(left) else (), cells)
            lines.append((*begin, ("rule", "│"), *(right[i] if i < len(right) else ())))
        return lines

    def _news(self, board: Board, ctx: Context, width: int, *, most: int) -> Lines:
        """Return the order of the phase, an open offer, and what lies aside, in `most` lines."""
        order = order_line(board, ctx, width)
        lines: Lines = [order] if order else []
        for label, text in self._facts(board, ctx):
            style = "alert" if label in ("proposal", "action") else ""
            line: Line = (("field", f" {ctx.say(f'yume.{label}')} "), (style, text))
            lines += wrap_line(line, width, 3)[:2]
        return lines[:most]

    def _facts(self, board: Board, ctx: Context) -> list[tuple[str, str]]:
        """Return what there is to say of the table as a whole: a word for it and its text."""
        facts: list[tuple[str, str]] = []
        if board.proposal:
            who = ctx.name(as_int(board.proposal.get("seat"), -1), 12)
            to = ctx.name(as_int(board.proposal.get("target"), -1), 12)
            told = ctx.say("yume.proposal.text", who=who, to=to, what=self._offered(board, ctx))
            facts.append(("proposal", told))
        elif board.action:
            facts.append(("action", self._under_way(board, ctx)))
        if board.used:
            facts.append(("used", cards(board.used, ctx)))
        if board.locked:
            facts.append(("locked", cards(board.locked, ctx)))
        if board.discards:
            facts.append(("discards", self._discards(board, ctx)))
        if board.leftover:
            text = self._pile(board.leftover, board.leftover_up, "yume.leftover.n", ctx)
            facts.append(("leftover", text))
        if board.removed:
            text = self._pile(board.removed, board.removed_up, "yume.removed.down", ctx)
            facts.append(("removed", text))
        return facts

    def _pile(self, number: int, up: Sequence[str], key: str, ctx: Context) -> str:
        """Return skills that lie aside: those face up by name, of the others how many."""
        down = number - len(up)
        parts = [card(one, ctx) for one in up]
        parts += [ctx.say(key, n=down)] if down > 0 else []
        return ctx.say("list.comma").join(parts)

    def _discards(self, board: Board, ctx: Context) -> str:
        """Return the discards, the newest first, with who opened them."""
        openers = {at.card: at.opener for at in board.clock if at.card}
        texts: list[str] = []
        for name in reversed(board.discards):
            opener = openers.get(name)
            who = ctx.say("in_brackets", what=ctx.name(opener, 8)) if opener is not None else ""
            texts.append(card(name, ctx) + who)
        return ctx.say("list.comma").join(texts)

    def _offered(self, board: Board, ctx: Context) -> str:
        told = clean(as_str(board.proposal.get("card")))
        return card(told, ctx) if told else ctx.say("yume.proposal.down")

    def _under_way(self, board: Board, ctx: Context) -> str:
        """Return what is being carried out while somebody is asked for more."""
        action = board.action
        seat = action.get("seat")
        who = ctx.name(seat, 12) if has_int(seat) else ""
        used = clean(as_str(action.get("card")))
        what = card(used, ctx) if used else ""
        if action.get("action") == "role_action":
            role = board.at(seat if has_int(seat) else None)
            what = action_name(role.role, ctx) if role is not None and role.role else what
        if action.get("action") == "open":
            what = card(board.hour_at(board.hour).card, ctx) or what
        tail = choices.picks_text(action, ctx)
        text = ctx.say("yume.say.line", name=who, what=what) if who else what
        return f"{text} → {tail}" if tail else text

    def spoken(self, view: Mapping[str, Json], ctx: Context) -> list[str]:
        """Return everything public in sentences."""
        board = board_of(view)
        if not board.seats:
            return []
        lines = [self.headline(view, ctx)]
        if board.hour:
            lines.append(ctx.say("yume.say.hour", n=board.hour))
        return [*lines, *self._whole(board, ctx)]

    def _whole(self, board: Board, ctx: Context) -> list[str]:
        """Return seats, order, clock and what lies aside, in sentences."""
        lines = [seat_sentence(seat, board, ctx) for seat in board.seats]
        if board.order:
            lines.append(ctx.say("yume.say.order", what=order_text(board, ctx)))
        lines += hour_texts(board, ctx)
        facts = [("pool", cards(board.pool, ctx))] if board.pool else []
        for label, text in [*facts, *self._facts(board, ctx)]:
            lines.append(ctx.say("yume.say.line", name=ctx.say(f"yume.{label}"), what=text))
        return lines

    def own(self, view: Mapping[str, Json], ctx: Context, width: int) -> Lines:
        """Return the own cards, who knows each, and what was shown to the viewer alone."""
        if not as_dict(view.get("you")):
            return []
        if ctx.shade:
            return [cut_line((("dim", " " + ctx.say("shade.on")),), width)]
        return own_lines(board_of(view), ctx, width)

    def seat_details(self, view: Mapping[str, Json], seat: int, ctx: Context, width: int) -> Lines:
        """Return everything public about one seat."""
        board = board_of(view)
        found = board.at(seat)
        if found is None:
            return []
        return wrap_line((("", "   " + seat_sentence(found, board, ctx)),), width, 3)

    def outcome(self, view: Mapping[str, Json], ctx: Context, width: int) -> Lines:
        """Return who won and by what, and what was hidden."""
        lines = outcome_lines(view, board_of(view), ctx, width)
        return lines or super().outcome(view, ctx, width)

    def example(self, value: str, ctx: Context) -> str:
        """Return the name of a role that may be added to the pool (YU-5)."""
        return card(value, ctx) if value in ctx.catalog.cards else ""

    # --- the notes --------------------------------------------------------------------------

    def sheet(self, view: Mapping[str, Json], ctx: Context) -> Sheet | None:
        """Return the seats and the roles that one may deduce, with what is known by itself."""
        board = board_of(view)
        if not board.seats or not board.pool:
            return None
        known = {seat.seat: seat.role for seat in board.seats if seat.role}
        if board.own is not None and not ctx.shade:
            known = {**board.own.roles_seen(), **known}
            if ctx.me is not None and board.own.role:
                known[ctx.me] = board.own.role
        seats = tuple(seat.seat for seat in board.seats)
        return Sheet(round_of(view), seats, board.pool, known)

    # --- deciding ---------------------------------------------------------------------------

    def path(self, decision: Decision, option: Option) -> tuple[Step, ...]:
        """Return by which choices an option is reached."""
        return choices.path(option)

    def slot(self, node: Node) -> int | None:
        """Return the digit that an action keeps from turn to turn."""
        return choices.slot(node)

    def shy(self, node: Node) -> bool:
        """Keep Enter alone from agreeing to an exchange."""
        return node.kind == "agree"

    def entry(self, node: Node, view: Mapping[str, Json], ctx: Context) -> str:
        """Return an entry in the few words that it needs."""
        return choices.entry(node, board_of(view), ctx)

    def sentence(
        self,
        decision: Decision,
        option: Option,
        value: int | tuple[str, ...] | None,
        view: Mapping[str, Json],
        ctx: Context,
    ) -> str:
        """Return an option as a whole."""
        return choices.sentence(option, board_of(view), ctx)

    def warning(
        self, view: Mapping[str, Json], decision: Decision, option: Option, ctx: Context
    ) -> str:
        """Say what cannot be undone: the own role shown, the last life at stake."""
        return choices.warning(option, board_of(view), ctx)

    def help(self, decision: Decision, view: Mapping[str, Json], ctx: Context) -> str:
        """Return what a decision of this kind is about."""
        known = ("turn", "consent", "marker", "draw")
        return ctx.say(f"yume.help.{decision.kind}") if decision.kind in known else ""

    # --- explaining -------------------------------------------------------------------------

    def event(self, event: Mapping[str, Json], ctx: Context) -> str | None:
        """Return an event as a sentence."""
        return sentence(event, ctx)

    def is_moment(self, event: Mapping[str, Json]) -> bool:
        """Whether an event stands out in the log: a role shown, a death, the end."""
        return event.get("kind") in MOMENTS

    def explain(self, node: Node | None, view: Mapping[str, Json], ctx: Context) -> list[str]:
        """Return what an entry means and its cards, then everything that may be looked at."""
        board = board_of(view)
        texts: list[str] = []
        if node is not None:
            again = board.phase == "rematch"
            told = choices.why("rematch" if again else node.kind, ctx)
            texts += [told, ""] if told else []
            for name in self._about(node, board):
                texts += [*self.card_page(name, ctx), ""]
            decision = decision_of(node)
            absent = missing(decision, board, ctx) if decision is not None else []
            texts += [*absent, ""] if absent else []
        if board.own is not None and not ctx.shade:
            about = self._about(node, board) if node is not None else []
            for name in (board.own.role, *board.own.skills_down):
                if name and name not in about:
                    texts += [*self.card_page(name, ctx), ""]
        texts += [ctx.say("yume.page.actions"), "", *self._whole(board, ctx)]
        if board.own is not None and not ctx.shade:
            seen = seen_texts(board, ctx)
            if seen:
                what = ctx.say("yume.rule.also").join(seen)
                texts += ["", ctx.say("yume.say.line", name=ctx.say("yume.seen"), what=what)]
        texts += ["", ctx.say("yume.legend")]
        on_table = [
            *(s.role for s in board.seats if s.role),
            *(skill for s in board.seats for skill in s.skills_up),
            *(at.card for at in board.clock if at.card),
        ]
        for name in dict.fromkeys(on_table):
            texts += ["", *self.card_page(name, ctx)]
        return texts

    def _about(self, node: Node, board: Board) -> list[str]:
        """Return the cards that an entry is about; of an answer, the card that asks."""
        found = choices.cards_of(node)
        if node.kind == "action" and board.own is not None:
            found = [board.own.role, *found]
        if node.kind in ("yes", "no", "to", "yield", "keep", "draw"):
            found = [clean(as_str(board.action.get("card"))), *found]
        if node.kind in ("agree", "refuse"):
            found = [*found, clean(as_str(board.proposal.get("card")))]
        return list(dict.fromkeys(name for name in found if name))

    def cards_of(self, node: Node) -> list[str]:
        """Return the cards that an entry is about."""
        return choices.cards_of(node)

    def card_page(self, card_id: str, ctx: Context) -> list[str]:
        """Return a card with its kind, its stars and what it does."""
        known = ctx.catalog.cards.get(card_id)
        if known is None:
            return []
        kind = as_str(known.told.get("time_kind")) or known.kind
        label = ctx.say(f"yume.card.kind.{kind}") if kind in _KINDS else clean(kind)
        if known.kind == "role" and known.told.get("base") is False:
            label += ctx.say("in_brackets", what=ctx.say("yume.card.extra"))
        stars = stars_of(card_id, ctx)
        head = ctx.say(
            "yume.card.head",
            name=known.name[ctx.lang],
            kind=label,
            stars=f"  {'☆' * stars}" if stars else "",
        )
        text = known.text[ctx.lang]
        return [head, *([text] if text else card_rules(known.told, ctx))]

    def page(self, ctx: Context) -> list[str]:
        """Return how yumeochi is played, in short (YU-12)."""
        texts = [
            ctx.say("yume.page.aim"),
            ctx.say("yume.page.actions"),
            ctx.say("yume.page.clock"),
            ctx.say("yume.page.signs", legend=ctx.say("yume.legend")),
            ctx.say("yume.page.keys"),
        ]
        return [line for text in texts for line in (text, "")][:-1]


_KINDS: Final = frozenset(["role", "skill", "event", "event_stock", "item"])
