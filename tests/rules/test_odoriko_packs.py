"""Card sets: what the files that come with the game say, and what a wrong file is told."""

from __future__ import annotations

import tomllib
import unicodedata
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from kaguraden_rules.kernel import CardId
from kaguraden_rules.odoriko import card as c
from kaguraden_rules.odoriko.decks import STARTER_WITHOUT_EVENTS
from kaguraden_rules.odoriko.faces import FACES, PACK, Colour, Rank, Suit, is_resource, is_special
from kaguraden_rules.odoriko.game import Odoriko
from kaguraden_rules.odoriko.grammar import read_file
from kaguraden_rules.odoriko.packs import (
    BadPack,
    builtin_cards,
    builtin_sets,
    load_folder,
    load_set,
    merge_sets,
)
from kaguraden_rules.odoriko.reading import Node, Report
from kaguraden_rules.toml import line_of


def test_pack_has_52_cards_without_jokers() -> None:
    """OD-2: 52 different cards, 13 of each suit."""
    assert len(set(PACK)) == 52
    assert all(sum(FACES[card].suit is suit for card in PACK) == 13 for suit in Suit)


def test_resource_cards_are_2_to_10_and_special_cards_the_rest() -> None:
    """OD-3, OD-4: a card is a resource card or a special card, never both."""
    assert {FACES[card].value for card in PACK if is_resource(card)} == set(range(2, 11))
    assert {FACES[card].rank for card in PACK if is_special(card)} == set("AJQK")
    assert all(is_resource(card) != is_special(card) for card in PACK)
    assert not is_resource(CardId("cc001"))
    assert not is_special(CardId("cc001"))


def test_hearts_and_diamonds_are_song_cards() -> None:
    """OD-3, OD-15: red is song, black is dance; the suit alone decides."""
    red = {card[-1] for card in PACK if FACES[card].colour is Colour.RED}
    assert red == {"H", "D"}


def test_builtin_sets_are_nine_characters_and_twelve_events() -> None:
    """OD-5, OD-7, OD-160: each character has terms and one skill, each event one play."""
    cards = builtin_cards()
    assert [s.id for s in builtin_sets()] == ["seed", "house"]
    characters = [card for card in cards.values() if isinstance(card, c.Character)]
    assert [card.id for card in characters] == [f"cc00{n}" for n in range(1, 10)]
    assert [card.no for card in characters] == list(range(1, 10))
    assert all(2 <= len(card.score) <= 3 and card.skill for card in characters)
    assert len(cards) - len(characters) == 12


# One line a card: timing, what it answers, the operations. The cards' rules in short.
SKILLS = {
    "cc001": "event event_declared Cancel",  # OD-147
    "cc002": "action None Discard Draw",  # OD-148
    "cc003": "special_card k_declared Cancel Discard",  # OD-149
    "cc004": "special_card k_declared Redirect",  # OD-150
    "cc005": "special character_discarded AddVp SetFirst",  # OD-151
    "cc006": "special None Discard Discard",  # OD-155
    "cc007": "special None Discard Place",  # OD-156
    "cc008": "special None Discard Place",  # OD-157
    "cc009": "special None Discard Place",  # OD-158
}


@pytest.mark.parametrize("card_id", SKILLS)
def test_skill_is_that_of_the_rulebook(card_id: str) -> None:
    """OD-69, OD-147, OD-148, OD-149, OD-150, OD-151, OD-155, OD-156, OD-157, OD-158."""
    card = builtin_cards()[CardId(card_id)]
    assert isinstance(card, c.Character)
    skill = card.skill
    assert skill is not None
    ops = " ".join(type(op).__name__ for op in skill.do)
    assert f"{skill.timing} {skill.on} {ops}" == SKILLS[card_id]


def test_only_cc006_to_cc009_are_free() -> None:
    """OD-109: a free skill has timing 特殊 and no trigger; each begins by discarding itself."""
    free = []
    for card in builtin_cards().values():
        if isinstance(card, c.Character) and card.skill is not None and card.skill.is_free:
            free.append(card.id)
            assert card.skill.do[0] == c.Discard(None)
    assert free == ["cc006", "cc007", "cc008", "cc009"]


