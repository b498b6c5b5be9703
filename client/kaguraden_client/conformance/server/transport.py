"""Sections 2 and 13: the handshake, frames, JSON, close codes."""

from __future__ import annotations

import json

import trio
from kaguraden_protocol.versions import SUBPROTOCOL

from ..clause import Failed, Level, Skipped
from ..texts import dump
from .guest import PAUSE, Guest
from .kit import Kit
from .line import NoHandshake
from .registry import clause

UNKNOWN = "kaguraden.v999"
BAD_IN_A_ROW = 20
MAX_FRAME = 4 * 1024 * 1024  # bytes; of a server that takes more no frame is tried


# --- the handshake -------------------------------------------------------------------------------


async def _refused(kit: Kit, *subprotocols: str) -> None:
    sent = f"a handshake with Sec-WebSocket-Protocol: {', '.join(subprotocols) or '(none)'}"
    expected = f"HTTP 400 and a text that lists {SUBPROTOCOL}"
    try:
        async with kit.door.dial(subprotocols) as line:
            raise Failed(expected, f"a connection with subprotocol {line.subprotocol}", sent)
    except NoHandshake as refused:
        if refused.status != 400 or SUBPROTOCOL not in refused.body:
            raise Failed(expected, str(refused), sent) from None


@clause(
    "no-subprotocol",
    2,
    ja="サブプロトコルを提示しないクライアントには HTTP 400 と、話せるものの一覧を返す。",
    en="A client that offers no subprotocol gets HTTP 400 and a text that lists those spoken.",
)
async def _no_subprotocol(kit: Kit) -> None:
    await _refused(kit)


@clause(
    "unknown-subprotocol",
    2,
    ja="知らないサブプロトコルだけを提示するクライアントも同じ。",
    en="So does a client that offers only unknown ones.",
)
async def _unknown_subprotocol(kit: Kit) -> None:
    await _refused(kit, UNKNOWN)


@clause(
    "subprotocol",
    2,
    ja="提示された中に kaguraden.v1 があればそれを選ぶ。",
    en="Where kaguraden.v1 is among those offered the server chooses it.",
)
async def _subprotocol(kit: Kit) -> None:
    async with kit.door.dial((UNKNOWN, SUBPROTOCOL)) as line:
        if line.subprotocol != SUBPROTOCOL:
            raise Failed(SUBPROTOCOL, line.subprotocol, f"offered {UNKNOWN}, {SUBPROTOCOL}")


@clause(
    "origin",
    2,
    ja="許されていないウェブページの Origin には HTTP 403 を返す。",
    en="The Origin of a web page that may not connect is answered with HTTP 403.",
    level=Level.SHOULD,
)
async def _origin(kit: Kit) -> None:
    sent = "a handshake with Origin: https://elsewhere.example"
    try:
        async with kit.door.dial(headers={"Origin": "https://elsewhere.example"}):
            raise Failed("HTTP 403", "a connection", sent)
    except NoHandshake as refused:
        if refused.status != 403:
            raise Failed("HTTP 403", str(refused), sent) from None


@clause(
    "host",
    2,
    ja="Host が自分の名前でも番地でもなければ HTTP 421 を返す。",
    en="A Host header that is neither a name nor an address of the server is answered with 421.",
    level=Level.SHOULD,
)
async def _host(kit: Kit) -> None:
    reply = await kit.door.http("GET", "/healthz", host="elsewhere.example")
    if reply.status != 421:
        raise Failed("HTTP 421", f"HTTP {reply.status}", "GET /healthz, Host: elsewhere.example")


# --- HTTP ----------------------------------------------------------------------------------------

PATHS = ("/healthz", "/readyz", "/protocol/v1/schema.json", "/")


@clause(
    "http",
    2,
    ja="同じポートが /healthz、/readyz、/protocol/v1/schema.json、/ への GET と HEAD に答える。",
    en="The same port answers GET and HEAD at /healthz, /readyz, /protocol/v1/schema.json and /.",
)
async def _http(kit: Kit) -> None:
    for path in PATHS:
        for method in ("GET", "HEAD"):
            reply = await kit.door.http(method, path)
            if reply.status != 200 or (method == "HEAD" and reply.body):
                came = f"HTTP {reply.status} with {len(reply.body)} bytes"
                raise Failed("HTTP 200, and with HEAD no body", came, f"{method} {path}")


