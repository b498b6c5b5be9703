"""Every operation, condition, cost and pick of card data, one by one, on cards made for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from kaguraden_rules.kernel import CardsValue
from kaguraden_rules.odoriko import events as e
from kaguraden_rules.odoriko.game import Odoriko
from kaguraden_rules.odoriko.grammar import read_file
from kaguraden_rules.odoriko.options import Options
from kaguraden_rules.odoriko.packs import BadPack, builtin_sets, load_folder, load_set
from kaguraden_rules.odoriko.reading import Node, Report
from kaguraden_rules.odoriko.writing import card_data

from tests.rules.odoriko_positions import A, B, C, Table, at_turn, seat

HEAD = 'format = 1\nset = "mine"\n[[card]]\nid = "my_card"\nname = { en = "Mine" }\n'
PACKS = Path(__file__).parent / "packs"


def event(*ops: str, more: str = "") -> Odoriko:
    """Return the game with an event that does these lines."""
    text = f'{HEAD}kind = "event"\n[card.play]\n{more}\ndo = [ {", ".join(ops)} ]'
    return Odoriko(sets=(*builtin_sets(), load_set(text, "mine.toml")))


def skill(head: str, *ops: str) -> Odoriko:
    """Return the game with a character whose skill does these lines."""
    text = (
        f'{HEAD}kind = "character"\n[card.skill]\nname = {{ en = "S" }}\n{head}\n'
        f"do = [ {', '.join(ops)} ]"
    )
    return Odoriko(sets=(*builtin_sets(), load_set(text, "mine.toml")))


def used(game: Odoriko, *zones: Any, **more: Any) -> Table:
    """Sit down and use the event, which is in A's hand."""
    return at_turn(*zones, game=game, **more).act(A, "use_event:my_card")


VP = '{ op = "vp", n = 1 }'
RESOURCE = 'match = { kind = ["resource"] }'

# --- conditions ----------------------------------------------------------------------------------

CONDITIONS = [
    ("{ vp_at_least = 3 }", {"vp": 3}, {"vp": 2}),
    ("{ vp_at_most = -1 }", {"vp": -1}, {"vp": 0}),
    ("{ hand_at_least = 2 }", {"hand": "2S 3S"}, {"hand": "2S"}),  # besides the event
    ("{ tree = { zone = 'song', at_least = 9 } }", {"song": "4H 5H"}, {"dance": "9S"}),
    ("{ tree = { zone = 'any', at_least = 9 } }", {"dance": "9S"}, {"song": "4H", "dance": "5S"}),
    (
        "{ count = { scope = 'own', zone = 'dance', match = { min = 5 }, at_least = 2 } }",
        {"dance": "5S 6S"},
        {"dance": "5S 4S"},
    ),
    (
        "{ count = { scope = 'own', zone = 'hand', match = { rank = ['Q'] }, at_least = 1 } }",
        {"hand": "QS"},
        {"hand": "KS"},
    ),
    (
        "{ count = { scope = 'own', zone = 'discard', match = { kind = ['event'] }, at_least = 1 } }",
        {"pile": "ev_kodama"},
        {"pile": "cc001"},
    ),
]


@pytest.mark.parametrize(("condition", "met", "not_met"), CONDITIONS)
def test_conditions_are_those_of_the_user(
    condition: str, met: dict[str, Any], not_met: dict[str, Any]
) -> None:
    """OD-67, OD-185: each must hold when the card is declared."""
    game = event(VP, more=f"if = [ {condition} ]")
    for zones, holds in ((met, True), (not_met, False)):
        mine = {**zones, "hand": f"my_card {zones.get('hand', '')}"}
        t = at_turn(seat(**mine), seat("9H QD", song="10H", dance="10S 9C"), game=game)
        assert bool(t.options(A, "use_event")) is holds


@pytest.mark.parametrize(("scope", "n"), [("own", 1), ("others", 3), ("whole", 4), ("unscoped", 4)])
def test_scopes_of_counts(scope: str, n: int) -> None:
    """OD-134, OD-137, OD-185: `unscoped` is the whole table, by option one's own."""
    for least, holds in ((n, True), (n + 1, False)):
        count = f"{{ scope = '{scope}', zone = 'fields', {RESOURCE}, at_least = {least} }}"
        game = event(VP, more=f"if = [ {{ count = {count} }} ]")
        zones = seat("my_card", song="2H"), seat(song="3H 4H"), seat(dance="5S")
        assert bool(at_turn(*zones, game=game).options(A, "use_event")) is holds
        if scope == "unscoped":
            t = at_turn(*zones, game=game, options=Options(unscoped="own"))
            assert t.options(A, "use_event") == []