def test_costs_and_conditions_of_the_nine() -> None:
    """OD-67, OD-68: cc001 pays a leaf, cc003 a Q of the hand, cc002 needs 12 VP, others nothing."""
    asked: dict[str, tuple[object, ...]] = {}
    for card in builtin_cards().values():
        if isinstance(card, c.Character) and card.skill is not None:
            asked[card.id] = card.skill.cost + card.skill.conditions
    leaf = c.Match(kind=(c.Kind.RESOURCE,), min=8)
    assert asked.pop("cc001") == (c.DiscardCost(c.Zone.FIELDS, leaf, 1),)
    assert asked.pop("cc002") == (c.VpAtLeast(12),)
    queen = asked.pop("cc003")
    assert queen == (c.DiscardCost(c.Zone.HAND, c.Match(rank=(Rank.QUEEN,)), 1),)
    assert set(asked.values()) == {()}


EVENTS = {
    "ev_yukidoke": (c.Draw(c.DeckName.RESOURCE, 2),),  # OD-161
    "ev_akatsuki": (c.AddActions(2),),  # OD-162
    "ev_shimo": (c.PutMark(c.FieldPick(c.Whose.ANY), c.Mark.FROZEN),),  # OD-163
    "ev_mikagami": (c.Peek(c.Whose.ONE_OTHER),),  # OD-168
    "ev_morimatsuri": (c.AddVp(3),),  # OD-169
}


@pytest.mark.parametrize("card_id", EVENTS)
def test_simple_events_do_what_the_table_says(card_id: str) -> None:
    """OD-161, OD-162, OD-163, OD-168, OD-169, OD-200: one line each; a field pick is one field."""
    card = builtin_cards()[CardId(card_id)]
    assert isinstance(card, c.EventCard)
    assert card.play.do == EVENTS[card_id]


def test_events_with_picks() -> None:
    """OD-164, OD-165, OD-166, OD-167, OD-170, OD-171, OD-172: whose cards each may take."""
    picks: dict[str, tuple[str, ...]] = {}
    for card in builtin_cards().values():
        if isinstance(card, c.EventCard):
            for op in card.play.do:
                for name in ("pick", "a", "b"):
                    pick = getattr(op, name, None)
                    if isinstance(pick, c.Pick):
                        line = f"{type(op).__name__} {pick.whose} {pick.zone} {pick.n} {pick.by}"
                        picks[card.id] = (*picks.get(card.id, ()), line)
    assert picks == {
        "ev_geshi": ("Take each hand 1 holder",),
        "ev_momiji": ("Exchange self fields 1 user", "Exchange one_other fields 1 user"),
        "ev_shijima": ("Discard each_other hand 1 holder",),
        "ev_kodama": ("Take self discard 1 user",),
        "ev_byakuya": ("PutMark self fields 1 user",),
        "ev_makuake": ("Place self shown 1 user",),
        "ev_tabijitaku": ("Take self fields 1 user",),
    }


def test_no_card_prints_a_penalty_but_minus_terms() -> None:
    """OD-6: the penalty of a card is its minus terms; eight of the nine have exactly one."""
    minus = {
        card.id: sum(term.worth.vp < 0 for term in card.score)
        for card in builtin_cards().values()
        if isinstance(card, c.Character)
    }
    assert set(minus.values()) == {1}


# --- faults ------------------------------------------------------------------------------------

GOOD = """
format = 1
set = "mine"
[[card]]
id = "mine_a"
kind = "character"
name = { en = "A" }
[card.skill]
name = { en = "S" }
timing = "action"
do = [ { op = "draw", deck = "resource", n = 1 } ]
[[card.score]]
scope = "own"
zone = "song"
each = 1
[[card]]
id = "mine_b"
kind = "event"
name = { ja = "ビー" }
[card.play]
do = [ { op = "vp", n = 1 } ]
"""


def faults(text: str) -> list[tuple[str, str]]:
    with pytest.raises(BadPack) as error:
        load_set(text, "mine.toml")
    for fault in error.value.faults:
        assert fault.file == "mine.toml"
        assert fault.expected
        assert "\n" not in str(fault)
    return [(fault.code, fault.path) for fault in error.value.faults]


