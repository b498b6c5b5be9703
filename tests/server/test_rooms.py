"""Rooms before and after their games: who may come in, and who may do what."""

import gc
import re
import weakref

import pytest
import trio
from kaguraden_protocol import messages as m
from kaguraden_rules.catalogue import GAMES
from kaguraden_server.codes import normal_code, random_code
from kaguraden_server.lobby import Lobby
from kaguraden_server.logs import Log
from kaguraden_server.passwords import PENALTY_S
from trio.testing import MockClock

from .house import Player, Refused, config, open_house, play_out

OPEN_SESAME = "開けゴマ"


def seats(info: dict[str, object]) -> list[dict[str, object]]:
    listed = info["seats"]
    assert isinstance(listed, list)
    return listed


async def room_info(player: Player) -> dict[str, object]:
    """Return the room as the player was last told."""
    pushes = [p for p in await player.quiet() if p["type"] == "room"]
    info: dict[str, object] = pushes[-1]["info"]
    return info


# --- codes -----------------------------------------------------------------------------------


def test_room_codes_can_be_read_aloud_and_not_guessed() -> None:
    codes = {random_code() for _ in range(2_000)}
    assert len(codes) == 2_000
    assert all(re.fullmatch("[A-Z]{4}-[2-9A-Z]{4}", code) for code in codes)
    assert not any(set(code[5:]) & set("01OILU") for code in codes)


@pytest.mark.parametrize(
    "typed", ["KAGU-7Q2F", "kagu-7q2f", "kagu7q2f", " Kagu 7q 2f", "kagu_7q2f"]
)
def test_a_code_is_found_however_it_was_typed(typed: str) -> None:
    assert normal_code(typed) == "KAGU-7Q2F"


# --- making and finding ------------------------------------------------------------------------


