"""The bots of enbu: that their model is the game, and that they play as the rules document says."""

from __future__ import annotations

import copy
import hashlib
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
import trio
import trio.testing
from hypothesis import given, settings
from hypothesis import strategies as st
from kaguraden_client import bots
from kaguraden_client.bots.enbu import (
    Judge,
    Lore,
    Position,
    Reader,
    Search,
    greedy_player,
    move_of,
    novice_player,
    random_player,
    search_player,
)
from kaguraden_client.bots.enbu.model import HELD, NEVER
from kaguraden_client.bots.player import Player
from kaguraden_client.bots.policy import Choice
from kaguraden_client.bots.search import SearchPolicy
from kaguraden_client.session import Session
from kaguraden_client.table import Table
from kaguraden_protocol import messages
from kaguraden_protocol.messages import Decision, Option
from kaguraden_rules.catalogue import GAMES
from kaguraden_rules.enbu.books import BOOKS
from kaguraden_rules.kernel import Answer, SeatId
from kaguraden_rules.plain import to_plain

from tests.bench.duel import to_message
from tests.client.scripts import ROOM, TOKEN, Script, info, update
from tests.client.scripts import decision as a_decision

PLAYERS = {
    "random": random_player,
    "novice": novice_player,
    "greedy": greedy_player,
    "search": search_player,
}
SEAT = SeatId(0)
CATALOG: Any = GAMES["enbu"].catalog()["cards"]

Json = Any


class Game:
    """A rehearsal in the kernel, alone, as its seat sees it."""

    def __init__(self, book: str, seed: int) -> None:
        self.game: Any = GAMES["enbu"]
        options = self.game.parse_options({"book": book})
        deck = self.game.check_deck(options, None)
        entropy = hashlib.sha256(f"{book} {seed}".encode()).digest()
        self.state = self.game.setup(options, 1, [deck], entropy).state
        self.catalog: Json = CATALOG

    @property
    def view(self) -> Json:
        return to_plain(self.game.view(self.state, SEAT))

    @property
    def decision(self) -> Decision | None:
        found = self.game.decisions(self.state).get(SEAT)
        return None if found is None else to_message(found)

    @property
    def result(self) -> Any:
        (place,) = self.game.outcome(self.state).ranking
        return place

    def act(self, option: str) -> None:
        assert self.decision is not None
        self.state = self.game.act(self.state, SEAT, Answer(self.decision.id, option)).state


def rehearse(game: Game, choose: Callable[..., Any]) -> Iterator[tuple[Decision, str]]:
    """Play to the end; yield what was answered."""
    while (decision := game.decision) is not None:
        option, value = choose(game.view, decision, game.catalog)
        assert value is None
        game.act(option)
        yield decision, option


# --- the model -----------------------------------------------------------------------------------


def same(model: Position, seen: Position) -> None:
    """Compare all but the deck, which only the game knows, and the number of reshuffles."""
    for part in ("piles", "hand", "discard", "flipped", "total", "turn", "dropped"):
        assert getattr(model, part) == getattr(seen, part), part
    assert (model.outlook.pages, model.outlook.stack) == (seen.outlook.pages, seen.outlook.stack)


