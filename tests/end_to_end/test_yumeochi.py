"""Games of yumeochi by clients that know only the protocol, against a real server process.

Four connections take what they are offered until the game is over, and a fifth looks on. The
clients check the protocol while they play (`raw`); afterwards what each was shown is compared with
the record and with what the others were shown.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio

from tests.end_to_end.house import House
from tests.end_to_end.raw import Client, Place, connected, is_over
from tests.end_to_end.test_games import check_fairness, check_replay, connect_all

Json = dict[str, Any]
SEATS = 4
# No clock of a seat runs out, however slow the machine.
PATIENT = {
    "clock_turn": 600,
    "clock_consent": 300,
    "clock_followup": 300,
    "clock_absent": 60,
    "bot_pace": 0,
}
GAMES_IN_A_ROW = 6
EVERY_KIND = frozenset(
    ["open", "use", "take", "give", "exchange", "action", "pass", "refuse", "agree", "yes", "no"]
)  # what so many games are sure to bring


class Table:
    """Clients in all seats and one that watches, and what each sees."""

    def __init__(self, clients: list[Client], places: list[Place]) -> None:
        self.clients = clients
        self.places = places
        self.nonces: list[str] = []
        self.committed = ""

    async def play(self) -> None:
        """Play to the end."""
        async with trio.open_nursery() as nursery:
            for client, place in zip(self.clients, self.places, strict=True):
                nursery.start_soon(client.watch if place.seat is None else client.play, place)

    async def check(self) -> Json:
        """Compare what all were shown with the record, and with each other; return the record."""
        record: Json = (await self.clients[0].ask("replay", room=self.places[0].room))["replay"]
        check_fairness(self.places, record, self.committed, self.nonces)
        check_replay(self.places, record)
        check_events(self.places)
        assert all(place.stale == [] for place in self.places), "no offer was changed meanwhile"
        return record


@asynccontextmanager
async def seated(house: House, seed: object, **options: Any) -> AsyncIterator[Table]:
    """Open a room with clients in all seats and one that watches; the game has begun."""
    with trio.fail_after(120):
        async with trio.open_nursery() as nursery:
            clients = await connect_all(house, SEATS + 1, f"yumeochi {seed}", nursery)
            host, *guests = clients
            place = await host.create_room("yumeochi", SEATS, {**PATIENT, **options})
            table = Table(clients, [place])
            for number, guest in enumerate(guests, 1):
                role = "player" if number < SEATS else "spectator"
                table.places.append(await guest.join(place.room, role))
            for client, theirs in zip(clients[:SEATS], table.places, strict=False):
                table.nonces.append(await client.get_ready(theirs))
            table.committed = place.info["commitment"]
            await host.ask("start", room=place.room)
            yield table
            nursery.cancel_scope.cancel()


def check_events(places: list[Place]) -> None:
    """All are told of the same events; private fields come on top (YU-110)."""
    (watched,) = [place.events for place in places if place.seat is None]
    for place in places:
        assert [e["kind"] for e in place.events] == [e["kind"] for e in watched]
        for told, public in zip(place.events, watched, strict=True):
            assert {**told, **public} == told


def is_late(view: Json) -> bool:
    """Tell whether a game has been played for a while."""
    return is_over(view) or view.get("table", {}).get("hour", 0) > 3


async def test_games_are_played_to_the_end_by_options_alone(house: House) -> None:
    """YU-42, YU-83, YU-108: whatever is listed is accepted, and offers are answered either way."""
    taken: set[str] = set()
    answers: set[bool] = set()
    for number in range(GAMES_IN_A_ROW):
        async with seated(house, number, exchange_proposals=1 + number % 3) as table:
            await table.play()
            await table.check()
            taken |= {kind for place in table.places for kind in place.kinds}
            events = table.places[-1].events
            answered = [e for e in events if e["kind"] == "exchange_answered"]
            assert len(answered) == sum(e["kind"] == "exchange_proposed" for e in events)
            assert {e["by"] for e in answered} <= {"player"}
            answers |= {e["agreed"] for e in answered}
            assert events[-1]["kind"] in {"all_revealed", "match_drawn"}
    assert answers == {True, False}
    assert taken >= EVERY_KIND


@pytest.mark.parametrize(
    "options",
    [
        {
            "first_holder": "named",
            "exchange_refused": "spends",
            "rabbit_price": "figurine_and_skill",
        },
        {
            "roles": ["dream_eater", "sleeptalk_detective", "late_sleeper"],
            "replay": "ask",
            "death_shows_skill": True,
            "dying_opener": "keep",
            "time_reference": "position",
            "end_reveal": "seats_only",
            "card_count": "starred",
            "all_dead": "dream",
            "last_survivor": "wins",
            "simultaneous_win": "origin_first",
        },
    ],
    ids=["named", "others"],
)
async def test_a_game_is_played_by_other_readings_of_the_rules(house: House, options: Json) -> None:
    """Section 16: the options of a room."""
    for number in range(2):
        async with seated(house, f"{options} {number}", **options) as table:
            await table.play()
            record = await table.check()
            assert {**record["options"], **PATIENT, **options} == record["options"]


async def test_nothing_hidden_is_told_before_the_end(house: House) -> None:
    """YU-13, YU-43, YU-110: no face-down card of another is in anything that a seat is sent."""
    async with seated(house, "hidden") as table:
        await table.play()
        await table.check()
        for place in table.places:
            events = place.events
            end = next(i for i, e in enumerate(events) if e["kind"] == "all_revealed")
            (revealed,) = [e for e in events if e["kind"] == "all_revealed"][:1]
            told = json.dumps(events[:end])
            unopened = {entry["card"] for entry in revealed["clock"]}
            seen = {
                card for e in events[:end] if e["kind"] == "peeked" for card in e.get("cards", ())
            }
            assert not [card for card in unopened - seen if f'"{card}"' in told]
            dealt = [e for e in events if e["kind"] == "dealt"][:SEATS]
            assert [e["seat"] for e in dealt if "role" in e] == [
                seat for seat in [place.seat] if seat is not None
            ]


async def test_a_line_that_is_lost_in_mid_game_costs_nothing(house: House) -> None:
    """YU-103, YU-107: whoever comes back is told what it missed, and plays on."""
    async with seated(house, "lost") as table:
        (aki, *others), (hers, *theirs) = table.clients, table.places

        async def come_back() -> None:
            await aki.play(hers, is_late)
            token, seen, you = aki.hello["token"], hers.seq, hers.view["you"]
            await aki.ws.aclose()
            async with connected(house.url, "Aki", "back", resume=token) as back:
                assert back.hello["resumed"] is True
                (mine,) = [room for room in back.hello["rooms"] if room["room"] == hers.room]
                assert mine["seat"] == hers.seat
                place = back.places.setdefault(hers.room, hers)
                synced = await back.ask("sync", room=hers.room, seq=seen)
                assert synced["seq"] <= place.seq
                assert place.view["you"]["seen"][: len(you["seen"])] == you["seen"]
                await back.play(place)
                record = (await back.ask("replay", room=hers.room))["replay"]
                check_replay(table.places, record)
                check_events(table.places)

        async with trio.open_nursery() as nursery:
            for client, place in zip(others, theirs, strict=True):
                nursery.start_soon(client.watch if place.seat is None else client.play, place)
            await come_back()


async def test_a_game_is_played_with_bots_of_the_server(house: House) -> None:
    """YU-108: a bot gets what its seat may know, and plays by the options like anybody."""
    with trio.fail_after(60):
        async with connected(house.url, "Aki", "bots") as aki:
            place = await aki.create_room("yumeochi", SEATS, PATIENT)
            for seat in range(1, SEATS):
                await aki.ask("bot", room=place.room, seat=seat, level="random")
            nonce = await aki.get_ready(place)
            committed = place.info["commitment"]
            await aki.ask("start", room=place.room)
            await aki.play(place)
            record = (await aki.ask("replay", room=place.room))["replay"]
            check_fairness([place], record, committed, [nonce, "", "", ""])
            check_replay([place], record)
            assert not any(line.startswith("expire") for line in record["inputs"])
