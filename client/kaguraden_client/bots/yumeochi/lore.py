"""The cards of a set as the model needs them: conditions and effects as functions of a position.

Everything is read from the card data of the catalog (`plain`, §9 of the rules), so a set that nobody
here has seen is played as well as the base set. Words that this version does not know make a card
that does nothing; the player then only judges it worse than it is.

A *stroke* is an effect as the habits weigh it: what it does, to whom, how much, and the condition
under which it happens. Conditions see public facts only (YU-95).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from ...reading import as_dict, as_int, as_str, dicts_in, ints_in
from ..policy import Catalog

if TYPE_CHECKING:
    from .model import Position

__all__ = [
    "EVENT",
    "HOURS",
    "ITEM",
    "SEATS",
    "STOCK",
    "Ability",
    "Aim",
    "Condition",
    "Effect",
    "Lore",
    "May",
    "Move",
    "Role",
    "Skill",
    "Stroke",
    "Time",
    "read_lore",
]

SEATS: Final = range(4)
HOURS: Final = range(1, 13)
EVENT, STOCK, ITEM = range(3)  # what becomes of a time card
FULL_LIFE: Final = 5

Condition: TypeAlias = "Callable[[Position, int, int], bool]"
"""Takes the position, the acting seat and the target (-1 without one)."""


class Move(NamedTuple):
    """An action with its card and all its picks; -1 is none. `card` counts within its own kind."""

    kind: str
    card: int = -1
    seat: int = -1
    item: int = -1  # of the target
    own_item: int = -1
    role: int = -1
    position: int = -1
    skill: int = -1  # own
    target_skill: int = -1  # -1 is a face-down one, too


Effect: TypeAlias = "Callable[[Position, int, Move], None]"


class Stroke(NamedTuple):
    """An effect as it is weighed."""

    what: str
    to: str = "self"
    n: int = 0
    where: Condition | None = None
    guard: Condition | None = None
    inner: tuple[tuple[Stroke, ...], ...] = ()


class May(NamedTuple):
    """Effects that the acting seat may have or not."""

    effects: tuple[Effect, ...]
    strokes: tuple[Stroke, ...]


class Ability:
    """What can be done with a card: conditions, picks and effects by the hour.

    The tests of the hour are in `hours`, all others in `when`.
    """

    __slots__ = (
        "effects",
        "hours",
        "may",
        "needs_item",
        "needs_own_item",
        "needs_role",
        "needs_seat",
        "own_skill",
        "place",
        "strokes",
        "when",
        "where",
    )

    def __init__(self, table: Mapping[str, Any]) -> None:
        tests = dicts_in(table.get("when"))
        self.hours = _hours_of(tests)
        self.when = _all_of([test for test in tests if test.get("test") != "hour"])
        self.needs_seat = ""
        self.needs_item = self.needs_own_item = self.needs_role = False
        self.own_skill = False
        self.place = ""
        self.where: Condition | None = None
        for pick in dicts_in(table.get("pick")):
            match pick:
                case {"seat": who}:
                    self.needs_seat = as_str(who)
                    self.where = _all_of(dicts_in(pick.get("where")))
                case {"item": whose}:
                    if whose == "self":
                        self.needs_own_item = True
                    else:
                        self.needs_item = True
                case {"role": _}:
                    self.needs_role = True
                case {"hour": when}:
                    self.place = as_str(when)
                case {"skill": whose}:
                    self.own_skill = self.own_skill or whose == "self"
                case _:
                    pass
        self.effects: list[tuple[Effect, ...]] = [()] * 13
        self.strokes: list[tuple[Stroke, ...]] = [()] * 13
        self.may: list[May | None] = [None] * 13  # the first there is
        for hour in HOURS:
            effects = dicts_in(table.get("effects"))
            if "cases" in table:
                effects = []
                for case in dicts_in(table["cases"]):
                    if hour in ints_in(case.get("hours")):
                        effects = dicts_in(case.get("effects"))
            self.effects[hour] = _effects(effects)
            self.strokes[hour] = _strokes(effects)
            self.may[hour] = _first_may(effects)


class Aim:
    """What a role's first victory asks for, as far as it can be worked towards."""

    __slots__ = (
        "hours",
        "last",
        "lead",
        "life",
        "marker",
        "most_life",
        "most_total",
        "needs",
        "opened",
        "secret",
        "shown",
        "windows",
    )

    def __init__(self, win: Mapping[str, Any]) -> None:
        check = as_str(win.get("check"))
        conditions = dicts_in(win.get("all"))
        at = _hours_of(conditions)
        if check == "hour_becomes":  # decided by the end of the phase before
            at = tuple(hour + 1 <= 12 and at[hour + 1] for hour in range(13))
        self.hours = at
        self.last = max((hour for hour in HOURS if at[hour]), default=0)
        self.windows = [sum(at[max(hour, 1) :]) for hour in range(13)]  # left, by the hour
        self.marker = False
        self.secret = False
        self.life = self.lead = self.opened = self.shown = 0
        self.most_life = self.most_total = 99
        self.needs: dict[
            str, int
        ] = {}  # items, event_stock, stars, kills, skills: at least so many
        for test in conditions:
            who, name = as_str(test.get("who"), "self"), as_str(test.get("test"))
            least, most = _bounds(test)
            match name, who:
                case "marker", "self":
                    self.marker = self.marker or test.get("is") is not False
                case "role_open", "self":
                    self.secret = self.secret or test.get("is") is False
                case "life", "self":
                    self.life = max(self.life, least)
                    self.most_life = min(self.most_life, most)
                case "life_lead", _:
                    self.lead = max(self.lead, least)
                case "life_total", _:
                    self.most_total = min(self.most_total, most)
                case "opened", "self":
                    self.opened = max(self.opened, least)
                case "roles_open", _:
                    self.shown = max(self.shown, least)
                case (("items" | "event_stock" | "stars" | "kills" | "skills"), "self"):
                    self.needs[name] = max(self.needs.get(name, 0), least)
                case _:
                    pass


