"""A table of yumeochi as the viewer sees it, read from a view that may hold anything.

Nothing here decides anything, and nothing is deduced: what the view does not say is not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from attrs import evolve, field, frozen

from ...reading import Json, as_dict, as_int, as_list, as_str, as_texts, dicts_in, has_int, ints_in
from ..text import clean

__all__ = ["HOURS", "MOST_LIFE", "Board", "Hour", "Own", "Seat", "board_of", "round_of"]

HOURS: Final = 12
MOST_LIFE: Final = 5  # YU-6, YU-62
_MOST_SEATS: Final = 12
_MOST: Final = 40  # cards of one list that are worth drawing


@frozen
class Seat:
    """What everybody sees in front of a seat (YU-106). `role` is "" while it is face down."""

    seat: int
    life: int = MOST_LIFE
    alive: bool = True
    role: str = ""
    skills_up: tuple[str, ...] = ()
    skills_down: int = 0
    items: tuple[str, ...] = ()
    stock: tuple[str, ...] = ()
    stars: int = 0
    opened: int = 0
    kills: int = 0
    role_uses: int = 0
    uses: tuple[str, ...] = ()
    skip: bool = False
    protected: bool = False


@frozen
class Hour:
    """A position of the clock; `card` is "" while it is face down (YU-13)."""

    position: int
    card: str = ""
    opener: int | None = None
    case: tuple[int, ...] = ()
    went: str = ""


@frozen
class Own:
    """What the viewer alone knows (YU-107)."""

    role: str = ""
    skills_down: tuple[str, ...] = ()
    locked: tuple[str, ...] = ()
    seen: tuple[Mapping[str, Json], ...] = ()

    def given_by(self, card: str) -> int | None:
        """Return the seat that a face-down card came from and that knows it, as last received."""
        for fact in reversed(self.seen):
            if fact.get("kind") == "received" and clean(as_str(fact.get("card"))) == card:
                return _seat(fact.get("giver"))
        return None

    def roles_seen(self) -> dict[int, str]:
        """Return the roles of others that were shown to the viewer alone."""
        found: dict[int, str] = {}
        for fact in self.seen:
            cards = _cards(fact.get("cards")) or _cards([fact.get("card")])
            if fact.get("what") == "role" and has_int(seat := fact.get("seat")) and cards:
                found[seat] = cards[0]
        return found


@frozen
class Board:
    """A view. `start` and `origin` are the markers' holders."""

    phase: str = ""
    turn: int | None = None
    asked: tuple[int, ...] = ()
    seats: tuple[Seat, ...] = ()
    game_no: int = 1
    pool: tuple[str, ...] = ()
    hour: int = 0
    order: tuple[int, ...] = ()
    acted: tuple[int, ...] = ()
    start: int | None = None
    origin: int | None = None
    used: tuple[str, ...] = ()
    locked: tuple[str, ...] = ()
    clock: tuple[Hour, ...] = ()
    discards: tuple[str, ...] = ()
    leftover: int = 0
    leftover_up: tuple[str, ...] = ()
    removed: int = 0
    removed_up: tuple[str, ...] = ()
    proposal: Mapping[str, Json] = field(factory=dict)
    proposals_left: int = 0
    action: Mapping[str, Json] = field(factory=dict)
    result: Mapping[str, Json] = field(factory=dict)
    revealed: Mapping[str, Json] = field(factory=dict)
    own: Own | None = None

    def at(self, seat: int | None) -> Seat | None:
        """Return a seat."""
        return next((s for s in self.seats if s.seat == seat), None)

    def hour_at(self, position: int) -> Hour:
        """Return a position of the clock."""
        return next((h for h in self.clock if h.position == position), Hour(position))

    @property
    def is_over(self) -> bool:
        """Whether the game has a result."""
        return bool(self.result)


def round_of(view: Mapping[str, Json]) -> int:
    """Return the number of the game: after a dream the cards are dealt anew (YU-88)."""
    return as_int(as_dict(view.get("table")).get("game_no"), 1)


def board_of(view: Mapping[str, Json]) -> Board:
    """Return the table of a view."""
    table = as_dict(view.get("table"))
    you = as_dict(view.get("you"))
    revealed = as_dict(table.get("revealed"))
    seats = (_read_seat(seat) for seat in dicts_in(view.get("seats"))[:_MOST_SEATS])
    return Board(
        phase=as_str(view.get("phase")),
        turn=_seat(view.get("turn")),
        asked=tuple(ints_in(view.get("asked"))),
        seats=tuple(_turned_up(seat, revealed) for seat in seats),
        game_no=round_of(view),
        pool=_cards(table.get("pool")),
        hour=as_int(table.get("hour")),
        order=tuple(ints_in(table.get("order"))),
        acted=tuple(ints_in(table.get("acted"))),
        start=_seat(table.get("start")),
        origin=_seat(table.get("origin")),
        used=_cards(table.get("used")),
        locked=_cards(table.get("locked")),
        clock=tuple(_read_hour(h) for h in dicts_in(table.get("clock"))[:HOURS]),
        discards=_cards(table.get("discards")),
        leftover=as_int(table.get("leftover")),
        leftover_up=_cards(table.get("leftover_up")),
        removed=as_int(table.get("removed")),
        removed_up=_cards(table.get("removed_up")),
        proposal=as_dict(table.get("proposal")),
        proposals_left=as_int(table.get("proposals_left")),
        action=as_dict(table.get("action")),
        result=as_dict(table.get("result")),
        revealed=revealed,
        own=_read_own(you) if you else None,
    )


def _seat(raw: Json) -> int | None:
    return raw if has_int(raw) else None


def _cards(raw: Json) -> tuple[str, ...]:
    return tuple(clean(card) for card in as_texts(raw)[:_MOST])


def _read_seat(told: Mapping[str, Json]) -> Seat:
    return Seat(
        seat=as_int(told.get("seat"), -1),
        life=as_int(told.get("life")),
        alive=told.get("alive") is not False,
        role=clean(as_str(told.get("role"))),
        skills_up=_cards(told.get("skills_up")),
        skills_down=as_int(told.get("skills_down")),
        items=_cards(told.get("items")),
        stock=_cards(told.get("stock")),
        stars=as_int(told.get("stars")),
        opened=as_int(told.get("opened")),
        kills=as_int(told.get("kills")),
        role_uses=as_int(told.get("role_uses")),
        uses=_cards(told.get("uses")),
        skip=told.get("skip") is True,
        protected=told.get("protected") is True,
    )


def _turned_up(seat: Seat, revealed: Mapping[str, Json]) -> Seat:
    """Return a seat with the cards that were shown at the end (YU-19)."""
    roles, skills = as_list(revealed.get("roles")), as_list(revealed.get("skills"))
    if 0 <= seat.seat < len(roles):
        seat = evolve(seat, role=clean(as_str(roles[seat.seat])))
    if 0 <= seat.seat < len(skills):
        seat = evolve(seat, skills_up=_cards(skills[seat.seat]), skills_down=0)
    return seat


def _read_hour(told: Mapping[str, Json]) -> Hour:
    return Hour(
        position=as_int(told.get("position")),
        card=clean(as_str(told.get("card"))),
        opener=_seat(told.get("opener")),
        case=tuple(ints_in(told.get("case"))),
        went=clean(as_str(told.get("went"))),
    )


def _read_own(you: Mapping[str, Json]) -> Own:
    return Own(
        role=clean(as_str(you.get("role"))),
        skills_down=_cards(you.get("skills_down")),
        locked=_cards(you.get("locked")),
        seen=tuple(dicts_in(you.get("seen"))),
    )
