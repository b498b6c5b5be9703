"""Offers: every way to use a skill or an event, and to make one choice (OD-44, OD-45, D-15, D-16).

A use carries what it pays and, for a skill, the picks of its lines (OD-97). As an answer is one
option with one list of cards at most, a use carries one choice by its option and one by its list: in
order the payment out of the hand, the payment off the fields, and the lines. A choice of one card is
made by the option while that is free, else by the list; a choice of several takes the list. From the
first choice that finds no place, or that an earlier line may still change, the rest is asked when
the lines are carried out, as the picks of an event are (OD-160, OD-212). So a skill has at most as
many options as there are ways to make one choice, each with one list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import evolve, field, frozen

from kaguraden_rules.kernel import CardsValue, Json, Option, SeatId, Value
from kaguraden_rules.odoriko import card as c
from kaguraden_rules.odoriko.activity import as_cards
from kaguraden_rules.odoriko.naming import (
    Spread,
    id_part,
    label_of,
    listed,
    named_args,
    spread_of,
)
from kaguraden_rules.odoriko.needs import does_what_it_must, field_payment, hand_payments, holds
from kaguraden_rules.odoriko.picks import Form, Look, Way, form_of, look_at, ways
from kaguraden_rules.odoriko.refs import CardRef, face
from kaguraden_rules.odoriko.skills import FaceUp, is_spent
from kaguraden_rules.odoriko.state import Named
from kaguraden_rules.odoriko.table import Table

__all__ = ["Offer", "event_offers", "offer_of", "skill_offers", "way_offers"]

PAYMENT = -1  # in place of the number of a line


@frozen
class Offer:
    """A use that is on offer: the option, and what it means.

    `pays` are the cards that it pays, `picks` what each line names, None where that is asked later.
    The option's list adds to one of these: to the pick of the line `fills`, or with PAYMENT to what
    is paid. `listed` has the cards by their names on the list.
    """

    option: Option
    pays: tuple[Named, ...] = ()
    picks: tuple[tuple[Named, ...] | None, ...] = ()
    listed: Mapping[str, Named] = field(factory=dict)
    fills: int | None = None

    def taken(self, value: Value) -> tuple[tuple[Named, ...], tuple[tuple[Named, ...] | None, ...]]:
        """Return what the use pays and what its lines name, when it is taken with a value."""
        if self.fills is None:
            return self.pays, self.picks
        given = as_cards(value)
        chosen = tuple(named for label, named in self.listed.items() if label in given)
        if self.fills == PAYMENT:
            return (*self.pays, *chosen), self.picks
        before = self.picks[self.fills] or ()
        filled = (*before, *chosen)
        return self.pays, (*self.picks[: self.fills], filled, *self.picks[self.fills + 1 :])


def offer_of(offers: Iterable[Offer], option: Option) -> Offer:
    """Return the offer that an option stands for."""
    return next(offer for offer in offers if offer.option.id == option.id)


@frozen
class _Draft:
    """An offer in the making."""

    look: Look  # the position as what is paid and picked so far leaves it
    words: tuple[str, ...]  # the parts of the option's id
    pays: tuple[Named, ...] = ()
    picks: tuple[tuple[Named, ...] | None, ...] = ()
    paid: tuple[Json, ...] = ()  # the payment by name
    picked: tuple[Json, ...] = ()  # the picks that the option makes
    seats: dict[str, Json] = field(factory=dict)  # the one seat that a list is of, or goes to
    way: Way | None = None  # with the list
    fills: int | None = None


def skill_offers(
    table: Table, found: FaceUp, actor: SeatId | None = None, *, free_play: bool = False
) -> Iterator[Offer]:
    """Yield every use of a skill that its owner could declare now, but for the timing.

    Args:
        table: The position.
        found: The skill.
        actor: The player of the card that it answers, if any.
        free_play: Whether it is to be used at an action point without an action (OD-109).
    """
    at, skill = found.at, found.skill
    look = look_at(table, at.seat, this=at.since, actor=actor)
    if is_spent(table, found.lying) or not _meets(look, skill.conditions):
        return
    label = label_of(look, at)
    args: dict[str, Json] = {"zone": at.zone, "card": label}
    if at.kept:
        args["kept"] = True
    if free_play:
        args["free"] = True
    drafts = [
        draft
        for draft in _paid(_Draft(look, ("use_skill", at.zone, label)), skill.cost)
        if does_what_it_must(draft.look, skill.do, at, public=False)
    ]
    plan = _within_bounds(look, skill, _carried(skill))
    for number, (line, carried) in enumerate(zip(skill.do, plan, strict=True)):
        drafts = [more for draft in drafts for more in _carry(draft, number, line, carried, at)]
    for draft in drafts:
        yield _finish(draft, "use_skill", args)


def event_offers(table: Table, seat: SeatId, card: CardRef) -> Iterator[Offer]:
    """Yield every use of an event in hand; picks are made when it is carried out (OD-160)."""
    event = table.cards[face(card)]
    if not isinstance(event, c.EventCard):
        return
    play = event.play
    args: dict[str, Json] = {"card": face(card)}
    if not (play.conditions or play.cost or any(line.must for line in play.do)):
        yield Offer(Option(f"use_event:{face(card)}", "use_event", args))
        return
    look = look_at(table, seat)
    look = look.without(Named(seat, "hand", card), to_pile=False)  # it is on the stack (OD-54)
    if not _meets(look, play.conditions):
        return
    for draft in _paid(_Draft(look, ("use_event", face(card))), play.cost):
        if does_what_it_must(draft.look, play.do, None, public=False):
            yield _finish(draft, "use_event", args)


def _meets(look: Look, conditions: Sequence[c.Condition]) -> bool:
    return all(holds(look, condition, public=False) for condition in conditions)


def _finish(draft: _Draft, kind: str, args: Mapping[str, Json]) -> Offer:
    args = {**args, **draft.seats}
    if draft.paid:
        args["pays"] = list(draft.paid)
    if draft.picked:
        args["picks"] = list(draft.picked)
    option_id = ":".join(draft.words)
    way = draft.way
    if way is None or not way.among:
        return Offer(Option(option_id, kind, args), draft.pays, draft.picks)
    cards = listed(way.among)
    args["list"] = "pays" if draft.fills == PAYMENT else "picks"
    value = CardsValue(tuple(cards), way.least, way.most)
    option = Option(option_id, kind, args, value)
    return Offer(option, draft.pays, draft.picks, cards, draft.fills)


# --- what a use carries -------------------------------------------------------------------------


def _paid(draft: _Draft, cost: Sequence[c.Cost]) -> list[_Draft]:
    """Return the draft with every payment: of the hand by option, then of the fields (OD-68)."""
    if not cost:
        return [draft]
    drafts = []
    for paid in hand_payments(draft.look, cost):
        start = _pay(draft, paid)
        n, able = field_payment(start.look, cost)
        if len(able) < n:
            continue
        if not n:
            drafts.append(start)
        elif Form.LIST in _taken_by_payment(cost):
            drafts.append(evolve(start, way=Way((), able, n, n), fills=PAYMENT))
        else:
            drafts += [_pay(start, (named,)) for named in able]
    return drafts


def _taken_by_payment(cost: Sequence[c.Cost]) -> frozenset[Form]:
    """Return what of an answer the payment takes up: ONE is the option, LIST its list.

    Hand cards are paid by the option; one card of the fields too, while that is free.
    """
    parts = [part for part in cost if isinstance(part, c.DiscardCost)]
    taken = {Form.ONE for part in parts if part.zone is c.Zone.HAND}
    for part in parts:
        if part.zone is c.Zone.FIELDS:
            taken.add(Form.LIST if part.n > 1 or taken else Form.ONE)
    return frozenset(taken)


_TAKEN_BY = {
    Form.ONE: {Form.ONE},
    Form.LIST: {Form.LIST},
    Form.BOTH: {Form.ONE, Form.LIST},
}  # what of an answer a choice takes up; other forms take nothing


def _pay(draft: _Draft, paid: tuple[Named, ...]) -> _Draft:
    look = draft.look
    names = [id_part(draft.look, named) for named in paid]
    for named in paid:
        look = look.without(named)
    args = [named_args(draft.look, named) for named in paid]
    return evolve(
        draft,
        look=look,
        words=(*draft.words, *names),
        pays=(*draft.pays, *paid),
        paid=(*draft.paid, *args),
    )


def _carried(skill: c.Skill) -> tuple[Form | None, ...]:
    """Return how a use carries the pick of each line: by option, by list, by both, or not at all.

    That follows from the card's data alone, so that what is asked later tells nothing of a hand.
    """
    free = _TAKEN_BY[Form.BOTH] - _taken_by_payment(skill.cost)
    carried: list[Form | None] = []
    changes: set[c.Zone] = set()  # what earlier lines may change unforeseen
    open_end = False  # all further picks are asked later
    for line in skill.do:
        form = form_of(line)
        if form is Form.ONE and Form.ONE not in free:
            form = Form.LIST
        taken = _TAKEN_BY.get(form)
        if taken is None:
            carried.append(None)
            open_end = open_end or form is Form.HOLDERS
        elif open_end or not taken <= free or _zones_read(line) & changes:
            carried.append(None)
            open_end = True
        else:
            carried.append(form)
            free -= taken
        match line:
            case c.Draw():
                changes.add(c.Zone.HAND)
            case c.Show():
                changes.add(c.Zone.SHOWN)
            case c.Take() | c.Place() | c.Exchange():
                changes |= {c.Zone.HAND, c.Zone.FIELDS, c.Zone.SONG, c.Zone.DANCE}
    return tuple(carried)


MAX_ENTRIES = 400  # in all lists of one skill: a frame of the protocol holds 4,096 values


def _within_bounds(
    look: Look, skill: c.Skill, carried: tuple[Form | None, ...]
) -> tuple[Form | None, ...]:
    """Leave picks to be asked later where the board is so full that their lists are too long.

    Cards in the open alone are counted, so that this, too, tells nothing of a hand (OD-212).
    """
    choices = sum(form is not None for form in carried) + len(skill.cost)
    if choices < 2 and Form.BOTH not in carried:
        return carried
    _, able = field_payment(look, skill.cost)
    entries = max(1, len(able))  # so many options, or so many on their lists: both count alike
    for number, (line, form) in enumerate(zip(skill.do, carried, strict=True)):
        if form is None or c.Zone.HAND in _zones_read(line):
            continue
        found = ways(look, line)
        entries *= len(found) * max(1, *(len(way.among) for way in found))
        if entries > MAX_ENTRIES:
            return carried[:number] + (None,) * (len(carried) - number)
    return carried


def _zones_read(line: c.Op) -> set[c.Zone]:
    picks = (getattr(line, name, None) for name in ("pick", "a", "b"))
    return {pick.zone for pick in picks if isinstance(pick, c.Pick)}


def _carry(
    draft: _Draft, number: int, line: c.Op, carried: Form | None, at: Named
) -> Iterator[_Draft]:
    """Yield the draft with every way to make the pick of its next line."""
    if carried is None:
        asked_later = form_of(line) is not Form.NONE
        look = draft.look
        if isinstance(line, c.Discard) and line.pick is None:
            look = look.without(at)
        yield evolve(draft, look=look, picks=(*draft.picks, None if asked_later else ()))
        return
    found = ways(draft.look, line)
    if carried is Form.LIST and form_of(line) is Form.ONE:
        among = tuple(named for way in found for named in way.fixed)
        found = (Way((), among, 1, 1),) if among else (Way(),)
    yield from _with_ways(draft, number, found)


def _with_ways(draft: _Draft, number: int, found: Sequence[Way]) -> Iterator[_Draft]:
    spread = spread_of([named for way in found for named in way.fixed])
    for way in found:
        yield _with_way(draft, number, way, spread)


def _with_way(draft: _Draft, number: int, way: Way, spread: Spread) -> _Draft:
    look = draft.look
    for named in way.fixed:
        look = look.without(named)
    fixed, rest = way.fixed, way
    if way.among and way.least == way.most == len(way.among):
        fixed, rest = (*way.fixed, *way.among), Way()  # nothing is left to choose
    picked = [named_args(draft.look, named) for named in fixed]
    has_list = bool(rest.among)
    return evolve(
        draft,
        look=look,
        words=(
            *draft.words,
            *_seats_in_words(way),
            *(id_part(draft.look, named, spread) for named in way.fixed),
        ),
        picks=(*draft.picks, fixed),
        picked=(*draft.picked, *picked),
        seats=draft.seats | _seats_in_args(way),
        way=rest if has_list else draft.way,
        fills=number if has_list else draft.fills,
    )


def _seats_in_words(way: Way) -> tuple[str, ...]:
    return tuple(
        start + str(seat) for start, seat in (("", way.whose), (">", way.to)) if seat is not None
    )


def _seats_in_args(way: Way) -> dict[str, Json]:
    return {name: seat for name, seat in (("whose", way.whose), ("to", way.to)) if seat is not None}


def way_offers(look: Look, found: Sequence[Way]) -> tuple[Offer, ...]:
    """Return the offers for one choice that is asked by itself: kind `choose` (D-15, D-16)."""
    drafts = _with_ways(_Draft(look, ("choose",)), 0, found)
    return tuple(_finish(draft, "choose", {}) for draft in drafts)
