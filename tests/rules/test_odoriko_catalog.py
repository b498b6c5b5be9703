"""The catalogue: what clients can tell their players about every card."""

from __future__ import annotations

import json
from typing import Any

import pytest
from kaguraden_rules.odoriko.card import Character
from kaguraden_rules.odoriko.catalog import catalog
from kaguraden_rules.odoriko.decks import room_cards
from kaguraden_rules.odoriko.grammar import read_file
from kaguraden_rules.odoriko.packs import builtin_cards, builtin_sets, load_set
from kaguraden_rules.odoriko.reading import Node, Report
from kaguraden_rules.odoriko.wording import term_text
from kaguraden_rules.odoriko.writing import card_data

SETS = {s.id: tuple(card.id for card in s.cards) for s in builtin_sets()}


def wire(events: bool = True) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(
        json.dumps(catalog(room_cards(builtin_cards(), events=events), SETS))
    )
    return answer


def test_every_card_has_names_and_texts_in_both_languages() -> None:
    """OD-189: specials, characters and events are all explained in Japanese and English."""
    cards = wire()["cards"]
    assert set(cards) == {"A", "J", "Q", "K", *builtin_cards()}
    for entry in cards.values():
        for part in (entry["name"], entry["text"], entry.get("skill", {}).get("name", {"ja": "-"})):
            assert all(part.values())
        assert set(entry["name"]) == set(entry["text"]) == {"ja", "en"}


def test_terms_are_told_as_data_and_in_words() -> None:
    """OD-182, OD-189: a term's words are made from its data."""
    terms = wire()["cards"]["cc003"]["score"]
    assert terms[2]["match"] == {}
    assert (terms[2]["scope"], terms[2]["zone"]) == ("others", "song")
    assert (terms[2]["at_least"], terms[2]["vp"]) == (5, 3)
    assert terms[2]["text"]["en"] == "+3 if there are 5 or more cards on others' song fields"
    assert terms[1]["text"]["ja"] == "全体の場の値8以上の資源カード 1枚につき-1"


def test_a_room_without_events_lists_none() -> None:
    """OD-24: packs and cards are those of the room."""
    with_events, without = wire(), wire(events=False)
    assert [pack["id"] for pack in with_events["packs"]] == ["seed", "house"]
    assert [pack["id"] for pack in without["packs"]] == ["seed"]
    assert not any(card.startswith("ev_") for card in without["cards"])
    assert with_events["version"] != without["version"] == wire(events=False)["version"]


TERMS = [
    (
        "scope = 'own'\nzone = 'hand'\nat_least = 2\nvp = 1\nmatch = { rank = ['J', 'Q'] }",
        "+1 if there are 2 or more Js or Qs in your hand",
        "自身の手札のJ・Qのカード 2枚以上：+1",
    ),
    (
        "scope = 'own'\nzone = 'dance'\nat_least = 20\nvp = -2\nmeasure = 'tree'\n"
        "match = { kind = ['resource'] }",
        "-2 if the tree of resource cards on your dance field is 20 or more",
        "自身の踊りの場の資源カードの樹が20以上：-2",
    ),
    (
        "scope = 'unscoped'\nzone = 'fields'\neach = 2\nmatch = { suit = ['S', 'D'], min = 3, max = 5 }",
        "+2 for each spade or diamond of value 3 or more and 5 or less on any field",
        "場の値3以上5以下のスペード・ダイヤのカード 1枚につき+2",
    ),
    (
        "scope = 'own'\nzone = 'hand'\nat_least = 2\nvp = 1\n"
        "match = { rank = ['K', 'Q'], suit = ['S', 'H'] }",
        "+1 if there are 2 or more Ks or Qs of spades or hearts in your hand",
        "自身の手札のスペード・ハートのK・Q 2枚以上：+1",
    ),
    (
        "scope = 'whole'\nzone = 'discard'\neach = 1\nmatch = { kind = ['special'], suit = ['S', 'C'] }",
        "+1 for each spade special card or club special card in all discard piles",
        "全体の捨て札のスペード・クラブの特殊カード 1枚につき+1",
    ),
    (
        "scope = 'whole'\nzone = 'discard'\neach = 1\nmatch = { kind = ['special'], colour = 'red' }",
        "+1 for each red special card in all discard piles",
        "全体の捨て札の赤の特殊カード 1枚につき+1",
    ),
    (
        "scope = 'whole'\nzone = 'discard'\neach = 1\nmatch = { kind = ['event', 'special'] }",
        "+1 for each event card or special card in all discard piles",
        "全体の捨て札のイベントカード・特殊カード 1枚につき+1",
    ),
    (
        "scope = 'others'\nzone = 'fields'\neach = 1\nmatch = { fc = true, this = false, id = ['cc001'] }",
        "+1 for each card that is a first character (other than this one) named cc001 on others' fields",
        "他者の場のFCのこれ以外の「cc001」のカード 1枚につき+1",
    ),
]