def change(old: str, new: str) -> str:
    assert GOOD.count(old) == 1, old
    return GOOD.replace(old, new)


def test_good_file_loads() -> None:
    """OD-180, OD-181: a file of one character and one event; a name in one language serves both."""
    mine = load_set(GOOD, "mine.toml")
    assert [card.id for card in mine.cards] == ["mine_a", "mine_b"]
    assert mine.cards[1].name == c.Name("ビー", "ビー")


SKILL_DO = 'do = [ { op = "draw", deck = "resource", n = 1 } ]'
EVENT_DO = 'do = [ { op = "vp", n = 1 } ]'


def skill(lines: str) -> str:
    return change(f'timing = "action"\n{SKILL_DO}', lines)


def event(ops: str) -> str:
    return change(EVENT_DO, f"do = [ {ops} ]")


R = '{ whose = "self", zone = "fields", match = { kind = ["resource"] }, n = 1 }'
EACH = 'whose = "each", zone = "fields", n = 1, by = "holder"'


def event_cost(costs: str) -> str:
    return change(EVENT_DO, f"{EVENT_DO}\ncost = [ {costs} ]")


FAULTS: list[tuple[str, str, str]] = [
    ("V-01", "", "format = "),
    ("V-01", "format", change("format = 1", "format = 2")),
    ("V-01", "format", change("format = 1", "format = true")),
    ("V-01", "format", change("format = 1", "")),
    ("V-02", "sett", change('set = "mine"', 'set = "mine"\nsett = 1')),
    ("V-02", "card[0].score[0].eaches", change("each = 1", "each = 1\neaches = 1")),
    ("V-03", "card[0].name", change('name = { en = "A" }', "")),
    ("V-03", "card[1].play.do", change(EVENT_DO, "")),
    ("V-03", "card[0].kind", change('kind = "character"', "")),
    ("V-03", "card[1].play.do[0].op", event("{ n = 1 }")),
    ("V-04", "card[0].score[0].each", change("each = 1", "each = 10")),
    ("V-04", "card[0].score[0].each", change("each = 1", "each = true")),
    ("V-04", "card[0].score[0].each", change("each = 1", "each = 1.0")),
    ("V-04", "card[1].play.do[0].n", event('{ op = "vp", n = 21 }')),
    ("V-04", "card[1].play.do[0].n", event('{ op = "vp", n = 0 }')),
    ("V-04", "card[1].play.do", event(", ".join(['{ op = "vp", n = 1 }'] * 9))),
    ("V-04", "card[1].play.do", event("")),
    ("V-04", "card[1].play.do[0].n", event('{ op = "draw", deck = "resource", n = 5 }')),
    ("V-04", "card[0].name", change('name = { en = "A" }', 'name = "A"')),
    ("V-05", "card[0].id", change('id = "mine_a"', 'id = "Mine"')),
    ("V-05", "card[0].id", change('id = "mine_a"', 'id = "starter"')),
    ("V-05", "card[1].id", change('id = "mine_b"', 'id = "mine_a"')),
    ("V-06", "card[0].kind", change('kind = "character"', 'kind = "caracter"')),
    ("V-06", "card[0].score[0].scope", change('scope = "own"', 'scope = "mine"')),
    ("V-06", "card[0].skill.do[0].deck", change('deck = "resource"', 'deck = "red"')),
    ("V-07", "card[0].score[0]", change("each = 1", "")),
    ("V-07", "card[0].score[0]", change("each = 1", "each = 1\nat_least = 1\nvp = 1")),
    ("V-07", "card[0].score[0]", change("each = 1", "at_least = 1")),
    ("V-07", "card[0].score[0].vp", change("each = 1", "each = 1\nvp = 1")),
    ("V-07", "card[0].score[0].each", change("each = 1", 'each = 1\nmeasure = "tree"')),
    (
        "V-07",
        "card[0].score[0]",
        change(
            'zone = "song"\neach = 1', 'zone = "fields"\nat_least = 9\nvp = 1\nmeasure = "tree"'
        ),
    ),
    (
        "V-08",
        "card[0].score[0]",
        change('scope = "own"\nzone = "song"', 'scope = "others"\nzone = "hand"'),
    ),
    (
        "V-08",
        "card[1].play.do[0].pick",
        event('{ op = "discard", pick = { whose = "others", zone = "hand", n = 1 } }'),
    ),
    (
        "V-08",
        "card[1].play.do[0].pick",
        event('{ op = "take", pick = { whose = "self", zone = "shown", n = 1 }, to = "self" }'),
    ),
    ("V-09", "card[0].skill.do[0]", skill('timing = "action"\ndo = [ { op = "cancel" } ]')),
    ("V-09", "card[0].skill.on", skill(f'timing = "action"\non = "k_declared"\n{SKILL_DO}')),
    ("V-09", "card[0].skill.do[0]", skill('timing = "special_card"\ndo = [ { op = "redirect" } ]')),
    ("V-09", "card[1].play.do[0]", event('{ op = "fc" }')),
    ("V-09", "card[1].play.do[0]", event('{ op = "discard", this = true }')),
    ("V-09", "card[1].play.do[0].whose", event('{ op = "vp", n = 1, whose = "actor" }')),
    ("V-10", "card[0].skill", skill(f'timing = "special"\n{SKILL_DO}')),
    ("V-11", "card[0].score[0].match", change("each = 1", "each = 1\nmatch = { max = 1 }")),
    (
        "V-11",
        "card[0].score[0].match",
        change("each = 1", 'each = 1\nmatch = { suit = ["S"], colour = "red" }'),
    ),
    (
        "V-11",
        "card[0].score[0].match",
        change("each = 1", "each = 1\nmatch = { min = 8, max = 3 }"),
    ),
    (
        "V-11",
        "card[0].score[0].match",
        change("each = 1", 'each = 1\nmatch = { rank = ["J"], min = 2 }'),
    ),
    (
        "V-12",
        "card[1].play.do[0]",
        event(
            '{ op = "place", pick = { whose = "self", zone = "hand", match = { kind = ["special"] }, n = 1 },'
            ' to = { whose = "self", zone = "match" } }'
        ),
    ),
    (
        "V-12",
        "card[1].play.do[0]",
        event(
            '{ op = "place", pick = { whose = "self", zone = "hand", match = { colour = "red" }, n = 1 },'
            ' to = { whose = "self", zone = "dance" } }'
        ),
    ),
    ("V-13", "card[0].play", change("[card.skill]", f"[card.play]\n{EVENT_DO}\n[card.skill]")),
    (
        "V-13",
        "card[1].play.cost[0].discard",
        change(
            EVENT_DO,
            f'{EVENT_DO}\ncost = [ {{ discard = {{ zone = "hand", match = {{ this = true }}, n = 1 }} }} ]',
        ),
    ),
    (
        "V-04",
        "card[1].play.do[0].b",
        event(f'{{ op = "exchange", a = {R}, b = {R.replace("n = 1", "n = 2")} }}'),
    ),
    (
        "V-06",
        "card[1].play.do[0].pick.zone",
        event('{ op = "discard", pick = { whose = "self", zone = "discard", n = 1 } }'),
    ),
    (
        "V-09",
        "card[1].play.do[0].pick",
        event('{ op = "discard", pick = { whose = "each", zone = "fields", n = 1 } }'),
    ),
    ("V-09", "card[1].play.do[0].a", event(f'{{ op = "exchange", a = {{ {EACH} }}, b = {R} }}')),
    (
        "V-09",
        "card[1].play.do[0].pick",
        event(
            '{ op = "mark", pick = { whose = "each", zone = "song", n = 1, by = "holder" },'
            ' on = "card", mark = "sheltered", until = "my_next_turn" }'
        ),
    ),
    (
        "V-09",
        "card[1].play.do[0].to.whose",
        event(
            f'{{ op = "place", pick = {{ {EACH} }}, to = {{ whose = "others", zone = "match" }} }}'
        ),
    ),
    (
        "V-09",
        "card[1].play.do[1].pick",
        event(
            '{ op = "show", deck = "resource", n = 2 }, '
            '{ op = "take", pick = { whose = "any", zone = "shown", n = 1 }, to = "self" }'
        ),
    ),
    (
        "V-09",
        "card[1].play.do[0].pick",
        event(
            '{ op = "discard", pick = { whose = "any", zone = "song", match = { this = true } } }'
        ),
    ),
    (
        "V-09",
        "card[1].play.if[0].count",
        change(
            EVENT_DO,
            f"{EVENT_DO}\nif = [ {{ count = {{ scope = 'own', zone = 'song',"
            " match = { this = false }, at_least = 1 } } ]",
        ),
    ),
    (
        "V-11",
        "card[0].score[0]",
        change('zone = "song"\neach = 1', 'zone = "discard"\nmatch = { fc = true }\neach = 1'),
    ),
    (
        "V-11",
        "card[0].skill.match",
        skill(
            'timing = "special"\non = "character_discarded"\nmatch = { this = true }\n' + SKILL_DO
        ),
    ),
    (
        "V-13",
        "card[1].play.cost[1].discard",
        event_cost(
            '{ discard = { zone = "fields", n = 1 } }, { discard = { zone = "fields", n = 1 } }'
        ),
    ),
    (
        "V-13",
        "card[1].play.cost[1].discard",
        event_cost(
            '{ discard = { zone = "hand", n = 2 } }, { discard = { zone = "hand", n = 2 } }'
        ),
    ),
    (
        "V-13",
        "card[0].skill.cost[0].discard",
        skill(
            'timing = "action"\ncost = [ { discard = { zone = "hand", match = { this = true }, n = 1 } } ]\n'
            + SKILL_DO
        ),
    ),
    ("V-15", "card[0].name", change('name = { en = "A" }', 'name = { roman = "a" }')),
    ("V-15", "card[0].name.en", change('name = { en = "A" }', f'name = {{ en = "{"A" * 81}" }}')),
    *(
        ("V-15", "card[0].name.en", change('name = { en = "A" }', f'name = {{ en = "{text}" }}'))
        for text in (
            "A\\u202eB",
            "\\u3000 ",  # spaces
            "\\u3164\\u2800\\uffa0",  # letters and a symbol that show nothing
            "\\ufe0f\\u0301",  # marks on nothing
            "q" + 5 * "\\u0331",
        )
    ),
]


