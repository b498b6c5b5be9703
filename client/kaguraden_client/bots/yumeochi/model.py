"""A game of yumeochi for thinking: small, quick, and only what the rules need.

A position is what the seat sees, with an imagined answer to what it does not (`role`, `skills` of
others, `clock`). It is changed in place and copied where two futures part. The rules are those of
the rules document with the default options of a room, and of those that change the course of play
the ones in `Ways`. The model refuses nothing: it is asked to do only what is legal.

Left out is what the imagined players would not use: exchanges by consent, looking at cards, and
`draw`. A skill swapped without consent is the first face-down one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from attrs import frozen

from .lore import FULL_LIFE, ITEM, SEATS, STOCK, Ability, Lore, Move, Stroke

__all__ = ["Judge", "Position", "Ways"]


@frozen
class Ways:
    """The room's options that the model knows (§16)."""

    rabbit_price: bool = False  # figurine_and_skill (YU-59)
    dying_opener: bool = False  # keep (YU-71)
    all_dead: bool = False  # dream (YU-74)
    last_survivor: bool = False  # wins (YU-75)
    origin_first: bool = False  # simultaneous_win (YU-80)
    starred: bool = False  # card_count (YU-86)


class Judge(Protocol):
    """Who chooses where an effect leaves a choice."""

    def wishes(self, p: Position, me: int, m: Move, strokes: tuple[Stroke, ...]) -> bool:
        """Tell whether the acting seat has the effects of a `may`."""

    def receiver(self, p: Position, me: int) -> int:
        """Return to whom the acting seat gives the start marker."""


