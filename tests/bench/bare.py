"""The yardstick: websockets on trio and json, and nothing of a game server.

Whoever connects to `/ROOM/SEAT` is a member. An act of one, in the protocol's own words, changes a
few fields of the updates of `sample`, and each of the four members is sent its own, written anew.
The connection's task does all of it. Prints its address, and runs until it is killed.
"""

from __future__ import annotations

import copy
import json
from typing import Any

import trio
from attrs import define, field
from websockets.exceptions import ConnectionClosed
from websockets.trio.server import ServerConnection, serve

from tests.bench.sample import updates

__all__ = ["main"]

SAMPLE = updates()
write = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, check_circular=False).encode


@define(eq=False)
class _Room:
    members: dict[int, ServerConnection] = field(factory=dict)
    updates: list[dict[str, Any]] = field(factory=lambda: copy.deepcopy(SAMPLE))
    acts: int = 0

    async def act(self, seat: int, act: dict[str, Any]) -> None:
        """Change each member's update, and send it."""
        self.acts += 1
        event = {"kind": "bid_declared", "seat": seat, "value": act.get("value", 0)}
        for to, member in list(self.members.items()):
            update = self.updates[to]
            update["seq"] = self.acts
            update["events"] = [event]
            update["view"]["seats"][seat]["bid"] = event["value"]
            update["decisions"][0]["id"] = f"{to}.{self.acts}"
            await member.send(write(update))


async def _run() -> None:
    rooms: dict[str, _Room] = {}

    async def serve_member(ws: ServerConnection) -> None:
        assert ws.request is not None
        _, code, seat = ws.request.path.split("/")
        room = rooms.setdefault(code, _Room())
        room.members[int(seat)] = ws
        try:
            while True:
                await room.act(int(seat), json.loads(await ws.recv()))
        except ConnectionClosed:
            del room.members[int(seat)]

    async with trio.open_nursery() as nursery:
        server = await nursery.start(
            lambda task_status: serve(
                serve_member,
                0,
                host="127.0.0.1",
                backlog=4096,
                compression=None,
                task_status=task_status,
            )
        )
        port = server.listeners[0].socket.getsockname()[1]
        print(f"ws://127.0.0.1:{port}", flush=True)


def main() -> None:
    """Serve."""
    trio.run(_run)


if __name__ == "__main__":
    main()
