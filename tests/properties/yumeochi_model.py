"""yumeochi a second time, from the rules document alone, to hold the machine against.

The machine keeps every position as a value and steps between questions; this is one generator that
plays from the deal to the end and asks where the rules ask. It reads the cards as their file writes
them (YU-93 to YU-97) and shares no code with the machine. It is slow and checks nothing; it only
says what must be so.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from typing import Any, Final, TypeAlias

from attrs import define, field, frozen
from kaguraden_rules.yumeochi.card import CardSet
from kaguraden_rules.yumeochi.options import Options

__all__ = ["Answers", "Ask", "Choice", "Deal", "Model", "Place"]

SEATS: Final = range(4)
FULL: Final = 5

Card: TypeAlias = Mapping[str, Any]


@frozen
class Choice:
    """An option: its kind and arguments."""

    kind: str
    args: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, kind: str, args: Mapping[str, Any] | None = None) -> Choice:
        return cls(kind, tuple(sorted((args or {}).items())))

    def __getitem__(self, name: str) -> Any:
        return dict(self.args).get(name)


@frozen
class Ask:
    """A question: what each seat that is asked may answer, the default, and who acts meanwhile."""

    kind: str
    options: Mapping[int, tuple[Choice, ...]]
    default: Mapping[int, Choice]
    turn: int | None = None


Answers: TypeAlias = "Mapping[int, Choice]"
Play: TypeAlias = Generator[Ask, Answers, None]


@frozen
class Deal:
    """What chance decides (YU-11). `first` is None while it is to be named."""

    roles: tuple[str, ...]
    skills: tuple[str, ...]
    leftover: tuple[str, ...]
    clock: tuple[str, ...]
    first: int
    lives: tuple[int, ...]


@define
class Place:
    """A seat and what lies in front of it."""

    role: str
    skills: dict[str, bool]  # whether each is face up
    life: int = FULL
    dead: bool = False
    role_up: bool = False
    items: list[str] = field(factory=list)
    stock: list[str] = field(factory=list)
    opened: int = 0
    kills: int = 0
    uses: Counter[str] = field(factory=Counter)
    skip: bool = False
    protected: bool = False
    seen: list[tuple[str, Any]] = field(factory=list)
    attacker: int | None = None  # whose attack was the last damage


@define
class Hour:
    """A position of the clock."""

    card: str
    down: bool = True
    opener: int | None = None
    went: str | None = None


class Over(Exception):
    """The game has ended."""


@define
class Act:
    """Whose resolution it is, what was picked, and what it comes from."""

    me: int
    source: str  # card id
    attack: bool  # of a skill, an item or an additional action (YU-72)
    target: int | None = None
    item: str | None = None
    own_item: str | None = None
    role: str | None = None
    positions: tuple[int, ...] = ()
    skill: str | None = None
    target_skill: str | None = None
    hour: int = 0


class Model:
    """One game of a match; `run` plays it."""

    def __init__(self, options: Options, deal: Deal, game_no: int) -> None:
        self.options, self.game_no = options, game_no
        cards: CardSet = options.cards
        self.cards: dict[str, Card] = {
            card.id: card.plain for card in (*cards.roles, *cards.skills, *cards.times)
        }
        self.role_order = [card.id for card in cards.roles]
        self.skill_order: list[str] = [card.id for card in cards.skills]
        self.pool = [
            r.id for r in cards.roles if r.plain.get("base", False) or r.id in options.roles
        ]
        self.seats = [
            Place(role, {skill: False}, life)
            for role, skill, life in zip(deal.roles, deal.skills, deal.lives, strict=True)
        ]
        self.leftover: dict[str, bool] = dict.fromkeys(deal.leftover, False)
        self.clock = [Hour(card) for card in deal.clock]
        self.first = deal.first
        self.hour = 1
        self.order: list[int] = []
        self.acted: list[int] = []
        self.turn: int | None = None
        self.tried: list[int] = []  # who has refused in this turn
        self.proposed: tuple[int, int, str] | None = None  # who, to whom, which card
        self.start: int | None = None
        self.origin: int | None = None
        self.used: set[str] = set()
        self.locked: set[str] = set()
        self.removed: list[str] = []
        self.discards: list[str] = []
        self.dying: list[int] = []
        self.result: dict[str, Any] | None = None

    # --- the course of the game ---

    def run(self) -> Play:
        """Play the game; what it asks is yielded, what is answered is sent in."""
        try:
            if self.options.first_holder == "named":
                named = tuple(Choice.of("seat", {"seat": seat}) for seat in SEATS)
                anyone = Choice.of("random")
                answer = yield Ask("first_holder", {0: (*named, anyone)}, {0: anyone})
                self.first = self.first if answer[0] == anyone else answer[0]["seat"]
            self.start = self.origin = self.first
            while True:
                yield from self.phase()
                if self.hour == 12:
                    self.count()
                yield from self.stroke()
        except Over:
            self.turn = None

    def phase(self) -> Play:
        """YU-24: the order is fixed when the phase begins."""
        assert self.origin is not None
        self.order = self.round(self.origin)
        self.acted, self.used, self.locked = [], set(), set()
        for seat in self.order:
            place = self.seats[seat]
            if not place.dead:
                place.protected = False
                if place.skip:
                    place.skip = False
                else:
                    yield from self.take_turn(seat)
            self.acted.append(seat)
            self.turn = None
        self.window("phase_end")
        self.origin = self.start

    def stroke(self) -> Play:
        """YU-27: steps 4 to 7."""
        self.hour += 1
        self.window("hour_becomes")
        assert self.origin is not None
        for seat in self.round(self.origin):
            for item in list(self.seats[seat].items):
                trigger = self.cards[item].get("trigger")
                if self.seats[seat].dead or trigger is None or self.hour not in trigger["hours"]:
                    continue
                if self.seats[seat].life <= 0:
                    continue
                act = Act(seat, item, attack=True, hour=self.hour)
                yield from self.effects(trigger["effects"], act)
                if trigger.get("after", "discard") == "discard" and item in self.seats[seat].items:
                    self.seats[seat].items.remove(item)
                    self.discards.append(item)
        self.bury(self.origin)

    def take_turn(self, seat: int) -> Play:
        """YU-28: steps 2 to 5."""
        self.turn = seat
        self.tried = []
        while True:
            options = tuple(self.turn_options(seat))
            pass_ = Choice.of("pass")
            answers = yield Ask("turn", {seat: options}, {seat: pass_}, turn=seat)
            choice = answers[seat]
            if choice.kind != "exchange":
                yield from self.carry_out(seat, choice)
                break
            partner, card = choice["seat"], choice["card"]
            own = self.in_order(self.seats[partner].skills)
            refuse = Choice.of("refuse")
            agree = tuple(Choice.of("agree", {"card": c}) for c in own)
            ask = Ask("consent", {partner: (refuse, *agree)}, {partner: refuse}, turn=seat)
            self.proposed = seat, partner, card
            answer = (yield ask)[partner]
            self.proposed = None
            if answer.kind == "agree":
                self.trade(seat, card, partner, answer["card"])
                break
            self.tried.append(partner)
            if self.options.exchange_refused == "spends":
                break
        self.bury(seat)
        self.window("after_action")

    def carry_out(self, seat: int, choice: Choice) -> Play:
        me = self.seats[seat]
        match choice.kind:
            case "open":
                yield from self.open(self.hour, Act(seat, "", attack=False, hour=self.hour))
            case "take":
                self.start = seat
            case "give":
                me.items.remove(choice["card"])
                self.seats[choice["seat"]].items.append(choice["card"])
            case "use" if choice["source"] == "skill":
                card = choice["card"]
                me.skills[card] = True
                self.used.add(card)
                me.uses[card] += 1
                yield from self.ability(self.cards[card], self.acting(seat, card, choice))
            case "use":
                card = choice["card"]
                me.uses[card] += 1
                yield from self.ability(self.cards[card]["use"], self.acting(seat, card, choice))
                me.items.remove(card)
                self.discards.append(card)
            case "action":
                me.role_up = True
                me.uses[me.role] += 1
                act = self.acting(seat, me.role, choice)
                yield from self.ability(self.cards[me.role]["action"], act)

    def acting(self, seat: int, source: str, choice: Choice) -> Act:
        args = dict(choice.args)
        return Act(
            seat,
            source,
            attack=True,
            target=args.get("seat"),
            item=args.get("item"),
            own_item=args.get("own_item"),
            role=args.get("role"),
            positions=tuple(args[n] for n in ("position", "position2") if n in args),
            skill=args.get("skill"),
            target_skill=args.get("target_skill"),
            hour=self.hour,
        )

    def trade(self, a: int, card_a: str, b: int, card_b: str) -> None:
        """Exchange two skills, faces unchanged."""
        up_a, up_b = self.seats[a].skills.pop(card_a), self.seats[b].skills.pop(card_b)
        self.seats[a].skills[card_b], self.seats[b].skills[card_a] = up_b, up_a
        self.saw(a, "received", card_b)
        self.saw(b, "received", card_a)

    def saw(self, seat: int, kind: str, what: Any) -> None:
        self.seats[seat].seen.append((kind, what))

    # --- what may be done ---

    def turn_options(self, seat: int) -> Iterable[Choice]:
        me = self.seats[seat]
        if self.clock[self.hour - 1].down:
            yield Choice.of("open")
        for card in self.in_order(me.skills):
            if card in self.used or card in self.locked:
                continue
            for picks in self.picks(self.cards[card], seat, card):
                yield Choice.of("use", {"card": card, "source": "skill", **picks})
        for card in me.items:
            if "use" in self.cards[card]:
                for picks in self.picks(self.cards[card]["use"], seat, card):
                    yield Choice.of("use", {"card": card, "source": "item", **picks})
        if self.start != seat:
            yield Choice.of("take")
        others = [s for s in self.round(seat) if s != seat and not self.seats[s].dead]
        for card, other in itertools.product(me.items, others):
            yield Choice.of("give", {"card": card, "seat": other})
        if len(self.tried) < self.options.exchange_proposals:
            for other, card in itertools.product(others, me.skills):
                if other not in self.tried:
                    yield Choice.of("exchange", {"seat": other, "card": card})
        if "action" in self.cards[me.role]:
            for picks in self.picks(self.cards[me.role]["action"], seat, me.role):
                yield Choice.of("action", picks)
        yield Choice.of("pass")

    def picks(self, ability: Card, seat: int, card: str) -> Iterable[dict[str, Any]]:
        """Yield every way to pick, nothing where a condition fails (YU-36, YU-48)."""
        if not self.all_hold(self.untargeted(ability), seat, None, card):
            return
        yield from self.pick_on(list(ability.get("pick", ())), ability, seat, card, {})

    def untargeted(self, ability: Card) -> list[Card]:
        return [c for c in ability.get("when", ()) if c.get("who") != "target"]

    def pick_on(
        self, rest: list[Card], ability: Card, seat: int, card: str, got: dict[str, Any]
    ) -> Iterable[dict[str, Any]]:
        if not rest:
            if self.all_hold(ability.get("when", ()), seat, got.get("seat"), card):
                yield got
            return
        for more in self.candidates(rest[0], seat, card, got):
            yield from self.pick_on(rest[1:], ability, seat, card, {**got, **more})

    def candidates(
        self, pick: Card, seat: int, card: str, got: Mapping[str, Any]
    ) -> Iterable[dict[str, Any]]:
        target: int | None = got.get("seat")
        if "seat" in pick:
            for other in self.round(seat):
                if self.seats[other].dead or (pick["seat"] == "other" and other == seat):
                    continue
                if self.all_hold(pick.get("where", ()), seat, other, card):
                    yield {"seat": other}
        elif "item" in pick and pick["item"] == "target":
            assert target is not None
            for item in self.seats[target].items:
                if item != card:
                    yield {"item": item}
        elif "item" in pick:
            for item in self.seats[seat].items:
                if item != card:
                    yield {"own_item": item}
        elif "role" in pick:
            shown = {place.role for place in self.seats if place.role_up}
            for role in self.pool:
                if role not in shown:
                    yield {"role": role}
        elif "hour" in pick:
            for position, hour in enumerate(self.clock, 1):
                when = pick["hour"]
                fits = when == "any" or (position >= self.hour) is (when == "later")
                if not hour.down or not fits:
                    continue
                if "position" not in got:
                    yield {"position": position}
                elif position != got["position"]:
                    yield {"position2": position}
        elif pick["skill"] == "self":
            for skill in self.in_order(self.seats[seat].skills):
                yield {"skill": skill}
        else:
            assert target is not None
            for skill, up in self.seats[target].skills.items():
                if up:
                    yield {"target_skill": skill}
            if not all(self.seats[target].skills.values()):
                yield {"target_skill": "face_down"}

    # --- conditions (YU-95) ---

    def all_hold(
        self, conditions: Iterable[Card], me: int, target: int | None, ability: str, at: int = 0
    ) -> bool:
        return all(self.holds(c, me, target, ability, at) for c in conditions)

    def holds(self, c: Card, me: int, target: int | None, ability: str, at: int = 0) -> bool:
        """Tell whether a condition holds; `at` is the hour that an opened card goes by (YU-50)."""
        who = target if c.get("who") == "target" else me
        assert who is not None
        place = self.seats[who]
        living = [s for s in SEATS if not self.seats[s].dead]
        match c["test"]:
            case "role_open":
                return place.role_up is c.get("is", True)
            case "marker":
                holder = self.start if c["which"] == "start" else self.origin
                return bool((holder == who) is c.get("is", True))
            case "card_down":
                return self.is_down(c["at"]) is c.get("is", True)
            case "hour" if "in" in c:
                return (at or self.hour) in c["in"]
        number: int = {
            "hour": lambda: at or self.hour,
            "life": lambda: place.life,
            "items": lambda: len(place.items),
            "event_stock": lambda: len(place.stock),
            "stars": lambda: self.public_stars(who),
            "opened": lambda: place.opened,
            "kills": lambda: place.kills,
            "skills": lambda: len(place.skills),
            "uses": lambda: self.seats[me].uses[ability],
            "life_lead": lambda: (
                place.life - max((self.seats[s].life for s in living if s != who), default=0)
            ),
            "life_total": lambda: sum(self.seats[s].life for s in living),
            "roles_open": lambda: sum(self.seats[s].role_up for s in SEATS if s != me),
            "alive": lambda: len(living),
        }[c["test"]]()
        n: int = c["n"]
        return {
            ">=": number >= n, "<=": number <= n, "<": number < n, ">": number > n, "==": number == n,
        }[c["op"]]  # fmt: skip

    def is_down(self, at: str) -> bool:
        if at == "past":
            return any(hour.down for hour in self.clock[: self.hour - 1])
        position = self.hour + (at == "next")
        return position <= 12 and self.clock[position - 1].down

    # --- effects (YU-97) ---

    def ability(self, ability: Card, act: Act) -> Play:
        yield from self.effects(self.case(ability, act.hour), act)

    def case(self, ability: Card, hour: int) -> list[Card]:
        if "cases" not in ability:
            return list(ability.get("effects", ()))
        return next((list(c["effects"]) for c in ability["cases"] if hour in c["hours"]), [])

    def open(self, position: int, act: Act) -> Play:
        if position > 12 or not self.clock[position - 1].down:
            return
        hour = self.clock[position - 1]
        me = self.seats[act.me]
        hour.down, hour.opener = False, act.me
        me.opened += 1
        card = self.cards[hour.card]
        timed = position if self.options.time_reference == "position" else self.hour
        inner = Act(act.me, hour.card, attack=False, hour=timed)
        if card["kind"] != "item":
            yield from self.effects(self.case(card, timed), inner)
        loses = act.me in self.dying and self.options.dying_opener == "discard"
        if card["kind"] == "event" or loses:
            self.discards.append(hour.card)
            hour.went = "discard"
        elif card["kind"] == "item":
            me.items.append(hour.card)
            hour.went = "item"
        else:
            me.stock.append(hour.card)
            hour.went = "stock"

    def effects(self, effects: Iterable[Card], act: Act) -> Play:
        for effect in effects:
            yield from self.effect(effect, act)

    def affected(self, effect: Card, act: Act) -> list[int]:
        """YU-56: clockwise from the acting seat; the dead and the dying are passed by."""
        match effect.get("to", "self"):
            case "self":
                seats = [act.me]
            case "target":
                assert act.target is not None
                seats = [act.target]
            case "all":
                seats = self.round(act.me)
            case "others":
                seats = self.round(act.me)[1:]
            case "left":
                seats = [self.neighbour(act.me, 1)]
            case "right":
                seats = [self.neighbour(act.me, -1)]
        return [
            s for s in seats
            if not self.seats[s].dead and s not in self.dying
            and self.all_hold(effect.get("where", ()), act.me, s, act.source, act.hour)
        ]  # fmt: skip

    def neighbour(self, seat: int, step: int) -> int:
        return (seat + step) % 4

    def effect(self, effect: Card, act: Act) -> Play:
        me = self.seats[act.me]
        gone = act.me in self.dying
        match effect["do"]:
            case "damage":
                for seat in self.affected(effect, act):
                    if self.seats[seat].protected and seat != act.me:
                        continue
                    self.hurt(seat, effect["n"], act)
            case "heal":
                for seat in self.affected(effect, act):
                    self.seats[seat].life = min(FULL, self.seats[seat].life + effect["n"])
            case "marker" if effect.get("to") == "choose":
                if gone:
                    return
                living = [
                    s for s in self.round(act.me)
                    if self.is_there(s) or (s == self.start and not self.seats[s].dead)
                ]  # fmt: skip
                assert self.start is not None
                options = tuple(Choice.of("to", {"seat": s}) for s in living)
                keep = Choice.of("to", {"seat": self.start})
                answer = yield Ask("marker", {act.me: options}, {act.me: keep}, turn=self.turn)
                self.start = answer[act.me]["seat"]
            case "marker":
                for seat in self.affected(effect, act):
                    self.start = seat
            case "peek":
                if not gone:
                    self.peek(effect, act)
            case "open":
                if not gone:
                    yield from self.open(self.where(effect["at"], act), act)
            case "may":
                if gone:
                    return
                no, yes = Choice.of("no"), Choice.of("yes")
                answer = yield Ask("may", {act.me: (no, yes)}, {act.me: no}, turn=self.turn)
                if answer[act.me] == yes:
                    yield from self.effects(effect["effects"], act)
            case "if":
                then = self.holds(effect["cond"], act.me, act.target, act.source, act.hour)
                yield from self.effects(effect.get("then" if then else "else", ()), act)
            case "guess":
                assert act.target is not None
                right = self.seats[act.target].role == act.role
                yield from self.effects(effect.get("then" if right else "else", ()), act)
            case "reveal":
                for seat in self.affected(effect, act):
                    if effect["what"] == "role":
                        self.seats[seat].role_up = True
                    else:
                        self.seats[seat].skills = dict.fromkeys(self.seats[seat].skills, True)
            case "take":
                assert act.target is not None
                theirs = self.seats[act.target].items
                both = not gone and self.is_there(act.target) and act.me != act.target
                if both and act.item in theirs:
                    assert act.item is not None
                    theirs.remove(act.item)
                    me.items.append(act.item)
            case "swap":
                yield from self.swap(effect["what"], act)
            case "gain":
                if not gone:
                    self.gain(act)
            case "draw":
                yield from self.draw(act)
            case "discard":
                self.discard(act)
            case "skip":
                for seat in self.affected(effect, act):
                    self.seats[seat].skip = True
            case "protect":
                for seat in self.affected(effect, act):
                    self.seats[seat].protected = True

    def is_there(self, seat: int) -> bool:
        return not self.seats[seat].dead and seat not in self.dying

    def hurt(self, seat: int, n: int, act: Act) -> None:
        place = self.seats[seat]
        place.life = max(0, place.life - n)
        place.attacker = act.me if act.attack and seat != act.me else None
        if place.life == 0:
            self.dying.append(seat)

    def where(self, at: str, act: Act) -> int:
        if at == "picked":
            return act.positions[0]
        return self.hour + (at == "next")

    def peek(self, effect: Card, act: Act) -> None:
        match effect["what"]:
            case "time":
                position = self.where(effect["at"], act)
                if position <= 12 and self.clock[position - 1].down:
                    self.saw(act.me, "peeked", (position, self.clock[position - 1].card))
            case "leftover":
                self.look_aside(act.me)
            case "role":
                assert act.target is not None
                target = self.seats[act.target]
                if self.is_there(act.target) and not target.role_up:
                    self.saw(act.me, "peeked", (act.target, (target.role,)))
            case "skill":
                assert act.target is not None
                target = self.seats[act.target]
                down = [s for s in self.in_order(target.skills) if not target.skills[s]]
                if self.is_there(act.target) and down:
                    self.saw(act.me, "peeked", (act.target, tuple(down)))

    def swap(self, what: str, act: Act) -> Play:
        if what == "time_cards":
            if act.me not in self.dying:
                a, b = (self.clock[p - 1] for p in act.positions)
                if a.down and b.down:
                    a.card, b.card = b.card, a.card
            return
        assert act.target is not None
        if not self.is_there(act.me) or not self.is_there(act.target) or act.me == act.target:
            return
        me, target = self.seats[act.me], self.seats[act.target]
        if what == "life":
            me.life, target.life = target.life, me.life
        elif what == "items":
            if act.own_item not in me.items or act.item not in target.items:
                return
            me.items.remove(act.own_item)
            target.items.remove(act.item)
            me.items.append(act.item)
            target.items.append(act.own_item)
        else:
            assert act.skill is not None
            given = act.target_skill
            if given == "face_down":
                down = [s for s in self.in_order(target.skills) if not target.skills[s]]
                given = down[0] if down else None
                if len(down) > 1:
                    options = tuple(Choice.of("yield", {"card": s}) for s in down)
                    ask = Ask(
                        "yield", {act.target: options}, {act.target: options[0]}, turn=self.turn
                    )
                    given = (yield ask)[act.target]["card"]
            if act.skill in me.skills and given in target.skills:
                assert given is not None
                self.trade(act.me, act.skill, act.target, given)

    def gain(self, act: Act) -> None:
        me = self.seats[act.me]
        gained, self.leftover = self.leftover, {}
        if self.options.rabbit_price == "figurine_and_skill":
            self.leftover, me.skills = me.skills, {}
        me.skills |= gained
        self.locked |= set(gained)
        if gained:
            self.saw(act.me, "gained", tuple(self.in_order(gained)))

    def draw(self, act: Act) -> Play:
        if act.me in self.dying or not self.leftover:
            return
        me = self.seats[act.me]
        self.look_aside(act.me)
        keep = Choice.of("keep")
        pairs = itertools.product(self.in_order(me.skills), self.in_order(self.leftover))
        draws = tuple(Choice.of("draw", {"own": own, "card": card}) for own, card in pairs)
        answer = (yield Ask("draw", {act.me: (keep, *draws)}, {act.me: keep}, turn=self.turn))[
            act.me
        ]
        if answer != keep:
            own, card = answer["own"], answer["card"]
            up, up_left = me.skills.pop(own), self.leftover.pop(card)
            me.skills[card], self.leftover[own] = up_left, up
            self.locked.add(card)
            self.saw(act.me, "received", card)

    def look_aside(self, seat: int) -> None:
        """Look at what lies face down beside the table."""
        down = [skill for skill in self.in_order(self.leftover) if not self.leftover[skill]]
        if down:
            self.saw(seat, "peeked", tuple(down))

    def discard(self, act: Act) -> None:
        seat, item = (act.me, act.own_item) if act.item is None else (act.target, act.item)
        assert seat is not None
        if self.is_there(seat) and item in self.seats[seat].items:
            assert item is not None
            self.seats[seat].items.remove(item)
            self.discards.append(item)

    # --- death and victory ---

    def bury(self, acting: int) -> None:
        """YU-56 and YU-63 to YU-75: those who are dying die together."""
        dead = [s for s in self.round(acting) if s in self.dying]
        self.dying = []
        if not dead:
            return
        for seat in dead:
            place = self.seats[seat]
            place.dead = place.role_up = True
            place.skip = place.protected = False
            if place.attacker is not None:
                self.seats[place.attacker].kills += 1
            self.removed += place.skills
            place.skills = {}
        living = [s for s in SEATS if not self.seats[s].dead]
        if not living:
            self.start = self.origin = None
            self.count()
        if self.start in dead:
            self.start = self.next_living(self.start)
        if self.origin in dead:
            self.origin = self.next_living(self.origin)
        self.window("on_death")
        if len(living) == 1 and self.options.last_survivor == "wins":
            self.result = {"result": "survivor", "winners": living}
            raise Over

    def next_living(self, seat: int | None) -> int:
        assert seat is not None
        return next(s for s in self.round(seat) if not self.seats[s].dead)

    def window(self, window: str) -> None:
        assert self.origin is not None
        winners = []
        for seat in self.round(self.origin):
            win = self.cards[self.seats[seat].role]["win"]
            if self.seats[seat].dead or win["check"] != window:
                continue
            if self.all_hold(win["all"], seat, None, self.seats[seat].role):
                winners.append(seat)
        if not winners:
            return
        for seat in winners:
            self.seats[seat].role_up = True
        if self.options.simultaneous_win == "origin_first":
            winners = winners[:1]
        self.result = {"result": "first", "window": window, "winners": winners}
        raise Over

    def count(self) -> None:
        """YU-83 to YU-87."""
        if self.origin is None and self.options.all_dead == "dream":
            self.result = {"result": "dream", "winners": []}
            raise Over
        stars = [self.stars(seat) for seat in SEATS]
        first = [s for s in SEATS if stars[s] == max(stars)]
        cards = [self.counted(seat) for seat in SEATS]
        most = [s for s in first if cards[s] == max(cards[f] for f in first)]
        if len(first) == 1:
            result, winners = "stars", first
        elif self.origin in first:
            result, winners = "origin", [self.origin]
        elif len(most) == 1:
            result, winners = "cards", most
        else:
            result, winners = "dream", []
        self.result = {
            "result": result,
            "winners": winners,
            "counts": list(zip(stars, cards, strict=True)),
        }
        raise Over

    def lying(self, seat: int) -> list[str]:
        place = self.seats[seat]
        return [place.role, *place.skills, *place.items, *place.stock]

    def star(self, card: str) -> int:
        return int(self.cards[card].get("stars", 0))

    def stars(self, seat: int) -> int:
        return sum(map(self.star, self.lying(seat)))

    def public_stars(self, seat: int) -> int:
        """YU-18, and invariant 12: the stars of the face-up cards."""
        place = self.seats[seat]
        shown = [s for s, up in place.skills.items() if up] + [place.role] * place.role_up
        return sum(map(self.star, [*shown, *place.items, *place.stock]))

    def counted(self, seat: int) -> int:
        every = self.options.card_count == "all"
        return sum(every or self.star(card) > 0 for card in self.lying(seat))

    # --- in which order ---

    def round(self, seat: int) -> list[int]:
        return [(seat + step) % 4 for step in SEATS]

    def in_order(self, skills: Iterable[str]) -> list[str]:
        return sorted(skills, key=self.skill_order.index)
