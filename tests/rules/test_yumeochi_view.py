"""What a viewer of yumeochi may know (YU-13 to YU-19, YU-106 to YU-108)."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from kaguraden_rules.kernel import CardId, Outcome, Rank, SeatId
from kaguraden_rules.plain import to_plain
from kaguraden_rules.yumeochi import state as s
from kaguraden_rules.yumeochi.making import make_set
from kaguraden_rules.yumeochi.options import Options
from kaguraden_rules.yumeochi.sets import BASE
from kaguraden_rules.yumeochi.view import look

from tests.rules.yumeochi_positions import (
    YUMEOCHI,
    A,
    B,
    C,
    D,
    Table,
    at_turn,
    entropy,
    position,
    seat,
)

VIEWERS: tuple[SeatId | None, ...] = (A, B, C, D, None)


def workshop() -> Options:
    """Return a room that plays with cards of every kind."""
    text = (Path(__file__).parent / "yumeochi_sets" / "workshop.toml").read_text("utf-8")
    return Options(make_set(tomllib.loads(text), "0"))


def wire(state: s.State, viewer: SeatId | None) -> Any:
    """Return a view as it goes over the wire."""
    return to_plain(look(state, viewer))


def test_the_view_of_a_spectator() -> None:
    """YU-7, YU-8, YU-15, YU-106, YU-110: every public field, and nothing else."""
    table = at_turn(
        seat("gentleman", skills="keyhole", items="stopped_watch", life=4, skip=True),
        seat("moon_hare", skills="lullaby*", stock="moon_shadow", up=True, uses="moon_hare"),
        seat("night_raven", dead=True, skills="sleight*"),
        seat("mainspring_maker", skills="naming", protected=True, kills=1),
        hour=4,
        turn=B,
        unopened=[3],
        opened="crow_flock",
        used=(CardId("lullaby"),),
    )
    table.act(B, "pass")
    assert table.asked == (D,)
    view = wire(table.state, None)
    assert view["seats"] == [
        {
            "seat": 0, "life": 4, "alive": True, "skills_up": [], "skills_down": 1,
            "items": ["stopped_watch"], "stock": [], "stars": 3, "opened": 2, "kills": 0,
            "role_uses": 0, "uses": [], "skip": True, "protected": False,
        },
        {
            "seat": 1, "life": 5, "alive": True, "role": "moon_hare", "skills_up": ["lullaby"],
            "skills_down": 0, "items": [], "stock": ["moon_shadow"], "stars": 3, "opened": 1,
            "kills": 0, "role_uses": 1, "uses": ["moon_hare"], "skip": False, "protected": False,
        },
        {
            "seat": 2, "life": 0, "alive": False, "role": "night_raven", "skills_up": [],
            "skills_down": 0, "items": [], "stock": [], "stars": 0, "opened": 0, "kills": 0,
            "role_uses": 0, "uses": [], "skip": False, "protected": False,
        },
        {
            "seat": 3, "life": 5, "alive": True, "skills_up": [], "skills_down": 1, "items": [],
            "stock": [], "stars": 0, "opened": 0, "kills": 1, "role_uses": 0, "uses": [],
            "skip": False, "protected": False,
        },
    ]  # fmt: skip
    clock = view["table"].pop("clock")
    assert clock[0] == {"position": 1, "card": "stopped_watch", "opener": 0, "went": "item"}
    assert clock[1] == {"position": 2, "card": "moon_shadow", "opener": 1, "went": "stock"}
    assert clock[2:11] == [{"position": at} for at in range(3, 12)]
    assert clock[11] == {"position": 12, "card": "crow_flock", "opener": 0, "went": "discard"}
    assert view["table"] == {
        "game_no": 1,
        "set": {
            "id": "yumeochi-base", "version": 1, "digest": BASE.digest,
            "name": {"ja": "夢ヲチ 基本札", "en": "Yumeochi base cards"},
        },
        "pool": ["gentleman", "night_raven", "mainspring_maker", "moon_hare"],
        "hour": 4, "order": [0, 1, 2, 3], "acted": [0, 1, 2], "used": ["lullaby"], "locked": [],
        "discards": ["crow_flock"], "leftover": 2, "leftover_up": [], "removed": 1,
        "removed_up": ["sleight"], "start": 0, "origin": 0, "proposals_left": 1,
    }  # fmt: skip
    del view["seats"], view["table"]
    assert view == {"game": "yumeochi", "phase": "turn", "turn": 3, "asked": [3]}


def test_a_seat_sees_its_own_cards_besides() -> None:
    """YU-3, YU-13, YU-107: the public part is the same for everybody."""
    table = at_turn(
        seat("gentleman", skills="keyhole"), seat("moon_hare", skills="naming lullaby*")
    )
    public = wire(table.state, None)
    views = [wire(table.state, viewer) for viewer in (A, B)]
    assert [view.pop("you") for view in views] == [
        {"role": "gentleman", "skills_down": ["keyhole"], "locked": [], "seen": []},
        {"role": "moon_hare", "skills_down": ["naming"], "locked": [], "seen": []},
    ]
    assert views == [public, public]


def test_a_view_is_the_same_before_and_after_others_were_made() -> None:
    """YU-108: what is kept between views is public, and belongs to its position alone."""
    table = at_turn(seat("gentleman"), hour=3)
    first, earlier = table.state, [wire(table.state, viewer) for viewer in VIEWERS]
    table.act(A, "open")
    later = [wire(table.state, viewer) for viewer in VIEWERS]
    assert [wire(first, viewer) for viewer in VIEWERS] == earlier != later


# --- hidden cards --------------------------------------------------------------------------------


def shuffled(state: s.State, viewer: SeatId | None, chance: random.Random) -> s.State:
    """Return the position with all cards that a viewer does not see dealt anew."""
    held = [(number, one) for number, seat in enumerate(state.seats) for one in seat.skills]
    hidden = [one.card for number, one in held if not one.up and number != viewer]
    hidden += [one.card for one in (*state.leftover, *state.removed) if not one.up]
    chance.shuffle(hidden)
    roles = [
        seat.role for number, seat in enumerate(state.seats) if hides_role(state, number, viewer)
    ]
    roles += state.undealt
    chance.shuffle(roles)
    times = [place.card for place in state.clock if place.is_down]
    chance.shuffle(times)
    ranks = {card.id: rank for rank, card in enumerate(state.options.cards.skills)}

    def dealt(skills: tuple[s.Held, ...]) -> tuple[s.Held, ...]:
        new = [one if one.up else s.Held(hidden.pop()) for one in skills]
        return tuple(sorted(new, key=lambda one: ranks[one.card]))

    seats = [
        evolve(
            seat,
            role=roles.pop() if hides_role(state, number, viewer) else seat.role,
            skills=seat.skills if number == viewer else dealt(seat.skills),
            seen=seat.seen if number == viewer else (),
        )
        for number, seat in enumerate(state.seats)
    ]
    return evolve(
        state,
        seats=tuple(seats),
        leftover=dealt(state.leftover),
        removed=dealt(state.removed),
        undealt=tuple(sorted(roles)),
        clock=tuple(
            evolve(place, card=times.pop()) if place.is_down else place for place in state.clock
        ),
    )


def hides_role(state: s.State, number: int, viewer: SeatId | None) -> bool:
    return number != viewer and not state.seats[number].role_up


@pytest.mark.parametrize("word", ["kagura", "yume", "ochi", "karasu", "usagi", "tokei"])
def test_nothing_differs_by_cards_that_the_viewer_does_not_see(word: str) -> None:
    """YU-5, YU-13, YU-16, YU-18, YU-106, YU-108: at every question of a game, for every viewer."""
    chance = random.Random(word)
    roles = ("dream_eater", "sleeptalk_detective", "late_sleeper")
    options = Options(BASE, roles, exchange_proposals=3, replay="off")
    table = Table(YUMEOCHI.setup(options, 4, ((),) * 4, entropy(word)).state)
    while table.asked:
        for viewer in VIEWERS:
            other = shuffled(table.state, viewer, chance)
            assert wire(other, viewer) == wire(table.state, viewer)
        who = chance.choice(table.asked)
        table.act(who, chance.choice(table.options(who)))


def test_the_order_of_face_down_skills_is_that_of_the_set() -> None:
    """YU-16: there are no places that could be followed."""
    table = at_turn(seat(skills="naming crows_talon sleight*"))
    assert table.view(A).you.skills_down == ("crows_talon", "naming")
    assert table.view(B).seats[A].skills_down == 2
    assert table.view(B).seats[A].skills_up == ("sleight",)


def test_stars_are_those_that_everybody_can_count() -> None:
    """YU-18, YU-54, YU-82: the gentleman's own shows only with his role."""
    hidden = seat("gentleman", items="stopped_watch", stock="midnight_party")
    assert at_turn(hidden, hour=3).view(B).seats[A].stars == 5
    assert at_turn(evolve(hidden, up=True), hour=3).view(B).seats[A].stars == 6


