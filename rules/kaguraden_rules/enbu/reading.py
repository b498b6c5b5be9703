"""Reading a book strictly, with every fault of it found in one run (EN-95, EN-97).

A book is checked in two steps. `_Reader` takes values out of the tables and notes what is missing,
unknown or of the wrong type. What could be read is then held against the catalogue and against each
other. Checks that need a value that could not be read are left out: its own fault is noted already
(EN-134).
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, Literal, TypeVar, cast

from attrs import define, field

from kaguraden_rules.enbu.book import WILDS, Book, Catalogue, Family, Goal, Group
from kaguraden_rules.enbu.cards import CATALOGUE, ID, MAX_POINTS
from kaguraden_rules.enbu.faults import BadBook, Fault, shown
from kaguraden_rules.enbu.payload import made_id
from kaguraden_rules.kernel import CardId
from kaguraden_rules.toml import key_lines, line_of, read_toml

__all__ = ["MAX_BYTES", "MAX_NAME", "check_book", "check_data", "read_book"]

MAX_BYTES: Final = 8 * 1024  # EN-97; a book of all cards and programs takes about 1.2 KiB
MAX_NAME: Final = 16  # code points
_NAME_BYTES: Final = 48
_PAGES: Final = (1, 6)
_STAGE: Final = (1, 6)
_HAND: Final = (0, 4)
_DECK: Final = (2, 80)
_KINDS: Final = 40
_PROGRAMS: Final = (1, 24)
_MAX_MARK: Final = _PROGRAMS[1] * MAX_POINTS
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # categories no name may have

T = TypeVar("T")

_TYPES: Final[Mapping[type, tuple[str, str]]] = {
    int: ("整数", "a whole number"),
    str: ("文字列", "a text"),
    bool: ("true か false", "true or false"),
    dict: ("テーブル", "a table"),
    list: ("リスト", "a list"),
}


def read_book(
    data: bytes, catalogue: Catalogue = CATALOGUE, *, taken: Collection[str] = ()
) -> Book:
    """Read a book.

    Raises:
        BadBook: With every fault of it (EN-97).
    """
    book, faults, warnings = check_book(data, catalogue, taken=taken)
    if book is None:
        raise BadBook(faults, warnings)
    return book


def check_book(
    data: bytes, catalogue: Catalogue = CATALOGUE, *, taken: Collection[str] = ()
) -> tuple[Book | None, tuple[Fault, ...], tuple[Fault, ...]]:
    """Read the TOML of a book; return it (None if it has faults), its faults and its warnings.

    Args:
        data: The file.
        catalogue: What cards and programs there are.
        taken: Ids that other books have.
    """
    try:
        text, table = _parse(data)
    except BadBook as bad:
        return None, bad.faults, ()
    return check_data(table, catalogue, taken=taken, lines=key_lines(text))


def _parse(data: bytes) -> tuple[str, dict[str, Any]]:
    if len(data) > MAX_BYTES:
        raise BadBook(
            [
                Fault(
                    "E-KEY",
                    "",
                    f"ファイルが大きすぎます（{len(data)} バイト）。{MAX_BYTES} バイトまでです",
                    f"the file has {len(data)} bytes; at most {MAX_BYTES} are read",
                )
            ]
        )
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")  # editors of Windows write both
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadBook(
            [Fault("E-KEY", "", "UTF-8 で保存してください", "not UTF-8; save it as UTF-8", line)]
        ) from None
    try:
        return text, read_toml(text)
    except (ValueError, RecursionError) as error:  # also a number of some thousand digits
        why = str(error)
        if isinstance(error, RecursionError):
            why = "values are nested too deep"
        elif "digits" in why:
            why = "a number of some thousand digits"
        found = re.search(r"at line (\d+)", why)
        raise BadBook(
            [
                Fault(
                    "E-KEY",
                    "",
                    f"TOML として読めません: {why}",
                    f"not TOML: {why}",
                    int(found[1]) if found else None,
                )
            ]
        ) from None


def check_data(
    data: Mapping[str, Any],
    catalogue: Catalogue = CATALOGUE,
    *,
    taken: Collection[str] = (),
    lines: Mapping[str, int] | None = None,
) -> tuple[Book | None, tuple[Fault, ...], tuple[Fault, ...]]:
    """Check a book as plain values, the way `check_book` does; `lines` tells where paths stand."""
    reader = _Reader(catalogue, lines or {})
    book = reader.read(data, taken)
    found = sorted(reader.found, key=lambda fault: fault.line or 0)
    faults = tuple(fault for fault in found if not fault.is_warning)
    warnings = tuple(fault for fault in found if fault.is_warning)
    return (None if faults else book), faults, warnings


@define
class _Reader:
    """The faults of one book as they are found."""

    catalogue: Catalogue
    lines: Mapping[str, int]
    found: list[Fault] = field(factory=list)

    def note(self, code: str, path: str, ja: str, en: str) -> None:
        """Note a fault."""
        self.found.append(Fault(code, path, ja, en, line_of(path, self.lines)))

    # --- values -----------------------------------------------------------------------------

    def take(self, table: Mapping[str, Any], key: str, kind: type[T], path: str) -> T | None:
        """Return a value of a table, or None if it is not there or is of another type."""
        ja, en = _TYPES[kind]
        if key not in table:
            self.note("E-KEY", path, f"ありません。{ja}が要ります", f"missing; {en} is wanted")
            return None
        value = table[key]
        if type(value) is not kind:  # a bool is an int to Python
            got = shown(value)
            self.note("E-KEY", path, f"{got} ではなく{ja}です", f"got {got}; {en} is wanted")
            return None
        return value

    def known(self, table: Mapping[str, Any], keys: Collection[str], path: str) -> None:
        """Note the keys of a table that may not stand there."""
        for key in table:
            if key not in keys:
                where = f"{path}.{_part(key)}" if path else _part(key)
                near = _near(key, keys)
                self.note(
                    "E-KEY",
                    where,
                    f"知らないキーです。書けるのは {'・'.join(keys)}{near[0]}",
                    f"unknown key; allowed: {', '.join(keys)}{near[1]}",
                )

    def between(
        self,
        code: str,
        value: int | None,
        bounds: tuple[int, int],
        path: str,
        what: tuple[str, str],
    ) -> int | None:
        """Return a number that is within its bounds, else None."""
        if value is None or bounds[0] <= value <= bounds[1]:
            return value
        got = shown(value)
        self.note(
            code,
            path,
            f"{what[0]}は {bounds[0]}～{bounds[1]} です（{got}）",
            f"{what[1]}: {bounds[0]} to {bounds[1]}, not {got}",
        )
        return None

    # --- a book -----------------------------------------------------------------------------

    def read(self, data: Mapping[str, Any], taken: Collection[str]) -> Book | None:
        """Read a book; None where something could not be read at all."""
        top = ("schema", "id", "family", "name", "table", "extra", "goal", "cards", "programs")
        self.schema(data)
        self.known(data, top, "")
        id_ = self.id(data, taken)
        family = self.family(data)
        name = self.name(data)
        pages, stage, hand = self.sizes(data)
        drop, reshuffle, wild = self.switches(data)
        cards, listed = self.cards(data, wild)
        first, rest = self.programs(data)
        kind, mark = self.goal(data, (*first, *rest))
        if pages is not None and (first or rest):
            n = len(first) + len(rest)
            what = ("演目の数を超えない頁の数", "pages, no more than the programs")
            pages = self.between("E-SIZE", pages, (1, n), "table.pages", what)
        if cards is not None:
            self.needs(listed, cards, first, rest)
            self.supply(cards, {*first, *rest}, reshuffle, wild, kind)
        if stage is not None and hand is not None:
            self.reach(stage + hand, first, rest)
        if (
            id_ is None
            or family is None
            or name is None
            or pages is None
            or stage is None
            or hand is None
            or drop is None
            or reshuffle is None
            or wild is None
            or kind is None
            or cards is None
            or any(not fault.is_warning for fault in self.found)
        ):
            return None
        in_order = self.catalogue
        book = Book(
            id=id_,
            family=family,
            name=name,
            pages=pages,
            stage=stage,
            hand=hand,
            drop=drop,
            reshuffle=reshuffle,
            wild=wild,
            goal=kind,
            pass_mark=mark,
            cards=tuple((card, cards[card]) for card in in_order.cards if card in cards),
            first=first,
            rest=tuple(program for program in in_order.programs if program in rest),
        )
        self.own_id(book)
        return book

    def section(
        self, data: Mapping[str, Any], key: str, keys: Collection[str]
    ) -> dict[str, Any] | None:
        """Return a table of a book, its unknown keys noted."""
        table = self.take(data, key, dict, key)
        if table is not None:
            self.known(table, keys, key)
        return table

    def schema(self, data: Mapping[str, Any]) -> None:
        """Check that this is a book of the form that is known here."""
        value = data.get("schema")
        if type(value) is int and value == 1:
            return
        ja, en = "ありません", "missing"
        if "schema" in data:
            ja = en = shown(value)
        self.note(
            "E-SCHEMA", "schema", f"schema = 1 と書きます（{ja}）", f"write schema = 1 ({en})"
        )

    def id(self, data: Mapping[str, Any], taken: Collection[str]) -> str | None:
        """Read the id (EN-131)."""
        value = self.take(data, "id", str, "id")
        if value is None:
            return None
        got = shown(value)
        if not ID.fullmatch(value):
            self.note(
                "E-ID",
                "id",
                f"id は英小文字・数字・- で 1～24 字です（{got}）",
                f"an id is 1 to 24 of a-z, 0-9 and -, not {got}",
            )
            return None
        if value in taken:
            self.note(
                "E-ID",
                "id",
                f"{got} はほかの演目帖の id です。別の id にします",
                f"{got} is the id of another book; choose one of its own",
            )
        elif value == "today" or value.startswith("enbu"):
            self.note(
                "E-ID",
                "id",
                f"{got} は使えません（today と enbu で始まる id は予約されています）",
                f"{got} is reserved, as today is and what begins with enbu; choose another id",
            )
        return value

    def own_id(self, book: Book) -> None:
        """Check an id that says what the book holds (EN-104, EN-131)."""
        if book.id.startswith("u-") and book.id != (right := made_id(book, self.catalogue)):
            self.note(
                "E-ID",
                "id",
                f'u- で始まる id は中身から決まります。この内容なら "{right}"、または別の id にします',
                f'an id with u- follows from what the book holds; write "{right}" or another id',
            )

    def family(self, data: Mapping[str, Any]) -> Family | None:
        """Read the family."""
        value = self.take(data, "family", str, "family")
        if value is None or value in list(Family):
            return None if value is None else Family(value)
        got, words = shown(value), list(Family)
        near = _near(value, words)
        self.note(
            "E-KEY",
            "family",
            f"{got} ではなく {'・'.join(words)} のどれかです{near[0]}",
            f"got {got}; one of {', '.join(words)} is wanted{near[1]}",
        )
        return None

    def name(self, data: Mapping[str, Any]) -> str | None:
        """Read the name: every fault of it at once."""
        value = self.take(data, "name", str, "name")
        if value is None:
            return None
        faults: list[tuple[str, str]] = []
        size = len(value.encode("utf-8", "surrogatepass"))
        if not 1 <= len(value) <= MAX_NAME or size > _NAME_BYTES:
            faults.append(
                (
                    f"名前は 1～{MAX_NAME} 字、{_NAME_BYTES} バイトまでです"
                    f"（{len(value)} 字、{size} バイト）",
                    f"a name has 1 to {MAX_NAME} characters and at most {_NAME_BYTES} bytes; "
                    f"this one has {len(value)} and {size}",
                )
            )
        if not unicodedata.is_normalized("NFC", value):
            right = shown(unicodedata.normalize("NFC", value))
            faults.append((f"NFC で書きます: {right}", f"write it in NFC: {right}"))
        if value != value.strip():
            faults.append(("前後の空白を取ります", "leave out blanks at its ends"))
        bad = sorted({c for c in value if unicodedata.category(c) in _HIDDEN or c in '"\\'})
        if bad:
            codes = ", ".join(f"U+{ord(c):04X}" for c in bad[:MAX_NAME])
            faults.append(
                (
                    f'使えない文字を取ります（制御・書式・改行の文字、" と \\）: {codes}',
                    f"leave out control, format and line characters, quotes and backslashes: {codes}",
                )
            )
        for ja, en in faults:
            self.note("E-NAME", "name", ja, en)
        return value

    def sizes(self, data: Mapping[str, Any]) -> tuple[int | None, int | None, int | None]:
        """Read the numbers of pages, stage slots and hand cards."""
        table = self.section(data, "table", ("pages", "stage", "hand"))
        if table is None:
            return None, None, None

        def size(key: str, bounds: tuple[int, int], what: tuple[str, str]) -> int | None:
            path = f"table.{key}"
            return self.between("E-SIZE", self.take(table, key, int, path), bounds, path, what)

        return (
            size("pages", _PAGES, ("開いた頁", "pages")),
            size("stage", _STAGE, ("演舞場", "stage slots")),
            size("hand", _HAND, ("手札", "hand cards")),
        )

    def switches(self, data: Mapping[str, Any]) -> tuple[bool | None, bool | None, bool | None]:
        """Read which extra rules are on: drop, reshuffle, wilds."""
        keys = ("drop", "reshuffle", "wild")
        table = self.section(data, "extra", keys)
        if table is None:
            return None, None, None
        drop, reshuffle, wild = (self.take(table, key, bool, f"extra.{key}") for key in keys)
        return drop, reshuffle, wild

    def cards(
        self, data: Mapping[str, Any], wild: bool | None
    ) -> tuple[dict[CardId, int] | None, frozenset[str]]:
        """Read the cards; return the copies of each, and every id that is listed, even wrongly."""
        table = self.take(data, "cards", dict, "cards")
        if table is None:
            return None, frozenset()
        cards: dict[CardId, int] = {}
        before = len(self.found)
        for key in table:
            path = f"cards.{_part(key)}"
            card = self.catalogue.cards.get(CardId(key))
            if card is None:
                near = _near(key, self.catalogue.cards)
                self.note(
                    "E-CARD",
                    path,
                    f"{shown(key)} というカードはありません{near[0]}",
                    f"there is no card {shown(key)}{near[1]}",
                )
                continue
            copies = self.take(table, key, int, path)
            if card.group is Group.WILD:
                self.note(
                    "E-WILD",
                    path,
                    f"{card.name}は書かずに extra.wild = true にします",
                    f"the wild {key} is not listed; write extra.wild = true",
                )
                continue
            what = (f"{card.name}の枚数", f"copies of {key}")
            if self.between("E-COPIES", copies, (1, card.box), path, what) is not None:
                cards[card.id] = cast("int", copies)
        if len(table) > _KINDS:
            self.note(
                "E-DECK",
                "cards",
                f"カードは {_KINDS} 種までです（{len(table)} 種）",
                f"at most {_KINDS} kinds of cards, not {len(table)}",
            )
        if len(self.found) == before and wild is not None:
            size = sum(cards.values()) + len(WILDS) * wild
            what = ("山札の枚数（化け札を含む）", "cards in the deck, wilds included")
            self.between("E-DECK", size, _DECK, "cards", what)
        return cards, frozenset(table)

    def programs(self, data: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Read the two lists of programs; what is unknown or not a text is noted and kept as ""."""
        table = self.section(data, "programs", ("first", "rest"))
        if table is None:
            return (), ()
        lists = [self.take(table, key, list, f"programs.{key}") for key in ("first", "rest")]
        seen: set[str] = set()
        out: list[tuple[str, ...]] = []
        for key, values in zip(("first", "rest"), lists, strict=True):
            ids: list[str] = []
            for i, value in enumerate(values or ()):
                ids.append(self.program(value, f"programs.{key}[{i}]", seen))
            out.append(tuple(ids))
        if None not in lists:
            what = ("演目の数", "programs")
            self.between("E-COUNT", len(out[0]) + len(out[1]), _PROGRAMS, "programs", what)
        return out[0], out[1]

    def program(self, value: object, path: str, seen: set[str]) -> str:
        """Read an entry of a list of programs; "" where it is none."""
        got = shown(value)
        if not isinstance(value, str):
            self.note("E-KEY", path, f"{got} ではなく文字列です", f"got {got}; a text is wanted")
            return ""
        if value not in self.catalogue.programs:
            near = _near(value, self.catalogue.programs)
            self.note(
                "E-PROG",
                path,
                f"{got} という演目はありません{near[0]}",
                f"there is no program {got}{near[1]}",
            )
            return ""
        if value in seen:
            self.note(
                "E-DUP",
                path,
                f"{got} は前にもあります。一度だけ書きます",
                f"{got} is listed before; write it once",
            )
        seen.add(value)
        return value

    def goal(
        self, data: Mapping[str, Any], programs: Iterable[str]
    ) -> tuple[Goal | None, int | None]:
        """Read the goal and the pass mark."""
        table = self.section(data, "goal", ("kind", "pass"))
        if table is None:
            return None, None
        kind = self.take(table, "kind", str, "goal.kind")
        mark = self.take(table, "pass", int, "goal.pass") if "pass" in table else None
        if kind is not None and kind not in list(Goal):
            got = shown(kind)
            self.note(
                "E-GOAL",
                "goal.kind",
                f'{got} ではなく "all" か "pass" です',
                f'got {got}; "all" or "pass" is wanted',
            )
            return None, None
        if kind == Goal.ALL and "pass" in table:
            self.note(
                "E-GOAL",
                "goal.pass",
                'kind = "all" なら pass は書きません',
                'no pass with kind = "all"; leave it out or write kind = "pass"',
            )
        played = set(programs)
        total = sum(self.catalogue.programs[program].points for program in played if program)
        if kind == Goal.PASS and "pass" not in table:
            self.note(
                "E-GOAL",
                "goal.pass",
                f'ありません。kind = "pass" なら 1～{total} の及第点が要ります',
                f'missing; kind = "pass" wants a pass mark of 1 to {total}',
            )
        elif kind == Goal.PASS:
            what = ("及第点（全演目の点まで）", "the pass mark, up to the points of all programs")
            most = _MAX_MARK if "" in played or not played else total  # others may be meant
            mark = self.between("E-GOAL", mark, (1, most), "goal.pass", what)
        return (None if kind is None else Goal(kind)), mark

    # --- cards against programs -------------------------------------------------------------

    def needs(
        self,
        listed: frozenset[str],
        cards: Mapping[CardId, int],
        first: Iterable[str],
        rest: Iterable[str],
    ) -> None:
        """Note programs whose cards are not in the book, and cards that no program requires."""
        used: set[str] = set()
        unread = False
        for key, programs in (("first", first), ("rest", rest)):
            for i, program in enumerate(programs):
                if not program:
                    unread = True
                    continue
                required = self.catalogue.programs[program].cards
                used.update(required)
                missing = [card for card in required if card not in listed]
                if missing:
                    names = "・".join(self.catalogue.cards[card].name for card in missing)
                    self.note(
                        "E-NEED",
                        f"programs.{key}[{i}]",
                        f"{program} には{names}が要りますが [cards] にありません。加えます"
                        f"（{', '.join(missing)}）",
                        f"{program} requires {', '.join(missing)}; list what is missing in [cards]",
                    )
        for card in cards:
            if card not in used and used and not unread:
                name = self.catalogue.cards[card].name
                self.note(
                    "W-UNUSED",
                    f"cards.{card}",
                    f"{name}を使う演目がありません",
                    f"no program requires {card}",
                )

    def reach(self, places: int, first: Iterable[str], rest: Iterable[str]) -> None:
        """Note programs that want more cards than can be seen at once."""
        for key, programs in (("first", first), ("rest", rest)):
            for i, program in enumerate(programs):
                needed = len(self.catalogue.programs[program].cards) if program else 0
                if needed > places:
                    self.note(
                        "E-REACH",
                        f"programs.{key}[{i}]",
                        f"{program} には {needed} 枚要りますが、演舞場と手札で {places} 枚しか"
                        "並びません。どちらかを増やします",
                        f"{program} requires {needed} cards, but stage and hand show {places}; "
                        "make one of them larger",
                    )

    def supply(
        self,
        cards: Mapping[CardId, int],
        programs: Iterable[str],
        reshuffle: bool | None,
        wild: bool | None,
        goal: Goal | None,
    ) -> None:
        """Note that not all programs can be made because cards serve once (without reshuffling)."""
        if reshuffle is None or reshuffle or wild is None or goal is None:
            return
        wanted = Counter(
            card
            for program in programs
            if program
            for card in self.catalogue.programs[program].cards
        )
        short = {card: wanted[card] - n for card, n in cards.items() if wanted[card] > n}
        wilds = len(WILDS) * wild
        if sum(short.values()) <= wilds:
            return
        ja = "、".join(f"{self.catalogue.cards[card].name} {n}" for card, n in short.items())
        en = ", ".join(f"{card} {n}" for card, n in short.items())
        code: Literal["E-SUPPLY", "W-SUPPLY"] = "E-SUPPLY" if goal is Goal.ALL else "W-SUPPLY"
        self.note(
            code,
            "cards",
            f"切り直しがないので、すべての演目を作るにはカードが足りません（不足: {ja}。"
            f"化け札 {wilds}）。枚数を増やすか reshuffle = true にします",
            f"without reshuffling there are too few cards for all programs (short of {en}; "
            f"wilds {wilds}); add copies or write reshuffle = true",
        )


def _part(key: str) -> str:
    """Write a key as a part of a path."""
    return key if ID.fullmatch(key) else shown(key)


def _near(word: str, words: Iterable[str]) -> tuple[str, str]:
    """Return what to add to a message about an unknown word: the one that was probably meant."""
    found = difflib.get_close_matches(word, list(words), 1) if len(word) <= 32 else []
    return (f"。{found[0]} ですか", f"; did you mean {found[0]}?") if found else ("", "")
