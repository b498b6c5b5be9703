"""Card sets of yumeochi: the base set, and what is said about files that are not right (§9)."""

from __future__ import annotations

import copy
import hashlib
import json
import re
import time
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

import attrs
import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st
from kaguraden_rules.catalogue import BadPack, check_packs, games
from kaguraden_rules.kernel import CardId, Text
from kaguraden_rules.reports import MAX_LINES
from kaguraden_rules.toml import key_lines
from kaguraden_rules.yumeochi import card as c
from kaguraden_rules.yumeochi.added import check_sets, is_set
from kaguraden_rules.yumeochi.checking import check_data
from kaguraden_rules.yumeochi.faults import CODES, Fault, Report
from kaguraden_rules.yumeochi.grammar import EFFECTS, PICKS, TESTS
from kaguraden_rules.yumeochi.making import make_set
from kaguraden_rules.yumeochi.reading import MAX_BYTES, read_set
from kaguraden_rules.yumeochi.sets import BASE, SETS
from kaguraden_server.commands import cards as cards_command

ROOT = Path(__file__).parents[2]
PACK = resources.files("kaguraden_rules.yumeochi").joinpath("packs", "base.toml").read_bytes()
MINE = PACK.decode().replace('id = "yumeochi-base"', 'id = "mine"')
WORKSHOP = (Path(__file__).parent / "yumeochi_sets" / "workshop.toml").read_bytes()
RULES = (ROOT / "rules" / "docs" / "yumeochi.md").read_text("utf-8")
ARRAYS = ("role", "skill", "time")
MEASURED = "23015265734b6c4d579963001deb1239b3d89dc89ddce2b56c4f7bb83e87da4f"  # SHA-256 of the simulated set, as JSON


def swap(text: str, *pairs: tuple[str, str]) -> str:
    for old, new in pairs:
        assert text.count(old) >= 1, old
        text = text.replace(old, new, 1)
    return text


def found(text: str) -> tuple[Fault, ...]:
    """Return every fault and warning of a file; both languages say something of each."""
    checked = read_set("my.toml", text.encode())
    assert (checked.cards is None) == bool(checked.faults)
    assert all(fault.code.startswith("E_") for fault in checked.faults)
    assert all(fault.code.startswith("W_") for fault in checked.warnings)
    for fault in (*checked.faults, *checked.warnings):
        assert fault.sentence.en.isprintable()
        assert fault.sentence.ja.isprintable()
        assert re.search(r"[ぁ-んァ-ン一-龯]", fault.sentence.ja), fault
    return (*checked.faults, *checked.warnings)


def told(text: str) -> list[tuple[str, str]]:
    return [(fault.code, fault.path) for fault in found(text)]


# --- the base set --------------------------------------------------------------------------------


def test_the_base_set_has_no_faults_and_is_the_first_of_the_game() -> None:
    """YU-89: 4 base roles, 3 extra ones, 6 skills, 12 time cards of 18 stars."""
    checked = read_set("base.toml", PACK)
    assert (checked.cards, checked.faults, checked.warnings) == (BASE, (), ())
    assert list(SETS.values()) == [BASE]
    assert [role.is_base for role in BASE.roles] == [True] * 4 + [False] * 3
    assert (len(BASE.skills), len(BASE.times)) == (6, 12)
    kinds = [card.time_kind for card in BASE.times]
    assert [kinds.count(kind) for kind in c.TimeKind] == [3, 4, 5]
    assert sum(card.stars for card in BASE.times) == 18
    assert [role.id for role in BASE.roles if role.stars] == ["gentleman"]


def test_the_base_set_is_the_one_that_was_measured() -> None:
    """YU-89, YU-109: the data as simulated; only the texts are ours."""
    data = tomllib.loads(PACK.decode())
    for card in (card for array in ARRAYS for card in data[array]):
        assert card.pop("text_ja")
        assert card.pop("text_en")
    measured = json.dumps(data, sort_keys=True, ensure_ascii=False)
    assert hashlib.sha256(measured.encode()).hexdigest() == MEASURED


def test_the_base_set_is_what_the_rules_print() -> None:
    """YU-89, YU-98: ids, names, stars and kinds of the tables, and the examples in full."""
    tables = re.findall(r"^\| `(\w+)`( \+)? \| ([^ ]+) ([^|]+?) \|(.*)$", RULES, re.MULTILINE)
    printed = {row[0]: row for row in tables if row[0] not in ("set",)}
    for card in (*BASE.roles, *BASE.skills, *BASE.times):
        _, extra, ja, en, rest = printed[card.id]
        assert card.name == Text(ja, en)
        if isinstance(card, c.Role):
            assert card.is_base == (not extra)
            assert rest.startswith(f" {card.stars} |")
        if isinstance(card, c.TimeCard):
            stars = "–" if card.time_kind is c.TimeKind.EVENT else str(card.stars)
            assert rest.startswith(f" {card.time_kind.replace('_', '-')} | {stars} |")
    (examples,) = re.findall(r"YU-98.*?```toml\n(.*?)```", RULES, re.DOTALL)
    data = tomllib.loads(examples)
    by_id = {card.id: card for card in (*BASE.roles, *BASE.skills, *BASE.times)}
    for card in (card for array in ARRAYS for card in data[array]):
        plain = {k: v for k, v in by_id[card["id"]].plain.items() if not k.startswith("text_")}
        assert plain == card


