"""The prose specification says what the code does: its examples are read, its tables compared."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from functools import cache
from pathlib import Path

import attrs
import pytest
from jsonschema import Draft202012Validator
from kaguraden_protocol import limits, schema
from kaguraden_protocol.codec import decode_push_or_reply, decode_request
from kaguraden_protocol.errors import (
    CLOSE_REASONS,
    ErrorCode,
    NoticeCode,
    RemoteProtocolError,
)
from kaguraden_protocol.messages import PUSHES, REQUESTS, RoomInfo, SeatInfo, Unknown
from kaguraden_rules.entropy import Entropy
from kaguraden_rules.kernel import Event
from kaguraden_rules.odoriko import events, view
from kaguraden_rules.odoriko.game import WINDOWS
from kaguraden_rules.odoriko.words import PROMPTS

README = Path(__file__).parents[2] / "protocol" / "README.md"
TEXT = README.read_text(encoding="utf-8")
EXAMPLES = [
    line
    for block in re.findall(r"```wire\n(.*?)```", TEXT, re.DOTALL)
    for line in block.splitlines()
]
SENT = [line.removeprefix("→ ") for line in EXAMPLES if line.startswith("→ ")]
REFUSED = [line.removeprefix("✗ ") for line in EXAMPLES if line.startswith("✗ ")]
RECEIVED = [line.removeprefix("← ") for line in EXAMPLES if line.startswith("← ")]


@cache
def whole() -> Draft202012Validator:
    return Draft202012Validator(schema.build())


def section(title: str) -> str:
    """Return a section up to the next heading of its level or above."""
    level = re.search(rf"^(#+) {re.escape(title)}$", TEXT, re.MULTILINE)
    assert level, title
    rest = TEXT[level.end() :]
    return re.split(rf"^#{{1,{len(level[1])}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def words(text: str) -> set[str]:
    """Return what stands in backticks."""
    return set(re.findall(r"`([^`\n]+)`", text))


def test_every_line_of_an_example_is_a_message() -> None:
    assert len(SENT) + len(REFUSED) + len(RECEIVED) == len(EXAMPLES) > 40


@pytest.mark.parametrize("text", SENT, ids=range(len(SENT)))
def test_every_request_of_an_example_is_taken(text: str) -> None:
    assert decode_request(text)
    whole().validate(json.loads(text))


@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_every_bad_request_of_an_example_is_refused(text: str) -> None:
    with pytest.raises(RemoteProtocolError):
        decode_request(text)


@pytest.mark.parametrize("text", RECEIVED, ids=range(len(RECEIVED)))
def test_every_push_and_reply_of_an_example_is_one(text: str) -> None:
    assert not isinstance(decode_push_or_reply(text), Unknown)
    whole().validate(json.loads(text))


def test_every_request_has_a_row_and_an_example() -> None:
    rows = re.findall(r"^\| `([a-z]+)` \|", section("5. Requests"), re.MULTILINE)
    assert sorted(rows) == sorted(REQUESTS)
    assert {json.loads(text)["type"] for text in SENT} == set(REQUESTS)


def test_every_push_has_an_example() -> None:
    assert {json.loads(text)["type"] for text in RECEIVED} == {*PUSHES, "ok", "error"}


def test_every_field_of_a_room_is_described() -> None:
    told = section("6. Rooms and seats")
    for field in (*attrs.fields(RoomInfo), *attrs.fields(SeatInfo)):
        assert re.search(rf"\b{field.name}\b", told), field.name


def test_every_error_code_is_described() -> None:
    assert words(section("12. Error codes")) >= {code.value for code in ErrorCode}


def test_every_notice_code_is_described() -> None:
    assert words(section("7. Pushes")) >= {code.value for code in NoticeCode}


def test_every_close_code_is_described_with_its_reason() -> None:
    rows = re.findall(
        r"^\| (\d{4}) \| `([^`]+)` \| ?(.*) \|$", section("13. Close codes"), re.MULTILINE
    )
    assert {int(code): reason for code, reason, _ in rows} == {
        int(code): reason for code, reason in CLOSE_REASONS.items()
    }
    assert {int(code) for code, _, back in rows if back.startswith("yes")} == {
        int(code) for code, reason in CLOSE_REASONS.items() if reason.startswith("resumable")
    }


def test_every_limit_is_described_with_its_usual_value() -> None:
    told: dict[str, int] = {}
    for names, values in re.findall(
        r"^\| (`[^|]+`) \| ([\d ,]+) \|", section("14. Limits"), re.MULTILINE
    ):
        numbers = [int(number.replace(" ", "")) for number in values.split(",")]
        told |= dict(zip(re.findall(r"`(\w+)`", names), numbers, strict=True))
    assert told == attrs.asdict(limits.Limits())


def test_the_example_of_a_fair_deal_is_right() -> None:
    told = section("16. Fair deals and replays")
    found = dict(re.findall(r"^(seed|commitment|nonces|entropy) +(\S+)$", told, re.MULTILINE))
    seed = bytes.fromhex(found["seed"])
    entropy = hmac.digest(seed, found["nonces"].encode(), "sha256")
    assert hashlib.sha256(seed).hexdigest() == found["commitment"]
    assert entropy.hex() == found["entropy"]
    stream, picks = Entropy(entropy), []
    for _ in range(5):
        pick, stream = stream.pick(52)
        picks.append(str(pick))
    assert ", ".join(picks) in told
    assert f"`{''.join(Entropy(entropy).shuffle('ABCDEFGH')[0])}`" in told


# --- odoriko ---------------------------------------------------------------------------------

ODORIKO = section("18. odoriko on the wire")
EVENTS = [
    cls
    for name in events.__all__
    if issubclass(cls := getattr(events, name), Event) and cls is not Event
]


def event_rows() -> list[list[str]]:
    """Return the cells of each event's row: kind, public fields, private fields."""
    lines = [line for line in section("Events").splitlines() if line.startswith("| `")]
    return [line.split("|")[1:4] for line in lines if not line.startswith("| `kind`")]