@pytest.mark.parametrize("half", [1, 2])
def test_a_half_as_condition(half: int) -> None:
    """OD-185."""
    t = at_turn(seat("my_card"), seat(), game=event(VP, more="if = [ { half = 2 } ]"), half=half)
    assert bool(t.options(A, "use_event")) is (half == 2)


def test_all_conditions_must_hold() -> None:
    """OD-185."""
    game = event(VP, more="if = [ { vp_at_least = 1 }, { vp_at_most = 2 } ]")
    for vp, holds in ((0, False), (1, True), (2, True), (3, False)):
        t = at_turn(seat("my_card", vp=vp), seat(), game=game)
        assert bool(t.options(A, "use_event")) is holds


# --- costs ---------------------------------------------------------------------------------------


def test_hand_costs_share_the_hand() -> None:
    """OD-68, OD-185: one card pays for one thing; every set that pays is an option."""
    game = event(
        VP,
        more='cost = [ { discard = { zone = "hand", match = { rank = ["Q"] }, n = 1 } },'
        ' { discard = { zone = "hand", n = 1 } }, { vp = 2 } ]',
    )
    assert at_turn(seat("my_card QS"), seat(), game=game).options(A, "use_event") == []
    t = at_turn(seat("my_card QS 2S QH"), seat(), game=game)
    assert t.options(A, "use_event") == [
        "use_event:my_card:QS:2S",
        "use_event:my_card:QS:QH",
        "use_event:my_card:2S:QH",
    ]
    t.act(A, "use_event:my_card:QS:2S")
    assert (t.hand(A), t.vp()[A]) == ({"QH"}, -2 + 1)
    (paid,) = [d for d in t.told(e.CardsDiscarded) if d.cause == "cost"]
    assert [card.card for card in paid.cards] == ["QS", "2S"]
    assert [(change.delta, change.cause) for change in t.told(e.VpChanged)] == [
        (-2, "cost"),
        (1, "effect"),
    ]


def test_a_character_may_be_its_own_cost() -> None:
    """OD-185: paying with itself; the lines are carried out all the same."""
    game = skill(
        'timing = "action"\ncost = [ { discard = { zone = "fields", match = { this = true }, n = 1 } } ]',
        VP,
    )
    t = at_turn(seat(song="my_card* cc001", dance=""), seat(), game=game)
    t.act(A, "use_skill:song:my_card:0:song:my_card")
    assert (t.song(A), t.pile(A), t.vp()) == (["cc001"], ["my_card"], [1, 0])


def test_two_copies_pay_as_two_cards() -> None:
    """OD-215: named apart in the option, alike otherwise."""
    game = event(VP, more='cost = [ { discard = { zone = "hand", n = 2 } } ]')
    t = at_turn(seat("my_card ev_kodama"), seat(), game=game)
    owner = evolve(t.seat(A), hand=(*t.seat(A).hand, t.seat(A).hand[1]))
    t = Table(evolve(t.state, seats=(owner, t.seat(B)), decisions=()), game)
    assert t.options(A, "use_event:my") == ["use_event:my_card:ev_kodama:ev_kodama#2"]
    t.act(A, "use_event:my_card:ev_kodama:ev_kodama#2")
    assert t.pile(A) == ["ev_kodama", "ev_kodama", "my_card"]


# --- operations ------------------------------------------------------------------------------------

WHOSE_VP = [("self", [1, 0, 0]), ("each", [1, 1, 1]), ("each_other", [0, 1, 1])]


@pytest.mark.parametrize(("whose", "vp"), WHOSE_VP)
def test_vp_of_several_seats(whose: str, vp: list[int]) -> None:
    """OD-187: at once."""
    t = used(event(f'{{ op = "vp", n = 1, whose = "{whose}" }}'), seat("my_card"), seat(), seat())
    assert t.vp() == vp


