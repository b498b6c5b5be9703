"""The players' rulebook of yumeochi says in both languages what the rules say; its examples hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from kaguraden_rules.kernel import Json, SeatId
from kaguraden_rules.yumeochi.card import HOURS, Card, Role, TimeCard
from kaguraden_rules.yumeochi.catalog import rulebook
from kaguraden_rules.yumeochi.events import SkillsExchanged
from kaguraden_rules.yumeochi.options import Options
from kaguraden_rules.yumeochi.sets import BASE
from wcwidth import wcswidth

from tests.rules.yumeochi_positions import A, B, C, D, at_turn, seat

TEXTS = {"ja": rulebook("ja"), "en": rulebook("en")}
SPECIFICATION = Path(__file__).parents[2].joinpath("rules/docs/yumeochi.md").read_text("utf-8")
LANGUAGES = pytest.mark.parametrize("language", ["ja", "en"])
CARDS: tuple[Card, ...] = (*BASE.roles, *BASE.skills, *BASE.times)
ROLES, SKILLS, TIMES, OPTIONS = 15, 16, 17, 20  # the sections with lists

# It goes over the wire in one message with the cards.
MOST_CHARACTERS = 16_500
MOST_BYTES = 21_000


def sections(language: str) -> dict[int, str]:
    """Return the text of each section by its number."""
    parts = re.split(r"^## (\d+)\. ", TEXTS[language], flags=re.MULTILINE)[1:]
    return {int(number): text for number, text in zip(parts[::2], parts[1::2], strict=True)}


def last_line(text: str) -> str:
    return text.rstrip().splitlines()[-1]


def cited(text: str) -> list[tuple[int, int]]:
    """Return the ranges of rule ids that a text cites, first and last."""
    found = re.findall(r"YU-(\d+)(?:(?: to |〜)YU-(\d+))?", text)
    return [(int(first), int(last or first)) for first, last in found]


def name(card: Card, language: str) -> str:
    return card.name.ja if language == "ja" else card.name.en


def entry(card: Card, language: str) -> str:
    """Return what is said of a card in the section of its kind, its name left out."""
    number = {Role: ROLES, TimeCard: TIMES}.get(type(card), SKILLS)
    front = f"- **{name(card, language)}**"
    found = re.search(
        rf"^{re.escape(front)}(.*?)(?=^- |^$)", sections(language)[number], re.M | re.S
    )
    assert found, (card.id, language)
    return found[1]


# --- the text ------------------------------------------------------------------------------------


@LANGUAGES
def test_the_book_keeps_its_bounds(language: str) -> None:
    text = TEXTS[language]
    assert len(text) <= MOST_CHARACTERS
    assert len(text.encode()) <= MOST_BYTES
    for line in text.splitlines():
        assert wcswidth(line) <= (76 if line.startswith("|") else 100), line
        assert line == line.rstrip(), line


@LANGUAGES
def test_tables_are_drawn_straight(language: str) -> None:
    tables = re.findall(r"(?:^\|.*\n)+", TEXTS[language], re.MULTILINE)
    assert len(tables) == 1
    assert len({wcswidth(row) for row in tables[0].splitlines()}) == 1


def test_the_languages_have_the_same_sections_about_the_same_rules() -> None:
    ja, en = sections("ja"), sections("en")
    assert list(ja) == list(en) == list(range(1, len(en) + 1))
    for number in en:
        assert cited(last_line(ja[number])) == cited(last_line(en[number])), number
        for mark in ("^- ", r"^\d+\. ", r"^\|"):
            marks = [len(re.findall(mark, text[number], re.MULTILINE)) for text in (ja, en)]
            assert marks[0] == marks[1], (number, mark)
        examples = [text[number].count(word) for text, word in ((ja, "\n例"), (en, "\nExample"))]
        assert examples[0] == examples[1], number


@LANGUAGES
def test_every_section_ends_with_its_rules(language: str) -> None:
    for text in sections(language).values():
        assert last_line(text).startswith({"ja": "規則：YU-", "en": "Rules: YU-"}[language])


@LANGUAGES
def test_cited_rules_exist_and_all_that_is_played_is_cited(language: str) -> None:
    """YU-105 to YU-112 are for programs."""
    known = {int(number) for number in re.findall(r"^- \*\*YU-(\d+)\*\*", SPECIFICATION, re.M)}
    ranges = [pair for text in sections(language).values() for pair in cited(last_line(text))]
    assert {end for pair in cited(TEXTS[language]) for end in pair} <= known
    assert all(first <= last for first, last in ranges)
    told = {number for first, last in ranges for number in range(first, last + 1)}
    assert set(range(1, 105)) == told


@LANGUAGES
def test_the_summary_has_every_action(language: str) -> None:
    """YU-12: what the back of a role card says."""
    rows = re.findall(r"^\| (.+?) +\|", sections(language)[5], re.MULTILINE)
    actions = {
        "ja": [
            "オープン",
            "つかう",
            "マーカーを取る",
            "わたす",
            "同意交換",
            "追加アクション",
            "パス",
        ],
        "en": ["Open", "Use", "Take the marker", "Give", "Exchange", "Additional", "Pass"],
    }
    assert rows[1:] == actions[language]


# --- the cards -----------------------------------------------------------------------------------


@LANGUAGES
def test_every_card_is_listed_once_in_the_order_of_its_set(language: str) -> None:
    """YU-89."""
    for number, cards in ((ROLES, BASE.roles), (SKILLS, BASE.skills), (TIMES, BASE.times)):
        listed = re.findall(r"^- \*\*([^*]+)\*\*", sections(language)[number], re.MULTILINE)
        assert listed == [name(card, language) for card in cards]


@LANGUAGES
def test_stars_and_kinds_are_those_of_the_cards(language: str) -> None:
    """YU-51 to YU-54, YU-82, YU-89; every item says its stars, others where they have some."""
    kinds = {
        "ja": {"event": "イベント", "event_stock": "イベント・ストック", "item": "アイテム"},
        "en": {"event": "event", "event_stock": "event-stock", "item": "item"},
    }[language]
    for card in CARDS:
        brackets = re.match(r" ?[(（](.*?)[)）]", entry(card, language))
        told = re.split(r"[,、] ?", brackets[1]) if brackets else []
        is_time = isinstance(card, TimeCard)
        kind = [kinds[card.time_kind.value]] if isinstance(card, TimeCard) else []
        shows_stars = card.stars or (is_time and kind == [kinds["item"]])
        assert told == kind + ([f"☆{card.stars}"] if shows_stars else []), card.id


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_numbers_of_a_card_are_those_of_its_data(card: Card) -> None:
    """Hours from the first to the last, lives, damage; YU-58 adds that of the skills' hour."""
    in_data = set(_numbers(card.plain))
    for language in TEXTS:
        text = re.sub(r"☆\d", "", entry(card, language))
        told = {int(number) for number in re.findall(r"\d+", text)}
        counted = {2} if card.id == "rabbit_figurine" and language == "ja" else set()
        counted |= {1} if language == "ja" else set()  # "1人", "1枚": counters, not contents
        assert told - counted == in_data - counted, language


