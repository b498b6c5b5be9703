"""Messages to text and back; any input gives a message or a typed error."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from kaguraden_protocol import codec, jsontext
from kaguraden_protocol.codec import (
    decode_push_or_reply,
    decode_request,
    decode_result,
    encode,
    to_wire,
)
from kaguraden_protocol.errors import ErrorCode, LocalProtocolError, RemoteProtocolError
from kaguraden_protocol.limits import MAX_PROBLEMS, Limits
from kaguraden_protocol.messages import (
    REQUESTS,
    Act,
    ActResult,
    Auto,
    BotResult,
    CardsSpec,
    ChatFrom,
    ChatPush,
    ClientInfo,
    Clock,
    Decision,
    Error,
    Hello,
    HelloResult,
    IntSpec,
    Join,
    JoinResult,
    Json,
    Locale,
    Mode,
    Notice,
    Ok,
    Option,
    OrderSpec,
    Ping,
    Ready,
    Request,
    Role,
    Rooms,
    SeatInfo,
    Text,
    Unknown,
    UnknownSpec,
    Update,
)

from tests.protocol.strategies import MESSAGES, RESULT_CLASSES, json_objects, messages, texts

quick = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

HELLO = '{"type":"hello","id":1,"name":"Aki","client":{"name":"c","version":"1"}}'
JOIN = {"type": "join", "id": 7, "room": "KAGU-7Q2F"}
ACT = {"type": "act", "id": 7, "room": "KAGU-7Q2F", "decision": "0.1", "option": "pass"}


def refusal(data: str | bytes) -> RemoteProtocolError:
    with pytest.raises(RemoteProtocolError) as caught:
        decode_request(data)
    return caught.value


def of(message: dict[str, Any]) -> RemoteProtocolError:
    return refusal(json.dumps(message))


def paths(error: RemoteProtocolError) -> list[str]:
    return [problem.path for problem in error.problems]


def is_unknown(kind: str) -> bool:
    return all(kind != cls.type for cls in MESSAGES)


# --- round trips -----------------------------------------------------------------------------


@pytest.mark.parametrize("cls", MESSAGES, ids=lambda c: c.__name__)
@quick
@given(data=st.data())
def test_every_message_reads_back_as_it_was_written(cls: type[Any], data: st.DataObject) -> None:
    message = data.draw(messages(cls))
    text = encode(message)
    read = decode_request(text) if isinstance(message, Request) else decode_push_or_reply(text)
    assert read == message
    assert type(read) is cls


@pytest.mark.parametrize("cls", RESULT_CLASSES, ids=lambda c: c.__name__)
@quick
@given(data=st.data())
def test_every_result_reads_back_from_its_ok(cls: type[Any], data: st.DataObject) -> None:
    result = data.draw(messages(cls))
    ok = decode_push_or_reply(encode(Ok(1, to_wire(result))))
    assert isinstance(ok, Ok)
    assert decode_result(cls, ok.result) == result


@quick
@given(fields=json_objects, kind=texts.filter(is_unknown))
def test_a_push_of_a_later_version_reads_and_writes_unchanged(
    fields: dict[str, Json], kind: str
) -> None:
    push = decode_push_or_reply(jsontext.write({**fields, "type": kind}, 10_000))
    assert push == Unknown({**fields, "type": kind})
    assert decode_push_or_reply(encode(push)) == push


def test_closed_sets_read_as_members() -> None:
    joined = decode_request('{"type":"join","id":1,"room":"R","as":"spectator"}')
    assert isinstance(joined, Join)
    assert joined.as_ is Role.SPECTATOR
    standing = decode_request('{"type":"auto","id":1,"room":"R","window":"k","mode":"pass"}')
    assert isinstance(standing, Auto)
    assert standing.mode is Mode.PASS


def test_writing_is_compact_and_leaves_out_what_is_absent() -> None:
    hello = Hello(1, "秋", ClientInfo("c", "1"), locale=Locale.JA)
    assert encode(hello) == (
        '{"type":"hello","id":1,"name":"秋","client":{"name":"c","version":"1"},"locale":"ja"}'
    )
    assert encode(Rooms("a")) == '{"type":"rooms","id":"a"}'
    assert to_wire(SeatInfo(3)) == {"seat": 3}


def test_null_is_written_where_the_protocol_says_so() -> None:
    assert to_wire(JoinResult("R", None)) == {"room": "R", "seat": None}
    assert to_wire(Clock(5, 9, None)) == {"left_ms": 5, "total_ms": 9, "seat": None}
    assert to_wire(Error(None, "bad_json", "?"))["re"] is None
    assert to_wire(ChatPush("R", 1, ChatFrom("u", "Aki", None), "hi"))["from"] == {
        "user": "u",
        "name": "Aki",
        "seat": None,
    }


def test_an_empty_result_is_an_empty_object() -> None:
    assert encode(Ok("a")) == '{"type":"ok","re":"a","result":{}}'


def test_values_that_options_take_are_tagged() -> None:
    options = (
        Option("bid", "bid", {}, IntSpec(1, 4)),
        Option("pay", "pay", {}, CardsSpec(("9D", "QH"), 1, 2)),
        Option("order", "order", {"n": 2}, OrderSpec(("9D", "QH"))),
        Option("pass", "pass"),
    )
    decision = Decision("1.2", "k", options, "pass", True, Text("はい", "yes"))
    assert to_wire(decision)["options"] == [
        {"id": "bid", "kind": "bid", "args": {}, "value": {"type": "int", "min": 1, "max": 4}},
        {
            "id": "pay",
            "kind": "pay",
            "args": {},
            "value": {"type": "cards", "from": ["9D", "QH"], "min": 1, "max": 2},
        },
        {
            "id": "order",
            "kind": "order",
            "args": {"n": 2},
            "value": {"type": "order", "of": ["9D", "QH"]},
        },
        {"id": "pass", "kind": "pass", "args": {}},
    ]


# --- any input -------------------------------------------------------------------------------


def read_by(decode: Callable[[str | bytes], Any], data: str | bytes) -> Any:
    """Return the message, or the error; anything else that is raised is a failure."""
    try:
        return decode(data)
    except RemoteProtocolError as error:
        return error


def check_any(data: str | bytes) -> None:
    """Decode; what comes of it must be a request, or an error that can be replied."""
    got = read_by(decode_request, data)
    if not isinstance(got, RemoteProtocolError):
        assert decode_request(encode(got)) == got
        return
    assert got.code in {"bad_json", "bad_message", "unknown_type", "bad_value"}
    assert 1 <= len(got.problems) <= MAX_PROBLEMS
    assert all(problem.path.startswith("$") for problem in got.problems)
    assert len(str(got)) < 12_000
    details: dict[str, Json] = {"problems": [to_wire(p) for p in got.problems]}
    assert decode_push_or_reply(encode(Error(got.re, got.code, "…", details)))


def check_any_push(data: str | bytes) -> None:
    got = read_by(decode_push_or_reply, data)
    if isinstance(got, RemoteProtocolError):
        assert got.problems
    else:
        assert decode_push_or_reply(encode(got)) == got


anything = st.one_of(
    st.text(st.characters(), max_size=60),
    st.binary(max_size=60),
    st.text('{}[]",:\\u0d8tfe1.-x\ue000', max_size=60),
)


@settings(max_examples=300, deadline=None)
@given(anything)
@example("")
@example("null")
@example(b"\xff")
@example("\ufeff{}")
@example('"\ud800"')
def test_any_input_is_a_message_or_a_typed_error(data: str | bytes) -> None:
    check_any(data)
    check_any_push(data)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_damaged_message_is_a_message_or_a_typed_error(data: st.DataObject) -> None:
    cls = data.draw(st.sampled_from(MESSAGES))
    text = encode(data.draw(messages(cls)))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        gone = data.draw(st.integers(0, 4))
        text = text[:at] + data.draw(st.text(max_size=3)) + text[at + gone :]
    check_any(text)
    check_any_push(text)


NASTY = [
    "[" * 100_000,
    '{"a":' * 100_000,
    "[" * 8_000 + "]" * 8_000,
    '"' * 16_000,
    "\\" * 16_000,
    '"' + "\\" * 15_999,
    "1" * 16_000,
    "-",
    "{" + ",".join('"a":1' for _ in range(2_000)) + "}",
    "[" + ",".join("1" for _ in range(8_000)) + "]",
    '{"type":"ping","id":' + "9" * 4_400 + "}",
    '{"type":"ping","id":1e999}',
    '{"type":"ping","id":-Infinity}',
    '{"type":"ping","id":"\\ud800"}',
    '{"type":"ping","id":"\\u0000"}',
    '{"type":"ping","id":{}}',
    '{"type":{},"id":1}',
    '{"type":"__class__","id":1}',
    '{"type":"unknown","id":1}',
    '{"type":"ok","id":1,"re":1,"result":{}}',
    '{"type":"deck","id":1,"room":"R","cards":"abc"}',
    '{"type":"deck","id":1,"room":"R","cards":{"0":"a"}}',
    '{"type":"hello","id":1,"name":[],"client":[]}',
    '{"type":"create","id":1,"game":"g","options":[]}',
    '{"type":"ping","id":1,"' + "k" * 10_000 + '":1}',
    "{" + ",".join(f'"{chr(0x3040 + i)}":1' for i in range(90)) + ',"type":"ping","id":1}',
    b"\x00",
    b"\xef\xbb\xbf{}",
    b"\xed\xa0\x80",
    "\x00",
    "١",
    "{'type':'ping'}",
    '{"type":"ping","id":1}{"type":"ping","id":2}',
]


@pytest.mark.parametrize("data", NASTY, ids=range(len(NASTY)))
def test_nasty_input_is_refused_with_a_typed_error(data: str | bytes) -> None:
    check_any(data)
    check_any_push(data)
    refusal(data)


# --- section 3: the envelope -----------------------------------------------------------------


@pytest.mark.parametrize("given_id", [0, -1, 2**53 - 1, 1 - 2**53, "x", "鍵" * 64])
def test_an_id_is_an_integer_or_a_text_of_1_to_64_characters(given_id: int | str) -> None:
    assert decode_request(json.dumps({"type": "ping", "id": given_id})) == Ping(given_id)


@pytest.mark.parametrize("given_id", ["", "x" * 65, None, True, [], {}])
def test_another_id_is_a_bad_message_that_nobody_asked(given_id: object) -> None:
    error = of({"type": "ping", "id": given_id})
    assert (error.code, error.re, paths(error)) == (ErrorCode.BAD_MESSAGE, None, ["$.id"])


def test_a_request_without_id_is_a_bad_message_that_nobody_asked() -> None:
    error = of({"type": "ping"})
    assert (error.code, error.re, paths(error)) == (ErrorCode.BAD_MESSAGE, None, ["$.id"])


def test_an_unknown_type_is_told_to_the_asker() -> None:
    error = of({"type": "pong", "id": "a"})
    assert (error.code, error.re, paths(error)) == (ErrorCode.UNKNOWN_TYPE, "a", ["$.type"])


@pytest.mark.parametrize("message", [{"id": 3}, {"id": 3, "type": 4}, {"id": 3, "type": None}])
def test_a_missing_or_odd_type_is_a_bad_message(message: dict[str, Any]) -> None:
    error = of(message)
    assert (error.code, error.re, paths(error)) == (ErrorCode.BAD_MESSAGE, 3, ["$.type"])


@pytest.mark.parametrize("text", ["[]", "1", '"hello"', "null", "true"])
def test_text_that_is_no_object_is_bad_json(text: str) -> None:
    error = refusal(text)
    assert (error.code, error.re) == (ErrorCode.BAD_JSON, None)


def test_an_unknown_field_is_refused_with_its_path() -> None:
    error = of({**JOIN, "seta": 1})
    assert (error.code, error.re) == (ErrorCode.BAD_MESSAGE, 7)
    assert [(p.path, p.problem) for p in error.problems] == [("$.seta", "unknown field")]


def test_an_unknown_field_within_a_part_is_refused_with_its_path() -> None:
    hello = json.loads(HELLO)
    hello["client"]["os"] = "x"
    assert paths(of(hello)) == ["$.client.os"]


def test_fields_named_x_are_ignored_wherever_they_stand() -> None:
    hello = json.loads(HELLO)
    expected = decode_request(HELLO)
    hello["x_trace"] = None
    hello["client"]["x_os"] = {"deep": []}
    assert decode_request(json.dumps(hello)) == expected


def test_the_python_name_of_a_renamed_field_is_unknown() -> None:
    assert paths(of({**JOIN, "as_": "player"})) == ["$.as_"]


def test_several_faults_are_told_at_once_and_not_without_bound() -> None:
    error = of({**JOIN, "seat": "1", "as": "king", "password": 5})
    assert sorted(paths(error)) == ["$.as", "$.password", "$.seat"]
    many = of({**JOIN, **{f"f{i}": i for i in range(50)}})
    assert len(many.problems) == MAX_PROBLEMS


def test_a_long_list_of_wrong_entries_is_given_up_early(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Exception] = []

    class Counted(codec._Mismatch):
        def __init__(self, *args: object) -> None:
            super().__init__(*args)
            made.append(self)

    monkeypatch.setattr(codec, "_Mismatch", Counted)
    error = of({"type": "deck", "id": 1, "room": "A", "cards": [1] * 4_000})
    assert len(error.problems) == MAX_PROBLEMS
    assert MAX_PROBLEMS <= len(made) <= MAX_PROBLEMS + 1, "a problem was made for each entry"


def test_a_long_or_odd_field_name_is_cut_and_quoted() -> None:
    error = of({**JOIN, "k" * 200: 1})
    assert paths(error) == ['$["' + "k" * 32 + '..."]']
    assert paths(of({**JOIN, "a\u202eb": 1})) == ['$["a\\u202eb"]']


@pytest.mark.parametrize("field", ["as", "seat", "password"])
def test_null_for_a_field_that_does_not_apply_is_refused(field: str) -> None:
    error = of({**JOIN, field: None})
    assert (error.code, paths(error)) == (ErrorCode.BAD_MESSAGE, [f"$.{field}"])


# --- exact types -----------------------------------------------------------------------------


@pytest.mark.parametrize("seat", ["5", True, [5], {}])
def test_only_an_integer_is_an_integer(seat: object) -> None:
    error = of({**JOIN, "seat": seat})
    assert [(p.path, p.problem) for p in error.problems] == [("$.seat", "expected a whole number")]


@pytest.mark.parametrize("room", [5, True, ["R"], {"R": 1}])
def test_only_text_is_text(room: object) -> None:
    error = of({**JOIN, "room": room})
    assert [(p.path, p.problem) for p in error.problems] == [("$.room", "expected text")]


@pytest.mark.parametrize("on", [1, 0, "true", []])
def test_only_a_truth_value_is_a_truth_value(on: object) -> None:
    error = of({"type": "pause", "id": 1, "room": "R", "on": on})
    assert [(p.path, p.problem) for p in error.problems] == [("$.on", "expected true or false")]


@pytest.mark.parametrize("cards", ["9D", {"0": "9D"}, 9, True])
def test_only_a_list_is_a_list(cards: object) -> None:
    error = of({"type": "deck", "id": 1, "room": "R", "cards": cards})
    assert [(p.path, p.problem) for p in error.problems] == [("$.cards", "expected a list")]


@pytest.mark.parametrize("options", [[], "x", 1, True])
def test_only_an_object_is_an_object(options: object) -> None:
    error = of({"type": "configure", "id": 1, "room": "R", "options": options})
    assert [(p.path, p.problem) for p in error.problems] == [("$.options", "expected an object")]


def test_entries_of_a_list_are_named_by_their_index() -> None:
    error = of({"type": "deck", "id": 1, "room": "R", "cards": ["cc001", 5, "", None]})
    assert paths(error) == ["$.cards[1]", "$.cards[3]"]


def test_a_closed_set_takes_its_members_only() -> None:
    error = of({**JOIN, "as": "king"})
    assert error.problems[0].problem == "expected one of player, spectator"
    assert paths(of({**JOIN, "as": 1})) == ["$.as"]


# --- the value of an answer ------------------------------------------------------------------


@pytest.mark.parametrize(("wire", "value"), [(3, 3), ([], ()), (["9D", "QH"], ("9D", "QH"))])
def test_an_answer_brings_a_number_or_a_list_of_cards(wire: object, value: object) -> None:
    act = decode_request(json.dumps({**ACT, "value": wire}))
    assert isinstance(act, Act)
    assert act.value == value


@pytest.mark.parametrize("value", ["3", True, None, {}, [1], ["9D", None], [""], ["x"] * 65])
def test_a_value_that_no_option_takes_is_a_bad_value(value: object) -> None:
    error = of({**ACT, "value": value})
    assert (error.code, error.re) == (ErrorCode.BAD_VALUE, 7)
    assert paths(error)[0].startswith("$.value")


def test_a_bad_value_in_an_answer_with_other_faults_is_a_bad_message() -> None:
    assert of({**ACT, "value": True, "room": 1}).code == ErrorCode.BAD_MESSAGE


# --- bounds ----------------------------------------------------------------------------------

WORD = "x" * 64
BOUNDS: list[tuple[dict[str, Any], str, list[Any], list[Any]]] = [
    ({"type": "rooms"}, "game", ["g", WORD], ["", WORD + "x"]),
    ({"type": "create"}, "game", ["g", WORD], ["", WORD + "x"]),
    ({"type": "create", "game": "g"}, "title", ["", "題" * 100], ["題" * 101]),
    ({"type": "create", "game": "g"}, "password", ["", "p" * 128], ["p" * 129]),
    ({"type": "create", "game": "g"}, "seats", [1, 16], [0, -1, 17]),
    ({"type": "join"}, "room", ["R", WORD], ["", WORD + "x"]),
    ({"type": "join", "room": "R"}, "seat", [0, 15], [-1, 16]),
    ({"type": "host", "room": "R"}, "seat", [0, 15], [-1, 16]),
    ({"type": "bot", "room": "R"}, "level", ["random", WORD], ["", WORD + "x"]),
    ({"type": "deck", "room": "R"}, "cards", [[], ["c"] * 200], [["c"] * 201, ["x" * 65], [""]]),
    ({"type": "deck", "room": "R"}, "starter", [True], [False]),
    (
        {"type": "ready", "room": "R", "ready": True},
        "nonce",
        ["ab" * 16, "AB" * 64],
        ["", "ab" * 15, "ab" * 65, "ab" * 16 + "a", "xy" * 16, "ab" * 16 + "\n"],
    ),
    ({"type": "chat", "room": "R"}, "text", ["a", "字" * 500], ["", "字" * 501]),
    ({"type": "sync", "room": "R"}, "seq", [0, 2**53 - 1], [-1]),
    ({"type": "act", "room": "R", "option": "o"}, "decision", ["0.1", WORD], ["", WORD + "x"]),
    ({"type": "act", "room": "R", "decision": "0.1"}, "option", ["o" * 256], ["", "o" * 257]),
    ({"type": "auto", "room": "R", "mode": "ask"}, "window", ["k", WORD], ["", WORD + "x"]),
    ({"type": "daily", "book": "b"}, "date", ["2026-07-01"], ["2026-7-1", "today", "2026-07-01\n"]),
    ({"type": "daily"}, "book", ["b", WORD], ["", WORD + "x"]),
    ({"type": "kick", "room": "R"}, "user", ["u", WORD], ["", WORD + "x"]),
]


@pytest.mark.parametrize(
    ("rest", "field", "good", "bad"), BOUNDS, ids=[f"{r['type']}.{f}" for r, f, _, _ in BOUNDS]
)
def test_every_field_has_its_bounds(
    rest: dict[str, Any], field: str, good: list[Any], bad: list[Any]
) -> None:
    for value in good:
        assert decode_request(json.dumps({**rest, "id": 1, field: value}))
    for value in bad:
        error = of({**rest, "id": 1, field: value})
        assert (error.code, error.re) == (ErrorCode.BAD_MESSAGE, 1)
        assert paths(error)[0].startswith((f"$.{field}", "$"))


@pytest.mark.parametrize("field", ["name", "version"])
def test_the_client_says_its_name_and_version(field: str) -> None:
    hello = json.loads(HELLO)
    hello["client"][field] = ""
    assert paths(of(hello)) == [f"$.client.{field}"]
    del hello["client"][field]
    assert paths(of(hello)) == [f"$.client.{field}"]


def test_hello_bounds_its_capabilities_password_and_token() -> None:
    hello = json.loads(HELLO)
    assert decode_request(json.dumps({**hello, "capabilities": ["patch"], "resume": "t" * 256}))
    assert paths(of({**hello, "capabilities": ["c"] * 33})) == ["$.capabilities"]
    assert paths(of({**hello, "capabilities": ["c", ""]})) == ["$.capabilities[1]"]
    assert paths(of({**hello, "resume": "t" * 257})) == ["$.resume"]
    assert paths(of({**hello, "locale": "fr"})) == ["$.locale"]


def test_a_name_of_any_form_reaches_the_rules_of_names() -> None:
    hello = json.loads(HELLO)
    for name in ("", "x" * 1_000, "\u202e"):
        assert isinstance(decode_request(json.dumps({**hello, "name": name})), Hello)


def test_a_deck_is_cards_or_the_starter() -> None:
    deck = {"type": "deck", "id": 1, "room": "R"}
    assert paths(of(deck)) == ["$"]
    assert paths(of({**deck, "cards": ["c"], "starter": True})) == ["$"]


def test_one_is_put_out_by_seat_or_by_user() -> None:
    kick = {"type": "kick", "id": 1, "room": "R"}
    assert paths(of(kick)) == ["$"]
    assert paths(of({**kick, "seat": 1, "user": "u"})) == ["$"]
    assert decode_request(json.dumps({**kick, "seat": 1}))


def test_a_nonce_is_kept_in_lower_case() -> None:
    assert Ready(1, "R", True, "AB" * 16).nonce == "ab" * 16


def test_every_request_of_the_protocol_is_known() -> None:
    opening = {"hello", "ping", "rooms", "create", "join", "leave"}
    before = {"configure", "deck", "ready", "start", "bot", "kick", "host"}
    playing = {"act", "auto", "chat", "sync", "catalog", "replay", "daily", "rematch", "pause"}
    assert set(REQUESTS) == opening | before | playing


# --- a client's ear --------------------------------------------------------------------------


def test_a_client_ignores_fields_of_a_later_version() -> None:
    text = '{"type":"notice","code":"new","message":"m","details":{},"later":[1]}'
    assert decode_push_or_reply(text) == Notice("new", "m")
    result: dict[str, Json] = {"seq": 4, "later": None}
    assert decode_result(ActResult, result) == ActResult(4)


def test_a_client_takes_values_of_a_later_version_as_unknown() -> None:
    option: dict[str, Json] = {"id": "o", "kind": "k", "args": {}, "value": {"type": "colour"}}
    update = {
        **json.loads(encode(Update("R", 1, True, (), (), (), view={}))),
        "decisions": [
            {"id": "0.1", "kind": "k", "options": [option], "default": "o", "sealed": False}
        ],
    }
    push = decode_push_or_reply(json.dumps(update))
    assert isinstance(push, Update)
    spec = push.decisions[0].options[0].value
    assert spec == UnknownSpec({"type": "colour"})
    assert isinstance(spec, UnknownSpec)
    assert spec.type == "colour"
    assert json.loads(encode(push)) == update


def test_a_client_takes_absent_optional_fields_and_details() -> None:
    assert decode_push_or_reply('{"type":"error","re":null,"code":"x","message":"m"}') == Error(
        None, "x", "m"
    )
    assert decode_push_or_reply('{"type":"ok","re":1}') == Ok(1)


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"ok","re":[],"result":{}}',
        '{"type":"ok","re":1,"result":[]}',
        '{"type":"update","room":"R"}',
        '{"type":5}',
        "{}",
        "[]",
    ],
)
def test_a_client_refuses_what_is_no_message(text: str) -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        decode_push_or_reply(text)
    assert caught.value.problems


def test_a_client_refuses_a_result_that_is_none() -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        decode_result(BotResult, {"seat": "1"})
    assert [problem.path for problem in caught.value.problems] == ["$.seat"]


def test_a_client_takes_limits_that_the_server_does_not_tell_as_usual() -> None:
    fields: dict[str, Json] = {
        "user": "u",
        "token": "t",
        "resumed": False,
        "server": {"name": "s", "version": "1"},
        "protocol": "1.0",
        "capabilities": [],
        "limits": {"pending_requests": 4},
        "games": [],
        "rooms": [],
    }
    assert decode_result(HelloResult, fields).limits == Limits(pending_requests=4)


# --- what this end sends ---------------------------------------------------------------------

DEEP: Any = 0
for _ in range(31):
    DEEP = [DEEP]

UNFIT: list[Any] = [
    1.5,
    float("nan"),
    float("inf"),
    2**53,
    -(2**53),
    "half \ud800",
    "nul \0",
    {"half \udfff": 1},
    {1: "one"},
    {None: 1},
    b"bytes",
    {1, 2},
    object(),
    [DEEP],
    [0] * 4_096,
    [["x" * 70_000], ["x" * 70_000], "漢" * 50_000],
]


@pytest.mark.parametrize("unfit", UNFIT, ids=range(len(UNFIT)))
def test_what_the_other_end_would_refuse_is_not_sent(unfit: Any) -> None:
    with pytest.raises(LocalProtocolError):
        encode(Ok(1, {"a": unfit}))


@pytest.mark.parametrize(
    "fit", [DEEP[0], [0] * 4_000, "back\\u0000slash", 2**53 - 1, ("a", "b"), ErrorCode.STALE, "漢"]
)
def test_what_the_other_end_takes_is_sent(fit: Any) -> None:
    reply = decode_push_or_reply(encode(Ok(1, {"a": fit})))
    assert isinstance(reply, Ok)
    assert reply.result["a"] == (list(fit) if isinstance(fit, tuple) else fit)


def test_a_request_is_not_sent_beyond_the_frame_that_a_server_takes() -> None:
    cards = tuple("x" * 64 for _ in range(64))
    act = Act(1, "R", "0.1", "o", cards)
    assert encode(act)
    with pytest.raises(LocalProtocolError):
        encode(act, Limits(frame_in_bytes=1_000))
