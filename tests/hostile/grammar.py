"""Messages: valid ones, nearly valid ones, and everything that is none.

`Grammar.valid` knows the requests from the published schema and what is going on from `Known`;
`Grammar.text` spoils it in many ways. What comes out is the bytes of one text frame.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from typing import Any, Final

from attrs import define, field
from kaguraden_protocol import schema
from kaguraden_protocol.limits import MAX_INTEGER
from kaguraden_protocol.messages import REQUESTS

__all__ = ["LAST", "Grammar", "Known"]

Json = dict[str, Any]

_DEFS: Final[Mapping[str, Any]] = schema.build()["$defs"]
FIELDS: Final[Mapping[str, Json]] = {kind: _DEFS[cls.__name__] for kind, cls in REQUESTS.items()}
KINDS: Final = tuple(FIELDS)
WEIGHTS: Final = {
    "act": 12,
    "hello": 0.3,
    "create": 0.6,
    "join": 2,
    "sync": 3,
    "chat": 2,
    "bot": 0.3,
}

ODD_TEXTS: Final = (
    "",
    " ",
    "\0",
    "\ud800",
    "\udfff\ud800",
    "\u202eevil\u202c",
    "\x1b[31m\x07\b",
    "\r\nSet-Cookie: a=b",
    "e\u0301" * 20,
    "a" + "\u0301" * 40,
    "\U0001f9d1\u200d\U0001f33e",
    "\ufeff\u200b\u2060",
    "\u3164",
    "\ufdfa" * 10,
    "神楽殿",
    "../../etc/passwd",
    "%s%n{0}{}",
    "<script>alert(1)</script>",
    "'; DROP TABLE rooms; --",
    "KAGU-7Q2F",
    "\U0010ffff\ue000",
)
ODD_NUMBERS: Final = (
    *("0", "-0", "-1", "1e3", "1.0", "1.5", "1E400", "-1e-400", "NaN", "Infinity", "-Infinity"),
    *("00", "+1", "0x10", "1_000", "9" * 17, "9" * 400, "-" + "9" * 5_000, ".5", "5.", "1e"),
    *(str(n) for n in (MAX_INTEGER, MAX_INTEGER + 1, -MAX_INTEGER, 2**63, 2**64, -(2**63), 15, 16)),
)
ODD_VALUES: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, -1, 1, 10**18, [], {}, "", "x", [None], {"": {}}, [[[]]], [1, "a"]),
    *({"type": "ping"}, ["o1"] * 65, "x" * 257, ["c"] * 201),
)
LAST = 0.004  # how often a text ends the connection: too long, or no UTF-8


@define
class Known:
    """What somebody has learned of the house."""

    rooms: list[str] = field(factory=list)
    mine: list[str] = field(factory=list)  # that one is in, or was
    users: list[str] = field(factory=list)
    tokens: list[str] = field(factory=list)
    decisions: list[tuple[str, Json]] = field(factory=list)  # room, decision
    acts: list[bytes] = field(factory=list)  # sent before
    games: tuple[str, ...] = ("odoriko", "enbu")

    def add(self, among: list[Any], thing: Any) -> None:
        """Remember a thing, among the last ones."""
        among.append(thing)
        del among[:-16]


@define
class Grammar:
    """Makes messages."""

    rng: random.Random
    known: Known = field(factory=Known)
    _id: int = 0

    # --- valid ones ------------------------------------------------------------------------------

    def valid(self, kind: str | None = None) -> Json:
        """Return a request that the protocol takes; the server may still refuse it."""
        rng = self.rng
        if kind is None:
            kind = rng.choices(KINDS, [WEIGHTS.get(kind, 1) for kind in KINDS])[0]
        self._id += 1
        message: Json = {"type": kind, "id": self._id}
        if kind == "act" and self.known.decisions and rng.random() < 0.7:
            return {**message, **self._act()}
        properties, required = FIELDS[kind]["properties"], FIELDS[kind]["required"]
        for name, spec in properties.items():
            if name in message or (name not in required and rng.random() < 0.6):
                continue
            message[name] = self._value(name, spec)
        if kind == "deck":
            message.pop(rng.choice(("cards", "starter")), None)
            if "cards" not in message:
                message["starter"] = True
        if kind == "kick":
            message.pop("seat", None)
            message["user"] = self._pick(self.known.users)
        return message

    def _act(self) -> Json:
        rng = self.rng
        room, decision = rng.choice(self.known.decisions)
        option = rng.choice(decision["options"])
        if rng.random() < 0.2:
            option = next(o for o in decision["options"] if o["id"] == decision["default"])
        found: Json = {"room": room, "decision": decision["id"], "option": option["id"]}
        if "value" in option:
            found["value"] = self._fitting(option["value"])
        return found

    def _fitting(self, spec: Json) -> Any:
        rng = self.rng
        match spec["type"]:
            case "int":
                return rng.randint(spec["min"], spec["max"])
            case "cards":
                return rng.sample(spec["from"], rng.randint(spec["min"], spec["max"]))
            case _:
                return rng.sample(spec["of"], len(spec["of"]))

    def _value(self, name: str, spec: Json) -> Any:
        rng = self.rng
        match name:
            case "room":
                return self._pick(self.known.mine if rng.random() < 0.7 else self.known.rooms)
            case "game":
                return rng.choice(self.known.games)
            case "user":
                return self._pick(self.known.users)
            case "resume":
                return self._pick(self.known.tokens)
            case "name":
                return rng.choice(("Aki", "Ben", "千歳", "Chi Chi", "Dai2"))
            case "client":
                return {"name": "fuzz", "version": "1"}
            case "password":
                return rng.choice(("", "sesame")) if rng.random() < 0.02 else ""
            case "options":
                return rng.choice(({}, {"turn_ms": 500}, {"bid_max": 9}, {"book": "kyu-3"}))
            case "seats":
                return rng.choice((1, 1, 2, 2, 3, 8))
            case "nonce":
                return rng.randbytes(rng.choice((16, 64))).hex()
            case "book":
                return rng.choice(("kyu-3", "dan-1", "today"))
            case "date":
                return rng.choice(("2026-01-01", "1999-12-31"))
            case "level":
                return "random"
            case "window":
                return rng.choice(("reaction", "counter", "auction"))
        return self._of(spec)

    def _of(self, spec: Json) -> Any:
        rng = self.rng
        if "anyOf" in spec:
            return self._of(rng.choice(spec["anyOf"]))
        if "enum" in spec:
            return rng.choice(spec["enum"])
        if "const" in spec:
            return spec["const"]
        match spec.get("type"):
            case "boolean":
                return rng.random() < 0.5
            case "integer":
                low, high = spec["minimum"], spec["maximum"]
                return rng.choice((low, high, rng.randint(low, min(high, low + 9))))
            case "string":
                longest = spec.get("maxLength", 20)
                size = rng.choice((max(1, spec.get("minLength", 1)), min(12, longest), longest))
                return "".join(rng.choices("abあ0-.", k=size))
            case "array":
                return [self._of(spec["items"]) for _ in range(rng.choice((0, 1, 3)))]
            case _:
                return {}

    def _pick(self, among: list[str]) -> str:
        return self.rng.choice(among) if among and self.rng.random() < 0.95 else "KAGU-0000"

    # --- and others ------------------------------------------------------------------------------

    def text(self) -> bytes:
        """Return a message of any sort: most of them spoiled, one in four as it should be."""
        rng = self.rng
        if self.known.acts and rng.random() < 0.05:
            return rng.choice(self.known.acts)  # a retry
        message = self.valid()
        if rng.random() < 0.25:
            text = _dump(message)
            if message["type"] == "act":
                self.known.add(self.known.acts, text)
            return text
        if rng.random() < 0.65:
            rng.choice(_SPOILERS)(self, message)
            return _dump(message, ascii_only=rng.random() < 0.7)
        return rng.choice(_GARBLERS)(self, message)

    def rubbish(self) -> bytes:
        """Return a text that is no message."""
        return self._bare({})

    def ending(self) -> bytes:
        """Return a text that ends the connection."""
        rng = self.rng
        text = _dump(self.valid())
        if rng.random() < 0.5:
            return text + b" " * (16_385 - len(text) + rng.choice((0, 0, 1_000, 60_000)))
        at = rng.randrange(len(text))
        return (
            text[:at] + rng.choice((b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xe3\x81")) + text[at:]
        )

    def _drop(self, message: Json) -> None:
        del message[self.rng.choice(list(message))]

    def _add(self, message: Json) -> None:
        name = self.rng.choice(("seat ", "x_note", "ROOM", "__proto__", "x_", "seed", "k" * 200))
        message[name] = self.rng.choice(ODD_VALUES)

    def _replace(self, message: Json) -> None:
        message[self.rng.choice(list(message))] = self.rng.choice(ODD_VALUES)

    def _retext(self, message: Json) -> None:
        message[self.rng.choice(list(message))] = self.rng.choice(ODD_TEXTS)

    def _lengthen(self, message: Json) -> None:
        many = self.rng.choice((24, 25, 64, 65, 256, 257, 500, 501, 4_000))
        message[self.rng.choice(list(message))] = self.rng.choice(("x", "あ", "\u0301")) * many

    def _nest(self, message: Json) -> None:
        value: Any = "x"
        for _ in range(self.rng.choice((2, 29, 30, 31, 33, 200))):
            value = [value] if self.rng.random() < 0.5 else {"a": value}
        message[self.rng.choice((*message, "x_deep", "options"))] = value

    def _crowd(self, message: Json) -> None:
        many = self.rng.choice((100, 4_090, 5_000))
        message[self.rng.choice((*message, "x_many", "options"))] = [0] * many

    def _reid(self, message: Json) -> None:
        ids: tuple[Any, ...] = (
            0,
            -1,
            1,
            self._id - 1,
            "a",
            "a" * 64,
            "a" * 65,
            "",
            None,
            1.5,
            True,
            [],
            {},
            2**60,
        )
        message["id"] = self.rng.choice(ids)

    def _retype(self, message: Json) -> None:
        kinds = (*KINDS, "PING", "ok", "error", "update", "", "hello ", None, 1, ["ping"], "x" * 99)
        message["type"] = self.rng.choice(kinds)

    def _confuse(self, message: Json) -> None:
        """Name a decision that is not one's own, or an option that is not there."""
        message.update(self._act() if self.known.decisions else {"room": "KAGU-0000"})
        message["type"] = "act"
        name = self.rng.choice(("decision", "option", "value"))
        odd: tuple[Any, ...] = (
            *ODD_TEXTS,
            "0.1",
            "1.1",
            "7.9",
            "next",
            "pass",
            ["c1", "c1"],
            99,
            -1,
            [],
        )
        message[name] = self.rng.choice(odd)

    def _number(self, message: Json) -> bytes:
        message[self.rng.choice(list(message))] = "NUMBER"
        return _dump(message).replace(b'"NUMBER"', self.rng.choice(ODD_NUMBERS).encode(), 1)

    def _twice(self, message: Json) -> bytes:
        name = self.rng.choice(list(message))
        again = json.dumps({name: self.rng.choice((message[name], *ODD_VALUES))})
        text = _dump(message).decode("utf-8", "replace")
        return (again[:-1] + "," + text[1:]).encode()

    def _cut(self, message: Json) -> bytes:
        text = _dump(message)
        return text[: self.rng.randrange(len(text))]

    def _flip(self, message: Json) -> bytes:
        text = bytearray(_dump(message))
        for _ in range(self.rng.choice((1, 1, 2, 8))):
            text[self.rng.randrange(len(text))] = self.rng.randrange(1, 128)
        return bytes(text)

    def _splice(self, message: Json) -> bytes:
        one, two = _dump(message), _dump(self.valid())
        return one[: self.rng.randrange(len(one))] + two[self.rng.randrange(len(two)) :]

    def _surround(self, message: Json) -> bytes:
        text = _dump(message)
        before, after = self.rng.choice(
            ((b"[", b"]"), (b"\xef\xbb\xbf", b""), (b"", b"{}"), (b"", b"\0"), (b" \n\t", b"\r\n "))
        )
        return before + text + after

    def _bare(self, _: Json) -> bytes:
        rng = self.rng
        return rng.choice(
            (
                b"",
                b" ",
                b"null",
                b"[]",
                b'"ping"',
                b"{}",
                b"{",
                b"[" * rng.choice((31, 33, 10_000)),
                b'{"a":' * rng.choice((31, 33, 3_000)),
                rng.choice(ODD_NUMBERS).encode(),
                bytes(rng.choices(range(1, 128), k=rng.randrange(1, 60))),
                b'"' + b"\\" * rng.randrange(1, 9_000) + b'"',
                b'{"type":"ping","id":"\\ud800"}',
                b'{"type":"ping","id":"\\u0000"}',
                b'{"type":"ping","id":1,"x_":"' + b"\\u202e" * 2_000 + b'"}',
            )
        )


_SPOILERS: Final[tuple[Callable[[Grammar, Json], None], ...]] = (
    Grammar._drop,
    Grammar._add,
    Grammar._replace,
    Grammar._replace,
    Grammar._retext,
    Grammar._lengthen,
    Grammar._nest,
    Grammar._crowd,
    Grammar._reid,
    Grammar._retype,
    Grammar._confuse,
    Grammar._confuse,
)
_GARBLERS: Final[tuple[Callable[[Grammar, Json], bytes], ...]] = (
    Grammar._number,
    Grammar._twice,
    Grammar._cut,
    Grammar._flip,
    Grammar._splice,
    Grammar._surround,
    Grammar._bare,
)


def _dump(message: Json, *, ascii_only: bool = True) -> bytes:
    text = json.dumps(message, ensure_ascii=ascii_only)
    try:
        return text.encode()
    except UnicodeEncodeError:  # half a surrogate pair cannot be told but by its escape
        return json.dumps(message).encode()
