"""The bots: when they answer, how they choose, and that no server can crash them."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from kaguraden_client import bots
from kaguraden_client.bots import odoriko
from kaguraden_client.bots.greedy import GreedyPolicy
from kaguraden_client.bots.heuristic import HeuristicPolicy
from kaguraden_client.bots.player import Player
from kaguraden_client.bots.policy import Choice, any_value
from kaguraden_client.bots.random import RandomPolicy
from kaguraden_client.session import Session
from kaguraden_client.table import Table
from kaguraden_protocol import codec, messages
from kaguraden_protocol.messages import CardsSpec, Decision, IntSpec, Option, OrderSpec, UnknownSpec
from kaguraden_rules.kernel import CardId
from kaguraden_rules.odoriko import scoring
from kaguraden_rules.odoriko.catalog import catalog as rules_catalog
from kaguraden_rules.odoriko.options import parse_options
from kaguraden_rules.odoriko.packs import builtin_cards

from tests.client.scripts import ROOM, TOKEN, Script, decision, hello_result, info, update

Json = Any


def policy(seed: int = 1) -> RandomPolicy:
    return RandomPolicy(random.Random(seed))


def answer(player: Player, due: Decision) -> None:
    assert player.table is not None
    player.answer(due, player.choose(player.table, due))


# --- when it answers -----------------------------------------------------------------------------


def seated() -> tuple[Script, Player]:
    """Return a player at seat 0 of a game that goes on, and the server's end."""
    script = Script(Session("Aki", bot=True))
    player = Player(script.session, ROOM, policy())
    script.session.token = TOKEN
    script.connect()
    tell(
        script, player, script.greet(resumed=True, rooms=[{"room": ROOM, "seat": 0, "last_seq": 0}])
    )
    tell(script, player, script.say({"type": "room", "room": ROOM, "info": info(phase="playing")}))
    sync, catalog = script.asked()
    assert isinstance(sync, messages.Sync)
    assert isinstance(catalog, messages.Catalog)
    tell(script, player, script.say(game(1, full=True)))
    tell(script, player, script.ok(sync, seq=1))
    assert player.due() is None
    tell(script, player, script.ok(catalog, version="1", packs=[], cards={}))
    return script, player


def tell(script: Script, player: Player, events: list[Any]) -> None:
    for event in events:
        player.take(event)


def game(seq: int, number: int = 1, *, asked: tuple[int, ...] = (0,), **changes: Json) -> Json:
    view = {"game": "new", "phase": "turns", "asked": list(asked)}
    return update(seq, view=view, **{"decisions": [decision(number)], **changes})


def test_a_decision_is_answered_once_and_only_when_the_catalog_is_in() -> None:
    script, player = seated()
    due = player.due()
    assert due is not None
    answer(player, due)
    (act,) = script.asked()
    assert isinstance(act, messages.Act)
    assert act.option in {"draw:resource", "end_turn"}
    assert player.due() is None
    answer(player, due)
    assert script.asked() == []


def test_a_seat_that_is_not_asked_does_not_answer_a_decision_that_stays_open() -> None:
    script, player = seated()
    tell(script, player, script.say(game(2, 2, asked=(1,))))
    assert player.due() is None
    tell(script, player, script.say(game(3, 2, asked=(0, 1))))
    assert player.due() is not None


def test_a_decision_that_is_over_is_not_answered() -> None:
    script, player = seated()
    old = player.due()
    assert old is not None
    tell(script, player, script.say(game(2, 2)))
    answer(player, old)
    assert script.asked() == []


def test_a_table_that_is_not_current_waits() -> None:
    script, player = seated()
    tell(script, player, script.say(game(5, 5)))  # 2 to 4 are missing
    assert player.due() is None


def test_a_game_that_is_over_ends_the_player() -> None:
    script, player = seated()
    over = {"game": "new", "phase": "over", "asked": [], "outcome": {"ranking": []}}
    tell(script, player, script.say(update(2, view=over)))
    assert player.due() is None


def test_a_refused_answer_is_kept_and_a_stale_one_is_no_matter() -> None:
    script, player = seated()
    due = player.due()
    assert due is not None
    answer(player, due)
    (act,) = script.asked()
    tell(script, player, script.error(act, "stale", current=["0.2"]))
    assert player.refusals == []
    tell(script, player, script.say(game(2, 2)))
    due = player.due()
    assert due is not None
    answer(player, due)
    (act,) = script.asked()
    tell(script, player, script.error(act, "illegal_option"))
    assert [refusal.code for refusal in player.refusals] == ["illegal_option"]


