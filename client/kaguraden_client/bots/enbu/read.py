"""Reading a rehearsal from what a seat sees, and moves from the options it is offered.

Views of other versions may lack or hold anything; what makes no sense is a `ValueError` here, and
the player then does without the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kaguraden_protocol.messages import Option

from ...reading import as_dict, as_int, as_str, as_texts
from ..policy import Catalog
from .model import HELD, Lore, Move, Position

__all__ = ["MAX_CARDS", "Reader", "move_of"]

WILDS: Final = ("bakedanuki", "kyubi")  # EN-58
MAX_LORES: Final = 32  # books remembered
MAX_CARDS: Final = 256  # in a deck: more than any book may have (EN-97)


class Reader:
    """Reads positions; knows the books that it has met."""

    def __init__(self) -> None:
        self._lores: dict[tuple[object, ...], tuple[Catalog, Lore]] = {}

    def position(self, view: Mapping[str, Any], catalog: Catalog) -> tuple[Position, list[int]]:
        """Return where the viewing seat's rehearsal stands, and the unseen cards in no order.

        Raises:
            ValueError: The view or the catalog are not those of a rehearsal.
        """
        try:
            return self._position(view, catalog)
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise ValueError(f"no rehearsal: {error!r}") from error

    def _position(self, view: Mapping[str, Any], catalog: Catalog) -> tuple[Position, list[int]]:
        board = view["you"]["board"]
        lore = self._lore(view["table"]["book"], catalog)
        card = lore.number
        program = lore.program_number
        pages = tuple([program[page] for page in board["pages"]])
        position = Position(lore, lore.outlook(pages, tuple([program[p] for p in board["stack"]])))
        position.piles = [[card[c] for c in pile] for pile in board["stage"]]
        position.hand = [card[c] for c in board["hand"]]
        position.discard = [card[c] for c in board["discard"]]
        position.total = int(board["total"])
        position.turn = int(board["turn"])
        position.dropped = len(board["dropped"])
        flipped = board.get("flipped")
        if flipped is not None:
            position.flipped = card[flipped]
        if len(position.piles) != lore.stage:
            raise ValueError("another stage than the book's")
        unseen: list[int] = []
        for name, copies in board["unseen"].items():
            if not 0 <= copies <= MAX_CARDS - len(unseen):
                raise ValueError("more cards than any deck has")
            unseen += [card[name]] * copies
        return position, unseen

    def _lore(self, book: Mapping[str, Any], catalog: Catalog) -> Lore:
        key = (
            book["digest"],
            book["pages"],
            book["stage"],
            book["hand"],
            book["drop"],
            book["reshuffle"],
            book.get("pass"),
        )
        known = self._lores.get(key)
        if known is not None and known[0] is catalog:
            return known[1]
        lore = _read_lore(book, catalog)
        if len(self._lores) >= MAX_LORES:
            self._lores.clear()
        self._lores[key] = (catalog, lore)
        return lore


def _read_lore(book: Mapping[str, Any], catalog: Catalog) -> Lore:
    cards = {card: as_int(copies) for card, copies in as_dict(book["cards"]).items()}
    programs = {}
    for name in as_texts(book["first"]) + as_texts(book["rest"]):
        entry = as_dict(catalog[name])
        needed = as_texts(entry["cards"])
        programs[name] = (needed, as_int(entry["points"]))
    size = (as_int(book["pages"]), as_int(book["stage"]), as_int(book["hand"]))
    if not (0 < size[1] <= 6 and 0 <= size[2] <= 16):
        raise ValueError("a stage or hand that no book has")
    return Lore(
        cards,
        programs,
        WILDS if book["wild"] else (),
        table=size,
        can_drop=bool(book["drop"]),
        can_reshuffle=bool(book["reshuffle"]),
        mark=as_int(book["pass"]) if as_str(book["goal"]) == "pass" else None,
    )


def move_of(option: Option, position: Position) -> Move | None:
    """Return an option as a move; None for what the model does not know: `finish`, `undo`.

    Raises:
        ValueError: It makes no sense in this position.
    """
    args = option.id.split(":")
    try:
        match args:
            case ["stage", slot]:
                return ("stage", _at(slot, len(position.piles)), 0)
            case ["take"]:
                return ("take", 0, 0)
            case ["swap", held, slot]:
                return ("swap", _at(slot, len(position.piles)), _at(held, len(position.hand)))
            case ["perform", program, sources]:
                at = position.outlook.pages.index(position.lore.program_number[program])
                return ("perform", at, _sources(sources, position))
            case ["drop", slot]:
                place = _at(slot, len(position.piles))
                if not position.piles[place] or not position.outlook.pages:
                    raise ValueError("nothing to drop")
                return ("drop", place, 0)
            case ["next"]:
                return ("next", 0, 0)
            case _:
                return None
    except KeyError as error:
        raise ValueError(f"no option of a rehearsal: {option.id}") from error


def _at(text: str, places: int) -> int:
    number = int(text) - 1
    if not 0 <= number < places:
        raise ValueError("a place that is not there")
    return number


def _sources(text: str, position: Position) -> int:
    chosen = 0
    for source in text.split("+"):
        if source[:1] == "s":
            slot = _at(source[1:], len(position.piles))
            if not position.piles[slot]:
                raise ValueError("nothing lies there")
            chosen |= 1 << slot
        elif source[:1] == "h":
            chosen |= HELD << _at(source[1:], len(position.hand))
        else:
            raise ValueError("no source")
    return chosen