def test_vp_of_one_other_seat_is_a_choice() -> None:
    """OD-186, OD-187, D-15."""
    t = used(event('{ op = "vp", n = -3, whose = "one_other" }'), seat("my_card"), seat(), seat())
    assert t.options(A) == ["choose:1", "choose:2"]
    assert t.decisions[A].options[0].args == {"picks": [{"seat": 1}]}
    assert t.act(A, "choose:2").vp() == [0, 0, -3]


def test_a_look_at_every_other_hand() -> None:
    """OD-168, OD-187: for the user alone, an empty hand too."""
    t = used(event('{ op = "peek", whose = "each_other" }'), seat("my_card"), seat("2S"), seat())
    assert [(s.seat, s.cards) for s in t.told(e.HandShown, A)] == [(B, ("2S",)), (C, ())]
    assert [s.cards for s in t.told(e.HandShown, B)] == [None, None]


def test_the_player_of_the_answered_card() -> None:
    """OD-186, OD-187: `actor` in `vp`, `peek`, `discard` and as the place to put cards."""
    game = skill(
        'timing = "event"',
        '{ op = "cancel" }',
        '{ op = "vp", n = -1, whose = "actor" }',
        '{ op = "peek", whose = "actor" }',
        '{ op = "place", pick = { whose = "self", zone = "hand", match = { colour = "red" }, n = 1 },'
        ' to = { whose = "actor", zone = "match" } }',
        '{ op = "discard", pick = { whose = "actor", zone = "fields", match = { colour = "black" }, n = 1 } }',
    )
    t = at_turn(seat("ev_mikagami", dance="3S"), seat("2H", song="my_card*"), seat(), game=game)
    t.act(A, "use_event:ev_mikagami")
    t.act(B, "use_skill:song:my_card:2H").expire()
    assert t.decisions[B].kind == "pick"  # after cards were placed (OD-212)
    t.act(B, "choose:0:dance:3S").close()
    assert (t.vp(), t.song(A), t.dance(A), t.pile(A)) == (
        [-1, 0, 0],
        ["2H"],
        [],
        ["3S", "ev_mikagami"],
    )
    assert [(s.viewer, s.seat) for s in t.told(e.HandShown)] == [(B, A)]


def test_several_cards_of_one_other_seat() -> None:
    """OD-186, OD-212: the seat by the option, its cards by the list."""
    game = event(
        f'{{ op = "discard", pick = {{ whose = "one_other", zone = "fields", {RESOURCE}, n = 2 }} }}'
    )
    t = used(game, seat("my_card", song="2H"), seat(song="3H 4H 5H"), seat(dance="2S"))
    assert t.options(A) == ["choose:1", "choose:2"]
    first, second = t.decisions[A].options
    assert (first.args, first.value) == (
        {"whose": 1, "list": "picks"},
        CardsValue(("3H", "4H", "5H"), 2, 2),
    )
    assert second.value is None  # the only card there
    assert second.args["picks"] == [{"seat": 2, "zone": "dance", "card": "2S"}]
    t.act(A, "choose:1", ["3H", "5H"])
    assert (t.song(B), t.pile(B)) == (["4H"], ["3H", "5H"])


def test_cards_that_all_go_to_one_other_seat() -> None:
    """OD-186, OD-212: the seat by the option, the cards by the list; frozen fields take none."""
    game = event(
        f'{{ op = "place", pick = {{ whose = "self", zone = "hand", {RESOURCE}, n = "any" }},'
        ' to = { whose = "one_other", zone = "match" } }'
    )
    t = used(game, seat("my_card 2H 3S"), seat(), seat())
    assert t.options(A) == ["choose:>1", "choose:>2"]
    option = t.decisions[A].options[1]
    assert (option.args["to"], option.value) == (2, CardsValue(("2H", "3S"), 0, 2))
    t.act(A, "choose:>2", ["2H", "3S"])
    assert (t.song(C), t.dance(C)) == (["2H"], ["3S"])


