"""Decks of odoriko over real sockets: taken, refused, kept secret, dropped, played."""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import define
from kaguraden_protocol.limits import MAX_CARDS
from kaguraden_server.app import App, Running
from kaguraden_server.config import Config, DataSettings, ServerSettings

from .house import Message, Player
from .test_packs import EXAMPLE
from .test_sockets import SocketLine, dial

NINE = [f"cc00{n}" for n in range(1, 10)]
LEGAL = [*NINE[:8], "ev_shimo", "ev_shimo", "ev_geshi", "ev_momiji"]
STARTER = [*NINE, "ev_akatsuki", "ev_kodama", "ev_yukidoke"]


class Tapped(SocketLine):
    """A line that keeps every text that came."""

    heard: list[str]

    async def receive(self) -> str:
        text = await super().receive()
        self.__dict__.setdefault("heard", []).append(text)
        return text


@define
class Hall:
    """A server with odoriko and who is connected to it."""

    running: Running
    lines: AsyncExitStack

    async def enter(self, name: str) -> Player:
        ws = await self.lines.enter_async_context(dial(self.running))
        return await Player(Tapped(ws)).open(name)

    async def table(self, *names: str, **options: Any) -> tuple[str, list[Player]]:
        players = [await self.enter(name) for name in names]
        made = await players[0].ask(
            "create", game="odoriko", seats=max(2, len(names)), options=options
        )
        for player in players[1:]:
            await player.ask("join", room=made["room"])
        return made["room"], players


@asynccontextmanager
async def hall(packs: Path | None = None) -> AsyncIterator[Hall]:
    settings = Config(
        server=ServerSettings(port=0), data=DataSettings(packs="" if packs is None else str(packs))
    )
    app = App(settings, bots={})
    with trio.fail_after(20):
        async with trio.open_nursery() as nursery, AsyncExitStack() as lines:
            yield Hall(await nursery.start(app.run), lines)
            app.stop.set()


async def start(room: str, players: list[Player]) -> list[Message]:
    """Have everybody ready and the game begun; return the first updates."""
    for player in players:
        await player.ask("ready", room=room, ready=True)
    await players[0].ask("start", room=room)
    return [await player.update() for player in players]


async def test_decks_are_played_and_the_starter_stands_in() -> None:
    """OD-21, OD-23: what a seat brought, in secret; the starter deck for who asks or says nothing."""
    async with hall() as house:
        room, players = await house.table("Aki", "Ben", "Cho")
        assert await players[0].ask("deck", room=room, cards=LEGAL) == {}
        assert await players[1].ask("deck", room=room, cards=LEGAL[::-1]) == {}
        assert await players[1].ask("deck", room=room, starter=True) == {}
        first = await start(room, players)
        decks = [update["view"]["you"]["deck"] for update in first]
        assert decks == [sorted(LEGAL), STARTER, STARTER]


NO_CHARACTER = ("$.cards", "a deck holds at least one character")


@pytest.mark.parametrize(
    ("options", "cards", "told"),
    [
        ({}, LEGAL[:11], [("$.cards", "a deck holds exactly 12 cards, this one 11")]),
        ({}, [], [("$.cards", "a deck holds exactly 12 cards, this one 0"), NO_CHARACTER]),
        ({}, [*LEGAL[:11], "9D"], [("$.cards[11]", "'9D' is not a card of this room's sets")]),
        ({}, [*LEGAL[:11], "cc001"], [("$.cards", "2 copies of cc001; the room allows 1")]),
        ({}, ["ev_shimo", *LEGAL[1:]], [("$.cards", "3 copies of ev_shimo; the room allows 2")]),
        ({"max_copies_event": 12}, ["ev_shimo"] * 12, [NO_CHARACTER]),
        (
            {"events": "none"},
            [*NINE, "cc001", "cc002", "ev_kodama"],
            [("$.cards[11]", "'ev_kodama' is not a card of this room's sets")],
        ),
    ],
    ids=["few", "none", "unknown", "characters", "events", "no-character", "no-events"],
)
async def test_a_deck_that_is_not_legal_is_refused(
    options: dict[str, Any], cards: list[str], told: list[tuple[str, str]]
) -> None:
    """OD-22, OD-24, OD-188 (V-14): one problem for each fault, with its place."""
    async with hall() as house:
        room, (aki,) = await house.table("Aki", **options)
        refused = await aki.refused("deck", room=room, cards=cards)
        assert refused.code == "bad_deck"
        problems = [(p["path"], p["problem"]) for p in refused.details["problems"]]
        assert problems == told


