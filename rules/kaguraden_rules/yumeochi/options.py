"""The room options of yumeochi (§16): the card set, readings of rules, and the clocks.

`set` and `roles` depend on the sets that are known. Every other option is a field of `Options`
whose metadata say what it may be; schema, parsing and formatting all follow from there. That deals
are committed to and shown in the end is no option (YU-111).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

import attrs
from attrs import frozen

from kaguraden_rules.kernel import BadOptions, Json, Problem
from kaguraden_rules.yumeochi.card import CardSet, Role

__all__ = ["Options", "format_options", "options_schema", "parse_options"]


def _choice(*values: str) -> Any:  # noqa: ANN401 - attrs fields are typed by their annotation
    """Define an option that is one of the values; the first is the default."""
    return attrs.field(default=values[0], metadata={"values": values})


def _number(default: int, least: int, most: int) -> Any:  # noqa: ANN401 - as above
    """Define an option that is a number, `least` to `most`."""
    return attrs.field(default=default, metadata={"range": (least, most)})


def _switch() -> Any:  # noqa: ANN401 - as above
    """Define an option that is false unless it is chosen."""
    return attrs.field(default=False, metadata={"switch": True})


@frozen
class Options:
    """What the seats of a room agreed on before the cards were dealt."""

    cards: CardSet
    roles: tuple[str, ...] = ()  # extra roles, in set order (YU-5)
    first_holder: Literal["random", "named"] = _choice("random", "named")  # YU-10
    exchange_proposals: int = _number(1, 1, 3)  # YU-44
    exchange_refused: Literal["free", "spends"] = _choice("free", "spends")  # YU-44
    time_reference: Literal["hour", "position"] = _choice("hour", "position")  # YU-50
    rabbit_price: Literal["figurine", "figurine_and_skill"] = _choice(
        "figurine", "figurine_and_skill"
    )  # YU-59
    death_shows_skill: bool = _switch()  # YU-66
    dying_opener: Literal["discard", "keep"] = _choice("discard", "keep")  # YU-71
    all_dead: Literal["compare", "dream"] = _choice("compare", "dream")  # YU-74
    last_survivor: Literal["play_on", "wins"] = _choice("play_on", "wins")  # YU-75
    simultaneous_win: Literal["shared", "origin_first"] = _choice("shared", "origin_first")  # YU-80
    card_count: Literal["all", "starred"] = _choice("all", "starred")  # YU-86
    replay: Literal["auto", "ask", "off"] = _choice("auto", "ask", "off")  # YU-88
    replay_limit: int = _number(3, 0, 9)  # YU-88
    end_reveal: Literal["all", "seats_only"] = _choice("all", "seats_only")  # YU-19
    clock_turn: int = _number(75, 10, 600)  # YU-102
    clock_consent: int = _number(30, 5, 300)  # YU-102
    clock_followup: int = _number(30, 5, 300)  # YU-102
    clock_absent: int = _number(5, 1, 60)  # YU-103
    bot_pace: int = _number(2, 0, 30)  # YU-102

    @property
    def pool(self) -> tuple[Role, ...]:
        """The roles that are dealt from: those of the base and the chosen extra ones (YU-5)."""
        return tuple(r for r in self.cards.roles if r.is_base or r.id in self.roles)


_OTHERS: Final = {option.name: option for option in attrs.fields(Options) if option.metadata}


def _extra_roles(cards: CardSet) -> list[str]:
    return [role.id for role in cards.roles if not role.is_base]


def options_schema(sets: Mapping[str, CardSet]) -> dict[str, Json]:
    """Return a JSON Schema of the options, each with its default.

    Args:
        sets: The sets that are known, by their ids; the first is the default.
    """
    extra = dict.fromkeys(role for cards in sets.values() for role in _extra_roles(cards))
    properties: dict[str, Json] = {
        "set": {"enum": list[Json](sets), "default": next(iter(sets))},
        "roles": {
            "type": "array",
            "items": {"enum": list[Json](extra)},
            "uniqueItems": True,
            "default": [],
        },
        **{name: _schema_of(option) for name, option in _OTHERS.items()},
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _schema_of(option: attrs.Attribute[Any]) -> dict[str, Json]:
    if values := option.metadata.get("values"):
        return {"enum": list(values), "default": option.default}
    if bounds := option.metadata.get("range"):
        least, most = bounds
        return {"type": "integer", "minimum": least, "maximum": most, "default": option.default}
    return {"type": "boolean", "default": option.default}


def parse_options(raw: Mapping[str, Json], sets: Mapping[str, CardSet]) -> Options:
    """Return the options of a JSON object; what is left out takes its default.

    Args:
        raw: What the room was given.
        sets: The sets that are known, by their ids; the first is the default.

    Raises:
        BadOptions: With one problem for each option that is unknown or has a wrong value.
    """
    known = ("set", "roles", *_OTHERS)
    problems = [
        Problem(f"$.{name}", f"no such option; there are {', '.join(known)}")
        for name in raw
        if name not in known
    ]
    named = raw.get("set", next(iter(sets)))
    cards = sets.get(named) if isinstance(named, str) else None
    if cards is None:
        problems.append(Problem("$.set", f"one of {', '.join(sets)}"))
    chosen = raw.get("roles", [])
    if right := _wanted_roles(chosen, sets if cards is None else {cards.id: cards}):
        problems.append(Problem("$.roles", right))
    parsed: dict[str, Any] = {}
    for name, option in _OTHERS.items():
        if name in raw:
            parsed[name] = raw[name]
            if right := _wanted(option, raw[name]):
                problems.append(Problem(f"$.{name}", right))
    if problems or cards is None or not isinstance(chosen, list):
        raise BadOptions(problems)
    roles = tuple(role for role in _extra_roles(cards) if role in chosen)
    return Options(cards, roles, **parsed)


def _wanted_roles(value: Json, sets: Mapping[str, CardSet]) -> str | None:
    """Say what `roles` should be where it is not, by the sets that it may mean."""
    extra = list(dict.fromkeys(role for cards in sets.values() for role in _extra_roles(cards)))
    if (
        isinstance(value, list)
        and all(role in extra for role in value)
        and all(value.count(role) == 1 for role in value)
    ):
        return None
    return f"a list of different extra roles of the set: {', '.join(extra) or 'there are none'}"


def _wanted(option: attrs.Attribute[Any], value: Json) -> str | None:
    """Say what an option should be where it is not."""
    if values := option.metadata.get("values"):
        return None if value in values else f"one of {', '.join(values)}"
    if bounds := option.metadata.get("range"):
        least, most = bounds
        if type(value) is int and least <= value <= most:
            return None
        return f"a whole number from {least} to {most}"
    return None if isinstance(value, bool) else "true or false"


def format_options(options: Options) -> dict[str, Json]:
    """Return the JSON object of the options, defaults included."""
    return {
        "set": options.cards.id,
        "roles": list(options.roles),
        **{name: getattr(options, name) for name in _OTHERS},
    }