@pytest.mark.parametrize("book", BOOKS)
def test_the_model_is_the_game(book: str) -> None:
    # Whole games, undo left out, that take any choice half of the time, and else what greedy does,
    # so as to get far: after every choice the model stands where the view says.
    reader = Reader()
    kinds = Counter[str]()
    for seed in range(4):
        game = Game(book, seed)
        rng = random.Random(seed)
        greedy: Any = greedy_player(rng)
        model, unseen = reader.position(game.view, game.catalog)
        while (decision := game.decision) is not None:
            # Drops end games soon, so they are rarer here than everything else.
            options = [o for o in decision.options if o.kind not in ("undo", "finish")]
            if not options:
                break
            kept = [o for o in options if o.kind != "drop" or rng.random() < 0.1] or options
            option = rng.choice(kept)
            if rng.random() < 0.5:
                liked, _ = greedy(game.view, decision, game.catalog)
                option = next((o for o in options if o.id == liked), option)
            can_perform = any(o.kind == "perform" for o in options)
            if model.flipped < 0:
                assert bool(model.performable()) == can_perform
            move = move_of(option, model)
            assert move is not None
            kinds[option.kind] += 1
            game.act(option.id)
            view = game.view
            if game.decision is None:
                assert view["you"]["board"]["total"] == model_total(model, move)
                break
            seen, unseen_now = reader.position(view, game.catalog)
            if option.kind == "next":
                if not unseen:
                    assert model.discard
                    unseen, model.discard = model.discard, []
                model.flipped = seen.flipped
                model.turn += 1
                unseen = list((Counter(unseen) - Counter([seen.flipped])).elements())
            else:
                model.make(move)
            same(model, seen)
            assert sorted(unseen) == sorted(unseen_now)
    assert kinds["stage"]
    assert kinds["swap"]
    assert kinds["perform"]
    assert kinds["drop"] or not BOOKS[book].drop


def model_total(model: Position, move: tuple[str, int, int]) -> int:
    last = model.copy()
    if move[0] != "next":
        last.make(move)
    return last.total


def test_a_model_at_the_end_knows_whether_it_succeeded() -> None:
    for book in ("kyu-3", "kamiari-1", "dan-1"):
        results = set()
        for seed in range(30):
            game = Game(book, seed)
            player = novice_player(random.Random(seed))
            for _ in rehearse(game, player):
                pass
            position, _ = Reader().position(game.view, game.catalog)
            assert position.succeeded == game.result.success
            results.add(position.succeeded)
        assert results == {True, False}


def small(stage: int = 2, *, wilds: tuple[str, ...] = (), **rules: Any) -> Lore:
    return Lore(
        dict.fromkeys(("a", "b", "c", "d"), 1),
        {"ab": (("a", "b"), 2), "bc": (("b", "c"), 3), "cd": (("c", "d"), 4)},
        wilds,
        table=(1, stage, 1),
        **rules,
    )


def test_cards_are_due_with_the_program_that_needs_them_next() -> None:
    lore = small(wilds=("w",))
    outlook = lore.outlook((0,), (1,))
    a, b, c, d, w = range(5)
    assert [outlook.due[card] for card in (a, b, w)] == [0, 0, 0]
    assert outlook.due[c] > 0
    assert outlook.due[d] == NEVER
    assert outlook.mates[b] == 1 << a  # and not c, which it is needed with later
    after = outlook.without(0)
    assert (after.pages, after.stack) == ((1,), ())
    assert after is lore.outlook((1,), ())


def test_a_copy_of_a_position_changes_alone() -> None:
    position = Position(small(), small().outlook((0,), (1, 2)))
    position.flipped = 0
    twin = position.copy()
    twin.make(("stage", 1, 0))
    twin.discard.append(3)
    assert (position.piles, position.discard, position.flipped) == ([[], []], [], 0)


# --- the judgement -------------------------------------------------------------------------------


def placed(position: Position, card: int) -> tuple[str, int, int]:
    position.flipped = card
    return Judge().place(position)


def test_a_card_that_is_due_is_not_buried() -> None:
    position = Position(small(), small().outlook((0,), (1, 2)))
    a, b, _, d = range(4)
    position.piles, position.hand = [[a], [d]], [b]
    # d is not needed by an open page; a and b, in the hand, are.
    for card in (2, 3):
        kind, slot, _ = placed(position, card)
        assert (kind, slot) != ("stage", 0)


def test_a_card_that_completes_a_page_never_covers_what_it_needs() -> None:
    position = Position(small(), small().outlook((0,), (1, 2)))
    a, b, c, _ = range(4)
    position.piles, position.hand = [[a], [c]], [3]
    move = placed(position, b)
    position.make(move)
    assert position.performable() == [0]


