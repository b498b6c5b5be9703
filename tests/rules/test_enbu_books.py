"""The catalogue and the books of enbu, and how books are read, checked and written."""

from __future__ import annotations

from importlib import resources

import pytest
from kaguraden_rules.enbu.book import WILDS, Family, Goal, Group, Program
from kaguraden_rules.enbu.books import BOOKS, CATALOGUE, bound, digest, read_book, total, write_book
from kaguraden_rules.enbu.cards import points_of
from kaguraden_rules.enbu.payload import made_id

# EN-109: id, name, pages/stage/hand, extra rules, first, rest, deck, bound, total, pass mark
TABLE = """
kyu-3|級位認定 三級|1/3/1|off|1|2 3|6|6|6|
kyu-2|級位認定 二級|2/3/1|off|4|1 5 6 7|10|10|10|
kyu-1|級位認定 一級|2/4/1|off|11|2 6 12 13 14 31|15|15|24|
kamiari-1|神在演目帖 翼の巻|2/4/1|on|11|1 9 17 19 22 23 24 25|13|29|30|
kamiari-2|神在演目帖 干支の巻|2/4/1|on|2|1 3 4 5 6 7 8 9 10|13|31|20|
kamiari-3|神在演目帖 月兎の巻|2/4/1|on|19|7 8 11 14 18 20 21 24 33|13|32|33|
kamiari-4|神在演目帖 狐狸の巻|2/4/1|on|27|5 8 12 13 15 16 30 32 35|13|34|39|
kamiari-5|神在演目帖 瑞獣の巻|2/4/1|on|3|4 10 11 15 17 18 28 29 31 36|15|38|44|
kamiari-6|神在演目帖 百獣の巻|3/5/1|on|13|1 2 5 20 22 23 26 31 32 33 34 35|22|52|59|
dan-1|段位認定 初段|2/4/1|on||1 2 3 5 6 11 12 13 14 31|20|39|30|20
dan-2|段位認定 二段|2/4/1|on||7 8 16 17 19 20 23 26 27 33 34|19|41|40|31
dan-3|段位認定 三段|2/4/1|on||4 10 15 18 21 24 25 28 30 31 32 35|21|47|50|36
dan-4|段位認定 四段|3/4/1|on||2 6 9 11 12 22 23 28 29 32 33 34 35 36|25|58|68|48
dan-5|段位認定 五段|3/4/2|on||3 7 16 19 21 24 25 27 28 30 31 32 33 34 35 36|27|65|78|64
""".strip().splitlines()


def own_text(book_id: str) -> str:
    folder = resources.files("kaguraden_rules.enbu").joinpath("packs", "books")
    return folder.joinpath(f"{book_id}.toml").read_text("utf-8")


# --- the catalogue ---------------------------------------------------------------------------------


def test_the_catalogue_has_32_cards_and_36_programs_numbered_in_order() -> None:
    """EN-94, EN-106, EN-108."""
    assert [card.no for card in CATALOGUE.cards.values()] == list(range(1, 33))
    assert [program.no for program in CATALOGUE.programs.values()] == list(range(1, 37))
    assert all(card.id == key for key, card in CATALOGUE.cards.items())
    assert all(program.id == key for key, program in CATALOGUE.programs.items())
    assert not CATALOGUE.cards.keys() & CATALOGUE.programs.keys()  # the catalog has both in one map


def test_a_box_holds_74_cards() -> None:
    """EN-106: three of each zodiac card, two of the others, one of each wild (EN-58)."""
    boxes = {Group.ZODIAC: 3, Group.OTHER: 2, Group.WILD: 1}
    assert all(card.box == boxes[card.group] for card in CATALOGUE.cards.values())
    assert sum(card.box for card in CATALOGUE.cards.values()) == 74
    assert tuple(c.id for c in CATALOGUE.cards.values() if c.group is Group.WILD) == WILDS


def test_a_glyph_is_one_character_and_names_one_card() -> None:
    """EN-106."""
    glyphs = [card.glyph for card in CATALOGUE.cards.values()]
    assert all(len(glyph) == 1 for glyph in glyphs)
    assert len(set(glyphs)) == len(glyphs)


@pytest.mark.parametrize("program", CATALOGUE.programs.values(), ids=lambda program: program.id)
def test_points_follow_from_the_required_cards(program: Program) -> None:
    """EN-107."""
    assert program.points == points_of(program.cards, CATALOGUE.cards)


# --- the fourteen books ----------------------------------------------------------------------------


def test_the_books_come_in_the_order_of_the_table() -> None:
    """EN-109."""
    assert list(BOOKS) == [row.split("|")[0] for row in TABLE]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.split("|")[0])
def test_a_book_is_as_the_table_says(row: str) -> None:
    """EN-109, with the bound of EN-68 and the extra rules all on or all off (EN-47, EN-49)."""
    id_, name, sizes, extra, first, rest, deck, most, points, mark = row.split("|")
    book = BOOKS[id_]
    by_no = {entry.no: entry.id for entry in CATALOGUE.programs.values()}
    assert book.name == name
    assert f"{book.pages}/{book.stage}/{book.hand}" == sizes
    assert {book.drop, book.reshuffle, book.wild} == {extra == "on"}
    assert book.first == tuple(by_no[int(no)] for no in first.split())
    assert book.rest == tuple(by_no[int(no)] for no in rest.split())
    assert (len(book.deck), bound(book), total(book)) == (int(deck), int(most), int(points))
    assert book.family == Family(id_.split("-")[0])
    assert (book.goal, book.pass_mark) == (
        (Goal.PASS, int(mark)) if mark else (Goal.ALL, None)  # EN-63, EN-64
    )


def test_a_book_has_one_copy_of_each_required_card_except_in_the_second_grade() -> None:
    """EN-109."""
    for book in BOOKS.values():
        required = {card for p in book.programs for card in CATALOGUE.programs[p].cards}
        doubled = {"ushi", "uma"} if book.id == "kyu-2" else set()
        assert dict(book.cards) == {card: 1 + (card in doubled) for card in required}


@pytest.mark.parametrize("book_id", BOOKS)
def test_the_file_of_a_book_is_canonical(book_id: str) -> None:
    """EN-95, EN-96: the file is what is written for the book, and reads as the book again."""
    text = own_text(book_id)
    assert write_book(BOOKS[book_id]) == text
    assert read_book(text.encode()) == BOOKS[book_id]


def test_digest_and_id_of_the_third_grade() -> None:
    """EN-104, EN-105."""
    book = BOOKS["kyu-3"]
    assert digest(book).startswith("688f634f")
    assert digest(book).endswith("ff3b981ad")
    assert made_id(book) == "u-d27p6kxr"
