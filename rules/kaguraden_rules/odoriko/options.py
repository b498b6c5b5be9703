"""The room options of odoriko: each value is a reading of a rule (OD-174).

An option is a field of `Options` whose metadata say what it may be; schema, parsing and formatting
all follow from there. Time limits are the server's (OD-112).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import attrs
from attrs import frozen

from kaguraden_rules.kernel import BadOptions, Json, Problem

__all__ = ["Options", "format_options", "options_schema", "parse_options"]


def _choice(*values: str) -> Any:  # noqa: ANN401 - attrs fields are typed by their annotation
    """Define an option that is one of the values; the first is the default."""
    return attrs.field(default=values[0], metadata={"values": values})


def _number(default: int, least: int, most: int) -> Any:  # noqa: ANN401 - as above
    """Define an option that is a number, `least` to `most`."""
    return attrs.field(default=default, metadata={"range": (least, most)})


@frozen
class Options:
    """What the seats of a room agreed on before the first card was dealt."""

    events: Literal["house", "none"] = _choice("house", "none")  # OD-24
    max_copies_character: int = _number(1, 1, 12)  # OD-22
    max_copies_event: int = _number(2, 0, 12)  # OD-22
    order_pick: Literal["lowest", "highest"] = _choice("lowest", "highest")  # OD-29
    bid_max: int = _number(20, 1, 99)  # OD-32
    actions_per_turn: int = _number(2, 1, 4)  # OD-37
    overflow: Literal["excess", "batch"] = _choice("excess", "batch")  # OD-52
    fc_succession: Literal["none", "kept", "next"] = _choice("none", "kept", "next")  # OD-60
    special_timing: Literal["any", "own_turn"] = _choice("any", "own_turn")  # OD-69
    j_scope: Literal["batch", "pile"] = _choice("batch", "pile")  # OD-72
    q_swap: Literal["free", "action"] = _choice("free", "action")  # OD-76
    auction_mode: Literal["outcry", "polled"] = _choice("outcry", "polled")  # OD-85
    payment_view: Literal["private", "public"] = _choice("private", "public")  # OD-90
    midway_circuit: Literal["full", "round_end"] = _choice("full", "round_end")  # OD-113
    final_count: Literal["lying", "placed"] = _choice("lying", "placed")  # OD-124
    circuit_limit: int = _number(60, 10, 500)  # OD-129
    others_threshold: Literal["total", "single"] = _choice("total", "single")  # OD-136
    unscoped: Literal["whole", "own"] = _choice("whole", "own")  # OD-137
    field_cards: Literal["all", "resource"] = _choice("all", "resource")  # OD-139
    aisha_other: Literal["card", "seat"] = _choice("card", "seat")  # OD-152
    aisha_from: Literal["field", "anywhere"] = _choice("field", "anywhere")  # OD-153

    @property
    def copies_of_character(self) -> int:
        """How many copies of a character a deck may hold: without events, at least 2 (OD-24)."""
        return max(2 if self.events == "none" else 1, self.max_copies_character)


def options_schema() -> dict[str, Json]:
    """Return a JSON Schema of the options, each with its default."""
    properties: dict[str, Json] = {}
    for option in attrs.fields(Options):
        if values := option.metadata.get("values"):
            properties[option.name] = {"enum": list(values), "default": option.default}
        else:
            least, most = option.metadata["range"]
            properties[option.name] = {
                "type": "integer",
                "minimum": least,
                "maximum": most,
                "default": option.default,
            }
    return {"type": "object", "properties": properties, "additionalProperties": False}


def parse_options(raw: Mapping[str, Json]) -> Options:
    """Return the options of a JSON object; what is left out takes its default.

    Raises:
        BadOptions: With one problem for each option that is unknown or has a wrong value.
    """
    known = attrs.fields_dict(Options)
    problems = [
        Problem(f"$.{name}", f"no such option; there are {', '.join(known)}")
        for name in raw
        if name not in known
    ]
    for name, value in raw.items():
        if name not in known:
            continue
        if values := known[name].metadata.get("values"):
            if value not in values:
                problems.append(Problem(f"$.{name}", f"one of {', '.join(values)}"))
        else:
            least, most = known[name].metadata["range"]
            if type(value) is not int or not least <= value <= most:
                problems.append(Problem(f"$.{name}", f"a whole number from {least} to {most}"))
    if problems:
        raise BadOptions(problems)
    chosen: dict[str, Any] = dict(raw)
    return Options(**chosen)


def format_options(options: Options) -> dict[str, Json]:
    """Return the JSON object of the options, defaults included, as they hold."""
    return attrs.asdict(options) | {"max_copies_character": options.copies_of_character}