def test_a_card_as_a_value() -> None:
    """YU-93, YU-94: what the tables of a card become."""
    gentleman = BASE.roles[0]
    assert gentleman.win == c.Win(
        c.Window.HOUR_BECOMES,
        (
            c.Condition("hour", among=(12,)),
            c.Condition("marker", which="start"),
            c.Condition("life", op=">=", n=3),
            c.Condition("role_open", holds=False),
        ),
    )
    assert gentleman.action is not None
    assert gentleman.action_name == Text("午後のお茶", "Afternoon Tea")
    assert gentleman.action.picks == (c.PickSeat("other"),)
    assert gentleman.action.cases == (
        c.Case(c.HOURS, (c.Heal(2, "self"), c.Heal(1, "target"), c.MoveMarker("self"))),
    )
    by_id = {card.id: card for card in BASE.times}
    alarm = by_id[CardId("alarm_clock")]
    assert (alarm.use, alarm.opened) == (None, None)
    assert alarm.trigger == c.Trigger((6, 12), (c.Damage(2, "self"),))
    shadow = by_id[CardId("moon_shadow")].opened
    assert shadow is not None
    assert shadow.is_timed
    assert [case.hours for case in shadow.cases] == [c.HOURS[:6], c.HOURS[6:]]


def test_texts_are_optional_and_one_stands_for_both_languages() -> None:
    """YU-93."""
    text = swap(MINE, ('text_en = "Only at', '# text_en = "Only at'))
    text = re.sub(r'(id = "keyhole"\n.*\n.*\n)text_ja.*\ntext_en.*\n', r"\1", text)
    cards = read_set("my.toml", text.encode()).cards
    assert cards is not None
    talon, keyhole, lullaby = cards.skills[:3]
    assert talon.text is not None
    assert talon.text.ja == talon.text.en == "4・8・12時だけ。ほかの1人に1ダメージ。"
    assert keyhole.text is None
    assert lullaby.text is not None
    assert lullaby.text.ja != lullaby.text.en


def test_names_are_composed() -> None:
    """A name that an editor wrote with combining marks is the same name."""
    text = swap(MINE, ('"ぜんまい師"', '"せ\u3099んまい師"'))
    cards = read_set("my.toml", text.encode()).cards
    assert cards is not None
    assert cards.roles[2].name.ja == "ぜんまい師"


# --- the set of the other tests ------------------------------------------------------------------


def words_of(value: object) -> set[tuple[str, str]]:
    """Return every key with its text in a value, at any depth."""
    match value:
        case dict():
            own = {(key, text) for key, text in value.items() if isinstance(text, str)}
            return own.union(*map(words_of, value.values()))
        case list():
            return set[tuple[str, str]]().union(*map(words_of, value))
        case _:
            return set()


def test_the_workshop_uses_every_word() -> None:
    """YU-95 to YU-97: what is played with this set, plays all that there is."""
    checked = read_set("workshop.toml", WORKSHOP)
    assert (checked.faults, checked.warnings) == ((), ())
    words = words_of(tomllib.loads(WORKSHOP.decode()))
    wanted = {("test", test) for test in TESTS} | {("do", effect) for effect in EFFECTS}
    wanted |= {(kind, word) for kind, of in PICKS.items() for word in of}
    wanted |= {("to", to) for to in ("self", "target", "all", "others", "left", "right", "choose")}
    wanted |= {("what", what) for what in ("time", "role", "skill", "leftover")}
    wanted |= {("what", what) for what in ("items", "skills", "life", "time_cards", "item")}
    wanted |= {("at", at) for at in ("current", "next", "picked", "past")}
    wanted |= {("op", op) for op in (">=", "<=", "<", ">", "==")}
    wanted |= {("who", who) for who in ("target", "others")} | {("which", "origin")}
    wanted |= {("check", window.value) for window in c.Window} | {("after", "keep")}
    wanted |= {("otherwise", "nothing")}
    assert wanted - words == set()


# --- faults --------------------------------------------------------------------------------------

TALON = 'effects = [ { do = "damage", to = "target", n = 1 } ]'
NAMING = '{ role = "unseen" } ]'
LULLABY = 'pick = [ { seat = "any" } ]'
UMBRELLA = '{ do = "heal", to = "self", n = 2 }, { do = "protect", to = "self" }'
MIRROR = 'effects = [ { do = "damage", to = "self", n = 2 } ]\n\n[[time]]\nid = "moon'
CROWS = "{ hours = [5, 6, 7, 8], effects"
DEEP = '{ do = "may", effects = [ ' * 4 + '{ do = "draw" }' + " ] }" * 4
SHALLOW = '{ do = "may", effects = [ ' * 3 + '{ do = "draw" }' + " ] }" * 3
TARGET = '{ test = "life", who = "target", op = ">=", n = 1 }'