def _numbers(value: Json | object) -> Iterator[int]:
    """Return the numbers that a player has to know of a card's table."""
    match value:
        case {"test": "uses"}:
            return  # "once", "twice"
        case dict():
            for key, entry in value.items():
                if key in ("hours", "in") and isinstance(entry, list):
                    yield from _hours([hour for hour in entry if isinstance(hour, int)])
                elif key == "n" and isinstance(entry, int):
                    yield entry
                elif key not in ("stars", "version"):
                    yield from _numbers(entry)
        case list() | tuple():
            for entry in value:
                yield from _numbers(entry)
        case _:
            return


def _hours(hours: list[int]) -> Iterator[int]:
    """Return how hours are told: a span by its ends, few ones each, the rest of the clock not."""
    if hours == list(range(hours[0], hours[-1] + 1)):
        yield from {hours[0], hours[-1]}
    elif len(hours) <= 3:
        yield from hours


@LANGUAGES
def test_numbers_of_the_game_are_told(language: str) -> None:
    """YU-4, YU-6, YU-7, YU-20."""
    text = sections(language)
    words = {
        "ja": ("チップ5個", "スキルカード**（16章）は6枚", "タイムカード**（17章）は12枚"),
        "en": ("5 chips each", "(section 16): six", "(section 17): twelve"),
    }[language]
    assert all(word in text[2] for word in words)
    assert (len(BASE.skills), len(BASE.times), len(HOURS)) == (6, 12, 12)
    assert sum(role.is_base for role in BASE.roles) == 4


@LANGUAGES
def test_every_option_and_its_values_are_explained(language: str) -> None:
    """§16: number options with their usual value, the others with every value, it first."""
    text = sections(language)[OPTIONS]
    assert f"`set`{'：' if language == 'ja' else ': '}`{BASE.id}`" in text
    assert "`roles`" in text
    for option in attrs.fields(Options):
        if not option.metadata:
            continue
        assert f"`{option.name}`" in text
        after = re.split(r"`\w+`|\n- ", text.partition(f"`{option.name}`")[2])[0]
        if "range" in option.metadata:
            assert after.startswith(f" {option.default}"), option.name
            continue
        values = option.metadata.get("values", ("false", "true"))
        told = re.findall(r"[a-z_]+|\d+", re.sub(r"[(（].*?[)）]", "", after, flags=re.DOTALL))
        assert told[: len(values)] == list(map(str, values)), option.name


