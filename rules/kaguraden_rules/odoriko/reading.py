"""Reading a data file strictly, with every fault of it found in one run (OD-188).

A `Node` is a value of the file with its path. Its methods read it as what it should be; where it is
not, they note a fault and return a stand-in, so that reading goes on and finds the next fault.
Nothing that was read from a file with faults may be used: `load_set` in `packs` sees to that.
"""

from __future__ import annotations

import difflib
import enum
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from attrs import define, field, frozen

from kaguraden_rules.kernel import Text
from kaguraden_rules.odoriko.faultwords import in_japanese
from kaguraden_rules.prose import (
    MAX_MARKS,
    has_unprintable,
    has_visible,
    longest_run_of_marks,
)
from kaguraden_rules.toml import line_of

__all__ = ["Fault", "Node", "Report"]

E = TypeVar("E", bound=enum.StrEnum)
D = TypeVar("D")

_GOT_LENGTH = 60  # longer values are cut in messages
_NEAR = 0.5  # likeness from which a word is taken for a slip of another; 1 is the same word


_SENTENCES = {
    "V-01": Text("TOML として読めないか、format が違います", "not a file of cards"),
    "V-02": Text("知らないキーです", "unknown key"),
    "V-03": Text("キーが足りません", "missing key"),
    "V-04": Text("型か範囲が違います", "wrong type or out of range"),
    "V-05": Text("id が正しくないか、重なっています", "bad or double id"),
    "V-06": Text("使えない言葉です", "word that is not in the list"),
    "V-07": Text("勝利条件の書き方が違います", "scoring term that does not add up"),
    "V-08": Text("見えないカードを読もうとしています", "reads hidden cards"),
    "V-09": Text("ここでは使えません", "does not fit here"),
    "V-10": Text("いつでも使える特技に限りがありません", "free skill without bound"),
    "V-11": Text("どのカードにも当てはまりません", "filter that matches nothing"),
    "V-12": Text("置けないカードです", "placing that is never legal"),
    "V-13": Text("この種類のカードには書けないか、払えません", "wrong kind of card, or no means"),
    "V-14": Text("デッキが正しくありません", "deck that is not legal"),
    "V-15": Text("文字か長さが正しくありません", "text that cannot be shown"),
}


@frozen
class Fault:
    """One fault: where it is, what stands there and what would be right.

    `expected` is English; `faultwords` has the Japanese of all that is said there.
    """

    code: str  # V-01 to V-15
    file: str
    path: str  # card[2].score[0].match.suit
    expected: str
    got: str | None = None
    card: str | None = None  # the id of the card, where it has one
    line: int | None = None  # from 1, where known

    def __str__(self) -> str:
        return self.sentence.en

    @property
    def sentence(self) -> Text:
        """Say it in one sentence, place first: `my.toml:7: V-06 card "x" PATH: got …; expected …`."""
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        card_ja = card_en = ""
        if self.card is not None:
            shown = _show(self.card)  # what an author wrote is shown without control characters
            card_ja, card_en = f" カード {shown}", f" card {shown}"
        path = f" {self.path}" if self.path else ""
        wrong = _SENTENCES[self.code]
        if self.got is not None:
            wrong = Text(f"実際は{_spaced(in_japanese(self.got))}", f"got {self.got}")
        right = _spaced(in_japanese(self.expected))
        return Text(
            f"{place}: {self.code}{card_ja}{path}: {wrong.ja}。正しくは{right}",
            f"{place}: {self.code}{card_en}{path}: {wrong.en}; expected {self.expected}",
        )


def _spaced(text: str) -> str:
    """Return a text to follow on Japanese, with a space where it does not begin with Japanese."""
    return f" {text}" if text[:1].isascii() else text


@define
class Report:
    """The faults of one file, as they are found."""

    file: str
    lines: Mapping[str, int] = field(factory=dict)  # of paths, as far as they are known
    card: str | None = None  # the card being read
    faults: list[Fault] = field(factory=list)

    def add(self, code: str, path: str, expected: str, got: object = None) -> None:
        """Note a fault; `got` is the value that stands there, None where nothing does."""
        line = line_of(path, self.lines)
        text = None if got is None else _show(got)
        self.faults.append(Fault(code, self.file, path, expected, text, self.card, line))


def _show(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=True, default=str)
    except ValueError:  # a number that Python takes, being hexadecimal, but does not write out
        return "a number of some thousand digits"
    return text if len(text) <= _GOT_LENGTH else text[: _GOT_LENGTH - 3] + "..."


def _hint(word: str, known: Sequence[str]) -> str:
    """Return a question after the nearest known word; "" if none is near."""
    near = difflib.get_close_matches(word, known, n=1, cutoff=_NEAR)
    return f" (did you mean {near[0]}?)" if near else ""


