"""A whole Kaguraden bot that plays at random: python minimal_bot.py ws://HOST:PORT/ws [ROOM]."""

import json
import random
import sys
import time

from websockets.sync.client import connect

url, *room = sys.argv[1:]  # without a room: a new one for two, against a bot of the server
view, done, types = {}, set(), (None, "int", "cards", "order")  # of values that we know
with connect(url, subprotocols=["kaguraden.v1"]) as ws:

    def ask(kind, **fields):
        time.sleep(0.05)  # a server takes 20 requests a second
        ws.send(json.dumps({"type": kind, "id": time.monotonic_ns() % 2**53, **fields}))

    def pick(spec):  # what an option takes along: a number, some cards, or all cards in an order
        cards = spec.get("from") or spec.get("of", [])
        n = random.randint(spec.get("min", len(cards)), spec.get("max", len(cards)))
        return n if spec["type"] == "int" else random.sample(cards, n)

    ask("hello", name="Minimal", client={"name": "minimal_bot", "version": "1"}, bot=True)
    ask("join", room=room[0]) if room else ask("create", game="odoriko", seats=2)
    while "outcome" not in view:
        match json.loads(ws.recv()):
            case {"type": "ok", "result": {"room": code, "seat": seat}}:  # we are at the table
                for kind in ["ready"] if room else ["bot", "ready", "start"]:
                    ask(kind, room=code, **{"ready": True} if kind == "ready" else {})
            case {"type": "error", "message": why} if not view:  # later ones are lost races
                sys.exit(why)
            case {"type": "update", "decisions": decisions, **rest}:
                view = rest.get("view", view)
                for d in [d for d in decisions if seat in view["asked"] and d["id"] not in done]:
                    done.add(d["id"])
                    known = [o for o in d["options"] if o.get("value", {}).get("type") in types]
                    option = random.choice(known)
                    value = {"value": pick(option["value"])} if "value" in option else {}
                    ask("act", room=code, decision=d["id"], option=option["id"], **value)
    print(view["outcome"])