@clause(
    "http-schema",
    2,
    ja="/protocol/v1/schema.json は全メッセージの JSON Schema である。",
    en="/protocol/v1/schema.json is a JSON Schema of the messages.",
)
async def _http_schema(kit: Kit) -> None:
    reply = await kit.door.http("GET", PATHS[2])
    try:
        schema = json.loads(reply.body)
        found = schema["$schema"], schema["$defs"]
    except (ValueError, KeyError, TypeError):
        raise Failed("JSON with $schema and $defs", reply.body[:200], f"GET {PATHS[2]}") from None
    if "2020-12" not in found[0]:
        raise Failed("JSON Schema 2020-12", found[0], f"GET {PATHS[2]}")


# --- JSON ----------------------------------------------------------------------------------------


async def bad_json(guest: Guest, *texts: str | bytes) -> None:
    """Check that texts are answered with `bad_json`, and that the connection goes on."""
    for text in texts:
        await guest.send_text(text)
        reply = await guest.read("error bad_json")
        while "re" not in reply:
            reply = await guest.read("error bad_json")
        guest.check_error(reply, "bad_json")
        if reply["re"] not in (None, 7):
            raise guest.failed("re null, or the id if it could be read", reply)
    await guest.flush()


def _with(value: str) -> str:
    """Return a ping that takes any JSON along, where it would be ignored."""
    return '{"type":"ping","id":7,"x_kit":' + value + "}"


def _refuses(name: str, *texts: str | bytes, ja: str, en: str) -> None:
    """Enter a clause that holds if these texts are bad JSON."""

    @clause(name, 2, ja=ja, en=en)
    async def _check(kit: Kit) -> None:
        async with kit.guest() as guest:
            await bad_json(guest, *texts)


_refuses(
    "json-syntax",
    "ping",
    "",
    _with("1") + "}",
    _with("01"),
    _with("'a'"),
    _with("1,"),
    ja="JSON でない文には bad_json で答え、接続は続く。",
    en="Text that is no JSON is answered with bad_json, and the connection goes on.",
)
_refuses(
    "json-object",
    "[]",
    "7",
    '"ping"',
    "null",
    ja="JSON のオブジェクトでない文には bad_json で答える。",
    en="Text that holds no JSON object is answered with bad_json.",
)
_refuses(
    "json-duplicate",
    '{"type":"ping","id":7,"id":7}',
    _with('{"a":1,"\\u0061":1}'),
    ja="一つのオブジェクトに同じ名前が二度あれば bad_json。",
    en="A field that is twice in an object is refused.",
)
_refuses(
    "json-fraction",
    _with("1.0"),
    _with("1e2"),
    '{"type":"ping","id":7.0}',
    ja="小数や指数で書かれた数は bad_json。",
    en="A number with a fraction or an exponent is refused.",
)
_refuses(
    "json-nan",
    _with("NaN"),
    _with("-Infinity"),
    ja="NaN や Infinity は JSON ではない。",
    en="NaN and the like are no JSON.",
)


@clause(
    "json-range",
    2,
    ja="±9007199254740991 を超える数は bad_json。その値までは受け取る。",
    en="Numbers are within ±9007199254740991: that one is taken, one more is refused.",
)
async def _json_range(kit: Kit) -> None:
    async with kit.guest() as guest:
        await bad_json(guest, _with("9007199254740992"), _with("-9007199254740992"))
        await guest.ask("ping", x_kit=2**53 - 1)


@clause(
    "json-surrogate",
    2,
    ja="サロゲートの片割れは、エスケープされていても bad_json。",
    en="Half of a surrogate pair is refused, escaped or not.",
)
async def _json_surrogate(kit: Kit) -> None:
    async with kit.guest() as guest:
        await bad_json(guest, _with('"\\ud800"'), _with('{"\\udfff":1}'))
        await guest.send_text(_with('"\\ud83c\\udf38"'))
        await guest.reply(7)


_refuses(
    "json-nul", _with('"a\\u0000"'), ja="U+0000 は bad_json。", en="U+0000 in a text is refused."
)
_refuses(
    "json-bom",
    b"\xef\xbb\xbf" + _with("1").encode(),
    ja="BOM は bad_json。",
    en="A byte order mark is refused.",
)


@clause(
    "json-depth",
    2,
    ja="入れ子は 32 まで。32 は受け取り、33 は bad_json。",
    en="At most 32 objects and arrays lie in each other: 32 are taken, 33 refused.",
)
async def _json_depth(kit: Kit) -> None:
    async with kit.guest() as guest:
        await guest.send_text(_with("[" * 31 + "]" * 31))
        await guest.reply(7)
        await bad_json(guest, _with("[" * 32 + "]" * 32), _with("[" * 5000))


