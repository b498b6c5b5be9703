"""The prose specification says what the code does: its examples are read, its tables compared."""

from __future__ import annotations

import hashlib
import hmac
import json
import random
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

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
from kaguraden_rules.catalogue import GAMES, games
from kaguraden_rules.enbu import events as enbu_events
from kaguraden_rules.enbu import view as enbu_view
from kaguraden_rules.enbu.board import Result
from kaguraden_rules.enbu.race import Finisher
from kaguraden_rules.entropy import Entropy
from kaguraden_rules.kernel import Answer, Decision, Event, SeatId, redact
from kaguraden_rules.odoriko import events, view
from kaguraden_rules.odoriko.game import WINDOWS
from kaguraden_rules.odoriko.words import PROMPTS
from kaguraden_rules.plain import to_plain
from kaguraden_rules.yumeochi import events as yumeochi_events
from kaguraden_rules.yumeochi import state as yumeochi_state
from kaguraden_rules.yumeochi import view as yumeochi_view
from kaguraden_rules.yumeochi.options import Options
from kaguraden_rules.yumeochi.revealing import Revealed
from kaguraden_rules.yumeochi.sets import BASE
from kaguraden_rules.yumeochi.state import State

from tests.rules.yumeochi_positions import D, position, seat

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


# --- enbu ------------------------------------------------------------------------------------

ENBU = section("19. enbu on the wire")
GAME = GAMES["enbu"]
TOLD = [
    cls
    for name in enbu_events.__all__
    if issubclass(cls := getattr(enbu_events, name), enbu_events.Told)
    and cls is not enbu_events.Told
]
EVERYWHERE = {"seat", "audience"}  # of every event; the audience is not told


def rows(title: str, first: str) -> dict[str, list[str]]:
    """Return the rows of the table that begins with a cell, by the words of their first cells."""
    lines = section(title).splitlines()
    start = next(
        i
        for i, (line, below) in enumerate(pairwise(lines))
        if line.startswith(f"| {first} |") and below.startswith("|---")
    )
    found: dict[str, list[str]] = {}
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        head, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        found |= dict.fromkeys(re.findall(r"`([^`]+)`", head), cells)
    return found


def optional(cls: type) -> set[str]:
    """Return the names of a class's fields, with ? where they may be left out."""
    return {f.name if f.default is attrs.NOTHING else f"{f.name}?" for f in attrs.fields(cls)}


def test_every_option_of_enbu_is_described_with_its_default() -> None:
    properties: Any = GAME.options_schema()["properties"]
    told = rows("Options of enbu", "option")
    assert told.keys() == properties.keys()
    for name, cells in told.items():
        default = json.loads(cells[-1].strip("`"))
        assert default == properties[name]["default"]
        assert type(default) is type(properties[name]["default"])


@pytest.mark.parametrize("cls", TOLD, ids=lambda cls: cls.kind)
def test_every_event_of_enbu_is_described(cls: type[Event]) -> None:
    cells = rows("Events of enbu", "`kind` of enbu")[cls.kind]
    # What stands in brackets after a field explains it.
    assert set(re.findall(r"(?:^|, )`(\w+\??)`", cells[0])) == {
        name for name in optional(cls) if name.rstrip("?") not in EVERYWHERE
    }


def test_no_event_is_described_that_enbu_does_not_have() -> None:
    assert rows("Events of enbu", "`kind` of enbu").keys() == {cls.kind for cls in TOLD}


@pytest.mark.parametrize(
    ("first", "cls"),
    [
        ("`seats[]`", enbu_view.SeatView),
        ("`table`", enbu_view.TableView),
        ("`you`", enbu_view.You),
        ("`board`", enbu_view.BoardView),
    ],
)
def test_every_field_of_enbus_view_is_described(first: str, cls: type) -> None:
    assert rows("View of enbu", first).keys() == optional(cls)


def test_the_results_of_enbu_are_described() -> None:
    told = section("View of enbu")
    listed = re.search(r"`result\?` \| .*?`{([^}]+)}`", told)
    assert listed is not None
    assert set(listed[1].split(", ")) == optional(Result)
    assert all(f"`{field.name}`" in told for field in attrs.fields(Finisher))


def test_the_catalogue_of_enbu_is_described() -> None:
    found: Any = GAME.catalog()
    cards = list(found["cards"].values())
    shown = [
        ("of a card", [c for c in cards if c["kind"] == "card"]),
        ("of a program", [c for c in cards if c["kind"] == "program"]),
        ("of a book, by its id in `books`", list(found["books"].values())),
    ]
    for first, entries in shown:
        told = rows("Catalogue", first).keys()
        always = set.intersection(*(set(entry) for entry in entries))
        ever = set().union(*entries)
        assert told == always | {f"{name}?" for name in ever - always}, first


