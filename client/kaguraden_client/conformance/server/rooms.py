"""Sections 5, 6 and 7: rooms, seats, the host's powers, pushes."""

from __future__ import annotations

import re
from contextlib import AsyncExitStack

from ..clause import Skipped
from ..texts import Json
from .kit import Kit, Party
from .registry import clause
from .requests import problems_in

WATCH = {"as": "spectator"}
NOBODY = "ZZZZ-ZZZZ"


def _needs_two(table: Party) -> None:
    if len(table.guests) < 2:
        raise Skipped("席が一つしかありません", "the game has one seat")


@clause(
    "create",
    5,
    ja="作った人は席 0 のホストで、room のプッシュが ok より先に来る。",
    en="Who creates a room is host in seat 0, and a room push comes before the ok.",
)
async def _create(kit: Kit) -> None:
    async with kit.table(start=False, title="秋の夜") as table:
        host = table.guests[0]
        frames = [i for i, text in enumerate(host.frames) if '"type":"room"' in text]
        oks = [i for i, text in enumerate(host.frames) if f'"room":"{table.room}","seat":0' in text]
        place = table.place(0)
        if place.seat != 0 or not frames or (oks and frames[0] > oks[0]):
            raise host.failed("a push room, then seat 0", host.frames[-1])
        info = place.infos[0]
        seat = info["seats"][0]
        if seat.get("host") is not True or seat.get("user") != host.hello["user"]:
            raise host.failed("host: true and the user in seat 0", info)


@clause(
    "room-info",
    6,
    ja="RoomInfo には決められたフィールドがあり、席は 0 から順に並ぶ。",
    en="RoomInfo has its fields, and the seats are in order from 0.",
)
async def _room_info(kit: Kit) -> None:
    async with kit.table(start=False, title="秋の夜") as table:
        host = table.guests[0]
        info = table.place(0).info
        shape = {
            "room": str,
            "game": str,
            "phase": str,
            "seats": list,
            "spectators": int,
            "options": dict,
            "locked": bool,
            "created_ms_ago": int,
            "commitment": str,
        }
        for name, kind in shape.items():
            if not isinstance(info.get(name), kind):
                raise host.failed(f"{name} in RoomInfo", info)
        if [seat.get("seat") for seat in info["seats"]] != list(range(len(table.guests))):
            raise host.failed("the seats in order from 0", info["seats"])
        if info["phase"] != "lobby" or info["title"] != "秋の夜" or info["locked"]:
            raise host.failed("phase lobby, the title, not locked", info)
        if not re.fullmatch("[0-9a-f]{64}", info["commitment"]):
            raise host.failed("commitment, a SHA-256 in hex", info["commitment"])


@clause(
    "listed",
    5,
    ja="rooms には公開の部屋だけがあり、非公開の部屋は番号だけで入れる。",
    en="rooms has the listed rooms only; an unlisted one is found by its code alone.",
)
async def _listed(kit: Kit) -> None:
    game = (await kit.first_game())["id"]
    async with kit.guest() as host, kit.guest() as other:
        shown = (await host.ask("create", game=game))["room"]
        hidden = (await host.ask("create", game=game, listed=False))["room"]
        rooms = [info["room"] for info in (await other.ask("rooms"))["rooms"]]
        if shown not in rooms or hidden in rooms:
            raise other.failed(f"{shown} and not {hidden}", rooms)
        await other.ask("join", room=hidden, **WATCH)
        for guest, room in ((other, hidden), (host, hidden), (host, shown)):
            await guest.ask("leave", room=room)


@clause(
    "rooms-of-a-game",
    5,
    ja="game を付けた rooms はそのゲームの部屋だけを返す。",
    en="rooms with game lists rooms of that game only.",
)
async def _rooms_of_a_game(kit: Kit) -> None:
    game = (await kit.first_game())["id"]
    async with kit.guest() as host:
        room = (await host.ask("create", game=game))["room"]
        rooms = (await host.ask("rooms", game=game))["rooms"]
        if room not in [info["room"] for info in rooms] or {i["game"] for i in rooms} != {game}:
            raise host.failed(f"rooms of {game}, {room} among them", rooms)
        others = await host.answer("rooms", game="no_such_game")
        await host.ask("leave", room=room)
        if others["type"] == "ok" and others["result"]["rooms"]:
            raise host.failed("no rooms of a game that there is not", others)


