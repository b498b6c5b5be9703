"""The challenge of a day: one deal for everybody, told to nobody before the day is closed."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import define
from kaguraden_protocol import messages as m
from kaguraden_protocol.errors import RefusedError
from kaguraden_rules.catalogue import GAMES
from kaguraden_rules.enbu.books import BOOKS, digest
from kaguraden_rules.enbu.daily import book_of_the_day, daily_entropy
from kaguraden_rules.kernel import Act, Answer, Expire, Input, SeatId, replay
from kaguraden_server.config import DailySettings
from kaguraden_server.daily import Attempt, Daily, Standing, choices_text
from kaguraden_server.records import parse_input
from kaguraden_server.replays import ReplayFiles
from trio.testing import MockClock

from tests.server.house import Player, config
from tests.server.house import open_house as open_any_house

ENBU = GAMES["enbu"]
FAST = {"burst_requests": 10_000, "requests_per_second": 10_000}
KEY = bytes(range(32))
NOON = datetime(2025, 1, 1, 3, tzinfo=UTC).timestamp()  # in Japan
LATE = datetime(2025, 1, 1, 14, 50, tzinfo=UTC).timestamp()  # ten minutes to midnight in Japan
CLOSED_S = 12.5 * 3_600  # from noon until the day is closed
RANKED = "dan-3"  # EN-87
VALUE = daily_entropy(KEY, "2025-01-01", RANKED, digest(BOOKS[RANKED]))


open_house = partial(open_any_house, config(FAST, {"over_s": 86_400}), games=[ENBU])


@define
class Wall:
    """A wall clock that goes on as trio's does, from when it is first asked."""

    start: float = NOON
    since: float | None = None

    def __call__(self) -> float:
        try:
            now = trio.current_time()
        except RuntimeError:  # outside of trio no time passes
            return self.start
        if self.since is None:
            self.since = now
        return self.start + now - self.since


def days(start: float = NOON, folder: Path | None = None, **settings: Any) -> Daily:
    """Return the days of a server with a known key, at a time."""
    return Daily(DailySettings(**settings), key=KEY, folder=folder, wall=Wall(start))


async def open_room(player: Player, book: str = RANKED, **options: Any) -> str:
    made = await player.ask("create", game="enbu", options={"book": f"daily:{book}", **options})
    room: str = made["room"]
    await player.ask("ready", room=room, ready=True, nonce="ab" * 16)
    return room


async def begin(player: Player, book: str = RANKED, **options: Any) -> str:
    room = await open_room(player, book, **options)
    await player.ask("start", room=room)
    while room not in player.views:
        await player.update()
    return room


async def play(player: Player, room: str, turns: int = 100) -> int:
    """Perform what can be performed, stage the rest where it fits, finish; return the total."""
    while "outcome" not in player.views[room]["view"]:
        view, (decision,) = player.views[room]["view"], player.views[room]["decisions"]
        ids = [option["id"] for option in decision["options"] if option["kind"] != "undo"]
        board = view["you"]["board"]
        wanted = [i for i in ids if i.startswith("perform:")]
        wanted += [f"stage:{1 + board['turn'] % len(board['stage'])}", "next"]
        over = board["turn"] > turns
        await player.act(
            room, "finish" if over else next((w for w in wanted if w in ids), "finish")
        )
    (ranked,) = player.views[room]["view"]["outcome"]["ranking"]
    total: int = ranked["score"]
    return total


async def standings(player: Player, book: str = "today", **fields: Any) -> list[tuple[Any, ...]]:
    told = await player.ask("daily", book=book, **fields)
    return [(s["rank"], s["name"], s["total"]) for s in told["standings"]]


# --- the day -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "day", "left_s"),
    [
        (datetime(2025, 1, 1, 3, tzinfo=UTC), "2025-01-01", 45_000),
        (datetime(2025, 1, 1, 14, 59, 59, tzinfo=UTC), "2025-01-01", 1_801),
        (datetime(2024, 12, 31, 15, tzinfo=UTC), "2025-01-01", 88_200),
        (datetime(2024, 12, 31, 14, 59, 59, tzinfo=UTC), "2024-12-31", 1_801),
    ],
)
def test_the_day_is_the_date_in_japan(at: datetime, day: str, left_s: int) -> None:
    """EN-87, EN-89."""
    daily = days(at.timestamp())
    assert daily.today() == day
    assert daily.left_s(day) == left_s