@pytest.mark.parametrize(("code", "path", "text"), FAULTS)
def test_fault_is_found_at_its_place_and_alone(code: str, path: str, text: str) -> None:
    """OD-182, OD-183, OD-184, OD-185, OD-186, OD-187, OD-188, OD-221: one slip, one fault."""
    assert faults(text) == [(code, path)]


def test_all_faults_of_a_file_are_told_in_one_run_in_order() -> None:
    """OD-188: the faults of two cards, sorted by card, each with card, path, line and what is right."""
    text = (
        change("each = 1", "each = 99")
        .replace('id = "mine_b"', 'id = "B"')
        .replace('{ op = "vp", n = 1 }', '{ op = "pv", n = 1 }')
    )
    with pytest.raises(BadPack) as error:
        load_set(text, "mine.toml")
    told = [(f.code, f.card, f.path, f.line) for f in error.value.faults]
    assert told == [
        ("V-04", "mine_a", "card[0].score[0].each", 15),
        ("V-05", "B", "card[1].id", 17),
        ("V-06", "B", "card[1].play.do[0].op", 21),
    ]
    first = error.value.faults[0]
    assert str(first) == first.sentence.en
    assert first.sentence.en == (
        'mine.toml:15: V-04 card "mine_a" card[0].score[0].each: got 99; '
        "expected a whole number from -9 to 9"
    )
    assert first.sentence.ja == (
        'mine.toml:15: V-04 カード "mine_a" card[0].score[0].each: 実際は 99。'
        "正しくは -9 から 9 までの整数"
    )
    assert "did you mean vp?" in str(error.value.faults[2])


