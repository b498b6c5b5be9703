"""Coming back: tokens, the updates one missed, away seats (protocol §4 and §10)."""

import json
from functools import partial
from pathlib import Path

import trio
from kaguraden_protocol.errors import CloseCode
from trio.testing import MockClock

from .house import House, Player, config, open_house, play_out
from .journals import SlowJournal


async def back(house: House, player: Player, name: str = "Aki", **fields: object) -> Player:
    return await house.enter(name, resume=player.hello["token"], **fields)


async def test_a_token_takes_the_place_back_and_is_replaced(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, _) = await house.started()
        again = await back(house, aki)
        assert again.hello["resumed"] is True
        assert again.user == aki.user
        assert again.hello["token"] != aki.hello["token"]
        assert again.hello["rooms"] == [{"room": room, "seat": 0, "last_seq": 1}]
        assert aki.wire is not None
        assert aki.wire.closed_with is CloseCode.TAKEN_OVER


async def test_an_unknown_token_is_no_error(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        player = await house.enter("Aki", resume="nobody's")
        assert player.hello["resumed"] is False
        assert player.hello["rooms"] == []


async def test_the_token_before_the_last_works_for_a_lost_reply(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        aki = await house.enter("Aki")
        second = await back(house, aki)
        third = await back(house, aki)
        assert third.user == aki.user
        await trio.sleep(31)
        assert (await back(house, second)).hello["resumed"] is False
        assert (await back(house, third)).hello["resumed"] is True


async def test_who_was_away_gets_exactly_what_it_missed(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.started()
        await ben.leave_line()
        await aki.act(room, "lay", ["o1"])
        await trio.sleep(130 + 20)
        again = await back(house, ben, "Ben")
        assert [p for p in await again.quiet() if p["type"] == "update"] == [], "not before sync"
        result = await again.ask("sync", room=room, seq=1)
        missed = [p for p in again.pushes if p["type"] == "update"]
        assert [update["seq"] for update in missed] == list(range(2, result["seq"] + 1))
        assert not any(update["full"] for update in missed)
        assert missed[0]["events"][0]["kind"] == "cards_laid"
        assert missed[0]["clock"][0]["left_ms"] == 0, "durations are those of the sending"
        await again.quiet()
        assert (await again.ask("sync", room=room, seq=result["seq"])) == result
        assert [p for p in await again.quiet() if p["type"] == "update"] == []


async def test_updates_wait_for_sync_and_then_go_on(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.started()
        again = await back(house, ben, "Ben")
        await again.quiet()
        await aki.act(room, "rest")
        assert await again.quiet() == []
        await again.ask("sync", room=room, seq=1)
        assert (await again.update())["seq"] == 2
        await again.act(room, "pass")
        assert (await again.update())["seq"] == 3


async def test_without_a_number_or_with_one_too_old_the_whole_position_follows(
    autojump_clock: MockClock,
) -> None:
    async with open_house(config({"resume_updates": 2})) as house:
        room, (aki, ben) = await house.started()
        await aki.act(room, "rest")
        await ben.update()
        await ben.act(room, "pass")
        await trio.sleep(1)
        last = ben.seqs[room]
        for asked in ({}, {"seq": 1}, {"seq": 999}):
            again = await back(house, ben, "Ben")
            ben.hello = again.hello
            result = await again.ask("sync", room=room, **asked)
            (update,) = [p for p in again.pushes if p["type"] == "update"]
            assert update["full"] is True
            assert update["seq"] == result["seq"] >= last
            assert update["view"]["you"]["hand"]


async def test_a_lost_connection_makes_the_seat_away_and_coming_back_ends_it(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.started()
        await aki.quiet()
        await ben.leave_line()
        await trio.sleep(0.1)
        (push,) = [p for p in await aki.quiet() if p["type"] == "room"]
        assert push["info"]["seats"][1]["away"] is True
        again = await back(house, ben, "Ben")
        told = await again.quiet()
        assert told[0]["type"] == "room", "who comes back is told about the room unasked"
        assert "away" not in told[0]["info"]["seats"][1]
        assert room in house.lobby.rooms


async def test_a_game_goes_on_without_who_is_away(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.started(turn_ms=1_000, bank_ms=0, window_ms=1_000)
        await ben.leave_line()
        await play_out(room, [aki])
        assert aki.views[room]["view"]["phase"] == "over"


async def test_a_seat_given_up_in_play_is_not_waited_for(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.started(turn_ms=600_000, bank_ms=600_000)
        began = trio.current_time()
        await ben.ask("leave", room=room)
        await play_out(room, [aki])
        assert trio.current_time() - began < 60


async def test_chat_and_room_follow_who_comes_back(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.table()
        await ben.leave_line()
        await aki.ask("chat", room=room, text="are you there?")
        again = await back(house, ben, "Ben")
        told = await again.quiet()
        assert [p["type"] for p in told] == ["room", "chat"]


async def test_whoever_is_in_many_rooms_gets_all_that_was_said_in_them(
    autojump_clock: MockClock,
) -> None:
    limits = {"chat_messages": 1_000, "burst_requests": 10_000}
    async with open_house(config(limits)) as house:
        aki, ben = await house.enter("Aki"), await house.enter("Ben")
        for _ in range(8):
            room = (await aki.ask("create", game="ofuda"))["room"]
            await ben.ask("join", room=room)
            for _ in range(100):
                await aki.ask("chat", room=room, text="字" * 500)
        await ben.leave_line()
        again = await back(house, ben, "Ben")
        told = await again.quiet()
        assert [p["type"] for p in told].count("chat") == 800
        assert [p["type"] for p in told].count("room") == 8


async def test_who_comes_back_is_seen_however_busy_the_room_is(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (_, ben) = await house.started()
        crowd = [await house.enter(f"S{n}") for n in range(199)]
        for spectator in crowd:
            await spectator.ask("join", room=room, **{"as": "spectator"})
        for _ in range(8):
            before, ben = ben, await house.connect()
            async with trio.open_nursery() as nursery:
                # All of these reach the room at the same time, and it refuses them.
                for spectator in crowd:
                    nursery.start_soon(partial(spectator.refused, "start", room=room))
                await ben.open("Ben", resume=before.hello["token"])
                assert (await ben.ask("sync", room=room))["seq"] >= 1
            assert [p["type"] for p in ben.pushes].count("update") == 1


async def test_standing_choices_come_back_too(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.started()
        await ben.ask("auto", room=room, window="bless", mode="pass")
        again = await back(house, ben, "Ben")
        await again.ask("sync", room=room)
        await again.update()
        await aki.act(room, "rest")
        assert (await again.update())["decisions"] == []


async def test_a_taken_over_connection_cannot_act_any_more(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        _, (aki, _) = await house.started()
        await back(house, aki)
        await aki.send("ping")
        try:
            while True:
                await aki.line.receive()
        except EOFError:
            pass


async def test_what_was_sent_before_hanging_up_is_done(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.table()
        for text in ("so", "long"):
            await aki.send("chat", room=room, text=text)
        await aki.send("leave", room=room)
        await aki.leave_line()
        await trio.sleep(1)
        said = [p["text"] for p in await ben.quiet() if p["type"] == "chat"]
        assert said == ["so", "long"]
        assert house.lobby.rooms[room].info().seats[0].user is None


async def test_nothing_of_a_room_comes_before_the_reply_to_hello(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    journal = SlowJournal(tmp_path)
    async with open_house(journal=journal) as house:
        _, (aki, ben) = await house.started()
        await aki.leave_line()
        await trio.sleep(5)
        again = await house.connect()
        client = {"name": "test", "version": "1"}
        await again.send("hello", name="Aki", client=client, resume=aki.hello["token"])
        await ben.leave_line()  # the room looks at who is there
        first = json.loads(await again.line.receive())
        assert (first["type"], first["re"]) == ("ok", 1)
        assert json.loads(await again.line.receive())["type"] == "room"
    journal.drop()


async def test_who_comes_back_while_a_rematch_is_written_plays_in_it(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    journal = SlowJournal(tmp_path)
    async with open_house(journal=journal) as house:
        room, (aki, ben) = await house.started()
        await play_out(room, [aki, ben])
        await trio.sleep(5)
        again = await house.connect()
        client = {"name": "test", "version": "1"}
        hello = await again.send("hello", name="Ben", client=client, resume=ben.hello["token"])
        await trio.sleep(0.5)
        to = (await aki.ask("rematch", room=room))["room"]
        assert [mine["room"] for mine in (await again.reply(hello))["rooms"]] == [room]
        while (await again.next("room"))["room"] != to:
            pass
        for player in (aki, again):
            await player.ask("ready", room=to, ready=True)
        await aki.ask("start", room=to)
        assert (await again.update())["room"] == to
    journal.drop()


async def test_who_comes_back_before_its_join_is_done_plays(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    journal = SlowJournal(tmp_path)
    async with open_house(journal=journal) as house:
        aki, ben, chi = [await house.enter(name) for name in ("Aki", "Ben", "Chi")]
        room = (await aki.ask("create", game="ofuda", seats=3))["room"]
        await chi.ask("join", room=room)
        waiting = [await player.send("ready", room=room, ready=True) for player in (aki, chi)]
        await ben.send("join", room=room)
        await trio.sleep(0.1)
        again = await back(house, ben, "Ben")
        assert again.hello["rooms"] == [], "the room keeps the two before, a second each"
        assert (await again.next("room"))["room"] == room
        await again.ask("ready", room=room, ready=True)
        for player, number in zip((aki, chi), waiting, strict=True):
            await player.reply(number)
        await aki.ask("start", room=room)
        await again.update()
    journal.drop()
