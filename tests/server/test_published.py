"""The published documents: current, true of every frame, false of every frame that was changed."""

from __future__ import annotations

import copy
import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trio
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator, Draft202012Validator
from kaguraden_protocol.compatible import broken
from kaguraden_rules.catalogue import GAMES
from kaguraden_server import published
from kaguraden_server.schema_command import RELEASED, check_files, schema
from trio.testing import MockClock

from tests.properties import enbu_play, odoriko_play, yumeochi_play
from tests.properties.odoriko_packs import TABLES
from tests.properties.sizes import games
from tests.published import Talk, check, check_closed, frames, is_valid, mutants
from tests.server.house import Line, config, open_house

Json = dict[str, Any]
FILES = Path(__file__).parents[2] / "protocol" / "schema"
SEEDS = st.integers(0, 2**48)
DOCUMENTS = {path: published.document(path) for path in published.PATHS}


# --- the files ---------------------------------------------------------------------------------


def test_the_committed_files_are_current_and_compatible_with_what_was_released() -> None:
    assert [fault.en for fault in check_files(FILES)] == []
    assert (FILES / RELEASED / "1.0" / "schema.json").is_file()


def test_every_document_is_a_schema_that_needs_no_other() -> None:
    for path, document in DOCUMENTS.items():
        if path != "asyncapi.json":
            Draft202012Validator.check_schema(document)
            Draft7Validator.check_schema(document)
        for reference in references(document):
            assert reference.startswith("#/")
            found: Any = document
            for step in reference.removeprefix("#/").split("/"):
                found = found[step]


def references(part: Any) -> Iterator[str]:
    match part:
        case dict():
            if isinstance(part.get("$ref"), str):
                yield part["$ref"]
            for entry in part.values():
                yield from references(entry)
        case list():
            for entry in part:
                yield from references(entry)


def test_every_definition_is_described() -> None:
    for path, document in DOCUMENTS.items():
        for name, part in document.get("$defs", {}).items():
            assert part.get("description"), (path, name)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_command_writes_what_it_finds_right(tmp_path: Path, language: str) -> None:
    command = CliRunner()
    written = command.invoke(schema, ["write", str(tmp_path), "--lang", language])
    assert written.exit_code == 0, written.output
    assert written.output.count(".json") == len(published.PATHS)
    said = command.invoke(schema, ["check", str(tmp_path), "--lang", language])
    assert (said.exit_code, said.output) == (
        0,
        "最新です。比べるべき公開済みの版はありません。\n"
        if language == "ja"
        else "Current. There is no release to compare them with.\n",
    )
    (tmp_path / "games" / "enbu.json").write_text("{}")
    said = command.invoke(schema, ["check", str(tmp_path), "--lang", language])
    assert said.exit_code == 1
    assert said.output.count("\n") == 1
    assert "enbu.json" in said.output


def test_the_check_says_what_broke_since_a_release(tmp_path: Path) -> None:
    shutil.copytree(FILES, tmp_path, dirs_exist_ok=True)
    old = tmp_path / RELEASED / "1.0" / "games" / "enbu.json"
    document = json.loads(old.read_text("utf-8"))
    document["$defs"]["FlippedEvent"]["properties"]["colour"] = {"type": "string"}
    old.write_text(json.dumps(document))
    (tmp_path / RELEASED / "1.0" / "other.json").write_text("{}")
    said = CliRunner().invoke(schema, ["check", str(tmp_path), "--lang", "en"])
    assert said.exit_code == 1
    assert said.output.splitlines() == [
        "games/enbu.json: since 1.0: FlippedEvent: the field `colour` is gone",
        "other.json: the document is gone.",
    ]


def checked(folder: Path) -> tuple[int, list[str]]:
    """Return the status of `schema check`, and its lines without the folder's name."""
    said = CliRunner().invoke(schema, ["check", str(folder), "--lang", "en"])
    assert said.exception is None or isinstance(said.exception, SystemExit)
    return said.exit_code, [line.removeprefix(f"{folder}/") for line in said.output.splitlines()]


@pytest.fixture
def released(tmp_path: Path) -> Path:
    """The folder of a release, in a copy of the files."""
    shutil.copytree(FILES, tmp_path, dirs_exist_ok=True)
    return tmp_path / RELEASED / "1.0"


