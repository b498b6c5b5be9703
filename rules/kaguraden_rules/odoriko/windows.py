"""Reaction windows: when one opens, whom it asks, what they may answer (OD-104).

A window lies on the stack above what it is about: `event` and `k` windows above the card in use,
`trigger` and `j` windows above the use or action whose batch was discarded, an `a` window above the
sale, a `free` window above the action that it follows. Whom it asks follows from what everybody can
see, the number of resource-back cards in a hand among it; what a seat may answer follows from its
hand and is shown to that seat alone (OD-105, OD-175).

How the answers are carried out is in `reactions`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs
from attrs import evolve, frozen

from kaguraden_rules.kernel import CardId, Json, Option, SeatId
from kaguraden_rules.odoriko import card as c
from kaguraden_rules.odoriko import events
from kaguraden_rules.odoriko.faces import Rank, is_resource
from kaguraden_rules.odoriko.moves import as_target, shown
from kaguraden_rules.odoriko.offers import skill_offers
from kaguraden_rules.odoriko.options import Options
from kaguraden_rules.odoriko.refs import CardRef, face, faces
from kaguraden_rules.odoriko.scoring import kind_of, matches
from kaguraden_rules.odoriko.skills import FaceUp, face_up_skills, may_be_used
from kaguraden_rules.odoriko.state import (
    Action,
    Batch,
    Discarding,
    Frame,
    Named,
    Purpose,
    Sale,
    Seat,
    Turn,
    Use,
    Window,
    WindowName,
)
from kaguraden_rules.odoriko.table import Table
from kaguraden_rules.odoriko.zones import find, resource_backs, with_rank

__all__ = [
    "CHAIN_CAP",
    "PASS",
    "Subject",
    "asked_seats",
    "candidates",
    "chain_ends",
    "open_round",
    "open_window",
    "redirected_of",
    "serve_batch",
    "skills_asked",
    "subject",
    "takes_of",
    "target_of",
    "use_options",
]

CHAIN_CAP = 64  # uses in one action (OD-111)
BATCH_WINDOWS = (WindowName.TRIGGER, WindowName.J)  # that open for a batch, in order (OD-103)
PASS = Option("pass", "pass")


# --- opening ---------------------------------------------------------------------------------


def serve_batch(table: Table, holder: Use | Action) -> bool:
    """Open the next window for the oldest batch of the frame on top (OD-97 step R6).

    Returns:
        False where the frame has no batch left.
    """
    if not holder.batches:
        return False
    batch, *younger = holder.batches
    if batch.opened == len(BATCH_WINDOWS):
        table.update(batches=tuple(younger))
    else:
        opened = evolve(batch, opened=batch.opened + 1)
        table.update(batches=(opened, *younger))
        open_window(table, BATCH_WINDOWS[batch.opened])
    return True


def open_window(table: Table, name: WindowName) -> None:
    """Open a window about the frame on top, if there is anybody to ask (W1, W2 of OD-101)."""
    asked = asked_seats(table, name, table.stack[-1])
    if asked and not chain_ends(table):
        table.windows += 1
        table.stack.append(Window(name, table.windows, 0, asked))
        open_round(table, asked)


def open_round(table: Table, asked: tuple[SeatId, ...]) -> None:
    """Ask the next round of the window on top (W3 of OD-101)."""
    window = table.stack[-1]
    if not isinstance(window, Window):
        raise TypeError("no window is on top")
    window = evolve(window, round=window.round + 1, asked=asked, wait=table.next_wait())
    table.stack[-1] = window
    about = subject(table.seats, table.options, window.name, table.stack[-2])
    table.tell(
        events.WindowOpened(window.number, window.name.value, window.round, asked, **about.parts())
    )


def chain_ends(table: Table) -> bool:
    """Let no more windows open in an action that has had too many uses (OD-111, OD-196).

    Returns:
        Whether that is so. The first window that does not open is told.
    """
    action = table.stack[0]
    if not isinstance(action, Action) or action.frames < CHAIN_CAP:
        return False
    if not action.capped:
        table.stack[0] = evolve(action, capped=True)
        table.tell(events.ChainCapped(action.frames))
    return True


# --- what a window is about ------------------------------------------------------------------


@frozen
class Subject:
    """What a window is about, in public: what it shows of the frame below it."""

    card: CardId | None = None
    seat: SeatId | None = None
    target: events.Target | None = None
    candidates: tuple[events.Discarded, ...] | None = None
    lot: tuple[CardId, ...] | None = None
    redirected: events.Target | None = None
    discarded: tuple[events.Discarded, ...] | None = None

    def parts(self) -> dict[str, Any]:
        """Return the fields by name, as events and views take them."""
        return {name: getattr(self, name) for name in attrs.fields_dict(Subject)}


def subject(seats: Sequence[Seat], options: Options, name: WindowName, about: Frame) -> Subject:
    """Return what a window is about."""
    match name, about:
        case WindowName.K | WindowName.EVENT, Use(seat=seat, card=card):
            return Subject(
                card=face(card),
                seat=seat,
                target=target_of(about),
                redirected=redirected_of(about),
            )
        case WindowName.J, Use(batches=(batch, *_)) | Action(batches=(batch, *_)):
            there = candidates(seats, options, batch)
            return Subject(candidates=tuple(map(shown, there)))
        case WindowName.TRIGGER, Use(batches=(batch, *_)) | Action(batches=(batch, *_)):
            return Subject(discarded=tuple(map(shown, batch.cards)))
        case WindowName.A, Sale(seller=seller, lot=lot):
            return Subject(seat=seller, lot=faces(lot))
        case WindowName.FREE, Action():
            return Subject()
    raise LookupError(f"no {name} window is about {about}")


def target_of(use: Use) -> events.Target | None:
    """Return the card on a field that a K names, as everybody sees it (OD-74)."""
    named = named_by(use)
    return as_target(named) if use.does is Purpose.DISCARD and named is not None else None


def redirected_of(use: Use) -> events.Target | None:
    """Return the card that a K discards in place of its target, as everybody sees it (OD-107)."""
    return None if use.redirected is None else as_target(use.redirected)


def named_by(use: Use) -> Named | None:
    """Return the one card that a K or a J names."""
    named = use.named(0)
    return named[0] if named else None


def takes_of(use: Use) -> events.Discarded | None:
    """Return the discarded card that a J names, as everybody sees it (OD-71)."""
    named = named_by(use)
    if use.does is not Purpose.TAKE or named is None:
        return None
    return events.Discarded(face(named.card), named.seat)


def candidates(seats: Sequence[Seat], options: Options, batch: Batch) -> tuple[Discarding, ...]:
    """Return the discarded resource cards that J may take (OD-72): those still in their piles.

    With `j_scope = pile` every resource card of a pile that received a card of the batch (OD-209).
    """
    if not any(is_resource(face(d.card)) for d in batch.cards):
        return ()
    if options.j_scope == "pile":
        piles = dict.fromkeys(d.pile for d in batch.cards)
        cards: Iterable[Discarding] = (
            Discarding(card, pile, "pile") for pile in piles for card in seats[pile].pile
        )
    else:
        cards = (d for d in batch.cards if d.card in seats[d.pile].pile)
    return tuple(d for d in cards if is_resource(face(d.card)))


# --- who is asked, what may be answered, how long ----------------------------------------------


def asked_seats(table: Table, name: WindowName, about: Frame) -> tuple[SeatId, ...]:
    """Return whom a window asks, in the order of priority, by public facts alone (OD-104, OD-105).

    Priority goes round from the active seat's left; the active seat comes last (OD-102).
    """
    if not is_live(table, name, about):
        return ()
    asks_hands = _hands_asked(name, about)
    return tuple(
        seat
        for seat in _by_priority(table)
        if (asks_hands(seat) and resource_backs(table.seats[seat]) >= 1)
        or next(skills_asked(table, name, about, seat), None) is not None
    )


def _hands_asked(name: WindowName, about: Frame) -> Callable[[SeatId], bool]:
    """Return whose hands may hold the special card that answers: Q, J or A."""
    match name, about:
        case WindowName.K, Use(seat=player):  # not the player itself (OD-108)
            return lambda seat: seat != player
        case WindowName.A, Sale(seller=seller):
            return lambda seat: seat == seller
        case WindowName.J, _:
            return lambda _: True
    return lambda _: False


def _by_priority(table: Table) -> tuple[SeatId, ...]:
    if not isinstance(table.stage, Turn):
        raise TypeError("no turn is being played")
    return table.from_left_of(table.stage.seat)


def is_live(table: Table, name: WindowName, about: Frame) -> bool:
    """Whether there is still something to answer (W5 of OD-101)."""
    match name, about:
        case WindowName.K, Use():  # not cancelled, and what K will discard is there
            victim = about.redirected or named_by(about)
            there = victim is not None and find(table.seats, victim) is not None
            return there and not about.cancelled
        case WindowName.EVENT, Use():
            return not about.cancelled
        case WindowName.J, Use(batches=(batch, *_)) | Action(batches=(batch, *_)):
            return bool(candidates(table.seats, table.options, batch))
        case WindowName.A, Sale(lot=lot):
            return bool(lot)
        case ((WindowName.TRIGGER | WindowName.FREE), _):  # while somebody is left to ask
            return True
    return False


# --- skills in windows ---------------------------------------------------------------------------


def skills_asked(table: Table, name: WindowName, about: Frame, seat: SeatId) -> Iterator[FaceUp]:
    """Yield the skills of a seat that may answer in a window, by what is public (OD-104)."""
    if name not in _MOMENTS:
        return
    actor = about.seat if isinstance(about, Use) else None
    for found in face_up_skills(table, seat, _MOMENTS[name]):
        if _fits(table, name, about, found) and may_be_used(table, found, actor):
            yield found


def _answers(*moments: c.AnswerTo, free: bool = False) -> Callable[[c.Skill], bool]:
    return lambda skill: skill.on in moments if skill.on is not None else free and skill.is_free


_MOMENTS: Mapping[WindowName, Callable[[c.Skill], bool]] = {
    WindowName.EVENT: _answers(c.AnswerTo.EVENT_DECLARED, free=True),
    WindowName.K: _answers(c.AnswerTo.K_DECLARED, free=True),
    WindowName.TRIGGER: _answers(c.AnswerTo.CHARACTER_DISCARDED, c.AnswerTo.RESOURCE_DISCARDED),
    WindowName.FREE: _answers(free=True),
}  # the skills that a window may be the moment for, by their data alone


def _fits(table: Table, name: WindowName, about: Frame, found: FaceUp) -> bool:
    """Whether this window is the moment for a skill (OD-69, OD-109)."""
    skill, seat = found.skill, found.at.seat
    match name, about:
        case WindowName.EVENT, Use(seat=player):  # not the player itself (OD-108)
            is_timing = skill.on is not None or _is_free(table, skill)
            return is_timing and seat != player
        case WindowName.K, Use(seat=player):
            if skill.on is not None:
                return _fits_k(table, about, found)
            return _is_free(table, skill) and seat != player
        case WindowName.TRIGGER, Use(batches=(batch, *_)) | Action(batches=(batch, *_)):
            return found.at.since not in batch.used and any(
                _sets_off(table, entry, found) for entry in batch.cards
            )
        case WindowName.FREE, Action(seat=active):
            turn = table.stage
            acts_next = isinstance(turn, Turn) and turn.actions_left > 0
            return _is_free(table, skill) and not (seat == active and acts_next)
    return False


def _is_free(table: Table, skill: c.Skill) -> bool:
    """Whether a skill may be used in windows of any kind; not by option (OD-69, OD-192)."""
    return skill.is_free and table.options.special_timing == "any"


def _fits_k(table: Table, king: Use, found: FaceUp) -> bool:
    """Whether a skill that answers K fits its target (OD-150).

    One that stands in for the target does so for another character, and once for each K (OD-107);
    K's own player may use only such a one (OD-108, OD-199).
    """
    named = named_by(king)
    if named is None:
        return False
    lying = find(table.seats, named)
    shown_face = face(named.card)
    is_this = found.at.since == named.since
    kind = kind_of(shown_face, table.cards)
    is_fc = lying is not None and lying.fc
    if not matches(found.skill.match, shown_face, kind, fc=is_fc, this=is_this):
        return False
    if any(isinstance(line, c.Redirect) for line in found.skill.do):
        return king.redirected is None and kind is c.Kind.CHARACTER and not is_this
    return found.at.seat != king.seat


def _sets_off(table: Table, entry: Discarding, found: FaceUp) -> bool:
    """Whether a discarded card sets off a skill that reacts to it (OD-151).

    Characters only from fields, of any seat; options `aisha_from` and `aisha_other` (OD-152, OD-153,
    OD-220). It may react any number of times, once to each batch (OD-154).
    """
    skill, shown_face = found.skill, face(entry.card)
    kind = kind_of(shown_face, table.cards)
    match skill.on:
        case c.AnswerTo.CHARACTER_DISCARDED:
            from_field = entry.source in ("song", "dance")
            fits = kind is c.Kind.CHARACTER and (
                from_field or table.options.aisha_from == "anywhere"
            )
            if entry.pile == found.at.seat and table.options.aisha_other == "seat":
                fits = False
        case c.AnswerTo.RESOURCE_DISCARDED:
            fits = kind is c.Kind.RESOURCE
        case _:
            fits = False
    return fits and matches(skill.match, shown_face, kind, fc=entry.fc)


def use_options(table: Table, name: WindowName, about: Frame, seat: SeatId) -> tuple[Option, ...]:
    """Return the uses that a seat may answer with, from its hand and its characters.

    D-6, D-7, D-8, D-9, D-10, D-11.
    """
    own = table.seats[seat].hand
    found: list[Option] = []
    match name, about:
        case WindowName.K, Use(seat=player) if seat != player:  # OD-73
            found += [_use(card) for card in with_rank(own, Rank.QUEEN)]
        case WindowName.J, Use(batches=(batch, *_)) | Action(batches=(batch, *_)):  # OD-71
            there = candidates(table.seats, table.options, batch)
            jacks = with_rank(own, Rank.JACK)
            found += [_use(jack, taken) for jack in jacks for taken in there]
        case WindowName.A, Sale():  # OD-94
            found += [_use(card) for card in with_rank(own, Rank.ACE)]
    actor = about.seat if isinstance(about, Use) else None
    for skill in skills_asked(table, name, about, seat):
        found += [offer.option for offer in skill_offers(table, skill, actor)]
    return tuple(found)


def _use(card: CardRef, taken: Discarding | None = None) -> Option:
    kind = f"use_{card[0].lower()}"
    if taken is None:
        return Option(f"{kind}:{card}", kind, {"card": face(card)})
    args: dict[str, Json] = {"card": face(card), "seat": taken.pile, "takes": face(taken.card)}
    return Option(f"{kind}:{card}:{face(taken.card)}", kind, args)