PLACED = '''# line 1
format = 1
set = "mine"   # [[card]] in a comment
[[card]]
id = "mine_c"
kind = "event"
name.en = "C"
text = { en = """a text
[[card]]
over lines""" }
[card.play]
if = [ { half = 3 } ]
do = [
  { op = "vp", n = 1 }, { op = "vp", n = 99 },
  # { op = "vp", n = 1 },

  { op = "draw", deck = "resource", n = 9 },
]
'''


def test_faults_are_told_with_the_line_of_the_nearest_key() -> None:
    """OD-188: entries of a list over several lines too; texts over several lines mislead nobody."""
    with pytest.raises(BadPack) as error:
        load_set(PLACED, "mine.toml")
    told = [(f.path, f.line) for f in error.value.faults]
    assert told == [
        ("card[0].text.en", 8),
        ("card[0].play.if[0].half", 12),
        ("card[0].play.do[1].n", 14),
        ("card[0].play.do[2].n", 17),
    ]


@pytest.mark.parametrize("path", ["", "x", "x]", 'a."b]"', "a.b.", "[0]", "card[1]..", "card[0]x"])
def test_a_path_that_stands_nowhere_has_no_line(path: str) -> None:
    """OD-188: where no line is known none is told."""
    assert line_of(path, {"card": 3}) in (None, 3)