async def test_there_is_a_problem_for_every_fault_however_many() -> None:
    """OD-188: the largest deck that a request may bring, all of it unknown."""
    async with hall() as house:
        room, (aki,) = await house.table("Aki")
        cards = [f"{n:x}".rjust(64, "x") for n in range(MAX_CARDS)]
        refused = await aki.refused("deck", room=room, cards=cards)
        paths = [p["path"] for p in refused.details["problems"]]
        assert paths == ["$.cards", *(f"$.cards[{n}]" for n in range(MAX_CARDS)), "$.cards"]


async def test_nobody_else_learns_of_a_deck_or_its_faults(caplog: pytest.LogCaptureFixture) -> None:
    """OD-21, OD-188: no message to others, no word in the log, and the same first update."""
    caplog.set_level("DEBUG", "kaguraden")
    async with hall() as house:
        room, (aki, ben, eve) = await house.table("Aki", "Ben", "Eve")
        await eve.ask("join", room=room, **{"as": "spectator"})
        for other in (aki, eve):
            await other.ask("ping")
            heard(other).clear()
        await ben.refused("deck", room=room, cards=[*LEGAL[:11], "bens_dream"])
        await ben.ask("deck", room=room, cards=LEGAL)
        for other in (aki, eve):
            await other.ask("ping")
            assert [json.loads(text)["type"] for text in heard(other)] == ["ok"]
        records = [vars(record) for record in caplog.records if record.name == "kaguraden"]
        assert f"'user': '{ben.user}'" in str(records), "what the log says of Ben"
        assert "bens_dream" not in str(records)
        assert "ev_shimo" not in str(records)
        info = (await eve.ask("rooms"))["rooms"]
        assert "deck" not in json.dumps(info)


def heard(player: Player) -> list[str]:
    line = player.line
    assert isinstance(line, Tapped)
    return line.heard


async def test_new_options_drop_a_deck_that_they_forbid_and_tell_its_owner_alone() -> None:
    """OD-24: a deck with events, in a room that has none any more; the starter deck is played."""
    async with hall() as house:
        room, (aki, ben) = await house.table("Aki", "Ben")
        await ben.ask("deck", room=room, cards=LEGAL)
        await aki.ask("configure", room=room, options={"bid_max": 9})
        await aki.ask("configure", room=room, options={"events": "none"})
        notice = await ben.next("notice")
        assert (notice["code"], notice["details"]["room"]) == ("deck_dropped", room)
        paths = {p["path"] for p in notice["details"]["problems"]}
        assert paths == {f"$.cards[{place}]" for place in (8, 9, 10, 11)}
        assert not any(push["type"] == "notice" for push in await pushes(aki))
        first = await start(room, [aki, ben])
        assert first[1]["view"]["you"]["deck"] == sorted([*NINE, "cc001", "cc002", "cc004"])


async def pushes(player: Player) -> list[Message]:
    await player.ask("ping")
    return list(player.pushes)


async def test_cards_of_a_pack_are_public_and_can_be_played(tmp_path: Path) -> None:
    """OD-189: everybody may ask what they are and do; the game names its sets as it begins."""
    (tmp_path / "birds.toml").write_text(EXAMPLE, "utf-8")
    async with hall(tmp_path) as house:
        eve = await house.enter("Eve")
        catalog = await eve.ask("catalog", game="odoriko")
        assert catalog["packs"][-1] == {"id": "birds", "cards": ["bd_wren", "bd_dawn"]}
        wren = catalog["cards"]["bd_wren"]
        assert wren["name"] == {"ja": "みそさざい", "en": "The wren"}
        assert wren["skill"]["cost"] == [{"vp": 2}]
        assert wren["score"][0]["text"]["en"] == "+1 for each heart on your fields"
        room, players = await house.table("Aki", "Ben")
        mine = [*NINE, "bd_wren", "bd_dawn", "bd_dawn"]
        await players[0].ask("deck", room=room, cards=mine)
        refused = await players[1].refused("deck", room=room, cards=[*mine[:11], "bd_wren"])
        assert refused.details["problems"][0]["problem"] == "2 copies of bd_wren; the room allows 1"
        first = await start(room, players)
        assert first[0]["view"]["you"]["deck"] == sorted(mine)
        opened = next(e for e in first[1]["events"] if e["kind"] == "game_opened")
        assert opened["sets"] == ["seed", "house", "birds"]