def test_up_to_so_many() -> None:
    """OD-186: `upto` may be none."""
    game = event(
        f'{{ op = "discard", pick = {{ whose = "any", zone = "fields", {RESOURCE}, n = 2, upto = true }} }}'
    )
    t = used(game, seat("my_card", song="2H"), seat(song="3H", dance="cc001*"))
    assert t.among(A, "choose") == CardsValue(("2H", "3H"), 0, 2)
    t.act(A, "choose", [])
    assert t.pile(A) == ["my_card"]
    t = used(game, seat("my_card", song="2H"), seat(song="3H"))
    t.expire()  # as little as may be chosen, by one number
    assert (t.pile(B), t.state.entropy.taken) == ([], 1)


def test_cards_go_back_to_the_hand_of_their_holder() -> None:
    """OD-187: `holder` is the seat in whose zone the card lies, not who put it there."""
    game = event(
        f'{{ op = "take", pick = {{ whose = "any", zone = "fields", {RESOURCE}, n = 2 }}, to = "holder" }}'
    )
    t = used(game, seat("my_card", song="2H"), seat(song="3H"))
    t.act(A, "choose")
    assert (t.hand(A), t.hand(B)) == ({"2H"}, {"3H"})
    moved = [(m.source.zone, m.to) for m in t.told(e.CardMoved)]
    assert moved == [("song", e.Spot(A, "hand")), ("song", e.Spot(B, "hand"))]


def test_holders_give_to_the_user() -> None:
    """OD-186, D-16: all at once; what does not fit overflows to the user's pile."""
    game = event(
        '{ op = "take", pick = { whose = "each_other", zone = "hand", n = 1, by = "holder",'
        " holders = { hand_at_least = 2 } }, to = 'self' }"
    )
    t = used(game, seat("my_card 2S 3S"), seat("cc001 QD"), seat("4H 5H"), seat("6H"))
    assert t.asked == (B, C)
    t.act(B, "choose:cc001").act(C, "choose:5H")
    assert t.hand(A) == {"2S", "3S", "cc001", "5H"}
    passed = [(p.giver, p.resource, p.character) for p in t.told(e.HandPassed)]
    assert passed == [(B, 0, 1), (C, 1, 0)]


def test_holders_choose_on_their_fields() -> None:
    """OD-186, D-16: who has no such card in the open is not asked; one's own choice stays sealed."""
    game = event(
        f'{{ op = "discard", pick = {{ whose = "each", zone = "fields", {RESOURCE}, n = 1, by = "holder" }} }}'
    )
    t = used(game, seat("my_card", song="2H"), seat(song="3H 4H"), seat(dance="cc001*"))
    assert t.asked == (A, B)
    before = t.bytes_for(B)
    t.act(A, "choose:0:song:2H")
    assert t.bytes_for(B) == before
    t.act(B, "choose:1:song:4H")
    (batch,) = [d for d in t.told(e.CardsDiscarded) if d.cause == "effect"]
    assert [(d.card, d.pile) for d in batch.cards] == [("2H", A), ("4H", B)]


def test_holders_put_cards_on_the_users_field() -> None:
    """OD-186, OD-221: chosen by each among what may lie there."""
    game = event(
        '{ op = "place", pick = { whose = "each_other", zone = "hand", match = { colour = "black" },'
        ' n = 1, by = "holder" }, to = { whose = "self", zone = "dance" } }'
    )
    t = used(game, seat("my_card"), seat("2S 3S KS"), seat("4H"))
    assert t.asked == (B, C)
    assert t.options(B) == ["choose:2S", "choose:3S"]
    assert t.options(C) == ["choose"]  # it has none, which its hand's backs do not tell
    t.act(B, "choose:3S").act(C, "choose")
    assert t.dance(A) == ["3S"]
    (placed,) = t.told(e.CardPlaced)
    assert (placed.by, placed.seat, placed.source, placed.owner) == (A, A, "hand", B)


