"""JSON Schema (2020-12) of messages and of games, made from the classes that read and write them.

`build` describes one message of either direction. `$defs` has each message, each result and each
part by its class name, for those who generate types. Requests are closed but for fields named
`x_…`; what a server sends is open, because a later version may add to it.

`build_game` describes the updates of one game: its view, its events and its decisions, from classes
that the caller hands in. Nothing here knows a game.

All references lead to `$defs` of the same document, so no schema needs another one. What is used
means the same in draft 7, which AsyncAPI and many tools read.
"""

from __future__ import annotations

import enum
import inspect
import typing
from collections.abc import Callable, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias, Union, get_args, get_origin

import attrs
from attrs import Attribute, field, frozen

from kaguraden_protocol.limits import MAX_INTEGER, Limits
from kaguraden_protocol.messages import (
    PUSHES,
    RENAMED,
    REQUESTS,
    RESULTS,
    CardsSpec,
    Decision,
    Deck,
    Error,
    IntSpec,
    Kick,
    Ok,
    OrderSpec,
    Request,
    Text,
    UnknownSpec,
    Update,
)
from kaguraden_protocol.versions import PROTOCOL

__all__ = ["Game", "OptionKind", "Schema", "build", "build_game"]

Schema: TypeAlias = dict[str, Any]

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
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
    Limits: {"required": []},  # the usual ones hold where a server leaves one out
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
        "$schema": DRAFT,
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


# --- games -----------------------------------------------------------------------------------


@frozen
class Fairness:
    """How the deal was committed to, and what the seats gave to it (section 16 of the README)."""

    kind: ClassVar[str] = "fairness"
    commitment: str  # SHA-256 of the secret seed, in hex
    nonces: tuple[str, ...]


@frozen
class Reveal:
    """The secret seed in hex, once it may be told."""

    seed: str


@frozen
class OptionKind:
    """A kind of option: a class whose fields are its `args`, and the values that it may come with.

    None among `values` says that it may come without one.
    """

    kind: str
    args: type[Any]
    values: tuple[type[IntSpec | CardsSpec | OrderSpec] | None, ...] = (None,)


@frozen
class Game:
    """What a game says of its part of the wire.

    The classes are attrs classes. `names` has the schemas of types that they use and that are
    classes of nobody, each with its name; `alike` the class that is described in place of another.
    """

    id: str
    rules: str
    view: type[Any]
    phases: tuple[str, ...]
    outcome: type[Any]  # with the fields `ranking` and `reason`
    rank: type[Any]
    reasons: tuple[str, ...]
    events: tuple[type[Any], ...]
    decisions: Mapping[str, tuple[OptionKind, ...]]
    options: Schema  # of the room options
    names: Mapping[Any, tuple[str, Schema]] = field(factory=dict)
    alike: Mapping[type[Any], type[Any]] = field(factory=dict)
    is_sent: Callable[[Attribute[Any]], bool] = lambda _: True
    note: Callable[[Attribute[Any]], str | None] = lambda _: None  # what to say of a field


def build_game(game: Game) -> Schema:
    """Return the schema of the updates of a game as a JSON object."""
    builder = _Builder(game)
    told: tuple[type[Any], ...] = (Fairness, *game.events)
    events = [builder.refer(cls, name=f"{cls.__name__}Event") for cls in told]
    event = {
        "description": "One of the kinds that there are now. Later versions add kinds, which a "
        "client ignores.",
        "oneOf": events,
    }
    decision = {
        "description": "One of the kinds that there are now. Later versions add kinds of decisions "
        "and of options: a client that knows none of the options takes the default.",
        "oneOf": [_decision(builder, *entry) for entry in game.decisions.items()],
    }
    builder.names[Decision] = ("Decision", decision)
    builder.refer(Update)
    update = builder.definitions.pop("Update")
    _specialise_view(builder, game)
    parts = update["properties"]
    parts["events"]["items"] = builder.define("Event", event)
    parts["view"] = {"$ref": f"#/$defs/{game.view.__name__}"}
    return {
        "$schema": DRAFT,
        "$id": f"urn:kaguraden:protocol:1:{game.id}",
        "title": f"{game.id} (rules {game.rules}) in Kaguraden protocol {PROTOCOL}",
        **update,
        "description": f"An update of a room in which {game.id} is played. {update['description']}",
        "$defs": {
            "RoomOptions": {
                "description": "The options of a room, as `create` takes them: those of a server "
                "without cards of its own. The reply to `hello` has a server's own.",
                **game.options,
            },
            **{name: builder.definitions[name] for name in sorted(builder.definitions)},
        },
    }


