"""Reading a position from what a seat sees, and moves from the options it is offered.

What the seat does not see stays open: `Sight` holds what may be there, and `imagine` fills a
position with one of the possibilities. Views of other versions may lack or hold anything; what makes
no sense is a `ValueError` here, and the player then does without the model.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from kaguraden_protocol.messages import Option

from ...reading import as_dict, as_int, as_list, as_str, as_texts, dicts_in, has_int, ints_in
from ..policy import Catalog
from .lore import FULL_LIFE, SEATS, Ability, Lore, Move, read_lore
from .model import Judge, Position, Ways

__all__ = ["Reader", "Sight", "action_of", "move_of", "ways_of"]

MAX_LORES: Final = 8
FACE_DOWN: Final = "face_down"


class Sight:
    """What a seat sees.

    Attributes:
        position: Of what lies open; hidden roles, skills and time cards are missing in it.
        places: The face-down time cards that this seat has seen, by position.
        times: All other face-down time cards, in no order.
        held: The face-down skills that this seat has seen, by who holds them; 4 is the leftover.
        down: How many face-down skills each seat has; 4 is the leftover, 5 those of the dead.
        skills: All other face-down skills, in no order.
        roles: The face-down roles that this seat has seen, by whose they are.
    """

    __slots__ = ("down", "held", "me", "places", "position", "roles", "skills", "times")

    def __init__(self, position: Position, me: int) -> None:
        self.position = position
        self.me = me
        self.places: dict[int, int] = {}
        self.times: list[int] = []
        self.held: list[list[int]] = [[] for _ in range(5)]
        self.down = [0] * 6
        self.skills: list[int] = []
        self.roles: dict[int, int] = {}

    def imagine(self, rng: random.Random, roles: Sequence[int]) -> Position:
        """Return a position in which what is hidden is drawn; the roles are given."""
        p = self.position.copy()
        p.role = list(roles)
        times = self.times[:]
        rng.shuffle(times)
        for hour in range(1, 13):
            if p.down[hour]:
                place = self.places.get(hour)
                p.clock[hour] = times.pop() if place is None else place
        skills = self.skills[:]
        rng.shuffle(skills)
        for seat in SEATS:
            if seat != self.me and self.down[seat]:
                missing = self.down[seat] - len(self.held[seat])
                drawn = tuple(skills.pop() for _ in range(missing))
                p.skills[seat] += (*self.held[seat], *drawn)
        missing = self.down[4] - len(self.held[4])
        p.leftover += (*self.held[4], *(skills.pop() for _ in range(missing)))
        return p


class Reader:
    """Reads positions; knows the sets of cards that it has met."""

    def __init__(self) -> None:
        self._lores: dict[tuple[object, ...], tuple[Catalog, Lore]] = {}

    def lore(self, view: Mapping[str, Any], catalog: Catalog) -> Lore:
        """Return the cards that are played with.

        Raises:
            ValueError: The catalog is not that of this table.
        """
        table = as_dict(view.get("table"))
        pool = as_texts(table.get("pool"))
        key = (as_str(as_dict(table.get("set")).get("digest")), *pool)
        known = self._lores.get(key)
        if known is not None and known[0] is catalog:
            return known[1]
        lore = read_lore(pool, catalog)
        if len(self._lores) >= MAX_LORES:
            self._lores.clear()
        self._lores[key] = (catalog, lore)
        return lore

    def sight(
        self,
        view: Mapping[str, Any],
        me: int,
        lore: Lore,
        judge: Judge,
        events: Iterable[Mapping[str, Any]] = (),
        ways: Ways | None = None,
    ) -> Sight:
        """Return what the seat sees.

        Raises:
            ValueError: The view is not that of a seat in a game.
        """
        try:
            sight = Sight(Position(lore, ways or Ways(), judge), me)
            _read_table(sight.position, view["table"], lore)
            for seat in view["seats"]:
                _read_seat(sight.position, seat, lore)
            _read_own(sight, view, lore, events)
            if has_int(view.get("turn")):
                sight.position.at += 1  # whose turn it is has its place behind it
            elif sight.position.at >= 4:
                _begin_phase(sight.position)
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise ValueError(f"no game of yumeochi: {error!r}") from error
        return sight


def ways_of(events: Iterable[Mapping[str, Any]]) -> Ways:
    """Return the room's options as the start of the game told them, else the default ones."""
    for event in events:
        if event.get("kind") == "game_started":
            options = as_dict(event.get("options"))
            return Ways(
                options.get("rabbit_price") == "figurine_and_skill",
                options.get("dying_opener") == "keep",
                options.get("all_dead") == "dream",
                options.get("last_survivor") == "wins",
                options.get("simultaneous_win") == "origin_first",
                options.get("card_count") == "starred",
            )
    return Ways()


