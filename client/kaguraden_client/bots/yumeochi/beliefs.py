"""What a seat believes of the others' roles, by what everybody has seen.

A belief is a weight for each way to deal the roles that are face down. The evidence is about single
seats, so it is kept as one number for each seat and role (`Evidence`), the logarithm of how much
less likely that role became:

- A first-victory window passed without a win: a living seat that met a role's condition there does
  not have this role (YU-79). This rules out.
- A role was named, and it was wrong: ruled out for the seat named. Who names a role mostly does not
  have it himself.
- An action was chosen: likely if the role asks for it, by the same judgement that imagined players
  go by. This only inclines.

Evidence is gathered from the events backwards from what lies open now, so it does not matter when
the seat joined the table: what it did not hear of it knows nothing about.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any, Final

from ...reading import as_int, as_str, has_int, ints_in
from .habits import Habits
from .lore import HOURS, ITEM, SEATS, STOCK, Lore, Move
from .model import Position

__all__ = ["Belief", "Evidence", "worlds"]

RULED_OUT: Final = -30.0
OWN_NAME: Final = -1.0  # who names a role has it himself: a bluff
SHARPNESS: Final = 0.5  # how much an action tells, by one that a player chose with full knowledge
LEAST: Final = -1.5  # what one action tells at most

Event = Mapping[str, Any]


class Evidence:
    """What happened tells about each seat and role; `against[seat][role]` is a logarithm."""

    def __init__(self, lore: Lore, habits: Habits) -> None:
        self.lore = lore
        self.habits = habits
        self.against = [[0.0] * len(lore.roles) for _ in SEATS]
        self._first: Event | None = None
        self._heard = 0

    def gather(self, now: Position, events: Sequence[Event]) -> None:
        """Take in all events so far; `now` is what lies open after the last of them."""
        if not events:
            return
        if self._first is not events[0] or self._heard > len(events):
            self.against = [[0.0] * len(self.lore.roles) for _ in SEATS]
            self._heard = 0
            self._first = events[0]
        new = events[self._heard :]
        self._heard = len(events)
        if any(event.get("kind") == "game_started" for event in new):
            self.against = [[0.0] * len(self.lore.roles) for _ in SEATS]
        p = now.copy()
        _lay_clock(p)
        # Backwards: p is the position after the event that is looked at.
        for at in range(len(events) - 1, len(events) - 1 - len(new), -1):
            event = events[at]
            p.hour = max(1, min(12, as_int(event.get("hour"), p.hour)))
            match event.get("kind"):
                case "phase_ended":
                    self._passed(p, "phase_end")
                    p.order = _order_before(events, at) or p.order
                case "hour_became":
                    self._passed(p, "hour_becomes")
                case "guess_made":
                    self._named(event)
                case "game_started":
                    break
                case _:
                    pass
            undo(p, event)
            if event.get("kind") == "action_taken" and event.get("by") != "clock":
                self._chosen(p, event)

    def _rule_out(self, seat: int, role: int) -> None:
        self.against[seat][role] += RULED_OUT

    def _passed(self, p: Position, window: str) -> None:
        for role in self.lore.roles:
            if role.check == window and role.hours[p.hour]:
                for seat in SEATS:
                    if p.alive[seat] and role.wins(p, seat, -1):
                        self._rule_out(seat, role.number)

    def _named(self, event: Event) -> None:
        role = self.lore.role_number.get(as_str(event.get("role")))
        seat, target = event.get("seat"), event.get("target")
        if role is None or not has_int(seat) or not has_int(target):
            return
        if event.get("right") is False:
            self._rule_out(target, role)
        self.against[seat][role] += OWN_NAME

    def _chosen(self, p: Position, event: Event) -> None:
        """Weigh an action by what each role would have made of it."""
        seat = as_int(event.get("seat"), -1)
        if seat < 0 or p.shown[seat]:
            return
        move = _move_of(event, self.lore)
        if move is None:
            return
        p.at = (p.order.index(seat) + 1) if seat in p.order else 4
        own = p.role[seat]
        scores = []
        for role in self.lore.roles:
            p.role[seat] = role.number
            scores.append(self._likelihood(p, seat, move))
        p.role[seat] = own
        mean = sum(scores) / len(scores)
        for role, score in zip(self.lore.roles, scores, strict=True):
            told = SHARPNESS * (score - mean)
            self.against[seat][role.number] += max(LEAST, min(-LEAST, told))

    def _likelihood(self, p: Position, seat: int, move: Move) -> float:
        """Return the logarithm of how likely a role makes an action among the plain ones."""
        habits = self.habits
        w = habits.wants(p, seat)
        worths = {"pass": 0.0}
        if p.down[p.hour]:
            worths["open"] = habits.open_worth(p, seat, w)
        if p.start != seat and p.start >= 0:
            worths["take"] = w.marker + w.away[p.start]
        if move.kind not in worths:
            worths[move.kind] = habits.move_worth(p, seat, w, move)
        most = max(worths.values())
        total = sum(math.exp(worth - most) for worth in worths.values())
        return worths[move.kind] - most - math.log(total)


def undo(p: Position, event: Event) -> None:
    """Take back what an event changed in what lies open, as far as windows ask for it."""
    seat = event.get("seat")
    lore = p.lore
    match event.get("kind"):
        case "life_changed" if has_int(seat):
            p.life[seat] = as_int(event.get("old"))
        case "died" if has_int(seat):
            p.alive[seat] = True
        case "marker_moved":
            old = event.get("old")
            if has_int(old):
                match event.get("which"):
                    case "start":
                        p.start = old
                    case "origin":
                        p.origin = old
                    case _:
                        pass
        case "phase_began":
            p.used = p.locked = 0
        case "card_opened" if has_int(seat):
            p.opened[seat] -= 1
            position = as_int(event.get("position"))
            if 1 <= position <= 12:
                p.down[position] = True
        case "card_kept" | "card_discarded" as kind if has_int(seat):
            _undo_card(p, lore, seat, event, kept=kind == "card_kept")
        case "item_moved":
            card = lore.time_number.get(as_str(event.get("card")), -1)
            giver, receiver = event.get("giver"), event.get("receiver")
            if has_int(giver) and has_int(receiver):
                p.items[receiver] = tuple(item for item in p.items[receiver] if item != card)
                p.items[giver] += (card,)
        case "role_revealed" if has_int(seat):
            p.shown[seat] = False
        case "marked" | "unmarked" as kind if has_int(seat):
            marks = p.skip if event.get("mark") == "skip" else p.protected
            marks[seat] = kind == "unmarked"
        case "action_taken" if event.get("action") == "role_action" and has_int(seat):
            p.uses[seat] -= 1
        case _:
            pass


def _lay_clock(p: Position) -> None:
    """Lay the cards that nobody opened to where they may be: which lies where is never asked."""
    opened = {card for hour, card in enumerate(p.clock) if hour and not p.down[hour]}
    left = [time.number for time in p.lore.times if time.number not in opened]
    for hour in HOURS:
        if p.down[hour]:
            p.clock[hour] = left.pop()


def _order_before(events: Sequence[Event], at: int) -> tuple[int, int, int, int] | None:
    """Return the order of the phase that an event is in, if its beginning was told."""
    for event in reversed(events[:at]):
        if event.get("kind") == "phase_began":
            order = ints_in(event.get("order"))
            return (order[0], order[1], order[2], order[3]) if len(order) == 4 else None
    return None


def _undo_card(p: Position, lore: Lore, seat: int, event: Event, *, kept: bool) -> None:
    card = lore.time_number.get(as_str(event.get("card")), -1)
    if card < 0:
        return
    if not kept:
        if event.get("cause") not in ("event", "dying"):
            p.items[seat] += (card,)
    elif lore.times[card].kind == ITEM:
        p.items[seat] = tuple(item for item in p.items[seat] if item != card)
    elif lore.times[card].kind == STOCK:
        p.stock[seat] -= 1
        p.stock_stars[seat] -= lore.times[card].stars


def _move_of(event: Event, lore: Lore) -> Move | None:
    """Return what an event says was done; None where nothing is to be weighed."""
    card = as_str(event.get("card"))
    target = as_int(event.get("target"), -1)
    match event.get("action"):
        case "open" | "take" | "pass" as kind:
            return Move(kind)
        case "give" if card in lore.time_number:
            return Move("give", lore.time_number[card], target)
        case "use":
            kind = "skill" if card in lore.skill_number else "item"
            number = {**lore.skill_number, **lore.time_number}.get(card)
            if number is None:
                return None
            item = lore.time_number.get(as_str(event.get("item")), -1)
            own = lore.time_number.get(as_str(event.get("own_item")), -1)
            role = lore.role_number.get(as_str(event.get("role")), -1)
            return Move(kind, number, target, item, own, role, as_int(event.get("position"), -1))
        case _:
            return None


# --- worlds --------------------------------------------------------------------------------------


class Belief:
    """Weights of all ways to deal the hidden roles; they sum to 1."""

    __slots__ = ("deals", "weights")

    def __init__(self, deals: list[tuple[int, ...]], weights: list[float]) -> None:
        self.deals = deals
        self.weights = weights

    def chance(self, seat: int, role: int) -> float:
        """Return how likely a seat has a role."""
        return sum(
            weight
            for deal, weight in zip(self.deals, self.weights, strict=True)
            if deal[seat] == role
        )


def worlds(lore: Lore, known: Mapping[int, int], evidence: Evidence) -> Belief:
    """Return what is believed by someone who knows the roles of some seats."""
    free = [role.number for role in lore.roles if role.number not in known.values()]
    hidden = [seat for seat in SEATS if seat not in known]
    deals: list[tuple[int, ...]] = []
    logs: list[float] = []
    against = evidence.against
    for drawn in permutations(free, len(hidden)):
        deal = [known.get(seat, -1) for seat in SEATS]
        total = 0.0
        for seat, role in zip(hidden, drawn, strict=True):
            deal[seat] = role
            total += against[seat][role]
        deals.append(tuple(deal))
        logs.append(total)
    most = max(logs)
    weights = [math.exp(log - most) for log in logs]
    whole = sum(weights)
    return Belief(deals, [weight / whole for weight in weights])
