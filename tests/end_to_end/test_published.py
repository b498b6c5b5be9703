"""Every frame between clients of the protocol and a real server process is what is published."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import trio
from attrs import define, field
from websockets.trio.client import connect
from websockets.typing import Subprotocol

from tests.end_to_end.house import House
from tests.end_to_end.raw import Client
from tests.published import Talk

FILES = Path(__file__).parents[2] / "protocol" / "schema"
PATHS = [
    path.relative_to(FILES).as_posix() for path in (*FILES.glob("*.json"), *FILES.glob("games/*"))
]


@pytest.mark.parametrize("path", PATHS)
def test_the_server_hands_out_the_files(house: House, path: str) -> None:
    asked = HTTPConnection(urlsplit(house.url).netloc, timeout=30)
    with closing(asked):
        asked.request("GET", f"/protocol/v1/{path}")
        assert asked.getresponse().read() == (FILES / path).read_bytes()


@define(eq=False)
class Checked(Client):
    """A client that holds every frame against the files."""

    talk: Talk = field(factory=Talk)

    async def send(self, kind: str, **fields: Any) -> dict[str, Any]:
        request = await super().send(kind, **fields)
        self.talk.sent(request)
        return request

    async def read(self) -> dict[str, Any]:
        message = await super().read()
        self.talk.received(message)
        return message


@asynccontextmanager
async def checked(url: str, name: str) -> AsyncIterator[Checked]:
    """Connect and say hello."""
    spoken = [Subprotocol("kaguraden.v1")]
    async with connect(url, subprotocols=spoken, compression=None, proxy=None) as ws:
        client = Checked(ws, name, random.Random(name))
        await client.say_hello()
        yield client


@pytest.mark.parametrize(("game", "seats"), [("odoriko", 3), ("enbu", 2), ("yumeochi", 4)])
async def test_every_frame_of_a_game_is_what_is_published(
    house: House, game: str, seats: int
) -> None:
    options = {"turn_ms": 600_000, "choice_ms": 600_000} if game == "odoriko" else {}
    with trio.fail_after(120):
        async with checked(house.url, "Aki") as host, checked(house.url, "Bea") as guest:
            place = await host.create_room(game, seats, options)
            theirs = await guest.join(place.room, "spectator")
            for seat in range(1, seats):
                await host.ask("bot", room=place.room, seat=seat, level="random")
            await host.get_ready(place)
            await host.ask("start", room=place.room)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(host.play, place)
                nursery.start_soon(guest.watch, theirs)
            await host.ask("replay", room=place.room)
            await host.ask("leave", room=place.room)
    assert host.talk.heard >= {"hello", "create", "bot", "ready", "start", "act", "ok", "update"}
    assert guest.talk.heard >= {"hello", "join", "ok", "room", "update"}
