"""A whole Kaguraden bot that plays at random: python minimal_bot.py URL [GAME or ROOM]."""

import json
import sys
import time
from random import choice, randint, sample

from websockets.sync.client import connect

url, what = [*sys.argv[1:], "odoriko"][:2]  # such as: ws://127.0.0.1:8765/ws yumeochi
seats = {"odoriko": 2, "enbu": 1, "yumeochi": 4}.get(what)  # for a new room, or None to join one
view, done, known = {}, set(), (None, "int", "cards", "order")  # types of values, or none
with connect(url, subprotocols=["kaguraden.v1"]) as ws:

    def ask(kind, **fields):
        time.sleep(0.05)  # a server takes 20 requests a second
        ws.send(json.dumps({"type": kind, "id": time.monotonic_ns() % 2**53, **fields}))

    def pick(spec):  # what an option takes along: a number, some cards, or all cards in an order
        cards = spec.get("from") or spec.get("of", [])
        n = randint(spec.get("min", len(cards)), spec.get("max", len(cards)))
        return n if spec["type"] == "int" else sample(cards, n)

    ask("hello", name="Minimal", client={"name": "minimal_bot", "version": "1"}, bot=True)
    ask("create", game=what, seats=seats) if seats else ask("join", room=what)
    while "outcome" not in view:
        match json.loads(ws.recv()):
            case {"type": "ok", "result": {"room": code, "seat": seat}}:  # we are at the table
                for kind in ["bot"] * (seats - 1) + ["ready", "start"] if seats else ["ready"]:
                    ask(kind, room=code, **{"ready": True} if kind == "ready" else {})
            case {"type": "error", "message": why} if not view:  # later ones are lost races
                sys.exit(why)
            case {"type": "update", "decisions": decisions, **rest}:
                view = rest.get("view", view)
                for d in [d for d in decisions if seat in view["asked"] and d["id"] not in done]:
                    done.add(d["id"])
                    o = choice([o for o in d["options"] if o.get("value", {}).get("type") in known])
                    value = {"value": pick(o["value"])} if "value" in o else {}
                    ask("act", room=code, decision=d["id"], option=o["id"], **value)
    print(view["outcome"])
