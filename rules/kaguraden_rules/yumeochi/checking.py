"""Every fault of a card set (YU-93 to YU-97, YU-99).

The tables of a file are held against the words of `grammar`, and each ability against itself: what
its effects use has to be picked, and what is picked has to be used. Where a value could not be read,
checks that need it are left out: its own fault is noted already. A card without a fault goes to
`doubts`, for what is legal and yet looks wrong.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from attrs import define, field

from kaguraden_rules.kernel import Text
from kaguraden_rules.yumeochi import grammar as g
from kaguraden_rules.yumeochi.card import HOURS, TimeKind, Window
from kaguraden_rules.yumeochi.doubts import doubt_role, doubt_skill, doubt_time
from kaguraden_rules.yumeochi.faults import Node, Report, word_list

__all__ = ["check_data"]

_SKILLS: Final = 6
_TIMES: Final = 12
_BASE_ROLES: Final = 4
_MAX_STARS: Final = 9
_MAX_VERSION: Final = 9999
_MAX_NAME: Final = 40  # characters
_MAX_TEXT: Final = 400  # YU-99
_MAX_DEPTH: Final = 3  # of may, if and guess in each other
_MAX_CHOICES: Final = 132  # of an ability; one message lists those of a turn (YU-139)

_COMMON: Final = ("id", "name_ja", "name_en")
_OPTIONAL: Final = ("stars", "text_ja", "text_en")
_CONTENTS: Final = ("effects", "cases", "otherwise")
_ABILITY: Final = ("when", "pick", *_CONTENTS)
_OF_ITEM: Final = ("use", "trigger", "otherwise")
_SET_ID: Final = r"[a-z0-9][a-z0-9_-]{0,31}"
_SET_ID_WORDS: Final = Text(
    "id（英小文字・数字・下線・- で 1～32 文字）",
    "an id: 1 to 32 small letters, digits, underscores or hyphens",
)
_ID: Final = r"[a-z][a-z0-9_]{0,31}"
_ID_WORDS: Final = Text(
    "id（英小文字で始まり、英小文字・数字・下線で 1～32 文字）",
    "an id: a small letter, then up to 31 small letters, digits or underscores",
)


def check_data(data: Mapping[str, Any], report: Report) -> None:
    """Check a set as it stands in a file (YU-99, YU-138); the report gets what is found."""
    top = Node(data, "", report)
    report.roles = len(data["role"]) if isinstance(data.get("role"), list) else 0
    top.keys(("set",), ("role", "skill", "time"))
    if (head := top.at("set")) is not None and head.table():
        _check_head(head)
    owners: dict[str, str] = {}
    roles = _check_cards(top, "role", owners)
    skills = _check_cards(top, "skill", owners)
    times = _check_cards(top, "time", owners)
    bases = [entry.value.get("base") for entry in roles or () if isinstance(entry.value, dict)]
    if roles is not None and all(isinstance(base, bool) for base in bases):
        what = Text("base = true のロール", "roles with base = true")
        _count(report, "role", bases.count(True), _BASE_ROLES, what)
    if skills is not None:
        _count(report, "skill", len(skills), _SKILLS, Text("スキル", "skills"))
    if times is not None:
        _count(report, "time", len(times), _TIMES, Text("タイムカード", "time cards"))


def _count(report: Report, array: str, found: int, wanted: int, what: Text) -> None:
    if found != wanted:
        allowed = Text(f"{what.ja} {wanted} 枚", f"{wanted} {what.en}")
        report.note("E_COUNT", array, str(found), allowed)


def _check_head(head: Node) -> None:
    head.keys(("id", "version", "name_ja", "name_en"))
    if (node := head.at("id")) is not None:
        node.id(_SET_ID, _SET_ID_WORDS)
    if (node := head.at("version")) is not None:
        node.whole(1, _MAX_VERSION)
    _check_names(head)


def _check_names(table: Node) -> None:
    for key in ("name_ja", "name_en"):
        if (node := table.at(key)) is not None:
            node.prose(_MAX_NAME)


# --- cards ---------------------------------------------------------------------------------------


def _check_cards(top: Node, array: str, owners: dict[str, str]) -> tuple[Node, ...] | None:
    """Check the cards of an array; return them, or None where it is no list.

    Args:
        top: The whole file.
        array: The name of the array.
        owners: Where each id stands that was seen before.
    """
    listed = top.at(array)
    entries = () if listed is None else listed.entries()
    report = top.report
    for entry in entries or ():
        if not entry.table():
            continue
        named = entry.value.get("id")
        report.card = named if isinstance(named, str) else None
        before = report.faults
        if (node := entry.at("id")) is not None and node.id(_ID, _ID_WORDS) is not None:
            owner = owners.setdefault(node.value, entry.path)
            if owner != entry.path:
                allowed = Text(
                    f"ほかにない id（これは {owner} にある）",
                    f"an id of its own; {owner} has this one",
                )
                node.fault("E_DUP", allowed)
        _CHECKS[array](entry)
        if report.faults == before:
            _DOUBTS[array](entry)
    report.card = None
    return entries


def _check_common(card: Node) -> None:
    _check_names(card)
    for key in ("text_ja", "text_en"):
        if (node := card.at(key)) is not None:
            node.prose(_MAX_TEXT)
    if (node := card.at("stars")) is not None:
        node.whole(0, _MAX_STARS)


def _check_role(card: Node) -> None:
    card.keys((*_COMMON, "base", "win"), (*_OPTIONAL, "action", "otherwise"))
    _check_common(card)
    if (node := card.at("base")) is not None:
        node.flag()
    if (win := card.at("win")) is not None and win.table():
        win.keys(("check", "all"))
        if (node := win.at("check")) is not None:
            node.word(tuple(Window), "E_WINDOW")
        if (node := win.at("all")) is not None:
            _Scope(Where.WIN).conditions(node, Where.WIN, least=1)
    action = card.at("action")
    if action is not None and action.table():
        action.keys(("name_ja", "name_en"), _ABILITY)
        _check_names(action)
        _check_ability(action, card)
    _check_otherwise(card, action)


def _check_skill(card: Node) -> None:
    card.keys(_COMMON, (*_OPTIONAL, *_ABILITY))
    _check_common(card)
    _check_ability(card, card)
    _check_otherwise(card, card)


def _check_time(card: Node) -> None:
    kind = card.at("kind")
    named = None if kind is None else kind.word(tuple(TimeKind), "E_KIND")
    fit = _OF_ITEM if named == TimeKind.ITEM else _CONTENTS
    misfits = [key for key in (*_ABILITY, *_OF_ITEM) if key not in fit]
    for key in misfits if named is not None else ():
        if (node := card.at(key)) is not None:
            card.report.note(
                "E_KIND", node.path, f"{key} ({named})", word_list("キー ", "the keys ", fit)
            )
    card.keys((*_COMMON, "kind"), (*_OPTIONAL, *fit, *misfits))
    _check_common(card)
    if named is None:
        return
    if named != TimeKind.ITEM:
        _check_contents(card, card, _Scope(Where.OPENED))
        _check_otherwise(card, card)
        return
    use, trigger = card.at("use"), card.at("trigger")
    if use is not None and use.table():
        use.keys((), _ABILITY)
        _check_ability(use, card)
    if trigger is not None and trigger.table():
        trigger.keys(("hours", "effects"), ("after",))
        if (node := trigger.at("hours")) is not None:
            node.hours()
        if (node := trigger.at("effects")) is not None:
            _Scope(Where.OPENED).effects(node)
        if (node := trigger.at("after")) is not None:
            node.word(("discard", "keep"), "E_EFFECT")
    _check_otherwise(card, use)


_CHECKS: Final = {"role": _check_role, "skill": _check_skill, "time": _check_time}
_DOUBTS: Final = {"role": doubt_role, "skill": doubt_skill, "time": doubt_time}


# --- abilities -----------------------------------------------------------------------------------


def _check_ability(ability: Node, card: Node) -> None:
    scope = _Scope(Where.ABILITY)
    if (node := ability.at("when")) is not None:
        scope.conditions(node, Where.WHEN)
    before = ability.report.faults
    picks = ability.at("pick")
    if picks is not None:
        scope.picks(picks)
    _check_contents(ability, card, scope)
    if ability.report.faults == before:
        scope.note_unused()
    if ability.report.faults == before and picks is not None:
        scope.note_crowd(picks)


def _check_contents(ability: Node, card: Node, scope: _Scope) -> None:
    """Check `effects` or `cases`, of which there has to be one."""
    effects, cases = ability.at("effects"), ability.at("cases")
    if effects is None and cases is None:
        ability.missing("effects")
    if effects is not None:
        scope.effects(effects)
    if cases is None:
        return
    if effects is not None:
        cases.report.note(
            "E_KEY",
            cases.path,
            "effects, cases",
            Text("effects と cases のどちらか一方", "one of effects and cases"),
        )
    _check_cases(cases, scope, any(of.at("otherwise") is not None for of in (ability, card)))


def _check_cases(cases: Node, scope: _Scope, is_open: bool) -> None:
    """Check cases; `is_open` if hours may be left out."""
    entries = cases.entries()
    seen: set[int] = set()
    unread = entries is None
    for case in entries or ():
        hours = None
        if case.table():
            case.keys(("hours", "effects"))
            if (node := case.at("effects")) is not None:
                scope.effects(node)
            if (node := case.at("hours")) is not None:
                hours = node.hours()
                if twice := seen & (hours or frozenset()):
                    allowed = Text("どの時間も 1 つの場合だけ", "every hour in one case only")
                    node.report.note("E_HOURS", node.path, _listed(twice), allowed)
        if hours is None:
            unread = True
        else:
            seen |= hours
    if not unread and not is_open and seen != set(HOURS):
        allowed = Text(
            '1～12 時のすべて、または otherwise = "nothing"',
            'all hours 1 to 12, or otherwise = "nothing"',
        )
        cases.report.note("E_HOURS", cases.path, _listed(seen), allowed)


def _listed(hours: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(hours)))


def _check_otherwise(card: Node, ability: Node | None) -> None:
    """Check `otherwise`, which may stand beside the cases or on the card (YU-94)."""
    for node in {id(of.value): of for of in (card, ability) if of is not None}.values():
        if (otherwise := node.at("otherwise")) is None:
            continue
        otherwise.word(("nothing",), "E_HOURS")
        if ability is None or ability.at("cases") is None:
            otherwise.fault("E_HOURS", Text("cases のある時だけ", "only with cases"))


# --- conditions, picks and effects ---------------------------------------------------------------


class Where(enum.Enum):
    """Where conditions and effects stand: what there is for them to speak of."""

    WIN = enum.auto()
    WHEN = enum.auto()  # before anything is picked
    FILTER = enum.auto()  # `where`: the target is the seat in question
    ABILITY = enum.auto()  # what a seat uses
    OPENED = enum.auto()  # what happens by itself: nothing is picked or used


@define
class _Scope:
    """What the picks of an ability supply, and what its effects have used of it."""

    kind: Where
    supplied: dict[str, list[Node]] = field(factory=dict)  # by `seat`, `item target` and the like
    used: set[str] = field(factory=set)
    is_known: bool = True  # all picks could be read

    # --- conditions

    def conditions(self, node: Node, where: Where, least: int = 0) -> None:
        """Check a list of conditions."""
        for entry in node.entries(least) or ():
            self.condition(entry, where)

    def condition(self, node: Node, where: Where) -> None:
        """Check a condition (YU-95)."""
        if not node.table():
            return
        test = node.at("test")
        if test is None:
            node.keys(("test",), g.TEST_KEYS)
            return
        if isinstance(test.value, str) and test.value in g.HIDDEN_TESTS:
            test.fault("E_HIDDEN", word_list("", "", tuple(g.TESTS)))
            return
        named = test.word(tuple(g.TESTS), "E_TEST")
        if named is None:
            return
        shape = g.TESTS[named]
        if named == "hour" and "in" in node.value:
            shape = g.TEST_OF_HOURS
        node.keys(("test", *shape.required), shape.optional)
        self.values(node, shape, "E_TEST", 0)
        if named == "uses" and self.kind is not Where.ABILITY:
            test.fault(
                "E_TEST",
                Text("uses は使う能力の中だけ", "uses only in an ability that a seat uses"),
            )
        who = node.at("who")
        if who is None or who.value != "target" or where is Where.FILTER:
            return
        if where in (Where.WIN, Where.WHEN):
            who.fault(
                "E_TARGET",
                Text(
                    "self（相手を選ぶ条件は pick の where に書く）",
                    "self; what the seat has to fulfil stands in where of its pick",
                ),
            )
        else:
            self.need(who, "seat")

    # --- picks

    def picks(self, node: Node) -> None:
        """Check the picks (YU-96)."""
        entries = node.entries()
        self.is_known = entries is not None
        for entry in entries or ():
            thing = self.pick(entry)
            if thing is None:
                self.is_known = False
            else:
                self.supply(entry, thing)

    def supply(self, node: Node, thing: str) -> None:
        """Note what a pick supplies."""
        found = self.supplied.setdefault(thing, [])
        if len(found) >= (2 if thing == "hour" else 1):
            allowed = Text(
                f"この pick は {len(found)} つまで", f"at most {len(found)} of this pick"
            )
            node.report.note("E_TARGET", node.path, _pick_text(thing), allowed)
        found.append(node)

    def pick(self, node: Node) -> str | None:
        """Check a pick; return what it supplies, None where it cannot be read."""
        if not node.table():
            return None
        kinds = [key for key in node.value if key in g.PICKS]
        if len(kinds) != 1:
            node.keys((), tuple(g.PICKS))
            allowed = word_list("次のキーのうち 1 つ: ", "one of the keys ", tuple(g.PICKS))
            if kinds or not node.value:
                node.report.note("E_KEY", node.path, ", ".join(kinds) or None, allowed)
            return None
        kind = kinds[0]
        node.keys((kind,), ("where",) if kind == "seat" else ())
        if kind == "seat" and (where := node.at("where")) is not None:
            self.conditions(where, Where.FILTER)
        choice = Node(node.value[kind], node.below(kind), node.report)
        if isinstance(choice.value, str) and (kind, choice.value) in g.HIDDEN_PICKS:
            choice.fault("E_HIDDEN", word_list("", "", g.PICKS[kind]))
            return None
        named = choice.word(g.PICKS[kind], "E_TARGET")
        if named == "target":
            self.need(node, "seat")
        if named is None or kind not in ("item", "skill"):
            return named and kind
        return f"{kind} {named}"

    def need(self, node: Node, *things: str) -> None:
        """Note the use of picked things at a place; a fault where no pick supplies them."""
        for thing in things:
            self.used.add(thing)
            if thing not in self.supplied and self.is_known:
                text = _pick_text(thing)
                node.report.note(
                    "E_TARGET",
                    node.path,
                    _value_text(node),
                    Text(f"先に pick で {text}", f"only after the pick {text}"),
                )

    def note_unused(self) -> None:
        """Note picks that nothing uses."""
        for thing, nodes in self.supplied.items():
            if thing not in self.used:
                for node in nodes:
                    node.report.note(
                        "E_TARGET",
                        node.path,
                        _pick_text(thing),
                        Text("効果が使う pick だけ", "a pick that an effect uses"),
                    )

    def note_crowd(self, node: Node) -> None:
        """Note picks with more choices than can be offered, at worst."""
        things = self.supplied.keys()
        choices = (
            _most(things, "item", len(HOURS))  # all items lie in front of two seats
            * _most(things, "skill", _SKILLS)
            * (node.report.roles if "role" in things else 1)
        )
        for i in range(len(self.supplied.get("hour", ()))):
            choices *= len(HOURS) - i
        if "seat" in things and not things & {"item target", "skill target"}:
            choices *= 3 + (self.supplied["seat"][0].value["seat"] == "any")
        if choices > _MAX_CHOICES:
            allowed = Text(
                f"選び方が {_MAX_CHOICES} 通りまでの pick",
                f"picks with at most {_MAX_CHOICES} choices",
            )
            node.report.note("E_RANGE", node.path, str(choices), allowed)

    # --- effects

    def effects(self, node: Node, depth: int = 0) -> None:
        """Check a list of effects inside `depth` of may, if and guess."""
        for entry in node.entries() or ():
            if entry.table():
                self.effect(entry, depth)

    def effect(self, node: Node, depth: int) -> None:
        """Check an effect (YU-97)."""
        do = node.at("do")
        if do is None:
            node.keys(("do",), g.EFFECT_KEYS)
            return
        named = do.word(tuple(g.EFFECTS), "E_EFFECT")
        if named is None:
            return
        shape = g.effect_shape(node.value)
        node.keys(("do", *shape.required), shape.optional)
        if named in ("may", "if", "guess") and depth == _MAX_DEPTH:
            do.fault(
                "E_DEPTH",
                Text(
                    f"may・if・guess の入れ子は {_MAX_DEPTH} 段まで",
                    f"may, if and guess at most {_MAX_DEPTH} deep",
                ),
            )
            return
        self.values(node, shape, "E_EFFECT", depth)
        self.needs(node, named)

    def values(self, node: Node, shape: g.Shape, code: str, depth: int) -> None:
        """Check what the keys of a condition or an effect hold."""
        for key, spec in (*shape.required.items(), *shape.optional.items()):
            value = node.at(key)
            if value is None:
                continue
            match spec:
                case g.Words(words):
                    value.word(words, code)
                case g.Whole(least, most):
                    value.whole(least, most)
                case g.Part.FLAG:
                    value.flag()
                case g.Part.HOURS:
                    value.hours()
                case g.Part.CONDITION:
                    self.condition(value, self.kind)
                case g.Part.CONDITIONS:
                    self.conditions(value, Where.FILTER)
                case g.Part.EFFECTS:
                    self.effects(value, depth + 1)

    def needs(self, node: Node, effect: str) -> None:
        """Check that there is what an effect speaks of (YU-96, YU-97)."""
        to, at, what = node.at("to"), node.at("at"), node.at("what")
        if to is not None and to.value == "target":
            self.need(to, "seat")
        if at is not None and at.value == "picked":
            self.need(at, "hour")
            self.only(at, "hour")
        match effect, None if what is None else what.value:
            case "peek", "role" | "skill":
                self.need(node, "seat")
            case "guess", _:
                self.need(node, "seat", "role")
            case "take", _:
                self.need(node, "item target")
            case "swap", "items":
                self.need(node, "item target", "item self")
            case "swap", "skills":
                self.need(node, "skill target", "skill self")
            case "swap", "life":
                self.need(node, "seat")
            case "swap", "time_cards":
                self.need(node, "hour")
                if self.is_known and len(self.supplied.get("hour", ())) == 1:
                    node.report.note(
                        "E_TARGET",
                        node.path,
                        _pick_text("hour"),
                        Text("先に pick で時間を 2 つ", "only after two picks of an hour"),
                    )
            case "discard", _:
                owned = [of for of in ("item target", "item self") if of in self.supplied]
                self.need(node, *(owned or ("item target",)))
                self.only(node, *owned)
            case _:
                pass

    def only(self, node: Node, *things: str) -> None:
        """Note that of several picked things it is not clear which is meant."""
        nodes = [pick for thing in things for pick in self.supplied.get(thing, ())]
        if len(nodes) > 1 and self.is_known:
            node.report.note(
                "E_TARGET",
                node.path,
                _value_text(node),
                Text(
                    "その種類の pick は 1 つだけ",
                    "with one such pick only; of two it is not clear which",
                ),
            )


def _most(things: Collection[str], kind: str, cards: int) -> int:
    """Return how many choices there are at most where cards of a kind are picked."""
    of_target, of_self = f"{kind} target" in things, f"{kind} self" in things
    if of_target and of_self:
        return (cards // 2) ** 2
    return cards if of_target or of_self else 1


def _pick_text(thing: str) -> str:
    kind, _, of = thing.partition(" ")
    return f'{{ {kind} = "{of or "…"}" }}'


def _value_text(node: Node) -> str:
    if isinstance(node.value, dict):
        return str(node.value.get("do", "{…}"))
    return f'"{node.value}"'
