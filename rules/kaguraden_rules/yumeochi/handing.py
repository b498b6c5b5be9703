"""Effects that move cards, or lives, between seats and the places of the table (YU-97).

Whoever carries them out lives; what has gone in the meantime is not moved.
"""

from __future__ import annotations

from kaguraden_rules.kernel import CardId, SeatId
from kaguraden_rules.yumeochi import card as c
from kaguraden_rules.yumeochi import events as e
from kaguraden_rules.yumeochi import moves
from kaguraden_rules.yumeochi.state import FACE_DOWN, Frame, Gained, Received, face_up
from kaguraden_rules.yumeochi.table import Table

__all__ = ["discard_picked", "draw", "gain", "hand_over", "swap_skills", "swap_time_cards"]


def discard_picked(table: Table, frame: Frame) -> None:
    """Discard the picked item: that of the target, or else an own one."""
    owner, item = frame.picks.seat, frame.picks.item
    if item is None:
        owner, item = frame.actor, frame.picks.own_item
    if owner is not None and item is not None and table.seats[owner].is_well:
        moves.discard(table, owner, item, frame.card)


def hand_over(table: Table, frame: Frame, effect: c.Take | c.Swap) -> None:
    """Move picked cards, or lives, between the acting seat and its target."""
    me, target, picks = frame.actor, frame.target, frame.picks
    if target == me:
        return  # nothing changes hands
    match effect:
        case c.Take():
            if picks.item in table.seats[target].items:
                moves.move_item(table, target, me, picks.item, "take")
        case c.Swap("items"):
            _swap_items(table, frame)
        case c.Swap("skills"):
            hidden, wanted = table.seats[target].skills_down, picks.target_skill
            card = hidden[0] if wanted == FACE_DOWN and hidden else wanted
            swap_skills(table, frame, CardId(card or ""))
        case _:
            _swap_lives(table, frame)


def _swap_items(table: Table, frame: Frame) -> None:
    me, target = frame.actor, frame.target
    own, theirs = frame.picks.own_item, frame.picks.item
    if own in table.seats[me].items and theirs in table.seats[target].items:
        moves.move_item(table, me, target, own, "swap")
        moves.move_item(table, target, me, theirs, "swap")


def swap_skills(table: Table, frame: Frame, card: CardId) -> None:
    """Swap the picked own skill for a card of the target, if both are still there."""
    me, target, own = frame.actor, frame.target, frame.picks.skill
    mine = [held.card for held in table.seats[me].skills]
    theirs = [held.card for held in table.seats[target].skills]
    if own is not None and own in mine and card in theirs:
        moves.cross_skills(table, e.SkillsSwapped, (me, own), (target, card))


def _swap_lives(table: Table, frame: Frame) -> None:
    me, target = frame.actor, frame.target
    mine, theirs = table.seats[me].life, table.seats[target].life
    if mine != theirs:
        table.tell(e.LivesSwapped(table.hour, me, target))
        moves.set_life(table, frame, me, theirs)
        moves.set_life(table, frame, target, mine)


def swap_time_cards(table: Table, frame: Frame) -> None:
    """Let two face-down time cards change places, unseen by anybody (YU-131)."""
    one, other = frame.picks.position, frame.picks.position2
    if one is None or other is None or not (table.is_down(one) and table.is_down(other)):
        return
    first, second = table.at(one).card, table.at(other).card
    table.set_place(one, card=second)
    table.set_place(other, card=first)
    table.tell(e.TimeCardsSwapped(table.hour, frame.actor, one, other))


def gain(table: Table, me: SeatId) -> None:
    """Give a seat the leftover skills, not to be used in this phase (YU-58 to YU-60).

    They come face down, but for those that everybody has seen (YU-14); the price is all own skills
    where there is one (YU-132).
    """
    gained = table.leftover
    if not gained:
        return
    price = table.seats[me].skills if table.options.rabbit_price == "figurine_and_skill" else ()
    kept = [held for held in table.seats[me].skills if held not in price]
    table.change(me, skills=table.in_set_order([*kept, *gained]))
    table.leftover = price
    cards = tuple(held.card for held in gained)
    table.locked += cards
    table.tell(e.LeftoverTaken(table.hour, me, len(gained), face_up(gained), cards=cards))
    table.show(me, Gained(table.hour, cards))
    if price:
        paid = tuple(held.card for held in price)
        table.tell(e.SkillsLaidAside(table.hour, me, len(price), face_up(price), cards=paid))


def draw(table: Table, seat: SeatId, own: CardId, wanted: CardId, by: e.By) -> None:
    """Exchange an own skill for one of the leftover, not to be used in this phase (DP-6, YU-133)."""
    gave = table.held(seat, own)
    got = next(held for held in table.leftover if held.card == wanted)
    skills = [held for held in table.seats[seat].skills if held != gave]
    leftover = [held for held in table.leftover if held != got]
    table.change(seat, skills=table.in_set_order([*skills, got]))
    table.leftover = table.in_set_order([*leftover, gave])
    table.locked += (wanted,)
    table.tell(
        e.SkillDrawn(
            table.hour,
            seat,
            exchanged=True,
            by=by,
            gave=own if gave.up else None,
            got=wanted if got.up else None,
            own=own,
            card=wanted,
        )
    )
    table.show(seat, Received(table.hour, wanted, gave=own))
