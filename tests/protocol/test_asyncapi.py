"""The AsyncAPI document says what the prose says, by the rules of AsyncAPI 3.0."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator
from kaguraden_protocol.asyncapi import build
from kaguraden_protocol.codec import encode, to_wire
from kaguraden_protocol.messages import PUSHES, REQUESTS, RESULTS, Ok
from kaguraden_protocol.versions import PROTOCOL, SUBPROTOCOLS

from tests.protocol.strategies import MESSAGES, messages

API = build(["games/a.json"])
SCHEMAS = API["components"]["schemas"]
quick = settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def references(part: Any) -> Iterator[str]:
    """Yield where references lead."""
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        for entry in part.values():
            yield from references(entry)
    elif isinstance(part, list):
        for entry in part:
            yield from references(entry)


def found(reference: str) -> Any:
    """Return what a reference leads to."""
    part: Any = API
    for step in reference.removeprefix("#/").split("/"):
        part = part[step]
    return part


def test_it_has_the_objects_of_asyncapi_3_and_no_others() -> None:
    assert API["asyncapi"] == "3.0.0"
    assert API["info"]["version"] == PROTOCOL
    assert API.keys() == {
        *("asyncapi", "info", "defaultContentType", "servers", "channels", "operations"),
        "components",
    }
    assert API["components"].keys() <= {"messages", "schemas", "correlationIds"}
    for server in API["servers"].values():
        assert server.keys() <= {"host", "protocol", "pathname", "description"}
        assert "/" not in server["host"]
    (channel,) = API["channels"].values()
    assert channel.keys() == {"address", "title", "messages", "bindings"}
    for operation in API["operations"].values():
        assert operation["action"] in {"send", "receive"}
        assert operation.keys() <= {"action", "channel", "summary", "messages", "reply"}
    for message in API["components"]["messages"].values():
        assert message.keys() <= {
            *("name", "title", "summary", "description", "payload", "correlationId"),
        }
    for key in (*API["components"]["messages"], *SCHEMAS, *API["operations"]):
        assert re.fullmatch(r"[\w.-]+", key)


def test_every_reference_leads_to_something_inside() -> None:
    leading = set(references(API))
    assert len(leading) > 100
    for reference in leading:
        assert found(reference)


def test_operations_refer_to_messages_of_their_channel() -> None:
    """As AsyncAPI has it: not to those of the components."""
    for operation in API["operations"].values():
        for part in (operation, operation.get("reply", operation)):
            assert part["channel"] == {"$ref": "#/channels/socket"}
            for message in part["messages"]:
                assert message["$ref"].startswith("#/channels/socket/messages/")


def test_every_request_is_received_and_replied_to() -> None:
    for kind, cls in REQUESTS.items():
        operation = API["operations"][kind]
        assert operation["action"] == "receive"
        names = [m["$ref"].rpartition("/")[2] for m in operation["messages"]]
        assert names == [cls.__name__]
        replies = [m["$ref"].rpartition("/")[2] for m in operation["reply"]["messages"]]
        assert replies == [f"{cls.__name__}Ok" if cls in RESULTS else "Ok", "Error"]


def test_every_push_is_sent_unasked() -> None:
    for kind, cls in PUSHES.items():
        operation = API["operations"][f"push_{kind}"]
        assert operation["action"] == "send"
        assert "reply" not in operation
        assert operation["messages"] == [{"$ref": f"#/channels/socket/messages/{cls.__name__}"}]
    assert len(API["operations"]) == len(REQUESTS) + len(PUSHES)


def test_it_says_what_has_to_be_offered_and_where_games_are_described() -> None:
    headers = API["channels"]["socket"]["bindings"]["ws"]["headers"]
    assert headers["properties"]["Sec-WebSocket-Protocol"]["enum"] == list(SUBPROTOCOLS)
    assert "`games/a.json`" in API["components"]["messages"]["Update"]["description"]


def validator(name: str) -> Draft7Validator:
    """Return the validator of a message's payload; AsyncAPI's schemas are of draft 7."""
    payload = API["components"]["messages"][name]["payload"]
    return Draft7Validator({**payload, "components": {"schemas": SCHEMAS}})


@pytest.mark.parametrize("cls", MESSAGES, ids=lambda c: c.__name__)
@quick
@given(data=st.data())
def test_every_message_that_is_sent_fits(cls: type[Any], data: st.DataObject) -> None:
    validator(cls.__name__).validate(json.loads(encode(data.draw(messages(cls)))))


@pytest.mark.parametrize("request_class", RESULTS, ids=lambda c: c.__name__)
@quick
@given(data=st.data())
def test_every_reply_fits(request_class: type[Any], data: st.DataObject) -> None:
    result = to_wire(data.draw(messages(RESULTS[request_class])))
    fits = validator(f"{request_class.__name__}Ok")
    fits.validate(json.loads(encode(Ok(1, result))))
    assert not fits.is_valid({"type": "ok", "re": 1, "result": []})