def test_a_day_is_closed_half_an_hour_after_its_midnight() -> None:
    """EN-89."""
    closing = datetime(2025, 1, 1, 15, 30, tzinfo=UTC).timestamp()
    assert not days(closing - 1).is_closed("2025-01-01")
    assert days(closing).is_closed("2025-01-01")


# --- the room ----------------------------------------------------------------------------------


async def test_everybody_gets_the_deal_of_the_day_whatever_nonces_were_given(
    autojump_clock: MockClock,
) -> None:
    """EN-88: the value is the entropy itself, and the commitment is its SHA-256."""
    seen = []
    async with open_house(daily=days()) as house:
        for name in ("Aki", "Ben"):
            player = await house.enter(name)
            room = await begin(player)
            update = player.views[room]
            told = next(e for e in update["events"] if e["kind"] == "fairness")
            assert told["nonces"] == []
            assert told["commitment"] == hashlib.sha256(VALUE).hexdigest()
            seen.append(update["view"])
        dealt = ENBU.setup(ENBU.parse_options({"book": f"daily:{RANKED}"}), 1, [()], VALUE)
        board: Any = ENBU.view(dealt.state, SeatId(0)).you
    assert seen[0] == seen[1]
    assert seen[0]["you"]["board"]["flipped"] == board.board.flipped
    assert tuple(seen[0]["you"]["board"]["stack"]) == board.board.stack


async def test_a_room_for_a_day_has_one_seat(autojump_clock: MockClock) -> None:
    """EN-128."""
    async with open_house(daily=days()) as house:
        aki = await house.enter("Aki", locale="ja")
        for seats in (2, 8):
            options = {"book": f"daily:{RANKED}"}
            refused = await aki.refused("create", game="enbu", seats=seats, options=options)
            assert refused.code == "bad_options"
            assert refused.message.endswith("seats: 今日の演目帖は一人用です")
        for one in ({}, {"seats": 1}):
            options = {"book": "daily:kyu-3"}
            await aki.ask("create", game="enbu", options=options, **one)
            assert len((await aki.next("room"))["info"]["seats"]) == 1


async def test_a_room_stays_for_the_day_or_not(autojump_clock: MockClock) -> None:
    """EN-128, EN-151: its deal was made with it."""
    async with open_house(daily=days()) as house:
        aki = await house.enter("Aki", locale="ja")
        daily, free = await open_room(aki), (await aki.ask("create", game="enbu"))["room"]
        for room, book in ((daily, "daily:kyu-3"), (daily, RANKED), (free, f"daily:{RANKED}")):
            refused = await aki.refused("configure", room=room, options={"book": book})
            assert refused.code == "bad_options"
            assert "専用の部屋" in refused.message
        await aki.ask("configure", room=daily, options={"solo_turn_s": 60})
        await aki.ask("configure", room=free, options={"book": "kyu-1"})


async def test_a_day_that_is_over_is_not_begun(autojump_clock: MockClock) -> None:
    """EN-89, EN-151: an attempt begins on its day."""
    async with open_house(daily=days(LATE)) as house:
        aki = await house.enter("Aki")
        room = await open_room(aki)
        await trio.sleep(11 * 60)
        refused = await aki.refused("start", room=room)
        assert refused.code == "bad_options"
        assert refused.message.endswith(
            "the day 2025-01-01 is over; open a new room for today's challenge"
        )
        await begin(aki)


async def test_an_attempt_ends_by_the_clock_at_half_past_midnight(
    autojump_clock: MockClock,
) -> None:
    """EN-89, EN-150: also one that is paused."""
    async with open_house(daily=days(LATE)) as house:
        players = [await house.enter(name) for name in ("Aki", "Ben")]
        rooms = [await begin(player) for player in players]
        (clock,) = players[0].views[rooms[0]]["clock"]
        assert (clock["seat"], clock["total_ms"]) == (0, 40 * 60_000)
        await players[1].ask("pause", room=rooms[1], on=True)
        await trio.sleep(40 * 60 - 1)
        for player, room in zip(players, rooms, strict=True):
            await player.quiet()
            assert "outcome" not in player.views[room]["view"]
        await trio.sleep(2)
        for player, room in zip(players, rooms, strict=True):
            await player.quiet()
            outcome = player.views[room]["view"]["outcome"]
            assert outcome["reason"] == "clock"
            assert outcome["fairness"] == {"seed": VALUE.hex()}, "the day is closed"


