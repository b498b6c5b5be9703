"""What a viewer can know from nothing but the events it was sent (invariant 10, YU-107).

The table is built from redacted events alone. What it says is held against the view, so whatever
the view shows must have been told, and whatever was told must be shown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from attrs import define, field

__all__ = ["Fold"]

Plain = dict[str, Any]


@define
class Fold:
    """A table made from the events of one viewer; None is a spectator."""

    viewer: int | None
    stars: Mapping[str, int]  # of every card that has some
    order: Mapping[str, int]  # of the set, for skills
    seats: list[Plain] = field(factory=list)
    table: Plain = field(factory=dict)
    you: Plain = field(factory=dict)

    def take(self, event: Plain) -> None:
        """Put an event on the table."""
        handler = getattr(self, "_" + event["kind"], None)
        if handler is not None:
            handler(event)

    def shown(self) -> Plain:
        """Return what a view should show: seats, table, and what is private."""
        seats = [
            {**seat, "stars": self._stars(seat)} for seat in json.loads(json.dumps(self.seats))
        ]
        return {"seats": seats, "table": self.table, "you": self.you}

    def _stars(self, seat: Plain) -> int:
        up = [*seat["skills_up"], *seat["items"], *seat["stock"], seat.get("role", "")]
        return sum(self.stars.get(card, 0) for card in up)

    def _sort(self, cards: list[str]) -> None:
        cards.sort(key=lambda card: self.order[card])

    # --- the course of the game ---

    def _game_started(self, event: Plain) -> None:
        self.seats = []
        self.you = {}
        self.table = {
            "game_no": event["game_no"], "pool": event["pool"], "hour": 1,
            "used": [], "clock": [{"position": n} for n in range(1, 13)], "discards": [],
            "leftover": 2, "removed": 0, "removed_up": [],
        }  # fmt: skip
        if "holder" in event:
            self._first_holder_named(event)

    def _first_holder_named(self, event: Plain) -> None:
        assert "start" not in self.table
        self.table["start"] = self.table["origin"] = event["holder"]

    def _dealt(self, event: Plain) -> None:
        self.seats.append({
            "seat": event["seat"], "life": event["life"], "alive": True, "skills_up": [],
            "skills_down": event["skills"], "items": [], "stock": [], "opened": 0, "kills": 0,
            "role_uses": 0, "skip": False, "protected": False,
        })  # fmt: skip
        assert ("role" in event) is ("skill" in event) is (event["seat"] == self.viewer)
        if event["seat"] == self.viewer:
            self.you = {"role": event["role"], "skills_down": [event["skill"]], "seen": []}

    def _phase_began(self, event: Plain) -> None:
        assert (event["start"], event["origin"]) == (self.table["start"], self.table["origin"])
        self.table["order"], self.table["used"] = event["order"], []

    def _hour_became(self, event: Plain) -> None:
        assert event["hour"] == self.table["hour"] + 1
        self.table["hour"] = event["hour"]

    def _action_taken(self, event: Plain) -> None:
        seat = self.seats[event["seat"]]
        if event["action"] == "role_action":
            seat["role_uses"] += 1
        if event["action"] == "use" and event["source"] == "skill":
            assert event["card"] not in self.table["used"]
            self.table["used"].append(event["card"])

    # --- cards ---

    def _role_revealed(self, event: Plain) -> None:
        seat = self.seats[event["seat"]]
        assert "role" not in seat
        seat["role"] = event["card"]

    def _skill_revealed(self, event: Plain) -> None:
        seat = self.seats[event["seat"]]
        seat["skills_down"] -= 1
        seat["skills_up"].append(event["card"])
        self._sort(seat["skills_up"])
        if event["seat"] == self.viewer:
            self.you["skills_down"].remove(event["card"])

    def _card_opened(self, event: Plain) -> None:
        place = self.table["clock"][event["position"] - 1]
        assert "card" not in place
        place |= {"card": event["card"], "opener": event["seat"]}
        if "case" in event:
            place["case"] = event["case"]
        self.seats[event["seat"]]["opened"] += 1

    def _went(self, card: str, where: str) -> None:
        place = next(place for place in self.table["clock"] if place.get("card") == card)
        assert "went" not in place
        place["went"] = where

    def _card_kept(self, event: Plain) -> None:
        self._went(event["card"], event["cause"])
        zone = "stock" if event["cause"] == "stock" else "items"
        self.seats[event["seat"]][zone].append(event["card"])

    def _card_discarded(self, event: Plain) -> None:
        if event["cause"] in ("event", "dying"):
            self._went(event["card"], "discard")
        else:
            self.seats[event["seat"]]["items"].remove(event["card"])
        self.table["discards"].append(event["card"])

    def _item_moved(self, event: Plain) -> None:
        self.seats[event["giver"]]["items"].remove(event["card"])
        self.seats[event["receiver"]]["items"].append(event["card"])

    def _cross(self, event: Plain) -> None:
        for giver, taker in (("seat", "target"), ("target", "seat")):
            public = event.get(f"{giver}_gave")
            if public is None:
                self.seats[event[giver]]["skills_down"] -= 1
                self.seats[event[taker]]["skills_down"] += 1
            else:
                self.seats[event[giver]]["skills_up"].remove(public)
                self.seats[event[taker]]["skills_up"].append(public)
                self._sort(self.seats[event[taker]]["skills_up"])
            private = event.get(f"{giver}_card")
            assert (private is not None) is (self.viewer in (event["seat"], event["target"]))
            assert private is None or public in (None, private)
            if public is None and event[giver] == self.viewer:
                self.you["skills_down"].remove(private)
            if public is None and event[taker] == self.viewer:
                self.you["skills_down"].append(private)
                self._sort(self.you["skills_down"])
        for me, other in (("seat", "target"), ("target", "seat")):
            if event[me] == self.viewer:
                got, gave = event[f"{other}_card"], event[f"{me}_card"]
                self._see(event, kind="received", card=got, gave=gave, giver=event[other])

    _skills_exchanged = _skills_swapped = _cross

    def _see(self, event: Plain, **seen: Any) -> None:
        found = {"hour": event["hour"], **seen}
        self.you["seen"].append({key: value for key, value in found.items() if value is not None})

    def _peeked(self, event: Plain) -> None:
        assert ("cards" in event) is (event["seat"] == self.viewer)
        if event["seat"] != self.viewer:
            return
        cards: Any = {"cards": event["cards"]}
        if event["what"] == "time":
            cards = {"card": event["cards"][0], "position": event["position"]}
        self._see(event, kind="peeked", what=event["what"], seat=event.get("target"), **cards)

    def _from_leftover(self, event: Plain, sign: int) -> None:
        seat = self.seats[event["seat"]]
        seat["skills_down"] += sign * (event["number"] - len(event["shown"]))
        self.table["leftover"] -= sign * event["number"]
        assert ("cards" in event) is (event["seat"] == self.viewer)
        for card in event["shown"]:
            if sign > 0:
                seat["skills_up"].append(card)
            else:
                seat["skills_up"].remove(card)
        self._sort(seat["skills_up"])
        for card in event.get("cards", ()):
            if card in event["shown"]:
                continue
            if sign > 0:
                self.you["skills_down"].append(card)
            else:
                self.you["skills_down"].remove(card)
        if event["seat"] == self.viewer:
            self._sort(self.you["skills_down"])

    def _leftover_taken(self, event: Plain) -> None:
        self._from_leftover(event, 1)
        if event["seat"] == self.viewer:
            self._see(event, kind="gained", cards=event["cards"])

    def _skills_laid_aside(self, event: Plain) -> None:
        self._from_leftover(event, -1)

    def _skill_drawn(self, event: Plain) -> None:
        mine = event["seat"] == self.viewer
        assert ("card" in event) is ("own" in event) is (mine and event["exchanged"])
        if not event["exchanged"]:
            return
        seat = self.seats[event["seat"]]
        gave, got = event.get("gave"), event.get("got")
        if gave is None:
            seat["skills_down"] -= 1
        else:
            seat["skills_up"].remove(gave)
        if got is None:
            seat["skills_down"] += 1
        else:
            seat["skills_up"].append(got)
        self._sort(seat["skills_up"])
        if mine:
            if gave is None:
                self.you["skills_down"].remove(event["own"])
            if got is None:
                self.you["skills_down"].append(event["card"])
            self._sort(self.you["skills_down"])
            self._see(event, kind="received", card=event["card"], gave=event["own"])

    # --- life, marks and markers ---

    def _life_changed(self, event: Plain) -> None:
        seat = self.seats[event["seat"]]
        assert seat["life"] == event["old"] != event["new"]
        seat["life"] = event["new"]

    def _marker_moved(self, event: Plain) -> None:
        if event["which"] == "current":
            return
        assert self.table.get(event["which"]) == event.get("old") != event.get("new")
        self.table[event["which"]] = event.get("new")
        if event.get("new") is None:
            del self.table[event["which"]]

    def _mark(self, event: Plain, on: bool) -> None:
        mark = "skip" if event["mark"] == "skip" else "protected"
        assert self.seats[event["seat"]][mark] is not on
        self.seats[event["seat"]][mark] = on

    def _marked(self, event: Plain) -> None:
        self._mark(event, True)

    def _unmarked(self, event: Plain) -> None:
        self._mark(event, False)

    def _died(self, event: Plain) -> None:
        seat = self.seats[event["seat"]]
        assert seat["alive"]
        assert seat["life"] == 0
        assert seat["role"] == event["role"]
        assert event["skills"] == seat["skills_down"] + len(seat["skills_up"])
        self.table["removed_up"] = [*self.table["removed_up"], *seat["skills_up"]]
        self._sort(self.table["removed_up"])
        self.table["removed"] += event["skills"]
        seat |= {"alive": False, "skills_up": [], "skills_down": 0, "skip": False}
        seat["protected"] = False
        if event["seat"] == self.viewer:
            self.you["skills_down"] = []
        if "killer" in event:
            self.seats[event["killer"]]["kills"] += 1

    # --- the end ---

    def _first_victory(self, event: Plain) -> None:
        self.table["result"] = {"window": event["window"]}

    def _final_count(self, event: Plain) -> None:
        self.table["result"] = {"counts": event["counts"]}

    def _game_ended(self, event: Plain) -> None:
        result = {"result": event["result"], "winners": event["winners"]}
        self.table["result"] = {**self.table.get("result", {}), **result}

    def _all_revealed(self, event: Plain) -> None:
        shown = {key: value for key, value in event.items() if key not in ("kind", "hour")}
        self.table["revealed"] = shown
