"""What holds in every position of enbu (§20), checked from outside.

`legal` says what may be done by the words of the rules, without the code's means. `Fold` rebuilds a
table from nothing but the events that its owner was told, and so sees the table after each of them.
The referee holds both against the game at every step.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from itertools import chain, combinations, permutations
from typing import Any

from attrs import define, field
from kaguraden_rules.enbu.board import Board
from kaguraden_rules.enbu.book import WILDS, Book, Goal
from kaguraden_rules.enbu.books import CATALOGUE, bound, total
from kaguraden_rules.enbu.race import State
from kaguraden_rules.kernel import Act, Answer, Decision, Expire, IllegalOption, SeatId, redact
from kaguraden_rules.plain import to_plain

from tests.properties.enbu_play import ENBU, Taken

__all__ = ["Fold", "Referee", "every_text", "legal"]

# --- what may be done, in the words of the rules ----------------------------------------------------


def _fits(program: str, cards: tuple[str, ...]) -> bool:
    """Whether each required card is matched by a different one of these, wilds by any (EN-20, EN-58)."""
    required = CATALOGUE.programs[program].cards
    return len(cards) == len(required) and any(
        all(card in WILDS or card == need for card, need in zip(order, required, strict=True))
        for order in permutations(cards)
    )


def _sources(board: Board) -> dict[str, str]:
    tops: dict[str, str] = {f"s{n}": pile[-1] for n, pile in enumerate(board.stage, 1) if pile}
    return tops | {f"h{n}": card for n, card in enumerate(board.hand, 1)}


def legal(board: Board) -> set[str]:
    """Return the legal choices of EN-74."""
    book = board.book
    slots = range(1, book.stage + 1)
    if board.phase == "over":
        return set()
    found = {"finish"}
    if board.phase == "place":
        found |= {f"stage:{i}" for i in slots}
        if len(board.hand) < book.hand:
            found.add("take")
        elif book.hand:
            found |= {f"swap:{h}:{i}" for h in range(1, book.hand + 1) for i in slots}
        return found
    sources = _sources(board)
    performs = set()
    for page in board.pages:
        size = len(CATALOGUE.programs[page].cards)
        for names in combinations(sources, size):
            if _fits(page, tuple(sources[name] for name in names)):
                performs.add(f"perform:{page}:{'+'.join(names)}")
    if book.drop and board.pages:
        found |= {f"drop:{i}" for i in slots if board.stage[i - 1]}
    if board.deck or (book.reshuffle and board.discard and not performs):
        found.add("next")
    return found | performs


def every_text(board: Board) -> set[str]:
    """Return texts of choices that might be legal somewhere, and some that are nowhere."""
    book = board.book
    slots, held = range(8), range(6)
    names = [f"s{n}" for n in range(1, book.stage + 2)] + [f"h{n}" for n in range(1, book.hand + 2)]
    texts = {"take", "next", "finish", "undo", "", "Take", "stage:01", "stage:", "perform::s1"}
    texts |= {f"{word}:{i}" for word in ("stage", "drop") for i in slots}
    texts |= {f"swap:{h}:{i}" for h in held for i in slots}
    for program in chain(board.pages, board.stack[:1], board.gained[:1], ("kenen",)):
        for size in (1, 2, 3):
            texts |= {f"perform:{program}:{'+'.join(c)}" for c in combinations(names, size)}
        texts |= {f"perform:{program}:{b}+{a}" for a, b in combinations(names, 2)}
        texts |= {f"perform:{program}:{a}+{a}" for a in names}
    return texts


# --- the table as its owner was told ---------------------------------------------------------------


@define
class Fold:
    """A table made from the events of its owner alone."""

    book: Book
    seen: list[dict[str, Any]] = field(factory=list)  # the table after each event, from number 1

    @property
    def now(self) -> dict[str, Any]:
        """The table as it is."""
        return self.seen[-1]

    def take(self, event: dict[str, Any]) -> None:
        """Put an event on the table."""
        if event["kind"] == "undo":  # what came after that event is void (EN-124)
            self.seen.append(json.loads(json.dumps(self.seen[event["last"] - 1])))
            return
        table = json.loads(json.dumps(self.seen[-1])) if self.seen else {}
        getattr(self, "_" + event["kind"])(table, event)
        self.seen.append(table)

    def _setup(self, table: dict[str, Any], event: dict[str, Any]) -> None:
        table |= {
            "phase": "act", "turn": 0, "total": 0, "pages": event["pages"],
            "stack": event["stack"], "stage": [[] for _ in range(self.book.stage)], "hand": [],
            "discard": [], "gained": [], "dropped": [], "wilds": [], "deck": event["deck"],
            "unseen": dict(Counter(self.book.deck)), "goal": "open", "leaving": None,
        }  # fmt: skip

    def _flip(self, table: dict[str, Any], event: dict[str, Any]) -> None:
        table["phase"], table["turn"] = "place", event["turn"]
        table["flipped"], table["deck"] = event["card"], event["deck"]
        table["unseen"][event["card"]] -= 1
        if not table["unseen"][event["card"]]:
            del table["unseen"][event["card"]]

    def _stage(self, table: dict[str, Any], event: dict[str, Any]) -> None:
        assert table.pop("flipped") == event["card"]
        table["stage"][event["slot"] - 1].append(event["card"])
        table["phase"] = "act"

    def _take(self, table: dict[str, Any], event: dict[str, Any]) -> None:
        assert table.pop("flipped") == event["card"]
        table["hand"].append(event["card"])
        table["phase"] = "act"

    def _swap(self, table: dict[str, Any], event: dict[str, Any]) -> None:
        assert table.pop("flipped") == event["card"]
        assert table["hand"].pop(event["hand"] - 1) == event["out"]
        table["hand"].append(event["card"])
        table["stage"][event["slot"] - 1].append(event["out"])
        table["phase"] = "act"

    def _perform(self, table: dict[str, Any], event: dict[str, Any]) -> None:
        table["leaving"] = event["program"]
        gone = []
        for source, card in zip(event["sources"], event["cards"], strict=True):
            at = int(source[1:]) - 1
            if source[0] == "s":
                assert table["stage"][at].pop() == card
            else:
                assert table["hand"][at] == card
                gone.append(at)
            table["wilds" if card in WILDS else "discard"].append(card)
        for at in reversed(gone):
            del table["hand"][at]
        stood = event.get("stands_for", {})
        used = [stood.get(s, c) for s, c in zip(event["sources"], event["cards"], strict=True)]
        assert Counter(used) == Counter(CATALOGUE.programs[event["program"]].cards)
        table["gained"].append(event["program"])
        table["total"] += event["points"]
        assert table["total"] == event["total"]

    def _drop(self, table: dict[str, Any], event: dict[str, Any]) -> None:
        assert table["pages"][-1] == event["program"]
        table["leaving"] = event["program"]
        card = table["stage"][event["slot"] - 1].pop()
        assert card == event["card"]
        table["wilds" if card in WILDS else "discard"].append(card)
        table["dropped"].append(event["program"])

    def _slide(self, table: dict[str, Any], event: dict[str, Any]) -> None:
        assert table["pages"].pop(event["index"]) == table["leaving"]
        table["leaving"] = None
        if opened := event.get("opened"):
            assert table["stack"].pop(0) == opened
            table["pages"].insert(0, opened)
        assert table["pages"] == event["pages"]

    def _goal(self, table: dict[str, Any], event: dict[str, Any]) -> None:
        assert table["goal"] == "open"  # once, when it becomes so
        table["goal"] = event["goal"]

    def _reshuffle(self, table: dict[str, Any], event: dict[str, Any]) -> None:
        assert table["deck"] == 0
        assert len(table["discard"]) == event["deck"]
        table["unseen"] = dict(Counter(table["discard"]))
        table["discard"], table["deck"] = [], event["deck"]

    def _default(self, table: dict[str, Any], event: dict[str, Any]) -> None:
        assert not event["choice"].startswith("drop")  # EN-123

    def _end(self, table: dict[str, Any], event: dict[str, Any]) -> None:
        table["phase"] = "over"
        table["result"] = {k: v for k, v in event.items() if k not in ("kind", "seat")}

    def check(self) -> None:
        """Hold the table against the invariants that concern it alone (EN-112, EN-113, EN-114)."""
        table, book = self.now, self.book
        lying = list(chain(*table["stage"], table["hand"], table["discard"], table["wilds"]))
        lying += [table["flipped"]] if "flipped" in table else []
        counted = Counter(lying) + Counter(table["unseen"])
        assert counted == Counter(book.deck)
        assert sum(table["unseen"].values()) == table["deck"]
        programs = chain(table["pages"], table["stack"], table["gained"], table["dropped"])
        if table["leaving"] is None:
            assert sorted(programs) == sorted(book.programs)
            left = len(table["pages"]) + len(table["stack"])
            assert len(table["pages"]) == min(book.pages, left)
        assert len(table["hand"]) <= book.hand
        assert len(table["stage"]) == book.stage
        assert not set(table["discard"]) & set(WILDS)
        assert not set(table["wilds"]) - set(WILDS)
        if table["phase"] == "place":
            assert "flipped" in table
        elif "flipped" in table:
            assert table["phase"] == "over"
            assert table["result"]["reason"] in ("finish", "clock")


# --- the referee -----------------------------------------------------------------------------------


def _can_perform(board: Board) -> bool:
    sources = tuple(_sources(board).values())
    return any(
        _fits(page, cards)
        for page in board.pages
        for cards in combinations(sources, len(CATALOGUE.programs[page].cards))
    )


@define
class Referee:
    """Watches a game step by step."""

    folds: list[Fold] = field(factory=list)
    ids: set[str] = field(factory=set)
    totals: list[tuple[int, int, int]] = field(factory=list)  # turn, undos in it, total
    choices: list[int] = field(factory=list)  # that stand, one count a seat (EN-68)
    reasons: Counter[str] = field(factory=Counter)

    def watch(self, taken: Taken) -> None:
        """Check one step."""
        state = taken.state
        book = state.options.book
        if not self.folds:
            self.folds = [Fold(book) for _ in state.racers]
            self.choices = [0] * len(state.racers)
        for event in taken.events:
            self._take(event)
        self._count(taken)
        for seat, racer in enumerate(state.racers):
            moved = taken.before is None or taken.before.racers[seat] is not racer
            if moved:
                self._check_board(racer.board)
                self._check_view(state, SeatId(seat))
                self._check_decision(taken, SeatId(seat))
            else:
                assert taken.before is not None
                assert taken.before.racers[seat] == racer
        self._check_waits(state)
        if taken.before is not None:
            self._check_totals(taken.before, state, taken)

    def _take(self, event: Any) -> None:
        seat = event.seat
        if event.kind in ("figures", "reveal"):
            return
        shown = redact(event, seat)
        assert shown is not None
        plain: Any = to_plain(shown)
        assert "audience" not in plain
        self.folds[seat].take(plain)
        self.folds[seat].check()
        if event.kind == "end":
            self.reasons[event.reason] += 1

    def _count(self, taken: Taken) -> None:
        match taken.input:
            case Act(seat, answer):
                self.choices[seat] += -1 if answer.option == "undo" else 1
            case Expire():
                for event in taken.events:
                    if event.kind == "default":
                        self.choices[event.seat] += 1  # type: ignore[attr-defined]

    def _check_board(self, board: Board) -> None:
        book = board.book
        programs = [CATALOGUE.programs[p] for p in book.programs]
        sizes = [len(program.cards) for program in programs]
        turns = len(book.deck) + (sum(sizes) - min(sizes) if book.reshuffle else 0)
        assert board.turn <= turns == bound(book)  # EN-115
        assert board.reshuffles <= len(programs) - 1
        assert board.total == sum(CATALOGUE.programs[p].points for p in board.gained)  # EN-117
        left = board.pages + board.stack
        can_perform = _can_perform(board)
        can_next = bool(board.deck) or bool(book.reshuffle and board.discard and not can_perform)
        can_drop = book.drop and bool(board.pages) and any(board.stage)
        if board.result is None:  # EN-116
            assert left
            if board.phase == "act":
                assert can_perform or can_next or can_drop
            return
        result = board.result
        assert (result.reason == "done") is (not left)
        if result.reason == "stuck":
            assert not any((can_perform, can_next, can_drop))
            assert not (book.drop and book.reshuffle)  # with both there is always a way on (§22)
        if book.goal is Goal.ALL:  # EN-62
            assert result.success is (sorted(board.gained) == sorted(book.programs))
        else:  # EN-63
            assert result.success is (board.total >= (book.pass_mark or 0))
        assert result.total == board.total
        assert result.maximum == total(book)
        assert (result.gained, result.dropped) == (len(board.gained), len(board.dropped))
        assert (result.left, result.turns) == (len(left), board.turn)

    def _check_view(self, state: State, seat: SeatId) -> None:
        """The owner's view is what the events told, and no more."""
        plain: Any = to_plain(ENBU.view(state, seat))
        shown = plain["you"]["board"]
        rest = shown.pop("rest", None)
        over = ENBU.outcome(state) is not None
        assert (rest is not None) is (over and not state.options.is_daily)
        folded = {k: v for k, v in self.folds[seat].now.items() if k != "leaving"}
        assert shown == folded
        kinds = [card for card, _ in state.options.book.cards] + list(WILDS)
        assert list(shown["unseen"]) == [card for card in kinds if card in shown["unseen"]]
        assert len(self.folds[seat].seen) == state.racers[seat].told
        assert plain["phase"] == (
            "ended" if shown["phase"] == "over" and not over else shown["phase"]
        )

    def _check_decision(self, taken: Taken, seat: SeatId) -> None:
        """Exactly the legal choices are listed, each is taken, nothing else is (EN-74, EN-116)."""
        state = taken.state
        racer = state.racers[seat]
        decision = ENBU.decisions(state).get(seat)
        if decision is None:
            assert racer.is_over
            return
        assert decision.id not in self.ids  # EN-124
        self.ids.add(decision.id)
        listed = [option.id for option in decision.options]
        assert len(set(listed)) == len(listed)
        undo = {"undo"} if racer.past and racer.undone < 10 else set()
        assert set(listed) == legal(racer.board) | undo
        assert len(listed) > len(undo) + 1  # besides `finish`
        assert decision.default in listed
        assert decision.leaving == "finish"
        assert decision.kind == racer.board.phase

    def check_refusals(self, state: State) -> None:
        """What is not listed is refused (EN-74), what is listed is taken."""
        for seat, decision in ENBU.decisions(state).items():
            listed = {option.id for option in decision.options}
            for text in listed:
                ENBU.act(state, seat, Answer(decision.id, text))
            self._refused(state, seat, decision, every_text(state.racers[seat].board) - listed)

    def _refused(
        self, state: State, seat: SeatId, decision: Decision, texts: Iterable[str]
    ) -> None:
        for text in texts:
            try:
                ENBU.act(state, seat, Answer(decision.id, text))
            except IllegalOption:
                continue
            raise AssertionError(f"{text} was taken")

    def _check_waits(self, state: State) -> None:
        waits = ENBU.waits(state)
        playing = tuple(ENBU.decisions(state))
        private = [wait for wait in waits if wait.private]
        assert tuple(wait.seats[0] for wait in private) == playing
        shared = [wait.id for wait in waits if not wait.private]
        race = ["race"] if len(state.racers) > 1 else []
        day = ["day"] if state.options.is_daily else []
        assert shared == (race + day if playing else [])
        for wait in waits:
            assert wait.pending == (wait.seats if wait.private else playing)

    def _check_totals(self, before: State, state: State, taken: Taken) -> None:
        """The total never falls but by an undo (EN-117); choices stay within the bound (EN-115)."""
        undone = isinstance(taken.input, Act) and taken.input.answer.option == "undo"
        for seat, (old, new) in enumerate(zip(before.racers, state.racers, strict=True)):
            assert new.board.total >= old.board.total or (undone and old is not new)
            programs = len(state.options.book.programs)
            assert self.choices[seat] <= 2 * new.board.turn + programs
            assert new.undone <= 10
            assert len(new.closed) == new.board.turn - (not new.is_over)
