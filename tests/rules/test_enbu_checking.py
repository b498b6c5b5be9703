"""What is said about books and catalogues of enbu that are not right (EN-94, EN-95, EN-97)."""

from __future__ import annotations

import re
import time
import unicodedata
from importlib import resources

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from kaguraden_rules.enbu.added import check_books, is_book
from kaguraden_rules.enbu.book import Book, Card, Catalogue, Group, Program
from kaguraden_rules.enbu.books import BOOKS, CATALOGUE, BadBook, check_book, read_book, write_book
from kaguraden_rules.enbu.cards import read_catalogue
from kaguraden_rules.enbu.payload import made_id
from kaguraden_rules.kernel import CardId
from kaguraden_rules.reports import MAX_LINES

from tests.rules.enbu_made_books import is_name, made_books

KYU_3 = write_book(BOOKS["kyu-3"])
KYU_2 = write_book(BOOKS["kyu-2"])
DAN_1 = write_book(BOOKS["dan-1"])


def found(text: str, catalogue: Catalogue = CATALOGUE) -> list[tuple[str, str]]:
    """Return code and path of every fault and warning; both languages say something of each."""
    book, faults, warnings = check_book(text.encode(), catalogue)
    assert (book is None) == bool(faults)
    for fault in (*faults, *warnings):
        assert fault.en.isprintable()
        assert fault.ja.isprintable()
        assert re.search(r"[ぁ-んァ-ン一-龯]", fault.ja), fault
    assert all(fault.code.startswith("E-") for fault in faults)
    assert all(fault.code.startswith("W-") for fault in warnings)
    return [(fault.code, fault.path) for fault in (*faults, *warnings)]


def swap(text: str, *pairs: tuple[str, str]) -> str:
    for old, new in pairs:
        assert text.count(old) >= 1, old
        text = text.replace(old, new, 1)
    return text


# --- the scenario W26 ------------------------------------------------------------------------------


def test_a_card_that_two_programs_want_and_only_one_can_have() -> None:
    """E-SUPPLY, W26."""
    text = swap(KYU_2, ("ushi = 2", "ushi = 1"))
    assert found(text) == [("E-SUPPLY", "cards")]
    (fault,) = check_book(text.encode())[1]
    assert "ushi 1" in fault.en
    assert "牛 1" in fault.ja


def test_a_program_whose_card_is_not_listed() -> None:
    """E-NEED, W26."""
    assert found(swap(KYU_3, ("tora = 1\n", ""))) == [("E-NEED", "programs.rest[1]")]


def test_wilds_do_not_excuse_a_card_that_is_not_listed() -> None:
    """E-NEED."""
    text = swap(KYU_3, ("tora = 1\n", ""), ("wild = false", "wild = true"))
    assert found(text) == [("E-NEED", "programs.rest[1]")]


def test_a_program_that_wants_more_cards_than_can_be_seen() -> None:
    """E-REACH, W26: stage 1 and hand 1 with kokkuri, which requires three cards."""
    text = swap(
        KYU_3,
        ("stage = 3", "stage = 1"),
        ('["kenen", "ryuko"]', '["kenen", "ryuko", "kokkuri"]'),
        ("inu = 1", "inu = 2\nkitsune = 1\ntanuki = 1"),
    )
    assert found(text) == [("E-REACH", "programs.rest[2]")]


def test_a_pass_mark_above_the_total() -> None:
    """E-GOAL, W26."""
    assert found(swap(DAN_1, ("pass = 20", "pass = 31"))) == [("E-GOAL", "goal.pass")]
    assert found(swap(DAN_1, ("pass = 20", "pass = 30"))) == []