ONE_FAULT: dict[str, list[tuple[str, str, str]]] = {
    "E_COUNT": [
        (
            '[[skill]]\nid = "crows',
            '[[skill]]\nid = "more"\nname_ja = "x"\nname_en = "x"\neffects = []\n[[skill]]\nid = "crows',
            "skill",
        ),
        ("stars = 0\nbase = true", "stars = 0\nbase = false", "role"),
        ("stars = 0\nbase = false", "stars = 0\nbase = true", "role"),
    ],
    "E_DUP": [
        ('id = "night_raven"', 'id = "gentleman"', "role[1].id"),
        ('id = "keyhole"', 'id = "night_raven"', "skill[1].id"),
        ('id = "cracked_mirror"', 'id = "keyhole"', "time[6].id"),
    ],
    "E_KEY": [
        ("[set]", "extra = 1\n[set]", "extra"),
        ("version = 1\n", "", "set.version"),
        ("version = 1\n", 'version = 1\nauthor = "x"\n', "set.author"),
        ('name_en = "Keyhole"\n', "", "skill[1].name_en"),
        ('name_en = "Keyhole"\n', 'name_en = "Keyhole"\nname_fr = "x"\n', "skill[1].name_fr"),
        ("stars = 1\nbase = true", "stars = 1", "role[0].base"),
        (TALON, "", "skill[0].effects"),
        (TALON, TALON + '\ncases = []\notherwise = "nothing"', "skill[0].cases"),
        (TALON, TALON.replace(", n = 1", ""), "skill[0].effects[0].n"),
        (TALON, TALON.replace("n = 1", 'n = 1, at = "next"'), "skill[0].effects[0].at"),
        (TALON, TALON.replace('do = "damage", ', ""), "skill[0].effects[0].do"),
        ('{ test = "hour", in = [4, 8, 12] }', "{ in = [4] }", "skill[0].when[0].test"),
        ("in = [4, 8, 12]", "in = [4], n = 3", "skill[0].when[0].n"),
        (
            '{ test = "life_total", op = "<=", n = 8 }',
            '{ test = "life_total", who = "self", op = "<=", n = 8 }',
            "role[4].win.all[1].who",
        ),
        ('who = "others", op', "op", "role[5].win.all[1].who"),
        (NAMING, '{ role = "unseen", where = [] } ]', "skill[5].pick[1].where"),
        (NAMING, '{ role = "unseen", item = "self" } ]', "skill[5].pick[1]"),
        (LULLABY, "pick = [ {} ]", "skill[2].pick[0]"),
        (LULLABY, 'pick = [ { seta = "any" } ]', "skill[2].pick[0].seta"),
        (
            'what = "time", at = "current"',
            'what = "leftover", at = "current"',
            "skill[1].effects[0].at",
        ),
        ('what = "time", at = "current"', 'what = "time"', "skill[1].effects[0].at"),
        ("trigger = { hours = [6, 12], ", "trigger = { ", "time[4].trigger.hours"),
        ('name_ja = "ついばみ", ', "", "role[1].action.name_ja"),
        ('check = "phase_end", all', "all", "role[1].win.check"),
    ],
    "E_TYPE": [
        ("version = 1\n", "version = true\n", "set.version"),
        ('id = "mine"', 'id = "Mine"', "set.id"),
        ('id = "mine"', "id = 1", "set.id"),
        ('id = "keyhole"', 'id = "key-hole"', "skill[1].id"),
        ('id = "keyhole"', 'id = ["keyhole"]', "skill[1].id"),
        ('name_en = "Keyhole"', "name_en = 3", "skill[1].name_en"),
        ('name_en = "Keyhole"', 'name_en = ""', "skill[1].name_en"),
        ('name_en = "Keyhole"', 'name_en = "\\u3000\\u0020"', "skill[1].name_en"),
        ('name_en = "Keyhole"', 'name_en = "Key\\u0000hole"', "skill[1].name_en"),
        ('name_en = "Keyhole"', 'name_en = "Key\\u202Ehole"', "skill[1].name_en"),
        ('name_en = "Keyhole"', 'name_en = "Key\\u001B[31mhole"', "skill[1].name_en"),
        ('name_en = "Keyhole"', 'name_en = "Key\\nhole"', "skill[1].name_en"),
        ('name_en = "Keyhole"', f'name_en = "K{chr(0x0332) * 5}"', "skill[1].name_en"),
        ("stars = 1\nbase = true", "stars = 1\nbase = 1", "role[0].base"),
        ("stars = 1\nbase", "stars = 1.0\nbase", "role[0].stars"),
        ("stars = 1\nbase", "stars = 2026-01-01\nbase", "role[0].stars"),
        ("in = [4, 8, 12]", "in = 4", "skill[0].when[0].in"),
        ("in = [4, 8, 12]", 'in = [4, "8"]', "skill[0].when[0].in[1]"),
        (TALON, 'effects = { do = "draw" }', "skill[0].effects"),
        (TALON, "effects = [ 1 ]", "skill[0].effects[0]"),
        ('when = [ { test = "hour", in = [4, 8, 12] } ]', 'when = [ "hour" ]', "skill[0].when[0]"),
        (LULLABY, "pick = [ [] ]", "skill[2].pick[0]"),
        (LULLABY, "pick = [ { seat = 1 } ]", "skill[2].pick[0].seat"),
        ('who = "self", op = ">=", n = 3', 'who = 3, op = ">=", n = 3', "role[0].win.all[2].who"),
        ("use = { effects", "use = 1 #", "time[3].use"),
        ("trigger = {", "trigger = [] # {", "time[4].trigger"),
        (
            'is = false } ] }\naction = { name_ja = "午',
            'is = 0 } ] }\naction = { name_ja = "午',
            "role[0].win.all[3].is",
        ),
        ('check = "hour_becomes"', "check = 12", "role[0].win.check"),
    ],
    "E_RANGE": [
        ("version = 1\n", "version = 0\n", "set.version"),
        ("stars = 5", "stars = 10", "time[6].stars"),
        ("stars = 5", "stars = -1", "time[6].stars"),
        ("in = [4, 8, 12]", "in = [4, 8, 13]", "skill[0].when[0].in[2]"),
        ("in = [4, 8, 12]", "in = []", "skill[0].when[0].in"),
        ('op = ">=", n = 5', 'op = ">=", n = 0', "role[1].win.all[0].n"),
        (TALON, TALON.replace("n = 1", "n = 0"), "skill[0].effects[0].n"),
        (TALON, TALON.replace("n = 1", "n = 6"), "skill[0].effects[0].n"),
        (TALON, TALON.replace("n = 1", "n = 0x" + "f" * 5000), "skill[0].effects[0].n"),
        ('op = "<=", n = 8', 'op = "<=", n = 61', "role[4].win.all[1].n"),
        ("hours = [6, 12], effects", "hours = [0, 12], effects", "time[4].trigger.hours[0]"),
        (
            'check = "phase_end", all = [ { test = "hour", op = ">=", n = 5 }, { test = "life_lead", op = ">=", n = 2 } ]',
            'check = "phase_end", all = []',
            "role[1].win.all",
        ),
        (
            'pick = [ { seat = "other" } ], effects = [ { do = "skip", to = "target" } ]',
            'pick = [ { seat = "other" }, { hour = "any" }, { hour = "past" } ], '
            'effects = [ { do = "skip", to = "target" }, { do = "swap", what = "time_cards" } ]',
            "time[1].use.pick",
        ),
    ],
    "E_TEST": [
        ('test = "life_lead"', 'test = "life_leed"', "role[1].win.all[1].test"),
        ('op = ">=", n = 5', 'op = "=>", n = 5', "role[1].win.all[0].op"),
        ('which = "start", who', 'which = "strat", who', "role[0].win.all[1].which"),
        (
            'who = "self", op = ">=", n = 3',
            'who = "others", op = ">=", n = 3',
            "role[0].win.all[2].who",
        ),
        ('at = "current", is = true', 'at = "picked", is = true', "skill[1].when[0].at"),
        ('test = "life_lead"', 'test = "uses"', "role[1].win.all[1].test"),
    ],
    "E_EFFECT": [
        ('do = "skip", to = "target"', 'do = "skipp", to = "target"', "time[1].use.effects[0].do"),
        ('do = "skip", to = "target"', 'do = "skip", to = "you"', "time[1].use.effects[0].to"),
        (
            'which = "start", to = "choose"',
            'which = "origin", to = "choose"',
            "time[11].effects[0].which",
        ),
        ('which = "start", to = "choose"', 'which = "start", to = "all"', "time[11].effects[0].to"),
        ('do = "swap", what = "items"', 'do = "swap", what = "roles"', "skill[3].effects[0].what"),
        ('from = "leftover"', 'from = "clock"', "time[0].use.effects[0].from"),
        (
            'n = 2 } ] }\n\n[[time]]\nid = "midnight',
            'n = 2 } ], after = "hold" }\n\n[[time]]\nid = "midnight',
            "time[4].trigger.after",
        ),
    ],
    "E_WINDOW": [
        ('check = "hour_becomes"', 'check = "hour_become"', "role[0].win.check"),
    ],
    "E_HOURS": [
        (CROWS, "{ hours = [4, 5, 6, 7, 8], effects", "time[9].cases[1].hours"),
        (CROWS, "{ hours = [5, 6, 7], effects", "time[9].cases"),
        (CROWS, "{ hours = [5, 6, 7, 8, 8], effects", "time[9].cases[1].hours[4]"),
        (
            'use = { pick = [ { seat = "other" } ], cases = [ { hours = [1, ',
            'use = { pick = [ { seat = "other" } ], cases = [ { hours = [',
            "time[2].use.cases",
        ),
        (TALON, TALON + '\notherwise = "nothing"', "skill[0].otherwise"),
        (
            'kind = "item"\nstars = 0',
            'kind = "item"\notherwise = "nothing"\nstars = 0',
            "time[3].otherwise",
        ),
        ('kind = "event"\ncases', 'kind = "event"\notherwise = "all"\ncases', "time[9].otherwise"),
    ],
    "E_TARGET": [
        ('pick = [ { seat = "other" } ]\n' + TALON, TALON, "skill[0].effects[0].to"),
        (TALON, 'effects = [ { do = "draw" } ]', "skill[0].pick[0]"),
        (
            TALON,
            'effects = [ { do = "damage", to = "target", n = 1 }, { do = "take" } ]',
            "skill[0].effects[1]",
        ),
        (
            TALON,
            'effects = [ { do = "damage", to = "target", n = 1 }, { do = "discard", what = "item" } ]',
            "skill[0].effects[1]",
        ),
        (
            TALON,
            'effects = [ { do = "damage", to = "target", n = 1 }, { do = "open", at = "picked" } ]',
            "skill[0].effects[1].at",
        ),
        (
            TALON,
            'effects = [ { do = "damage", to = "target", n = 1 }, { do = "peek", what = "time", at = "picked" } ]',
            "skill[0].effects[1].at",
        ),
        ('do = "swap", what = "items" }', 'do = "take" }', "skill[3].pick[2]"),
        (
            '{ item = "target" }, { item = "self" } ]',
            '{ item = "target" } ]',
            "skill[3].effects[0]",
        ),
        (
            'do = "swap", what = "items" }',
            'do = "swap", what = "items" }, { do = "discard", what = "item" }',
            "skill[3].effects[1]",
        ),
        (
            '{ seat = "other" }, { item = "target" }, { item = "self" }',
            '{ item = "target" }, { item = "self" }',
            "skill[3].pick[0]",
        ),
        (
            '{ seat = "other" }, { item = "target" }, { item = "self" }',
            '{ seat = "other" }, { seat = "any" }, { item = "target" }, { item = "self" }',
            "skill[3].pick[1]",
        ),
        (NAMING, "]", "skill[5].effects[0]"),
        (NAMING, '{ role = "unseen" }, { hour = "any" } ]', "skill[5].pick[2]"),
        (LULLABY, 'pick = [ { seat = "anyone" } ]', "skill[2].pick[0].seat"),
        (
            'pick = [ { seat = "other" } ], effects = [ { do = "skip", to = "target" } ]',
            'pick = [ { hour = "past" } ], effects = [ { do = "swap", what = "time_cards" } ]',
            "time[1].use.effects[0]",
        ),
        (
            'pick = [ { seat = "other" } ], effects = [ { do = "skip", to = "target" } ]',
            'pick = [ { hour = "past" }, { hour = "any" } ], effects = [ { do = "open", at = "picked" } ]',
            "time[1].use.effects[0].at",
        ),
        (
            'pick = [ { seat = "other" } ], effects = [ { do = "skip", to = "target" } ]',
            'pick = [ { seat = "other" }, { skill = "target" } ], effects = [ { do = "swap", what = "skills" } ]',
            "time[1].use.effects[0]",
        ),
        ('{ test = "hour", in = [4, 8, 12] }', TARGET, "skill[0].when[0].who"),
        ('{ test = "life_lead", op = ">=", n = 2 }', TARGET, "role[1].win.all[1].who"),
        (
            'effects = [ { do = "damage", to = "self", n = 2 } ] }',
            'effects = [ { do = "damage", to = "target", n = 2 } ] }',
            "time[4].trigger.effects[0].to",
        ),
    ],
    "E_HIDDEN": [
        ('test = "life_lead"', 'test = "role_is"', "role[1].win.all[1].test"),
        (
            'cond = { test = "life", ',
            'cond = { test = "has_skill", ',
            "skill[2].effects[0].cond.test",
        ),
        (NAMING, '{ role = "target" } ]', "skill[5].pick[1].role"),
        (NAMING, '{ role = "unseen" }, { skill = "leftover" } ]', "skill[5].pick[2].skill"),
    ],
    "E_KIND": [
        ('kind = "event"\ncases', 'kind = "event"\nuse = { effects = [] }\ncases', "time[9].use"),
        ('kind = "event"\ncases', 'kind = "event"\ntrigger = 1\ncases', "time[9].trigger"),
        ('kind = "event"\ncases', 'kind = "event"\nwhen = []\ncases', "time[9].when"),
        (
            'kind = "event_stock"\nstars = 5',
            'kind = "event_stock"\npick = []\nstars = 5',
            "time[6].pick",
        ),
        ('kind = "item"\nstars = 0', 'kind = "item"\ncases = []\nstars = 0', "time[3].cases"),
        ('kind = "item"\nstars = 0', 'kind = "item"\neffects = []\nstars = 0', "time[3].effects"),
        ('kind = "event_stock"\nstars = 5', 'kind = "eventstock"\nstars = 5', "time[6].kind"),
    ],
    "E_DEPTH": [
        (
            'effects = [ { do = "gain", from = "leftover" } ]',
            f'effects = [ {{ do = "gain", from = "leftover" }}, {DEEP} ]',
            "time[0].use.effects[1].effects[0].effects[0].effects[0].do",
        ),
    ],
    "E_SIZE": [
        ('name_en = "Keyhole"', f'name_en = "{"k" * 41}"', "skill[1].name_en"),
        ('text_ja = "開いた人に2ダメージ。"', f'text_ja = "{"夢" * 401}"', "time[6].text_ja"),
    ],
    "W_NEVER": [
        (
            'check = "phase_end", all = [ { test = "hour", op = ">=", n = 5 }, { test = "life',
            'check = "hour_becomes", all = [ { test = "hour", in = [1] }, { test = "life',
            "role[1].win.all[0]",
        ),
        (
            'when = [ { test = "card_down", at = "next", is = true } ]',
            'when = [ { test = "hour", in = [12] }, { test = "card_down", at = "next", is = true } ]',
            "skill[4].when[1]",
        ),
        (
            'when = [ { test = "card_down", at = "next", is = true } ]',
            'when = [ { test = "hour", op = "<", n = 2 }, { test = "card_down", at = "past", is = true } ]',
            "skill[4].when[1]",
        ),
        (
            'when = [ { test = "card_down", at = "next", is = true } ]',
            'when = [ { test = "hour", op = "<", n = 6 }, { test = "hour", in = [7] } ]',
            "skill[4].when[1]",
        ),
        (
            'when = [ { test = "card_down", at = "next", is = true } ]',
            'when = [ { test = "role_open" }, { test = "role_open", is = false } ]',
            "skill[4].when[1]",
        ),
        ('op = "<=", n = 2 }, then', 'op = ">", n = 5 }, then', "skill[2].effects[0].cond"),
        (
            'where = [ { test = "role_open", who = "target", is = true } ] } ] } ]',
            'where = [ { test = "kills", who = "target", op = ">", n = 3 } ] } ] } ]',
            "time[7].cases[1].effects[0].where[0]",
        ),
        ("hours = [6, 12], effects", "hours = [1, 12], effects", "time[4].trigger.hours"),
        (
            'use = { pick = [ { seat = "other" } ], cases',
            'use = { when = [ { test = "hour", op = ">", n = 6 } ], pick = [ { seat = "other" } ], cases',
            "time[2].use.cases[0].hours",
        ),
    ],
    "W_SEED": [
        ("stars = 1\nbase", "stars = 2\nbase", "role[0].stars"),
        (
            'check = "hour_becomes", all = [ { test = "hour", in = [12] }',
            'check = "hour_becomes", all = [ { test = "hour", in = [11, 12] }',
            "role[0].win",
        ),
        ('check = "hour_becomes"', 'check = "phase_end"', "role[0].win"),
        ('use = { when = [ { test = "hour", in = [7] } ], ', "use = { ", "time[0].use"),
        (
            'effects = [ { do = "gain", from = "leftover" } ]',
            'effects = [ { do = "draw" } ]',
            "time[0].use",
        ),
    ],
}