async def test_nobody_plays_on_once_the_day_is_closed(autojump_clock: MockClock) -> None:
    """EN-89, EN-150: also where trio's clock stood still, as while a machine sleeps."""
    wall = Wall(NOON)
    async with open_house(daily=Daily(DailySettings(), key=KEY, wall=wall)) as house:
        aki = await house.enter("Aki")
        room = await begin(aki)
        await aki.act(room, "stage:1")
        wall.start += CLOSED_S + 5
        told = await aki.ask("daily", book="today", date="2025-01-01")
        assert told["seed"] == VALUE.hex()
        decision = aki.views[room]["decisions"][0]["id"]
        refused = await aki.refused("act", room=room, decision=decision, option="next")
        assert refused.code == "not_your_decision"
        view = aki.views[room]["view"]
        assert view["outcome"]["reason"] == "clock"
        assert view["you"]["board"]["turn"] == 1
        assert await standings(aki, date="2025-01-01") == [(1, "Aki", 0)]


# --- secrets -----------------------------------------------------------------------------------


async def test_the_seed_is_told_when_the_day_is_closed_and_not_before(
    autojump_clock: MockClock,
) -> None:
    """EN-72, EN-92, EN-128: neither by the outcome nor by the record nor by the standings."""
    async with open_house(daily=days()) as house:
        aki, eve = await house.enter("Aki"), await house.enter("Eve", locale="ja")
        room = await begin(aki)
        await eve.ask("join", room=room, **{"as": "spectator"})
        total = await play(aki, room)
        assert "fairness" not in aki.views[room]["view"]["outcome"]
        for player in (aki, eve):
            refused = await player.refused("replay", room=room)
            assert refused.code == "not_over"
            assert refused.details == {"room": room, "day": "2025-01-01"}
        assert (
            refused.message == "2025-01-01 の演目帖は、翌日の0時30分（日本時間）まで明かされません"
        )
        told = await aki.ask("daily", book=RANKED)
        assert told["closed"] is False
        assert "seed" not in told
        assert set(told["standings"][0]) == {"rank", "name", "total", "dropped", "turns"}

        everything = json.dumps([list(eve.pushes), list(aki.pushes), aki.views, eve.views])
        assert VALUE.hex() not in everything
        await trio.sleep(CLOSED_S - trio.current_time() - 1)
        assert [p for p in await aki.quiet() if "fairness" in json.dumps(p.get("view"))] == []
        await trio.sleep(2)
        for player in (aki, eve):
            await player.quiet()
            assert player.views[room]["view"]["outcome"]["fairness"] == {"seed": VALUE.hex()}
        record = (await aki.ask("replay", room=room))["replay"]
        assert (record["seed"], record["entropy"]) == (VALUE.hex(), VALUE.hex())
        assert record["nonces"] == []
        told = await aki.ask("daily", book=RANKED, date="2025-01-01")
        assert (told["closed"], told["seed"]) == (True, VALUE.hex())
        (standing,) = told["standings"]
        assert standing["total"] == total
        assert standing["choices"] == " ".join(line.split()[2] for line in record["inputs"])


async def test_no_more_records_of_a_day_wait_than_are_kept(tmp_path: Path) -> None:
    """Practice costs a few requests: it may not fill the disk."""
    wall = Wall()
    (tmp_path / "daily").mkdir()
    daily = Daily(DailySettings(), key=KEY, folder=tmp_path / "daily", wall=wall)
    files = ReplayFiles.within(tmp_path, 3)
    for n in range(5):
        await daily.hold("2025-01-01", f"{n}.json", {"n": n}, files.keep)
    waiting = sorted(file.name for file in (tmp_path / "daily" / "2025-01-01").iterdir())
    assert waiting == ["2.json", "3.json", "4.json"]
    await files.save("ROOM", {"game": "enbu"})
    wall.start += 86_400
    async with open_house(daily=daily, replays=files):
        with trio.fail_after(5):
            while (tmp_path / "daily" / "2025-01-01").exists() or len(kept(files)) > 3:
                await trio.lowlevel.checkpoint()
    assert len(kept(files)) == 3


