"""Sections 4 and 17: hello, names, versions."""

from __future__ import annotations

import re
from typing import Any

from kaguraden_protocol.codec import decode_result
from kaguraden_protocol.errors import RemoteProtocolError
from kaguraden_protocol.messages import HelloResult

from ..clause import Failed, Skipped
from ..texts import Json, dump
from .guest import CLIENT, Guest
from .kit import Kit
from .registry import clause

MAX_HELLO_MS = 60_000
MIN_TOKEN_CHARACTERS = 22  # 128 bits in base 64


@clause(
    "no-hello",
    4,
    ja="hello_ms のうちに hello が来なければ 4001 で終わる。",
    en="A connection without hello within hello_ms is closed with 4001.",
    seconds=60,
)
async def _no_hello(kit: Kit) -> None:
    async with kit.guest() as guest:
        wait = guest.limit("hello_ms", 10_000)
    if wait > MAX_HELLO_MS:
        raise Skipped("待つ時間が長すぎます", "it would have to wait too long")
    async with kit.stranger() as silent:
        silent.sent = "(nothing)"
        await silent.closed_with(4001, wait / 1000 + 5)


@clause(
    "hello-required",
    4,
    ja="hello の前の要求は hello_required で断り、そのあとの hello は受け取る。",
    en="Another request before hello is refused with hello_required, and hello is taken after it.",
)
async def _hello_required(kit: Kit) -> None:
    async with kit.stranger() as guest:
        await guest.refused("hello_required", "ping")
        await guest.refused("hello_required", "rooms")
        await guest.open(**kit.with_password({}))


@clause(
    "already-open",
    4,
    ja="二度目の hello は already_open。",
    en="A second hello is refused with already_open.",
)
async def _already_open(kit: Kit) -> None:
    async with kit.guest() as guest:
        await guest.refused("already_open", "hello", name="Kit", client=CLIENT)
        await guest.flush()


def _check(guest: Guest, value: Json, shape: dict[str, Any]) -> None:
    for name, kind in shape.items():
        if not isinstance(value.get(name), kind) or (kind is int and isinstance(value[name], bool)):
            raise guest.failed(f"{name} of type {getattr(kind, '__name__', kind)}", value)


@clause(
    "hello-result",
    4,
    ja="hello の返信に user、token、resumed、server、protocol、capabilities、limits、games、rooms がある。",
    en="The reply to hello has user, token, resumed, server, protocol, capabilities, limits, games "
    "and rooms.",
)
async def _hello_result(kit: Kit) -> None:
    async with kit.guest() as guest:
        shape = {"user": str, "token": str, "resumed": bool, "server": dict, "protocol": str}
        _check(guest, guest.hello, shape)
        _check(guest, guest.hello, {"capabilities": list, "limits": dict, "games": list})
        _check(guest, guest.hello["server"], {"name": str, "version": str})
        try:
            decode_result(HelloResult, guest.hello)
        except RemoteProtocolError as error:
            raise guest.failed(f"a result without faults: {error}", guest.hello) from None
        if guest.hello["resumed"] or guest.hello.get("rooms") != []:
            raise guest.failed("resumed: false and no rooms for somebody new", guest.hello)


@clause(
    "games",
    4,
    ja="games にはゲームごとに id、rules、seats、name、options のスキーマがある。",
    en="games has id, rules, seats, name and the schema of the options for each game.",
)
async def _games(kit: Kit) -> None:
    async with kit.guest() as guest:
        for game in guest.hello["games"]:
            _check(guest, game, {"id": str, "rules": str, "seats": dict, "name": dict})
            _check(guest, game, {"options": dict})
            _check(guest, game["seats"], {"min": int, "max": int})
            _check(guest, game["name"], {"ja": str, "en": str})
            if not 1 <= game["seats"]["min"] <= game["seats"]["max"] <= 16:
                raise guest.failed("1 to 16 seats", game["seats"])
            properties = game["options"].get("properties", {})
            if game["options"].get("type") != "object" or not isinstance(properties, dict):
                raise guest.failed("an object schema with properties", game["options"])
            for name, spec in properties.items():
                if not isinstance(spec, dict) or "default" not in spec:
                    raise guest.failed("a default for every option", {name: spec})


@clause(
    "protocol-version",
    17,
    ja="protocol は 1.x である。",
    en="protocol is major.minor of version 1.",
)
async def _protocol_version(kit: Kit) -> None:
    async with kit.guest() as guest:
        if not re.fullmatch(r"1\.\d+", guest.hello["protocol"]):
            raise guest.failed("1.x", guest.hello["protocol"])


@clause(
    "token",
    4,
    ja="token は推測できず（128 ビット以上）、user は人ごとに違う。",
    en="A token cannot be guessed (128 bits or more), and every user has an id of its own.",
)
async def _token(kit: Kit) -> None:
    async with kit.guest() as one, kit.guest() as two:
        if one.hello["user"] == two.hello["user"] or one.hello["token"] == two.hello["token"]:
            raise two.failed("a user and token of its own", two.hello)
        if len(one.hello["token"]) < MIN_TOKEN_CHARACTERS:
            raise one.failed("a token of 128 bits or more", one.hello["token"])


