"""The frames of a record are what its viewers saw, and no more."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from kaguraden_protocol.codec import decode_push_or_reply
from kaguraden_protocol.messages import Update
from kaguraden_rules.catalogue import GAMES
from kaguraden_rules.kernel import SeatId, Viewer
from kaguraden_rules.plain import to_plain
from kaguraden_server.frames import Film, Looker, NoFilm, frames, parse_viewer
from kaguraden_server.streams import events_to_wire

from tests.made_records import KINDS, made_record


def dump(record: object) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode()


@cache
def film(kind: str) -> Film:
    return Film.of(dump(made_record(kind, 1)), GAMES)


def seen(shown: Film, step: int, looker: Looker) -> Any:
    """Return the update of a frame."""
    return shown.frame(step, looker)["update"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_frame_is_the_update_that_a_viewer_got(kind: str) -> None:
    shown = film(kind)
    game, seats = shown.again.game, shown.again.record.seats
    assert shown.steps == len(shown.again.record.inputs)
    assert shown.fault is None
    viewers: list[Viewer] = [None, *(SeatId(n) for n in range(seats))]
    for step in range(0, shown.steps + 1, 3):
        shot = shown.shots[step]
        for viewer in viewers:
            frame: Any = shown.frame(step, viewer)
            assert frame["update"]["view"] == to_plain(game.view(shot.state, viewer))
            assert frame["update"]["events"] == events_to_wire(shot.events, viewer)
            update = decode_push_or_reply(json.dumps(frame["update"]))
            assert isinstance(update, Update)
            asked = game.decisions(shot.state)
            wanted = [asked[viewer].id] if viewer is not None and viewer in asked else []
            assert [decision.id for decision in update.decisions] == wanted


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_is_told_to_who_gave_it_alone(kind: str) -> None:
    """It may have been sealed."""
    shown = film(kind)
    for step, line in enumerate(made_record(kind, 1)["inputs"], 1):
        by = None if line.startswith("expire") else int(line.partition(" ")[0])
        assert shown.frame(step, "all").get("input") == line
        assert shown.frame(step, None).get("input") is None
        for seat in range(shown.again.record.seats):
            frame = shown.frame(step, SeatId(seat))
            assert frame.get("input") == (line if seat == by else None)
            assert frame.get("by") == (seat if seat == by else None)


@pytest.mark.parametrize("kind", KINDS)
def test_with_everything_open_every_seat_shows_what_it_saw(kind: str) -> None:
    shown = film(kind)
    for step in range(0, shown.steps + 1, 5):
        frame: Any = shown.frame(step, "all")
        seats = range(shown.again.record.seats)
        views = [seen(shown, step, SeatId(n))["view"] for n in seats]
        assert frame["seats"] == views
        kinds = [event["kind"] for event in frame["update"]["events"]]
        for seat in seats:
            mine: Any = shown.frame(step, SeatId(seat))["update"]
            told = [e for e in mine["events"] if e.get("seat") == seat]
            assert {e["kind"] for e in told} <= set(kinds)


def test_what_is_hidden_is_open_with_everything_open() -> None:
    shown = film("odoriko")
    deal: Any = shown.frame(0, "all")["update"]
    drawn = [event for event in deal["events"] if event["kind"] == "card_drawn"]
    assert len(drawn) == 6
    assert all("card" in event for event in drawn)
    watched: Any = shown.frame(0, None)["update"]
    assert not any("card" in e for e in watched["events"] if e["kind"] == "card_drawn")


def test_a_race_is_told_once_with_everything_open() -> None:
    """EN-83: what rivals are told of a seat is left out beside its own events."""
    shown = film("race")
    kinds = {
        event["kind"]
        for step in range(shown.steps + 1)
        for event in seen(shown, step, "all")["events"]
    }
    assert "flip" in kinds
    assert "figures" not in kinds


def test_a_record_that_breaks_off_is_shown_so_far() -> None:
    record = copy.deepcopy(made_record("enbu", 1))
    record["inputs"][5] = "0 0.6 nothing"
    shown = Film.of(dump(record), GAMES)
    assert shown.steps == 5
    assert "nothing" in json.dumps(shown.head()["fault"])
    record["rules"] = "9"
    with pytest.raises(NoFilm):
        Film.of(dump(record), GAMES)


def test_viewers_have_names() -> None:
    assert parse_viewer("watch", 2) is None
    assert parse_viewer("all", 2) == "all"
    assert parse_viewer("1", 2) == 1
    for wrong in ("2", "-1", "", "x", "١"):
        with pytest.raises(ValueError, match="no viewer"):
            parse_viewer(wrong, 2)


def test_the_command_writes_all_frames_or_answers(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_bytes(dump(made_record("race", 1)))
    result = CliRunner().invoke(frames, [str(path), "--viewer", "1"])
    head, *lines = map(json.loads, result.output.splitlines())
    assert (head["kind"], head["game"], head["seats"]) == ("record", "enbu", 3)
    assert [line["step"] for line in lines] == list(range(head["steps"] + 1))
    assert lines == [json.loads(json.dumps(film("race").frame(n, SeatId(1)))) for n in range(len(lines))]  # fmt: skip
    result = CliRunner().invoke(
        frames, [str(path), "--ask"], input="3 all\nx 1\n99999 1\n0 watch\n"
    )
    answers = [json.loads(line) for line in result.output.splitlines()][1:]
    assert [a["kind"] for a in answers] == ["frame", "error", "error", "frame"]
    assert CliRunner().invoke(frames, [str(path), "--viewer", "7"]).exit_code == 2
    assert CliRunner().invoke(frames, [str(tmp_path / "none")]).exit_code == 2
    path.write_text("{}")
    assert CliRunner().invoke(frames, [str(path)]).exit_code == 1
