"""How imagined players play: quick judgement by what their role asks for.

All worths are in stars: what a turn brings in stars, and what it is worth to come nearer to one's
own first victory or to keep another from his. An imagined player looks at no hidden card; whose role
it knows is settled before a game is played out (`knows`).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from .lore import FULL_LIFE, HOURS, ITEM, SEATS, Ability, Aim, Condition, Lore, Move, Stroke
from .model import Position

__all__ = ["Habits", "Wants", "is_near", "lacks"]

VICTORY: Final = 6.0  # what completes one's own first victory, or keeps another from it
STEP: Final = 1.5  # one more of what it asks for
LOSS: Final = (0.0, 6.0, 1.8, 0.8, 0.45, 0.35)  # of the last life, of the last but one, …
KEPT: Final = 0.6  # how likely each later seat leaves the marker alone
NOISE: Final = 0.6

PASS: Final = Move("pass")
OPEN: Final = Move("open")
TAKE: Final = Move("take")


class Wants:
    """What things are worth to a seat in its turn."""

    __slots__ = (
        "away",
        "expose",
        "gain",
        "hurt",
        "item",
        "loss",
        "marker",
        "needed_items",
        "opened",
        "secret",
        "skip",
    )

    def __init__(self) -> None:
        self.gain = 0.0  # one life more
        self.loss = 1.0  # how much a lost life matters
        self.hurt = [0.2] * 4  # one life less of another
        self.away = [0.0] * 4  # the start marker away from another
        self.skip = [0.5] * 4  # another's next turn
        self.expose = [0.2] * 4  # another's role face up
        self.marker = 0.0  # to hold the start marker
        self.opened = 0.0  # one more opened
        self.item = 0.0  # one more item
        self.needed_items = 0
        self.secret = 0.6  # the own role face down


def is_near(p: Position, seat: int, aim: Aim) -> bool:
    """Tell whether a role's first victory, due at the end of this phase, lacks nothing but the marker."""
    if not aim.hours[p.hour] or (aim.secret and p.shown[seat]):
        return False
    life = p.life[seat]
    if life < aim.life or life > aim.most_life or p.opened[seat] < aim.opened:
        return False
    if aim.lead and p.lead(seat) < aim.lead:
        return False
    if aim.most_total < 99 and _total(p) > aim.most_total:
        return False
    if aim.shown and sum([p.shown[s] for s in SEATS if s != seat]) < aim.shown:
        return False
    return not aim.needs or not _lacks(p, seat, aim)


def lacks(p: Position, seat: int, aim: Aim) -> float:
    """Return how much a role's first victory lacks but the marker: lives, items, openings."""
    life = p.life[seat]
    missing = 0.0
    if life < aim.life:
        missing += aim.life - life
    if p.opened[seat] < aim.opened:
        missing += aim.opened - p.opened[seat]
    if aim.lead:
        missing += max(0, aim.lead - p.lead(seat))
    if aim.most_total < 99:
        missing += 0.5 * max(0, _total(p) - aim.most_total)
    if aim.shown:
        missing += max(0, aim.shown - p.shown.count(True) + p.shown[seat])
    return missing + _lacks(p, seat, aim) if aim.needs else missing


def _total(p: Position) -> int:
    return sum([p.life[s] for s in SEATS if p.alive[s]])


def _lacks(p: Position, seat: int, aim: Aim) -> int:
    """Return how many items, stars and so on are missing."""
    missing = 0
    for name, n in aim.needs.items():
        match name:
            case "items":
                has = len(p.items[seat])
            case "event_stock":
                has = p.stock[seat]
            case "stars":
                has = p.public_stars(seat)
            case "kills":
                has = p.kills[seat]
            case _:
                has = len(p.skills[seat])
        missing += max(0, n - has)
    return missing