@clause(
    "watch",
    5,
    ja="watch: true のあとは一覧が変わるたびに lobby が来て、watch: false で終わる。",
    en="After watch: true a lobby push follows whenever the list changes; watch: false ends it.",
)
async def _watch(kit: Kit) -> None:
    game = (await kit.first_game())["id"]
    async with kit.guest() as watcher, kit.guest() as host:
        await watcher.ask("rooms", watch=True)
        room = (await host.ask("create", game=game))["room"]
        lobby = await watcher.push("lobby")
        while room not in [info["room"] for info in lobby["rooms"]]:
            lobby = await watcher.push("lobby")
        await watcher.ask("rooms", watch=False)
        await watcher.settle()
        await host.ask("leave", room=room)
        other = (await host.ask("create", game=game))["room"]
        if any(push["type"] == "lobby" for push in await watcher.settle()):
            raise watcher.failed("no lobby push after watch: false", "a lobby push")
        await host.ask("leave", room=other)


@clause(
    "codes",
    5,
    ja="部屋の番号はどう打っても読む（小文字、空白、記号なし）。",
    en="Room codes are read however they are typed.",
)
async def _codes(kit: Kit) -> None:
    async with kit.table(start=False) as table, kit.guest() as guest:
        code = table.room
        for typed in (code.lower(), code.replace("-", " "), code.replace("-", "").lower()):
            result = await guest.ask("join", room=typed, **WATCH)
            if result["room"] != code:
                raise guest.failed(code, result)


@clause(
    "room-password",
    5,
    ja="合言葉のある部屋は locked で、違う合言葉は bad_password。",
    en="A room with a password is locked, and join without it is refused with bad_password.",
)
async def _room_password(kit: Kit) -> None:
    async with (
        kit.guest() as host,
        kit.guest() as guest,
    ):
        game = (await kit.first_game())["id"]
        room = (await host.ask("create", game=game, listed=False, password="maple"))["room"]  # noqa: S106
        if host.place(room).info.get("locked") is not True:
            raise host.failed("locked: true", host.place(room).info)
        await guest.refused("bad_password", "join", room=room, **WATCH)
        await guest.refused("bad_password", "join", room=room, password="oak", **WATCH)  # noqa: S106
        await guest.ask("join", room=room, password="maple", **WATCH)  # noqa: S106
        await guest.ask("leave", room=room)
        await host.ask("leave", room=room)


@clause(
    "join",
    5,
    ja="席を指定しなければ最初の空席に着き、ふさがった席は seat_taken、満席は room_full。",
    en="Without seat one gets the first free one; a taken seat is seat_taken, a full room room_full.",
)
async def _join(kit: Kit) -> None:
    async with kit.table(start=False) as table, kit.guest() as late:
        _needs_two(table)
        for seat, guest in enumerate(table.guests):
            if table.place(seat).seat != seat:
                raise guest.failed(f"seat {seat}, the first that is free", table.place(seat).seat)
        details = await late.refused("seat_taken", "join", room=table.room, seat=0)
        if details.get("seat") != 0 or details.get("room") != table.room:
            raise late.failed("details with room and seat", details)
        details = await late.refused("room_full", "join", room=table.room)
        if details.get("room") != table.room:
            raise late.failed("details with room", details)


@clause(
    "join-nowhere",
    12,
    ja="ない部屋は room_not_found で、details に room がある。",
    en="A room that there is not is room_not_found, with the room in details.",
)
async def _join_nowhere(kit: Kit) -> None:
    async with kit.guest() as guest:
        details = await guest.refused("room_not_found", "join", room=NOBODY)
        if details.get("room") != NOBODY:
            raise guest.failed(f"details with room {NOBODY}", details)


@clause(
    "join-again",
    5,
    ja="開始前なら、部屋の人は join で席を移れる。",
    en="Before the start a member may join again to change its place.",
)
async def _join_again(kit: Kit) -> None:
    async with kit.table(start=False) as table:
        _needs_two(table)
        host, guest = table.guests[:2]
        seat = (await guest.ask("join", room=table.room, **WATCH))["seat"]
        if seat is not None:
            raise guest.failed("seat null for a spectator", seat)
        await host.wait_info(table.room, "one spectator", lambda i: i["spectators"] == 1)
        seat = (await guest.ask("join", room=table.room, seat=1))["seat"]
        if seat != 1:
            raise guest.failed("seat 1", seat)
        user = guest.hello["user"]
        info = await host.wait_info(table.room, "no spectator", lambda i: i["spectators"] == 0)
        if info["seats"][1].get("user") != user:
            raise host.failed(f"user {user} in seat 1", info["seats"])