def kept(files: ReplayFiles) -> list[Path]:
    return list(files.folder.iterdir())


async def test_the_record_waits_for_the_end_of_the_day(tmp_path: Path) -> None:
    """EN-128, EN-157: it comes to the others when the day is closed, whatever happened meanwhile."""
    wall = Wall()
    daily = Daily(DailySettings(), key=KEY, folder=tmp_path / "daily", wall=wall)
    (tmp_path / "daily").mkdir()
    files = ReplayFiles.within(tmp_path, 10)
    async with open_house(daily=daily, replays=files) as house:
        room = await begin(await house.enter("Aki"), "kyu-3")
        aki = await house.enter("Aki")
        room = await begin(aki)
        await play(aki, room, turns=2)
        with trio.fail_after(5):
            while not list((tmp_path / "daily").glob("*/*.json")):
                await trio.lowlevel.checkpoint()
    (held,) = (tmp_path / "daily" / "2025-01-01").iterdir()
    assert held.stat().st_mode & 0o077 == 0
    assert held.parent.stat().st_mode & 0o077 == 0
    await daily.release(files.folder)
    assert list(files.folder.iterdir()) == []
    later = Daily(DailySettings(), key=KEY, folder=tmp_path / "daily", wall=Wall(NOON + 86_400))
    await later.release(files.folder)
    (record,) = files.folder.iterdir()
    assert json.loads(record.read_bytes())["entropy"] == VALUE.hex()
    assert not held.parent.exists()


async def test_watchers_of_a_daily_are_told_nothing_before_its_end(
    autojump_clock: MockClock,
) -> None:
    """EN-142."""
    async with open_house(daily=days()) as house:
        aki, eve = await house.enter("Aki"), await house.enter("Eve")
        room = await begin(aki)
        await eve.ask("join", room=room, **{"as": "spectator"})
        await eve.update()
        seen = eve.seqs[room]
        for option in ("stage:1", "next", "stage:2", "next"):
            await aki.act(room, option)
        await eve.quiet()
        assert eve.seqs[room] == seen
        await aki.act(room, "finish")
        await eve.quiet()
        (seat,) = eve.views[room]["view"]["seats"]
        assert "board" not in seat
        assert (seat["ended"], seat["turn"]) == (True, 3)


# --- standings ---------------------------------------------------------------------------------


async def test_the_first_attempt_of_each_user_counts(autojump_clock: MockClock) -> None:
    """EN-89: by the start, whatever becomes of it; later ones are practice."""
    async with open_house(daily=days()) as house:
        aki, ben = await house.enter("Aki"), await house.enter("Ben")
        first = await begin(aki)
        second = await begin(aki)
        best = await play(aki, second)
        assert best > 0
        assert await standings(aki) == [], "practice, and the first is still played"
        await aki.act(first, "finish")
        assert await standings(aki) == [(1, "Aki", 0)]
        assert await play(ben, await begin(ben)) == best
        assert await standings(aki) == [(1, "Ben", best), (2, "Aki", 0)]
        assert await standings(aki, RANKED) == await standings(aki, f"daily:{RANKED}")


async def test_who_lets_an_attempt_die_has_no_other_that_day(autojump_clock: MockClock) -> None:
    """EN-153: whoever dislikes a deal gains nothing by staying away."""
    settings = config(FAST, {"empty_playing_s": 60})
    async with open_any_house(settings, games=[ENBU], daily=days()) as house:
        aki = await house.enter("Aki")
        room = await begin(aki)
        await aki.leave_line()
        await trio.sleep(70)
        assert room not in house.lobby.rooms
        back = await house.enter("Aki", resume=aki.hello["token"])
        assert back.user == aki.user
        await play(back, await begin(back))
        assert await standings(back) == []


async def test_a_rematch_is_another_attempt_at_the_same_day(autojump_clock: MockClock) -> None:
    async with open_house(daily=days()) as house:
        aki = await house.enter("Aki")
        room = await begin(aki)
        await aki.act(room, "finish")
        again = (await aki.ask("rematch", room=room))["room"]
        await aki.ask("ready", room=again, ready=True)
        await aki.ask("start", room=again)
        await aki.update()
        boards = [aki.views[r]["view"]["seats"][0] for r in (room, again)]
        assert boards[1]["turn"] == 1
        await play(aki, again)
        assert await standings(aki) == [(1, "Aki", 0)]


