"""What a viewer of odoriko may know (OD-178).

`view` builds it from the state, field by field, so a field that nobody names stays hidden: decks
are counts, hands of others are two numbers (OD-13), and the cards that left the game are a number
(OD-19). `seats` and `table` are public and the same for everybody; `you` is the viewing seat's own.
Fields that are None are left out on the wire. Cards are named by their faces.
"""

from __future__ import annotations

from attrs import frozen

from kaguraden_rules.kernel import CardId, Outcome, SeatId, Value, View
from kaguraden_rules.odoriko.events import Discarded, Target

__all__ = [
    "Answered",
    "AuctionView",
    "JankenView",
    "LyingView",
    "OdorikoView",
    "PlacingView",
    "SeatView",
    "StackView",
    "TableView",
    "WindowView",
    "You",
]


@frozen
class LyingView:
    """A card on a field, with its marks (OD-12)."""

    card: CardId
    fc: bool | None = None  # True: the seat's first character
    kept: bool | None = None  # True: kept at midway, so it does not count for the limit
    sheltered: bool | None = None  # True: K may not name it


@frozen
class SeatView:
    """What everybody knows about a seat."""

    seat: SeatId
    vp: int
    rb: int  # resource-back cards in hand
    cb: int  # character-back cards in hand
    song: tuple[LyingView, ...]
    dance: tuple[LyingView, ...]
    song_tree: int
    dance_tree: int
    pile: tuple[CardId, ...]  # the oldest first
    resource_deck: int
    character_deck: int
    place: int | None = None  # in the turn order of this half, from 1
    fc_placed: bool | None = None  # True: has placed its first character (OD-62)
    frozen: tuple[str, ...] | None = None  # fields that no card may enter
    bid: int | None = None  # its declaration, while the order is decided
    locked: bool | None = None  # True: done declaring


@frozen
class StackView:
    """A card in use, between hand and pile; the last of the stack is carried out first."""

    card: CardId
    seat: SeatId
    target: Target | None = None
    takes: Discarded | None = None
    cancelled: bool | None = None


@frozen
class AuctionView:
    """The sale that is going on. `step`: "bidding", "payment", "receiving" or "unsold"."""

    seller: SeatId
    lot: tuple[CardId, ...]
    price_kind: str  # "resource", "special" or "either"
    price: int
    step: str
    best: int | None = None
    leader: SeatId | None = None
    passed: tuple[SeatId, ...] | None = None  # where seats are polled: who is out for good


@frozen
class WindowView:
    """The reaction window that is open: what may be answered, as in `window_opened`."""

    window: int
    name: str
    round: int
    card: CardId | None = None
    seat: SeatId | None = None
    target: Target | None = None
    candidates: tuple[Discarded, ...] | None = None
    lot: tuple[CardId, ...] | None = None


@frozen
class JankenView:
    """The group that plays janken now, after so many draws in a row."""

    group: tuple[SeatId, ...]
    repeat: int


@frozen
class PlacingView:
    """The seats that still choose a place, the next one first, and the places that are free."""

    queue: tuple[SeatId, ...]
    free: tuple[int, ...]


@frozen
class TableView:
    """What everybody knows about the table."""

    half: int
    order: tuple[SeatId, ...]  # the turn order; empty before it is decided
    lying: int  # resource cards on all fields
    counted: int  # what counts towards the end: those lying, or all that were put there (OD-124)
    lying_end: int  # after midway the game ends when `counted` reaches this
    barren: int  # barren turns in a row (OD-128)
    removed: int
    stack: tuple[StackView, ...]
    turn_number: int | None = None  # in this half, from 1
    actions_left: int | None = None
    midway_after: int | None = None  # turns left until midway, this one included, once it is due
    auction: AuctionView | None = None
    window: WindowView | None = None
    janken: JankenView | None = None
    placing: PlacingView | None = None


@frozen
class Answered:
    """The viewer's own sealed answer, which nobody else sees before the rules show it."""

    kind: str
    option: str
    value: Value = None


@frozen
class You:
    """What only the viewing seat knows."""

    hand: tuple[CardId, ...]
    deck: tuple[CardId, ...]  # the twelve cards it supplied, sorted: their order is unknown
    answered: Answered | None = None
    payable: int | None = None  # in an auction that asks it: the highest number it can pay
    done: bool | None = None  # True: it said `done` in the auction
    incoming: tuple[CardId, ...] | None = None  # received, while it chooses which stay


@frozen
class OdorikoView(View):
    """The view of odoriko. `phase`: "order", "turns", "midway" or "over" (OD-96)."""

    game: str
    phase: str
    seats: tuple[SeatView, ...]
    table: TableView
    asked: tuple[SeatId, ...]
    turn: SeatId | None = None
    you: You | None = None
    outcome: Outcome | None = None