def test_every_kind_of_option_of_enbu_is_described_with_its_args() -> None:
    told = rows("Decisions of enbu", "`kind`")
    seen: dict[str, set[str]] = {}
    rng = random.Random(1)
    for number in range(12):
        step = GAME.setup(GAME.parse_options({"book": "dan-1"}), 1, [()], bytes([number] * 32))
        while decision := GAME.decisions(step.state).get(SeatId(0)):
            assert {decision.kind} <= {"place", "act"}
            for option in decision.options:
                assert option.value is None
                seen.setdefault(option.kind, set()).update(option.args)
            ids = [o.id for o in decision.options if o.kind not in {"finish", "undo"}]
            step = GAME.act(step.state, SeatId(0), Answer(decision.id, rng.choice(ids)))
    assert told.keys() == seen.keys()
    for kind, args in seen.items():
        row = rows_of_decisions()[kind]
        assert {name.rstrip("?") for name in re.findall(r"(?:^|, )`(\w+\??)`", row)} == args, kind


def rows_of_decisions() -> dict[str, str]:
    """Return what is told of the args of each kind of option."""
    lines = re.findall(
        r"^\| `(\w+)` \| `[^|]+ \| ?(.*) \|$", section("Decisions of enbu"), re.MULTILINE
    )
    return dict(lines)


def test_the_examples_of_enbu_are_what_it_says() -> None:
    (text,) = [
        line.removeprefix("← ")
        for line in ENBU.splitlines()
        if line.startswith('← {"type":"update"')
    ]
    update = json.loads(text)
    step = GAME.setup(GAME.parse_options({"book": "kyu-3"}), 1, [()], bytes(32))
    for choice in ("stage:1", "next"):
        decision = GAME.decisions(step.state)[SeatId(0)]
        step = GAME.act(step.state, SeatId(0), Answer(decision.id, choice))
    assert update["view"] == to_plain(GAME.view(step.state, SeatId(0)))
    (decision,) = GAME.decisions(step.state).values()
    (asked,) = update["decisions"]
    assert (asked["id"], asked["default"]) == (decision.id, decision.default)
    assert [option["id"] for option in asked["options"]] == [o.id for o in decision.options]
    assert update["events"] == [
        {k: v for k, v in to_plain_dict(event).items() if k != "audience"} for event in step.events
    ]
    kinds = {json.loads(line)["kind"] for line in ENBU.splitlines() if line.startswith('{"id"')}
    assert kinds == {"swap", "perform"}


def to_plain_dict(value: object) -> dict[str, Any]:
    """Return a value as a JSON object."""
    plain = to_plain(value)
    assert isinstance(plain, dict)
    return plain


# --- yumeochi --------------------------------------------------------------------------------

YUMEOCHI = section("20. yumeochi on the wire")
HAPPENED = [
    cls
    for name in yumeochi_events.__all__
    if isinstance(cls := getattr(yumeochi_events, name), type) and issubclass(cls, Event)
]


def test_every_option_of_yumeochi_is_described_with_its_default_and_its_values() -> None:
    properties: Any = GAMES["yumeochi"].options_schema()["properties"]
    told = rows("Options of yumeochi", "option")
    assert list(told) == list(properties)
    for name, (what, default) in told.items():
        schema = properties[name]
        assert json.loads(default.strip("`")) == schema["default"], name
        assert type(json.loads(default.strip("`"))) is type(schema["default"]), name
        if "minimum" in schema:
            assert f"{schema['minimum']} to {schema['maximum']}" in what, name
        elif name != "set" and "enum" in schema:
            assert re.findall(r"`(\w+)`", what)[: len(schema["enum"])] == schema["enum"], name


@pytest.mark.parametrize("cls", HAPPENED, ids=lambda cls: cls.kind)
def test_every_event_of_yumeochi_is_described(cls: type[Event]) -> None:
    public, private = rows("Events of yumeochi", "`kind` of yumeochi")[cls.kind]
    hidden = {f.name for f in attrs.fields(cls) if "owners" in f.metadata}
    fields = {n for n in optional(cls) if n.rstrip("?") not in {"hour", *hidden}}
    # What stands in brackets after a field, or behind a colon, explains it.
    assert set(re.findall(r"(?:^|, )`(\w+\??)`", public)) == fields
    assert set(re.findall(r"`(\w+)`", private)) == hidden


def test_no_event_is_described_that_yumeochi_does_not_have() -> None:
    told = rows("Events of yumeochi", "`kind` of yumeochi")
    assert told.keys() == {cls.kind for cls in HAPPENED}