def _specialise_view(builder: _Builder, game: Game) -> None:
    """Write down what all views have in common: the words of this game, and the deal's seed."""
    builder.refer(game.view)
    builder.refer(game.rank)
    builder.refer(Reveal)
    view = builder.definitions[game.view.__name__]["properties"]
    view["game"] = {"const": game.id}
    view["phase"] = {"enum": list(game.phases)}
    outcome = builder.definitions[game.outcome.__name__]["properties"]
    outcome["ranking"]["items"] = {"$ref": f"#/$defs/{game.rank.__name__}"}
    outcome["reason"] = {"enum": list(game.reasons)}
    outcome["fairness"] = {"$ref": "#/$defs/Reveal"}


def _decision(builder: _Builder, kind: str, options: tuple[OptionKind, ...]) -> Schema:
    """Define a kind of decision and its kinds of option; return a reference to it."""
    offered = [_option(builder, option) for option in options]
    text = {"type": "string"}
    return builder.define(
        f"{_camel(kind)}Decision",
        {
            "description": f"The decision `{kind}`, with every answer that is accepted.",
            "type": "object",
            "properties": {
                "id": text,
                "kind": {"const": kind},
                "options": {
                    "type": "array",
                    "items": offered[0] if len(offered) == 1 else {"oneOf": offered},
                },
                "default": text,
                "sealed": {"type": "boolean"},
                "prompt": builder.refer(Text),
            },
            "required": ["id", "kind", "options", "default", "sealed"],
        },
    )


def _option(builder: _Builder, option: OptionKind) -> Schema:
    name = f"{option.args.__name__}Option"
    args = builder.refer(option.args, name=f"{option.args.__name__}Args", tagged=False)
    specs = [builder.refer(spec) for spec in option.values if spec is not None]
    properties = {"id": {"type": "string"}, "kind": {"const": option.kind}, "args": args}
    required = ["id", "kind", "args"]
    if specs:
        properties["value"] = specs[0] if len(specs) == 1 else {"oneOf": specs}
        required += [] if None in option.values else ["value"]
    return builder.define(
        name,
        {
            "description": _described(option.args),
            "type": "object",
            "properties": properties,
            "required": required,
        },
    )


def _camel(kind: str) -> str:
    return "".join(part.capitalize() for part in kind.split("_"))


# --- classes ---------------------------------------------------------------------------------


def _described(cls: type[Any]) -> str:
    first = inspect.cleandoc(cls.__doc__ or "").split("\n\n")[0]
    return " ".join(first.split())


def _tag(cls: type[Any]) -> tuple[str, str] | None:
    """Return the field that tells a class from others of its union, and its value there."""
    for name in ("type", "kind"):
        value = getattr(cls, name, None)
        if isinstance(value, str):
            return name, value
    return None