@clause(
    "json-values",
    2,
    ja="値は全部で 4096 まで。それを超えると bad_json。",
    en="A frame has at most 4 096 values: so many are taken, one more is refused.",
)
async def _json_values(kit: Kit) -> None:
    async with kit.guest() as guest:
        taken = 4096 - 4  # the message, type, id and the list itself
        await guest.send_text(_with("[" + ",".join(["1"] * taken) + "]"))
        await guest.reply(7)
        await bad_json(guest, _with("[" + ",".join(["1"] * (taken + 1)) + "]"))


# --- frames --------------------------------------------------------------------------------------


def _ping_of(guest: Guest, more: int = 0) -> str:
    """Return a ping of as many bytes as the server takes, and `more`."""
    size = guest.limit("frame_in_bytes", 16_384) + more
    if size > MAX_FRAME:
        raise Skipped("上限が大きすぎます", "the limit is too high to reach")
    text = _with('""')
    return text[:-2] + "a" * (size - len(text)) + text[-2:]


@clause(
    "frame-limit",
    2,
    ja="frame_in_bytes ちょうどのフレームは受け取る。",
    en="A frame of exactly frame_in_bytes is taken.",
)
async def _frame_limit(kit: Kit) -> None:
    async with kit.guest() as guest:
        await guest.send_text(_ping_of(guest))
        guest.sent = guest.sent[:60]
        await guest.reply(7)


@clause(
    "frame-too-large",
    2,
    ja="上限を超えるフレームで接続は 1009 で終わる。",
    en="A frame over the limit ends the connection with 1009.",
)
async def _frame_too_large(kit: Kit) -> None:
    async with kit.guest() as guest:
        await guest.send_text(_ping_of(guest, 1))
        guest.sent = guest.sent[:60]
        await guest.closed_with(1009)


@clause(
    "binary",
    2,
    ja="バイナリのフレームで接続はすぐに 1003 で終わる。",
    en="A binary frame ends the connection at once, with 1003.",
)
async def _binary(kit: Kit) -> None:
    async with kit.guest() as guest:
        guest.sent = "a binary frame"
        await guest.line.send_binary(_with("1").encode())
        await guest.closed_with(1003)


@clause(
    "utf-8",
    2,
    ja="UTF-8 でない文で接続は 1007 で終わる。",
    en="Invalid UTF-8 ends the connection with 1007.",
)
async def _utf8(kit: Kit) -> None:
    async with kit.guest() as guest:
        await guest.send_text(b'{"type":"ping","id":7,"x_kit":"\xff"}')
        await guest.closed_with(1007)


@clause(
    "bad-messages",
    2,
    ja="続けて 20 個目の悪い文で接続は 4000 で終わり、それまでの 19 個には error が返る。",
    en="The 20th bad text in a row ends the connection with 4000; each before it gets an error.",
)
async def _bad_messages(kit: Kit) -> None:
    async with kit.guest() as guest:
        for n in range(1, BAD_IN_A_ROW):
            await guest.send_text("?" if n % 2 else dump({"type": "nonsense", "id": n}))
            guest.check_error(await guest.reply(None if n % 2 else n), ("bad_json", "unknown_type"))
        await guest.send_text("?")
        await guest.closed_with(4000)


@clause(
    "bad-messages-apart",
    2,
    ja="間に正しい要求があれば数え直す。",
    en="A good request in between begins the count of bad texts anew.",
)
async def _bad_messages_apart(kit: Kit) -> None:
    async with kit.guest() as guest:
        for _ in range(2):
            await bad_json(guest, *["?"] * (BAD_IN_A_ROW - 1))


@clause(
    "bad-value-is-none",
    2,
    ja="bad_value で断られた act はその数に入らない。",
    en="An act whose value is refused (bad_value) is none of them.",
)
async def _bad_value_is_none(kit: Kit) -> None:
    async with kit.table() as table:
        found = table.deciding()
        if found is None:
            raise Skipped("誰も問われていません", "nobody is asked")
        guest, place, decision = found
        for _ in range(BAD_IN_A_ROW + 2):
            option = decision["options"][0]
            await guest.refused(
                "bad_value",
                "act",
                room=place.room,
                decision=decision["id"],
                option=option["id"],
                value=["no such card"],
            )
        await guest.flush()


@clause(
    "silent",
    4,
    ja="サーバーは最初の要求まで何も送らない。",
    en="The server is silent until the first request.",
)
async def _silent(kit: Kit) -> None:
    async with kit.stranger() as guest:
        with trio.move_on_after(PAUSE):
            raise guest.failed("nothing before hello", await guest.line.receive())
