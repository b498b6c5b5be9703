"""Starts servers quickly: everything is imported once, and each server is a fork of that.

Reads one line of JSON for each server from stdin: `{args, log, point?, nth?, fresh?}`. The server
gets the arguments of `kaguraden serve`, writes its own line to our stdout, and its log to a file;
`fresh` runs the command itself in a new interpreter. When it has ended a line `ended STATUS` follows.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import signal
import sys
from typing import Any

# What `serve` imports when it runs is wanted before the fork.
import kaguraden_server.app
import kaguraden_server.packs  # noqa: F401
from kaguraden_protocol import codec
from kaguraden_protocol.limits import Limits
from kaguraden_server import keeping
from kaguraden_server.clocks import ClockOptions, Clocks
from kaguraden_server.commands import serve
from kaguraden_server.fairness import Deal
from kaguraden_server.packs import load_games
from kaguraden_server.table import Table

from tests.crash.points import arm

__all__ = ["main"]

ROOM = {"room": "KAGU-7Q2F"}
REQUESTS: list[dict[str, Any]] = [
    {"type": "hello", "name": "A", "client": {"name": "raw", "version": "1"}},
    {"type": "sync", **ROOM, "seq": 1},
    {"type": "act", **ROOM, "decision": "0.1", "option": "pass"},
    {"type": "pause", **ROOM, "on": False},
    {"type": "ready", **ROOM, "ready": True},
    {"type": "chat", **ROOM, "text": "A"},
]


def main() -> None:
    """Start servers until stdin ends."""
    _warm_up()
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            _be_server(order)
        print(f"started {child}", flush=True)
        _, status = os.waitpid(child, 0)
        print(f"ended {os.waitstatus_to_exitcode(status)}", flush=True)


def _warm_up() -> None:
    """Do once what is slow the first time: how values are read and written is worked out then."""
    for game in load_games("", Limits()).values():
        options = game.parse_options({})
        seats = game.seats[0]
        decks = (game.check_deck(options, None),) * seats
        clocks = Clocks.start(ClockOptions(), seats)
        table = Table(
            room="KAGU-7Q2F",
            game=game,
            options=options,
            decks=decks,
            deal=Deal(),
            nonces=("",) * seats,
            clocks=clocks,
            passes=lambda _seat, _kind: False,
            limits=Limits(),
        )
        keeping.read(keeping.After, keeping.step_entry(1, 0, table, table.begin(0.0), 0, 0.0).after)
    kept = {"is_listed": True, "address": "", "options": {}, "is_open_ended": False, "lines": 0}
    kept |= {"seats": [], "members": [], "left": [], "seed": ""}
    keeping.read(keeping.KeptRoom, json.dumps(kept))
    keeping.read(keeping.KeptUser, '{"name":"A","bot":false,"was_bot":false,"tokens":{}}')
    for request in REQUESTS:
        codec.decode_request(json.dumps({"id": 1, **request}))


def _be_server(order: dict[str, Any]) -> None:
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    if order.get("fresh"):
        command = [sys.executable, "-m", "kaguraden_server", "serve", *order["args"]]
        os.execv(sys.executable, command)  # noqa: S606 - no shell is wanted
    faulthandler.register(signal.SIGUSR1)  # tells where a server is that does not go on
    if order.get("point"):
        arm(order["point"], order["nth"])
    try:
        serve.main(order["args"], prog_name="kaguraden serve", standalone_mode=False)
    except SystemExit as ended:
        os._exit(ended.code if isinstance(ended.code, int) else 1)
    except BaseException as error:
        os.write(2, f"Traceback: {error!r}\n".encode())
        os._exit(70)
    os._exit(0)


if __name__ == "__main__":
    main()
