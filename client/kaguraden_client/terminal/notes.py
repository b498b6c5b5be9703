"""A player's own deductions: who has which role, and a line of text for each seat.

They stay in the client, for as long as it runs, and are never sent anywhere. What a player knows by
itself (its own role, roles that lie face up, roles that it was shown) is filled in from the view each
time, so the marks are only what the player adds. A new deal begins a new sheet.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final

from attrs import evolve, field, frozen

__all__ = ["TEXT_LIMIT", "Guess", "Notes", "Sheet"]

TEXT_LIMIT: Final = 120  # characters of a seat's line


class Guess(enum.StrEnum):
    """What a player thinks of a seat and a role, in the order that a key goes through."""

    UNKNOWN = "unknown"
    EXCLUDED = "excluded"
    SUSPECTED = "suspected"
    SURE = "sure"

    @property
    def next(self) -> Guess:
        """The one after it."""
        every = tuple(Guess)
        return every[(every.index(self) + 1) % len(every)]


@frozen
class Sheet:
    """What there is to deduce: seats and roles, and the roles that are known by themselves.

    `number` tells deals apart: a sheet of another number has nothing to do with it.
    """

    number: int
    seats: tuple[int, ...]
    roles: tuple[str, ...]
    known: Mapping[int, str] = field(factory=dict)

    def fact(self, seat: int, role: str) -> bool | None:
        """Return whether a seat is known to have a role or not to have it; None if neither is."""
        if seat in self.known:
            return self.known[seat] == role
        return False if role in self.known.values() else None  # each role is dealt once (YU-5)


@frozen
class Notes:
    """The marks and lines of one deal."""

    number: int = 1
    marks: Mapping[tuple[int, str], Guess] = field(factory=dict)
    lines: Mapping[int, str] = field(factory=dict)

    def of(self, number: int) -> Notes:
        """Return the notes of a deal: these, or empty ones if they are of another."""
        return self if self.number == number else Notes(number)

    def mark(self, seat: int, role: str) -> Guess:
        """Return what was noted of a seat and a role."""
        return self.marks.get((seat, role), Guess.UNKNOWN)

    def thought(self, seat: int) -> tuple[tuple[str, Guess], ...]:
        """Return the roles that a seat is suspected of, those that are sure first."""
        found = [
            (role, guess)
            for (whose, role), guess in self.marks.items()
            if whose == seat and guess in (Guess.SURE, Guess.SUSPECTED)
        ]
        return tuple(sorted(found, key=lambda one: one[1] is not Guess.SURE))

    def line(self, seat: int) -> str:
        """Return what was written about a seat."""
        return self.lines.get(seat, "")

    def marked(self, seat: int, role: str, guess: Guess) -> Notes:
        """Return the notes with a mark."""
        return evolve(self, marks={**self.marks, (seat, role): guess})

    def written(self, seat: int, text: str) -> Notes:
        """Return the notes with a seat's line."""
        return evolve(self, lines={**self.lines, seat: text[:TEXT_LIMIT]})
