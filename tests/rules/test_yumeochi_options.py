"""The room options of yumeochi (§16) and its catalogue."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve
from kaguraden_rules.kernel import BadOptions, CardId, Text
from kaguraden_rules.yumeochi.catalog import catalog
from kaguraden_rules.yumeochi.options import (
    Options,
    format_options,
    options_schema,
    parse_options,
)
from kaguraden_rules.yumeochi.sets import BASE, SETS

# The other set has the base roles and one extra role of its own.
OTHER = evolve(
    BASE,
    id="other",
    name=Text("別の札", "Other cards"),
    roles=(
        *(role for role in BASE.roles if role.is_base),
        evolve(BASE.roles[-1], id=CardId("sandman"), is_base=False),
    ),
)
TWO = {**SETS, "other": OTHER}


def test_options_have_defaults() -> None:
    """YU-10, YU-19, YU-44, YU-50, YU-59, YU-66, YU-71, YU-74, YU-75, YU-80, YU-86, YU-88, YU-102, YU-103."""
    options = parse_options({}, SETS)
    assert options == Options(BASE)
    told = format_options(options)
    assert told == {
        "set": "yumeochi-base", "roles": [], "first_holder": "random", "exchange_proposals": 1,
        "exchange_refused": "free", "time_reference": "hour", "rabbit_price": "figurine",
        "death_shows_skill": False, "dying_opener": "discard", "all_dead": "compare",
        "last_survivor": "play_on", "simultaneous_win": "shared", "card_count": "all",
        "replay": "auto", "replay_limit": 3, "end_reveal": "all", "clock_turn": 75,
        "clock_consent": 30, "clock_followup": 30, "clock_absent": 5, "bot_pace": 2,
    }  # fmt: skip
    schema: Any = options_schema(SETS)
    assert {name: entry["default"] for name, entry in schema["properties"].items()} == told


def test_options_are_read_as_they_are_written() -> None:
    """YU-5: every option may be chosen otherwise; extra roles stand in the order of the set."""
    raw: dict[str, Any] = {
        "set": "yumeochi-base", "roles": ["late_sleeper", "dream_eater"], "first_holder": "named",
        "exchange_proposals": 3, "exchange_refused": "spends", "time_reference": "position",
        "rabbit_price": "figurine_and_skill", "death_shows_skill": True, "dying_opener": "keep",
        "all_dead": "dream", "last_survivor": "wins", "simultaneous_win": "origin_first",
        "card_count": "starred", "replay": "ask", "replay_limit": 0, "end_reveal": "seats_only",
        "clock_turn": 600, "clock_consent": 5, "clock_followup": 300, "clock_absent": 60,
        "bot_pace": 0,
    }  # fmt: skip
    options = parse_options(raw, SETS)
    assert format_options(options) == raw | {"roles": ["dream_eater", "late_sleeper"]}
    assert parse_options(format_options(options), SETS) == options


def test_the_pool_is_the_base_and_the_chosen_roles() -> None:
    """YU-5, YU-89: four base roles, and the extra ones that the room named."""
    base = [role.id for role in BASE.roles if role.is_base]
    assert [role.id for role in parse_options({}, SETS).pool] == base
    assert base == ["gentleman", "night_raven", "mainspring_maker", "moon_hare"]
    options = parse_options({"roles": ["sleeptalk_detective"]}, SETS)
    assert [role.id for role in options.pool] == [*base, "sleeptalk_detective"]


def test_a_room_names_a_set_and_roles_of_it() -> None:
    """YU-5, YU-93: the roles are those of the chosen set."""
    options = parse_options({"set": "other", "roles": ["sandman"]}, TWO)
    assert options.cards == OTHER
    assert options.pool == OTHER.roles
    schema: Any = options_schema(TWO)
    assert schema["properties"]["set"]["enum"] == ["yumeochi-base", "other"]
    assert schema["properties"]["roles"] == {
        "type": "array",
        "items": {"enum": ["dream_eater", "sleeptalk_detective", "late_sleeper", "sandman"]},
        "uniqueItems": True,
        "default": [],
    }


@pytest.mark.parametrize(
    ("raw", "path", "text"),
    [
        ({"set": "mine"}, "$.set", "one of yumeochi-base, other"),
        ({"set": 1}, "$.set", "one of"),
        ({"set": None}, "$.set", "one of"),
        ({"roles": "dream_eater"}, "$.roles", "a list of different extra roles"),
        ({"roles": ["gentleman"]}, "$.roles", "dream_eater, sleeptalk_detective, late_sleeper"),
        ({"roles": ["dream_eater", "dream_eater"]}, "$.roles", "different"),
        ({"roles": [["dream_eater"]]}, "$.roles", "a list"),
        ({"roles": ["sandman"]}, "$.roles", "extra roles of the set"),
        ({"set": "other", "roles": ["dream_eater"]}, "$.roles", "of the set: sandman"),
        ({"set": "mine", "roles": ["sandman"]}, "$.set", "one of"),
        ({"first_holder": "host"}, "$.first_holder", "one of random, named"),
        ({"exchange_proposals": 0}, "$.exchange_proposals", "from 1 to 3"),
        ({"exchange_proposals": 4}, "$.exchange_proposals", "from 1 to 3"),
        ({"death_shows_skill": 1}, "$.death_shows_skill", "true or false"),
        ({"replay": True}, "$.replay", "one of auto, ask, off"),
        ({"replay_limit": 10}, "$.replay_limit", "from 0 to 9"),
        ({"replay_limit": False}, "$.replay_limit", "a whole number"),
        ({"clock_turn": 9}, "$.clock_turn", "from 10 to 600"),
        ({"clock_consent": 4}, "$.clock_consent", "from 5 to 300"),
        ({"clock_followup": 301}, "$.clock_followup", "from 5 to 300"),
        ({"clock_absent": 0}, "$.clock_absent", "from 1 to 60"),
        ({"bot_pace": 31}, "$.bot_pace", "from 0 to 30"),
        ({"seed_commit": True}, "$.seed_commit", "no such option"),
    ],
)
def test_wrong_options_are_refused(raw: dict[str, Any], path: str, text: str) -> None:
    """YU-102, YU-111: what may be chosen is listed, and the commitment is no option."""
    with pytest.raises(BadOptions) as bad:
        parse_options(raw, TWO)
    (problem,) = bad.value.problems
    assert problem.path == path
    assert text in problem.problem


def test_all_problems_of_options_are_told_together() -> None:
    with pytest.raises(BadOptions) as bad:
        parse_options({"set": "mine", "roles": 4, "replay": 2, "bot_pace": -1, "x": 0}, TWO)
    paths = {problem.path for problem in bad.value.problems}
    assert paths == {"$.set", "$.roles", "$.replay", "$.bot_pace", "$.x"}


# --- the catalogue ---------------------------------------------------------------------------------


def test_the_catalogue_tells_every_card() -> None:
    """YU-12, YU-89, YU-93: 7 roles, 6 skills and 12 time cards, in both languages."""
    told: Any = catalog(BASE, SETS.values())
    kinds = [entry["kind"] for entry in told["cards"].values()]
    assert (kinds.count("role"), kinds.count("skill"), kinds.count("time")) == (7, 6, 12)
    for entry in told["cards"].values():
        assert entry["set"] == "yumeochi-base"
        assert all(entry["name"].values())
        assert set(entry["name"]) == set(entry["text"]) == {"ja", "en"}
    gentleman = told["cards"]["gentleman"]
    assert (gentleman["name"]["ja"], gentleman["stars"], gentleman["base"]) == ("英国紳士", 1, True)
    assert gentleman["plain"]["win"]["check"] == "hour_becomes"
    assert gentleman["plain"]["action"]["name_en"] == "Afternoon Tea"
    assert told["cards"]["dream_eater"]["base"] is False
    mirror = told["cards"]["cracked_mirror"]
    assert (mirror["time_kind"], mirror["stars"]) == ("event_stock", 5)
    assert mirror["plain"]["effects"] == [{"do": "damage", "to": "self", "n": 2}]
    assert not {"id", "name_ja", "name_en", "text_ja", "text_en"} & set(mirror["plain"])


def test_the_sets_are_packs_of_the_catalogue() -> None:
    """YU-93, YU-99: each with its digest; the cards are those of the room's set."""
    told: Any = catalog(OTHER, TWO.values())
    assert [pack["id"] for pack in told["packs"]] == ["yumeochi-base", "other"]
    assert told["packs"][0]["digest"] == BASE.digest
    assert told["packs"][1]["name"] == {"ja": "別の札", "en": "Other cards"}
    assert list(told["cards"]) == told["packs"][1]["cards"]
    assert "sandman" in told["cards"]
    assert "dream_eater" not in told["cards"]


def test_the_version_of_the_catalogue_is_that_of_its_content() -> None:
    """YU-99: other cards make another version, the same cards the same one."""
    told = catalog(BASE, SETS.values())
    assert told == catalog(BASE, SETS.values())
    renamed = evolve(BASE, times=(evolve(BASE.times[0], stars=9), *BASE.times[1:]))
    assert catalog(renamed, SETS.values())["version"] != told["version"]
