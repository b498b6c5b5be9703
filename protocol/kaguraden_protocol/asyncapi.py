"""The AsyncAPI 3.0 document of the protocol: who may send what, and what comes back.

It speaks for the server, as such documents do: what it `receive`s are requests, each with its
replies, and what it `send`s are pushes. The schemas are those of `schema`, all inside, so that the
document needs no other one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from kaguraden_protocol import schema
from kaguraden_protocol.messages import PUSHES, REQUESTS, RESULTS, Error, Ok, Request
from kaguraden_protocol.schema import Schema
from kaguraden_protocol.versions import PROTOCOL, SUBPROTOCOLS

__all__ = ["build"]

ABOUT: Final = """\
Rooms of card games over one WebSocket. A client sends requests and the server answers each with \
exactly one reply, in the order of the requests; what it tells unasked are pushes, which have no \
`re`. `hello` comes first. A client ignores fields, pushes, kinds and codes that it does not know: \
later versions of {protocol} add some, and take none away.

This document speaks for the server: it receives requests and sends replies and pushes. The prose \
is protocol/README.md.\
"""
CHANNEL: Final = "#/channels/socket"


def build(games: Iterable[str] = ()) -> Schema:
    """Return the document as a JSON object.

    Args:
        games: Where the schemas of the games' updates are, as the document should say.
    """
    defined = schema.build()["$defs"]
    for gathered in ("AnyRequest", "AnyServerMessage", "Results"):
        del defined[gathered]  # the operations say it
    messages = {cls.__name__: _message(cls.type, cls, "request") for cls in REQUESTS.values()}
    for request, result in RESULTS.items():
        name = _ok_name(request)
        defined[name] = _ok_schema(request, result, defined["Ok"])
        about = f"`{request.type}` was done."
        messages[name] = _message("ok", name, "reply", about)
    messages |= {cls.__name__: _message(cls.type, cls, "reply") for cls in (Ok, Error)}
    messages |= {cls.__name__: _message(cls.type, cls, None) for cls in PUSHES.values()}
    for message in messages.values():
        message.setdefault("summary", defined[message["title"]]["description"])
    files = ", ".join(f"`{path}`" for path in games)
    if files:
        messages["Update"]["description"] = (
            f"`view`, `events` and `decisions` are each game's own: {files}."
        )
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Kaguraden",
            "version": PROTOCOL,
            "description": ABOUT.format(protocol=SUBPROTOCOLS[0]),
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": {
            "local": {
                "host": "localhost:8765",
                "protocol": "ws",
                "description": "A server that `kaguraden serve` started on this machine.",
            }
        },
        "channels": {
            "socket": {
                "address": "/ws",
                "title": "The one WebSocket of a client",
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in messages},
                "bindings": {"ws": _handshake()},
            }
        },
        "operations": {
            **{cls.type: _request(cls, defined) for cls in REQUESTS.values()},
            **{
                f"push_{cls.type}": {
                    "action": "send",
                    "channel": {"$ref": CHANNEL},
                    "summary": defined[cls.__name__]["description"],
                    "messages": [_sent(cls.__name__)],
                }
                for cls in PUSHES.values()
            },
        },
        "components": {
            "messages": messages,
            "schemas": {name: _moved(part) for name, part in sorted(defined.items())},
            "correlationIds": {
                "request": {"location": "$message.payload#/id"},
                "reply": {"location": "$message.payload#/re"},
            },
        },
    }


def _message(kind: str, cls: type[Any] | str, role: str | None, summary: str = "") -> Schema:
    name = cls if isinstance(cls, str) else cls.__name__
    found: Schema = {
        "name": kind,
        "title": name,
        "payload": {"$ref": f"#/components/schemas/{name}"},
    }
    if role is not None:
        found["correlationId"] = {"$ref": f"#/components/correlationIds/{role}"}
    if summary:
        found["summary"] = summary
    return found


def _request(cls: type[Request], defined: Schema) -> Schema:
    granted = _ok_name(cls) if cls in RESULTS else Ok.__name__
    return {
        "action": "receive",
        "channel": {"$ref": CHANNEL},
        "summary": defined[cls.__name__]["description"],
        "messages": [_sent(cls.__name__)],
        "reply": {
            "channel": {"$ref": CHANNEL},
            "messages": [_sent(granted), _sent(Error.__name__)],
        },
    }


def _sent(name: str) -> Schema:
    return {"$ref": f"{CHANNEL}/messages/{name}"}


def _ok_name(request: type[Request]) -> str:
    return f"{request.__name__}Ok"


def _ok_schema(request: type[Request], result: type[Any], ok: Schema) -> Schema:
    """Return the schema of the `ok` to a request that has a result."""
    properties = {**ok["properties"], "result": {"$ref": f"#/$defs/{result.__name__}"}}
    return {**ok, "description": f"The `ok` to `{request.type}`.", "properties": properties}


def _handshake() -> Schema:
    """Return what the WebSocket binding says: the subprotocols that may be offered."""
    offered = {"type": "string", "enum": list(SUBPROTOCOLS)}
    return {
        "method": "GET",
        "headers": {
            "type": "object",
            "properties": {"Sec-WebSocket-Protocol": offered},
            "required": ["Sec-WebSocket-Protocol"],
        },
        "bindingVersion": "0.1.0",
    }


def _moved(part: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return a schema whose references lead to where its definitions are here."""
    if isinstance(part, list):
        return [_moved(entry) for entry in part]
    if isinstance(part, dict):
        return {
            key: value.replace("#/$defs/", "#/components/schemas/")
            if key == "$ref" and isinstance(value, str)
            else _moved(value)
            for key, value in part.items()
        }
    return part
