"""Decks without a screen: the draft, what is wrong with it, and the files it is kept in."""

from __future__ import annotations

import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaguraden_client.terminal.deck_files import (
    BadDeckFile,
    DeckFile,
    file_name,
    find_deck,
    format_deck,
    parse_deck,
    read_deck,
    saved_decks,
    write_deck,
)
from kaguraden_client.terminal.deck_rules import DeckRules
from kaguraden_client.terminal.decks import Desk, Draft, fault_text, faults, pool, verdict
from kaguraden_client.terminal.painters import Catalog, painter_for
from kaguraden_client.terminal.words import Lang
from kaguraden_rules.kernel import BadDeck

from .tables import CATALOG, GAME, context

Json = Any
CARDS = Catalog.of(CATALOG["cards"]).with_packs(CATALOG["packs"])
ODORIKO = painter_for("odoriko")
NINE = tuple(f"cc00{n}" for n in range(1, 10))
STARTER = (*NINE, "ev_yukidoke", "ev_akatsuki", "ev_kodama")


def rules(**options: Json) -> DeckRules:
    return ODORIKO.deck_rules(dict(GAME.format_options(GAME.parse_options(options))))


def told(cards: tuple[str, ...], lang: str = "en", **options: Json) -> list[str]:
    ctx = context(lang, catalog=CARDS)
    return [fault_text(fault, ctx) for fault in faults(cards, CARDS, rules(**options))]


# --- what is wrong ------------------------------------------------------------------------------


def test_the_cards_to_choose_from_are_those_of_the_packs() -> None:
    assert pool(CARDS)[:9] == NINE
    assert set(pool(CARDS)) == set(GAME.cards)
    assert "K" in CARDS.cards
    assert "K" not in pool(CARDS)


def test_what_is_wrong_is_told_in_plain_words() -> None:
    assert told(STARTER) == []
    assert told(NINE) == ["3 more cards are needed"]
    assert told((*STARTER, "ev_shimo")) == ["there is 1 card too many"]
    assert told((*STARTER[:11], "cc001")) == ["2 copies of ‹Il Ariel›; this table allows 1"]
    assert told((*STARTER[:11], "x\x1b[2Jy")) == ["‹x[2Jy› is no card of this server"]
    events = ("ev_yukidoke", "ev_akatsuki", "ev_kodama", "ev_shimo", "ev_geshi", "ev_momiji")
    assert told(events * 2) == ["at least one character is needed"]
    assert told(events * 2, "ja") == ["キャラクターが1枚以上必要です"]


def test_the_options_of_the_room_decide() -> None:
    second = ("cc001", "cc002", "cc004")
    assert told((*NINE, *second), events="none") == []
    assert told(STARTER, events="none") == [
        f"‹{name}› cannot be played at this table: no events"
        for name in ("Drops of Thaw", "Dawn Bell", "Valley Echo")
    ]
    assert told((*NINE, "ev_shimo", "ev_shimo", "ev_shimo"), max_copies_event=3) == []
    assert told(("cc001",) * 12, max_copies_character=12) == []


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "events": st.sampled_from(["house", "none"]),
        "max_copies_character": st.integers(1, 12),
        "max_copies_event": st.integers(1, 12),
    },
)


@given(
    deck=st.lists(st.sampled_from([*GAME.cards, "K", "nothing"]), min_size=1, max_size=14)
    | st.permutations(STARTER).map(lambda cards: cards[:11]).flatmap(
        lambda cards: st.sampled_from([*GAME.cards]).map(lambda card: [*cards, card])
    ),
    options=OPTIONS,
)  # fmt: skip
def test_a_deck_is_legal_here_exactly_if_the_rules_take_it(
    deck: list[Any], options: dict[str, Json]
) -> None:
    parsed = GAME.parse_options(options)
    try:
        GAME.check_deck(parsed, deck)
        legal = True
    except BadDeck:
        legal = False
    assert (not faults(deck, CARDS, rules(**options))) is legal


def test_a_game_never_heard_of_has_the_limits_that_its_options_name() -> None:
    known = painter_for("another game").deck_rules({"max_copies_ghost": 3, "max_copies_x": "no"})
    assert known == DeckRules(copies={"ghost": 3})
    assert faults(["a"] * 99, Catalog.of({}), DeckRules())[0].key == "deck.fault.unknown"


# --- the draft ------------------------------------------------------------------------------------


def test_a_draft_takes_no_more_than_is_legal() -> None:
    draft = Draft()
    for card in STARTER:
        draft, fault = draft.more(card, CARDS.cards[card].kind, rules())
        assert fault is None
    assert draft.cards == STARTER
    ctx = context("en", catalog=CARDS)
    for card, kind, why in (
        ("cc001", "character", "no more than one ‹Il Ariel›"),
        ("ev_shimo", "event", "there are 12 cards already"),
    ):
        same, fault = draft.more(card, kind, rules())
        assert same == draft
        assert fault is not None
        assert fault_text(fault, ctx) == why
    fewer = draft.fewer("cc004")
    assert (fewer.count("cc004"), len(fewer.cards)) == (0, 11)
    assert fewer.fewer("cc004") == fewer
    mixed = Draft(("ev_kodama", "zz", "cc002", "cc001"))
    assert mixed.sorted_by(pool(CARDS)) == ("cc001", "cc002", "ev_kodama", "zz")
    assert verdict([], ctx) == "This deck can be played: Enter takes it."


