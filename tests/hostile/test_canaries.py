"""Canaries: recognisable secrets everywhere, and nowhere a trace of them (protocol §15).

What a person may not know is searched for in every frame that it was sent, in the log at its most
talkative in both formats, in what the port answers to HTTP, in the records and in the journal's
commands. Each search is first shown to find what is there.
"""

from __future__ import annotations

import base64
import io
import json
import logging
import random
import socket
import sqlite3
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import evolve
from click.testing import CliRunner
from kaguraden_rules.kernel import (
    Answer,
    BadDeck,
    CardId,
    CardsValue,
    Decision,
    Problem,
    SeatId,
    Step,
)
from kaguraden_server.bots import Transport
from kaguraden_server.config import DailySettings
from kaguraden_server.daily import Daily
from kaguraden_server.journal.commands import journal as journal_command
from kaguraden_server.logs import ConsoleFormatter, JsonFormatter
from kaguraden_server.replays import ReplayFiles
from trio.testing import MockClock
from websockets.exceptions import ConnectionClosed
from websockets.trio.client import connect
from websockets.typing import Subprotocol

from tests.end_to_end.raw import Client
from tests.fakes import Ofuda, State
from tests.server.house import config, open_house
from tests.server.journals import InlineJournal

from .guests import Guest
from .process import STRICT, Server, open_server

DECKS = {
    name: tuple(CardId(f"canary-{name}-{i}") for i in range(4)) for name in ("aki", "ben", "chi")
}


def spellings(secret: str | bytes) -> list[str]:
    """Return how a secret may be written."""
    if isinstance(secret, str):
        found = [secret, base64.b64encode(secret.encode()).decode().rstrip("=")]
        return [*found, json.dumps(secret)[1:-1]]
    urlsafe = base64.urlsafe_b64encode(secret).decode().rstrip("=")
    return [secret.hex(), secret.hex().upper(), urlsafe, repr(secret)[2:-1]]


def found_in(text: str | bytes, secrets: Mapping[str, str | bytes]) -> list[str]:
    """Return the names of the secrets that a text holds, in any spelling."""
    shown = text if isinstance(text, str) else text.decode("utf-8", "replace")
    return [name for name, secret in secrets.items() if any(s in shown for s in spellings(secret))]


def heard(guest: Guest) -> str:
    return b"\n".join(text for _, text in guest.tape).decode()


@contextmanager
def everything_logged() -> Iterator[tuple[io.StringIO, io.StringIO]]:
    """Take down all that is logged, in both formats."""
    streams = io.StringIO(), io.StringIO()
    root = logging.getLogger()
    ours = logging.getLogger("kaguraden")
    handlers = []
    for stream, formatter in zip(streams, (JsonFormatter(), ConsoleFormatter()), strict=True):
        handler = logging.StreamHandler(stream)
        handler.setFormatter(formatter)
        handlers.append(handler)
        root.addHandler(handler)
    levels, goes_on = (root.level, ours.level), ours.propagate
    ours.propagate = True  # another test in this process may have set the log up
    root.setLevel(logging.DEBUG)
    ours.setLevel(logging.DEBUG)
    try:
        yield streams
    finally:
        root.setLevel(levels[0])
        ours.setLevel(levels[1])
        ours.propagate = goes_on
        for handler in handlers:
            root.removeHandler(handler)


# --- a game that is all secrets ---------------------------------------------------------------------


class Canaries(Ofuda):
    """Ofuda with decks that can be told, sealed answers that name a card, and rules that blurt."""

    def check_deck(self, options: Any, deck: Sequence[CardId] | None) -> tuple[CardId, ...]:
        if deck is not None and not all(card.startswith("canary") for card in deck):
            raise BadDeck([Problem("$.cards", "not a canary")])
        return tuple(deck or super().check_deck(options, None))

    def _decision(self, state: State, seat: SeatId) -> Decision | None:
        decision = super()._decision(state, seat)
        if decision is None or decision.kind != "bless":
            return decision
        cards = CardsValue(tuple(sorted(state.hands[seat])), 1, 1)
        return evolve(
            decision,
            options=tuple(
                evolve(option, value=cards) if option.kind == "bless" else option
                for option in decision.options
            ),
        )

    def act(self, state: State, seat: SeatId, answer: Answer) -> Step[State]:
        if answer.option == "explode":
            raise ZeroDivisionError(f"{state.hands} {answer}")
        return super().act(state, seat, answer)


async def blurting_bot(_: Transport, *, token: str, room: str, name: str) -> None:
    raise RuntimeError(f"canary: {token}")


