"""A card set from the bytes of its file, with every fault of it found in one run (YU-93, YU-99)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any, Final

from attrs import frozen

from kaguraden_rules.kernel import Text
from kaguraden_rules.reports import counted, shown
from kaguraden_rules.toml import key_lines, read_toml
from kaguraden_rules.yumeochi.bounds import MAX_VALUES, worst
from kaguraden_rules.yumeochi.card import CardSet
from kaguraden_rules.yumeochi.checking import check_data
from kaguraden_rules.yumeochi.faults import Fault, Report
from kaguraden_rules.yumeochi.making import make_set

__all__ = ["MAX_BYTES", "CheckedSet", "read_set", "set_id"]

MAX_BYTES: Final = 64 * 1024  # YU-99; the base set with its texts takes 16 KiB
_MAX_REASON: Final = 120  # characters; a reason may quote a long key


@frozen
class CheckedSet:
    """A card set file and what was found in it; `cards` is None where it has faults."""

    file: str
    cards: CardSet | None
    faults: tuple[Fault, ...]
    warnings: tuple[Fault, ...]

    @property
    def summary(self) -> Text:
        """Say in a line what the file holds, or how many faults."""
        n, w = len(self.faults), len(self.warnings)
        noted_ja, noted_en = (f"、注意 {w} 件", f", {counted(w, 'warning')}") if w else ("", "")
        if self.cards is None:
            return Text(
                f"{self.file}: 誤り {n} 件{noted_ja}",
                f"{self.file}: {counted(n, 'fault')}{noted_en}",
            )
        cards = self.cards
        roles, skills, times = len(cards.roles), len(cards.skills), len(cards.times)
        return Text(
            f"{self.file}: {cards.id} 第 {cards.version} 版「{cards.name.ja}」"
            f"ロール {roles} 枚、スキル {skills} 枚、タイムカード {times} 枚、誤りなし{noted_ja}",
            f'{self.file}: {cards.id} version {cards.version} "{cards.name.en}", '
            f"{counted(roles, 'role')}, {counted(skills, 'skill')}, "
            f"{counted(times, 'time card')}, no faults{noted_en}",
        )


def read_set(file: str, data: bytes, taken: Mapping[str, Text] | None = None) -> CheckedSet:
    """Read a card set.

    Args:
        file: The name to give in faults.
        data: What the file holds.
        taken: Ids that other sets have, and where each of them is.
    """
    report = Report(file)
    table = _parse(data, report)
    if table is not None:
        check_data(table, report)
        _check_taken(table, taken or {}, report)
    found = sorted(report.found, key=lambda fault: fault.line or 0)
    cards = None
    if table is not None and not report.faults:
        cards = make_set(table, hashlib.sha256(data).hexdigest())
        if (too_much := _too_much(cards)) is not None:
            report.note("E_SIZE", "", *too_much)
            found, cards = report.found, None
    return CheckedSet(
        file,
        cards,
        tuple(fault for fault in found if not fault.is_warning),
        tuple(fault for fault in found if fault.is_warning),
    )


def _too_much(cards: CardSet) -> tuple[str, Text] | None:
    """Say how much there can be to tell at once with these cards, where it is too much (YU-142)."""
    most = worst(cards)
    if most.total <= MAX_VALUES:
        return None
    view, events, options = most.view, most.events, most.options
    return str(most.total), Text(
        f"一度に伝える値が最大でも {MAX_VALUES} 個のカードセット"
        f"（今は見えるもの {view}、出来事 {events}、選択肢 {options}。"
        "pick の選び方か、続けて起こる効果を減らす）",
        f"a set with at most {MAX_VALUES} values to tell at once, at worst "
        f"(now a view of {view}, events of {events}, options of {options}: "
        "let picks have fewer choices, or cards fewer effects in a row)",
    )


def _check_taken(table: Mapping[str, Any], taken: Mapping[str, Text], report: Report) -> None:
    """Note that another set has the id of this one."""
    named = set_id(table)
    if named is not None and (owner := taken.get(named)) is not None:
        allowed = Text(
            f"ほかのカードセットにない id（これは{owner.ja}にある）",
            f"a set id of its own; {owner.en} has this one",
        )
        report.note("E_DUP", "set.id", shown(named), allowed)


def set_id(table: Mapping[str, Any]) -> str | None:
    """Return the id of a set, whatever else is wrong with it; None where it has none."""
    head = table.get("set")
    named = head.get("id") if isinstance(head, dict) else None
    return named if isinstance(named, str) else None


def _parse(data: bytes, report: Report) -> dict[str, Any] | None:
    """Return the tables of a file; None where it is none, which is noted."""
    if len(data) > MAX_BYTES:
        allowed = Text(f"{MAX_BYTES} バイトまでのファイル", f"a file of at most {MAX_BYTES} bytes")
        report.note("E_SIZE", "", str(len(data)), allowed)
        return None
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")  # editors of Windows write both
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        report.note("E_TYPE", "", error.reason, Text("UTF-8", "UTF-8"), line=line)
        return None
    try:
        table = read_toml(text)
    except RecursionError:
        report.note("E_DEPTH", "", None, Text("もっと浅い入れ子", "values that are nested less"))
        return None
    except ValueError as error:
        why = str(error)
        if "digits" in why:  # Python refuses to read such a number
            why = "a number of some thousand digits"
        found = re.search(r"at line (\d+)", why)
        line_of_it = int(found[1]) if found else None
        report.note("E_TYPE", "", why[:_MAX_REASON], Text("TOML", "TOML"), line=line_of_it)
        return None
    report.lines = key_lines(text)
    return table