async def test_whoever_leaves_has_finished(autojump_clock: MockClock) -> None:
    """EN-85, EN-89."""
    async with open_house(daily=days()) as house:
        aki, ben = await house.enter("Aki"), await house.enter("Ben")
        room = await begin(aki)
        await aki.act(room, "stage:1")
        await aki.ask("leave", room=room)
        assert await standings(ben) == [(1, "Aki", 0)]


async def test_bots_and_other_books_are_not_ranked(autojump_clock: MockClock) -> None:
    """EN-88, EN-152."""
    async with open_house(daily=days()) as house:
        program = await house.enter("Robo", bot=True)
        await play(program, await begin(program))
        aki = await house.enter("Aki")
        room = await begin(aki, "kyu-3")
        await play(aki, room)
        for book in ("today", "kyu-3"):
            told = await aki.ask("daily", book=book)
            assert told["standings"] == []
            assert told["book"] == (RANKED if book == "today" else book)


async def test_who_once_said_to_be_a_bot_is_not_ranked_as_a_person(
    autojump_clock: MockClock,
) -> None:
    """EN-152: else one could practise first."""
    async with open_house(daily=days()) as house:
        program = await house.enter("Robo", bot=True)
        await play(program, await begin(program))
        person = await house.enter("Robo", resume=program.hello["token"])
        assert person.hello["resumed"] is True
        await play(person, await begin(person))
        assert await standings(person) == []


async def test_an_operator_may_count_addresses(autojump_clock: MockClock) -> None:
    """EN-128."""
    async with open_house(daily=days(by_address=True)) as house:
        for name, address in (("Aki", "10.0.0.1"), ("Aki", "10.0.0.1"), ("Ben", "10.0.0.2")):
            player = await (await house.connect(address)).open(name)
            await play(player, await begin(player), turns=1)
        assert [s[1] for s in await standings(player)] == ["Aki", "Ben"]
    async with open_house(daily=days()) as house:
        for name in ("Aki", "Ben"):
            player = await (await house.connect("10.0.0.1")).open(name)
            await play(player, await begin(player), turns=1)
        assert len(await standings(player)) == 2


async def test_who_practised_at_a_used_address_is_not_ranked_from_another(
    autojump_clock: MockClock,
) -> None:
    """EN-89: the first attempt of a player counts or none."""
    async with open_house(daily=days(by_address=True)) as house:
        aki, ben = [await (await house.connect("10.0.0.1")).open(name) for name in ("Aki", "Ben")]
        for player in (aki, ben):
            await play(player, await begin(player), turns=1)
        await ben.leave_line()
        moved = await (await house.connect("10.0.0.2")).open("Ben", resume=ben.hello["token"])
        assert moved.user == ben.user
        await play(moved, await begin(moved), turns=1)
        assert [s[1] for s in await standings(moved)] == ["Aki"]


async def test_no_more_attempts_are_ranked_than_the_operator_allows(
    autojump_clock: MockClock,
) -> None:
    async with open_house(daily=days(entries=1)) as house:
        for name in ("Aki", "Ben"):
            player = await house.enter(name)
            await play(player, await begin(player), turns=1)
        assert [s[1] for s in await standings(player)] == ["Aki"]


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"book": "kyu-9"}, "$.book"),
        ({"book": "ENBU1-AAAA"}, "$.book"),
        ({"book": "today", "date": "2025-01-02"}, "$.date"),
        ({"book": "today", "date": "2025-02-30"}, "$.date"),
    ],
)
async def test_what_there_is_no_day_for_is_refused(
    autojump_clock: MockClock, fields: dict[str, str], path: str
) -> None:
    """EN-155: no such book or day, or one to come."""
    async with open_house(daily=days()) as house:
        aki = await house.enter("Aki", locale="ja")
        refused = await aki.refused("daily", **fields)
        assert refused.code == "bad_options"
        assert [p["path"] for p in refused.details["problems"]] == [path]
        assert refused.message.startswith("設定に誤りがあります: ")
        assert not refused.message.split(": ", 2)[2].isascii()