class _Builder:
    """Collects the definitions of the classes that are referred to."""

    def __init__(self, game: Game | None = None) -> None:
        self.definitions: dict[str, Schema] = {}
        self._defined: dict[str, object] = {}  # what each name stands for
        self.names = {} if game is None else dict(game.names)
        self._alike = {} if game is None else game.alike
        self._is_sent = (lambda _: True) if game is None else game.is_sent
        self._note = (lambda _: None) if game is None else game.note

    def refer(
        self,
        cls: type[Any],
        *,
        strict: bool | None = None,
        name: str | None = None,
        tagged: bool = True,
    ) -> Schema:
        """Return a reference to a class, after seeing to it that it is defined.

        Args:
            cls: An attrs class.
            strict: Whether unknown fields are refused; by default that of requests.
            name: What it is called; by default as the class.
            tagged: Whether its tag is one of its fields.
        """
        cls = self._alike.get(cls, cls)
        name = name or cls.__name__
        if name not in self._defined:
            self._defined[name] = cls
            self.definitions[name] = {}  # stands for it while its parts are defined
            closed = issubclass(cls, Request) if strict is None else strict
            self.definitions[name] = self._define(cls, closed, _tag(cls) if tagged else None)
        return self._reference(name, cls)

    def define(self, name: str, schema: Schema) -> Schema:
        """Define a name and return a reference to it."""
        if name not in self._defined:
            self._defined[name] = schema
            self.definitions[name] = schema
        return self._reference(name, schema)

    def _reference(self, name: str, thing: object) -> Schema:
        if self._defined[name] is not thing and self._defined[name] != thing:
            raise ValueError(f"two things are called {name}")
        return {"$ref": f"#/$defs/{name}"}

    def _define(self, cls: type[Any], closed: bool, tag: tuple[str, str] | None) -> Schema:
        types = typing.get_type_hints(cls, include_extras=True)
        properties: dict[str, Schema] = {}
        required: list[str] = []
        if tag is not None:
            properties[tag[0]] = {"const": tag[1]}
            required.append(tag[0])
        for entry in attrs.fields(cls):
            if not self._is_sent(entry):
                continue
            name = RENAMED.get(entry.name, entry.name.rstrip("_"))
            nullable = "nullable" in entry.metadata
            properties[name] = {
                **self._of_type(types[entry.name], nullable=nullable, closed=closed),
                **_bounds(entry.validator),
            }
            if note := self._note(entry):
                properties[name]["description"] = note
            if entry.default is not None:  # what has another default is always written
                required.append(name)
        schema: Schema = {
            "description": _described(cls),
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
        if wanted in self.names:
            name, schema = self.names[wanted]
            return self.define(name, schema)
        match get_origin(wanted):
            case origin if origin is Annotated:
                return self._of_annotated(wanted, nullable=nullable, closed=closed)
            case origin if origin in (Union, UnionType):
                return self._of_union(wanted, nullable=nullable, closed=closed)
            case origin if origin is Literal:
                words = list(get_args(wanted))
                return {"const": words[0]} if len(words) == 1 else {"enum": words}
            case origin if origin is tuple:
                entry = self._of_type(get_args(wanted)[0], nullable=False, closed=closed)
                return {"type": "array", "items": entry}
            case origin if isinstance(origin, type) and issubclass(origin, Mapping):
                entry = self._of_type(get_args(wanted)[1], nullable=False, closed=closed)
                return {"type": "object"} | ({"additionalProperties": entry} if entry else {})
        if issubclass(wanted, enum.Enum):
            return {"enum": [member.value for member in wanted]}
        return self.refer(wanted, strict=closed)

    def _of_annotated(self, wanted: Any, *, nullable: bool, closed: bool) -> Schema:  # noqa: ANN401
        """Return the schema of a type with marks: bounds, words, or a class that it looks like."""
        kept, *marks = get_args(wanted)
        shapes = [mark.shape for mark in marks if hasattr(mark, "shape")]
        if shapes:
            return self.refer(shapes[0], strict=closed)
        found = self._of_type(kept, nullable=nullable, closed=closed)
        for mark in marks:
            found |= getattr(mark, "schema", {})
        return found

    def _of_union(self, wanted: Any, *, nullable: bool, closed: bool) -> Schema:  # noqa: ANN401
        kinds = [k for k in get_args(wanted) if k is not UnknownSpec]
        if not nullable:
            kinds = [k for k in kinds if k is not NoneType]
        options = [self._of_type(k, nullable=False, closed=closed) for k in kinds]
        if len(options) == 1:
            return options[0]
        tagged = all(isinstance(k, type) and attrs.has(k) and _tag(k) for k in kinds)
        return {"oneOf" if tagged else "anyOf": options}
