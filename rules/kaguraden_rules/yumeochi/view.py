"""What a viewer of yumeochi may know (YU-106 to YU-108).

`look` builds it from the state, field by field, so a field that nobody names stays hidden. `seats`
and `table` are public and the same for everybody: face-down cards are numbers (YU-13, YU-16), stars
are those that everybody can count (YU-18), and lists of cards are in an order that hidden cards have
no part in. `you` is the viewing seat's own. Fields that are None are left out on the wire (YU-110).
"""

from __future__ import annotations

from typing import Annotated, Literal

from attrs import define, evolve, frozen

from kaguraden_rules.kernel import CardId, SeatId, Text, View, Viewer
from kaguraden_rules.wire import Natural, OneOf, Ordinal
from kaguraden_rules.yumeochi.card import CardSet
from kaguraden_rules.yumeochi.counting import public_stars
from kaguraden_rules.yumeochi.revealing import Revealed, reveal
from kaguraden_rules.yumeochi.state import (
    Hour,
    Over,
    Phase,
    Place,
    Position,
    Result,
    Seen,
    Source,
    State,
    Turn,
    face_up,
)
from kaguraden_rules.yumeochi.table import EVERYBODY
from kaguraden_rules.yumeochi.victory import outcome_of

__all__ = [
    "ActionView",
    "PlaceView",
    "ProposalView",
    "SeatView",
    "SetView",
    "TableView",
    "You",
    "YumeochiView",
    "look",
]


@frozen
class SeatView:
    """What everybody knows about a seat."""

    seat: SeatId
    life: Natural
    alive: bool
    skills_up: tuple[CardId, ...]
    skills_down: Natural
    items: tuple[CardId, ...]
    stock: tuple[CardId, ...]
    stars: int
    opened: Natural
    kills: Natural
    role_uses: Natural
    uses: tuple[
        CardId, ...
    ]  # the cards it has used, in order; by its role for an additional action
    skip: bool
    protected: bool
    role: CardId | None = None  # if it lies face up


@frozen
class SetView:
    """The card set; who keeps cards tells by the digest whether they are still these (YU-99)."""

    id: str
    version: Ordinal
    digest: str
    name: Text


@frozen
class PlaceView:
    """A position of the clock; all but its number only of an opened card."""

    position: Position
    card: CardId | None = None
    opener: SeatId | None = None
    case: tuple[Hour, ...] | None = None  # the hours of the contents that applied (YU-49)
    went: Literal["stock", "item", "discard"] | None = None  # None while it is carried out


@frozen
class ProposalView:
    """An exchange that waits for consent; the card if it lies face up (YU-43)."""

    seat: SeatId
    target: SeatId
    card: CardId | None = None


@frozen
class ActionView:
    """What is being carried out while a question on the way to it is open.

    `action` is that of the turn, or "trigger" of an item at the stroke of an hour. The other fields
    are its picks, as in `action_taken`.
    """

    seat: SeatId
    action: Annotated[
        str, OneOf(("open", "use", "take", "give", "exchange", "role_action", "pass", "trigger"))
    ]
    card: CardId | None = None
    target: SeatId | None = None
    item: CardId | None = None
    own_item: CardId | None = None
    role: CardId | None = None
    position: Position | None = None
    position2: Position | None = None
    skill: CardId | None = None  # if it lies face up
    target_skill: str | None = None


@frozen
class TableView:
    """What everybody knows about the table."""

    game_no: Ordinal
    set: SetView
    pool: tuple[CardId, ...]
    hour: Hour
    order: tuple[SeatId, ...]  # of this phase
    acted: tuple[SeatId, ...]  # whose place in it is over
    used: tuple[CardId, ...]  # skills used in this phase (YU-35)
    locked: tuple[CardId, ...]  # face-up skills not to be used before the next phase (YU-60)
    clock: tuple[PlaceView, ...]
    discards: tuple[CardId, ...]  # the oldest first
    leftover: Natural
    leftover_up: tuple[CardId, ...]  # those of it that lie face up
    removed: Natural  # skills of the dead
    removed_up: tuple[CardId, ...]  # those of them that everybody has seen
    start: SeatId | None = None
    origin: SeatId | None = None
    proposal: ProposalView | None = None
    proposals_left: Natural | None = None  # in a turn
    action: ActionView | None = None
    result: Result | None = None
    revealed: Revealed | None = None


@frozen
class You:
    """What only the viewing seat knows (YU-107)."""

    role: CardId
    skills_down: tuple[CardId, ...]
    locked: tuple[CardId, ...]  # those of them not to be used before the next phase
    seen: tuple[Seen, ...]  # what it alone was shown, the oldest first


@frozen(kw_only=True)
class YumeochiView(View):
    """A view of yumeochi. `phase` is what is asked now, in the words of §10."""

    seats: tuple[SeatView, ...]
    table: TableView
    you: You | None = None


# --- building it -----------------------------------------------------------------------------


