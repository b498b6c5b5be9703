"""People who say whatever comes to their mind: messages of every sort over real connections.

Each connection sends some frames at once and then wants as many replies, in their order; a close
must carry a code and a reason from the protocol's list. What the replies tell is used in what is
said next, so that rooms are made, games are started and decisions are answered, rightly and wrongly.
"""

from __future__ import annotations

import json
import random
from collections import Counter, deque
from typing import Any

import trio
from attrs import define, field
from kaguraden_protocol.errors import CLOSE_REASONS, CloseCode

from .grammar import LAST, Grammar, Json
from .rawsocket import PONG, Frame, RawSocket, encode

__all__ = ["Broken", "Talker"]

BATCHES = (1, 4, 8, 8, 16, 40)  # frames at once
RUDE = 0.02  # how often one says nothing but rubbish until one is sent away
STAY = 60  # batches on a connection at most
PATIENCE_S = 120.0  # for the replies of a batch
ALLOWED = {code.value: CLOSE_REASONS[code] for code in CloseCode}
RULES_OF_6455 = {1002, 1007, 1009}  # the library closes by itself what breaks them
ANY = object()


class Broken(AssertionError):
    """The server did what it must not."""


@define(eq=False)
class Talker:
    """One of them, over many connections."""

    port: int
    number: int
    seed: int
    counted: Counter[str]
    most: int  # messages in all, of all talkers together
    rng: random.Random = field(init=False)
    grammar: Grammar = field(init=False)
    _todo: deque[Json] = field(factory=deque)
    _expected: deque[tuple[object, str]] = field(factory=deque)
    _socket: RawSocket | None = None

    def __attrs_post_init__(self) -> None:
        self.rng = random.Random(f"talker {self.seed} {self.number}")
        self.grammar = Grammar(self.rng)

    async def run(self) -> None:
        """Talk until enough was said."""
        while self.counted["messages"] < self.most:
            socket = self._socket = await RawSocket.dial(
                self.port, f"127.0.0.{2 + self.number % 8}"
            )
            self.counted["connections"] += 1
            try:
                if not await socket.shake_hands():
                    raise Broken("no handshake")
                await self._talk(socket)
            except trio.BrokenResourceError:
                self.counted["reset"] += 1
            finally:
                await socket.hang_up(reset=self.rng.random() < 0.3)

    async def _talk(self, socket: RawSocket) -> None:
        self._expected.clear()
        self._todo.clear()
        self.grammar.known.decisions.clear()
        self.grammar.known.mine.clear()
        if self.rng.random() < 0.9:
            self._todo.append(self.grammar.valid("hello"))
        for _ in range(self.rng.randint(1, STAY)):
            if self.counted["messages"] >= self.most:
                return
            batch = b"".join(self._frame() for _ in range(self.rng.choice(BATCHES)))
            if self.rng.random() < RUDE:
                batch += b"".join(self._framed(self.grammar.rubbish(), None) for _ in range(22))
            if self.rng.random() < LAST * 8:
                batch += self._framed(self.grammar.ending(), None)
            await socket.send(batch)
            if self.rng.random() < 0.01:
                return  # without waiting for what comes
            with trio.move_on_after(PATIENCE_S) as waiting:
                if not await self._hear(socket):
                    return
            if waiting.cancelled_caught:
                raise Broken(f"no reply: {len(self._expected)} are missing; {batch[-300:]!r}")

    def _frame(self) -> bytes:
        if self._todo and self.rng.random() < 0.7:
            message = self._todo.popleft()
            return self._framed(json.dumps(message).encode(), message)
        if self.rng.random() < 0.12:  # nobody is sent away for twenty bad ones in a row
            message = self.grammar.valid()
            return self._framed(json.dumps(message).encode(), message)
        return self._framed(self.grammar.text(), None)

    def _framed(self, text: bytes, message: Json | None) -> bytes:
        self.counted["messages"] += 1
        self.counted["bytes"] += len(text)
        if message is None:
            self._expected.append((ANY, ""))
        else:
            self._expected.append((message["id"], message["type"]))
        return encode(text)

    async def _hear(self, socket: RawSocket) -> bool:
        """Take the replies; False when the connection is over."""
        while self._expected:
            frame = await socket.read()
            if frame is None:
                return self._over("without a close frame")
            match frame.opcode:
                case 1:  # text
                    self._take(frame.payload)
                case 8:  # close
                    self._check_close(frame)
                    return self._over(str(frame.close_code))
                case 9:  # ping
                    await socket.send(encode(frame.payload, PONG))
        return True

    def _over(self, how: str) -> bool:
        self.counted[f"closed {how}"] += 1
        self._expected.clear()
        return False

    def _check_close(self, frame: Frame) -> None:
        code, reason = frame.close_code, frame.payload[2:].decode()
        if code in ALLOWED and reason == ALLOWED[code]:
            return
        if code not in RULES_OF_6455:
            raise Broken(f"closed with {code} {reason!r}")

    def _take(self, text: bytes) -> None:
        message = json.loads(text)
        kind = message["type"]
        if kind not in ("ok", "error"):
            self.counted["pushes"] += 1
            if kind == "update":
                self._learn_of(message)
            return
        expected, request = self._expected.popleft()
        if expected is not ANY and message["re"] != expected:
            raise Broken(f"a reply to {message['re']} where {expected} was asked: {text[:300]!r}")
        if kind == "error":
            self.counted[message["code"]] += 1
            if message["code"] == "internal":
                raise Broken(f"internal: {text!r}")
            return
        self.counted["ok"] += 1
        self.counted["acts accepted"] += request == "act"
        self._learn(request, message["result"])

    def _learn(self, request: str, result: Json) -> None:
        known = self.grammar.known
        if "token" in result:
            known.add(known.tokens, result["token"])
            known.add(known.users, result["user"])
            self._todo.append(self._request("rooms"))
            if self.rng.random() < 0.5:
                self._todo.append(self._request("create", game="enbu", seats=1))
            elif self.rng.random() < 0.5:
                self._todo.append(self._request("create", game="odoriko", seats=2))
        elif "rooms" in result:
            for info in result["rooms"][:8]:
                known.add(known.rooms, info["room"])
                if info["phase"] == "lobby" and self.rng.random() < 0.3:
                    self._todo.append(self._request("join", room=info["room"]))
        elif "room" in result:
            room = result["room"]
            known.add(known.rooms, room)
            known.add(known.mine, room)
            self._todo.append(self._request("ready", room=room, ready=True))
            if request == "create" and self.rng.random() < 0.2:
                self._todo.append(self._request("bot", room=room, level="random"))
            self._todo.append(self._request("start", room=room))

    def _learn_of(self, update: Json) -> None:
        known = self.grammar.known
        known.decisions[:] = [k for k in known.decisions if k[0] != update["room"]]
        for decision in update["decisions"]:
            known.add(known.decisions, (update["room"], decision))

    def _request(self, kind: str, **fields: Any) -> Json:
        return {"type": kind, "id": f"{kind} {self.rng.randrange(10**6)}", **fields}
