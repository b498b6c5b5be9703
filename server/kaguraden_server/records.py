"""The record of a game: all that is needed to deal it and to play it again.

    {format, game, rules, packs, options, seats, decks, seed, nonces, commitment, entropy, inputs, outcome}

`inputs` has one line of text for each input of the kernel, in order, so that the record of the
longest game is a small message:

    0 0.17 draw:resource            seat 0 answers its decision 0.17 with an option
    2 2.4 bid = 3                   with a value, in JSON
    1 1.9 pay = ["9D","10S"]
    expire w12                      a wait ended

Ids of decisions hold no space, and ids of options no " = ".
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from kaguraden_rules.kernel import Act, Answer, Expire, Input, SeatId

if TYPE_CHECKING:
    from kaguraden_rules.kernel import Value

__all__ = ["FORMAT", "format_input", "parse_input"]

FORMAT = 1
EXPIRE = "expire "
EQUALS = " = "


def format_input(entry: Input) -> str:
    """Return an input as a line of the record."""
    match entry:
        case Expire(wait):
            return EXPIRE + wait
        case Act(seat, answer):
            line = f"{seat} {answer.decision} {answer.option}"
            if answer.value is None:
                return line
            return (
                line + EQUALS + json.dumps(answer.value, ensure_ascii=False, separators=(",", ":"))
            )


def parse_input(line: str) -> Input:
    """Return the input of a line.

    Raises:
        ValueError: It is no such line.
    """
    if line.startswith(EXPIRE):
        return Expire(line.removeprefix(EXPIRE))
    seat, decision, rest = line.split(" ", 2)
    option, equals, told = rest.partition(EQUALS)
    value: Value = None
    if equals:
        read = json.loads(told)
        value = tuple(read) if isinstance(read, list) else read
    return Act(SeatId(int(seat)), Answer(decision, option, value))