async def test_hands_sealed_answers_seeds_and_tokens_are_told_to_nobody_else(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    journal = InlineJournal(tmp_path)
    files = ReplayFiles.within(tmp_path, 10)
    bots: Any = {"blurting": blurting_bot}
    with everything_logged() as logs:
        async with open_house(
            config(), games=[Canaries()], journal=journal, replays=files, bots=bots
        ) as house:
            aki, ben, chi, wat, out = people = [
                await Guest(house.lobby, house.nursery, name).enter()
                for name in ("Akikusa", "Benten", "Chidori", "Watanabe", "Otogi")
            ]
            seats = dict(zip(DECKS, (aki, ben, chi), strict=True))
            await out.ask("rooms", watch=True)
            options = {"faulty": True, "turns": 1, "window_min_ms": 2_000}
            made = await aki.ask(
                "create", game="ofuda", seats=3, options=options, title="canary-title"
            )
            room = made["room"]
            nonces = {}
            for number, (name, guest) in enumerate(seats.items()):
                if guest is not aki:
                    await guest.ask("join", room=room)
                await guest.ask("deck", room=room, cards=list(DECKS[name]))
                nonces[name] = f"c0ffee{number}0" * 4
                await guest.ask("ready", room=room, ready=True, nonce=nonces[name])
            await wat.ask("join", room=room, **{"as": "spectator"})
            await ben.ask("chat", room=room, text="canary-chat")
            table_seed = house.lobby.rooms[room].deal.seed
            for guest in people:
                others = {n: nonce for n, nonce in nonces.items() if seats[n] is not guest}
                assert found_in(heard(guest), others) == [], "before the start"
            await aki.ask("start", room=room)
            table = house.lobby.rooms[room].table
            assert table is not None
            entropy = table.deal.entropy(table.nonces)

            async def act(guest: Guest, option: str, value: Any = None) -> None:
                await trio.testing.wait_all_tasks_blocked()
                (decision,) = guest.last_update()["decisions"]
                more = {} if value is None else {"value": value}
                fields = {"room": room, "decision": decision["id"], "option": option}
                await guest.request("act", **fields, **more)

            await act(aki, "explode")  # the rules tell of all hands in an error
            await act(aki, "rest")
            sealed = "canary-ben-2"
            await act(ben, "bless", [sealed])
            await act(chi, "bless", ["canary-ben-1"])  # not one's own
            await act(chi, "pass")
            await ben.hang_up()
            await trio.testing.wait_all_tasks_blocked()
            await aki.ask("bot", room=room, seat=1, level="blurting")
            for fields in (
                {"decision": "1.0", "option": "bless"},
                {"decision": "canary-typed", "option": "canary-typed", "value": ["canary-typed"]},
            ):
                for guest in (aki, wat, chi):
                    await guest.request("act", room=room, **fields)
            for text in (
                '{"type":"canary-typed","id":1}',
                '{"canary-typed":1,"canary-typed":2}',
                'canary-typed"',
                '{"type":"sync","id":7,"room":"canary-typed"}',
            ):
                await out.say(text)
            await ben.enter()
            journal.fault = sqlite3.OperationalError("canary-disk")
            await chi.request("auto", room=room, window="bless", mode="pass")
            await chi.request("pause", room=room, on=True)
            await chi.request("chat", room=room, text="canary-chat")
            journal.fault = None
            await trio.sleep(3)
            await ben.request("sync", room=room)
            assert list(files.folder.iterdir()) == [], "there is no record before the end"

            hands = {name: f"canary-{name}-" for name in seats}
            secrets: dict[str, str | bytes] = {"seed": table_seed, "entropy": entropy}
            for guest in people:
                mine = next((n for n, g in seats.items() if g is guest), None)
                others = {f"hand of {n}": h for n, h in hands.items() if n != mine}
                tokens = {f"token of {g.name}": g.hello["token"] for g in people if g is not guest}
                assert found_in(heard(guest), {**secrets, **others, **tokens}) == []
            assert found_in(heard(out), {"chat": "canary-chat", **nonces}) == []
            assert found_in(heard(ben), {"hand": hands["ben"], "nonce": nonces["aki"]}) == [
                "hand",
                "nonce",
            ], "the search finds what is there"

            tables = house.lobby.rooms[room].table
            await trio.sleep(1_000)  # everybody's time runs out
            assert tables is not None
            assert tables.outcome is not None
            for guest in (aki, wat):
                assert found_in(heard(guest), secrets) == ["seed"], "now it is told"
            replay = await wat.ask("replay", room=room)
            assert found_in(json.dumps(replay), {**secrets, **hands}) == [*secrets, *hands]
            assert found_in(heard(out), {**secrets, **hands, **nonces}) == []
            with trio.fail_after(10):
                while not list(files.folder.glob("*.json")):
                    await trio.lowlevel.checkpoint()
            tokens = {f"token of {guest.name}": guest.hello["token"] for guest in people}
    everything: dict[str, str | bytes] = {**secrets, **hands, **nonces, **tokens}
    typed = {"chat": "canary", "names": "Akikusa", "title": "canary-title", "disk": "canary-disk"}
    for stream in logs:
        text = stream.getvalue()
        assert "rules_failed" in text
        assert "bot_failed" in text
        assert found_in(text, {**everything, **typed}) == []
    with sqlite3.connect(tmp_path / "journal.sqlite3") as connection:
        kept = "\n".join(connection.iterdump())
    connection.close()
    assert found_in(kept, {**tokens, "chat": "canary-chat"}) == []
    journal.drop()


# --- the day ------------------------------------------------------------------------------------


async def test_the_day_and_its_key_are_told_to_nobody_before_it_is_closed(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    from kaguraden_rules.enbu.game import Enbu

    key = b"a canary of 32 bytes, all of it!"
    journal = InlineJournal(tmp_path)
    files = ReplayFiles.within(tmp_path, 10)
    daily = Daily(DailySettings(), key=key, folder=tmp_path / "daily")
    (tmp_path / "daily").mkdir()
    with everything_logged() as logs:
        async with open_house(
            config(), games=[Enbu()], journal=journal, replays=files, daily=daily
        ) as house:
            aki, wat = [
                await Guest(house.lobby, house.nursery, name).enter() for name in ("Aki", "Wat")
            ]
            made = await aki.ask("create", game="enbu", options={"book": "daily:kyu-3"})
            room = made["room"]
            await wat.ask("join", room=room, **{"as": "spectator"})
            await aki.ask("ready", room=room, ready=True)
            await aki.ask("start", room=room)
            await trio.testing.wait_all_tasks_blocked()
            secrets = {"day": house.lobby.rooms[room].deal.seed, "key": key}
            (decision,) = aki.last_update()["decisions"]
            await aki.ask("act", room=room, decision=decision["id"], option="finish")
            await trio.testing.wait_all_tasks_blocked()
            assert "outcome" in aki.last_update()["view"]
            for guest in (aki, wat):
                for kind in ("replay", "sync", "rematch"):
                    await guest.request(kind, room=room)
                await guest.request("daily", book="kyu-3")
                assert found_in(heard(guest), secrets) == []
            assert list(files.folder.iterdir()) == []
    assert all(found_in(stream.getvalue(), secrets) == [] for stream in logs)
    for arguments in (["list", "--all"], ["show", room], ["check"], ["export", room]):
        result = CliRunner().invoke(
            journal_command, [arguments[0], "--data", str(tmp_path), *arguments[1:]]
        )
        assert result.output
        assert found_in(result.output, secrets) == []
    journal.drop()


# --- a whole server -----------------------------------------------------------------------------

PASSWORDS = {
    "server": "canary-server-password",
    "room": "canary-room-password",
    "wrong server": "canary-wrong-password",
    "wrong room": "canary-wrong-guess",
    "metrics": "canary-metrics-token",
    "wrong bearer": "canary-wrong-bearer",
}
TYPED = {  # by who runs the server
    "announcement": "canary-announcement",
    "code": "canary-code",
    "deed": "canary-deed",
    "who": "canary-who",
}
PATHS = ("/", "/healthz", "/readyz", "/metrics", "/protocol/v1/schema.json", "/ws", "/data", "/log")


class Ears(Client):
    """A client that keeps every frame."""

    frames: list[str]

    async def read(self) -> dict[str, Any]:
        message = await super().read()
        self.frames.append(json.dumps(message, ensure_ascii=False))
        return message


@pytest.mark.parametrize("style", ["json", "console"])
async def test_passwords_and_tokens_are_nowhere_but_with_their_owners(
    tmp_path: Path, style: str
) -> None:
    words = f'password = "{PASSWORDS["server"]}"\nmetrics_token = "{PASSWORDS["metrics"]}"\n'
    settings = STRICT.replace("[server]\n", f"[server]\n{words}")
    with open_server(tmp_path, settings, level="debug", style=style) as server:
        with trio.fail_after(60):
            ears = await _visit(server)
        answers = b"\n".join(_fetched(server, path) for path in PATHS)
        for bearer in ("metrics", "wrong bearer"):
            answers += _fetched(server, "/metrics", bearer=PASSWORDS[bearer])
        listings = _asked_by_its_host(tmp_path / "data" / "admin.sock")
        assert server.stop() == 0
        log = server.log.read_text("utf-8")
    tokens = {f"token of {name}": client.hello["token"] for name, client in ears.items()}
    for name, client in ears.items():
        others = {n: token for n, token in tokens.items() if n != f"token of {name}"}
        told = "\n".join(client.frames)
        assert client.hello["token"] in told, "the search finds what is there"
        assert found_in(told, {**PASSWORDS, **others}) == []
    kept = b"".join(p.read_bytes() for p in (tmp_path / "data").rglob("*") if p.is_file())
    assert b"Akikusa" in kept
    assert found_in(kept, {**PASSWORDS, **tokens}) == []
    nonces = {f"nonce of {name}": _nonce(name) for name in ears}
    everything = {
        **TYPED,
        **PASSWORDS,
        **tokens,
        **nonces,
        "name": "Akikusa",
        "chat": "canary-chat",
    }
    assert "room_opened" in log
    assert found_in(log, everything) == []
    assert b"Kaguraden" in answers
    assert b"kaguraden_rooms" in answers
    assert '"told":' in listings
    assert found_in(listings, {**PASSWORDS, **tokens, **nonces, "chat": "canary-chat"}) == []
    assert found_in(answers, everything) == []


def _nonce(name: str) -> str:
    return (name.encode().hex() * 16)[:64]


async def _visit(server: Server) -> dict[str, Ears]:
    """Have people come, with the right and the wrong passwords; return what they heard."""
    names = ("Akikusa", "Benten", "Chidori")
    found: dict[str, Ears] = {}
    async with trio.open_nursery() as nursery:
        for name in names:
            found[name] = await nursery.start(_stay, server, name)
        aki, ben, chi = found.values()
        made = await aki.ask("create", game="odoriko", seats=2, password=PASSWORDS["room"])
        room = made["room"]
        await ben.ask("join", room=room, password=PASSWORDS["room"])
        for guess in (PASSWORDS["wrong room"], PASSWORDS["server"], ""):
            reply = await chi.reply_to("join", room=room, password=guess)
            assert reply["code"] == "bad_password"
        await chi.reply_to("hello", name=PASSWORDS["wrong room"], password=PASSWORDS["server"])
        await chi.reply_to("create", game="odoriko", passwrd=PASSWORDS["wrong room"])
        for client in (aki, ben):
            await client.ask("ready", room=room, ready=True, nonce=_nonce(client.name))
        await ben.ask("chat", room=room, text="canary-chat")
        await aki.ask("start", room=room)
        await ben.ask("rooms")
        await _knock(server, PASSWORDS["wrong server"])
        nursery.cancel_scope.cancel()
    return found


async def _stay(
    server: Server, name: str, *, task_status: trio.TaskStatus[Ears] = trio.TASK_STATUS_IGNORED
) -> None:
    async with _dial(server) as ws:
        ears = Ears(ws, name, random.Random(name))
        ears.frames = []
        await ears.say_hello(password=PASSWORDS["server"])
        task_status.started(ears)
        await trio.sleep_forever()


async def _knock(server: Server, password: str) -> None:
    async with _dial(server) as ws:
        hello = {"type": "hello", "id": 1, "name": "Eve", "password": password}
        await ws.send(json.dumps({**hello, "client": {"name": "e", "version": "1"}}))
        with suppress(ConnectionClosed):
            while True:
                assert password not in str(await ws.recv())
    assert ws.close_code == 4005


def _dial(server: Server) -> connect:
    return connect(
        server.url, subprotocols=[Subprotocol("kaguraden.v1")], compression=None, proxy=None
    )


def _asked_by_its_host(path: Path) -> str:
    """Have the one who runs the server do things; return all that it was told."""
    deeds: list[dict[str, Any]] = [
        {"do": "rooms"},
        {"do": "status"},
        {"do": "announce", "text": TYPED["announcement"]},
        {"do": "members", "room": TYPED["code"]},
        {"do": TYPED["deed"]},
        {"do": "snapshot"},
    ]
    with socket.socket(socket.AF_UNIX) as stream, stream.makefile("rwb") as lines:
        stream.settimeout(20)
        stream.connect(str(path))
        for deed in deeds:
            lines.write(json.dumps(deed).encode() + b"\n")
        lines.flush()
        told = [json.loads(lines.readline()) for _ in deeds]
        (room,) = told[0]["ok"]["rooms"]
        for deed in ({"do": "members"}, {"do": "kick", "who": TYPED["who"]}, {"do": "close"}):
            lines.write(json.dumps({**deed, "room": room["room"]}).encode() + b"\n")
        lines.flush()
        told += [json.loads(lines.readline()) for _ in "123"]
    return json.dumps(told, separators=(",", ":"))


def _fetched(server: Server, path: str, bearer: str | None = None) -> bytes:
    headers = {} if bearer is None else {"Authorization": f"Bearer {bearer}"}
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310 - our own server
            return bytes(answer.read()) + str(answer.headers).encode()
    except urllib.error.HTTPError as error:
        with error:
            return error.read() + str(error.headers).encode()
