"""Reaction windows: when one opens, whom it asks, what they may answer (OD-104).

A window lies on the stack above what it is about: a `k` window above the K in use, a `j` window
above the use or action whose batch was discarded, an `a` window above the sale. Whom it asks
follows from what everybody can see, the number of resource-back cards in a hand among it; what a
seat may answer follows from its hand and is shown to that seat alone (OD-105, OD-175).

How the answers are carried out is in `reactions`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import attrs
from attrs import evolve, frozen

from kaguraden_rules.kernel import CardId, Json, Option, SeatId
from kaguraden_rules.odoriko import events
from kaguraden_rules.odoriko.faces import Rank, is_resource
from kaguraden_rules.odoriko.moves import shown
from kaguraden_rules.odoriko.options import Options
from kaguraden_rules.odoriko.refs import CardRef, face, faces
from kaguraden_rules.odoriko.state import (
    Action,
    Batch,
    Discarding,
    Frame,
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
    "serve_batch",
    "subject",
    "takes_of",
    "target_of",
    "uses",
]

CHAIN_CAP = 64  # uses in one action (OD-111)
BATCH_WINDOWS = (WindowName.J,)  # the kinds that open for a batch, in order (OD-103)
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

    def parts(self) -> dict[str, Any]:
        """Return the fields by name, as events and views take them."""
        return {name: getattr(self, name) for name in attrs.fields_dict(Subject)}


def subject(seats: Sequence[Seat], options: Options, name: WindowName, about: Frame) -> Subject:
    """Return what a window is about."""
    match name, about:
        case WindowName.K, Use(seat=seat, card=card):
            return Subject(card=face(card), seat=seat, target=target_of(about))
        case WindowName.J, Use(batches=(batch, *_)) | Action(batches=(batch, *_)):
            there = candidates(seats, options, batch)
            return Subject(candidates=tuple(map(shown, there)))
        case WindowName.A, Sale(seller=seller, lot=lot):
            return Subject(seat=seller, lot=faces(lot))
    raise LookupError(f"no {name} window is about {about}")


def target_of(use: Use) -> events.Target | None:
    """Return the card on a field that a K names, as everybody sees it (OD-74)."""
    if use.does is not Purpose.DISCARD:
        return None
    ((named,),) = use.picks
    return events.Target(named.seat, named.zone, face(named.card), named.kept or None)


def takes_of(use: Use) -> events.Discarded | None:
    """Return the discarded card that a J names, as everybody sees it (OD-71)."""
    if use.does is not Purpose.TAKE:
        return None
    ((named,),) = use.picks
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
    match name, about:
        case WindowName.K, Use(seat=player):  # not the player itself (OD-108)
            pool = tuple(seat for seat in _by_priority(table) if seat != player)
        case WindowName.A, Sale(seller=seller):
            pool = (seller,)
        case _:
            pool = _by_priority(table)
    return tuple(seat for seat in pool if resource_backs(table.seats[seat]) >= 1)


def _by_priority(table: Table) -> tuple[SeatId, ...]:
    if not isinstance(table.stage, Turn):
        raise TypeError("no turn is being played")
    return table.from_left_of(table.stage.seat)


def is_live(table: Table, name: WindowName, about: Frame) -> bool:
    """Whether there is still something to answer (W5 of OD-101)."""
    match name, about:
        case WindowName.K, Use():  # not cancelled, and what K will discard is there
            return not about.cancelled and find(table.seats, about.picks[0][0]) is not None
        case WindowName.J, Use(batches=(batch, *_)) | Action(batches=(batch, *_)):
            return bool(candidates(table.seats, table.options, batch))
        case WindowName.A, Sale(lot=lot):
            return bool(lot)
    return False


def uses(table: Table, name: WindowName, about: Frame, seat: SeatId) -> tuple[Option, ...]:
    """Return the uses that a seat may answer with (D-7, D-9, D-10), from its hand."""
    own = table.seats[seat].hand
    match name, about:
        case WindowName.K, Use():  # OD-73
            return tuple(_use(card) for card in with_rank(own, Rank.QUEEN))
        case WindowName.J, Use(batches=(batch, *_)) | Action(batches=(batch, *_)):  # OD-71
            there = candidates(table.seats, table.options, batch)
            jacks = with_rank(own, Rank.JACK)
            return tuple(_use(jack, taken) for jack in jacks for taken in there)
        case WindowName.A, Sale():  # OD-94
            return tuple(_use(card) for card in with_rank(own, Rank.ACE))
    return ()


def _use(card: CardRef, taken: Discarding | None = None) -> Option:
    kind = f"use_{card[0].lower()}"
    if taken is None:
        return Option(f"{kind}:{card}", kind, {"card": face(card)})
    args: dict[str, Json] = {"card": face(card), "seat": taken.pile, "takes": face(taken.card)}
    return Option(f"{kind}:{card}:{face(taken.card)}", kind, args)
