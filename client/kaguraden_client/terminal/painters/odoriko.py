"""How odoriko's table is drawn: song and dance of every seat, hands and decks, what is going on.

Three forms, the roomiest that fits is taken: with an empty line between seats, without, and the
compact one, in which a seat's two fields share a line (5 or 6 seats at 80x24). Where a field is
still too long for its place, cards of a suit are written together (`♥2 9 10`), and what does not
fit after that is counted (`+3`); the page of seats (F4) has it all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from kaguraden_protocol.messages import Decision, Option

from ...reading import Json, as_dict, as_int, as_str, as_texts, dicts_in, has_int, ints_in
from ..deck_rules import DeckRules, copies_in
from ..menu import Node, Step
from ..text import Fragment, Line, cut_line, join, line_text, line_width, pad, wrap_line
from ..text import width as cells_of
from ..words import Lang, has
from . import odoriko_words  # noqa: F401 - adds its words
from .base import Context
from .generic import Lines, Painter
from .odoriko_events import SENTENCES
from .odoriko_pages import HOW_TO_PLAY, MOVES
from .odoriko_uses import (
    USE_MOVES,
    USES,
    answered_text,
    cards_named,
    choice_text,
    subjects,
    use_path,
    use_sentence,
    use_text,
    whereto,
    window_text,
)

__all__ = ["OdorikoPainter"]

_NAME_CELLS: Final = 14
_WIDE: Final = 110  # columns from which on hands are told in numbers too
_HAND: Final = 4  # cards that a hand holds at most (OD-51)
_DECK: Final = 12  # cards that a seat supplies (OD-21)
# The digits of the actions of a turn; 1 and 2 draw.
_SLOTS: Final = {
    "place_character": 3,
    "place_resource": 3,
    "use_k": 4,
    "sell": 5,
    "discard": 6,
    "q_swap": 7,
    "use_event": 8,
    "use_skill": 9,
}
_RESOURCE_BACK, _CHARACTER_BACK = "▮", "▯"


def _number(value: int) -> str:
    return str(value).replace("-", "−")


class OdorikoPainter(Painter):
    """Draws odoriko."""

    game: ClassVar[str] = "odoriko"

    # --- lines about the whole table --------------------------------------------------------

    def headline(self, view: Mapping[str, Json], ctx: Context) -> str:
        """Return the half, and whose turn it is with the actions left."""
        table = as_dict(view.get("table"))
        half = self._half(as_int(table.get("half"), 1), ctx)
        phase = as_str(view.get("phase"))
        turn = view.get("turn")
        if phase == "turns" and has_int(turn):
            text = ctx.say("odoriko.turn_of", who=ctx.name(turn, _NAME_CELLS))
            left = table.get("actions_left")
            if has_int(left):
                text += ctx.say("odoriko.actions_left", n=left)
            return f"{half} · {text}"
        if phase in ("order", "midway", "over"):
            return f"{half} · {ctx.say(f'odoriko.phase.{phase}')}"
        return f"{half} · {self.word(phase, ctx)}" if phase else half

    def _half(self, half: int, ctx: Context) -> str:
        return ctx.say("odoriko.half.second" if half == 2 else "odoriko.half.first")

    def _status(self, view: Mapping[str, Json], ctx: Context) -> Line:
        table = as_dict(view.get("table"))
        lying, end = (
            as_int(table.get("counted"), as_int(table.get("lying"))),
            table.get("lying_end"),
        )
        parts: list[str] = []
        if table.get("half") == 2 and has_int(end):
            parts.append(ctx.say("odoriko.lying_of", n=lying, end=end))
        else:
            parts.append(ctx.say("odoriko.lying", n=as_int(table.get("lying"))))
        if has_int(table.get("midway_after")):
            parts.append(ctx.say("odoriko.midway_after", n=table["midway_after"]))
        if as_int(table.get("barren")):
            parts.append(ctx.say("odoriko.barren", n=table["barren"]))
        if as_int(table.get("removed")):
            parts.append(ctx.say("odoriko.removed", n=table["removed"]))
        return (("dim", " " + " · ".join(parts)),)

    def _stack(self, view: Mapping[str, Json], ctx: Context) -> Line:
        pieces: list[Line] = []
        for use in dicts_in(as_dict(view.get("table")).get("stack")):
            text = use_text(use, ctx)
            pieces.append((("strong", text),))
        if not pieces:
            return ()
        return (("field", f" {ctx.say('odoriko.stack')} "), *join(pieces, "  ‹ "))

    def _auction(self, view: Mapping[str, Json], ctx: Context, *, short: bool = False) -> Line:
        """Return the sale: lot, best bid or what is left to do, and unless `short` the terms."""
        sale = as_dict(as_dict(view.get("table")).get("auction"))
        if not sale:
            return ()
        kind = as_str(sale.get("price_kind"), "either")
        step = as_str(sale.get("step"))
        lot = ctx.cards_text(as_texts(sale.get("lot")))
        parts: list[Fragment] = [("rule.name", ctx.say("odoriko.sit.auction", lot=lot).rstrip())]
        best, leader = sale.get("best"), sale.get("leader")
        if step == "payment" and has_int(leader):
            parts.append(
                ("strong", ctx.say("odoriko.sit.payment", who=ctx.name(leader, 14), n=as_int(best)))
            )
        elif step == "receiving":
            parts.append(("strong", ctx.say("odoriko.sit.receiving")))
        elif step == "unsold":
            parts.append(("strong", ctx.say("odoriko.sit.unsold")))
        elif has_int(best) and has_int(leader):
            parts.append(("strong", ctx.say("odoriko.sit.best", n=best, who=ctx.name(leader, 14))))
        else:
            parts.append(("strong", ctx.say("odoriko.sit.no_bid")))
        if short:
            return join([(part,) for part in parts], " · ")
        price_kind = f"odoriko.price.{kind if kind in ('resource', 'special') else 'either'}"
        parts.append(
            (
                "",
                ctx.say("odoriko.sit.price", n=as_int(sale.get("price")), kind=ctx.say(price_kind)),
            )
        )
        parts.append(
            ("", ctx.say("odoriko.sit.seller", who=ctx.name(as_int(sale.get("seller"), -1), 14)))
        )
        return join([(part,) for part in parts], " · ")

    def situation(self, view: Mapping[str, Json], decision: Decision | None, ctx: Context) -> Line:
        """Return what is going on and who is asked."""
        if as_dict(view.get("outcome")):
            return super().situation(view, decision, ctx)
        table = as_dict(view.get("table"))
        asked = ints_in(view.get("asked"))
        window = as_dict(table.get("window"))
        sale = self._auction(view, ctx, short=True)
        tail: Line = ()
        if asked and asked != [ctx.me]:
            who = ctx.say("list.comma").join(
                ctx.say("you") if seat == ctx.me else ctx.name(seat) for seat in asked
            )
            tail = (("dim", " · " + ctx.say("odoriko.sit.asked", who=who)),)
        if window and not (sale and as_str(window.get("name")) != "a"):
            return self._window(window, ctx) + tail
        if sale:
            return sale + tail
        picking = as_dict(table.get("picking"))
        if picking:
            text = ctx.say(
                "odoriko.sit.pick",
                card=ctx.card_text(as_str(picking.get("card"))),
                who=ctx.name(as_int(picking.get("seat"), -1), 14),
            )
            return (("rule.name", text), *tail)
        phase = as_str(view.get("phase"))
        janken, placing = as_dict(table.get("janken")), as_dict(table.get("placing"))
        turn = view.get("turn")
        if janken:
            text = ctx.say("odoriko.sit.janken", who=ctx.people(ints_in(janken.get("group"))))
            tail = ()
        elif placing:
            queue = ints_in(placing.get("queue"))
            text = ctx.say("odoriko.sit.placing", who=ctx.people(queue[:1]))
            tail = ()
        elif phase == "order":
            text = ctx.say("odoriko.sit.order")
        elif phase == "midway":
            text = ctx.say("odoriko.sit.midway")
        elif has_int(turn):
            left = as_int(table.get("actions_left"))
            mine = turn == ctx.me
            key = "odoriko.sit.turn" + ("_you" if mine else "")
            text = ctx.say(key, n=left, who=ctx.name(turn))
            if asked == [turn]:
                tail = ()
        else:
            return super().situation(view, decision, ctx)
        return (("rule.name", text), *tail)

    def _window(self, window: Mapping[str, Json], ctx: Context) -> Line:
        text = window_text(window, ctx) or self.word(as_str(window.get("name")), ctx)
        return (("rule.name", text),)

    # --- seats ------------------------------------------------------------------------------

    def table(self, view: Mapping[str, Json], ctx: Context, width: int, height: int) -> Lines:
        """Return everything public, in the roomiest form that has at most `height` lines."""
        seats = dicts_in(view.get("seats"))
        top = [line for line in (self._status(view, ctx), self._stack(view, ctx)) if line]
        sale = self._auction(view, ctx)
        if sale:
            top.append((("", " "), *sale))
        names = [cells_of(ctx.name(as_int(s.get("seat"), -1), _NAME_CELLS)) for s in seats]
        name_cells = min(_NAME_CELLS, max([6, *names]))
        heads = [self._head(view, seat, ctx, name_cells, spell=width >= _WIDE) for seat in seats]
        room = height - 1  # what comes and goes (stack, sale) must not change the form
        blank = room >= 4 * len(seats) + 4  # rather a longer log than empty lines
        lines = top
        for seat, head in zip(seats, heads, strict=True):
            if blank:
                lines.append(())
            lines.append(head)
            if room >= 3 * len(seats):
                lines += [self._field_line(seat, zone, ctx, width) for zone in ("song", "dance")]
            else:
                lines.append(self._both_fields(seat, ctx, width))
        return [cut_line(line, width) for line in lines]

    def _head(
        self,
        view: Mapping[str, Json],
        seat: Mapping[str, Json],
        ctx: Context,
        name_cells: int,
        *,
        spell: bool,
    ) -> Line:
        number = as_int(seat.get("seat"), -1)
        is_turn = (
            has_int(view.get("turn"))
            and view.get("turn") == number
            and view.get("phase") == "turns"
        )
        place = seat.get("place")
        rb, cb = max(0, as_int(seat.get("rb"))), max(0, as_int(seat.get("cb")))
        backs = (_RESOURCE_BACK * min(rb, 9) + _CHARACTER_BACK * min(cb, 9))[: 2 * _HAND]
        pile = as_texts(seat.get("pile"))
        name_style = "turn" if is_turn else "strong"
        if number == ctx.me:
            name_style += " you"
        name = ctx.name(number, name_cells)
        head: list[Fragment] = [
            ("turn", "▶" if is_turn else " "),
            ("dim", pad(str(place) if has_int(place) else "", 2)),
            (name_style, name),
            ("", " " * (name_cells - cells_of(name) + 1)),
            ("field", ctx.say("odoriko.vp")),
            ("vp", _number(as_int(seat.get("vp"))).rjust(4)),
            ("field", f"  {ctx.say('odoriko.hand')} "),
            ("strong", pad(backs, _HAND)),
            ("dim", ctx.say("odoriko.backs", rb=rb, cb=cb) if spell else ""),
            ("field", f"  {ctx.say('odoriko.decks')} "),
            (
                "",
                pad(f"{as_int(seat.get('resource_deck'))}+{as_int(seat.get('character_deck'))}", 5),
            ),
            ("field", f"  {ctx.say('odoriko.pile')} "),
            ("", pad(str(len(pile)), 2, "right")),
        ]
        if pile:
            head += [("", " "), ctx.card(pile[-1])]
        for style, text in self._tags(view, seat, number, ctx):
            head += [("", "  "), (style, text)]
        return tuple(head)

    def _tags(
        self, view: Mapping[str, Json], seat: Mapping[str, Json], number: int, ctx: Context
    ) -> list[Fragment]:
        tags: list[Fragment] = []
        if number == ctx.me and ctx.me is not None:
            tags.append(("you", ctx.say("you")))
        table = as_dict(view.get("table"))
        is_declaring = view.get("phase") == "order" and not table.get("placing")
        if is_declaring and not table.get("janken"):
            bid = seat.get("bid")
            tags.append(
                (
                    "strong",
                    ctx.say("odoriko.bid", n=bid) if has_int(bid) else ctx.say("odoriko.no_bid"),
                )
            )
            if seat.get("locked"):
                tags.append(("good", ctx.say("odoriko.locked")))
        if number in ints_in(view.get("asked")) and as_dict(view.get("table")).get("window"):
            tags.append(("asked", ctx.say("asked")))
        if number in ctx.away:
            tags.append(("away", ctx.say("away")))
        return tags

    def _lying(self, card: Mapping[str, Json], ctx: Context, *, words: bool) -> Line:
        """Return a card on a field with its marks: signs, with words where there is room."""
        style, text = ctx.card(as_str(card.get("card")))
        marks = [key for key in ("fc", "kept", "sheltered", "spent") if card.get(key)]
        if not marks:
            return ((style, text),)
        signs = [ctx.say(f"odoriko.{key}") for key in marks]
        sign = " ".join(signs) if words else "".join(s[0] for s in signs)
        inner = text.removesuffix("›") + (" " if words else "") + sign
        return ((style, inner + ("›" if text.endswith("›") else "")),)

    def _field_line(self, seat: Mapping[str, Json], zone: str, ctx: Context, width: int) -> Line:
        label_cells = max(cells_of(ctx.say("odoriko.song")), cells_of(ctx.say("odoriko.dance")))
        tree = ctx.say("odoriko.tree", n=as_int(seat.get(f"{zone}_tree")))
        head: Line = (
            ("field", f"   {pad(ctx.say(f'odoriko.{zone}'), label_cells)} "),
            ("dim", pad(tree, cells_of(ctx.say("odoriko.tree", n=99)))),
            ("", "  "),
        )
        return head + self._cards(seat, zone, ctx, width - line_width(head), words=True)

    def _both_fields(self, seat: Mapping[str, Json], ctx: Context, width: int) -> Line:
        """Return song and dance in one line; the one that needs less leaves room to the other."""
        half = max(4, (width - 3) // 2)
        heads: list[Line] = []
        wants: list[int] = []
        for zone in ("song", "dance"):
            label = ctx.say(f"odoriko.{zone}")
            tree = str(as_int(seat.get(f"{zone}_tree")))
            heads.append((("field", f"{label} "), ("dim", tree.rjust(2)), ("", " ")))
            wanted = self._cards(seat, zone, ctx, 10_000, words=False)
            wants.append(line_width(heads[-1]) + line_width(wanted))
        song = half
        if wants[0] > half and wants[1] < half:
            song = min(wants[0], 2 * half - wants[1] - 1)
        elif wants[1] > half:
            song = max(min(wants[0] + 1, half), 2 * half - wants[1])
        left = self._cards(seat, "song", ctx, song - line_width(heads[0]), words=False)
        right = self._cards(
            seat, "dance", ctx, width - 3 - song - 1 - line_width(heads[1]), words=False
        )
        first = heads[0] + left
        gap = max(1, song - line_width(first) + 1)
        return (("", "   "), *first, ("", " " * gap), *heads[1], *right)

    def _cards(
        self, seat: Mapping[str, Json], zone: str, ctx: Context, cells: int, *, words: bool
    ) -> Line:
        """Return the cards of a field in at most `cells`: in full, by suit, or counted."""
        cards = dicts_in(seat.get(zone))
        frozen: list[Line] = (
            [(("alert", ctx.say("odoriko.frozen")),)]
            if zone in as_texts(seat.get("frozen"))
            else []
        )
        if not cards:
            return cut_line(join([*frozen, (("dim", "–"),)], " "), max(0, cells))
        for long in (True, False) if words else (False,):
            line = join([*frozen, *(self._lying(card, ctx, words=long) for card in cards)], " ")
            if line_width(line) <= cells:
                return line
        pieces = [*frozen, *self._by_suit(cards, ctx)]
        while pieces and line_width(join(pieces, " ")) > cells:
            pieces = self._fewer(pieces, ctx)
            if len(pieces) <= 1:
                break
        return cut_line(join(pieces, " "), max(0, cells))

    def _fewer(self, pieces: list[Line], ctx: Context) -> list[Line]:
        """Take the last piece away and count it."""
        *kept, last = pieces
        lost = 1
        if last and last[0][0] == "dim" and last[0][1].startswith("+"):
            lost += as_int(int(last[0][1][1:]) if last[0][1][1:].isdecimal() else 0)
            kept = kept[:-1]
        return [*kept, (("dim", f"+{lost}"),)]

    def _by_suit(self, cards: list[dict[str, Json]], ctx: Context) -> list[Line]:
        suits: dict[str, list[str]] = {}
        others: list[Line] = []
        for card in cards:
            name = as_str(card.get("card"))
            style, text = ctx.card(name)
            if style in ("card.red", "card.black"):
                suits.setdefault(text[-1], []).append(text[:-1])
            else:
                others.append(self._lying(card, ctx, words=False))
        return [
            *others,
            *(
                (("card.red" if suit in "♥♦" else "card.black", suit + " ".join(ranks)),)
                for suit, ranks in suits.items()
            ),
        ]

    def seat_details(self, view: Mapping[str, Json], seat: int, ctx: Context, width: int) -> Lines:
        """Return a seat's fields, and its pile with the oldest card first."""
        lines: Lines = []
        names = {zone: self._zone(zone, ctx) for zone in ("song", "dance")}
        for entry in dicts_in(view.get("seats")):
            if entry.get("seat") != seat:
                continue
            for zone in names:
                cards = join(
                    [self._lying(c, ctx, words=True) for c in dicts_in(entry.get(zone))], " "
                )
                head: Line = (
                    ("field", pad(names[zone], max(map(cells_of, names.values()))) + "  "),
                    ("dim", ctx.say("odoriko.tree", n=as_int(entry.get(f"{zone}_tree"))) + "  "),
                )
                lines += wrap_line((("", "   "), *head, *(cards or (("dim", "–"),))), width, 6)
            pile = as_texts(entry.get("pile"))
            cards = join([(ctx.card(card),) for card in pile], " ") or (("dim", "–"),)
            lines += wrap_line(
                (("field", f"   {ctx.say('odoriko.zone.pile')} {len(pile)}  "), *cards), width, 6
            )
        return lines

    def spoken(self, view: Mapping[str, Json], ctx: Context) -> list[str]:
        """Return the table in sentences, without signs that a voice would spell out."""
        lines = [self.headline(view, ctx)]
        status = line_text(self._status(view, ctx)).strip()
        lines += [
            status,
            *(
                line_text(line).strip()
                for line in (self._stack(view, ctx), self._auction(view, ctx))
                if line
            ),
        ]
        for seat in dicts_in(view.get("seats")):
            number = as_int(seat.get("seat"), -1)
            pile = as_texts(seat.get("pile"))
            text = ctx.say(
                "odoriko.spoken.seat",
                who=ctx.name(number)
                + (ctx.say("in_brackets", what=ctx.say("you")) if number == ctx.me else ""),
                vp=_number(as_int(seat.get("vp"))),
                rb=as_int(seat.get("rb")), cb=as_int(seat.get("cb")),
                rd=as_int(seat.get("resource_deck")), cd=as_int(seat.get("character_deck")),
                pile=len(pile),
            )  # fmt: skip
            if pile:
                text += ctx.say("odoriko.spoken.top", card=ctx.card_text(pile[-1]))
            if has_int(seat.get("place")):
                text += ctx.say("odoriko.spoken.place", n=seat["place"])
            tags = [t for _, t in self._tags(view, seat, number, ctx) if t != ctx.say("you")]
            lines.append(ctx.say("list.comma").join([text, *tags]))
            for zone in ("song", "dance"):
                cards = [
                    line_text(self._lying(card, ctx, words=True))
                    for card in dicts_in(seat.get(zone))
                ]
                lines.append(
                    ctx.say(
                        "odoriko.spoken.field",
                        zone=self._zone(zone, ctx),
                        n=as_int(seat.get(f"{zone}_tree")),
                        cards=" ".join(cards) or ctx.say("none"),
                    )
                )
        return [line for line in lines if line]

    def own(self, view: Mapping[str, Json], ctx: Context, width: int) -> Lines:
        """Return the viewer's hand, and its sealed answer if it gave one."""
        you = as_dict(view.get("you"))
        if not you:
            return []
        hand = as_texts(you.get("hand"))
        label: Fragment = ("field", f" {ctx.say('hand')}  ")
        if ctx.shade:
            return [cut_line((label, ("dim", ctx.say("shade.on"))), width)]
        cards = join([(ctx.card(card),) for card in hand], "  ") or (("dim", ctx.say("none")),)
        pieces: list[Line] = [(label, *cards)]
        if incoming := as_texts(you.get("incoming")):
            pieces.append(
                (
                    ("field", ctx.say("odoriko.incoming") + " "),
                    *join([(ctx.card(c),) for c in incoming], " "),
                )
            )
        if has_int(you.get("payable")):
            pieces.append((("dim", ctx.say("odoriko.payable", n=you["payable"])),))
        if you.get("done"):
            pieces.append((("dim", ctx.say("odoriko.you_done")),))
        lines = wrap_line(join(pieces, "   "), width, 3)
        answered = as_dict(you.get("answered"))
        if answered:
            what = self._sealed(answered, ctx)
            lines += wrap_line(
                (("dim", " " + ctx.say("odoriko.sealed_yours", what=what)),), width, 3
            )
        return [cut_line(line, width) for line in lines]

    def _sealed(self, answered: Mapping[str, Json], ctx: Context) -> str:
        """Return a sealed answer in words, as far as its parts are known."""
        parts = as_str(answered.get("option")).split(":")
        return answered_text(answered, ctx, {p: self.word(p, ctx) for p in parts})

    # --- deciding ---------------------------------------------------------------------------

    def path(self, decision: Decision, option: Option) -> tuple[Step, ...]:
        """Group placing of characters and resources in one entry; a place needs no verb."""
        kind, args = option.kind, option.args
        if kind in ("place_character", "place_resource"):
            return _steps("place_card", args, "card", "zone")
        if kind == "keep_character":
            return _steps(kind, args, "card", "zone")
        if kind in USES:
            return use_path(option)
        if kind == "place" and "place" in args:
            return (Step("place", args["place"]),)
        return super().path(decision, option)

    def steps(self, steps: tuple[Step, ...], view: Mapping[str, Json], ctx: Context) -> str:
        """Return a group's choices as they are said: a card after its verb, a field after its owner."""
        match steps:
            case ():
                return ""
            case (Step(key="seat", value=seat),) if has_int(seat):
                return ctx.name(seat, _NAME_CELLS)
            case (Step(key="seat", value=seat), what, *rest) if has_int(seat):
                who, text = ctx.name(seat, _NAME_CELLS), self.step(what, view, ctx)
                text = ctx.say("odoriko.step.owned", who=who, what=text)
            case (Step(value=kind), what, *rest) if has(f"odoriko.group.{kind}.{what.key}"):
                text = self.step(what, view, ctx)
                text = ctx.say(f"odoriko.group.{kind}.{what.key}", what=text)
                if kind == "use_skill" and rest and rest[0].key == "zone":  # where its card lies
                    where = self.step(rest.pop(0), view, ctx)
                    text = ctx.say("odoriko.group.lies", what=text, zone=where)
            case (Step(key="card") as card, *rest) if rest:
                text = self.step(card, view, ctx)
            case _:
                return super().steps(steps, view, ctx)
        return " ".join(part for part in (text, self.steps(tuple(rest), view, ctx)) if part)

    def step(self, step: Step, view: Mapping[str, Json], ctx: Context) -> str:
        """Return one choice in words."""
        value = step.value
        match step.key:
            case "zone" if isinstance(value, str):
                return self._zone(value, ctx)
            case "deck" if value in ("resource", "character"):
                return ctx.say(f"odoriko.deck.{value}")
            case "price_kind" if value in ("resource", "special", "either"):
                return ctx.say(f"odoriko.step.price.{value}")
            case "price" if has_int(value):
                return ctx.say("odoriko.step.price", n=value)
            case "place" if has_int(value):
                return ctx.say("odoriko.step.place", n=value)
            case "seat" if has_int(value):
                return ctx.say("odoriko.step.whose", who=ctx.name(value, _NAME_CELLS))
            case "song" | "dance" if isinstance(value, str):
                to = "dance" if step.key == "song" else "song"
                return f"{ctx.card_text(value)} → {self._zone(to, ctx)}"
            case "kept":
                return ctx.say("odoriko.kept")
            case "whose" if has_int(value):
                return ctx.name(value, _NAME_CELLS)
            case "to" if has_int(value):
                return f"→ {ctx.name(value, _NAME_CELLS)}"
            case "target" if isinstance(value, Mapping):
                return whereto(value, ctx).strip()
        return super().step(step, view, ctx)

    def sentence(
        self,
        decision: Decision,
        option: Option,
        value: int | tuple[str, ...] | None,
        view: Mapping[str, Json],
        ctx: Context,
    ) -> str:
        """Return an option with its value as a whole."""
        args = option.args
        card = ctx.card_text(as_str(args.get("card")))
        zone = self._zone(as_str(args.get("zone")), ctx)
        number = value if has_int(value) else None
        lot = ctx.cards_text(list(value)) if isinstance(value, tuple) else ""
        say = ctx.say
        match option.kind:
            case "draw":
                deck = "character" if args.get("deck") == "character" else "resource"
                return say("odoriko.do.draw", deck=say(f"odoriko.deck.{deck}"))
            case "place_character":
                return say("odoriko.do.place_character", card=card, zone=zone)
            case "place_resource":
                return say("odoriko.do.place_resource", card=card)
            case "discard":
                if self._is_own_fc(view, option):
                    return say("odoriko.do.discard_fc", card=card)
                return say("odoriko.do.discard", card=card, zone=zone)
            case "use_k":
                who = ctx.name(as_int(args.get("seat"), -1))
                target = ctx.card_text(as_str(args.get("target")))
                return say("odoriko.do.use_k", card=card, who=who, zone=zone, target=target)
            case "use_j":
                target = ctx.card_text(as_str(args.get("takes")))
                return say("odoriko.do.use_j", card=card, target=target)
            case "use_q" | "use_a":
                return say(f"odoriko.do.{option.kind}", card=card)
            case "use_skill" | "use_event" | "choose":
                return use_sentence(
                    option,
                    None if value is None else list(value) if isinstance(value, tuple) else [],
                    ctx,
                )
            case "q_swap":
                return self._swap(args, card, ctx)
            case "sell":
                kind = as_str(args.get("price_kind"))
                kind = kind if kind in ("resource", "special") else "either"
                cards = lot or say("odoriko.do.lot")
                return say(f"odoriko.do.sell.{kind}", cards=cards, n=as_int(args.get("price")))
            case "bid" | "declare_bid" if number is not None:
                return say(f"odoriko.do.{option.kind}", n=number)
            case "pay" | "keep" if lot:
                return say(f"odoriko.do.{option.kind}", cards=lot)
            case "keep_character":
                return say("odoriko.do.keep_character", card=card, zone=zone)
            case "place" if has_int(args.get("place")):
                return say("odoriko.do.place", n=args["place"])
            case "end_turn":
                left = as_int(as_dict(view.get("table")).get("actions_left"))
                if left:
                    return say("odoriko.do.end_turn_left", n=left)
        return super().sentence(decision, option, value, view, ctx)

    def _swap(self, args: Mapping[str, Json], card: str, ctx: Context) -> str:
        song, dance = as_str(args.get("song")), as_str(args.get("dance"))
        one = ctx.card_text(song or dance)
        if song and dance:
            other = ctx.card_text(dance)
            return ctx.say("odoriko.do.q_swap_two", card=card, target=one, other=other)
        zone = self._zone("dance" if song else "song", ctx)
        return ctx.say("odoriko.do.q_swap_one", card=card, target=one, zone=zone)

    def default(
        self, decision: Decision, option: Option, view: Mapping[str, Json], ctx: Context
    ) -> str:
        """Return what happens at 0:00; a seat that declared nothing declares 0 (OD-31)."""
        if option.kind == "declare_bid":
            return ctx.say("odoriko.do.declare_bid", n=0)
        if option.kind == "choose" and len(decision.options) > 1:
            return ctx.say("odoriko.use.chance")
        return super().default(decision, option, view, ctx)

    def help(self, decision: Decision, view: Mapping[str, Json], ctx: Context) -> str:
        """Return what to think of when a decision of this kind comes for the first time."""
        key = f"odoriko.help.{decision.kind}"
        if decision.kind == "order_bid":
            locks = any(option.kind == "lock_bid" for option in decision.options)
            key += ".again" if locks else ""
        return ctx.say(key) if has(key) else ""

    def slot(self, node: Node) -> int | None:
        """Return the digit that an action keeps, so that hands may learn it."""
        if node.decision is None or node.decision.kind != "action":
            return None
        if node.kind == "draw":
            deck = node.option.args.get("deck") if node.option is not None else "resource"
            return 2 if deck == "character" else 1
        return _SLOTS.get(node.kind)

    def careful(self, view: Mapping[str, Json], decision: Decision, option: Option) -> bool:
        """Ask again before actions are lost, one's own FC goes, or a skill is used on nothing."""
        if option.kind == "end_turn":
            return as_int(as_dict(view.get("table")).get("actions_left")) > 0
        if option.kind == "use_skill":  # a free one that names nothing gives its card for nothing
            return bool(option.args.get("free")) and not {"picks", "list"} & option.args.keys()
        return option.kind == "discard" and self._is_own_fc(view, option)

    def _is_own_fc(self, view: Mapping[str, Json], option: Option) -> bool:
        """Whether the option names the first character of the seat whose turn it is."""
        return any(
            card.get("fc") is True and card.get("card") == option.args.get("card")
            for seat in dicts_in(view.get("seats"))
            if has_int(view.get("turn")) and seat.get("seat") == view.get("turn")
            for card in dicts_in(seat.get(as_str(option.args.get("zone"))))
        )

    def owner(self, label: str, view: Mapping[str, Json]) -> int | None:
        """Return the seat on whose fields the only card of this name lies."""
        seats = [
            as_int(seat.get("seat"), -1)
            for seat in dicts_in(view.get("seats"))
            for zone in ("song", "dance")
            for card in dicts_in(seat.get(zone))
            if card.get("card") == label
        ]
        return seats[0] if len(seats) == 1 else None

    def choice(self, label: str, ctx: Context) -> str:
        """Return a card of a list, and where it goes if that is chosen too."""
        return choice_text(label, ctx)

    def event(self, event: Mapping[str, Json], ctx: Context) -> str | None:
        """Return an event as a sentence."""
        sentence = SENTENCES.get(as_str(event.get("kind")))
        return sentence(event, ctx) if sentence is not None else super().event(event, ctx)

    def deck_rules(self, options: Mapping[str, Json]) -> DeckRules:
        """Return what OD-22 and OD-24 say of decks."""
        copies = copies_in(options)
        kinds = None
        if options.get("events") == "none":
            kinds = frozenset(["character"])
            copies["character"] = max(2, copies.get("character", 1))
        return DeckRules(_DECK, copies, kinds, ("character",))

    def page(self, ctx: Context) -> list[str]:
        """Return how odoriko is played."""
        return list(HOW_TO_PLAY[ctx.lang])

    def explain(self, node: Node | None, view: Mapping[str, Json], ctx: Context) -> list[str]:
        """Return what a move does and under which rule, and the texts of its cards.

        Without a move: the viewer's hand and the characters on the fields.
        """
        if node is None:
            return self._explain_table(view, ctx)
        texts = [self.entry(node, view, ctx)]
        moves = {**MOVES, **USE_MOVES}
        if node.kind in moves:
            texts.append(moves[node.kind][0 if ctx.lang is Lang.JA else 1])
        named = cards_named(node.option) if node.option is not None else ()
        for card in dict.fromkeys([*self.cards_of(node), *named, *subjects(view)]):
            if page := self.card_page(card, ctx):
                texts += ["", *page]
        return texts

    def _explain_table(self, view: Mapping[str, Json], ctx: Context) -> list[str]:
        cards = [] if ctx.shade else as_texts(as_dict(view.get("you")).get("hand"))
        for seat in dicts_in(view.get("seats")):
            for zone in ("song", "dance"):
                cards += [as_str(card.get("card")) for card in dicts_in(seat.get(zone))]
        texts: list[str] = []
        for card in dict.fromkeys(c for c in cards if c in ctx.catalog.cards or c[:1] in "AJQK"):
            if page := self.card_page(card, ctx):
                texts += [*page, ""]
        return texts

    def card_page(self, card: str, ctx: Context) -> list[str]:
        """Return a card's name and text; a special card of the pack is explained by its rank."""
        card = card.partition(">")[0].partition("#")[0]
        rank = card[:-1]
        if ctx.is_card(card) and card not in ctx.catalog.cards:
            if rank in ctx.catalog.cards:
                _, *texts = super().card_page(rank, ctx)
                return [ctx.card_text(card), *texts]
            if rank.isdecimal():
                return [ctx.card_text(card), ctx.say("odoriko.x.resource")]
        return super().card_page(card, ctx)

    def _zone(self, zone: str, ctx: Context) -> str:
        if zone in ("hand", "pile", "song", "dance"):
            return ctx.say(f"odoriko.zone.{zone}")
        return self.word(zone, ctx)


def _steps(kind: str, args: Mapping[str, Json], *names: str) -> tuple[Step, ...]:
    return (Step("kind", kind), *(Step(name, args[name]) for name in names if name in args))
