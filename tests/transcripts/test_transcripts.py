"""The kept transcripts are what the code says now, and what the published schemas allow."""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

import pytest

from tests.published import is_valid

from .scenes import FOLDER, SCENES, record

REFUSED_FOR_SHAPE = {"bad_json", "bad_message", "unknown_type", "bad_value"}

Json = dict[str, Any]


@cache
def kept(name: str) -> str:
    return (FOLDER / f"{name}.jsonl").read_text("utf-8")


@cache
def lines(name: str) -> list[Json]:
    return [json.loads(line) for line in kept(name).splitlines()]


def is_message(got: Json) -> bool:
    """Whether a message of the server is one that its schemas allow."""
    return is_valid(got, game=got.get("view", {}).get("game"))


def test_no_transcript_is_left_over() -> None:
    assert {path.stem for path in FOLDER.glob("*.jsonl")} == set(SCENES)


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_goes_as_it_is_kept(name: str) -> None:
    """If it is meant to differ: python -m tests.transcripts, and read the diff."""
    assert record(name) == kept(name)


@pytest.mark.parametrize("name", SCENES)
def test_what_the_server_sent_is_what_the_schemas_say(name: str) -> None:
    got = [line["got"] for line in lines(name) if "got" in line]
    assert [message for message in got if not is_message(message)] == []
    broken = copy.deepcopy(next(m for m in got if m["type"] == "ok"))
    del broken["result"]
    assert not is_message(broken)


@pytest.mark.parametrize("name", SCENES)
def test_requests_and_results_are_what_the_schemas_say(name: str) -> None:
    waiting: dict[tuple[str, Any], Json] = {}
    for line in lines(name):
        if "sent" in line:
            waiting[line["who"], line["sent"].get("id")] = line["sent"]
        got = line.get("got", {})
        sent = waiting.pop((line["who"], got["re"]), None) if "re" in got else None
        if sent is None:
            continue
        if got["type"] == "ok":
            assert is_valid({sent["type"]: got["result"]}, name="Results"), (sent, got)
        if got.get("code") not in REFUSED_FOR_SHAPE:
            assert is_valid(sent, name="AnyRequest"), sent


@pytest.mark.parametrize("game", ["odoriko", "enbu", "yumeochi"])
def test_a_game_is_told_from_hello_to_its_record(game: str) -> None:
    told = lines(game)
    kinds = [line["sent"]["type"] for line in told if "sent" in line]
    assert kinds[0] == "hello"
    assert kinds[-2:] == ["replay", "leave"]
    updates = [line["got"] for line in told if line.get("got", {}).get("type") == "update"]
    assert [update["seq"] for update in updates] == list(range(1, len(updates) + 1))
    assert "outcome" in updates[-1]["view"]


def test_the_specification_shows_messages_of_a_game_that_was_played() -> None:
    text = (FOLDER.parent / "README.md").read_text("utf-8")
    after = text.partition("### From a game of odoriko\n")[2]
    shown = after.partition("```wire\n")[2].partition("```")[0].splitlines()
    assert len(shown) == 3
    said = {"→": "sent", "←": "got"}
    told = [(key, line[key]) for line in lines("odoriko") for key in said.values() if key in line]
    for line in shown:
        assert (said[line[0]], json.loads(line[2:])) in told
