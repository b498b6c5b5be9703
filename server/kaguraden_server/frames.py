"""`kaguraden frames`: a record as what its viewers saw, for programs that show it.

A film is a game played again, with every position kept; a frame is one position as one viewer saw
it, with what happened on the way to it. Whoever draws frames needs no rules: this is how
`kaguraden replay`, which is the client's, shows a game. The lines are described in
protocol/replay.md.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import attrs
import click
from attrs import frozen
from kaguraden_rules.kernel import AUDIENCE, Act, Event, Games, Input, SeatId, Text, Viewer
from kaguraden_rules.plain import to_plain

from .again import Again, NotAgain, prepare
from .records import BadRecord, format_input, read_record
from .streams import decision_to_wire, events_to_wire, view_to_wire
from .telling import FAULTS, UNREADABLE, locale_language, tell
from .verify import load_games_or_exit, read_file

if TYPE_CHECKING:
    from kaguraden_rules.kernel import Json

__all__ = ["ALL", "Film", "Looker", "NoFilm", "frames", "parse_viewer"]

ALL: Final = "all"
WATCH: Final = "watch"
ROOM: Final = "replay"

Looker: TypeAlias = Viewer | Literal["all"]


class NoFilm(Exception):
    """The record cannot be shown. `lines` say why."""

    def __init__(self, lines: tuple[Text, ...]) -> None:
        self.lines = lines
        super().__init__("; ".join(line.en for line in lines))


@frozen
class Shot:
    """A position, and the step that led to it; the deal has no input."""

    input: Input | None
    state: Any
    events: tuple[Event, ...]


@frozen
class Film:
    """A game played again. `fault` tells why it stops before the end of its record."""

    again: Again
    shots: tuple[Shot, ...]
    fault: Text | None

    @classmethod
    def of(cls, data: bytes, games: Games) -> Film:
        """Play a record.

        Raises:
            NoFilm: It is none, or cannot even be dealt.
        """
        try:
            again = prepare(read_record(data), games)
            dealt = again.deal()
        except BadRecord as error:
            raise NoFilm(error.problems) from None
        except NotAgain as error:
            raise NoFilm((error.text,)) from None
        shots, fault = [Shot(None, dealt.state, dealt.events)], None
        try:
            for entry, step in again.play(dealt.state):
                shots.append(Shot(entry, step.state, step.events))
        except NotAgain as error:
            fault = error.text
        return cls(again, tuple(shots), fault)

    @property
    def steps(self) -> int:
        """Return how many inputs are shown."""
        return len(self.shots) - 1

    def head(self) -> dict[str, Json]:
        """Return the line that comes first."""
        record, game = self.again.record, self.again.game
        head: dict[str, Json] = {
            "kind": "record",
            "game": game.id,
            "name": to_plain(game.name),
            "rules": game.rules,
            "options": dict(record.options),
            "seats": record.seats,
            "steps": self.steps,
            "catalog": game.catalog(self.again.options),
        }
        if self.fault is not None:
            head["fault"] = to_plain(self.fault)
        return head

    def frame(self, step: int, looker: Looker) -> dict[str, Json]:
        """Return a position as somebody saw it; with `ALL` as all seats together did."""
        shot = self.shots[step]
        frame: dict[str, Json] = {"kind": "frame", "step": step, "viewer": looker}
        match shot.input:
            case Act(seat) if looker in (ALL, seat):
                frame |= {"by": seat, "input": format_input(shot.input)}
            case None:
                pass
            case _ if looker == ALL:
                frame["input"] = format_input(shot.input)
        if looker == ALL:
            told = [_whole(event) for event in shot.events if not _is_for_others(event)]
            frame["update"] = self._update(step, None, told)
            frame["seats"] = [self._view(step, SeatId(n)) for n in range(self.again.record.seats)]
        else:
            frame["update"] = self._update(step, looker, events_to_wire(shot.events, looker))
        return frame

    def _view(self, step: int, viewer: Viewer) -> dict[str, Json]:
        return view_to_wire(self.again.game.view(self.shots[step].state, viewer))

    def _update(self, step: int, viewer: Viewer, events: list[Json]) -> dict[str, Json]:
        decisions = self.again.game.decisions(self.shots[step].state)
        asked = None if viewer is None else decisions.get(viewer)
        return {
            "type": "update",
            "room": ROOM,
            "seq": step + 1,
            "full": True,
            "events": events,
            "view": self._view(step, viewer),
            "decisions": [] if asked is None else [decision_to_wire(asked)],
            "clock": [],
        }


def _audience_of(event: Event) -> list[str]:
    """Return the names of an event's fields that say who is told of it."""
    return [a.name for a in attrs.fields(type(event)) if AUDIENCE.items() <= a.metadata.items()]


