"""Random valid user-made books of enbu, and how a book is put into a payload by hand."""

from __future__ import annotations

import unicodedata
import zlib
from collections import Counter

from attrs import evolve
from hypothesis import strategies as st
from kaguraden_rules.enbu.book import Book, Family, Goal, Group
from kaguraden_rules.enbu.books import CATALOGUE, check_book, total, write_book
from kaguraden_rules.enbu.payload import base32, made_id

ORDINARY = tuple(card for card in CATALOGUE.cards.values() if card.group is not Group.WILD)


def code_of(payload: bytes) -> str:
    """Return the code of any payload, also of one that no program would write."""
    return "ENBU1-" + base32(payload + zlib.crc32(payload).to_bytes(4, "big"))


def is_name(text: str) -> bool:
    """Whether a text may be the name of a book, said in other words than the code's (EN-97)."""
    return (
        0 < len(text) < 17
        and len(text.encode()) < 49
        and unicodedata.normalize("NFC", text) == text
        and not text[0].isspace()
        and not text[-1].isspace()
        and '"' not in text
        and "\\" not in text
    )


names = st.text(
    st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"]), min_size=1, max_size=16
).filter(is_name)


@st.composite
def made_books(draw: st.DrawFn) -> Book:
    """Draw a valid user-made book (EN-99), with the id that its contents give it (EN-104)."""
    chosen = draw(
        st.lists(st.sampled_from(list(CATALOGUE.programs)), min_size=1, max_size=24, unique=True)
    )
    split = draw(st.integers(0, len(chosen)))
    wanted = Counter(card for p in chosen for card in CATALOGUE.programs[p].cards)
    drop, reshuffle, wild = draw(st.booleans()), draw(st.booleans()), draw(st.booleans())
    goal = draw(st.sampled_from(Goal))
    copies: dict[str, int] = {}
    for card in ORDINARY:
        # a card that no program requires is allowed (W-UNUSED)
        copies[card.id] = draw(st.integers(1 if wanted[card.id] else 0, card.box))
    short = sum(max(0, n - copies[card]) for card, n in wanted.items())
    if goal is Goal.ALL and short > 2 * wild:
        reshuffle = True  # else it is no valid book (E-SUPPLY)
    needed = max(len(CATALOGUE.programs[p].cards) for p in chosen)
    hand = draw(st.integers(0, 4))
    book = Book(
        id="",
        family=Family.YOROZU,
        name=draw(names),
        pages=draw(st.integers(1, min(6, len(chosen)))),
        stage=draw(st.integers(max(1, needed - hand), 6)),
        hand=hand,
        drop=drop,
        reshuffle=reshuffle,
        wild=wild,
        goal=goal,
        pass_mark=None,
        cards=tuple((card.id, copies[card.id]) for card in ORDINARY if copies[card.id]),
        first=tuple(chosen[:split]),
        rest=tuple(p for p in CATALOGUE.programs if p in chosen[split:]),
    )
    if goal is Goal.PASS:
        book = evolve(book, pass_mark=draw(st.integers(1, total(book))))
    book = evolve(book, id=made_id(book))
    assert check_book(write_book(book).encode())[1] == ()
    return book
