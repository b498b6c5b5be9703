"""Books of enbu in the client: codes, faults and files, held against the rules; and the screens."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from kaguraden_client.terminal.book_codes import BadCode, book_id, decode, encode
from kaguraden_client.terminal.book_files import (
    BadBookFile,
    delete_book,
    format_book,
    free_stem,
    parse_book,
    read_book,
    saved_books,
    write_book,
)
from kaguraden_client.terminal.book_rules import book_faults, fault_text, filled, total
from kaguraden_client.terminal.books import Book, book_of
from kaguraden_client.terminal.screens.book_editor import BookEditor
from kaguraden_client.terminal.screens.books import BookPage, BooksScreen, DailyPage
from kaguraden_client.terminal.screens.newroom import NewRoom
from kaguraden_client.terminal.ui import Plan
from kaguraden_client.terminal.words import Lang
from kaguraden_protocol import messages
from kaguraden_rules.enbu.books import check_book
from kaguraden_rules.enbu.books import write_book as write_by_rules
from kaguraden_rules.enbu.codes import BadCode as RulesBadCode
from kaguraden_rules.enbu.codes import decode as decode_by_rules
from kaguraden_rules.enbu.codes import encode as encode_by_rules

from tests.properties.enbu_play import random_book

from .enbu_tables import CATALOG, ENBU, TOLD, context
from .test_plain import Speaker
from .test_ui import GAMES, Player

KYU_3 = "ENBU1-049H04Z7PJDE9FCDX2N8VSDEK8GE9E49WYT9M1G20C2GJ2GB00002082081Q1YFW3M"
ENBU_GAME = {
    "id": "enbu",
    "rules": "1.0",
    "seats": {"min": 1, "max": 8},
    "name": {"ja": "演舞", "en": "Enbu"},
    "options": ENBU.options_schema(),
    "windows": [],
}
CTX = context("en")


def own(code: str) -> Book:
    return decode(code, CATALOG)


# --- codes, faults and files ---------------------------------------------------------------------


@pytest.mark.parametrize("name", list(CATALOG.books))
def test_the_client_and_the_rules_write_one_code_and_one_file(name: str) -> None:
    """EN-96, EN-100, EN-103."""
    book, code = book_of(CATALOG.books[name]), str(CATALOG.books[name]["code"])
    assert encode(book, CATALOG) == code
    read = decode(code, CATALOG)
    assert read == evolve(book, id="", family="yorozu", total=0)
    assert format_book(read, CATALOG) == write_by_rules(decode_by_rules(code))
    assert not book_faults(read, CTX)
    assert total(read, CTX) == book.total


def test_random_books_have_the_rules_codes_and_files() -> None:
    rng = random.Random(11)
    for _ in range(60):
        made = random_book(rng)
        code = encode_by_rules(made)
        book = decode(code, CATALOG)
        assert encode(book, CATALOG) == code
        assert book_id(book, CATALOG) == made.id
        text = format_book(book, CATALOG)
        assert text == write_by_rules(made)
        assert parse_book(text, "x") == book
        assert all(fault.is_warning for fault in book_faults(book, CTX))


def test_damaged_codes_are_refused_for_the_rules_reason() -> None:
    """EN-102, EN-122: and one in lower case with spaces is read."""
    assert own(KYU_3.lower().replace("9", " 9")) == own(KYU_3)
    texts = ["", "KYU-3", "ENBU2-00", "ENBU1-", "ENBU1-!", "x" * 401, KYU_3[:-1] + "N", KYU_3[:30]]
    rng = random.Random(2)
    for _ in range(200):
        at = rng.randrange(6, len(KYU_3))
        symbol = rng.choice("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        texts.append(KYU_3[:at] + symbol + KYU_3[at + 1 :])
    for text in texts:
        if text == KYU_3:
            continue
        with pytest.raises(RulesBadCode) as by_rules:
            decode_by_rules(text)
        with pytest.raises(BadCode) as here:
            own(text)
        assert here.value.code == by_rules.value.code, text


def broken(rng: random.Random, book: Book) -> Book:
    """Return a book with something changed that may be wrong."""
    card, program = rng.choice(list(CATALOG.books["dan-5"]["cards"])), rng.choice(book.programs)  # type: ignore[arg-type]
    changes: list[dict[str, Any]] = [
        {"pages": rng.randint(0, 8)},
        {"stage": rng.randint(0, 8)},
        {"hand": rng.randint(-1, 6)},
        {"cards": {c: n for c, n in book.cards.items() if c != rng.choice(list(book.cards))}},
        {"cards": {**book.cards, card: rng.randint(1, 5)}},
        {"cards": {**book.cards, "kyubi": 1}},
        {"cards": {**book.cards, "unicorn": 1}},
        {"cards": {}},
        {"rest": (*book.rest, program)},
        {"rest": (*book.rest, "no-such")},
        {"first": (), "rest": ()},
        {"pass_mark": rng.choice((None, 0, 1, 500))},
        {"reshuffle": False, "wild": False, "pass_mark": None},
        {"reshuffle": False, "wild": False, "pass_mark": 1},
        {"name": rng.choice(("", "x" * 17, " x", 'a"b', "か\u3099", "a\u200bb"))},
    ]
    return evolve(book, **rng.choice(changes))


def test_faults_are_those_that_the_rules_find() -> None:
    """EN-97: for any book that is put together, the same codes, warnings as well."""
    rng = random.Random(7)
    found: set[str] = set()
    for _ in range(400):
        book = own(encode_by_rules(random_book(rng)))
        for _ in range(rng.randint(1, 2)):
            book = broken(rng, book) if book.programs and book.cards else book
        _, faults, warnings = check_book(format_book(book, CATALOG).encode())
        rules = {fault.code for fault in (*faults, *warnings)} - {"E-ID"}
        here = {fault.code for fault in book_faults(book, CTX)}
        if faults:  # what follows from another fault need not be told
            errors = {code for code in rules if code.startswith("E")}
            assert errors <= here, (book, rules, here)
            assert here - rules <= {"E-SIZE", "E-DECK", "E-NEED", "E-GOAL", "E-SUPPLY", "E-REACH", "W-UNUSED", "W-SUPPLY"}  # fmt: skip
        else:
            assert here == rules, (book, rules, here)
        found |= rules
        for fault in book_faults(book, CTX):
            assert fault_text(fault, CTX)
            assert fault_text(fault, context("ja"))
    assert {"E-SIZE", "E-CARD", "E-WILD", "E-DUP", "E-PROG", "E-NEED", "E-SUPPLY", "E-GOAL", "E-NAME"} <= found  # fmt: skip


def test_filling_a_book_gives_it_what_its_programs_need() -> None:
    book = Book(name="x", rest=("keiko-gyugo", "gyuin-bashoku"))
    full = filled(book, CTX)
    assert full.cards == {"ushi": 2, "uma": 1, "tori": 1}
    assert not book_faults(full, CTX)


def test_files_come_back_and_are_never_written_over(tmp_path: Path) -> None:
    book = own(KYU_3)
    path = write_book(book, CATALOG, free_stem(book.name, tmp_path), tmp_path)
    assert path.stem == "級位認定 三級"
    assert free_stem(book.name, tmp_path) == "級位認定 三級-2"
    assert read_book(path) == book
    assert tomllib.loads(path.read_text("utf-8"))["id"] == "u-d27p6kxr"
    assert saved_books(tmp_path) == ["級位認定 三級"]
    delete_book("級位認定 三級", tmp_path)
    assert saved_books(tmp_path) == []
    with pytest.raises(BadBookFile):
        delete_book("級位認定 三級", tmp_path)


@pytest.mark.parametrize(
    "text",
    ["", "x = [", "name = 3", 'name = "x"\ntable = {}\nextra = {}\ngoal = {}\ncards = {}\nprograms = {}', "a" * 9000],
)  # fmt: skip
def test_a_file_that_is_no_book_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(BadBookFile) as bad:
        read_book(path)
    assert str(path) in bad.value.text(Lang.EN)
    assert str(path) in bad.value.text(Lang.JA)


# --- the screens ---------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KAGURADEN_HOME", str(tmp_path))
    return tmp_path


def answer_catalog(player: Player) -> None:
    told = {
        k: v for k, v in TOLD.items() if k in ("version", "packs", "cards", "books", "rulebook")
    }
    for request in player.asked():
        if isinstance(request, messages.Catalog):
            player.ok(request, **told)


def at_books(**changes: Any) -> Player:
    player = Player(**changes)
    player.open(games=[*GAMES, ENBU_GAME])
    player.asked()
    player.press("e")
    assert isinstance(player.ui.top, BooksScreen)
    answer_catalog(player)
    return player


def test_a_book_of_the_list_is_played_alone_at_once(home: Path) -> None:
    """One seat, the book, ready and started without more keys."""
    player = at_books()
    assert "dan test, dan 5" in player.screen()
    player.press("down", "down", "enter")
    create = player.one(messages.Create)
    assert (create.game, create.seats) == ("enbu", 1)
    assert create.options == {"book": "kyu-2"}
    player.ok(create, room="KAGU-AAAA", seat=0)
    assert any(isinstance(request, messages.Ready) for request in player.asked())


def test_a_book_is_shown_with_its_code_and_offered_for_a_race(home: Path) -> None:
    player = at_books()
    player.press("down", "v")
    assert isinstance(player.ui.top, BookPage)
    screen = player.screen()
    assert "pages 1, stage 3, hand 1, 6 cards, 3 programs" in screen
    assert KYU_3[:60] in screen.replace("\n   ", "")
    player.press("escape", "t")
    assert isinstance(player.ui.top, NewRoom)
    assert player.ui.top.form.value("book") == "kyu-3"


def test_a_code_is_imported_played_and_deleted(home: Path) -> None:
    player = at_books()
    player.press("i")
    player.ui.paste("ENBU1-XYZ", player.script.now)
    player.press("enter")
    assert "cut short" in player.screen()
    player.press("backspace")
    assert "cut short" not in player.screen()  # it is about what stood there
    player.press("c-u")
    player.ui.paste(f" {KYU_3} ", player.script.now)
    player.press("enter")
    assert isinstance(player.ui.top, BooksScreen)
    assert saved_books() == ["級位認定 三級"]
    player.press("end", "enter")
    create = player.one(messages.Create)
    assert create.options == {"book": KYU_3}
    player.press("end", "x", "escape")
    assert saved_books() == ["級位認定 三級"]
    player.press("x", "enter")
    assert saved_books() == []


def test_a_book_is_made_with_its_faults_told_as_one_goes(home: Path) -> None:
    player = at_books()
    player.press("n")
    assert isinstance(player.ui.top, BookEditor)
    assert "E-COUNT" in player.screen()
    player.press(*["down"] * 9, "right")  # 犬猿 into it
    screen = player.screen()
    assert "E-NEED" in screen
    assert "E-COUNT" not in screen
    player.press("f")
    assert "this can be played" in player.screen()
    player.press("home", "enter", *["backspace"] * 9, *"Mine", "enter", "s")
    assert saved_books() == ["Mine"]
    assert read_book(home / "books" / "Mine.toml").rest == ("kenen",)
    player.press("p")
    create = player.one(messages.Create)
    assert decode_by_rules(create.options["book"]).rest == ("kenen",)


def test_changes_are_not_thrown_away_by_one_key(home: Path) -> None:
    player = at_books()
    player.press("n", "down", "right", "escape")
    assert isinstance(player.ui.top, BookEditor)
    assert "Not saved" in player.screen()
    player.press("escape")
    assert isinstance(player.ui.top, BookEditor)
    player.press("escape", "enter")
    assert isinstance(player.ui.top, BooksScreen)


def test_a_book_of_the_house_is_changed_as_a_copy(home: Path) -> None:
    player = at_books(lang=Lang.JA)
    player.press("down", "e", "s")
    assert saved_books() == ["級位認定 三級 改"]
    assert "級位認定 三級 改" in player.screen()


def test_the_book_of_the_day_is_shown_and_played(home: Path) -> None:
    """EN-87, EN-89: the standings, and that the first attempt counts."""
    player = at_books()
    player.press("enter")
    assert isinstance(player.ui.top, DailyPage)
    ask = player.one(messages.Daily)
    assert ask.book == "today"
    standings = [{"rank": 1, "name": "Bea", "total": 12, "dropped": 1, "turns": 20}]
    told = {"date": "2026-12-01", "book": "kamiari-4", "closed": False, "standings": standings}
    player.ok(ask, **told)
    screen = player.screen()
    assert "2026-12-01 (date in Japan)  Kamiari book 4" in screen
    assert "Only the first attempt" in screen
    assert "1. Bea  12 points  1 dropped  20 turns" in screen
    player.press("enter")
    player.ok(player.one(messages.Daily), **told)
    create = player.one(messages.Create)
    assert (create.seats, create.options) == (1, {"book": "daily:kamiari-4"})


def test_a_server_without_a_book_of_the_day_says_so(home: Path) -> None:
    player = at_books()
    player.press("enter")
    ask = player.one(messages.Daily)
    player.say(
        {"type": "error", "re": ask.id, "code": "unsupported", "message": "no day", "details": {}}
    )
    assert "no standings" in player.screen()


def test_books_are_chosen_by_name_in_the_form(home: Path) -> None:
    player = at_books()
    player.press("down", "t")
    form = player.ui.top
    assert isinstance(form, NewRoom)
    while form.form.here is None or form.form.here.name != "book":
        player.press("down")
    screen = player.screen()
    assert "grade test, kyu 3 ★☆☆☆☆" in screen
    assert "dan test, dan 5 ★★★★★" in screen
    player.press("right")
    assert form.form.value("book") == "kyu-2"
    player.press("left", "left")
    assert form.form.value("book") == "dan-5"
    player.ui.paste(KYU_3, player.script.now)
    player.press("enter")
    assert form.form.value("book") == KYU_3


def test_screens_of_books_fit_any_size(home: Path) -> None:
    player = at_books()
    write_book(own(KYU_3), CATALOG, "x")
    (home / "books" / "bad.toml").write_text("[", "utf-8")
    for keys in ([], ["end"], ["v"], ["escape", "e"], ["end"], ["escape", "i"]):
        player.press(*keys)
        for columns, lines in ((80, 24), (40, 12), (20, 5), (4, 3)):
            player.screen(columns, lines)
        player.press("f2")


def test_a_book_with_faults_is_raced_on_when_it_is_mended(home: Path) -> None:
    player = at_books()
    player.press("n", "s", "escape", "end", "t")
    assert isinstance(player.ui.top, BooksScreen)
    assert player.ui.note == "no share code until it is mended"


# --- line mode -----------------------------------------------------------------------------------


def speaker() -> Speaker:
    speaking = Speaker()
    speaking.open(games=[*GAMES, ENBU_GAME])
    speaking.asked()
    assert speaking.type("book show kyu-3") == []  # the catalogue is asked for first
    speaking.news()
    answer_catalog(speaking)
    assert speaking.news()[0] == "grade test, kyu 3"
    return speaking


def test_books_in_line_mode(home: Path) -> None:
    """List, show, export, import, delete, play."""
    speaking = speaker()
    lines = speaking.type("book")
    assert (
        lines[0] == "kyu-3: grade test, kyu 3, pages 1, stage 3, hand 1, 6 cards, 3 programs ★☆☆☆☆"
    )
    assert speaking.type("book code kyu-3") == [KYU_3]
    assert any("dog and monkey (2) 犬 dog, 猿 monkey" in line for line in speaking.type("book show kyu-3"))  # fmt: skip
    assert "saved: " in speaking.type(f"book save {KYU_3}")[0]
    assert saved_books() == ["級位認定 三級"]
    speaking.type("book play 級位認定 三級")
    assert speaking.one(messages.Create).options == {"book": KYU_3}
    assert speaking.type("book delete kyu-3") == ["there is no book kyu-3"]
    assert saved_books() == ["級位認定 三級"]
    speaking.type("book delete 級位認定 三級")
    assert saved_books() == []
    assert "symbol" in speaking.type(f"book save {KYU_3[:-8]}2{KYU_3[-7:]}")[0]
    assert "book play NAME" in speaking.type("book nonsense")[0]
    assert any("book play NAME" in line for line in speaking.type("?"))


def test_the_day_in_line_mode(home: Path) -> None:
    speaking = speaker()
    speaking.type("daily")
    told = {"date": "2026-12-01", "book": "dan-1", "closed": True, "standings": []}
    speaking.ok(speaking.one(messages.Daily), **told)
    news = speaking.news()
    assert "2026-12-01 (date in Japan)  dan test, dan 1 ★★★☆☆" in news
    assert "Nobody has finished yet." in news
    speaking.type("daily play")
    speaking.ok(speaking.one(messages.Daily), **told)
    assert speaking.one(messages.Create).options == {"book": "daily:dan-1"}


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        ("SC-SUM: the checksum does not fit", "共有コードのどこかが違います"),
        ("no such book; there are kyu-3", "その名前の演目帖はこのサーバーにありません"),
        ("E-NEED: this book cannot be used: x", "演目帖に誤りがあります（E-NEED）"),
    ],
)
def test_what_the_server_has_against_a_book_is_told(home: Path, problem: str, said: str) -> None:
    player = at_books(lang=Lang.JA)
    player.press("down", "enter")
    create = player.one(messages.Create)
    player.say(
        {
            "type": "error",
            "re": create.id,
            "code": "bad_options",
            "message": "bad",
            "details": {"problems": [{"path": "$.book", "problem": problem}]},
        }
    )
    assert said in player.screen(160)


def test_a_book_of_ones_own_waits_for_the_catalogue_or_is_given_up(home: Path) -> None:
    """From the command line the book is known before the numbers are."""
    for answered in (True, False):
        player = Player(plan=Plan(rehearse=own(KYU_3), bots=2, level="random"))
        player.open(games=[*GAMES, ENBU_GAME])
        catalog = player.one(messages.Catalog)
        assert player.ui.is_busy
        if answered:
            player.ok(catalog, **TOLD)
            create = player.one(messages.Create)
            assert (create.seats, create.options) == (3, {"book": KYU_3})
        else:
            refusal = {"code": "unsupported", "message": "no enbu", "details": {}}
            player.say({"type": "error", "re": catalog.id, **refusal})
            assert player.ui.shelf.wanted is None
            assert player.ui.failed
