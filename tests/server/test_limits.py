"""Limits and how they are told (protocol §2, §3, §14)."""

import json
from typing import Any

import pytest
import trio
from kaguraden_protocol.errors import CloseCode
from kaguraden_server import passwords
from kaguraden_server.connection import TokenBucket
from kaguraden_server.passwords import PENALTY_S, Hashed, hash_password
from trio.testing import MockClock

from .house import Player, Refused, config, open_house

SESAME = "sesame"


async def read_to_end(player: Player) -> list[dict[str, Any]]:
    """Return all messages until the server hangs up."""
    messages = []
    with trio.fail_after(60):
        try:
            while True:
                messages.append(json.loads(await player.line.receive()))
        except EOFError:
            return messages


def closed_with(player: Player) -> CloseCode | None:
    assert player.wire is not None
    return player.wire.closed_with


def test_the_bucket_lets_a_burst_through_and_then_a_steady_rate() -> None:
    bucket = TokenBucket(8, 2, abuse=3, abuse_s=10)
    assert [bucket.take(0.0) for _ in range(8)] == [0] * 8
    assert bucket.take(0.0) == 1_000, "until there is room for a quarter of a burst"
    assert bucket.take(0.25) == 750
    assert bucket.take(0.5) == 0, "one is taken as soon as there is room for it"
    assert not bucket.is_abused(0.5)
    bucket.take(0.5)
    assert bucket.is_abused(0.5)
    assert not bucket.is_abused(10.5)


def test_who_waits_as_told_is_not_taken_for_abusive() -> None:
    bucket = TokenBucket(40, 20, abuse=120, abuse_s=10)
    now, refused = 0.0, 0
    while now < 60:
        wait = bucket.take(now)
        refused += wait > 0
        now += (wait or 1) / 1_000
        assert not bucket.is_abused(now)
    assert refused > 60, "it hurried between"