def test_several_faults_of_a_file_are_told_together() -> None:
    """EN-97, W26: in the order of the file."""
    text = swap(
        KYU_3,
        ("schema = 1", "schema = 2"),
        ('id = "kyu-3"', 'id = "Kyu 3"'),
        ('"級位認定 三級"', '" "'),
        ("pages = 1", "pages = 4"),
        ("hand = 1", "hand = 5"),
        ("drop = false", 'drop = "no"'),
        ('kind = "all"', 'kind = "any"'),
        ("ushi = 1", "usi = 1"),
        ("tora = 1", "tora = 4"),
        ('"ryuko"]', '"ryuuko", "kenen"]'),
    )
    assert found(text) == [
        ("E-SCHEMA", "schema"),
        ("E-ID", "id"),
        ("E-NAME", "name"),
        ("E-SIZE", "table.hand"),
        ("E-KEY", "extra.drop"),
        ("E-GOAL", "goal.kind"),
        ("E-CARD", "cards.usi"),
        ("E-COPIES", "cards.tora"),
        ("E-NEED", "programs.first[0]"),
        ("E-PROG", "programs.rest[1]"),
        ("E-DUP", "programs.rest[2]"),
    ]


# --- one code after another --------------------------------------------------------------------------

ONE_FAULT = [
    # schema and keys
    (("schema = 1\n", ""), "E-SCHEMA", "schema"),
    (("schema = 1", "schema = true"), "E-SCHEMA", "schema"),
    (("schema = 1", "schema = 1.0"), "E-SCHEMA", "schema"),
    (("schema = 1", 'schema = 1\nauthor = "me"'), "E-KEY", "author"),
    (("[goal]", "[goal]\nmark = 3"), "E-KEY", "goal.mark"),
    (('kind = "all"\n', ""), "E-KEY", "goal.kind"),
    (('kind = "all"', "kind = 1"), "E-KEY", "goal.kind"),
    (('family = "kyu"\n', ""), "E-KEY", "family"),
    (('family = "kyu"', 'family = "kyuu"'), "E-KEY", "family"),
    (("pages = 1", "pages = true"), "E-KEY", "table.pages"),
    (("pages = 1", "pages = 1.0"), "E-KEY", "table.pages"),
    (("pages = 1", "pages = nan"), "E-KEY", "table.pages"),
    (("pages = 1", "pages = 2025-01-01"), "E-KEY", "table.pages"),
    (("wild = false", "wild = 0"), "E-KEY", "extra.wild"),
    (("reshuffle = false\n", ""), "E-KEY", "extra.reshuffle"),
    (("ushi = 1", 'ushi = "1"'), "E-KEY", "cards.ushi"),
    (("ushi = 1", "ushi.copies = 1"), "E-KEY", "cards.ushi"),
    (("[programs]", "[programs]\nlast = []"), "E-KEY", "programs.last"),
    (('rest = ["kenen", "ryuko"]', 'rest = ["kenen", "ryuko", 3]'), "E-KEY", "programs.rest[2]"),
    (('rest = ["kenen", "ryuko"]', 'rest = "kenen"'), "E-KEY", "programs.rest"),
    # id and name
    (('id = "kyu-3"', 'id = ""'), "E-ID", "id"),
    (('id = "kyu-3"', f'id = "{"a" * 25}"'), "E-ID", "id"),
    (('id = "kyu-3"', 'id = "kyu_3"'), "E-ID", "id"),
    (('id = "kyu-3"', 'id = "kyu-3\\n"'), "E-ID", "id"),
    (('id = "kyu-3"', 'id = "today"'), "E-ID", "id"),
    (('id = "kyu-3"', 'id = "enbu1-049h04z7"'), "E-ID", "id"),
    (('id = "kyu-3"', 'id = "u-d27p6kxs"'), "E-ID", "id"),
    (('"級位認定 三級"', '""'), "E-NAME", "name"),
    (('"級位認定 三級"', f'"{"a" * 17}"'), "E-NAME", "name"),
    (('"級位認定 三級"', f'"{"🦊" * 13}"'), "E-NAME", "name"),
    (('"級位認定 三級"', '" 三級"'), "E-NAME", "name"),
    (('"級位認定 三級"', '"三級\u3000"'), "E-NAME", "name"),
    (('"級位認定 三級"', '"か\u3099"'), "E-NAME", "name"),
    (('"級位認定 三級"', '"a\\tb"'), "E-NAME", "name"),
    (('"級位認定 三級"', '"a\\u202eb"'), "E-NAME", "name"),
    (('"級位認定 三級"', '"a\\u2028b"'), "E-NAME", "name"),
    (('"級位認定 三級"', "'a\"b'"), "E-NAME", "name"),
    (('"級位認定 三級"', "'a\\b'"), "E-NAME", "name"),
    # sizes
    (("pages = 1", "pages = 0"), "E-SIZE", "table.pages"),
    (("pages = 1", "pages = 4"), "E-SIZE", "table.pages"),
    (("pages = 1", "pages = 7"), "E-SIZE", "table.pages"),
    (("pages = 1", "pages = -9223372036854775808"), "E-SIZE", "table.pages"),
    (("stage = 3", "stage = 0"), "E-SIZE", "table.stage"),
    (("stage = 3", "stage = 7"), "E-SIZE", "table.stage"),
    (("hand = 1", "hand = -1"), "E-SIZE", "table.hand"),
    (("hand = 1", "hand = 5"), "E-SIZE", "table.hand"),
    # cards
    (("inu = 1", "inu = 1\nkappa = 1"), "E-CARD", "cards.kappa"),
    (("inu = 1", 'inu = 1\n"" = 1'), "E-CARD", 'cards.""'),
    (("inu = 1", "inu = 1\nkyubi = 1"), "E-WILD", "cards.kyubi"),
    (("inu = 1", "inu = 0"), "E-COPIES", "cards.inu"),
    (("inu = 1", "inu = 4"), "E-COPIES", "cards.inu"),
    (("inu = 1", f"inu = 0x{'f' * 5000}"), "E-COPIES", "cards.inu"),
    # programs
    (('"kenen", "ryuko"', '"kenen", "ryuuko"'), "E-PROG", "programs.rest[1]"),
    (('"kenen", "ryuko"', '"kenen", "ryuko", ""'), "E-PROG", "programs.rest[2]"),
    (('"kenen", "ryuko"', '"kenen", "kenen"'), "E-DUP", "programs.rest[1]"),
    (('"kenen", "ryuko"', '"kenen", "keiko-gyugo"'), "E-DUP", "programs.rest[1]"),
    # goal
    (('kind = "all"', 'kind = "none"'), "E-GOAL", "goal.kind"),
    (('kind = "all"', 'kind = "all"\npass = 3'), "E-GOAL", "goal.pass"),
    (('kind = "all"', 'kind = "pass"'), "E-GOAL", "goal.pass"),
    (('kind = "all"', 'kind = "pass"\npass = 0'), "E-GOAL", "goal.pass"),
    (('kind = "all"', 'kind = "pass"\npass = 7'), "E-GOAL", "goal.pass"),
    (('kind = "all"', 'kind = "pass"\npass = "6"'), "E-KEY", "goal.pass"),
]


