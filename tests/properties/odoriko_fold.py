"""A view of odoriko rebuilt from events alone (I-15, OD-177).

A client that was there from the deal and read every event as its viewer may see it knows the whole
table: this class is such a client. It shares no code with the rules; it works on plain JSON values
as they go over the wire, and its `view` is to be that of the state, key for key.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Fold"]

Plain = Any


def _value(card: str) -> int:
    return int(card[:-1]) if card[:-1].isdigit() else 0


def _is_pack(card: str) -> bool:
    return card[-1] in "SHDC" and (card[:-1] in "AJQK" or card[:-1].isdigit())


def _back(card: str) -> str:
    return "rb" if _is_pack(card) else "cb"


class Fold:
    """What a viewer knows. Feed it the events of each step, then compare `view`."""

    def __init__(self, viewer: int | None) -> None:
        self.viewer = viewer
        self.seats: list[dict[str, Plain]] = []
        self.hand: list[str] = []  # the viewer's own
        self.options: dict[str, Plain] = {}
        self.phase = "order"
        self.half = 1
        self.order: list[int] = []
        self.removed = 0
        self.barren = 0
        self.placed = 0
        self.turn: int | None = None
        self.turn_number = 0
        self.actions_left = 0
        self.midway_due: int | None = None
        self.groups: list[list[int]] = []  # in the order of choosing
        self.bidding = False
        self.janken: dict[str, Plain] | None = None
        self.placing: dict[str, Plain] | None = None
        self.stack: list[dict[str, Plain]] = []
        self.auction: dict[str, Plain] | None = None
        self.window: dict[str, Plain] | None = None
        self.picking: dict[str, Plain] | None = None
        self.gains: dict[int, list[str | None]] = {}  # cards on their way; None: unseen
        self.choosing: list[int] = []
        self.asked: list[int] = []
        self.reason = ""
        self.outcome: dict[str, Plain] | None = None

    # --- feeding -----------------------------------------------------------------------------

    def feed(self, events: list[dict[str, Plain]]) -> None:
        for event in events:
            kind = event["kind"]
            if self.picking is not None:  # whatever happens next, the choice is made
                self.picking, self.asked = None, []
            goes_on = kind in ("gain_opened", "cards_taken", "hand_passed") or (
                kind == "cards_discarded"
                and any(d.get("source") == "gained" for d in event["cards"])
            )
            if self.gains and not self.choosing and not goes_on:
                self._settle([])
            getattr(self, f"_{kind}")(event)
        if self.gains and not self.choosing:
            self._settle([])

    def _game_opened(self, event: Plain) -> None:
        self.options = event["options"]
        self.seats = [
            {
                "vp": 0,
                "rb": 0,
                "cb": 0,
                "song": [],
                "dance": [],
                "pile": [],
                "resource_deck": 0,
                "character_deck": 0,
            }
            for _ in event["seats"]
        ]

    def _dealt(self, event: Plain) -> None:
        self.removed = event["removed"]
        for sizes in event["decks"]:
            seat = self.seats[sizes["seat"]]
            seat["resource_deck"], seat["character_deck"] = sizes["resource"], sizes["character"]

    # turn order

    def _order_opened(self, event: Plain) -> None:
        self.phase, self.half, self.bidding = "order", event["half"], True
        self.order, self.turn, self.turn_number = [], None, 0
        self.barren, self.midway_due = 0, None
        for seat in self.seats:
            seat.pop("place", None)
            seat["bid"], seat["locked"] = None, False
        self._ask_unlocked()

    def _ask_unlocked(self) -> None:
        self.asked = [i for i, seat in enumerate(self.seats) if not seat["locked"]]

    def _bid_declared(self, event: Plain) -> None:
        self.seats[event["seat"]]["bid"] = event["value"]
        for seat in self.seats:
            seat["locked"] = False
        self._ask_unlocked()

    def _bid_locked(self, event: Plain) -> None:
        self.seats[event["seat"]]["locked"] = True
        self._ask_unlocked()

    def _order_closed(self, event: Plain) -> None:
        self.bidding = False
        bids = {bid["seat"]: bid["value"] for bid in event["bids"]}
        for bid in event["bids"]:
            assert self.seats[bid["seat"]]["vp"] == bid["vp"]
        highest = self.options["order_pick"] == "highest"
        self.groups = [
            [seat for seat in sorted(bids) if bids[seat] == value]
            for value in sorted(set(bids.values()), reverse=highest)
        ]
        for seat in self.seats:
            del seat["bid"], seat["locked"]
        self._place_next()

    def _janken_opened(self, event: Plain) -> None:
        self.janken = {"group": event["group"], "repeat": event["repeat"]}
        self.asked = event["group"]
        assert event["group"] == next(g for g in self.groups if len(g) > 1)

    def _janken_shown(self, event: Plain) -> None:
        self.janken = None
        hands = {shown["seat"]: shown["choice"] for shown in event["choices"]}
        beats = {"rock": "scissors", "scissors": "paper", "paper": "rock"}
        kinds = set(hands.values())
        winners = [s for s in hands if len(kinds) == 2 and beats[hands[s]] in kinds]
        assert event["winners"] == winners
        if winners:
            at = self.groups.index(list(hands))
            losers = [seat for seat in hands if seat not in winners]
            self.groups[at : at + 1] = [winners, losers]
        self._place_next()

    def _janken_drawn(self, event: Plain) -> None:
        at = self.groups.index(sorted(event["order"]))
        self.groups[at : at + 1] = [[seat] for seat in event["order"]]
        self._place_next()

    def _place_next(self) -> None:
        if all(len(group) == 1 for group in self.groups):
            taken = [seat.get("place") for seat in self.seats]
            queue = [group[0] for group in self.groups if "place" not in self.seats[group[0]]]
            free = [p for p in range(1, len(self.seats) + 1) if p not in taken]
            self.placing = {"queue": queue, "free": free}
            self.asked = queue[:1]

    def _place_chosen(self, event: Plain) -> None:
        self.seats[event["seat"]]["place"] = event["place"]
        self._place_next()

    def _order_set(self, event: Plain) -> None:
        self.placing = None
        self.order = event["order"]
        places = sorted(range(len(self.seats)), key=lambda seat: self.seats[seat]["place"])
        assert self.order == places

    # turns

    def _refresh(self, *limits: str) -> None:
        """Let skills with such a limit be used again."""
        for seat in self.seats:
            for card in seat["song"] + seat["dance"]:
                if card.get("spent") in limits:
                    del card["spent"]

    def _half_started(self, event: Plain) -> None:
        assert (event["half"], self.turn_number) == (self.half, 0)

    def _turn_started(self, event: Plain) -> None:
        self.phase, self.turn = "turns", event["seat"]
        self.turn_number += 1
        self._refresh("turn")
        self.actions_left = event["actions"]
        assert self.turn == self.order[(self.turn_number - 1) % len(self.order)]

    def _turn_ended(self, event: Plain) -> None:
        self.barren = self.barren + 1 if event["barren"] else 0

    def _actions_changed(self, event: Plain) -> None:
        self.actions_left = event["left"]

    # cards

    def _leaves_hand(self, seat: int, card: str) -> None:
        self.seats[seat][_back(card)] -= 1
        if seat == self.viewer:
            self.hand.remove(card)

    def _enters_hand(self, seat: int, card: str) -> None:
        self.seats[seat][_back(card)] += 1
        if seat == self.viewer:
            self.hand.append(card)

    def _card_drawn(self, event: Plain) -> None:
        seat = self.seats[event["seat"]]
        assert seat[f"{event['deck']}_deck"] == event["left"] + 1
        seat[f"{event['deck']}_deck"] = event["left"]
        if "overflow" in event:
            return
        seat["rb" if event["deck"] == "resource" else "cb"] += 1
        assert ("card" in event) is (event["seat"] == self.viewer)
        if event["seat"] == self.viewer:
            self.hand.append(event["card"])

    def _card_placed(self, event: Plain) -> None:
        owner = event.get("owner", event["by"])
        match event["source"]:
            case "hand":
                self._leaves_hand(owner, event["card"])
            case "pile":
                self.seats[owner]["pile"].remove(event["card"])
            case source:
                assert source == "shown"
                self._leaves_shown(event["card"])
        seat = self.seats[event["seat"]]
        seat[event["zone"]].append({"card": event["card"]})
        if _value(event["card"]):
            self.placed += self.half == 2 and event["source"] != "pile"
        elif event["by"] == event["seat"]:
            self._places_character(event["seat"])

    def _places_character(self, number: int) -> None:
        if not self.seats[number].get("fc_placed"):
            self.seats[number]["fc_placed"] = True
            self._note_midway()

    def _note_midway(self) -> None:
        count = len(self.seats)
        if self.half == 1 and all(seat.get("fc_placed") for seat in self.seats):
            if self.options["midway_circuit"] == "full":
                self.midway_due = self.turn_number + count
            else:
                self.midway_due = (self.turn_number + count - 1) // count * count

    def _lying(self, event: Plain, seat: int, zone: str) -> dict[str, Plain]:
        """Return the card on a field that an event means.

        There is one, but in the middle of an exchange of two copies; then it is the older one.
        """
        kept = bool(event.get("kept"))
        found: dict[str, Plain] = next(
            card
            for card in self.seats[seat][zone]
            if card["card"] == event["card"] and bool(card.get("kept")) is kept
        )
        return found

    def _fc_set(self, event: Plain) -> None:
        seat = self.seats[event["seat"]]
        assert not any(card.get("fc") for card in seat["song"] + seat["dance"])
        self._lying(event, event["seat"], event["zone"])["fc"] = True

    def _fc_lost(self, event: Plain) -> None:
        seat = self.seats[event["seat"]]
        (card,) = (card for card in seat["song"] + seat["dance"] if card.get("fc"))
        assert card.pop("card") == event["card"]
        card.pop("fc")
        card["card"] = event["card"]

    def _card_moved(self, event: Plain) -> None:
        source, to, card = event["source"], event["to"], event["card"]
        entry: dict[str, Plain] = {"card": card}
        match source["zone"]:
            case "pile":
                self.seats[source["seat"]]["pile"].remove(card)
            case "shown":
                self._leaves_shown(card)
            case zone:
                entry = self._lying(event, source["seat"], zone)
                self.seats[source["seat"]][zone].remove(entry)
        match to["zone"]:
            case "hand":
                self._enters_hand(to["seat"], card)
            case zone:
                if event.get("unmarked"):
                    assert "fc" not in entry  # told before
                    entry = {"card": card}
                self.seats[to["seat"]][zone].append(entry)
                comes_in = _value(card) == 0 and source["seat"] != to["seat"]
                if comes_in and to["seat"] == self.stack[-1]["seat"]:
                    self._places_character(to["seat"])

    def _card_declared(self, event: Plain) -> None:
        self._leaves_hand(event["seat"], event["card"])
        shown = {k: event[k] for k in ("card", "seat", "target", "takes") if k in event}
        self.stack.append(shown)

    def _skill_declared(self, event: Plain) -> None:
        card = self._lying(event, event["seat"], event["zone"])
        if "spent" in event:
            card["spent"] = event["spent"]
        self.stack.append({"card": event["card"], "seat": event["seat"], "skill": True})

    def _skill_resolved(self, event: Plain) -> None:
        top = self.stack.pop()
        assert (top["card"], top["seat"], top["skill"]) == (event["card"], event["seat"], True)
        assert "shown" not in top

    def _pick_opened(self, event: Plain) -> None:
        assert (self.stack[-1]["card"], self.stack[-1]["seat"]) == (event["card"], event["seat"])
        self.window = None  # one that is answered lies below
        self.picking = {k: event[k] for k in ("seat", "card", "holders") if k in event}
        self.asked = event["asked"]

    def _leaves_shown(self, card: str) -> None:
        self.stack[-1]["shown"].remove(card)
        if not self.stack[-1]["shown"]:
            del self.stack[-1]["shown"]

    def _deck_shown(self, event: Plain) -> None:
        seat = self.seats[event["seat"]]
        assert seat[f"{event['deck']}_deck"] == event["left"] + len(event["cards"])
        seat[f"{event['deck']}_deck"] = event["left"]
        top = self.stack[-1]
        assert top["seat"] == event["seat"]
        top["shown"] = [*top.get("shown", []), *event["cards"]]

    def _deck_shuffled(self, event: Plain) -> None:
        top, back = self.stack[-1], {"resource": "rb", "character": "cb"}[event["deck"]]
        returned = [card for card in top["shown"] if _back(card) == back]
        for card in returned:
            self._leaves_shown(card)
        seat = self.seats[event["seat"]]
        seat[f"{event['deck']}_deck"] += len(returned)
        assert seat[f"{event['deck']}_deck"] == event["size"]

    def _cards_taken(self, event: Plain) -> None:
        for card in event["cards"]:
            match card["zone"]:
                case "pile":
                    self.seats[card["seat"]]["pile"].remove(card["card"])
                case "shown":
                    self._leaves_shown(card["card"])
                case zone:
                    self.seats[card["seat"]][zone].remove(self._lying(card, card["seat"], zone))
        self.gains.setdefault(event["seat"], []).extend(card["card"] for card in event["cards"])

    def _hand_passed(self, event: Plain) -> None:
        giver, receiver = event["giver"], event["receiver"]
        assert ("cards" in event) is (self.viewer in (giver, receiver))
        backs = {"rb": event["resource"], "cb": event["character"]}
        unseen: list[str | None] = [back for back, n in backs.items() for _ in range(n)]
        cards = event.get("cards", unseen)
        if "cards" in event:
            assert {back: sum(_back(card) == back for card in cards) for back in backs} == backs
        for back, n in backs.items():
            self.seats[giver][back] -= n
        if giver == self.viewer:
            for card in cards:
                self.hand.remove(card)
        self.gains.setdefault(receiver, []).extend(cards)

    def _hand_shown(self, event: Plain) -> None:
        assert ("cards" in event) is (event["viewer"] == self.viewer)
        if "cards" in event:
            shown = self.seats[event["seat"]]
            assert len(event["cards"]) == shown["rb"] + shown["cb"]

    def _cards_discarded(self, event: Plain) -> None:
        gained = [card for card in event["cards"] if card["source"] == "gained"]
        if gained:
            self._settle(gained)
        for card in event["cards"]:
            seat = self.seats[card["pile"]]
            match card["source"]:
                case "hand":
                    self._leaves_hand(card["pile"], card["card"])
                case "song" | "dance":
                    zone = seat[card["source"]]
                    zone.remove(self._lying(card, card["pile"], card["source"]))
                case "stack":
                    assert self.stack.pop()["card"] == card["card"]
                case "lot":
                    assert event["cause"] == "unsold"
                case "shown":
                    self._leaves_shown(card["card"])
                case other:
                    assert other in ("deck", "gained")
            seat["pile"].append(card["card"])
        if event["cause"] == "unsold":
            self.auction = None

    def _mark_set(self, event: Plain) -> None:
        seat = self.seats[event["seat"]]
        if event["mark"] == "frozen":
            seat.setdefault("frozen", {}).setdefault(event["zone"], []).append(event["by"])
        else:
            card = self._lying(event, event["seat"], event["zone"])
            card.setdefault("sheltered", []).append(event["by"])

    def _mark_ended(self, event: Plain) -> None:
        seat = self.seats[event["seat"]]
        if event["mark"] == "frozen":
            del seat["frozen"][event["zone"]]
        else:
            del self._lying(event, event["seat"], event["zone"])["sheltered"]

    def _vp_changed(self, event: Plain) -> None:
        seat = self.seats[event["seat"]]
        seat["vp"] += event["delta"]
        assert seat["vp"] == event["total"]

    # windows

    def _window_opened(self, event: Plain) -> None:
        self.window = {k: v for k, v in event.items() if k not in ("kind", "asked")}
        self.asked = event["asked"]

    def _window_closed(self, event: Plain) -> None:
        self.window = None

    def _effect_redirected(self, event: Plain) -> None:
        king = next(e for e in reversed(self.stack) if e["card"] == event["card"])
        assert king["target"] == event["old"]
        king["redirected"] = event["new"]

    def _actions_capped(self, event: Plain) -> None:
        assert event["cap"] == 8
        assert event["seat"] == self.turn

    def _effect_cancelled(self, event: Plain) -> None:
        next(e for e in reversed(self.stack) if e["card"] == event["card"])["cancelled"] = True

    def _effect_fizzled(self, event: Plain) -> None:
        assert any(entry["card"] == event["card"] for entry in self.stack)

    def _chain_capped(self, event: Plain) -> None:
        pass

    # auctions

    def _auction_opened(self, event: Plain) -> None:
        for card in event["lot"]:
            self._leaves_hand(event["seller"], card)
        shown = {k: event[k] for k in ("seller", "lot", "price_kind", "price")}
        self.auction = shown | {"step": "bidding"}
        self.asked = event["asked"]

    def _auction_bid(self, event: Plain) -> None:
        assert self.auction is not None
        self.auction |= {"best": event["number"], "leader": event["seat"]}
        self.asked = event["asked"]

    def _auction_passed(self, event: Plain) -> None:
        assert self.auction is not None
        self.auction.setdefault("passed", [])
        self.auction["passed"] = [*self.auction["passed"], event["seat"]]
        self.asked = event["asked"]

    def _auction_closed(self, event: Plain) -> None:
        assert self.auction is not None
        assert self.auction.get("leader") == event.get("winner")
        self.auction["step"] = "payment" if "winner" in event else "unsold"
        self.asked = [event["winner"]] if "winner" in event else []

    def _cards_exchanged(self, event: Plain) -> None:
        assert self.auction is not None
        seller, winner = event["seller"], event["winner"]
        if "payment" in event:
            assert self.viewer in (seller, winner)
        payment = event.get("payment", event.get("shown", [None] * event["number"]))
        assert len(payment) == event["number"]
        self.seats[winner]["rb"] -= event["number"]
        if winner == self.viewer:
            for card in payment:
                self.hand.remove(card)
        self.gains = {winner: list(event["lot"]), seller: list(payment)}
        self.auction |= {"step": "receiving", "lot": []}

    def _gain_opened(self, event: Plain) -> None:
        self.window = None
        self.choosing = self.asked = event["asked"]

    def _settle(self, overflow: list[dict[str, Plain]]) -> None:
        """Let what was received enter the hands, but for what overflowed."""
        for seat, cards in self.gains.items():
            for card in cards:
                self.seats[seat][self._back_of(card)] += 1
            staying = list(cards)
            for gone in overflow:
                if gone["pile"] == seat:
                    self.seats[seat][_back(gone["card"])] -= 1
                    if seat == self.viewer:
                        staying.remove(gone["card"])
            if seat == self.viewer:
                self.hand += [str(card) for card in staying]
        self.gains, self.choosing, self.auction = {}, [], None

    def _back_of(self, card: str | None) -> str:
        """Return the back of a card on its way; unseen ones stand there as their backs."""
        if card is None:
            return "rb"  # an unseen payment
        return card if card in ("rb", "cb") else _back(card)

    def _lot_recovered(self, event: Plain) -> None:
        for card in event["cards"]:
            self._enters_hand(event["seller"], card)
        self.auction = None

    # tallies, midway, end

    def _tally(self, event: Plain) -> None:
        assert sum(term["vp"] for term in event["terms"]) == event["total"]
        assert event["half"] == self.half
        if event["seat"] == self.viewer:
            assert set(event["shown"]) <= set(self.hand)
        if self.half == 1:
            self.phase, self.turn = "midway", None
            self.asked = [
                i
                for i, seat in enumerate(self.seats)
                if any(not _value(card["card"]) for card in seat["song"] + seat["dance"])
            ]

    def _kept(self, event: Plain) -> None:
        self._refresh("turn", "half")
        self._lying(event, event["seat"], event["zone"])["kept"] = True

    def _zones_returned(self, event: Plain) -> None:
        seat = self.seats[event["seat"]]
        seat |= {"rb": 0, "cb": 0, "pile": []}
        assert not seat.pop("frozen", None)
        seat["resource_deck"], seat["character_deck"] = event["resource"], event["character"]
        for zone in ("song", "dance"):
            seat[zone] = [card for card in seat[zone] if card.get("kept")]
        if event["seat"] == self.viewer:
            self.hand = []

    def _stalemate(self, event: Plain) -> None:
        assert event["half"] == self.half
        assert event["reason"] != "barren" or self.barren >= len(self.seats)
        self.reason = event["reason"]

    def _final_triggered(self, event: Plain) -> None:
        assert event["count"] == self._counted() >= 20
        self.reason = "final"

    def _ranked(self, event: Plain) -> None:
        self.phase, self.turn, self.asked = "over", None, []
        self.outcome = {"ranking": event["ranking"], "reason": self.reason}

    # --- the view ----------------------------------------------------------------------------

    def _resources(self) -> int:
        return sum(
            _value(card["card"]) > 0 for seat in self.seats for card in seat["song"] + seat["dance"]
        )

    def _counted(self) -> int:
        return self.placed if self.options["final_count"] == "placed" else self._resources()

    def view(self) -> dict[str, Plain]:
        """Return the view as the wire has it, without what only options tell (`you`)."""
        view: dict[str, Plain] = {
            "game": "odoriko",
            "phase": self.phase,
            "seats": [self._seat(i) for i in range(len(self.seats))],
            "table": self._table(),
            "asked": self._asked(),
        }
        if self.turn is not None:
            view["turn"] = self.turn
        if self.outcome is not None:
            view["outcome"] = self.outcome
        if self.viewer is not None:
            view["you"] = {"hand": sorted(self.hand)}
            if self.viewer in self.gains:
                view["you"]["incoming"] = self.gains[self.viewer]
        return view

    def _asked(self) -> list[int]:
        waiting = self.window or self.auction or self.choosing or self.picking
        if self.phase == "turns" and not waiting:
            assert self.turn is not None
            return [self.turn]
        return self.asked

    def _seat(self, number: int) -> dict[str, Plain]:
        seat = self.seats[number]
        shown = {key: value for key, value in seat.items() if value is not None}
        if not shown.get("locked"):
            shown.pop("locked", None)
        shown["seat"] = number
        for zone in ("song", "dance"):
            shown[f"{zone}_tree"] = sum(_value(card["card"]) for card in seat[zone])
            shown[zone] = [self._lying_shown(card) for card in seat[zone]]
        frozen = shown.pop("frozen", None)
        return (
            shown | {"frozen": [zone for zone in ("song", "dance") if zone in frozen]}
            if frozen
            else shown
        )

    def _lying_shown(self, card: dict[str, Plain]) -> dict[str, Plain]:
        """Return a card on a field as the view has it: marks are there or not."""
        marks = {mark: True for mark in ("fc", "kept", "sheltered") if card.get(mark)}
        if card.get("spent") and self.phase == "turns":
            marks["spent"] = True
        return {"card": card["card"], **marks}

    def _table(self) -> dict[str, Plain]:
        table: dict[str, Plain] = {
            "half": self.half,
            "order": self.order,
            "lying": self._resources(),
            "counted": self._counted(),
            "lying_end": 20,
            "barren": self.barren,
            "removed": self.removed,
            "stack": self.stack,
        }
        if self.phase == "turns":
            table |= {"turn_number": self.turn_number, "actions_left": self.actions_left}
            if self.midway_due is not None:
                table["midway_after"] = self.midway_due - self.turn_number + 1
        parts = {
            "auction": self.auction,
            "window": self.window,
            "picking": self.picking,
            "janken": self.janken,
            "placing": self.placing,
        }
        return table | {name: part for name, part in parts.items() if part is not None}
