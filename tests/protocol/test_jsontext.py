"""Section 1 of the protocol: which JSON is taken."""

from __future__ import annotations

import gc
import json
from contextlib import suppress

import pytest
from kaguraden_protocol import jsontext
from kaguraden_protocol.codec import decode_request
from kaguraden_protocol.errors import ErrorCode, RemoteProtocolError
from kaguraden_protocol.jsontext import BadJson, read, step, write
from kaguraden_protocol.limits import Limits
from kaguraden_protocol.messages import Json, Ping

ROOM = 16 * 1024


def fault(text: str | bytes, max_bytes: int = ROOM) -> tuple[str, str]:
    with pytest.raises(BadJson) as caught:
        read(text, max_bytes)
    first = caught.value.problems[0]
    return first.path, first.problem


def test_plain_json_is_taken_as_text_or_bytes() -> None:
    value: Json = {"a": [1, -2, True, None, "木"], "b": {}}
    assert read(json.dumps(value), ROOM) == value
    assert read(json.dumps(value, ensure_ascii=False).encode(), ROOM) == value


def test_depth_32_is_taken_and_33_is_not() -> None:
    assert read("[" * 32 + "]" * 32, ROOM)
    assert fault("[" * 33 + "]" * 33)[0] == "$"
    assert fault('{"a":' * 33 + "1" + "}" * 33)[0] == "$"


def test_the_deepest_place_counts_wherever_it_is() -> None:
    for before, after in (("", ",[],{}"), ("[],{},", ""), ("[[]],", ",[[]]")):
        assert read("[" + before + "[" * 31 + "]" * 31 + after + "]", ROOM)
        assert fault("[" + before + "[" * 32 + "]" * 32 + after + "]")[0] == "$"


def test_depth_is_told_without_a_recursion_error() -> None:
    assert "32" in fault("[" * 16_000)[1]


def test_brackets_in_strings_and_side_by_side_are_not_deep() -> None:
    assert read(json.dumps(["[" * 100, '"[\\"[' * 50]), ROOM)
    assert read("[" + ",".join(["[]"] * 100) + "]", ROOM)


def test_4096_values_are_taken_and_4097_are_not() -> None:
    assert read(json.dumps([0] * 4_095), 100_000)
    assert fault(json.dumps([0] * 4_096), 100_000) == ("$", "more than 4096 values")
    assert fault(json.dumps({str(i): i for i in range(4_096)}), 100_000)[0] == "$"


def test_commas_in_strings_do_not_count_as_values() -> None:
    assert read(json.dumps("," * 10_000), ROOM)


def test_a_repeated_field_is_refused_with_its_path() -> None:
    assert fault('{"a":{"b":1,"c":2,"b":1}}') == ("$.a.b", "given twice")
    assert fault('{"a":1,"\\u0061":2}') == ("$.a", "given twice")


class Name(str):
    """A text that counts how often one is compared."""

    __slots__ = ()
    __hash__ = str.__hash__
    compared = 0

    def __eq__(self, other: object) -> bool:
        Name.compared += 1
        return str.__eq__(self, other)


def test_finding_a_repeated_field_takes_no_longer_with_more_fields() -> None:
    number = 2_000
    pairs = [(Name(f"{i:x}"), i) for i in range(number)]
    found = jsontext._Repeated([*pairs, (Name("ff"), 0)])
    assert found.repeated == ["ff"]
    assert Name.compared < 10 * number, "each name was compared with every other"


@pytest.mark.parametrize("number", ["1.0", "1e2", "-0.5", "NaN", "Infinity", "-Infinity", "1e999"])
def test_a_number_that_is_not_whole_is_refused_with_its_path(number: str) -> None:
    assert fault(f'{{"a":[0,{number}]}}')[0] == "$.a[1]"


def test_integers_reach_to_2_to_the_53_minus_1() -> None:
    most = 2**53 - 1
    assert read(f"[{most},{-most},-0]", ROOM) == [most, -most, 0]
    for number in (str(most + 1), str(-most - 1), "9" * 17, "9" * 4_400):
        assert fault(f"[{number}]")[0] == "$[0]"


