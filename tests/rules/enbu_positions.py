"""The books of the worked scenarios (§21), and a table on which they are played by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import define, evolve
from kaguraden_rules.enbu import play, race
from kaguraden_rules.enbu.board import Board
from kaguraden_rules.enbu.book import Book, Family, Goal
from kaguraden_rules.enbu.books import BOOKS
from kaguraden_rules.enbu.events import Told
from kaguraden_rules.enbu.game import Enbu
from kaguraden_rules.enbu.options import Options
from kaguraden_rules.enbu.race import State
from kaguraden_rules.kernel import Answer, CardId, Event, SeatId, Viewer, redact
from kaguraden_rules.plain import to_plain

__all__ = ["ENBU", "SEED", "Hall", "K", "Q", "R", "T", "book", "lay"]

ENBU = Enbu()
SEED = bytes(32)


def book(
    shape: tuple[int, int, int],
    cards: str,
    first: str,
    *,
    extra: bool = False,
    pass_mark: int | None = None,
    **flags: bool,
) -> Book:
    """Return a book with one copy of each card; `shape` is pages, stage, hand."""
    pages, stage, hand = shape
    switches = {"drop": extra, "reshuffle": extra, "wild": extra, **flags}
    return Book(
        id="scenario",
        family=Family.YOROZU,
        name="例",
        pages=pages,
        stage=stage,
        hand=hand,
        goal=Goal.ALL if pass_mark is None else Goal.PASS,
        pass_mark=pass_mark,
        cards=tuple((CardId(card), 1) for card in cards.split()),
        first=tuple(first.split()),
        rest=(),
        **switches,
    )


K = BOOKS["kyu-3"]
T = book((2, 3, 1), "inu saru tori ushi tatsu tora", "kenen keiko-gyugo ryuko", extra=True)
R = book((1, 3, 1), "inu saru usagi", "kenen kento", drop=True, reshuffle=True)
Q = book((1, 1, 1), "inu saru usagi", "kenen kento", extra=True)


@define
class Hall:
    """A game in play, with everything that was told in it."""

    state: State
    told: list[Event]

    @property
    def board(self) -> Board:
        """The first seat's board."""
        return self.state.racers[0].board

    def choices(self, seat: int = 0) -> list[str]:
        """Return the options of a seat, `undo` left out."""
        return [text for text in self.options(seat) if text != "undo"]

    def options(self, seat: int = 0) -> list[str]:
        """Return all options of a seat."""
        decision = ENBU.decisions(self.state).get(SeatId(seat))
        return [] if decision is None else [option.id for option in decision.options]

    def do(self, texts: str, seat: int = 0) -> Hall:
        """Make choices one after another, each of them listed."""
        for text in texts.split():
            decision = ENBU.decisions(self.state)[SeatId(seat)]
            step = ENBU.act(self.state, SeatId(seat), Answer(decision.id, text))
            self.state = step.state
            self.told += step.events
        return self

    def expire(self, wait: str) -> Hall:
        """End a wait."""
        step = ENBU.expire(self.state, wait)
        self.state = step.state
        self.told += step.events
        return self

    def run_out(self, seat: int = 0) -> Hall:
        """End the turn of a seat by its clock."""
        return self.expire(f"turn:{seat}:{self.state.racers[seat].board.turn}")

    def heard(self, viewer: int | None = 0) -> list[dict[str, Any]]:
        """Return what a viewer was told, as on the wire."""
        who: Viewer = None if viewer is None else SeatId(viewer)
        shown = (redact(event, who) for event in self.told)
        return [plain for e in shown if e is not None if isinstance(plain := to_plain(e), dict)]

    def kinds(self, since: int = 0) -> list[str]:
        """Return the kinds of all events, from one on."""
        return [event.kind for event in self.told[since:]]

    def view(self, viewer: int | None = 0) -> dict[str, Any]:
        """Return what a viewer sees, as on the wire."""
        who: Viewer = None if viewer is None else SeatId(viewer)
        plain = to_plain(ENBU.view(self.state, who))
        assert isinstance(plain, dict)
        return plain

    def stage(self) -> list[str]:
        """Return the piles of the first seat, bottom to top."""
        return [" ".join(pile) for pile in self.board.stage]

    def alter(self, **changes: Any) -> Hall:
        """Change the first seat's board by hand, and ask anew."""
        racer = evolve(self.state.racers[0], board=evolve(self.board, **changes), past=())
        racers = (racer, *self.state.racers[1:])
        self.state = ENBU.begin(evolve(self.state, racers=racers)).state
        return self


def lay(
    what: Book,
    deck: str = "",
    programs: Sequence[str] = (),
    *,
    seats: int = 1,
    seed: bytes = SEED,
    **options: Any,
) -> Hall:
    """Begin a game with this deck and these programs, those of the seed where they are left out."""
    chosen = Options(what, **options)
    if not deck:
        step = ENBU.setup(chosen, seats, ((),) * seats, seed)
        return Hall(step.state, list(step.events))
    order = tuple(programs) or what.programs
    board, events = play.lay_out(what, seed, order, tuple(CardId(c) for c in deck.split()))
    state = State(chosen, (race.start(board, events),) * seats)
    step = ENBU.begin(state, events)
    assert all(isinstance(event, Told) for event in step.events)
    return Hall(step.state, list(step.events))
