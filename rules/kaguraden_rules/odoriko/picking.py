"""Choices that a line leaves until it is carried out (D-15, D-16).

An event's picks are made when its effect is carried out, after it could be answered (OD-160); so are
those picks of a skill that its declaration could not carry (OD-212). The user of the card is asked,
or those who hold the cards, at the same time and in secret. Whom it asks follows from what is
public: a seat is asked where its hand has cards with a fitting back, also if none of them fits, and
where there is but one thing to choose (OD-208, OD-214).
"""

from __future__ import annotations

import itertools
import math

from kaguraden_rules.kernel import Decision, Option, Pace, SeatId, Value
from kaguraden_rules.odoriko import card as c
from kaguraden_rules.odoriko import events
from kaguraden_rules.odoriko.activity import Activity, Question, missing, sealed
from kaguraden_rules.odoriko.lines import lines_of, look_of
from kaguraden_rules.odoriko.needs import can_choose
from kaguraden_rules.odoriko.offers import offer_of, way_offers
from kaguraden_rules.odoriko.picks import Form, Look, Way, form_of, holders_of, ways
from kaguraden_rules.odoriko.refs import face
from kaguraden_rules.odoriko.state import Named, Picking, Sealed, Use
from kaguraden_rules.odoriko.table import Table
from kaguraden_rules.odoriko.words import PROMPTS

__all__ = ["PICKING", "open_pick"]


def open_pick(table: Table, use: Use) -> bool:
    """Ask for the pick of the next line of the use on top, where it is still open.

    Returns:
        Whether that had to be seen to. With nobody to ask the line names nothing.
    """
    line = lines_of(table, use)[use.line]
    if not isinstance(line, c.Op):
        return False
    form = form_of(line)
    if form is Form.NONE or use.named(use.line) is not None:
        return False
    look = look_of(table)
    by_holders = form is Form.HOLDERS
    if by_holders:
        asked = holders_of(look, line)
    else:
        asked = (use.seat,) if can_choose(look, line, public=True) else ()
    if not asked:
        _name(table, use, ())
        return True
    table.tell(events.PickOpened(use.seat, face(use.card), asked, by_holders or None))
    table.stack.append(Picking(asked, by_holders, wait=table.next_wait()))
    return True


def _name(table: Table, use: Use, named: tuple[Named, ...]) -> None:
    """Write down what the next line of the use on top names."""
    picks = list(use.picks) + [None] * (use.line + 1 - len(use.picks))
    picks[use.line] = named
    table.update(picks=tuple(picks))


def _below(table: Table) -> Use:
    use = table.stack[-2]
    if not isinstance(use, Use):
        raise TypeError("no use lies below")
    return use


def _ways(table: Table, picking: Picking, seat: SeatId) -> tuple[Look, tuple[Way, ...]]:
    use = _below(table)
    line = lines_of(table, use)[use.line]
    if not isinstance(line, c.Op):
        raise TypeError(f"{line} leaves nothing to choose")
    look = look_of(table, -2)
    return look, ways(look, line, seat if picking.holders else None)


def _go_on(table: Table, picking: Picking) -> bool:
    if missing(picking.asked, picking.answers):
        return False
    chosen: list[Named] = []
    for answer in picking.answers:
        look, found = _ways(table, picking, answer.seat)
        if answer.option is None:
            chosen += _by_chance(table, found)
            continue
        offer = offer_of(way_offers(look, found), answer.option)
        _, (named,) = offer.taken(answer.value)
        chosen += named or ()
    table.stack.pop()
    use = table.stack[-1]
    if isinstance(use, Use):
        _name(table, use, tuple(chosen))
    return True


def _by_chance(table: Table, found: tuple[Way, ...]) -> tuple[Named, ...]:
    """Let the generator choose as little as may be chosen; that takes one number (D-15, OD-27)."""
    counts = [math.comb(len(way.among), way.least) for way in found]
    number, table.entropy = table.entropy.pick(sum(counts))
    for way, count in zip(found, counts, strict=True):
        if number < count:
            subsets = itertools.combinations(way.among, way.least)
            return (*way.fixed, *next(itertools.islice(subsets, number, None)))
        number -= count
    raise LookupError("there is always a way")


def _question(picking: Picking) -> Question:
    pending = missing(picking.asked, picking.answers)
    return Question(Pace.CHOICE, picking.asked, pending, sealed=picking.holders)


def _decide(table: Table, picking: Picking, seat: SeatId) -> Decision:
    """Offer every choice that the line allows (D-15, D-16); the default leaves it to chance."""
    offers = way_offers(*_ways(table, picking, seat))
    kind = "holder_pick" if picking.holders else "pick"
    options = tuple(offer.option for offer in offers)
    return Decision("", kind, options, options[0].id, sealed=picking.holders, prompt=PROMPTS[kind])


def _answer(table: Table, picking: Picking, seat: SeatId, option: Option, value: Value) -> None:
    table.update(answers=sealed(picking.answers, Sealed(seat, option, value)))


def _expire(table: Table, picking: Picking) -> None:
    late = (Sealed(seat) for seat in missing(picking.asked, picking.answers))
    table.update(answers=sealed(picking.answers, *late))


PICKING = Activity(go_on=_go_on, question=_question, decide=_decide, answer=_answer, expire=_expire)