# --- what goes on --------------------------------------------------------------------------------


def test_a_proposal_shows_a_face_up_card_only() -> None:
    """YU-43: and how many are left is a public number."""
    options = Options(BASE, exchange_proposals=2)
    for skills, card in (("keyhole", None), ("keyhole*", "keyhole")):
        table = at_turn(seat(skills=skills), options=options)
        assert table.view(None).table.proposals_left == 2
        table.act(A, "exchange:2:keyhole")
        for viewer in VIEWERS:
            view = table.view(viewer)
            assert (view.phase, view.turn, view.asked) == ("consent", A, (C,))
            proposal = view.table.proposal
            assert (proposal.seat, proposal.target, proposal.card) == (A, C, card)
            assert (view.table.proposals_left, view.table.action) == (1, None)
        table.act(C, "refuse")
        assert (table.view(None).table.proposal, table.view(None).table.proposals_left) == (None, 1)


def test_the_action_is_shown_while_something_is_asked_on_the_way() -> None:
    """YU-33, YU-107, YU-137: and what was looked at is in the log of who looked."""
    table = at_turn(seat(skills="keyhole"), clock={1: "moon_shadow", 2: "sheep_parade"})
    table.act(A, "use:keyhole")
    assert wire(table.state, None)["table"]["action"] == {
        "seat": 0, "action": "use", "card": "keyhole"
    }  # fmt: skip
    assert wire(table.state, A)["you"]["seen"] == [
        {"kind": "peeked", "hour": 1, "what": "time", "position": 1, "card": "moon_shadow"},
        {"kind": "peeked", "hour": 1, "what": "time", "position": 2, "card": "sheep_parade"},
    ]
    table.act(A, "no")
    assert table.view(None).table.action is None
    assert len(table.view(A).you.seen) == 2


