"""JSON Schema (2020-12) of every message, made from the classes that read and write them.

The document as a whole describes one message of either direction. `$defs` has each message, each
result and each part by its class name, for those who generate types. Requests are closed but for
fields named `x_…`; what a server sends is open, because a later version may add to it.
"""

from __future__ import annotations

import enum
import inspect
from types import NoneType, UnionType
from typing import Any, Final, TypeAlias, get_args, get_origin

import attrs

from kaguraden_protocol.limits import MAX_INTEGER
from kaguraden_protocol.messages import (
    PUSHES,
    RENAMED,
    REQUESTS,
    RESULTS,
    Deck,
    Error,
    Kick,
    Ok,
    Request,
    UnknownSpec,
)
from kaguraden_protocol.versions import PROTOCOL

__all__ = ["build"]

Schema: TypeAlias = dict[str, Any]

_SIMPLE: Final[dict[Any, Schema]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer", "minimum": -MAX_INTEGER, "maximum": MAX_INTEGER},
    NoneType: {"type": "null"},
}
# What a class checks beyond single fields.
_TOGETHER: Final[dict[type[Any], Schema]] = {
    Deck: {
        "properties": {"starter": {"const": True}},
        "oneOf": [{"required": ["cards"]}, {"required": ["starter"]}],
    },
    Kick: {"oneOf": [{"required": ["seat"]}, {"required": ["user"]}]},
}


def _bounds(validator: object) -> Schema:
    """Return what the validators of a field say of it; those without a schema say nothing."""
    found: Schema = dict(getattr(validator, "schema", {}))
    for part in getattr(validator, "_validators", ()):  # attrs.validators.and_ of several
        found.update(_bounds(part))
    return found


def build() -> Schema:
    """Return the schema of all messages as a JSON object."""
    builder = _Builder()
    requests = [builder.refer(cls) for cls in REQUESTS.values()]
    replies = [builder.refer(cls) for cls in (Ok, Error)]
    pushes = [builder.refer(cls) for cls in PUSHES.values()]
    results = {request.type: builder.refer(cls) for request, cls in RESULTS.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:kaguraden:protocol:1",
        "title": f"Kaguraden protocol {PROTOCOL}",
        "description": "Any one message of either direction.",
        "oneOf": [{"$ref": "#/$defs/AnyRequest"}, {"$ref": "#/$defs/AnyServerMessage"}],
        "$defs": {
            "AnyRequest": {"description": "What a client may send.", "oneOf": requests},
            "AnyServerMessage": {
                "description": "What a server may send; later versions add to it.",
                "oneOf": [*replies, *pushes],
            },
            "Results": {
                "description": "The result in the `ok` to each request; `{}` for all others.",
                "type": "object",
                "properties": results,
            },
            **builder.definitions,
        },
    }


class _Builder:
    """Collects the definitions of the classes that are referred to."""

    def __init__(self) -> None:
        self.definitions: dict[str, Schema] = {}

    def refer(self, cls: type[Any], *, strict: bool | None = None) -> Schema:
        """Return a reference to a class, after seeing to it that it is defined."""
        if cls.__name__ not in self.definitions:
            self.definitions[cls.__name__] = {}  # stands for it while its parts are defined
            closed = issubclass(cls, Request) if strict is None else strict
            self.definitions[cls.__name__] = self._define(cls, closed)
        return {"$ref": f"#/$defs/{cls.__name__}"}

    def _define(self, cls: type[Any], closed: bool) -> Schema:
        attrs.resolve_types(cls)
        properties: dict[str, Schema] = {}
        required: list[str] = []
        kind = getattr(cls, "type", None)
        if isinstance(kind, str):
            properties["type"] = {"const": kind}
            required.append("type")
        for field in attrs.fields(cls):
            name = RENAMED.get(field.name, field.name)
            nullable = "nullable" in field.metadata
            properties[name] = {
                **self._of_type(field.type, nullable=nullable, closed=closed),
                **_bounds(field.validator),
            }
            if field.default is not None:  # what has another default is always written
                required.append(name)
        schema: Schema = {
            "description": inspect.cleandoc(cls.__doc__ or "").split("\n\n")[0],
            "type": "object",
            "properties": properties,
            "required": required,
        }
        together = dict(_TOGETHER.get(cls, {}))
        for name, more in together.pop("properties", {}).items():
            properties[name].update(more)
        schema.update(together)
        if closed:
            schema["patternProperties"] = {"^x_": True}
            schema["additionalProperties"] = False
        return schema

    def _of_type(self, wanted: Any, *, nullable: bool, closed: bool) -> Schema:  # noqa: ANN401
        if wanted is Any:
            return {}
        if wanted in _SIMPLE:
            return dict(_SIMPLE[wanted])
        if isinstance(wanted, UnionType):
            kinds = [k for k in get_args(wanted) if k is not UnknownSpec]
            if not nullable:
                kinds = [k for k in kinds if k is not NoneType]
            options = [self._of_type(k, nullable=False, closed=closed) for k in kinds]
            return options[0] if len(options) == 1 else {"anyOf": options}
        if get_origin(wanted) is tuple:
            entry = self._of_type(get_args(wanted)[0], nullable=False, closed=closed)
            return {"type": "array", "items": entry}
        if get_origin(wanted) is dict:
            return {"type": "object"}
        if issubclass(wanted, enum.Enum):
            return {"enum": [member.value for member in wanted]}
        return self.refer(wanted, strict=closed)