DEEP = "[" * 100_000
ODD = "not what was published: "


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", f"{ODD}Expecting value: line 1 column 1 (char 0)"),
        (b"[]", f"{ODD}the document: no object"),
        (b"null", f"{ODD}the document: missing"),
        (b"{}", f"{ODD}the document: empty"),
        (b"{}{}", f"{ODD}Extra data: line 1 column 3 (char 2)"),
        (b"\xff\xfe{}", f"{ODD}no UTF-8 at byte 0"),
        (DEEP.encode(), f"{ODD}too many objects and arrays in each other"),
    ],
)
@pytest.mark.parametrize("path", published.PATHS)
def test_an_odd_file_of_a_release_is_one_line(
    released: Path, path: str, content: bytes, said: str
) -> None:
    (released / path).write_bytes(content)
    assert checked(released.parents[1]) == (1, [f"{RELEASED}/1.0/{path}: {said}"])


@pytest.mark.parametrize("path", published.PATHS)
def test_a_file_that_a_release_lost_is_missed(released: Path, path: str) -> None:
    (released / path).unlink()
    assert checked(released.parents[1]) == (1, [f"{RELEASED}/1.0/{path}: missing."])
    (released / path).mkdir()
    status, lines = checked(released.parents[1])
    assert (status, len(lines)) == (1, 1)
    assert lines[0].startswith(f"{RELEASED}/1.0/{path}: ")


def test_a_release_without_files_is_none(released: Path) -> None:
    (released.parent / "9.9").mkdir()
    assert checked(released.parents[1]) == (
        1,
        [f"{RELEASED}/9.9/{path}: missing." for path in ("asyncapi.json", "schema.json")],
    )


def test_a_file_in_place_of_the_releases_is_told(tmp_path: Path) -> None:
    shutil.copytree(FILES, tmp_path, dirs_exist_ok=True)
    shutil.rmtree(tmp_path / RELEASED)
    (tmp_path / RELEASED).write_text("")
    status, lines = checked(tmp_path)
    assert (status, len(lines)) == (1, 1)
    assert lines[0].startswith(f"{RELEASED}: ")


def test_files_with_other_ends_of_lines_are_right(released: Path) -> None:
    for file in released.parents[1].rglob("*.json"):
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert checked(released.parents[1]) == (
        0,
        ["Current, and compatible with what was released: 1.0."],
    )


@pytest.mark.parametrize("command", ["check", "write"])
def test_a_file_is_no_folder(tmp_path: Path, command: str) -> None:
    (tmp_path / "file").write_text("")
    said = CliRunner().invoke(schema, [command, str(tmp_path / "file")])
    assert said.exit_code == 2
    assert not isinstance(said.exception, OSError)


def test_a_folder_that_is_not_there_is_misuse(tmp_path: Path) -> None:
    assert CliRunner().invoke(schema, ["check", str(tmp_path / "nowhere")]).exit_code == 2


@pytest.mark.parametrize("game_id", list(GAMES))
def test_no_field_of_a_game_can_go_unseen(game_id: str) -> None:
    old = published.document(f"games/{game_id}.json")
    new = copy.deepcopy(old)
    parts = [part for part in (new, *new["$defs"].values()) if "properties" in part]
    assert len(parts) > 40
    for part in parts:
        for name, gone in list(part["properties"].items()):
            del part["properties"][name]
            assert broken(old, new), (part, name)
            part["properties"][name] = gone
    assert broken(old, new) == []


# --- frames of games -----------------------------------------------------------------------------


def game_frames(game_id: str, seed: int) -> Iterator[Json]:
    """Yield what everybody at a random table is sent."""
    rng = random.Random(seed)
    match game_id:
        case "odoriko":
            table = TABLES[rng.choice(("builtin", "builtin", "workshop", "all"))]
            cards = odoriko_play.random_room(rng, table.seats, table.game, **table.fixed)
            steps = ((t.state, t.events) for t in odoriko_play.play(cards, rng))
            yield from frames(cards.game, len(cards.decks), steps)
        case "enbu":
            book = enbu_play.random_room(rng)
            played = ((t.state, t.events) for t in enbu_play.play(book, rng))
            yield from frames(enbu_play.ENBU, book.seats, played)
        case _:
            dealt = yumeochi_play.random_room(rng)
            turns = ((t.state, t.events) for t in yumeochi_play.play(dealt, rng))
            yield from frames(yumeochi_play.YUMEOCHI, 4, turns)


