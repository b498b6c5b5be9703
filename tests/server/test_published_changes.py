"""Every change of a published document is told to break a client or not, as it does.

The changes are made one at a time, each kind at some of the places of the real documents that can
have it, others in each run. Who sends what stands in a place is found here by following references, and not by `compatible`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st
from kaguraden_protocol.compatible import broken
from kaguraden_server import published

from tests.properties.sizes import games

Json = dict[str, Any]
Path = tuple[str | int, ...]
CLIENT, SERVER = "client", "server"
LEAST: Final = ("minimum", "minLength", "minItems")
MOST: Final = ("maximum", "maxLength", "maxItems")
TAGS: Final = ("type", "kind")
NEW: Final = "later"
NEW_KIND: Final = {
    "type": "object",
    "properties": {tag: {"const": NEW} for tag in TAGS},
    "required": list(TAGS),
}
GONE: Final = object()


@frozen
class Change:
    """One change: what becomes of a place, and whom it breaks who sends what stands there."""

    what: str
    place: Path  # of the value that is set, or GONE
    value: Any
    breaks: frozenset[str]

    def __str__(self) -> str:
        return f"{'/'.join(map(str, self.place))}: {self.what}"

    def apply(self, document: Json) -> Json:
        """Change a document of one's own."""
        part: Any = document
        for step in self.place[:-1]:
            part = part[step]
        if self.value is GONE:
            del part[self.place[-1]]
        else:
            part[self.place[-1]] = self.value
        return document


# --- what stands where, and who sends it ----------------------------------------------------------


def at(document: Any, path: Path) -> Any:
    for step in path:
        document = document[step]
    return document


def target(schema: Json) -> Path:
    return tuple(schema["$ref"].removeprefix("#/").split("/"))


def roots(document: Json) -> Iterator[tuple[Path, str]]:
    if "asyncapi" in document:
        operations = document["operations"].values()
        received = {
            target(message)[-1]
            for operation in operations
            if operation["action"] == "receive"
            for message in operation["messages"]
        }
        for name in document["components"]["messages"]:
            place = ("components", "messages", name, "payload")
            yield place, CLIENT if name in received else SERVER
    elif "AnyRequest" in document["$defs"]:
        yield ("$defs", "AnyRequest"), CLIENT
        yield ("$defs", "AnyServerMessage"), SERVER
        yield ("$defs", "Results"), SERVER
    else:
        yield ("$defs", "RoomOptions"), CLIENT
        yield (), SERVER


def senders(document: Json) -> dict[Path, set[str]]:
    """Return the places of all schemas, each with who sends what stands there."""
    found: dict[Path, set[str]] = {}
    waiting = list(roots(document))
    while waiting:
        path, sender = waiting.pop()
        if sender in found.setdefault(path, set()):
            continue
        found[path].add(sender)
        schema = at(document, path)
        if "$ref" in schema:
            waiting.append((target(schema), sender))
        inside: list[Path] = [("properties", name) for name in schema.get("properties", ())]
        if "properties" not in schema:
            for several in ("oneOf", "anyOf"):
                inside += [(several, number) for number in range(len(schema.get(several, ())))]
        inside += [
            (name,)
            for name in ("items", "additionalProperties")
            if isinstance(schema.get(name), dict)
        ]
        waiting += [((*path, *steps), sender) for steps in inside]
    return found


# --- what may be changed ------------------------------------------------------------------------


