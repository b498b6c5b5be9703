"""Secrets: what a viewer receives depends on what it may know, and on nothing else (protocol §15)."""

import io
import json
import logging
from typing import Any

import trio
from attrs import frozen
from kaguraden_server.fairness import Deal
from kaguraden_server.logs import JsonFormatter
from trio.testing import MockClock

from .house import House, Player, open_house, play_out

NAMES = ("Aki", "Ben", "Chi")


@frozen
class Secret:
    """What Ben does that nobody else may learn of."""

    deck: tuple[str, ...]
    answer_after: float  # seconds after the window opened
    done_after: float
    is_done_first: bool
    passes_beforehand: bool


class Tap:
    """Writes down what a player is sent, and when."""

    def __init__(self, house: House, player: Player) -> None:
        user = house.lobby.users.get(player.user)
        assert user is not None
        assert user.connection is not None
        self.sent: list[tuple[float, bytes]] = []
        wire = user.connection.wire
        send = wire.send

        async def tapped(text: bytes) -> None:
            self.sent.append((round(trio.current_time(), 6), text))
            await send(text)

        setattr(wire, "send", tapped)  # noqa: B010


async def scene(secret: Secret) -> dict[str, list[tuple[float, bytes]]]:
    """Play one game around Ben's secret; return what the others were sent."""
    async with open_house() as house:
        room, (aki, ben, chi) = await house.table(NAMES, auction_ms=4_000)
        watcher = await house.enter("Wat")
        await watcher.ask("join", room=room, **{"as": "spectator"})
        house.lobby.rooms[room].deal = Deal(bytes(32))
        await ben.ask("deck", room=room, cards=list(secret.deck))
        if secret.passes_beforehand:
            await ben.ask("auto", room=room, window="bless", mode="pass")
        taps = {"aki": Tap(house, aki), "chi": Tap(house, chi), "watcher": Tap(house, watcher)}
        await trio.sleep(1)
        await aki.ask("start", room=room)
        for mover in (aki, ben, chi):
            await aki.quiet()
            await ben.quiet()
            await chi.quiet()
            await mover.act(room, "rest")
            opened = trio.current_time()
            for other in (aki, chi):
                await other.quiet()
                if other.views[room]["decisions"]:
                    await other.act(room, "pass")
            await trio.sleep_until(opened + secret.answer_after)
            await ben.quiet()
            if mover is not ben and not secret.passes_beforehand:
                await ben.act(room, "pass")
            await trio.sleep_until(opened + 1)
        await trio.sleep_until(trio.current_time() + secret.done_after)
        await ben.quiet()
        if secret.is_done_first:
            await ben.act(room, "done")
        await trio.sleep_until(20)
        await aki.quiet()
        await chi.quiet()
        await watcher.quiet()
        code = room.encode()
        return {
            name: [(at, text.replace(code, b"ROOM")) for at, text in tap.sent if b"update" in text]
            for name, tap in taps.items()
        }


def run(secret: Secret) -> dict[str, list[tuple[float, bytes]]]:
    return trio.run(scene, secret, clock=MockClock(autojump_threshold=0))


def test_non_interference_over_the_wire() -> None:
    base = run(Secret(("o1", "o2", "o3", "o4"), 0.05, 0.1, True, False))
    assert all(len(sent) > 7 for sent in base.values())
    for other in (
        Secret(("o9", "o8", "o7", "o6"), 0.05, 0.1, True, False),
        Secret(("o1", "o2", "o3", "o4"), 0.25, 0.1, True, False),
        Secret(("o1", "o2", "o3", "o4"), 0.05, 2.5, True, False),
        Secret(("o1", "o2", "o3", "o4"), 0.05, 0.1, False, False),
        Secret(("o1", "o2", "o3", "o4"), 0.05, 0.1, True, True),
    ):
        assert run(other) == base


async def test_the_log_holds_nothing_that_was_typed_and_no_secret(
    autojump_clock: MockClock,
) -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    logger = logging.getLogger("kaguraden")
    logger.addHandler(handler)
    level = logger.level
    logger.setLevel(logging.DEBUG)
    try:
        async with open_house() as house:
            room, (aki, ben) = await house.table(("Akikusa", "Benten"), faulty=True)
            await aki.ask("chat", room=room, text="canary in chat")
            nonce = "c0ffee" * 6
            await ben.ask("ready", room=room, ready=True, nonce=nonce)
            await aki.ask("start", room=room)
            await aki.quiet()
            (decision,) = aki.views[room]["decisions"]
            await aki.refused("act", room=room, decision=decision["id"], option="explode")
            back = await house.enter("Akikusa", resume=aki.hello["token"])
            await back.ask("sync", room=room)
            await ben.quiet()
            await play_out(room, [back, ben])
            seed = (await ben.ask("replay", room=room))["replay"]["seed"]
            secrets = [aki.hello["token"], back.hello["token"], ben.hello["token"], nonce, seed]
            await trio.sleep(1)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
    text = stream.getvalue()
    for secret in (*secrets, "canary", "Akikusa", "Benten", "o1", "at fault"):
        assert secret not in text
    lines = [json.loads(line) for line in text.splitlines()]
    faults = [line for line in lines if line["event"] == "rules_failed"]
    assert [line["error"] for line in faults] == ["ZeroDivisionError"]
    assert faults[0]["room"] == room
    assert "fakes.py" in str(faults[0]["traceback"])
    assert {"room_opened", "game_started", "game_over", "hello"} <= {
        line["event"] for line in lines
    }
    assert all({"time", "level", "event"} <= set(line) for line in lines)


async def test_the_seed_is_told_when_the_game_is_over_and_not_before(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        room, players = await house.table()
        taps = [Tap(house, player) for player in players]
        seed = house.lobby.rooms[room].deal.seed.hex().encode()
        await players[0].ask("start", room=room)
        for player in players:
            await player.quiet()
        await play_out(room, players)
        for tap in taps:
            told = [b'"outcome"' in text for _, text in tap.sent if seed in text]
            assert told, "it is told at the end"
            assert all(told)


async def test_nobody_is_sent_anothers_hand(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.table(turns=2)
        await ben.ask("deck", room=room, cards=["o6", "o7", "o8", "o9"])
        watcher = await house.enter("Wat")
        await watcher.ask("join", room=room, **{"as": "spectator"})
        taps = [Tap(house, player) for player in (aki, watcher)]
        await aki.ask("start", room=room)
        for player in (aki, ben):
            await player.quiet()
        await aki.act(room, "rest")
        await trio.sleep(30)
        for tap in taps:
            text = b"".join(text for _, text in tap.sent)
            assert not any(card in text for card in (b"o6", b"o7", b"o8", b"o9"))


async def test_a_refusal_tells_nothing_to_others(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.started()
        await ben.quiet()
        tap = Tap(house, ben)
        fields: dict[str, Any] = {"room": room, "decision": "0.1", "option": "steal"}
        await aki.refused("act", **fields)
        await aki.refused("act", **{**fields, "decision": "9.9"})
        await trio.sleep(1)
        assert tap.sent == []