def test_wilds_are_used_only_for_what_is_missing() -> None:
    lore = small(3, wilds=("w",))
    position = Position(lore, lore.outlook((0,), (1, 2)))
    position.piles, position.hand = [[4], [0], [1]], []
    assert Judge().performance(position) == ("perform", 0, 0b110)
    position.piles = [[4], [0], [2]]
    assert Judge().performance(position) == ("perform", 0, 0b011)
    position.piles, position.hand = [[2], [2], [1]], [4]
    assert Judge().performance(position) == ("perform", 0, 0b100 | HELD)
    position.make(("perform", 0, 0b100 | HELD))
    assert position.discard == [1]  # a wild serves once


# --- the players ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PLAYERS)
@pytest.mark.parametrize("book", ["kyu-3", "kyu-1", "kamiari-2"])
def test_players_never_undo_and_finish_only_where_nothing_is_left(name: str, book: str) -> None:
    for seed in range(1 if name == "search" else 12):
        game = Game(book, seed)
        player = PLAYERS[name](random.Random(seed))
        for decision, option in rehearse(game, player):
            assert option != "undo"
            if option == "finish":
                others = {o.kind for o in decision.options} - {"finish", "undo"}
                board = game.view["you"]["board"]
                assert others <= {"drop"}
                assert len(board["pages"] + board["stack"]) <= 1


@pytest.mark.parametrize(("name", "games"), [("greedy", 40), ("search", 1)])
def test_with_every_program_wanted_players_drop_only_when_stuck(name: str, games: int) -> None:
    dropped = 0
    for seed in range(games):
        game = Game("kamiari-5", seed)
        player = PLAYERS[name](random.Random(seed))
        for decision, option in rehearse(game, player):
            if option.startswith("drop"):
                dropped += 1
                assert {o.kind for o in decision.options} <= {"drop", "finish", "undo"}
    assert dropped or name == "search"


def test_with_a_pass_mark_search_drops_early() -> None:
    early = 0
    game = Game("dan-1", 3)
    for decision, option in rehearse(game, search_player(random.Random(3))):
        early += option.startswith("drop") and any(o.kind == "next" for o in decision.options)
    assert early


def test_who_searches_answers_alike_from_the_same_seed_and_view() -> None:
    game = Game("kamiari-1", 1)
    view, decision = game.view, game.decision
    assert decision is not None
    answers = [search_player(random.Random(7))(view, decision, game.catalog) for _ in range(2)]
    assert answers[0] == answers[1]
    assert view == game.view  # which it has left as it was


def rates(book: str, player: Callable[[random.Random], Any], games: int) -> float:
    won = 0
    for seed in range(games):
        game = Game(book, seed)
        for _ in rehearse(game, player(random.Random(seed))):
            pass
        won += game.result.success
    return won / games


def test_greedy_beats_novice_beats_random() -> None:
    # By EN-110 they win 93, 67 and 14 of a hundred games; 150 games tell them apart.
    greedy, novice, anyhow = (
        rates("kyu-3", PLAYERS[n], 150) for n in ("greedy", "novice", "random")
    )
    assert greedy > 0.85 > novice > 0.5 > 0.3 > anyhow > 0.03


def test_who_searches_beats_greedy() -> None:
    # By EN-110 greedy wins 37 of a hundred games of this book, search 97.
    assert rates("kyu-1", search_player, 4) >= 0.75 > 0.6 > rates("kyu-1", greedy_player, 60)


def test_search_sees_the_trap() -> None:
    # One page after the other: ab, then bc. The deck holds b alone. On a (slot 1) it would never
    # be performed, in the free slot it is at once.
    lore = small(2)
    position = Position(lore, lore.outlook((0,), (1,)))
    position.piles, position.hand, position.flipped = [[0], []], [3], 2
    moves = [("stage", 0, 0), ("stage", 1, 0)]
    best = Search(Judge(), random.Random(1)).best(position, moves, [1])
    assert best == ("stage", 1, 0)


