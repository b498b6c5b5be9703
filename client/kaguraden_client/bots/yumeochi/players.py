"""The players of yumeochi.

A player answers from what its seat sees: the view, the decision that is open and the catalog. What
has happened it takes from the events that it is told, if it is told any; without them it only
deduces less.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from kaguraden_protocol.messages import Decision, Option, Value

from ...reading import as_dict, as_int, as_str, ints_in
from ...table import Table
from ..policy import Catalog, Play, usable
from .habits import Habits
from .lore import SEATS, Lore, Move
from .model import Position
from .read import Reader, Sight, action_of, move_of, ways_of
from .search import Search

__all__ = [
    "Deducer",
    "Greedy",
    "Random",
    "by_table",
    "deduce_player",
    "greedy_player",
    "random_player",
]

Event: TypeAlias = Mapping[str, Any]
Answer: TypeAlias = "tuple[str, Value] | None"

MAX_EVENTS: Final = 4000  # remembered; ten games have fewer
TURNS: Final = 1000  # imagined for a decision
OUTSIDE: Final = {"rematch": "yes", "first_holder": "random"}  # questions outside a game
PLAIN: Final = ("open", "take", "pass")  # always tried
PROPOSED: Final = 0.25  # how often a turn thinks of an exchange
AGREED: Final = 0.3  # how often a proposal is agreed to
WARY: Final = -0.5  # of a card that another wants to be rid of, in stars


class Player:
    """What all players share: they keep the events, and never fail to answer.

    A driver that tells events calls `hear` with each before it asks.
    """

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.events: list[Event] = []

    def hear(self, event: Event) -> None:
        """Take note of what happened, as the player's seat was told of it."""
        if len(self.events) >= MAX_EVENTS:
            del self.events[: MAX_EVENTS // 2]
        self.events.append(event)

    def __call__(
        self,
        view: Mapping[str, Any],
        decision: Decision,
        catalog: Catalog,
        events: Sequence[Event] | None = None,
    ) -> Answer:
        """Return an option's id and its value, None if no option can be taken.

        Args:
            view: What the seat sees.
            decision: What it is asked.
            catalog: The cards, by their ids.
            events: All that the seat was told, if not by `hear`.
        """
        options = usable(decision)
        if not options:
            return None
        if len(options) == 1:
            return options[0].id, None
        told = self.events if events is None else events
        try:
            option = self.answer(view, decision, options, catalog, told)
        except (ValueError, LookupError, TypeError):  # a view that no game has
            option = None
        if option is None:
            return decision.default, None
        return option.id, None

    def answer(
        self,
        view: Mapping[str, Any],
        decision: Decision,
        options: list[Option],
        catalog: Catalog,
        events: Sequence[Event],
    ) -> Option | None:
        """Return an option; None for the default."""
        raise NotImplementedError


class Random(Player):
    """Does anything: a random kind of option, then a random option of that kind."""

    def answer(
        self,
        view: Mapping[str, Any],
        decision: Decision,
        options: list[Option],
        catalog: Catalog,
        events: Sequence[Event],
    ) -> Option | None:
        """Return a random option."""
        kind = self.rng.choice(sorted({option.kind for option in options}))
        return self.rng.choice([option for option in options if option.kind == kind])


class Greedy(Player):
    """Does what looks worth most at once; takes no role for granted that lies face down."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.reader = Reader()
        self._habits: Habits | None = None

    def habits(self, lore: Lore) -> Habits:
        """Return the judgement for a set of cards."""
        if self._habits is None or self._habits.lore is not lore:
            self._habits = Habits(lore, self.rng)
        return self._habits

    def answer(
        self,
        view: Mapping[str, Any],
        decision: Decision,
        options: list[Option],
        catalog: Catalog,
        events: Sequence[Event],
    ) -> Option | None:
        """Return what looks best."""
        if decision.kind in OUTSIDE:
            return _of_kind(options, OUTSIDE[decision.kind])
        me = _seat_of(view)
        lore = self.reader.lore(view, catalog)
        habits = self.habits(lore)
        sight = self.reader.sight(view, me, lore, habits, events, ways_of(events))
        return self.choose(sight, view, decision, options)

    def choose(
        self, sight: Sight, view: Mapping[str, Any], decision: Decision, options: list[Option]
    ) -> Option | None:
        """Return the option for a kind of decision."""
        match decision.kind:
            case "turn":
                return self.turn(sight, options)
            case "consent":
                return self.consent(sight, view, options)
            case "may":
                return self.may(sight, view, options)
            case "marker":
                return self.marker(sight, view, options)
            case "yield":
                return self.hand_over(sight, options)
            case _:
                return None

    # --- turns -----------------------------------------------------------------------------------

    def looks(self, sight: Sight, moves: Sequence[Move]) -> list[float]:
        """Return what moves look worth, with the hidden roles left open."""
        habits = self.habits(sight.position.lore)
        p = self.guess(sight)
        w = habits.wants(p, sight.me)
        return [habits.move_worth(p, sight.me, w, move) for move in moves]

    def guess(self, sight: Sight) -> Position:
        """Return a position that may be; what is hidden in it is drawn evenly."""
        p = sight.position
        known = {seat: p.role[seat] for seat in SEATS if p.role[seat] >= 0} | sight.roles
        free = [role.number for role in p.lore.roles if role.number not in known.values()]
        self.rng.shuffle(free)
        deal = [known[seat] if seat in known else free.pop() for seat in SEATS]
        knows = self.habits(p.lore).knows
        knows[sight.me] = [seat in sight.roles for seat in SEATS]
        return sight.imagine(self.rng, deal)

    def turn(self, sight: Sight, options: list[Option]) -> Option | None:
        """Return an action."""
        found = _moves(options, sight.position.lore)
        looks = self.looks(sight, [move for move, _ in found])
        best = max(looks)
        return self.rng.choice(
            [o for (_, o), look in zip(found, looks, strict=True) if look == best]
        )

    # --- questions on the way ----------------------------------------------------------------------

    def consent(
        self, sight: Sight, view: Mapping[str, Any], options: list[Option]
    ) -> Option | None:
        """Refuse."""
        del sight, view
        return _of_kind(options, "refuse")

    def may(self, sight: Sight, view: Mapping[str, Any], options: list[Option]) -> Option | None:
        """Agree to what looks worth something."""
        p = self.guess(sight)
        ability, move = action_of(view, p)
        may = None if ability is None else ability.may[p.hour]
        if may is None:
            return _of_kind(options, "no")
        wishes = self.habits(p.lore).wishes(p, sight.me, move, may.strokes)
        return _of_kind(options, "yes" if wishes else "no")

    def marker(self, sight: Sight, view: Mapping[str, Any], options: list[Option]) -> Option | None:
        """Take the start marker."""
        del view
        return next((o for o in options if o.args.get("seat") == sight.me), None)

    def hand_over(self, sight: Sight, options: list[Option]) -> Option | None:
        """Yield the first face-down skill."""
        del sight
        return options[0]


class Deducer(Greedy):
    """Tries what it might do in imagined games, dealt by what it believes of the others."""

    def __init__(self, rng: random.Random, turns: int = TURNS) -> None:
        super().__init__(rng)
        self.turns = turns
        self._search: Search | None = None

    def search(self, lore: Lore) -> Search:
        """Return the search for a set of cards."""
        if self._search is None or self._search.lore is not lore:
            self._search = Search(lore, self.rng, self.turns)
        return self._search

    def habits(self, lore: Lore) -> Habits:
        """Return the judgement for a set of cards."""
        return self.search(lore).habits

    def answer(
        self,
        view: Mapping[str, Any],
        decision: Decision,
        options: list[Option],
        catalog: Catalog,
        events: Sequence[Event],
    ) -> Option | None:
        """Return what does best in imagined games."""
        if decision.kind in OUTSIDE:
            return _of_kind(options, OUTSIDE[decision.kind])
        me = _seat_of(view)
        lore = self.reader.lore(view, catalog)
        search = self.search(lore)
        sight = self.reader.sight(view, me, lore, search.habits, events, ways_of(events))
        search.evidence.gather(sight.position, events)
        return self.choose(sight, view, decision, options)

    def turn(self, sight: Sight, options: list[Option]) -> Option | None:
        """Return an action."""
        search = self.search(sight.position.lore)
        found = self.some(_moves(options, sight.position.lore))
        moves = [move for move, _ in found]
        looks = search.looks(sight, moves)
        best_look = moves[max(range(len(moves)), key=lambda at: looks[at])]

        def start(p: Position, at: int) -> None:
            move = moves[at]
            if move.kind == "exchange" and self.rng.random() > AGREED:
                move = best_look
            p.make(sight.me, move)

        plain = [at for at, move in enumerate(moves) if move.kind in PLAIN]
        at = search.best(sight, range(len(moves)), looks, start, plain)
        return found[at][1]

    def some(self, found: list[tuple[Move, Option]]) -> list[tuple[Move, Option]]:
        """Return what is looked at: all but exchanges, and of them one now and then."""
        kept = [(move, option) for move, option in found if move.kind != "exchange"]
        exchanges = [(move, option) for move, option in found if move.kind == "exchange"]
        if exchanges and self.rng.random() < PROPOSED:
            kept.append(self.rng.choice(exchanges))
        return kept or found

    def consent(
        self, sight: Sight, view: Mapping[str, Any], options: list[Option]
    ) -> Option | None:
        """Exchange if it does better than what the other would do else."""
        search = self.search(sight.position.lore)
        lore, me = sight.position.lore, sight.me
        proposal = as_dict(as_dict(view.get("table")).get("proposal"))
        other = as_int(proposal.get("seat"), -1)
        theirs = lore.skill_number.get(as_str(proposal.get("card")), -1)
        if other not in SEATS:
            return None

        def start(p: Position, option: Option) -> None:
            card = lore.skill_number.get(as_str(option.args.get("card")))
            if card is None:
                p.make(other, search.habits.choose(p, other))
            else:
                p.make(me, Move("exchange", seat=other, skill=card, target_skill=theirs))

        looks = [0.0 if option.kind == "refuse" else WARY for option in options]
        return search.best(sight, options, looks, start)

    def may(self, sight: Sight, view: Mapping[str, Any], options: list[Option]) -> Option | None:
        """Say yes where it does better."""
        search = self.search(sight.position.lore)
        ability, move = action_of(view, sight.position)
        may = None if ability is None else ability.may[sight.position.hour]
        if may is None:
            return _of_kind(options, "no")

        def start(p: Position, option: Option) -> None:
            if option.kind == "yes":
                for effect in may.effects:
                    effect(p, sight.me, move)
            p.settle()

        p = self.guess(sight)
        likes = search.habits.wishes(p, sight.me, move, may.strokes)
        looks = [0.5 if (option.kind == "yes") == likes else 0.0 for option in options]
        return search.best(sight, options, looks, start)

    def marker(self, sight: Sight, view: Mapping[str, Any], options: list[Option]) -> Option | None:
        """Give the start marker to whom it does best."""
        del view

        def start(p: Position, option: Option) -> None:
            p.start = as_int(option.args.get("seat"))
            p.settle()

        looks = [0.3 if option.args.get("seat") == sight.me else 0.0 for option in options]
        return self.search(sight.position.lore).best(sight, options, looks, start)


def _seat_of(view: Mapping[str, Any]) -> int:
    """Return whose view it is: whoever is asked; all are, whether to play again."""
    asked = ints_in(view.get("asked"))
    if len(asked) != 1 or asked[0] not in SEATS or "you" not in view:
        raise ValueError("nobody is asked alone")
    return asked[0]


def _moves(options: Sequence[Option], lore: Lore) -> list[tuple[Move, Option]]:
    found = [(move, option) for option in options if (move := move_of(option, lore)) is not None]
    if not found:
        raise ValueError("no option that is known")
    return found


def _of_kind(options: Sequence[Option], kind: str) -> Option | None:
    return next((option for option in options if option.kind == kind), None)


def by_table(player: Player) -> Play:
    """Return a player that takes the events from the table."""

    def choose(table: Table, decision: Decision, catalog: Catalog) -> Answer:
        events = [entry.event for entry in table.log]
        return player(table.view, decision, catalog, events)

    return choose


def random_player(rng: random.Random) -> Player:
    """Return a player that does anything."""
    return Random(rng)


def greedy_player(rng: random.Random) -> Player:
    """Return a player that does what looks worth most at once."""
    return Greedy(rng)


def deduce_player(rng: random.Random) -> Player:
    """Return a player that deduces roles and tries ahead."""
    return Deducer(rng)
