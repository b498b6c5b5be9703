"""The deal (YU-3, YU-4, YU-5, YU-6, YU-7, YU-8, YU-88).

The numbers of the entropy stream are used in this order (YU-11, YU-113), so that anybody can deal a game
again: the pool of roles, in set order, is shuffled, and the first four go to the seats 0 to 3; the
six skills, in set order, likewise, and the other two are the leftover; the twelve time cards, in set
order, are shuffled and lie at the positions 1 to 12; the first holder is picked among the seats, by
the next number of the stream, when nobody names one.

The stream of the first game of a match has the entropy of the match as its key; that of game N has
the HMAC-SHA-256 of `yumeochi game N` under it (YU-114).
"""

from __future__ import annotations

import hmac

from kaguraden_rules.entropy import Entropy
from kaguraden_rules.kernel import CardId, SeatId
from kaguraden_rules.yumeochi import events as e
from kaguraden_rules.yumeochi.options import Options, format_options
from kaguraden_rules.yumeochi.state import (
    LIFE,
    SEATS,
    FirstHolder,
    Held,
    Phase,
    Place,
    Seat,
    State,
)
from kaguraden_rules.yumeochi.table import EVERYBODY, Table

__all__ = ["deal", "draw_first_holder"]


def deal(options: Options, key: bytes, game_no: int = 1) -> Table:
    """Return a table with everything dealt, before the first holder has the markers.

    Args:
        options: The room's.
        key: The 32 bytes of the match.
        game_no: Which game of the match it is, from 1.
    """
    cards = options.cards
    entropy = _stream(key, game_no)
    roles, entropy = entropy.shuffle([role.id for role in options.pool])
    skills, entropy = entropy.shuffle([skill.id for skill in cards.skills])
    times, entropy = entropy.shuffle([time.id for time in cards.times])
    undealt = tuple(role.id for role in options.pool if role.id in roles[SEATS:])
    seats = tuple(Seat(roles[seat], (Held(skills[seat]),)) for seat in EVERYBODY)
    state = State(
        options=options,
        key=key,
        entropy=entropy,
        seats=seats,
        clock=tuple(map(Place, times)),
        leftover=(),
        undealt=undealt,
        stage=FirstHolder(),
        phase=Phase.FIRST_HOLDER,
        game_no=game_no,
    )
    table = Table.lay(state)
    table.leftover = table.in_set_order(map(Held, skills[SEATS:]))
    if options.first_holder == "random":
        draw_first_holder(table)
    _tell(table)
    return table


def _stream(key: bytes, game_no: int) -> Entropy:
    if game_no == 1:
        return Entropy(key)
    return Entropy(hmac.digest(key, f"yumeochi game {game_no}".encode(), "sha256"))


def draw_first_holder(table: Table) -> SeatId:
    """Give both markers to a seat drawn at random (YU-9, YU-10)."""
    drawn, table.entropy = table.entropy.pick(SEATS)
    table.start = table.origin = SeatId(drawn)
    return SeatId(drawn)


def _tell(table: Table) -> None:
    options, hour = table.options, table.hour
    table.tell(
        e.GameStarted(
            hour,
            table.game_no,
            set=options.cards.id,
            digest=options.cards.digest,
            options=format_options(options),
            pool=tuple(CardId(role.id) for role in options.pool),
            holder=table.start,
        )
    )
    for number in EVERYBODY:
        seat = table.seats[number]
        held = seat.skills[0].card
        table.tell(e.Dealt(hour, number, 1, 1, LIFE, role=seat.role, skill=held))