async def test_hello_comes_first_and_once(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        player = await house.connect()
        assert (await player.refused("ping")).code == "hello_required"
        await player.open("Aki")
        refused = await player.refused("hello", name="B", client={"name": "t", "version": "1"})
        assert refused.code == "already_open"
        assert player.hello["protocol"] == "1.0"
        assert player.hello["limits"]["frame_in_bytes"] == 16_384
        assert player.hello["games"][0]["windows"][0]["kind"] == "bless"
        properties = player.hello["games"][0]["options"]["properties"]
        assert {"turns", "turn_ms", "window_min_ms"} <= set(properties)


async def test_hello_can_be_pipelined_with_what_follows_it(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        player = await house.connect()
        client = {"name": "t", "version": "1"}
        numbers = [
            await player.send("hello", name="Aki", client=client),
            await player.send("rooms"),
        ]
        for number in numbers:
            await player.reply(number)


async def test_no_hello_in_time_closes(autojump_clock: MockClock) -> None:
    async with open_house(config({"hello_ms": 700})) as house:
        player = await house.connect()
        began = trio.current_time()
        assert await read_to_end(player) == []
        assert closed_with(player) is CloseCode.NO_HELLO
        assert 0.7 <= trio.current_time() - began < 0.75


@pytest.mark.parametrize(
    ("name", "position"), [("", 0), ("a\u202eb", 1), ("a  b", 2), ("ab ", 2), ("あ" * 13, 12)]
)
async def test_a_bad_name_is_refused_with_the_position_and_may_be_mended(
    name: str, position: int, autojump_clock: MockClock
) -> None:
    async with open_house() as house:
        player = await house.connect()
        with pytest.raises(Refused) as caught:
            await player.open(name)
        assert caught.value.code == "bad_name"
        assert caught.value.details["position"] == position
        await player.open("Aki")


async def test_the_server_password_is_asked_for_and_a_wrong_one_ends_it() -> None:
    # The real clock: a thread hashes, and a clock that jumps does not wait for it.
    async with open_house(password=await hash_password(SESAME)) as house:
        player = await house.connect()
        began = trio.current_time()
        with pytest.raises(Refused) as caught:
            await player.open("Aki", password=SESAME.upper())
        assert caught.value.code == "bad_password"
        assert PENALTY_S[0] <= trio.current_time() - began
        await read_to_end(player)
        assert closed_with(player) is CloseCode.REFUSED
        await house.enter("Aki", password=SESAME)


async def test_requests_over_the_rate_are_refused_and_have_no_effect(
    autojump_clock: MockClock,
) -> None:
    async with open_house(config({"burst_requests": 10, "rooms_per_user": 100})) as house:
        aki = await house.enter("Aki")
        numbers = [await aki.send("create", game="ofuda") for _ in range(14)]
        codes = []
        for number in numbers:
            try:
                await aki.reply(number)
            except Refused as refused:
                codes.append(refused.code)
                retry_ms = refused.details["retry_after_ms"]
                assert 50 <= retry_ms <= 125, "room for two and a half"
        assert codes == ["too_many_requests"] * 5, "hello took one of the ten"
        assert len(house.lobby.rooms) == 9
        await trio.sleep(1)
        await aki.ask("ping")


async def test_a_flood_is_sent_away(autojump_clock: MockClock) -> None:
    async with open_house(config({"burst_requests": 10})) as house:
        aki = await house.enter("Aki")
        for _ in range(100):
            await aki.send("ping")
        replies = await read_to_end(aki)
        assert closed_with(aki) is CloseCode.RATE
        refused = [r for r in replies if r["type"] == "error"]
        assert len(refused) == 30
        assert [r["re"] for r in replies] == list(range(2, 2 + len(replies))), "in order, each one"


NONSENSE = [
    "",
    "x",
    "[]",
    "3",
    "null",
    "{}",
    '{"type":"ping"}',
    '{"type":"ping","id":1.5}',
    '{"type":"ping","id":null}',
    '{"type":"fly","id":1}',
    '{"type":"ping","id":1,"id":2}',
    '{"type":"ping","id":1,"y":2}',
    '{"type":"ping","id":1e999}',
    '{"type":"ping","id":NaN}',
    '{"type":"chat","id":1,"room":"x","text":"\\ud800"}',
    "[" * 5_000,
    '{"type":"join","id":1,"room":5}',
    '{"type":"act","id":1,"room":"KAGU-0000","decision":"d","option":"o","value":1.5}',
    '{"type":"kick","id":1,"room":"KAGU-0000"}',
]


async def test_the_connection_lives_through_every_kind_of_nonsense(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        aki = await house.enter("Aki")
        for text in NONSENSE:
            await aki.line.send(text)
            error = json.loads(await aki.line.receive())
            assert error["type"] == "error", text
            assert error["code"] in {"bad_json", "bad_message", "unknown_type", "bad_value"}, text
            assert error["message"]
            assert error["details"]["problems"]
            await trio.sleep(0.1)
            await aki.ask("ping")
            await trio.sleep(0.1)


async def test_the_twentieth_bad_message_in_a_row_closes(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        aki = await house.enter("Aki")
        for _ in range(19):
            await aki.line.send("nonsense")
        await trio.sleep(2)
        await aki.line.send('{"type":"ping","id":"p"}')
        await trio.sleep(2)
        for _ in range(25):
            await aki.line.send("nonsense")
        replies = await read_to_end(aki)
        assert [r["type"] for r in replies] == ["error"] * 19 + ["ok"] + ["error"] * 20
        assert closed_with(aki) is CloseCode.ABUSE


async def test_replies_come_in_the_order_of_the_requests(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, _) = await house.table()
        numbers = []
        for _ in range(5):
            numbers.append(await aki.send("ping"))
            numbers.append(await aki.send("chat", room=room, text="x"))
            numbers.append(await aki.send("nothing"))
        for number in numbers:
            try:
                await aki.reply(number)
            except Refused as refused:
                assert refused.code == "unknown_type"  # noqa: PT017


async def test_more_than_may_be_pending_wait_their_turn(autojump_clock: MockClock) -> None:
    async with open_house(config({"pending_requests": 2})) as house:
        aki = await house.enter("Aki")
        numbers = [await aki.send("ping") for _ in range(20)]
        for number in numbers:
            await aki.reply(number)


async def test_chat_has_a_rate_of_its_own(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.table()
        for _ in range(5):
            await aki.ask("chat", room=room, text="hi")
        refused = await aki.refused("chat", room=room, text="hi")
        assert refused.code == "too_many_requests"
        assert 9_000 < refused.details["retry_after_ms"] <= 10_000
        await ben.ask("chat", room=room, text="others may")
        await trio.sleep(refused.details["retry_after_ms"] / 1_000)
        await aki.ask("chat", room=room, text="hi")


async def test_rooms_are_limited_for_a_user_and_in_all(autojump_clock: MockClock) -> None:
    async with open_house(config({"rooms_per_user": 2, "rooms": 3})) as house:
        aki, ben, chi = [await house.enter(name) for name in ("Aki", "Ben", "Chi")]
        first = (await aki.ask("create", game="ofuda"))["room"]
        await aki.ask("create", game="ofuda")
        refused = await aki.refused("create", game="ofuda")
        assert refused.code == "limit_reached"
        assert refused.details == {"limit": 2, "what": "rooms_per_user"}
        assert refused.message == "the limit is reached (2 tables a user)"
        third = (await ben.ask("create", game="ofuda"))["room"]
        assert (await aki.refused("join", room=third)).details["what"] == "rooms_per_user"
        assert (await chi.refused("create", game="ofuda")).details["what"] == "rooms"
        await aki.ask("leave", room=first)
        await aki.ask("join", room=third)


async def test_rooms_are_limited_for_an_address(autojump_clock: MockClock) -> None:
    async with open_house(config({"rooms_per_address": 2})) as house:
        addresses = {"Aki": "192.0.2.1", "Ben": "192.0.2.1", "Chi": "192.0.2.2"}
        aki, ben, chi = [
            await (await house.connect(address)).open(name) for name, address in addresses.items()
        ]
        first = (await aki.ask("create", game="ofuda"))["room"]
        await ben.ask("create", game="ofuda")
        refused = await ben.refused("create", game="ofuda")
        assert refused.code == "limit_reached"
        assert refused.details == {"limit": 2, "what": "rooms_per_address"}
        await ben.ask("join", room=first)
        await chi.ask("create", game="ofuda")
        for player in (aki, ben):
            await player.ask("leave", room=first)
        await ben.ask("create", game="ofuda")


async def test_no_password_is_hashed_for_a_room_that_cannot_be(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed = []

    async def hash_at_once(password: str) -> Hashed:
        await trio.lowlevel.checkpoint()
        hashed.append(password)
        return Hashed(b"", b"")

    monkeypatch.setattr(passwords, "hash_password", hash_at_once)
    async with open_house(config({"rooms_per_user": 1})) as house:
        aki = await house.enter("Aki")
        for wrong in ({"game": "shogi"}, {"seats": 9}, {"options": {"turns": 0}}):
            await aki.refused("create", **{"game": "ofuda", "password": SESAME, **wrong})
        await aki.ask("create", game="ofuda")
        refused = await aki.refused("create", game="ofuda", password=SESAME)
        assert refused.code == "limit_reached"
        assert hashed == []


async def test_rooms_made_while_a_password_is_hashed_count(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow_hash(_: str) -> Hashed:
        await trio.sleep(1)
        return Hashed(b"", b"")

    monkeypatch.setattr(passwords, "hash_password", slow_hash)
    async with open_house(config({"rooms": 1})) as house:
        aki, ben = await house.enter("Aki"), await house.enter("Ben")
        number = await aki.send("create", game="ofuda", password=SESAME)
        await ben.ask("create", game="ofuda")
        with pytest.raises(Refused, match="limit_reached"):
            await aki.reply(number)


async def test_spectators_are_limited(autojump_clock: MockClock) -> None:
    async with open_house(config({"spectators_per_room": 1})) as house:
        room, _ = await house.table()
        watch = {"room": room, "as": "spectator"}
        await (await house.enter("Chi")).ask("join", **watch)
        refused = await (await house.enter("Dan")).refused("join", **watch)
        assert (refused.code, refused.details["limit"]) == ("limit_reached", 1)


async def test_connections_are_limited(autojump_clock: MockClock) -> None:
    async with open_house(config({"connections": 2})) as house:
        one = await house.enter("one")
        await house.enter("two")
        three = await house.connect()
        assert await read_to_end(three) == []
        assert closed_with(three) is CloseCode.REFUSED
        await one.leave_line()
        await trio.sleep(0.1)
        await house.enter("three")


async def test_a_stuck_reader_is_cut_and_its_room_never_waits(autojump_clock: MockClock) -> None:
    async with open_house(config({"write_ms": 5_000})) as house:
        room, (aki, ben) = await house.table()
        stuck = await house.enter("Stu")
        await stuck.ask("join", room=room, **{"as": "spectator"})
        inside = house.lobby.users.get(stuck.user)
        assert inside is not None
        assert inside.connection is not None
        connection = inside.connection

        async def never(_: bytes) -> None:
            await trio.sleep_forever()

        setattr(connection.wire, "send", never)  # noqa: B010
        began = trio.current_time()
        for _ in range(5):
            await ben.ask("chat", room=room, text="hi")
        assert trio.current_time() == began, "nobody waited"
        await trio.sleep(4.9)
        assert inside.is_here
        await trio.sleep(0.2)
        assert not inside.is_here
        told = [p for p in await aki.quiet() if p["type"] == "chat"]
        assert len(told) == 5


async def test_a_slow_reader_gets_one_full_update_in_place_of_many(
    autojump_clock: MockClock,
) -> None:
    async with open_house(config({"queue_messages": 16, "write_ms": 60_000})) as house:
        room, (aki, ben) = await house.started(
            turns=20, turn_ms=500, bank_ms=0, window_ms=500, window_min_ms=50
        )
        inside = house.lobby.users.get(ben.user)
        assert inside is not None
        assert inside.connection is not None
        wire, gate = inside.connection.wire, trio.Event()
        send = wire.send

        async def slow(text: bytes) -> None:
            await gate.wait()
            await send(text)

        setattr(wire, "send", slow)  # noqa: B010
        while aki.views[room]["view"]["table"]["turn"] < 15:
            await aki.update()
        gate.set()
        updates = [p for p in await ben.quiet() if p["type"] == "update"]
        assert len(updates) < aki.seqs[room] - 2
        assert any(update["full"] for update in updates)
        assert updates[-1]["seq"] == ben.seqs[room] >= aki.seqs[room]
        assert updates[-1]["view"]["you"]["hand"]
