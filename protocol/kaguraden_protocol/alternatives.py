"""What may stand in one place of a document: the alternatives of a schema, each by itself.

References are followed, and what stands beside a reference or beside `oneOf` and `anyOf` is asked
of each alternative. For `compatible`, which reads the documents of this package.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from attrs import evolve, frozen

from kaguraden_protocol.wellformed import lead

__all__ = [
    "LEAST",
    "MOST",
    "NOTES",
    "Part",
    "Schema",
    "called",
    "name_of",
    "parts",
    "types_of",
    "words_of",
]

Schema: TypeAlias = dict[str, Any]

# Bounds by whether they are the least or the most.
LEAST: Final = ("minimum", "minLength", "minItems", "minProperties")
MOST: Final = ("maximum", "maxLength", "maxItems", "maxProperties")
# What only values of some types can offend against.
_SPEAKS_OF: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), frozenset({"integer", "number"})),
    **dict.fromkeys(("minLength", "maxLength", "pattern", "format"), frozenset({"string"})),
    **dict.fromkeys(("minItems", "maxItems", "uniqueItems", "items"), frozenset({"array"})),
    **dict.fromkeys(
        ("minProperties", "maxProperties", "propertyNames", "properties", "required"),
        frozenset({"object"}),
    ),
    **dict.fromkeys(("additionalProperties", "patternProperties"), frozenset({"object"})),
}
NOTES: Final = frozenset(
    ("title", "description", "examples", "deprecated", "$comment", "$schema", "$id", "$defs")
)


@frozen
class Part:
    """One of the alternatives of a place, with what stands beside the reference to it."""

    schema: Schema
    name: str  # of its definition, "" if it has none
    path: str | None  # where it is defined, by which a comparison under way is known again

    @property
    def kind(self) -> str | None:
        """The tag, None if it has none."""
        return _kind(self.schema)

    def __str__(self) -> str:
        """Say what it is."""
        return self.name or called(self.schema)


def parts(document: Schema, schema: object, path: str | None = None) -> list[Part]:
    """Return the alternatives of a schema, none if it takes nothing."""
    if not isinstance(schema, dict):
        return [] if schema is False else [Part({}, "", path)]
    several = next((name for name in ("$ref", "oneOf", "anyOf") if name in schema), None)
    if several == "$ref":
        reference: str = schema["$ref"]
        inside = parts(document, lead(document, reference), reference)
    elif several is not None and "properties" not in schema:
        inside = [
            part
            for number, one in enumerate(schema[several])
            for part in parts(document, one, path and f"{path}/{several}/{number}")
        ]
    elif isinstance(schema.get("type"), list):
        each = [(kind, {**schema, "type": kind}) for kind in schema["type"]]
        return [Part(_relevant(one), "", path and f"{path}/{kind}") for kind, one in each]
    else:  # what stands beside `properties` tells which fields go together
        return [Part(schema, "", path)]
    beside = {name: said for name, said in schema.items() if name not in NOTES | {several}}
    name = name_of(schema) if len(inside) == 1 else ""
    return [_beside(beside, part, name) for part in inside]


def _beside(beside: Schema, part: Part, name: str) -> Part:
    """Return a part with what is said beside the reference to it."""
    name = part.name or name
    if not beside:
        return evolve(part, name=name)
    return Part(_relevant(_both(beside, part.schema)), name, None)


def _both(one: Schema, other: Schema) -> Schema:
    """Return a schema that asks for what either of two of the same values asks for."""
    both = {**one, **other}
    for names, tightest in ((LEAST, max), (MOST, min)):
        for bound in one.keys() & other.keys() & set(names):
            both[bound] = tightest(one[bound], other[bound])
    if isinstance(one.get("items"), dict) and isinstance(other.get("items"), dict):
        both["items"] = _both(one["items"], other["items"])
    differ = {name for name in one.keys() & other.keys() if one[name] != other[name]}
    if clash := sorted(differ - {*LEAST, *MOST, *NOTES, "items"}):
        both["allOf"] = [{name: one[name] for name in clash}]  # not read: it may not change
    return both


def _relevant(schema: Schema) -> Schema:
    """Return a schema without what says nothing of values of its types."""
    types = types_of(schema)
    return {name: said for name, said in schema.items() if types & _SPEAKS_OF.get(name, types)}


def name_of(schema: object) -> str:
    """Return the name of the definition that is referred to, "" if none is."""
    return schema.get("$ref", "").rpartition("/")[2] if isinstance(schema, dict) else ""


def _kind(schema: Schema) -> str | None:
    """Return the tag of an alternative, None if it has none."""
    for name in ("type", "kind"):
        tag = schema.get("properties", {}).get(name, {})
        if isinstance(tag, dict) and "const" in tag and name in schema.get("required", ()):
            return str(tag["const"])
    return None


def words_of(schema: Schema) -> list[Any] | None:
    """Return the values that there are, None if they are not named."""
    if "const" in schema:
        return [schema["const"]]
    words: list[Any] | None = schema.get("enum")
    return words


_TYPES: Final[Mapping[type[Any], str]] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
    list: "array",
    dict: "object",
}
_ANY: Final = frozenset(_TYPES.values())


def types_of(schema: Schema) -> frozenset[str]:
    """Return the JSON types of the values; a `number` may be an `integer`."""
    said = schema.get("type")
    if said is not None:
        types = frozenset({said} if isinstance(said, str) else said)
        return types | {"integer"} if "number" in types else types
    words = words_of(schema)
    return _ANY if words is None else frozenset(_TYPES[type(word)] for word in words)


def called(schema: Schema) -> str:
    """Return the types in words."""
    types = types_of(schema)
    if "number" in types:
        types -= {"integer"}
    return "anything" if types >= _ANY - {"integer"} else " or ".join(sorted(types))
