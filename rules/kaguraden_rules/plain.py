"""Values of the rules as plain JSON values, and back.

`to_plain` is how views, events, decisions, catalogues and states look outside: attrs classes become
dicts, parts that are None are left out, tuples become lists, enums their values, bytes hexadecimal
text. A class that names its `kind` in a class variable (an event, a frame) gets it as the first
key, so members of a union can be told apart.

`structure` reads a state back. It trusts its input, which the rules themselves wrote; what comes
from players goes through the protocol's strict readers first.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, Union, cast

import attrs
import cattrs
from cattrs.gen import make_dict_structure_fn

from kaguraden_rules.kernel import Json, Value

__all__ = ["structure", "to_plain"]

T = TypeVar("T")


def to_plain(value: object) -> Json:
    """Return the value as JSON knows it."""
    return cast("Json", _converter.unstructure(value))


def structure(cls: type[T], plain: Json) -> T:
    """Return the value of class `cls` that `to_plain` wrote."""
    return _converter.structure(plain, cls)


def _tag(cls: type) -> str | None:
    """Return the kind that a class names in a class variable."""
    if not attrs.has(cls) or any(a.name == "kind" for a in attrs.fields(cls)):
        return None
    kind = getattr(cls, "kind", None)
    return kind if isinstance(kind, str) else None


def _unstructure_hook(cls: type) -> Callable[[Any], dict[str, Json]]:
    names = [attribute.name for attribute in attrs.fields(cls)]
    tag = _tag(cls)
    head: dict[str, Json] = {} if tag is None else {"kind": tag}
    unstructure = _converter.unstructure

    def hook(value: Any) -> dict[str, Json]:  # noqa: ANN401 - any attrs class
        plain = head.copy()
        for name in names:
            part = getattr(value, name)
            if part is None:
                continue
            simple = type(part) is str or type(part) is int or type(part) is bool
            plain[name] = part if simple else unstructure(part)
        return plain

    return hook


def _structure_hook(cls: type) -> Callable[[Any, Any], Any]:
    attrs.resolve_types(cls)
    read: Callable[[Any, Any], Any] = make_dict_structure_fn(cls, _converter)
    left_out = {  # where they are None, and no default says so
        a.name: None
        for a in attrs.fields(cls)
        if a.default is attrs.NOTHING and _is_union(a.type) and _NONE in typing.get_args(a.type)
    }
    if not left_out:
        return read
    return lambda plain, cls: read({**left_out, **plain}, cls)


def _is_union(cls: Any) -> bool:  # noqa: ANN401 - any type
    return typing.get_origin(cls) in (Union, types.UnionType)


def _tagged(cls: Any) -> dict[str, type] | None:  # noqa: ANN401 - any type
    """Return the classes of a union by their kinds, where all have one."""
    if not _is_union(cls):
        return None
    classes = [c for c in typing.get_args(cls) if c is not type(None)]
    tags = [_tag(c) if isinstance(c, type) else None for c in classes]
    if not classes or any(tag is None for tag in tags):
        return None
    return {str(tag): c for tag, c in zip(tags, classes, strict=True)}


def _tagged_hook(cls: Any) -> Callable[[Any, Any], Any]:  # noqa: ANN401 - any type
    classes = _tagged(cls) or {}

    def hook(plain: Any, _: Any) -> Any:  # noqa: ANN401 - any of the union
        return None if plain is None else _converter.structure(plain, classes[plain["kind"]])

    return hook


def _structure_value(plain: Any, _: Any) -> Any:  # noqa: ANN401 - kernel.Value
    return tuple(plain) if isinstance(plain, list) else plain


_NONE = type(None)
_converter = cattrs.Converter(detailed_validation=False)
_converter.register_unstructure_hook_factory(attrs.has, _unstructure_hook)
_converter.register_unstructure_hook(bytes, bytes.hex)
_converter.register_structure_hook(bytes, lambda plain, _: bytes.fromhex(plain))
_converter.register_structure_hook_factory(attrs.has, _structure_hook)
_converter.register_structure_hook_func(lambda cls: cls == Value, _structure_value)
_converter.register_structure_hook_func(
    lambda cls: cls is Any or cls == Mapping[str, Any], lambda plain, _: plain
)
_converter.register_structure_hook_factory(lambda cls: _tagged(cls) is not None, _tagged_hook)
