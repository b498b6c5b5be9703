"""Rehearsals of enbu by clients that know only the protocol, against a real server process.

Solo games and races are played to the end and compared with their records; a seat leaves, a line
breaks, answers are sent twice, and what a rival is told is watched on the wire.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio

from tests.end_to_end.house import SETTINGS, House, open_house
from tests.end_to_end.raw import Client, Place, Refused, connected
from tests.end_to_end.test_games import check_fairness, check_replay, connect_all

Json = dict[str, Any]
LATER = frozenset({"finish"})  # not before it is all that is left


@asynccontextmanager
async def race(house: House, seats: int, watchers: int = 0, **options: Any) -> Any:
    """Open a room of enbu with a client in each seat; yield clients and places once it has begun."""
    with trio.fail_after(120):
        async with trio.open_nursery() as nursery:
            clients = await connect_all(house, seats + watchers, "enbu", nursery)
            host, *guests = clients
            place = await host.create_room("enbu", seats, options)
            places = [place]
            for number, guest in enumerate(guests, 1):
                role = "player" if number < seats else "spectator"
                places.append(await guest.join(place.room, role))
            for client, theirs in zip(clients[:seats], places, strict=False):
                await client.get_ready(theirs)
                theirs.avoided = LATER
            await host.ask("start", room=place.room)
            for client, theirs in zip(clients, places, strict=True):
                while not theirs.seq:
                    await client.read()
            yield clients, places
            nursery.cancel_scope.cancel()


async def play_all(clients: list[Client], places: list[Place]) -> None:
    async with trio.open_nursery() as nursery:
        for client, place in zip(clients, places, strict=True):
            playing = client.play if place.seat is not None else client.watch
            nursery.start_soon(playing, place)


async def act(client: Client, place: Place, option: str) -> None:
    (decision,) = place.decisions
    await client.ask("act", room=place.room, decision=decision["id"], option=option)


async def silence(client: Client) -> list[Json]:
    """Return what comes until the server has nothing more to say."""
    request = await client.send("ping")
    told: list[Json] = []
    while True:
        message = await client.read()
        if message.get("re") == request["id"]:
            return told
        told.append(message)


def check_events(place: Place) -> None:
    """The events of one's own rehearsal tell the same as its table (protocol section 19)."""
    board = place.view["you"]["board"]
    own = [e for e in place.events if e.get("seat") == place.seat and e["kind"] != "figures"]
    assert own[0]["kind"] == "setup"
    (end,) = [e for e in own if e["kind"] == "end"]
    result = {name: value for name, value in end.items() if name not in {"kind", "seat"}}
    assert result == board["result"]
    valid: list[tuple[int, Json]] = []  # an undo takes back what came after event `last`
    for number, event in enumerate(own, 1):
        if event["kind"] == "undo":
            valid = [(n, e) for n, e in valid if n <= event["last"]]
        valid.append((number, event))
    performed = [e for _, e in valid if e["kind"] == "perform"]
    assert [e["program"] for e in performed] == board["gained"]
    assert sum(e["points"] for e in performed) == board["total"]
    assert sum(e["kind"] == "flip" for e in own) == board["turn"]


@pytest.mark.parametrize("book", ["kyu-3", "kamiari-6", "dan-5"])
async def test_a_rehearsal_is_played_to_the_end(house: House, book: str) -> None:
    """EN-72, EN-91: alone and without a clock; a watcher sees it all."""
    async with race(house, 1, watchers=1, book=book) as (clients, places):
        (host, _), (place, watched) = clients, places
        committed = place.info["commitment"]
        assert watched.view["seats"][0]["board"] == place.view["you"]["board"]
        await play_all(clients, places)
        record = (await host.ask("replay", room=place.room))["replay"]
        check_fairness(places, record, committed, record["nonces"])
        check_replay(places, record)
        check_events(place)
        assert place.view["outcome"]["ranking"][0]["score"] == place.view["you"]["board"]["total"]
        assert watched.events[1:] == place.events[1:], "the events are those of its player"


async def test_a_race_of_three_is_played_to_the_end(house: House) -> None:
    """EN-80, EN-81, EN-86: on one shuffle, each at an own pace."""
    async with race(house, 3, watchers=1, book="dan-3", race_turn_s=300) as (clients, places):
        first = [place.view["you"]["board"] for place in places[:3]]
        assert first[0] == first[1] == first[2]
        assert all("board" not in seat for place in places for seat in place.view["seats"])
        await play_all(clients, places)
        record = (await clients[0].ask("replay", room=places[0].room))["replay"]
        check_replay(places, record)
        for place in places[:3]:
            check_events(place)
        boards = [[seat["board"] for seat in place.view["seats"]] for place in places]
        assert all(seen == boards[0] for seen in boards), "all tables are shown"
        flips = [
            [e["card"] for e in place.events if e["kind"] == "flip" and e["seat"] == place.seat]
            for place in places[:3]
        ]
        deck = places[0].events[1]["deck"]
        common = min(deck, *map(len, flips))
        assert len({tuple(cards[:common]) for cards in flips}) == 1, "turn t shows the same card"


