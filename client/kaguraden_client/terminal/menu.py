"""Choosing an answer: the open decisions as a tree of numbered entries, and the keys on it.

A menu is a value; a key gives the next menu and, when an answer is complete, that answer. States:

    list ──a group──▶ list below it ──Esc──▶ back
     │
     ├─ an option without a value ────────────────┐
     └─ an option with a value ──▶ value ──Enter──┤
                                    └──Esc──▶ back ├──▶ (confirm ──Enter──┐) ──▶ sent
                                                  │       └──Esc──▶ back │
                                                  └──────────────────────┘

In `sent` no key chooses anything, until the decision is over (`updated`) or the answer was refused
(`refused`): nothing is sent twice. When the decisions change, what was half chosen is dropped and
the menu says so; it never carries a choice over to a question that was not asked when it was made.

Entries have the digits 1 to 9, a page at a time; those that a painter gives a `Slot` keep their
digit from turn to turn, whatever else there is to do. The digit 0 is the default, what happens when the
time is up, where that is an answer of its own and not one of many alike.

The menu knows no language: entries hold steps (`kind` = `place`, `card` = `9D`), which a painter
puts into words, so the language may change while one is choosing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from attrs import evolve, field, frozen
from kaguraden_protocol.messages import (
    CardsSpec,
    Decision,
    IntSpec,
    Option,
    OrderSpec,
    UnknownSpec,
    Value,
)

from ..reading import Json
from .editor import Editor

__all__ = [
    "Answer",
    "Entry",
    "Menu",
    "Node",
    "Note",
    "Pathing",
    "Slot",
    "Step",
    "Value",
    "default_path",
    "no_slot",
    "tree",
]

PAGE: Final = 9  # entries: one for each digit but 0
INLINE_VALUES: Final = 6  # a number with at most so many values is chosen, not typed


@frozen
class Step:
    """One choice on the way to an option: the name of an argument and its value."""

    key: str
    value: Json


@frozen
class Answer:
    """A complete answer, to be sent as an `act`."""

    decision: str
    option: str
    value: Value = None


@frozen
class Note:
    """Something the menu has to say: a key of `words` and what to fill in."""

    key: str
    values: Mapping[str, object] = field(factory=dict)


@frozen
class Node:
    """An entry of the tree: a group with children, or a leaf with an option.

    `number` is set where the leaf stands for one value of an option that takes a number.
    """

    steps: tuple[Step, ...] = ()
    children: tuple[Node, ...] = ()
    decision: Decision | None = None
    option: Option | None = None
    number: int | None = None
    digit: str = ""  # that it keeps, if it has one of its own

    @property
    def kind(self) -> str:
        """The kind of the option, or of the first one below."""
        node = self
        while node.option is None and node.children:
            node = node.children[0]
        return node.option.kind if node.option is not None else ""

    @property
    def is_default(self) -> bool:
        """Whether this is what happens when the time is up."""
        return (
            self.decision is not None
            and self.option is not None
            and self.option.id == self.decision.default
            and self.number is None
        )


@frozen
class Entry:
    """A node with the digit that chooses it; `at` is its place in the whole list."""

    digit: str
    node: Node
    at: int


Pathing: TypeAlias = "Callable[[Decision, Option], tuple[Step, ...]]"
Slot: TypeAlias = "Callable[[Node], int | None]"  # the digit that an entry keeps
Shy: TypeAlias = "Callable[[Node], bool]"  # whether Enter alone should not mean an entry
Careful: TypeAlias = "Callable[[Decision, Option], bool]"


def default_path(decision: Decision, option: Option) -> tuple[Step, ...]:
    """Return the option's kind and then its arguments, as they are listed."""
    return (Step("kind", option.kind), *(Step(key, value) for key, value in option.args.items()))


def no_slot(_node: Node) -> int | None:
    """Let every entry have the digit of its place in the list."""
    return None


