"""What is said about a card set that is not right, and values that note it (YU-99).

A `Node` is a value of the file with its path. Its methods read it as what it should be; where it is
not, they note a fault and return None, so that reading goes on and finds the next fault.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from attrs import define, field, frozen

from kaguraden_rules.kernel import Text
from kaguraden_rules.prose import MAX_MARKS, has_unprintable, has_visible, longest_run_of_marks
from kaguraden_rules.reports import shown
from kaguraden_rules.toml import line_of

__all__ = ["CODES", "Fault", "Node", "Report", "word_list"]

_MAX_HINTED: Final = 32  # characters; comparing longer words takes long

CODES: Final[Mapping[str, Text]] = {
    "E_COUNT": Text("カードの枚数が違います", "wrong number of cards"),
    "E_DUP": Text("id が重なっています", "id that is taken"),
    "E_KEY": Text("キーが足りないか、知らないキーです", "missing or unknown key"),
    "E_TYPE": Text("書き方の種類が違います", "wrong type"),
    "E_RANGE": Text("範囲の外です", "out of range"),
    "E_TEST": Text("条件に使えない言葉です", "unknown word in a condition"),
    "E_EFFECT": Text("効果に使えない言葉です", "unknown word in an effect"),
    "E_WINDOW": Text("知らない判定の時です", "unknown check window"),
    "E_HOURS": Text("時間の分け方が合いません", "hours that do not add up"),
    "E_TARGET": Text("pick と効果が合いません", "picks and effects that do not fit"),
    "E_HIDDEN": Text(
        "ほかの人の見えないカードによります", "depends on hidden cards of another player"
    ),
    "E_KIND": Text("この種類のカードには書けません", "wrong kind of card"),
    "E_DEPTH": Text("入れ子が深すぎます", "nested too deep"),
    "E_SIZE": Text("長すぎます", "too long"),
    "W_NEVER": Text("決して成り立ちません", "can never hold"),
    "W_SEED": Text("元の規則と違います", "departs from the original rules"),
}  # YU-99


@frozen
class Fault:
    """One fault, or one warning where `code` starts with W: where it is and what would be right."""

    code: str
    file: str
    path: str  # role[0].win.all[1].test; "" for the whole file
    found: str | None  # what stands there; None where nothing does
    allowed: Text
    near: str = ""  # the nearest known word to a misspelt one
    card: str | None = None  # the id of the card, where it has one
    line: int | None = None  # from 1, where known

    @property
    def is_warning(self) -> bool:
        """Whether the set may be played all the same."""
        return self.code.startswith("W")

    @property
    def array(self) -> str | None:
        """The array that the card stands in: role, skill or time."""
        found = _CARD.match(self.path)
        return None if found is None else found[1]

    @property
    def index(self) -> int | None:
        """The place of the card in its array, from 0."""
        found = _CARD.match(self.path)
        return None if found is None else int(found[2])

    @property
    def sentence(self) -> Text:
        """Say it in a line, place first: `my.toml:7: E_TEST card "x" role[0].win…: …`."""
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        ja = en = ""
        if self.card is not None:
            ja, en = f" カード {shown(self.card)}", f" card {shown(self.card)}"
        path = f" {self.path}" if self.path else ""
        what = CODES[self.code]
        found_ja = "何もありません" if self.found is None else f"実際は {self.found}"
        found_en = "found nothing" if self.found is None else f"found {self.found}"
        near_ja, near_en = "", ""
        if self.near:
            near_ja, near_en = f"（{self.near} のことですか）", f" (did you mean {self.near}?)"
        gap = " " if self.allowed.ja[:1].isascii() else ""
        return Text(
            f"{place}: {self.code}{ja}{path}: "
            f"{what.ja}。{found_ja}。正しくは{gap}{self.allowed.ja}{near_ja}",
            f"{place}: {self.code}{en}{path}: "
            f"{what.en}: {found_en}; allowed: {self.allowed.en}{near_en}",
        )


_CARD = re.compile(r"(role|skill|time)\[(\d+)\]")


@define
class Report:
    """The faults and warnings of one file, as they are found."""

    file: str
    lines: Mapping[str, int] = field(factory=dict)  # of paths, as far as they are known
    roles: int = 0  # how many the set has; all of them may be in the pool
    card: str | None = None  # the card being read
    found: list[Fault] = field(factory=list)
    faults: int = 0  # how many of them are no warnings

    def note(
        self,
        code: str,
        path: str,
        found: str | None,
        allowed: Text,
        near: str = "",
        line: int | None = None,
    ) -> None:
        """Note a fault or a warning; its line follows from its path where it is not given."""
        line = line_of(path, self.lines) if line is None else line
        fault = Fault(code, self.file, path, found, allowed, near, self.card, line)
        self.found.append(fault)
        self.faults += not fault.is_warning


@frozen
class Node:
    """A value of the file."""

    value: Any
    path: str
    report: Report

    def fault(self, code: str, allowed: Text, near: str = "") -> None:
        """Note that this value is not what is allowed."""
        self.report.note(code, self.path, shown(self.value), allowed, near)

    # --- tables and lists

    def at(self, key: str) -> Node | None:
        """Return the value of a key of a table; None where there is none."""
        if not isinstance(self.value, dict) or key not in self.value:
            return None
        return Node(self.value[key], self.below(key), self.report)

    def below(self, key: str) -> str:
        """Return the path of a key of this table."""
        part = key if re.fullmatch(r"[A-Za-z0-9_-]{1,40}", key) else shown(key)
        return f"{self.path}.{part}" if self.path else part

    def table(self) -> bool:
        """Whether this is a table, as it should be."""
        if isinstance(self.value, dict):
            return True
        self.fault("E_TYPE", Text("テーブル", "a table"))
        return False

    def keys(self, required: Iterable[str], optional: Iterable[str] = ()) -> None:
        """Check which keys a table has."""
        required = tuple(required)
        known = (*required, *optional)
        for key in self.value:
            if key not in known:
                words = word_list("キー ", "the keys ", known)
                self.report.note("E_KEY", self.below(key), shown(key), words, _near(key, known))
        for key in required:
            if key not in self.value:
                self.missing(key)

    def missing(self, key: str) -> None:
        """Note that a key should be there."""
        self.report.note("E_KEY", self.below(key), None, Text(f"キー {key}", f"the key {key}"))

    def entries(self, least: int = 0) -> tuple[Node, ...] | None:
        """Return the entries of a list; None if it is none."""
        if not isinstance(self.value, list):
            self.fault("E_TYPE", Text("リスト", "a list"))
            return None
        if len(self.value) < least:
            self.report.note(
                "E_RANGE", self.path, "[]", Text("1 つ以上のリスト", "a list of one or more")
            )
            return None
        return tuple(
            Node(entry, f"{self.path}[{i}]", self.report) for i, entry in enumerate(self.value)
        )

    # --- leaves

    def whole(self, least: int, most: int) -> int | None:
        """Read a whole number, `least` to `most` inclusive."""
        value = self.value
        allowed = Text(f"{least} から {most} までの整数", f"a whole number from {least} to {most}")
        if type(value) is not int:  # a bool is an int to Python
            self.fault("E_TYPE", allowed)
            return None
        if not least <= value <= most:
            self.fault("E_RANGE", allowed)
            return None
        return value

    def flag(self) -> bool | None:
        """Read true or false."""
        if isinstance(self.value, bool):
            return self.value
        self.fault("E_TYPE", Text("true か false", "true or false"))
        return None

    def word(self, words: Sequence[str], code: str) -> str | None:
        """Read one of the words; an unknown one is a fault of this code."""
        value = self.value
        if not isinstance(value, str):
            self.fault("E_TYPE", word_list("文字列 ", "the texts ", words))
            return None
        if value not in words:
            self.fault(code, word_list("", "", words), _near(value, words))
            return None
        return value

    def hours(self) -> frozenset[int] | None:
        """Read a list of different hours, at least one."""
        entries = self.entries(least=1)
        if entries is None:
            return None
        hours: list[int] = []
        for entry in entries:
            hour = entry.whole(1, 12)
            if hour in hours:
                entry.fault("E_HOURS", Text("どの時間も一度だけ", "every hour once"))
            elif hour is not None:
                hours.append(hour)
        return frozenset(hours) if len(hours) == len(entries) else None

    def id(self, pattern: str, allowed: Text) -> str | None:
        """Read an id."""
        value = self.value
        if isinstance(value, str) and re.fullmatch(pattern, value):
            return value
        self.fault("E_TYPE", allowed)
        return None

    def prose(self, most: int) -> None:
        """Check a text for people: 1 to `most` characters that can be shown."""
        if not isinstance(self.value, str):
            self.fault("E_TYPE", Text("文字列", "a text"))
            return
        text = unicodedata.normalize("NFC", self.value)
        if len(text) > most:
            allowed = Text(f"{most} 文字まで", f"at most {most} characters")
            self.report.note("E_SIZE", self.path, str(len(text)), allowed)
        elif has_unprintable(text):
            self.fault(
                "E_TYPE",
                Text(
                    "制御・書式・改行の文字のない文",
                    "a text without control, format and line characters",
                ),
            )
        elif not has_visible(text):
            self.fault("E_TYPE", Text("見える文字のある文", "a text with a visible character"))
        elif longest_run_of_marks(text) > MAX_MARKS:
            self.fault(
                "E_TYPE",
                Text(
                    f"結合文字の続きが {MAX_MARKS} 個までの文",
                    f"a text with at most {MAX_MARKS} combining marks in a row",
                ),
            )


def word_list(ja: str, en: str, words: Sequence[str]) -> Text:
    """Return known words as what is allowed, each text begun with these."""
    listed = ", ".join(words)
    return Text(f"{ja}{listed}", f"{en}{listed}")


def _near(word: str, words: Sequence[str]) -> str:
    """Return the known word that was probably meant; "" if none is near."""
    found = difflib.get_close_matches(word, words, 1) if len(word) <= _MAX_HINTED else []
    return found[0] if found else ""