@frozen
class Node:
    """A value of the file."""

    value: object
    path: str
    report: Report

    def fault(self, code: str, expected: str) -> None:
        """Note that this value is not what was expected."""
        self.report.add(code, self.path, expected, self.value)

    # tables

    def table(
        self,
        required: Iterable[str] = (),
        optional: Iterable[str] = (),
        *,
        forbidden: Iterable[str] = (),
    ) -> Table:
        """Read a table: unknown (V-02), missing (V-03) and misplaced (V-13) keys are faults.

        Args:
            required: Keys that must be there.
            optional: Keys that may be there.
            forbidden: Keys that are known but belong to another kind of card.
        """
        if not isinstance(self.value, dict):
            self.fault("V-04", "a table")
            return Table(frozenset(), self)
        required, forbidden = tuple(required), tuple(forbidden)
        known = (*required, *optional)
        for key in self.value:
            path = self._below(key)
            if key in forbidden:
                self.report.add("V-13", path, f"no {key} here; allowed: {', '.join(known)}")
            elif key not in known:
                hint = _hint(key, known)
                self.report.add("V-02", path, f"one of the keys {', '.join(known)}{hint}", key)
        for key in required:
            if key not in self.value:
                self.report.add("V-03", self._below(key), f"the key {key}")
        return Table(frozenset(key for key in self.value if key in known), self)

    def _below(self, key: str) -> str:
        part = key if re.fullmatch(r"[A-Za-z0-9_-]{1,40}", key) else _show(key)
        return f"{self.path}.{part}" if self.path else part

    def peek(self, key: str) -> Node | None:
        """Return the value of a key without checking any; None where there is none."""
        if not isinstance(self.value, dict) or key not in self.value:
            return None
        return Node(self.value[key], self._below(key), self.report)

    # leaves

    def integer(self, least: int, most: int) -> int:
        """Read a whole number, `least` to `most` inclusive; stand-in: `least`."""
        value = self.value
        if type(value) is int and least <= value <= most:
            return value
        self.fault("V-04", f"a whole number from {least} to {most}")
        return least

    def boolean(self) -> bool:
        """Read true or false; stand-in: false."""
        if isinstance(self.value, bool):
            return self.value
        self.fault("V-04", "true or false")
        return False

    def choice(self, allowed: type[E] | Iterable[E]) -> E:
        """Read one of the allowed words (V-06); stand-in: the first of them."""
        members = tuple(allowed)
        for member in members:
            if self.value == member.value:
                return member
        words = ", ".join(members)
        if isinstance(self.value, str):
            self.fault("V-06", f"one of {words}{_hint(self.value, members)}")
        else:
            self.fault("V-04", f"one of the texts {words}")
        return members[0]

    def items(self, least: int, most: int) -> Iterator[Node]:
        """Read a list of `least` to `most` entries; stand-in: nothing."""
        if not isinstance(self.value, list):
            self.fault("V-04", f"a list of {least} to {most} entries")
            return
        if not least <= len(self.value) <= most:
            self.report.add(
                "V-04",
                self.path,
                f"a list of {least} to {most} entries",
                f"{len(self.value)} entries",
            )
        for i, entry in enumerate(self.value):
            yield Node(entry, f"{self.path}[{i}]", self.report)

    def choices(self, allowed: type[E]) -> tuple[E, ...]:
        """Read a list of one or more different allowed words."""
        words = tuple(entry.choice(allowed) for entry in self.items(1, len(allowed)))
        if len(set(words)) != len(words) and isinstance(self.value, list):
            self.fault("V-06", "every word once")
        return words

    def matching(self, pattern: str, what: str) -> str:
        """Read a text that fits a regular expression (V-05); stand-in: an empty text."""
        if isinstance(self.value, str):
            if re.fullmatch(pattern, self.value):
                return self.value
            self.fault("V-05", what)
        else:
            self.fault("V-04", what)
        return ""

    def prose(self, most: int) -> str:
        """Read a text for people: 1 to `most` characters, some of them visible (V-15)."""
        if not isinstance(self.value, str):
            self.fault("V-04", f"a text of 1 to {most} characters")
            return ""
        text = unicodedata.normalize("NFC", self.value)
        if not 1 <= len(text) <= most:
            self.report.add(
                "V-15", self.path, f"a text of 1 to {most} characters", f"{len(text)} characters"
            )
        elif has_unprintable(text):
            self.fault("V-15", "a text without control and format characters")
        elif not has_visible(text):
            self.fault("V-15", "a text with a visible character")
        elif longest_run_of_marks(text) > MAX_MARKS:
            self.fault("V-15", f"a text with at most {MAX_MARKS} combining marks in a row")
        return text


@frozen
class Table:
    """The known keys of a table; the readers below return `default` where a key is absent."""

    entries: frozenset[str]
    node: Node

    def get(self, key: str) -> Node | None:
        """Return the value of a key, or None where it is absent."""
        return self.node.peek(key) if key in self.entries else None

    def integer(self, key: str, least: int, most: int, default: D) -> int | D:
        """Read a whole number."""
        node = self.get(key)
        return default if node is None else node.integer(least, most)

    def boolean(self, key: str, default: D) -> bool | D:
        """Read true or false."""
        node = self.get(key)
        return default if node is None else node.boolean()

    def choice(self, key: str, allowed: type[E] | Iterable[E], default: D) -> E | D:
        """Read one of the allowed words."""
        node = self.get(key)
        return default if node is None else node.choice(allowed)