@pytest.mark.parametrize(("pair", "code", "path"), ONE_FAULT)
def test_one_fault_is_told_once(pair: tuple[str, str], code: str, path: str) -> None:
    """EN-94, EN-95, EN-97, EN-131, EN-134: with its code and its place, and nothing that follows from it."""
    faults = check_book(swap(KYU_3, pair).encode())[1]
    assert [(fault.code, fault.path) for fault in faults] == [(code, path)]
    found(swap(KYU_3, pair))


@pytest.mark.parametrize("section", ["table", "extra", "goal", "cards", "programs"])
@pytest.mark.parametrize("instead", ["", "{0} = 3\n", "[[{0}]]\n"])
def test_a_missing_section_or_another_thing_in_its_place(section: str, instead: str) -> None:
    """E-KEY, EN-95."""
    parts = re.split(r"(?m)^(?=\[)", KYU_3)
    kept = [part for part in parts if not part.startswith(f"[{section}]")]
    text = instead.format(section) + "".join(kept)
    if instead.startswith("[["):
        text = "".join(kept) + instead.format(section)
    assert [(code, path) for code, path in found(text) if not code.startswith("W-")] == [
        ("E-KEY", section)
    ]


def test_a_deck_of_too_few_or_too_many_cards() -> None:
    """E-DECK, E-COUNT: wilds count."""
    assert ("E-DECK", "cards") in found(re.sub(r"(?s)\[cards\].*?\n\n", "[cards]\n\n", KYU_3))
    many = {
        CardId(f"c{no}"): Card(no, CardId(f"c{no}"), "x", "x", "x", "x", Group.OTHER, 3)
        for no in range(40, 70)
    }
    pair = Program(200, "pair", "x", "x", "x", (CardId("c40"), CardId("c41")), 4)
    catalogue = Catalogue({**CATALOGUE.cards, **many}, {"pair": pair})
    head = re.sub(r"(?s)\[cards\].*", "[cards]\n", KYU_3)
    tail = '\n[programs]\nfirst = []\nrest = ["pair"]\n'

    def deck(*copies: int) -> str:
        return head + "".join(f"c{40 + i} = {n}\n" for i, n in enumerate(copies)) + tail

    def faults(text: str) -> list[tuple[str, str]]:
        return [entry for entry in found(text, catalogue) if entry[0] != "W-UNUSED"]

    assert faults(deck(*[3] * 26, 2)) == []
    assert faults(deck(*[3] * 27)) == [("E-DECK", "cards")]
    wild = ("wild = false", "wild = true")
    assert faults(swap(deck(*[3] * 26), wild)) == []
    assert faults(swap(deck(*[3] * 26, 1), wild)) == [("E-DECK", "cards")]


