"""The games of the hall, by their names on the wire, and the cards and books that a host adds.

Who runs games hands files in here as bytes and never asks which game they belong to: a file with a
`schema` at its top is a book of enbu (EN-95), one with a table `set` or with roles, skills or times
is a card set of yumeochi (YU-93), any other is a card set of odoriko (OD-180).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

from attrs import frozen

from kaguraden_rules.enbu.added import CheckedBook, check_books, fault_line, is_book
from kaguraden_rules.enbu.books import BOOKS
from kaguraden_rules.enbu.faults import Fault as BookFault
from kaguraden_rules.enbu.game import Enbu
from kaguraden_rules.kernel import Game, Games, Text
from kaguraden_rules.odoriko.custom import MAX_BYTES, check_files
from kaguraden_rules.odoriko.custom import CheckedFile as OdorikoFile
from kaguraden_rules.odoriko.game import Odoriko
from kaguraden_rules.odoriko.packs import builtin_sets
from kaguraden_rules.reports import first_lines
from kaguraden_rules.yumeochi.added import check_sets, is_set
from kaguraden_rules.yumeochi.game import Yumeochi
from kaguraden_rules.yumeochi.reading import CheckedSet as YumeochiFile
from kaguraden_rules.yumeochi.sets import SETS

__all__ = [
    "GAMES",
    "MAX_BYTES",
    "BadPack",
    "CheckedFile",
    "Fault",
    "check_packs",
    "games",
    "in_lines",
]


class Fault(Protocol):
    """A fault of a file, in a sentence with its place."""

    @property
    def file(self) -> str:
        """The name of the file."""

    @property
    def sentence(self) -> Text:
        """Say where it is and what would be right."""


class CheckedFile(Protocol):
    """A file and what was found in it."""

    @property
    def file(self) -> str:
        """Its name."""

    @property
    def faults(self) -> Sequence[Fault]:
        """What is wrong with it; nothing of a file with faults is used."""

    @property
    def warnings(self) -> Sequence[Fault]:
        """What looks wrong and is played all the same."""

    @property
    def summary(self) -> Text:
        """Say in a line what it holds, or how many faults."""


class BadPack(Exception):
    """Files with faults; nothing is added."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(fault.sentence.en for fault in self.faults))


@frozen
class _Flaw:
    """A fault of a book, in the words of the hall."""

    file: str
    fault: BookFault

    @property
    def sentence(self) -> Text:
        return fault_line(self.file, self.fault)


@frozen
class _BookFile:
    """A checked book, in the words of the hall."""

    checked: CheckedBook

    @property
    def file(self) -> str:
        return self.checked.file

    @property
    def faults(self) -> tuple[_Flaw, ...]:
        return tuple(_Flaw(self.file, fault) for fault in self.checked.faults)

    @property
    def warnings(self) -> tuple[_Flaw, ...]:
        return tuple(_Flaw(self.file, fault) for fault in self.checked.warnings)

    @property
    def summary(self) -> Text:
        return self.checked.summary


@frozen
class _Kind:
    """Files of one game: how they are known, and how all of them are checked together."""

    knows: Callable[[bytes], bool]
    check: Callable[[Mapping[str, bytes]], Iterable[CheckedFile]]


_KINDS: Sequence[_Kind] = (
    _Kind(is_book, lambda files: map(_BookFile, check_books(files))),
    _Kind(is_set, check_sets),
    _Kind(lambda _: True, check_files),
)  # the first that knows a file has it


def in_lines(faults: Iterable[Fault]) -> Iterator[Text]:
    """Yield a line for each fault or warning, if there are not too many of its file.

    The faults of one file stand together.
    """
    for file, of_file in itertools.groupby(faults, key=lambda fault: fault.file):
        yield from first_lines(file, [fault.sentence for fault in of_file])


def _check(files: Mapping[str, bytes]) -> Mapping[str, CheckedFile]:
    found: dict[str, CheckedFile] = {}
    rest = dict(files)
    for kind in _KINDS:
        known = {file: data for file, data in rest.items() if kind.knows(data)}
        found.update((checked.file, checked) for checked in kind.check(known))
        rest = {file: data for file, data in rest.items() if file not in known}
    return {file: found[file] for file in files}


def check_packs(files: Mapping[str, bytes]) -> tuple[CheckedFile, ...]:
    """Check files, alone and together; return what was found, file by file (OD-188, EN-97, YU-99).

    Args:
        files: What each holds, by the name to give in faults.
    """
    return tuple(_check(files).values())


def games(packs: Mapping[str, bytes] | None = None) -> Games:
    """Return all games, with the card sets and books of these files besides their own (OD-189).

    Args:
        packs: What each file holds, by the name to give in faults; their order is that of the sets
            and of the books.

    Raises:
        BadPack: With every fault of every file; nothing is added then.
    """
    checked = _check(packs or {}).values()
    if faults := [fault for file in checked for fault in file.faults]:
        raise BadPack(faults)
    sets = list(builtin_sets())
    books = dict(BOOKS)
    card_sets = dict(SETS)
    for file in checked:
        if isinstance(file, OdorikoFile) and file.cards is not None:
            sets.append(file.cards)
        elif isinstance(file, _BookFile) and (book := file.checked.book) is not None:
            books[book.id] = book
        elif isinstance(file, YumeochiFile) and file.cards is not None:
            card_sets[file.cards.id] = file.cards
    known: tuple[Game[Any, Any], ...] = (
        Odoriko(tuple(sets)),
        Enbu(MappingProxyType(books)),
        Yumeochi(MappingProxyType(card_sets)),
    )
    return MappingProxyType({game.id: game for game in known})


GAMES: Games = games()
