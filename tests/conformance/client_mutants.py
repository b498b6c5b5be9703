"""For every clause about clients a client that breaks it, and what the kit says then."""

from __future__ import annotations

from typing import Any, ClassVar

import trio
from attrs import frozen

from .small_client import Crash, Message, SmallClient

__all__ = ["MUTANTS", "Entry"]


@frozen
class Entry:
    """A client with one fault, and words that the report about it must hold."""

    client: type[SmallClient]
    wants: str
    end: int = 0


class NoSubprotocol(SmallClient):
    offers: ClassVar[list[str]] = []


class Binary(SmallClient):
    async def write(self, text: str) -> None:
        await self.ws.send(text.encode() if '"act"' in text else text)


class Talkative(SmallClient):
    async def act(self, fields: Message) -> None:
        await super().act({**fields, "mood": "good"})


class Impolite(SmallClient):
    async def greet(self) -> None:
        await self.send("ping")
        await super().greet()


class Nameless(SmallClient):
    name = " Small"


class SameId(SmallClient):
    def next_id(self) -> int:
        return 7

    async def take(self, message: Message) -> None:
        self.pending.setdefault(message.get("re"), {"type": "ping"})
        kept = dict(self.pending)
        await super().take(message)
        self.pending = {**kept, **self.pending}


class Hasty(SmallClient):
    async def get_ready(self) -> None:
        for _ in range(60):
            await self.send("ping")
        await super().get_ready()


class Long(SmallClient):
    async def get_ready(self) -> None:
        await self.send("ping", x_pad="a" * 9000)
        await super().get_ready()


class Invents(SmallClient):
    async def get_ready(self) -> None:
        await super().get_ready()
        await self.send("act", room=self.room, decision="9.99", option="go")


class OffList(SmallClient):
    def choose(self, decision: Message) -> tuple[str, Any]:
        return "go:south", None


class Misfits(SmallClient):
    def choose(self, decision: Message) -> tuple[str, Any]:
        option, value = super().choose(decision)
        return option, 99 if isinstance(value, int) else value


class Bold(SmallClient):
    def choose(self, decision: Message) -> tuple[str, Any]:
        return decision["options"][0]["id"], super().choose(decision)[1]


class Wavering(SmallClient):
    async def take_ok(self, request: Message, result: Message) -> None:
        await super().take_ok(request, result)
        if request["type"] == "act" and request["option"] == "go:north":
            fields = {k: request[k] for k in ("room", "decision")}
            await self.send("act", **fields, option="wait")


class Slow(SmallClient):
    """Acts on what it saw some time ago."""

    async def act(self, fields: Message) -> None:
        async def wait() -> None:
            await trio.sleep(1.2)
            await self.send("act", **fields)

        self.nursery.start_soon(wait)


class NoNumbers(SmallClient):
    """Takes every update, whatever its number, and does not know what it has answered."""

    def is_news(self, update: Message) -> bool:
        self.acts.clear()
        self.seq = min(self.seq, update["seq"])
        return True


class NeverEnds(SmallClient):
    async def take_outcome(self) -> None:
        fields = next(reversed(self.acts.values()))
        await self.send("act", **fields)
        await self.ws.recv()
        await super().take_outcome()


class Idle(SmallClient):
    async def get_ready(self) -> None:
        await self.send("ping")


class FearsEvents(SmallClient):
    def look_at_events(self, events: list[Message]) -> None:
        if any(event["kind"] == "kit_comet" for event in events):
            raise Crash


class FearsValues(SmallClient):
    def choose(self, decision: Message) -> tuple[str, Any]:
        if any(o.get("value", {}).get("type") == "kit_colour" for o in decision["options"]):
            raise Crash
        return super().choose(decision)


class FearsPushes(SmallClient):
    def take_unknown(self, message: Message) -> None:
        raise Crash


class FearsCodes(SmallClient):
    def take_unknown_code(self, error: Message) -> None:
        raise Crash


class FearsNames(SmallClient):
    def show(self, message: Message) -> None:
        if "u202e" in ascii(message):
            raise Crash


class FearsStale(SmallClient):
    def take_stale(self) -> None:
        self.acts = _All(self.acts)


class _All(dict[str, Message]):
    def __contains__(self, key: object) -> bool:
        return True


class FearsFull(SmallClient):
    def is_news(self, update: Message) -> bool:
        return bool(update["seq"] > self.seq)


class NoPong(SmallClient):
    answers_pings = False


class AtOnce(SmallClient):
    async def later(self, request: Message, seconds: float) -> None:
        await super().later(request, 0.0)


class NotLater(SmallClient):
    async def later(self, request: Message, seconds: float) -> None:
        if seconds == 0.5:
            await super().later(request, seconds)


