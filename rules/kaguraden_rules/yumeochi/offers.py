"""What is asked: every decision of §10 with all its options, in the order of its table.

A use is listed only if its conditions hold and every choice has a candidate (YU-36, YU-48), and
every option that is listed is accepted. Seats come clockwise from the one who decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, assert_never

import attrs
from attrs import evolve

from kaguraden_rules.kernel import CardId, Decision, Json, Option, SeatId, Text
from kaguraden_rules.yumeochi import card as c
from kaguraden_rules.yumeochi.conditions import Asker, all_hold
from kaguraden_rules.yumeochi.effects import asked_seat, marker_seats
from kaguraden_rules.yumeochi.state import (
    FACE_DOWN,
    Phase,
    Picks,
    Rematch,
    Turn,
)
from kaguraden_rules.yumeochi.table import EVERYBODY, Table

__all__ = ["HOST", "decide", "picks_of"]

HOST: Final = EVERYBODY[0]  # who names the first holder (DP-8, YU-115)

_PASS: Final = Option("pass", "pass")
_YES: Final = Option("yes", "yes")
_NO: Final = Option("no", "no")
_PICKS: Final = tuple(pick.name for pick in attrs.fields(Picks))

_PROMPTS: Final[Mapping[Phase, Text]] = {
    Phase.FIRST_HOLDER: Text(
        "最近カラスと目が合ったのは誰ですか", "Whose eye has a crow most recently met?"
    ),
    Phase.TURN: Text("アクションを一つ選んでください", "Choose one action"),
    Phase.CONSENT: Text("この同意交換に応じますか", "Do you agree to this exchange?"),
    Phase.MAY: Text("この効果を使いますか", "Do you use this effect?"),
    Phase.MARKER: Text("スタートマーカーを誰に渡しますか", "Who gets the start marker?"),
    Phase.YIELD: Text("どのスキルカードを渡しますか", "Which skill card do you hand over?"),
    Phase.DRAW: Text("スキルカードを取り替えますか", "Do you exchange a skill card?"),
    Phase.REMATCH: Text("夢ヲチ。もう一度遊びますか", "It was all a dream. Play again?"),
}


def decide(table: Table) -> dict[SeatId, Decision]:
    """Return the decisions that are open now; their ids are still to be given."""
    match table.phase:
        case None | Phase.OVER:
            return {}
        case Phase.FIRST_HOLDER:
            options = [Option(f"seat:{s}", "seat", {"seat": s}) for s in EVERYBODY]
            return _ask(table, HOST, [*options, Option("random", "random")], "random")
        case Phase.TURN:
            turn = table.turn
            return _ask(table, turn.seat, _turn_options(table, turn), "pass")
        case Phase.CONSENT:
            proposal = table.turn.proposal
            if proposal is None:
                raise ValueError("no exchange is proposed")
            # any own skill, whether or not it may be used now (YU-125)
            agree = [_card("agree", card) for card in _skills(table, proposal.target)]
            return _ask(table, proposal.target, [Option("refuse", "refuse"), *agree], "refuse")
        case Phase.MAY:
            return _ask(table, asked_seat(table), [_NO, _YES], "no")
        case Phase.MARKER:
            return _ask_marker(table)
        case Phase.YIELD:
            seat = asked_seat(table)
            options = [_card("yield", card) for card in table.seats[seat].skills_down]
            return _ask(table, seat, options, options[0].id)
        case Phase.DRAW:
            return _ask_draw(table)
        case Phase.REMATCH:
            if not isinstance(table.stage, Rematch):
                raise ValueError("no game has ended")
            given = zip(EVERYBODY, table.stage.answers, strict=True)
            asked = [_ask(table, seat, [_YES, _NO], "no") for seat, said in given if said is None]
            return {seat: decision for one in asked for seat, decision in one.items()}
        case _:
            assert_never(table.phase)


def _ask(
    table: Table, seat: SeatId, options: Iterable[Option], default: str
) -> dict[SeatId, Decision]:
    phase = table.phase or Phase.OVER
    return {
        seat: Decision(
            id="",
            kind=phase.value,
            options=tuple(options),
            default=default,
            sealed=phase is Phase.REMATCH,
            prompt=_PROMPTS[phase],
        )
    }


def _skills(table: Table, seat: SeatId) -> list[CardId]:
    return [held.card for held in table.seats[seat].skills]


def _card(kind: str, card: CardId) -> Option:
    return Option(f"{kind}:{card}", kind, {"card": card})


# --- follow-ups ----------------------------------------------------------------------------------


def _ask_marker(table: Table) -> dict[SeatId, Decision]:
    """Ask who gets the marker (DP-4); by default its present holder keeps it."""
    seats = marker_seats(table)
    options = [Option(f"to:{seat}", "to", {"seat": seat}) for seat in seats]
    return _ask(table, asked_seat(table), options, f"to:{table.start}")


def _ask_draw(table: Table) -> dict[SeatId, Decision]:
    """Ask for an exchange with the leftover (DP-6)."""
    seat = asked_seat(table)
    draws = [
        Option(f"draw:{own}:{held.card}", "draw", {"own": own, "card": held.card})
        for own in _skills(table, seat)
        for held in table.leftover
    ]
    return _ask(table, seat, [Option("keep", "keep"), *draws], "keep")


# --- the turn (DP-1) -----------------------------------------------------------------------------


def _turn_options(table: Table, turn: Turn) -> list[Option]:
    me = turn.seat
    seat, others = table.seats[me], table.others(me)
    options: list[Option] = []
    if table.is_down(table.hour):  # YU-30, YU-31
        options.append(Option("open", "open"))
    for held in seat.skills:
        if held.card not in table.used and held.card not in table.locked:  # YU-35, YU-60
            ability = table.cards.skill_of[held.card].ability
            options += _uses(table, me, held.card, "skill", ability)
    for item in seat.items:
        use = table.cards.time_of[item].use
        if use is not None:
            options += _uses(table, me, item, "item", use)
    if table.start != me:  # YU-38
        options.append(Option("take", "take"))
    options += [  # YU-40
        Option(f"give:{item}:{to}", "give", {"card": item, "seat": to})
        for item in seat.items
        for to in others
    ]
    if len(turn.tried) < table.options.exchange_proposals:  # YU-44
        options += [
            Option(f"exchange:{to}:{held.card}", "exchange", {"seat": to, "card": held.card})
            for to in others
            if to not in turn.tried
            for held in seat.skills
        ]
    action = table.cards.role_of[seat.role].action
    if action is not None:
        options += _actions(table, me, seat.role, action)
    options.append(_PASS)
    return options


def _uses(
    table: Table, me: SeatId, card: CardId, source: str, ability: c.Ability
) -> Iterator[Option]:
    for picks in _choices(table, me, card, ability):
        picked = _args(picks)
        yield Option(_id("use", card, picked), "use", {"card": card, "source": source, **picked})


def _actions(table: Table, me: SeatId, role: CardId, action: c.Ability) -> Iterator[Option]:
    for picks in _choices(table, me, role, action):
        picked = _args(picks)
        yield Option(_id("action", None, picked), "action", picked)


def _args(picks: Picks) -> dict[str, Json]:
    if picks is _NONE:
        return {}
    named = ((name, getattr(picks, name)) for name in _PICKS)
    return {name: value for name, value in named if value is not None}


def _id(kind: str, card: CardId | None, picked: Mapping[str, Json]) -> str:
    head = kind if card is None else f"{kind}:{card}"
    return ":".join([head, *map(str, picked.values())]) if picked else head


def picks_of(args: Mapping[str, Any]) -> Picks:
    """Return the picks that an option stands for."""
    return Picks(**{name: args[name] for name in _PICKS if name in args})


# --- picks (YU-96) -------------------------------------------------------------------------------

_NONE: Final = Picks()


def _choices(table: Table, me: SeatId, card: CardId, ability: c.Ability) -> list[Picks]:
    """Return every way to use an ability now: none if it is not to be used."""
    asker = Asker(me, card, table.hour)
    if not all_hold(table, ability.when, asker):
        return []
    found = [_NONE]
    for pick in ability.picks:
        found = [more for picks in found for more in _extend(table, asker, pick, picks)]
    return found


def _extend(table: Table, asker: Asker, pick: c.Pick, picks: Picks) -> Iterator[Picks]:
    """Yield the picks with each candidate of one more."""
    me = asker.seat
    match pick:
        case c.PickSeat(who, where):
            for seat in table.others(me) if who == "other" else table.living(me):
                if all_hold(table, where, asker, seat):
                    yield evolve(picks, seat=seat)
        case c.PickItem("target"):
            for item in _items(table, picks.seat, asker.card):
                yield evolve(picks, item=item)
        case c.PickItem():
            for item in _items(table, me, asker.card):
                yield evolve(picks, own_item=item)
        case c.PickRole():
            up = {seat.role for seat in table.seats if seat.role_up}
            for role in table.options.pool:
                if role.id not in up:
                    yield evolve(picks, role=role.id)
        case c.PickHour(when):
            yield from _hours(table, when, picks)
        case c.PickSkill("target"):
            target = table.seats[_picked(picks.seat)]
            for skill in target.skills_up:
                yield evolve(picks, target_skill=skill)
            if target.skills_down:
                yield evolve(picks, target_skill=FACE_DOWN)
        case c.PickSkill():
            for skill in _skills(table, me):
                yield evolve(picks, skill=skill)
        case _:
            assert_never(pick)


def _picked(seat: SeatId | None) -> SeatId:
    if seat is None:
        raise ValueError("no seat is picked before what is picked of it")
    return seat


def _items(table: Table, seat: SeatId | None, used: CardId) -> list[CardId]:
    """Return the items of a seat, but for the one in use, which is on its way out (YU-34, YU-126)."""
    return [item for item in table.seats[_picked(seat)].items if item != used]


def _hours(table: Table, when: str, picks: Picks) -> Iterator[Picks]:
    """Yield face-down positions, as the first one picked or the second."""
    first, last = (1, len(table.clock)) if when != "later" else (table.hour, len(table.clock))
    if when == "past":
        last = table.hour - 1
    for position in range(first, last + 1):
        if table.is_down(position) and position != picks.position:
            if picks.position is None:
                yield evolve(picks, position=position)
            else:
                yield evolve(picks, position2=position)