def test_an_opened_card_lies_open_while_it_is_carried_out() -> None:
    """YU-29, YU-49, YU-51: where it went is told when it has gone."""
    table = at_turn(hour=3, clock={3: "reversed_dial"}).act(A, "open")
    view = wire(table.state, B)
    assert view["table"]["action"] == {"seat": 0, "action": "open"}
    assert view["table"]["clock"][2] == {"position": 3, "card": "reversed_dial", "opener": 0}
    table.act(A, "to:0")
    assert wire(table.state, B)["table"]["clock"][2]["went"] == "discard"
    table = at_turn(hour=3, clock={3: "crow_flock"}).act(A, "open")
    assert wire(table.state, B)["table"]["clock"][2]["case"] == [1, 2, 3, 4]


@pytest.mark.parametrize(("own", "shown"), [("tide", None), ("tide*", "tide")])
def test_an_own_skill_among_the_picks_is_shown_if_it_lies_face_up(
    own: str, shown: str | None
) -> None:
    """YU-16, YU-96, YU-130: and of the target's that it is a face-down one."""
    table = at_turn(
        seat("watchmaker", skills=own), seat(skills="lantern bluff"), options=workshop()
    )
    table.act(A, "action:1:tide:face_down")
    assert (table.phase, table.asked) == ("yield", (B,))
    action = {"seat": 0, "action": "role_action", "card": "watchmaker", "target": 1}
    action |= {"target_skill": "face_down"} | ({} if shown is None else {"skill": shown})
    for viewer in VIEWERS:
        assert wire(table.state, viewer)["table"]["action"] == action


def test_what_was_received_is_in_the_log_of_both() -> None:
    """YU-43, YU-107, YU-137."""
    table = at_turn(seat(skills="keyhole"), seat(skills="lullaby"), hour=2)
    table.act(A, "exchange:1:keyhole").act(B, "agree:lullaby")
    seen = [wire(table.state, viewer)["you"]["seen"] for viewer in (A, B, C)]
    assert seen == [
        [{"kind": "received", "hour": 2, "card": "lullaby", "gave": "keyhole", "giver": 1}],
        [{"kind": "received", "hour": 2, "card": "keyhole", "gave": "lullaby", "giver": 0}],
        [],
    ]


def test_cards_that_everybody_has_seen_stay_seen() -> None:
    """YU-14, YU-59, YU-60: in the leftover, as locked ones, and when they were removed."""
    options = Options(BASE, rabbit_price="figurine_and_skill")
    table = at_turn(
        seat(skills="keyhole*", items="rabbit_figurine"), seat(dead=True, skills="sleight*"),
        seat(skills="naming"), seat(skills="hand_shadow"),
        hour=7, leftover="crows_talon* lullaby", options=options,
    )  # fmt: skip
    table.act(A, "use:rabbit_figurine")
    view = table.view(None)
    assert (view.table.leftover, view.table.leftover_up) == (1, ("keyhole",))
    assert (view.table.removed, view.table.removed_up) == (1, ("sleight",))
    assert view.table.locked == ("crows_talon",)
    assert table.view(A).you.locked == ("lullaby",)
    assert wire(table.state, A)["you"]["seen"] == [
        {"kind": "gained", "hour": 7, "cards": ["crows_talon", "lullaby"]}
    ]