@pytest.mark.parametrize("seat_first", [True, False])
def test_a_seat_in_the_lobby_gets_ready_with_a_nonce(seat_first: bool) -> None:
    script = Script(Session("Aki", bot=True))
    player = Player(script.session, ROOM, policy())
    script.connect()
    tell(script, player, script.greet())
    (join,) = script.asked()
    assert isinstance(join, messages.Join)
    told: list[Callable[[], list[Any]]] = [
        lambda: script.ok(join, room=ROOM, seat=0),
        lambda: script.say({"type": "room", "room": ROOM, "info": info()}),
    ]
    for say in told if seat_first else reversed(told):
        tell(script, player, say())
    kinds = {type(request): request for request in script.asked()}
    ready = kinds[messages.Ready]
    assert isinstance(ready, messages.Ready)
    assert ready.ready
    assert ready.nonce is not None
    seats = [{"seat": 0, "user": "u0", "name": "Aki", "ready": True}]
    tell(script, player, script.say({"type": "room", "room": ROOM, "info": info(seats=seats)}))
    assert script.asked() == []


def test_the_cards_are_those_of_the_rooms_options_whenever_these_are_chosen() -> None:
    """As of the set of a room of yumeochi."""
    script = Script(Session("Aki", bot=True))
    player = Player(script.session, ROOM, policy())
    script.connect()
    tell(script, player, script.greet())
    (join,) = script.asked()
    tell(script, player, script.say({"type": "room", "room": ROOM, "info": info()}))
    tell(script, player, script.ok(join, room=ROOM, seat=0))
    first = asked_for_cards(script)
    assert (first.game, first.options) == ("odoriko", {})
    told = info(options={"set": "other"})
    tell(script, player, script.say({"type": "room", "room": ROOM, "info": told}))
    second = asked_for_cards(script)
    assert second.options == {"set": "other"}
    tell(script, player, script.ok(first, version="1", packs=[], cards={}))
    told = info(phase="playing", options={"set": "other"})
    tell(script, player, script.say({"type": "room", "room": ROOM, "info": told}))
    tell(script, player, script.say(game(1, full=True)))
    assert script.asked() == []
    assert player.due() is None, "the cards of other options help nobody"
    tell(script, player, script.ok(second, version="2", packs=[], cards={}))
    assert player.due() is not None


def asked_for_cards(script: Script) -> messages.Catalog:
    (catalog,) = (r for r in script.asked() if isinstance(r, messages.Catalog))
    return catalog


def test_without_a_seat_there_is_nothing_to_play() -> None:
    script = Script(Session("Aki", bot=True))
    player = Player(script.session, ROOM, policy())
    script.connect()
    tell(script, player, script.greet())
    (join,) = script.asked()
    tell(script, player, script.error(join, "room_full"))
    assert player.due() is None


# --- over a transport -----------------------------------------------------------------------------


class Channel:
    """A bot's end of a connection, and the server's."""

    def __init__(self) -> None:
        self.to_bot, self.from_server = trio.open_memory_channel[str](100)
        self.to_server, self.from_bot = trio.open_memory_channel[str](100)

    async def send(self, text: str) -> None:
        await self.to_server.send(text)

    async def receive(self) -> str:
        try:
            return await self.from_server.receive()
        except trio.EndOfChannel:
            raise EOFError from None

    async def aclose(self) -> None:
        self.to_server.close()