async def test_the_creator_is_host_in_seat_0(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        aki = await house.enter("Aki")
        made = await aki.ask("create", game="ofuda", seats=3, title=" 夜の\u202e 会 ")
        assert made["seat"] == 0
        info = await room_info(aki)
        assert info["title"] == "夜の 会"
        assert info["phase"] == "lobby"
        assert info["locked"] is False
        assert re.fullmatch("[0-9a-f]{64}", str(info["commitment"]))
        assert seats(info) == [
            {"seat": 0, "user": aki.user, "name": "Aki", "ready": False, "host": True},
            {"seat": 1},
            {"seat": 2},
        ]
        options = info["options"]
        assert isinstance(options, dict)
        assert options["turns"] == 1
        assert options["window_min_ms"] == 300


async def test_listed_rooms_are_found_and_unlisted_ones_are_not(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        aki, ben = await house.enter("Aki"), await house.enter("Ben")
        shown = (await aki.ask("create", game="ofuda"))["room"]
        hidden = (await aki.ask("create", game="ofuda", listed=False))["room"]
        listed = [info["room"] for info in (await ben.ask("rooms"))["rooms"]]
        assert listed == [shown]
        assert (await ben.ask("rooms", game="odoriko"))["rooms"] == []
        assert (await ben.ask("join", room=hidden.lower()))["room"] == hidden


async def test_who_watches_the_lobby_is_told_at_most_twice_a_second(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        aki, ben = await house.enter("Aki"), await house.enter("Ben")
        await ben.ask("rooms", watch=True)
        began = trio.current_time()
        for _ in range(6):
            await aki.ask("create", game="ofuda")
            await trio.sleep(0.2)
        await trio.sleep(1)
        told = [p for p in await ben.quiet() if p["type"] == "lobby"]
        assert 2 <= len(told) <= 2 * (trio.current_time() - began) + 1
        assert len(told[-1]["rooms"]) == 6
        await ben.ask("rooms", watch=False)
        await aki.ask("create", game="ofuda")
        await trio.sleep(1)
        assert not [p for p in await ben.quiet() if p["type"] == "lobby"]


async def test_a_long_list_of_rooms_stays_a_message_that_clients_take(
    autojump_clock: MockClock,
) -> None:
    limits = {"rooms_per_user": 1_000, "rooms_per_address": 1_000, "burst_requests": 1_000}
    async with open_house(config(limits)) as house:
        aki = await house.enter("Aki")
        for _ in range(150):
            await aki.ask("create", game="ofuda")
        assert 50 <= len((await aki.ask("rooms"))["rooms"]) <= 100


async def test_a_long_list_of_rooms_fits_the_smallest_frames_and_watchers_are_told(
    autojump_clock: MockClock,
) -> None:
    many = {"rooms_per_user": 1_000, "rooms_per_address": 1_000, "burst_requests": 1_000}
    limits = {**many, "frame_out_bytes": 65_536}
    async with open_house(config(limits)) as house:
        aki = await house.enter("字" * 12)
        await aki.ask("rooms", watch=True)
        for _ in range(100):
            made = await aki.ask("create", game="ofuda", title="題" * 24)
            for seat in range(3):
                user = await house.enter("字" * 12)
                await user.ask("join", room=made["room"], seat=seat + 1)
        listed = (await aki.ask("rooms"))["rooms"]
        assert 20 <= len(listed) < 100
        assert len((await aki.next("lobby"))["rooms"]) > 0


@pytest.mark.parametrize(
    ("fields", "code", "path"),
    [
        ({"game": "shogi"}, "unsupported", None),
        ({"game": "ofuda", "options": {"turns": 0, "x": 1}}, "bad_options", "$.x"),
        ({"game": "ofuda", "options": {"turn_ms": 1}}, "bad_options", "$.turn_ms"),
        ({"game": "ofuda", "seats": 5}, "bad_options", "$.seats"),
        ({"game": "ofuda", "seats": 1}, "bad_options", "$.seats"),
    ],
)
async def test_a_room_that_cannot_be_is_refused_with_the_problem(
    fields: dict[str, object], code: str, path: str | None, autojump_clock: MockClock
) -> None:
    async with open_house() as house:
        aki = await house.enter("Aki")
        refused = await aki.refused("create", **fields)
        assert refused.code == code
        if path is not None:
            assert path in [p["path"] for p in refused.details["problems"]]
        assert (await aki.ask("rooms"))["rooms"] == []


# --- coming in -----------------------------------------------------------------------------------


async def test_a_full_room_says_how_full_it_is(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, _ = await house.table(("Aki", "Ben"))
        chi = await house.enter("Chi", locale="ja")
        refused = await chi.refused("join", room=room)
        assert refused.code == "room_full"
        assert refused.message == f"卓 {room} は満席です(2/2)"
        assert (await chi.ask("join", room=room, **{"as": "spectator"}))["seat"] is None


async def test_a_seat_can_be_chosen_and_changed_before_the_start(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        aki, ben = await house.enter("Aki"), await house.enter("Ben")
        room = (await aki.ask("create", game="ofuda", seats=3))["room"]
        assert (await ben.refused("join", room=room, seat=0)).code == "seat_taken"
        assert (await ben.refused("join", room=room, seat=3)).code == "bad_message"
        assert (await ben.ask("join", room=room, seat=2))["seat"] == 2
        assert (await ben.ask("join", room=room))["seat"] == 2, "joining twice changes nothing"
        assert (await ben.ask("join", room=room, seat=1))["seat"] == 1
        info = await room_info(aki)
        assert [seat.get("name") for seat in seats(info)] == ["Aki", "Ben", None]
        assert (await ben.ask("join", room=room, **{"as": "spectator"}))["seat"] is None
        assert (await room_info(aki))["spectators"] == 1
        assert (await ben.ask("join", room=room, **{"as": "player"}))["seat"] == 1


async def test_names_that_look_alike_get_a_number(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        aki = await house.enter("Aki")
        room = (await aki.ask("create", game="ofuda", seats=4))["room"]
        for name in ("AKI", "Ａｋｉ", "Ben"):
            await (await house.enter(name)).ask("join", room=room)
        names = [seat["name"] for seat in seats(await room_info(aki))]
        assert names == ["Aki", "AKI 2", "Ａｋｉ 3", "Ben"]


async def test_a_started_room_takes_spectators_alone(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, players = await house.started()
        chi = await house.enter("Chi")
        assert (await chi.refused("join", room=room)).code == "room_started"
        assert (await chi.ask("join", room=room, **{"as": "spectator"}))["seat"] is None
        update = await chi.update()
        assert update["full"] is True
        assert "you" not in update["view"]
        assert update["decisions"] == []
        await play_out(room, players)
        assert (await (await house.enter("Dan")).refused("join", room=room)).code == "room_over"
        assert "outcome" in chi.views[room]["view"] or (await _until_over(chi, room))


async def _until_over(player: Player, room: str) -> bool:
    while "outcome" not in player.views[room]["view"]:
        await player.update()
    return True


async def test_a_locked_room_wants_its_password_after_a_wait() -> None:
    # The real clock: a thread hashes, and a clock that jumps does not wait for it.
    async with open_house() as house:
        aki, ben = await house.enter("Aki"), await house.enter("Ben")
        made = await aki.ask("create", game="ofuda", seats=2, password=OPEN_SESAME)
        room = made["room"]
        assert (await room_info(aki))["locked"] is True
        for wrong in ({}, {"password": "x"}):
            began = trio.current_time()
            refused = await ben.refused("join", room=room, **wrong)
            assert refused.code == "bad_password"
            assert PENALTY_S[0] <= trio.current_time() - began
        assert (await ben.ask("join", room=room, password=OPEN_SESAME))["seat"] == 1
        assert (await ben.ask("join", room=room))["seat"] == 1, "members need it no more"


# --- who may do what -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("configure", {"options": {}}),
        ("start", {}),
        ("bot", {}),
        ("kick", {"seat": 0}),
        ("host", {"seat": 1}),
    ],
)
async def test_only_the_host_has_the_hosts_powers(
    kind: str, fields: dict[str, object], autojump_clock: MockClock
) -> None:
    async with open_house() as house:
        room, (_, ben) = await house.table()
        chi = await house.enter("Chi")
        assert (await chi.refused(kind, room=room, **fields)).code == "not_member"
        assert (await ben.refused(kind, room=room, **fields)).code == "not_host"
        assert (await ben.refused(kind, room="KAGU-0000", **fields)).code == "room_not_found"


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("deck", {"starter": True}),
        ("ready", {"ready": True}),
        ("act", {"decision": "0.1", "option": "rest"}),
        ("auto", {"window": "bless", "mode": "pass"}),
        ("pause", {"on": True}),
        ("rematch", {}),
    ],
)
async def test_spectators_have_no_seats_rights(
    kind: str, fields: dict[str, object], autojump_clock: MockClock
) -> None:
    async with open_house() as house:
        room, _ = await house.table()
        chi = await house.enter("Chi")
        await chi.ask("join", room=room, **{"as": "spectator"})
        assert (await chi.refused(kind, room=room, **fields)).code == "not_seated"


async def test_a_game_starts_only_when_every_seat_is_filled_and_ready(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        aki, ben = await house.enter("Aki"), await house.enter("Ben")
        room = (await aki.ask("create", game="ofuda", seats=3))["room"]
        await aki.ask("ready", room=room, ready=True)
        await ben.ask("join", room=room)
        refused = await aki.refused("start", room=room)
        assert refused.code == "not_ready"
        assert refused.details == {"room": room, "empty": [2], "unready": [1]}
        assert refused.message == "not everything is ready yet (empty seats: 3; seats not ready: 2)"
        chi = await house.enter("Chi")
        await chi.ask("join", room=room)
        for player in (ben, chi):
            await player.ask("ready", room=room, ready=True)
        await aki.ask("start", room=room)
        assert (await aki.refused("start", room=room)).code == "room_started"
        assert (await aki.refused("configure", room=room, options={})).code == "room_started"
        assert (await ben.refused("ready", room=room, ready=False)).code == "room_started"


async def test_a_room_of_any_size_starts_with_those_who_are_there(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        aki, ben, chi = [await house.enter(name) for name in ("Aki", "Ben", "Chi")]
        room = (await aki.ask("create", game="ofuda"))["room"]
        await aki.ask("ready", room=room, ready=True)
        refused = await aki.refused("start", room=room)
        assert refused.details["empty"] == [1], "the game needs two"
        for player, seat in ((ben, 1), (chi, 3)):
            await player.ask("join", room=room, seat=seat)
            await player.ask("ready", room=room, ready=True)
        await aki.ask("start", room=room)
        info = await room_info(chi)
        assert len(chi.views[room]["view"]["seats"]) == 3
        assert [(s["seat"], s["name"]) for s in seats(info)] == [(0, "Aki"), (1, "Ben"), (2, "Chi")]


@pytest.mark.parametrize("is_kept", [True, False])
async def test_nobody_sees_seats_numbered_anew_before_the_start_is_safe(
    is_kept: bool, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow(*_: object) -> None:
        await trio.sleep(1)
        if not is_kept:
            raise OSError

    async with open_house() as house:
        aki, ben = await house.enter("Aki"), await house.enter("Ben")
        room = (await aki.ask("create", game="ofuda"))["room"]
        await ben.ask("join", room=room, seat=3)
        for player in (aki, ben):
            await player.ask("ready", room=room, ready=True)
        monkeypatch.setattr(house.lobby.rooms[room], "record", slow)
        start = await aki.send("start", room=room)
        await trio.sleep(0.5)
        names = [seat.get("name") for seat in seats((await ben.ask("rooms"))["rooms"][0])]
        assert names == ["Aki", None, None, "Ben"]
        await trio.sleep(1)
        names = [seat.get("name") for seat in seats((await ben.ask("rooms"))["rooms"][0])]
        if is_kept:
            await aki.reply(start)
            assert names == ["Aki", "Ben"]
        else:
            with pytest.raises(Refused, match="internal"):
                await aki.reply(start)
            assert names == ["Aki", None, None, "Ben"]


async def test_new_options_ask_everybody_to_be_ready_again(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.table()
        await aki.ask("configure", room=room, options={"turns": 1})
        assert [s["ready"] for s in seats(await room_info(ben))] == [True, True], "nothing changed"
        await aki.ask("configure", room=room, options={"turns": 2, "turn_ms": 5_000})
        info = await room_info(ben)
        assert [s["ready"] for s in seats(info)] == [False, False]
        options = info["options"]
        assert isinstance(options, dict)
        assert (options["turns"], options["turn_ms"]) == (2, 5_000)
        refused = await aki.refused("configure", room=room, options={"turns": "x"})
        assert refused.code == "bad_options"


async def test_decks_are_checked_and_played(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.table()
        refused = await ben.refused("deck", room=room, cards=["o1", "o1", "zz"])
        assert refused.code == "bad_deck"
        assert {p["path"] for p in refused.details["problems"]} == {"$.cards", "$.cards[2]"}
        await ben.ask("deck", room=room, cards=["o6", "o7", "o8", "o9"])
        await aki.ask("start", room=room)
        assert (await ben.update())["view"]["you"]["hand"] == ["o6", "o7", "o8", "o9"]
        assert (await aki.update())["view"]["you"]["hand"] == ["o1", "o2", "o3", "o4"]


async def test_the_host_hands_its_powers_on(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.table()
        assert (await aki.refused("host", room=room, seat=9)).code == "bad_message"
        await aki.ask("host", room=room, seat=1)
        info = await room_info(ben)
        assert [s.get("host") for s in seats(info)] == [None, True]
        assert (await aki.refused("start", room=room)).code == "not_host"


async def test_the_host_moves_on_when_the_host_leaves(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.table()
        await aki.ask("leave", room=room)
        assert (await aki.refused("leave", room=room)).code == "not_member"
        info = await room_info(ben)
        assert seats(info)[0] == {"seat": 0}
        assert seats(info)[1]["host"] is True
        chi = await house.enter("Chi")
        assert (await chi.ask("join", room=room))["seat"] == 0


async def test_somebody_put_out_is_told_and_is_out(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.table()
        watcher = await house.enter("Wat")
        await watcher.ask("join", room=room, **{"as": "spectator"})
        await aki.ask("kick", room=room, seat=1)
        assert (await ben.next("closed")) == {"type": "closed", "room": room, "reason": "kicked"}
        assert (await ben.refused("chat", room=room, text="hey")).code == "not_member"
        await aki.ask("kick", room=room, user=watcher.user)
        assert (await watcher.next("closed"))["reason"] == "kicked"
        assert (await aki.refused("kick", room=room, seat=1)).code == "bad_message"
        assert (await aki.refused("kick", room=room, seat=0)).code == "bad_message"


# --- talking -----------------------------------------------------------------------------------------


async def test_chat_reaches_everybody_and_who_comes_later(autojump_clock: MockClock) -> None:
    async with open_house(config({"chat_history": 2})) as house:
        room, (aki, ben) = await house.table()
        for text in ("one", "two", "th\u202eree\n!"):
            await aki.ask("chat", room=room, text=text)
        told = [p for p in await ben.quiet() if p["type"] == "chat"]
        assert [(p["n"], p["text"]) for p in told] == [(1, "one"), (2, "two"), (3, "three !")]
        assert told[0]["from"] == {"user": aki.user, "name": "Aki", "seat": 0}
        chi = await house.enter("Chi")
        await chi.ask("join", room=room, **{"as": "spectator"})
        assert [p["n"] for p in await chi.quiet() if p["type"] == "chat"] == [2, 3]
        assert (await chi.refused("chat", room=room, text="\u202e")).code == "bad_message"


# --- the end --------------------------------------------------------------------------------------


async def test_a_room_closes_when_the_last_person_leaves(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, (aki, ben) = await house.table()
        await aki.ask("leave", room=room)
        await ben.ask("leave", room=room)
        assert house.lobby.rooms == {}
        assert (await ben.refused("join", room=room)).code == "room_not_found"


@pytest.mark.parametrize(("stage", "limit_s"), [("lobby", 40), ("playing", 70), ("over", 30)])
async def test_a_room_without_anybody_there_closes_in_time(
    stage: str, limit_s: int, autojump_clock: MockClock
) -> None:
    rooms = {"empty_lobby_s": 40, "empty_playing_s": 70, "empty_over_s": 30}
    async with open_house(config(rooms={**rooms, "away_lobby_s": 1_000})) as house:
        if stage == "lobby":
            room, players = await house.table()
        else:
            room, players = await house.started(turns=50)
        if stage == "over":
            house.lobby.rooms[room].phase = house.lobby.rooms[room].phase.OVER
        for player in players:
            await player.leave_line()
        await trio.sleep(limit_s - 1)
        assert room in house.lobby.rooms
        await trio.sleep(2)
        assert room not in house.lobby.rooms


async def test_a_seat_given_up_before_the_game_is_free_again(autojump_clock: MockClock) -> None:
    async with open_house(config(rooms={"away_lobby_s": 20})) as house:
        _, (aki, ben) = await house.table()
        await ben.leave_line()
        await trio.sleep(1)
        info = await room_info(aki)
        assert seats(info)[1]["away"] is True
        assert seats(info)[1]["ready"] is False, "who is away cannot be ready"
        await trio.sleep(20)
        assert seats(await room_info(aki))[1] == {"seat": 1}


async def test_an_idle_room_closes_and_says_why(autojump_clock: MockClock) -> None:
    async with open_house(config(rooms={"idle_lobby_s": 100})) as house:
        room, (aki, _) = await house.table()
        await trio.sleep(60)
        await aki.ask("chat", room=room, text="still here")
        await trio.sleep(99)
        assert room in house.lobby.rooms
        await trio.sleep(2)
        assert (await aki.next("closed"))["reason"] == "idle"


async def test_a_room_whose_game_is_over_announces_its_end(autojump_clock: MockClock) -> None:
    async with open_house(config(rooms={"over_s": 200})) as house:
        room, players = await house.started()
        await play_out(room, players)
        await trio.sleep(139)
        assert not [p for p in await players[0].quiet() if p["type"] == "notice"]
        await trio.sleep(2)
        notice = await players[0].next("notice")
        assert notice["code"] == "room_closing"
        assert 55 <= notice["details"]["seconds"] <= 60
        await trio.sleep(61)
        assert (await players[0].next("closed"))["reason"] == "over"


async def test_a_host_who_stays_away_loses_its_powers(autojump_clock: MockClock) -> None:
    async with open_house(config(rooms={"host_away_s": 30})) as house:
        room, (aki, ben) = await house.started()
        await aki.leave_line()
        await trio.sleep(25)
        assert (await ben.refused("bot", room=room)).code == "not_host"
        await trio.sleep(10)
        assert (await ben.refused("bot", room=room)).code == "unsupported", "no bots here"


# --- once more ---------------------------------------------------------------------------------------


async def test_a_rematch_has_the_same_seats_and_options(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        room, players = await house.started(("Aki", "Ben", "Chi"), turn_ms=7_000)
        aki, ben, chi = players
        assert (await aki.refused("rematch", room=room)).code == "not_over"
        await play_out(room, players)
        await chi.leave_line()
        await trio.sleep(0.1)
        again = (await ben.ask("rematch", room=room))["room"]
        assert again != room
        notice = [p for p in await aki.quiet() if p["type"] == "notice"][-1]
        assert notice["code"] == "rematch"
        assert notice["details"] == {"room": room, "to": again}
        assert (await aki.ask("rematch", room=room))["room"] == again
        info = house.lobby.rooms[again].info()
        assert [seat.name for seat in info.seats] == ["Aki", "Ben", None]
        assert info.seats[0].host is True
        assert info.options["turn_ms"] == 7_000
        back = await house.enter("Chi", resume=chi.hello["token"])
        assert (await back.ask("rematch", room=room))["room"] == again
        for player in (aki, ben, back):
            await player.ask("ready", room=again, ready=True)
        await aki.ask("start", room=again)
        assert (await back.next("update"))["room"] == again


async def test_a_rematch_seats_nobody_who_may_be_in_no_more_rooms(
    autojump_clock: MockClock,
) -> None:
    async with open_house(config({"rooms_per_user": 1})) as house:
        room, (aki, ben) = await house.started()
        await play_out(room, [aki, ben])
        other = (await ben.ask("create", game="ofuda"))["room"]
        again = (await aki.ask("rematch", room=room))["room"]
        assert (await ben.next("notice"))["details"]["to"] == again
        assert [s.name for s in house.lobby.rooms[again].info().seats] == ["Aki", None]
        assert (await ben.refused("rematch", room=room)).details["what"] == "rooms_per_user"
        await ben.ask("leave", room=other)
        assert (await ben.ask("rematch", room=room))["room"] == again
        assert [s.name for s in house.lobby.rooms[again].info().seats] == ["Aki", "Ben"]


async def test_asking_for_what_is_not_there(autojump_clock: MockClock) -> None:
    async with open_house() as house:
        aki = await house.enter("Aki")
        assert (await aki.refused("daily", book="x")).code == "unsupported"
        refused = await aki.refused("catalog", game="x")
        assert refused.code == "unsupported"
        assert refused.message == "this server does not have that (games: ofuda)"
        catalog = await aki.ask("catalog", game="ofuda")
        assert catalog["cards"]["o1"]["name"]["en"] == "Ofuda 1"
        assert "rulebook" not in catalog


def test_a_games_rulebook_comes_with_its_cards() -> None:
    lobby = Lobby(config(), GAMES, {}, Log())
    book = lobby.catalog(m.Catalog(id=0, game="odoriko")).rulebook
    assert book is not None
    assert [book.ja[:5], book.en[:9]] == ["# 踊り子", "# Odoriko"]


async def test_a_game_is_forgotten_with_its_room_and_does_not_wait_for_the_collector(
    autojump_clock: MockClock,
) -> None:
    async with open_house() as house:
        room, players = await house.started()
        await play_out(room, players)
        table = house.lobby.rooms[room].table
        assert table is not None
        gone = weakref.ref(table)
        del table
        gc.collect()
        gc.disable()
        try:
            for player in players:
                await player.ask("leave", room=room)
            await trio.testing.wait_all_tasks_blocked()
            assert room not in house.lobby.rooms
            assert gone() is None
        finally:
            gc.enable()