@pytest.mark.parametrize(
    ("code", "old", "new", "path"),
    [(code, *case) for code, cases in ONE_FAULT.items() for case in cases],
)
def test_one_fault_is_told_once(code: str, old: str, new: str, path: str) -> None:
    """YU-99, YU-138, YU-139: where it is, and nothing that only follows from it."""
    faults = found(swap(MINE, (old, new)))
    assert [(fault.code, fault.path) for fault in faults] == [(code, path)]


def test_every_code_is_found() -> None:
    """YU-99."""
    assert set(ONE_FAULT) == set(CODES)
    for code in CODES:
        assert f"`{code}`" in RULES


LEGAL = [
    (
        'pick = [ { seat = "other" } ], effects = [ { do = "skip", to = "target" } ]',
        'pick = [ { hour = "any" }, { hour = "past" } ], '
        'effects = [ { do = "swap", what = "time_cards" } ]',
    ),
    (TALON, f'effects = [ {SHALLOW}, {{ do = "damage", to = "target", n = 5 }} ]'),
    (TALON, TALON.replace(" } ]", ", where = [ " + TARGET + " ] } ]")),
    (CROWS, "{ hours = [5], effects = [] }, { hours = [6, 7, 8], effects"),
    (MIRROR, MIRROR.replace("effects", 'otherwise = "nothing"\ncases = [] #', 1)),
    (
        'stars = 1\nuse = { pick = [ { seat = "other" } ], cases = [ { hours = [1, ',
        'stars = 1\notherwise = "nothing"\n'
        'use = { pick = [ { seat = "other" } ], cases = [ { hours = [',
    ),
    (
        'use = { pick = [ { seat = "other" } ], cases = [ { hours = [1, ',
        'use = { otherwise = "nothing", pick = [ { seat = "other" } ], cases = [ { hours = [',
    ),
    (UMBRELLA, '{ do = "if", cond = { test = "hour", op = "<", n = 6 }, then = [] }'),
    ("stars = 3", "stars = 9"),
    ("version = 1\n", "version = 9999\n"),
    ('op = "<=", n = 8', 'op = "<=", n = 60'),
    ('"Keyhole"', f'"{"k" * 40}"'),
    ('text_ja = "開いた人に2ダメージ。"', f'text_ja = "{"夢" * 400}"'),
]


