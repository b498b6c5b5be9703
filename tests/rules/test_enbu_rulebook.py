"""The players' rulebook of enbu says in both languages what the rules and the data say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from kaguraden_rules.enbu.books import BOOKS, CATALOGUE, total
from kaguraden_rules.enbu.catalog import rulebook
from wcwidth import wcswidth

TEXTS = {"ja": rulebook("ja"), "en": rulebook("en")}
SPECIFICATION = Path(__file__).parents[2].joinpath("rules/docs/enbu.md").read_text("utf-8")
LANGUAGES = pytest.mark.parametrize("language", ["ja", "en"])

# It goes over the wire in one message with the cards, the programs and the books.
MOST_CHARACTERS = 14_500
MOST_BYTES = 19_500


def sections(language: str) -> dict[int, str]:
    """Return the text of each section by its number."""
    parts = re.split(r"^## (\d+)\. ", TEXTS[language], flags=re.MULTILINE)[1:]
    return {int(number): text for number, text in zip(parts[::2], parts[1::2], strict=True)}


def last_line(text: str) -> str:
    return text.rstrip().splitlines()[-1]


def cited(text: str) -> list[tuple[int, int]]:
    """Return the ranges of rule ids that a text cites, first and last."""
    found = re.findall(r"EN-(\d+)(?:(?: to |〜)EN-(\d+))?", text)
    return [(int(first), int(last or first)) for first, last in found]


def table(text: str) -> list[list[str]]:
    """Return the rows of the table of a section, its head left out."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


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
    assert len(tables) == 2
    for drawn in tables:
        assert len({wcswidth(row) for row in drawn.splitlines()}) == 1


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
        assert last_line(text).startswith({"ja": "規則：EN-", "en": "Rules: EN-"}[language])


@LANGUAGES
def test_cited_rules_exist_and_all_that_is_played_is_cited(language: str) -> None:
    """EN-112 to EN-123 are for tests, EN-70 to EN-73 and EN-92 to EN-93 for programs."""
    known = {int(number) for number in re.findall(r"^- \*\*EN-(\d+)\*\*", SPECIFICATION, re.M)}
    ranges = [pair for text in sections(language).values() for pair in cited(last_line(text))]
    assert {end for pair in cited(TEXTS[language]) for end in pair} <= known
    assert all(first <= last for first, last in ranges)
    told = {number for first, last in ranges for number in range(first, last + 1)}
    assert set(range(1, 112)) - told == {70, 71, 72, 73, 90, 92, 93}


@LANGUAGES
def test_the_books_are_listed_as_they_are(language: str) -> None:
    """EN-109."""
    goals = {"ja": ("全演目", "{}点"), "en": ("all", "pass {}")}[language]
    assert table(sections(language)[15]) == [
        [
            book.id,
            book.name,
            f"{book.pages}/{book.stage}/{book.hand}",
            str(len(book.programs)),
            str(len(book.deck)),
            str(total(book)),
            goals[0] if book.pass_mark is None else goals[1].format(book.pass_mark),
        ]
        for book in BOOKS.values()
    ]


def test_the_programs_are_listed_as_they_are() -> None:
    """EN-108."""
    programs = CATALOGUE.programs.values()
    cards = CATALOGUE.cards
    assert table(sections("en")[16]) == [
        [p.name, ", ".join(cards[card].gloss for card in p.cards), str(p.points)] for p in programs
    ]
    assert table(sections("ja")[16]) == [
        [p.name, "・".join(cards[card].name for card in p.cards), str(p.points)] for p in programs
    ]


@LANGUAGES
def test_numbers_in_the_text_are_those_of_the_examples(language: str) -> None:
    """The book of the examples: kenen, and the third grade with its 6 points."""
    text = sections(language)
    points = {"ja": "2点", "en": "2 points"}[language]
    assert CATALOGUE.programs["kenen"].points == 2
    assert points in text[2]
    assert total(BOOKS["kyu-3"]) == 6
    assert {"ja": "6点、全演目", "en": "6 points, all done"}[language] in text[6]
    assert CATALOGUE.programs[BOOKS["kyu-3"].first[0]].name in text[4]
