"""Whether a JSON value is one of the documents that this package makes, so that it can be read.

Not a validator of JSON Schema: what `compatible` reads has to be there, of the right type, and
referred to only where it is. A document that was emptied must not pass for one that says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

__all__ = ["fault_of", "lead"]

_GATHERED: Final = ("AnyRequest", "AnyServerMessage", "Results")  # in the schema of all messages
_WHOLE: Final = "urn:kaguraden:protocol:1"

_BOUNDS: Final = frozenset(
    f"{end}{what}" for end in ("min", "max") for what in ("imum", "Length", "Items", "Properties")
)


class _Fault(Exception):
    """What is wrong with a document, and where."""


def fault_of(document: object) -> str | None:
    """Say why a value is no document of the protocol; None if it is one."""
    try:
        root = _objects(document, "the document")
        for place, schema in _roots(root):
            _check(root, schema, place)
    except _Fault as fault:
        return str(fault)
    return None


def lead(document: object, reference: str) -> Any:  # noqa: ANN401 - any JSON
    """Return what a reference such as `#/$defs/Act` leads to.

    Raises:
        LookupError: It leads nowhere.
    """
    found: Any = document
    if not reference.startswith("#/"):
        raise LookupError(reference)
    for step in reference.removeprefix("#/").split("/"):
        if not isinstance(found, dict):
            raise LookupError(reference)
        found = found[step]
    return found


def _roots(document: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each schema that stands by itself, and where; check what there is besides."""
    if "asyncapi" in document:
        yield from _asyncapi(document)
        return
    definitions = _objects(document.get("$defs"), "`$defs`")
    if not isinstance(document.get("$id"), str):
        raise _Fault("it has no `$id`")
    needed = _GATHERED if document["$id"] == _WHOLE else ("RoomOptions",)
    for name in needed:
        if name not in definitions:
            raise _Fault(f"`$defs` has no `{name}`")
    if needed != _GATHERED:
        _objects(document.get("properties"), "`properties`")
    yield "", {name: part for name, part in document.items() if name != "$defs"}
    for name, schema in definitions.items():
        yield f"$defs/{name}", schema


def _asyncapi(document: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    components = _objects(document.get("components"), "`components`")
    messages = _objects(components.get("messages"), "`components/messages`")
    schemas = _objects(components.get("schemas"), "`components/schemas`")
    for name, message in messages.items():
        yield f"components/messages/{name}", _object(message, name).get("payload")
    for name, schema in schemas.items():
        yield f"components/schemas/{name}", schema
    for name, channel in _objects(document.get("channels"), "`channels`").items():
        found = channel
        for step in ("bindings", "ws", "headers"):
            found = _object(found, f"the {step} of {name}").get(step, {})
        yield f"channels/{name}/bindings/ws/headers", found
    for name, operation in _objects(document.get("operations"), "`operations`").items():
        if _object(operation, name).get("action") not in ("send", "receive"):
            raise _Fault(f"operations/{name}: no `action`")
        reply = _object(operation.get("reply", {}), f"the reply of {name}")
        for part in (operation, reply):
            for message in _list(part.get("messages", []), f"operations/{name}"):
                _refers(document, message, f"operations/{name}")


def _check(document: dict[str, Any], root: object, place: str) -> None:
    """Check a schema and all that are in it, however deep."""
    waiting: list[tuple[object, str]] = [(root, place)]
    while waiting:
        schema, place = waiting.pop()
        if isinstance(schema, bool):
            continue
        for name, said in _object(schema, place).items():
            where = f"{place}/{name}".removeprefix("/")
            waiting += _parts(name, said, where)
            if name == "$ref":
                _refers(document, schema, place)


def _parts(name: str, said: Any, where: str) -> Iterable[tuple[object, str]]:  # noqa: ANN401
    """Return the schemas in a keyword; check what else it may hold."""
    match name:
        case "properties" | "patternProperties":
            return [(part, f"{where}/{key}") for key, part in _object(said, where).items()]
        case "items" | "additionalProperties" | "propertyNames" | "not":
            return [(said, where)]
        case "oneOf" | "anyOf":
            parts = _some(said, where)
            return [(part, f"{where}/{number}") for number, part in enumerate(parts)]
        case "enum":
            _some(said, where)
        case "required":
            _texts(said, where)
        case "type":
            _texts([said] if isinstance(said, str) else _some(said, where), where)
        case bound if bound in _BOUNDS and (isinstance(said, bool) or not isinstance(said, int)):
            raise _Fault(f"{where}: no whole number")
    return ()


def _refers(document: dict[str, Any], reference: object, where: str) -> None:
    target = _object(reference, where).get("$ref")
    try:
        lead(document, target if isinstance(target, str) else "")
    except LookupError:
        raise _Fault(f"{where}: `$ref` leads nowhere") from None


def _object(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Fault(f"{where or 'the document'}: no object")
    return value


def _objects(value: object, where: str) -> dict[str, Any]:
    """Return an object that has something in it."""
    if value is None:
        raise _Fault(f"{where}: missing")
    if not _object(value, where):
        raise _Fault(f"{where}: empty")
    return value  # type: ignore[return-value]


def _list(value: object, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise _Fault(f"{where}: no array")
    return value


def _some(value: object, where: str) -> list[Any]:
    """Return an array that has something in it."""
    if not _list(value, where):
        raise _Fault(f"{where}: empty")
    return value  # type: ignore[return-value]


def _texts(value: object, where: str) -> None:
    if not all(isinstance(entry, str) for entry in _list(value, where)):
        raise _Fault(f"{where}: not all are texts")
