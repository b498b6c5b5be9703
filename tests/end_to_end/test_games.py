"""Whole games of odoriko by clients that know only the protocol, against a real server process.

Twenty games for two to six: at each table connections play two in a row, with bots of the server in
the seats that they leave, or with clients in all of them. The clients check the protocol while they
play (`raw`); afterwards each compares the position it saw last with the one that the record replays
to.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

import pytest
import trio
from kaguraden_rules.catalogue import GAMES
from kaguraden_rules.kernel import Act, Answer, Expire, Input, SeatId, replay
from kaguraden_rules.plain import to_plain

from tests.end_to_end.house import House
from tests.end_to_end.raw import Client, Place, Refused, connected

Json = dict[str, Any]
IN_A_ROW = 2
FOREVER_MS = 600_000  # so that no clock of a seat runs out, however slow the machine
EVERY_KIND = frozenset(
    [
        "declare_bid",
        "lock_bid",
        "place",
        "draw",
        "place_character",
        "place_resource",
        "discard",
        "use_k",
        "sell",
        "bid",
        "done",
        "pay",
        "end_turn",
        "pass",
        "keep_character",
    ]
)  # what ten games are sure to bring


async def play_together(clients: list[Client], seats: int) -> list[Place]:
    """Play one game; clients without a seat watch. Return what each saw."""
    host, *guests = clients
    limits = dict.fromkeys(("turn_ms", "choice_ms", "window_ms", "auction_ms"), FOREVER_MS)
    place = await host.create(seats, **limits)
    places = [place]
    for number, guest in enumerate(guests, 1):
        role = "player" if number < seats else "spectator"
        places.append(await guest.join(place.room, role))
    for seat in range(len(clients), seats):
        await host.ask("bot", room=place.room, seat=seat, level="random")
    nonces = [""] * seats
    for client, theirs in zip(clients, places, strict=True):
        if theirs.seat is not None:
            nonces[theirs.seat] = await client.get_ready(theirs)
    committed = place.info["commitment"]
    await host.ask("start", room=place.room)
    async with trio.open_nursery() as nursery:
        for client, theirs in zip(clients, places, strict=True):
            playing = client.play if theirs.seat is not None else client.watch
            nursery.start_soon(playing, theirs)
    record = (await host.ask("replay", room=place.room))["replay"]
    check_fairness(places, record, committed, nonces)
    check_replay(places, record)
    for client in clients:
        await client.ask("leave", room=place.room)
    return places


def check_fairness(places: list[Place], record: Json, committed: str, nonces: list[str]) -> None:
    """Compute the commitment and the entropy from what the outcome reveals (protocol section 16)."""
    for place in places:
        first = place.events[0]
        assert first["kind"] == "fairness"
        assert first["commitment"] == committed
        assert first["nonces"] == nonces
        seed = bytes.fromhex(place.view["outcome"]["fairness"]["seed"])
        assert hashlib.sha256(seed).hexdigest() == committed
        listed = json.dumps(nonces, separators=(",", ":")).encode()
        assert hmac.digest(seed, listed, "sha256").hex() == record["entropy"]


def check_replay(places: list[Place], record: Json) -> None:
    """Replay the record in the kernel; every viewer's last view must be that of its end."""
    game = GAMES[record["game"]]
    assert record["rules"] == game.rules
    options = game.parse_options(record["options"])
    decks = [tuple(deck) for deck in record["decks"]]
    inputs = [read_input(entry) for entry in record["inputs"]]
    state = replay(game, options, decks, bytes.fromhex(record["entropy"]), inputs)
    assert to_plain(game.outcome(state)) == record["outcome"]
    for place in places:
        seen = json.loads(json.dumps(place.view))
        del seen["outcome"]["fairness"]
        viewer = None if place.seat is None else SeatId(place.seat)
        assert to_plain(game.view(state, viewer)) == seen


def read_input(line: str) -> Input:
    """Read an input as protocol/README.md writes them: `0 0.17 draw:resource`, `expire w12`."""
    if line.startswith("expire "):
        return Expire(line.removeprefix("expire "))
    seat, decision, rest = line.split(" ", 2)
    option, has_value, text = rest.partition(" = ")
    value = json.loads(text) if has_value else None
    taken = tuple(value) if isinstance(value, list) else value
    return Act(SeatId(int(seat)), Answer(decision, option, taken))


async def connect_all(
    house: House, number: int, seed: object, nursery: trio.Nursery
) -> list[Client]:
    """Connect clients that stay connected as long as the nursery."""

    async def keep(name: str, *, task_status: trio.TaskStatus[Client]) -> None:
        async with connected(house.url, name, seed) as client:
            task_status.started(client)
            await trio.sleep_forever()

    names = ("Aki", "Bea", "Cho", "Dan", "Emi", "Fuu")[:number]
    return [await nursery.start(keep, name) for name in names]


async def play_in_a_row(house: House, most: int, seats: int, played: list[Place]) -> None:
    """Play games by one set of clients, which stay connected; note what each saw."""
    async with trio.open_nursery() as nursery:
        clients = await connect_all(house, max(3, min(seats, most)), f"{most} {seats}", nursery)
        for _ in range(IN_A_ROW):
            played += await play_together(clients, seats)
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("most", [3, 6])
async def test_clients_of_the_protocol_play_game_after_game(house: House, most: int) -> None:
    """Ten games with three clients and bots in the other seats, ten with a client in each.

    All tables play at the same time: a game is mostly waiting for its windows to end.
    """
    places: list[Place] = []
    with trio.fail_after(300):
        async with trio.open_nursery() as nursery:
            for seats in range(2, 7):
                nursery.start_soon(play_in_a_row, house, most, seats, places)
    assert {kind for place in places for kind in place.kinds} >= EVERY_KIND
    stale = sum(len(place.stale) for place in places)
    assert stale < sum(place.accepted for place in places) / 20  # races are rare


async def test_a_stranger_can_do_nothing_at_a_table(house: House) -> None:
    async with connected(house.url, "Aki", 1) as host, connected(house.url, "Zed", 1) as stranger:
        place = await host.create(2)
        for kind, fields in (
            ("start", {}),
            ("sync", {}),
            ("chat", {"text": "hello"}),
            ("act", {"decision": "0.1", "option": "end_turn"}),
        ):
            with pytest.raises(Refused) as refused:
                await stranger.ask(kind, room=place.room, **fields)
            assert refused.value.code == "not_member"