async def test_a_race_goes_on_when_one_leaves(house: House) -> None:
    """EN-85: leaving is `finish`."""
    async with race(house, 3, book="kamiari-1") as (clients, places):
        for option in ("stage:1", "next", "stage:2"):
            await act(clients[2], places[2], option)
        await clients[2].ask("leave", room=places[2].room)
        await play_all(clients[:2], places[:2])
        record = (await clients[0].ask("replay", room=places[0].room))["replay"]
        check_replay(places[:2], record)
        theirs = [line for line in record["inputs"] if line.startswith("2 ")]
        assert theirs[-1].endswith(" finish")
        result = places[0].view["seats"][2]["board"]["result"]
        assert (result["reason"], result["turns"]) == ("finish", 2)


def steps() -> Iterator[list[str]]:
    """Yield what one may do in a turn before it is closed."""
    yield []
    yield ["stage:1"]
    yield ["stage:1", "undo", "take"]
    yield ["stage:1", "undo", "take", "undo", "stage:2", "undo", "stage:3"]


async def test_nothing_of_a_turn_is_told_to_a_rival_before_it_may_know(house: House) -> None:
    """EN-82, EN-83, EN-92: neither what, nor how much, nor that anything happened."""
    streams: list[list[str]] = []
    for busy in steps():
        async with race(house, 2, book="kamiari-1") as (clients, places):
            (aki, ben), (hers, his) = clients, places
            await silence(ben)
            for option in busy:
                await act(aki, hers, option)
                assert await silence(ben) == []
            told: list[str] = []
            for option in ("stage:1", "next", "stage:2", "next"):
                before = his.seq
                await act(ben, his, option)
                told.append(f"{option} {his.seq - before} {his.view['seats'][0]}")
            streams.append(told)
            unknown = {"total": 0, "gained": 0, "turn": 0, "ended": False}
            assert his.view["seats"][0] == {"seat": 0, **unknown}
    assert all(told == streams[0] for told in streams)


async def test_closed_turns_are_told_when_the_rival_has_closed_as_many(house: House) -> None:
    """EN-83, W22."""
    async with race(house, 2, book="kamiari-1") as (clients, places):
        (aki, ben), (hers, his) = clients, places
        for option in ("stage:1", "next", "stage:2", "next", "finish"):
            await act(aki, hers, option)
            assert await silence(ben) == [], option
        for turn in (1, 2):
            await act(ben, his, "stage:1")
            assert his.view["seats"][0]["turn"] == turn - 1
            await act(ben, his, "next")
            assert his.view["seats"][0]["turn"] == turn
            assert his.view["seats"][0]["ended"] is False
            assert 0 in his.view["asked"]
        await act(ben, his, "stage:1")
        await act(ben, his, "next")
        assert his.view["seats"][0]["ended"] is True
        assert his.view["asked"] == [1]
        figures = [e for e in his.events if e["kind"] == "figures"]
        assert [(e["turn"], e["ended"]) for e in figures] == [(1, False), (2, False), (3, True)]


async def test_the_same_answer_again_gets_the_same_reply(house: House) -> None:
    """EN-124: a decision id never comes back, so an answer cannot be done twice."""
    async with race(house, 1, book="kyu-1") as ((client,), (place,)):
        (first,) = place.decisions
        stage = {"room": place.room, "decision": first["id"], "option": "stage:1"}
        done = await client.ask("act", **stage)
        assert await client.ask("act", **stage) == done
        await act(client, place, "undo")
        (again,) = place.decisions
        assert again["id"] != first["id"]
        assert again["options"] == first["options"]
        assert await client.ask("act", **stage) == done, "still the answer to the first"
        assert place.view["you"]["board"]["phase"] == "place"
        with pytest.raises(Refused) as refused:
            await client.ask("act", **{**stage, "option": "stage:2"})
        assert refused.value.code == "stale"
        assert refused.value.details["current"] == [again["id"]]


async def test_a_lost_line_keeps_the_seat_and_its_turn(house: House) -> None:
    """EN-85: whoever comes back is told exactly what it missed."""
    async with race(house, 2, book="kamiari-2", race_turn_s=300) as (clients, places):
        (aki, _), (hers, his) = clients, places
        await act(aki, hers, "stage:1")
        (open_,) = hers.decisions
        token, seen = aki.hello["token"], hers.seq
        await aki.send("act", room=hers.room, decision=open_["id"], option="next")
        await aki.ws.aclose()  # the reply is not read
        async with connected(house.url, "Aki", 2, resume=token) as back:
            assert back.hello["resumed"] is True
            (room,) = [r for r in back.hello["rooms"] if r["room"] == hers.room]
            assert room["seat"] == 0
            place = back.places.setdefault(hers.room, Place(hers.room, 0, seq=seen))
            place.view, place.avoided = hers.view, LATER
            synced = await back.ask("sync", room=hers.room, seq=seen)
            assert synced["seq"] == place.seq
            again = {"room": hers.room, "decision": open_["id"], "option": "next"}
            assert (await back.ask("act", **again))["seq"] <= place.seq, "sent again, done once"
            assert place.view["you"]["board"]["turn"] == 2
            (clock,) = [c for c in await clocks(back, place) if c["seat"] == 0]
            assert 0 < clock["left_ms"] <= 300_000
            await play_all([back, clients[1]], [place, his])
            record = (await back.ask("replay", room=hers.room))["replay"]
            check_replay([place, his], record)


