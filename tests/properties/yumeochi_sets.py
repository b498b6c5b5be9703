"""Random card sets of yumeochi: every word of §9, in combinations that nobody thought of.

A set is made as a file would write it, with what its effects use picked and what is picked used
(YU-96), and read as one. Hard ones are wanted, so most abilities have no conditions, and damage is
frequent.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from typing import Any, Final

from kaguraden_rules.yumeochi.card import CardSet
from kaguraden_rules.yumeochi.reading import read_set

__all__ = ["random_set"]

Plain = dict[str, Any]

_WINDOWS: Final = ("after_action", "on_death", "phase_end", "hour_becomes")
_COUNTED: Final = ("life", "items", "event_stock", "stars", "opened", "kills", "skills")
_OF_TABLE: Final = ("life_lead", "life_total", "alive")
_MOST: Final = {"life": 5, "alive": 4, "kills": 2, "skills": 3, "life_total": 20}
_TO: Final = ("self", "all", "others", "left", "right")


class _Maker:
    """Makes the parts of a set. `has` is what the ability at hand picks, `is_used` by a seat."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.has: set[str] = set()
        self.is_used = False

    # --- conditions ---

    def conditions(self, most: int, *, target: bool, least: int = 0) -> list[Plain]:
        return [
            self.condition(target=target) for _ in range(self.rng.randint(least, max(least, most)))
        ]

    def condition(self, *, target: bool) -> Plain:
        rng = self.rng
        who = {"who": "target"} if target and rng.random() < 0.7 else {}
        match rng.randrange(7):
            case 0:
                if rng.random() < 0.5:
                    return {"test": "hour", "in": self.hours()}
                return {"test": "hour", "op": self.op(), "n": rng.randint(1, 12)}
            case 1:
                return {"test": "role_open", **who, "is": rng.random() < 0.5}
            case 2:
                which = rng.choice(("start", "origin"))
                return {"test": "marker", "which": which, **who, "is": rng.random() < 0.5}
            case 3:
                at = rng.choice(("current", "next", "past"))
                return {"test": "card_down", "at": at, "is": rng.random() < 0.6}
            case 4:
                return {"test": "roles_open", "who": "others", **self.compared("alive")}
            case 5:
                test = rng.choice((*_OF_TABLE, *(("uses",) if self.is_used else ())))
                return {"test": test, **self.compared(test)}
            case _:
                test = rng.choice(_COUNTED)
                return {"test": test, **who, **self.compared(test)}

    def compared(self, test: str) -> Plain:
        return {"op": self.op(), "n": self.rng.randint(0, _MOST.get(test, 3))}

    def op(self) -> str:
        return self.rng.choice((">=", ">=", "<=", "<", ">", "=="))

    def hours(self) -> list[int]:
        return sorted(self.rng.sample(range(1, 13), self.rng.randint(1, 8)))

    # --- abilities ---

    def ability(self) -> Plain:
        """Return what a seat uses: conditions, picks, and effects that use all of them."""
        rng = self.rng
        self.is_used = True
        picks, using = self.picks()
        when = self.conditions(1, target=False) if rng.random() < 0.4 else []
        effects = [*using, *self.effects(rng.randint(0 if using else 1, 3))]
        rng.shuffle(effects)
        found: Plain = {"when": when} if when else {}
        if picks:
            found["pick"] = picks
        if not using and rng.random() < 0.3:
            found |= self.cases()
        else:
            found["effects"] = effects
        self.has, self.is_used = set(), False
        return found

    def picks(self) -> tuple[list[Plain], list[Plain]]:
        """Return picks and effects that use them."""
        rng = self.rng
        seat: Plain = {"seat": rng.choice(("other", "other", "any"))}
        if rng.random() < 0.3:
            seat["where"] = self.conditions(2, target=True, least=1)
        item, own = {"item": "target"}, {"item": "self"}
        self.has = {"seat"}
        match rng.randrange(11):
            case 0 | 1:
                return [seat], [self.to_target()]
            case 2:
                self.has = set()
                return [], []
            case 3:
                return [seat, item], [
                    rng.choice(({"do": "take"}, {"do": "discard", "what": "item"}))
                ]
            case 4:
                return [seat, item, own], [{"do": "swap", "what": "items"}]
            case 5:
                skills = [{"skill": "target"}, {"skill": "self"}]
                return [seat, *skills], [{"do": "swap", "what": "skills"}]
            case 6:
                return [seat], [{"do": "swap", "what": "life"}]
            case 7:
                guess = {"do": "guess", "then": self.effects(2), "else": self.effects(1)}
                return [seat, {"role": "unseen"}], [guess]
            case 8:
                self.has = set()
                two = [{"hour": rng.choice(("later", "past", "any"))} for _ in range(2)]
                return two, [{"do": "swap", "what": "time_cards"}]
            case 9:
                self.has = set()
                hour = {"hour": rng.choice(("later", "past", "any"))}
                look = {"do": "peek", "what": "time", "at": "picked"}
                return [hour], [rng.choice((look, {"do": "open", "at": "picked"}))]
            case _:
                self.has = set()
                return [own], [{"do": "discard", "what": "item"}]

    def to_target(self) -> Plain:
        return self.rng.choice((
            {"do": "damage", "to": "target", "n": self.rng.randint(1, 3)},
            {"do": "heal", "to": "target", "n": self.rng.randint(1, 3)},
            {"do": "marker", "which": "start", "to": "target"},
            {"do": "reveal", "what": self.rng.choice(("role", "skill")), "to": "target"},
            {"do": "peek", "what": self.rng.choice(("role", "skill"))},
            {"do": self.rng.choice(("skip", "protect")), "to": "target"},
        ))  # fmt: skip

    # --- effects ---

    def effects(self, number: int, depth: int = 1) -> list[Plain]:
        found = [self.effect(depth) for _ in range(number)]
        if self.rng.random() < 0.2:  # a blow, and then something for whom it may have killed
            to = self.rng.choice(_TO)
            late = self.rng.choice(("heal", "heal", "skip", "protect"))
            found[:0] = [
                {"do": "damage", "n": self.rng.choice((1, 5)), "to": to},
                {"do": late, "to": to, **({"n": 1} if late == "heal" else {})},
            ]
        return found

    def effect(self, depth: int) -> Plain:
        rng = self.rng
        if "seat" in self.has and rng.random() < 0.25:
            return self.to_target()
        match rng.randrange(14):
            case 0 | 1 | 2:
                return {"do": "damage", "n": rng.choice((1, 1, 2, 5)), **self.aim()}
            case 3 | 4:
                return {"do": "heal", "n": rng.choice((1, 2)), **self.aim()}
            case 5:
                to = rng.choice(("self", "left", "right", "choose", "choose"))
                return {"do": "marker", "which": "start", "to": to}
            case 6:
                return {"do": "peek", "what": "time", "at": rng.choice(("current", "next"))}
            case 7:
                return {"do": "open", "at": rng.choice(("current", "next"))}
            case 8:
                return {"do": rng.choice(("skip", "protect")), **self.aim()}
            case 9:
                return {"do": "reveal", "what": rng.choice(("role", "skill")), **self.aim()}
            case 10:
                return rng.choice(
                    ({"do": "draw"}, {"do": "gain", "from": "leftover"},
                     {"do": "peek", "what": "leftover"})
                )  # fmt: skip
            case 11 | 12 if depth < 3:
                return {"do": "may", "effects": self.effects(rng.randint(1, 2), depth + 1)}
            case 13 if depth < 3:
                cond = self.condition(target="seat" in self.has)
                then = self.effects(1, depth + 1)
                more = {"else": self.effects(1, depth + 1)} if rng.random() < 0.6 else {}
                return {"do": "if", "cond": cond, "then": then, **more}
            case _:
                return {"do": "damage", "to": "self", "n": 1}

    def aim(self) -> Plain:
        found: Plain = {"to": self.rng.choice(_TO)}
        if self.rng.random() < 0.3:
            found["where"] = self.conditions(1, target=True, least=1)
        return found

    def cases(self) -> Plain:
        hours = self.rng.sample(range(1, 13), 12)
        cut = self.rng.randint(2, 10)
        parts = [sorted(hours[:cut]), sorted(hours[cut:])][: self.rng.randint(1, 2)]
        found: Plain = {
            "cases": [
                {"hours": part, "effects": self.effects(self.rng.randint(1, 2))} for part in parts
            ]
        }
        return found | ({"otherwise": "nothing"} if len(parts) == 1 else {})

    # --- cards ---

    def role(self, base: bool) -> Plain:
        win = {
            "check": self.rng.choice(_WINDOWS),
            # Easy ones end games before anything happens.
            "all": [
                {"test": "hour", "op": ">=", "n": self.rng.randint(3, 11)},
                *self.conditions(3, target=False, least=1),
            ],
        }
        found: Plain = {"base": base, "stars": self.rng.choice((0, 0, 1)), "win": win}
        if self.rng.random() < 0.85:
            found["action"] = {"name_ja": "技", "name_en": "Trick", **self.ability()}
        return found

    def time(self) -> Plain:
        kind = self.rng.choice(("event", "event_stock", "item", "item"))
        found: Plain = {"kind": kind, "stars": self.rng.randint(0, 4)}
        if kind != "item":
            whole = {"effects": self.effects(self.rng.randint(1, 3))}
            return found | (self.cases() if self.rng.random() < 0.4 else whole)
        if self.rng.random() < 0.8:
            found["use"] = self.ability()
        if self.rng.random() < 0.5:
            found["trigger"] = {
                "hours": self.hours(),
                "effects": self.effects(self.rng.randint(1, 2)),
                "after": self.rng.choice(("discard", "keep")),
            }
        return found


def random_set(rng: random.Random) -> CardSet:
    """Return a random set that is read without a fault; one that is too large is made anew."""
    while True:
        maker = _Maker(rng)
        arrays: dict[str, list[Plain]] = {
            "role": [maker.role(n < 4) for n in range(rng.choice((4, 6)))],
            "skill": [{"stars": rng.choice((0, 0, 1)), **maker.ability()} for _ in range(6)],
            "time": [maker.time() for _ in range(12)],
        }
        checked = read_set("random.toml", _written(arrays))
        if checked.cards is not None:
            return checked.cards
        assert {fault.code for fault in checked.faults} == {"E_SIZE"}, checked.faults


def _written(arrays: Mapping[str, Sequence[Plain]]) -> bytes:
    lines = ["[set]", 'id = "random"', "version = 1", 'name_ja = "でたらめ"', 'name_en = "Random"']
    for array, cards in arrays.items():
        for number, card in enumerate(cards):
            lines += [f"[[{array}]]", f'id = "{array}_{number}"']
            lines += [f'name_ja = "{array}{number}"', f'name_en = "{array} {number}"']
            lines += [f"{key} = {_toml(value)}" for key, value in card.items()]
    return "\n".join(lines).encode()


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(part)}" for key, part in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
