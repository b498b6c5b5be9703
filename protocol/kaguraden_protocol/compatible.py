"""Whether a client that was written against one published document gets on with a later one.

Within a major version fields, kinds, words and codes are added, and none is taken away (section 17
of the README). `broken` compares two documents of the same name, schemas or AsyncAPI, under that
rule. It reads each part by who sends it: what a server takes may only grow, and of what it sends
everything that was promised has to stay: a client ignores fields, kinds and words that it does not
know, but not a number where a text was, or nothing where there was always something.

Where one of several may stand, a tag says which of the later ones to hold an earlier one against.
Without tags each that a client may send needs one that takes it, and each that a server may send
one that it is a case of. Keywords that are not read here count as
they stand: a client's may go, a server's may come, and none may change.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from attrs import define, field

from kaguraden_protocol.alternatives import (
    LEAST,
    MOST,
    NOTES,
    Part,
    Schema,
    called,
    name_of,
    parts,
    types_of,
    words_of,
)
from kaguraden_protocol.wellformed import fault_of

__all__ = ["NotADocument", "broken"]


class NotADocument(ValueError):
    """What is to be compared is no document of the protocol, or another one."""


class Sender(enum.Enum):
    """Who sends what a schema describes."""

    CLIENT = "client"
    SERVER = "server"


_READ: Final = NOTES.union(
    *(LEAST, MOST, ("type", "const", "enum", "default", "items", "oneOf", "anyOf", "$ref")),
    ("properties", "required", "additionalProperties", "patternProperties"),
)


def broken(old: object, new: Schema) -> list[str]:
    """Return, in plain words, what a client that was written against `old` would trip over.

    Args:
        old: What should be a document of a release.
        new: The document of the same name as it is made now.

    Raises:
        NotADocument: `old` is no document of the protocol, or another one.
    """
    if (fault := fault_of(old)) is not None:
        raise NotADocument(fault)
    assert isinstance(old, dict)  # noqa: S101 - a fault otherwise
    if (was := _identity(old)) != (now := _identity(new)):
        raise NotADocument(f"it is {was}, not {now}")
    comparison = _Comparison(old, new)
    try:
        if "asyncapi" in old:
            comparison.documents()
        else:
            comparison.schemas()
    except RecursionError:
        raise NotADocument("too many schemas in each other") from None
    return list(dict.fromkeys(comparison.found))


@define
class _Comparison:
    """Two documents, and what was found so far."""

    old: Schema
    new: Schema
    found: list[str] = field(factory=list)
    seen: set[tuple[str, str, Sender]] = field(factory=set)

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
        """Compare what two schemas say of the same thing: each alternative with its like."""
        olds, news = parts(self.old, old), parts(self.new, new)
        where = name_of(old) or where
        if not (any(part.kind for part in olds) and any(part.kind for part in news)):
            self._group(olds, news, where, sender)
            return
        for kind in dict.fromkeys(part.kind for part in (*olds, *news)):
            before, after = ([p for p in parts if p.kind == kind] for parts in (olds, news))
            if kind is None or (before and after):
                self._group(before, after, where, sender)
            elif before:
                self.say(where, f"the kind `{kind}` is gone")

    def _group(self, old: list[Part], new: list[Part], where: str, sender: Sender) -> None:
        """Compare alternatives that no tag tells from each other."""
        if len(old) == len(new) == 1:
            self._one(old[0], new[0], where, sender)
        elif sender is Sender.CLIENT:
            self._cover(old, new, where, sender, "it can no longer be")
        else:
            used = self._cover(new, old, where, sender, "it may now be")
            for part in old:
                # A value that no longer comes harms nobody, fields that no longer come do.
                if any(part is other for other in used) or (
                    new and "properties" not in part.schema
                ):
                    continue
                if all(self._trial(part, other, where, sender).found for other in new):
                    self.say(where, f"it can no longer be {_told(part, old)}")

    def _cover(
        self, wanted: list[Part], offered: list[Part], where: str, sender: Sender, lost: str
    ) -> list[Part]:
        """Find for each part one that covers it; return those that were found or come closest."""
        used: list[Part] = []
        left: list[Part] = []
        for part in wanted:
            for other in sorted(
                offered, key=lambda o: (str(o) != str(part), o.schema != part.schema)
            ):
                trial = self._trial(*_ordered(part, other, sender), where, sender)
                if not trial.found:
                    self.seen = trial.seen
                    used.append(other)
                    break
            else:
                left.append(part)
        for part in left:
            like = [
                (other, self._trial(*_ordered(part, other, sender), where, sender))
                for other in offered
                if types_of(other.schema) == types_of(part.schema)
                and not any(other is another for another in used)
            ]
            if not like:
                self.say(where, f"{lost} {_told(part, wanted)}")
                continue
            closest, trial = min(
                like, key=lambda pair: (str(pair[0]) != str(part), len(pair[1].found))
            )
            used.append(closest)
            self.found += trial.found
            self.seen = trial.seen
        return used

    def _trial(self, old: Part, new: Part, where: str, sender: Sender) -> _Comparison:
        """Compare two alternatives that may not belong together."""
        trial = _Comparison(self.old, self.new, seen=set(self.seen))
        trial._one(old, new, where, sender)
        return trial

    def _one(self, earlier: Part, later: Part, where: str, sender: Sender) -> None:
        """Compare two alternatives, if that is not done or under way."""
        if earlier.path is not None and later.path is not None:
            key = (earlier.path, later.path, sender)
            if key in self.seen:
                return
            self.seen.add(key)
        old, new = earlier.schema, later.schema
        where = earlier.name or where
        before, after = types_of(old), types_of(new)
        if not (before <= after if sender is Sender.CLIENT else after <= before):
            self.say(where, f"it is {called(new)}, it was {called(old)}")
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
        before, after = words_of(old), words_of(new)
        if before is not None and after is not None:
            for word in before:
                if word not in after:
                    self.say(where, f"the word {word!r} is gone")
        elif before is None and after is not None and sender is Sender.CLIENT:
            self.say(where, "it has to be one of a few words now")
        elif before is not None and after is None and sender is Sender.SERVER:
            self.say(where, "it is no longer one of a few words")

    def _bounds(self, old: Schema, new: Schema, where: str, sender: Sender) -> None:
        for names, sign in ((LEAST, 1), (MOST, -1)):
            for name in names:
                before, after = old.get(name), new.get(name)
                if before == after:
                    continue
                tighter = before is None or (after is not None and sign * after > sign * before)
                if tighter == (sender is Sender.CLIENT):
                    self.say(where, f"{name} is {after}, it was {before}")
        for name in sorted((old.keys() | new.keys()) - _READ):
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
            for pattern, schema in old.get("patternProperties", {}).items():
                if pattern in new.get("patternProperties", {}):
                    found = new["patternProperties"][pattern]
                    self.compare(schema, found, f"{where}{{{pattern}}}", sender)
        if before is not False and after is not False and (before, after) != (True, True):
            self.compare(before, after, f"{where}{{}}", sender)
        if "properties" in old and "properties" in new:
            together = [[s.get(name) for name in ("oneOf", "anyOf")] for s in (old, new)]
            if together[0] != together[1] and any(together[sender is Sender.CLIENT]):
                self.say(where, "other fields go together now")


# --- alternatives -------------------------------------------------------------------------------


def _ordered(part: Part, other: Part, sender: Sender) -> tuple[Part, Part]:
    """Return the earlier of two and the later: what a server sends is looked for among the old."""
    return (part, other) if sender is Sender.CLIENT else (other, part)


def _told(part: Part, among: list[Part]) -> str:
    """Say what a part is, and how it differs where there are several of its type."""
    alike = [other for other in among if str(other) == str(part)]
    if len(alike) == 1:
        return str(part)
    said = {n: v for n, v in part.schema.items() if n not in NOTES and n != "type"}
    return f"{part} {json.dumps(said, ensure_ascii=False)}"


def _identity(document: Schema) -> str:
    """Return which document it is."""
    return "the AsyncAPI document" if "asyncapi" in document else f"`{document['$id']}`"


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
