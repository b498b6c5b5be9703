"""Records are checked by `kaguraden verify` and by the program in protocol/verify, and no other passes."""

from __future__ import annotations

import contextlib
import copy
import importlib.util
import io
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from kaguraden_rules.catalogue import GAMES
from kaguraden_rules.odoriko.refs import face
from kaguraden_server.again import prepare
from kaguraden_server.records import BadRecord, read_record, sealed
from kaguraden_server.verify import Told, check_record, verify

from tests.made_records import KINDS, made_record

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "protocol" / "verify" / "verify.py"
PACKS = ROOT / "rules" / "kaguraden_rules"
SCHEMA = json.loads((ROOT / "protocol" / "verify" / "record.schema.json").read_text("utf-8"))
CARDS = [
    str(path)
    for path in (
        PACKS / "enbu" / "packs" / "programs.toml",
        *sorted((PACKS / "enbu" / "packs" / "books").glob("*.toml")),
        PACKS / "yumeochi" / "packs" / "base.toml",
    )
]
Record = dict[str, Any]


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("verify_program", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SECOND = _load()


def dump(record: object) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode()


def is_right(record: object, told: Told | None = None) -> bool:
    return all(finding.ok for finding in check_record(dump(record), GAMES, told))


def second(path: Path, record: object) -> subprocess.CompletedProcess[str]:
    """Run the other program, without anything installed."""
    path.write_bytes(dump(record))
    return subprocess.run(
        [sys.executable, "-I", "-S", "-X", "utf8", str(PROGRAM), str(path), *CARDS],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


# --- records that are right --------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", range(2))
def test_a_true_record_is_right_for_both(tmp_path: Path, kind: str, number: int) -> None:
    record = made_record(kind, number)
    assert is_right(record)
    Draft202012Validator(SCHEMA).validate(record)
    done = second(tmp_path / "record.json", record)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "Nothing is wrong" in done.stdout
    assert "Not dealt again" not in done.stdout
    assert all(line in done.stdout for line in record["inputs"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_game_that_was_not_over_is_right_for_both(tmp_path: Path, kind: str) -> None:
    """As `journal export --secrets` takes it out."""
    over = made_record(kind)
    record = sealed({**over, "inputs": over["inputs"][:-1], "outcome": None})
    assert is_right(record)
    done = second(tmp_path / "record.json", record)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_the_second_program_has_at_most_150_lines_and_nothing_of_ours() -> None:
    text = PROGRAM.read_text("utf-8")
    assert len(text.splitlines()) <= 150
    assert "kaguraden_" not in text


def _told_by(function: Callable[..., None], *args: Any) -> list[str]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        function(*args)
    return out.getvalue().splitlines()


def _dealt(record: Record) -> Any:
    return prepare(read_record(dump(record)), GAMES).deal().state


def test_the_second_program_deals_odoriko_as_the_rules_do() -> None:
    record = made_record("odoriko", 3)
    state = _dealt(record)
    lines = _told_by(SECOND.deal_odoriko, bytes.fromhex(record["entropy"]), record)
    for number, seat in enumerate(state.seats):
        share, deck = (part.split() for part in lines[number].partition(": ")[2].split(" / "))
        assert [face(ref) for ref in seat.resource_deck] == share[1:]
        assert [face(ref) for ref in seat.character_deck] == deck[1:]
        assert {face(ref) for ref in seat.hand} == {share[0], deck[0]}
    assert [face(ref) for ref in state.removed] == lines[-1].partition(": ")[2].split()


def test_the_second_program_deals_enbu_as_the_rules_do() -> None:
    record = made_record("race", 3)
    board = _dealt(record).racers[0].board
    cards = {p["id"]: p for p in tomllib.loads(Path(CARDS[0]).read_text("utf-8"))["program"]}
    book = tomllib.loads((PACKS / "enbu/packs/books/kyu-2.toml").read_text("utf-8"))
    moves: list[Any] = [{"wait": f"turn:{n}:1", "seat": None} for n in range(3)]
    (first, *_) = _told_by(
        SECOND.deal_enbu, bytes.fromhex(record["entropy"]), record, moves, book, cards
    )
    programs, deck = first.removeprefix("Programs: ").split(" / deck from the top: ")
    assert programs.split() == [*reversed(board.pages), *board.stack]
    assert deck.split() == [board.flipped, *board.deck]


@pytest.mark.skipif("yumeochi" not in KINDS, reason="yumeochi is not in the catalogue")
def test_the_second_program_deals_yumeochi_as_the_rules_do() -> None:
    record = made_record("yumeochi", 3)
    state = _dealt(record)
    cards = tomllib.loads(Path(CARDS[-1]).read_text("utf-8"))
    lines = _told_by(SECOND.deal_yumeochi, bytes.fromhex(record["entropy"]), record, cards)
    roles = lines[0].partition("roles ")[2].split()
    skills, clock = lines[1].split()[1:], lines[2].split()[1:]
    assert roles == [seat.role for seat in state.seats]
    assert skills[:4] == [seat.skills[0].card for seat in state.seats]
    assert clock == [place.card for place in state.clock]


def test_every_field_of_a_record_is_described() -> None:
    text = (ROOT / "protocol" / "replay.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)\??` \|", text.partition("## Inputs")[0], re.MULTILINE)
    assert rows == list(made_record("enbu")) == list(SCHEMA["properties"])


# --- what a player knows -------------------------------------------------------------------------


def test_what_a_player_was_told_is_compared() -> None:
    record = made_record("race", 0)
    seat = next(n for n, nonce in enumerate(record["nonces"]) if nonce)
    nonce = record["nonces"][seat]
    assert is_right(record, Told(record["commitment"], {seat: nonce}))
    assert not is_right(record, Told("00" * 32))
    assert not is_right(record, Told(nonces={seat: "ab" * 16}))
    assert not is_right(record, Told(nonces={7: nonce}))


# --- records that are not ------------------------------------------------------------------------


def flip(text: str) -> str:
    """Return hex digits of which the first is another."""
    return ("0" if text[0] != "0" else "1") + text[1:]


def _nonce(record: Record) -> None:
    seat = next(n for n, nonce in enumerate(record["nonces"]) if nonce)
    record["nonces"][seat] = flip(record["nonces"][seat])


def _seed(record: Record) -> None:
    record["seed"] = flip(record["seed"])


def _commitment(record: Record) -> None:
    record["commitment"] = flip(record["commitment"])


def _entropy(record: Record) -> None:
    record["entropy"] = flip(record["entropy"])


def _order(record: Record) -> None:
    """Exchange the last two moves."""
    inputs = record["inputs"]
    inputs[-1], inputs[-2] = inputs[-2], inputs[-1]


def _move(record: Record) -> None:
    """Let the last answer be another option."""
    at = max(n for n, line in enumerate(record["inputs"]) if not line.startswith("expire"))
    seat, decision, _ = record["inputs"][at].split(" ", 2)
    record["inputs"][at] = f"{seat} {decision} nothing"


def _left_out(record: Record) -> None:
    del record["inputs"][len(record["inputs"]) // 2 :]


def _outcome(record: Record) -> None:
    record["outcome"]["ranking"][0]["score"] += 1


def _unseated(record: Record) -> None:
    record["outcome"] = None


def _rules(record: Record) -> None:
    record["rules"] = "9.9"


def _clock(record: Record) -> None:
    record["inputs"].append("expire nothing")


ALTERED = [_nonce, _seed, _commitment, _entropy, _order, _move, _left_out, _outcome, _unseated,
           _rules, _clock]  # fmt: skip
CHANCE = [_nonce, _seed, _commitment, _entropy]


@pytest.mark.parametrize("alter", ALTERED)
@pytest.mark.parametrize("kind", ["odoriko", "race"])
def test_an_altered_record_is_refused_by_both(
    tmp_path: Path, kind: str, alter: Callable[[Record], None]
) -> None:
    """Also by who writes the sum anew, as far as no rules are needed to see it."""
    record = copy.deepcopy(made_record(kind, 0))
    alter(record)
    assert not is_right(record)
    done = second(tmp_path / "record.json", record)
    assert (done.returncode, done.stderr) == (1, "")
    assert "WRONG" in done.stdout
    record = sealed({k: v for k, v in record.items() if k != "sum"})
    if alter is _order and kind == "race":
        return  # seats of a race that exchange their last moves play the same game
    assert not is_right(record)
    if alter in CHANCE:
        assert second(tmp_path / "record.json", record).returncode == 1


def test_the_second_program_counts_what_a_rehearsal_made(tmp_path: Path) -> None:
    """EN-23: without the rules of odoriko it could not tell."""
    for name in ("score", "dropped", "turns"):
        record = copy.deepcopy(made_record("enbu", 1))
        assert not any(line.startswith("expire turn") for line in record["inputs"])
        record["outcome"]["ranking"][0][name] += 1
        done = second(
            tmp_path / "record.json", sealed({k: v for k, v in record.items() if k != "sum"})
        )
        assert done.returncode == 1
        assert "points" in done.stdout


def test_the_second_program_ends_and_harms_no_terminal(tmp_path: Path) -> None:
    record = copy.deepcopy(made_record("yumeochi", 0))
    record["options"]["replay_limit"] = 10**15
    del record["sum"]
    done = second(tmp_path / "record.json", record)
    assert done.returncode == 0
    assert len(done.stdout) < 2**20
    record["inputs"].insert(0, '0 0.1 x = ["\x9b2J"]')
    done = second(tmp_path / "record.json", record)
    assert done.returncode == 1
    assert "\x9b" not in done.stdout


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="has no file without an end")
def test_a_file_without_an_end_is_no_record() -> None:
    result = CliRunner().invoke(verify, ["/dev/zero", "--lang", "en"])
    assert "✗ form: the file is too large" in result.output
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(PROGRAM), "/dev/zero"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 1


@pytest.mark.parametrize(
    "data",
    [b"", b"\xff\xfe", b"[]", b"null", b"{}", b"[" * 100_000, b'{"format":1}', b'{"format":true}',
     b'{"format":1,"format":1}', b'{"format":1.0}', b'{"format":NaN}', b'{"a":"\\ud800"}',
     b'{"format":' + b"9" * 5000 + b"}"],
)  # fmt: skip
def test_what_is_no_record_is_told_in_words(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(BadRecord):
        read_record(data)
    path = tmp_path / "record.json"
    path.write_bytes(data)
    result = CliRunner().invoke(verify, [str(path), "--lang", "en"])
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert "✗ form: " in result.output
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(PROGRAM), str(path)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "")


# --- mutation --------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 300)
    | st.floats(allow_nan=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


def _paths(value: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    entries = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, entry in entries:
        found += _paths(entry, (*path, key))
    return found


@st.composite
def mutated(draw: st.DrawFn, kind: str) -> tuple[Record, Record]:
    """Draw a record and what became of it: one to three changes, mostly with a sum that fits."""
    record = made_record(kind, draw(st.integers(0, 2)))
    changed: Any = copy.deepcopy(record)
    for _ in range(draw(st.integers(1, 3))):
        *way, last = draw(st.sampled_from(_paths(changed)))
        at: Any = changed
        for key in way:
            at = at[key]
        match draw(st.sampled_from(["remove", "value", "text", "number", "repeat", "exchange"])):
            case "remove":
                del at[last]
            case "text" if isinstance(at[last], str) and at[last]:
                cut = draw(st.integers(0, len(at[last]) - 1))
                new = draw(st.sampled_from([*"0123456789abcdef: .=\u3042", ""]))
                at[last] = at[last][:cut] + new + at[last][cut + 1 :]
            case "number" if type(at[last]) is int:
                at[last] += draw(st.sampled_from([-1, 1, 1000]))
            case "repeat" if isinstance(at, list):
                at.insert(draw(st.integers(0, len(at))), copy.deepcopy(at[last]))
            case "exchange" if isinstance(at, list):
                other = draw(st.integers(0, len(at) - 1))
                at[last], at[other] = at[other], at[last]
            case _:
                at[last] = draw(JSON)
    if draw(st.booleans()) and "sum" in changed:
        changed = sealed({k: v for k, v in changed.items() if k != "sum"})
    return record, changed


# What no other record of this end can have. Moves may come to the same end, and so may options of
# clocks, and a deck in another order.
FIXED = ("format", "game", "rules", "seats", "seed", "nonces", "commitment", "entropy", "outcome")


@pytest.mark.parametrize("kind", KINDS)
def test_a_mutated_record_is_refused_if_the_change_matters(kind: str) -> None:
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(mutated(kind))
    def check(pair: tuple[Record, Record]) -> None:
        record, changed = pair
        findings = list(check_record(dump(changed), GAMES))
        shaped = Draft202012Validator(SCHEMA).is_valid(changed)
        read = not findings[0].text.en.startswith("form: ") or findings[0].ok
        assert shaped or not read  # what the schema refuses is read by nobody
        if not all(finding.ok for finding in findings):
            return
        assert dump([changed[k] for k in FIXED]) == dump([record[k] for k in FIXED])
        assert changed == record or changed.get("sum") != record["sum"]

    check()


@pytest.mark.parametrize("kind", KINDS)
def test_the_second_program_takes_no_mutated_chance(kind: str, tmp_path: Path) -> None:
    """What it raises, whatever it is, becomes a line and status 1."""
    path = tmp_path / "record.json"

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(mutated(kind))
    def check(pair: tuple[Record, Record]) -> None:
        record, changed = pair
        path.write_bytes(dump(changed))
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                SECOND.main(str(path), *CARDS)
        except Exception:
            return
        chance = ("seed", "commitment", "entropy")
        assert [changed[k] for k in chance] == [record[k] for k in chance]
        assert dump(changed) == dump(record) or changed.get("sum") != record["sum"]

    check()


# --- the command ---------------------------------------------------------------------------------


def run(*args: str) -> tuple[int, str]:
    result = CliRunner().invoke(verify, list(args))
    return result.exit_code, result.output


def test_the_status_tells_whether_all_are_right(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    record = copy.deepcopy(made_record("race"))
    good.write_bytes(dump(record))
    _outcome(record)
    bad.write_bytes(dump(record))
    status, said = run(str(good), "--lang", "en")
    assert status == 0
    for word in ("form:", "sum:", "promise:", "entropy:", "dealing again:", "moves:", "outcome:"):
        assert f"✓ {word}" in said
    assert said.endswith("This record is right.\n")
    status, said = run(str(good), "--lang", "ja")
    assert status == 0
    assert "正しい記録です" in said
    status, said = run(str(good), str(bad), "--lang", "en")
    assert status == 1
    assert "✗ sum: " in said
    assert "✗ outcome: " in said
    assert run(str(good), str(tmp_path / "none.json"))[0] == 2
    assert run(str(tmp_path))[0] == 2


def test_nonce_and_commitment_are_taken_as_they_were_told(tmp_path: Path) -> None:
    path = tmp_path / "good.json"
    record = made_record("race")
    path.write_bytes(dump(record))
    seat = next(n for n, nonce in enumerate(record["nonces"]) if nonce)
    told = f"{seat}={record['nonces'][seat].upper()}"
    status, said = run(str(path), "--nonce", told, "--commitment", record["commitment"], "--lang", "en")  # fmt: skip
    assert status == 0
    assert said.count("✓ your notes: ") == 2
    assert run(str(path), "--nonce", f"{seat}={'00' * 16}")[0] == 1
    for wrong in (
        ("--nonce", "0"),
        ("--nonce", "x=00"),
        ("--nonce", "0=zz"),
        ("--commitment", "0"),
    ):
        assert run(str(path), *wrong)[0] == 2


def test_a_set_of_ones_own_has_to_be_given(tmp_path: Path) -> None:
    record = copy.deepcopy(made_record("odoriko"))
    record["packs"].append("mine")
    path = tmp_path / "record.json"
    path.write_bytes(dump(sealed({k: v for k, v in record.items() if k != "sum"})))
    status, said = run(str(path), "--lang", "en")
    assert status == 1
    assert "mine" in said
    assert "--packs" in said


def test_a_game_that_is_not_over_can_be_checked_so_far() -> None:
    record = copy.deepcopy(made_record("enbu"))
    del record["inputs"][4:]
    record["outcome"] = None
    findings = list(
        check_record(dump(sealed({k: v for k, v in record.items() if k != "sum"})), GAMES)
    )
    assert all(finding.ok for finding in findings)
    assert "was not over" in findings[-1].text.en