@pytest.mark.parametrize("cls", EVENTS, ids=lambda cls: cls.kind)
def test_every_event_of_odoriko_is_described(cls: type[Event]) -> None:
    row = next(cells for cells in event_rows() if f"`{cls.kind}`" in cells[0])
    public, private = (re.findall(r"`(\w+\??)`", cell) for cell in row[1:])
    for field in attrs.fields(cls):
        hidden = "owners" in field.metadata
        name = field.name if hidden or field.default is attrs.NOTHING else f"{field.name}?"
        assert name in (private if hidden else public), field.name


def test_no_event_is_described_that_odoriko_does_not_have() -> None:
    told = {kind for cells in event_rows() for kind in re.findall(r"`(\w+)`", cells[0])}
    assert told == {cls.kind for cls in EVENTS}


def test_every_part_that_is_shown_of_odoriko_is_one_that_it_has() -> None:
    lines = [
        json.loads(line)
        for block in re.findall(r"```json\n(.*?)```", ODORIKO, re.DOTALL)
        for line in block.splitlines()
    ]
    fields = {cls.kind: {f.name for f in attrs.fields(cls)} for cls in EVENTS}
    told = [line for line in lines if line.get("kind") in fields]
    assert len(told) >= 6
    for event in told:
        assert event.keys() - {"kind"} <= fields[event["kind"]], event
    options = [line for line in lines if "args" in line]
    assert {option["kind"] for option in options} == {"use_event", "use_skill", "choose"}
    table = {f.name for f in attrs.fields(view.TableView)}
    assert all(line.keys() <= table for line in lines if "stack" in line)
    assert len(told) + len(options) < len(lines)


@pytest.mark.parametrize(
    "cls",
    [
        *(view.SeatView, view.LyingView, view.TableView, view.StackView, view.AuctionView),
        *(view.WindowView, view.PickView, view.JankenView, view.PlacingView, view.You),
        view.Answered,
    ],
    ids=lambda cls: cls.__name__,
)
def test_every_field_of_odorikos_view_is_described(cls: type) -> None:
    told = section("View")
    for field in attrs.fields(cls):
        ending = "" if field.default is attrs.NOTHING else r"\?"
        assert re.search(rf"[`{{ ]{field.name}{ending}[`}},]", told), field.name


def test_every_decision_of_odoriko_is_described() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", section("Decisions and options"), re.MULTILINE)
    assert sorted(rows) == sorted(PROMPTS)


def test_every_window_of_odoriko_is_described() -> None:
    kinds = ", ".join(f"`{window.kind}`" for window in WINDOWS[:-1])
    assert f"{kinds} and `{WINDOWS[-1].kind}`" in section("Decisions and options")
