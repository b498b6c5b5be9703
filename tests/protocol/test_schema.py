"""The published schema says what the codec does."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from kaguraden_protocol.codec import decode_request, encode, to_wire
from kaguraden_protocol.errors import RemoteProtocolError
from kaguraden_protocol.messages import REQUESTS, RESULTS, Ok, Unknown
from kaguraden_protocol.schema import build

from tests.protocol.strategies import MESSAGES, RESULT_CLASSES, json_values, messages

SCHEMA = build()
quick = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@cache
def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]})


def test_the_schema_is_a_schema_of_2020_12() -> None:
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(SCHEMA)


def test_the_schema_is_json_and_the_same_every_time() -> None:
    assert json.loads(json.dumps(SCHEMA)) == build()


def test_every_message_and_result_is_defined_and_described() -> None:
    for cls in (*MESSAGES, *RESULT_CLASSES):
        assert SCHEMA["$defs"][cls.__name__]["description"]
    listed = {ref["$ref"].rpartition("/")[2] for ref in SCHEMA["$defs"]["AnyRequest"]["oneOf"]}
    assert listed == {cls.__name__ for cls in REQUESTS.values()}
    assert set(SCHEMA["$defs"]["Results"]["properties"]) == {cls.type for cls in RESULTS}


@pytest.mark.parametrize("cls", MESSAGES, ids=lambda c: c.__name__)
@quick
@given(data=st.data())
def test_every_message_that_is_sent_fits_the_schema(cls: type[Any], data: st.DataObject) -> None:
    wire = json.loads(encode(data.draw(messages(cls))))
    validator(cls.__name__).validate(wire)


@pytest.mark.parametrize("cls", RESULT_CLASSES, ids=lambda c: c.__name__)
@quick
@given(data=st.data())
def test_every_result_that_is_sent_fits_the_schema(cls: type[Any], data: st.DataObject) -> None:
    reply = json.loads(encode(Ok(1, to_wire(data.draw(messages(cls))))))
    validator(cls.__name__).validate(reply["result"])
    validator("Ok").validate(reply)


def test_the_whole_schema_takes_one_message_of_either_direction() -> None:
    whole = Draft202012Validator(SCHEMA)
    assert whole.is_valid({"type": "ping", "id": 1})
    assert whole.is_valid({"type": "closed", "room": "R", "reason": "kicked", "later": 1})
    assert not whole.is_valid({"type": "ping", "id": 1, "room": "R"})
    assert not whole.is_valid({"type": "nothing"})


def test_a_field_that_two_rules_bound_tells_both() -> None:
    assert validator("Kick").is_valid({"type": "kick", "id": 1, "room": "R", "user": "u"})
    assert not validator("Kick").is_valid({"type": "kick", "id": 1, "room": "R", "user": ""})


def test_what_is_always_sent_is_required() -> None:
    assert not validator("Ok").is_valid({"type": "ok", "re": 1})
    assert not validator("Error").is_valid({"type": "error", "code": "x", "message": "m"})
    assert not validator("Clock").is_valid({"left_ms": 1, "total_ms": 1})
    assert validator("Clock").is_valid({"left_ms": 1, "total_ms": 1, "seat": None})


mutations = st.one_of(
    json_values,
    st.sampled_from([0, -1, 1, 15, 16, 17, 2**53 - 1, True, "", "x" * 64, "x" * 65, [], {}, None]),
    st.sampled_from(["player", "ask", "ja", "ab" * 16, "2026-01-01", [""], ["a"], [1], "x" * 501]),
)


@pytest.mark.parametrize("cls", REQUESTS.values(), ids=lambda c: c.__name__)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_the_schema_and_the_codec_agree_on_every_request(
    cls: type[Any], data: st.DataObject
) -> None:
    wire = json.loads(encode(data.draw(messages(cls))))
    known = list(SCHEMA["$defs"][cls.__name__]["properties"])
    field = data.draw(st.sampled_from([*known, "x_note", "unknown"]))
    if data.draw(st.booleans()) and field in wire:
        del wire[field]
    elif field != "type":
        wire[field] = data.draw(mutations)
    try:
        decode_request(json.dumps(wire))
        taken = True
    except RemoteProtocolError:
        taken = False
    assert validator(cls.__name__).is_valid(wire) == taken


def test_pushes_of_a_later_version_are_outside_the_schema_but_not_refused() -> None:
    assert not validator("AnyServerMessage").is_valid(json.loads(encode(Unknown({"type": "new"}))))