class Role:
    """A role; `hours` and `wins` tell whether its conditions hold for a seat in its window."""

    __slots__ = ("action", "aim", "check", "hours", "id", "number", "stars", "wins")

    def __init__(self, number: int, card: str, entry: Mapping[str, Any]) -> None:
        table = as_dict(entry.get("plain"))
        win = as_dict(table.get("win"))
        self.number, self.id = number, card
        self.stars = as_int(entry.get("stars"))
        self.check = as_str(win.get("check"))
        tests = dicts_in(win.get("all"))
        self.hours = _hours_of(tests)
        self.wins = _all_of([test for test in tests if test.get("test") != "hour"])
        self.aim = Aim(win)
        action = table.get("action")
        self.action = Ability(action) if isinstance(action, Mapping) else None


class Skill:
    """A skill card."""

    __slots__ = ("ability", "id", "number", "stars")

    def __init__(self, number: int, card: str, entry: Mapping[str, Any]) -> None:
        self.number, self.id = number, card
        self.stars = as_int(entry.get("stars"))
        self.ability = Ability(as_dict(entry.get("plain")))


class Time:
    """A time card."""

    __slots__ = ("id", "kept", "kind", "number", "opened", "stars", "sting", "trigger", "use")

    def __init__(self, number: int, card: str, entry: Mapping[str, Any]) -> None:
        table = as_dict(entry.get("plain"))
        kinds = {"event": EVENT, "event_stock": STOCK, "item": ITEM}
        self.number, self.id = number, card
        self.stars = as_int(entry.get("stars"))
        self.kind = kinds.get(as_str(entry.get("time_kind"), as_str(table.get("kind"))), EVENT)
        self.opened = Ability(table)  # an item has no effects of its own there
        use = table.get("use")
        self.use = Ability(use) if isinstance(use, Mapping) else None
        trigger = as_dict(table.get("trigger"))
        self.kept = trigger.get("after") == "keep"
        effects = dicts_in(trigger.get("effects"))
        hours = ints_in(trigger.get("hours"))
        self.trigger = [_effects(effects) if hour in hours else () for hour in range(13)]
        harm = sum(as_int(e.get("n")) for e in effects if e.get("do") == "damage")
        heal = sum(as_int(e.get("n")) for e in effects if e.get("do") == "heal")
        self.sting = [harm - heal if hour in hours else 0 for hour in range(13)]