def test_deleting_a_pack_removes_its_cards_and_nothing_else(tmp_path: Path) -> None:
    """OD-180: the sets of a folder are its files; without `house` the seed cards are as before."""
    for name in ("seed.toml", "house.toml"):
        folder = resources.files("kaguraden_rules.odoriko").joinpath("packs")
        (tmp_path / name).write_text(folder.joinpath(name).read_text("utf-8"), "utf-8")
    whole = load_folder(tmp_path)
    assert whole == builtin_sets()
    (tmp_path / "house.toml").unlink()
    assert load_folder(tmp_path) == whole[:1]


def test_the_nine_alone_can_be_played() -> None:
    """OD-223, OD-24: without events in its sets a room allows second copies."""
    alone = Odoriko(sets=builtin_sets()[:1])
    options = alone.parse_options({})
    assert alone.check_deck(options, None) == STARTER_WITHOUT_EVENTS
    alone.setup(options, 2, [STARTER_WITHOUT_EVENTS] * 2, bytes(32))


def test_toml_error_names_its_line() -> None:
    """OD-188: V-01 carries the line that the parser names."""
    with pytest.raises(BadPack) as error:
        load_set('format = 1\nset = "x\n', "mine.toml")
    (fault,) = error.value.faults
    assert (fault.code, fault.line) == ("V-01", 2)