def _begin_phase(p: Position) -> None:
    """At the stroke of an hour: the order is still that of the phase that ended."""
    first, second, third, fourth = ((p.origin + step) % 4 for step in SEATS)
    p.order, p.at = (first, second, third, fourth), 0


def _read_table(p: Position, table: Mapping[str, Any], lore: Lore) -> None:
    p.hour = int(table["hour"])
    if not 1 <= p.hour <= 12:
        raise ValueError("no hour")
    order = ints_in(table["order"])
    if sorted(order) != list(SEATS):
        raise ValueError("no order of four")
    p.order = (order[0], order[1], order[2], order[3])
    p.at = min(4, len(as_list(table.get("acted"))))
    p.start = as_int(table.get("start"), -1)
    p.origin = as_int(table.get("origin"), -1)
    for place in dicts_in(table["clock"]):
        position = as_int(place.get("position"))
        card = place.get("card")
        p.down[position] = card is None
        p.clock[position] = -1 if card is None else lore.time_number[as_str(card)]
    p.used = _bits(table.get("used"), lore)
    p.locked = _bits(table.get("locked"), lore)
    p.leftover = tuple(lore.skill_number[card] for card in as_texts(table.get("leftover_up")))


def _read_seat(p: Position, seat: Mapping[str, Any], lore: Lore) -> None:
    number = int(seat["seat"])
    p.life[number] = int(seat["life"])
    p.alive[number] = bool(seat["alive"])
    role = seat.get("role")
    p.shown[number] = role is not None
    p.role[number] = -1 if role is None else lore.role_number[role]
    p.skills[number] = tuple(lore.skill_number[card] for card in seat["skills_up"])
    p.ups |= _bits(seat["skills_up"], lore)
    p.items[number] = tuple(lore.time_number[card] for card in seat["items"])
    stock = [lore.times[lore.time_number[card]] for card in seat["stock"]]
    p.stock[number] = len(stock)
    p.stock_stars[number] = sum(card.stars for card in stock)
    p.opened[number] = int(seat["opened"])
    p.kills[number] = int(seat["kills"])
    p.uses[number] = int(seat["role_uses"])
    p.skip[number] = bool(seat["skip"])
    p.protected[number] = bool(seat["protected"])
    if not 0 <= p.life[number] <= FULL_LIFE:
        raise ValueError("no life that a seat can have")


def _read_own(
    sight: Sight, view: Mapping[str, Any], lore: Lore, events: Iterable[Mapping[str, Any]]
) -> None:
    p, me, you = sight.position, sight.me, view["you"]
    table, seats = view["table"], view["seats"]
    p.role[me] = lore.role_number[you["role"]]
    p.skills[me] += tuple(lore.skill_number[card] for card in you["skills_down"])
    p.locked |= _bits(you.get("locked"), lore)
    for seat in SEATS:
        if seat != me:
            sight.down[seat] = as_int(seats[seat]["skills_down"])
    removed_up = as_texts(table.get("removed_up"))
    sight.down[4] = as_int(table["leftover"]) - len(p.leftover)
    sight.down[5] = as_int(table["removed"]) - len(removed_up)
    gone = {lore.skill_number[card] for card in removed_up}
    gone.update(p.leftover, *p.skills)
    hidden = [skill.number for skill in lore.skills if skill.number not in gone]
    _recall(sight, you, lore, events, set(hidden))
    sight.skills = [s for s in hidden if not any(s in held for held in sight.held)]
    opened = {card for card in p.clock if card >= 0}
    sight.times = [
        time.number
        for time in lore.times
        if time.number not in opened and time.number not in sight.places.values()
    ]
    if len(sight.times) + len(sight.places) != sum(p.down):
        raise ValueError("another number of cards than there is")
    missing = sum(sight.down) - sum(len(held) for held in sight.held)
    if len(sight.skills) != missing:
        raise ValueError("another number of skills than there is")


