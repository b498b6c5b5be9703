"""Looking for servers: which announced addresses are tried, and what servers are asked."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_interface
from pathlib import Path
from typing import Any

import pytest
from kaguraden_client.discovery import VISIT_S, Network, Reach, Search, Server, usable
from kaguraden_client.links import Link
from kaguraden_client.shell import without_zone
from kaguraden_client.terminal.finding import NotFound, find_room
from kaguraden_client.terminal.words import Lang
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from tests.end_to_end.house import House, open_house

HERE = (
    Network(ip_interface("192.168.1.5/24"), 2),
    Network(ip_interface("fd00::5/64"), 2),
    Network(ip_interface("fe80::5/64"), 2),
    Network(ip_interface("fe80::6/64"), 3),
)


@pytest.mark.parametrize(
    ("announced", "tried"),
    [
        (["192.168.1.20"], ["192.168.1.20"]),
        (["192.168.1.5"], ["192.168.1.5"]),  # a server on this machine
        (["fd00::20", "192.168.1.20"], ["192.168.1.20", "[fd00::20]"]),
        (["fe80::20%3"], ["[fe80::20%3]"]),
        (["fe80::20"], ["[fe80::20%2]", "[fe80::20%3]"]),
        (["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"], []),
        (["0.0.0.0", "::", "224.0.0.251", "ff02::fb", "255.255.255.255"], []),  # noqa: S104
        (["192.168.2.20", "8.8.8.8", "2001:db8::1", "169.254.1.1"], []),  # not of this network
        (["", "localhost", "\x1b[2J", "192.168.1.300", "1.2.3"], []),
    ],
)
def test_only_addresses_of_own_networks_are_tried(announced: list[str], tried: list[str]) -> None:
    assert usable(announced, HERE) == tried


def test_few_addresses_of_a_server_are_tried() -> None:
    assert len(usable((f"192.168.1.{i}" for i in range(1, 200)), HERE)) == 6


def test_the_zone_of_an_address_stays_on_this_machine() -> None:
    assert without_zone("ws://[fe80::1%eth0]:1/ws") == ("ws://[fe80::1]:1/ws", "fe80::1%eth0")
    assert without_zone("ws://192.168.1.5:1/ws") == ("ws://192.168.1.5:1/ws", "192.168.1.5")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with open_house(tmp_path_factory.mktemp("house")) as opened:
        yield opened


def ask(ws: ClientConnection, kind: str, **fields: Any) -> Any:
    ws.send(json.dumps({"type": kind, "id": kind, **fields}))
    while (reply := json.loads(ws.recv(30))).get("re") != kind:
        pass
    return reply["result"]


@contextmanager
def open_room(url: str, **options: Any) -> Iterator[str]:
    """Have somebody sit at a new table while the block runs, and yield its code."""
    with connect(url, subprotocols=[Subprotocol("kaguraden.v1")]) as ws:
        ask(ws, "hello", name="Aki", client={"name": "t", "version": "1"})
        yield ask(ws, "create", game="odoriko", seats=3, **options)["room"]


def search(url: str, room: str | None = None) -> Search:
    """Ask one server that is remembered, in no network."""
    made = Search(room=room, networks=tuple)
    asyncio.run(made.run([Server("hall", (Link(url),))]))
    return made


def test_a_server_is_asked_for_its_rooms(house: House) -> None:
    with open_room(house.url) as room:
        made = search(house.url)
        (seen,) = made.found()
        assert [info.room for info in seen.rooms] == [room]
        assert made.reach is Reach.NO_NETWORK


@pytest.mark.parametrize("options", [{}, {"listed": False}, {"password": "sesame"}])
def test_a_room_is_found_by_its_code_and_nobody_goes_in(
    house: House, options: dict[str, Any]
) -> None:
    with open_room(house.url, **options) as room:
        assert search(house.url, room).found()
        assert search(house.url, room.lower().replace("-", " ")).found()
        assert not search(house.url, "KAGU-2222").found()
        assert " joined " not in house.log.read_text("utf-8")


def test_a_server_that_wants_a_password_is_told_none_and_shown_as_such(tmp_path: Path) -> None:
    with open_house(tmp_path, '[server]\npassword = "sesame"\n') as house:
        made = search(house.url, "KAGU-2222")
        assert made.found() == []
        (seen,) = made.seen.values()
        assert seen.wants_password


def test_who_does_not_answer_or_talks_nonsense_costs_a_bounded_time() -> None:
    silent = socket.create_server(("127.0.0.1", 0))
    url = f"ws://127.0.0.1:{silent.getsockname()[1]}/ws"

    async def look() -> tuple[float, Search]:
        loop = asyncio.get_running_loop()
        made = Search(networks=tuple)
        began = loop.time()
        servers = [Server(str(i), (Link(url.replace("/ws", f"/{i}")),)) for i in range(100)]
        await made.run(servers)
        return loop.time() - began, made

    with silent:
        took, made = asyncio.run(look())
    assert made.found() == []
    assert len(made.seen) == 32
    assert took < VISIT_S + 1


def test_several_servers_that_claim_a_table_are_told_and_none_is_chosen(house: House) -> None:
    twin = house.url.replace("127.0.0.1", "localhost")
    servers = [Server("hall", (Link(house.url),)), Server("twin", (Link(twin),))]

    async def look(servers: list[Server], room: str) -> Link:
        made = Search(room=room, networks=tuple)
        return await find_room(room, made, servers, Lang.EN, "kaguraden", knows=False)

    with open_room(house.url) as room:
        assert asyncio.run(look(servers[:1], room)) == Link(house.url, room)
        with pytest.raises(NotFound, match="several servers say that they have table"):
            asyncio.run(look(servers, room))