class Profile:
    """What opening a card does, by the hour, for whoever opens it."""

    __slots__ = ("change", "is_item", "others", "skip", "stars")

    def __init__(self, lore: Lore, number: int) -> None:
        card = lore.times[number]
        self.stars = card.stars
        self.is_item = card.kind == ITEM
        self.change = [0] * 13
        self.others = [0.0] * 13
        self.skip = [0.0] * 13
        for hour in HOURS:
            for stroke in card.opened.strokes[hour]:
                n = {"damage": -stroke.n, "heal": stroke.n}.get(stroke.what, 0)
                if stroke.to in ("self", "all") and stroke.where is None:
                    self.change[hour] += n
                if stroke.to in ("others", "all", "left", "right"):
                    self.others[hour] += n * (0.5 if stroke.where else 1.0)
                if stroke.what == "skip" and stroke.to in ("self", "all"):
                    self.skip[hour] -= 0.6


class Habits:
    """Plays imagined seats.

    Attributes:
        knows: For each seat, whose roles it takes for granted.
    """

    def __init__(self, lore: Lore, rng: random.Random, noise: float = NOISE) -> None:
        self.lore = lore
        self.random = rng.random
        self.noise = noise
        self.knows: list[list[bool]] = [[False] * 4 for _ in SEATS]
        self.profiles = [Profile(lore, number) for number in range(len(lore.times))]

    # --- playing -----------------------------------------------------------------------------------

    def play_out(self, p: Position, last: int = 12) -> None:
        """Play to the end of the phase of an hour, or of the game."""
        while p.winners is None and p.hour <= last:
            while p.at < 4:
                self.turn(p)
                if p.winners is not None:
                    return
            p.end_phase()

    def turn(self, p: Position) -> None:
        """Play the turn of the seat whose place has come, if it has one (YU-24)."""
        seat = p.order[p.at]
        p.at += 1
        if not p.alive[seat]:
            return
        p.protected[seat] = False
        if p.skip[seat]:
            p.skip[seat] = False
            return
        p.make(seat, self.choose(p, seat))

    def choose(self, p: Position, me: int) -> Move:
        """Return an action."""
        w = self.wants(p, me)
        hour = p.hour
        noise, chance = self.noise, self.random
        best, most = PASS, noise * chance()
        if p.down[hour]:
            worth = self.open_worth(p, me, w) + noise * chance()
            if worth > most:
                best, most = OPEN, worth
        if p.start != me:
            worth = w.marker + w.away[p.start] + noise * chance()
            if worth > most:
                best, most = TAKE, worth
        lore = p.lore
        busy = p.used | p.locked
        for number in p.skills[me]:
            if not busy >> number & 1:
                ability = lore.skills[number].ability
                if ability.hours[hour] and ability.when(p, me, -1):
                    move, worth = self.best_use(p, me, w, ability, "skill", number)
                    worth += noise * chance()
                    if worth > most:
                        best, most = move, worth
        for number in p.items[me]:
            card = lore.times[number]
            if card.use is not None and card.use.hours[hour] and card.use.when(p, me, -1):
                move, worth = self.best_use(p, me, w, card.use, "item", number)
                worth += noise * chance() - self.item_worth(p, me, w, number)
                if worth > most:
                    best, most = move, worth
            if hour < 12 and card.sting[hour + 1] > 0:
                move = Move("give", number, self.richest(p, me))
                worth = self.move_worth(p, me, w, move) + noise * chance()
                if worth > most:
                    best, most = move, worth
        action = lore.roles[p.role[me]].action
        if action is not None and action.hours[hour] and action.when(p, me, -1):
            move, worth = self.best_use(p, me, w, action, "action", -1)
            worth += noise * chance() - (0.0 if p.shown[me] else w.secret)
            if worth > most:
                best, most = move, worth
        return best

    def wishes(self, p: Position, me: int, m: Move, strokes: tuple[Stroke, ...]) -> bool:
        """Tell whether the acting seat has the effects of a `may`; what it opens it has seen."""
        w = self.wants(p, me)
        for stroke in strokes:
            if stroke.what == "open" and stroke.to == "current" and p.down[p.hour]:
                return self.card_worth(p, me, w, p.clock[p.hour]) > 0
        return self._of(p, me, w, strokes, m) > 0

    def receiver(self, p: Position, me: int) -> int:
        """Return to whom the acting seat gives the start marker."""
        del p
        return me

    # --- what things are worth ---------------------------------------------------------------------

    def wants(self, p: Position, me: int) -> Wants:
        """Return what things are worth to a seat."""
        w = Wants()
        hour = p.hour
        lore = p.lore
        aim = lore.roles[p.role[me]].aim
        life = p.life
        own = life[me]
        later = p.order[p.at :]
        keep = 1.0
        for seat in later:
            if p.alive[seat] and not p.skip[seat]:
                keep *= KEPT
        w.loss = 0.4 + 0.05 * (12 - hour)
        if own < FULL_LIFE:
            w.gain = LOSS[own + 1] * w.loss
        w.marker = keep * (0.9 if hour == 12 else 0.3)
        if aim.last >= hour and not (aim.secret and p.shown[me]):
            self._strive(p, me, aim, w, keep)
        if aim.secret:
            w.secret = 2.5 if aim.last >= hour else 0.3
        knows = self.knows[me]
        for seat in SEATS:
            if seat != me and (knows[seat] or p.shown[seat]) and p.alive[seat]:
                their = lore.roles[p.role[seat]].aim
                if is_near(p, seat, their):
                    self._thwart(p, seat, their, w, later)
        return w

    def _strive(self, p: Position, me: int, aim: Aim, w: Wants, keep: float) -> None:
        """Add what brings nearer to the own first victory."""
        hour, own = p.hour, p.life[me]
        left = aim.last - hour + 1
        missing_opens = aim.opened - p.opened[me]
        if missing_opens > left:
            return
        soon = 1.0 if left <= 3 or aim.hours[hour] else 0.6
        if missing_opens > 0:
            w.opened = STEP * soon
        if aim.life:
            if own < aim.life:
                w.gain += STEP * soon
            elif own == aim.life:
                w.loss += 1.2 * soon
                w.gain += 0.4 * soon
        if aim.lead:
            high = max([p.life[s] for s in SEATS if s != me and p.alive[s]], default=0)
            lacking = aim.lead - own + high
            if lacking > 0:
                w.gain += STEP * soon
                w.loss += soon
                for seat in SEATS:
                    if p.life[seat] == high:
                        w.hurt[seat] += STEP * soon
                    elif p.life[seat] == high - 1:
                        w.hurt[seat] += 0.4
            else:
                w.loss += 2.0
        if aim.most_total < 99:
            over = _total(p) - aim.most_total
            if over > 0:
                w.loss -= 0.3
                w.hurt = [hurt + 0.8 * soon for hurt in w.hurt]
        if aim.shown:
            w.expose = [expose + STEP * soon for expose in w.expose]
        if "items" in aim.needs:
            w.needed_items = aim.needs["items"]
            w.item = STEP * soon if len(p.items[me]) < w.needed_items else 0.3
        if aim.marker:
            if is_near(p, me, aim):
                w.marker += VICTORY * keep
            else:
                w.marker += 0.3 * keep
        elif "stars" not in aim.needs and is_near(p, me, aim):
            w.loss += 1.0

    def _thwart(self, p: Position, seat: int, aim: Aim, w: Wants, later: Sequence[int]) -> None:
        """Add what keeps a seat from a first victory that it is near to."""
        acts = seat in later and not p.skip[seat]
        if aim.marker:
            if p.start == seat and not acts:
                w.away[seat] += VICTORY
            elif p.start == seat:
                w.away[seat] += 0.5
            if not acts and p.start != seat:
                return
        if aim.life and p.life[seat] == aim.life:
            w.hurt[seat] += VICTORY
        if aim.lead and p.lead(seat) == aim.lead:
            w.hurt[seat] += VICTORY
        if aim.secret:
            w.expose[seat] += VICTORY
        if acts and aim.marker:
            w.skip[seat] += VICTORY

    def move_worth(self, p: Position, me: int, w: Wants, m: Move) -> float:
        """Return what an action is worth."""
        lore = p.lore
        hour = p.hour
        match m.kind:
            case "open":
                return self.open_worth(p, me, w)
            case "take":
                return w.marker + w.away[p.start]
            case "skill":
                return self._of(p, me, w, lore.skills[m.card].ability.strokes[hour], m)
            case "item":
                use = lore.times[m.card].use
                strokes = use.strokes[hour] if use is not None else ()
                return self._of(p, me, w, strokes, m) - self.item_worth(p, me, w, m.card)
            case "action":
                action = lore.roles[p.role[me]].action
                strokes = action.strokes[hour] if action is not None else ()
                price = 0.0 if p.shown[me] else w.secret
                return self._of(p, me, w, strokes, m) - price
            case "give":
                card = lore.times[m.card]
                worth = -self.item_worth(p, me, w, m.card) - 0.3 * card.stars - 0.2
                sting = max(card.sting[hour + 1 :], default=0)
                if sting > 0:
                    at_once = hour < 12 and card.sting[hour + 1] > 0
                    worth += self.loss(p, me, w, sting) * (1.2 if at_once else 0.5)
                return worth
            case _:
                return 0.0

    def loss(self, p: Position, me: int, w: Wants, n: int) -> float:
        """Return what it costs to lose life."""
        own = p.life[me]
        if n >= own:
            return LOSS[1]
        worth = 0.0
        for level in range(own, own - n, -1):
            worth += LOSS[level]
        return worth * w.loss

    def card_worth(self, p: Position, me: int, w: Wants, number: int) -> float:
        """Return what it is worth to open a card."""
        profile = self.profiles[number]
        hour = p.hour
        worth = w.opened + profile.stars + profile.skip[hour] - 0.2 * profile.others[hour]
        if profile.is_item:
            worth += w.item
        change = profile.change[hour]
        if change < 0:
            if -change >= p.life[me]:
                return -LOSS[1]
            worth -= self.loss(p, me, w, -change)
        elif change > 0:
            worth += min(change, FULL_LIFE - p.life[me]) * w.gain
        return worth

    def open_worth(self, p: Position, me: int, w: Wants) -> float:
        """Return what it is worth to open a card that nobody has seen."""
        total, number = 0.0, 0
        for hour in HOURS:
            if p.down[hour]:
                total += self.card_worth(p, me, w, p.clock[hour])
                number += 1
        return total / number

    def item_worth(self, p: Position, me: int, w: Wants, number: int) -> float:
        """Return what a seat loses with an item."""
        worth = float(p.lore.times[number].stars)
        if w.needed_items and len(p.items[me]) <= w.needed_items:
            worth += STEP
        return worth

    def richest(self, p: Position, me: int) -> int:
        """Return another living seat, that with the most stars."""
        best, most = -1, -1
        for seat in SEATS:
            if seat != me and p.alive[seat]:
                stars = 8 * (p.stock_stars[seat] + p.item_stars(seat)) + p.life[seat]
                if stars > most:
                    best, most = seat, stars
        return best

    def best_use(
        self, p: Position, me: int, w: Wants, ability: Ability, kind: str, card: int
    ) -> tuple[Move, float]:
        """Return the use of a card that looks best, and its worth; far below 0 if there is none."""
        most = -99.0
        strokes = ability.strokes[p.hour]
        items = p.items
        if ability.needs_own_item and not items[me]:
            return PASS, most
        own_item = self._cheapest(p, me) if ability.needs_own_item else -1
        if not ability.needs_seat:
            worth = self.worth(p, me, w, strokes, -1, -1, own_item)
            return Move(kind, card, -1, -1, own_item, -1, self._place(p, ability)), worth
        alive, where = p.alive, ability.where
        best, best_item = -1, -1
        item = -1
        for seat in SEATS:
            if not alive[seat] or (seat == me and ability.needs_seat == "other"):
                continue
            if where is not None and not where(p, me, seat):
                continue
            if ability.needs_item:
                if not items[seat]:
                    continue
                item = self._dearest(p, seat)
            worth = self.worth(p, me, w, strokes, seat, item, own_item)
            if worth > most:
                best, best_item, most = seat, item, worth
        if best < 0:
            return PASS, most
        role = self._guess(p, me, best) if ability.needs_role else -1
        own = p.skills[me][0] if ability.own_skill and p.skills[me] else -1
        return Move(kind, card, best, best_item, own_item, role, -1, own), most

    def _place(self, p: Position, ability: Ability) -> int:
        match ability.place:
            case "":
                return -1
            case "past":
                hours: Sequence[int] = range(1, p.hour)
            case "later":
                hours = range(p.hour, 13)
            case _:
                hours = HOURS
        return next((hour for hour in hours if p.down[hour]), -1)

    def _dearest(self, p: Position, seat: int) -> int:
        times = p.lore.times
        return max(p.items[seat], key=lambda card: times[card].stars)

    def _cheapest(self, p: Position, seat: int) -> int:
        times = p.lore.times
        return min(p.items[seat], key=lambda card: times[card].stars)

    def _guess(self, p: Position, me: int, seat: int) -> int:
        if self.knows[me][seat]:
            return p.role[seat]
        seen = [p.role[s] for s in SEATS if p.shown[s] or s == me]
        hidden = [role.number for role in p.lore.roles if role.number not in seen]
        return hidden[int(self.random() * len(hidden))] if hidden else p.role[me]

    def worth(
        self,
        p: Position,
        me: int,
        w: Wants,
        strokes: tuple[Stroke, ...],
        seat: int,
        item: int = -1,
        own_item: int = -1,
        role: int = -1,
    ) -> float:
        """Return what effects are worth to the acting seat, with the picks made."""
        total = 0.0
        for what, to, n, where, guard, inner in strokes:
            if guard is not None and not guard(p, me, seat):
                continue
            match what:
                case "damage" if to == "target":
                    if seat == me:
                        total -= self.loss(p, me, w, n)
                    elif not p.protected[seat]:
                        total += n * w.hurt[seat]
                case "damage":
                    total += self._damage(p, me, w, to, n, where)
                case "heal":
                    if to in ("self", "all") or (to == "target" and seat == me):
                        total += min(n, FULL_LIFE - p.life[me]) * w.gain
                    elif to == "target":
                        total -= min(n, FULL_LIFE - p.life[seat]) * w.hurt[seat]
                case "marker":
                    if to in ("self", "choose") and p.start != me:
                        total += w.marker + w.away[p.start]
                    elif p.start != me:
                        total += w.away[p.start]
                    elif to == "target":
                        total -= w.marker
                case "open":
                    at = p.hour if to == "current" else p.hour + 1
                    if to == "picked" or (at <= 12 and p.down[at]):
                        total += self.open_worth(p, me, w)
                case "may":
                    total += max(0.0, self.worth(p, me, w, inner[0], seat, item, own_item, role))
                case "guess":
                    right = self._luck(p, me, seat, role)
                    total += right * self.worth(p, me, w, inner[0], seat, item, own_item, role)
                    total += (1 - right) * self.worth(
                        p, me, w, inner[1], seat, item, own_item, role
                    )
                case "reveal role":
                    total += w.expose[seat] if to == "target" else -w.secret
                case "take":
                    total += p.lore.times[item].stars * 1.4 + w.item + 0.3
                case "discard":
                    total += p.lore.times[item].stars * 0.4 + 0.1
                case "swap items":
                    times = p.lore.times
                    total += 1.4 * (times[item].stars - times[own_item].stars)
                case "swap life":
                    total += (p.life[seat] - p.life[me]) * (0.5 + w.hurt[seat])
                case "gain":
                    total += 0.5 * len(p.leftover)
                case "skip":
                    if to == "self":
                        total -= 0.8
                    elif to == "target":
                        total += w.skip[seat]
                case "protect":
                    total += 0.3
                case _:
                    total += 0.1
        return total

    def _of(self, p: Position, me: int, w: Wants, strokes: tuple[Stroke, ...], m: Move) -> float:
        return self.worth(p, me, w, strokes, m.seat, m.item, m.own_item, m.role)

    def _luck(self, p: Position, me: int, seat: int, role: int) -> float:
        """Return how likely a guess is right: the best there is, if no role is given."""
        if self.knows[me][seat]:
            return 0.95 if role < 0 or role == p.role[seat] else 0.0
        return 1 / max(1, len(p.lore.roles) - p.shown.count(True) - (not p.shown[me]))

    def _damage(
        self,
        p: Position,
        me: int,
        w: Wants,
        to: str,
        n: int,
        where: Condition | None,
    ) -> float:
        """Return what it is worth to take life of the seats reached."""
        if to == "self":
            return -self.loss(p, me, w, n)
        total = 0.0
        for seat in SEATS:
            if not p.alive[seat] or (seat == me and to == "others"):
                continue
            if where is not None and not where(p, me, seat):
                continue
            if seat == me:
                total -= self.loss(p, me, w, n)
            elif not p.protected[seat]:
                total += n * w.hurt[seat]
        return total