@clause(
    "leave",
    5,
    ja="出た人はもう部屋の人ではない（not_member）。",
    en="Whoever left is no longer a member (not_member).",
)
async def _leave(kit: Kit) -> None:
    async with kit.table(start=False) as table:
        _needs_two(table)
        host, guest = table.guests[:2]
        if await guest.ask("leave", room=table.room):
            raise guest.failed("an empty result", guest.frames[-1])
        await guest.refused("not_member", "leave", room=table.room)
        await guest.refused("not_member", "chat", room=table.room, text="?")
        await host.wait_info(table.room, "an empty seat 1", lambda i: "user" not in i["seats"][1])


@clause(
    "spectator",
    5,
    ja="観戦者の seat は null で、席の要求は not_seated、ホストの要求は not_host。",
    en="A spectator's seat is null; what needs a seat is not_seated, what needs the host not_host.",
)
async def _spectator(kit: Kit) -> None:
    async with kit.table(start=False) as table, kit.guest() as watcher:
        result = await watcher.ask("join", room=table.room, **WATCH)
        if result.get("seat", 0) is not None or result["room"] != table.room:
            raise watcher.failed("the room, and seat null", result)
        await watcher.refused("not_seated", "ready", room=table.room, ready=True)
        await watcher.refused("not_host", "configure", room=table.room, options={})
        await table.guests[0].wait_info(table.room, "one spectator", lambda i: i["spectators"] == 1)


def _number_option(game: Json) -> tuple[str, Json] | None:
    properties = game["options"].get("properties", {})
    for name, spec in properties.items():
        whole = spec.get("type") == "integer" and "minimum" in spec and "maximum" in spec
        if whole and "enum" not in spec and spec["minimum"] < spec["maximum"]:
            return name, spec
    return None


@clause(
    "options",
    5,
    ja="options は games[].options のスキーマどおりで、書かないものは既定のまま。",
    en="options are as the schema in games says: what is left out has its default.",
)
async def _options(kit: Kit) -> None:
    game = await kit.first_game()
    async with kit.guest() as host:
        room = (await host.ask("create", game=game["id"], listed=False))["room"]
        options = host.place(room).info["options"]
        await host.ask("leave", room=room)
        for name, spec in game["options"].get("properties", {}).items():
            if options.get(name) != spec["default"]:
                raise host.failed(f"{name} = {spec['default']}", options)


@clause(
    "bad-options",
    5,
    ja="知らない option と範囲の外の値は bad_options で、problems がある。",
    en="An unknown option or a value out of its bounds is refused with bad_options and problems.",
)
async def _bad_options(kit: Kit) -> None:
    game = await kit.first_game()
    found = _number_option(game)
    wrong: list[Json] = [{"no_such_option": 1}]
    if found is not None:
        name, spec = found
        wrong += [{name: spec["maximum"] + 1}, {name: spec["minimum"] - 1}, {name: "many"}]
    async with kit.guest() as guest:
        for options in wrong:
            problems_in(
                guest,
                await guest.refused("bad_options", "create", game=game["id"], options=options),
            )


@clause(
    "configure",
    5,
    ja="configure はホストだけができ、ほかの option は変わらず、全員の準備が解ける。",
    en="configure is the host's; other options stay, and everybody becomes unready.",
)
async def _configure(kit: Kit) -> None:
    game = await kit.first_game()
    found = _number_option(game)
    if found is None:
        raise Skipped("数の option がありません", "the game has no option that is a number")
    name, spec = found
    async with kit.table(start=False) as table:
        host = table.guests[0]
        for guest in table.guests:
            await guest.ask("ready", room=table.room, ready=True)
        if len(table.guests) > 1:
            await table.guests[1].refused(
                "not_host", "configure", room=table.room, options={name: spec["maximum"]}
            )
        before = table.place(0).info["options"]
        value = spec["minimum"] if before[name] != spec["minimum"] else spec["maximum"]
        await host.ask("configure", room=table.room, options={name: value})
        info = await host.wait_info(
            table.room, f"{name} = {value}", lambda i: i["options"][name] == value
        )
        if info["options"] != {**before, name: value}:
            raise host.failed("the other options as before", info["options"])
        if any(seat.get("ready") for seat in info["seats"]):
            raise host.failed("nobody ready", info["seats"])


