"""What a position is worth to each seat: its chance to win, as phases begin.

A softmax over the seats of a weighted sum of what lies open and of what each one's role still lacks.
The weights were fitted to 10 000 games that imagined players played out by habit, with and without
extra roles (cross-entropy 1.33 a game at the beginning, 1.15 at 7 o'clock, 0.54 at 12, where a blind
guess has 1.39), but for `dead`: too few die early to tell how little is left to them. They know no card or role by name, so they serve other sets, too.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from .habits import lacks
from .lore import SEATS
from .model import Position

__all__ = ["chances"]


class Weights(NamedTuple):
    """What counts at a time of the game."""

    star: float
    dead: float
    life: float
    start: float  # who holds the start marker, and so begins
    last: float  # whose place is the last in the order
    skill: float
    shown: float  # a role face up
    hope: float  # a first victory that may still come true
    lacking: float  # for each life, item, opening that it lacks
    ready: float  # it lacks nothing but the marker
    bare: float  # it rests on secrecy and the marker alone
    opener: float  # it asks for openings
    once: float  # it has one window left
    due_last: float  # ready, and decided at the end of this phase, in which this seat is the last
    due: float  # the same, but others come after it
    due_free: float  # the same, and it needs no marker


# fmt: off
_BY_HOUR: Final = (  # the last hour that they are for
    (4,  Weights(0.25, -2.0, 0.04, 0.12, 0.08, 0.07, -0.14, 0.54, -0.02, 0.54, -0.54, -0.14, -0.2, 0.0, 0.0, 0.0)),
    (6,  Weights(0.31, -1.8, 0.19, 0.16, 0.06, 0.23, 0.0, 1.39, -0.17, 0.48, -0.91, -0.33, -0.2, 0.0, 0.0, 0.0)),
    (8,  Weights(0.33, -1.5, 0.16, 0.43, 0.27, 0.19, 0.08, 1.77, -0.38, 0.5, -1.11, -0.32, -0.25, 0.3, 0.15, 0.9)),
    (10, Weights(0.39, -1.0, 0.11, 0.27, 0.0, 0.18, -0.31, 1.39, -0.33, 0.28, -0.94, -0.3, -0.1, 1.6, 0.8, 0.3)),
    (11, Weights(0.52, -0.45, 0.07, 0.46, 0.48, 0.13, -0.21, 1.4, -0.3, 0.75, -0.52, -0.64, -0.5, 1.45, -0.7, 0.3)),
    (12, Weights(0.79, -0.2, 0.04, 1.14, 0.39, 0.13, -0.06, 0.7, -0.41, 1.22, 0.0, -0.85, 0.7, 1.4, -1.4, 1.2)),
)
# fmt: on
WEIGHTS: Final = tuple(
    next(weights for last, weights in _BY_HOUR if hour <= last) for hour in range(13)
)


def chances(p: Position) -> list[float]:
    """Return each seat's chance to win, at the beginning of a phase."""
    hour = p.hour
    w = WEIGHTS[hour]
    roles = p.lore.roles
    sums = []
    for seat in SEATS:
        role = roles[p.role[seat]]
        total = w.star * (p.stock_stars[seat] + p.item_stars(seat) + role.stars)
        if not p.alive[seat]:
            sums.append(math.exp(total + w.dead))
            continue
        total += w.life * p.life[seat] + w.skill * len(p.skills[seat])
        if p.start == seat:
            total += w.start
        elif p.order[3] == seat:
            total += w.last
        shown = p.shown[seat]
        if shown:
            total += w.shown
        aim = role.aim
        left = aim.last - hour
        if left >= 0 and not (shown and aim.secret) and aim.opened - p.opened[seat] <= left + 1:
            lacking = lacks(p, seat, aim)
            if lacking:
                total += w.hope + w.lacking * lacking
            else:
                total += w.hope + w.ready
                if aim.hours[hour]:
                    if not aim.marker:
                        total += w.due_free
                    else:
                        total += w.due_last if p.order[3] == seat else w.due
            if aim.secret and not aim.needs:
                total += w.bare
            if aim.opened:
                total += w.opener
            if aim.windows[hour] == 1:
                total += w.once
        sums.append(math.exp(total))
    whole = sum(sums)
    return [part / whole for part in sums]
