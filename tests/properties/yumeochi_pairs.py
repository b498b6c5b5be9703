"""Pairs of positions that look the same to one viewer, and what the viewer may learn (invariants 13, 14).

A pair is made by exchanging cards that the viewer cannot see: face-down time cards among each other,
face-down skills of the others with each other, with the leftover and with those of the dead, hidden
roles of the others among each other and with the undealt ones. What other seats were shown in
private is changed, too. Both positions are then played on with the same inputs; where an input names
a hidden skill of its seat, it names the one that lies there in the other position. Whatever the
viewer is sent must be the same to the byte, until an event shows a card in which the two differ,
and that only by an event that the rules let show it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final

from attrs import define, evolve, field, fields, frozen, has
from kaguraden_rules.kernel import Answer, CardId, Decision, Event, Option, SeatId, Viewer, redact
from kaguraden_rules.plain import to_plain
from kaguraden_rules.yumeochi.card import CardSet
from kaguraden_rules.yumeochi.state import Held, State, Turn

from tests.properties.yumeochi_play import SEATS, YUMEOCHI, Player, lives, play, random_room

__all__ = ["Leak", "Pair", "make_pair", "pairs_of_a_game", "play_pair"]


_NAMES: Final = ("card", "skill", "own", "target_skill")  # arguments that may name a skill


class Leak(AssertionError):
    """The viewer was sent something that depends on what it may not know."""


# --- making a pair -------------------------------------------------------------------------------


@frozen
class Exchanged:
    """Which cards lie elsewhere in the second position; each id stands for the one in its place."""

    skills: Mapping[str, str]
    roles: Mapping[str, str]
    times: Mapping[str, str]

    def __bool__(self) -> bool:
        return bool(self.skills or self.roles or self.times)


def _permuted(cards: Sequence[str], rng: random.Random, chance: float) -> dict[str, str]:
    """Return a permutation of some of the cards, without those that stay."""
    if rng.random() >= chance or len(cards) < 2:
        return {}
    number = len(cards) if rng.random() < 0.5 else rng.randint(2, len(cards))
    chosen = rng.sample(list(cards), number)
    others = rng.sample(chosen, number)
    return {one: two for one, two in zip(chosen, others, strict=True) if one != two}


def make_pair(state: State, viewer: Viewer, rng: random.Random) -> tuple[State, Exchanged] | None:
    """Return a position that the viewer cannot tell from this one, None where there is none."""
    if state.result is not None or state.phase == "rematch":
        return None
    others = [seat for n, seat in enumerate(state.seats) if n != viewer]
    skills = [held for seat in others for held in seat.skills]
    skills += [*state.leftover, *state.removed]
    exchanged = Exchanged(
        _permuted([held.card for held in skills if not held.up], rng, 0.7),
        _permuted([*(s.role for s in others if not s.role_up), *state.undealt], rng, 0.7),
        _permuted([place.card for place in state.clock if place.is_down], rng, 0.7),
    )
    looks = state.phase == "draw" and viewer in YUMEOCHI.decisions(state)  # at the leftover
    if not exchanged or (looks and exchanged.skills):
        return None
    other = _carried_out(state, viewer, exchanged, rng)
    return None if other == state else (other, exchanged)


def _carried_out(state: State, viewer: Viewer, exchanged: Exchanged, rng: random.Random) -> State:
    cards = state.options.cards
    seats = []
    for number, seat in enumerate(state.seats):
        if number == viewer:
            seats.append(seat)
            continue
        seats.append(
            evolve(
                seat,
                role=CardId(exchanged.roles.get(seat.role, seat.role)),
                skills=_held(cards, seat.skills, exchanged.skills),
                seen=() if rng.random() < 0.5 else seat.seen,
            )
        )
    clock = tuple(evolve(p, card=CardId(exchanged.times.get(p.card, p.card))) for p in state.clock)
    undealt = {exchanged.roles.get(role, role) for role in state.undealt}
    stage, stack = state.stage, state.stack
    if isinstance(stage, Turn) and stage.seat != viewer:
        stage = _renamed(stage, exchanged.skills)
        stack = tuple(
            evolve(frame, picks=_renamed(frame.picks, exchanged.skills)) for frame in stack
        )
    return evolve(
        state,
        seats=tuple(seats),
        clock=clock,
        leftover=_held(cards, state.leftover, exchanged.skills),
        removed=_held(cards, state.removed, exchanged.skills),
        undealt=tuple(role.id for role in cards.roles if role.id in undealt),
        locked=tuple(CardId(exchanged.skills.get(card, card)) for card in state.locked),
        stage=stage,
        stack=stack,
    )


def _held(cards: CardSet, skills: Iterable[Held], exchanged: Mapping[str, str]) -> tuple[Held, ...]:
    found = {exchanged.get(held.card, held.card): held.up for held in skills}
    return tuple(Held(skill.id, found[skill.id]) for skill in cards.skills if skill.id in found)


def _renamed(value: Any, exchanged: Mapping[str, str]) -> Any:
    """Return a value with the skills in it renamed, in all that it is made of."""
    if isinstance(value, str):
        return exchanged.get(value, value)
    if not has(type(value)):
        return value
    parts = {part.name: getattr(value, part.name) for part in fields(type(value)) if part.init}
    return evolve(value, **{name: _renamed(part, exchanged) for name, part in parts.items()})


# --- playing a pair ------------------------------------------------------------------------------


def _sent(state: State, events: Iterable[Event], viewer: Viewer) -> dict[str, str]:
    """Return everything that one step and the position after it give a viewer."""
    decisions = YUMEOCHI.decisions(state)
    asked = [(seat, decision.id, decision.kind) for seat, decision in decisions.items()]
    mine = None if viewer is None else decisions.get(viewer)
    parts: dict[str, Any] = {
        "events": [to_plain(redact(event, viewer)) for event in events],
        "view": to_plain(YUMEOCHI.view(state, viewer)),
        "decision": to_plain(mine),
        "asked": asked,  # and with ids, which count what was asked (YU-100)
        "waits": [to_plain(wait) for wait in YUMEOCHI.waits(state)],
    }
    return {name: json.dumps(part) for name, part in parts.items()}


@define
class Pair:
    """Two positions that a viewer cannot tell apart."""

    viewer: Viewer
    one: State
    two: State
    exchanged: Exchanged
    steps: int = 0
    revealed_by: str | None = None
    _texts: dict[SeatId, set[str]] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self._compare((), ())

    def _compare(self, first: Iterable[Event], second: Iterable[Event]) -> None:
        a, b = _sent(self.one, first, self.viewer), _sent(self.two, second, self.viewer)
        for part, text in a.items():
            if text != b[part]:
                raise Leak(f"viewer {self.viewer} sees different {part}:\n{text}\n{b[part]}")

    def step(self, player: Player) -> bool:
        """Play both on with one input; False when the pair is over."""
        one, two = YUMEOCHI.decisions(self.one), YUMEOCHI.decisions(self.two)
        if self.revealed_by is not None or not one:
            return False
        seat = player.rng.choice(sorted(one))
        common = list(self._common(seat, one[seat], two[seat]))
        choice = player.choose(
            evolve(one[seat], options=tuple(a for a, _ in common)), lives(self.one)
        )
        if choice is None or not common:
            wait = next(w.id for w in YUMEOCHI.waits(self.one) if seat in w.pending and not w.held)
            first, second = YUMEOCHI.expire(self.one, wait), YUMEOCHI.expire(self.two, wait)
        else:
            other = next(b for a, b in common if a is choice)
            first = YUMEOCHI.act(self.one, seat, Answer(one[seat].id, choice.id))
            second = YUMEOCHI.act(self.two, seat, Answer(two[seat].id, other.id))
        self.one, self.two = first.state, second.state
        self.steps += 1
        if not self._reveals(first.events, second.events):
            self._compare(first.events, second.events)
        return self.revealed_by is None

    def _common(
        self, seat: SeatId, one: Decision, two: Decision
    ) -> Iterator[tuple[Option, Option]]:
        """Yield the answers that both positions take: the viewer's the same, others' alike."""
        theirs = {(o.kind, json.dumps(o.args, sort_keys=True)): o for o in two.options}
        for option in one.options:
            args: dict[str, Any] = dict(option.args)
            other = theirs.get((option.kind, json.dumps(args, sort_keys=True)))
            if other is None and seat != self.viewer:
                for name in _NAMES:
                    if name in args:
                        args[name] = self.exchanged.skills.get(args[name], args[name])
                other = theirs.get((option.kind, json.dumps(args, sort_keys=True)))
            if other is not None and _up(self.one, option) == _up(self.two, other):
                yield option, other

    def _reveals(self, one: Sequence[Event], two: Sequence[Event]) -> bool:
        """Whether the first event that differs for the viewer rightly does; note which."""
        for x, y in zip_longest(one, two):
            a, b = (self._told(event) for event in (x, y))
            if a != b:
                if not self._may_differ(a, b):
                    raise Leak(f"viewer {self.viewer} is told\n{a}\n{b}")
                self.revealed_by = str(a["kind"])
                return True
        return False

    def _told(self, event: Event | None) -> Any:
        return {"kind": None} if event is None else to_plain(redact(event, self.viewer))

    def _may_differ(self, one: Any, two: Any) -> bool:
        """Whether the rules let an event depend on what was exchanged (invariant 13)."""
        kinds = {one["kind"], two["kind"]}
        if self.exchanged.roles and kinds & {"first_victory", "role_revealed"}:
            return True  # a role is shown, or the condition of one is fulfilled (YU-92)
        if len(kinds) > 1:
            return False
        cards = {one.get("card"), two.get("card")}
        match one["kind"]:
            case "card_opened":
                return bool(cards & set(self.exchanged.times))
            case "peeked":
                every = {
                    **self.exchanged.times, **self.exchanged.skills, **self.exchanged.roles
                }  # fmt: skip
                mine = one["seat"] == two["seat"] == self.viewer
                return mine and bool(set(one["cards"]) & set(every))
            case "skills_exchanged" | "skills_swapped":
                mine = self.viewer in (one["seat"], one["target"])
                return mine and bool(_values(one) & set(self.exchanged.skills))
            case "skill_drawn" | "leftover_taken":
                mine = one["seat"] == self.viewer
                return mine and bool(_values(one) & set(self.exchanged.skills))
            case "skill_revealed":
                return bool(cards & set(self.exchanged.skills))
            case "action_taken" if one["action"] == two["action"] == "role_action":
                return bool(cards & set(self.exchanged.roles))
            case "action_taken":  # a first use shows the card
                return one["action"] == "use" and bool(cards & set(self.exchanged.skills))
            case "guess_made":
                seat = one["target"]
                was = [state.seats[seat].role for state in (self.one, self.two)]
                return len(set(was)) > 1
            case "final_count" | "game_ended":
                return bool(self.exchanged.roles or self.exchanged.skills)
            case "all_revealed":
                return True
        return False


def _up(state: State, option: Option) -> list[bool]:
    """Tell which of the skills that an option names lie face up; that is public."""
    up = {held.card for seat in state.seats for held in seat.skills if held.up}
    return [option.args.get(name) in up for name in _NAMES]


def _values(event: Any) -> set[CardId]:
    found: set[CardId] = set()
    for value in event.values():
        found |= set(value) if isinstance(value, list) else {value}
    return found


def play_pair(state: State, viewer: Viewer, rng: random.Random, steps: int) -> Pair | None:
    """Make a pair of a position and play it for so many steps at most."""
    made = make_pair(state, viewer, rng)
    if made is None:
        return None
    other, exchanged = made
    begun = [YUMEOCHI.begin(evolve(position, decisions=())).state for position in (state, other)]
    pair = Pair(viewer, begun[0], begun[1], exchanged)
    player = Player.of(rng)
    player.silence = rng.choice((0.0, 0.0, 0.1))
    for _ in range(steps):
        if not pair.step(player):
            break
    return pair


def pairs_of_a_game(seed: int, number: int, steps: int, cards: CardSet | None = None) -> list[Pair]:
    """Play a game, stop at some positions of it, and play a pair on from each."""
    rng = random.Random(seed)
    states = [taken.state for taken in play(random_room(rng, cards), rng)][:-1]
    by_phase: dict[str, list[State]] = {}
    for state in states:
        by_phase.setdefault(state.phase.value, []).append(state)
    pairs = []
    for _ in range(number):
        if not by_phase:
            break
        phase = rng.choice(sorted(by_phase))
        pair = play_pair(rng.choice(by_phase[phase]), rng.choice((None, *SEATS)), rng, steps)
        if pair is not None:
            pairs.append(pair)
    return pairs