@pytest.mark.parametrize("text", ['["\\ud800"]', '["\\udc00\\ud800"]', '["a\\udfff"]'])
def test_half_a_surrogate_pair_is_refused_with_its_path(text: str) -> None:
    assert fault(text)[0] == "$[0]"


def test_half_a_surrogate_pair_that_is_not_escaped_is_refused() -> None:
    assert fault('["\ud800"]')[0] == "$"
    assert fault(b'["\xed\xa0\x80"]')[0] == "$"


def test_an_escaped_surrogate_pair_is_a_character() -> None:
    assert read('["\\ud83c\\udfb4"]', ROOM) == ["🎴"]


def test_u0000_is_refused_in_values_and_names() -> None:
    assert fault('["\\u0000"]')[0] == "$[0]"
    assert fault('{"a\\u0000":1}')[0] == "$"
    assert fault('["\0"]')[0] == "$"


def test_control_characters_are_escaped_in_json() -> None:
    assert fault('["\n"]')[0] == "$"
    assert read('["\\n"]', ROOM) == ["\n"]


def test_bytes_that_are_no_utf8_are_refused() -> None:
    assert "UTF-8" in fault(b'["\xff"]')[1]


def test_a_byte_order_mark_is_refused() -> None:
    assert fault("\ufeff[]")[0] == "$"


def test_the_size_is_that_of_the_bytes() -> None:
    text = json.dumps("木" * 10, ensure_ascii=False)
    assert read(text, 32)
    assert "32 bytes" in fault(text, 31)[1]
    assert "32 bytes" in fault(text.encode(), 31)[1]


def test_a_request_over_the_servers_limit_is_bad_json() -> None:
    text = json.dumps({"type": "ping", "id": 1, "x_pad": "x" * 200})
    assert decode_request(text) == Ping(1)
    with pytest.raises(RemoteProtocolError) as caught:
        decode_request(text, Limits(frame_in_bytes=100))
    assert (caught.value.code, caught.value.re) == (ErrorCode.BAD_JSON, None)


def test_faults_within_a_readable_object_are_told_to_the_asker() -> None:
    for part in ('"a":1.5', '"a":1,"a":2', '"a":"\\u0000"'):
        with pytest.raises(RemoteProtocolError) as caught:
            decode_request(f'{{"type":"ping","id":"q",{part}}}')
        assert (caught.value.code, caught.value.re) == (ErrorCode.BAD_JSON, "q")
        assert caught.value.problems[0].path == "$.a"


def test_a_repeated_id_is_no_id() -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        decode_request('{"type":"ping","id":1,"id":2}')
    assert (caught.value.code, caught.value.re) == (ErrorCode.BAD_JSON, None)


def test_faults_are_told_up_to_a_bound() -> None:
    with pytest.raises(BadJson) as caught:
        read("[" + ",".join(["0.5"] * 1_000) + "]", ROOM)
    assert len(caught.value.problems) == 8


def test_paths_name_plain_keys_plainly_and_quote_the_rest() -> None:
    assert step(step("$", "seats"), 2) == "$.seats[2]"
    assert step("$", "a b") == '$["a b"]'
    assert step("$", "") == '$[""]'
    assert step("$", "x" * 33) == '$["' + "x" * 32 + '..."]'


def test_writing_is_compact_and_readable() -> None:
    assert write({"a": [1, "木"]}, ROOM) == '{"a":[1,"木"]}'


@pytest.mark.parametrize("text", ['{"type":"ping","id":1}', '{"a":1,"a":1.5}', "{", "[" * 40])
def test_reading_leaves_nothing_for_the_collector(text: str) -> None:
    """What has to wait for it stays for long: the server has it run seldom."""
    gc.collect()
    gc.disable()
    try:
        with suppress(BadJson):
            read(text, 1_000)
        assert gc.collect() == 0
    finally:
        gc.enable()