def test_at_most_forty_kinds() -> None:
    """E-DECK."""
    text = swap(KYU_3, ("[cards]\n", "[cards]\n" + "".join(f"c{i} = 1\n" for i in range(35))))
    assert ("E-DECK", "cards") in found(text)
    text = swap(KYU_3, ("[cards]\n", "[cards]\n" + "".join(f"c{i} = 1\n" for i in range(34))))
    assert ("E-DECK", "cards") not in found(text)


def test_one_to_twenty_four_programs() -> None:
    """E-COUNT."""
    every = list(CATALOGUE.programs)
    cards = "".join(
        f"{card.id} = {card.box}\n" for card in CATALOGUE.cards.values() if card.box > 1
    )

    def book(n: int) -> str:
        text = re.sub(r"(?s)\[cards\].*", f"[cards]\n{cards}\n[programs]\nfirst = []\n", KYU_3)
        listed = ", ".join(f'"{program}"' for program in every[:n])
        return swap(text, ("reshuffle = false", "reshuffle = true")) + f"rest = [{listed}]\n"

    def faults(n: int) -> list[tuple[str, str]]:
        return [entry for entry in found(book(n)) if entry[0] != "W-UNUSED"]

    assert faults(0) == [("E-COUNT", "programs")]
    assert faults(1) == faults(24) == []
    assert faults(25) == [("E-COUNT", "programs")]


def test_two_wilds_make_up_for_two_cards_that_are_short() -> None:
    """E-SUPPLY, W-SUPPLY."""
    one = swap(KYU_2, ("ushi = 2", "ushi = 1"))
    wild, both = ("wild = false", "wild = true"), ("uma = 2", "uma = 1")
    assert found(swap(one, wild)) == []
    assert found(swap(one, wild, both)) == []
    three = swap(one, wild, both, ('"iba-shinen"', '"iba-shinen", "kenen"'))
    assert found(three) == [("E-SUPPLY", "cards")]
    assert found(swap(three, ("reshuffle = false", "reshuffle = true"))) == []
    mark = ('kind = "all"', 'kind = "pass"\npass = 12')
    assert found(swap(three, mark)) == [("W-SUPPLY", "cards")]


def test_a_book_with_faults_is_not_read() -> None:
    """EN-97: whoever wants the book gets all faults, and the warnings."""
    text = swap(KYU_3, ("pages = 1", "pages = 9"), ("inu = 1", "inu = 0\nneko = 1"))
    with pytest.raises(BadBook, match=r"E-SIZE table\.pages: .*; E-COPIES cards\.inu") as caught:
        read_book(text.encode())
    assert [fault.code for fault in caught.value.faults] == ["E-SIZE", "E-COPIES"]
    assert [fault.code for fault in caught.value.warnings] == ["W-UNUSED"]


