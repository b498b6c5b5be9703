"""From the plain tables of a card set to its values (YU-93 to YU-97).

It trusts its input, in which `checking` has found no fault; what a key may hold is said there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from kaguraden_rules.kernel import CardId, Text
from kaguraden_rules.yumeochi import card as c

__all__ = ["make_ability", "make_condition", "make_effects", "make_pick", "make_set"]

Plain: TypeAlias = Mapping[str, Any]


def make_set(data: Plain, digest: str) -> c.CardSet:
    """Return a set; `digest` is that of its file."""
    head = data["set"]
    return c.CardSet(
        id=head["id"],
        version=head["version"],
        name=_name(head),
        digest=digest,
        roles=tuple(map(_role, data["role"])),
        skills=tuple(map(_skill, data["skill"])),
        times=tuple(map(_time, data["time"])),
    )


# --- cards ---------------------------------------------------------------------------------------


def _common(data: Plain) -> dict[str, Any]:
    return {
        "id": CardId(data["id"]),
        "name": _name(data),
        "text": _text(data),
        "stars": data.get("stars", 0),
        "plain": data,
    }


def _name(data: Plain) -> Text:
    return Text(data["name_ja"], data["name_en"])


def _text(data: Plain) -> Text | None:
    """Return the text of a card; one that is in one language only stands for both."""
    texts = [data[key] for key in ("text_ja", "text_en") if key in data]
    return Text(texts[0], texts[-1]) if texts else None


def _role(data: Plain) -> c.Role:
    action = data.get("action")
    return c.Role(
        **_common(data),
        is_base=data["base"],
        win=c.Win(c.Window(data["win"]["check"]), _conditions(data["win"], "all")),
        action=None if action is None else make_ability(action),
        action_name=None if action is None else _name(action),
    )


def _skill(data: Plain) -> c.Skill:
    return c.Skill(**_common(data), ability=make_ability(data))


def _time(data: Plain) -> c.TimeCard:
    kind = c.TimeKind(data["kind"])
    use, trigger = data.get("use"), data.get("trigger")
    return c.TimeCard(
        **_common(data),
        time_kind=kind,
        opened=None if kind is c.TimeKind.ITEM else make_ability(data),
        use=None if use is None else make_ability(use),
        trigger=None
        if trigger is None
        else c.Trigger(
            hours=tuple(trigger["hours"]),
            effects=make_effects(trigger["effects"]),
            is_kept=trigger.get("after") == "keep",
        ),
    )


# --- abilities -----------------------------------------------------------------------------------


def make_ability(data: Plain) -> c.Ability:
    """Return an ability: of a skill, an action, a use, or what an opened card does."""
    cases: Sequence[Plain] = data.get("cases", ())
    is_timed = "cases" in data
    return c.Ability(
        cases=tuple(c.Case(tuple(case["hours"]), make_effects(case["effects"])) for case in cases)
        if is_timed
        else (c.Case(c.HOURS, make_effects(data["effects"])),),
        when=_conditions(data, "when"),
        picks=tuple(map(make_pick, data.get("pick", ()))),
        is_timed=is_timed,
    )


def make_condition(data: Plain) -> c.Condition:
    """Return a condition (YU-95)."""
    among = data.get("in")
    return c.Condition(
        test=data["test"],
        who=data.get("who", "self"),
        op=data.get("op"),
        n=data.get("n"),
        among=None if among is None else tuple(among),
        holds=data.get("is", True),
        which=data.get("which"),
        at=data.get("at"),
    )


def _conditions(data: Plain, key: str) -> tuple[c.Condition, ...]:
    return tuple(map(make_condition, data.get(key, ())))


def make_pick(data: Plain) -> c.Pick:
    """Return a pick (YU-96)."""
    match data:
        case {"seat": who}:
            return c.PickSeat(who, _conditions(data, "where"))
        case {"item": of}:
            return c.PickItem(of)
        case {"role": _}:
            return c.PickRole()
        case {"hour": when}:
            return c.PickHour(when)
        case _:
            return c.PickSkill(data["skill"])


def make_effects(data: Sequence[Plain]) -> tuple[c.Effect, ...]:
    """Return effects in their order (YU-97)."""
    return tuple(_MAKERS[effect["do"]](effect) for effect in data)


_MAKERS: Final[Mapping[str, Callable[[Plain], c.Effect]]] = {
    "damage": lambda data: c.Damage(data["n"], data["to"], _conditions(data, "where")),
    "heal": lambda data: c.Heal(data["n"], data["to"], _conditions(data, "where")),
    "marker": lambda data: c.MoveMarker(data["to"]),
    "peek": lambda data: c.Peek(data["what"], data.get("at")),
    "open": lambda data: c.Open(data["at"]),
    "may": lambda data: c.May(make_effects(data["effects"])),
    "if": lambda data: c.If(
        make_condition(data["cond"]),
        make_effects(data["then"]),
        make_effects(data.get("else", ())),
    ),
    "guess": lambda data: c.Guess(make_effects(data["then"]), make_effects(data.get("else", ()))),
    "reveal": lambda data: c.Reveal(data["what"], data["to"], _conditions(data, "where")),
    "take": lambda _: c.Take(),
    "swap": lambda data: c.Swap(data["what"]),
    "gain": lambda _: c.Gain(),
    "draw": lambda _: c.Draw(),
    "discard": lambda _: c.Discard(),
    "skip": lambda data: c.Skip(data["to"], _conditions(data, "where")),
    "protect": lambda data: c.Protect(data["to"], _conditions(data, "where")),
}
