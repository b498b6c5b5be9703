"""The cards and programs that books pick from (EN-94, EN-106, EN-107, EN-108)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from importlib import resources
from types import MappingProxyType
from typing import Any, Final

from kaguraden_rules.enbu.book import WILDS, Card, Catalogue, Group, Program
from kaguraden_rules.enbu.faults import BadBook, Fault, shown
from kaguraden_rules.kernel import CardId

__all__ = ["CATALOGUE", "ID", "MAX_POINTS", "WEIGHTS", "points_of", "read_catalogue"]

ID: Final = re.compile(r"[a-z0-9-]{1,24}")  # EN-94
WEIGHTS: Final = {Group.ZODIAC: 1, Group.OTHER: 2}  # EN-107
_EXTRA: Final = {2: 0, 3: 2, 4: 4}  # points for the number of cards (EN-107)
_MAX_NO: Final = 255  # one byte of a share code
_MAX_BOX: Final = 3  # a share code has lists for 1, 2 and 3 copies (EN-100)
MAX_POINTS: Final = 12
_CARD_KEYS: Final = {
    "no": int,
    "id": str,
    "name": str,
    "reading": str,
    "gloss": str,
    "glyph": str,
    "group": str,
    "box": int,
}
_PROGRAM_KEYS: Final = {
    "no": int,
    "id": str,
    "name": str,
    "reading": str,
    "gloss": str,
    "cards": list,
    "points": int,
}


def points_of(cards: tuple[CardId, ...], catalogue: Mapping[CardId, Card]) -> int:
    """Return the points of a program that requires these cards (EN-107)."""
    return sum(WEIGHTS[catalogue[card].group] for card in cards) + _EXTRA[len(cards)]


def read_catalogue(cards: str, programs: str) -> Catalogue:
    """Read the catalogue from the TOML text of its two files.

    Raises:
        BadBook: With every fault, all of code `E-CAT` (EN-97).
    """
    faults: list[Fault] = []
    found = {card.id: card for card in sorted(_read_cards(cards, faults), key=lambda card: card.no)}
    if not faults and tuple(c.id for c in found.values() if c.group is Group.WILD) != WILDS:
        faults.append(
            _fault("card", "化け狸と九尾狐だけが wild です", "the wilds are the two of EN-58")
        )
    played = {
        program.id: program
        for program in sorted(
            _read_programs(programs, found, faults), key=lambda program: program.no
        )
    }
    if faults:
        raise BadBook(faults)
    return Catalogue(MappingProxyType(found), MappingProxyType(played))


def _fault(path: str, ja: str, en: str) -> Fault:
    return Fault("E-CAT", path, ja, en)


def _entries(
    text: str, table: str, keys: Mapping[str, type], optional: frozenset[str], faults: list[Fault]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each entry that has all keys, of the right types, with its path; note what others lack."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        faults.append(_fault(table, f"TOML として読めません: {error}", f"not TOML: {error}"))
        return
    entries = data.get(table)
    if set(data) != {table} or not isinstance(entries, list):
        faults.append(
            _fault(table, f"[[{table}]] だけを書きます", f"only [[{table}]] may stand here")
        )
        return
    seen: dict[str, set[object]] = {"no": set(), "id": set()}
    for i, entry in enumerate(entries):
        path = f"{table}[{i}]"
        before = len(faults)
        if not isinstance(entry, dict):
            faults.append(_fault(path, "テーブルを書きます", "a table is wanted"))
            continue
        faults += (
            _fault(f"{path}.{key}", "知らないキーです", "unknown key")
            for key in sorted(entry.keys() - keys.keys() - optional)
        )
        for key, kind in keys.items():
            if type(entry.get(key)) is not kind or entry[key] in ("", []):
                name = {int: "a whole number", str: "a text", list: "a list"}[kind]
                faults.append(_fault(f"{path}.{key}", f"{name} が要ります", f"{name} is wanted"))
        if len(faults) > before:
            continue
        if not 1 <= entry["no"] <= _MAX_NO:
            faults.append(_fault(f"{path}.no", "1～255 の番号です", "a number is 1 to 255"))
        if not ID.fullmatch(entry["id"]):
            faults.append(
                _fault(f"{path}.id", "英小文字・数字・- で 24 字まで", "1 to 24 of a-z 0-9 -")
            )
        for key, values in seen.items():
            if entry[key] in values:
                got = shown(entry[key])
                faults.append(
                    _fault(f"{path}.{key}", f"{got} が重なっています", f"{got} stands here twice")
                )
            values.add(entry[key])
        yield path, entry


def _read_cards(text: str, faults: list[Fault]) -> Iterator[Card]:
    for path, entry in _entries(text, "card", _CARD_KEYS, frozenset({"emoji"}), faults):
        if entry["group"] not in list(Group):
            faults.append(
                _fault(f"{path}.group", "zodiac・other・wild のどれか", "zodiac, other or wild")
            )
            continue
        if not 1 <= entry["box"] <= _MAX_BOX:
            faults.append(_fault(f"{path}.box", "1～3 枚です", "a box holds 1 to 3"))
        yield Card(**{**entry, "id": CardId(entry["id"]), "group": Group(entry["group"])})


def _read_programs(
    text: str, cards: Mapping[CardId, Card], faults: list[Fault]
) -> Iterator[Program]:
    for path, entry in _entries(text, "program", _PROGRAM_KEYS, frozenset(), faults):
        required = tuple(entry["cards"])
        if not 2 <= len(required) <= 4:
            faults.append(_fault(f"{path}.cards", "2～4 枚です", "2 to 4 cards are required"))
        for i, card in enumerate(required):
            where = f"{path}.cards[{i}]"
            if not isinstance(card, str) or CardId(card) not in cards:
                got = shown(card)
                faults.append(_fault(where, f"{got} というカードはありません", f"no card {got}"))
            elif card in required[:i]:
                faults.append(_fault(where, "同じカードは一度だけ", "a card may be required once"))
            elif cards[CardId(card)].group is Group.WILD:
                faults.append(_fault(where, "化け札は指定できません", "a wild cannot be required"))
        if not 1 <= entry["points"] <= MAX_POINTS:
            faults.append(_fault(f"{path}.points", "1～12 点です", "points are 1 to 12"))
        yield Program(**{**entry, "cards": required})


def _own(name: str) -> str:
    return resources.files("kaguraden_rules.enbu").joinpath("packs", name).read_text("utf-8")


CATALOGUE: Final = read_catalogue(_own("cards.toml"), _own("programs.toml"))
