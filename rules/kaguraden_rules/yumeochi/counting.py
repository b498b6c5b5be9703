"""Stars and cards in front of a seat (YU-18, YU-54, YU-84, YU-86)."""

from __future__ import annotations

from kaguraden_rules.kernel import SeatId
from kaguraden_rules.yumeochi.card import CardSet
from kaguraden_rules.yumeochi.options import Options
from kaguraden_rules.yumeochi.state import Count, Seat

__all__ = ["count", "public_stars"]


def public_stars(cards: CardSet, seat: Seat) -> int:
    """Return the stars of a seat's face-up cards, which everybody can add up (YU-18, YU-119)."""
    stars = sum(cards.time_of[card].stars for card in (*seat.items, *seat.stock))
    stars += sum(cards.skill_of[held.card].stars for held in seat.skills if held.up)
    return stars + (cards.role_of[seat.role].stars if seat.role_up else 0)


def count(options: Options, number: SeatId, seat: Seat) -> Count:
    """Return what a seat has in the end: all its cards count, face down too (YU-84, YU-86).

    A dead seat has no skills any more, but its role, items and event-stock (YU-65, YU-66).
    """
    cards = options.cards
    stars = [cards.role_of[seat.role].stars]
    stars += [cards.skill_of[held.card].stars for held in seat.skills]
    stars += [cards.time_of[card].stars for card in (*seat.items, *seat.stock)]
    counted = [n for n in stars if n > 0] if options.card_count == "starred" else stars
    return Count(number, sum(stars), len(counted))