@pytest.mark.parametrize(("old", "new"), LEGAL)
def test_what_is_legal_is_taken(old: str, new: str) -> None:
    """YU-93 to YU-97, YU-99, YU-138: up to the bounds, and `otherwise` beside cases or on the card."""
    assert told(swap(MINE, (old, new))) == []


@pytest.mark.parametrize("array", ARRAYS)
def test_an_array_that_is_missing_or_another_thing(array: str) -> None:
    """E_COUNT, E_TYPE."""
    without = {key: value for key, value in tomllib.loads(MINE).items() if key != array}

    def check(data: dict[str, Any]) -> list[tuple[str, str]]:
        report = Report("my.toml")
        check_data(data, report)
        return [(fault.code, fault.path) for fault in report.found]

    assert check(without) == [("E_COUNT", array)]
    assert check({**without, array: {"id": "x"}}) == [("E_TYPE", array)]
    assert ("E_TYPE", f"{array}[0]") in check({**without, array: [1]})


def test_several_faults_are_told_together_in_the_order_of_the_file() -> None:
    """YU-99: all of a file, warnings too; a warning alone does not refuse it."""
    text = swap(
        MINE,
        ("stars = 1\nbase", "stars = 2\nbase"),
        ('test = "life_lead"', 'test = "lief_lead"'),
        ('id = "keyhole"', 'id = "gentleman"'),
        ('do = "peek"', 'do = "peak"'),
        ("stars = 5", "stars = 50"),
        (CROWS, "{ hours = [5, 6, 7], effects"),
    )
    assert told(text) == [
        ("E_TEST", "role[1].win.all[1].test"),
        ("E_DUP", "skill[1].id"),
        ("E_EFFECT", "skill[1].effects[0].do"),
        ("E_RANGE", "time[6].stars"),
        ("E_HOURS", "time[9].cases"),
        ("W_SEED", "role[0].stars"),
    ]
    warned = read_set("my.toml", swap(MINE, ("stars = 1\nbase", "stars = 2\nbase")).encode())
    assert warned.cards is not None
    assert warned.cards.roles[0].stars == 2
    assert warned.summary.en.endswith("12 time cards, no faults, 1 warning")
    assert warned.summary.ja.endswith("タイムカード 12 枚、誤りなし、注意 1 件")