def test_a_card_that_no_program_requires_is_a_warning() -> None:
    """W-UNUSED: the book may be played."""
    text = swap(KYU_3, ("inu = 1", "inu = 1\nneko = 1"))
    assert found(text) == [("W-UNUSED", "cards.neko")]
    assert read_book(text.encode()).cards[-1] == ("neko", 1)


def test_an_id_that_another_book_has() -> None:
    """E-ID."""
    assert check_book(KYU_3.encode(), taken={"kyu-3"})[1][0].code == "E-ID"
    assert check_book(KYU_3.encode(), taken={"kyu-2"})[1] == ()


def test_an_id_that_follows_from_the_contents_must_be_right() -> None:
    """EN-104, EN-131: the fault says which one would be."""
    right = made_id(BOOKS["kyu-3"])
    assert found(swap(KYU_3, ('"kyu-3"', f'"{right}"'))) == []
    (fault,) = check_book(swap(KYU_3, ('"kyu-3"', '"u-00000000"')).encode())[1]
    assert right in fault.en
    assert right in fault.ja


def test_faults_say_what_was_probably_meant_and_on_which_line() -> None:
    """EN-97."""
    text = swap(
        KYU_3, ("stage = 3", "stages = 3"), ("saru = 1", "sru = 1"), ('"ryuko"', '"ryuuko"')
    )
    faults = {fault.path: fault for fault in check_book(text.encode())[1]}
    assert "did you mean stage?" in faults["table.stages"].en
    assert "saru ですか" in faults["cards.sru"].ja
    assert "did you mean ryuko?" in faults["programs.rest[1]"].en
    lines = text.splitlines()
    for path, word in (
        ("table.stages", "stages"),
        ("cards.sru", "sru"),
        ("programs.rest[1]", "ryuuko"),
    ):
        line = faults[path].line
        assert line is not None
        assert word in lines[line - 1]


# --- files that were not meant well ------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        "schema",
        "a = " + "[" * 4000 + "]" * 4000,
        "a = " + "{a=" * 1500 + "1" + "}" * 1500,
        "a = " + "[" * 300 + "]" * 300,
        "a" + ".a" * 4000 + " = 1",
        "[" + "a." * 4000 + "a]",
        "schema = " + "9" * 5000,
        "schema = 0x" + "f" * 8000,
        "schema = 1\n[cards]\n" + "".join(f"c{i}=1\n" for i in range(900)),
        "schema = 1\n[cards]\n" + "a" * 8000 + " = 1",
        "schema = 1\n[programs]\nrest = [" + '"k",' * 1900 + "]",
        'schema = 1\n[programs]\nrest = ["' + "a" * 8000 + '"]',
        'schema = 1\n"\\u001b[31m\\n" = 1\nid = "\\u0000"',
        KYU_3 + "\n[table]\npages = 1\n",
        KYU_3.replace("\n", "\r"),
        "[table]\npages = 1\ntable.pages = 2\n",
        "table.pages = inf\ntable.pages.x = 1\n",
        "[[schema]]\n[[table]]\n[[cards]]\n[[programs]]\n",
        "x" * 8193,
    ],
)
def test_a_hostile_file_is_refused_at_once(text: str) -> None:
    """E-KEY, E-SCHEMA: never with an error of another kind, and in no time."""
    start = time.process_time()
    assert found(text)
    assert time.process_time() - start < 2


def test_a_file_that_is_too_long_or_not_utf_8() -> None:
    """E-KEY: 8 KiB are read."""
    padded = KYU_3 + "#" * (8192 - len(KYU_3.encode()))
    assert check_book(padded.encode())[1] == ()
    assert [fault.code for fault in check_book((padded + "#").encode())[1]] == ["E-KEY"]
    (fault,) = check_book(KYU_3.encode() + b"# \xff")[1]
    assert (fault.code, fault.line) == ("E-KEY", len(KYU_3.splitlines()) + 1)


