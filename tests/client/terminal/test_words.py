"""The client's words: both languages say everything, and say it with the same values."""

from __future__ import annotations

import importlib
import pkgutil
import re
import string
from pathlib import Path

import kaguraden_client.terminal as terminal
import pytest
from kaguraden_client.languages import system_lang
from kaguraden_client.reading import Json
from kaguraden_client.terminal.painters.odoriko_events import SENTENCES
from kaguraden_client.terminal.refusals import refusal
from kaguraden_client.terminal.words import Lang, add, all_words, say
from kaguraden_protocol.errors import ErrorCode, NoticeCode
from kaguraden_rules.kernel import Event
from kaguraden_rules.odoriko import events, words

SOURCE = Path(terminal.__file__).parent
for found in pkgutil.walk_packages(terminal.__path__, f"{terminal.__name__}."):
    importlib.import_module(found.name)  # each adds its own words


def names(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_a_text_takes_the_same_values_in_both_languages() -> None:
    wrong = []
    for key, (japanese, english) in all_words().items():
        if key.endswith(".1"):  # for one thing: may leave the number out
            wanted = names(all_words()[key.removesuffix(".1")][1])
            fits = names(english) <= wanted and wanted - {"n"} <= names(english)
        else:
            fits = names(japanese) == names(english)
        if not (fits and japanese and english):
            wrong.append(key)
    assert wrong == []


def test_every_key_in_the_source_has_a_text() -> None:
    missing = [
        f"{path.name}: {key}"
        for path in SOURCE.rglob("*.py")
        for key in re.findall(r'say\(\s*"([a-z_.]+)"', path.read_text("utf-8"))
        if key not in all_words()
    ]
    assert missing == []


# What only a faulty client is told; the server's text does.
DEVELOPERS = {"bad_json", "bad_message", "unknown_type", "hello_required", "already_open"}


def test_every_refusal_and_notice_for_people_has_a_text_of_the_client() -> None:
    wanted = [f"code.{code}" for code in ErrorCode if code not in DEVELOPERS]
    wanted += [f"notice.{code}" for code in NoticeCode]
    assert [key for key in wanted if key not in all_words()] == []


@pytest.mark.parametrize(
    ("code", "details", "japanese", "english"),
    [
        (
            "room_full",
            {"room": "KAGU-7Q2F", "taken": 4, "seats": 4},
            "その卓は満席です（4/4）",
            "that table is full (4/4)",
        ),
        (
            "limit_reached",
            {"what": "rooms_per_user", "limit": 8},
            "上限に達しています（1人8卓）",
            "the limit is reached (8 tables a player)",
        ),
        (
            "limit_reached",
            {"what": "something newer", "limit": 8},
            "上限に達しています（8）",
            "the limit is reached (8)",
        ),
        (
            "too_many_requests",
            {"retry_after_ms": 1200, "limit": 20},
            "操作が速すぎました。少し待ってもう一度（2秒）",
            "that was too fast: wait a moment and try again (2 s)",
        ),
        (
            "internal",
            {"reference": "ab12"},
            "サーバーの不具合（参照 ab12）",
            "the server failed (reference ab12)",
        ),
        (
            "not_ready",
            {"empty": [2, 3], "unready": [0]},
            "まだ準備ができていません（空席: 3、4；準備中の席: 1）",
            "not everything is ready yet (empty seats: 3, 4; seats not ready: 1)",
        ),
        (
            "bad_options",
            {"problems": [{"path": "$.seats", "problem": "expected 2 to 6"}]},
            "卓の設定が合いません（席の数: 2〜6）",
            "the table's options do not fit (seats: 2 to 6)",
        ),
        ("newer", {}, "server's text", "server's text"),
    ],
)
def test_a_refusal_is_told_in_the_language_of_the_moment(
    code: str, details: dict[str, Json], japanese: str, english: str
) -> None:
    assert refusal(Lang.JA, code, "server's text", details) == japanese
    assert refusal(Lang.EN, code, "server's text", details) == english


def test_one_thing_has_its_own_text() -> None:
    assert say(Lang.EN, "odoriko.barren", n=1) == "1 idle turn"
    assert say(Lang.EN, "odoriko.barren", n=2) == "2 idle turns"


def test_a_key_cannot_be_said_twice() -> None:
    with pytest.raises(ValueError, match="you"):
        add({"you": ("a", "b")})


@pytest.mark.parametrize(
    ("locale", "lang"), [("ja_JP.UTF-8", Lang.JA), ("en_GB.UTF-8", Lang.EN), ("C", Lang.EN)]
)
def test_the_locale_chooses_the_language(
    monkeypatch: pytest.MonkeyPatch, locale: str, lang: Lang
) -> None:
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.delenv("LC_MESSAGES", raising=False)
    monkeypatch.setenv("LANG", locale)
    assert system_lang() is lang


def test_every_event_of_odoriko_has_a_sentence() -> None:
    kinds = {
        kind.kind
        for kind in vars(events).values()
        if isinstance(kind, type) and issubclass(kind, Event) and kind is not Event
    }
    assert kinds == set(SENTENCES)


def test_every_question_of_odoriko_is_asked_in_both_languages() -> None:
    assert all(prompt.ja and prompt.en for prompt in words.PROMPTS.values())