def _recall(
    sight: Sight,
    you: Mapping[str, Any],
    lore: Lore,
    events: Iterable[Mapping[str, Any]],
    hidden: set[int],
) -> None:
    """Take in what this seat alone was shown, as far as it still lies where it was."""
    p = sight.position
    where: dict[int, int] = {}
    for seen in dicts_in(you.get("seen")):
        what, seat = seen.get("what"), seen.get("seat")
        match seen.get("kind"), what:
            case "peeked", "time":
                sight.places[as_int(seen.get("position"))] = lore.time_number[as_str(seen["card"])]
            case "peeked", "role" if has_int(seat):
                for card in as_texts(seen.get("cards")):
                    sight.roles[seat] = lore.role_number[card]
            case "peeked", "skill" if has_int(seat):
                for card in as_texts(seen.get("cards")):
                    where[lore.skill_number[card]] = seat
            case "peeked", "leftover":
                for card in as_texts(seen.get("cards")):
                    where[lore.skill_number[card]] = 4
            case "received", _:
                giver = seen.get("giver")
                where[lore.skill_number[as_str(seen["gave"])]] = giver if has_int(giver) else 4
            case _:
                pass
    for event in events:
        if event.get("kind") == "time_cards_swapped":
            first, second = as_int(event.get("position")), as_int(event.get("position2"))
            places = sight.places
            moved = {second: places.pop(first, None), first: places.pop(second, None)}
            places.update({at: card for at, card in moved.items() if card is not None})
    opened = {card for card in p.clock if card >= 0}
    sight.places = {
        position: number
        for position, number in sight.places.items()
        if p.down[position] and number not in opened
    }
    for skill, holder in where.items():
        if skill in hidden and len(sight.held[holder]) < sight.down[holder]:
            sight.held[holder].append(skill)


def _bits(cards: object, lore: Lore) -> int:
    return sum(1 << lore.skill_number[card] for card in as_texts(cards))


# --- options -------------------------------------------------------------------------------------


def move_of(option: Option, lore: Lore) -> Move | None:
    """Return an option of a turn as a move; None for a kind that this version does not know.

    Raises:
        ValueError: It names a card that is not there.
    """
    args = option.args
    try:
        match option.kind:
            case "open" | "take" | "pass":
                return Move(option.kind)
            case "give":
                card = lore.time_number[as_str(args["card"])]
                return Move("give", card, as_int(args["seat"]))
            case "exchange":
                own = lore.skill_number[as_str(args["card"])]
                return Move("exchange", seat=as_int(args["seat"]), skill=own)
            case "action":
                return _picked("action", -1, args, lore)
            case "use":
                name = as_str(args["card"])
                if name in lore.skill_number:
                    return _picked("skill", lore.skill_number[name], args, lore)
                return _picked("item", lore.time_number[name], args, lore)
            case _:
                return None
    except (KeyError, TypeError) as error:
        raise ValueError(f"no option of a turn: {option.id}") from error


def action_of(view: Mapping[str, Any], p: Position) -> tuple[Ability | None, Move]:
    """Return what is being carried out while a question on the way to it is open, and its picks.

    Where a card that was opened on the way asks, it is that card's.
    """
    lore = p.lore
    action = as_dict(as_dict(view.get("table")).get("action"))
    card = as_str(action.get("card"))
    target = as_int(action.get("target"), -1)
    args = {key: value for key, value in action.items() if key not in ("card", "skill")}
    move = _picked("", -1, args, lore)._replace(seat=target)
    ability: Ability | None = None
    if action.get("action") == "role_action":
        ability = lore.roles[p.role[as_int(action.get("seat"))]].action
    elif card in lore.skill_number:
        ability = lore.skills[lore.skill_number[card]].ability
    elif card in lore.time_number:
        ability = lore.times[lore.time_number[card]].use
    for place in dicts_in(as_dict(view.get("table")).get("clock")):
        if "card" in place and "went" not in place:
            return lore.times[lore.time_number[as_str(place["card"])]].opened, move
    return ability, move


def _picked(kind: str, card: int, args: Mapping[str, Any], lore: Lore) -> Move:
    theirs = args.get("target_skill")
    return Move(
        kind,
        card,
        as_int(args.get("seat"), -1),
        lore.time_number[args["item"]] if "item" in args else -1,
        lore.time_number[args["own_item"]] if "own_item" in args else -1,
        lore.role_number[args["role"]] if "role" in args else -1,
        as_int(args.get("position"), -1),
        lore.skill_number[args["skill"]] if "skill" in args else -1,
        -1 if theirs is None or theirs == FACE_DOWN else lore.skill_number[theirs],
    )
