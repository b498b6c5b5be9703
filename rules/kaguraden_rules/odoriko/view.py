"""What a viewer of odoriko may know (OD-178).

`look` builds it from the state, field by field, so a field that nobody names stays hidden: decks
are counts, hands of others are two numbers (OD-13, OD-56), and the cards that left the game are a
number (OD-19). `seats` and `table` are public and the same for everybody; `you` is the viewing seat's own.
Fields that are None are left out on the wire. Cards are named by their faces.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from attrs import define, evolve, frozen

from kaguraden_rules.kernel import CardId, Outcome, SeatId, Value, View, Viewer
from kaguraden_rules.odoriko.auction import payable
from kaguraden_rules.odoriko.ending import FINAL_COUNT
from kaguraden_rules.odoriko.events import Discarded, PriceKind, Target, WindowKind, ZoneName
from kaguraden_rules.odoriko.machine import asked_by
from kaguraden_rules.odoriko.order import free_places, playing
from kaguraden_rules.odoriko.refs import Field, face, faces
from kaguraden_rules.odoriko.state import (
    Bidding,
    Gain,
    Janken,
    Keeping,
    Lying,
    Over,
    Picking,
    Placing,
    Purpose,
    Sale,
    SaleStep,
    State,
    Turn,
    Use,
    UseStep,
    Window,
)
from kaguraden_rules.odoriko.windows import redirected_of, subject, takes_of, target_of
from kaguraden_rules.odoriko.words import PROMPTS
from kaguraden_rules.odoriko.zones import is_frozen, lying_resources, resource_backs, tree
from kaguraden_rules.wire import Natural, OneOf, Ordinal

__all__ = [
    "Answered",
    "AuctionView",
    "JankenView",
    "LyingView",
    "OdorikoView",
    "PickView",
    "PlacingView",
    "SeatView",
    "StackView",
    "TableView",
    "WindowView",
    "You",
    "look",
]


@frozen
class LyingView:
    """A card on a field, with its marks (OD-12)."""

    card: CardId
    fc: bool | None = None  # True: the seat's first character
    kept: bool | None = None  # True: kept at midway, so it does not count for the limit
    sheltered: bool | None = None  # True: K may not name it
    spent: bool | None = None  # True: its skill cannot be used again now


@frozen
class SeatView:
    """What everybody knows about a seat."""

    seat: SeatId
    vp: int
    rb: Natural  # resource-back cards in hand
    cb: Natural  # character-back cards in hand
    song: tuple[LyingView, ...]
    dance: tuple[LyingView, ...]
    song_tree: Natural
    dance_tree: Natural
    pile: tuple[CardId, ...]  # the oldest first
    resource_deck: Natural
    character_deck: Natural
    place: Ordinal | None = None  # in the turn order of this half, from 1
    fc_placed: bool | None = None  # True: has placed its first character (OD-62)
    frozen: tuple[ZoneName, ...] | None = None  # fields that no card may enter
    bid: Natural | None = None  # its declaration, while the order is decided
    locked: bool | None = None  # True: done declaring


@frozen
class StackView:
    """A card in use, between hand and pile; the last of the stack is carried out first.

    A skill in use has its character here, which lies on its field or has left it.
    """

    card: CardId
    seat: SeatId
    target: Target | None = None
    takes: Discarded | None = None
    cancelled: bool | None = None
    redirected: Target | None = None  # K: what it discards in place of its target
    skill: bool | None = None  # True: a character's skill
    shown: tuple[CardId, ...] | None = None  # cards off its user's decks that lie open


@frozen
class PickView:
    """A choice that the card in use leaves, as in `pick_opened`."""

    seat: SeatId
    card: CardId
    holders: bool | None = None


@frozen
class AuctionView:
    """The sale that is going on. `step`: "bidding", "payment", "receiving" or "unsold"."""

    seller: SeatId
    lot: tuple[CardId, ...]
    price_kind: PriceKind
    price: Ordinal
    step: Annotated[str, OneOf(SaleStep)]
    best: Natural | None = None
    leader: SeatId | None = None
    passed: tuple[SeatId, ...] | None = None  # where seats are polled: who is out for good


@frozen
class WindowView:
    """The reaction window that is open: what may be answered, as in `window_opened`."""

    window: Ordinal
    name: WindowKind
    round: Ordinal
    card: CardId | None = None
    seat: SeatId | None = None
    target: Target | None = None
    candidates: tuple[Discarded, ...] | None = None
    lot: tuple[CardId, ...] | None = None
    redirected: Target | None = None
    discarded: tuple[Discarded, ...] | None = None


@frozen
class JankenView:
    """The group that plays janken now, after so many draws in a row."""

    group: tuple[SeatId, ...]
    repeat: Natural


@frozen
class PlacingView:
    """The seats that still choose a place, the next one first, and the places that are free."""

    queue: tuple[SeatId, ...]
    free: tuple[Ordinal, ...]


@frozen
class TableView:
    """What everybody knows about the table."""

    half: Ordinal
    order: tuple[SeatId, ...]  # the turn order; empty before it is decided
    lying: Natural  # resource cards on all fields
    counted: (
        Natural  # what counts towards the end: those lying, or all that were put there (OD-124)
    )
    lying_end: Ordinal  # after midway the game ends when `counted` reaches this
    barren: Natural  # barren turns in a row (OD-128)
    removed: Natural
    stack: tuple[StackView, ...]
    turn_number: Ordinal | None = None  # in this half, from 1
    actions_left: Natural | None = None
    midway_after: Natural | None = (
        None  # turns left until midway, this one included, once it is due
    )
    auction: AuctionView | None = None
    window: WindowView | None = None
    picking: PickView | None = None
    janken: JankenView | None = None
    placing: PlacingView | None = None


@frozen
class Answered:
    """The viewer's own sealed answer, which nobody else sees before the rules show it."""

    kind: Annotated[str, OneOf(tuple(PROMPTS))]
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