@pytest.mark.parametrize(
    ("first", "cls"),
    [
        ("`seats[]`", yumeochi_view.SeatView),
        ("`table`", yumeochi_view.TableView),
        ("`you`", yumeochi_view.You),
    ],
)
def test_every_field_of_yumeochis_view_is_described(first: str, cls: type) -> None:
    assert rows("View of yumeochi", first).keys() == optional(cls)


@pytest.mark.parametrize(
    ("name", "cls"),
    [
        ("clock", yumeochi_view.PlaceView),
        ("proposal?", yumeochi_view.ProposalView),
        ("action?", yumeochi_view.ActionView),
        ("result?", yumeochi_state.Result),
        ("revealed?", Revealed),
        ("set", yumeochi_view.SetView),
    ],
)
def test_every_part_of_yumeochis_table_is_described(name: str, cls: type) -> None:
    (cell,) = rows("View of yumeochi", "`table`")[name]
    listed = re.search(r"`{([^}]+)}`", cell)
    assert listed is not None
    assert set(listed[1].split(", ")) == optional(cls)


def test_what_a_seat_of_yumeochi_alone_was_shown_is_described() -> None:
    """YU-107."""
    (told,) = re.findall(r"^An entry of `seen`.*?\.", section("View of yumeochi"), re.M | re.S)
    for cls in (yumeochi_state.Peeked, yumeochi_state.Received, yumeochi_state.Gained):
        assert f"`{cls.kind}`" in told
        assert all(f"`{field.name}`" in told for field in attrs.fields(cls))


# Every word that a card can use is in the other set, so all that can be asked comes up in a while.
WORKSHOP = Path(__file__).parents[1] / "rules" / "yumeochi_sets" / "workshop.toml"


@cache
def two_sets() -> Any:
    """Return the game with the base set and the other one."""
    return games({WORKSHOP.name: WORKSHOP.read_bytes()})["yumeochi"]


@cache
def played() -> tuple[list[Decision], list[Event]]:
    """Return what is asked and what happens in games at random, with both sets."""
    asked: list[Decision] = []
    happened: list[Event] = []
    rng = random.Random(1)
    for number in range(24):
        raw: dict[str, Any] = {"set": ("yumeochi-base", "workshop")[number % 2]}
        if number % 3:
            raw |= {"first_holder": "named", "death_shows_skill": True}
        options = two_sets().parse_options(raw)
        step = two_sets().setup(options, 4, [()] * 4, bytes([number] * 32))
        while two_sets().decisions(step.state):
            ((seat, decision),) = two_sets().decisions(step.state).items()
            asked.append(decision)
            happened += step.events
            likely = [o.id for o in decision.options if o.kind not in ("pass", "refuse")]
            choice = rng.choice(likely or [decision.default])
            step = two_sets().act(step.state, seat, Answer(decision.id, choice))
        happened += step.events
    for rare in (a_dream(), a_swap()):
        asked += two_sets().decisions(rare).values()
    return asked, happened


def a_dream() -> State:
    """Return the position of S-23 at its end: all are asked whether to play again (YU-88)."""
    lying = position(
        seat("gentleman"), seat(items="stopped_watch"), seat(stock="moon_shadow"), seat(),
        hour=12, start=D, origin=D, options=Options(BASE, replay="ask"),
    )  # fmt: skip
    state: State = two_sets().begin(lying).state
    for _ in range(4):
        (wait,) = two_sets().waits(state)
        state = two_sets().expire(state, wait.id).state
    return state


def a_swap() -> State:
    """Return a position in which a seat with two face-down skills is to hand one over (DP-5)."""
    lying = position(
        seat("watchmaker"), seat(skills="lantern ladder"),
        options=Options(two_sets().sets["workshop"]),
    )  # fmt: skip
    state = two_sets().begin(lying).state
    ((acting, decision),) = two_sets().decisions(state).items()
    swap = next(o.id for o in decision.options if o.args.get("target_skill") == "face_down")
    asked: State = two_sets().act(state, acting, Answer(decision.id, swap)).state
    return asked


def test_every_decision_of_yumeochi_is_described_with_its_options_and_default() -> None:
    told = rows("Decisions of yumeochi", "decision")
    seen: dict[str, set[str]] = {}
    for decision in played()[0]:
        kinds = [option.kind for option in decision.options]
        _, options, default = told[decision.kind]
        order = re.findall(r"`(\w+)`", options)
        assert kinds == sorted(kinds, key=order.index), decision
        assert decision.sealed == (decision.kind == "rematch")
        if default.startswith("`"):
            assert decision.default == default.strip("`")
        elif default == "the first":
            assert decision.default == decision.options[0].id
        seen.setdefault(decision.kind, set()).update(kinds)
    assert {kind: set(re.findall(r"`(\w+)`", cells[1])) for kind, cells in told.items()} == seen