def look(state: State, viewer: Viewer) -> YumeochiView:
    """Return what a viewer may know of a position: a seat, or None for a spectator (YU-108)."""
    public = _public.of(state)
    return public if viewer is None else evolve(public, you=_you(state, viewer))


@define
class _Memo:
    """The public view of the position that was looked at last.

    Whoever shows a position shows it to everybody at the table; what is public is made once.
    """

    last: tuple[State, YumeochiView] | None = None

    def of(self, state: State) -> YumeochiView:
        """Return the view of a spectator."""
        last = self.last
        if last is None or last[0] is not state:
            last = self.last = state, _look_in_public(state)
        return last[1]


_public = _Memo()


def _look_in_public(state: State) -> YumeochiView:
    stage = state.stage
    return YumeochiView(
        game="yumeochi",
        phase=state.phase.value,
        seats=tuple(_seat(state, seat) for seat in EVERYBODY),
        table=_table(state),
        asked=_asked(state),
        turn=stage.seat if isinstance(stage, Turn) else None,
        outcome=outcome_of(stage.result) if isinstance(stage, Over) else None,
    )


def _asked(state: State) -> tuple[SeatId, ...]:
    """Return who is asked; who has answered for a rematch is not told before all have (DP-7)."""
    if state.phase is Phase.REMATCH:
        return EVERYBODY
    return tuple(seat for seat, _ in state.decisions)


def _seat(state: State, number: SeatId) -> SeatView:
    seat = state.seats[number]
    return SeatView(
        seat=number,
        life=seat.life,
        alive=seat.alive,
        skills_up=seat.skills_up,
        skills_down=len(seat.skills_down),
        items=seat.items,
        stock=seat.stock,
        stars=public_stars(state.options.cards, seat),
        opened=seat.opened,
        kills=seat.kills,
        role_uses=seat.role_uses,
        uses=seat.uses,
        skip=seat.skip,
        protected=seat.protected,
        role=seat.role if seat.role_up else None,
    )


def _table(state: State) -> TableView:
    stage = state.stage
    turn = stage if isinstance(stage, Turn) else None
    result = state.result
    up = [card for seat in state.seats for card in seat.skills_up]
    return TableView(
        game_no=state.game_no,
        set=_set(state.options.cards),
        pool=tuple(role.id for role in state.options.pool),
        hour=state.hour,
        order=state.order,
        acted=state.order[: state.place],
        used=state.used,
        locked=tuple(
            s.id for s in state.options.cards.skills if s.id in state.locked and s.id in up
        ),
        clock=tuple(_place(number, place) for number, place in enumerate(state.clock, 1)),
        discards=state.discards,
        leftover=len(state.leftover),
        leftover_up=face_up(state.leftover),
        removed=len(state.removed),
        removed_up=face_up(state.removed),
        start=state.start,
        origin=state.origin,
        proposal=None if turn is None else _proposal(state, turn),
        proposals_left=None if turn is None else _proposals_left(state, turn),
        action=_action(state),
        result=result,
        revealed=None if result is None else reveal(state),
    )


def _set(cards: CardSet) -> SetView:
    return SetView(cards.id, cards.version, cards.digest, cards.name)


def _place(number: int, place: Place) -> PlaceView:
    if place.is_down:
        return PlaceView(number)
    return PlaceView(number, place.card, place.opener, place.case, place.went)


def _proposal(state: State, turn: Turn) -> ProposalView | None:
    proposal = turn.proposal
    if proposal is None:
        return None
    is_up = proposal.card in state.seats[turn.seat].skills_up
    return ProposalView(turn.seat, proposal.target, proposal.card if is_up else None)


def _proposals_left(state: State, turn: Turn) -> int:
    made = len(turn.tried) + (turn.proposal is not None)
    return max(0, state.options.exchange_proposals - made)


def _action(state: State) -> ActionView | None:
    """Show what set going that which is on the way, by the ability at the bottom of the stack."""
    if not state.stack:
        return None
    bottom = state.stack[0]
    if bottom.source is Source.TRIGGER:
        return ActionView(bottom.actor, "trigger", bottom.card)
    turn = state.stage
    if not isinstance(turn, Turn) or turn.action is None:
        raise TypeError("an ability on the way that no action set going")
    action, picks = turn.action, turn.action.picks
    is_up = picks.skill in state.seats[turn.seat].skills_up
    return ActionView(
        seat=turn.seat,
        action=action.action,
        card=action.card,
        target=picks.seat,
        item=picks.item,
        own_item=picks.own_item,
        role=picks.role,
        position=picks.position,
        position2=picks.position2,
        skill=picks.skill if is_up else None,
        target_skill=picks.target_skill,
    )


def _you(state: State, viewer: SeatId) -> You:
    seat = state.seats[viewer]
    down = seat.skills_down
    return You(
        role=seat.role,
        skills_down=down,
        locked=tuple(card for card in down if card in state.locked),
        seen=seat.seen,
    )
