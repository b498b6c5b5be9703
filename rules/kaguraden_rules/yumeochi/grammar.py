"""The words that cards are written in: which keys each may have, and what they may hold (YU-95 to YU-97)."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from attrs import field, frozen

__all__ = [
    "EFFECTS",
    "EFFECT_KEYS",
    "HIDDEN_PICKS",
    "HIDDEN_TESTS",
    "PICKS",
    "TESTS",
    "TEST_KEYS",
    "TEST_OF_HOURS",
    "Part",
    "Shape",
    "Whole",
    "Words",
    "effect_shape",
]


class Part(enum.Enum):
    """What has a form of its own."""

    FLAG = enum.auto()
    HOURS = enum.auto()
    CONDITION = enum.auto()
    CONDITIONS = enum.auto()
    EFFECTS = enum.auto()


@frozen
class Whole:
    """A whole number, `least` to `most`."""

    least: int
    most: int


@frozen
class Words:
    """One of some words."""

    words: tuple[str, ...]


Spec: TypeAlias = Part | Whole | Words


@frozen
class Shape:
    """The keys of a test or an effect besides the one that names it."""

    required: Mapping[str, Spec] = field(factory=dict)
    optional: Mapping[str, Spec] = field(factory=dict)


def _words(*words: str) -> Words:
    return Words(words)


# --- conditions (YU-95) --------------------------------------------------------------------------

_OP = _words(">=", "<=", "<", ">", "==")
_WHO = _words("self", "target")
_COMPARED: Final[Mapping[str, Spec]] = {"op": _OP, "n": Whole(0, 60)}
_OF_SEAT = Shape(_COMPARED, {"who": _WHO})
_OF_TABLE = Shape(_COMPARED)

TESTS: Final[Mapping[str, Shape]] = {
    "hour": Shape({"op": _OP, "n": Whole(1, 12)}),
    "life": _OF_SEAT,
    "items": _OF_SEAT,
    "event_stock": _OF_SEAT,
    "stars": _OF_SEAT,
    "opened": _OF_SEAT,
    "kills": _OF_SEAT,
    "skills": _OF_SEAT,
    "role_open": Shape({}, {"who": _WHO, "is": Part.FLAG}),
    "marker": Shape({"which": _words("start", "origin")}, {"who": _WHO, "is": Part.FLAG}),
    "card_down": Shape({"at": _words("current", "next", "past")}, {"is": Part.FLAG}),
    "uses": _OF_TABLE,
    "life_lead": _OF_TABLE,
    "life_total": _OF_TABLE,
    "roles_open": Shape({"who": _words("others"), **_COMPARED}),
    "alive": _OF_TABLE,
}
TEST_OF_HOURS: Final = Shape({"in": Part.HOURS})  # the other form of `hour`
TEST_KEYS: Final = tuple(
    dict.fromkeys(
        key
        for shape in (*TESTS.values(), TEST_OF_HOURS)
        for key in (*shape.required, *shape.optional)
    )
)  # of any test
HIDDEN_TESTS: Final = frozenset(
    {"card", "has_skill", "leftover", "role", "role_is", "skill", "skill_is", "time_card"}
)  # words for what no condition may see

# --- picks (YU-96) -------------------------------------------------------------------------------

PICKS: Final[Mapping[str, tuple[str, ...]]] = {
    "seat": ("other", "any"),
    "item": ("target", "self"),
    "role": ("unseen",),
    "hour": ("later", "past", "any"),
    "skill": ("self", "target"),
}
HIDDEN_PICKS: Final = frozenset(
    {
        ("role", "target"),
        ("role", "other"),
        ("role", "others"),
        ("role", "any"),
        ("role", "undealt"),
        ("skill", "leftover"),
        ("skill", "other"),
        ("skill", "others"),
        ("skill", "any"),
    }
)  # whose candidates would tell what lies face down

# --- effects (YU-97) -----------------------------------------------------------------------------

_TO = _words("self", "target", "all", "others", "left", "right")
_AT = _words("current", "next", "picked")
_WHERE: Final[Mapping[str, Spec]] = {"where": Part.CONDITIONS}
_LIFE = Shape({"n": Whole(1, 5), "to": _TO}, _WHERE)
_MARK = Shape({"to": _TO}, _WHERE)
_PEEK = Shape({"what": _words("time", "role", "skill", "leftover")})
_PEEK_AT_TIME = Shape({"what": _words("time"), "at": _AT})

EFFECTS: Final[Mapping[str, Shape]] = {
    "damage": _LIFE,
    "heal": _LIFE,
    "marker": Shape(
        {"which": _words("start"), "to": _words("self", "target", "left", "right", "choose")}
    ),
    "peek": _PEEK,
    "open": Shape({"at": _AT}),
    "may": Shape({"effects": Part.EFFECTS}),
    "if": Shape({"cond": Part.CONDITION, "then": Part.EFFECTS}, {"else": Part.EFFECTS}),
    "guess": Shape({"then": Part.EFFECTS}, {"else": Part.EFFECTS}),
    "reveal": Shape({"what": _words("role", "skill"), "to": _TO}, _WHERE),
    "take": Shape(),
    "swap": Shape({"what": _words("items", "skills", "life", "time_cards")}),
    "gain": Shape({"from": _words("leftover")}),
    "draw": Shape(),
    "discard": Shape({"what": _words("item")}),
    "skip": _MARK,
    "protect": _MARK,
}
EFFECT_KEYS: Final = tuple(
    dict.fromkeys(
        key
        for shape in (*EFFECTS.values(), _PEEK_AT_TIME)
        for key in (*shape.required, *shape.optional)
    )
)  # of any effect


def effect_shape(effect: Mapping[str, Any]) -> Shape:
    """Return the shape of an effect with a known word."""
    if effect["do"] == "peek" and effect.get("what") == "time":
        return _PEEK_AT_TIME
    return EFFECTS[effect["do"]]
