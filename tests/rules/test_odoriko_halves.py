"""Midway, the second half and the end, rule by rule, and what views show."""

from __future__ import annotations

import pytest
from attrs import evolve
from kaguraden_rules.kernel import CardId, NotYourDecision, SeatId, Stale
from kaguraden_rules.odoriko import events as e
from kaguraden_rules.odoriko import state as s
from kaguraden_rules.odoriko.decks import STARTER
from kaguraden_rules.odoriko.options import Options
from kaguraden_rules.odoriko.refs import Field

from tests.rules.odoriko_positions import ODORIKO, A, B, C, Table, Zones, at_turn, seat


def before_midway(*zones: Zones, **options: str) -> Table:
    """Sit down in the turn that midway follows; the last seat is active."""
    last = SeatId(len(zones) - 1)
    return at_turn(
        *zones,
        active=last,
        number=len(zones) * 2,
        midway_due=len(zones) * 2,
        options=Options(**options),  # type: ignore[arg-type]
    )


def declare_nothing(table: Table) -> Table:
    """Let everybody declare 0 and choose places in the order of janken by lot."""
    while not isinstance(table.state.stage, s.Turn):
        table.expire()
    return table


def test_keeping_is_sealed_and_shown_together() -> None:
    """OD-115: nobody sees a choice before all are in; a seat without characters is not asked."""
    table = before_midway(seat(song="cc001*", dance="cc002"), seat(dance="cc003*"), seat())
    table.act(C, "end_turn")
    assert table.asked == (A, B)
    assert set(table.options(A)) == {"keep_character:song:cc001", "keep_character:dance:cc002"}
    before = table.bytes_for(B), table.bytes_for(C), table.bytes_for(None)
    table.act(A, "keep_character:dance:cc002")
    assert (table.bytes_for(B), table.bytes_for(C), table.bytes_for(None)) == before
    table.act(B, "keep_character:dance:cc003")
    assert [(k.seat, k.card) for k in table.told(e.Kept)] == [(A, "cc002"), (B, "cc003")]
    assert (table.song(A), table.dance(A)) == ([], ["cc002"])
    assert table.view(None).seats[A].dance[0].kept is True


@pytest.mark.parametrize(
    ("song", "dance", "kept"), [("cc001", "cc002*", "cc002"), ("cc001", "cc002", "cc001")]
)
def test_who_is_late_keeps_the_fc_or_the_earliest(song: str, dance: str, kept: str) -> None:
    """OD-112, OD-115: the clock's choice (D-17)."""
    table = before_midway(seat(song=song, dance=dance), seat(), seat())
    table.act(C, "end_turn").expire()
    assert [k.card for k in table.told(e.Kept)] == [kept]


def test_a_kept_fc_keeps_its_mark() -> None:
    """OD-116: the mark stays with the card, and the seat gets no other one."""
    table = before_midway(seat(song="cc001*", dance="cc002"), seat())
    table.act(B, "end_turn").act(A, "keep_character:song:cc001")
    assert table.fc(A) == "cc001"
    assert table.told(e.FcLost) == []


def test_cards_go_back_to_the_decks_they_belong_to() -> None:
    """OD-117, OD-118: the pack by zone, characters and events by supplier, wherever they lie."""
    table = before_midway(
        seat("9D ev_kodama@1", song="2H cc001*", dance="cc009@1", pile="KS cc002@1 ev_akatsuki"),
        seat("3C", dance="5S"),
    )
    table.act(B, "end_turn").act(A, "keep_character:song:cc001")
    own = table.seat(A)
    pack = {c for c in own.resource_deck + own.hand if "@" not in c}
    assert {"9D", "2H", "KS"} <= pack
    theirs = table.seat(B)
    brought = {c for c in theirs.character_deck + theirs.hand if "@" in c}
    assert {"ev_kodama@1", "cc009@1", "cc002@1"} <= brought
    assert all(c.endswith("@1") for c in brought)
    assert len(brought) == 12
    assert (own.pile, theirs.pile, theirs.song, theirs.dance) == ((), (), (), ())


def test_hand_cards_return_unseen_but_for_those_a_term_shows() -> None:
    """OD-119, OD-146: cc001 shows its owner's J; no other hand card is told."""
    table = before_midway(seat("JH 9D cc004", song="cc001*"), seat("QS JS"))
    table.act(B, "end_turn").act(A, "keep_character:song:cc001")
    spectator = [repr(event) for event in table.told(e.Tallied)]
    assert "JH" in spectator[0]
    for card in ("9D", "QS", "JS", "cc004"):
        assert f"'{card}'" not in table.bytes_for(None)


