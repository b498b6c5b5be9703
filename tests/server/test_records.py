"""What remains of a game: deals that can be checked, records that can be played again."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import trio
from kaguraden_rules.kernel import Act, Answer, CardId, Expire, Input, SeatId, replay
from kaguraden_rules.plain import to_plain
from kaguraden_server.fairness import Deal, commitment, entropy
from kaguraden_server.records import format_input, parse_input
from kaguraden_server.replays import ReplayFiles
from kaguraden_server.verify import Told, check_record
from trio.testing import MockClock

from tests.fakes import OFUDA

from .house import open_house, play_out


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        (Act(SeatId(0), Answer("0.17", "draw:resource")), "0 0.17 draw:resource"),
        (Act(SeatId(2), Answer("2.4", "bid", 3)), "2 2.4 bid = 3"),
        (Act(SeatId(1), Answer("1.9", "pay", ("9D", "10S"))), '1 1.9 pay = ["9D","10S"]'),
        (Act(SeatId(1), Answer("1.9", "odd id", ())), "1 1.9 odd id = []"),
        (Expire("window:12"), "expire window:12"),
    ],
)
def test_an_input_is_a_line_and_back(entry: Input, line: str) -> None:
    assert format_input(entry) == line
    assert parse_input(line) == entry


def test_the_entropy_is_the_hmac_of_the_nonces_in_order_of_the_seats() -> None:
    seed = bytes(range(32))
    listed = b'["00ff","","aa"]'
    assert entropy(seed, ["00ff", "", "aa"]) == hmac.digest(seed, listed, "sha256")
    assert commitment(seed) == hashlib.sha256(seed).hexdigest()


def test_no_two_rooms_share_a_seed_and_none_is_shown() -> None:
    one, two = Deal(), Deal()
    assert one.seed != two.seed
    assert len(one.seed) == 32
    assert one.seed.hex() not in repr(one)


async def test_a_replay_deals_and_plays_the_same_game_again(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, players = await house.table(("Aki", "Ben", "Chi"), turns=2)
        nonce = "ab" * 16
        await players[1].ask("ready", room=room, ready=True, nonce=nonce.upper())
        assert (await players[0].refused("replay", room=room)).code == "not_over"
        await players[0].ask("start", room=room)
        first = [await player.update() for player in players]
        fair = first[0]["events"][0]
        last = await play_out(room, players)
        record = (await players[0].ask("replay", room=room))["replay"]

    seed = bytes.fromhex(record["seed"])
    assert fair["kind"] == "fairness"
    assert fair["commitment"] == record["commitment"] == hashlib.sha256(seed).hexdigest()
    assert fair["nonces"] == record["nonces"] == ["", nonce, ""]
    assert record["entropy"] == entropy(seed, record["nonces"]).hex()
    assert record["format"] == 1
    assert last[0]["view"]["outcome"]["fairness"] == {"seed": record["seed"]}
    state = replay(
        OFUDA,
        OFUDA.parse_options(record["options"]),
        [tuple(CardId(card) for card in deck) for deck in record["decks"]],
        bytes.fromhex(record["entropy"]),
        [parse_input(line) for line in record["inputs"]],
    )
    assert to_plain(OFUDA.outcome(state)) == record["outcome"]
    checked = check_record(json.dumps(record).encode(), {OFUDA.id: OFUDA}, Told(nonces={1: nonce}))
    assert all(finding.ok for finding in checked)
    view = to_plain(OFUDA.view(state, SeatId(1)))
    del last[1]["view"]["outcome"]["fairness"]
    assert view == last[1]["view"]


async def test_records_are_written_whole_and_only_the_newest_are_kept(tmp_path: Path) -> None:
    files = ReplayFiles.within(tmp_path / "new", keep=2)
    for number in range(4):
        path = await files.save(f"KAGU-000{number}", {"game": "ofuda", "format": number})
        assert json.loads(path.read_text("utf-8"))["format"] == number
    kept = sorted(p.name for p in (tmp_path / "new" / "replays").iterdir())
    assert len(kept) == 2
    assert all(name.endswith(".json") for name in kept)
    assert any("KAGU-0003" in name for name in kept)


def test_what_a_killed_process_left_is_removed_at_the_start(tmp_path: Path) -> None:
    folder = tmp_path / "replays"
    folder.mkdir()
    for name in ("20260101T000000Z-ofuda-KAGU-7Q2F.tmp", "20260101T000000Z-ofuda-KAGU-2222.json"):
        (folder / name).write_text('{"format":', "utf-8")
    ReplayFiles.within(tmp_path, keep=5)
    assert [path.suffix for path in folder.iterdir()] == [".json"]


async def test_a_finished_game_is_written_to_the_data_folder(tmp_path: Path) -> None:
    saved = trio.Event()

    class Watched(ReplayFiles):
        async def save(self, room: str, replay: Mapping[str, Any]) -> Path:
            path = await super().save(room, replay)
            saved.set()
            return path

    async with open_house(replays=Watched.within(tmp_path, keep=5)) as house:
        # The real clock: a thread writes the file, and a clock that jumps does not wait for it.
        room, players = await house.started(window_min_ms=50, auction_ms=500)
        await play_out(room, players)
        record = (await players[0].ask("replay", room=room))["replay"]
        with trio.fail_after(5):
            await saved.wait()
        (path,) = (tmp_path / "replays").glob("*.json")
        assert json.loads(path.read_text("utf-8")) == record
