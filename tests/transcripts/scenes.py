"""What is transcribed: one scene a file, each told by what its people do."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from attrs import frozen
from kaguraden_client.bots import random_bot
from kaguraden_rules.catalogue import GAMES
from kaguraden_server.config import Config
from kaguraden_server.daily import Daily

from tests.server.house import House, Refused, config, open_house
from tests.simulation.running import Clock, chance, run_seeded

from .tape import Tape, Who, taped

__all__ = ["FOLDER", "SCENES", "record"]

FOLDER: Final = Path(__file__).parents[2] / "protocol" / "transcripts"  # where they are kept
CLIENT = {"name": "transcript", "version": "1.0"}
NONCE = "00112233445566778899aabbccddeeff"
PASSWORD = "maple"  # noqa: S105
QUICK = {"turn_ms": 60_000, "window_min_ms": 50}


@frozen
class _Scene:
    play: Callable[[House, Tape, random.Random], Awaitable[None]]
    seed: int
    settings: Config


def record(name: str) -> str:
    """Play a scene; return its transcript. Equal code gives equal text."""
    scene = SCENES[name]
    tapes: list[Tape] = []
    clock = Clock()

    async def main() -> None:
        bots = {"random": random_bot}
        daily = Daily(scene.settings.daily, wall=clock.now)
        async with open_house(
            scene.settings, bots=bots, games=GAMES.values(), daily=daily
        ) as house:
            tapes.append(Tape())
            await scene.play(house, tapes[0], chance(scene.seed, "people"))

    run_seeded(scene.seed, clock, main)
    return tapes[0].text()


async def _enter(house: House, tape: Tape, name: str, **fields: Any) -> Who:
    who = await taped(house, tape, name)
    await who.open(name, client=CLIENT, **fields)
    return who


async def _refused(who: Who, kind: str, **fields: Any) -> str:
    try:
        await who.ask(kind, **fields)
    except Refused as refused:
        return refused.code
    raise AssertionError(f"{kind} was granted")


# --- games -----------------------------------------------------------------------------------------


def _game(
    game: str, seats: int, options: Mapping[str, Any]
) -> Callable[[House, Tape, random.Random], Awaitable[None]]:
    async def play(house: House, tape: Tape, rng: random.Random) -> None:
        """Play one game to its end, against bots; take the record."""
        aki = await _enter(house, tape, "Aki")
        made = await aki.ask("create", game=game, seats=seats, options=dict(options))
        room: str = made["room"]
        for _ in range(seats - 1):
            await aki.ask("bot", room=room, level="random")
        await aki.ask("ready", room=room, ready=True, nonce=NONCE)
        await aki.ask("start", room=room)
        while room not in aki.views or "outcome" not in aki.views[room]["view"]:
            decisions = aki.views[room]["decisions"] if room in aki.views else []
            if not decisions or not await _answer(aki, room, rng):
                await aki.update()
        await aki.ask("replay", room=room)
        await aki.ask("leave", room=room)
        await aki.leave_line()

    return play


async def _answer(who: Who, room: str, rng: random.Random) -> bool:
    """Answer an open decision, but not with the end; False if it was answered before."""
    update = who.views[room]
    (decision,) = update["decisions"]
    if update["view"].get("you") is None or decision["id"] in who.answered:
        return False
    others = [option for option in decision["options"] if option["kind"] != "finish"]
    option = rng.choice(others or decision["options"])
    fields = {"value": _value(option["value"], rng)} if "value" in option else {}
    who.answered.add(decision["id"])
    try:
        await who.ask("act", room=room, decision=decision["id"], option=option["id"], **fields)
    except Refused as refused:
        if refused.code not in {"stale", "not_your_decision"}:
            raise
    return True


def _value(spec: Mapping[str, Any], rng: random.Random) -> Any:
    match spec:
        case {"type": "int", "min": least, "max": most}:
            return rng.randint(least, most)
        case {"type": "cards", "from": among, "min": least, "max": most}:
            return rng.sample(among, rng.randint(least, most))
        case {"type": "order", "of": among}:
            return rng.sample(among, len(among))
    raise AssertionError(f"what is {spec}?")


# --- the house -------------------------------------------------------------------------------------


async def _lobby(house: House, tape: Tape, rng: random.Random) -> None:
    """Everything about rooms before and after a game."""
    aki = await _enter(house, tape, "Aki", locale="ja")
    await aki.ask("rooms", watch=True)
    ben = await _enter(house, tape, "Ben", locale="en")
    made = await aki.ask(
        "create", game="odoriko", title="秋の夜", password=PASSWORD, options={"bid_max": 10}
    )
    room: str = made["room"]
    await _refused(ben, "join", room=room, password=PASSWORD.upper())
    await ben.ask("join", room=room.lower().replace("-", " "), password=PASSWORD)
    await ben.ask("chat", room=room, text="よろしくお願いします")
    await aki.ask("configure", room=room, options={"actions_per_turn": 3})
    await _refused(aki, "configure", room=room, options={"actions_per_turn": 9, "speed": 1})
    await _refused(aki, "deck", room=room, cards=["cc001", "cc001", "nobody"])
    await aki.ask("deck", room=room, starter=True)
    await aki.ask("bot", room=room, level="random")
    await _refused(aki, "bot", room=room, level="nobody")
    await aki.ask("kick", room=room, seat=2)
    await aki.ask("host", room=room, seat=1)
    await _refused(aki, "start", room=room)
    await _refused(ben, "start", room=room)
    cho = await _enter(house, tape, "Cho")
    await cho.ask("join", room=room, password=PASSWORD, **{"as": "spectator"})
    await aki.ask("ready", room=room, ready=True, nonce=NONCE)
    await ben.ask("ready", room=room, ready=True)
    await ben.ask("start", room=room)
    await cho.ask("sync", room=room)
    for who in (aki, ben):
        await who.ask("pause", room=room, on=True)
    await aki.ask("pause", room=room, on=False)
    await aki.ask("auto", room=room, window="j", mode="pass")
    await _refused(cho, "act", room=room, decision="0.1", option="pass")
    await _refused(aki, "replay", room=room)
    await ben.ask("leave", room=room)
    await aki.ask("leave", room=room)
    await aki.quiet()
    await cho.quiet()
    await aki.ask("daily", book="today")
    for who in (aki, ben, cho):
        await who.leave_line()


async def _resume(house: House, tape: Tape, rng: random.Random) -> None:
    """Lost connections: in the ring, out of it, before a reply, and on another device."""
    aki = await _enter(house, tape, "Aki")
    made = await aki.ask("create", game="odoriko", seats=2, options=QUICK)
    room: str = made["room"]
    ben = await _enter(house, tape, "Ben")
    await ben.ask("join", room=room)
    for who in (aki, ben):
        await who.ask("ready", room=room, ready=True)
    await aki.ask("start", room=room)
    seen = aki.seqs[room]
    await aki.leave_line()
    await ben.ask("sync", room=room)
    await _answer(ben, room, rng)
    again = await taped(house, tape, "Aki")
    await again.open("Aki", client=CLIENT, resume=aki.hello["token"])
    await again.ask("sync", room=room, seq=seen)
    (decision,) = again.views[room]["decisions"]
    option = decision["options"][0]
    act = {"room": room, "decision": decision["id"], "option": option["id"]}
    if "value" in option:
        act["value"] = _value(option["value"], rng)
    await again.send("act", **act)
    await again.leave_line()  # before the reply
    third = await taped(house, tape, "Aki")
    await third.open("Aki", client=CLIENT, resume=again.hello["token"])
    await third.ask("sync", room=room)
    await third.ask("act", **act)
    other = await taped(house, tape, "Aki")
    await other.open("Aki", client=CLIENT, resume=third.hello["token"])
    await third.read_to_end()
    await other.ask("sync", room=room, seq=1_000)
    unknown = await _enter(house, tape, "Dan", resume="x" * 32)
    assert unknown.hello["resumed"] is False
    for who in (ben, other, unknown):
        await who.leave_line()


async def _errors(house: House, tape: Tape, rng: random.Random) -> None:
    """What is refused, and what ends a connection."""
    early = await taped(house, tape, "Early")
    await _refused(early, "rooms")
    await early.leave_line()
    aki = await taped(house, tape, "Aki")
    await _refused(aki, "hello", name=" ", client=CLIENT)
    await aki.open("Aki", client=CLIENT)
    await _refused(aki, "hello", name="Aki", client=CLIENT)
    for text in (
        "hello",
        '{"type":"ping","id":1,"id":2}',
        '{"type":"ping","id":1.5}',
        '{"type":"ping"}',
        '{"type":"ping","id":5,"speed":9}',
        '{"type":"fly","id":6}',
        '{"type":"chat","id":7,"room":7,"text":"a"}',
    ):
        await aki.say(text)
    await aki.say('{"type":"ping","id":8,"x_note":"ignored"}')
    await _refused(aki, "join", room="KAGU-2222")
    await _refused(aki, "create", game="chess")
    await _refused(aki, "create", game="odoriko", seats=9)
    room = (await aki.ask("create", game="odoriko", seats=2, options=QUICK))["room"]
    ben = await _enter(house, tape, "Ben")
    await _refused(ben, "chat", room=room, text="?")
    await _refused(aki, "start", room=room)
    await ben.ask("join", room=room)
    await _refused(ben, "kick", room=room, seat=0)
    cho = await _enter(house, tape, "Cho")
    await _refused(cho, "join", room=room)
    for who in (aki, ben):
        await who.ask("ready", room=room, ready=True)
    await aki.ask("start", room=room)
    await _refused(cho, "join", room=room)
    (decision,) = aki.views[room]["decisions"]
    act = {"room": room, "decision": decision["id"]}
    await _refused(aki, "act", **act, option="fly")
    option = next(o for o in decision["options"] if "value" in o)
    await _refused(aki, "act", **act, option=option["id"], value="many")
    await _refused(aki, "act", room=room, decision="0.999", option="pass")
    await cho.ask("join", room=room, **{"as": "spectator"})
    await _refused(cho, "act", **act, option=option["id"])
    await _refused(aki, "rematch", room=room)
    for _ in range(20):
        await aki.line.send("nonsense")
    await aki.read_to_end()
    for who in (ben, cho):
        await who.leave_line()


async def _patches(house: House, tape: Tape, rng: random.Random) -> None:
    """Changes of a view in place of views, with a hash at the 32nd update."""
    aki = await _enter(house, tape, "Aki", capabilities=["patch"])
    room: str = (await aki.ask("create", game="enbu", options={"book": "dan-5"}))["room"]
    await aki.ask("ready", room=room, ready=True, nonce=NONCE)
    await aki.ask("start", room=room)
    while aki.seqs.get(room, 0) < 34:
        (decision,) = aki.views[room]["decisions"]
        option = rng.choice([o for o in decision["options"] if o["kind"] != "finish"])
        await aki.ask("act", room=room, decision=decision["id"], option=option["id"])
    await aki.leave_line()


SCENES: Mapping[str, _Scene] = MappingProxyType(
    {
        "lobby": _Scene(_lobby, 1, config()),
        "resume": _Scene(_resume, 2, config()),
        "errors": _Scene(_errors, 3, config({"burst_requests": 1_000})),
        "odoriko": _Scene(_game("odoriko", 2, QUICK), 4, config({"burst_requests": 10_000})),
        "enbu": _Scene(_game("enbu", 1, {}), 5, config({"burst_requests": 10_000})),
        "yumeochi": _Scene(_game("yumeochi", 4, {}), 6, config({"burst_requests": 10_000})),
        "patches": _Scene(_patches, 7, config({"burst_requests": 10_000})),
    }
)
