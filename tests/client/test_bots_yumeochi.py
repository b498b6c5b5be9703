"""The bots of yumeochi: legal answers in whole games, what they believe, and plain tactics."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from kaguraden_client import bots
from kaguraden_client.bots.policy import Choice
from kaguraden_client.bots.yumeochi import (
    Belief,
    Deducer,
    Evidence,
    Greedy,
    Habits,
    Move,
    Player,
    Position,
    Random,
    Reader,
    Sight,
    deduce_player,
    greedy_player,
    move_of,
    worlds,
)
from kaguraden_client.table import LogEntry, Table
from kaguraden_protocol.messages import Decision
from kaguraden_rules.kernel import Answer, SeatId, redact
from kaguraden_rules.plain import to_plain
from kaguraden_rules.yumeochi.game import Yumeochi
from kaguraden_rules.yumeochi.reading import read_set
from kaguraden_rules.yumeochi.sets import SETS

from tests.bench.duel import to_message
from tests.rules.yumeochi_positions import A, B, C, D, at_turn, seat
from tests.rules.yumeochi_positions import Table as Seated

Json = Any

CATALOG: Json = Yumeochi().catalog()["cards"]

SETS_OF_TESTS = Path(__file__).parents[1] / "rules" / "yumeochi_sets"
EXTRA = ["dream_eater", "sleeptalk_detective", "late_sleeper"]


def workshop() -> Yumeochi:
    """Return the game with the set that uses every word of the vocabulary."""
    file = SETS_OF_TESTS / "workshop.toml"
    cards = read_set(file.name, file.read_bytes()).cards
    assert cards is not None
    return Yumeochi(MappingProxyType({**SETS, cards.id: cards}))


class Game:
    """A game in the kernel, as its four seats see it."""

    def __init__(self, seed: int, game: Yumeochi | None = None, **options: Json) -> None:
        self.game: Any = game or Yumeochi()
        parsed = self.game.parse_options(options)
        self.catalog: Json = self.game.catalog(parsed)["cards"]
        entropy = random.Random(seed).randbytes(32)
        step = self.game.setup(parsed, 4, ((),) * 4, entropy)
        self.told: list[list[Json]] = [[], [], [], []]
        self.take(step)

    def take(self, step: Any) -> None:
        self.state = step.state
        for event in step.events:
            for viewer in range(4):
                seen = redact(event, SeatId(viewer))
                if seen is not None:
                    self.told[viewer].append(to_plain(seen))

    def view(self, seat: int) -> Json:
        return to_plain(self.game.view(self.state, SeatId(seat)))

    def asked(self) -> Iterator[tuple[int, Decision]]:
        for who, decision in self.game.decisions(self.state).items():
            yield int(who), to_message(decision)

    def act(self, seat: int, decision: Decision, option: str) -> None:
        self.take(self.game.act(self.state, SeatId(seat), Answer(decision.id, option)))

    @property
    def is_over(self) -> bool:
        return self.game.outcome(self.state) is not None


class Strict:
    """A player that may not fall back on defaults because of an error."""

    def __init__(self, player: Player) -> None:
        self.player = player

    def __call__(self, view: Json, decision: Decision, catalog: Json, events: Json) -> str:
        options = list(decision.options)
        if len(options) == 1:
            return options[0].id
        option = self.player.answer(view, decision, options, catalog, events)
        return decision.default if option is None else option.id


def finish(game: Game, players: list[Player]) -> int:
    """Play to the end; return how many answers it took. Every answer is legal, or `act` raises."""
    strict = [Strict(player) for player in players]
    for number in range(3000):
        if game.is_over:
            return number
        seat, decision = next(game.asked())
        option = strict[seat](game.view(seat), decision, game.catalog, game.told[seat])
        game.act(seat, decision, option)
    raise AssertionError("no end")


def some(rng: random.Random, kinds: str) -> list[Player]:
    """Return four players by their letters."""
    makers: dict[str, Callable[[random.Random], Player]] = {
        "r": Random,
        "g": Greedy,
        "d": lambda rng: Deducer(rng, turns=60),
    }
    return [makers[kind](random.Random(rng.random())) for kind in kinds]


@pytest.mark.parametrize("seed", range(4))
def test_players_answer_legally_in_whole_games(seed: int) -> None:
    finish(Game(seed), some(random.Random(seed), "rdgd"))


@pytest.mark.parametrize("seed", range(4))
def test_players_answer_legally_with_extra_roles(seed: int) -> None:
    finish(Game(seed, roles=EXTRA), some(random.Random(seed), "drdg"))


@pytest.mark.parametrize("seed", range(6))
def test_players_answer_legally_with_a_set_they_never_saw(seed: int) -> None:
    game = Game(seed, workshop(), set="workshop", roles=["usher", "lodger"] if seed % 2 else [])
    finish(game, some(random.Random(seed), "drdr" if seed % 3 else "rgrd"))


@pytest.mark.parametrize(
    "options",
    [
        {"rabbit_price": "figurine_and_skill", "first_holder": "named"},
        {"time_reference": "position", "death_shows_skill": True, "dying_opener": "keep"},
        {"exchange_proposals": 3, "exchange_refused": "spends", "replay": "ask"},
        {"simultaneous_win": "origin_first", "card_count": "starred", "end_reveal": "seats_only"},
    ],
)
def test_players_answer_legally_under_every_option(options: Json) -> None:
    for seed in range(3):
        finish(Game(seed, **options), some(random.Random(seed), "drgr"))


# --- what is believed ----------------------------------------------------------------------------


def heard(table: Seated, seat: SeatId) -> list[Json]:
    """Return all events of a table as a seat was told them."""
    seen = [redact(event, seat) for event in table.events]
    return [to_plain(event) for event in seen if event is not None]


def believed(table: Seated, me: SeatId) -> tuple[Sight, Belief]:
    """Return what a seat sees and believes, of a table at which it has sat all the time."""
    view: Json = to_plain(table.view(me))
    events = heard(table, me)
    reader = Reader()
    lore = reader.lore(view, CATALOG)
    habits = Habits(lore, random.Random(1))
    sight = reader.sight(view, me, lore, habits, events)
    evidence = Evidence(lore, habits)
    evidence.gather(sight.position, events)
    p = sight.position
    known = {s: p.role[s] for s in range(4) if p.role[s] >= 0} | sight.roles
    return sight, worlds(lore, known, evidence)


def chances(table: Seated, me: SeatId, seat: SeatId) -> dict[str, float]:
    """Return how likely `me` holds each role of a seat, in percent."""
    sight, belief = believed(table, me)
    roles = sight.position.lore.roles
    return {role.id: round(100 * belief.chance(seat, role.number)) for role in roles}


def test_before_anything_happened_all_roles_of_others_are_as_likely() -> None:
    table = at_turn(seat("gentleman"))
    assert chances(table, A, B) == {
        "gentleman": 0,
        "night_raven": 33,
        "mainspring_maker": 33,
        "moon_hare": 33,
    }


def test_who_met_a_condition_in_a_window_that_passed_has_not_that_role() -> None:
    # Hour 9: B holds the marker and items. No victory: B is not the Moon Hare.
    table = at_turn(
        seat("gentleman"),
        seat("night_raven", items="dew_umbrella black_quill"),
        hour=9,
        start=B,
    )
    assert chances(table, A, B)["moon_hare"] > 20
    table.passes(A, B, C, D)
    assert table.hour == 10
    assert chances(table, A, B)["moon_hare"] == 0
    assert chances(table, A, C)["moon_hare"] == pytest.approx(50, abs=5)


def test_a_window_is_judged_by_what_lay_open_then() -> None:
    # B has given its item away before the window, and gets it back after it.
    table = at_turn(
        seat("gentleman"),
        seat("night_raven", items="black_quill"),
        hour=9,
        start=B,
    )
    table.act(A, "pass").act(B, "give:black_quill:2").passes(C, D)
    table.act(B, "pass").act(C, "give:black_quill:1")
    assert table.seat(B).items == ("black_quill",)
    assert chances(table, A, B)["moon_hare"] > 0


def test_the_stroke_of_an_hour_is_a_window_too() -> None:
    table = at_turn(seat("night_raven"), seat("moon_hare"), seat("gentleman"), hour=11, start=B)
    table.passes(A, B, C, D)
    assert table.hour == 12
    assert chances(table, A, B)["gentleman"] == 0


def test_a_role_named_wrongly_is_ruled_out() -> None:
    table = at_turn(seat("gentleman", "naming"), seat("night_raven"), seat("moon_hare"))
    table.act(A, "use:naming:1:moon_hare")
    assert chances(table, C, B)["moon_hare"] == 0  # C has it, and knows anyway
    assert chances(table, D, B)["moon_hare"] == 0
    assert chances(table, D, A)["moon_hare"] < chances(table, D, C)["moon_hare"]


def test_a_role_face_up_is_nobody_elses() -> None:
    table = at_turn(seat("gentleman"), seat("night_raven"), seat("moon_hare", up=True))
    assert chances(table, A, C)["moon_hare"] == 100
    assert chances(table, A, B)["moon_hare"] == 0


def test_what_a_seat_does_only_inclines() -> None:
    # Nobody but a Maker makes much of opening card after card.
    table = at_turn(seat("gentleman"), seat("mainspring_maker", "keyhole"), start=B, origin=B)
    for _ in range(3):
        table.act(B, "open" if "open" in table.options(B) else "pass")
        while table.phase != "turn":
            table.act(table.asked[0], table.decisions[table.asked[0]].options[0].id)
        for other in (C, D, A):
            if other in table.asked:
                table.passes(other)
    found = chances(table, A, B)
    assert found["mainspring_maker"] > found["moon_hare"] > 0
    assert found["night_raven"] > 0


def test_a_table_joined_later_gives_no_evidence_of_what_was_before() -> None:
    table = at_turn(
        seat("gentleman"),
        seat("night_raven", items="dew_umbrella black_quill"),
        hour=9,
        start=B,
    )
    table.passes(A, B, C, D)
    assert chances(table, A, B)["moon_hare"] == 0
    table.events = table.events[-1:]  # what began after the window
    assert chances(table, A, B)["moon_hare"] > 0


def test_evidence_may_be_gathered_bit_by_bit() -> None:
    game = Game(11)
    players = some(random.Random(3), "gggg")
    reader = Reader()
    bit_by_bit: Evidence | None = None
    while not game.is_over:
        asked, decision = next(game.asked())
        events = game.told[asked]
        if asked == 0 and decision.kind == "turn":
            view = game.view(0)
            lore = reader.lore(view, game.catalog)
            habits = Habits(lore, random.Random(1))
            sight = reader.sight(view, 0, lore, habits, events)
            bit_by_bit = bit_by_bit or Evidence(lore, habits)
            bit_by_bit.gather(sight.position, events)
            at_once = Evidence(lore, habits)
            at_once.gather(sight.position, events)
            for one, other in zip(bit_by_bit.against, at_once.against, strict=True):
                assert one == pytest.approx(other)
        game.act(
            asked,
            decision,
            Strict(players[asked])(game.view(asked), decision, game.catalog, events),
        )
    assert bit_by_bit is not None


def test_no_role_that_a_seat_has_is_ever_ruled_out() -> None:
    for seed in range(3):
        game = Game(seed, roles=EXTRA if seed else [])
        players = some(random.Random(seed), "grgr")
        reader = Reader()
        while not game.is_over:
            asked, decision = next(game.asked())
            events = game.told[asked]
            view = game.view(asked)
            if decision.kind == "turn":
                lore = reader.lore(view, game.catalog)
                habits = Habits(lore, random.Random(1))
                sight = reader.sight(view, asked, lore, habits, events)
                evidence = Evidence(lore, habits)
                evidence.gather(sight.position, events)
                for number, dealt in enumerate(game.state.seats):
                    if not dealt.role_up:
                        role = lore.role_number[dealt.role]
                        assert evidence.against[number][role] > -25
            option = Strict(players[asked])(view, decision, game.catalog, events)
            game.act(asked, decision, option)


# --- what is remembered --------------------------------------------------------------------------


def test_cards_that_a_seat_has_seen_are_where_they_lie() -> None:
    table = at_turn(seat("gentleman", "keyhole"), clock={1: "alarm_clock", 2: "cracked_mirror"})
    table.act(A, "use:keyhole")
    sight, belief = believed(table, A)
    lore = sight.position.lore
    assert {at: lore.times[card].id for at, card in sight.places.items()} == {
        1: "alarm_clock",
        2: "cracked_mirror",
    }
    rng = random.Random(1)
    for _ in range(5):
        p = sight.imagine(rng, belief.deals[0])
        assert lore.times[p.clock[2]].id == "cracked_mirror"
        assert sorted(p.clock[1:]) == list(range(12))
        held = [skill for skills in (*p.skills, p.leftover) for skill in skills]
        assert sorted(held) == list(range(6))


def test_a_skill_given_away_is_known_to_be_where_it_went() -> None:
    table = at_turn(seat("gentleman", "keyhole"), seat("moon_hare", "lullaby"))
    table.act(A, "exchange:1:keyhole").act(B, "agree:lullaby")
    sight, _ = believed(table, B)
    lore = sight.position.lore
    assert [lore.skills[skill].id for skill in sight.held[A]] == ["lullaby"]


# --- the model -----------------------------------------------------------------------------------


def lies_open(p: Position) -> tuple[object, ...]:
    """Return what can be compared of a model: all but the order of cards in front of a seat."""
    return (
        p.hour,
        p.start,
        p.origin,
        p.life,
        p.alive,
        p.shown,
        [sorted(items) for items in p.items],
        p.stock,
        p.stock_stars,
        p.opened,
        p.uses,
        p.skip,
        p.protected,
        p.down,
        p.used,
        p.order,
        p.at,
    )


class Follower:
    """Answers as the game went where an effect leaves a choice."""

    def __init__(self) -> None:
        self.wish = False
        self.seat = 0

    def wishes(self, p: Position, me: int, m: Move, strokes: object) -> bool:
        return self.wish

    def receiver(self, p: Position, me: int) -> int:
        return self.seat


@pytest.mark.parametrize("seed", range(6))
def test_the_model_is_the_game(seed: int) -> None:
    # Whole random games without exchanges: after every turn the model, which knows all cards, stands
    # where the view says.
    roles = EXTRA if seed % 2 else []
    game = Game(seed, roles=roles)
    rng = random.Random(seed)
    reader = Reader()
    lore = reader.lore(game.view(0), game.catalog)
    judge = Follower()
    kinds = set()
    while not game.is_over and game.state.game_no == 1:
        seat, decision = next(game.asked())
        assert decision.kind == "turn"
        state = game.state
        p = reader.sight(game.view(seat), seat, lore, judge, game.told[seat]).position
        p.role = [lore.role_number[s.role] for s in state.seats]
        p.skills = [tuple(lore.skill_number[h.card] for h in s.skills) for s in state.seats]
        p.clock = [-1, *(lore.time_number[place.card] for place in state.clock)]
        p.leftover = tuple(lore.skill_number[held.card] for held in state.leftover)
        options = [option for option in decision.options if option.kind != "exchange"]
        kind = rng.choice(sorted({option.kind for option in options}))
        option = rng.choice([option for option in options if option.kind == kind])
        kinds.add(kind)
        move = move_of(option, lore)
        assert move is not None
        game.act(seat, decision, option.id)
        judge.wish, judge.seat = rng.random() < 0.5, p.start
        while not game.is_over:
            asked, follow_up = next(game.asked())
            if follow_up.kind == "turn" or game.state.game_no > 1:
                break
            if follow_up.kind == "may":
                game.act(asked, follow_up, "yes" if judge.wish else "no")
            else:
                judge.seat = int(rng.choice(follow_up.options).id.removeprefix("to:"))
                game.act(asked, follow_up, f"to:{judge.seat}")
        p.make(seat, move)
        while p.winners is None:
            if p.at >= 4:
                p.end_phase()
                continue
            following = p.order[p.at]
            p.at += 1
            if p.alive[following]:
                p.protected[following] = False
                if not p.skip[following]:
                    break
                p.skip[following] = False
        result = game.state.result
        if result is not None or game.state.game_no > 1:
            assert p.winners == (() if result is None else tuple(result.winners))
            break
        assert p.winners is None
        asked, _ = next(game.asked())
        seen = reader.sight(game.view(asked), asked, lore, judge, game.told[asked]).position
        assert lies_open(p) == lies_open(seen)
    assert {"open", "take", "pass"} <= kinds


# --- tactics -------------------------------------------------------------------------------------


def answer(table: Seated, me: SeatId, seed: int = 1) -> str:
    """Return what the deducing player answers."""
    view: Json = to_plain(table.view(me))
    decision = to_message(table.decisions[me])
    player = Deducer(random.Random(seed))
    return Strict(player)(view, decision, CATALOG, heard(table, me))


@pytest.mark.parametrize("seed", range(3))
def test_who_acts_last_takes_the_marker_that_wins(seed: int) -> None:
    hare = seat("moon_hare", items="dew_umbrella black_quill")
    table = at_turn(seat("gentleman"), seat(), seat(), hare, hour=9, turn=D)
    assert answer(table, D, seed) == "take"


@pytest.mark.parametrize("seed", range(3))
def test_the_gentleman_takes_the_marker_before_twelve(seed: int) -> None:
    table = at_turn(seat(), seat(), seat(), seat("gentleman", life=3), hour=11, turn=D)
    assert answer(table, D, seed) == "take"


@pytest.mark.parametrize("seed", range(3))
def test_who_acts_last_takes_the_marker_from_one_who_would_win(seed: int) -> None:
    # B has opened five cards and is known to be the Maker.
    maker = seat("mainspring_maker", up=True, opened=5)
    table = at_turn(
        seat("gentleman"),
        maker,
        seat(),
        seat("moon_hare"),
        hour=8,
        start=B,
        turn=D,
        unopened=[7, 8],
    )
    assert answer(table, D, seed) == "take"


@pytest.mark.parametrize("seed", range(3))
def test_who_cannot_take_it_hurts_the_raven_who_would_win(seed: int) -> None:
    # A leads by two lives as the known Raven; D's Talon is the last chance.
    raven = seat("night_raven", up=True, life=5)
    table = at_turn(
        raven,
        seat(life=3),
        seat(life=3),
        seat("gentleman", "crows_talon", life=3),
        hour=8,
        turn=D,
    )
    assert answer(table, D, seed) == "use:crows_talon:0"


@pytest.mark.parametrize("seed", range(3))
def test_the_raven_heals_into_a_winning_lead(seed: int) -> None:
    raven = seat("night_raven", "lullaby", life=4)
    table = at_turn(seat(life=3), seat(life=3), seat(life=3), raven, hour=8, turn=D)
    assert answer(table, D, seed) == "use:lullaby:3"


@pytest.mark.parametrize("seed", range(3))
def test_nobody_opens_a_card_that_kills_him(seed: int) -> None:
    table = at_turn(seat("gentleman", "keyhole", life=2), clock={5: "cracked_mirror"}, hour=5)
    table.act(A, "use:keyhole")
    assert answer(table, A, seed) == "no"


def test_the_same_view_and_chance_give_the_same_answer() -> None:
    for seed in range(3):
        table = at_turn(seat("gentleman"), seat(items="black_quill"), hour=6)
        assert len({answer(table, A, seed) for _ in range(2)}) == 1


def test_what_a_seat_does_not_see_changes_no_answer() -> None:
    # Roles, skills and cards that are face down elsewhere change places: the views are the same.
    one = at_turn(
        seat("gentleman", "lullaby"),
        seat("moon_hare", "keyhole"),
        seat("night_raven", "naming"),
        hour=6,
        clock={6: "cracked_mirror", 7: "midnight_party"},
        leftover="sleight hand_shadow",
    )
    other = at_turn(
        seat("gentleman", "lullaby"),
        seat("night_raven", "sleight"),
        seat("moon_hare", "hand_shadow"),
        hour=6,
        clock={6: "midnight_party", 7: "cracked_mirror"},
        leftover="keyhole naming",
    )
    for seed in range(4):
        assert answer(one, A, seed) == answer(other, A, seed)


# --- levels --------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", list(bots.LEVELS))
def test_every_level_plays_yumeochi_at_a_table(level: str) -> None:
    policy = bots.LEVELS[level](random.Random(1))
    game = Game(5)
    for _ in range(6):
        seat, decision = next(game.asked())
        table = Table("", seat=seat, view=game.view(seat))
        table.log.extend(LogEntry(1, event, 0.0) for event in game.told[seat])
        choice = policy.decide(table, decision, game.catalog)
        assert isinstance(choice, Choice)
        game.act(seat, decision, choice.option)


def test_a_view_that_makes_no_sense_gets_the_default() -> None:
    game = Game(1)
    seat, decision = next(game.asked())
    for make in (greedy_player, deduce_player):
        assert make(random.Random(1))({"asked": [seat]}, decision, {}) == (decision.default, None)


def test_a_player_hears_of_events_or_is_handed_them() -> None:
    game = Game(7)
    finish_until(game, hour=4)
    seat, decision = next(game.asked())
    told, handed = (Deducer(random.Random(2), turns=100) for _ in range(2))
    for event in game.told[seat]:
        told.hear(event)
    view = game.view(seat)
    assert told(view, decision, game.catalog) == handed(
        view, decision, game.catalog, game.told[seat]
    )


def finish_until(game: Game, hour: int) -> None:
    """Play to an hour."""
    players = [Strict(player) for player in some(random.Random(1), "gggg")]
    while not game.is_over and game.state.hour < hour:
        seat, decision = next(game.asked())
        option = players[seat](game.view(seat), decision, game.catalog, game.told[seat])
        game.act(seat, decision, option)


def test_who_deduces_beats_who_is_greedy() -> None:
    # Sixteen games, two seats each, every deal from both sides. Over many games it wins two of three.
    wins = {Deducer: 0.0, Greedy: 0.0}
    for number in range(16):
        game = Game(number // 2)
        rng = random.Random(number)
        players = some(rng, "dgdg" if number % 2 else "gdgd")
        while game.state.result is None and game.state.game_no == 1:
            who, decision = next(game.asked())
            option = Strict(players[who])(game.view(who), decision, game.catalog, game.told[who])
            game.act(who, decision, option)
        winners = () if game.state.result is None else game.state.result.winners
        for winner in winners:
            wins[type(players[winner])] += 1 / len(winners)
    assert wins[Deducer] > wins[Greedy]