# --- building it -----------------------------------------------------------------------------


def look(state: State, viewer: Viewer) -> OdorikoView:
    """Return what a viewer may know of a position: a seat, or None for a spectator."""
    public = _public.of(state)
    return public if viewer is None else evolve(public, you=_you(state, viewer))


@define
class _Memo:
    """The public view of the position that was looked at last.

    Whoever shows a position shows it to everybody at the table; what is public is made once.
    """

    last: tuple[State, OdorikoView] | None = None

    def of(self, state: State) -> OdorikoView:
        """Return the view of a spectator."""
        last = self.last
        if last is None or last[0] is not state:
            last = self.last = state, _look_in_public(state)
        return last[1]


_public = _Memo()


def _look_in_public(state: State) -> OdorikoView:
    stage = state.stage
    question = asked_by(state.top)
    return OdorikoView(
        game="odoriko",
        phase=_PHASES[type(stage)],
        seats=tuple(_seat(state, SeatId(seat)) for seat in range(len(state.seats))),
        table=_table(state),
        asked=() if question is None else question[1].seats,
        turn=stage.seat if isinstance(stage, Turn) else None,
        outcome=stage.outcome if isinstance(stage, Over) else None,
    )


_PHASES = {
    Bidding: "order",
    Janken: "order",
    Placing: "order",
    Turn: "turns",
    Keeping: "midway",
    Over: "over",
}


def _seat(state: State, number: SeatId) -> SeatView:
    seat, stage = state.seats[number], state.stage
    rb = resource_backs(seat)
    bidding = stage if isinstance(stage, Bidding) else None
    turn = stage.number if isinstance(stage, Turn) else None
    return SeatView(
        seat=number,
        vp=seat.vp,
        rb=rb,
        cb=len(seat.hand) - rb,
        song=_lying(seat.song, turn),
        dance=_lying(seat.dance, turn),
        song_tree=tree(seat.song),
        dance_tree=tree(seat.dance),
        pile=faces(seat.pile),
        resource_deck=len(seat.resource_deck),
        character_deck=len(seat.character_deck),
        place=seat.place,
        fc_placed=seat.fc_placed or None,
        frozen=tuple(zone.value for zone in Field if is_frozen(seat, zone)) or None,
        bid=bidding.bids[number] if bidding else None,
        locked=(bidding.locked[number] or None) if bidding else None,
    )


