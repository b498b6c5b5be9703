"""Whether a client that was written against one published document gets on with a later one.

Within a major version fields, kinds, words and codes are added, and none is taken away (section 17
of the README). `broken` compares two documents of the same name, schemas or AsyncAPI, under that
rule. It reads each part by who sends it: what a server takes may only grow, and of what it sends
everything that was promised has to stay: a client ignores fields, kinds and words that it does not
know, but not a number where a text was, or nothing where there was always something.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from attrs import define, field

__all__ = ["broken"]

Schema: TypeAlias = dict[str, Any]


class Sender(enum.Enum):
    """Who sends what a schema describes."""

    CLIENT = "client"
    SERVER = "server"


# Bounds by whether they are the least or the most.
_LEAST: Final = ("minimum", "minLength", "minItems", "minProperties")
_MOST: Final = ("maximum", "maxLength", "maxItems", "maxProperties")
_EXACT: Final = ("pattern", "format", "multipleOf", "uniqueItems", "propertyNames")


def broken(old: Schema, new: Schema) -> list[str]:
    """Return, in plain words, what a client that was written against `old` would trip over."""
    comparison = _Comparison(old, new)
    if "asyncapi" in old:
        comparison.documents()
    else:
        comparison.schemas()
    return list(dict.fromkeys(comparison.found))


@define
class _Comparison:
    """Two documents, and what was found so far."""

    old: Schema
    new: Schema
    found: list[str] = field(factory=list)
    _seen: set[tuple[str, str, Sender]] = field(factory=set)

    def say(self, where: str, what: str) -> None:
        """Note what a client trips over."""
        self.found.append(f"{where}: {what}" if where else what)

    # --- whole documents -----------------------------------------------------------------------

    def schemas(self) -> None:
        """Compare two schemas: of all messages, or of a game."""
        old, new = self.old.get("$defs", {}), self.new.get("$defs", {})
        self._same_names(old, new, "definition")
        from_client = [name for name in ("AnyRequest", "RoomOptions") if name in old]
        for name in from_client:
            if name in new:
                self.compare(old[name], new[name], name, Sender.CLIENT)
        if "AnyRequest" in old:
            for name in ("AnyServerMessage", "Results"):
                if name in old and name in new:
                    self.compare(old[name], new[name], name, Sender.SERVER)
        else:
            self.compare(
                _without_defs(self.old), _without_defs(self.new), "the message", Sender.SERVER
            )

    def documents(self) -> None:
        """Compare two AsyncAPI documents."""
        self._same_names(_at(self.old, "channels"), _at(self.new, "channels"), "channel")
        for name, channel in _at(self.old, "channels").items():
            other = _at(self.new, "channels").get(name)
            if other is None:
                continue
            if channel.get("address") != other.get("address"):
                self.say(name, f"the address is no longer {channel.get('address')}")
            before, after = (_at(c, "bindings", "ws", "headers") for c in (channel, other))
            self.compare(before, after, f"the handshake of {name}", Sender.CLIENT)
        self._operations()
        messages = _at(self.old, "components", "messages")
        others = _at(self.new, "components", "messages")
        self._same_names(messages, others, "message")
        received = set(_received(self.old))
        for name, message in messages.items():
            if name in others:
                sender = Sender.CLIENT if name in received else Sender.SERVER
                self.compare(message["payload"], others[name]["payload"], name, sender)
        old, new = (_at(document, "components", "schemas") for document in (self.old, self.new))
        self._same_names(old, new, "definition")

    def _operations(self) -> None:
        old, new = _at(self.old, "operations"), _at(self.new, "operations")
        self._same_names(old, new, "operation")
        for name, operation in old.items():
            other = new.get(name)
            if other is None:
                continue
            if operation["action"] != other["action"]:
                self.say(name, f"the action is {other['action']}, it was {operation['action']}")
            for part, before, after in (
                ("message", operation, other),
                ("reply", _at(operation, "reply"), _at(other, "reply")),
            ):
                for message in _named(before) - _named(after):
                    self.say(name, f"the {part} `{message}` is gone")

    def _same_names(self, old: Mapping[str, Any], new: Mapping[str, Any], what: str) -> None:
        for name in old:
            if name not in new:
                self.say("", f"the {what} `{name}` is gone")

    # --- schemas -------------------------------------------------------------------------------

    def compare(self, old: object, new: object, where: str, sender: Sender) -> None:
        """Compare what two schemas say of the same thing."""
        before, after = _schema(old), _schema(new)
        if "$ref" in before and "$ref" in after:
            key = (before["$ref"], after["$ref"], sender)
            if key in self._seen:
                return
            self._seen.add(key)
        where = _place(before, where)
        self._alternatives(
            _split(self._resolved(self.old, before)),
            _split(self._resolved(self.new, after)),
            where,
            sender,
        )

    def _resolved(self, document: Schema, schema: Schema) -> Schema:
        while "$ref" in schema:
            found: Any = document
            for step in schema["$ref"].removeprefix("#/").split("/"):
                found = found[step]
            schema = _schema(found)
        return schema

    def _alternatives(
        self, old: list[Schema], new: list[Schema], where: str, sender: Sender
    ) -> None:
        """Compare what may stand in one place: each alternative with its like."""
        places = {_key(self._resolved(self.old, s)): _place(s, where) for s in old}
        olds = [self._resolved(self.old, s) for s in old]
        news = [self._resolved(self.new, s) for s in new]
        if len(olds) == len(news) == 1 and _kind(olds[0]) == _kind(news[0]):
            self._one(olds[0], news[0], _place(old[0], where), sender)
            return
        before, after = ({_key(s): s for s in alternatives} for alternatives in (olds, news))
        for key, schema in before.items():
            if key in after:
                self._one(schema, after[key], places[key], sender)
            elif _kind(schema) is not None:
                self.say(where, f"the kind `{_kind(schema)}` is gone")
            elif sender is Sender.CLIENT or not after.keys() & before.keys():
                self.say(where, f"it can no longer be {_called(schema)}")
        for key, schema in after.items():
            if key not in before and _kind(schema) is None and sender is Sender.SERVER:
                self.say(where, f"it may now be {_called(schema)}")

    def _one(self, old: Schema, new: Schema, where: str, sender: Sender) -> None:
        before, after = _types(old), _types(new)
        if not (before <= after if sender is Sender.CLIENT else after <= before):
            self.say(where, f"it is {_called(new)}, it was {_called(old)}")
            return
        self._words(old, new, where, sender)
        self._bounds(old, new, where, sender)
        if sender is Sender.CLIENT and old.get("default") != new.get("default"):
            was, now = old.get("default"), new.get("default")
            self.say(where, f"what is left out means {now!r}, it was {was!r}")
        if "items" in old or "items" in new:
            self.compare(old.get("items", {}), new.get("items", {}), f"{where}[]", sender)
        self._fields(old, new, where, sender)

    def _words(self, old: Schema, new: Schema, where: str, sender: Sender) -> None:
        before, after = _words(old), _words(new)
        if before is not None and after is not None:
            for word in before:
                if word not in after:
                    self.say(where, f"the word {word!r} is gone")
        elif before is None and after is not None and sender is Sender.CLIENT:
            self.say(where, "it has to be one of a few words now")
        elif before is not None and after is None and sender is Sender.SERVER:
            self.say(where, "it is no longer one of a few words")

    def _bounds(self, old: Schema, new: Schema, where: str, sender: Sender) -> None:
        for names, sign in ((_LEAST, 1), (_MOST, -1)):
            for name in names:
                before, after = old.get(name), new.get(name)
                if before == after:
                    continue
                tighter = before is None or (after is not None and sign * after > sign * before)
                if tighter == (sender is Sender.CLIENT):
                    self.say(where, f"{name} is {after}, it was {before}")
        for name in _EXACT:
            before, after = old.get(name), new.get(name)
            said = after if sender is Sender.CLIENT else before
            if before != after and said is not None:
                self.say(where, f"{name} is {after}, it was {before}")

    # --- objects -------------------------------------------------------------------------------

    def _fields(self, old: Schema, new: Schema, where: str, sender: Sender) -> None:
        before, after = old.get("properties", {}), new.get("properties", {})
        for name, schema in before.items():
            if name not in after:
                self.say(where, f"the field `{name}` is gone")
            else:
                self.compare(schema, after[name], f"{where}.{name}", sender)
        needed, given = set(new.get("required", ())), set(old.get("required", ()))
        if sender is Sender.CLIENT:
            for name in sorted(needed - given):
                self.say(where, f"the field `{name}` is needed now")
        else:
            for name in sorted((given - needed) & after.keys()):
                self.say(where, f"the field `{name}` may be left out now")
        self._others(old, new, where, sender)

    def _others(self, old: Schema, new: Schema, where: str, sender: Sender) -> None:
        """Compare what is said of fields that have no name here, and of fields together."""
        before, after = (s.get("additionalProperties", True) for s in (old, new))
        if sender is Sender.CLIENT and after is False:
            if before is not False:
                self.say(where, "fields that it does not know are refused now")
            for pattern in old.get("patternProperties", {}):
                if pattern not in new.get("patternProperties", {}):
                    self.say(where, f"fields like {pattern} are refused now")
        if isinstance(before, dict) or isinstance(after, dict):
            self.compare(before, after, f"{where}{{}}", sender)
        if "properties" in old and "properties" in new:
            together = [[s.get(name) for name in ("oneOf", "anyOf")] for s in (old, new)]
            if together[0] != together[1] and any(together[sender is Sender.CLIENT]):
                self.say(where, "other fields go together now")


# --- what a schema says --------------------------------------------------------------------------


def _schema(value: object) -> Schema:
    """Return a schema as an object; true takes anything, as no schema does."""
    return value if isinstance(value, dict) else {}


def _place(schema: Schema, where: str) -> str:
    """Return where one is in a schema: by the name of its definition, if it has one."""
    name: str = schema.get("$ref", "").rpartition("/")[2]
    return name or where


def _split(schema: Schema) -> list[Schema]:
    """Return the alternatives of a schema, itself if it has none."""
    if "properties" in schema:
        return [schema]  # what is there besides tells which fields go together
    alternatives: list[Schema] = schema.get("oneOf") or schema.get("anyOf") or [schema]
    return alternatives


def _kind(schema: Schema) -> str | None:
    """Return the tag of an alternative, None if it has none."""
    for name in ("type", "kind"):
        tag = schema.get("properties", {}).get(name, {})
        if "const" in tag and name in schema.get("required", ()):
            return str(tag["const"])
    return None


def _key(schema: Schema) -> str:
    return f"kind {_kind(schema)}" if _kind(schema) else _called(schema)


def _words(schema: Schema) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    words: list[Any] | None = schema.get("enum")
    return words


_TYPES: Final = {str: "string", bool: "boolean", int: "integer", type(None): "null"}
_ANY: Final = frozenset({"string", "boolean", "integer", "null", "array", "object"})


def _types(schema: Schema) -> frozenset[str]:
    said = schema.get("type")
    if isinstance(said, str):
        return frozenset({said})
    if said is not None:
        return frozenset(said)
    words = _words(schema)
    return _ANY if words is None else frozenset(_TYPES[type(word)] for word in words)


def _called(schema: Schema) -> str:
    types = _types(schema)
    return "anything" if types == _ANY else " or ".join(sorted(types))


def _without_defs(schema: Schema) -> Schema:
    return {name: part for name, part in schema.items() if name != "$defs"}


# --- AsyncAPI ------------------------------------------------------------------------------------


def _at(part: Mapping[str, Any], *steps: str) -> dict[str, Any]:
    """Return the object at a path, an empty one if there is none."""
    found: Any = part
    for step in steps:
        found = found.get(step, {}) if isinstance(found, Mapping) else {}
    return dict(found)


def _named(part: Mapping[str, Any]) -> set[str]:
    """Return the names of the messages that an operation or a reply refers to."""
    return {message["$ref"].rpartition("/")[2] for message in part.get("messages", ())}


def _received(document: Schema) -> Iterator[str]:
    """Yield the names of the messages that the server receives."""
    for operation in _at(document, "operations").values():
        if operation["action"] == "receive":
            yield from _named(operation)