def test_a_file_of_windows_is_read() -> None:
    """EN-134: a mark at its start and line ends of two characters say nothing."""
    assert read_book("\ufeff".encode() + KYU_3.replace("\n", "\r\n").encode()) == BOOKS["kyu-3"]


def test_order_and_layout_of_a_file_do_not_matter() -> None:
    """EN-95, EN-96: example 2 of the rules is the same book as its canonical file."""
    docs = resources.files("kaguraden_rules").joinpath("..", "docs", "enbu.md").read_text("utf-8")
    examples = re.findall(r"(?s)```toml\n(.*?)```", docs)
    assert [read_book(example.encode()) for example in examples] == [BOOKS["kyu-3"], BOOKS["dan-1"]]


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """EN-97."""
    assert check_book(data)[1]


@given(st.data())
def test_any_value_in_any_place_is_read_or_refused(data: st.DataObject) -> None:
    """EN-97."""
    lines = data.draw(st.sampled_from([KYU_3, DAN_1])).splitlines()
    values = [
        "0", "-1", "1", "7", "255", "nan", "inf", "1.5", "true", '""', '"all"', '"pass"', '"kyu"', "[]",
        "{}", "[[]]", '["kenen"]', '["kenen", 1]', "{a = 1}", "1979-05-27", "0x" + "f" * 60, '"\\u0000"',
    ]  # fmt: skip
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(lines) - 1))
        if " = " in lines[at]:
            lines[at] = lines[at].split(" = ")[0] + " = " + data.draw(st.sampled_from(values))
        elif data.draw(st.booleans()):
            del lines[at]
    text = "\n".join(lines)
    if not found(text):
        book = read_book(text.encode())
        assert read_book(write_book(book).encode()) == book


@given(st.text(max_size=18))
def test_a_name_is_what_the_rules_say(name: str) -> None:
    """E-NAME, held against a test of other words."""
    written = "".join(f"\\U{ord(c):08x}" for c in name)
    text = swap(KYU_3, ("級位認定 三級", written))
    is_seen = not any(unicodedata.category(c) in {"Cc", "Cf", "Zl", "Zp"} for c in name)
    wanted = [] if is_name(name) and is_seen else ["E-NAME"]
    assert sorted({code for code, _ in found(text)}) == wanted


# --- the catalogue -----------------------------------------------------------------------------------


def own(name: str) -> str:
    return resources.files("kaguraden_rules.enbu").joinpath("packs", name).read_text("utf-8")


def faults_of(cards: str, programs: str) -> list[str]:
    with pytest.raises(BadBook) as caught:
        read_catalogue(cards, programs)
    assert {fault.code for fault in caught.value.faults} == {"E-CAT"}
    return [fault.path for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("which", "pair", "path"),
    [
        ("cards", ("no = 2\n", "no = 1\n"), "card[1].no"),
        ("cards", ("no = 2\n", "no = 256\n"), "card[1].no"),
        ("cards", ("no = 2\n", "no = true\n"), "card[1].no"),
        ("cards", ('id = "ushi"', 'id = "nezumi"'), "card[1].id"),
        ("cards", ('id = "u"', 'id = "U"'), "card[27].id"),
        ("cards", ("box = 3", "box = 4"), "card[0].box"),
        ("cards", ('group = "zodiac"', 'group = "star"'), "card[0].group"),
        ("cards", ('emoji = "🐭"', 'icon = "🐭"'), "card[0].icon"),
        ("cards", ('reading = "ねずみ"\n', ""), "card[0].reading"),
        ("programs", ("no = 2\n", "no = 1\n"), "program[1].no"),
        ("programs", ('id = "kenen"', 'id = "keiko-gyugo"'), "program[1].id"),
        ("programs", ('["tori", "ushi"]', '["tori"]'), "program[0].cards"),
        ("programs", ('["tori", "ushi"]', "[]"), "program[0].cards"),
        (
            "programs",
            ('["tori", "ushi"]', '["tori", "ushi", "inu", "saru", "uma"]'),
            "program[0].cards",
        ),
        ("programs", ('["tori", "ushi"]', '["tori", "tori"]'), "program[0].cards[1]"),
        ("programs", ('["tori", "ushi"]', '["tori", "kyubi"]'), "program[0].cards[1]"),
        ("programs", ('["tori", "ushi"]', '["tori", "kappa"]'), "program[0].cards[1]"),
        ("programs", ('["tori", "ushi"]', '["tori", ["ushi"]]'), "program[0].cards[1]"),
        ("programs", ("points = 2", "points = 0"), "program[0].points"),
        ("programs", ("points = 11", "points = 13"), "program[35].points"),
        ("programs", ("points = 2", "points = 2.0"), "program[0].points"),
    ],
)
def test_a_catalogue_that_is_not_right(which: str, pair: tuple[str, str], path: str) -> None:
    """E-CAT, EN-94."""
    texts = {"cards": own("cards.toml"), "programs": own("programs.toml")}
    texts[which] = swap(texts[which], pair)
    assert path in faults_of(texts["cards"], texts["programs"])