def test_two_sets_may_not_share_an_id() -> None:
    """OD-188: ids are unique over all sets of a room (V-05)."""
    seed = builtin_sets()[0]
    with pytest.raises(BadPack) as error:
        merge_sets([seed, c.CardSet("other", seed.cards[:1])])
    assert [(f.code, f.card) for f in error.value.faults] == [("V-05", "cc001")]


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    if isinstance(value, dict):
        for key, inner in value.items():
            found += _leaves(inner, (*path, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            found += _leaves(inner, (*path, i))
    return found


@pytest.mark.parametrize("junk", [7, "x", [{}], {"": 0}])
def test_any_value_anywhere_is_read_or_faulted_never_crashes(junk: Any) -> None:
    """OD-188: whatever stands in the place of any part of a file, the answer is a list of faults."""
    for name in ("seed.toml", "house.toml"):
        folder = resources.files("kaguraden_rules.odoriko").joinpath("packs")
        text = folder.joinpath(name).read_text("utf-8")
        whole = tomllib.loads(text)
        read_file(Node(junk, "", Report(name)))
        for *above, last in _leaves(whole)[1:]:
            place: Any = whole
            for key in above:
                place = place[key]
            before, place[last] = place[last], junk
            read_file(Node(whole, "", Report(name)))
            place[last] = before


EVERYTHING = """
format = 1
set = "everything"
[[card]]
id = "guard"
kind = "character"
no = 7
name = { ja = "番人", roman = "banin", en = "Guard" }
text = { en = "Guards." }
[card.skill]
name = { en = "Ward" }
timing = "special_card"
match = { kind = ["character"], this = false, fc = true, id = ["guard"] }
if = [
  { vp_at_least = -5 },
  { vp_at_most = 9 },
  { tree = { zone = "song", at_least = 12 } },
  { count = { scope = "others", zone = "discard", match = { kind = ["event"] }, at_least = 2 } },
  { hand_at_least = 1 },
  { half = 2 },
]
cost = [ { vp = 2 }, { discard = { zone = "fields", match = { colour = "red" }, n = 2 } } ]
limit = "turn"
do = [
  { op = "cancel" },
  { op = "redirect" },
  { op = "peek", whose = "actor" },
  { op = "vp", n = -3, whose = "actor", must = true },
]
[[card]]
id = "watch"
kind = "character"
name = { en = "Watch" }
[card.skill]
name = { en = "Look out" }
timing = "special"
on = "resource_discarded"
match = { suit = ["C"], max = 4 }
do = [
  { op = "take", pick = { whose = "any", zone = "fields", n = 2, upto = true }, to = "left" },
  { op = "place", pick = { whose = "self", zone = "hand", n = "any" }, to = { whose = "one_other", zone = "song" } },
  { op = "mark", pick = { whose = "others", zone = "dance", n = 1 }, on = "field", mark = "frozen", until = "my_next_turn" },
]
[[card]]
id = "ebb"
kind = "event"
name = { en = "Ebb" }
[card.play]
do = [ { op = "show", deck = "character", n = 4 }, { op = "actions", n = 1 } ]
"""


def test_every_part_of_the_format_is_read() -> None:
    """OD-182, OD-183, OD-184, OD-185, OD-186, OD-187, OD-200: what is written is what a card says."""
    guard, watch, ebb = load_set(EVERYTHING, "everything.toml").cards
    assert isinstance(guard, c.Character)
    assert guard.text is not None
    assert (guard.no, guard.text.ja, guard.name.roman) == (7, "Guards.", "banin")
    skill = guard.skill
    assert skill is not None
    assert skill.on is c.AnswerTo.K_DECLARED  # the only thing that the timing answers
    assert skill.match == c.Match(
        kind=(c.Kind.CHARACTER,), fc=True, this=False, id=(CardId("guard"),)
    )
    assert skill.conditions == (
        c.VpAtLeast(-5),
        c.VpAtMost(9),
        c.TreeAtLeast(c.Zone.SONG, 12),
        c.CountAtLeast(c.Scope.OTHERS, c.Zone.DISCARD, c.Match(kind=(c.Kind.EVENT,)), 2),
        c.HandAtLeast(1),
        c.InHalf(2),
    )
    red = c.Match(colour=Colour.RED)
    assert skill.cost == (c.VpCost(2), c.DiscardCost(c.Zone.FIELDS, red, 2))
    assert skill.limit is c.Limit.TURN
    assert skill.do == (
        c.Cancel(),
        c.Redirect(),
        c.Peek(c.Whose.ACTOR),
        c.AddVp(-3, c.Whose.ACTOR, must=True),
    )
    assert isinstance(watch, c.Character)
    assert watch.skill is not None
    assert watch.skill.do == (
        c.Take(c.Pick(c.Whose.ANY, c.Zone.FIELDS, n=2, upto=True), c.GainTo.LEFT),
        c.Place(
            c.Pick(c.Whose.SELF, c.Zone.HAND, n=None), c.PlaceTo(c.Whose.ONE_OTHER, c.Zone.SONG)
        ),
        c.PutMark(c.FieldPick(c.Whose.OTHERS, c.Zone.DANCE), c.Mark.FROZEN),
    )
    assert isinstance(ebb, c.EventCard)
    assert ebb.play.do == (c.Show(c.DeckName.CHARACTER, 4), c.AddActions(1))


def other(old: str, new: str) -> str:
    assert EVERYTHING.count(old) == 1, old
    return EVERYTHING.replace(old, new)


MORE_FAULTS = [
    ("V-03", "card[0].skill.if[5]", other("{ half = 2 }", "{ half = 2, vp_at_most = 3 }")),
    ("V-03", "card[0].skill.cost[0]", other("{ vp = 2 }", "{}")),
    ("V-02", "card[0].skill.cost[0].pv", other("{ vp = 2 }", "{ pv = 2 }")),
    ("V-04", "card[0].skill.if[5].half", other("{ half = 2 }", "{ half = 3 }")),
    (
        "V-08",
        "card[0].skill.if[3].count",
        other('zone = "discard", match', 'zone = "hand", match'),
    ),
    (
        "V-09",
        "card[1].skill.do[0].pick",
        other('whose = "any", zone', 'whose = "any", by = "holder", zone'),
    ),
    (
        "V-09",
        "card[1].skill.do[0].pick.holders",
        other('whose = "any", zone', 'whose = "any", holders = { hand_at_least = 2 }, zone'),
    ),
    (
        "V-09",
        "card[1].skill.do[0].pick",
        other('whose = "any", zone', 'whose = "actor", zone'),
    ),
    ("V-09", "card[1].skill.do[2].mark", other('mark = "frozen"', 'mark = "sheltered"')),
    ("V-09", "card[0].skill.match", other('timing = "special_card"', 'timing = "event"')),
    ("V-03", "card[2].play.do[1]", other('op = "actions", n = 1', 'op = "discard"')),
    ("V-04", "card[2].play.do[1].this", other('op = "actions", n = 1', 'op = "discard", this = 1')),
    ("V-06", "card[1].skill.match.suit", other('suit = ["C"]', 'suit = ["C", "C"]')),
    ("V-15", "card[0].text.en", other('text = { en = "Guards." }', 'text = { en = "  " }')),
    ("V-05", "card[0].name.roman", other('roman = "banin"', 'roman = "Ban-in"')),
    ("V-05", "set", other('set = "everything"', 'set = "Every thing"')),
]


@pytest.mark.parametrize(("code", "path", "text"), MORE_FAULTS)
def test_faults_of_skills_and_effects(code: str, path: str, text: str) -> None:
    """OD-184, OD-185, OD-186, OD-187, OD-188: the first fault told is the one that was made."""
    assert faults(text)[0] == (code, path)


def test_nesting_too_deep_is_a_fault_not_a_crash() -> None:
    """OD-188 (V-01): a file that the parser gives up on."""
    assert faults("a = " + "[" * 5000)[0][0] == "V-01"


@pytest.mark.parametrize("part", ["a", '"a b"', r'"\""', "'a'"])
def test_a_key_of_a_thousand_parts_is_a_fault_told_at_once(part: str) -> None:
    """OD-188 (V-01): the time that the parser takes for one grows with the square of its length."""
    for dot in (".", " . "):
        key = dot.join([part] * 20_000)
        for text in (f"x = 1\n{key} = 1", f"x = 1\n[{key}]", f"\na = {{ {key} = 1 }}"):
            with pytest.raises(BadPack) as error:
                load_set(text, "mine.toml")
            assert [(fault.code, fault.line) for fault in error.value.faults] == [("V-01", 2)]


@pytest.mark.parametrize("text", ["a" * 250_000, "a " * 100_000, '"' * 200_000, "a. . " * 50_000])
def test_looking_for_long_keys_takes_no_time(text: str) -> None:
    """OD-188: a text without any is as fast as it was."""
    assert faults(text)[0][0] == "V-01"


def test_two_sets_may_not_have_one_name() -> None:
    """OD-188 (V-05): set ids are unique too."""
    with pytest.raises(BadPack):
        merge_sets([c.CardSet("one", ()), c.CardSet("one", ())])


def test_a_line_in_a_long_text_is_not_taken_for_a_card() -> None:
    """OD-188: lines are counted by keys, not by what looks like one."""
    text = GOOD.replace('name = { en = "A" }', 'name = { en = """\n[[card]]\n""" }')
    with pytest.raises(BadPack) as error:
        load_set(text, "mine.toml")
    assert [(fault.path, fault.line) for fault in error.value.faults] == [("card[0].name.en", 7)]


@pytest.mark.parametrize("name", ["神楽", "ガ", "Nguyễn", "!", "❤\ufe0f", "q" + 4 * "\u0331"])
def test_names_of_any_script_are_taken(name: str) -> None:
    """OD-181, OD-188 (V-15): marks and spaces are text, as long as there is something to see."""
    (card, *_) = load_set(change('{ en = "A" }', f'{{ en = "{name}" }}'), "mine.toml").cards
    assert card.name.en == unicodedata.normalize("NFC", name)