def test_a_fault_says_all_of_its_place_and_what_was_probably_meant() -> None:
    """YU-99: file, line, array and index, card, key path, what was found, what is allowed."""
    text = swap(MINE, ('check = "hour_becomes"', 'check = "hour_become"'))
    (fault,) = found(text)
    line = next(n for n, row in enumerate(text.splitlines(), 1) if "hour_become" in row)
    assert (fault.file, fault.line) == ("my.toml", line)
    assert (fault.array, fault.index, fault.card) == ("role", 0, "gentleman")
    assert (fault.path, fault.found) == ("role[0].win.check", '"hour_become"')
    assert fault.near == "hour_becomes"
    windows = "after_action, on_death, phase_end, hour_becomes"
    assert fault.sentence.en == (
        f'my.toml:{line}: E_WINDOW card "gentleman" role[0].win.check: unknown check window: '
        f'found "hour_become"; allowed: {windows} (did you mean hour_becomes?)'
    )
    assert fault.sentence.ja == (
        f'my.toml:{line}: E_WINDOW カード "gentleman" role[0].win.check: 知らない判定の時です。'
        f'実際は "hour_become"。正しくは {windows}（hour_becomes のことですか）'
    )


@pytest.mark.parametrize(
    ("old", "new", "near"),
    [
        ('test = "life_lead"', 'test = "lifelead"', "life_lead"),
        ('do = "skip"', 'do = "skpi"', "skip"),
        ('to = "choose"', 'to = "chose"', "choose"),
        ('which = "start", who', 'which = "strat", who', "start"),
        ('name_en = "Keyhole"\n', 'name_en = "Keyhole"\ntxt_en = "x"\n', "text_en"),
        ('kind = "event_stock"', 'kind = "event-stock"', "event_stock"),
        ('test = "life_lead"', 'test = "zzzzzzzz"', ""),
        ('test = "life_lead"', f'test = "{"life_lead" * 4000}"', ""),
    ],
)
def test_the_nearest_known_word_is_named(old: str, new: str, near: str) -> None:
    """YU-99."""
    (fault,) = found(swap(MINE, (old, new)))
    assert fault.near == near
    assert len(fault.sentence.en) < 500


def test_a_fault_in_a_list_over_several_lines_has_the_line_of_its_entry() -> None:
    text = swap(MINE, (TALON, 'effects = [\n  # first\n  { do = "draw" },\n  { do = "drow" },\n]'))
    faults = found(text)
    line = next(n for n, row in enumerate(text.splitlines(), 1) if "drow" in row)
    assert [(fault.code, fault.line) for fault in faults] == [("E_EFFECT", line)]


