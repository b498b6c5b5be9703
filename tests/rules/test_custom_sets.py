"""Card files of a user: checked alone and together, and played with."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from kaguraden_rules.catalogue import GAMES, MAX_BYTES, BadPack, check_packs, games
from kaguraden_rules.kernel import BadDeck, CardId
from kaguraden_rules.odoriko import filters, grammar, reading
from kaguraden_rules.odoriko.faultwords import JAPANESE, in_japanese

MINE = """\
format = 1
set = "mine"

[[card]]
id = "my_wren"
kind = "character"
name = { en = "Wren" }

[[card]]
id = "my_rain"
kind = "event"
name = { en = "Rain" }
[card.play]
do = [ { op = "vp", n = 1 } ]
"""


def told(*files: str | bytes) -> list[str]:
    """Return what is told of files a.toml, b.toml, …, without the place that it begins with."""
    named = {
        f"{'abc'[i]}.toml": text.encode() if isinstance(text, str) else text
        for i, text in enumerate(files)
    }
    return [fault.sentence.en for file in check_packs(named) for fault in file.faults]


def test_a_game_gets_its_sets_in_the_order_of_the_files() -> None:
    """OD-189: sets of a host come behind the game's own, in the catalogue and in a game."""
    other = MINE.replace('"mine"', '"also"').replace("my_", "al_")
    odoriko = games({"z.toml": other.encode(), "a.toml": MINE.encode()})["odoriko"]
    packs = odoriko.catalog()["packs"]
    assert isinstance(packs, list)
    assert packs[2:] == [
        {"id": "also", "cards": ["al_wren", "al_rain"]},
        {"id": "mine", "cards": ["my_wren", "my_rain"]},
    ]
    options = odoriko.parse_options({})
    starter = odoriko.check_deck(options, None)
    deck = (*starter[:10], CardId("my_wren"), CardId("al_rain"))
    assert odoriko.check_deck(options, deck) == deck
    opened = odoriko.setup(options, 2, [deck, starter], bytes(32)).events[0]
    assert getattr(opened, "sets", None) == ("seed", "house", "also", "mine")
    with pytest.raises(BadDeck):
        GAMES["odoriko"].check_deck(options, deck)


def test_no_files_is_the_games_own_cards() -> None:
    """OD-180: without files the catalogue is that of the game alone."""
    assert games()["odoriko"].catalog() == games({})["odoriko"].catalog()
    assert games()["odoriko"].catalog() == GAMES["odoriko"].catalog()


def test_a_file_is_summed_up_in_a_line() -> None:
    """OD-188: what it holds, or how many faults."""
    good, bad = check_packs({"a.toml": MINE.encode(), "b.toml": b""})
    assert good.summary.en == "a.toml: 1 character, 1 event, no faults"
    assert good.summary.ja == "a.toml: キャラクター 1 枚、イベント 1 枚、誤りなし"
    assert (bad.summary.en, bad.summary.ja) == ("b.toml: 3 faults", "b.toml: 誤り 3 件")


def test_ids_are_unique_over_all_files_and_the_games_own() -> None:
    """OD-188 (V-05): the later file is told, with line and card, and who has the id already."""
    again = MINE.replace('"mine"', '"house"').replace("my_rain", "cc004")
    assert told(MINE, again) == [
        'b.toml:2: V-05 set: got "house"; '
        "expected a set id of its own; the game's set house has this one",
        'b.toml:5: V-05 card "my_wren" card[0].id: got "my_wren"; '
        "expected an id of its own; a.toml has this one",
        'b.toml:10: V-05 card "cc004" card[1].id: got "cc004"; '
        "expected an id of its own; the game's set seed has this one",
    ]
    (_, second) = check_packs({"a.toml": MINE.encode(), "b.toml": again.encode()})
    assert "（これは ゲームのセット seed にある）" in second.faults[2].sentence.ja


def test_ids_of_a_file_with_faults_count_too() -> None:
    """OD-188: one run tells everything; an id is told once a file."""
    faulty = MINE.replace('kind = "event"', 'kind = "evnt"').replace("my_rain", "my_wren")
    codes = [line.split(" ")[:2] for line in told(faulty, MINE)]
    assert codes == [["a.toml:11:", "V-06"], ["b.toml:2:", "V-05"], ["b.toml:5:", "V-05"]]
    twice = MINE.replace("my_rain", "my_wren")
    assert [line.split(" ")[0] for line in told(MINE, twice)] == [
        "b.toml:2:",
        "b.toml:5:",
        "b.toml:10:",
    ]


