"""Views, decisions and catalogs for the terminal client's tests, as they come over the wire."""

from __future__ import annotations

from typing import Any

from kaguraden_client.terminal.painters import Catalog, Context
from kaguraden_client.terminal.words import Lang
from kaguraden_protocol import codec, messages
from kaguraden_rules.odoriko.game import Odoriko
from kaguraden_rules.plain import to_plain

Json = Any
GAME = Odoriko()
CATALOG: dict[str, Json] = GAME.catalog()
NAMES = ("Aki", "Bea", "Cho", "Dai", "Eve", "Fay")


def context(lang: str = "en", me: int | None = 0, **changes: Any) -> Context:
    """Return what a painter is given."""
    return Context(
        lang=Lang(lang),
        me=me,
        names=changes.pop("names", dict(enumerate(NAMES))),
        catalog=changes.pop("catalog", None) or Catalog.of(CATALOG["cards"]),
        **changes,
    )


def wire_decision(decision: object) -> messages.Decision:
    """Return a decision of the rules as the client receives it."""
    plain = to_plain(decision)
    assert isinstance(plain, dict)
    return as_decision(plain)


def as_decision(plain: dict[str, Json]) -> messages.Decision:
    """Return a decision that is written as on the wire."""
    for option in plain["options"]:
        value = option.get("value")
        if value is not None and "among" in value:
            value["from"] = value.pop("among")
        if value is not None and "type" not in value:
            value["type"] = "cards" if "from" in value else "order" if "of" in value else "int"
    plain.setdefault("sealed", False)
    text = codec.to_wire(
        messages.Update(
            room="R", seq=1, full=True, events=(), decisions=(), clock=(), view={"game": "x"}
        )
    )
    text["decisions"] = [plain]
    import json

    update = codec.decode_push_or_reply(json.dumps({"type": "update", **text}))
    assert isinstance(update, messages.Update)
    return update.decisions[0]


def lying(card: str, **marks: bool) -> dict[str, Json]:
    return {"card": card, **marks}


def seat(number: int, **changes: Any) -> dict[str, Json]:
    """Return a seat of a view, with a tree for each field."""
    told = {
        "seat": number,
        "vp": 0,
        "rb": 1,
        "cb": 1,
        "song": [],
        "dance": [],
        "pile": [],
        "resource_deck": 11,
        "character_deck": 10,
        "place": number + 1,
        **changes,
    }
    for zone in ("song", "dance"):
        values = [c["card"][:-1] for c in told[zone]]
        told[f"{zone}_tree"] = sum(int(v) for v in values if v.isdecimal())
    return told


def view(seats: int = 4, **changes: Any) -> dict[str, Json]:
    """Return a table in the middle of the second half, seat 0's view, its turn."""
    everybody = [
        seat(
            0,
            vp=3,
            rb=2,
            song=[lying("9H"), lying("10D"), lying("cc001", fc=True)],
            dance=[lying("7S"), lying("8C")],
            pile=["2S", "KC", "9D", "4H"],
        ),
        seat(
            1,
            vp=-2,
            rb=3,
            song=[lying("2H"), lying("cc002", fc=True, kept=True)],
            dance=[lying("10C"), lying("3S"), lying("cc004")],
            pile=["QD"],
            resource_deck=12,
            character_deck=9,
        ),
        seat(2, vp=12, song=[lying("cc006", kept=True), lying("6D")], dance=[lying("2C")]),
        seat(3, rb=0, cb=0, resource_deck=0, song=[lying("cc009")], pile=["ev_kodama"]),
        seat(4, dance=[lying("cc005", fc=True), lying("6S"), lying("6C"), lying("9S")]),
        seat(5, vp=-12, rb=4, cb=0, song=[lying("3H"), lying("5D"), lying("8H"), lying("7D")]),
    ]
    table = {
        "half": 2,
        "order": list(range(seats)),
        "lying": 9,
        "counted": 9,
        "lying_end": 20,
        "barren": 0,
        "removed": 52 % seats,
        "stack": [],
        "actions_left": 2,
        **changes.pop("table", {}),
    }
    return {
        "game": "odoriko",
        "phase": "turns",
        "turn": 0,
        "asked": [0],
        "seats": everybody[:seats],
        "table": table,
        "you": {"hand": ["4S", "QD", "cc003"], "deck": []},
        **changes,
    }


def action_decision() -> messages.Decision:
    """Return an action point with every kind of action."""
    cards = ["4S", "QD"]
    options: list[dict[str, Json]] = [
        {"id": "draw:resource", "kind": "draw", "args": {"deck": "resource"}},
        {"id": "draw:character", "kind": "draw", "args": {"deck": "character"}},
    ]
    options += [
        {
            "id": f"place_character:cc003:{zone}",
            "kind": "place_character",
            "args": {"card": "cc003", "zone": zone},
        }
        for zone in ("song", "dance")
    ]
    options.append({"id": "place_resource:4S", "kind": "place_resource", "args": {"card": "4S"}})
    options += [
        {
            "id": f"sell:{kind}:{price}",
            "kind": "sell",
            "args": {"price_kind": kind, "price": price},
            "value": {"type": "cards", "from": cards, "min": 1, "max": 2},
        }
        for kind in ("resource", "special", "either")
        for price in range(1, 5)
    ]
    options += [
        {"id": f"discard:{zone}:{card}", "kind": "discard", "args": {"zone": zone, "card": card}}
        for zone, card in (("hand", "4S"), ("hand", "QD"), ("song", "9H"), ("song", "cc001"))
    ]
    options.append({"id": "end_turn", "kind": "end_turn", "args": {}})
    return as_decision({"id": "0.7", "kind": "action", "options": options, "default": "end_turn"})


def auction_decision(low: int = 3, high: int = 4) -> messages.Decision:
    """Return an auction that one may bid in."""
    return as_decision(
        {
            "id": f"0.{low}",
            "kind": "auction",
            "options": [
                {"id": "done", "kind": "done", "args": {}},
                {
                    "id": "bid",
                    "kind": "bid",
                    "args": {},
                    "value": {"type": "int", "min": low, "max": high},
                },
            ],
            "default": "done",
        }
    )