@clause(
    "start",
    5,
    ja="席が埋まって全員が準備するまで start は not_ready で、空席と未準備の席を言う。",
    en="Until all seats are filled and ready start is refused with not_ready, and details has the "
    "empty and the unready seats.",
)
async def _start(kit: Kit) -> None:
    async with kit.table(start=False) as table:
        host = table.guests[0]
        details = await host.refused("not_ready", "start", room=table.room)
        if 0 not in details.get("unready", []) or details.get("empty") != []:
            raise host.failed("empty: [] and unready with seat 0", details)
        for guest in table.guests:
            await guest.ask("ready", room=table.room, ready=True)
        if len(table.guests) > 1:
            await table.guests[1].refused("not_host", "start", room=table.room)
            await table.guests[1].ask("ready", room=table.room, ready=False)
            details = await host.refused("not_ready", "start", room=table.room)
            if details.get("unready") != [1]:
                raise host.failed("unready: [1]", details)
            await table.guests[1].ask("ready", room=table.room, ready=True)
        await host.ask("start", room=table.room)
        await host.wait_info(table.room, "phase playing", lambda i: i["phase"] == "playing")


@clause(
    "started",
    5,
    ja="始まったあとは、開始前だけの要求は room_started。",
    en="After the start, what is for before it is refused with room_started.",
)
async def _started(kit: Kit) -> None:
    async with kit.table() as table, kit.guest() as late:
        host = table.guests[0]
        await host.refused("room_started", "configure", room=table.room, options={})
        await host.refused("room_started", "ready", room=table.room, ready=False)
        await host.refused("room_started", "start", room=table.room)
        await late.refused("room_started", "join", room=table.room)


@clause(
    "nonce",
    5,
    ja="nonce は 16〜64 バイトの十六進で、ほかは bad_message。",
    en="A nonce is 16 to 64 bytes in hex; another is refused with bad_message.",
)
async def _nonce(kit: Kit) -> None:
    async with kit.table(start=False) as table:
        host = table.guests[0]
        for nonce in ("00" * 15, "00" * 65, "0" * 33, "zz" * 16):
            await host.refused("bad_message", "ready", room=table.room, ready=True, nonce=nonce)
        for nonce in ("00" * 16, "Ab" * 64):
            await host.ask("ready", room=table.room, ready=True, nonce=nonce)


@clause(
    "open-seats",
    5,
    ja="seats なしで作った部屋の空席は、開始のときに取り除かれ、番号が付け直される。",
    en="In a room made without seats the empty ones are taken away at the start, and the others "
    "numbered anew.",
)
async def _open_seats(kit: Kit) -> None:
    game = await kit.first_game()
    least, most = game["seats"]["min"], game["seats"]["max"]
    if most == least or most < 2:
        raise Skipped("席の数が決まっています", "the number of seats is fixed")
    async with AsyncExitStack() as stack:
        guests = [await stack.enter_async_context(kit.guest()) for _ in range(max(least, 1))]
        room = (await guests[0].ask("create", game=game["id"], listed=False))["room"]
        for guest in guests[1:]:
            await guest.ask("join", room=room)
        await guests[-1].ask("join", room=room, seat=most - 1)  # leaves a hole before it
        for guest in guests:
            await guest.ask("ready", room=room, ready=True)
        await guests[0].ask("start", room=room)
        info = await guests[0].wait_info(room, "phase playing", lambda i: i["phase"] == "playing")
        users = [guest.hello["user"] for guest in guests]
        seated = [(seat["seat"], seat.get("user")) for seat in info["seats"]]
        for guest in guests:
            await guest.answer("leave", room=room)
        if seated != list(enumerate(users)):
            raise guests[0].failed(f"{len(guests)} seats, numbered from 0", info["seats"])


