"""The nine characters' scores written out by hand, as a check on the tally of card data (I-19).

It shares no code with the rules: cards are strings, positions are dicts of lists.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import frozen

__all__ = ["Seat", "naive_total", "naive_vp"]


@frozen
class Seat:
    """What lies before a seat, by face."""

    song: tuple[str, ...]
    dance: tuple[str, ...]
    pile: tuple[str, ...]
    hand: tuple[str, ...]

    @property
    def fields(self) -> tuple[str, ...]:
        return self.song + self.dance


def _number(card: str) -> int:
    return int(card[:-1]) if card[:-1].isdigit() and card[-1] in "SHDC" else 0


def _count(cards: Sequence[str], test: Callable[[str], bool]) -> int:
    return len([card for card in cards if test(card)])


def _is(suits: str) -> Callable[[str], bool]:
    return lambda card: _number(card) > 0 and card[-1] in suits


def naive_vp(
    card: str,
    seats: Sequence[Seat],
    owner: int,
    *,
    single: bool = False,
    own: bool = False,
    resource: bool = False,
) -> int:
    """Return what a character would score for `owner`; the flags are the readings not default."""
    mine = seats[owner]
    others = [seat for i, seat in enumerate(seats) if i != owner]
    whole = [c for seat in seats for c in seat.fields]
    foreign = [c for seat in others for c in seat.fields]
    unscoped = list(mine.fields) if own else whole
    high = lambda c: _number(c) >= 8  # noqa: E731
    low = lambda c: 0 < _number(c) <= 3  # noqa: E731

    def others_reach(parts: Sequence[int]) -> bool:
        return max(parts) >= 5 if single else sum(parts) >= 5

    match card:
        case "cc001":
            jacks = _count(mine.hand, lambda c: c[0] == "J" and c[1:] in ("S", "H", "D", "C"))
            return _count(unscoped, high) + jacks - _count(foreign, high)
        case "cc002":
            vp = 4 if _count(mine.fields, _is("S")) >= 5 else 0
            vp += 2 if others_reach([_count(seat.fields, _is("S")) for seat in others]) else 0
            return vp - _count(foreign, _is("H"))
        case "cc003":
            lying = [_count(seat.song, lambda c: _number(c) > 0 or not resource) for seat in others]
            return _count(whole, low) - _count(whole, high) + (3 if others_reach(lying) else 0)
        case "cc004":
            return 2 * _count(whole, _is("C")) - _count(foreign, _is("HD"))
        case "cc005":
            piles = mine.pile if own else [c for seat in seats for c in seat.pile]
            characters = _count(piles, lambda c: c.startswith("cc"))
            return _count(whole, _is("S")) - _count(foreign, _is("HD")) + characters
        case "cc006" | "cc009":
            return _count(whole, _is("SC")) - _count(foreign, _is("HD"))
        case "cc007":
            return _count(whole, _is("S")) - _count(foreign, _is("H"))
        case "cc008":
            return _count(whole, _is("SC")) - 2 * _count(foreign, _is("H"))
        case _:
            raise ValueError(card)


def naive_total(
    seats: Sequence[Seat],
    owner: int,
    *,
    single: bool = False,
    own: bool = False,
    resource: bool = False,
) -> int:
    """Return the sum over all characters of a seat's domain."""
    return sum(
        naive_vp(card, seats, owner, single=single, own=own, resource=resource)
        for card in seats[owner].fields
        if card.startswith("cc")
    )