# --- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (MINE.encode() + b"#" * (MAX_BYTES + 1 - len(MINE.encode())), "E_SIZE", None),
        (b'[set]\nid = "\xff\xfe"\n', "E_TYPE", 2),
        (MINE.encode("utf-16"), "E_TYPE", 1),
        (b"[set]\nid = \n", "E_TYPE", 2),
        (b'[set]\nid = "a\x00b"\n', "E_TYPE", 2),
        (b"[set]\nversion = " + b"9" * 50_000 + b"\n", "E_TYPE", None),
        (b"[set]\nid = " + b"[" * 60_000, "E_DEPTH", None),
        (b"[set]\nid = " + b"{ a = " * 10_000, "E_DEPTH", None),
        (b"[set]\n" + b"a." * 30_000 + b"a = 1\n", "E_TYPE", 2),
    ],
)
def test_a_file_that_cannot_be_read(data: bytes, code: str, line: int | None) -> None:
    """YU-99: one fault that says why, and on which line where that is known."""
    (fault,) = read_set("my.toml", data).faults
    assert (fault.code, fault.line, fault.path) == (code, line, "")
    assert fault.sentence.en.isprintable()


def filled(start: str, piece: str, end: str = "") -> str:
    """Return a text of the greatest size that is read."""
    times = (MAX_BYTES - len((start + end).encode())) // len(piece.encode())
    return start + piece * times + end


