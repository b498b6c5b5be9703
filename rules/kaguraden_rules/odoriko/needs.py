"""What a skill or an event needs before it can be used: conditions and costs (OD-67, OD-185).

Each question is asked twice. For the options of a seat it is answered with all that this seat can
see, its own hand among it. For the asked set of a window (OD-104) it is answered by what everybody
can see: of a hand, how many cards of each back it holds (OD-13). So the public answer is yes
wherever the other one may be.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from kaguraden_rules.kernel import SeatId
from kaguraden_rules.odoriko import card as c
from kaguraden_rules.odoriko.picks import (
    Form,
    Look,
    cards_in,
    form_of,
    holders_of,
    may_back,
    owners,
    ways,
)
from kaguraden_rules.odoriko.refs import Back, Field, back, face
from kaguraden_rules.odoriko.scoring import kind_of, matches
from kaguraden_rules.odoriko.state import Named
from kaguraden_rules.odoriko.zones import deck, field, find, tree

__all__ = [
    "can_choose",
    "does_what_it_must",
    "field_payment",
    "hand_payments",
    "holds",
    "may_pay",
    "vp_price",
]


# --- conditions ---------------------------------------------------------------------------------


def holds(look: Look, condition: c.Condition, *, public: bool) -> bool:
    """Whether a condition is met; with `public`, whether it may be by what is public."""
    own = look.seats[look.user]
    match condition:
        case c.VpAtLeast(n):
            return own.vp >= n
        case c.VpAtMost(n):
            return own.vp <= n
        case c.HandAtLeast(n):
            return len(own.hand) >= n
        case c.InHalf(half):
            return look.half == half
        case c.TreeAtLeast(zone, least):
            return any(tree(field(own, z)) >= least for z in Field if zone in (c.Zone.ANY, z))
        case c.CountAtLeast(_, zone, match, least) if zone is c.Zone.HAND and public:
            return _of_back(look, look.user, match) >= least
        case c.CountAtLeast(scope, zone, match, least):
            seats = _scope(look, scope)
            found = sum(1 for seat in seats for _ in cards_in(look, seat, zone, match))
            return found >= least


def _of_back(look: Look, seat: SeatId, match: c.Match) -> int:
    """Return how many cards of a hand may pass a filter, by their backs."""
    return sum(may_back(match, back(card)) for card in look.seats[seat].hand)


def _scope(look: Look, scope: c.Scope) -> tuple[SeatId, ...]:
    match scope:
        case c.Scope.OWN:
            return (look.user,)
        case c.Scope.OTHERS:
            return owners(look, c.Whose.OTHERS)
        case c.Scope.UNSCOPED if look.unscoped == "own":
            return (look.user,)
        case _:
            return owners(look, c.Whose.ANY)


# --- costs --------------------------------------------------------------------------------------


def vp_price(cost: Sequence[c.Cost]) -> int:
    """Return how many VP are to be paid; they can be paid at any VP (OD-68)."""
    return sum(part.n for part in cost if isinstance(part, c.VpCost))


def _hand_units(cost: Sequence[c.Cost]) -> list[c.Match]:
    """Return a filter for each card that is to be paid from the hand."""
    return [
        part.match
        for part in cost
        if isinstance(part, c.DiscardCost) and part.zone is c.Zone.HAND
        for _ in range(part.n)
    ]


def hand_payments(look: Look, cost: Sequence[c.Cost]) -> tuple[tuple[Named, ...], ...]:
    """Return every set of hand cards that pays; one empty set where nothing is to be paid."""
    units = _hand_units(cost)
    if not units:
        return ((),)

    def passes(match: c.Match, named: Named) -> bool:
        shown = face(named.card)
        return matches(match, shown, kind_of(shown, look.cards))

    hand = tuple(cards_in(look, look.user, c.Zone.HAND, c.Match()))
    found: dict[tuple[str, ...], tuple[Named, ...]] = {}
    for paid in itertools.combinations(hand, len(units)):
        if any(all(map(passes, units, order)) for order in itertools.permutations(paid)):
            found.setdefault(tuple(sorted(named.card for named in paid)), paid)
    return tuple(found.values())


def field_payment(look: Look, cost: Sequence[c.Cost]) -> tuple[int, tuple[Named, ...]]:
    """Return how many cards of the own fields are to be paid, and those that will do.

    A cost has one such part at most (V-13).
    """
    for part in cost:
        if isinstance(part, c.DiscardCost) and part.zone is c.Zone.FIELDS:
            return part.n, tuple(cards_in(look, look.user, c.Zone.FIELDS, part.match))
    return 0, ()


def may_pay(look: Look, cost: Sequence[c.Cost]) -> bool:
    """Whether a cost may be paid, by what is public (OD-104)."""
    n, able = field_payment(look, cost)
    if len(able) < n:
        return False
    units = _hand_units(cost)
    hand = look.seats[look.user].hand
    if len(units) > len(hand):
        return False
    held = {has: sum(back(card) is has for card in hand) for has in Back}
    for has, other in ((Back.RESOURCE, Back.CHARACTER), (Back.CHARACTER, Back.RESOURCE)):
        only = sum(not may_back(match, other) for match in units)
        if only > held[has]:
            return False
    return True


# --- lines that must be done --------------------------------------------------------------------


def does_what_it_must(look: Look, lines: Sequence[c.Op], at: Named | None, *, public: bool) -> bool:
    """Whether all lines that must can be done in full, `discard this` being done (OD-187, OD-217).

    Args:
        look: The position.
        lines: The lines of an effect.
        at: Where the character lies whose skill it is; None for an event.
        public: Whether to tell by what is public alone.
    """
    for line in lines:
        if line.must and not _can_do_in_full(look, line, at, public=public):
            return False
        if at is not None and line == c.Discard(None):
            look = look.without(at)
    return True


def _can_do_in_full(look: Look, line: c.Op, at: Named | None, *, public: bool) -> bool:
    """Whether a line can be done in full as things are."""
    own = look.seats[look.user]
    match line:
        case c.Draw(which, n) | c.Show(which, n):
            return len(deck(own, Back(which.value))) >= n
        case c.Discard(pick=None) | c.SetFirst():
            return at is not None and find(look.seats, at) is not None
        case c.Peek(whose) | c.AddVp(_, whose):
            return bool(owners(look, whose))
        case c.Discard() | c.Place() | c.Take() | c.Exchange() | c.PutMark():
            if form_of(line) is Form.HOLDERS:
                return bool(holders_of(look, line))
            pick = _pick_of(line)
            least = 1 if pick is None or pick.n is None or pick.upto else pick.n
            return can_choose(look, line, least, public=public)
        case _:
            return True


def can_choose(look: Look, line: c.Op, least: int = 1, *, public: bool) -> bool:
    """Whether the user has so much to choose for a line; with `public`, whether it may have."""
    pick = _pick_of(line)
    if public and pick is not None and pick.zone is c.Zone.HAND:
        return _of_back(look, look.user, pick.match) >= least
    return any(len(way.fixed) + way.most >= least for way in ways(look, line))


def _pick_of(line: c.Op) -> c.Pick | None:
    pick = getattr(line, "pick", None)
    return pick if isinstance(pick, c.Pick) else None