class House:
    """A server for one bot that offers so many turns, then ends the game."""

    def __init__(self, turns: int, *, human: bool, **options: Json) -> None:
        self.turns = turns
        self.options = options
        self.human = human
        self.channel = Channel()
        self.acts: list[tuple[float, messages.Act]] = []

    async def say(self, message: Mapping[str, Json]) -> None:
        await self.channel.to_bot.send(json.dumps(message))

    async def ok(self, request: messages.Request, **result: Json) -> None:
        await self.say({"type": "ok", "re": request.id, "result": result})

    async def run(self) -> None:
        seats = [
            {"seat": 0, "user": "b", "name": "Bot", "bot": "random", "ready": True},
            {"seat": 1, "user": "x", "name": "X", **({} if self.human else {"bot": "random"})},
        ]
        async for text in self.channel.from_bot:
            request = codec.decode_request(text)
            match request:
                case messages.Hello():
                    assert request.resume == TOKEN
                    assert request.bot
                    mine = [{"room": ROOM, "seat": 0, "last_seq": 0}]
                    told = hello_result(user="b", token="n" * 32, resumed=True, rooms=mine)
                    await self.ok(request, **told)
                    lobby = info(phase="playing", seats=seats, options=self.options)
                    await self.say({"type": "room", "room": ROOM, "info": lobby})
                case messages.Sync():
                    await self.say(game(1, full=True))
                    await self.ok(request, seq=1)
                case messages.Catalog():
                    await self.ok(request, version="1", packs=[], cards={})
                case messages.Act():
                    self.acts.append((trio.current_time(), request))
                    turn = len(self.acts)
                    over = {"game": "new", "phase": "over", "asked": [], "outcome": {"ranking": []}}
                    if turn < self.turns:
                        await self.say(game(turn + 1, turn + 1))
                    else:
                        await self.say(update(turn + 1, view=over))
                    await self.ok(request, seq=turn + 1)
                case _:
                    raise AssertionError(f"unasked for: {request}")
        self.channel.to_bot.close()


@pytest.mark.parametrize("level", list(bots.LEVELS))
async def test_an_entry_point_plays_over_any_transport_until_the_game_is_over(
    level: str, nursery: trio.Nursery
) -> None:
    house = House(5, human=False)
    nursery.start_soon(house.run)
    play = getattr(bots, f"{level}_bot")
    with trio.fail_after(5):
        await play(house.channel, token=TOKEN, room=ROOM, name="Bot")
    assert [act.decision for _, act in house.acts] == [f"0.{n}" for n in range(1, 6)]