def test_faults_stop_all_sets() -> None:
    """OD-188: nothing is added where one file has a fault."""
    with pytest.raises(BadPack) as bad:
        games({"a.toml": MINE.encode(), "b.toml": b"set = 1", "c.toml": b"="})
    assert [fault.file for fault in bad.value.faults] == ["b.toml", "b.toml", "b.toml", "c.toml"]


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"#" * (MAX_BYTES + 1), "a.toml: V-04: got a longer one; "),
        (b"\n\nset = '\xe9'", "a.toml:3: V-01: got "),
        (b"a = " + b"9" * 5_000, "a.toml: V-01: got "),
        (
            b"card = 1\nset = 0x" + b"f" * 5_000,
            "a.toml:2: V-04 set: got a number of some thousand digits",
        ),
        (b"a = " + b"[" * 50_000, "a.toml: V-01: got "),
        (b"format = nan\ncard = inf\nset = 1979-05-27", "a.toml:1: V-01 format: got NaN"),
    ],
    ids=["long", "latin", "digits", "hexadecimal", "deep", "values"],
)
def test_a_file_that_cannot_be_taken_is_a_fault(data: bytes, line: str) -> None:
    """OD-188 (V-01, V-04): too long, no UTF-8, too much for the reader: a line, never a crash."""
    assert any(told_line.startswith(line) for told_line in told(data))


def test_files_of_other_editors_are_read() -> None:
    """OD-180: with a byte order mark and lines that end in two characters."""
    (file,) = check_packs({"a.toml": b"\xef\xbb\xbf" + MINE.replace("\n", "\r\n").encode()})
    assert file.faults == ()
    bad = MINE.replace("my_rain", "My Rain").replace("\n", "\r\n")
    assert told(bad)[0].startswith('a.toml:10: V-05 card "My Rain" card[1].id: got "My Rain"; ')


def test_what_an_author_wrote_is_shown_without_control_characters() -> None:
    """OD-188: faults are printed in terminals."""
    (line,) = told(MINE.replace("my_rain", "my\\u001b[31m"))
    assert "\x1b" not in line
    assert r'card "my\u001b[31m"' in line


def test_missing_keys_are_told_without_a_value() -> None:
    """OD-188: where nothing stands, what is wrong is said in words."""
    (line,) = told(MINE.replace('kind = "event"\n', ""))
    assert line == 'a.toml:9: V-03 card "my_rain" card[1].kind: missing key; expected the key kind'


# --- both languages ------------------------------------------------------------------------------


def _texts(node: ast.expr) -> Iterator[str]:
    """Yield the texts that an expression can be, with {} for what is put in."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            yield "".join(str(p.value) if isinstance(p, ast.Constant) else "{}" for p in parts)
        case ast.Name(id="what" | "most" | "expected"):
            pass  # a text that is listed below
        case _:
            raise AssertionError(f"a text in a way that this test does not know: {ast.dump(node)}")


def expectations() -> set[str]:
    """Return what faults say in the code that finds them."""
    found = {filters.ID_WORDS, grammar.ROMAN_WORDS}
    folder = Path(reading.__file__).parent
    places = {"fault": 1, "add": 2, "Fault": 3}  # of the text among the arguments
    for name in ("reading", "filters", "effects", "grammar", "packs", "custom"):
        for node in ast.walk(ast.parse((folder / f"{name}.py").read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            place = places.get(called)
            if place is not None and len(node.args) > place:
                found.update(_texts(node.args[place]))
    return found


def test_everything_that_a_fault_says_is_there_in_japanese() -> None:
    """OD-188: one sentence, in the reader's language."""
    found = expectations()
    assert len(found) > 50
    samples = {text: text.replace("{}", "x") for text in found - set(JAPANESE)}
    missing = [text for text, sample in samples.items() if in_japanese(sample) == sample]
    assert missing == []


@pytest.mark.parametrize(
    ("english", "japanese"),
    [
        (
            "one of the keys id, kind (did you mean id?)",
            "次のキーのどれか: id, kind（id のことですか）",
        ),
        ("one of S, H, D, C", "次のどれか: S, H, D, C"),
        ("no on with timing action", "timing が action なら on なし"),
        ('on = "card" with this mark', 'この mark なら on = "card"'),
        ('"3 entries"', "3 個"),
        ('"Z"', '"Z"'),
    ],
)
def test_the_most_definite_words_are_taken(english: str, japanese: str) -> None:
    """OD-188: what is put in stays as it is, hints are told too."""
    assert in_japanese(english) == japanese
