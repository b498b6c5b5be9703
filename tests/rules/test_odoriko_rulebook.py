"""The players' rulebook says in both languages what the rules say, and its examples hold."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import attrs
import pytest
from kaguraden_rules.odoriko import events as e
from kaguraden_rules.odoriko import state as s
from kaguraden_rules.odoriko.catalog import rulebook
from kaguraden_rules.odoriko.decks import STARTER
from kaguraden_rules.odoriko.game import WINDOWS
from kaguraden_rules.odoriko.options import Options
from kaguraden_rules.odoriko.packs import builtin_cards
from wcwidth import wcswidth

from tests.rules.odoriko_positions import ODORIKO, A, B, C, Table, at_turn, position, seat

BOOKS = {"ja": rulebook("ja"), "en": rulebook("en")}
SPECIFICATION = Path(__file__).parents[2].joinpath("rules/docs/odoriko.md").read_text("utf-8")
LANGUAGES = pytest.mark.parametrize("language", ["ja", "en"])

# Japanese takes three bytes a character and says the same in fewer characters.
MOST_CHARACTERS = 14_500
MOST_BYTES = 19_500


def sections(language: str) -> dict[int, str]:
    """Return the text of each section by its number."""
    parts = re.split(r"^## (\d+)\. ", BOOKS[language], flags=re.MULTILINE)[1:]
    return {int(number): text for number, text in zip(parts[::2], parts[1::2], strict=True)}


def last_line(text: str) -> str:
    return text.rstrip().splitlines()[-1]


def cited(text: str) -> list[tuple[int, int]]:
    """Return the ranges of rule ids that a text cites, first and last."""
    found = re.findall(r"OD-(\d+)(?:(?: to |〜)OD-(\d+))?", text)
    return [(int(first), int(last or first)) for first, last in found]


# --- the text ------------------------------------------------------------------------------------


def test_both_languages_come_with_the_catalog_and_its_version() -> None:
    found = ODORIKO.catalog()
    assert found["rulebook"] == BOOKS
    assert found["rulebook"] == ODORIKO.catalog(Options(events="none"))["rulebook"]


@LANGUAGES
def test_the_book_keeps_its_bounds(language: str) -> None:
    """A terminal shows it, and it goes over the wire in one message with the cards."""
    book = BOOKS[language]
    assert len(book) <= MOST_CHARACTERS
    assert len(book.encode()) <= MOST_BYTES
    for line in book.splitlines():
        assert wcswidth(line) <= (76 if line.startswith("|") else 100), line
        assert line == line.rstrip(), line


@LANGUAGES
def test_tables_are_drawn_straight(language: str) -> None:
    tables = re.findall(r"(?:^\|.*\n)+", BOOKS[language], re.MULTILINE)
    assert tables
    for table in tables:
        assert len({wcswidth(row) for row in table.splitlines()}) == 1


def test_the_languages_have_the_same_sections_about_the_same_rules() -> None:
    ja, en = sections("ja"), sections("en")
    assert list(ja) == list(en) == list(range(1, len(en) + 1))
    for number in en:
        assert cited(last_line(ja[number])) == cited(last_line(en[number])), number
        for mark in ("^- ", r"^\d+\. ", r"^\|"):
            marks = [len(re.findall(mark, text[number], re.MULTILINE)) for text in (ja, en)]
            assert marks[0] == marks[1], (number, mark)


@LANGUAGES
def test_every_section_ends_with_its_rules(language: str) -> None:
    for text in sections(language).values():
        assert last_line(text).startswith({"ja": "規則：OD-", "en": "Rules: OD-"}[language])


@LANGUAGES
def test_cited_rules_exist_and_all_that_is_played_is_cited(language: str) -> None:
    known = {
        int(number) for number in re.findall(r"^(?:- |\| )\*\*OD-(\d+)\*\*", SPECIFICATION, re.M)
    }
    ranges = [pair for text in sections(language).values() for pair in cited(last_line(text))]
    assert {end for pair in ranges for end in pair} <= known
    assert {end for pair in cited(BOOKS[language]) for end in pair} <= known
    assert all(first <= last for first, last in ranges)
    told = {number for first, last in ranges for number in range(first, last + 1)}
    assert set(range(1, 175)) <= told


@LANGUAGES
def test_every_card_is_named(language: Literal["ja", "en"]) -> None:
    for card in builtin_cards().values():
        name = card.name.text.ja if language == "ja" else card.name.text.en
        number = 14 if card.id.startswith("cc") else 15
        assert f"- **{name}**" in sections(language)[number]


@LANGUAGES
def test_the_starter_deck_is_named(language: Literal["ja", "en"]) -> None:
    """OD-23."""
    text = re.sub(r"\s+", " ", sections(language)[16])
    for card in STARTER:
        if card.startswith("ev"):
            name = builtin_cards()[card].name.text
            assert (name.ja if language == "ja" else name.en) in text


@LANGUAGES
def test_every_option_and_its_values_are_explained(language: str) -> None:
    """OD-174: number options with their usual value, the others with every value."""
    text = sections(language)[17]
    for option in attrs.fields(Options):
        assert f"`{option.name}`" in text
        values = option.metadata.get("values") or (str(option.default),)
        after = text.partition(f"`{option.name}`")[2].partition("\n- `")[0]
        at = [after.find(value) for value in values]
        assert -1 not in at, (option.name, values)
        assert at[0] == min(at), "the usual value comes first"


@LANGUAGES
def test_windows_are_named_as_the_standing_answers_are(language: str) -> None:
    text = sections(language)[10]
    for window in WINDOWS:
        assert (window.name.ja if language == "ja" else window.name.en) in text


# --- the examples --------------------------------------------------------------------------------


def faces(language: str, number: int) -> set[str]:
    """Return the cards of the pack that a section names."""
    suits = {"♠": "S", "♥": "H", "♦": "D", "♣": "C"}
    found = re.findall(r"(10|[2-9JQKA])([♠♥♦♣])", sections(language)[number])
    return {rank + suits[suit] for rank, suit in found}


@pytest.mark.parametrize("number", [3, 6, 8, 9, 10, 13])
def test_the_examples_name_the_same_cards(number: int) -> None:
    assert faces("ja", number) == faces("en", number) != set()


def test_declarations() -> None:
    """Section 4; OD-29, OD-33."""
    t = Table(position(seat(), seat(), seat(), stage=s.Bidding((None,) * 3, (False,) * 3)))
    t.act(A, "declare_bid", 0).act(B, "declare_bid", 2).act(C, "declare_bid", 0)
    t.act(C, "declare_bid", 1)
    for who in (A, B, C):
        t.act(who, "lock_bid")
    assert t.vp() == [0, -2, -1]
    assert isinstance(t.state.stage, s.Placing)
    assert t.state.stage.queue == (A, C, B)


def test_a_jack_makes_room_for_the_card_drawn() -> None:
    """Section 6; OD-51, OD-54, OD-55."""
    t = at_turn(seat("JH 4S 6H cc002", deck="10D"), seat(), seat())
    t.act(A, "draw:resource")
    assert t.pile(A) == ["10D"]
    t.act(A, "use_j:JH:10D").close()
    assert t.hand(A) == {"4S", "6H", "cc002", "10D"}


def test_a_king_sends_a_leaf_to_its_owners_pile() -> None:
    """Section 8; OD-71, OD-74."""
    t = at_turn(seat("KD"), seat(dance="10S"), seat("JH"))
    t.act(A, "use_k:KD:1:dance:10S").act(C, "pass").expire()
    assert t.pile(B) == ["10S"]
    t.act(C, "use_j:JH:10S").close()
    assert "10S" in t.hand(C)


def test_a_queen_cancels_the_king() -> None:
    """Section 8; OD-73, OD-78."""
    t = at_turn(seat("KS"), seat(song="cc007"), seat("QS"))
    t.act(A, "use_k:KS:1:song:cc007").act(C, "use_q:QS").expire().close()
    assert (t.song(B), t.pile(A), t.pile(C)) == (["cc007"], ["KS"], ["QS"])
    assert t.actions_left == 1


def test_a_queen_lets_two_characters_change_places() -> None:
    """Section 8; OD-75, OD-76."""
    t = at_turn(seat("QC", song="cc001*", dance="cc006"), seat(), seat())
    (option,) = [o for o in t.options(A, "q_swap") if "cc001" in o and "cc006" in o]
    t.act(A, option).close()
    assert (t.song(A), t.dance(A), t.fc(A)) == (["cc006"], ["cc001"], "cc001")
    assert t.actions_left == 2


def test_of_two_jacks_the_left_one_takes_the_card() -> None:
    """Section 8; OD-101, OD-102."""
    t = at_turn(seat("7D"), seat("JS"), seat("JH"))
    t.act(A, "discard:hand:7D").act(C, "use_j:JH:7D").act(B, "use_j:JS:7D").close()
    assert (t.hand(B), t.hand(C)) == ({"7D"}, {"JH"})


def test_an_ace_takes_an_unsold_lot_back() -> None:
    """Section 8; OD-70, OD-94."""
    t = at_turn(seat("JH 8C AS"), seat("2D 3D 4D"), seat("5D 6D"))
    t.act(A, "sell:special:4", ["JH", "8C"]).act(A, "use_a:AS").close()
    assert (t.hand(A), t.pile(A)) == ({"JH", "8C"}, ["AS"])


def test_the_auction() -> None:
    """Section 9; OD-85, OD-88, OD-91."""
    t = at_turn(seat("10H 4S JC KD"), seat("9D 3C 5H QS"), seat("2D 6S"))
    t.act(A, "sell:resource:1", ["10H", "4S"]).act(C, "bid", 1).act(B, "bid", 2)
    t.act(B, "pay", ["3C", "5H"]).close()
    assert t.hand(A) == {"JC", "KD", "3C", "5H"}
    assert t.hand(B) == {"9D", "QS", "10H", "4S"}


def test_both_are_asked_whatever_they_hold() -> None:
    """Section 10; OD-104, OD-105."""
    t = at_turn(seat("KS"), seat("3C", dance="5S"), seat("QH"))
    t.act(A, "use_k:KS:1:dance:5S")
    assert t.asked == (B, C)


def test_midway_follows_three_full_turns() -> None:
    """Section 11; OD-113: Fuyu places in turn 6; midway follows turn 9."""
    t = at_turn(
        seat(song="cc001*"), seat(song="cc001*"), seat("cc001"), active=C, number=6, actions=1
    )
    t.act(C, "place_character:cc001:song").close()
    turns = 6
    while t.state.half == 1:
        if t.window is not None:
            t.close()
        elif isinstance(t.state.stage, s.Turn):
            turns = t.state.stage.number
            assert t.options(t.turn, "draw:resource")
            t.act(t.turn, "draw:resource").close()
        else:
            t.expire()
    assert turns == 9


def test_the_twentieth_card_ends_the_game() -> None:
    """Section 12; OD-124, OD-125."""
    t = at_turn(
        seat("4D", song="2H 3H 4H 5H 6H 7H 8H", dance="2S 3S 5S 6S 7S"),
        seat(song="2D 3D", dance="2C 3C 4C 6C 7C"),
        half=2,
    )
    t.act(A, "place_resource:4D")
    assert t.view(None).phase == "over"


def test_the_worked_board() -> None:
    """Section 13; OD-132 to OD-146."""
    t = at_turn(
        seat("JH", song="9D cc001*", dance="8S 2C cc008"),
        seat("5S", song="3H 8H", dance="4C cc004*"),
        active=B,
        number=4,
        midway_due=4,
    )
    t.act(B, "end_turn").close()
    tallied = t.told(e.Tallied)
    assert [[(term.character, term.vp) for term in event.terms] for event in tallied] == [
        [("cc001", 3), ("cc001", 1), ("cc001", -1), ("cc008", 1), ("cc008", 2), ("cc008", -4)],
        [("cc004", 4), ("cc004", -1)],
    ]
    assert [event.total for event in tallied] == [2, 3]