@clause(
    "bot",
    5,
    ja="ホストはボットを席に着けられ、知らない level は unsupported で一覧を言う。",
    en="The host can put a bot in a seat; an unknown level is unsupported, with details.levels.",
)
async def _bot(kit: Kit) -> None:
    game = await kit.first_game()
    async with kit.guest() as host:
        room = (await host.ask("create", game=game["id"], listed=False))["room"]
        details = await host.refused("unsupported", "bot", room=room, level="no_such_level")
        levels = details.get("levels")
        if not isinstance(levels, list):
            raise host.failed("details.levels", details)
        if not levels or game["seats"]["max"] < 2:
            raise Skipped("このサーバーにボットはいません", "this server has no bots")
        seat = (await host.ask("bot", room=room, level=levels[0]))["seat"]
        info = host.place(room).info
        if seat != 1 or info["seats"][1].get("bot") != levels[0]:
            raise host.failed(f"a bot {levels[0]} in seat 1", info["seats"])
        await host.ask("kick", room=room, seat=1)
        await host.ask("leave", room=room)


@clause(
    "kick",
    5,
    ja="ホストは人を出せ、出された人には closed が届く。ほかの人には not_host。",
    en="The host can kick; whoever was kicked gets a push closed. For others it is not_host.",
)
async def _kick(kit: Kit) -> None:
    async with kit.table(start=False) as table:
        _needs_two(table)
        host, guest = table.guests[:2]
        await guest.refused("not_host", "kick", room=table.room, seat=0)
        await host.ask("kick", room=table.room, user=guest.hello["user"])
        closed = await guest.push("closed", table.room)
        if not closed.get("reason") or not isinstance(closed["reason"], str):
            raise guest.failed("a reason that is a word", closed)
        await guest.refused("not_member", "leave", room=table.room)


@clause(
    "host-powers",
    5,
    ja="host はホストの力を別の席に渡す。",
    en="host hands the host's powers to the member in another seat.",
)
async def _host_powers(kit: Kit) -> None:
    async with kit.table(start=False) as table:
        _needs_two(table)
        host, guest = table.guests[:2]
        await guest.refused("not_host", "host", room=table.room, seat=1)
        await host.ask("host", room=table.room, seat=1)
        info = await guest.wait_info(
            table.room, "the host in seat 1", lambda i: i["seats"][1].get("host") is True
        )
        if info["seats"][0].get("host"):
            raise guest.failed("one host", info["seats"])
        await host.refused("not_host", "configure", room=table.room, options={})
        await guest.ask("configure", room=table.room, options={})


@clause(
    "not-member",
    12,
    ja="部屋の人でない人の要求は not_member。",
    en="A request about a room that one is not in is refused with not_member.",
)
async def _not_member(kit: Kit) -> None:
    async with kit.table(start=False) as table, kit.guest() as guest:
        for kind, fields in (("chat", {"text": "?"}), ("sync", {}), ("leave", {})):
            details = await guest.refused("not_member", kind, room=table.room, **fields)
            if details.get("room") != table.room:
                raise guest.failed("details with room", details)


@clause(
    "unsupported",
    12,
    ja="ないゲームは unsupported。",
    en="A game that the server does not have is refused with unsupported.",
)
async def _unsupported(kit: Kit) -> None:
    async with kit.guest() as guest:
        await guest.refused("unsupported", "create", game="no_such_game")
        await guest.refused("unsupported", "catalog", game="no_such_game")


@clause(
    "catalog",
    5,
    ja="catalog には version、packs、札ごとの両言語の name がある。",
    en="catalog has version, packs, and for every card its name in both languages.",
)
async def _catalog(kit: Kit) -> None:
    async with kit.guest() as guest:
        for game in await kit.games():
            result = await guest.ask("catalog", game=game["id"])
            fine = isinstance(result.get("version"), str) and isinstance(result.get("packs"), list)
            if not fine or not isinstance(result.get("cards"), dict):
                raise guest.failed("version, packs and cards", list(result))
            for card in result["cards"].values():
                name = card.get("name", {})
                if not isinstance(name.get("ja"), str) or not isinstance(name.get("en"), str):
                    raise guest.failed("name: {ja, en}", card)


@clause(
    "room-push",
    7,
    ja="部屋が変わると、部屋の人に room が届く。",
    en="A room push goes to the members when the room's info changes.",
)
async def _room_push(kit: Kit) -> None:
    async with kit.table(start=False) as table:
        seat = len(table.guests) - 1
        await table.guests[seat].ask("ready", room=table.room, ready=True)
        for guest in table.guests:
            await guest.wait_info(
                table.room,
                f"seat {seat} ready",
                lambda i, seat=seat: i["seats"][seat].get("ready") is True,
            )


