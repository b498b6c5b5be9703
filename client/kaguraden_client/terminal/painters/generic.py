"""The painter of games that this client has never heard of, and the ground of all others.

It knows only what the protocol says of every view (`seats`, `you`, `table`, `asked`, `turn`,
`outcome`), decision and event; the rest it draws by name and value. Everything here is total: a
view may hold anything, and the answer is lines within the width.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from attrs import evolve
from kaguraden_protocol.messages import Clock, Decision, Option

from ...reading import Json, as_dict, as_int, as_str, dicts_in, has_int, ints_in
from ..deck_rules import DeckRules, copies_in
from ..menu import Node, Step, default_path
from ..notes import Sheet
from ..text import Fragment, Line, clean, cut_line, join, line_text, pad, wrap, wrap_line
from ..text import width as cells_of
from ..words import has
from .base import Context

__all__ = ["Lines", "Painter", "paragraphs"]

# Fields whose numbers are seats.
_SEATS: Final = frozenset(
    [
        "seat",
        "by",
        "to",
        "seller",
        "buyer",
        "winner",
        "leader",
        "owner",
        "player",
        "turn",
        "giver",
        "receiver",
        "viewer",
        "from_seat",
        "to_seat",
        "target_seat",
        "host",
    ]
)
_SEAT_LISTS: Final = frozenset(
    ["asked", "group", "order", "seats", "winners", "losers", "players", "passed", "queue"]
)
_DEPTH: Final = 4  # objects in each other that are worth drawing
_ITEMS: Final = 40  # of one list that are worth drawing
_KNOWN: Final = frozenset(["game", "phase", "turn", "seats", "you", "table", "asked", "outcome"])

Lines = list[Line]


class Painter:
    """Draws views, decisions and events. One object serves all tables; it has no state."""

    game: ClassVar[str] = ""
    has_decks: ClassVar[bool] = True  # whether one may build a deck where its cards are known
    has_own_tables: ClassVar[bool] = False  # whether each seat has a table that it alone sees
    over_lines: ClassVar[int] = 13  # that its ranking and its last news get before the table

    # --- the table --------------------------------------------------------------------------

    def headline(self, view: Mapping[str, Json], ctx: Context) -> str:
        """Return how far the game is, for the title line."""
        phase = clean(as_str(view.get("phase")))
        turn = view.get("turn")
        if has_int(turn):
            return f"{phase} · {ctx.say('turn')}: {ctx.name(turn, 14)}"
        return phase

    def situation(self, view: Mapping[str, Json], decision: Decision | None, ctx: Context) -> Line:
        """Return what the table waits for, for the line above the menu."""
        if as_dict(view.get("outcome")):
            return (("rule.name", ctx.say("over")),)
        if decision is not None:
            return (("rule.name", self.question(decision, ctx)),)
        asked = ints_in(view.get("asked"))
        if asked:
            return (("rule.name", ctx.say("wait.for", who=ctx.people(asked))),)
        return (("rule.name", ctx.say("wait.nobody")),)

    def question(self, decision: Decision, ctx: Context) -> str:
        """Return what a decision asks, in a few words."""
        if decision.prompt is not None:
            told = clean(getattr(decision.prompt, ctx.lang.value, "") or decision.prompt.en)
            if told:
                return told
        return self.word(decision.kind, ctx)

    def table(self, view: Mapping[str, Json], ctx: Context, width: int, height: int) -> Lines:
        """Return everything public in lines of at most `width`, `height` of them if it can be."""
        asked = set(ints_in(view.get("asked")))
        lines: Lines = []
        for entry in dicts_in(view.get("seats")):
            seat = as_int(entry.get("seat"), -1)
            head: list[Fragment] = [("strong", " " + ctx.name(seat))]
            if seat == ctx.me:
                head.append(("you", ctx.say("you")))
            if has_int(view.get("turn")) and view.get("turn") == seat:
                head.append(("turn", ctx.say("turn")))
            if seat in asked:
                head.append(("asked", ctx.say("asked")))
            if seat in ctx.away:
                head.append(("away", ctx.say("away")))
            rest = {k: v for k, v in entry.items() if k != "seat"}
            line = join([(piece,) for piece in head] + self._fields(rest, ctx))
            lines += wrap_line(line, width, 3)
        table = join(self._fields(as_dict(view.get("table")), ctx))
        if table:
            lines += wrap_line((("", " "), *table), width, 3)
        extra = join(self._fields({k: v for k, v in view.items() if k not in _KNOWN}, ctx))
        if extra:
            lines += wrap_line((("", " "), *extra), width, 3)
        return [cut_line(line, width) for line in lines]

    def spoken(self, view: Mapping[str, Json], ctx: Context) -> list[str]:
        """Return everything public in sentences, for line mode."""
        lines = [self.headline(view, ctx)]
        lines += [line_text(line).strip() for line in self.table(view, ctx, 100_000, 100)]
        return [line for line in lines if line]

    def own(self, view: Mapping[str, Json], ctx: Context, width: int) -> Lines:
        """Return what the viewer alone knows, or a line that says it is hidden."""
        you = as_dict(view.get("you"))
        if not you:
            return []
        if ctx.shade:
            return [cut_line((("dim", " " + ctx.say("shade.on")),), width)]
        line = join(self._fields(you, ctx))
        return [cut_line(piece, width) for piece in wrap_line((("", " "), *line), width, 3)]

    def outcome(self, view: Mapping[str, Json], ctx: Context, width: int) -> Lines:
        """Return the ranking of a game that is over."""
        outcome = as_dict(view.get("outcome"))
        lines: Lines = []
        ranking = dicts_in(outcome.get("ranking"))
        names = [ctx.name(as_int(entry.get("seat"), -1)) for entry in ranking]
        scores = [self.score(entry) for entry in ranking]
        name_cells = max(map(cells_of, names), default=0)
        score_cells = max(map(cells_of, scores), default=0)
        for entry, name, score in zip(ranking, names, scores, strict=True):
            text = ctx.say(
                "rank.line",
                rank=as_int(entry.get("rank")),
                name=pad(name, name_cells),
                score=ctx.say("rank.points", score=score.rjust(score_cells)),
            )
            mine = entry.get("seat") == ctx.me and ctx.me is not None
            style = "you" if mine else "strong"
            text += ctx.say("rank.you") if mine else ""
            lines.append(cut_line((("", " "), (style, text)), width))
        return lines

    def score(self, entry: Mapping[str, Json]) -> str:
        """Return the score of a line of the ranking."""
        return clean(str(as_int(entry.get("score")))).replace("-", "−")

    def seat_details(self, view: Mapping[str, Json], seat: int, ctx: Context, width: int) -> Lines:
        """Return everything public about one seat, for the page of seats."""
        for entry in dicts_in(view.get("seats")):
            if entry.get("seat") == seat:
                line = join(self._fields({k: v for k, v in entry.items() if k != "seat"}, ctx))
                return wrap_line((("", "   "), *line), width, 3)
        return []

    # --- deciding ---------------------------------------------------------------------------

    def path(self, decision: Decision, option: Option) -> tuple[Step, ...]:
        """Return by which choices an option is reached."""
        return default_path(decision, option)

    def entry(self, node: Node, view: Mapping[str, Json], ctx: Context) -> str:
        """Return an entry of the menu in words: a whole sentence where it stands by itself."""
        decision, option = node.decision, node.option
        if (
            decision is not None
            and option is not None
            and node.steps == self.path(decision, option)
        ):
            more = "…" if option.value is not None and node.number is None else ""
            return self.sentence(decision, option, node.number, view, ctx) + more
        text = self.steps(node.steps, view, ctx)
        if node.number is not None:
            text = f"{text} {node.number}"
        elif node.children or (node.option is not None and node.option.value is not None):
            text += "…"
        return text or (clean(node.option.id) if node.option else "…")

    def steps(self, steps: tuple[Step, ...], view: Mapping[str, Json], ctx: Context) -> str:
        """Return the choices of a group's entry in words."""
        words = [self.step(step, view, ctx) for step in steps]
        return " ".join(word for word in words if word)

    def step(self, step: Step, view: Mapping[str, Json], ctx: Context) -> str:
        """Return one choice in words."""
        if step.key in ("kind", "decision"):
            return self.word(as_str(step.value), ctx)
        return line_text(self._value(step.key, step.value, ctx, 0))

    def sentence(
        self,
        decision: Decision,
        option: Option,
        value: int | tuple[str, ...] | None,
        view: Mapping[str, Json],
        ctx: Context,
    ) -> str:
        """Return an option with its value as a whole: `sell 8♦ J♣ for 2`."""
        steps = self.path(decision, option)
        words = [self.step(step, view, ctx) for step in steps]
        if isinstance(value, int):
            words.append(str(value))
        elif value:
            words.append(ctx.cards_text(list(value)))
        return " ".join(word for word in words if word)

    def owner(self, label: str, view: Mapping[str, Json]) -> int | None:
        """Return the seat that one of the things of a list lies at, None if it is not known."""
        return None

    def choice(self, label: str, ctx: Context) -> str:
        """Return one of the things that a list is made of; what follows `>` says whereto it goes."""
        card, there, place = label.partition(">")
        return f"{ctx.card_text(card)} → {clean(place)}" if there else ctx.card_text(card)

    def default(
        self, decision: Decision, option: Option, view: Mapping[str, Json], ctx: Context
    ) -> str:
        """Return in words what happens when the time is up."""
        what = self.sentence(decision, option, None, view, ctx)
        return ctx.say("menu.chance", what=what) if option.value is not None else what

    def help(self, decision: Decision, view: Mapping[str, Json], ctx: Context) -> str:
        """Return a line for somebody who meets a decision of this kind for the first time."""
        return ""

    def slot(self, node: Node) -> int | None:
        """Return the digit that an entry keeps from turn to turn, None if it has none."""
        return None

    def is_timed(self, view: Mapping[str, Json], clocks: Sequence[Clock]) -> bool:
        """Whether the default is taken when one of these clocks runs out."""
        return bool(clocks)

    def shy(self, node: Node) -> bool:
        """Whether an entry is not highlighted to begin with, so that Enter alone never means it."""
        return False

    def careful(self, view: Mapping[str, Json], decision: Decision, option: Option) -> bool:
        """Whether an option asks for Enter before it is sent."""
        return False

    def warning(
        self, view: Mapping[str, Json], decision: Decision, option: Option, ctx: Context
    ) -> str:
        """Return what must be said before an option is sent; one with a warning asks for Enter."""
        return ""

    def example(self, value: str, ctx: Context) -> str:
        """Return what a value of an option is called, where it has a name."""
        return ""

    def sheet(self, view: Mapping[str, Json], ctx: Context) -> Sheet | None:
        """Return what there is to deduce at the table, for the user's notes; None if nothing is."""
        return None

    def looks(self, view: Mapping[str, Json]) -> list[int]:
        """Return the seats whose tables can be looked at one after the other."""
        return []

    # --- what happens -----------------------------------------------------------------------

    def event(self, event: Mapping[str, Json], ctx: Context) -> str | None:
        """Return an event as a sentence, or None for one not worth a line of the log."""
        if ctx.shade:  # which of its fields are for the viewer alone is not known here
            ctx = evolve(ctx, veiled=True)
        kind = self.word(as_str(event.get("kind")), ctx)
        rest = {k: v for k, v in event.items() if k != "kind"}
        details = line_text(join(self._fields(rest, ctx), ctx.say("list.comma")))
        return f"{kind}: {details}" if details else kind

    def is_moment(self, event: Mapping[str, Json]) -> bool:
        """Whether an event stands out in the log."""
        return False

    def explain(self, node: Node | None, view: Mapping[str, Json], ctx: Context) -> list[str]:
        """Return what the entry under the cursor means: its cards' texts and its rule."""
        if node is None:
            return []
        return [line for card in self.cards_of(node) for line in self.card_page(card, ctx)]

    def cards_of(self, node: Node) -> list[str]:
        """Return the cards that an entry is about."""
        found = [step.value for step in node.steps if isinstance(step.value, str)]
        if node.option is not None:
            found += [v for v in node.option.args.values() if isinstance(v, str)]
        return list(dict.fromkeys(v for v in found if v))

    def card_page(self, card: str, ctx: Context) -> list[str]:
        """Return a card's name and text."""
        known = ctx.catalog.cards.get(card)
        if known is None:
            return []
        text = known.text[ctx.lang]
        extra = [f"· {line}" for line in known.more[ctx.lang]]
        return [known.name[ctx.lang], *([text] if text else []), *extra]

    def deck_rules(self, options: Mapping[str, Json]) -> DeckRules:
        """Return what a deck must be under a room's options, as far as that is known."""
        return DeckRules(copies=copies_in(options))

    def page(self, ctx: Context) -> list[str]:
        """Return a short account of how the game is played, in paragraphs."""
        return [ctx.say("rules.unknown")]

    # --- words and values -------------------------------------------------------------------

    def word(self, name: str, ctx: Context) -> str:
        """Return a name of the protocol in words: as known, or with spaces."""
        for key in (f"{self.game}.w.{name}", f"word.{name}"):
            if has(key):
                return ctx.say(key)
        return clean(name).replace("_", " ").strip()

    def _fields(self, fields: Mapping[str, Json], ctx: Context) -> list[Line]:
        """Return each field as its name and its value; empty ones are left out."""
        out: list[Line] = []
        for name, value in fields.items():
            if value is None or value is False or value == [] or value == {}:
                continue
            label: Fragment = ("field", self.word(name, ctx))
            if value is True:
                out.append((label,))
                continue
            out.append((label, ("", " "), *self._value(name, value, ctx, 0)))
        return out

    def _value(self, name: str, value: Json, ctx: Context, depth: int) -> Line:
        if depth > _DEPTH:
            return (("dim", "…"),)
        if isinstance(value, bool):
            return (("", ctx.say("yes" if value else "no")),)
        if isinstance(value, int):
            if name in _SEATS:
                return (("strong", ctx.name(value)),)
            return (("strong", str(value).replace("-", "−")),)
        if isinstance(value, str):
            if ctx.is_card(value):
                return (ctx.card(value),)
            return (("", self.word(value, ctx)),)
        if isinstance(value, list | tuple):
            return self._list(name, list(value), ctx, depth)
        if isinstance(value, Mapping):
            return self._object(as_dict(value), ctx, depth)
        return (("dim", "–"),)

    def _list(self, name: str, items: list[Json], ctx: Context, depth: int) -> Line:
        inner = "seat" if name in _SEAT_LISTS else ""
        pieces = [self._value(inner, item, ctx, depth + 1) for item in items[:_ITEMS]]
        if len(items) > _ITEMS:
            pieces.append((("dim", ctx.say("more", n=len(items) - _ITEMS)),))
        if not pieces:
            return (("dim", ctx.say("none")),)
        return join(pieces, " ")

    def _object(self, fields: dict[str, Json], ctx: Context, depth: int) -> Line:
        """Return an object: a card with its marks, or its fields in brackets."""
        card = fields.get("card")
        pieces: list[Line] = []
        if isinstance(card, str) and card:
            pieces.append((ctx.card(card),))
            fields = {k: v for k, v in fields.items() if k != "card"}
        for name, value in fields.items():
            if value is None or value is False:
                continue
            label: Fragment = ("field", self.word(name, ctx))
            if value is True:
                pieces.append((label,))
            else:
                pieces.append((label, ("", " "), *self._value(name, value, ctx, depth + 1)))
        if len(pieces) == 1:
            return pieces[0]
        return (("", "("), *join(pieces, " "), ("", ")"))


def paragraphs(texts: list[str], width: int) -> Lines:
    """Return texts in lines of at most `width`, an empty text as an empty line."""
    return [(("", line),) for text in texts for line in (wrap(text, width) if text else [""])]