def test_a_deck_is_brought_to_each_room_of_its_game_once() -> None:
    desk = Desk(bring=Draft(STARTER, "Winter"), bring_game="odoriko")
    assert desk.takes_along("A", "enbu") is None
    assert desk.takes_along("A", "odoriko") == desk.bring
    assert desk.takes_along("A", "odoriko") is None
    assert desk.takes_along("B", "odoriko") == desk.bring


def test_what_the_server_refuses_leaves_the_deck_that_it_took() -> None:
    desk = Desk()
    desk.sent["A"] = Draft(STARTER, "Winter")
    assert desk.accepted("A") == Draft(STARTER, "Winter")
    desk.sent["A"] = Draft(("cc001",))
    desk.refused("A", ["cards too few"])
    assert desk.problems == ("cards too few",)
    assert desk.draft("A").name == "Winter"
    desk.sent["A"] = Draft()
    assert desk.accepted("A") is None
    assert desk.taken == {}


# --- files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("Winter", "Winter"),
        ("  冬の夜 ", "冬の夜"),
        ("../../etc/passwd", "-..-etc-passwd"),
        ("a/b\\c:d*e?f", "a-b-c-d-e-f"),
        ("con", "_con"),
        ("LPT1.old", "_LPT1.old"),
        ("\x1b[2Jx\u202e", "[2Jx"),
        ("x" * 99, "x" * 40),
    ],
)
def test_the_name_of_a_deck_becomes_the_name_of_a_file(name: str, stem: str) -> None:
    assert file_name(name) == stem


@pytest.mark.parametrize("name", ["", "  ", "..", "///", "\x00"])
def test_a_name_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(BadDeckFile) as caught:
        file_name(name)
    assert "cannot be the name of a deck" in caught.value.text(Lang.EN)


def test_a_deck_is_saved_and_found_again(tmp_path: Path) -> None:
    folder = tmp_path / "decks"
    path = write_deck("冬/夜", STARTER, "odoriko", folder)
    assert path.name == "冬-夜.toml"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert tomllib.loads(path.read_text("utf-8"))["cards"] == list(STARTER)
    assert read_deck(path, "odoriko") == DeckFile(STARTER, "冬/夜", "odoriko")
    write_deck("冬/夜", NINE, "odoriko", folder)
    assert read_deck(path).cards == NINE
    assert saved_decks(folder) == ["冬-夜"]
    assert [p.name for p in folder.iterdir()] == ["冬-夜.toml"]
    for what in ("冬/夜", "冬-夜", "冬-夜.toml", str(path)):
        assert find_deck(what, folder) == path


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(cards=st.lists(TEXT.filter(bool), min_size=1, max_size=20), name=TEXT, game=TEXT)
def test_what_is_written_is_read(cards: list[str], name: str, game: str) -> None:
    text = format_deck(DeckFile(tuple(cards), name, game))
    raw = tomllib.loads(text)
    assert raw["cards"] == cards
    assert (raw.get("name", ""), raw.get("game", "")) == (name, game)
    assert parse_deck(text, "x").cards == tuple(cards)


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("cards = [", "{path} is no TOML: "),
        ("", '{path} has no cards = ["…", …]'),
        ('cards = "cc001"', "{path} has no cards = "),
        ('cards = ["cc001", 3]', "{path}: entry 2 of cards is not a card's id"),
        ("cards = []", "{path}: a deck has 1 to 200 cards, this one 0"),
        ('cards = ["a"]\nname = 3', "{path}: name must be text in quotes"),
        ('cards = ["a"]\ngame = "enbu"', "{path} is a deck for enbu, not for odoriko"),
        ("cards = [" * 4000, "{path} is no TOML: "),
        ("#" * 70_000, "{path} is too big for a deck"),
    ],
)
def test_a_file_that_makes_no_sense_says_what_is_wrong(
    tmp_path: Path, text: str, english: str
) -> None:
    path = tmp_path / "d.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(BadDeckFile) as caught:
        read_deck(path, "odoriko")
    assert caught.value.text(Lang.EN).startswith(english.format(path=path))
    assert str(path) in caught.value.text(Lang.JA)


def test_files_that_are_not_there_or_not_text_say_so(tmp_path: Path) -> None:
    with pytest.raises(BadDeckFile) as caught:
        find_deck("Winter", tmp_path)
    assert caught.value.text(Lang.EN) == "there is no deck “Winter”"
    write_deck("Summer", NINE, "odoriko", tmp_path)
    with pytest.raises(BadDeckFile) as caught:
        find_deck("Winter", tmp_path)
    assert caught.value.text(Lang.EN) == "there is no deck “Winter”; there are: Summer"
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(BadDeckFile) as caught:
        read_deck(tmp_path / "bad.toml")
    assert "is not text in UTF-8" in caught.value.text(Lang.EN)
    with pytest.raises(BadDeckFile) as caught:
        read_deck(tmp_path)
    assert "cannot be read" in caught.value.text(Lang.EN)
    (tmp_path / "decks").write_text("a file")
    with pytest.raises(BadDeckFile) as caught:
        write_deck("Winter", NINE, "odoriko", tmp_path / "decks")
    assert "cannot be written" in caught.value.text(Lang.EN)
