"""What breaks a client of an earlier document is found, and what may be added is not."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from kaguraden_protocol import asyncapi, schema
from kaguraden_protocol.compatible import NotADocument, broken

Json = dict[str, Any]
TEXT = {"type": "string"}
NUMBER = {"type": "integer", "minimum": 0, "maximum": 9}


def tagged(tag: str, required: tuple[str, ...] = (), **fields: Any) -> Json:
    """Return the schema of an object that its `type` tells from others."""
    properties = {"type": {"const": tag}, **fields}
    return {"type": "object", "properties": properties, "required": ["type", *required]}


def document(asked: Json, told: Json) -> Json:
    """Return a schema of one request `ask` and two pushes, `tell` and `more`."""
    closed = {"patternProperties": {"^x_": True}, "additionalProperties": False}
    return {
        "$id": "urn:kaguraden:protocol:1",
        "oneOf": [{"$ref": "#/$defs/AnyRequest"}, {"$ref": "#/$defs/AnyServerMessage"}],
        "$defs": {
            "AnyRequest": {"oneOf": [{"$ref": "#/$defs/Ask"}]},
            "AnyServerMessage": {"oneOf": [{"$ref": "#/$defs/Tell"}, {"$ref": "#/$defs/More"}]},
            "Results": {"type": "object", "properties": {}},
            "Ask": tagged("ask", f=asked) | closed,
            "Tell": tagged("tell", ("f",), f=told),
            "More": tagged("more"),
        },
    }


OLD = document(TEXT, TEXT)


def changed(**places: Any) -> Json:
    """Return the document with definitions changed: updated, or left out where that is None."""
    new = copy.deepcopy(OLD)
    for name, change in places.items():
        if change is None:
            del new["$defs"][name]
        else:
            new["$defs"][name].update(change)
    return new


def test_nothing_breaks_where_nothing_changes() -> None:
    assert broken(OLD, copy.deepcopy(OLD)) == []


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (changed(More=None, AnyServerMessage={"oneOf": [{"$ref": "#/$defs/Tell"}]}),
         ["the definition `More` is gone", "AnyServerMessage: the kind `more` is gone"]),
        (changed(Tell={"properties": {"type": {"const": "tell"}}}),
         ["Tell: the field `f` is gone"]),
        (changed(Ask={"properties": {"type": {"const": "ask"}}}), ["Ask: the field `f` is gone"]),
        (changed(Ask={"required": ["type", "f"]}), ["Ask: the field `f` is needed now"]),
        (changed(Tell={"required": ["type"]}), ["Tell: the field `f` may be left out now"]),
        (changed(Ask={"patternProperties": {}}), ["Ask: fields like ^x_ are refused now"]),
        (changed(Ask={"oneOf": [{"required": ["f"]}]}), ["Ask: other fields go together now"]),
        (changed(More={"properties": {"type": {"const": "less"}}}),
         ["AnyServerMessage: the kind `more` is gone"]),
    ],
)  # fmt: skip
def test_what_is_taken_away_or_newly_wanted_breaks(new: Json, said: list[str]) -> None:
    assert broken(OLD, new) == said


def test_who_closes_what_was_open_breaks_who_sends() -> None:
    old = copy.deepcopy(OLD)
    del old["$defs"]["Ask"]["additionalProperties"]
    assert broken(old, OLD) == ["Ask: fields that it does not know are refused now"]


WORDS = {"enum": ["a", "b"]}
FEWER = {"enum": ["a"]}
LIST = {"type": "array", "items": TEXT}
MAP = {"type": "object", "additionalProperties": TEXT}


@pytest.mark.parametrize(
    ("old", "new", "to_server", "to_client"),
    [
        (TEXT, {"type": "integer"}, "it is integer, it was string", "it is integer, it was string"),
        (TEXT, {"anyOf": [TEXT, {"type": "null"}]}, None, "it may now be null"),
        ({"anyOf": [TEXT, {"type": "null"}]}, TEXT, "it can no longer be null", None),
        (TEXT, {}, None, "it is anything, it was string"),
        (WORDS, FEWER, "the word 'b' is gone", "the word 'b' is gone"),
        (FEWER, WORDS, None, None),
        (TEXT, WORDS, "it has to be one of a few words now", None),
        (WORDS, TEXT, None, "it is no longer one of a few words"),
        ({"const": "a"}, {"const": "b"}, "the word 'a' is gone", "the word 'a' is gone"),
        (NUMBER, NUMBER | {"minimum": 1}, "minimum is 1, it was 0", None),
        (NUMBER, NUMBER | {"minimum": -1}, None, "minimum is -1, it was 0"),
        (NUMBER, NUMBER | {"maximum": 8}, "maximum is 8, it was 9", None),
        (NUMBER, NUMBER | {"maximum": 10}, None, "maximum is 10, it was 9"),
        (NUMBER, {"type": "integer", "minimum": 0}, None, "maximum is None, it was 9"),
        (TEXT, TEXT | {"maxLength": 3}, "maxLength is 3, it was None", None),
        (TEXT, TEXT | {"pattern": "^a$"}, "pattern is ^a$, it was None", None),
        (TEXT | {"pattern": "^a$"}, TEXT, None, "pattern is None, it was ^a$"),
        (TEXT | {"default": "a"}, TEXT | {"default": "b"}, "what is left out means 'b', it was 'a'",
         None),
        (LIST, LIST | {"items": {"type": "null"}}, "[]: it is null, it was string",
         "[]: it is null, it was string"),
        (LIST, {"type": "array"}, None, "[]: it is anything, it was string"),
        (MAP, {"type": "object"}, None, "{}: it is anything, it was string"),
        (MAP, MAP | {"additionalProperties": NUMBER}, "{}: it is integer, it was string",
         "{}: it is integer, it was string"),
    ],
)  # fmt: skip
def test_a_field_is_read_by_who_sends_it(
    old: Json, new: Json, to_server: str | None, to_client: str | None
) -> None:
    def expected(place: str, said: str | None) -> list[str]:
        if said is None:
            return []
        return [f"{place}{said}" if said[0] in "[{" else f"{place}: {said}"]

    assert broken(document(old, TEXT), document(new, TEXT)) == expected("Ask.f", to_server)
    assert broken(document(TEXT, old), document(TEXT, new)) == expected("Tell.f", to_client)


SHORT = TEXT | {"maxLength": 3}
CODE = TEXT | {"pattern": "^[A-Z]$"}
NULL = {"type": "null"}
TEN = {"type": "integer", "minimum": 10, "maximum": 19}
POINT = {"type": "object", "properties": {"x": NUMBER}, "required": ["x"]}
NAMED = {"type": "object", "properties": {"name": TEXT}, "required": ["name"]}


def one_of(*schemas: Json, **beside: Any) -> Json:
    return {"anyOf": list(schemas), **beside}


@pytest.mark.parametrize(
    ("old", "new", "to_server", "to_client"),
    [
        (one_of(NUMBER, TEN), one_of(TEN, NUMBER), None, None),
        (one_of(NUMBER, TEN), NUMBER, "it can no longer be integer "
         '{"minimum": 10, "maximum": 19}', None),
        (NUMBER, one_of(NUMBER, TEN), None, 'it may now be integer {"minimum": 10, "maximum": 19}'),
        (one_of(NUMBER, TEN), one_of(NUMBER, TEN | {"maximum": 18}), "maximum is 18, it was 19",
         None),
        (one_of(NUMBER, TEN), one_of(NUMBER, TEN | {"maximum": 20}), None,
         "maximum is 20, it was 19"),
        (one_of(SHORT, CODE, NULL), one_of(NULL, CODE | {"pattern": "^A$"}, SHORT),
         "pattern is ^A$, it was ^[A-Z]$", "pattern is ^A$, it was ^[A-Z]$"),
        (one_of(SHORT, CODE), TEXT, None, "maxLength is None, it was 3"),
        (one_of(POINT, NAMED), one_of(NAMED, POINT), None, None),
        (one_of(POINT, NAMED), one_of(POINT), "it can no longer be object " + '{"properties": '
         '{"name": {"type": "string"}}, "required": ["name"]}', "it can no longer be object "
         '{"properties": {"name": {"type": "string"}}, "required": ["name"]}'),
        (one_of(POINT, NULL), one_of(NULL, POINT | {"properties": {}}), "the field `x` is gone",
         "the field `x` is gone"),
        (one_of(POINT, NULL), one_of(NULL, POINT, tagged("point")), None, "it may now be object "
         '{"properties": {"type": {"const": "point"}}, "required": ["type"]}'),
        (one_of(NUMBER, NULL), one_of(TEXT, NULL), "it can no longer be integer",
         "it may now be string"),
        (one_of(TEXT, NUMBER), {}, None, "it may now be anything"),
        ({}, one_of(TEXT, NUMBER), "it can no longer be anything", None),
        (one_of(TEXT, NULL), {"type": ["null", "string"]}, None, None),
        ({"type": ["null", "string"]}, TEXT, "it can no longer be null", None),
        ({"type": ["null", "string"]}, {"type": ["null", "string"], "maxLength": 9},
         "maxLength is 9, it was None", None),
        (one_of(TEXT, NUMBER, maxLength=9), one_of(TEXT, NUMBER, maxLength=8),
         "maxLength is 8, it was 9", None),
        (one_of(TEXT, NUMBER, maxLength=9), one_of(TEXT, NUMBER), None,
         "maxLength is None, it was 9"),
        (one_of(TEXT | {"maxLength": 9}, NULL, maxLength=9), one_of(TEXT, NULL, maxLength=9), None,
         None),
        (one_of(TEXT | {"maxLength": 12}, NULL, maxLength=9),
         one_of(TEXT | {"maxLength": 12}, NULL, maxLength=10), None, "maxLength is 10, it was 9"),
        (one_of(LIST, NUMBER, items={"maxLength": 3}), one_of(LIST, NUMBER, items={"maxLength": 2}),
         "[]: maxLength is 2, it was 3", None),
        (one_of(LIST, NUMBER, items=TEXT), one_of(LIST, NUMBER, items=NULL),
         "[]: allOf is [{'type': 'null'}], it was None", None),
        (NUMBER | {"not": {"const": 3}}, NUMBER, None, "not is None, it was {'const': 3}"),
        (NUMBER, NUMBER | {"not": {"const": 3}}, "not is {'const': 3}, it was None", None),
        (MAP, {"type": "object", "patternProperties": {"^a": True}}, None,
         "{}: it is anything, it was string"),
    ],
)  # fmt: skip
def test_alternatives_without_tags_are_each_held_against_their_like(
    old: Json, new: Json, to_server: str | None, to_client: str | None
) -> None:
    def expected(place: str, said: str | None) -> list[str]:
        if said is None:
            return []
        return [f"{place}{said}" if said[0] in "[{" else f"{place}: {said}"]

    assert broken(document(old, TEXT), document(new, TEXT)) == expected("Ask.f", to_server)
    assert broken(document(TEXT, old), document(TEXT, new)) == expected("Tell.f", to_client)


def test_alternatives_that_refer_to_definitions_are_called_by_their_names() -> None:
    places = one_of({"$ref": "#/$defs/Point"}, {"$ref": "#/$defs/Named"})
    old = document(places, places)
    old["$defs"] |= {"Point": POINT, "Named": NAMED}
    new = copy.deepcopy(old)
    new["$defs"]["Named"]["properties"]["name"] = NULL
    assert broken(old, new) == ["Named.name: it is null, it was string"]
    new = copy.deepcopy(old)
    for name in ("Ask", "Tell"):
        new["$defs"][name]["properties"]["f"] = {"$ref": "#/$defs/Point"}
    assert broken(old, new) == [
        "Ask.f: it can no longer be Named",
        "Tell.f: it can no longer be Named",
    ]


def test_an_alternative_that_holds_itself_is_compared() -> None:
    place = one_of({"$ref": "#/$defs/Tree"}, NULL)
    tree = {"type": "object", "properties": {"child": place, "leaf": TEXT}}
    old = document(place, place)
    old["$defs"]["Tree"] = tree
    new = copy.deepcopy(old)
    assert broken(old, new) == []
    new["$defs"]["Tree"]["properties"]["leaf"] = NULL
    assert broken(old, new) == ["Tree.leaf: it is null, it was string"]


def test_what_a_minor_version_may_add_breaks_nothing() -> None:
    new = changed(
        AnyServerMessage={"oneOf": [{"$ref": f"#/$defs/{n}"} for n in ("New", "More", "Tell")]},
        AnyRequest={"oneOf": [{"$ref": "#/$defs/Ask"}, {"$ref": "#/$defs/Beg"}]},
    )
    new["$defs"] |= {"New": tagged("new", ("x",), x=TEXT), "Beg": tagged("beg", ("x",), x=TEXT)}
    new["$defs"]["Ask"]["properties"]["g"] = TEXT
    new["$defs"]["Tell"]["properties"]["g"] = TEXT
    new["$defs"]["Tell"]["required"] = ["type", "f", "g"]
    new["$defs"]["Ask"]["description"] = "More words."
    assert broken(OLD, new) == []


def test_definitions_that_refer_to_themselves_are_compared() -> None:
    tree = tagged("more", child={"$ref": "#/$defs/More"}, leaf=TEXT)
    old, new = changed(More=tree), changed(More=copy.deepcopy(tree))
    assert broken(old, new) == []
    del new["$defs"]["More"]["properties"]["leaf"]
    assert broken(old, new) == ["More: the field `leaf` is gone"]


def test_a_field_that_may_hold_anything_or_nothing_is_no_tag() -> None:
    for said in (True, False):
        untagged = {"properties": {"type": said, "kind": said}}
        assert broken(changed(More=untagged), changed(More=untagged)) == []


# --- the real documents ---------------------------------------------------------------------------


def _objects(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Json]]:
    """Yield each object that has `properties`, and where it is."""
    if isinstance(part, dict):
        if isinstance(part.get("properties"), dict) and part.get("type") == "object":
            yield path, part
        for name, inside in part.items():
            yield from _objects(inside, (*path, name))
    elif isinstance(part, list):
        for number, inside in enumerate(part):
            yield from _objects(inside, (*path, number))


def _at(part: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        part = part[step]
    return part


@pytest.mark.parametrize("build", [schema.build, asyncapi.build], ids=["schema", "asyncapi"])
def test_no_field_of_the_protocol_can_go_unseen(build: Any) -> None:
    old = build()
    places = [(path, name) for path, part in _objects(old) for name in part["properties"]]
    assert len(places) > 100
    for path, name in places:
        new = copy.deepcopy(old)
        del _at(new, path)["properties"][name]
        assert broken(old, new), (path, name)


@pytest.mark.parametrize("build", [schema.build, asyncapi.build], ids=["schema", "asyncapi"])
def test_no_field_of_the_protocol_can_change_its_type_unseen(build: Any) -> None:
    old = build()
    for path, part in _objects(old):
        for name, field in part["properties"].items():
            if field == {}:  # anything already
                continue
            new = copy.deepcopy(old)
            _at(new, path)["properties"][name] = {"type": "object", "properties": {}}
            if "$ref" not in field and field.get("type") == "object":
                continue
            assert broken(old, new), (path, name)


API = asyncapi.build()


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("operations", "ping"), None, "the operation `ping` is gone"),
        (("operations", "ping", "action"), "send", "ping: the action is send, it was receive"),
        (("operations", "act", "reply", "messages", 0), None, "act: the reply `ActOk` is gone"),
        (("operations", "push_chat", "messages", 0), None,
         "push_chat: the message `ChatPush` is gone"),
        (("channels", "socket"), None, "the channel `socket` is gone"),
        (("channels", "socket", "address"), "/socket", "socket: the address is no longer /ws"),
        (("components", "messages", "Closed"), None, "the message `Closed` is gone"),
        (("components", "schemas", "Clock"), None, "the definition `Clock` is gone"),
        (("channels", "socket", "bindings", "ws", "headers", "properties", "Sec-WebSocket-Protocol",
          "enum"), ["kaguraden.v2"],
         "the handshake of socket.Sec-WebSocket-Protocol: the word 'kaguraden.v1' is gone"),
    ],
)  # fmt: skip
def test_what_is_gone_from_the_asyncapi_document_breaks(
    path: tuple[Any, ...], value: Any, said: str
) -> None:
    new = copy.deepcopy(API)
    if value is None:
        del _at(new, path[:-1])[path[-1]]
        if path[-1] == "Clock":  # or references would lead nowhere
            new["components"]["schemas"]["Update"]["properties"]["clock"]["items"] = {}
    else:
        _at(new, path[:-1])[path[-1]] = value
    assert said in broken(API, new)


# --- what is no document --------------------------------------------------------------------------


WHOLE = {"$id": "urn:kaguraden:protocol:1"}


@pytest.mark.parametrize(
    ("old", "said"),
    [
        ([], "the document: no object"),
        (None, "the document: missing"),
        ({}, "the document: empty"),
        ({"$defs": {}}, "`$defs`: empty"),
        ({"$defs": []}, "`$defs`: no object"),
        ({"$defs": OLD["$defs"]}, "it has no `$id`"),
        (WHOLE | {"$defs": {"AnyRequest": {}}}, "`$defs` has no `AnyServerMessage`"),
        (OLD | {"$id": "urn:kaguraden:protocol:1:chess"}, "`$defs` has no `RoomOptions`"),
        ({"$id": "x", "$defs": {"RoomOptions": {}}}, "`properties`: missing"),
        ({"$id": "x", "$defs": {"RoomOptions": {}}, "properties": {"a": {}}},
         "it is `x`, not `urn:kaguraden:protocol:1`"),
        (API, "it is the AsyncAPI document, not `urn:kaguraden:protocol:1`"),
        ({"asyncapi": "3.0.0"}, "`components`: missing"),
        (API | {"channels": {}}, "`channels`: empty"),
        (API | {"channels": {"socket": []}}, "the bindings of socket: no object"),
        (API | {"operations": {"ping": {}}}, "operations/ping: no `action`"),
        (API | {"operations": {"ping": {"action": "send", "messages": [{}]}}},
         "operations/ping: `$ref` leads nowhere"),
        (changed(Ask={"properties": []}), "$defs/Ask/properties: no object"),
        (changed(Ask={"required": [1]}), "$defs/Ask/required: not all are texts"),
        (changed(Ask={"type": 1}), "$defs/Ask/type: no array"),
        (changed(Ask={"enum": {}}), "$defs/Ask/enum: no array"),
        (changed(Ask={"enum": []}), "$defs/Ask/enum: empty"),
        (changed(Ask={"type": []}), "$defs/Ask/type: empty"),
        (changed(Ask={"maxLength": "3"}), "$defs/Ask/maxLength: no whole number"),
        (changed(AnyRequest={"oneOf": []}), "$defs/AnyRequest/oneOf: empty"),
        (changed(AnyRequest={"oneOf": [7]}), "$defs/AnyRequest/oneOf/0: no object"),
        (changed(Ask={"items": {"$ref": "#/$defs/Nobody"}}),
         "$defs/Ask/items: `$ref` leads nowhere"),
        (changed(Ask={"items": {"$ref": "other.json"}}), "$defs/Ask/items: `$ref` leads nowhere"),
        (changed(Ask={"items": {"$ref": 3}}), "$defs/Ask/items: `$ref` leads nowhere"),
        (changed(AnyRequest={"$ref": "#/$defs/AnyRequest"}), "too many schemas in each other"),
    ],
)  # fmt: skip
def test_what_is_no_document_of_the_protocol_is_not_compared(old: Any, said: str) -> None:
    with pytest.raises(NotADocument) as raised:
        broken(old, OLD)
    assert str(raised.value) == said