async def test_a_day_gone_by_has_its_own_book(autojump_clock: MockClock) -> None:
    """EN-155."""
    async with open_house(daily=days()) as house:
        told = await (await house.enter("Aki")).ask("daily", book="today", date="2024-12-31")
        assert told["book"] == book_of_the_day("2024-12-31") != RANKED
        assert (told["closed"], told["standings"]) == (True, [])


async def test_a_server_without_the_game_has_no_daily(autojump_clock: MockClock) -> None:
    async with open_any_house() as house:
        refused = await (await house.enter("Aki")).refused("daily", book="today")
        assert (refused.code, refused.details) == ("unsupported", {"request": "daily"})


# --- what is kept ------------------------------------------------------------------------------


def standing(
    name: str, total: int, dropped: int = 0, turns: int = 20, choices: str = ""
) -> Standing:
    return Standing(name, total, dropped, turns, choices)


def put(folder: Path, standings: list[Standing], day: str = "2025-01-01") -> Path:
    file = folder / f"{day}.json"
    plain = {
        "format": 1,
        "date": day,
        "book": book_of_the_day(day),
        "seed": VALUE.hex(),
        "started": [],
        "standings": [
            {name: getattr(s, name) for name in ("name", "total", "dropped", "turns", "choices")}
            for s in standings
        ],
    }
    folder.mkdir(exist_ok=True)
    file.write_text(json.dumps(plain), "utf-8")
    return file


async def asked(daily: Daily, frame_bytes: int = 262_144, **fields: Any) -> m.DailyResult:
    return await daily.standings(ENBU, m.Daily(id=1, book="today", **fields), frame_bytes)


async def test_equal_attempts_share_a_rank(tmp_path: Path) -> None:
    """EN-67, W23: total, then drops, then turns; the next rank is skipped."""
    put(
        tmp_path,
        [
            *(standing("C", 31, 1, 34), standing("A", 31, 1, 36), standing("E", 31, 1, 36)),
            *(standing("B", 31, 2, 30), standing("D", 28, 0, 20)),
        ],
    )
    told = await asked(days(folder=tmp_path))
    assert [(s["rank"], s["name"]) for s in told.standings] == [
        *((1, "C"), (2, "A"), (2, "E"), (4, "B"), (5, "D"))
    ]


async def test_a_reply_has_as_many_standings_as_fit(tmp_path: Path) -> None:
    long = "stage:1 next " * 2_000
    put(tmp_path, [standing(f"P{n}", 300 - n, choices=long) for n in range(300)])
    daily = days(NOON + 86_400, folder=tmp_path)
    told = await asked(daily, date="2025-01-01")
    assert len(told.standings) == 100
    with_choices = ["choices" in s for s in told.standings]
    assert 0 < sum(with_choices) < 6
    assert with_choices == sorted(with_choices, reverse=True)
    size = len(json.dumps(list(told.standings)))
    assert size < 262_144
    assert len((await asked(daily, 65_536, date="2025-01-01")).standings) == 100


async def test_choices_that_nobody_is_told_are_not_kept(tmp_path: Path) -> None:
    put(tmp_path, [standing(f"P{n}", 300 - n, choices="take") for n in range(150)])
    daily = days(folder=tmp_path)
    ended = ENBU.setup(ENBU.parse_options({"book": f"daily:{RANKED}"}), 1, [()], VALUE)
    (decision,) = ENBU.decisions(ended.state).values()
    over = ENBU.act(ended.state, SeatId(0), Answer(decision.id, "finish"))
    outcome = ENBU.outcome(over.state)
    assert outcome is not None
    await daily.finish(Attempt("2025-01-01", "Last"), outcome, [])
    await daily.save("2025-01-01")
    kept = json.loads((tmp_path / "2025-01-01.json").read_bytes())["standings"]
    assert [s["choices"] for s in kept] == ["take"] * 100 + [""] * 51
    assert kept[-1]["name"] == "Last"


async def test_standings_outlive_the_server(tmp_path: Path) -> None:
    """EN-89: and so does what counts as a first attempt from an address."""

    async def attempt(address: str) -> Daily:
        daily = days(folder=tmp_path, by_address=True)
        async with open_house(daily=daily) as house:
            player = await (await house.connect(address)).open("Aki")
            await play(player, await begin(player), turns=1)
            await trio.testing.wait_all_tasks_blocked(0.05)
            await daily.save("2025-01-01")
            house.nursery.cancel_scope.cancel()
        return days(folder=tmp_path, by_address=True)

    for address, found in (("10.0.0.1", 1), ("10.0.0.1", 1), ("10.0.0.2", 2)):
        told = await asked(await attempt(address))
        assert len(told.standings) == found
    text = (tmp_path / "2025-01-01.json").read_text("utf-8")
    assert "10.0.0" not in text
    assert (tmp_path / "2025-01-01.json").stat().st_mode & 0o077 == 0


