"""Effects (YU-97), carried out from the frames of the stack.

`carry_on` takes the first effect off the top frame and carries it out, until the stack is empty or
an effect needs a decision; then the effect stays where it is until `answer_may` and its likes take
it off. An opened card is a frame of its own above the one that opened it.

A seat that was brought to 0 is passed by (YU-56, YU-127): nothing is done to it, it does nothing for
itself and looks at nothing, it loses and gains nothing, and it is asked nothing; what its card does
to others still happens (YU-70).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, assert_never

from attrs import evolve

from kaguraden_rules.kernel import CardId, SeatId
from kaguraden_rules.yumeochi import card as c
from kaguraden_rules.yumeochi import events as e
from kaguraden_rules.yumeochi import handing, moves
from kaguraden_rules.yumeochi.conditions import Asker, all_hold, holds
from kaguraden_rules.yumeochi.state import (
    FACE_DOWN,
    SEATS,
    Frame,
    Peeked,
    Phase,
    Source,
    face_down,
)
from kaguraden_rules.yumeochi.table import Table

__all__ = [
    "answer_draw",
    "answer_marker",
    "answer_may",
    "answer_yield",
    "asked_seat",
    "carry_on",
    "marker_seats",
]


def carry_on(table: Table) -> None:
    """Carry out what is on the stack, until it is empty or something is asked."""
    while table.stack and table.phase is None:
        frame = table.stack[-1]
        if not frame.effects:
            table.stack.pop()
            _finish(table, frame)
            continue
        effect = frame.effects[0]
        question = _question(table, frame, effect)
        if question is None:
            _go_past(table)
            _carry_out(table, frame, effect)
        else:
            if isinstance(effect, c.Draw):
                _peek(table, frame, "leftover")  # before it is asked (DP-6)
            table.ask(question)


def _go_past(table: Table, *instead: c.Effect) -> None:
    """Take the first effect off the top frame, and put others in its place."""
    frame = table.stack[-1]
    table.stack[-1] = evolve(frame, effects=(*instead, *frame.effects[1:]))


def _finish(table: Table, frame: Frame) -> None:
    """Do what follows when all effects of a card have been carried out."""
    match frame.source:
        case Source.OPENED:
            assert frame.position is not None  # noqa: S101 - an opened card has one
            moves.finish_opened(table, frame, frame.position)
        case Source.ITEM:  # YU-34
            moves.discard(table, frame.actor, frame.card, "use")
        case Source.TRIGGER:
            trigger = table.cards.time_of[frame.card].trigger
            if trigger is not None and not trigger.is_kept:
                moves.discard(table, frame.actor, frame.card, "trigger")
        case Source.SKILL | Source.ROLE:
            pass
        case _:
            assert_never(frame.source)


# --- questions -----------------------------------------------------------------------------------


def _question(table: Table, frame: Frame, effect: c.Effect) -> Phase | None:
    """Return what an effect asks, by public facts alone (YU-100)."""
    if not table.seats[frame.actor].is_well:
        return None
    match effect:
        case c.May():
            return Phase.MAY
        case c.MoveMarker(to="choose"):
            return Phase.MARKER
        case c.Draw() if table.leftover:
            return Phase.DRAW
        case c.Swap(what="skills") if frame.picks.target_skill == FACE_DOWN:
            if frame.target == frame.actor:
                return None
            target = table.seats[frame.target]
            return Phase.YIELD if target.is_well and len(target.skills_down) > 1 else None
        case _:
            return None


def asked_seat(table: Table) -> SeatId:
    """Return the seat that the top frame asks."""
    frame = table.stack[-1]
    return frame.target if table.phase is Phase.YIELD else frame.actor


def answer_may(table: Table, *, yes: bool, by: e.By) -> None:
    """Say whether effects are carried out (DP-3)."""
    frame = table.stack[-1]
    effect = frame.effects[0]
    assert isinstance(effect, c.May)  # noqa: S101 - it was asked
    table.tell(e.MayAnswered(table.hour, frame.actor, frame.card, yes, by))
    _go_past(table, *(effect.effects if yes else ()))


def marker_seats(table: Table) -> list[SeatId]:
    """Return who may be given the start marker: the living, clockwise from the acting seat (DP-4).

    A dying seat cannot get it, but keep it.
    """
    living = table.living(table.stack[-1].actor)
    return [seat for seat in living if table.seats[seat].is_well or seat == table.start]


def answer_marker(table: Table, seat: SeatId, by: e.By) -> None:
    """Give the start marker to the chosen seat (DP-4)."""
    frame = table.stack[-1]
    _go_past(table)
    table.tell(e.MarkerChosen(table.hour, frame.actor, seat, by))
    moves.move_start(table, seat, frame.card)


def answer_yield(table: Table, card: CardId) -> None:
    """Swap skills for the face-down one that the target chose (DP-5, YU-130)."""
    frame = table.stack[-1]
    _go_past(table)
    handing.swap_skills(table, frame, card)


def answer_draw(table: Table, exchange: tuple[CardId, CardId] | None, by: e.By) -> None:
    """Exchange an own skill for one of the leftover, or keep it (DP-6).

    Args:
        table: The table.
        exchange: The own card and that of the leftover; None keeps.
        by: Who decided.
    """
    frame = table.stack[-1]
    _go_past(table)
    if exchange is None:
        table.tell(e.SkillDrawn(table.hour, frame.actor, exchanged=False, by=by))
    else:
        handing.draw(table, frame.actor, *exchange, by=by)


# --- what is done to whom ------------------------------------------------------------------------

_NEIGHBOUR: Final = {"left": 1, "right": -1}  # YU-2


def _asker(frame: Frame) -> Asker:
    return Asker(frame.actor, frame.card, frame.hour)


def _aimed_at(table: Table, frame: Frame, to: c.To | Literal["choose"]) -> list[SeatId]:
    """Return the seats that an effect names: those well, clockwise from the acting seat (YU-56).

    A neighbour that is not well is nobody (YU-128).
    """
    me = frame.actor
    match to:
        case "self":
            named = [me]
        case "target":
            named = [frame.target]
        case "all":
            named = table.living(me)
        case "others":
            named = table.others(me)
        case "left" | "right":
            named = [SeatId((me + _NEIGHBOUR[to]) % SEATS)]
        case "choose":
            raise ValueError("who is chosen is asked")
        case _:
            assert_never(to)
    return [seat for seat in named if table.seats[seat].is_well]


def _narrowed(
    table: Table, frame: Frame, to: c.To, where: tuple[c.Condition, ...]
) -> Iterator[SeatId]:
    """Yield the seats that an effect is for; `all` and `others` are one moment (YU-56)."""
    asker = _asker(frame)
    aimed = _aimed_at(table, frame, to)
    yield from [seat for seat in aimed if all_hold(table, where, asker, seat)]


def _carry_out(table: Table, frame: Frame, effect: c.Effect) -> None:
    """Carry out an effect that asks nothing, or whose acting seat may not be asked any more."""
    match effect:
        case c.Damage(n, to, where):
            for seat in _narrowed(table, frame, to, where):
                moves.damage(table, frame, seat, n)
        case c.Heal(n, to, where):
            for seat in _narrowed(table, frame, to, where):
                moves.heal(table, frame, seat, n)
        case c.Skip(to, where):
            for seat in _narrowed(table, frame, to, where):
                moves.mark(table, seat, "skip")
        case c.Protect(to, where):
            for seat in _narrowed(table, frame, to, where):
                moves.mark(table, seat, "protect")
        case c.Reveal(what, to, where):
            for seat in _narrowed(table, frame, to, where):
                _reveal(table, frame, seat, what)
        case c.If(cond, then, otherwise):
            is_so = holds(table, cond, _asker(frame), frame.picks.seat)
            _insert(table, then if is_so else otherwise)
        case c.Guess(then, otherwise):
            _insert(table, then if _guess(table, frame) else otherwise)
        case c.May():
            pass  # the acting seat is dying; the default is no
        case c.MoveMarker(to):
            if to != "choose":  # else the acting seat is dying, and the present holder keeps it
                for seat in _aimed_at(table, frame, to):
                    moves.move_start(table, seat, frame.card)
        case c.Discard():
            handing.discard_picked(table, frame)
        case _ if not table.seats[frame.actor].is_well:
            pass  # all that is left would be done by it and for it
        case c.Peek(what, at):
            _peek(table, frame, what, _position(table, frame, at))
        case c.Open(at):
            position = _position(table, frame, at)
            if position is not None and table.is_down(position):
                moves.open_card(table, frame.actor, position)
        case c.Swap("time_cards"):
            handing.swap_time_cards(table, frame)
        case c.Take() | c.Swap():
            if table.seats[frame.target].is_well:
                handing.hand_over(table, frame, effect)
        case c.Gain():
            handing.gain(table, frame.actor)
        case c.Draw():
            pass  # nothing is left over
        case _:
            assert_never(effect)


def _insert(table: Table, effects: tuple[c.Effect, ...]) -> None:
    """Put effects before those of the top frame that are still to come."""
    frame = table.stack[-1]
    table.stack[-1] = evolve(frame, effects=effects + frame.effects)


# --- seeing --------------------------------------------------------------------------------------


def _position(table: Table, frame: Frame, at: c.Place | None) -> int | None:
    match at:
        case "current":
            return table.hour
        case "next":
            return table.hour + 1
        case "picked":
            return frame.picks.position
        case _:
            return None


def _peek(table: Table, frame: Frame, what: str, position: int | None = None) -> None:
    """Show the acting seat what is face down; nothing happens if nothing is."""
    me, hour = frame.actor, table.hour
    match what:
        case "time":
            if position is not None and table.is_down(position):
                card = table.at(position).card
                table.show(me, Peeked(hour, "time", position=position, card=card))
                table.tell(e.Peeked(hour, me, "time", position=position, cards=(card,)))
        case "role":
            target = table.seats[frame.target]
            _peek_at_seat(table, frame, "role", () if target.role_up else (target.role,))
        case "skill":
            _peek_at_seat(table, frame, "skill", table.seats[frame.target].skills_down)
        case _:
            cards = face_down(table.leftover)
            if cards:
                table.show(me, Peeked(hour, "leftover", cards=cards))
                table.tell(e.Peeked(hour, me, "leftover", cards=cards))


def _peek_at_seat(
    table: Table, frame: Frame, what: Literal["role", "skill"], cards: tuple[CardId, ...]
) -> None:
    target = frame.target
    if cards and table.seats[target].is_well:
        table.show(frame.actor, Peeked(table.hour, what, seat=target, cards=cards))
        table.tell(e.Peeked(table.hour, frame.actor, what, target=target, cards=cards))


def _reveal(table: Table, frame: Frame, seat: SeatId, what: Literal["role", "skill"]) -> None:
    if what == "role":
        moves.reveal_role(table, seat, frame.card)
    else:
        for card in table.seats[seat].skills_down:
            moves.reveal_skill(table, seat, card, frame.card)


def _guess(table: Table, frame: Frame) -> bool:
    """Compare the picked role with the target's, for all to see."""
    target, role = frame.target, frame.picks.role
    if role is None:
        raise ValueError(f"{frame.card} has no picked role")
    is_right = table.seats[target].role == role
    table.tell(e.GuessMade(table.hour, frame.actor, target, role, is_right))
    return is_right
