"""Answering a window: sealed answers, the first by priority, round after round (OD-101).

W3: every asked seat gives one sealed answer, to pass or one complete use. W4: when the wait ends,
whoever has not answered has passed; the first use in the order of priority is carried out, as a
frame above the window, and the other answers are dropped unseen and cost nothing. W5: after a use,
if there is still something to answer, everybody is asked again, who passed before too. A round of
passes closes the window.

A window stays open for the room's minimum time even when all answers are in (OD-106): the kernel
does nothing then, and whoever keeps the clock ends the wait.
"""

from __future__ import annotations

from attrs import evolve

from kaguraden_rules.kernel import Decision, Option, Pace, SeatId, Value
from kaguraden_rules.odoriko import events
from kaguraden_rules.odoriko.activity import Activity, Question, arg, missing, number_arg, sealed
from kaguraden_rules.odoriko.ending import end_is_reached
from kaguraden_rules.odoriko.offers import offer_of, skill_offers
from kaguraden_rules.odoriko.refs import CardRef
from kaguraden_rules.odoriko.skills import FaceUp, skill_at
from kaguraden_rules.odoriko.state import (
    Action,
    Named,
    Purpose,
    Sealed,
    Use,
    Window,
    WindowName,
)
from kaguraden_rules.odoriko.table import Table
from kaguraden_rules.odoriko.uses import declare, declare_skill
from kaguraden_rules.odoriko.windows import PASS, asked_seats, chain_ends, open_round, use_options
from kaguraden_rules.odoriko.words import PROMPTS
from kaguraden_rules.odoriko.zones import held

__all__ = ["WINDOW"]

PURPOSES = {"use_q": Purpose.CANCEL, "use_j": Purpose.TAKE, "use_a": Purpose.RECOVER}


def _go_on(table: Table, window: Window) -> bool:
    """After a use was carried out, ask again or close (W5)."""
    if window.wait is not None:
        return False
    asked = asked_seats(table, window.name, table.stack[-2])
    if window.name is WindowName.A or _ends_the_game(table, window):
        asked = ()
    if asked and not chain_ends(table):
        open_round(table, asked)
    else:
        _close(table, window)
    return True


def _ends_the_game(table: Table, window: Window) -> bool:
    """Whether no further round may follow a use, as it ends the game (OD-110)."""
    return window.name is WindowName.FREE and end_is_reached(table)


def _question(window: Window) -> Question:
    pending = missing(window.asked, window.answers)
    return Question(Pace.WINDOW, window.asked, pending, minimum=True, sealed=True)


def _decide(table: Table, window: Window, seat: SeatId) -> Decision:
    """Offer what the seat's hand allows; who has nothing is asked all the same (OD-105)."""
    options = (PASS, *use_options(table, window.name, table.stack[-2], seat))
    kind = window.name.value
    return Decision("", kind, options, PASS.id, sealed=True, prompt=PROMPTS[kind])


def _take(table: Table, window: Window, seat: SeatId, option: Option, value: Value) -> None:
    table.update(answers=sealed(window.answers, Sealed(seat, option, value)))


def _resolve(table: Table, window: Window) -> None:
    """Carry out the first use by priority, or close after a round of passes (W4)."""
    given = {answer.seat: answer.option for answer in window.answers}
    first = next((seat for seat in window.asked if given.get(seat, PASS) != PASS), None)
    if first is None:
        _close(table, window)
        return
    option = given[first]
    if option is None:
        raise TypeError("an answer of a window has an option")
    value = next(answer.value for answer in window.answers if answer.seat == first)
    table.update(answers=(), wait=None)
    if option.kind == "use_skill":
        found = skill_at(table, first, arg(option, "zone"), arg(option, "card"))
        _use_skill(table, window, found, option, value)
        return
    picks: tuple[tuple[Named, ...], ...] = ()
    if option.kind == "use_j":
        picks = (
            (Named(SeatId(number_arg(option, "seat")), "pile", CardRef(arg(option, "takes"))),),
        )
    card = held(table.seats[first], arg(option, "card"))
    declare(table, first, card, PURPOSES[option.kind], picks=picks)


def _use_skill(table: Table, window: Window, found: FaceUp, option: Option, value: Value) -> None:
    """Use a skill as an answer; a reaction to a batch is noted there, once for each (OD-104)."""
    about = table.stack[-2]
    actor = about.seat if isinstance(about, Use) else None
    offer = offer_of(skill_offers(table, found, actor), option)
    since = found.at.since
    if window.name is WindowName.TRIGGER and isinstance(about, Use | Action) and since is not None:
        batch, *younger = about.batches
        used = evolve(batch, used=(*batch.used, since))
        table.stack[-2] = evolve(about, batches=(used, *younger))
    declare_skill(table, found, offer, value)


def _close(table: Table, window: Window) -> None:
    table.stack.pop()
    table.tell(events.WindowClosed(window.number, window.name.value))


WINDOW = Activity(go_on=_go_on, question=_question, decide=_decide, answer=_take, expire=_resolve)