def _lying(lies: tuple[Lying, ...], turn: int | None) -> tuple[LyingView, ...]:
    return tuple(
        LyingView(
            face(y.card),
            y.fc or None,
            y.kept or None,
            bool(y.sheltered) or None,
            (y.spent is not None and turn is not None and turn <= y.spent) or None,
        )
        for y in lies
    )


def _table(state: State) -> TableView:
    stage = state.stage
    lying = lying_resources(state.seats)
    turn = stage if isinstance(stage, Turn) else None
    until_midway = None
    if turn and state.midway_due is not None:
        until_midway = state.midway_due - turn.number + 1
    return TableView(
        half=state.half,
        order=state.order,
        lying=lying,
        counted=state.placed if state.options.final_count == "placed" else lying,
        lying_end=FINAL_COUNT,
        barren=state.barren,
        removed=len(state.removed),
        stack=tuple(_stack(state)),
        turn_number=turn.number if turn else None,
        actions_left=turn.actions_left if turn else None,
        midway_after=until_midway,
        auction=next((_auction(f) for f in state.stack if isinstance(f, Sale)), None),
        window=_window(state),
        picking=_picking(state),
        janken=_janken(stage) if isinstance(stage, Janken) else None,
        placing=_placing(state, stage) if isinstance(stage, Placing) else None,
    )


def _stack(state: State) -> Iterator[StackView]:
    for frame in state.stack:
        if isinstance(frame, Use) and frame.step is not UseStep.TRIGGERS:
            yield StackView(
                face(frame.card),
                frame.seat,
                target_of(frame),
                takes_of(frame),
                frame.cancelled or None,
                redirected_of(frame),
                frame.does is Purpose.SKILL or None,
                faces(frame.shown) or None,
            )


def _auction(sale: Sale) -> AuctionView:
    return AuctionView(
        seller=sale.seller,
        lot=faces(sale.lot),
        price_kind=sale.price_kind,
        price=sale.price,
        step=sale.step.value,
        best=sale.best,
        leader=sale.leader,
        passed=sale.passed or None,
    )


def _window(state: State) -> WindowView | None:
    """Show the window on top; one whose answer is being carried out waits below."""
    top = state.top
    if not isinstance(top, Window):
        return None
    about = subject(state.seats, state.options, top.name, state.stack[-2])
    return WindowView(top.number, top.name.value, top.round, **about.parts())


def _picking(state: State) -> PickView | None:
    top = state.top
    if not isinstance(top, Picking):
        return None
    use = state.stack[-2]
    if not isinstance(use, Use):
        raise TypeError("a choice without a card in use")
    return PickView(use.seat, face(use.card), top.holders or None)


def _janken(janken: Janken) -> JankenView | None:
    group = playing(janken)
    return JankenView(group, janken.repeat) if group else None


def _sealed_kind(top: Janken | Keeping | Window | Gain | Picking) -> str:
    match top:
        case Janken():
            return "janken"
        case Keeping():
            return "keep"
        case Window():
            return top.name.value
        case Gain():
            return "order_gain"
        case Picking():
            return "holder_pick"


def _placing(state: State, placing: Placing) -> PlacingView:
    return PlacingView(placing.queue, free_places(state.seats))


def _you(state: State, viewer: SeatId) -> You:
    seat = state.seats[viewer]
    top = state.top
    payable_number = done = incoming = answered = None
    if isinstance(top, Sale) and top.step is SaleStep.BIDDING and viewer in top.asked:
        payable_number = len(payable(top, seat.hand))
        done = viewer in top.done or None
    if isinstance(top, Gain):
        incoming = next((faces(t.cards) for t in top.takers if t.seat == viewer), None)
    if isinstance(top, Janken | Keeping | Window | Gain | Picking):
        own = next((answer for answer in top.answers if answer.seat == viewer), None)
        if own is not None and own.option is not None:
            answered = Answered(_sealed_kind(top), own.option.id, own.value)
    return You(
        hand=faces(seat.hand),
        deck=seat.supplied,
        answered=answered,
        payable=payable_number,
        done=done,
        incoming=incoming,
    )