def test_every_kind_of_option_of_yumeochi_is_described_with_its_args() -> None:
    told = rows("Decisions of yumeochi", "`kind`")
    picks = rows("Decisions of yumeochi", "pick").keys()
    seen: dict[str, set[str]] = {}
    picked: set[str] = set()
    for option in (option for decision in played()[0] for option in decision.options):
        args = dict(option.args)
        parts = [option.kind, *(str(args[name]) for name in args if name != "source")]
        assert (option.id, option.value) == (":".join(parts), None)
        own = args.keys() & set(re.findall(r"`(\w+)`", told[option.kind][1].partition("(")[0]))
        if "the picks" in told[option.kind][1]:
            picked |= args.keys() - {"card", "source"}
        else:
            assert own == args.keys(), option
        seen.setdefault(option.kind, set()).update(own)
    assert told.keys() == seen.keys()
    assert {f"{name}?" for name in picked} == picks
    for kind, (example, _) in told.items():
        assert example.strip("`").split(":")[0] == kind or kind == "yes"


def test_causes_in_events_of_yumeochi_are_described() -> None:
    """All that are no card have a word."""
    (told,) = re.findall(r"^`cause` is.*?(?=`which`)", YUMEOCHI, re.MULTILINE | re.DOTALL)
    by_kind = {
        kind: set(re.findall(r"`(\w+)`", said))
        for kind, said in re.findall(r"of `(\w+)`((?:,? ?(?:or)?\s`\w+`)+)", told)
    }
    seen: dict[str, set[str]] = {}
    cards = {card for pack in two_sets().catalog()["packs"] for card in pack["cards"]}
    for event in played()[1]:
        cause = getattr(event, "cause", None)
        if cause is not None and cause not in cards:
            seen.setdefault(event.kind, set()).add(cause)
    assert seen.keys() == by_kind.keys()
    assert all(causes <= by_kind[kind] for kind, causes in seen.items())


def test_options_of_yumeochi_that_are_shown_are_some_that_it_has() -> None:
    shown = [json.loads(line) for line in YUMEOCHI.splitlines() if line.startswith('{"id"')]
    assert {option["kind"] for option in shown} == {"use", "give", "exchange", "action"}
    seen = {
        (option.kind, option.args.get("card"), *option.args)
        for decision in played()[0]
        for option in decision.options
    }
    for option in shown:
        kind, args = option["kind"], option["args"]
        card = args.get("card")
        assert any(row[0] == kind and row[2:] == (*args,) for row in seen), option
        assert kind != "use" or (kind, card, *args) in seen
        parts = [kind, *(str(args[name]) for name in args if name != "source")]
        assert option["id"] == ":".join(parts)


def test_the_catalogue_of_yumeochi_is_described() -> None:
    found: Any = GAMES["yumeochi"].catalog()
    entries = list(found["cards"].values())
    told = rows("Catalogue of yumeochi", "of a card of yumeochi").keys()
    always = set.intersection(*(set(entry) for entry in entries))
    assert told == always | {f"{name}?" for name in set().union(*entries) - always}
    listed = re.search(r"`packs` has all sets, each `{([^}]+)}`", YUMEOCHI)
    assert listed is not None
    assert all(set(re.split(r",\s", listed[1])) == set(pack) for pack in found["packs"])


def test_the_example_of_yumeochi_is_what_it_says() -> None:
    (text,) = [
        line.removeprefix("← ")
        for line in YUMEOCHI.splitlines()
        if line.startswith('← {"type":"update"')
    ]
    update = json.loads(text)
    game, me = GAMES["yumeochi"], SeatId(0)
    step = game.setup(game.parse_options({}), 4, [()] * 4, bytes([123] * 32))
    decision = game.decisions(step.state)[me]
    step = game.act(step.state, me, Answer(decision.id, "use:keyhole"))
    assert update["view"] == to_plain(game.view(step.state, me))
    assert update["events"] == [to_plain(redact(event, me)) for event in step.events]
    (decision,) = game.decisions(step.state).values()
    (asked,) = update["decisions"]
    assert (asked["id"], asked["default"]) == (decision.id, decision.default)
    assert [option["id"] for option in asked["options"]] == [o.id for o in decision.options]
    (wait,) = game.waits(step.state)
    (clock,) = update["clock"]
    assert (clock["seat"], clock["total_ms"]) == (wait.seats[0], (wait.limit_s or 0) * 1000)