async def test_beside_people_a_bot_takes_its_time_and_among_bots_it_does_not(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    for human in (True, False):
        house = House(5, human=human)
        nursery.start_soon(house.run)
        start = trio.current_time()
        think = bots.polite(1000, random.Random(3))
        await bots.run_bot(house.channel, policy(), token=TOKEN, room=ROOM, name="Bot", think=think)
        waits = [at - start for at, _ in house.acts]
        if human:
            assert 0.5 <= waits[0] <= 1.5
            assert 2.5 <= waits[-1] <= 7.5
        else:
            assert waits[-1] == 0


class Dawdler:
    """Takes longer with every choice."""

    def __init__(self, clock: trio.testing.MockClock, *, slow: bool) -> None:
        self.clock = clock
        self.slow = slow
        self.seconds = 0.25

    def is_slow(self, _table: Table) -> bool:
        return self.slow

    def decide(self, _table: Table, due: Decision, _catalog: Mapping[str, Json]) -> Choice | None:
        self.clock.jump(self.seconds)
        self.seconds *= 2
        return Choice(due.options[0].id)


@pytest.mark.parametrize("slow", [False, True])
@pytest.mark.parametrize("human", [False, True])
async def test_in_a_room_with_a_pace_a_bot_answers_that_long_after_it_was_asked(
    slow: bool, human: bool, nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    """YU-102: however long it took to choose, so that timing tells nothing."""
    house = House(4, human=human, bot_pace=2)
    nursery.start_soon(house.run)
    start = trio.current_time()
    await bots.run_bot(
        house.channel,
        Dawdler(autojump_clock, slow=slow),
        token=TOKEN,
        room=ROOM,
        name="Bot",
        think=bots.polite(5000, random.Random(3)),
    )
    assert [at - start for at, _ in house.acts] == pytest.approx([2, 4, 6, 8])


@pytest.mark.parametrize("pace", [0, None, True, "soon", -3])
async def test_without_a_pace_a_bot_answers_at_once_among_bots(
    pace: Json, nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    house = House(3, human=False, bot_pace=pace)
    nursery.start_soon(house.run)
    think = bots.polite(5000, random.Random(3))
    start = trio.current_time()
    await bots.run_bot(house.channel, policy(), token=TOKEN, room=ROOM, name="Bot", think=think)
    assert [at - start for at, _ in house.acts] == [0, 0, 0]


async def test_no_server_has_a_bot_wait_for_ever(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    house = House(1, human=True, bot_pace=10**6)
    nursery.start_soon(house.run)
    start = trio.current_time()
    await bots.run_bot(house.channel, policy(), token=TOKEN, room=ROOM, name="Bot")
    assert house.acts[0][0] - start == pytest.approx(600)


async def test_bots_that_do_not_think_keep_to_no_pace(
    monkeypatch: pytest.MonkeyPatch,
    nursery: trio.Nursery,
    autojump_clock: trio.testing.MockClock,
) -> None:
    """For measuring."""
    for think_ms, after in (("0", 0), ("500", 2)):
        monkeypatch.setenv(bots.THINK_VARIABLE, think_ms)
        house = House(1, human=True, bot_pace=2)
        nursery.start_soon(house.run)
        start = trio.current_time()
        await bots.random_bot(house.channel, token=TOKEN, room=ROOM, name="Bot")
        assert house.acts[0][0] - start == pytest.approx(after)


async def test_a_connection_that_ends_ends_the_bot(nursery: trio.Nursery) -> None:
    house = House(5, human=False)

    async def hang_up() -> None:
        await house.channel.from_bot.receive()
        house.channel.to_bot.close()

    nursery.start_soon(hang_up)
    with trio.fail_after(5):
        await bots.random_bot(house.channel, token=TOKEN, room=ROOM, name="Bot")


async def test_how_long_bots_think_is_set_by_the_environment(
    monkeypatch: pytest.MonkeyPatch,
    nursery: trio.Nursery,
    autojump_clock: trio.testing.MockClock,
) -> None:
    for value, least in (("0", 0.0), ("4000", 2.0), ("soon", 0.25)):
        monkeypatch.setenv(bots.THINK_VARIABLE, value)
        house = House(1, human=True)
        nursery.start_soon(house.run)
        start = trio.current_time()
        await bots.random_bot(house.channel, token=TOKEN, room=ROOM, name="Bot")
        assert house.acts[0][0] - start >= least


# --- how it chooses ------------------------------------------------------------------------------


@given(
    st.one_of(
        st.builds(lambda a, b: IntSpec(min(a, b), max(a, b)), st.integers(0, 9), st.integers(0, 9)),
        st.builds(
            lambda cards, a, b: CardsSpec(
                tuple(cards), *sorted((a % (len(cards) + 1), b % (len(cards) + 1)))
            ),
            st.lists(st.text(min_size=1, max_size=3), unique=True, max_size=5),
            st.integers(0, 9),
            st.integers(0, 9),
        ),
        st.builds(lambda cards: OrderSpec(tuple(cards)), st.lists(st.text(max_size=3), max_size=5)),
        st.none(),
    ),
    st.integers(0, 99),
)
def test_a_random_value_is_always_one_that_the_option_takes(spec: Any, seed: int) -> None:
    value = any_value(spec, random.Random(seed))
    match spec:
        case IntSpec():
            assert isinstance(value, int)
            assert spec.min <= value <= spec.max
        case CardsSpec():
            assert isinstance(value, tuple)
            assert spec.min <= len(value) <= spec.max
            assert len(set(value)) == len(value)
            assert set(value) <= set(spec.from_)
        case OrderSpec():
            assert isinstance(value, tuple)
            assert sorted(value) == sorted(spec.of)
        case None:
            assert value is None


def choice_of(kinds: list[tuple[str, Any]], **changes: Any) -> Decision:
    options = tuple(Option(name, name.split(":")[0], {}, value) for name, value in kinds)
    return Decision("0.1", "action", options, kinds[0][0], sealed=False, **changes)


def test_every_kind_of_option_is_as_likely_however_many_options_it_has() -> None:
    asked = choice_of([("end_turn", None), *((f"sell:{n}", None) for n in range(99))])
    chosen = [policy(seed).decide(Table(ROOM), asked, {}) for seed in range(200)]
    passes = sum(choice == Choice("end_turn") for choice in chosen)
    assert 60 < passes < 140


def test_options_with_values_of_a_later_version_are_left_alone() -> None:
    asked = choice_of([("juggle", UnknownSpec({"type": "dice"})), ("end_turn", None)])
    for seed in range(20):
        assert policy(seed).decide(Table(ROOM), asked, {}) == Choice("end_turn")
    only = choice_of([("juggle", UnknownSpec({"type": "dice"}))])
    assert policy().decide(Table(ROOM), only, {}) is None
    assert GreedyPolicy(random.Random(1)).decide(Table(ROOM), only, {}) is None


def test_equal_seeds_choose_equally() -> None:
    asked = choice_of([("bid", IntSpec(0, 20)), ("done", None), ("x", OrderSpec(("a", "b", "c")))])
    one, two = policy(7), policy(7)
    table = Table(ROOM)
    assert [one.decide(table, asked, {}) for _ in range(30)] == [
        two.decide(table, asked, {}) for _ in range(30)
    ]


def test_in_a_game_it_does_not_know_greedy_passes_only_when_it_must() -> None:
    best = GreedyPolicy(random.Random(1))
    table = Table(ROOM, view={"game": "go"})
    asked = choice_of([("pass", None), ("play:1", None), ("play:2", None)])
    assert {best.decide(table, asked, {}) for _ in range(50)} == {
        Choice("play:1"),
        Choice("play:2"),
    }
    assert best.decide(table, choice_of([("pass", None)]), {}) == Choice("pass")


# --- odoriko -------------------------------------------------------------------------------------

CATALOG: dict[str, Json] = rules_catalog(builtin_cards(), {})["cards"]  # type: ignore[assignment]
CHARACTERS = sorted(card for card in CATALOG if card.startswith("cc"))


@st.composite
def boards(draw: st.DrawFn) -> odoriko.Board:
    """Any cards anywhere they may lie, each card of the pack at most once."""
    seats = draw(st.integers(2, 6))
    pack = draw(st.permutations(odoriko.FACES))
    ends = sorted(draw(st.lists(st.integers(0, 40), min_size=4 * seats, max_size=4 * seats)))
    parts = [pack[a:b] for a, b in itertools.pairwise(ends)]
    characters = st.lists(st.sampled_from(CHARACTERS), max_size=2)

    def lying(part: Any, colour: str) -> tuple[str, ...]:
        cards = [c for c in part if c in odoriko.RESOURCES and odoriko.SUITS[c[-1]] == colour]
        return (*cards, *draw(characters))

    return odoriko.Board(
        me=draw(st.integers(0, seats - 1)),
        song=tuple(lying(parts[4 * seat % len(parts)], "red") for seat in range(seats)),
        dance=tuple(lying(parts[(4 * seat + 1) % len(parts)], "black") for seat in range(seats)),
        piles=tuple(
            (*parts[(4 * seat + 2) % len(parts)], *draw(characters)) for seat in range(seats)
        ),
        hand=tuple(parts[3])[:4],
    )


def judge(seats: int, growth: float = 0.0, **options: str) -> odoriko.Judge:
    terms = {card: odoriko.terms_of(entry, CATALOG) for card, entry in CATALOG.items()}
    return odoriko.Judge(terms, options, seats, growth)


@given(
    boards(),
    st.sampled_from(["whole", "own"]),
    st.sampled_from(["total", "single"]),
    st.sampled_from(["all", "resource"]),
)
def test_without_hope_a_tally_is_the_one_of_the_rules(
    board: odoriko.Board, unscoped: str, threshold: str, field_cards: str
) -> None:
    seats = range(len(board.song))
    sides = [
        scoring.Side(
            song=tuple(scoring.Lying(CardId(card)) for card in board.song[seat]),
            dance=tuple(scoring.Lying(CardId(card)) for card in board.dance[seat]),
            pile=tuple(map(CardId, board.piles[seat])),
            hand=tuple(map(CardId, board.hand)) if seat == board.me else (),
        )
        for seat in seats
    ]
    options = parse_options(
        {"unscoped": unscoped, "others_threshold": threshold, "field_cards": field_cards}
    )
    told = scoring.tally(sides, builtin_cards(), options)
    mine = judge(
        len(board.song), unscoped=unscoped, others_threshold=threshold, field_cards=field_cards
    )
    assert [mine.tally(board, seat) for seat in seats] == [seat.total for seat in told]


def position(
    *,
    hand: tuple[str, ...],
    mine: tuple[str, ...] = (),
    others: tuple[str, ...] = (),
    **table: Json,
) -> Table:
    """Return a table of three in which the bot sits at seat 0."""

    def seat(number: int, cards: tuple[str, ...]) -> Json:
        song = [c for c in cards if c in CHARACTERS[::2] or c[-1] in "HD"]
        dance = [c for c in cards if c not in song]
        return {
            "seat": number,
            "vp": 0,
            "rb": 2,
            "cb": 0,
            "song": [{"card": card} for card in song],
            "dance": [{"card": card} for card in dance],
            "pile": [],
            "fc_placed": True,
        }

    return Table(
        ROOM,
        seat=0,
        view={
            "game": "odoriko",
            "phase": "turns",
            "seats": [seat(0, mine), seat(1, others), seat(2, ())],
            "you": {"hand": list(hand), "deck": list[Json](CHARACTERS)},
            "table": {"half": 1, "counted": 3, "lying_end": 20, **table},
            "asked": [0],
        },
    )


def best(table: Table, *options: tuple[str, dict[str, Json], Any]) -> Choice | None:
    asked = Decision(
        "0.1",
        "action",
        tuple(Option(name, name.split(":")[0], args, value) for name, args, value in options),
        options[-1][0],
        sealed=False,
    )
    return GreedyPolicy(random.Random(1)).decide(table, asked, CATALOG)


END: tuple[str, dict[str, Json], Any] = ("end_turn", {}, None)
PASS: tuple[str, dict[str, Json], Any] = ("pass", {}, None)


def test_greedy_places_the_card_that_its_character_scores() -> None:
    table = position(hand=("5S", "5H"), mine=("cc007",))  # spades +1, others' hearts -1
    assert best(
        table,
        ("place_resource:5H", {"card": "5H"}, None),
        ("place_resource:5S", {"card": "5S"}, None),
        END,
    ) == Choice("place_resource:5S")


def test_greedy_keeps_a_card_that_helps_only_the_others() -> None:
    table = position(hand=("5S",), others=("cc007",))
    assert best(table, ("place_resource:5S", {"card": "5S"}, None), END) == Choice("end_turn")


def test_greedy_wants_a_character_first_of_all() -> None:
    table = position(hand=("cc004", "9D"))
    assert best(
        table,
        ("place_resource:9D", {"card": "9D"}, None),
        ("place_character:cc004:song", {"card": "cc004", "zone": "song"}, None),
        END,
    ) == Choice("place_character:cc004:song")


def test_greedy_strikes_where_it_hurts_most() -> None:
    table = position(hand=("KD",), mine=("cc001", "9S"), others=("cc004", "3S", "4C"))
    strikes = [
        (
            f"use_k:KD:{seat}:{zone}:{card}",
            {"card": "KD", "seat": seat, "zone": zone, "target": card},
            None,
        )
        for seat, zone, card in ((0, "dance", "9S"), (1, "dance", "3S"), (1, "dance", "cc004"))
    ]
    assert best(table, *strikes, END) == Choice("use_k:KD:1:dance:cc004")
    assert best(table, strikes[0], END) == Choice("end_turn")


def test_greedy_saves_its_own_character_with_a_queen_and_nobody_elses() -> None:
    window: Json = {"name": "k", "target": {"seat": 0, "zone": "dance", "card": "cc004"}}
    table = position(hand=("QS",), mine=("cc004", "5C", "6C"), window=window)
    assert best(table, ("use_q:QS", {"card": "QS"}, None), PASS) == Choice("use_q:QS")
    window = {"name": "k", "target": {"seat": 1, "zone": "dance", "card": "cc004"}}
    table = position(hand=("QS",), others=("cc004", "5C", "6C"), window=window)
    assert best(table, ("use_q:QS", {"card": "QS"}, None), PASS) == Choice("pass")


def test_greedy_bids_the_least_for_a_lot_that_it_can_use_and_not_for_another() -> None:
    lot: Json = {"seller": 1, "lot": ["5C", "6C"], "price_kind": "either", "price": 1}
    bid: tuple[str, dict[str, Json], Any] = ("bid", {}, IntSpec(1, 2))
    done: tuple[str, dict[str, Json], Any] = ("done", {}, None)
    table = position(hand=("AS", "2H"), mine=("cc004",), auction=lot)
    assert best(table, bid, done) == Choice("bid", 1)
    lot = {"seller": 1, "lot": ["2H"], "price_kind": "either", "price": 1}
    table = position(hand=("5C", "6C"), mine=("cc004",), auction=lot)
    assert best(table, bid, done) == Choice("done")


def test_greedy_pays_with_its_worst_cards_and_keeps_the_best() -> None:
    table = position(hand=("AS", "5C", "6H"), mine=("cc004",))
    cards = ("5C", "AS", "6H")
    assert best(table, ("pay", {}, CardsSpec(cards, 2, 2))) == Choice("pay", ("6H", "AS"))
    assert best(table, ("keep", {}, CardsSpec(cards, 1, 1))) == Choice("keep", ("5C",))


def test_greedy_declares_the_least_once_and_is_done() -> None:
    declare: tuple[str, dict[str, Json], Any] = ("declare_bid", {}, IntSpec(0, 20))
    table = position(hand=())
    assert best(table, declare) == Choice("declare_bid", 0)
    table.view["seats"][0]["bid"] = 0  # type: ignore[index,call-overload]
    assert best(table, ("declare_bid", {}, IntSpec(1, 20)), ("lock_bid", {}, None)) == Choice(
        "lock_bid"
    )


def test_greedy_ends_the_game_when_it_wins_by_it_and_not_when_it_loses() -> None:
    place = ("place_resource:5C", {"card": "5C"}, None)
    ahead = position(hand=("5C",), mine=("cc004",), half=2, counted=19)
    assert best(ahead, place, END) == Choice("place_resource:5C")
    behind = position(hand=("5C",), mine=("cc004",), half=2, counted=19)
    behind.view["seats"][1]["vp"] = 9  # type: ignore[index,call-overload]
    assert best(behind, place, END) == Choice("end_turn")


odd: st.SearchStrategy[Json] = st.sampled_from(
    [None, True, -1, 7, "x", "cc001", "9D", [], {}, [1], ["9D"], [{}], [{"card": 3}], {"card": []}]
)
view_parts = st.dictionaries(
    st.sampled_from(["seats", "you", "table", "game", "phase", "asked", "turn"]), odd, max_size=5
)
kinds = st.sampled_from(
    [
        "declare_bid",
        "place",
        "draw",
        "place_character",
        "place_resource",
        "discard",
        "use_k",
        "use_q",
        "use_j",
        "use_a",
        "q_swap",
        "sell",
        "bid",
        "pay",
        "keep",
        "keep_character",
        "use_skill",
        "use_event",
        "choose",
        "pass",
        "end_turn",
        "ritual",
    ]
)
specs = st.sampled_from(
    [
        None,
        IntSpec(0, 3),
        CardsSpec(("9D", "cc001"), 1, 2),
        CardsSpec((), 0, 0),
        OrderSpec(("a",)),
        UnknownSpec({"type": "dice"}),
    ]
)


lines = st.dictionaries(
    st.sampled_from(["op", "pick", "to", "n", "deck", "whose", "this", "a", "b", "mark", "on"]),
    odd
    | st.sampled_from(["discard", "place", "take", "exchange", "mark", "draw", "field", "self"])
    | st.just({"whose": "others", "zone": "fields", "n": "any"}),
)
entries = st.fixed_dictionaries(
    {"kind": st.just("character"), "score": odd | st.just([{"each": 1}])},
    optional={"skill": st.fixed_dictionaries({"do": st.lists(lines)}), "play": odd},
)


@given(
    view_parts,
    st.lists(
        st.tuples(
            kinds,
            st.dictionaries(
                st.sampled_from(["card", "seat", "zone", "field", "deck", "picks", "pays", "list"]),
                odd,
            ),
            specs,
        ),
        min_size=1,
        max_size=5,
    ),
    st.dictionaries(
        st.sampled_from(["cc001", "Q", "x"]), odd | st.just(CATALOG["cc001"]) | entries
    ),
    st.none() | st.integers(0, 9),
    st.sampled_from([GreedyPolicy, HeuristicPolicy]),
)
def test_no_view_or_catalog_makes_a_bot_fail(
    view: dict[str, Json],
    options: list[tuple[str, dict[str, Json], Any]],
    catalog: dict[str, Json],
    seat: int | None,
    policy: Any,
) -> None:
    table = Table(ROOM, seat=seat, view={**view, "game": "odoriko"})
    asked = Decision(
        "0.1",
        "action",
        tuple(Option(str(n), kind, args, spec) for n, (kind, args, spec) in enumerate(options)),
        "0",
        sealed=False,
    )
    choice = policy(random.Random(1)).decide(table, asked, catalog)
    assert choice is None or choice.option in {option.id for option in asked.options}
