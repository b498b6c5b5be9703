"""The seats of yumeochi: what lies in front of each, and what the viewer alone knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...reading import Json, as_int, as_str, as_texts, has_int
from ..notes import Guess
from ..text import Fragment, Line, clean, cut_line, fit_line, join, line_width, wrap_line
from . import yumeochi_words  # noqa: F401 - adds its words
from .base import Context
from .yumeochi_board import Board, Own, Seat
from .yumeochi_names import ORIGIN, START, card, cards, chips, marks, stars_of

__all__ = [
    "fact_text",
    "order_line",
    "order_text",
    "own_lines",
    "seat_lines",
    "seat_sentence",
    "seen_texts",
]

_TURN = "❯"
_ACTED = "✓"
_DEAD = "†"


def _signs(seat: Seat, board: Board) -> Line:
    """Return the signs before a name: whose turn it is, and the markers."""
    turn = board.turn == seat.seat and not board.is_over
    start, origin = board.start == seat.seat, board.origin == seat.seat
    acted = _ACTED if seat.seat in board.acted and not board.is_over else " "
    return (
        ("turn", _TURN if turn else acted if seat.alive else _DEAD),
        ("strong", START if start else " "),
        ("strong", ORIGIN if origin else " "),
    )


def _marked(card_id: str, ctx: Context, cells: int = 0) -> str:
    """Return a card with its stars: `割れた鏡☆5`."""
    stars = stars_of(card_id, ctx)
    return card(card_id, ctx, cells) + (f"☆{stars}" if stars else "")


def _role(seat: Seat, board: Board, ctx: Context) -> Fragment:
    """Return a role; of one that lies face down, what the viewer noted about it."""
    if not seat.role:
        thought = () if ctx.shade else ctx.notes.of(board.game_no).thought(seat.seat)
        sure = [card(role, ctx) for role, guess in thought if guess is Guess.SURE]
        if sure:
            return ("dim", f"?={sure[0]}")
        return ("dim", "?" + "/".join(card(role, ctx) for role, _ in thought))
    return ("card.other", _marked(seat.role, ctx))


def _skills(seat: Seat, ctx: Context) -> str:
    parts = [card(skill, ctx) for skill in seat.skills_up]
    if seat.skills_down:
        parts.append("▮" * min(6, seat.skills_down))
    return " ".join(parts) or ctx.say("yume.f.none")


def _presence(seat: Seat, board: Board, ctx: Context) -> list[Fragment]:
    found: list[Fragment] = []
    if not seat.alive:
        found.append(("alert", ctx.say("yume.dead")))
    found += [("alert", text) for text in marks(seat, ctx)]
    if seat.seat in board.asked and seat.seat != board.turn:
        found.append(("asked", ctx.say("asked")))
    if seat.seat in ctx.away:
        found.append(("away", ctx.say("away")))
    return found


def seat_lines(seat: Seat, board: Board, ctx: Context, width: int, lines: int) -> list[Line]:
    """Return a seat in one, two or three lines of at most `width`."""
    name = ctx.name(seat.seat, 12 if lines > 1 else 8)
    mine = seat.seat == ctx.me
    head: list[Fragment] = [*_signs(seat, board), ("you" if mine else "strong", name)]
    life: Fragment = ("alert" if seat.life <= 1 else "", chips(seat))
    stars: Fragment = ("vp", f"☆{seat.stars}")
    if lines == 1:
        return [_one_line(seat, board, ctx, width, head, stars)]
    pieces: list[Line] = [tuple(head), (life,), (stars,)]
    pieces.append((("", ctx.say("yume.f.opened", n=seat.opened)),))
    if seat.kills:
        pieces.append((("", ctx.say("yume.f.kills", n=seat.kills)),))
    pieces += [(piece,) for piece in _presence(seat, board, ctx)]
    hidden, kept = _hidden(seat, board, ctx), _kept(seat, ctx)
    if lines == 2:
        below = [join([*hidden, *kept], " · ", "dim")]
    else:
        none: Line = (("dim", ctx.say("yume.f.none")),)
        below = [join(hidden, " · ", "dim"), join(kept, " · ", "dim") or none]
    return [
        cut_line(join(pieces, "  "), width),
        *(cut_line((("", "    "), *line), width) for line in below),
    ]


def _hidden(seat: Seat, board: Board, ctx: Context) -> list[Line]:
    """Return the role and the skills of a seat, which begin face down."""
    return [
        (("field", ctx.say("yume.f.role") + " "), _role(seat, board, ctx)),
        (("field", ctx.say("yume.f.skill") + " "), ("", _skills(seat, ctx))),
    ]


def _kept(seat: Seat, ctx: Context) -> list[Line]:
    """Return the items and the event-stock of a seat, where it has some."""
    return [
        (("field", ctx.say(f"yume.f.{name}") + " "), ("", " ".join(_marked(c, ctx) for c in ids)))
        for name, ids in (("items", seat.items), ("stock", seat.stock))
        if ids
    ]


def seat_piece(seat: Seat, board: Board, ctx: Context, width: int) -> Line:
    """Return a seat in the fewest cells: its signs, its name, life and stars as numbers."""
    style = "you" if seat.seat == ctx.me else "strong"
    name = (*_signs(seat, board), (style, ctx.name(seat.seat, max(3, min(8, width - 11)))))
    life: Fragment = ("alert" if seat.life <= 1 else "", f"♥{seat.life}")
    return cut_line(join([name, (life,), (("vp", f"☆{seat.stars}"),)], " "), width)


def _one_line(
    seat: Seat,
    board: Board,
    ctx: Context,
    width: int,
    head: Sequence[Fragment],
    stars: Fragment,
) -> Line:
    """Return a seat in one line: life as a number where there is no room for chips."""
    if width < 30:
        return seat_piece(seat, board, ctx, width)
    line = join([fit_line(tuple(head), 11), (("", chips(seat)),), (stars,)], " ")
    presence: list[Line] = [(piece,) for piece in _presence(seat, board, ctx)]
    pieces = [*presence, *_hidden(seat, board, ctx), *_kept(seat, ctx)]
    return cut_line((*line, ("", "  "), *join(pieces, " ")), width)


def order_line(board: Board, ctx: Context, width: int) -> Line:
    """Return the order of this phase, who has acted in it and whose turn it is."""
    for cells, between in ((12, " › "), (8, "›"), (4, "›")):
        line = _order(board, ctx, cells, between)
        if line_width(line) <= width:
            return line
    return cut_line(line, width)


def _order(board: Board, ctx: Context, cells: int, between: str) -> Line:
    pieces: list[Line] = []
    for number in board.order:
        seat = board.at(number)
        name = ctx.name(number, cells)
        if board.turn == number and not board.is_over:
            pieces.append((("turn", f"{_TURN}{name}"),))
        elif seat is not None and not seat.alive:
            pieces.append((("dim", f"{_DEAD}{name}"),))
        elif number in board.acted:
            pieces.append((("dim", f"{_ACTED}{name}"),))
        else:
            pieces.append((("", name),))
    if not pieces:
        return ()
    return (("field", f" {ctx.say('yume.order')} "), *join(pieces, between, "dim"))


def order_text(board: Board, ctx: Context) -> str:
    """Return the order of this phase in words."""
    texts: list[str] = []
    for number in board.order:
        seat = board.at(number)
        told = ""
        if seat is not None and not seat.alive:
            told = ctx.say("yume.dead")
        elif board.turn == number and not board.is_over:
            told = ctx.say("turn")
        elif number in board.acted:
            told = ctx.say("yume.acted")
        texts.append(ctx.name(number) + (ctx.say("in_brackets", what=told) if told else ""))
    return ctx.say("list.comma").join(texts)


def seat_sentence(seat: Seat, board: Board, ctx: Context) -> str:
    """Return everything public about a seat in one sentence."""
    say = ctx.say
    parts = [say("yume.say.life", n=seat.life) if seat.alive else say("yume.say.dead")]
    if board.turn == seat.seat and not board.is_over:
        parts.append(say("yume.say.turn"))
    for name, holder in (("start", board.start), ("origin", board.origin)):
        if holder == seat.seat:
            parts.append(say(f"yume.say.{name}"))
    role = _marked(seat.role, ctx) if seat.role else say("yume.f.role.down")
    parts.append(say("yume.say.role", what=role))
    for name, ids in (("skills_up", seat.skills_up), ("items", seat.items), ("stock", seat.stock)):
        if ids:
            what = say("list.comma").join(_marked(c, ctx) for c in ids)
            parts.append(say(f"yume.say.{name}", what=what))
    if seat.skills_down:
        parts.append(say("yume.say.skills_down", n=seat.skills_down))
    parts.append(say("yume.say.stars", n=seat.stars))
    for name, n in (("opened", seat.opened), ("kills", seat.kills), ("uses", seat.role_uses)):
        if n:
            parts.append(say(f"yume.say.{name}", n=n))
    parts += marks(seat, ctx)
    if seat.seat in ctx.away:
        parts.append(say("away"))
    who = ctx.name(seat.seat) + (say("in_brackets", what=say("you")) if seat.seat == ctx.me else "")
    return say("yume.say.seat", who=who, what=say("list.comma").join(parts))


# --- what the viewer alone knows -----------------------------------------------------------------


def own_lines(board: Board, ctx: Context, width: int) -> list[Line]:
    """Return the own cards, each with who knows it, and below what was shown to the viewer alone."""
    own = board.own
    if own is None or ctx.me is None:
        return []
    seat = board.at(ctx.me) or Seat(ctx.me)
    parts: list[Line] = [(("field", ctx.say("yume.own")),)]
    if own.role or seat.role:
        knows = ctx.say("yume.own.public" if seat.role else "yume.own.secret")
        parts.append(
            (("field", ctx.say("yume.f.role") + " "), *_known(own.role or seat.role, [knows], ctx))
        )
    skills = [
        _known(s, _who_knows(s, own, board, ctx), ctx)
        for s in own.skills_down
        if s not in seat.skills_up
    ]
    skills += [
        _known(s, [ctx.say("yume.own.public"), *_state(s, board.locked, board, ctx)], ctx)
        for s in seat.skills_up
    ]
    if skills:
        told = join(skills, ctx.say("list.comma"))
        parts.append((("field", ctx.say("yume.f.skill") + " "), *told))
    line: Line = (("", " "), *join(parts, "  "))
    lines = [line] if line_width(line) <= width else wrap_line(line, width, 3)
    facts = seen_texts(board, ctx, news=True)
    if facts:
        text = ctx.say("yume.rule.also").join(reversed(facts))
        seen: Line = (("field", f" {ctx.say('yume.seen')}  "), ("", text))
        lines.append(cut_line(seen, width))
    return lines


def _known(card_id: str, told: Sequence[str], ctx: Context) -> Line:
    """Return an own card with what is to be said of it."""
    return (
        ("card.other", card(card_id, ctx)),
        ("dim", ctx.say("in_brackets", what=ctx.say("list.comma").join(told))),
    )


def _who_knows(skill: str, own: Own, board: Board, ctx: Context) -> list[str]:
    """Return who may know a face-down skill: the one that gave it does, nobody else."""
    giver = own.given_by(skill)
    if giver is None:
        told = ctx.say("yume.own.secret")
    else:
        told = ctx.say("yume.own.shared", who=ctx.name(giver, 10))
    return [told, *_state(skill, own.locked, board, ctx)]


def _state(skill: str, locked: Sequence[str], board: Board, ctx: Context) -> list[str]:
    if skill in locked:
        return [ctx.say("yume.own.locked")]
    return [ctx.say("yume.own.used")] if skill in board.used else []


def seen_texts(board: Board, ctx: Context, *, news: bool = False) -> list[str]:
    """Return what was shown to the viewer alone; with `news` only what not all know by now."""
    if board.own is None:
        return []
    texts = [
        fact_text(fact, ctx) for fact in board.own.seen if not (news and _is_known(fact, board))
    ]
    return [text for text in texts if text]


def _is_known(fact: Mapping[str, Json], board: Board) -> bool:
    """Whether everybody knows by now what a fact tells, or it is told elsewhere."""
    match fact.get("what"):
        case "time":
            return bool(board.hour_at(as_int(fact.get("position"))).card)
        case "role":
            seat = board.at(as_int(fact.get("seat"), -1))
            return seat is not None and bool(seat.role)
    return fact.get("kind") == "gained"  # they lie among the own cards


def fact_text(fact: Mapping[str, Json], ctx: Context) -> str:
    """Return something that was shown to the viewer alone, in words."""
    ids = as_texts(fact.get("cards")) or [as_str(fact.get("card"))]
    told = cards([one for one in map(clean, ids) if one], ctx)
    who = ctx.name(as_int(fact.get("seat"), -1), 12) if has_int(fact.get("seat")) else "?"
    match as_str(fact.get("kind")), as_str(fact.get("what")):
        case "peeked", "time":
            return ctx.say("yume.seen.time", n=as_int(fact.get("position")), card=told)
        case "peeked", ("role" | "skill") as what:
            return ctx.say(f"yume.seen.{what}", who=who, card=told)
        case "peeked", "leftover":
            return ctx.say("yume.seen.leftover", card=told)
        case "received", _:
            giver, gave = fact.get("giver"), clean(as_str(fact.get("gave")))
            if not has_int(giver):
                return ctx.say("yume.seen.drawn", gave=card(gave, ctx) if gave else "?", card=told)
            who = ctx.name(giver, 12)
            if gave:
                return ctx.say("yume.seen.swapped", who=who, gave=card(gave, ctx), card=told)
            return ctx.say("yume.seen.received", who=who, card=told)
        case "gained", _:
            return ctx.say("yume.seen.gained", card=told)
    return told