def test_midway_begins_a_new_half_with_new_hands_and_a_new_order() -> None:
    """OD-33, OD-120, OD-122: one card of each deck, new declarations, place 1 begins."""
    table = before_midway(seat(vp=3), seat("2D 3D", vp=-2, no_characters=True))
    table.act(B, "end_turn")
    assert isinstance(table.state.stage, s.Bidding)
    assert table.state.half == 2
    shown = table.view(None).seats
    assert [(x.rb, x.cb, x.place) for x in shown] == [(1, 1, None), (1, 1, None)]
    table.act(A, "declare_bid", 2).act(B, "declare_bid", 0)
    table.act(A, "lock_bid").act(B, "lock_bid")
    assert table.vp() == [1, -2]
    table.act(B, "place:1")
    assert table.turn == B
    assert [event.half for event in table.told(e.HalfStarted)] == [2]
    assert table.view(None).table.turn_number == 1


def test_nothing_is_drawn_from_an_empty_deck_at_midway() -> None:
    """OD-120: a seat whose characters are all kept or gone draws a resource card only."""
    table = before_midway(seat(song="cc001*"), seat())
    own = evolve(table.seat(A), character_deck=(), supplied=(CardId("cc001"),))
    state = evolve(table.state, seats=(own, table.seat(B)), decisions=(), asked=())
    table = Table(state)
    table.act(B, "end_turn").act(A, "keep_character:song:cc001")
    assert (table.view(None).seats[A].rb, table.view(None).seats[A].cb) == (1, 0)


def test_duration_marks_end_at_midway() -> None:
    """OD-116, OD-121: frost and shelter are gone in the second half, kept card or not."""
    table = before_midway(seat(song="cc001*"), seat())
    own = table.seat(A)
    marked = evolve(
        own,
        song=(evolve(own.song[0], sheltered=(A,)),),
        frosts=(s.Frost(Field.DANCE, B),),
    )
    state = evolve(table.state, seats=(marked, table.seat(B)), decisions=(), asked=())
    table = Table(state).act(B, "end_turn").act(A, "keep_character:song:cc001")
    assert sorted(event.mark for event in table.told(e.MarkEnded)) == ["frozen", "sheltered"]
    shown = table.view(None).seats[A]
    assert (shown.frozen, shown.song[0].sheltered, shown.song[0].fc) == (None, None, True)


def test_a_seat_that_never_placed_a_character_gets_its_fc_later() -> None:
    """OD-123, OD-128: midway may come without; the first placement marks it all the same."""
    table = at_turn(seat("cc001"), seat(), active=B, number=2, barren=1)
    nine = tuple(card for card in STARTER if card.startswith("cc"))
    characters_only = tuple(
        evolve(
            owner,
            supplied=nine,
            character_deck=tuple(c for c in owner.character_deck if c.startswith("cc")),
        )
        for owner in table.state.seats
    )
    table = Table(evolve(table.state, seats=characters_only, decisions=(), asked=()))
    table.act(B, "end_turn")
    assert table.told(e.Stalemate)[0].half == 1
    declare_nothing(table)
    who = table.turn
    (option, _) = table.options(who, "place_character")
    table.act(who, option)
    assert option == f"place_character:{table.fc(who)}:song"


@pytest.mark.parametrize("half", [1, 2])
def test_a_half_ends_after_so_many_circuits(half: int) -> None:
    """OD-129: whatever is done in them; midway follows or the end."""
    table = at_turn(
        seat(), seat(), active=B, number=20, half=half, options=Options(circuit_limit=10)
    )
    table.act(B, "draw:resource").close().act(B, "draw:resource").close()
    assert [event.reason for event in table.told(e.Stalemate)] == ["circuit_limit"]
    assert isinstance(table.state.stage, s.Bidding if half == 1 else s.Over)


def test_midway_comes_once() -> None:
    """OD-113: first characters placed in the second half set nothing off."""
    table = at_turn(seat("cc001"), seat("cc002"), half=2, number=3)
    table.act(A, "place_character:cc001:song").act(A, "end_turn")
    table.act(B, "place_character:cc002:song")
    assert table.view(None).table.midway_after is None
    assert table.state.midway_due is None


