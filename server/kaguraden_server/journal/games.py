"""A game as the journal has it: its steps, read and played again.

Every move is made again over the same deal; where a step told the digest of the position it has to
be the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen
from kaguraden_protocol.limits import Limits
from kaguraden_rules.kernel import BadOptions, Game, Games, Input, RuleError

from kaguraden_server.clocks import ClockOptions, Clocks
from kaguraden_server.codes import normal_code
from kaguraden_server.fairness import Deal
from kaguraden_server.gathering import parse_options
from kaguraden_server.keeping import After, KeptRoom, digest, read
from kaguraden_server.records import parse_input
from kaguraden_server.table import Table

if TYPE_CHECKING:
    from .entries import StepTaken
    from .store import RoomRow

__all__ = ["BAD_OPTIONS", "Lost", "Step", "game_of", "read_steps", "replay", "room_of", "table_of"]

BAD_OPTIONS = "the game does not take its options; are card packs missing?"


class Lost(Exception):
    """A room cannot be rebuilt. The text says why, without anything that was secret."""


@frozen
class Step:
    """A step as it was recorded."""

    inputs: tuple[Input, ...]
    after: After
    digest: str | None


def game_of(row: RoomRow, games: Games) -> Game[Any, Any]:
    """Return the game that is played in a room.

    Raises:
        Lost: It is none of these, or by other rules.
    """
    game = games.get(row.game)
    if game is None:
        raise Lost(f"there is no game {row.game}")
    if game.rules != row.rules:
        raise Lost(f"it is played by rules {row.rules} of {row.game}, and these are {game.rules}")
    return game


def room_of(row: RoomRow) -> KeptRoom:
    """Return a room's document.

    Raises:
        Lost: It cannot be read, or the row has no code and time of a room.
    """
    if not isinstance(row.code, str) or normal_code(row.code) != row.code or len(row.code) != 9:
        raise Lost("its code is damaged")
    if type(row.opened_ms) is not int or row.opened_ms < 0:
        raise Lost("the time of its opening is damaged")
    try:
        return read(KeptRoom, row.doc)
    except ValueError as error:
        raise Lost(str(error)) from None


def table_of(row: RoomRow, steps: Sequence[StepTaken], games: Games) -> Table | None:
    """Return the game of a room as it stands, without anybody at it; None before the deal.

    Raises:
        Lost: It cannot be played again.
    """
    game, kept = game_of(row, games), room_of(row)
    if kept.chances is None:
        return None
    try:
        clocks, options = parse_options(game, kept.options, ClockOptions())
    except BadOptions:
        raise Lost(BAD_OPTIONS) from None
    seats = len(kept.seats)
    table = Table(
        room=row.code,
        game=game,
        options=options,
        decks=kept.chances.decks,
        deal=Deal(kept.seed, kept.day),
        nonces=kept.chances.nonces,
        clocks=Clocks.start(clocks, seats),
        passes=lambda _seat, _kind: False,
        limits=Limits(),
    )
    replay(table, read_steps(steps, seats)[0])
    return table


def read_steps(steps: Sequence[StepTaken], seats: int) -> tuple[list[Step], bool]:
    """Return the steps of a game, without a torn last one, and whether there was such.

    Raises:
        Lost: One is missing or cannot be read.
    """
    recorded: list[Step] = []
    for n, step in enumerate(steps):
        if step.n != n:
            raise Lost(f"step {n} of its game is missing")
        try:
            if not isinstance(step.inputs, str):
                raise ValueError("damaged")
            inputs = tuple(map(parse_input, step.inputs.split("\n") if step.inputs else ()))
            after = read(After, step.after)
            if len(after.seqs) != seats + 1 or len(after.banks_ms) != seats:
                raise ValueError("of another number of seats")
        except ValueError:
            if n < len(steps) - 1 or n == 0:
                raise Lost(f"step {n} of its game cannot be read") from None
            return recorded, True
        recorded.append(Step(inputs, after, step.digest))
    if not recorded:
        raise Lost("its game has no step")
    return recorded, False


def replay(table: Table, steps: Sequence[Step]) -> None:
    """Play a game again.

    Raises:
        Lost: It cannot be played so, or comes to another position than it did.
    """
    table.deal_again()
    for n, step in enumerate(steps):
        try:
            table.apply_again(step.inputs, step.after.seqs)
        except RuleError as error:
            raise Lost(f"the rules refuse step {n} of its game ({error.code})") from None
        if step.digest is not None and digest(table.state) != step.digest:
            raise Lost(f"step {n} of its game comes to another position")