def test_the_first_holder_may_be_asked_for() -> None:
    """YU-10, YU-12, YU-115: nobody holds a marker until then."""
    options = Options(BASE, first_holder="named")
    table = Table(YUMEOCHI.setup(options, 4, ((),) * 4, entropy()).state)
    view = wire(table.state, None)
    assert (view["phase"], view["asked"], view["table"]["order"]) == ("first_holder", [0], [])
    assert not {"start", "origin", "proposals_left"} & set(view["table"])
    table.act(A, "seat:2")
    assert (table.view(None).table.start, table.view(None).turn) == (C, C)


def test_an_item_that_fires_by_itself_may_ask() -> None:
    """YU-94, YU-106, YU-134: its holder is asked at the stroke of the hour, in nobody's turn."""
    table = at_turn(seat(), seat(items="whistle"), hour=2, options=workshop())
    table.passes(A, B, C, D)
    view = wire(table.state, None)
    assert (view["phase"], view["asked"], "turn" in view) == ("may", [1], False)
    assert view["table"]["action"] == {"seat": 1, "action": "trigger", "card": "whistle"}
    table.act(B, "yes")
    assert (table.phase, table.asked) == ("marker", (B,))


# --- the end -------------------------------------------------------------------------------------


def ended(**options: Any) -> Table:
    """Play to the end of a position in which A has won by stars."""
    table = at_turn(
        seat("gentleman", skills="keyhole", stock="moon_shadow"),
        seat("moon_hare", dead=True, skills="naming"),
        seat("night_raven", skills="lullaby"),
        seat("dream_eater", skills="sleight"),
        hour=12,
        options=Options(BASE, ("dream_eater",), **options),
    )
    return table.passes(A, C, D)


def test_all_is_shown_at_the_end() -> None:
    """YU-19, YU-106, YU-120: to everybody alike; before it nothing is."""
    table = ended()
    view = table.view(None)
    assert (view.phase, view.asked, view.turn) == ("over", (), None)
    assert view.table.result == s.Result(
        "stars", (A,), counts=tuple(s.Count(x, *n) for x, n in zip((A, B, C, D), ((4, 3), (0, 1), (0, 2), (0, 2)), strict=True))
    )  # fmt: skip
    assert view.outcome == Outcome(
        (Rank(A, 1, 1), Rank(B, 2, 0), Rank(C, 2, 0), Rank(D, 2, 0)), "stars"
    )
    shown = wire(table.state, B)["table"]["revealed"]
    clock = shown.pop("clock")
    assert shown == {
        "roles": ["gentleman", "moon_hare", "night_raven", "dream_eater"],
        "skills": [["keyhole"], [], ["lullaby"], ["sleight"]],
        "removed": ["naming"],
        "leftover": ["crows_talon", "hand_shadow"],
        "undealt": ["mainspring_maker"],
    }
    assert [entry["position"] for entry in clock] == list(range(2, 13))
    assert "revealed" not in wire(position(), None)["table"]


def test_the_rest_may_stay_hidden() -> None:
    """YU-19, YU-120: with `end_reveal = seats_only`."""
    view = wire(ended(end_reveal="seats_only").state, None)
    assert set(view["table"]["revealed"]) == {"roles", "skills", "removed"}
    assert sum("card" in place for place in view["table"]["clock"]) == 1


def test_who_has_answered_for_a_rematch_is_not_shown() -> None:
    """YU-88, YU-117: only the seat itself sees that it is not asked any more."""
    table = at_turn(
        seat("gentleman"), seat(items="stopped_watch"), seat(stock="moon_shadow"),
        hour=12, start=D, origin=D, options=Options(BASE, replay="ask"),
    )  # fmt: skip
    table.passes(D, A, B, C)
    before = [wire(table.state, viewer) for viewer in VIEWERS]
    assert before[0]["phase"] == "rematch"
    assert before[0]["asked"] == [0, 1, 2, 3]
    assert before[0]["table"]["result"]["result"] == "dream"
    assert "revealed" in before[0]["table"]
    assert "outcome" not in before[0]
    table.act(B, "no")
    assert [wire(table.state, viewer) for viewer in VIEWERS] == before
