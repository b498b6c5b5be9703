"""Sections 3, 12 and 14: the envelope, error codes, limits."""

from __future__ import annotations

from typing import Any

import trio

from ..clause import Failed, Skipped
from ..texts import Json, dump
from .guest import Guest
from .kit import Kit
from .registry import clause

MANY = 30
MAX_FLOOD = 400  # requests; a server that allows more at once is not flooded


async def _raw(guest: Guest, message: object, re: object, code: str) -> Json:
    """Send a message that must be refused with a code, and return the details."""
    await guest.send_text(message if isinstance(message, str) else dump(message))
    return guest.check_error(await guest.reply(re, f"error {code}"), code)


def problems_in(guest: Guest, details: Json) -> list[str]:
    """Return the paths of `problems`, checked for their form."""
    problems = details.get("problems")
    if not isinstance(problems, list) or not 1 <= len(problems) <= 8:
        raise guest.failed("details.problems, 1 to 8 of {path, problem}", details)
    for problem in problems:
        if not isinstance(problem, dict) or not isinstance(problem.get("problem"), str):
            raise guest.failed("problems that are {path, problem}", details)
        if not str(problem.get("path")).startswith("$"):
            raise guest.failed("a path such as $.client.name", details)
    return [problem["path"] for problem in problems]


@clause(
    "replies",
    3,
    ja="要求ごとにちょうど一つの返信を、要求の順に返す。",
    en="There is exactly one reply for each request, in the order of the requests.",
)
async def _replies(kit: Kit) -> None:
    async with kit.guest() as guest:
        ids = [f"r{n}" for n in range(MANY)]
        for n, name in enumerate(ids):
            kind: Json = ({"type": "ping"}, {"type": "rooms"}, {"type": "sync", "room": "NONE-0"})[
                n % 3
            ]
            await guest.send_text(dump({**kind, "id": name}))
        for name in ids:
            await guest.reply(name, f"one reply for each of {MANY} requests,")
        await guest.settle()


@clause(
    "id-forms",
    3,
    ja="id は整数か 1〜64 文字の文字列で、re はそのまま返る。",
    en="An id is a whole number or a text of 1 to 64 characters, and re is that same id.",
)
async def _id_forms(kit: Kit) -> None:
    async with kit.guest() as guest:
        for name in (0, 2**53 - 1, "7", "a" * 64, "札"):
            await guest.send_text(dump({"type": "ping", "id": name}))
            reply = await guest.reply(name)
            if type(reply["re"]) is not type(name):
                raise guest.failed(f"re {dump(name)}", reply)


@clause(
    "bad-ids",
    3,
    ja="ほかの形の id は bad_message で、re は null。",
    en="An id of another form is refused with bad_message, and re is null.",
)
async def _bad_ids(kit: Kit) -> None:
    async with kit.guest() as guest:
        for name in ("", "a" * 65, True, None, [1], {"a": 1}):
            await _raw(guest, {"type": "ping", "id": name}, None, "bad_message")
        await _raw(guest, {"type": "ping"}, None, "bad_message")


@clause(
    "unknown-field",
    3,
    ja="知らないフィールドは bad_message で、problems にその場所がある。",
    en="A field that the server does not know is refused, with its path in problems.",
)
async def _unknown_field(kit: Kit) -> None:
    async with kit.guest() as guest:
        details = await _raw(guest, {"type": "ping", "id": 7, "speed": 9}, 7, "bad_message")
        if "$.speed" not in problems_in(guest, details):
            raise guest.failed("a problem at $.speed", details)


@clause(
    "x-field",
    3,
    ja="x_ で始まるフィールドは無視する。",
    en="Fields whose names begin with x_ are ignored.",
)
async def _x_field(kit: Kit) -> None:
    async with kit.guest() as guest:
        await guest.ask("ping", x_note={"any": ["thing", None, True]})


@clause(
    "null-field",
    3,
    ja="任意のフィールドに null を入れた要求は断る。",
    en="A request that has null for an optional field is refused.",
)
async def _null_field(kit: Kit) -> None:
    async with kit.guest() as guest:
        await guest.refused("bad_message", "rooms", game=None)
        await guest.refused("bad_message", "rooms", watch=None)


@clause(
    "types",
    3,
    ja='型は厳密で、"5" は 5 でなく、true は 1 でなく、文字列は一要素の並びではない。',
    en='Types are exact: "5" is not 5, true is not 1, a single text is not a list of one.',
)
async def _types(kit: Kit) -> None:
    game = (await kit.first_game())["id"]
    async with kit.guest() as guest:
        wrong: list[tuple[str, dict[str, Any]]] = [
            ("create", {"game": game, "seats": "2"}),
            ("create", {"game": game, "seats": True}),
            ("rooms", {"watch": 1}),
            ("rooms", {"game": 5}),
            ("deck", {"room": "NONE-0", "cards": "cc001"}),
        ]
        for kind, fields in wrong:
            await guest.refused("bad_message", kind, **fields)


@clause(
    "missing-field",
    3,
    ja="必要なフィールドがない要求は bad_message。",
    en="A request without a field that it needs is refused with bad_message.",
)
async def _missing_field(kit: Kit) -> None:
    async with kit.guest() as guest:
        for kind in ("create", "join", "act"):
            problems_in(guest, await guest.refused("bad_message", kind))