async def test_only_the_newest_days_are_kept(tmp_path: Path) -> None:
    for day in range(10, 20):
        put(tmp_path, [], f"2024-12-{day}")
    await days(folder=tmp_path, days=3).save("2025-01-01")
    kept = sorted(path.stem for path in tmp_path.iterdir())  # noqa: ASYNC240 - nothing else runs
    assert kept == ["2024-12-18", "2024-12-19", "2025-01-01"]


async def test_days_in_memory_are_bounded_too(autojump_clock: MockClock) -> None:
    daily = days(days=2)
    for _ in range(5):
        await asked(daily)
        await trio.sleep(86_400)
    assert len(daily._days) == 2
    kept = set(daily._days)
    for day in range(1, 30):
        await asked(daily, date=f"2024-12-{day:02}")
    assert set(daily._days) == kept, "days that nobody played take no room"


@pytest.mark.parametrize("text", ["", "{", '{"format": 2}', "[]", '{"format": 1}', "\x00", '"x"'])
async def test_a_file_that_cannot_be_read_is_put_aside(tmp_path: Path, text: str) -> None:
    file = tmp_path / "2025-01-01.json"
    file.write_text(text, "utf-8")
    daily = days(folder=tmp_path)
    assert (await asked(daily)).standings == ()
    await daily.save("2025-01-01")
    assert file.with_suffix(".broken").read_text("utf-8") == text
    assert json.loads(file.read_bytes())["standings"] == []


async def test_the_key_is_made_once_and_is_for_the_server_alone(tmp_path: Path) -> None:
    """EN-88: who knows it knows every day to come."""
    first, again = (Daily.within(tmp_path, DailySettings(), wall=Wall()) for _ in range(2))
    options = ENBU.parse_options({"book": "daily:kyu-3"})
    assert first.deal(ENBU, options) == again.deal(ENBU, options)
    file = tmp_path / "daily.key"
    assert len(file.read_bytes()) == 32
    assert file.stat().st_mode & 0o777 == 0o600
    assert Daily(DailySettings()).deal(ENBU, options) != Daily(DailySettings()).deal(ENBU, options)
    file.write_bytes(b"short")
    with pytest.raises(OSError, match=r"daily\.key is no key: 5 bytes, not 32"):
        Daily.within(tmp_path, DailySettings())


def test_choices_are_one_text_that_can_be_played_again() -> None:
    """EN-93, EN-155: with what the clock chose."""
    inputs: list[Input] = [
        Act(SeatId(0), Answer("0.1", "stage:1")),
        Act(SeatId(0), Answer("0.2", "undo")),
        Expire("turn:0:1"),
        Expire("day"),
    ]
    assert choices_text(inputs) == "stage:1 undo expire:turn:0:1 expire:day"


async def test_the_choices_told_lead_to_the_total_told(autojump_clock: MockClock) -> None:
    """EN-89, EN-93: whoever has seed and choices can check a standing."""
    async with open_house(daily=days()) as house:
        aki = await house.enter("Aki")
        await play(aki, await begin(aki))
        await trio.sleep(CLOSED_S)
        told = await aki.ask("daily", book=RANKED, date="2025-01-01")
    (entry,) = told["standings"]
    options = ENBU.parse_options({"book": f"daily:{told['book']}"})
    inputs = [
        parse_input(f"0 0.{number} {choice}")
        for number, choice in enumerate(entry["choices"].split(), 1)
    ]
    state = replay(ENBU, options, [()], bytes.fromhex(told["seed"]), inputs)
    outcome: Any = ENBU.outcome(state)
    (ranked,) = outcome.ranking
    assert (ranked.score, ranked.dropped, ranked.turns) == (
        *(entry["total"], entry["dropped"], entry["turns"]),
    )


async def test_nobody_can_ask_for_a_day_to_come_by_its_book() -> None:
    with pytest.raises(RefusedError):
        await asked(days(), date="2999-01-01")
