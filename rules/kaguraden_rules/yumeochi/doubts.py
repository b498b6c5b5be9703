"""What is legal in a card set and yet looks wrong: the warnings of YU-99.

`W_NEVER` is found with a domain for each thing that is tested: what remains of it after every
condition of a list. `W_SEED` holds two cards against the original rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from kaguraden_rules.kernel import Text
from kaguraden_rules.yumeochi import card as c
from kaguraden_rules.yumeochi.faults import Node
from kaguraden_rules.yumeochi.making import make_condition, make_role, make_time

__all__ = ["doubt_role", "doubt_skill", "doubt_time"]

_DOMAINS: Final[Mapping[str, frozenset[int]]] = {
    "life": frozenset(range(6)),
    "items": frozenset(range(13)),
    "event_stock": frozenset(range(13)),
    "stars": frozenset(range(9 * 19 + 1)),  # of all time cards, all skills and a role
    "opened": frozenset(range(13)),
    "kills": frozenset(range(4)),
    "skills": frozenset(range(7)),
    "uses": frozenset(range(61)),
    "life_lead": frozenset(range(-5, 6)),
    "life_total": frozenset(range(21)),
    "roles_open": frozenset(range(4)),
    "alive": frozenset(range(5)),
}
_TRUTHS: Final = frozenset({0, 1})
_ALL: Final = frozenset(c.HOURS)
_PLACES: Final = {"next": 12, "past": 1}  # the hour at which there is no such card
_FULFILLED: Final = Text(
    "ほかの条件とともに成り立つことのある条件", "what can hold, together with the others"
)


# --- cards ---------------------------------------------------------------------------------------


def doubt_role(card: Node) -> None:
    """Warn of a role without faults."""
    role = make_role(card.value)
    hours = _ALL - {1} if role.win.check is c.Window.HOUR_BECOMES else _ALL
    hours = _narrow(_below(card, "win", "all"), hours)
    if (action := card.at("action")) is not None:
        _doubt_ability(action)
    if role.id == "gentleman":
        if role.win.check is not c.Window.HOUR_BECOMES or hours != {12}:
            right = 'check = "hour_becomes", hour 12 (YU-82)'
            _warn_seed(card, "win", Text(right, right))
        if role.stars != 1:
            _warn_seed(card, "stars", Text("stars = 1 (YU-82)", "stars = 1 (YU-82)"))
    _doubt_id(card, "rabbit_figurine")


def doubt_skill(card: Node) -> None:
    """Warn of a skill card without faults."""
    _doubt_ability(card)
    _doubt_id(card, "gentleman", "rabbit_figurine")


def doubt_time(card: Node) -> None:
    """Warn of a time card without faults."""
    time = make_time(card.value)
    if time.time_kind is not c.TimeKind.ITEM:
        # by the option `time_reference` its cases may go by another hour than `card_down` does (YU-50)
        _doubt_ability(card, is_by_hour=False)
    if (use := card.at("use")) is not None:
        _doubt_ability(use)
    if time.trigger is not None:
        hours = _below(card, "trigger", "hours")
        if 1 in time.trigger.hours:
            allowed = Text("2～12 時（1 時になることはない）", "hours 2 to 12: it never becomes 1")
            hours.report.note("W_NEVER", hours.path, "1", allowed)
        _doubt_effects(_below(card, "trigger", "effects"), frozenset(time.trigger.hours))
    if time.id == "rabbit_figurine":
        if time.use is None or _hours_of(time.use.when) != {7}:
            _warn_seed(card, "use", Text("7 時だけ使える (YU-57)", "a use at hour 7 only (YU-57)"))
        if time.use is None or time.use.is_timed or time.use.cases[0].effects != (c.Gain(),):
            right = '[{ do = "gain", from = "leftover" }] (YU-58)'
            _warn_seed(card, "use", Text(right, right))
    _doubt_id(card, "gentleman")


def _doubt_id(card: Node, *others: str) -> None:
    """Warn of an id that the original rules give to another kind of card."""
    if card.value["id"] in others:
        rule = {"gentleman": "YU-82", "rabbit_figurine": "YU-57"}[card.value["id"]]
        allowed = Text(f"別の id ({rule})", f"another id: this is another kind of card ({rule})")
        _warn_seed(card, "id", allowed)


def _warn_seed(card: Node, key: str, allowed: Text) -> None:
    if (node := card.at(key)) is not None:
        node.fault("W_SEED", allowed)
    else:
        card.report.note("W_SEED", card.below(key), None, allowed)


# --- abilities -----------------------------------------------------------------------------------


def _doubt_ability(ability: Node, *, is_by_hour: bool = True) -> None:
    """Warn of an ability; `is_by_hour` if its cases go by the current hour."""
    hours = _narrow(ability.at("when"), _ALL)
    for pick in _entries(ability.at("pick")):
        _narrow(pick.at("where"), hours)
    _doubt_effects(ability.at("effects"), hours)
    for case in _entries(ability.at("cases")):
        inner = hours & frozenset(case.value["hours"]) if is_by_hour else hours
        if not inner:
            node = _below(case, "hours")
            allowed = Text("when の成り立つ時間", "hours at which its conditions hold")
            node.report.note("W_NEVER", node.path, ", ".join(map(str, node.value)), allowed)
        _doubt_effects(case.at("effects"), inner or hours)


def _doubt_effects(effects: Node | None, hours: frozenset[int]) -> None:
    for effect in _entries(effects):
        _narrow(effect.at("where"), hours)
        inner = outer = hours
        if (cond := effect.at("cond")) is not None:
            inner = _narrow_by((cond,), hours)
            outer = (hours - inner) or hours
        for key, of_key in (("effects", hours), ("then", inner), ("else", outer)):
            _doubt_effects(effect.at(key), of_key)


def _narrow(conditions: Node | None, hours: frozenset[int]) -> frozenset[int]:
    return _narrow_by(_entries(conditions), hours)


def _narrow_by(conditions: Iterable[Node], hours: frozenset[int]) -> frozenset[int]:
    """Return the hours of these at which conditions can hold; warn of what never can.

    All hours where none remains, so that one thing is told once.
    """
    left = hours
    domains: dict[tuple[str, str, str | None, str | None], frozenset[int]] = {}
    for node in conditions:
        condition = make_condition(node.value)
        if condition.test == "hour":
            left &= _hours_of((condition,))
            is_possible = bool(left)
        else:
            key = (condition.test, condition.who, condition.which, condition.at)
            start = _DOMAINS.get(condition.test, _TRUTHS)
            domains[key] = domains.get(key, start) & _fulfilling(condition)
            is_possible = bool(domains[key])
        if condition.test == "card_down" and condition.holds:
            left -= {_PLACES.get(condition.at or "", 0)}
            is_possible = is_possible and bool(left)
        if not is_possible:
            node.report.note("W_NEVER", node.path, _said(condition), _FULFILLED)
            return hours
    return left


def _hours_of(conditions: Iterable[c.Condition]) -> frozenset[int]:
    """Return the hours that conditions leave."""
    hours = _ALL
    for condition in conditions:
        if condition.test == "hour":
            hours = frozenset(hour for hour in hours if condition.is_met_by(hour))
    return hours


def _fulfilling(condition: c.Condition) -> frozenset[int]:
    """Return the values that fulfil a condition."""
    if condition.op is None:
        return frozenset({int(condition.holds)})
    return frozenset(n for n in _DOMAINS[condition.test] if condition.is_met_by(n))


def _said(condition: c.Condition) -> str:
    parts: list[object] = [condition.test, condition.at, condition.which, condition.op, condition.n]
    if condition.among is not None:
        parts.append(f"in {list(condition.among)}")
    elif condition.op is None:
        parts.append("is true" if condition.holds else "is false")
    return " ".join(str(part) for part in parts if part is not None)


def _entries(node: Node | None) -> tuple[Node, ...]:
    return () if node is None else node.entries() or ()


def _below(node: Node, *keys: str) -> Node:
    """Return what stands below keys that are there."""
    for key in keys:
        below = node.at(key)
        if below is None:
            raise KeyError(key)
        node = below
    return node
