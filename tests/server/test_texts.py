"""What people are told, in both languages."""

import string
from typing import Any

import pytest
from kaguraden_protocol.errors import ErrorCode, NoticeCode
from kaguraden_server import texts

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
    assert texts.error("room_full", DETAILS, "en") == "room KAGU-7Q2F is full (4 of 4)"
    assert texts.error("room_full", DETAILS, "ja") == "部屋 KAGU-7Q2F は満席です(4/4)"
    assert texts.error("bad_message", DETAILS, "en").endswith(": $.x unknown field")


def test_details_cannot_smuggle_in_a_template() -> None:
    text = texts.error("room_not_found", {"room": "{limit}", "limit": 3}, "en")
    assert text == "there is no room {limit}"


def test_texts_use_only_what_details_may_hold() -> None:
    for code in ErrorCode:
        for locale in ("ja", "en"):
            fields = {f for _, f, _, _ in string.Formatter().parse(texts.error(code, {}, locale))}
            assert fields <= {None}