def test_shown_cards_may_be_taken_discarded_and_placed() -> None:
    """OD-171, OD-187: of both decks; what is left is shuffled back into its own."""
    game = event(
        '{ op = "show", deck = "resource", n = 3 }',
        '{ op = "show", deck = "character", n = 1 }',
        '{ op = "take", pick = { whose = "self", zone = "shown", match = { rank = ["Q"] }, n = 1 }, to = "self" }',
        '{ op = "discard", pick = { whose = "self", zone = "shown", match = { kind = ["resource"], max = 3 }, n = 1 } }',
        '{ op = "place", pick = { whose = "self", zone = "shown", n = 1 }, to = { whose = "others", zone = "match" } }',
    )
    t = used(
        game, seat("my_card", deck="QS 3H 9D", characters="cc003", resource_deck=8), seat("JD")
    )
    assert t.view(None).table.stack[0].shown == ("QS", "3H", "9D", "cc003")
    t.act(A, "choose:QS").act(A, "choose:3H")
    assert t.among(A, "choose").among == ("9D>1:song", "cc003>1:song", "cc003>1:dance")
    t.act(A, "choose", ["cc003>1:dance"])
    assert (t.hand(A), t.pile(A), t.dance(B)) == ({"QS"}, ["3H", "my_card"], ["cc003"])
    assert t.fc(B) is None  # another seat put it there (OD-219)
    (shuffled,) = t.told(e.DeckShuffled)
    assert (shuffled.deck, shuffled.size) == ("resource", 6)
    assert t.window == ("j", 1)


def test_a_deck_with_too_few_cards_shows_and_gives_what_it_has() -> None:
    """OD-50, OD-98: as much as possible."""
    game = event(
        '{ op = "draw", deck = "character", n = 4 }', '{ op = "show", deck = "resource", n = 3 }'
    )
    zones = seat("my_card", deck="2S", resource_deck=1, characters="cc009"), seat()
    t = at_turn(*zones, game=game)
    owner = t.seat(A)
    t.state = _with_character_deck(t, owner.character_deck[:1])
    t.act(A, "use_event:my_card")
    assert t.hand(A) == {"cc009"}
    assert [shown.cards for shown in t.told(e.DeckShown)] == [("2S",)]
    assert t.seat(A).resource_deck == ("2S",)


def _with_character_deck(t: Table, deck: Any) -> Any:
    return evolve(
        t.state, seats=(evolve(t.state.seats[A], character_deck=deck), *t.state.seats[1:])
    )


def test_overflow_of_one_line_is_one_batch() -> None:
    """OD-103, OD-161, OD-195: drawn one by one; the batch opens one `j` window."""
    t = at_turn(seat("ev_yukidoke 2C 3C 4C", deck="5C 6C"), seat("JD JH"))
    t.act(A, "use_event:ev_yukidoke")
    assert t.hand(A) == {"2C", "3C", "4C", "5C"}
    (batch,) = [d for d in t.told(e.CardsDiscarded) if d.cause == "overflow"]
    assert [card.card for card in batch.cards] == ["6C"]
    t = at_turn(
        seat("my_card 2C 3C 4C", deck="5C 6C 7C"),
        seat("JD JH"),
        game=event('{ op = "draw", deck = "resource", n = 3 }'),
    )
    t.act(A, "use_event:my_card")
    (batch,) = [d for d in t.told(e.CardsDiscarded) if d.cause == "overflow"]
    assert [card.card for card in batch.cards] == ["6C", "7C"]
    t.act(B, "use_j:JD:6C").expire().close()
    assert len([w for w in t.told(e.WindowOpened) if w.round == 1]) == 1


@pytest.mark.parametrize("whose", ["self", "others", "any", "one_other"])
def test_whose_field_may_be_frozen(whose: str) -> None:
    """OD-163, OD-200: `zone` narrows it to song or dance."""
    game = event(
        f'{{ op = "mark", pick = {{ whose = "{whose}", zone = "song" }}, on = "field",'
        ' mark = "frozen", until = "my_next_turn" }'
    )
    t = used(game, seat("my_card"), seat(), seat())
    mine, theirs = ["choose:0:song"], ["choose:1:song", "choose:2:song"]
    offered = {"self": mine, "others": theirs, "any": mine + theirs, "one_other": theirs}
    assert t.options(A) == offered[whose]


def test_a_seat_or_a_field_may_stand_in_a_list() -> None:
    """OD-212: a second choice of one thing is a list with one entry to choose."""
    game = skill(
        'timing = "action"',
        '{ op = "mark", pick = { whose = "any" }, on = "field", mark = "frozen", until = "my_next_turn" }',
        '{ op = "vp", n = 1, whose = "one_other" }',
    )
    t = at_turn(seat(song="my_card*"), seat(), seat(), game=game)
    option = "use_skill:song:my_card:1:dance"
    assert t.among(A, option) == CardsValue(("1", "2"), 1, 1)
    t.act(A, option, ["2"])
    assert t.view(None).seats[B].frozen == ("dance",)
    assert t.vp() == [0, 0, 1]
    both = skill(
        'timing = "action"\ncost = [ { discard = { zone = "hand", n = 1 } } ]',
        '{ op = "mark", pick = { whose = "self" }, on = "field", mark = "frozen", until = "my_next_turn" }',
    )
    t = at_turn(seat("2S", song="my_card*"), seat(), game=both)
    assert t.among(A, "use_skill:song:my_card:2S") == CardsValue(("0:song", "0:dance"), 1, 1)