# --- the examples: Aki, Natsu, Fuyu and Haru are A, B, C and D ------------------------------------


def test_the_marker_decides_who_begins_the_next_hour() -> None:
    """Section 4; YU-23 to YU-25, S-1."""
    t = at_turn(hour=3, clock={3: "midnight_party"})
    t.act(A, "open").act(B, "take").passes(C).act(D, "take")
    assert (t.hour, t.state.order) == (4, (D, A, B, C))


@pytest.mark.parametrize(
    ("hour", "lives"), [(3, [4, 5, 5, 5]), (7, [4, 4, 4, 4]), (10, [5, 4, 5, 4])]
)
def test_the_crows_by_the_hour(hour: int, lives: list[int]) -> None:
    """Section 6; YU-49, S-13."""
    t = at_turn(seat(), seat(up=True), seat(), seat(up=True), hour=hour, clock={hour: "crow_flock"})
    assert t.act(A, "open").lives() == lives


def test_a_skill_is_shown_once_and_used_every_hour() -> None:
    """Section 7; YU-33, YU-34, S-9."""
    t = at_turn(seat("night_raven", "lullaby"))
    t.act(A, "use:lullaby:1")
    assert "skill_revealed" in t.kinds()
    t.passes(B, C, D).act(A, "use:lullaby:1")
    assert "skill_revealed" not in t.kinds()


def test_a_clock_that_is_given_away_rings_elsewhere() -> None:
    """Section 9; YU-39, YU-40, S-12."""
    t = at_turn(seat(items="alarm_clock"), hour=5)
    t.act(A, "give:alarm_clock:2").passes(B, C, D)
    assert (t.hour, t.lives()) == (6, [5, 5, 3, 5])


def test_only_the_two_see_what_was_exchanged() -> None:
    """Section 9; YU-43, S-10."""
    t = at_turn(seat(), seat(skills="keyhole"), seat(), seat(skills="lullaby*"), turn=B)
    t.act(B, "exchange:3:keyhole").act(D, "agree:lullaby")
    seen = [t.told(SkillsExchanged, viewer)[0] for viewer in (A, C, D)]
    assert [event.target_gave for event in seen] == ["lullaby"] * 3
    assert [event.seat_card for event in seen] == [None, None, "keyhole"]


def test_the_mirror_kills_its_opener() -> None:
    """Section 11; YU-63, YU-68, YU-71, S-3."""
    t = at_turn(seat(life=2), hour=5, clock={5: "cracked_mirror"}).act(A, "open")
    assert (t.seat(A).alive, t.seat(A).stock) == (False, ())
    assert (t.start, t.origin, t.state.discards) == (B, B, ("cracked_mirror",))
    for who in (B, C, D):
        assert t.asked == (who,)
        t.passes(who)
    assert (t.hour, t.asked) == (6, (B,))


def test_the_gentleman_wins_at_the_stroke() -> None:
    """Section 12; YU-82, S-18."""
    t = at_turn(seat("gentleman", life=3), hour=11, start=B, origin=B)
    t.passes(B, C, D).act(A, "take")
    assert (t.hour, t.result.result, t.result.winners) == (12, "first", (A,))


@pytest.mark.parametrize(("origin", "result"), [(C, ("origin", (C,))), (D, ("dream", ()))])
def test_a_tie_and_a_dream(origin: SeatId, result: tuple[str, tuple[SeatId, ...]]) -> None:
    """Section 13; YU-85 to YU-87, S-21, S-23."""
    t = at_turn(
        seat("gentleman"), seat(items="stopped_watch"), seat(stock="moon_shadow"), seat(),
        hour=12, start=origin, origin=origin, options=Options(BASE, replay="off"),
    )  # fmt: skip
    for _ in range(4):
        t.passes(*t.asked)
    assert (t.result.result, t.result.winners) == result
    assert [count.cards for count in t.result.counts[1:3]] == [3, 3]


def test_the_rabbit_brings_two_more_skills() -> None:
    """Section 17; YU-57 to YU-60, S-15."""
    t = at_turn(seat(), seat(skills="lullaby", items="rabbit_figurine"), turn=B, hour=7)
    t.act(B, "use:rabbit_figurine")
    assert (len(t.seat(B).skills), t.view(B).seats[B].stars) == (3, 0)
    gained = {held.card for held in t.seat(B).skills} - {"lullaby"}
    assert set(t.view(B).you.locked) == gained
    t.passes(C, D, A)
    assert (t.hour, t.view(B).you.locked) == (8, ())
