"""Games over lines that break all the time: nothing is lost, nothing is done twice.

Between clients and server stands a proxy that cuts each connection after so many bytes, mostly in
the middle of a frame, without a close frame. The clients come back by themselves and resume.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import trio
from attrs import define, field
from kaguraden_client.bots.player import Player
from kaguraden_client.bots.random import RandomPolicy
from kaguraden_client.session import Answered, Event, Lost, Opened, Session, Updated
from kaguraden_client.trio_shell import Client, open_client
from kaguraden_protocol import messages
from kaguraden_rules.catalogue import GAMES
from kaguraden_rules.kernel import Act, SeatId, apply
from kaguraden_rules.plain import to_plain

from tests.end_to_end.house import House
from tests.end_to_end.raw import connected
from tests.end_to_end.test_games import FOREVER_MS, read_input

SEATS = 3


@define(eq=False)
class CuttingProxy:
    """Forwards to a server, and cuts each connection after a random number of bytes."""

    target: str
    rng: random.Random
    least: int
    most: int
    cuts: int = 0
    is_cutting: bool = True
    url: str = field(default="", init=False)

    async def serve(self, *, task_status: trio.TaskStatus[str]) -> None:
        async with trio.open_nursery() as nursery:
            (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
            port = listener.socket.getsockname()[1]
            nursery.start_soon(trio.serve_listeners, self._forward, [listener])
            task_status.started(f"ws://127.0.0.1:{port}/ws")

    async def _forward(self, near: trio.SocketStream) -> None:
        address = urlsplit(self.target)
        assert address.hostname is not None
        assert address.port is not None
        far = await trio.open_tcp_stream(address.hostname, address.port)
        left = self.rng.randint(self.least, self.most)

        async def pump(source: trio.SocketStream, sink: trio.SocketStream) -> None:
            nonlocal left
            try:
                async for data in source:
                    if self.is_cutting and len(data) >= left:
                        await sink.send_all(data[: max(0, left)])
                        self.cuts += 1
                        break
                    left -= len(data)
                    await sink.send_all(data)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                pass
            nursery.cancel_scope.cancel()

        async with near, far, trio.open_nursery() as nursery:
            nursery.start_soon(pump, near, far)
            nursery.start_soon(pump, far, near)


@define(eq=False)
class Witness:
    """Counts what a player's session goes through."""

    resumed: int = 0
    forgotten: int = 0
    lost: int = 0
    acted: list[tuple[str, str]] = field(factory=list)
    seqs: list[int] = field(factory=list)

    def tell(self, event: Event) -> None:
        match event:
            case Opened(again=True, resumed=True):
                self.resumed += 1
            case Opened(again=True):
                self.forgotten += 1
            case Lost():
                self.lost += 1
            case Answered(request=messages.Act() as act):
                self.acted.append((act.decision, act.option))
            case Updated():
                self.seqs.append(event.seq)


async def test_a_game_over_lines_that_break_all_the_time_is_played_to_the_end(house: House) -> None:
    proxy = CuttingProxy(house.url, random.Random(5), 1_000, 40_000, is_cutting=False)
    witnesses = [Witness() for _ in range(SEATS)]
    with trio.fail_after(120):
        async with trio.open_nursery() as nursery, connected(house.url, "Host", 0) as host:
            url = await nursery.start(proxy.serve)
            limits = dict.fromkeys(("turn_ms", "choice_ms", "window_ms", "auction_ms"), FOREVER_MS)
            place = await host.create(SEATS + 1, **limits)
            players: list[Player] = []
            async with trio.open_nursery() as table:
                for number, witness in enumerate(witnesses):
                    session = Session(f"Player {number}", bot=True)
                    policy = RandomPolicy(random.Random(number))
                    player = Player(session, place.room, policy, on_event=witness.tell)
                    players.append(player)
                    table.start_soon(play, url, player)
                await host.get_ready(place)
                while sum(seat.get("ready", False) for seat in place.info["seats"]) <= SEATS:
                    await host.read()
                await host.ask("start", room=place.room)
                proxy.is_cutting = True  # a seat in the lobby that is away is no longer ready
                await host.play(place)
            record = (await host.ask("replay", room=place.room))["replay"]
            nursery.cancel_scope.cancel()

    assert proxy.cuts > 20
    for player, witness in zip(players, witnesses, strict=True):
        assert player.refusals == []
        assert 3 < witness.resumed <= witness.lost  # some were lost again before hello was answered
        assert witness.forgotten == 0
        assert len(witness.acted) == len(set(witness.acted))  # each is told done once
        assert witness.seqs == list(range(witness.seqs[0], witness.seqs[-1] + 1))
    check_acts_and_views(record, players, witnesses)


async def play(url: str, player: Player) -> None:
    async with open_client(url, player.session, delay=lambda *_: 0.01) as client:
        await player.play(client)


def check_acts_and_views(record: Any, players: list[Player], witnesses: list[Witness]) -> None:
    """Every act that was answered is in the record once, and the last views are those of its end."""
    game = GAMES[record["game"]]
    options = game.parse_options(record["options"])
    decks = [tuple(deck) for deck in record["decks"]]
    inputs = [read_input(entry) for entry in record["inputs"]]
    entropy = bytes.fromhex(record["entropy"])
    state = game.setup(options, len(decks), decks, entropy).state
    standing = {window.kind for window in game.windows if window.passes}
    given: list[Act] = []  # by the seats themselves: nobody here has said to be asked always
    for entry in inputs:
        if isinstance(entry, Act) and game.decisions(state)[entry.seat].kind not in standing:
            given.append(entry)
        state = apply(game, state, entry).state
    for player, witness in zip(players, witnesses, strict=True):
        table = player.table
        assert table is not None
        assert table.seat is not None
        recorded = [
            (entry.answer.decision, entry.answer.option)
            for entry in given
            if entry.seat == table.seat
        ]
        # A window that a seat passes beforehand is answered for it (OD-106).
        own = {decision for decision, _ in witness.acted}
        recorded = [act for act in recorded if act[0] in own or act[1] != "pass"]
        # The player ends with the update that ends the game, maybe before its last ok.
        assert witness.acted in (recorded, recorded[:-1])
        seen: Any = json.loads(json.dumps(table.view))
        del seen["outcome"]["fairness"]
        assert to_plain(game.view(state, SeatId(table.seat))) == seen


async def test_requests_asked_while_the_line_is_down_are_answered_when_it_is_up(
    house: House,
) -> None:
    proxy = CuttingProxy(house.url, random.Random(1), 10_000, 12_000)
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            url = await nursery.start(proxy.serve)
            session = Session("Aki", bot=True)
            async with open_client(url, session, delay=lambda *_: 0.01) as client:
                await ask_until(client, lambda: proxy.cuts >= 5)
                assert session.hello is not None
                assert session.hello.resumed
            nursery.cancel_scope.cancel()


async def ask_until(client: Client, enough: Callable[[], bool]) -> None:
    while not enough():
        assert await client.request(messages.Ping(id=0)) == {}
