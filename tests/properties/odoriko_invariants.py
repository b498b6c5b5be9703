"""What must hold in every position and every step of odoriko (§19)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import define, evolve, field
from kaguraden_rules.kernel import Act, Event, SeatId, redact
from kaguraden_rules.odoriko import events as e
from kaguraden_rules.odoriko import state as s
from kaguraden_rules.odoriko.faces import PACK
from kaguraden_rules.odoriko.game import Odoriko
from kaguraden_rules.odoriko.lines import ACTION_CAP
from kaguraden_rules.odoriko.options import Options
from kaguraden_rules.odoriko.refs import CardRef
from kaguraden_rules.odoriko.windows import CHAIN_CAP
from kaguraden_rules.plain import structure, to_plain

from tests.properties.odoriko_fold import Fold
from tests.properties.odoriko_play import ODORIKO, Taken
from tests.rules.naive_tally import Seat as NaiveSeat
from tests.rules.naive_tally import naive_total

__all__ = ["Referee"]


def _face(card: str) -> str:
    return card.partition("@")[0]


def _is_character(card: str) -> bool:
    return "@" in card and not _face(card).startswith("ev_")


def _value(card: str) -> int:
    return int(card[:-1]) if card[:-1].isdigit() else 0


def _colour_zone(card: str) -> str:
    return "song" if card[-1] in "HD" else "dance"


def _on_the_way(state: s.State) -> Iterator[CardRef]:
    """Yield the cards that lie in a frame: in use, on offer, received but not in hand yet."""
    for frame in state.stack:
        match frame:
            case s.Use(card=card, step=step, does=does, shown=shown):
                if does is not s.Purpose.SKILL and step is not s.UseStep.TRIGGERS:
                    yield card
                yield from shown
            case s.Sale(lot=lot):
                yield from lot
            case s.Gain(takers=takers):
                for taker in takers:
                    yield from taker.cards


def _phi(state: s.State) -> int:
    """Return the measure of OD-130, which bounds a half."""
    total = 0
    for seat in state.seats:
        decks = (*seat.resource_deck, *seat.character_deck)
        lying = [card.card for card in seat.song + seat.dance]
        total += 3 * len(decks) + 2 * len(seat.hand) + len(lying)
        total += sum(_bonus(card) for card in (*decks, *seat.hand, *lying))
    going = list(_on_the_way(state))
    shown = sum(len(frame.shown) for frame in state.stack if isinstance(frame, s.Use))
    return total + 2 * len(going) + shown + sum(_bonus(card) for card in going)


def _bonus(card: str) -> int:
    if "@" in card:
        return 0 if _is_character(card) else 2
    return 0 if _value(card) else 4


@define
class Referee:
    """Watches one game, step by step, and raises AssertionError where a rule is broken.

    With other cards than those that come with the game two things are not so: that the sum by hand
    knows every scoring term (I-19), and that a half is bounded by what it uses up (OD-130).
    """

    game: Odoriko = ODORIKO
    folds: dict[int | None, Fold] = field(factory=dict)
    vp: Counter[int] = field(factory=Counter)
    by_cause: Counter[tuple[int, str]] = field(factory=Counter)
    tallied: list[tuple[int, int, int]] = field(factory=list)  # half, seat, total
    bids: Counter[int] = field(factory=Counter)
    halves: list[int] = field(factory=list)
    declared: Counter[tuple[int, str]] = field(factory=Counter)
    uses: list[e.CardDeclared | e.SkillDeclared] = field(factory=list)  # going on, last on top
    redirected: dict[str, e.Target] = field(factory=dict)  # by K
    reacted: Counter[tuple[int, int]] = field(factory=Counter)  # window, seat: skills used in it
    cancelled: set[str] = field(factory=set)
    seller: int | None = None
    window: e.WindowOpened | None = None
    decision_ids: set[tuple[int, str]] = field(factory=set)
    open_ids: dict[int, str] = field(factory=dict)
    turns: int = 0  # in this half
    phi: int | None = None
    steps: int = 0

    def watch(self, taken: Taken) -> None:
        """Check a step and the position that it leads to."""
        state = taken.state
        if not self.folds:
            viewers = [None, *range(len(state.seats))]
            self.folds = {viewer: Fold(viewer) for viewer in viewers}
        self.conservation(state)
        self.limits(state)
        self.options(state)
        for event in taken.events:
            self.event(event, state)
        self.asked(state)
        self.accounts(state)
        self.piles(taken)
        self.views(taken)
        if self.game is ODORIKO:
            self.measure(taken)
        self.frames(state)
        if self.steps % 25 == 0 or self.game.outcome(state) is not None:
            assert structure(s.State, to_plain(state)) == state
        self.steps += 1

    # --- positions ---------------------------------------------------------------------------

    def frames(self, state: s.State) -> None:
        """I-7, I-10, OD-111: an action has few frames, a turn few actions; the bottom is an action."""
        if state.stack:
            bottom = state.stack[0]
            assert isinstance(bottom, s.Action)
            assert bottom.frames <= CHAIN_CAP
            assert not any(isinstance(frame, s.Action) for frame in state.stack[1:])
        if isinstance(state.stage, s.Turn):
            assert state.stage.actions_taken + state.stage.actions_left <= ACTION_CAP

    def conservation(self, state: s.State) -> None:
        """I-1, I-2: every card of the pack and of the twelve of each seat is in one place."""
        everywhere = [*state.removed, *_on_the_way(state)]
        for seat in state.seats:
            everywhere += [*seat.hand, *seat.pile, *seat.resource_deck, *seat.character_deck]
            everywhere += [card.card for card in seat.song + seat.dance]
            assert all("@" not in card for card in seat.resource_deck)
            assert all("@" in card for card in seat.character_deck)
        counts = Counter(everywhere)
        assert {card: counts[CardRef(card)] for card in PACK} == dict.fromkeys(PACK, 1)
        brought = Counter(card for card in everywhere if "@" in card)
        expected = Counter(
            f"{card}@{number}" for number, seat in enumerate(state.seats) for card in seat.supplied
        )
        assert brought == expected
        assert all(len(seat.supplied) == 12 for seat in state.seats)

    def limits(self, state: s.State) -> None:
        """I-3, I-4, I-5, I-7: hands, fields, first characters, and an empty stack to act from."""
        for seat in state.seats:
            assert len(seat.hand) <= 4
            kept = 0
            for zone in ("song", "dance"):
                lying = getattr(seat, zone)
                characters = [card for card in lying if _is_character(card.card)]
                assert sum(not card.kept for card in characters) <= 1
                kept += sum(card.kept for card in lying)
                for card in lying:
                    if card not in characters:
                        assert _value(card.card)
                        assert _colour_zone(card.card) == zone
                        assert not card.fc
                        assert not card.kept
            assert kept <= (state.half == 2)
            assert sum(card.fc for card in seat.song + seat.dance) <= 1
        if any(decision.kind == "action" for decision in self.game.decisions(state).values()):
            assert state.stack == ()

    def options(self, state: s.State) -> None:
        """Decision ids never repeat; defaults are listed; K never names an FC (I-5); OD-175."""
        decisions = self.game.decisions(state)
        waits = self.game.waits(state)
        asked = self.game.view(state, None).asked
        assert sorted({seat for wait in waits for seat in wait.seats}) == sorted(asked)
        for wait in waits:
            assert set(wait.pending) <= set(decisions)
        for seat, decision in decisions.items():
            ids = [option.id for option in decision.options]
            assert len(set(ids)) == len(ids)
            assert decision.default in ids
            if self.open_ids.get(seat) != decision.id:
                assert (seat, decision.id) not in self.decision_ids
                self.decision_ids.add((seat, decision.id))
            for option in decision.options:
                if option.kind == "use_k":
                    target: Any = option.args
                    lying = getattr(state.seats[target["seat"]], target["zone"])
                    named = [card for card in lying if _face(card.card) == target["target"]]
                    assert not all(card.fc for card in named) or "#" in target["target"]
        self.open_ids = {seat: decision.id for seat, decision in decisions.items()}

    def asked(self, state: s.State) -> None:
        """I-12, OD-105: whom windows and auctions ask follows from the public view alone."""
        view = self.game.view(state, None)
        rb = {shown.seat: shown.rb for shown in view.seats}
        window, auction = view.table.window, view.table.auction
        if window is not None:
            assert view.turn is not None
            at = view.table.order.index(view.turn) + 1
            by_priority = view.table.order[at:] + view.table.order[:at]
            if self.game is ODORIKO or window.name in ("j", "a"):
                may = self.may_answer(view, state.options)
                assert view.asked == tuple(seat for seat in by_priority if may(seat))
        elif auction is not None and auction.step == "bidding":
            least = auction.price if auction.best is None else auction.best + 1
            gone = {auction.seller, auction.leader, *(auction.passed or ())}
            able = {seat for seat in rb if seat not in gone and rb[seat] >= least}
            assert set(view.asked) <= able
            assert len(view.asked) == 1 or set(view.asked) == able
            polled = state.options.auction_mode == "polled"
            assert not polled or len(view.asked) == 1

    def may_answer(self, view: Any, options: Options) -> Callable[[int], bool]:
        """Return whom the open window asks, by the table of OD-104 and the faces of the nine."""
        window, actions_left = view.table.window, view.table.actions_left
        fields = [list(shown.song + shown.dance) for shown in view.seats]
        any_time = options.special_timing == "any"

        def has(seat: int, *faces: str) -> bool:
            return any(card.card in faces for card in fields[seat])

        def has_free(seat: int) -> bool:
            return any_time and has(seat, "cc006", "cc007", "cc008", "cc009")

        def has_stand_in(seat: int) -> bool:
            target = window.target
            if window.redirected is not None or not target.card.startswith("cc"):
                return False
            others = [card for card in fields[seat] if card.card == "cc004"]
            if (target.seat, target.card) == (seat, "cc004"):
                others.pop()
            return bool(others)

        def may_react(seat: int) -> bool:
            anywhere, own = options.aisha_from == "anywhere", options.aisha_other == "card"
            set_off = any(
                card.card.startswith("cc")
                and (anywhere or card.source in ("song", "dance"))
                and (own or card.pile != seat)
                for card in window.discarded
            )
            ready = sum(card.card == "cc005" for card in fields[seat])
            return set_off and ready > self.reacted[window.window, seat]

        match window.name:
            case "event":
                return lambda seat: (
                    seat != window.seat
                    and (
                        has_free(seat)
                        or (
                            has(seat, "cc001")
                            and any(_value(card.card) >= 8 for card in fields[seat])
                        )
                    )
                )
            case "k":
                return lambda seat: (
                    has_stand_in(seat)
                    or (seat != window.seat and (view.seats[seat].rb > 0 or has_free(seat)))
                )
            case "trigger":
                return may_react
            case "j":
                return lambda seat: view.seats[seat].rb > 0
            case "a":
                return lambda seat: seat == window.seat and view.seats[seat].rb > 0
            case _:
                assert window.name == "free"
                return lambda seat: has_free(seat) and (seat != view.turn or actions_left == 0)

    # --- events ------------------------------------------------------------------------------

    def event(self, event: Event, state: s.State) -> None:
        match event:
            case e.VpChanged(seat, delta, total, cause):
                self.vp[seat] += delta
                self.by_cause[seat, cause] += delta
                assert total == self.vp[seat]
            case e.OrderClosed(bids):
                for bid in bids:
                    self.bids[bid.seat] += bid.value
            case e.Tallied(half, seat, _, shown, total):
                self.tallied.append((half, seat, total))
                self.tally(state, seat, shown, total)
            case e.OrderOpened(half):
                self.halves.append(half)
                if half == 2:
                    self.midway(state)
            case e.TurnStarted():
                self.turns += 1
                assert self.turns <= len(state.seats) * state.options.circuit_limit
            case e.HalfStarted():
                self.turns = 0
            case e.CardDeclared(seat, card):
                self.declared[seat, card] += 1
                self.uses.append(event)
            case e.SkillDeclared(seat):
                self.uses.append(event)
                window = self.window
                if window is not None and window.name == "trigger":
                    self.reacted[window.window, seat] += 1
            case e.SkillResolved(seat, card):
                use = self.uses.pop()
                assert isinstance(use, e.SkillDeclared)
                assert (use.seat, use.card) == (seat, card)
            case e.WindowOpened():
                self.window = event
            case e.WindowClosed():
                self.window = None
            case e.EffectRedirected(card, _, old, new):
                (king,) = (use for use in self.uses if use.card == card)
                assert isinstance(king, e.CardDeclared)
                assert king.target == old
                self.redirected[card] = new
            case e.EffectCancelled(card):
                assert any(use.card == card for use in self.uses)
                self.cancelled.add(card)
            case e.AuctionOpened(seller):
                self.seller = seller
            case e.CardsDiscarded(cards, cause):
                self.discarded(cards, cause)

    def discarded(self, cards: tuple[e.Discarded, ...], cause: str) -> None:
        """OD-11, OD-46, OD-74, OD-78, OD-92, OD-97: whose pile, and by which use."""
        match cause:
            case "played":
                (card,) = cards
                self.declared[card.pile, card.card] -= 1
                assert self.uses.pop().card == card.card
                self.cancelled.discard(card.card)
                self.redirected.pop(card.card, None)
            case "effect":
                use = self.uses[-1]
                assert use.card not in self.cancelled
                self.effect(use, cards)
            case "unsold":
                assert {card.pile for card in cards} == {self.seller}

    def effect(self, use: e.CardDeclared | e.SkillDeclared, cards: tuple[e.Discarded, ...]) -> None:
        """OD-74, OD-149, OD-155, OD-166: what each card may discard."""
        if isinstance(use, e.CardDeclared) and use.card[0] == "K":
            assert use.target is not None
            victim = self.redirected.get(use.card, use.target)
            (card,) = cards
            assert (victim.card, victim.seat, victim.zone) == (card.card, card.pile, card.source)
        elif self.game is not ODORIKO:
            return
        elif use.card == "cc003":
            (card,) = cards
            king = next(other for other in self.uses if other.card[0] == "K")
            assert card.pile == king.seat
            assert card.source in ("song", "dance")
        elif use.card == "cc002":
            (card,) = cards
            assert (card.pile, card.source) == (use.seat, "hand")
        elif use.card == "ev_shijima":
            piles = [card.pile for card in cards]
            assert len(set(piles)) == len(piles)
            assert use.seat not in piles
            assert {card.source for card in cards} == {"hand"}
        elif cards[0].card == use.card:
            assert use.card in ("cc006", "cc007", "cc008", "cc009")
            assert len(cards) == 1
        else:
            assert use.card == "cc006"
            assert len(cards) <= 2
            for card in cards:
                assert card.pile != use.seat
                assert card.card[-1] in "HD"
                assert card.source == "song"

    def tally(self, state: s.State, seat: int, shown: tuple[str, ...], total: int) -> None:
        """I-19: the total is the sum by hand over what is public and the shown hand cards."""
        if self.game is not ODORIKO:
            return
        if state.half == 2 and not isinstance(state.stage, s.Over):
            assert total == 0  # a midway that asked nobody: there are no characters
            return
        seats = [
            NaiveSeat(
                tuple(_face(card.card) for card in owner.song),
                tuple(_face(card.card) for card in owner.dance),
                tuple(_face(card) for card in owner.pile),
                shown if number == seat else (),
            )
            for number, owner in enumerate(state.seats)
        ]
        by_hand = naive_total(
            seats,
            seat,
            single=state.options.others_threshold == "single",
            own=state.options.unscoped == "own",
            resource=state.options.field_cards == "resource",
        )
        assert total == by_hand
        jacks = tuple(c for c in map(_face, state.seats[seat].hand) if c[0] == "J")
        scores_jacks = "cc001" in seats[seat].fields
        assert tuple(shown) == (jacks if scores_jacks else ())

    def midway(self, state: s.State) -> None:
        """I-9: right after it fields and piles are empty but for one character, hands are new."""
        assert [half for half, _, _ in self.tallied] == [1] * len(state.seats)
        for seat in state.seats:
            lying = seat.song + seat.dance
            assert len(lying) <= 1
            assert all(card.kept and _is_character(card.card) for card in lying)
            assert seat.pile == ()
            backs = Counter("@" in card for card in seat.hand)
            assert backs[False] == 1 or not seat.resource_deck
            assert backs[True] == 1 or not seat.character_deck
            assert len(seat.hand) <= 2

    def accounts(self, state: s.State) -> None:
        """I-6, I-7: VP are the sum of their changes; played cards are in their players' piles."""
        for number, seat in enumerate(state.seats):
            assert seat.vp == self.vp[number]
            assert self.by_cause[number, "bid"] == -self.bids[number]
            tallied = sum(total for _, who, total in self.tallied if who == number)
            assert self.by_cause[number, "tally"] == tallied
        if not state.stack:
            assert set(self.declared.values()) <= {0}
            ends_early = isinstance(state.stage, s.Over)  # what was on the stack is left there
            assert self.uses == [] or ends_early

    def piles(self, taken: Taken) -> None:
        """I-17: a card leaves a pile by J or a line that takes or places it, or at midway."""
        moved: Counter[tuple[int, str]] = Counter()
        for event in taken.events:
            match event:
                case e.CardMoved(card, e.Spot(seat, "pile")):
                    moved[seat, card] += 1
                case e.CardsTaken(_, cards):
                    moved.update((origin.seat, origin.card) for origin in cards)
                case e.CardPlaced(by, _, _, placed, "pile", owner):
                    moved[by if owner is None else owner, placed] += 1
        if any(isinstance(event, e.ZonesReturned) for event in taken.events):
            return
        for number, (old, new) in enumerate(
            zip(taken.before.seats, taken.state.seats, strict=True)
        ):
            for left in set(old.pile) - set(new.pile):
                assert moved[number, _face(left)] >= 1

    # --- views -------------------------------------------------------------------------------

    def views(self, taken: Taken) -> None:
        """I-8, I-15, I-16, OD-177, OD-211: each view is the fold of what its viewer was told."""
        public = self.game.view(taken.state, None)
        plain: Any = to_plain(public)
        for viewer, fold in self.folds.items():
            seat = None if viewer is None else SeatId(viewer)
            events: Any = [to_plain(redact(event, seat)) for event in taken.events]
            fold.feed(events)
            view: Any = plain
            if seat is not None:
                seen = self.game.view(taken.state, seat)
                assert evolve(seen, you=None) == public
                view = plain | {"you": to_plain(seen.you)}
            self.compare(view, fold.view(), viewer)
        self.sealed(taken)

    def compare(self, view: Any, folded: Mapping[str, Any], viewer: int | None) -> None:
        if viewer is not None:
            you = {key: view["you"][key] for key in ("hand", "incoming") if key in view["you"]}
            view = view | {"you": you | {"hand": sorted(you["hand"])}}
        for key in {*view, *folded}:
            assert view.get(key) == folded.get(key), f"{key} as viewer {viewer} sees it"

    def sealed(self, taken: Taken) -> None:
        """I-16, OD-106: a sealed answer that leaves others to be heard shows in nobody's view."""
        if not isinstance(taken.input, Act) or taken.events:
            return
        decision = self.game.decisions(taken.before)[taken.input.seat]
        if not decision.sealed:
            return
        for viewer in self.folds:
            if viewer != taken.input.seat:
                seat = None if viewer is None else SeatId(viewer)
                assert self.game.view(taken.before, seat) == self.game.view(taken.state, seat)
                if seat is not None:
                    before = self.game.decisions(taken.before).get(seat)
                    assert before == self.game.decisions(taken.state).get(seat)
        assert self.clock(taken.before) == self.clock(taken.state)

    def clock(self, state: s.State) -> list[tuple[Any, ...]]:
        return [(w.id, w.pace, w.seats, w.minimum) for w in self.game.waits(state)]

    # --- progress ----------------------------------------------------------------------------

    def measure(self, taken: Taken) -> None:
        """I-10, OD-130: Phi never rises within a half and falls in each turn that is not barren."""
        phi = _phi(taken.state)
        if any(isinstance(event, e.OrderOpened) for event in taken.events):
            self.phi = phi  # a new half
        assert self.phi is not None
        assert phi <= self.phi
        before = _phi(taken.before)
        if taken.before.half == taken.state.half:
            assert phi <= before
        turn, now = taken.before.stage, taken.state.stage
        if isinstance(turn, s.Turn) and isinstance(now, s.Turn) and turn.number != now.number:
            ended = next(event for event in taken.events if isinstance(event, e.TurnEnded))
            assert ended.barren or phi < self.phi
            self.phi = phi  # as the next turn begins