async def clocks(client: Client, place: Place) -> list[Json]:
    """Return the clocks of a whole update."""
    place.seq = 0
    request = await client.send("sync", room=place.room)
    found: list[Json] = []
    while True:
        message = await client.read()
        if message.get("type") == "update":
            found = message["clock"]
        if message.get("re") == request["id"]:
            return found


async def test_players_of_a_race_are_quiet(house: House) -> None:
    """EN-85."""
    async with race(house, 2, watchers=1) as (clients, places):
        for client in clients[:2]:
            with pytest.raises(Refused) as refused:
                await client.ask("chat", room=places[0].room, text="psst")
            assert refused.value.code == "room_started"
        await clients[2].ask("chat", room=places[0].room, text="good luck")


async def test_the_first_attempt_at_the_book_of_the_day_is_ranked(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """EN-88, EN-89, EN-128: the same deal twice, listed once, and not told before the day ends."""
    folder = tmp_path_factory.mktemp("daily")
    settings = f'{SETTINGS}\n[data]\ndir = "{folder / "data"}"\n'
    with trio.fail_after(60), open_house(folder, settings) as house:
        async with (
            connected(house.url, "Aki", 1, bot=False) as aki,
            connected(house.url, "Ben", 1, bot=False) as ben,
        ):
            today = await aki.ask("daily", book="today")
            assert today == {**today, "closed": False, "standings": []}
            assert "seed" not in today
            book = f"daily:{today['book']}"
            boards, results, commitments = [], [], set()
            for client, turns in ((aki, 0), (aki, 100), (ben, 100)):
                place = await client.create_room("enbu", 1, {"book": book})
                await client.get_ready(place)
                await client.ask("start", room=place.room)
                while not place.seq:
                    await client.read()
                commitments.add(place.info["commitment"])
                boards.append(place.view["you"]["board"])
                results.append(await rehearse(client, place, turns))
                fairness = next(e for e in place.events if e["kind"] == "fairness")
                assert fairness["nonces"] == []
                assert "fairness" not in place.view["outcome"]
                with pytest.raises(Refused) as refused:
                    await client.ask("replay", room=place.room)
                assert refused.value.code == "not_over"
                assert refused.value.details["day"] == today["date"]
            assert boards[0] == boards[1] == boards[2]
            assert len(commitments) == 1
            told = (await ben.ask("daily", book=today["book"]))["standings"]
            assert results[1] == results[2], "the same deal, played in the same way"
            # Ranked are Aki's first attempt and Ben's; who made more points in fewer turns leads.
            ranked = [(places_key(results[0]), "Aki"), (places_key(results[2]), "Ben")]
            assert [(standing_key(s), s["name"]) for s in told] == sorted(ranked)
            assert [s["rank"] for s in told] == [1, 2]
            assert all("choices" not in standing for standing in told)
        data = folder / "data"
        assert list((data / "replays").iterdir()) == []
        assert len(list((data / "daily" / today["date"]).iterdir())) == 3
        kept = json.loads((data / "daily" / f"{today['date']}.json").read_bytes())
        assert {hashlib.sha256(bytes.fromhex(kept["seed"])).hexdigest()} == commitments
    with open_house(folder, settings) as house:
        async with connected(house.url, "Cho", 1) as cho:
            again = await cho.ask("daily", book=today["book"], date=today["date"])
            assert again["standings"] == told, "the next server tells the same"


def places_key(entry: Json) -> tuple[int, int, int]:
    """Return what attempts are compared by, of an entry of a ranking (EN-67)."""
    return -entry["score"], entry["dropped"], entry["turns"]


def standing_key(standing: Json) -> tuple[int, int, int]:
    """Return the same of a standing."""
    return -standing["total"], standing["dropped"], standing["turns"]


async def rehearse(client: Client, place: Place, turns: int) -> Json:
    """Perform what can be performed, stage the rest in turn, finish after so many turns."""
    while "outcome" not in place.view:
        board, (decision,) = place.view["you"]["board"], place.decisions
        ids = [option["id"] for option in decision["options"]]
        slots = len(board["stage"])
        wanted = [i for i in ids if i.startswith("perform:")]
        wanted += [f"stage:{1 + board['turn'] % slots}", "next"]
        over = board["turn"] > turns
        await act(
            client, place, "finish" if over else next((w for w in wanted if w in ids), "finish")
        )
    entry: Json = place.view["outcome"]["ranking"][0]
    return entry