class Position:
    """Where a game stands. Lists have one entry a seat, or one an hour from 1."""

    __slots__ = (
        "alive",
        "at",
        "clock",
        "down",
        "hour",
        "items",
        "judge",
        "kills",
        "leftover",
        "life",
        "locked",
        "lore",
        "opened",
        "order",
        "origin",
        "protected",
        "role",
        "shown",
        "skills",
        "skip",
        "start",
        "stock",
        "stock_stars",
        "ups",
        "used",
        "uses",
        "ways",
        "winners",
    )

    def __init__(self, lore: Lore, ways: Ways, judge: Judge) -> None:
        self.lore = lore
        self.ways = ways
        self.judge = judge
        self.hour = 1
        self.order = (0, 1, 2, 3)
        self.at = 0  # the place in the order that acts
        self.start = self.origin = 0
        self.life = [FULL_LIFE] * 4
        self.alive = [True] * 4
        self.role = [-1] * 4  # numbers of roles
        self.shown = [False] * 4  # face up
        self.skills: list[tuple[int, ...]] = [()] * 4
        self.ups = 0  # skills face up, as bits
        self.items: list[tuple[int, ...]] = [()] * 4
        self.stock = [0] * 4  # how many cards
        self.stock_stars = [0] * 4
        self.opened = [0] * 4
        self.kills = [0] * 4
        self.uses = [0] * 4  # of the role's action
        self.skip = [False] * 4
        self.protected = [False] * 4
        self.clock = [-1] * 13
        self.down = [False, *[True] * 12]
        self.used = 0  # skills used in this phase, as bits
        self.locked = 0  # skills that wait for the next phase
        self.leftover: tuple[int, ...] = ()
        self.winners: tuple[int, ...] | None = None  # () is 夢ヲチ

    def copy(self) -> Position:
        """Return a position that can be changed without changing this one."""
        twin = Position.__new__(Position)
        twin.lore = self.lore
        twin.ways = self.ways
        twin.judge = self.judge
        twin.hour = self.hour
        twin.order = self.order
        twin.at = self.at
        twin.start = self.start
        twin.origin = self.origin
        twin.life = self.life[:]
        twin.alive = self.alive[:]
        twin.role = self.role[:]
        twin.shown = self.shown[:]
        twin.skills = self.skills[:]
        twin.ups = self.ups
        twin.items = self.items[:]
        twin.stock = self.stock[:]
        twin.stock_stars = self.stock_stars[:]
        twin.opened = self.opened[:]
        twin.kills = self.kills[:]
        twin.uses = self.uses[:]
        twin.skip = self.skip[:]
        twin.protected = self.protected[:]
        twin.clock = self.clock[:]
        twin.down = self.down[:]
        twin.used = self.used
        twin.locked = self.locked
        twin.leftover = self.leftover
        twin.winners = self.winners
        return twin

    # --- what conditions ask -----------------------------------------------------------------------

    def item_stars(self, seat: int) -> int:
        """Return the stars of a seat's items."""
        times = self.lore.times
        return sum([times[card].stars for card in self.items[seat]])

    def public_stars(self, seat: int) -> int:
        """Return a seat's stars as all see them (YU-18)."""
        stars = self.stock_stars[seat] + self.item_stars(seat)
        return stars + self.lore.roles[self.role[seat]].stars if self.shown[seat] else stars

    def lead(self, seat: int) -> int:
        """Return the seat's life minus the highest of the other living seats."""
        life, alive = self.life, self.alive
        return life[seat] - max([life[s] for s in SEATS if s != seat and alive[s]], default=0)

    def beside(self, seat: int, step: int) -> int:
        """Return the next living seat on the left (1) or right (-1); -1 if no other lives."""
        for distance in (1, 2, 3):
            other = (seat + step * distance) % 4
            if self.alive[other]:
                return other
        return -1

    # --- effects -----------------------------------------------------------------------------------

    def damage(self, me: int, n: int, seats: Sequence[int]) -> None:
        """Take life; a protected seat loses none to another's action (YU-91)."""
        for seat in seats:
            if seat == me or not self.protected[seat]:
                self.life[seat] -= n
                if self.life[seat] <= 0 and seat != me:
                    self.kills[me] += 1

    def heal(self, n: int, seats: Sequence[int]) -> None:
        """Give life, up to five."""
        for seat in seats:
            self.life[seat] = min(FULL_LIFE, self.life[seat] + n)

    def move_marker(self, me: int, to: str, target: int) -> None:
        """Move the start marker; a dying seat does not get it."""
        match to:
            case "self":
                seat = me
            case "target":
                seat = target
            case "left":
                seat = self.beside(me, 1)
            case "right":
                seat = self.beside(me, -1)
            case _:
                seat = self.judge.receiver(self, me) if self.life[me] > 0 else self.start
        if seat >= 0 and self.alive[seat] and self.life[seat] > 0:
            self.start = seat

    def open(self, me: int, position: int) -> None:
        """Open a face-down time card and carry it out (YU-51 to YU-53)."""
        if not 1 <= position <= 12 or not self.down[position]:
            return
        self.down[position] = False
        self.opened[me] += 1
        number = self.clock[position]
        card = self.lore.times[number]
        move = _NO_PICKS
        for effect in card.opened.effects[self.hour]:
            effect(self, me, move)
        if card.kind == ITEM:
            if self.life[me] > 0 or self.ways.dying_opener:
                self.items[me] += (number,)
        elif card.kind == STOCK and (self.life[me] > 0 or self.ways.dying_opener):
            self.stock[me] += 1
            self.stock_stars[me] += card.stars

    def move_item(self, giver: int, receiver: int, item: int) -> None:
        """Hand an item over."""
        if item in self.items[giver]:
            self.items[giver] = _without(self.items[giver], item)
            self.items[receiver] += (item,)

    def swap_items(self, me: int, m: Move) -> None:
        """Swap the two picked items."""
        if m.own_item in self.items[me] and m.item in self.items[m.seat]:
            self.items[me] = (*_without(self.items[me], m.own_item), m.item)
            self.items[m.seat] = (*_without(self.items[m.seat], m.item), m.own_item)

    def swap_skills(self, me: int, other: int, own: int, theirs: int) -> None:
        """Swap one skill each."""
        if theirs < 0:
            theirs = next((s for s in self.skills[other] if not self.ups >> s & 1), -1)
        if own in self.skills[me] and theirs in self.skills[other]:
            self.skills[me] = (*_without(self.skills[me], own), theirs)
            self.skills[other] = (*_without(self.skills[other], theirs), own)

    def swap_life(self, me: int, other: int) -> None:
        """Swap the life totals."""
        if other >= 0 and self.life[me] > 0 and self.life[other] > 0:
            self.life[me], self.life[other] = self.life[other], self.life[me]

    def gain(self, me: int) -> None:
        """Take all leftover skills, for the next phase on (YU-58 to YU-60)."""
        for skill in self.leftover:
            self.locked |= 1 << skill
        gained, self.leftover = self.leftover, ()
        if self.ways.rabbit_price and len(self.skills[me]) == 1:
            self.leftover, self.skills[me] = self.skills[me], ()
        self.skills[me] += gained

    def discard(self, m: Move) -> None:
        """Discard the target's picked item."""
        if m.seat >= 0 and m.item >= 0:
            self.items[m.seat] = _without(self.items[m.seat], m.item)

    # --- turns and hours ---------------------------------------------------------------------------

    def make(self, me: int, m: Move) -> None:
        """Carry out an action of the acting seat."""
        match m.kind:
            case "open":
                self.open(me, self.hour)
            case "skill":
                bit = 1 << m.card
                self.used |= bit
                self.ups |= bit
                self.carry_out(me, m, self.lore.skills[m.card].ability)
            case "take":
                self.start = me
            case "item":
                use = self.lore.times[m.card].use
                if use is not None:
                    self.carry_out(me, m, use)
                self.items[me] = _without(self.items[me], m.card)
            case "action":
                self.shown[me] = True
                self.uses[me] += 1
                action = self.lore.roles[self.role[me]].action
                if action is not None:
                    self.carry_out(me, m, action)
            case "give":
                self.move_item(me, m.seat, m.card)
            case "exchange":
                self.swap_skills(me, m.seat, m.skill, m.target_skill)
            case _:
                pass
        self.settle()
        if self.lore.has_after_action:
            self.check("after_action")

    def carry_out(self, me: int, m: Move, ability: Ability) -> None:
        """Carry out an ability."""
        for effect in ability.effects[self.hour]:
            effect(self, me, m)

    def settle(self) -> None:
        """Let the dying die (YU-63 to YU-70)."""
        life = self.life
        if life[0] <= 0 or life[1] <= 0 or life[2] <= 0 or life[3] <= 0:
            for seat in SEATS:
                if life[seat] <= 0 and self.alive[seat]:
                    self._bury(seat)
            self._pass_markers_on()
            if self.lore.has_on_death:
                self.check("on_death")

    def _bury(self, seat: int) -> None:
        self.alive[seat] = False
        self.life[seat] = 0
        self.shown[seat] = True
        self.skills[seat] = ()
        self.skip[seat] = self.protected[seat] = False

    def _pass_markers_on(self) -> None:
        if not any(self.alive):
            self.count()
            return
        if not self.alive[self.start]:
            self.start = self.beside(self.start, 1)
        if not self.alive[self.origin]:
            self.origin = self.beside(self.origin, 1)
        if self.ways.last_survivor and sum(self.alive) == 1:
            self.winners = (self.alive.index(True),)

    def check(self, window: str) -> None:
        """See who wins in a window (YU-78 to YU-81)."""
        if self.winners is not None:
            return
        roles = self.lore.roles
        hour = self.hour
        found = []
        for seat in SEATS:
            role = roles[self.role[seat]]
            if (
                role.hours[hour]
                and role.check == window
                and self.alive[seat]
                and role.wins(self, seat, -1)
            ):
                found.append(seat)
        if found:
            if self.ways.origin_first:
                found = [min(found, key=lambda seat: (seat - self.origin) % 4)]
            self.winners = tuple(found)

    def end_phase(self) -> None:
        """Go on to the next phase (YU-27), or end the game."""
        self.check("phase_end")
        if self.winners is not None:
            return
        self.origin = self.start
        if self.hour >= 12:
            self.count()
            return
        self.hour += 1
        self.check("hour_becomes")
        if self.winners is not None:
            return
        self.strike()
        self.used = self.locked = 0
        first = self.origin
        self.order = (first, (first + 1) % 4, (first + 2) % 4, (first + 3) % 4)
        self.at = 0

    def strike(self) -> None:
        """Carry out what items do at this hour by themselves."""
        hour = self.hour
        times = self.lore.times
        struck = False
        for step in SEATS:
            seat = (self.origin + step) % 4
            if not self.alive[seat]:
                continue
            for number in self.items[seat]:
                trigger = times[number].trigger[hour]
                if not trigger:
                    continue
                struck = True
                for effect in trigger:
                    effect(self, seat, _NO_PICKS)
                if not times[number].kept:
                    self.items[seat] = _without(self.items[seat], number)
        if struck:
            self.settle()

    def count(self) -> None:
        """Find the winner of the second victory (YU-83 to YU-87)."""
        anyone_lives = any(self.alive)
        if not anyone_lives and self.ways.all_dead:
            self.winners = ()
            return
        roles = self.lore.roles
        stars = [
            self.stock_stars[s] + self.item_stars(s) + roles[self.role[s]].stars for s in SEATS
        ]
        most = max(stars)
        tied = [seat for seat in SEATS if stars[seat] == most]
        if len(tied) > 1 and anyone_lives and self.origin in tied:
            tied = [self.origin]
        if len(tied) > 1:
            cards = {seat: self._cards(seat) for seat in tied}
            most = max(cards.values())
            tied = [seat for seat in tied if cards[seat] == most]
        self.winners = (tied[0],) if len(tied) == 1 else ()

    def _cards(self, seat: int) -> int:
        if not self.ways.starred:
            return 1 + len(self.skills[seat]) + len(self.items[seat]) + self.stock[seat]
        items = sum([self.lore.times[card].stars > 0 for card in self.items[seat]])
        skills = sum([self.lore.skills[card].stars > 0 for card in self.skills[seat]])
        return (self.lore.roles[self.role[seat]].stars > 0) + items + skills + self.stock[seat]


_NO_PICKS = Move("")


def _without(cards: tuple[int, ...], card: int) -> tuple[int, ...]:
    if card not in cards:
        return cards
    at = cards.index(card)
    return cards[:at] + cards[at + 1 :]
