"""From text to messages and back.

`decode_request` is the server's ear. For any input it returns a request or raises
`RemoteProtocolError`, which says all that the reply needs; unknown fields are refused, but for
those named `x_…`, so that a typo does not pass silently. `decode_push_or_reply` is a client's
ear: what a later minor version may have added is ignored. `encode` is everybody's mouth and never
writes what the other end would have to refuse.

Types are taken exactly: no text for a number, no truth value for a number, no text for a list.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from functools import partial
from types import NoneType
from typing import Any, Final, TypeVar, get_args, get_origin

import attrs
from cattrs import Converter
from cattrs.errors import (
    AttributeValidationNote,
    ClassValidationError,
    ForbiddenExtraKeysError,
    IterableValidationError,
    IterableValidationNote,
)
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from kaguraden_protocol import jsontext
from kaguraden_protocol._checks import BadField
from kaguraden_protocol.errors import ErrorCode, Problem, RemoteProtocolError
from kaguraden_protocol.jsontext import BadJson
from kaguraden_protocol.limits import MAX_ID_CHARACTERS, MAX_PROBLEMS, Limits
from kaguraden_protocol.messages import (
    PUSHES,
    RENAMED,
    REQUESTS,
    Act,
    CardsSpec,
    Error,
    IntSpec,
    Json,
    Locale,
    Mode,
    Ok,
    OrderSpec,
    Push,
    Reply,
    Request,
    RequestId,
    Result,
    Role,
    ServerMessage,
    Unknown,
    UnknownSpec,
    Value,
    ValueSpec,
)

__all__ = ["decode_push_or_reply", "decode_request", "decode_result", "encode", "to_wire"]

R = TypeVar("R", bound=Result)
_DEFAULTS: Final = Limits()
_IGNORED_PREFIX: Final = "x_"
_REPLIES: Final[dict[str, type[Reply]]] = {Ok.type: Ok, Error.type: Error}
_SPECS: Final[dict[str, type[Any]]] = {c.type: c for c in (IntSpec, CardsSpec, OrderSpec)}
_PLAIN: Final = frozenset({int, str, bool, NoneType})  # what unions may hold to pass unchanged


class _Mismatch(ValueError):
    """A value is of the wrong type. The message says what was expected."""


# --- reading ---------------------------------------------------------------------------------


def decode_request(data: str | bytes, limits: Limits = _DEFAULTS) -> Request:
    """Return the request that a frame holds.

    Raises:
        RemoteProtocolError: For anything else. Its `code` is `bad_json`, `bad_message`,
            `unknown_type`, or `bad_value` for an answer whose value no option can take.
    """
    fields = _object(data, limits.frame_in_bytes)
    re = _id_of(fields)
    name = fields.pop("type", None)
    if not isinstance(name, str):
        problem = "missing" if name is None else "expected text"
        raise RemoteProtocolError(ErrorCode.BAD_MESSAGE, re, [Problem("$.type", problem)])
    cls = REQUESTS.get(name)
    if cls is None:
        raise RemoteProtocolError(
            ErrorCode.UNKNOWN_TYPE, re, [Problem("$.type", "no request of this name")]
        )
    try:
        return _STRICT.structure(fields, cls)
    except ClassValidationError as error:
        problems = tuple(_problems(error, "$"))
        only_value = cls is Act and all(p.path.startswith("$.value") for p in problems)
        code = ErrorCode.BAD_VALUE if only_value else ErrorCode.BAD_MESSAGE
        raise RemoteProtocolError(code, re, problems[:MAX_PROBLEMS]) from None


def decode_push_or_reply(data: str | bytes, limits: Limits = _DEFAULTS) -> ServerMessage:
    """Return the push or reply that a frame holds; `Unknown` for one of a later version.

    Raises:
        RemoteProtocolError: The frame holds no message.
    """
    fields = _object(data, limits.frame_out_bytes)
    name = fields.get("type")
    if not isinstance(name, str):
        raise RemoteProtocolError(ErrorCode.BAD_MESSAGE, None, [Problem("$.type", "expected text")])
    cls = _REPLIES.get(name) or PUSHES.get(name)
    if cls is None:
        return Unknown(fields)
    message: ServerMessage = _lenient(fields, cls)
    return message


def decode_result(cls: type[R], result: dict[str, Json]) -> R:
    """Return the result of an `Ok` as the class that `RESULTS` names for the request.

    Raises:
        RemoteProtocolError: It is no such result.
    """
    made: R = _lenient(result, cls)
    return made


def _object(data: str | bytes, max_bytes: int) -> dict[str, Json]:
    try:
        value = jsontext.read(data, max_bytes)
    except BadJson as error:
        raise RemoteProtocolError(ErrorCode.BAD_JSON, _id_of(error.value), error.problems) from None
    if not isinstance(value, dict):
        raise RemoteProtocolError(ErrorCode.BAD_JSON, None, [Problem("$", "expected an object")])
    return value


def _id_of(value: object) -> RequestId | None:
    """Return the id of a request that may be wrong in any other way, or None."""
    found = value.get("id") if isinstance(value, dict) else None
    if type(found) is int:
        return found
    if isinstance(found, str) and 1 <= len(found) <= MAX_ID_CHARACTERS:
        return found if jsontext.is_clean(found) else None
    return None


def _lenient(fields: dict[str, Json], cls: type[Any]) -> Any:  # noqa: ANN401 - of type `cls`
    try:
        return _LENIENT.structure(fields, cls)
    except ClassValidationError as error:
        problems = tuple(_problems(error, "$"))[:MAX_PROBLEMS]
        raise RemoteProtocolError(ErrorCode.BAD_MESSAGE, None, problems) from None


def _problems(error: Exception, path: str) -> Iterator[Problem]:
    """Yield the faults that cattrs found, each with its path."""
    match error:
        case ClassValidationError() | IterableValidationError():
            noted, others = error.group_exceptions()
            for inner, note in noted:
                key = note.index if isinstance(note, IterableValidationNote) else note.name
                yield from _problems(inner, jsontext.step(path, RENAMED.get(str(key), key)))
            for inner in others:
                yield from _problems(inner, path)
        case ForbiddenExtraKeysError():
            for name in sorted(error.extra_fields)[: MAX_PROBLEMS + 1]:
                yield Problem(jsontext.step(path, name), "unknown field")
        case BadField():
            yield Problem(f"{path}.{error.name}" if error.name else path, error.problem)
        case KeyError():
            yield Problem(path, "missing")
        case _:
            yield Problem(path, str(error))


def _exactly(wanted: type[Any], called: str, value: object, _: object) -> Any:  # noqa: ANN401
    if type(value) is not wanted:
        raise _Mismatch(f"expected {called}")
    return value


def _request_id(value: object, _: object) -> Any:  # noqa: ANN401 - of type RequestId
    if type(value) is not int and type(value) is not str:
        raise _Mismatch("expected a whole number or text")
    return value


def _request_id_or_null(value: object, _: object) -> Any:  # noqa: ANN401 - of type RequestId
    return None if value is None else _request_id(value, _)


def _answer_value(value: object, _: object) -> Any:  # noqa: ANN401 - of type Value
    if type(value) is int:
        return value
    if isinstance(value, list) and all(type(entry) is str for entry in value):
        return tuple(value)
    raise _Mismatch("expected a whole number or a list of texts")


def _value_spec(value: object, _: object) -> Any:  # noqa: ANN401 - of type ValueSpec
    fields = _exactly(dict, "an object", value, _)
    cls = _SPECS.get(fields.get("type"))
    return UnknownSpec(fields) if cls is None else _LENIENT.structure(fields, cls)


def _member(cls: type[enum.Enum], value: object, _: object) -> enum.Enum:
    if isinstance(value, str):
        for member in cls:
            if member.value == value:
                return member
    raise _Mismatch(f"expected one of {', '.join(str(m.value) for m in cls)}")


def _is_dict(wanted: Any) -> bool:  # noqa: ANN401 - any type
    origin: object = get_origin(wanted)
    return origin is dict


def _is_tuple(wanted: Any) -> bool:  # noqa: ANN401 - any type
    origin: object = get_origin(wanted)
    return origin is tuple


def _tuple_hook(wanted: Any, converter: Converter) -> Callable[[Any, Any], Any]:  # noqa: ANN401
    entry_type = get_args(wanted)[0]
    structure = converter.get_structure_hook(entry_type)

    def hook(value: object, _: object) -> Any:  # noqa: ANN401 - a tuple of entry_type
        entries: list[Any] = []
        errors: list[Exception] = []
        for i, entry in enumerate(_exactly(list, "a list", value, _)):
            try:
                entries.append(structure(entry, entry_type))
            except Exception as error:
                error.__notes__ = [IterableValidationNote("", i, entry_type)]
                errors.append(error)
                if len(errors) > MAX_PROBLEMS:  # more are not told, and each takes its time
                    break
        if errors:
            raise IterableValidationError("", errors, wanted)
        return tuple(entries)

    return hook


def _class_hook(strict: bool, cls: type[Any], converter: Converter) -> Callable[[Any, Any], Any]:
    overrides: Any = {
        f.name: override(rename=RENAMED[f.name]) for f in attrs.fields(cls) if f.name in RENAMED
    }
    structure = make_dict_structure_fn(
        cls, converter, _cattrs_forbid_extra_keys=strict, **overrides
    )

    def hook(value: object, _: object) -> Any:  # noqa: ANN401 - of type `cls`
        entries = _exactly(dict, "an object", value, _)
        if strict:
            entries = {k: v for k, v in entries.items() if not k.startswith(_IGNORED_PREFIX)}
            nulls = [name for name, entry in entries.items() if entry is None]
            if nulls:
                raise ClassValidationError("", [_null(name) for name in nulls], cls)
        return structure(entries, cls)

    return hook


def _null(name: str) -> _Mismatch:
    error = _Mismatch("null; a field that does not apply is left out")
    error.__notes__ = [AttributeValidationNote("", name, None)]
    return error


def _reader(*, strict: bool) -> Converter:
    converter = Converter(detailed_validation=True)
    for wanted, called in ((int, "a whole number"), (str, "text"), (bool, "true or false")):
        converter.register_structure_hook(wanted, partial(_exactly, wanted, called))
    converter.register_structure_hook(RequestId, _request_id)
    converter.register_structure_hook(RequestId | None, _request_id_or_null)
    converter.register_structure_hook(Value, _answer_value)
    converter.register_structure_hook(ValueSpec, _value_spec)
    converter.register_structure_hook(
        ValueSpec | None, lambda v, t: None if v is None else _value_spec(v, t)
    )
    for closed in (Locale, Role, Mode):  # by class: by predicate they would be taken as text
        converter.register_structure_hook(closed, partial(_member, closed))
    converter.register_structure_hook_func(_is_dict, partial(_exactly, dict, "an object"))
    converter.register_structure_hook_factory(_is_tuple, _tuple_hook)
    converter.register_structure_hook_factory(attrs.has, partial(_class_hook, strict))
    return converter


_STRICT: Final = _reader(strict=True)
_LENIENT: Final = _reader(strict=False)


# --- writing ---------------------------------------------------------------------------------


def encode(message: Request | Reply | Push, limits: Limits = _DEFAULTS) -> str:
    """Return a message as the text of a frame.

    Raises:
        LocalProtocolError: It holds something that may not be sent: a number that is not whole,
            broken text, more than the limits take.
    """
    largest = limits.frame_in_bytes if isinstance(message, Request) else limits.frame_out_bytes
    return jsontext.write(to_wire(message), largest)


def to_wire(value: Request | Reply | Push | Result | object) -> dict[str, Json]:
    """Return a message, result or part as a JSON object: renamed, tagged, nothing absent."""
    wire: dict[str, Json] = _WRITER.unstructure(value)
    return wire


def _tag(kind: str, fields: Callable[[Any], dict[str, Any]], value: object) -> dict[str, Any]:
    return {"type": kind, **fields(value)}


def _dict_hook(cls: type[Any], converter: Converter) -> Callable[[Any], dict[str, Any]]:
    overrides: Any = {
        f.name: override(
            rename=RENAMED.get(f.name),
            omit_if_default=f.default is None,
        )
        for f in attrs.fields(cls)
    }
    fields = make_dict_unstructure_fn(cls, converter, **overrides)
    kind = getattr(cls, "type", None)
    return partial(_tag, kind, fields) if isinstance(kind, str) else fields


def _is_plain(wanted: Any) -> bool:  # noqa: ANN401 - any type
    return wanted is Any or _is_dict(wanted) or _PLAIN.issuperset(get_args(wanted) or [0])


def _writer() -> Converter:
    converter = Converter(unstruct_collection_overrides={tuple: list})
    converter.register_unstructure_hook_func(_is_plain, lambda value: value)
    converter.register_unstructure_hook_factory(attrs.has, _dict_hook)
    converter.register_unstructure_hook(UnknownSpec, lambda spec: spec.data)
    converter.register_unstructure_hook(Unknown, lambda push: push.data)
    return converter


_WRITER: Final = _writer()
