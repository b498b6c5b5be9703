"""What each game says of its looks on the wire leaves nothing out, whether or not games reach it."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import attrs
import pytest
from kaguraden_rules.catalogue import GAMES
from kaguraden_rules.enbu import events as enbu_events
from kaguraden_rules.kernel import Event
from kaguraden_rules.odoriko import events as odoriko_events
from kaguraden_rules.odoriko import words
from kaguraden_rules.wire import OneOf, Within
from kaguraden_rules.yumeochi import events as yumeochi_events
from kaguraden_rules.yumeochi.state import Phase

EVENTS = [("enbu", enbu_events), ("odoriko", odoriko_events), ("yumeochi", yumeochi_events)]


@pytest.mark.parametrize(("game_id", "module"), EVENTS)
def test_every_event_that_there_is_is_among_the_shapes(game_id: str, module: ModuleType) -> None:
    there: list[Any] = [
        thing
        for thing in vars(module).values()
        if isinstance(thing, type) and issubclass(thing, Event) and "kind" in vars(thing)
    ]
    shown = GAMES[game_id].shapes.events
    assert set(there) - {Event} == set(shown)
    assert len({event.kind for event in shown}) == len(shown)


def test_every_decision_that_there_is_is_among_the_shapes() -> None:
    assert GAMES["odoriko"].shapes.decisions.keys() == words.PROMPTS.keys()
    assert GAMES["yumeochi"].shapes.decisions.keys() == set(Phase) - {Phase.OVER}
    assert GAMES["enbu"].shapes.decisions.keys() == {"place", "act"}


@pytest.mark.parametrize("game_id", list(GAMES))
def test_a_kind_of_option_has_one_shape_in_all_decisions(game_id: str) -> None:
    shapes = GAMES[game_id].shapes.decisions.values()
    options = {option for listed in shapes for option in listed}
    assert len({option.kind for option in options}) == len(options)
    assert len({option.__name__ for option in options}) == len(options)
    for option in options:
        assert option.__doc__
        assert attrs.has(option)


def test_marks_say_in_json_schema_what_they_mean() -> None:
    assert Within(1).schema == {"minimum": 1}
    assert Within(1, 12).schema == {"minimum": 1, "maximum": 12}
    assert OneOf(("a", "b")).schema == {"enum": ["a", "b"]}
    assert OneOf(Phase).schema["enum"][0] == "first_holder"
    assert all(type(word) is str for word in OneOf(Phase).schema["enum"])
