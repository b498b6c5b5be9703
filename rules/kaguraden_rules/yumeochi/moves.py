"""The single changes that actions and effects are made of, each with its event (YU-105)."""

from __future__ import annotations

from typing import Literal

from attrs import evolve

from kaguraden_rules.kernel import CardId, SeatId
from kaguraden_rules.yumeochi import events as e
from kaguraden_rules.yumeochi.card import TimeCard, TimeKind
from kaguraden_rules.yumeochi.state import (
    LIFE,
    Action,
    Frame,
    Held,
    Received,
    Source,
)
from kaguraden_rules.yumeochi.table import Table

__all__ = [
    "cross_skills",
    "damage",
    "discard",
    "finish_opened",
    "heal",
    "mark",
    "move_item",
    "move_start",
    "open_card",
    "reveal_role",
    "reveal_skill",
    "set_life",
    "tell_action",
    "unmark",
]


# --- life ----------------------------------------------------------------------------------------


def damage(table: Table, frame: Frame, seat: SeatId, n: int) -> None:
    """Take life of a seat, unless it is protected from what another seat does (YU-91).

    At 0 it is dying; a kill is noted for an attack (YU-72, YU-129).
    """
    hurt = table.seats[seat]
    by_other = frame.actor != seat
    if by_other and hurt.protected:
        return
    attack = by_other and frame.source is not Source.OPENED
    new = max(0, hurt.life - n)
    table.change(seat, life=new, killer=frame.actor if attack and new == 0 else None)
    table.tell(
        e.LifeChanged(table.hour, seat, hurt.life, new, frame.card, frame.actor, attack=attack)
    )


def heal(table: Table, frame: Frame, seat: SeatId, n: int) -> None:
    """Give a seat life, up to 5 (YU-62)."""
    old = table.seats[seat].life
    set_life(table, frame, seat, min(LIFE, old + n))


def set_life(table: Table, frame: Frame, seat: SeatId, new: int) -> None:
    """Change a seat's life by what is no damage (YU-129)."""
    old = table.seats[seat].life
    if new != old:
        table.change(seat, life=new)
        table.tell(e.LifeChanged(table.hour, seat, old, new, frame.card, frame.actor, attack=False))


# --- marks and markers ---------------------------------------------------------------------------


def mark(table: Table, seat: SeatId, name: Literal["skip", "protect"]) -> None:
    """Mark a seat; marks do not add up (YU-91)."""
    _set_mark(table, seat, name, wanted=True)


def unmark(table: Table, seat: SeatId, name: Literal["skip", "protect"]) -> None:
    """End a mark."""
    _set_mark(table, seat, name, wanted=False)


def _set_mark(
    table: Table, seat: SeatId, name: Literal["skip", "protect"], *, wanted: bool
) -> None:
    part = "skip" if name == "skip" else "protected"
    if getattr(table.seats[seat], part) is not wanted:
        table.change(seat, **{part: wanted})
        event = e.Marked if wanted else e.Unmarked
        table.tell(event(table.hour, seat, name))


def move_start(table: Table, seat: SeatId, cause: str) -> None:
    """Give the start marker to a seat (YU-37)."""
    if seat != table.start:
        table.tell(e.MarkerMoved(table.hour, "start", cause, table.start, seat))
        table.start = seat


# --- roles and skills ----------------------------------------------------------------------------


def reveal_role(table: Table, seat: SeatId, cause: str) -> None:
    """Turn a role face up; it stays so (YU-14)."""
    if not table.seats[seat].role_up:
        table.change(seat, role_up=True)
        table.tell(e.RoleRevealed(table.hour, seat, table.seats[seat].role, cause))


def reveal_skill(table: Table, seat: SeatId, card: CardId, cause: str) -> None:
    """Turn a skill face up; it stays so, whoever has it (YU-14)."""
    if not table.held(seat, card).up:
        skills = table.seats[seat].skills
        turned = tuple(evolve(held, up=True) if held.card == card else held for held in skills)
        table.change(seat, skills=turned)
        table.tell(e.SkillRevealed(table.hour, seat, card, cause))


def cross_skills(
    table: Table,
    event: type[e.SkillsExchanged | e.SkillsSwapped],
    mine: tuple[SeatId, CardId],
    theirs: tuple[SeatId, CardId],
) -> None:
    """Let a skill of one seat and one of another change places, faces unchanged (YU-43)."""
    (seat, own), (target, other) = mine, theirs
    gave, got = table.held(seat, own), table.held(target, other)
    _replace_skill(table, seat, gave, got)
    _replace_skill(table, target, got, gave)
    table.tell(
        event(
            table.hour,
            seat,
            target,
            own if gave.up else None,
            other if got.up else None,
            seat_card=own,
            target_card=other,
        )
    )
    table.show(seat, Received(table.hour, other, gave=own, giver=target))
    table.show(target, Received(table.hour, own, gave=other, giver=seat))