def test_a_catalogue_with_other_wilds() -> None:
    """E-CAT, EN-58: a book adds two certain cards."""
    third = swap(own("cards.toml"), ('group = "other"', 'group = "wild"'))
    assert "card" in faults_of(third, own("programs.toml"))


def test_a_catalogue_that_is_none() -> None:
    """E-CAT."""
    assert faults_of("[", "x = 1") == ["card", "program"]
    assert faults_of("card = [1]", "program = 1") == ["card[0]", "program"]


# --- the books that a host adds ------------------------------------------------------------------------


def test_files_are_checked_together() -> None:
    """E-ID, EN-99: an id is that of one book, and none of the game's."""
    mine = write_book(evolve(BOOKS["kyu-3"], id="mine"))
    checked = check_books(
        {
            "a.toml": mine.encode(),
            "b.toml": mine.encode(),
            "c.toml": KYU_3.encode(),
            "d.toml": swap(mine, ('"mine"', '"other"'), ("pages = 1", "pages = 0")).encode(),
            "e.toml": swap(mine, ('"mine"', '"other"')).encode(),
        }
    )
    assert [[fault.code for fault in file.faults] for file in checked] == [
        [],
        ["E-ID"],
        ["E-ID"],
        ["E-SIZE"],
        ["E-ID"],
    ]
    assert [line.en for line in checked[0].lines] == [
        'a.toml: mine "級位認定 三級", 3 programs, no faults'
    ]
    assert [line.en for line in checked[3].lines] == [
        "d.toml:7: E-SIZE table.pages: pages: 1 to 6, not 0",
        "d.toml: 1 fault",
    ]
    assert [line.ja for line in checked[3].lines][1] == "d.toml: 誤り 1 件"


def test_of_very_many_faults_the_first_are_told() -> None:
    text = "schema = 1\n[cards]\n" + "".join(f"c{i} = 1\n" for i in range(200))
    (checked,) = check_books({"a.toml": text.encode()})
    lines = list(checked.lines)
    assert len(lines) == MAX_LINES + 2
    assert lines[-2].en == f"a.toml: and {len(checked.faults) - MAX_LINES} more"


def test_a_warning_is_told_with_the_book() -> None:
    text = swap(KYU_3, ('"kyu-3"', '"mine"'), ("inu = 1", "inu = 1\nneko = 1"))
    (checked,) = check_books({"a.toml": text.encode()})
    assert checked.book is not None
    assert [line.en for line in checked.lines] == [
        "a.toml:26: W-UNUSED cards.neko: no program requires neko",
        'a.toml: mine "級位認定 三級", 3 programs, no faults, 1 warning',
    ]


def test_a_book_is_told_from_a_card_set_by_its_schema() -> None:
    """EN-95."""
    assert is_book(KYU_3.encode())
    assert not is_book(b'format = 1\nset = "mine"\n')
    assert not is_book(b"schema")
    assert not is_book(b"\xff")
    assert not is_book(("a = " + "[" * 4000).encode())


@given(made_books())
def test_every_made_book_can_be_added(book: Book) -> None:
    """EN-99, EN-104."""
    (checked,) = check_books({"a.toml": write_book(book).encode()})
    assert checked.book == book