def tree(decision: Decision, path: Pathing = default_path, slot: Slot = no_slot) -> Node:
    """Return the decision's options as a tree in which alike ones share an entry.

    Options whose value is of a kind that this client does not know cannot be offered.
    """
    leaves = [
        (path(decision, option), option)
        for option in decision.options
        if not isinstance(option.value, UnknownSpec)
    ]
    children = _grow(decision, leaves, 0)
    children = _expand_numbers(children)
    numbered = _numbered(_inline(children, slot), slot)
    return Node(children=tuple(_deep(node, slot) for node in numbered), decision=decision)


def _deep(node: Node, slot: Slot) -> Node:
    """Give the entries below a group the digits that they keep."""
    if not node.children:
        return node
    below = tuple(_deep(child, slot) for child in node.children)
    return evolve(node, children=_numbered(below, slot))


def _numbered(nodes: tuple[Node, ...], slot: Slot) -> tuple[Node, ...]:
    """Give entries the digits that they keep, and the others the last ones that are free."""
    slots = [slot(node) for node in nodes]
    kept = [s for s in slots if s is not None]
    rest = [n for n, s in zip(nodes, slots, strict=True) if s is None]
    zeros = [n for n in rest if n.is_default and n.option and n.option.value is None]
    if not kept or len(set(kept)) < len(kept) or len(nodes) - len(zeros) > PAGE:
        return nodes
    free = [digit for digit in range(1, PAGE + 1) if digit not in kept]
    others = [n for n in rest if n not in zeros]
    digits = free[len(free) - len(others) :]
    placed = [(s, n) for n, s in zip(nodes, slots, strict=True) if s is not None]
    placed += zip(digits, others, strict=True)
    ordered = sorted(placed, key=lambda one: one[0])
    return (*(evolve(node, digit=str(digit)) for digit, node in ordered), *zeros)


def _grow(
    decision: Decision, leaves: Sequence[tuple[tuple[Step, ...], Option]], depth: int
) -> tuple[Node, ...]:
    groups: dict[str, list[tuple[tuple[Step, ...], Option]]] = {}
    for steps, option in leaves:
        here = repr(steps[depth]) if depth < len(steps) else f"={option.id}"
        groups.setdefault(here, []).append((steps, option))
    nodes = []
    for members in groups.values():
        steps, option = members[0]
        if len(members) == 1:
            nodes.append(Node(steps[depth:], (), decision, option))
        else:
            below = _grow(decision, members, depth + 1)
            nodes.append(_collapse(Node(steps[depth : depth + 1], below, decision)))
    return tuple(nodes)


def _collapse(node: Node) -> Node:
    """Join a group of one group with it."""
    if len(node.children) != 1:
        return node
    only = node.children[0]
    return evolve(only, steps=node.steps + only.steps)