class NotUnavailable(SmallClient):
    async def later(self, request: Message, seconds: float) -> None:
        if seconds != 0.5:
            await super().later(request, seconds)


class NoGaps(SmallClient):
    def is_news(self, update: Message) -> bool:
        is_news = super().is_news(update)
        if is_news:
            self.seq = update["seq"] - 1
        return is_news


class NoHash(SmallClient):
    def fits(self, told: str) -> bool:
        return True


class GivesUp(SmallClient):
    code = 1006

    def comes_back(self, code: int) -> bool:
        return code != self.code and super().comes_back(code)


class GivesUp1011(GivesUp):
    code = 1011


class GivesUp1012(GivesUp):
    code = 1012


class GivesUp4003(GivesUp):
    code = 4003


class FirstToken(SmallClient):
    def token(self) -> str:
        return self.tokens[0]


class NoSync(SmallClient):
    async def come_back(self) -> None:
        """Wait for updates."""


class SyncsFrom(SmallClient):
    async def come_back(self) -> None:
        self.seq = 1
        await super().come_back()


class Forgets(SmallClient):
    async def come_back(self) -> None:
        self.lost = []
        await super().come_back()


class Tired(SmallClient):
    async def come_back(self) -> None:
        await super().come_back()
        self.acts = _All(self.acts)


class Stubborn(SmallClient):
    def comes_back(self, code: int) -> bool:
        return True


class HangsUp(SmallClient):
    def choose(self, decision: Message) -> tuple[str, Any]:
        if len(self.acts) == 3:
            raise Crash
        return super().choose(decision)


class Rude(SmallClient):
    async def hang_up(self) -> None:
        await trio.aclose_forcefully(self.ws.stream)


MUTANTS: dict[str, Entry] = {
    "C-subprotocol": Entry(NoSubprotocol, "Sec-WebSocket-Protocol: kaguraden.v1"),
    "C-text-frames": Entry(Binary, "binary: b'"),
    "C-requests": Entry(Talkative, "$.mood"),
    "C-hello-first": Entry(Impolite, "hello before any other request"),
    "C-name": Entry(Nameless, '" Small"'),
    "C-ids": Entry(SameId, "an id that no open request has"),
    "C-rate": Entry(Hasty, "40 at once"),
    "C-frame-size": Entry(Long, "at most 8192 bytes"),
    "C-own-decisions": Entry(Invents, "9.99"),
    "C-listed-options": Entry(OffList, "go:south"),
    "C-values": Entry(Misfits, "99"),
    "C-unknown-values": Entry(Bold, "whose value the client knows"),
    "C-one-answer": Entry(Wavering, "the same answer as before"),
    "C-stale-state": Entry(Slow, "which was closed"),
    "C-old-updates": Entry(NoNumbers, "which was closed"),
    "C-after-the-end": Entry(NeverEnds, "no act after the outcome"),
    "C-plays": Entry(Idle, "create or join, ready, and start"),
    "C-unknown-kinds": Entry(FearsEvents, "an act on the decision after it"),
    "C-unknown-options": Entry(FearsValues, "an act on the decision after it"),
    "C-unknown-pushes": Entry(FearsPushes, "an act on the decision after it"),
    "C-unknown-codes": Entry(FearsCodes, "an act on the decision after it"),
    "C-wild-names": Entry(FearsNames, "an act on the decision after it"),
    "C-replaced": Entry(FearsStale, "an act on the decision after it"),
    "C-full": Entry(FearsFull, "an act on the decision after it"),
    "C-pong": Entry(NoPong, "a pong within 5 s"),
    "C-retry-after": Entry(AtOnce, "at least 700 ms"),
    "C-again-later": Entry(NotLater, "nothing"),
    "C-again-unavailable": Entry(NotUnavailable, "nothing"),
    "C-gap": Entry(NoGaps, "no sync"),
    "C-patch-hash": Entry(NoHash, "no sync"),
    "C-back-after-cut": Entry(GivesUp, "another connection"),
    "C-back-after-1011": Entry(GivesUp1011, "another connection"),
    "C-back-after-1012": Entry(GivesUp1012, "another connection"),
    "C-back-after-4003": Entry(GivesUp4003, "another connection"),
    "C-resume": Entry(FirstToken, "the newest token"),
    "C-sync": Entry(NoSync, "sync"),
    "C-sync-seq": Entry(SyncsFrom, "seq 1"),
    "C-act-again": Entry(Forgets, "nothing"),
    "C-goes-on-after": Entry(Tired, "after coming back"),
    "C-stays-away": Entry(Stubborn, "no other connection", end=4004),
    "C-goes-on": Entry(HangsUp, "it hung up"),
    "C-ends-well": Entry(Rude, "a close frame"),
}
