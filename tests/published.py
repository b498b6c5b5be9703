"""The published schemas as validators, and frames of games to hold against them.

`check` holds a message against what is published, `check_closed` against the same without room for
fields that it does not name: what our server sends has none. `mutants` are messages that no longer
are what they were.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

import attrs
import fastjsonschema
from attrs import define, field
from kaguraden_protocol import messages
from kaguraden_protocol.limits import Limits
from kaguraden_rules.enbu import board
from kaguraden_rules.enbu import events as enbu_events
from kaguraden_rules.enbu import shapes as enbu_shapes
from kaguraden_rules.enbu import view as enbu_view
from kaguraden_rules.kernel import Event, Game, SeatId, Viewer
from kaguraden_rules.odoriko import events as odoriko_events
from kaguraden_rules.odoriko import shapes as odoriko_shapes
from kaguraden_rules.odoriko import view as odoriko_view
from kaguraden_rules.yumeochi import events as yumeochi_events
from kaguraden_rules.yumeochi import shapes as yumeochi_shapes
from kaguraden_rules.yumeochi import state as yumeochi_state
from kaguraden_rules.yumeochi import view as yumeochi_view
from kaguraden_server.published import document
from kaguraden_server.streams import Stream, events_to_wire

__all__ = ["Talk", "check", "check_closed", "frames", "is_valid", "mutants"]

Json = dict[str, Any]
Check = Callable[[Any], object]
ROOM = "KAGU-7Q2F"


def closed(schema: Any) -> Any:
    """Return a schema whose objects have no other fields than those that it names."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: closed(part) for name, part in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        found["additionalProperties"] = False
    return found


