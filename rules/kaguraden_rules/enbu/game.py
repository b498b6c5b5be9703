"""enbu as a game of the hall: the kernel's interface over rehearsals side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve, field, frozen

from kaguraden_rules.enbu import events as e
from kaguraden_rules.enbu import play, race
from kaguraden_rules.enbu.asking import ask
from kaguraden_rules.enbu.board import Reason
from kaguraden_rules.enbu.book import Book
from kaguraden_rules.enbu.books import BOOKS, digest
from kaguraden_rules.enbu.catalog import catalog
from kaguraden_rules.enbu.choices import UNDO, parse_choice
from kaguraden_rules.enbu.daily import daily_entropy
from kaguraden_rules.enbu.options import (
    Options,
    format_options,
    options_schema,
    parse_options,
)
from kaguraden_rules.enbu.race import Racer, State
from kaguraden_rules.enbu.shapes import SHAPES
from kaguraden_rules.enbu.view import EnbuView, look
from kaguraden_rules.entropy import ENTROPY_BYTES
from kaguraden_rules.kernel import (
    Answer,
    BadDeck,
    BadOptions,
    CardId,
    Decision,
    Json,
    Outcome,
    Pace,
    Problem,
    SeatId,
    Shapes,
    Stale,
    Step,
    Text,
    Viewer,
    Wait,
    Window,
    choose,
)

__all__ = ["Enbu"]

_RACE = "race"
_DAY = "day"


@frozen
class Enbu:
    """The game with the books that are known by their ids."""

    books: Mapping[str, Book] = field(default=BOOKS, repr=False)

    id: str = field(default="enbu", init=False)
    rules: str = field(default="1.0", init=False)
    name: Text = field(default=Text("演舞", "Enbu"), init=False)
    seats: tuple[int, int] = field(default=(1, 8), init=False)  # EN-80
    windows: tuple[Window, ...] = field(default=(), init=False)
    paces: tuple[Pace, ...] = field(default=(), init=False)  # all clocks are of the room options

    @property
    def shapes(self) -> Shapes:
        """How the game looks on the wire."""
        return SHAPES

    def options_schema(self) -> dict[str, Json]:
        """Return the JSON Schema of the room options."""
        return options_schema(self.books)

    def parse_options(self, raw: Mapping[str, Json]) -> Options:
        """Return the room options; see `kernel.Game`."""
        return parse_options(raw, self.books)

    def format_options(self, options: Options) -> dict[str, Json]:
        """Return the JSON object of the options."""
        return format_options(options, self.books)

    def check_deck(self, options: Options, deck: Sequence[CardId] | None) -> tuple[CardId, ...]:
        """Return no cards: the book has them; see `kernel.Game`."""
        if deck is not None:
            raise BadDeck([Problem("$", "no deck; the book of the room has the cards")])
        return ()

    def setup(
        self,
        options: Options,
        seats: int,
        decks: Sequence[tuple[CardId, ...]],
        entropy: bytes,
    ) -> Step[State]:
        """Lay the book out for every seat on one seed (EN-81); see `kernel.Game`.

        Raises:
            BadOptions: A daily challenge for more than one (EN-128).
            ValueError: Not 1 to 8 seats with one empty deck each, or entropy of another length.
        """
        least, most = self.seats
        if not least <= seats <= most or len(decks) != seats or len(entropy) != ENTROPY_BYTES:
            raise ValueError(f"{least} to {most} seats, one deck each, {ENTROPY_BYTES} bytes")
        if options.is_daily and seats > 1:
            raise BadOptions([Problem("$.book", "the challenge of a day has exactly one seat")])
        board, events = play.start(options.book, entropy)
        return self.begin(State(options, (race.start(board, events),) * seats), events)

    def begin(self, state: State, events: tuple[e.Told, ...] = ()) -> Step[State]:
        """Ask everybody for the first time, in a position with these events for each seat."""
        seats = [SeatId(i) for i in range(len(state.racers))]
        asked = [ask(racer, seat) for seat, racer in zip(seats, state.racers, strict=True)]
        told = tuple(event for seat in seats for event in race.tell(state, seat, events))
        return Step(evolve(state, racers=tuple(asked)), told)

    def decisions(self, state: State) -> Mapping[SeatId, Decision]:
        """Return the open decision of everybody who still plays."""
        return {
            SeatId(i): racer.decision
            for i, racer in enumerate(state.racers)
            if racer.decision is not None
        }

    def waits(self, state: State) -> tuple[Wait, ...]:
        """Return the turns of all who play, each with its clock (EN-76), and the room's (EN-127)."""
        if race.is_over(state):
            return ()
        options = state.options
        seats = tuple(SeatId(i) for i in range(len(state.racers)))
        playing = tuple(seat for seat in seats if not state.racers[seat].is_over)
        limit = options.race_turn_s if state.is_race else options.solo_turn_s
        waits = [
            Wait(
                _turn_id(seat, state.racers[seat]),
                Pace.TURN,
                (seat,),
                (seat,),
                limit_s=limit,
                private=True,
            )
            for seat in playing
        ]
        if state.is_race:  # all are asked always; a shrinking list would tell who has ended
            waits.append(Wait(_RACE, Pace.GAME, seats, playing, limit_s=options.race_min * 60))
        if options.is_daily:
            waits.append(Wait(_DAY, Pace.DAY, seats, playing))
        return tuple(waits)

    def act(self, state: State, seat: SeatId, answer: Answer) -> Step[State]:
        """Apply an answer; what is not listed is refused and changes nothing (EN-74)."""
        option = choose(self.decisions(state), seat, answer)
        racer = state.racers[seat]
        if option.id == UNDO:
            moved, events = race.undo(racer)
        else:
            moved, events = race.advance(racer, parse_choice(option.id))
        return _settle(state, {seat: moved}, race.tell(state, seat, events))

    def expire(self, state: State, wait: str) -> Step[State]:
        """End a wait: a turn by defaults (EN-76), a race or a day for all who play (EN-127)."""
        current = tuple(w.id for w in self.waits(state))
        if wait not in current:
            raise Stale(wait, current)
        moved: dict[SeatId, Racer] = {}
        told: list[e.Told] = []
        for i, racer in enumerate(state.racers):
            seat = SeatId(i)
            if racer.is_over or wait not in (_RACE, _DAY, _turn_id(seat, racer)):
                continue
            if wait in (_RACE, _DAY):
                moved[seat], events = race.end(racer, Reason.CLOCK)
            else:
                moved[seat], events = race.run_out(racer)
            told += race.tell(state, seat, events)
        return _settle(state, moved, tuple(told))

    def view(self, state: State, viewer: Viewer) -> EnbuView:
        """Return what a viewer may know (EN-91)."""
        return look(state, viewer)

    def outcome(self, state: State) -> Outcome | None:
        """Return the ranking when every rehearsal is over (EN-67)."""
        if not race.is_over(state):
            return None
        return race.outcome_of([racer.board for racer in state.racers])

    def is_quiet(self, state: State) -> bool:
        """Tell whether a race goes on whose players may not talk (EN-85)."""
        return state.is_race and not state.options.chat and not race.is_over(state)

    def day_entropy(self, options: Options, key: bytes, date: str) -> bytes | None:
        """Return the seed of everybody's challenge of the day (EN-88), None for other rooms."""
        if not options.is_daily:
            return None
        return daily_entropy(key, date, options.book.id, digest(options.book))

    def catalog(self, options: Options | None = None) -> dict[str, Json]:
        """Return cards, programs and books, that of the room included, and the rulebook."""
        books = dict(self.books)
        if options is not None:
            books.setdefault(options.book.id, options.book)
        return catalog(books.values())


def _turn_id(seat: SeatId, racer: Racer) -> str:
    return f"turn:{seat}:{racer.board.turn}"


def _settle(state: State, moved: Mapping[SeatId, Racer], events: tuple[e.Told, ...]) -> Step[State]:
    """Ask the racers who moved anew, and tell the others what they now see of them."""
    racers = list(state.racers)
    for seat, racer in moved.items():
        racers[seat] = ask(racer, seat)
    after = evolve(state, racers=tuple(racers))
    events += race.figures_changed(state, after)
    if race.is_over(after) and not state.options.is_daily:
        events += tuple(
            e.Revealed(racer.board.deck, seat=SeatId(i)) for i, racer in enumerate(racers)
        )
    return Step(after, events)