@pytest.mark.parametrize(("game_id", "number"), [("odoriko", 3), ("enbu", 8), ("yumeochi", 6)])
def test_every_update_of_random_games_is_what_is_published_and_has_nothing_else(
    game_id: str, number: int
) -> None:
    @games(number)
    @given(SEEDS)
    def updates(seed: int) -> None:
        for update in game_frames(game_id, seed):
            check_closed(update, game=game_id)

    updates()


@pytest.mark.parametrize("game_id", list(GAMES))
def test_no_update_with_anything_wrong_is_what_is_published(game_id: str) -> None:
    @games(1)
    @given(SEEDS)
    def updates(seed: int) -> None:
        rng = random.Random(seed)
        told = list(game_frames(game_id, seed))
        for update in rng.sample(told, min(20, len(told))):
            for what, mutant in mutants(rng, update, 25):
                assert not is_valid(mutant, game=game_id), what

    updates()


def test_what_a_later_version_may_add_is_what_is_published() -> None:
    update = next(game_frames("enbu", 1))
    update["later"] = update["view"]["later"] = update["events"][0]["later"] = 1
    check(update, game="enbu")


def test_both_validators_agree() -> None:
    """The fast one of these tests, and the one that knows all of the draft."""
    slow = {path: Draft202012Validator(d) for path, d in DOCUMENTS.items()}
    for game_id in GAMES:
        rng = random.Random(1)
        for update in rng.sample(list(game_frames(game_id, 1)), 3):
            assert slow[f"games/{game_id}.json"].is_valid(update)
            assert slow["schema.json"].is_valid(update)
            for what, mutant in mutants(rng, update, 4):
                assert not slow[f"games/{game_id}.json"].is_valid(mutant), what


# --- frames of a server ----------------------------------------------------------------------------


class Listening:
    """A line that holds every frame against what is published."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self.talk = Talk()

    async def send(self, text: str) -> None:
        self.talk.sent(json.loads(text))
        await self.line.send(text)

    async def receive(self) -> str:
        text = await self.line.receive()
        self.talk.received(json.loads(text))
        return text

    async def aclose(self) -> None:
        await self.line.aclose()


async def test_every_frame_of_a_server_is_what_is_published(autojump_clock: MockClock) -> None:
    heard: set[str] = set()
    async with open_house(config(), games=GAMES.values()) as house:
        for game_id, seats in (("odoriko", 3), ("enbu", 2), ("yumeochi", 4)):
            people = []
            for name in ("Aki", "Ben", "Cho", "Dai")[:seats]:
                player = await house.connect()
                player.line = Listening(player.line)
                people.append(await player.open(name))
            host, *others = people
            await host.ask("rooms", watch=True)
            await host.ask("catalog", game=game_id)
            room = (await host.ask("create", game=game_id, seats=seats))["room"]
            for other in others:
                await other.ask("join", room=room)
            for player in people:
                await player.ask("ready", room=room, ready=True, nonce="00" * 16)
            await host.refused("act", room=room, decision="x", option="y")
            await host.ask("start", room=room)
            if game_id != "enbu":  # where players of a race do not talk
                await host.ask("chat", room=room, text="よろしく")
            await play(people, room)
            await host.ask("replay", room=room)
            for player in people:
                assert isinstance(player.line, Listening)
                heard |= player.line.talk.heard
    assert heard >= {
        *("hello", "rooms", "catalog", "create", "join", "ready", "start", "act", "replay"),
        *("ok", "error", "room", "update", "chat", "lobby"),
    }


async def play(people: list[Any], room: str) -> None:
    """Let everybody answer until the game is over, or time runs out for those who cannot."""
    rng = random.Random(3)

    async def answer(player: Any) -> None:
        while "outcome" not in player.views[room]["view"]:
            decisions = player.views[room]["decisions"]
            if not decisions:
                await player.update()
                continue
            option = rng.choice(decisions[0]["options"])
            value = value_for(rng, option.get("value"))
            try:
                await player.act(room, option["id"], value)
            except Exception as error:
                if getattr(error, "code", None) not in {"stale", "not_your_decision"}:
                    raise
                await player.update()

    async with trio.open_nursery() as nursery:
        for player in people:
            if room not in player.views:
                await player.update()
            nursery.start_soon(answer, player)


def value_for(rng: random.Random, spec: Json | None) -> Any:
    match spec:
        case None:
            return None
        case {"type": "int"}:
            return rng.randint(spec["min"], spec["max"])
        case _:
            return rng.sample(spec["from"], rng.randint(spec["min"], spec["max"]))