class Lore:
    """A set of cards with the pool of roles of a room. Numbers count in set order."""

    __slots__ = (
        "has_after_action",
        "has_on_death",
        "role_number",
        "roles",
        "skill_number",
        "skills",
        "time_number",
        "times",
    )

    def __init__(
        self, roles: Sequence[Role], skills: Sequence[Skill], times: Sequence[Time]
    ) -> None:
        self.roles, self.skills, self.times = tuple(roles), tuple(skills), tuple(times)
        self.role_number = {role.id: role.number for role in roles}
        self.skill_number = {skill.id: skill.number for skill in skills}
        self.time_number = {time.id: time.number for time in times}
        self.has_after_action = any(role.check == "after_action" for role in roles)
        self.has_on_death = any(role.check == "on_death" for role in roles)


def read_lore(pool: Sequence[str], catalog: Catalog) -> Lore:
    """Return the cards of a catalog with the roles of a pool.

    Raises:
        ValueError: It has not all the cards that a game takes.
    """
    entries = {card: as_dict(entry) for card, entry in catalog.items()}
    skills = [card for card, entry in entries.items() if entry.get("kind") == "skill"]
    times = [card for card, entry in entries.items() if entry.get("kind") == "time"]
    if not all(card in entries for card in pool) or len(skills) < 4 or len(times) != 12:
        raise ValueError("not the cards of this table")
    return Lore(
        [Role(number, card, entries[card]) for number, card in enumerate(pool)],
        [Skill(number, card, entries[card]) for number, card in enumerate(skills)],
        [Time(number, card, entries[card]) for number, card in enumerate(times)],
    )


# --- conditions ----------------------------------------------------------------------------------

_COMPARE: Final[dict[str, Callable[[int, int], bool]]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "<": operator.lt,
    ">": operator.gt,
    "==": operator.eq,
}


def _always(_p: Position, _me: int, _target: int) -> bool:
    return True


def _all_of(tests: Sequence[Mapping[str, Any]]) -> Condition:
    """Return whether all of the tests hold."""
    conditions = tuple(_condition(test) for test in tests)
    if not conditions:
        return _always
    if len(conditions) == 1:
        return conditions[0]

    def hold(p: Position, me: int, target: int) -> bool:
        for condition in conditions:  # noqa: SIM110 - a loop is quicker than all()
            if not condition(p, me, target):
                return False
        return True

    return hold


def _bounds(test: Mapping[str, Any]) -> tuple[int, int]:
    """Return the least and the most that pass."""
    n = as_int(test.get("n"))
    match test.get("op"):
        case ">=":
            return n, 99
        case ">":
            return n + 1, 99
        case "<=":
            return 0, n
        case "<":
            return 0, n - 1
        case "==":
            return n, n
        case _:
            return 0, 99


def _hours_of(tests: Sequence[Mapping[str, Any]]) -> tuple[bool, ...]:
    """Return for 0 (unused) to 12 whether the tests of the hour pass."""
    fits = [False, *[True] * 12]
    for test in tests:
        if test.get("test") == "hour":
            for hour in HOURS:
                fits[hour] = fits[hour] and _hour_fits(test, hour)
    return tuple(fits)


def _hour_fits(test: Mapping[str, Any], hour: int) -> bool:
    if "in" in test:
        return hour in ints_in(test["in"])
    least, most = _bounds(test)
    return least <= hour <= most


def _condition(test: Mapping[str, Any]) -> Condition:
    name = as_str(test.get("test"))
    if name == "hour":
        fits = tuple(_hour_fits(test, hour) for hour in range(14))
        return lambda p, me, target: fits[p.hour]
    if name in ("role_open", "marker", "card_down"):
        return _truth(name, test)
    return _number(name, test)


