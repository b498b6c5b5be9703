"""How options name what they choose: in their ids, in their args and on their lists (D-15).

A card is named by its face, a second one of that face as `cc001#2` (OD-179, OD-215), in ids and
args with its seat and zone. Where cards of one choice may be put on different fields, the name says
whereto: `6C>1`, and for a character `cc001>1:song` (OD-218).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from attrs import evolve, frozen

from kaguraden_rules.kernel import Json
from kaguraden_rules.odoriko.picks import Look
from kaguraden_rules.odoriko.refs import CardRef, Field, labels
from kaguraden_rules.odoriko.state import Named
from kaguraden_rules.odoriko.zones import lying_labels

__all__ = ["NO_SPREAD", "Spread", "id_part", "label_of", "listed", "named_args", "spread_of"]


def listed(among: Sequence[Named]) -> dict[str, Named]:
    """Return the entries of a list by their names; a seat is named `1`, a field `1:song`."""
    if not all(named.card for named in among):
        return {f"{n.seat}:{n.zone}" if n.zone else str(n.seat): n for n in among}
    cards = list(dict.fromkeys(named.itself for named in among))
    names = dict(zip(cards, labels(card.card for card in cards), strict=True))
    spread = spread_of(among)
    return {names[named.itself] + spread.of(named): named for named in among}


@frozen
class Spread:
    """Whether cards that may be chosen together can go to several seats, or to both fields of one."""

    seats: bool = False
    fields: bool = False

    def of(self, named: Named) -> str:
        """Return whereto a card goes, as far as there is a choice."""
        if self.fields:
            return f">{named.to_seat}:{named.to_zone}"
        return f">{named.to_seat}" if self.seats else ""


NO_SPREAD = Spread()


def spread_of(cards: Collection[Named]) -> Spread:
    """Return how far the cards may spread."""
    if all(named.to_seat is None for named in cards):
        return NO_SPREAD
    return Spread(
        len({named.to_seat for named in cards}) > 1,
        len(set(cards)) > len({evolve(named, to_zone=None) for named in cards}),
    )


def label_of(look: Look, named: Named) -> str:
    """Return the name of a card in its zone."""
    owner = look.seats[named.seat]
    match named.zone:
        case "hand":
            cards: Iterable[CardRef] = owner.hand
        case "pile":
            cards = owner.pile
        case "shown":
            cards = look.shown
        case zone:
            lies = lying_labels(owner, Field(zone)).items()
            return next(label for label, lying in lies if lying.since == named.since)
    copies = [name for name, card in labels(cards).items() if card == named.card]
    return copies[named.copy]


def id_part(look: Look, named: Named, spread: Spread = NO_SPREAD) -> str:
    """Return what an option's id says of a card: `1:song:9D`, `0:pile:4S`, `QH` in the own hand."""
    parts: list[str] = []
    if named.zone not in ("hand", "shown"):
        parts.append(str(named.seat))
        if named.zone:
            parts.append(named.zone)
    if named.card:
        parts.append(label_of(look, named))
    return ":".join(parts) + spread.of(named)


def named_args(look: Look, named: Named) -> dict[str, Json]:
    """Return what an option's args say of a card, a field or a seat."""
    args: dict[str, Json] = {"seat": named.seat}
    if named.zone:
        args["zone"] = named.zone
    if named.card:
        args["card"] = label_of(look, named)
    if named.kept:
        args["kept"] = True
    if named.to_seat is not None:
        to: dict[str, Json] = {"seat": named.to_seat}
        if named.to_zone is not None:
            to["zone"] = named.to_zone
        args["to"] = to
    return args
