"""What people are told, in both languages."""

import string
from typing import Any

import pytest
from kaguraden_protocol.errors import ErrorCode, NoticeCode, RefusedError
from kaguraden_protocol.text import check_name
from kaguraden_server import texts

RANGE = "expected a whole number from 500 to 9000"
DETAILS: dict[str, Any] = {
    "room": "KAGU-7Q2F",
    "taken": 4,
    "seats": 4,
    "limit": 8,
    "seat": 2,
    "retry_after_ms": 250,
    "reference": "ab12",
    "problems": [{"path": "$.x", "problem": "unknown field"}],
    "seconds": 60,
    "to": "SORA-2222",
    "name": "Aki",
    "wants": 1,
    "needs": 3,
}


@pytest.mark.parametrize("code", list(ErrorCode))
@pytest.mark.parametrize("locale", ["ja", "en"])
def test_every_code_says_something_in_both_languages(code: ErrorCode, locale: str) -> None:
    text = texts.error(code, DETAILS, locale)
    assert text != code
    assert "{" not in text
    assert text.isascii() is (locale == "en")


@pytest.mark.parametrize("code", list(NoticeCode))
def test_every_notice_says_something_in_both_languages(code: NoticeCode) -> None:
    assert texts.notice(code, DETAILS, "ja") != texts.notice(code, DETAILS, "en") != code


@pytest.mark.parametrize("code", list(ErrorCode))
def test_no_text_needs_details_that_may_be_missing(code: ErrorCode) -> None:
    assert texts.error(code, {}, "en")


def test_texts_say_what_and_how_much() -> None:
    assert texts.error("room_full", DETAILS, "en") == "table KAGU-7Q2F is full (4 of 4)"
    assert texts.error("room_full", DETAILS, "ja") == "卓 KAGU-7Q2F は満席です(4/4)"
    assert texts.error("bad_message", DETAILS, "en").endswith(": $.x unknown field")


@pytest.mark.parametrize(
    ("code", "details", "en", "ja"),
    [
        ("seat_taken", {"seat": 0}, "seat 1 is taken", "席 1 はふさがっています"),
        ("seat_taken", {"room": "R"}, "every seat is taken", "席はふさがっています"),
        (
            "not_ready",
            {"empty": [2], "unready": [0, 1]},
            "not everything is ready yet (empty seats: 3; seats not ready: 1, 2)",
            "まだ準備ができていません (空席: 3; 準備中の席: 1, 2)",
        ),
        (
            "limit_reached",
            {"limit": 16, "what": "bots_per_user"},
            "the limit is reached (16 bots a user)",
            "上限に達しています (1人ボット 16 体)",
        ),
        (
            "unsupported",
            {"levels": ["greedy", "random"]},
            "this server does not have that (levels of bots: greedy, random)",
            "このサーバーにはありません (ボットの強さ: greedy, random)",
        ),
        (
            "bad_options",
            {"problems": [{"path": "$.seats", "problem": "expected 2 to 6"}] * 2},
            "the options have faults: seats: 2 to 6",
            "設定に誤りがあります: seats: 2から6まで",
        ),
        (
            "bad_options",
            {
                "problems": [
                    {"path": "$.turn_ms", "problem": f"{RANGE} (ms), got 1"},
                    {"path": "bid_max", "problem": "a whole number from 1 to 99"},
                    {"path": "$.x", "problem": "unknown setting; did you mean y?"},
                ]
            },
            "the options have faults: turn_ms: 500 to 9000 ms; bid_max: 1 to 99; "
            "x: there is no such option",
            "設定に誤りがあります: turn_ms: 500から9000ミリ秒まで; bid_max: 1から99まで; "
            "x: そのような設定はありません",
        ),
        (
            "bad_name",
            {"position": 1, "problems": [{"path": "$.name", "problem": "two spaces together"}]},
            "this name cannot be used: two spaces together (character 2)",
            "その名前は使えません: 空白が続いています(2文字目)",
        ),
    ],
)
def test_texts_are_for_people(code: str, details: dict[str, Any], en: str, ja: str) -> None:
    assert texts.error(code, details, "en") == en
    assert texts.error(code, details, "ja") == ja


@pytest.mark.parametrize(
    "name",
    [
        *("", "a\0", "\u202ea", "a\u0378", "a\ue000", "a\ud800", "a\u2028", "a\u3164", " a", "a "),
        *("a  b", "\u0301a", "x\u030c\u0307\u0308", "x" * 25, "abe\u0301"),
    ],
    ids=ascii,
)
def test_what_is_wrong_with_a_name_is_said_in_japanese_too(name: str) -> None:
    with pytest.raises(RefusedError) as caught:
        check_name(name)
    details: dict[str, Any] = caught.value.details
    (problem,) = [p["problem"] for p in details["problems"]]
    said = texts.error("bad_name", details, "ja")
    assert problem not in said
    assert "$" not in said


def test_a_server_that_stops_does_not_promise_seats() -> None:
    assert texts.notice("draining", {}, "en") == "the server is stopping; games in play end with it"
    assert "終わり" in texts.notice("draining", {}, "ja")


def test_details_cannot_smuggle_in_a_template() -> None:
    text = texts.error("room_not_found", {"room": "{limit}", "limit": 3}, "en")
    assert text == "there is no table {limit}"


def test_texts_use_only_what_details_may_hold() -> None:
    for code in ErrorCode:
        for locale in ("ja", "en"):
            fields = {f for _, f, _, _ in string.Formatter().parse(texts.error(code, {}, locale))}
            assert fields <= {None}