def _truth(name: str, test: Mapping[str, Any]) -> Condition:
    """A test that holds or not; `is` says which of the two is wanted."""
    wanted = test.get("is") is not False
    of_target = test.get("who") == "target"
    if name == "role_open":
        if of_target:
            return lambda p, me, target: p.shown[target] is wanted
        return lambda p, me, target: p.shown[me] is wanted
    if name == "marker":
        if test.get("which") == "origin":
            if of_target:
                return lambda p, me, target: (p.origin == target) is wanted
            return lambda p, me, target: (p.origin == me) is wanted
        if of_target:
            return lambda p, me, target: (p.start == target) is wanted
        return lambda p, me, target: (p.start == me) is wanted
    match test.get("at"):
        case "current":
            return lambda p, me, target: p.down[p.hour] is wanted
        case "next":
            return lambda p, me, target: (p.hour < 12 and p.down[p.hour + 1]) is wanted
        case _:
            return lambda p, me, target: any(p.down[1 : p.hour]) is wanted


def _number(name: str, test: Mapping[str, Any]) -> Condition:
    """A test that compares a number."""
    compare: Callable[[int, int], bool] = _COMPARE.get(as_str(test.get("op")), operator.ge)
    n = as_int(test.get("n"))
    of_target = test.get("who") == "target"

    def of(count: Callable[[Position, int], int]) -> Condition:
        if of_target:
            return lambda p, me, target: compare(count(p, target), n)
        return lambda p, me, target: compare(count(p, me), n)

    match name:
        case "life":
            return of(lambda p, seat: p.life[seat])
        case "items":
            return of(lambda p, seat: len(p.items[seat]))
        case "event_stock":
            return of(lambda p, seat: p.stock[seat])
        case "stars":
            return of(lambda p, seat: p.public_stars(seat))
        case "opened":
            return of(lambda p, seat: p.opened[seat])
        case "kills":
            return of(lambda p, seat: p.kills[seat])
        case "skills":
            return of(lambda p, seat: len(p.skills[seat]))
        case "uses":  # of a role's action; those of skills are not on the table
            return of(lambda p, seat: p.uses[seat])
        case "life_lead":
            return of(lambda p, seat: p.lead(seat))
        case "life_total":
            return of(lambda p, seat: sum([p.life[s] for s in SEATS if p.alive[s]]))
        case "roles_open":
            return of(lambda p, seat: p.shown.count(True) - p.shown[seat])
        case "alive":
            return of(lambda p, seat: p.alive.count(True))
        case _:
            return _always


# --- effects -------------------------------------------------------------------------------------


def _effects(tables: Sequence[Mapping[str, Any]]) -> tuple[Effect, ...]:
    return tuple(effect for table in tables if (effect := _effect(table)) is not None)


def _where(table: Mapping[str, Any]) -> Condition | None:
    tests = dicts_in(table.get("where"))
    return _all_of(tests) if tests else None


def reached(p: Position, to: str, me: int, target: int, where: Condition | None) -> Sequence[int]:
    """Return the living seats that an effect reaches."""
    match to:
        case "self":
            seats: Sequence[int] = (me,)
        case "target":
            seats = (target,)
        case "left":
            seats = (p.beside(me, 1),)
        case "right":
            seats = (p.beside(me, -1),)
        case "others":
            seats = [s for s in SEATS if s != me]
        case _:
            seats = SEATS
    alive, life = p.alive, p.life
    return [
        s
        for s in seats
        if s >= 0 and alive[s] and life[s] > 0 and (where is None or where(p, me, s))
    ]


def _effect(table: Mapping[str, Any]) -> Effect | None:
    n = as_int(table.get("n"))
    to = as_str(table.get("to"), "self")
    where = _where(table)
    match table.get("do"):
        case "damage":
            return lambda p, me, m: p.damage(me, n, reached(p, to, me, m.seat, where))
        case "heal":
            return lambda p, me, m: p.heal(n, reached(p, to, me, m.seat, where))
        case "marker":
            return lambda p, me, m: p.move_marker(me, to, m.seat)
        case "open":
            return _open(as_str(table.get("at")))
        case "may":
            return _may(table)
        case "if":
            return _if(table)
        case "guess":
            return _guess(table)
        case "reveal" if table.get("what") == "role":

            def reveal(p: Position, me: int, m: Move) -> None:
                for seat in reached(p, to, me, m.seat, where):
                    p.shown[seat] = True

            return reveal
        case "take":
            return lambda p, me, m: p.move_item(m.seat, me, m.item)
        case "swap":
            return _swap(as_str(table.get("what")))
        case "gain":
            return lambda p, me, m: p.gain(me)
        case "discard":
            return lambda p, me, m: p.discard(m)
        case "skip" | "protect" as word:

            def mark(p: Position, me: int, m: Move) -> None:
                marks = p.skip if word == "skip" else p.protected
                for seat in reached(p, to, me, m.seat, where):
                    marks[seat] = True

            return mark
        case _:  # peek, draw, reveal skill: nothing that the model tells apart
            return None