@clause(
    "unknown-type",
    12,
    ja="知らない要求は unknown_type で、re はその id。",
    en="A request that there is not is answered with unknown_type, and re is its id.",
)
async def _unknown_type(kit: Kit) -> None:
    async with kit.guest() as guest:
        problems_in(guest, await _raw(guest, {"type": "dance", "id": 7}, 7, "unknown_type"))


@clause(
    "problems",
    12,
    ja="problems は多くても 8 つで、それぞれ {path, problem}。",
    en="problems is a list of {path, problem}, at most 8.",
)
async def _problems(kit: Kit) -> None:
    async with kit.guest() as guest:
        fields = {f"wrong_{n}": n for n in range(20)}
        problems_in(guest, await guest.refused("bad_message", "ping", **fields))


@clause(
    "error-form",
    12,
    ja="error には re、code、人のための message がある。",
    en="An error has re, a code, and a message for people.",
)
async def _error_form(kit: Kit) -> None:
    async with kit.guest() as guest:
        replies = [
            await guest.answer("join", room="NONE-0"),
            await guest.answer("create", game="no_such_game"),
            await guest.answer("dance"),
        ]
        for reply in replies:
            message = reply.get("message")
            if reply.get("type") != "error" or not isinstance(reply.get("code"), str):
                raise guest.failed("an error with a code", reply)
            if not isinstance(message, str) or not message:
                raise guest.failed("a message", reply)


@clause(
    "locale",
    3,
    ja="message はその接続の言語で書かれている。",
    en="message is in the session's language.",
)
async def _locale(kit: Kit) -> None:
    said = []
    for locale in ("ja", "en"):
        async with kit.guest(locale=locale) as guest:
            said.append((await guest.answer("join", room="NONE-0")).get("message"))
    if said[0] == said[1] or str(said[0]).isascii():
        raise Failed("a message in Japanese and one in English", said, "join room NONE-0")


@clause(
    "limits",
    14,
    ja="hello の返信の limits は正の整数である。",
    en="The limits in the reply to hello are whole numbers above 0.",
)
async def _limits(kit: Kit) -> None:
    async with kit.guest() as guest:
        limits = guest.hello.get("limits")
        if not isinstance(limits, dict):
            raise guest.failed("limits", guest.hello)
        for name, value in limits.items():
            if type(value) is not int or value <= 0:
                raise guest.failed("whole numbers above 0", {name: value})


@clause(
    "rooms-per-user",
    14,
    ja="rooms_per_user を超えると limit_reached で、details に limit と what がある。",
    en="Over rooms_per_user create is refused with limit_reached, and details has limit and what.",
)
async def _rooms_per_user(kit: Kit) -> None:
    game = (await kit.first_game())["id"]
    async with kit.guest() as guest:
        most = guest.limit("rooms_per_user", 8)
        if most > 32:
            raise Skipped("上限が大きすぎます", "the limit is too high to reach")
        rooms = [(await guest.ask("create", game=game, listed=False))["room"] for _ in range(most)]
        try:
            details = await guest.refused("limit_reached", "create", game=game, listed=False)
            if details.get("limit") != most or not isinstance(details.get("what"), str):
                raise guest.failed(f"details with limit {most} and what", details)
        finally:
            for room in rooms:
                await guest.answer("leave", room=room)


@clause(
    "rate",
    14,
    ja="多すぎる要求は too_many_requests で、何も行われず、retry_after_ms が待つ時間を言う。",
    en="Over the rate a request is refused with too_many_requests and retry_after_ms, undone.",
)
async def _rate(kit: Kit) -> None:
    async with kit.guest() as guest:
        burst = guest.limit("burst_requests", 40)
        if burst > MAX_FLOOD:
            raise Skipped("上限が大きすぎます", "the limit is too high to reach")
        guest.paced = False
        await _wait_full(guest, burst)
        ids = [await guest.send("ping") for _ in range(burst + burst // 2)]
        replies = [await guest.reply(n) for n in ids]
        refused = [reply for reply in replies if reply["type"] == "error"]
        if not refused:
            raise guest.failed(f"too_many_requests after {burst} at once", "every ping was granted")
        details = guest.check_error(refused[-1], "too_many_requests")
        wait = details.get("retry_after_ms")
        if type(wait) is not int or not 0 < wait <= 60_000:
            raise guest.failed("retry_after_ms", details)
        await trio.sleep(wait / 1000 + 0.05)
        await guest.ask("ping")


async def _wait_full(guest: Guest, burst: int) -> None:
    await trio.sleep(min(5.0, burst / guest.limit("requests_per_second", 20)))


@clause(
    "rate-abuse",
    14,
    ja="abuse_ms のうちに burst の abuse_buckets 倍が断られると 4006 で終わる。",
    en="When abuse_buckets times the burst are refused within abuse_ms the server closes with 4006.",
)
async def _rate_abuse(kit: Kit) -> None:
    async with kit.guest() as guest:
        burst = guest.limit("burst_requests", 40)
        count = burst * (guest.limit("abuse_buckets", 3) + 2)
        if count > 2 * MAX_FLOOD:
            raise Skipped("上限が大きすぎます", "the limit is too high to reach")
        guest.paced = False
        for _ in range(count):
            await guest.send("ping")
        await guest.closed_with(4006)
