"""Deciding the turn order, at the start and after midway: declarations, janken, places.

Any seat may declare, and declare more, as long as one seat is not locked; each declaration is
public at once and takes every lock away. Then the declared VP are paid, the seats are put in the
order of what they declared, those that tie play janken for it, and in that order each chooses a
place in the turn order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from attrs import evolve

from kaguraden_rules.kernel import (
    Decision,
    IntValue,
    Option,
    Pace,
    SeatId,
    Value,
)
from kaguraden_rules.odoriko import events
from kaguraden_rules.odoriko.activity import (
    NOTHING,
    Activity,
    Question,
    as_number,
    missing,
    number_arg,
    sealed,
)
from kaguraden_rules.odoriko.moves import change_vp
from kaguraden_rules.odoriko.state import Bidding, Janken, Placing, Sealed, Seat, Turn
from kaguraden_rules.odoriko.table import Table
from kaguraden_rules.odoriko.words import PROMPTS

__all__ = ["BIDDING", "HANDS", "JANKEN", "PLACING", "free_places", "opening", "playing"]

HANDS = ("rock", "paper", "scissors")
MAX_REPEATS = 10  # after so many in a row a group's order is drawn by lot (OD-35, OD-202)
BEATS = (("rock", "scissors"), ("paper", "rock"), ("scissors", "paper"))

T = TypeVar("T")


# --- declarations ----------------------------------------------------------------------------


def opening(seats: int) -> Bidding:
    """Return the stage in which the order is about to be decided (OD-28, OD-120)."""
    return Bidding(bids=(None,) * seats, locked=(False,) * seats)


def _bidding_goes_on(table: Table, bidding: Bidding) -> bool:
    if bidding.wait is None:
        table.tell(events.OrderOpened(table.half))
        table.stage = evolve(bidding, wait=table.next_wait())
    elif all(bidding.locked):
        _pay_bids(table, bidding)
    else:
        return False
    return True


def _bidding_question(bidding: Bidding) -> Question:
    """Ask who is not locked; who is may still declare (OD-31). Everything is public (D-2)."""
    seats = tuple(SeatId(seat) for seat in range(len(bidding.bids)))
    unlocked = tuple(seat for seat in seats if not bidding.locked[seat])
    return Question(Pace.CHOICE, unlocked, unlocked, deciding=seats)


def _bidding_decision(table: Table, bidding: Bidding, seat: SeatId) -> Decision:
    """Offer what is higher than the seat's last declaration (OD-30, OD-32), and to be done.

    A locked seat may say again that it is done, which changes nothing; where it could only do
    that, it is offered nothing (OD-204).
    """
    last = bidding.bids[seat]
    if bidding.locked[seat] and last == table.options.bid_max:
        return NOTHING
    options = []
    least = 0 if last is None else last + 1
    if least <= table.options.bid_max:
        declare = IntValue(least, table.options.bid_max)
        options.append(Option("declare_bid", "declare_bid", value=declare))
    if last is not None:
        options.append(Option("lock_bid", "lock_bid"))
    return Decision("", "order_bid", tuple(options), options[-1].id, prompt=PROMPTS["order_bid"])


def _take_bid(table: Table, bidding: Bidding, seat: SeatId, option: Option, value: Value) -> None:
    """Note a declaration, which takes every lock away (OD-194), or a lock (OD-31).

    A declaration starts the clock anew (OD-203).
    """
    if option.kind == "lock_bid":
        if not bidding.locked[seat]:
            table.tell(events.BidLocked(seat))
            table.stage = evolve(bidding, locked=_with(bidding.locked, seat, True))
        return
    declared = as_number(value)
    table.tell(events.BidDeclared(seat, declared))
    table.stage = Bidding(
        bids=_with(bidding.bids, seat, declared),
        locked=(False,) * len(bidding.locked),
        wait=table.next_wait(),
    )


def _close_bidding(table: Table, bidding: Bidding) -> None:
    """Lock everybody; a seat that declared nothing declares 0 (OD-31)."""
    for seat, bid in enumerate(bidding.bids):
        if bid is None:
            table.tell(events.BidDeclared(SeatId(seat), 0))
    table.stage = evolve(
        bidding,
        bids=tuple(bid or 0 for bid in bidding.bids),
        locked=(True,) * len(bidding.locked),
    )


def _pay_bids(table: Table, bidding: Bidding) -> None:
    """Subtract every declaration from the VP of now (OD-33) and put the seats in order."""
    bids = [bid or 0 for bid in bidding.bids]
    for seat in table.everybody():
        change_vp(table, seat, -bids[seat], "bid")
    paid = (events.Declared(s, bids[s], table.seats[s].vp) for s in table.everybody())
    table.tell(events.OrderClosed(tuple(paid)))
    highest_first = table.options.order_pick == "highest"  # OD-29
    groups = (
        tuple(seat for seat in table.everybody() if bids[seat] == bid)
        for bid in sorted(set(bids), reverse=highest_first)
    )
    table.stage = Janken(tuple(groups))


def _with(values: tuple[T, ...], at: int, value: T) -> tuple[T, ...]:
    return (*values[:at], value, *values[at + 1 :])


# --- janken ----------------------------------------------------------------------------------


def playing(janken: Janken) -> tuple[SeatId, ...]:
    """Return the group that plays now: the first that is tied (OD-34, OD-193)."""
    return next((group for group in janken.groups if len(group) > 1), ())


def _janken_goes_on(table: Table, janken: Janken) -> bool:
    group = playing(janken)
    if not group:
        table.stage = Placing(tuple(seat for (seat,) in janken.groups))
    elif janken.wait is None:
        table.tell(events.JankenOpened(group, janken.repeat))
        table.stage = evolve(janken, wait=table.next_wait())
    elif missing(group, janken.answers):
        return False
    else:
        _show_hands(table, janken, group)
    return True


def _janken_question(janken: Janken) -> Question:
    group = playing(janken)
    pending = missing(group, janken.answers)
    return Question(Pace.CHOICE, group, pending, sealed=True)


def _janken_decision(table: Table, janken: Janken, seat: SeatId) -> Decision:
    """Offer rock, paper, scissors, or to leave it to the generator (OD-35, OD-201)."""
    options = tuple(Option(hand, hand) for hand in (*HANDS, "random"))
    return Decision("", "janken", options, "random", sealed=True, prompt=PROMPTS["janken"])


def _take_hand(table: Table, janken: Janken, seat: SeatId, option: Option, value: Value) -> None:
    table.stage = evolve(janken, answers=sealed(janken.answers, Sealed(seat, option)))


def _leave_hands_to_chance(table: Table, janken: Janken) -> None:
    late = (Sealed(seat) for seat in missing(playing(janken), janken.answers))
    table.stage = evolve(janken, answers=sealed(janken.answers, *late))


def _show_hands(table: Table, janken: Janken, group: tuple[SeatId, ...]) -> None:
    """Show a round and find who goes before whom (OD-35).

    The generator chooses for those who left it to it, in the order of their seat numbers; who
    they are is shown, so the use of the generator is public (OD-201).
    """
    hands: dict[SeatId, str] = {}
    by_chance = set()
    for answer in janken.answers:
        if answer.option is None or answer.option.id == "random":
            pick, table.entropy = table.entropy.pick(len(HANDS))
            hands[answer.seat] = HANDS[pick]
            by_chance.add(answer.seat)
        else:
            hands[answer.seat] = answer.option.id
    winning = _winning_hand(set(hands.values()))
    winners = tuple(seat for seat in group if hands[seat] == winning)
    losers = tuple(seat for seat in group if hands[seat] != winning)
    shown = (events.Shown(s, hands[s], s in by_chance or None) for s in group)
    table.tell(events.JankenShown(tuple(shown), winners))
    if winning is not None:
        parts: tuple[tuple[SeatId, ...], ...] = (winners, losers)
    elif janken.repeat < MAX_REPEATS:
        table.stage = Janken(janken.groups, janken.repeat + 1)
        return
    else:
        drawn, table.entropy = table.entropy.shuffle(group)
        table.tell(events.JankenDrawn(drawn))
        parts = tuple((seat,) for seat in drawn)
    at = janken.groups.index(group)
    table.stage = Janken((*janken.groups[:at], *parts, *janken.groups[at + 1 :]))


def _winning_hand(hands: set[str]) -> str | None:
    """Return the hand that beats the other, or None where there is one kind, or three."""
    for winner, loser in BEATS:
        if hands == {winner, loser}:
            return winner
    return None


# --- places ----------------------------------------------------------------------------------


def free_places(seats: Sequence[Seat]) -> tuple[int, ...]:
    """Return the places that nobody has chosen yet."""
    taken = {seat.place for seat in seats}
    return tuple(p for p in range(1, len(seats) + 1) if p not in taken)


def _placing_goes_on(table: Table, placing: Placing) -> bool:
    if len(placing.queue) == 1:
        _take_place(table, placing, free_places(table.seats)[0])  # the last place is given
        by_place = sorted(table.everybody(), key=lambda seat: table.seats[seat].place or 0)
        table.order = tuple(by_place)
        table.tell(events.OrderSet(table.order))
        table.stage = Turn(table.order[0], number=1)  # OD-122
        return True
    if placing.wait is None:
        table.stage = evolve(placing, wait=table.next_wait())
        return True
    return False


def _placing_question(placing: Placing) -> Question:
    chooser = placing.queue[:1]
    return Question(Pace.CHOICE, chooser, chooser)


def _placing_decision(table: Table, placing: Placing, seat: SeatId) -> Decision:
    """Offer the free places; the smallest is the default (OD-36)."""
    options = tuple(Option(f"place:{p}", "place", {"place": p}) for p in free_places(table.seats))
    return Decision("", "place", options, options[0].id, prompt=PROMPTS["place"])


def _choose_place(
    table: Table, placing: Placing, seat: SeatId, option: Option, value: Value
) -> None:
    _take_place(table, placing, number_arg(option, "place"))


def _take_place(table: Table, placing: Placing, place: int) -> None:
    seat, *queue = placing.queue
    table.change(seat, place=place)
    table.tell(events.PlaceChosen(seat, place))
    table.stage = Placing(tuple(queue))


BIDDING = Activity(
    go_on=_bidding_goes_on,
    question=_bidding_question,
    decide=_bidding_decision,
    answer=_take_bid,
    expire=_close_bidding,
)
JANKEN = Activity(
    go_on=_janken_goes_on,
    question=_janken_question,
    decide=_janken_decision,
    answer=_take_hand,
    expire=_leave_hands_to_chance,
)
PLACING = Activity(
    go_on=_placing_goes_on,
    question=_placing_question,
    decide=_placing_decision,
    answer=_choose_place,
    expire=lambda table, placing: _take_place(table, placing, free_places(table.seats)[0]),
)
