"""What holds in every position of yumeochi (§13), checked from outside.

The referee watches a game step by step. It holds each position against three things: the invariants
as they are written; `Model`, which plays the same inputs by the words of the rules; and one `Fold`
for each viewer, which knows nothing but the events that this viewer was sent.
"""

from __future__ import annotations

import hmac
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from attrs import define, field
from kaguraden_rules.entropy import Entropy
from kaguraden_rules.kernel import (
    Act,
    Answer,
    Decision,
    IllegalOption,
    NotYourDecision,
    Pace,
    SeatId,
    Stale,
    Viewer,
    redact,
)
from kaguraden_rules.plain import to_plain
from kaguraden_rules.yumeochi.events import FirstHolderNamed
from kaguraden_rules.yumeochi.options import Options
from kaguraden_rules.yumeochi.state import State

from tests.properties.yumeochi_fold import Fold
from tests.properties.yumeochi_model import Ask, Choice, Deal, Model, Play
from tests.properties.yumeochi_play import BASE, SEATS, YUMEOCHI, Taken

__all__ = ["Referee"]

VIEWERS: tuple[Viewer, ...] = (None, *SEATS)
KINDS = ("open", "use", "take", "give", "exchange", "action", "pass")  # the order of DP-1


def _is_default(options: Options) -> bool:
    """Whether the room plays the base set by the default options (invariant 5)."""
    return options.cards is BASE and options.exchange_proposals == 1


@define
class Match:
    """The model's side of a match: game after game, as the machine plays them (YU-88)."""

    options: Options
    model: Model
    play: Play
    ask: Ask | None = None
    rematch: dict[int, Choice] | None = None
    given: dict[int, Choice] = field(factory=dict)

    @classmethod
    def begin(cls, state: State) -> Match:
        """Take over the deal of a game that has just begun."""
        _check_deal(state)
        model = Model(state.options, _deal(state), state.game_no)
        play = model.run()
        return cls(state.options, model, play, next(play, None))

    def enter(self, taken: Taken) -> None:
        """Put the step's input into the model."""
        before = taken.before
        assert before is not None
        open_ = YUMEOCHI.decisions(before)
        if isinstance(taken.input, Act):
            option = _option(open_[taken.input.seat], taken.input.answer.option)
            self.given[taken.input.seat] = Choice.of(option.kind, option.args)
        else:
            for seat, decision in open_.items():
                option = _option(decision, decision.default)
                self.given[seat] = Choice.of(option.kind, option.args)
        if self.ask is None:
            return
        for event in taken.events:
            if isinstance(event, FirstHolderNamed):
                self.model.first = event.holder
        answers, self.given = self.given, {}
        try:
            self.ask = self.play.send(answers)
        except StopIteration:
            self.ask = None

    @property
    def is_dream(self) -> bool:
        """Whether the game is over and another may follow (YU-87)."""
        result = self.model.result
        return result is not None and result["result"] == "dream"

    @property
    def may_replay(self) -> bool:
        options = self.options
        return options.replay != "off" and self.model.game_no <= options.replay_limit

    def expected(self) -> tuple[str, dict[int, tuple[Choice, ...]], dict[int, Choice]]:
        """Return the phase, the options of each seat asked, and their defaults."""
        if self.ask is not None:
            return self.ask.kind, dict(self.ask.options), dict(self.ask.default)
        if self.is_dream and self.may_replay and self.options.replay == "ask":
            yes, no = Choice.of("yes"), Choice.of("no")
            asked = [seat for seat in SEATS if seat not in self.given]
            if asked:
                return "rematch", dict.fromkeys(asked, (yes, no)), dict.fromkeys(asked, no)
        return "over", {}, {}


def _seen(entry: Any) -> tuple[str, Any]:
    """Return what a seat was shown, as the model notes it."""
    match entry.kind:
        case "received":
            return entry.kind, entry.card
        case "gained":
            return entry.kind, entry.cards
        case _ if entry.what == "time":
            return entry.kind, (entry.position, entry.card)
        case _ if entry.what == "leftover":
            return entry.kind, entry.cards
        case _:
            return entry.kind, (entry.seat, entry.cards)