HOSTILE = [
    filled("[set]\n", "[[skill]]\n"),
    filled("skill = [", "{},", "]"),
    filled("skill = [", "1,", "]"),
    filled("[[skill]]\npick = [", "{seta=1},", "]"),
    filled("[[skill]]\npick = [", '{hour="any"},', "]"),
    filled("[[skill]]\neffects = [", "{do='drow'},", "]"),
    filled("[[skill]]\nwhen = [", "{test='lief'},", "]"),
    filled("[[skill]]\ncases = [", "{hours=[1]},", "]"),
    filled("[[skill]]\nid = 'x'\ncases = [{hours=[", "1,", "]}]"),
    filled("[[skill]]\neffects = ", "[{do='may',effects=", "[]"),
    filled("[set]\nname_ja = '", "\u0301", "'"),
    filled("[set]\nname_ja = '", "\u202e", "'"),
    filled("[[time]]\nkind = 'event'\n", "effects.effects = 1\n"),
    "[[skill]]\n" + "".join(f"key_{n} = 1\n" for n in range(5000)),
    "[[skill]]\neffects = " + "[{do='may',effects=" * 150 + "[]" + "}]" * 150,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_file_is_refused_at_once(text: str) -> None:
    """YU-99: however many faults it has."""
    started = time.process_time()
    checked = read_set("my.toml", text.encode())
    assert time.process_time() - started < 5  # about one second; quadratic would be minutes
    assert checked.cards is None
    assert checked.faults


def test_a_file_of_windows_is_read() -> None:
    checked = read_set("my.toml", b"\xef\xbb\xbf" + MINE.replace("\n", "\r\n").encode())
    assert checked.cards is not None
    assert checked.cards.times == BASE.times
    bad = swap(MINE, ("stars = 5", "stars = 50"))
    (fault,) = read_set("my.toml", bad.replace("\n", "\r\n").encode()).faults
    assert fault.line == found(bad)[0].line


def test_the_digest_is_that_of_the_file() -> None:
    """YU-99: a room stores the set's hash."""
    assert BASE.digest == hashlib.sha256(PACK).hexdigest()
    mine = read_set("my.toml", MINE.encode()).cards
    assert mine is not None
    assert (mine.id, mine.digest) == ("mine", hashlib.sha256(MINE.encode()).hexdigest())


@given(st.binary(max_size=400) | st.text(max_size=400).map(str.encode))
@example(b"")
@example(b"[[skill]]")
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    checked = read_set("my.toml", data)
    assert checked.cards is None
    assert checked.faults


def places(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the way to every value in a value."""
    items: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    return [path, *(way for key, part in items for way in places(part, (*path, key)))]


TABLES = [tomllib.loads(MINE), tomllib.loads(WORKSHOP.decode())]
PLACES = [[way for way in places(table) if way] for table in TABLES]
SCRAPS = st.one_of(
    st.sampled_from(
        [True, -1, 0, 1, 61, 10**30, 0.5, float("nan"), "", "self", "target", "x" * 500]
    ),
    st.sampled_from([[], {}, [{}], [[]], {"do": "may", "effects": []}, {"seat": "other"}]),
    st.sampled_from([{"test": "uses", "op": "<", "n": 1}, {"do": "take"}, {"skill": "target"}]),
    st.text(max_size=8),
)


@settings(deadline=None)  # a set takes longer to read on a busy machine
@given(st.data())
def test_a_set_that_was_changed_anywhere_is_read_or_refused(data: st.DataObject) -> None:
    """YU-99: whatever stands in a place, moves or is left out; what has no fault can be made."""
    which = data.draw(st.integers(0, 1))
    table: Any = copy.deepcopy(TABLES[which])
    for _ in range(data.draw(st.integers(1, 3))):
        way = data.draw(st.sampled_from(PLACES[which]))
        inside, part = table, None
        try:
            for key in way[:-1]:
                inside = inside[key]
            part = inside[way[-1]]
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change has taken it away
        if isinstance(inside, str):
            continue  # an earlier change has put a text there
        match data.draw(st.sampled_from(["put", "leave out", "double", "rename"])):
            case "put":
                inside[way[-1]] = data.draw(SCRAPS)
            case "leave out":
                del inside[way[-1]]
            case "double" if isinstance(inside, list):
                inside.append(copy.deepcopy(part))
            case _ if isinstance(inside, dict):
                inside[data.draw(st.text(max_size=4))] = inside.pop(way[-1])
    report = Report("my.toml", key_lines(WORKSHOP.decode()))
    check_data(table, report)
    for fault in report.found:
        assert fault.sentence.en.isprintable()
        assert fault.sentence.ja.isprintable()
    if not report.faults:
        made = make_set(table, "")
        assert (len(made.skills), len(made.times)) == (6, 12)
        assert attrs.asdict(made)


# --- several files -------------------------------------------------------------------------------


def test_sets_have_ids_of_their_own() -> None:
    """YU-99, YU-140, E_DUP: the first file keeps an id, even if it has other faults."""
    bad = swap(MINE, ("stars = 5", "stars = 50"))
    first, second, third, own = check_sets(
        {"a.toml": bad.encode(), "b.toml": MINE.encode(), "c.toml": WORKSHOP, "d.toml": PACK}
    )
    assert [fault.code for fault in first.faults] == ["E_RANGE"]
    (fault,) = second.faults
    assert (fault.code, fault.path, fault.found) == ("E_DUP", "set.id", '"mine"')
    assert fault.sentence.en.endswith("allowed: a set id of its own; a.toml has this one")
    assert fault.sentence.ja.endswith("正しくはほかのカードセットにない id（これは a.toml にある）")
    assert third.cards is not None
    assert own.faults[0].sentence.en.endswith("a set of the game has this one")


@pytest.mark.parametrize(
    ("text", "is_ours"),
    [
        (MINE, True),
        ("[set]", True),
        ("[[time]]", True),
        ("[set]\nid = ", True),
        ("\n  [[role]]\nid = ", True),
        ('format = 1\nset = "birds"\n[[card]]', False),
        ("schema = 1", False),
        ("id = ", False),
        ("", False),
    ],
)
def test_a_set_is_known_by_what_stands_at_its_top(text: str, is_ours: bool) -> None:
    """YU-93."""
    assert is_set(text.encode()) == is_ours


def test_files_of_all_games_are_checked_side_by_side() -> None:
    files = {
        "my.toml": swap(MINE, ("stars = 1\nbase", "stars = 2\nbase")).encode(),
        "birds.toml": b"format = 1",
        "broken.toml": b"[set]\nid = ",
        "book.toml": b"schema = 1",
    }
    checked = {file.file: file for file in check_packs(files)}
    assert list(checked) == list(files)
    codes = {
        name: {fault.sentence.en.split()[1].strip(":") for fault in c.faults}
        for name, c in checked.items()
    }
    assert (codes["my.toml"], codes["broken.toml"]) == (set(), {"E_TYPE"})
    assert [warning.sentence.en.split()[1] for warning in checked["my.toml"].warnings] == ["W_SEED"]
    assert codes["birds.toml"] <= {"V-03"}
    assert "E-KEY" in codes["book.toml"]


def test_the_game_knows_the_sets_of_a_host() -> None:
    """YU-93, YU-99: a room chooses a set; files with faults add nothing."""
    game = games({"my.toml": MINE.encode(), "workshop.toml": WORKSHOP})["yumeochi"]
    options = game.parse_options({"set": "workshop", "roles": ["usher"]})
    assert [role.id for role in options.pool][-1] == "usher"
    schema: Any = game.options_schema()["properties"]
    assert schema["set"]["enum"] == ["yumeochi-base", "mine", "workshop"]
    with pytest.raises(BadPack, match=r"a\.toml:\d+: E_RANGE"):
        games({"a.toml": swap(MINE, ("stars = 5", "stars = 50")).encode()})


# --- kaguraden cards check -----------------------------------------------------------------------


def run(*arguments: object) -> tuple[int, list[str]]:
    result = CliRunner().invoke(cards_command, ["check", *map(str, arguments)])
    return result.exit_code, result.stdout.splitlines()


def test_the_command_checks_sets(tmp_path: Path) -> None:
    """YU-99: faults, warnings, and a line for the file; warnings alone are no failure."""
    file = tmp_path / "my.toml"
    file.write_text(swap(MINE, ("stars = 1\nbase", "stars = 2\nbase")), "utf-8")
    status, (warning, summary) = run("--lang", "en", file)
    assert status == 0
    assert warning.startswith(f'{file}:14: W_SEED card "gentleman" role[0].stars: ')
    assert summary == (
        f'{file}: mine version 1 "Yumeochi base cards", '
        "7 roles, 6 skills, 12 time cards, no faults, 1 warning"
    )
    file.write_text(swap(MINE, ("stars = 5", "stars = 50")), "utf-8")
    status, (fault, summary) = run("--lang", "ja", file)
    assert status == 1
    assert 'E_RANGE カード "cracked_mirror" time[6].stars: 範囲の外です。実際は 50。' in fault
    assert summary == f"{file}: 誤り 1 件"


def test_of_many_faults_the_command_tells_the_first(tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    file.write_text(MINE.replace("test =", "tset ="), "utf-8")
    status, lines = run("--lang", "en", file)
    assert status == 1
    assert len(lines) == MAX_LINES + 2
    assert re.fullmatch(r".*: and \d+ more", lines[-2])


def test_a_set_that_is_too_much_for_a_message_is_told(tmp_path: Path) -> None:
    """Each set is sent by itself, so each has to fit."""
    file = tmp_path / "my.toml"
    many = ", ".join(['{ test = "life", op = ">", n = 0 }'] * 900)
    heal = f'{{ do = "heal", to = "self", n = 1, where = [ {many} ] }}'
    file.write_text(swap(MINE, (UMBRELLA, heal)), "utf-8")
    status, (summary, misfit) = run("--lang", "en", file)
    assert (status, summary.rpartition(", ")[2]) == (1, "no faults")
    assert misfit.startswith("yumeochi (mine) has too many cards to send in one message: ")