def _whole(event: Event) -> Json:
    """Return an event with all that it hides, but not who is told of it."""
    return to_plain(attrs.evolve(event, **dict.fromkeys(_audience_of(event))))


def _is_for_others(event: Event) -> bool:
    """Whether an event of a seat is told to others alone, who may not know the seat's own (EN-83)."""
    seat = getattr(event, "seat", None)
    audiences = (getattr(event, name) for name in _audience_of(event))
    return seat is not None and any(told is not None and seat not in told for told in audiences)


def parse_viewer(text: str, seats: int) -> Looker:
    """Return who looks, by a word: a seat from 0, `watch` or `all`.

    Raises:
        ValueError: There is no such viewer.
    """
    if text == WATCH:
        return None
    if text == ALL:
        return "all"
    if text.isascii() and text.isdecimal() and int(text) < seats:
        return SeatId(int(text))
    raise ValueError(f"no viewer {text!r}: a seat from 0 to {seats - 1}, {WATCH} or {ALL}")


@click.command(
    short_help="Write what viewers of a record saw, for programs. 記録を見える形で書き出す"
)
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--packs",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of card packs that the game was played with, if any.",
)
@click.option("--viewer", default=WATCH, show_default=True, help="A seat from 0, watch, or all.")
@click.option(
    "--ask", is_flag=True, help="Answer lines such as “12 0” on stdin, with one frame each."
)
@click.option(
    "--lang",
    type=click.Choice(["ja", "en"]),
    help="The language of faults; by default the locale's. / 言語。",
)
def frames(path: Path, packs: Path | None, viewer: str, ask: bool, lang: str | None) -> None:
    """Play a record again and write JSON lines: the game, then each position as a viewer saw it.

    protocol/replay.md describes them. The status is 1 if the record cannot be dealt, 2 if the file
    cannot be read. People use `kaguraden replay`.
    """
    language = lang or locale_language()
    try:
        data = read_file(path)
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or str(error)
        tell([Text(f"{path}: 読めません: {why}", f"{path}: {why}")], language, err=True)
        sys.exit(UNREADABLE)
    try:
        film = Film.of(data, load_games_or_exit(packs, language))
    except NoFilm as error:
        tell(error.lines, language, err=True)
        sys.exit(FAULTS)
    for line in _asked(film) if ask else _all(film, viewer):
        click.echo(json.dumps(line, ensure_ascii=False, separators=(",", ":")))
        sys.stdout.flush()


def _all(film: Film, viewer: str) -> Iterator[Mapping[str, Json]]:
    try:
        looker = parse_viewer(viewer, film.again.record.seats)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--viewer") from None
    yield film.head()
    for step in range(film.steps + 1):
        yield film.frame(step, looker)


def _asked(film: Film) -> Iterator[Mapping[str, Json]]:
    yield film.head()
    for line in sys.stdin:
        step, _, viewer = line.strip().partition(" ")
        try:
            looker = parse_viewer(viewer, film.again.record.seats)
            if not (step.isascii() and step.isdecimal() and int(step) <= film.steps):
                raise ValueError(f"no step {step!r}: there are 0 to {film.steps}")
        except ValueError as error:
            yield {"kind": "error", "message": str(error)}
            continue
        yield film.frame(int(step), looker)