@cache
def _validator(path: str, name: str | None, is_closed: bool) -> Check:
    schema = closed(document(path)) if is_closed else document(path)
    root = schema if name is None else {"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]}
    root = {key: value for key, value in root.items() if key not in ("$id", "$schema")}
    made: Check = fastjsonschema.compile(root, use_default=False)
    return made


def _checks(message: Json, name: str | None, game: str | None, is_closed: bool) -> Iterator[Check]:
    yield _validator("schema.json", name, is_closed)
    if message.get("type") == "update" and game is not None:
        yield _validator(f"games/{game}.json", None, is_closed)


def check(message: Json, *, name: str = "AnyServerMessage", game: str | None = None) -> None:
    """Raise if a message is not what the schemas say."""
    for validate in _checks(message, name, game, False):
        validate(message)


def check_closed(message: Json, *, name: str = "AnyServerMessage", game: str | None = None) -> None:
    """Raise if a message is not what the schemas say, or has a field that they do not name."""
    for validate in _checks(message, name, game, True):
        validate(message)


def is_valid(message: Json, *, name: str = "AnyServerMessage", game: str | None = None) -> bool:
    """Tell whether a message is what the schemas say."""
    try:
        check(message, name=name, game=game)
    except fastjsonschema.JsonSchemaException:
        return False
    return True


# --- frames ----------------------------------------------------------------------------------


def frames(
    game: Game[Any, Any], seats: int, steps: Iterable[tuple[Any, tuple[Event, ...]]]
) -> Iterator[Json]:
    """Yield what every viewer of a game is sent at each of its steps, as the server writes it."""
    viewers: tuple[Viewer, ...] = (*map(SeatId, range(seats)), None)
    streams = {viewer: Stream(ROOM, viewer, Limits()) for viewer in viewers}
    for number, (state, events) in enumerate(steps):
        first: list[Any] = [{"kind": "fairness", "commitment": "00" * 32, "nonces": [""] * seats}]
        decisions = game.decisions(state)
        over = game.outcome(state) is not None
        for viewer, stream in streams.items():
            seen, update = stream.advance(
                game.view(state, viewer),
                None if viewer is None else decisions.get(viewer),
                (),
                [*(first if number == 0 else []), *events_to_wire(events, viewer)],
                {"seed": "00" * 32} if over else None,
            )
            stream.commit(seen, update)
            if update is not None:
                yield json.loads(update.render(0))


@define
class Talk:
    """What was said on one connection, each frame held against what is published."""

    heard: set[str] = field(factory=set)  # the types of all that came, and of requests granted
    _asked: dict[object, str] = field(factory=dict)
    _games: dict[str, str] = field(factory=dict)

    def sent(self, request: Json) -> None:
        """Check a request."""
        check(request, name="AnyRequest")
        self._asked[request["id"]] = request["type"]

    def received(self, message: Json) -> None:
        """Check a reply or a push."""
        if message["type"] == "room":
            self._games[message["room"]] = message["info"]["game"]
        check_closed(message, game=self._games.get(message.get("room", "")))
        self.heard.add(message["type"])
        if message["type"] == "ok":
            kind = self._asked[message["re"]]
            self.heard.add(kind)
            if messages.REQUESTS[kind] in messages.RESULTS:
                check_closed({kind: message["result"]}, name="Results")
            else:
                assert message["result"] == {}


# --- mutants ---------------------------------------------------------------------------------

FREE = {"options", "details"}  # objects that may hold anything
SIGNED = {"vp", "delta", "total", "score", "stars"}
# Texts that are one of a few. `card` and the like are not: anybody may add cards.
CLOSED = {
    *("type", "kind", "phase", "game", "goal", "zone", "deck", "price_kind", "name", "mark"),
    *("step", "by", "action", "which", "went", "family", "what", "result"),
}
OPEN_NAMES = {"name"}  # of people and books too, so only where a window has it


MODULES = (
    *(messages, enbu_events, enbu_shapes, enbu_view, odoriko_events, odoriko_shapes, odoriko_view),
    *(yumeochi_events, yumeochi_shapes, yumeochi_view, yumeochi_state, board),
)


def _always() -> frozenset[str]:
    """Return the names of fields that are never left out, in any class that is sent."""
    there: set[str] = {"type", "kind"}
    missing: set[str] = set()
    for module in MODULES:
        for cls in filter(attrs.has, vars(module).values()):
            for part in attrs.fields(cls):
                (missing if part.default is None else there).add(part.name)
    return frozenset(there - missing)


ALWAYS = _always()


def mutants(rng: random.Random, message: Json, number: int) -> Iterator[tuple[str, Json]]:
    """Yield copies of a message with one thing wrong with each, and what that is."""
    places = list(_places(message, ()))
    for path, value in rng.sample(places, min(number, len(places))):
        for what, wrong in _wrong(path, value):
            copy = json.loads(json.dumps(message))
            part = copy
            for step in path[:-1]:
                part = part[step]
            if what == "left out":
                del part[path[-1]]
            else:
                part[path[-1]] = wrong
            yield f"{what} at {'.'.join(map(str, path))}: {wrong!r} for {value!r}", copy


def _places(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if path:
        yield path, value
    inside: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict) and (len(path) == 0 or path[-1] not in FREE):
        inside = value.items()
    elif isinstance(value, list):
        inside = enumerate(value)
    for step, part in inside:
        yield from _places(part, (*path, step))


def _wrong(path: tuple[Any, ...], value: Any) -> Iterator[tuple[str, Any]]:
    name = path[-1]
    yield "null", None
    match value:
        case bool():
            yield "another type", "true"
            yield "another type", 1
        case int():
            yield "another type", str(value)
            yield "another type", value + 0.5
            yield "another type", [value]
            if value >= 0 and name not in SIGNED and "value" not in path:
                yield "negative", -1 - value
        case str():
            yield "another type", 7
            yield "another type", [value]
            if name in CLOSED and name not in OPEN_NAMES:
                yield "no such word", f"{value}x"
        case list():
            yield "another type", {}
            yield "another type", "x"
        case dict():
            yield "another type", []
            yield "another type", "x"
    if name in ALWAYS:
        yield "left out", None