def _check_deal(state: State) -> None:
    """YU-11, YU-88: all chance comes from the key of the match, in the order that is laid down."""
    key, options = state.key, state.options
    if state.game_no > 1:
        key = hmac.digest(key, f"yumeochi game {state.game_no}".encode(), "sha256")
    stream = Entropy(key)
    roles, stream = stream.shuffle([role.id for role in options.pool])
    skills, stream = stream.shuffle([skill.id for skill in options.cards.skills])
    times, stream = stream.shuffle([time.id for time in options.cards.times])
    holder, _ = stream.pick(4)
    assert [seat.role for seat in state.seats] == list(roles[:4])
    assert [seat.skills[0].card for seat in state.seats] == list(skills[:4])
    assert {held.card for held in state.leftover} == set(skills[4:])
    assert [place.card for place in state.clock] == list(times)
    assert state.origin == (holder if options.first_holder == "random" else None)


def _deal(state: State) -> Deal:
    assert state.hour == 1
    return Deal(
        tuple(seat.role for seat in state.seats),
        tuple(seat.skills[0].card for seat in state.seats),
        tuple(held.card for held in state.leftover),
        tuple(place.card for place in state.clock),
        0 if state.start is None else state.start,
        tuple(seat.life for seat in state.seats),
    )


def _option(decision: Decision, wanted: str) -> Any:
    return next(option for option in decision.options if option.id == wanted)


