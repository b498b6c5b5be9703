"""One position of odoriko with four seats, in the middle of the bids: what each seat is sent there."""

from __future__ import annotations

from typing import Any

from kaguraden_rules.catalogue import GAMES
from kaguraden_rules.kernel import Answer, SeatId
from kaguraden_rules.plain import to_plain
from kaguraden_server.streams import decision_to_wire

__all__ = ["GAME", "OPTIONS", "SEATS", "position", "updates"]

GAME = "odoriko"
SEATS = 4
# Bids may be raised 100 times, and no clock ends while they are.
OPTIONS = {"bid_max": 99, "choice_ms": 86_400_000}


def position() -> Any:
    """Return the position after each seat's first bid."""
    game = GAMES[GAME]
    options = game.parse_options({"bid_max": OPTIONS["bid_max"]})
    deck = game.check_deck(options, None)
    state = game.setup(options, SEATS, [deck] * SEATS, bytes(32)).state
    for bid in range(SEATS):
        decision = game.decisions(state)[SeatId(bid)]
        state = game.act(state, SeatId(bid), Answer(decision.id, "declare_bid", bid)).state
    return state


def updates() -> list[dict[str, Any]]:
    """Return the update of each seat there, as JSON values, of about 1.5 KB."""
    game, state = GAMES[GAME], position()
    decisions = game.decisions(state)
    clock = {"left_ms": 86_000_000, "total_ms": 86_400_000, "seat": None}
    return [
        {
            "type": "update",
            "room": "KAGU-7Q2F",
            "seq": 5,
            "full": False,
            "events": [{"kind": "bid_declared", "seat": 3, "value": 3}],
            "view": to_plain(game.view(state, seat)),
            "decisions": [decision_to_wire(decisions[seat])],
            "clock": [{**clock, "decision": decisions[seat].id}],
        }
        for seat in map(SeatId, range(SEATS))
    ]