MUST = [
    ('{ op = "peek", whose = "one_other", must = true }', True),
    ('{ op = "fc", must = true }', True),
    ('{ op = "actions", n = 1, must = true }', True),
    ('{ op = "show", deck = "resource", n = 4, must = true }', True),
    (
        '{ op = "take", pick = { whose = "self", zone = "discard", n = "any" }, to = "self", must = true }',
        False,
    ),
    (
        '{ op = "discard", pick = { whose = "each_other", zone = "hand", n = 1, by = "holder" }, must = true }',
        False,
    ),
    (
        '{ op = "exchange", a = { whose = "self", zone = "song", n = 1 },'
        ' b = { whose = "others", zone = "song", n = 1 }, same_zone = true, must = true }',
        False,
    ),
]


@pytest.mark.parametrize(("line", "legal"), MUST)
def test_what_must_be_done_in_full(line: str, legal: bool) -> None:
    """OD-187, OD-217: with nothing to take, nobody to choose and nothing to exchange it is not."""
    t = at_turn(seat(song="my_card*"), seat(), game=skill('timing = "action"', line))
    assert bool(t.options(A, "use_skill")) is legal


def test_a_first_character_by_a_skill() -> None:
    """OD-61, OD-187: after the card has left its field the line does nothing."""
    game = skill('timing = "action"', '{ op = "fc" }')
    t = at_turn(seat(song="my_card", dance="cc001*"), seat(), game=game)
    t.act(A, "use_skill:song:my_card")
    assert t.fc(A) == "my_card"
    gone = skill('timing = "special"', '{ op = "discard", this = true }', '{ op = "fc" }')
    t = at_turn(seat(song="my_card", dance="cc001*"), seat(), game=gone)
    t.act(A, "use_skill:song:my_card")
    assert t.fc(A) == "cc001"


# --- files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["workshop.toml", "loops.toml"])
def test_the_test_packs_read_back_as_they_were_written(name: str) -> None:
    """OD-180, OD-189: what the catalogue tells of a card is all of its data."""
    card_set = load_set((PACKS / name).read_text("utf-8"), name)
    report = Report("again")
    plain = {"format": 1, "set": card_set.id, "card": [card_data(card) for card in card_set.cards]}
    assert read_file(Node(plain, "", report)) == card_set
    assert report.faults == []


def test_a_folder_tells_the_faults_of_all_its_files(tmp_path: Path) -> None:
    """OD-188: a file with faults adds no card, nor do the others then."""
    (tmp_path / "b.toml").write_text("format = 2", "utf-8")
    (tmp_path / "a.toml").write_bytes(b'set = "\xff"')
    (tmp_path / "notes.txt").write_text("no cards", "utf-8")
    with pytest.raises(BadPack) as error:
        load_folder(tmp_path)
    assert {fault.file for fault in error.value.faults} == {"a.toml", "b.toml"}
    assert {fault.code for fault in error.value.faults} >= {"V-01"}


def test_with_no_pair_to_exchange_nobody_is_asked() -> None:
    """OD-98, OD-165, OD-214: neither kinds of fields nor frost leave one; the event is spent."""
    t = at_turn(seat("ev_momiji", song="2D"), seat(dance="9S"))
    t.act(A, "use_event:ev_momiji")
    assert (t.told(e.PickOpened), t.song(A), t.pile(A)) == ([], ["2D"], ["ev_momiji"])
    t = at_turn(seat("ev_shimo ev_momiji", song="2D"), seat(song="10H"))
    t.act(A, "use_event:ev_shimo").act(A, "choose:1:song").act(A, "use_event:ev_momiji")
    assert len(t.told(e.PickOpened)) == 1
    assert t.song(B) == ["10H"]