@clause(
    "capabilities",
    4,
    ja="capabilities は、提示されたうち有効なものだけを返す。",
    en="capabilities are those of the client's that hold: none that it did not name or that there "
    "is not.",
)
async def _capabilities(kit: Kit) -> None:
    async with kit.guest() as plain, kit.guest(capabilities=["patch", "kit.none"]) as able:
        if plain.hello["capabilities"]:
            raise plain.failed("no capabilities", plain.hello["capabilities"])
        if not set(able.hello["capabilities"]) <= {"patch"}:
            raise able.failed("patch at most", able.hello["capabilities"])


async def _says(kit: Kit, guest: Guest, name: str) -> Json:
    """Say hello with a bad name, and return the details of the refusal."""
    fields = kit.with_password({"name": name, "client": CLIENT})
    return await guest.refused("bad_name", "hello", **fields)


@clause(
    "hello-again",
    4,
    ja="断られた hello は同じ接続で言い直せる。",
    en="A refused hello may be tried again on the same connection.",
)
async def _hello_again(kit: Kit) -> None:
    async with kit.stranger() as guest:
        await _says(kit, guest, " x")
        await guest.open(**kit.with_password({}))


BAD_NAMES = (
    ("", None),
    (" x", 0),
    ("x ", 1),
    ("a  b", None),
    ("a\tb", 1),
    ("a\x1bb", 1),
    ("ab\u202ec", 2),
    ("a\u200bb", 1),
    ("\ue000", 0),
    ("a\u0378", 1),
    ("a\u3164", 1),
    ("a" * 25, 24),
    ("舞" * 13, 12),
    ("e\u0301", None),  # not composed
    ("q\u0301\u0302\u0303", 3),
)
GOOD_NAMES = ("a" * 24, "舞" * 12, "踊り子 一号", "é", "q\u0301\u0302", "Zoë O'Neil-7")


@clause(
    "bad-names",
    4,
    ja="決まりに反する名前は bad_name で、position が最初に誤った文字を指す。",
    en="A name that breaks the rules is refused with bad_name, and details.position is the first "
    "character at fault.",
)
async def _bad_names(kit: Kit) -> None:
    for start in range(0, len(BAD_NAMES), 10):
        async with kit.stranger() as guest:
            for name, position in BAD_NAMES[start : start + 10]:
                details = await _says(kit, guest, name)
                at = details.get("position")
                if type(at) is not int or position not in (None, at):
                    raise guest.failed(f"details.position {position}", details)


@clause(
    "good-names",
    4,
    ja="決まりどおりの名前は受け取る。",
    en="A name that keeps to the rules is taken.",
)
async def _good_names(kit: Kit) -> None:
    for name in GOOD_NAMES:
        async with kit.guest(name):
            pass


@clause(
    "alike-names",
    4,
    ja="部屋の中で見た目の同じ名前は、後から来た方に番号が付く。",
    en="Two members of a room whose names look alike are told apart by a number.",
)
async def _alike_names(kit: Kit) -> None:
    game = await kit.first_game()
    async with kit.guest("Kagura") as one, kit.guest("ＫＡＧＵＲＡ") as two:
        made = await one.ask("create", game=game["id"], listed=False)
        await two.ask("join", room=made["room"], **({} if game["seats"]["max"] > 1 else _WATCH))
        if game["seats"]["max"] == 1:
            raise Skipped("席が一つしかありません", "the game has one seat")
        info = await one.wait_info(made["room"], "two names", lambda i: len(_names(i)) > 1)
        first, second = _names(info)[:2]
        if first != "Kagura" or not second.startswith("ＫＡＧＵＲＡ") or not second[-1].isdigit():
            raise one.failed("Kagura and ＫＡＧＵＲＡ with a number", [first, second])
        await two.answer("leave", room=made["room"])
        await one.answer("leave", room=made["room"])


_WATCH = {"as": "spectator"}


def _names(info: Json) -> list[str]:
    return [seat["name"] for seat in info["seats"] if "name" in seat]


@clause(
    "server-password",
    4,
    ja="サーバーの合言葉が違えば、少し待って bad_password、そして 4005 で終わる。",
    en="A wrong password of the server is refused with bad_password after a moment, and then closes "
    "the connection with 4005.",
)
async def _server_password(kit: Kit) -> None:
    if kit.password is None:
        raise Skipped(
            "合言葉のあるサーバーではありません（--password）",
            "no password was given (--password)",
        )
    async with kit.stranger() as guest:
        await guest.refused(
            "bad_password", "hello", name="Kit", client=CLIENT, password=f"not {kit.password}"
        )
        await guest.closed_with(4005)


@clause(
    "no-push-before",
    3,
    ja="hello が認められるまで、プッシュは来ない。",
    en="No push comes before hello is granted.",
)
async def _no_push_before(kit: Kit) -> None:
    async with kit.stranger() as guest:
        await _says(kit, guest, "")
        await guest.open(**kit.with_password({}))
        early = [text for text in guest.frames[:-1] if '"re"' not in text]
        if early:
            raise Failed("replies only, before the ok to hello", early[0], dump({"type": "hello"}))