def _replace_skill(table: Table, seat: SeatId, old: Held, new: Held) -> None:
    others = [held for held in table.seats[seat].skills if held != old]
    table.change(seat, skills=table.in_set_order([*others, new]))


# --- time cards ----------------------------------------------------------------------------------


def open_card(table: Table, seat: SeatId, position: int) -> None:
    """Turn up the time card of a position and begin to carry it out (YU-29, YU-49, YU-50)."""
    card = table.cards.time_of[table.at(position).card]
    hour = position if table.options.time_reference == "position" else table.hour
    ability = card.opened
    case = ability.case_at(hour) if ability is not None else None
    hours = case.hours if case is not None and ability is not None and ability.is_timed else None
    table.set_place(position, opener=seat, case=hours)
    table.change(seat, opened=table.seats[seat].opened + 1)
    table.tell(e.CardOpened(table.hour, seat, position, card.id, hours))
    effects = () if case is None else case.effects
    table.stack.append(Frame(seat, card.id, Source.OPENED, effects, hour=hour, position=position))


def finish_opened(table: Table, frame: Frame, position: int) -> None:
    """Put a time card that was carried out where it belongs (YU-51 to YU-53, YU-71)."""
    card, seat = table.cards.time_of[frame.card], table.seats[frame.actor]
    if card.time_kind is TimeKind.EVENT:
        _discard_opened(table, frame, position, "event")
    elif seat.is_dying and table.options.dying_opener == "discard":
        _discard_opened(table, frame, position, "dying")
    else:
        _keep(table, frame.actor, card, position)


def _discard_opened(table: Table, frame: Frame, position: int, cause: str) -> None:
    table.set_place(position, went="discard")
    table.discards += (frame.card,)
    table.tell(e.CardDiscarded(table.hour, frame.actor, frame.card, cause))


def _keep(table: Table, number: SeatId, card: TimeCard, position: int) -> None:
    seat = table.seats[number]
    if card.time_kind is TimeKind.ITEM:
        table.set_place(position, went="item")
        table.change(number, items=(*seat.items, card.id))
        table.tell(e.CardKept(table.hour, number, card.id, "item"))
    else:
        table.set_place(position, went="stock")
        table.change(number, stock=(*seat.stock, card.id))
        table.tell(e.CardKept(table.hour, number, card.id, "stock"))


def discard(table: Table, seat: SeatId, card: CardId, cause: str) -> None:
    """Discard an item in front of a seat, if it still has it; it never returns (YU-55)."""
    items = table.seats[seat].items
    if card in items:
        table.change(seat, items=tuple(item for item in items if item != card))
        table.discards += (card,)
        table.tell(e.CardDiscarded(table.hour, seat, card, cause))


def move_item(
    table: Table,
    giver: SeatId,
    receiver: SeatId,
    card: CardId,
    cause: Literal["give", "take", "swap"],
) -> None:
    """Move an item from one seat to another."""
    left = tuple(item for item in table.seats[giver].items if item != card)
    table.change(giver, items=left)
    table.change(receiver, items=(*table.seats[receiver].items, card))
    table.tell(e.ItemMoved(table.hour, giver, receiver, card, cause))


# --- actions -------------------------------------------------------------------------------------


def tell_action(table: Table, seat: SeatId, action: Action, by: e.By) -> None:
    """Tell what a seat does; an own skill among its picks only where it lies face up."""
    if action.action == "exchange":
        raise ValueError("an exchange has events of its own")
    picks = action.picks
    source: Literal["skill", "item"] | None = None
    if action.action == "use":
        source = "skill" if action.card in table.cards.skill_of else "item"
    is_shown = picks.skill is not None and table.held(seat, picks.skill).up
    table.tell(
        e.ActionTaken(
            table.hour,
            seat,
            action.action,
            by,
            card=action.card,
            source=source,
            target=picks.seat,
            item=picks.item,
            own_item=picks.own_item,
            role=picks.role,
            position=picks.position,
            position2=picks.position2,
            skill=picks.skill if is_shown else None,
            target_skill=picks.target_skill,
            own_skill=picks.skill,
        )
    )
