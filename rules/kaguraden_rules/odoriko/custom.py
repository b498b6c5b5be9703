"""The card files of a user, read together (OD-180, OD-188, OD-189).

A file comes as its bytes: who reads it from a disk is not the rules' business. All files are checked
in one run, each for itself and all for ids that another file or the game has. A file with faults
adds no card, but its ids count, so that one run tells everything.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TypeGuard

from attrs import frozen

from kaguraden_rules.kernel import Text
from kaguraden_rules.odoriko.card import CardSet, Kind
from kaguraden_rules.odoriko.filters import ID_PATTERN
from kaguraden_rules.odoriko.packs import BadPack, builtin_sets, load_set
from kaguraden_rules.odoriko.reading import Fault
from kaguraden_rules.reports import counted
from kaguraden_rules.toml import key_lines, line_of, read_toml

__all__ = ["MAX_BYTES", "CheckedFile", "check_files", "custom_sets"]

MAX_BYTES = 256 * 1024  # of one file; an elaborate card takes 1 kB, and one message holds them all


@frozen
class CheckedFile:
    """A card file and what was found in it; `cards` is None where it has faults."""

    file: str
    cards: CardSet | None
    faults: tuple[Fault, ...]

    @property
    def warnings(self) -> tuple[Fault, ...]:
        """Nothing: what is legal in a card is taken as it is meant."""
        return ()

    @property
    def summary(self) -> Text:
        """Say in a line what the file holds, or how many faults."""
        if self.cards is None:
            n = len(self.faults)
            return Text(f"{self.file}: 誤り {n} 件", f"{self.file}: {counted(n, 'fault')}")
        kinds = Counter(card.kind for card in self.cards.cards)
        characters, events = kinds[Kind.CHARACTER], kinds[Kind.EVENT]
        return Text(
            f"{self.file}: キャラクター {characters} 枚、イベント {events} 枚、誤りなし",
            f"{self.file}: {counted(characters, 'character')}, {counted(events, 'event')}, no faults",
        )


def check_files(files: Mapping[str, bytes]) -> tuple[CheckedFile, ...]:
    """Check card files; of two with the same id the later one is at fault.

    Args:
        files: What each holds, by the name to give in faults.
    """
    owners: dict[str, dict[str, str]] = {"set": {}, "card": {}}
    for built_in in builtin_sets():
        name = f"the game's set {built_in.id}"
        owners["set"][built_in.id] = name
        owners["card"].update((card.id, name) for card in built_in.cards)
    return tuple(_check(file, data, owners) for file, data in files.items())


def custom_sets(files: Mapping[str, bytes]) -> tuple[CardSet, ...]:
    """Return the sets of card files.

    Raises:
        BadPack: With the faults of all files, file by file.
    """
    checked = check_files(files)
    faults = [fault for file in checked for fault in file.faults]
    if faults:
        raise BadPack(faults)
    return tuple(file.cards for file in checked if file.cards is not None)


def _check(file: str, data: bytes, owners: Mapping[str, dict[str, str]]) -> CheckedFile:
    if len(data) > MAX_BYTES:
        most = f"a file of at most {MAX_BYTES} bytes"
        return CheckedFile(file, None, (Fault("V-04", file, "", most, "a longer one"),))
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")  # editors of Windows write both
    except UnicodeDecodeError as error:
        line_number = data.count(b"\n", 0, error.start) + 1
        fault = Fault("V-01", file, "", "TOML in UTF-8", error.reason, line=line_number)
        return CheckedFile(file, None, (fault,))
    cards: CardSet | None = None
    faults: list[Fault] = []
    try:
        cards = load_set(text, file)
    except BadPack as bad:
        faults += bad.faults
    lines = key_lines(text)
    seen: set[tuple[str, str]] = set()
    for what, path, named in _ids(text):
        owner = owners[what].setdefault(named, file)
        if owner != file and (what, named) not in seen:
            kind = "a set id" if what == "set" else "an id"
            expected = f"{kind} of its own; {owner} has this one"
            card = named if what == "card" else None
            faults.append(
                Fault("V-05", file, path, expected, f'"{named}"', card, line_of(path, lines))
            )
        seen.add((what, named))  # a second time in one file is a fault that `load_set` tells
    faults.sort(key=lambda fault: fault.line or 0)
    return CheckedFile(file, None if faults else cards, tuple(faults))


def _ids(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield `(set or card, path, id)` of each id that may be one, whatever else is wrong."""
    try:
        data = read_toml(text)
    except (ValueError, RecursionError):
        return
    if _is_id(named := data.get("set")):
        yield "set", "set", named
    cards = data.get("card")
    for i, card in enumerate(cards if isinstance(cards, list) else ()):
        if isinstance(card, dict) and _is_id(named := card.get("id")):
            yield "card", f"card[{i}].id", named


def _is_id(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and re.fullmatch(ID_PATTERN, value) is not None
