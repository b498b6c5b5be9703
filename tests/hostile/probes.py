"""What somebody may try who wants to learn more: acts that are refused, questions, reconnections."""

from __future__ import annotations

import random
from typing import Any

import trio
import trio.testing
from attrs import field, frozen
from kaguraden_rules.kernel import SeatId, Viewer

from .chance import draw_from
from .guests import Guest, Json
from .stage import Scene

__all__ = ["Probe", "probes"]


@frozen
class Probe:
    """A request that a viewer sends; `come back` hangs up first and is a hello and a sync."""

    viewer: Viewer
    kind: str
    fields: dict[str, Any] = field(factory=dict)

    async def carry_out(self, scene: Scene) -> Json:
        """Do it, and return the reply."""
        guest = scene.guest(self.viewer)
        if self.kind != "come back":
            return await guest.request(self.kind, **self.fields)
        await guest.hang_up()
        await trio.testing.wait_all_tasks_blocked()  # or who is away may be seen or not
        with draw_from(scene.rng):
            await guest.enter()
        await trio.testing.wait_all_tasks_blocked()
        return await guest.request("sync", **self.fields)


def probes(rng: random.Random, scene: Scene, viewer: Viewer) -> Probe:
    """Return something to try; in both houses of a pair it is the same."""
    room, guest = scene.room.code, scene.guest(viewer)
    here: dict[str, Any] = {"room": room}
    kind = rng.choice(("act",) * 6 + ("sync", "come back") * 2 + _OTHERS)
    match kind:
        case "act":
            return Probe(viewer, "act", {**here, **_act(rng, scene, viewer, guest)})
        case "sync" | "come back":
            seq = scene.table.streams[viewer].seq
            known: list[dict[str, int]] = [{}, {"seq": seq}, {"seq": max(0, seq - 3)}, {"seq": 0}]
            return Probe(viewer, kind, {**here, **rng.choice([*known, {"seq": seq + 2}])})
        case "rooms":
            return Probe(viewer, kind)
        case "catalog":
            return Probe(viewer, kind, {"game": scene.room.game.id})
        case "daily":
            return Probe(viewer, kind, {"book": "kyu-3"})
        case "chat":
            return Probe(viewer, kind, {**here, "text": rng.choice(("?", "うーん", "\u202e!"))})
        case "pause":
            return Probe(viewer, kind, {**here, "on": rng.random() < 0.5})
        case "auto":
            kinds = [window.kind for window in scene.room.game.windows] or ["none"]
            # A standing pass of one's own would answer for it in both games, and both must take it.
            return Probe(viewer, kind, {**here, "window": rng.choice(kinds), "mode": "ask"})
        case "join":
            return Probe(viewer, kind, {**here, "seat": rng.randrange(9)})
        case "deck":
            return Probe(viewer, kind, {**here, "cards": ["c1", "c2"]})
        case "kick":
            return Probe(viewer, kind, {**here, "seat": 15})
        case "configure":
            return Probe(viewer, kind, {**here, "options": {"canary": 1}})
        case "bot":
            return Probe(viewer, kind, {**here, "level": "nobody"})
        case _:
            return Probe(viewer, kind, here)


_OTHERS = (
    *("rooms", "catalog", "daily", "chat", "pause", "auto", "join", "deck"),
    *("kick", "configure", "bot", "replay", "rematch", "start", "ping"),
)


def _act(rng: random.Random, scene: Scene, viewer: Viewer, guest: Guest) -> dict[str, Any]:
    """Return an answer that is refused."""
    mine: list[Any] = guest.last_update().get("decisions", [])
    seat = rng.randrange(len(scene.seats)) if viewer is None else viewer
    other = SeatId((seat + rng.randrange(1, len(scene.seats) + 1)) % len(scene.seats))
    guesses = [f"{seat}.{rng.randrange(40)}", f"{other}.{rng.randrange(40)}", "?"]
    option = rng.choice(("pass", "next", "nothing", "end_turn", "draw"))
    if not mine or rng.random() < 0.5:
        decision = rng.choice(guesses)
        if any(decision == own["id"] for own in mine):
            option = "nothing"
        return {"decision": decision, "option": option}
    chosen = rng.choice(mine)
    valued = [o["id"] for o in chosen["options"] if "value" in o]
    if valued and rng.random() < 0.5:
        return {"decision": chosen["id"], "option": rng.choice(valued), "value": ["nothing"]}
    plain = [o["id"] for o in chosen["options"] if "value" not in o]
    if plain and rng.random() < 0.5:
        return {"decision": chosen["id"], "option": rng.choice(plain), "value": 3}
    return {"decision": chosen["id"], "option": "nothing"}