@define
class Referee:
    """Watches a match step by step."""

    match: Match | None = None
    folds: dict[Viewer, Fold] = field(factory=dict)
    ids: set[str] = field(factory=set)  # of decisions
    texts: set[str] = field(factory=set)  # ids of options, offered anywhere so far
    seen: Counter[str] = field(factory=Counter)  # what happened, for who looks whether all did
    turns: Counter[tuple[int, int]] = field(factory=Counter)
    asked: int = 0  # decisions in this turn
    opened: set[tuple[int, int]] = field(factory=set)
    used: set[Any] = field(factory=set)

    def watch(self, taken: Taken) -> None:
        """Check one step."""
        state = taken.state
        self._follow(taken)
        for event in taken.events:
            self._count(event, state)
        self._fold(taken)
        self._check_cards(state)
        self._check_seats(state)
        if taken.before is not None:
            self._check_dead(taken.before, state)
        self._check_model(state)
        self._check_views(state)
        self._check_decisions(taken)
        self._check_waits(state)

    # --- the course of the game ---

    def _follow(self, taken: Taken) -> None:
        if self.match is not None and taken.input is not None:
            self.match.enter(taken)
        starts = [event for event in taken.events if event.kind == "game_started"]
        assert len(starts) <= 1
        if not starts:
            return
        if self.match is not None:
            match = self.match
            assert match.is_dream
            assert match.may_replay
            if match.options.replay == "ask":
                assert set(match.given.values()) == {Choice.of("yes")}
            assert taken.state.game_no == match.model.game_no + 1
            self.seen["rematch"] += 1
        self.match = Match.begin(taken.state)

    def _count(self, event: Any, state: State) -> None:
        """Invariants 4, 6 and 7, by what was told."""
        plain: Any = to_plain(event)
        self.seen[event.kind] += 1
        hour = plain["hour"]
        assert 1 <= hour <= 12
        match event.kind:
            case "game_started":
                self.opened, self.used, self.turns = set(), set(), Counter()
            case "phase_began":
                origin = plain["origin"]
                order = plain["order"]
                assert order == sorted(order, key=lambda s: (s - origin) % 4)
                assert order[0] == origin
                # Invariant 3; no trigger of the base set moves a marker after step 2 of YU-27.
                assert origin == plain["start"] or state.options.cards is not BASE
                self.used = {u for u in self.used if u[0] == "item"}
            case "action_taken":
                self.turns[hour, plain["seat"]] += 1
                assert self.turns[hour, plain["seat"]] == 1
                if plain["action"] == "open":
                    assert ("open", hour) not in self.used
                    self.used.add(("open", hour))
                if plain["action"] == "use":
                    use = (plain["source"], plain["card"])
                    assert use not in self.used
                    self.used.add(use)
                    assert plain["card"] != "rabbit_figurine" or hour == 7  # YU-57
                self.seen[f"action {plain['action']}"] += 1
                self.seen[f"by {plain['by']}"] += 1
            case "turn_lost":
                self.turns[hour, plain["seat"]] += 1
            case "card_opened":
                assert ("opened", plain["card"]) not in self.used
                assert plain["position"] not in {p for _, p in self.opened}
                self.opened.add((hour, plain["position"]))
                self.used.add(("item", f"opened {plain['card']}"))
            case "game_ended":
                self.seen[f"end {plain['result']}"] += 1

    def _fold(self, taken: Taken) -> None:
        """Every viewer is told of every event (§11), and folds what it is told."""
        cards = taken.state.options.cards
        if not self.folds:
            stars: dict[str, int] = {
                c.id: c.stars for c in (*cards.roles, *cards.skills, *cards.times)
            }
            order: dict[str, int] = {skill.id: n for n, skill in enumerate(cards.skills)}
            self.folds = {viewer: Fold(viewer, stars, order) for viewer in VIEWERS}
        for viewer, fold in self.folds.items():
            for event in taken.events:
                shown = redact(event, viewer)
                assert shown is not None
                fold.take(json.loads(json.dumps(to_plain(shown))))

    # --- invariants by themselves ---

    def _check_cards(self, state: State) -> None:
        """Invariant 1."""
        cards = state.options.cards
        skills = [held.card for seat in state.seats for held in seat.skills]
        skills += [held.card for held in (*state.leftover, *state.removed)]
        assert sorted(skills) == sorted(skill.id for skill in cards.skills)
        assert len(skills) == len(set(skills)) == 6
        lying = [place.card for place in state.clock if place.is_down]
        lying += [place.card for place in state.clock if not place.is_down and place.went is None]
        lying += [card for seat in state.seats for card in (*seat.items, *seat.stock)]
        lying += state.discards
        assert sorted(lying) == sorted(time.id for time in cards.times)
        assert sorted(place.card for place in state.clock) == sorted(lying)
        roles = [*(seat.role for seat in state.seats), *state.undealt]
        assert sorted(roles) == sorted(role.id for role in state.options.pool)
        kinds = {time.id: str(time.time_kind) for time in cards.times}
        for seat in state.seats:
            assert all(kinds[card] == "item" for card in seat.items)
            assert all(kinds[card] == "event_stock" for card in seat.stock)

    def _check_seats(self, state: State) -> None:
        """Invariants 1, 2 and 3."""
        for seat in state.seats:
            assert 0 <= seat.life <= 5
            assert seat.alive or seat.life == 0
            assert seat.life > 0 or not seat.alive or state.stack
            assert bool(seat.skills) is seat.alive
            assert seat.alive or (seat.role_up and not seat.skip and not seat.protected)
        living = [seat for seat in SEATS if state.seats[seat].alive]
        for holder in (state.start, state.origin):
            if state.phase == "first_holder":
                assert holder is None
            else:
                assert (holder in living) if living else holder is None
        assert 1 <= state.hour <= 12
        assert 1 <= state.game_no <= state.options.replay_limit + 1

    def _check_dead(self, before: State, state: State) -> None:
        """Invariants 2 and 8: the dead stay dead, and what is theirs stays where it is."""
        if before.game_no != state.game_no:
            return
        for old, new in zip(before.seats, state.seats, strict=True):
            if not old.alive:
                assert new == old

    # --- against the model and the events ---

    def _check_model(self, state: State) -> None:
        """The position is the one that the rules lead to (invariant 10)."""
        assert self.match is not None
        model = self.match.model
        view: Any = to_plain(YUMEOCHI.view(state, None))
        table = view["table"]
        for number, place in enumerate(model.seats):
            shown = view["seats"][number]
            seat = state.seats[number]
            assert seat.role == place.role
            assert list(map(_seen, seat.seen)) == place.seen
            assert {held.card: held.up for held in seat.skills} == place.skills
            facts = {
                "seat": number, "life": place.life, "alive": not place.dead,
                "skills_up": [s for s in model.in_order(place.skills) if place.skills[s]],
                "skills_down": sum(not up for up in place.skills.values()),
                "items": place.items, "stock": place.stock, "stars": model.public_stars(number),
                "opened": place.opened, "kills": place.kills,
                "role_uses": place.uses[place.role], "skip": place.skip,
                "protected": place.protected,
            }  # fmt: skip
            if place.role_up:
                facts["role"] = place.role
            uses = shown.pop("uses")
            assert Counter(uses) == place.uses
            assert shown == facts, _differences(shown, facts)
        assert table["hour"] == model.hour
        assert table.get("start") == model.start
        assert table.get("origin") == model.origin
        assert table["discards"] == model.discards
        assert table["leftover"] == len(model.leftover)
        assert {h.card: h.up for h in state.leftover} == model.leftover
        assert {h.card for h in state.removed} == set(model.removed)
        if state.phase not in ("first_holder", "over", "rematch"):
            assert table["order"] == model.order
            assert sorted(table["used"]) == sorted(model.used)
            assert set(state.locked) == model.locked
        if state.phase == "turn":
            assert table["acted"] == model.acted
        self._check_proposal(table, model)
        for position, hour in zip(table["clock"], model.clock, strict=True):
            assert position.get("opener") == hour.opener
            assert position.get("card") == (None if hour.down else hour.card)
            assert position.get("went") == hour.went
        assert [place.card for place in state.clock] == [hour.card for hour in model.clock]
        assert view.get("turn") == (None if self.match.ask is None else self.match.ask.turn)
        self._check_result(state, view)

    def _check_proposal(self, table: Any, model: Model) -> None:
        """YU-42 to YU-44, YU-60: what everybody sees of an exchange, and of skills that wait."""
        proposal = table.get("proposal")
        assert (proposal is None) is (model.proposed is None)
        if model.proposed is not None:
            seat, target, card = model.proposed
            is_up = model.seats[seat].skills[card]
            shown = {"seat": seat, "target": target, **({"card": card} if is_up else {})}
            assert proposal == shown
        if model.turn is not None:
            made = len(model.tried) + (model.proposed is not None)
            assert table["proposals_left"] == model.options.exchange_proposals - made
            up = {s for place in model.seats for s, is_up in place.skills.items() if is_up}
            assert set(table["locked"]) == up & model.locked
        assert table["leftover_up"] == [
            s for s in model.in_order(model.leftover) if model.leftover[s]
        ]

    def _check_result(self, state: State, view: Any) -> None:
        """Invariant 12: the winners are those of a recount."""
        assert self.match is not None
        result = view["table"].get("result")
        wanted = self.match.model.result
        if result is not None and "counts" in result:
            result["counts"] = [(count["stars"], count["cards"]) for count in result["counts"]]
        assert result == wanted, _differences(result or {}, wanted or {})
        outcome = YUMEOCHI.outcome(state)
        phase, asked, _ = self.match.expected()
        assert (outcome is not None) is (phase == "over")
        assert view["phase"] == phase
        assert sorted(view["asked"]) == (list(SEATS) if phase == "rematch" else sorted(asked))
        if outcome is not None and wanted is not None:
            first = [rank.seat for rank in outcome.ranking if rank.rank == 1]
            if wanted["winners"]:
                assert sorted(first) == sorted(wanted["winners"])
            else:
                assert len({rank.rank for rank in outcome.ranking}) == 1
            assert outcome.reason == wanted["result"]

    def _check_views(self, state: State) -> None:
        """YU-106 to YU-108: a view is what the events told, to each viewer."""
        for viewer, fold in self.folds.items():
            view: Any = to_plain(YUMEOCHI.view(state, viewer))
            told = fold.shown()
            for seat in view["seats"]:
                del seat["uses"]
            for mine, theirs in zip(view["seats"], told["seats"], strict=True):
                assert mine == theirs, _differences(mine, theirs)
            shown = {key: view["table"][key] for key in told["table"] if key in view["table"]}
            assert shown == told["table"], _differences(shown, told["table"])
            assert ("you" in view) is (viewer is not None)
            if viewer is not None:
                you = view["you"]
                locked = you.pop("locked")
                assert you == told["you"]
                assert set(locked) == set(state.locked) & set(you["skills_down"])
            self._check_hidden(state, viewer, view)

    def _check_hidden(self, state: State, viewer: Viewer, view: Any) -> None:
        """Invariant 14: no id of a face-down card stands where the viewer may not know it."""
        if state.result is not None:
            return
        you = view.pop("you", {})
        del view["table"]["pool"], view["table"]["set"]
        action = view["table"].get("action", {})
        action.pop("role", None)  # a guess
        hidden = {seat.role for seat in state.seats if not seat.role_up}
        hidden |= {held.card for seat in state.seats for held in seat.skills if not held.up}
        hidden |= {held.card for held in (*state.leftover, *state.removed) if not held.up}
        hidden |= {place.card for place in state.clock if place.is_down}
        hidden |= set(state.undealt)
        assert not hidden & set(_strings(view))
        if viewer is not None:
            mine = {state.seats[viewer].role, *state.seats[viewer].skills_down}
            known = {card for entry in you.pop("seen") for card in _strings(entry)}
            assert not (hidden - mine - known) & set(_strings(you))

    # --- what is asked ---

    def _check_decisions(self, taken: Taken) -> None:
        """Invariants 5, 8 and 9: exactly what the rules allow is offered, to the living alone."""
        assert self.match is not None
        state = taken.state
        decisions = YUMEOCHI.decisions(state)
        kind, asked, defaults = self.match.expected()
        assert set(decisions) == set(asked)
        for seat, decision in decisions.items():
            assert decision.kind == kind
            assert kind in ("rematch", "first_holder") or state.seats[seat].alive
            choices = [Choice.of(option.kind, option.args) for option in decision.options]
            assert len(set(choices)) == len(choices)
            assert len({option.id for option in decision.options}) == len(choices)
            assert set(choices) == set(asked[seat]), set(choices) ^ set(asked[seat])
            default = _option(decision, decision.default)
            assert Choice.of(default.kind, default.args) == defaults[seat]
            if kind == "turn":
                kinds = [KINDS.index(option.kind) for option in decision.options]
                assert kinds == sorted(kinds)
            else:
                assert choices == list(asked[seat])
            self.texts |= {option.id for option in decision.options}
            self.seen[f"asked {kind}"] += 1
        self._check_ids(taken, decisions)
        begins = any(e.kind in ("action_taken", "phase_began", "turn_lost") for e in taken.events)
        if kind == "turn" and (begins or not isinstance(taken.before, State)):
            self.asked = 0
        self.asked += bool(decisions)
        if kind == "turn" and taken.before is not None:
            ended = taken.before.hour != state.hour or taken.before.place != state.place
            self.asked = 1 if ended else self.asked
        if _is_default(state.options) and kind != "rematch":
            assert self.asked <= 5

    def _check_ids(self, taken: Taken, decisions: Any) -> None:
        """A decision's id is never used again; one that is still open keeps it."""
        before = {} if taken.before is None else YUMEOCHI.decisions(taken.before)
        for seat, decision in decisions.items():
            if decision == before.get(seat):
                continue
            assert decision.id not in self.ids
            self.ids.add(decision.id)

    def check_refusals(self, state: State) -> None:
        """Invariant 9: each listed option is taken, and nothing else is."""
        plain = json.dumps(to_plain(state))
        decisions = YUMEOCHI.decisions(state)
        for seat, decision in decisions.items():
            listed = {option.id for option in decision.options}
            for text in listed:
                assert YUMEOCHI.act(state, seat, Answer(decision.id, text)).state != state
            for text in (self.texts | {"", "Pass", "pass:0", "use:", "open:1"}) - listed:
                assert _is_refused(state, seat, Answer(decision.id, text), IllegalOption)
            assert _is_refused(state, seat, Answer("9.9", decision.default), Stale)
        for seat in set(SEATS) - set(decisions):
            for decision in decisions.values():
                answer = Answer(decision.id, decision.default)
                assert _is_refused(state, seat, answer, NotYourDecision)
        assert json.dumps(to_plain(state)) == plain

    def _check_waits(self, state: State) -> None:
        """YU-102, YU-103: clocks are those of the room, whatever is asked."""
        waits = YUMEOCHI.waits(state)
        options = state.options
        decisions = YUMEOCHI.decisions(state)
        limits = {"turn": options.clock_turn, "consent": options.clock_consent}
        running = [wait for wait in waits if not wait.held]
        assert len(running) == bool(decisions)
        for wait in running:
            assert wait.limit_s == limits.get(state.phase.value, options.clock_followup)
            assert wait.pace is (Pace.TURN if state.phase == "turn" else Pace.CHOICE)
            assert set(wait.pending) == set(decisions)
            asked = SEATS if state.phase == "rematch" else tuple(decisions)
            assert tuple(wait.seats) == tuple(asked)
        for wait in waits:
            assert wait.absent_s == options.clock_absent
            assert not wait.private
            assert not wait.minimum
        held = [wait for wait in waits if wait.held]
        assert len(held) == (state.phase == "consent")
        for wait in held:
            assert wait.pace is Pace.TURN
            assert wait.limit_s == options.clock_turn


def _differences(one: Any, two: Any) -> str:
    """Say in which keys two values differ."""
    keys = [key for key in {**one, **two} if one.get(key) != two.get(key)]
    return "; ".join(f"{key}: {one.get(key)} and {two.get(key)}" for key in keys)


def _is_refused(state: State, seat: SeatId, answer: Answer, error: type[Exception]) -> bool:
    try:
        YUMEOCHI.act(state, seat, answer)
    except error:
        return True
    return False


def _strings(value: Any) -> Iterator[str]:
    """Yield every text in a plain value, names of fields left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)