def _open(at: str) -> Effect:
    if at == "current":
        return lambda p, me, m: p.open(me, p.hour)
    if at == "next":
        return lambda p, me, m: p.open(me, p.hour + 1)
    return lambda p, me, m: p.open(me, m.position)


def _may(table: Mapping[str, Any]) -> Effect:
    effects = _effects(dicts_in(table.get("effects")))
    strokes = _strokes(dicts_in(table.get("effects")))

    def may(p: Position, me: int, m: Move) -> None:
        if p.judge.wishes(p, me, m, strokes):
            for effect in effects:
                effect(p, me, m)

    return may


def _if(table: Mapping[str, Any]) -> Effect:
    condition = _condition(as_dict(table.get("cond")))
    then = _effects(dicts_in(table.get("then")))
    otherwise = _effects(dicts_in(table.get("else")))

    def decide(p: Position, me: int, m: Move) -> None:
        for effect in then if condition(p, me, m.seat) else otherwise:
            effect(p, me, m)

    return decide


def _guess(table: Mapping[str, Any]) -> Effect:
    then = _effects(dicts_in(table.get("then")))
    otherwise = _effects(dicts_in(table.get("else")))

    def guess(p: Position, me: int, m: Move) -> None:
        for effect in then if p.role[m.seat] == m.role else otherwise:
            effect(p, me, m)

    return guess


def _swap(what: str) -> Effect:
    match what:
        case "items":
            return lambda p, me, m: p.swap_items(me, m)
        case "skills":
            return lambda p, me, m: p.swap_skills(me, m.seat, m.skill, m.target_skill)
        case "life":
            return lambda p, me, m: p.swap_life(me, m.seat)
        case _:  # two positions that nobody has seen: alike
            return lambda p, me, m: None


def _first_may(tables: Sequence[Mapping[str, Any]]) -> May | None:
    for table in tables:
        inner = dicts_in(table.get("effects"))
        if table.get("do") == "may":
            return May(_effects(inner), _strokes(inner))
        found = _first_may([*dicts_in(table.get("then")), *dicts_in(table.get("else"))])
        if found is not None:
            return found
    return None


# --- strokes -------------------------------------------------------------------------------------


def _strokes(
    tables: Sequence[Mapping[str, Any]], guard: Condition | None = None
) -> tuple[Stroke, ...]:
    result: list[Stroke] = []
    for table in tables:
        what = as_str(table.get("do"))
        to = as_str(table.get("to"), "self")
        match what:
            case "if":
                condition = _condition(as_dict(table.get("cond")))
                result += _strokes(dicts_in(table.get("then")), _both(guard, condition))
                result += _strokes(dicts_in(table.get("else")), _both(guard, _not(condition)))
            case "may":
                inner = _strokes(dicts_in(table.get("effects")))
                result.append(Stroke("may", guard=guard, inner=(inner,)))
            case "guess":
                branches = (
                    _strokes(dicts_in(table.get("then"))),
                    _strokes(dicts_in(table.get("else"))),
                )
                result.append(Stroke("guess", guard=guard, inner=branches))
            case "open":
                result.append(Stroke("open", as_str(table.get("at")), guard=guard))
            case "reveal" | "peek" | "swap":
                name = f"{what} {as_str(table.get('what'))}"
                result.append(Stroke(name, to, 0, _where(table), guard))
            case _:
                result.append(Stroke(what, to, as_int(table.get("n")), _where(table), guard))
    return tuple(result)


def _not(condition: Condition) -> Condition:
    return lambda p, me, target: not condition(p, me, target)


def _both(first: Condition | None, second: Condition) -> Condition:
    if first is None:
        return second
    return lambda p, me, target: first(p, me, target) and second(p, me, target)