@clause(
    "chat",
    7,
    ja="chat は部屋の全員に、n が一つずつ増えて届き、観戦者の seat は null。",
    en="chat goes to all members, numbered by n without gaps; the seat of a spectator is null.",
)
async def _chat(kit: Kit) -> None:
    async with kit.table(start=False) as table, kit.guest() as watcher:
        host = table.guests[0]
        await watcher.ask("join", room=table.room, **WATCH)
        await host.ask("chat", room=table.room, text="よろしく")
        await watcher.ask("chat", room=table.room, text="見ています")
        told = [*table.guests, watcher]
        for guest in told:
            lines = [await guest.push("chat", table.room) for _ in range(2)]
            if lines[1]["n"] != lines[0]["n"] + 1 or lines[0]["text"] != "よろしく":
                raise guest.failed("two lines, n and n + 1", lines)
            sender, other = lines[0]["from"], lines[1]["from"]
            if sender.get("user") != host.hello["user"] or sender.get("seat") != 0:
                raise guest.failed("from with the host's user and seat 0", sender)
            if other.get("seat", 0) is not None or other.get("name") != watcher.name:
                raise guest.failed("from with seat null and the name", other)


@clause(
    "chat-cleaned",
    5,
    ja="chat からは端末を乱す文字を除く。",
    en="Characters that could harm a terminal are taken out of chat.",
)
async def _chat_cleaned(kit: Kit) -> None:
    async with kit.table(start=False) as table:
        host = table.guests[0]
        await host.answer("chat", room=table.room, text="a\x1b[2J\u202eb\u0007c")
        line = await host.push("chat", table.room)
        if set(line["text"]) & set("\x1b\u202e\x07") or "a" not in line["text"]:
            raise host.failed("the text without control characters", line)


@clause(
    "chat-length",
    5,
    ja="chat は 1〜500 文字。",
    en="A line of chat has 1 to 500 characters.",
)
async def _chat_length(kit: Kit) -> None:
    async with kit.table(start=False) as table:
        host = table.guests[0]
        await host.refused("bad_message", "chat", room=table.room, text="")
        await host.refused("bad_message", "chat", room=table.room, text="a" * 501)
        await host.ask("chat", room=table.room, text="舞" * 500)


@clause(
    "chat-history",
    7,
    ja="入った人には、それまでの chat が届く。",
    en="The last lines of chat are sent to who joins.",
)
async def _chat_history(kit: Kit) -> None:
    async with kit.table(start=False) as table, kit.guest() as late:
        await table.guests[0].ask("chat", room=table.room, text="よろしく")
        await late.ask("join", room=table.room, **WATCH)
        line = await late.push("chat", table.room)
        if line["text"] != "よろしく":
            raise late.failed("the line said before", line)


@clause(
    "chat-rate",
    14,
    ja="chat_ms に chat_messages を超える chat は too_many_requests。",
    en="More than chat_messages lines within chat_ms are refused with too_many_requests.",
)
async def _chat_rate(kit: Kit) -> None:
    async with kit.table(start=False) as table:
        host = table.guests[0]
        most = host.limit("chat_messages", 5)
        if most > 30:
            raise Skipped("上限が大きすぎます", "the limit is too high to reach")
        for n in range(most):
            await host.ask("chat", room=table.room, text=str(n))
        details = await host.refused("too_many_requests", "chat", room=table.room, text="!")
        if type(details.get("retry_after_ms")) is not int:
            raise host.failed("details.retry_after_ms", details)


@clause(
    "auto",
    5,
    ja="auto はゲームの windows の種類を ask にも pass にもでき、ほかの種類は断る。",
    en="auto takes every kind of the game's windows, on ask and on pass, and no other.",
)
async def _auto(kit: Kit) -> None:
    tried = False
    for game in await kit.games():
        if not game.get("windows"):
            continue
        tried = True
        async with kit.table(game=game, start=False) as table:
            host = table.guests[0]
            for window in game["windows"]:
                for mode in ("pass", "ask"):
                    await host.ask("auto", room=table.room, window=window["kind"], mode=mode)
            reply = await host.answer("auto", room=table.room, window="no_such", mode="pass")
            if reply["type"] != "error":
                raise host.failed("an error", reply)
    if not tried:
        raise Skipped("windows のあるゲームがありません", "no game has windows")
