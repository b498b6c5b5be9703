"""Cards on their way into hands: the hand limit, and which cards stay (OD-51, OD-52).

Several cards that a seat receives at once are acquired one by one in an order that it chooses. As
only those that fit stay, that choice is which ones; the seat is asked where some fit and some do
not, which everybody can count. Seats that receive at the same moment choose in secret, and what
overflows on all sides is one batch (OD-91). With `overflow = batch` nothing stays where not
everything fits, and nobody is asked.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TypeVar

from kaguraden_rules.kernel import CardsValue, Decision, Option, Pace, SeatId, Value
from kaguraden_rules.odoriko import events
from kaguraden_rules.odoriko.activity import Activity, Question, as_cards, missing, sealed
from kaguraden_rules.odoriko.moves import discard
from kaguraden_rules.odoriko.refs import CardRef, labels
from kaguraden_rules.odoriko.state import Discarding, Gain, Sealed, Taker
from kaguraden_rules.odoriko.table import Table
from kaguraden_rules.odoriko.words import PROMPTS
from kaguraden_rules.odoriko.zones import room_in_hand

__all__ = ["GAIN", "pick_cards", "receive"]

T = TypeVar("T")


def receive(table: Table, *takers: Taker) -> None:
    """Let seats take cards that have left every zone into their hands."""
    asked = tuple(taker.seat for taker in takers if _must_choose(table, taker))
    if asked:
        table.tell(events.GainOpened(asked))
    table.stack.append(Gain(takers, asked, wait=table.next_wait() if asked else None))


def _must_choose(table: Table, taker: Taker) -> bool:
    room = room_in_hand(table.seats[taker.seat])
    return table.options.overflow == "excess" and 0 < room < len(taker.cards)


def _go_on(table: Table, gain: Gain) -> bool:
    if missing(gain.asked, gain.answers):
        return False
    _take(table, gain)
    return True


def _question(gain: Gain) -> Question:
    pending = missing(gain.asked, gain.answers)
    return Question(Pace.CHOICE, gain.asked, pending, sealed=True)


def _decide(table: Table, gain: Gain, seat: SeatId) -> Decision:
    """Ask which cards stay: as many as the hand has room for (D-14)."""
    (cards,) = (taker.cards for taker in gain.takers if taker.seat == seat)
    room = room_in_hand(table.seats[seat])
    keep = Option("keep", "keep", value=CardsValue(tuple(labels(cards)), room, room))
    return Decision("", "order_gain", (keep,), keep.id, sealed=True, prompt=PROMPTS["order_gain"])


def _answer(table: Table, gain: Gain, seat: SeatId, option: Option, value: Value) -> None:
    table.update(answers=sealed(gain.answers, Sealed(seat, option, value)))


def _expire(table: Table, gain: Gain) -> None:
    late = (Sealed(seat) for seat in missing(gain.asked, gain.answers))
    table.update(answers=sealed(gain.answers, *late))


def _take(table: Table, gain: Gain) -> None:
    table.stack.pop()
    overflow: list[Discarding] = []
    for taker in gain.takers:
        stay = _staying(table, gain, taker)
        table.change(taker.seat, hand=(*table.seats[taker.seat].hand, *stay))
        rest = list(taker.cards)
        for card in stay:
            rest.remove(card)
        overflow += [Discarding(card, taker.seat, "gained") for card in rest]
    discard(table, overflow, "overflow")


def _staying(table: Table, gain: Gain, taker: Taker) -> Sequence[CardRef]:
    """Return the cards that stay, by the seat's choice.

    Where its time ran out, the first of a lot, or by the generator cards that others may not see
    (OD-207).
    """
    room = room_in_hand(table.seats[taker.seat])
    if room >= len(taker.cards):
        return taker.cards
    if taker.seat not in gain.asked:
        return ()
    answer = next(answer for answer in gain.answers if answer.seat == taker.seat)
    if answer.option is not None:
        chosen = as_cards(answer.value)
        return tuple(card for label, card in labels(taker.cards).items() if label in chosen)
    return pick_cards(table, taker.cards, room) if taker.hidden else taker.cards[:room]


def pick_cards(table: Table, cards: Sequence[T], n: int) -> tuple[T, ...]:
    """Let the generator pick `n` of the cards; that takes one number, however many (OD-27)."""
    number, table.entropy = table.entropy.pick(math.comb(len(cards), n))
    return next(itertools.islice(itertools.combinations(cards, n), number, None))


GAIN = Activity(go_on=_go_on, question=_question, decide=_decide, answer=_answer, expire=_expire)