def _expand_numbers(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Put the values of an option in its place where they are few."""
    out: list[Node] = []
    for node in nodes:
        spec = node.option.value if node.option is not None else None
        if isinstance(spec, IntSpec) and 1 <= spec.max - spec.min + 1 <= INLINE_VALUES:
            out += [evolve(node, number=n) for n in range(spec.min, spec.max + 1)]
        else:
            out.append(node)
    return tuple(out) if len(out) <= PAGE else nodes


def _inline(nodes: tuple[Node, ...], slot: Slot) -> tuple[Node, ...]:
    """Put the members of groups of two in the group's place while a page has room.

    A group that keeps a digit stays one, unless each member keeps one of its own.
    """
    room = PAGE - len(nodes)
    out: list[Node] = []
    for node in nodes:
        members = [evolve(child, steps=node.steps + child.steps) for child in node.children]
        fits = len(members) == 2 and room > 0 and not any(c.children for c in members)
        if fits and (slot(node) is None or len({slot(member) for member in members}) == 2):
            out += members
            room -= 1
        else:
            out.append(node)
    return tuple(out)


def _no_choice(option: Option) -> tuple[str, ...]:
    """Return the cards that an option takes where it must be all of them."""
    spec = option.value
    return tuple(spec.from_) if isinstance(spec, CardsSpec) and spec.min == len(spec.from_) else ()


@frozen
class Menu:
    """The state of choosing. `updated` makes the first one."""

    root: Node = Node()
    decisions: tuple[Decision, ...] = ()
    way: tuple[Node, ...] = ()  # the groups gone into
    at: int = 0  # the highlighted entry
    start: int = 0  # the one that is highlighted to begin with
    leaf: Node | None = None  # the option whose value is being given
    number: Editor = field(factory=lambda: Editor(limit=9))
    picked: tuple[str, ...] = ()  # cards ticked, or an order so far
    opened: bool = False  # `leaf` was the only thing to do, so nobody has chosen it
    confirming: Answer | None = None
    sent: Answer | None = None
    note: Note | None = None

    # --- what is shown ----------------------------------------------------------------------

    @property
    def here(self) -> Node:
        """The group whose entries are listed."""
        return self.way[-1] if self.way else self.root

    @property
    def is_open(self) -> bool:
        """Whether there is anything to decide."""
        return bool(self.decisions)

    @property
    def is_begun(self) -> bool:
        """Whether a choice is half made."""
        return bool(self.way or (self.leaf and not self.opened) or self.confirming)

    @property
    def decision(self) -> Decision | None:
        """The decision that is being answered, as far as that is clear."""
        if self.leaf is not None:
            return self.leaf.decision
        if self.here.decision is not None:
            return self.here.decision
        return self.decisions[0] if self.decisions else None

    def ordered(self) -> tuple[Node, ...]:
        """Return the entries of the list, the one with the digit 0 last."""
        zero = self._zero()
        return tuple(n for n in self.here.children if n is not zero) + ((zero,) if zero else ())

    def entries(self) -> tuple[Entry, ...]:
        """Return the entries of the page with the highlighted one, with their digits."""
        zero = self._zero()
        numbered = [n for n in self.here.children if n is not zero]
        page = self.page[0]
        out = [
            Entry(node.digit or str(i + 1), node, page * PAGE + i)
            for i, node in enumerate(numbered[page * PAGE : (page + 1) * PAGE])
        ]
        if zero is not None:
            out.append(Entry("0", zero, len(numbered)))
        return tuple(out)

    @property
    def page(self) -> tuple[int, int]:
        """The number of this page, from 0, and how many there are."""
        count = len(self.here.children) - (1 if self._zero() else 0)
        pages = max(1, -(-count // PAGE))
        return min(self.at // PAGE, pages - 1), pages

    def under_cursor(self) -> Node | None:
        """Return the entry that is highlighted, or whose value is being given."""
        if self.leaf is not None:
            return self.leaf
        nodes = self.ordered()
        return nodes[min(self.at, len(nodes) - 1)] if nodes else None

    def card_under_cursor(self) -> str | None:
        """Return the card that is highlighted among those to choose from."""
        cards = self.choices()
        return cards[min(self.at, len(cards) - 1)] if cards else None

    def choices(self) -> tuple[str, ...]:
        """Return the cards that the value is chosen from."""
        spec = self.leaf.option.value if self.leaf and self.leaf.option else None
        if isinstance(spec, CardsSpec):
            return tuple(spec.from_)
        return tuple(spec.of) if isinstance(spec, OrderSpec) else ()

    def _zero(self) -> Node | None:
        """Return the entry for the digit 0: the default, if no other is of its kind."""
        kinds = [node.kind for node in self.here.children]
        for node in self.here.children:
            if node.is_default and node.option and node.option.value is None:
                alone = kinds.count(node.option.kind) == 1 and not node.digit
                return node if alone else None
        return None

    # --- what happens -----------------------------------------------------------------------

    def updated(
        self,
        decisions: Sequence[Decision],
        path: Pathing = default_path,
        why: str = "",
        slot: Slot = no_slot,
        shy: Shy = lambda _node: False,
    ) -> Menu:
        """Return the menu for the decisions that are open now.

        Args:
            decisions: The seat's open decisions.
            path: How an option is reached.
            why: What happened, in words, for a choice that can no longer be made.
            slot: Which digit an entry keeps.
            shy: Which entries are not highlighted to begin with.
        """
        decisions = tuple(decisions)
        if decisions == self.decisions:
            return self
        trees = tuple(tree(d, path, slot) for d in decisions)
        if len(trees) == 1:
            root = trees[0]
        else:
            root = Node(
                children=tuple(
                    evolve(t, steps=(Step("decision", t.decision.kind if t.decision else ""),))
                    for t in trees
                )
            )
        note = Note("menu.closed", {"why": why}) if self.is_begun and self.sent is None else None
        menu = Menu(root, decisions, note=note)
        at = next((i for i, node in enumerate(menu.ordered()) if not shy(node)), 0)
        return evolve(menu, at=at, start=at)._opening()

    def refused(self, note: Note) -> Menu:
        """Return the menu after the server did not take the answer; all can be chosen again."""
        menu = Menu(self.root, self.decisions, at=self.start, start=self.start, note=note)
        return menu._opening()

    def _opening(self) -> Menu:
        """Return the menu with its only option opened, if that takes cards: a payment."""
        nodes = self.root.children
        option = nodes[0].option if len(nodes) == 1 else None
        if option is None or not isinstance(option.value, CardsSpec | OrderSpec):
            return self
        return evolve(self, leaf=nodes[0], picked=_no_choice(option), opened=True)

    def with_note(self, note: Note | None) -> Menu:
        """Return the menu with something to say."""
        return evolve(self, note=note)

    def press(
        self, key: str, careful: Careful = lambda _d, _o: False
    ) -> tuple[Menu, Answer | None]:
        """Apply a key.

        Args:
            key: A digit, or `enter`, `escape`, `space`, `up`, `down`, `left`, `right`,
                `pageup`, `pagedown`, `home`, `end`, `backspace`.
            careful: Whether an option asks for Enter before it is sent.

        Returns:
            The next menu, and the answer to send if there is one.
        """
        if self.sent is not None or not self.decisions:
            return self, None
        menu = evolve(self, note=None, opened=False)
        if menu.confirming is not None:
            return menu._press_confirm(key)
        if menu.leaf is not None and menu.leaf.option is not None:
            return menu._press_value(key, menu.leaf, menu.leaf.option, careful)
        return menu._press_list(key, careful)

    def _press_confirm(self, key: str) -> tuple[Menu, Answer | None]:
        if key == "enter" and self.confirming is not None:
            return self._send(self.confirming)
        if key in ("escape", "left", "backspace"):
            return evolve(self, confirming=None), None
        return self.with_note(Note("menu.enter_or_esc")), None

    def _press_list(self, key: str, careful: Careful) -> tuple[Menu, Answer | None]:
        nodes = self.ordered()
        last = max(0, len(nodes) - 1)
        match key:
            case "up" | "left":
                return evolve(self, at=max(0, self.at - 1)), None
            case "escape" | "backspace":
                return self._back(), None
            case "down" | "right":
                return evolve(self, at=min(last, self.at + 1)), None
            case "home":
                return evolve(self, at=0), None
            case "end":
                return evolve(self, at=last), None
            case "pagedown":
                page, pages = self.page
                return evolve(self, at=(page + 1) % pages * PAGE), None
            case "pageup":
                page, pages = self.page
                return evolve(self, at=(page - 1) % pages * PAGE), None
            case "enter" if nodes:
                return self._choose(nodes[min(self.at, last)], careful)
        for entry in self.entries():
            if entry.digit == key:
                return evolve(self, at=entry.at)._choose(entry.node, careful)
        return self, None

    def _back(self) -> Menu:
        if not self.way:
            return self
        left = self.way[-1]
        above = evolve(self, way=self.way[:-1])
        nodes = above.ordered()
        return evolve(above, at=next((i for i, n in enumerate(nodes) if n is left), 0))

    def _choose(self, node: Node, careful: Careful) -> tuple[Menu, Answer | None]:
        if node.children:
            return evolve(self, way=(*self.way, node), at=0), None
        if node.option is None or node.decision is None:
            return self, None
        if node.option.value is None or node.number is not None:
            return self._complete(node.decision, node.option, node.number, careful)
        picked = _no_choice(node.option)
        return evolve(self, leaf=node, at=0, number=Editor(limit=9), picked=picked), None

    def _press_value(
        self, key: str, leaf: Node, option: Option, careful: Careful
    ) -> tuple[Menu, Answer | None]:
        if key == "escape" or leaf.decision is None:
            nodes = self.ordered()
            at = next((i for i, n in enumerate(nodes) if n is leaf), 0)
            return evolve(self, leaf=None, at=at), None
        if isinstance(option.value, IntSpec):
            return self._press_number(key, option.value, leaf.decision, option, careful)
        return self._press_cards(key, leaf.decision, option, careful)

    def _press_number(
        self, key: str, spec: IntSpec, decision: Decision, option: Option, careful: Careful
    ) -> tuple[Menu, Answer | None]:
        text = self.number.text
        number = int(text) if text.lstrip("-").isdecimal() else None
        match key:
            case "enter" if number is not None and spec.min <= number <= spec.max:
                return self._complete(decision, option, number, careful)
            case "enter":
                note = Note("menu.range", {"min": spec.min, "max": spec.max})
                return evolve(self, number=Editor(limit=9), note=note), None
            case "up" | "down":
                step = 1 if key == "up" else -1
                moved = spec.min if number is None else min(spec.max, max(spec.min, number + step))
                return evolve(self, number=Editor.of(str(moved), 9)), None
            case _ if key.isdecimal() or (key == "-" and spec.min < 0) or len(key) > 1:
                return evolve(self, number=self.number.press(key)), None
        return self, None

    def _press_cards(
        self, key: str, decision: Decision, option: Option, careful: Careful
    ) -> tuple[Menu, Answer | None]:
        spec = option.value
        choices = self.choices()
        last = max(0, len(choices) - 1)
        match key:
            case "up" | "left":
                return evolve(self, at=max(0, self.at - 1)), None
            case "down" | "right":
                return evolve(self, at=min(last, self.at + 1)), None
            case "pagedown":
                return evolve(self, at=min(last, (self.at // PAGE + 1) * PAGE)), None
            case "pageup":
                return evolve(self, at=max(0, (self.at // PAGE - 1) * PAGE)), None
            case "home" | "end":
                return evolve(self, at=0 if key == "home" else last), None
            case "backspace":
                return evolve(self, picked=self.picked[:-1]), None
            case "space" if choices:
                return self._tick(min(self.at, last)), None
            case "enter":
                low, high = len(choices), len(choices)
                if isinstance(spec, CardsSpec):
                    low, high = spec.min, spec.max
                if low <= len(self.picked) <= high:
                    return self._complete(decision, option, self.picked, careful)
                key = "menu.tick_exact" if low == high else "menu.tick_range"
                told = {"min": low, "n": high, "have": len(self.picked)}
                return self.with_note(Note(key, told)), None
        if len(key) == 1 and key in "123456789":
            at = self.at // PAGE * PAGE + int(key) - 1
            if at <= last:
                return evolve(self, at=at)._tick(at), None
        return self, None

    def _tick(self, at: int) -> Menu:
        card = self.choices()[at]
        if card in self.picked:
            return evolve(self, picked=tuple(c for c in self.picked if c != card))
        one = card.partition(">")[0]  # `6C>1` and `6C>2` are one card in two places
        others = tuple(c for c in self.picked if c.partition(">")[0] != one)
        return evolve(self, picked=(*others, card))

    def _complete(
        self, decision: Decision, option: Option, value: Value, careful: Careful
    ) -> tuple[Menu, Answer | None]:
        answer = Answer(decision.id, option.id, value)
        if careful(decision, option):
            return evolve(self, confirming=answer), None
        return self._send(answer)

    def _send(self, answer: Answer) -> tuple[Menu, Answer]:
        return evolve(self, confirming=None, sent=answer), answer