# --- that no view can crash them -----------------------------------------------------------------

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 1000)
    | st.sampled_from(["inu", "kenen", "all", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["board", "unseen", "pages", "inu"]), inner, max_size=3)
    ),
    max_leaves=6,
)


def broken(view: Json, path: tuple[str, ...], value: Json) -> Json:
    view = copy.deepcopy(view)
    place = view
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return view


@settings(deadline=None, max_examples=300)
@given(
    path=st.sampled_from(
        [("you",), ("you", "board"), ("table",), ("table", "book")]
        + [
            ("you", "board", key)
            for key in (
                "pages",
                "stack",
                "stage",
                "hand",
                "discard",
                "unseen",
                "flipped",
                "dropped",
                "total",
                "turn",
            )
        ]
        + [
            ("table", "book", key)
            for key in (
                "digest",
                "cards",
                "first",
                "rest",
                "stage",
                "hand",
                "pages",
                "pass",
                "goal",
                "wild",
                "drop",
            )
        ]
    ),
    value=JSON,
    steps=st.integers(0, 6),
    name=st.sampled_from(["greedy", "novice", "random", "search"]),
)
def test_no_view_crashes_a_player(
    path: tuple[str, ...], value: Json, steps: int, name: str
) -> None:
    game = Game("kamiari-1", 3)
    greedy = greedy_player(random.Random(1))
    for _ in zip(range(steps), rehearse(game, greedy), strict=False):
        pass
    decision = game.decision
    assert decision is not None
    player = PLAYERS[name](random.Random(1))
    answer = player(broken(game.view, path, value), decision, game.catalog)
    assert answer is not None
    assert answer[0] in [option.id for option in decision.options]


@pytest.mark.parametrize(
    "option",
    [
        "stage:x",
        "stage:9",
        "stage",
        "perform:kenen:s9",
        "perform:none:s1",
        "swap:1",
        "drop:0",
        "dance",
    ],
)
def test_options_that_make_no_sense_are_survived(option: str) -> None:
    game = Game("kamiari-1", 3)
    decision = Decision(
        "d",
        "act",
        (
            Option(option, option.split(":")[0], {}),
            Option("next", "next", {}),
            Option("finish", "finish", {}),
        ),
        "next",
        sealed=False,
    )
    for player in PLAYERS.values():
        answer = player(random.Random(1))(game.view, decision, game.catalog)
        assert answer is not None
        assert answer[0] in (option, "next")


def test_nothing_to_take_is_left_to_the_clock() -> None:
    game = Game("kyu-3", 1)
    for player in PLAYERS.values():
        assert (
            player(random.Random(1))(game.view, Decision("d", "act", (), "x", sealed=False), {})
            is None
        )


# --- levels and threads --------------------------------------------------------------------------


@pytest.mark.parametrize("level", ["greedy", "heuristic", "search"])
def test_levels_play_enbu(level: str) -> None:
    game = Game("kyu-2", 1)
    policy = bots.LEVELS[level](random.Random(1))
    table = Table("", seat=0)
    while (decision := game.decision) is not None:
        table.view = game.view
        choice = policy.decide(table, decision, game.catalog)
        assert choice is not None
        game.act(choice.option)
    assert game.result.score >= 4


def test_search_is_slow_only_where_it_searches() -> None:
    policy = SearchPolicy(random.Random(1))
    table = Table("", seat=0)
    for game, slow in (("enbu", True), ("odoriko", False), (None, False)):
        table.view = {"game": game}
        assert policy.is_slow(table) is slow