def test_midway_is_announced_when_it_is_due() -> None:
    """OD-113, OD-178: the view counts the turns left, the running one included."""
    table = at_turn(seat("cc001"), seat(song="cc002*"), seat(song="cc003*"))
    table.act(A, "place_character:cc001:song")
    assert table.view(None).table.midway_after == 4
    table.act(A, "end_turn")
    assert table.view(None).table.midway_after == 3


def test_no_end_before_midway() -> None:
    """OD-124: 20 cards on fields in the first half end nothing."""
    cards = " ".join(f"{n}H {n}D" for n in range(2, 11))
    table = at_turn(seat("2S 3S 4S", song=cards), seat(), actions=4)
    for card in ("2S", "3S", "4S"):
        table.act(A, f"place_resource:{card}")
    assert table.view(None).table.lying == 21
    assert isinstance(table.state.stage, s.Turn)


@pytest.mark.parametrize(("count", "over"), [("lying", False), ("placed", True)])
def test_what_counts_towards_the_end(count: str, over: bool) -> None:
    """OD-124: cards that lie there, or by option all that were put there since midway."""
    options = Options(final_count=count)  # type: ignore[arg-type]
    table = at_turn(seat("2S", song="3H"), seat(), half=2, placed=19, options=options)
    table.act(A, "place_resource:2S")
    assert isinstance(table.state.stage, s.Over) is over


def test_the_final_tally_is_added_and_ranks_the_seats() -> None:
    """OD-126, OD-127, OD-131: VP so far and the tally; then no command is accepted."""
    table = at_turn(
        seat(song="cc004*", vp=1), seat("2D", vp=4), half=2, active=B, number=2, barren=1
    )
    table.act(B, "end_turn")
    outcome = ODORIKO.outcome(table.state)
    assert outcome is not None
    assert [(r.seat, r.rank, r.score) for r in outcome.ranking] == [(B, 1, 4), (A, 2, 1)]
    assert (ODORIKO.decisions(table.state), ODORIKO.waits(table.state)) == ({}, ())
    assert table.view(None).outcome == outcome
    assert table.view(None).phase == "over"
    with pytest.raises(NotYourDecision):
        table.act_anyway(A, "end_turn")
    with pytest.raises(Stale):
        ODORIKO.expire(table.state, "w1")


# --- views ---------------------------------------------------------------------------------------


def test_what_a_view_shows_of_hands_and_decks() -> None:
    """OD-8, OD-12, OD-13, OD-56, OD-178: one's own hand and list of twelve; of others two numbers."""
    table = at_turn(seat("9D cc002", characters="cc008", deck="8C"), seat("3D"), seat())
    own, other, nobody = table.view(A), table.view(B), table.view(None)
    assert own.you.hand == ("9D", "cc002")
    assert len(own.you.deck) == 12
    assert list(own.you.deck) == sorted(own.you.deck)  # its order tells nothing
    assert other.you.hand == ("3D",)
    assert nobody.you is None
    for view in (own, other, nobody):
        assert (view.seats[A].rb, view.seats[A].cb, view.seats[A].character_deck) == (1, 1, 11)
    assert own.seats == other.seats == nobody.seats
    assert own.table == other.table == nobody.table
    for hidden in ("9D", "8C"):
        assert f"'{hidden}'" not in table.bytes_for(B) + table.bytes_for(None)
    assert "cc008" not in table.bytes_for(None)


def test_marks_are_public() -> None:
    """OD-57, OD-63, OD-178: FC and kept are shown on the card."""
    table = at_turn(seat(song="cc001*^ cc002"), seat(), half=2)
    first, second = table.view(None).seats[A].song
    assert (first.fc, first.kept, second.fc, second.kept) == (True, True, None, None)


def test_a_turn_shows_what_it_may_still_do() -> None:
    """OD-37, OD-128, OD-178: whose turn, actions left, order, barren turns, cards lying."""
    table = at_turn(seat(), seat(song="2H"), seat(), order=(1, 0, 2), barren=2)
    view = table.view(None)
    assert (view.turn, view.phase, view.asked) == (A, "turns", (A,))
    shown = view.table
    assert (shown.half, shown.order, shown.actions_left) == (1, (1, 0, 2), 2)
    assert (shown.barren, shown.lying, shown.lying_end, shown.removed) == (2, 1, 20, 0)