def changes(document: Json, path: Path) -> Iterator[Change]:
    """Yield the changes of one schema."""
    schema = at(document, path)

    def change(what: str, name: str, value: Any, *breaks: str) -> Change:
        return Change(what, (*path, name), value, frozenset(breaks))

    yield change("described otherwise", "description", "Otherwise.")
    for names, step in ((LEAST, 1), (MOST, -1)):
        for name in names:
            if name in schema:
                bound = schema[name]
                yield change(f"{name} tighter", name, bound + step, CLIENT)
                yield change(f"{name} wider", name, bound - step, SERVER)
                yield change(f"{name} gone", name, GONE, SERVER)
    for name in ("pattern", "not", "uniqueItems"):
        if name in schema:
            yield change(f"{name} gone", name, GONE, SERVER)
        elif name == "not" and "type" in schema:
            yield change("not this", name, {"const": 5}, CLIENT)
    if "default" in schema:
        yield change("another default", "default", [schema["default"]], CLIENT)
    if isinstance(schema.get("type"), str) and "properties" not in schema:
        other = "integer" if schema["type"] == "boolean" else "boolean"
        yield change("another type", "type", other, CLIENT, SERVER)
    if "const" in schema:
        constant: bool | str = not schema["const"] if isinstance(schema["const"], bool) else NEW
        yield change("another constant", "const", constant, CLIENT, SERVER)
    if "enum" in schema:
        words = schema["enum"]
        yield change("new word", "enum", [NEW, *words])
        yield change("any word", "enum", GONE, SERVER)
        for word in words if len(words) > 1 else ():
            fewer = [w for w in words if w != word]
            yield change(f"no word {word}", "enum", fewer, CLIENT, SERVER)
    if "properties" in schema:
        yield from object_changes(schema, path)
    else:
        for several in ("oneOf", "anyOf"):
            if several in schema:
                yield from alternative_changes(document, path, several)


def object_changes(schema: Json, path: Path) -> Iterator[Change]:
    def change(what: str, name: str, value: Any, *breaks: str) -> Change:
        return Change(what, (*path, name), value, frozenset(breaks))

    fields, needed = schema["properties"], schema.get("required", [])
    yield change("new field", "properties", {NEW: {"type": "string"}, **fields})
    yield change("a field is needed", "required", [*needed, NEW], CLIENT)
    for name in fields:
        fewer = {n: field for n, field in fields.items() if n != name}
        yield change(f"no field {name}", "properties", fewer, CLIENT, SERVER)
    for name in set(needed) - set(TAGS):
        yield change(f"left out: {name}", "required", [n for n in needed if n != name], SERVER)
    if "additionalProperties" not in schema:
        yield change("closed", "additionalProperties", False, CLIENT)
    else:
        yield change("open", "additionalProperties", GONE)
    if "patternProperties" in schema:
        yield change("no x_", "patternProperties", GONE, CLIENT)
        yield change("x_ are texts", "patternProperties", {"^x_": {"type": "string"}}, CLIENT)
    for together in ("oneOf", "anyOf"):
        if together in schema:
            yield change("not that field", together, schema[together][1:], CLIENT, SERVER)


def alternative_changes(document: Json, path: Path, several: str) -> Iterator[Change]:
    def change(what: str, value: Any, *breaks: str) -> Change:
        return Change(what, (*path, several), value, frozenset(breaks))

    parts = at(document, (*path, several))
    tagged = any(is_tagged(document, part) for part in parts)
    yield change("in another order", parts[::-1])
    yield change("or true or false", [*parts, {"type": "boolean"}], SERVER)
    if tagged:
        yield change("new kind", [NEW_KIND, *parts])
    for number, part in enumerate(parts):
        fewer = [*parts[:number], *parts[number + 1 :]]
        breaks = (CLIENT, SERVER) if is_tagged(document, part) else (CLIENT,)
        yield change(f"no alternative {number}", fewer, *breaks)


def is_tagged(document: Json, schema: Json) -> bool:
    found = at(document, target(schema)) if "$ref" in schema else schema
    return any("const" in found.get("properties", {}).get(tag, {}) for tag in TAGS)


@cache
def every_change(path: str) -> dict[str, list[tuple[Change, bool]]]:
    """Return the changes of a document by their kinds, each with whether it breaks a client."""
    document = published.document(path)
    found = defaultdict(list)
    for place, sent_by in senders(document).items():
        for change in changes(document, place):
            kind = " ".join(change.what.split()[:2])
            found[kind].append((change, bool(change.breaks & sent_by)))
    return found


@pytest.mark.parametrize("path", published.PATHS)
def test_a_change_of_a_document_breaks_a_client_or_does_not(path: str) -> None:
    old = published.document(path)
    kinds = every_change(path)
    assert len(kinds) > 15

    @games(2)
    @given(st.fixed_dictionaries({kind: st.sampled_from(kinds[kind]) for kind in kinds}))
    def some(chosen: dict[str, tuple[Change, bool]]) -> None:
        for change, breaks in chosen.values():
            assert bool(broken(old, change.apply(published.document(path)))) == breaks, str(change)

    some()
