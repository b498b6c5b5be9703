"""What a player may choose, and its canonical text (EN-74).

The texts are the ids of options and what a log holds (EN-93); nothing else writes or reads them.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from attrs import frozen

__all__ = [
    "UNDO",
    "Choice",
    "Drop",
    "Finish",
    "Next",
    "Perform",
    "Stage",
    "Swap",
    "Take",
    "format_choice",
    "parse_choice",
]

UNDO: Final = "undo"  # an option, but not a choice: it takes one back (EN-78)


@frozen
class Stage:
    """Put the flipped card on a slot (EN-11)."""

    slot: int  # from 1


@frozen
class Take:
    """Keep the flipped card in hand (EN-14)."""


@frozen
class Swap:
    """Keep the flipped card and put one held before on a slot (EN-15, EN-16)."""

    hand: int  # from 1
    slot: int


@frozen
class Perform:
    """Gain an open program with these cards (EN-20)."""

    program: str
    sources: tuple[str, ...]  # `s1`, `h1`: slots ascending, then hand cards ascending (EN-75)


@frozen
class Drop:
    """Give up the rightmost page and a stage top (EN-52)."""

    slot: int


@frozen
class Next:
    """End the turn (EN-31)."""


@frozen
class Finish:
    """End the game (EN-44)."""


Choice: TypeAlias = Stage | Take | Swap | Perform | Drop | Next | Finish


def format_choice(choice: Choice) -> str:
    """Return the canonical text of a choice."""
    match choice:
        case Stage(slot):
            return f"stage:{slot}"
        case Take():
            return "take"
        case Swap(hand, slot):
            return f"swap:{hand}:{slot}"
        case Perform(program, sources):
            return f"perform:{program}:{'+'.join(sources)}"
        case Drop(slot):
            return f"drop:{slot}"
        case Next():
            return "next"
        case Finish():
            return "finish"


_NUMBER = r"[1-9][0-9]?"
_TEXT = re.compile(
    rf"stage:(?P<stage>{_NUMBER})|swap:(?P<hand>{_NUMBER}):(?P<slot>{_NUMBER})"
    rf"|perform:(?P<program>[a-z0-9-]{{1,24}}):(?P<sources>[sh]{_NUMBER}(?:\+[sh]{_NUMBER})*)"
    rf"|drop:(?P<drop>{_NUMBER})|(?P<word>take|next|finish)"
)
_WORDS: Final[dict[str, Choice]] = {"take": Take(), "next": Next(), "finish": Finish()}


def parse_choice(text: str) -> Choice:
    """Return the choice of a canonical text.

    Raises:
        ValueError: It is none.
    """
    found = _TEXT.fullmatch(text)
    if found is None:
        raise ValueError(f"not a choice: {text[:60]!r}")
    if found["stage"]:
        return Stage(int(found["stage"]))
    if found["hand"]:
        return Swap(int(found["hand"]), int(found["slot"]))
    if found["program"]:
        return Perform(found["program"], tuple(found["sources"].split("+")))
    if found["drop"]:
        return Drop(int(found["drop"]))
    return _WORDS[found["word"]]