class Gate:
    """A slow policy that thinks until it is told to stop."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.go_on = threading.Event()
        self.threads: set[int] = set()
        self.seen: list[Mapping[str, Any]] = []

    def is_slow(self, table: Table) -> bool:
        return True

    def decide(self, table: Table, decision: Decision, catalog: Mapping[str, Any]) -> Choice | None:
        self.threads.add(threading.get_ident())
        self.begun.set()
        assert self.go_on.wait(10)
        self.seen.append(table.view)
        return Choice(decision.default)


class Wire:
    """What a player needs of a client: it is told of events and flushes."""

    def __init__(self) -> None:
        self.send, self.receive = trio.open_memory_channel[Any](16)

    def flush(self) -> None:
        pass

    async def events(self) -> Any:
        async for event in self.receive:
            yield event


def seated(policy: Any) -> tuple[Script, Player]:
    script = Script(Session("Aki", bot=True))
    player = Player(script.session, ROOM, policy)
    script.session.token = TOKEN
    script.connect()
    for event in script.greet(resumed=True, rooms=[{"room": ROOM, "seat": 0, "last_seq": 0}]):
        player.take(event)
    for event in script.say({"type": "room", "room": ROOM, "info": info(phase="playing")}):
        player.take(event)
    sync, catalog = script.asked()
    for event in (*script.say(game_update(1)), *script.ok(sync, seq=1)):
        player.take(event)
    for event in script.ok(catalog, version="1", packs=[], cards={}):
        player.take(event)
    return script, player


def game_update(seq: int) -> Json:
    view = {"game": "new", "phase": "turns", "asked": [0], "number": seq}
    return update(seq, full=seq == 1, view=view, decisions=[a_decision(seq)])


async def until(event: threading.Event) -> None:
    """Wait for another thread, so that the event loop runs meanwhile."""
    assert await trio.to_thread.run_sync(event.wait, 10)


async def test_a_slow_policy_thinks_in_another_thread_and_is_answered_for() -> None:
    gate = Gate()
    script, player = seated(gate)
    wire: Any = Wire()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(player.play, wire)
        await until(gate.begun)  # the event loop goes on
        assert script.asked() == []
        gate.go_on.set()
        while not (asked := script.asked()):
            await trio.lowlevel.checkpoint()
        (act,) = asked
        assert isinstance(act, messages.Act)
        assert threading.get_ident() not in gate.threads
        nursery.cancel_scope.cancel()


async def test_what_was_chosen_for_a_decision_that_is_gone_is_not_sent() -> None:
    gate = Gate()
    script, player = seated(gate)
    wire: Any = Wire()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(player.play, wire)
        await until(gate.begun)
        for event in script.say(game_update(2)):  # the clock answered
            await wire.send.send(event)
        await trio.testing.wait_all_tasks_blocked()
        gate.go_on.set()
        while not (asked := script.asked()):
            await trio.lowlevel.checkpoint()
        (act,) = asked
        assert isinstance(act, messages.Act)
        assert player.table is not None
        assert act.decision == player.table.decisions[0].id
        assert [view["number"] for view in gate.seen] == [1, 2]  # what was seen did not change
        nursery.cancel_scope.cancel()


async def test_slow_policies_think_one_at_a_time_and_can_be_cancelled() -> None:
    gates = [Gate(), Gate()]
    tables = [seated(gate) for gate in gates]
    async with trio.open_nursery() as nursery:
        scopes = [trio.CancelScope(), trio.CancelScope()]

        async def play(number: int) -> None:
            wire: Any = Wire()
            with scopes[number]:
                await tables[number][1].play(wire)

        nursery.start_soon(play, 0)
        await until(gates[0].begun)
        nursery.start_soon(play, 1)
        await trio.testing.wait_all_tasks_blocked()
        assert not gates[1].begun.is_set()  # the first one is still thinking
        scopes[0].cancel()
        await trio.testing.wait_all_tasks_blocked()
        assert tables[0][0].asked() == []
        gates[0].go_on.set()
        await until(gates[1].begun)
        gates[1].go_on.set()
        while not tables[1][0].asked():
            await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()
