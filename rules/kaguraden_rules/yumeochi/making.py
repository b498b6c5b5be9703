"""From the plain tables of a card set to its values (YU-93 to YU-97).

It trusts its input, in which `checking` has found no fault; what a key may hold is said there.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from kaguraden_rules.kernel import CardId, Text
from kaguraden_rules.yumeochi import card as c

__all__ = ["make_condition", "make_role", "make_set", "make_time"]

Plain: TypeAlias = Mapping[str, Any]


def make_set(data: Plain, digest: str) -> c.CardSet:
    """Return a set; `digest` is that of its file."""
    head = data["set"]
    return c.CardSet(
        id=head["id"],
        version=head["version"],
        name=_name(head),
        digest=digest,
        roles=tuple(map(make_role, data["role"])),
        skills=tuple(map(_skill, data["skill"])),
        times=tuple(map(make_time, data["time"])),
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


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _name(data: Plain) -> Text:
    return Text(_nfc(data["name_ja"]), _nfc(data["name_en"]))


def _text(data: Plain) -> Text | None:
    """Return the text of a card; one that is in one language only stands for both."""
    texts = [_nfc(data[key]) for key in ("text_ja", "text_en") if key in data]
    return Text(texts[0], texts[-1]) if texts else None


def make_role(data: Plain) -> c.Role:
    """Return a role."""
    action = data.get("action")
    return c.Role(
        **_common(data),
        is_base=data["base"],
        win=c.Win(c.Window(data["win"]["check"]), _conditions(data["win"], "all")),
        action=None if action is None else _ability(action),
        action_name=None if action is None else _name(action),
    )


def _skill(data: Plain) -> c.Skill:
    return c.Skill(**_common(data), ability=_ability(data))


def make_time(data: Plain) -> c.TimeCard:
    """Return a time card."""
    kind = c.TimeKind(data["kind"])
    use, trigger = data.get("use"), data.get("trigger")
    return c.TimeCard(
        **_common(data),
        time_kind=kind,
        opened=None if kind is c.TimeKind.ITEM else _ability(data),
        use=None if use is None else _ability(use),
        trigger=None
        if trigger is None
        else c.Trigger(
            hours=tuple(trigger["hours"]),
            effects=_effects(trigger["effects"]),
            is_kept=trigger.get("after") == "keep",
        ),
    )


# --- abilities -----------------------------------------------------------------------------------


def _ability(data: Plain) -> c.Ability:
    """Return an ability: of a skill, an action, a use, or what an opened card does."""
    cases: Sequence[Plain] = data.get("cases", ())
    is_timed = "cases" in data
    return c.Ability(
        cases=tuple(c.Case(tuple(case["hours"]), _effects(case["effects"])) for case in cases)
        if is_timed
        else (c.Case(c.HOURS, _effects(data["effects"])),),
        when=_conditions(data, "when"),
        picks=tuple(map(_pick, data.get("pick", ()))),
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


def _pick(data: Plain) -> c.Pick:
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


def _effects(data: Sequence[Plain]) -> tuple[c.Effect, ...]:
    """Return effects in their order (YU-97)."""
    return tuple(_MAKERS[effect["do"]](effect) for effect in data)


_MAKERS: Final[Mapping[str, Callable[[Plain], c.Effect]]] = {
    "damage": lambda data: c.Damage(data["n"], data["to"], _conditions(data, "where")),
    "heal": lambda data: c.Heal(data["n"], data["to"], _conditions(data, "where")),
    "marker": lambda data: c.MoveMarker(data["to"]),
    "peek": lambda data: c.Peek(data["what"], data.get("at")),
    "open": lambda data: c.Open(data["at"]),
    "may": lambda data: c.May(_effects(data["effects"])),
    "if": lambda data: c.If(
        make_condition(data["cond"]),
        _effects(data["then"]),
        _effects(data.get("else", ())),
    ),
    "guess": lambda data: c.Guess(_effects(data["then"]), _effects(data.get("else", ()))),
    "reveal": lambda data: c.Reveal(data["what"], data["to"], _conditions(data, "where")),
    "take": lambda _: c.Take(),
    "swap": lambda data: c.Swap(data["what"]),
    "gain": lambda _: c.Gain(),
    "draw": lambda _: c.Draw(),
    "discard": lambda _: c.Discard(),
    "skip": lambda data: c.Skip(data["to"], _conditions(data, "where")),
    "protect": lambda data: c.Protect(data["to"], _conditions(data, "where")),
}