@pytest.mark.parametrize(("term", "en", "ja"), TERMS)
def test_any_term_has_words(term: str, en: str, ja: str) -> None:
    """OD-182, OD-183: custom terms are told too."""
    text = (
        "format = 1\nset = 'mine'\n[[card]]\nid = 'mine_a'\nkind = 'character'\n"
        f"name = {{ en = 'A' }}\n[[card.score]]\n{term}\n"
    )
    (card,) = load_set(text, "mine.toml").cards
    assert isinstance(card, Character)
    words = term_text(card.score[0])
    assert (words.en, words.ja) == (en, ja)


def test_what_a_card_does_is_told_in_the_words_of_its_data() -> None:
    """OD-180, OD-189: written out and read again, every card is the same."""
    for card_set in builtin_sets():
        plain = {
            "format": 1,
            "set": card_set.id,
            "card": [card_data(card) for card in card_set.cards],
        }
        report = Report("again")
        assert read_file(Node(json.loads(json.dumps(plain)), "", report)) == card_set
        assert report.faults == []
    cards = wire()["cards"]
    assert cards["cc004"]["skill"]["do"] == [{"op": "redirect"}]
    assert cards["cc004"]["skill"]["match"] == {"kind": ["character"], "this": False}
    assert cards["ev_morimatsuri"]["play"]["if"] == [{"tree": {"zone": "any", "at_least": 20}}]
    assert cards["ev_tabijitaku"]["play"]["cost"] == [{"vp": 1}]


def test_filters_are_told_as_they_are_written() -> None:
    """OD-183, OD-189: clients can show a custom card's terms from its data alone."""
    term = TERMS[-1][0].replace("each = 1", "at_least = 3\nvp = 2")
    text = (
        "format = 1\nset = 'mine'\n[[card]]\nid = 'mine_a'\nkind = 'character'\n"
        f"name = {{ en = 'A' }}\n[[card.score]]\n{term}\n"
        "[[card.score]]\nscope = 'own'\nzone = 'hand'\neach = 1\n"
        "match = { kind = ['special'], suit = ['S'], colour = 'black', rank = ['A'] }\n"
    )
    mine = load_set(text, "mine.toml")
    told: Any = catalog({mine.cards[0].id: mine.cards[0]}, {"mine": (mine.cards[0].id,)})
    first, second = told["cards"]["mine_a"]["score"]
    assert first["match"] == {"fc": True, "this": False, "id": ["cc001"]}
    assert (first["at_least"], first["vp"], first["measure"]) == (3, 2, "count")
    assert second["match"] == {
        "kind": ["special"],
        "suit": ["S"],
        "colour": "black",
        "rank": ["A"],
    }
    assert told["cards"]["mine_a"]["text"] == {"ja": "", "en": ""}
    assert told["packs"] == [{"id": "mine", "cards": ["mine_a"]}]
